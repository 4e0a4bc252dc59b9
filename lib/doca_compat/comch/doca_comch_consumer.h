/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_CONSUMER_H
#define DOCA_COMCH_CONSUMER_H

/**
 * @file
 *
 * Consumers: contexts that post buffers, which producers of the peer fill. Producers are
 * in doca_comch_producer.h, the connections that both live on in doca_comch.h.
 *
 * A consumer is created on a connection, in the thread of that or in another, and may
 * have another progress engine. doca_ctx_start() returns DOCA_ERROR_IN_PROGRESS: the
 * consumer is RUNNING when the peer knows it, for which its own engine and that of the
 * connection are to be progressed, here and on the other side. A consumer that goes from
 * STARTING to IDLE has failed; the log says why. Then receive tasks are allocated,
 * submitted, and end in a callback inside doca_pe_progress() when a message has come. A
 * task can be submitted again, also in its own callback.
 *
 * A message is put behind the data that the buffer has when the task is submitted, and
 * the data segment is longer by it when the task has ended.
 *
 * doca_task_submit() of a receive task returns:
 *
 * - DOCA_SUCCESS: the task belongs to the consumer until its callback.
 * - DOCA_ERROR_AGAIN: the queue is full.
 * - DOCA_ERROR_INVALID_VALUE: the buffer is a list, has no room behind its data, does not
 *   lie in the map of the consumer, or was given back.
 * - DOCA_ERROR_BAD_STATE: the consumer is not RUNNING, or the task is submitted already.
 * - DOCA_ERROR_NOT_CONNECTED: the connection has ended.
 *
 * With an error the task is still the program's, and the buffer is as it was. Errors that
 * the program can mend are logged, each kind once.
 *
 * doca_ctx_stop() gives tasks that are still submitted back by the error callback; the
 * consumer is IDLE when the peer's producers have let go of the buffers and all tasks are
 * freed. The consumer's engine is enough for that, if it was RUNNING; over BlueField it
 * takes a second if the connection's engine is not progressed.
 */

#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf;
struct doca_comch_connection;
struct doca_ctx;
struct doca_devinfo;
struct doca_dpa_thread;
struct doca_mmap;
struct doca_task;

/** A consumer. */
struct doca_comch_consumer;

/** A completion context of consumers of a program of an offload processor. */
struct doca_comch_consumer_completion;

/** A buffer that a consumer posts. */
struct doca_comch_consumer_task_post_recv;

/**
 * Called when a receive task has ended, for success and for errors.
 *
 * @param task
 *   The task, the program's again: it submits it anew, keeps it, or frees it.
 * @param task_user_data
 *   Of doca_task_set_user_data().
 * @param ctx_user_data
 *   Of doca_ctx_set_user_data().
 */
