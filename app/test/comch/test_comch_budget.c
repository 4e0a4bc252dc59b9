/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One peer, one budget: what a client can take of the send tasks of its server, and
 * what the others get then. In the last case the other clients are a process that
 * hangs, one that floods and one that is killed.
 */

#include <inttypes.h>
#include <signal.h>

#include "test_comch_child.h"
#include "test_comch_util.h"

#define NB_GOOD 8
/* Of each good client, one each period; together some per cent of what is possible. */
#define GOOD_MSGS 500
#define PERIOD_US 1000
/* A good message and its answer take no longer, on a busy machine too. */
#define BOUND_MS 500
/* Sends after which a server without a bound would have run out of anything. */
#define ENDLESS 100000

static struct test_place here;
static int card = -1;
static int host = -1;
static char text[16] = "budget";

static int
suite_setup(void)
{
	TEST_CALL(test_place_open(&here));
	card = test_place_card(&here);
	host = test_place_host(&here, test_place_function(0));
	return test_place_pair(card, host);
}

static void
suite_teardown(void)
{
	if (host >= 0 && test_vdev_remove((int16_t)host) != 0)
		printf("The host device cannot be removed\n");
	if (card >= 0 && test_vdev_remove((int16_t)card) != 0)
		printf("The card cannot be removed\n");
	test_place_close(&here);
}

static void
teardown(void)
{
	test_log_restore();
	test_child_cleanup();
	test_cleanup();
}

static int
server_with(uint32_t nb_tasks, uint32_t max_conn, struct test_ep **server)
{
	struct rte_comch_server_conf conf;

	*server = test_ep_new();
	test_server_conf(*server, "test", &conf);
	conf.ctrl.nb_tasks = nb_tasks;
	conf.ctrl.max_conn_tasks = max_conn;
	return test_server_start(*server, &conf, test_pe_new());
}

/* One client more, and the connection that the server has for it. */
static int
one_more(struct test_ep *server, struct rte_comch_pe *pe, struct test_ep **client,
		struct rte_comch_conn **conn)
{
	uint32_t before = server->nb_connects;

	*client = test_client_run("test", pe);
	TEST_WAIT(server->nb_connects == before + 1 && (*client)->conn != NULL, TEST_MS);
	*conn = server->conn;
	return TEST_SUCCESS;
}

/* As many tasks as there are for a connection; why there are no more. */
static int
take_all(struct rte_comch_conn *conn, struct rte_comch_task **tasks, uint32_t max, uint32_t *nb)
{
	int ret = 0;

	for (*nb = 0; *nb < max; (*nb)++) {
		ret = rte_comch_conn_task_alloc(conn, text, sizeof(text), &tasks[*nb]);
		if (ret != 0)
			break;
	}
	return ret;
}

static void
give_back(struct rte_comch_task **tasks, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++)
		if (rte_comch_task_free(tasks[i]) != 0)
			test_fail("task %u of %u cannot be freed", i, nb);
}

/* Three clients take what they can, and each finds its own task. */
static int
test_shares(void)
{
	static const struct {
		uint32_t nb_tasks, max_conn, nb[3];
		int ret[3];
	} rows[] = {
		{ 0, 0, { 9, 9, 9 }, { -EDQUOT, -EDQUOT, -EDQUOT } },
		{ 8, 0, { 3, 3, 3 }, { -EDQUOT, -EDQUOT, -EDQUOT } },
		{ 1, 0, { 2, 1, 1 }, { -EDQUOT, -ENOMEM, -ENOMEM } },
		{ 8, 1, { 1, 1, 1 }, { -EDQUOT, -EDQUOT, -EDQUOT } },
		{ 8, 5, { 5, 5, 1 }, { -EDQUOT, -EDQUOT, -ENOMEM } },
		{ 8, 20, { 9, 1, 1 }, { -ENOMEM, -ENOMEM, -ENOMEM } },
	};
	struct rte_comch_task *tasks[3][32];
	struct rte_comch_conn *conns[3];
	struct test_ep *server, *client;
	uint32_t nb[3], all;
	unsigned int i, j, round;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_EXPECT(server_with(rows[i].nb_tasks, rows[i].max_conn, &server), 0);
		for (j = 0; j < 3; j++)
			TEST_CALL(one_more(server, test_pe_new(), &client, &conns[j]));
		/* what is given back can be taken again */
		for (round = 0; round < 3; round++) {
			for (j = 0, all = 0; j < 3; j++) {
				TEST_EXPECT(take_all(conns[j], tasks[j], 32, &nb[j]),
						rows[i].ret[j]);
				TEST_EXPECT(nb[j], rows[i].nb[j]);
				all += nb[j];
			}
			TEST_EXPECT(test_ctx_info(server->ctx).nb_tasks, (int)all);
			for (j = 0; j < 3; j++)
				give_back(tasks[j], nb[j]);
		}
		test_cleanup();
	}
	return TEST_SUCCESS;
}

