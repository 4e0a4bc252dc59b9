/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Progress engines: doca_pe_*(). What contexts and tasks do is in their own files.
 */

#include <poll.h>

#include "test_comch.h"

static int
test_pe_null(void)
{
	doca_event_handle_t handle;
	struct doca_pe *pe;
	size_t nb;

	TEST_OK(doca_pe_create(&pe));
	TEST_RESULT(doca_pe_create(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_pe_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(doca_pe_progress(NULL) == 0);
	TEST_NULL_2(doca_pe_get_notification_handle, pe, &handle);
	TEST_RESULT(doca_pe_request_notification(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_pe_clear_notification(NULL, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_pe_set_event_mode(NULL, DOCA_PE_EVENT_MODE_PROGRESS_ALL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_pe_get_num_inflight_tasks, pe, &nb);
	TEST_RESULT(doca_pe_connect_ctx(pe, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_pe_destroy(pe));
	return 0;
}

/* An engine is there before any device, and has a descriptor of its own. */
static int
test_pe_create(void)
{
	doca_event_handle_t handles[2], again;
	struct doca_pe *pes[2];
	size_t nb = 1;

	TEST_OK(doca_pe_create(&pes[0]));
	TEST_OK(doca_pe_create(&pes[1]));
	TEST_OK(doca_pe_get_notification_handle(pes[0], &handles[0]));
	TEST_OK(doca_pe_get_notification_handle(pes[1], &handles[1]));
	TEST_OK(doca_pe_get_notification_handle(pes[0], &again));
	TEST_TRUE(handles[0] >= 0 && handles[1] >= 0 && handles[0] != handles[1]);
	TEST_TRUE(handles[0] == again);
	TEST_TRUE(doca_pe_progress(pes[0]) == 0);
	TEST_OK(doca_pe_get_num_inflight_tasks(pes[0], &nb));
	TEST_TRUE(nb == 0);
	TEST_OK(doca_pe_destroy(pes[0]));
	TEST_OK(doca_pe_destroy(pes[1]));
	return 0;
}

static int
test_pe_event_mode(void)
{
	struct doca_pe *pe;

	TEST_OK(doca_pe_create(&pe));
	TEST_OK(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL));
	TEST_OK(doca_pe_set_event_mode(pe, DOCA_PE_EVENT_MODE_PROGRESS_SELECTIVE));
	TEST_RESULT(doca_pe_set_event_mode(pe, (enum doca_pe_event_mode)2),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_pe_destroy(pe));
	return 0;
}

static bool
readable(const struct doca_pe *pe, int milliseconds)
{
	doca_event_handle_t handle = -1;
	struct pollfd pfd;

	doca_pe_get_notification_handle(pe, &handle);
	pfd = (struct pollfd){.fd = handle, .events = POLLIN};
	return poll(&pfd, 1, milliseconds) == 1;
}

static int
test_pe_notification(void)
{
	struct test_side server, client;
	unsigned int i;

	TEST_OK(test_server_make(&server, NULL, "pair"));
	TEST_OK(test_client_make(&client, NULL, "pair"));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_RUNNING));
	test_turn(&client, &server);

	/* nothing comes: not readable, also when it is requested twice */
	TEST_TRUE(!readable(server.pe, 0));
	TEST_OK(doca_pe_request_notification(server.pe));
	TEST_OK(doca_pe_request_notification(server.pe));
	TEST_TRUE(!readable(server.pe, 50));
	/* a message comes: readable, until it is handled */
	TEST_OK(test_send(&client, "wake up"));
	TEST_TRUE(readable(server.pe, 10000));
	TEST_OK(doca_pe_clear_notification(server.pe, 0));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 1));
	for (i = 0; i < 1000 && doca_pe_progress(server.pe) != 0; i++)
		;
	TEST_TRUE(doca_pe_progress(server.pe) == 0);
	TEST_TRUE(!readable(server.pe, 0));
	/* it is there before the request */
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 1));
	TEST_OK(test_send(&client, "again"));
	TEST_OK(doca_pe_request_notification(server.pe));
	TEST_TRUE(readable(server.pe, 10000));
	TEST_TRUE(test_until_count(&server, NULL, &server.received, 2));
	TEST_OK(doca_pe_clear_notification(server.pe, doca_event_invalid_handle));

	return test_pair_end(&server, &client);
}

