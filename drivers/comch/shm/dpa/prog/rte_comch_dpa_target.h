/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_DPA_TARGET_H
#define RTE_COMCH_DPA_TARGET_H

/*
 * The device API of the software offload processor: the functions that
 * rte_comch_dpa_dev.h declares, inline, and what the runtime of programs asks about
 * queues. Programs get it by that header. What a unit is made of and how it sleeps is the
 * runtime's, comch_dpa_rt.h; the layout of what is shared is in shm_msgq_wire.h, with the
 * pairs of the memory orders that are named here.
 *
 * Arguments come from the program, descriptors and messages from the host. The program
 * believes the host, for who has the host's memory owns the program.
 */

#include "shm_dpa_wire.h"
#include "shm_msgq_batch.h"
#include "shm_msgq_wire.h"
#include "shm_entry.h"

#include "comch_dpa_rt.h"

/* What of the opaque element is where. */
#define SHM_DPA_ELEM_WORD 0 /* of the entry, with the producer for position; 0 of a send */
#define SHM_DPA_ELEM_IMM 1  /* where it is */
#define SHM_DPA_ELEM_USER 2 /* user data, and the type above it */
#define SHM_DPA_ELEM_TYPE_SHIFT 32

#define SHM_DPA_ERROR(name) (-RTE_COMCH_DPA_DEV_##name)

/* What is rare, and not to be in the way of what is not. */
#define SHM_DPA_COLD __attribute__((noinline, cold, unused)) /* check-ok: freestanding */
/* What is short, in loops over messages. */
#define SHM_DPA_FAST __attribute__((always_inline)) /* check-ok: freestanding */
/* What is long, and comes once for many messages. */
#define SHM_DPA_APART __attribute__((noinline, unused)) /* check-ok: freestanding */

/* The runtime has the table of functions. */
#define RTE_COMCH_DPA_TARGET_THREAD(name) COMCH_DPA_RT_THREAD(name)
#define RTE_COMCH_DPA_TARGET_RPC(name) COMCH_DPA_RT_RPC(name)

/* Either side may have no membarrier(). */
static inline bool
shm_dpa_whole(void)
{
	return (SHM_DPA_PROG_SEG->flags & SHM_DPA_PROG_F_WHOLE) != 0;
}

/*
 * Mistakes, and what was looked at
 */

/* Note a mistake of the program, for the host to find. The function's result. */
SHM_DPA_COLD static int
shm_dpa_note(int error, const char *func, uint64_t a, uint64_t b, uint64_t c)
{
	struct shm_dpa_error *e = &SHM_DPA_PROG_SEG->eus[SHM_DPA_SELF()->eu].error;
	uint32_t i;

	e->error = error;
	for (i = 0; i < SHM_DPA_NAME_SIZE - 1 && func[i] != '\0'; i++)
		e->func[i] = func[i];
	e->func[i] = '\0';
	e->args[0] = a;
	e->args[1] = b;
	e->args[2] = c;
	/* release: what was noted comes before the count */
	__atomic_store_n(&e->nb, e->nb + 1, __ATOMIC_RELEASE);
	return error;
}

/*
 * Begin to look at what the host has made; the end is shm_dpa_leave(). The host waits for
 * that before it uses the memory again. One cannot be inside of another.
 */
