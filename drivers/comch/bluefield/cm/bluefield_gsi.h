/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The port of connection management on a function that is ours: its queue pair 1. It
 * carries messages, and says who sent them; what is in them it does not look at.
 *
 * It is made of objects (bluefield_obj.h) and of the data path on them
 * (bluefield_wq.h). A datagram that does not fit, cannot be read, or is from nobody is
 * dropped. If the queue pair fails it is reset, which others do not notice but by
 * messages that get lost.
 */

#ifndef BLUEFIELD_GSI_H
#define BLUEFIELD_GSI_H

#include "bluefield_cm_priv.h"
#include "bluefield_wq.h"

/* Datagrams that may be under way in either direction: more get lost. */
#define BF_GSI_DEPTH 64u
/*
 * Of a receive buffer: the header with the addresses, and the longest datagram that a
 * port can be set up for, although a message has 256 bytes: one that does not fit
 * would stop the queue pair, and with it the connections of everybody.
 */
#define BF_GSI_GRH 40u
#define BF_GSI_RECV (BF_GSI_GRH + 4096u)
#define BF_GSI_STRIDE 4160u
/* Requests: control, address vector, one piece of memory, in blocks of 64 bytes. */
#define BF_GSI_BLOCKS 2u

struct bf_gsi {
	struct bf_cm_port port;
	const char *name;       /* of the device */
	uint16_t addr_index;
	struct bf_cq cq;
	struct bf_qp qp;
	struct bf_mkey mkey;
	struct bf_obj_mem *mem; /* receive buffers, then messages to be sent */
	struct bf_compq compq;
	struct bf_sendq sendq;
	struct bf_recvq recvq;
	bool armed;             /* an event comes with the next completion */
	bool broken;
	bool told;              /* that it stays so */
	uint64_t retry_ms;      /* broken: when it is reset at the earliest */
	uint64_t resets;
	uint64_t dropped;       /* not for queue pair 1, or not of a size */
};

/*
 * The address is in the function's table. Objects outlive the port. 0 or a negative
 * errno, logged.
 */
int bf_gsi_open(struct bf_obj_dev *dev, const struct bf_pd *pd, const struct bf_uar *uar,
	uint16_t addr_index, struct bf_cm_port **port);

#endif
