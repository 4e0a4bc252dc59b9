/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_FP_SERVER_H
#define TEST_COMCH_FP_SERVER_H

/* The server's end of runs of the fast path, between its sessions and fp.h. */

#include "fp.h"
#include "peer.h"

/* An end that may outlive its run, because it takes a while to stop. */
struct srv_fp {
	struct fp *fp;
	struct srv_run *run;   /* NULL once the run is over */
	bool told;             /* the client has its READY */
	int error;
	char text[FP_TEXT];
	TAILQ_ENTRY(srv_fp) next;
};

/* Check what a client asks for, and make an end; why says what is wrong with it. */
int srv_fp_create(struct srv_run *run, const struct peer_start *msg,
		const struct rte_comch_dev_info *info, struct rte_comch_pe *pe, int16_t dev_id,
		bool loopback, char why[FP_TEXT], struct srv_fp **out);

/* A connection has joined the run; with the last one it starts. */
void srv_fp_join(struct srv_fp *f, struct srv_conn *sc);

/* Now and then: go when all are ready, and tell the client. */
void srv_fp_check(struct srv_fp *f);

/* Free it, when fp_stopped() or when there is no time left. */
void srv_fp_free(struct srv_fp *f);

#endif /* TEST_COMCH_FP_SERVER_H */
