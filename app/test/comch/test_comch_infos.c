/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Limits as fields of infos, and that they are true; and the fields that are reserved
 * for what is to come.
 */

#include <rte_memory.h>

#include "test_comch_fp_util.h"

#define TASKS 64
/* Engines of one device that a test is ready to make. */
#define MAX_PES 256

static int
info_is(const struct rte_comch_pe *pe, uint32_t devs, uint32_t queues, uint32_t ctxs,
		uint32_t left)
{
	struct rte_comch_pe_info info;

	TEST_EXPECT(rte_comch_pe_info_get(pe, &info), 0);
	TEST_EXPECT(info.nb_devs, devs);
	TEST_EXPECT(info.nb_queues, queues);
	TEST_EXPECT(info.nb_ctxs, ctxs);
	TEST_EXPECT(info.tasks_left, left);
	return TEST_SUCCESS;
}

static int
test_pe_info(void)
{
	const struct rte_comch_pe_conf conf = {
		.socket_id = SOCKET_ID_ANY,
		.max_tasks = TASKS,
	};
	struct rte_comch_server_conf server_conf;
	struct rte_comch_pe_info info;
	struct rte_comch_pe *pe = NULL;
	struct rte_comch_ctx *ctx = NULL;

	TEST_EXPECT(rte_comch_pe_info_get(NULL, &info), -EINVAL);
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_info_get(pe, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_info_get(pe, &info), 0);
	TEST_TRUE(info.max_devs > 0 && info.max_queues > 0 && info.max_tasks > 0);
	TEST_EXPECT(info.tasks_left, info.max_tasks);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);

	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), 0);
	TEST_EXPECT(rte_comch_pe_info_get(pe, &info), 0);
	TEST_EXPECT(info.max_tasks, TASKS);
	TEST_CALL(info_is(pe, 0, 0, 0, TASKS));
	test_server_conf(NULL, "info", &server_conf);
	server_conf.ctrl.nb_tasks = 10;
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	TEST_CALL(info_is(pe, 1, 0, 1, TASKS));
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_CALL(info_is(pe, 0, 0, 0, TASKS));
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	return TEST_SUCCESS;
}

/* What a server, its connection and a consumer take, and give back. */
static int
test_pe_info_used(void)
{
	const struct rte_comch_consumer_conf consumer_conf = { .nb_tasks = 7, .imm_len = 4 };
	struct rte_comch_pe_info idle, used;
	struct test_q *consumer;
	struct test_fp fp;

	TEST_CALL(test_fp_need());
	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_DPU | TEST_FP_ONE_ENGINE));
	TEST_EXPECT(rte_comch_pe_info_get(fp.rx.pe, &idle), 0);
	TEST_EXPECT(idle.nb_ctxs, 1);
	TEST_EXPECT(idle.nb_devs, 1);
	TEST_TRUE(idle.tasks_left < idle.max_tasks);
	consumer = test_q_consumer(&fp.rx, &consumer_conf);
	TEST_CALL(test_q_start(consumer, &fp.tx));
	TEST_EXPECT(rte_comch_pe_info_get(fp.rx.pe, &used), 0);
	TEST_EXPECT(used.nb_ctxs, 2);
	TEST_EXPECT(used.nb_queues, 1);
	TEST_EXPECT(used.nb_devs, 1);
	TEST_EXPECT(used.tasks_left + 7, idle.tasks_left);
	TEST_EXPECT(test_q_close(consumer), 0);
	TEST_CALL(info_is(fp.rx.pe, 1, 0, 1, idle.tasks_left));
	/* the connection's own task comes back, too */
	TEST_EXPECT(rte_comch_server_disconnect(fp.rx.ep->conn), 0);
	TEST_WAIT(fp.rx.ep->conn == NULL && fp.rx.ep->nb_disconnects == 1, TEST_MS);
	test_ends_settle();
	test_progress_ms(5);
	TEST_CALL(info_is(fp.rx.pe, 1, 0, 1, idle.tasks_left + 1));
	return TEST_SUCCESS;
}

/* As many engines as the info says can have contexts of a device, and no more. */
static int
test_max_pes(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = SOCKET_ID_ANY, .max_tasks = 64 };
	static struct rte_comch_ctx *ctxs[MAX_PES + 1];
	static struct rte_comch_pe *pes[MAX_PES + 1];
	struct rte_comch_server_conf server_conf;
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);
	uint32_t i, nb = 0;
	int ret = 0;

	if (info.max_pes == 0 || info.max_pes > MAX_PES)
		return test_skip("%u engines are too many, or there is no limit", info.max_pes);
	TEST_CALL(test_need_fds(64 + 8 * info.max_pes));
	test_server_conf(NULL, "many", &server_conf);
	for (i = 0; i <= info.max_pes && ret == 0; i++) {
		TEST_EXPECT(rte_comch_pe_create(&conf, &pes[i]), 0);
		TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf,
				&ctxs[i]), 0);
		ret = rte_comch_ctx_attach(ctxs[i], pes[i]);
		nb += ret == 0;
		TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
		TEST_EXPECT(info.nb_pes, nb);
	}
	while (i-- > 0) {
		TEST_EXPECT(rte_comch_ctx_destroy(ctxs[i]), 0);
		TEST_EXPECT(rte_comch_pe_destroy(pes[i]), 0);
	}
	TEST_EXPECT(ret, -ENOSPC);
	TEST_EXPECT(nb, info.max_pes);
	test_ends_settle();
	TEST_WAIT(rte_comch_dev_info_get(test_pair.dpu, &info) == 0 && info.nb_pes == 0, TEST_MS);
	return TEST_SUCCESS;
}

