/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bursts of consumers with inline entries, and of the producers that send to them:
 * immediate data alone, one cache line for each message. How an entry is written and read
 * is in shm_entry.h, the memory orders are in shm_fence.h.
 * Consumers of other layouts never come here, and consumers with entries go nowhere else.
 *
 * What the peer writes is loaded once, the word of an entry and the identifier of a
 * producer, and checked; the immediate data is copied out and means nothing here.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "shm_burst.h"

/*
 * Producers
 */

/* Why a message is not sent: data has no place in an entry, whatever region it is in. */
static __rte_noinline int
small_fault(const struct shm_remote_consumer *rc, const struct rte_comch_send *msg)
{
	int ret = shm_send_fault(rc, msg);

	return ret == -EFAULT ? -EMSGSIZE : ret;
}

/* Whether a message can be sent, but for credits. */
static __rte_always_inline bool
small_fits(const struct rte_comch_send *msg, uint32_t imm_max)
{
	return msg->imm_len <= imm_max && msg->flags <= RTE_COMCH_SEND_F_NO_CPL &&
		msg->len == 0 && (msg->imm != NULL || msg->imm_len == 0);
}

/* Remember what a completion says; the place of the next one. */
static __rte_always_inline uint32_t
small_sent(struct shm_producer *p, uint32_t tail, const struct rte_comch_send *msg)
{
	struct shm_sent *sent = &p->sent[tail & p->mask];

	if (msg->flags != 0)
		return tail;
	sent->cookie = msg->cookie;
	sent->len = 0;
	return tail + 1;
}

/* Of its own, so that the loop over the messages has the registers. */
static __rte_noinline bool
batch_aliases(const struct shm_remote_consumer *rc, uint32_t at, uint32_t nb, uint32_t step)
{
	return shm_entry_batch_aliases(rc->entries, at, rc->mask, nb, step);
}

/*
 * A batch whose bytes would be taken for messages: each gets its own entry. The first comes
 * last, as that is what the consumer waits for.
 */
static __rte_noinline void
small_put_each(const struct shm_producer *p, const struct rte_comch_send *msgs, uint32_t nb,
		struct shm_entry *entry, uint32_t pos)
{
	while (nb-- > 0)
		/* C: pairs with the acquire in small_next() */
		shm_entry_put(&entry[nb], shm_entry_word(pos + nb, p->slot, msgs[nb].imm_len),
			msgs[nb].imm, msgs[nb].imm_len);
}

/*
 * Write a batch of messages from an entry on, and publish it; how many there were, which is 0
 * if the first one cannot be sent. The entries are ours, and do not go beyond the end of the
 * ring.
 */
static __rte_always_inline uint32_t
small_put_batch(struct shm_producer *p, const struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, uint32_t pos)
{
	const uint32_t at = pos & rc->mask;
	const uint32_t len = msgs[0].imm_len, step = shm_entry_step(len);
	const struct rte_comch_send *msg = msgs, *end;
	struct shm_entry *entry = &rc->entries[at];
	uint32_t tail = p->tail;
	uint8_t *to = entry->imm;
	uint64_t word;

	if (unlikely(!small_fits(msg, rc->imm_len)))
		return 0;
	shm_entry_own(to, nb * step);
	for (end = msgs + nb; msg != end; msg++, to += step) {
		if (unlikely(msg->imm_len != len || !small_fits(msg, len)))
			break;
		shm_entry_copy(to, msg->imm, len);
		tail = small_sent(p, tail, msg);
	}
	p->tail = tail;
	nb = msg - msgs;
	if (unlikely(batch_aliases(rc, at, nb, step))) {
		small_put_each(p, msgs, nb, entry, pos);
		return nb;
	}
	word = shm_entry_word(pos, p->slot, len) | (uint64_t)(nb - 1) << SHM_ENTRY_MORE_SHIFT;
	shm_entry_publish(entry, word); /* C: pairs with the acquire in small_next() */
	return nb;
}

/* Write messages from a position on, which is ours as those behind it. */
static __rte_always_inline uint32_t
small_put(struct shm_producer *p, const struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, uint32_t pos)
{
	uint32_t batch, done = 0, n;

	while (done < nb) {
		batch = RTE_MIN(nb - done, (uint32_t)SHM_ENTRY_MAX_BATCH);
		batch = RTE_MIN(batch, shm_entry_batch_room(pos + done, rc->mask));
		n = small_put_batch(p, rc, &msgs[done], batch, pos + done);
		if (unlikely(n == 0))
			break;
		done += n;
	}
	return done;
}

