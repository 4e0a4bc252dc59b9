/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Every public function of the objects that need no connection: devices,
 * progress engines, contexts. Bad handle, NULL, out of range, unknown flag,
 * wrong state, then success. Those that need a connection are in
 * test_comch_api_conn.c; what the functions do together is in test_comch.c.
 */

#include "test_comch_util.h"

#define NO_DEV 63 /* an identifier in range, of no device */

static struct rte_comch_dev_info dpu_info;
static struct rte_comch_dev_info host_info;

static int
suite_setup(void)
{
	TEST_CALL(test_pair_first());
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &dpu_info), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &host_info), 0);
	return test_quiet();
}

static int
test_dev_iterate(void)
{
	uint16_t count = 0;
	int16_t dev;

	TEST_TRUE(!test_dev_is_valid(-1));
	TEST_TRUE(!test_dev_is_valid(INT16_MIN));
	TEST_TRUE(!test_dev_is_valid(NO_DEV));
	TEST_TRUE(!test_dev_is_valid(RTE_COMCH_MAX_DEVS));
	TEST_TRUE(!test_dev_is_valid(INT16_MAX));
	TEST_EXPECT(rte_comch_dev_next(RTE_COMCH_MAX_DEVS), -1);
	TEST_EXPECT(rte_comch_dev_next(INT16_MAX), -1);
	TEST_EXPECT(rte_comch_dev_next(NO_DEV), -1);

	TEST_EXPECT(rte_comch_dev_next(test_pair.dpu), test_pair.dpu);
	RTE_COMCH_FOREACH_DEV(dev) {
		TEST_TRUE(test_dev_is_valid(dev));
		count++;
	}
	TEST_EXPECT(rte_comch_dev_count_avail(), count);
	return TEST_SUCCESS;
}

