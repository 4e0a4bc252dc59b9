/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * DMA memory of a function behind a vfio-user socket. The server sees memory through
 * descriptors: of files that we make (arenas), and of those that EAL keeps its memory
 * in, once a part of them was registered. The device has our addresses for all of it.
 *
 * What is mapped of EAL's: a page, each by a message of its own. Only where EAL frees
 * nothing, and has one file for all (--no-huge), it is all of that: pages are
 * small there, servers have few places, and with the descriptor they have all of the
 * file anyhow. Elsewhere pages are freed one by one, and so must be unmapped.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal_memconfig.h>
#include <rte_errno.h>
#include <rte_memory.h>

#include "bluefield_vfu_mem.h"

/* Files are sparse, and servers take as few as 16 regions: grow fast. */
#define VFU_MAX_ARENA ((size_t)256 << 20)
/* EAL's name for whoever listens to what it frees. */
#define VFU_MEM_EVENTS "comch_bluefield"

/* A part of a file that is mapped at an address. */
struct vfu_file {
	uint8_t *addr;
	size_t len;
	uint64_t off;
	int fd;
};

static int
file_map(struct vfu_mem *mem, const struct vfu_file *file)
{
	struct vfio_user_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_USER_DMA_READABLE | VFIO_USER_DMA_WRITABLE,
		.offset = file->off,
		.addr = (uintptr_t)file->addr,
		.size = file->len,
	};
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_DMA_MAP,
		.head = &map,
		.head_len = sizeof(map),
		.fd = file->fd,
		.timeout_ms = mem->timeout_ms,
	};
	int ret;

	ret = vfu_link_region_add(mem->link, map.addr, map.size);
	if (ret != 0)
		return ret;
	ret = vfu_link_call(mem->link, &call);
	if (ret != 0)
		vfu_link_region_del(mem->link, map.addr);
	return ret;
}

static void
file_unmap(struct vfu_mem *mem, void *addr, size_t len)
{
	struct vfio_user_dma_unmap unmap = {
		.argsz = sizeof(unmap), .addr = (uintptr_t)addr, .size = len,
	};
	struct vfio_user_dma_unmap reply;
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_DMA_UNMAP,
		.head = &unmap,
		.head_len = sizeof(unmap),
		.fd = -1,
		.timeout_ms = mem->timeout_ms,
		.reply = &reply,
		.reply_min = sizeof(reply),
		.reply_max = sizeof(reply),
	};
	int ret;

	/* a server that is gone has no use for it, and one that errs keeps a copy of the file */
	ret = vfu_link_call(mem->link, &call);
	if (ret != 0 && ret != -ENODEV)
		BF_LOG(WARNING, "%s: the server does not give %zu bytes of DMA memory back: %s",
			mem->link->name, len, strerror(-ret));
	vfu_link_region_del(mem->link, unmap.addr);
}

/*
 * Arenas
 */

