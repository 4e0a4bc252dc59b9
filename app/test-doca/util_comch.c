/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers and clients for cases, with callbacks that count and note.
 */

#include <time.h>

#include "test_comch.h"

static struct test_side *
ctx_side(struct doca_ctx *ctx)
{
	union doca_data data = {NULL};

	doca_ctx_get_user_data(ctx, &data);
	return data.ptr;
}

static struct test_side *
conn_side(struct doca_comch_connection *conn)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(conn);
	struct doca_comch_client *client = doca_comch_client_get_client_ctx(conn);

	return ctx_side(server != NULL ? doca_comch_server_as_ctx(server) :
			doca_comch_client_as_ctx(client));
}

static void
on_state(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states prev,
		enum doca_ctx_states next)
{
	struct test_side *side = data.ptr;
	size_t length = strlen(side->states);

	(void)ctx;
	(void)prev;
	if (length < sizeof(side->states) - 1)
		side->states[length] = "ISRT"[next];
	if (next == DOCA_CTX_STATE_RUNNING && side->client != NULL)
		doca_comch_client_get_connection(side->client, &side->conn);
	if (side->on_state != NULL)
		side->on_state(side, next);
}

static void
task_end(struct test_side *side, struct doca_comch_task_send *task)
{
	struct doca_task *base = doca_comch_task_send_as_task(task);

	side->status = doca_task_get_status(base);
	side->task = task;
	if (side->on_sent != NULL)
		side->on_sent(side, task);
	else if (!side->keep_tasks)
		doca_task_free(base);
}

static void
on_sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct test_side *side = ctx_data.ptr;

	(void)task_data;
	side->sent++;
	task_end(side, task);
}

static void
on_not_sent(struct doca_comch_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct test_side *side = ctx_data.ptr;

	(void)task_data;
	side->failed++;
	task_end(side, task);
}

static doca_error_t
send_bytes(struct test_side *side, struct doca_comch_connection *conn, const void *bytes,
		uint32_t length)
{
	struct doca_comch_task_send *task;
	doca_error_t result;

	result = side->server != NULL ?
		doca_comch_server_task_send_alloc_init(side->server, conn, bytes, length, &task) :
		doca_comch_client_task_send_alloc_init(side->client, conn, bytes, length, &task);
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_task_submit(doca_comch_task_send_as_task(task));
	if (result != DOCA_SUCCESS)
		doca_task_free(doca_comch_task_send_as_task(task));
	return result;
}

doca_error_t
test_send(struct test_side *side, const char *text)
{
	return send_bytes(side, side->conn, text, strlen(text) + 1);
}

static void
on_receive(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t length,
		struct doca_comch_connection *conn)
{
	struct test_side *side = conn_side(conn);

	(void)event;
	side->received++;
	side->message_len = length;
	snprintf(side->message, sizeof(side->message), "%.*s", (int)length, (char *)bytes);
	if (side->on_receive != NULL)
		side->on_receive(side, conn);
	if (side->echo)
		send_bytes(side, conn, bytes, length);
}

static void
on_connect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t successful)
{
	struct test_side *side = conn_side(conn);

	(void)event;
	side->connected += successful;
	if (side->refuse_second && side->conn != NULL)
		doca_comch_server_disconnect(side->server, conn);
	else
		side->conn = conn;
	if (side->on_connect != NULL)
		side->on_connect(side);
}

static void
on_disconnect(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t successful)
{
	struct test_side *side = conn_side(conn);

	(void)event;
	side->disconnected += successful;
	if (side->conn == conn)
		side->conn = NULL;
	if (side->on_disconnect != NULL)
		side->on_disconnect(side, conn);
}

static void
on_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	struct test_side *side = conn_side(conn);

	(void)event;
	side->consumers++;
	side->consumer_id = id;
}

static void
on_consumer_gone(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	(void)event;
	(void)id;
	conn_side(conn)->consumers_gone++;
}

doca_error_t
test_dev_open(const char *pci_addr, struct doca_dev **dev)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (doca_devinfo_create_list(&list, &nb) != DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	for (i = 0; i < nb && result != DOCA_SUCCESS; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal)
			result = doca_dev_open(list[i], dev);
	doca_devinfo_destroy_list(list);
	return result;
}

doca_error_t
test_rep_open(struct doca_dev *dev, const char *pci_addr, struct doca_dev_rep **rep)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;
	struct doca_devinfo_rep **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (doca_devinfo_rep_create_list(dev, DOCA_DEVINFO_REP_FILTER_NET, &list, &nb) !=
			DOCA_SUCCESS)
		return DOCA_ERROR_INITIALIZATION;
	for (i = 0; i < nb && result != DOCA_SUCCESS; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal)
			result = doca_dev_rep_open(list[i], rep);
	doca_devinfo_rep_destroy_list(list);
	return result;
}

int
test_cap(doca_error_t (*get)(const struct doca_devinfo *devinfo, uint32_t *value), uint32_t least)
{
	struct doca_devinfo *info;
	struct doca_dev *dev;
	uint32_t value;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	info = doca_dev_as_devinfo(dev);
	TEST_NULL_2(get, info, &value);
	TEST_OK(get(info, &value));
	TEST_TRUE(value >= least);
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* What is the same for a server and for a client. */
static doca_error_t
side_begin(struct test_side *side, struct doca_pe *pe)
{
	doca_error_t result;

	memset(side, 0, sizeof(*side));
	side->pe = pe;
	result = test_dev_open(TEST_DEV, &side->dev);
	if (result == DOCA_SUCCESS && pe == NULL)
		result = doca_pe_create(&side->pe);
	return result;
}

static doca_error_t
side_connect(struct test_side *side)
{
	union doca_data data = {side};
	doca_error_t result;

	result = doca_pe_connect_ctx(side->pe, side->ctx);
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_user_data(side->ctx, data));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_set_state_changed_cb(side->ctx, on_state));
	return result;
}

