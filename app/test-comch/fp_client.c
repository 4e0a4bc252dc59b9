/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The client's end of runs of the fast path: from options to a stream, and its end. */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "fp_client.h"

/* Posted buffers if the user gave none: so many, but not more than so many bytes. */
#define DFLT_POSTS 512
#define DFLT_POST_BYTES (UINT32_C(32) << 20)
/* Longest message; the pattern is checked with offsets of 32 bits. */
#define MAX_SIZE UINT32_C(0xfffff000)

void
fp_spec_make(const struct client *cl, const struct test_ops *test, uint32_t size,
		struct fp_spec *spec)
{
	const enum fp_kind kind = (enum fp_kind)test->kind;
	const struct options *opt = cl->opt;
	bool echo = kind == FP_KIND_LATENCY, imm = test->imm;

	memset(spec, 0, sizeof(*spec));
	spec->dev_id = cl->dev_id;
	spec->loopback = opt->role == ROLE_LOOPBACK;
	spec->flags |= opt->event ? FP_F_EVENT : 0;
	spec->flags |= opt->validate ? FP_F_VALIDATE : 0;
	/* The pattern is written and read already, and its sizes may vary. */
	spec->flags |= opt->write_read && !opt->validate && !opt->random ? FP_F_WORK : 0;
	spec->flags |= kind != FP_KIND_BANDWIDTH || opt->touch ? FP_F_TOUCH : 0;
	if (echo) {
		spec->flags |= FP_F_ECHO;
	} else {
		spec->flags |= opt->bidir ? FP_F_BIDIR : 0;
		spec->flags |= opt->random ? FP_F_RANDOM : 0;
		/* Packets have no immediate data. */
		spec->flags |= opt->mbuf && !imm ? FP_F_MBUF : 0;
		spec->flags |= opt->tasks && (spec->flags & FP_F_MBUF) == 0 ? FP_F_TASKS : 0;
	}
	if (imm) {
		spec->imm_len = size;
		spec->stride = size;
	} else {
		spec->size = size;
		spec->stride = RTE_MAX(opt->stride, (uint32_t)RTE_ALIGN_CEIL(
				RTE_MIN(size, MAX_SIZE), RTE_CACHE_LINE_SIZE));
	}
	spec->posts = opt->posts;
	if (spec->posts == 0) {
		spec->posts = DFLT_POST_BYTES / spec->stride;
		spec->posts = RTE_MIN(RTE_MAX(spec->posts, 2u), (uint32_t)DFLT_POSTS);
	}
	/* With one burst for all buffers the two ends would take turns. */
	spec->burst = RTE_MAX(RTE_MIN(opt->burst, spec->posts / 4), 1u);
	spec->sources = kind == FP_KIND_BANDWIDTH ? spec->posts : 2 * spec->burst;
	spec->nb_conns = echo ? 1 : opt->connections;
	spec->producers = echo ? 1 : opt->producers;
	spec->peer_consumers = echo ? 1 : opt->consumers;
	if (echo || opt->bidir)
		spec->consumers = spec->peer_consumers;
}

static int
fp_spec_check(const struct client *cl, const struct fp_spec *spec, char why[OPT_ERR_SIZE])
{
	const struct rte_comch_dev_info *info = &cl->info;

	if ((info->capa & RTE_COMCH_CAPA_CONSUMER) == 0 ||
			(info->capa & RTE_COMCH_CAPA_PRODUCER) == 0) {
		snprintf(why, OPT_ERR_SIZE, "%s has no fast path", info->name);
		return -ENOTSUP;
	}
	if (spec->size > info->max_buf_size || spec->size > MAX_SIZE) {
		snprintf(why, OPT_ERR_SIZE, "size: %u B is more than the %" PRIu64 " B that %s "
				"takes in one buffer; lower --size", spec->size,
				RTE_MIN(info->max_buf_size, (uint64_t)MAX_SIZE), info->name);
		return -EMSGSIZE;
	}
	if (spec->imm_len > info->max_imm_len) {
		snprintf(why, OPT_ERR_SIZE, "size: %u B is more than the %u B of immediate data "
				"that %s takes; lower --size", spec->imm_len, info->max_imm_len,
				info->name);
		return -E2BIG;
	}
	if (spec->posts > info->max_posts || spec->sources > info->max_sends) {
		snprintf(why, OPT_ERR_SIZE, "posts: %s takes %u buffers of a consumer and %u "
				"sends of a producer; lower --posts", info->name,
				info->max_posts, info->max_sends);
		return -ENOSPC;
	}
	if (spec->producers > info->max_producers) {
		snprintf(why, OPT_ERR_SIZE, "producers: a connection on %s has %u at most; use "
				"fewer, or more --connections", info->name, info->max_producers);
		return -ENOSPC;
	}
	if (spec->peer_consumers > info->max_consumers) {
		snprintf(why, OPT_ERR_SIZE, "consumers: a connection on %s has %u at most; use "
				"fewer, or more --connections", info->name, info->max_consumers);
		return -ENOSPC;
	}
	if ((spec->flags & FP_F_MBUF) != 0 && spec->stride > FP_MAX_MBUF) {
		snprintf(why, OPT_ERR_SIZE, "mbuf: a packet takes %u B at most; lower --size or "
				"--stride", FP_MAX_MBUF);
		return -EMSGSIZE;
	}
	return 0;
}

