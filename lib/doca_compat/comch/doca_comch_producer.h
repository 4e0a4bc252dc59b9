/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_PRODUCER_H
#define DOCA_COMCH_PRODUCER_H

/**
 * @file
 *
 * Producers: contexts that send from buffers to consumers of the peer. Consumers are in
 * doca_comch_consumer.h, the connections that both live on in doca_comch.h.
 *
 * A producer is created on a connection, in the thread of that or in another, and may
 * have another progress engine. doca_ctx_start() makes it RUNNING at once. Then send
 * tasks are allocated, submitted, and end in a callback inside doca_pe_progress(). A task
 * can be submitted again, also in its own callback.
 *
 * doca_task_submit() of a send task returns:
 *
 * - DOCA_SUCCESS: the task belongs to the producer until its callback.
 * - DOCA_ERROR_AGAIN: the consumer has posted no buffer, or the queue is full. A later
 *   call may succeed, also without progress of the own engine if it was the buffer.
 * - DOCA_ERROR_INVALID_VALUE: the data is longer than the buffer that the consumer has
 *   posted, or the immediate data than the consumer takes; the buffer is a list; its map
 *   has no device of the connection's function; there is neither a buffer nor immediate
 *   data.
 * - DOCA_ERROR_NOT_FOUND: the peer has no consumer of that identifier.
 * - DOCA_ERROR_BAD_STATE: the producer is not RUNNING, or the task is submitted already;
 *   or the map of the buffer is not started.
 * - DOCA_ERROR_NOT_CONNECTED: the connection has ended.
 *
 * With an error the task is still the program's, and the buffer is as it was. Errors that
 * the program can mend are logged, each kind once.
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
struct doca_dpa_completion;
struct doca_task;

/** A producer. */
struct doca_comch_producer;

/** A message that a producer sends. */
struct doca_comch_producer_task_send;

/**
 * Called when a send task has ended, for success and for errors.
 *
 * @param task
 *   The task, the program's again: it submits it anew, keeps it, or frees it.
 * @param task_user_data
 *   Of doca_task_set_user_data().
 * @param ctx_user_data
 *   Of doca_ctx_set_user_data().
 */
typedef void (*doca_comch_producer_task_send_completion_cb_t)(
		struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data);

/**
 * Tell whether a device can have producers.
 *
 * @param devinfo
 *   The device.
 * @return
 *   - DOCA_SUCCESS: it can.
 *   - DOCA_ERROR_INVALID_VALUE: devinfo is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: it cannot.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_is_supported(const struct doca_devinfo *devinfo);

/**
 * Tell how many send tasks a producer can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_num_tasks
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_num_tasks(const struct doca_devinfo *devinfo,
		uint32_t *max_num_tasks);

/**
 * Tell how long the data of one message can be.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_buf_size
 *   Bytes, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_size(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_size);

/**
 * Tell how many buffers the list that a message is sent from can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_buf_list_len
 *   Set on success; 1, as lists are refused.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_buf_list_len(const struct doca_devinfo *devinfo,
		uint32_t *max_buf_list_len);

/**
 * Tell how many producers one connection can have.
 *
 * @param devinfo
 *   The device.
 * @param[out] max_producers
 *   The number, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_cap_get_max_producers(const struct doca_devinfo *devinfo,
		uint32_t *max_producers);

/**
 * Create a producer.
 *
 * @param connection
 *   A connection that is established. A server cannot disconnect it, and a server or
 *   client cannot be stopped, before the producer is destroyed.
 * @param[out] producer
 *   The producer, IDLE; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the connection is not established, or has ended.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or no identifier: the connection has as many
 *     producers as it can.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device has no producers.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_create(struct doca_comch_connection *connection,
		struct doca_comch_producer **producer);

/**
 * Destroy a producer, also in its callback that says IDLE.
 *
 * @param producer
 *   The producer, IDLE.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: producer is NULL.
 *   - DOCA_ERROR_IN_USE: it is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_destroy(struct doca_comch_producer *producer);

/**
 * Get the context of a producer.
 *
 * @param producer
 *   The producer.
 * @return
 *   The context; NULL if producer is NULL.
 */
DOCA_STABLE
struct doca_ctx *doca_comch_producer_as_ctx(struct doca_comch_producer *producer);

/**
 * Get the identifier of a producer, as consumers of the peer find it in completions.
 *
 * @param producer
 *   The producer, in any state.
 * @param[out] id
 *   From 1, unique on the connection; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_get_id(const struct doca_comch_producer *producer, uint32_t *id);

/**
 * Say how many send tasks there are, and what is called when they end. To be called
 * before doca_ctx_start().
 *
 * @param producer
 *   The producer, IDLE.
 * @param task_completion_cb
 *   Called when a task ends with success.
 * @param task_error_cb
 *   Called when a task ends with an error, see doca_task_get_status().
 * @param num_send_tasks
 *   From 1 to doca_comch_producer_cap_get_max_num_tasks().
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or the number is out of range.
 *   - DOCA_ERROR_BAD_STATE: the producer is not IDLE.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_set_conf(struct doca_comch_producer *producer,
		doca_comch_producer_task_send_completion_cb_t task_completion_cb,
		doca_comch_producer_task_send_completion_cb_t task_error_cb,
		uint32_t num_send_tasks);

/**
 * Take a send task of the pool of a producer.
 *
 * @param producer
 *   The producer, RUNNING.
 * @param buf
 *   What to send: the data segment that the buffer has when the task is submitted. It
 *   may be the buffer of other tasks as well. NULL to send immediate data only.
 * @param imm_data
 *   Immediate data, copied here; may be NULL if its length is 0.
 * @param imm_data_len
 *   Its length in bytes, up to doca_comch_consumer_cap_get_max_imm_data_len().
 * @param consumer_id
 *   The consumer of the peer, as the callback of its arrival named it; looked for when
 *   the task is submitted.
 * @param[out] task
 *   The task, the program's until it is submitted; set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a pointer is NULL, or the immediate data is too long.
 *   - DOCA_ERROR_BAD_STATE: the producer is not RUNNING.
 *   - DOCA_ERROR_NO_MEMORY: all tasks of doca_comch_producer_task_send_set_conf() are in
 *     use.
 */
