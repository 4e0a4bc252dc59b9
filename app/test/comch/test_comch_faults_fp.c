/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Each allocation and each system call fails once: of producers and consumers, of messages,
 * of ends, of an offload processor. What comes before them is in test_comch_faults.c.
 */

#include "test_comch_faults.h"
#include "test_comch_fp_util.h"
#include "test_shm_dpa.h"

#define SLOTS 16u
#define SLOT_LEN 512u
#define NB_CTRL 40u
#define NB_FAST 64u

static struct {
	struct test_fp fp;
	struct test_slots from;
	struct test_slots to;
	struct rte_comch_ctx *consumer;
	struct rte_comch_ctx *producer;
	uint32_t id;
	uint32_t sent;
	uint32_t received;
	uint32_t over;     /* sends that are done or failed */
	uint32_t returned; /* posts without a message */
} q;

static bool
lost(void)
{
	return q.fp.tx.ep->conn == NULL || q.fp.rx.ep->conn == NULL;
}

static int
state_of(struct rte_comch_ctx *ctx)
{
	return rte_comch_ctx_state_get(ctx);
}

/*
 * Producers and consumers
 */

static int
queues_before(void)
{
	memset(&q, 0, sizeof(q));
	TEST_CALL(test_fp_open(&q.fp, TEST_FP_TO_DPU));
	TEST_CALL(test_slots_new(&q.from, q.fp.tx.dev, 0, SLOTS, SLOT_LEN));
	return test_slots_new(&q.to, q.fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, SLOTS, SLOT_LEN);
}

static int
consumer_run(void)
{
	const struct rte_comch_consumer_conf conf = {
		.mem = q.to.mem, .nb_posts = SLOTS, .buf_size = SLOT_LEN, .imm_len = 8,
	};
	int ret = rte_comch_consumer_create(q.fp.rx.ep->conn, &conf, &q.consumer);

	if (ret == 0)
		ret = rte_comch_ctx_attach(q.consumer, q.fp.rx.q_pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(q.consumer);
	if (ret != -EINPROGRESS)
		return ret;
	FAULTS_UNTIL(state_of(q.consumer) == RTE_COMCH_STATE_IDLE || lost() ||
		(state_of(q.consumer) == RTE_COMCH_STATE_RUNNING && q.fp.tx.ep->nb_new == 1));
	if (lost())
		return -ECONNRESET;
	q.id = test_queue_id(q.consumer);
	return state_of(q.consumer) == RTE_COMCH_STATE_RUNNING ? 0 :
		rte_comch_ctx_reason_get(q.consumer);
}

static int
producer_run(void)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = SLOTS };
	int ret = rte_comch_producer_create(q.fp.tx.ep->conn, &conf, &q.producer);

	if (ret == 0)
		ret = rte_comch_ctx_attach(q.producer, q.fp.tx.q_pe);
	return ret == 0 ? rte_comch_ctx_start(q.producer) : ret;
}

static void
post_all(void)
{
	struct rte_comch_post post = { .len = SLOT_LEN };
	uint32_t i;

	for (i = 0; i < SLOTS; i++) {
		post.addr = test_slot(&q.to, i);
		post.cookie = i;
		rte_comch_consumer_post_burst(q.consumer, &post, 1);
	}
}

static void
receive(void)
{
	struct rte_comch_cpl cpls[SLOTS];
	struct rte_comch_post post = { .len = SLOT_LEN };
	uint16_t nb = rte_comch_queue_poll_burst(q.consumer, cpls, SLOTS), i;
	uint32_t nr;

	for (i = 0; i < nb; i++) {
		if (cpls[i].status != 0) {
			q.returned++;
			continue;
		}
		post.addr = test_slot(&q.to, (uint32_t)cpls[i].cookie);
		post.cookie = cpls[i].cookie;
		memcpy(&nr, post.addr, sizeof(nr));
		if (cpls[i].len != SLOT_LEN || nr != q.received)
			test_fail("message %u is number %u of %u bytes", q.received, nr,
				(unsigned int)cpls[i].len);
		q.received++;
		rte_comch_consumer_post_burst(q.consumer, &post, 1);
	}
}

static void
send_some(uint32_t all)
{
	struct rte_comch_cpl cpls[SLOTS];
	uint32_t slot;

	q.over += rte_comch_queue_poll_burst(q.producer, cpls, SLOTS);
	while (q.sent < all && q.sent - q.over < SLOTS) {
		slot = q.sent % SLOTS;
		memcpy(test_slot(&q.from, slot), &q.sent, sizeof(q.sent));
		if (rte_comch_producer_send_burst(q.producer, q.id,
				&(struct rte_comch_send) {
					.addr = test_slot(&q.from, slot), .len = SLOT_LEN,
					.mem = q.from.mem,
				}, 1) == 0)
			break;
		q.sent++;
	}
}

