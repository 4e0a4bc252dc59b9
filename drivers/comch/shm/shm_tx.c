/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers: sending bursts, and the completions of what was sent. Everything
 * here runs in the thread of one producer and takes no lock, but for waking a
 * peer that sleeps and for telling of a peer that lies.
 * The memory orders are in shm_fence.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "shm_burst.h"
#include "shm_copy.h"
#include "shm_msgq.h"

/* Look a slot up, with a fence of ours, and keep the consumer until rc_leave(). */
static struct shm_remote_consumer *
rc_enter_slot(struct shm_producer *p, uint32_t slot)
{
	/* any identifier that has the slot */
	shm_busy_set(p->busy, slot + SHM_WIRE_MAX_CONSUMERS);
	shm_busy_fence(); /* R */
	/* acquire: pairs with the release in rc_publish() */
	return __atomic_load_n(&p->fast->rcs[slot], __ATOMIC_ACQUIRE);
}

/* One that is in the other table, as one of the two sides has no membarrier(); or none. */
static __rte_noinline struct shm_remote_consumer *
rc_enter_fenced(struct shm_producer *p, uint32_t consumer_id)
{
	struct shm_remote_consumer *rc;

	shm_busy_fence(); /* R, O */
	/* acquire: pairs with the release in rc_publish() */
	rc = __atomic_load_n(&p->fast->rcs[shm_wire_consumer_slot(consumer_id)], __ATOMIC_ACQUIRE);
	return rc != NULL && shm_open_is(&rc->posts->consumer, consumer_id) ? rc : NULL;
}

/*
 * Look a consumer up by its identifier, and keep it until rc_leave(): that of one that is
 * gone is not that of another one. NULL if it is to be looked up by rc_enter_fenced().
 */
static __rte_always_inline struct shm_remote_consumer *
rc_enter_fast(struct shm_producer *p, uint32_t consumer_id)
{
	struct shm_remote_consumer *rc;

	shm_busy_set(p->busy, consumer_id); /* R, O */
	/* acquire: pairs with the release in rc_publish() */
	rc = __atomic_load_n(&p->fast->open[shm_wire_consumer_slot(consumer_id)], __ATOMIC_ACQUIRE);
	return likely(rc != NULL && shm_open_is(&rc->posts->consumer, consumer_id)) ? rc : NULL;
}

static inline struct shm_remote_consumer *
rc_enter(struct shm_producer *p, uint32_t consumer_id)
{
	struct shm_remote_consumer *rc = rc_enter_fast(p, consumer_id);

	return likely(rc != NULL) ? rc : rc_enter_fenced(p, consumer_id);
}

/* Let the consumer see nb messages; none of them is beyond the end of the words. */
static inline void
words_publish(uint64_t *to, const uint64_t *words, uint32_t nb)
{
	uint32_t i;

	/*
	 * C: pairs with the acquire in cpl_get(). The first alone would do, as that
	 * one is looked at first; but to tell it from the others takes a branch.
	 */
	for (i = 0; i < nb; i++)
		__atomic_store_n(&to[i], words[i], __ATOMIC_RELEASE);
}

/* What the loops need of a consumer, where the compiler knows that it stays. */
struct target {
	const uint64_t *posts; /* of the row; NULL for immediate data only */
	uint8_t *base;
	uint64_t size;
	uint32_t longs; /* from a word to its length, if that is elsewhere */
};

static inline struct target
target_get(const struct shm_remote_consumer *rc, uint64_t head)
{
	struct target t = { .base = rc->base, .size = rc->region_size, .longs = rc->mask + 1 };

	t.posts = rc->base != NULL ? &rc->posts->words[head & rc->mask] : NULL;
	return t;
}

/*
 * Where a message of len bytes goes. 0, or -EMSGSIZE, or -EPROTO for a post that
 * is not in its region.
 */
