/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Submission of several tasks at a time, and of tasks that go to the driver later:
 * what is taken, in which order it arrives, and how it ends. One task by itself is in
 * test_comch_fp_task.c and in test_comch.c.
 */

#include <rte_errno.h>

#include "test_comch_fp_util.h"

#define TASKS 80
#define LEN 32

/* A producer and a consumer with tasks on one connection, and what arrived. */
static struct test_fp fp;
static struct test_q *producer, *consumer;
static struct test_slots from, to;
static uint32_t ids[2 * TASKS]; /* of received messages, in order */
static uint32_t nb_ids;
static int ends[2 * TASKS]; /* statuses of sends, in order */
static uint32_t nb_ends;
static uint32_t ctrl_ids[2 * TASKS];
static uint32_t nb_ctrl_ids;

static void
note_post(struct test_q *q __rte_unused, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl)
{
	if (cpl->status == 0 && nb_ids < RTE_DIM(ids))
		memcpy(&ids[nb_ids++], cpl->imm, sizeof(ids[0]));
	rte_comch_task_free(task);
}

static void
note_send(struct test_q *q __rte_unused, struct rte_comch_task *task, int status)
{
	if (nb_ends < RTE_DIM(ends))
		ends[nb_ends++] = status;
	rte_comch_task_free(task);
}

static void
note_recv(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn __rte_unused,
		const void *msg, uint32_t len)
{
	if (len == sizeof(uint32_t) && nb_ctrl_ids < RTE_DIM(ctrl_ids))
		memcpy(&ctrl_ids[nb_ctrl_ids++], msg, len);
}

static int
case_open(void)
{
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = TASKS };
	struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = TASKS, .imm_len = 8 };

	nb_ids = nb_ends = nb_ctrl_ids = 0;
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	TEST_CALL(test_slots_new(&to, fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, TASKS, LEN));
	TEST_CALL(test_slots_new(&from, fp.tx.dev, 0, 1, 2 * LEN));
	consumer_conf.mem = to.mem;
	consumer = test_q_consumer(&fp.rx, &consumer_conf);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	producer = test_q_producer(&fp.tx, &producer_conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	test_fp_pairs();
	consumer->on_post = note_post;
	producer->on_send = note_send;
	fp.rx.ep->on_recv = note_recv;
	return TEST_SUCCESS;
}

/* Messages have their number with them, which stays. */
static int
send_new(uint32_t id, uint64_t len, struct rte_comch_task **task)
{
	static uint32_t numbers[2 * TASKS];
	const struct rte_comch_send send = {
		.addr = test_slot(&from, 0),
		.len = len,
		.mem = from.mem,
		.imm = &numbers[id],
		.imm_len = sizeof(numbers[id]),
	};

	numbers[id] = id;
	return rte_comch_producer_task_alloc(producer->ctx, consumer->id, &send, task);
}

static int
post_new(uint32_t i, struct rte_comch_task **task)
{
	const struct rte_comch_post post = { .addr = test_slot(&to, i), .len = LEN };

	return rte_comch_consumer_task_alloc(consumer->ctx, &post, task);
}

static int
ctrl_new(uint32_t id, struct rte_comch_task **task)
{
	static uint32_t numbers[2 * TASKS];

	numbers[id] = id;
	return rte_comch_conn_task_alloc(fp.tx.ep->conn, &numbers[id], sizeof(numbers[id]),
			task);
}

static int
posts_give(uint32_t first, uint32_t nb)
{
	struct rte_comch_task *tasks[TASKS];
	uint32_t i;

	for (i = 0; i < nb; i++)
		TEST_EXPECT(post_new(first + i, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, nb, 0), (int)nb);
	test_posts_arrive(consumer, nb);
	return TEST_SUCCESS;
}

