/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The vendor-specific capability: a window of two words, address and data, into
 * spaces of the card, with a lock of its own. What is in it is known from the Linux
 * driver (lib/pci_vsc.c). Nothing but the semaphore space is used here.
 *
 * The kernel's VFIO passes accesses to vendor-specific capabilities through.
 */

#include <errno.h>

#include <linux/pci_regs.h>

#include <rte_bitops.h>
#include <rte_cycles.h>

#include "bluefield_lock.h"
#include "bluefield_times.h"
#include "bluefield_vsc.h"

/* Bytes from the start of the capability. */
#define VSC_CTRL 0x04 /* 15:0 space, 31:29 status: 0 if there is no such space */
#define VSC_COUNTER 0x08
#define VSC_LOCK 0x0c /* 0: nobody has the window */
#define VSC_ADDR 0x10 /* 31 flag: write this; a one when reading is done */
#define VSC_DATA 0x14
#define VSC_SIZE 0x18

#define VSC_SPACE_MASK 0xffffu
#define VSC_STATUS(v) ((v) >> 29)
#define VSC_FLAG RTE_BIT32(31)
#define VSC_SPACE_SEMAPHORES 0xau
#define VSC_SEM_RESET 0x20u

/* More than configuration space has room for. */
#define MAX_CAPS 48
/* The counter passes 0 and all ones when it wraps around. */
#define NUMBER_TRIES 3

static int
config_read(struct bf_hw *hw, uint32_t off, uint32_t *val)
{
	return hw->ops->config_read32(hw, off, val);
}

static int
config_write(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	return hw->ops->config_write32(hw, off, val);
}

static int
vsc_find(struct bf_hw *hw, uint32_t *vsc)
{
	uint32_t val = 0, pos, i;
	int ret;

	ret = config_read(hw, PCI_CAPABILITY_LIST, &val);
	for (i = 0; ret == 0 && i < MAX_CAPS; i++) {
		pos = (i == 0 ? val : val >> 8) & 0xfc;
		if (pos < PCI_STD_HEADER_SIZEOF)
			break;
		ret = config_read(hw, pos, &val);
		if (ret == 0 && val == BF_ALL_ONES)
			ret = -ENODEV;
		*vsc = pos;
		/* behind the header there are other capabilities, which are not ours to write */
		if (ret == 0 && (val & 0xff) == PCI_CAP_ID_VNDR)
			return pos + VSC_SIZE <= PCI_CFG_SPACE_SIZE ? 0 : -ENOTSUP;
	}
	return ret != 0 ? ret : -ENOTSUP;
}

/* Until the bits of a word are as they should; the word is then in val. */
static int
vsc_wait(struct bf_hw *hw, uint32_t off, uint32_t mask, uint32_t bits, uint32_t *val)
{
	uint64_t end = bf_now_ms() + BF_VSC_WAIT_MS;
	bool late;
	int ret;

	do {
		late = bf_now_ms() >= end;
		ret = config_read(hw, off, val);
		if (ret == 0 && *val == BF_ALL_ONES)
			ret = -ENODEV;
		if (ret != 0 || (*val & mask) == bits)
			return ret;
		rte_delay_us_sleep(BF_VSC_POLL_US);
	} while (!late);
	return -EBUSY;
}

/* A number that nobody else has. 0 would give back what others have taken. */
static int
number_take(struct bf_hw *hw, uint32_t vsc, uint32_t *number)
{
	int ret, i;

	for (i = 0; i < NUMBER_TRIES; i++) {
		ret = config_read(hw, vsc + VSC_COUNTER, number);
		if (ret != 0 || (*number != 0 && *number != BF_ALL_ONES))
			return ret;
	}
	return *number == 0 ? -EIO : -ENODEV;
}

