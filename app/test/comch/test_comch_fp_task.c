/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tasks of producers and consumers: from allocation to the callback and back,
 * the answers that are not "now", and how they end with their context. Bad
 * arguments are in test_comch_fp_api.c.
 */

#include "test_bluefield_model.h"
#include "test_comch_fp_util.h"

#define TASKS 16
#define LEN 100
/* Bytes of immediate data, or as many as the device can have. */
#define MAX_IMM 64u

/* A producer and a consumer with tasks, and slots for both. */
struct pair {
	struct test_q *producer;
	struct test_q *consumer;
	struct test_slots from;
	struct test_slots to;
	uint32_t imm_len; /* of the consumer */
};

/* Nobody has sent yet. */
static int
pair_make(struct test_fp *fp, struct pair *p)
{
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = TASKS };
	struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = TASKS };

	p->imm_len = RTE_MIN(MAX_IMM, test_dev_info(fp->rx.dev).max_imm_len);
	consumer_conf.imm_len = p->imm_len;
	TEST_CALL(test_slots_new(&p->to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, TASKS, LEN));
	TEST_CALL(test_slots_new(&p->from, fp->tx.dev, 0, TASKS, LEN));
	consumer_conf.mem = p->to.mem;
	p->consumer = test_q_consumer(&fp->rx, &consumer_conf);
	TEST_CALL(test_q_start(p->consumer, &fp->tx));
	p->producer = test_q_producer(&fp->tx, &producer_conf);
	TEST_EXPECT(rte_comch_ctx_start(p->producer->ctx), 0);
	return TEST_SUCCESS;
}

static int
pair_open(struct test_fp *fp, struct pair *p)
{
	TEST_CALL(pair_make(fp, p));
	test_fp_pairs();
	return TEST_SUCCESS;
}

static int
post_alloc(struct pair *p, uint32_t i, struct rte_comch_task **task)
{
	const struct rte_comch_post post = { .addr = test_slot(&p->to, i), .len = LEN };
	int ret = rte_comch_consumer_task_alloc(p->consumer->ctx, &post, task);

	if (ret == 0)
		rte_comch_task_user_data_set(*task, test_slot(&p->to, i));
	return ret;
}

static int
send_alloc(struct pair *p, uint32_t i, uint64_t len, struct rte_comch_task **task)
{
	static uint32_t imm; /* stays for callbacks that submit a task again */
	const struct rte_comch_send send = {
		.addr = test_slot(&p->from, i),
		.len = len,
		.mem = p->from.mem,
		.imm = &imm,
		.imm_len = sizeof(imm),
	};
	int ret = rte_comch_producer_task_alloc(p->producer->ctx, p->consumer->id, &send, task);

	imm = i;
	if (ret == 0)
		ret = rte_comch_task_submit(*task);
	return ret;
}

static int
post_all(struct pair *p)
{
	struct rte_comch_task *task;
	uint32_t i;

	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(post_alloc(p, i, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	test_arrive(); /* the credits */
	return TEST_SUCCESS;
}

/* Notes the order of ends in an array of the case, and keeps the tasks. */
struct kept {
	struct rte_comch_task *tasks[2 * TASKS];
	int status[2 * TASKS];
	uint32_t nb;
};

static void
keep_task(struct test_q *q, struct rte_comch_task *task, int status)
{
	struct kept *kept = q->arg;

	if (kept->nb == RTE_DIM(kept->tasks)) {
		test_fail("more ends than tasks");
		return;
	}
	kept->status[kept->nb] = status;
	kept->tasks[kept->nb++] = task;
}

static void
keep_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	keep_task(q, task, cpl->status);
}

/* value counts the messages; arg is the pair. */
static void
check_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	struct pair *p = q->arg;
	struct rte_comch_post post = test_task_info(task).post;
	uint32_t i = (uint32_t)(q->value++ % TASKS);

	if (post.len != LEN || post.addr != test_slot(&p->to, i) ||
			post.addr != rte_comch_task_user_data_get(task))
		test_fail("post %u is out of order", i);
	if (cpl->status != 0 || cpl->len != i * 6 || cpl->producer_id != p->producer->id ||
			cpl->imm_len != sizeof(i) || memcmp(cpl->imm, &i, sizeof(i)) != 0)
		test_fail("completion %u: status %d, %llu bytes", i, cpl->status,
				(unsigned long long)cpl->len);
	if (!test_slot_check(&p->to, i, i * 6, i))
		test_fail("message %u is not what was sent", i);
	rte_comch_task_free(task);
}

