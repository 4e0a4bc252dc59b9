/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The arming that always succeeds, as seen by an epoll of the application: when the
 * descriptor is readable, when it is not, and what other engines do to it. The arming
 * that asks to progress first is in test_comch_event.c.
 */

#include <sys/epoll.h>
#include <unistd.h>

#include "test_comch_fp_util.h"

/* A wake-up that has not come by then is lost. */
#define LOST_MS 2000
#define ROUNDS 50

static int epfd = -1;

static int
suite_setup(void)
{
	epfd = epoll_create1(EPOLL_CLOEXEC);
	if (epfd < 0)
		return TEST_FAILED;
	return test_setup_event();
}

static void
suite_teardown(void)
{
	if (epfd >= 0)
		close(epfd);
	epfd = -1;
}

static int
watch(struct rte_comch_pe *pe)
{
	struct epoll_event ev = { .events = EPOLLIN };

	ev.data.ptr = pe;
	return epoll_ctl(epfd, EPOLL_CTL_ADD, rte_comch_pe_fd(pe), &ev);
}

/* 1 if the descriptor of the engine is readable within ms, and 0 if it is not. */
static int
readable(struct rte_comch_pe *pe, int ms)
{
	uint64_t now, end = test_now_ns() + (uint64_t)ms * 1000000;
	struct epoll_event evs[8];
	int i, nb;

	do {
		nb = epoll_wait(epfd, evs, RTE_DIM(evs), ms);
		for (i = 0; i < nb; i++)
			if (evs[i].data.ptr == pe)
				return 1;
		/* another one may be, and this one later */
		now = test_now_ns();
		ms = now < end ? (int)((end - now) / 1000000) + 1 : 0;
	} while (nb > 0 && now < end);
	return 0;
}

/* Progress until there is nothing, and arm so that it sleeps. */
static int
sleeps(struct rte_comch_pe *pe)
{
	uint64_t end = test_now_ns() + (uint64_t)LOST_MS * 1000000;

	do {
		TEST_TRUE(test_now_ns() < end);
		while (rte_comch_pe_progress(pe) > 0)
			;
		TEST_EXPECT(rte_comch_pe_arm_always(pe), 0);
	} while (readable(pe, 0) == 1);
	return TEST_SUCCESS;
}

static int armed_in_callback;

static void
arm_on_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
	armed_in_callback = rte_comch_pe_arm_always(ep->arg);
}

static int
test_arguments(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_client_run("test", client_pe);

	TEST_EXPECT(rte_comch_pe_arm_always(NULL), -EINVAL);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	armed_in_callback = 0;
	server->on_recv = arm_on_recv;
	server->arg = server_pe;
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(armed_in_callback, -EDEADLK);
	return TEST_SUCCESS;
}

static int
test_nothing(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	int i;

	test_server_run("test", pe);
	TEST_EXPECT(watch(pe), 0);
	TEST_CALL(sleeps(pe));
	for (i = 0; i < ROUNDS; i++) {
		TEST_EXPECT(rte_comch_pe_arm_always(pe), 0);
		TEST_EXPECT(rte_comch_pe_arm_always(pe), 0); /* twice is once */
		TEST_EXPECT(readable(pe, 0), 0);
		TEST_EXPECT(rte_comch_pe_progress(pe), 0);
	}
	return TEST_SUCCESS;
}

/* Messages before the arming, and after it, in one round and the other. */
static int
test_messages(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_client_run("test", client_pe);
	uint32_t i, j;

	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	TEST_EXPECT(watch(server_pe), 0);
	TEST_EXPECT(watch(client_pe), 0);
	for (i = 0; i < ROUNDS; i++) {
		TEST_CALL(sleeps(server_pe));
		if (i % 2 == 0) {
			rte_comch_pe_progress(server_pe);
			TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
			test_arrive();
			for (j = 0; j < 3; j++) {
				/* it stays so until progress */
				TEST_EXPECT(rte_comch_pe_arm_always(server_pe), 0);
				TEST_EXPECT(readable(server_pe, 0), 1);
			}
		} else {
			TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
			TEST_EXPECT(readable(server_pe, LOST_MS), 1);
		}
		TEST_TRUE(rte_comch_pe_progress(server_pe) > 0);
		TEST_EXPECT(server->nb_recv, i + 1);
		TEST_CALL(sleeps(server_pe));
		TEST_EXPECT(readable(server_pe, 0), 0);
		/* the sender learns of the delivery in the same way */
		while (client->nb_done < i + 1) {
			TEST_EXPECT(rte_comch_pe_arm_always(client_pe), 0);
			TEST_EXPECT(readable(client_pe, LOST_MS), 1);
			rte_comch_pe_progress(client_pe);
		}
	}
	return TEST_SUCCESS;
}

