/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Devices that fail and come back, seen from the library: those of
 * test_fake_dev.c fail on command. What real drivers make of it is in their suites.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_comch_util.h"
#include "test_fake_dev.h"

static int
status_of(struct test_fake *fake)
{
	struct rte_comch_dev_info info;
	int ret = rte_comch_dev_info_get(fake->dev->data->dev_id, &info);

	return ret != 0 ? ret : info.status;
}

/* A server stops with the reason, starts no more, and does after a reset. */
static int
test_server_stops(void)
{
	struct test_ep *ep = test_server_run("srv", test_pe_new());

	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(status_of(&test_fake_dpu), 0);
	rte_comch_pmd_dev_down(test_fake_dpu.dev, -EIO);
	TEST_EXPECT(status_of(&test_fake_dpu), -EIO);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_RUNNING);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(ep->nb_states, 3);
	TEST_EXPECT(ep->states[1], RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_fake_dpu.nb_unlisten, 1);
	/* the other device is none of its business */
	TEST_EXPECT(status_of(&test_fake_host), 0);

	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EIO);
	test_fake_dpu.reset_ret = -ETIMEDOUT;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -ETIMEDOUT);
	test_fake_dpu.reset_ret = 0;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(test_fake_dpu.nb_resets, 2);
	TEST_EXPECT(status_of(&test_fake_dpu), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), 0);
	/* and it can fail once more */
	rte_comch_pmd_dev_down(test_fake_dpu.dev, -ENODEV);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -ENODEV);
	return TEST_SUCCESS;
}

/* An attempt to connect fails with the reason, not with its time limit. */
static int
test_client_fails(void)
{
	const struct rte_comch_client_conf conf = {
		.name = "srv",
		.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER,
	};
	struct test_ep *ep = test_client_run_conf(&conf, test_pe_new());

	rte_comch_pmd_dev_down(test_fake_host.dev, -EIO);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(test_fake_host.nb_cancel, 1);
	return TEST_SUCCESS;
}

/* A client that loses its device was not refused by anybody. */
static int
test_failure_is_no_refusal(void)
{
	struct test_ep *ep = test_client_run("srv", test_pe_new());
	struct rte_comch_dev_stats stats;

	rte_comch_pmd_dev_down(test_fake_host.dev, -EIO);
	test_settle();
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &stats), 0);
	TEST_EXPECT(stats.refused, 0);
	/* a refusal is one */
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EINPROGRESS);
	rte_comch_pmd_connect_failed(test_fake_host.client, -ECONNREFUSED);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -ECONNREFUSED);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &stats), 0);
	TEST_EXPECT(stats.refused, 1);
	return TEST_SUCCESS;
}

/* A server with a connection waits for the driver to end that. */
static int
test_server_with_connection(void)
{
	struct test_ep *ep = test_server_run("srv", test_pe_new());
	struct rte_comch_conn_req req = { .function = "pf0" };
	struct rte_comch_ctrl *server;

	server = rte_comch_pmd_server_find(test_fake_dpu.dev, test_pair.rep, "srv");
	TEST_TRUE(server != NULL);
	TEST_EXPECT(rte_comch_pmd_conn_accept(server, &req, &test_fake_dpu.conn), 0);
	rte_comch_pmd_conn_up(test_fake_dpu.conn);
	TEST_EXPECT(ep->nb_connects, 1);
	rte_comch_pmd_dev_down(test_fake_dpu.dev, -EIO);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_STOPPING);
	test_fake_dpu.end = -EIO;
	test_settle();
	TEST_EXPECT(ep->nb_disconnects, 1);
	TEST_EXPECT(ep->disconnect_status, -EIO);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	return TEST_SUCCESS;
}

static void *
fail_later(void *arg)
{
	struct test_fake *fake = arg;

	usleep(20000);
	rte_comch_pmd_dev_down(fake->dev, -EIO);
	return NULL;
}

