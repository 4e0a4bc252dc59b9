/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What producers and consumers do in one turn, by bursts. This is the hot path of
 * the benchmark: what is done for each message here is what any application has
 * to do, and the rest is done for each burst.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_mbuf.h>

#include "fp_private.h"

/* Turns in which nothing was taken after which the reason is asked for. */
#define PRODUCER_ASK_TURNS 65536
/* Polls without an answer between two looks at engine and clock. */
#define PING_SPINS 1024
#define PING_PATIENCE 5.0

void
fp_worker_fail(struct fp_worker *w, int status, const char *format, ...)
{
	va_list ap;

	if (w->error != 0)
		return;
	va_start(ap, format);
	vsnprintf(w->text, sizeof(w->text), format, ap);
	va_end(ap);
	__atomic_store_n(&w->error, status, __ATOMIC_RELEASE);
}

static inline void
count_add(uint64_t *to, uint64_t n)
{
	/* The main thread may read it at any time. */
	__atomic_store_n(to, *to + n, __ATOMIC_RELAXED);
}

/* Of a message whose size may vary; a message with data has some. */
uint32_t
fp_msg_size(const struct fp_spec *spec, uint64_t key)
{
	if ((spec->flags & FP_F_RANDOM) == 0 || spec->size == 0)
		return spec->size;
	return 1 + (uint32_t)(pattern_word(key, 0) >> 16) % spec->size;
}

/* ---- consumers ---- */

/*
 * What is done for each message, where its pattern is not checked: one branch for
 * all that can be wrong, one load from each cache line, or of all bytes, and its
 * next post.
 */
static __rte_always_inline uint16_t
consumer_look(struct fp_consumer *c, uint16_t n, const bool data, const bool imm,
		const bool work)
{
	const struct fp_spec *spec = &c->q.worker->fp->spec;
	const uint64_t size = spec->size, touch = (spec->flags & FP_F_TOUCH) != 0 ? size : 0;
	const uint32_t imm_len = spec->imm_len;
	struct rte_comch_post *post = c->posts;
	const struct rte_comch_cpl *cpl = c->cpls, *end = cpl + n;
	const void *at, *imm_at;

	for (; cpl != end; cpl++) {
		at = (const void *)(uintptr_t)cpl->cookie;
		imm_at = imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext;
		if (unlikely(((cpl->len ^ size) | (cpl->imm_len ^ imm_len) |
				(uint32_t)cpl->status) != 0)) {
			/* The connection has ended; the state callback tells why. */
			if (cpl->status != 0)
				continue;
			c->q.worker->count.bad_msgs++;
		} else if (work) {
			if (unlikely((data && !work_read(at, size)) ||
					(imm && !work_read(imm_at, imm_len))))
				c->q.worker->count.bad_msgs++;
		} else {
			if (data)
				limit_touch(at, touch);
			if (imm)
				limit_touch(imm_at, imm_len);
		}
		/* Posts without a buffer are all the same. */
		if (data) {
			post->addr = (void *)(uintptr_t)cpl->cookie;
			post->cookie = cpl->cookie;
		}
		post++;
	}
	return (uint16_t)(post - c->posts);
}

static uint16_t
consumer_look_any(struct fp_consumer *c, uint16_t n)
{
	const struct fp_spec *spec = &c->q.worker->fp->spec;

	if (unlikely((spec->flags & FP_F_WORK) != 0))
		return consumer_look(c, n, spec->size != 0, spec->imm_len != 0, true);
	if (spec->imm_len == 0)
		return consumer_look(c, n, true, false, false);
	return consumer_look(c, n, spec->size != 0, true, false);
}

static uint16_t
consumer_check(struct fp_consumer *c, uint16_t n, uint64_t *bytes)
{
	const struct rte_comch_cpl *cpl;
	uint16_t i, nb = 0;

	*bytes = 0;
	for (i = 0; i < n; i++) {
		cpl = &c->cpls[i];
		if (unlikely(cpl->status != 0))
			continue;
		fp_consume(c, (const void *)(uintptr_t)cpl->cookie, cpl->len,
				cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext,
				cpl->imm_len, cpl->producer_id);
		*bytes += cpl->len + cpl->imm_len;
		c->posts[nb].addr = (void *)(uintptr_t)cpl->cookie;
		c->posts[nb++].cookie = cpl->cookie;
	}
	return nb;
}

