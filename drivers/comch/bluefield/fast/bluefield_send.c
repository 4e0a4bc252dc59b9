/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers: sending bursts, and the completions of what was sent. All of it runs in the
 * thread of one producer; it takes no lock, but where a consumer is used for the first time.
 *
 * Order. Each message has a position, over all pairs of the producer. A completion of a
 * queue pair says up to where messages of that one have arrived, and a message is given
 * back when it and all before it have arrived: so memory of one without a completion is
 * the application's when a later one has completed.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "bluefield_fast.h"

/*
 * Pairs
 */

/* What was sent over it and has not arrived ends with this status. */
void
bf_pair_fault(struct bf_pair *pair, int status)
{
	if (pair->fault != 0)
		return;
	pair->fault = status;
	pair->key = 0;
	bf_fast_attention(&pair->producer->attention, pair->producer->group);
}

/* A consumer of the peer, referenced, or NULL. */
static struct bf_rc *
rc_get(struct bf_fast *fast, uint32_t consumer_id)
{
	struct bf_rc *rc;

	bf_lock(&fast->lock);
	rc = fast->rcs[consumer_id % BF_MAX_CONSUMERS];
	if (rc != NULL && rc->id == consumer_id)
		rc->refs++;
	else
		rc = NULL;
	bf_unlock(&fast->lock);
	return rc;
}

/* The first message to a consumer: its pair is made, which takes a moment. */
static int
pair_first(struct bf_producer *p, uint32_t consumer_id)
{
	struct bf_rc *rc;

	if (__atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0)
		return -ENOTCONN;
	rc = rc_get(p->fast, consumer_id);
	if (rc == NULL)
		return -ENOENT;
	p->to[consumer_id % BF_MAX_CONSUMERS] = bf_pair_open(p, rc);
	return -EAGAIN; /* also for want of memory: the next one tries again */
}

struct bf_pair *
bf_pair_find_slow(struct bf_producer *p, uint32_t consumer_id, int *reason)
{
	struct bf_pair **to = &p->to[consumer_id % BF_MAX_CONSUMERS], *pair;

	bf_producer_service(p, rte_get_tsc_cycles());
	pair = *to;
	if (pair != NULL && pair->rc->id == consumer_id && pair->key == consumer_id)
		return pair;
	*reason = -EAGAIN;
	if (p->stopping || p->broken) {
		*reason = -ENOTCONN;
		return NULL;
	}
	if (pair != NULL && pair->rc->id == consumer_id &&
			!bf_credits_closed(&pair->rc->credits)) {
		if (bf_pair_is(pair, BF_PAIR_FAILED) && pair->retry != 0 &&
				rte_get_tsc_cycles() >= pair->retry) {
			*to = NULL;
			bf_pair_end(pair);
		}
		if (pair->fault != 0)
			*reason = -ENOTCONN; /* and the connection is about to end */
		return NULL;
	}
	if (pair != NULL) {
		*to = NULL;
		pair->key = 0;
		__atomic_store_n(&pair->end, 1, __ATOMIC_RELAXED);
		bf_fast_attention(&p->attention, p->group);
	}
	*reason = pair_first(p, consumer_id);
	return NULL;
}

/*
 * Completions
 */

/* Blocks of the request of a message. */
static uint32_t
sent_blocks(const struct bf_pair *pair, const struct bf_sent *sent)
{
	if ((bf_sent_flags(sent) & BF_SENT_MBUF) != 0)
		return bf_sent_blocks(sent);
	return bf_sent_len(sent) != 0 ? pair->form.nb_blocks : 1;
}

/* The request of this index is the first that has not arrived, if there is one. */
static bool
sent_find(struct bf_producer *p, struct bf_pair *pair, uint16_t index)
{
	uint32_t pos = (int32_t)(pair->acked - p->head) > 0 ? pair->acked : p->head;
	uint16_t block = pair->sq.ci;

	for (; pos != p->tail; pos++) {
		const struct bf_sent *sent = &p->sent[pos & p->mask];

		if (bf_sent_pair(sent) != pair->index)
			continue;
		if (block == index) {
			pair->acked = pos;
			return true;
		}
		block += sent_blocks(pair, sent);
	}
	return false;
}

