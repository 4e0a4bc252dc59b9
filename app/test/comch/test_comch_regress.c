/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Faults that once were there: a case for each, which says what went wrong.
 * Those that a hostile peer could cause are in the test_shm_peer files.
 */

#include <poll.h>

#include "test_comch_util.h"

/* A wake-up that has not come by then is lost. */
#define LOST_MS 2000

/* Of the shm driver: clients of one link, and those that share a word of doorbells. */
#define LINK_CLIENTS 4096
#define WORD_CLIENTS 64
/* Words of doorbells beyond those that LINK_CLIENTS fill, one for each engine. */
#define SPARE_WORDS 32

/* Started at one time. */
#define BATCH 512

static uint64_t
violations(int16_t dev)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(dev, &stats);
	return stats.violations;
}

static int
echo(struct test_ep *client, uint32_t seed)
{
	uint32_t before = client->nb_recv, len = 1 + seed % 60;

	TEST_TRUE(client->conn != NULL);
	TEST_EXPECT(test_send_pattern(client->conn, len, seed), 0);
	TEST_WAIT(client->nb_recv == before + 1, TEST_MS);
	TEST_TRUE(client->last_len == len && test_check(client->last_msg, len, seed));
	return TEST_SUCCESS;
}

static struct test_ep *
small_server(const char *name)
{
	const struct rte_comch_server_conf conf = {
		.name = name,
		.ctrl.nb_tasks = 1,
		.ctrl.max_msg_size = 64,
		.ctrl.recv_queue_size = 1,
	};
	struct test_ep *server = test_server_run_conf(&conf, test_pe_new());

	server->echo = true;
	return server;
}

static struct test_ep *
small_client(const char *name, struct rte_comch_pe *pe)
{
	const struct rte_comch_client_conf conf = {
		.name = name,
		.ctrl.nb_tasks = 1,
		.ctrl.max_msg_size = 64,
		.ctrl.recv_queue_size = 1,
	};

	return test_client_run_conf(&conf, pe);
}

/* Many clients of one server, which gets them in this order. */
static int
clients_start(struct test_ep *server, const char *name, struct rte_comch_pe *pe,
		struct test_ep **clients, unsigned int nb)
{
	unsigned int i;

