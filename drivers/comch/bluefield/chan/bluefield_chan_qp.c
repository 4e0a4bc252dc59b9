/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Control connections in the worker: queue pairs and buffers, made and destroyed, and the
 * handshake. What the handshake says of the path is layer cm's; what it says of the
 * connection, its private data, is read and written here and nowhere else.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_random.h>
#include <rte_string_fns.h>

#include "bluefield_chan_priv.h"

static void line_cm_event(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);

/*
 * Queues and buffers
 */

/* Entries of our receive queue, whatever the peer's has. */
static uint32_t
rq_entries(const struct bf_line *line)
{
	return rte_align32pow2(line->queue + BF_WIRE_CTL_ENTRIES + BF_WIRE_MAX_WINDOW +
			BF_WIRE_FLOW_ENTRIES);
}

static int
line_cq_create(struct bf_line *line)
{
	struct bf_dev *dev = line->pub.dev;
	const struct bf_cq_attr attr = {
		.nb_cqes = RTE_MAX(rq_entries(line), 64u),
		.uar = &dev->uar,
		.ceq = &line->pub.group->ceq,
	};
	const struct bf_cq_attr tx_attr = {
		.nb_cqes = BF_LINE_SQ_BLOCKS,
		.uar = &dev->uar,
		.ceq = &line->pub.group->ceq,
	};
	int ret;

	ret = bf_cq_create(dev->objs, &attr, &line->hw_cq);
	if (ret != 0)
		return ret;
	line->has_cq = true;
	ret = bf_cq_create(dev->objs, &tx_attr, &line->hw_tx_cq);
	if (ret != 0)
		return ret;
	line->has_tx_cq = true;
	ret = bf_compq_init(&line->cq, &line->hw_cq, &dev->uar);
	return ret != 0 ? ret : bf_compq_init(&line->tx_cq, &line->hw_tx_cq, &dev->uar);
}

/* A queue pair in state INIT: it has a number, and nothing can come. */
static int
line_qp_create(struct bf_line *line)
{
	struct bf_dev *dev = line->pub.dev;
	const struct bf_qp_attr attr = {
		.pd = &dev->pd,
		.uar = &dev->uar,
		.cq_send = &line->hw_tx_cq,
		.cq_recv = &line->hw_cq,
		.nb_sq_blocks = BF_LINE_SQ_BLOCKS,
		.nb_rq_wqes = rq_entries(line),
		.rq_wqe_size = BF_WQE_SEG,
		.user_index = UINT32_MAX,
	};
	int ret;

	ret = line_cq_create(line);
	if (ret == 0)
		ret = bf_qp_create(dev->objs, &attr, &line->qp);
	if (ret != 0)
		return ret;
	line->has_qp = true;
	bf_lock(&line->cd->lock);
	line->qpn = line->qp.obj.id;
	bf_unlock(&line->cd->lock);
	ret = bf_sendq_init(&line->sq, &line->qp, &dev->uar);
	if (ret == 0)
		ret = bf_recvq_init(&line->rq, &line->qp);
	if (ret == 0)
		ret = bf_qp_to_init(&line->qp);
	line->own = (struct bf_cm_qp){
		.qpn = line->qp.obj.id,
		.psn = rte_rand_max(1u << 24),
		.rnr_retry = BF_LINE_RNR_RETRY,
		.mtu = dev->mtu,
		.retry_count = BF_RETRIES,
		.ack_timeout = BF_ACK_TIMEOUT,
	};
	return ret;
}

/* The tables of both directions, in one piece. */
static int
line_tables_alloc(struct bf_line *line)
{
	uint32_t fifo = rte_align32pow2(line->queue);
	uint32_t slots = rq_entries(line);

	line->rx.fifo = calloc(1, fifo * sizeof(*line->rx.fifo) +
			slots * sizeof(*line->rx.slots) +
			BF_LINE_SQ_BLOCKS * sizeof(*line->tx.ends));
	if (line->rx.fifo == NULL)
		return -ENOMEM;
	line->rx.fifo_mask = fifo - 1;
	line->rx.slots = (uint32_t *)(line->rx.fifo + fifo);
	line->tx.ends = line->rx.slots + slots;
	return 0;
}

