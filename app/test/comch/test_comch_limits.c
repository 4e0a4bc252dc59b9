/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a device says of itself, and what the library makes of it: limits that
 * are no round numbers, representors whose identifiers have gaps. The devices are
 * those of test_fake_dev.c.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <limits.h>

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_comch_util.h"
#include "test_fake_dev.h"

/* A client of the host device with a connection, made by hand. */
static struct rte_comch_conn *
connection(void)
{
	struct rte_comch_conn_req req = { .max_msg_size = 4080, .function = "pf0" };
	struct rte_comch_conn *conn;

	test_client_run("srv", test_pe_new());
	if (rte_comch_pmd_conn_open(test_fake_host.client, &req, &conn) != 0)
		test_give_up("no connection");
	rte_comch_pmd_conn_up(conn);
	return conn;
}

/* Of a queue: what the driver would have to make, or an error; and no queue any more. */
static int
queue_size(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe)
{
	int ret = rte_comch_ctx_attach(ctx, pe);

	test_fake_host.size = 0;
	if (ret == 0)
		ret = rte_comch_ctx_start(ctx);
	rte_comch_ctx_destroy(ctx);
	return ret == -EIO ? (int)test_fake_host.size : ret;
}

static int
consumer_size(struct rte_comch_conn *conn, struct rte_comch_pe *pe, uint32_t nb)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = nb };
	struct rte_comch_ctx *ctx;
	int ret = rte_comch_consumer_create(conn, &conf, &ctx);

	return ret != 0 ? ret : queue_size(ctx, pe);
}

static int
producer_size(struct rte_comch_conn *conn, struct rte_comch_pe *pe, uint32_t nb)
{
	struct rte_comch_producer_conf conf = { .nb_sends = nb };
	struct rte_comch_ctx *ctx;
	int ret = rte_comch_producer_create(conn, &conf, &ctx);

	return ret != 0 ? ret : queue_size(ctx, pe);
}

/* All sizes up to the limit that applications read, and none above it. */
static int
sizes(struct rte_comch_conn *conn, int (*size_of)(struct rte_comch_conn *conn,
		struct rte_comch_pe *pe, uint32_t nb), uint32_t told, uint32_t max)
{
	struct rte_comch_pe *pe = test_pe_new();
	uint32_t i;
	int size;

	TEST_TRUE(told > 0 && told <= max);
	for (i = 0; i <= told; i++) {
		size = size_of(conn, pe, i);
		TEST_ASSERT(size > 0 && (uint32_t)size >= i && (uint32_t)size <= max,
				"a queue of %u places became %d, the device has %u", i, size, max);
	}
	TEST_EXPECT(size_of(conn, pe, told + 1), -EINVAL);
	TEST_EXPECT(size_of(conn, pe, max + 1), -EINVAL);
	TEST_EXPECT(size_of(conn, pe, UINT32_MAX), -EINVAL);
	return TEST_SUCCESS;
}

/* Queues are rounded up to powers of two: never above what the device can have. */
static int
test_queue_sizes(void)
{
	struct rte_comch_conn *conn = connection();
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);

	TEST_CALL(sizes(conn, consumer_size, info.max_posts, TEST_FAKE_POSTS));
	TEST_CALL(sizes(conn, producer_size, info.max_sends, TEST_FAKE_SENDS));
	return TEST_SUCCESS;
}

static int
server_create(uint16_t rep_id)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;

	test_server_conf(ep, "srv", &conf);
	return rte_comch_server_create(test_pair.dpu, rep_id, &conf, &ep->ctx);
}

/* The identifiers are the driver's: neither from 0 on, nor in order, nor dense. */
static int
test_sparse_reps(void)
{
	struct rte_comch_rep_info reps[RTE_DIM(test_fake_reps)];
	unsigned int i;

	TEST_EXPECT(rte_comch_rep_list(test_pair.dpu, reps, RTE_DIM(reps)), RTE_DIM(reps));
	for (i = 0; i < RTE_DIM(reps); i++) {
		TEST_EXPECT(reps[i].rep_id, test_fake_reps[i]);
		TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu, reps[i].name),
				test_fake_reps[i]);
		TEST_EXPECT(server_create(reps[i].rep_id), 0);
	}
	TEST_EXPECT(server_create(0), -ENODEV);
	TEST_EXPECT(server_create(1), -ENODEV);
	TEST_EXPECT(server_create(UINT16_MAX), -ENODEV);
	test_fake_dpu.nb_reps = 0;
	TEST_EXPECT(server_create(test_fake_reps[0]), -ENODEV);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu, "pf0vf7"), -ENODEV);
	return TEST_SUCCESS;
}

/* A driver that cannot say which there are is not one that has none. */
static int
test_rep_list_fails(void)
{
	struct rte_comch_rep_info rep;

	test_fake_dpu.nb_reps = -EIO;
	TEST_EXPECT(rte_comch_rep_list(test_pair.dpu, &rep, 1), -EIO);
	TEST_EXPECT(rte_comch_rep_get_id_by_name(test_pair.dpu, "pf0vf7"), -EIO);
	TEST_EXPECT(server_create(test_fake_reps[0]), -EIO);
	return TEST_SUCCESS;
}

