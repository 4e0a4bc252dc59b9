/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The allocator of DMA memory, over a back end that counts what it is asked for: no
 * device. Nobody gets a page that another one has, addresses are aligned for the
 * device, and pages that are free are found before the back end is asked for more.
 */

#include <sys/mman.h>

#include "bluefield_heap.h"
#include "test_comch_util.h"

#define PAGE BF_PAGE_SIZE
#define MIB ((size_t)1 << 20)
#define NB_PAGES 512u
#define MAX_GETS 16u
/* An address for the device is not one of ours: it has other bits above a page. */
#define IOVA_OFF (5 * (uint64_t)PAGE)

static struct bf_heap heap;
static struct bf_dma pages[NB_PAGES];
static size_t gets[MAX_GETS];
static unsigned int nb_gets, nb_puts;
static size_t largest;     /* that the back end has */
static size_t more;        /* that it gives than it was asked for */
static bool small_is_quiet;

static int
count_get(void *arg, struct bf_arena *arena)
{
	void *addr;

	if (arg != &heap || nb_gets == MAX_GETS)
		return -EINVAL;
	gets[nb_gets++] = arena->len;
	if (arena->len > largest) {
		small_is_quiet &= arena->optional;
		return -ENOMEM;
	}
	arena->len += more;
	/* aligned to more than a page, for whatever is found there */
	addr = mmap(NULL, arena->len + MIB, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (addr == MAP_FAILED)
		return -errno;
	arena->priv = addr;
	arena->addr = RTE_PTR_ALIGN_CEIL(addr, MIB);
	arena->iova = (uintptr_t)arena->addr + IOVA_OFF;
	return 0;
}

static void
count_put(void *arg, struct bf_arena *arena)
{
	nb_puts += arg == &heap;
	munmap(arena->priv, arena->len + MIB);
}

static void
heap_start(size_t max_arena)
{
	nb_gets = nb_puts = 0;
	largest = SIZE_MAX;
	more = 0;
	small_is_quiet = true;
	memset(pages, 0, sizeof(pages));
	bf_heap_init(&heap, max_arena, count_get, count_put, &heap);
}

static int
setup(void)
{
	heap_start(2 * MIB);
	return TEST_SUCCESS;
}

/* All of it goes, given back or not. */
static void
teardown(void)
{
	bf_heap_fini(&heap);
	if (heap.nb_arenas != 0)
		test_fail("%u arenas are left", heap.nb_arenas);
}

/* All pages of the first arena, one by one and in order. */
static int
fill(void)
{
	unsigned int i;

	for (i = 0; i < NB_PAGES; i++) {
		TEST_EXPECT(bf_heap_alloc(&heap, i % 2 == 0 ? 1 : PAGE, PAGE, &pages[i]), 0);
		TEST_EXPECT(pages[i].len, i % 2 == 0 ? 1 : PAGE);
		TEST_TRUE(pages[i].addr == RTE_PTR_ADD(pages[0].addr, i * PAGE));
		TEST_TRUE(pages[i].iova == (uintptr_t)pages[i].addr + IOVA_OFF);
		memset(pages[i].addr, 0xa5, PAGE);
	}
	TEST_EXPECT(nb_gets, 1);
	return TEST_SUCCESS;
}

static bool
is_zero(const uint8_t *mem, size_t len)
{
	return mem[0] == 0 && memcmp(mem, mem + 1, len - 1) == 0;
}

static int
test_runs(void)
{
	static const unsigned int holes[] = { 10, 11, 13, 14, 15, 320 };
	struct bf_dma run, two, one, next;
	unsigned int i;

	TEST_CALL(fill());
	for (i = 0; i < RTE_DIM(holes); i++) {
		bf_heap_free(&heap, &pages[holes[i]]);
		TEST_TRUE(pages[holes[i]].addr == NULL && pages[holes[i]].priv == NULL);
	}
	/* the two pages before a page in use are not the beginning of three */
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * PAGE + 1, PAGE, &run), 0);
	TEST_TRUE(run.addr == RTE_PTR_ADD(pages[0].addr, 13 * PAGE));
	TEST_TRUE(is_zero(run.addr, 3 * PAGE));
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * PAGE, PAGE, &two), 0);
	TEST_TRUE(two.addr == RTE_PTR_ADD(pages[0].addr, 10 * PAGE));
	TEST_EXPECT(bf_heap_alloc(&heap, 1, PAGE, &one), 0);
	TEST_TRUE(one.addr == RTE_PTR_ADD(pages[0].addr, 320 * PAGE));
	/* nobody has lost anything to them */
	for (i = 1; i < NB_PAGES; i++)
		TEST_TRUE(pages[i].addr == NULL || memcmp(pages[i].addr, pages[0].addr, PAGE) == 0);
	TEST_EXPECT(nb_gets, 1);
	/* it is full */
	TEST_EXPECT(bf_heap_alloc(&heap, 1, PAGE, &next), 0);
	TEST_EXPECT(nb_gets, 2);
	TEST_TRUE(next.priv != one.priv);
	bf_heap_free(&heap, &run);
	TEST_EXPECT(bf_heap_alloc(&heap, 3 * PAGE, PAGE, &run), 0);
	TEST_TRUE(run.addr == RTE_PTR_ADD(pages[0].addr, 13 * PAGE));
	return TEST_SUCCESS;
}

