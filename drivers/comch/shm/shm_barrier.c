/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The log of the driver, and fences that one thread makes others pass: who sleeps or
 * ends asks for them, so that bursts need none.
 */

#include <sys/syscall.h>
#include <unistd.h>

#include <linux/membarrier.h>

#include "shm_fast.h"

RTE_LOG_REGISTER_DEFAULT(shm_logtype, NOTICE);

/* Of the whole process: set by the first device. */
static bool membarrier_ok;

static int
membarrier(int cmd)
{
	return syscall(SYS_membarrier, cmd, 0, 0);
}

void
shm_barrier_init(void)
{
	const int need = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_GLOBAL_EXPEDITED;
	int cmds = membarrier(MEMBARRIER_CMD_QUERY);

	membarrier_ok = cmds >= 0 && (cmds & need) == need &&
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
		membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;
	if (!membarrier_ok)
		SHM_LOG(INFO, "no membarrier() here: producers and consumers fence each burst");
}

/* This process cannot make others fence, and others cannot make it. */
bool
shm_fences_needed(void)
{
	return !membarrier_ok;
}

/* A full fence in all threads of this process. */
void
shm_barrier_process(void)
{
	/* without it each of them fences itself, see shm_light_fence() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (membarrier_ok)
		membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/* A full fence in all threads of all processes that have this driver. */
void
shm_barrier_all(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (membarrier_ok)
		membarrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
