/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_TRACE_H
#define RTE_COMCH_TRACE_H

/**
 * @file
 *
 * @internal
 * Trace points of the comch library, lib.comch.*. Internal, and not installed, as
 * they are emitted by the library's own files and by no inline function of its
 * headers: their symbols are not exported. Those of the message path are
 * fast-path points, which DPDK compiles in only with enable_trace_fp.
 */

#include <rte_trace_point.h>

#ifdef __cplusplus
extern "C" {
#endif

RTE_TRACE_POINT(
	rte_comch_trace_dev_ready,
	RTE_TRACE_POINT_ARGS(int16_t dev_id, const char *name),
	rte_trace_point_emit_i16(dev_id);
	rte_trace_point_emit_string(name);
)

RTE_TRACE_POINT(
	rte_comch_trace_dev_release,
	RTE_TRACE_POINT_ARGS(int16_t dev_id),
	rte_trace_point_emit_i16(dev_id);
)

RTE_TRACE_POINT(
	rte_comch_trace_ctx_state,
	RTE_TRACE_POINT_ARGS(const void *ctx, int prev, int next, int reason),
	rte_trace_point_emit_ptr(ctx);
	rte_trace_point_emit_int(prev);
	rte_trace_point_emit_int(next);
	rte_trace_point_emit_int(reason);
)

RTE_TRACE_POINT(
	rte_comch_trace_conn_up,
	RTE_TRACE_POINT_ARGS(const void *conn, uint32_t id, uint32_t peer_pid),
	rte_trace_point_emit_ptr(conn);
	rte_trace_point_emit_u32(id);
	rte_trace_point_emit_u32(peer_pid);
)

RTE_TRACE_POINT(
	rte_comch_trace_conn_down,
	RTE_TRACE_POINT_ARGS(const void *conn, uint32_t id, int reason),
	rte_trace_point_emit_ptr(conn);
	rte_trace_point_emit_u32(id);
	rte_trace_point_emit_int(reason);
)

RTE_TRACE_POINT(
	rte_comch_trace_pe_arm,
	RTE_TRACE_POINT_ARGS(const void *pe, int ret),
	rte_trace_point_emit_ptr(pe);
	rte_trace_point_emit_int(ret);
)

RTE_TRACE_POINT_FP(
	rte_comch_trace_task_submit,
	RTE_TRACE_POINT_ARGS(const void *task, uint32_t len),
	rte_trace_point_emit_ptr(task);
	rte_trace_point_emit_u32(len);
)

RTE_TRACE_POINT_FP(
	rte_comch_trace_msg_recv,
	RTE_TRACE_POINT_ARGS(const void *conn, uint32_t len),
	rte_trace_point_emit_ptr(conn);
	rte_trace_point_emit_u32(len);
)

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_TRACE_H */
