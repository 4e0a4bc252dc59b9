/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_SHM_LEDGER_H
#define TEST_SHM_LEDGER_H

/** @file What the files of suite shm_ledger share. */

#include "test_shm_peer_fast.h"

/** Descriptors that a user may take. */
#define MAX_FDS 128u

/* test_shm_ledger_engine.c */

/** A case: an engine that comes when a user has taken all of its descriptors. */
int ledger_late_engine(void);

#endif /* TEST_SHM_LEDGER_H */