/* So many messages more; all arrive, or both ends learn that they have lost each other. */
static int
fast_run(uint32_t nb)
{
	const uint32_t all = q.sent + nb;

	FAULTS_UNTIL((send_some(all), receive(), lost()) ||
		state_of(q.producer) != RTE_COMCH_STATE_RUNNING ||
		state_of(q.consumer) != RTE_COMCH_STATE_RUNNING ||
		(q.received == all && q.over == all));
	return q.received == all && q.over == all ? 0 : -ECONNRESET;
}

static int
queues_run(void)
{
	int ret = consumer_run();

	if (ret == 0)
		ret = producer_run();
	if (ret != 0)
		return ret;
	post_all();
	return fast_run(1);
}

/* It stops, gives back what it has, and goes. */
static int
queue_end(struct rte_comch_ctx **ctx)
{
	struct rte_comch_cpl cpls[SLOTS];
	int ret;

	if (*ctx == NULL)
		return 0;
	if (state_of(*ctx) == RTE_COMCH_STATE_RUNNING ||
			state_of(*ctx) == RTE_COMCH_STATE_STARTING) {
		ret = rte_comch_ctx_stop(*ctx);
		if (ret != 0 && ret != -EINPROGRESS)
			return ret;
	}
	FAULTS_UNTIL((rte_comch_queue_poll_burst(*ctx, cpls, SLOTS),
		state_of(*ctx) == RTE_COMCH_STATE_IDLE));
	ret = rte_comch_ctx_destroy(*ctx);
	if (ret == 0)
		*ctx = NULL;
	return ret;
}

static int
queues_after(void)
{
	TEST_EXPECT(queue_end(&q.producer), 0);
	TEST_EXPECT(queue_end(&q.consumer), 0);
	test_fp_cleanup();
	return TEST_SUCCESS;
}

static int
test_queues(void)
{
	const struct faults_op op = {
		"producer and consumer", queues_before, queues_run, queues_after, false, false,
	};

	return test_faults_run(&op);
}

/*
 * Messages
 */

static uint32_t next_up, next_down;

static void
ctrl_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	uint32_t nr;

	memcpy(&nr, msg, sizeof(nr));
	if (len != 64 + nr || nr != ep->value)
		test_fail("message %u is number %u of %u bytes", (unsigned int)ep->value, nr, len);
	ep->value = nr + 1;
}

static int
message_before(void)
{
	TEST_CALL(queues_before());
	TEST_EXPECT(queues_run(), 0);
	q.fp.tx.ep->on_recv = ctrl_recv;
	q.fp.rx.ep->on_recv = ctrl_recv;
	next_up = next_down = 0;
	return TEST_SUCCESS;
}

static int
ctrl_send(struct test_ep *ep, uint32_t *next, int *error)
{
	struct rte_comch_task *task;
	uint8_t msg[64 + NB_CTRL] = { 0 };
	int ret;

	if (ep->conn == NULL || *next == NB_CTRL)
		return 0;
	memcpy(msg, next, sizeof(*next));
	ret = rte_comch_conn_task_alloc(ep->conn, msg, 64 + *next, &task);
	if (ret == 0) {
		ret = rte_comch_task_submit(task);
		if (ret != 0 && rte_comch_task_free(task) != 0)
			test_fail("a task that was not submitted is not free");
	}
	if (ret == 0)
		++*next;
	else if (ret != -ENOMEM && ret != -EDQUOT)
		*error = ret;
	return ret;
}

static bool
ctrl_over(const struct test_ep *from, uint32_t sent, const struct test_ep *to)
{
	return from->nb_done + from->nb_failed == sent &&
		(sent == NB_CTRL && from->nb_failed == 0 && to->nb_recv == sent);
}

/* Control messages both ways; all arrive, or both ends learn of their end. */
static int
ctrl_run(void)
{
	struct test_ep *up = q.fp.tx.ep, *down = q.fp.rx.ep;
	int error = 0;

	FAULTS_UNTIL((ctrl_send(up, &next_up, &error), ctrl_send(down, &next_down, &error),
		error != 0) || lost() ||
		(ctrl_over(up, next_up, down) && ctrl_over(down, next_down, up)));
	if (!lost() && error == 0)
		return 0;
	FAULTS_UNTIL(up->nb_done + up->nb_failed == next_up &&
		down->nb_done + down->nb_failed == next_down);
	return error != 0 ? error : -ECONNRESET;
}

static int
message_run(void)
{
	int ret = ctrl_run();

	return ret == 0 ? fast_run(NB_FAST) : ret;
}

/* Where one end has lost the other, the other knows. */
static int
message_after(void)
{
	if (lost())
		TEST_WAIT(q.fp.tx.ep->conn == NULL && q.fp.rx.ep->conn == NULL, FAULTS_MS);
	return queues_after();
}

static int
test_message(void)
{
	const struct faults_op op = {
		"message", message_before, message_run, message_after, false, false,
	};

	return test_faults_run(&op);
}

/* The same in event mode: each side has to wake the other. */
static int
event_run(void)
{
	int ret;

	test_faults_armed[0] = q.fp.tx.pe;
	test_faults_armed[1] = q.fp.tx.q_pe;
	test_faults_armed[2] = q.fp.rx.pe;
	test_faults_armed[3] = q.fp.rx.q_pe;
	ret = message_run();
	memset(test_faults_armed, 0, sizeof(test_faults_armed));
	return ret;
}

