/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Copies between windows, in one process: arguments, sizes of 1 byte to 64 MiB, and that
 * the message does not come before its data. The windows are memory of the test.
 */

#include <sched.h>

#include "test_shm_msgq.h"

#define DMA_MAX (UINT64_C(64) << 20)
/* Bytes around the windows that nobody may write. */
#define GUARD 64
#define NB_RECV 2

enum { WIN_SRC = 1, WIN_DST, WIN_READ_ONLY, WIN_WRITE_ONLY };

/* A copy: what the message of it says. */
struct dma_msg {
	uint64_t len;
	uint64_t seed;
};

static struct rte_comch_msgq msgq;
static struct rte_comch_dpa_queue producer;
static struct msgq_end end;
static uint8_t *src, *dst;
static msgq_copy_fn *copy;
static uint32_t nb_wrong;
static const char *error; /* atomic: of any thread */

static void
window_set(uint32_t handle, uint8_t *mem, uint64_t len, uint32_t flags)
{
	struct shm_dpa_window *w = &shm_dpa_host(&msgq_dpa)->windows[handle - 1];

	w->addr = w->base = (uintptr_t)mem;
	w->len = len;
	__atomic_store_n(&w->flags, flags, __ATOMIC_RELEASE);
}

static int
dma_create(uint64_t size)
{
	msgq_unit_self.eu = 0;
	src = malloc(size + 2 * GUARD);
	dst = malloc(size + 2 * GUARD);
	TEST_TRUE(src != NULL && dst != NULL);
	memset(src, 0, size + 2 * GUARD);
	memset(dst, 0, size + 2 * GUARD);
	window_set(WIN_SRC, src + GUARD, size, SHM_DPA_WINDOW_READ | SHM_DPA_WINDOW_WRITE);
	window_set(WIN_DST, dst + GUARD, size, SHM_DPA_WINDOW_READ | SHM_DPA_WINDOW_WRITE);
	window_set(WIN_READ_ONLY, dst + GUARD, size, SHM_DPA_WINDOW_READ);
	window_set(WIN_WRITE_ONLY, src + GUARD, size, SHM_DPA_WINDOW_WRITE);
	TEST_CALL(test_msgq_start(&msgq, RTE_COMCH_MSGQ_FROM_DPA, 1, 1));
	TEST_CALL(test_msgq_dpa_queue(&producer, &msgq, NULL, false, 1, NB_RECV));
	TEST_CALL(test_msgq_end(&end, &msgq, true, 1, NB_RECV));
	return TEST_SUCCESS;
}

static void
dma_free(void)
{
	test_msgq_end_free(&end);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_destroy(&msgq);
	free(src);
	free(dst);
}

static int
copy_at(uint32_t to, uint64_t to_off, uint32_t from, uint64_t from_off, uint64_t len)
{
	const uint8_t *to_mem = to == WIN_SRC || to == WIN_WRITE_ONLY ? src : dst;
	const uint8_t *from_mem = from == WIN_SRC || from == WIN_WRITE_ONLY ? src : dst;

	return test_msgq_copy(producer.handle, 1, to, (uintptr_t)to_mem + GUARD + to_off, from,
		(uintptr_t)from_mem + GUARD + from_off, len, "a", 1);
}

static int
test_dma_args(void)
{
	const uint64_t size = 4096;
	struct rte_comch_cpl cpl;
	uint64_t mistakes;

	TEST_CALL(dma_create(size));
	TEST_EXPECT(test_msgq_post(&end, 1), 1);
	mistakes = test_msgq_mistakes();
	TEST_EXPECT(copy_at(0, 0, WIN_SRC, 0, 1), -EBADF);
	TEST_EXPECT(copy_at(9, 0, WIN_SRC, 0, 1), -EBADF);
	TEST_EXPECT(copy_at(WIN_DST, 0, UINT32_MAX, 0, 1), -EBADF);
	TEST_EXPECT(copy_at(WIN_READ_ONLY, 0, WIN_SRC, 0, 1), -EACCES);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_WRITE_ONLY, 0, 1), -EACCES);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_SRC, 0, 0), -EINVAL);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_SRC, 0, size + 1), -EFAULT);
	TEST_EXPECT(copy_at(WIN_DST, -1, WIN_SRC, 0, 1), -EFAULT);
	TEST_EXPECT(copy_at(WIN_DST, size, WIN_SRC, 0, 1), -EFAULT);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_SRC, size - 1, 2), -EFAULT);
	TEST_EXPECT(copy_at(WIN_DST, 1, WIN_SRC, 1, UINT64_MAX), -EFAULT);
	/* overlaps, also by two windows of one region */
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_DST, 0, 1), -EINVAL);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_DST, 63, 64), -EINVAL);
	TEST_EXPECT(copy_at(WIN_DST, 63, WIN_DST, 0, 64), -EINVAL);
	TEST_EXPECT(copy_at(WIN_DST, 63, WIN_READ_ONLY, 0, 64), -EINVAL);
	TEST_EXPECT(test_msgq_mistakes() - mistakes, 15);
	TEST_CALL(test_msgq_mistake_is("producer_dma_copy", -EINVAL));
	TEST_EXPECT(test_msgq_poll(&end, &cpl, 1), 0);
	/* those beside each other do not */
	TEST_EXPECT(copy_at(WIN_DST, 64, WIN_DST, 0, 64), 0);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_SRC, 0, size), -EAGAIN);
	TEST_EXPECT(test_msgq_poll(&end, &cpl, 1), 1);
	TEST_EXPECT(test_msgq_post(&end, 1), 1);
	TEST_EXPECT(copy_at(WIN_DST, 0, WIN_SRC, 0, size), 0);

	TEST_TRUE(rte_comch_dpa_dev_window_ptr(WIN_READ_ONLY, (uintptr_t)dst + GUARD, size,
		false) == dst + GUARD);
	TEST_TRUE(rte_comch_dpa_dev_window_ptr(WIN_READ_ONLY, (uintptr_t)dst + GUARD, size,
		true) == NULL);
	TEST_CALL(test_msgq_mistake_is("window_ptr", -EACCES));
	TEST_TRUE(rte_comch_dpa_dev_window_ptr(WIN_DST, (uintptr_t)dst + GUARD, size + 1,
		true) == NULL);
	TEST_CALL(test_msgq_mistake_is("window_ptr", -EFAULT));
	dma_free();
	return TEST_SUCCESS;
}

