/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors: doca_dpa_*(), with the program test_dpa_prog.c. Message queues are in
 * test_msgq.c, maps of the host in test_dpa_map.c.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <unistd.h>

#include "test_dpa.h"
#include "test_mem.h"

/* Milliseconds that something in the program may take. */
#define WAIT_MS 20000

int
test_dpa_open(struct test_dpa *t)
{
	memset(t, 0, sizeof(*t));
	TEST_OK(test_dev_open(TEST_DEV, &t->dev));
	TEST_OK(doca_dpa_create(t->dev, &t->dpa));
	TEST_OK(doca_dpa_set_app(t->dpa, test_prog));
	TEST_OK(doca_dpa_start(t->dpa));
	return 0;
}

int
test_dpa_close(struct test_dpa *t)
{
	TEST_OK(doca_dpa_stop(t->dpa));
	TEST_OK(doca_dpa_destroy(t->dpa));
	TEST_OK(doca_dev_close(t->dev));
	return 0;
}

int
test_dpa_thread(struct test_dpa *t, doca_dpa_func_t *func, uint64_t arg,
		struct doca_dpa_thread **thread)
{
	TEST_OK(doca_dpa_thread_create(t->dpa, thread));
	TEST_OK(doca_dpa_thread_set_func_arg(*thread, func, arg));
	TEST_OK(doca_dpa_thread_start(*thread));
	return 0;
}

