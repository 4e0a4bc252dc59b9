/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The tasks of a progress engine: that it takes memory for those that are promised and
 * no others, that it gives all back, and what happens where there is none.
 */

#include <inttypes.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "test_comch_util.h"

#define MANY_TASKS (1u << 20) /* the most that an engine can have */
#define CTX_TASKS 1000
#define ENGINE_BYTES (192 * 1024)
#define TASK_BYTES 256 /* at most */
#define NB_CLIENTS 40
#define MAX_BLOCKS 4096

static struct rte_comch_pe *pe;
static struct rte_comch_ctx *ctx;

/* What EAL's heap has given away. */
static uint64_t
heap_used(void)
{
	struct rte_malloc_socket_stats stats;
	uint64_t used = 0;
	unsigned int i;

	for (i = 0; i < rte_socket_count(); i++)
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			used += stats.heap_allocsz_bytes;
	return used;
}

static uint32_t
tasks_left(void)
{
	struct rte_comch_pe_info info;

	return rte_comch_pe_info_get(pe, &info) == 0 ? info.tasks_left : UINT32_MAX;
}

/* An engine of so many tasks, with a server that is not started. */
static int
scene(uint32_t max_tasks, uint32_t nb_tasks)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = max_tasks };
	struct rte_comch_server_conf server_conf;
	struct test_ep *ep = test_ep_new(); /* which counts, and has nothing */

	pe = NULL;
	ctx = NULL;
	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), 0);
	test_server_conf(ep, "pool", &server_conf);
	server_conf.ctrl.nb_tasks = nb_tasks;
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	return TEST_SUCCESS;
}

/* Stop a context of the engine, which no helper of the tests turns. */
static int
stop(struct rte_comch_ctx *one)
{
	rte_comch_ctx_stop(one);
	TEST_UNTIL(rte_comch_ctx_state_get(one) == RTE_COMCH_STATE_IDLE,
			test_turn(pe, NULL) + test_progress(), TEST_MS);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	if (ctx != NULL)
		stop(ctx);
	test_cleanup();
	rte_comch_ctx_destroy(ctx);
	if (pe != NULL && rte_comch_pe_destroy(pe) != 0)
		test_fail("the engine of the case is not destroyed");
	pe = NULL;
	ctx = NULL;
}

static int
test_idle(void)
{
	const uint64_t before = heap_used();

	TEST_CALL(scene(MANY_TASKS, CTX_TASKS));
	TEST_TRUE(heap_used() - before < ENGINE_BYTES);
	test_note("%" PRIu64 " bytes of an engine without a task", heap_used() - before);
	TEST_EXPECT(tasks_left(), MANY_TASKS);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	ctx = NULL;
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	pe = NULL;
	/* a driver can have freed what was left of the case before */
	TEST_TRUE(heap_used() <= before);
	return TEST_SUCCESS;
}

/* A start takes memory, once. */
static int
test_starts(void)
{
	const uint64_t before = heap_used();
	uint64_t idle, started;
	int i;

	TEST_CALL(scene(MANY_TASKS, CTX_TASKS));
	idle = heap_used();
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
		TEST_EXPECT(tasks_left(), MANY_TASKS - CTX_TASKS);
		if (i == 0)
			started = heap_used();
		TEST_EXPECT(heap_used(), started);
		TEST_TRUE(started > idle && started - idle < CTX_TASKS * TASK_BYTES);
		TEST_CALL(stop(ctx));
		TEST_EXPECT(tasks_left(), MANY_TASKS);
	}
	teardown();
	TEST_TRUE(heap_used() <= before); /* as above */
	return TEST_SUCCESS;
}

/* So do connections, of which each has one task of its own, and all can be used. */
static int
test_clients(void)
{
	struct rte_comch_pe *client_pe = test_pe_new();
	struct rte_comch_task *tasks[NB_CLIENTS + 1], *task;
	struct rte_comch_conn *conn = NULL, *last = NULL;
	uint32_t i, nb = 0;

	TEST_CALL(scene(RTE_DIM(tasks), 1));
	TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
	for (i = 0; i < NB_CLIENTS; i++)
		test_client_run("pool", client_pe);
	TEST_UNTIL(test_ctx_info(ctx).nb_conns >= NB_CLIENTS, test_turn(pe, NULL) + test_progress(),
			TEST_MS);
	TEST_EXPECT(tasks_left(), 0);
	while ((conn = rte_comch_server_conn_next(ctx, conn)) != NULL) {
		TEST_EXPECT(rte_comch_conn_task_alloc(conn, "x", 1, &tasks[nb++]), 0);
		last = conn;
	}
	TEST_EXPECT(nb, NB_CLIENTS);
	TEST_EXPECT(rte_comch_conn_task_alloc(last, "x", 1, &tasks[nb++]), 0);
	TEST_EXPECT(test_pe_tasks(pe), NB_CLIENTS + 1);
	TEST_TRUE(rte_comch_conn_task_alloc(last, "x", 1, &task) < 0);
	while (nb > 0)
		TEST_EXPECT(rte_comch_task_free(tasks[--nb]), 0);
	return TEST_SUCCESS;
}

/* EAL has no memory: nothing is promised, and the next try with less of it works. */
static int
test_no_memory(void)
{
	static void *blocks[MAX_BLOCKS];
	size_t size = 64 << 20;
	unsigned int i, nb = 0;
	int ret;

	TEST_CALL(scene(MANY_TASKS, CTX_TASKS));
	while (nb < MAX_BLOCKS && size >= 4096) {
		blocks[nb] = rte_malloc(NULL, size, 0);
		if (blocks[nb] == NULL)
			size /= 2;
		else
			nb++;
	}
	ret = size < 4096 ? rte_comch_ctx_start(ctx) : 1;
	for (i = 0; i < nb; i++)
		rte_free(blocks[i]);
	if (ret == 1)
		return test_skip("%u blocks do not fill the memory of EAL", nb);
	TEST_EXPECT(ret, -ENOMEM);
	TEST_EXPECT(rte_comch_ctx_state_get(ctx), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(tasks_left(), MANY_TASKS);
	TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
	TEST_EXPECT(tasks_left(), MANY_TASKS - CTX_TASKS);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: tasks of engines",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_idle),
		TEST_CASE_ST(NULL, teardown, test_starts),
		TEST_CASE_ST(NULL, teardown, test_clients),
		TEST_CASE_ST(NULL, teardown, test_no_memory),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_pool_autotest, unit_test_suite_runner, &suite)
