/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of control connections that have come, what they say of those that were sent,
 * and when a connection is looked at. All in the thread of the connection's poll group,
 * without a lock and without a command. What the peer writes is copied once, checked
 * against what we know, and then used; what the device writes is checked by layer wq.
 * Sending is in bluefield_chan_send.c; how a connection begins and ends is in
 * bluefield_conn.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "bluefield_chan_priv.h"

/* It ends, and the first reason counts. */
static void
line_lose(struct bf_line *line, int reason)
{
	if (line->lost == 0)
		line->lost = reason;
}

void
bf_violation_count(struct bf_dev *dev)
{
	rte_comch_pmd_count(&dev->rte_dev->data->stats.violations);
}

bool
bf_peer_log(const struct bf_dev *dev, uint16_t rep_id)
{
	struct bf_talk *talk = &bf_chan_dev_of(dev)->talks[rep_id];
	uint64_t minute = rte_get_tsc_cycles() / (rte_get_tsc_hz() * 60) + 1;
	uint32_t nb;

	if (__atomic_exchange_n(&talk->minute, minute, __ATOMIC_RELAXED) != minute)
		__atomic_store_n(&talk->nb, 0, __ATOMIC_RELAXED);
	nb = __atomic_load_n(&talk->nb, __ATOMIC_RELAXED);
	if (nb < BF_PEER_LINES)
		nb = __atomic_fetch_add(&talk->nb, 1, __ATOMIC_RELAXED);
	else
		return false;
	if (nb + 1 == BF_PEER_LINES)
		BF_LOG(WARNING, "%s: %s is in the log too often: what follows in this minute is counted, not logged",
			dev->rte_dev->data->name,
			dev->nb_reps != 0 ? dev->reps[rep_id].name : "the card");
	return true;
}

/* Any thread. */
void
bf_violation_log(const struct bf_line *line, const char *what, uint64_t a, uint64_t b)
{
	bf_violation_count(line->pub.dev);
	if (!bf_peer_log(line->pub.dev, line->pub.rep_id))
		return;
	BF_LOG(WARNING, "%s: '%s' of %s: the peer breaks the protocol: %s (0x%" PRIx64
		", 0x%" PRIx64 "); it is disconnected",
		bf_line_dev_name(line), line->name, line->function, what, a, b);
}

/* The peer has broken the protocol. */
void
bf_line_bad(struct bf_line *line, const char *what, uint64_t a, uint64_t b)
{
	if (line->lost == 0)
		bf_violation_log(line, what, a, b);
	line_lose(line, -EPROTO);
}

/* The device has completed what was not asked for. */
static void
line_device_lies(struct bf_line *line, const char *what, uint32_t a, uint32_t b)
{
	if (line->lost == 0)
		BF_LOG(ERR, "%s: queue pair 0x%x: a completion has a %s that cannot be (0x%x, 0x%x); the connection to '%s' ends",
			bf_line_dev_name(line), line->sq.qpn, what, a, b, line->name);
	line_lose(line, -EIO);
}

/*
 * Completions
 */

/* The buffer goes to the device again. */
static void
line_repost(struct bf_line *line, uint32_t buf)
{
	const struct bf_sge sge = {
		(uintptr_t)line->rx.bufs + (uintptr_t)buf * line->rx.stride, line->rx.stride,
		line->rx.lkey,
	};
	int index = bf_recvq_post(&line->rq, &sge, 1);

	if (unlikely(index < 0)) {
		line_device_lies(line, "number of entries", buf, line->rq.pi);
		return;
	}
	/* relaxed: it is always the number of a buffer, for who counts them as well */
	__atomic_store_n(&line->rx.slots[index & line->rq.mask], buf, __ATOMIC_RELAXED);
	line->rx.dirty = true;
}

