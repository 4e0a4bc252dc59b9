/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The server, on the card: waits for one client, prints its text, answers it,
 * and ends when the client has left.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "ctrl_path.h"

#define SERVER_TEXT "Hello from the card"

static void
client_connected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct app *app = user_data;
	struct rte_comch_conn_info info;

	app->connected = true;
	if (rte_comch_conn_info_get(conn, &info) == 0) {
		printf("Client connected from %s", info.function);
		if (app->info.capa & RTE_COMCH_CAPA_PEER_ID)
			printf(", process %u of user %u", info.peer_pid, info.peer_uid);
		putchar('\n');
	}
}

static void
client_disconnected(struct rte_comch_conn *conn __rte_unused, int status, void *user_data)
{
	struct app *app = user_data;

	app->gone = true;
	if (status == 0)
		printf("Client disconnected\n");
	else if (status == -ECONNRESET)
		fail(status, "%s: the client died", app->rep.name);
	else if (status == -EPROTO)
		fail(status, "%s: the client broke the protocol", app->rep.name);
}

static void
text_received(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct app *app = user_data;

	print_text(msg, len);
	/* One answer per exchange, whatever the client sends. */
	if (!app->received)
		send_text(app, conn, SERVER_TEXT);
	app->received = true;
}

static bool
client_came(const struct app *app)
{
	return app->connected || failed();
}

static bool
client_left(const struct app *app)
{
	return app->gone || failed();
}

static bool
no_connection(const struct app *app)
{
	return rte_comch_server_conn_next(app->ctx, NULL) == NULL;
}

static void
exchange(struct app *app)
{
	int ret;

	ret = turn_until(app, client_came, app->wait_ms);
	if (ret == -ETIMEDOUT) {
		fail(ret, "%s: no client of %s within %u s: start the client, or raise -w",
				app->info.name, app->rep.name, app->wait_ms / 1000);
		return;
	}
	if (ret == 0)
		ret = turn_until(app, client_left, app->wait_ms);
	if (ret == -ETIMEDOUT)
		fail(ret, "%s: the client of %s did not finish within %u s", app->info.name,
				app->rep.name, app->wait_ms / 1000);
	else if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	else if (!failed() && !app->received)
		fail(-ENODATA, "%s: the client left without a text", app->info.name);
}

/* Teardown of the server. 8< */
static void
server_stop(struct app *app)
{
	struct rte_comch_conn *conn;
	int ret;

	/* Connections first: after an error or an interrupt one may be left. */
	conn = rte_comch_server_conn_next(app->ctx, NULL);
	if (conn != NULL && rte_comch_server_disconnect(conn) == 0)
		turn_to_end(app, no_connection);

	ret = rte_comch_ctx_stop(app->ctx);
	if (ret == -EINPROGRESS)
		ret = turn_to_end(app, ctx_idle);
	if (ret != 0)
		fail(ret, "%s: the server does not stop: %s", app->info.name, strerror(-ret));
	else
		printf("Server stopped\n");
}
/* >8 End of teardown of the server. */

void
server_run(struct app *app)
{
	/* Configuration of the server. 8< */
	const struct rte_comch_server_conf conf = {
		.name = app->name,
		.max_clients = 1,
		.ctrl = {
			.send_cb = text_sent,
			.recv_cb = text_received,
			.user_data = app,
		},
		.connect_cb = client_connected,
		.disconnect_cb = client_disconnected,
	};
	/* >8 End of configuration of the server. */
	int ret;

	ret = rte_comch_server_create(app->dev_id, app->rep.rep_id, &conf, &app->ctx);
	if (ret == -ENAMETOOLONG) {
		fail(ret, "%s: the name of -n is longer than %u bytes", app->info.name,
				app->info.max_name_len - 1);
		return;
	}
	if (ret != 0) {
		fail(ret, "%s: cannot create server \"%s\" on %s: %s", app->info.name,
				app->name, app->rep.name, strerror(-ret));
		return;
	}

	if (engine_open(app) == 0) {
		ret = rte_comch_ctx_start(app->ctx);
		if (ret == -EEXIST)
			fail(ret, "%s: %s has a server \"%s\": choose another name by -n",
					app->info.name, app->rep.name, app->name);
		else if (ret != 0)
			fail(ret, "%s: cannot start server \"%s\": %s", app->info.name,
					app->name, strerror(-ret));
	}
	if (!failed()) {
		printf("Server \"%s\" on %s waits for a client of %s (%s)\n", app->name,
				app->info.name, app->rep.name, app->rep.pci_addr);
		exchange(app);
		server_stop(app);
	}
	engine_close(app);
}
