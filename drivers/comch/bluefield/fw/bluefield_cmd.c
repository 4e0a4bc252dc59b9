/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The command queue: entries, mailboxes, waiting. What a command means is not in
 * here.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_cmd.h"
#include "bluefield_lock.h"
#include "bluefield_times.h"

#define CMD_SLOT_BYTES ((BF_CMD_IN_MBOXES + BF_CMD_OUT_MBOXES) * BF_MBOX_STRIDE)

struct cmd_slot {
	struct bf_lock lock;
	uint32_t index;              /* in the device's queue */
	struct bf_cmd_entry *entry;
	uint8_t *in;                 /* mailboxes */
	uint8_t *out;
	uint64_t in_iova;
	uint64_t out_iova;
	uint8_t token;               /* of the last command */
};

struct bf_cmdq {
	struct bf_hw *hw;
	bf_cmd_watch_t watch;
	void *arg;
	uint32_t timeout_ms;
	struct bf_dma mem;           /* the queue's page, then mailboxes by slot */
	struct cmd_slot slots[BF_NB_CMD_SLOTS];
	int dead;                    /* negative errno; atomic */
	uint64_t cmds;               /* atomic, as is the next */
	uint64_t errors;
};

/*
 * Set-up
 */

static int
cmdq_check(struct bf_hw *hw, uint32_t *log_size, uint32_t *log_stride)
{
	uint32_t rev = hw->ops->read32(hw, BF_REG_CMDIF_FW_SUB);
	uint32_t val = hw->ops->read32(hw, BF_REG_CMDQ_ADDR_L);

	if (rev == BF_ALL_ONES || val == BF_ALL_ONES) {
		BF_LOG(ERR, "%s: registers read all ones: the device is gone; check the slot, the "
			"link and the power state, then probe again", hw->name);
		return -ENODEV;
	}
	rev >>= 16;
	if (rev != BF_CMDIF_REV) {
		BF_LOG(ERR, "%s: command interface revision %u, this driver speaks %u; update the "
			"card's firmware, or check that this is a BlueField function", hw->name,
			rev, BF_CMDIF_REV);
		return -ENOTSUP;
	}
	*log_size = BF_CMDQ_LOG_SIZE(val);
	*log_stride = BF_CMDQ_LOG_STRIDE(val);
	if (*log_size == 0 || *log_size > BF_CMDQ_MAX_LOG_SIZE ||
	    *log_stride < BF_CMDQ_MIN_LOG_STRIDE || *log_size + *log_stride > BF_CMDQ_LOG_BYTES) {
		BF_LOG(ERR, "%s: a command queue of 2^%u entries of 2^%u bytes, expected 2^1 to "
			"2^%u of 2^%u or more in one page; update the card's firmware", hw->name,
			*log_size, *log_stride, BF_CMDQ_MAX_LOG_SIZE, BF_CMDQ_MIN_LOG_STRIDE);
		return -ENOTSUP;
	}
	return 0;
}

int
bf_cmdq_create(struct bf_hw *hw, uint32_t timeout_ms, bf_cmd_watch_t watch, void *arg,
	struct bf_cmdq **cmdq)
{
	struct cmd_slot *slot;
	struct bf_cmdq *q;
	uint8_t *addr;
	uint64_t iova;
	uint32_t i;
	int ret;

