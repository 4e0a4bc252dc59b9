/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a thread of a load does that sends. See test_comch_fp_load.c.
 */

#include <inttypes.h>

#include "test_comch_fp_load_private.h"

static bool
producer_becomes_idle(struct worker *w)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (rte_comch_ctx_state_get(w->ctx) != RTE_COMCH_STATE_IDLE) {
		if (test_now_ns() > end) {
			test_worker_fail(w, -ETIMEDOUT, "it is still %s",
					rte_comch_state_name(rte_comch_ctx_state_get(w->ctx)));
			return false;
		}
		rte_comch_pe_progress(w->pe);
		sched_yield();
	}
	return true;
}

/* The connection has ended: the context learns of it in progress. */
static void
producer_lost(struct worker *w)
{
	if (producer_becomes_idle(w)) {
		w->lost = true;
		w->reason = rte_comch_ctx_reason_get(w->ctx);
	}
}

static void
producer_idle(struct worker *w)
{
	test_worker_idle(w);
	if (__atomic_load_n(&w->load->conf.link->ended, __ATOMIC_ACQUIRE) ||
			rte_comch_ctx_state_get(w->ctx) != RTE_COMCH_STATE_RUNNING)
		producer_lost(w);
}

/* A burst was short: it may be tried again, or has been the last. */
static void
producer_short(struct worker *w, uint32_t consumer_id)
{
	struct rte_comch_room room = { .reason = 0 };
	int ret = rte_comch_queue_room_get(w->ctx, consumer_id, &room);

	if (ret == 0)
		ret = room.reason;
	test_worker_count(&w->sum.short_bursts, 1);
	switch (ret) {
	case -EAGAIN:
	case -ENOBUFS:
		break;
	case -ENOTCONN:
		producer_lost(w);
		break;
	default:
		test_worker_fail(w, ret, "a burst was short, credits %u, queue %u", room.credits,
				room.queue);
	}
}

/* @return completions found */
static uint16_t
producer_poll(struct worker *w)
{
	struct rte_comch_cpl cpls[LOAD_BURST];
	uint16_t n = rte_comch_queue_poll_burst(w->ctx, cpls, 1 + test_worker_rand(w) % LOAD_BURST),
		 i;
	struct slot *slot;
	uint64_t seq;

	for (i = 0; i < n; i++) {
		seq = cpls[i].cookie;
		slot = &w->slots[seq & (w->nb_slots - 1)];
		if (seq < w->head || seq >= w->tail || slot->quiet || slot->done) {
			test_worker_fail(w, -EILSEQ, "completion of send %" PRIu64 ", of %" PRIu64
					" to %" PRIu64, seq, w->head, w->tail);
			return n;
		}
		if (cpls[i].status != 0 || cpls[i].len != slot->len || cpls[i].producer_id != 0) {
			test_worker_fail(w, -EILSEQ, "send %" PRIu64 ": status %d, length %" PRIu64
					" not %u, producer %u", seq, cpls[i].status, cpls[i].len,
					slot->len, cpls[i].producer_id);
			return n;
		}
		slot->done = true;
		/* those before it without a completion are over, too */
		for (; seq > w->head; seq--) {
			slot = &w->slots[(seq - 1) & (w->nb_slots - 1)];
			if (slot->quiet)
				slot->done = true;
		}
		while (w->head < w->tail && w->slots[w->head & (w->nb_slots - 1)].done)
			w->head++;
	}
	return n;
}

/* The send of one message: its bytes are made where they are sent from. */
static void
producer_fill(struct worker *w, const struct stream *s, uint64_t seq, uint64_t nr,
		struct rte_comch_send *send, uint8_t *imm)
{
	uint32_t index = (uint32_t)(nr & (w->nb_slots - 1));
	uint8_t *data = w->base + index * w->slot_size;
	struct shape shape;

	test_shape_make(w->load, s, seq, &shape);
	data += shape.seed >> 57 & 7; /* no alignment is asked for */
	test_fp_fill(data, shape.len, shape.seed);
	test_fp_fill(imm, shape.imm_len, ~shape.seed);
	memset(send, 0, sizeof(*send));
	send->cookie = nr;
	send->imm_len = shape.imm_len;
	send->imm = imm;
	if (shape.len != 0) {
		send->addr = data;
		send->len = shape.len;
		send->mem = w->mem;
	}
	/* a later one, which there must be a slot for, has a completion */
	if ((shape.seed >> 60 & 3) == 0 && (nr & 1) != 0 && w->nb_slots > 1)
		send->flags = RTE_COMCH_SEND_F_NO_CPL;
	w->slots[index].len = shape.len;
	w->slots[index].quiet = send->flags != 0;
	w->slots[index].done = false;
}

