/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory of objects of the bluefield driver, in its back end that gives commands to
 * firmware: memory of applications, the pages that keys are told, and memory that the
 * device may still use.
 */

#include <rte_malloc.h>
#include <rte_memory.h>

#include "bluefield_hw_util.h"
#include "bluefield_prm.h"
#include "bluefield_bounce.h"
#include "test_bluefield_obj.h"

#define PAGE BF_PAGE_SIZE
#define OP_QUERY_MKEY 0x201
#define QUERY_OUT_PAS BF_CREATE_IN_PAS
#define NB_QUERY_PAS 4 /* as many as the model tells */

static int
make_key(struct bf_obj_mem *mem, size_t off, size_t len, bool write)
{
	const struct bf_mkey_attr attr = {
		.pd = &obj_set.pd, .mem = mem, .addr = RTE_PTR_ADD(mem->addr, off), .len = len,
		.local_write = write,
	};

	return bf_mkey_create(obj_dev, &attr, &obj_set.mkey);
}

/* What firmware knows of a key. */
static int
query_key(uint64_t *start, uint64_t *len, uint32_t *shift, uint64_t pas[NB_QUERY_PAS])
{
	uint8_t out[QUERY_OUT_PAS + NB_QUERY_PAS * 8] = { 0 };
	const uint8_t *mkc = out + BF_CREATE_MKEY_IN_MKC;
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	unsigned int i;

	bf_set(in, BF_IN_OPCODE, OP_QUERY_MKEY);
	bf_set(in, BF_OBJ_ID, obj_set.mkey.obj.id);
	TEST_EXPECT(obj_dev->ops->modify(&obj_set.mkey.obj, in, sizeof(in), out, sizeof(out)), 0);
	*start = bf_get64(mkc, BF_MKC_START_ADDR);
	*len = bf_get64(mkc, BF_MKC_LEN);
	*shift = bf_get(mkc, BF_MKC_LOG_PAGE_SIZE);
	for (i = 0; i < NB_QUERY_PAS; i++)
		pas[i] = bf_get64(out, QUERY_OUT_PAS + 8 * i);
	return TEST_SUCCESS;
}

/* Parts of memory that the device knows, as an application has them. */
static int
test_register(void)
{
	static const struct { size_t off, len; } parts[] = {
		{ 0, 8 * PAGE }, { 0, 1 }, { 100, 1 }, { PAGE - 1, 2 }, { 3, 5 * PAGE },
		{ 8 * PAGE - 1, 1 },
	};
	uint64_t start, len, pas[NB_QUERY_PAS];
	struct bf_obj_mem *all, *mem;
	unsigned int i, j;
	uint32_t shift;
	uint8_t *addr;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_alloc(obj_dev, 8 * PAGE, &all), 0);
	for (i = 0; i < RTE_DIM(parts); i++) {
		addr = RTE_PTR_ADD(all->addr, parts[i].off);
		TEST_EXPECT(bf_mem_register(obj_dev, addr, parts[i].len,
				i % 2 == 0 ? BF_MEM_F_WRITE : 0, &mem), 0);
		TEST_TRUE(mem->addr == addr && mem->len == parts[i].len);
		if (i % 2 != 0)
			TEST_EXPECT(make_key(mem, 0, mem->len, true), -EINVAL);
		TEST_EXPECT(make_key(mem, 0, mem->len, i % 2 == 0), 0);
		TEST_CALL(query_key(&start, &len, &shift, pas));
		TEST_TRUE(start == (uintptr_t)addr && len == parts[i].len && shift == 12);
		/* where a socket is the bus, the device has our addresses */
		for (j = 0; j < NB_QUERY_PAS; j++)
			TEST_TRUE(pas[j] == (j <= (parts[i].off % PAGE + len - 1) / PAGE ?
				RTE_ALIGN_FLOOR(start, PAGE) + j * PAGE : 0));
		TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
		TEST_EXPECT(bf_mem_free(mem), 0);
	}
	/* the application's is still there */
	memset(all->addr, 1, all->len);
	TEST_EXPECT(bf_mem_free(all), 0);
	return obj_passed_clean();
}