/*
 * All up to the request of this index has arrived; false: no such request is posted, or
 * none that has a completion.
 */
static inline bool
sent_done(struct bf_pair *pair, uint16_t index)
{
	const struct bf_sent_upto upto = pair->upto[index & pair->sq.mask];
	uint16_t posted = pair->sq.pi - pair->sq.ci;

	if (unlikely((uint16_t)(index - pair->sq.ci) >= posted ||
			(uint16_t)(upto.end - index - 1) >= BF_WQE_MAX_BLOCKS ||
			(uint16_t)(upto.end - pair->sq.ci) > posted))
		return false;
	pair->sq.ci = upto.end;
	pair->acked = upto.pos;
	return true;
}

/* A send has failed, or was never sent because of an earlier one. */
static __rte_noinline void
sent_odd(struct bf_producer *p, const struct bf_cqe *cqe, struct bf_pair *pair)
{
	uint16_t index = bf_cqe_wqe_counter(cqe);
	uint8_t syndrome = bf_cqe_syndrome(cqe);

	if (pair != NULL && (pair->fault != 0 || pair->ending))
		return; /* those behind the first one, or of a pair that goes */
	if (pair == NULL || bf_cqe_opcode(cqe) != BF_CQE_REQ_ERR ||
			!sent_find(p, pair, index)) {
		p->broken = true;
		bf_fast_nonsense(p->queue, "a completion of a send", index,
			bf_cqe_user_index(cqe));
		return;
	}
	if (!bf_credits_closed(&pair->rc->credits)) {
		if (bf_peer_log_allowed(p->dev, p->fast->chan->rep_id))
			BF_LOG(ERR, "%s: producer %u cannot reach consumer %u: syndrome %#x, vendor's %#x",
				p->queue->dev->data->name, p->queue->id, pair->rc->id, syndrome,
				bf_cqe_vendor_syndrome(cqe));
		bf_chan_lost(p->fast->chan, -ECONNRESET);
	}
	bf_pair_fault(pair, p->stopping ? p->status : -ECONNRESET);
}

/* Learn how far the messages of each pair have come. */
void
bf_sent_reap(struct bf_producer *p)
{
	const uint32_t ci = p->cq.ci;
	const struct bf_cqe *cqe;
	struct bf_pair *pair;
	uint32_t user;
	uint16_t index;

	while (likely(!p->broken) && (cqe = bf_compq_next(&p->cq)) != NULL) {
		user = bf_cqe_user_index(cqe);
		pair = user < BF_QUEUE_PAIRS ? p->pairs[user] : NULL;
		index = bf_cqe_wqe_counter(cqe);
		if (unlikely(pair == NULL || bf_cqe_opcode(cqe) != BF_CQE_REQ ||
				pair->fault != 0 || !sent_done(pair, index)))
			sent_odd(p, cqe, pair);
	}
	if (p->cq.ci != ci)
		bf_compq_commit(&p->cq);
}

/* 1: the message at a position has arrived; 0: not yet; or it has failed with this. */
static inline int
sent_status(struct bf_producer *p, uint32_t pos)
{
	struct bf_pair *pair = p->pairs[bf_sent_pair(&p->sent[pos & p->mask])];

	if (likely((int32_t)(pair->acked - pos) > 0))
		return 1;
	if (pair->fault != 0)
		return pair->fault;
	if (likely(!pair->ending) || !bf_pair_is(pair, BF_PAIR_DEAD))
		return 0;
	/* the queue pair is gone: what is not in the completion queue by now never is */
	bf_sent_reap(p);
	if ((int32_t)(pair->acked - pos) > 0)
		return 1;
	bf_pair_fault(pair, p->stopping ? p->status : -ECONNRESET);
	return pair->fault;
}

