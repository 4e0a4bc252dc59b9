/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * CC by the names of 2.6: what passes on to Comch, and an exchange of two processes.
 */

#include <doca_dev.h>

#include "util_cc.h"

static void
on_produced(struct doca_cc_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct cc_side *side = ctx_data.ptr;

	(void)task_data;
	if (doca_cc_producer_task_send_get_buf(task) == side->buf &&
			doca_cc_producer_task_send_get_consumer_id(task) == side->consumer_id)
		side->moved++;
	doca_task_free(doca_cc_producer_task_send_as_task(task));
}

static void
on_consumed(struct doca_cc_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct cc_side *side = ctx_data.ptr;

	(void)task_data;
	if (doca_cc_consumer_task_post_recv_get_buf(task) == side->buf &&
			doca_cc_consumer_task_post_recv_get_producer_id(task) > 0)
		side->moved++;
	doca_task_free(doca_cc_consumer_task_post_recv_as_task(task));
}

static void
on_message(struct doca_cc_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		struct doca_cc_connection *connection)
{
	struct cc_side *side = cc_side_of(connection);

	(void)event;
	if (len < sizeof(side->text))
		memcpy(side->text, bytes, len);
	side->text_len = len;
}

static void
on_connect(struct doca_cc_event_connection_status_changed *event,
		struct doca_cc_connection *connection, uint8_t success)
{
	struct cc_side *side = cc_side_of(connection);
	union doca_data data = {.u64 = 99};

	(void)event;
	side->connection = connection;
	side->connects += success == 1;
	doca_cc_connection_set_user_data(connection, data);
}

static void
on_disconnect(struct doca_cc_event_connection_status_changed *event,
		struct doca_cc_connection *connection, uint8_t success)
{
	(void)event;
	if (doca_cc_connection_get_user_data(connection).u64 == 99)
		cc_side_of(connection)->disconnects += success == 1;
}

static int
start_server(struct cc_side *side)
{
	struct doca_ctx *ctx;

	TEST_OK(doca_cc_server_create(side->dev, side->rep, CC_NAME, &side->server));
	ctx = doca_cc_server_as_ctx(side->server);
	TEST_CALL(cc_connect_ctx(side, ctx));
	TEST_OK(doca_cc_server_task_send_set_conf(side->server, cc_on_sent, cc_on_not_sent, 4));
	TEST_OK(doca_cc_server_event_msg_recv_register(side->server, on_message));
	TEST_OK(doca_cc_server_event_connection_register(side->server, on_connect,
			on_disconnect));
	TEST_OK(doca_cc_server_event_consumer_register(side->server, cc_on_consumer,
			cc_on_consumer_gone));
	TEST_OK(doca_ctx_start(ctx));
	return test_other_sync(side->other);
}

static int
start_client(struct cc_side *side)
{
	struct doca_ctx *ctx;

	TEST_OK(doca_cc_client_create(side->dev, CC_NAME, &side->client));
	ctx = doca_cc_client_as_ctx(side->client);
	TEST_CALL(cc_connect_ctx(side, ctx));
	TEST_OK(doca_cc_client_task_send_set_conf(side->client, cc_on_sent, cc_on_not_sent, 4));
	TEST_OK(doca_cc_client_event_msg_recv_register(side->client, on_message));
	TEST_OK(doca_cc_client_event_consumer_register(side->client, cc_on_consumer,
			cc_on_consumer_gone));
	TEST_RESULT(doca_cc_client_get_connection(side->client, &side->connection),
			DOCA_ERROR_BAD_STATE);
	TEST_CALL(test_other_sync(side->other));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_CALL(cc_until_state(side, ctx, DOCA_CTX_STATE_RUNNING));
	TEST_OK(doca_cc_client_get_connection(side->client, &side->connection));
	return 0;
}

/* A message each way: the server answers. */
static int
send_text(struct cc_side *side, const char *text)
{
	union doca_data data = {.u64 = 7};
	struct doca_cc_task_send *task;

	if (side->server != NULL)
		TEST_OK(doca_cc_server_task_send_alloc_init(side->server, side->connection, text,
				strlen(text), &task));
	else
		TEST_OK(doca_cc_client_task_send_alloc_init(side->client, side->connection, text,
				strlen(text), &task));
	doca_task_set_user_data(doca_cc_task_send_as_task(task), data);
	TEST_CALL(cc_submit(side, doca_cc_task_send_as_task(task)));
	return cc_until(side, &side->sent, 1);
}

/* The server sends a buffer to the client's consumer. */
static int
produce(struct cc_side *side)
{
	struct doca_cc_producer *producer;
	struct doca_cc_producer_task_send *task;
	uint8_t bytes[CC_BYTES];
	struct doca_ctx *ctx;
	uint32_t id;

	memset(bytes, 0x5a, sizeof(bytes));
	TEST_CALL(cc_memory(side, bytes, true));
	TEST_OK(doca_cc_producer_create(side->connection, &producer));
	TEST_OK(doca_cc_producer_get_id(producer, &id));
	TEST_TRUE(id > 0);
	ctx = doca_cc_producer_as_ctx(producer);
	TEST_CALL(cc_connect_ctx(side, ctx));
	TEST_OK(doca_cc_producer_task_send_set_conf(producer, on_produced, cc_on_not_produced,
			4));
	TEST_OK(doca_ctx_start(ctx));
	TEST_CALL(cc_until(side, &side->consumer_id, 1));
	TEST_OK(doca_cc_producer_task_send_alloc_init(producer, side->buf, side->consumer_id,
			&task));
	doca_cc_producer_task_send_set_buf(task, side->buf);
	doca_cc_producer_task_send_set_consumer_id(task, side->consumer_id);
	TEST_CALL(cc_submit(side, doca_cc_producer_task_send_as_task(task)));
	TEST_CALL(cc_until(side, &side->moved, 1));
	TEST_CALL(cc_stop(side, ctx));
	TEST_OK(doca_cc_producer_destroy(producer));
	return 0;
}