/* An engine that sleeps is woken by the failure, which another thread finds. */
static int
test_sleeper_wakes(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *ep = test_server_run("srv", pe);
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };
	pthread_t thread;
	int ret;

	test_settle();
	TEST_EXPECT(rte_comch_pe_arm(pe), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, fail_later, &test_fake_dpu), 0);
	ret = poll(&pfd, 1, TEST_MS);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 1);
	/* and what was left before arming is seen by it */
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	test_settle();
	rte_comch_pmd_dev_down(test_fake_dpu.dev, -EIO);
	TEST_EXPECT(rte_comch_pe_arm(pe), -EAGAIN);
	return TEST_SUCCESS;
}

static int
test_reset_refused(void)
{
	struct test_ep *ep = test_server_run("srv", test_pe_new());

	TEST_EXPECT(rte_comch_dev_reset(-1), -EINVAL);
	TEST_EXPECT(rte_comch_dev_reset(RTE_COMCH_MAX_DEVS), -EINVAL);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	TEST_EXPECT(test_fake_dpu.nb_resets, 0);
	TEST_EXPECT(test_stop(ep), TEST_SUCCESS);
	/* an idle context does not mind; a healthy device can be reset too */
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(test_fake_dpu.nb_resets, 1);
	return TEST_SUCCESS;
}

/* Broken again before the reset is over: that is not forgotten. */
static int
test_fails_while_reset(void)
{
	test_fake_dpu.reset_down = -EIO;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EIO);
	TEST_EXPECT(status_of(&test_fake_dpu), -EIO);
	test_fake_dpu.reset_down = 0;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(status_of(&test_fake_dpu), 0);
	return TEST_SUCCESS;
}

/* What was down and is up again is not stopped by the engine's next turn. */
static int
test_reset_before_progress(void)
{
	struct test_ep *ep;
	const struct rte_comch_client_conf conf = {
		.name = "srv",
		.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER,
	};
	struct rte_comch_pe *pe = test_pe_new();

	ep = test_client_run_conf(&conf, pe);
	TEST_CALL(test_stop_now(ep->ctx));
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	rte_comch_pmd_dev_down(test_fake_host.dev, -EIO);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EINPROGRESS);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), 0);
	return TEST_SUCCESS;
}

/* The software function has no reset, and says so. */
static int
test_reset_not_supported(void)
{
	char path[4096];
	int dev_id;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev_id = test_vdev_add("role=dpu,path=%s,functions=pf0", path);
	TEST_TRUE(dev_id >= 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -ENOTSUP);
	TEST_EXPECT(test_vdev_remove(dev_id), 0);
	test_rendezvous_remove(path);
	return TEST_SUCCESS;
}

/* A driver without connections refuses contexts in words, not in numbers. */
static int
test_no_contexts(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf server;
	struct rte_comch_client_conf client;

	TEST_CALL(test_fake_again(&test_fake_dpu, 0));
	test_server_conf(ep, "srv", &server);
	TEST_EXPECT(rte_comch_server_create(test_fake_dpu.dev->data->dev_id, test_pair.rep, &server,
			&ep->ctx),
		-ENOTSUP);
	TEST_CALL(test_fake_again(&test_fake_host, 0));
	test_client_conf(ep, "srv", &client);
	TEST_EXPECT(rte_comch_client_create(test_fake_host.dev->data->dev_id, &client, &ep->ctx),
		-ENOTSUP);
	return TEST_SUCCESS;
}

static struct unit_test_suite dev_down_suite = {
	.suite_name = "comch device failure",
	.unit_test_cases = {
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_server_stops),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_client_fails),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_failure_is_no_refusal),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_server_with_connection),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_sleeper_wakes),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_reset_refused),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_fails_while_reset),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_reset_before_progress),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_reset_not_supported),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_no_contexts),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(comch_dev_down_autotest, unit_test_suite_runner, &dev_down_suite);