/* What the application itself has left for the engine. */
static int
test_own_work(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *client = test_client_run("test", client_pe);

	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	test_settle();
	TEST_EXPECT(watch(server_pe), 0);
	TEST_EXPECT(watch(client_pe), 0);
	TEST_CALL(sleeps(client_pe));
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_EXPECT(rte_comch_pe_arm_always(server_pe), 0);
	TEST_EXPECT(readable(server_pe, LOST_MS), 1);
	TEST_EXPECT(readable(client_pe, LOST_MS), 1);
	TEST_WAIT(server->nb_disconnects == 1 && test_state(client) == RTE_COMCH_STATE_IDLE,
			TEST_MS);
	return TEST_SUCCESS;
}

/* Completions that nobody polls: they are there, so it is readable each time. */
static int
test_bursts(struct test_fp *fp)
{
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpls[2];
	uint32_t i;

	TEST_CALL(test_fp_queues(fp, NULL, 8, 4, &consumer, &producer));
	TEST_EXPECT(test_post_empty(consumer, 2, 0), 2);
	TEST_EXPECT(watch(fp->rx.q_pe), 0);
	TEST_CALL(sleeps(fp->rx.q_pe));
	TEST_WAIT(test_send_imm(producer, consumer->id, "one", 4, 0) == 1, TEST_MS);
	TEST_EXPECT(readable(fp->rx.q_pe, LOST_MS), 1);
	for (i = 0; i < 3; i++) {
		rte_comch_pe_progress(fp->rx.q_pe);
		TEST_EXPECT(rte_comch_pe_arm_always(fp->rx.q_pe), 0);
		TEST_EXPECT(readable(fp->rx.q_pe, 0), 1);
	}
	TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
	TEST_CALL(sleeps(fp->rx.q_pe));
	TEST_WAIT(test_send_imm(producer, consumer->id, "two", 4, 0) == 1, TEST_MS);
	TEST_EXPECT(readable(fp->rx.q_pe, LOST_MS), 1);
	TEST_EXPECT(test_poll(consumer, cpls, 1), 1);
	return TEST_SUCCESS;
}

/* What another engine with the same device does: once for each, and mostly not at all. */
static int
test_two_engines(void)
{
	struct rte_comch_pe *quiet_pe = test_pe_new(), *busy_pe = test_pe_new();
	struct rte_comch_pe *server_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe);
	struct test_ep *quiet = test_client_run("test", quiet_pe);
	struct test_ep *busy = test_client_run("test", busy_pe);
	uint32_t i, spurious = 0;

	TEST_WAIT(server->nb_connects == 2 && quiet->conn != NULL && busy->conn != NULL,
			TEST_MS);
	test_settle();
	TEST_EXPECT(watch(quiet_pe), 0);
	TEST_CALL(sleeps(quiet_pe));

	/* messages of the other one are none of its business */
	for (i = 0; i < ROUNDS; i++) {
		TEST_EXPECT(test_send_pattern(busy->conn, 8, i), 0);
		while (busy->nb_done <= i) {
			rte_comch_pe_progress(server_pe);
			rte_comch_pe_progress(busy_pe);
		}
	}
	TEST_EXPECT(readable(quiet_pe, 0), 0);

	/* it may look at the news of the other's connections, and sleeps on */
	for (i = 0; i < ROUNDS; i++) {
		uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		int state = test_state(busy);

		TEST_EXPECT(state == RTE_COMCH_STATE_RUNNING ? rte_comch_ctx_stop(busy->ctx) :
			rte_comch_ctx_start(busy->ctx), -EINPROGRESS);
		while (test_state(busy) != (state == RTE_COMCH_STATE_RUNNING ?
				RTE_COMCH_STATE_IDLE : RTE_COMCH_STATE_RUNNING)) {
			TEST_TRUE(test_now_ns() < end);
			rte_comch_pe_progress(server_pe);
			/* before the one that it is for has looked */
			if (readable(quiet_pe, 0) == 1) {
				spurious++;
				rte_comch_pe_progress(quiet_pe);
				TEST_EXPECT(rte_comch_pe_arm_always(quiet_pe), 0);
				TEST_EXPECT(readable(quiet_pe, 0), 0);
			}
			rte_comch_pe_progress(busy_pe);
		}
	}
	/* at most the answer and the last word of the peer, for each start and stop */
	test_note("%u of %u starts and stops woke another engine", spurious, ROUNDS);
	TEST_TRUE(spurious <= 3 * ROUNDS);
	TEST_CALL(sleeps(quiet_pe));
	TEST_EXPECT(readable(quiet_pe, 50), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arming that always succeeds",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(test_need_event, test_cleanup, test_arguments),
		TEST_CASE_ST(test_need_event, test_cleanup, test_nothing),
		TEST_CASE_ST(test_need_event, test_cleanup, test_messages),
		TEST_CASE_ST(test_need_event, test_cleanup, test_own_work),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_bursts),
		TEST_CASE_ST(test_need_event, test_cleanup, test_two_engines),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_arm_autotest, unit_test_suite_runner, &suite)
