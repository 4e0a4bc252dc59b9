/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The back end of objects for a function that is ours: their commands go to firmware.
 * This is all that is known of it above layer fw.
 */

#ifndef BLUEFIELD_FW_H
#define BLUEFIELD_FW_H

#include "bluefield_func.h"
#include "bluefield_seam.h"

/*
 * The function outlives it. 0 or -ENOMEM, logged.
 *
 * After a reset of the function all older objects are void. If an object cannot be
 * destroyed because the function has failed, or because a command was lost, its memory
 * stays with the function until that is reset.
 */
int bf_fw_open(struct bf_func *func, struct bf_obj_dev **dev);

/* All objects and all memory were given back. NULL is nothing. */
void bf_fw_close(struct bf_obj_dev *dev);

#endif
