/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pages beneath memory of the program: what they are, and how those of a region of
 * rte_comch take their place. Nothing about maps and offload processors.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "doca_mmap_pages_private.h"

/* Of a line of /proc/self/maps: all before its path, and the beginning of that. */
#define LINE_SIZE 512

struct page_range {
	uint64_t begin, end, dev, inode;
	bool writable, shared;
	char name[16];
};

static bool
range_parse(const char *line, struct page_range *range)
{
	unsigned int major, minor;
	char perms[5];

	range->name[0] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64 " %15s",
			&range->begin, &range->end, perms, &major, &minor, &range->inode,
			range->name) < 6)
		return false;
	range->dev = (uint64_t)major << 32 | minor;
	range->writable = perms[0] == 'r' && perms[1] == 'w';
	range->shared = perms[3] == 's';
	return true;
}

/* What the kernel has named is its own, but for the heap and for names by prctl(). */
static enum doca_pages_kind
range_kind(const struct page_range *range)
{
	if (!range->writable)
		return DOCA_PAGES_OTHER;
	if (range->shared)
		return DOCA_PAGES_SHARED;
	if (range->inode != 0 || (range->name[0] == '[' && strcmp(range->name, "[heap]") != 0 &&
			strncmp(range->name, "[anon", strlen("[anon")) != 0))
		return DOCA_PAGES_OTHER;
	return DOCA_PAGES_PRIVATE;
}

/*
 * The next line, false: there is none. The rest of a long path is left out: who named the
 * file has chosen it, and it may look like another line.
 */
static bool
line_read(FILE *maps, char *line)
{
	int c = '\0';

	if (fgets(line, LINE_SIZE, maps) == NULL)
		return false;
	if (strchr(line, '\n') == NULL)
		while (c != '\n' && c != EOF)
			c = getc(maps);
	return true;
}

void
doca_pages_look(const void *addr, size_t len, struct doca_pages *pages)
{
	uint64_t next = (uintptr_t)addr, end = next + len;
	FILE *maps = fopen("/proc/self/maps", "re");
	struct page_range range;
	char line[LINE_SIZE];
	bool first = true;

	memset(pages, 0, sizeof(*pages));
	if (maps == NULL)
		return;
	while (next < end && line_read(maps, line)) {
		if (!range_parse(line, &range) || range.end <= next)
			continue;
		if (range.begin > next || (!first && (range_kind(&range) != pages->kind ||
				range.dev != pages->dev || range.inode != pages->inode)))
			break;
		pages->kind = range_kind(&range);
		pages->dev = range.dev;
		pages->inode = range.inode;
		first = false;
		next = range.end;
	}
	fclose(maps);
	if (next < end)
		pages->kind = DOCA_PAGES_OTHER;
}

int
doca_pages_replace(void *addr, size_t len, void *region)
{
	void *twin;
	int ret;

	/* with an old length of 0 the pages get a second place; only shared ones can */
	twin = mremap(region, 0, len, MREMAP_MAYMOVE);
	if (twin == MAP_FAILED)
		return -errno;
	/* a child of fork() would share what it expects to have a copy of */
	madvise(twin, len, MADV_DONTFORK);
	memcpy(twin, addr, len);
	if (mremap(twin, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, addr) != MAP_FAILED)
		return 0;
	ret = -errno;
	munmap(twin, len);
	return ret;
}