/* The window is ours if its lock reads as the number that we took from the counter. */
static int
window_lock(struct bf_hw *hw, uint32_t vsc)
{
	uint32_t val, number = 0;
	int ret;

	ret = vsc_wait(hw, vsc + VSC_LOCK, UINT32_MAX, 0, &val);
	if (ret == 0)
		ret = number_take(hw, vsc, &number);
	if (ret == 0)
		ret = config_write(hw, vsc + VSC_LOCK, number);
	if (ret == 0)
		ret = config_read(hw, vsc + VSC_LOCK, &val);
	if (ret == 0 && val != number)
		ret = -EBUSY;
	return ret;
}

static void
window_unlock(struct bf_hw *hw, uint32_t vsc)
{
	config_write(hw, vsc + VSC_LOCK, 0);
}

static int
window_space(struct bf_hw *hw, uint32_t vsc, uint32_t space)
{
	uint32_t val = 0;
	int ret;

	ret = config_read(hw, vsc + VSC_CTRL, &val);
	if (ret == 0)
		ret = config_write(hw, vsc + VSC_CTRL, (val & ~VSC_SPACE_MASK) | space);
	if (ret == 0)
		ret = config_read(hw, vsc + VSC_CTRL, &val);
	if (ret == 0 && VSC_STATUS(val) == 0)
		ret = -ENOTSUP;
	return ret;
}

/* The space is that of semaphores: one that is taken keeps the number that it has. */
static int
sem_write(struct bf_hw *hw, uint32_t vsc, uint32_t sem, uint32_t number)
{
	uint32_t val;
	int ret;

	ret = config_write(hw, vsc + VSC_DATA, number);
	if (ret == 0)
		ret = config_write(hw, vsc + VSC_ADDR, sem | VSC_FLAG);
	if (ret == 0)
		ret = vsc_wait(hw, vsc + VSC_ADDR, VSC_FLAG, 0, &val);
	return ret;
}

static int
sem_read(struct bf_hw *hw, uint32_t vsc, uint32_t sem, uint32_t *number)
{
	uint32_t val;
	int ret;

	ret = config_write(hw, vsc + VSC_ADDR, sem);
	if (ret == 0)
		ret = vsc_wait(hw, vsc + VSC_ADDR, VSC_FLAG, VSC_FLAG, &val);
	if (ret == 0)
		ret = config_read(hw, vsc + VSC_DATA, number);
	return ret;
}

static int
sem_take(struct bf_hw *hw, uint32_t vsc, uint32_t sem)
{
	uint32_t number = 0, got = 0;
	int ret;

	ret = number_take(hw, vsc, &number);
	if (ret == 0)
		ret = sem_write(hw, vsc, sem, number);
	if (ret == 0)
		ret = sem_read(hw, vsc, sem, &got);
	if (ret == 0 && got != number)
		ret = -EBUSY;
	return ret;
}

static int
sem_give(struct bf_hw *hw, uint32_t vsc, uint32_t sem)
{
	return sem_write(hw, vsc, sem, 0);
}

/* Do it with the semaphore of firmware resets, while the window is ours. */
static int
reset_sem(struct bf_hw *hw, int (*op)(struct bf_hw *hw, uint32_t vsc, uint32_t sem))
{
	uint32_t vsc = 0;
	int ret;

	ret = vsc_find(hw, &vsc);
	if (ret == 0)
		ret = window_lock(hw, vsc);
	if (ret != 0)
		return ret;
	ret = window_space(hw, vsc, VSC_SPACE_SEMAPHORES);
	if (ret == 0)
		ret = op(hw, vsc, VSC_SEM_RESET);
	window_unlock(hw, vsc);
	return ret;
}

int
bf_vsc_reset_lock(struct bf_hw *hw)
{
	return reset_sem(hw, sem_take);
}

void
bf_vsc_reset_unlock(struct bf_hw *hw)
{
	int ret = reset_sem(hw, sem_give);

	if (ret != 0)
		BF_LOG(WARNING, "%s: the card's semaphore of firmware resets cannot be given "
			"back (%d); the next firmware reset may need a power cycle", hw->name, ret);
}