/* One that nobody polls; the caller moves head. */
static inline void
sent_drop(struct bf_sent *sent)
{
	if ((bf_sent_flags(sent) & BF_SENT_MBUF) != 0)
		rte_pktmbuf_free((struct rte_mbuf *)(uintptr_t)sent->cookie);
}

/* Give back what needs no completion, up to the first one that does. */
void
bf_sent_quiet(struct bf_producer *p)
{
	struct bf_sent *sent;

	while (p->head != p->tail) {
		sent = &p->sent[p->head & p->mask];
		if ((bf_sent_flags(sent) & BF_SENT_QUIET) == 0 || sent_status(p, p->head) == 0)
			return;
		sent_drop(sent);
		p->head++;
	}
}

/* Is there one to poll? */
bool
bf_sent_pending(struct bf_producer *p)
{
	return p->head != p->tail && sent_status(p, p->head) != 0;
}

/* Messages of one pair that have arrived, from head on; how many were told of. */
static inline uint32_t
sent_row(struct bf_producer *p, struct rte_comch_cpl *cpls, uint32_t nb)
{
	const struct bf_sent *ring = p->sent, *sent = &ring[p->head & p->mask];
	const uint32_t mask = p->mask, tail = p->tail, pair = bf_sent_pair(sent);
	const uint32_t acked = p->pairs[pair]->acked;
	struct rte_comch_cpl *cpl = cpls, *end = cpls + nb;
	uint32_t pos = p->head, last = pos;

	if ((int32_t)(acked - pos) > 0)
		last = pos + RTE_MIN(acked - pos, tail - pos);
	for (; pos != last && cpl != end; pos++) {
		sent = &ring[pos & mask];
		/* another pair, or a flag: all in one half */
		if (unlikely(sent->about >> 32 != pair)) {
			if (bf_sent_pair(sent) != pair || (bf_sent_flags(sent) & BF_SENT_MBUF) != 0)
				break;
			continue;
		}
		cpl->cookie = sent->cookie;
		cpl->len = bf_sent_len(sent);
		cpl->producer_id = 0;
		cpl->status = 0;
		cpl->imm_len = 0;
		cpl->reserved = 0;
		cpl++;
	}
	p->head = pos;
	return cpl - cpls;
}

/* One that has failed, or that nobody polls; whether it was told of. */
static uint32_t
sent_one(struct bf_producer *p, struct rte_comch_cpl *cpl, int status)
{
	struct bf_sent *sent = &p->sent[p->head++ & p->mask];

	if ((bf_sent_flags(sent) & BF_SENT_QUIET) != 0) {
		sent_drop(sent);
		return 0;
	}
	memset(cpl, 0, offsetof(struct rte_comch_cpl, imm));
	cpl->cookie = sent->cookie;
	cpl->len = bf_sent_len(sent);
	cpl->status = status > 0 ? 0 : status;
	return 1;
}

static uint16_t
sent_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct bf_producer *p = queue;
	uint32_t n = 0;
	int status;

	if (p->head == p->tail)
		return 0;
	bf_sent_reap(p);
	while (n < nb && p->head != p->tail) {
		n += sent_row(p, &cpls[n], nb - n);
		if (n == nb || p->head == p->tail)
			break;
		status = sent_status(p, p->head);
		if (status == 0)
			break;
		n += sent_one(p, &cpls[n], status);
	}
	p->nb_wanted -= n;
	return n;
}

/*
 * Bursts
 */

/*
 * What came in the way of a burst, for those who ask and for the counters. fault: why the
 * consumer can never take the message that was not sent, or 0; such a one does not wait.
 */