/* One of several producers: it claims first, so it has to know what can be sent. */
static __rte_noinline uint32_t
small_put_shared(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, int *reason)
{
	uint32_t credits = 0, fit;
	struct chunk ch;

	for (fit = 0; fit < nb && small_fits(&msgs[fit], rc->imm_len); fit++)
		;
	do {
		/* acquire: as in chunk_begin() */
		ch.head = __atomic_load_n(&rc->head, __ATOMIC_ACQUIRE);
		ch.nb = 0;
		ch.reason = rc_credits(rc, ch.head, nb, &credits);
		if (likely(ch.reason == 0)) {
			ch.nb = RTE_MIN(credits, fit);
			if (credits < nb)
				ch.reason = -EAGAIN;
		}
	} while (unlikely(!rc_claim(p, rc, &ch, false)));
	if (ch.nb == fit && fit < credits)
		ch.reason = small_fault(rc, &msgs[fit]);
	if (unlikely(ch.reason != 0))
		*reason = ch.reason;
	return small_put(p, rc, msgs, ch.nb, (uint32_t)ch.head);
}

/*
 * The only producer: nobody else takes positions before it is done, so it writes first and
 * claims what it has written. That it is the only one was found before head is read.
 */
static __rte_always_inline uint32_t
small_put_alone(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, int *reason)
{
	const uint64_t head = __atomic_load_n(&rc->head, __ATOMIC_RELAXED);
	uint32_t credits, sent;
	int ret;

	ret = rc_credits(rc, head, nb, &credits);
	if (unlikely(ret != 0)) {
		*reason = ret;
		return 0;
	}
	if (unlikely(credits < nb))
		*reason = -EAGAIN;
	sent = small_put(p, rc, msgs, credits, (uint32_t)head);
	if (unlikely(sent < credits))
		*reason = small_fault(rc, &msgs[sent]);
	__atomic_store_n(&rc->head, head + sent, __ATOMIC_RELAXED);
	return sent;
}

static __rte_always_inline uint32_t
small_burst(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint32_t nb, int *reason)
{
	const uint32_t places = p->mask + 1 - (p->tail - p->head);
	uint32_t sent;

	*reason = 0;
	if (unlikely(places < nb)) {
		nb = places;
		*reason = -ENOBUFS;
	}
	__atomic_store_n(&p->claiming, 1, __ATOMIC_RELAXED);
	shm_light_fence(false); /* X */
	/* acquire: what others have claimed; pairs with the release in producer_unlink_locked() */
	if (unlikely(__atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE) != 0)) {
		__atomic_store_n(&p->claiming, 0, __ATOMIC_RELAXED);
		return small_put_shared(p, rc, msgs, nb, reason);
	}
	sent = small_put_alone(p, rc, msgs, nb, reason);
	/* release: pairs with the acquire in shm_producers_settle_locked() */
	__atomic_store_n(&p->claiming, 0, __ATOMIC_RELEASE);
	return sent;
}

/* The producer has entered the consumer, and leaves it here. */
__rte_noinline uint16_t
shm_small_send(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint16_t nb)
{
	const uint32_t consumer_id = rc->id;
	uint32_t sent;
	int reason;

	sent = small_burst(p, rc, msgs, nb, &reason);
	burst_end(p, rc, sent);
	if (unlikely(reason != 0))
		return shm_send_short(p, consumer_id, msgs, nb, sent, reason);
	return sent;
}

/*
 * A burst of one, in a few instructions: whatever comes in its way is found once more, and
 * told, by the function for all bursts.
 */
__rte_noinline uint16_t
shm_small_send_one(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msg)
{
	uint32_t shared;
	uint64_t head;

	__atomic_store_n(&p->claiming, 1, __ATOMIC_RELAXED);
	shm_light_fence(false); /* X */
	/* acquire: what others have claimed; pairs with the release in producer_unlink_locked() */
	shared = __atomic_load_n(&p->fast->shared, __ATOMIC_ACQUIRE);
	head = __atomic_load_n(&rc->head, __ATOMIC_RELAXED);
	if (unlikely(shared != 0 || !rc_credit(rc, (uint32_t)head) ||
			p->tail - p->head > p->mask || !small_fits(msg, rc->imm_len))) {
		__atomic_store_n(&p->claiming, 0, __ATOMIC_RELEASE);
		return shm_small_send(p, rc, msg, 1);
	}
	/* C: pairs with the acquire in small_next() */
	shm_entry_put(&rc->entries[head & rc->mask],
		shm_entry_word((uint32_t)head, p->slot, msg->imm_len), msg->imm, msg->imm_len);
	p->tail = small_sent(p, p->tail, msg);
	__atomic_store_n(&rc->head, head + 1, __ATOMIC_RELAXED);
	/* release: pairs with the acquire in shm_producers_settle_locked() */
	__atomic_store_n(&p->claiming, 0, __ATOMIC_RELEASE);
	burst_end(p, rc, 1);
	return 1;
}

