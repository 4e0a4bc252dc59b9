/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Threads and calls of a program, and the windows through which it reaches regions. What
 * the program does with them is in the runtime.
 */

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "comch_shm.h"
#include "shm_dpa.h"
#include "shm_fast.h"
#include "shm_msgq.h"

/* The index of a function; -ENOENT. */
static int
func_find(const struct shm_dpa *dpa, const char *name, enum shm_dpa_func_kind kind)
{
	uint32_t i;

	for (i = 0; i < dpa->nb_funcs; i++)
		if (dpa->funcs[i].kind == kind && strcmp(dpa->funcs[i].name, name) == 0)
			return i;
	return -ENOENT;
}

/* What a unit is to have. The epoch is written last. */
static uint32_t
unit_set(struct shm_dpa *dpa, uint32_t eu, uint32_t func, uint64_t arg)
{
	struct shm_dpa_host_eu *host = &shm_dpa_host(dpa)->eus[eu];

	__atomic_store_n(&host->func, func, __ATOMIC_RELAXED);
	__atomic_store_n(&host->arg, arg, __ATOMIC_RELAXED);
	__atomic_store_n(&host->epoch, host->epoch + 1, __ATOMIC_RELEASE);
	shm_dpa_wake(dpa, eu);
	return host->epoch;
}

/* Wait until it has seen that. */
static int
unit_settle(struct shm_dpa *dpa, uint32_t eu, uint32_t epoch)
{
	const uint32_t *seen = &shm_dpa_prog(dpa)->eus[eu].epoch;
	const uint64_t until = rte_comch_pmd_deadline(RTE_COMCH_DPA_CALL_MS);
	uint32_t us = SHM_DPA_LOOK_US;

	/* acquire: its function has returned before */
	while (__atomic_load_n(seen, __ATOMIC_ACQUIRE) != epoch) {
		if (shm_dpa_is_down(dpa))
			return 0;
		if (rte_get_tsc_cycles() > until)
			return -ETIMEDOUT;
		usleep(us);
		us = RTE_MIN(2 * us, (uint32_t)SHM_DPA_LOOK_MAX_US);
	}
	return 0;
}

int
shm_dpa_thread_create(struct rte_comch_dpa_thread *thread)
{
	struct shm_dpa *dpa = thread->dpa->priv;
	int func;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	func = func_find(dpa, thread->func, SHM_DPA_FUNC_THREAD);
	if (func < 0)
		return func;
	unit_set(dpa, thread->eu, func, thread->arg);
	return 0;
}

int
shm_dpa_thread_run(struct rte_comch_dpa_thread *thread)
{
	struct shm_dpa *dpa = thread->dpa->priv;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	__atomic_fetch_add(&shm_dpa_host(dpa)->eus[thread->eu].runs, 1, __ATOMIC_RELEASE);
	shm_dpa_wake(dpa, thread->eu);
	return 0;
}

int
shm_dpa_thread_destroy(struct rte_comch_dpa_thread *thread)
{
	struct shm_dpa *dpa = thread->dpa->priv;
	uint32_t epoch;
	int ret;

	if (shm_dpa_is_down(dpa))
		return 0;
	epoch = unit_set(dpa, thread->eu, SHM_DPA_NO_FUNC, 0);
	ret = unit_settle(dpa, thread->eu, epoch);
	if (ret != 0)
		shm_dpa_spins(dpa, thread->eu, "did not return from its function");
	return ret;
}

int
shm_dpa_rpc(struct rte_comch_dpa *api, const char *name, const uint64_t *args,
		uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret)
{
	struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_RPC };
	struct shm_dpa *dpa = api->priv;
	int func = func_find(dpa, name, SHM_DPA_FUNC_RPC);
	uint32_t eu;
	int err;

	if (func < 0)
		return func;
	msg.values[0] = func;
	msg.values[1] = nb_args;
	if (nb_args != 0)
		memcpy(&msg.values[2], args, nb_args * sizeof(args[0]));
	err = shm_dpa_request(dpa, &msg, -1, timeout_ms, ret);
	/* it may have asked for messages that are there: units that sleep look again */
	for (eu = 0; eu < api->nb_eus; eu++)
		shm_dpa_wake(dpa, eu);
	return err;
}

/*
 * Windows
 */

static uint64_t
window_size(const struct shm_region *region)
{
	return RTE_ALIGN_CEIL(region->own.size, region->own.page_size);
}

/* Have the program map it at an address. */
static int
window_map(struct shm_dpa *dpa, const struct shm_region *region, uint64_t addr, bool write)
{
	struct shm_dpa_msg msg = {
		.type = SHM_DPA_MSG_WINDOW, .values = { addr, window_size(region), write },
	};
	int fd = region->own.fd, ret;

	if (!write)
		fd = shm_dpa_fd_readonly(region->own.fd);
	if (fd < 0)
		return fd;
	ret = shm_dpa_request(dpa, &msg, fd, RTE_COMCH_DPA_CALL_MS, NULL);
	if (fd != region->own.fd)
		close(fd);
	return ret;
}

/*
 * Whether the program has nothing more of a region than its windows, by what the kernel tells:
 * else it is ended. -EIO: it has ended before, or does by this.
 */
