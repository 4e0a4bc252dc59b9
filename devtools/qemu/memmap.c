/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Which memory of the guest a function reaches, and at which bus addresses: told
 * to its server with descriptors of the memory, so that DMA needs no messages.
 * Without an IOMMU that is all memory, once; behind one it is what the guest maps,
 * as the IOMMU tells it (for intel-iommu: caching-mode=on).
 *
 * The server is told page by page what the guest maps page by page: to join
 * neighbours would mean to take away, for a moment, what is in use.
 */

#include "qemu/osdep.h"

#include "exec/address-spaces.h"
#include "exec/memory.h"
#include "qapi/error.h"
#include "qemu/error-report.h"

#include "memmap.h"

/* See shim.c. */
#pragma weak address_space_memory
#pragma weak rcu_gp_ctr
#pragma weak rcu_gp_event

/* What the server has been told of one range of bus addresses. */
struct range {
	uint64_t first;
	uint64_t last; /* inclusive: a range may end with the address space */
	uint64_t offset;
	int fd; /* of guest RAM, QEMU's */
	uint32_t flags;
};

/* A part of the address space that an IOMMU translates. */
struct translated {
	struct memmap *m;
	IOMMUMemoryRegion *mr;
	IOMMUNotifier notifier;
	hwaddr shift; /* from addresses of the region to bus addresses */
	QLIST_ENTRY(translated) next;
};

static void
memmap_refused(struct memmap *m, const char *what, uint64_t where, int ret)
{
	if (m->refusal_reported || ret == -ECONNRESET)
		return;
	m->refusal_reported = true;
	warn_report("%s: the server refuses to %s at 0x%" PRIx64 ": %s. See its log; "
		    "further refusals are not reported",
			m->name, what, where, strerror(-ret));
}

/* Ranges that share an address are equal, which finds any of them. */
static int
range_compare(const void *left, const void *right, void *unused)
{
	const struct range *a = left;
	const struct range *b = right;

	(void)unused;
	if (a->last < b->first)
		return -1;
	return a->first > b->last;
}

/* A pointer to g_free() itself would be a reference to data. */
static void
range_free(void *map)
{
	g_free(map);
}

static void
range_add(struct memmap *m, const struct range *want)
{
	struct vfio_user_dma_map msg = {
		.argsz = sizeof(msg),
		.flags = want->flags,
		.offset = want->offset,
		.addr = want->first,
		.size = want->last - want->first + 1,
	};
	struct iovec iov = LINK_PIECE(&msg, sizeof(msg));
	struct range *r;
	int ret;

	ret = link_request(m->link, VFIO_USER_CMD_DMA_MAP, &iov, 1, &want->fd, 1, NULL, 0, 0);
	if (ret < 0) {
		memmap_refused(m, "map memory (limit of mappings, or of open files?)", want->first,
				ret);
		return;
	}
	r = g_new(struct range, 1);
	*r = *want;
	g_tree_insert(m->ranges, r, r);
}

/*
 * The server removes only what was mapped, as it was mapped: what sticks out of
 * the range is mapped again.
 */
static void
range_unmap(struct memmap *m, uint64_t first, uint64_t last)
{
	struct range probe = { .first = first, .last = last };
	struct vfio_user_dma_unmap msg;
	struct iovec iov = LINK_PIECE(&msg, sizeof(msg));
	struct vfio_user_dma_unmap reply;
	struct range old, part;
	struct range *r;
	int ret;

	while ((r = g_tree_lookup(m->ranges, &probe)) != NULL) {
		old = *r;
		g_tree_remove(m->ranges, r);
		memset(&msg, 0, sizeof(msg));
		msg.argsz = sizeof(msg);
		msg.addr = old.first;
		msg.size = old.last - old.first + 1;
		ret = link_request(m->link, VFIO_USER_CMD_DMA_UNMAP, &iov, 1, NULL, 0, &reply, 0,
				sizeof(reply));
		if (ret < 0)
			memmap_refused(m, "unmap memory", old.first, ret);
		if (old.first < first) {
			part = old;
			part.last = first - 1;
			range_add(m, &part);
		}
		if (old.last > last) {
			part = old;
			part.offset += last + 1 - old.first;
			part.first = last + 1;
			range_add(m, &part);
		}
	}
}

static void
range_map(struct memmap *m, const struct range *want)
{
	const struct range *r = g_tree_lookup(m->ranges, want);

	/* An IOMMU repeats itself when it is replayed. */
	if (r != NULL && memcmp(r, want, sizeof(*r)) == 0)
		return;
	range_unmap(m, want->first, want->last);
	range_add(m, want);
}

/* Memory that another process cannot have is left out: ROMs, registers. */
static bool
range_of(MemoryRegion *mr, hwaddr offset, uint64_t size, uint64_t addr, bool write,
		struct range *map)
{
	int fd;