static void
src_fill(uint64_t seed, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		src[GUARD + i] = (uint8_t)(seed + i * 7 + (i >> 8));
}

/* The message is here: so are its data, and nothing beside them. */
static bool
dst_check(uint64_t seed, uint64_t len)
{
	uint64_t i;

	for (i = 0; i < len; i++)
		if (dst[GUARD + i] != (uint8_t)(seed + i * 7 + (i >> 8)))
			return false;
	return dst[GUARD - 1] == 0 && (dst[GUARD + len] == 0 || dst[GUARD + len] == 0x55);
}

static const uint64_t sizes[] = {
	1, 2, 3, 7, 8, 15, 16, 31, 63, 64, 65, 127, 4095, 4096, 65536, (1 << 20) + 1, DMA_MAX,
};

static void *
unit_copies(void *arg __rte_unused)
{
	struct dma_msg msg;
	uint64_t limit;
	uint32_t i;
	int ret;

	msgq_unit_self.eu = 0;
	for (i = 0; i < RTE_DIM(sizes); i++) {
		msg.len = sizes[i];
		msg.seed = i * 31 + 1;
		src_fill(msg.seed, msg.len);
		limit = test_now_ns() + MSGQ_LOST_NS;
		do {
			ret = copy(producer.handle, 1, WIN_DST, (uintptr_t)dst + GUARD, WIN_SRC,
					(uintptr_t)src + GUARD, msg.len, &msg, sizeof(msg));
			sched_yield();
		} while (ret == -EAGAIN && test_now_ns() < limit);
		if (ret != 0) {
			__atomic_store_n(&error, "a copy fails", __ATOMIC_RELAXED);
			break;
		}
	}
	return NULL;
}

/* All sizes, by a unit in a thread; each is checked as soon as its message is there. */
static int
copies(msgq_copy_fn *fn)
{
	uint64_t limit = test_now_ns() + 3 * MSGQ_LOST_NS;
	struct rte_comch_cpl cpl;
	struct dma_msg msg;
	pthread_t thread;
	uint32_t i = 0;

	TEST_CALL(dma_create(DMA_MAX));
	copy = fn;
	error = NULL;
	nb_wrong = 0;
	test_msgq_post(&end, 1);
	TEST_EXPECT(pthread_create(&thread, NULL, unit_copies, NULL), 0);
	while (i < RTE_DIM(sizes) && test_now_ns() < limit &&
			__atomic_load_n(&error, __ATOMIC_RELAXED) == NULL) {
		if (test_msgq_poll(&end, &cpl, 1) == 0) {
			sched_yield();
			continue;
		}
		memcpy(&msg, cpl.imm, sizeof(msg));
		nb_wrong += msg.len != sizes[i] || !dst_check(msg.seed, msg.len);
		i++;
		/* only now may the next one be copied */
		test_msgq_post(&end, 1);
	}
	pthread_join(thread, NULL);
	TEST_ASSERT(error == NULL, "%s", error);
	TEST_EXPECT(i, RTE_DIM(sizes));
	dma_free();
	return TEST_SUCCESS;
}

static int
test_dma_sizes(void)
{
	test_time_limit(120);
	TEST_CALL(copies(test_msgq_copy));
	TEST_EXPECT(nb_wrong, 0);
	return TEST_SUCCESS;
}

/* The test sees it when the order is broken. */
static int
test_dma_order_broken(void)
{
	uint32_t i;

	test_time_limit(120);
	if (TEST_TSAN)
		return test_skip("ThreadSanitizer reports the race that is made here");
	/* not each time: the unit may have copied all before this thread looks */
	nb_wrong = 0;
	for (i = 0; i < 50 && nb_wrong == 0; i++)
		TEST_CALL(copies(test_msgq_copy_bad));
	TEST_TRUE(nb_wrong != 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "copies of message queues",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_dma_args),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_dma_sizes),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_dma_order_broken),
		TEST_CASES_END(),
	},
};

REGISTER_SLOW_TEST(shm_msgq_dma_autotest, unit_test_suite_runner, &suite);
