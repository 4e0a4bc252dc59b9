/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory that EAL has, registered with a function behind a vfio-user socket: the
 * server has it exactly as long as somebody has it registered. The witness is the
 * server's own address space.
 */

#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_memzone.h>

#include "bluefield_hw_util.h"
#include "bluefield_vfu_mem.h"
#include "test_bluefield_obj.h"

#define PAGE BF_PAGE_SIZE

static long base_regions;

static long
nb_regions(void)
{
	return test_model_state(&model, "pf0", "regions") - base_regions;
}

static int
setup(void)
{
	TEST_CALL(obj_case_setup_pf());
	base_regions = 0;
	base_regions = nb_regions();
	TEST_TRUE(base_regions > 0);
	return TEST_SUCCESS;
}

/* A file that is mapped in a process. */
struct map {
	uint64_t from, to;
	uint64_t off;
	uint64_t inode;
};

/* The first map of a process that a function wants. */
static bool
map_find(pid_t pid, bool (*want)(const struct map *map, const struct map *of),
		const struct map *of, struct map *map)
{
	char path[64], line[PATH_MAX + 128];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	f = fopen(path, "r");
	while (f != NULL && !found && fgets(line, sizeof(line), f) != NULL)
		found = sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %" SCNu64,
			&map->from, &map->to, &map->off, &map->inode) == 4 && want(map, of);
	if (f != NULL)
		fclose(f);
	return found;
}

static bool
has_addr(const struct map *map, const struct map *of)
{
	return map->inode != 0 && of->from >= map->from && of->from < map->to;
}

static bool
has_byte(const struct map *map, const struct map *of)
{
	return map->inode == of->inode && of->off >= map->off &&
		of->off - map->off < map->to - map->from;
}

/* Has the model this byte of ours in its address space? */
static bool
model_has(const void *byte)
{
	struct map at = { .from = (uintptr_t)byte }, own, map;

	if (!map_find(getpid(), has_addr, &at, &own))
		return false;
	at.inode = own.inode;
	at.off = own.off + (at.from - own.from);
	return map_find(model.pid, has_byte, &at, &map);
}

/* A key of all of it can be made, and the device has our addresses. */
static int
check_key(struct bf_obj_mem *mem)
{
	const struct bf_mkey_attr attr = {
		.pd = &obj_set.pd, .mem = mem, .addr = mem->addr, .len = mem->len,
		.local_write = true,
	};
	struct bf_hw *hw = bf_func_hw(obj_func);
	size_t run = 0;

	TEST_TRUE(hw->ops->dma_iova(hw, mem->addr, &run) == (uintptr_t)mem->addr && run > 0);
	TEST_TRUE(model_has(mem->addr));
	TEST_TRUE(model_has(RTE_PTR_ADD(mem->addr, mem->len - 1)));
	TEST_EXPECT(bf_mkey_create(obj_dev, &attr, &obj_set.mkey), 0);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	return TEST_SUCCESS;
}

static int
check_lost(const void *addr)
{
	struct bf_hw *hw = bf_func_hw(obj_func);
	size_t run;

	TEST_TRUE(hw->ops->dma_iova(hw, addr, &run) == BF_NO_IOVA);
	TEST_EXPECT(nb_regions(), 0);
	TEST_TRUE(!model_has(addr));
	return TEST_SUCCESS;
}

static int
test_malloc(void)
{
	static const size_t lens[] = { 1, 63, PAGE, 3 * PAGE + 7, 1 << 20 };
	struct bf_obj_mem *mem;
	unsigned int i;
	uint8_t *addr;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	for (i = 0; i < RTE_DIM(lens); i++) {
		addr = rte_malloc(NULL, lens[i] + 1, 0);
		TEST_TRUE(addr != NULL);
		TEST_CALL(check_lost(addr));
		TEST_EXPECT(bf_mem_register(obj_dev, addr + i % 2, lens[i], BF_MEM_F_WRITE,
				&mem), 0);
		TEST_CALL(check_key(mem));
		TEST_EXPECT(bf_mem_free(mem), 0);
		TEST_CALL(check_lost(addr));
		rte_free(addr);
	}
	return obj_passed_clean();
}

static int
test_memzone(void)
{
	const struct rte_memzone *mz = rte_memzone_reserve("test_obj_eal", 5 * PAGE,
		SOCKET_ID_ANY, 0);
	struct bf_obj_mem *mem;

	TEST_TRUE(mz != NULL);
	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, mz->addr, mz->len, BF_MEM_F_WRITE, &mem), 0);
	TEST_CALL(check_key(mem));
	TEST_EXPECT(bf_mem_free(mem), 0);
	TEST_CALL(check_lost(mz->addr));
	rte_memzone_free(mz);
	return obj_passed_clean();
}

static struct bf_obj_mem *pool_mems[64];
static unsigned int nb_pool_mems;

