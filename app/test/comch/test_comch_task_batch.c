/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks that are submitted in callbacks of others: the driver gets them in bursts, and
 * nothing else is different. What a submit returns, in which order messages arrive, and
 * how tasks end is as if each went by itself.
 */

#include <rte_cycles.h>
#include <rte_errno.h>

#include "test_comch_fp_util.h"
#include "test_mock_dpa.h"

#define TASKS 16
#define LEN 48
#define MAX_IMM 64u

static struct test_fp fp;
static struct test_q *producer, *consumer;
static struct test_slots from, other, to;
static uint32_t imm_len;             /* of the consumer */
static uint32_t ids[8 * TASKS];      /* of messages, as they came */
static uint32_t nb_ids;
static int rets[8 * TASKS];          /* of submits in callbacks */
static uint32_t nb_rets;

static void
note_post(struct test_q *q __rte_unused, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl)
{
	const void *imm = cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext;

	if (cpl->status == 0 && nb_ids < RTE_DIM(ids))
		memcpy(&ids[nb_ids++], imm, sizeof(ids[0]));
	rte_comch_task_free(task);
}

static void
note_ret(struct rte_comch_task *task, int ret)
{
	if (nb_rets < RTE_DIM(rets))
		rets[nb_rets++] = ret;
	if (ret != 0)
		rte_comch_task_free(task);
}

/* The task again, as it is. */
static void
send_again(struct test_q *q __rte_unused, struct rte_comch_task *task, int status __rte_unused)
{
	note_ret(task, rte_comch_task_submit(task));
}

static int
case_open(void)
{
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = TASKS };
	struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = 4 * TASKS };

	nb_ids = nb_rets = 0;
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	imm_len = RTE_MIN(MAX_IMM, test_dev_info(fp.rx.dev).max_imm_len);
	consumer_conf.imm_len = imm_len;
	TEST_CALL(test_slots_new(&to, fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 4 * TASKS, LEN));
	TEST_CALL(test_slots_new(&from, fp.tx.dev, 0, TASKS, LEN));
	TEST_CALL(test_slots_new(&other, fp.tx.dev, 0, TASKS, LEN));
	consumer_conf.mem = to.mem;
	consumer = test_q_consumer(&fp.rx, &consumer_conf);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	producer = test_q_producer(&fp.tx, &producer_conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	test_fp_pairs();
	consumer->on_post = note_post;
	return TEST_SUCCESS;
}

static int
posts_give(uint32_t first, uint32_t nb, uint64_t len)
{
	struct rte_comch_task *task;
	struct rte_comch_post post;
	uint32_t i;

	for (i = first; i < first + nb; i++) {
		post = (struct rte_comch_post){ .addr = test_slot(&to, i), .len = len };
		TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, &post, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	test_posts_arrive(consumer, nb);
	return TEST_SUCCESS;
}

/* TASKS messages with their numbers, of two regions in turn if there is another one. */
static int
sends_give(const struct test_slots *second, uint32_t len)
{
	static uint8_t imms[TASKS][MAX_IMM];
	struct rte_comch_task *task;
	struct rte_comch_send send;
	uint32_t i;

	for (i = 0; i < TASKS; i++) {
		const struct test_slots *s = second != NULL && i % 2 != 0 ? second : &from;

		memcpy(imms[i], &i, sizeof(i));
		send = (struct rte_comch_send){ .addr = test_slot(s, i), .len = LEN,
			.mem = s->mem, .imm = imms[i], .imm_len = len };
		TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &send,
				&task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	return TEST_SUCCESS;
}

/* Messages that were sent twice come as two rounds of numbers. */
static int
ids_are(uint32_t nb, uint32_t modulo)
{
	uint32_t i;

	TEST_WAIT(nb_ids == nb, TEST_MS);
	test_progress_ms(2);
	TEST_EXPECT(nb_ids, nb);
	for (i = 0; i < nb; i++)
		TEST_EXPECT(ids[i], i % modulo);
	return TEST_SUCCESS;
}

/* So many submits return 0, and then all return an error. */
static int
rets_are(uint32_t nb_good, int error)
{
	uint32_t i;

	for (i = 0; i < nb_rets; i++)
		TEST_EXPECT(rets[i], i < nb_good ? 0 : error);
	TEST_TRUE(nb_rets > nb_good);
	return TEST_SUCCESS;
}

/* Have all messages arrive, and so most completions wait, before the sender looks at them. */
static int
sends_arrive(void)
{
	TEST_UNTIL(nb_ids >= TASKS, test_turn(fp.rx.pe, fp.rx.q_pe), TEST_MS);
	if (!test_has_post_sizes())
		rte_delay_ms(5); /* they come from the wire */
	return TEST_SUCCESS;
}

/* A submit that has no credit is refused in the callback, not later. */
static int
test_no_credit(void)
{
	struct rte_comch_queue_stats before, after;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, TASKS + 5, LEN));
	TEST_CALL(sends_give(NULL, sizeof(uint32_t)));
	producer->on_send = send_again;
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &before), 0);
	TEST_CALL(sends_arrive());
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	TEST_CALL(rets_are(5, -EAGAIN));
	TEST_CALL(ids_are(TASKS + 5, TASKS));
	TEST_EXPECT(rte_comch_queue_stats_get(producer->ctx, &after), 0);
	/* one burst, where all completions are there at once */
	if (test_has_post_sizes())
		TEST_EXPECT(after.bursts - before.bursts, 1);
	TEST_TRUE(after.bursts - before.bursts < 5);
	TEST_EXPECT(after.msgs - before.msgs, 5);
	return TEST_SUCCESS;
}

