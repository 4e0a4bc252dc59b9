/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The addresses that other devices know the mbufs of our pools by: a received mbuf
 * is handed to rte_eth_tx_burst(), and the port reads it by its IOVA. EAL maps its
 * own memory for that, also where a driver has regions of it; what is ours has to be
 * registered and mapped.
 *
 * Devices of VFIO share one container, so one mapping is for all of them. EAL keeps
 * a mapping that was made while there was a device, also for those that come when
 * all have gone; but it refuses one as long as there was none. So pools that are
 * older than the first device are mapped when an Ethernet port appears.
 */

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_bus.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_vfio.h>

#include "comch_private.h"

/* What a link of /proc/self/fd says of a device that VFIO has given us. */
#define VFIO_DEVICE_FD "anon_inode:[vfio-device]"

/* The memory of one pool, as devices see it. */
struct comch_mem_dma {
	TAILQ_ENTRY(comch_mem_dma) next;
	const struct rte_comch_mem *mem;
	uint64_t len;     /* whole pages */
	bool eal;         /* it is EAL's own: registered and mapped by that */
	bool registered;  /* with EAL, by us */
	bool vfio;        /* mapped in the container of VFIO */
	uint64_t part;    /* bytes of a part that is contiguous for devices */
	uint32_t nb_parts;
	rte_iova_t iovas[]; /* of the parts; none if no device can reach it */
};

static TAILQ_HEAD(, comch_mem_dma) dmas = TAILQ_HEAD_INITIALIZER(dmas);
/* Of the list, and vfio. It sleeps: to map memory for devices takes system calls. */
static pthread_mutex_t dmas_lock = PTHREAD_MUTEX_INITIALIZER;
static bool ports_watched;

/* Has this process a device of VFIO? */
static bool
vfio_is_used(void)
{
	struct dirent *entry;
	bool found = false;
	char link[64];
	ssize_t len;
	DIR *dir;

	dir = opendir("/proc/self/fd");
	if (dir == NULL)
		return false;
	while (!found && (entry = readdir(dir)) != NULL) {
		len = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		if (len < 0)
			continue;
		link[len] = '\0';
		found = strcmp(link, VFIO_DEVICE_FD) == 0;
	}
	closedir(dir);
	return found;
}

static void
vfio_unmap_parts(const struct comch_mem_dma *dma, uint32_t nb)
{
	uint64_t va = (uintptr_t)dma->mem->addr;
	uint32_t i;

	for (i = 0; i < nb; i++, va += dma->part) {
		/*
		 * Where all devices have gone, the kernel has nothing to unmap; EAL
		 * forgets the mapping all the same if it finds this here. If it did
		 * not, the next device could not be set up.
		 */
		rte_errno = ENODEV;
		if (rte_vfio_container_dma_unmap(RTE_VFIO_DEFAULT_CONTAINER_FD, va,
				dma->iovas[i], RTE_MIN(dma->part, dma->len - i * dma->part)) != 0)
			COMCH_LOG(ERR, "%s: memory of a pool stays mapped for devices of VFIO",
				dma->mem->dev->data->name);
	}
}

/* Nothing to do if VFIO has no device, or if it is another's container. */
static int
vfio_map_locked(struct comch_mem_dma *dma)
{
	uint64_t va = (uintptr_t)dma->mem->addr;
	uint32_t i;
	int err;

	if (dma->vfio || dma->eal || dma->nb_parts == 0 || !vfio_is_used())
		return 0;
	for (i = 0; i < dma->nb_parts; i++, va += dma->part) {
		rte_errno = 0;
		if (rte_vfio_container_dma_map(RTE_VFIO_DEFAULT_CONTAINER_FD, va, dma->iovas[i],
				RTE_MIN(dma->part, dma->len - i * dma->part)) == 0)
			continue;
		err = rte_errno;
		vfio_unmap_parts(dma, i);
		if (err == ENODEV || err == ENOTSUP)
			return 0;
		COMCH_LOG(ERR, "%s: %" PRIu64 " bytes of a pool cannot be mapped for the devices of VFIO: raise the limit of locked memory (ulimit -l)",
			dma->mem->dev->data->name, dma->len);
		return -ENOMEM;
	}
	dma->vfio = true;
	return 0;
}

/* A port has come, perhaps with the first device of VFIO. */
static int
port_new(uint16_t port __rte_unused, enum rte_eth_event_type event __rte_unused,
		void *arg __rte_unused, void *ret __rte_unused)
{
	struct comch_mem_dma *dma;

	pthread_mutex_lock(&dmas_lock); /* check-ok: waiters must sleep */
	TAILQ_FOREACH(dma, &dmas, next)
		vfio_map_locked(dma);
	pthread_mutex_unlock(&dmas_lock); /* check-ok: waiters must sleep */
	return 0;
}

/*
 * Devices of other buses
 */

