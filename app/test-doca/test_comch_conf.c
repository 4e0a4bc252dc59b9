/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Capabilities of devices, and settings of servers and clients: everything before a start.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include "test_comch.h"

/* They are set, and never called. */
#define no_sent ((doca_comch_task_send_completion_cb_t)abort)
#define no_message ((doca_comch_event_msg_recv_cb_t)abort)
#define no_consumer ((doca_comch_event_consumer_cb_t)abort)

static void
no_status(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t successful)
{
	(void)event;
	(void)conn;
	(void)successful;
}

struct limits {
	uint32_t name, size, queue, tasks;
};

static int
limits_read(const struct doca_devinfo *devinfo, struct limits *limits)
{
	TEST_OK(doca_comch_cap_get_max_name_len(devinfo, &limits->name));
	TEST_OK(doca_comch_cap_get_max_msg_size(devinfo, &limits->size));
	TEST_OK(doca_comch_cap_get_max_recv_queue_size(devinfo, &limits->queue));
	TEST_OK(doca_comch_cap_get_max_send_tasks(devinfo, &limits->tasks));
	return 0;
}

/* What public programs ask for is there. */
static int
test_comch_cap_values(void)
{
	const struct doca_devinfo *info;
	struct doca_dev *dev;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	info = doca_dev_as_devinfo(dev);
	TEST_RESULT(doca_comch_cap_server_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_cap_client_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_cap_server_is_supported(info));
	TEST_OK(doca_comch_cap_client_is_supported(info));
	TEST_OK(doca_dev_close(dev));
	TEST_CALL(test_cap(doca_comch_cap_get_max_name_len, 41));
	TEST_CALL(test_cap(doca_comch_cap_get_max_msg_size, 4080));
	TEST_CALL(test_cap(doca_comch_cap_get_max_recv_queue_size, 8192));
	TEST_CALL(test_cap(doca_comch_cap_get_max_send_tasks, 1024));
	return test_cap(doca_comch_cap_get_max_clients, 256);
}

