/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Segments of a program of the offload processor: made, sealed, and given out in parts.
 * A segment is mapped as large as it may ever be. Its file grows with what is allocated: a
 * program that touches more gets no page, but a SIGBUS. Nothing of the process or of queues
 * lives here.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_common.h>

#include "shm_dpa.h"

/*
 * It is never shorter: no access of ours is a SIGBUS. It grows by us; a program may make no
 * call for that, and not write behind its end (RLIMIT_FSIZE).
 */
#define DPA_SEALS (F_SEAL_SHRINK | F_SEAL_SEAL)

/* Pages for a part of it, which may be behind its end; zero, as what was freed is punched out. */
static int
seg_pages(struct shm_dpa_seg *seg, uint64_t off, uint64_t size)
{
	int ret;

	if (seg->fd < 0)
		return 0;
	do {
		ret = fallocate(seg->fd, 0, off, size);
	} while (ret != 0 && errno == EINTR);
	return ret == 0 ? 0 : -ENOMEM;
}

static void
seg_close(struct shm_dpa_seg *seg)
{
	if (seg->map != NULL)
		munmap(seg->map, seg->size);
	if (seg->fd >= 0)
		close(seg->fd);
	seg->map = NULL;
	seg->fd = -1;
}

static int
seg_open(struct shm_dpa_seg *seg, int prot)
{
	void *map;

	seg->fd = memfd_create("comch_dpa", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (seg->fd < 0)
		return errno == EMFILE || errno == ENFILE ? -EMFILE : -ENOMEM;
	map = mmap(NULL, seg->size, prot, MAP_SHARED | MAP_NORESERVE, seg->fd, 0);
	if (map == MAP_FAILED)
		return -ENOMEM;
	seg->map = map;
	madvise(map, seg->size, MADV_DONTDUMP);
	if (fcntl(seg->fd, F_ADD_SEALS, DPA_SEALS) != 0)
		return -errno;
	return seg_pages(seg, 0, seg->hdr != 0 ? seg->hdr : seg->size);
}

void
shm_dpa_segs_free(struct shm_dpa_segs *segs)
{
	struct shm_dpa_extent *extent;
	struct shm_dpa_seg *seg;
	uint32_t i;

	for (i = 0; i < SHM_DPA_NB_SEGS; i++) {
		seg = &segs->seg[i];
		while ((extent = TAILQ_FIRST(&seg->used)) != NULL) {
			TAILQ_REMOVE(&seg->used, extent, next);
			free(extent);
		}
		seg_close(seg);
		pthread_mutex_destroy(&seg->lock); /* check-ok: waiters must sleep */
	}
}

int
shm_dpa_segs_create(struct shm_dpa_segs *segs, uint64_t heap_size)
{
	static const struct shm_dpa_seg start[SHM_DPA_NB_SEGS] = {
		[SHM_DPA_HOST] = { .size = SHM_DPA_HOST_SIZE, .addr = SHM_DPA_HOST_ADDR,
			.hdr = SHM_DPA_HOST_HDR },
		[SHM_DPA_PROG] = { .size = SHM_DPA_PROG_SIZE, .addr = SHM_DPA_PROG_ADDR,
			.hdr = SHM_DPA_PROG_HDR },
		[SHM_DPA_HEAP] = { .addr = SHM_DPA_HEAP_ADDR },
		[SHM_DPA_WINDOWS] = { .addr = SHM_DPA_WINDOW_ADDR,
			.size = SHM_DPA_WINDOW_END - SHM_DPA_WINDOW_ADDR },
	};
	uint32_t i;
	int ret = 0;

	for (i = 0; i < SHM_DPA_NB_SEGS; i++) {
		segs->seg[i] = start[i];
		segs->seg[i].fd = -1;
		TAILQ_INIT(&segs->seg[i].used);
		pthread_mutex_init(&segs->seg[i].lock, NULL); /* check-ok: waiters must sleep */
	}
	segs->seg[SHM_DPA_HEAP].size = RTE_ALIGN_CEIL(heap_size, (uint64_t)getpagesize());
	for (i = 0; i < SHM_DPA_WINDOWS && ret == 0; i++)
		ret = seg_open(&segs->seg[i],
			i == SHM_DPA_PROG ? PROT_READ : PROT_READ | PROT_WRITE);
	if (ret != 0)
		shm_dpa_segs_free(segs);
	return ret;
}

int
shm_dpa_fd_readonly(int fd)
{
	char path[64];
	int ret;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ret = open(path, O_RDONLY | O_CLOEXEC);
	return ret >= 0 ? ret : -errno;
}

/* The first gap that is large enough; the lock is held. */
static int
seg_gap_locked(struct shm_dpa_seg *seg, struct shm_dpa_extent *extent, uint64_t align)
{
	struct shm_dpa_extent *after;
	uint64_t off = seg->hdr;

	TAILQ_FOREACH(after, &seg->used, next) {
		if (off <= after->off && extent->size <= after->off - off)
			break;
		off = RTE_ALIGN_CEIL(after->off + after->size, align);
	}
	extent->off = off;
	if (after != NULL) {
		TAILQ_INSERT_BEFORE(after, extent, next);
		return 0;
	}
	if (off > seg->size || extent->size > seg->size - off)
		return -ENOMEM;
	TAILQ_INSERT_TAIL(&seg->used, extent, next);
	return 0;
}

static void
seg_remove(struct shm_dpa_seg *seg, struct shm_dpa_extent *extent)
{
	pthread_mutex_lock(&seg->lock); /* check-ok: waiters must sleep */
	TAILQ_REMOVE(&seg->used, extent, next);
	pthread_mutex_unlock(&seg->lock); /* check-ok: waiters must sleep */
	free(extent);
}

int
shm_dpa_seg_alloc(struct shm_dpa_seg *seg, uint64_t size, uint64_t align, uint64_t *off)
{
	struct shm_dpa_extent *extent;
	int ret;

	if (size == 0 || size > seg->size)
		return -ENOMEM;
	extent = calloc(1, sizeof(*extent));
	if (extent == NULL)
		return -ENOMEM;
	extent->size = RTE_ALIGN_CEIL(size, align);
	extent->len = size;
	pthread_mutex_lock(&seg->lock); /* check-ok: waiters must sleep */
	ret = seg_gap_locked(seg, extent, align);
	pthread_mutex_unlock(&seg->lock); /* check-ok: waiters must sleep */
	if (ret != 0) {
		free(extent);
		return ret;
	}
	/* what was freed before has no pages, or is zero */
	ret = seg_pages(seg, extent->off, extent->size);
	if (ret != 0)
		seg_remove(seg, extent);
	else
		*off = extent->off;
	return ret;
}

static struct shm_dpa_extent *
seg_extent_locked(struct shm_dpa_seg *seg, uint64_t off)
{
	struct shm_dpa_extent *extent;

	TAILQ_FOREACH(extent, &seg->used, next)
		if (off >= extent->off && off - extent->off < extent->size)
			return extent;
	return NULL;
}

int
shm_dpa_seg_free(struct shm_dpa_seg *seg, uint64_t off)
{
	struct shm_dpa_extent *extent;

	pthread_mutex_lock(&seg->lock); /* check-ok: waiters must sleep */
	extent = seg_extent_locked(seg, off);
	pthread_mutex_unlock(&seg->lock); /* check-ok: waiters must sleep */
	if (extent == NULL || extent->off != off)
		return -ENOENT;
	/* zero for the next one, and given back; whoever writes now harms himself */
	if (seg->fd >= 0)
		fallocate(seg->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, off,
			extent->size);
	seg_remove(seg, extent);
	return 0;
}

void *
shm_dpa_seg_find(struct shm_dpa_seg *seg, uint64_t addr, uint64_t len)
{
	struct shm_dpa_extent *extent;
	uint64_t off = addr - seg->addr;
	void *found = NULL;

	if (addr < seg->addr || off >= seg->size)
		return NULL;
	pthread_mutex_lock(&seg->lock); /* check-ok: waiters must sleep */
	extent = seg_extent_locked(seg, off);
	if (extent != NULL && off - extent->off <= extent->len &&
			len <= extent->len - (off - extent->off))
		found = seg->map + off;
	pthread_mutex_unlock(&seg->lock); /* check-ok: waiters must sleep */
	return found;
}

static int
seg_place(struct shm_dpa_seg *seg, uint64_t size, struct shm_dpa_place *place)
{
	uint64_t off;
	int ret;

	ret = shm_dpa_seg_alloc(seg, size, SHM_DPA_GRAIN, &off);
	if (ret != 0)
		return ret;
	place->host = seg->map + off;
	place->dpa = seg->addr + off;
	place->size = size;
	return 0;
}

static void
seg_unplace(struct shm_dpa_seg *seg, struct shm_dpa_place *place)
{
	if (place->size != 0)
		shm_dpa_seg_free(seg, place->dpa - seg->addr);
	memset(place, 0, sizeof(*place));
}

int
shm_dpa_alloc_host(struct shm_dpa *dpa, uint64_t size, struct shm_dpa_place *place)
{
	return seg_place(&dpa->segs.seg[SHM_DPA_HOST], size, place);
}

int
shm_dpa_places_alloc(struct shm_dpa *dpa, uint64_t host_size, uint64_t prog_size,
		struct shm_dpa_place *host, struct shm_dpa_place *prog)
{
	int ret;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	ret = shm_dpa_alloc_host(dpa, host_size, host);
	if (ret != 0)
		return ret;
	ret = seg_place(&dpa->segs.seg[SHM_DPA_PROG], prog_size, prog);
	if (ret != 0)
		seg_unplace(&dpa->segs.seg[SHM_DPA_HOST], host);
	return ret;
}

void
shm_dpa_places_free(struct shm_dpa *dpa, struct shm_dpa_place *host, struct shm_dpa_place *prog)
{
	seg_unplace(&dpa->segs.seg[SHM_DPA_HOST], host);
	seg_unplace(&dpa->segs.seg[SHM_DPA_PROG], prog);
}

void
shm_dpa_free(struct shm_dpa *dpa)
{
	pthread_mutex_destroy(&dpa->lock); /* check-ok: waiters must sleep */
	pthread_mutex_destroy(&dpa->group_lock); /* check-ok: waiters must sleep */
	pthread_cond_destroy(&dpa->cond); /* check-ok: waiters must sleep */
	free(dpa);
}
