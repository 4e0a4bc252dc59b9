/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The server's end of runs of the fast path: what clients ask for is checked here. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_string_fns.h>

#include "fp_server.h"

/* Bytes of memory that one run may take: half of what the machine has. */
static uint64_t
memory_max(void)
{
	long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

	return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / 2 : 0;
}

static bool
in_range(uint32_t value, uint32_t min, uint32_t max)
{
	return value >= min && value <= max;
}

static int
spec_check(const struct fp_spec *spec, const struct rte_comch_dev_info *info,
		char why[FP_TEXT])
{
	uint64_t queues = (uint64_t)FP_MAX_QUEUES;
	uint64_t bytes;

	if (!in_range(spec->nb_conns, 1, OPT_MAX_CONNECTIONS) ||
			!in_range(spec->burst, 1, FP_MAX_BURST) ||
			!in_range(spec->posts, 1, FP_MAX_POSTS) ||
			!in_range(spec->sources, 1, FP_MAX_POSTS) ||
			spec->consumers > queues || spec->producers > queues ||
			spec->peer_consumers > queues ||
			(spec->flags & ~PEER_RUN_FP_FLAGS) != 0 ||
			spec->stride < spec->size || (spec->size == 0 && spec->imm_len == 0)) {
		snprintf(why, FP_TEXT, "a number of the fast path is out of range");
		return -EINVAL;
	}
	if ((spec->flags & FP_F_ECHO) != 0 && (spec->nb_conns != 1 || spec->producers != 1 ||
			spec->consumers != 1)) {
		snprintf(why, FP_TEXT, "one message at a time has one producer and one consumer");
		return -EINVAL;
	}
	if (spec->size > info->max_buf_size || spec->imm_len > info->max_imm_len ||
			spec->posts > info->max_posts ||
			spec->sources > info->max_sends ||
			spec->consumers > info->max_consumers ||
			spec->producers > info->max_producers) {
		snprintf(why, FP_TEXT, "the server's device cannot do so much; see its --caps");
		return -ENOSPC;
	}
	if ((spec->flags & FP_F_MBUF) != 0 && spec->stride > FP_MAX_MBUF) {
		snprintf(why, FP_TEXT, "an mbuf takes %u bytes at most", FP_MAX_MBUF);
		return -EMSGSIZE;
	}
	bytes = (uint64_t)spec->consumers * spec->posts * spec->stride +
			(uint64_t)spec->producers * spec->sources * spec->size;
	if (bytes > memory_max() / spec->nb_conns) {
		snprintf(why, FP_TEXT, "the server has no %" PRIu64 " bytes for buffers; lower "
				"--posts or --size", bytes * spec->nb_conns);
		return -ENOMEM;
	}
	return 0;
}

int
srv_fp_create(struct srv_run *run, const struct peer_start *msg,
		const struct rte_comch_dev_info *info, struct rte_comch_pe *pe, int16_t dev_id,
		bool loopback, char why[FP_TEXT], struct srv_fp **out)
{
	struct fp_spec spec = {
		.dev_id = dev_id,
		.server = true,
		.loopback = loopback,
		.flags = rte_le_to_cpu_32(msg->flags),
		.size = rte_le_to_cpu_32(msg->size),
		.imm_len = rte_le_to_cpu_32(msg->imm_len),
		.burst = rte_le_to_cpu_32(msg->burst),
		.stride = rte_le_to_cpu_32(msg->stride),
		.posts = rte_le_to_cpu_32(msg->posts),
		.sources = rte_le_to_cpu_32(msg->sources),
		.nb_conns = rte_le_to_cpu_32(msg->nb_conns),
		.consumers = rte_le_to_cpu_32(msg->consumers),
	};
	struct srv_fp *f;
	int ret;

	if ((spec.flags & (FP_F_BIDIR | FP_F_ECHO)) != 0) {
		spec.producers = rte_le_to_cpu_32(msg->producers);
		spec.peer_consumers = spec.consumers;
	}
	ret = spec_check(&spec, info, why);
	if (ret != 0)
		return ret;
	f = calloc(1, sizeof(*f));
	if (f == NULL) {
		snprintf(why, FP_TEXT, "the server has no memory");
		return -ENOMEM;
	}
	f->run = run;
	ret = fp_create(&spec, pe, &f->fp, why);
	if (ret != 0) {
		free(f);
		return ret;
	}
	*out = f;
	return 0;
}

void
srv_fp_join(struct srv_fp *f, struct srv_conn *sc)
{
	int ret;

	if (f->error != 0)
		return;
	ret = fp_conn_add(f->fp, sc->conn, f->text);
	if (ret == 0 && f->run->nb_joined == f->run->nb_conns) {
		ret = fp_start(f->fp);
		if (ret != 0)
			strlcpy(f->text, "the server's workers cannot start", sizeof(f->text));
	}
	f->error = ret;
	srv_fp_check(f);
}

static void
tell(struct srv_fp *f)
{
	struct srv_run *run = f->run;
	struct peer_ready msg;
	struct srv_conn *sc;

	/* The session's number is in the messages of the session only. */
	peer_msg_init(&msg.hdr, PEER_READY, 0, run->id, f->error);
	msg.page_size = rte_cpu_to_le_64(fp_page_size(f->fp));
	strlcpy(msg.text, f->text, sizeof(msg.text));
	TAILQ_FOREACH(sc, &run->conns, next)
		send_copy(sc->conn, &msg, sizeof(msg));
	f->told = true;
}

void
srv_fp_check(struct srv_fp *f)
{
	const char *text;

	if (f->run == NULL)
		return;
	if (f->error == 0) {
		f->error = fp_error(f->fp, &text);
		if (f->error != 0)
			strlcpy(f->text, text, sizeof(f->text));
	}
	if (f->error == 0 && f->run->nb_joined == f->run->nb_conns && fp_ready(f->fp, true))
		fp_go(f->fp);
	if (!f->told && (f->error != 0 || (f->run->nb_joined == f->run->nb_conns &&
			fp_ready(f->fp, false))))
		tell(f);
}

void
srv_fp_free(struct srv_fp *f)
{
	fp_free(f->fp);
	free(f);
}
