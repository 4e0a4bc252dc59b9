/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory of firmware: pages that it asks for and that we own again only when it
 * has given them back, or after a reset. Pages come out of chunks; each remembers
 * for which function it was asked, because the card's own function supplies
 * those of the host, too. Nothing that firmware says is believed: a page that
 * comes back must be out, and for that function.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_func_priv.h"

/* Pages in a chunk, if memory is not in pieces. */
#define PAGES_MIN_CHUNK 32u
/* Who has a page: 0 nobody, else a function and this. */
#define PAGE_OUT 0x80000000u
#define PAGE_EC 0x00010000u
/* Firmware does not take an address of 0. */
#define PAGE_NEVER UINT32_MAX

struct bf_chunk {
	struct bf_dma dma;
	uint32_t nb_pages;
	uint32_t nb_free;
	uint32_t owner[BF_PAGES_PER_CHUNK];
};

void
bf_pages_init(struct bf_func *func)
{
	bf_lock_init(&func->pages.lock);
}

void
bf_pages_fini(struct bf_func *func)
{
	bf_lock_fini(&func->pages.lock);
	free(func->pages.chunks);
}

static uint32_t
page_owner(bool ec, uint16_t func_id)
{
	return PAGE_OUT | (ec ? PAGE_EC : 0) | func_id;
}

/*
 * Chunks
 */

