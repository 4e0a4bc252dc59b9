/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connection management as its user sees it: begin and end, the calls on ids, events,
 * and the poll that drives all of it. What messages say and mean is in the other files,
 * see bluefield_cm_priv.h.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_random.h>

#include "bluefield_cm_priv.h"

/* Messages in one poll; it asks for another one at once if there are more. */
#define POLL_BURST 64
#define BITS24 0xffffffu
/* The least time between two REPs that others can ask of us. */
#define MIN_REP_MS 32u
/* REPs are sent so often at least, whatever the REQ says. */
#define MIN_REP_RETRIES 3
#define HOP_LIMIT 64
/* UDP source ports of RoCE version 2, and flow labels, which they are made of */
#define UDP_SPORT_MIN 0xc000u
#define UDP_SPORT_BITS 14
#define FLOW_LABEL_BITS 20

/* The id whose callback this thread runs: it may release that without a wait. */
static __thread const struct bf_cm_id *own_cb;

/*
 * Begin and end
 */

void
bf_cm_conf_init(struct bf_cm_conf *conf)
{
	*conf = (struct bf_cm_conf){
		.service_id = BF_CM_SERVICE_ID,
		.max_ids = 4096,
		.max_peer_ids = 1024,
		.max_half_open = 64,
		.req_ms = 256,
		.rep_max_ms = 1000,
		.dreq_ms = 256,
		.wait_ms = 500,
		.retries = 15,
		.dreq_retries = 7,
	};
}

static int
conf_set(const struct bf_cm_conf *from, struct bf_cm_conf *conf)
{
	struct bf_cm_addr of_mac;
	rte_be64_t id;

	*conf = *from;
	bf_cm_addr_of_mac(conf->own.mac, &of_mac);
	memcpy(&id, of_mac.gid + 8, sizeof(id));
	if (conf->guid == 0)
		conf->guid = rte_be_to_cpu_64(id);
	if ((conf->own.mac[0] & 1) != 0 || (bf_cm_gid_ip4(conf->own.gid) == NULL &&
	    memcmp(conf->own.gid, of_mac.gid, sizeof(of_mac.gid)) != 0)) {
		BF_LOG(ERR, "%s: its MAC is that of a group, or its address for connections is neither made of it nor IPv4",
			conf->name);
		return -EINVAL;
	}
	if (!rte_is_power_of_2(conf->max_ids) || conf->max_ids > BF_CM_MAX_IDS ||
	    conf->retries > 15) {
		BF_LOG(ERR, "%s: limits of connection management are out of range", conf->name);
		return -EINVAL;
	}
	return 0;
}

static int
cm_alloc(const struct bf_cm_conf *conf, struct bf_cm **out)
{
	struct bf_cm *cm = calloc(1, sizeof(*cm));
	uint32_t i;
	int ret;

	if (cm == NULL)
		return -ENOMEM;
	ret = conf_set(conf, &cm->conf);
	if (ret != 0)
		goto fail;
	ret = -ENOMEM;
	cm->slots = calloc(cm->conf.max_ids, sizeof(*cm->slots));
	cm->gens = calloc(cm->conf.max_ids, sizeof(*cm->gens));
	if (cm->slots == NULL || cm->gens == NULL)
		goto fail;
	ret = bf_cond_init(&cm->cond);
	if (ret != 0)
		goto fail;
	bf_lock_init(&cm->lock);
	/* a life before, whose messages may still arrive, had others */
	for (i = 0; i < cm->conf.max_ids; i++)
		cm->gens[i] = rte_rand();
	cm->next_slot = rte_rand() & (cm->conf.max_ids - 1);
	cm->tid = rte_rand();
	cm->next_due = UINT64_MAX;
	*out = cm;
	return 0;
fail:
	free(cm->slots);
	free(cm->gens);
	free(cm);
	return ret;
}

int
bf_cm_open(struct bf_cm_port *port, const struct bf_cm_conf *conf, struct bf_cm **cm)
{
	int ret = cm_alloc(conf, cm);

	if (ret != 0) {
		BF_LOG(ERR, "%s: no connection management (%d)", conf->name, ret);
		port->ops->close(port);
		return ret;
	}
	(*cm)->port = port;
	return 0;
}

void
bf_cm_destroy(struct bf_cm *cm)
{
	uint32_t slot;

	if (cm == NULL)
		return;
	for (slot = 0; slot < cm->conf.max_ids; slot++) {
		if (cm->slots[slot] == NULL)
			continue;
		/* the last DREQ: its answer finds nobody */
		if (cm->slots[slot]->state == BF_CM_ST_DREQ_SENT)
			bf_cm_send_kept(cm->slots[slot]);
		bf_cm_id_free(cm->slots[slot]);
	}
	cm->port->ops->close(cm->port);
	bf_lock_fini(&cm->lock);
	bf_cond_fini(&cm->cond);
	free(cm->slots);
	free(cm->gens);
	free(cm);
}

