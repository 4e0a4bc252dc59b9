/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Each allocation and each system call fails once: of an engine, of regions, of a connect,
 * of devices. Of the fast path and of ends it is in test_comch_faults_fp.c.
 */

#include <string.h>
#include <unistd.h>

#include <rte_mempool.h>

#include "test_calls.h"
#include "test_comch_faults.h"
#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define REGION_LEN 16384
/* With a fault, nobody may answer a client. */
#define CONNECT_MS 1000

/*
 * An engine
 */

static int
engine_run(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 64 };
	struct rte_comch_pe *pe;
	int ret = rte_comch_pe_create(&conf, &pe);

	if (ret != 0)
		return ret;
	ret = rte_comch_pe_dev_add(pe, test_pair.dpu);
	if (ret == 0)
		ret = rte_comch_pe_dev_add(pe, test_pair.host);
	if (ret == 0)
		ret = rte_comch_pe_progress(pe);
	if (ret >= 0)
		ret = rte_comch_pe_arm(pe);
	if (rte_comch_pe_destroy(pe) != 0)
		test_fail("the engine stays");
	return ret == -EAGAIN ? 0 : ret;
}

static int
large_connect(void)
{
	struct test_ep *server, *client = test_ep_new();
	struct rte_comch_server_conf server_conf = { 0 };
	struct rte_comch_client_conf client_conf;

	test_client_conf(client, "test", &client_conf);
	client_conf.ctrl.recv_queue_size = server_conf.ctrl.recv_queue_size = 64;
	client_conf.ctrl.max_msg_size = server_conf.ctrl.max_msg_size =
		RTE_MIN(test_dev_info(test_pair.dpu).max_msg_size, 16384u);
	server = test_server_run_conf(&server_conf, test_pe_new());
	TEST_EXPECT(test_client_start(client, &client_conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

/* A kernel before Linux 5.14: rings of more than one turn are populated otherwise there. */
static int
test_no_populate(void)
{
	const char *hit;
	int ret;

	test_calls_lack("madvise");
	ret = large_connect();
	hit = test_calls_end();
	TEST_CALL(ret);
	TEST_TRUE(test_place_is_bluefield() || (hit != NULL && strcmp(hit, "madvise") == 0));
	return TEST_SUCCESS;
}

static int
nothing_after(void)
{
	return TEST_SUCCESS;
}

static int
test_engine(void)
{
	const struct faults_op op = { "engine", NULL, engine_run, nothing_after, false, true };

	return test_faults_run(&op);
}

/*
 * Regions
 */

static void *own_memory;

static int
region_before(void)
{
	own_memory = aligned_alloc(4096, REGION_LEN);
	return own_memory != NULL ? TEST_SUCCESS : TEST_FAILED;
}

static int
region_after(void)
{
	free(own_memory);
	return TEST_SUCCESS;
}

static int
region_make(int16_t dev, unsigned int kind, struct rte_comch_mem **mem)
{
	switch (kind) {
	case 0:
		return rte_comch_mem_alloc(dev, REGION_LEN, RTE_COMCH_MEM_F_PEER_WRITE, mem);
	case 1:
		return rte_comch_mem_register(dev, own_memory, REGION_LEN, 0, mem);
	case 2:
		return rte_comch_mem_register(dev, own_memory, REGION_LEN,
			RTE_COMCH_MEM_F_PEER_WRITE, mem);
	default:
		return rte_comch_mem_pool_create(dev, "faults", 32, 0, 2048,
			RTE_COMCH_MEM_F_PEER_WRITE, mem);
	}
}

/* Each kind on each side, whatever became of those before; the first error of them. */
static int
region_run(void)
{
	const int16_t devs[] = { test_pair.dpu, test_pair.host };
	struct rte_comch_mem *mem;
	unsigned int i;
	int ret, first = 0;

	for (i = 0; i < 8; i++) {
		mem = NULL;
		ret = region_make(devs[i % 2], i / 2, &mem);
		if (ret == 0 && rte_comch_mem_free(mem) != 0)
			test_fail("a region stays");
		if (ret != 0 && mem != NULL)
			test_fail("there is a region that could not be made");
		first = first == 0 ? ret : first;
	}
	return first;
}

static int
test_region(void)
{
	const struct faults_op op = {
		"region", region_before, region_run, region_after, false, true,
	};

	return test_faults_run(&op);
}

/*
 * A connect
 */

static struct {
	struct test_ep *server;
	struct test_ep *client;
	struct rte_comch_pe *pes[2];
} ends;

static int
connect_before(void)
{
	ends.pes[0] = test_pe_new();
	ends.pes[1] = test_pe_new();
	ends.server = test_ep_new();
	ends.client = test_ep_new();
	return TEST_SUCCESS;
}

/* A client that is connected, or was told why not. */
static int
client_run(struct test_ep *client, uint32_t ms)
{
	const uint32_t nb = ends.server->nb_connects;
	struct rte_comch_client_conf conf;
	int ret;

	test_client_conf(client, "test", &conf);
	conf.connect_timeout_ms = ms;
	ret = test_client_start(client, &conf, ends.pes[1]);
	if (ret != -EINPROGRESS)
		return ret < 0 ? ret : FAULTS_STUCK;
	FAULTS_UNTIL(test_state(client) == RTE_COMCH_STATE_IDLE ||
		(test_state(client) == RTE_COMCH_STATE_RUNNING &&
		ends.server->nb_connects > nb));
	if (test_state(client) == RTE_COMCH_STATE_RUNNING)
		return 0;
	ret = rte_comch_ctx_reason_get(client->ctx);
	return ret < 0 ? ret : FAULTS_STUCK;
}

static int
connect_run(void)
{
	struct rte_comch_server_conf conf;
	int ret;

	test_server_conf(ends.server, "test", &conf);
	ret = test_server_start(ends.server, &conf, ends.pes[0]);
	return ret != 0 ? ret : client_run(ends.client, CONNECT_MS);
}

/* A fault may cost a device of BlueField, and all that it has. */
static bool
devices_are_lost(void)
{
	return test_dev_info(test_pair.dpu).status != 0 ||
		test_dev_info(test_pair.host).status != 0;
}

/* A server that has started goes on, whatever became of its first client. */
static int
connect_after(void)
{
	uint64_t end = test_now_ns() + (uint64_t)FAULTS_MS * 1000000;
	struct test_ep *again;
	int ret = -EAGAIN;

	if (!devices_are_lost() && ends.server->ctx != NULL &&
			test_state(ends.server) == RTE_COMCH_STATE_RUNNING) {
		/* the device does not ask again for a second after it was refused */
		while (ret != 0 && !devices_are_lost() && test_now_ns() < end) {
			again = test_ep_new();
			ret = client_run(again, FAULTS_MS / 2);
			TEST_EXPECT(test_ep_close(again), 0);
			usleep(ret == 0 ? 0 : 100000);
		}
		TEST_TRUE(ret == 0 || devices_are_lost());
		if (ends.client->ctx != NULL)
			TEST_EXPECT(test_ep_close(ends.client), 0);
		TEST_WAIT(ends.server->nb_disconnects == ends.server->nb_connects, FAULTS_MS);
	}
	test_cleanup();
	return TEST_SUCCESS;
}

static int
test_connect(void)
{
	const struct faults_op op = {
		"connect", connect_before, connect_run, connect_after, false,
		!test_place_is_bluefield(),
	};

	return test_faults_run(&op);
}

/* Messages of a client that has not been answered yet are none; its end is at once. */
static int
starting_before(void)
{
	TEST_CALL(connect_before());
	ends.server = test_server_run("test", ends.pes[0]);
	ends.client = test_client_run("test", ends.pes[1]);
	return TEST_SUCCESS;
}

static int
starting_run(void)
{
	int ret = rte_comch_ctx_stop(ends.client->ctx);

	if (ret != 0 && ret != -EINPROGRESS)
		return ret;
	ret = rte_comch_ctx_stop(ends.server->ctx);
	if (ret != 0 && ret != -EINPROGRESS)
		return ret;
	FAULTS_UNTIL(test_state(ends.client) == RTE_COMCH_STATE_IDLE &&
		test_state(ends.server) == RTE_COMCH_STATE_IDLE);
	return 0;
}

static int
starting_after(void)
{
	test_cleanup();
	return TEST_SUCCESS;
}

static int
test_teardown_starting(void)
{
	const struct faults_op op = {
		"teardown of a start", starting_before, starting_run, starting_after, true, false,
	};

	return test_faults_run(&op);
}

/*
 * Devices
 */

static struct test_place place;
static struct test_pair pair_of_suite;
static int card, host;

static int
devices_before(void)
{
	pair_of_suite = test_pair;
	card = host = -1;
	return test_place_open(&place);
}

static int
devices_run(void)
{
	card = test_place_card(&place);
	if (card < 0)
		return card;
	host = test_place_host(&place, test_place_function(0));
	return host < 0 ? host : 0;
}

static int
devices_after(void)
{
	int ret = TEST_SUCCESS;
	const char *hit;

	if (card >= 0 && host >= 0) {
		ret = test_place_pair(card, host);
		if (ret == TEST_SUCCESS && !devices_are_lost()) {
			TEST_CALL(starting_before());
			ret = connect_after();
		}
	}
	if (host >= 0)
		TEST_EXPECT(test_vdev_remove((int16_t)host), 0);
	if (card >= 0)
		TEST_EXPECT(test_vdev_remove((int16_t)card), 0);
	test_pair = pair_of_suite;
	hit = test_calls_end();
	if (!place.bluefield && hit != NULL) /* of what could not be unlinked */
		test_folder_empty(place.path);
	test_place_close(&place);
	return ret;
}

static int
test_devices(void)
{
	const struct faults_op op = {
		"devices", devices_before, devices_run, devices_after, false, false,
	};

	return test_faults_run(&op);
}

/* The first connect of two devices, which have to meet for that. */
static int
first_before(void)
{
	TEST_CALL(devices_before());
	TEST_EXPECT(devices_run(), 0);
	TEST_CALL(test_place_pair(card, host));
	return connect_before();
}

static int
first_after(void)
{
	int ret = connect_after();

	return devices_after() == TEST_SUCCESS ? ret : TEST_FAILED;
}

static int
test_first_connect(void)
{
	const struct faults_op op = {
		"first connect", first_before, connect_run, first_after, false,
		!test_place_is_bluefield(),
	};

	return test_faults_run(&op);
}

static struct unit_test_suite suite = {
	.suite_name = "faults in set-up",
	.setup = test_faults_setup,
	.teardown = test_faults_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_fp_cleanup, test_no_populate),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_engine),
		TEST_CASE_ST(test_fp_need, test_fp_cleanup, test_region),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_connect),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_teardown_starting),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(comch_faults_autotest, unit_test_suite_runner, &suite);

/* A device that was refused asks again a second later: these take longer. */
static struct unit_test_suite meet_suite = {
	.suite_name = "faults where devices meet",
	.setup = test_faults_setup,
	.teardown = test_faults_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_fp_cleanup, test_devices),
		TEST_CASE_ST(NULL, test_fp_cleanup, test_first_connect),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(comch_faults_meet_autotest, unit_test_suite_runner, &meet_suite);
