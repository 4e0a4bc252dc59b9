/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of endpoints: copies on their way out, and those that wait for recvfrom. Takes
 * memory when a connection begins, and none for a message. Nothing about how connections
 * come and go.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include <doca_comm_channel_private.h>

/* Before each message in the ring. No peer: the rest of the ring is not used. */
struct rec {
	struct doca_comm_channel_addr_t *peer;
	uint32_t gen;
	uint32_t len;
};

/* Of the longest message; peers may send longer ones than this endpoint. */
#define REC_MAX (sizeof(struct rec) + 65536)

/* Messages that are received without a turn of the engine. */
#define RECV_TURN 32

static size_t
rec_size(uint32_t len)
{
	return sizeof(struct rec) + RTE_ALIGN_CEIL(len, sizeof(struct rec));
}

/* Two times: what is left at the end of the ring may be too short. */
static bool
rx_is_full(const struct cc_rx *rx)
{
	return rx->nb_put - rx->nb_got >= rx->max_nb || rx->size - rx->used < 2 * REC_MAX;
}

static bool
rx_has_room(const struct cc_rx *rx)
{
	return rx->nb_put - rx->nb_got <= rx->max_nb / 2 && rx->size - rx->used >= rx->size / 4 &&
		!rx_is_full(rx);
}

static void
rx_hold(struct doca_comm_channel_ep_t *ep, bool hold)
{
	struct doca_comm_channel_addr_t *peer;

	ep->rx.held = hold;
	TAILQ_FOREACH(peer, &ep->up, next) {
		if (peer->conn == NULL)
			continue;
		if (hold)
			rte_comch_conn_recv_hold_set(peer->conn, true);
		else
			rte_comch_conn_recv_hold_set(peer->conn, false);
	}
}

static void
rx_put(struct cc_rx *rx, struct doca_comm_channel_addr_t *peer, const void *msg, uint32_t len)
{
	size_t size = rec_size(len);
	struct rec *rec;

	if (rx->used == 0)
		rx->head = rx->tail = 0; /* small queues stay in the cache */
	if (rx->size - rx->tail < size) {
		rec = (struct rec *)(rx->ring + rx->tail);
		rec->peer = NULL;
		rx->used += rx->size - rx->tail;
		rx->tail = 0;
	}
	rec = (struct rec *)(rx->ring + rx->tail);
	rec->peer = peer;
	rec->gen = peer->gen;
	rec->len = len;
	memcpy(rec + 1, msg, len);
	rx->used += size;
	rx->tail = (rx->tail + size) % rx->size;
	rx->nb_put++;
}

static void
rx_drop(struct cc_rx *rx, const struct rec *rec)
{
	size_t size = rec_size(rec->len);

	rx->used -= size;
	rx->head = (rx->head + size) % rx->size;
	rx->nb_got++;
	rx->told = false;
}

/* The oldest message, or NULL. Those of peers that are gone are dropped. */
static struct rec *
rx_first(struct cc_rx *rx)
{
	struct rec *rec;

	while (rx->nb_put != rx->nb_got) {
		rec = (struct rec *)(rx->ring + rx->head);
		if (rec->peer == NULL) {
			rx->used -= rx->size - rx->head;
			rx->head = 0;
		} else if (rec->gen != rec->peer->gen) {
			rx_drop(rx, rec);
		} else {
			return rec;
		}
	}
	return NULL;
}

void
cc_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct doca_comm_channel_addr_t *peer = rte_comch_conn_user_data_get(conn);
	struct doca_comm_channel_ep_t *ep = user_data;

	if (peer == NULL || rx_is_full(&ep->rx))
		return; /* neither happens: the connection is known, or is held */
	rx_put(&ep->rx, peer, msg, len);
	if (rx_is_full(&ep->rx))
		rx_hold(ep, true);
}

