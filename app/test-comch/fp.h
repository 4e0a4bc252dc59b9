/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_FP_H
#define TEST_COMCH_FP_H

/*
 * One end of a run of the fast path: its memory, its producers and consumers,
 * and the lcores that work on them. Both the client and the server of this tool
 * have one; it knows neither of them, nor their protocol.
 *
 * An end is used by the thread that made it. Workers on other lcores are its
 * own; without any, that thread is the only worker and has to call fp_poll().
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "hist.h"

#define FP_MAX_BURST 512
#define FP_MAX_POSTS 65536
/* Producers, or consumers, of one side of a connection. */
#define FP_MAX_QUEUES 64
#define FP_TEXT 96
/* Bytes of a packet, with the distance of buffers. */
#define FP_MAX_MBUF 65280

/* Flags of a run; they are also those of the protocol. */
#define FP_F_EVENT    UINT32_C(0x1)   /* sleep when there is nothing to do */
#define FP_F_VALIDATE UINT32_C(0x2)   /* every byte carries the pattern */
#define FP_F_BIDIR    UINT32_C(0x4)   /* both ends send */
#define FP_F_MBUF     UINT32_C(0x8)   /* packets, instead of buffers */
#define FP_F_TASKS    UINT32_C(0x10)  /* tasks and callbacks, instead of bursts */
#define FP_F_TOUCH    UINT32_C(0x20)  /* consumers look at each cache line */
#define FP_F_RANDOM   UINT32_C(0x40)  /* sizes and bursts vary */
#define FP_F_ECHO     UINT32_C(0x80)  /* one message at a time, which is sent back */
#define FP_F_WORK     UINT32_C(0x100) /* all bytes are written and read, see work.h */

/* What an end is to be. All but the numbers of its own are the same on both ends. */
struct fp_spec {
	int16_t dev_id;
	bool server;          /* which end: where it has its lcores */
	bool loopback;        /* the other end is in this process */
	uint32_t flags;
	uint32_t size;        /* bytes of data of each message; 0: only immediate data */
	uint32_t imm_len;     /* bytes of immediate data of each message */
	uint32_t burst;
	uint32_t stride;      /* distance of posted buffers */
	uint32_t posts;       /* of each consumer */
	uint32_t sources;     /* buffers that each producer sends from */
	uint32_t nb_conns;
	/* On each connection: */
	uint32_t producers;
	uint32_t consumers;
	uint32_t peer_consumers;
};

struct fp;

/* What this end has done so far. */
struct fp_count {
	uint64_t tx_msgs;
	uint64_t tx_bytes;
	uint64_t rx_msgs;
	uint64_t rx_bytes;
	uint64_t bad_msgs;
};

/*
 * Make an end, with its memory. pe is the engine of the calling thread, which
 * the connections are on. On an error its reason is in why.
 */
int fp_create(const struct fp_spec *spec, struct rte_comch_pe *pe, struct fp **fp,
		char why[FP_TEXT]);

/* Add a connection, all before the start; the first is number 0. */
int fp_conn_add(struct fp *fp, struct rte_comch_conn *conn, char why[FP_TEXT]);

/* A consumer of the peer is there, on a connection that may not be added yet. */
void fp_remote_consumer(struct fp *fp, uint32_t conn, uint32_t consumer_id);

const struct fp_spec *fp_spec_get(const struct fp *fp);

/* Start producers, consumers and workers. */
int fp_start(struct fp *fp);

/*
 * Work for some turns, if this thread is the worker. Returns how much was done. In
 * between there should be a turn of the engine.
 */
uint32_t fp_poll(struct fp *fp);

/* Does this thread have to call fp_poll() all the time? */
bool fp_is_inline(const struct fp *fp);

/* All of this end is running; with_peer: and the peer's consumers are known. */
bool fp_ready(const struct fp *fp, bool with_peer);

/* A negative errno if something has failed, with the text of it. */
int fp_error(const struct fp *fp, const char **text);

/* A pool of packets for so many of them, and for threads that keep some to themselves. */
int fp_pool_create(const struct fp_spec *spec, uint32_t nb, uint32_t nb_threads, uint32_t flags,
		struct rte_comch_mem **mem);

/* Producers may send; they send no more; producers and consumers are to end. */
void fp_go(struct fp *fp);
void fp_halt(struct fp *fp);
void fp_stop(struct fp *fp);

/* After fp_halt(): nothing more is sent, and what was sent has completed. */
bool fp_halted(const struct fp *fp);
/* After fp_stop(): it can be freed. */
bool fp_stopped(const struct fp *fp);

void fp_count_get(const struct fp *fp, struct fp_count *count);

/* CPU time of its workers, when it has stopped; 0 if the thread is the worker. */
uint64_t fp_cpu_ns(const struct fp *fp);

/* Page size of the memory that the peer writes to, or of what it is sent from. */
uint64_t fp_page_size(const struct fp *fp);

/* NULL is allowed. What is still running then is given up, and said. */
void fp_free(struct fp *fp);

/* Seconds that so many bytes may take on a machine that has other things to do. */
static inline double
fp_patience(uint64_t bytes)
{
	return (double)bytes / 50e6;
}

/* CPU of the first worker of an end: the calling thread's if it has none. */
int fp_cpu(bool server, bool loopback);

/*
 * Send so many messages, one at a time, and wait for the answer of each. The
 * round trips go to the histogram, if there is one. wait: called when there is
 * nothing to do and the ends are to sleep. -ETIMEDOUT if an answer is missing.
 */
int fp_ping(struct fp *fp, uint32_t nb, struct hist *hist, void (*wait)(void *arg), void *arg);

/* The bytes of a message whose size may vary. */
uint32_t fp_msg_size(const struct fp_spec *spec, uint64_t key);

#endif /* TEST_COMCH_FP_H */
