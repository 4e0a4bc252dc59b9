/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The two roles that the hostile peer plays, what is attacked, and the honest fast
 * path beside it. No test is in here.
 */

#include "test_shm_peer_fast.h"

#define MAX_QUEUES 64
#define HONEST_LEN 1000
#define HONEST_POSTS 16u

static const struct fast_side card_side = {
	.name = "card",
	.suite_setup = peer_suite_setup,
	.suite_teardown = peer_suite_teardown,
	.setup = peer_setup,
	.teardown = peer_teardown,
	.connected = hostile_connected,
	.connecting = hostile_up,
	.violations = peer_violations,
};

static const struct fast_side host_side = {
	.name = "host",
	.host = true,
	.suite_setup = peer_host_suite_setup,
	.suite_teardown = peer_host_suite_teardown,
	.setup = peer_host_setup,
	.teardown = peer_host_teardown,
	.connected = peer_host_connected,
	.connecting = peer_host_connecting,
	.violations = peer_host_violations,
};

const struct fast_side *fast_side = &card_side;

static struct test_q *queues[MAX_QUEUES];
static unsigned int nb_queues;
static uint64_t breaches; /* when the newest link was made */
static struct rte_comch_mem *mems[MAX_QUEUES];
static unsigned int nb_mems;

/* The fast path of the honest pair, from its client to its server. */
static struct {
	struct rte_comch_mem *mem;
	uint8_t *base;
	struct test_q *consumer;
	struct test_q *producer;
	uint32_t seed;
} honest;

struct test_ep *
fast_victim(void)
{
	return fast_side->host ? peer_host.client : peer_env.target;
}

int16_t
fast_dev(void)
{
	return fast_side->host ? peer_host.dev : peer_env.dpu;
}

int
fast_suites_run(struct unit_test_suite *suite)
{
	int card, host;

	fast_side = &card_side;
	card = unit_test_suite_runner(suite);
	fast_side = &host_side;
	host = unit_test_suite_runner(suite);
	fast_side = &card_side;
	return card != TEST_SUCCESS ? card : host;
}

static int
honest_start(void)
{
	const struct test_fp_end rx = {
		.ep = peer_env.server, .pe = peer_env.pe, .q_pe = peer_env.pe,
		.dev = peer_env.dpu,
	};
	const struct test_fp_end tx = {
		.ep = peer_env.client, .q_pe = test_pe_new(), .dev = test_pair.host,
	};
	struct rte_comch_consumer_conf conf = {
		.nb_posts = HONEST_POSTS, .buf_size = HONEST_LEN,
	};
	struct rte_comch_mem_info info;

	TEST_EXPECT(rte_comch_mem_alloc(rx.dev, HONEST_POSTS * HONEST_LEN,
			RTE_COMCH_MEM_F_PEER_WRITE, &honest.mem), 0);
	TEST_EXPECT(rte_comch_mem_info_get(honest.mem, &info), 0);
	honest.base = info.addr;
	conf.mem = honest.mem;
	honest.consumer = test_q_consumer(&rx, &conf);
	TEST_CALL(test_q_start(honest.consumer, &tx));
	honest.producer = test_q_producer(&tx, NULL);
	TEST_EXPECT(rte_comch_ctx_start(honest.producer->ctx), 0);
	/* the card has to hear of the engine: that is a descriptor more */
	peer_turn_ms(20);
	return TEST_SUCCESS;
}

static void
honest_stop(void)
{
	if (honest.consumer != NULL)
		test_q_close(honest.consumer);
	if (honest.producer != NULL)
		test_q_close(honest.producer);
	if (honest.mem != NULL && rte_comch_mem_free(honest.mem) != 0)
		test_fail("the honest region cannot be freed");
	memset(&honest, 0, sizeof(honest));
}

