/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Regions: memory of ours that the producers of a peer may write to, and that of
 * a peer. What a peer gets is a memfd of its own, so that exporting it exports nothing
 * else: the region, or the bounce buffer of one. It is mapped once for each link, by whoever
 * wants to write to it. How messages come out of a bounce buffer is in shm_bounce.c.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "shm_fast.h"

#ifndef MFD_HUGETLB
#define MFD_HUGETLB 0x0004U
#endif

/* It stays as long as it is; its peer must be able to write, so that is all. */
#define REGION_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)

/*
 * Ours
 */

/* Is there so much memory? To find out by taking it would be too late. */
static bool
memory_available(uint64_t size)
{
	char line[128];
	uint64_t kb = 0;
	FILE *f;

	f = fopen("/proc/meminfo", "re");
	if (f == NULL)
		return true;
	while (kb == 0 && fgets(line, sizeof(line), f) != NULL)
		if (strncmp(line, "MemAvailable:", strlen("MemAvailable:")) == 0)
			kb = strtoull(line + strlen("MemAvailable:"), NULL, 10);
	fclose(f);
	return kb == 0 || size / 1024 < kb;
}

/* Memory of whole pages, there in full. */
int
shm_pages_map(struct shm_pages *pages, uint64_t len, bool huge)
{
	struct stat st;
	void *map;
	int ret;

	pages->fd = memfd_create("comch_region", MFD_CLOEXEC | MFD_ALLOW_SEALING |
			(huge ? MFD_HUGETLB : 0));
	if (pages->fd < 0)
		return errno == EMFILE || errno == ENFILE ? -EMFILE : -ENOMEM;
	/* the block size of a memfd is the size of its pages */
	if (fstat(pages->fd, &st) != 0)
		goto fail;
	pages->size = RTE_ALIGN_CEIL(len, (uint64_t)st.st_blksize);
	errno = ENOMEM;
	if (!huge && !memory_available(pages->size))
		goto fail;
	if (ftruncate(pages->fd, pages->size) != 0 ||
			fallocate(pages->fd, 0, 0, pages->size) != 0)
		goto fail;
	map = mmap(NULL, pages->size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			pages->fd, 0);
	if (map == MAP_FAILED)
		goto fail;
	if (fcntl(pages->fd, F_ADD_SEALS, REGION_SEALS) != 0) {
		munmap(map, pages->size);
		goto fail;
	}
	pages->map = map;
	pages->page_size = st.st_blksize;
	return 0;
fail:
	ret = errno == EMFILE || errno == ENFILE ? -EMFILE : -ENOMEM;
	close(pages->fd);
	pages->fd = -1;
	return ret;
}

void
shm_pages_unmap(struct shm_pages *pages)
{
	if (pages->map != NULL)
		munmap(pages->map, pages->size);
	if (pages->fd >= 0)
		close(pages->fd);
	pages->map = NULL;
	pages->fd = -1;
}

/* Descriptors of regions that this process keeps; atomic. */
static uint32_t nb_region_fds;

/*
 * Keep the descriptor of a region, or have no peer get it. A quarter of what the
 * process may have is for regions: without a bound, each would take one for its life.
 */
static bool
region_fd_keep(bool must)
{
	struct rlimit limit = { .rlim_cur = 0 };

	getrlimit(RLIMIT_NOFILE, &limit);
	/* relaxed: a number that is compared with a limit */
	if (__atomic_add_fetch(&nb_region_fds, 1, __ATOMIC_RELAXED) <= limit.rlim_cur / 4 || must)
		return true;
	__atomic_sub_fetch(&nb_region_fds, 1, __ATOMIC_RELAXED);
	return false;
}

/* The memory stays where it is mapped. */
static void
region_fd_close(struct shm_region *region)
{
	close(region->own.fd);
	region->own.fd = -1;
}

static struct shm_region *
region_new(void)
{
	struct shm_region *region = calloc(1, sizeof(*region));

	if (region == NULL)
		return NULL;
	region->own.fd = region->bounce.fd = -1;
	region->id = SHM_WIRE_NO_REGION;
	pthread_mutex_init(&region->lock, NULL); /* check-ok: waiters must sleep */
	return region;
}