/* @return messages sent */
static uint16_t
producer_send(struct worker *w, struct stream *s, uint64_t left)
{
	struct rte_comch_send sends[LOAD_BURST];
	uint8_t imm[LOAD_BURST][LOAD_IMM];
	uint64_t room = w->nb_slots - (w->tail - w->head);
	uint32_t credits = rte_comch_producer_credits(w->ctx, s->id);
	uint32_t nb = 1 + test_worker_rand(w) % LOAD_BURST, i;
	uint16_t taken;

	/* now and then more than there is room for: the answer must be right */
	if (test_worker_rand(w) % 32 != 0 || credits == 0)
		nb = RTE_MIN(nb, credits);
	nb = (uint32_t)RTE_MIN(RTE_MIN((uint64_t)nb, room), left);
	if (nb == 0) {
		/* why there is no credit is known to the burst only */
		if (credits != 0 || test_worker_rand(w) % 16 != 0 || room == 0 || left == 0)
			return 0;
		nb = 1;
	}
	for (i = 0; i < nb; i++)
		producer_fill(w, s, s->seq + i, w->tail + i, &sends[i], imm[i]);
	taken = rte_comch_producer_send_burst(w->ctx, s->id, sends, (uint16_t)nb);
	if (taken > nb) {
		test_worker_fail(w, -EILSEQ, "%u messages of %u were taken", taken, nb);
		return 0;
	}
	w->tail += taken;
	s->seq += taken;
	test_worker_count(&w->sum.sent, taken);
	if (taken < nb)
		producer_short(w, s->id);
	return taken;
}

/* Tell a consumer that nothing more comes. @return whether it was taken. */
static bool
producer_send_last(struct worker *w, struct stream *s)
{
	uint32_t index = (uint32_t)(w->tail & (w->nb_slots - 1));
	uint64_t imm[2] = { test_fp_mix(s->base + s->seq) ^ LOAD_LAST, s->seq };
	const struct rte_comch_send send = {
		.imm = imm,
		.imm_len = sizeof(imm),
		.cookie = w->tail,
	};

	if (w->tail - w->head == w->nb_slots)
		return false;
	memset(&w->slots[index], 0, sizeof(w->slots[index]));
	if (rte_comch_producer_send_burst(w->ctx, s->id, &send, 1) != 1) {
		producer_short(w, s->id);
		return false;
	}
	w->tail++;
	return true;
}

/* Wait for the consumers of the peer. */
static void
producer_meet(struct worker *w)
{
	const struct test_load *load = w->load;
	struct test_link *link = load->conf.link;
	uint32_t i;

	while (test_worker_goes_on(w) && w->nb_streams == 0) {
		pthread_mutex_lock(&link->lock);
		if (link->nb_ids == load->conf.peer_consumers)
			for (i = 0; i < link->nb_ids; i++)
				w->streams[w->nb_streams++].id = link->ids[i];
		pthread_mutex_unlock(&link->lock);
		if (w->nb_streams == 0)
			producer_idle(w);
	}
	for (i = 0; i < w->nb_streams; i++) {
		uint32_t id = w->streams[i].id;

		test_stream_open(load, &w->streams[i], link->card, w->id, id);
		w->streams[i].id = id;
	}
	test_worker_busy(w);
}

static void
producer_end(struct worker *w)
{
	uint32_t i;

	for (i = 0; i < w->nb_streams && test_worker_goes_on(w); i++)
		while (!producer_send_last(w, &w->streams[i]) && test_worker_goes_on(w))
			if (producer_poll(w) == 0)
				producer_idle(w);
	test_worker_busy(w);
	while (w->head != w->tail && test_worker_goes_on(w))
		if (producer_poll(w) == 0)
			producer_idle(w);
}

static void
producer_close(struct worker *w)
{
	int ret = 0;

	if (rte_comch_ctx_state_get(w->ctx) != RTE_COMCH_STATE_IDLE)
		ret = rte_comch_ctx_stop(w->ctx);
	/* it is IDLE at once, unless it is about to learn of the end of the connection */
	if (ret == -EINPROGRESS)
		ret = producer_becomes_idle(w) ? 0 : -EBUSY;
	if (ret == 0)
		ret = rte_comch_ctx_destroy(w->ctx);
	if (ret == 0)
		w->ctx = NULL;
	else
		test_worker_fail(w, ret, "it cannot be stopped and destroyed");
}

void
test_producer_run(struct worker *w)
{
	const struct test_load *load = w->load;
	uint64_t left = load->conf.msgs != 0 ? load->conf.msgs : UINT64_MAX;
	unsigned int empty = 0;
	uint16_t n;
	int ret;

	ret = rte_comch_ctx_start(w->ctx);
	if (ret != 0) {
		if (ret == -ENOTCONN)
			producer_lost(w);
		else
			test_worker_fail(w, ret, "it cannot be started");
		producer_close(w);
		return;
	}
	producer_meet(w);
	while (left != 0 && test_worker_goes_on(w)) {
		if (load->conf.msgs == 0 && __atomic_load_n(&load->finish, __ATOMIC_RELAXED))
			break;
		n = producer_send(w, &w->streams[test_worker_rand(w) % w->nb_streams], left);
		left -= n;
		if (n != 0 || producer_poll(w) != 0) {
			empty = 0;
			test_worker_busy(w);
		} else if (++empty >= 2 * w->nb_streams) {
			producer_idle(w);
		}
		if (test_worker_goes_on(w) && test_worker_rand(w) % 2 != 0)
			producer_poll(w);
	}
	if (test_worker_goes_on(w))
		producer_end(w);
	producer_close(w);
}