/* So is one whose data does not fit the next post. */
static int
test_no_room(void)
{
	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, TASKS + 3, LEN));
	TEST_CALL(posts_give(TASKS + 3, 1, LEN - 1));
	TEST_CALL(posts_give(TASKS + 4, TASKS, LEN));
	TEST_CALL(sends_give(NULL, sizeof(uint32_t)));
	producer->on_send = send_again;
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	TEST_CALL(rets_are(3, -EMSGSIZE));
	TEST_CALL(ids_are(TASKS + 3, TASKS));
	return TEST_SUCCESS;
}

/* Immediate data is the callback's own until it has submitted, and no longer. */
static void
send_next(struct test_q *q, struct rte_comch_task *task, int status)
{
	uint32_t next = TASKS + (uint32_t)q->value++, len;
	struct rte_comch_send send;
	uint8_t imm[MAX_IMM];
	uint32_t id;
	int ret;

	if (status != 0 || next >= 4 * TASKS) {
		rte_comch_task_free(task);
		return;
	}
	id = test_task_info(task).consumer_id;
	send = test_task_info(task).send;
	/* short ones and long ones, which take another way */
	len = next % 3 == 2 ? imm_len : sizeof(next);
	memset(imm, 0, sizeof(imm));
	memcpy(imm, &next, sizeof(next));
	send.imm = imm;
	send.imm_len = len;
	ret = rte_comch_producer_task_set(task, id, &send);
	if (ret == 0 && next % 5 == 4)
		ret = rte_comch_task_submit_burst(&task, 1, 0) == 1 ? 0 : -rte_errno;
	else if (ret == 0)
		ret = rte_comch_task_submit(task);
	note_ret(task, ret);
	memset(imm, 0xee, sizeof(imm));
}

static int
test_immediate(void)
{
	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 4 * TASKS, LEN));
	TEST_CALL(sends_give(NULL, imm_len));
	producer->on_send = send_next;
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	TEST_CALL(ids_are(4 * TASKS, 4 * TASKS));
	TEST_EXPECT(producer->nb_ok, 4 * TASKS);
	TEST_EXPECT(nb_rets, 3 * TASKS);
	return TEST_SUCCESS;
}

/* A region is in use from the submit on, whether the driver has the task or not. */
static void
send_and_free(struct test_q *q, struct rte_comch_task *task, int status)
{
	uint32_t i = (uint32_t)q->value++;

	if (i >= TASKS) {
		rte_comch_task_free(task);
		return;
	}
	send_again(q, task, status);
	if (rte_comch_mem_free(i % 2 != 0 ? other.mem : from.mem) != -EBUSY)
		test_fail("the region of task %u was freed", i);
	if (rte_comch_task_free(task) != -EBUSY || rte_comch_task_submit(task) != -EALREADY)
		test_fail("task %u was freed or submitted twice", i);
}

static int
test_regions(void)
{
	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 2 * TASKS, LEN));
	TEST_CALL(sends_give(&other, sizeof(uint32_t)));
	producer->on_send = send_and_free;
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	TEST_CALL(ids_are(2 * TASKS, TASKS));
	/* none is counted twice, and none too often */
	TEST_EXPECT(test_mem_free(from.mem), 0);
	TEST_EXPECT(test_mem_free(other.mem), 0);
	return TEST_SUCCESS;
}

/* What was submitted before a stop is not lost by it. */
static void
send_and_stop(struct test_q *q, struct rte_comch_task *task, int status)
{
	if (q->value >= TASKS) {
		rte_comch_task_free(task);
		return;
	}
	send_again(q, task, status);
	if (++q->value == TASKS / 2 && rte_comch_ctx_stop(q->ctx) != -EINPROGRESS)
		test_fail("a producer with tasks is IDLE at once");
}

