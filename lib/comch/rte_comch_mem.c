/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory regions: their handles, and the mbuf pools that live in them. Where the
 * memory comes from, and how a peer gets to it, is the driver's.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "comch_private.h"

/* A line of two rooms would have the peer and us as writers. */
#define COMCH_POOL_ALIGN 128
/* The smallest huge page that a pool may have whose IOVAs are physical. */
#define COMCH_POOL_MIN_HUGE (2u << 20)
#define COMCH_POOL_MAX_ROOM (UINT16_MAX + 1 - COMCH_POOL_ALIGN)
#define COMCH_MEM_CAPA (RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER)
/* Consumers can have memory of the application. */
#define COMCH_MEM_APP_CAPA (RTE_COMCH_CAPA_MEM_DIRECT | RTE_COMCH_CAPA_MEM_BOUNCE)

/* A handle with what is checked for all kinds of regions. */
static int
mem_create(int16_t dev_id, uint64_t len, uint32_t flags, struct rte_comch_mem **out,
		struct rte_comch_mem **mem)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);

	if (dev == NULL || out == NULL || len == 0) {
		COMCH_LOG(ERR, "device %d: no such device, a region of no length, or no place for it",
			dev_id);
		return -EINVAL;
	}
	if ((flags & ~RTE_COMCH_MEM_F_ALL) != 0 || (flags & (RTE_COMCH_MEM_F_NO_BOUNCE |
			RTE_COMCH_MEM_F_PEER_WRITE)) == RTE_COMCH_MEM_F_NO_BOUNCE) {
		COMCH_LOG(ERR, "%s: flags 0x%x of a region: unknown ones, or RTE_COMCH_MEM_F_NO_BOUNCE without RTE_COMCH_MEM_F_PEER_WRITE",
			dev->data->name, flags);
		return -EINVAL;
	}
	if ((dev->info.capa & COMCH_MEM_CAPA) == 0)
		return -ENOTSUP;
	if ((flags & RTE_COMCH_MEM_F_DPA) != 0 && (dev->info.capa & RTE_COMCH_CAPA_DPA) == 0) {
		COMCH_LOG(ERR, "%s: RTE_COMCH_MEM_F_DPA for a region of a device without an offload processor, leave it out",
			dev->data->name);
		return -ENOTSUP;
	}
	if (len > dev->info.max_buf_size) {
		COMCH_LOG(ERR, "%s: a region of %" PRIu64 " bytes, at most %" PRIu64,
			dev->data->name, len, dev->info.max_buf_size);
		return -EINVAL;
	}
	*mem = calloc(1, sizeof(**mem));
	if (*mem == NULL)
		return -ENOMEM;
	(*mem)->dev = dev;
	(*mem)->len = len;
	(*mem)->flags = flags;
	(*mem)->how = (flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0 ? RTE_COMCH_MEM_HOW_NONE :
		RTE_COMCH_MEM_HOW_DIRECT;
	return 0;
}

/* It is whole: the application has it. */
static int
mem_publish(struct rte_comch_mem *mem, struct rte_comch_mem **out)
{
	rte_spinlock_lock(&mem->dev->lock);
	TAILQ_INSERT_TAIL(&mem->dev->mems, mem, next);
	rte_spinlock_unlock(&mem->dev->lock);
	*out = mem;
	return 0;
}

/* A region stays as long as a consumer has it, or a window. */
void
comch_mem_hold(struct rte_comch_mem *mem)
{
	if (mem != NULL) /* relaxed: who frees it has the caller's handle */
		__atomic_fetch_add(&mem->users, 1, __ATOMIC_RELAXED);
}

void
comch_mem_drop(struct rte_comch_mem *mem)
{
	if (mem != NULL) /* release: who frees it after this sees no use of it */
		__atomic_fetch_sub(&mem->users, 1, __ATOMIC_RELEASE);
}

int
rte_comch_mem_alloc(int16_t dev_id, uint64_t len, uint32_t flags, struct rte_comch_mem **out)
{
	struct rte_comch_mem *mem;
	int ret;

	ret = mem_create(dev_id, len, flags, out, &mem);
	if (ret != 0)
		return ret;
	ret = mem->dev->ops->mem_alloc(mem);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no region of %" PRIu64 " bytes: %s%s", mem->dev->data->name,
			len, strerror(-ret), ret == -ENOMEM &&
			(flags & RTE_COMCH_MEM_F_HUGE_ONLY) != 0 ?
			"; only huge pages will do, give the system more of them" : "");
		free(mem);
		return ret;
	}
	return mem_publish(mem, out);
}

