/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endings that the driver does not tell of in time: the library goes on without it,
 * and what the driver tells afterwards does no harm. Each costs the time limit, so
 * all of them end at one time.
 */

#define ALLOW_INTERNAL_API 1

#include <sys/mman.h>

#include <rte_comch_pmd.h> /* check-ok: the mock driver's device is looked at */

#include "test_bluefield_model.h"
#include "test_comch_fp_util.h"
#include "test_mock.h"

/* How much later an end may be given up, on a machine that is busy. */
#define SLACK_MS 3000
#define LOST_MS (RTE_COMCH_PMD_END_MS + SLACK_MS)

static int
case_setup(void)
{
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	return TEST_SUCCESS;
}

/* A connection that works, on devices that were given up. */
static int
works_again(void)
{
	struct test_ep *server, *client;

	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_EXPECT(test_dev_status(test_pair.host), 0);
	TEST_CALL(test_connected(&server, &client));
	TEST_CALL(test_send_pattern(client->conn, 100, 1));
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* All kinds of endings, on both devices. */
static int
test_nothing_told(void)
{
	struct test_ep *lonely, *seeker, *idle;
	struct test_q *consumer, *producer;
	struct test_ep *server, *client;
	struct test_fp fp;
	uint64_t begin;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	server = fp.rx.ep;
	client = fp.tx.ep;
	TEST_CALL(test_fp_producer(&fp, 1, &producer));
	lonely = test_server_run("lonely", test_pe_new());
	idle = test_server_run("idle", test_pe_new());
	TEST_CALL(test_fp_consumer(&fp, NULL, 1, 0, &consumer));
	TEST_CALL(test_stop(idle));
	TEST_EXPECT(test_q_close(consumer), 0);

	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_HELD);
	begin = test_now_ns();
	TEST_EXPECT(test_ep_close(idle), 0); /* a poll group ends */
	TEST_EXPECT(rte_comch_ctx_stop(lonely->ctx), -EINPROGRESS);
	seeker = test_client_run("nobody", test_pe_new());
	TEST_EXPECT(rte_comch_ctx_stop(seeker->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_ctx_stop(producer->ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_EXPECT(test_mock_nb_held(TEST_MOCK_NB_OPS), 5);
	TEST_WAIT(test_state(lonely) == RTE_COMCH_STATE_IDLE &&
			test_state(seeker) == RTE_COMCH_STATE_IDLE &&
			server->nb_disconnects == 1 &&
			test_mock_nb_held(TEST_MOCK_QUEUE_FREE) == 1, LOST_MS);
	TEST_TRUE(test_now_ns() - begin > (uint64_t)RTE_COMCH_PMD_END_MS / 2 * 1000000);
	TEST_EXPECT(test_dev_status(test_pair.dpu), -ETIMEDOUT);
	TEST_EXPECT(test_dev_status(test_pair.host), -ETIMEDOUT);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_STOPPING ||
			test_state(server) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(lonely->ctx), -ETIMEDOUT);

	/* the queue is being freed: what is told now is of its stop */
	test_mock_drop(TEST_MOCK_QUEUE_STOP);
	TEST_EXPECT(test_mock_tell_dropped(), 1);
	test_progress_ms(20);
	TEST_EXPECT(test_q_state(producer), RTE_COMCH_STATE_STOPPING);
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, LOST_MS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);

	/* all are gone for the application, and the driver tells of each after all */
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	test_mock_drop(TEST_MOCK_NB_OPS);
	test_fp_cleanup();
	TEST_TRUE(test_mock_tell_dropped() >= 6);
	return works_again();
}

/* A driver that is at work has more time, until it is not any more. */
static int
test_at_work(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct test_ep *server;
	uint64_t begin;

	server = test_server_run("busy", test_pe_new());
	TEST_TRUE(dev != NULL);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_HELD);
	begin = test_now_ns();
	TEST_EXPECT(rte_comch_ctx_stop(server->ctx), -EINPROGRESS);
	while (test_now_ns() - begin < (uint64_t)RTE_COMCH_PMD_END_MS * 3 / 2 * 1000000) {
		rte_comch_pmd_at_work(dev);
		test_progress_ms(20);
	}
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_STOPPING);
	TEST_WAIT(test_state(server) == RTE_COMCH_STATE_IDLE, LOST_MS);
	TEST_EXPECT(test_dev_status(test_pair.dpu), -ETIMEDOUT);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	test_mock_drop(TEST_MOCK_NB_OPS);
	test_fp_cleanup();
	TEST_TRUE(test_mock_tell_dropped() >= 1);
	return works_again();
}

/*
 * A region has no engine that could look at the time: it is given up when somebody
 * asks for the device.
 */