static void
register_chunk(struct rte_mempool *pool __rte_unused, void *arg, struct rte_mempool_memhdr *chunk,
		unsigned int index __rte_unused)
{
	int *ret = arg;

	if (*ret == 0 && nb_pool_mems < RTE_DIM(pool_mems))
		*ret = bf_mem_register(obj_dev, chunk->addr, chunk->len, BF_MEM_F_WRITE,
			&pool_mems[nb_pool_mems++]);
}

static int
test_mempool(void)
{
	struct rte_mempool *pool;
	unsigned int i;
	int ret = 0;
	void *addr;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	pool = rte_pktmbuf_pool_create("test_obj_eal", 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
			SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	nb_pool_mems = 0;
	rte_mempool_mem_iter(pool, register_chunk, &ret);
	TEST_EXPECT(ret, 0);
	TEST_TRUE(nb_pool_mems > 0 && nb_pool_mems == pool->nb_mem_chunks);
	addr = pool_mems[0]->addr;
	for (i = 0; i < nb_pool_mems; i++)
		TEST_CALL(check_key(pool_mems[i]));
	while (nb_pool_mems > 0)
		TEST_EXPECT(bf_mem_free(pool_mems[--nb_pool_mems]), 0);
	TEST_CALL(check_lost(addr));
	rte_mempool_free(pool);
	return obj_passed_clean();
}

/* What several have registered is there until the last has not. */
static int
test_counted(void)
{
	uint8_t *addr = rte_malloc(NULL, 8 * PAGE, PAGE);
	struct bf_obj_mem *a, *b, *c;

	TEST_TRUE(addr != NULL);
	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, addr, 4 * PAGE, BF_MEM_F_WRITE, &a), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, addr + 100, PAGE, 0, &b), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, addr + 2 * PAGE, 6 * PAGE, BF_MEM_F_WRITE, &c), 0);
	TEST_EXPECT(bf_mem_free(a), 0);
	TEST_CALL(check_key(c));
	TEST_EXPECT(bf_mem_free(c), 0);
	TEST_TRUE(model_has(b->addr));
	TEST_EXPECT(bf_mem_free(b), 0);
	TEST_CALL(check_lost(addr));
	rte_free(addr);
	return obj_passed_clean();
}

/* Memory without a descriptor, and half of a registration that fails. */
static int
test_refused(void)
{
	static uint8_t own[2 * PAGE];
	struct bf_obj_mem *mem, *other;
	uint8_t *ext;

	TEST_EXPECT(bf_pd_create(obj_dev, &obj_set.pd), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, own, sizeof(own), BF_MEM_F_WRITE, &mem), -EINVAL);
	TEST_TRUE(test_log_has("not of EAL"));
	ext = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_TRUE(ext != MAP_FAILED);
	TEST_EXPECT(rte_extmem_register(ext, 4 * PAGE, NULL, 0, PAGE), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, ext, PAGE, BF_MEM_F_WRITE, &mem), -EINVAL);
	TEST_TRUE(test_log_has("for which EAL has no file"));
	TEST_EXPECT(rte_extmem_unregister(ext, 4 * PAGE), 0);
	munmap(ext, 4 * PAGE);
	/* all of a registration counts: what is behind EAL's last page is not EAL's */
	ext = rte_malloc(NULL, PAGE, 0);
	TEST_TRUE(ext != NULL);
	TEST_EXPECT(bf_mem_register(obj_dev, ext, PAGE, BF_MEM_F_WRITE, &other), 0);
	TEST_EXPECT(bf_mem_register(obj_dev, ext, (size_t)1 << 40, BF_MEM_F_WRITE, &mem), -EINVAL);
	/* and it takes nothing away from another one */
	TEST_CALL(check_key(other));
	TEST_EXPECT(bf_mem_free(other), 0);
	TEST_CALL(check_lost(ext));
	rte_free(ext);
	return obj_passed_clean();
}

/*
 * Page by page, as where EAL frees memory: with a link of our own, as EAL frees none
 * without hugepages
 */

static struct vfu_link own_link;
static struct vfu_mem own_mem;

static int
setup_pages(void)
{
	char path[PATH_MAX + 16];

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0"));
	snprintf(path, sizeof(path), "%s/pf0.sock", model.dir);
	TEST_EXPECT(vfu_link_open(&own_link, "own", path, 5000), 0);
	memset(&own_mem, 0, sizeof(own_mem)); /* as in the structure that it is part of */
	TEST_EXPECT(vfu_mem_init(&own_mem, &own_link, 5000), 0);
	own_mem.watched = true;
	base_regions = 0;
	return TEST_SUCCESS;
}