/* Chunks that are memory, and flags that such memory can have. */
static int
mem_register_check(const struct rte_comch_mem *mem, const struct rte_comch_mem_chunk *chunks,
		uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++) {
		if (chunks[i].addr != NULL &&
				chunks[i].len <= UINTPTR_MAX - (uintptr_t)chunks[i].addr)
			continue;
		COMCH_LOG(ERR, "%s: a region at no address, or over the end of all",
			mem->dev->data->name);
		return -EINVAL;
	}
	if ((mem->flags & (RTE_COMCH_MEM_F_HUGE_ONLY | RTE_COMCH_MEM_F_DPA)) != 0) {
		COMCH_LOG(ERR, "%s: flags 0x%x are not for memory of the application",
			mem->dev->data->name, mem->flags);
		return -EINVAL;
	}
	if ((mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0)
		return 0;
	if ((mem->dev->info.capa & COMCH_MEM_APP_CAPA) == 0) {
		COMCH_LOG(ERR, "%s: consumers cannot have memory of the application; take rte_comch_mem_alloc() or rte_comch_mem_pool_create()",
			mem->dev->data->name);
		return -ENOTSUP;
	}
	if ((mem->flags & RTE_COMCH_MEM_F_NO_BOUNCE) != 0 &&
			(mem->dev->info.capa & RTE_COMCH_CAPA_MEM_DIRECT) == 0) {
		COMCH_LOG(ERR, "%s: memory of the application is received into by a bounce buffer only, which RTE_COMCH_MEM_F_NO_BOUNCE refuses; take rte_comch_mem_alloc() or rte_comch_mem_pool_create()",
			mem->dev->data->name);
		return -ENOTSUP;
	}
	return 0;
}

/*
 * The application's own memory: one chunk or more, by address. An array of several
 * is the region's if this succeeds, and freed with it.
 */
static int
mem_register(int16_t dev_id, struct rte_comch_mem_chunk *chunks, uint32_t nb, uint32_t flags,
		struct rte_comch_mem **out, struct rte_comch_mem **mem)
{
	const struct rte_comch_dev_ops *ops;
	uint64_t len = 0;
	uint32_t i;
	int ret;

	for (i = 0; i < nb; i++)
		len = RTE_MAX(len, chunks[i].len);
	ret = mem_create(dev_id, len, flags, out, mem);
	if (ret != 0)
		return ret;
	ret = mem_register_check(*mem, chunks, nb);
	if (ret == 0) {
		(*mem)->addr = chunks[0].addr;
		(*mem)->len = chunks[0].len;
		if (nb > 1) {
			(*mem)->chunks = chunks;
			(*mem)->nb_chunks = nb;
		}
		ops = (*mem)->dev->ops;
		ret = ops->mem_register != NULL ? ops->mem_register(*mem) : 0;
	}
	if (ret != 0)
		free(*mem);
	return ret;
}

int
rte_comch_mem_register(int16_t dev_id, void *addr, uint64_t len, uint32_t flags,
		struct rte_comch_mem **out)
{
	struct rte_comch_mem_chunk chunk = { .addr = addr, .len = len };
	struct rte_comch_mem *mem;
	int ret;

	ret = mem_register(dev_id, &chunk, 1, flags, out, &mem);
	return ret != 0 ? ret : mem_publish(mem, out);
}

/* The chunks of a pool, while they are collected. */
struct pool_chunks {
	struct rte_comch_mem_chunk *chunks;
	uint32_t nb;
	uint32_t max;
};

static void
pool_chunk(struct rte_mempool *pool __rte_unused, void *arg, struct rte_mempool_memhdr *chunk,
		unsigned int index __rte_unused)
{
	struct pool_chunks *all = arg;

	if (all->nb == all->max || chunk->len == 0)
		return;
	all->chunks[all->nb].addr = chunk->addr;
	all->chunks[all->nb].len = chunk->len;
	all->nb++;
}