static int
test_deliver(struct test_fp *fp)
{
	struct rte_comch_task *task;
	uint32_t i, lap;
	struct pair p;

	TEST_CALL(pair_open(fp, &p));
	p.consumer->on_post = check_post;
	p.consumer->arg = &p;
	for (lap = 0; lap < 20; lap++) {
		TEST_CALL(post_all(&p));
		TEST_EXPECT(test_ctx_info(p.consumer->ctx).nb_tasks, TASKS);
		for (i = 0; i < TASKS; i++) {
			test_fill(test_slot(&p.from, i), i * 6, i);
			test_slot_clear(&p.to, i);
			TEST_EXPECT(send_alloc(&p, i, i * 6, &task), 0);
		}
		/* never inside of submit */
		TEST_EXPECT(p.consumer->nb_ok, lap * TASKS);
		TEST_EXPECT(p.producer->nb_ok, lap * TASKS);
		TEST_WAIT(p.consumer->nb_ok == (lap + 1) * TASKS &&
				p.producer->nb_ok == (lap + 1) * TASKS, TEST_MS);
		TEST_EXPECT(test_ctx_info(p.consumer->ctx).nb_tasks, 0);
		TEST_EXPECT(test_ctx_info(p.producer->ctx).nb_tasks, 0);
	}
	TEST_EXPECT(p.consumer->nb_err + p.producer->nb_err, 0);
	return TEST_SUCCESS;
}

/* Before there is a way to the consumer, tasks wait for it; and others for them. */
static int
test_first(struct test_fp *fp)
{
	const struct rte_comch_send msg = { .imm = "abc", .imm_len = 3 };
	struct rte_comch_task *tasks[TASKS], *post;
	struct kept kept = { .nb = 0 };
	struct rte_comch_room room;
	struct pair p;
	uint32_t i;
	int ret;

	TEST_CALL(pair_make(fp, &p));
	p.producer->arg = &kept;
	p.producer->on_send = keep_task;
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id, &msg,
				&tasks[i]), 0);
		TEST_EXPECT(post_alloc(&p, i, &post), 0);
		TEST_EXPECT(rte_comch_task_submit(post), 0);
	}
	for (i = 0; i < TASKS; i++) {
		ret = rte_comch_task_submit(tasks[i]);
		if (ret == 0)
			continue;
		TEST_EXPECT(ret, -EAGAIN);
		TEST_EXPECT(rte_comch_queue_room_get(p.producer->ctx, p.consumer->id, &room), 0);
		TEST_EXPECT(room.flags, RTE_COMCH_ROOM_F_PROGRESS);
		TEST_EXPECT(rte_comch_task_submit_burst(&tasks[i], 1, RTE_COMCH_SUBMIT_F_LATER), 1);
	}
	TEST_WAIT(p.producer->nb_ok == TASKS && p.consumer->nb_ok == TASKS, TEST_MS);
	TEST_EXPECT(rte_comch_queue_room_get(p.producer->ctx, p.consumer->id, &room), 0);
	TEST_EXPECT(room.flags, 0);
	/* there is one by now: only a buffer is missing */
	TEST_EXPECT(rte_comch_task_submit(tasks[0]), -EAGAIN);
	TEST_EXPECT(rte_comch_queue_room_get(p.producer->ctx, p.consumer->id, &room), 0);
	TEST_EXPECT(room.flags, 0);
	for (i = 0; i < TASKS; i++)
		TEST_EXPECT(rte_comch_task_free(tasks[i]), 0);
	return TEST_SUCCESS;
}

