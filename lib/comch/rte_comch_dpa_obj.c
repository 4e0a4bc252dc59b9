/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a program of an offload processor has beside message queues: threads, calls,
 * memory and windows. All of it is set-up: under the mutex, and by the driver.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_dpa.h"
#include "comch_private.h"

/*
 * Threads and calls
 */

static int
thread_conf_check(const struct comch_dpa *dpa, const struct rte_comch_dpa_thread_conf *conf)
{
	int ret;

	ret = comch_dpa_conf_check(dpa, "thread of a program", conf->flags, conf->reserved,
			RTE_DIM(conf->reserved));
	if (ret == 0)
		ret = comch_dpa_name_check(dpa, "thread", conf->func);
	if (ret != 0)
		return ret;
	if (conf->eu >= dpa->drv.nb_eus) {
		COMCH_LOG(ERR, "%s: eu %u of thread '%s', program '%s' has %u execution units: raise nb_eus",
			comch_dpa_dev_name(dpa), conf->eu, conf->func, dpa->drv.program,
			dpa->drv.nb_eus);
		return -EINVAL;
	}
	return 0;
}

/* With the mutex. */
static int
thread_create(struct comch_dpa *dpa, struct rte_comch_dpa_thread *thread)
{
	int ret = comch_dpa_usable(dpa, "thread");

	if (ret != 0)
		return ret;
	if ((dpa->eus & RTE_BIT64(thread->eu)) != 0) {
		COMCH_LOG(ERR, "%s: execution unit %u has a thread, give '%s' another eu",
			comch_dpa_dev_name(dpa), thread->eu, thread->func);
		return -EBUSY;
	}
	if (dpa->nb_threads >= dpa->info.max_threads) {
		COMCH_LOG(ERR, "%s: program '%s' has %u threads, no more fit",
			comch_dpa_dev_name(dpa), dpa->drv.program, dpa->nb_threads);
		return -ENOSPC;
	}
	ret = comch_dpa_ops(dpa)->thread_create(thread);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: program '%s' has no thread '%s': %s%s",
			comch_dpa_dev_name(dpa), dpa->drv.program, thread->func, strerror(-ret),
			ret == -ENOENT ? ", name one of its thread functions" : "");
		return ret;
	}
	dpa->eus |= RTE_BIT64(thread->eu);
	dpa->nb_threads++;
	return 0;
}

int
rte_comch_dpa_thread_create(struct rte_comch_dpa *drv,
		const struct rte_comch_dpa_thread_conf *conf, struct rte_comch_dpa_thread **out)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct rte_comch_dpa_thread *thread;
	int ret;

	if (drv == NULL || conf == NULL || out == NULL)
		return -EINVAL;
	ret = thread_conf_check(dpa, conf);
	if (ret != 0)
		return ret;
	thread = calloc(1, sizeof(*thread));
	if (thread == NULL)
		return -ENOMEM;
	thread->dpa = drv;
	strlcpy(thread->func, conf->func, sizeof(thread->func));
	thread->arg = conf->arg;
	thread->eu = conf->eu;
	comch_dpa_lock(dpa);
	ret = thread_create(dpa, thread);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		*out = thread;
	else
		free(thread);
	return ret;
}

int
rte_comch_dpa_thread_run(struct rte_comch_dpa_thread *thread)
{
	struct comch_dpa *dpa;
	int ret;

	if (thread == NULL)
		return -EINVAL;
	dpa = comch_dpa(thread->dpa);
	comch_dpa_lock(dpa);
	ret = comch_dpa_usable(dpa, "run of a thread");
	if (ret == 0)
		ret = comch_dpa_ops(dpa)->thread_run(thread);
	comch_dpa_unlock(dpa);
	return ret;
}

/* With the mutex. */
static int
thread_destroy(struct comch_dpa *dpa, struct rte_comch_dpa_thread *thread)
{
	int ret;

	if (thread->refs != 0) {
		COMCH_LOG(ERR, "%s: thread '%s' is woken by %u completion contexts, destroy them first",
			comch_dpa_dev_name(dpa), thread->func, thread->refs);
		return -EBUSY;
	}
	ret = comch_dpa_ops(dpa)->thread_destroy(thread);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: thread '%s' on execution unit %u does not return: its program ends, destroy the thread again",
			comch_dpa_dev_name(dpa), thread->func, thread->eu);
		return ret;
	}
	dpa->eus &= ~RTE_BIT64(thread->eu);
	dpa->nb_threads--;
	return 0;
}

int
rte_comch_dpa_thread_destroy(struct rte_comch_dpa_thread *thread)
{
	struct comch_dpa *dpa;
	int ret;

	if (thread == NULL)
		return 0;
	dpa = comch_dpa(thread->dpa);
	comch_dpa_lock(dpa);
	ret = thread_destroy(dpa, thread);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		free(thread);
	return ret;
}