static __rte_always_inline int
target_place(const struct target *t, uint32_t i, uint64_t len, uint8_t **dst)
{
	uint64_t word, off, room;

	if (unlikely(t->posts == NULL))
		return -EMSGSIZE;
	/* relaxed: the tail has ordered it */
	word = __atomic_load_n(&t->posts[i], __ATOMIC_RELAXED);
	off = word >> SHM_WIRE_POST_OFF_SHIFT;
	room = word & SHM_WIRE_POST_LONG;
	if (unlikely(room == SHM_WIRE_POST_LONG))
		room = __atomic_load_n(&t->posts[i + t->longs], __ATOMIC_RELAXED);
	if (unlikely(len > room))
		return -EMSGSIZE;
	if (unlikely(off > t->size || len > t->size - off))
		return -EPROTO;
	*dst = t->base + off;
	return 0;
}

/* Begin with a row of credits; how many there are, up to what is wanted. */
static inline uint32_t
chunk_begin(struct shm_remote_consumer *rc, struct chunk *ch, uint32_t want)
{
	uint32_t credits;

	/* acquire: no tail is older than it; pairs with the release in shm_share_claim() */
	ch->head = __atomic_load_n(&rc->head, __ATOMIC_ACQUIRE);
	want = RTE_MIN(want, rc->mask + 1 - ((uint32_t)ch->head & rc->mask));
	ch->reason = rc_credits(rc, ch->head, want, &credits);
	if (unlikely(ch->reason != 0))
		return 0; /* perhaps only because head is old */
	if (unlikely(credits < want))
		ch->reason = -EAGAIN;
	return credits;
}

/*
 * For when the engine goes to sleep: who has to wake it. By slot, so another consumer
 * that has the slot by then may wake it, too.
 */
static void
starved_set(struct shm_producer *p, uint32_t slot)
{
	uint64_t bit = RTE_BIT64(slot % 64);

	p->nb_starved += (p->starved[slot / 64] & bit) == 0;
	p->starved[slot / 64] |= bit;
}

static void
starved_clear(struct shm_producer *p, uint32_t slot)
{
	p->nb_starved--;
	p->starved[slot / 64] &= ~RTE_BIT64(slot % 64);
}

/* The next one from a slot on; above all of them if there is none. */
static uint32_t
starved_next(const struct shm_producer *p, uint32_t slot)
{
	while (slot < SHM_WIRE_MAX_CONSUMERS &&
			(p->starved[slot / 64] & RTE_BIT64(slot % 64)) == 0)
		slot++;
	return slot;
}

#define STARVED_FOREACH(slot, p) \
	for (slot = (p)->nb_starved == 0 ? SHM_WIRE_MAX_CONSUMERS : starved_next(p, 0); \
		slot < SHM_WIRE_MAX_CONSUMERS; slot = starved_next(p, slot + 1))

/*
 * A producer is told of the end of its peer when its engine progresses. One that repeats a
 * burst until there is room, and progresses nothing, would not hear of it: so it looks.
 */
static int
again_reason(struct shm_producer *p)
{
	if (++p->nb_refused % SHM_REFUSED_LOOK == 0 && !p->peer_gone)
		p->peer_gone = shm_fast_peer_gone(p->queue);
	return p->peer_gone ? -ENOTCONN : -EAGAIN;
}

/* What came in the way of a burst, for those who ask and for the counters. */
static void
short_note(struct shm_producer *p, uint32_t consumer_id, int reason)
{
	if (reason == -EPROTO) {
		shm_fast_violation(p->queue, "it posted what it cannot", consumer_id,
			p->queue->id);
		reason = -ENOTCONN;
	}
	if (reason == -EAGAIN)
		reason = again_reason(p);
	p->reason = reason;
	if (reason == -EAGAIN) {
		starved_set(p, shm_wire_consumer_slot(consumer_id));
		p->queue->stats.short_credits++;
	} else if (reason == -ENOBUFS) {
		p->queue->stats.short_queue++;
	} else {
		p->queue->stats.errors++;
	}
}

/*
 * Why a message is not sent, by what the consumer has stated: one that it can never take
 * does not wait for a post, and a post that is shorter than it can be is a lie.
 */
static int
size_reason(struct shm_producer *p, uint32_t consumer_id, uint64_t len, int reason)
{
	const struct shm_remote_consumer *rc;

	if (reason != -EAGAIN && reason != -EMSGSIZE)
		return reason;
	rc = rc_enter(p, consumer_id);
	if (rc == NULL || (rc->buf_size == 0 && rc->base != NULL))
		; /* each post has its own size */
	else if (len > rc->buf_size)
		reason = -EMSGSIZE;
	else if (reason == -EMSGSIZE)
		reason = -EPROTO;
	rc_leave(p);
	return reason;
}