static inline uint64_t *
shm_dpa_enter(void)
{
	uint64_t *looks = &SHM_DPA_PROG_SEG->eus[SHM_DPA_SELF()->eu].looks;

	__atomic_store_n(looks, __atomic_load_n(looks, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);
	SHM_ENTRY_LIGHT_FENCE(shm_dpa_whole()); /* B */
	return looks;
}

static inline void
shm_dpa_leave(uint64_t *looks)
{
	/* release: what was done to what was found is done; B */
	__atomic_store_n(looks, __atomic_load_n(looks, __ATOMIC_RELAXED) + 1, __ATOMIC_RELEASE);
}

/* A descriptor, if the handle is one of it; under shm_dpa_enter(), as all use of it. */
static inline const void *
shm_dpa_object(uint64_t handle, uint32_t magic)
{
	uint64_t off = handle - (uintptr_t)SHM_DPA_HOST_SEG;
	const uint32_t *object = (const uint32_t *)(uintptr_t)handle;

	if (off < SHM_DPA_HOST_HDR || off > SHM_DPA_HOST_SIZE - SHM_MSGQ_ALIGN ||
			off % SHM_MSGQ_ALIGN != 0 || *object != magic)
		return NULL;
	return object;
}

static inline void *
shm_dpa_state(uint64_t addr)
{
	return (void *)(uintptr_t)addr;
}

/* What waits for a flush, of this unit: see below. */
static inline void shm_dpa_flush(void);

/*
 * Consumers
 */

/* Wake the engines of producers that wait for a credit. */
SHM_DPA_COLD static void
shm_dpa_want(uint32_t want)
{
	uint32_t group;

	for (; want != 0; want &= want - 1) {
		group = (uint32_t)__builtin_ctz(want);
		if (__atomic_load_n(&SHM_DPA_HOST_SEG->groups[group].armed, __ATOMIC_RELAXED) != 0)
			comch_dpa_rt_group_wake(group);
	}
}

static inline int
rte_comch_dpa_dev_consumer_ack(rte_comch_dpa_dev_consumer_t consumer, uint32_t nb)
{
	struct shm_msgq_cons_state *st = NULL;
	const struct shm_msgq_cons *c;
	uint32_t want, left = 0;
	uint64_t *looks;

	shm_dpa_flush();
	looks = shm_dpa_enter();
	c = shm_dpa_object(consumer, SHM_MSGQ_MAGIC_CONS);
	if (c != NULL) {
		st = shm_dpa_state(c->state);
		left = c->size - (st->posted - st->head);
	}
	if (c == NULL || nb > left) {
		shm_dpa_leave(looks);
		return shm_dpa_note(SHM_DPA_ERROR(EINVAL), "consumer_ack", consumer, nb, left);
	}
	st->posted += nb;
	shm_entry_tail_set(&st->tail, st->posted);
	/* W: as armed, with the other side that sleeps */
	want = shm_entry_armed_get(&c->want, shm_dpa_whole());
	if (__builtin_expect(want != 0, 0))
		shm_dpa_want(want);
	shm_dpa_leave(looks);
	return 0;
}

/*
 * Completion contexts
 */

/* A message has the low bits of its producer: the rest is that of the newest one. */
static inline uint32_t
shm_dpa_producer_id(const struct shm_msgq_cons *c, uint64_t word)
{
	const struct shm_msgq_host *msgq = shm_dpa_state(c->msgq);

	return shm_msgq_producer_id(__atomic_load_n(&msgq->last_producer, __ATOMIC_RELAXED),
		shm_entry_producer(word));
}

/* Look for the next batch of messages, which may be one. */
static inline bool
shm_dpa_cons_next(const struct shm_msgq_cons *c, struct shm_msgq_cons_state *st)
{
	const struct shm_entry *entries = shm_dpa_state(c->entries), *entry;
	uint64_t word;

	entry = &entries[(st->head + SHM_ENTRY_START) & c->mask];
	word = shm_entry_get(entry);
	if (!shm_entry_is(word, st->head + SHM_ENTRY_START))
		return false;
	st->batch_left = shm_entry_more(word) + 1;
	st->batch_word = (word & ~(uint64_t)UINT32_MAX) | shm_dpa_producer_id(c, word);
	st->batch_imm = (uintptr_t)entry->imm;
	shm_entry_fetch(entry, st->batch_left, shm_entry_step(shm_entry_len(word)));
	return true;
}

/* The next message of a consumer; false if there is none. */
static inline bool
shm_dpa_cons_get(const struct shm_msgq_cons *c, struct rte_comch_dpa_dev_elem *elem)
{
	struct shm_msgq_cons_state *st = shm_dpa_state(c->state);

	if (st->batch_left == 0 && !shm_dpa_cons_next(c, st))
		return false;
	if (elem != NULL) {
		st->head++;
		st->batch_left--;
		elem->opaque[SHM_DPA_ELEM_WORD] = st->batch_word;
		elem->opaque[SHM_DPA_ELEM_IMM] = st->batch_imm;
		st->batch_imm += shm_entry_step(shm_entry_len(st->batch_word));
		elem->opaque[SHM_DPA_ELEM_USER] = c->user_data |
			(uint64_t)RTE_COMCH_DPA_DEV_ELEM_RECV << SHM_DPA_ELEM_TYPE_SHIFT;
	}
	return true;
}

/* The same of a send that is done. */
static inline bool
shm_dpa_prod_get(const struct shm_msgq_prod *p, struct rte_comch_dpa_dev_elem *elem)
{
	struct shm_msgq_prod_state *st = shm_dpa_state(p->state);

	if (st->polled == st->sent)
		return false;
	if (elem != NULL) {
		st->polled++;
		elem->opaque[SHM_DPA_ELEM_WORD] = 0;
		elem->opaque[SHM_DPA_ELEM_IMM] = 0;
		elem->opaque[SHM_DPA_ELEM_USER] = p->user_data |
			(uint64_t)RTE_COMCH_DPA_DEV_ELEM_SEND << SHM_DPA_ELEM_TYPE_SHIFT;
	}
	return true;
}

/* The next element of any queue, from the one that is due on; NULL only asks. */
static inline bool
shm_dpa_comp_get(const struct shm_msgq_comp *comp, struct rte_comch_dpa_dev_elem *elem)
{
	struct shm_msgq_comp_state *st = shm_dpa_state(comp->state);
	const uint32_t mask = comp->max_queues - 1;
	uint64_t queue;
	uint32_t i, n;

	for (i = 0; i <= mask; i++) {
		n = (st->next + i) & mask;
		/* acquire: what is there is complete; B */
		queue = __atomic_load_n(&comp->queues[n], __ATOMIC_ACQUIRE);
		if (queue == 0)
			continue;
		if (comp->type == SHM_MSGQ_COMP_CONSUMER ?
				shm_dpa_cons_get(shm_dpa_state(queue), elem) :
				shm_dpa_prod_get(shm_dpa_state(queue), elem)) {
			if (elem != NULL)
				st->next = n + 1;
			return true;
		}
	}
	return false;
}

static inline int
rte_comch_dpa_dev_completion_get(rte_comch_dpa_dev_completion_t completion,
		struct rte_comch_dpa_dev_elem *elem)
{
	uint64_t *looks = shm_dpa_enter();
	const struct shm_msgq_comp *comp = shm_dpa_object(completion, SHM_MSGQ_MAGIC_COMP);
	struct shm_msgq_comp_state *st;
	int ret = SHM_DPA_ERROR(ENOBUFS);

	if (comp == NULL || elem == NULL) {
		shm_dpa_leave(looks);
		return shm_dpa_note(SHM_DPA_ERROR(EINVAL), "completion_get", completion,
			(uintptr_t)elem, 0);
	}
	st = shm_dpa_state(comp->state);
	if (st->got - st->acked < comp->depth) {
		ret = shm_dpa_comp_get(comp, elem);
		st->got += (uint32_t)ret;
	}
	shm_dpa_leave(looks);
	return ret;
}

static inline enum rte_comch_dpa_dev_elem_type
rte_comch_dpa_dev_elem_type(const struct rte_comch_dpa_dev_elem *elem)
{
	return (enum rte_comch_dpa_dev_elem_type)(elem->opaque[SHM_DPA_ELEM_USER] >>
		SHM_DPA_ELEM_TYPE_SHIFT);
}

static inline const uint8_t *
rte_comch_dpa_dev_elem_imm(const struct rte_comch_dpa_dev_elem *elem, uint32_t *len)
{
	if (len != NULL)
		*len = shm_entry_len(elem->opaque[SHM_DPA_ELEM_WORD]);
	return (const uint8_t *)(uintptr_t)elem->opaque[SHM_DPA_ELEM_IMM];
}

static inline uint32_t
rte_comch_dpa_dev_elem_producer_id(const struct rte_comch_dpa_dev_elem *elem)
{
	return (uint32_t)elem->opaque[SHM_DPA_ELEM_WORD];
}

static inline uint32_t
rte_comch_dpa_dev_elem_user_data(const struct rte_comch_dpa_dev_elem *elem)
{
	return (uint32_t)elem->opaque[SHM_DPA_ELEM_USER];
}

static inline int
rte_comch_dpa_dev_completion_ack(rte_comch_dpa_dev_completion_t completion, uint64_t nb)
{
	struct shm_msgq_comp_state *st = NULL;
	const struct shm_msgq_comp *comp;
	uint32_t left = 0;
	uint64_t *looks;

	shm_dpa_flush();
	looks = shm_dpa_enter();
	comp = shm_dpa_object(completion, SHM_MSGQ_MAGIC_COMP);
	if (comp != NULL) {
		st = shm_dpa_state(comp->state);
		left = st->got - st->acked;
	}
	if (comp == NULL || nb > left) {
		shm_dpa_leave(looks);
		return shm_dpa_note(SHM_DPA_ERROR(EINVAL), "completion_ack", completion, nb, left);
	}
	st->acked += (uint32_t)nb;
	shm_dpa_leave(looks);
	return 0;
}

/* Ask for a wake-up, by a value that no producer has answered. */
static inline void
shm_dpa_arm(struct shm_msgq_comp_state *st)
{
	st->nb_armed += st->nb_armed == UINT32_MAX ? 2 : 1;
	shm_entry_armed_set(&st->armed, st->nb_armed);
}

static inline int
rte_comch_dpa_dev_completion_request_notification(rte_comch_dpa_dev_completion_t completion)
{
	uint64_t *looks = shm_dpa_enter();
	const struct shm_msgq_comp *comp = shm_dpa_object(completion, SHM_MSGQ_MAGIC_COMP);
	const bool wakes = comp != NULL && comp->unit != SHM_MSGQ_NO_UNIT;

	/* the unit fences and looks once more before it sleeps: shm_dpa_eu_pending() */
	if (wakes)
		shm_dpa_arm(shm_dpa_state(comp->state));
	shm_dpa_leave(looks);
	return wakes ? 0 : shm_dpa_note(SHM_DPA_ERROR(EINVAL), "completion_request_notification",
		completion, comp != NULL, 0);
}

/*
 * Producers
 */

/* What a send works on. */
struct shm_dpa_send {
	const struct shm_msgq_prod *p;
	const struct shm_msgq_sink *sink;
	const uint64_t *entry; /* where the sink was found */
	bool shared; /* with other producers of the program */
	uint32_t pos;
};

/* Find producer and consumer. 0, or why not; under shm_dpa_enter(). */
static inline int
shm_dpa_send_find(struct shm_dpa_send *send, uint64_t producer, uint32_t consumer_id)
{
	const struct shm_msgq_host *msgq;
	uint32_t slot;

	send->p = shm_dpa_object(producer, SHM_MSGQ_MAGIC_PROD);
	if (send->p == NULL)
		return SHM_DPA_ERROR(EINVAL);
	msgq = shm_dpa_state(send->p->msgq);
	slot = consumer_id & (msgq->max_consumers - 1);
	send->shared = msgq->max_producers > 1;
	send->entry = &msgq->sinks[slot];
	/* acquire: what is there is complete; B */
	send->sink = shm_dpa_state(__atomic_load_n(send->entry, __ATOMIC_ACQUIRE));
	if (send->sink == NULL || send->sink->id != consumer_id)
		return SHM_DPA_ERROR(ENOENT);
	return 0;
}

/* Whether a position has a credit; a look at the host's tail if need be. */
static inline bool
shm_dpa_sink_credit(const struct shm_msgq_sink *sink, struct shm_msgq_sink_state *st,
		uint32_t head)
{
	/* acquire: pairs with the release below, of another producer */
	uint32_t tail = __atomic_load_n(&st->tail_seen, __ATOMIC_ACQUIRE);

	/* more than there can be: it is older than head */
	if (tail - head - 1 < sink->mask + 1)
		return true;
	tail = shm_entry_tail_get(&sink->tail);
	__atomic_store_n(&st->tail_seen, tail, __ATOMIC_RELEASE);
	return tail - head - 1 < sink->mask + 1;
}

/* Take a position. -EAGAIN if there is none. */
static inline int
shm_dpa_send_claim(struct shm_dpa_send *send)
{
	struct shm_msgq_sink_state *st = shm_dpa_state(send->sink->state);
	uint32_t head = __atomic_load_n(&st->head, __ATOMIC_RELAXED);

	do {
		if (!shm_dpa_sink_credit(send->sink, st, head))
			return SHM_DPA_ERROR(EAGAIN);
		if (!send->shared) {
			__atomic_store_n(&st->head, head + 1, __ATOMIC_RELAXED);
			break;
		}
	} while (!__atomic_compare_exchange_n(&st->head, &head, head + 1, false,
			__ATOMIC_RELAXED, __ATOMIC_RELAXED));
	send->pos = head + SHM_ENTRY_START;
	return 0;
}

/* What can be known before anything is taken. */
static inline int
shm_dpa_send_check(const struct shm_dpa_send *send, const void *imm, uint32_t len, uint32_t flags)
{
	const struct shm_msgq_prod_state *st = shm_dpa_state(send->p->state);

	if ((flags & ~(RTE_COMCH_DPA_DEV_F_FLUSH | RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS)) != 0 ||
			(imm == NULL && len != 0))
		return SHM_DPA_ERROR(EINVAL);
	if (len > send->sink->imm_len)
		return SHM_DPA_ERROR(EMSGSIZE);
	if ((flags & RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS) == 0 && send->p->comp != 0 &&
			st->sent - st->polled >= send->p->size)
		return SHM_DPA_ERROR(ENOBUFS);
	return 0;
}

SHM_DPA_COLD static void
shm_dpa_sink_wake(const struct shm_msgq_sink *sink, uint32_t armed)
{
	struct shm_msgq_sink_state *st = shm_dpa_state(sink->state);

	/* once for each sleep */
	if (__atomic_exchange_n(&st->woken, armed, __ATOMIC_RELAXED) != armed)
		comch_dpa_rt_group_wake(sink->group);
}

static inline void
shm_dpa_sink_put(const struct shm_msgq_sink *sink, const struct shm_msgq_batch *batch)
{
	uint32_t armed;

	shm_msgq_batch_publish(batch);
	armed = shm_entry_armed_get(shm_dpa_state(sink->armed), shm_dpa_whole()); /* A */
	if (__builtin_expect(armed != 0, 0))
		shm_dpa_sink_wake(sink, armed);
}

/*
 * The positions of a batch that goes on are taken late: nobody else takes any. That of its
 * first message is taken, and a batch of one of several producers has no more.
 */
static inline void
shm_dpa_batch_claim(const struct shm_dpa_prog_eu *eu, const struct shm_msgq_sink *sink)
{
	struct shm_msgq_sink_state *st = shm_dpa_state(sink->state);

	if (eu->batch_nb > 1)
		__atomic_store_n(&st->head, eu->batch_pos + eu->batch_nb - SHM_ENTRY_START,
			__ATOMIC_RELAXED);
}

/*
 * Whether the consumer of the batch that waits is still there. Its message queue may have gone
 * too, and others may have the memory of both: there is no other consumer of this serial.
 */
static inline bool
shm_dpa_batch_there(const struct shm_dpa_prog_eu *eu)
{
	const struct shm_msgq_sink *sink = shm_dpa_state(eu->batch_sink);
	const uint64_t *entry = shm_dpa_state(eu->batch_entry);

	/* acquire: what is there is complete; B */
	return __atomic_load_n(entry, __ATOMIC_ACQUIRE) == eu->batch_sink &&
		__atomic_load_n(&sink->serial, __ATOMIC_RELAXED) == eu->batch_sink_serial;
}

/*
 * Publish the batch that waits in this unit; under shm_dpa_enter(). Its consumer may have
 * gone meanwhile: then nobody reads it. If its producer has gone, it comes all the same: a
 * position that was taken and not written would be waited for.
 */
SHM_DPA_APART static void
shm_dpa_batch_flush(struct shm_dpa_prog_eu *eu)
{
	const struct shm_msgq_sink *sink = shm_dpa_state(eu->batch_sink);
	struct shm_msgq_batch batch;

	if (eu->batch_nb == 0)
		return;
	if (shm_dpa_batch_there(eu)) {
		batch.entries = shm_dpa_state(sink->entries);
		batch.mask = sink->mask;
		batch.pos = eu->batch_pos;
		batch.nb = eu->batch_nb;
		batch.len = eu->batch_len;
		batch.producer = eu->batch_from & SHM_ENTRY_PRODUCER_MASK;
		shm_dpa_batch_claim(eu, sink);
		shm_dpa_sink_put(sink, &batch);
	}
	eu->batch_nb = 0;
	eu->batch_left = 0;
}

static inline struct shm_dpa_prog_eu *
shm_dpa_eu(void)
{
	return &SHM_DPA_PROG_SEG->eus[SHM_DPA_SELF()->eu];
}

/* An acknowledgement, or a return: what waits for a flush. */
static inline void
shm_dpa_flush(void)
{
	struct shm_dpa_prog_eu *eu = shm_dpa_eu();
	uint64_t *looks;

	if (__builtin_expect(eu->batch_nb == 0, 1))
		return;
	looks = shm_dpa_enter();
	shm_dpa_batch_flush(eu);
	shm_dpa_leave(looks);
}

/* What waits goes first, unless this message goes on with it. */
static inline void
shm_dpa_batch_fit(struct shm_dpa_prog_eu *eu, const struct shm_dpa_send *send, uint32_t len)
{
	if (eu->batch_nb == 0)
		return;
	if (eu->batch_prod_serial == __atomic_load_n(&send->p->serial, __ATOMIC_RELAXED) &&
			eu->batch_sink_serial == send->sink->serial && eu->batch_len == len)
		shm_dpa_batch_claim(eu, send->sink);
	else
		shm_dpa_batch_flush(eu);
}

/*
 * A batch waits: how many messages can follow with no look at anything but whether producer
 * and consumer are still there, and where they go to. A batch of several producers never
 * waits.
 */
static inline void
shm_dpa_batch_open(struct shm_dpa_prog_eu *eu, const struct shm_dpa_send *send)
{
	const struct shm_msgq_sink_state *st = shm_dpa_state(send->sink->state);
	const uint32_t room = shm_entry_batch_room(eu->batch_pos, send->sink->mask);
	uint32_t credits = __atomic_load_n(&st->tail_seen, __ATOMIC_RELAXED) -
		__atomic_load_n(&st->head, __ATOMIC_RELAXED);
	uint32_t left = (room < SHM_ENTRY_MAX_BATCH ? room : SHM_ENTRY_MAX_BATCH) - eu->batch_nb;
	struct shm_entry *entries = shm_dpa_state(send->sink->entries);

	/* more than there can be: tail_seen is older than head */
	if (credits > send->sink->mask + 1)
		credits = 0;
	/* a producer that is being destroyed: its memory is not known from that of others */
	if (eu->batch_prod_serial == 0)
		credits = 0;
	eu->batch_left = credits < left ? credits : left;
	eu->batch_flags = send->p->comp == 0 ? RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS : 0;
	eu->batch_to = (uintptr_t)entries[eu->batch_pos & send->sink->mask].imm +
		eu->batch_nb * shm_entry_step(eu->batch_len);
	shm_entry_own(shm_dpa_state(eu->batch_to), eu->batch_left * shm_entry_step(eu->batch_len));
}

/* Add a message to the batch that waits; false if that has to be looked at anew. */
SHM_DPA_FAST static inline bool
shm_dpa_batch_add(struct shm_dpa_prog_eu *eu, const void *imm, uint32_t len, uint32_t flags)
{
	uint64_t *looks = shm_dpa_enter();
	const struct shm_msgq_prod *producer = shm_dpa_state(eu->batch_prod);
	const bool there = __atomic_load_n(&producer->serial, __ATOMIC_RELAXED) ==
		eu->batch_prod_serial && shm_dpa_batch_there(eu);

	if (__builtin_expect(there, 1)) {
		shm_entry_copy(shm_dpa_state(eu->batch_to), imm, len);
		eu->batch_to += shm_entry_step(len);
		eu->batch_nb++;
		eu->batch_left--;
		if ((flags & RTE_COMCH_DPA_DEV_F_FLUSH) != 0 || eu->batch_nb == SHM_ENTRY_MAX_BATCH)
			shm_dpa_batch_flush(eu);
	}
	shm_dpa_leave(looks);
	return there;
}

/*
 * Put a message whose position was taken: now, or behind others that wait for a flush. One
 * of several producers never waits, as messages of the others would wait with it.
 */
static inline void
shm_dpa_send_put(const struct shm_dpa_send *send, const void *imm, uint32_t len, uint32_t flags)
{
	struct shm_entry *entries = shm_dpa_state(send->sink->entries);
	struct shm_msgq_prod_state *st = shm_dpa_state(send->p->state);
	struct shm_dpa_prog_eu *eu = shm_dpa_eu();
	const uint32_t mask = send->sink->mask;
	uint8_t *to;

	if (eu->batch_nb != 0 && eu->batch_nb == shm_entry_batch_room(eu->batch_pos, mask))
		shm_dpa_batch_flush(eu); /* a batch ends with the ring */
	if (eu->batch_nb == 0) {
		eu->batch_prod = (uintptr_t)send->p;
		eu->batch_prod_serial = __atomic_load_n(&send->p->serial, __ATOMIC_RELAXED);
		eu->batch_from = send->p->id;
		eu->batch_entry = (uintptr_t)send->entry;
		eu->batch_sink = (uintptr_t)send->sink;
		eu->batch_sink_serial = send->sink->serial;
		eu->batch_id = send->sink->id;
		eu->batch_pos = send->pos;
		eu->batch_len = len;
	}
	to = entries[eu->batch_pos & mask].imm;
	to += eu->batch_nb * shm_entry_step(len);
	shm_entry_copy(to, imm, len);
	eu->batch_nb++;
	if ((flags & RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS) == 0 && send->p->comp != 0)
		st->sent++;
	if ((flags & RTE_COMCH_DPA_DEV_F_FLUSH) != 0 || send->shared ||
			eu->batch_nb == SHM_ENTRY_MAX_BATCH)
		shm_dpa_batch_flush(eu);
	else
		shm_dpa_batch_open(eu, send);
}

/* The result of a send: no credit and no place are no mistakes. */
static inline int
shm_dpa_send_end(uint64_t *looks, int ret, const char *func, uint64_t a, uint64_t b, uint64_t c)
{
	shm_dpa_leave(looks);
	if (__builtin_expect(ret == 0, 1) || ret == SHM_DPA_ERROR(EAGAIN) ||
			ret == SHM_DPA_ERROR(ENOBUFS))
		return ret;
	return shm_dpa_note(ret, func, a, b, c);
}

static inline int
rte_comch_dpa_dev_producer_consumer_empty(rte_comch_dpa_dev_producer_t producer,
		uint32_t consumer_id)
{
	uint64_t *looks = shm_dpa_enter();
	struct shm_msgq_sink_state *st;
	struct shm_dpa_send send;
	int ret, empty = 0;

	shm_dpa_batch_flush(shm_dpa_eu()); /* a credit may depend on it */
	ret = shm_dpa_send_find(&send, producer, consumer_id);
	if (ret == 0) {
		st = shm_dpa_state(send.sink->state);
		empty = !shm_dpa_sink_credit(send.sink, st,
				__atomic_load_n(&st->head, __ATOMIC_RELAXED));
	}
	ret = shm_dpa_send_end(looks, ret, "producer_consumer_empty", producer, consumer_id, 0);
	return ret == 0 ? empty : ret;
}

/* A message that does not simply follow others. */
SHM_DPA_APART static int
shm_dpa_send_imm(rte_comch_dpa_dev_producer_t producer, uint32_t consumer_id, const void *imm,
		uint32_t len, uint32_t flags)
{
	uint64_t *looks = shm_dpa_enter();
	struct shm_dpa_send send;
	int ret;

	ret = shm_dpa_send_find(&send, producer, consumer_id);
	if (ret == 0)
		ret = shm_dpa_send_check(&send, imm, len, flags);
	if (ret == 0) {
		shm_dpa_batch_fit(shm_dpa_eu(), &send, len);
		ret = shm_dpa_send_claim(&send);
	}
	if (ret == 0)
		shm_dpa_send_put(&send, imm, len, flags);
	else
		shm_dpa_batch_flush(shm_dpa_eu()); /* a credit may depend on it */
	return shm_dpa_send_end(looks, ret, "producer_post_send_imm", producer, consumer_id, len);
}

SHM_DPA_FAST static inline int
rte_comch_dpa_dev_producer_post_send_imm(rte_comch_dpa_dev_producer_t producer,
		uint32_t consumer_id, const void *imm, uint32_t len, uint32_t flags)
{
	struct shm_dpa_prog_eu *eu = shm_dpa_eu();

	if (eu->batch_left != 0 && eu->batch_prod == producer && eu->batch_id == consumer_id &&
			eu->batch_len == len && (imm != NULL || len == 0) &&
			((flags | eu->batch_flags) & ~RTE_COMCH_DPA_DEV_F_FLUSH) ==
				RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS &&
			shm_dpa_batch_add(eu, imm, len, flags))
		return 0;
	return shm_dpa_send_imm(producer, consumer_id, imm, len, flags);
}

/*
 * Windows
 */

/* Bytes of a window; under shm_dpa_enter(). */
static inline int
shm_dpa_window_find(uint32_t handle, uint64_t addr, uint64_t len, uint32_t need, void **ptr)
{
	const struct shm_dpa_window *w;
	uint32_t flags;
	uint64_t off;

	if (handle == 0 || handle > SHM_DPA_MAX_WINDOWS)
		return SHM_DPA_ERROR(EBADF);
	w = &SHM_DPA_HOST_SEG->windows[handle - 1];
	/* acquire: what is there is complete; B */
	flags = __atomic_load_n(&w->flags, __ATOMIC_ACQUIRE);
	if (flags == 0)
		return SHM_DPA_ERROR(EBADF);
	if ((flags & need) != need)
		return SHM_DPA_ERROR(EACCES);
	off = addr - w->base;
	if (off > w->len || len > w->len - off)
		return SHM_DPA_ERROR(EFAULT);
	*ptr = shm_dpa_state(w->addr + off);
	return 0;
}

static inline void *
rte_comch_dpa_dev_window_ptr(rte_comch_dpa_dev_window_t window, uint64_t addr, uint64_t len,
		bool write)
{
	uint64_t *looks = shm_dpa_enter();
	void *ptr = NULL;
	int ret;

	ret = shm_dpa_window_find(window, addr, len,
			write ? SHM_DPA_WINDOW_WRITE : SHM_DPA_WINDOW_READ, &ptr);
	shm_dpa_send_end(looks, ret, "window_ptr", window, addr, len);
	return ptr;
}

static inline int
shm_dpa_copy_check(uint32_t dst, uint64_t dst_addr, uint32_t src, uint64_t src_addr, uint64_t len,
		void **to, void **from)
{
	int ret;

	ret = shm_dpa_window_find(dst, dst_addr, len, SHM_DPA_WINDOW_WRITE, to);
	if (ret == 0)
		ret = shm_dpa_window_find(src, src_addr, len, SHM_DPA_WINDOW_READ, from);
	/* by the host's addresses: one region may have two windows */
	if (ret == 0 && (len == 0 || (dst_addr < src_addr + len && src_addr < dst_addr + len)))
		ret = SHM_DPA_ERROR(EINVAL);
	return ret;
}

static inline int
rte_comch_dpa_dev_producer_dma_copy(rte_comch_dpa_dev_producer_t producer, uint32_t consumer_id,
		rte_comch_dpa_dev_window_t dst, uint64_t dst_addr,
		rte_comch_dpa_dev_window_t src, uint64_t src_addr, uint64_t len, const void *imm,
		uint32_t imm_len, uint32_t flags)
{
	uint64_t *looks = shm_dpa_enter();
	void *to = NULL, *from = NULL;
	struct shm_dpa_send send;
	int ret;

	ret = shm_dpa_send_find(&send, producer, consumer_id);
	if (ret == 0)
		ret = shm_dpa_send_check(&send, imm, imm_len, flags);
	if (ret == 0)
		ret = shm_dpa_copy_check(dst, dst_addr, src, src_addr, len, &to, &from);
	shm_dpa_batch_flush(shm_dpa_eu()); /* it is older, and is not to wait for the copy */
	if (ret == 0)
		ret = shm_dpa_send_claim(&send);
	if (ret == 0) {
		/* C: the release of the entry is behind the data as well */
#ifdef SHM_DPA_TEST_IMM_FIRST
		shm_dpa_send_put(&send, imm, imm_len, flags | RTE_COMCH_DPA_DEV_F_FLUSH);
		__builtin_memcpy(to, from, len);
#else
		__builtin_memcpy(to, from, len);
		shm_dpa_send_put(&send, imm, imm_len, flags);
#endif
	}
	return shm_dpa_send_end(looks, ret, "producer_dma_copy", dst_addr, src_addr, len);
}

/*
 * The unit
 */

static inline void
rte_comch_dpa_dev_thread_finish(void)
{
	comch_dpa_rt_finish();
}

static inline uint32_t
rte_comch_dpa_dev_eu_id(void)
{
	uint32_t eu = SHM_DPA_SELF()->eu;

	return eu != SHM_DPA_RPC_EU ? eu : UINT32_MAX;
}

static inline void
rte_comch_dpa_dev_log(const char *text)
{
	uint32_t len = 0;

	while (len < SHM_DPA_LOG_SIZE && text[len] != '\0')
		len++;
	comch_dpa_rt_log(text, len);
}

/*
 * The runtime asks, in the unit's thread, before its fence and behind it: has a completion
 * context that asked for it an element? One that has is armed no more. One that has not
 * gets another value: producers answer each once, and may have done so for an element
 * that was taken before the unit went to sleep. So each sleep has to have a new value,
 * stored before the fence.
 */
static inline bool
shm_dpa_eu_pending(uint32_t eu)
{
	const uint64_t addr = __atomic_load_n(&SHM_DPA_HOST_SEG->eus[eu].completions,
			__ATOMIC_ACQUIRE);
	const struct shm_msgq_comps *list = shm_dpa_state(addr);
	const struct shm_msgq_comp *comp;
	struct shm_msgq_comp_state *st;
	bool pending = false;
	uint64_t *looks;
	uint32_t i;

	if (list == NULL)
		return false;
	looks = shm_dpa_enter();
	for (i = 0; i < SHM_MSGQ_UNIT_COMPS; i++) {
		/* acquire: what is there is complete; B */
		comp = shm_dpa_state(__atomic_load_n(&list->comps[i], __ATOMIC_ACQUIRE));
		if (comp == NULL)
			continue;
		st = shm_dpa_state(comp->state);
		if (st->armed == 0)
			continue;
		if (!shm_dpa_comp_get(comp, NULL)) {
			shm_dpa_arm(st);
			continue;
		}
		shm_entry_armed_set(&st->armed, 0);
		pending = true;
	}
	shm_dpa_leave(looks);
	return pending;
}

/* A thread or a call of this unit returns: what waited for a flush. */
static inline void
shm_dpa_eu_flush(uint32_t eu)
{
	(void)eu;
	shm_dpa_flush();
}

#endif /* RTE_COMCH_DPA_TARGET_H */
