/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A connected pair with producers, consumers and regions, for the tests of the
 * fast path. Servers and clients, and how all is progressed, are in
 * test_comch_util.c.
 */

#include <unistd.h>

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MAX_MEMS 64
#define POLL_BURST 64
/* Turns, with 1 ms between them, after which nothing more is to come. */
#define PAIRS_QUIET 20
/* Credits are with their producer by then, unless the machine is busy. */
#define CREDITS_MS 60

TAILQ_HEAD(test_q_list, test_q);

static struct test_q_list queues = TAILQ_HEAD_INITIALIZER(queues);
static struct rte_comch_mem *mems[MAX_MEMS];
static uint64_t buf_sizes[MAX_MEMS]; /* of their slots, or 0 */
/* Bytes of the buffers of other regions, where consumers have to say so. */
#define ANY_BUF_SIZE 64
static unsigned int nb_mems;
static bool post_sizes;

int
test_fp_need(void)
{
	const uint64_t capa = RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER;
	struct rte_comch_dev_info host, dpu;

	post_sizes = false;
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &host), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &dpu), 0);
	if ((host.capa & dpu.capa & capa) != capa)
		return test_skip("the devices have no producers and consumers");
	return TEST_SUCCESS;
}

int
test_fp_open(struct test_fp *fp, uint32_t how)
{
	struct test_fp_end server, client;

	server.dev = test_pair.dpu;
	server.pe = test_pe_new();
	server.q_pe = (how & TEST_FP_ONE_ENGINE) != 0 ? server.pe : test_pe_new();
	server.ep = test_server_run("test", server.pe);
	client.dev = test_pair.host;
	client.pe = test_pe_new();
	client.q_pe = (how & TEST_FP_ONE_ENGINE) != 0 ? client.pe : test_pe_new();
	client.ep = test_client_run("test", client.pe);
	TEST_WAIT(server.ep->conn != NULL && client.ep->conn != NULL, TEST_MS);
	fp->tx = (how & TEST_FP_TO_HOST) != 0 ? server : client;
	fp->rx = (how & TEST_FP_TO_HOST) != 0 ? client : server;
	return TEST_SUCCESS;
}

int
test_fp_to_dpu(int (*fn)(struct test_fp *fp))
{
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	return fn(&fp);
}

int
test_fp_one_engine(int (*fn)(struct test_fp *fp))
{
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	return fn(&fp);
}

int
test_fp_both(int (*fn)(struct test_fp *fp))
{
	struct test_fp fp;

	TEST_CALL(test_fp_to_dpu(fn));
	test_fp_cleanup();
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_HOST));
	return fn(&fp);
}

static void
state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct test_q *q = user_data;

	if (q->nb_states < TEST_EP_STATES)
		q->states[q->nb_states] = next;
	q->nb_states++;
	if (rte_comch_ctx_state_get(ctx) != (int)next)
		test_fail("the state callback says %s, the context %s",
				rte_comch_state_name(next),
				rte_comch_state_name(rte_comch_ctx_state_get(ctx)));
}

static void
task_done(struct test_q *q, int status)
{
	if (status == 0) {
		q->nb_ok++;
	} else {
		q->nb_err++;
		q->status = status;
	}
}

static void
task_free(struct rte_comch_task *task)
{
	if (rte_comch_task_free(task) != 0)
		test_fail("a task cannot be freed in its callback");
}

static void
post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct test_q *q = user_data;

	task_done(q, cpl->status);
	if (q->on_post != NULL)
		q->on_post(q, task, cpl);
	else
		task_free(task);
}

static void
send_cb(struct rte_comch_task *task, int status, void *user_data)
{
	struct test_q *q = user_data;

	task_done(q, status);
	if (q->on_send != NULL)
		q->on_send(q, task, status);
	else
		task_free(task);
}