int
fp_opt_check(const struct client *cl, const struct test_ops *test, const struct test_point *pt,
		char why[OPT_ERR_SIZE])
{
	struct fp_spec spec;

	fp_spec_make(cl, test, pt->size, &spec);
	return fp_spec_check(cl, &spec, why);
}

void
fp_result_set(struct result *res, const struct client *cl, const struct fp_spec *spec)
{
	res->variant = (spec->flags & FP_F_MBUF) != 0 ? VARIANT_MBUFS :
			(spec->flags & FP_F_TASKS) != 0 ? VARIANT_TASKS : VARIANT_BURSTS;
	res->burst = spec->burst;
	res->stride = spec->stride;
	res->posts = spec->posts;
	res->producers = spec->producers;
	res->consumers = spec->peer_consumers;
	res->connections = spec->nb_conns;
	res->write_read = (spec->flags & FP_F_WORK) != 0;
	res->client_page_size = cl->page_size;
	res->server_page_size = cl->server_page_size;
}

/* ---- callbacks on the data connections ---- */

static void
run_recv(struct client_conn *cc, const void *msg, uint32_t len)
{
	const struct peer_ready *ready = msg;
	struct fp_run *run = cc->arg;
	int status;

	if (peer_msg_check(msg, len) != PEER_READY) {
		run->error = -EPROTO;
		strlcpy(run->text, "the server said what it should not", sizeof(run->text));
		return;
	}
	status = peer_msg_status(&ready->hdr);
	if (status != 0 && run->error == 0) {
		run->error = status;
		strlcpy(run->text, ready->text, sizeof(run->text));
	}
	cc->cl->server_page_size = rte_le_to_cpu_64(ready->page_size);
	run->nb_told++;
}

static void
run_consumer(struct client_conn *cc, uint32_t consumer_id)
{
	if (cc->cl->fp != NULL)
		fp_remote_consumer(cc->cl->fp, cc->index, consumer_id);
}

/* ---- runs ---- */

int
fp_run_check(struct client *cl)
{
	const char *text;
	int ret = client_check(cl);

	if (ret != 0)
		return ret;
	ret = fp_error(cl->fp, &text);
	return ret == 0 ? 0 : client_fail(cl, ret, "%s", text);
}

/* Turn until it is so; what: for people. */
static int
run_until(struct client *cl, bool (*is_so)(struct client *cl, void *arg), void *arg,
		const char *what)
{
	const double seconds = PEER_PATIENCE + fp_patience(fp_spec_get(cl->fp)->size);
	const uint64_t patience = (uint64_t)(seconds * (double)rte_get_tsc_hz());
	uint64_t deadline = rte_rdtsc() + patience;
	struct fp_count last, now;
	int ret;

	fp_count_get(cl->fp, &last);
	while (!is_so(cl, arg)) {
		client_step(cl);
		ret = fp_run_check(cl);
		if (ret != 0)
			return ret;
		if (rte_rdtsc() < deadline)
			continue;
		fp_count_get(cl->fp, &now);
		if (now.rx_msgs == last.rx_msgs && now.tx_msgs == last.tx_msgs)
			return client_fail(cl, -ETIMEDOUT, "%s for %.0f s", what, seconds);
		last = now;
		deadline = rte_rdtsc() + patience;
	}
	return 0;
}