static int
chunk_cmp(const void *a, const void *b)
{
	const struct rte_comch_mem_chunk *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Those of a pool, by address; those that touch are one. */
static int
pool_chunks_get(struct rte_mempool *pool, struct pool_chunks *all)
{
	struct rte_comch_mem_chunk *last;
	uint32_t i, nb = 0;

	all->nb = 0;
	all->max = pool->nb_mem_chunks;
	if (all->max == 0)
		return -EINVAL;
	all->chunks = calloc(all->max, sizeof(*all->chunks));
	if (all->chunks == NULL)
		return -ENOMEM;
	rte_mempool_mem_iter(pool, pool_chunk, all);
	if (all->nb == 0) {
		free(all->chunks);
		return -EINVAL;
	}
	qsort(all->chunks, all->nb, sizeof(*all->chunks), chunk_cmp);
	for (i = 1; i < all->nb; i++) {
		last = &all->chunks[nb];
		if ((uintptr_t)last->addr + last->len == (uintptr_t)all->chunks[i].addr)
			last->len += all->chunks[i].len;
		else
			all->chunks[++nb] = all->chunks[i];
	}
	all->nb = nb + 1;
	return 0;
}

/* The data rooms of its mbufs are no part of its memory. It may be a pool of others. */
static bool
pool_rooms_elsewhere(struct rte_mempool *pool)
{
	const struct rte_pktmbuf_pool_private *priv = rte_mempool_get_priv(pool);

	return pool->private_data_size >= sizeof(*priv) &&
		priv->flags == RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF &&
		pool->elt_size >= sizeof(struct rte_mbuf);
}

/* Bytes of the data rooms of a region's mbufs; 0 if it is no pool, or one of others. */
uint32_t
comch_mem_data_room(const struct rte_comch_mem *mem)
{
	const struct rte_pktmbuf_pool_private *priv;

	if (mem->pool == NULL)
		return 0;
	if (mem->page_size != 0) /* the library has made it */
		return rte_pktmbuf_data_room_size(mem->pool);
	priv = rte_mempool_get_priv(mem->pool);
	return mem->pool->private_data_size >= sizeof(*priv) && mem->pool->elt_size >=
		sizeof(struct rte_mbuf) + priv->mbuf_priv_size + priv->mbuf_data_room_size ?
		priv->mbuf_data_room_size : 0;
}

int
rte_comch_mem_pool_register(int16_t dev_id, struct rte_mempool *pool, uint32_t flags,
		struct rte_comch_mem **out)
{
	struct pool_chunks all;
	struct rte_comch_mem *mem;
	int ret;

	if (pool == NULL)
		return -EINVAL;
	if ((flags & RTE_COMCH_MEM_F_PEER_WRITE) != 0 && pool_rooms_elsewhere(pool)) {
		COMCH_LOG(ERR, "device %d: the data rooms of pool '%s' are external memory, register that",
			dev_id, pool->name);
		return -EINVAL;
	}
	ret = pool_chunks_get(pool, &all);
	if (ret != 0)
		return ret;
	ret = mem_register(dev_id, all.chunks, all.nb, flags, out, &mem);
	if (ret != 0) {
		free(all.chunks);
		return ret;
	}
	if (all.nb == 1)
		free(all.chunks);
	mem->pool = pool;
	return mem_publish(mem, out);
}

/* Bytes for so many data rooms, also if none may lie across two huge pages. */
static uint64_t
pool_len(uint32_t nb, uint32_t room)
{
	if (rte_eal_iova_mode() != RTE_IOVA_PA)
		return (uint64_t)nb * room;
	return ((uint64_t)nb / (COMCH_POOL_MIN_HUGE / room) + 1) * COMCH_POOL_MIN_HUGE;
}

/* The mbufs of a region; NULL and rte_errno as rte_pktmbuf_pool_create() has it. */
static struct rte_mempool *
pool_make(struct rte_comch_mem *mem, const char *name, uint32_t nb, uint32_t cache_size,
		uint16_t data_room, uint32_t room)
{
	uint32_t i, nb_parts = comch_mem_dma_nb_parts(mem);
	struct rte_pktmbuf_extmem *parts;
	struct rte_mempool *pool;

	parts = calloc(nb_parts, sizeof(*parts));
	if (parts == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	for (i = 0; i < nb_parts; i++) {
		comch_mem_dma_part(mem, i, &parts[i]);
		parts[i].elt_size = room;
	}
	pool = rte_pktmbuf_pool_create_extbuf(name, nb, cache_size, 0, data_room, SOCKET_ID_ANY,
			parts, nb_parts);
	free(parts);
	return pool;
}

/* Of a region that others may find: NULL before the pool goes. */
static void
mem_pool_set(struct rte_comch_mem *mem, struct rte_mempool *pool)
{
	rte_spinlock_lock(&mem->dev->lock);
	mem->pool = pool;
	rte_spinlock_unlock(&mem->dev->lock);
}

int
rte_comch_mem_pool_create(int16_t dev_id, const char *name, uint32_t nb, uint32_t cache_size,
		uint16_t data_room, uint32_t flags, struct rte_comch_mem **out)
{
	struct rte_mempool *pool;
	struct rte_comch_mem *mem;
	uint32_t room;
	int ret;

	if (out == NULL || name == NULL || nb == 0 || data_room < RTE_PKTMBUF_HEADROOM ||
			data_room > COMCH_POOL_MAX_ROOM ||
			cache_size > RTE_MEMPOOL_CACHE_MAX_SIZE) {
		COMCH_LOG(ERR, "device %d: a pool without a name, mbufs or a place for it, a cache above %d, or a data room not from %d to %d",
			dev_id, RTE_MEMPOOL_CACHE_MAX_SIZE, RTE_PKTMBUF_HEADROOM,
			COMCH_POOL_MAX_ROOM);
		return -EINVAL;
	}
	room = RTE_ALIGN_CEIL((uint32_t)data_room, (uint32_t)COMCH_POOL_ALIGN);
	ret = rte_comch_mem_alloc(dev_id, pool_len(nb, room), flags, &mem);
	if (ret != 0)
		return ret;
	ret = comch_mem_dma_map(mem);
	if (ret != 0) {
		rte_comch_mem_free(mem);
		return ret;
	}
	pool = pool_make(mem, name, nb, cache_size, data_room, room);
	if (pool == NULL) {
		ret = rte_errno == EEXIST ? -EEXIST : rte_errno == EINVAL ||
			rte_errno == ENAMETOOLONG ? -EINVAL : -ENOMEM;
		COMCH_LOG(ERR, "%s: no pool '%s' of %u mbufs: %s", mem->dev->data->name, name, nb,
			rte_strerror(rte_errno));
		rte_comch_mem_free(mem);
		return ret;
	}
	mem_pool_set(mem, pool);
	*out = mem;
	return 0;
}

struct rte_comch_mem *
rte_comch_mem_pool_find(int16_t dev_id, const struct rte_mempool *pool, uint32_t flags)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_mem *mem;

	if (dev == NULL || pool == NULL)
		return NULL;
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(mem, &dev->mems, next)
		if (mem->pool == pool && (mem->flags & flags) == flags)
			break;
	rte_spinlock_unlock(&dev->lock);
	return mem;
}

/* The driver is done with a region; in any thread. */
static void
mem_freed(struct rte_comch_pmd_ending *ending)
{
	struct rte_comch_mem *mem = container_of(ending, struct rte_comch_mem, ending);

	rte_spinlock_lock(&mem->dev->lock);
	TAILQ_REMOVE(&mem->dev->freeing, mem, next);
	rte_spinlock_unlock(&mem->dev->lock);
	free(mem->chunks);
	free(mem);
}

/*
 * Regions whose end was not told in time are never freed. No engine looks at their
 * time limit, so whoever asks for the device does. Before a reset, or its removal, a
 * device that has failed is not waited for: what it owes ends by that.
 */
void
comch_mem_give_up(struct rte_comch_dev *dev, bool at_end)
{
	/* acquire: pairs with the release in rte_comch_pmd_dev_down() */
	bool failed = __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE) != 0;
	uint64_t now = at_end && failed ? UINT64_MAX : rte_get_tsc_cycles();
	struct rte_comch_mem *mem, *next;
	bool lost = false;

	rte_spinlock_lock(&dev->lock);
	for (mem = TAILQ_FIRST(&dev->freeing); mem != NULL; mem = next) {
		next = TAILQ_NEXT(mem, next);
		if (!comch_ending_give_up(&mem->ending, now))
			continue;
		TAILQ_REMOVE(&dev->freeing, mem, next);
		rte_comch_pmd_count(&dev->data->stats.retained);
		lost = true;
	}
	rte_spinlock_unlock(&dev->lock);
	if (lost && now != UINT64_MAX)
		comch_ending_lost(dev);
}