/*
 * Calls on ids
 */

/* Within their fields, and possible; req: also what only a REQ has. */
static bool
qp_ok(const struct bf_cm_qp *qp, bool req)
{
	if (qp->qpn < 2 || qp->qpn > BITS24 || qp->psn > BITS24 || qp->rnr_retry > 7)
		return false;
	return !req || (qp->mtu >= 1 && qp->mtu <= 5 && qp->retry_count <= 7 &&
		qp->ack_timeout >= 1 && qp->ack_timeout <= 31);
}

/* Often enough in the time that there is, and not more often than is of use. */
static uint32_t
req_interval(const struct bf_cm_conf *conf, uint32_t timeout_ms)
{
	uint32_t ms = RTE_MIN(conf->req_ms, timeout_ms / 4);

	ms = RTE_MAX(ms, timeout_ms / (conf->retries + 1));
	return RTE_MAX(ms, 1u);
}

int
bf_cm_connect(struct bf_cm *cm, const struct bf_cm_addr *to, const struct bf_cm_qp *own,
	const void *priv, size_t len, uint32_t timeout_ms, bf_cm_cb_t cb, void *arg,
	struct bf_cm_id **out)
{
	struct bf_cm_id *id;
	int ret;

	if (!qp_ok(own, true) || len > BF_CM_REQ_PRIV || timeout_ms == 0 || cb == NULL)
		return -EINVAL;
	bf_lock(&cm->lock);
	id = bf_cm_id_new(cm, to, true, &ret);
	if (id != NULL) {
		id->own = *own;
		id->cb = cb;
		id->arg = arg;
		*out = id;
		bf_cm_send_req(id, priv, len);
		id->end = bf_cm_now(cm) + timeout_ms;
		bf_cm_id_retry(id, BF_CM_ST_REQ_SENT, req_interval(&cm->conf, timeout_ms),
			cm->conf.retries);
		ret = 0;
	}
	bf_unlock(&cm->lock);
	return ret;
}

int
bf_cm_accept(struct bf_cm_id *id, const struct bf_cm_qp *own, const void *priv, size_t len,
	bf_cm_cb_t cb, void *arg)
{
	struct bf_cm *cm = id->cm;
	int ret = -ECONNRESET;
	uint64_t ms;

	if (!qp_ok(own, false) || len > BF_CM_REP_PRIV || cb == NULL)
		return -EINVAL;
	bf_lock(&cm->lock);
	if (id->state == BF_CM_ST_REQ_RCVD) {
		id->own = *own;
		id->cb = cb;
		id->arg = arg;
		bf_cm_send_rep(id, priv, len);
		/* as the REQ asks, but neither for ever nor in a flood */
		ms = RTE_MIN(bf_mad_code_ms(id->rep_timeout), cm->conf.rep_max_ms);
		bf_cm_id_retry(id, BF_CM_ST_REP_SENT, RTE_MAX(ms, MIN_REP_MS),
			RTE_MAX(id->rep_retries, MIN_REP_RETRIES));
		ret = 0;
	}
	bf_unlock(&cm->lock);
	return ret;
}

int
bf_cm_reject(struct bf_cm_id *id, int reason, const void *priv, size_t len)
{
	uint8_t why = len != 0 ? BF_REJ_CONSUMER : bf_cm_errno_reason(reason);
	struct bf_cm *cm = id->cm;
	int ret = -ECONNRESET;

	if (len > BF_CM_REJ_PRIV)
		return -EINVAL;
	bf_lock(&cm->lock);
	if (id->state == BF_CM_ST_REQ_RCVD || id->state == BF_CM_ST_REP_RCVD) {
		bf_cm_send_rej(id, id->active ? BF_MAD_ABOUT_REP : BF_MAD_ABOUT_REQ, why, priv,
			len);
		bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
		ret = 0;
	}
	bf_unlock(&cm->lock);
	return ret;
}

int
bf_cm_rtu(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;
	int ret = -ECONNRESET;

	bf_lock(&cm->lock);
	if (id->state == BF_CM_ST_REP_RCVD) {
		bf_cm_send_rtu(id);
		bf_cm_id_state(id, BF_CM_ST_ESTABLISHED, UINT64_MAX);
		ret = 0;
	}
	bf_unlock(&cm->lock);
	return ret;
}

