/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_MSGQ_ORDER_CASE_H
#define TEST_MSGQ_ORDER_CASE_H

/*
 * What test_shm_msgq_order.c runs: cases and mutants, the memory of both ends as it is at
 * the begin, and what the driver calls, where mutants act. Programs are in that file, what
 * is replaced of the driver is in test_msgq_order.h.
 */

#include "test_msgq_order.h"

/* Bytes of a message. The last 8 are a place; of the second of a batch, it is a word. */
#define LEN 32
#define UNIT(imm) ((imm) + LEN - 8)
#define MAX_MSGS 8
/* Messages of the second producer are numbered from here on. */
#define SECOND 4
#define EVENT_ENGINE 0
#define POISON UINT64_C(0x7777)
#define HOST_MSGQ ((struct shm_msgq_host *)(void *)order_host.msgq)
#define HOST_COMP ((struct shm_msgq_comp *)(void *)order_host.comp)

/* What is broken on purpose. */
enum mutant {
	GOOD,
	WORD_SET_RELAXED,
	WORD_GET_RELAXED,
	TAIL_SET_RELAXED,
	TAIL_GET_RELAXED,
	SMALL_RING,
	NO_LOOK_AT_ALIASES,
	BATCH_BEYOND_RING,
	NO_FENCE,
	FENCE_OF_ONE,
	NO_LOOK,
	WANT_LATE,
	LIGHT_FENCE_NOT_WHOLE,
	NO_SETTLE,
	CLAIM_ALONE,
	HEAD_GET_RELAXED,
	LEAVE_RELAXED,
};

/* What is run. */
struct msgq_case {
	const char *name;
	uint32_t nb_msgs;
	uint32_t burst;
	uint32_t credits;
	uint32_t depth;      /* elements that the program may hold */
	uint32_t first;      /* position */
	bool to_dpa;
	bool engine_sleeps;  /* if it has no credit */
	bool parks;          /* the unit, after each message */
	bool holds;          /* elements, behind their acknowledgement */
	bool alias;          /* a message looks like a word */
	bool withdraws;      /* somebody takes memory away */
	bool whole;          /* there is no membarrier() */
	bool shared;         /* there is another producer, of one message */
};

/* What a program keeps between its steps, beside what its end has. */
struct side {
	uint32_t nb;
	uint32_t step;
	uint64_t held[2];    /* where messages are that were not read */
	uint32_t nb_held;
	uint32_t parked;
	uint32_t id;         /* of a producer, from 0 */
	uint32_t from[2];    /* messages of each producer */
	uint8_t own[96];
};

/* Memory of one program. */
struct span {
	void *p;
	size_t len;
};

static union {
	struct shm_msgq_tx tx;
	uint8_t bytes[sizeof(struct shm_msgq_tx) + MAX_MSGS * sizeof(uint64_t)];
} tx, tx2;
static union {
	struct shm_msgq_rx rx;
	uint8_t bytes[sizeof(struct shm_msgq_rx) + ORDER_MAX_ENTRIES * sizeof(uint64_t)];
} rx;
static struct shm_msgq_target target;
static struct shm_msgq mq;
static struct shm_dpa dpa;
static struct shm_group group;
static struct rte_comch_msgq api;
static struct rte_comch_queue queue;
static struct rte_comch_dpa_queue dpa_queue;
static struct rte_comch_dpa_completion completion;
static struct shm_msgq_completion comp;
static uint64_t done; /* a program has ended */

static const struct msgq_case *mc;
static enum mutant mutant;
static uint32_t ring;
static uint32_t taken; /* message that at_take() is at */

static const struct span tx_spans[] = {
	{ &target.head, 3 * sizeof(uint32_t) },
	{ &tx.tx.tail, 2 * sizeof(uint32_t) },
	{ &tx.tx.starved, sizeof(tx.tx.starved) },
	{ &group.sleeps, sizeof(group.sleeps) },
};
static const struct span cons_spans[] = {
	{ &order_prog.cons.head, 40 },
	{ &order_prog.comp.armed, sizeof(uint32_t) },
	{ &order_prog.comp.nb_armed, 4 * sizeof(uint32_t) },
};
static const struct span prod_spans[] = {
	{ &order_prog.hdr.eus[0].batch_prod, offsetof(struct shm_dpa_prog_eu, pad2) -
		offsetof(struct shm_dpa_prog_eu, batch_prod) },
	{ &order_prog.sink.head, 3 * sizeof(uint32_t) },
};
static const struct span rx_spans[] = {
	{ &rx.rx.post_pos, offsetof(struct shm_msgq_rx, reason) -
		offsetof(struct shm_msgq_rx, post_pos) },
	{ &rx.rx.here, sizeof(bool) },
};