static int
test_dev_get_id_by_name(void)
{
	char longer[4096];

	TEST_EXPECT(rte_comch_dev_get_id_by_name(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dev_get_id_by_name(""), -EINVAL);
	TEST_EXPECT(rte_comch_dev_get_id_by_name("no_such_device"), -ENODEV);
	TEST_EXPECT(rte_comch_dev_get_id_by_name("%n%s"), -ENODEV);
	TEST_EXPECT(rte_comch_dev_get_id_by_name("ffff:ff:1f.7"), -ENODEV);
	memset(longer, 'a', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	TEST_EXPECT(rte_comch_dev_get_id_by_name(longer), -ENODEV);

	TEST_EXPECT(rte_comch_dev_get_id_by_name(dpu_info.name), test_pair.dpu);
	TEST_EXPECT(rte_comch_dev_get_id_by_name(host_info.name), test_pair.host);
	return TEST_SUCCESS;
}

static int
test_dev_info_get(void)
{
	struct rte_comch_dev_info info;
	struct test_ep *server, *client;

	TEST_EXPECT(rte_comch_dev_info_get(-1, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dev_info_get(NO_DEV, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dev_info_get(RTE_COMCH_MAX_DEVS, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dev_info_get(INT16_MAX, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, NULL), -EINVAL);

	TEST_EXPECT(rte_comch_dev_info_get(test_pair.dpu, &info), 0);
	TEST_EXPECT(info.role, RTE_COMCH_ROLE_DPU);
	TEST_TRUE((info.capa & RTE_COMCH_CAPA_SERVER) != 0);
	TEST_TRUE(info.name[0] != '\0' && info.driver[0] != '\0');
	TEST_TRUE(info.function[0] == '\0');
	TEST_TRUE(info.nb_reps > 0);
	TEST_TRUE(info.max_name_len > 1 && info.max_name_len <= RTE_COMCH_NAME_SIZE);
	TEST_TRUE(info.max_clients > 0 && info.max_ctrl_tasks > 0);
	TEST_TRUE(info.max_msg_size > 0 && info.max_recv_queue_size > 0);
	TEST_TRUE(info.dflt_msg_size > 0 && info.dflt_msg_size <= info.max_msg_size);
	TEST_TRUE(info.dflt_recv_queue_size > 0 &&
			info.dflt_recv_queue_size <= info.max_recv_queue_size);

	/* a link is known when engines have turned */
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &info), 0);
	TEST_EXPECT(info.role, RTE_COMCH_ROLE_HOST);
	TEST_TRUE((info.capa & RTE_COMCH_CAPA_CLIENT) != 0);
	TEST_TRUE(strcmp(info.function, test_pair.function) == 0);
	TEST_EXPECT(info.nb_reps, 0);
	TEST_TRUE(info.link_up);
	TEST_TRUE(info.nb_links > 0);
	return TEST_SUCCESS;
}

static int
test_rep_list(void)
{
	struct rte_comch_rep_info reps[2];
	int nb = dpu_info.nb_reps;

	TEST_EXPECT(rte_comch_rep_list(-1, reps, 1), -EINVAL);
	TEST_EXPECT(rte_comch_rep_list(NO_DEV, reps, 1), -EINVAL);
	TEST_EXPECT(rte_comch_rep_list(INT16_MAX, reps, 1), -EINVAL);
	TEST_EXPECT(rte_comch_rep_list(test_pair.dpu, NULL, 1), -EINVAL);

	TEST_EXPECT(rte_comch_rep_list(test_pair.dpu, NULL, 0), nb);
	memset(reps, 0xa5, sizeof(reps));
	TEST_EXPECT(rte_comch_rep_list(test_pair.dpu, reps, 1), nb);
	TEST_TRUE(reps[0].name[0] != '\0');
	TEST_TRUE((uint8_t)reps[1].name[0] == 0xa5); /* not beyond the array */
	TEST_EXPECT(rte_comch_rep_list(test_pair.host, reps, 1), 0);
	TEST_EXPECT(rte_comch_rep_list(test_pair.host, NULL, 0), 0);
	return TEST_SUCCESS;
}

static int
test_rep_get_id_by_name(void)
{
	int16_t dpu = test_pair.dpu;

	TEST_EXPECT(rte_comch_rep_get_id_by_name(-1, "pf0"), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(NO_DEV, "pf0"), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dpu, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dpu, ""), -EINVAL);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dpu, "pf7vf1234"), -ENODEV);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dpu, "%s%n"), -ENODEV);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.host, test_pair.function), -ENODEV);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(dpu, test_pair.function), test_pair.rep);
	return TEST_SUCCESS;
}

static int
test_dev_stats(void)
{
	struct rte_comch_dev_stats stats;

	TEST_EXPECT(rte_comch_dev_stats_get(-1, &stats), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_get(NO_DEV, &stats), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_get(INT16_MAX, &stats), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_reset(-1), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_reset(NO_DEV), -EINVAL);
	TEST_EXPECT(rte_comch_dev_stats_reset(INT16_MAX), -EINVAL);

	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &stats), 0);
	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.dpu), 0);
	memset(&stats, 0xa5, sizeof(stats));
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &stats), 0);
	TEST_EXPECT(stats.connects, 0);
	TEST_EXPECT(stats.refused, 0);
	TEST_EXPECT(stats.disconnects, 0);
	TEST_EXPECT(stats.peer_lost, 0);
	TEST_EXPECT(stats.timeouts, 0);
	TEST_EXPECT(stats.violations, 0);
	return TEST_SUCCESS;
}

static int
test_dev_dump(void)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);
	int ret, named;

	TEST_TRUE(f != NULL);
	ret = rte_comch_dev_dump(-1, f);
	if (ret == -EINVAL)
		ret = rte_comch_dev_dump(NO_DEV, f);
	if (ret == -EINVAL)
		ret = rte_comch_dev_dump(INT16_MAX, f);
	if (ret == -EINVAL)
		ret = rte_comch_dev_dump(test_pair.dpu, NULL);
	if (ret == -EINVAL && ftell(f) == 0)
		ret = rte_comch_dev_dump(test_pair.dpu, f);
	fclose(f);
	named = text != NULL && strstr(text, dpu_info.name) != NULL;
	free(text);
	TEST_EXPECT(ret, 0);
	TEST_TRUE(named);
	return TEST_SUCCESS;
}