	q = calloc(1, sizeof(*q));
	if (q == NULL) {
		BF_LOG(ERR, "%s: no memory for the command queue", hw->name);
		return -ENOMEM;
	}
	q->hw = hw;
	q->watch = watch;
	q->arg = arg;
	q->timeout_ms = timeout_ms;
	q->dead = -EIO; /* until it starts */
	ret = hw->ops->dma_alloc(hw, BF_PAGE_SIZE + BF_NB_CMD_SLOTS * CMD_SLOT_BYTES, BF_PAGE_SIZE,
		&q->mem);
	if (ret != 0) {
		BF_LOG(ERR, "%s: no DMA memory for the command queue (%d); give EAL more memory "
			"(-m)", hw->name, ret);
		free(q);
		return ret;
	}
	addr = (uint8_t *)q->mem.addr + BF_PAGE_SIZE;
	iova = q->mem.iova + BF_PAGE_SIZE;
	for (i = 0; i < BF_NB_CMD_SLOTS; i++) {
		slot = &q->slots[i];
		bf_lock_init(&slot->lock);
		slot->in = addr;
		slot->in_iova = iova;
		slot->out = addr + BF_CMD_IN_MBOXES * BF_MBOX_STRIDE;
		slot->out_iova = iova + BF_CMD_IN_MBOXES * BF_MBOX_STRIDE;
		addr += CMD_SLOT_BYTES;
		iova += CMD_SLOT_BYTES;
	}
	*cmdq = q;
	return 0;
}

int
bf_cmdq_start(struct bf_cmdq *q)
{
	uint32_t log_size, log_stride, i;
	int ret;

	ret = cmdq_check(q->hw, &log_size, &log_stride);
	if (ret != 0)
		return ret;
	for (i = 0; i < BF_NB_CMD_SLOTS; i++)
		bf_lock(&q->slots[i].lock);
	memset(q->mem.addr, 0, BF_PAGE_SIZE);
	for (i = 0; i < BF_NB_CMD_SLOTS; i++) {
		q->slots[i].index = i == BF_CMD_PAGES ? (1u << log_size) - 1 : 0;
		q->slots[i].entry = (void *)((uint8_t *)q->mem.addr +
			((size_t)q->slots[i].index << log_stride));
	}
	q->hw->ops->write32(q->hw, BF_REG_CMDQ_ADDR_H, q->mem.iova >> 32);
	q->hw->ops->write32(q->hw, BF_REG_CMDQ_ADDR_L, (uint32_t)q->mem.iova);
	__atomic_store_n(&q->dead, 0, __ATOMIC_RELAXED);
	for (i = BF_NB_CMD_SLOTS; i-- > 0;)
		bf_unlock(&q->slots[i].lock);
	return 0;
}

void
bf_cmdq_abandon(struct bf_cmdq *q)
{
	uint32_t i;

	for (i = 0; i < BF_NB_CMD_SLOTS; i++)
		bf_lock_fini(&q->slots[i].lock);
	free(q);
}

void
bf_cmdq_free(struct bf_cmdq *q)
{
	if (q == NULL)
		return;
	q->hw->ops->dma_free(q->hw, &q->mem);
	bf_cmdq_abandon(q);
}

void
bf_cmdq_kill(struct bf_cmdq *q, int reason)
{
	int alive = 0;

	__atomic_compare_exchange_n(&q->dead, &alive, reason, false, __ATOMIC_RELAXED,
		__ATOMIC_RELAXED);
}

int
bf_cmdq_status(const struct bf_cmdq *q)
{
	return __atomic_load_n(&q->dead, __ATOMIC_RELAXED);
}

void
bf_cmdq_counts(const struct bf_cmdq *q, uint64_t *cmds, uint64_t *errors)
{
	*cmds = __atomic_load_n(&q->cmds, __ATOMIC_RELAXED);
	*errors = __atomic_load_n(&q->errors, __ATOMIC_RELAXED);
}

/*
 * One command
 */

/* A chain of mailboxes for len bytes; data is copied in, or NULL. */
static void
mboxes_fill(uint8_t *mboxes, uint64_t iova, uint8_t token, const uint8_t *data, uint32_t len)
{
	uint32_t i, nb = RTE_ALIGN_MUL_CEIL(len, BF_MBOX_DATA) / BF_MBOX_DATA;
	struct bf_mbox *mbox;

	for (i = 0; i < nb; i++) {
		mbox = (void *)(mboxes + i * BF_MBOX_STRIDE);
		memset(mbox, 0, sizeof(*mbox));
		if (data != NULL)
			memcpy(mbox->data, data + i * BF_MBOX_DATA,
				RTE_MIN(len - i * BF_MBOX_DATA, (uint32_t)BF_MBOX_DATA));
		if (i + 1 < nb)
			mbox->next = rte_cpu_to_be_64(iova + (i + 1) * BF_MBOX_STRIDE);
		mbox->block_num = rte_cpu_to_be_32(i);
		mbox->token = token;
	}
}

