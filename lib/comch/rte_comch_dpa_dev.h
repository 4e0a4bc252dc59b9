/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_DPA_DEV_H
#define RTE_COMCH_DPA_DEV_H

/**
 * @file
 *
 * Comch device API: what a program that runs on an offload processor (DPA) calls. It is
 * freestanding C11 and needs no EAL and no libc, so that one source builds for each
 * offload processor. Applications of the host do not include this file: theirs are
 * rte_comch_dpa.h and rte_comch_msgq.h.
 *
 * A program is functions of two kinds. RTE_COMCH_DPA_THREAD() makes one that runs on an
 * execution unit, when the host or a notification asks for it. RTE_COMCH_DPA_RPC() makes
 * one that the host calls, beside the execution units.
 *
 * @code
 * #include <rte_comch_dpa_dev.h>
 *
 * struct echo { uint64_t consumer, producer, completion, consumer_id; };
 *
 * RTE_COMCH_DPA_RPC(echo_begin) // the host calls it once, when all is made
 * {
 *	const struct echo *e = (const struct echo *)(uintptr_t)args[0];
 *
 *	if (rte_comch_dpa_dev_consumer_ack(e->consumer, 64) != 0)
 *		return 1;
 *	return rte_comch_dpa_dev_completion_request_notification(e->completion) != 0;
 * }
 *
 * RTE_COMCH_DPA_THREAD(echo)
 * {
 *	const struct echo *e = (const struct echo *)(uintptr_t)arg;
 *	struct rte_comch_dpa_dev_elem elem;
 *	const uint8_t *imm;
 *	uint32_t len;
 *
 *	while (rte_comch_dpa_dev_completion_get(e->completion, &elem) == 1) {
 *		imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
 *		rte_comch_dpa_dev_producer_post_send_imm(e->producer,
 *			(uint32_t)e->consumer_id, imm, len, RTE_COMCH_DPA_DEV_F_FLUSH);
 *		rte_comch_dpa_dev_completion_ack(e->completion, 1);
 *		rte_comch_dpa_dev_consumer_ack(e->consumer, 1);
 *	}
 *	rte_comch_dpa_dev_completion_request_notification(e->completion);
 * }
 * @endcode
 *
 * Handles are numbers that the host gets with its objects, and hands over in the argument
 * of a thread, of a call, or in the memory of the program.
 *
 * A consumer begins without credits: consumer_ack gives them. Messages of one producer
 * come in the order in which they were sent; no order is promised between producers.
 *
 * Threads. An object belongs to one execution unit at a time: a completion context with
 * the consumers and producers that have it. Producers of one message queue may be used
 * by several units, each by one. A call counts as a unit. What was sent has to be visible
 * before another unit gets a producer: by RTE_COMCH_DPA_DEV_F_FLUSH, by an acknowledgement,
 * or by the return of the thread or call.
 *
 * Notifications. The order in use is: completion_get until it returns 0, completion_ack,
 * consumer_ack, completion_request_notification, return. What came before the request is
 * not lost: the thread runs again at once.
 *
 * Mistakes. Functions that return an int return 0 or more, or a negative number of those
 * below. All but -RTE_COMCH_DPA_DEV_EAGAIN and -RTE_COMCH_DPA_DEV_ENOBUFS are mistakes of
 * the program: the host finds the last one, and how many there were, by
 * rte_comch_dpa_eu_info_get(). Those of a call are of no execution unit, and only their
 * caller in the program learns of them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @name Errors, as Linux numbers them
 * @{
 */
/** There is no such consumer. */
#define RTE_COMCH_DPA_DEV_ENOENT 2
/** The consumer has no receive posted: no credit. */
#define RTE_COMCH_DPA_DEV_EAGAIN 11
/** The window does not give this right. */
#define RTE_COMCH_DPA_DEV_EACCES 13
/** Bytes that are not inside of the window. */
#define RTE_COMCH_DPA_DEV_EFAULT 14
/** An argument that cannot be: the function says which. */
#define RTE_COMCH_DPA_DEV_EINVAL 22
/** No window has this handle. */
#define RTE_COMCH_DPA_DEV_EBADF 9
/** Immediate data that is longer than the consumer takes. */
#define RTE_COMCH_DPA_DEV_EMSGSIZE 90
/** As many sends have completions that were not taken. */
#define RTE_COMCH_DPA_DEV_ENOBUFS 105
/** @} */

/**
 * Flag of a send: it is visible to its consumer, and wakes it, when the call returns.
 * Without it that may wait for the next send with it, for an acknowledgement, for the
 * return of the thread or call, or for 32 sends. It does not depend on the producer, which
 * may be destroyed meanwhile.
 */
#define RTE_COMCH_DPA_DEV_F_FLUSH (UINT32_C(1) << 0)
/** Flag of a send: it has no completion of its own. */
#define RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS (UINT32_C(1) << 1)

