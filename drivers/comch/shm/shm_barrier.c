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

#include <rte_cycles.h>

#include "shm_fast.h"

RTE_LOG_REGISTER_DEFAULT(shm_logtype, NOTICE);

/*
 * Whether a line about the peers of a function is logged: they can cause any number. Each
 * fills a pause, and only a few pauses may be ahead. What was left out is told by the next.
 */
bool
shm_peer_logs(const struct shm_dev *dev, struct shm_func *func, uint32_t level)
{
	const uint64_t pause = rte_get_tsc_hz() / MS_PER_S * SHM_LOG_MS;
	uint64_t until = __atomic_load_n(&func->log_until, __ATOMIC_RELAXED);
	uint64_t now = rte_get_tsc_cycles(), from = RTE_MAX(until, now);
	uint32_t nb;

	if (!rte_log_can_log(shm_logtype, level))
		return false;
	/* another thread logs at this moment, or there is too much */
	if (from - now > (SHM_LOG_BURST - 1) * pause ||
			!__atomic_compare_exchange_n(&func->log_until, &until, from + pause,
				false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
		__atomic_fetch_add(&func->nb_unlogged, 1, __ATOMIC_RELAXED);
		return false;
	}
	nb = __atomic_exchange_n(&func->nb_unlogged, 0, __ATOMIC_RELAXED);
	if (nb != 0)
		rte_log(level, shm_logtype, "COMCH_SHM: %s: %u lines about processes on %s were not logged\n",
			dev->dev->data->name, nb, func->name);
	return true;
}

/* Of the whole process: whether what begins from now on relies on it. Relaxed, as all here. */
static bool membarrier_ok;
/* Devices that were made with it; and that it has failed since the first of them was. */
static uint32_t nb_relying;
static bool membarrier_failed;

static int
membarrier(int cmd)
{
	return syscall(SYS_membarrier, cmd, 0, 0);
}

/* For one device: whether it relies on others' fences, until shm_barrier_fini(). */
bool
shm_barrier_init(void)
{
	const int need = MEMBARRIER_CMD_PRIVATE_EXPEDITED | MEMBARRIER_CMD_GLOBAL_EXPEDITED;
	int cmds = membarrier(MEMBARRIER_CMD_QUERY);
	bool ok = cmds >= 0 && (cmds & need) == need &&
		membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0 &&
		membarrier(MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED) == 0;

	__atomic_store_n(&membarrier_ok, ok, __ATOMIC_RELAXED);
	if (!ok) {
		SHM_LOG(INFO, "no membarrier() here: producers and consumers fence each burst");
		return false;
	}
	if (__atomic_fetch_add(&nb_relying, 1, __ATOMIC_RELAXED) == 0)
		__atomic_store_n(&membarrier_failed, false, __ATOMIC_RELAXED);
	return true;
}

void
shm_barrier_fini(void)
{
	__atomic_fetch_sub(&nb_relying, 1, __ATOMIC_RELAXED);
}

/* Those that rely on it must end. */
bool
shm_barrier_failed(void)
{
	return __atomic_load_n(&membarrier_failed, __ATOMIC_RELAXED);
}

/* This process cannot make others fence, and others cannot make it. */
bool
shm_fences_needed(void)
{
	return !__atomic_load_n(&membarrier_ok, __ATOMIC_RELAXED);
}

/*
 * The other form of the call needs no memory, and takes milliseconds. If that fails as well,
 * as by a filter of system calls that came later, the devices fail. Until they have ended,
 * nothing is lost: stores of other cores are seen long before the pause is over.
 */
static void
barrier(int cmd)
{
	/* without it each of them fences itself, see shm_light_fence() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&nb_relying, __ATOMIC_RELAXED) == 0 || membarrier(cmd) == 0 ||
			membarrier(MEMBARRIER_CMD_GLOBAL) == 0)
		return;
	__atomic_store_n(&membarrier_failed, true, __ATOMIC_RELAXED);
	rte_delay_us_sleep(SHM_CUT_US);
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* A full fence in all threads of this process. */
void
shm_barrier_process(void)
{
	barrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

/* A full fence in all threads of all processes that have this driver. */
void
shm_barrier_all(void)
{
	barrier(MEMBARRIER_CMD_GLOBAL_EXPEDITED);
}
