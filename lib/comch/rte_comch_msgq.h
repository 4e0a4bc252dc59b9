/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_MSGQ_H
#define RTE_COMCH_MSGQ_H

/**
 * @file
 *
 * Message queues: producers and consumers between this CPU and the program of an offload
 * processor. Applications get this file by rte_comch.h. The offload processor, its
 * threads, memory and windows are in rte_comch_dpa.h; what the program does at its end
 * is in rte_comch_dpa_dev.h.
 *
 * A *message queue* (msgq) has one direction, and no connection: both ends are of one
 * application. Two of them make a conversation.
 *
 * @code
 *   RTE_COMCH_MSGQ_TO_DPA
 *     this CPU                                        the program
 *   +----------+                                    +----------+     completion
 *   | producer |--- immediate data, 32 bytes ------>| consumer |---> context --> thread
 *   +----------+                                    +----------+     (CONSUMER)
 *
 *   RTE_COMCH_MSGQ_FROM_DPA
 *   +----------+                                    +----------+     completion
 *   | consumer |<-- immediate data, 32 bytes -------| producer |---> context
 *   +----+-----+                                    +----+-----+     (PRODUCER)
 *        |                                               |
 *   progress engine                                      +--- copies between windows,
 *                                                             each before its message
 * @endcode
 *
 * The *CPU end* are ordinary contexts, and all of rte_comch_queue.h, rte_comch_fp.h and
 * rte_comch_task.h holds for them: attach, start, bursts or tasks, statistics, room, stop.
 * What differs:
 *
 * - They take immediate data only: no region, no buf_size, no data in a send, posts
 *   without a buffer. The data is 32 bytes at most, or max_imm_len of
 *   struct rte_comch_dpa_info.
 * - They are RUNNING when rte_comch_ctx_start() returns, consumers too: nothing is
 *   announced, and no callback tells of consumers. The application knows the identifiers
 *   of both ends, by rte_comch_ctx_info_get() and rte_comch_dpa_queue_info_get(), and tells
 *   its program.
 * - rte_comch_ctx_info_get() gives no conn, but a msgq.
 *
 * The *DPA end* are objects that this side makes and the program uses. It knows each by
 * its *handle*, a number that this side gets from it and writes into the memory of the
 * program, or hands to a thread or an RPC as an argument.
 *
 * - A consumer of the program has nothing posted when it is made: the program grants
 *   receives, and each message takes one. It completes in a *completion context*, which
 *   several consumers may share, and which may wake a thread of the program.
 * - A producer of the program may have a completion context, too, of the other type: it
 *   says that a send or a copy is done.
 *
 * Set-up, in this order, when rte_comch_dpa_start() has returned:
 *
 *  1. rte_comch_dpa_thread_create().
 *  2. rte_comch_dpa_completion_create(), for that thread or for none.
 *  3. rte_comch_msgq_create().
 *  4. The DPA end: rte_comch_dpa_queue_create(), and its handle to the program.
 *  5. The CPU end: rte_comch_msgq_producer_create() or rte_comch_msgq_consumer_create(),
 *     rte_comch_ctx_attach() and rte_comch_ctx_start().
 *  6. Consumers of the program: have the program grant receives and request its first
 *     notification, by an RPC or by rte_comch_dpa_thread_run(). Consumers of this side:
 *     rte_comch_consumer_post_burst() and the like.
 *
 * 4 and 5 may come in either order. A send to an identifier that has no consumer is
 * refused at both ends, as is one to a consumer that has nothing posted: the sender tries
 * again.
 *
 * Teardown is the other way round:
 *
 *  1. The CPU end: rte_comch_ctx_stop(), progress until IDLE, rte_comch_ctx_destroy().
 *  2. The DPA end: rte_comch_dpa_queue_destroy(). The program must not use a queue any
 *     more by then; if it does, its calls are refused.
 *  3. rte_comch_msgq_destroy().
 *  4. rte_comch_dpa_completion_destroy(), rte_comch_dpa_thread_destroy().
 *
 * Each of them returns -EBUSY while something of the steps before is left.
 *
 * Ordering: a consumer finds the messages of one producer in the order in which they were
 * sent. Nothing is promised between producers. The message of a copy is there after all
 * bytes of the copy, whoever looks, and copies of one producer are done in their order.
 *
 * Notification is one-shot: the program requests it for a completion context, and the
 * thread runs once when there is a completion, also if that came before the request. So
 * a thread that takes what there is, requests, and returns, never sleeps through one.
 * CPU consumers wake their progress engine as those of a connection do.
 *
 * Threads: the contexts of the CPU end are as any others, see rte_comch_queue.h: each
 * belongs to the thread of its engine, and different ones may be on different lcores.
 * The other functions of this file may be called from any thread, and wait for each other
 * as those of rte_comch_dpa.h. Bursts and tasks never wait for them.
 *
 * The end of the program: producers and consumers of the CPU end become STOPPING in the
 * next progress of their engines, with the reason -EIO. Posts and tasks that are left
 * come back with -ECONNRESET, and the contexts are IDLE when all have come back, as after
 * the loss of a peer.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_dpa.h>
#include <rte_comch_queue.h>
#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Opaque handle of a message queue. */
struct rte_comch_msgq;
/** Opaque handle of a completion context of a program. */
struct rte_comch_dpa_completion;
/** Opaque handle of a producer or consumer of a program. */
struct rte_comch_dpa_queue;