void
bf_send_note(struct bf_producer *p, uint32_t consumer_id, int fault, int reason)
{
	struct bf_pair *pair = p->to[consumer_id % BF_MAX_CONSUMERS];

	if (pair != NULL && pair->rc->id != consumer_id)
		pair = NULL;
	if (reason == -EAGAIN && fault != 0)
		reason = fault;
	if (reason == -EAGAIN && __atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0)
		reason = -ENOTCONN;
	p->reason = reason;
	if (reason == -EAGAIN) {
		if (pair != NULL)
			pair->starved = true;
		/* it is tried again, whether the application comes back to it or sleeps */
		if (pair != NULL && unlikely(bf_pair_is(pair, BF_PAIR_FAILED)))
			bf_fast_attention(&p->attention, p->group);
		p->queue->stats.short_credits++;
	} else if (reason == -ENOBUFS) {
		p->queue->stats.short_queue++;
	} else {
		p->queue->stats.errors++;
	}
}

/* Why a consumer can never take a message, or 0. */
static __rte_noinline int
send_fault(const struct bf_rc *rc, const struct rte_comch_send *msg)
{
	const struct rte_comch_mem *mem = msg->mem;
	uint64_t off;

	if (msg->flags > RTE_COMCH_SEND_F_NO_CPL)
		return -EINVAL;
	if (msg->imm_len > rc->imm_len)
		return -E2BIG;
	if ((msg->imm_len != 0 && msg->imm == NULL) || (msg->len != 0 && msg->addr == NULL))
		return -EINVAL;
	if (msg->len == 0)
		return 0;
	if (mem == NULL)
		return -EFAULT;
	off = (uintptr_t)msg->addr - (uintptr_t)mem->addr;
	if ((off > mem->len || msg->len > mem->len - off) && (mem->nb_chunks == 0 ||
			rte_comch_pmd_mem_chunk(mem, msg->addr, msg->len) == NULL))
		return -EFAULT;
	return msg->len > rc->buf_size ? -EMSGSIZE : 0;
}

/* The same, of one that is not the usual one; 0, and its key. */
static __rte_noinline int
send_odd(const struct bf_rc *rc, const struct rte_comch_send *msg, uint64_t *key)
{
	int ret = send_fault(rc, msg);

	if (ret != 0 || msg->len == 0)
		return ret;
	if (bf_mem_has_bounce(msg->mem))
		bf_bounce_out(msg->mem, msg->addr, msg->len);
	*key = bf_key(bf_mem_lkey(msg->mem, msg->addr, msg->len));
	return 0;
}

/* How many of nb there are places for, in what is sent and in the queue pair. */
static inline uint32_t
send_places(struct bf_producer *p, struct bf_pair *pair, uint32_t nb)
{
	uint32_t places = p->size - p->nb_wanted;

	if (unlikely(p->mask + 1 - (p->tail - p->head) < nb ||
			bf_send_form_room(&pair->form, &pair->sq) < nb)) {
		bf_sent_reap(p);
		bf_sent_quiet(p);
		places = RTE_MIN(places, p->mask + 1 - (p->tail - p->head));
		places = RTE_MIN(places, bf_send_form_room(&pair->form, &pair->sq));
	}
	return RTE_MIN(places, nb);
}

/* What was written of a chunk, and not yet rung. */
struct chunk {
	uint32_t nb;
	uint32_t wanted;  /* completions */
	uint64_t bytes;
	int reason;       /* why these are not all, or 0 */
};

/* What messages of one region are checked against. */
struct tx_region {
	const struct rte_comch_mem *mem;
	uintptr_t begin;
	uint64_t key;
	uint64_t len_max;  /* of a message that need not be looked at closely */
	uint64_t last_off; /* of one, from the beginning; it is one of these everywhere */
};

static inline struct tx_region
tx_region(const struct bf_rc *rc, const struct rte_comch_mem *mem)
{
	struct tx_region r = { .mem = mem };

	/* messages in one of several chunks, or out of reach, are looked at one by one */
	if (mem == NULL || mem->nb_chunks != 0 || bf_mem_has_bounce(mem))
		return r;
	r.begin = (uintptr_t)mem->addr;
	r.key = bf_key(bf_mem_lkey(mem, mem->addr, 0));
	r.len_max = RTE_MIN(mem->len, rc->buf_size);
	r.last_off = mem->len - r.len_max;
	return r;
}