static int
test_register_refused(void)
{
	static uint8_t other[2 * PAGE];
	struct bf_func_stats before, after;
	struct bf_obj_mem *all, *mem;

	TEST_EXPECT(bf_mem_alloc(obj_dev, PAGE, &all), 0);
	bf_func_stats(obj_func, &before);
	TEST_EXPECT(bf_mem_register(obj_dev, other, sizeof(other), BF_MEM_F_TRY, &mem), -EINVAL);
	TEST_TRUE(!test_log_has("not of EAL"));
	TEST_EXPECT(bf_mem_register(obj_dev, other, sizeof(other), BF_MEM_F_WRITE, &mem), -EINVAL);
	TEST_TRUE(test_log_has("not of EAL: take memory from rte_comch_mem_alloc()"));
	/* all of it counts: there is nothing as large as this */
	TEST_EXPECT(bf_mem_register(obj_dev, all->addr, (size_t)1 << 40, BF_MEM_F_WRITE, &mem),
			-EINVAL);
	TEST_EXPECT(bf_mem_register(obj_dev, all->addr, 0, BF_MEM_F_WRITE, &mem), -EINVAL);
	TEST_EXPECT(bf_mem_register(obj_dev, all->addr, SIZE_MAX, BF_MEM_F_WRITE, &mem), -EINVAL);
	bf_func_stats(obj_func, &after);
	TEST_EXPECT(after.cmds, before.cmds);
	TEST_EXPECT(bf_mem_free(all), 0);
	TEST_EXPECT(bf_mem_free(NULL), 0);
	return obj_passed_clean();
}

/*
 * Memory that is in pieces for the device: pages from the end to the start
 */

static struct bf_obj_mem *pieces;
static size_t piece; /* bytes */
static const struct bf_hw_ops *real_ops;

static uint64_t
backwards_iova(struct bf_hw *hw, const void *addr, size_t *len)
{
	size_t off = (uintptr_t)addr - (uintptr_t)pieces->addr, nb = pieces->len / piece;
	size_t back = (nb - 1 - off / piece) * piece;
	uint64_t iova;

	iova = real_ops->dma_iova(hw, RTE_PTR_ADD(pieces->addr, back), len) + off % piece;
	*len = piece - off % piece;
	return iova;
}

/* One piece, a page further on for the device than for us. */
static uint64_t
shifted_iova(struct bf_hw *hw, const void *addr, size_t *len)
{
	return real_ops->dma_iova(hw, RTE_PTR_ADD(addr, PAGE), len);
}

static int
setup_pieces(size_t len, size_t of, struct bf_obj_mem **mem)
{
	struct bf_hw *hw = bf_func_hw(obj_func);
	static struct bf_hw_ops ops;
	int ret;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_alloc(obj_dev, len, &pieces), 0);
	piece = of;
	real_ops = hw->ops;
	ops = *real_ops;
	ops.dma_iova = of != 0 ? backwards_iova : shifted_iova;
	hw->ops = &ops;
	ret = bf_mem_register(obj_dev, pieces->addr, of != 0 ? len : len - PAGE, BF_MEM_F_WRITE,
			mem);
	hw->ops = real_ops;
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

static int
test_pieces(void)
{
	uint64_t start, len, pas[NB_QUERY_PAS];
	struct bf_obj_mem *mem;
	unsigned int first, j;
	uint32_t shift;

	TEST_CALL(setup_pieces(6 * PAGE, PAGE, &mem));
	for (first = 0; first < 6; first++) {
		TEST_EXPECT(make_key(mem, first * PAGE + 10, mem->len - first * PAGE - 10, true),
			0);
		TEST_CALL(query_key(&start, &len, &shift, pas));
		TEST_EXPECT(shift, 12);
		for (j = 0; j < NB_QUERY_PAS; j++)
			TEST_TRUE(pas[j] == (first + j >= 6 ? 0 : (uintptr_t)pieces->addr +
				(5 - first - j) * PAGE));
		TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	}
	TEST_EXPECT(bf_mem_free(mem), 0);
	TEST_EXPECT(bf_mem_free(pieces), 0);
	return obj_passed_clean();
}

