/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Devices that fail and come back, seen from the library: a driver of this
 * file's own fails on command. What real drivers make of it is in their suites.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <rte_string_fns.h>

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_comch_util.h"

/* One device of the driver here. */
struct fake {
	struct rte_comch_dev *dev;
	uint64_t capa;
	int reset_ret;       /* what its reset returns */
	int reset_down;      /* it fails anew before its reset has returned */
	unsigned int nb_resets;
	unsigned int nb_unlisten;
	unsigned int nb_cancel;
	struct rte_comch_ctrl *client; /* the last that wanted to connect */
	struct rte_comch_conn *conn; /* ended by the next poll, with end */
	int end;
};

static struct fake fake_dpu;
static struct fake fake_host;

static int
fake_info_get(struct rte_comch_dev *dev, struct rte_comch_dev_info *info)
{
	struct fake *fake = dev->priv;

	info->capa = fake->capa;
	info->nb_reps = 1;
	info->max_name_len = 64;
	info->max_msg_size = 4080;
	info->max_recv_queue_size = 16;
	info->max_ctrl_tasks = 16;
	info->max_clients = 4;
	info->dflt_msg_size = 4080;
	info->dflt_recv_queue_size = 4;
	return 0;
}

static int
fake_rep_list(struct rte_comch_dev *dev __rte_unused, struct rte_comch_rep_info *reps,
		uint16_t nb)
{
	if (nb > 0) {
		memset(&reps[0], 0, sizeof(reps[0]));
		strlcpy(reps[0].name, "pf0", sizeof(reps[0].name));
	}
	return 1;
}

static int
fake_pgroup_create(struct rte_comch_dev *dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg)
{
	*pg = calloc(1, sizeof(**pg));
	if (*pg == NULL)
		return -ENOMEM;
	(*pg)->dev = dev;
	(*pg)->pe = pe;
	(*pg)->deadline = UINT64_MAX;
	return 0;
}

static int
fake_pgroup_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending __rte_unused)
{
	free(pg);
	return 0;
}

static int
fake_pgroup_poll(struct rte_comch_pgroup *pg, uint64_t now __rte_unused)
{
	struct fake *fake = pg->dev->priv;
	struct rte_comch_conn *conn = fake->conn;

	if (conn == NULL || fake->end == 0)
		return 0;
	fake->conn = NULL;
	rte_comch_pmd_conn_down(conn, fake->end);
	return 1;
}

static bool
fake_pgroup_arm(struct rte_comch_pgroup *pg __rte_unused)
{
	return false;
}

static void
fake_pgroup_disarm(struct rte_comch_pgroup *pg __rte_unused)
{
}

static int
fake_listen(struct rte_comch_ctrl *server __rte_unused)
{
	return 0;
}

static int
fake_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct fake *)server->dev->priv)->nb_unlisten++;
	return 0;
}

static int
fake_connect(struct rte_comch_ctrl *client)
{
	((struct fake *)client->dev->priv)->client = client;
	return 0;
}

static int
fake_connect_cancel(struct rte_comch_ctrl *client, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct fake *)client->dev->priv)->nb_cancel++;
	return 0;
}

static int
fake_conn_close(struct rte_comch_conn *conn, int reason __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	((struct fake *)conn->ctrl->dev->priv)->conn = NULL;
	return 0;
}

static int
fake_reset(struct rte_comch_dev *dev)
{
	struct fake *fake = dev->priv;

	fake->nb_resets++;
	if (fake->reset_down != 0)
		rte_comch_pmd_dev_down(dev, fake->reset_down);
	return fake->reset_ret;
}

static const struct rte_comch_dev_ops fake_ops = {
	.info_get = fake_info_get,
	.rep_list = fake_rep_list,
	.reset = fake_reset,
	.pgroup_create = fake_pgroup_create,
	.pgroup_destroy = fake_pgroup_destroy,
	.pgroup_poll = fake_pgroup_poll,
	.pgroup_arm = fake_pgroup_arm,
	.pgroup_disarm = fake_pgroup_disarm,
	.listen = fake_listen,
	.unlisten = fake_unlisten,
	.connect = fake_connect,
	.connect_cancel = fake_connect_cancel,
	.conn_close = fake_conn_close,
};