/* With the mutex. */
static int
rpc_call(struct comch_dpa *dpa, const char *func, const uint64_t *args, uint32_t nb_args,
		uint32_t timeout_ms, uint64_t *ret_value)
{
	int ret = comch_dpa_usable(dpa, "RPC");

	if (ret != 0)
		return ret;
	ret = comch_dpa_ops(dpa)->rpc(&dpa->drv, func, args, nb_args, timeout_ms, ret_value);
	if (ret == -ENOENT)
		COMCH_LOG(ERR, "%s: program '%s' has no RPC '%s', name one of its RPC functions",
			comch_dpa_dev_name(dpa), dpa->drv.program, func);
	else if (ret == -ETIMEDOUT)
		COMCH_LOG(ERR, "%s: RPC '%s' of program '%s' has not returned after %u ms, the program ends: stop and start it",
			comch_dpa_dev_name(dpa), func, dpa->drv.program, timeout_ms);
	return ret;
}

int
rte_comch_dpa_rpc(struct rte_comch_dpa *drv, const char *func, const uint64_t *args,
		uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret_value)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	uint64_t got = 0;
	int ret;

	if (drv == NULL || comch_dpa_name_check(dpa, "RPC", func) != 0)
		return -EINVAL;
	if (nb_args > RTE_COMCH_DPA_RPC_MAX_ARGS || (args == NULL && nb_args != 0) ||
			timeout_ms > RTE_COMCH_DPA_RPC_MAX_MS) {
		COMCH_LOG(ERR, "%s: RPC '%s' with %u arguments at %p and %u ms: at most %d arguments, and %d ms",
			comch_dpa_dev_name(dpa), func, nb_args, (const void *)args, timeout_ms,
			RTE_COMCH_DPA_RPC_MAX_ARGS, RTE_COMCH_DPA_RPC_MAX_MS);
		return -EINVAL;
	}
	if (timeout_ms == 0)
		timeout_ms = RTE_COMCH_DPA_RPC_DFLT_MS;
	comch_dpa_lock(dpa);
	ret = rpc_call(dpa, func, args, nb_args, timeout_ms, &got);
	comch_dpa_unlock(dpa);
	if (ret == 0 && ret_value != NULL)
		*ret_value = got;
	return ret;
}

/*
 * Memory
 */

int
rte_comch_dpa_mem_alloc(struct rte_comch_dpa *drv, uint64_t len, uint64_t *addr)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	uint64_t got;
	int ret;

	if (drv == NULL || addr == NULL || len == 0)
		return -EINVAL;
	comch_dpa_lock(dpa);
	ret = comch_dpa_usable(dpa, "memory");
	if (ret == 0)
		ret = len > drv->mem_size ? -ENOMEM :
			comch_dpa_ops(dpa)->mem_alloc(drv, len, &got);
	if (ret == 0) {
		dpa->nb_mems++;
		*addr = got;
	} else if (ret == -ENOMEM) {
		COMCH_LOG(ERR, "%s: no room for %" PRIu64 " bytes in the memory of program '%s', %" PRIu64 " bytes: raise its mem_size",
			comch_dpa_dev_name(dpa), len, drv->program, drv->mem_size);
	}
	comch_dpa_unlock(dpa);
	return ret;
}

int
rte_comch_dpa_mem_free(struct rte_comch_dpa *drv, uint64_t addr)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	int ret;

	if (drv == NULL)
		return -EINVAL;
	comch_dpa_lock(dpa);
	/* also if the program has ended */
	ret = dpa->started ? comch_dpa_ops(dpa)->mem_free(drv, addr) : -ENOTCONN;
	if (ret == 0)
		dpa->nb_mems--;
	else
		COMCH_LOG(ERR, "%s: no memory of program '%s' at 0x%" PRIx64 ", free what rte_comch_dpa_mem_alloc() gave, once",
			comch_dpa_dev_name(dpa), drv->program, addr);
	comch_dpa_unlock(dpa);
	return ret;
}

/* Whether a copy can be tried; with the mutex. */
static int
mem_copy_check(struct comch_dpa *dpa, uint64_t addr, uint64_t len)
{
	int ret = comch_dpa_usable(dpa, "copy");

	if (ret == 0 && len > UINT64_MAX - addr)
		ret = -EFAULT;
	return ret;
}

static void
mem_copy_log(const struct comch_dpa *dpa, int error, uint64_t addr, uint64_t len)
{
	if (error == -EFAULT)
		COMCH_LOG(ERR, "%s: %" PRIu64 " bytes at 0x%" PRIx64 " are not in memory that was allocated for program '%s'",
			comch_dpa_dev_name(dpa), len, addr, dpa->drv.program);
}

