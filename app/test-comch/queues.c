/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The list, under a lock that no thread takes while it moves messages. Counters can be
 * read by all; for credits a thread is asked, and answers between two bursts.
 */

#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_lcore.h>

#include "queues.h"

/* Of a queue that is not running. */
#define NO_CREDITS UINT32_MAX
/* Milliseconds for all answers; one that sleeps looks up every ten. */
#define PATIENCE_MS 50

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TAILQ_HEAD(, queue_view) views = TAILQ_HEAD_INITIALIZER(views);
/* Of those that are gone, without what was counted before the last queues_clear(). */
static struct queues_count gone[RTE_COMCH_MAX_DEVS];
static uint32_t question;

static bool
view_is_consumer(const struct queue_view *v, int16_t *dev_id)
{
	struct rte_comch_ctx_info info = { 0 };

	/* Its type and device never change. */
	rte_comch_ctx_info_get(v->ctx, &info);
	*dev_id = info.dev_id;
	return info.type == RTE_COMCH_CTX_CONSUMER;
}

/* Add what a queue has done, or take it away. */
static void
view_count(const struct queue_view *v, struct queues_count counts[RTE_COMCH_MAX_DEVS], bool add)
{
	struct rte_comch_queue_stats stats;
	struct queues_count *c;
	uint64_t *msgs, *bytes;
	int16_t dev_id;
	bool rx = view_is_consumer(v, &dev_id);

	if (rte_comch_queue_stats_get(v->ctx, &stats) != 0)
		return;
	c = &counts[dev_id];
	msgs = rx ? &c->rx_msgs : &c->tx_msgs;
	bytes = rx ? &c->rx_bytes : &c->tx_bytes;
	*msgs += add ? stats.msgs : -stats.msgs;
	*bytes += add ? stats.bytes : -stats.bytes;
}

void
queue_view_add(struct queue_view *v)
{
	v->last = rte_rdtsc();
	pthread_mutex_lock(&lock);
	TAILQ_INSERT_TAIL(&views, v, next);
	pthread_mutex_unlock(&lock);
}

void
queue_view_remove(struct queue_view *v)
{
	if (v->ctx == NULL)
		return;
	pthread_mutex_lock(&lock);
	view_count(v, gone, true);
	TAILQ_REMOVE(&views, v, next);
	pthread_mutex_unlock(&lock);
	v->ctx = NULL;
}

uint32_t
queues_question(void)
{
	/* Relaxed: nothing comes with it but the wish to know. */
	return __atomic_load_n(&question, __ATOMIC_RELAXED);
}

void
queue_view_answer(struct queue_view *v, uint32_t nr)
{
	struct rte_comch_room room;
	uint32_t sum = NO_CREDITS, i = 0;

	do {
		if (v->targets != NULL && i >= *v->nb_targets)
			break;
		if (rte_comch_queue_room_get(v->ctx, v->targets != NULL ? v->targets[i] : 0,
				&room) == 0)
			sum = (i == 0 ? 0 : sum) + room.credits;
		i++;
	} while (v->targets != NULL);
	__atomic_store_n(&v->credits, sum, __ATOMIC_RELAXED);
	/* Pairs with the acquires below: the credits are those of this question. */
	__atomic_store_n(&v->answer, nr, __ATOMIC_RELEASE);
}

static bool
all_answered(uint32_t nr)
{
	struct queue_view *v;
	bool all = true;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(v, &views, next) {
		if (v->lcore == rte_lcore_id() && v->answer != nr)
			queue_view_answer(v, nr);
		/* Pairs with the release in queue_view_answer(). */
		all = all && __atomic_load_n(&v->answer, __ATOMIC_ACQUIRE) == nr;
	}
	pthread_mutex_unlock(&lock);
	return all;
}

static void
view_print(struct queue_view *v, uint32_t nr, int16_t dev_id, FILE *f)
{
	struct rte_comch_queue_stats stats;
	struct rte_comch_ctx_info info = { 0 };
	uint64_t now = rte_rdtsc();
	char credits[16] = "-";
	uint32_t told = NO_CREDITS;

	rte_comch_ctx_info_get(v->ctx, &info);
	if (info.dev_id != dev_id || rte_comch_queue_stats_get(v->ctx, &stats) != 0)
		return;
	/* Pairs with the release in queue_view_answer(). */
	if (__atomic_load_n(&v->answer, __ATOMIC_ACQUIRE) == nr)
		told = __atomic_load_n(&v->credits, __ATOMIC_RELAXED);
	if (told != NO_CREDITS)
		snprintf(credits, sizeof(credits), "%u", told);
	fprintf(f, "%-8s %3u %-15s %7s %11" PRIu64 " %14" PRIu64 " %6" PRIu64 " %8.1f\n",
			info.type == RTE_COMCH_CTX_CONSUMER ? "consumer" : "producer",
			info.queue_id, v->peer, credits, stats.msgs, stats.bytes, stats.errors,
			(double)(stats.msgs - v->last_msgs) * (double)rte_get_tsc_hz() /
			(double)(now - v->last) / 1e3);
	v->last = now;
	v->last_msgs = stats.msgs;
}

void
queues_print(int16_t dev_id, FILE *f)
{
	uint32_t nr = __atomic_add_fetch(&question, 1, __ATOMIC_RELAXED);
	struct queue_view *v;
	unsigned int i;

	for (i = 0; i < PATIENCE_MS && !all_answered(nr); i++)
		usleep(1000);
	fprintf(f, "%-8s %3s %-15s %7s %11s %14s %6s %8s\n%36s %43s\n", "type", "id", "peer",
			"credits", "messages", "bytes", "errors", "k/s", "/posted", "since last");
	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(v, &views, next)
		view_print(v, nr, dev_id, f);
	pthread_mutex_unlock(&lock);
}

void
queues_count_get(int16_t dev_id, struct queues_count *count)
{
	struct queues_count counts[RTE_COMCH_MAX_DEVS];
	struct queue_view *v;

	pthread_mutex_lock(&lock);
	memcpy(counts, gone, sizeof(counts));
	TAILQ_FOREACH(v, &views, next)
		view_count(v, counts, true);
	pthread_mutex_unlock(&lock);
	*count = counts[dev_id];
}

void
queues_clear(void)
{
	struct queue_view *v;

	pthread_mutex_lock(&lock);
	memset(gone, 0, sizeof(gone));
	TAILQ_FOREACH(v, &views, next)
		view_count(v, gone, false);
	pthread_mutex_unlock(&lock);
}
