/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts: doca_ctx_*(), their states and the wrong orders of calls.
 */

#include "test_comch.h"

static int
test_ctx_null(void)
{
	union doca_data data = {NULL};
	enum doca_ctx_states state;
	struct test_side side;
	size_t nb;

	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_RESULT(doca_ctx_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_ctx_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_ctx_get_state, side.ctx, &state);
	TEST_RESULT(doca_ctx_set_user_data(NULL, data), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_ctx_get_user_data, side.ctx, &data);
	TEST_RESULT(doca_ctx_set_state_changed_cb(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_ctx_get_num_inflight_tasks, side.ctx, &nb);
	TEST_RESULT(doca_ctx_flush_tasks(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_ctx_flush_tasks(side.ctx));
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

/* The numbers are part of the interface. */
static int
test_ctx_numbers(void)
{
	TEST_TRUE(DOCA_CTX_STATE_IDLE == 0 && DOCA_CTX_STATE_STARTING == 1);
	TEST_TRUE(DOCA_CTX_STATE_RUNNING == 2 && DOCA_CTX_STATE_STOPPING == 3);
	TEST_TRUE(DOCA_TASK_SUBMIT_FLAG_NONE == 0 && DOCA_TASK_SUBMIT_FLAG_FLUSH == 1);
	TEST_TRUE(DOCA_TASK_SUBMIT_FLAG_OPTIMIZE_REPORTS == 2);
	return 0;
}

static int
test_ctx_user_data(void)
{
	union doca_data data = {.u64 = 0x1122334455667788};
	struct doca_comch_client *client;
	struct doca_ctx *ctx;
	struct doca_dev *dev;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_comch_client_create(dev, "nobody", &client));
	ctx = doca_comch_client_as_ctx(client);
	TEST_OK(doca_ctx_get_user_data(ctx, &data));
	TEST_TRUE(data.u64 == 0);
	data.u64 = 0x1122334455667788;
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	data.u64 = 0;
	TEST_OK(doca_ctx_get_user_data(ctx, &data));
	TEST_TRUE(data.u64 == 0x1122334455667788);
	TEST_OK(doca_comch_client_destroy(client));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

/* Without an engine nothing can be started or stopped. */
static int
test_ctx_not_connected(void)
{
	struct doca_comch_client *client;
	enum doca_ctx_states state;
	struct doca_ctx *ctx;
	struct doca_dev *dev;

	TEST_CALL(test_listen());
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(doca_comch_client_create(dev, "nobody", &client));
	ctx = doca_comch_client_as_ctx(client);
	TEST_RESULT(doca_ctx_start(ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_ctx_stop(ctx), DOCA_ERROR_NOT_CONNECTED);
	TEST_HAS(test_heard(), "doca_pe_connect_ctx");
	TEST_OK(doca_ctx_get_state(ctx, &state));
	TEST_TRUE(state == DOCA_CTX_STATE_IDLE);
	TEST_OK(doca_comch_client_destroy(client));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_ctx_states_server(void)
{
	struct test_side side;
	int i;

	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_RESULT(doca_ctx_stop(side.ctx), DOCA_ERROR_BAD_STATE);
	/* what was stopped can be started again */
	for (i = 0; i < 3; i++) {
		side.states[0] = '\0';
		memset(side.states, 0, sizeof(side.states));
		TEST_OK(doca_ctx_start(side.ctx));
		TEST_TRUE(test_state(&side) == DOCA_CTX_STATE_RUNNING);
		TEST_RESULT(doca_ctx_start(side.ctx), DOCA_ERROR_BAD_STATE);
		TEST_OK(doca_ctx_stop(side.ctx));
		TEST_TRUE(strcmp(side.states, "RTI") == 0);
		TEST_RESULT(doca_ctx_stop(side.ctx), DOCA_ERROR_BAD_STATE);
	}
	/* without a callback */
	TEST_OK(doca_ctx_set_state_changed_cb(side.ctx, NULL));
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_OK(doca_ctx_stop(side.ctx));
	TEST_TRUE(strcmp(side.states, "RTI") == 0);
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

static int
test_ctx_states_client(void)
{
	struct test_side server, client;
	int i;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_ctx_start(server.ctx));
	for (i = 0; i < 3; i++) {
		memset(client.states, 0, sizeof(client.states));
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_state(&client) == DOCA_CTX_STATE_STARTING);
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_BAD_STATE);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_BAD_STATE);
		TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
		TEST_TRUE(strcmp(client.states, "SRTI") == 0);
		TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, i + 1));
	}
	return test_pair_end(&server, &client);
}

/* A client can be stopped before it is connected. */
static int
test_ctx_stop_starting(void)
{
	struct test_side client;
	doca_error_t result;

	TEST_CALL(test_listen());
	TEST_OK(test_client_make(&client, NULL, "nobody"));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_comch_client_destroy(client.client), DOCA_ERROR_IN_USE);
	TEST_HAS(test_heard(), "a client cannot be destroyed while it is STARTING: stop it, and");
	result = doca_ctx_stop(client.ctx);
	TEST_TRUE(result == DOCA_SUCCESS || result == DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	TEST_OK(test_side_end(&client, NULL));
	return 0;
}