doca_error_t
test_server_make(struct test_side *side, struct doca_pe *pe, const char *name)
{
	doca_error_t result;

	result = side_begin(side, pe);
	DOCA_ERROR_PROPAGATE(result, test_rep_open(side->dev, TEST_REP, &side->rep));
	DOCA_ERROR_PROPAGATE(result,
			doca_comch_server_create(side->dev, side->rep, name, &side->server));
	if (result != DOCA_SUCCESS)
		return result;
	side->ctx = doca_comch_server_as_ctx(side->server);
	result = side_connect(side);
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_task_send_set_conf(side->server, on_sent,
			on_not_sent, TEST_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_msg_recv_register(side->server,
			on_receive));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_connection_status_changed_register(
			side->server, on_connect, on_disconnect));
	DOCA_ERROR_PROPAGATE(result, doca_comch_server_event_consumer_register(side->server,
			on_consumer, on_consumer_gone));
	return result;
}

doca_error_t
test_client_make(struct test_side *side, struct doca_pe *pe, const char *name)
{
	doca_error_t result;

	result = side_begin(side, pe);
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_create(side->dev, name, &side->client));
	if (result != DOCA_SUCCESS)
		return result;
	side->ctx = doca_comch_client_as_ctx(side->client);
	result = side_connect(side);
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_task_send_set_conf(side->client, on_sent,
			on_not_sent, TEST_TASKS));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_event_msg_recv_register(side->client,
			on_receive));
	DOCA_ERROR_PROPAGATE(result, doca_comch_client_event_consumer_register(side->client,
			on_consumer, on_consumer_gone));
	return result;
}

doca_error_t
test_tasks_set(struct test_side *side, uint32_t tasks)
{
	return side->server != NULL ?
		doca_comch_server_task_send_set_conf(side->server, on_sent, on_not_sent, tasks) :
		doca_comch_client_task_send_set_conf(side->client, on_sent, on_not_sent, tasks);
}

doca_error_t
test_pair_make(struct test_side *server, struct test_side *client)
{
	doca_error_t result = test_server_make(server, NULL, "pair");

	DOCA_ERROR_PROPAGATE(result, test_client_make(client, server->pe, "pair"));
	DOCA_ERROR_PROPAGATE(result, doca_ctx_start(server->ctx));
	if (result != DOCA_SUCCESS)
		return result;
	result = doca_ctx_start(client->ctx);
	if (result != DOCA_ERROR_IN_PROGRESS)
		return DOCA_ERROR_UNEXPECTED;
	if (!test_until_state(client, NULL, DOCA_CTX_STATE_RUNNING) ||
			!test_until_count(server, NULL, &server->connected, 1))
		return DOCA_ERROR_TIME_OUT;
	return DOCA_SUCCESS;
}

static void
progress(struct test_side *side, struct test_side *other)
{
	static const struct timespec idle = {0, 20000};
	uint8_t done = doca_pe_progress(side->pe);

	if (other != NULL)
		done |= doca_pe_progress(other->pe);
	if (done == 0)
		nanosleep(&idle, NULL);
}

bool
test_until_state(struct test_side *side, struct test_side *other, enum doca_ctx_states state)
{
	time_t end = time(NULL) + TEST_SECONDS;

	while (test_state(side) != state && time(NULL) < end)
		progress(side, other);
	return test_state(side) == state;
}

bool
test_until_count(struct test_side *side, struct test_side *other, const unsigned int *count,
		unsigned int want)
{
	time_t end = time(NULL) + TEST_SECONDS;

	while (*count < want && time(NULL) < end)
		progress(side, other);
	return *count == want;
}

bool
test_until_least(struct test_side *side, const unsigned int *count, unsigned int want)
{
	time_t end = time(NULL) + TEST_SECONDS;

	while (*count < want && time(NULL) < end)
		progress(side, NULL);
	return *count >= want;
}

void
test_turn_short(struct test_side *side)
{
	int i;

	for (i = 0; i < 10; i++)
		doca_pe_progress(side->pe);
}

void
test_turn(struct test_side *side, struct test_side *other)
{
	int i;

	for (i = 0; i < 200; i++)
		progress(side, other);
}

doca_error_t
test_side_end(struct test_side *side, struct test_side *other)
{
	doca_error_t result;

	side->on_state = NULL;
	if (test_state(side) != DOCA_CTX_STATE_IDLE) {
		result = doca_ctx_stop(side->ctx);
		if (result != DOCA_SUCCESS && result != DOCA_ERROR_IN_PROGRESS)
			return result;
		if (!test_until_state(side, other, DOCA_CTX_STATE_IDLE))
			return DOCA_ERROR_TIME_OUT;
	}
	result = side->server != NULL ? doca_comch_server_destroy(side->server) :
		doca_comch_client_destroy(side->client);
	if (other == NULL || other->pe != side->pe)
		DOCA_ERROR_PROPAGATE(result, doca_pe_destroy(side->pe));
	if (side->rep != NULL)
		DOCA_ERROR_PROPAGATE(result, doca_dev_rep_close(side->rep));
	DOCA_ERROR_PROPAGATE(result, doca_dev_close(side->dev));
	return result;
}

int
test_pair_end(struct test_side *server, struct test_side *client)
{
	TEST_OK(test_side_end(client, server));
	TEST_OK(test_side_end(server, NULL));
	return 0;
}

enum doca_ctx_states
test_state(const struct test_side *side)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	doca_ctx_get_state(side->ctx, &state);
	return state;
}
