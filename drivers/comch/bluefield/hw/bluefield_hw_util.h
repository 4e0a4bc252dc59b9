/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What back ends of layer hw need beside the allocator: the bounds of registers,
 * addresses of EAL's memory, the end of an interrupt, and the look at a function that
 * was just opened.
 */

#ifndef BLUEFIELD_HW_UTIL_H
#define BLUEFIELD_HW_UTIL_H

#include <stdbool.h>

#include <rte_interrupts.h>

#include "bluefield_hw.h"

/*
 * Take a callback back, waiting for a call that is under way. -ETIMEDOUT if that
 * does not end: then what the callback uses must stay. Not in the callback; an alarm,
 * which runs in the same thread, may.
 */
int bf_irq_unregister(const char *name, const struct rte_intr_handle *intr,
		rte_intr_callback_fn cb, void *arg);

/*
 * How many vectors irq_enable() will connect: as many as the lcores can use, of those
 * that the function has and the back end can connect (limit). Says so if it has fewer.
 */
void bf_irqs_choose(struct bf_hw *hw, uint32_t limit);

/* Have the owner of a vector look at its queue, as if the device had interrupted. */
void bf_irq_kick(int fd);

/* Is a register of len bytes, aligned to that, inside of the BAR? */
static inline bool
bf_hw_bar_has(const struct bf_hw *hw, uint32_t off, uint32_t len)
{
	return off % len == 0 && len <= hw->bar_size && off <= hw->bar_size - len;
}

/* As in struct bf_hw_ops, of memory that EAL knows: its own, and what was registered. */
uint64_t bf_eal_iova(const void *addr, size_t *len);

/*
 * Have EAL keep the memory that it has now until the process ends. VFIO was given that in
 * pieces of whatever is contiguous, and the kernel takes a piece away as a whole: with a
 * page that EAL gives back, the device would lose all beside it, its command queue too.
 * What EAL takes later is mapped page by page.
 */
void bf_eal_mem_keep(void);

/* Vendor, device, BAR: 0 or a negative errno, logged with the remedy. */
int bf_hw_check(const struct bf_hw *hw, uint16_t vendor_id);

#endif