typedef int (*device_fn_t)(struct rte_device *dev, void *arg);

struct device_walk {
	const char *skip; /* a bus */
	device_fn_t fn;
	void *arg;
	int ret; /* not 0: a function has ended the walk */
};

static int
bus_walk(const struct rte_bus *bus, const void *data)
{
	struct device_walk *walk = *(struct device_walk *const *)data;
	struct rte_dev_iterator it;
	struct rte_device *dev;
	char filter[64];

	if (strcmp(rte_bus_name(bus), walk->skip) == 0)
		return 1;
	snprintf(filter, sizeof(filter), "bus=%s", rte_bus_name(bus));
	RTE_DEV_FOREACH(dev, filter, &it) {
		if (walk->ret == 0 && rte_dev_driver(dev) != NULL)
			walk->ret = walk->fn(dev, walk->arg);
	}
	return walk->ret == 0; /* not this one: go on */
}

/* Call a function for each device with a driver, but for those of one bus. */
static int
devices_walk(const char *skip, device_fn_t fn, void *arg)
{
	struct device_walk walk = { .skip = skip, .fn = fn, .arg = arg };
	struct device_walk *data = &walk;

	rte_bus_find(NULL, bus_walk, &data);
	return walk.ret;
}

static int
device_found(struct rte_device *dev __rte_unused, void *arg __rte_unused)
{
	return 1;
}

static int
device_map(struct rte_device *dev, void *arg)
{
	const struct comch_mem_dma *dma = arg;
	const struct rte_comch_mem *mem = dma->mem;

	rte_errno = 0;
	if (rte_dev_dma_map(dev, mem->addr, (uintptr_t)mem->addr, dma->len) == 0 ||
			rte_errno == ENOTSUP)
		return 0;
	COMCH_LOG(ERR, "%s: device %s cannot map %" PRIu64 " bytes of a pool",
		mem->dev->data->name, rte_dev_name(dev), dma->len);
	return -ENOMEM;
}

static int
device_unmap(struct rte_device *dev, void *arg)
{
	const struct comch_mem_dma *dma = arg;

	/* one that came later has nothing to unmap, and may say so */
	rte_dev_dma_unmap(dev, dma->mem->addr, (uintptr_t)dma->mem->addr, dma->len);
	return 0;
}

/*
 * IOVAs
 */

/* One part: what the process and its devices see is the same. */
static void
iova_va(struct comch_mem_dma *dma)
{
	dma->part = dma->len;
	dma->nb_parts = 1;
	dma->iovas[0] = (uintptr_t)dma->mem->addr;
}

/* A part for each page, which stays where it is. */
static int
iova_pa(struct comch_mem_dma *dma)
{
	const struct rte_comch_mem *mem = dma->mem;
	uint32_t i, nb = dma->len / mem->page_size;

	if (mlock(mem->addr, dma->len) != 0)
		return -errno;
	for (i = 0; i < nb; i++) {
		dma->iovas[i] = rte_mem_virt2iova((uint8_t *)mem->addr + i * mem->page_size);
		if (dma->iovas[i] == RTE_BAD_IOVA)
			return -ENOTSUP;
	}
	dma->part = mem->page_size;
	dma->nb_parts = nb;
	return 0;
}

/* As EAL has it: it stays where it is, and one part if that is one piece for devices. */
static int
iova_eal(struct comch_mem_dma *dma)
{
	const struct rte_comch_mem *mem = dma->mem;
	rte_iova_t first = rte_mem_virt2iova(mem->addr);
	uint64_t off;

	for (off = 0; off < dma->len; off += mem->page_size) {
		if (first != RTE_BAD_IOVA &&
				rte_mem_virt2iova((uint8_t *)mem->addr + off) == first + off)
			continue;
		COMCH_LOG(ERR, "%s: memory for a pool is not in one piece for devices: use --iova-mode=va, which needs an IOMMU",
			mem->dev->data->name);
		return -ENOTSUP;
	}
	dma->part = dma->len;
	dma->nb_parts = 1;
	dma->iovas[0] = first;
	return 0;
}

/*
 * Physical addresses are good for memory only that stays where it is: a device would
 * write to whatever is there later.
 */
static int
iova_set(struct comch_mem_dma *dma)
{
	const struct rte_comch_mem *mem = dma->mem;
	const char *why;

	if (rte_eal_iova_mode() == RTE_IOVA_VA) {
		iova_va(dma);
		return 0;
	}
	if (dma->eal)
		return iova_eal(dma);
	if (devices_walk("vdev", device_found, NULL) == 0) {
		COMCH_LOG(INFO, "%s: no device uses IOVAs, so a pool has none; use --iova-mode=va to plug one later",
			mem->dev->data->name);
		return 0;
	}
	if ((mem->flags & RTE_COMCH_MEM_F_PEER_WRITE) != 0)
		why = "a peer could take the pages away";
	else if (mem->page_size <= (uint64_t)sysconf(_SC_PAGESIZE))
		why = "its pages are not huge, and may move";
	else if (iova_pa(dma) != 0)
		why = "its pages cannot be locked, or their addresses not be read";
	else
		return 0;
	COMCH_LOG(ERR, "%s: a pool whose mbufs the devices of this process can read needs memory that stays at its physical address, but %s: use --iova-mode=va, which needs an IOMMU",
		mem->dev->data->name, why);
	return -ENOTSUP;
}

