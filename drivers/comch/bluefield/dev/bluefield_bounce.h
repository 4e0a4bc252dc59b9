/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory of the application that the device cannot reach: behind a vfio-user socket all
 * that EAL has no descriptor for, on PCI all that VFIO does not know. Each such chunk of
 * a region has a bounce buffer, which is as much memory of the driver, byte for byte, and a key
 * that takes the application's addresses for those of the bounce buffer. So work requests name
 * the application's addresses, as always, and who sends or has received copies.
 *
 * The parts of the driver that send from regions and receive into them use this.
 */

#ifndef BLUEFIELD_BOUNCE_H
#define BLUEFIELD_BOUNCE_H

#include "bluefield_dev.h"

/* Has any chunk of it a bounce buffer? Any thread. */
static inline bool
bf_mem_has_bounce(const struct rte_comch_mem *mem)
{
	const struct bf_region *region = mem->priv;

	return region->bounces != NULL;
}

/*
 * Of a region that has a bounce buffer, for bytes that the library has found to be in one chunk;
 * a chunk without a bounce buffer needs nothing. Any thread.
 */
/* Before work requests that send them are posted. */
void bf_bounce_out(const struct rte_comch_mem *mem, const void *addr, uint64_t len);
/* After they were received, before the application is told. */
void bf_bounce_in(const struct rte_comch_mem *mem, void *addr, uint64_t len);

/*
 * Memory of the driver for a chunk; *bounce is where it begins, at the same place in a
 * page as the chunk. 0 or a negative errno, logged.
 */
int bf_bounce_alloc(struct bf_obj_dev *objs, const void *addr, uint64_t len,
	struct bf_obj_mem **mem, uint8_t **bounce);

#endif