static int
test_pe(void)
{
	struct rte_comch_pe_conf conf = { .max_tasks = 64 };
	struct rte_comch_pe *pe = NULL, *dflt;

	TEST_EXPECT(rte_comch_pe_create(&conf, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_create(NULL, NULL), -EINVAL);
	conf.flags = 1;
	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), -EINVAL);
	conf.flags = RTE_BIT64(63);
	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), -EINVAL);
	conf.flags = 0;
	conf.socket_id = -2;
	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), -EINVAL);
	conf.socket_id = 0;
	conf.max_tasks = UINT32_MAX;
	TEST_TRUE(rte_comch_pe_create(&conf, &pe) < 0);
	TEST_TRUE(pe == NULL); /* written on success only */
	TEST_EXPECT(rte_comch_pe_destroy(NULL), 0);
	TEST_EXPECT(rte_comch_pe_progress(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_fd(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pe_arm(NULL), -EINVAL);

	conf.max_tasks = 64;
	TEST_EXPECT(rte_comch_pe_create(&conf, &pe), 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &dflt), 0);
	TEST_TRUE(pe != NULL && dflt != NULL && pe != dflt);
	TEST_EXPECT(rte_comch_pe_progress(pe), 0);
	TEST_TRUE(rte_comch_pe_fd(pe) >= 0);
	TEST_TRUE(rte_comch_pe_fd(pe) != rte_comch_pe_fd(dflt));
	TEST_EXPECT(rte_comch_pe_arm(pe), 0);
	TEST_EXPECT(rte_comch_pe_progress(pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(dflt), 0);
	return TEST_SUCCESS;
}

/* The part of a configuration that servers and clients share. */
#define CHECK_CTRL(create, conf, ctx) do { \
	struct rte_comch_ctrl_conf good_ = (conf)->ctrl; \
	(conf)->ctrl.flags = 1; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.send_cb = NULL; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.recv_cb = NULL; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.consumer_new_cb = NULL; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.consumer_gone_cb = NULL; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.max_msg_size = dpu_info.max_msg_size + 1; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl.max_msg_size = UINT32_MAX; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.recv_queue_size = dpu_info.max_recv_queue_size + 1; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl.recv_queue_size = UINT32_MAX; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->ctrl.nb_tasks = dpu_info.max_ctrl_tasks + 1; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl.nb_tasks = UINT32_MAX; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->ctrl = good_; \
	(conf)->name = NULL; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->name = ""; \
	TEST_EXPECT(create, -EINVAL); \
	(conf)->name = "api"; \
	TEST_TRUE((ctx) == NULL); /* written on success only */ \
	/* the limits themselves, and no consumer callbacks at all */ \
	(conf)->ctrl.max_msg_size = dpu_info.max_msg_size; \
	(conf)->ctrl.recv_queue_size = dpu_info.max_recv_queue_size; \
	(conf)->ctrl.nb_tasks = dpu_info.max_ctrl_tasks; \
	(conf)->ctrl.consumer_new_cb = NULL; \
	(conf)->ctrl.consumer_gone_cb = NULL; \
	(conf)->ctrl.state_cb = NULL; \
	TEST_EXPECT(create, 0); \
	TEST_TRUE((ctx) != NULL); \
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0); \
	(conf)->ctrl = good_; \
} while (0)

