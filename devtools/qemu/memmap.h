/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory of the guest as the server of a function may have it. Included after
 * QEMU's headers.
 */

#ifndef QEMU_MEMMAP_H
#define QEMU_MEMMAP_H

#include "link.h"

#define MEMMAP_PAGE 4096ull

struct translated;

struct memmap {
	struct link *link;
	const char *name; /* of the device, in messages */
	MemoryListener listener;
	bool started;
	bool refusal_reported;
	Error *error; /* of what happens before it has started */
	GTree *ranges;
	QLIST_HEAD(, translated) translated;
};

/* Tell the server all that is mapped, and from then on what changes. */
bool memmap_start(struct memmap *m, struct link *l, const char *name, AddressSpace *as,
		Error **errp);
/* Nothing if it has not started. */
void memmap_stop(struct memmap *m);

#endif