	for (i = 0; i < nb; i++) {
		clients[i] = small_client(name, pe);
		if ((i + 1) % BATCH == 0 || i + 1 == nb)
			TEST_WAIT(server->nb_connects == i + 1, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* Stop and destroy all but each keep-th, all of them if that is 0. */
static int
clients_close(struct test_ep *server, struct test_ep **clients, unsigned int nb,
		unsigned int keep)
{
	uint32_t gone = server->nb_disconnects;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		if (clients[i] == NULL || (keep != 0 && i % keep == 0))
			continue;
		TEST_EXPECT(rte_comch_ctx_stop(clients[i]->ctx), -EINPROGRESS);
		gone++;
	}
	TEST_WAIT(server->nb_disconnects == gone, TEST_MS);
	test_settle();
	for (i = 0; i < nb; i++) {
		if (clients[i] == NULL || (keep != 0 && i % keep == 0))
			continue;
		TEST_EXPECT(test_state(clients[i]), RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(test_ep_close(clients[i]), 0);
		clients[i] = NULL;
	}
	return TEST_SUCCESS;
}

/*
 * Engines take doorbells by the word. One client left in each word of one engine and
 * full words of a second leave none for a third, long before there are too many
 * clients: the card, which could not join that connection, crashed as it undid
 * what it had not done.
 */
static int
doorbells_exhausted(struct test_ep **old, struct test_ep **more)
{
	const unsigned int nb_more = SPARE_WORDS * WORD_CLIENTS;
	struct test_ep *a, *b, *c, *client;
	uint64_t before = violations(test_pair.dpu);
	struct rte_comch_pe *pe = test_pe_new();

	a = small_server("a");
	b = small_server("b");
	c = small_server("c");
	TEST_CALL(clients_start(a, "a", pe, old, LINK_CLIENTS));
	TEST_CALL(clients_close(a, old, LINK_CLIENTS, WORD_CLIENTS));
	TEST_CALL(clients_start(b, "b", pe, more, nb_more));

	client = small_client("c", pe);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ENOSPC);
	TEST_EXPECT(c->nb_connects, 0);
	TEST_CALL(echo(old[0], 1));
	TEST_CALL(echo(old[LINK_CLIENTS - WORD_CLIENTS], 2));
	TEST_CALL(echo(more[nb_more - 1], 3));

	/* words that nobody uses any more are for any engine */
	TEST_CALL(clients_close(b, more, nb_more, 0));
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && c->nb_connects == 1, TEST_MS);
	TEST_CALL(echo(client, 4));
	TEST_CALL(echo(old[WORD_CLIENTS], 5));
	TEST_CALL(clients_close(a, old, LINK_CLIENTS, 0));
	TEST_EXPECT(violations(test_pair.dpu), before);
	return TEST_SUCCESS;
}

static int
test_doorbells_exhausted(void)
{
	struct test_ep **clients;
	int ret;

	if (strcmp(test_dev_info(test_pair.dpu).driver, "comch_shm") != 0)
		return test_skip("the numbers of this case are those of the shm driver");
	clients = calloc(LINK_CLIENTS + SPARE_WORDS * WORD_CLIENTS, sizeof(clients[0]));
	TEST_TRUE(clients != NULL);
	ret = doorbells_exhausted(clients, clients + LINK_CLIENTS);
	free(clients);
	return ret;
}

/*
 * A client that was refused, but stopped before its engine knew: it answered the
 * refusal, after which the card's side had forgotten the connection. It took that
 * for a violation, and ended the link of the whole process.
 */
static int
test_refused_then_stopped(void)
{
	struct rte_comch_pe *card_pe = test_pe_new(), *pe = test_pe_new(), *x_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", card_pe), *client, *x;
	uint64_t before = violations(test_pair.dpu), host_before = violations(test_pair.host);
	struct rte_comch_dev_stats stats;
	uint64_t refused;
	unsigned int i;

	server->echo = true;
	client = test_client_run("test", pe);
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	for (i = 0; i < 10; i++) {
		TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &stats), 0);
		refused = stats.refused;
		x = test_client_run("nobody", x_pe);
		TEST_TRUE(rte_comch_pe_progress(x_pe) >= 0); /* asks, and sees no more */
		TEST_UNTIL(rte_comch_dev_stats_get(test_pair.dpu, &stats) == 0 &&
				stats.refused != refused, test_turn(card_pe, pe), TEST_MS);
		/* the other engine takes the refusal from the socket, and hands it on */
		test_turn_ms(pe, NULL, 20);
		TEST_EXPECT(rte_comch_pe_arm(x_pe), -EAGAIN);
		TEST_EXPECT(test_state(x), RTE_COMCH_STATE_STARTING);

		TEST_CALL(test_stop_now(x->ctx));
		TEST_EXPECT(test_state(x), RTE_COMCH_STATE_IDLE);
		TEST_EXPECT(rte_comch_ctx_reason_get(x->ctx), 0);
		test_progress_ms(10);
		TEST_EXPECT(violations(test_pair.dpu), before);
		TEST_EXPECT(violations(test_pair.host), host_before);
		TEST_EXPECT(server->nb_disconnects, i);
		TEST_CALL(echo(client, i));

		/* and connections come and go as before */
		TEST_CALL(test_stop(client));
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_WAIT(client->conn != NULL && server->nb_connects == i + 2, TEST_MS);
		TEST_WAIT(server->nb_disconnects == i + 1, TEST_MS);
		TEST_CALL(echo(client, i + 100));
		TEST_EXPECT(test_ep_close(x), 0);
	}
	return TEST_SUCCESS;
}

