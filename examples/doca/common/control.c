/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A server or a client with its progress engine: from the address of the device to the
 * start, sending, and the way back.
 */

#include <doca_log.h>

#include "control.h"

#define MIN_SLEEP_US 10
#define MAX_SLEEP_US 5000

DOCA_LOG_REGISTER(CONTROL);

/* The user data of tasks are the control's. */
static void
sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct control *control = task_data.ptr;

	(void)ctx_data;
	control->num_sending--;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void
not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct control *control = task_data.ptr;
	doca_error_t result = doca_task_get_status(doca_comch_task_send_as_task(task));

	(void)ctx_data;
	control->num_sending--;
	DOCA_LOG_ERR("A message was not sent: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(control->result, result);
	doca_task_free(doca_comch_task_send_as_task(task));
	(void)doca_ctx_stop(control->ctx);
}

static doca_error_t
configure_server(struct control *control, const struct control_callbacks *callbacks)
{
	doca_error_t result;

	result = doca_comch_server_task_send_set_conf(control->server, sent, not_sent,
			NUM_SEND_TASKS);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_server_event_msg_recv_register(control->server,
			callbacks->received);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_server_event_connection_status_changed_register(control->server,
			callbacks->connected, callbacks->disconnected);
	if (result != DOCA_SUCCESS)
		return result;
	if (callbacks->new_consumer != NULL) {
		result = doca_comch_server_event_consumer_register(control->server,
				callbacks->new_consumer, callbacks->expired_consumer);
		if (result != DOCA_SUCCESS)
			return result;
	}
	result = doca_comch_server_set_max_msg_size(control->server, control->max_msg_size);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_comch_server_set_recv_queue_size(control->server, RECV_QUEUE_SIZE);
}

static doca_error_t
configure_client(struct control *control, const struct control_callbacks *callbacks)
{
	doca_error_t result;

	result = doca_comch_client_task_send_set_conf(control->client, sent, not_sent,
			NUM_SEND_TASKS);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_event_msg_recv_register(control->client,
			callbacks->received);
	if (result != DOCA_SUCCESS)
		return result;
	if (callbacks->new_consumer != NULL) {
		result = doca_comch_client_event_consumer_register(control->client,
				callbacks->new_consumer, callbacks->expired_consumer);
		if (result != DOCA_SUCCESS)
			return result;
	}
	result = doca_comch_client_set_max_msg_size(control->client, control->max_msg_size);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_comch_client_set_recv_queue_size(control->client, RECV_QUEUE_SIZE);
}

/* The context joins its engine, and is ready to be configured. */
static doca_error_t
connect_engine(struct control *control, const struct control_callbacks *callbacks, void *user)
{
	union doca_data data = { .ptr = user };
	doca_error_t result;

	result = doca_comch_cap_get_max_msg_size(doca_dev_as_devinfo(control->dev),
			&control->max_msg_size);
	if (result != DOCA_SUCCESS)
		return result;
	if (control->max_msg_size > MAX_TEXT_SIZE)
		control->max_msg_size = MAX_TEXT_SIZE;
	result = doca_pe_create(&control->pe);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_pe_connect_ctx(control->pe, control->ctx);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_set_state_changed_cb(control->ctx, callbacks->state_changed);
	if (result != DOCA_SUCCESS)
		return result;
	return doca_ctx_set_user_data(control->ctx, data);
}

doca_error_t
control_start_server(struct control *control, const struct common_config *config,
		const char *name, const struct control_callbacks *callbacks, void *user)
{
	doca_error_t result;

	result = open_device(config->pci_addr, doca_comch_cap_server_is_supported,
			&control->dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = open_representor(control->dev, config->rep_pci, &control->rep);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_server_create(control->dev, control->rep, name, &control->server);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to create the server: %s", doca_error_get_descr(result));
		return result;
	}
	control->ctx = doca_comch_server_as_ctx(control->server);
	result = connect_engine(control, callbacks, user);
	if (result == DOCA_SUCCESS)
		result = configure_server(control, callbacks);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to configure the server: %s", doca_error_get_descr(result));
		return result;
	}
	result = doca_ctx_start(control->ctx);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to start the server: %s", doca_error_get_descr(result));
		return result;
	}
	DOCA_LOG_INFO("Server %s waits for clients of %s", name, config->rep_pci);
	return DOCA_SUCCESS;
}

