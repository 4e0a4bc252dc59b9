/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The server, on the card: waits for one client, exchanges texts with it over
 * the fast path, and ends when the client has left.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "fast_path.h"

static char server_text[] = "Hello from the card";

static void
client_connected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct app *app = user_data;
	struct rte_comch_conn_info info;

	/* One exchange per process, even if another client comes. */
	if (app->connected)
		return;
	app->conn = conn;
	app->connected = true;
	if (rte_comch_conn_info_get(conn, &info) == 0)
		printf("Client connected from %s\n", info.function);
}

static void
client_disconnected(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct app *app = user_data;

	if (conn != app->conn)
		return;
	/* Its consumers go with it, without a callback of their own. */
	app->peer_consumer = 0;
	app->conn = NULL;
	app->gone = true;
	if (status == 0)
		printf("Client disconnected\n");
	else if (status == -ECONNRESET)
		fail(status, "%s: the client died", app->rep.name);
	else if (status == -EPROTO)
		fail(status, "%s: the client broke the protocol", app->rep.name);
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
client_came(const struct app *app)
{
	return app->connected || failed();
}

static bool
client_left(const struct app *app)
{
	return app->gone;
}

static void
serve(struct app *app)
{
	int ret;

	ret = turn_until(app, client_came, app->wait_ms);
	if (ret == -ETIMEDOUT)
		fail(ret, "%s: no client of %s within %u s: start the client, or raise -w",
				app->info.name, app->rep.name, app->wait_ms / 1000);
	else if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	if (ret != 0 || failed())
		return;

	data_run(app);

	/* The client ends the connection; if it does not, or failed, we do. */
	if (!failed() && turn_until(app, client_left, app->wait_ms) != 0)
		fail(-ETIMEDOUT, "%s: the client of %s does not leave", app->info.name,
				app->rep.name);
	if (app->conn != NULL && rte_comch_server_disconnect(app->conn) == 0)
		turn_to_end(app, client_left);
}

void
server_run(struct app *app)
{
	const struct rte_comch_server_conf conf = {
		.name = app->name,
		.max_clients = 1,
		.ctrl = {
			.send_cb = msg_sent,
			.recv_cb = msg_received,
			.consumer_new_cb = peer_consumer_new,
			.consumer_gone_cb = peer_consumer_gone,
			.user_data = app,
		},
		.connect_cb = client_connected,
		.disconnect_cb = client_disconnected,
	};
	int ret;

	if (app->text == NULL)
		app->text = server_text;
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
		serve(app);
		ctx_close(app, &app->ctx, "server");
		printf("Server stopped\n");
	}
	ctx_close(app, &app->ctx, "server");
	engine_close(app);
}
