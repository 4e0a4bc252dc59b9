/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * DMA: which bus addresses of a function's client are mapped, with which rights,
 * and copying from and to them. The mapping itself is libvfio-user's; this table
 * has the rights it does not check and finds an address among many pages fast.
 */

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "link.h"

struct bfm_region {
	uint64_t addr;
	uint64_t len;
	uint8_t *vaddr; /* NULL: by message */
	uint32_t prot;
};

/* Sorted by address, no two overlap. */
struct bfm_dma {
	struct bfm_region *regions;
	uint32_t nb;
	uint32_t room;
	bfm_dma_message_t message;
	uint32_t nb_by_message; /* of those that may be written: ROMs do not count */
};

static bool
is_written_by_message(const struct bfm_region *r)
{
	return r->vaddr == NULL && (r->prot & PROT_WRITE) != 0;
}

/*
 * The client may truncate the file behind its memory at any time; touching it is
 * a SIGBUS then, in the thread that did. Each has a place to return to.
 */
static __thread sigjmp_buf fault_return;
static __thread volatile sig_atomic_t fault_expected;

static void
fault_handler(int sig)
{
	if (fault_expected) {
		fault_expected = 0;
		siglongjmp(fault_return, 1);
	}
	/* not ours: die of it, as without this handler */
	signal(sig, SIG_DFL);
	raise(sig);
}

int
bfm_dma_init(void)
{
	/* not deferred: the handler does not return */
	struct sigaction sa = { .sa_handler = fault_handler, .sa_flags = SA_NODEFER };

	sigemptyset(&sa.sa_mask);
	return sigaction(SIGBUS, &sa, NULL) == 0 ? 0 : -errno;
}

/* Kept out of line: what lives in registers here is lost by the jump. */
static int __attribute__((noinline))
guarded_copy(void *dst, const void *src, size_t len)
{
	if (sigsetjmp(fault_return, 0) != 0)
		return -EFAULT;
	fault_expected = 1;
	memcpy(dst, src, len);
	fault_expected = 0;
	return 0;
}

static int __attribute__((noinline))
guarded_store(uint8_t *dst, uint8_t value)
{
	if (sigsetjmp(fault_return, 0) != 0)
		return -EFAULT;
	fault_expected = 1;
	/* pairs with the client's load of an ownership bit: all before it is there */
	__atomic_store_n(dst, value, __ATOMIC_RELEASE);
	fault_expected = 0;
	return 0;
}

struct bfm_dma *
bfm_dma_create(bfm_dma_message_t message)
{
	struct bfm_dma *dma = calloc(1, sizeof(*dma));

	if (dma != NULL)
		dma->message = message;
	return dma;
}

void
bfm_dma_destroy(struct bfm_dma *dma)
{
	if (dma == NULL)
		return;
	free(dma->regions);
	free(dma);
}