/* What both sides have agreed on, in numbers of ours. */
static void
line_numbers_set(struct bf_line *line)
{
	struct bf_line_rx *rx = &line->rx;
	struct bf_line_tx *tx = &line->tx;
	uint32_t msg = RTE_MAX(line->msg_size, (uint32_t)sizeof(union bf_wire_ctl));

	tx->queue = line->peer_queue;
	tx->window = bf_wire_credit_window(line->queue);
	tx->size = rte_align32pow2(RTE_MAX(2 * RTE_ALIGN_CEIL(line->msg_size,
			RTE_CACHE_LINE_MIN_SIZE), BF_LINE_MIN_TX));
	rx->queue = line->queue;
	rx->max = line->msg_size;
	rx->window = bf_wire_credit_window(line->peer_queue);
	rx->stride = RTE_ALIGN_CEIL(sizeof(struct bf_wire_hdr) + msg, RTE_CACHE_LINE_MIN_SIZE);
	rx->nb_bufs = rx->queue + BF_WIRE_CTL_ENTRIES + rx->window + BF_WIRE_FLOW_ENTRIES;
}

static int
line_mem_alloc(struct bf_line *line)
{
	struct bf_dev *dev = line->pub.dev;
	struct bf_mkey_attr key = { .pd = &dev->pd, .local_write = true };
	size_t rx_len = (size_t)line->rx.nb_bufs * line->rx.stride;
	int ret;

	ret = bf_mem_alloc(dev->objs, rx_len + line->tx.size, &line->mem);
	if (ret != 0)
		return ret;
	key.mem = line->mem;
	key.addr = line->mem->addr;
	key.len = rx_len + line->tx.size;
	ret = bf_mkey_create(dev->objs, &key, &line->mkey);
	if (ret != 0)
		return ret;
	line->has_mkey = true;
	line->rx.bufs = line->mem->addr;
	line->rx.lkey = line->mkey.key;
	line->tx.ring = line->rx.bufs + rx_len;
	return 0;
}

/* Buffers for all that the peer may send, before it can. */
static int
line_bufs_post(struct bf_line *line)
{
	struct bf_sge sge = { .len = line->rx.stride, .lkey = line->rx.lkey };
	uint32_t i;
	int index;

	for (i = 0; i < line->rx.nb_bufs; i++) {
		sge.addr = (uintptr_t)line->rx.bufs + (uintptr_t)i * line->rx.stride;
		index = bf_recvq_post(&line->rq, &sge, 1);
		if (index < 0)
			return index;
		line->rx.slots[index & line->rq.mask] = i;
	}
	bf_recvq_ring(&line->rq);
	return 0;
}

/* From INIT to RTS, when both sides know each other. */
static int
line_qp_up(struct bf_line *line)
{
	struct bf_qp_path path = { .min_rnr_nak = BF_LINE_RNR_TIMER };
	int ret;

	line_numbers_set(line);
	ret = line_tables_alloc(line);
	if (ret == 0)
		ret = line_mem_alloc(line);
	if (ret == 0)
		ret = line_bufs_post(line);
	if (ret != 0)
		return ret;
	bf_cm_path(line->id, &line->own, &path);
	path.mtu = line->pub.mtu;
	ret = bf_qp_to_rtr(&line->qp, &path);
	return ret != 0 ? ret : bf_qp_to_rts(&line->qp, &path);
}

/*
 * All of it goes, and so does the line. A packet of the connection that is still under way
 * may find another queue pair with this number: that drops it by its sequence number.
 */
void
bf_line_finish(struct bf_line *line)
{
	struct bf_chan_dev *cd = line->cd;

	bf_cm_release(line->id);
	line->id = NULL;
	if (line->has_qp)
		bf_qp_destroy(&line->qp);
	bf_sendq_fini(&line->sq);
	if (line->has_tx_cq)
		bf_cq_destroy(&line->hw_tx_cq);
	if (line->has_cq)
		bf_cq_destroy(&line->hw_cq);
	if (line->has_mkey)
		bf_mkey_destroy(&line->mkey);
	if (line->mem != NULL)
		bf_mem_free(line->mem);
	free(line->rx.fifo);
	if (line->holds)
		bf_group_drop(line->pub.group);
	bf_lock(&cd->lock);
	line->dead = line->deaf = true;
	TAILQ_REMOVE(&cd->lines, line, next);
	cd->nb_lines--;
	bf_unlock(&cd->lock);
	bf_line_put(line);
}

