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

static void ctrl_cm_event(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);

/*
 * Queues and buffers
 */

/* Entries of our receive queue, whatever the peer's has. */
static uint32_t
rq_entries(const struct bf_ctrl_conn *cc)
{
	return rte_align32pow2(cc->queue + BF_WIRE_CTL_ENTRIES + BF_WIRE_MAX_WINDOW +
			BF_WIRE_FLOW_ENTRIES);
}

static int
ctrl_cq_create(struct bf_ctrl_conn *cc)
{
	struct bf_dev *dev = cc->pub.dev;
	const struct bf_cq_attr attr = {
		.nb_cqes = RTE_MAX(rq_entries(cc), 64u),
		.uar = cc->pub.group->uar,
		.ceq = &cc->pub.group->ceq,
	};
	const struct bf_cq_attr tx_attr = {
		.nb_cqes = BF_CTRL_SQ_BLOCKS,
		.uar = cc->pub.group->uar,
		.ceq = &cc->pub.group->ceq,
	};
	int ret;

	ret = bf_cq_create(dev->objs, &attr, &cc->objs.cq);
	if (ret == 0)
		ret = bf_cq_create(dev->objs, &tx_attr, &cc->objs.tx_cq);
	if (ret == 0)
		ret = bf_compq_init(&cc->cq, &cc->objs.cq, cc->pub.group->uar);
	return ret != 0 ? ret : bf_compq_init(&cc->tx_cq, &cc->objs.tx_cq, cc->pub.group->uar);
}

/* A queue pair in state INIT: it has a number, and nothing can come. */
static int
ctrl_qp_create(struct bf_ctrl_conn *cc)
{
	struct bf_dev *dev = cc->pub.dev;
	const struct bf_qp_attr attr = {
		.pd = &dev->pd,
		.uar = cc->pub.group->uar,
		.cq_send = &cc->objs.tx_cq,
		.cq_recv = &cc->objs.cq,
		.nb_sq_blocks = BF_CTRL_SQ_BLOCKS,
		.nb_rq_wqes = rq_entries(cc),
		.rq_wqe_size = BF_WQE_SEG,
		.user_index = UINT32_MAX,
	};
	int ret;

	ret = ctrl_cq_create(cc);
	if (ret == 0)
		ret = bf_qp_create(dev->objs, &attr, &cc->objs.qp);
	if (ret != 0)
		return ret;
	bf_lock(&cc->cd->lock);
	cc->qpn = cc->objs.qp.obj.id;
	bf_unlock(&cc->cd->lock);
	ret = bf_sendq_init(&cc->sq, &cc->objs.qp, cc->pub.group->uar);
	if (ret == 0)
		ret = bf_recvq_init(&cc->rq, &cc->objs.qp);
	if (ret == 0)
		ret = bf_qp_to_init(&cc->objs.qp);
	cc->hs.own = (struct bf_cm_qp){
		.qpn = cc->objs.qp.obj.id,
		.psn = rte_rand_max(1u << 24),
		.rnr_retry = BF_CTRL_RNR_RETRY,
		.mtu = dev->mtu,
		.retry_count = BF_RETRIES,
		.ack_timeout = BF_ACK_TIMEOUT,
	};
	return ret;
}

/* The tables of both directions, in one piece. */
static int
ctrl_tables_alloc(struct bf_ctrl_conn *cc)
{
	uint32_t fifo = rte_align32pow2(cc->queue);
	uint32_t slots = rq_entries(cc);

	cc->rx.fifo = calloc(1, fifo * sizeof(*cc->rx.fifo) +
			slots * sizeof(*cc->rx.slots) +
			BF_CTRL_SQ_BLOCKS * sizeof(*cc->tx.ends));
	if (cc->rx.fifo == NULL)
		return -ENOMEM;
	cc->rx.fifo_mask = fifo - 1;
	cc->rx.slots = (uint32_t *)(cc->rx.fifo + fifo);
	cc->tx.ends = cc->rx.slots + slots;
	return 0;
}

