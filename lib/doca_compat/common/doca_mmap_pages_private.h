/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_MMAP_PAGES_PRIVATE_H
#define DOCA_MMAP_PAGES_PRIVATE_H

/*
 * Pages beneath memory of the program, see doca_mmap_pages.c. Not installed, and not
 * exported.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum doca_pages_kind {
	DOCA_PAGES_OTHER = 0, /* of a file, a stack, not writable, not there, or several kinds */
	DOCA_PAGES_PRIVATE,   /* anonymous, of this process alone, can be read and written */
	DOCA_PAGES_SHARED,    /* of one file or memfd, which others may have as well */
};

struct doca_pages {
	enum doca_pages_kind kind;
	uint64_t dev, inode; /* of shared ones: two ranges with the same are one memory */
};

/* Tell what a range is. */
void doca_pages_look(const void *addr, size_t len, struct doca_pages *pages);

/*
 * Put the pages of a region of rte_comch in the place of those of a range, with what is in
 * these. Both are of whole pages. What another thread writes to the range meanwhile is
 * lost. -ENOMEM, -EINVAL: the range is as it was.
 */
int doca_pages_replace(void *addr, size_t len, void *region);

#endif /* DOCA_MMAP_PAGES_PRIVATE_H */