DOCA_STABLE
doca_error_t doca_comch_producer_task_send_alloc_init(struct doca_comch_producer *producer,
		const struct doca_buf *buf, uint8_t *imm_data, uint32_t imm_data_len,
		uint32_t consumer_id, struct doca_comch_producer_task_send **task);

/**
 * Get the task of a send task.
 *
 * @param task
 *   The send task.
 * @return
 *   The task; NULL if the send task is NULL.
 */
DOCA_STABLE
struct doca_task *doca_comch_producer_task_send_as_task(
		struct doca_comch_producer_task_send *task);

/**
 * Get the buffer of a send task.
 *
 * @param task
 *   The task.
 * @return
 *   The buffer, or NULL.
 */
DOCA_STABLE
const struct doca_buf *doca_comch_producer_task_send_get_buf(
		const struct doca_comch_producer_task_send *task);

/**
 * Give a send task another buffer.
 *
 * @param task
 *   The task; nothing is done if it is submitted.
 * @param buf
 *   The buffer, or NULL to send immediate data only.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_buf(struct doca_comch_producer_task_send *task,
		const struct doca_buf *buf);

/**
 * Get the consumer that a send task goes to.
 *
 * @param task
 *   The task.
 * @return
 *   The identifier; 0 if the task is NULL.
 */
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_consumer_id(
		const struct doca_comch_producer_task_send *task);

/**
 * Send a task to another consumer.
 *
 * @param task
 *   The task; nothing is done if it is submitted.
 * @param consumer_id
 *   The consumer.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_consumer_id(struct doca_comch_producer_task_send *task,
		uint32_t consumer_id);

/**
 * Get the immediate data of a send task.
 *
 * @param task
 *   The task.
 * @return
 *   The task's copy, which the program may change while it has the task; NULL if there is
 *   none.
 */
DOCA_STABLE
uint8_t *doca_comch_producer_task_send_get_imm_data(
		const struct doca_comch_producer_task_send *task);

/**
 * Get the length of the immediate data of a send task.
 *
 * @param task
 *   The task.
 * @return
 *   Bytes; 0 if there is none.
 */
DOCA_STABLE
uint32_t doca_comch_producer_task_send_get_imm_data_len(
		const struct doca_comch_producer_task_send *task);

/**
 * Give a send task other immediate data.
 *
 * @param task
 *   The task; nothing is done if it is submitted.
 * @param imm_data
 *   Immediate data, copied here; may be NULL if its length is 0.
 * @param imm_data_len
 *   Its length in bytes. If it is longer than the task can have, the task is refused when
 *   it is submitted, with DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
void doca_comch_producer_task_send_set_imm_data(struct doca_comch_producer_task_send *task,
		uint8_t *imm_data, uint32_t imm_data_len);

/**
 * @name Producers of a program of an offload processor
 * @{
 */

/**
 * Set the completion context of a producer of a program. Without it, its sends have no
 * completions.
 *
 * @param producer
 *   A producer of a program, IDLE.
 * @param dpa_comp
 *   The completion context, of the same offload processor.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL, or another offload processor.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE, or has not been given to a program by
 *     doca_ctx_set_datapath_on_dpa().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_dpa_completion_attach(struct doca_comch_producer *producer,
		struct doca_dpa_completion *dpa_comp);

/**
 * Set how many sends of a producer of a program can have no completion yet. Rounded up to a
 * power of two; 512 unless it is set.
 *
 * @param producer
 *   A producer of a program, IDLE.
 * @param dev_num_send
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: producer is NULL, or the number is 0.
 *   - DOCA_ERROR_BAD_STATE: it is not IDLE, or has not been given to a program by
 *     doca_ctx_set_datapath_on_dpa().
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_max_num_send(struct doca_comch_producer *producer,
		uint32_t dev_num_send);

/**
 * The name of 2.7 for doca_comch_producer_set_dev_max_num_send().
 *
 * @param producer
 *   A producer of a program, IDLE.
 * @param dev_num_send
 *   Their number.
 * @return
 *   - As for that.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_num_send(struct doca_comch_producer *producer,
		uint32_t dev_num_send);

/**
 * What a guide calls doca_comch_producer_set_dev_max_num_send().
 *
 * @param producer
 *   A producer of a program, IDLE.
 * @param dev_num_send
 *   Their number.
 * @return
 *   - As for that.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_set_dev_num_recv(struct doca_comch_producer *producer,
		uint32_t dev_num_send);

/**
 * Get what the program knows a producer by.
 *
 * @param producer
 *   A producer of a program, started.
 * @param [out] dpa_producer
 *   The handle, set on success.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not started, or is of this process.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_dpa_handle(struct doca_comch_producer *producer,
		doca_dpa_dev_comch_producer_t *dpa_producer);

/**
 * Get what a GPU knows a producer by: there is never one here.
 *
 * @param producer
 *   The producer.
 * @param gpu_handle
 *   Where the handle would go; of any type.
 * @return
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: otherwise, which is logged once.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_comch_producer_get_gpu_handle(struct doca_comch_producer *producer,
		void *gpu_handle);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMCH_PRODUCER_H */
