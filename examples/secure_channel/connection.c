/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The connection: a server on the card, a client on the host, and one control
 * message each way, which says what the sender of it is going to send over the
 * fast path. All of it belongs to the main lcore. No data moves here.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "secure_channel.h"

/* Pause between two looks, and between two attempts to find a server. */
#define NAP_US 50
#define RETRY_MS 100

/* The control message; both sides can have another byte order. */
struct hello {
	rte_le32_t msg_size;
	rte_le32_t nb_msgs;
};

/* Waiting. 8< */
static int
turn(struct channel *ch, done_fn done, uint32_t timeout_ms, bool interruptible)
{
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * timeout_ms;

	while (!done(ch)) {
		if (interruptible && interrupted)
			return -EINTR;
		if (rte_get_timer_cycles() > end)
			return -ETIMEDOUT;
		if (rte_comch_pe_progress(ch->pe) == 0)
			rte_delay_us_sleep(NAP_US);
	}
	return 0;
}
/* >8 End of waiting. */

int
turn_until(struct channel *ch, done_fn done, uint32_t timeout_ms)
{
	return turn(ch, done, timeout_ms, true);
}

/* What the two sides tell each other. 8< */
static void
say_hello(struct channel *ch)
{
	static struct hello hello;
	struct rte_comch_task *task;
	int ret;

	/* The message stays where it is until its task has ended. */
	hello.msg_size = rte_cpu_to_le_32(ch->msg_size);
	hello.nb_msgs = rte_cpu_to_le_32(ch->nb_msgs);
	ret = rte_comch_conn_task_alloc(ch->conn, &hello, sizeof(hello), &task);
	if (ret == 0) {
		ret = rte_comch_task_submit(task);
		if (ret != 0)
			rte_comch_task_free(task);
	}
	if (ret != 0)
		fail(ret, "%s: cannot send: %s", ch->info.name, strerror(-ret));
}

static void
msg_received(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct channel *ch = user_data;
	const struct hello *hello = msg;
	uint32_t msg_size;

	if (conn != ch->conn || ch->agreed)
		return;
	/* The peer is not trusted: memory is going to be allocated by this. */
	if (len != sizeof(*hello)) {
		fail(-EBADMSG, "%s: the peer is another program", ch->info.name);
		return;
	}
	msg_size = rte_le_to_cpu_32(hello->msg_size);
	if (msg_size == 0 || msg_size > MAX_MSG_SIZE) {
		fail(-EBADMSG, "%s: the peer wants to send messages of %u bytes", ch->info.name,
				msg_size);
		return;
	}
	ch->peer_msg_size = msg_size;
	ch->peer_nb_msgs = rte_le_to_cpu_32(hello->nb_msgs);
	ch->agreed = true;
}
/* >8 End of what the two sides tell each other. */

static void
msg_sent(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

/* News of the peer's consumer. 8< */
static void
consumer_new(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	struct channel *ch = user_data;

	/* The sending thread waits for it. */
	if (conn == ch->conn && ch->peer_consumer == 0)
		__atomic_store_n(&ch->peer_consumer, consumer_id, __ATOMIC_RELEASE);
}

static void
consumer_gone(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	struct channel *ch = user_data;

	if (conn == ch->conn && consumer_id == ch->peer_consumer)
		ch->peer_closed = true;
}
/* >8 End of news of the peer's consumer. */

static void
connected(struct channel *ch, struct rte_comch_conn *conn)
{
	ch->conn = conn;
	ch->connected = true;
	printf("Connected on %s\n",
			ch->info.role == RTE_COMCH_ROLE_DPU ? ch->rep.name : ch->info.function);
	say_hello(ch);
}

static void
client_connected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct channel *ch = user_data;

	/* One channel per process, even if another client comes. */
	if (!ch->connected)
		connected(ch, conn);
}

static void
client_disconnected(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct channel *ch = user_data;

	if (conn != ch->conn)
		return;
	ch->conn = NULL;
	ch->gone = true;
	if (status != 0 && status != -ECANCELED)
		fail(status, "%s: the client is lost: %s", ch->rep.name,
				rte_comch_reason_str(status));
}

static void
client_state(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct channel *ch = user_data;
	struct rte_comch_ctx_info info;

	if (next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_info_get(ctx, &info) == 0) {
		connected(ch, info.conn);
	} else if (prev == RTE_COMCH_STATE_RUNNING) {
		ch->conn = NULL;
		ch->gone = true;
	}
}

static bool
is_connected(const struct channel *ch)
{
	return ch->connected || failed();
}

static bool
is_gone(const struct channel *ch)
{
	return ch->gone;
}

static bool
is_idle(const struct channel *ch)
{
	return rte_comch_ctx_state_get(ch->ctx) == RTE_COMCH_STATE_IDLE;
}

static bool
is_decided(const struct channel *ch)
{
	return rte_comch_ctx_state_get(ch->ctx) != RTE_COMCH_STATE_STARTING;
}

static bool
never(const struct channel *ch __rte_unused)
{
	return false;
}

