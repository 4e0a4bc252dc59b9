/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Set-up and teardown of the client's offload processor and of its message queues. What
 * is done for each message is in msgq_burst.c, what is done for a round in msgq_run.c.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_string_fns.h>

#include "msgq.h"
#include "pattern.h"

/* Name of the program, which is beside this one in a build folder. */
#define PROGRAM_NAME "dpdk-test-comch-dpa"
/* Memory that the slots of copies may have in all. */
#define SLOTS_BYTES (UINT64_C(64) << 20)
/* Posts of a consumer, if the user gave none. */
#define DFLT_POSTS 512
/* Seconds for contexts to end. */
#define STOP_PATIENCE 2.0

/* ---- what is to run ---- */

void
msgq_spec_make(const struct client *cl, enum msgq_mode mode, uint32_t size,
		struct msgq_spec *spec)
{
	const struct options *opt = cl->opt;

	*spec = (struct msgq_spec){
		.mode = mode,
		.dir = opt->bidir ? MSGQ_DIR_BOTH : opt->dir,
		.eus = opt->eus,
		.size = size,
		.burst = opt->burst,
		.posts = opt->posts != 0 ? opt->posts : DFLT_POSTS,
		.stride = RTE_ALIGN_CEIL(size, RTE_CACHE_LINE_SIZE),
		.validate = opt->validate,
		.event = opt->event,
	};
	if (mode == MSGQ_MODE_COPY)
		spec->posts = (uint32_t)RTE_MAX(UINT64_C(1), RTE_MIN((uint64_t)spec->posts,
				SLOTS_BYTES / spec->stride / spec->eus));
}

/* The one of --program, or beside this one, or where it is installed. */
static int
program_find(const struct client *cl, char *path, size_t size)
{
	char exe[PATH_MAX];
	ssize_t len;
	char *end;

	if (cl->opt->program[0] != '\0') {
		strlcpy(path, cl->opt->program, size);
		return 0;
	}
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len > 0) {
		exe[len] = '\0';
		end = strrchr(exe, '/');
		if (end != NULL) {
			*end = '\0';
			snprintf(path, size, "%s/%s", exe, PROGRAM_NAME);
			if (access(path, X_OK) == 0)
				return 0;
		}
	}
	strlcpy(path, TEST_COMCH_PROGRAMS "/" PROGRAM_NAME, size);
	return access(path, X_OK) == 0 ? 0 : -ENOENT;
}

static int
dpa_absent(const struct client *cl, char why[OPT_ERR_SIZE])
{
	struct rte_comch_dpa_info info;
	int ret = rte_comch_dpa_info_get(cl->dev_id, &info);

	if (ret != 0)
		snprintf(why, OPT_ERR_SIZE, "%s has no offload processor: %s; take another "
				"device", cl->info.name,
				ret == -ENOTSUP ? info.reason : strerror(-ret));
	return ret;
}

int
msgq_absent(const struct client *cl, char why[OPT_ERR_SIZE])
{
	char path[PATH_MAX + 64];
	int ret = dpa_absent(cl, why);

	if (ret == 0 && program_find(cl, path, sizeof(path)) != 0) {
		snprintf(why, OPT_ERR_SIZE, "there is no program " PROGRAM_NAME "; build it, or "
				"name it by --program");
		ret = -ENOENT;
	}
	return ret;
}