static int
test_server_create(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;
	struct rte_comch_ctx *ctx = NULL;
	int16_t dpu = test_pair.dpu;
	uint16_t rep = test_pair.rep;

	test_server_conf(ep, "api", &conf);
	TEST_EXPECT(rte_comch_server_create(-1, rep, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_server_create(NO_DEV, rep, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_server_create(INT16_MAX, rep, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_server_create(dpu, rep, NULL, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_server_create(dpu, rep, &conf, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_server_create(test_pair.host, rep, &conf, &ctx), -EPERM);
	TEST_EXPECT(rte_comch_server_create(dpu, dpu_info.nb_reps, &conf, &ctx), -ENODEV);
	TEST_EXPECT(rte_comch_server_create(dpu, UINT16_MAX, &conf, &ctx), -ENODEV);
	conf.connect_cb = NULL;
	TEST_EXPECT(rte_comch_server_create(dpu, rep, &conf, &ctx), -EINVAL);
	test_server_conf(ep, "api", &conf);
	conf.disconnect_cb = NULL;
	TEST_EXPECT(rte_comch_server_create(dpu, rep, &conf, &ctx), -EINVAL);
	test_server_conf(ep, "api", &conf);
	conf.max_clients = dpu_info.max_clients + 1;
	TEST_EXPECT(rte_comch_server_create(dpu, rep, &conf, &ctx), -EINVAL);
	test_server_conf(ep, "api", &conf);
	CHECK_CTRL(rte_comch_server_create(dpu, rep, &conf, &ctx), &conf, ctx);
	return TEST_SUCCESS;
}

static int
test_client_create(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf conf;
	struct rte_comch_ctx *ctx = NULL;
	int16_t host = test_pair.host;

	test_client_conf(ep, "api", &conf);
	TEST_EXPECT(rte_comch_client_create(-1, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_client_create(NO_DEV, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_client_create(INT16_MAX, &conf, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_client_create(host, NULL, &ctx), -EINVAL);
	TEST_EXPECT(rte_comch_client_create(host, &conf, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_client_create(test_pair.dpu, &conf, &ctx), -EPERM);
	CHECK_CTRL(rte_comch_client_create(host, &conf, &ctx), &conf, ctx);
	return TEST_SUCCESS;
}

static int
test_ctx_attach(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_pe *other = test_pe_new();
	struct rte_comch_server_conf conf;

	test_server_conf(ep, "api", &conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &conf, &ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(NULL, pe), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_attach(NULL, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, pe), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, other), -EALREADY);
	TEST_EXPECT(rte_comch_pe_destroy(pe), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, pe), -EBUSY);
	return TEST_SUCCESS;
}

static int
test_ctx_start_stop(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_server_conf conf;

	TEST_EXPECT(rte_comch_ctx_start(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_stop(NULL), -EINVAL);
	test_server_conf(ep, "api", &conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &conf, &ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -ENOLINK);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EALREADY);
	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EALREADY);
	TEST_EXPECT(ep->nb_states, 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EBUSY);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_RUNNING);
	TEST_CALL(test_stop_now(ep->ctx));
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EALREADY);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

static int
test_ctx_destroy(void)
{
	struct test_ep *ep;
	struct rte_comch_pe *pe = test_pe_new();

	TEST_EXPECT(rte_comch_ctx_destroy(NULL), 0);
	ep = test_server_run("api", pe);
	TEST_EXPECT(rte_comch_ctx_destroy(ep->ctx), -EBUSY);
	TEST_CALL(test_stop_now(ep->ctx));
	TEST_EXPECT(rte_comch_ctx_destroy(ep->ctx), 0);
	ep->ctx = NULL;
	/* it was detached too */
	test_settle();
	TEST_EXPECT(rte_comch_pe_progress(pe), 0);
	return TEST_SUCCESS;
}

static int
test_ctx_get(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;
	struct rte_comch_ctx_info info;

	TEST_EXPECT(rte_comch_ctx_state_get(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_reason_get(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_info_get(NULL, &info), -EINVAL);

	test_server_conf(server, "api", &server_conf);
	test_client_conf(client, "api", &client_conf);
	TEST_EXPECT(rte_comch_server_create(test_pair.dpu, test_pair.rep, &server_conf,
			&server->ctx), 0);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &client_conf, &client->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_state_get(server->ctx), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(server->ctx), 0);
	TEST_EXPECT(test_ctx_info(server->ctx).type, RTE_COMCH_CTX_SERVER);
	TEST_EXPECT(test_ctx_info(client->ctx).type, RTE_COMCH_CTX_CLIENT);
	TEST_EXPECT(test_ctx_info(server->ctx).nb_tasks, 0);
	TEST_EXPECT(rte_comch_ctx_info_get(server->ctx, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_info_get(server->ctx, &info), 0);
	TEST_TRUE(info.state == RTE_COMCH_STATE_IDLE && info.reason == 0);
	TEST_TRUE(info.conf.server.ctrl.user_data == server);
	return TEST_SUCCESS;
}

static int
test_state_name(void)
{
	TEST_TRUE(strcmp(rte_comch_state_name(RTE_COMCH_STATE_IDLE), "IDLE") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(RTE_COMCH_STATE_STARTING), "STARTING") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(RTE_COMCH_STATE_RUNNING), "RUNNING") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(RTE_COMCH_STATE_STOPPING), "STOPPING") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(-1), "UNKNOWN") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(4), "UNKNOWN") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(INT32_MAX), "UNKNOWN") == 0);
	TEST_TRUE(strcmp(rte_comch_state_name(INT32_MIN), "UNKNOWN") == 0);
	return TEST_SUCCESS;
}

/* All reasons that the headers list, and what is none. */
static int
test_reason_str(void)
{
	static const int reasons[] = {
		-ENOENT, -ECONNREFUSED, -ENOSPC, -EMSGSIZE, -EPROTONOSUPPORT, -EACCES, -EUSERS,
		-ENOMEM, -ENOTCONN, -ETIMEDOUT, -ENODEV, -EIO, -ESHUTDOWN, -ECONNRESET, -EPROTO,
		-ECANCELED, -ECONNABORTED, -EAGAIN,
	};
	const char *other = rte_comch_reason_str(-ECHILD), *text;
	unsigned int i, k;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		text = rte_comch_reason_str(reasons[i]);
		/* what it is, and what to do; with another text than all others */
		TEST_ASSERT(strstr(text, ": ") != NULL && strcmp(text, other) != 0, "%d: %s",
				reasons[i], text);
		for (k = 0; k < i; k++)
			TEST_TRUE(strcmp(text, rte_comch_reason_str(reasons[k])) != 0);
		TEST_TRUE(strcmp(rte_comch_reason_str(-reasons[i]), other) == 0);
	}
	TEST_TRUE(strcmp(rte_comch_reason_str(0), "no error") == 0);
	TEST_TRUE(strstr(other, "log of both sides") != NULL);
	TEST_TRUE(strcmp(rte_comch_reason_str(INT32_MAX), other) == 0);
	TEST_TRUE(strcmp(rte_comch_reason_str(INT32_MIN), other) == 0);
	TEST_TRUE(strstr(rte_comch_reason_str(-ESHUTDOWN), "disconnected or was stopped") != NULL);
	/* also of a device whose status it is: with what helps then */
	TEST_TRUE(strstr(rte_comch_reason_str(-ETIMEDOUT), "reset the device") != NULL);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arguments of device, engine and context functions",
	.setup = suite_setup,
	.unit_test_cases = {
		TEST_CASE(test_dev_iterate),
		TEST_CASE(test_dev_get_id_by_name),
		TEST_CASE_ST(NULL, test_cleanup, test_dev_info_get),
		TEST_CASE(test_rep_list),
		TEST_CASE(test_rep_get_id_by_name),
		TEST_CASE(test_dev_stats),
		TEST_CASE(test_dev_dump),
		TEST_CASE_ST(NULL, test_cleanup, test_pe),
		TEST_CASE_ST(NULL, test_cleanup, test_server_create),
		TEST_CASE_ST(NULL, test_cleanup, test_client_create),
		TEST_CASE_ST(NULL, test_cleanup, test_ctx_attach),
		TEST_CASE_ST(NULL, test_cleanup, test_ctx_start_stop),
		TEST_CASE_ST(NULL, test_cleanup, test_ctx_destroy),
		TEST_CASE_ST(NULL, test_cleanup, test_ctx_get),
		TEST_CASE(test_state_name),
		TEST_CASE(test_reason_str),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_api_autotest, unit_test_suite_runner, &suite)
