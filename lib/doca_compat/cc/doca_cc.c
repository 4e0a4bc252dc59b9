/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers, clients and connections by the names of 2.5 and 2.6: every function calls the
 * one of doca_comch.h that it is named after. The objects are the same ones under another
 * name, so pointers are cast, and so are callbacks, which differ in the names of what
 * their pointers point to only. Callbacks whose numbers differ are in doca_cc_2_5.c. No
 * behaviour lives here.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_cc.h>
#include <doca_comch.h>

doca_error_t
doca_cc_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_server_is_supported(devinfo);
}

doca_error_t
doca_cc_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return doca_comch_cap_client_is_supported(devinfo);
}

doca_error_t
doca_cc_cap_get_max_name_len(const struct doca_devinfo *devinfo, uint32_t *max_name_len)
{
	return doca_comch_cap_get_max_name_len(devinfo, max_name_len);
}

doca_error_t
doca_cc_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *size)
{
	return doca_comch_cap_get_max_msg_size(devinfo, size);
}

doca_error_t
doca_cc_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo, uint32_t *queue_size)
{
	return doca_comch_cap_get_max_recv_queue_size(devinfo, queue_size);
}

doca_error_t
doca_cc_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	return doca_comch_cap_get_max_send_tasks(devinfo, max_send_tasks);
}

doca_error_t
doca_cc_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *num)
{
	return doca_comch_cap_get_max_clients(devinfo, num);
}

doca_error_t
doca_cc_server_create(struct doca_dev *dev, struct doca_dev_rep *rep, const char *name,
		struct doca_cc_server **server)
{
	struct doca_comch_server *comch = NULL;
	doca_error_t result;

