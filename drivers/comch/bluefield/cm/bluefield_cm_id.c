/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ids of connections: their numbers, which function each is of, and how many of them a
 * function may have. Numbers in messages find only ids of the function that the message
 * is from. No message is made or read here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "bluefield_cm_priv.h"

const char *
bf_cm_state_text(enum bf_cm_state state)
{
	static const char *const names[] = {
		[BF_CM_ST_IDLE] = "idle",
		[BF_CM_ST_REQ_SENT] = "REQ sent",
		[BF_CM_ST_REP_RCVD] = "REP received",
		[BF_CM_ST_REQ_RCVD] = "REQ received",
		[BF_CM_ST_REP_SENT] = "REP sent",
		[BF_CM_ST_ESTABLISHED] = "established",
		[BF_CM_ST_DREQ_SENT] = "DREQ sent",
		[BF_CM_ST_DREQ_RCVD] = "DREQ received",
		[BF_CM_ST_TIMEWAIT] = "timewait",
	};

	return names[state];
}

/* The last bytes differ, in addresses made of MACs. */
static uint32_t
bucket_of(const uint8_t *gid)
{
	return (gid[15] ^ gid[14] * 7u ^ gid[13] * 31u) % BF_CM_NB_BUCKETS;
}

static struct bf_cm_peer *
peer_find(struct bf_cm *cm, const uint8_t *gid)
{
	struct bf_cm_peer *peer;

	LIST_FOREACH(peer, &cm->peers[bucket_of(gid)], next) {
		if (memcmp(peer->gid, gid, sizeof(peer->gid)) == 0)
			return peer;
	}
	return NULL;
}

static struct bf_cm_peer *
peer_get(struct bf_cm *cm, const uint8_t *gid)
{
	struct bf_cm_peer *peer = peer_find(cm, gid);

	if (peer != NULL)
		return peer;
	peer = calloc(1, sizeof(*peer));
	if (peer == NULL)
		return NULL;
	memcpy(peer->gid, gid, sizeof(peer->gid));
	LIST_INIT(&peer->ids);
	LIST_INSERT_HEAD(&cm->peers[bucket_of(gid)], peer, next);
	return peer;
}

static void
peer_put(struct bf_cm_peer *peer)
{
	if (!LIST_EMPTY(&peer->ids))
		return;
	LIST_REMOVE(peer, next);
	free(peer);
}

/* A slot that is free; there is one. Not the one that was free last: old messages name it. */
static uint32_t
slot_take(struct bf_cm *cm)
{
	uint32_t slot = cm->next_slot;

	while (cm->slots[slot] != NULL)
		slot = (slot + 1) & (cm->conf.max_ids - 1);
	cm->next_slot = (slot + 1) & (cm->conf.max_ids - 1);
	return slot;
}

static uint32_t
slot_of(const struct bf_cm_id *id)
{
	return id->local_id & (BF_CM_MAX_IDS - 1);
}

void
bf_cm_id_renumber(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;
	uint32_t slot = slot_of(id);

	/* 0 is no number for Linux's tools; a slot never has it */
	if (++cm->gens[slot] == 0)
		cm->gens[slot] = 1;
	id->local_id = (uint32_t)cm->gens[slot] << BF_CM_SLOT_BITS | slot;
}

struct bf_cm_id *
bf_cm_id_new(struct bf_cm *cm, const struct bf_cm_addr *addr, bool active, int *err)
{
	struct bf_cm_id *id;

	*err = -ENOSPC;
	if (cm->stats.ids >= cm->conf.max_ids)
		return NULL;
	*err = -ENOMEM;
	id = calloc(1, sizeof(*id));
	if (id == NULL)
		return NULL;
	id->peer = peer_get(cm, addr->gid);
	if (id->peer == NULL) {
		free(id);
		return NULL;
	}
	id->cm = cm;
	id->active = active;
	id->addr = *addr;
	id->due = UINT64_MAX;
	id->local_id = slot_take(cm);
	bf_cm_id_renumber(id);
	cm->slots[slot_of(id)] = id;
	LIST_INSERT_HEAD(&id->peer->ids, id, next);
	id->peer->nb_passive += !active;
	cm->stats.ids++;
	return id;
}

void
bf_cm_id_free(struct bf_cm_id *id)
{
	struct bf_cm *cm = id->cm;
	uint32_t i;

	id->released = true;
	bf_cm_id_state(id, BF_CM_ST_IDLE, UINT64_MAX);
	/* whoever runs its callback does this when that has returned */
	if (cm->id_in_cb == id)
		return;
	for (i = 0; i < cm->nb_notes; i++) {
		if (cm->notes[i].id == id)
			cm->notes[i].id = NULL;
	}
	cm->slots[slot_of(id)] = NULL;
	LIST_REMOVE(id, next);
	id->peer->nb_passive -= !id->active;
	peer_put(id->peer);
	cm->stats.ids--;
	free(id);
}

