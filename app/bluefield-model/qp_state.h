/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The state machine of queue pairs, for cmd_qp.c. */

#ifndef BFM_QP_STATE_H
#define BFM_QP_STATE_H

#include "queue.h"

/* Opcodes of the commands that change a state. */
enum {
	BFM_OP_RST2INIT = 0x502,
	BFM_OP_INIT2RTR = 0x503,
	BFM_OP_RTR2RTS = 0x504,
	BFM_OP_RTS2RTS = 0x505,
	BFM_OP_SQERR2RTS = 0x506,
	BFM_OP_2ERR = 0x507,
	BFM_OP_2RST = 0x50a,
	BFM_OP_INIT2INIT = 0x50e,
};

const char *bfm_qp_state_name(enum bfm_qp_state state);
const char *bfm_service_name(enum bfm_service st);
/* As CREATE_QP leaves it: nothing of a connection. */
void bfm_qp_reset(struct bfm_qp *qp);
/* The transition of the command's opcode; ctx is NULL for 2ERR and 2RST. */
enum bfm_status bfm_qp_move(struct bfm_cmd *c, struct bfm_qp *qp, const uint8_t *ctx,
		uint32_t opt_mask);

#endif