/* Is a header one that can come now? What it says of our messages is true from then on. */
static bool
line_hdr_take(struct bf_line *line, const struct bf_wire_hdr *hdr, uint32_t len)
{
	struct bf_line_tx *tx = &line->tx;
	const char *what = NULL;

	if (hdr->type == 0 || hdr->type >= BF_WIRE_TYPES)
		what = "type of a message";
	else if (hdr->flags != 0)
		what = "flags of a message";
	else if (hdr->seq != line->rx.seq)
		what = "sequence number";
	else if (hdr->len != len - sizeof(*hdr))
		what = "length of a message";
	else if (line->rx.bye)
		what = "message behind BYE";
	else if (hdr->credits - tx->taken > tx->data - tx->taken)
		what = "credits for messages";
	else if ((uint8_t)(hdr->ctl_credits - tx->ctl_taken) > (uint8_t)(tx->ctl - tx->ctl_taken))
		what = "credits for control messages";
	else if ((uint8_t)(hdr->credits_seen - tx->credits_seen) >
			(uint8_t)(tx->credits - tx->credits_seen))
		what = "credits that it has seen";
	if (unlikely(what != NULL)) {
		bf_line_bad(line, what, (uint64_t)hdr->type << 56 | (uint64_t)hdr->flags << 48 |
			(uint64_t)hdr->ctl_credits << 40 | (uint64_t)hdr->credits_seen << 32 |
			hdr->len, (uint64_t)hdr->credits << 32 | hdr->seq);
		return false;
	}
	line->rx.seq++;
	tx->taken = hdr->credits;
	tx->ctl_taken = hdr->ctl_credits;
	tx->credits_seen = hdr->credits_seen;
	return true;
}

static void
line_rx_data(struct bf_line *line, uint32_t buf, uint32_t len)
{
	struct bf_line_rx *rx = &line->rx;

	if (unlikely(len - 1 >= rx->max)) {
		bf_line_bad(line, "size of a message", len, rx->max);
		return;
	}
	if (unlikely(rx->data - rx->told >= rx->queue)) {
		bf_line_bad(line, "message without a credit", rx->data - rx->told, rx->queue);
		return;
	}
	rx->fifo[rx->data++ & rx->fifo_mask] = (struct bf_line_msg){ buf, len };
}

static void
line_rx_ctl(struct bf_line *line, uint32_t buf, uint8_t type)
{
	struct bf_line_rx *rx = &line->rx;

	if (unlikely((uint8_t)(rx->ctl - rx->ctl_told) >= BF_WIRE_CTL_ENTRIES)) {
		bf_line_bad(line, "control message without a credit", type,
			(uint8_t)(rx->ctl - rx->ctl_told));
		return;
	}
	rx->ctls[rx->ctl++ % BF_WIRE_CTL_ENTRIES] = (struct bf_line_msg){ buf, type };
}

static void
line_rx_flow(struct bf_line *line, uint32_t buf, uint8_t type)
{
	struct bf_line_rx *rx = &line->rx;
	struct bf_wire_bye bye;

	switch (type) {
	case BF_WIRE_CREDIT:
		if (unlikely((uint8_t)(rx->credits - rx->credits_told) >= rx->window)) {
			bf_line_bad(line, "more credits than we have seen", rx->credits,
				rx->credits_told);
			return;
		}
		rx->credits++;
		break;
	case BF_WIRE_BYE:
		memcpy(&bye, rx->bufs + (size_t)buf * rx->stride + sizeof(struct bf_wire_hdr),
			sizeof(bye));
		if ((bye.flags & ~BF_WIRE_BYE_F_ANSWER) != 0)
			bf_line_bad(line, "flags of BYE", bye.flags, 0);
		rx->bye = true;
		rx->bye_asks = (bye.flags & BF_WIRE_BYE_F_ANSWER) != 0;
		rx->bye_reason = bye.reason;
		return;
	default:
		break;
	}
	line_repost(line, buf);
}