typedef void (*doca_comch_consumer_task_post_recv_completion_cb_t)(
		struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * Tell whether a device can have consumers.
 *
 * @param devinfo
 *   The device.
 * @return
 *   - DOCA_SUCCESS: it can.
 *   - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: it cannot.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Tell how many receive tasks a consumer can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_num_tasks
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * Tell how long a buffer can be.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_buf_size
 *   Bytes, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * Tell how many buffers a list that is posted can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_buf_list_len
 *   Set on success; 1, as lists are refused.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * Tell how many consumers one connection can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_consumers
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_consumers(const struct doca_devinfo *devinfo,
		uint32_t *max_consumers);

/**
 * Tell how long the immediate data of a message can be.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_imm_data_len
 *   Bytes, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_cap_get_max_imm_data_len(const struct doca_devinfo *devinfo,
		uint32_t *max_imm_data_len);

/**
 * Create a consumer.
 *
 * @param connection
 *   A connection that is established. A server cannot disconnect it, and a server or
 *   client cannot be stopped, before the consumer is destroyed.
 * @param buf_mmap
 *   The map that its buffers are of: with DOCA_ACCESS_FLAG_PCI_READ_WRITE, and with a
 *   device of the connection's function. It has to be started when the consumer is.
 * @param[out] consumer
 *   The consumer, IDLE; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the connection is not established, or has ended.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or no identifier: the connection has as many
 *     consumers as it can.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no consumers.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_create(struct doca_comch_connection *connection,
		struct doca_mmap *buf_mmap, struct doca_comch_consumer **consumer);

/**
 * Destroy a consumer, also in its callback that says IDLE.
 *
 * @param consumer
 *   The consumer, IDLE.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer is NULL.
 *   - DOCA_ERROR_IN_USE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_destroy(struct doca_comch_consumer *consumer);

/**
 * Get the context of a consumer.
 *
 * @param consumer
 *   The consumer.
 * @return
 *   The context; NULL if consumer is NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_consumer_as_ctx(struct doca_comch_consumer *consumer);

/**
 * Get the identifier of a consumer, as the peer learns it.
 *
 * @param consumer
 *   The consumer, in any state.
 * @param[out] id
 *   From 1, unique on the connection; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_id(const struct doca_comch_consumer *consumer, uint32_t *id);

/**
 * Get how long the immediate data of a message to the consumer may be.
 *
 * @param consumer
 *   The consumer.
 * @param[out] imm_data_len
 *   Bytes, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_get_imm_data_len(const struct doca_comch_consumer *consumer,
		uint32_t *imm_data_len);

/**
 * Set how long the immediate data of a message to the consumer may be. If it is not set,
 * that is what doca_comch_consumer_cap_get_max_imm_data_len() tells.
 *
 * @param consumer
 *   The consumer, IDLE.
 * @param imm_data_len
 *   Bytes, up to doca_comch_consumer_cap_get_max_imm_data_len().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the length is out of range.
 *   - DOCA_ERROR_BAD_STATE: the consumer is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_set_imm_data_len(struct doca_comch_consumer *consumer,
		uint32_t imm_data_len);

/**
 * Say how many receive tasks there are, and what is called when they end. To be called
 * before doca_ctx_start().
 *
 * @param consumer
 *   The consumer, IDLE.
 * @param task_completion_cb
 *   Called when a task ends with success.
 * @param task_error_cb
 *   Called when a task ends with an error, see doca_task_get_status().
 * @param num_post_recv_tasks
 *   From 1 to doca_comch_consumer_cap_get_max_num_tasks().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or the number is out of range.
 *   - DOCA_ERROR_BAD_STATE: the consumer is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_set_conf(struct doca_comch_consumer *consumer,
		doca_comch_consumer_task_post_recv_completion_cb_t task_completion_cb,
		doca_comch_consumer_task_post_recv_completion_cb_t task_error_cb,
		uint32_t num_post_recv_tasks);

/**
 * Take a receive task of the pool of a consumer.
 *
 * @param consumer
 *   The consumer, RUNNING.
 * @param buf
 *   What to receive into, behind the data that it has; of the map of the consumer. NULL
 *   to receive immediate data only.
 * @param[out] task
 *   The task, the program's until it is submitted; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer or task is NULL.
 *   - DOCA_ERROR_BAD_STATE: the consumer is not RUNNING.
 *   - DOCA_ERROR_NO_MEMORY: all tasks of doca_comch_consumer_task_post_recv_set_conf()
 *     are in use.
 */
DOCA_STABLE
doca_error_t doca_comch_consumer_task_post_recv_alloc_init(struct doca_comch_consumer *consumer,
		struct doca_buf *buf, struct doca_comch_consumer_task_post_recv **task);

/**
 * Get the task of a receive task.
 *
 * @param task
 *   The receive task.
 * @return
 *   The task; NULL if the receive task is NULL.
 */
DOCA_STABLE
struct doca_task *doca_comch_consumer_task_post_recv_as_task(
		struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the buffer of a receive task.
 *
 * @param task
 *   The task.
 * @return
 *   The buffer, or NULL.
 */
DOCA_STABLE
struct doca_buf *doca_comch_consumer_task_post_recv_get_buf(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * Give a receive task another buffer.
 *
 * @param task
 *   The task; nothing is done if it is submitted.
 * @param buf
 *   The buffer, or NULL to receive immediate data only.
 */
DOCA_STABLE
void doca_comch_consumer_task_post_recv_set_buf(struct doca_comch_consumer_task_post_recv *task,
		struct doca_buf *buf);

/**
 * Get who has sent what a receive task received.
 *
 * @param task
 *   The task, from its callback on until it is submitted again.
 * @return
 *   The identifier of the producer; 0 if the task failed, or has not ended.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_producer_id(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the immediate data that a receive task received.
 *
 * @param task
 *   The task, from its callback on until it is submitted again.
 * @return
 *   The immediate data; NULL if there was none, the task failed, or has not ended.
 */
DOCA_STABLE
const uint8_t *doca_comch_consumer_task_post_recv_get_imm_data(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * Get the length of the immediate data that a receive task received.
 *
 * @param task
 *   The task, from its callback on until it is submitted again.
 * @return
 *   Bytes; 0 if there was none, the task failed, or has not ended.
 */
DOCA_STABLE
uint32_t doca_comch_consumer_task_post_recv_get_imm_data_len(
		const struct doca_comch_consumer_task_post_recv *task);

/**
 * @name Consumers of a program of an offload processor
 * @{
 */

/**
 * Create a completion context for consumers of a program. It belongs to the offload
 * processor of its thread.
 *
 * @param [out] consumer_comp
 *   The context, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_create(struct doca_comch_consumer_completion
		**consumer_comp);

/**
 * Destroy a completion context.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 *   - DOCA_ERROR_IN_USE: it is started, or a consumer has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion
		*consumer_comp);

/**
 * Set the thread that notifications run. It is mandatory.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @param dpa_thread
 *   The thread.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_dpa_thread(struct
		doca_comch_consumer_completion *consumer_comp, struct doca_dpa_thread *dpa_thread);

/**
 * Set how many consumers can have it; 1 unless it is set. Rounded up to a power of two.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @param max_num_consumers
 *   The number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is 0.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_consumers(struct
		doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers);

/**
 * Get what the function above has set.
 *
 * @param consumer_comp
 *   A completion context.
 * @param [out] max_num_consumers
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_consumers(const struct
		doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_consumers);

/**
 * Set how many messages it holds, the sum over its consumers; 512 unless it is set. Rounded
 * up to a power of two.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @param max_num_recv
 *   The number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or the number is 0.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_max_num_recv(struct
		doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv);

/**
 * Get what the function above has set.
 *
 * @param consumer_comp
 *   A completion context.
 * @param [out] max_num_recv
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_max_num_recv(const struct
		doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv);

/**
 * Set the bytes of the longest message, at least those of each consumer; 32 unless it is
 * set.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @param imm_data_len
 *   The number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or above 32.
 *   - DOCA_ERROR_BAD_STATE: it is started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_set_imm_data_len(struct
		doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len);

/**
 * Get what the function above has set.
 *
 * @param consumer_comp
 *   A completion context.
 * @param [out] imm_data_len
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_imm_data_len(const struct
		doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len);

/**
 * Start a completion context.
 *
 * @param consumer_comp
 *   A completion context, not started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL, or a number is too large.
 *   - DOCA_ERROR_BAD_STATE: it is started, or has no thread, or that is not started.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 *   - DOCA_ERROR_DRIVER: the program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_start(struct doca_comch_consumer_completion
		*consumer_comp);

/**
 * Stop a completion context.
 *
 * @param consumer_comp
 *   A completion context, started.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer_comp is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 *   - DOCA_ERROR_IN_USE: a consumer that is started has it.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion
		*consumer_comp);

/**
 * Get what the program knows a completion context by.
 *
 * @param consumer_comp
 *   A completion context, started.
 * @param [out] handle
 *   The handle, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_completion_get_dpa_handle(
		struct doca_comch_consumer_completion *consumer_comp,
		doca_dpa_dev_comch_consumer_completion_t *handle);

/**
 * Set the completion context of a consumer of a program.
 *
 * @param consumer
 *   A consumer of a program, IDLE.
 * @param consumer_comp
 *   The completion context.
 * @param user_data
 *   What the program finds in its completions.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE, or has not been given to a program by
 *     doca_ctx_set_datapath_on_dpa().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_completion(struct doca_comch_consumer *consumer, struct
		doca_comch_consumer_completion *consumer_comp, uint32_t user_data);

/**
 * Set how many messages a consumer of a program can have on the way. Rounded up to a power
 * of two; 512 unless it is set.
 *
 * @param consumer
 *   A consumer of a program, IDLE.
 * @param dev_num_recv
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: consumer is NULL, or the number is 0.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE, or has not been given to a program by
 *     doca_ctx_set_datapath_on_dpa().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_max_num_recv(struct doca_comch_consumer *consumer,
		uint32_t dev_num_recv);

/**
 * The name of 2.7 for doca_comch_consumer_set_dev_max_num_recv().
 *
 * @param consumer
 *   A consumer of a program, IDLE.
 * @param dev_num_recv
 *   Their number.
 * @return
 *   - As for that.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_set_dev_num_recv(struct doca_comch_consumer *consumer,
		uint32_t dev_num_recv);

/**
 * Get what the program knows a consumer by.
 *
 * @param consumer
 *   A consumer of a program, started.
 * @param [out] dpa_consumer
 *   The handle, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started, or is of this process.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_dpa_handle(struct doca_comch_consumer *consumer,
		doca_dpa_dev_comch_consumer_t *dpa_consumer);

/**
 * Get what a GPU knows a consumer by: there is never one here.
 *
 * @param consumer
 *   The consumer.
 * @param gpu_handle
 *   Where the handle would go; of any type.
 * @return
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: otherwise, which is logged once.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_consumer_get_gpu_handle(struct doca_comch_consumer *consumer,
		void *gpu_handle);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_CONSUMER_H */