/* There is no such consumer, or none any more. */
static __rte_noinline uint16_t
no_rc(struct shm_producer *p, uint32_t consumer_id)
{
	rc_leave(p);
	short_note(p, consumer_id, __atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0 ?
		-ENOTCONN : -ENOENT);
	return 0;
}

/* Why a message is not sent, if it is not the post's fault. */
int
shm_send_fault(const struct shm_remote_consumer *rc, const struct rte_comch_send *msg)
{
	if ((msg->flags & ~RTE_COMCH_SEND_F_NO_CPL) != 0)
		return -EINVAL;
	if (msg->imm_len > rc->imm_len)
		return -E2BIG;
	if ((msg->imm_len != 0 && msg->imm == NULL) || (msg->len != 0 && msg->addr == NULL))
		return -EINVAL;
	return -EFAULT;
}

/*
 * Find places for up to want messages, and claim them. What is used again and
 * again is in locals, for the compiler cannot know that nobody writes it.
 */
static __rte_always_inline void
send_claim(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t want, struct chunk *ch)
{
	const struct rte_comch_mem *mem = NULL;
	const uint32_t imm_max = rc->imm_len;
	const struct rte_comch_send *msg;
	uint64_t off, len, word, begin = 0, size = 0;
	struct target target;
	uint32_t credits, i;
	int ret;

	do {
		credits = chunk_begin(rc, ch, want);
		word = (uint64_t)p->slot << SHM_WIRE_CPL_PRODUCER_SHIFT |
			shm_wire_lap(ch->head, rc->shift);
		target = target_get(rc, ch->head);
		for (i = 0; i < credits; i++) {
			msg = &msgs[i];
			len = msg->len;
			ret = 0;
			if (unlikely(msg->imm_len > imm_max ||
					msg->flags > RTE_COMCH_SEND_F_NO_CPL ||
					(msg->imm_len != 0 && msg->imm == NULL)))
				ret = shm_send_fault(rc, msg);
			if (len != 0 && likely(ret == 0)) {
				if (unlikely(msg->mem != mem)) {
					mem = msg->mem;
					begin = mem != NULL ? (uintptr_t)mem->addr : 0;
					size = mem != NULL ? mem->len : 0;
				}
				off = (uintptr_t)msg->addr - begin;
				if (unlikely(off > size || len > size - off))
					ret = shm_send_fault(rc, msg);
				else
					ret = target_place(&target, i, len, &ch->dst[i]);
			} else {
				ch->dst[i] = &ch->none;
			}
			if (unlikely(ret != 0)) {
				ch->reason = ret;
				break;
			}
			ch->words[i] = word | (uint64_t)msg->imm_len << SHM_WIRE_CPL_IMM_SHIFT |
				len << SHM_WIRE_CPL_LEN_SHIFT;
		}
		ch->nb = i;
	} while (unlikely(!rc_claim(p, rc, ch, true)));
}

/*
 * Own the first lines of the buffers that a chunk is about to fill: what was claimed is this
 * producer's, and the peer has read it a round ago. A CPU waits for the lines of its stores in
 * order, and asks for those of the next few stores only. So there is one store to each, before
 * any is filled. A prefetch does less: of a line that this CPU still has, shared, it brings
 * nothing.
 */
static __rte_always_inline void
chunk_own(struct chunk *ch)
{
	const uint32_t nb = ch->nb;
	uint32_t i;

	for (i = 0; i < nb; i++)
		__atomic_store_n(ch->dst[i], 0, __ATOMIC_RELAXED);
}

/* Copy and publish what was claimed. */
static __rte_always_inline void
send_copy(struct shm_producer *p, struct shm_remote_consumer *rc, const struct rte_comch_send *msgs,
		struct chunk *ch)
{
	const uint32_t slot = ch->head & rc->mask, nb = ch->nb, mask = p->mask;
	const uint32_t imm_size = rc->imm_size;
	uint8_t *imm = rc->imm + (uint64_t)slot * imm_size;
	uint64_t *to = &rc->cpls->words[slot];
	const struct rte_comch_send *msg;
	uint64_t bytes = 0, published = 0;
	uint32_t i, done = 0, tail = p->tail;