/* Have EAL know the memory: drivers ask it for addresses. It has few places for it. */
static bool
extmem_register(const struct comch_mem_dma *dma)
{
	const struct rte_comch_mem *mem = dma->mem;
	uint32_t i, nb = dma->len / mem->page_size;
	rte_iova_t *iovas;
	int ret;

	iovas = calloc(nb, sizeof(*iovas));
	if (iovas == NULL)
		return false;
	for (i = 0; i < nb; i++)
		iovas[i] = dma->nb_parts == 0 ? RTE_BAD_IOVA : dma->nb_parts == nb ?
			dma->iovas[i] : dma->iovas[0] + i * mem->page_size;
	ret = rte_extmem_register(mem->addr, dma->len, iovas, nb, mem->page_size);
	free(iovas);
	if (ret != 0)
		COMCH_LOG(INFO, "%s: EAL has no place for the memory of a pool: %s",
			mem->dev->data->name, rte_strerror(rte_errno));
	return ret == 0;
}

int
comch_mem_dma_map(struct rte_comch_mem *mem)
{
	uint64_t len = RTE_ALIGN_CEIL(mem->len, mem->page_size);
	struct comch_mem_dma *dma;
	int ret;

	dma = calloc(1, sizeof(*dma) + len / mem->page_size * sizeof(dma->iovas[0]));
	if (dma == NULL)
		return -ENOMEM;
	dma->mem = mem;
	dma->len = len;
	dma->eal = rte_mem_virt2memseg(mem->addr, NULL) != NULL;
	ret = iova_set(dma);
	if (ret != 0) {
		free(dma);
		return ret;
	}
	mem->dma = dma;
	dma->registered = !dma->eal && extmem_register(dma);
	pthread_mutex_lock(&dmas_lock); /* check-ok: waiters must sleep */
	ret = vfio_map_locked(dma);
	TAILQ_INSERT_TAIL(&dmas, dma, next);
	if (!ports_watched)
		ports_watched = rte_eth_dev_callback_register(RTE_ETH_ALL, RTE_ETH_EVENT_NEW,
				port_new, NULL) == 0;
	pthread_mutex_unlock(&dmas_lock); /* check-ok: waiters must sleep */
	/* drivers of PCI that do not use VFIO take the memory of pools by themselves */
	if (ret == 0 && dma->registered && rte_eal_iova_mode() == RTE_IOVA_VA)
		ret = devices_walk("pci", device_map, dma);
	if (ret != 0)
		comch_mem_dma_unmap(mem);
	return ret;
}

void
comch_mem_dma_unmap(struct rte_comch_mem *mem)
{
	struct comch_mem_dma *dma = mem->dma;

	if (dma == NULL)
		return;
	if (dma->registered && rte_eal_iova_mode() == RTE_IOVA_VA)
		devices_walk("pci", device_unmap, dma);
	pthread_mutex_lock(&dmas_lock); /* check-ok: waiters must sleep */
	TAILQ_REMOVE(&dmas, dma, next);
	if (dma->vfio)
		vfio_unmap_parts(dma, dma->nb_parts);
	if (TAILQ_EMPTY(&dmas) && ports_watched)
		ports_watched = rte_eth_dev_callback_unregister(RTE_ETH_ALL, RTE_ETH_EVENT_NEW,
				port_new, NULL) != 0;
	pthread_mutex_unlock(&dmas_lock); /* check-ok: waiters must sleep */
	if (dma->registered)
		rte_extmem_unregister(mem->addr, dma->len);
	free(dma);
	mem->dma = NULL;
}

uint32_t
comch_mem_dma_nb_parts(const struct rte_comch_mem *mem)
{
	return RTE_MAX(mem->dma->nb_parts, 1u);
}

void
comch_mem_dma_part(const struct rte_comch_mem *mem, uint32_t i, struct rte_pktmbuf_extmem *ext)
{
	const struct comch_mem_dma *dma = mem->dma;
	uint64_t off = i * dma->part;

	ext->buf_ptr = (uint8_t *)mem->addr + off;
	ext->buf_iova = dma->nb_parts == 0 ? RTE_BAD_IOVA : dma->iovas[i];
	ext->buf_len = dma->nb_parts <= 1 ? mem->len : RTE_MIN(dma->part, mem->len - off);
}
