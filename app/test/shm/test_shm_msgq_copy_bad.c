/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The copy of the device header with its order broken: the message before the data. The
 * test must find that.
 */

#define SHM_DPA_TEST_IMM_FIRST
#include "test_shm_msgq.h"

int
test_msgq_copy_bad(uint64_t producer, uint32_t consumer_id, uint32_t dst, uint64_t dst_addr,
		uint32_t src, uint64_t src_addr, uint64_t len, const void *imm, uint32_t imm_len)
{
	return rte_comch_dpa_dev_producer_dma_copy(producer, consumer_id, dst, dst_addr, src,
		src_addr, len, imm, imm_len, RTE_COMCH_DPA_DEV_F_FLUSH);
}