/* As many were received as are said, all in order. */
static int
ids_in_order(uint32_t nb)
{
	uint32_t i;

	TEST_WAIT(nb_ids == nb, TEST_MS);
	for (i = 0; i < nb; i++)
		TEST_EXPECT(ids[i], i);
	return TEST_SUCCESS;
}

static int
test_arguments(void)
{
	struct rte_comch_task *tasks[4] = { NULL };

	TEST_CALL(case_open());
	TEST_EXPECT(rte_comch_task_submit_burst(NULL, 1, 0), -EINVAL);
	TEST_EXPECT(rte_comch_task_submit_burst(NULL, 0, 0), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 0, RTE_COMCH_SUBMIT_F_LATER), 0);
	rte_errno = 0;
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 1, 0), 0);
	TEST_EXPECT(rte_errno, EINVAL);
	TEST_EXPECT(ctrl_new(0, &tasks[0]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 1, RTE_BIT32(1)), -EINVAL);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 1, UINT32_MAX), -EINVAL);

	/* a hole: what is before it is taken */
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 4, 0), 1);
	TEST_EXPECT(rte_errno, EINVAL);
	/* twice, in two bursts and in one, and one that is freed */
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 1, 0), 0);
	TEST_EXPECT(rte_errno, EALREADY);
	TEST_EXPECT(ctrl_new(1, &tasks[0]), 0);
	tasks[1] = tasks[0];
	rte_errno = 0;
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 2, RTE_COMCH_SUBMIT_F_LATER), 1);
	TEST_EXPECT(rte_errno, EALREADY);
	TEST_EXPECT(rte_comch_task_submit(tasks[0]), -EALREADY);
	TEST_EXPECT(rte_comch_task_free(tasks[0]), -EBUSY);
	TEST_WAIT(nb_ctrl_ids == 2, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_wrong_state(void)
{
	struct rte_comch_task *tasks[2];
	int i;

	TEST_CALL(case_open());
	TEST_EXPECT(send_new(0, LEN, &tasks[0]), 0);
	TEST_EXPECT(ctrl_new(0, &tasks[1]), 0);
	TEST_EXPECT(rte_comch_ctx_stop(producer->ctx), -EINPROGRESS);
	for (i = 0; i < 2; i++) {
		rte_errno = 0;
		TEST_EXPECT(rte_comch_task_submit_burst(tasks, 2, i), 0);
		TEST_EXPECT(rte_errno, EBUSY);
	}
	TEST_EXPECT(rte_comch_task_free(tasks[0]), 0);
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_EXPECT(rte_comch_server_disconnect(fp.rx.ep->conn), 0);
	TEST_WAIT(test_state(fp.tx.ep) == RTE_COMCH_STATE_STOPPING, TEST_MS);
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(rte_comch_task_submit_burst(&tasks[1], 1, i), 0);
		TEST_EXPECT(rte_errno, ENOTCONN);
	}
	TEST_EXPECT(rte_comch_task_free(tasks[1]), 0);
	return TEST_SUCCESS;
}

/* Posts, messages of a producer and control messages in one burst. */
static int
mixed(int flags)
{
	struct rte_comch_task *tasks[3 * 16];
	uint32_t i, nb = 0;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 16)); /* credits for now: others may be on their way */
	for (i = 0; i < 16; i++) {
		TEST_EXPECT(post_new(16 + i, &tasks[nb++]), 0);
		TEST_EXPECT(send_new(i, LEN, &tasks[nb++]), 0);
		if (i % 3 != 2)
			TEST_EXPECT(ctrl_new(nb_ctrl_ids++, &tasks[nb++]), 0);
	}
	i = nb_ctrl_ids;
	nb_ctrl_ids = 0;
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, nb, flags), (int)nb);
	TEST_CALL(ids_in_order(16));
	TEST_WAIT(nb_ctrl_ids == i && fp.tx.ep->nb_done == i && nb_ends == 16, TEST_MS);
	while (i-- > 0)
		TEST_EXPECT(ctrl_ids[i], i);
	TEST_EXPECT(producer->nb_ok, 16);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, 16);
	return TEST_SUCCESS;
}