int
msgq_spec_check(const struct client *cl, const struct msgq_spec *spec, char why[OPT_ERR_SIZE])
{
	uint32_t max = spec->mode == MSGQ_MODE_COPY ? MSGQ_MAX_COPY : MSGQ_MAX_SIZE;
	struct rte_comch_dpa_info info;
	int ret = dpa_absent(cl, why);

	if (ret != 0)
		return ret;
	rte_comch_dpa_info_get(cl->dev_id, &info);
	if (spec->mode != MSGQ_MODE_COPY)
		max = RTE_MIN(max, info.max_imm_len);
	if (spec->size > max)
		snprintf(why, OPT_ERR_SIZE, "size: %u bytes are more than the %u that %s; lower "
				"--size", spec->size, max, spec->mode == MSGQ_MODE_COPY ?
				"a copy of this test has" : "a message queue takes");
	else if (spec->eus > info.nb_eus)
		snprintf(why, OPT_ERR_SIZE, "eus: %s has %u execution unit%s; lower --eus",
				cl->info.name, info.nb_eus, info.nb_eus == 1 ? "" : "s");
	else if (spec->posts > info.max_recv || spec->posts > info.max_depth)
		snprintf(why, OPT_ERR_SIZE, "posts: a consumer of %s takes %u; lower --posts",
				cl->info.name, RTE_MIN(info.max_recv, info.max_depth));
	else if (spec->burst > spec->posts && spec->mode == MSGQ_MODE_STREAM)
		snprintf(why, OPT_ERR_SIZE, "burst: %u is more than the %u posts; lower --burst "
				"or raise --posts", spec->burst, spec->posts);
	else if (cl->opt->nb_eu_cpus != 0 && cl->opt->nb_eu_cpus != spec->eus)
		snprintf(why, OPT_ERR_SIZE, "eu-cpus: the list has %u, and --eus is %u; give each "
				"execution unit one", cl->opt->nb_eu_cpus, spec->eus);
	else
		return 0;
	return -EINVAL;
}

struct limit_place
msgq_place(const struct msgq_end *e)
{
	struct limit_place place = e->cl->place;

	if (e->cpus[0] >= 0 && e->cpus[0] != place.cpu)
		place.peer_cpu = e->cpus[0];
	place.event = e->spec.event;
	return place;
}

void
msgq_result_set(struct result *res, const struct msgq_spec *spec)
{
	static const char *const names[] = { "to", "from", "both" };

	if (spec->mode == MSGQ_MODE_STREAM) {
		res->variant = names[spec->dir];
		res->bidir = spec->dir == MSGQ_DIR_BOTH;
	} else {
		res->variant = spec->mode == MSGQ_MODE_COPY ? "from" : "both";
	}
	res->burst = spec->burst;
	res->posts = spec->posts;
	res->stride = spec->mode == MSGQ_MODE_COPY ? spec->stride : 0;
	res->eus = spec->eus;
}

/* ---- the program ---- */

/* What the end of the program says, if it has ended, else what was tried. */
static int
end_fail(struct msgq_end *e, int error, const char *what)
{
	struct rte_comch_dpa_status st;

	if (e->dpa != NULL && rte_comch_dpa_status_get(e->dpa, &st) == 0 &&
			st.state == RTE_COMCH_DPA_FAILED)
		return client_fail(e->cl, st.reason, "%s: the program has ended: %s", what,
				st.text);
	return client_fail(e->cl, error, "%s: %s", what, strerror(-error));
}

/* The option that a start which has failed is about. */
static const char *
start_key(const struct msgq_end *e, int error, const char *path)
{
	if (error == -EINVAL)
		return "eu-cpus";
	if (error == -ENOENT && e->cl->opt->runner[0] != '\0' && access(path, F_OK) == 0)
		return "runner";
	return "program";
}

static int
dpa_open(struct msgq_end *e)
{
	const struct options *opt = e->cl->opt;
	char path[PATH_MAX + 64];
	struct rte_comch_dpa_conf conf = {
		.program = path,
		.nb_eus = e->spec.eus,
		.eu_cpus = e->cpus,
	};
	uint32_t i;
	int ret;

	/* A filter would be that of the runner, which needs more than a program. */
	if (opt->runner[0] != '\0') {
		conf.runner = opt->runner;
		conf.flags = RTE_COMCH_DPA_F_UNCONFINED;
	}
	for (i = 0; i < e->spec.eus; i++)
		e->cpus[i] = i < opt->nb_eu_cpus ? opt->eu_cpus[i] : -1;
	/* The server sleeps meanwhile. */
	if (opt->nb_eu_cpus == 0)
		e->cpus[0] = e->cl->place.peer_cpu;
	ret = program_find(e->cl, path, sizeof(path));
	if (ret != 0)
		return client_fail(e->cl, ret, "program: there is no " PROGRAM_NAME "; build it, "
				"or name it by --program");
	ret = rte_comch_dpa_create(e->cl->dev_id, &conf, &e->dpa);
	if (ret != 0)
		return end_fail(e, ret, "the offload processor cannot be made");
	ret = rte_comch_dpa_start(e->dpa);
	if (ret != 0)
		return client_fail(e->cl, ret, "%s: %s cannot be started: %s; the log above says "
				"more", start_key(e, ret, path), path, strerror(-ret));
	e->started = true;
	ret = rte_comch_pe_create(NULL, &e->pe);
	return ret == 0 ? 0 : end_fail(e, ret, "no progress engine");
}