uint32_t
fp_consumer_turn(struct fp_consumer *c)
{
	struct fp_worker *w = c->q.worker;
	const struct fp_spec *spec = &w->fp->spec;
	uint64_t bytes;
	uint16_t n, nb;

	n = rte_comch_queue_poll_burst(c->q.ctx, c->cpls, (uint16_t)spec->burst);
	if (n == 0)
		return 0;
	if (likely((spec->flags & (FP_F_VALIDATE | FP_F_RANDOM)) == 0)) {
		nb = consumer_look_any(c, n);
		bytes = nb * ((uint64_t)spec->size + spec->imm_len);
	} else {
		nb = consumer_check(c, n, &bytes);
	}
	if (unlikely(rte_comch_consumer_post_burst(c->q.ctx, c->posts, nb) != nb))
		fp_worker_fail(w, -EIO, "buffers cannot be posted again");
	count_add(&w->count.rx_msgs, nb);
	count_add(&w->count.rx_bytes, bytes);
	return n;
}

uint32_t
fp_consumer_turn_mbuf(struct fp_consumer *c)
{
	struct fp_worker *w = c->q.worker;
	const struct rte_mbuf *m;
	uint64_t bytes = 0;
	uint16_t n, i;

	n = rte_comch_consumer_rx_burst(c->q.ctx, c->pkts, (uint16_t)w->fp->spec.burst);
	if (n == 0)
		return 0;
	for (i = 0; i < n; i++) {
		m = c->pkts[i];
		fp_consume(c, rte_pktmbuf_mtod(m, const void *), m->data_len, NULL, 0,
				m->hash.usr);
		bytes += m->data_len;
	}
	rte_pktmbuf_free_bulk(c->pkts, n);
	count_add(&w->count.rx_msgs, n);
	count_add(&w->count.rx_bytes, bytes);
	return n;
}

/* Post all buffers; true when they are. */
bool
fp_consumer_post_all(struct fp_consumer *c)
{
	const struct fp_spec *spec = &c->q.worker->fp->spec;
	struct rte_comch_post *post;
	uint32_t i, nb;

	while (c->nb_posted < spec->posts) {
		nb = RTE_MIN(spec->burst, spec->posts - c->nb_posted);
		for (i = 0; i < nb; i++) {
			post = &c->posts[i];
			post->addr = NULL;
			if (spec->size != 0)
				post->addr = c->base + (size_t)(c->nb_posted + i) * spec->stride;
			post->len = spec->size;
			post->cookie = (uintptr_t)post->addr;
		}
		if (rte_comch_consumer_post_burst(c->q.ctx, c->posts, (uint16_t)nb) != nb) {
			fp_worker_fail(c->q.worker, -EIO, "%u buffers cannot be posted", nb);
			return false;
		}
		c->nb_posted += nb;
	}
	return true;
}

/* ---- producers ---- */

/* Which message it is, where it goes, and with it its size and its bytes. */
void
fp_producer_fill(struct fp_producer *p, struct rte_comch_send *s, uint32_t target_id)
{
	const struct fp_spec *spec = &p->q.worker->fp->spec;
	uint64_t key = fp_key(p->id, target_id, p->seq[p->target]++);

	s->len = fp_msg_size(spec, key);
	if ((spec->flags & FP_F_WORK) != 0) {
		work_write((void *)(uintptr_t)s->addr, s->len, key);
		work_write((void *)(uintptr_t)s->imm, s->imm_len, key);
	}
	if ((spec->flags & FP_F_VALIDATE) == 0)
		return;
	/* The sends hold them as const, for nothing else writes them. */
	if (s->len != 0)
		pattern_fill((void *)(uintptr_t)s->addr, (uint32_t)s->len, key);
	if (s->imm_len != 0)
		pattern_fill((void *)(uintptr_t)s->imm, s->imm_len, ~key);
}