/* Takes over the context, or the error instead of one. */
static struct test_q *
queue_add(struct test_q *q, int ret, const struct test_fp_end *end)
{
	if (ret == 0) {
		TAILQ_INSERT_TAIL(&queues, q, next);
		ret = rte_comch_ctx_attach(q->ctx, end->q_pe);
		if (ret == 0)
			return q;
	} else {
		free(q);
	}
	test_give_up("no producer or consumer: %s", strerror(-ret));
}

bool
test_has_post_sizes(void)
{
	struct rte_comch_dev_info host, dpu;

	return rte_comch_dev_info_get(test_pair.host, &host) == 0 &&
		rte_comch_dev_info_get(test_pair.dpu, &dpu) == 0 &&
		(host.capa & dpu.capa & RTE_COMCH_CAPA_POST_SIZES) != 0;
}

/* Of a region that is not cut into slots, where something has to be said of it. */
static uint64_t
any_buf_size(const struct rte_comch_mem *mem)
{
	struct rte_comch_mem_info info;

	if (mem == NULL || test_has_post_sizes() || rte_comch_mem_info_get(mem, &info) != 0)
		return 0;
	if (info.pool != NULL &&
			info.pool->private_data_size >= sizeof(struct rte_pktmbuf_pool_private) &&
			rte_pktmbuf_data_room_size(info.pool) > RTE_PKTMBUF_HEADROOM)
		return rte_pktmbuf_data_room_size(info.pool) - RTE_PKTMBUF_HEADROOM;
	return RTE_MIN(info.len, (uint64_t)ANY_BUF_SIZE);
}

uint64_t
test_buf_size(const struct rte_comch_mem *mem)
{
	unsigned int i;

	for (i = 0; i < nb_mems; i++)
		if (mems[i] == mem && buf_sizes[i] != 0)
			return buf_sizes[i];
	return any_buf_size(mem);
}

void
test_mem_buf_size(const struct rte_comch_mem *mem, uint64_t size)
{
	unsigned int i;

	for (i = 0; i < nb_mems; i++)
		if (mems[i] == mem)
			buf_sizes[i] = size;
}

int
test_post_sizes_need(void)
{
	TEST_CALL(test_fp_need());
	if (!test_has_post_sizes())
		return test_skip("consumers of the devices state a size");
	post_sizes = true;
	return TEST_SUCCESS;
}

struct test_q *
test_q_consumer(const struct test_fp_end *end, const struct rte_comch_consumer_conf *conf)
{
	struct rte_comch_consumer_conf c = { .nb_posts = 0 };
	struct test_q *q = calloc(1, sizeof(*q));
	int ret;

	if (q == NULL)
		test_give_up("no memory");
	if (conf != NULL)
		c = *conf;
	if (c.buf_size == 0 && !post_sizes)
		c.buf_size = test_buf_size(c.mem);
	c.state_cb = state_cb;
	c.post_cb = c.nb_tasks != 0 ? post_cb : NULL;
	c.user_data = q;
	ret = rte_comch_consumer_create(end->ep->conn, &c, &q->ctx);
	if (ret == 0)
		q->id = test_queue_id(q->ctx);
	return queue_add(q, ret, end);
}

struct test_q *
test_q_producer(const struct test_fp_end *end, const struct rte_comch_producer_conf *conf)
{
	struct rte_comch_producer_conf c = { .nb_sends = 0 };
	struct test_q *q = calloc(1, sizeof(*q));
	int ret;

	if (q == NULL)
		test_give_up("no memory");
	if (conf != NULL)
		c = *conf;
	c.state_cb = state_cb;
	c.send_cb = c.nb_tasks != 0 ? send_cb : NULL;
	c.user_data = q;
	ret = rte_comch_producer_create(end->ep->conn, &c, &q->ctx);
	if (ret == 0)
		q->id = test_queue_id(q->ctx);
	return queue_add(q, ret, end);
}

