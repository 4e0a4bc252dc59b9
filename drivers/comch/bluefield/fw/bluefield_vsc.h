/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Semaphores of the card, through the vendor-specific capability in configuration
 * space. It uses hw only.
 */

#ifndef BLUEFIELD_VSC_H
#define BLUEFIELD_VSC_H

#include "bluefield_hw.h"

/*
 * Take the semaphore of firmware resets, which all physical functions of the card
 * share. 0; -EBUSY another one has it; -ENOTSUP the function has no such capability,
 * or not this semaphore; -EIO, -ENODEV.
 */
int bf_vsc_reset_lock(struct bf_hw *hw);

/* Give it back. */
void bf_vsc_reset_unlock(struct bf_hw *hw);

#endif