/* Length of immediate data and flags: one word that stands in a message so. */
static inline uint64_t
send_word(const struct rte_comch_send *msg)
{
	uint64_t word;

	memcpy(&word, &msg->imm_len, sizeof(word));
	return word;
}

_Static_assert(offsetof(struct rte_comch_send, flags) ==
	offsetof(struct rte_comch_send, imm_len) + sizeof(uint32_t), "length, then flags");
#define WORD_FLAGS_SHIFT 32
#define WORD_QUIET ((uint64_t)RTE_COMCH_SEND_F_NO_CPL << WORD_FLAGS_SHIFT)

/* Immediate data and flags that need not be looked at closely. */
static __rte_always_inline bool
imm_is_usual(const struct rte_comch_send *msg, uint64_t word, uint32_t imm_max,
	const bool with_imm)
{
	if (!with_imm)
		return (word & ~WORD_QUIET) == 0;
	return (uint32_t)word <= imm_max && (msg->imm != NULL || (uint32_t)word == 0) &&
		word >> WORD_FLAGS_SHIFT <= RTE_COMCH_SEND_F_NO_CPL;
}

/* Of the last one alone a completion tells that it has arrived. */
static inline void
send_upto(struct bf_pair *pair, const struct bf_send_row *row, uint32_t pos)
{
	pair->upto[bf_send_row_last(row)] = (struct bf_sent_upto){
		.pos = pos, .end = bf_send_row_index(row),
	};
}

/*
 * Write requests for up to nb messages, each looked at by itself. Nothing is seen by the
 * device, and all may be written anew.
 */
static __rte_always_inline struct bf_send_row
send_each(struct bf_producer *p, struct bf_pair *pair, const struct rte_comch_send *msgs,
	uint32_t nb, struct chunk *ch, const bool with_imm)
{
	struct bf_send_row row = bf_send_row_begin(&pair->sq);
	/* one without data has no region that may be looked at */
	struct tx_region r = tx_region(pair->rc, nb != 0 && msgs->len != 0 ? msgs->mem : NULL);
	const struct bf_send_form form = pair->form;
	const uint64_t about = (uint64_t)pair->index << 32;
	const struct rte_comch_send *msg = msgs, *end = msgs + nb;
	uint64_t key, word, words = 0, bytes = 0;
	struct bf_sent *sent;
	uint32_t pos = p->tail;
	int ret = 0;

	for (; msg != end; msg++, pos++) {
		if (unlikely(msg->mem != r.mem) && msg->len != 0)
			r = tx_region(pair->rc, msg->mem);
		key = r.key;
		word = send_word(msg);
		if (unlikely(msg->len - 1 >= r.len_max ||
				(uintptr_t)msg->addr - r.begin > r.last_off ||
				!imm_is_usual(msg, word, form.imm_len, with_imm))) {
			ret = send_odd(pair->rc, msg, &key);
			if (ret != 0)
				break;
		}
		bf_send_row_put(&row, &form, &msg->addr, msg->len, key, msg->imm, (uint32_t)word,
			with_imm ? (uint32_t)word : 0, with_imm);
		sent = &p->sent[pos & p->mask];
		sent->cookie = msg->cookie;
		sent->about = about | msg->len | (word >> WORD_FLAGS_SHIFT << 48);
		words += word;
		bytes += msg->len;
	}
	ch->nb = msg - msgs;
	ch->wanted = ch->nb - (words >> WORD_FLAGS_SHIFT);
	ch->bytes = bytes;
	ch->reason = ret;
	if (likely(ch->nb != 0))
		send_upto(pair, &row, pos);
	return row;
}

static __rte_noinline struct bf_send_row
send_odd_chunk(struct bf_producer *p, struct bf_pair *pair, const struct rte_comch_send *msgs,
	uint32_t nb, struct chunk *ch)
{
	return pair->form.imm_len != 0 ? send_each(p, pair, msgs, nb, ch, true) :
		send_each(p, pair, msgs, nb, ch, false);
}

