/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of control connections on their way out: data, credits, signs of life, and what
 * layer fast wants to be told. All in the thread of the connection's poll group, without
 * a command, and without a lock but for what fast adds. Nothing that has come is looked
 * at here: that is in bluefield_chan.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "bluefield_chan_priv.h"

/* Blocks of the send queue that have to be free, by what wants one. */
#define ROOM_BYE 1u
#define ROOM_FLOW 2u
#define ROOM_CTL 5u
#define ROOM_DATA (BF_CTRL_SQ_RESERVE + 2)

/* Bytes of the ring for a message, or NULL; its position, that is behind what is skipped. */
static uint8_t *
tx_ring_find(const struct bf_ctrl_tx *tx, uint32_t len, uint32_t *pos)
{
	uint32_t off = tx->head & (tx->size - 1);

	*pos = tx->head + (len > tx->size - off ? tx->size - off : 0);
	return *pos + len - tx->tail <= tx->size ? tx->ring + (*pos & (tx->size - 1)) : NULL;
}

/* What the peer learns by any message. */
static struct bf_wire_hdr
ctrl_hdr(struct bf_ctrl_conn *cc, uint8_t type, uint32_t len)
{
	return (struct bf_wire_hdr){
		.type = type,
		.ctl_credits = cc->rx.ctl_taken,
		.credits_seen = cc->rx.credits,
		.len = len,
		.credits = cc->rx.taken,
		.seq = cc->tx.seq,
	};
}

/* A message is in the queue: the peer will know what its header says. */
static void
ctrl_posted(struct bf_ctrl_conn *cc, uint16_t index, bool signalled)
{
	cc->tx.ends[index & cc->sq.mask] = cc->tx.head;
	if (signalled)
		cc->tx.signalled = cc->sq.pi;
	cc->tx.seq++;
	cc->tx.last = cc->cg->now;
	cc->rx.told = cc->rx.taken;
	cc->rx.ctl_told = cc->rx.ctl_taken;
	cc->rx.credits_told = cc->rx.credits;
}

/*
 * Write one message; it is not rung for. Its index, or -EAGAIN: no room, and nothing has
 * changed. room: blocks that have to be free.
 */
static int
ctrl_post(struct bf_ctrl_conn *cc, uint8_t type, const void *data, uint32_t len, uint32_t room,
		bool signalled)
{
	uint8_t inl[sizeof(struct bf_wire_hdr) + BF_CTRL_INLINE];
	struct bf_wire_hdr hdr = ctrl_hdr(cc, type, len);
	/* DATA does not wake a side that holds it back, see bf_ctrl_arm() */
	struct bf_send_wr wr = {
		.inl = inl,
		.inl_len = sizeof(hdr),
		.opcode = BF_WQE_SEND,
		.solicited = type != BF_WIRE_DATA && type != BF_WIRE_PING,
	};
	uint32_t pos = cc->tx.head;
	uint8_t *to;
	int index;

	/* BYE is the last one */
	if (cc->tx.bye || bf_sendq_room(&cc->sq) < room)
		return -EAGAIN;
	memcpy(inl, &hdr, sizeof(hdr));
	if (len <= BF_CTRL_INLINE) {
		if (len != 0)
			memcpy(inl + sizeof(hdr), data, len);
		wr.inl_len += len;
	} else {
		to = tx_ring_find(&cc->tx, RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_MIN_SIZE), &pos);
		if (to == NULL)
			return -EAGAIN;
		memcpy(to, data, len);
		wr.sges[0] = (struct bf_sge){ (uintptr_t)to, len, cc->rx.lkey };
		wr.nb_sges = 1;
		pos += RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_MIN_SIZE);
		signalled = true; /* the bytes of the ring come back by that */
	}
	signalled |= (uint16_t)(cc->sq.pi - cc->tx.signalled) >= BF_CTRL_SIGNAL;
	wr.signalled = signalled;
	index = bf_sendq_send(&cc->sq, &wr);
	if (unlikely(index < 0))
		return -EAGAIN;
	cc->tx.head = pos;
	ctrl_posted(cc, index, signalled);
	return index;
}