static void
line_rx(struct bf_line *line, const struct bf_cqe *cqe)
{
	const uint16_t index = bf_cqe_wqe_counter(cqe);
	const uint32_t len = bf_cqe_byte_cnt(cqe);
	struct bf_wire_hdr hdr;
	uint32_t buf;

	if (unlikely(bf_recvq_done(&line->rq, index) != 0)) {
		line_device_lies(line, "receive index", index, line->rq.ci);
		return;
	}
	if (unlikely(len > line->rx.stride)) {
		line_device_lies(line, "length", len, line->rx.stride);
		return;
	}
	line->heard = true;
	buf = line->rx.slots[index & line->rq.mask];
	if (unlikely(len < sizeof(hdr))) {
		bf_line_bad(line, "message without a header", len, 0);
		return;
	}
	memcpy(&hdr, line->rx.bufs + (size_t)buf * line->rx.stride, sizeof(hdr));
	if (unlikely(!line_hdr_take(line, &hdr, len)))
		return;
	if (hdr.type == BF_WIRE_DATA)
		line_rx_data(line, buf, hdr.len);
	else if (unlikely(hdr.len != bf_wire_ctl_len(hdr.type)))
		bf_line_bad(line, "length of a control message", hdr.type, hdr.len);
	else if (hdr.type >= BF_WIRE_CONSUMER_NEW)
		line_rx_ctl(line, buf, hdr.type);
	else
		line_rx_flow(line, buf, hdr.type);
}

static void
line_sent(struct bf_line *line, const struct bf_cqe *cqe)
{
	const uint16_t index = bf_cqe_wqe_counter(cqe);
	struct bf_line_tx *tx = &line->tx;

	if (unlikely(bf_sendq_done(&line->sq, index) != 0)) {
		line_device_lies(line, "send index", index, line->sq.ci);
		return;
	}
	tx->tail = tx->ends[index & line->sq.mask];
	if (tx->ping && index == tx->ping_index)
		tx->ping = false;
	if (tx->bye && index == tx->bye_index) {
		tx->bye_done = true;
		line->rx.bye_asks = false;
	}
}

/* The queue pair is in state ERROR from here on. */
static void
line_error(struct bf_line *line, const struct bf_cqe *cqe)
{
	const uint8_t syndrome = bf_cqe_syndrome(cqe);
	const uint8_t opcode = bf_cqe_opcode(cqe);

	if (line->lost != 0 || syndrome == BF_SYND_FLUSHED) {
		line_lose(line, -ECONNRESET);
		return;
	}
	/* the peer has sent more than a buffer has; any other is no fault of it that we know */
	if (opcode == BF_CQE_RESP_ERR && syndrome == BF_SYND_LOCAL_LEN) {
		bf_line_bad(line, "message longer than a buffer", line->rx.stride, syndrome);
		return;
	}
	line_lose(line, -ECONNRESET);
	if (!bf_peer_log(line->pub.dev, line->pub.rep_id))
		return;
	BF_LOG(NOTICE, "%s: the connection to '%s' (%s) is lost: syndrome 0x%x (0x%x) of a %s%s",
		bf_line_dev_name(line), line->name, line->function, syndrome,
		bf_cqe_vendor_syndrome(cqe), opcode == BF_CQE_REQ_ERR ? "send" : "receive",
		syndrome == BF_SYND_RETRY ? ": the peer does not answer" : "");
}

static void
line_cqe(struct bf_line *line, const struct bf_cqe *cqe)
{
	const uint8_t opcode = bf_cqe_opcode(cqe);

	switch (opcode) {
	case BF_CQE_RESP_SEND:
		/* what comes behind a lie is not looked at */
		if (likely(line->lost == 0))
			line_rx(line, cqe);
		break;
	case BF_CQE_REQ:
		if (likely(line->lost == 0))
			line_sent(line, cqe);
		break;
	case BF_CQE_RESP_SEND_IMM:
	case BF_CQE_RESP_SEND_INV:
	case BF_CQE_RESP_WRITE_IMM:
		bf_line_bad(line, "kind of a message", opcode, 0);
		break;
	case BF_CQE_REQ_ERR:
	case BF_CQE_RESP_ERR:
		line_error(line, cqe);
		break;
	default:
		line_device_lies(line, "opcode", opcode, 0);
		break;
	}
}

static uint32_t
line_compq(struct bf_line *line, struct bf_compq *cq, uint32_t max)
{
	const struct bf_cqe *cqe;
	uint32_t nb;

	for (nb = 0; nb < max && (cqe = bf_compq_next(cq)) != NULL; nb++)
		line_cqe(line, cqe);
	if (nb != 0)
		bf_compq_commit(cq);
	return nb;
}

