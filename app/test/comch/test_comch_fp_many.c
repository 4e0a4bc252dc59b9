/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Several producers and consumers: of one connection, of several, in one thread
 * and in several. Each message says who sent it to whom and which it is.
 */

#include <pthread.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MAX_BURST 32
#define SLOT_BYTES 48

/* What is in the immediate data of each message. */
struct tag {
	uint16_t from; /* the number of the producer in the test */
	uint16_t to;   /* of the consumer */
	uint32_t seq;
};

static uint32_t
tag_seed(const struct tag *tag)
{
	return tag->from * 1000003u + tag->to * 10007u + tag->seq;
}

static uint32_t
tag_len(const struct tag *tag)
{
	return tag_seed(tag) % (SLOT_BYTES + 1);
}

/* Send one message. @return taken, 0 or 1. */
static uint16_t
tag_send(struct rte_comch_ctx *producer, uint32_t id, const struct test_slots *from,
		const struct tag *tag)
{
	uint8_t *p = test_slot(from, tag->seq % from->nb);
	struct rte_comch_send msg = {
		.addr = p,
		.len = tag_len(tag),
		.mem = from->mem,
		.imm = tag,
		.imm_len = sizeof(*tag),
		.cookie = tag->seq,
	};

	test_fill(p, tag_len(tag), tag_seed(tag));
	return rte_comch_producer_send_burst(producer, id, &msg, 1);
}

/* What came is whole, and no byte around it changed. */
static bool
tag_check(const struct rte_comch_cpl *cpl, const struct test_slots *to, struct tag *tag)
{
	memcpy(tag, cpl->imm, sizeof(*tag));
	return cpl->status == 0 && cpl->imm_len == sizeof(*tag) && cpl->len == tag_len(tag) &&
			cpl->cookie < to->nb &&
			test_slot_check(to, (uint32_t)cpl->cookie, tag_len(tag), tag_seed(tag));
}

#define SOME 5

/* All producers to all consumers, whose posts come and go at random. */
static int
all_to_all(struct test_fp *fp, uint32_t nb_producers, uint32_t nb_consumers, uint32_t rounds)
{
	struct test_q *producers[SOME], *consumers[SOME];
	uint32_t sent[SOME][SOME], got[SOME][SOME];
	struct test_slots from[SOME], to[SOME];
	struct rte_comch_cpl cpls[MAX_BURST];
	const uint32_t places = 16;
	uint32_t i, j, p, c, nb, total = 0;
	struct tag tag;

	memset(sent, 0, sizeof(sent));
	memset(got, 0, sizeof(got));
	for (c = 0; c < nb_consumers; c++) {
		TEST_CALL(test_slots_new(&to[c], fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, places,
				SLOT_BYTES));
		TEST_CALL(test_fp_consumer(fp, to[c].mem, places, sizeof(tag), &consumers[c]));
		TEST_EXPECT(test_post_slots(consumers[c], &to[c], 0, places, 0), places);
	}
	for (p = 0; p < nb_producers; p++) {
		TEST_CALL(test_slots_new(&from[p], fp->tx.dev, 0, places, SLOT_BYTES));
		TEST_CALL(test_fp_producer(fp, places, &producers[p]));
	}
	for (i = 0; i < rounds; i++) {
		p = test_rand() % nb_producers;
		c = test_rand() % nb_consumers;
		nb = test_rand() % places;
		for (j = 0; j < nb; j++) {
			tag = (struct tag) { (uint16_t)p, (uint16_t)c, sent[p][c] };
			if (tag_send(producers[p]->ctx, consumers[c]->id, &from[p], &tag) == 0)
				break;
			sent[p][c]++;
			/* the source is used again, so each has to end first */
			TEST_EXPECT(test_poll(producers[p], cpls, 1), 1);
			TEST_EXPECT(cpls[0].cookie, tag.seq);
		}
		c = test_rand() % nb_consumers;
		nb = rte_comch_queue_poll_burst(consumers[c]->ctx, cpls,
				(uint16_t)(1 + test_rand() % places));
		for (j = 0; j < nb; j++, total++) {
			TEST_TRUE(tag_check(&cpls[j], &to[c], &tag));
			TEST_TRUE(tag.from < nb_producers);
			TEST_EXPECT(tag.to, c);
			TEST_EXPECT(tag.seq, got[tag.from][c]++);
			TEST_EXPECT(cpls[j].producer_id, producers[tag.from]->id);
			test_slot_clear(&to[c], (uint32_t)cpls[j].cookie);
			TEST_EXPECT(test_post_slots_nowait(consumers[c], &to[c],
					(uint32_t)cpls[j].cookie, 1, 0), 1);
		}
	}
	for (c = 0; c < nb_consumers; c++) {
		total += test_drain(consumers[c]);
		for (p = 0; p < nb_producers; p++)
			total -= sent[p][c];
	}
	TEST_EXPECT(total, 0);
	return TEST_SUCCESS;
}