/* More than one burst of the driver. */
static int
test_many(void)
{
	struct rte_comch_task *tasks[TASKS];
	uint32_t i;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, TASKS));
	for (i = 0; i < TASKS; i++)
		TEST_EXPECT(send_new(i, LEN, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, TASKS, 0), TASKS);
	TEST_CALL(ids_in_order(TASKS));
	TEST_WAIT(producer->nb_ok == TASKS, TEST_MS);
	return TEST_SUCCESS;
}

/* Room for a part of them: the others stay the caller's, and can go another time. */
static int
test_partial(void)
{
	struct rte_comch_task *tasks[12];
	struct rte_comch_room room;
	uint32_t i;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 5));
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(send_new(i, i == 8 ? 2 * LEN : LEN, &tasks[i]), 0);
	rte_errno = 0;
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, RTE_DIM(tasks), 0), 5);
	TEST_EXPECT(rte_errno, EAGAIN);
	TEST_EXPECT(rte_comch_queue_room_get(producer->ctx, consumer->id, &room), 0);
	TEST_EXPECT(room.reason, -EAGAIN);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 5, 7, 0), 0);
	TEST_CALL(posts_give(5, 7));
	/* one is too long */
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 5, 7, 0), 3);
	TEST_EXPECT(rte_errno, EMSGSIZE);
	TEST_EXPECT(rte_comch_task_free(tasks[8]), 0);
	TEST_EXPECT(send_new(8, LEN, &tasks[8]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 8, 4, 0), 4);
	TEST_CALL(ids_in_order(RTE_DIM(tasks)));
	TEST_WAIT(producer->nb_ok == RTE_DIM(tasks), TEST_MS);
	return TEST_SUCCESS;
}

/* Those of later go with the next one that is not, without a turn of the engine. */
static int
test_flush(void)
{
	struct rte_comch_task *sends[4], *ctrls[4];
	uint32_t i;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 8));
	for (i = 0; i < 4; i++) {
		TEST_EXPECT(send_new(i, LEN, &sends[i]), 0);
		TEST_EXPECT(ctrl_new(i, &ctrls[i]), 0);
	}
	TEST_EXPECT(rte_comch_task_submit_burst(sends, 3, RTE_COMCH_SUBMIT_F_LATER), 3);
	TEST_EXPECT(rte_comch_task_submit_burst(ctrls, 3, RTE_COMCH_SUBMIT_F_LATER), 3);
	for (i = 0; i < 1000; i++)
		test_turn(fp.rx.pe, fp.rx.q_pe);
	TEST_EXPECT(nb_ids + nb_ctrl_ids, 0);
	TEST_EXPECT(rte_comch_task_submit(sends[3]), 0);
	TEST_EXPECT(rte_comch_task_submit(ctrls[3]), 0);
	TEST_UNTIL(nb_ids >= 4 && nb_ctrl_ids >= 4, test_turn(fp.rx.pe, fp.rx.q_pe), TEST_MS);
	TEST_CALL(ids_in_order(4));
	for (i = 0; i < 4; i++)
		TEST_EXPECT(ctrl_ids[i], i);
	TEST_EXPECT(nb_ends, 0); /* nothing ended in here */
	TEST_WAIT(nb_ends == 4 && fp.tx.ep->nb_done == 4, TEST_MS);
	return TEST_SUCCESS;
}