static int
test_region_not_told(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_mem *mem[3];
	unsigned int i;

	TEST_TRUE(dev != NULL);
	test_mock_mode_set(TEST_MOCK_MEM_FREE, TEST_MOCK_HELD);
	for (i = 0; i < RTE_DIM(mem); i++) {
		mem[i] = test_mem_alloc(test_pair.dpu, 4096, 0);
		TEST_EXPECT(test_mem_free(mem[i]), 0);
	}
	TEST_EXPECT(rte_comch_pmd_hide(dev), -EBUSY);
	TEST_EXPECT(test_dev_status(test_pair.dpu), 0);
	TEST_WAIT(test_dev_status(test_pair.dpu) != 0, LOST_MS);
	TEST_EXPECT(test_dev_status(test_pair.dpu), -ETIMEDOUT);
	/* the first is late now, the others microseconds after it */
	TEST_WAIT(rte_comch_pmd_hide(dev) == 0, TEST_MS);
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	test_mock_drop(TEST_MOCK_MEM_FREE);
	TEST_TRUE(test_mock_tell_dropped() >= RTE_DIM(mem));
	TEST_EXPECT(rte_comch_pmd_hide(dev), 0);
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	return works_again();
}

/* One connection, and something else on one of its devices whose end is not told. */
static int
connection_goes(bool of_client)
{
	struct test_q *consumer, *producer;
	struct test_ep *other;
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(test_fp_queues(&fp, NULL, 1, 0, &consumer, &producer));
	other = of_client ? test_client_run("nobody else", test_pe_new()) :
		test_server_run("other", test_pe_new());
	test_mock_mode_set(TEST_MOCK_UNLISTEN, TEST_MOCK_HELD);
	test_mock_mode_set(TEST_MOCK_CONNECT_CANCEL, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_ctx_stop(other->ctx), -EINPROGRESS);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	TEST_WAIT(test_dev_status(of_client ? test_pair.host : test_pair.dpu) == -ETIMEDOUT,
			LOST_MS);

	TEST_WAIT(fp.rx.ep->nb_disconnects == 1, TEST_MS);
	TEST_WAIT(test_state(fp.tx.ep) == RTE_COMCH_STATE_IDLE &&
			test_q_state(consumer) == RTE_COMCH_STATE_IDLE &&
			test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_reason_get(producer->ctx), -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_reason_get(fp.tx.ep->ctx),
			of_client ? -ETIMEDOUT : -ECONNRESET);
	TEST_EXPECT(fp.rx.ep->disconnect_status, of_client ? -ECONNRESET : -ETIMEDOUT);
	/* only the server of the device that failed stops */
	if (of_client) {
		TEST_EXPECT(test_state(fp.rx.ep), RTE_COMCH_STATE_RUNNING);
	} else {
		TEST_WAIT(test_state(fp.rx.ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(fp.rx.ep->ctx), -ETIMEDOUT);
	}
	test_mock_drop(TEST_MOCK_NB_OPS);
	test_fp_cleanup();
	TEST_EXPECT(test_dev_status(of_client ? test_pair.dpu : test_pair.host), 0);
	return works_again();
}

/* What runs on a device that the library takes for broken goes down with it. */
static int
test_connections_go(void)
{
	TEST_CALL(connection_goes(false));
	test_mock_case_teardown();
	return connection_goes(true);
}

/* Whether a region is still where it was. */
static bool
is_mapped(void *addr)
{
	return msync(addr, 4096, MS_ASYNC) == 0;
}

/* ThreadSanitizer maps memory of its own, also where a region was: nothing is told then. */
static bool
is_unmapped(void *addr)
{
	return TEST_TSAN || !is_mapped(addr);
}

static uint64_t
nb_retained(int16_t dev_id)
{
	struct rte_comch_dev_stats stats = { .retained = 0 };

	rte_comch_dev_stats_get(dev_id, &stats);
	return stats.retained;
}

/*
 * A consumer whose end is not told may be written to: what it uses stays when the
 * application has given it back, until the device is reset.
 */
static int
test_lost_queue_keeps(void)
{
	static uint8_t own[4096] __rte_aligned(4096);
	struct rte_comch_mem *mem, *other, *mine;
	void *addr, *other_addr;
	struct test_q *q;
	struct test_fp fp;
	uint64_t before;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	mem = test_mem_alloc(fp.rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	other = test_mem_alloc(fp.rx.dev, 4096, 0);
	TEST_EXPECT(rte_comch_mem_register(fp.rx.dev, own, sizeof(own), 0, &mine), 0);
	addr = rte_comch_mem_addr(mem);
	other_addr = rte_comch_mem_addr(other);
	before = nb_retained(fp.rx.dev);
	TEST_CALL(test_fp_consumer(&fp, mem, 4, 0, &q));
	test_mock_mode_set(TEST_MOCK_QUEUE_STOP, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, LOST_MS + TEST_MS);
	TEST_EXPECT(test_dev_status(fp.rx.dev), -ETIMEDOUT);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	TEST_EXPECT(nb_retained(fp.rx.dev), before);

	TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
	TEST_EXPECT(test_q_close(q), 0);
	TEST_EXPECT(nb_retained(fp.rx.dev), before + 2); /* the consumer and its connection */
	TEST_EXPECT(test_mem_free(mem), 0);
	TEST_EXPECT(test_mem_free(other), 0);
	TEST_EXPECT(nb_retained(fp.rx.dev), before + 4);
	TEST_TRUE(is_mapped(addr) && is_mapped(other_addr));
	/* memory of the application is its own again */
	TEST_EXPECT(rte_comch_mem_free(mine), 0);
	TEST_EXPECT(nb_retained(fp.rx.dev), before + 4);

	test_mock_drop(TEST_MOCK_NB_OPS);
	TEST_TRUE(test_mock_tell_dropped() >= 1);
	test_fp_cleanup();
	TEST_TRUE(is_mapped(addr) && is_mapped(other_addr));
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_TRUE(is_unmapped(addr) && is_unmapped(other_addr));
	TEST_CALL(works_again());
	/* a region of the time after the reset is freed at once */
	mem = test_mem_alloc(test_pair.dpu, 4096, 0);
	addr = rte_comch_mem_addr(mem);
	TEST_EXPECT(test_mem_free(mem), 0);
	TEST_TRUE(is_unmapped(addr));
	return TEST_SUCCESS;
}

/* The device has failed for a reason of its own: that stays. */
static int
test_reason_stays(void)
{
	struct test_ep *ep = test_server_run("stays", test_pe_new());

	test_mock_mode_set(TEST_MOCK_UNLISTEN, TEST_MOCK_HELD);
	rte_comch_pmd_dev_down(test_mock_dev(test_pair.dpu), -ENODEV);
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_UNLISTEN) == 1, TEST_MS);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, LOST_MS);
	TEST_EXPECT(test_dev_status(test_pair.dpu), -ENODEV);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -ENODEV);
	test_mock_drop(TEST_MOCK_UNLISTEN);
	return TEST_SUCCESS;
}