/* Each buffer once, with data that nobody else has. */
static int
honest_send(void)
{
	static uint8_t data[HONEST_LEN];
	static struct rte_comch_mem *mem;
	struct rte_comch_post post = { .len = HONEST_LEN };
	struct rte_comch_send send = { .addr = data, .flags = RTE_COMCH_SEND_F_NO_CPL };
	struct rte_comch_cpl cpl;
	unsigned int i;

	TEST_EXPECT(rte_comch_mem_register(test_pair.host, data, sizeof(data), 0, &mem), 0);
	send.mem = mem;
	for (i = 0; i < HONEST_POSTS; i++) {
		post.addr = honest.base + i * HONEST_LEN;
		post.cookie = i;
		TEST_EXPECT(rte_comch_consumer_post_burst(honest.consumer->ctx, &post, 1), 1);
	}
	for (i = 0; i < HONEST_POSTS; i++) {
		send.len = 1 + (honest.seed + i) % HONEST_LEN;
		test_fill(data, (uint32_t)send.len, honest.seed + i);
		TEST_EXPECT(rte_comch_producer_send_burst(honest.producer->ctx,
				honest.consumer->id, &send, 1), 1);
		TEST_EXPECT(rte_comch_queue_poll_burst(honest.consumer->ctx, &cpl, 1), 1);
		TEST_TRUE(cpl.status == 0 && cpl.cookie == i && cpl.len == send.len);
		TEST_TRUE(test_check(honest.base + i * HONEST_LEN, (uint32_t)cpl.len,
				honest.seed + i));
	}
	honest.seed += HONEST_POSTS;
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return TEST_SUCCESS;
}

int
fast_suite_setup(void)
{
	printf("the hostile peer attacks the %s's side\n", fast_side->name);
	TEST_CALL(fast_side->suite_setup());
	return honest_start();
}

void
fast_suite_teardown(void)
{
	honest_stop();
	fast_side->suite_teardown();
}

int
fast_setup(void)
{
	TEST_CALL(honest_send());
	return fast_side->setup();
}

void
fast_case_end(void)
{
	hostile_close_all();
	peer_turn();
	while (nb_queues > 0)
		test_q_close(queues[--nb_queues]);
	while (nb_mems > 0)
		if (rte_comch_mem_free(mems[--nb_mems]) != 0)
			test_fail("a region is still in use");
}

void
fast_teardown(void)
{
	fast_case_end();
	peer_turn_ms(12); /* memory is given back by the engines' next looks */
	fast_side->teardown();
	if (honest_send() != TEST_SUCCESS)
		test_fail("the honest fast path noticed");
}

struct hostile *
fast_connected(void)
{
	struct hostile *e = fast_side->connected();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (fast_victim()->conn == NULL && test_now_ns() < end)
		peer_turn();
	if (fast_victim()->conn == NULL)
		test_give_up("the hostile peer has no connection");
	breaches = fast_side->violations();
	return e;
}

struct hostile *
fast_connecting(void)
{
	struct hostile *e = fast_side->connecting();

	breaches = fast_side->violations();
	return e;
}

unsigned int
fast_breaches(void)
{
	return (unsigned int)(fast_side->violations() - breaches);
}

int
fast_conn_dies(struct hostile *e, const char *what, unsigned int nr)
{
	int ret = hostile_wait(e, SHM_WIRE_CLOSE, TEST_MS);

	TEST_ASSERT(ret == 0, "%s %u does not end the connection: %s", what, nr, strerror(-ret));
	TEST_EXPECT(e->msg.reason.reason, -EPROTO);
	TEST_ASSERT(fast_breaches() == 1, "%s %u counts %u times", what, nr, fast_breaches());
	PEER_WAIT(fast_victim()->conn == NULL, TEST_MS);
	TEST_ASSERT(!hostile_gone(e), "%s %u ends the link", what, nr);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, e->chan.id), 0);
	peer_turn();
	TEST_ASSERT(!hostile_gone(e), "%s %u ends the link", what, nr);
	fast_case_end();
	return TEST_SUCCESS;
}

int
fast_link_dies(struct hostile *e, const char *what, unsigned int nr)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (!hostile_gone(e) && test_now_ns() < end)
		peer_turn();
	TEST_ASSERT(hostile_gone(e), "%s %u does not end the link", what, nr);
	TEST_ASSERT(fast_breaches() == 1, "%s %u counts %u times", what, nr, fast_breaches());
	fast_case_end();
	return TEST_SUCCESS;
}

static struct test_fp_end
victim_end(void)
{
	return (struct test_fp_end) {
		.ep = fast_victim(),
		.q_pe = fast_side->host ? peer_host.pe : peer_env.pe,
		.dev = fast_dev(),
	};
}

static struct test_q *
queue_keep(struct test_q *q)
{
	if (nb_queues == MAX_QUEUES)
		test_give_up("more producers and consumers than a case has");
	queues[nb_queues++] = q;
	return q;
}

struct test_q *
fast_producer(void)
{
	const struct test_fp_end end = victim_end();
	struct test_q *q = queue_keep(test_q_producer(&end, NULL));

	if (rte_comch_ctx_start(q->ctx) != 0)
		test_give_up("no producer of the device");
	return q;
}