static int
server_start(struct channel *ch)
{
	int ret;

	ret = rte_comch_ctx_start(ch->ctx);
	if (ret == -EEXIST)
		fail(ret, "%s: %s has a server \"%s\": end it, or choose another -r",
				ch->info.name, ch->rep.name, CHANNEL_NAME);
	else if (ret != 0)
		fail(ret, "%s: cannot start the server: %s", ch->info.name, strerror(-ret));
	if (ret != 0)
		return ret;

	printf("Server on %s waits for a client of %s (%s)\n", ch->info.name, ch->rep.name,
			ch->rep.pci_addr);
	ret = turn_until(ch, is_connected, ch->wait_ms);
	if (ret == -ETIMEDOUT)
		fail(ret, "%s: no client of %s within %u s: start the client, or raise -w",
				ch->info.name, ch->rep.name, ch->wait_ms / 1000);
	return ret;
}

/*
 * The library waits for the card side itself; but a card side that is there
 * answers at once that it does not know the name, which is normal while the
 * server's process is starting.
 */
static int
client_start(struct channel *ch)
{
	const uint64_t end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * ch->wait_ms;
	int ret;

	printf("Client on %s connects to the server of %s (%s)\n", ch->info.name, ch->info.function,
			ch->info.pci_addr);
	do {
		ret = rte_comch_ctx_start(ch->ctx);
		/* The connect timeout ends it; the second on top is never used. */
		if (ret == 0 || ret == -EINPROGRESS)
			ret = turn_until(ch, is_decided, ch->wait_ms + MS_PER_S);
		if (ret == 0 && ch->connected)
			return 0;
		if (ret == 0)
			ret = rte_comch_ctx_reason_get(ch->ctx);
		if (ret == -ENOENT && turn_until(ch, never, RETRY_MS) == -EINTR)
			ret = -EINTR;
	} while (ret == -ENOENT && rte_get_timer_cycles() < end);

	if (ret != -EINTR)
		fail(ret, "%s: cannot connect to the server of %s: %s", ch->info.name,
				ch->info.function, rte_comch_reason_str(ret));
	return ret;
}

static int
context_create(struct channel *ch)
{
	const struct rte_comch_ctrl_conf ctrl = {
		.send_cb = msg_sent,
		.recv_cb = msg_received,
		.consumer_new_cb = consumer_new,
		.consumer_gone_cb = consumer_gone,
		.user_data = ch,
	};
	const struct rte_comch_server_conf server = {
		.name = CHANNEL_NAME,
		.max_clients = 1,
		.ctrl = ctrl,
		.connect_cb = client_connected,
		.disconnect_cb = client_disconnected,
	};
	struct rte_comch_client_conf client = {
		.name = CHANNEL_NAME,
		.connect_timeout_ms = ch->wait_ms,
		.ctrl = ctrl,
	};

	if (ch->info.role == RTE_COMCH_ROLE_DPU)
		return rte_comch_server_create(ch->dev_id, ch->rep.rep_id, &server, &ch->ctx);
	client.ctrl.state_cb = client_state;
	return rte_comch_client_create(ch->dev_id, &client, &ch->ctx);
}

int
connection_open(struct channel *ch)
{
	int ret;

	ret = context_create(ch);
	if (ret == 0)
		ret = rte_comch_pe_create(NULL, &ch->pe);
	if (ret == 0)
		ret = rte_comch_ctx_attach(ch->ctx, ch->pe);
	if (ret != 0) {
		fail(ret, "%s: cannot set up the connection: %s", ch->info.name,
				strerror(-ret));
		return ret;
	}
	ret = ch->info.role == RTE_COMCH_ROLE_DPU ? server_start(ch) : client_start(ch);
	if (ret == -EINTR)
		fail(ret, "%s: interrupted", ch->info.name);
	return ret;
}

/* End of the connection. 8< */
void
connection_close(struct channel *ch)
{
	const bool server = ch->info.role == RTE_COMCH_ROLE_DPU;
	int ret = 0;

	/* A server lets its client leave first, unless something has failed. */
	if (server && ch->conn != NULL) {
		if (!failed())
			turn_until(ch, is_gone, ch->wait_ms);
		if (!ch->gone && rte_comch_server_disconnect(ch->conn) == 0)
			turn(ch, is_gone, TEARDOWN_MS, false);
	}
	if (ch->ctx != NULL)
		ret = rte_comch_ctx_stop(ch->ctx);
	/* -EALREADY: it never ran, or has ended with its connection. */
	if (ret == -EINPROGRESS || ret == -EALREADY)
		ret = turn(ch, is_idle, TEARDOWN_MS, false);
	if (ret == 0)
		ret = rte_comch_ctx_destroy(ch->ctx);
	if (ret == 0)
		ret = rte_comch_pe_destroy(ch->pe);
	if (ret != 0)
		fail(ret, "%s: the %s does not end: %s", ch->info.name,
				server ? "server" : "client", strerror(-ret));
}
/* >8 End of end of the connection. */