/* Those that are not to have a completion are marked; how many have one. */
static __rte_noinline uint32_t
send_mark_quiet(struct bf_producer *p, const struct rte_comch_send *msgs, uint32_t nb)
{
	uint32_t i, wanted = nb;

	for (i = 0; i < nb; i++) {
		p->sent[(p->tail + i) & p->mask].about |= (uint64_t)msgs[i].flags << 48;
		wanted -= msgs[i].flags;
	}
	return wanted;
}

/*
 * The same for messages that are all of the first one's region, which has one chunk, or
 * have no data. What can be wrong with them is gathered, and found at the end: then, or if
 * they are of several kinds, false, and nothing counts. What is used again and again is in
 * locals, for the compiler cannot know that nobody writes it.
 */
static __rte_always_inline bool
send_alike(struct bf_producer *p, struct bf_pair *pair, const struct rte_comch_send *msgs,
	uint32_t nb, struct bf_send_row *row, struct chunk *ch, const bool with_imm,
	const bool with_data)
{
	const struct tx_region r = tx_region(pair->rc, with_data ? msgs->mem : NULL);
	struct bf_send_run run = bf_send_run_begin(row, &pair->form, with_imm, with_data);
	const bf_vec first = { r.begin, 1 }, last = { r.last_off, r.len_max - 1 };
	const bf_vec about = { 0, (uint64_t)pair->index << 32 }, key = { r.key, 0 };
	const struct rte_comch_send *msg = msgs, *end = msgs + nb;
	bf_vec piece, imm_flags_cookie, above = { 0 }, words = { 0 }, sum = { 0 };
	const struct bf_send_form form = pair->form;
	const uint32_t mask = p->mask * sizeof(struct bf_sent);
	uint32_t at = p->tail * sizeof(struct bf_sent) & mask;
	uint8_t *ring = (uint8_t *)p->sent;

	for (; msg != end; msg++) {
		piece = bf_vec_load(&msg->addr);
		imm_flags_cookie = bf_vec_load(&msg->imm_len);
		if (with_data ? unlikely(msg->mem != r.mem) : unlikely(msg->len != 0))
			return false;
		if (with_imm && unlikely(!imm_is_usual(msg, send_word(msg), form.imm_len, true)))
			return false;
		if (with_data)
			above |= bf_vec_above(piece - first, last);
		words |= imm_flags_cookie;
		sum += piece;
		bf_send_run_put(&run, &form, piece, key, msg->imm, msg->imm_len, msg->imm_len,
			with_imm, with_data);
		bf_vec_put(ring + at, bf_vec_second(imm_flags_cookie, piece) | about);
		at = (at + sizeof(struct bf_sent)) & mask;
	}
	if (unlikely(bf_vec_any_above(above) || (!with_imm && (words[0] & ~WORD_QUIET) != 0)))
		return false;
	ch->wanted = nb;
	if (words[0] >> WORD_FLAGS_SHIFT != 0)
		ch->wanted = send_mark_quiet(p, msgs, nb);
	ch->nb = nb;
	ch->bytes = with_data ? sum[1] : 0;
	ch->reason = 0;
	bf_send_run_end(&run, &form, row, nb, with_data);
	send_upto(pair, row, p->tail + nb);
	return true;
}

/* Requests for up to nb messages, none of which the device sees. */
static __rte_always_inline struct bf_send_row
send_write(struct bf_producer *p, struct bf_pair *pair, const struct rte_comch_send *msgs,
	uint32_t nb, struct chunk *ch)
{
	struct bf_send_row row = bf_send_row_begin(&pair->sq);
	struct chunk odd;
	bool done = false;

	if (likely(nb != 0 && msgs->len != 0))
		done = pair->form.imm_len == 0 ?
			send_alike(p, pair, msgs, nb, &row, ch, false, true) :
			send_alike(p, pair, msgs, nb, &row, ch, true, true);
	else if (nb != 0 && pair->form.imm_len != 0)
		done = send_alike(p, pair, msgs, nb, &row, ch, true, false);
	if (unlikely(!done)) {
		row = send_odd_chunk(p, pair, msgs, nb, &odd);
		*ch = odd;
	}
	return row;
}