	chunk_own(ch);
	for (i = 0; i < nb; i++, imm += imm_size) {
		msg = &msgs[i];
		if (msg->imm_len != 0)
			shm_copy(&p->way, imm, msg->imm, msg->imm_len);
		if (msg->len != 0)
			shm_copy(&p->way, ch->dst[i], msg->addr, msg->len);
		if (msg->flags == 0) {
			p->sent[tail & mask].cookie = msg->cookie;
			p->sent[tail & mask].len = msg->len;
			tail++;
		}
		bytes += msg->len;
		if (unlikely(bytes - published >= SHM_PUBLISH_BYTES)) {
			words_publish(&to[done], &ch->words[done], i + 1 - done);
			done = i + 1;
			published = bytes;
		}
	}
	words_publish(&to[done], &ch->words[done], nb - done);
	p->tail = tail;
	p->queue->stats.bytes += bytes;
}

/* Up to a chunk of messages; what is constant in a caller is so in here. */
static __rte_always_inline uint32_t
send_chunk(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, int *reason)
{
	uint32_t places = p->mask + 1 - (p->tail - p->head);
	struct chunk ch;

	if (unlikely(places < nb)) {
		nb = places;
		if (nb == 0) {
			*reason = -ENOBUFS;
			return 0;
		}
	}
	send_claim(p, rc, msgs, nb, &ch);
	if (ch.nb > nb)
		__builtin_unreachable(); /* so fewer bounds are checked */
	send_copy(p, rc, msgs, &ch);
	*reason = ch.reason;
	return ch.nb;
}

/*
 * The rest of a burst, from a message on whose data is not where its region begins:
 * in another chunk of it, or in none. shm_send_burst() knows the first chunk only, so
 * that a region of one chunk costs nothing more. So it is called once more, and each
 * message has a region that is the chunk that it lies in.
 */
static __rte_noinline uint16_t
send_chunks(struct shm_producer *p, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint32_t nb)
{
	struct rte_comch_mem parts[SHM_CHUNK];
	struct rte_comch_send copies[SHM_CHUNK];
	const struct rte_comch_mem_chunk *chunk;
	uint32_t sent = 0, taken, i, n;

	do {
		n = RTE_MIN(nb - sent, (uint32_t)SHM_CHUNK);
		for (i = 0; i < n; i++) {
			copies[i] = msgs[sent + i];
			if (copies[i].len == 0 || copies[i].mem == NULL)
				continue;
			chunk = rte_comch_pmd_mem_chunk(copies[i].mem, copies[i].addr,
					copies[i].len);
			parts[i].addr = chunk != NULL ? chunk->addr : copies[i].mem->addr;
			parts[i].len = chunk != NULL ? chunk->len : copies[i].mem->len;
			parts[i].nb_chunks = 0;
			copies[i].mem = &parts[i];
		}
		taken = shm_send_burst(p, consumer_id, copies, n);
		sent += taken;
	} while (taken == n && sent < nb);
	return sent;
}

/* A burst has ended early. How many were sent: more if the data is in another chunk. */
__rte_noinline uint16_t
shm_send_short(struct shm_producer *p, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint32_t nb, uint32_t sent, int reason)
{
	const struct rte_comch_mem *mem = reason == -EFAULT ? msgs[sent].mem : NULL;
	uint64_t bursts = p->queue->stats.bursts;

	if (mem == NULL || mem->nb_chunks == 0) {
		short_note(p, consumer_id, size_reason(p, consumer_id, msgs[sent].len, reason));
		return sent;
	}
	nb = send_chunks(p, consumer_id, &msgs[sent], nb - sent);
	p->queue->stats.bursts = bursts + (sent == 0 && nb != 0);
	return sent + nb;
}