#define LOST_TASKS 8

/* Numbers of the tasks that ended, in order, and with what. */
static uint32_t lost_nr[2 * LOST_TASKS];
static int lost_status[2 * LOST_TASKS];
static uint32_t nb_lost;

static void
note_lost(struct test_q *q __rte_unused, struct rte_comch_task *task, int status)
{
	if (nb_lost < RTE_DIM(lost_nr)) {
		lost_nr[nb_lost] = (uint32_t)(uintptr_t)rte_comch_task_user_data_get(task);
		lost_status[nb_lost++] = status;
	}
	rte_comch_task_free(task);
}

static void
note_lost_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	note_lost(q, task, cpl->status);
}

/* All came back, in the order in which they were submitted. */
static int
lost_are(uint32_t nb, int status)
{
	uint32_t i;

	TEST_EXPECT(nb_lost, nb);
	for (i = 0; i < nb; i++) {
		TEST_EXPECT(lost_nr[i], i);
		TEST_EXPECT(lost_status[i], status);
	}
	return TEST_SUCCESS;
}

/* The stop of a queue is not told, and its tasks do not come back by themselves. */
static int
queue_is_lost(struct test_q *q)
{
	uint64_t begin = test_now_ns();

	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_QUEUE_STOP) == 1, TEST_MS);
	test_progress_ms(20);
	TEST_EXPECT(nb_lost, 0);
	TEST_EXPECT(test_q_state(q), RTE_COMCH_STATE_STOPPING);
	/* that of a consumer may wait for a peer */
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, RTE_COMCH_PMD_ANSWER_MS + SLACK_MS);
	TEST_TRUE(test_now_ns() - begin > (uint64_t)RTE_COMCH_PMD_END_MS / 2 * 1000000);
	return TEST_SUCCESS;
}

static int
lost_close(int16_t dev_id)
{
	TEST_EXPECT(test_dev_status(dev_id), -ETIMEDOUT);
	test_mock_mute(false);
	test_progress_ms(20);
	test_mock_drop(TEST_MOCK_QUEUE_STOP);
	TEST_TRUE(test_mock_tell_dropped() >= 1);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	test_fp_cleanup();
	return TEST_SUCCESS;
}

