/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the functions of message queues refuse: NULL, wrong states and directions, values
 * out of range, what is still used; that they work right after; messages both ways by
 * bursts and by tasks; and the end of the program. On the mock, where a test plays the
 * program. What is no message queue is in test_comch_dpa_api.c.
 */

#include "test_bluefield_model.h"
#include "test_comch_fp_util.h"
#include "test_mock_dpa.h"

#define TO RTE_COMCH_MSGQ_TO_DPA
#define FROM RTE_COMCH_MSGQ_FROM_DPA
#define SIZE 8

static struct rte_comch_dpa *dpa;
static struct rte_comch_msgq *to, *from;
static struct rte_comch_dpa_completion *comp;
static struct rte_comch_dpa_queue *consumer, *producer; /* of the program */

static int
case_open(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/a/program" };

	TEST_CALL(test_fp_need());
	if (test_mock_dpa_install(test_pair.host) != 0)
		return test_skip("the mock does not fit the device");
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &dpa), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

static int
msgq_new(enum rte_comch_msgq_dir dir, struct rte_comch_msgq **msgq)
{
	const struct rte_comch_msgq_conf conf = {
		.dir = dir,
		.max_consumers = 2,
		.max_producers = 3, /* 4 of them */
	};

	TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, msgq), 0);
	return TEST_SUCCESS;
}

/* A message queue of each direction, and a completion context for consumers. */
static int
case_msgqs(void)
{
	const struct rte_comch_dpa_completion_conf conf = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER,
		.imm_len = RTE_COMCH_DPA_IMM_SIZE,
		.max_queues = 2,
	};

	TEST_CALL(case_open());
	TEST_CALL(msgq_new(TO, &to));
	TEST_CALL(msgq_new(FROM, &from));
	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &conf, &comp), 0);
	return TEST_SUCCESS;
}

/* And a consumer and a producer of the program. */
static int
case_queues(void)
{
	struct rte_comch_dpa_queue_conf conf = {
		.size = SIZE,
		.imm_len = RTE_COMCH_DPA_IMM_SIZE,
	};

	TEST_CALL(case_msgqs());
	conf.completion = comp;
	TEST_EXPECT(rte_comch_dpa_queue_create(to, &conf, &consumer), 0);
	TEST_EXPECT(rte_comch_dpa_queue_create(from, NULL, &producer), 0);
	return TEST_SUCCESS;
}

static void
case_close(void)
{
	test_mock_dpa_fail_set(0, 0);
	test_fp_cleanup(); /* the contexts of the CPU end */
	rte_comch_dpa_queue_destroy(consumer);
	rte_comch_dpa_queue_destroy(producer);
	if (rte_comch_msgq_destroy(to) != 0 || rte_comch_msgq_destroy(from) != 0)
		test_fail("a message queue is left");
	if (rte_comch_dpa_completion_destroy(comp) != 0)
		test_fail("a completion context is left");
	if (dpa != NULL && (rte_comch_dpa_stop(dpa) != 0 || rte_comch_dpa_destroy(dpa) != 0))
		test_fail("the program is left");
	if (test_mock_dpa_nb_objects() != 0)
		test_fail("%u objects are left", test_mock_dpa_nb_objects());
	test_mock_dpa_remove();
	dpa = NULL;
	to = from = NULL;
	comp = NULL;
	consumer = producer = NULL;
}

/*
 * Message queues
 */

static int
msgq_refused(const struct rte_comch_msgq_conf *conf, int error)
{
	struct rte_comch_msgq *out = NULL;
	int ret = rte_comch_msgq_create(dpa, conf, &out);

	rte_comch_msgq_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_msgq_create(void)
{
	const struct rte_comch_msgq_conf conf = { .dir = TO }, bad[] = {
		{ .dir = (enum rte_comch_msgq_dir)2 },
		{ .dir = TO, .max_consumers = TEST_MOCK_DPA_QUEUES + 1 },
		{ .dir = TO, .max_producers = UINT32_MAX },
		{ .dir = TO, .flags = 1 },
		{ .dir = TO, .reserved = { 1 } },
	};
	struct rte_comch_msgq *out = NULL;
	unsigned int i;

	TEST_EXPECT(rte_comch_msgq_create(NULL, &conf, &out), -EINVAL);
	TEST_EXPECT(rte_comch_msgq_create(dpa, NULL, &out), -EINVAL);
	TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, NULL), -EINVAL);
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_CALL(msgq_refused(&bad[i], -EINVAL));
	return TEST_SUCCESS;
}