/** Arguments of a call. */
#define RTE_COMCH_DPA_DEV_MAX_ARGS 6

/** Handle of a consumer. */
typedef uint64_t rte_comch_dpa_dev_consumer_t;
/** Handle of a producer. */
typedef uint64_t rte_comch_dpa_dev_producer_t;
/** Handle of a completion context. */
typedef uint64_t rte_comch_dpa_dev_completion_t;
/** Handle of a window. */
typedef uint32_t rte_comch_dpa_dev_window_t;

/** What an element is of. */
enum rte_comch_dpa_dev_elem_type {
	RTE_COMCH_DPA_DEV_ELEM_RECV = 1, /**< A message came to a consumer. */
	RTE_COMCH_DPA_DEV_ELEM_SEND = 2, /**< A send of a producer is done. */
};

/** An element of a completion context; its fields are the functions' below. */
struct rte_comch_dpa_dev_elem {
	uint64_t opaque[3]; /**< Of the offload processor. */
};

/**
 * Define a function that runs on an execution unit, as a thread of the host's API. Its
 * body follows, and has the argument of the thread, uint64_t arg.
 *
 * @param name
 *   Its name, as rte_comch_dpa_thread_create() is given it.
 */
#define RTE_COMCH_DPA_THREAD(name) RTE_COMCH_DPA_TARGET_THREAD(name)

/**
 * Define a function that the host calls with rte_comch_dpa_rpc(). Its body follows, has
 * const uint64_t *args, RTE_COMCH_DPA_DEV_MAX_ARGS of them, of which those that the
 * host did not give are 0, and returns a uint64_t.
 *
 * @param name
 *   Its name.
 */
#define RTE_COMCH_DPA_RPC(name) RTE_COMCH_DPA_TARGET_RPC(name)

/**
 * Post receives for so many messages: give as many credits.
 *
 * @param consumer
 *   The consumer.
 * @param nb
 *   How many. With those that are posted, at most as many as it was created with.
 * @return
 *   0, or -RTE_COMCH_DPA_DEV_EINVAL: no consumer, or too many; nothing was posted.
 */
static inline int rte_comch_dpa_dev_consumer_ack(rte_comch_dpa_dev_consumer_t consumer,
		uint32_t nb);

/**
 * Take the next element of a completion context.
 *
 * @param completion
 *   The completion context.
 * @param[out] elem
 *   The element. It and its immediate data stay until they are acknowledged.
 * @return
 *   1, or 0 if there is none, or
 *   - -RTE_COMCH_DPA_DEV_EINVAL: no completion context, or elem is NULL.
 *   - -RTE_COMCH_DPA_DEV_ENOBUFS: as many as it holds were not acknowledged.
 */
static inline int rte_comch_dpa_dev_completion_get(rte_comch_dpa_dev_completion_t completion,
		struct rte_comch_dpa_dev_elem *elem);

/**
 * Tell what an element is of.
 *
 * @param elem
 *   The element.
 * @return
 *   Its type.
 */
static inline enum rte_comch_dpa_dev_elem_type rte_comch_dpa_dev_elem_type(
		const struct rte_comch_dpa_dev_elem *elem);

/**
 * Find the immediate data of a message.
 *
 * @param elem
 *   The element.
 * @param[out] len
 *   Its bytes: 0 of a send; may be NULL.
 * @return
 *   Where it is, until the element is acknowledged; NULL of a send.
 */
static inline const uint8_t *rte_comch_dpa_dev_elem_imm(
		const struct rte_comch_dpa_dev_elem *elem, uint32_t *len);

/**
 * Tell who sent a message.
 *
 * @param elem
 *   The element.
 * @return
 *   The identifier of the producer, from 1; 0 of a send.
 */
static inline uint32_t rte_comch_dpa_dev_elem_producer_id(
		const struct rte_comch_dpa_dev_elem *elem);

/**
 * Tell the user data of the consumer or producer that an element is of.
 *
 * @param elem
 *   The element.
 * @return
 *   As the host gave it.
 */
static inline uint32_t rte_comch_dpa_dev_elem_user_data(
		const struct rte_comch_dpa_dev_elem *elem);

/**
 * Give back the oldest elements.
 *
 * @param completion
 *   The completion context.
 * @param nb
 *   How many; at most those that were taken and not given back.
 * @return
 *   0, or -RTE_COMCH_DPA_DEV_EINVAL; then nothing was given back.
 */
static inline int rte_comch_dpa_dev_completion_ack(rte_comch_dpa_dev_completion_t completion,
		uint64_t nb);

/**
 * Have the thread run again when there is an element, once. It may be there already:
 * then the thread runs again when it has returned. A call may ask as well, before the
 * thread runs for the first time: then the thread runs when the call has returned.
 *
 * @param completion
 *   The completion context.
 * @return
 *   0, or -RTE_COMCH_DPA_DEV_EINVAL: no completion context, or it has no thread.
 */