static void
mboxes_read(const uint8_t *mboxes, uint8_t *data, uint32_t len)
{
	uint32_t i, part;

	for (i = 0; len != 0; i++, len -= part, data += part) {
		part = RTE_MIN(len, (uint32_t)BF_MBOX_DATA);
		memcpy(data, mboxes + i * BF_MBOX_STRIDE, part);
	}
}

/* All 64 bytes of a signed entry give 0xff. */
static uint8_t
entry_sign(const struct bf_cmd_entry *entry)
{
	const uint8_t *byte = (const uint8_t *)entry;
	uint8_t sum = 0;
	uint32_t i;

	for (i = 0; i < sizeof(*entry); i++)
		sum ^= byte[i];
	return ~sum;
}

static void
cmd_post(struct bf_cmdq *q, struct cmd_slot *slot, const struct bf_cmd *cmd)
{
	struct bf_cmd_entry entry = { .type = BF_CMD_TYPE_PCI };
	const uint8_t *in = cmd->in;

	if (++slot->token == 0)
		slot->token = 1;
	entry.token = slot->token;
	entry.in_len = rte_cpu_to_be_32(cmd->in_len);
	entry.out_len = rte_cpu_to_be_32(cmd->out_len);
	memcpy(entry.in, in, BF_CMD_INLINE);
	if (cmd->in_len > BF_CMD_INLINE) {
		mboxes_fill(slot->in, slot->in_iova, slot->token, in + BF_CMD_INLINE,
			cmd->in_len - BF_CMD_INLINE);
		entry.in_ptr = rte_cpu_to_be_64(slot->in_iova);
	}
	if (cmd->out_len > BF_CMD_INLINE) {
		mboxes_fill(slot->out, slot->out_iova, slot->token, NULL,
			cmd->out_len - BF_CMD_INLINE);
		entry.out_ptr = rte_cpu_to_be_64(slot->out_iova);
	}
	entry.status_own = BF_CMD_OWNER_HW;
	entry.signature = entry_sign(&entry);
	/* the owner bit last: only then is the rest the device's */
	memcpy(slot->entry, &entry, offsetof(struct bf_cmd_entry, status_own));
	__atomic_store_n(&slot->entry->status_own, entry.status_own, __ATOMIC_RELEASE);
	q->hw->ops->write32(q->hw, BF_REG_CMD_DOORBELL, RTE_BIT32(slot->index));
}

static int
cmd_wait(struct bf_cmdq *q, enum bf_cmd_slot index, uint8_t *delivery)
{
	struct cmd_slot *slot = &q->slots[index];
	uint64_t end = bf_now_ms() + q->timeout_ms;
	uint32_t us = BF_CMD_POLL_MIN_US;
	bool late = false;
	uint8_t own;
	int ret;

	for (;;) {
		own = __atomic_load_n(&slot->entry->status_own, __ATOMIC_ACQUIRE);
		if ((own & BF_CMD_OWNER_HW) == 0) {
			*delivery = BF_CMD_DELIVERY(own);
			return 0;
		}
		if (late)
			return -ETIMEDOUT;
		ret = bf_cmdq_status(q);
		if (ret == 0)
			ret = q->watch(q->arg, index);
		if (ret != 0)
			return ret;
		rte_delay_us_sleep(us);
		us = RTE_MIN(us * 2, BF_CMD_POLL_MAX_US);
		/* one more look: this thread may not have run for long */
		late = bf_now_ms() >= end;
	}
}

