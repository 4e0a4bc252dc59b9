/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef NET_COMCH_H
#define NET_COMCH_H

/*
 * A port of ethdev whose queues are producers and consumers of a comch device: what its
 * files share.
 *
 * Threads. The connection of a port, and what is set up on it, belong to one control thread
 * of the process. A queue belongs to whoever bursts while the port is up. Its gate hands it
 * over: the control thread opens it when the queue is ready, and closes it before it touches
 * the queue again, without ever waiting for a burst.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <ethdev_driver.h>
#include <rte_comch.h>
#include <rte_comch_meta.h>
#include <rte_ether.h>
#include <rte_log.h>
#include <rte_mempool.h>

#include "net_comch_wire.h"

extern int net_comch_logtype;
#define NC_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_ ## level, net_comch_logtype, "NET_COMCH: " fmt "\n", ## __VA_ARGS__)

/* Bytes of a frame that are no payload: an Ethernet header with two VLAN tags. */
#define NC_OVERHEAD (RTE_ETHER_HDR_LEN + 2 * 4u)
#define NC_MAX_MTU (UINT16_MAX - NC_OVERHEAD)
/* With an engine each, they and one more are what driver shm has engines for. */
#define NC_OFFERED_QUEUES 15u
#define NC_MIN_DESC 32u
#define NC_MAX_DESC 4096u
#define NC_NAME_SIZE 64
/* Segments of a packet that each driver takes; that of BlueField, no more. */
#define NC_MAX_SEGS 59u
/* Mbufs that a receive queue has at hand, and messages that it takes in one go. */
#define NC_SPARE 32u

/* Who has a queue: a burst while busy, if it found the context; else the control thread. */
struct nc_gate {
	struct rte_comch_ctx *ctx; /* NULL: closed */
	uint32_t busy;
};

static inline struct rte_comch_ctx *
nc_gate_enter(struct nc_gate *gate)
{
	/* G: a total order with nc_gate_close() and nc_gate_is_free(); a fence in x86's xchg */
	__atomic_exchange_n(&gate->busy, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&gate->ctx, __ATOMIC_SEQ_CST);
}

static inline void
nc_gate_leave(struct nc_gate *gate)
{
	/* L: pairs with the load in nc_gate_is_free() */
	__atomic_store_n(&gate->busy, 0, __ATOMIC_RELEASE);
}

static inline void
nc_gate_open(struct nc_gate *gate, struct rte_comch_ctx *ctx)
{
	__atomic_store_n(&gate->ctx, ctx, __ATOMIC_SEQ_CST);
}

static inline void
nc_gate_close(struct nc_gate *gate)
{
	__atomic_store_n(&gate->ctx, NULL, __ATOMIC_SEQ_CST);
}

/* After nc_gate_close(): no burst is in the queue, and none comes. */
static inline bool
nc_gate_is_free(struct nc_gate *gate)
{
	return __atomic_load_n(&gate->busy, __ATOMIC_SEQ_CST) == 0;
}

/* What both kinds of queues have. */
struct nc_queue {
	struct nc_gate gate;
	struct nc_port *port;
	struct rte_comch_pe *pe;
	uint32_t turns;            /* bursts since the engine turned */
	uint64_t pkts;
	uint64_t bytes;
	uint64_t errors;           /* packets that cannot be sent, or messages that are none */
	/* set-up */
	struct rte_comch_ctx *ctx; /* NULL while there is no connection */
	uint16_t id;
	uint16_t nb_desc;
	bool started;
} __rte_cache_aligned;

struct nc_rxq {
	struct nc_queue q;         /* first */
	struct rte_mempool *pool;  /* where packets go */
	uint64_t no_mbuf;
	uint16_t port_id;
	uint16_t nb_spare;
	bool scatter;              /* a packet may have several mbufs */
	bool direct;               /* the peer writes into mbufs of the pool; no frames */
	uint64_t cksum;            /* offloads that check one, or 0 */
	uint64_t offloads;         /* as set up */
	uint32_t room;             /* bytes of an mbuf of the pool */
	uint32_t frame_size;
	uint8_t *frames;           /* nb_desc, where the peer writes */
	struct rte_comch_mem *mem; /* of frames; direct: of the pool, and its owner's */
	struct rte_comch_meta_map meta;
	int epfd;                  /* what an lcore waits for; -1: no receive interrupts */
	int kick_fd;               /* in epfd, beside the engine's */
	struct rte_mbuf *spare[NC_SPARE];
};

struct nc_txq {
	struct nc_queue q;         /* first */
	uint32_t consumer;         /* of the peer */
	uint64_t offloads;         /* as set up */
	uint64_t refused;          /* of ol_flags: requests that are not offered */
};