void
bf_cm_established(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;

	bf_lock(&cm->lock);
	if (id->state == BF_CM_ST_REP_SENT)
		bf_cm_id_state(id, BF_CM_ST_ESTABLISHED, UINT64_MAX);
	bf_unlock(&cm->lock);
}

/* With the lock. */
static int
disconnect(struct bf_cm_id *id, int reason)
{
	struct bf_cm *cm = id->cm;

	switch (id->state) {
	case BF_CM_ST_ESTABLISHED:
	case BF_CM_ST_REP_SENT:
		bf_cm_send_dreq(id, reason);
		bf_cm_id_retry(id, BF_CM_ST_DREQ_SENT, cm->conf.dreq_ms,
			cm->conf.dreq_retries);
		return 0;
	case BF_CM_ST_DREQ_RCVD:
		bf_cm_send_drep(id);
		bf_cm_timewait(id, 0);
		return 0;
	case BF_CM_ST_DREQ_SENT:
	case BF_CM_ST_TIMEWAIT:
		return -EALREADY;
	default:
		return -ENOTCONN;
	}
}

int
bf_cm_disconnect(struct bf_cm_id *id, int reason)
{
	struct bf_cm *cm = id->cm;
	int ret;

	if (reason > 0 || reason < -BF_CM_MAX_ERRNO)
		return -EINVAL;
	bf_lock(&cm->lock);
	ret = disconnect(id, reason);
	bf_unlock(&cm->lock);
	return ret;
}

/* What the other side is owed by an id that nobody has any more. With the lock. */
static void
let_go(struct bf_cm_id *id)
{
	switch (id->state) {
	case BF_CM_ST_REQ_SENT:
		bf_cm_send_rej(id, BF_MAD_ABOUT_OTHER, BF_REJ_TIMEOUT, NULL, 0);
		break;
	case BF_CM_ST_REQ_RCVD:
		bf_cm_send_rej(id, BF_MAD_ABOUT_REQ, BF_REJ_CONSUMER, NULL, 0);
		break;
	case BF_CM_ST_REP_RCVD:
		bf_cm_send_rej(id, BF_MAD_ABOUT_REP, BF_REJ_CONSUMER, NULL, 0);
		break;
	case BF_CM_ST_IDLE:
		break;
	case BF_CM_ST_REP_SENT:
		/* as Linux does, whose active side drops a DREQ before it has sent its RTU */
		bf_cm_send_rej(id, BF_MAD_ABOUT_OTHER, BF_REJ_CONSUMER, NULL, 0);
		/* fallthrough */
	default:
		disconnect(id, 0);
		return;
	}
	bf_cm_id_free(id);
}

void
bf_cm_release(struct bf_cm_id *id)
{
	struct bf_cm *cm;

	if (id == NULL)
		return;
	cm = id->cm;
	bf_lock(&cm->lock);
	while (cm->id_in_cb == id && own_cb != id)
		bf_cond_wait(&cm->cond, &cm->lock);
	id->released = true;
	let_go(id);
	bf_unlock(&cm->lock);
}

uint16_t
bf_cm_udp_sport(uint32_t flow_label, uint32_t qpn, uint32_t remote_qpn)
{
	uint64_t v = (uint64_t)qpn * remote_qpn;

	if (flow_label == 0) {
		v ^= v >> FLOW_LABEL_BITS;
		v ^= v >> (2 * FLOW_LABEL_BITS);
		flow_label = v & ((1u << FLOW_LABEL_BITS) - 1);
	}
	return UDP_SPORT_MIN | ((flow_label & ((1u << UDP_SPORT_BITS) - 1)) ^
		flow_label >> UDP_SPORT_BITS);
}

void
bf_cm_path(const struct bf_cm_id *id, const struct bf_cm_qp *own, struct bf_qp_path *path)
{
	const struct bf_cm_qp *req;
	struct bf_cm *cm = id->cm;

	bf_lock(&cm->lock);
	/* what is for both is in the REQ */
	req = id->active ? own : &id->remote;
	path->remote_qpn = id->remote.qpn;
	path->remote_psn = own->psn;
	path->local_psn = id->remote.psn;
	path->mtu = req->mtu;
	path->src_addr_index = cm->conf.addr_index;
	memcpy(path->rgid, id->addr.gid, sizeof(path->rgid));
	memcpy(path->rmac, id->addr.mac, sizeof(path->rmac));
	path->hop_limit = HOP_LIMIT;
	path->tclass = id->tclass;
	path->udp_sport = bf_cm_udp_sport(id->flow_label, own->qpn, id->remote.qpn);
	path->ack_timeout = req->ack_timeout;
	path->retry_count = req->retry_count;
	path->rnr_retry = id->remote.rnr_retry;
	bf_unlock(&cm->lock);
}

