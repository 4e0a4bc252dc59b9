/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands out of the client's memory and their replies back into it: entries,
 * mailbox chains, delivery status. What is done with a command is in cmdq.c.
 * Signatures are not looked at: clients may leave them out, and the capability that
 * would ask for them is off.
 */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmdq.h"

#define ENTRY_TYPE 7
#define BLOCK_ALIGN 1024u
/* Ours: no command of the PRM comes near it. */
#define MAX_LEN (2u << 20)

void
bfm_dma_fatal(struct bfm_function *f, uint64_t addr, const char *what)
{
	char why[128];

	snprintf(why, sizeof(why), "%s at 0x%jx is not accessible for the device", what,
			(uintmax_t)addr);
	bfm_health_fatal(f, BFM_SYND_FETCH_PCI, 0, why);
}

static bool
all_zero(const uint8_t *p, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (p[i] != 0)
			return false;
	return true;
}

static uint32_t
nb_blocks(uint32_t len)
{
	return len <= INLINE_SIZE ? 0 : (len - INLINE_SIZE + BLOCK_DATA - 1) / BLOCK_DATA;
}

/*
 * Walk the n blocks of a chain that the length needs: copies their data if data is
 * not NULL, and stores their addresses if addrs is not NULL. What is linked behind
 * the last of them is not looked at: clients keep longer chains for later use.
 * 0, a delivery status, or -EFAULT if memory was not accessible.
 */
static int
chain_read(struct slot *s, uint64_t ptr, uint32_t n, uint8_t *data, uint32_t len, uint64_t *addrs)
{
	struct bfm_function *f = s->cmd.f;
	const char *dir = data != NULL ? "input" : "output";
	int bad_len = data != NULL ? BFM_DELIVERY_IN_LEN : BFM_DELIVERY_OUT_LEN;
	int bad_align = data != NULL ? BFM_DELIVERY_IN_ALIGN : BFM_DELIVERY_OUT_ALIGN;
	const struct block_tail *tail;
	struct block block;
	uint32_t part;
	uint32_t i;

	for (i = 0; i < n; i++) {
		if (i != 0 && ptr == 0) {
			bfm_log(f, BFM_WARN, "slot %u: %s has %u blocks, its length needs %u",
					s->cmd.slot, dir, i, n);
			return bad_len;
		}
		if (ptr % BLOCK_ALIGN != 0) {
			bfm_log(f, BFM_WARN, "slot %u: %s block %u at 0x%jx is not aligned to %u",
					s->cmd.slot, dir, i, (uintmax_t)ptr, BLOCK_ALIGN);
			return bad_align;
		}
		if (bfm_dma_read(f, ptr, &block, sizeof(block)) != 0) {
			if (ptr == 0) {
				bfm_log(f, BFM_WARN,
						"slot %u: %s has no block, its length "
						"needs %u",
						s->cmd.slot, dir, n);
				return bad_len;
			}
			bfm_dma_fatal(f, ptr, data != NULL ? "input block" : "output block");
			return -EFAULT;
		}
		tail = &block.tail;
		if (be32toh(tail->number) != i) {
			bfm_log(f, BFM_WARN, "slot %u: %s block %u says number %u", s->cmd.slot,
					dir, i, be32toh(tail->number));
			return BFM_DELIVERY_BLOCK_NUM;
		}
		if (tail->token != s->entry.token) {
			bfm_log(f, BFM_WARN,
					"slot %u: %s block %u has token 0x%02x, the entry "
					"0x%02x",
					s->cmd.slot, dir, i, tail->token, s->entry.token);
			return BFM_DELIVERY_TOKEN;
		}
		if (!all_zero(tail->rsvd, sizeof(tail->rsvd)) || tail->rsvd2 != 0) {
			bfm_log(f, BFM_WARN, "slot %u: %s block %u has reserved bytes set",
					s->cmd.slot, dir, i);
			return BFM_DELIVERY_RESERVED;
		}
		if (data != NULL) {
			part = len - i * BLOCK_DATA;
			memcpy(data + i * BLOCK_DATA, block.data,
					part < BLOCK_DATA ? part : BLOCK_DATA);
		}
		if (addrs != NULL)
			addrs[i] = ptr;
		ptr = be64toh(tail->next);
	}
	return 0;
}

