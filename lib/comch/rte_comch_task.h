/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_TASK_H
#define RTE_COMCH_TASK_H

/**
 * @file
 *
 * Tasks: control messages, and the messages and buffers of producers and consumers
 * that were configured with tasks. Each ends in a callback of its context, inside
 * rte_comch_pe_progress(). Applications get this file by rte_comch.h.
 */

#include <stdint.h>

#include <rte_bitops.h>
#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a task is for. @see rte_comch_task_info_get() */
struct rte_comch_task_info {
	/** The server, client, consumer or producer that it belongs to. */
	struct rte_comch_ctx *ctx;
	/** The connection that it uses; NULL once that has ended, and of a message queue. */
	struct rte_comch_conn *conn;
	/** Of servers and clients: the message, and its length in bytes. */
	const void *msg;
	uint32_t len; /**< Length of msg. */
	/** Of producers: the consumer it goes to. */
	uint32_t consumer_id;
	/** Of producers: the message as it was given, but for its cookie and flags. */
	struct rte_comch_send send;
	/** Of consumers: the buffer. */
	struct rte_comch_post post;
	uint64_t reserved[6]; /**< Zero. */
};

/**
 * @name Control send tasks
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Take a send task: the connection's own one, or one of those that the connections
 * of a context share.
 *
 * A connection of a server that has no task can always have one, whatever the other
 * clients do. @see rte_comch_ctrl_conf::max_conn_tasks
 *
 * @param conn
 *   An established connection.
 * @param msg
 *   The message. It is not copied here: it must stay and not change until the
 *   task ends.
 * @param len
 *   Its length, from 1 byte to the max_msg_size of the connection.
 * @param[out] task
 *   The task; the caller owns it until it is submitted.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or len is 0.
 *   - -EMSGSIZE: len is above the max_msg_size of the connection.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the context is not RUNNING.
 *   - -EDQUOT: the connection has its max_conn_tasks: wait until one of them is
 *     freed. If that does not happen, the peer does not progress.
 *   - -ENOMEM: all nb_tasks of the context are in use, and the connection has a
 *     task.
 */