/* Ring now, or at the end of the poll that is under way. */
static void
ctrl_ring(struct bf_ctrl_conn *cc)
{
	if (cc->cg->polling)
		bf_ctrl_dirty(cc);
	else
		bf_sendq_ring(&cc->sq);
}

static int
ctrl_data_post(struct bf_ctrl_conn *cc, const void *data, uint32_t len)
{
	int ret;

	if (unlikely(cc->tx.data - cc->tx.taken >= cc->tx.queue))
		return -EAGAIN;
	ret = ctrl_post(cc, BF_WIRE_DATA, data, len, ROOM_DATA, false);
	cc->tx_full = ret < 0;
	return ret;
}

int
bf_conn_send(struct rte_comch_conn *conn, const void *data, uint32_t len, bool more,
		uint32_t *seq)
{
	struct bf_chan *chan = bf_chan_of(conn);
	struct bf_ctrl_conn *cc = bf_ctrl_of(chan);
	int ret;

	if (unlikely(chan == NULL))
		return -ENOTCONN;
	/* the library asks again in the next turn, and one that is lost ends in that */
	if (unlikely(cc->state != BF_CTRL_UP || cc->lost != 0))
		return -EAGAIN;
	ret = ctrl_data_post(cc, data, len);
	if (unlikely(ret < 0)) {
		/* perhaps there is room by now; if not, a completion says when */
		bf_ctrl_cq_drain(cc);
		ret = ctrl_data_post(cc, data, len);
		bf_ctrl_activate(cc);
	}
	if (unlikely(ret < 0)) {
		/* there is no more, whatever was said before */
		ctrl_ring(cc);
		return ret;
	}
	*seq = ++cc->tx.data;
	if (!more || cc->cg->polling)
		ctrl_ring(cc);
	if (cc->active < 0)
		bf_ctrl_activate(cc); /* to see it delivered */
	return 0;
}

/* Tell the peer what it waits for, if no message has done that. */
static void
ctrl_credit_send(struct bf_ctrl_conn *cc)
{
	const struct bf_ctrl_rx *rx = &cc->rx;
	struct bf_ctrl_tx *tx = &cc->tx;

	if ((rx->taken != rx->told ||
	    (uint8_t)(rx->ctl_taken - rx->ctl_told) >= BF_WIRE_CTL_ENTRIES / 2) &&
	    (uint8_t)(tx->credits - tx->credits_seen) < tx->window &&
	    ctrl_post(cc, BF_WIRE_CREDIT, NULL, 0, ROOM_FLOW, false) >= 0)
		tx->credits++;
	if ((uint8_t)(rx->credits - rx->credits_told) >= (rx->window + 1) / 2)
		ctrl_post(cc, BF_WIRE_PING, NULL, 0, ROOM_FLOW, false);
}

/* The end of a poll, or of a look between two. */
void
bf_ctrl_flush(struct bf_ctrl_conn *cc)
{
	if (cc->state == BF_CTRL_UP && cc->lost == 0)
		ctrl_credit_send(cc);
	if (cc->rx.dirty)
		bf_recvq_ring(&cc->rq);
	cc->rx.dirty = false;
	bf_sendq_ring(&cc->sq);
}

/* The last message. False: there is no room, or nobody to hear it. */
bool
bf_ctrl_bye(struct bf_ctrl_conn *cc, int reason)
{
	const bool asks = cc->tx.data != cc->tx.taken && !cc->rx.bye;
	const struct bf_wire_bye bye = {
		.reason = reason, .flags = asks ? BF_WIRE_BYE_F_ANSWER : 0,
	};
	int index;

	if (cc->lost != 0)
		return false;
	index = ctrl_post(cc, BF_WIRE_BYE, &bye, sizeof(bye), ROOM_BYE, true);
	if (index < 0)
		return false;
	cc->tx.bye = true;
	cc->tx.bye_asks = asks;
	cc->tx.bye_index = index;
	bf_sendq_ring(&cc->sq);
	return true;
}