/* Who is alone has all: a client, and a server of one client. */
static int
test_alone(void)
{
	const struct rte_comch_server_conf conf = { .max_clients = 1 };
	struct test_ep *server = test_server_run_conf(&conf, test_pe_new()), *client;
	struct rte_comch_task *tasks[64];
	struct rte_comch_conn *conn;
	uint32_t nb;

	TEST_CALL(one_more(server, test_pe_new(), &client, &conn));
	TEST_EXPECT(take_all(conn, tasks, 64, &nb), -ENOMEM);
	TEST_EXPECT(nb, 33); /* the 32 of the server, and the connection's own */
	give_back(tasks, nb);
	TEST_EXPECT(take_all(client->conn, tasks, 64, &nb), -ENOMEM);
	TEST_EXPECT(nb, 32);
	give_back(tasks, nb);
	return TEST_SUCCESS;
}

static int
test_conf(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_task *tasks[8];
	struct rte_comch_dev_info info = test_dev_info((int16_t)card);
	struct rte_comch_conn *conn;
	uint32_t nb;

	test_server_conf(server, "test", &server_conf);
	test_client_conf(client, "test", &client_conf);
	server_conf.ctrl.max_conn_tasks = info.max_ctrl_tasks + 1;
	TEST_EXPECT(test_server_start(server, &server_conf, test_pe_new()), -EINVAL);
	client_conf.ctrl.max_conn_tasks = UINT32_MAX;
	TEST_EXPECT(test_client_start(client, &client_conf, test_pe_new()), -EINVAL);
	server_conf.ctrl.max_conn_tasks = info.max_ctrl_tasks;
	TEST_EXPECT(test_server_start(server, &server_conf, test_pe_new()), 0);
	/* a client may have a bound, too */
	client_conf.ctrl.max_conn_tasks = 3;
	TEST_EXPECT(test_client_start(client, &client_conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL, TEST_MS);
	conn = client->conn;
	TEST_EXPECT(take_all(conn, tasks, 8, &nb), -EDQUOT);
	TEST_EXPECT(nb, 3);
	give_back(tasks, nb);
	return TEST_SUCCESS;
}

/* The task of a connection comes from the engine, and goes back when it is free. */
static int
test_own_task(void)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 9 };
	struct test_ep *server = test_ep_new(), *first, *second;
	struct rte_comch_server_conf conf;
	struct rte_comch_task *kept;
	struct rte_comch_conn *conn;
	struct rte_comch_pe *pe;
	struct rte_comch_pe *client_pe = test_pe_new();
	unsigned int i;
	int ret;

	TEST_EXPECT(rte_comch_pe_create(&pe_conf, &pe), 0);
	test_server_conf(server, "test", &conf);
	conf.ctrl.nb_tasks = 8;
	TEST_EXPECT(test_server_start(server, &conf, pe), 0);
#define TURN_UNTIL(cond) \
	TEST_UNTIL_TEXT(cond, #cond, test_turn(pe, NULL) + test_progress(), TEST_MS)
	for (i = 0; i < 3; i++) {
		first = test_client_run("test", client_pe);
		TURN_UNTIL(server->nb_connects == i + 1 && first->conn != NULL);
		conn = server->conn;
		second = test_client_run("test", client_pe);
		TURN_UNTIL(test_state(second) == RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_reason_get(second->ctx), -ENOSPC);
		/* it is over, but its task is not back */
		TEST_EXPECT(rte_comch_conn_task_alloc(conn, text, sizeof(text), &kept), 0);
		TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
		TURN_UNTIL(server->nb_disconnects == i + 1 &&
				test_state(first) == RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_start(first->ctx), -EINPROGRESS);
		TURN_UNTIL(test_state(first) == RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_reason_get(first->ctx), -ENOSPC);
		TEST_EXPECT(rte_comch_task_free(kept), 0);
	}
	/* nothing of the engine is lost */
	ret = rte_comch_ctx_stop(server->ctx);
	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TURN_UNTIL(test_state(server) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_destroy(server->ctx), 0);
	test_server_conf(server, "test", &conf);
	conf.ctrl.nb_tasks = 9;
	TEST_EXPECT(test_server_start(server, &conf, pe), 0);
	ret = rte_comch_ctx_stop(server->ctx);
	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TURN_UNTIL(test_state(server) == RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_destroy(server->ctx), 0);
	server->ctx = NULL;
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	return TEST_SUCCESS;
#undef TURN_UNTIL
}