static int
test_msgqs(void)
{
	struct rte_comch_msgq_conf conf = { .dir = FROM };
	struct rte_comch_msgq *all[TEST_MOCK_DPA_MSGQS] = { NULL };
	uint32_t i;
	int ret;

	test_mock_dpa_fail_set(1, -ENOMEM);
	TEST_CALL(msgq_refused(&conf, -ENOMEM));
	for (i = 0; i < RTE_DIM(all); i++)
		TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, &all[i]), 0);
	TEST_CALL(msgq_refused(&conf, -ENOSPC));
	TEST_EXPECT(rte_comch_msgq_destroy(NULL), 0);
	ret = rte_comch_dpa_stop(dpa);
	for (i = 0; i < RTE_DIM(all); i++)
		TEST_EXPECT(rte_comch_msgq_destroy(all[i]), 0);
	TEST_EXPECT(ret, -EBUSY);
	test_mock_dpa_crash(dpa, 0);
	TEST_CALL(msgq_refused(&conf, -EIO));
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_CALL(msgq_refused(&conf, -ENOTCONN));
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

/*
 * The DPA end
 */

static int
comp_refused(const struct rte_comch_dpa_completion_conf *conf, int error)
{
	struct rte_comch_dpa_completion *out = NULL;
	int ret = rte_comch_dpa_completion_create(dpa, conf, &out);

	rte_comch_dpa_completion_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_completion_create(void)
{
	const struct rte_comch_dpa_completion_conf good = { .imm_len = RTE_COMCH_DPA_IMM_SIZE };
	const struct rte_comch_dpa_completion_conf bad[] = {
		{ .type = (enum rte_comch_dpa_completion_type)2 },
		/* which has no immediate data */
		{ .type = RTE_COMCH_DPA_COMPLETION_PRODUCER, .imm_len = RTE_COMCH_DPA_IMM_SIZE },
		{ .imm_len = RTE_COMCH_DPA_IMM_SIZE + 1 },
		{ .depth = TEST_MOCK_DPA_DEPTH + 1 },
		{ .max_queues = TEST_MOCK_DPA_MSGQS * TEST_MOCK_DPA_QUEUES + 1 },
		{ .flags = 1 },
		{ .reserved = { [5] = 1 } },
	};
	struct rte_comch_dpa_completion *out = NULL;
	unsigned int i;

	TEST_EXPECT(rte_comch_dpa_completion_create(NULL, &good, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, NULL, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &good, NULL), -EINVAL);
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_CALL(comp_refused(&bad[i], -EINVAL));
	test_mock_dpa_fail_set(1, -ENOSPC);
	TEST_CALL(comp_refused(&good, -ENOSPC));
	test_mock_dpa_crash(dpa, 0);
	TEST_CALL(comp_refused(&good, -EIO));
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_CALL(comp_refused(&good, -ENOTCONN));
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

/* It holds its thread, and a thread is one of its own program. */
static int
test_completion_thread(void)
{
	const struct rte_comch_dpa_conf dpa_conf = { .program = "/another/program" };
	const struct rte_comch_dpa_thread_conf thread_conf = { .func = TEST_MOCK_DPA_THREAD };
	struct rte_comch_dpa_completion_conf conf = { .depth = 3 };
	struct rte_comch_dpa_thread *thread = NULL;
	struct rte_comch_dpa_completion *mine = NULL, *theirs = NULL;
	struct rte_comch_dpa *other = NULL;
	uint64_t handle = 0;
	int ret;

	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &thread_conf, &thread), 0);
	conf.thread = thread;
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &dpa_conf, &other), 0);
	TEST_EXPECT(rte_comch_dpa_start(other), 0);
	ret = rte_comch_dpa_completion_create(other, &conf, &theirs);
	TEST_EXPECT(rte_comch_dpa_stop(other), 0);
	TEST_EXPECT(rte_comch_dpa_destroy(other), 0);
	TEST_EXPECT(ret, -EINVAL);

	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &conf, &mine), 0);
	TEST_EXPECT(rte_comch_dpa_completion_handle_get(NULL, &handle), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_completion_handle_get(mine, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_completion_handle_get(mine, &handle), 0);
	TEST_TRUE(handle != 0);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(NULL), 0);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(mine), 0);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	return TEST_SUCCESS;
}