static int
test_stop_inside(void)
{
	uint32_t ok;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, 2 * TASKS, LEN));
	TEST_CALL(sends_give(NULL, sizeof(uint32_t)));
	producer->on_send = send_and_stop;
	TEST_WAIT(test_q_state(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_CALL(rets_are(TASKS / 2, -EBUSY));
	ok = producer->nb_ok;
	if (test_has_post_sizes()) /* nothing is under way there */
		TEST_EXPECT(ok, TASKS + TASKS / 2);
	TEST_EXPECT(ok + producer->nb_err, TASKS + TASKS / 2);
	TEST_CALL(ids_are(ok, TASKS));
	return TEST_SUCCESS;
}

/* Posts: each with a place of its own, and some that the region does not have. */
static void
post_next(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	struct rte_comch_post post;
	uint32_t n = (uint32_t)q->value++;

	if (cpl->status != 0 || n >= TASKS) {
		note_post(q, task, cpl);
		return;
	}
	memcpy(&ids[nb_ids++], cpl->imm, sizeof(ids[0]));
	post = (struct rte_comch_post){ .addr = test_slot(&to, TASKS + n), .len = LEN };
	if (n % 4 == 3)
		post.addr = RTE_PTR_ADD(post.addr, 1 << 20);
	if (rte_comch_consumer_task_set(task, &post) != 0)
		test_fail("post %u cannot be set", n);
	note_ret(task, rte_comch_task_submit(task));
}

static int
test_posts(void)
{
	uint32_t i, slot, nb_good = 0;

	TEST_CALL(case_open());
	TEST_CALL(posts_give(0, TASKS, LEN));
	for (i = 0; i < TASKS; i++)
		memset(test_slot(&from, i), 'a' + i, LEN);
	consumer->on_post = post_next;
	TEST_CALL(sends_give(NULL, sizeof(uint32_t)));
	TEST_CALL(ids_are(TASKS, TASKS));
	TEST_EXPECT(nb_rets, TASKS);
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rets[i], i % 4 == 3 ? -EFAULT : 0);
		nb_good += rets[i] == 0;
	}
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	test_posts_arrive(consumer, nb_good);
	TEST_EXPECT(test_ctx_info(consumer->ctx).nb_tasks, nb_good);
	/* a message for each: they are in order, and there is no credit for one more */
	nb_ids = 0;
	producer->on_send = NULL;
	for (i = 0; i < nb_good; i++)
		TEST_EXPECT(test_slot(&to, TASKS + i)[0], TEST_GUARD_BYTE);
	for (i = 0; i <= nb_good; i++) {
		const struct rte_comch_send send = { .addr = test_slot(&from, i % TASKS),
			.len = LEN, .mem = from.mem, .imm = &i, .imm_len = sizeof(i) };
		struct rte_comch_task *task;

		TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, consumer->id, &send,
				&task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), i < nb_good ? 0 : -EAGAIN);
		if (i == nb_good)
			TEST_EXPECT(rte_comch_task_free(task), 0);
	}
	TEST_CALL(ids_are(nb_good, nb_good));
	for (i = 0, slot = TASKS; i < nb_good; i++, slot++) {
		if ((slot - TASKS) % 4 == 3)
			slot++; /* that one was refused */
		TEST_EXPECT(test_slot(&to, slot)[LEN - 1], 'a' + i);
	}
	return TEST_SUCCESS;
}

/*
 * The credits of one of several producers are its own for 10 ms. A callback that takes
 * longer may lose them to another one: then its tasks wait, and nothing else happens.
 */
static struct test_q *thief;

static void
send_too_late(struct test_q *q, struct rte_comch_task *task, int status __rte_unused)
{
	uint32_t next = (uint32_t)q->value++;
	struct rte_comch_send send;
	uint32_t id, i;

	if (next >= TASKS) {
		rte_comch_task_free(task);
		return;
	}
	id = test_task_info(task).consumer_id;
	send = test_task_info(task).send;
	send.imm = &next;
	if (rte_comch_producer_task_set(task, id, &send) != 0)
		test_fail("a task cannot be set");
	note_ret(task, rte_comch_task_submit(task));
	if (next != 1)
		return;
	rte_delay_ms(15);
	send.imm = "none";
	/* it has no credits of its own: it takes what was kept for too long */
	for (i = 0; i < 4 * TASKS; i++)
		q->arg = test_send_imm(thief, id, send.imm, sizeof(id), 0) == 0 ? q->arg : thief;
}

