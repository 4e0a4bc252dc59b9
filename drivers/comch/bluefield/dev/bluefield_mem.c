/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory regions: where their memory is, and their keys, one for each chunk. Chunks out of
 * the device's reach have bounce buffers (bluefield_bounce.h). A key lets this function's own
 * queues reach the memory, and nobody else: none has remote access, and none is ever
 * told to a peer. Memory that no message is received into can only be read with its key.
 *
 * The end. When a key is destroyed, the device does not touch the memory any more. If
 * it cannot be, because the device has failed, it may do so until it is reset. Memory of
 * the driver waits for that. Of memory of the application the end is not told: the
 * library then counts the region as kept, and takes the device for broken if it was not.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_memory.h>

#include "bluefield_dev_priv.h"
#include "bluefield_bounce.h"

static struct bf_region *
region_new(const struct rte_comch_mem *mem)
{
	uint32_t nb = RTE_MAX(mem->nb_chunks, 1u);
	struct bf_region *region;

	region = calloc(1, sizeof(*region) + nb * sizeof(region->lkeys[0]));
	if (region == NULL)
		return NULL;
	region->mems = calloc(nb, sizeof(*region->mems));
	region->mkeys = calloc(nb, sizeof(*region->mkeys));
	if (region->mems != NULL && region->mkeys != NULL)
		return region;
	free(region->mems);
	free(region->mkeys);
	free(region);
	return NULL;
}

/* 0, or -EBUSY: the device may use memory of the application until it is reset. */
static int
region_down(struct bf_region *region)
{
	int ret = 0;

	for (; region->nb_made > 0; region->nb_made--) {
		bf_mkey_destroy(&region->mkeys[region->nb_made - 1]);
		if (bf_mem_free(region->mems[region->nb_made - 1]) != 0)
			ret = -EBUSY;
	}
	return ret;
}

static void
region_free(struct bf_region *region)
{
	free(region->bounces);
	free(region->mems);
	free(region->mkeys);
	free(region);
}

/*
 * A key for all of the next chunk, whose memory it takes over. With an alias work
 * requests find it there.
 */
static int
region_key(struct bf_dev *dev, const struct rte_comch_mem *mem, struct bf_region *region,
		struct bf_obj_mem *obj_mem, const void *addr, uint64_t len, const void *alias)
{
	const struct bf_mkey_attr attr = {
		.pd = &dev->pd, .mem = obj_mem, .addr = addr, .len = len, .alias = alias,
		.local_write = (mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) != 0,
	};
	uint32_t i = region->nb_made;
	int ret;

	ret = bf_mkey_create(dev->objs, &attr, &region->mkeys[i]);
	if (ret != 0) {
		bf_mem_free(obj_mem);
		return ret;
	}
	region->mems[i] = obj_mem;
	region->lkeys[i] = region->mkeys[i].key;
	region->nb_made++;
	return 0;
}

static void
region_publish(struct bf_dev *dev, struct rte_comch_mem *mem, struct bf_region *region)
{
	region->nb = region->nb_made;
	region->mem = mem;
	region->lkey = region->lkeys[0];
	mem->priv = region;
	bf_lock(&dev->lock);
	LIST_INSERT_HEAD(&dev->regions, region, next);
	bf_unlock(&dev->lock);
}

/* EAL has it on pages that are larger than the system's. */
static bool
mem_is_huge(const void *addr)
{
	const struct rte_memseg *seg = rte_mem_virt2memseg(addr, NULL);

	return seg != NULL && seg->hugepage_sz > (uint64_t)sysconf(_SC_PAGESIZE);
}

int
bf_region_alloc(struct rte_comch_mem *mem)
{
	const uint64_t page = sysconf(_SC_PAGESIZE);
	struct bf_dev *dev = mem->dev->priv;
	struct bf_obj_mem *obj_mem;
	struct bf_region *region;
	int ret;

	region = region_new(mem);
	if (region == NULL)
		return -ENOMEM;
	/* whole pages, as the library counts on */
	ret = bf_mem_alloc(dev->objs, RTE_ALIGN_CEIL(mem->len, page), &obj_mem);
	if (ret == 0 && (mem->flags & RTE_COMCH_MEM_F_HUGE_ONLY) != 0 &&
			!mem_is_huge(obj_mem->addr)) {
		bf_mem_free(obj_mem);
		ret = -ENOMEM;
	}
	if (ret == 0)
		ret = region_key(dev, mem, region, obj_mem, obj_mem->addr, mem->len, NULL);
	if (ret != 0) {
		region_free(region);
		return ret;
	}
	mem->addr = obj_mem->addr;
	mem->page_size = page;
	region_publish(dev, mem, region);
	return 0;
}