/*
 * Requests, on the card
 */

/* One character at least, and nothing but zeros behind the last. */
static bool
prefix_is_name(const char *prefix)
{
	size_t i = strnlen(prefix, BF_WIRE_PREFIX_SIZE);

	if (i == 0)
		return false;
	while (i < BF_WIRE_PREFIX_SIZE && prefix[i] == '\0')
		i++;
	return i == BF_WIRE_PREFIX_SIZE;
}

/* What is known by its sender only; 0 if it is one that we take. */
static int
req_check(const struct bf_dev *dev, const struct bf_rep *rep, const struct bf_wire_req *req)
{
	const char *what = NULL;
	uint64_t value = 0;

	if (req->magic != BF_WIRE_MAGIC) {
		what = "magic number";
		value = req->magic;
	} else if (req->version_min > BF_WIRE_VERSION_MAX ||
			req->version_max < BF_WIRE_VERSION_MIN ||
			req->version_min > req->version_max) {
		if (bf_peer_log(dev, rep->rep_id))
			BF_LOG(WARNING, "%s: %s speaks versions %u to %u of the protocol, and this driver %u to %u: take the same release on both sides",
				dev->rte_dev->data->name, rep->name, req->version_min,
				req->version_max, BF_WIRE_VERSION_MIN, BF_WIRE_VERSION_MAX);
		return -EPROTONOSUPPORT;
	} else if (req->reserved != 0) {
		what = "reserved field";
		value = req->reserved;
	} else if (req->queue_size == 0 || req->queue_size > BF_WIRE_MAX_QUEUE_SIZE) {
		what = "receive queue";
		value = req->queue_size;
	} else if (req->max_msg_size > BF_WIRE_MAX_MSG_SIZE) {
		what = "size of messages";
		value = req->max_msg_size;
	} else if (!prefix_is_name(req->prefix)) {
		what = "name";
	}
	if (what == NULL)
		return 0;
	if (bf_peer_log(dev, rep->rep_id))
		BF_LOG(WARNING, "%s: request of %s: %s (0x%" PRIx64 ") out of range",
			dev->rte_dev->data->name, rep->name, what, value);
	return -EPROTO;
}

static void
req_refuse(struct bf_cm_id *id, int reason)
{
	const struct bf_wire_rej rej = {
		.magic = BF_WIRE_MAGIC,
		.reason = reason,
		.version_min = BF_WIRE_VERSION_MIN,
		.version_max = BF_WIRE_VERSION_MAX,
	};

	bf_cm_reject(id, reason, &rej, sizeof(rej));
}

/* A line for a request, that nobody knows of yet. */
static struct bf_line *
req_line(struct bf_chan_dev *cd, const struct bf_rep *rep, const struct bf_wire_req *req,
		uint8_t mtu)
{
	char name[sizeof(req->prefix) + 1] = ""; /* it may be longer than that */
	struct bf_line *line = bf_line_new(cd);

	if (line == NULL)
		return NULL;
	line->stage = BF_STAGE_REQUESTED;
	line->pub.rep_id = rep->rep_id;
	line->pub.peer = rep->addr;
	line->pub.mtu = RTE_MIN(mtu, cd->dev->mtu);
	line->msg_size = req->max_msg_size;
	line->peer_queue = req->queue_size;
	line->version = RTE_MIN(req->version_max, (uint8_t)BF_WIRE_VERSION_MAX);
	line->name_hash = req->name_hash;
	memcpy(name, req->prefix, sizeof(req->prefix));
	bf_line_name(line, name, rep->name);
	return line;
}

/* Of a request for a server that there is: its group is told, which is there as long. */
static int
req_take(struct bf_chan_dev *cd, const struct bf_rep *rep, const struct bf_wire_req *req,
		struct bf_cm_id *id, uint8_t mtu)
{
	struct bf_line *line = req_line(cd, rep, req, mtu);
	struct bf_listen *listen;