/* ---- one execution unit ---- */

static int
unit_memory(struct msgq_end *e, struct msgq_unit *u)
{
	const struct msgq_spec *spec = &e->spec;
	uint32_t i;

	u->sends = calloc(MSGQ_SENDS, sizeof(*u->sends));
	u->posts = calloc(spec->burst, sizeof(*u->posts));
	u->cpls = calloc(spec->burst, sizeof(*u->cpls));
	u->imm = aligned_alloc(RTE_CACHE_LINE_SIZE, MSGQ_SENDS * MSGQ_MAX_SIZE);
	if (u->sends == NULL || u->posts == NULL || u->cpls == NULL || u->imm == NULL)
		return end_fail(e, -ENOMEM, "no memory for messages");
	pattern_fill(u->imm, MSGQ_SENDS * MSGQ_MAX_SIZE, u->eu);
	for (i = 0; i < MSGQ_SENDS; i++) {
		u->sends[i].imm = u->imm + (size_t)i * MSGQ_MAX_SIZE;
		u->sends[i].imm_len = spec->size;
		if (i % MSGQ_GROUP != MSGQ_GROUP - 1)
			u->sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	u->key_out = MSGQ_KEY_TO_DPA(u->eu);
	u->key_in = MSGQ_KEY_FROM_DPA(u->eu);
	return 0;
}

static int
msgq_make(struct msgq_end *e, enum rte_comch_msgq_dir dir, struct rte_comch_msgq **msgq)
{
	const struct rte_comch_msgq_conf conf = { .dir = dir };
	int ret = rte_comch_msgq_create(e->dpa, &conf, msgq);

	return ret == 0 ? 0 : end_fail(e, ret, "no message queue");
}

static int
ctx_run(struct msgq_end *e, const struct msgq_unit *u, struct rte_comch_ctx *ctx,
		struct queue_view *view)
{
	static const uint32_t one = 1;
	int ret = rte_comch_ctx_attach(ctx, e->pe);

	view->ctx = ctx;
	view->lcore = rte_lcore_id();
	snprintf(view->peer, sizeof(view->peer), "unit %u", u->eu);
	if (ctx == u->producer) {
		view->targets = &u->target;
		view->nb_targets = &one;
	}
	queue_view_add(view);
	return ret == 0 ? rte_comch_ctx_start(ctx) : ret;
}

/* Producer here, consumer there. */
static int
unit_to(struct msgq_end *e, struct msgq_unit *u)
{
	struct rte_comch_dpa_completion_conf completion = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER,
		.depth = e->spec.posts,
		.imm_len = MSGQ_MAX_SIZE,
		.thread = u->thread,
	};
	struct rte_comch_dpa_queue_conf consumer = {
		.size = e->spec.posts,
		.imm_len = MSGQ_MAX_SIZE,
	};
	const struct rte_comch_producer_conf producer = { .nb_sends = MSGQ_SENDS };
	struct rte_comch_dpa_queue_info info;
	int ret;

	ret = msgq_make(e, RTE_COMCH_MSGQ_TO_DPA, &u->msgq_to);
	if (ret != 0)
		return ret;
	ret = rte_comch_dpa_completion_create(e->dpa, &completion, &u->completion);
	if (ret != 0)
		return end_fail(e, ret, "no completion context");
	consumer.completion = u->completion;
	ret = rte_comch_dpa_queue_create(u->msgq_to, &consumer, &u->dpa_consumer);
	if (ret == 0)
		ret = rte_comch_dpa_queue_info_get(u->dpa_consumer, &info);
	if (ret != 0)
		return end_fail(e, ret, "no consumer of the program");
	u->target = info.id;
	ret = rte_comch_msgq_producer_create(u->msgq_to, &producer, &u->producer);
	if (ret == 0)
		ret = ctx_run(e, u, u->producer, &u->producer_view);
	return ret == 0 ? 0 : end_fail(e, ret, "no producer");
}