/* The three answers that are not "now". */
static int
test_no_room(struct test_fp *fp)
{
	struct rte_comch_task *sends[TASKS], *posts[TASKS], *none = NULL;
	const struct rte_comch_send msg = { .len = 0 };
	struct rte_comch_room room;
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p));
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id, &msg,
				&sends[i]), 0);
		TEST_EXPECT(post_alloc(&p, i, &posts[i]), 0);
	}
	TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id, &msg, &none),
			-ENOMEM);
	TEST_EXPECT(post_alloc(&p, 0, &none), -ENOMEM);
	TEST_TRUE(none == NULL);
	/* one is freed, and can be had again */
	TEST_EXPECT(rte_comch_task_free(sends[3]), 0);
	TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id, &msg,
			&sends[3]), 0);
	TEST_EXPECT(rte_comch_task_free(posts[3]), 0);
	TEST_EXPECT(post_alloc(&p, 3, &posts[3]), 0);

	/* no credit: the task stays the caller's */
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(rte_comch_task_submit(sends[0]), -EAGAIN);
		TEST_EXPECT(rte_comch_queue_room_get(p.producer->ctx, p.consumer->id, &room), 0);
		TEST_EXPECT(room.reason, -EAGAIN);
		TEST_EXPECT(room.credits, 0);
		TEST_EXPECT(room.queue, TASKS);
	}
	TEST_EXPECT(rte_comch_producer_task_set(sends[0], p.consumer->id, &msg), 0);
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_task_submit(posts[i]), 0);
		TEST_WAIT(rte_comch_task_submit(sends[i]) == 0, TEST_MS);
	}
	TEST_WAIT(p.producer->nb_ok == TASKS && p.consumer->nb_ok == TASKS, TEST_MS);
	TEST_EXPECT(p.producer->nb_err + p.consumer->nb_err, 0);
	return TEST_SUCCESS;
}

