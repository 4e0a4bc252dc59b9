/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Idle consumers, and a peer that does not know of that, or toggles doorbells as it
 * likes, or says that it is idle when it does not. From either role.
 */

#include <sys/socket.h>
#include <unistd.h>

#include "test_shm_peer_fast.h"

#define TASKS 8u
#define DOORBELL 77u

/* Turns of a consumer that its peer does not ring for: with what else is idle here. */
#define NO_DOORBELL_TURNS 8u

static const uint64_t *
our_doorbells(const struct hostile *e, const struct hostile_consumer *c)
{
	return &e->peer->groups[c->msg.group].doorbells[DOORBELL / 64];
}

static bool
our_doorbell(const struct hostile *e, const struct hostile_consumer *c)
{
	return (__atomic_load_n(our_doorbells(e, c), __ATOMIC_RELAXED) >> (DOORBELL % 64) & 1) != 0;
}

static int
consumer_idles(struct hostile *e, struct hostile_consumer *c, uint32_t id, uint32_t doorbell)
{
	memset(c, 0, sizeof(*c));
	c->msg.flags = SHM_WIRE_CONSUMER_F_IDLE | doorbell << SHM_WIRE_CONSUMER_DOORBELL_SHIFT;
	return hostile_consumer_start(e, c, id, SHM_WIRE_NO_REGION);
}

/* Doorbells that there are, and others. */
static int
test_doorbell_numbers(void)
{
	static const uint32_t bad[] = { SHM_WIRE_MAX_QDOORBELLS, 0x8000, 0xffff };
	struct hostile_consumer c, last;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		e = fast_connected();
		TEST_EXPECT(consumer_idles(e, &last, 1, SHM_WIRE_MAX_QDOORBELLS - 1), 0);
		/* of one that is not idle, the upper half is nothing */
		memset(&c, 0, sizeof(c));
		c.msg.flags = UINT32_MAX << SHM_WIRE_CONSUMER_DOORBELL_SHIFT;
		TEST_EXPECT(hostile_consumer_start(e, &c, 2, SHM_WIRE_NO_REGION), 0);
		hostile_fill(&msg, SHM_WIRE_CONSUMER, e->chan.id);
		msg.consumer.consumer = 3;
		msg.consumer.region = SHM_WIRE_NO_REGION;
		msg.consumer.flags = SHM_WIRE_CONSUMER_F_IDLE |
			bad[i] << SHM_WIRE_CONSUMER_DOORBELL_SHIFT;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER, e->chan.id, c.seg.fd), 0);
		TEST_CALL(fast_conn_dies(e, "doorbell", i));
		hostile_consumer_free(&c);
		hostile_consumer_free(&last);
	}
	return TEST_SUCCESS;
}

static int
send_to(struct test_q *q, struct hostile_consumer *c)
{
	const struct rte_comch_send msg = { .flags = RTE_COMCH_SEND_F_NO_CPL };

	hostile_post(c, 0, 0);
	TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, c->msg.consumer, &msg, 1), 1);
	return TEST_SUCCESS;
}

/* An engine sleeps with an idle consumer; then there is a message. */
static int
sleeper_gets(struct hostile *e, struct hostile_consumer *c, struct test_q *q, uint32_t armed,
		uint32_t toggles)
{
	__atomic_store_n(&e->own->groups[c->msg.group].armed, armed, __ATOMIC_RELAXED);
	__atomic_store_n(&c->posts->idle, shm_wire_idle(toggles), __ATOMIC_RELAXED);
	return send_to(q, c);
}

/*
 * It is woken for its consumer, whose doorbell it does not see then. A socket that is full, or
 * closed, holds up nobody.
 */
static int
sleeper_woken(struct hostile *e, struct hostile_consumer *c, struct test_q *q, uint32_t toggles)
{
	union shm_wire_msg msg;
	int pair[2];
	char byte;

	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	hostile_fill(&msg, SHM_WIRE_GROUP, 0);
	msg.group.group = c->msg.group;
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[1]), 0);
	peer_turn_ms(2);
	TEST_CALL(sleeper_gets(e, c, q, 1, toggles));
	TEST_EXPECT(recv(pair[0], &byte, 1, MSG_DONTWAIT), 1);
	while (send(pair[1], "", 1, MSG_DONTWAIT) == 1)
		;
	TEST_CALL(sleeper_gets(e, c, q, 2, toggles + 1));
	close(pair[0]);
	close(pair[1]);
	return sleeper_gets(e, c, q, 3, toggles + 2);
}