/* Index of the first chunk that ends behind an address. */
static uint32_t
chunk_find(const struct bf_pages *pages, uint64_t iova)
{
	uint32_t low = 0, high = pages->nb_chunks, mid;
	const struct bf_chunk *chunk;

	while (low < high) {
		mid = (low + high) / 2;
		chunk = pages->chunks[mid];
		if (iova >= chunk->dma.iova + (uint64_t)chunk->nb_pages * BF_PAGE_SIZE)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int
chunk_list_grow(struct bf_pages *pages)
{
	uint32_t max = RTE_MAX(64u, 2 * pages->max_chunks);
	struct bf_chunk **chunks;

	if (pages->nb_chunks < pages->max_chunks)
		return 0;
	chunks = realloc(pages->chunks, max * sizeof(*chunks));
	if (chunks == NULL)
		return -ENOMEM;
	pages->chunks = chunks;
	pages->max_chunks = max;
	return 0;
}

/* A new chunk for about so many pages; less if memory is in pieces. */
static int
chunk_add(struct bf_func *func, uint32_t nb)
{
	struct bf_pages *pages = &func->pages;
	struct bf_hw *hw = func->hw;
	struct bf_chunk *chunk;
	uint32_t i;
	int ret;

	ret = chunk_list_grow(pages);
	if (ret != 0)
		return ret;
	chunk = calloc(1, sizeof(*chunk));
	if (chunk == NULL)
		return -ENOMEM;
	nb = RTE_MAX(nb, PAGES_MIN_CHUNK);
	nb = rte_align32pow2(RTE_MIN(nb, (uint32_t)BF_PAGES_PER_CHUNK));
	do {
		ret = hw->ops->dma_alloc(hw, (size_t)nb * BF_PAGE_SIZE, BF_PAGE_SIZE, &chunk->dma);
		if (ret == 0)
			break;
		nb /= 2;
	} while (nb != 0);
	if (ret != 0) {
		free(chunk);
		return ret;
	}
	chunk->nb_pages = nb;
	chunk->nb_free = nb;
	if (chunk->dma.iova == 0) {
		chunk->owner[0] = PAGE_NEVER;
		chunk->nb_free--;
	}
	i = chunk_find(pages, chunk->dma.iova);
	memmove(&pages->chunks[i + 1], &pages->chunks[i],
		(pages->nb_chunks - i) * sizeof(*pages->chunks));
	pages->chunks[i] = chunk;
	pages->nb_chunks++;
	return 0;
}

static void
chunk_del(struct bf_func *func, uint32_t i)
{
	struct bf_pages *pages = &func->pages;
	struct bf_chunk *chunk = pages->chunks[i];

	pages->nb_chunks--;
	memmove(&pages->chunks[i], &pages->chunks[i + 1],
		(pages->nb_chunks - i) * sizeof(*pages->chunks));
	func->hw->ops->dma_free(func->hw, &chunk->dma);
	free(chunk);
}

static bool
chunk_is_free(const struct bf_chunk *chunk)
{
	return chunk->nb_free == chunk->nb_pages - (chunk->owner[0] == PAGE_NEVER);
}

/* Chunks without a page that is out; one stays for the next request. */
static void
chunks_trim(struct bf_func *func, uint32_t keep)
{
	struct bf_pages *pages = &func->pages;
	uint32_t i;

	for (i = pages->nb_chunks; i-- > 0;) {
		if (!chunk_is_free(pages->chunks[i]))
			continue;
		if (keep != 0)
			keep--;
		else
			chunk_del(func, i);
	}
}

/*
 * Pages
 */

static void
pages_count(struct bf_pages *pages, int32_t nb)
{
	uint32_t given = pages->given + nb;

	__atomic_store_n(&pages->given, given, __ATOMIC_RELAXED);
	if (given > pages->peak)
		__atomic_store_n(&pages->peak, given, __ATOMIC_RELAXED);
}

/* Put the addresses of nb pages at pas. All or -ENOMEM. */
static int
pages_take_out(struct bf_func *func, uint32_t owner, uint8_t *pas, uint32_t nb)
{
	struct bf_pages *pages = &func->pages;
	struct bf_chunk *chunk;
	uint32_t c, p, done = 0;
	bool grown;
	int ret = 0;

	do {
		grown = false;
		for (c = 0; c < pages->nb_chunks; c++) {
			chunk = pages->chunks[c];
			for (p = 0; p < chunk->nb_pages && done < nb && chunk->nb_free != 0; p++) {
				if (chunk->owner[p] != 0)
					continue;
				chunk->owner[p] = owner;
				chunk->nb_free--;
				bf_set64(pas, 8 * done++,
					chunk->dma.iova + (uint64_t)p * BF_PAGE_SIZE);
			}
		}
		if (done < nb) {
			ret = chunk_add(func, nb - done);
			grown = ret == 0;
		}
	} while (grown);
	if (done < nb) {
		BF_LOG(ERR, "%s: no DMA memory for %u more pages of firmware (%d), %u are given; "
			"give EAL more memory (-m)", BF_NAME(func), nb - done, ret, pages->given);
		for (p = 0; p < done; p++) {
			c = chunk_find(pages, bf_get64(pas, 8 * p));
			chunk = pages->chunks[c];
			chunk->owner[(bf_get64(pas, 8 * p) - chunk->dma.iova) / BF_PAGE_SIZE] = 0;
			chunk->nb_free++;
		}
		return -ENOMEM;
	}
	pages_count(pages, nb);
	return 0;
}

/* One page came back. -EINVAL: that page is not out. */
static int
page_put_back(struct bf_func *func, uint32_t owner, uint64_t iova)
{
	struct bf_pages *pages = &func->pages;
	uint32_t c = chunk_find(pages, iova), p;
	struct bf_chunk *chunk;

	if (c == pages->nb_chunks)
		return -EINVAL;
	chunk = pages->chunks[c];
	if (iova < chunk->dma.iova || (iova - chunk->dma.iova) % BF_PAGE_SIZE != 0)
		return -EINVAL;
	p = (iova - chunk->dma.iova) / BF_PAGE_SIZE;
	if (chunk->owner[p] != owner)
		return -EINVAL;
	chunk->owner[p] = 0;
	chunk->nb_free++;
	pages_count(pages, -1);
	return 0;
}

/*
 * Commands
 */

static void
manage_pages_head(uint8_t *in, uint16_t op_mod, uint32_t owner, uint32_t nb)
{
	bf_set(in, BF_IN_OPCODE, BF_OP_MANAGE_PAGES);
	bf_set(in, BF_IN_OP_MOD, op_mod);
	bf_set(in, BF_FUNC_EMBEDDED_CPU_FUNCTION, (owner & PAGE_EC) != 0);
	bf_set(in, BF_FUNC_FUNCTION_ID, owner & UINT16_MAX);
	bf_set(in, BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES, nb);
}

/* An event wants an answer; in bring-up, the failure is the answer. */
static void
pages_refuse(struct bf_func *func, uint32_t owner, uint32_t nb, bool event)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];
	struct bf_cmd cmd = {
		.in = in, .in_len = sizeof(in), .out = out, .out_len = sizeof(out),
	};

	__atomic_fetch_add(&func->pages.refused, nb, __ATOMIC_RELAXED);
	if (!event)
		return;
	manage_pages_head(in, BF_MANAGE_PAGES_CANT_GIVE, owner, 0);
	bf_func_cmd(func, BF_CMD_PAGES, &cmd);
}