/* What both sides have agreed on, in numbers of ours. */
static void
ctrl_numbers_set(struct bf_ctrl_conn *cc)
{
	struct bf_ctrl_rx *rx = &cc->rx;
	struct bf_ctrl_tx *tx = &cc->tx;
	uint32_t msg = RTE_MAX(cc->msg_size, (uint32_t)sizeof(union bf_wire_ctl));

	tx->queue = cc->peer_queue;
	tx->window = bf_wire_credit_window(cc->queue);
	tx->size = rte_align32pow2(RTE_MAX(2 * RTE_ALIGN_CEIL(cc->msg_size,
			RTE_CACHE_LINE_MIN_SIZE), BF_CTRL_MIN_TX));
	rx->queue = cc->queue;
	rx->max = cc->msg_size;
	rx->window = bf_wire_credit_window(cc->peer_queue);
	rx->stride = RTE_ALIGN_CEIL(sizeof(struct bf_wire_hdr) + msg, RTE_CACHE_LINE_MIN_SIZE);
	rx->nb_bufs = rx->queue + BF_WIRE_CTL_ENTRIES + rx->window + BF_WIRE_FLOW_ENTRIES;
}

static int
ctrl_mem_alloc(struct bf_ctrl_conn *cc)
{
	struct bf_dev *dev = cc->pub.dev;
	struct bf_mkey_attr key = { .pd = &dev->pd, .local_write = true };
	size_t rx_len = (size_t)cc->rx.nb_bufs * cc->rx.stride;
	int ret;

	ret = bf_mem_alloc(dev->objs, rx_len + cc->tx.size, &cc->objs.mem);
	if (ret != 0)
		return ret;
	key.mem = cc->objs.mem;
	key.addr = cc->objs.mem->addr;
	key.len = rx_len + cc->tx.size;
	ret = bf_mkey_create(dev->objs, &key, &cc->objs.mkey);
	if (ret != 0)
		return ret;
	cc->rx.bufs = cc->objs.mem->addr;
	cc->rx.lkey = cc->objs.mkey.key;
	cc->tx.ring = cc->rx.bufs + rx_len;
	return 0;
}

/* Buffers for all that the peer may send, before it can. */
static int
ctrl_bufs_post(struct bf_ctrl_conn *cc)
{
	struct bf_sge sge = { .len = cc->rx.stride, .lkey = cc->rx.lkey };
	uint32_t i;
	int index;

	for (i = 0; i < cc->rx.nb_bufs; i++) {
		sge.addr = (uintptr_t)cc->rx.bufs + (uintptr_t)i * cc->rx.stride;
		index = bf_recvq_post(&cc->rq, &sge, 1);
		if (index < 0)
			return index;
		cc->rx.slots[index & cc->rq.mask] = i;
	}
	bf_recvq_ring(&cc->rq);
	return 0;
}

/* From INIT to RTS, when both sides know each other. */
static int
ctrl_qp_up(struct bf_ctrl_conn *cc)
{
	struct bf_qp_path path = { .min_rnr_nak = BF_CTRL_RNR_TIMER };
	int ret;

	ctrl_numbers_set(cc);
	ret = ctrl_tables_alloc(cc);
	if (ret == 0)
		ret = ctrl_mem_alloc(cc);
	if (ret == 0)
		ret = ctrl_bufs_post(cc);
	if (ret != 0)
		return ret;
	bf_cm_path(cc->hs.id, &cc->hs.own, &path);
	path.mtu = cc->pub.mtu;
	ret = bf_qp_to_rtr(&cc->objs.qp, &path);
	return ret != 0 ? ret : bf_qp_to_rts(&cc->objs.qp, &path);
}

/*
 * All of it goes, and so does the connection. A packet of the connection that is still under way
 * may find another queue pair with this number: that drops it by its sequence number.
 */