bool
bf_cm_id_room(struct bf_cm *cm, const struct bf_cm_addr *addr)
{
	const struct bf_cm_peer *peer = peer_find(cm, addr->gid);

	return peer == NULL || (peer->nb_passive < cm->conf.max_peer_ids &&
		peer->nb_half_open < cm->conf.max_half_open);
}

struct bf_cm_id *
bf_cm_id_find(struct bf_cm *cm, const struct bf_cm_addr *from, uint32_t local_id)
{
	uint32_t slot = local_id & (BF_CM_MAX_IDS - 1);
	struct bf_cm_id *id;

	if (slot >= cm->conf.max_ids)
		return NULL;
	id = cm->slots[slot];
	if (id == NULL || id->local_id != local_id ||
	    memcmp(id->addr.gid, from->gid, sizeof(from->gid)) != 0)
		return NULL;
	return id;
}

struct bf_cm_id *
bf_cm_id_of_req(struct bf_cm *cm, const struct bf_cm_addr *from, uint32_t remote_id,
	uint64_t guid)
{
	struct bf_cm_peer *peer = peer_find(cm, from->gid);
	struct bf_cm_id *id;

	if (peer == NULL)
		return NULL;
	LIST_FOREACH(id, &peer->ids, next) {
		if (!id->active && id->remote_id == remote_id && id->guid == guid)
			return id;
	}
	return NULL;
}

/*
 * May its queue pair still send? The user has stopped that of an id that ends, so that
 * the other side may use the number of its own again.
 */
static bool
lives(const struct bf_cm_id *id)
{
	return id->state != BF_CM_ST_IDLE && id->state != BF_CM_ST_TIMEWAIT &&
		id->state != BF_CM_ST_DREQ_SENT;
}

struct bf_cm_id *
bf_cm_id_of_qp(struct bf_cm *cm, const struct bf_cm_addr *from, uint64_t guid, uint32_t qpn,
	const struct bf_cm_id *but)
{
	struct bf_cm_peer *peer = peer_find(cm, from->gid);
	struct bf_cm_id *id;

	if (peer == NULL)
		return NULL;
	LIST_FOREACH(id, &peer->ids, next) {
		if (id != but && id->has_remote && id->guid == guid && id->remote.qpn == qpn &&
		    lives(id))
			return id;
	}
	return NULL;
}

void
bf_cm_id_due(struct bf_cm_id *id, uint64_t ms)
{
	struct bf_cm *cm = id->cm;

	/* whatever is waited for, the user's own limit holds */
	if (id->state == BF_CM_ST_REQ_SENT)
		ms = RTE_MIN(ms, id->end);
	id->due = ms;
	if (ms >= cm->next_due)
		return;
	cm->next_due = ms;
	if (cm->conf.wake != NULL && !cm->in_poll)
		cm->conf.wake(cm->conf.arg);
}

void
bf_cm_id_state(struct bf_cm_id *id, enum bf_cm_state state, uint64_t ms)
{
	bool half_open = state == BF_CM_ST_REQ_RCVD || state == BF_CM_ST_REP_SENT;

	/* one that the other side has taken back is still the user's work, until it lets go */
	if (state == BF_CM_ST_IDLE && !id->released)
		half_open = id->half_open;
	if (half_open != id->half_open) {
		id->half_open = half_open;
		id->peer->nb_half_open += half_open ? 1 : -1;
		id->cm->stats.half_open += half_open ? 1 : -1;
	}
	id->state = state;
	bf_cm_id_due(id, ms);
}

void
bf_cm_id_retry(struct bf_cm_id *id, enum bf_cm_state state, uint32_t interval,
	uint8_t retries)
{
	id->interval = interval;
	id->retries_left = retries;
	bf_cm_id_state(id, state, bf_cm_now(id->cm) + interval);
}

struct bf_cm_event *
bf_cm_note(struct bf_cm_id *id, enum bf_cm_event_type type, int status)
{
	struct bf_cm *cm = id->cm;
	struct bf_cm_note *note = &cm->notes[cm->nb_notes];

	memset(note, 0, sizeof(*note));
	note->id = id;
	note->ev.type = type;
	note->ev.status = status;
	note->ev.from = id->addr;
	if (!id->released && cm->nb_notes < BF_CM_MAX_NOTES)
		cm->nb_notes++;
	return &note->ev;
}
