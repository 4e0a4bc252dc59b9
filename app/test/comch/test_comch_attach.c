/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts that leave their progress engine and go to another one: when they may, and
 * that all of them work there as they did before. Connections on other engines than
 * their server are in test_comch_engine.c.
 */

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define CYCLES 12
/* More engines than one device can have contexts on at a time. */
#define ENGINES 60

/* Of a context that can be stopped now. */
static int
is_busy(struct test_ep *ep)
{
	TEST_EXPECT(rte_comch_ctx_detach(ep->ctx), -EBUSY);
	return TEST_SUCCESS;
}

static int
test_calls(void)
{
	struct test_ep *server = test_ep_new(), *client;
	struct rte_comch_pe *pe, *other;
	struct rte_comch_server_conf conf;

	TEST_EXPECT(rte_comch_ctx_detach(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	other = test_pe_new();
	test_server_conf(server, "test", &conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &conf, &server->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_detach(server->ctx), -ENOLINK);
	/* before the first start */
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_detach(server->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_detach(server->ctx), -ENOLINK);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), -ENOLINK);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, other), 0);
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, other), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_CALL(is_busy(server)); /* RUNNING */

	client = test_client_run("test", test_pe_new());
	TEST_CALL(is_busy(client)); /* STARTING */
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_CALL(is_busy(client)); /* STOPPING */
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_detach(client->ctx), 0);
	/* nothing of the engine is asked for */
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EALREADY);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);
	TEST_EXPECT(rte_comch_ctx_state_get(client->ctx), RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

/* Tries to leave in each change of state; the value holds the bits of the states. */
static void
detach_in(struct test_ep *ep, int prev __rte_unused, int next)
{
	int ret = rte_comch_ctx_detach(ep->ctx);

	if (ret != -EBUSY)
		test_fail("a detachment in the state callback: %d", ret);
	ep->value |= RTE_BIT64(next);
}

static int
test_in_state_callback(void)
{
	const uint64_t all = RTE_BIT64(RTE_COMCH_STATE_IDLE) |
		RTE_BIT64(RTE_COMCH_STATE_STARTING) | RTE_BIT64(RTE_COMCH_STATE_RUNNING) |
		RTE_BIT64(RTE_COMCH_STATE_STOPPING);
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	client->on_state = detach_in;
	TEST_CALL(test_stop(client));
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL, TEST_MS);
	/* also where the stop itself makes it IDLE */
	TEST_WAIT(server->nb_disconnects == 1 && server->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(client->value, all);
	TEST_WAIT(server->conn == NULL, TEST_MS);
	server->on_state = detach_in;
	TEST_CALL(test_stop_now(server->ctx));
	TEST_TRUE((server->value & RTE_BIT64(RTE_COMCH_STATE_IDLE)) != 0);
	TEST_EXPECT(rte_comch_ctx_detach(client->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_detach(server->ctx), 0);
	return TEST_SUCCESS;
}

/* To a new engine; the old one can be destroyed, as nothing else is on it. */
static int
move_to_new(struct test_ep *ep, struct rte_comch_pe **pe)
{
	struct rte_comch_pe *old = *pe;

	TEST_EXPECT(rte_comch_ctx_detach(ep->ctx), 0);
	if (old != NULL)
		TEST_EXPECT(rte_comch_pe_destroy(old), 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, *pe), 0);
	return TEST_SUCCESS;
}

static int
turn_all(struct rte_comch_pe **pes, unsigned int nb)
{
	unsigned int i;
	int done = 0;

	for (i = 0; i < nb; i++)
		done += test_turn(pes[i], NULL);
	return done;
}

static int
turn_until(struct rte_comch_pe **pes, unsigned int nb, const uint32_t *count, uint32_t want)
{
	TEST_UNTIL(*count == want, turn_all(pes, nb), TEST_MS);
	return TEST_SUCCESS;
}

static int
turn_until_running(struct test_ep *ep, struct rte_comch_pe **pes, unsigned int nb)
{
	TEST_UNTIL(test_state(ep) == RTE_COMCH_STATE_RUNNING, turn_all(pes, nb), TEST_MS);
	return TEST_SUCCESS;
}

static int
stop_on(struct test_ep *ep, struct rte_comch_pe **pes, unsigned int nb)
{
	TEST_TRUE(rte_comch_ctx_stop(ep->ctx) <= 0);
	TEST_UNTIL(test_state(ep) == RTE_COMCH_STATE_IDLE, turn_all(pes, nb), TEST_MS);
	return TEST_SUCCESS;
}

/* Connect, a message each way, and stop, on engines that are new each time. */
static int
cycles(struct test_ep *server, struct test_ep *client, struct rte_comch_pe **pes)
{
	uint32_t i;

	for (i = 1; i <= CYCLES; i++) {
		TEST_CALL(move_to_new(server, &pes[0]));
		TEST_CALL(move_to_new(client, &pes[1]));
		TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
		TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
		TEST_CALL(turn_until(pes, 2, &server->nb_connects, i));
		/* which side knows first is the driver's */
		TEST_CALL(turn_until_running(client, pes, 2));
		TEST_EXPECT(test_send_pattern(client->conn, 100 + i, i), 0);
		TEST_EXPECT(test_send_pattern(server->conn, 200 + i, i), 0);
		TEST_CALL(turn_until(pes, 2, &server->nb_recv, i));
		TEST_CALL(turn_until(pes, 2, &client->nb_recv, i));
		TEST_TRUE(test_check(server->last_msg, 100 + i, i));
		TEST_TRUE(test_check(client->last_msg, 200 + i, i));
		TEST_CALL(turn_until(pes, 2, &server->nb_done, i));
		TEST_CALL(turn_until(pes, 2, &client->nb_done, i));
		/* either side first */
		TEST_CALL(stop_on(i % 2 == 0 ? server : client, pes, 2));
		TEST_CALL(turn_until(pes, 2, &server->nb_disconnects, i));
		if (i % 2 == 1)
			TEST_CALL(stop_on(server, pes, 2));
		TEST_WAIT((rte_comch_pe_progress(pes[1]), test_state(client)) ==
				RTE_COMCH_STATE_IDLE, TEST_MS);
	}
	return TEST_SUCCESS;
}

static int
test_cycles(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_pe *pes[2] = { NULL, NULL };
	struct rte_comch_server_conf conf;
	struct rte_comch_client_conf client_conf;
	int ret;

	test_server_conf(server, "test", &conf);
	test_client_conf(client, "test", &client_conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &conf, &server->ctx), 0);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &client_conf, &client->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, test_pe_new()), 0);
	TEST_EXPECT(rte_comch_ctx_attach(client->ctx, test_pe_new()), 0);
	ret = cycles(server, client, pes);
	if (ret == TEST_SUCCESS) {
		TEST_EXPECT(rte_comch_ctx_detach(server->ctx), 0);
		TEST_EXPECT(rte_comch_ctx_detach(client->ctx), 0);
		TEST_EXPECT(rte_comch_pe_destroy(pes[0]), 0);
		TEST_EXPECT(rte_comch_pe_destroy(pes[1]), 0);
	}
	return ret;
}

