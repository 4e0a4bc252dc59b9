/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What is done for each message of a message queue at the CPU end. */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>

#include "msgq.h"
#include "pattern.h"

/* Sends of messages without pattern have their bytes for good. */
static inline void
sends_fill(const struct msgq_spec *spec, struct msgq_unit *u, uint32_t nb)
{
	for (; u->filled < nb; u->filled++)
		pattern_fill(u->imm + (size_t)(u->next + u->filled) * MSGQ_MAX_SIZE, spec->size,
				u->key_out + u->sent + u->filled);
}

/* A completion gives back all sends up to its own. */
static inline void
sends_complete(struct msgq_unit *u, uint32_t nb)
{
	uint16_t n = rte_comch_queue_poll_burst(u->producer, u->cpls, (uint16_t)nb);

	u->done += (uint64_t)n * MSGQ_GROUP;
}

uint32_t
msgq_send(struct msgq_end *e, struct msgq_unit *u, uint32_t nb)
{
	uint32_t room = MSGQ_SENDS - (uint32_t)(u->sent - u->done);
	uint16_t taken;

	if (room < nb) {
		sends_complete(u, nb);
		room = MSGQ_SENDS - (uint32_t)(u->sent - u->done);
	}
	nb = RTE_MIN(nb, RTE_MIN(room, MSGQ_SENDS - u->next));
	if (unlikely(nb == 0))
		return 0;
	if (unlikely(e->spec.validate))
		sends_fill(&e->spec, u, nb);
	taken = rte_comch_producer_send_burst(u->producer, u->target, &u->sends[u->next],
			(uint16_t)nb);
	u->filled = u->filled > taken ? u->filled - taken : 0;
	u->sent += taken;
	u->next += taken;
	if (u->next == MSGQ_SENDS)
		u->next = 0;
	return taken;
}

static void
unit_bad(struct msgq_unit *u, uint64_t seq)
{
	if (u->bad++ == 0)
		u->first_bad = seq;
}

/* The n-th copy is in its slot, all of it, and the slot gets the next one to copy. */
static void
copy_look(const struct msgq_end *e, struct msgq_unit *u, const struct rte_comch_cpl *cpl,
		uint64_t seq)
{
	const struct msgq_spec *spec = &e->spec;
	uint64_t said = 0;

	memcpy(&said, cpl->imm, RTE_MIN(cpl->imm_len, (uint32_t)sizeof(said)));
	if (cpl->imm_len != sizeof(said) || said != seq) {
		unit_bad(u, seq);
		return;
	}
	if (!spec->validate)
		return;
	if (!pattern_ok(u->dst + seq % spec->posts * spec->stride, spec->size, u->key_in + seq))
		unit_bad(u, seq);
	msgq_slot_fill(e, u, seq + spec->posts);
}

static inline void
message_look(const struct msgq_spec *spec, struct msgq_unit *u, const struct rte_comch_cpl *cpl,
		uint64_t seq)
{
	if (unlikely(spec->validate)) {
		/* An answer is what was sent. */
		uint64_t key = spec->mode == MSGQ_MODE_ECHO ? u->key_out : u->key_in;

		if (cpl->imm_len != spec->size || !pattern_ok(cpl->imm, spec->size, key + seq))
			unit_bad(u, seq);
	} else if (unlikely(cpl->imm_len != spec->size)) {
		unit_bad(u, seq);
	} else {
		limit_touch(cpl->imm, spec->size);
	}
}

uint32_t
msgq_receive(struct msgq_end *e, struct msgq_unit *u, uint32_t nb)
{
	const struct msgq_spec *spec = &e->spec;
	uint16_t n, i, good = 0;

	n = rte_comch_queue_poll_burst(u->consumer, u->cpls, (uint16_t)nb);
	for (i = 0; i < n; i++) {
		/* The program has ended; msgq_check() tells why. */
		if (unlikely(u->cpls[i].status != 0))
			continue;
		if (spec->mode == MSGQ_MODE_COPY)
			copy_look(e, u, &u->cpls[i], u->received + good);
		else
			message_look(spec, u, &u->cpls[i], u->received + good);
		good++;
	}
	if (good == 0)
		return 0;
	u->received += good;
	/* There is room for what has just been taken. */
	if (unlikely(rte_comch_consumer_post_burst(u->consumer, u->posts, good) != good))
		unit_bad(u, u->received);
	return good;
}

uint32_t
msgq_turn(struct msgq_end *e, bool sends)
{
	uint32_t nb = 0, i;

	for (i = 0; i < e->spec.eus; i++) {
		struct msgq_unit *u = &e->units[i];

		if (sends && u->producer != NULL)
			nb += msgq_send(e, u, e->spec.burst);
		if (u->consumer != NULL)
			nb += msgq_receive(e, u, e->spec.burst);
	}
	return nb;
}

void
msgq_wait(struct msgq_end *e)
{
	/* What woke the engine is taken by its progress. */
	if (rte_comch_pe_progress(e->pe) == 0 && e->spec.event)
		app_wait(e->cl->app, e->pe, 10);
}

void
msgq_slot_fill(const struct msgq_end *e, struct msgq_unit *u, uint64_t seq)
{
	const struct msgq_spec *spec = &e->spec;

	pattern_fill(u->src + seq % spec->posts * spec->stride, spec->size, u->key_in + seq);
}

int
msgq_post_all(struct msgq_end *e, struct msgq_unit *u)
{
	uint32_t left = e->spec.posts, nb;

	while (left > 0) {
		nb = RTE_MIN(left, e->spec.burst);
		if (rte_comch_consumer_post_burst(u->consumer, u->posts, (uint16_t)nb) != nb)
			return client_fail(e->cl, -EIO, "%u posts cannot be made", nb);
		left -= nb;
	}
	return 0;
}