void
bf_ctrl_finish(struct bf_ctrl_conn *cc)
{
	struct bf_chan_dev *cd = cc->cd;

	bf_cm_release(cc->hs.id);
	cc->hs.id = NULL;
	bf_qp_destroy(&cc->objs.qp);
	bf_sendq_fini(&cc->sq);
	bf_cq_destroy(&cc->objs.tx_cq);
	bf_cq_destroy(&cc->objs.cq);
	bf_mkey_destroy(&cc->objs.mkey);
	bf_mem_free(cc->objs.mem);
	free(cc->rx.fifo);
	if (cc->holds)
		bf_group_drop(cc->pub.group);
	bf_lock(&cd->lock);
	cc->released = cc->closing = true;
	TAILQ_REMOVE(&cd->conns, cc, next);
	cd->nb_conns--;
	bf_unlock(&cd->lock);
	bf_ctrl_put(cc);
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
		if (bf_peer_log_allowed(dev, rep->rep_id))
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
	if (bf_peer_log_allowed(dev, rep->rep_id))
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

/* A connection for a request, that nobody knows of yet. */
static struct bf_ctrl_conn *
req_line(struct bf_chan_dev *cd, const struct bf_rep *rep, const struct bf_wire_req *req,
		uint8_t mtu)
{
	char name[sizeof(req->prefix) + 1] = ""; /* it may be longer than that */
	struct bf_ctrl_conn *cc = bf_ctrl_new(cd);

	if (cc == NULL)
		return NULL;
	cc->hs.stage = BF_STAGE_REQUESTED;
	cc->pub.rep_id = rep->rep_id;
	cc->pub.peer = rep->addr;
	cc->pub.mtu = RTE_MIN(mtu, cd->dev->mtu);
	cc->msg_size = req->max_msg_size;
	cc->peer_queue = req->queue_size;
	cc->version = RTE_MIN(req->version_max, (uint8_t)BF_WIRE_VERSION_MAX);
	cc->name_hash = req->name_hash;
	memcpy(name, req->prefix, sizeof(req->prefix));
	bf_ctrl_name(cc, name, rep->name);
	return cc;
}

/* Of a request for a server that there is: its group is told, which is there as long. */
static int
req_take(struct bf_chan_dev *cd, const struct bf_rep *rep, const struct bf_wire_req *req,
		struct bf_cm_id *id, uint8_t mtu)
{
	struct bf_ctrl_conn *cc = req_line(cd, rep, req, mtu);
	struct bf_listen *listen;

	if (cc == NULL)
		return -ENOMEM;
	bf_lock(&cd->lock);
	listen = bf_listen_find(cd, rep->rep_id, req->name_hash, cc->name);
	if (listen != NULL) {
		cc->hs.id = id;
		cc->pub.group = listen->group;
		bf_ctrl_event_locked(cc, BF_EV_REQ, 0);
	}
	bf_unlock(&cd->lock);
	if (listen != NULL)
		return 0;
	bf_ctrl_finish(cc);
	rte_comch_pmd_count(&cd->dev->rte_dev->data->stats.refused);
	return -ENOENT;
}

/* Logged once: unknown peers could flood the log. */
static void
unknown_peer_tell(struct bf_dev *dev, const uint8_t mac[6])
{
	/* relaxed: nothing else depends on it */
	if (!__atomic_exchange_n(&dev->unknown_peer_told, true, __ATOMIC_RELAXED))
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
		unknown_peer_tell(dev, ev->from.mac);
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
work_accept(struct bf_ctrl_conn *cc)
{
	struct bf_wire_rep rep = {
		.magic = BF_WIRE_MAGIC,
		.version = cc->version,
		.mtu = cc->pub.mtu,
		.max_msg_size = cc->msg_size,
		.queue_size = cc->queue,
	};
	int ret;

	strlcpy(rep.name, cc->name, sizeof(rep.name));
	strlcpy(rep.function, cc->function, sizeof(rep.function));
	ret = ctrl_qp_create(cc);
	if (ret == 0)
		ret = ctrl_qp_up(cc);
	if (ret != 0)
		return ret;
	bf_ctrl_event(cc, BF_EV_QP, 0);
	ret = bf_cm_accept(cc->hs.id, &cc->hs.own, &rep, sizeof(rep), ctrl_cm_event, cc);
	if (ret == 0)
		cc->hs.stage = BF_STAGE_ANSWERED;
	return ret;
}

/*
 * Clients, on the host
 */

static int
work_ask(struct bf_ctrl_conn *cc)
{
	struct bf_dev *dev = cc->pub.dev;
	struct bf_wire_req req = {
		.magic = BF_WIRE_MAGIC,
		.version_min = BF_WIRE_VERSION_MIN,
		.version_max = BF_WIRE_VERSION_MAX,
		.max_msg_size = cc->msg_size,
		.queue_size = cc->queue,
		.name_hash = cc->name_hash,
	};
	int ret;

	memcpy(req.prefix, cc->name, RTE_MIN(strlen(cc->name), sizeof(req.prefix)));
	if (dev->cm == NULL)
		return -ENODEV;
	cc->hs.stage = BF_STAGE_ASKED;
	ret = bf_cm_connect(dev->cm, &cc->pub.peer, &cc->hs.own, &req, sizeof(req),
			BF_CTRL_REQ_MS, ctrl_cm_event, cc, &cc->hs.id);
	if (ret != 0)
		cc->hs.stage = BF_STAGE_NONE;
	return ret;
}

static int
work_connect(struct bf_ctrl_conn *cc)
{
	int ret = ctrl_qp_create(cc);

	return ret != 0 ? ret : work_ask(cc);
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
rep_check(const struct bf_ctrl_conn *cc, const struct bf_wire_rep *rep)
{
	const char *what = NULL;
	uint64_t value = 0;

	if (rep->magic != BF_WIRE_MAGIC || rep->version < BF_WIRE_VERSION_MIN ||
			rep->version > BF_WIRE_VERSION_MAX) {
		what = "magic number or version";
		value = (uint64_t)rep->version << 32 | rep->magic;
	} else if (rep->mtu == 0 || rep->mtu > cc->hs.own.mtu) {
		what = "MTU";
		value = rep->mtu;
	} else if ((rep->reserved[0] | rep->reserved[1]) != 0) {
		what = "reserved field";
	} else if (rep->queue_size == 0 || rep->queue_size > BF_WIRE_MAX_QUEUE_SIZE) {
		what = "receive queue";
		value = rep->queue_size;
	} else if (rep->max_msg_size == 0 || rep->max_msg_size > BF_WIRE_MAX_MSG_SIZE ||
			(cc->msg_size != 0 && cc->msg_size != rep->max_msg_size)) {
		what = "size of messages";
		value = rep->max_msg_size;
	} else if (strncmp(rep->name, cc->name, sizeof(rep->name)) != 0) {
		what = "name that is not the server's";
	} else if (!text_plain(rep->function, sizeof(rep->function))) {
		what = "name of the function";
	}
	if (what == NULL)
		return 0;
	BF_LOG(WARNING, "%s: answer to the request for '%s': %s (0x%" PRIx64 ") out of range",
		bf_ctrl_dev_name(cc), cc->name, what, value);
	return -EPROTO;
}

static int
ctrl_rep(struct bf_ctrl_conn *cc, const struct bf_cm_event *ev)
{
	struct bf_wire_rep rep;
	int ret = -EPROTO;

	cc->hs.stage = BF_STAGE_ANSWERED;
	if (ev->len >= sizeof(rep)) {
		memcpy(&rep, ev->priv, sizeof(rep));
		ret = rep_check(cc, &rep);
	}
	if (ret == -EPROTO)
		bf_violation_count(cc->pub.dev);
	if (ret != 0)
		return ret;
	if ((uint64_t)rep.max_msg_size * cc->queue > BF_CTRL_MAX_RECV)
		return -EMSGSIZE;
	cc->msg_size = rep.max_msg_size;
	cc->peer_queue = rep.queue_size;
	cc->version = rep.version;
	cc->pub.mtu = rep.mtu;
	bf_ctrl_name(cc, NULL, rep.function);
	return ctrl_qp_up(cc);
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
refusal_reason(const struct bf_ctrl_conn *cc, const struct bf_cm_event *ev)
{
	struct bf_wire_rej rej;

	if (ev->priv == NULL || ev->len < sizeof(rej))
		return -ECONNREFUSED;
	memcpy(&rej, ev->priv, sizeof(rej));
	if (rej.magic != BF_WIRE_MAGIC || !refusal_known(rej.reason))
		return -ECONNREFUSED;
	if (rej.reason == -EPROTONOSUPPORT)
		BF_LOG(ERR, "%s: the card speaks versions %u to %u of the protocol, and this driver %u to %u: take the same release on both sides",
			bf_ctrl_dev_name(cc), rej.version_min, rej.version_max,
			BF_WIRE_VERSION_MIN, BF_WIRE_VERSION_MAX);
	if (rej.reason == -EACCES)
		BF_LOG(ERR, "%s: the card's device does not serve this function: add <name>@" BF_MAC_FMT " to its key 'functions'",
			bf_ctrl_dev_name(cc), BF_MAC_ARGS(cc->pub.dev->addr.mac));
	return rej.reason;
}

/*
 * An attempt is over. A time-out is tried again until the client gives up: the server may
 * come later. A stale refusal is tried again BF_CTRL_TRIES times at most, because its answer
 * comes at once: the peer still has a connection of an earlier process of this side.
 */
static void
ctrl_refused(struct bf_ctrl_conn *cc, const struct bf_cm_event *ev)
{
	bool answered = ev->reason != 0;
	int ret = ev->status;

	bf_cm_release(cc->hs.id);
	cc->hs.id = NULL;
	cc->hs.stage = BF_STAGE_NONE;
	if (ret == -ECONNREFUSED)
		ret = refusal_reason(cc, ev);
	else if (ret == -ETIMEDOUT && answered)
		ret = -ECONNREFUSED; /* that is for us to say */
	else if (ret == -ETIMEDOUT)
		bf_fdb_advice(cc->pub.dev, &cc->pub.peer);
	if (ret == -ETIMEDOUT ||
	    ((ret == -ECONNRESET || ret == -ESTALE) && ++cc->hs.tries < BF_CTRL_TRIES))
		ret = work_ask(cc);
	if (ret != 0)
		bf_ctrl_event(cc, BF_EV_LOST, ret);
}

/*
 * Either
 */

static void
ctrl_cm_event(void *arg, struct bf_cm_id *id __rte_unused, const struct bf_cm_event *ev)
{
	struct bf_ctrl_conn *cc = arg;
	int ret;

	switch (ev->type) {
	case BF_CM_REP:
		ret = ctrl_rep(cc, ev);
		bf_ctrl_event(cc, ret == 0 ? BF_EV_REP : BF_EV_LOST, ret);
		break;
	case BF_CM_RTU:
		cc->hs.stage = BF_STAGE_LIVE;
		bf_ctrl_event(cc, BF_EV_READY, 0);
		break;
	case BF_CM_FAILED:
		if (cc->hs.stage == BF_STAGE_ASKED) {
			ctrl_refused(cc, ev);
			break;
		}
		cc->hs.stage = BF_STAGE_NONE;
		/* the client went away before it was ready, or was never heard of again */
		bf_ctrl_event(cc, BF_EV_LOST, -ECONNRESET);
		break;
	case BF_CM_DREQ:
		bf_ctrl_event(cc, BF_EV_LEFT, ev->status);
		break;
	case BF_CM_ENDED:
		cc->hs.stage = BF_STAGE_NONE;
		bf_ctrl_event(cc, BF_EV_LOST, -ECONNRESET);
		break;
	default:
		break;
	}
}

/* The group has done with it. */
static void
work_close(struct bf_ctrl_conn *cc, int reason)
{
	if (cc->hs.stage >= BF_STAGE_ANSWERED && bf_dev_status(cc->pub.dev) == 0)
		bf_qp_to_error(&cc->objs.qp);
	switch (cc->hs.stage) {
	case BF_STAGE_REQUESTED:
		req_refuse(cc->hs.id, reason);
		break;
	case BF_STAGE_ANSWERED:
		if (cc->is_client)
			req_refuse(cc->hs.id, reason);
		else
			bf_cm_disconnect(cc->hs.id, reason);
		break;
	case BF_STAGE_LIVE:
		bf_cm_disconnect(cc->hs.id, reason);
		break;
	default:
		break;
	}
	bf_ctrl_finish(cc);
}

void
bf_ctrl_work(struct bf_job *job)
{
	struct bf_ctrl_conn *cc = container_of(job, struct bf_ctrl_conn, job);
	uint32_t work;
	int reason, ret = 0;

	bf_lock(&cc->cd->lock);
	work = cc->released ? 0 : cc->work;
	reason = cc->close_reason;
	cc->work = 0;
	cc->job_posted = false;
	bf_unlock(&cc->cd->lock);
	if ((work & BF_WORK_CLOSE) != 0) {
		work_close(cc, reason);
		bf_ctrl_put(cc);
		return;
	}
	if ((work & BF_WORK_FLUSH) != 0 && cc->objs.qp.obj.dev != NULL &&
			bf_dev_status(cc->pub.dev) == 0)
		bf_qp_to_error(&cc->objs.qp);
	if ((work & BF_WORK_CONNECT) != 0)
		ret = work_connect(cc);
	if ((work & BF_WORK_ACCEPT) != 0)
		ret = work_accept(cc);
	if ((work & BF_WORK_RTU) != 0) {
		cc->hs.stage = BF_STAGE_LIVE;
		bf_cm_rtu(cc->hs.id); /* if it is void by now, an event says so */
	}
	if ((work & BF_WORK_EST) != 0) {
		cc->hs.stage = BF_STAGE_LIVE;
		bf_cm_established(cc->hs.id);
	}
	if (ret != 0)
		bf_ctrl_event(cc, BF_EV_LOST, ret);
	bf_ctrl_put(cc);
}