static int
fake_create(struct fake *fake, const char *name, enum rte_comch_role role, uint64_t capa)
{
	struct rte_comch_dev *dev = rte_comch_pmd_allocate(name, -1);

	TEST_TRUE(dev != NULL);
	memset(fake, 0, sizeof(*fake));
	fake->dev = dev;
	fake->capa = capa;
	dev->priv = fake;
	dev->ops = &fake_ops;
	dev->driver_name = "fake";
	dev->data->role = role;
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	return TEST_SUCCESS;
}

static void
fake_remove(struct fake *fake)
{
	if (fake->dev == NULL)
		return;
	if (rte_comch_pmd_hide(fake->dev) != 0)
		test_fail("device %s is still in use", fake->dev->data->name);
	rte_comch_pmd_release(fake->dev);
	fake->dev = NULL;
}

static int
case_setup(void)
{
	TEST_CALL(fake_create(&fake_dpu, "fake_dpu", RTE_COMCH_ROLE_DPU,
			RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_EVENT));
	TEST_CALL(fake_create(&fake_host, "fake_host", RTE_COMCH_ROLE_HOST,
			RTE_COMCH_CAPA_CLIENT | RTE_COMCH_CAPA_EVENT));
	test_pair.dpu = fake_dpu.dev->data->dev_id;
	test_pair.rep = 0;
	test_pair.host = fake_host.dev->data->dev_id;
	test_log_quiet();
	return TEST_SUCCESS;
}

static void
case_teardown(void)
{
	test_cleanup();
	fake_remove(&fake_dpu);
	fake_remove(&fake_host);
	test_log_restore();
}

static int
status_of(struct fake *fake)
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

	TEST_TRUE(ep != NULL);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(status_of(&fake_dpu), 0);
	rte_comch_pmd_dev_down(fake_dpu.dev, -EIO);
	TEST_EXPECT(status_of(&fake_dpu), -EIO);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_RUNNING);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(ep->nb_states, 3);
	TEST_EXPECT(ep->states[1], RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(fake_dpu.nb_unlisten, 1);
	/* the other device is none of its business */
	TEST_EXPECT(status_of(&fake_host), 0);

	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EIO);
	fake_dpu.reset_ret = -ETIMEDOUT;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -ETIMEDOUT);
	fake_dpu.reset_ret = 0;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(fake_dpu.nb_resets, 2);
	TEST_EXPECT(status_of(&fake_dpu), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), 0);
	/* and it can fail once more */
	rte_comch_pmd_dev_down(fake_dpu.dev, -ENODEV);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -ENODEV);
	return TEST_SUCCESS;
}

/* An attempt to connect fails with the reason, not with its time limit. */
static int
test_client_fails(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf conf;

	test_client_conf(ep, "srv", &conf);
	conf.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER;
	TEST_EXPECT(test_client_start(ep, &conf, test_pe_new()), -EINPROGRESS);
	rte_comch_pmd_dev_down(fake_host.dev, -EIO);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(fake_host.nb_cancel, 1);
	return TEST_SUCCESS;
}

/* A client that loses its device was not refused by anybody. */
static int
test_failure_is_no_refusal(void)
{
	struct test_ep *ep = test_client_run("srv", test_pe_new());
	struct rte_comch_dev_stats stats;

	TEST_TRUE(ep != NULL);
	rte_comch_pmd_dev_down(fake_host.dev, -EIO);
	test_settle();
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -EIO);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &stats), 0);
	TEST_EXPECT(stats.refused, 0);
	/* a refusal is one */
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), -EINPROGRESS);
	rte_comch_pmd_connect_failed(fake_host.client, -ECONNREFUSED);
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

	TEST_TRUE(ep != NULL);
	server = rte_comch_pmd_server_find(fake_dpu.dev, 0, "srv");
	TEST_TRUE(server != NULL);
	TEST_EXPECT(rte_comch_pmd_conn_accept(server, &req, &fake_dpu.conn), 0);
	rte_comch_pmd_conn_up(fake_dpu.conn);
	TEST_EXPECT(ep->nb_connects, 1);
	rte_comch_pmd_dev_down(fake_dpu.dev, -EIO);
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_STOPPING);
	fake_dpu.end = -EIO;
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
	struct fake *fake = arg;

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

	TEST_TRUE(ep != NULL);
	test_settle();
	TEST_EXPECT(rte_comch_pe_arm(pe), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, fail_later, &fake_dpu), 0);
	ret = poll(&pfd, 1, TEST_MS);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 1);
	/* and what was left before arming is seen by it */
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	test_settle();
	rte_comch_pmd_dev_down(fake_dpu.dev, -EIO);
	TEST_EXPECT(rte_comch_pe_arm(pe), -EAGAIN);
	return TEST_SUCCESS;
}

