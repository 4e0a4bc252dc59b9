/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory that a vfio-user server reaches: arenas of our own, and memory of EAL, whose
 * descriptors it is given. Messages are in vfu_link.c; nothing in here knows a
 * register or an interrupt.
 */

#ifndef BLUEFIELD_VFU_MEM_H
#define BLUEFIELD_VFU_MEM_H

#include "bluefield_heap.h"
#include "vfu_link.h"

/* Memory of EAL that the server has: a page of it, or all of one file. */
struct vfu_seg {
	uint8_t *addr;          /* for the device as well */
	size_t len;
	uint32_t refs;          /* pieces of registrations that lie in it */
	bool gone;              /* EAL has freed it, and those who registered it have not */
};

struct vfu_mem {
	struct vfu_link *link;
	uint32_t timeout_ms;
	struct bf_heap heap;    /* of arenas */
	bool watched;           /* EAL tells what it frees; else it frees nothing */
	struct bf_lock lock;    /* of what follows; nobody asks EAL for memory with it */
	struct vfu_seg *segs;
	uint32_t nb_segs;
	uint32_t room;
};

/* The link outlives it. 0 or a negative errno, with the reason logged. */
int vfu_mem_init(struct vfu_mem *mem, struct vfu_link *link, uint32_t timeout_ms);
void vfu_mem_fini(struct vfu_mem *mem);

/* As dma_map in struct bf_hw_ops: what is of an arena is reached anyway. */
int vfu_mem_map(struct vfu_mem *mem, const void *addr, size_t len, bool try);
/* Undo it once, for just these bytes. */
void vfu_mem_unmap(struct vfu_mem *mem, const void *addr, size_t len);
/*
 * EAL is about to free memory: the server loses it at once, registered or not. EAL has
 * its lock then, so that nothing in here may ask EAL for memory.
 */
void vfu_mem_freed(struct vfu_mem *mem, const void *addr, size_t len);
/* As dma_iova in struct bf_hw_ops. */
uint64_t vfu_mem_iova(struct vfu_mem *mem, const void *addr, size_t *len);

#endif