static void
own_get(const struct side *s, const struct span *spans, uint32_t nb)
{
	const uint8_t *own = s->own;
	uint32_t i;

	for (i = 0; i < nb; own += spans[i++].len)
		memcpy(spans[i].p, own, spans[i].len);
}

static void
own_put(struct side *s, const struct span *spans, uint32_t nb)
{
	uint8_t *own = s->own;
	uint32_t i;

	for (i = 0; i < nb; own += spans[i++].len)
		memcpy(own, spans[i].p, spans[i].len);
}

/*
 * What the driver calls
 */

static bool
is_entry(const void *p)
{
	const uintptr_t to = (uintptr_t)p - (uintptr_t)order_host.entries,
		from = (uintptr_t)p - (uintptr_t)order_prog.entries;

	return to < sizeof(order_host.entries) || from < sizeof(order_prog.entries);
}

static bool
is_tail(const void *p)
{
	return p == &order_prog.cons.tail || p == &order_host.sink.tail;
}

static bool
is_busy(const void *p)
{
	return p == &order_prog.hdr.eus[0].looks || p == &tx.tx.busy;
}

static int
order_of_load(const void *p, int order)
{
	if ((mutant == WORD_GET_RELAXED && is_entry(p)) ||
			(mutant == TAIL_GET_RELAXED && is_tail(p)) ||
			(mutant == HEAD_GET_RELAXED && p == &target.head))
		return __ATOMIC_RELAXED;
	return order;
}

static int
order_of_store(const void *p, int order)
{
	if ((mutant == WORD_SET_RELAXED && is_entry(p)) ||
			(mutant == TAIL_SET_RELAXED && is_tail(p)) ||
			(mutant == LEAVE_RELAXED && is_busy(p)))
		return __ATOMIC_RELAXED;
	return order;
}

/* In brackets: that of the header, which macros stand for. */
static bool
batch_aliases(const struct shm_entry *entries, uint32_t at, uint32_t mask, uint32_t n,
		uint32_t step)
{
	return mutant != NO_LOOK_AT_ALIASES &&
		(shm_entry_batch_aliases)(entries, at, mask, n, step);
}

static uint32_t
batch_room(uint32_t pos, uint32_t mask)
{
	return mutant != BATCH_BEYOND_RING ? (shm_entry_batch_room)(pos, mask) : mc->burst;
}

static void
light_fence(bool whole)
{
	if (whole && mutant != LIGHT_FENCE_NOT_WHOLE)
		order_fence();
}

static void
heavy_fence(void)
{
	if (mutant == NO_FENCE)
		return;
	if (mc->whole || mutant == FENCE_OF_ONE)
		order_fence();
	else
		order_fence_all();
}

void
shm_dpa_wake_asked(struct shm_dpa *unused __rte_unused, uint32_t eu)
{
	order_add(&order_host.hdr.eus[eu].wake, 1, __ATOMIC_RELEASE);
}

void
shm_dpa_group_arm(struct shm_dpa *unused __rte_unused, uint32_t index, uint32_t armed)
{
	__atomic_store_n(&order_host.hdr.groups[index].armed, armed, __ATOMIC_RELAXED);
}

void
shm_dpa_group_drain(struct shm_dpa *unused __rte_unused, uint32_t index __rte_unused,
		uint64_t nb __rte_unused)
{
	order_drain(EVENT_ENGINE);
}

bool
shm_dpa_is_down(const struct shm_dpa *unused __rte_unused)
{
	return false;
}

void
shm_dpa_violation(struct shm_dpa *unused __rte_unused, uint32_t eu __rte_unused,
		const char *what __rte_unused, uint64_t a __rte_unused, uint64_t b __rte_unused)
{
	order_fail("one end takes the other for broken");
}

void
shm_dpa_spins(struct shm_dpa *unused __rte_unused, uint32_t eu __rte_unused,
		const char *what __rte_unused)
{
	order_fail("one end takes the other for dead");
}