/* One command. With nb 0, too: firmware waits for it in bring-up. */
static int
pages_give_some(struct bf_func *func, uint32_t owner, uint32_t nb, bool event)
{
	uint8_t in[BF_MANAGE_PAGES_PAS + BF_PAGES_PER_CMD * sizeof(uint64_t)] = { 0 };
	uint8_t out[BF_OUT_SIZE];
	struct bf_cmd cmd = {
		.in = in, .in_len = BF_MANAGE_PAGES_PAS + nb * sizeof(uint64_t),
		.out = out, .out_len = sizeof(out),
	};
	uint32_t i;
	int ret;

	ret = pages_take_out(func, owner, in + BF_MANAGE_PAGES_PAS, nb);
	if (ret != 0) {
		pages_refuse(func, owner, nb, event);
		return ret;
	}
	manage_pages_head(in, BF_MANAGE_PAGES_GIVE, owner, nb);
	ret = bf_func_cmd(func, BF_CMD_PAGES, &cmd);
	/* refused by firmware: ours again; anything else: firmware may use them */
	if (cmd.status != BF_STATUS_OK)
		for (i = 0; i < nb; i++)
			page_put_back(func, owner, bf_get64(in, BF_MANAGE_PAGES_PAS + 8 * i));
	return ret;
}

static int
pages_give(struct bf_func *func, uint32_t owner, uint32_t nb, bool event)
{
	struct bf_pages *pages = &func->pages;
	uint32_t part;
	int ret;

	/* all or nothing: part of it would not help firmware */
	if (nb > func->conf.max_pages - pages->given) {
		BF_LOG(ERR, "%s: firmware asks for %u more pages, %u are given, the limit is %u; "
			"raise the limit (max_pages) if it is right to need that many",
			BF_NAME(func), nb, pages->given, func->conf.max_pages);
		pages_refuse(func, owner, nb, event);
		return -ENOMEM;
	}
	do {
		part = RTE_MIN(nb, (uint32_t)BF_PAGES_PER_CMD);
		ret = pages_give_some(func, owner, part, event);
		nb -= part;
	} while (ret == 0 && nb != 0);
	return ret;
}