/* A consumer and a producer go from engine to engine, and their connection stays. */
static int
test_queues(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = { .imm_len = sizeof(uint32_t) };
	struct rte_comch_pe *pes[2];
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	uint32_t i;

	pes[0] = test_pe_new();
	pes[1] = test_pe_new();
	consumer = test_q_consumer(&fp->rx, &conf);
	producer = test_q_producer(&fp->tx, NULL);
	for (i = 0; i < CYCLES; i++) {
		TEST_CALL(test_q_start(consumer, &fp->tx));
		TEST_EXPECT(rte_comch_ctx_detach(consumer->ctx), -EBUSY);
		TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
		TEST_EXPECT(rte_comch_ctx_detach(producer->ctx), -EBUSY);
		TEST_EXPECT(test_post_empty(consumer, 1, i), 1);
		TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == 1, TEST_MS);
		TEST_EXPECT(test_send_imm(producer, consumer->id, &i, sizeof(i), i), 1);
		TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
		TEST_EXPECT(cpl.status, 0);
		TEST_TRUE(memcmp(cpl.imm, &i, sizeof(i)) == 0);
		TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
		TEST_TRUE(rte_comch_ctx_stop(producer->ctx) <= 0);
		TEST_TRUE(rte_comch_ctx_stop(consumer->ctx) <= 0);
		TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE &&
				test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_detach(consumer->ctx), 0);
		TEST_EXPECT(rte_comch_ctx_detach(producer->ctx), 0);
		/* from the first time on: engines that only have these */
		TEST_EXPECT(rte_comch_ctx_attach(consumer->ctx, pes[i % 2]), 0);
		TEST_EXPECT(rte_comch_ctx_attach(producer->ctx, pes[(i + 1) % 2]), 0);
	}
	return TEST_SUCCESS;
}