void
test_fp_pairs(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct rte_comch_room room;
	struct test_q *p, *c;
	unsigned int quiet = PAIRS_QUIET;

	if (!test_place_is_bluefield())
		return;
	TAILQ_FOREACH(p, &queues, next) {
		TAILQ_FOREACH(c, &queues, next) {
			if (test_ctx_info(p->ctx).type != RTE_COMCH_CTX_PRODUCER ||
					test_ctx_info(c->ctx).type != RTE_COMCH_CTX_CONSUMER ||
					test_q_state(p) != RTE_COMCH_STATE_RUNNING)
				continue;
			/* of one with tasks, too */
			rte_comch_queue_room_get(p->ctx, c->id, &room);
			quiet = 0;
		}
	}
	/* messages of both sides, and commands of other threads, which tell nobody */
	while (quiet < PAIRS_QUIET && test_now_ns() < end) {
		quiet = test_progress() != 0 ? 0 : quiet + 1;
		usleep(1000);
		test_places_rest();
	}
}

int
test_q_start(struct test_q *q, const struct test_fp_end *peer)
{
	uint32_t before = peer->ep->nb_new;

	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_RUNNING && peer->ep->nb_new == before + 1,
			TEST_MS);
	TEST_EXPECT(peer->ep->new_id, q->id);
	return TEST_SUCCESS;
}

int
test_fp_consumer(struct test_fp *fp, struct rte_comch_mem *mem, uint32_t nb_posts,
		uint32_t imm_len, struct test_q **q)
{
	const struct rte_comch_consumer_conf conf = {
		.mem = mem,
		.nb_posts = nb_posts,
		.imm_len = imm_len,
	};

	*q = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(*q, &fp->tx));
	test_fp_pairs();
	return TEST_SUCCESS;
}

int
test_fp_producer(struct test_fp *fp, uint32_t nb_sends, struct test_q **q)
{
	const struct rte_comch_producer_conf conf = { .nb_sends = nb_sends };

	*q = test_q_producer(&fp->tx, &conf);
	TEST_EXPECT(rte_comch_ctx_start((*q)->ctx), 0);
	TEST_EXPECT(test_q_state(*q), RTE_COMCH_STATE_RUNNING);
	test_fp_pairs();
	return TEST_SUCCESS;
}

int
test_fp_queues(struct test_fp *fp, struct rte_comch_mem *mem, uint32_t nb, uint32_t imm_len,
		struct test_q **consumer, struct test_q **producer)
{
	TEST_CALL(test_fp_consumer(fp, mem, nb, imm_len, consumer));
	return test_fp_producer(fp, nb, producer);
}

int
test_q_state(const struct test_q *q)
{
	return rte_comch_ctx_state_get(q->ctx);
}

uint32_t
test_drain(struct test_q *q)
{
	struct rte_comch_cpl cpls[POLL_BURST];
	uint32_t nb, sum = 0;

	do {
		nb = rte_comch_queue_poll_burst(q->ctx, cpls, RTE_DIM(cpls));
		sum += nb;
	} while (nb != 0);
	return sum;
}

static int
queue_idle(struct test_q *q)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int state = test_q_state(q);

	if (state == RTE_COMCH_STATE_STARTING || state == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(q->ctx);
	while (test_q_state(q) != RTE_COMCH_STATE_IDLE) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		if (test_ctx_info(q->ctx).type == RTE_COMCH_CTX_CONSUMER &&
				test_q_state(q) == RTE_COMCH_STATE_STOPPING)
			test_drain(q);
		if (test_progress() == 0)
			sched_yield();
	}
	return 0;
}

int
test_q_close(struct test_q *q)
{
	int ret = queue_idle(q);

	if (ret == 0)
		ret = rte_comch_ctx_destroy(q->ctx);
	TAILQ_REMOVE(&queues, q, next);
	if (ret != 0) {
		test_fail("a %s could not be closed: %s, it is %s with %d tasks",
				test_ctx_info(q->ctx).type == RTE_COMCH_CTX_CONSUMER ?
				"consumer" : "producer", strerror(-ret),
				rte_comch_state_name(test_q_state(q)),
				test_ctx_info(q->ctx).nb_tasks);
		return ret; /* not freed: its callbacks may still come */
	}
	free(q);
	return 0;
}