static int
test_errors(struct test_fp *fp)
{
	struct rte_comch_send good, bad;
	struct rte_comch_task *task, *post;
	static uint8_t imm[MAX_IMM + 1];
	struct pair p;

	TEST_CALL(pair_open(fp, &p));
	good = (struct rte_comch_send) {
		.addr = test_slot(&p.from, 0),
		.len = LEN,
		.mem = p.from.mem,
		.imm = imm,
		.imm_len = p.imm_len,
		.flags = RTE_BIT32(9), /* not used */
	};
	TEST_EXPECT(post_alloc(&p, 0, &post), 0);
	TEST_EXPECT(rte_comch_task_submit(post), 0);
	test_posts_arrive(p.consumer, 1);
	TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id + 1, &good,
			&task), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -ENOENT);
	bad = good;
	bad.len = LEN + 1;
	TEST_EXPECT(rte_comch_producer_task_set(task, p.consumer->id, &bad), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -EMSGSIZE);
	bad = good;
	bad.imm_len = p.imm_len + 1;
	TEST_EXPECT(rte_comch_producer_task_set(task, p.consumer->id, &bad), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -E2BIG);
	bad = good;
	bad.mem = NULL;
	TEST_EXPECT(rte_comch_producer_task_set(task, p.consumer->id, &bad), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -EFAULT);
	bad.mem = p.from.mem;
	bad.addr = imm;
	TEST_EXPECT(rte_comch_producer_task_set(task, p.consumer->id, &bad), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -EFAULT);
	test_settle();
	TEST_EXPECT(p.consumer->nb_ok + p.producer->nb_ok, 0);
	TEST_EXPECT(p.consumer->nb_err + p.producer->nb_err, 0);
	/* the same task is good for a good message */
	TEST_EXPECT(rte_comch_producer_task_set(task, p.consumer->id, &good), 0);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_WAIT(p.consumer->nb_ok == 1 && p.producer->nb_ok == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* Whether the refusal to destroy a context has these words in the log. */
static bool
refusal_says(struct rte_comch_ctx *ctx, const char *words)
{
	bool said;

	test_log_restore();
	if (test_log_begin() != 0)
		return false;
	said = rte_comch_ctx_destroy(ctx) == -EBUSY && test_log_has(words);
	test_log_drop();
	test_log_quiet();
	return said;
}

/* Stop: what is submitted comes back in order; IDLE when the last is freed. */
static int
test_stop_tasks(struct test_fp *fp)
{
	struct kept posts = { .nb = 0 }, sends = { .nb = 0 };
	struct rte_comch_task *task, *held, *more = NULL;
	struct pair p;
	uint32_t i;
	bool says_tasks;
	int ret;

	TEST_CALL(pair_open(fp, &p));
	p.consumer->on_post = keep_post;
	p.consumer->arg = &posts;
	p.producer->on_send = keep_task;
	p.producer->arg = &sends;
	TEST_EXPECT(post_alloc(&p, 0, &held), 0); /* allocated, and never submitted */
	for (i = 1; i < TASKS; i++) {
		TEST_EXPECT(post_alloc(&p, i, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	test_arrive();
	for (i = 0; i < 5; i++)
		TEST_EXPECT(send_alloc(&p, i, 8, &task), 0);

	ret = rte_comch_ctx_stop(p.producer->ctx);
	TEST_EXPECT(ret, -EINPROGRESS);
	TEST_EXPECT(test_q_state(p.producer), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(send_alloc(&p, 0, 8, &more), -EBUSY);
	TEST_WAIT(sends.nb == 5, TEST_MS);
	says_tasks = refusal_says(p.producer->ctx, "'producer' is STOPPING and has 5 tasks:");
	for (i = 0; i < 5; i++) {
		TEST_EXPECT(sends.status[i], 0);
		TEST_EXPECT(rte_comch_task_submit(sends.tasks[i]), -EBUSY);
		TEST_EXPECT(test_q_state(p.producer), RTE_COMCH_STATE_STOPPING);
		TEST_EXPECT(rte_comch_ctx_destroy(p.producer->ctx), -EBUSY);
		TEST_EXPECT(rte_comch_task_free(sends.tasks[i]), 0);
	}
	TEST_TRUE(says_tasks);
	test_settle();
	TEST_EXPECT(test_q_state(p.producer), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(sends.nb, 5);

	TEST_EXPECT(rte_comch_ctx_stop(p.consumer->ctx), -EINPROGRESS);
	TEST_EXPECT(post_alloc(&p, 0, &more), -EBUSY);
	TEST_EXPECT(rte_comch_task_submit(held), -EBUSY);
	TEST_TRUE(more == NULL);
	TEST_WAIT(posts.nb == TASKS - 1, TEST_MS);
	test_settle();
	TEST_EXPECT(posts.nb, TASKS - 1);
	TEST_EXPECT(p.consumer->nb_ok, 5);
	TEST_EXPECT(p.consumer->nb_err, TASKS - 1 - 5);
	for (i = 0; i < TASKS - 1; i++) {
		TEST_EXPECT(posts.status[i], i < 5 ? 0 : -ECANCELED);
		TEST_TRUE(rte_comch_task_user_data_get(posts.tasks[i]) == test_slot(&p.to, i + 1));
		TEST_EXPECT(rte_comch_task_submit(posts.tasks[i]), -EBUSY);
		TEST_EXPECT(test_q_state(p.consumer), RTE_COMCH_STATE_STOPPING);
		TEST_EXPECT(rte_comch_task_free(posts.tasks[i]), 0);
	}
	test_settle();
	TEST_EXPECT(test_q_state(p.consumer), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_ctx_info(p.consumer->ctx).nb_tasks, 1);
	TEST_EXPECT(rte_comch_task_free(held), 0);
	TEST_WAIT(test_q_state(p.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);

	/* and both can start again */
	p.consumer->on_post = NULL;
	p.producer->on_send = NULL;
	TEST_CALL(test_q_start(p.consumer, &fp->tx));
	TEST_EXPECT(rte_comch_ctx_start(p.producer->ctx), 0);
	test_fp_pairs();
	TEST_CALL(post_all(&p));
	TEST_EXPECT(send_alloc(&p, 0, 8, &task), 0);
	TEST_WAIT(p.consumer->nb_ok == 6, TEST_MS);
	return TEST_SUCCESS;
}

/* Stops its own context, and finds that this is all it can do in here. */
static void
stop_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	if (cpl->status == 0 && q->value++ == 0 && rte_comch_ctx_stop(q->ctx) != -EINPROGRESS)
		test_fail("a consumer cannot be stopped in its callback");
	if (rte_comch_ctx_destroy(q->ctx) != -EBUSY)
		test_fail("a consumer was destroyed in its callback");
	rte_comch_task_free(task);
}

static void
stop_send(struct test_q *q, struct rte_comch_task *task, int status)
{
	int ret;

	if (q->value++ == 0) {
		ret = rte_comch_ctx_stop(q->ctx);
		if (ret != -EINPROGRESS)
			test_fail("a producer is stopped in its callback: %d", ret);
	}
	if (status != 0 && status != -ECANCELED)
		test_fail("the status is %d", status);
	rte_comch_task_free(task);
	if (rte_comch_ctx_destroy(q->ctx) != -EBUSY)
		test_fail("a producer was destroyed in its callback");
}

static int
test_stop_in_callback(struct test_fp *fp)
{
	struct rte_comch_task *task;
	struct pair p;
	uint32_t i;

	TEST_CALL(pair_open(fp, &p));
	p.consumer->on_post = stop_post;
	p.producer->on_send = stop_send;
	TEST_CALL(post_all(&p));
	for (i = 0; i < 3; i++)
		TEST_EXPECT(send_alloc(&p, i, 8, &task), 0);
	TEST_WAIT(test_q_state(p.producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(p.producer->nb_ok + p.producer->nb_err, 3);
	/* the first message stops it; the others had come before */
	TEST_WAIT(p.consumer->nb_ok + p.consumer->nb_err == TASKS, TEST_MS);
	TEST_WAIT(test_q_state(p.consumer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(p.consumer->nb_ok, 3);
	return TEST_SUCCESS;
}

/* value is the length of the next message. */
static void
long_imm(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	uint32_t len = (uint32_t)q->value++;
	const uint8_t *imm = len > RTE_COMCH_CPL_IMM_SIZE ? cpl->imm_ext : cpl->imm;

	if (cpl->imm_len != len || !test_check(imm, len, len))
		test_fail("%u bytes of immediate data", len);
	rte_comch_task_free(task);
}

static int
test_long_imm(struct test_fp *fp)
{
	struct rte_comch_task *task, *post;
	struct rte_comch_send send = { .len = 0 };
	struct pair p;
	uint8_t imm[MAX_IMM];
	uint32_t i, j;

	TEST_CALL(pair_open(fp, &p));
	p.consumer->on_post = long_imm;
	for (i = 0; i < p.imm_len; i += TASKS) {
		for (j = i; j < i + TASKS; j++) {
			TEST_EXPECT(post_alloc(&p, j % TASKS, &post), 0);
			TEST_EXPECT(rte_comch_task_submit(post), 0);
			test_fill(imm, j, j);
			send.imm = imm;
			send.imm_len = j;
			TEST_EXPECT(rte_comch_producer_task_alloc(p.producer->ctx, p.consumer->id,
					&send, &task), 0);
			TEST_WAIT(rte_comch_task_submit(task) == 0, TEST_MS);
			memset(imm, 0, sizeof(imm));
		}
		TEST_WAIT(p.consumer->nb_ok == i + TASKS && p.producer->nb_ok == i + TASKS,
				TEST_MS);
	}
	return TEST_SUCCESS;
}

/* A context with tasks keeps its bursts to itself; an engine has only so many tasks. */
static int
test_limits(struct test_fp *fp)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 8 };
	const struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = 9 };
	const struct rte_comch_producer_conf producer_conf = { .nb_tasks = 9 };
	const struct rte_comch_send msg = { .len = 0 };
	const struct rte_comch_post post = { .len = 0 };
	struct test_q *consumer, *producer;
	struct rte_comch_pe *small;
	struct rte_comch_cpl cpl;
	struct test_fp_end end;
	struct pair p;

	TEST_CALL(pair_open(fp, &p));
	TEST_CALL(post_all(&p));
	TEST_EXPECT(rte_comch_consumer_post_burst(p.consumer->ctx, &post, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(p.consumer->ctx, &cpl, 1), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(p.producer->ctx, p.consumer->id, &msg, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(p.producer->ctx, &cpl, 1), 0);

	TEST_EXPECT(rte_comch_pe_create(&pe_conf, &small), 0);
	end = fp->rx;
	end.q_pe = small;
	consumer = test_q_consumer(&end, &consumer_conf);
	producer = test_q_producer(&end, &producer_conf);
	TEST_EXPECT(rte_comch_ctx_start(consumer->ctx), -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), -ENOMEM);
	TEST_EXPECT(test_q_state(consumer), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_EXPECT(test_q_close(producer), 0);
	TEST_EXPECT(rte_comch_pe_destroy(small), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: tasks of the fast path",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_deliver),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_first),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_no_room),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_errors),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_stop_tasks),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_stop_in_callback),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_long_imm),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_limits),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_task_autotest, test_pairs_run, &suite)
