/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the two halves of the hostile server, socket and device, call of each other.
 * Nobody else includes this.
 */

#ifndef TEST_BLUEFIELD_HOSTILE_DEV_H
#define TEST_BLUEFIELD_HOSTILE_DEV_H

#include "test_bluefield_hostile.h"

int hostile_dev_create(struct hostile_vfu *e);
void hostile_dev_destroy(struct hostile_vfu *e);
/** The client is gone: all that it gave is let go. */
void hostile_dev_forget(struct hostile_vfu *e);
/** Time goes by. */
void hostile_dev_tick(struct hostile_vfu *e);
/** A request, and the answer to it. @return an errno for the header. */
uint32_t
hostile_dev_request(struct hostile_vfu *e, struct hostile_msg *in, struct hostile_msg *out);

#endif /* TEST_BLUEFIELD_HOSTILE_DEV_H */