static int
test_late(void)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = 4 * TASKS };
	uint32_t i, nb = 0;

	TEST_CALL(case_open());
	thief = test_q_producer(&fp.tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start(thief->ctx), 0);
	test_fp_pairs();
	TEST_CALL(posts_give(0, TASKS + TASKS / 2, LEN));
	TEST_CALL(sends_give(NULL, sizeof(uint32_t)));
	producer->on_send = send_too_late;
	TEST_WAIT(producer->value >= TASKS, TEST_MS);
	TEST_CALL(posts_give(TASKS + TASKS / 2, 2 * TASKS + TASKS / 2, LEN));
	TEST_WAIT(test_ctx_info(producer->ctx).nb_tasks == 0, TEST_MS);
	TEST_TRUE(producer->arg == thief || !test_has_post_sizes());
	test_progress_ms(2);
	/* those of the producer that were taken have come, with their own numbers, in order */
	for (i = TASKS; i < nb_ids; i++) {
		if (ids[i] >= TASKS)
			continue; /* the thief's */
		while (nb < nb_rets && rets[nb] != 0)
			nb++;
		TEST_EXPECT(ids[i], nb);
		nb++;
	}
	while (nb < nb_rets && rets[nb] != 0)
		nb++;
	TEST_EXPECT(nb, nb_rets);
	TEST_EXPECT(producer->nb_err, 0);
	return TEST_SUCCESS;
}

/* Echo: posts and messages of two queues are submitted in callbacks of either. */
#define ECHOES 20000

static struct test_q *back, *ear; /* from the far side, and to this one */

static void
echo_send(struct test_q *q, struct rte_comch_task *task, int status)
{
	if (status != 0)
		q->value++;
	rte_comch_task_free(task);
}

static int
echo_new(struct test_q *q, uint32_t id, uint32_t number)
{
	const struct rte_comch_send send = { .imm = &number, .imm_len = sizeof(number) };
	struct rte_comch_task *task;
	int ret = rte_comch_producer_task_alloc(q->ctx, id, &send, &task);

	if (ret != 0)
		return ret;
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		rte_comch_task_free(task);
	return ret;
}

/* The far side answers each, this side asks anew for each answer. */
static void
echo_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	bool far = q == consumer;
	uint32_t number;

	if (cpl->status != 0) {
		rte_comch_task_free(task);
		return;
	}
	memcpy(&number, cpl->imm, sizeof(number));
	if (number != q->value++)
		test_fail("number %u where %u was expected", number, (uint32_t)q->value - 1);
	if (rte_comch_task_submit(task) != 0)
		test_fail("a post was refused");
	if (!far && number + TASKS >= ECHOES)
		return;
	if (echo_new(far ? back : producer, far ? ear->id : consumer->id,
			far ? number : number + TASKS) != 0)
		test_fail("number %u was refused", number);
}

static int
echo_posts(struct test_q *q)
{
	struct rte_comch_task *task;
	uint32_t i;

	for (i = 0; i < 4 * TASKS; i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(q->ctx, NULL, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	q->on_post = echo_post;
	return TEST_SUCCESS;
}

static int
test_echo(void)
{
	const struct rte_comch_consumer_conf ear_conf = {
		.nb_tasks = 4 * TASKS,
		.imm_len = sizeof(uint32_t),
	};
	const struct rte_comch_producer_conf back_conf = { .nb_tasks = 4 * TASKS };
	uint32_t i;

	TEST_CALL(case_open());
	consumer = test_q_consumer(&fp.rx, &ear_conf);
	producer = test_q_producer(&fp.tx, &back_conf);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	back = test_q_producer(&fp.rx, &back_conf);
	ear = test_q_consumer(&fp.tx, &ear_conf);
	TEST_CALL(test_q_start(ear, &fp.rx));
	TEST_EXPECT(rte_comch_ctx_start(back->ctx), 0);
	test_fp_pairs();
	producer->on_send = back->on_send = echo_send;
	TEST_CALL(echo_posts(consumer));
	TEST_CALL(echo_posts(ear));
	test_posts_arrive(consumer, 4 * TASKS);
	test_posts_arrive(ear, 4 * TASKS);
	for (i = 0; i < TASKS; i++)
		TEST_EXPECT(echo_new(producer, consumer->id, i), 0);
	TEST_WAIT(ear->value == ECHOES, 10 * TEST_MS);
	TEST_EXPECT(consumer->value, ECHOES);
	TEST_EXPECT(producer->value + back->value, 0);
	return TEST_SUCCESS;
}

/*
 * A driver that takes nothing from a queue that is stopped, as it may: the mock of a
 * message queue.
 */

static struct rte_comch_dpa *dpa;
static struct rte_comch_msgq *msgq;
static struct rte_comch_dpa_completion *completion;
static struct rte_comch_dpa_queue *program; /* its consumer */

static int
mock_open(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/a/program" };
	const struct rte_comch_msgq_conf msgq_conf = { .dir = RTE_COMCH_MSGQ_TO_DPA };
	const struct rte_comch_dpa_completion_conf completion_conf = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER,
		.imm_len = RTE_COMCH_DPA_IMM_SIZE,
	};
	struct rte_comch_dpa_queue_conf consumer_conf = {
		.size = TASKS,
		.imm_len = RTE_COMCH_DPA_IMM_SIZE,
	};

	TEST_CALL(test_fp_need());
	if (test_mock_dpa_install(test_pair.host) != 0)
		return test_skip("the mock does not fit the device");
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &dpa), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	TEST_EXPECT(rte_comch_msgq_create(dpa, &msgq_conf, &msgq), 0);
	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &completion_conf, &completion), 0);
	consumer_conf.completion = completion;
	TEST_EXPECT(rte_comch_dpa_queue_create(msgq, &consumer_conf, &program), 0);
	return TEST_SUCCESS;
}

