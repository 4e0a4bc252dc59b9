/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The client, on the host: connects, exchanges texts with the server over the
 * fast path, and leaves.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "fast_path.h"

/* Pause between two attempts to find a server that is not there yet. */
#define RETRY_MS 100

static char client_text[] = "Hello from the host";

static void
state_changed(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct app *app = user_data;
	struct rte_comch_ctx_info info;

	if (next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_info_get(ctx, &info) == 0) {
		app->connected = true;
		app->conn = info.conn;
		printf("Connected to server \"%s\"\n", app->name);
	} else if (prev == RTE_COMCH_STATE_RUNNING) {
		/* Consumers of the server go with the connection. */
		app->peer_consumer = 0;
		app->conn = NULL;
		app->gone = true;
	}
}

static void
msg_received(struct rte_comch_conn *conn __rte_unused, const void *msg __rte_unused,
		uint32_t len __rte_unused, void *user_data __rte_unused)
{
	/* The control path is there, and carries nothing in this example. */
}

static void
msg_sent(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static bool
connect_ended(const struct app *app)
{
	return rte_comch_ctx_state_get(app->ctx) != RTE_COMCH_STATE_STARTING;
}

static bool
peer_closed(const struct app *app)
{
	return app->peer_consumer == 0 || app->gone;
}

static bool
never(const struct app *app __rte_unused)
{
	return false;
}

/*
 * Connect within the time of -w. The library waits for the card side itself,
 * but a card side that is there answers at once that it does not know the name,
 * which is normal while the server's process is starting.
 */
static int
connect_to_server(struct app *app)
{
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * app->wait_ms;
	int ret;

	do {
		ret = rte_comch_ctx_start(app->ctx);
		/* The connect timeout ends it; the second on top is never used. */
		if (ret == 0 || ret == -EINPROGRESS)
			ret = turn_until(app, connect_ended, app->wait_ms + MS_PER_S);
		if (ret == 0 && app->connected)
			return 0;
		if (ret == 0)
			ret = rte_comch_ctx_reason_get(app->ctx);
		if (ret == -ENOENT && turn_until(app, never, RETRY_MS) == -EINTR)
			ret = -EINTR;
	} while (ret == -ENOENT && rte_get_timer_cycles() < end);

	if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	else if (!failed())
		fail(ret, "%s: cannot connect to server \"%s\" (-n) of %s: %s", app->info.name,
				app->name, app->info.function, rte_comch_reason_str(ret));
	return ret;
}

void
client_run(struct app *app)
{
	const struct rte_comch_client_conf conf = {
		.name = app->name,
		.connect_timeout_ms = app->wait_ms,
		.ctrl = {
			.state_cb = state_changed,
			.send_cb = msg_sent,
			.recv_cb = msg_received,
			.consumer_new_cb = peer_consumer_new,
			.consumer_gone_cb = peer_consumer_gone,
			.user_data = app,
		},
	};
	int ret;

	if (app->text == NULL)
		app->text = client_text;
	ret = rte_comch_client_create(app->dev_id, &conf, &app->ctx);
	if (ret != 0) {
		fail(ret, "%s: cannot create a client of server \"%s\": %s", app->info.name,
				app->name, strerror(-ret));
		return;
	}

	if (engine_open(app) == 0) {
		printf("Client on %s (%s, %s) connects to server \"%s\"\n", app->info.name,
				app->info.function, app->info.pci_addr, app->name);
		if (connect_to_server(app) == 0) {
			data_run(app);
			/* So that the server ends in its own time, and not by our leaving. */
			if (!failed())
				turn_until(app, peer_closed, app->wait_ms);
		}
	}
	ctx_close(app, &app->ctx, "client");
	engine_close(app);
	if (app->connected)
		printf("Client stopped\n");
}