static int
test_dpa_null(void)
{
	uint64_t word = 0;
	struct doca_dpa *dpa = NULL;
	struct test_dpa t;
	unsigned int nb;

	TEST_RESULT(doca_dpa_cap_is_supported(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_create(NULL, &dpa), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_set_app(NULL, test_prog), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_set_log_level(NULL, DOCA_DPA_DEV_LOG_LEVEL_INFO),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_get_total_num_eus_available(NULL, &nb), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_rpc(NULL, test_prog_nothing, &word), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_mem_alloc(NULL, 8, &word), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_mem_free(NULL, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_h2d_memcpy(NULL, 8, &word, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_d2h_memcpy(NULL, &word, 8, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_RESULT(doca_dpa_create(t.dev, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_set_app(t.dpa, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_set_log_level(t.dpa, 35), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_get_total_num_eus_available(t.dpa, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_rpc(t.dpa, NULL, &word), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_nothing, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_mem_alloc(t.dpa, 0, &word), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_mem_free(t.dpa, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_h2d_memcpy(t.dpa, 8, &word, 8), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_d2h_memcpy(t.dpa, &word, 8, 8), DOCA_ERROR_INVALID_VALUE);
	return test_dpa_close(&t);
}

static int
test_dpa_thread_null(void)
{
	struct doca_dpa_completion *comp = NULL;
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_thread *thread = NULL;
	uint64_t handle;
	struct test_dpa t;

	TEST_RESULT(doca_dpa_eu_affinity_create(NULL, &affinity), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_eu_affinity_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_eu_affinity_set(NULL, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_create(NULL, &thread), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_set_func_arg(NULL, test_prog_count, 0),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_set_affinity(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_run(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_thread_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_create(NULL, 8, &comp), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_set_thread(NULL, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_dpa_completion_get_dpa_handle(NULL, &handle), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_RESULT(doca_dpa_completion_create(t.dpa, 0, &comp), DOCA_ERROR_INVALID_VALUE);
	return test_dpa_close(&t);
}

/* Each call in the wrong state. */
static int
test_dpa_state(void)
{
	uint64_t word = 0;
	struct test_dpa t;

	memset(&t, 0, sizeof(t));
	TEST_OK(test_dev_open(TEST_DEV, &t.dev));
	TEST_OK(doca_dpa_cap_is_supported(doca_dev_as_devinfo(t.dev)));
	TEST_OK(doca_dpa_create(t.dev, &t.dpa));
	TEST_RESULT(doca_dev_close(t.dev), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_start(t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_stop(t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_nothing, &word), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_mem_alloc(t.dpa, 8, &word), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_mem_free(t.dpa, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_h2d_memcpy(t.dpa, 8, &word, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_d2h_memcpy(t.dpa, &word, 8, 8), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_set_app(t.dpa, test_prog));
	TEST_OK(doca_dpa_start(t.dpa));
	TEST_RESULT(doca_dpa_set_app(t.dpa, test_prog), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_start(t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_destroy(t.dpa), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_mem_alloc(t.dpa, 8, &word));
	TEST_RESULT(doca_dpa_stop(t.dpa), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_mem_free(t.dpa, word));
	/* what was stopped can be started again */
	TEST_OK(doca_dpa_stop(t.dpa));
	TEST_OK(doca_dpa_start(t.dpa));
	return test_dpa_close(&t);
}

/* Arguments come as wide as the function has them, and the result goes back. */
static int
test_dpa_rpc(void)
{
	doca_dpa_dev_uintptr_t addr;
	uint64_t ret = 0, d = 4;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_nothing, &ret));
	TEST_TRUE(ret == 1);
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_nothing, &ret));
	TEST_TRUE(ret == 2);
	TEST_OK(doca_dpa_mem_alloc(t.dpa, sizeof(d), &addr));
	TEST_OK(doca_dpa_h2d_memcpy(t.dpa, addr, &d, sizeof(d)));
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_weigh, &ret, UINT64_C(1) << 40, -2, (uint16_t)3,
			addr, (uint8_t)5, (int64_t)-6));
	TEST_TRUE(ret == (UINT64_C(1) << 40) - 20 + 300 + 4000 + 50000 - 600000);
	/* functions of threads are no functions for calls, nor is anything else */
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_count, &ret), DOCA_ERROR_NOT_FOUND);
	TEST_RESULT(doca_dpa_rpc(t.dpa, (doca_dpa_func_t *)abort, &ret), DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_dpa_mem_free(t.dpa, addr));
	return test_dpa_close(&t);
}

static int
test_dpa_mem(void)
{
	doca_dpa_dev_uintptr_t addr, other;
	char in[4000], out[4000];
	struct test_dpa t;
	size_t i;

	for (i = 0; i < sizeof(in); i++)
		in[i] = (char)(i * 7);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_mem_alloc(t.dpa, sizeof(in), &addr));
	TEST_OK(doca_dpa_mem_alloc(t.dpa, (size_t)16 << 20, &other));
	TEST_RESULT(doca_dpa_mem_alloc(t.dpa, (size_t)1 << 40, &other), DOCA_ERROR_NO_MEMORY);
	TEST_OK(doca_dpa_d2h_memcpy(t.dpa, out, addr, sizeof(out)));
	for (i = 0; i < sizeof(out); i++)
		TEST_TRUE(out[i] == 0);
	TEST_OK(doca_dpa_h2d_memcpy(t.dpa, addr, in, sizeof(in)));
	TEST_OK(doca_dpa_d2h_memcpy(t.dpa, out, addr, sizeof(out)));
	TEST_TRUE(memcmp(in, out, sizeof(in)) == 0);
	TEST_OK(doca_dpa_mem_free(t.dpa, addr));
	TEST_RESULT(doca_dpa_d2h_memcpy(t.dpa, out, addr, sizeof(out)), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dpa_mem_free(t.dpa, other));
	return test_dpa_close(&t);
}

/* Run a thread, and wait until it has ended so many runs. */
static int
run_until(struct test_dpa *t, struct doca_dpa_thread *thread, doca_dpa_dev_uintptr_t addr,
		uint32_t want, struct test_prog_runs *runs)
{
	unsigned int i;

	TEST_OK(doca_dpa_thread_run(thread));
	for (i = 0; i < WAIT_MS; i++) {
		TEST_OK(doca_dpa_d2h_memcpy(t->dpa, runs, addr, sizeof(*runs)));
		if (runs->ended == want)
			return 0;
		usleep(1000);
	}
	fprintf(stderr, "%u runs, not %u\n", runs->ended, want);
	return -1;
}

/* A run ends in the middle of a function, and the next one begins anew. */
static int
test_dpa_thread_runs(void)
{
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_thread *thread, *other;
	doca_dpa_dev_uintptr_t addr;
	struct test_prog_runs runs;
	struct test_dpa t;
	unsigned int nb, i;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_get_total_num_eus_available(t.dpa, &nb));
	TEST_TRUE(nb > 3);
	TEST_OK(doca_dpa_mem_alloc(t.dpa, sizeof(runs), &addr));
	TEST_OK(doca_dpa_eu_affinity_create(t.dpa, &affinity));
	TEST_RESULT(doca_dpa_eu_affinity_set(affinity, nb), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dpa_thread_create(t.dpa, &thread));
	TEST_RESULT(doca_dpa_thread_set_affinity(thread, affinity), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_dpa_eu_affinity_set(affinity, 3));
	TEST_OK(doca_dpa_thread_set_affinity(thread, affinity));
	TEST_OK(doca_dpa_thread_set_func_arg(thread, test_prog_count, addr));
	TEST_OK(doca_dpa_thread_start(thread));
	for (i = 1; i <= 20; i++)
		TEST_TRUE(run_until(&t, thread, addr, i, &runs) == 0);
	TEST_TRUE(runs.beyond == 0 && runs.eu == 3);
	/* another one has another unit, unless it wants the same */
	TEST_TRUE(test_dpa_thread(&t, test_prog_count, addr, &other) == 0);
	TEST_TRUE(run_until(&t, other, addr, i, &runs) == 0);
	TEST_TRUE(runs.eu != 3);
	TEST_OK(doca_dpa_thread_stop(other));
	TEST_OK(doca_dpa_thread_set_affinity(other, affinity));
	TEST_RESULT(doca_dpa_thread_start(other), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_eu_affinity_destroy(affinity));
	TEST_OK(doca_dpa_thread_stop(thread));
	TEST_OK(doca_dpa_thread_destroy(thread));
	TEST_OK(doca_dpa_thread_destroy(other));
	TEST_OK(doca_dpa_mem_free(t.dpa, addr));
	return test_dpa_close(&t);
}

static int
test_dpa_thread_state(void)
{
	struct doca_dpa_eu_affinity *affinity;
	struct doca_dpa_thread *thread;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_eu_affinity_create(t.dpa, &affinity));
	TEST_OK(doca_dpa_eu_affinity_set(affinity, 0));
	TEST_OK(doca_dpa_thread_create(t.dpa, &thread));
	TEST_RESULT(doca_dpa_thread_start(thread), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_thread_run(thread), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_thread_stop(thread), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_thread_set_func_arg(thread, test_prog_nothing, 0));
	TEST_RESULT(doca_dpa_thread_start(thread), DOCA_ERROR_NOT_FOUND);
	TEST_OK(doca_dpa_thread_set_func_arg(thread, test_prog_count, 0));
	TEST_OK(doca_dpa_thread_start(thread));
	TEST_RESULT(doca_dpa_thread_start(thread), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_thread_set_func_arg(thread, test_prog_count, 0),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_thread_set_affinity(thread, affinity), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_thread_destroy(thread), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_stop(t.dpa), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_thread_stop(thread));
	TEST_OK(doca_dpa_stop(t.dpa));
	TEST_RESULT(doca_dpa_destroy(t.dpa), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_thread_start(thread), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_thread_destroy(thread));
	TEST_OK(doca_dpa_eu_affinity_destroy(affinity));
	TEST_OK(doca_dpa_destroy(t.dpa));
	TEST_OK(doca_dev_close(t.dev));
	return 0;
}

static int
test_dpa_completion_state(void)
{
	struct doca_dpa_completion *comp;
	struct doca_dpa_thread *thread;
	uint64_t handle = 0;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_thread_create(t.dpa, &thread));
	TEST_OK(doca_dpa_thread_set_func_arg(thread, test_prog_count, 0));
	TEST_OK(doca_dpa_completion_create(t.dpa, 100, &comp));
	TEST_OK(doca_dpa_completion_set_thread(comp, thread));
	TEST_RESULT(doca_dpa_thread_destroy(thread), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_completion_start(comp), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_completion_stop(comp), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_completion_get_dpa_handle(comp, &handle), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_thread_start(thread));
	TEST_OK(doca_dpa_completion_start(comp));
	TEST_RESULT(doca_dpa_completion_start(comp), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_completion_set_thread(comp, thread), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_dpa_completion_get_dpa_handle(comp, &handle));
	TEST_TRUE(handle != 0);
	TEST_RESULT(doca_dpa_completion_destroy(comp), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dpa_thread_stop(thread), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_completion_stop(comp));
	TEST_OK(doca_dpa_completion_destroy(comp));
	TEST_OK(doca_dpa_thread_stop(thread));
	TEST_OK(doca_dpa_thread_destroy(thread));
	return test_dpa_close(&t);
}

static int
test_dpa_intrinsics(void)
{
	uint64_t ret = UINT64_MAX;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_intrinsics, &ret, UINT64_C(1000000)));
	TEST_TRUE(ret == 0);
	return test_dpa_close(&t);
}

/* A process of its own that lets a program log. */
static void
exit_log(void)
{
	struct test_dpa t;
	uint64_t ret;

	setenv("DOCA_COMPAT_EAL_ARGS", "--log-level=*:info", 1);
	setenv("DOCA_COMPAT_LOG_LEVEL", "info", 1);
	if (test_dpa_open(&t) != 0 ||
			doca_dpa_rpc(t.dpa, test_prog_log, &ret, UINT64_C(123456789012)) !=
				DOCA_SUCCESS ||
			doca_dpa_set_log_level(t.dpa, DOCA_DPA_DEV_LOG_LEVEL_ERROR) !=
				DOCA_SUCCESS ||
			doca_dpa_rpc(t.dpa, test_prog_log, &ret, UINT64_C(7)) != DOCA_SUCCESS ||
			test_dpa_close(&t) != 0)
		exit(1);
	exit(0);
}

/* What the program logs comes out of the process of the host, up to the level. */
static int
test_dpa_log(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_log, out, err) == 0);
	TEST_HAS(err, "prog: 123456789012 00ab -5% words !");
	TEST_HAS_NOT(err, "prog: 7");
	TEST_HAS_NOT(err, "not shown");
	return 0;
}

/* A program that faults ends, the host goes on, and everything can be taken down. */
static int
test_dpa_fault(void)
{
	struct doca_dpa_thread *thread;
	doca_dpa_dev_uintptr_t addr;
	struct test_dpa t;
	uint64_t ret;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_mem_alloc(t.dpa, sizeof(struct test_prog_runs), &addr));
	TEST_TRUE(test_dpa_thread(&t, test_prog_count, addr, &thread) == 0);
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_fault, &ret), DOCA_ERROR_DRIVER);
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_nothing, &ret), DOCA_ERROR_DRIVER);
	TEST_RESULT(doca_dpa_thread_run(thread), DOCA_ERROR_DRIVER);
	TEST_OK(doca_dpa_thread_stop(thread));
	TEST_OK(doca_dpa_thread_destroy(thread));
	TEST_OK(doca_dpa_mem_free(t.dpa, addr));
	TEST_OK(doca_dpa_stop(t.dpa));
	TEST_OK(doca_dpa_start(t.dpa));
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_nothing, &ret));
	return test_dpa_close(&t);
}

/* A process of the card's side has processors too. */
static int
test_dpa_card(void)
{
	struct test_dpa t;
	uint64_t ret;

	TEST_TRUE(setenv("DOCA_COMPAT_SIDE", "card", 1) == 0);
	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_dpa_rpc(t.dpa, test_prog_nothing, &ret));
	return test_dpa_close(&t);
}

const struct test_case test_dpa[] = {
	TEST_CASE(test_dpa_null),
	TEST_CASE(test_dpa_thread_null),
	TEST_CASE(test_dpa_state),
	TEST_CASE(test_dpa_rpc),
	TEST_CASE(test_dpa_mem),
	TEST_CASE(test_dpa_thread_runs),
	TEST_CASE(test_dpa_thread_state),
	TEST_CASE(test_dpa_completion_state),
	TEST_CASE(test_dpa_intrinsics),
	TEST_CASE(test_dpa_log),
	TEST_CASE(test_dpa_fault),
	TEST_CASE(test_dpa_card),
	TEST_CASES_END()
};