static int
dpa_queue_refused(struct rte_comch_msgq *msgq, const struct rte_comch_dpa_queue_conf *conf,
		int error)
{
	struct rte_comch_dpa_queue *out = NULL;
	int ret = rte_comch_dpa_queue_create(msgq, conf, &out);

	rte_comch_dpa_queue_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_dpa_consumer_create(void)
{
	const struct rte_comch_dpa_completion_conf comp_conf = {
		.type = RTE_COMCH_DPA_COMPLETION_PRODUCER,
	};
	const struct rte_comch_dpa_queue_conf good = { .imm_len = 8, .completion = comp }, bad[] = {
		{ .imm_len = 8 }, /* no completion context */
		{ .imm_len = RTE_COMCH_DPA_IMM_SIZE + 1, .completion = comp },
		{ .size = TEST_MOCK_DPA_DEPTH + 1, .completion = comp },
		{ .flags = 1, .completion = comp },
		{ .reserved = { [5] = 1 }, .completion = comp },
	};
	struct rte_comch_dpa_queue_conf conf = good;
	struct rte_comch_dpa_completion *sends = NULL;
	struct rte_comch_dpa_queue *out = NULL;
	unsigned int i;
	int ret;

	TEST_EXPECT(rte_comch_dpa_queue_create(NULL, &good, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_queue_create(to, &good, NULL), -EINVAL);
	TEST_CALL(dpa_queue_refused(to, NULL, -EINVAL));
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_CALL(dpa_queue_refused(to, &bad[i], -EINVAL));
	TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &comp_conf, &sends), 0);
	conf.completion = sends;
	ret = rte_comch_dpa_queue_create(to, &conf, &out);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(sends), 0);
	TEST_EXPECT(ret, -EINVAL);
	test_mock_dpa_fail_set(1, -ENOMEM);
	TEST_CALL(dpa_queue_refused(to, &good, -ENOMEM));
	return TEST_SUCCESS;
}