static int
test_reset_refused(void)
{
	struct test_ep *ep = test_server_run("srv", test_pe_new());

	TEST_TRUE(ep != NULL);
	TEST_EXPECT(rte_comch_dev_reset(-1), -EINVAL);
	TEST_EXPECT(rte_comch_dev_reset(RTE_COMCH_MAX_DEVS), -EINVAL);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	TEST_EXPECT(fake_dpu.nb_resets, 0);
	TEST_EXPECT(test_stop(ep), TEST_SUCCESS);
	/* an idle context does not mind; a healthy device can be reset too */
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(fake_dpu.nb_resets, 1);
	return TEST_SUCCESS;
}

/* Broken again before the reset is over: that is not forgotten. */
static int
test_fails_while_reset(void)
{
	fake_dpu.reset_down = -EIO;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EIO);
	TEST_EXPECT(status_of(&fake_dpu), -EIO);
	fake_dpu.reset_down = 0;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	TEST_EXPECT(status_of(&fake_dpu), 0);
	return TEST_SUCCESS;
}

/* What was down and is up again is not stopped by the engine's next turn. */
static int
test_reset_before_progress(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf conf;
	struct rte_comch_pe *pe = test_pe_new();

	test_client_conf(ep, "srv", &conf);
	conf.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER;
	TEST_EXPECT(test_client_start(ep, &conf, pe), -EINPROGRESS);
	TEST_CALL(test_stop_now(ep->ctx));
	test_settle();
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_IDLE);
	rte_comch_pmd_dev_down(fake_host.dev, -EIO);
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

	fake_remove(&fake_dpu);
	TEST_CALL(fake_create(&fake_dpu, "fake_dpu", RTE_COMCH_ROLE_DPU, 0));
	test_server_conf(ep, "srv", &server);
	TEST_EXPECT(rte_comch_server_create(fake_dpu.dev->data->dev_id, 0, &server, &ep->ctx),
		-ENOTSUP);
	fake_remove(&fake_host);
	TEST_CALL(fake_create(&fake_host, "fake_host", RTE_COMCH_ROLE_HOST, 0));
	test_client_conf(ep, "srv", &client);
	TEST_EXPECT(rte_comch_client_create(fake_host.dev->data->dev_id, &client, &ep->ctx),
		-ENOTSUP);
	return TEST_SUCCESS;
}

static struct unit_test_suite dev_down_suite = {
	.suite_name = "comch device failure",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_server_stops),
		TEST_CASE_ST(case_setup, case_teardown, test_client_fails),
		TEST_CASE_ST(case_setup, case_teardown, test_failure_is_no_refusal),
		TEST_CASE_ST(case_setup, case_teardown, test_server_with_connection),
		TEST_CASE_ST(case_setup, case_teardown, test_sleeper_wakes),
		TEST_CASE_ST(case_setup, case_teardown, test_reset_refused),
		TEST_CASE_ST(case_setup, case_teardown, test_fails_while_reset),
		TEST_CASE_ST(case_setup, case_teardown, test_reset_before_progress),
		TEST_CASE_ST(case_setup, case_teardown, test_reset_not_supported),
		TEST_CASE_ST(case_setup, case_teardown, test_no_contexts),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(comch_dev_down_autotest, unit_test_suite_runner, &dev_down_suite);