/* The next chunk is out of reach: memory of the driver in its place. */
static int
region_bounce(struct bf_dev *dev, struct rte_comch_mem *mem, struct bf_region *region,
		const struct rte_comch_mem_chunk *chunk)
{
	uint32_t i = region->nb_made;
	struct bf_obj_mem *obj_mem;
	uint8_t *bounce;
	int ret;

	if ((mem->flags & RTE_COMCH_MEM_F_NO_BOUNCE) != 0) {
		BF_LOG(ERR, "%s: the device cannot receive into the memory at %p itself, which is not of EAL, and RTE_COMCH_MEM_F_NO_BOUNCE refuses another way: take memory from rte_comch_mem_alloc(), rte_malloc() or a mempool",
			dev->rte_dev->data->name, chunk->addr);
		return -ENOTSUP;
	}
	if (region->bounces == NULL) {
		region->bounces = calloc(RTE_MAX(mem->nb_chunks, 1u), sizeof(*region->bounces));
		if (region->bounces == NULL)
			return -ENOMEM;
	}
	ret = bf_bounce_alloc(dev->objs, chunk->addr, chunk->len, &obj_mem, &bounce);
	if (ret == 0)
		ret = region_key(dev, mem, region, obj_mem, bounce, chunk->len, chunk->addr);
	if (ret != 0)
		return ret;
	region->bounces[i] = bounce;
	if (mem->how == RTE_COMCH_MEM_HOW_DIRECT)
		mem->how = RTE_COMCH_MEM_HOW_BOUNCE;
	return 0;
}

int
bf_region_register(struct rte_comch_mem *mem)
{
	const uint32_t flags = BF_MEM_F_TRY |
		((mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) != 0 ? BF_MEM_F_WRITE : 0);
	const struct rte_comch_mem_chunk one = { .addr = mem->addr, .len = mem->len };
	const struct rte_comch_mem_chunk *chunks = mem->nb_chunks == 0 ? &one : mem->chunks;
	uint32_t i, nb = RTE_MAX(mem->nb_chunks, 1u);
	struct bf_dev *dev = mem->dev->priv;
	struct bf_obj_mem *obj_mem;
	struct bf_region *region;
	int ret = 0;

	region = region_new(mem);
	if (region == NULL)
		return -ENOMEM;
	for (i = 0; i < nb && ret == 0; i++) {
		ret = bf_mem_register(dev->objs, chunks[i].addr, chunks[i].len, flags, &obj_mem);
		if (ret == 0)
			ret = region_key(dev, mem, region, obj_mem, chunks[i].addr,
				chunks[i].len, NULL);
		else if (ret == -EINVAL)
			ret = region_bounce(dev, mem, region, &chunks[i]);
	}
	if (ret != 0) {
		region_down(region);
		region_free(region);
		return ret;
	}
	region_publish(dev, mem, region);
	return 0;
}

int
bf_region_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct bf_region *region = mem->priv;
	struct bf_dev *dev = mem->dev->priv;
	int ret;

	bf_lock(&dev->lock);
	LIST_REMOVE(region, next);
	/* release: pairs with the acquire of those who keep what bf_mem_find() gave them */
	__atomic_fetch_add(&dev->nb_regions_freed, 1, __ATOMIC_RELEASE);
	bf_unlock(&dev->lock);
	ret = region_down(region);
	region_free(region);
	/* never told: only a reset makes an end of it */
	return ret == 0 ? 0 : -EINPROGRESS;
}

const struct rte_comch_mem *
bf_mem_find(struct bf_dev *dev, const void *addr, uint64_t len)
{
	const struct rte_comch_mem *mem = NULL;
	struct bf_region *region;

	bf_lock(&dev->lock);
	LIST_FOREACH(region, &dev->regions, next) {
		if (bf_mem_has(region->mem, addr, len)) {
			mem = region->mem;
			break;
		}
	}
	bf_unlock(&dev->lock);
	return mem;
}

void
bf_regions_down(struct bf_dev *dev)
{
	struct bf_region *region;

	/* without the lock: nobody makes or frees one now */
	LIST_FOREACH(region, &dev->regions, next)
		region_down(region);
}
