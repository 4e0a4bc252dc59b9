/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_PRIVATE_H
#define DOCA_COMCH_PRIVATE_H

/*
 * What the files of libdoca_comch share: connections. Not installed, and exported by no
 * version map. What servers and clients share is in doca_comch_ctrl_private.h, consumers
 * and producers have files of their own.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include <doca_comch.h>
#include <doca_ctx_private.h>
#include <doca_dev_private.h>

/*
 * A connection. Its memory stays for a while after its end, so that what a program does
 * with one that has just ended is an error and no crash.
 */
struct doca_comch_connection {
	struct rte_comch_conn *rte; /* with a reference; also after the end */
	struct doca_ctx *ctx;       /* server or client; only to be compared in other threads */
	struct doca_compat_func *func; /* of its server or client */
	int16_t dev_id;             /* device of rte_comch that carries it */
	bool server;                /* ctx is a server */
	bool connected;
	union doca_data user_data;
	struct rte_comch_conn_stats stats; /* as doca_comch_connection_update_info() found them */
	TAILQ_ENTRY(doca_comch_connection) next; /* of those that have ended */
};

#endif /* DOCA_COMCH_PRIVATE_H */