static inline int rte_comch_dpa_dev_completion_request_notification(
		rte_comch_dpa_dev_completion_t completion);

/**
 * Ask whether a consumer of the host has no receive posted.
 *
 * @param producer
 *   The producer that wants to send.
 * @param consumer_id
 *   The consumer.
 * @return
 *   1 if it has none, 0 if a message may be sent, or
 *   - -RTE_COMCH_DPA_DEV_EINVAL: no producer.
 *   - -RTE_COMCH_DPA_DEV_ENOENT: no such consumer.
 */
static inline int rte_comch_dpa_dev_producer_consumer_empty(rte_comch_dpa_dev_producer_t producer,
		uint32_t consumer_id);

/**
 * Send immediate data.
 *
 * @param producer
 *   The producer.
 * @param consumer_id
 *   The consumer of the host.
 * @param imm
 *   The data, which is copied; not looked at if len is 0.
 * @param len
 *   Its bytes.
 * @param flags
 *   RTE_COMCH_DPA_DEV_F_* flags.
 * @return
 *   0 if it was taken, or
 *   - -RTE_COMCH_DPA_DEV_EINVAL: no producer, imm is NULL, or a flag is unknown.
 *   - -RTE_COMCH_DPA_DEV_ENOENT: no such consumer.
 *   - -RTE_COMCH_DPA_DEV_EMSGSIZE: longer than the consumer takes.
 *   - -RTE_COMCH_DPA_DEV_EAGAIN: the consumer has no receive posted.
 *   - -RTE_COMCH_DPA_DEV_ENOBUFS: completions of the producer have to be taken first.
 */
static inline int rte_comch_dpa_dev_producer_post_send_imm(rte_comch_dpa_dev_producer_t producer,
		uint32_t consumer_id, const void *imm, uint32_t len, uint32_t flags);

/**
 * Copy between two regions, then send immediate data, which does not come before the
 * data of the copy can be read.
 *
 * @param producer
 *   The producer.
 * @param consumer_id
 *   The consumer of the host.
 * @param dst
 *   Window to write to.
 * @param dst_addr
 *   Where, as the host addresses the region.
 * @param src
 *   Window to read from.
 * @param src_addr
 *   Where, likewise.
 * @param len
 *   Bytes to copy, from 1. The two may not overlap.
 * @param imm
 *   The immediate data.
 * @param imm_len
 *   Its bytes.
 * @param flags
 *   RTE_COMCH_DPA_DEV_F_* flags.
 * @return
 *   0 if it was done, or, and then nothing was copied, what
 *   rte_comch_dpa_dev_producer_post_send_imm() returns, or
 *   - -RTE_COMCH_DPA_DEV_EBADF: no such window.
 *   - -RTE_COMCH_DPA_DEV_EACCES: the window may not be read, or not be written.
 *   - -RTE_COMCH_DPA_DEV_EFAULT: the bytes are not inside of it.
 *   - -RTE_COMCH_DPA_DEV_EINVAL: len is 0, or the two overlap.
 */
static inline int rte_comch_dpa_dev_producer_dma_copy(rte_comch_dpa_dev_producer_t producer,
		uint32_t consumer_id, rte_comch_dpa_dev_window_t dst, uint64_t dst_addr,
		rte_comch_dpa_dev_window_t src, uint64_t src_addr, uint64_t len, const void *imm,
		uint32_t imm_len, uint32_t flags);

/**
 * Find bytes of a region in the memory of the program.
 *
 * @param window
 *   The window.
 * @param addr
 *   Where the bytes begin, as the host addresses the region.
 * @param len
 *   How many.
 * @param write
 *   They are to be written, not only read.
 * @return
 *   Where they are; NULL for a mistake, as of rte_comch_dpa_dev_producer_dma_copy().
 */
static inline void *rte_comch_dpa_dev_window_ptr(rte_comch_dpa_dev_window_t window, uint64_t addr,
		uint64_t len, bool write);

/** The thread does not run any more when it has returned, whatever notifies it. */
static inline void rte_comch_dpa_dev_thread_finish(void);

/**
 * Tell the execution unit.
 *
 * @return
 *   Its number, from 0; UINT32_MAX in a call.
 */
static inline uint32_t rte_comch_dpa_dev_eu_id(void);

/**
 * Have the host log a line, of the level INFO: it is seen if the log of the host's driver
 * is set to that. The host leaves out lines that come too fast, and says how many with a
 * line that comes later. Lines beyond what its socket holds are lost, and not counted.
 *
 * @param text
 *   The line, which ends with 0; a long one is cut.
 */
static inline void rte_comch_dpa_dev_log(const char *text);

#ifdef __cplusplus
}
#endif

/* Behind the prototypes: the functions, of the offload processor that this is built for. */
#include <rte_comch_dpa_target.h>

#endif /* RTE_COMCH_DPA_DEV_H */