static int
test_pe_connect(void)
{
	struct test_side side;
	struct doca_pe *pe;

	TEST_OK(doca_pe_create(&pe));
	TEST_OK(test_client_make(&side, NULL, "nobody"));
	TEST_RESULT(doca_pe_connect_ctx(NULL, side.ctx), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_pe_connect_ctx(side.pe, side.ctx), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_pe_connect_ctx(pe, side.ctx), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_ctx_start(side.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_RESULT(doca_pe_connect_ctx(pe, side.ctx), DOCA_ERROR_NOT_PERMITTED);
	TEST_OK(test_side_end(&side, NULL));
	TEST_OK(doca_pe_destroy(pe));
	return 0;
}

/* An engine outlives its contexts, whatever their state is. */
static int
test_pe_destroy(void)
{
	struct test_side side;

	TEST_OK(test_server_make(&side, NULL, "one"));
	TEST_RESULT(doca_pe_destroy(side.pe), DOCA_ERROR_IN_USE);
	TEST_OK(doca_ctx_start(side.ctx));
	TEST_RESULT(doca_pe_destroy(side.pe), DOCA_ERROR_IN_USE);
	TEST_OK(doca_ctx_stop(side.ctx));
	TEST_RESULT(doca_pe_destroy(side.pe), DOCA_ERROR_IN_USE);
	TEST_OK(test_side_end(&side, NULL));
	return 0;
}

struct inside {
	struct doca_pe *other;
	unsigned int done;
	doca_error_t mode, notification, destroy;
	uint8_t progress, other_progress;
};

static void
all_inside(struct test_side *side, struct doca_comch_connection *conn)
{
	struct inside *inside = side->data;

	(void)conn;
	inside->done++;
	inside->mode = doca_pe_set_event_mode(side->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
	inside->notification = doca_pe_request_notification(side->pe);
	inside->destroy = doca_pe_destroy(side->pe);
	inside->progress = doca_pe_progress(side->pe) | doca_pe_progress(side->pe);
	inside->other_progress = doca_pe_progress(inside->other);
}

/* What a callback may not do, and what it may: another engine is another thing. */
static int
test_pe_in_callback(void)
{
	struct test_side server, client;
	struct inside inside = {0};

	TEST_CALL(test_listen());
	TEST_OK(doca_pe_create(&inside.other));
	TEST_OK(test_pair_make(&server, &client));
	server.on_receive = all_inside;
	server.data = &inside;
	TEST_OK(test_send(&client, "one"));
	TEST_OK(test_send(&client, "two"));
	TEST_TRUE(test_until_count(&server, NULL, &inside.done, 2));
	TEST_RESULT(inside.mode, DOCA_ERROR_BAD_STATE);
	TEST_RESULT(inside.notification, DOCA_ERROR_BAD_STATE);
	TEST_RESULT(inside.destroy, DOCA_ERROR_IN_USE);
	TEST_TRUE(inside.progress == 0 && inside.other_progress == 0);
	TEST_TRUE(test_count(test_heard(), "doca_pe_progress() was called in a callback") == 1);
	TEST_OK(doca_pe_destroy(inside.other));
	return test_pair_end(&server, &client);
}

static void
end_inside(struct test_side *side, enum doca_ctx_states next)
{
	struct inside *inside = side->data;

	if (next != DOCA_CTX_STATE_IDLE)
		return;
	side->status = doca_comch_server_destroy(side->server);
	inside->mode = doca_pe_set_event_mode(side->pe, DOCA_PE_EVENT_MODE_PROGRESS_ALL);
	inside->notification = doca_pe_request_notification(side->pe);
	inside->progress = doca_pe_progress(side->pe);
	inside->destroy = doca_pe_destroy(side->pe);
	inside->done++;
}

/* The same in the state callback of a stop, where no doca_pe_progress() is. */
static int
test_pe_in_callback_of_stop(void)
{
	struct inside inside = {0};
	struct test_side server;

	TEST_OK(test_server_make(&server, NULL, "one"));
	TEST_OK(doca_ctx_start(server.ctx));
	server.on_state = end_inside;
	server.data = &inside;
	TEST_OK(doca_ctx_stop(server.ctx));
	TEST_TRUE(inside.done == 1 && inside.progress == 0);
	TEST_OK(server.status);
	TEST_RESULT(inside.mode, DOCA_ERROR_BAD_STATE);
	TEST_RESULT(inside.notification, DOCA_ERROR_BAD_STATE);
	TEST_RESULT(inside.destroy, DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_pe_destroy(server.pe));
	TEST_OK(doca_dev_rep_close(server.rep));
	TEST_OK(doca_dev_close(server.dev));
	return 0;
}

/* An engine counts the tasks of its contexts that are submitted, and no others. */
static int
test_pe_inflight(void)
{
	struct doca_comch_task_send *task;
	struct test_side server, client;
	size_t nb;

	TEST_OK(test_pair_make(&server, &client));
	TEST_OK(doca_comch_client_task_send_alloc_init(client.client, client.conn, "x", 1, &task));
	TEST_OK(doca_pe_get_num_inflight_tasks(server.pe, &nb));
	TEST_TRUE(nb == 0);
	TEST_OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	TEST_OK(test_send(&server, "y"));
	TEST_OK(doca_pe_get_num_inflight_tasks(server.pe, &nb));
	TEST_TRUE(nb == 2);
	TEST_OK(doca_ctx_get_num_inflight_tasks(client.ctx, &nb));
	TEST_TRUE(nb == 1);
	TEST_TRUE(test_until_count(&client, NULL, &client.sent, 1));
	TEST_TRUE(test_until_count(&server, NULL, &server.sent, 1));
	TEST_OK(doca_pe_get_num_inflight_tasks(server.pe, &nb));
	TEST_TRUE(nb == 0);
	return test_pair_end(&server, &client);
}

const struct test_case test_pe[] = {
	TEST_CASE(test_pe_null),
	TEST_CASE(test_pe_create),
	TEST_CASE(test_pe_event_mode),
	TEST_CASE(test_pe_notification),
	TEST_CASE(test_pe_connect),
	TEST_CASE(test_pe_destroy),
	TEST_CASE(test_pe_in_callback),
	TEST_CASE(test_pe_in_callback_of_stop),
	TEST_CASE(test_pe_inflight),
	TEST_CASES_END()
};