__rte_experimental
int rte_comch_conn_task_alloc(struct rte_comch_conn *conn, const void *msg, uint32_t len,
		struct rte_comch_task **task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a task that is not submitted another message, to use it again.
 *
 * @param task
 *   The task.
 * @param msg
 *   As for rte_comch_conn_task_alloc().
 * @param len
 *   As for rte_comch_conn_task_alloc().
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or len is 0, or the task is one of a producer
 *     or consumer.
 *   - -EMSGSIZE: len is above the max_msg_size of the connection.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the task is submitted.
 */
__rte_experimental
int rte_comch_conn_task_set(struct rte_comch_task *task, const void *msg, uint32_t len);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Submit a task. It ends in the callback of its context, inside a later
 * rte_comch_pe_progress(), never in here.
 *
 * A control message is not refused for want of room: a full queue of the peer only
 * delays it. A task of a producer or consumer is refused if there is no room, or if its
 * message or buffer is wrong.
 *
 * Tasks of producers and consumers that end together have their callbacks one after
 * the other. The driver may get what these submit only when the last of them has
 * returned, in one burst. So a callback must not wait for what the peer does with it. The
 * return values are the same in a callback.
 *
 * @param task
 *   The task. It belongs to the library until its callback, unless an error is
 *   returned.
 * @return
 *   - 0 on success.
 *   - -EINVAL: task is NULL.
 *   - -EALREADY: the task is submitted.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the context is not RUNNING.
 *   - -EAGAIN: no room in the queue, or no credit of the consumer (producers and
 *     consumers), rte_comch_queue_room_get() tells which; or tasks that were
 *     submitted with RTE_COMCH_SUBMIT_F_LATER wait for that.
 *   - -ENOENT, -EMSGSIZE, -E2BIG, -EFAULT, -EINVAL: as
 *     rte_comch_queue_room_get() says of the reason (producers and consumers).
 */
__rte_experimental
int rte_comch_task_submit(struct rte_comch_task *task);

/**@{@name Flags of rte_comch_task_submit_burst() */
/**
 * The driver need not have the tasks yet: they are given to it with the next task of
 * their connection, producer or consumer that is submitted without this flag, and in
 * the next rte_comch_pe_progress() or rte_comch_pe_arm() at the latest.
 */
#define RTE_COMCH_SUBMIT_F_LATER RTE_BIT32(0)
/**@}*/

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Submit several tasks, of any contexts of one thread, in order. Those that follow
 * each other and are of one connection, of one consumer, or of one producer for one
 * consumer of the peer, are given to the driver as one burst. It stops at the first
 * task that is not taken. Each task ends as one of rte_comch_task_submit().
 *
 * With RTE_COMCH_SUBMIT_F_LATER no task is refused for want of room, or because its
 * message or buffer is wrong. One without room waits, and so do the tasks behind it of the
 * same producer, consumer or connection. One that is wrong ends with the error as its
 * status. Immediate data must stay until the task ends. While such tasks wait for room, a
 * task of the same producer or consumer without the flag is refused with -EAGAIN. When the
 * context stops or the connection ends, those that wait end as other tasks that were not
 * delivered, and after them.
 *
 * @param tasks
 *   The tasks. Those that were taken belong to the library until their callbacks.
 * @param nb
 *   Their number; 0 is allowed and does nothing.
 * @param flags
 *   RTE_COMCH_SUBMIT_F_* flags.
 * @return
 *   - The number of tasks that were taken, from the first on. If that is below nb,
 *     rte_errno is set to why the next one was not, to EINVAL for a task that is NULL,
 *     or to the positive number of what rte_comch_task_submit() returns.
 *   - -EINVAL: tasks is NULL, or an unknown flag; no task was taken.
 */
__rte_experimental
int rte_comch_task_submit_burst(struct rte_comch_task **tasks, uint16_t nb, uint32_t flags);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a task back to its pool. Freeing the last task of a context that is
 * STOPPING makes it IDLE.
 *
 * @param task
 *   A task that is not submitted. NULL is allowed and does nothing.
 * @return
 *   - 0 on success; the handle is void.
 *   - -EBUSY: the task is submitted.
 *   - -EALREADY: the task was freed before; nothing was done. This mistake is found
 *     only until the task is allocated again, and while its progress engine lives.
 */
__rte_experimental
int rte_comch_task_free(struct rte_comch_task *task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Keep a pointer of the application with a task.
 *
 * @param task
 *   The task.
 * @param user_data
 *   Any value; never followed. NULL on a task that was just allocated.
 * @return
 *   - 0 on success.
 *   - -EINVAL: task is NULL.
 */
__rte_experimental
int rte_comch_task_user_data_set(struct rte_comch_task *task, void *user_data);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get the pointer that rte_comch_task_user_data_set() left.
 *
 * @param task
 *   The task.
 * @return
 *   The pointer; NULL if task is NULL.
 */
__rte_experimental
void *rte_comch_task_user_data_get(const struct rte_comch_task *task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what a task is for, also while it is submitted; in the thread of its context.
 *
 * @param task
 *   A task of any kind that is not freed.
 * @param[out] info
 *   Filled on success; what the kind of the task does not have is zero.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_task_info_get(const struct rte_comch_task *task,
		struct rte_comch_task_info *info);

/** @} */

/**
 * @name Tasks of the fast path
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Take a send task of a producer. It is submitted by rte_comch_task_submit(),
 * which answers -EAGAIN, and leaves the task with the caller, if there is no
 * room: rte_comch_queue_room_get() tells whether it was the queue or the
 * credits. The task ends in the send_cb of the producer.
 *
 * @param ctx
 *   A producer with tasks, RUNNING.
 * @param consumer_id
 *   A consumer of the peer; it is looked for when the task is submitted.
 * @param send
 *   The message; copied, but what it points to is not: the data must stay until
 *   the task ends, immediate data until it is submitted. Its cookie and flags
 *   are not used.
 * @param[out] task
 *   The task; the caller owns it until it is submitted.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, a length without an address, or ctx is no
 *     producer with tasks.
 *   - -EBUSY: the producer is not RUNNING.
 *   - -ENOMEM: all nb_tasks of the producer are in use.
 */
__rte_experimental
int rte_comch_producer_task_alloc(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		const struct rte_comch_send *send, struct rte_comch_task **task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a send task that is not submitted another message, to use it again.
 *
 * @param task
 *   A task of rte_comch_producer_task_alloc().
 * @param consumer_id
 *   As there.
 * @param send
 *   As there.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, a length without an address, or no such task.
 *   - -EBUSY: the task is submitted.
 */
__rte_experimental
int rte_comch_producer_task_set(struct rte_comch_task *task, uint32_t consumer_id,
		const struct rte_comch_send *send);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Take a post task of a consumer. It is submitted by rte_comch_task_submit(),
 * and ends in the post_cb of the consumer when a message has come.
 *
 * @param ctx
 *   A consumer with tasks, RUNNING.
 * @param post
 *   The buffer, or NULL for immediate data only; copied. Its cookie is not used.
 * @param[out] task
 *   The task; the caller owns it until it is submitted.
 * @return
 *   - 0 on success.
 *   - -EINVAL: ctx or task is NULL, or ctx is no consumer with tasks.
 *   - -EBUSY: the consumer is not RUNNING.
 *   - -ENOMEM: all nb_tasks of the consumer are in use.
 */
__rte_experimental
int rte_comch_consumer_task_alloc(struct rte_comch_ctx *ctx, const struct rte_comch_post *post,
		struct rte_comch_task **task);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a post task that is not submitted another buffer, to use it again.
 *
 * @param task
 *   A task of rte_comch_consumer_task_alloc().
 * @param post
 *   As there.
 * @return
 *   - 0 on success.
 *   - -EINVAL: task is NULL or no such task.
 *   - -EBUSY: the task is submitted.
 *   What is wrong with the buffer is told when the task is submitted.
 */
__rte_experimental
int rte_comch_consumer_task_set(struct rte_comch_task *task, const struct rte_comch_post *post);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_TASK_H */
