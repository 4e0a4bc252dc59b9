/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a child process can be told, and how it does it. Each line gets one
 * answer: "ok" and values, or "failed" and a negative errno. How children are
 * started and ended is in test_comch_spawn.c.
 *
 *   server <name>             run an echo server for two processes of the host
 *   clients <number> <name>   connect so many clients more
 *   echo <rounds> <size>      every client sends, and checks what comes back
 *   window <messages> <size>  the first client alone, 16 at a time: ns/message
 *   flood <size>              the first client sends until it is killed
 *   slow <ms>                 each message that is received takes so long
 *   die <number>              killed by itself, with this message in its hands
 *   received                  messages of the server, or of the first client, since one
 *                             of these two
 *   memory                    kilobytes resident that are shared with nobody
 *   state                     clients running, clients idle, last reason
 *   leave                     stop and destroy everything
 *   quit                      end
 */

#include <inttypes.h>
#include <signal.h>
#include <unistd.h>

#include "test_comch_child.h"
#include "test_comch_util.h"

#define CHILD_MAX_CLIENTS 512
#define CHILD_MS 30000
#define CHILD_WINDOW 16

static struct {
	struct test_child_side side;
	struct test_ep *server;
	struct test_ep *clients[CHILD_MAX_CLIENTS];
	unsigned int nb_clients;
	uint32_t flood_size;
	unsigned int slow_ms;
	unsigned int die_at;
} child;

#define answer(...) test_child_reply(&child.side, __VA_ARGS__)

/* Progress until a condition holds. */
static int
child_until(bool (*done)(uint64_t value), uint64_t value, unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	while (!done(value)) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		if (test_progress() == 0)
			sched_yield();
	}
	return 0;
}

static int
do_server(const char *args)
{
	struct rte_comch_server_conf conf;
	char name[TEST_CHILD_LINE];
	int ret;

	if (sscanf(args, "%255s", name) != 1)
		return -EINVAL;
	child.server = test_ep_new();
	test_server_conf(child.server, name, &conf);
	child.server->echo = true;
	ret = test_servers_start(child.server, &conf, child.side.pe, test_place_nb_functions(2));
	return ret != 0 ? ret : answer("ok");
}

static bool
clients_settled(uint64_t value __rte_unused)
{
	unsigned int i;

	for (i = 0; i < child.nb_clients; i++)
		if (test_state(child.clients[i]) == RTE_COMCH_STATE_STARTING)
			return false;
	return true;
}

static int
do_clients(const char *args)
{
	struct rte_comch_client_conf conf;
	char name[TEST_CHILD_LINE];
	unsigned int i, nb;
	struct test_ep *ep;
	int ret;

	if (sscanf(args, "%u %255s", &nb, name) != 2 ||
			nb > CHILD_MAX_CLIENTS - child.nb_clients)
		return -EINVAL;
	for (i = 0; i < nb; i++) {
		ep = test_ep_new();
		test_client_conf(ep, name, &conf);
		conf.ctrl.nb_tasks = CHILD_WINDOW;
		conf.connect_timeout_ms = CHILD_MS;
		ret = test_client_start(ep, &conf, child.side.pe);
		if (ret != -EINPROGRESS)
			return ret;
		child.clients[child.nb_clients++] = ep;
	}
	ret = child_until(clients_settled, 0, CHILD_MS);
	for (i = 0; ret == 0 && i < child.nb_clients; i++)
		if (child.clients[i]->conn == NULL)
			ret = rte_comch_ctx_reason_get(child.clients[i]->ctx);
	return ret != 0 ? ret : answer("ok %u", child.nb_clients);
}

/* value: the number of messages that each client must have received by now */
static bool
clients_have(uint64_t value)
{
	unsigned int i;

	for (i = 0; i < child.nb_clients; i++)
		if (child.clients[i]->nb_recv < value)
			return false;
	return true;
}

static int
do_echo(const char *args)
{
	unsigned int rounds, size, round, i;
	uint32_t len, seed;
	struct test_ep *ep;
	uint64_t nb = 0;
	int ret;

	if (sscanf(args, "%u %u", &rounds, &size) != 2 || size == 0)
		return -EINVAL;
	for (i = 0; i < child.nb_clients; i++)
		child.clients[i]->nb_recv = 0;
	for (round = 0; round < rounds; round++) {
		for (i = 0; i < child.nb_clients; i++) {
			seed = (uint32_t)getpid() + i * 1000 + round;
			ret = test_send_pattern(child.clients[i]->conn, 1 + seed % size, seed);
			if (ret != 0)
				return ret;
		}
		ret = child_until(clients_have, round + 1, CHILD_MS);
		if (ret != 0)
			return ret;
		for (i = 0; i < child.nb_clients; i++, nb++) {
			ep = child.clients[i];
			seed = (uint32_t)getpid() + i * 1000 + round;
			len = 1 + seed % size;
			if (ep->nb_recv != round + 1 || ep->last_len != len ||
					!test_check(ep->last_msg, len, seed))
				return -EILSEQ;
		}
	}
	return answer("ok %" PRIu64, nb);
}