/* Index of the first region that ends beyond addr. */
static uint32_t
region_index(const struct bfm_dma *dma, uint64_t addr)
{
	uint32_t lo = 0, hi = dma->nb, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (dma->regions[mid].addr + (dma->regions[mid].len - 1) < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct bfm_region *
region_find(const struct bfm_dma *dma, uint64_t addr)
{
	uint32_t i = region_index(dma, addr);

	if (i == dma->nb || dma->regions[i].addr > addr)
		return NULL;
	return &dma->regions[i];
}

bool
bfm_dma_has(const struct bfm_dma *dma, uint64_t addr, uint64_t len)
{
	const struct bfm_region *r = region_find(dma, addr);

	return r != NULL && r->addr == addr && r->len == len;
}

bool
bfm_dma_overlaps(const struct bfm_dma *dma, uint64_t addr, uint64_t len)
{
	uint32_t i = region_index(dma, addr);

	return i < dma->nb && dma->regions[i].addr <= addr + (len - 1);
}

bool
bfm_dma_cuts(const struct bfm_dma *dma, uint64_t first, uint64_t last, uint64_t *addr)
{
	const struct bfm_region *r = region_find(dma, first);

	if (r == NULL || r->addr == first)
		r = region_find(dma, last);
	if (r == NULL || (r->addr >= first && r->addr + (r->len - 1) <= last))
		return false;
	*addr = r->addr;
	return true;
}

bool
bfm_dma_first(const struct bfm_dma *dma, uint64_t first, uint64_t last, uint64_t *addr,
		uint64_t *len)
{
	uint32_t i = region_index(dma, first);

	if (i == dma->nb || dma->regions[i].addr > last)
		return false;
	*addr = dma->regions[i].addr;
	*len = dma->regions[i].len;
	return true;
}

bool
bfm_dma_all_within(const struct bfm_dma *dma, uint64_t first, uint64_t last)
{
	const struct bfm_region *end;

	if (dma->nb == 0)
		return false;
	end = &dma->regions[dma->nb - 1];
	return dma->regions[0].addr >= first && end->addr + (end->len - 1) <= last;
}

uint64_t
bfm_dma_clear(struct bfm_dma *dma)
{
	uint64_t bytes = 0;

	while (dma->nb > 0)
		bytes += dma->regions[--dma->nb].len;
	dma->nb_by_message = 0;
	return bytes;
}

uint64_t
bfm_dma_base(const struct bfm_dma *dma, uint64_t addr)
{
	const struct bfm_region *r = region_find(dma, addr);

	return r == NULL ? addr : r->addr;
}

uint32_t
bfm_dma_count(const struct bfm_dma *dma)
{
	return dma->nb;
}

int
bfm_dma_add(struct bfm_dma *dma, uint64_t addr, uint64_t len, void *vaddr, uint32_t prot)
{
	struct bfm_region *regions;
	uint32_t i, room;

	if (len == 0 || addr + (len - 1) < addr)
		return -EINVAL;
	if (bfm_dma_overlaps(dma, addr, len))
		return -EEXIST;
	if (dma->nb == dma->room) {
		room = dma->room == 0 ? 64 : 2 * dma->room;
		regions = realloc(dma->regions, room * sizeof(*regions));
		if (regions == NULL)
			return -ENOMEM;
		dma->regions = regions;
		dma->room = room;
	}
	i = region_index(dma, addr);
	memmove(&dma->regions[i + 1], &dma->regions[i], (dma->nb - i) * sizeof(*dma->regions));
	dma->regions[i].addr = addr;
	dma->regions[i].len = len;
	dma->regions[i].vaddr = vaddr;
	dma->regions[i].prot = prot;
	dma->nb_by_message += is_written_by_message(&dma->regions[i]);
	dma->nb++;
	return 0;
}

void
bfm_dma_remove(struct bfm_dma *dma, uint64_t addr, uint64_t len)
{
	uint32_t i;

	if (len == 0 || !bfm_dma_has(dma, addr, len))
		return;
	i = region_index(dma, addr);
	dma->nb_by_message -= is_written_by_message(&dma->regions[i]);
	dma->nb--;
	memmove(&dma->regions[i], &dma->regions[i + 1], (dma->nb - i) * sizeof(*dma->regions));
}

bool
bfm_dma_is_by_message(const struct bfm_dma *dma, uint64_t addr)
{
	const struct bfm_region *r = region_find(dma, addr);

	return r != NULL && r->vaddr == NULL;
}

bool
bfm_dma_has_by_message(const struct bfm_dma *dma)
{
	return dma->nb_by_message != 0;
}

bool
bfm_server_connected(const struct bfm_function *f)
{
	return f->server != NULL && f->server->link == BFM_LINK_UP;
}

bool
bfm_dma_enabled(const struct bfm_function *f)
{
	return bfm_server_connected(f) && !f->gone && bfm_pci_is_master(f->server->cfg);
}

bool
bfm_dma_now(const struct bfm_function *f, uint64_t addr)
{
	return f->server->in_message || !bfm_dma_is_by_message(f->server->dma, addr);
}

bool
bfm_dma_by_message(const struct bfm_function *f)
{
	return bfm_dma_has_by_message(f->server->dma);
}

struct bfm_dma *
bfm_server_regions(const struct bfm_function *f)
{
	return f->server->dma;
}

/* The piece of [addr, addr + len) that lies in one region, or 0 if that denies it. */
static size_t
region_piece(struct bfm_function *f, uint64_t addr, size_t len, bool write, uint8_t **vaddr)
{
	const struct bfm_region *r = region_find(bfm_server_regions(f), addr);
	uint64_t off, n;

	if (r == NULL) {
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes): not mapped; map it before "
				"the device is told of it, and unmap it after the device "
				"has been told to let go", write ? "write" : "read",
				(unsigned long long)addr, len);
		return 0;
	}
	if ((r->prot & (write ? PROT_WRITE : PROT_READ)) == 0) {
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes): mapped without that right",
				write ? "write" : "read", (unsigned long long)addr, len);
		return 0;
	}
	off = addr - r->addr;
	n = r->len - off;
	*vaddr = r->vaddr == NULL ? NULL : r->vaddr + off;
	return n < len ? n : len;
}