void
test_mem_keep(struct rte_comch_mem *mem)
{
	if (nb_mems == MAX_MEMS)
		test_fail("more regions than a test can have");
	else
		mems[nb_mems++] = mem;
	buf_sizes[nb_mems - 1] = 0;
}

struct rte_comch_mem *
test_mem_alloc(int16_t dev, uint64_t len, uint32_t flags)
{
	struct rte_comch_mem *mem;
	int ret = rte_comch_mem_alloc(dev, len, flags, &mem);

	if (ret != 0)
		test_give_up("no region of %llu bytes: %s", (unsigned long long)len,
				strerror(-ret));
	test_mem_keep(mem);
	return mem;
}

struct rte_comch_mem *
test_mem_pool(int16_t dev, const char *name, uint32_t nb, uint32_t cache, uint16_t data_room,
		uint32_t flags)
{
	struct rte_comch_mem *mem;
	int ret = rte_comch_mem_pool_create(dev, name, nb, cache, data_room, flags, &mem);

	if (ret != 0)
		test_give_up("no pool of %u mbufs: %s", nb, strerror(-ret));
	test_mem_keep(mem);
	return mem;
}

int
test_mem_free(struct rte_comch_mem *mem)
{
	unsigned int i;

	for (i = 0; i < nb_mems && mems[i] != mem; i++)
		;
	if (i < nb_mems) {
		mems[i] = mems[--nb_mems];
		buf_sizes[i] = buf_sizes[nb_mems];
	}
	return rte_comch_mem_free(mem);
}

void
test_fp_cleanup(void)
{
	struct test_q *q, *tmp;
	int ret;

	for (q = TAILQ_FIRST(&queues); q != NULL; q = tmp) {
		tmp = TAILQ_NEXT(q, next);
		/* the hooks belong to a case that is over */
		q->on_post = NULL;
		q->on_send = NULL;
		test_q_close(q);
	}
	while (nb_mems > 0) {
		ret = rte_comch_mem_free(mems[--nb_mems]);
		if (ret != 0)
			test_fail("a region could not be freed: %s", strerror(-ret));
	}
	test_cleanup();
}

static unsigned int count_fds, count_maps;

int
test_fp_count_setup(void)
{
	struct test_fp fp, back;
	struct test_q *q;

	TEST_CALL(test_fp_need());
	/* what two devices keep of each other's engines is there after the first use */
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU));
	back.tx = fp.rx;
	back.rx = fp.tx;
	TEST_CALL(test_fp_queues(&fp, NULL, 1, 0, &q, &q));
	TEST_CALL(test_fp_queues(&back, NULL, 1, 0, &q, &q));
	test_fp_cleanup();
	test_arrive();
	count_fds = test_count_fds();
	count_maps = test_count_maps();
	return TEST_SUCCESS;
}

/* A thread of the driver gives back what was used, also what was before the case. */
static bool
counts_are_back(void)
{
	return test_count_fds() <= count_fds && test_count_maps() <= count_maps;
}

void
test_fp_count_teardown(void)
{
	uint64_t end;

	test_fp_cleanup();
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (!counts_are_back() && test_now_ns() < end)
		usleep(1000);
	if (counts_are_back())
		return;
	if (test_count_fds() > count_fds)
		test_fail("there are %u descriptors, not %u as before", test_count_fds(),
				count_fds);
	if (test_count_maps() > count_maps)
		test_fail("there are %u mappings, not %u as before", test_count_maps(),
				count_maps);
}

static uint64_t
stride(const struct test_slots *s)
{
	return s->len + 2 * TEST_GUARD;
}

uint8_t *
test_slot(const struct test_slots *s, uint32_t i)
{
	return s->base + i * stride(s) + TEST_GUARD;
}

void
test_slot_clear(const struct test_slots *s, uint32_t i)
{
	memset(test_slot(s, i) - TEST_GUARD, TEST_GUARD_BYTE, stride(s));
}

