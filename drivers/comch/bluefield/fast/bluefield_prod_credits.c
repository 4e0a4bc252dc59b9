/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Producers: what consumers tell them of credits, when that is read, and how the consumers
 * learn that it was. Who has a share of them is in bluefield_credits.c. All of it runs in
 * the thread of one producer; it tries for a lock where others have claimed all.
 */

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "bluefield_fast.h"

/* No message of credits: the peer has sent another one, or the queue pair has failed. */
static __rte_noinline void
credits_odd(struct bf_pair *pair, const struct bf_cqe *cqe)
{
	struct bf_chan *chan = pair->fast->chan;
	uint8_t opcode = bf_cqe_opcode(cqe), syndrome = bf_cqe_syndrome(cqe);

	/* data is an error: no buffer is posted for it */
	if (opcode != BF_CQE_RESP_ERR || syndrome == BF_SYND_LOCAL_LEN ||
			syndrome == BF_SYND_REMOTE_INVAL)
		bf_chan_violation(chan, "no message of credits", opcode, pair->id);
	else if (!pair->ending && !bf_credits_closed(&pair->rc->credits))
		/* also if flushed: the send that has failed may be seen after this */
		bf_chan_lost(chan, -ECONNRESET);
	bf_pair_fault(pair, -ECONNRESET);
}

/*
 * When the next burst has to look: when more than a few messages of credits wait, or when
 * the consumer is to learn what was read.
 */
void
bf_pair_mind_set(struct bf_pair *pair)
{
	static const uint8_t always;
	const struct bf_compq *back = &pair->back;
	const uint32_t at = back->ci + BF_PAIR_UNREAD;

	if (pair->read - pair->read_told >= BF_PAIR_READS) {
		pair->mind = &always;
		pair->mind_bit = 0;
		return;
	}
	pair->mind = &back->ring[at & back->mask].op_own;
	pair->mind_bit = (at & back->nb_cqes) != 0 ? BF_CQE_OWNER : 0;
}

/*
 * What other producers of this side were told, whose threads need not look. Whatever stands
 * in a completion that was ever written, was told; a newer one may come while it is read.
 */
static void
credits_peek(struct bf_pair *pair)
{
	struct bf_rc *rc = pair->rc;
	const struct bf_pair *other;
	const struct bf_cqe *cqe;

	if (!bf_trylock(&pair->fast->lock))
		return;
	TAILQ_FOREACH(other, &rc->pairs, next)
		for (cqe = other->back.ring; cqe != other->back.ring + other->back.nb_cqes; cqe++) {
			if (bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND_IMM)
				continue;
			BF_WQ_AFTER_OWNER();
			/* what cannot be is found by whose it is */
			(void)bf_credits_told(&rc->credits, bf_cqe_imm(cqe));
		}
	bf_unlock(&pair->fast->lock);
}

/*
 * Others have claimed all that this pair was told of, and it is told no more before its
 * consumer knows that it has read that. Others may have been told.
 */
static __rte_noinline void
credits_starved(struct bf_pair *pair)
{
	struct bf_fast_group *fg = bf_fast_group_of(pair->producer->group);
	const uint64_t now = rte_get_tsc_cycles();

	if (now < pair->peek || pair->ending)
		return;
	pair->peek = now + rte_get_tsc_hz() / US_PER_S * BF_PEEK_US;
	credits_peek(pair);
	if (bf_credits_now(&pair->rc->credits) != 0)
		return;
	/* the connection says it, at the next look if it has no room now */
	if (!pair->asked)
		pair->asked = bf_pair_ask(pair) == 0;
	/* no event tells of what others are told */
	if (pair->starved)
		fg->retry = RTE_MIN(fg->retry, now + rte_get_tsc_hz() / MS_PER_S * BF_RETRY_MS);
}

/* Take what the consumer has told over this pair. */
void
bf_credits_look(struct bf_pair *pair)
{
	const struct bf_cqe *cqe;
	bool any = false;

	while (pair->fault == 0 && (cqe = bf_compq_next(&pair->back)) != NULL) {
		any = true;
		if (unlikely(bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND_IMM)) {
			credits_odd(pair, cqe);
			break;
		}
		if (unlikely(bf_recvq_done(&pair->rq, bf_cqe_wqe_counter(cqe)) != 0)) {
			pair->producer->broken = true;
			bf_fast_nonsense(pair->producer->queue, "a completion of credits",
				bf_cqe_wqe_counter(cqe), pair->id);
			break;
		}
		if (unlikely(bf_credits_told(&pair->rc->credits, bf_cqe_imm(cqe)) != 0)) {
			bf_chan_violation(pair->fast->chan, "it posted what it cannot",
				bf_cqe_imm(cqe), pair->rc->id);
			bf_pair_fault(pair, -ECONNRESET);
			break;
		}
		bf_recvq_post(&pair->rq, NULL, 0);
		if (unlikely(pair->asked))
			pair->read_told = pair->read; /* it has the answer */
		pair->asked = false;
		pair->read++;
	}
	if (any) {
		bf_compq_commit(&pair->back);
		bf_recvq_ring(&pair->rq);
		bf_pair_mind_set(pair);
	}
	if (unlikely(pair->read - pair->read_told == BF_PAIR_CREDITS) &&
			bf_credits_now(&pair->rc->credits) == 0)
		credits_starved(pair);
}

void
bf_credits_mind(struct bf_pair *pair)
{
	bf_credits_look(pair);
	if (pair->read - pair->read_told < BF_PAIR_READS)
		return;
	bf_sendq_solicit(&pair->sq, pair->read << BF_WIRE_READ_SHIFT);
	pair->read_told = pair->read;
	bf_pair_mind_set(pair);
}

/* Whether there is such a consumer, and what the producer has of the credits of it. */
bool
bf_producer_credits(struct bf_producer *p, uint32_t consumer_id, uint32_t *credits)
{
	struct bf_credits *cr;
	struct bf_pair *pair;
	int reason = 0;
	uint32_t nb;

	*credits = 0;
	pair = bf_pair_find(p, consumer_id, &reason);
	if (pair == NULL)
		return reason == -EAGAIN;
	cr = &pair->rc->credits;
	bf_credits_look(pair);
	if (bf_credits_closed(cr))
		return false;
	nb = __atomic_load_n(&p->fast->nb_producers, __ATOMIC_RELAXED);
	*credits = nb < 2 ? bf_credits_now(cr) : bf_credits_share(cr, p->queue->id, nb);
	return true;
}

uint32_t
bf_credits_get(void *queue, uint32_t consumer_id)
{
	uint32_t nb;

	bf_producer_credits(queue, consumer_id, &nb);
	return nb;
}