static __rte_noinline uint16_t
send_many(struct shm_producer *p, struct shm_remote_consumer *rc, const struct rte_comch_send *msgs,
		uint16_t nb)
{
	const uint32_t consumer_id = rc->id;
	uint32_t sent = 0;
	int reason = 0;

	while (sent < nb && likely(reason == 0))
		sent += send_chunk(p, rc, &msgs[sent],
				RTE_MIN(nb - sent, (uint32_t)SHM_CHUNK), &reason);
	burst_end(p, rc, sent);
	if (unlikely(reason != 0))
		return shm_send_short(p, consumer_id, msgs, nb, sent, reason);
	return sent;
}

/* Where the data of one message goes, if nothing about the message is wrong. */
static __rte_always_inline bool
one_place(const struct shm_remote_consumer *rc, const struct rte_comch_send *msg, uint64_t head,
		uint8_t **dst)
{
	const struct target target = target_get(rc, head);
	uint64_t off;

	if (unlikely(msg->imm_len > rc->imm_len || msg->flags > RTE_COMCH_SEND_F_NO_CPL ||
			(msg->imm == NULL && msg->imm_len != 0)))
		return false;
	if (msg->len == 0)
		return true;
	if (unlikely(msg->mem == NULL))
		return false;
	off = (uintptr_t)msg->addr - (uintptr_t)msg->mem->addr;
	return likely(off <= msg->mem->len && msg->len <= msg->mem->len - off) &&
		likely(target_place(&target, 0, msg->len, dst) == 0);
}

/* Take one position, if no other producer is there, and none was. */
static __rte_always_inline bool
one_claim(struct shm_producer *p, struct shm_remote_consumer *rc, uint64_t head)
{
	bool mine;

	__atomic_store_n(&p->claiming, 1, __ATOMIC_RELAXED);
	shm_light_fence(false); /* X */
	/* acquire: what others have claimed; pairs with the release in producer_unlink_locked() */
	mine = __atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE) == 0 &&
		__atomic_load_n(&rc->head, __ATOMIC_RELAXED) == head;
	if (likely(mine))
		__atomic_store_n(&rc->head, head + 1, __ATOMIC_RELAXED);
	/* release: pairs with the acquire in shm_producers_settle_locked() */
	__atomic_store_n(&p->claiming, 0, __ATOMIC_RELEASE);
	return mine;
}

/*
 * A burst of one, in a few instructions: whatever comes in its way is found once more, and
 * told, by send_many().
 */
static __rte_noinline uint16_t
send_one(struct shm_producer *p, struct shm_remote_consumer *rc, const struct rte_comch_send *msg)
{
	const uint64_t head = __atomic_load_n(&rc->head, __ATOMIC_RELAXED);
	const uint32_t slot = head & rc->mask;
	uint64_t *to = &rc->cpls->words[slot];
	uint8_t *dst = NULL;

	if (unlikely(!rc_credit(rc, (uint32_t)head) || p->tail - p->head > p->mask ||
			!one_place(rc, msg, head, &dst) || !one_claim(p, rc, head)))
		return send_many(p, rc, msg, 1);
	if (msg->imm_len != 0)
		shm_copy(&p->way, rc->imm + (uint64_t)slot * rc->imm_size, msg->imm, msg->imm_len);
	if (msg->len != 0)
		shm_copy(&p->way, dst, msg->addr, msg->len);
	if (msg->flags == 0) {
		p->sent[p->tail & p->mask].cookie = msg->cookie;
		p->sent[p->tail & p->mask].len = msg->len;
		p->tail++;
	}
	/* C: pairs with the acquire in cpl_row() */
	__atomic_store_n(to, shm_wire_lap(head, rc->shift) |
		(uint64_t)p->slot << SHM_WIRE_CPL_PRODUCER_SHIFT |
		(uint64_t)msg->imm_len << SHM_WIRE_CPL_IMM_SHIFT |
		msg->len << SHM_WIRE_CPL_LEN_SHIFT, __ATOMIC_RELEASE);
	p->queue->stats.bytes += msg->len;
	burst_end(p, rc, 1);
	return 1;
}