static int
test_dpa_producer_create(void)
{
	const struct rte_comch_dpa_queue_conf good = { .size = 0 }, bad[] = {
		{ .completion = comp }, /* for consumers */
		{ .imm_len = 1 },
		{ .size = TEST_MOCK_DPA_DEPTH + 1 },
		{ .flags = 1 },
		{ .reserved = { 1 } },
	};
	struct rte_comch_dpa_queue *out = NULL;
	unsigned int i;

	TEST_EXPECT(rte_comch_dpa_queue_create(NULL, &good, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_queue_create(from, &good, NULL), -EINVAL);
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_CALL(dpa_queue_refused(from, &bad[i], -EINVAL));
	test_mock_dpa_fail_set(1, -ENOSPC);
	TEST_CALL(dpa_queue_refused(from, &good, -ENOSPC));
	test_mock_dpa_crash(dpa, 0);
	TEST_CALL(dpa_queue_refused(from, &good, -EIO));
	return TEST_SUCCESS;
}

/* Limits of the message queue and of the completion context, identifiers, and -EBUSY. */
static int
test_dpa_queues(void)
{
	struct rte_comch_dpa_queue_conf conf = { .completion = comp };
	struct rte_comch_dpa_queue *queues[4] = { NULL };
	struct rte_comch_dpa_queue_info info;
	uint32_t i;

	/* the first consumer is that of the case */
	TEST_EXPECT(rte_comch_dpa_queue_create(to, &conf, &queues[0]), 0);
	TEST_CALL(dpa_queue_refused(to, &conf, -ENOSPC));
	TEST_EXPECT(rte_comch_dpa_queue_destroy(queues[0]), 0);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(rte_comch_dpa_queue_create(from, NULL, &queues[i]), 0);
	TEST_CALL(dpa_queue_refused(from, NULL, -ENOSPC));
	TEST_EXPECT(rte_comch_dpa_queue_info_get(NULL, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_queue_info_get(queues[2], NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_queue_info_get(queues[2], &info), 0);
	TEST_EXPECT(info.id, 4);
	TEST_TRUE(info.handle != 0);
	TEST_EXPECT(rte_comch_msgq_destroy(from), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(comp), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_queue_destroy(NULL), 0);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(rte_comch_dpa_queue_destroy(queues[i]), 0);
	/* identifiers do not come again soon */
	TEST_EXPECT(rte_comch_dpa_queue_create(from, NULL, &queues[0]), 0);
	TEST_EXPECT(rte_comch_dpa_queue_info_get(queues[0], &info), 0);
	TEST_EXPECT(rte_comch_dpa_queue_destroy(queues[0]), 0);
	TEST_EXPECT(info.id, 6); /* 5 has the place of 1, which is there */
	return TEST_SUCCESS;
}

/*
 * The CPU end
 */

static int
cpu_cons_refused(struct rte_comch_msgq *msgq, const struct rte_comch_consumer_conf *conf,
		int error)
{
	struct rte_comch_ctx *out = NULL;
	int ret = rte_comch_msgq_consumer_create(msgq, conf, &out);

	rte_comch_ctx_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_consumer_create(void)
{
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.host, 4096,
			RTE_COMCH_MEM_F_PEER_WRITE);
	const struct rte_comch_consumer_conf good = { .imm_len = RTE_COMCH_DPA_IMM_SIZE };
	const struct rte_comch_consumer_conf bad[] = {
		{ .mem = mem },
		{ .imm_len = RTE_COMCH_DPA_IMM_SIZE + 1 },
		{ .buf_size = 1 },
		{ .nb_tasks = 4 }, /* without a callback */
		{ .flags = 1 },
	};
	struct rte_comch_ctx *ctx = NULL;
	unsigned int i;

	TEST_EXPECT(rte_comch_msgq_consumer_create(NULL, &good, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_msgq_consumer_create(from, &good, NULL), -EINVAL);
	TEST_CALL(cpu_cons_refused(to, &good, -EPERM));
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_CALL(cpu_cons_refused(from, &bad[i], -EINVAL));

	/* what can be changed is checked in the same way */
	TEST_EXPECT(rte_comch_msgq_consumer_create(from, NULL, &ctx), 0);
	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_EXPECT(test_consumer_conf_set(ctx, &bad[i]), -EINVAL);
	TEST_EXPECT(test_consumer_conf_set(ctx, &good), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

static int
test_producer_create(void)
{
	struct rte_comch_producer_conf conf = { .nb_sends = SIZE };
	struct rte_comch_ctx *ctx = NULL, *ctxs[4] = { NULL };
	unsigned int i;
	int ret;

	TEST_EXPECT(rte_comch_msgq_producer_create(NULL, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_msgq_producer_create(from, &conf, &ctx), -EPERM);
	conf.flags = 1;
	TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, &ctx), -EINVAL);
	conf.flags = 0;
	for (i = 0; i < RTE_DIM(ctxs); i++)
		TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, &ctxs[i]), 0);
	ret = rte_comch_msgq_producer_create(to, &conf, &ctx);
	TEST_EXPECT(rte_comch_msgq_destroy(to), -EBUSY);
	TEST_TRUE(test_ctx_info(ctxs[0]).msgq == to);
	TEST_TRUE(test_ctx_info(ctxs[0]).conn == NULL);
	TEST_EXPECT(test_ctx_info(ctxs[0]).type, RTE_COMCH_CTX_PRODUCER);
	for (i = 0; i < RTE_DIM(ctxs); i++)
		TEST_EXPECT(rte_comch_ctx_destroy(ctxs[i]), 0);
	TEST_EXPECT(ret, -ENOSPC);
	test_mock_dpa_crash(dpa, 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, &ctx), -EIO);
	TEST_TRUE(ctx == NULL);
	return TEST_SUCCESS;
}

/* A context of the CPU end that runs, on an engine of its own. */
static int
cpu_start(struct rte_comch_ctx *ctx, struct rte_comch_pe **pe)
{
	*pe = test_pe_new();
	TEST_EXPECT(rte_comch_ctx_start(ctx), -ENOLINK);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, *pe), 0);
	test_mock_dpa_fail_set(1, -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
	TEST_EXPECT(rte_comch_ctx_state_get(ctx), RTE_COMCH_STATE_RUNNING);
	return TEST_SUCCESS;
}

static int
room_reason(struct rte_comch_ctx *ctx, uint32_t id)
{
	struct rte_comch_room room;
	int ret = rte_comch_queue_room_get(ctx, id, &room);

	return ret != 0 ? ret : room.reason;
}

/* From this CPU to the program, by bursts. */
static int
test_to_dpa(void)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = SIZE };
	char imm[RTE_COMCH_DPA_IMM_SIZE + 1] = "immediate data of 32 bytes, all";
	struct rte_comch_send sends[2] = {
		{ .imm = imm, .imm_len = RTE_COMCH_DPA_IMM_SIZE, .cookie = 5 },
		{ .imm = imm, .imm_len = 1, .cookie = 6 },
	};
	struct rte_comch_cpl cpls[4];
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_dpa_queue_info info;
	uint32_t id, len = 0, from_id = 0;
	char got[RTE_COMCH_DPA_IMM_SIZE];
	struct rte_comch_pe *pe;

	TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, &ctx), 0);
	TEST_CALL(cpu_start(ctx, &pe));
	TEST_EXPECT(rte_comch_dpa_queue_info_get(consumer, &info), 0);
	id = info.id;
	/* nothing is granted yet; nobody is there; too long */
	TEST_EXPECT(rte_comch_producer_send_burst(ctx, id, sends, 1), 0);
	TEST_EXPECT(room_reason(ctx, id), -EAGAIN);
	TEST_EXPECT(rte_comch_producer_send_burst(ctx, id + 1, sends, 1), 0);
	TEST_EXPECT(room_reason(ctx, id + 1), -ENOENT);
	test_mock_dpa_ack(consumer, SIZE);
	sends[0].imm_len++;
	TEST_EXPECT(rte_comch_producer_send_burst(ctx, id, sends, 2), 0);
	TEST_EXPECT(room_reason(ctx, id), -E2BIG);
	sends[0].imm_len--;

	TEST_EXPECT(rte_comch_producer_credits(ctx, id), SIZE);
	TEST_EXPECT(rte_comch_producer_send_burst(ctx, id, sends, 2), 2);
	TEST_EXPECT(test_mock_dpa_get(consumer, got, &len, &from_id), 1);
	TEST_TRUE(len == sizeof(got) && memcmp(got, imm, sizeof(got)) == 0);
	TEST_EXPECT(from_id, test_queue_id(ctx));
	TEST_EXPECT(test_mock_dpa_get(consumer, got, &len, &from_id), 1);
	TEST_EXPECT(len, 1);
	TEST_EXPECT(test_mock_dpa_get(consumer, got, &len, &from_id), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, cpls, RTE_DIM(cpls)), 2);
	TEST_TRUE(cpls[0].cookie == 5 && cpls[1].cookie == 6);
	TEST_EXPECT(rte_comch_msgq_destroy(to), -EBUSY);
	TEST_CALL(test_stop_now(ctx));
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* From the program to this CPU, by bursts; what is posted at the stop comes back. */
static int
test_from_dpa(void)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = SIZE, .imm_len = 16 };
	struct rte_comch_post posts[SIZE + 1];
	struct rte_comch_cpl cpls[SIZE + 1];
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_room room;
	struct rte_comch_pe *pe;
	uint32_t id, i;

	memset(posts, 0, sizeof(posts));
	for (i = 0; i < RTE_DIM(posts); i++)
		posts[i].cookie = i;
	TEST_EXPECT(rte_comch_msgq_consumer_create(from, &conf, &ctx), 0);
	TEST_CALL(cpu_start(ctx, &pe));
	id = test_queue_id(ctx);
	TEST_EXPECT(test_mock_dpa_send(producer, id, posts, 8), -EAGAIN);
	TEST_EXPECT(rte_comch_consumer_post_burst(ctx, posts, SIZE + 1), SIZE);
	TEST_EXPECT(rte_comch_queue_room_get(ctx, 0, &room), 0);
	TEST_EXPECT(room.reason, -ENOBUFS);
	TEST_EXPECT(test_mock_dpa_send(producer, id + 1, posts, 8), -ENOENT);
	TEST_EXPECT(test_mock_dpa_send(producer, id, posts, 17), -E2BIG);
	TEST_EXPECT(test_mock_dpa_send(producer, id, "first", 6), 0);
	TEST_EXPECT(test_mock_dpa_send(producer, id, NULL, 0), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, cpls, RTE_DIM(cpls)), 2);
	TEST_TRUE(cpls[0].imm_len == 6 && strcmp((char *)cpls[0].imm, "first") == 0);
	TEST_TRUE(cpls[0].producer_id == 1 && cpls[0].cookie == 0 && cpls[0].status == 0);
	TEST_TRUE(cpls[1].imm_len == 0 && cpls[1].cookie == 1);

	TEST_EXPECT(rte_comch_ctx_stop(ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, cpls, RTE_DIM(cpls)), SIZE - 2);
	for (i = 0; i < SIZE - 2; i++)
		TEST_TRUE(cpls[i].cookie == i + 2 && cpls[i].status == -ECANCELED);
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_mock_dpa_send(producer, id, "gone", 5), -ENOENT);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/*
 * Tasks
 */

