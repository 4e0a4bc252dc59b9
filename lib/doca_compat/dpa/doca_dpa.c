/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors: their life, their programs, memory and calls. Threads and
 * completion contexts are in doca_dpa_thread.c.
 *
 * A program is bytes in the host's program. rte_comch takes a file: it is one in memory,
 * which has no name and ends with the processor.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_common.h>

#include <doca_dev.h>
#include <doca_log.h>

#include "doca_dpa_app_private.h"
#include "doca_dpa_private.h"
#include "doca_mem_private.h"
#include "doca_private.h"

#define DPA_PATH_SIZE 64

/* Of the program, which gets it only when it writes. */
#define DPA_MEM_SIZE (UINT64_C(256) << 20)

/* The function of the layer in each program. */
#define DPA_LEVEL_FUNC "doca_dpa_log_level"

doca_error_t
doca_dpa_cap_is_supported(const struct doca_devinfo *devinfo)
{
	struct rte_comch_dev_info info;

	return doca_compat_devinfo_limits(devinfo, RTE_COMCH_CAPA_DPA, &info);
}

/* The device of rte_comch, and its limits. */
static doca_error_t
dpa_dev_find(struct doca_dpa *dpa)
{
	doca_error_t result = doca_compat_func_dpa_dev(dpa->func, &dpa->dev_id);
	int ret;

	if (result != DOCA_SUCCESS)
		return result;
	ret = rte_comch_dpa_info_get(dpa->dev_id, &dpa->info);
	if (ret != 0)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
				"device %s has no offload processors: %s",
				doca_compat_dev_name(dpa->dev), dpa->info.reason);
	return doca_compat_result(ret);
}

doca_error_t
doca_dpa_create(struct doca_dev *dev, struct doca_dpa **dpa)
{
	struct rte_comch_dev_info info;
	struct doca_dpa *created;
	doca_error_t result;

	if (dev == NULL || dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_devinfo_limits(doca_dev_as_devinfo(dev), RTE_COMCH_CAPA_DPA, &info);
	if (result != DOCA_SUCCESS)
		return result;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dev = dev;
	created->func = doca_compat_dev_func(dev);
	created->program = -1;
	result = dpa_dev_find(created);
	if (result != DOCA_SUCCESS) {
		free(created);
		return result;
	}
	doca_compat_dev_hold(dev, NULL);
	*dpa = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_destroy(struct doca_dpa *dpa)
{
	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte != NULL || dpa->nb_users != 0)
		return DOCA_ERROR_IN_USE;
	doca_compat_dev_release(dpa->dev, NULL);
	free(dpa);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_set_app(struct doca_dpa *dpa, struct doca_dpa_app *app)
{
	if (dpa == NULL || app == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	if (app->version != DOCA_DPA_APP_VERSION) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
				"the program was built by another release: build it with comch-dpacc of this one");
		return DOCA_ERROR_UNSUPPORTED_VERSION;
	}
	dpa->app = app;
	return DOCA_SUCCESS;
}

/* Have the program know its level. */
static doca_error_t
dpa_level_tell(struct doca_dpa *dpa)
{
	const uint64_t level = dpa->log_level;
	uint64_t ret;

	if (level == 0)
		return DOCA_SUCCESS;
	return doca_compat_dpa_result(rte_comch_dpa_rpc(dpa->rte, DPA_LEVEL_FUNC, &level, 1, 0,
			&ret));
}

doca_error_t
doca_dpa_set_log_level(struct doca_dpa *dpa, enum doca_dpa_dev_log_level log_level)
{
	if (dpa == NULL || log_level < DOCA_DPA_DEV_LOG_LEVEL_DISABLE ||
			log_level > DOCA_DPA_DEV_LOG_LEVEL_DEBUG || log_level % 10 != 0)
		return DOCA_ERROR_INVALID_VALUE;
	dpa->log_level = log_level;
	return dpa->rte == NULL ? DOCA_SUCCESS : dpa_level_tell(dpa);
}

doca_error_t
doca_dpa_get_total_num_eus_available(struct doca_dpa *dpa, unsigned int *num_eus)
{
	if (dpa == NULL || num_eus == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*num_eus = dpa->info.nb_eus;
	return DOCA_SUCCESS;
}

static int
write_all(int fd, const uint8_t *bytes, size_t len)
{
	ssize_t done;

	for (; len > 0; bytes += done, len -= done) {
		done = write(fd, bytes, len);
		if (done < 0 && errno == EINTR)
			done = 0;
		else if (done <= 0)
			return -1;
	}
	return 0;
}

/* Have the program as a file. Nobody may have it open for writing when it is executed. */
static int
program_open(const struct doca_dpa_app *app)
{
	char path[DPA_PATH_SIZE];
	int fd, exe = -1;

	fd = memfd_create(app->name, MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write_all(fd, app->elf, app->elf_end - app->elf) == 0)
		exe = open(path, O_RDONLY | O_CLOEXEC);
	close(fd);
	return exe;
}

/* Why rte_comch has not started a program. */
static doca_error_t
start_error(struct doca_dpa *dpa, int ret)
{
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
			"device %s: the program %s does not start: %s: the log of the driver says more",
			doca_compat_dev_name(dpa->dev), dpa->app->name, strerror(-ret));
	switch (ret) {
	case -EPERM:
		return DOCA_ERROR_NOT_PERMITTED;
	case -ENOMEM:
		return DOCA_ERROR_NO_MEMORY;
	default:
		return DOCA_ERROR_DRIVER;
	}
}

static void
dpa_end(struct doca_dpa *dpa)
{
	rte_comch_dpa_destroy(dpa->rte);
	dpa->rte = NULL;
	close(dpa->program);
}

doca_error_t
doca_dpa_start(struct doca_dpa *dpa)
{
	struct rte_comch_dpa_conf conf = {0};
	char path[DPA_PATH_SIZE];
	doca_error_t result;
	int ret;

	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte != NULL || dpa->app == NULL)
		return DOCA_ERROR_BAD_STATE;
	dpa->program = program_open(dpa->app);
	if (dpa->program < 0)
		return start_error(dpa, -errno);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", dpa->program);
	conf.program = path;
	conf.nb_eus = dpa->info.nb_eus;
	conf.mem_size = RTE_MIN(DPA_MEM_SIZE, dpa->info.max_mem_size);
	ret = rte_comch_dpa_create(dpa->dev_id, &conf, &dpa->rte);
	if (ret == 0)
		ret = rte_comch_dpa_start(dpa->rte);
	if (ret != 0) {
		dpa_end(dpa);
		return start_error(dpa, ret);
	}
	result = doca_compat_mmap_dpa_join(dpa->func, dpa->rte);
	if (result == DOCA_SUCCESS)
		return dpa_level_tell(dpa);
	rte_comch_dpa_stop(dpa->rte);
	dpa_end(dpa);
	return result;
}