/* Packets that are empty can be sent. */
uint16_t
shm_small_tx(struct shm_producer *p, struct shm_remote_consumer *rc, struct rte_mbuf **pkts,
		uint16_t nb)
{
	const uint32_t consumer_id = rc->id;
	struct rte_comch_send msgs[SHM_CHUNK];
	uint32_t i, n, taken, sent = 0;
	int reason = 0;

	memset(msgs, 0, sizeof(msgs));
	while (sent < nb && reason == 0) {
		n = RTE_MIN((uint32_t)nb - sent, (uint32_t)SHM_CHUNK);
		for (i = 0; i < n; i++) {
			msgs[i].flags = RTE_COMCH_SEND_F_NO_CPL;
			msgs[i].len = pkts[sent + i]->pkt_len;
			msgs[i].addr = pkts[sent + i];
		}
		taken = small_burst(p, rc, msgs, n, &reason);
		rte_pktmbuf_free_bulk(&pkts[sent], taken);
		sent += taken;
		n -= taken;
		memmove(msgs, &msgs[taken], n * sizeof(msgs[0]));
	}
	burst_end(p, rc, sent);
	if (reason != 0)
		shm_send_short(p, consumer_id, msgs, 1, 0, reason);
	return sent;
}

/*
 * Consumers
 */

/* Why not all of a burst was posted. Another function tells what is wrong with a post. */
static __rte_noinline uint16_t
small_post_short(struct shm_consumer *c, const struct rte_comch_post *post, uint32_t n,
		bool wrong)
{
	if (wrong) {
		shm_post_sizes_burst(c, post, 1);
	} else {
		c->reason = -ENOBUFS;
		c->queue->stats.short_queue++;
	}
	return n;
}

uint16_t
shm_small_post(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct shm_consumer *c = queue;
	const uint32_t first = c->post_pos, mask = c->mask;
	const struct rte_comch_post *post = posts;
	uint64_t *const cookies = c->cookies;
	const uint32_t room = c->size - nb_posted(c);
	uint32_t pos = first, end = first + RTE_MIN((uint32_t)nb, room);

	for (; pos != end; pos++, post++) {
		if (unlikely((post->len | (uintptr_t)post->addr | post->flags) != 0))
			break;
		cookies[pos & mask] = post->cookie;
	}
	c->reason = 0;
	if (likely(pos != first)) {
		c->post_pos = pos;
		post_publish(c); /* P */
	}
	if (unlikely(pos - first != nb))
		return small_post_short(c, post, pos - first, pos != end);
	return nb;
}

/* From here on nothing is believed, and the connection ends. */
static __rte_noinline bool
small_broken(struct shm_consumer *c, uint64_t word)
{
	c->broken = true;
	shm_fast_violation(c->queue, "its entry is nonsense", (uint32_t)word, word >> 32);
	return false;
}

/*
 * Look for the next batch, which the producer of the peer has published as a whole. Its word
 * is loaded once. A peer that lies about its producers harms nobody, but 0 is none.
 */
static __rte_always_inline bool
small_next(struct shm_consumer *c, struct shm_batch *batch)
{
	const uint32_t pos = c->poll_pos, at = pos & c->mask;
	const struct shm_entry *entry = &c->entries[at];
	/* C: pairs with the release in small_put_batch() */
	const uint64_t word = shm_entry_get(entry);
	const uint32_t producer = shm_entry_producer(word), nb = shm_entry_more(word) + 1;

	if (!shm_entry_is(word, pos))
		return false;
	batch->len = shm_entry_len(word);
	/* never more than was posted, and not beyond the end of the ring */
	if (unlikely(batch->len > c->imm_len || producer >= SHM_WIRE_PRODUCER_SLOTS ||
			nb > nb_posted(c) || nb > c->mask + 1 - at))
		return small_broken(c, word);
	/* relaxed: the word has ordered it */
	batch->producer = __atomic_load_n(&c->cpls->producers[producer], __ATOMIC_RELAXED);
	if (unlikely(batch->producer == 0))
		return small_broken(c, word);
	batch->next = entry->imm;
	batch->left = nb;
	if (nb != 1)
		shm_entry_fetch(entry, nb, shm_entry_step(batch->len));
	return true;
}