/* A completion gives back all sources up to its own. */
static inline uint32_t
producer_complete(struct fp_producer *p)
{
	struct fp_worker *w = p->q.worker;
	uint16_t n, i;

	n = rte_comch_queue_poll_burst(p->q.ctx, p->cpls, (uint16_t)w->fp->spec.burst);
	for (i = 0; i < n; i++) {
		if (unlikely(p->cpls[i].status != 0))
			fp_worker_fail(w, p->cpls[i].status, "a message was not sent: %s",
					strerror(-p->cpls[i].status));
	}
	p->done += (uint64_t)n * w->fp->group;
	return n;
}

/* Nothing is taken for a while, which is nothing special if there is no credit. */
static void
producer_ask(struct fp_producer *p, uint32_t target_id)
{
	struct rte_comch_room room;
	int ret;

	p->idle = 0;
	ret = rte_comch_queue_room_get(p->q.ctx, target_id, &room);
	if (ret == 0 && room.reason != -EAGAIN && room.reason != -ENOBUFS)
		ret = room.reason;
	if (ret != 0)
		fp_worker_fail(p->q.worker, ret, "producer %u cannot send to consumer %u: %s",
				p->id, target_id, strerror(-ret));
}

static inline void
producer_next_target(struct fp_producer *p, uint32_t nb_targets)
{
	if (++p->target >= nb_targets)
		p->target = 0;
}

static inline uint64_t
next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Messages that this burst may have. */
static inline uint32_t
producer_burst(struct fp_producer *p, uint32_t flags, uint32_t burst)
{
	if (likely((flags & FP_F_RANDOM) == 0))
		return burst;
	if (p->wanted == 0)
		p->wanted = 1 + (uint32_t)(next_random(&p->random) % burst);
	return p->wanted;
}

uint32_t
fp_producer_turn(struct fp_producer *p)
{
	struct fp_worker *w = p->q.worker;
	const struct fp_spec *spec = &w->fp->spec;
	const struct fp_remote *remote = &w->fp->remotes[p->q.conn];
	uint32_t id = remote->ids[p->target];
	uint32_t n = 0, nb, room, i;
	uint64_t bytes;
	uint16_t taken;

	nb = producer_burst(p, spec->flags, spec->burst);
	room = spec->sources - (uint32_t)(p->sent - p->done);
	if (room < nb) {
		n = producer_complete(p);
		room = spec->sources - (uint32_t)(p->sent - p->done);
	}
	nb = RTE_MIN(nb, RTE_MIN(room, spec->sources - p->next));
	if (unlikely(nb == 0))
		return n;
	if (unlikely((spec->flags & FP_F_FILL) != 0)) {
		for (; p->filled < nb; p->filled++)
			fp_producer_fill(p, &p->sends[p->next + p->filled], id);
	}
	taken = rte_comch_producer_send_burst(p->q.ctx, id, &p->sends[p->next], (uint16_t)nb);
	if (taken == 0) {
		if (unlikely(++p->idle == PRODUCER_ASK_TURNS))
			producer_ask(p, id);
	} else {
		p->idle = 0;
		p->wanted = 0;
		bytes = (uint64_t)taken * (spec->size + spec->imm_len);
		if (unlikely((spec->flags & FP_F_RANDOM) != 0)) {
			bytes = (uint64_t)taken * spec->imm_len;
			for (i = 0; i < taken; i++)
				bytes += p->sends[p->next + i].len;
		}
		p->filled = p->filled > taken ? p->filled - taken : 0;
		p->sent += taken;
		p->next += taken;
		if (p->next == spec->sources)
			p->next = 0;
		count_add(&w->count.tx_msgs, taken);
		count_add(&w->count.tx_bytes, bytes);
	}
	/* What has its bytes is for one consumer, and goes to it. */
	if (p->filled == 0)
		producer_next_target(p, remote->nb);
	return n + taken;
}

