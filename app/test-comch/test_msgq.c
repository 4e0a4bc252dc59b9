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

#define RATE_SECONDS 2.5
/* Turns between two looks at the clock, and seconds between two at everything else. */
#define TURNS 64
#define CHECK_SECONDS 0.05
/* Round trips between two looks at everything else. */
#define PINGS 4096
#define PINGS_EVENT 64
/* Turns of waiting for an answer between two looks at the clock. */
#define PING_SPINS 1024

struct msgq_test {
	struct msgq_end e;
	struct result *res;
	struct limit_place place;
	uint64_t next_check;
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

static int
rate_turn(void *arg, uint64_t left __rte_unused)
{
	struct msgq_test *t = arg;
	struct msgq_end *e = &t->e;
	uint32_t i;

	for (i = 0; i < TURNS; i++) {
		if (msgq_turn(e, true) == 0 && e->spec.event)
			msgq_wait(e);
		/* Copies can take a while. */
		if (e->spec.mode == MSGQ_MODE_COPY)
			break;
	}
	if (rte_rdtsc() < t->next_check)
		return 0;
	t->next_check = rte_rdtsc() + (uint64_t)(CHECK_SECONDS * (double)rte_get_tsc_hz());
	return msgq_check(e);
}

static void
rate_count(void *arg, struct rate_count *count)
{
	const struct msgq_end *e = &((struct msgq_test *)arg)->e;

	count->done = msgq_done(e);
	count->tx = msgq_sent(e);
	count->rx = msgq_received(e);
	count->bytes = (count->tx + count->rx) * e->spec.size;
}

/* What this has copied must not be taken for what the program copies. */
static int
copy_limit(const struct msgq_test *t, const struct limit_stream *copy, double seconds,
		double *limit)
{
	int ret = limit_copy(&t->place, copy, seconds, limit);

	if (t->e.spec.validate)
		memset(copy->dst[0], 0, (size_t)copy->slots * copy->stride);
	return ret;
}

static int
rate_limit(void *arg, double seconds, double *limit)
{
	const struct msgq_test *t = arg;
	const struct msgq_end *e = &t->e;
	const struct msgq_spec *spec = &e->spec;
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

	return spec->mode == MSGQ_MODE_COPY ? copy_limit(t, &copy, seconds, limit) :
			limit_slots(&t->place, &slots, seconds, limit);
}

static int
round_begin(void *arg)
{
	return msgq_go(&((struct msgq_test *)arg)->e);
}

static int
round_end(void *arg, int status)
{
	struct msgq_test *t = arg;

	return status == 0 ? msgq_halt(&t->e, t->res) : status;
}

static int
rate_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct msgq_test t = { .res = res };
	struct rate r = {
		.place = &t.place,
		.seconds = RATE_SECONDS,
		.patience = PEER_PATIENCE,
		.stalled = "no message has moved",
		.unit = "msgs/s",
		.arg = &t,
		.limit = rate_limit,
		.begin = round_begin,
		.turn = rate_turn,
		.count = rate_count,
		.end = round_end,
	};
	struct msgq_spec spec;
	int ret;

	msgq_spec_make(cl, (enum msgq_mode)res->test->kind, pt->size, &spec);
	r.warmup = UINT64_C(2) * spec.posts;
	res->limit_name = spec.mode == MSGQ_MODE_COPY ? LIMIT_COPY_NAME : LIMIT_SLOTS_NAME;
	msgq_result_set(res, &spec);
	ret = msgq_open(cl, &spec, &t.e);
	t.place = msgq_place(&t.e);
	ret = rounds_rate(cl, res, ret, &r);
	msgq_close(&t.e);
	return ret;
}

/* ---- latency ---- */

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
	struct msgq_end *e = &((struct msgq_test *)arg)->e;
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
lat_run(struct client *cl, const struct test_point *pt, struct result *res)
{
	struct msgq_test t = { .res = res };
	const struct latency l = {
		.place = &t.place,
		.chunk = cl->opt->event ? PINGS_EVENT : PINGS,
		.arg = &t,
		.begin = round_begin,
		.pings = lat_pings,
		.end = round_end,
	};
	struct msgq_spec spec;
	int ret;

	msgq_spec_make(cl, MSGQ_MODE_ECHO, pt->size, &spec);
	msgq_result_set(res, &spec);
	ret = msgq_open(cl, &spec, &t.e);
	t.place = msgq_place(&t.e);
	ret = rounds_latency(cl, res, ret, &l);
	msgq_close(&t.e);
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
	fprintf(f, "%s %u B, %u execution unit%s: ", res->test->name, res->pt.size, res->eus,
			res->eus == 1 ? "" : "s");
	rate_print(res, "the program", f);
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