static bool
is_ready(struct client *cl, void *arg)
{
	const struct fp_run *run = arg;

	return run->error != 0 || (run->nb_told == run->run.nb_conns && fp_ready(cl->fp, true));
}

static bool
is_halted(struct client *cl, void *arg)
{
	RTE_SET_USED(arg);
	return fp_halted(cl->fp);
}

static bool
has_received(struct client *cl, void *arg)
{
	const uint64_t *want = arg;
	struct fp_count count;

	fp_count_get(cl->fp, &count);
	return count.rx_msgs >= *want;
}

static bool
is_stopped(struct client *cl, void *arg)
{
	RTE_SET_USED(arg);
	return fp_stopped(cl->fp);
}

int
fp_run_begin(void *arg)
{
	struct fp_run *run = arg;
	struct client *cl = run->cl;
	const struct fp_spec *spec = &run->spec;
	struct test_point pt = { .size = spec->size };
	struct client_run_spec cspec = {
		.test = run->res->test,
		.pt = &pt,
		.nb_conns = spec->nb_conns,
		.nb_tasks = PEER_SPARE_TASKS,
		.fp = spec,
		.recv = run_recv,
		.consumer = run_consumer,
		.arg = run,
	};
	char why[FP_TEXT];
	uint32_t i;
	int ret;

	memset(&run->run, 0, sizeof(run->run));
	run->nb_told = 0;
	run->error = 0;
	/* Consumers of the server arrive before all connections have joined. */
	ret = fp_create(spec, cl->pe, &cl->fp, why);
	if (ret != 0)
		return client_fail(cl, ret, "%s", why);
	cl->page_size = fp_page_size(cl->fp);
	ret = client_run_begin(cl, &cspec, &run->run);
	for (i = 0; i < spec->nb_conns && ret == 0; i++) {
		ret = fp_conn_add(cl->fp, run->run.conns[i]->conn, why);
		if (ret != 0)
			client_fail(cl, ret, "%s", why);
	}
	if (ret == 0) {
		ret = fp_start(cl->fp);
		if (ret != 0)
			client_fail(cl, ret, "the workers cannot start: %s", strerror(-ret));
	}
	if (ret == 0)
		ret = run_until(cl, is_ready, run, "producers and consumers did not start");
	if (ret == 0 && run->error != 0)
		ret = client_fail(cl, run->error, "the server's end: %s", run->text);
	if (ret == 0)
		fp_go(cl->fp);
	return ret;
}

static void
run_abort(struct fp_run *run)
{
	struct fp *fp = run->cl->fp;

	run->cl->fp = NULL;
	fp_free(fp);
	client_run_abort(run->cl, &run->run);
}

int
fp_run_end(void *arg, int status)
{
	struct fp_run *run = arg;
	struct client *cl = run->cl;
	struct fp *fp = cl->fp;
	struct fp_count count;
	uint64_t want;
	int ret = status;

	if (ret != 0)
		goto fail;
	fp_halt(cl->fp);
	ret = run_until(cl, is_halted, NULL, "messages were not sent");
	if (ret != 0)
		goto fail;
	fp_count_get(cl->fp, &count);
	ret = client_run_stop(cl, &run->run, count.tx_msgs, 0, run->res);
	if (ret != 0)
		goto fail;
	want = rte_le_to_cpu_64(cl->reply.stop.tx_msgs);
	ret = run_until(cl, has_received, &want, "messages of the server did not arrive");
	if (ret != 0)
		goto fail;
	fp_stop(cl->fp);
	ret = run_until(cl, is_stopped, NULL, "producers and consumers did not stop");
	if (ret != 0)
		goto fail;
	fp_count_get(cl->fp, &count);
	run->res->client_cpu += (double)fp_cpu_ns(fp) / 1e9;
	cl->fp = NULL;
	fp_free(fp);
	client_run_free(cl, &run->run);
	if (count.bad_msgs != 0)
		return client_fail(cl, -EBADMSG, "validation failed: %" PRIu64 " of %" PRIu64
				" messages that were received were not what was sent",
				count.bad_msgs, count.rx_msgs);
	if (count.rx_msgs != want)
		return client_fail(cl, -EBADMSG, "the server sent %" PRIu64 " messages, but %"
				PRIu64 " were received", want, count.rx_msgs);
	return 0;

fail:
	run_abort(run);
	return ret;
}