static int
consume(struct cc_side *side)
{
	struct doca_cc_consumer *consumer;
	struct doca_cc_consumer_task_post_recv *task;
	static uint8_t bytes[CC_BYTES];
	struct doca_ctx *ctx;
	uint32_t id;
	size_t len;

	TEST_CALL(cc_memory(side, bytes, false));
	TEST_OK(doca_cc_consumer_create(side->connection, side->map, &consumer));
	ctx = doca_cc_consumer_as_ctx(consumer);
	TEST_CALL(cc_connect_ctx(side, ctx));
	TEST_OK(doca_cc_consumer_task_post_recv_set_conf(consumer, on_consumed, cc_on_not_consumed,
			4));
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_CALL(cc_until_state(side, ctx, DOCA_CTX_STATE_RUNNING));
	TEST_OK(doca_cc_consumer_get_id(consumer, &id));
	TEST_TRUE(id > 0);
	TEST_OK(doca_cc_consumer_task_post_recv_alloc_init(consumer, side->buf, &task));
	doca_cc_consumer_task_post_recv_set_buf(task, side->buf);
	TEST_CALL(cc_submit(side, doca_cc_consumer_task_post_recv_as_task(task)));
	TEST_CALL(cc_until(side, &side->moved, 1));
	TEST_OK(doca_buf_get_data_len(side->buf, &len));
	TEST_TRUE(len == CC_BYTES && bytes[0] == 0x5a && bytes[CC_BYTES - 1] == 0x5a);
	TEST_CALL(cc_stop(side, ctx));
	TEST_OK(doca_cc_consumer_destroy(consumer));
	return 0;
}

static int
test_cc_exchange(void)
{
	static const struct cc_year year = {
		.start_server = start_server,
		.start_client = start_client,
		.send_text = send_text,
		.produce = produce,
		.consume = consume,
	};

	return cc_exchange(&year);
}

static int
test_cc_capabilities(void)
{
	struct doca_devinfo *devinfo;
	struct cc_side side = {0};
	uint32_t value;

	TEST_CALL(cc_open(&side, false));
	devinfo = doca_dev_as_devinfo(side.dev);
	TEST_OK(doca_cc_cap_server_is_supported(devinfo));
	TEST_OK(doca_cc_cap_client_is_supported(devinfo));
	TEST_OK(doca_cc_cap_get_max_name_len(devinfo, &value));
	TEST_TRUE(value > sizeof(CC_NAME));
	TEST_OK(doca_cc_cap_get_max_msg_size(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_cap_get_max_recv_queue_size(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_cap_get_max_send_tasks(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_cap_get_max_clients(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_producer_cap_is_supported(devinfo));
	TEST_OK(doca_cc_producer_cap_get_max_num_tasks(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_producer_cap_get_max_buf_size(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_producer_cap_get_max_producers(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_consumer_cap_is_supported(devinfo));
	TEST_OK(doca_cc_consumer_cap_get_max_num_tasks(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_consumer_cap_get_max_buf_size(devinfo, &value));
	TEST_TRUE(value > 0);
	TEST_OK(doca_cc_consumer_cap_get_max_consumers(devinfo, &value));
	TEST_TRUE(value > 0);
	return cc_close(&side);
}

static int
test_cc_settings(void)
{
	struct doca_cc_server *server;
	struct doca_cc_client *client;
	struct cc_side side = {0};
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	uint32_t value;

	TEST_CALL(cc_open(&side, true));
	TEST_OK(doca_cc_server_create(side.dev, side.rep, CC_NAME, &server));
	TEST_OK(doca_cc_server_set_max_msg_size(server, 128));
	TEST_OK(doca_cc_server_get_max_msg_size(server, &value));
	TEST_TRUE(value == 128);
	TEST_OK(doca_cc_server_set_recv_queue_size(server, 16));
	TEST_OK(doca_cc_server_get_recv_queue_size(server, &value));
	TEST_TRUE(value == 16);
	TEST_OK(doca_cc_server_get_device(server, &dev));
	TEST_TRUE(dev == side.dev);
	TEST_OK(doca_cc_server_get_device_repr(server, &rep));
	TEST_TRUE(rep == side.rep);
	TEST_OK(doca_cc_server_destroy(server));

	TEST_OK(doca_cc_client_create(side.dev, CC_NAME, &client));
	TEST_OK(doca_cc_client_set_max_msg_size(client, 128));
	TEST_OK(doca_cc_client_get_max_msg_size(client, &value));
	TEST_TRUE(value == 128);
	TEST_OK(doca_cc_client_set_recv_queue_size(client, 16));
	TEST_OK(doca_cc_client_get_recv_queue_size(client, &value));
	TEST_TRUE(value == 16);
	TEST_OK(doca_cc_client_get_device(client, &dev));
	TEST_TRUE(dev == side.dev);
	TEST_OK(doca_cc_client_destroy(client));
	return cc_close(&side);
}

const struct test_case test_cc[] = {
	TEST_CASE(test_cc_capabilities),
	TEST_CASE(test_cc_settings),
	TEST_CASE(test_cc_exchange),
	TEST_CASES_END(),
};
