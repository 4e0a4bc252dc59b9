/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * msgq-rate, msgq-lat and msgq-dma: message queues between this CPU and the execution
 * units of an offload processor. Each result has a limit of the same run beside it.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_pause.h>

#include "limit_slots.h"
#include "msgq.h"
#include "rounds.h"
#include "slices.h"

#define RATE_SECONDS 2.5
/* Turns between two looks at the clock, and seconds between two at everything else. */
#define TURNS 64
#define CHECK_SECONDS 0.05
/* Round trips between two looks at everything else. */
#define PINGS 4096
#define PINGS_EVENT 64
/* Turns of waiting for an answer between two looks at the clock. */
#define PING_SPINS 1024

/* What is kept of the rounds. */
struct msgq_rates {
	double tx[OPT_MAX_ROUNDS];
	double rx[OPT_MAX_ROUNDS];
	double best[OPT_MAX_ROUNDS];
};

/* What has been done: of both directions the slower one counts. */
static uint64_t
msgq_done(const struct msgq_end *e)
{
	if (!msgq_comes_from(&e->spec))
		return msgq_sent(e);
	if (!msgq_goes_to(&e->spec))
		return msgq_received(e);
	return RTE_MIN(msgq_sent(e), msgq_received(e));
}

struct turns {
	uint64_t done;         /* since when nothing moves */
	uint64_t deadline;
	uint64_t next_check;
	struct slices *slices; /* NULL while it warms up */
};