void
shm_dpa_places_free(struct shm_dpa *unused __rte_unused, struct shm_dpa_place *host __rte_unused,
		struct shm_dpa_place *prog __rte_unused)
{
}

void
comch_dpa_rt_group_wake(uint32_t index __rte_unused)
{
	order_wake(EVENT_ENGINE);
}

void
comch_dpa_rt_finish(void)
{
}

void
comch_dpa_rt_log(const char *text __rte_unused, uint32_t len __rte_unused)
{
}

/*
 * At the begin
 */

/* Both ends have a consumer and a producer; which of them is used, a case says. */
static void
host_setup(void)
{
	memset(&order_host, 0, sizeof(order_host));
	order_host.hdr.nb_eus = 1;
	order_host.hdr.eus[0].completions = (uintptr_t)&order_host.comps;
	order_host.comps.comps[0] = (uintptr_t)HOST_COMP;
	*HOST_COMP = (struct shm_msgq_comp){ .magic = SHM_MSGQ_MAGIC_COMP,
		.type = SHM_MSGQ_COMP_CONSUMER, .depth = mc->depth, .max_queues = 1,
		.state = (uintptr_t)&order_prog.comp };
	HOST_COMP->queues[0] = (uintptr_t)&order_host.cons;
	*HOST_MSGQ = (struct shm_msgq_host){ .max_consumers = 1, .max_producers = 1,
		.last_producer = 2 };
	HOST_MSGQ->sinks[0] = (uintptr_t)&order_host.sink;
	order_host.cons = (struct shm_msgq_cons){ .magic = SHM_MSGQ_MAGIC_CONS, .id = 1,
		.size = mc->credits, .mask = ring - 1, .imm_len = LEN,
		.entries = (uintptr_t)order_host.entries, .state = (uintptr_t)&order_prog.cons,
		.msgq = (uintptr_t)HOST_MSGQ };
	order_host.prod = (struct shm_msgq_prod){ .magic = SHM_MSGQ_MAGIC_PROD, .id = 1,
		.size = MAX_MSGS, .msgq = (uintptr_t)HOST_MSGQ,
		.state = (uintptr_t)&order_prog.prod, .serial = 1 };
	order_host.sink = (struct shm_msgq_sink){ .magic = SHM_MSGQ_MAGIC_SINK, .id = 1,
		.mask = ring - 1, .imm_len = LEN, .entries = (uintptr_t)order_prog.entries,
		.state = (uintptr_t)&order_prog.sink,
		.armed = (uintptr_t)&order_host.hdr.groups[0].armed, .serial = 2,
		.tail = mc->first + mc->credits };
}

static void
prog_setup(void)
{
	memset(&order_prog, 0, sizeof(order_prog));
	order_prog.hdr.flags = mc->whole ? SHM_DPA_PROG_F_WHOLE : 0;
	order_prog.cons.head = mc->first;
	order_prog.cons.posted = order_prog.cons.tail = mc->first + mc->credits;
	order_prog.sink.head = mc->first;
	order_prog.sink.tail_seen = order_prog.cons.tail;
}

static void
tx_setup_one(struct shm_msgq_tx *one, uint32_t id)
{
	memset(one, 0, sizeof(tx));
	one->mq = &mq;
	one->busy = SHM_MSGQ_NO_SLOT;
	one->id = id;
	one->mask = MAX_MSGS - 1;
	one->fence = mc->whole;
	one->queue = &queue;
	one->group = &group;
}