/* For the device, where free pages before the place do not count. */
static int
test_aligned(void)
{
	static const size_t aligns[] = { PAGE, 16 * PAGE, 64 * PAGE, MIB };
	struct bf_dma dma, before;
	unsigned int i;

	for (i = 0; i < RTE_DIM(aligns); i++) {
		TEST_EXPECT(bf_heap_alloc(&heap, PAGE, PAGE, &before), 0);
		TEST_EXPECT(bf_heap_alloc(&heap, 3 * PAGE, aligns[i], &dma), 0);
		TEST_EXPECT(dma.iova % aligns[i], 0);
		TEST_EXPECT(dma.iova - (uintptr_t)dma.addr, IOVA_OFF);
		memset(dma.addr, 0x5a, 3 * PAGE);
		TEST_TRUE(is_zero(before.addr, PAGE));
	}
	TEST_EXPECT(nb_gets, 1);
	/* an arena has room for it, wherever that begins */
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * MIB, 2 * MIB, &dma), 0);
	TEST_EXPECT(dma.iova % (2 * MIB), 0);
	TEST_EXPECT(nb_gets, 2);
	TEST_EXPECT(gets[1], 4 * MIB);
	memset(dma.addr, 0x5a, 2 * MIB);
	return TEST_SUCCESS;
}

/* What comes and goes all the time has room in the same arenas for ever. */
static int
test_again(void)
{
	struct bf_dma stays, dma;
	unsigned int i;

	TEST_EXPECT(bf_heap_alloc(&heap, PAGE, PAGE, &stays), 0);
	for (i = 0; i < 1000; i++) {
		TEST_EXPECT(bf_heap_alloc(&heap, MIB, PAGE, &dma), 0);
		TEST_TRUE(is_zero(dma.addr, MIB));
		memset(dma.addr, 0x5a, MIB);
		bf_heap_free(&heap, &dma);
	}
	TEST_TRUE(is_zero(stays.addr, PAGE));
	TEST_EXPECT(nb_gets, 1);
	TEST_EXPECT(nb_puts, 0);
	return TEST_SUCCESS;
}

/* Arenas grow with their number, to a limit; the last that is empty stays. */
static int
test_growth(void)
{
	static const size_t wanted[] = { 2 * MIB, 4 * MIB, 8 * MIB, 8 * MIB, 12 * MIB };
	unsigned int i;

	bf_heap_fini(&heap);
	heap_start(8 * MIB);
	for (i = 0; i < 11; i++)
		TEST_EXPECT(bf_heap_alloc(&heap, 2 * MIB, PAGE, &pages[i]), 0);
	TEST_EXPECT(nb_gets, 4);
	TEST_EXPECT(bf_heap_alloc(&heap, 12 * MIB - 1, PAGE, &pages[i++]), 0);
	TEST_EXPECT(nb_gets, RTE_DIM(wanted));
	while (i > 0) {
		if (--i < RTE_DIM(wanted))
			TEST_EXPECT(gets[i], wanted[i]);
		bf_heap_free(&heap, &pages[i]);
		/* nothing is freed once more */
		bf_heap_free(&heap, &pages[i]);
	}
	TEST_EXPECT(nb_puts, 4);
	TEST_EXPECT(bf_heap_alloc(&heap, 1, PAGE, &pages[0]), 0);
	TEST_EXPECT(nb_gets, RTE_DIM(wanted));
	return TEST_SUCCESS;
}