/* A key by which work requests name other addresses than those that the memory has. */
static int
test_alias(void)
{
	static const size_t lens[] = { 1, PAGE, 4 * PAGE + 100, 3000 * PAGE + 5 };
	struct bf_mkey_attr attr = { .pd = &obj_set.pd, .local_write = true };
	uint64_t start, len, pas[NB_QUERY_PAS], page;
	struct bf_obj_mem *mem;
	unsigned int i, j;
	uint32_t shift;
	uint8_t *bounce;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	for (i = 0; i < RTE_DIM(lens); i++) {
		/* memory of somebody else, that is never touched */
		attr.alias = (const uint8_t *)(uintptr_t)UINT64_C(0x7123456789ab) + i * 1001;
		TEST_EXPECT(bf_bounce_alloc(obj_dev, attr.alias, lens[i], &mem, &bounce), 0);
		TEST_TRUE(bounce >= (uint8_t *)mem->addr);
		TEST_TRUE(bounce + lens[i] <= (uint8_t *)mem->addr + mem->len);
		attr.mem = mem;
		attr.addr = bounce;
		attr.len = lens[i];
		TEST_EXPECT(bf_mkey_create(obj_dev, &attr, &obj_set.mkey), 0);
		TEST_CALL(query_key(&start, &len, &shift, pas));
		TEST_TRUE(start == (uintptr_t)attr.alias && len == lens[i]);
		page = UINT64_C(1) << shift;
		TEST_TRUE((start & (page - 1)) == ((uintptr_t)bounce & (page - 1)));
		for (j = 0; j < NB_QUERY_PAS; j++)
			TEST_TRUE(pas[j] == (j * page <= (start & (page - 1)) + len - 1 ?
				((uintptr_t)bounce & ~(page - 1)) + j * page : 0));
		TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
		TEST_EXPECT(bf_mem_free(mem), 0);
	}
	/* the same bytes of a page, or it is not the same pages */
	TEST_EXPECT(bf_mem_alloc(obj_dev, 4 * PAGE, &mem), 0);
	attr.mem = mem;
	attr.addr = mem->addr;
	attr.len = PAGE;
	attr.alias = RTE_PTR_ADD(mem->addr, PAGE + 8);
	TEST_EXPECT(bf_mkey_create(obj_dev, &attr, &obj_set.mkey), -E2BIG);
	TEST_EXPECT(bf_mem_free(mem), 0);
	return obj_passed_clean();
}

/* More pages than a command has room for: larger ones, where the pieces are large. */
static int
test_many_pages(void)
{
	uint64_t start, len, pas[NB_QUERY_PAS];
	struct bf_obj_mem *mem;
	uint32_t shift;

	/* an odd number, so that the first piece alone would do for pages twice as large */
	TEST_CALL(setup_pieces(2049 * PAGE, PAGE, &mem));
	TEST_EXPECT(make_key(mem, 0, mem->len, true), -E2BIG);
	TEST_TRUE(test_log_has("too many pieces"));
	TEST_EXPECT(make_key(mem, 0, 2000 * PAGE + 1, true), -E2BIG);
	TEST_EXPECT(make_key(mem, 0, 2000 * PAGE, true), 0);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	TEST_EXPECT(bf_mem_free(mem), 0);
	/* in one piece, so that pages may be as large as it takes */
	TEST_EXPECT(make_key(pieces, PAGE, pieces->len - PAGE, true), 0);
	TEST_CALL(query_key(&start, &len, &shift, pas));
	TEST_EXPECT(shift, 13);
	TEST_TRUE(pas[0] == RTE_ALIGN_FLOOR(start, 2 * PAGE) && pas[1] == pas[0] + 2 * PAGE);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	TEST_EXPECT(bf_mem_free(pieces), 0);
	return obj_passed_clean();
}

