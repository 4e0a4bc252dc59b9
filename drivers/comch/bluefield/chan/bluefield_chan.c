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
ctrl_lose(struct bf_ctrl_conn *cc, int reason)
{
	if (cc->lost == 0)
		cc->lost = reason;
}

void
bf_violation_count(struct bf_dev *dev)
{
	rte_comch_pmd_count(&dev->rte_dev->data->stats.violations);
}

bool
bf_peer_log_allowed(const struct bf_dev *dev, uint16_t rep_id)
{
	struct bf_log_limit *limit = &bf_chan_dev_of(dev)->log_limits[rep_id];
	uint64_t minute = rte_get_tsc_cycles() / (rte_get_tsc_hz() * 60) + 1;
	uint32_t nb;

	if (__atomic_exchange_n(&limit->minute, minute, __ATOMIC_RELAXED) != minute)
		__atomic_store_n(&limit->nb, 0, __ATOMIC_RELAXED);
	nb = __atomic_load_n(&limit->nb, __ATOMIC_RELAXED);
	if (nb < BF_PEER_LINES)
		nb = __atomic_fetch_add(&limit->nb, 1, __ATOMIC_RELAXED);
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
bf_violation_log(const struct bf_ctrl_conn *cc, const char *what, uint64_t a, uint64_t b)
{
	bf_violation_count(cc->pub.dev);
	if (!bf_peer_log_allowed(cc->pub.dev, cc->pub.rep_id))
		return;
	BF_LOG(WARNING, "%s: '%s' of %s: the peer breaks the protocol: %s (0x%" PRIx64
		", 0x%" PRIx64 "); it is disconnected",
		bf_ctrl_dev_name(cc), cc->name, cc->function, what, a, b);
}

/* The peer has broken the protocol. */
void
bf_ctrl_bad(struct bf_ctrl_conn *cc, const char *what, uint64_t a, uint64_t b)
{
	if (cc->lost == 0)
		bf_violation_log(cc, what, a, b);
	ctrl_lose(cc, -EPROTO);
}

/* The device has completed what was not asked for. */
static void
ctrl_device_lies(struct bf_ctrl_conn *cc, const char *what, uint32_t a, uint32_t b)
{
	if (cc->lost == 0)
		BF_LOG(ERR, "%s: queue pair 0x%x: a completion has a %s that cannot be (0x%x, 0x%x); the connection to '%s' ends",
			bf_ctrl_dev_name(cc), cc->sq.qpn, what, a, b, cc->name);
	ctrl_lose(cc, -EIO);
}

/*
 * Completions
 */

/* The buffer goes to the device again. */
static void
ctrl_repost(struct bf_ctrl_conn *cc, uint32_t buf)
{
	const struct bf_sge sge = {
		(uintptr_t)cc->rx.bufs + (uintptr_t)buf * cc->rx.stride, cc->rx.stride,
		cc->rx.lkey,
	};
	int index = bf_recvq_post(&cc->rq, &sge, 1);

	if (unlikely(index < 0)) {
		ctrl_device_lies(cc, "number of entries", buf, cc->rq.pi);
		return;
	}
	/* relaxed: it is always the number of a buffer, for who counts them as well */
	__atomic_store_n(&cc->rx.slots[index & cc->rq.mask], buf, __ATOMIC_RELAXED);
	cc->rx.dirty = true;
}

/* Is a header one that can come now? What it says of our messages is true from then on. */
static bool
ctrl_hdr_take(struct bf_ctrl_conn *cc, const struct bf_wire_hdr *hdr, uint32_t len)
{
	struct bf_ctrl_tx *tx = &cc->tx;
	const char *what = NULL;

	if (hdr->type == 0 || hdr->type >= BF_WIRE_TYPES)
		what = "type of a message";
	else if (hdr->flags != 0)
		what = "flags of a message";
	else if (hdr->seq != cc->rx.seq)
		what = "sequence number";
	else if (hdr->len != len - sizeof(*hdr))
		what = "length of a message";
	else if (cc->rx.bye)
		what = "message behind BYE";
	else if (hdr->credits - tx->taken > tx->data - tx->taken)
		what = "credits for messages";
	else if ((uint8_t)(hdr->ctl_credits - tx->ctl_taken) > (uint8_t)(tx->ctl - tx->ctl_taken))
		what = "credits for control messages";
	else if ((uint8_t)(hdr->credits_seen - tx->credits_seen) >
			(uint8_t)(tx->credits - tx->credits_seen))
		what = "credits that it has seen";
	if (unlikely(what != NULL)) {
		bf_ctrl_bad(cc, what, (uint64_t)hdr->type << 56 | (uint64_t)hdr->flags << 48 |
			(uint64_t)hdr->ctl_credits << 40 | (uint64_t)hdr->credits_seen << 32 |
			hdr->len, (uint64_t)hdr->credits << 32 | hdr->seq);
		return false;
	}
	cc->rx.seq++;
	tx->taken = hdr->credits;
	tx->ctl_taken = hdr->ctl_credits;
	tx->credits_seen = hdr->credits_seen;
	return true;
}

static void
ctrl_rx_data(struct bf_ctrl_conn *cc, uint32_t buf, uint32_t len)
{
	struct bf_ctrl_rx *rx = &cc->rx;

	if (unlikely(len - 1 >= rx->max)) {
		bf_ctrl_bad(cc, "size of a message", len, rx->max);
		return;
	}
	if (unlikely(rx->data - rx->told >= rx->queue)) {
		bf_ctrl_bad(cc, "message without a credit", rx->data - rx->told, rx->queue);
		return;
	}
	rx->fifo[rx->data++ & rx->fifo_mask] = (struct bf_ctrl_msg){ buf, len };
}

static void
ctrl_rx_ctl(struct bf_ctrl_conn *cc, uint32_t buf, uint8_t type)
{
	struct bf_ctrl_rx *rx = &cc->rx;

	if (unlikely((uint8_t)(rx->ctl - rx->ctl_told) >= BF_WIRE_CTL_ENTRIES)) {
		bf_ctrl_bad(cc, "control message without a credit", type,
			(uint8_t)(rx->ctl - rx->ctl_told));
		return;
	}
	rx->ctls[rx->ctl++ % BF_WIRE_CTL_ENTRIES] = (struct bf_ctrl_msg){ buf, type };
}

static void
ctrl_rx_flow(struct bf_ctrl_conn *cc, uint32_t buf, uint8_t type)
{
	struct bf_ctrl_rx *rx = &cc->rx;
	struct bf_wire_bye bye;

	switch (type) {
	case BF_WIRE_CREDIT:
		if (unlikely((uint8_t)(rx->credits - rx->credits_told) >= rx->window)) {
			bf_ctrl_bad(cc, "more credits than we have seen", rx->credits,
				rx->credits_told);
			return;
		}
		rx->credits++;
		break;
	case BF_WIRE_BYE:
		memcpy(&bye, rx->bufs + (size_t)buf * rx->stride + sizeof(struct bf_wire_hdr),
			sizeof(bye));
		if ((bye.flags & ~BF_WIRE_BYE_F_ANSWER) != 0)
			bf_ctrl_bad(cc, "flags of BYE", bye.flags, 0);
		rx->bye = true;
		rx->bye_asks = (bye.flags & BF_WIRE_BYE_F_ANSWER) != 0;
		rx->bye_reason = bye.reason;
		return;
	default:
		break;
	}
	ctrl_repost(cc, buf);
}

static void
ctrl_rx(struct bf_ctrl_conn *cc, const struct bf_cqe *cqe)
{
	const uint16_t index = bf_cqe_wqe_counter(cqe);
	const uint32_t len = bf_cqe_byte_cnt(cqe);
	struct bf_wire_hdr hdr;
	uint32_t buf;

	if (unlikely(bf_recvq_done(&cc->rq, index) != 0)) {
		ctrl_device_lies(cc, "receive index", index, cc->rq.ci);
		return;
	}
	if (unlikely(len > cc->rx.stride)) {
		ctrl_device_lies(cc, "length", len, cc->rx.stride);
		return;
	}
	cc->rx_seen = true;
	buf = cc->rx.slots[index & cc->rq.mask];
	if (unlikely(len < sizeof(hdr))) {
		bf_ctrl_bad(cc, "message without a header", len, 0);
		return;
	}
	memcpy(&hdr, cc->rx.bufs + (size_t)buf * cc->rx.stride, sizeof(hdr));
	if (unlikely(!ctrl_hdr_take(cc, &hdr, len)))
		return;
	if (hdr.type == BF_WIRE_DATA)
		ctrl_rx_data(cc, buf, hdr.len);
	else if (unlikely(hdr.len != bf_wire_ctl_len(hdr.type)))
		bf_ctrl_bad(cc, "length of a control message", hdr.type, hdr.len);
	else if (hdr.type >= BF_WIRE_CONSUMER_NEW)
		ctrl_rx_ctl(cc, buf, hdr.type);
	else
		ctrl_rx_flow(cc, buf, hdr.type);
}

static void
ctrl_sent(struct bf_ctrl_conn *cc, const struct bf_cqe *cqe)
{
	const uint16_t index = bf_cqe_wqe_counter(cqe);
	struct bf_ctrl_tx *tx = &cc->tx;

	if (unlikely(bf_sendq_done(&cc->sq, index) != 0)) {
		ctrl_device_lies(cc, "send index", index, cc->sq.ci);
		return;
	}
	tx->tail = tx->ends[index & cc->sq.mask];
	if (tx->ping && index == tx->ping_index)
		tx->ping = false;
	if (tx->bye && index == tx->bye_index) {
		tx->bye_done = true;
		cc->rx.bye_asks = false;
	}
}

/* The queue pair is in state ERROR from here on. */
static void
ctrl_error(struct bf_ctrl_conn *cc, const struct bf_cqe *cqe)
{
	const uint8_t syndrome = bf_cqe_syndrome(cqe);
	const uint8_t opcode = bf_cqe_opcode(cqe);

	if (cc->lost != 0 || syndrome == BF_SYND_FLUSHED) {
		ctrl_lose(cc, -ECONNRESET);
		return;
	}
	/* the peer has sent more than a buffer has; any other is no fault of it that we know */
	if (opcode == BF_CQE_RESP_ERR && syndrome == BF_SYND_LOCAL_LEN) {
		bf_ctrl_bad(cc, "message longer than a buffer", cc->rx.stride, syndrome);
		return;
	}
	ctrl_lose(cc, -ECONNRESET);
	if (!bf_peer_log_allowed(cc->pub.dev, cc->pub.rep_id))
		return;
	BF_LOG(NOTICE, "%s: the connection to '%s' (%s) is lost: syndrome 0x%x (0x%x) of a %s%s",
		bf_ctrl_dev_name(cc), cc->name, cc->function, syndrome,
		bf_cqe_vendor_syndrome(cqe), opcode == BF_CQE_REQ_ERR ? "send" : "receive",
		syndrome == BF_SYND_RETRY ? ": the peer does not answer" : "");
}

static void
ctrl_cqe(struct bf_ctrl_conn *cc, const struct bf_cqe *cqe)
{
	const uint8_t opcode = bf_cqe_opcode(cqe);

	switch (opcode) {
	case BF_CQE_RESP_SEND:
		/* what comes behind a lie is not looked at */
		if (likely(cc->lost == 0))
			ctrl_rx(cc, cqe);
		break;
	case BF_CQE_REQ:
		if (likely(cc->lost == 0))
			ctrl_sent(cc, cqe);
		break;
	case BF_CQE_RESP_SEND_IMM:
	case BF_CQE_RESP_SEND_INV:
	case BF_CQE_RESP_WRITE_IMM:
		bf_ctrl_bad(cc, "kind of a message", opcode, 0);
		break;
	case BF_CQE_REQ_ERR:
	case BF_CQE_RESP_ERR:
		ctrl_error(cc, cqe);
		break;
	default:
		ctrl_device_lies(cc, "opcode", opcode, 0);
		break;
	}
}

static uint32_t
ctrl_compq(struct bf_ctrl_conn *cc, struct bf_compq *cq, uint32_t max)
{
	const struct bf_cqe *cqe;
	uint32_t nb;

	for (nb = 0; nb < max && (cqe = bf_compq_next(cq)) != NULL; nb++)
		ctrl_cqe(cc, cqe);
	if (nb != 0)
		bf_compq_commit(cq);
	return nb;
}

/* What has completed, up to a number of messages; no upcall. */
static uint32_t
ctrl_cq(struct bf_ctrl_conn *cc, uint32_t max)
{
	uint32_t nb;

	/* what came first: behind an error of ours it is not looked at */
	nb = ctrl_compq(cc, &cc->cq, max);
	/* relaxed: for a number */
	if (nb != 0)
		__atomic_store_n(&cc->cq_seen, cc->cq.ci, __ATOMIC_RELAXED);
	if (cc->sq.pi != cc->sq.ci)
		nb += ctrl_compq(cc, &cc->tx_cq, cc->tx_cq.nb_cqes);
	if (nb != 0)
		bf_ctrl_dirty(cc);
	return nb;
}

uint32_t
bf_ctrl_waiting(const struct bf_ctrl_conn *cc)
{
	return cc->rx.data - cc->rx.taken;
}

static void
ctrl_waiting_tell(struct bf_ctrl_conn *cc)
{
	struct bf_conn *priv = cc->pub.conn != NULL ? cc->pub.conn->priv : NULL;

	/* relaxed: a number for people */
	if (priv != NULL)
		__atomic_store_n(&priv->rx_waiting, bf_ctrl_waiting(cc), __ATOMIC_RELAXED);
}

/* All that has completed: bounded, the ring holds what is posted and no more. */
void
bf_ctrl_cq_drain(struct bf_ctrl_conn *cc)
{
	if (cc->has_queues && ctrl_cq(cc, cc->cq.nb_cqes) != 0)
		ctrl_waiting_tell(cc);
}

/*
 * Handing up
 */

/* Control messages; the number, or less than 0 if a callback has ended the connection. */
static int
ctrl_ctl_recv(struct bf_ctrl_conn *cc)
{
	const struct bf_part *fast = cc->pub.dev->parts[BF_PART_FAST];
	struct bf_ctrl_rx *rx = &cc->rx;
	union bf_wire_ctl ctl;
	struct bf_ctrl_msg msg;
	int nb = 0;

	while (rx->ctl_taken != rx->ctl && cc->lost == 0) {
		msg = rx->ctls[rx->ctl_taken % BF_WIRE_CTL_ENTRIES];
		memcpy(&ctl, rx->bufs + (size_t)msg.buf * rx->stride + sizeof(struct bf_wire_hdr),
			bf_wire_ctl_len(msg.len));
		rx->ctl_taken++;
		ctrl_repost(cc, msg.buf);
		if (fast->ctl_came(&cc->pub, msg.len, &ctl, bf_wire_ctl_len(msg.len)) != 0)
			ctrl_lose(cc, -EPROTO);
		if (unlikely(cc->state != BF_CTRL_UP))
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
ctrl_data_hand(struct bf_ctrl_conn *cc, const struct bf_ctrl_msg *msg)
{
	const uint8_t *data = cc->rx.bufs + (size_t)msg->buf * cc->rx.stride +
		sizeof(struct bf_wire_hdr);
	int ret;

	cc->in_rx_cb = true;
	ret = rte_comch_pmd_msg_recv(cc->pub.conn, data, msg->len);
	cc->in_rx_cb = false;
	if (unlikely(cc->state == BF_CTRL_OVER))
		bf_ctrl_work_add(cc, BF_WORK_CLOSE, cc->over_reason);
	return ret;
}

/* Callbacks have lasted so long that the peer has to hear of what was taken. */
static bool
ctrl_burst_late(const struct bf_ctrl_conn *cc)
{
	return rte_get_tsc_cycles() - cc->cg->now >
		rte_get_tsc_hz() / MS_PER_S * BF_CTRL_BURST_MS;
}

/* Messages, as many as one poll may; returns as above. */
static int
ctrl_data_recv(struct bf_ctrl_conn *cc, uint32_t burst, uint32_t bytes)
{
	struct rte_comch_conn *conn = cc->pub.conn;
	struct bf_ctrl_rx *rx = &cc->rx;
	struct bf_ctrl_msg msg;
	uint32_t nb = 0;

	while (rx->taken != rx->data && nb < burst && bytes != 0 && !conn->rx_held) {
		msg = rx->fifo[rx->taken & rx->fifo_mask];
		/* before the call: if it ends the connection in there, this one was taken */
		rx->taken++;
		ctrl_waiting_tell(cc);
		if (unlikely(ctrl_data_hand(cc, &msg) != 0)) {
			rx->taken--;
			ctrl_waiting_tell(cc);
			break;
		}
		if (unlikely(cc->state != BF_CTRL_UP))
			return -ENOTCONN;
		ctrl_repost(cc, msg.buf);
		bytes -= RTE_MIN(bytes, msg.len);
		nb++;
		if (burst != UINT32_MAX && unlikely(ctrl_burst_late(cc)))
			break;
	}
	return nb;
}

/* What the peer has taken; returns as above. */
static int
ctrl_done(struct bf_ctrl_conn *cc)
{
	int nb;

	if (cc->tx.taken == cc->tx.done)
		return 0;
	cc->tx.done = cc->tx.taken;
	nb = rte_comch_pmd_send_done(cc->pub.conn, cc->tx.done);
	return likely(cc->state == BF_CTRL_UP) ? nb : -ENOTCONN;
}

/* The peer knows that messages are taken, which the application has still to take. */
static bool
ctrl_owes(const struct bf_ctrl_conn *cc)
{
	return cc->tx.bye && !cc->rx.bye_asks && cc->rx.taken != cc->rx.told &&
		(cc->lost == 0 || cc->lost == -ECONNRESET);
}

/*
 * Nothing more will come: hand up what is there, or what the answer to BYE has told of that,
 * then tell of the end. The number of events.
 */
static int
ctrl_last(struct bf_ctrl_conn *cc)
{
	const uint32_t nb = cc->tx.bye ? cc->rx.told - cc->rx.taken : UINT32_MAX;
	int ret = ctrl_done(cc), reason = cc->lost;

	/* one that has lied is not listened to, nor one that believes that nobody listens */
	if (ret >= 0 && reason != -EPROTO && !cc->rx.bye_asks)
		ret = ctrl_data_recv(cc, nb, UINT32_MAX);
	if (ret < 0)
		return 1;
	if (ctrl_owes(cc))
		return ret; /* it is held back, or goes on in the next poll */
	if (reason == 0 || (cc->rx.bye && reason != -EPROTO))
		reason = bf_left_reason(cc->rx.bye_reason);
	bf_ctrl_end(cc, reason);
	return 1;
}

/* One that is UP; the number of events. */
static int
ctrl_up_poll(struct bf_ctrl_conn *cc)
{
	int done, ctl = 0, data = 0;

	done = ctrl_done(cc);
	if (likely(done >= 0) && unlikely(cc->rx.ctl_taken != cc->rx.ctl))
		ctl = ctrl_ctl_recv(cc);
	if (likely(done >= 0 && ctl >= 0) && cc->lost == 0 && !cc->rx.bye)
		data = ctrl_data_recv(cc, BF_CTRL_BURST, BF_CTRL_BYTES);
	if (unlikely(done < 0 || ctl < 0 || data < 0))
		return 1;
	if (unlikely(cc->lost != 0 || cc->rx.bye)) {
		/* until the peer has the answer, a completion of ours or the peer's DREQ */
		if (cc->lost == 0 && cc->rx.bye_asks &&
				(cc->tx.bye || bf_ctrl_bye_answer(cc)))
			return 0;
		return ctrl_last(cc);
	}
	return done + ctl + data + bf_ctrl_out_send(cc);
}

static int
ctrl_poll(struct bf_ctrl_conn *cc)
{
	uint32_t nb = ctrl_cq(cc, BF_CTRL_CQES);
	int events = 0;

	if (nb != 0)
		ctrl_waiting_tell(cc);
	if (unlikely(cc->state == BF_CTRL_OPENING && cc->rx_seen))
		bf_ctrl_ready(cc);
	if (likely(cc->state == BF_CTRL_UP)) {
		events = ctrl_up_poll(cc);
	} else if (cc->state == BF_CTRL_OPENING && cc->lost != 0) {
		bf_ctrl_end(cc, cc->lost);
		events = 1;
	} else if (cc->state == BF_CTRL_CLOSING) {
		bf_ctrl_closed(cc);
		events = nb != 0;
	}
	/* what was handed up is told of at the end, also if it came in another poll */
	if (events != 0 && cc->cg != NULL)
		bf_ctrl_dirty(cc);
	cc->idle = nb + events != 0 ? 0 : cc->idle + 1;
	return events;
}

/* One look at one connection; the number of events. */
int
bf_ctrl_poll(struct bf_ctrl_conn *cc)
{
	int events;

	/* a callback may end it */
	bf_ctrl_ref(cc);
	events = ctrl_poll(cc);
	if (cc->idle >= BF_CTRL_IDLE_POLLS && cc->active >= 0 && !bf_ctrl_pending(cc)) {
		bf_ctrl_arm(cc);
		if (cc->wake.armed)
			bf_ctrl_deactivate(cc);
		cc->idle = 0;
	}
	bf_ctrl_put(cc);
	return events;
}

/*
 * Rest
 */

/* Is there something to do that no completion will tell of? */
bool
bf_ctrl_pending(const struct bf_ctrl_conn *cc)
{
	if (cc->state != BF_CTRL_UP)
		return false;
	return (cc->lost != 0 && !ctrl_owes(cc)) || cc->rx.ctl_taken != cc->rx.ctl ||
		(bf_ctrl_waiting(cc) != 0 && !bf_ctrl_held(cc));
}

static void
ctrl_woken(struct bf_idle *idle_queue)
{
	struct bf_ctrl_wake *wake = container_of(idle_queue, struct bf_ctrl_wake, idle_queue);

	bf_compq_event(wake->cq);
	wake->armed = false;
	bf_ctrl_activate(wake->cc);
}

static void
wake_arm(struct bf_ctrl_wake *wake, struct bf_ctrl_conn *cc, struct bf_compq *cq, bool solicited)
{
	if (wake->armed && wake->solicited <= solicited)
		return;
	if (!wake->added) {
		wake->cc = cc;
		wake->cq = cq;
		wake->idle_queue.handler = ctrl_woken;
		if (bf_group_idle_add(cc->pub.group, cq->cqn, &wake->idle_queue) != 0)
			return;
		wake->added = true;
	}
	if (solicited)
		bf_compq_arm_solicited(cq);
	else
		bf_compq_arm(cq);
	wake->armed = true;
	wake->solicited = solicited;
}

/*
 * Its completion queue tells the group's event queue of what comes. Of a connection that
 * is held back only what is not DATA, nor a sign of life, is worth that. Where room is
 * wanted, or the BYE is under way, also what was sent is news.
 */
void
bf_ctrl_arm(struct bf_ctrl_conn *cc)
{
	if (!cc->has_queues)
		return;
	if (cc->tx_full || cc->tx.bye)
		wake_arm(&cc->tx_wake, cc, &cc->tx_cq, false);
	wake_arm(&cc->wake, cc, &cc->cq, bf_ctrl_held(cc));
}

void
bf_conn_rx_resume(struct rte_comch_conn *conn)
{
	struct bf_chan *chan = bf_chan_of(conn);

	if (chan != NULL && bf_ctrl_of(chan)->state == BF_CTRL_UP)
		bf_ctrl_activate(bf_ctrl_of(chan));
}

/*
 * Messages in a completion queue that nobody has looked at since they came. This is another
 * thread's look: it may be at an entry that was taken meanwhile, and then counts what was.
 */
static uint32_t
ctrl_unseen(const struct bf_ctrl_conn *cc)
{
	struct bf_compq look = {
		.ring = cc->cq.ring, .nb_cqes = cc->cq.nb_cqes, .mask = cc->cq.mask,
		.ci = __atomic_load_n(&cc->cq_seen, __ATOMIC_RELAXED),
	};
	const struct bf_ctrl_rx *rx = &cc->rx;
	const struct bf_cqe *cqe;
	const uint8_t *msg;
	uint32_t n, nb = 0, buf;

	for (n = 0; n < look.nb_cqes && (cqe = bf_compq_next(&look)) != NULL; n++) {
		if (bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND)
			continue;
		buf = __atomic_load_n(&rx->slots[bf_cqe_wqe_counter(cqe) & cc->rq.mask],
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
	const struct bf_ctrl_conn *cc;
	struct bf_chan *chan;
	uint32_t nb;

	nb = __atomic_load_n(&priv->rx_waiting, __ATOMIC_RELAXED);
	if (priv->dev == NULL)
		return 0;
	chan = bf_chan_lock(priv->dev, conn);
	cc = chan != NULL ? bf_ctrl_of(chan) : NULL;
	/* acquire: pairs with the release in ctrl_queues_take() */
	if (cc != NULL && __atomic_load_n(&cc->has_queues, __ATOMIC_ACQUIRE))
		/* what comes and goes while it counts may be in both; there is no more room */
		nb = RTE_MIN(nb + ctrl_unseen(cc), cc->rx.queue);
	bf_chan_unlock(priv->dev);
	return nb;
}