/* One command; claimed says how many came. */
static int
pages_take_some(struct bf_func *func, uint32_t owner, uint32_t nb, uint32_t *claimed)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_MANAGE_PAGES_PAS + BF_PAGES_PER_CMD * sizeof(uint64_t)];
	struct bf_cmd cmd = {
		.in = in, .in_len = sizeof(in),
		.out = out, .out_len = BF_MANAGE_PAGES_PAS + nb * sizeof(uint64_t),
	};
	uint32_t i;
	int ret;

	*claimed = 0;
	manage_pages_head(in, BF_MANAGE_PAGES_TAKE, owner, nb);
	ret = bf_func_cmd(func, BF_CMD_PAGES, &cmd);
	if (ret != 0)
		return ret;
	*claimed = bf_get(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES);
	if (*claimed > nb) {
		BF_LOG(ERR, "%s: MANAGE_PAGES: firmware gives %u pages back, asked for %u",
			BF_NAME(func), *claimed, nb);
		bf_fatal_set(func, BF_FATAL_PAGES, -EIO);
		return -EIO;
	}
	for (i = 0; i < *claimed; i++) {
		ret = page_put_back(func, owner, bf_get64(out, BF_MANAGE_PAGES_PAS + 8 * i));
		if (ret != 0) {
			BF_LOG(ERR, "%s: MANAGE_PAGES: firmware gives page 0x%" PRIx64 " back, "
				"which function 0x%x does not have", BF_NAME(func), bf_get64(out,
				BF_MANAGE_PAGES_PAS + 8 * i), owner & UINT16_MAX);
			bf_fatal_set(func, BF_FATAL_PAGES, -EIO);
			return -EIO;
		}
	}
	return 0;
}

static void
pages_take(struct bf_func *func, uint32_t owner, uint32_t nb)
{
	uint32_t part, claimed;

	for (; nb != 0; nb -= part) {
		part = RTE_MIN(nb, (uint32_t)BF_PAGES_PER_CMD);
		if (pages_take_some(func, owner, part, &claimed) != 0)
			return;
		/* it asks again when it has more */
		if (claimed < part)
			break;
	}
	chunks_trim(func, 1);
}

/* All pages of another function, which has gone: no command, firmware said it. */
static void
pages_release(struct bf_func *func, uint32_t owner)
{
	struct bf_pages *pages = &func->pages;
	struct bf_chunk *chunk;
	uint32_t c, p;

	for (c = 0; c < pages->nb_chunks; c++) {
		chunk = pages->chunks[c];
		for (p = 0; p < chunk->nb_pages; p++) {
			if (chunk->owner[p] != owner)
				continue;
			chunk->owner[p] = 0;
			chunk->nb_free++;
			pages_count(pages, -1);
		}
	}
	chunks_trim(func, 1);
}

/*
 * Firmware that gets a part of what it asked for may ask for the remainder by one more
 * event, after each part: that is on its way already.
 */
static bool
pages_is_remainder(const struct bf_pages *pages, uint32_t owner, int32_t num)
{
	return num > 0 && owner == pages->split_owner && (uint32_t)num < pages->split &&
		(pages->split - (uint32_t)num) % BF_PAGES_PER_CMD == 0;
}

void
bf_pages_request(struct bf_func *func, bool ec, uint16_t func_id, bool release, int32_t num,
	bool early)
{
	uint32_t owner = page_owner(ec, func_id);
	bool own = ec == func->ec && func_id == func->pages_id;
	uint32_t nb = num < 0 ? -(uint32_t)num : (uint32_t)num;

	BF_LOG(DEBUG, "%s: page request of %s function 0x%x: %d%s", BF_NAME(func), ec ? "card" :
		"host", func_id, num, release ? ", release all" : "");
	/* a PF supplies its VFs, the card's function everybody */
	if (!own && !func->ec && (ec || bf_func_is_vf(func))) {
		BF_LOG(ERR, "%s: page request for function 0x%x%s, which is not ours",
			BF_NAME(func), func_id, ec ? " of the card" : "");
		bf_fatal_set(func, BF_FATAL_PAGES, -EIO);
		return;
	}
	if (own && release) {
		BF_LOG(ERR, "%s: firmware drops all pages of the function that it runs on",
			BF_NAME(func));
		bf_fatal_set(func, BF_FATAL_PAGES, -EIO);
		return;
	}
	if (early && pages_is_remainder(&func->pages, owner, num)) {
		BF_LOG(DEBUG, "%s: that is what was left of the request before, and is given",
			BF_NAME(func));
		func->pages.split = num;
		return;
	}
	func->pages.split_owner = owner;
	func->pages.split = num > 0 ? nb : 0;
	bf_lock(&func->pages.lock);
	if (release)
		pages_release(func, owner);
	else if (num < 0)
		pages_take(func, owner, RTE_MIN(nb, func->pages.given));
	else if (num > 0)
		pages_give(func, owner, nb, true);
	bf_unlock(&func->pages.lock);
}

