/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The limit of message queues. A message is written into the next slot of 64 bytes, its
 * reader loads from it, and an index each way is published once for a batch; that is all
 * that the two say to each other. Each other end has a thread and a queue each way.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "limit_private.h"
#include "limit_slots.h"

/* One way between the caller and one other end. */
struct slots_way {
	uint64_t head __rte_aligned(LIMIT_APART);
	uint64_t tail __rte_aligned(LIMIT_APART);
	/* Of the writer only. */
	uint64_t prod __rte_aligned(LIMIT_APART);
	uint64_t prod_tail;
	/* Of the reader only. */
	uint64_t cons __rte_aligned(LIMIT_APART);
	uint64_t cons_head;
	uint8_t *ring __rte_aligned(LIMIT_APART);
};

struct slots_end {
	struct slots_way way[2];      /* to the other end, and from it */
	struct slots_all *all;
	rte_thread_t thread;
	bool runs;
};

struct slots_all {
	const struct limit_slots *spec;
	struct limit_shared *sh;
	struct slots_end *ends;
	uint64_t quit __rte_aligned(LIMIT_APART);
};

static inline uint32_t
way_write(struct slots_way *w, const struct limit_slots *spec, const uint8_t *from)
{
	uint32_t n;

	if (w->prod - w->prod_tail > spec->slots - spec->batch) {
		w->prod_tail = __atomic_load_n(&w->tail, __ATOMIC_ACQUIRE);
		if (w->prod - w->prod_tail > spec->slots - spec->batch)
			return 0;
	}
	for (n = 0; n < spec->batch; n++)
		memcpy(w->ring + (w->prod++ & (spec->slots - 1)) * LIMIT_SLOT_SIZE, from,
				spec->size);
	__atomic_store_n(&w->head, w->prod, __ATOMIC_RELEASE);
	return n;
}

static inline uint32_t
way_read(struct slots_way *w, const struct limit_slots *spec)
{
	uint32_t n;

	if (w->cons == w->cons_head) {
		w->cons_head = __atomic_load_n(&w->head, __ATOMIC_ACQUIRE);
		if (w->cons == w->cons_head)
			return 0;
	}
	for (n = 0; n < spec->batch && w->cons != w->cons_head; n++)
		limit_touch(w->ring + (w->cons++ & (spec->slots - 1)) * LIMIT_SLOT_SIZE,
				spec->size);
	__atomic_store_n(&w->tail, w->cons, __ATOMIC_RELEASE);
	return n;
}

static uint32_t
end_main(void *arg)
{
	const uint8_t from[LIMIT_SLOT_SIZE] = { 0x5a };
	struct slots_end *end = arg;
	const struct slots_all *all = end->all;
	const struct limit_slots *spec = all->spec;
	uint64_t spins = 0;

	do {
		if (spec->to)
			way_read(&end->way[0], spec);
		if (spec->from)
			way_write(&end->way[1], spec, from);
	} while (likely((++spins & LIMIT_CLOCK_MASK) != 0) ||
			(!limit_quit_seen(all->sh) &&
			__atomic_load_n(&all->quit, __ATOMIC_ACQUIRE) == 0));
	return 0;
}

/* The first other end is the helper. */
static uint32_t
slots_helper(void *arg)
{
	struct limit_shared *sh = arg;
	struct slots_all *all = sh->arg;

	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	return end_main(&all->ends[0]);
}

static int
ends_start(struct slots_all *all)
{
	rte_thread_attr_t attr;
	rte_cpuset_t set;
	uint32_t i;
	int ret = 0;

	for (i = 1; i < all->spec->nb && ret == 0; i++) {
		ret = rte_thread_attr_init(&attr);
		if (ret == 0 && all->spec->cpus[i] >= 0) {
			CPU_ZERO(&set);
			CPU_SET(all->spec->cpus[i], &set);
			ret = rte_thread_attr_set_affinity(&attr, &set);
		}
		if (ret == 0)
			ret = rte_thread_create(&all->ends[i].thread, &attr, end_main,
					&all->ends[i]);
		all->ends[i].runs = ret == 0;
	}
	return ret < 0 ? ret : -ret;
}

static void
ends_join(struct slots_all *all)
{
	uint32_t i;

	__atomic_store_n(&all->quit, 1, __ATOMIC_RELEASE);
	for (i = 1; i < all->spec->nb; i++) {
		if (all->ends[i].runs)
			rte_thread_join(all->ends[i].thread, NULL);
		all->ends[i].runs = false;
	}
	all->quit = 0;
}

static int
slots_measure(struct limit_shared *sh, double seconds, void *out)
{
	const uint8_t from[LIMIT_SLOT_SIZE] = { 0x5a };
	struct slots_all *all = sh->arg;
	const struct limit_slots *spec = all->spec;
	uint64_t end, now, spins = 0, nb = 0;
	struct slices slices;
	uint32_t i;
	int ret = ends_start(all);

	end = limit_clock_after(seconds);
	slices_begin(&slices, seconds, 0);
	while (ret == 0) {
		for (i = 0; i < spec->nb; i++) {
			if (spec->to)
				nb += way_write(&all->ends[i].way[0], spec, from);
			if (spec->from)
				nb += way_read(&all->ends[i].way[1], spec);
		}
		if ((++spins & LIMIT_CLOCK_MASK) != 0)
			continue;
		now = rte_rdtsc();
		slices_look(&slices, now, nb);
		if (now >= end)
			break;
	}
	ends_join(all);
	return ret == 0 ? limit_rate_end(&slices, out) : ret;
}

static void
slots_free(struct slots_all *all)
{
	uint32_t i;

	for (i = 0; all->ends != NULL && i < all->spec->nb; i++) {
		free(all->ends[i].way[0].ring);
		free(all->ends[i].way[1].ring);
	}
	free(all->ends);
	if (all->sh != NULL)
		limit_shared_free(all->sh);
}

static int
slots_alloc(struct slots_all *all)
{
	const struct limit_slots *spec = all->spec;
	uint32_t i, w;

	all->sh = limit_shared_alloc();
	all->ends = aligned_alloc(LIMIT_APART, spec->nb * sizeof(*all->ends));
	if (all->sh == NULL || all->ends == NULL)
		return -ENOMEM;
	memset(all->ends, 0, spec->nb * sizeof(*all->ends));
	all->sh->arg = all;
	for (i = 0; i < spec->nb; i++) {
		all->ends[i].all = all;
		for (w = 0; w < RTE_DIM(all->ends[i].way); w++) {
			size_t len = (size_t)spec->slots * LIMIT_SLOT_SIZE;

			all->ends[i].way[w].ring = aligned_alloc(LIMIT_APART,
					RTE_ALIGN_CEIL(len, LIMIT_APART));
			if (all->ends[i].way[w].ring == NULL)
				return -ENOMEM;
			memset(all->ends[i].way[w].ring, 0, len);
		}
	}
	return 0;
}

int
limit_slots(const struct limit_place *place, const struct limit_slots *spec, double seconds,
		double *rate)
{
	struct limit_slots own = *spec;
	struct slots_all all = { .spec = &own };
	int ret;

	own.slots = rte_align32pow2(RTE_MAX(own.slots, 2u));
	own.batch = RTE_MIN(own.batch, own.slots / 2);
	ret = slots_alloc(&all);
	if (ret == 0) {
		all.sh->rate = true;
		/* A try that others have disturbed leaves its indices: they go on from there. */
		ret = limit_with_helper(place, all.sh, seconds, slots_helper, slots_measure, rate);
	}
	slots_free(&all);
	return ret;
}
