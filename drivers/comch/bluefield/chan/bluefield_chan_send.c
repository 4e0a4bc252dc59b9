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
#define ROOM_DATA (BF_LINE_SQ_RESERVE + 2)

/* Bytes of the ring for a message, or NULL; its position, that is behind what is skipped. */
static uint8_t *
tx_ring_find(const struct bf_line_tx *tx, uint32_t len, uint32_t *pos)
{
	uint32_t off = tx->head & (tx->size - 1);

	*pos = tx->head + (len > tx->size - off ? tx->size - off : 0);
	return *pos + len - tx->tail <= tx->size ? tx->ring + (*pos & (tx->size - 1)) : NULL;
}

/* What the peer learns by any message. */
static struct bf_wire_hdr
line_hdr(struct bf_line *line, uint8_t type, uint32_t len)
{
	return (struct bf_wire_hdr){
		.type = type,
		.ctl_credits = line->rx.ctl_taken,
		.credits_seen = line->rx.credits,
		.len = len,
		.credits = line->rx.taken,
		.seq = line->tx.seq,
	};
}

/* A message is in the queue: the peer will know what its header says. */
static void
line_posted(struct bf_line *line, uint16_t index, bool signalled)
{
	line->tx.ends[index & line->sq.mask] = line->tx.head;
	if (signalled)
		line->tx.signalled = line->sq.pi;
	line->tx.seq++;
	line->tx.last = line->cg->now;
	line->rx.told = line->rx.taken;
	line->rx.ctl_told = line->rx.ctl_taken;
	line->rx.credits_told = line->rx.credits;
}

/*
 * Write one message; it is not rung for. Its index, or -EAGAIN: no room, and nothing has
 * changed. room: blocks that have to be free.
 */
static int
line_post(struct bf_line *line, uint8_t type, const void *data, uint32_t len, uint32_t room,
		bool signalled)
{
	uint8_t inl[sizeof(struct bf_wire_hdr) + BF_LINE_INLINE];
	struct bf_wire_hdr hdr = line_hdr(line, type, len);
	/* DATA does not wake a side that holds it back, see bf_line_arm() */
	struct bf_send_wr wr = {
		.inl = inl,
		.inl_len = sizeof(hdr),
		.opcode = BF_WQE_SEND,
		.solicited = type != BF_WIRE_DATA && type != BF_WIRE_PING,
	};
	uint32_t pos = line->tx.head;
	uint8_t *to;
	int index;

	if (bf_sendq_room(&line->sq) < room)
		return -EAGAIN;
	memcpy(inl, &hdr, sizeof(hdr));
	if (len <= BF_LINE_INLINE) {
		if (len != 0)
			memcpy(inl + sizeof(hdr), data, len);
		wr.inl_len += len;
	} else {
		to = tx_ring_find(&line->tx, RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_MIN_SIZE), &pos);
		if (to == NULL)
			return -EAGAIN;
		memcpy(to, data, len);
		wr.sges[0] = (struct bf_sge){ (uintptr_t)to, len, line->rx.lkey };
		wr.nb_sges = 1;
		pos += RTE_ALIGN_CEIL(len, RTE_CACHE_LINE_MIN_SIZE);
		signalled = true; /* the bytes of the ring come back by that */
	}
	signalled |= (uint16_t)(line->sq.pi - line->tx.signalled) >= BF_LINE_SIGNAL;
	wr.signalled = signalled;
	index = bf_sendq_send(&line->sq, &wr);
	if (unlikely(index < 0))
		return -EAGAIN;
	line->tx.head = pos;
	line_posted(line, index, signalled);
	return index;
}

/* Ring now, or at the end of the poll that is under way. */
static void
line_ring(struct bf_line *line)
{
	if (line->cg->polling)
		bf_line_dirty(line);
	else
		bf_sendq_ring(&line->sq);
}

static int
line_data_post(struct bf_line *line, const void *data, uint32_t len)
{
	int ret;

	if (unlikely(line->tx.data - line->tx.taken >= line->tx.queue))
		return -EAGAIN;
	ret = line_post(line, BF_WIRE_DATA, data, len, ROOM_DATA, false);
	line->tx_full = ret < 0;
	return ret;
}

int
bf_conn_send(struct rte_comch_conn *conn, const void *data, uint32_t len, bool more,
		uint32_t *seq)
{
	struct bf_chan *chan = bf_chan_of(conn);
	struct bf_line *line = bf_line_of(chan);
	int ret;

	if (unlikely(chan == NULL))
		return -ENOTCONN;
	/* the library asks again in the next turn, and one that is lost ends in that */
	if (unlikely(line->state != BF_LINE_UP || line->lost != 0))
		return -EAGAIN;
	ret = line_data_post(line, data, len);
	if (unlikely(ret < 0)) {
		/* perhaps there is room by now; if not, a completion says when */
		bf_line_cq_drain(line);
		ret = line_data_post(line, data, len);
		bf_line_activate(line);
	}
	if (unlikely(ret < 0)) {
		/* there is no more, whatever was said before */
		line_ring(line);
		return ret;
	}
	*seq = ++line->tx.data;
	if (!more || line->cg->polling)
		line_ring(line);
	if (line->active < 0)
		bf_line_activate(line); /* to see it delivered */
	return 0;
}