/* What is private of this side. */
static void
side_setup(void)
{
	dpa.segs.seg[SHM_DPA_HOST].map = (void *)&order_host;
	dpa.segs.seg[SHM_DPA_PROG].map = (void *)&order_prog;
	api = (struct rte_comch_msgq){ .max_consumers = 1, .max_producers = 1, .priv = &mq };
	queue = (struct rte_comch_queue){ .id = 1, .msgq = &api };
	memset(&mq, 0, sizeof(mq));
	mq.dpa = &dpa;
	mq.msgq = &api;
	mq.host = HOST_MSGQ;
	mq.targets[0] = &target;
	mq.producers[0] = &tx.tx;
	memset(&target, 0, sizeof(target));
	target.cons = &order_host.cons;
	target.state = &order_prog.cons;
	target.entries = order_host.entries;
	target.armed = &order_prog.comp.armed;
	target.dpa = &dpa;
	target.id = 1;
	target.mask = ring - 1;
	target.imm_len = LEN;
	target.fence = mc->whole;
	target.head = mc->first;
	target.tail_seen = mc->first + mc->credits;
	target.shared = mc->shared && mutant != CLAIM_ALONE;
	tx_setup_one(&tx.tx, 1);
	tx_setup_one(&tx2.tx, 2);
	memset(&rx, 0, sizeof(rx));
	rx.rx.sink = &order_host.sink;
	rx.rx.entries = order_prog.entries;
	rx.rx.mask = ring - 1;
	rx.rx.size = mc->credits;
	rx.rx.imm_len = LEN;
	rx.rx.poll_pos = mc->first;
	rx.rx.post_pos = mc->first + mc->credits;
	rx.rx.here = true;
	rx.rx.mq = &mq;
	rx.rx.queue = &queue;
	TAILQ_INIT(&group.msgq_rxs);
	TAILQ_INIT(&group.msgq_txs);
	TAILQ_INSERT_TAIL(&group.msgq_txs, &tx.tx, next);
	group.sleeps = 0;
}

/* What belongs to a consumer of the program that is freed. */
static void
dpa_queue_setup(void)
{
	comp.comp = HOST_COMP;
	completion = (struct rte_comch_dpa_completion){ .priv = &comp, .depth = mc->depth };
	dpa_queue = (struct rte_comch_dpa_queue){ .msgq = &api, .completion = &completion,
		.is_consumer = true, .id = 1, .size = mc->credits, .priv = &target };
	target.host.dpa = (uintptr_t)&order_host.cons;
}

static void
places(void)
{
	static const char *const words[ORDER_MAX_ENTRIES] = {
		"entry 0 word", "entry 1 word", "entry 2 word", "entry 3 word",
		"entry 4 word", "entry 5 word", "entry 6 word", "entry 7 word",
	};
	static const char *const units[ORDER_MAX_ENTRIES] = {
		"entry 0 end", "entry 1 end", "entry 2 end", "entry 3 end",
		"entry 4 end", "entry 5 end", "entry 6 end", "entry 7 end",
	};
	struct shm_entry *entries = mc->to_dpa ? order_host.entries : order_prog.entries;
	uint32_t i;

	for (i = 0; i < ring; i++) {
		order_place(&entries[i].word, 0, words[i]);
		order_place(UNIT(entries[i].imm), 0, units[i]);
	}
	if (mc->withdraws) {
		order_place(&done, 0, "done");
		if (mc->to_dpa) {
			order_place(&tx.tx.busy, SHM_MSGQ_NO_SLOT, "busy");
			order_place(&mq.targets[0], (uintptr_t)&target, "entry");
		} else {
			order_place(&order_prog.hdr.eus[0].looks, 0, "looks");
			order_place(&HOST_MSGQ->sinks[0], (uintptr_t)&order_host.sink, "entry");
		}
		return;
	}
	if (mc->to_dpa)
		order_place(&order_prog.cons.tail, mc->first + mc->credits, "tail");
	else
		order_place(&order_host.sink.tail, mc->first + mc->credits, "tail");
	if (mc->shared) {
		order_place(&target.head, mc->first, "head");
		order_place(&target.tail_seen, mc->first + mc->credits, "tail, as seen");
	}
	if (mc->engine_sleeps) {
		order_place(&order_host.cons.want, 0, "want");
		order_place(&order_host.hdr.groups[0].armed, 0, "armed of the engine");
	}
	if (mc->parks) {
		order_place(&order_prog.comp.armed, 0, "armed of the unit");
		order_place(&order_host.hdr.eus[0].wake, 0, "wake word");
	}
}

static void
case_setup(void)
{
	dpa_queue_setup();
	/* of this side's consumers, or of those of the program */
	ring = mc->to_dpa && mc->holds ? target_ring(&dpa_queue) : rx_ring(mc->credits);
	if (mutant == SMALL_RING)
		ring /= 2;
	host_setup();
	prog_setup();
	side_setup();
	dpa_queue_setup();
	places();
}

#endif /* TEST_MSGQ_ORDER_CASE_H */