static int
limits_are(const struct rte_comch_dev_info *want, const char *fw_version)
{
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);

	TEST_EXPECT(info.capa, want->capa);
	TEST_EXPECT(info.max_msg_size, want->max_msg_size);
	TEST_EXPECT(info.max_posts, want->max_posts);
	TEST_EXPECT(info.max_buf_size, want->max_buf_size);
	TEST_EXPECT(info.dflt_msg_size, want->dflt_msg_size);
	TEST_TRUE(strcmp(info.pci_addr, want->pci_addr) == 0);
	/* this is no limit, and nothing was decided by it */
	TEST_TRUE(strcmp(info.fw_version, fw_version) == 0);
	return TEST_SUCCESS;
}

/*
 * Contexts that live through a reset were made for the limits that there were, and
 * other threads read these: a device keeps them, as long as it has as much.
 */
static int
test_reset_keeps_limits(void)
{
	struct rte_comch_dev_info first = test_dev_info(test_pair.host);

	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_CALL(limits_are(&first, ""));

	test_fake_host.info.max_msg_size = 8160;
	test_fake_host.info.dflt_msg_size = 8160;
	test_fake_host.info.max_posts = 4096;
	test_fake_host.info.max_buf_size = 1 << 30;
	test_fake_host.info.capa |= RTE_COMCH_CAPA_MEM_DIRECT;
	snprintf(test_fake_host.info.pci_addr, sizeof(test_fake_host.info.pci_addr), "0000:04:00.0");
	snprintf(test_fake_host.info.fw_version, sizeof(test_fake_host.info.fw_version), "2.0");
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_CALL(limits_are(&first, "2.0"));
	return TEST_SUCCESS;
}

/* One that has come back with less cannot go on as it was: it says so, and is down. */
static int
test_reset_with_less(void)
{
	const struct rte_comch_dev_info had = test_fake_host.info;
	struct rte_comch_dev_info info;

	test_fake_host.info.max_msg_size--;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), -EIO);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &info), 0);
	TEST_EXPECT(info.status, -EIO);
	TEST_EXPECT(info.max_msg_size, had.max_msg_size);

	test_fake_host.info = had;
	test_fake_host.info.capa &= ~RTE_COMCH_CAPA_CONSUMER;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), -EIO);
	test_fake_host.info = had;
	test_fake_host.info.max_buf_size--;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), -EIO);
	/* 512 is what applications had of 1000 */
	test_fake_host.info = had;
	test_fake_host.info.max_posts = 512;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	test_fake_host.info.max_posts = 511;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), -EIO);
	test_fake_host.info = had;
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_CALL(limits_are(&info, ""));
	return TEST_SUCCESS;
}

/*
 * To ask a device what it is moves nothing: sockets are served where engines turn.
 * So a link does not come up by being looked at, and does when one turns.
 */
static int
info_moves_nothing(int16_t dpu, int16_t host)
{
	struct rte_comch_dev_info card, other;
	struct test_ep *server, *client;
	unsigned int i;

	for (i = 0; i < 100; i++) {
		TEST_EXPECT(rte_comch_dev_info_get(dpu, &card), 0);
		TEST_EXPECT(rte_comch_dev_info_get(host, &other), 0);
		TEST_TRUE(!card.link_up && card.nb_links == 0);
		TEST_TRUE(!other.link_up && other.nb_links == 0);
	}
	test_pair.dpu = dpu;
	test_pair.host = host;
	test_pair.rep = 0;
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(rte_comch_dev_info_get(dpu, &card), 0);
	TEST_EXPECT(rte_comch_dev_info_get(host, &other), 0);
	TEST_TRUE(card.link_up && card.nb_links == 1);
	TEST_TRUE(other.link_up && other.nb_links == 1);
	return TEST_SUCCESS;
}

static int
test_info_moves_nothing(void)
{
	char path[PATH_MAX];
	int dpu, host, ret;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dpu = test_vdev_add("role=dpu,functions=pf0vf1,path=%s", path);
	TEST_TRUE(dpu >= 0);
	host = test_vdev_add("role=host,function=pf0vf1,path=%s", path);
	TEST_TRUE(host >= 0);
	ret = info_moves_nothing(dpu, host);
	test_cleanup();
	TEST_EXPECT(test_vdev_remove(host), 0);
	TEST_EXPECT(test_vdev_remove(dpu), 0);
	test_rendezvous_remove(path);
	return ret;
}

static struct unit_test_suite limits_suite = {
	.suite_name = "comch limits",
	.unit_test_cases = {
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_queue_sizes),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_sparse_reps),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_rep_list_fails),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_reset_keeps_limits),
		TEST_CASE_ST(test_fake_setup, test_fake_teardown, test_reset_with_less),
		TEST_CASE_ST(NULL, test_cleanup, test_info_moves_nothing),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(comch_limits_autotest, unit_test_suite_runner, &limits_suite);
