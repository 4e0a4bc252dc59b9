/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer chan: control connections, as layer fast and the device see them. The insides are
 * in bluefield_chan_priv.h.
 *
 * Threads. A connection belongs to the thread of its poll group. Its queue pair is made,
 * changed and destroyed in the device's worker (bluefield_job.c), and there the connection manager
 * calls; what the worker learns goes to the poll group as an event.
 */

#ifndef BLUEFIELD_CHAN_H
#define BLUEFIELD_CHAN_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch_pmd.h>

#include "bluefield_dev.h"
#include "bluefield_wire.h"

struct bf_fast;

/*
 * What layer fast may read of a connection. It stays as long as they have a
 * reference, bf_chan_ref().
 */
struct bf_chan {
	struct bf_dev *dev;
	struct bf_group *group;      /* in the thread of the connection */
	struct rte_comch_conn *conn; /* in the thread of the connection; NULL after its end */
	/* For bf_dev_path(), whose MTU is mtu then. They do not change once it is up. */
	struct bf_cm_addr peer;
	uint8_t mtu;
	uint16_t rep_id;             /* of the peer's function; 0 if it is the card */
	/* Of layer fast, with its own rules; NULL until it writes something else. */
	struct bf_fast *fast;
};

/*
 * What the driver has in a connection of the library (dev->conn_priv_size). It is there as
 * long as the connection: so in threads that have only a reference to that, too.
 */
struct bf_conn {
	/* NULL after the end. Other threads than the connection's: under bf_chan_lock(). */
	struct bf_chan *chan;
	struct bf_dev *dev;  /* NULL until it is attached */
	uint32_t rx_waiting; /* messages that have come and were not handed up; atomic */
};

/* In the thread of the connection. */
static inline struct bf_chan *
bf_chan_of(const struct rte_comch_conn *conn)
{
	return ((struct bf_conn *)conn->priv)->chan;
}

/*
 * For fast
 */

/*
 * Keep the connection of a bf_conn from being freed, and from its end, until it is unlocked;
 * short, no command, no upcall. NULL after its end. Any thread.
 */
struct bf_chan *bf_chan_lock(struct bf_dev *dev, const struct rte_comch_conn *conn);
void bf_chan_unlock(struct bf_dev *dev);

/* The memory stays until the last reference is dropped. Any thread, no lock of chan. */
void bf_chan_ref(struct bf_chan *chan);
void bf_chan_unref(struct bf_chan *chan);

/*
 * Send a control message (types from BF_WIRE_CONSUMER_NEW on, len as bf_wire_ctl_len() says).
 * In the order of the calls. Any thread, with or without locks of fast, inside ctl_came
 * as well; not between bf_chan_lock() and unlock. 0, -ENOTCONN the connection is over,
 * -ENOBUFS the peer takes too few of them, -ENOMEM.
 */
int bf_chan_ctl(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len);
/* The same of what the peer waits for: without it, the connection ends. */
void bf_chan_answer(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len);

/*
 * The peer has broken the protocol: log what and two values, and end the connection with
 * -EPROTO. Any thread, no lock of chan; it happens later, in the connection's thread.
 */
void bf_chan_violation(struct bf_chan *chan, const char *what, uint64_t a, uint64_t b);

/* The same for the counter and the log, where the end follows by itself. Any thread. */
void bf_chan_violated(const struct bf_chan *chan, const char *what, uint64_t a, uint64_t b);

/*
 * May one more line be logged of what a peer does? It can do it again and again, also on a
 * new connection each time: so there are a number in each minute. Any thread.
 */
bool bf_peer_log_allowed(const struct bf_dev *dev, uint16_t rep_id);

/* The peer is lost, as a queue pair of fast has found out. As above, with this reason. */
void bf_chan_lost(struct bf_chan *chan, int reason);

/*
 * For the device
 */

/* What chan has in devices and poll groups. */
extern const struct bf_part bf_chan_part;

/* Host processes that have a connection to a function, of which each has one at most. */
uint32_t bf_chan_links(const struct bf_dev *dev, uint16_t rep_id);

/* Operations of the library. */
int bf_listen(struct rte_comch_ctrl *server);
int bf_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending);
int bf_connect(struct rte_comch_ctrl *client);
int bf_connect_cancel(struct rte_comch_ctrl *client, int reason,
		struct rte_comch_pmd_ending *ending);
int bf_conn_send(struct rte_comch_conn *conn, const void *data, uint32_t len, bool more,
		uint32_t *seq);
int bf_conn_close(struct rte_comch_conn *conn, int reason, struct rte_comch_pmd_ending *ending);
uint32_t bf_conn_rx_count(const struct rte_comch_conn *conn);
void bf_conn_rx_resume(struct rte_comch_conn *conn);

#endif