static int
test_several(struct test_fp *fp)
{
	/* a modelled device takes far longer for each */
	const uint32_t part = test_place_is_bluefield() ? 10 : 1;

	TEST_CALL(all_to_all(fp, SOME, 1, 3000 / part));
	TEST_CALL(all_to_all(fp, 1, SOME, 3000 / part));
	return all_to_all(fp, SOME, SOME, 10000 / part);
}

#define WORKERS 4
/* A modelled device takes far longer for each. */
#define WORKER_MSGS (test_place_is_bluefield() ? 2000u : TEST_ASAN ? 10000u : 50000u)
#define WORKER_PLACES 64u
#define WORKER_MS 30000

/* A producer or a consumer in a thread and on an engine of its own. */
struct worker {
	pthread_t thread;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct test_slots slots;
	uint32_t number;      /* of the producer */
	unsigned int cpu;     /* a number, for test_thread_spread() */
	uint32_t to;          /* identifier of the consumer, for a producer */
	uint32_t want;        /* messages */
	uint32_t done;
	uint32_t next[WORKERS]; /* of each producer, for a consumer */
	const char *error;
	bool over;
};

static bool
worker_starved(uint64_t end)
{
	if (test_now_ns() > end)
		return true;
	sched_yield();
	return false;
}

/* Stop and destroy, in the thread that used it. */
static void
worker_close(struct worker *w, uint64_t end)
{
	struct rte_comch_cpl cpls[MAX_BURST];

	rte_comch_ctx_stop(w->ctx);
	while (rte_comch_ctx_state_get(w->ctx) != RTE_COMCH_STATE_IDLE) {
		if (test_ctx_info(w->ctx).type == RTE_COMCH_CTX_CONSUMER)
			rte_comch_queue_poll_burst(w->ctx, cpls, RTE_DIM(cpls));
		if (rte_comch_pe_progress(w->pe) == 0 && worker_starved(end)) {
			w->error = "it does not stop";
			break;
		}
	}
	if (w->error == NULL && rte_comch_ctx_destroy(w->ctx) != 0)
		w->error = "it cannot be destroyed";
	__atomic_store_n(&w->over, true, __ATOMIC_RELEASE);
}

static void *
worker_send(void *arg)
{
	struct worker *w = arg;
	uint64_t end = test_now_ns() + (uint64_t)WORKER_MS * 1000000;
	struct rte_comch_cpl cpls[MAX_BURST];
	uint32_t sent = 0, turns = 0, i, nb;

	test_thread_spread(w->cpu);
	if (rte_comch_ctx_attach(w->ctx, w->pe) != 0 || rte_comch_ctx_start(w->ctx) != 0)
		w->error = "it does not start";
	while (w->done < w->want && w->error == NULL) {
		struct tag tag = { (uint16_t)w->number, 0, sent };

		/* the source of a message is free when the one a ring before it has ended */
		if (sent < w->want && sent - w->done < w->slots.nb &&
				tag_send(w->ctx, w->to, &w->slots, &tag) == 1)
			sent++;
		else if (worker_starved(end))
			w->error = "it cannot send";
		nb = rte_comch_queue_poll_burst(w->ctx, cpls, RTE_DIM(cpls));
		for (i = 0; i < nb; i++, w->done++)
			if (cpls[i].cookie != w->done || cpls[i].status != 0)
				w->error = "its completions are not in order";
		if (++turns % 64 == 0)
			rte_comch_pe_progress(w->pe);
	}
	worker_close(w, end);
	return NULL;
}

static const char *
worker_got(struct worker *w, const struct rte_comch_cpl *cpl)
{
	uint32_t slot = (uint32_t)cpl->cookie;
	struct rte_comch_post post;
	struct tag tag;

	if (!tag_check(cpl, &w->slots, &tag))
		return "a message is not what was sent";
	if (tag.from >= WORKERS || tag.seq != w->next[tag.from]++)
		return "a message is out of order";
	test_slot_clear(&w->slots, slot);
	post = (struct rte_comch_post) {
		.addr = test_slot(&w->slots, slot), .len = w->slots.len, .cookie = slot,
	};
	return rte_comch_consumer_post_burst(w->ctx, &post, 1) == 1 ? NULL : "no room to post";
}