/* What has completed, up to a number of messages; no upcall. */
static uint32_t
line_cq(struct bf_line *line, uint32_t max)
{
	uint32_t nb;

	/* what came first: behind an error of ours it is not looked at */
	nb = line_compq(line, &line->cq, max);
	/* relaxed: for a number */
	if (nb != 0)
		__atomic_store_n(&line->cq_seen, line->cq.ci, __ATOMIC_RELAXED);
	if (line->sq.pi != line->sq.ci)
		nb += line_compq(line, &line->tx_cq, line->tx_cq.nb_cqes);
	if (nb != 0)
		bf_line_dirty(line);
	return nb;
}

uint32_t
bf_line_waiting(const struct bf_line *line)
{
	return line->rx.data - line->rx.taken;
}

static void
line_waiting_tell(struct bf_line *line)
{
	struct bf_conn *priv = line->pub.conn != NULL ? line->pub.conn->priv : NULL;

	/* relaxed: a number for people */
	if (priv != NULL)
		__atomic_store_n(&priv->rx_waiting, bf_line_waiting(line), __ATOMIC_RELAXED);
}

/* All that has completed: bounded, the ring holds what is posted and no more. */
void
bf_line_cq_drain(struct bf_line *line)
{
	if (line->has_queues && line_cq(line, line->cq.nb_cqes) != 0)
		line_waiting_tell(line);
}

/*
 * Handing up
 */

/* Control messages; the number, or less than 0 if a callback has ended the connection. */
static int
line_ctl_recv(struct bf_line *line)
{
	const struct bf_part *fast = line->pub.dev->parts[BF_PART_FAST];
	struct bf_line_rx *rx = &line->rx;
	union bf_wire_ctl ctl;
	struct bf_line_msg msg;
	int nb = 0;

	while (rx->ctl_taken != rx->ctl && line->lost == 0) {
		msg = rx->ctls[rx->ctl_taken % BF_WIRE_CTL_ENTRIES];
		memcpy(&ctl, rx->bufs + (size_t)msg.buf * rx->stride + sizeof(struct bf_wire_hdr),
			bf_wire_ctl_len(msg.len));
		rx->ctl_taken++;
		line_repost(line, msg.buf);
		if (fast->ctl_came(&line->pub, msg.len, &ctl, bf_wire_ctl_len(msg.len)) != 0)
			line_lose(line, -EPROTO);
		if (unlikely(line->state != BF_LINE_UP))
			return -ENOTCONN;
		nb++;
	}
	return nb;
}

/*
 * One message, in the buffer that it came to; what the library says. The application may
 * end the connection in here, and goes on reading.
 */
static int
line_data_hand(struct bf_line *line, const struct bf_line_msg *msg)
{
	const uint8_t *data = line->rx.bufs + (size_t)msg->buf * line->rx.stride +
		sizeof(struct bf_wire_hdr);
	int ret;

	line->handing = true;
	ret = rte_comch_pmd_msg_recv(line->pub.conn, data, msg->len);
	line->handing = false;
	if (unlikely(line->state == BF_LINE_OVER))
		bf_line_work_add(line, BF_WORK_CLOSE, line->over_reason);
	return ret;
}

/* Callbacks have lasted so long that the peer has to hear of what was taken. */
static bool
line_burst_late(const struct bf_line *line)
{
	return rte_get_tsc_cycles() - line->cg->now >
		rte_get_tsc_hz() / MS_PER_S * BF_LINE_BURST_MS;
}

/* Messages, as many as one poll may; returns as above. */
static int
line_data_recv(struct bf_line *line, uint32_t burst, uint32_t bytes)
{
	struct rte_comch_conn *conn = line->pub.conn;
	struct bf_line_rx *rx = &line->rx;
	struct bf_line_msg msg;
	uint32_t nb = 0;

	while (rx->taken != rx->data && nb < burst && bytes != 0 && !conn->rx_held) {
		msg = rx->fifo[rx->taken & rx->fifo_mask];
		/* before the call: if it ends the connection in there, this one was taken */
		rx->taken++;
		line_waiting_tell(line);
		if (unlikely(line_data_hand(line, &msg) != 0)) {
			rx->taken--;
			line_waiting_tell(line);
			break;
		}
		if (unlikely(line->state != BF_LINE_UP))
			return -ENOTCONN;
		line_repost(line, msg.buf);
		bytes -= RTE_MIN(bytes, msg.len);
		nb++;
		if (burst != UINT32_MAX && unlikely(line_burst_late(line)))
			break;
	}
	return nb;
}