/* Our producers toggle a doorbell when they have to, and only then. */
static int
test_our_toggles(void)
{
	static const uint32_t nonsense[] = { 2, 7, 0x80000000, UINT32_MAX, 0 };
	struct hostile *e = fast_connected();
	struct hostile_consumer c;
	struct test_q *q;
	unsigned int i, toggles;

	TEST_EXPECT(consumer_idles(e, &c, 1, DOORBELL), 0);
	q = fast_producer();
	TEST_CALL(send_to(q, &c));
	TEST_TRUE(!our_doorbell(e, &c)); /* it looks by itself */
	for (toggles = 0; toggles < 5; toggles++) {
		__atomic_store_n(&c.posts->idle, shm_wire_idle(toggles), __ATOMIC_RELAXED);
		TEST_EXPECT(our_doorbell(e, &c), toggles % 2);
		/* the first rings, the others need not */
		for (i = 0; i < 3; i++) {
			TEST_CALL(send_to(q, &c));
			TEST_EXPECT(our_doorbell(e, &c), (toggles + 1) % 2);
		}
		/* what cannot be, or is of before */
		for (i = 0; i < RTE_DIM(nonsense); i++) {
			__atomic_store_n(&c.posts->idle, nonsense[i] == 7 && toggles == 2 ?
				5 : nonsense[i], __ATOMIC_RELAXED);
			TEST_CALL(send_to(q, &c));
			TEST_EXPECT(our_doorbell(e, &c), (toggles + 1) % 2);
		}
	}
	/* all other doorbells of that group are as they were */
	TEST_EXPECT(__atomic_load_n(our_doorbells(e, &c), __ATOMIC_RELAXED),
		RTE_BIT64(DOORBELL % 64));
	if (!fast_side->host)
		TEST_CALL(sleeper_woken(e, &c, q, toggles));
	TEST_EXPECT(fast_side->violations(), 0);
	hostile_consumer_free(&c);
	return TEST_SUCCESS;
}

/* A consumer of the device, whose peer is the hostile side. */
struct idle_env {
	struct hostile *e;
	struct hostile_rc rc;
	struct test_q *q;
	struct rte_comch_pe *pe;
	uint32_t completed;
};

static void
again_post(struct test_q *q, struct rte_comch_task *task, const struct rte_comch_cpl *cpl)
{
	RTE_SET_USED(q);
	if (cpl->status != 0 || rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task);
}