/* Send to a connection whose peer does nothing, until no more is taken. */
static int
fill(struct rte_comch_conn *conn, uint32_t *sent)
{
	static uint8_t big[4000];
	int ret = 0;

	for (*sent = 0; *sent < ENDLESS && ret == 0; *sent += ret == 0)
		ret = test_send(conn, big, sizeof(big));
	return ret;
}

/* Turn these two engines, and no other, until each has as many messages. */
static int
turn_until_got(struct rte_comch_pe *a, struct rte_comch_pe *b, struct test_ep **eps, uint32_t nb)
{
	unsigned int i;

	for (i = 0; i < NB_GOOD; i++)
		TEST_UNTIL(eps[i]->nb_recv >= nb, test_turn(a, b), TEST_MS);
	for (i = 0; i < NB_GOOD; i++)
		TEST_EXPECT(eps[i]->nb_recv, nb);
	return TEST_SUCCESS;
}

/* A client that never progresses: all others get tasks, and their messages arrive. */
static int
test_hung_client(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *good_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *hung[NB_GOOD], *good[NB_GOOD];
	struct rte_comch_conn *hung_conns[NB_GOOD], *conns[NB_GOOD];
	uint32_t sent[NB_GOOD];
	unsigned int i;
	int why;

	for (i = 0; i < NB_GOOD; i++) {
		TEST_CALL(one_more(server, test_pe_new(), &hung[i], &hung_conns[i]));
		TEST_CALL(one_more(server, good_pe, &good[i], &conns[i]));
	}
	test_settle();
	why = fill(hung_conns[0], &sent[0]);
	for (i = 0; i < NB_GOOD; i++)
		TEST_EXPECT(test_send(conns[i], text, sizeof(text)), 0);
	TEST_EXPECT(why, -EDQUOT);
	/* more of them than the shared tasks can bear: the own one is left to each */
	for (i = 1; i < NB_GOOD; i++)
		TEST_TRUE(fill(hung_conns[i], &sent[i]) != 0 && sent[i] < ENDLESS);
	TEST_UNTIL(server->nb_done >= NB_GOOD, test_turn(server_pe, good_pe), TEST_MS);
	for (i = 0; i < NB_GOOD; i++)
		TEST_EXPECT(test_send(conns[i], text, sizeof(text)), 0);
	TEST_CALL(turn_until_got(server_pe, good_pe, good, 2));
	/* what was meant for those that hung is not lost */
	for (i = 0; i < NB_GOOD; i++)
		TEST_WAIT(hung[i]->nb_recv == sent[i], TEST_MS);
	TEST_EXPECT(server->nb_failed, 0);
	return TEST_SUCCESS;
}

/* What good clients send, and get back. */
struct good_msg {
	uint64_t magic;
	uint32_t nr;
	uint32_t round;
};

#define GOOD_MAGIC 0x676f6f64636c6e74ull

struct good {
	struct test_ep *ep;
	uint32_t nr;
	uint32_t sent;
	uint64_t sent_at;
	uint64_t next;
	uint64_t worst;
};

static uint32_t nb_dropped;

/* The server: an echo, which drops what a peer that does not keep up has no task for. */
static void
recv_echo(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn, const void *msg,
		uint32_t len)
{
	int ret = test_send(conn, msg, len);
	struct good_msg good;

	if (ret == 0)
		return;
	nb_dropped++;
	if (len != sizeof(good))
		return;
	memcpy(&good, msg, sizeof(good));
	if (good.magic == GOOD_MAGIC)
		test_fail("good client %u: no task for message %u: %s", good.nr, good.round,
				strerror(-ret));
}