/* Have the driver free a region that the application has given back. */
static void
mem_end(struct rte_comch_mem *mem)
{
	struct rte_comch_dev *dev = mem->dev;

	comch_ending_begin(&mem->ending, dev, NULL, mem_freed);
	if (mem->page_size == 0 && dev->ops->mem_register == NULL)
		mem_freed(&mem->ending); /* the driver does not know of it */
	else if (comch_ending_settle(&mem->ending, dev->ops->mem_free(mem, &mem->ending)))
		mem_freed(&mem->ending);
}

/*
 * The driver has lost a queue, which may use any region of its device: one that it
 * has allocated stays where it is. Memory of the application is not ours to keep.
 */
static bool
mem_keep(struct rte_comch_mem *mem)
{
	struct rte_comch_dev *dev = mem->dev;
	bool keep;

	/* relaxed: the queue was IDLE before its region could be freed */
	keep = mem->page_size != 0 &&
		__atomic_load_n(&dev->nb_lost_queues, __ATOMIC_RELAXED) != 0;
	rte_spinlock_lock(&dev->lock);
	TAILQ_REMOVE(&dev->mems, mem, next);
	if (keep)
		TAILQ_INSERT_TAIL(&dev->retained, mem, next);
	else
		TAILQ_INSERT_TAIL(&dev->freeing, mem, next);
	rte_spinlock_unlock(&dev->lock);
	if (!keep)
		return false;
	rte_comch_pmd_count(&dev->data->stats.retained);
	COMCH_LOG(WARNING, "%s: %" PRIu64 " bytes of a region are kept, as a queue that its driver has lost may use them: reset the device",
		dev->data->name, mem->len);
	return true;
}