/* Memory in a file of its own, that the server cannot cut off under us. */
static int
arena_create_file(struct bf_arena *arena)
{
	void *addr;
	int ret;

	arena->fd = memfd_create("comch_bluefield", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (arena->fd < 0)
		return -errno;
	if (ftruncate(arena->fd, arena->len) != 0 ||
			fcntl(arena->fd, F_ADD_SEALS,
				F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
		goto fail;
	addr = mmap(NULL, arena->len, PROT_READ | PROT_WRITE, MAP_SHARED, arena->fd, 0);
	if (addr == MAP_FAILED)
		goto fail;
	arena->addr = addr;
	arena->iova = (uintptr_t)addr;
	return 0;
fail:
	ret = -errno;
	close(arena->fd);
	return ret;
}

static void
arena_destroy_file(struct bf_arena *arena)
{
	munmap(arena->addr, arena->len);
	close(arena->fd);
}

static int
arena_get(void *arg, struct bf_arena *arena)
{
	struct vfu_mem *mem = arg;
	struct vfu_file file;
	int ret;

	if (vfu_link_is_gone(mem->link))
		return -EIO;
	ret = arena_create_file(arena);
	if (ret != 0 && arena->optional)
		return ret;
	if (ret != 0) {
		BF_LOG(ERR, "%s: no %zu bytes of shared memory: %s; free memory, or raise the limits of address space (ulimit -v) and open files (ulimit -n)",
			mem->link->name, arena->len, strerror(-ret));
		return ret;
	}
	file = (struct vfu_file){ .addr = arena->addr, .len = arena->len, .fd = arena->fd };
	ret = file_map(mem, &file);
	if (ret != 0) {
		if (ret != -ENODEV && !arena->optional)
			BF_LOG(ERR, "%s: the server does not take %zu bytes of DMA memory: %s; look at its log, and give the function fewer pages (max_pages=)",
				mem->link->name, arena->len, strerror(-ret));
		arena_destroy_file(arena);
	}
	return ret;
}

static void
arena_put(void *arg, struct bf_arena *arena)
{
	file_unmap(arg, arena->addr, arena->len);
	arena_destroy_file(arena);
}

/*
 * Memory of EAL
 */

static struct vfu_seg *
seg_find_locked(const struct vfu_mem *mem, const void *addr, bool gone)
{
	struct vfu_seg *seg;
	uint32_t i;

	for (i = 0; i < mem->nb_segs; i++) {
		seg = &mem->segs[i];
		/* an address below the segment is far behind it, then */
		if (seg->gone == gone && (uintptr_t)addr - (uintptr_t)seg->addr < seg->len)
			return seg;
	}
	return NULL;
}

static void
seg_del_locked(struct vfu_mem *mem, struct vfu_seg *seg)
{
	if (!seg->gone)
		file_unmap(mem, seg->addr, seg->len);
	*seg = mem->segs[--mem->nb_segs];
}

static int
seg_add_locked(struct vfu_mem *mem, const struct vfu_file *file)
{
	uint32_t room = 2 * mem->room + 16;
	struct vfu_seg *segs;
	int ret;

	if (mem->nb_segs == mem->room) {
		segs = realloc(mem->segs, room * sizeof(*segs));
		if (segs == NULL)
			return -ENOMEM;
		mem->segs = segs;
		mem->room = room;
	}
	ret = file_map(mem, file);
	if (ret == 0)
		mem->segs[mem->nb_segs++] = (struct vfu_seg){
			.addr = file->addr, .len = file->len, .refs = 1,
		};
	return ret;
}

/* The descriptor of a page, which stays EAL's, and where it begins in there. */
static int
page_file(const struct rte_memseg *page, size_t *off)
{
	int fd;

	fd = page == NULL || page->addr == NULL ? -1 : rte_memseg_get_fd_thread_unsafe(page);
	if (fd < 0 || rte_memseg_get_fd_offset_thread_unsafe(page, off) != 0)
		return -1;
	return fd;
}

/* A file that has a whole list of pages, of which one was found in it. */
static void
list_file(const struct rte_memseg_list *list, int fd, struct vfu_file *file)
{
	uint8_t *first = list->base_va, *last = first + list->len - list->page_sz;
	size_t first_off = 0, last_off = 0;

	if (page_file(rte_mem_virt2memseg(first, list), &first_off) != fd ||
			page_file(rte_mem_virt2memseg(last, list), &last_off) != fd ||
			last_off - first_off != (size_t)(last - first))
		return;
	file->addr = first;
	file->len = list->len;
	file->off = first_off;
}

/*
 * Where EAL has memory: a file of ours to close. -EINVAL: it is not EAL's; -ENOTSUP: it
 * has no descriptor.
 */
static int
eal_file_locked(const struct vfu_mem *mem, const void *addr, struct vfu_file *file)
{
	const struct rte_memseg_list *list = rte_mem_virt2memseg_list(addr);
	const struct rte_memseg *page = rte_mem_virt2memseg(addr, list);
	size_t off = 0;
	int fd;

	/* a page that is not in use has no bytes */
	if (page == NULL || (uintptr_t)addr - (uintptr_t)page->addr >= page->len)
		return -EINVAL;
	fd = page_file(page, &off);
	if (fd < 0)
		return -ENOTSUP;
	*file = (struct vfu_file){ .addr = page->addr, .len = page->len, .off = off };
	if (!mem->watched)
		list_file(list, fd, file);
	file->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	return file->fd < 0 ? -errno : 0;
}

/* Without our lock: EAL takes it after its own, when it tells what it frees. */
static int
eal_file(const struct vfu_mem *mem, const void *addr, struct vfu_file *file)
{
	int ret;

	rte_mcfg_mem_read_lock();
	ret = eal_file_locked(mem, addr, file);
	rte_mcfg_mem_read_unlock();
	return ret;
}

/* One more piece of a registration begins at addr; *run: the bytes from there on. */
static int
seg_get(struct vfu_mem *mem, const uint8_t *addr, size_t *run)
{
	struct vfu_file file = { .fd = -1 };
	struct vfu_seg *seg;
	int ret = 0;

	bf_lock(&mem->lock);
	seg = seg_find_locked(mem, addr, false);
	if (seg == NULL) {
		bf_unlock(&mem->lock);
		ret = eal_file(mem, addr, &file);
		if (ret != 0)
			return ret;
		bf_lock(&mem->lock);
		/* another thread may have been here */
		seg = seg_find_locked(mem, addr, false);
	}
	if (seg != NULL) {
		seg->refs++;
		*run = seg->addr + seg->len - addr;
	} else {
		ret = seg_add_locked(mem, &file);
		*run = file.addr + file.len - addr;
	}
	bf_unlock(&mem->lock);
	if (file.fd >= 0)
		close(file.fd);
	return ret;
}

/* The opposite. What was freed under a registration is what ends with it. */
static void
seg_put(struct vfu_mem *mem, const uint8_t *addr, size_t *run)
{
	struct vfu_seg *seg;

	*run = BF_PAGE_SIZE;
	bf_lock(&mem->lock);
	seg = seg_find_locked(mem, addr, true);
	if (seg == NULL)
		seg = seg_find_locked(mem, addr, false);
	if (seg != NULL) {
		*run = seg->addr + seg->len - addr;
		if (--seg->refs == 0)
			seg_del_locked(mem, seg);
	}
	bf_unlock(&mem->lock);
}

void
vfu_mem_freed(struct vfu_mem *mem, const void *addr, size_t len)
{
	struct vfu_seg *seg;
	uint32_t i;

	bf_lock(&mem->lock);
	for (i = 0; i < mem->nb_segs; i++) {
		seg = &mem->segs[i];
		if (seg->gone || seg->addr + seg->len <= (const uint8_t *)addr ||
				seg->addr >= (const uint8_t *)addr + len)
			continue;
		file_unmap(mem, seg->addr, seg->len);
		seg->gone = true;
		BF_LOG(ERR, "%s: EAL frees %zu bytes at %p that are registered; free the region (rte_comch_mem_free) before its memory",
			mem->link->name, seg->len, seg->addr);
	}
	bf_unlock(&mem->lock);
}

static void
eal_mem_event(enum rte_mem_event event, const void *addr, size_t len, void *arg)
{
	if (event == RTE_MEM_EVENT_FREE)
		vfu_mem_freed(arg, addr, len);
}

static int
map_failed(const struct vfu_mem *mem, const void *addr, int ret, bool try)
{
	const char *name = mem->link->name;

	if (try && (ret == -EINVAL || ret == -ENOTSUP))
		return -EINVAL;
	switch (ret) {
	case -EINVAL:
		BF_LOG(ERR, "%s: the device cannot reach %p, which is not of EAL: take memory from rte_comch_mem_alloc(), rte_malloc() or a mempool",
			name, addr);
		break;
	case -ENOTSUP:
		BF_LOG(ERR, "%s: the device cannot reach %p, for which EAL has no file (external memory, or a kernel without memfd_create): take memory from rte_comch_mem_alloc(), or from EAL with hugepages and without --in-memory and --legacy-mem",
			name, addr);
		ret = -EINVAL;
		break;
	case -EMFILE:
		BF_LOG(ERR, "%s: no descriptor to share memory of EAL: raise the limit of open files (ulimit -n)",
			name);
		break;
	case -ENODEV: /* the link has said so */
		ret = -EIO;
		break;
	default:
		BF_LOG(ERR, "%s: the server does not take the memory of EAL at %p: %s; look at its log, and use larger hugepages (default_hugepagesz=1G) if it has too many regions",
			name, addr, strerror(-ret));
		break;
	}
	return ret;
}

int
vfu_mem_map(struct vfu_mem *mem, const void *addr, size_t len, bool try)
{
	const uint8_t *p = addr;
	size_t off, run = 0;
	int ret;

	for (off = 0; off < len; off += run) {
		if (bf_heap_iova(&mem->heap, p + off, &run) != BF_NO_IOVA)
			continue;
		ret = seg_get(mem, p + off, &run);
		if (ret != 0) {
			vfu_mem_unmap(mem, addr, off);
			return map_failed(mem, p + off, ret, try);
		}
	}
	return 0;
}

void
vfu_mem_unmap(struct vfu_mem *mem, const void *addr, size_t len)
{
	const uint8_t *p = addr;
	size_t off, run = 0;

	for (off = 0; off < len; off += run)
		if (bf_heap_iova(&mem->heap, p + off, &run) == BF_NO_IOVA)
			seg_put(mem, p + off, &run);
}

uint64_t
vfu_mem_iova(struct vfu_mem *mem, const void *addr, size_t *len)
{
	uint64_t iova = bf_heap_iova(&mem->heap, addr, len);
	const struct vfu_seg *seg;

	if (iova != BF_NO_IOVA)
		return iova;
	bf_lock(&mem->lock);
	seg = seg_find_locked(mem, addr, false);
	if (seg != NULL) {
		iova = (uintptr_t)addr;
		*len = seg->addr + seg->len - (const uint8_t *)addr;
	}
	bf_unlock(&mem->lock);
	return iova;
}

int
vfu_mem_init(struct vfu_mem *mem, struct vfu_link *link, uint32_t timeout_ms)
{
	mem->link = link;
	mem->timeout_ms = timeout_ms;
	bf_lock_init(&mem->lock);
	bf_heap_init(&mem->heap, VFU_MAX_ARENA, arena_get, arena_put, mem);
	rte_errno = 0;
	mem->watched = rte_mem_event_callback_register(VFU_MEM_EVENTS, eal_mem_event, mem) == 0;
	/* without hugepages, or with --legacy-mem, EAL keeps what it has */
	if (mem->watched || rte_errno == ENOTSUP)
		return 0;
	BF_LOG(ERR, "%s: EAL does not tell what memory it frees: %s; free memory", link->name,
		rte_strerror(rte_errno));
	return -ENOMEM;
}

void
vfu_mem_fini(struct vfu_mem *mem)
{
	/* it waits for one that runs: not with our lock */
	if (mem->watched)
		rte_mem_event_callback_unregister(VFU_MEM_EVENTS, mem);
	bf_heap_fini(&mem->heap);
	while (mem->nb_segs > 0)
		seg_del_locked(mem, &mem->segs[mem->nb_segs - 1]);
	free(mem->segs);
	bf_lock_fini(&mem->lock);
}