/* The first and the last of three pieces: what the others are does not matter. */
static int
test_large_pieces(void)
{
	const size_t size = 2049 * PAGE;
	uint64_t start, len, pas[NB_QUERY_PAS];
	struct bf_obj_mem *mem;
	unsigned int i;
	uint32_t shift;

	TEST_CALL(setup_pieces(3 * size, size, &mem));
	for (i = 0; i < 3; i += 2) {
		TEST_EXPECT(make_key(mem, i * size, size, true), 0);
		TEST_CALL(query_key(&start, &len, &shift, pas));
		TEST_EXPECT(shift, 13);
		TEST_EXPECT(pas[0], RTE_ALIGN_FLOOR((uintptr_t)pieces->addr + (2 - i) * size,
			2 * PAGE));
		TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	}
	TEST_EXPECT(bf_mem_free(mem), 0);
	TEST_EXPECT(bf_mem_free(pieces), 0);
	return obj_passed_clean();
}

/* Larger pages have to be the same pages for both. */
static int
test_shifted(void)
{
	uint64_t start, len, pas[NB_QUERY_PAS];
	struct bf_obj_mem *mem;
	uint32_t shift;

	TEST_CALL(setup_pieces(2048 * PAGE, 0, &mem));
	TEST_EXPECT(make_key(mem, 0, mem->len, true), -E2BIG);
	TEST_EXPECT(make_key(mem, 0, 2000 * PAGE, true), 0);
	TEST_CALL(query_key(&start, &len, &shift, pas));
	TEST_TRUE(shift == 12 && pas[0] == start + PAGE && pas[3] == start + 4 * PAGE);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	TEST_EXPECT(bf_mem_free(mem), 0);
	TEST_EXPECT(bf_mem_free(pieces), 0);
	return obj_passed_clean();
}

/* A key that firmware keeps: its memory is not to be used for anything else. */
static int
test_kept(void)
{
	struct bf_obj_mem *all, *mem;
	void *addr;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_alloc(obj_dev, 2 * PAGE, &all), 0);
	addr = all->addr;
	TEST_EXPECT(bf_mem_register(obj_dev, addr, PAGE, BF_MEM_F_WRITE, &mem), 0);
	TEST_EXPECT(make_key(mem, 0, PAGE, true), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=DESTROY_MKEY count=2 status=1"),
		0);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), -EIO);
	TEST_EXPECT(bf_mem_free(mem), -EBUSY);
	TEST_TRUE(test_log_has("until it is reset"));
	/* ours is kept, and found again after the reset only */
	TEST_EXPECT(make_key(all, 0, PAGE, true), 0);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), -EIO);
	TEST_EXPECT(bf_mem_free(all), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, addr, PAGE, BF_MEM_F_WRITE, &mem), 0);
	TEST_EXPECT(make_key(mem, 0, PAGE, true), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=DESTROY_MKEY count=1 status=1"),
		0);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), -EIO);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_EXPECT(bf_mem_free(mem), 0);
	return obj_passed_clean();
}

/* What a device on EAL's bus can reach, and that the rest is not taken for it. */
static int
test_eal_memory(void)
{
	static uint8_t other[64];
	uint8_t *addr;
	size_t len;

	addr = rte_zmalloc(NULL, 3 * PAGE, 0);
	TEST_TRUE(addr != NULL);
	TEST_TRUE(bf_eal_iova(addr, &len) == rte_malloc_virt2iova(addr));
	TEST_TRUE(len > 0);
	TEST_TRUE(bf_eal_iova(addr + 5, &len) == rte_malloc_virt2iova(addr) + 5);
	rte_free(addr);
	TEST_TRUE(bf_eal_iova(other, &len) == BF_NO_IOVA);
	TEST_TRUE(bf_eal_iova(&len, &len) == BF_NO_IOVA);
	TEST_TRUE(bf_eal_iova(NULL, &len) == BF_NO_IOVA);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "memory of objects of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_register),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_register_refused),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_pieces),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_alias),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_many_pages),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_large_pieces),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_shifted),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_kept),
		TEST_CASE_ST(test_log_begin, test_log_end, test_eal_memory),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_obj_mem_autotest, unit_test_suite_runner, &suite);