static void
recv_good(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	struct good *good = ep->arg;
	struct good_msg got = { 0 };

	if (len == sizeof(got))
		memcpy(&got, msg, sizeof(got));
	if (got.magic != GOOD_MAGIC || got.nr != good->nr ||
			got.round != good->sent || ep->nb_recv != good->sent)
		test_fail("good client %u: message %u came as %u of %u", good->nr, good->sent,
				got.round, got.nr);
	good->worst = RTE_MAX(good->worst, test_now_ns() - good->sent_at);
}

/* Send if it is time to; one at a time. */
static int
good_turn(struct good *good, uint64_t now)
{
	struct good_msg msg = { .magic = GOOD_MAGIC, .nr = good->nr, .round = good->sent + 1 };

	if (good->sent == GOOD_MSGS || good->ep->nb_recv != good->sent || now < good->next)
		return TEST_SUCCESS;
	good->sent++;
	good->sent_at = now;
	good->next = now + PERIOD_US * 1000;
	TEST_EXPECT(test_send(good->ep->conn, &msg, sizeof(msg)), 0);
	return TEST_SUCCESS;
}

static int
good_start(struct test_ep *server, struct good *goods)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_conn *conn;
	unsigned int i;

	memset(goods, 0, NB_GOOD * sizeof(*goods));
	for (i = 0; i < NB_GOOD; i++) {
		TEST_CALL(one_more(server, pe, &goods[i].ep, &conn));
		goods[i].nr = i;
		goods[i].ep->arg = &goods[i];
		goods[i].ep->on_recv = recv_good;
	}
	return TEST_SUCCESS;
}

/* All messages of the good ones; one of the bad ones is killed half way. */
static int
good_run(struct good *goods, struct test_child *dying)
{
	uint64_t now, end = test_now_ns() + (uint64_t)30000 * 1000000;
	unsigned int i, done = 0;
	uint64_t all = 0;

	while (done < NB_GOOD) {
		now = test_now_ns();
		TEST_TRUE(now < end);
		for (i = 0, done = 0, all = 0; i < NB_GOOD; i++) {
			TEST_CALL(good_turn(&goods[i], now));
			done += goods[i].ep->nb_recv == GOOD_MSGS;
			all += goods[i].ep->nb_recv;
		}
		if (dying != NULL && all >= NB_GOOD * GOOD_MSGS / 2) {
			test_child_kill(dying);
			dying = NULL;
		}
		if (test_progress() == 0)
			sched_yield();
	}
	return TEST_SUCCESS;
}

static uint64_t
good_worst_us(const struct good *goods)
{
	uint64_t worst = 0;
	unsigned int i;

	for (i = 0; i < NB_GOOD; i++)
		worst = RTE_MAX(worst, goods[i].worst);
	return worst / 1000;
}

/* A client in another process, and the connection that the server has for it. */
static int
bad_child(struct test_ep *server, unsigned int nr, struct test_child **child,
		struct rte_comch_conn **conn)
{
	uint32_t before = server->nb_connects;

	*child = test_child_start(&here, test_place_function(nr));
	TEST_EXPECT(test_child_ask(*child, 10000, "clients 1 test"), 0);
	TEST_WAIT(server->nb_connects == before + 1, TEST_MS);
	*conn = server->conn;
	return TEST_SUCCESS;
}

