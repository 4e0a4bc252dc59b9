/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * DMA_UNMAP. The text of vfio-user wants exactly what was mapped, and libvfio-user
 * does that. But QEMU behind an emulated IOMMU unmaps power-of-two ranges, as it
 * does with the kernel's VFIO. So this does what VFIO type 1 (version 2) does:
 * every mapping that lies in the range goes, the reply says how many bytes that
 * were, none is no mistake, and a range that ends in the middle of a mapping is one.
 *
 * The library unmaps these one by one, and does not reply. A range of many takes
 * several turns of the loop, so that other functions have theirs.
 */

#include <errno.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <string.h>

#include "link.h"

/* Mappings that go in one turn. */
#define UNMAP_BURST 64

struct msg_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};
_Static_assert(sizeof(struct msg_dma_unmap) == 24, "vfio-user DMA unmap");

/* The range of a message that was checked: its first and its last byte. */
static void
unmap_range(const struct msg_dma_unmap *unmap, uint64_t *first, uint64_t *last)
{
	bool all = (unmap->flags & VFIO_DMA_UNMAP_FLAG_ALL) != 0;

	*first = all ? 0 : unmap->addr;
	*last = all ? UINT64_MAX : unmap->addr + (unmap->size - 1);
}

int
bfm_unmap_check(const struct bfm_msg *msg, const struct bfm_dma *dma, char *err, size_t err_size)
{
	struct msg_dma_unmap unmap;
	uint64_t first, last, cut;
	bool all;

	if (msg->body_len < sizeof(unmap)) {
		snprintf(err, err_size, "DMA_UNMAP of %u bytes is cut short", msg->hdr.size);
		return EINVAL;
	}
	memcpy(&unmap, msg->body, sizeof(unmap));
	if ((unmap.flags & VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP) != 0) {
		snprintf(err, err_size, "DMA_UNMAP asks for dirty pages: the device does not "
				"migrate");
		return ENOTSUP;
	}
	if ((unmap.flags & ~VFIO_DMA_UNMAP_FLAG_ALL) != 0 || unmap.argsz < sizeof(unmap)) {
		snprintf(err, err_size, "DMA_UNMAP with flags 0x%x and argsz %u: the flag of all "
				"is the only one, and a reply has %zu bytes", unmap.flags,
				unmap.argsz, sizeof(unmap));
		return EINVAL;
	}
	all = unmap.flags != 0;
	if (all ? unmap.addr != 0 || unmap.size != 0 :
			unmap.size == 0 || unmap.addr + (unmap.size - 1) < unmap.addr) {
		snprintf(err, err_size, "DMA_UNMAP of %s0x%llx, 0x%llx bytes: no such range",
				all ? "all and " : "", (unsigned long long)unmap.addr,
				(unsigned long long)unmap.size);
		return EINVAL;
	}
	unmap_range(&unmap, &first, &last);
	if (bfm_dma_cuts(dma, first, last, &cut)) {
		snprintf(err, err_size, "DMA_UNMAP of 0x%llx, 0x%llx bytes cuts the mapping of "
				"0x%llx; unmap all of it", (unsigned long long)unmap.addr,
				(unsigned long long)unmap.size, (unsigned long long)cut);
		return EINVAL;
	}
	return 0;
}

/* One message into the library. What it then unmaps leaves our table too (server.c). */
static int
unmap_by_library(struct bfm_server *s, const struct msg_dma_unmap *unmap)
{
	uint8_t body[sizeof(*unmap)];
	struct bfm_msg msg = {
		.hdr = {
			.cmd = BFM_MSG_DMA_UNMAP,
			.size = sizeof(msg.hdr) + sizeof(body),
			.flags = BFM_MSG_COMMAND | BFM_MSG_NO_REPLY,
		},
		.got = sizeof(msg.hdr) + sizeof(body),
		.body_len = sizeof(body),
		.body = body,
	};

	memcpy(body, unmap, sizeof(body));
	if (bfm_feed_run(s, &msg) < 0 || (unmap->flags == 0 &&
			bfm_dma_has(s->dma, unmap->addr, unmap->size)))
		return -EIO;
	return 0;
}

int
bfm_unmap_run(struct bfm_server *s, const struct bfm_msg *msg)
{
	struct msg_dma_unmap unmap, one = { .argsz = sizeof(one) };
	uint64_t first, last;
	uint32_t i;
	int ret = 0;

	memcpy(&unmap, msg->body, sizeof(unmap));
	unmap_range(&unmap, &first, &last);
	if (bfm_dma_all_within(s->dma, first, last)) {
		/* at once: it looks for each one among all that are left */
		s->unmapped += bfm_dma_clear(s->dma);
		one.flags = VFIO_DMA_UNMAP_FLAG_ALL;
		ret = unmap_by_library(s, &one);
	}
	for (i = 0; ret == 0 && bfm_dma_first(s->dma, first, last, &one.addr, &one.size); i++) {
		if (i == UNMAP_BURST)
			return 0;
		ret = unmap_by_library(s, &one);
		s->unmapped += one.size;
	}
	if (ret != 0)
		return ret;
	unmap.size = s->unmapped;
	s->unmapped = 0;
	ret = bfm_msg_reply(s->sock, &msg->hdr, &unmap, sizeof(unmap));
	return ret != 0 ? ret : 1;
}