/* Up to a chunk of messages. */
static __rte_always_inline uint32_t
send_chunk(struct bf_producer *p, struct bf_pair *pair, const struct rte_comch_send *msgs,
	uint32_t nb, int *reason)
{
	struct bf_credits *cr = &pair->rc->credits;
	struct bf_send_row row;
	uint32_t credits, taken;
	struct chunk ch;
	uint64_t head;

	nb = send_places(p, pair, nb);
	if (unlikely(nb == 0)) {
		*reason = -ENOBUFS;
		return 0;
	}
	if (pair->sq.pi == pair->sq.ci)
		pair->acked = p->tail; /* it may be very old */
	do {
		head = bf_credits_head(cr);
		if (unlikely(bf_credits_closed(cr))) {
			*reason = -ENOENT;
			return 0;
		}
		credits = bf_credits_at(cr, head);
		if (unlikely(credits < nb)) {
			bf_credits_look(pair);
			credits = bf_credits_at(cr, head);
		}
		row = send_write(p, pair, msgs, RTE_MIN(credits, nb), &ch);
		taken = 0;
	} while (ch.nb != 0 && unlikely(!bf_credits_claim(cr, p->queue->id, head, ch.nb, &taken)));
	if (ch.reason == 0 && taken < nb)
		ch.reason = -EAGAIN;
	if (unlikely(taken < ch.nb)) {
		/* others have shares: fewer of them */
		row = send_write(p, pair, msgs, taken, &ch);
		ch.reason = -EAGAIN;
	}
	*reason = ch.reason;
	bf_send_row_end(&row, &pair->sq);
	p->tail += ch.nb;
	pair->claimed += ch.nb;
	p->nb_wanted += ch.wanted;
	p->queue->stats.bytes += ch.bytes;
	return ch.nb;
}

/* msg was not sent; it is NULL if there was none. */
static __rte_noinline void
send_note(struct bf_producer *p, uint32_t consumer_id, const struct rte_comch_send *msg,
	int reason)
{
	const struct bf_rc *rc = bf_rc_known(p, consumer_id);

	bf_send_note(p, consumer_id, rc != NULL && msg != NULL ? send_fault(rc, msg) : 0, reason);
}

static uint16_t
send_burst(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs, uint16_t nb)
{
	struct bf_producer *p = queue;
	uint32_t sent = 0, want;
	struct bf_pair *pair;
	int reason = 0;

	pair = bf_pair_find(p, consumer_id, &reason);
	if (unlikely(pair == NULL)) {
		send_note(p, consumer_id, nb != 0 ? msgs : NULL, reason);
		return 0;
	}
	while (sent < nb && likely(reason == 0)) {
		want = RTE_MIN(nb - sent, (uint32_t)BF_CHUNK);
		sent += send_chunk(p, pair, &msgs[sent], want, &reason);
	}
	p->reason = 0;
	if (likely(sent != 0)) {
		if (unlikely(bf_pair_minds(pair)))
			bf_credits_mind(pair);
		bf_sendq_ring(&pair->sq);
		p->queue->stats.msgs += sent;
		p->queue->stats.bursts++;
	}
	if (unlikely(sent < nb)) {
		send_note(p, consumer_id, &msgs[sent], reason != 0 ? reason : -ENOBUFS);
	}
	return sent;
}

_Static_assert(RTE_COMCH_SEND_F_NO_CPL == BF_SENT_QUIET, "flags of what was sent");

void
bf_producer_fns(const struct bf_producer *p __rte_unused, struct rte_comch_fp_object *fp)
{
	fp->send = send_burst;
	fp->poll = sent_poll;
	fp->credits = bf_credits_get;
	fp->tx_mbuf = bf_tx_mbuf;
}