/* One that hangs, one that floods and one that dies, beside eight good ones. */
static int
test_bad_clients(void)
{
	struct rte_comch_conn *hung_conn = NULL, *conn = NULL;
	struct test_child *hung, *flood, *dying;
	struct test_ep *server = test_ep_new();
	struct rte_comch_server_conf conf;
	struct good goods[NB_GOOD];
	uint32_t sent;
	int why;

	test_server_conf(server, "test", &conf);
	TEST_EXPECT(test_servers_start(server, &conf, test_pe_new(), test_place_nb_functions(4)),
			0);
	nb_dropped = 0;
	server->on_recv = recv_echo;
	TEST_CALL(bad_child(server, 1, &hung, &hung_conn));
	TEST_CALL(bad_child(server, 2, &flood, &conn));
	TEST_CALL(bad_child(server, 3, &dying, &conn));
	TEST_CALL(good_start(server, goods));
	TEST_EXPECT(server->nb_connects, NB_GOOD + 3);

	TEST_EXPECT(kill(hung->pid, SIGSTOP), 0);
	why = fill(hung_conn, &sent);
	TEST_EXPECT(test_child_ask(flood, 10000, "flood 4000"), 0);
	TEST_EXPECT(test_child_ask(dying, 10000, "flood 100"), 0);
	TEST_CALL(good_run(goods, dying));
	test_note("beside a hung, a flooding and a dying client: %u messages of good ones, the "
			"slowest back after %" PRIu64 " us; %u others came, %u of them dropped",
			NB_GOOD * GOOD_MSGS, good_worst_us(goods),
			server->nb_recv - NB_GOOD * GOOD_MSGS, nb_dropped);
	TEST_TRUE(good_worst_us(goods) < BOUND_MS * 1000);
	TEST_EXPECT(why, -EDQUOT);

	TEST_WAIT(server->nb_disconnects == 1, TEST_MS); /* the dying one */
	TEST_EXPECT(server->disconnect_status, -ECONNRESET);
	TEST_EXPECT(rte_comch_server_disconnect(hung_conn), 0);
	TEST_WAIT(server->nb_disconnects == 2, TEST_MS);
	TEST_TRUE(server->nb_recv > NB_GOOD * GOOD_MSGS);
	return TEST_SUCCESS;
}

/* Of the largest messages; as many are under way as there are tasks. */
#define LARGE_TASKS 64
#define LARGE_TURNS 500
/* After so many of one connection the others get their turn. */
#define LARGE_BYTES (64 << 10)

static int
large_connect(struct test_ep **server, struct test_ep **flood, uint32_t size)
{
	const struct rte_comch_server_conf server_conf = {
		.ctrl.recv_queue_size = LARGE_TASKS,
		.ctrl.max_msg_size = size,
	};
	const struct rte_comch_client_conf client_conf = { .ctrl.nb_tasks = LARGE_TASKS };

	*server = test_server_run_conf(&server_conf, test_pe_new());
	*flood = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT((*server)->nb_connects == 1 && (*flood)->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* Those of the good client are told by their length. */
static void
recv_large(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len)
{
	ep->value += len == sizeof(text);
}

/* A queue full of large messages: each turn takes some, and what others have sent. */
static int
large_flood(uint32_t size)
{
	struct test_ep *server, *flood, *good;
	uint64_t before, most = 0, end;
	struct rte_comch_conn *conn;
	unsigned int i;
	uint8_t *msg;
	int ret = 0;

	TEST_CALL(large_connect(&server, &flood, size));
	TEST_CALL(one_more(server, test_pe_new(), &good, &conn));
	server->on_recv = recv_large;
	msg = calloc(1, size);
	TEST_TRUE(msg != NULL);
	for (i = 0; i < LARGE_TURNS && ret == 0 && server->value == i; i++) {
		while (test_send(flood->conn, msg, size) == 0)
			;
		ret = test_send(good->conn, text, sizeof(text));
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		/* in the next turn, or as soon as it has arrived */
		do {
			before = server->rx_bytes;
			test_progress();
			most = RTE_MAX(most, server->rx_bytes - before);
		} while (test_place_is_bluefield() && server->value == i && test_now_ns() < end);
	}
	free(msg);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(server->value, LARGE_TURNS);
	test_note("at most %" PRIu64 " bytes in one turn, of messages of %u bytes", most, size);
	TEST_TRUE(most >= size + sizeof(text));
	TEST_TRUE(most <= LARGE_BYTES + size + sizeof(text));
	test_cleanup();
	return TEST_SUCCESS;
}

static int
test_large_flood(void)
{
	struct rte_comch_dev_info info = test_dev_info((int16_t)card);

	TEST_CALL(large_flood(info.max_msg_size));
	TEST_CALL(large_flood(info.max_msg_size - 16));
	return large_flood(20000);
}

static struct unit_test_suite suite = {
	.suite_name = "comch: budgets of connections",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_shares),
		TEST_CASE_ST(NULL, teardown, test_alone),
		TEST_CASE_ST(test_quiet, teardown, test_conf),
		TEST_CASE_ST(test_quiet, teardown, test_own_task),
		TEST_CASE_ST(NULL, teardown, test_hung_client),
		TEST_CASE_ST(NULL, teardown, test_bad_clients),
		TEST_CASE_ST(NULL, teardown, test_large_flood),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_budget_autotest, unit_test_suite_runner, &suite)
