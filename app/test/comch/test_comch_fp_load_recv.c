/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a thread of a load does that receives. See test_comch_fp_load.c.
 */

#include <inttypes.h>

#include "test_comch_fp_load_private.h"

static void
consumer_check(struct worker *w, const struct rte_comch_cpl *cpl, const uint8_t *data)
{
	const uint8_t *imm = cpl->imm_len > RTE_COMCH_CPL_IMM_SIZE ? cpl->imm_ext : cpl->imm;
	struct stream *s;
	struct shape shape;
	uint64_t last[2];
	uint32_t i;

	for (i = 0; i < w->nb_streams && w->streams[i].id != cpl->producer_id; i++)
		;
	if (i == w->nb_streams) {
		if (i == w->load->conf.peer_producers) {
			test_worker_fail(w, -EILSEQ, "producer %u is none of the %u that there are",
					cpl->producer_id, i);
			return;
		}
		test_stream_open(w->load, &w->streams[i], !w->load->conf.link->card,
				cpl->producer_id, w->id);
		w->streams[i].id = cpl->producer_id;
		w->nb_streams++;
	}
	s = &w->streams[i];
	test_shape_make(w->load, s, s->seq, &shape);
	if (cpl->imm_len == sizeof(last) && cpl->len == 0) {
		memcpy(last, imm, sizeof(last));
		if (last[0] == (shape.seed ^ LOAD_LAST)) {
			if (last[1] != s->seq || s->over)
				test_worker_fail(w, -EILSEQ, "producer %u ends twice or elsewhere",
						s->id);
			s->over = true;
			return;
		}
	}
	if (s->over || cpl->len != shape.len || cpl->imm_len != shape.imm_len)
		test_worker_fail(w, -EILSEQ, "message %" PRIu64 " of producer %u%s has %" PRIu64
				" bytes not %u, immediate data of %u not %u", s->seq, s->id,
				s->over ? ", which has ended," : "", cpl->len, shape.len,
				cpl->imm_len, shape.imm_len);
	else if (!test_fp_check(data, shape.len, shape.seed))
		test_worker_fail(w, -EILSEQ, "message %" PRIu64 " of producer %u: wrong data in "
				"its %u bytes", s->seq, s->id, shape.len);
	else if (!test_fp_check(imm, shape.imm_len, ~shape.seed))
		test_worker_fail(w, -EILSEQ, "message %" PRIu64 " of producer %u: wrong immediate "
				"data in its %u bytes", s->seq, s->id, shape.imm_len);
	s->seq++;
	test_worker_count(&w->sum.received, 1);
	test_worker_count(&w->sum.bytes, cpl->len);
}

/* Where a buffer begins in its slot: no alignment is asked for. */
static uint8_t *
consumer_buffer(const struct worker *w, uint64_t index)
{
	return w->base + index * w->slot_size + (index & 7);
}

/* @return buffers taken */
static uint32_t
consumer_post(struct worker *w, const uint64_t *slots, uint32_t nb)
{
	struct rte_comch_post posts[LOAD_BURST];
	uint32_t done = 0, n, i;

	while (done < nb) {
		n = RTE_MIN(nb - done, 1 + test_worker_rand(w) % LOAD_BURST);
		for (i = 0; i < n; i++) {
			posts[i] = (struct rte_comch_post) {
				.addr = consumer_buffer(w, slots[done + i]),
				.len = w->load->conf.max_len,
				.cookie = slots[done + i],
			};
		}
		i = rte_comch_consumer_post_burst(w->ctx, posts, (uint16_t)n);
		done += i;
		if (i < n)
			break;
	}
	return done;
}

static void
consumer_post_again(struct worker *w, const uint64_t *slots, uint32_t nb)
{
	struct rte_comch_room room = { .reason = 0 };
	uint32_t n;
	int ret;

	if (nb == 0 || w->error != 0)
		return;
	n = consumer_post(w, slots, nb);
	if (n == nb)
		return;
	ret = rte_comch_queue_room_get(w->ctx, 0, &room);
	test_worker_fail(w, ret != 0 ? ret : room.reason, "%u buffers of %u were posted", n, nb);
}

/* @return completions found */
static uint16_t
consumer_poll(struct worker *w, bool again)
{
	struct rte_comch_cpl cpls[LOAD_BURST];
	uint64_t slots[LOAD_BURST];
	uint16_t n = rte_comch_queue_poll_burst(w->ctx, cpls, 1 + test_worker_rand(w) % LOAD_BURST),
		 i;
	uint32_t nb = 0;

	for (i = 0; i < n && w->error == 0; i++) {
		if (cpls[i].cookie >= w->nb_slots || w->slots[cpls[i].cookie].done) {
			test_worker_fail(w, -EILSEQ, "a completion of buffer %" PRIu64
					", which was not posted", cpls[i].cookie);
		} else if (cpls[i].status != 0) {
			w->slots[cpls[i].cookie].done = true;
			test_worker_count(&w->sum.returned, 1);
			if (w->status == 0)
				w->status = cpls[i].status;
			else if (w->status != cpls[i].status)
				test_worker_fail(w, cpls[i].status, "buffers come back so, and %s",
						strerror(-w->status));
		} else {
			consumer_check(w, &cpls[i], consumer_buffer(w, cpls[i].cookie));
			if (w->status != 0)
				test_worker_fail(w, -EILSEQ, "a message behind returned buffers");
			slots[nb++] = cpls[i].cookie;
		}
	}
	if (again && w->status == 0)
		consumer_post_again(w, slots, nb);
	else
		for (i = 0; i < nb; i++)
			w->slots[slots[i]].done = true;
	return n;
}