	result = doca_comch_server_create(dev, rep, name, server == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*server = (struct doca_cc_server *)comch;
	return result;
}

doca_error_t
doca_cc_server_destroy(struct doca_cc_server *server)
{
	return doca_comch_server_destroy((struct doca_comch_server *)server);
}

struct doca_ctx *
doca_cc_server_as_ctx(struct doca_cc_server *server)
{
	return doca_comch_server_as_ctx((struct doca_comch_server *)server);
}

doca_error_t
doca_cc_server_set_max_msg_size(struct doca_cc_server *server, uint32_t size)
{
	return doca_comch_server_set_max_msg_size((struct doca_comch_server *)server, size);
}

doca_error_t
doca_cc_server_get_max_msg_size(const struct doca_cc_server *server, uint32_t *size)
{
	return doca_comch_server_get_max_msg_size((const struct doca_comch_server *)server,
			size);
}

doca_error_t
doca_cc_server_set_recv_queue_size(struct doca_cc_server *server, uint32_t size)
{
	return doca_comch_server_set_recv_queue_size((struct doca_comch_server *)server, size);
}

doca_error_t
doca_cc_server_get_recv_queue_size(const struct doca_cc_server *server, uint32_t *size)
{
	return doca_comch_server_get_recv_queue_size((const struct doca_comch_server *)server,
			size);
}

doca_error_t
doca_cc_server_get_device(const struct doca_cc_server *server, struct doca_dev **dev)
{
	return doca_comch_server_get_device((const struct doca_comch_server *)server, dev);
}

doca_error_t
doca_cc_server_get_device_repr(const struct doca_cc_server *server, struct doca_dev_rep **rep)
{
	return doca_comch_server_get_device_rep((const struct doca_comch_server *)server, rep);
}

struct doca_cc_server *
doca_cc_server_get_server_ctx(const struct doca_cc_connection *connection)
{
	return (struct doca_cc_server *)doca_comch_server_get_server_ctx(
			(const struct doca_comch_connection *)connection);
}

doca_error_t
doca_cc_server_task_send_set_conf(struct doca_cc_server *server,
		doca_cc_task_send_completion_cb_t completion_cb,
		doca_cc_task_send_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_comch_server_task_send_set_conf((struct doca_comch_server *)server,
			(doca_comch_task_send_completion_cb_t)completion_cb,
			(doca_comch_task_send_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_cc_server_task_send_alloc_init(struct doca_cc_server *server,
		struct doca_cc_connection *connection, const void *msg, uint32_t len,
		struct doca_cc_task_send **task)
{
	struct doca_comch_task_send *comch = NULL;
	doca_error_t result;

	result = doca_comch_server_task_send_alloc_init((struct doca_comch_server *)server,
			(struct doca_comch_connection *)connection, msg, len,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_task_send *)comch;
	return result;
}

doca_error_t
doca_cc_server_event_consumer_register(struct doca_cc_server *server,
		doca_cc_event_consumer_cb_t new_consumer_cb,
		doca_cc_event_consumer_cb_t expired_consumer_cb)
{
	return doca_comch_server_event_consumer_register((struct doca_comch_server *)server,
			(doca_comch_event_consumer_cb_t)new_consumer_cb,
			(doca_comch_event_consumer_cb_t)expired_consumer_cb);
}

doca_error_t
doca_cc_server_send_task_set_conf(struct doca_cc_server *server,
		doca_cc_send_task_completion_cb_t completion_cb,
		doca_cc_send_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_comch_server_task_send_set_conf((struct doca_comch_server *)server,
			(doca_comch_task_send_completion_cb_t)completion_cb,
			(doca_comch_task_send_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_cc_server_send_task_alloc_init(struct doca_cc_server *server,
		struct doca_cc_connection *connection, const void *msg, size_t len,
		struct doca_cc_send_task **task)
{
	struct doca_comch_task_send *comch = NULL;
	doca_error_t result;

	if (len > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_comch_server_task_send_alloc_init((struct doca_comch_server *)server,
			(struct doca_comch_connection *)connection, msg, (uint32_t)len,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_send_task *)comch;
	return result;
}

doca_error_t
doca_cc_server_event_msg_recv_register(struct doca_cc_server *server,
		doca_cc_event_msg_recv_cb_t recv_cb)
{
	return doca_comch_server_event_msg_recv_register((struct doca_comch_server *)server,
			(doca_comch_event_msg_recv_cb_t)recv_cb);
}

doca_error_t
doca_cc_server_event_connection_register(struct doca_cc_server *server,
		doca_cc_event_connection_status_changed_cb_t connect_cb,
		doca_cc_event_connection_status_changed_cb_t disconnect_cb)
{
	return doca_comch_server_event_connection_status_changed_register(
			(struct doca_comch_server *)server,
			(doca_comch_event_connection_status_changed_cb_t)connect_cb,
			(doca_comch_event_connection_status_changed_cb_t)disconnect_cb);
}

doca_error_t
doca_cc_client_create(struct doca_dev *dev, const char *name, struct doca_cc_client **client)
{
	struct doca_comch_client *comch = NULL;
	doca_error_t result;

	result = doca_comch_client_create(dev, name, client == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*client = (struct doca_cc_client *)comch;
	return result;
}

doca_error_t
doca_cc_client_destroy(struct doca_cc_client *client)
{
	return doca_comch_client_destroy((struct doca_comch_client *)client);
}

struct doca_ctx *
doca_cc_client_as_ctx(struct doca_cc_client *client)
{
	return doca_comch_client_as_ctx((struct doca_comch_client *)client);
}

doca_error_t
doca_cc_client_set_max_msg_size(struct doca_cc_client *client, uint32_t size)
{
	return doca_comch_client_set_max_msg_size((struct doca_comch_client *)client, size);
}

doca_error_t
doca_cc_client_get_max_msg_size(const struct doca_cc_client *client, uint32_t *size)
{
	return doca_comch_client_get_max_msg_size((const struct doca_comch_client *)client,
			size);
}

doca_error_t
doca_cc_client_set_recv_queue_size(struct doca_cc_client *client, uint32_t size)
{
	return doca_comch_client_set_recv_queue_size((struct doca_comch_client *)client, size);
}

doca_error_t
doca_cc_client_get_recv_queue_size(const struct doca_cc_client *client, uint32_t *size)
{
	return doca_comch_client_get_recv_queue_size((const struct doca_comch_client *)client,
			size);
}

doca_error_t
doca_cc_client_get_device(const struct doca_cc_client *client, struct doca_dev **dev)
{
	return doca_comch_client_get_device((const struct doca_comch_client *)client, dev);
}

doca_error_t
doca_cc_client_get_connection(const struct doca_cc_client *client,
		struct doca_cc_connection **connection)
{
	struct doca_comch_connection *comch = NULL;
	doca_error_t result;

	result = doca_comch_client_get_connection((const struct doca_comch_client *)client,
			connection == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*connection = (struct doca_cc_connection *)comch;
	return result;
}

struct doca_cc_client *
doca_cc_client_get_client_ctx(const struct doca_cc_connection *connection)
{
	return (struct doca_cc_client *)doca_comch_client_get_client_ctx(
			(const struct doca_comch_connection *)connection);
}

doca_error_t
doca_cc_client_task_send_set_conf(struct doca_cc_client *client,
		doca_cc_task_send_completion_cb_t completion_cb,
		doca_cc_task_send_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_comch_client_task_send_set_conf((struct doca_comch_client *)client,
			(doca_comch_task_send_completion_cb_t)completion_cb,
			(doca_comch_task_send_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_cc_client_task_send_alloc_init(struct doca_cc_client *client,
		struct doca_cc_connection *connection, const void *msg, uint32_t len,
		struct doca_cc_task_send **task)
{
	struct doca_comch_task_send *comch = NULL;
	doca_error_t result;

	result = doca_comch_client_task_send_alloc_init((struct doca_comch_client *)client,
			(struct doca_comch_connection *)connection, msg, len,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_task_send *)comch;
	return result;
}

doca_error_t
doca_cc_client_event_consumer_register(struct doca_cc_client *client,
		doca_cc_event_consumer_cb_t new_consumer_cb,
		doca_cc_event_consumer_cb_t expired_consumer_cb)
{
	return doca_comch_client_event_consumer_register((struct doca_comch_client *)client,
			(doca_comch_event_consumer_cb_t)new_consumer_cb,
			(doca_comch_event_consumer_cb_t)expired_consumer_cb);
}

doca_error_t
doca_cc_client_send_task_set_conf(struct doca_cc_client *client,
		doca_cc_send_task_completion_cb_t completion_cb,
		doca_cc_send_task_completion_cb_t error_cb, uint32_t num_tasks)
{
	return doca_comch_client_task_send_set_conf((struct doca_comch_client *)client,
			(doca_comch_task_send_completion_cb_t)completion_cb,
			(doca_comch_task_send_completion_cb_t)error_cb, num_tasks);
}

doca_error_t
doca_cc_client_send_task_alloc_init(struct doca_cc_client *client,
		struct doca_cc_connection *connection, const void *msg, size_t len,
		struct doca_cc_send_task **task)
{
	struct doca_comch_task_send *comch = NULL;
	doca_error_t result;

	if (len > UINT32_MAX)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_comch_client_task_send_alloc_init((struct doca_comch_client *)client,
			(struct doca_comch_connection *)connection, msg, (uint32_t)len,
			task == NULL ? NULL : &comch);
	if (result == DOCA_SUCCESS)
		*task = (struct doca_cc_send_task *)comch;
	return result;
}

doca_error_t
doca_cc_client_event_msg_recv_register(struct doca_cc_client *client,
		doca_cc_event_msg_recv_cb_t recv_cb)
{
	return doca_comch_client_event_msg_recv_register((struct doca_comch_client *)client,
			(doca_comch_event_msg_recv_cb_t)recv_cb);
}

doca_error_t
doca_cc_connection_set_user_data(struct doca_cc_connection *connection,
		union doca_data user_data)
{
	return doca_comch_connection_set_user_data((struct doca_comch_connection *)connection,
			user_data);
}

union doca_data
doca_cc_connection_get_user_data(const struct doca_cc_connection *connection)
{
	return doca_comch_connection_get_user_data(
			(const struct doca_comch_connection *)connection);
}

doca_error_t
doca_cc_connection_update_info(struct doca_cc_connection *connection)
{
	return doca_comch_connection_update_info((struct doca_comch_connection *)connection);
}

doca_error_t
doca_cc_connection_get_counter(const struct doca_cc_connection *connection,
		enum doca_cc_counter counter, uint64_t *value)
{
	return doca_comch_connection_get_counter(
			(const struct doca_comch_connection *)connection,
			(enum doca_comch_counter)counter, value);
}

struct doca_task *
doca_cc_task_send_as_task(struct doca_cc_task_send *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}

struct doca_task *
doca_cc_send_task_as_task(struct doca_cc_send_task *task)
{
	return doca_comch_task_send_as_task((struct doca_comch_task_send *)task);
}