static void
cmd_read(const struct cmd_slot *slot, struct bf_cmd *cmd)
{
	uint8_t *out = cmd->out;

	memcpy(out, slot->entry->out, BF_CMD_INLINE);
	cmd->status = bf_get(out, BF_OUT_STATUS);
	cmd->syndrome = bf_get(out, BF_OUT_SYNDROME);
	if (cmd->status == BF_STATUS_OK && cmd->out_len > BF_CMD_INLINE)
		mboxes_read(slot->out, out + BF_CMD_INLINE, cmd->out_len - BF_CMD_INLINE);
}

static int
cmd_check(struct bf_cmdq *q, const struct bf_cmd *cmd)
{
	uint16_t op = bf_get(cmd->in, BF_IN_OPCODE);

	if (cmd->delivery != BF_DELIVERY_OK) {
		BF_LOG(ERR, "%s: %s (op_mod 0x%x): not delivered: %s (delivery status 0x%x)",
			q->hw->name, bf_cmd_name(op), bf_get(cmd->in, BF_IN_OP_MOD),
			bf_cmd_delivery_text(cmd->delivery), cmd->delivery);
		return -EIO;
	}
	if (cmd->status != BF_STATUS_OK) {
		rte_log(cmd->quiet || cmd->status == cmd->expected ? RTE_LOG_DEBUG : RTE_LOG_ERR,
			bf_logtype, "COMCH_BLUEFIELD: "
			"%s: %s (op_mod 0x%x): %s (status 0x%x, syndrome 0x%08x)\n", q->hw->name,
			bf_cmd_name(op), bf_get(cmd->in, BF_IN_OP_MOD),
			bf_cmd_status_text(cmd->status), cmd->status, cmd->syndrome);
		return -EIO;
	}
	return 0;
}

int
bf_cmdq_exec(struct bf_cmdq *q, enum bf_cmd_slot index, struct bf_cmd *cmd)
{
	struct cmd_slot *slot = &q->slots[index];
	uint64_t start = q->hw->ops->cmd_ended != NULL ? bf_now_ns() : 0;
	int ret;

	cmd->status = BF_STATUS_OK;
	cmd->delivery = BF_DELIVERY_OK;
	cmd->syndrome = 0;
	if (cmd->in_len < BF_CMD_INLINE || cmd->out_len < BF_CMD_INLINE)
		return -EINVAL;
	if (cmd->in_len > BF_CMD_MAX_IN || cmd->out_len > BF_CMD_MAX_OUT)
		return -E2BIG;
	bf_lock(&slot->lock);
	ret = bf_cmdq_status(q);
	if (ret != 0) {
		bf_unlock(&slot->lock);
		return ret;
	}
	cmd_post(q, slot, cmd);
	ret = cmd_wait(q, index, &cmd->delivery);
	if (ret == 0) {
		if (cmd->delivery == BF_DELIVERY_OK)
			cmd_read(slot, cmd);
		ret = cmd_check(q, cmd);
	} else {
		/* dead while the lock is held: nobody else may use the slot */
		if (ret == -ETIMEDOUT)
			BF_LOG(ERR, "%s: %s (op_mod 0x%x): no answer in %u ms; the function must "
				"be reset", q->hw->name, bf_cmd_name(bf_get(cmd->in, BF_IN_OPCODE)),
				bf_get(cmd->in, BF_IN_OP_MOD), q->timeout_ms);
		else
			BF_LOG(ERR, "%s: %s (op_mod 0x%x): given up, the function has failed (%d)",
				q->hw->name, bf_cmd_name(bf_get(cmd->in, BF_IN_OPCODE)),
				bf_get(cmd->in, BF_IN_OP_MOD), ret);
		bf_cmdq_kill(q, ret);
	}
	bf_unlock(&slot->lock);
	if (q->hw->ops->cmd_ended != NULL)
		q->hw->ops->cmd_ended(q->hw, cmd, start, ret);
	__atomic_fetch_add(&q->cmds, 1, __ATOMIC_RELAXED);
	if (ret != 0)
		__atomic_fetch_add(&q->errors, 1, __ATOMIC_RELAXED);
	return ret;
}