/* A back end that has less gives less, or says that it has nothing. */
static int
test_no_memory(void)
{
	struct bf_dma dma;

	bf_heap_fini(&heap);
	heap_start(8 * MIB);
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * MIB, PAGE, &pages[0]), 0);
	largest = 2 * MIB;
	TEST_EXPECT(bf_heap_alloc(&heap, PAGE, PAGE, &pages[1]), 0);
	TEST_TRUE(nb_gets == 3 && gets[1] == 4 * MIB && gets[2] == 2 * MIB && small_is_quiet);
	largest = 0;
	memset(&dma, 0xff, sizeof(dma));
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * MIB, PAGE, &dma), -ENOMEM);
	TEST_TRUE(is_zero((const uint8_t *)&dma, sizeof(dma)));
	/* who has to have it is told so */
	TEST_TRUE(!small_is_quiet);
	TEST_EXPECT(heap.nb_arenas, 2);
	TEST_EXPECT(bf_heap_alloc(&heap, PAGE, PAGE, &dma), 0);
	return TEST_SUCCESS;
}

static int
test_refused(void)
{
	static const struct { size_t len, align; } rows[] = {
		{ 0, PAGE }, { SIZE_MAX, PAGE }, { ((size_t)1 << 30) + 1, PAGE },
		{ PAGE, 0 }, { PAGE, 1 }, { PAGE, PAGE / 2 }, { PAGE, 3 * PAGE },
		{ PAGE, (size_t)1 << 31 }, { PAGE, (size_t)1 << 63 },
	};
	struct bf_dma dma;
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		memset(&dma, 0xff, sizeof(dma));
		TEST_EXPECT(bf_heap_alloc(&heap, rows[i].len, rows[i].align, &dma), -EINVAL);
		TEST_TRUE(is_zero((const uint8_t *)&dma, sizeof(dma)));
	}
	TEST_EXPECT(nb_gets, 0);
	return TEST_SUCCESS;
}

/* Where the device finds an address, and how much is there from it on. */
static int
test_iova(void)
{
	struct bf_dma dma[2];
	size_t len, i, off;

	more = MIB;
	for (i = 0; i < RTE_DIM(dma); i++)
		TEST_EXPECT(bf_heap_alloc(&heap, 3 * MIB, PAGE, &dma[i]), 0);
	/* the back end has given more than it was asked for */
	TEST_EXPECT(gets[0], 4 * MIB);
	TEST_EXPECT(bf_heap_alloc(&heap, 2 * MIB, PAGE, &pages[0]), 0);
	TEST_EXPECT(nb_gets, 2);
	for (i = 0; i < RTE_DIM(dma); i++) {
		for (off = 0; off < 5 * MIB; off += MIB - 1) {
			TEST_EXPECT(bf_heap_iova(&heap, RTE_PTR_ADD(dma[i].addr, off), &len),
				dma[i].iova + off);
			TEST_EXPECT(len, 5 * MIB - off);
		}
	}
	len = 77;
	TEST_TRUE(bf_heap_iova(&heap, &heap, &len) == BF_NO_IOVA);
	TEST_TRUE(bf_heap_iova(&heap, RTE_PTR_SUB(dma[0].addr, 1), &len) == BF_NO_IOVA);
	TEST_TRUE(bf_heap_iova(&heap, NULL, &len) == BF_NO_IOVA);
	TEST_EXPECT(len, 77);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "memory of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_runs),
		TEST_CASE_ST(setup, teardown, test_aligned),
		TEST_CASE_ST(setup, teardown, test_again),
		TEST_CASE_ST(setup, teardown, test_growth),
		TEST_CASE_ST(setup, teardown, test_no_memory),
		TEST_CASE_ST(setup, teardown, test_refused),
		TEST_CASE_ST(setup, teardown, test_iova),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_heap_autotest, unit_test_suite_runner, &suite);
