/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the two halves of the evil server, socket and device, call of each other.
 * Nobody else includes this.
 */

#ifndef TEST_BLUEFIELD_EVIL_DEV_H
#define TEST_BLUEFIELD_EVIL_DEV_H

#include "test_bluefield_evil.h"

int evil_dev_create(struct evil_vfu *e);
void evil_dev_destroy(struct evil_vfu *e);
/** The client is gone: all that it gave is let go. */
void evil_dev_forget(struct evil_vfu *e);
/** Time goes by. */
void evil_dev_tick(struct evil_vfu *e);
/** A request, and the answer to it. @return an errno for the header. */
uint32_t evil_dev_request(struct evil_vfu *e, struct evil_msg *in, struct evil_msg *out);

#endif /* TEST_BLUEFIELD_EVIL_DEV_H */