static int
idle_open(struct idle_env *env)
{
	struct rte_comch_task *task;
	uint32_t i;

	memset(env, 0, sizeof(*env));
	env->pe = fast_side->host ? peer_host.pe : peer_env.pe;
	env->e = fast_connected();
	env->q = fast_task_consumer(TASKS);
	env->q->on_post = again_post;
	TEST_EXPECT(hostile_rc_wait(env->e, &env->rc), 0);
	TEST_TRUE((env->rc.msg.flags & SHM_WIRE_CONSUMER_F_IDLE) != 0);
	TEST_EXPECT(hostile_rc_answer(env->e, &env->rc), 0);
	PEER_WAIT(test_q_state(env->q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	for (i = 0; i < TASKS; i++) {
		TEST_EXPECT(rte_comch_consumer_task_alloc(env->q->ctx, NULL, &task), 0);
		TEST_EXPECT(rte_comch_task_submit(task), 0);
	}
	return TEST_SUCCESS;
}

static void
idle_close(struct idle_env *env)
{
	fast_case_end();
	hostile_rc_free(&env->rc);
}

static int
idle_wait(struct idle_env *env)
{
	uint64_t end = test_now_ns() + UINT64_C(10000000);
	uint32_t i;

	for (i = 0; i < 500 || test_now_ns() < end; i++)
		TEST_TRUE(rte_comch_pe_progress(env->pe) >= 0);
	return TEST_SUCCESS;
}

static void
complete_one(struct idle_env *env)
{
	hostile_message(&env->rc, env->completed, 1);
	env->completed++;
}

static uint32_t
idle_word(const struct idle_env *env)
{
	return __atomic_load_n(&env->rc.posts->idle, __ATOMIC_RELAXED);
}

static void
toggle(struct idle_env *env)
{
	uint32_t doorbell = env->rc.msg.flags >> SHM_WIRE_CONSUMER_DOORBELL_SHIFT;

	__atomic_fetch_xor(&env->e->own->groups[env->rc.msg.group].doorbells[doorbell / 64],
		RTE_BIT64(doorbell % 64), __ATOMIC_RELEASE);
}

/* What the consumer says, and that a toggle without a message is none. */
static int
test_doorbells(void)
{
	struct idle_env env;
	uint32_t i;

	TEST_CALL(idle_open(&env));
	for (i = 0; i < 20; i++) {
		TEST_CALL(idle_wait(&env));
		TEST_EXPECT(idle_word(&env), shm_wire_idle(2 * i));
		complete_one(&env);
		toggle(&env);
		TEST_TRUE(rte_comch_pe_progress(env.pe) >= 0);
		TEST_EXPECT(env.q->nb_ok, i + 1);
		TEST_EXPECT(idle_word(&env), 0);
		TEST_CALL(idle_wait(&env));
		TEST_EXPECT(idle_word(&env), shm_wire_idle(2 * i + 1));
		toggle(&env);
		TEST_TRUE(rte_comch_pe_progress(env.pe) >= 0);
		TEST_EXPECT(env.q->nb_ok, i + 1);
	}
	TEST_EXPECT(fast_side->violations(), 0);
	idle_close(&env);
	return TEST_SUCCESS;
}

/* One that is toggled behind the last turn keeps the engine awake: no other toggle follows. */
static int
test_doorbell_before_sleep(void)
{
	struct idle_env env;

	TEST_CALL(idle_open(&env));
	TEST_CALL(idle_wait(&env));
	PEER_WAIT(rte_comch_pe_arm(env.pe) == 0, TEST_MS);
	TEST_TRUE(rte_comch_pe_progress(env.pe) >= 0);
	toggle(&env);
	TEST_EXPECT(rte_comch_pe_arm(env.pe), -EAGAIN);
	TEST_TRUE(rte_comch_pe_progress(env.pe) >= 0);
	TEST_EXPECT(idle_word(&env), 0);
	TEST_EXPECT(fast_side->violations(), 0);
	idle_close(&env);
	return TEST_SUCCESS;
}

/* That of a consumer which has stopped, and was given back. */
static int
test_doorbell_of_none(void)
{
	struct idle_env env;

	TEST_CALL(idle_open(&env));
	TEST_CALL(idle_wait(&env));
	rte_comch_ctx_stop(env.q->ctx);
	PEER_WAIT(test_q_state(env.q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	peer_turn_ms(5); /* a thread of the driver gives its segment back */
	toggle(&env);
	TEST_CALL(idle_wait(&env));
	TEST_EXPECT(fast_side->violations(), 0);
	idle_close(&env);
	return TEST_SUCCESS;
}

/* All doorbells of all groups, at any time: the consumer goes on, and its posts come back. */
static int
test_mad_doorbells(void)
{
	struct idle_env env;
	uint64_t end;
	uint32_t i, j;

	TEST_CALL(idle_open(&env));
	end = test_now_ns() + UINT64_C(50000000);
	for (i = 0; i < 1000 || test_now_ns() < end; i++) {
		for (j = 0; j < SHM_WIRE_MAX_GROUPS * SHM_WIRE_QDOORBELL_WORDS; j++)
			env.e->own->groups[j / SHM_WIRE_QDOORBELL_WORDS]
				.doorbells[j % SHM_WIRE_QDOORBELL_WORDS] ^=
				(uint64_t)test_rand() << 32 | test_rand();
		if (i % 100 == 0)
			TEST_CALL(idle_wait(&env));
		if (i % 10 == 0 && env.completed == env.q->nb_ok)
			complete_one(&env);
		peer_turn();
	}
	/* and with a last toggle that is one */
	TEST_CALL(idle_wait(&env));
	toggle(&env);
	PEER_WAIT(env.q->nb_ok == env.completed, TEST_MS);
	TEST_TRUE(env.completed > 10);
	TEST_EXPECT(fast_side->violations(), 0);
	idle_close(&env);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: idle consumers",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_doorbell_numbers),
		FAST_CASE(test_our_toggles),
		FAST_CASE(test_doorbells),
		FAST_CASE(test_doorbell_before_sleep),
		FAST_CASE(test_doorbell_of_none),
		FAST_CASE(test_mad_doorbells),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_idle_autotest, fast_suites_run, &suite)
