/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Peer addresses: their life, their counters, and what a service tells of them. How
 * connections come and go is in doca_comm_channel_conn.c.
 */

#include <stdlib.h>
#include <string.h>

#include <doca_comm_channel_private.h>

doca_error_t
cc_peers_create(struct doca_comm_channel_ep_t *ep, uint32_t nb)
{
	uint32_t i;

	if (ep->peers != NULL && ep->nb_peers >= nb)
		return DOCA_SUCCESS;
	cc_peers_free(ep);
	ep->peers = calloc(nb, sizeof(*ep->peers));
	ep->nb_peers = ep->peers == NULL ? 0 : nb;
	TAILQ_INIT(&ep->up);
	TAILQ_INIT(&ep->ended);
	TAILQ_INIT(&ep->over);
	TAILQ_INIT(&ep->unused);
	for (i = 0; i < ep->nb_peers; i++) {
		ep->peers[i].ep = ep;
		TAILQ_INSERT_TAIL(&ep->unused, &ep->peers[i], next);
	}
	return ep->peers == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

void
cc_peers_free(struct doca_comm_channel_ep_t *ep)
{
	uint32_t i;

	for (i = 0; i < ep->nb_peers; i++)
		free(ep->peers[i].own.data);
	free(ep->peers);
	ep->peers = NULL;
	ep->nb_peers = 0;
}

bool
cc_peer_is_of(const struct doca_comm_channel_ep_t *ep,
		const struct doca_comm_channel_addr_t *peer)
{
	uintptr_t off = (uintptr_t)peer - (uintptr_t)ep->peers;

	return peer != NULL && ep->peers != NULL && off < ep->nb_peers * sizeof(*peer) &&
		off % sizeof(*peer) == 0 && peer->state != CC_PEER_FREE;
}

static struct cc_peers *
peer_list(struct doca_comm_channel_addr_t *peer)
{
	switch (peer->state) {
	case CC_PEER_ENDED:
		return &peer->ep->ended;
	case CC_PEER_OVER:
		return &peer->ep->over;
	case CC_PEER_FREE:
		return &peer->ep->unused;
	default:
		return &peer->ep->up;
	}
}

static void
peer_state_set(struct doca_comm_channel_addr_t *peer, enum cc_peer_state state)
{
	struct doca_comm_channel_ep_t *ep = peer->ep;

	TAILQ_REMOVE(peer_list(peer), peer, next);
	ep->nb_up -= peer->state == CC_PEER_UP || peer->state == CC_PEER_PENDING;
	ep->nb_pending -= peer->state == CC_PEER_PENDING;
	peer->state = state;
	ep->nb_up += state == CC_PEER_UP || state == CC_PEER_PENDING;
	ep->nb_pending += state == CC_PEER_PENDING;
	TAILQ_INSERT_TAIL(peer_list(peer), peer, next);
}

/* What a program did not disconnect gives way when memory for peers is short. */
struct doca_comm_channel_addr_t *
cc_peer_new(struct doca_comm_channel_ep_t *ep, enum cc_peer_state state)
{
	struct doca_comm_channel_addr_t *peer = TAILQ_FIRST(&ep->unused);

	if (peer == NULL) {
		TAILQ_FOREACH(peer, &ep->over, next)
			if (!peer->closing)
				break;
		if (peer != NULL)
			cc_peer_free(peer);
	}
	if (peer == NULL)
		return NULL;
	free(peer->own.data); /* messages may have been shorter then */
	peer->own = (struct cc_slot){.peer = peer, .own = true};
	peer->own_busy = false;
	peer->conn = NULL;
	peer->shown = false;
	peer->closing = false;
	peer->user_data = 0;
	peer->now = (struct cc_counters){0};
	peer->seen = peer->now;
	peer_state_set(peer, state);
	return peer;
}

/* The program has called recvfrom: all that wait are connected. */
void
cc_peer_accept(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer;

	if (ep->nb_pending == 0)
		return;
	/* a change of the state puts it at the end, where it is looked at once more */
	for (peer = TAILQ_FIRST(&ep->up); ep->nb_pending != 0; peer = TAILQ_FIRST(&ep->up))
		peer_state_set(peer, CC_PEER_UP);
}

void
cc_peer_up(struct doca_comm_channel_addr_t *peer)
{
	peer_state_set(peer, CC_PEER_UP);
}

void
cc_peer_over(struct doca_comm_channel_addr_t *peer)
{
	peer_state_set(peer, CC_PEER_OVER);
}

/* The connection has ended. Nobody needs to know of one that the program never saw. */
void
cc_peer_end(struct doca_comm_channel_addr_t *peer, enum cc_peer_state state)
{
	peer->conn = NULL;
	peer->end_seq = peer->ep->rx.nb_put;
	peer_state_set(peer, state);
	if (!peer->shown && !peer->closing && peer->end_seq == peer->ep->rx.nb_got)
		cc_peer_free(peer);
}

/* Its memory is used again, but as late as possible. */
void
cc_peer_free(struct doca_comm_channel_addr_t *peer)
{
	peer->conn = NULL;
	peer->gen++;
	peer_state_set(peer, CC_PEER_FREE);
}

doca_error_t
doca_comm_channel_peer_addr_set_user_data(struct doca_comm_channel_addr_t *peer,
		uint64_t user_context)
{
	if (peer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&peer->ep->lock);
	peer->user_data = user_context;
	doca_unlock(&peer->ep->lock);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_get_user_data(struct doca_comm_channel_addr_t *peer,
		uint64_t *user_context)
{
	if (peer == NULL || user_context == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&peer->ep->lock);
	*user_context = peer->user_data;
	doca_unlock(&peer->ep->lock);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_update_info(struct doca_comm_channel_addr_t *peer)
{
	struct doca_comm_channel_ep_t *ep;
	doca_error_t result;

	if (peer == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	ep = peer->ep;
	doca_lock(&ep->lock);
	cc_turn(ep);
	if (peer->state == CC_PEER_CONNECTING)
		cc_client_look(ep);
	peer->seen = peer->now;
	switch (peer->state) {
	case CC_PEER_UP:
	case CC_PEER_PENDING:
		result = DOCA_SUCCESS;
		break;
	case CC_PEER_CONNECTING:
		result = DOCA_ERROR_CONNECTION_INPROGRESS;
		break;
	default:
		result = DOCA_ERROR_CONNECTION_ABORTED;
		break;
	}
	doca_unlock(&ep->lock);
	return result;
}

static doca_error_t
counter_get(const struct doca_comm_channel_addr_t *peer, size_t offset, uint64_t *value)
{
	if (peer == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&peer->ep->lock);
	memcpy(value, (const uint8_t *)&peer->seen + offset, sizeof(*value));
	doca_unlock(&peer->ep->lock);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_peer_addr_get_send_messages(const struct doca_comm_channel_addr_t *peer,
		uint64_t *send_messages)
{
	return counter_get(peer, offsetof(struct cc_counters, tx_msgs), send_messages);
}

doca_error_t
doca_comm_channel_peer_addr_get_send_bytes(const struct doca_comm_channel_addr_t *peer,
		uint64_t *send_bytes)
{
	return counter_get(peer, offsetof(struct cc_counters, tx_bytes), send_bytes);
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_messages(const struct doca_comm_channel_addr_t *peer,
		uint64_t *recv_messages)
{
	return counter_get(peer, offsetof(struct cc_counters, rx_msgs), recv_messages);
}

doca_error_t
doca_comm_channel_peer_addr_get_recv_bytes(const struct doca_comm_channel_addr_t *peer,
		uint64_t *recv_bytes)
{
	return counter_get(peer, offsetof(struct cc_counters, rx_bytes), recv_bytes);
}

doca_error_t
doca_comm_channel_peer_addr_get_send_in_flight_messages(
		const struct doca_comm_channel_addr_t *peer, uint64_t *send_in_flight_messages)
{
	return counter_get(peer, offsetof(struct cc_counters, in_flight), send_in_flight_messages);
}

static doca_error_t
service_check(const struct doca_comm_channel_ep_t *ep)
{
	switch (ep->role) {
	case CC_ROLE_SERVICE:
		return DOCA_SUCCESS;
	case CC_ROLE_CLIENT:
		return DOCA_ERROR_NOT_SUPPORTED;
	default:
		return DOCA_ERROR_BAD_STATE;
	}
}

/* Turns until nobody has come or gone in one. */
static doca_error_t
service_settle(struct doca_comm_channel_ep_t *ep)
{
	uint32_t nb_up;
	int i;

	for (i = 0; i < 16; i++) {
		nb_up = ep->nb_up;
		cc_turn(ep);
		if (ep->nb_up == nb_up)
			return DOCA_SUCCESS;
	}
	return DOCA_ERROR_AGAIN;
}

static doca_error_t
service_list(struct doca_comm_channel_ep_t *ep)
{
	struct doca_comm_channel_addr_t *peer, **list = NULL;
	uint32_t nb = ep->nb_up - ep->nb_pending;

	if (nb != 0) {
		list = calloc(nb, sizeof(struct doca_comm_channel_addr_t *));
		if (list == NULL)
			return DOCA_ERROR_NO_MEMORY;
	}
	free(ep->list);
	ep->list = list;
	ep->list_len = 0;
	ep->list_pending = ep->nb_pending;
	TAILQ_FOREACH(peer, &ep->up, next) {
		if (peer->state != CC_PEER_UP)
			continue;
		peer->shown = true;
		list[ep->list_len++] = peer;
	}
	return DOCA_SUCCESS;
}

doca_error_t
doca_comm_channel_ep_update_service_state_info(struct doca_comm_channel_ep_t *ep)
{
	doca_error_t result;

	if (ep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&ep->lock);
	result = service_check(ep);
	if (result == DOCA_SUCCESS)
		result = service_settle(ep);
	if (result == DOCA_SUCCESS)
		result = service_list(ep);
	if (result == DOCA_SUCCESS) {
		if (ep->failed)
			result = DOCA_ERROR_CONNECTION_RESET;
		cc_channels_arm_service(ep);
	}
	doca_unlock(&ep->lock);
	return result;
}

doca_error_t
doca_comm_channel_ep_get_peer_addr_list(const struct doca_comm_channel_ep_t *ep,
		struct doca_comm_channel_addr_t ***peer_addr_array, uint32_t *peer_addr_array_len)
{
	doca_error_t result;

	if (ep == NULL || peer_addr_array == NULL || peer_addr_array_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	result = service_check(ep);
	if (result == DOCA_SUCCESS) {
		*peer_addr_array = ep->list;
		*peer_addr_array_len = ep->list_len;
	}
	cc_unlock_get(ep);
	return result;
}

doca_error_t
doca_comm_channel_ep_get_pending_connections(const struct doca_comm_channel_ep_t *ep,
		uint32_t *pending_connections)
{
	doca_error_t result;

	if (ep == NULL || pending_connections == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	cc_lock_get(ep);
	result = service_check(ep);
	if (result == DOCA_SUCCESS)
		*pending_connections = ep->list_pending;
	cc_unlock_get(ep);
	return result;
}