static void
teardown_pages(void)
{
	vfu_mem_fini(&own_mem);
	vfu_link_close(&own_link);
	test_log_end();
	if (test_model_stop(&model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

static int
test_pages(void)
{
	const size_t page = PAGE;
	const struct rte_memseg *seg;
	uint8_t *addr;
	size_t run = 0, size;

	addr = rte_malloc(NULL, 8 * page, page);
	TEST_TRUE(addr != NULL);
	seg = rte_mem_virt2memseg(addr, NULL);
	TEST_TRUE(seg != NULL);
	size = seg->len;
	TEST_EXPECT(vfu_mem_map(&own_mem, addr + 10, 3 * page - 10, false), 0);
	if (size == page)
		TEST_EXPECT(nb_regions(), 3);
	TEST_TRUE(model_has(addr) && model_has(addr + 3 * page - 1));
	TEST_TRUE(size != page || !model_has(addr + 3 * page));
	TEST_TRUE(vfu_mem_iova(&own_mem, addr + 20, &run) == (uintptr_t)addr + 20);
	TEST_TRUE(run <= size);
	TEST_EXPECT(vfu_mem_map(&own_mem, addr + 2 * page, 2 * page, false), 0);
	vfu_mem_unmap(&own_mem, addr + 10, 3 * page - 10);
	TEST_TRUE(model_has(addr + 2 * page) && (size != page || !model_has(addr)));
	vfu_mem_unmap(&own_mem, addr + 2 * page, 2 * page);
	TEST_EXPECT(nb_regions(), 0);
	rte_free(addr);
	return test_log_passed();
}

/* EAL frees memory under a registration, and has it again before that ends. */
static int
test_freed(void)
{
	const size_t page = PAGE;
	uint8_t *addr = rte_malloc(NULL, 4 * page, page);
	const struct rte_memseg *seg;
	size_t run;

	TEST_TRUE(addr != NULL);
	seg = rte_mem_virt2memseg(addr, NULL);
	TEST_TRUE(seg != NULL);
	TEST_EXPECT(vfu_mem_map(&own_mem, addr, page, false), 0);
	/* what is beside it may go */
	vfu_mem_freed(&own_mem, RTE_PTR_SUB(seg->addr, page), page);
	vfu_mem_freed(&own_mem, RTE_PTR_ADD(seg->addr, seg->len), page);
	TEST_TRUE(model_has(addr) && !test_log_has("free the region"));
	vfu_mem_freed(&own_mem, addr, page);
	vfu_mem_freed(&own_mem, addr, page);
	TEST_EXPECT(test_log_count("free the region"), 1);
	TEST_EXPECT(nb_regions(), 0);
	TEST_TRUE(!model_has(addr));
	TEST_TRUE(vfu_mem_iova(&own_mem, addr, &run) == BF_NO_IOVA);
	TEST_EXPECT(vfu_mem_map(&own_mem, addr, page, false), 0);
	TEST_EXPECT(nb_regions(), 1);
	/* the older one ends first */
	vfu_mem_unmap(&own_mem, addr, page);
	TEST_EXPECT(nb_regions(), 1);
	TEST_TRUE(model_has(addr));
	vfu_mem_unmap(&own_mem, addr, page);
	TEST_EXPECT(nb_regions(), 0);
	/* and what nobody has registered is not asked for */
	vfu_mem_freed(&own_mem, addr, page);
	vfu_mem_unmap(&own_mem, addr, page);
	TEST_EXPECT(test_log_count("free the region"), 1);
	rte_free(addr);
	return test_log_passed();
}

/*
 * Pages that EAL is to keep
 */

struct kept {
	uint32_t nb;
	uint32_t nb_kept;
};

static int
count_kept(const struct rte_memseg_list *msl, const struct rte_memseg *seg, void *arg)
{
	struct kept *kept = arg;

	if (msl->external)
		return 0;
	kept->nb++;
	kept->nb_kept += (seg->flags & RTE_MEMSEG_FLAG_DO_NOT_FREE) != 0;
	return 0;
}

/* A PCI function has it so: with a page that EAL gave back, VFIO would take more away. */
static int
test_kept(void)
{
	struct kept kept = { 0 };

	bf_eal_mem_keep();
	TEST_EXPECT(rte_memseg_walk(count_kept, &kept), 0);
	TEST_TRUE(kept.nb != 0);
	TEST_EXPECT(kept.nb_kept, kept.nb);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "memory of EAL behind a vfio-user socket",
	.unit_test_cases = {
		TEST_CASE_ST(setup, obj_case_teardown, test_malloc),
		TEST_CASE_ST(setup, obj_case_teardown, test_memzone),
		TEST_CASE_ST(setup, obj_case_teardown, test_mempool),
		TEST_CASE_ST(setup, obj_case_teardown, test_counted),
		TEST_CASE_ST(setup, obj_case_teardown, test_refused),
		TEST_CASE_ST(setup_pages, teardown_pages, test_pages),
		TEST_CASE_ST(setup_pages, teardown_pages, test_freed),
		TEST_CASE(test_kept),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_obj_eal_autotest, unit_test_suite_runner, &suite);
