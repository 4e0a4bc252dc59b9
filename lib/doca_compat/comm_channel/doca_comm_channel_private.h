/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMM_CHANNEL_PRIVATE_H
#define DOCA_COMM_CHANNEL_PRIVATE_H

/*
 * What the files of endpoints share: endpoints, peers, and the queues between them and
 * rte_comch. Not installed, and not exported. An endpoint has an engine of its own.
 *
 * Threads: whoever calls holds the lock of the endpoint, in which all callbacks of
 * rte_comch run. One thread of the layer serves event channels and the sockets of devices
 * with services. It takes its own lock and that of an endpoint one after the other; others
 * may hold that of an endpoint when they add something to the thread, and may not when they
 * take it away.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include <doca_comm_channel.h>
#include <doca_dev_private.h>
#include <doca_log.h>
#include <doca_private.h>

/* Bytes that a connection has for messages on their way, in each direction. */
#define CC_RING_BYTES (256u << 10)
/* Connections that a client can look back at. */
#define CC_CLIENT_PEERS 16
/* Milliseconds in which somebody who serves a function is seen. */
#define CC_LINK_MS 500
/* Milliseconds in which a service that is there accepts or refuses, if it turns. */
#define CC_ANSWER_MS 50
/* Milliseconds without a delivery after which undelivered messages are given up. */
#define CC_FLUSH_MS 1000
/* And in all, for a peer that takes one now and then. */
#define CC_FLUSH_MAX_MS 10000
/* Milliseconds in which an end that was begun is over: rte_comch_ctx_stop() says more. */
#define CC_END_MS 12000

#define CC_LOG(level, ...) \
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_##level, "COMM_CHANNEL", __VA_ARGS__)

/* Each is on the list of the endpoint that has its state. */
enum cc_peer_state {
	CC_PEER_FREE = 0,
	CC_PEER_CONNECTING, /* a client: the service has not answered */
	CC_PEER_PENDING,    /* a service: connected, recvfrom has not taken it up */
	CC_PEER_UP,
	CC_PEER_ENDED,      /* recvfrom will tell of it */
	CC_PEER_OVER,       /* it has, or the connection never was */
};

struct cc_counters {
	uint64_t tx_msgs;
	uint64_t tx_bytes;
	uint64_t rx_msgs;
	uint64_t rx_bytes;
	uint64_t in_flight;
};

/* A place for a copy of a message that is on its way. */
struct cc_slot {
	struct doca_comm_channel_addr_t *peer;
	uint32_t gen; /* of the peer */
	bool own;     /* the peer's own one */
	uint8_t *data; /* NULL before it is used first */
};

/* A peer address. Its memory stays until the end of the endpoint, and is used again. */
struct doca_comm_channel_addr_t {
	struct doca_comm_channel_ep_t *ep;
	struct rte_comch_conn *conn; /* or NULL */
	enum cc_peer_state state;
	uint32_t gen; /* counts uses of this memory */
	bool shown;   /* the program knows it */
	bool closing; /* disconnect waits for it */
	uint64_t user_data;
	uint64_t end_seq; /* its end comes behind so many messages of the endpoint */
	struct cc_counters now;
	struct cc_counters seen; /* as of the last update */
	struct cc_slot own;      /* so that other peers do not keep it from sending */
	bool own_busy;
	TAILQ_ENTRY(doca_comm_channel_addr_t) next;
};

TAILQ_HEAD(cc_peers, doca_comm_channel_addr_t);

/* Messages that wait for recvfrom: records one behind the other in a ring of bytes. */
struct cc_rx {
	uint8_t *ring;
	size_t size;
	size_t head; /* oldest record */
	size_t tail;
	size_t used;
	uint64_t nb_put; /* messages in all */
	uint64_t nb_got;
	uint32_t max_nb;
	bool held; /* the connections keep what comes */
	bool told; /* the log has that the oldest one does not fit */
};

struct cc_tx {
	struct cc_slot *slots;
	struct cc_slot **idle; /* the last one is the next */
	uint32_t nb_slots;
	uint32_t nb_idle;
};

enum cc_role {
	CC_ROLE_NONE = 0, /* can be configured */
	CC_ROLE_SERVICE,
	CC_ROLE_CLIENT,
};

enum cc_channel_type {
	CC_CHANNEL_SEND = 0,
	CC_CHANNEL_RECV,
	CC_CHANNEL_SERVICE,
	CC_CHANNELS,
};

struct cc_channel {
	int fd; /* -1 before it is asked for */
	bool armed;
	bool event; /* one has happened that was not told */
};

struct cc_limits {
	uint32_t msg_size;
	uint32_t send_queue;
	uint32_t recv_queue;
	uint32_t nb_conns;
	bool serves; /* it can have services */
};

/* What the thread looks after: an endpoint, or a device with services. */
struct cc_watch {
	void (*turn)(struct cc_watch *watch); /* in the thread, without a lock */
	int fd;  /* -1: none yet */
	bool on; /* the thread looks after it */
	TAILQ_ENTRY(cc_watch) next;
};

