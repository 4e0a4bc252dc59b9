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
#include <string.h>

#include "link.h"

/* Mappings that go in one turn. */
#define UNMAP_BURST 64

/* One message into the library. What it then unmaps leaves our table too (server.c). */
static int
unmap_by_library(struct bfm_server *s, const struct bfm_msg_dma_unmap *unmap)
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
	struct bfm_msg_dma_unmap unmap, one = { .argsz = sizeof(one) };
	uint64_t first, last;
	uint32_t i;
	int ret = 0;

	memcpy(&unmap, msg->body, sizeof(unmap));
	bfm_unmap_range(&unmap, &first, &last);
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