static uint32_t nb_sent, nb_got;
static int last_status;

static void
send_cb(struct rte_comch_task *task, int status, void *user_data __rte_unused)
{
	nb_sent += status == 0;
	last_status = status;
	rte_comch_task_free(task);
}

static void
post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data __rte_unused)
{
	nb_got += cpl->status == 0 && cpl->imm_len == 4 && memcmp(cpl->imm, "ping", 4) == 0;
	last_status = cpl->status;
	rte_comch_task_free(task);
}

static int
test_task_to_dpa(void)
{
	const struct rte_comch_producer_conf conf = { .nb_tasks = 2, .send_cb = send_cb };
	const struct rte_comch_send send = { .imm = "ping", .imm_len = 4 };
	struct rte_comch_task *task = NULL;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_dpa_queue_info info;
	uint32_t id, len = 0, from_id = 0;
	char got[RTE_COMCH_DPA_IMM_SIZE];
	struct rte_comch_pe *pe;

	nb_sent = 0;
	TEST_EXPECT(rte_comch_dpa_queue_info_get(consumer, &info), 0);
	id = info.id;
	TEST_EXPECT(rte_comch_msgq_producer_create(to, &conf, &ctx), 0);
	TEST_CALL(cpu_start(ctx, &pe));
	TEST_EXPECT(rte_comch_producer_task_alloc(ctx, id, &send, &task), 0);
	TEST_EXPECT(rte_comch_task_submit(task), -EAGAIN);
	test_mock_dpa_ack(consumer, 1);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_WAIT(nb_sent == 1, TEST_MS);
	TEST_EXPECT(test_mock_dpa_get(consumer, got, &len, &from_id), 1);
	TEST_TRUE(len == 4 && memcmp(got, "ping", 4) == 0);
	TEST_CALL(test_stop_now(ctx));
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

static int
test_task_from_dpa(void)
{
	const struct rte_comch_consumer_conf conf = {
		.nb_tasks = 2,
		.imm_len = 8,
		.post_cb = post_cb,
	};
	const struct rte_comch_post post = { .addr = NULL };
	struct rte_comch_task *tasks[2] = { NULL };
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_pe *pe;
	unsigned int i;

	nb_got = 0;
	TEST_EXPECT(rte_comch_msgq_consumer_create(from, &conf, &ctx), 0);
	TEST_CALL(cpu_start(ctx, &pe));
	for (i = 0; i < RTE_DIM(tasks); i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(ctx, &post, &tasks[i]), 0);
		TEST_EXPECT(rte_comch_task_submit(tasks[i]), 0);
	}
	TEST_EXPECT(test_mock_dpa_send(producer, test_queue_id(ctx), "ping", 4), 0);
	TEST_WAIT(nb_got == 1, TEST_MS);
	TEST_EXPECT(last_status, 0);
	/* the program ends, and the other one with it */
	test_mock_dpa_crash(dpa, 0);
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(last_status, -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_reason_get(ctx), -EIO);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -EIO);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* The program ends while a producer and a consumer with bursts run, and one is idle. */
static int
test_end(void)
{
	const struct rte_comch_consumer_conf conf = { .nb_posts = SIZE };
	const struct rte_comch_post post = { .cookie = 77 };
	struct rte_comch_ctx *cons = NULL, *prod = NULL, *idle = NULL;
	struct rte_comch_pe *pe1, *pe2;
	struct rte_comch_send send = { .cookie = 0 };
	struct rte_comch_cpl cpl;

	TEST_EXPECT(rte_comch_msgq_consumer_create(from, &conf, &cons), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(to, NULL, &prod), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(to, NULL, &idle), 0);
	TEST_CALL(cpu_start(cons, &pe1));
	TEST_CALL(cpu_start(prod, &pe2));
	TEST_EXPECT(rte_comch_consumer_post_burst(cons, &post, 1), 1);
	test_mock_dpa_crash(dpa, 0);
	TEST_TRUE(test_ctx_info(cons).conn == NULL);
	TEST_WAIT(rte_comch_ctx_state_get(prod) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_WAIT(rte_comch_ctx_state_get(cons) == RTE_COMCH_STATE_STOPPING, TEST_MS);
	TEST_EXPECT(rte_comch_producer_send_burst(prod, 1, &send, 1), 0);
	TEST_EXPECT(rte_comch_queue_poll_burst(cons, &cpl, 1), 1);
	TEST_TRUE(cpl.cookie == 77 && cpl.status == -ECONNRESET);
	TEST_WAIT(rte_comch_ctx_state_get(cons) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(cons), -EIO);
	TEST_EXPECT(rte_comch_ctx_reason_get(prod), -EIO);
	TEST_EXPECT(rte_comch_ctx_reason_get(idle), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(to), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_destroy(cons), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(prod), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(idle), 0);
	return TEST_SUCCESS;
}

/*
 * The driver never tells that a producer has ended: what it may look at, which is the
 * message queue and the offload processor, stays when the application has destroyed all.
 */
static int
test_lost(void)
{
	struct rte_comch_dev_stats before, after;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_pe *pe;

	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &before), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(to, NULL, &ctx), 0);
	TEST_CALL(cpu_start(ctx, &pe));
	test_mock_dpa_hold(true);
	TEST_EXPECT(rte_comch_ctx_stop(ctx), -EINPROGRESS);
	TEST_EXPECT(rte_comch_msgq_destroy(to), -EBUSY);
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, 2 * TEST_MS);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(comp), 0);
	comp = NULL;
	TEST_EXPECT(rte_comch_msgq_destroy(to), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(from), 0);
	to = from = NULL;
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_EXPECT(rte_comch_dpa_destroy(dpa), 0);
	dpa = NULL;
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &after), 0);
	TEST_EXPECT(after.retained - before.retained, 3); /* queue, context, offload processor */
	TEST_EXPECT(test_mock_dpa_tell(), 0);
	/* some drivers end the engine's poll group later, and the engine learns of it */
	TEST_WAIT(rte_comch_dev_reset(test_pair.host) == 0, TEST_MS);
	return TEST_SUCCESS;
}