static bool
readable(struct rte_comch_pe *pe, int ms)
{
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

/* Sleep until the armed engine has something to do; the peer never sleeps. */
static int
sleep_beside(struct rte_comch_pe *pe, struct rte_comch_pe *peer)
{
	TEST_UNTIL(readable(pe, 1), test_turn(peer, NULL), LOST_MS);
	return TEST_SUCCESS;
}

/* What event mode is: the engine was armed before, and is asked only when it woke. */
#define SLEEP_UNTIL(cond, pe, peer) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)TEST_MS * 1000000; \
	do { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", TEST_MS, #cond); \
		TEST_CALL(sleep_beside(pe, peer)); \
		TEST_EXPECT(test_arm(pe), 0); \
	} while (!(cond)); \
} while (0)

/*
 * The application armed its engine, found something to do before it slept, and
 * did it: nothing woke the engine for what came of that.
 */
static int
test_armed_then_used(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_ep_new();
	struct rte_comch_client_conf conf;
	unsigned int i;

	test_client_conf(client, "test", &conf);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &conf, &client->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(client->ctx, pe), 0);
	for (i = 0; i < 10; i++) {
		/* a start, before or with a link to the card's side */
		test_settle();
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		SLEEP_UNTIL(client->conn != NULL, pe, server_pe);
		TEST_WAIT(server->nb_connects == i + 1, TEST_MS);

		/* a message: delivered is the state that has to arrive */
		test_settle();
		TEST_EXPECT(test_arm(pe), 0);
		TEST_TRUE(!readable(pe, 0));
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
		SLEEP_UNTIL(client->nb_done == i + 1, pe, server_pe);

		/* a stop: that it is over needs nothing from the peer */
		test_settle();
		TEST_EXPECT(test_arm(pe), 0);
		TEST_TRUE(!readable(pe, 0));
		TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
		SLEEP_UNTIL(test_state(client) == RTE_COMCH_STATE_IDLE, pe, server_pe);
		TEST_WAIT(server->nb_disconnects == i + 1, TEST_MS);
	}

	/* the same of a server */
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->nb_connects == i + 1, TEST_MS);
	test_settle();
	TEST_EXPECT(test_arm(server_pe), 0);
	TEST_EXPECT(test_send_pattern(server->conn, 8, 1), 0);
	SLEEP_UNTIL(server->nb_done == 1, server_pe, pe);
	test_settle();
	TEST_EXPECT(test_arm(server_pe), 0);
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	SLEEP_UNTIL(test_state(server) == RTE_COMCH_STATE_IDLE, server_pe, pe);
	TEST_EXPECT(server->nb_disconnects, i + 1);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * The library's own messages, of 4 bytes, were held against the max_msg_size of
 * the application: where it was less, the first consumer ended the connection.
 */
static int
test_one_byte_messages(void)
{
	struct test_ep *server, *client;
	struct test_ep *nears[2], *fars[2], *consumer;
	uint64_t before = violations(test_pair.dpu), host_before = violations(test_pair.host);
	const struct rte_comch_server_conf server_conf = { .ctrl.max_msg_size = 1 };
	const struct rte_comch_client_conf client_conf = { .ctrl.max_msg_size = 1 };
	unsigned int i;

	if ((test_dev_info(test_pair.host).capa & RTE_COMCH_CAPA_CONSUMER) == 0)
		return test_skip("the device has no consumers");
	server = test_server_run_conf(&server_conf, test_pe_new());
	server->echo = true;
	client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	TEST_EXPECT(test_conn_facts(client->conn).max_msg_size, 1);

	nears[0] = fars[1] = client;
	nears[1] = fars[0] = server;
	for (i = 0; i < RTE_DIM(nears); i++) {
		consumer = test_ep_new();
		TEST_EXPECT(test_consumer_start(consumer, nears[i]->conn, test_pe_new()),
				-EINPROGRESS);
		TEST_WAIT(fars[i]->nb_new == 1 &&
				test_state(consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
		TEST_EXPECT(fars[i]->new_id, test_queue_id(consumer->ctx));
		TEST_CALL(test_stop(consumer));
		TEST_WAIT(fars[i]->nb_gone == 1, TEST_MS);
		TEST_EXPECT(fars[i]->gone_id, fars[i]->new_id);
		TEST_EXPECT(test_ep_close(consumer), 0);
	}
	TEST_EXPECT(test_send(client->conn, "x", 1), 0);
	TEST_WAIT(client->nb_recv == 1, TEST_MS);
	TEST_TRUE(client->last_len == 1 && client->last_msg[0] == 'x');
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(violations(test_pair.dpu), before);
	TEST_EXPECT(violations(test_pair.host), host_before);
	return TEST_SUCCESS;
}

/* Where its end takes time, it starts again when that is told. */
static void
restart_when_starting(struct test_ep *ep, int prev __rte_unused, int next)
{
	int ret = 0;

	if (next == RTE_COMCH_STATE_STARTING && ep->value == 0) {
		ep->value = 1;
		ret = rte_comch_ctx_stop(ep->ctx);
		if (ret == -EINPROGRESS && test_ends_later()) {
			ep->value = 2;
			return;
		}
		if (ret != 0)
			test_fail("a client cannot be stopped in its state callback");
	} else if (next != RTE_COMCH_STATE_IDLE || ep->value != 2) {
		return;
	}
	ep->value = 3;
	if (rte_comch_ctx_start(ep->ctx) != -EINPROGRESS)
		test_fail("a client cannot be started again in its state callback");
}

/*
 * A client whose state callback stops and starts it, as it is told of STARTING:
 * the outer start saw STARTING again, and connected a second time.
 */
static int
test_restart_while_starting(void)
{
	static const int states[] = {
		RTE_COMCH_STATE_STARTING, RTE_COMCH_STATE_STOPPING, RTE_COMCH_STATE_IDLE,
		RTE_COMCH_STATE_STARTING, RTE_COMCH_STATE_RUNNING,
	};
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_client_conf conf;
	unsigned int i;
	int ret;

	client = test_ep_new();
	server->echo = true;
	test_client_conf(client, "test", &conf);
	client->on_state = restart_when_starting;
	ret = test_client_start(client, &conf, pe);
	TEST_TRUE(ret == -EINPROGRESS || (ret == -ECANCELED && test_ends_later()));
	TEST_TRUE(test_ends_later() || test_state(client) == RTE_COMCH_STATE_STARTING);
	TEST_WAIT(client->conn != NULL && server->nb_connects == 1, TEST_MS);
	test_progress_ms(20);
	TEST_EXPECT(server->nb_connects, 1); /* once, and not for each start */
	TEST_EXPECT(server->nb_disconnects, 0);
	TEST_EXPECT(client->nb_states, RTE_DIM(states));
	for (i = 0; i < RTE_DIM(states); i++)
		TEST_EXPECT(client->states[i], states[i]);
	TEST_CALL(echo(client, 1));

	/* nothing is left of the start that was stopped */
	TEST_CALL(test_stop(client));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	client->value = 0;
	ret = rte_comch_ctx_start(client->ctx);
	TEST_TRUE(ret == -EINPROGRESS || (ret == -ECANCELED && test_ends_later()));
	TEST_WAIT(client->conn != NULL && server->nb_connects == 2, TEST_MS);
	TEST_CALL(echo(client, 2));
	return TEST_SUCCESS;
}

/*
 * A side that answers an end uses its memory again, for a client that connects meanwhile,
 * before the other side has looked. That side took it for a breach of the protocol.
 */
static int
end_beside_connect(int server_ends)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_client_run("test", pe), *other = test_ep_new();
	struct test_ep *from = server_ends ? server : client;
	struct rte_comch_client_conf conf;
	unsigned int i;

	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	for (i = 0; i < 5; i++)
		TEST_EXPECT(test_send_pattern(from->conn, 100, i), 0);
	test_client_conf(other, "test", &conf);
	if (server_ends) {
		TEST_EXPECT(test_client_start(other, &conf, pe), -EINPROGRESS);
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0); /* it asks */
		TEST_EXPECT(test_send_pattern(from->conn, 100, i++), 0);
		TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
		/* they read their sockets now, and not some time later */
		TEST_EXPECT(test_arm(server_pe), 0);
		TEST_EXPECT(test_arm(pe), 0);
	} else {
		TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
		TEST_EXPECT(test_client_start(other, &conf, pe), -EINPROGRESS);
		TEST_EXPECT(test_arm(pe), 0);
		TEST_EXPECT(test_arm(server_pe), 0);
	}
	TEST_WAIT(other->conn != NULL && server->nb_connects == 2 &&
		test_state(client) == RTE_COMCH_STATE_IDLE && from->nb_done == i, TEST_MS);
	TEST_EXPECT(from->nb_failed, 0);
	TEST_EXPECT(violations(test_pair.host), 0);
	TEST_EXPECT(violations(test_pair.dpu), 0);
	return TEST_SUCCESS;
}

/* One pair will do, but the engines have to be able to sleep. */
static struct unit_test_suite suite = {
	.suite_name = "comch: faults that were there",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_need_event, test_cleanup, test_refused_then_stopped),
		TEST_CASE_ST(test_need_event, test_cleanup, test_armed_then_used),
		TEST_CASE_ST(NULL, test_cleanup, test_one_byte_messages),
		TEST_CASE_ST(NULL, test_cleanup, test_restart_while_starting),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_regress_autotest, unit_test_suite_runner, &suite)

/* About the words of a link of shm. */
static struct unit_test_suite shm_suite = {
	.suite_name = "comch_shm: faults that were there",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_doorbells_exhausted),
		TEST_CASE_ARG(NULL, test_cleanup, "test_client_ends_beside_connect",
				end_beside_connect, false),
		TEST_CASE_ARG(NULL, test_cleanup, "test_server_ends_beside_connect",
				end_beside_connect, true),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_regress_autotest, unit_test_suite_runner, &shm_suite)