static void
region_free(struct shm_region *region)
{
	if (region->own.fd >= 0)
		__atomic_sub_fetch(&nb_region_fds, 1, __ATOMIC_RELAXED);
	shm_pages_unmap(&region->own);
	shm_pages_unmap(&region->bounce);
	pthread_mutex_destroy(&region->lock); /* check-ok: waiters must sleep */
	free(region->bounce_offs);
	free(region);
}

/* How peers write to memory of ours, and programs reach it, if at all: needs its place. */
static int
region_share(struct rte_comch_mem *mem, struct shm_region *region)
{
	bool must = (mem->flags & (RTE_COMCH_MEM_F_NO_BOUNCE | RTE_COMCH_MEM_F_DPA)) != 0;

	if ((mem->flags & (RTE_COMCH_MEM_F_PEER_WRITE | RTE_COMCH_MEM_F_DPA)) == 0) {
		region_fd_close(region);
		return 0;
	}
	if (region_fd_keep(must))
		return 0;
	region_fd_close(region);
	mem->how = RTE_COMCH_MEM_HOW_BOUNCE;
	return shm_bounce_plan(mem, region);
}

int
shm_mem_alloc(struct rte_comch_mem *mem)
{
	bool only = (mem->flags & RTE_COMCH_MEM_F_HUGE_ONLY) != 0;
	struct shm_dev *dev = mem->dev->priv;
	struct shm_region *region = region_new();
	int ret = -ENOMEM;

	if (region == NULL)
		return -ENOMEM;
	if (dev->huge || only)
		ret = shm_pages_map(&region->own, mem->len, true);
	if (ret != 0 && !only)
		ret = shm_pages_map(&region->own, mem->len, false);
	if (ret != 0) {
		region_free(region);
		return ret;
	}
	mem->addr = region->own.map;
	mem->page_size = region->own.page_size;
	ret = region_share(mem, region);
	if (ret != 0) {
		region_free(region);
		return ret;
	}
	mem->priv = region;
	return 0;
}

/* Only consumers need more of memory of the application than its place. */
int
shm_mem_register(struct rte_comch_mem *mem)
{
	struct shm_region *region;
	int ret;

	if ((mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0)
		return 0;
	region = region_new();
	if (region == NULL)
		return -ENOMEM;
	ret = shm_bounce_plan(mem, region);
	if (ret != 0) {
		region_free(region);
		return ret;
	}
	mem->how = RTE_COMCH_MEM_HOW_BOUNCE;
	mem->priv = region;
	return 0;
}

/* Where the peers of its consumers write. */
const struct shm_pages *
shm_region_pages(const struct shm_region *region)
{
	return region->bounce_len != 0 ? &region->bounce : &region->own;
}

/* An identifier for peers; the lock is held. */
static int
region_id_take_locked(struct shm_dev *dev, struct shm_region *region)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_REGIONS; i++) {
		if (dev->regions[i] != NULL)
			continue;
		dev->regions[i] = region;
		region->id = i;
		return 0;
	}
	SHM_LOG(ERR, "%s: %u regions have consumers, no more can; use one for several consumers",
		dev->dev->data->name, SHM_WIRE_MAX_REGIONS);
	return -ENOMEM;
}

/* Peers forget it: no consumer of ours uses it any more. */
static void
region_withdraw_locked(struct shm_dev *dev, struct shm_region *region)
{
	union shm_wire_msg msg = { 0 };
	struct shm_link *link, *next;

	if (region->id == SHM_WIRE_NO_REGION)
		return;
	dev->regions[region->id] = NULL;
	for (link = TAILQ_FIRST(&dev->links); link != NULL; link = next) {
		next = TAILQ_NEXT(link, next);
		if (link->state != SHM_LINK_UP || !link->region_sent[region->id])
			continue;
		link->region_sent[region->id] = false;
		msg.region_gone.region = region->id;
		shm_link_send(link, &msg, SHM_WIRE_REGION_GONE, sizeof(msg.region_gone), 0, -1);
	}
	region->id = SHM_WIRE_NO_REGION;
}

static void
region_withdraw(struct shm_dev *dev, struct shm_region *region)
{
	shm_dev_lock(dev);
	region_withdraw_locked(dev, region);
	shm_dev_unlock(dev);
}