/* In this order. */
enum nc_state {
	NC_STOPPED = 0,
	NC_WAITING,   /* for a peer */
	NC_OPENING,   /* queues, on a connection */
	NC_UP,
	NC_CLOSING,   /* queues */
	NC_ENDING,    /* the server or client */
	NC_ENDED,
};

struct nc_args {
	char dev[NC_NAME_SIZE];      /* comch device, or empty: own ... */
	char shm_args[256];          /* ... one of driver shm */
	char server[NC_NAME_SIZE];
	char rep[NC_NAME_SIZE];
	int role;                    /* of the device, to be checked; -1: any */
	uint32_t meta;               /* RTE_COMCH_META_* flags that it asks for, and offers */
	struct rte_ether_addr mac;
};

struct nc_port {
	TAILQ_ENTRY(nc_port) next;   /* of those that the control thread turns */
	struct rte_eth_dev *eth;
	struct nc_args args;
	char own_dev[RTE_DEV_NAME_MAX_LEN]; /* what it has made by args.shm_args, or empty */
	int16_t comch;               /* its device */
	enum rte_comch_role role;
	enum nc_state state;         /* under the lock */
	bool wanted;                 /* it is to be up; under the lock */
	bool removed;                /* by the bus, and not closed by the application */
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;   /* server or client */
	struct rte_comch_conn *conn; /* with a reference */
	bool lost;                   /* its connection has ended */
	bool refused;                /* the peer is no port */
	bool said_hello;
	bool said_ready;
	bool heard_ready;
	uint32_t frame_size;
	struct nc_wire_hello hello;  /* of the peer, once nb_queues is not 0 */
	struct nc_wire_hello own_hello; /* of the port; tasks have both until they are delivered */
	struct nc_wire_hdr own_ready;
	uint64_t deadline;           /* timer cycles, OPENING */
	uint64_t retry;              /* the same, of a client that is WAITING */
	uint64_t alone;              /* the same, WAITING: nobody has come; 0: was said */
	uint64_t quiet;              /* the same: until then no other reason is said */
	int reason;                  /* why it is not up, said once */
	bool told;                   /* that the peer's queues or frames are others, said once */
	bool told_meta;              /* that it takes no requests, the same */
};

/* net_comch.c */

/* NULL: it is a port of another driver. */
struct nc_port *nc_port_get(uint16_t port_id);

/* net_comch_args.c */

int nc_args_parse(const char *name, const char *text, struct nc_args *args);
/* The device, made if it is to be; with the role. */
int nc_args_dev_find(struct nc_port *port);
/* Whether the device has engines for all queues. */
int nc_args_engines_check(const struct nc_port *port);

/* net_comch_cksum.c */

/* Says in ol_flags what the checksums are that these offloads check. */
void nc_cksum_check(struct rte_mbuf **pkts, uint16_t nb, uint64_t offloads);

/* net_comch_intr.c */

int nc_intr_begin(struct rte_eth_dev *eth);
void nc_intr_end(struct rte_eth_dev *eth);
void nc_intr_kick(struct nc_rxq *rxq);
int nc_rx_intr_enable(struct rte_eth_dev *eth, uint16_t id);
int nc_rx_intr_disable(struct rte_eth_dev *eth, uint16_t id);

/* net_comch_port.c */

/* With the lock of the control thread. */
int nc_port_begin(struct nc_port *port);
/* In the control thread. @return whether it is to be turned again at once */
bool nc_port_turn(struct nc_port *port);
/* Nothing calls back any more. */
void nc_port_forget(struct nc_port *port);

/* net_comch_control.c */

/* In any thread but the control thread; the second one waits. */
int nc_port_start(struct nc_port *port);
int nc_port_stop(struct nc_port *port);

/* net_comch_queue.c */

/* Memory of a receive queue, and what it holds. */
int nc_rxq_start(struct nc_rxq *rxq);
void nc_rxq_end(struct nc_rxq *rxq);
/* 0: it runs; -EINPROGRESS: turn its engine on, and ask again. */
int nc_rxq_open(struct nc_rxq *rxq);
int nc_txq_open(struct nc_txq *txq);
/* Whether it is closed. */
bool nc_queue_close(struct nc_queue *q);
/* The engine of one that is closed. */
void nc_queue_end(struct nc_queue *q);
uint16_t nc_rx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb);
uint16_t nc_tx_burst(void *queue, struct rte_mbuf **pkts, uint16_t nb);
uint16_t nc_tx_prepare(void *queue, struct rte_mbuf **pkts, uint16_t nb);
int nc_tx_descriptor_status(void *queue, uint16_t offset);

#endif /* NET_COMCH_H */