static int
test_sends_not_told(void)
{
	const struct rte_comch_producer_conf conf = { .nb_tasks = LOST_TASKS };
	const struct rte_comch_send send = { .imm = "lost", .imm_len = 4 };
	struct rte_comch_task *tasks[LOST_TASKS];
	struct test_q *consumer, *producer;
	struct test_fp fp;
	uint32_t i;

	nb_lost = 0;
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(test_fp_consumer(&fp, NULL, LOST_TASKS, 4, &consumer));
	producer = test_q_producer(&fp.tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	producer->on_send = note_lost;
	TEST_EXPECT(test_post_empty(consumer, 5, 0), 5);
	for (i = 0; i < LOST_TASKS; i++) {
		TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &send,
				&tasks[i]), 0);
		rte_comch_task_user_data_set(tasks[i], (void *)(uintptr_t)i);
	}
	test_mock_mute(true);
	test_mock_mode_set(TEST_MOCK_QUEUE_STOP, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 5, 0), 5);
	/* these wait in the library */
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 5, LOST_TASKS - 5,
			RTE_COMCH_SUBMIT_F_LATER), LOST_TASKS - 5);
	TEST_CALL(queue_is_lost(producer));
	TEST_CALL(lost_are(LOST_TASKS, -ECANCELED));
	TEST_CALL(lost_close(fp.tx.dev));
	return works_again();
}

static int
test_posts_not_told(void)
{
	const struct rte_comch_consumer_conf conf = { .nb_tasks = LOST_TASKS, .imm_len = 4 };
	struct rte_comch_task *tasks[LOST_TASKS];
	struct test_q *consumer;
	struct test_fp fp;
	uint32_t i;

	nb_lost = 0;
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	consumer = test_q_consumer(&fp.rx, &conf);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	consumer->on_post = note_lost_post;
	for (i = 0; i < LOST_TASKS; i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &tasks[i]), 0);
		rte_comch_task_user_data_set(tasks[i], (void *)(uintptr_t)i);
	}
	test_mock_mute(true);
	test_mock_mode_set(TEST_MOCK_QUEUE_STOP, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, LOST_TASKS, 0), LOST_TASKS);
	TEST_CALL(queue_is_lost(consumer));
	TEST_CALL(lost_are(LOST_TASKS, -ECANCELED));
	TEST_CALL(lost_close(fp.rx.dev));
	return works_again();
}

/* Its memory stays, as the driver may still have it. */
static void
answer_after_all(int status)
{
	const struct rte_comch_queue *queue = test_mock_unanswered();

	rte_comch_pmd_consumer_answer(queue->conn, queue->id, status);
}

/* A consumer is announced, and the driver does not answer. */
static int
test_no_answer(void)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = 4 };
	uint64_t begin = test_now_ns();
	struct test_q *consumer;
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	consumer = test_q_consumer(&fp.rx, &conf);
	test_mock_deaf(true);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	test_progress_ms(20);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_STARTING);
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE,
			RTE_COMCH_PMD_ANSWER_MS + SLACK_MS);
	TEST_TRUE(test_now_ns() - begin > (uint64_t)RTE_COMCH_PMD_ANSWER_MS / 2 * 1000000);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), -ETIMEDOUT);
	TEST_EXPECT(test_dev_status(fp.rx.dev), -ETIMEDOUT);
	test_mock_deaf(false);
	/* it answers after all, and nobody asked */
	TEST_TRUE(test_mock_unanswered() != NULL);
	answer_after_all(0);
	test_progress_ms(20);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(fp.tx.ep->nb_new, 0);
	test_fp_cleanup();
	answer_after_all(-EIO);
	return works_again();
}

/* The connection ends while the driver owes the answer: that is told at once. */
static int
test_no_answer_conn_down(struct test_fp *fp)
{
	struct test_q *consumer;

	consumer = test_q_consumer(&fp->rx, NULL);
	test_mock_deaf(true);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -EINPROGRESS);
	test_progress_ms(20);
	TEST_CALL(test_stop(fp->tx.ep));
	TEST_WAIT(test_q_state(consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(consumer->ctx), -ENOTCONN);
	TEST_EXPECT(test_dev_status(fp->rx.dev), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: endings that are not told",
	.setup = test_mock_suite_setup,
	.teardown = test_mock_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_nothing_told),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_at_work),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_region_not_told),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_connections_go),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_lost_queue_keeps),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_reason_stays),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_sends_not_told),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_posts_not_told),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_no_answer),
		TEST_CASE_FP(case_setup, test_mock_case_teardown, test_no_answer_conn_down),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_ending_lost_autotest, unit_test_suite_runner, &suite)