/* What the first consumer needs of it. */
static int
region_begin(struct shm_dev *dev, struct shm_region *region)
{
	int ret = 0;

	if (region->bounce_len != 0) {
		ret = dev->huge ? shm_pages_map(&region->bounce, region->bounce_len, true) :
			-ENOMEM;
		if (ret != 0)
			ret = shm_pages_map(&region->bounce, region->bounce_len, false);
		if (ret != 0)
			return ret;
	}
	shm_dev_lock(dev);
	if (region->id == SHM_WIRE_NO_REGION)
		ret = region_id_take_locked(dev, region);
	shm_dev_unlock(dev);
	if (ret != 0)
		shm_pages_unmap(&region->bounce);
	return ret;
}

/* A consumer is about to start with it, in any thread. */
int
shm_region_use(struct rte_comch_mem *mem)
{
	struct shm_region *region = mem->priv;
	int ret = 0;

	pthread_mutex_lock(&region->lock); /* check-ok: waiters must sleep */
	if (region->users == 0)
		ret = region_begin(mem->dev->priv, region);
	if (ret == 0)
		region->users++;
	pthread_mutex_unlock(&region->lock); /* check-ok: waiters must sleep */
	return ret;
}

/* It has stopped. Peers keep what is no bounce buffer: the next consumer may be about to come. */
void
shm_region_unuse(struct rte_comch_mem *mem)
{
	struct shm_region *region = mem->priv;

	pthread_mutex_lock(&region->lock); /* check-ok: waiters must sleep */
	if (--region->users == 0 && region->bounce_len != 0) {
		region_withdraw(mem->dev->priv, region);
		shm_pages_unmap(&region->bounce);
	}
	pthread_mutex_unlock(&region->lock); /* check-ok: waiters must sleep */
}

int
shm_mem_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct shm_region *region = mem->priv;

	if (region == NULL)
		return 0;
	region_withdraw(mem->dev->priv, region);
	region_free(region);
	return 0;
}

/*
 * Who may write to a region may take pages out of it. The next access makes them anew, or
 * ends this process by SIGBUS if the kernel has promised all memory to others: so no region
 * is shared with another user then.
 */
static bool
pages_stay(const struct shm_link *link)
{
	if (!link->dev->strict || !link->brokered)
		return true;
	SHM_PEER_LOG(link->dev, link->func, ERR, "%s: no region is shared with process %u of user %u, which could end this process by it, as vm.overcommit_memory is 2: run both sides as one user, or set it to 0 or 1 and add the device again",
		link->dev->dev->data->name, link->pid, link->uid);
	return false;
}