/*
 * Events
 */

/* The lock is let go of meanwhile. What was taken back is not told. */
static void
deliver(struct bf_cm *cm)
{
	struct bf_cm_event ev;
	struct bf_cm_id *id;
	bf_cm_cb_t cb;
	uint32_t i;
	void *arg;

	for (i = 0; i < cm->nb_notes; i++) {
		id = cm->notes[i].id;
		if (id == NULL || id->released)
			continue;
		ev = cm->notes[i].ev;
		cb = id->cb;
		arg = id->arg;
		cm->id_in_cb = id;
		own_cb = id;
		bf_unlock(&cm->lock);
		cb(arg, id, &ev);
		bf_lock(&cm->lock);
		cm->id_in_cb = NULL;
		own_cb = NULL;
		bf_cond_wake_all(&cm->cond);
		/* it was released in there, and nothing is owed */
		if (id->released && id->state == BF_CM_ST_IDLE)
			bf_cm_id_free(id);
	}
	cm->nb_notes = 0;
}

static void
poll_messages(struct bf_cm *cm)
{
	struct bf_cm_packet pkt;
	uint32_t nb;

	for (nb = 0; nb < POLL_BURST; nb++) {
		if (!cm->port->ops->recv(cm->port, &pkt))
			break;
		bf_cm_rx(cm, &pkt);
		deliver(cm);
	}
	cm->more = nb == POLL_BURST;
}

static void
poll_timers(struct bf_cm *cm)
{
	uint64_t now = bf_cm_now(cm);
	uint32_t slot;

	if (now < cm->next_due)
		return;
	for (slot = 0; slot < cm->conf.max_ids; slot++) {
		if (cm->slots[slot] == NULL || cm->slots[slot]->due > now)
			continue;
		bf_cm_due(cm->slots[slot], now);
		deliver(cm);
	}
	cm->next_due = UINT64_MAX;
	for (slot = 0; slot < cm->conf.max_ids; slot++) {
		if (cm->slots[slot] != NULL)
			cm->next_due = RTE_MIN(cm->next_due, cm->slots[slot]->due);
	}
}

void
bf_cm_poll(struct bf_cm *cm)
{
	bf_lock(&cm->lock);
	cm->in_poll = true;
	poll_messages(cm);
	poll_timers(cm);
	cm->in_poll = false;
	bf_unlock(&cm->lock);
}

uint64_t
bf_cm_deadline(struct bf_cm *cm)
{
	uint64_t due;

	bf_lock(&cm->lock);
	due = cm->more ? 0 : cm->next_due;
	bf_unlock(&cm->lock);
	return due;
}

void
bf_cm_stats(struct bf_cm *cm, struct bf_cm_stats *stats)
{
	bf_lock(&cm->lock);
	*stats = cm->stats;
	bf_unlock(&cm->lock);
}

void
bf_cm_dump(struct bf_cm *cm, FILE *f)
{
	const struct bf_cm_stats *st = &cm->stats;
	const struct bf_cm_id *id;
	uint32_t i;

	bf_lock(&cm->lock);
	fprintf(f, "connection management: %u ids, %u half open\n", st->ids, st->half_open);
	for (i = 0; i < BF_CM_NB_MSGS; i++) {
		if (st->tx[i] != 0 || st->rx[i] != 0)
			fprintf(f, "  %s: %" PRIu64 " sent, %" PRIu64 " received\n",
				bf_mad_attr_text(BF_MAD_FIRST + i), st->tx[i], st->rx[i]);
	}
	fprintf(f, "  retries %" PRIu64 ", duplicates %" PRIu64 ", timeouts %" PRIu64
		", stale %" PRIu64 ", not sent %" PRIu64 "\n", st->retries, st->duplicates,
		st->timeouts, st->stale, st->tx_errors);
	fprintf(f, "  dropped: bad MAD %" PRIu64 ", bad sender %" PRIu64 ", bad field %" PRIu64
		", no id %" PRIu64 ", no room %" PRIu64 "\n", st->bad_mad, st->bad_from,
		st->bad_msg, st->no_id, st->no_room);
	for (i = 0; i < cm->conf.max_ids; i++) {
		id = cm->slots[i];
		if (id != NULL)
			fprintf(f, "  id 0x%08x, remote 0x%08x, queue pairs 0x%x and 0x%x, %s: %s%s\n",
				id->local_id, id->remote_id, id->own.qpn, id->remote.qpn,
				id->active ? "active" : "passive", bf_cm_state_text(id->state),
				id->released ? ", released" : "");
	}
	if (cm->port->ops->dump != NULL)
		cm->port->ops->dump(cm->port, f);
	bf_unlock(&cm->lock);
}