static void
window_recv(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
}

static int
do_window(const char *args)
{
	static uint8_t msg[4096];
	unsigned int nb, size, sent = 0;
	struct test_ep *ep = child.clients[0];
	uint64_t start, end;
	int ret;

	if (sscanf(args, "%u %u", &nb, &size) != 2 || size > sizeof(msg) || ep == NULL || nb == 0)
		return -EINVAL;
	ep->on_recv = window_recv;
	ep->nb_recv = 0;
	start = test_now_ns();
	end = start + (uint64_t)CHILD_MS * 1000000;
	while (ep->nb_recv < nb) {
		while (sent < nb && sent - ep->nb_recv < CHILD_WINDOW) {
			ret = test_send(ep->conn, msg, size);
			if (ret == -ENOMEM)
				break;
			if (ret != 0)
				return ret;
			sent++;
		}
		rte_comch_pe_progress(child.side.pe);
		if (test_now_ns() > end)
			return -ETIMEDOUT;
	}
	end = test_now_ns();
	ep->on_recv = NULL;
	return answer("ok %" PRIu64, (end - start) / nb);
}

static int
do_flood(const char *args)
{
	if (sscanf(args, "%u", &child.flood_size) != 1 || child.nb_clients == 0)
		return -EINVAL;
	return answer("ok");
}

/* Of the server, or the first client. */
static struct test_ep *
child_ep(void)
{
	return child.server != NULL ? child.server : child.clients[0];
}

static void
hard_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
	if (ep->nb_recv == child.die_at)
		raise(SIGKILL);
	usleep(child.slow_ms * 1000);
}

static int
hard_begin(void)
{
	if (child_ep() == NULL)
		return -EINVAL;
	child_ep()->on_recv = hard_recv;
	child_ep()->nb_recv = 0;
	return answer("ok");
}

static int
do_slow(const char *args)
{
	if (sscanf(args, "%u", &child.slow_ms) != 1)
		return -EINVAL;
	return hard_begin();
}

static int
do_die(const char *args)
{
	if (sscanf(args, "%u", &child.die_at) != 1)
		return -EINVAL;
	return hard_begin();
}

static int
do_received(const char *args __rte_unused)
{
	return child_ep() == NULL ? -EINVAL : answer("ok %u", child_ep()->nb_recv);
}

static int
do_memory(const char *args __rte_unused)
{
	return answer("ok %" PRIu64, test_private_kb());
}

static int
do_state(const char *args __rte_unused)
{
	unsigned int i, running = 0, idle = 0;
	int state, reason = 0;

	for (i = 0; i < child.nb_clients; i++) {
		state = test_state(child.clients[i]);
		running += state == RTE_COMCH_STATE_RUNNING;
		idle += state == RTE_COMCH_STATE_IDLE;
		if (state == RTE_COMCH_STATE_IDLE)
			reason = rte_comch_ctx_reason_get(child.clients[i]->ctx);
	}
	return answer("ok %u %u %d", running, idle, reason);
}

static int
do_leave(const char *args __rte_unused)
{
	test_cleanup();
	child.server = NULL;
	child.nb_clients = 0;
	child.flood_size = 0;
	child.side.pe = test_pe_new();
	return answer("ok");
}

/* Send what there are tasks for; its end is that of the process. */
static bool
child_flood(void)
{
	static uint8_t msg[65536];
	struct rte_comch_conn *conn;

	if (child.flood_size == 0)
		return false;
	conn = child.clients[0]->conn;
	while (conn != NULL && test_send(conn, msg, child.flood_size) == 0)
		;
	return true;
}

static const struct test_child_command commands[] = {
	{ "server ", do_server },
	{ "clients ", do_clients },
	{ "echo ", do_echo },
	{ "window ", do_window },
	{ "flood ", do_flood },
	{ "slow ", do_slow },
	{ "die ", do_die },
	{ "received", do_received },
	{ "memory", do_memory },
	{ "state", do_state },
	{ "leave", do_leave },
};

int
test_child_main(const char *socket_nr)
{
	int ret;

	child.side.commands = commands;
	child.side.nb_commands = RTE_DIM(commands);
	child.side.busy = child_flood;
	ret = test_child_run(&child.side, socket_nr);
	test_cleanup();
	return ret;
}