/* Receive queues of all forms that are as large as the info says they can be. */
static int
test_recv_bytes(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_server_conf conf = { .name = "room" };
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);
	struct test_ep *server;
	uint32_t size;

	for (size = 1; size <= info.max_msg_size; size = size < 8 ? size + 1 : size * 2 - 1) {
		conf.ctrl.max_msg_size = size;
		conf.ctrl.recv_queue_size = info.max_recv_bytes == 0 ? info.max_recv_queue_size :
			RTE_MIN(info.max_recv_bytes / size, info.max_recv_queue_size + 0ull);
		server = test_server_run_conf(&conf, pe);
		TEST_EXPECT(test_ep_close(server), 0);
	}
	return TEST_SUCCESS;
}

/* The words are not 0 one by one: each is refused, and then nothing is. */
#define REFUSED_WORDS(words, call) do { \
	unsigned int w_; \
	for (w_ = 0; w_ < RTE_DIM(words); w_++) { \
		(words)[w_] = RTE_BIT64(w_ * 7 % 64); \
		TEST_EXPECT(call, -EINVAL); \
		(words)[w_] = 0; \
	} \
} while (0)

static int
test_reserved_in(void)
{
	struct rte_comch_pe_conf pe_conf = { .socket_id = SOCKET_ID_ANY };
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_pe *pe = NULL;

	REFUSED_WORDS(pe_conf.reserved, rte_comch_pe_create(&pe_conf, &pe));
	TEST_TRUE(pe == NULL);
	TEST_EXPECT(rte_comch_pe_create(&pe_conf, &pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);

	test_server_conf(NULL, "room", &server_conf);
	REFUSED_WORDS(server_conf.reserved, rte_comch_server_create(test_pair.dpu,
			test_pair.rep, &server_conf, &ctx));
	REFUSED_WORDS(server_conf.ctrl.reserved, rte_comch_server_create(test_pair.dpu,
			test_pair.rep, &server_conf, &ctx));
	TEST_TRUE(ctx == NULL);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf, &ctx), 0);
	REFUSED_WORDS(server_conf.reserved, test_server_conf_set(ctx, &server_conf));
	REFUSED_WORDS(server_conf.ctrl.reserved, test_server_conf_set(ctx, &server_conf));
	TEST_EXPECT(test_server_conf_set(ctx, &server_conf), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);

	ctx = NULL;
	test_client_conf(NULL, "room", &client_conf);
	REFUSED_WORDS(client_conf.reserved, rte_comch_client_create(test_pair.host,
			&client_conf, &ctx));
	REFUSED_WORDS(client_conf.ctrl.reserved, rte_comch_client_create(test_pair.host,
			&client_conf, &ctx));
	TEST_TRUE(ctx == NULL);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &client_conf, &ctx), 0);
	REFUSED_WORDS(client_conf.reserved, test_client_conf_set(ctx, &client_conf));
	REFUSED_WORDS(client_conf.ctrl.reserved, test_client_conf_set(ctx, &client_conf));
	TEST_EXPECT(test_client_conf_set(ctx, &client_conf), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* Full of something before the call, and all zero after it. */
#define ZERO_WORDS(info, call) do { \
	unsigned int w_; \
	memset(&(info), 0xa5, sizeof(info)); \
	TEST_EXPECT(call, 0); \
	for (w_ = 0; w_ < RTE_DIM((info).reserved); w_++) \
		TEST_TRUE((info).reserved[w_] == 0); \
} while (0)

static int
test_reserved_out(void)
{
	struct rte_comch_conn_stats conn_stats;
	struct rte_comch_dev_stats dev_stats;
	struct rte_comch_conn_info conn_info;
	struct test_ep *server, *client;
	struct rte_comch_dev_info info;
	struct rte_comch_mem_info mem_info;
	struct rte_comch_pe_info pe_info;
	struct rte_comch_rep_info rep;
	struct rte_comch_mem *mem;
	struct rte_comch_pe *pe;

	TEST_CALL(test_connected(&server, &client));
	ZERO_WORDS(info, rte_comch_dev_info_get(test_pair.dpu, &info));
	ZERO_WORDS(dev_stats, rte_comch_dev_stats_get(test_pair.dpu, &dev_stats));
	ZERO_WORDS(rep, rte_comch_rep_list(test_pair.dpu, &rep, 1) < 1);
	ZERO_WORDS(conn_info, rte_comch_conn_info_get(client->conn, &conn_info));
	ZERO_WORDS(conn_stats, rte_comch_conn_stats_get(client->conn, &conn_stats));
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	ZERO_WORDS(pe_info, rte_comch_pe_info_get(pe, &pe_info));
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_CALL(test_fp_need());
	mem = test_mem_alloc(test_pair.dpu, 4096, 0);
	ZERO_WORDS(mem_info, rte_comch_mem_info_get(mem, &mem_info));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: infos and reserved fields",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_pe_info),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_pe_info_used),
		TEST_CASE_ST(NULL, test_cleanup, test_max_pes),
		TEST_CASE_ST(NULL, test_cleanup, test_recv_bytes),
		TEST_CASE_ST(NULL, test_cleanup, test_reserved_in),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_reserved_out),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_infos_autotest, unit_test_suite_runner, &suite)