/* A burst to a consumer that is not found without a fence. */
static __rte_noinline uint16_t
send_fenced(struct shm_producer *p, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint16_t nb)
{
	struct shm_remote_consumer *rc = rc_enter_fenced(p, consumer_id);

	if (rc == NULL)
		return no_rc(p, consumer_id);
	return rc->entries != NULL ? shm_small_send(p, rc, msgs, nb) : send_many(p, rc, msgs, nb);
}

uint16_t
shm_send_burst(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint16_t nb)
{
	struct shm_producer *p = queue;
	struct shm_remote_consumer *rc;

	rc = rc_enter_fast(p, consumer_id);
	if (unlikely(rc == NULL))
		return send_fenced(p, consumer_id, msgs, nb);
	if (rc->entries != NULL)
		return nb == 1 ? shm_small_send_one(p, rc, msgs) :
			shm_small_send(p, rc, msgs, nb);
	return nb == 1 ? send_one(p, rc, msgs) : send_many(p, rc, msgs, nb);
}

/*
 * Packets
 */

static __rte_always_inline void
tx_claim(struct shm_producer *p, struct shm_remote_consumer *rc, struct rte_mbuf **pkts,
		uint32_t want, struct chunk *ch, const bool meta)
{
	/* requests are in the upper half: one instruction, if it is a constant */
	const uint32_t refused = (meta ? rc->meta.refused : RTE_COMCH_META_MBUF_REQUESTS) >> 32;
	struct target target;
	uint32_t credits, len, i;
	uint64_t word;
	int ret;

	do {
		credits = chunk_begin(rc, ch, want);
		word = (uint64_t)p->slot << SHM_WIRE_CPL_PRODUCER_SHIFT |
			shm_wire_lap(ch->head, rc->shift);
		target = target_get(rc, ch->head);
		for (i = 0; i < credits; i++) {
			if (unlikely((pkts[i]->ol_flags >> 32 & refused) != 0)) {
				ch->reason = -ENOTSUP;
				break;
			}
			len = pkts[i]->pkt_len;
			ret = 0;
			if (likely(len != 0))
				ret = target_place(&target, i, len, &ch->dst[i]);
			else
				ch->dst[i] = &ch->none;
			if (unlikely(ret != 0)) {
				ch->reason = ret;
				break;
			}
			ch->words[i] = word | (uint64_t)len << SHM_WIRE_CPL_LEN_SHIFT;
			if (meta && rte_comch_meta_has(&rc->meta, pkts[i]))
				ch->words[i] |= RTE_COMCH_META_SIZE << SHM_WIRE_CPL_IMM_SHIFT;
		}
		ch->nb = i;
	} while (unlikely(!rc_claim(p, rc, ch, false)));
}

/* All segments of a packet; the chain is the application's, and it is believed. */
static inline void
tx_gather(struct shm_copy_way *way, uint8_t *dst, const struct rte_mbuf *m)
{
	if (likely(m->nb_segs == 1)) {
		shm_copy(way, dst, rte_pktmbuf_mtod(m, const uint8_t *), m->data_len);
		return;
	}
	for (; m != NULL; m = m->next) {
		memcpy(dst, rte_pktmbuf_mtod(m, const void *), m->data_len);
		dst += m->data_len;
	}
}

/* A packet of the pool that nobody else holds, in one piece, as it came from there. */
static inline bool
tx_is_plain(const struct rte_mbuf *m, const struct rte_mempool *pool, bool pinned)
{
	const uint64_t kind = m->ol_flags & (RTE_MBUF_F_INDIRECT | RTE_MBUF_F_EXTERNAL);

	if (m->pool != pool || rte_mbuf_refcnt_read(m) != 1 || m->nb_segs != 1 || m->next != NULL)
		return false;
	return kind == 0 || (pinned && kind == RTE_MBUF_F_EXTERNAL &&
		rte_mbuf_ext_refcnt_read(m->shinfo) == 1);
}