	if (!memory_region_is_ram(mr) || memory_region_is_ram_device(mr))
		return false;
	fd = memory_region_get_fd(mr);
	if (fd < 0 || size == 0 || ((addr | offset | size) & (MEMMAP_PAGE - 1)) != 0)
		return false;
	memset(map, 0, sizeof(*map)); /* padding too: it is compared */
	map->first = addr;
	map->last = addr + size - 1;
	map->offset = offset;
	map->fd = fd;
	map->flags = VFIO_USER_DMA_READABLE | (write && !mr->readonly ? VFIO_USER_DMA_WRITABLE : 0);
	return true;
}

static void
translated_event(IOMMUNotifier *n, IOMMUTLBEntry *entry)
{
	struct translated *t = container_of(n, struct translated, notifier);
	struct memmap *m = t->m;
	uint64_t first = entry->iova + t->shift;
	uint64_t last = first + entry->addr_mask;
	hwaddr addr = entry->translated_addr;
	struct range map;
	MemoryRegion *mr;
	hwaddr offset;
	hwaddr len;

	if (m->link->fd < 0)
		return;
	if (entry->perm == IOMMU_NONE) {
		range_unmap(m, first, last);
		return;
	}
	if (entry->target_as != &address_space_memory)
		return;

	/* A large page may span memory and holes. */
	RCU_READ_LOCK_GUARD();
	for (;;) {
		len = last - first + 1;
		mr = address_space_translate(&address_space_memory, addr, &offset, &len,
				(entry->perm & IOMMU_WO) != 0, MEMTXATTRS_UNSPECIFIED);
		if (len == 0)
			break;
		if (range_of(mr, offset, len, first, (entry->perm & IOMMU_WO) != 0, &map)) {
			if (!(entry->perm & IOMMU_RO))
				map.flags &= ~VFIO_USER_DMA_READABLE;
			range_map(m, &map);
		} else {
			range_unmap(m, first, first + len - 1);
		}
		if (last - first < len)
			break;
		first += len;
		addr += len;
	}
}

static void
translated_add(struct memmap *m, MemoryRegionSection *section)
{
	struct translated *t = g_new0(struct translated, 1);
	Int128 end;
	Error *err = NULL;

	t->m = m;
	t->mr = IOMMU_MEMORY_REGION(section->mr);
	t->shift = section->offset_within_address_space - section->offset_within_region;
	end = int128_add(int128_make64(section->offset_within_region), section->size);
	iommu_notifier_init(&t->notifier, translated_event, IOMMU_NOTIFIER_IOTLB_EVENTS,
			section->offset_within_region, int128_get64(int128_sub(end, int128_one())),
			memory_region_iommu_attrs_to_index(t->mr, MEMTXATTRS_UNSPECIFIED));
	if (memory_region_register_iommu_notifier(section->mr, &t->notifier, &err) != 0) {
		g_free(t);
		error_prepend(&err,
				"%s: no DMA, because the IOMMU does not tell what it maps "
				"(-device intel-iommu needs caching-mode=on): ",
				m->name);
		if (m->started)
			error_report_err(err);
		else
			error_propagate(&m->error, err);
		return;
	}
	QLIST_INSERT_HEAD(&m->translated, t, next);
	memory_region_iommu_replay(t->mr, &t->notifier);
}

static void
memmap_region_add(MemoryListener *listener, MemoryRegionSection *section)
{
	struct memmap *m = container_of(listener, struct memmap, listener);
	struct range map;

	if (memory_region_is_iommu(section->mr)) {
		translated_add(m, section);
		return;
	}
	if (int128_gethi(section->size) == 0 &&
			range_of(section->mr, section->offset_within_region,
					int128_get64(section->size),
					section->offset_within_address_space, !section->readonly,
					&map))
		range_map(m, &map);
}

static void
memmap_region_del(MemoryListener *listener, MemoryRegionSection *section)
{
	struct memmap *m = container_of(listener, struct memmap, listener);
	uint64_t first = section->offset_within_address_space;
	struct translated *t;
	Int128 last;

	QLIST_FOREACH (t, &m->translated, next) {
		if (MEMORY_REGION(t->mr) == section->mr &&
				t->notifier.start == section->offset_within_region) {
			memory_region_unregister_iommu_notifier(section->mr, &t->notifier);
			QLIST_REMOVE(t, next);
			g_free(t);
			break;
		}
	}
	last = int128_sub(int128_add(int128_make64(first), section->size), int128_one());
	range_unmap(m, first, int128_get64(last));
}

bool
memmap_start(struct memmap *m, struct link *l, const char *name, AddressSpace *as, Error **errp)
{
	m->link = l;
	m->name = name;
	m->refusal_reported = false;
	m->error = NULL;
	m->ranges = g_tree_new_full(range_compare, NULL, NULL, range_free);
	QLIST_INIT(&m->translated);
	m->listener = (MemoryListener){
		.name = "vfio-user",
		.region_add = memmap_region_add,
		.region_del = memmap_region_del,
	};
	memory_listener_register(&m->listener, as);
	m->started = true;
	if (m->error == NULL)
		return true;
	error_propagate(errp, m->error);
	m->error = NULL;
	memmap_stop(m);
	return false;
}

void
memmap_stop(struct memmap *m)
{
	if (!m->started)
		return;
	memory_listener_unregister(&m->listener);
	m->started = false;
	g_tree_destroy(m->ranges);
	m->ranges = NULL;
}
