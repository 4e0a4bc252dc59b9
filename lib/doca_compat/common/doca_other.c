/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Calls for engines that are not here, so that programs which ask whether there is one link
 * and go on: each says once in the log what is missing.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <stdatomic.h>
#include <stdbool.h>

#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_private.h>

static doca_error_t
lacks(atomic_flag *said, bool valid, const char *call, const char *engine)
{
	if (!valid)
		return DOCA_ERROR_INVALID_VALUE;
	if (!atomic_flag_test_and_set(said))
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, "DOCA_COMPAT::OTHER",
				"%s needs %s, which is not here: do without, the result is NOT_SUPPORTED",
				call, engine);
	return DOCA_ERROR_NOT_SUPPORTED;
}

#define LACKS(valid, engine) __extension__ ({ \
	static atomic_flag said = ATOMIC_FLAG_INIT; \
	lacks(&said, valid, __func__, engine); \
})

doca_error_t
doca_ctx_set_datapath_on_gpu(struct doca_ctx *ctx, struct doca_gpu *gpu)
{
	return LACKS(ctx != NULL && gpu != NULL, "a GPU");
}

doca_error_t
doca_comch_producer_get_gpu_handle(struct doca_comch_producer *producer, void *gpu_handle)
{
	return LACKS(producer != NULL && gpu_handle != NULL, "a GPU");
}

doca_error_t
doca_comch_consumer_get_gpu_handle(struct doca_comch_consumer *consumer, void *gpu_handle)
{
	return LACKS(consumer != NULL && gpu_handle != NULL, "a GPU");
}

doca_error_t
doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev, const void **desc,
		size_t *desc_len)
{
	return LACKS(mmap != NULL && dev != NULL && desc != NULL && desc_len != NULL, "RDMA");
}
