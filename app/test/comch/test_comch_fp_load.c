/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Threads that send and receive on one connection, and check every byte. What
 * a message is like follows from a seed, from who sends it to whom, and from its
 * number among these: whatever is lost, doubled, torn or out of order is found
 * by the first message that is not the one that had to come. What the threads do
 * is in test_comch_fp_load_send.c and test_comch_fp_load_recv.c, the connections
 * are in test_comch_fp_link.c.
 */

#include <inttypes.h>
#include <stdarg.h>
#include <sys/mman.h>

#include <rte_lcore.h>

#include "test_comch_fp_load_private.h"

/* A thread for which nothing has happened for so long gives up. */
#define LOAD_STALL_MS 20000

TAILQ_HEAD(test_load_list, test_load);

static struct test_load_list loads = TAILQ_HEAD_INITIALIZER(loads);

static bool
worker_is_producer(const struct worker *w)
{
	return (uint32_t)(w - w->load->workers) < w->load->conf.nb_producers;
}

void
test_worker_fail(struct worker *w, int error, const char *format, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	test_complain("%s %u of %s: %s (%s)", worker_is_producer(w) ? "producer" : "consumer",
			w->id, w->load->conf.link->card ? "the card" : "the host", text,
			strerror(-error));
	if (w->error == 0)
		w->error = error;
	/* the others would wait for what does not come any more */
	__atomic_store_n(&w->load->give_up, true, __ATOMIC_RELAXED);
}

bool
test_worker_goes_on(const struct worker *w)
{
	return w->error == 0 && !w->lost &&
			!__atomic_load_n(&w->load->give_up, __ATOMIC_RELAXED);
}

void
test_worker_idle(struct worker *w)
{
	uint64_t now = test_now_ns();

	rte_comch_pe_progress(w->pe);
	if (w->idle_since == 0)
		w->idle_since = now;
	else if (now - w->idle_since > (uint64_t)LOAD_STALL_MS * 1000000)
		test_worker_fail(w, -ETIMEDOUT, "nothing has happened for %u ms; sent %" PRIu64
				", received %" PRIu64, LOAD_STALL_MS, w->sum.sent,
				w->sum.received);
	sched_yield();
}

void
test_stream_open(const struct test_load *load, struct stream *s, bool from_card,
		uint32_t producer_id, uint32_t consumer_id)
{
	memset(s, 0, sizeof(*s));
	s->base = test_fp_mix(load->conf.seed ^ (uint64_t)from_card << 63 ^
			(uint64_t)producer_id << 24 ^ consumer_id);
}

/* Most messages are small, some have a few KiB, now and then one is large. */
void
test_shape_make(const struct test_load *load, const struct stream *s, uint64_t seq,
		struct shape *shape)
{
	static const uint32_t limits[16] = {
		0, 0, 16, 16, 64, 64, 64, 64, 64, 64, 256, 256, 512, 512, 2048, 4096,
	};
	uint64_t x = test_fp_mix(s->base + seq);
	uint32_t limit = limits[x & 15];

	if ((x >> 4 & 1023) == 0)
		limit = load->conf.max_len;
	limit = RTE_MIN(limit, load->conf.max_len);
	shape->seed = x;
	shape->len = limit == 0 ? 0 : 1 + (uint32_t)(x >> 14 & 0xffffff) % limit;
	shape->imm_len = (x >> 40 & 1) != 0 ? (uint32_t)(x >> 41 & 0xffff) % (load->imm_len + 1) :
			0;
}