int
rte_comch_dpa_mem_write(struct rte_comch_dpa *drv, uint64_t addr, const void *src, uint64_t len)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	int ret;

	if (drv == NULL || src == NULL)
		return -EINVAL;
	comch_dpa_lock(dpa);
	ret = mem_copy_check(dpa, addr, len);
	if (ret == 0 && len != 0)
		ret = comch_dpa_ops(dpa)->mem_write(drv, addr, src, len);
	comch_dpa_unlock(dpa);
	mem_copy_log(dpa, ret, addr, len);
	return ret;
}

int
rte_comch_dpa_mem_read(struct rte_comch_dpa *drv, void *dst, uint64_t addr, uint64_t len)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	int ret;

	if (drv == NULL || dst == NULL)
		return -EINVAL;
	comch_dpa_lock(dpa);
	ret = mem_copy_check(dpa, addr, len);
	if (ret == 0 && len != 0)
		ret = comch_dpa_ops(dpa)->mem_read(drv, dst, addr, len);
	comch_dpa_unlock(dpa);
	mem_copy_log(dpa, ret, addr, len);
	return ret;
}

/*
 * Windows
 */

static int
window_check(const struct comch_dpa *dpa, const struct rte_comch_mem *mem, uint32_t flags)
{
	if (flags == 0 || (flags & ~RTE_COMCH_DPA_WINDOW_F_ALL) != 0) {
		COMCH_LOG(ERR, "%s: flags 0x%x of a window: RTE_COMCH_DPA_WINDOW_F_READ, _WRITE, or both",
			comch_dpa_dev_name(dpa), flags);
		return -EINVAL;
	}
	if (mem->dev != dpa->drv.dev) {
		COMCH_LOG(ERR, "%s: the region of a window is one of %s, allocate one of this device",
			comch_dpa_dev_name(dpa), mem->dev->data->name);
		return -EINVAL;
	}
	if ((mem->flags & RTE_COMCH_MEM_F_DPA) == 0) {
		COMCH_LOG(ERR, "%s: programs may not have the region of a window, allocate it with RTE_COMCH_MEM_F_DPA",
			comch_dpa_dev_name(dpa));
		return -EACCES;
	}
	return 0;
}

/* With the mutex. */
static int
window_create(struct comch_dpa *dpa, struct rte_comch_dpa_window *window)
{
	int ret = comch_dpa_usable(dpa, "window");

	if (ret != 0)
		return ret;
	if (dpa->nb_windows >= dpa->info.max_windows) {
		COMCH_LOG(ERR, "%s: program '%s' has %u windows, no more fit",
			comch_dpa_dev_name(dpa), dpa->drv.program, dpa->nb_windows);
		return -ENOSPC;
	}
	ret = comch_dpa_ops(dpa)->window_create(window);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no window for program '%s': %s", comch_dpa_dev_name(dpa),
			dpa->drv.program, strerror(-ret));
		return ret;
	}
	dpa->nb_windows++;
	comch_mem_hold(window->mem);
	return 0;
}

int
rte_comch_dpa_window_create(struct rte_comch_dpa *drv, struct rte_comch_mem *mem, uint32_t flags,
		struct rte_comch_dpa_window **out)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct rte_comch_dpa_window *window;
	int ret;

	if (drv == NULL || mem == NULL || out == NULL)
		return -EINVAL;
	ret = window_check(dpa, mem, flags);
	if (ret != 0)
		return ret;
	window = calloc(1, sizeof(*window));
	if (window == NULL)
		return -ENOMEM;
	window->dpa = drv;
	window->mem = mem;
	window->flags = flags;
	comch_dpa_lock(dpa);
	ret = window_create(dpa, window);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		*out = window;
	else
		free(window);
	return ret;
}

int
rte_comch_dpa_window_destroy(struct rte_comch_dpa_window *window)
{
	struct comch_dpa *dpa;
	int ret;

	if (window == NULL)
		return 0;
	dpa = comch_dpa(window->dpa);
	comch_dpa_lock(dpa);
	ret = comch_dpa_ops(dpa)->window_destroy(window);
	if (ret == 0)
		dpa->nb_windows--;
	comch_dpa_unlock(dpa);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: program '%s' does not let go of a window: it ends, destroy the window again",
			comch_dpa_dev_name(dpa), dpa->drv.program);
		return ret;
	}
	comch_mem_drop(window->mem);
	free(window);
	return 0;
}

int
rte_comch_dpa_window_handle_get(const struct rte_comch_dpa_window *window, uint32_t *handle)
{
	if (window == NULL || handle == NULL)
		return -EINVAL;
	*handle = window->handle;
	return 0;
}