doca_error_t
doca_dpa_stop(struct doca_dpa *dpa)
{
	int ret;

	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	doca_compat_mmap_dpa_leave(dpa->rte);
	ret = rte_comch_dpa_stop(dpa->rte);
	if (ret == 0) {
		dpa_end(dpa);
		return DOCA_SUCCESS;
	}
	/* something else is in use, and goes on */
	(void)doca_compat_mmap_dpa_join(dpa->func, dpa->rte);
	return doca_compat_dpa_result(ret);
}

const struct doca_dpa_app_func *
doca_dpa_app_find(const struct doca_dpa *dpa, doca_dpa_func_t *func, uint32_t flags)
{
	const struct doca_dpa_app_func *f = NULL;
	uint32_t i;

	for (i = 0; i < dpa->app->nb_funcs; i++)
		if (dpa->app->funcs[i].func == func)
			f = &dpa->app->funcs[i];
	if (f != NULL && f->flags == flags)
		return f;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
			"program %s: %s%s is no function with %s: name one of the program that doca_dpa_set_app() has set",
			dpa->app->name, f == NULL ? "what is named" : f->name, f == NULL ? "" : "()",
			flags == DOCA_DPA_APP_F_RPC ? "__dpa_rpc__" : "__dpa_global__");
	return NULL;
}

doca_error_t
doca_dpa_rpc(struct doca_dpa *dpa, doca_dpa_func_t *func, uint64_t *retval, ...)
{
	uint64_t args[RTE_COMCH_DPA_RPC_MAX_ARGS];
	const struct doca_dpa_app_func *f;
	va_list list;
	uint32_t i;

	if (dpa == NULL || func == NULL || retval == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	f = doca_dpa_app_find(dpa, func, DOCA_DPA_APP_F_RPC);
	if (f == NULL || f->nb_args > RTE_COMCH_DPA_RPC_MAX_ARGS)
		return DOCA_ERROR_NOT_FOUND;
	/* a narrower one comes in a place of the same size; the function takes what is its */
	va_start(list, retval);
	for (i = 0; i < f->nb_args; i++)
		args[i] = va_arg(list, uint64_t);
	va_end(list);
	return doca_compat_dpa_result(rte_comch_dpa_rpc(dpa->rte, f->entry, args, f->nb_args, 0,
			retval));
}

doca_error_t
doca_dpa_mem_alloc(struct doca_dpa *dpa, size_t size, doca_dpa_dev_uintptr_t *dev_ptr)
{
	if (dpa == NULL || size == 0 || dev_ptr == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_mem_alloc(dpa->rte, size, dev_ptr));
}

doca_error_t
doca_dpa_mem_free(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr)
{
	int ret;

	if (dpa == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	ret = rte_comch_dpa_mem_free(dpa->rte, dev_ptr);
	return ret == -ENOENT ? DOCA_ERROR_INVALID_VALUE : doca_compat_dpa_result(ret);
}

doca_error_t
doca_dpa_h2d_memcpy(struct doca_dpa *dpa, doca_dpa_dev_uintptr_t dev_ptr, void *src_ptr,
		size_t size)
{
	if (dpa == NULL || dev_ptr == 0 || src_ptr == NULL || size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_mem_write(dpa->rte, dev_ptr, src_ptr, size));
}

doca_error_t
doca_dpa_d2h_memcpy(struct doca_dpa *dpa, void *dst_ptr, doca_dpa_dev_uintptr_t src_ptr,
		size_t size)
{
	if (dpa == NULL || dst_ptr == NULL || src_ptr == 0 || size == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_mem_read(dpa->rte, dst_ptr, src_ptr, size));
}