uint32_t
fp_producer_turn_mbuf(struct fp_producer *p)
{
	struct fp_worker *w = p->q.worker;
	const struct fp_spec *spec = &w->fp->spec;
	const struct fp_remote *remote = &w->fp->remotes[p->q.conn];
	uint32_t id = remote->ids[p->target];
	uint64_t bytes = 0, key;
	struct rte_mbuf *m;
	uint32_t nb, i, len;
	uint16_t taken;

	if (p->nb_pkts == 0) {
		nb = producer_burst(p, spec->flags, spec->burst);
		/* The consumers of this end may have them for a moment. */
		if (rte_pktmbuf_alloc_bulk(w->fp->src_pool, p->pkts, nb) != 0)
			return 0;
		for (i = 0; i < nb; i++) {
			m = p->pkts[i];
			len = spec->size;
			if (unlikely((spec->flags & FP_F_FILL) != 0)) {
				key = fp_key(p->id, id, p->seq[p->target]++);
				len = fp_msg_size(spec, key);
				if ((spec->flags & FP_F_VALIDATE) != 0)
					pattern_fill(rte_pktmbuf_mtod(m, void *), len, key);
				else if ((spec->flags & FP_F_WORK) != 0)
					work_write(rte_pktmbuf_mtod(m, void *), len, key);
			}
			m->data_len = (uint16_t)len;
			m->pkt_len = len;
			p->lens[i] = (uint16_t)len;
		}
		p->nb_pkts = nb;
		p->next = 0;
		p->wanted = 0;
	}
	taken = rte_comch_producer_tx_burst(p->q.ctx, id, &p->pkts[p->next], (uint16_t)p->nb_pkts);
	if (taken == 0) {
		if (unlikely(++p->idle == PRODUCER_ASK_TURNS))
			producer_ask(p, id);
		return 0;
	}
	p->idle = 0;
	/* Those that were taken may be freed, or be someone else's. */
	for (i = 0; i < taken; i++)
		bytes += p->lens[p->next + i];
	p->next += taken;
	p->nb_pkts -= taken;
	count_add(&w->count.tx_msgs, taken);
	count_add(&w->count.tx_bytes, bytes);
	if (p->nb_pkts == 0)
		producer_next_target(p, remote->nb);
	return taken;
}

/* All completions that were asked for are here. */
bool
fp_producer_settled(struct fp_producer *p)
{
	const struct fp *fp = p->q.worker->fp;

	if (p->q.state != RTE_COMCH_STATE_RUNNING || (fp->spec.flags & FP_F_MBUF) != 0)
		return true;
	if ((fp->spec.flags & FP_F_TASKS) != 0)
		return p->done == p->sent;
	while (producer_complete(p) > 0)
		;
	return p->done >= p->sent / fp->group * fp->group;
}

/* ---- one message at a time ---- */

static inline void
echo_repost(struct fp_consumer *c, const struct rte_comch_cpl *cpl)
{
	c->posts[0].addr = (void *)(uintptr_t)cpl->cookie;
	c->posts[0].cookie = cpl->cookie;
	if (unlikely(rte_comch_consumer_post_burst(c->q.ctx, c->posts, 1) != 1))
		fp_worker_fail(c->q.worker, -EIO, "a buffer cannot be posted again");
}

static inline uint16_t
echo_send(struct fp_producer *p)
{
	struct fp_worker *w = p->q.worker;
	const struct fp_spec *spec = &w->fp->spec;
	uint32_t id = w->fp->remotes[p->q.conn].ids[0];
	uint16_t taken;

	if (unlikely(p->sent - p->done == spec->sources))
		return 0;
	if (unlikely((spec->flags & (FP_F_VALIDATE | FP_F_WORK)) != 0) && p->filled == 0) {
		fp_producer_fill(p, &p->sends[p->next], id);
		p->filled = 1;
	}
	taken = rte_comch_producer_send_burst(p->q.ctx, id, &p->sends[p->next], 1);
	if (likely(taken != 0)) {
		p->filled = 0;
		p->sent++;
		if (++p->next == spec->sources)
			p->next = 0;
		w->count.tx_msgs++;
		w->count.tx_bytes += spec->size + spec->imm_len;
	}
	return taken;
}