static void *
worker_run(void *arg)
{
	struct worker *w = arg;
	int ret = rte_thread_register();

	if (ret != 0)
		test_complain("a thread cannot be registered: %s", strerror(errno));
	if (worker_is_producer(w))
		test_producer_run(w);
	else
		test_consumer_run(w);
	if (ret == 0)
		rte_thread_unregister();
	__atomic_store_n(&w->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* Memory to send from and to receive into. @return 0 or a negative errno */
static int
worker_memory(struct worker *w, bool producer, uint32_t nr)
{
	const struct test_load_conf *conf = &w->load->conf;
	uint64_t len;
	void *own;
	int ret;

	w->nb_slots = rte_align32pow2(producer ? conf->nb_sends : conf->nb_posts);
	w->slot_size = RTE_ALIGN_CEIL((uint64_t)conf->max_len, 64) + 64;
	w->slots = calloc(w->nb_slots, sizeof(w->slots[0]));
	if (w->slots == NULL)
		return -ENOMEM;
	len = w->nb_slots * w->slot_size;
	if (producer ? nr % 2 != 0 : conf->own) {
		/* not of the heap, whose size is looked at */
		own = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (own == MAP_FAILED)
			return -errno;
		w->own = own;
		w->own_len = len;
		ret = rte_comch_mem_register(conf->link->dev, own, len,
				producer ? 0 : RTE_COMCH_MEM_F_PEER_WRITE, &w->mem);
	} else {
		ret = rte_comch_mem_alloc(conf->link->dev, len,
				producer ? 0 : RTE_COMCH_MEM_F_PEER_WRITE, &w->mem);
	}
	if (ret == 0)
		w->base = rte_comch_mem_addr(w->mem);
	return ret;
}

static int
worker_create(struct worker *w, bool producer, uint32_t nr)
{
	const struct test_load_conf *conf = &w->load->conf;
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 64 };
	int ret = worker_memory(w, producer, nr);

	w->rand = (uint32_t)test_fp_mix(conf->seed + 2 * nr + producer) | 1;
	if (ret != 0)
		return ret;
	if (producer) {
		const struct rte_comch_producer_conf producer_conf = {
			.nb_sends = w->nb_slots,
		};

		ret = rte_comch_producer_create(conf->link->conn, &producer_conf, &w->ctx);
	} else {
		const struct rte_comch_consumer_conf consumer_conf = {
			.mem = w->mem,
			.nb_posts = w->nb_slots,
			.imm_len = w->load->imm_len,
			.buf_size = w->load->conf.max_len,
		};

		ret = rte_comch_consumer_create(conf->link->conn, &consumer_conf, &w->ctx);
	}
	if (ret != 0)
		return ret;
	w->id = test_queue_id(w->ctx);
	ret = rte_comch_pe_create(&pe_conf, &w->pe);
	return ret == 0 ? rte_comch_ctx_attach(w->ctx, w->pe) : ret;
}

/* @return 0 or a negative errno */
static int
worker_destroy(struct worker *w)
{
	int ret = rte_comch_ctx_destroy(w->ctx), mem_ret, pe_ret;

	mem_ret = rte_comch_mem_free(w->mem);
	pe_ret = w->pe != NULL ? rte_comch_pe_destroy(w->pe) : 0;
	if (mem_ret == 0 && w->own != NULL)
		munmap(w->own, w->own_len);
	free(w->slots);
	return ret != 0 ? ret : mem_ret != 0 ? mem_ret : pe_ret;
}

struct test_load *
test_load_start(const struct test_load_conf *conf)
{
	struct test_load *load;
	struct rte_comch_dev_info info;
	uint32_t i;
	int ret;

	if (conf->nb_producers > LOAD_MAX_THREADS || conf->nb_consumers > LOAD_MAX_THREADS ||
			conf->peer_consumers > TEST_LINK_IDS ||
			conf->peer_producers > TEST_LINK_IDS || conf->link->conn == NULL ||
			rte_comch_dev_info_get(conf->link->dev, &info) != 0) {
		test_complain("such a load cannot be");
		return NULL;
	}
	load = calloc(1, sizeof(*load));
	if (load == NULL)
		return NULL;
	load->conf = *conf;
	load->imm_len = RTE_MIN(info.max_imm_len, (uint32_t)LOAD_IMM);
	TAILQ_INSERT_TAIL(&loads, load, next);
	for (i = 0; i < conf->nb_producers + conf->nb_consumers; i++) {
		load->workers[i].load = load;
		load->nb_workers++;
		ret = worker_create(&load->workers[i], i < conf->nb_producers, i);
		if (ret != 0) {
			test_worker_fail(&load->workers[i], ret, "it cannot be created");
			return NULL; /* freed by the teardown */
		}
	}
	for (i = 0; i < load->nb_workers; i++) {
		ret = pthread_create(&load->workers[i].thread, NULL, worker_run, &load->workers[i]);
		if (ret != 0) {
			test_worker_fail(&load->workers[i], -ret, "no thread");
			return NULL;
		}
		load->nb_started++;
	}
	return load;
}

void
test_load_finish(struct test_load *load)
{
	__atomic_store_n(&load->finish, true, __ATOMIC_RELAXED);
}

void
test_load_sum(const struct test_load *load, struct test_load_sum *sum)
{
	const struct test_load_sum *one;
	uint32_t i;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < load->nb_workers; i++) {
		one = &load->workers[i].sum;
		sum->sent += __atomic_load_n(&one->sent, __ATOMIC_RELAXED);
		sum->received += __atomic_load_n(&one->received, __ATOMIC_RELAXED);
		sum->bytes += __atomic_load_n(&one->bytes, __ATOMIC_RELAXED);
		sum->returned += __atomic_load_n(&one->returned, __ATOMIC_RELAXED);
		sum->short_bursts += __atomic_load_n(&one->short_bursts, __ATOMIC_RELAXED);
	}
}

bool
test_load_done(const struct test_load *load)
{
	uint32_t i;

	for (i = 0; i < load->nb_started; i++)
		if (!__atomic_load_n(&load->workers[i].done, __ATOMIC_ACQUIRE))
			return false;
	return true;
}

int
test_load_end(struct test_load *load, struct test_load_sum *sum)
{
	struct test_load_sum ignored;
	struct worker *w;
	uint32_t i;
	int ret, error = 0;

	if (sum == NULL)
		sum = &ignored;
	for (i = 0; i < load->nb_started; i++)
		pthread_join(load->workers[i].thread, NULL);
	test_load_sum(load, sum);
	for (i = 0; i < load->nb_workers; i++) {
		w = &load->workers[i];
		if (w->lost) {
			sum->nb_lost++;
			if (sum->reason == 0)
				sum->reason = w->reason;
			else if (sum->reason != w->reason)
				test_worker_fail(w, w->reason, "not the reason of the others");
			if (w->status != 0 && w->status != -ECONNRESET)
				test_worker_fail(w, w->status, "its buffers come back so");
		}
		ret = worker_destroy(w);
		if (ret != 0)
			test_worker_fail(w, ret, "it cannot be destroyed");
		if (error == 0)
			error = w->error;
	}
	TAILQ_REMOVE(&loads, load, next);
	free(load);
	return error;
}

int
test_load_wait(struct test_load *load, unsigned int ms, struct test_load_sum *sum)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	bool late = false;
	int ret;

	while (!test_load_done(load)) {
		if (!late && test_now_ns() > end) {
			late = true;
			__atomic_store_n(&load->give_up, true, __ATOMIC_RELAXED);
		}
		if (test_progress() == 0)
			sched_yield();
	}
	ret = test_load_end(load, sum);
	return late && ret == 0 ? -ETIMEDOUT : ret;
}

void
test_load_cleanup(void)
{
	struct test_load *load;

	while ((load = TAILQ_FIRST(&loads)) != NULL)
		test_load_wait(load, 0, NULL);
}
