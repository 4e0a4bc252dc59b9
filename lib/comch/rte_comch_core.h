/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_CORE_H
#define RTE_COMCH_CORE_H

/**
 * @file
 *
 * Types of the burst layer, and the table of functions behind it.
 *
 * This file is installed because inline functions of rte_comch.h need it. The
 * table is internal: applications must not touch it. No prototype of a
 * callable function lives here.
 *
 * The burst layer is the fast path between a producer and the consumers of the
 * peer. The functions that applications call are inline ones of rte_comch_fp.h;
 * doc/guides/contributing/design.rst says why they are cut as they are.
 *
 * How the layer works:
 *
 * - Every context begins with a struct rte_comch_fp_object, so that its handle
 *   is all that an inline function needs. A context that is no running producer
 *   or consumer has functions there that log and return 0; one that was stopped
 *   is polled without a log.
 * - A consumer posts bursts of struct rte_comch_post. Each is one buffer, and
 *   one credit for the producers of the peer. A post without a buffer takes
 *   immediate data only.
 * - A producer sends bursts of struct rte_comch_send to one consumer. A
 *   message goes to the oldest posted buffer. The number of messages taken is
 *   returned; the reason why the rest was not is asked for afterwards, off the
 *   fast path: the queue of the producer is full, the consumer has no credit,
 *   or the consumer is gone.
 * - A consumer polls bursts of struct rte_comch_cpl, in the order in which
 *   each producer sent. A producer polls the same structure for its own sends.
 * - One queue belongs to one lcore at a time. A burst is one indirect call,
 *   and takes no lock and no allocation. It makes no system call either, but for
 *   one write to wake an engine of the peer that sleeps; while both sides are busy
 *   there is none. Exceptions happen once for each peer or pool: a driver may make what
 *   two queues need when the first message goes from one to the other, and register a
 *   pool when the first packet of it is sent.
 */

#include <stdint.h>

#include <rte_bitops.h>
#include <rte_common.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Immediate data that a completion carries inline, bytes. */
#define RTE_COMCH_CPL_IMM_SIZE 32

/** Opaque handle of a memory region. */
struct rte_comch_mem;

/**
 * Flag of a send: it has no completion of its own. Its memory is the
 * application's again when a later send of the same producer has completed.
 */
#define RTE_COMCH_SEND_F_NO_CPL RTE_BIT32(0)

/** One buffer that a consumer offers. */
struct rte_comch_post {
	/** Start of the buffer, inside the consumer's region; NULL for none. */
	void *addr;
	/** Its length in bytes; 0 if there is no buffer. */
	uint64_t len;
	/** Handed back in the completion; never interpreted. */
	uint64_t cookie;
	/** 0: there are no flags yet, and a post with one is refused. */
	uint32_t flags;
	/** Not looked at, until a flag says what it is. */
	uint32_t reserved;
};

/** One message that a producer sends. */
struct rte_comch_send {
	/** Data, inside mem, in one chunk of it; not looked at if len is 0. */
	const void *addr;
	/** Length of the data in bytes; 0 to send immediate data only. */
	uint64_t len;
	/** Region that the data lies in; not looked at if len is 0. */
	const struct rte_comch_mem *mem;
	/** Immediate data, copied before the call returns. */
	const void *imm;
	/** Length of the immediate data in bytes, up to the imm_len of the consumer. */
	uint32_t imm_len;
	/** RTE_COMCH_SEND_F_* flags; a send with an unknown one is refused. */
	uint32_t flags;
	/** Handed back in the producer's completion; never interpreted. */
	uint64_t cookie;
	/** Not looked at, until a flag says what it is. */
	uint64_t reserved[2];
};

/** Bytes of a completion: one cache line. */
#define RTE_COMCH_CPL_SIZE 64

/**
 * One completion of a posted buffer or of a send. It is one cache line, and aligned so:
 * an array from the heap is one of aligned_alloc(), rte_malloc() or the like.
 */
struct rte_comch_cpl {
	/** The cookie of the post or send. */
	uint64_t cookie;
	/** Bytes of data. */
	uint64_t len;
	/** Who sent, from 1; 0 in the producer's own completions and failures. */
	uint32_t producer_id;
	/** 0, or a negative errno. */
	int32_t status;
	/** Bytes of immediate data. */
	uint32_t imm_len;
	/** Zero. */
	uint32_t reserved;
	union {
		/** Immediate data, if imm_len is at most RTE_COMCH_CPL_IMM_SIZE. */
		uint8_t imm[RTE_COMCH_CPL_IMM_SIZE];
		/** Where it is, if imm_len is above that; until the next poll. */
		const void *imm_ext;
	};
} __rte_aligned(RTE_COMCH_CPL_SIZE);

struct rte_mbuf;

/** @internal Post a burst of buffers; returns how many were taken. */
typedef uint16_t (*rte_comch_post_burst_t)(void *queue, const struct rte_comch_post *posts,
		uint16_t nb);

/** @internal Send a burst to one consumer; returns how many were taken. */
typedef uint16_t (*rte_comch_send_burst_t)(void *queue, uint32_t consumer_id,
		const struct rte_comch_send *msgs, uint16_t nb);

/** @internal Poll a burst of completions; returns how many there were. */
typedef uint16_t (*rte_comch_poll_burst_t)(void *queue, struct rte_comch_cpl *cpls,
		uint16_t nb);

/**
 * @internal
 * Tell the share of a producer: so many messages are taken from it, whatever other
 * producers of its connection send meanwhile, for 10 ms at least.
 */
typedef uint32_t (*rte_comch_credits_t)(void *queue, uint32_t consumer_id);

/** @internal Send packets of any number of segments; returns how many were taken. */
typedef uint16_t (*rte_comch_tx_mbuf_burst_t)(void *queue, uint32_t consumer_id,
		struct rte_mbuf **pkts, uint16_t nb);

/** @internal Receive packets, and post new mbufs of the queue's pool. */
typedef uint16_t (*rte_comch_rx_mbuf_burst_t)(void *queue, struct rte_mbuf **pkts,
		uint16_t nb);

/**
 * @internal
 * Functions of one queue, which is one producer or one consumer.
 *
 * Exactly 128 bytes on 64-bit machines, so that two queues never share a line.
 * The queue pointer comes first because every call begins with it. Functions
 * that a queue does not have point to ones that log and return 0.
 */
struct rte_comch_fp_object {
	void *queue;                       /**< Private data of the driver. */
	rte_comch_post_burst_t post;       /**< Consumers. */
	rte_comch_send_burst_t send;       /**< Producers. */
	rte_comch_poll_burst_t poll;       /**< Both. */
	rte_comch_credits_t credits;       /**< Producers. */
	rte_comch_tx_mbuf_burst_t tx_mbuf; /**< Producers. */
	rte_comch_rx_mbuf_burst_t rx_mbuf; /**< Consumers. */
	uint64_t owner;                    /**< Debug builds: the thread that is inside. */
	uint64_t reserved;                 /**< Zero. */
} __rte_aligned(128);

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_CORE_H */
