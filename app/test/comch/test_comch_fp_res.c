/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What this process holds while the fast path is in use, before and after; on
 * top of test_comch_res.c.
 */

#include <inttypes.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "test_comch_fp_res.h"
#include "test_comch_place.h"

#define SETTLE_MS 50

/* Bytes of memfds that are mapped here, whether or not there are pages yet. */
static uint64_t
mapped_bytes(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t from, to, bytes = 0;
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return 0;
	while (getline(&line, &size, f) > 0)
		if (strstr(line, "memfd:") != NULL &&
				sscanf(line, "%" SCNx64 "-%" SCNx64, &from, &to) == 2)
			bytes += to - from;
	free(line);
	fclose(f);
	return bytes;
}

static void
resources_read(struct test_resources *r)
{
	struct rte_malloc_socket_stats stats;
	unsigned int i;

	memset(r, 0, sizeof(*r));
	r->fds = test_count_fds();
	r->maps = test_count_maps();
	r->mapped = mapped_bytes();
	r->memfd_kb = test_memfd_kb();
	r->private_kb = test_private_kb();
	for (i = 0; i < rte_socket_count(); i++) {
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) != 0)
			continue;
		r->heap += stats.heap_allocsz_bytes;
		r->allocs += stats.alloc_count;
	}
}

void
test_resources_get(struct test_resources *r)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct test_resources was;

	/* what is left of the last thing that happened goes away in progress */
	resources_read(r);
	do {
		was = *r;
		test_progress_ms(SETTLE_MS);
		resources_read(r);
	} while ((was.fds != r->fds || was.maps != r->maps || was.mapped != r->mapped ||
			was.allocs != r->allocs) && test_now_ns() < end);
}

int
test_resources_same(const struct test_resources *before)
{
	struct test_resources now;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	do {
		test_progress();
		resources_read(&now);
	} while ((now.fds > before->fds || now.maps > before->maps ||
			now.mapped > before->mapped || now.allocs > before->allocs) &&
			test_now_ns() < end);
	test_note("before and after: %u and %u descriptors, %u and %u mappings of %" PRIu64
			" and %" PRIu64 " KiB (in use %" PRIu64 " and %" PRIu64 "), %u and %u "
			"objects of %zu and %zu bytes, %" PRIu64 " and %" PRIu64 " KiB of its own",
			before->fds, now.fds, before->maps, now.maps, before->mapped / 1024,
			now.mapped / 1024, before->memfd_kb, now.memfd_kb, before->allocs,
			now.allocs, before->heap, now.heap, before->private_kb, now.private_kb);
	TEST_EXPECT(now.fds, before->fds);
	TEST_EXPECT(now.maps, before->maps);
	TEST_EXPECT(now.mapped, before->mapped);
	TEST_EXPECT(now.allocs, before->allocs);
	TEST_EXPECT(now.heap, before->heap);
	/*
	 * Pages that were not touched before, and what the C library keeps. Memory of a
	 * BlueField device is one large mapping, whose pages stay.
	 */
	TEST_TRUE(now.memfd_kb < before->memfd_kb + (test_place_is_bluefield() ? 4096 : 1024));
	if (!TEST_ASAN)
		TEST_TRUE(now.private_kb < before->private_kb + 1024);
	return TEST_SUCCESS;
}