static doca_error_t
rx_create(struct cc_rx *rx, uint32_t max_nb, uint32_t msg_size)
{
	*rx = (struct cc_rx){.max_nb = max_nb};
	rx->size = max_nb * rec_size(msg_size) + 3 * REC_MAX;
	rx->ring = malloc(rx->size);
	return rx->ring == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

/* The places for messages get their memory when they are used first, and keep it. */
static doca_error_t
tx_create(struct cc_tx *tx, uint32_t nb)
{
	uint32_t i;

	tx->slots = calloc(nb, sizeof(*tx->slots));
	tx->idle = calloc(nb, sizeof(*tx->idle));
	if (tx->slots == NULL || tx->idle == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < nb; i++)
		tx->idle[nb - 1 - i] = &tx->slots[i];
	tx->nb_slots = tx->nb_idle = nb;
	return DOCA_SUCCESS;
}

static void
tx_free(struct cc_tx *tx)
{
	uint32_t i;

	for (i = 0; i < tx->nb_slots; i++)
		free(tx->slots[i].data);
	free(tx->slots);
	free(tx->idle);
	*tx = (struct cc_tx){0};
}

doca_error_t
cc_queues_create(struct doca_comm_channel_ep_t *ep, uint32_t nb_tasks)
{
	doca_error_t result;

	cc_queues_free(ep);
	result = rx_create(&ep->rx, ep->recv_queue, ep->max_msg_size);
	if (result == DOCA_SUCCESS)
		result = tx_create(&ep->tx, nb_tasks);
	return result;
}

void
cc_queues_free(struct doca_comm_channel_ep_t *ep)
{
	free(ep->rx.ring);
	ep->rx = (struct cc_rx){0};
	tx_free(&ep->tx);
}

/* The own place of a peer that is gone went with it. */
static void
slot_put(struct doca_comm_channel_ep_t *ep, struct cc_slot *slot)
{
	if (!slot->own)
		ep->tx.idle[ep->tx.nb_idle++] = slot;
	else if (slot->gen == slot->peer->gen)
		slot->peer->own_busy = false;
}

static struct cc_slot *
slot_get(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	struct cc_slot *slot;

	if (!peer->own_busy) {
		peer->own_busy = true;
		slot = &peer->own;
	} else if (ep->tx.nb_idle != 0) {
		slot = ep->tx.idle[--ep->tx.nb_idle];
	} else {
		return NULL;
	}
	slot->peer = peer;
	slot->gen = peer->gen;
	if (slot->data == NULL)
		slot->data = malloc(ep->max_msg_size);
	if (slot->data != NULL)
		return slot;
	slot_put(ep, slot);
	return NULL;
}

void
cc_send_cb(struct rte_comch_task *task, int status __rte_unused, void *user_data)
{
	struct doca_comm_channel_ep_t *ep = user_data;
	struct cc_slot *slot = rte_comch_task_user_data_get(task);

	if (slot->gen == slot->peer->gen)
		slot->peer->now.in_flight--;
	slot_put(ep, slot);
	rte_comch_task_free(task);
	ep->nb_in_flight--;
	ep->nb_sent++;
	cc_event(ep, CC_CHANNEL_SEND);
}

static int
msg_submit(struct doca_comm_channel_addr_t *peer, struct cc_slot *slot, uint32_t len)
{
	struct rte_comch_task *task;
	int ret;

	ret = rte_comch_conn_task_alloc(peer->conn, slot->data, len, &task);
	if (ret != 0)
		return ret;
	rte_comch_task_user_data_set(task, slot);
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		rte_comch_task_free(task);
	return ret;
}

static doca_error_t
msg_result(int ret)
{
	switch (ret) {
	case 0:
		return DOCA_SUCCESS;
	case -ENOMEM:
	case -EDQUOT:
	case -EAGAIN:
		return DOCA_ERROR_AGAIN;
	case -ENOTCONN:
	case -EBUSY:
		return DOCA_ERROR_CONNECTION_RESET; /* recvfrom will find its end, too */
	default:
		CC_LOG(ERROR, "message not sent: %s", strerror(-ret));
		return DOCA_ERROR_UNKNOWN;
	}
}

static doca_error_t
msg_send(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer,
		const void *msg, uint32_t len)
{
	struct cc_slot *slot = NULL;
	int ret;

	if (peer->now.in_flight < ep->send_queue)
		slot = slot_get(ep, peer);
	if (slot == NULL)
		return DOCA_ERROR_AGAIN;
	memcpy(slot->data, msg, len);
	ret = msg_submit(peer, slot, len);
	if (ret != 0) {
		slot_put(ep, slot);
		return msg_result(ret);
	}
	peer->now.tx_msgs++;
	peer->now.tx_bytes += len;
	peer->now.in_flight++;
	ep->nb_in_flight++;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_sendto(struct doca_comm_channel_ep_t *ep, const void *msg, size_t len,
		int flags, struct doca_comm_channel_addr_t *peer)
{
	doca_error_t result;

	if (ep == NULL || msg == NULL || flags != DOCA_CC_MSG_FLAG_NONE)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (!cc_peer_is_of(ep, peer) || peer->closing) {
		result = DOCA_ERROR_NOT_CONNECTED;
		goto end;
	}
	if (len == 0 || len > ep->max_msg_size) {
		CC_LOG(WARNING, "message of %zu bytes for '%s' not sent: 1 to %u are possible, see doca_comm_channel_ep_set_max_msg_size()",
			len, ep->name, ep->max_msg_size);
		result = DOCA_ERROR_INVALID_VALUE;
		goto end;
	}
	cc_turn(ep);
	if (peer->state == CC_PEER_UP)
		result = msg_send(ep, peer, msg, len);
	else if (peer->state == CC_PEER_CONNECTING)
		result = DOCA_ERROR_NOT_CONNECTED;
	else
		result = DOCA_ERROR_CONNECTION_RESET;
end:
	doca_unlock(&ep->lock);
	return result;
}

static doca_error_t
rx_take(struct doca_comm_channel_ep_t *ep, struct rec *rec, void *msg, size_t *len)
{
	if (rec->len > *len) {
		if (!ep->rx.told)
			CC_LOG(WARNING, "message of %u bytes for '%s' does not fit in %zu bytes: call doca_comm_channel_ep_recvfrom() with room for it",
				rec->len, ep->name, *len);
		ep->rx.told = true;
		return DOCA_ERROR_INVALID_VALUE;
	}
	memcpy(msg, rec + 1, rec->len);
	*len = rec->len;
	rec->peer->shown = true;
	rec->peer->now.rx_msgs++;
	rec->peer->now.rx_bytes += rec->len;
	rx_drop(&ep->rx, rec);
	return DOCA_SUCCESS;
}

/* What there is to say when no message and no end of a connection is there. */
static doca_error_t
rx_nothing(const struct doca_comm_channel_ep_t *ep)
{
	if (ep->failed)
		return DOCA_ERROR_UNKNOWN;
	if (ep->role == CC_ROLE_CLIENT && ep->client->state == CC_PEER_OVER)
		return DOCA_ERROR_NOT_CONNECTED;
	return DOCA_ERROR_AGAIN;
}

static doca_error_t
rx_next(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
		struct doca_comm_channel_addr_t **peer_addr)
{
	struct doca_comm_channel_addr_t *peer;
	struct rec *rec = rx_first(&ep->rx);

	while ((peer = TAILQ_FIRST(&ep->ended)) != NULL && peer->end_seq <= ep->rx.nb_got) {
		if (!peer->shown) {
			cc_peer_free(peer);
			continue;
		}
		cc_peer_over(peer);
		*peer_addr = peer;
		return DOCA_ERROR_CONNECTION_RESET;
	}
	if (rec == NULL)
		return rx_nothing(ep);
	peer = rec->peer;
	if (rx_take(ep, rec, msg, len) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	*peer_addr = peer;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_recvfrom(struct doca_comm_channel_ep_t *ep, void *msg, size_t *len,
		int flags, struct doca_comm_channel_addr_t **peer_addr)
{
	doca_error_t result = DOCA_ERROR_NOT_CONNECTED;

	if (ep == NULL || msg == NULL || len == NULL || peer_addr == NULL ||
			flags != DOCA_CC_MSG_FLAG_NONE)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	if (ep->role == CC_ROLE_NONE)
		goto end;
	ep->asleep = false;
	if (rx_first(&ep->rx) == NULL || ep->rx.nb_got % RECV_TURN == 0)
		cc_turn(ep);
	cc_peer_accept(ep);
	result = rx_next(ep, msg, len, peer_addr);
	if (ep->rx.held && rx_has_room(&ep->rx))
		rx_hold(ep, false);
	if (result == DOCA_ERROR_AGAIN)
		cc_sleep(ep);
end:
	doca_unlock(&ep->lock);
	return result;
}

/* What is on its way to a peer, or to all; with the deliveries until now. */
static uint64_t
flush_left(const struct doca_comm_channel_ep_t *ep, const struct doca_comm_channel_addr_t *peer,
		uint32_t gen, uint64_t *nb_done)
{
	if (peer == NULL) {
		*nb_done = ep->nb_sent;
		return ep->nb_in_flight;
	}
	if (peer->gen != gen)
		return 0;
	*nb_done = peer->now.tx_msgs - peer->now.in_flight;
	return peer->now.in_flight;
}

/*
 * What other peers take says nothing of this one; and one that takes a message now and
 * then does not keep the program for as long as it likes.
 */
void
cc_flush(struct doca_comm_channel_ep_t *ep, struct doca_comm_channel_addr_t *peer)
{
	uint64_t begin = cc_now_ms(), since = begin, last = 0, done = 0, left, now;
	uint32_t gen = peer == NULL ? 0 : peer->gen;

	for (;;) {
		cc_turn(ep);
		left = flush_left(ep, peer, gen, &done);
		if (left == 0)
			return;
		now = cc_now_ms();
		if (done != last)
			since = now;
		last = done;
		if (now - since >= CC_FLUSH_MS || now - begin >= CC_FLUSH_MAX_MS)
			break;
		doca_unlock(&ep->lock);
		cc_pause();
		doca_lock(&ep->lock);
	}
	CC_LOG(WARNING, "the peer of '%s' is too slow, or takes no messages: after %u ms, %u may be lost",
		ep->name, (unsigned int)(now - begin), (unsigned int)left);
}