/* Producer there, consumer here. */
static int
unit_from(struct msgq_end *e, struct msgq_unit *u)
{
	const struct rte_comch_consumer_conf consumer = {
		.nb_posts = e->spec.posts,
		.imm_len = MSGQ_MAX_SIZE,
	};
	int ret;

	ret = msgq_make(e, RTE_COMCH_MSGQ_FROM_DPA, &u->msgq_from);
	if (ret != 0)
		return ret;
	ret = rte_comch_dpa_queue_create(u->msgq_from, NULL, &u->dpa_producer);
	if (ret != 0)
		return end_fail(e, ret, "no producer of the program");
	ret = rte_comch_msgq_consumer_create(u->msgq_from, &consumer, &u->consumer);
	if (ret == 0)
		ret = ctx_run(e, u, u->consumer, &u->consumer_view);
	if (ret != 0)
		return end_fail(e, ret, "no consumer");
	return msgq_post_all(e, u);
}

static int
unit_region(struct msgq_end *e, uint32_t flags, struct rte_comch_mem **mem, uint8_t **base,
		struct rte_comch_dpa_window **window)
{
	uint64_t len = (uint64_t)e->spec.posts * e->spec.stride;
	int ret = rte_comch_mem_alloc(e->cl->dev_id, len, RTE_COMCH_MEM_F_DPA, mem);

	if (ret != 0)
		return client_fail(e->cl, ret, "no memory for %" PRIu64 " bytes of copies: %s; "
				"lower --posts or --size", len, strerror(-ret));
	*base = rte_comch_mem_addr(*mem);
	memset(*base, 0, len);
	ret = rte_comch_dpa_window_create(e->dpa, *mem, flags, window);
	return ret == 0 ? 0 : end_fail(e, ret, "no window");
}

/* What the program of this unit is told. */
static int
unit_ctl(struct msgq_end *e, struct msgq_unit *u)
{
	const struct msgq_spec *spec = &e->spec;
	struct rte_comch_dpa_queue_info queue;
	struct rte_comch_ctx_info info;
	struct msgq_ctl ctl = {
		.mode = spec->mode,
		.flags = (spec->validate ? MSGQ_CTL_F_VALIDATE : 0) |
				(spec->event ? MSGQ_CTL_F_EVENT : 0),
		.size = spec->size,
		.burst = spec->burst,
		.credits = spec->posts,
		.src_addr = (uintptr_t)u->src,
		.dst_addr = (uintptr_t)u->dst,
		.copy_len = spec->size,
		.stride = spec->stride,
		.slots = spec->posts,
	};
	int ret = 0;

	if (u->dpa_consumer != NULL) {
		ret = rte_comch_dpa_queue_info_get(u->dpa_consumer, &queue);
		ctl.consumer = queue.handle;
		if (ret == 0)
			ret = rte_comch_dpa_completion_handle_get(u->completion, &ctl.completion);
	}
	if (ret == 0 && u->dpa_producer != NULL) {
		ret = rte_comch_dpa_queue_info_get(u->dpa_producer, &queue);
		ctl.producer = queue.handle;
		if (ret == 0)
			ret = rte_comch_ctx_info_get(u->consumer, &info);
		if (ret == 0)
			ctl.consumer_id = info.queue_id;
	}
	if (ret == 0 && u->src_window != NULL)
		ret = rte_comch_dpa_window_handle_get(u->src_window, &ctl.src_window);
	if (ret == 0 && u->dst_window != NULL)
		ret = rte_comch_dpa_window_handle_get(u->dst_window, &ctl.dst_window);
	if (ret == 0)
		ret = rte_comch_dpa_mem_write(e->dpa, u->ctl, &ctl, sizeof(ctl));
	return ret == 0 ? 0 : end_fail(e, ret, "the program cannot be told what to do");
}