static inline void
echo_look(struct fp_consumer *c, const struct rte_comch_cpl *cpl)
{
	struct fp_worker *w = c->q.worker;

	if (unlikely(cpl->status != 0))
		return;
	fp_consume(c, (const void *)(uintptr_t)cpl->cookie, cpl->len,
			cpl->imm_len <= RTE_COMCH_CPL_IMM_SIZE ? cpl->imm : cpl->imm_ext,
			cpl->imm_len, cpl->producer_id);
	w->count.rx_msgs++;
	w->count.rx_bytes += cpl->len + cpl->imm_len;
}

/* Answer what has come; the answer leaves before anything else is done. */
uint32_t
fp_echo_turn(struct fp_worker *w)
{
	struct fp_consumer *c = &w->consumers[0];
	struct fp_producer *p = &w->producers[0];
	struct rte_comch_cpl *cpl = &c->cpls[0];

	if (c->q.state != RTE_COMCH_STATE_RUNNING || p->q.state != RTE_COMCH_STATE_RUNNING)
		return 0;
	/* What could not be answered at once has no credit: the peer is slow. */
	if (unlikely(p->wanted != 0)) {
		if (echo_send(p) == 0) {
			if (++p->idle == PRODUCER_ASK_TURNS)
				producer_ask(p, w->fp->remotes[0].ids[0]);
			return 0;
		}
		p->wanted = 0;
	}
	if (rte_comch_queue_poll_burst(c->q.ctx, cpl, 1) == 0)
		return 0;
	echo_look(c, cpl);
	if (unlikely(cpl->status != 0))
		return 1;
	if (unlikely(echo_send(p) == 0))
		p->wanted = 1;
	echo_repost(c, cpl);
	if (w->fp->spec.sources - (p->sent - p->done) < w->fp->group)
		producer_complete(p);
	return 1;
}

int
fp_ping(struct fp *fp, uint32_t nb, struct hist *hist, void (*wait)(void *arg), void *arg)
{
	const uint64_t patience = (uint64_t)((PING_PATIENCE + fp_patience(fp->spec.size)) *
			(double)rte_get_tsc_hz());
	const bool event = (fp->spec.flags & FP_F_EVENT) != 0;
	struct fp_worker *w = &fp->workers[0];
	struct fp_consumer *c = &w->consumers[0];
	struct fp_producer *p = &w->producers[0];
	struct rte_comch_cpl *cpl = &c->cpls[0];
	uint64_t t0, deadline;
	uint32_t i, spins;

	for (i = 0; i < nb; i++) {
		deadline = 0;
		spins = 0;
		t0 = rte_rdtsc();
		while (unlikely(echo_send(p) == 0)) {
			rte_comch_pe_progress(fp->pe);
			producer_complete(p);
			if (p->q.state != RTE_COMCH_STATE_RUNNING)
				return -ENOTCONN;
			if (deadline == 0)
				deadline = t0 + patience;
			else if (rte_rdtsc() > deadline)
				return -ETIMEDOUT;
		}
		while (rte_comch_queue_poll_burst(c->q.ctx, cpl, 1) == 0) {
			if (!event && likely(++spins % PING_SPINS != 0))
				continue;
			if (c->q.state != RTE_COMCH_STATE_RUNNING)
				return -ENOTCONN;
			if (deadline == 0)
				deadline = t0 + patience;
			else if (rte_rdtsc() > deadline)
				return -ETIMEDOUT;
			if (rte_comch_pe_progress(fp->pe) == 0 && event)
				wait(arg);
		}
		if (hist != NULL)
			hist_add(hist, rte_rdtsc() - t0);
		echo_look(c, cpl);
		if (unlikely(cpl->status != 0))
			return -ENOTCONN;
		echo_repost(c, cpl);
		if (fp->spec.sources - (p->sent - p->done) < fp->group)
			producer_complete(p);
	}
	return 0;
}