doca_error_t
control_start_client(struct control *control, const struct common_config *config,
		const char *name, const struct control_callbacks *callbacks, void *user)
{
	doca_error_t result;

	result = open_device(config->pci_addr, doca_comch_cap_client_is_supported,
			&control->dev);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_comch_client_create(control->dev, name, &control->client);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to create the client: %s", doca_error_get_descr(result));
		return result;
	}
	control->ctx = doca_comch_client_as_ctx(control->client);
	result = connect_engine(control, callbacks, user);
	if (result == DOCA_SUCCESS)
		result = configure_client(control, callbacks);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to configure the client: %s", doca_error_get_descr(result));
		return result;
	}
	result = doca_ctx_start(control->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS) {
		DOCA_LOG_ERR("Failed to start the client: %s", doca_error_get_descr(result));
		return result == DOCA_SUCCESS ? DOCA_ERROR_UNEXPECTED : result;
	}
	DOCA_LOG_INFO("Client connects to %s by %s", name, config->pci_addr);
	return DOCA_SUCCESS;
}

doca_error_t
control_send(struct control *control, struct doca_comch_connection *connection,
		const void *msg, size_t len)
{
	union doca_data data = { .ptr = control };
	struct doca_comch_task_send *send;
	struct doca_task *task;
	doca_error_t result;

	if (control->server != NULL)
		result = doca_comch_server_task_send_alloc_init(control->server, connection, msg,
				len, &send);
	else
		result = doca_comch_client_task_send_alloc_init(control->client, connection, msg,
				len, &send);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to allocate a send task: %s", doca_error_get_descr(result));
		return result;
	}
	task = doca_comch_task_send_as_task(send);
	doca_task_set_user_data(task, data);
	result = doca_task_submit(task);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to send: %s", doca_error_get_descr(result));
		doca_task_free(task);
		return result;
	}
	control->num_sending++;
	return DOCA_SUCCESS;
}

void
control_progress(struct control *control)
{
	if (doca_pe_progress(control->pe) != 0) {
		control->sleep_us = 0;
		return;
	}
	/* of hundreds of threads those that wait would keep the others from their cores */
	control->sleep_us = control->sleep_us == 0 ? MIN_SLEEP_US : 2 * control->sleep_us;
	if (control->sleep_us > MAX_SLEEP_US)
		control->sleep_us = MAX_SLEEP_US;
	sleep_for_us(control->sleep_us);
}

void
control_flush(struct control *control)
{
	while (control->num_sending > 0)
		control_progress(control);
}

void
control_stop(struct control *control)
{
	enum doca_ctx_states state;
	doca_error_t result;

	if (control->ctx == NULL ||
			doca_ctx_get_state(control->ctx, &state) != DOCA_SUCCESS ||
			state == DOCA_CTX_STATE_IDLE)
		return;
	if (state != DOCA_CTX_STATE_STOPPING) {
		result = doca_ctx_stop(control->ctx);
		if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS) {
			DOCA_LOG_ERR("Failed to stop: %s", doca_error_get_descr(result));
			return;
		}
	}
	while (doca_ctx_get_state(control->ctx, &state) == DOCA_SUCCESS &&
			state != DOCA_CTX_STATE_IDLE)
		control_progress(control);
}

void
control_destroy(struct control *control)
{
	doca_error_t result = DOCA_SUCCESS, tmp;

	control_stop(control);
	if (control->server != NULL) {
		tmp = doca_comch_server_destroy(control->server);
		DOCA_ERROR_PROPAGATE(result, tmp);
		control->server = NULL;
	}
	if (control->client != NULL) {
		tmp = doca_comch_client_destroy(control->client);
		DOCA_ERROR_PROPAGATE(result, tmp);
		control->client = NULL;
	}
	control->ctx = NULL;
	if (control->pe != NULL) {
		tmp = doca_pe_destroy(control->pe);
		DOCA_ERROR_PROPAGATE(result, tmp);
		control->pe = NULL;
	}
	if (control->rep != NULL) {
		tmp = doca_dev_rep_close(control->rep);
		DOCA_ERROR_PROPAGATE(result, tmp);
		control->rep = NULL;
	}
	if (control->dev != NULL) {
		tmp = doca_dev_close(control->dev);
		DOCA_ERROR_PROPAGATE(result, tmp);
		control->dev = NULL;
	}
	if (result != DOCA_SUCCESS)
		DOCA_LOG_ERR("Failed to clean up: %s", doca_error_get_descr(result));
	DOCA_ERROR_PROPAGATE(control->result, result);
}