static bool
dma_allowed(struct bfm_function *f, uint64_t addr, size_t len, bool write)
{
	if (f->gone || !bfm_server_connected(f))
		return false;
	if (!bfm_dma_enabled(f)) {
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes) with bus mastering off; set "
				"bit 2 of the command register first",
				write ? "write" : "read", (unsigned long long)addr, len);
		return false;
	}
	if (len > 0 && addr + (len - 1) < addr) {
		bfm_log(f, BFM_WARN, "DMA %s of 0x%llx (%zu bytes) passes the end of the "
				"address space", write ? "write" : "read",
				(unsigned long long)addr, len);
		return false;
	}
	return true;
}

static int
fault_logged(struct bfm_function *f, uint64_t addr, int ret)
{
	if (ret != 0)
		bfm_log(f, BFM_WARN, "DMA of 0x%llx: the client took the memory away without "
				"unmapping it", (unsigned long long)addr);
	return ret;
}

int
bfm_dma_read(struct bfm_function *f, uint64_t addr, void *buf, size_t len)
{
	uint8_t *data = buf, *vaddr;
	size_t n;
	int ret;

	if (!dma_allowed(f, addr, len, false))
		return -EFAULT;
	for (; len > 0; len -= n, addr += n, data += n) {
		n = region_piece(f, addr, len, false, &vaddr);
		if (n == 0)
			return -EFAULT;
		if (vaddr != NULL)
			ret = fault_logged(f, addr, guarded_copy(data, vaddr, n));
		else
			ret = f->server->dma->message(f, false, addr, data, n);
		if (ret != 0)
			return -EFAULT;
	}
	return 0;
}

static int
dma_write(struct bfm_function *f, uint64_t addr, const uint8_t *data, size_t len)
{
	uint8_t *vaddr;
	size_t n;
	int ret;

	for (; len > 0; len -= n, addr += n, data += n) {
		n = region_piece(f, addr, len, true, &vaddr);
		if (n == 0)
			return -EFAULT;
		if (vaddr == NULL)
			/* only read there; the library's interface has no const */
			ret = f->server->dma->message(f, true, addr, (void *)(uintptr_t)data, n);
		else if (n == 1)
			ret = fault_logged(f, addr, guarded_store(vaddr, *data));
		else
			ret = fault_logged(f, addr, guarded_copy(vaddr, data, n));
		if (ret != 0)
			return -EFAULT;
	}
	return 0;
}

int
bfm_dma_write(struct bfm_function *f, uint64_t addr, const void *buf, size_t len)
{
	if (!dma_allowed(f, addr, len, true))
		return -EFAULT;
	return dma_write(f, addr, buf, len);
}

int
bfm_dma_write_last(struct bfm_function *f, uint64_t addr, const void *buf, size_t len)
{
	const uint8_t *data = buf;
	int ret;

	if (!dma_allowed(f, addr, len, true))
		return -EFAULT;
	if (len == 0)
		return 0;
	ret = dma_write(f, addr, data, len - 1);
	if (ret == 0)
		ret = dma_write(f, addr + (len - 1), data + (len - 1), 1);
	return ret;
}