int
bf_pages_startup(struct bf_func *func, bool boot)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];
	uint16_t func_id;
	int32_t num;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_PAGES);
	bf_set(in, BF_IN_OP_MOD, boot ? BF_QUERY_PAGES_BOOT : BF_QUERY_PAGES_INIT);
	bf_set(in, BF_FUNC_EMBEDDED_CPU_FUNCTION, func->ec);
	ret = bf_func_exec(func, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	func_id = bf_get(out, BF_FUNC_FUNCTION_ID);
	num = bf_get(out, BF_QUERY_PAGES_OUT_NUM_PAGES);
	BF_LOG(DEBUG, "%s: firmware wants %d %s pages for function 0x%x", BF_NAME(func), num,
		boot ? "boot" : "init", func_id);
	if (num < 0) {
		BF_LOG(ERR, "%s: QUERY_PAGES: firmware wants %d pages; update the card's firmware",
			BF_NAME(func), num);
		return -EIO;
	}
	func->pages_id = func_id;
	if (boot)
		func->pages_asked_none = num == 0 && !func->ec;
	bf_lock(&func->pages.lock);
	ret = pages_give(func, page_owner(func->ec, func_id), num, false);
	bf_unlock(&func->pages.lock);
	return ret;
}

/* Any function that has a page; 0 if none has. */
static uint32_t
pages_any_owner(const struct bf_pages *pages)
{
	const struct bf_chunk *chunk;
	uint32_t c, p;

	for (c = 0; c < pages->nb_chunks; c++) {
		chunk = pages->chunks[c];
		if (chunk_is_free(chunk))
			continue;
		for (p = 0; p < chunk->nb_pages; p++)
			if (chunk->owner[p] != 0 && chunk->owner[p] != PAGE_NEVER)
				return chunk->owner[p];
	}
	return 0;
}

int
bf_pages_reclaim(struct bf_func *func)
{
	struct bf_pages *pages = &func->pages;
	uint32_t limit = RTE_MIN(BF_PAGES_RECLAIM_MS, func->conf.fw_timeout_ms);
	uint64_t end = bf_now_ms() + limit;
	uint32_t owner, claimed;
	int ret = 0;

	bf_lock(&pages->lock);
	while (ret == 0) {
		owner = pages_any_owner(pages);
		if (owner == 0)
			break;
		ret = pages_take_some(func, owner,
			RTE_MIN(pages->given, (uint32_t)BF_PAGES_PER_CMD), &claimed);
		if (ret != 0)
			break;
		if (claimed != 0) {
			end = bf_now_ms() + limit;
		} else if (bf_now_ms() >= end) {
			BF_LOG(ERR, "%s: firmware keeps %u pages, %u ms after the last that it "
				"gave back", BF_NAME(func), pages->given, limit);
			ret = -ETIMEDOUT;
		} else {
			rte_delay_us_sleep(BF_PAGES_POLL_US);
		}
	}
	if (ret == 0)
		chunks_trim(func, 0);
	bf_unlock(&pages->lock);
	return ret;
}

void
bf_pages_invalidate(struct bf_func *func)
{
	struct bf_pages *pages = &func->pages;

	bf_lock(&pages->lock);
	while (pages->nb_chunks != 0)
		chunk_del(func, pages->nb_chunks - 1);
	__atomic_store_n(&pages->given, 0, __ATOMIC_RELAXED);
	bf_unlock(&pages->lock);
}

void
bf_pages_abandon(struct bf_func *func)
{
	struct bf_pages *pages = &func->pages;

	while (pages->nb_chunks != 0)
		free(pages->chunks[--pages->nb_chunks]);
}