/* The device was reset, or goes: nothing of before is under way. */
void
comch_mem_retained_free(struct rte_comch_dev *dev)
{
	struct rte_comch_mem *mem;

	do {
		rte_spinlock_lock(&dev->lock);
		mem = TAILQ_FIRST(&dev->retained);
		if (mem != NULL) {
			TAILQ_REMOVE(&dev->retained, mem, next);
			TAILQ_INSERT_TAIL(&dev->freeing, mem, next);
		}
		rte_spinlock_unlock(&dev->lock);
		if (mem != NULL)
			mem_end(mem);
	} while (mem != NULL);
}

int
rte_comch_mem_free(struct rte_comch_mem *mem)
{
	struct rte_comch_dev *dev;
	struct rte_mempool *pool;
	uint32_t tasks;

	if (mem == NULL)
		return 0;
	dev = mem->dev;
	/* acquire: pairs with the release in rte_comch_ctx_destroy() */
	if (__atomic_load_n(&mem->users, __ATOMIC_ACQUIRE) != 0) {
		COMCH_LOG(ERR, "%s: a consumer or a window uses the region, destroy it first",
			dev->data->name);
		return -EBUSY;
	}
	/* acquire: pairs with the release in mem_drop() */
	tasks = __atomic_load_n(&mem->nb_tasks, __ATOMIC_ACQUIRE);
	if (tasks != 0) {
		COMCH_LOG(ERR, "%s: %u send tasks from the region are under way, wait for their callbacks",
			dev->data->name, tasks);
		return -EBUSY;
	}
	if (mem->page_size != 0 && mem->pool != NULL) {
		if (!rte_mempool_full(mem->pool)) {
			COMCH_LOG(ERR, "%s: %u mbufs of pool '%s' are not back",
				dev->data->name, rte_mempool_in_use_count(mem->pool),
				mem->pool->name);
			return -EBUSY;
		}
		pool = mem->pool;
		mem_pool_set(mem, NULL);
		rte_mempool_free(pool);
	}
	comch_mem_dma_unmap(mem);
	if (!mem_keep(mem))
		mem_end(mem);
	return 0;
}

int
rte_comch_mem_info_get(const struct rte_comch_mem *mem, struct rte_comch_mem_info *info)
{
	uint32_t i;

	if (mem == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->addr = mem->addr;
	info->len = mem->nb_chunks == 0 ? mem->len : 0;
	for (i = 0; i < mem->nb_chunks; i++)
		info->len += mem->chunks[i].len;
	info->page_size = mem->page_size;
	info->flags = mem->flags;
	info->nb_users = __atomic_load_n(&mem->users, __ATOMIC_RELAXED);
	info->dev_id = mem->dev->data->dev_id;
	info->pool = mem->pool;
	info->how = mem->how;
	return 0;
}

void *
rte_comch_mem_addr(const struct rte_comch_mem *mem)
{
	return mem == NULL ? NULL : mem->addr;
}