static int
unit_open(struct msgq_end *e, struct msgq_unit *u)
{
	const struct msgq_spec *spec = &e->spec;
	struct rte_comch_dpa_thread_conf thread = { .func = MSGQ_THREAD, .eu = u->eu };
	uint32_t i;
	int ret;

	ret = unit_memory(e, u);
	if (ret != 0)
		return ret;
	ret = rte_comch_dpa_mem_alloc(e->dpa, sizeof(struct msgq_ctl), &u->ctl);
	if (ret != 0)
		return end_fail(e, ret, "no memory of the program");
	thread.arg = u->ctl;
	ret = rte_comch_dpa_thread_create(e->dpa, &thread, &u->thread);
	if (ret != 0)
		return end_fail(e, ret, "no thread \"" MSGQ_THREAD "\" of the program");
	if (msgq_goes_to(spec))
		ret = unit_to(e, u);
	if (ret == 0 && msgq_comes_from(spec))
		ret = unit_from(e, u);
	if (ret == 0 && spec->mode == MSGQ_MODE_COPY) {
		ret = unit_region(e, RTE_COMCH_DPA_WINDOW_F_READ, &u->src_mem, &u->src,
				&u->src_window);
		if (ret == 0)
			ret = unit_region(e, RTE_COMCH_DPA_WINDOW_F_WRITE, &u->dst_mem, &u->dst,
					&u->dst_window);
		for (i = 0; ret == 0 && i < spec->posts; i++)
			msgq_slot_fill(e, u, i);
	}
	return ret == 0 ? unit_ctl(e, u) : ret;
}

static void
ctx_end(struct msgq_end *e, struct rte_comch_ctx *ctx)
{
	const uint64_t end = rte_rdtsc() + (uint64_t)(STOP_PATIENCE * (double)rte_get_tsc_hz());
	struct rte_comch_cpl cpls[32];
	int ret;

	if (ctx == NULL)
		return;
	rte_comch_ctx_stop(ctx);
	while (rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_STOPPING && rte_rdtsc() < end) {
		rte_comch_queue_poll_burst(ctx, cpls, RTE_DIM(cpls));
		rte_comch_pe_progress(e->pe);
	}
	ret = rte_comch_ctx_destroy(ctx);
	if (ret != 0)
		app_left("a queue of a message queue", ret);
}

static void
unit_close(struct msgq_end *e, struct msgq_unit *u)
{
	struct rte_comch_msgq *msgqs[] = { u->msgq_to, u->msgq_from };
	unsigned int i;

	queue_view_remove(&u->producer_view);
	queue_view_remove(&u->consumer_view);
	ctx_end(e, u->producer);
	ctx_end(e, u->consumer);
	rte_comch_dpa_queue_destroy(u->dpa_consumer);
	rte_comch_dpa_queue_destroy(u->dpa_producer);
	for (i = 0; i < RTE_DIM(msgqs); i++)
		rte_comch_msgq_destroy(msgqs[i]);
	rte_comch_dpa_completion_destroy(u->completion);
	/* The second try is for a thread that had to be ended with its program. */
	if (rte_comch_dpa_thread_destroy(u->thread) == -ETIMEDOUT)
		rte_comch_dpa_thread_destroy(u->thread);
	rte_comch_dpa_window_destroy(u->src_window);
	rte_comch_dpa_window_destroy(u->dst_window);
	rte_comch_mem_free(u->src_mem);
	rte_comch_mem_free(u->dst_mem);
	if (u->ctl != 0)
		rte_comch_dpa_mem_free(e->dpa, u->ctl);
	free(u->sends);
	free(u->posts);
	free(u->cpls);
	free(u->imm);
}

/* ---- all of it ---- */

int
msgq_open(struct client *cl, const struct msgq_spec *spec, struct msgq_end *e)
{
	uint32_t i;
	int ret;

	memset(e, 0, sizeof(*e));
	e->cl = cl;
	e->spec = *spec;
	e->units = aligned_alloc(RTE_CACHE_LINE_SIZE, spec->eus * RTE_ALIGN_CEIL(
			sizeof(*e->units), RTE_CACHE_LINE_SIZE));
	if (e->units == NULL)
		return client_fail(cl, -ENOMEM, "no memory for execution units");
	memset(e->units, 0, spec->eus * sizeof(*e->units));
	ret = dpa_open(e);
	for (i = 0; i < spec->eus && ret == 0; i++) {
		e->units[i].eu = i;
		ret = unit_open(e, &e->units[i]);
	}
	return ret;
}

void
msgq_close(struct msgq_end *e)
{
	uint32_t i;

	for (i = 0; e->started && i < e->spec.eus; i++)
		unit_close(e, &e->units[i]);
	rte_comch_pe_destroy(e->pe);
	if (e->started && rte_comch_dpa_stop(e->dpa) != 0)
		fprintf(stderr, "the offload processor does not stop\n");
	rte_comch_dpa_destroy(e->dpa);
	free(e->units);
}
