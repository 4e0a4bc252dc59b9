/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer cm: connections of the InfiniBand connection manager (IB-CM) between two
 * functions, by the RDMA IP CM service, as Linux speaks it. It finds the other side and
 * agrees on two queue pairs with it. It owns no queue pair of a connection, and knows
 * neither the library nor what goes over a connection.
 *
 *   active side                               passive side
 *   bf_cm_connect()        -- REQ -->         conf.req_cb: BF_CM_REQ
 *                                             queue pair to RTR, RTS (bf_cm_path())
 *   BF_CM_REP              <-- REP --         bf_cm_accept()
 *   queue pair to RTR, RTS (bf_cm_path())
 *   bf_cm_rtu()            -- RTU -->         BF_CM_RTU
 *   ...
 *   queue pair to ERROR
 *   bf_cm_disconnect()     -- DREQ -->        BF_CM_DREQ
 *                                             queue pair to ERROR
 *                          <-- DREP --        bf_cm_disconnect()
 *   BF_CM_ENDED                               BF_CM_ENDED, after the time of packets that
 *                                             are still under way: the queue pairs may go
 *
 * Either side may disconnect, also both at once. Before that it is bf_cm_reject(), and
 * BF_CM_FAILED at the other side. Messages get lost, doubled and reordered: the layer
 * repeats them, answers those of the other side again, and ends in bounded time.
 *
 * An id is the user's until bf_cm_release(), whatever happened to it. After BF_CM_FAILED
 * and BF_CM_ENDED no event of it follows. The release may come at any time: what is owed
 * to the other side is done without the user from then on (REJ, DREQ, DREP), and the id's
 * numbers stay in use for as long as old messages may name them.
 *
 * Nothing that arrives is trusted. The sender is who the packet is from, and its messages
 * have to agree: the switch between the functions lets nobody forge that. Numbers of
 * others only find ids of the same sender. What one sender can have is bounded.
 *
 * Threads: any, not the interrupt thread; poll, deadline and destroy are one thread's at
 * a time, the worker's. Callbacks come in bf_cm_poll(), with no lock held, and may call
 * everything here but poll and destroy.
 */

#ifndef BLUEFIELD_CM_H
#define BLUEFIELD_CM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "bluefield_obj.h"

/* Private data of the messages, in bytes. An event has all of it, zeroed behind what was sent. */
#define BF_CM_REQ_PRIV 56
#define BF_CM_REP_PRIV 196
#define BF_CM_REJ_PRIV 148

/*
 * Service of this driver: the RDMA IP CM service (0x01), port space TCP (0x06), and a port
 * that is fixed.
 */
#define BF_CM_PORT 0xc0c4u
#define BF_CM_SERVICE_ID (0x0000000001060000ull | BF_CM_PORT)

struct bf_cm;
struct bf_cm_id;

/* Where a function is. The GID is of the RoCE version 2 entry: fe80::EUI-64, or mapped IPv4. */
struct bf_cm_addr {
	uint8_t mac[6];
	uint8_t gid[16];
};

/* For the log. */
#define BF_MAC_FMT "%02x:%02x:%02x:%02x:%02x:%02x"
#define BF_MAC_ARGS(m) (m)[0], (m)[1], (m)[2], (m)[3], (m)[4], (m)[5]

/*
 * What a REQ or a REP says of its sender's queue pair. A member that the message does not
 * have is not read from own, and is 0 in an event.
 */
struct bf_cm_qp {
	uint32_t qpn;           /* 24 bits */
	uint32_t psn;           /* 24 bits, random: where the other side begins to send */
	uint8_t rnr_retry;      /* for the other side's queue pair; 7: for ever */
	uint8_t mtu;            /* REQ: of the path, as in struct bf_qp_path, for both */
	uint8_t retry_count;    /* REQ: for both queue pairs; 7 at most */
	uint8_t ack_timeout;    /* REQ: for both, code as in struct bf_qp_path; not 0 */
	bool srq;               /* it has a shared receive queue */
};

enum bf_cm_event_type {
	BF_CM_REQ,    /* to conf.req_cb: accept or reject it, and release it */
	BF_CM_REP,    /* bring the queue pair up and bf_cm_rtu(), or reject it */
	BF_CM_RTU,    /* the other side is ready */
	/* There is no connection, and never was: status says why. */
	BF_CM_FAILED,
	/*
	 * The other side has ended the connection, or sent what makes it void: status is
	 * the reason that it gave, or 0. Owed: queue pair to ERROR, bf_cm_disconnect().
	 */
	BF_CM_DREQ,
	/* Nothing of the connection is under way any more: the queue pair may be destroyed. */
	BF_CM_ENDED,
	BF_NB_CM_EVENTS,
};