/* What is full is told with the name of the device, the value and the remedy. */
static int
test_full(void)
{
	struct rte_comch_msgq_conf conf = { .dir = TO };
	struct rte_comch_ctx *ctxs[2] = { NULL };
	struct rte_comch_dpa_queue *queues[2] = { NULL };
	struct rte_comch_msgq *one = NULL;
	int ret;

	TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, &one), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(one, NULL, &ctxs[0]), 0);
	ret = rte_comch_msgq_producer_create(one, NULL, &ctxs[1]);
	TEST_EXPECT(rte_comch_ctx_destroy(ctxs[0]), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(one), 0);
	TEST_EXPECT(ret, -ENOSPC);
	TEST_TRUE(test_log_has(": no producer: message queue "));
	TEST_TRUE(test_log_has(" has 1: destroy one, or raise its max_producers"));
	conf = (struct rte_comch_msgq_conf){ .dir = FROM, .max_producers = 2 };
	TEST_EXPECT(rte_comch_msgq_create(dpa, &conf, &one), 0);
	TEST_EXPECT(rte_comch_dpa_queue_create(one, NULL, &queues[0]), 0);
	TEST_EXPECT(rte_comch_dpa_queue_create(one, NULL, &queues[1]), 0);
	TEST_CALL(dpa_queue_refused(one, NULL, -ENOSPC));
	TEST_EXPECT(rte_comch_dpa_queue_destroy(queues[0]), 0);
	TEST_EXPECT(rte_comch_dpa_queue_destroy(queues[1]), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(one), 0);
	TEST_TRUE(test_log_has(" has 2: destroy one, or raise its max_producers"));
	return test_log_passed();
}