/* One message for one credit at a time, and those that wait keep their order. */
static int
test_later_waits(void)
{
	struct rte_comch_task *tasks[20], *last;
	uint32_t i;

	TEST_CALL(case_open());
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(send_new(i, LEN, &tasks[i]), 0);
	TEST_EXPECT(send_new(i, LEN, &last), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 10, RTE_COMCH_SUBMIT_F_LATER), 10);
	test_progress_ms(2);
	TEST_EXPECT(nb_ends + nb_ids, 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 10, 10, RTE_COMCH_SUBMIT_F_LATER), 10);
	TEST_EXPECT(rte_comch_task_submit(last), -EAGAIN);
	TEST_EXPECT(rte_comch_task_submit_burst(&last, 1, 0), 0);
	TEST_EXPECT(rte_errno, EAGAIN);
	TEST_EXPECT(rte_comch_task_free(tasks[19]), -EBUSY);
	TEST_EXPECT(rte_comch_mem_free(from.mem), -EBUSY);
	for (i = 0; i < RTE_DIM(tasks); i++) {
		TEST_CALL(posts_give(i, 1));
		TEST_CALL(ids_in_order(i + 1));
	}
	TEST_CALL(posts_give(i, 1));
	TEST_WAIT(rte_comch_task_submit(last) == 0, TEST_MS);
	TEST_CALL(ids_in_order(RTE_DIM(tasks) + 1));
	TEST_WAIT(producer->nb_ok == RTE_DIM(tasks) + 1, TEST_MS);
	return TEST_SUCCESS;
}

/* What no room helps ends with the reason, and the others go on. */
static int
test_later_bad(void)
{
	const struct rte_comch_send nowhere = { .imm = "no", .imm_len = 2 };
	uint32_t i, too_long = 0, unknown = 0;
	struct rte_comch_task *tasks[6];

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 8));
	TEST_EXPECT(send_new(0, LEN, &tasks[0]), 0);
	TEST_EXPECT(send_new(7, 2 * LEN, &tasks[1]), 0);
	TEST_EXPECT(send_new(1, LEN, &tasks[2]), 0);
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id + 7, &nowhere,
			&tasks[3]), 0);
	TEST_EXPECT(send_new(7, 2 * LEN, &tasks[4]), 0);
	TEST_EXPECT(send_new(2, LEN, &tasks[5]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, RTE_DIM(tasks),
			RTE_COMCH_SUBMIT_F_LATER), RTE_DIM(tasks));
	TEST_EXPECT(nb_ends, 0);
	TEST_WAIT(nb_ends == RTE_DIM(tasks), TEST_MS);
	TEST_CALL(ids_in_order(3));
	TEST_EXPECT(producer->nb_ok, 3);
	for (i = 0; i < nb_ends; i++) {
		too_long += ends[i] == -EMSGSIZE;
		unknown += ends[i] == -ENOENT;
	}
	TEST_TRUE(too_long == 2 && unknown == 1);
	/* and nothing is left behind */
	TEST_EXPECT(send_new(3, LEN, &tasks[0]), 0);
	TEST_EXPECT(rte_comch_task_submit(tasks[0]), 0);
	TEST_CALL(ids_in_order(4));
	return TEST_SUCCESS;
}