/* Plain packets of one pool, as most are, go back at once; others as any packets do. */
static inline void
tx_free(struct rte_mbuf **pkts, uint32_t nb)
{
	struct rte_mempool *pool;
	bool pinned;
	uint32_t i;

	if (unlikely(nb == 0))
		return;
	pool = pkts[0]->pool;
	pinned = (rte_pktmbuf_priv_flags(pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) != 0;
	for (i = 0; i < nb; i++)
		if (unlikely(!tx_is_plain(pkts[i], pool, pinned)))
			break;
	if (likely(i == nb))
		rte_mempool_put_bulk(pool, (void **)pkts, nb);
	else
		rte_pktmbuf_free_bulk(pkts, nb);
}

/* meta is constant in each caller: whether the consumer has asked for any. */
static __rte_always_inline uint16_t
tx_mbuf(struct shm_producer *p, struct shm_remote_consumer *rc, struct rte_mbuf **pkts,
		uint16_t nb, const bool meta)
{
	const uint32_t consumer_id = rc->id;
	uint32_t sent = 0, i, slot;
	uint64_t bytes = 0;
	struct chunk ch;

	ch.reason = 0;
	while (sent < nb && likely(ch.reason == 0)) {
		tx_claim(p, rc, &pkts[sent], RTE_MIN(nb - sent, (uint32_t)SHM_CHUNK), &ch, meta);
		slot = ch.head & rc->mask;
		chunk_own(&ch);
		for (i = 0; i < ch.nb; i++) {
			bytes += pkts[sent + i]->pkt_len;
			if (meta && (ch.words[i] >> SHM_WIRE_CPL_IMM_SHIFT &
					SHM_WIRE_CPL_IMM_MASK) != 0)
				rte_comch_meta_put(&rc->meta, pkts[sent + i],
					(struct rte_comch_meta *)(rc->imm +
					(uint64_t)(slot + i) * rc->imm_size));
			if (pkts[sent + i]->pkt_len != 0)
				tx_gather(&p->way, ch.dst[i], pkts[sent + i]);
		}
		words_publish(&rc->cpls->words[slot], ch.words, ch.nb);
		tx_free(&pkts[sent], ch.nb);
		sent += ch.nb;
	}
	p->queue->stats.bytes += bytes;
	burst_end(p, rc, sent);
	if (unlikely(ch.reason != 0))
		short_note(p, consumer_id, size_reason(p, consumer_id, pkts[sent]->pkt_len,
			ch.reason));
	return sent;
}

static __rte_noinline uint16_t
tx_mbuf_meta(struct shm_producer *p, struct shm_remote_consumer *rc, struct rte_mbuf **pkts,
		uint16_t nb)
{
	return tx_mbuf(p, rc, pkts, nb, true);
}

uint16_t
shm_tx_mbuf(void *queue, uint32_t consumer_id, struct rte_mbuf **pkts, uint16_t nb)
{
	struct shm_producer *p = queue;
	struct shm_remote_consumer *rc = rc_enter(p, consumer_id);

	if (unlikely(rc == NULL))
		return no_rc(p, consumer_id);
	if (unlikely(rc->entries != NULL))
		return shm_small_tx(p, rc, pkts, nb);
	if (unlikely(rc->meta.any))
		return tx_mbuf_meta(p, rc, pkts, nb);
	return tx_mbuf(p, rc, pkts, nb, false);
}

/*
 * Completions and credits
 */

uint16_t
shm_sent_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_producer *p = queue;
	const struct shm_sent *sent;
	uint32_t n = RTE_MIN(p->tail - p->head, (uint32_t)nb);
	uint32_t pos = p->head, end = pos + n;

	for (; pos != end; pos++, cpls++) {
		sent = &p->sent[pos & p->mask];
		cpls->cookie = sent->cookie;
		cpls->len = sent->len;
		cpls->producer_id = 0;
		cpls->status = 0;
		cpls->imm_len = 0;
		cpls->reserved = 0;
	}
	p->head = end;
	return n;
}

/* Posts that nobody has claimed; what cannot be is none. */
static uint32_t
rc_credits_now(const struct shm_remote_consumer *rc)
{
	/* the tail first: it only grows, and so does head */
	uint32_t tail = __atomic_load_n(&rc->posts->tail, __ATOMIC_ACQUIRE);
	uint32_t nb = tail - (uint32_t)__atomic_load_n(&rc->head, __ATOMIC_RELAXED);

	return nb <= rc->mask + 1 ? nb : 0;
}