int
test_slots_new(struct test_slots *s, int16_t dev, uint32_t flags, uint32_t nb, uint64_t len)
{
	s->nb = nb;
	s->len = len;
	s->mem = test_mem_alloc(dev, nb * stride(s), flags);
	s->base = rte_comch_mem_addr(s->mem);
	TEST_TRUE(s->base != NULL && mems[nb_mems - 1] == s->mem);
	buf_sizes[nb_mems - 1] = len;
	memset(s->base, TEST_GUARD_BYTE, nb * stride(s));
	return TEST_SUCCESS;
}

static bool
all_guard(const uint8_t *p, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		if (p[i] != TEST_GUARD_BYTE)
			return false;
	return true;
}

bool
test_slot_check(const struct test_slots *s, uint32_t i, uint32_t len, uint32_t seed)
{
	const uint8_t *p = test_slot(s, i);

	return len <= s->len && test_check(p, len, seed) &&
			all_guard(p - TEST_GUARD, TEST_GUARD) &&
			all_guard(p + len, s->len - len + TEST_GUARD);
}

/* Of a producer with tasks, too. */
static uint32_t
credits_of(const struct test_q *q, uint32_t id)
{
	struct rte_comch_room room;

	return rte_comch_queue_room_get(q->ctx, id, &room) == 0 ? room.credits : 0;
}

/*
 * Over BlueField, a producer is told of posts by a message: wait for that, and turn no
 * engine. Whoever asks for credits has a share of them, so only one that is alone is asked.
 * Not where another thread has that producer.
 */
void
test_posts_arrive(const struct test_q *q, uint32_t nb)
{
	uint64_t end = test_now_ns() + (uint64_t)CREDITS_MS * 1000000;
	struct test_q *p, *one = NULL;

	if (!test_place_is_bluefield() || nb == 0)
		return;
	TAILQ_FOREACH(p, &queues, next) {
		if (test_ctx_info(p->ctx).type != RTE_COMCH_CTX_PRODUCER ||
				test_q_state(p) != RTE_COMCH_STATE_RUNNING ||
				/* it sends the other way */
				test_ctx_info(p->ctx).dev_id == test_ctx_info(q->ctx).dev_id)
			continue;
		if (one != NULL) {
			test_arrive();
			return;
		}
		one = p;
	}
	while (one != NULL && credits_of(one, q->id) < nb) {
		if (test_now_ns() < end)
			continue;
		test_places_rest(); /* on a busy machine */
		credits_of(one, q->id);
		break;
	}
}

uint32_t
test_post_slots_nowait(struct test_q *q, const struct test_slots *s, uint32_t first,
		uint32_t nb, uint64_t cookie)
{
	struct rte_comch_post *posts = calloc(nb, sizeof(*posts));
	uint32_t i, taken;

	if (posts == NULL)
		return 0;
	for (i = 0; i < nb; i++) {
		posts[i].addr = test_slot(s, first + i);
		posts[i].len = s->len;
		posts[i].cookie = cookie + first + i;
	}
	taken = rte_comch_consumer_post_burst(q->ctx, posts, (uint16_t)nb);
	free(posts);
	return taken;
}

uint32_t
test_post_slots(struct test_q *q, const struct test_slots *s, uint32_t first, uint32_t nb,
		uint64_t cookie)
{
	uint32_t taken = test_post_slots_nowait(q, s, first, nb, cookie);

	test_posts_arrive(q, taken);
	return taken;
}

uint32_t
test_post_empty_nowait(struct test_q *q, uint32_t nb, uint64_t cookie)
{
	struct rte_comch_post *posts = calloc(nb, sizeof(*posts));
	uint32_t i, taken;

	if (posts == NULL)
		return 0;
	for (i = 0; i < nb; i++)
		posts[i].cookie = cookie + i;
	taken = rte_comch_consumer_post_burst(q->ctx, posts, (uint16_t)nb);
	free(posts);
	return taken;
}

uint32_t
test_post_empty(struct test_q *q, uint32_t nb, uint64_t cookie)
{
	uint32_t taken = test_post_empty_nowait(q, nb, cookie);

	test_posts_arrive(q, taken);
	return taken;
}