/* Two fields of a completion, one store. */
static __rte_always_inline void
cpl_pair_set(struct rte_comch_cpl *cpl, size_t off, uint32_t first)
{
	const uint64_t pair = first; /* the second one is 0 */

	memcpy((uint8_t *)cpl + off, &pair, sizeof(pair));
}

/*
 * One message of a batch: immediate data is copied out of what the peer may change, and all
 * that is inline, which takes no call and no branch. It lies in the entries of the batch,
 * whatever its length is.
 */
static __rte_always_inline void
small_take(const struct shm_batch *batch, const uint8_t *imm, uint64_t cookie,
		struct rte_comch_cpl *cpl)
{
	cpl->cookie = cookie;
	cpl->len = 0;
	cpl_pair_set(cpl, offsetof(struct rte_comch_cpl, producer_id), batch->producer);
	cpl_pair_set(cpl, offsetof(struct rte_comch_cpl, imm_len), batch->len);
	memcpy(cpl->imm, imm, RTE_COMCH_CPL_IMM_SIZE);
}

/* Immediate data that is not inline in completions, of a row of places. */
static __rte_noinline void
small_ext(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint32_t nb, uint32_t at)
{
	const uint32_t len = c->batch.len, step = shm_entry_step(len);
	uint8_t *to = c->imm_copy + (uint64_t)at * c->imm_size;
	uint32_t i;

	for (i = 0; i < nb; i++, to += c->imm_size) {
		memcpy(to, c->batch.next + (uint64_t)i * step, len);
		cpls[i].imm_ext = to;
	}
}

/* Up to nb messages of the batch, which is one row of places; how many. */
static __rte_always_inline uint32_t
small_row(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint32_t nb)
{
	/* the compiler cannot know that what it writes to cpls is none of these */
	const struct shm_batch batch = c->batch;
	const uint32_t at = c->poll_pos & c->mask, step = shm_entry_step(batch.len);
	const uint64_t *cookie = &c->cookies[at];
	const uint8_t *imm = batch.next;
	struct rte_comch_cpl *cpl = cpls, *end;

	nb = RTE_MIN(nb, batch.left);
	for (end = cpls + nb; cpl != end; cpl++, cookie++, imm += step)
		small_take(&batch, imm, *cookie, cpl);
	if (unlikely(batch.len > RTE_COMCH_CPL_IMM_SIZE))
		small_ext(c, cpls, nb, at);
	c->batch.next = imm;
	c->batch.left -= nb;
	c->poll_pos += nb;
	return nb;
}

/* Nothing has come, or nothing is believed: posts come back unused at the end. */
static __rte_noinline uint16_t
small_none(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return c->flush != 0 ? shm_flush_poll(c, cpls, nb) : 0;
}

static __rte_noinline uint16_t
small_poll_many(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	const uint32_t want = RTE_MIN(nb_posted(c), (uint32_t)nb);
	uint32_t n = 0;

	while (n < want && (c->batch.left != 0 || small_next(c, &c->batch)))
		n += small_row(c, &cpls[n], want - n);
	if (unlikely(n == 0))
		return small_none(c, cpls, nb);
	c->queue->stats.msgs += n;
	c->queue->stats.bursts++;
	return n;
}

uint16_t
shm_small_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_consumer *c = queue;
	const uint32_t at = c->poll_pos & c->mask;
	struct shm_batch batch;

	if (unlikely(c->broken))
		return small_none(c, cpls, nb);
	if (c->batch.left != 0)
		return small_poll_many(c, cpls, nb);
	if (c->post_pos == c->poll_pos)
		return 0;
	if (!small_next(c, &batch))
		return unlikely(c->flush != 0) ? small_none(c, cpls, nb) : 0;
	if (nb != 1 || batch.left != 1 || batch.len > RTE_COMCH_CPL_IMM_SIZE) {
		c->batch = batch;
		return small_poll_many(c, cpls, nb);
	}
	/* one message at a time: its batch is no more than this */
	small_take(&batch, batch.next, c->cookies[at], cpls);
	c->poll_pos++;
	c->queue->stats.msgs++;
	c->queue->stats.bursts++;
	return 1;
}

/* Is there something to poll? What cannot be is found by the poll. */
bool
shm_small_pending(const struct shm_consumer *c)
{
	/* C: pairs with the release in small_put_batch() */
	return !c->broken && (c->batch.left != 0 ||
		shm_entry_is(shm_entry_get(&c->entries[c->poll_pos & c->mask]), c->poll_pos));
}