/* What the peer has taken; returns as above. */
static int
line_done(struct bf_line *line)
{
	int nb;

	if (line->tx.taken == line->tx.done)
		return 0;
	line->tx.done = line->tx.taken;
	nb = rte_comch_pmd_send_done(line->pub.conn, line->tx.done);
	return likely(line->state == BF_LINE_UP) ? nb : -ENOTCONN;
}

/* Nothing more will come: hand up what is there, then tell of the end. */
static void
line_last(struct bf_line *line)
{
	int ret = line_done(line), reason = line->lost;

	/* one that has lied is not listened to, nor one that believes that nobody listens */
	if (ret >= 0 && reason != -EPROTO && !line->rx.bye_asks)
		ret = line_data_recv(line, UINT32_MAX, UINT32_MAX);
	if (ret < 0)
		return;
	if (reason == 0 || (line->rx.bye && reason != -EPROTO))
		reason = bf_left_reason(line->rx.bye_reason);
	bf_line_end(line, reason);
}

/* One that is UP; the number of events. */
static int
line_up_poll(struct bf_line *line)
{
	int done, ctl = 0, data = 0;

	done = line_done(line);
	if (likely(done >= 0) && unlikely(line->rx.ctl_taken != line->rx.ctl))
		ctl = line_ctl_recv(line);
	if (likely(done >= 0 && ctl >= 0) && line->lost == 0 && !line->rx.bye)
		data = line_data_recv(line, BF_LINE_BURST, BF_LINE_BYTES);
	if (unlikely(done < 0 || ctl < 0 || data < 0))
		return 1;
	if (unlikely(line->lost != 0 || line->rx.bye)) {
		/* until the peer has the answer, a completion of ours or the peer's DREQ */
		if (line->lost == 0 && line->rx.bye_asks &&
				(line->tx.bye || bf_line_bye_answer(line)))
			return 0;
		line_last(line);
		return 1;
	}
	return done + ctl + data + bf_line_ctl_send(line);
}

static int
line_poll(struct bf_line *line)
{
	uint32_t nb = line_cq(line, BF_LINE_CQES);
	int events = 0;

	if (nb != 0)
		line_waiting_tell(line);
	if (unlikely(line->state == BF_LINE_OPENING && line->heard))
		bf_line_ready(line);
	if (likely(line->state == BF_LINE_UP)) {
		events = line_up_poll(line);
	} else if (line->state == BF_LINE_OPENING && line->lost != 0) {
		bf_line_end(line, line->lost);
		events = 1;
	} else if (line->state == BF_LINE_CLOSING) {
		bf_line_closed(line);
		events = nb != 0;
	}
	/* what was handed up is told of at the end, also if it came in another poll */
	if (events != 0 && line->cg != NULL)
		bf_line_dirty(line);
	line->idle = nb + events != 0 ? 0 : line->idle + 1;
	return events;
}

/* One look at one connection; the number of events. */
int
bf_line_poll(struct bf_line *line)
{
	int events;

	/* a callback may end it */
	bf_line_ref(line);
	events = line_poll(line);
	if (line->idle >= BF_LINE_IDLE_POLLS && line->active >= 0 && !bf_line_pending(line)) {
		bf_line_arm(line);
		if (line->armed)
			bf_line_deactivate(line);
		line->idle = 0;
	}
	bf_line_put(line);
	return events;
}

/*
 * Rest
 */

/* Is there something to do that no completion will tell of? */
bool
bf_line_pending(const struct bf_line *line)
{
	if (line->state != BF_LINE_UP)
		return false;
	return line->lost != 0 || line->rx.ctl_taken != line->rx.ctl ||
		(bf_line_waiting(line) != 0 && !bf_line_held(line));
}