/* Before the first consumer of a link that has it. */
int
shm_region_send_locked(struct shm_link *link, const struct shm_region *region)
{
	const struct shm_pages *pages = shm_region_pages(region);
	union shm_wire_msg msg = { 0 };
	int fd;

	if (link->region_sent[region->id])
		return 0;
	if (!pages_stay(link))
		return -EACCES;
	fd = fcntl(pages->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		return -EMFILE;
	link->region_sent[region->id] = true;
	msg.region.region = region->id;
	msg.region.size = pages->size;
	shm_link_send(link, &msg, SHM_WIRE_REGION, sizeof(msg.region), 0, fd);
	return 0;
}

/*
 * The peer's
 */

/*
 * -EACCES if the descriptor is not what its sender says, or not trusted; -ENOMEM if this process
 * can map no more. The descriptor stays the caller's.
 */
static int
peer_map(const struct shm_peer_region *region, void **map)
{
	const struct shm_dev *dev = region->link->dev;
	enum shm_peer_pages pages = shm_peer_fd_check(region->fd, region->size, 0);
	int ret;

	if (pages == SHM_PEER_BAD || !pages_stay(region->link))
		return -EACCES;
	if (pages == SHM_PEER_HUGE && !dev->huge) {
		SHM_PEER_LOG(dev, region->link->func, ERR, "%s: the peer's regions have huge pages; give this device huge=1 to trust it with those, or its own huge=0",
			dev->dev->data->name);
		return -EACCES;
	}
	ret = shm_peer_fd_map(region->fd, region->size, PROT_READ | PROT_WRITE, 0, map);
	return ret == -EPROTO ? -EACCES : ret;
}

static void
region_fd_drop(struct shm_peer_region *region)
{
	if (region->fd < 0)
		return;
	shm_fd_drop(region->dev, region->ledger, region->fd);
	region->fd = -1;
	shm_ledger_give(region->ledger, SHM_LIMIT_FDS, 1);
}

/*
 * Keep what the peer offers until a consumer needs it: to map it takes time, and
 * here the lock is held. Owns the descriptor if it returns 0; -EPROTO if the peer
 * may not say this now.
 */
int
shm_peer_region_add(struct shm_link *link, const struct shm_wire_region *msg, int fd)
{
	struct shm_peer_region *region;

	if (msg->region >= SHM_WIRE_MAX_REGIONS || link->peer_regions[msg->region] != NULL ||
			msg->size == 0 || (msg->size & 4095) != 0)
		return -EPROTO;
	if (shm_link_take(link, SHM_LIMIT_FDS, 1) != 0)
		return -EUSERS;
	region = calloc(1, sizeof(*region));
	if (region == NULL) {
		shm_link_give(link, SHM_LIMIT_FDS, 1);
		return -ENOMEM;
	}
	region->link = link;
	region->dev = link->dev;
	region->ledger = link->ledger;
	region->refs = 1;
	region->size = msg->size;
	region->fd = fd;
	/* no memory: a socket that is kept could be the peer's own, which would never end */
	if (fcntl(fd, F_GET_SEALS) < 0)
		region_fd_drop(region);
	link->peer_regions[msg->region] = region;
	return 0;
}

/* Nobody knows it any more, and its link may be gone. Without the lock. */
static void
peer_region_free(struct shm_trash *trash)
{
	struct shm_peer_region *region = container_of(trash, struct shm_peer_region, trash);

	region_fd_drop(region);
	if (region->map != NULL) {
		munmap(region->map, region->size);
		shm_ledger_give_mem(region->ledger, 1, region->size);
	}
	free(region);
}

void
shm_peer_region_put_locked(struct shm_peer_region *region)
{
	if (--region->refs == 0)
		shm_trash_put(region->dev, &region->trash, peer_region_free);
}

int
shm_peer_region_del(struct shm_link *link, uint32_t id)
{
	if (id >= SHM_WIRE_MAX_REGIONS || link->peer_regions[id] == NULL)
		return -EPROTO;
	shm_peer_region_put_locked(link->peer_regions[id]);
	link->peer_regions[id] = NULL;
	return 0;
}

void
shm_peer_regions_free(struct shm_link *link)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_REGIONS; i++)
		if (link->peer_regions[i] != NULL)
			shm_peer_region_del(link, i);
}

/* Its bytes are taken once, however many map it at one time. */
static int
region_map_begin_locked(struct shm_peer_region *region)
{
	int ret = 0;

	if (region->fd < 0 || region->bad)
		return -EACCES; /* it was not what the peer said */
	/* its pages count for this process where the peer has taken them out and we write */
	if (region->nb_maps == 0)
		ret = shm_link_take_mem(region->link, 1, region->size);
	if (ret == 0)
		region->nb_maps++;
	return ret;
}

/* The last one gives back what is not needed: the bytes are taken as long as it is mapped. */
static void
region_map_end_locked(struct shm_peer_region *region)
{
	if (--region->nb_maps != 0)
		return;
	if (region->map == NULL)
		shm_ledger_give_mem(region->ledger, 1, region->size);
	if (region->map != NULL || region->bad)
		region_fd_drop(region);
}

/*
 * Map a region that the caller has a reference to, without the lock: in the thread of a
 * connection, or the device's. Others may do so at one time: one of them is believed.
 */
int
shm_peer_region_map(struct shm_dev *dev, struct shm_peer_region *region)
{
	void *map = NULL, *drop = NULL;
	bool mapped;
	int ret = 0;

	shm_dev_lock(dev);
	mapped = region->map != NULL;
	if (!mapped)
		ret = region_map_begin_locked(region);
	shm_dev_unlock(dev);
	if (ret != 0 || mapped)
		return ret;
	ret = peer_map(region, &map);
	if (ret == 0 && region->size <= SHM_POPULATE_MAX)
		shm_populate(map, region->size);
	shm_dev_lock(dev);
	if (ret == -EACCES) {
		region->bad = true; /* not again for each consumer: to find out takes time */
	} else if (region->map != NULL) {
		drop = map;
		ret = 0; /* another one has it */
	} else {
		region->map = map;
	}
	region_map_end_locked(region);
	shm_dev_unlock(dev);
	if (drop != NULL)
		munmap(drop, region->size);
	return ret;
}