/** Which way a message queue goes. */
enum rte_comch_msgq_dir {
	RTE_COMCH_MSGQ_TO_DPA = 0, /**< Producers on this CPU, consumers in the program. */
	RTE_COMCH_MSGQ_FROM_DPA,   /**< Producers in the program, consumers on this CPU. */
};

/** Configuration of a message queue. */
struct rte_comch_msgq_conf {
	enum rte_comch_msgq_dir dir; /**< Direction. */
	/**
	 * Consumers that exist at one time, up to max_consumers of struct
	 * rte_comch_dpa_info; rounded up to a power of two. 0 for 1.
	 */
	uint32_t max_consumers;
	/** Producers, in the same way. */
	uint32_t max_producers;
	uint32_t flags;              /**< Must be 0. */
	uint64_t reserved[6];        /**< Must be 0. */
};

/** What a completion context of a program is for. */
enum rte_comch_dpa_completion_type {
	RTE_COMCH_DPA_COMPLETION_CONSUMER = 0, /**< Messages that consumers have got. */
	RTE_COMCH_DPA_COMPLETION_PRODUCER,     /**< Sends and copies that are done. */
};

/** Configuration of a completion context of a program. */
struct rte_comch_dpa_completion_conf {
	enum rte_comch_dpa_completion_type type; /**< What it is for. */
	/**
	 * Completions that the program has not acknowledged, up to max_depth of struct
	 * rte_comch_dpa_info; rounded up to a power of two. 0 for 512, or for max_depth.
	 */
	uint32_t depth;
	/** CONSUMER: bytes of the longest immediate data; up to max_imm_len. */
	uint32_t imm_len;
	/** Queues that may have it at one time; 0 for 1. */
	uint32_t max_queues;
	/** Thread that a notification has run, or NULL: it is polled only. */
	struct rte_comch_dpa_thread *thread;
	uint32_t flags;       /**< Must be 0. */
	uint64_t reserved[6]; /**< Must be 0. */
};

/** Configuration of a consumer or producer of a program. */
struct rte_comch_dpa_queue_conf {
	/**
	 * Consumers: receives that the program may grant beyond what was received, up to
	 * max_recv of struct rte_comch_dpa_info. Producers: sends that may have no completion
	 * yet, up to max_send. Rounded up to a power of two. 0 for 512, or for that limit.
	 */
	uint32_t size;
	/** Consumers: bytes of the longest immediate data, up to that of its completion. */
	uint32_t imm_len;
	/**
	 * Its completion context, of the type of its kind. A producer may have none, NULL:
	 * then its sends have no completions.
	 */
	struct rte_comch_dpa_completion *completion;
	/** What the program finds in each of its completions. */
	uint32_t user_data;
	uint32_t flags;       /**< Must be 0. */
	uint64_t reserved[6]; /**< Must be 0. */
};

/** What a consumer or producer of a program is. @see rte_comch_dpa_queue_info_get() */
struct rte_comch_dpa_queue_info {
	uint64_t handle;      /**< What the program knows it by. */
	uint32_t id;          /**< Unique among those of its kind on the message queue. */
	uint64_t reserved[6]; /**< Zero. */
};

/**
 * @name Message queues
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a message queue: producers and consumers can be created from it.
 *
 * @param dpa
 *   An offload processor, started.
 * @param conf
 *   Its configuration; copied.
 * @param[out] msgq
 *   The message queue; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, a value is out of range, an unknown direction, a flag
 *     or a reserved field that is not 0.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOSPC: there are max_msgqs.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_msgq_create(struct rte_comch_dpa *dpa, const struct rte_comch_msgq_conf *conf,
		struct rte_comch_msgq **msgq);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a message queue.
 *
 * @param msgq
 *   A message queue. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: it has producers or consumers, at either end.
 */