/* Valid until the callback returns. */
struct bf_cm_event {
	enum bf_cm_event_type type;
	/*
	 * FAILED: -ETIMEDOUT nobody answered; -ECONNREFUSED the application there refused,
	 * its words are in priv; -ENOENT nothing listens there; else as
	 * bf_cm_reason_errno() has it. ENDED: -ETIMEDOUT if no DREP came, else 0.
	 */
	int status;
	uint8_t reason;         /* FAILED: number in the REJ, 0: there was none */
	struct bf_cm_addr from; /* as the packet says, and the message */
	struct bf_cm_qp qp;     /* REQ, REP */
	const void *priv;       /* REQ, REP, FAILED by a REJ; else NULL */
	size_t len;             /* of it */
};

typedef void (*bf_cm_cb_t)(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);

/* Begins with bf_cm_conf_init(). */
struct bf_cm_conf {
	const char *name;       /* of the device, for messages; it stays */
	struct bf_cm_addr own;
	uint16_t addr_index;    /* of own, in the function's address table */
	/*
	 * The MAC of another function by its mapped IPv4 address; false: nobody has that. Only
	 * if own is IPv4. NULL: nobody has any. In the worker, which holds the lock of
	 * connection management: no bf_cm_*() there.
	 */
	bool (*ip4_mac)(void *arg, const uint8_t gid[16], uint8_t mac[6]);
	/* Unique for each function that others talk to; default: the MAC as EUI-64. */
	uint64_t guid;
	uint64_t service_id;    /* default: BF_CM_SERVICE_ID */
	/* A REQ for that service. NULL: nobody listens, and it is answered so. */
	bf_cm_cb_t req_cb;
	void *arg;
	/* bf_cm_deadline() has become earlier. Any thread, locks held. NULL: not wanted */
	void (*wake)(void *arg);
	/* ids, those too that were released and have not ended */
	uint32_t max_ids;       /* in all, a power of two up to 65536; default 4096 */
	uint32_t max_peer_ids;  /* of one other function; default 1024 */
	/* of those, from its REQ to its RTU, or to the release if that comes to nothing */
	uint32_t max_half_open; /* default 64 */
	/* ms; what is told to the other side is the next code of 4.096 us << n */
	uint32_t req_ms;        /* between two REQs, and what is asked of REPs; default 256 */
	uint32_t rep_max_ms;    /* between two REPs at most, whatever was asked; default 1000 */
	uint32_t dreq_ms;       /* between two DREQs; default 256 */
	uint32_t wait_ms;       /* of an end, for packets under way; default 500 */
	uint8_t retries;        /* of REQ, REP and DREQ, and what is asked for; default 15 */
	uint8_t dreq_retries;   /* default 7 */
};

/* Counts, for telemetry, dump and tests. A message is one of attribute ids 0x10 to 0x1a. */
#define BF_CM_NB_MSGS 11
struct bf_cm_stats {
	uint64_t tx[BF_CM_NB_MSGS];   /* messages, by attribute id - 0x10 */
	uint64_t rx[BF_CM_NB_MSGS];
	uint64_t tx_errors;     /* could not be sent */
	uint64_t retries;       /* sent once more by the clock */
	uint64_t duplicates;    /* arrived once more */
	uint64_t timeouts;      /* nobody answered */
	uint64_t stale;         /* connections of a life before */
	uint64_t bad_mad;       /* dropped: no message of IB-CM */
	uint64_t bad_from;      /* dropped: not from who the message says, or from nobody we know */
	uint64_t bad_msg;       /* dropped or refused: a field that may not be */
	uint64_t no_id;         /* dropped: for none of our ids */
	uint64_t no_room;       /* REQs dropped: the sender, or all, have too many ids */
	uint32_t ids;           /* now */
	uint32_t half_open;     /* of those, from REQ to RTU */
};

/* Fill in the defaults. */
void bf_cm_conf_init(struct bf_cm_conf *conf);

/*
 * On queue pair 1 of a function whose objects are ours, which nobody else has. The
 * address is in the table. The completion queue is on the function's event queue: an
 * event of it, or anything that wakes the caller, is followed by bf_cm_poll().
 * 0 or a negative errno, logged: as of objects; -EINVAL.
 */
int bf_cm_create(struct bf_obj_dev *dev, struct bf_pd *pd, struct bf_uar *uar,
	const struct bf_cm_conf *conf, struct bf_cm **cm);

/*
 * All ids were released; what they still owed to others is sent once more, and not
 * waited for. Works after a failure of the device. NULL is nothing.
 */