/*
 * The answer to a BYE: all that has come is ours, unless the application holds it back. What
 * is told here is handed up when the peer has the answer.
 */
bool
bf_ctrl_bye_answer(struct bf_ctrl_conn *cc)
{
	const uint32_t taken = cc->rx.taken;
	bool sent;

	if (!bf_ctrl_held(cc))
		cc->rx.taken = cc->rx.data;
	sent = bf_ctrl_bye(cc, 0);
	cc->rx.taken = taken;
	return sent;
}

/* One that is UP, at the time that it was put on the list for. */
void
bf_ctrl_look(struct bf_ctrl_conn *cc)
{
	const uint64_t quiet = rte_get_tsc_hz() / MS_PER_S * BF_CTRL_PING_MS;
	const uint64_t silent = rte_get_tsc_hz() / MS_PER_S * BF_GIVE_UP_MS;
	int index;

	/* for so long no doorbell takes */
	if (cc->sq.pi != cc->sq.ci && cc->lost == 0) {
		bf_sendq_ring_again(&cc->sq);
		bf_ctrl_activate(cc);
	}
	/* one that has no buffer for the answer to its BYE, which has a place of its own */
	if (cc->tx.bye && cc->rx.bye_asks && cc->lost == 0 && cc->cg->now - cc->tx.last >= silent) {
		cc->lost = -ETIMEDOUT;
		bf_ctrl_activate(cc);
	}
	if (!cc->tx.ping && cc->lost == 0 && cc->cg->now - cc->tx.last >= quiet) {
		index = ctrl_post(cc, BF_WIRE_PING, NULL, 0, ROOM_FLOW, true);
		if (index >= 0) {
			cc->tx.ping = true;
			cc->tx.ping_index = index;
			bf_ctrl_dirty(cc);
			bf_ctrl_activate(cc); /* to see that it lives */
		}
	}
	bf_ctrl_timed(cc, &cc->cg->pings, BF_CTRL_PING_MS);
}

/* Next of what fast wants to be sent, if the peer has room for one. */
static struct bf_ctrl_out *
ctrl_out_next(struct bf_ctrl_conn *cc)
{
	struct bf_ctrl_out *ctl;

	if ((uint8_t)(cc->tx.ctl - cc->tx.ctl_taken) >= BF_WIRE_CTL_ENTRIES ||
	    bf_sendq_room(&cc->sq) < ROOM_CTL)
		return NULL;
	bf_lock(&cc->cd->lock);
	ctl = STAILQ_FIRST(&cc->ctls);
	if (ctl != NULL) {
		STAILQ_REMOVE_HEAD(&cc->ctls, next);
		cc->nb_ctls--;
	}
	bf_unlock(&cc->cd->lock);
	return ctl;
}

int
bf_ctrl_out_send(struct bf_ctrl_conn *cc)
{
	const struct bf_part *fast = cc->pub.dev->parts[BF_PART_FAST];
	struct bf_ctrl_out *ctl;
	int nb = 0;

	/* relaxed: who adds one posts an event behind it */
	if (__atomic_load_n(&cc->nb_ctls, __ATOMIC_RELAXED) == 0)
		return 0;
	while ((ctl = ctrl_out_next(cc)) != NULL) {
		ctrl_post(cc, ctl->type, ctl->payload, ctl->len, ROOM_CTL, false);
		cc->tx.ctl++;
		fast->ctl_sent(&cc->pub, ctl->type, ctl->payload);
		free(ctl);
		nb++;
	}
	if (nb != 0)
		bf_ctrl_dirty(cc);
	return nb;
}
