/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Registration of the trace points, and nothing else. */

#include <rte_trace_point_register.h>

#include "rte_comch_trace.h"

RTE_TRACE_POINT_REGISTER(rte_comch_trace_dev_ready, lib.comch.dev.ready)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_dev_release, lib.comch.dev.release)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_ctx_state, lib.comch.ctx.state)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_conn_up, lib.comch.conn.up)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_conn_down, lib.comch.conn.down)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_pe_arm, lib.comch.pe.arm)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_task_submit, lib.comch.task.submit)
RTE_TRACE_POINT_REGISTER(rte_comch_trace_msg_recv, lib.comch.msg.recv)