void bf_cm_destroy(struct bf_cm *cm);

/*
 * Send a REQ until it is answered, or for timeout_ms, whatever the other side wants:
 * BF_CM_REP or BF_CM_FAILED follows. len: up to BF_CM_REQ_PRIV.
 * -EINVAL; -ENOSPC too many ids; -ENOMEM. The id is written before a callback can come.
 */
int bf_cm_connect(struct bf_cm *cm, const struct bf_cm_addr *to, const struct bf_cm_qp *own,
	const void *priv, size_t len, uint32_t timeout_ms, bf_cm_cb_t cb, void *arg,
	struct bf_cm_id **id);

/*
 * Answer BF_CM_REQ with a REP: the queue pair is in RTS. BF_CM_RTU or BF_CM_FAILED follows.
 * len: up to BF_CM_REP_PRIV. -EINVAL; -ECONNRESET: the other side has given up meanwhile,
 * no event follows, release it.
 */
int bf_cm_accept(struct bf_cm_id *id, const struct bf_cm_qp *own, const void *priv, size_t len,
	bf_cm_cb_t cb, void *arg);

/*
 * Refuse a REQ or a REP; no event follows, release it. With private data the other side
 * sees -ECONNREFUSED and the data, up to BF_CM_REJ_PRIV bytes; without, reason goes through
 * bf_cm_errno_reason(). -ECONNRESET as above.
 */
int bf_cm_reject(struct bf_cm_id *id, int reason, const void *priv, size_t len);

/*
 * After BF_CM_REP: the queue pair is in RTS. It may send at once. -ECONNRESET: the other
 * side has ended it meanwhile, and its event has come or comes.
 */
int bf_cm_rtu(struct bf_cm_id *id);

/*
 * A message has arrived on the connection before the RTU has: that will not be repeated
 * then. No event. Any state.
 */
void bf_cm_established(struct bf_cm_id *id);

/*
 * End a connection, or answer BF_CM_DREQ; BF_CM_ENDED follows. The queue pair is in ERROR.
 * reason, a negative errno or 0, is the status of the other side's BF_CM_DREQ where that
 * is of this driver. -ENOTCONN: there is none; -EALREADY.
 */
int bf_cm_disconnect(struct bf_cm_id *id, int reason);

/*
 * The id is not the user's any more, and has no callback: one that runs in another thread
 * is waited for, so hold no lock that it takes. NULL is nothing.
 */
void bf_cm_release(struct bf_cm_id *id);

/*
 * What the handshake says of the path: the way to the peer, both numbers of packets, MTU,
 * retries, UDP source port. After BF_CM_REQ or BF_CM_REP; own as in accept or connect.
 * min_rnr_nak and loopback stay as they were.
 */
void bf_cm_path(const struct bf_cm_id *id, const struct bf_cm_qp *own, struct bf_qp_path *path);

/*
 * The UDP source port of a path, as RoCE has it for flow labels, and for connections that
 * have none (0), so that paths of several queue pairs spread.
 */
uint16_t bf_cm_udp_sport(uint32_t flow_label, uint32_t qpn, uint32_t remote_qpn);

/* Handle what has arrived and what is due. In the worker, whenever that was woken. */
void bf_cm_poll(struct bf_cm *cm);
/* When to poll next at the latest, ms of bf_now_ms(); UINT64_MAX: when woken. */
uint64_t bf_cm_deadline(struct bf_cm *cm);

void bf_cm_stats(struct bf_cm *cm, struct bf_cm_stats *stats);
void bf_cm_dump(struct bf_cm *cm, FILE *f);

/* What a REJ's reason is here, a negative errno; and which reason an errno is sent as. */
int bf_cm_reason_errno(uint8_t reason);
uint8_t bf_cm_errno_reason(int err);
/* For people: "bad service id". */
const char *bf_cm_reason_text(uint8_t reason);

/* The address of a function by its MAC: the GID is fe80::EUI-64. */
void bf_cm_addr_of_mac(const uint8_t mac[6], struct bf_cm_addr *addr);
/* The MAC in a GID that is fe80::EUI-64; false: it is not such a GID. */
bool bf_cm_gid_mac(const uint8_t gid[16], uint8_t mac[6]);
/* Its GID becomes that of an IPv4 address, in network order: ::ffff:a.b.c.d. */
void bf_cm_addr_set_ip4(struct bf_cm_addr *addr, const uint8_t ip[4]);
/* The four bytes of such a GID, or NULL: it is another one. */
const uint8_t *bf_cm_gid_ip4(const uint8_t gid[16]);

#endif