/* Nobody is lost when the producer stops: those that went, and those that waited. */
static int
test_later_stop(void)
{
	struct rte_comch_task *tasks[10];
	uint32_t i;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 4));
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(send_new(i, LEN, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, 4, 0), 4);
	TEST_EXPECT(rte_comch_task_submit_burst(tasks + 4, 6, RTE_COMCH_SUBMIT_F_LATER), 6);
	TEST_EXPECT(rte_comch_ctx_stop(producer->ctx), -EINPROGRESS);
	TEST_EXPECT(nb_ends, 0);
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(nb_ends, RTE_DIM(tasks));
	for (i = 0; i < nb_ends; i++)
		TEST_EXPECT(ends[i], i < 4 ? 0 : -ECANCELED);
	/* it starts again, with nothing of before */
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	nb_ends = 0;
	TEST_CALL(posts_give(4, 1));
	TEST_EXPECT(send_new(4, LEN, &tasks[0]), 0);
	TEST_WAIT(rte_comch_task_submit(tasks[0]) == 0, TEST_MS);
	TEST_CALL(ids_in_order(5));
	TEST_WAIT(nb_ends == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* The same when the connection ends, for control messages, too. */
static int
test_later_conn_down(void)
{
	struct rte_comch_task *sends[6], *ctrls[6];
	uint32_t i;

	TEST_CALL(case_open());
	for (i = 0; i < 6; i++) {
		TEST_EXPECT(send_new(i, LEN, &sends[i]), 0);
		TEST_EXPECT(ctrl_new(i, &ctrls[i]), 0);
	}
	TEST_EXPECT(rte_comch_task_submit_burst(sends, 6, RTE_COMCH_SUBMIT_F_LATER), 6);
	test_progress_ms(2);
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_EXPECT(rte_comch_server_disconnect(fp.rx.ep->conn), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(ctrls, 6, RTE_COMCH_SUBMIT_F_LATER), 6);
	TEST_WAIT(fp.tx.ep->conn == NULL, TEST_MS);
	TEST_EXPECT(fp.tx.ep->nb_failed, 6);
	TEST_EXPECT(fp.tx.ep->send_status, -ECONNRESET);
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(nb_ends, 6);
	/* the consumer went before the connection: they may have learned that first */
	for (i = 0; i < nb_ends; i++)
		TEST_TRUE(ends[i] == -ECONNRESET || ends[i] == -ENOENT);
	return TEST_SUCCESS;
}

static int
test_later_client_stops(void)
{
	struct rte_comch_task *ctrls[6];
	uint32_t i;

	TEST_CALL(case_open());
	TEST_EXPECT(test_q_close(producer), 0);
	for (i = 0; i < 6; i++)
		TEST_EXPECT(ctrl_new(i, &ctrls[i]), 0);
	TEST_EXPECT(rte_comch_task_submit_burst(ctrls, 6, RTE_COMCH_SUBMIT_F_LATER), 6);
	TEST_EXPECT(rte_comch_ctx_stop(fp.tx.ep->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(fp.tx.ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(fp.tx.ep->nb_done + fp.tx.ep->nb_failed, 6);
	TEST_EXPECT(fp.tx.ep->send_status, -ECANCELED);
	return TEST_SUCCESS;
}

/* An engine that is about to sleep gives the driver what it has. */
static int
test_later_arm(void)
{
	struct rte_comch_task *tasks[2];
	int i;

	TEST_CALL(test_need_event());
	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 2));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(test_arm(fp.tx.pe), 0);
		TEST_EXPECT(ctrl_new((uint32_t)i, &tasks[0]), 0);
		TEST_EXPECT(send_new((uint32_t)i, LEN, &tasks[1]), 0);
		if (i == 0) /* one that is armed wakes for them */
			rte_comch_pe_progress(fp.tx.pe);
		TEST_EXPECT(rte_comch_task_submit_burst(tasks, 2, RTE_COMCH_SUBMIT_F_LATER), 2);
		if (i == 0)
			rte_comch_pe_arm(fp.tx.pe);
		TEST_TRUE(test_wait_fd(fp.tx.pe, TEST_MS) == 1 || i == 0);
		TEST_WAIT(nb_ctrl_ids == (uint32_t)i + 1 && nb_ids == (uint32_t)i + 1, TEST_MS);
		TEST_WAIT(nb_ends == (uint32_t)i + 1, TEST_MS);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: several tasks, and tasks for later",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_arguments),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_wrong_state),
		TEST_CASE_ARG(test_fp_need, test_fp_cleanup, "test_mixed_now", mixed, 0),
		TEST_CASE_ARG(test_fp_need, test_fp_cleanup, "test_mixed_later", mixed,
			RTE_COMCH_SUBMIT_F_LATER),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_many),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_partial),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_flush),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_waits),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_bad),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_stop),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_conn_down),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_client_stops),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_later_arm),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_submit_autotest, unit_test_suite_runner, &suite)