void
bfm_entry_peek(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;

	c->opcode = (uint16_t)bfm_bits_get(s->entry.in, 0, 16);
	c->op_mod = (uint16_t)bfm_bits_get(s->entry.in, 48, 16);
}

/* Check the entry and make the command of it: 0, a delivery status, or -EFAULT. */
int
bfm_entry_take(struct slot *s)
{
	const struct entry *e = &s->entry;
	struct bfm_cmd *c = &s->cmd;
	uint32_t in_len = be32toh(e->in_len);
	uint32_t out_len = be32toh(e->out_len);
	uint32_t n = nb_blocks(in_len);
	int ret;

	if (e->type != ENTRY_TYPE) {
		bfm_log(c->f, BFM_WARN, "slot %u: entry of type %u, not %u", c->slot, e->type,
				ENTRY_TYPE);
		return BFM_DELIVERY_DESCRIPTOR;
	}
	if (!all_zero(e->rsvd1, sizeof(e->rsvd1)) || e->rsvd62 != 0) {
		bfm_log(c->f, BFM_WARN, "slot %u: entry has reserved bytes set", c->slot);
		return BFM_DELIVERY_RESERVED;
	}
	if (in_len < HEAD_SIZE || in_len > MAX_LEN) {
		bfm_log(c->f, BFM_WARN, "slot %u: input length %u", c->slot, in_len);
		return BFM_DELIVERY_IN_LEN;
	}
	if (out_len < REPLY_SIZE || out_len > MAX_LEN) {
		bfm_log(c->f, BFM_WARN, "slot %u: output length %u", c->slot, out_len);
		return BFM_DELIVERY_OUT_LEN;
	}
	s->nb_out_blocks = nb_blocks(out_len);
	/* room for the inline parts even if the lengths say less */
	c->in = calloc(1, in_len < INLINE_SIZE ? INLINE_SIZE : in_len);
	c->out = calloc(1, out_len < INLINE_SIZE ? INLINE_SIZE : out_len);
	s->out_blocks = calloc(s->nb_out_blocks + 1, sizeof(*s->out_blocks));
	if (c->in == NULL || c->out == NULL || s->out_blocks == NULL) {
		bfm_log(c->f, BFM_ERR, "slot %u: no memory for a command of %u and %u bytes",
				c->slot, in_len, out_len);
		return BFM_DELIVERY_FW;
	}
	memcpy(c->in, e->in, in_len < INLINE_SIZE ? in_len : INLINE_SIZE);
	ret = chain_read(s, be64toh(e->in_ptr), n, c->in + INLINE_SIZE, in_len - INLINE_SIZE, NULL);
	if (ret == 0)
		ret = chain_read(s, be64toh(e->out_ptr), s->nb_out_blocks, NULL, 0, s->out_blocks);
	if (ret != 0)
		return ret;
	c->in_len = in_len;
	c->out_len = out_len;
	c->uid = (uint16_t)bfm_bits_get(c->in, 16, 16);
	return 0;
}

/* Output into the mailboxes, then the entry, and ownership as the very last byte. */
int
bfm_entry_give(struct slot *s, uint64_t queue, uint8_t delivery, bool data)
{
	struct bfm_cmd *c = &s->cmd;
	struct entry *e = &s->entry;
	uint64_t addr = queue + c->slot * sizeof(*e);
	uint32_t part;
	uint32_t off;
	uint32_t i;

	for (i = 0; data && i < s->nb_out_blocks; i++) {
		off = INLINE_SIZE + i * BLOCK_DATA;
		part = c->out_len - off;
		if (part > BLOCK_DATA)
			part = BLOCK_DATA;
		if (bfm_dma_write(c->f, s->out_blocks[i], c->out + off, part) != 0) {
			bfm_dma_fatal(c->f, s->out_blocks[i], "output block");
			return -EFAULT;
		}
	}
	memset(e->out, 0, sizeof(e->out));
	if (c->out != NULL)
		memcpy(e->out, c->out, sizeof(e->out));
	e->status_own = (uint8_t)(delivery << 1);
	if (bfm_dma_write_last(c->f, addr + offsetof(struct entry, out), e->out,
			    sizeof(*e) - offsetof(struct entry, out)) != 0) {
		bfm_dma_fatal(c->f, addr, "command queue");
		return -EFAULT;
	}
	return 0;
}