/* Whether there is such a consumer, and what the producer has of the credits of it. */
bool
shm_remote_consumer_credits(struct shm_producer *p, uint32_t consumer_id, uint32_t *credits)
{
	struct shm_remote_consumer *rc = rc_enter(p, consumer_id);
	uint32_t shared;

	if (likely(rc != NULL)) {
		/* acquire: pairs with the release in producer_unlink_locked() */
		shared = __atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE);
		*credits = likely(shared == 0) ? rc_credits_now(rc) :
			shm_share_get(p, rc, shared);
	}
	rc_leave(p);
	return rc != NULL;
}

uint32_t
shm_credits(void *queue, uint32_t consumer_id)
{
	uint32_t nb = 0;

	shm_remote_consumer_credits(queue, consumer_id, &nb);
	return nb;
}

/* How many of the next posts have room for so much, where each has its own size. */
static uint32_t
rc_posts_fit(const struct shm_remote_consumer *rc, uint64_t len, uint32_t max)
{
	uint32_t pos = __atomic_load_n(&rc->head, __ATOMIC_RELAXED), i, slot;
	uint64_t room;

	for (i = 0; i < max; i++) {
		slot = (pos + i) & rc->mask;
		/* relaxed: the tail has ordered them, as in target_place() */
		room = __atomic_load_n(&rc->posts->words[slot], __ATOMIC_RELAXED) &
			SHM_WIRE_POST_LONG;
		if (unlikely(room == SHM_WIRE_POST_LONG))
			room = __atomic_load_n(&rc->posts->words[rc->mask + 1 + slot],
					__ATOMIC_RELAXED);
		if (room < len)
			break;
	}
	return i;
}

uint32_t
shm_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len, uint32_t max)
{
	struct shm_producer *p = queue->priv;
	uint32_t shared, nb = 0;
	struct shm_remote_consumer *rc;

	if (unlikely(queue->msgq != NULL))
		return shm_msgq_queue_takes(queue, consumer_id, len, max);
	rc = rc_enter(p, consumer_id);
	if (likely(rc != NULL)) {
		/* acquire: pairs with the release in producer_unlink_locked() */
		shared = __atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE);
		nb = likely(shared == 0) ? rc_credits_now(rc) : shm_share_get(p, rc, shared);
		nb = RTE_MIN(nb, max);
		/* of several producers, nobody knows who gets which post */
		if (len != 0 && rc->buf_size == 0)
			nb = shared == 0 && rc->base != NULL ? rc_posts_fit(rc, len, nb) : 0;
	}
	rc_leave(p);
	return nb;
}

/* Other engines, of other threads, have other bits of this word. */
static void
want_clear(const struct shm_producer *p, struct shm_remote_consumer *rc)
{
	__atomic_fetch_and(&rc->cpls->want, ~RTE_BIT32(p->group->index), __ATOMIC_RELAXED);
}

/* The engine is about to sleep: have the consumers wake it when they post. */
void
shm_producer_arm(struct shm_producer *p)
{
	struct shm_remote_consumer *rc;
	uint32_t slot;

	STARVED_FOREACH(slot, p) {
		rc = rc_enter_slot(p, slot);
		if (rc != NULL)
			__atomic_fetch_or(&rc->cpls->want, RTE_BIT32(p->group->index),
				__ATOMIC_RELAXED);
		rc_leave(p);
	}
}

/* Once more, behind the fence: is there something to do? */
bool
shm_producer_pending(struct shm_producer *p)
{
	bool pending = p->tail != p->head;
	struct shm_remote_consumer *rc;
	uint32_t slot;

	STARVED_FOREACH(slot, p) {
		rc = rc_enter_slot(p, slot);
		if (rc == NULL || rc_credits_now(rc) != 0) {
			/* say so once: the application may not want to send any more */
			if (rc != NULL)
				want_clear(p, rc);
			starved_clear(p, slot);
			pending = true;
		}
		rc_leave(p);
	}
	return pending;
}

void
shm_producer_disarm(struct shm_producer *p)
{
	struct shm_remote_consumer *rc;
	uint32_t slot;

	STARVED_FOREACH(slot, p) {
		rc = rc_enter_slot(p, slot);
		if (rc != NULL)
			want_clear(p, rc);
		rc_leave(p);
	}
}