static void *
worker_recv(void *arg)
{
	struct worker *w = arg;
	uint64_t end = test_now_ns() + (uint64_t)WORKER_MS * 1000000;
	struct rte_comch_cpl cpls[MAX_BURST];
	struct test_q q = { .ctx = w->ctx };
	uint32_t i, nb;

	test_thread_spread(w->cpu);
	if (rte_comch_ctx_attach(w->ctx, w->pe) != 0 ||
			rte_comch_ctx_start(w->ctx) != -EINPROGRESS)
		w->error = "it does not start";
	while (rte_comch_ctx_state_get(w->ctx) == RTE_COMCH_STATE_STARTING && w->error == NULL)
		if (rte_comch_pe_progress(w->pe) == 0 && worker_starved(end))
			w->error = "it stays in STARTING";
	if (w->error == NULL &&
			test_post_slots_nowait(&q, &w->slots, 0, w->slots.nb, 0) != w->slots.nb)
		w->error = "it cannot post";
	while (w->done < w->want && w->error == NULL) {
		nb = rte_comch_queue_poll_burst(w->ctx, cpls, RTE_DIM(cpls));
		for (i = 0; i < nb && w->error == NULL; i++, w->done++)
			w->error = worker_got(w, &cpls[i]);
		if (nb == 0 && rte_comch_pe_progress(w->pe) == 0 && worker_starved(end))
			w->error = "nothing comes";
	}
	worker_close(w, end);
	return NULL;
}

/* Turn the engines of the connection until all are done. */
static int
workers_wait(struct worker *workers, unsigned int nb)
{
	const char *error = NULL;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		while (!__atomic_load_n(&workers[i].over, __ATOMIC_ACQUIRE))
			if (test_progress() == 0)
				sched_yield();
		pthread_join(workers[i].thread, NULL);
		if (workers[i].error != NULL) {
			error = workers[i].error;
			test_fail("thread %u: %s, after %u of %u messages", i, error,
					workers[i].done, workers[i].want);
		}
		rte_comch_pe_destroy(workers[i].pe);
	}
	return error == NULL ? TEST_SUCCESS : TEST_FAILED;
}

static int
worker_new(struct worker *w, const struct test_fp_end *end, bool consumer, uint32_t number)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 64 };
	struct rte_comch_consumer_conf consumer_conf = {
		.nb_posts = WORKER_PLACES,
		.imm_len = sizeof(struct tag),
	};
	const struct rte_comch_producer_conf producer_conf = { .nb_sends = WORKER_PLACES };

	memset(w, 0, sizeof(*w));
	w->number = number;
	w->cpu = consumer; /* the two of a pair run at one time */
	w->want = WORKER_MSGS;
	TEST_EXPECT(rte_comch_pe_create(&pe_conf, &w->pe), 0);
	TEST_CALL(test_slots_new(&w->slots, end->dev, consumer ? RTE_COMCH_MEM_F_PEER_WRITE : 0,
			WORKER_PLACES, SLOT_BYTES));
	if (consumer) {
		consumer_conf.mem = w->slots.mem;
		consumer_conf.buf_size = SLOT_BYTES;
		TEST_EXPECT(rte_comch_consumer_create(end->ep->conn, &consumer_conf, &w->ctx), 0);
	} else {
		TEST_EXPECT(rte_comch_producer_create(end->ep->conn, &producer_conf, &w->ctx), 0);
	}
	return TEST_SUCCESS;
}

/* Producers in threads, all to one consumer in another. */
static int
test_threads_to_one(struct test_fp *fp)
{
	struct worker workers[WORKERS + 1];
	unsigned int i;

	TEST_CALL(worker_new(&workers[WORKERS], &fp->rx, true, 0));
	workers[WORKERS].want *= WORKERS;
	for (i = 0; i < WORKERS; i++) {
		TEST_CALL(worker_new(&workers[i], &fp->tx, false, i));
		workers[i].to = test_queue_id(workers[WORKERS].ctx);
		workers[i].cpu = i; /* they claim at one time */
	}
	for (i = 0; i <= WORKERS; i++)
		TEST_EXPECT(pthread_create(&workers[i].thread, NULL,
				i < WORKERS ? worker_send : worker_recv, &workers[i]), 0);
	TEST_CALL(workers_wait(workers, WORKERS + 1));
	for (i = 0; i < WORKERS; i++)
		TEST_EXPECT(workers[WORKERS].next[i], WORKER_MSGS);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: many producers and consumers",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_several),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_threads_to_one),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_many_autotest, test_pairs_run, &suite)