	if (line == NULL)
		return -ENOMEM;
	bf_lock(&cd->lock);
	listen = bf_listen_find(cd, rep->rep_id, req->name_hash, line->name);
	if (listen != NULL) {
		line->id = id;
		line->pub.group = listen->group;
		bf_line_event_locked(line, BF_EV_REQ, 0);
	}
	bf_unlock(&cd->lock);
	if (listen != NULL)
		return 0;
	bf_line_finish(line);
	rte_comch_pmd_count(&cd->dev->rte_dev->data->stats.refused);
	return -ENOENT;
}

/* Logged once: unknown peers could flood the log. */
static void
stranger_tell(struct bf_dev *dev, const uint8_t mac[6])
{
	/* relaxed: nothing else depends on it */
	if (!__atomic_exchange_n(&dev->stranger_told, true, __ATOMIC_RELAXED))
		BF_LOG(WARNING, "%s: a client of " BF_MAC_FMT " is refused, as key 'functions' has no such MAC: add <name>@" BF_MAC_FMT " if it is meant; others are refused without a word",
			dev->rte_dev->data->name, BF_MAC_ARGS(mac), BF_MAC_ARGS(mac));
}

void
bf_chan_req(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct bf_dev *dev = arg;
	const struct bf_rep *rep = bf_dev_rep_find(dev, &ev->from);
	struct bf_wire_req req;
	int ret = -EACCES;

	if (rep != NULL) {
		ret = -EPROTO;
		if (ev->len >= sizeof(req)) {
			memcpy(&req, ev->priv, sizeof(req));
			ret = req_check(dev, rep, &req);
		}
	} else {
		stranger_tell(dev, ev->from.mac);
	}
	if (ret == 0)
		ret = req_take(bf_chan_dev_of(dev), rep, &req, id, ev->qp.mtu);
	if (ret == 0)
		return;
	if (ret == -EPROTO)
		bf_violation_count(dev);
	req_refuse(id, ret);
	bf_cm_release(id);
}

/* The server's application has it: answer. */
static int
work_accept(struct bf_line *line)
{
	struct bf_wire_rep rep = {
		.magic = BF_WIRE_MAGIC,
		.version = line->version,
		.mtu = line->pub.mtu,
		.max_msg_size = line->msg_size,
		.queue_size = line->queue,
	};
	int ret;

	strlcpy(rep.name, line->name, sizeof(rep.name));
	strlcpy(rep.function, line->function, sizeof(rep.function));
	ret = line_qp_create(line);
	if (ret == 0)
		ret = line_qp_up(line);
	if (ret != 0)
		return ret;
	bf_line_event(line, BF_EV_QP, 0);
	ret = bf_cm_accept(line->id, &line->own, &rep, sizeof(rep), line_cm_event, line);
	if (ret == 0)
		line->stage = BF_STAGE_ANSWERED;
	return ret;
}

/*
 * Clients, on the host
 */

static int
work_ask(struct bf_line *line)
{
	struct bf_dev *dev = line->pub.dev;
	struct bf_wire_req req = {
		.magic = BF_WIRE_MAGIC,
		.version_min = BF_WIRE_VERSION_MIN,
		.version_max = BF_WIRE_VERSION_MAX,
		.max_msg_size = line->msg_size,
		.queue_size = line->queue,
		.name_hash = line->name_hash,
	};
	int ret;

	memcpy(req.prefix, line->name, RTE_MIN(strlen(line->name), sizeof(req.prefix)));
	if (dev->cm == NULL)
		return -ENODEV;
	line->stage = BF_STAGE_ASKED;
	ret = bf_cm_connect(dev->cm, &line->pub.peer, &line->own, &req, sizeof(req),
			BF_LINE_REQ_MS, line_cm_event, line, &line->id);
	if (ret != 0)
		line->stage = BF_STAGE_NONE;
	return ret;
}

static int
work_connect(struct bf_line *line)
{
	int ret = line_qp_create(line);

	return ret != 0 ? ret : work_ask(line);
}

static bool
text_ends(const char *text, size_t size)
{
	return memchr(text, '\0', size) != NULL;
}