struct service_listener;

struct doca_comm_channel_ep_t {
	pthread_mutex_t lock;
	struct cc_watch watch;
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	uint16_t max_msg_size;
	uint16_t send_queue;
	uint16_t recv_queue;

	enum cc_role role;
	bool failed; /* a service that has ended by itself */
	char name[RTE_COMCH_NAME_SIZE];
	int16_t dev_id;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct service_listener *listener;
	struct doca_comm_channel_addr_t *client; /* its connection, until disconnect */
	uint64_t link_ms; /* when a client last saw that its function is served */
	bool watched;     /* the thread looks after it */
	bool asleep;      /* and takes what comes */

	struct doca_comm_channel_addr_t *peers;
	uint32_t nb_peers;
	struct cc_peers up; /* CONNECTING, PENDING, UP */
	struct cc_peers ended;
	struct cc_peers over;
	struct cc_peers unused;
	uint32_t nb_up;
	uint32_t nb_pending;

	struct cc_rx rx;
	struct cc_tx tx;
	uint32_t nb_in_flight;
	uint64_t nb_sent; /* that were delivered or have failed */

	struct cc_channel channels[CC_CHANNELS];

	struct doca_comm_channel_addr_t **list; /* of the last state update */
	uint32_t list_len;
	uint32_t list_pending;
};

/* What only looks at an endpoint takes its lock, too: the lock is no part of its state. */
static inline void
cc_lock_get(const struct doca_comm_channel_ep_t *ep)
{
	doca_lock((pthread_mutex_t *)(uintptr_t)&ep->lock);
}

static inline void
cc_unlock_get(const struct doca_comm_channel_ep_t *ep)
{
	doca_unlock((pthread_mutex_t *)(uintptr_t)&ep->lock);
}

/* doca_comm_channel_ep.c */
/* What the device of an endpoint takes; with an error, properties are above that. */
doca_error_t cc_limits_get(const struct doca_comm_channel_ep_t *ep, struct cc_limits *limits);

/* doca_comm_channel_conn.c */
void cc_close(struct doca_comm_channel_ep_t *ep);
/* A client that is not connected: give up if nobody serves its function any more. */
void cc_client_look(struct doca_comm_channel_ep_t *ep);

/* doca_comm_channel_msg.c */
doca_error_t cc_queues_create(struct doca_comm_channel_ep_t *ep, uint32_t nb_tasks);
void cc_queues_free(struct doca_comm_channel_ep_t *ep);
void cc_send_cb(struct rte_comch_task *task, int status, void *user_data);
void cc_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data);
/* Wait until nothing of a peer, or of all, is on its way; others get the lock meanwhile. */
void cc_flush(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer);

/* doca_comm_channel_peer.c */
doca_error_t cc_peers_create(struct doca_comm_channel_ep_t *ep, uint32_t nb);
void cc_peers_free(struct doca_comm_channel_ep_t *ep);
struct doca_comm_channel_addr_t *cc_peer_new(struct doca_comm_channel_ep_t *ep,
		enum cc_peer_state state);
void cc_peer_accept(struct doca_comm_channel_ep_t *ep);
void cc_peer_up(struct doca_comm_channel_addr_t *peer);
/* The program knows of its end. */
void cc_peer_over(struct doca_comm_channel_addr_t *peer);
void cc_peer_end(struct doca_comm_channel_addr_t *peer, enum cc_peer_state state);
void cc_peer_free(struct doca_comm_channel_addr_t *peer);
bool cc_peer_is_of(const struct doca_comm_channel_ep_t *ep,
		const struct doca_comm_channel_addr_t *peer);

/* doca_comm_channel_event.c */
/* Handle what has come, and tell of it by the channels that are armed. */
int cc_turn(struct doca_comm_channel_ep_t *ep);
/* Have the thread take what comes: so messages of several peers are queued as they arrive. */
void cc_sleep(struct doca_comm_channel_ep_t *ep);
void cc_event(struct doca_comm_channel_ep_t *ep, enum cc_channel_type type);
void cc_channels_init(struct doca_comm_channel_ep_t *ep);
/* The endpoint has an engine from now on. */
void cc_channels_engine(struct doca_comm_channel_ep_t *ep);
void cc_channels_arm_service(struct doca_comm_channel_ep_t *ep);
void cc_channels_close(struct doca_comm_channel_ep_t *ep);

/* doca_comm_channel_thread.c */
/* DOCA_ERROR_NOT_FOUND: no descriptor or no thread for it. */
doca_error_t cc_watch_add(struct cc_watch *watch);
/* Without what its turn() locks. */
void cc_watch_del(struct cc_watch *watch);
doca_error_t service_listener_open(int16_t dev_id, struct service_listener **listener);
void service_listener_close(struct service_listener *listener);

/* Milliseconds of a clock that only goes forwards. */
uint64_t cc_now_ms(void);
/* A moment, in which other processes run. */
void cc_pause(void);

#endif /* DOCA_COMM_CHANNEL_PRIVATE_H */