/* What an engine has of a device goes with the last context of that device. */
static int
test_groups_go(void)
{
	struct test_ep *server, *client;
	struct rte_comch_ctx *ctx;
	struct rte_comch_pe *pe;
	unsigned int i, fds = 0;

	/* somebody is there, so that groups have something of him */
	TEST_CALL(test_connected(&server, &client));
	pe = test_pe_new();
	TEST_EXPECT(rte_comch_producer_create(server->conn, NULL, &ctx), 0);
	for (i = 0; i < ENGINES; i++) {
		TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
		TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
		TEST_CALL(test_stop_now(ctx));
		TEST_EXPECT(rte_comch_ctx_detach(ctx), 0);
		test_settle();
		if (i == 0) /* peers keep what wakes an engine of that number */
			fds = test_count_fds();
	}
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	test_settle();
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	/* the connection has noticed nothing */
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* An engine that a server came to sleeps, and is waked for it. */
static int
test_event(void)
{
	struct test_ep *server, *client;
	struct rte_comch_pe *pe;

	TEST_CALL(test_connected(&server, &client));
	TEST_CALL(test_stop(server));
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_detach(server->ctx), 0);
	pe = test_pe_new();
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	test_settle();
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(test_send_pattern(client->conn, 10, 1), 0);
	TEST_EXPECT(test_wait_fd(pe, TEST_MS), 1);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Devices that are added to an engine, with no context of them there
 */

static int
test_dev_add(void)
{
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct test_ep *server, *client;
	unsigned int fds, i;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(NULL, test_pair.dpu), -EINVAL);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, -1), -EINVAL);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, RTE_COMCH_MAX_DEVS), -EINVAL);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.dpu), -EALREADY);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.host), 0);
	/* a context of a device that was added */
	TEST_EXPECT(rte_comch_producer_create(server->conn, NULL, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), -EBUSY);
	/* nothing was changed by that */
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.dpu), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	/* they go with the engine, and nothing stays of it */
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	test_settle();
	fds = test_count_fds();
	for (i = 0; i < 40; i++) {
		TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
		TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.dpu), 0);
		TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
		test_settle();
	}
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_dev_stays(void)
{
	static struct test_place place;
	struct rte_comch_pe *pe;
	int dpu;

	TEST_CALL(test_place_open(&place));
	dpu = test_place_card(&place);
	TEST_TRUE(dpu >= 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, (int16_t)dpu), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dpu), -EBUSY);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dpu), 0);
	test_place_close(&place);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: contexts change their engine",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_calls),
		TEST_CASE_ST(NULL, test_cleanup, test_in_state_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_cycles),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_queues),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_groups_go),
		TEST_CASE_ST(test_need_event, test_cleanup, test_event),
		TEST_CASE_ST(test_fp_need, test_cleanup, test_dev_add),
		TEST_CASE_ST(NULL, test_cleanup, test_dev_stays),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_attach_autotest, unit_test_suite_runner, &suite)