/* A program of one side is told so by the environment. */
static int
test_comch_cap_side(void)
{
	struct doca_comch_server *server;
	struct doca_dev *dev;

	setenv("DOCA_COMPAT_SIDE", "host", 1);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_RESULT(doca_comch_cap_server_is_supported(doca_dev_as_devinfo(dev)),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(dev)));
	/* nor is there a representor to make one with */
	TEST_RESULT(doca_comch_server_create(dev, NULL, "one", &server),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_comch_client_not_supported(void)
{
	struct doca_comch_client *client;
	struct doca_dev *dev;

	setenv("DOCA_COMPAT_SIDE", "card", 1);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_comch_cap_server_is_supported(doca_dev_as_devinfo(dev)));
	TEST_RESULT(doca_comch_cap_client_is_supported(doca_dev_as_devinfo(dev)),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_comch_client_create(dev, "one", &client), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_comch_create_errors(void)
{
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	struct limits limits;
	char name[1024];

	TEST_CALL(test_listen());
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_rep_open(dev, TEST_REP, &rep));
	TEST_RESULT(doca_comch_server_create(NULL, rep, "one", &server), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_create(dev, NULL, "one", &server), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_create(dev, rep, NULL, &server), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_create(dev, rep, "one", NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_create(dev, rep, "", &server), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_3(doca_comch_client_create, dev, "one", &client);
	TEST_RESULT(doca_comch_client_create(dev, "", &client), DOCA_ERROR_INVALID_VALUE);
	/* the limit has the NUL in it */
	TEST_CALL(limits_read(doca_dev_as_devinfo(dev), &limits));
	TEST_TRUE(limits.name < sizeof(name));
	memset(name, 'n', sizeof(name));
	name[limits.name] = '\0';
	TEST_RESULT(doca_comch_server_create(dev, rep, name, &server), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_create(dev, name, &client), DOCA_ERROR_INVALID_VALUE);
	TEST_HAS(test_heard(), "the name of a server has 1 to 127 bytes");
	name[limits.name - 1] = '\0';
	TEST_OK(doca_comch_server_create(dev, rep, name, &server));
	TEST_OK(doca_comch_client_create(dev, name, &client));
	memset(name, 0, sizeof(name)); /* it was copied */
	TEST_OK(doca_comch_server_destroy(server));
	TEST_OK(doca_comch_client_destroy(client));
	TEST_RESULT(doca_comch_server_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dev_rep_close(rep));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_comch_server_settings_null(void)
{
	struct doca_comch_server *one;
	struct doca_dev_rep *rep;
	struct test_side side;
	struct doca_dev *dev;
	uint32_t nr;

	TEST_OK(test_server_make(&side, NULL, "one"));
	one = side.server;
	TEST_RESULT(doca_comch_server_set_max_msg_size(NULL, 64), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_server_get_max_msg_size, one, &nr);
	TEST_RESULT(doca_comch_server_set_recv_queue_size(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_server_get_recv_queue_size, one, &nr);
	TEST_NULL_2(doca_comch_server_get_device, one, &dev);
	TEST_TRUE(doca_comch_server_as_ctx(NULL) == NULL);
	TEST_RESULT(doca_comch_server_task_send_set_conf(NULL, no_sent, no_sent, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_set_conf(one, NULL, no_sent, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_set_conf(one, no_sent, NULL, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_server_event_msg_recv_register, one, no_message);
	TEST_NULL_3(doca_comch_server_event_consumer_register, one, no_consumer, no_consumer);
	TEST_TRUE(doca_comch_server_get_server_ctx(NULL) == NULL);
	TEST_NULL_2(doca_comch_server_get_device_rep, one, &rep);
	TEST_RESULT(doca_comch_server_get_device_repr(NULL, &rep), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_3(doca_comch_server_event_connection_status_changed_register, one, no_status,
			no_status);
	TEST_RESULT(doca_comch_server_event_connection_register(NULL, no_status, no_status),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

static int
test_comch_client_settings_null(void)
{
	struct doca_comch_connection *conn;
	struct test_side side;
	struct doca_dev *dev;
	uint32_t nr;

	TEST_OK(test_client_make(&side, NULL, "one"));
	TEST_RESULT(doca_comch_client_set_max_msg_size(NULL, 64), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_client_get_max_msg_size, side.client, &nr);
	TEST_RESULT(doca_comch_client_set_recv_queue_size(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_client_get_recv_queue_size, side.client, &nr);
	TEST_NULL_2(doca_comch_client_get_device, side.client, &dev);
	TEST_TRUE(doca_comch_client_as_ctx(NULL) == NULL);
	TEST_RESULT(doca_comch_client_task_send_set_conf(NULL, no_sent, no_sent, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_set_conf(side.client, NULL, no_sent, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_set_conf(side.client, no_sent, NULL, 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_comch_client_event_msg_recv_register, side.client, no_message);
	TEST_NULL_3(doca_comch_client_event_consumer_register, side.client, no_consumer,
			no_consumer);
	TEST_TRUE(doca_comch_client_get_client_ctx(NULL) == NULL);
	TEST_NULL_2(doca_comch_client_get_connection, side.client, &conn);
	TEST_RESULT(doca_comch_client_get_connection(side.client, &conn), DOCA_ERROR_BAD_STATE);
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

static int
test_comch_server_settings_range(void)
{
	struct test_side side;
	struct limits limits;
	uint32_t nr;

	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_CALL(limits_read(doca_dev_as_devinfo(side.dev), &limits));
	TEST_OK(doca_comch_server_get_max_msg_size(side.server, &nr));
	TEST_TRUE(nr >= 4080 && nr <= limits.size);
	TEST_OK(doca_comch_server_get_recv_queue_size(side.server, &nr));
	TEST_TRUE(nr >= 1 && nr <= limits.queue);
	TEST_RESULT(doca_comch_server_set_max_msg_size(side.server, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_set_max_msg_size(side.server, limits.size + 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_set_recv_queue_size(side.server, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_set_recv_queue_size(side.server, limits.queue + 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_set_conf(side.server, no_sent, no_sent, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_server_task_send_set_conf(side.server, no_sent, no_sent,
			limits.tasks + 1), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_server_set_max_msg_size(side.server, limits.size));
	TEST_OK(doca_comch_server_get_max_msg_size(side.server, &nr));
	TEST_TRUE(nr == limits.size);
	TEST_OK(doca_comch_server_set_max_msg_size(side.server, 1));
	TEST_OK(doca_comch_server_get_max_msg_size(side.server, &nr));
	TEST_TRUE(nr == 1);
	TEST_OK(doca_comch_server_set_recv_queue_size(side.server, limits.queue));
	TEST_OK(doca_comch_server_set_recv_queue_size(side.server, 10));
	TEST_OK(doca_comch_server_get_recv_queue_size(side.server, &nr));
	TEST_TRUE(nr == 10);
	TEST_OK(doca_comch_server_task_send_set_conf(side.server, no_sent, no_sent,
			limits.tasks));
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

static int
test_comch_client_settings_range(void)
{
	struct test_side side;
	struct limits limits;
	uint32_t nr;

	TEST_OK(test_client_make(&side, NULL, "one"));
	TEST_CALL(limits_read(doca_dev_as_devinfo(side.dev), &limits));
	TEST_OK(doca_comch_client_get_max_msg_size(side.client, &nr));
	TEST_TRUE(nr >= 4080 && nr <= limits.size);
	TEST_OK(doca_comch_client_get_recv_queue_size(side.client, &nr));
	TEST_TRUE(nr >= 1 && nr <= limits.queue);
	TEST_RESULT(doca_comch_client_set_max_msg_size(side.client, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_set_max_msg_size(side.client, limits.size + 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_set_recv_queue_size(side.client, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_set_recv_queue_size(side.client, limits.queue + 1),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_set_conf(side.client, no_sent, no_sent, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comch_client_task_send_set_conf(side.client, no_sent, no_sent,
			limits.tasks + 1), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comch_client_set_max_msg_size(side.client, limits.size));
	TEST_OK(doca_comch_client_get_max_msg_size(side.client, &nr));
	TEST_TRUE(nr == limits.size);
	TEST_OK(doca_comch_client_set_max_msg_size(side.client, 1));
	TEST_OK(doca_comch_client_get_max_msg_size(side.client, &nr));
	TEST_TRUE(nr == 1);
	TEST_OK(doca_comch_client_set_recv_queue_size(side.client, limits.queue));
	TEST_OK(doca_comch_client_set_recv_queue_size(side.client, 10));
	TEST_OK(doca_comch_client_get_recv_queue_size(side.client, &nr));
	TEST_TRUE(nr == 10);
	TEST_OK(doca_comch_client_task_send_set_conf(side.client, no_sent, no_sent,
			limits.tasks));
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

static int
test_comch_settings_running(void)
{
	struct test_side server, client;
	struct doca_dev_rep *rep = NULL;
	struct doca_dev *dev = NULL;
	uint32_t nr;

	TEST_CALL(test_listen());
	TEST_OK(test_pair_make(&server, &client));
	TEST_RESULT(doca_comch_server_set_max_msg_size(server.server, 64), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_server_set_recv_queue_size(server.server, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_server_task_send_set_conf(server.server, no_sent, no_sent, 1),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_server_event_msg_recv_register(server.server, no_message),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_server_event_consumer_register(server.server, no_consumer,
			no_consumer), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_server_get_max_msg_size(server.server, &nr));
	TEST_OK(doca_comch_server_get_recv_queue_size(server.server, &nr));
	TEST_OK(doca_comch_server_get_device(server.server, &dev));
	TEST_TRUE(dev == server.dev);
	TEST_RESULT(doca_comch_client_set_max_msg_size(client.client, 64), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_client_set_recv_queue_size(client.client, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_client_task_send_set_conf(client.client, no_sent, no_sent, 1),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_client_event_msg_recv_register(client.client, no_message),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_client_event_consumer_register(client.client, no_consumer,
			no_consumer), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_client_get_max_msg_size(client.client, &nr));
	TEST_OK(doca_comch_client_get_recv_queue_size(client.client, &nr));
	TEST_OK(doca_comch_client_get_device(client.client, &dev));
	TEST_TRUE(dev == client.dev);
	TEST_RESULT(doca_comch_server_event_connection_status_changed_register(server.server,
			no_status, no_status), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comch_server_event_connection_register(server.server, no_status,
			no_status), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_server_get_device_rep(server.server, &rep));
	TEST_TRUE(rep == server.rep);
	rep = NULL;
	TEST_OK(doca_comch_server_get_device_repr(server.server, &rep));
	TEST_TRUE(rep == server.rep);
	TEST_OK(test_side_end(&client, &server));
	TEST_OK(test_side_end(&server, NULL));
	TEST_HAS(test_heard(), "make settings before doca_ctx_start()");
	return 0;
}

/* The name of 2.7 sets the same callbacks. */
static int
test_comch_connection_register_old(void)
{
	struct test_side server, client;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_comch_server_event_connection_register(server.server, no_status, no_status));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_OK(test_side_end(&client, &server));
	TEST_TRUE(server.connected == 0 && server.disconnected == 0);
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

const struct test_case test_comch_conf[] = {
	TEST_CASE(test_comch_cap_values),
	TEST_CASE(test_comch_cap_side),
	TEST_CASE(test_comch_client_not_supported),
	TEST_CASE(test_comch_create_errors),
	TEST_CASE(test_comch_server_settings_null),
	TEST_CASE(test_comch_client_settings_null),
	TEST_CASE(test_comch_server_settings_range),
	TEST_CASE(test_comch_client_settings_range),
	TEST_CASE(test_comch_settings_running),
	TEST_CASE(test_comch_connection_register_old),
	TEST_CASES_END()
};