/* Let it run until so much has been done, or until the clock is there. */
static int
rate_turns(struct msgq_end *e, struct turns *t, uint64_t want, uint64_t until)
{
	const double hz = (double)rte_get_tsc_hz();
	uint64_t now = rte_rdtsc(), done;
	uint32_t i, moved;
	int ret;

	t->deadline = now + (uint64_t)(PEER_PATIENCE * hz);
	while ((done = msgq_done(e)) < want && now < until) {
		for (i = 0, moved = 0; i < TURNS; i++) {
			uint32_t n = msgq_turn(e, true);

			moved += n;
			if (n == 0 && e->spec.event)
				msgq_wait(e);
			/* Copies can take a while. */
			if (e->spec.mode == MSGQ_MODE_COPY)
				break;
		}
		now = rte_rdtsc();
		if (t->slices != NULL)
			slices_look(t->slices, now, msgq_sent(e) + msgq_received(e));
		if (moved != 0 || done != t->done) {
			t->done = done;
			t->deadline = now + (uint64_t)(PEER_PATIENCE * hz);
		}
		if (now < t->next_check)
			continue;
		t->next_check = now + (uint64_t)(CHECK_SECONDS * hz);
		ret = msgq_check(e);
		if (ret == 0 && now > t->deadline)
			ret = client_fail(e->cl, -ETIMEDOUT, "no message has moved for %.0f s",
					PEER_PATIENCE);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
rate_measure(struct rounds *r, struct msgq_end *e, struct msgq_rates *rates)
{
	const double hz = (double)rte_get_tsc_hz();
	const uint64_t begin = msgq_done(e), tx = msgq_sent(e), rx = msgq_received(e);
	struct slices slices;
	struct turns t = { .slices = &slices };
	uint64_t slice, now, done = 0;
	double seconds;
	int ret;

	slices_begin(&slices, r->seconds, tx + rx);
	rounds_begin(r);
	do {
		slice = rte_rdtsc() + (uint64_t)(0.25 * hz);
		if (r->count != 0)
			ret = rate_turns(e, &t, begin + r->count, slice);
		else
			ret = rate_turns(e, &t, UINT64_MAX,
					done == 0 ? slice : RTE_MIN(slice, r->end));
		now = rte_rdtsc();
		done = msgq_done(e) - begin;
		client_line(e->cl, r->res, rounds_share(r, now, done),
				(double)done * hz / (double)(now - r->begin), "msgs/s");
		/* A copy may take longer than the round: there is one at least. */
	} while (ret == 0 && (done == 0 || !rounds_over(r, now, done)));
	seconds = (double)(now - r->begin) / hz;
	rates->tx[r->done] = (double)(msgq_sent(e) - tx) / seconds;
	rates->rx[r->done] = (double)(msgq_received(e) - rx) / seconds;
	rates->best[r->done] = slices_best(&slices);
	if (rates->best[r->done] <= 0)
		rates->best[r->done] = rates->tx[r->done] + rates->rx[r->done];
	return rounds_add(r, ret, rates->tx[r->done] + rates->rx[r->done],
			msgq_sent(e) - tx + msgq_received(e) - rx, seconds);
}

/* What this has copied must not be taken for what the program copies. */
static int
copy_limit(const struct msgq_end *e, const struct limit_stream *copy, double seconds,
		double *limit)
{
	const struct limit_place place = msgq_place(e);
	int ret = limit_copy(&place, copy, seconds, limit);

	if (e->spec.validate)
		memset(copy->dst[0], 0, (size_t)copy->slots * copy->stride);
	return ret;
}

static void
rate_limit(struct rounds *r, const struct msgq_end *e)
{
	const struct msgq_spec *spec = &e->spec;
	const struct limit_place place = msgq_place(e);
	const struct limit_slots slots = {
		.cpus = e->cpus,
		.nb = spec->eus,
		.size = spec->size,
		.slots = spec->posts,
		.batch = spec->burst,
		.to = msgq_goes_to(spec),
		.from = msgq_comes_from(spec),
	};
	const struct limit_stream copy = {
		.dst = { e->units[0].dst },
		.src = { e->units[0].src },
		.size = spec->size,
		.stride = spec->stride,
		.slots = spec->posts,
		.src_stride = spec->stride,
		.src_slots = spec->posts,
		.batch = 1,
	};
	double limit = 0;
	int ret;

	do {
		if (spec->mode == MSGQ_MODE_COPY)
			ret = copy_limit(e, &copy, r->limit_seconds, &limit);
		else
			ret = limit_slots(&place, &slots, r->limit_seconds, &limit);
	} while (rounds_limit(r, ret, limit));
}

static int
rate_round(struct rounds *r, struct msgq_end *e, struct msgq_rates *rates)
{
	const uint64_t warmup = RTE_MIN(e->cl->opt->warmup, UINT64_C(2) * e->spec.posts);
	struct turns t = { 0 };
	int ret;

	rate_limit(r, e);
	ret = msgq_go(e);
	if (ret == 0)
		ret = rate_turns(e, &t, msgq_done(e) + warmup, UINT64_MAX);
	if (ret == 0)
		ret = rate_measure(r, e, rates);
	return ret == 0 ? msgq_halt(e, r->res) : ret;
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct msgq_rates *rates = calloc(1, sizeof(*rates));
	struct msgq_end e = { 0 };
	struct msgq_spec spec;
	struct rounds r;
	int ret;

	msgq_spec_make(cl, (enum msgq_mode)res->test->kind, pt->size, &spec);
	rounds_init(&r, cl, res, RATE_SECONDS);
	res->limit_name = spec.mode == MSGQ_MODE_COPY ? LIMIT_COPY_NAME : LIMIT_SLOTS_NAME;
	if (rates == NULL)
		ret = client_fail(cl, -ENOMEM, "no memory for rates");
	else
		ret = msgq_open(cl, &spec, &e);
	while (ret == 0 && r.done < r.nb)
		ret = rate_round(&r, &e, rates);
	msgq_close(&e);
	ret = rounds_finish(&r, ret, &res->rate);
	msgq_result_set(res, &spec);
	if (ret == 0) {
		res->bytes_rate = res->rate * spec.size;
		res->best_rate = median(rates->best, r.done);
		if (res->bidir) {
			res->tx_rate = median(rates->tx, r.done);
			res->rx_rate = median(rates->rx, r.done);
		}
	}
	free(rates);
	return ret;
}

/* ---- latency ---- */

struct msgq_lat {
	struct msgq_end *e;
	struct result *res;
};

static int
ping_send(struct msgq_end *e, struct msgq_unit *u, uint64_t end)
{
	uint32_t spins = 0;

	while (msgq_send(e, u, 1) == 0) {
		rte_pause();
		if ((++spins % PING_SPINS) == 0 && rte_rdtsc() > end)
			return -ETIMEDOUT;
	}
	return 0;
}

static int
ping_receive(struct msgq_end *e, struct msgq_unit *u, uint64_t end)
{
	uint32_t spins = 0;

	while (msgq_receive(e, u, 1) == 0) {
		if (e->spec.event)
			msgq_wait(e);
		if ((e->spec.event || (++spins % PING_SPINS) == 0) && rte_rdtsc() > end)
			return -ETIMEDOUT;
	}
	return 0;
}

static int
ping(struct msgq_end *e, struct msgq_unit *u, uint64_t end)
{
	int ret = ping_send(e, u, end);

	return ret == 0 ? ping_receive(e, u, end) : ret;
}

/*
 * One after the other, with one execution unit after the other. Those that are measured end
 * early if they are slow, so that the caller looks at the clock.
 */
static int
lat_pings(void *arg, uint64_t nb, struct hist *h)
{
	struct msgq_end *e = ((struct msgq_lat *)arg)->e;
	const double hz = (double)rte_get_tsc_hz();
	const uint64_t patience = (uint64_t)(PEER_PATIENCE * hz);
	const uint64_t pause = (uint64_t)(CHECK_SECONDS * hz);
	uint64_t t0 = rte_rdtsc(), check = t0 + pause, i;
	int ret = 0, failed;

	for (i = 0; i < nb && ret == 0; i++) {
		t0 = rte_rdtsc();
		ret = ping(e, &e->units[e->next], t0 + patience);
		e->next = (e->next + 1) % e->spec.eus;
		if (h != NULL)
			hist_add(h, rte_rdtsc() - t0);
		if (t0 < check)
			continue;
		if (h != NULL || msgq_check(e) != 0)
			break;
		check = t0 + pause;
	}
	/* What has failed before tells more. */
	failed = msgq_check(e);
	if (failed != 0)
		return failed;
	return ret == 0 ? 0 : client_fail(e->cl, ret,
			"a message was not answered for %.0f s: %s; with fewer CPUs than execution units, give --event",
			PEER_PATIENCE, strerror(-ret));
}

static int
lat_begin(void *arg)
{
	return msgq_go(((struct msgq_lat *)arg)->e);
}

static int
lat_end(void *arg, int status)
{
	struct msgq_lat *lat = arg;

	return status == 0 ? msgq_halt(lat->e, lat->res) : status;
}

static int
lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct msgq_end e = { 0 };
	struct msgq_lat lat = { .e = &e, .res = res };
	struct limit_place place;
	const struct latency l = {
		.place = &place,
		.chunk = cl->opt->event ? PINGS_EVENT : PINGS,
		.arg = &lat,
		.begin = lat_begin,
		.pings = lat_pings,
		.end = lat_end,
	};
	struct msgq_spec spec;
	int ret;

	msgq_spec_make(cl, MSGQ_MODE_ECHO, pt->size, &spec);
	ret = msgq_open(cl, &spec, &e);
	if (ret == 0)
		place = msgq_place(&e);
	ret = rounds_latency(cl, res, ret, &l);
	msgq_close(&e);
	msgq_result_set(res, &spec);
	return ret;
}

/* ---- the tests ---- */

static int
opt_check(const struct client *cl, const struct test_ops *test, const struct test_point *pt,
		char why[OPT_ERR_SIZE])
{
	struct msgq_spec spec;

	msgq_spec_make(cl, (enum msgq_mode)test->kind, pt->size, &spec);
	return msgq_spec_check(cl, &spec, why);
}

static void
rate_result(const struct result *res, FILE *f)
{
	fprintf(f, "%s %u B, %u execution unit%s: best tenth %.1f k/s", res->test->name,
			res->pt.size, res->eus, res->eus == 1 ? "" : "s", res->best_rate / 1e3);
	if (res->limit > 0)
		fprintf(f, ", %.3f of the limit's", res->best_rate / res->limit);
	if (res->bidir)
		fprintf(f, "; %.2f M/s to the program, %.2f M/s from it", res->tx_rate / 1e6,
				res->rx_rate / 1e6);
	fprintf(f, "\n");
}

#define MSGQ_OPTIONS " size posts eus eu-cpus program runner "

const struct test_ops test_msgq_rate = {
	.name = "msgq-rate",
	.description = "message queues with an offload processor: messages per second",
	.options = MSGQ_OPTIONS "burst dir bidir ",
	.limit_is_rate = true,
	.absent = msgq_absent,
	.opt_check = opt_check,
	.run = rate_run,
	.kind = MSGQ_MODE_STREAM,
	.result = rate_result,
	.bandwidth = true,
	.dflt_size = { .first = 32, .last = 32 },
};

const struct test_ops test_msgq_lat = {
	.name = "msgq-lat",
	.description = "message queues, one message at a time: one-way latency",
	.options = MSGQ_OPTIONS,
	.times_name = "one-way latency",
	.absent = msgq_absent,
	.opt_check = opt_check,
	.run = lat_run,
	.kind = MSGQ_MODE_ECHO,
	.dflt_size = { .first = 32, .last = 32 },
};

const struct test_ops test_msgq_dma = {
	.name = "msgq-dma",
	.description = "copies of an offload processor, each with a message: copies per second",
	.options = MSGQ_OPTIONS "burst ",
	.limit_is_rate = true,
	.absent = msgq_absent,
	.opt_check = opt_check,
	.run = rate_run,
	.kind = MSGQ_MODE_COPY,
	.result = rate_result,
	.bandwidth = true,
	.dflt_size = { .first = 65536, .last = 65536 },
};