/* It ends, and may be printed: people read it in logs and dumps. */
static bool
text_plain(const char *text, size_t size)
{
	size_t len = strnlen(text, size);
	size_t i;

	for (i = 0; i < len; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return len < size;
}

/* The answer of a server: is it one to our question? */
static int
rep_check(const struct bf_line *line, const struct bf_wire_rep *rep)
{
	const char *what = NULL;
	uint64_t value = 0;

	if (rep->magic != BF_WIRE_MAGIC || rep->version < BF_WIRE_VERSION_MIN ||
			rep->version > BF_WIRE_VERSION_MAX) {
		what = "magic number or version";
		value = (uint64_t)rep->version << 32 | rep->magic;
	} else if (rep->mtu == 0 || rep->mtu > line->own.mtu) {
		what = "MTU";
		value = rep->mtu;
	} else if ((rep->reserved[0] | rep->reserved[1]) != 0) {
		what = "reserved field";
	} else if (rep->queue_size == 0 || rep->queue_size > BF_WIRE_MAX_QUEUE_SIZE) {
		what = "receive queue";
		value = rep->queue_size;
	} else if (rep->max_msg_size == 0 || rep->max_msg_size > BF_WIRE_MAX_MSG_SIZE ||
			(line->msg_size != 0 && line->msg_size != rep->max_msg_size)) {
		what = "size of messages";
		value = rep->max_msg_size;
	} else if (!text_ends(rep->name, sizeof(rep->name)) ||
			strcmp(rep->name, line->name) != 0) {
		what = "name that is not the server's";
	} else if (!text_plain(rep->function, sizeof(rep->function))) {
		what = "name of the function";
	}
	if (what == NULL)
		return 0;
	BF_LOG(WARNING, "%s: answer to the request for '%s': %s (0x%" PRIx64 ") out of range",
		bf_line_dev_name(line), line->name, what, value);
	return -EPROTO;
}

static int
line_rep(struct bf_line *line, const struct bf_cm_event *ev)
{
	struct bf_wire_rep rep;
	int ret = -EPROTO;

	line->stage = BF_STAGE_ANSWERED;
	if (ev->len >= sizeof(rep)) {
		memcpy(&rep, ev->priv, sizeof(rep));
		ret = rep_check(line, &rep);
	}
	if (ret == -EPROTO)
		bf_violation_count(line->pub.dev);
	if (ret != 0)
		return ret;
	if ((uint64_t)rep.max_msg_size * line->queue > BF_LINE_MAX_RECV)
		return -EMSGSIZE;
	line->msg_size = rep.max_msg_size;
	line->peer_queue = rep.queue_size;
	line->version = rep.version;
	line->pub.mtu = rep.mtu;
	bf_line_name(line, NULL, rep.function);
	return line_qp_up(line);
}

/* The reasons that rte_comch_ctx_reason_get() tells of. */
static bool
refusal_known(int reason)
{
	return reason == -ENOENT || reason == -ENOSPC || reason == -EMSGSIZE ||
		reason == -ENOMEM || reason == -EACCES || reason == -EPROTO ||
		reason == -EPROTONOSUPPORT;
}

/* What a server says of its refusal; the words of another program are none. */
static int
refusal_reason(const struct bf_line *line, const struct bf_cm_event *ev)
{
	struct bf_wire_rej rej;

	if (ev->priv == NULL || ev->len < sizeof(rej))
		return -ECONNREFUSED;
	memcpy(&rej, ev->priv, sizeof(rej));
	if (rej.magic != BF_WIRE_MAGIC || !refusal_known(rej.reason))
		return -ECONNREFUSED;
	if (rej.reason == -EPROTONOSUPPORT)
		BF_LOG(ERR, "%s: the card speaks versions %u to %u of the protocol, and this driver %u to %u: take the same release on both sides",
			bf_line_dev_name(line), rej.version_min, rej.version_max,
			BF_WIRE_VERSION_MIN, BF_WIRE_VERSION_MAX);
	if (rej.reason == -EACCES)
		BF_LOG(ERR, "%s: the card's device does not serve this function: add <name>@" BF_MAC_FMT " to its key 'functions'",
			bf_line_dev_name(line), BF_MAC_ARGS(line->pub.dev->addr.mac));
	return rej.reason;
}

/*
 * An attempt is over. A time-out is tried again until the client gives up: the server may
 * come later. A stale refusal is tried again BF_LINE_TRIES times at most, because its answer
 * comes at once: the peer still has a connection of an earlier process of this side.
 */
static void
line_refused(struct bf_line *line, const struct bf_cm_event *ev)
{
	bool answered = ev->reason != 0;
	int ret = ev->status;

	bf_cm_release(line->id);
	line->id = NULL;
	line->stage = BF_STAGE_NONE;
	if (ret == -ECONNREFUSED)
		ret = refusal_reason(line, ev);
	else if (ret == -ETIMEDOUT && answered)
		ret = -ECONNREFUSED; /* that is for us to say */
	else if (ret == -ETIMEDOUT)
		bf_fdb_advice(line->pub.dev, &line->pub.peer);
	if (ret == -ETIMEDOUT ||
	    ((ret == -ECONNRESET || ret == -ESTALE) && ++line->tries < BF_LINE_TRIES))
		ret = work_ask(line);
	if (ret != 0)
		bf_line_event(line, BF_EV_LOST, ret);
}

/*
 * Either
 */

static void
line_cm_event(void *arg, struct bf_cm_id *id __rte_unused, const struct bf_cm_event *ev)
{
	struct bf_line *line = arg;
	int ret;

	switch (ev->type) {
	case BF_CM_REP:
		ret = line_rep(line, ev);
		bf_line_event(line, ret == 0 ? BF_EV_REP : BF_EV_LOST, ret);
		break;
	case BF_CM_RTU:
		line->stage = BF_STAGE_LIVE;
		bf_line_event(line, BF_EV_READY, 0);
		break;
	case BF_CM_FAILED:
		if (line->stage == BF_STAGE_ASKED) {
			line_refused(line, ev);
			break;
		}
		line->stage = BF_STAGE_NONE;
		/* the client went away before it was ready, or was never heard of again */
		bf_line_event(line, BF_EV_LOST, -ECONNRESET);
		break;
	case BF_CM_DREQ:
		bf_line_event(line, BF_EV_LEFT, ev->status);
		break;
	case BF_CM_ENDED:
		line->stage = BF_STAGE_NONE;
		bf_line_event(line, BF_EV_LOST, -ECONNRESET);
		break;
	default:
		break;
	}
}

/* The group has done with it. */
static void
work_close(struct bf_line *line, int reason)
{
	if (line->has_qp && line->stage >= BF_STAGE_ANSWERED && bf_dev_status(line->pub.dev) == 0)
		bf_qp_to_error(&line->qp);
	switch (line->stage) {
	case BF_STAGE_REQUESTED:
		req_refuse(line->id, reason);
		break;
	case BF_STAGE_ANSWERED:
		if (line->is_client)
			req_refuse(line->id, reason);
		else
			bf_cm_disconnect(line->id, reason);
		break;
	case BF_STAGE_LIVE:
		bf_cm_disconnect(line->id, reason);
		break;
	default:
		break;
	}
	bf_line_finish(line);
}

void
bf_line_work(struct bf_job *job)
{
	struct bf_line *line = container_of(job, struct bf_line, job);
	uint32_t work;
	int reason, ret = 0;

	bf_lock(&line->cd->lock);
	work = line->dead ? 0 : line->work;
	reason = line->close_reason;
	line->work = 0;
	line->job_posted = false;
	bf_unlock(&line->cd->lock);
	if ((work & BF_WORK_CLOSE) != 0) {
		work_close(line, reason);
		bf_line_put(line);
		return;
	}
	if ((work & BF_WORK_FLUSH) != 0 && line->has_qp && bf_dev_status(line->pub.dev) == 0)
		bf_qp_to_error(&line->qp);
	if ((work & BF_WORK_CONNECT) != 0)
		ret = work_connect(line);
	if ((work & BF_WORK_ACCEPT) != 0)
		ret = work_accept(line);
	if ((work & BF_WORK_RTU) != 0) {
		line->stage = BF_STAGE_LIVE;
		bf_cm_rtu(line->id); /* if it is void by now, an event says so */
	}
	if ((work & BF_WORK_EST) != 0) {
		line->stage = BF_STAGE_LIVE;
		bf_cm_established(line->id);
	}
	if (ret != 0)
		bf_line_event(line, BF_EV_LOST, ret);
	bf_line_put(line);
}