uint16_t
test_send_slot(struct test_q *q, uint32_t id, const struct test_slots *s, uint32_t i,
		uint64_t len, uint64_t cookie)
{
	const struct rte_comch_send msg = {
		.addr = test_slot(s, i),
		.len = len,
		.mem = s->mem,
		.cookie = cookie,
	};

	return rte_comch_producer_send_burst(q->ctx, id, &msg, 1);
}

uint16_t
test_send_imm(struct test_q *q, uint32_t id, const void *imm, uint32_t len, uint64_t cookie)
{
	const struct rte_comch_send msg = { .imm = imm, .imm_len = len, .cookie = cookie };

	return rte_comch_producer_send_burst(q->ctx, id, &msg, 1);
}

uint32_t
test_poll(struct test_q *q, struct rte_comch_cpl *cpls, uint32_t nb)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	uint32_t found = 0, more;

	while (found < nb) {
		more = rte_comch_queue_poll_burst(q->ctx, &cpls[found],
				(uint16_t)RTE_MIN(nb - found, (uint32_t)UINT16_MAX));
		found += more;
		if (more != 0)
			continue;
		if (test_now_ns() > end)
			break;
		if (test_progress() == 0)
			sched_yield();
	}
	return found;
}

int
test_fp_now_ms(void)
{
	return test_place_is_bluefield() ? TEST_MS : 0;
}

int
test_reason(struct test_q *q, uint32_t id)
{
	struct rte_comch_room room;
	int ret;

	if (test_ctx_info(q->ctx).type == RTE_COMCH_CTX_CONSUMER)
		ret = rte_comch_queue_room_get(q->ctx, 0, &room);
	else
		ret = rte_comch_queue_room_get(q->ctx, id, &room);
	return ret == 0 ? room.reason : ret;
}

int
test_fp_offer(struct test_q *consumer, struct test_q *producer, const struct test_slots *s,
		uint32_t first, uint32_t nb, uint64_t cookie)
{
	uint32_t before = rte_comch_producer_credits(producer->ctx, consumer->id);

	TEST_EXPECT(test_post_slots(consumer, s, first, nb, cookie), nb);
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == before + nb, TEST_MS);
	return TEST_SUCCESS;
}

int
test_fp_wait_credits(struct test_q *producer, struct test_q *consumer, uint32_t nb)
{
	TEST_WAIT(rte_comch_producer_credits(producer->ctx, consumer->id) == nb, TEST_MS);
	return TEST_SUCCESS;
}

struct rte_mbuf *
test_packet(struct rte_mempool *pool, uint32_t len, uint32_t segs, uint32_t seed)
{
	static uint8_t data[UINT16_MAX];
	struct rte_mbuf *head = NULL, *m;
	uint32_t i, off = 0, part;

	test_fill(data, len, seed);
	for (i = 0; i < segs; i++) {
		m = rte_pktmbuf_alloc(pool);
		if (m == NULL)
			break;
		part = i == segs - 1 ? len - off : RTE_MIN(len / segs + i % 3, len - off);
		memcpy(rte_pktmbuf_append(m, (uint16_t)part), data + off, part);
		off += part;
		if (head == NULL)
			head = m;
		else
			rte_pktmbuf_chain(head, m);
	}
	if (off != len || i != segs) {
		rte_pktmbuf_free(head);
		test_give_up("no mbufs");
	}
	return head;
}

void
test_thread_spread(unsigned int number)
{
	int own = rte_lcore_to_cpu_id((int)rte_get_main_lcore());
	unsigned int i, nb, cpu;
	cpu_set_t all, one;

	/* what is not ours to use is taken out of the set by the kernel */
	memset(&all, 0xff, sizeof(all));
	if (sched_setaffinity(0, sizeof(all), &all) != 0 ||
			sched_getaffinity(0, sizeof(all), &all) != 0)
		return;
	nb = (unsigned int)CPU_COUNT(&all);
	for (cpu = (unsigned int)RTE_MAX(own, 0), i = number % nb; ; cpu = (cpu + 1) % CPU_SETSIZE)
		if (CPU_ISSET(cpu, &all) && i-- == 0)
			break;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}
