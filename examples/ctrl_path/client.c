/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The client, on the host: connects, sends a text as soon as it is connected,
 * prints the answer, and leaves.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "ctrl_path.h"

#define CLIENT_TEXT "Hello from the host"

/* Pause between two attempts to find a server that is not there yet. */
#define RETRY_MS 100

static void
state_changed(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct app *app = user_data;
	struct rte_comch_ctx_info info;

	if (next != RTE_COMCH_STATE_RUNNING)
		return;
	app->connected = true;
	printf("Connected to server \"%s\"\n", app->name);
	if (rte_comch_ctx_info_get(ctx, &info) == 0)
		send_text(app, info.conn, CLIENT_TEXT);
}

static void
text_received(struct rte_comch_conn *conn __rte_unused, const void *msg, uint32_t len,
		void *user_data)
{
	struct app *app = user_data;

	print_text(msg, len);
	app->received = true;
}

static bool
connect_ended(const struct app *app)
{
	return rte_comch_ctx_state_get(app->ctx) != RTE_COMCH_STATE_STARTING;
}

static bool
exchange_ended(const struct app *app)
{
	return (app->sent && app->received) || failed() ||
			rte_comch_ctx_state_get(app->ctx) != RTE_COMCH_STATE_RUNNING;
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
	bool told = false;
	int ret, reason;

	for (;;) {
		ret = rte_comch_ctx_start(app->ctx);
		if (ret != 0 && ret != -EINPROGRESS) {
			fail(ret, "%s: cannot start the client: %s", app->info.name,
					strerror(-ret));
			return ret;
		}
		/* The connect timeout ends it; the second on top is never used. */
		ret = turn_until(app, connect_ended, app->wait_ms + MS_PER_S);
		if (ret != 0)
			break;
		if (app->connected)
			return 0;

		reason = rte_comch_ctx_reason_get(app->ctx);
		if (reason != -ENOENT || rte_get_timer_cycles() >= end) {
			fail(reason, "%s: cannot connect to server \"%s\" (-n) of %s: %s",
					app->info.name, app->name, app->info.function,
					rte_comch_reason_str(reason));
			return reason;
		}
		if (!told)
			printf("No server \"%s\" on %s yet, trying again for %u s\n", app->name,
					app->info.function, app->wait_ms / 1000);
		told = true;
		ret = turn_until(app, never, RETRY_MS);
		if (ret != -ETIMEDOUT)
			break;
	}
	if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	else if (!failed())
		fail(ret, "%s: cannot connect: %s", app->info.name, strerror(-ret));
	return ret;
}

static void
exchange(struct app *app)
{
	int ret;

	ret = turn_until(app, exchange_ended, app->wait_ms);
	if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	else if (ret == -ETIMEDOUT)
		fail(ret, "%s: server \"%s\" did not answer within %u s", app->info.name,
				app->name, app->wait_ms / 1000);
	else if (ret == 0 && !failed() && !(app->sent && app->received))
		fail(-ENOTCONN, "%s: server \"%s\" left: %s", app->info.name, app->name,
				rte_comch_reason_str(rte_comch_ctx_reason_get(app->ctx)));
}

static void
client_stop(struct app *app)
{
	int ret;

	ret = rte_comch_ctx_stop(app->ctx);
	/* -EALREADY: it was refused, or the server was faster. */
	if (ret == -EINPROGRESS || ret == -EALREADY)
		ret = turn_to_end(app, ctx_idle);
	if (ret != 0)
		fail(ret, "%s: the client does not stop: %s", app->info.name, strerror(-ret));
	else if (app->connected)
		printf("Client stopped\n");
}

void
client_run(struct app *app)
{
	const struct rte_comch_client_conf conf = {
		.name = app->name,
		.connect_timeout_ms = app->wait_ms,
		.ctrl = {
			.state_cb = state_changed,
			.send_cb = text_sent,
			.recv_cb = text_received,
			.user_data = app,
		},
	};
	int ret;

	ret = rte_comch_client_create(app->dev_id, &conf, &app->ctx);
	if (ret != 0) {
		fail(ret, "%s: cannot create a client of server \"%s\": %s", app->info.name,
				app->name, strerror(-ret));
		return;
	}

	if (engine_open(app) == 0) {
		printf("Client on %s (%s, %s) connects to server \"%s\"\n", app->info.name,
				app->info.function, app->info.pci_addr, app->name);
		if (connect_to_server(app) == 0)
			exchange(app);
		client_stop(app);
	}
	engine_close(app);
}