__rte_experimental
int rte_comch_msgq_destroy(struct rte_comch_msgq *msgq);

/** @} */

/**
 * @name CPU end
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a consumer of the CPU end. It is a context as rte_comch_consumer_create() makes
 * them; rte_comch_ctx_conf_set() checks what this function checks.
 *
 * @param msgq
 *   A message queue with the direction RTE_COMCH_MSGQ_FROM_DPA.
 * @param conf
 *   Its configuration, or NULL for the defaults, which take no immediate data; copied. The
 *   mem is NULL and the buf_size 0.
 * @param[out] ctx
 *   The consumer, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: msgq or ctx is NULL, a region or a buf_size, an imm_len above max_imm_len,
 *     or else as for rte_comch_consumer_create().
 *   - -EPERM: the consumers of this message queue are of the program.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOSPC: it has max_consumers of them.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_msgq_consumer_create(struct rte_comch_msgq *msgq,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a producer of the CPU end. It is a context as rte_comch_producer_create() makes
 * them.
 *
 * @param msgq
 *   A message queue with the direction RTE_COMCH_MSGQ_TO_DPA.
 * @param conf
 *   Its configuration, or NULL for the defaults; copied.
 * @param[out] ctx
 *   The producer, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: msgq or ctx is NULL, or else as for rte_comch_producer_create().
 *   - -EPERM: the producers of this message queue are of the program.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOSPC: it has max_producers of them.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_msgq_producer_create(struct rte_comch_msgq *msgq,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx);

/** @} */

/**
 * @name DPA end
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a completion context of the program.
 *
 * @param dpa
 *   An offload processor, started.
 * @param conf
 *   Its configuration; copied.
 * @param[out] completion
 *   The completion context; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, a value is out of range, an unknown type, an imm_len
 *     for producers, a thread of another offload processor, a flag or a reserved field that
 *     is not 0.
 *   - -ENOTCONN: the offload processor is not started.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOSPC: there are as many as the offload processor takes.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dpa_completion_create(struct rte_comch_dpa *dpa,
		const struct rte_comch_dpa_completion_conf *conf,
		struct rte_comch_dpa_completion **completion);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a completion context.
 *
 * @param completion
 *   A completion context. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: a producer or consumer has it.
 */
__rte_experimental
int rte_comch_dpa_completion_destroy(struct rte_comch_dpa_completion *completion);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get what the program knows a completion context by.
 *
 * @param completion
 *   A completion context.
 * @param[out] handle
 *   The handle; set on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_dpa_completion_handle_get(const struct rte_comch_dpa_completion *completion,
		uint64_t *handle);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a consumer or producer of the program: what the direction of the message queue
 * leaves to it.
 *
 * @param msgq
 *   A message queue.
 * @param conf
 *   Its configuration; copied. Of a producer, NULL for the defaults.
 * @param[out] queue
 *   The consumer or producer; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: msgq or queue is NULL, a consumer without a completion context, one of another
 *     offload processor or of the other type, a value is out of range, an imm_len above that
 *     of the completion context or of a producer, a flag or a reserved field that is not 0.
 *   - -EIO: the program has ended, see rte_comch_dpa_status_get().
 *   - -ENOSPC: the message queue has max_consumers or max_producers, or the completion
 *     context max_queues.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_dpa_queue_create(struct rte_comch_msgq *msgq,
		const struct rte_comch_dpa_queue_conf *conf, struct rte_comch_dpa_queue **queue);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Destroy a producer or consumer of the program. Sends of this side find out that a
 * consumer is gone (-ENOENT).
 *
 * @param queue
 *   A producer or consumer of the program. NULL is allowed and does nothing.
 * @return
 *   0: the handle is void.
 */
__rte_experimental
int rte_comch_dpa_queue_destroy(struct rte_comch_dpa_queue *queue);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what the program knows a producer or consumer by, and its identifier: what this side
 * sends to, or what its consumers find in completions. The identifier counts as the queue_id
 * of struct rte_comch_ctx_info.
 *
 * @param queue
 *   A producer or consumer of the program.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_dpa_queue_info_get(const struct rte_comch_dpa_queue *queue,
		struct rte_comch_dpa_queue_info *info);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_MSGQ_H */