static bool
consumer_has_all(const struct worker *w)
{
	uint32_t i;

	if (w->nb_streams < w->load->conf.peer_producers)
		return false;
	for (i = 0; i < w->nb_streams; i++)
		if (!w->streams[i].over)
			return false;
	return true;
}

/* Stop it, unless it has ended by itself, and take all of its buffers back. */
static void
consumer_close(struct worker *w)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int state = rte_comch_ctx_state_get(w->ctx);
	uint32_t i, out = 0;
	int ret = 0;

	if (state == RTE_COMCH_STATE_RUNNING || state == RTE_COMCH_STATE_STARTING)
		ret = rte_comch_ctx_stop(w->ctx);
	if (ret != 0 && ret != -EINPROGRESS && ret != -EALREADY)
		test_worker_fail(w, ret, "it cannot be stopped");
	while ((state = rte_comch_ctx_state_get(w->ctx)) != RTE_COMCH_STATE_IDLE &&
			test_now_ns() < end) {
		if (state == RTE_COMCH_STATE_STOPPING)
			consumer_poll(w, false);
		rte_comch_pe_progress(w->pe);
		sched_yield();
	}
	if (state != RTE_COMCH_STATE_IDLE) {
		test_worker_fail(w, -ETIMEDOUT, "it is still %s", rte_comch_state_name(state));
		return;
	}
	for (i = 0; i < w->nb_slots; i++)
		out += !w->slots[i].done;
	if (out != 0 && w->error == 0)
		test_worker_fail(w, -EILSEQ, "%u buffers have not come back", out);
	if (w->lost)
		w->reason = rte_comch_ctx_reason_get(w->ctx);
	else if (w->status != 0 && w->status != -ECANCELED)
		test_worker_fail(w, w->status, "the buffers come back with this reason");
	ret = rte_comch_ctx_destroy(w->ctx);
	if (ret == 0)
		w->ctx = NULL;
	else
		test_worker_fail(w, ret, "it cannot be destroyed");
}

static void
consumer_begin(struct worker *w)
{
	uint64_t slots[LOAD_BURST];
	uint32_t i, nb;
	int ret, state;

	for (i = 0; i < w->nb_slots; i++)
		w->slots[i].done = true;
	while ((ret = rte_comch_ctx_start(w->ctx)) == -EAGAIN && test_worker_goes_on(w))
		test_worker_idle(w);
	if (ret == -ENOTCONN) {
		w->lost = true;
		return;
	}
	if (ret != -EINPROGRESS)
		test_worker_fail(w, ret, "it cannot be started");
	while (test_worker_goes_on(w)) {
		state = rte_comch_ctx_state_get(w->ctx);
		if (state == RTE_COMCH_STATE_RUNNING)
			break;
		if (state == RTE_COMCH_STATE_STARTING)
			test_worker_idle(w);
		else
			w->lost = true;
	}
	test_worker_busy(w);
	for (i = 0; i < w->nb_slots && test_worker_goes_on(w); i += nb) {
		for (nb = 0; nb < LOAD_BURST && i + nb < w->nb_slots; nb++) {
			slots[nb] = i + nb;
			w->slots[i + nb].done = false;
		}
		ret = (int)consumer_post(w, slots, nb);
		if (ret != (int)nb) {
			for (; ret < (int)nb; ret++)
				w->slots[i + (uint32_t)ret].done = true;
			if (rte_comch_ctx_state_get(w->ctx) == RTE_COMCH_STATE_RUNNING)
				test_worker_fail(w, -EIO, "the first buffers cannot be posted");
			w->lost = true;
		}
	}
}

void
test_consumer_run(struct worker *w)
{
	unsigned int empty = 0;

	consumer_begin(w);
	while (test_worker_goes_on(w) && !consumer_has_all(w)) {
		if (consumer_poll(w, true) != 0) {
			empty = 0;
			test_worker_busy(w);
		} else if (++empty > 4) {
			test_worker_idle(w);
			/* an endless load may be silent */
			if (w->load->conf.msgs == 0)
				test_worker_busy(w);
		}
		/* the last of the buffers makes it IDLE */
		if (w->status != 0 || (empty != 0 &&
				rte_comch_ctx_state_get(w->ctx) != RTE_COMCH_STATE_RUNNING))
			w->lost = true;
	}
	consumer_close(w);
}