static void
line_woken(struct bf_rest *rest)
{
	struct bf_line *line = container_of(rest, struct bf_line, rest);

	bf_compq_event(&line->cq);
	line->armed = false;
	bf_line_activate(line);
}

static void
line_tx_woken(struct bf_rest *rest)
{
	struct bf_line *line = container_of(rest, struct bf_line, tx_rest);

	bf_compq_event(&line->tx_cq);
	line->tx_armed = false;
	bf_line_activate(line);
}

/* Where room is wanted, or the BYE is under way, also what was sent is news. */
static void
line_tx_arm(struct bf_line *line)
{
	if (line->tx_armed || (!line->tx_full && !line->tx.bye))
		return;
	if (!line->tx_resting) {
		line->tx_rest.handler = line_tx_woken;
		if (bf_group_rest_add(line->pub.group, line->tx_cq.cqn, &line->tx_rest) != 0)
			return;
		line->tx_resting = true;
	}
	bf_compq_arm(&line->tx_cq);
	line->tx_armed = true;
}

/*
 * Its completion queue tells the group's event queue of what comes. Of a connection that
 * is held back only what is not DATA, nor a sign of life, is worth that.
 */
void
bf_line_arm(struct bf_line *line)
{
	bool solicited = bf_line_held(line);

	if (!line->has_queues)
		return;
	line_tx_arm(line);
	if (line->armed && line->armed_solicited <= solicited)
		return;
	if (!line->resting) {
		line->rest.handler = line_woken;
		if (bf_group_rest_add(line->pub.group, line->cq.cqn, &line->rest) != 0)
			return;
		line->resting = true;
	}
	if (solicited)
		bf_compq_arm_solicited(&line->cq);
	else
		bf_compq_arm(&line->cq);
	line->armed = true;
	line->armed_solicited = solicited;
}

void
bf_conn_rx_resume(struct rte_comch_conn *conn)
{
	struct bf_chan *chan = bf_chan_of(conn);

	if (chan != NULL && bf_line_of(chan)->state == BF_LINE_UP)
		bf_line_activate(bf_line_of(chan));
}

/*
 * Messages in a completion queue that nobody has looked at since they came. This is another
 * thread's look: it may be at an entry that was taken meanwhile, and then counts what was.
 */
static uint32_t
line_unseen(const struct bf_line *line)
{
	struct bf_compq look = {
		.ring = line->cq.ring, .nb_cqes = line->cq.nb_cqes, .mask = line->cq.mask,
		.ci = __atomic_load_n(&line->cq_seen, __ATOMIC_RELAXED),
	};
	const struct bf_line_rx *rx = &line->rx;
	const struct bf_cqe *cqe;
	const uint8_t *msg;
	uint32_t n, nb = 0, buf;

	for (n = 0; n < look.nb_cqes && (cqe = bf_compq_next(&look)) != NULL; n++) {
		if (bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND)
			continue;
		buf = __atomic_load_n(&rx->slots[bf_cqe_wqe_counter(cqe) & line->rq.mask],
			__ATOMIC_RELAXED);
		msg = rx->bufs + (size_t)buf * rx->stride;
		nb += BF_WQ_LOAD8(&msg[offsetof(struct bf_wire_hdr, type)]) == BF_WIRE_DATA;
	}
	return nb;
}

uint32_t
bf_conn_rx_count(const struct rte_comch_conn *conn)
{
	const struct bf_conn *priv = conn->priv;
	const struct bf_line *line;
	struct bf_chan *chan;
	uint32_t nb;

	nb = __atomic_load_n(&priv->rx_waiting, __ATOMIC_RELAXED);
	if (priv->dev == NULL)
		return 0;
	chan = bf_chan_lock(priv->dev, conn);
	line = chan != NULL ? bf_line_of(chan) : NULL;
	/* acquire: pairs with the release in line_queues_take() */
	if (line != NULL && __atomic_load_n(&line->has_queues, __ATOMIC_ACQUIRE))
		/* what comes and goes while it counts may be in both; there is no more room */
		nb = RTE_MIN(nb + line_unseen(line), line->rx.queue);
	bf_chan_unlock(priv->dev);
	return nb;
}