static int
test_message_event(void)
{
	const struct faults_op op = {
		"message, event mode", message_before, event_run, message_after, false, false,
	};

	TEST_CALL(test_need_event());
	return test_faults_run(&op);
}

/*
 * Ends
 */

/* Messages are under way. */
static int
teardown_before(void)
{
	int error = 0;

	TEST_CALL(message_before());
	send_some(q.sent + SLOTS / 2);
	while (next_up < 4)
		TEST_EXPECT(ctrl_send(q.fp.tx.ep, &next_up, &error), 0);
	return TEST_SUCCESS;
}

static int
ep_end(struct test_ep *ep)
{
	int ret = rte_comch_ctx_stop(ep->ctx);

	if (ret != 0 && ret != -EINPROGRESS && ret != -EALREADY)
		return ret;
	FAULTS_UNTIL(test_state(ep) == RTE_COMCH_STATE_IDLE);
	ret = rte_comch_ctx_destroy(ep->ctx);
	if (ret == 0)
		ep->ctx = NULL;
	return ret;
}

static int
teardown_run(void)
{
	int ret = queue_end(&q.producer);

	if (ret == 0)
		ret = queue_end(&q.consumer);
	if (ret == 0)
		ret = ep_end(q.fp.tx.ep);
	return ret == 0 ? ep_end(q.fp.rx.ep) : ret;
}

static int
test_teardown(void)
{
	const struct faults_op op = {
		"teardown", teardown_before, teardown_run, queues_after, true, false,
	};

	return test_faults_run(&op);
}

/*
 * Programs of offload processors
 */

static struct {
	struct rte_comch_dpa *dpa;
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_msgq *to;
	struct rte_comch_msgq *from;
} d;

static int
need_dpa(void)
{
	struct rte_comch_dpa_info info;

	if (rte_comch_dpa_info_get(test_pair.dpu, &info) != 0)
		return test_skip("no offload processor: %s", info.reason);
	return TEST_SUCCESS;
}

static int
program_run(void)
{
	const struct rte_comch_dpa_conf conf = {
		.program = test_dpa_program(""), .nb_eus = 2,
	};
	const struct rte_comch_dpa_thread_conf thread_conf = { .func = "deed_thread" };
	struct rte_comch_msgq_conf msgq_conf = { .dir = RTE_COMCH_MSGQ_TO_DPA };
	uint64_t args[2] = { 1, 2 }, sum;
	int ret = rte_comch_dpa_create(test_pair.dpu, &conf, &d.dpa);

	if (ret == 0)
		ret = rte_comch_dpa_start(d.dpa);
	if (ret == 0)
		ret = rte_comch_dpa_thread_create(d.dpa, &thread_conf, &d.thread);
	if (ret == 0)
		ret = rte_comch_msgq_create(d.dpa, &msgq_conf, &d.to);
	msgq_conf.dir = RTE_COMCH_MSGQ_FROM_DPA;
	if (ret == 0)
		ret = rte_comch_msgq_create(d.dpa, &msgq_conf, &d.from);
	if (ret == 0)
		ret = rte_comch_dpa_rpc(d.dpa, "add", args, RTE_DIM(args), FAULTS_MS / 4, &sum);
	return ret != 0 ? ret : sum == 3 ? 0 : FAULTS_STUCK;
}

static int
program_end(void)
{
	int ret;

	TEST_EXPECT(rte_comch_msgq_destroy(d.from), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(d.to), 0);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(d.thread), 0);
	if (d.dpa != NULL) {
		ret = rte_comch_dpa_stop(d.dpa);
		TEST_TRUE(ret == 0 || ret == -EALREADY);
		TEST_EXPECT(rte_comch_dpa_destroy(d.dpa), 0);
	}
	memset(&d, 0, sizeof(d));
	return TEST_SUCCESS;
}

static int
test_program(void)
{
	const struct faults_op op = { "program", NULL, program_run, program_end, false, false };

	return test_faults_run(&op);
}

static int
program_before(void)
{
	TEST_EXPECT(program_run(), 0);
	return TEST_SUCCESS;
}

static int
program_teardown_run(void)
{
	return program_end() == TEST_SUCCESS ? 0 : FAULTS_STUCK;
}

static int
test_program_teardown(void)
{
	const struct faults_op op = {
		"teardown of a program", program_before, program_teardown_run, program_end, true,
		false,
	};

	return test_faults_run(&op);
}

static struct unit_test_suite suite = {
	.suite_name = "faults on the fast path",
	.setup = test_faults_setup,
	.teardown = test_faults_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_queues),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_message),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_message_event),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_teardown),
		TEST_CASE_ST(need_dpa, test_dpa_teardown, test_program),
		TEST_CASE_ST(need_dpa, test_dpa_teardown, test_program_teardown),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(comch_faults_fp_autotest, unit_test_suite_runner, &suite);