static struct test_q *
consumer_run(const struct rte_comch_consumer_conf *conf)
{
	const struct test_fp_end end = victim_end();
	struct test_q *q = queue_keep(test_q_consumer(&end, conf));

	if (rte_comch_ctx_start(q->ctx) != -EINPROGRESS)
		test_give_up("no consumer of the device");
	return q;
}

struct test_q *
fast_consumer(struct rte_comch_mem *mem, uint32_t nb_posts, uint32_t imm_len)
{
	const struct rte_comch_consumer_conf conf = {
		.mem = mem, .nb_posts = nb_posts, .imm_len = imm_len,
	};

	return consumer_run(&conf);
}

struct test_q *
fast_task_consumer(uint32_t nb_tasks)
{
	const struct rte_comch_consumer_conf conf = { .nb_tasks = nb_tasks };

	return consumer_run(&conf);
}

void
fast_keep(struct rte_comch_mem *mem)
{
	if (nb_mems == MAX_QUEUES)
		test_give_up("more regions than a case has");
	mems[nb_mems++] = mem;
}

/* What was made, or an error instead. */
static struct rte_comch_mem *
mem_made(int ret, struct rte_comch_mem *mem)
{
	if (ret != 0)
		test_give_up("no memory of the device: %s", strerror(-ret));
	fast_keep(mem);
	return mem;
}

struct rte_comch_mem *
fast_mem(uint64_t len)
{
	struct rte_comch_mem *mem = NULL;
	int ret = rte_comch_mem_alloc(fast_dev(), len, RTE_COMCH_MEM_F_PEER_WRITE, &mem);

	return mem_made(ret, mem);
}

struct rte_comch_mem *
fast_source(void *addr, uint64_t len, uint32_t flags)
{
	struct rte_comch_mem *mem = NULL;
	int ret = rte_comch_mem_register(fast_dev(), addr, len, flags, &mem);

	return mem_made(ret, mem);
}

struct rte_comch_mem *
fast_pool(uint32_t nb)
{
	struct rte_comch_mem *mem = NULL;
	int ret = rte_comch_mem_pool_create(fast_dev(), "hostile", nb, 0, 2048,
			RTE_COMCH_MEM_F_PEER_WRITE, &mem);

	return mem_made(ret, mem);
}

int
fast_rx_open(struct fast_rx *rx, struct rte_comch_mem *mem, uint32_t nb_posts, uint32_t imm_len)
{
	memset(rx, 0, sizeof(*rx));
	rx->e = fast_connected();
	rx->base = mem != NULL ? rte_comch_mem_addr(mem) : NULL;
	rx->nb_posts = nb_posts;
	rx->q = fast_consumer(mem, nb_posts, imm_len);
	TEST_EXPECT(hostile_rc_wait(rx->e, &rx->rc), 0);
	TEST_EXPECT(hostile_rc_answer(rx->e, &rx->rc), 0);
	PEER_WAIT(test_q_state(rx->q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

int
fast_rx_post(struct fast_rx *rx, unsigned int nb, uint32_t len)
{
	struct rte_comch_post post = { .len = len };

	for (; nb > 0; nb--, rx->posted++) {
		if (rx->base != NULL)
			post.addr = rx->base + rx->posted % rx->nb_posts * len;
		post.cookie = rx->posted;
		TEST_EXPECT(rte_comch_consumer_post_burst(rx->q->ctx, &post, 1), 1);
	}
	return TEST_SUCCESS;
}

void
fast_rx_close(struct fast_rx *rx)
{
	fast_case_end();
	hostile_rc_free(&rx->rc);
}

int
fast_flips_begin(struct fast_flips *f, void *(*flipper)(void *arg))
{
	f->stop = false;
	f->begin = test_now_ns();
	TEST_EXPECT(pthread_create(&f->thread, NULL, flipper, f), 0);
	return TEST_SUCCESS;
}

bool
fast_flips_go_on(const struct fast_flips *f, unsigned int ms, uint32_t nb)
{
	uint64_t passed = (test_now_ns() - f->begin) / 1000000;

	return fast_victim()->conn != NULL &&
		(passed < ms || (nb == 0 && passed < TEST_MS));
}

int
fast_flips_end(struct fast_flips *f, bool harmless, uint32_t nb)
{
	__atomic_store_n(&f->stop, true, __ATOMIC_RELAXED);
	pthread_join(f->thread, NULL);
	if (!harmless) {
		TEST_TRUE(fast_breaches() <= 1);
		return TEST_SUCCESS;
	}
	TEST_EXPECT(fast_breaches(), 0);
	TEST_TRUE(nb > 0 && fast_victim()->conn != NULL);
	return TEST_SUCCESS;
}