/* What the guide calls mandatory is missing. */
static int
test_ctx_start_unset(void)
{
	struct doca_comch_server *server;
	struct doca_comch_client *client;
	struct doca_dev_rep *rep;
	struct doca_dev *dev;
	struct doca_pe *pe;

	TEST_OK(doca_pe_create(&pe));
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_rep_open(dev, TEST_REP, &rep));
	TEST_OK(doca_comch_server_create(dev, rep, "one", &server));
	TEST_OK(doca_comch_client_create(dev, "one", &client));
	TEST_OK(doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(server)));
	TEST_OK(doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(client)));
	TEST_RESULT(doca_ctx_start(doca_comch_server_as_ctx(server)), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_ctx_start(doca_comch_client_as_ctx(client)), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comch_server_destroy(server));
	TEST_OK(doca_comch_client_destroy(client));
	TEST_OK(doca_pe_destroy(pe));
	TEST_OK(doca_dev_rep_close(rep));
	TEST_OK(doca_dev_close(dev));
	return 0;
}

static int
test_ctx_start_name_taken(void)
{
	struct test_side first, second;

	TEST_CALL(test_listen());
	TEST_OK(test_server_make(&first, NULL, "same"));
	TEST_OK(test_server_make(&second, first.pe, "same"));
	TEST_OK(doca_ctx_start(first.ctx));
	TEST_RESULT(doca_ctx_start(second.ctx), DOCA_ERROR_ALREADY_EXIST);
	TEST_HAS(test_heard(), "a server 'same' runs on representor 0, stop it or take another");
	TEST_TRUE(test_state(&second) == DOCA_CTX_STATE_IDLE && second.states[0] == '\0');
	TEST_OK(doca_ctx_stop(first.ctx));
	TEST_OK(doca_ctx_start(second.ctx));
	TEST_OK(test_side_end(&second, &first));
	TEST_OK(test_side_end(&first, NULL));
	return 0;
}

static void
stop_running(struct test_side *side, enum doca_ctx_states next)
{
	if (next == DOCA_CTX_STATE_RUNNING)
		side->status = doca_ctx_stop(side->ctx);
}

static void
destroy_idle(struct test_side *side, enum doca_ctx_states next)
{
	stop_running(side, next);
	if (next != DOCA_CTX_STATE_IDLE)
		return;
	side->status = side->server != NULL ? doca_comch_server_destroy(side->server) :
		doca_comch_client_destroy(side->client);
	side->ctx = NULL;
}

/* The state callback stops a server inside of its start, and destroys it there. */
static int
test_ctx_stop_in_start(void)
{
	struct test_side side;

	TEST_OK(test_server_make(&side, NULL, "one"));
	side.on_state = stop_running;
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_OK(side.status);
	TEST_TRUE(test_until_state(&side, NULL, DOCA_CTX_STATE_IDLE));
	TEST_TRUE(strcmp(side.states, "RTI") == 0);
	side.on_state = destroy_idle;
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_TRUE(side.ctx == NULL);
	TEST_OK(side.status);
	TEST_OK(doca_pe_destroy(side.pe));
	TEST_OK(doca_dev_rep_close(side.rep));
	TEST_OK(doca_dev_close(side.dev));
	return 0;
}

/* A client is stopped when it is RUNNING, and destroyed when it is IDLE, in callbacks. */
static int
test_ctx_destroy_in_callback(void)
{
	struct test_side server, client;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(test_client_make(&client, server.pe, "one"));
	TEST_OK(doca_ctx_start(server.ctx));
	client.on_state = destroy_idle;
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_count(&server, NULL, &server.disconnected, 1));
	test_turn(&server, NULL);
	TEST_TRUE(client.ctx == NULL);
	TEST_OK(client.status);
	TEST_TRUE(strcmp(client.states, "SRTI") == 0);
	TEST_OK(doca_dev_close(client.dev));
	TEST_OK(test_side_end(&server, NULL));
	return 0;
}

/* A task that is not freed keeps its context STOPPING, and its end makes it IDLE. */
static int
test_ctx_leaked_task(void)
{
	struct doca_comch_task_send *task;
	struct test_side server, client;

	TEST_OK(test_pair_make(&server, &client));
	TEST_OK(doca_comch_client_task_send_alloc_init(client.client, client.conn, "x", 1, &task));
	TEST_RESULT(doca_ctx_stop(client.ctx), DOCA_ERROR_IN_PROGRESS);
	test_turn(&client, &server);
	TEST_TRUE(test_state(&client) == DOCA_CTX_STATE_STOPPING);
	TEST_RESULT(doca_task_submit(doca_comch_task_send_as_task(task)), DOCA_ERROR_BAD_STATE);
	doca_task_free(doca_comch_task_send_as_task(task));
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_IDLE));
	return test_pair_end(&server, &client);
}

const struct test_case test_ctx[] = {
	TEST_CASE(test_ctx_null),
	TEST_CASE(test_ctx_numbers),
	TEST_CASE(test_ctx_user_data),
	TEST_CASE(test_ctx_not_connected),
	TEST_CASE(test_ctx_states_server),
	TEST_CASE(test_ctx_states_client),
	TEST_CASE(test_ctx_stop_starting),
	TEST_CASE(test_ctx_start_unset),
	TEST_CASE(test_ctx_start_name_taken),
	TEST_CASE(test_ctx_stop_in_start),
	TEST_CASE(test_ctx_destroy_in_callback),
	TEST_CASE(test_ctx_leaked_task),
	TEST_CASES_END()
};