static int
window_gone(struct shm_dpa *dpa, const struct shm_region *region, uint64_t addr)
{
	int ret = shm_dpa_look_gone(dpa, region->own.fd);

	if (ret == 0)
		return 0;
	/* somebody else may have ended it meanwhile, which looks like anything */
	if (ret == -EBUSY)
		shm_dpa_violation(dpa, SHM_DPA_NO_EU, "it kept a window", addr, 0);
	else if (!shm_dpa_process_over(dpa, SHM_DPA_LOOK_MS))
		shm_dpa_violation(dpa, SHM_DPA_NO_EU,
			"whether it kept a window cannot be looked at", addr, -ret);
	return -EIO;
}

/* One that is killed goes on for a moment: only when it is no more it maps nothing. */
static int
window_over(struct shm_dpa *dpa)
{
	return shm_dpa_process_over(dpa, RTE_COMCH_DPA_CALL_MS) ? 0 : -ETIMEDOUT;
}

static uint32_t
window_slot(const struct shm_dpa *dpa)
{
	uint32_t i;

	for (i = 0; i < SHM_DPA_MAX_WINDOWS && dpa->windows[i].size != 0; i++)
		;
	return i;
}

static void
window_slot_free(struct shm_dpa *dpa, uint32_t slot, uint64_t addr)
{
	struct shm_dpa_seg *space = &dpa->segs.seg[SHM_DPA_WINDOWS];

	shm_dpa_seg_free(space, addr - space->addr);
	dpa->windows[slot].size = 0;
	shm_dpa_look_addrs(dpa);
}

int
shm_dpa_window_create(struct rte_comch_dpa_window *window)
{
	bool write = (window->flags & RTE_COMCH_DPA_WINDOW_F_WRITE) != 0;
	const struct shm_region *region = window->mem->priv;
	struct shm_dpa *dpa = window->dpa->priv;
	struct shm_dpa_seg *space = &dpa->segs.seg[SHM_DPA_WINDOWS];
	const uint32_t slot = window_slot(dpa);
	struct shm_dpa_window *entry;
	uint64_t off;
	int ret;

	if (slot == SHM_DPA_MAX_WINDOWS)
		return -ENOSPC;
	ret = shm_dpa_seg_alloc(space, window_size(region),
			RTE_MAX(SHM_DPA_WINDOW_ALIGN, region->own.page_size), &off);
	if (ret != 0)
		return ret;
	dpa->windows[slot].size = window_size(region);
	dpa->windows[slot].fd = region->own.fd;
	dpa->windows[slot].write = write;
	shm_dpa_look_addrs(dpa);
	ret = window_map(dpa, region, space->addr + off, write);
	if (ret != 0) {
		window_slot_free(dpa, slot, space->addr + off);
		/* it may have it all the same */
		if (window_gone(dpa, region, space->addr + off) == 0)
			return -ENOMEM;
		window_over(dpa);
		return -EIO;
	}
	entry = &shm_dpa_host(dpa)->windows[slot];
	entry->addr = space->addr + off;
	entry->base = (uintptr_t)window->mem->addr;
	entry->len = window->mem->len;
	/* release: the program looks at it first */
	__atomic_store_n(&entry->flags, SHM_DPA_WINDOW_READ | (write ? SHM_DPA_WINDOW_WRITE : 0),
		__ATOMIC_RELEASE);
	window->handle = slot + 1;
	return 0;
}

/* Have the program unmap it. */
static int
window_unmap(struct shm_dpa *dpa, uint64_t addr, uint64_t size)
{
	struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_UNWINDOW, .values = { addr, size } };
	int ret;

	/* a copy that has found it before may be under way */
	ret = shm_msgq_units_settle(dpa, RTE_COMCH_DPA_CALL_MS);
	if (ret != 0) {
		shm_dpa_spins(dpa, SHM_DPA_NO_EU, "did not leave a window");
		return ret;
	}
	ret = shm_dpa_request(dpa, &msg, -1, RTE_COMCH_DPA_CALL_MS, NULL);
	if (ret == 0 || shm_dpa_is_down(dpa))
		return ret;
	/* it has to: else nobody could stop it, as it has a window */
	shm_dpa_violation(dpa, SHM_DPA_NO_EU, "its answer to the end of a window", addr, -ret);
	return -ETIMEDOUT;
}

int
shm_dpa_window_destroy(struct rte_comch_dpa_window *window)
{
	const struct shm_region *region = window->mem->priv;
	const uint32_t slot = window->handle - 1;
	struct shm_dpa *dpa = window->dpa->priv;
	struct shm_dpa_window *entry = &shm_dpa_host(dpa)->windows[slot];
	int ret = -EIO;

	__atomic_store_n(&entry->flags, 0, __ATOMIC_RELEASE);
	if (!shm_dpa_is_down(dpa))
		ret = window_unmap(dpa, entry->addr, window_size(region));
	dpa->windows[slot].fd = -1;
	if (ret == 0)
		ret = window_gone(dpa, region, entry->addr);
	if (ret == -EIO)
		ret = window_over(dpa);
	if (ret != 0)
		return ret;
	window_slot_free(dpa, slot, entry->addr);
	return 0;
}