static int
case_full(void)
{
	int ret = case_open();

	if (ret != TEST_SUCCESS)
		return ret;
	test_log_restore();
	return test_log_begin();
}

static void
case_full_close(void)
{
	test_log_end();
	test_log_quiet();
	case_close();
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arguments, states and messages of message queues",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(case_open, case_close, test_msgq_create),
		TEST_CASE_ST(case_open, case_close, test_msgqs),
		TEST_CASE_ST(case_full, case_full_close, test_full),
		TEST_CASE_ST(case_open, case_close, test_completion_create),
		TEST_CASE_ST(case_open, case_close, test_completion_thread),
		TEST_CASE_ST(case_msgqs, case_close, test_dpa_consumer_create),
		TEST_CASE_ST(case_msgqs, case_close, test_dpa_producer_create),
		TEST_CASE_ST(case_queues, case_close, test_dpa_queues),
		TEST_CASE_ST(case_msgqs, case_close, test_consumer_create),
		TEST_CASE_ST(case_msgqs, case_close, test_producer_create),
		TEST_CASE_ST(case_queues, case_close, test_to_dpa),
		TEST_CASE_ST(case_queues, case_close, test_from_dpa),
		TEST_CASE_ST(case_queues, case_close, test_task_to_dpa),
		TEST_CASE_ST(case_queues, case_close, test_task_from_dpa),
		TEST_CASE_ST(case_queues, case_close, test_end),
		TEST_CASE_ST(case_msgqs, case_close, test_lost),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_msgq_api_autotest, unit_test_suite_runner, &suite)