/* Tell the peer what it waits for, if no message has done that. */
static void
line_credit_send(struct bf_line *line)
{
	const struct bf_line_rx *rx = &line->rx;
	struct bf_line_tx *tx = &line->tx;

	if ((rx->taken != rx->told ||
	    (uint8_t)(rx->ctl_taken - rx->ctl_told) >= BF_WIRE_CTL_ENTRIES / 2) &&
	    (uint8_t)(tx->credits - tx->credits_seen) < tx->window &&
	    line_post(line, BF_WIRE_CREDIT, NULL, 0, ROOM_FLOW, false) >= 0)
		tx->credits++;
	if ((uint8_t)(rx->credits - rx->credits_told) >= (rx->window + 1) / 2)
		line_post(line, BF_WIRE_PING, NULL, 0, ROOM_FLOW, false);
}

/* The end of a poll, or of a look between two. */
void
bf_line_flush(struct bf_line *line)
{
	if (line->state == BF_LINE_UP && line->lost == 0)
		line_credit_send(line);
	if (line->rx.dirty)
		bf_recvq_ring(&line->rq);
	line->rx.dirty = false;
	bf_sendq_ring(&line->sq);
}

/* The last message. False: there is no room, or nobody to hear it. */
bool
bf_line_bye(struct bf_line *line, int reason)
{
	const bool asks = line->tx.data != line->tx.taken && !line->rx.bye;
	const struct bf_wire_bye bye = {
		.reason = reason, .flags = asks ? BF_WIRE_BYE_F_ANSWER : 0,
	};
	int index;

	if (line->lost != 0)
		return false;
	index = line_post(line, BF_WIRE_BYE, &bye, sizeof(bye), ROOM_BYE, true);
	if (index < 0)
		return false;
	line->tx.bye = true;
	line->tx.bye_asks = asks;
	line->tx.bye_index = index;
	bf_sendq_ring(&line->sq);
	return true;
}

/* The answer to a BYE: all that has come is ours, unless the application holds it back. */
bool
bf_line_bye_answer(struct bf_line *line)
{
	const uint32_t taken = line->rx.taken;
	bool sent;

	if (!bf_line_held(line))
		line->rx.taken = line->rx.data;
	sent = bf_line_bye(line, 0);
	line->rx.taken = taken;
	return sent;
}

/* One that is UP, at the time that it was put on the list for. */
void
bf_line_look(struct bf_line *line)
{
	const uint64_t quiet = rte_get_tsc_hz() / MS_PER_S * BF_LINE_PING_MS;
	int index;

	/* for so long no doorbell takes */
	if (line->sq.pi != line->sq.ci && line->lost == 0) {
		bf_sendq_ring_again(&line->sq);
		bf_line_activate(line);
	}
	if (!line->tx.ping && line->lost == 0 && line->cg->now - line->tx.last >= quiet) {
		index = line_post(line, BF_WIRE_PING, NULL, 0, ROOM_FLOW, true);
		if (index >= 0) {
			line->tx.ping = true;
			line->tx.ping_index = index;
			bf_line_dirty(line);
			bf_line_activate(line); /* to see that it lives */
		}
	}
	bf_line_timed(line, &line->cg->pings, BF_LINE_PING_MS);
}

/* Next of what fast wants to be sent, if the peer has room for one. */
static struct bf_line_ctl *
line_ctl_next(struct bf_line *line)
{
	struct bf_line_ctl *ctl;

	if ((uint8_t)(line->tx.ctl - line->tx.ctl_taken) >= BF_WIRE_CTL_ENTRIES ||
	    bf_sendq_room(&line->sq) < ROOM_CTL)
		return NULL;
	bf_lock(&line->cd->lock);
	ctl = STAILQ_FIRST(&line->ctls);
	if (ctl != NULL) {
		STAILQ_REMOVE_HEAD(&line->ctls, next);
		line->nb_ctls--;
	}
	bf_unlock(&line->cd->lock);
	return ctl;
}

int
bf_line_ctl_send(struct bf_line *line)
{
	const struct bf_part *fast = line->pub.dev->parts[BF_PART_FAST];
	struct bf_line_ctl *ctl;
	int nb = 0;

	/* relaxed: who adds one posts an event behind it */
	if (__atomic_load_n(&line->nb_ctls, __ATOMIC_RELAXED) == 0)
		return 0;
	while ((ctl = line_ctl_next(line)) != NULL) {
		line_post(line, ctl->type, ctl->payload, ctl->len, ROOM_CTL, false);
		line->tx.ctl++;
		fast->ctl_sent(&line->pub, ctl->type, ctl->payload);
		free(ctl);
		nb++;
	}
	if (nb != 0)
		bf_line_dirty(line);
	return nb;
}