static void
mock_close(void)
{
	test_fp_cleanup();
	rte_comch_dpa_queue_destroy(program);
	rte_comch_dpa_completion_destroy(completion);
	rte_comch_msgq_destroy(msgq);
	if (dpa != NULL && (rte_comch_dpa_stop(dpa) != 0 || rte_comch_dpa_destroy(dpa) != 0))
		test_fail("the program is left");
	program = NULL;
	completion = NULL;
	msgq = NULL;
	dpa = NULL;
	test_mock_dpa_remove();
}

/* As it ends, it goes once more; the last one of them stops the queue, that all wait in. */
static void
again_and_stop(struct rte_comch_task *task, int status, void *user_data)
{
	struct rte_comch_ctx **ctx = user_data;

	if (status != 0 || nb_rets >= TASKS / 2) {
		ids[nb_ids++] = (uint32_t)-status;
		rte_comch_task_free(task);
		return;
	}
	note_ret(task, rte_comch_task_submit(task));
	if (nb_rets == TASKS / 2 && rte_comch_ctx_stop(*ctx) != -EINPROGRESS)
		test_fail("a producer with tasks is IDLE at once");
}

static int
test_stop_given(void)
{
	static uint32_t numbers[TASKS / 2];
	struct rte_comch_producer_conf conf = { .nb_tasks = TASKS, .send_cb = again_and_stop };
	struct rte_comch_dpa_queue_info info;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_task *tasks[TASKS / 2];
	struct rte_comch_send send = { .imm_len = sizeof(numbers[0]) };
	uint8_t imm[RTE_COMCH_DPA_IMM_SIZE];
	uint32_t len, from_id, i;

	nb_ids = nb_rets = 0;
	conf.user_data = &ctx;
	TEST_EXPECT(rte_comch_dpa_queue_info_get(program, &info), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(msgq, &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, test_pe_new()), 0);
	TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
	test_mock_dpa_ack(program, TASKS);
	for (i = 0; i < RTE_DIM(tasks); i++) {
		numbers[i] = i;
		send.imm = &numbers[i];
		TEST_EXPECT(rte_comch_producer_task_alloc(ctx, info.id, &send, &tasks[i]), 0);
	}
	TEST_EXPECT(rte_comch_task_submit_burst(tasks, RTE_DIM(tasks), 0), RTE_DIM(tasks));
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(nb_rets, TASKS / 2);
	TEST_EXPECT(nb_ids, TASKS / 2);
	for (i = 0; i < TASKS / 2; i++) {
		TEST_EXPECT(rets[i], 0);
		TEST_EXPECT(ids[i], 0);
	}
	/* all of them have come, twice */
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(test_mock_dpa_get(program, imm, &len, &from_id), 1);
		TEST_TRUE(memcmp(imm, &numbers[i % (TASKS / 2)], sizeof(numbers[0])) == 0);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: tasks that are submitted in callbacks",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_no_credit),
		TEST_CASE_ST(test_post_sizes_need, test_fp_cleanup, test_no_room),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_immediate),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_regions),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_stop_inside),
		TEST_CASE_ST(mock_open, mock_close, test_stop_given),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_posts),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_late),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_echo),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_task_batch_autotest, unit_test_suite_runner, &suite)
