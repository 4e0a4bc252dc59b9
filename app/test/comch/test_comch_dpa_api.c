/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the functions of offload processors refuse: NULL, wrong states, values out of
 * range, unknown flags, what is still used; what a driver refuses; and that they work
 * right after. On the mock, whose limits and failures a test chooses. Message queues are
 * in test_comch_msgq_api.c.
 */

#include "test_comch_fp_util.h"
#include "test_mock_dpa.h"

static struct rte_comch_dpa *dpa;
static const struct rte_comch_dpa_conf dpa_conf = {
	.program = "/a/program",
	.nb_eus = TEST_MOCK_DPA_EUS,
};

static int
case_open(void)
{
	TEST_CALL(test_fp_need());
	if (test_mock_dpa_install(test_pair.host) != 0)
		return test_skip("the mock does not fit the device");
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &dpa_conf, &dpa), 0);
	return TEST_SUCCESS;
}

/* The same with a program that runs. */
static int
case_start(void)
{
	TEST_CALL(case_open());
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

static void
case_close(void)
{
	int ret;

	test_mock_dpa_fail_set(0, 0);
	if (dpa != NULL) {
		ret = rte_comch_dpa_stop(dpa);
		if (ret != 0 && ret != -EALREADY)
			test_fail("the program cannot be stopped");
		if (rte_comch_dpa_destroy(dpa) != 0)
			test_fail("the offload processor cannot be destroyed");
		dpa = NULL;
	}
	if (test_mock_dpa_nb_objects() != 0)
		test_fail("%u objects are left", test_mock_dpa_nb_objects());
	test_mock_dpa_remove();
	test_fp_cleanup();
}

/* Devices that have none say why, and refuse all that needs one. */
static int
none_check(int16_t dev_id, const char *why)
{
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_dpa_info info;
	struct rte_comch_dpa *none = NULL;

	memset(&info, 0xff, sizeof(info));
	TEST_EXPECT(rte_comch_dpa_info_get(dev_id, &info), -ENOTSUP);
	TEST_EXPECT(info.nb_eus, 0);
	TEST_TRUE(info.reason[0] != '\0' && strstr(info.reason, why) != NULL);
	TEST_EXPECT(rte_comch_dpa_create(dev_id, &dpa_conf, &none), -ENOTSUP);
	TEST_TRUE(none == NULL);
	TEST_EXPECT(rte_comch_mem_alloc(dev_id, 64, RTE_COMCH_MEM_F_DPA, &mem), -ENOTSUP);
	TEST_TRUE(mem == NULL);
	return TEST_SUCCESS;
}

static int
test_none(void)
{
	TEST_EXPECT(test_mock_dpa_install_none(test_pair.host, "for a reason of its own"), 0);
	TEST_CALL(none_check(test_pair.host, "for a reason of its own"));
	test_mock_dpa_remove();
	TEST_EXPECT(test_mock_dpa_install_none(test_pair.host, NULL), 0);
	TEST_CALL(none_check(test_pair.host, "driver"));
	return TEST_SUCCESS;
}

/* The devices themselves: each has one, or says why not. */
static int
test_devices(void)
{
	const int16_t devs[] = { test_pair.host, test_pair.dpu };
	struct rte_comch_dev_info dev;
	struct rte_comch_dpa_info info;
	unsigned int i;

	for (i = 0; i < RTE_DIM(devs); i++) {
		TEST_EXPECT(rte_comch_dev_info_get(devs[i], &dev), 0);
		if ((dev.capa & RTE_COMCH_CAPA_DPA) == 0) {
			TEST_CALL(none_check(devs[i], ""));
			continue;
		}
		TEST_EXPECT(rte_comch_dpa_info_get(devs[i], &info), 0);
		TEST_TRUE(info.reason[0] == '\0');
		TEST_TRUE(info.nb_eus >= 1 && info.nb_eus <= RTE_COMCH_DPA_MAX_EUS);
		TEST_TRUE(info.max_msgqs >= 1 && info.max_imm_len == RTE_COMCH_DPA_IMM_SIZE);
	}
	return TEST_SUCCESS;
}

static int
test_info(void)
{
	struct rte_comch_dpa_info info;

	TEST_EXPECT(rte_comch_dpa_info_get(-1, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_info_get(RTE_COMCH_MAX_DEVS, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_info_get(test_pair.host, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_info_get(test_pair.host, &info), 0);
	TEST_EXPECT(info.nb_eus, TEST_MOCK_DPA_EUS);
	TEST_EXPECT(info.max_mem_size, TEST_MOCK_DPA_MEM_SIZE);
	TEST_TRUE(info.reason[0] == '\0');
	return TEST_SUCCESS;
}

static int
refused(const struct rte_comch_dpa_conf *conf, int error)
{
	struct rte_comch_dpa *out = NULL;
	int ret = rte_comch_dpa_create(test_pair.host, conf, &out);

	rte_comch_dpa_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_create(void)
{
	int32_t cpus[TEST_MOCK_DPA_EUS] = { -1, 0, -1, -2 };
	struct rte_comch_dpa_conf conf = dpa_conf;
	struct rte_comch_dpa *out = NULL;

	TEST_EXPECT(rte_comch_dpa_create(-1, &conf, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, NULL, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, NULL), -EINVAL);
	conf.program = NULL;
	TEST_CALL(refused(&conf, -EINVAL));
	conf.program = "";
	TEST_CALL(refused(&conf, -EINVAL));
	conf = dpa_conf;
	conf.runner = "";
	TEST_CALL(refused(&conf, -EINVAL));
	conf.runner = "/a/runner";
	TEST_CALL(refused(&conf, -EPERM));
	conf = dpa_conf;
	conf.flags = RTE_BIT32(31);
	TEST_CALL(refused(&conf, -EINVAL));
	conf = dpa_conf;
	conf.nb_eus = TEST_MOCK_DPA_EUS + 1;
	TEST_CALL(refused(&conf, -EINVAL));
	conf = dpa_conf;
	conf.mem_size = TEST_MOCK_DPA_MEM_SIZE + 1;
	TEST_CALL(refused(&conf, -EINVAL));
	conf = dpa_conf;
	conf.reserved[5] = 1;
	TEST_CALL(refused(&conf, -EINVAL));
	conf = dpa_conf;
	conf.eu_cpus = cpus;
	TEST_CALL(refused(&conf, -EINVAL));

	cpus[3] = 1;
	conf.runner = "/a/runner";
	conf.flags = RTE_COMCH_DPA_F_UNCONFINED;
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &out), 0);
	TEST_EXPECT(rte_comch_dpa_destroy(NULL), 0);
	TEST_EXPECT(rte_comch_dpa_destroy(out), 0);
	return TEST_SUCCESS;
}

static int
test_start(void)
{
	static const int errors[] = { -ENOENT, -ENOEXEC, -EPERM, -EPROTO, -ETIMEDOUT };
	struct rte_comch_dpa_status status;
	unsigned int i;

	TEST_EXPECT(rte_comch_dpa_start(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_stop(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EALREADY);
	for (i = 0; i < RTE_DIM(errors); i++) {
		test_mock_dpa_fail_set(1, errors[i]);
		TEST_EXPECT(rte_comch_dpa_start(dpa), errors[i]);
		TEST_EXPECT(rte_comch_dpa_stop(dpa), -EALREADY);
	}
	TEST_EXPECT(rte_comch_dpa_status_get(NULL, &status), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_IDLE);
	/* as often as one likes */
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
		TEST_EXPECT(rte_comch_dpa_start(dpa), -EALREADY);
		TEST_EXPECT(rte_comch_dpa_destroy(dpa), -EBUSY);
		TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
		TEST_EXPECT(status.state, RTE_COMCH_DPA_RUNNING);
		TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONE);
		TEST_EXPECT(status.eu, RTE_COMCH_DPA_NO_EU);
		TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
		TEST_EXPECT(rte_comch_dpa_stop(dpa), -EALREADY);
	}
	return TEST_SUCCESS;
}

/* What needs a program that runs, before a start and after the end of one. */
static int
refuses(struct rte_comch_mem *mem, int error)
{
	const struct rte_comch_dpa_thread_conf conf = { .func = TEST_MOCK_DPA_THREAD };
	struct rte_comch_dpa_thread *thread = NULL;
	struct rte_comch_dpa_window *window = NULL;
	uint64_t addr = 1;

	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &thread), error);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, TEST_MOCK_DPA_RPC, NULL, 0, 0, NULL), error);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 8, &addr), error);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, &addr, 8), error);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, &addr, addr, 8), error);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_READ, &window),
			error);
	TEST_TRUE(thread == NULL && window == NULL && addr == 1);
	return TEST_SUCCESS;
}

static int
test_not_started(void)
{
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.host, 4096, RTE_COMCH_MEM_F_DPA);
	struct rte_comch_dpa_eu_info info;

	TEST_CALL(refuses(mem, -ENOTCONN));
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, 1), -ENOTCONN);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 0, &info), -ENOTCONN);
	return TEST_SUCCESS;
}

/* The program ends: its objects can only be destroyed, and then it starts anew. */
static int
test_ended(void)
{
	const struct rte_comch_dpa_thread_conf conf = { .func = TEST_MOCK_DPA_THREAD };
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.host, 4096, RTE_COMCH_MEM_F_DPA);
	struct rte_comch_dpa_thread *thread = NULL;
	struct rte_comch_dpa_window *window = NULL;
	struct rte_comch_dpa_status status;
	struct rte_comch_dpa_eu_info info;
	uint64_t addr = 0;

	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &thread), 0);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 8, &addr), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_READ, &window),
			0);
	test_mock_dpa_crash(dpa, 2);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_FAILED);
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_FAULT);
	TEST_EXPECT(status.reason, -EIO);
	TEST_EXPECT(status.eu, 2);
	TEST_CALL(refuses(mem, -EIO));
	TEST_EXPECT(rte_comch_dpa_thread_run(thread), -EIO);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 2, &info), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), -EALREADY);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr), 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(thread), 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_IDLE);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_RUNNING);
	return TEST_SUCCESS;
}

/* The device fails: so do its programs, and a reset has to wait for their stop. */
static int
test_dev_down(void)
{
	struct rte_comch_dpa_status status;
	uint64_t addr;

	test_mock_dpa_dev_down(test_pair.host, -ENODEV);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_FAILED);
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_DEVICE);
	TEST_EXPECT(status.reason, -ENODEV);
	TEST_TRUE(status.text[0] != '\0');
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 8, &addr), -EIO);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), -ENODEV);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

/* A reset in the middle of a start, and a start in the middle of a reset. */
static int
test_reset(void)
{
	struct rte_comch_dpa_status status;

	test_mock_dpa_meet(dpa);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	TEST_EXPECT(test_mock_dpa_met(), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_RUNNING);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), 0);
	/* a start that fails leaves nothing that a reset has to wait for */
	test_mock_dpa_fail_set(1, -EPROTO);
	TEST_EXPECT(rte_comch_dpa_start(dpa), -EPROTO);
	test_mock_dpa_meet(dpa);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.host), 0);
	TEST_EXPECT(test_mock_dpa_met(), -EAGAIN);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EALREADY);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	return TEST_SUCCESS;
}

static int
thread_refused(const struct rte_comch_dpa_thread_conf *conf, int error)
{
	struct rte_comch_dpa_thread *out = NULL;
	int ret = rte_comch_dpa_thread_create(dpa, conf, &out);

	rte_comch_dpa_thread_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_thread_create(void)
{
	struct rte_comch_dpa_thread_conf conf = { .func = TEST_MOCK_DPA_THREAD };
	const struct rte_comch_dpa_thread_conf good = conf;
	struct rte_comch_dpa_thread *out = NULL;

	TEST_EXPECT(rte_comch_dpa_thread_create(NULL, &conf, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, NULL, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, NULL), -EINVAL);
	conf.func = NULL;
	TEST_CALL(thread_refused(&conf, -EINVAL));
	conf.func = "";
	TEST_CALL(thread_refused(&conf, -EINVAL));
	conf.func = "a_name_of_thirty-two_characters_";
	TEST_CALL(thread_refused(&conf, -EINVAL));
	conf.func = "a_name_of_thirty-one_characters";
	TEST_CALL(thread_refused(&conf, -ENOENT));
	conf = good;
	conf.eu = TEST_MOCK_DPA_EUS;
	TEST_CALL(thread_refused(&conf, -EINVAL));
	conf = good;
	conf.flags = 1;
	TEST_CALL(thread_refused(&conf, -EINVAL));
	conf = good;
	conf.reserved[3] = 1;
	TEST_CALL(thread_refused(&conf, -EINVAL));
	test_mock_dpa_fail_set(1, -ENOMEM);
	TEST_CALL(thread_refused(&good, -ENOMEM));
	return TEST_SUCCESS;
}

static int
test_threads(void)
{
	struct rte_comch_dpa_thread_conf conf = { .func = TEST_MOCK_DPA_THREAD };
	struct rte_comch_dpa_thread *threads[TEST_MOCK_DPA_THREADS] = { NULL };
	uint32_t i;

	for (i = 0; i < RTE_DIM(threads); i++) {
		conf.eu = i;
		TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &threads[i]), 0);
		TEST_CALL(thread_refused(&conf, -EBUSY));
	}
	conf.eu = i;
	TEST_CALL(thread_refused(&conf, -ENOSPC));
	TEST_EXPECT(rte_comch_dpa_thread_run(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_thread_run(threads[0]), 0);
	TEST_EXPECT(test_mock_dpa_nb_runs(), 1);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(NULL), 0);
	/* one that does not return is there until the next try */
	test_mock_dpa_fail_set(1, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(threads[1]), -ETIMEDOUT);
	for (i = 0; i < RTE_DIM(threads); i++)
		TEST_EXPECT(rte_comch_dpa_thread_destroy(threads[i]), 0);
	/* its execution unit is free again */
	conf.eu = 1;
	TEST_EXPECT(rte_comch_dpa_thread_create(dpa, &conf, &threads[1]), 0);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(threads[1]), 0);
	return TEST_SUCCESS;
}

static int
test_eu_info(void)
{
	struct rte_comch_dpa_eu_info info;

	TEST_EXPECT(rte_comch_dpa_eu_info_get(NULL, 0, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 0, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, TEST_MOCK_DPA_EUS, &info), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, TEST_MOCK_DPA_EUS - 1, &info), 0);
	TEST_EXPECT(info.error, 0);
	return TEST_SUCCESS;
}

static int
test_rpc(void)
{
	const uint64_t args[RTE_COMCH_DPA_RPC_MAX_ARGS] = { 1, 2, 3, 4, 5, 6 };
	const char *func = TEST_MOCK_DPA_RPC;
	uint64_t ret = 99;

	TEST_EXPECT(rte_comch_dpa_rpc(NULL, func, args, 1, 0, &ret), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, NULL, args, 1, 0, &ret), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "", args, 1, 0, &ret), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "a_name_of_thirty-two_characters_", args, 1, 0, &ret),
			-EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, NULL, 1, 0, &ret), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, RTE_COMCH_DPA_RPC_MAX_ARGS + 1, 0, &ret),
			-EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, 1, RTE_COMCH_DPA_RPC_MAX_MS + 1, &ret),
			-EINVAL);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "another", args, 1, 0, &ret), -ENOENT);
	test_mock_dpa_fail_set(1, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, 1, 0, &ret), -ETIMEDOUT);
	TEST_EXPECT(ret, 99);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, RTE_DIM(args), 0, &ret), 0);
	TEST_EXPECT(ret, (uint64_t)RTE_COMCH_DPA_RPC_DFLT_MS << 32 | 21);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, 2, RTE_COMCH_DPA_RPC_MAX_MS, &ret), 0);
	TEST_EXPECT(ret, (uint64_t)RTE_COMCH_DPA_RPC_MAX_MS << 32 | 3);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, NULL, 0, 0, NULL), 0);
	return TEST_SUCCESS;
}

static int
test_mem(void)
{
	char bytes[32] = "what the program is to find";
	char back[32] = "";
	uint64_t addr = 99;

	TEST_EXPECT(rte_comch_dpa_mem_alloc(NULL, 32, &addr), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 0, &addr), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 32, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, TEST_MOCK_DPA_MEM_SIZE + 1, &addr), -ENOMEM);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, UINT64_MAX, &addr), -ENOMEM);
	test_mock_dpa_fail_set(1, -ENOMEM);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 32, &addr), -ENOMEM);
	TEST_EXPECT(addr, 99);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(dpa, 32, &addr), 0);
	TEST_EXPECT(rte_comch_dpa_mem_write(NULL, addr, bytes, 32), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, NULL, 32), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, bytes, 33), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, bytes, UINT64_MAX), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr - 1, bytes, 1), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, addr, bytes, 32), 0);
	TEST_EXPECT(rte_comch_dpa_mem_write(dpa, 0, bytes, 0), 0);
	TEST_EXPECT(rte_comch_dpa_mem_read(NULL, back, addr, 32), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, NULL, addr, 32), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, back, addr + 1, 32), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, back, addr, UINT64_MAX), -EFAULT);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, back, 0, 0), 0);
	TEST_EXPECT(rte_comch_dpa_mem_read(dpa, back, addr, 32), 0);
	TEST_TRUE(memcmp(bytes, back, 32) == 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_mem_free(NULL, addr), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr + 1), -ENOENT);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr), 0);
	TEST_EXPECT(rte_comch_dpa_mem_free(dpa, addr), -ENOENT);
	return TEST_SUCCESS;
}

static int
window_refused(struct rte_comch_mem *mem, uint32_t flags, int error)
{
	struct rte_comch_dpa_window *out = NULL;
	int ret = rte_comch_dpa_window_create(dpa, mem, flags, &out);

	rte_comch_dpa_window_destroy(out);
	TEST_TRUE(out == NULL);
	TEST_EXPECT(ret, error);
	return TEST_SUCCESS;
}

static int
test_window_create(void)
{
	const uint32_t flags = RTE_COMCH_DPA_WINDOW_F_ALL;
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.host, 4096, RTE_COMCH_MEM_F_DPA);
	struct rte_comch_mem *other = test_mem_alloc(test_pair.dpu, 4096, 0);
	struct rte_comch_mem *bare = test_mem_alloc(test_pair.host, 4096, 0);
	struct rte_comch_mem *mine = NULL;
	struct rte_comch_dpa_window *out = NULL;
	static char own[4096];

	TEST_EXPECT(rte_comch_dpa_window_create(NULL, mem, flags, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, NULL, flags, &out), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, flags, NULL), -EINVAL);
	TEST_CALL(window_refused(mem, 0, -EINVAL));
	TEST_CALL(window_refused(mem, flags | RTE_BIT32(2), -EINVAL));
	TEST_CALL(window_refused(other, flags, -EINVAL));
	TEST_CALL(window_refused(bare, flags, -EACCES));
	test_mock_dpa_fail_set(1, -EMFILE);
	TEST_CALL(window_refused(mem, flags, -EMFILE));
	/* memory of the application is none that a program can have */
	TEST_EXPECT(rte_comch_mem_register(test_pair.host, own, sizeof(own), RTE_COMCH_MEM_F_DPA,
			&mine), -EINVAL);
	TEST_TRUE(mine == NULL);
	return TEST_SUCCESS;
}

static int
test_windows(void)
{
	const uint32_t flags = RTE_COMCH_DPA_WINDOW_F_READ;
	struct rte_comch_dpa_window *windows[TEST_MOCK_DPA_WINDOWS] = { NULL };
	struct rte_comch_mem *mem = NULL;
	uint32_t handle = 0, i;

	TEST_EXPECT(rte_comch_mem_alloc(test_pair.host, 4096, RTE_COMCH_MEM_F_DPA, &mem), 0);
	for (i = 0; i < RTE_DIM(windows); i++)
		TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, flags, &windows[i]), 0);
	TEST_CALL(window_refused(mem, flags, -ENOSPC));
	TEST_EXPECT(test_mem_info(mem).nb_users, TEST_MOCK_DPA_WINDOWS);
	TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(NULL, &handle), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(windows[0], NULL), -EINVAL);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(windows[0], &handle), 0);
	TEST_TRUE(handle != 0);
	TEST_EXPECT(rte_comch_dpa_stop(dpa), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_window_destroy(NULL), 0);
	/* one that the program does not let go of is there until the next try */
	test_mock_dpa_fail_set(1, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_window_destroy(windows[0]), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_window_destroy(windows[0]), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), -EBUSY);
	TEST_EXPECT(rte_comch_dpa_window_destroy(windows[1]), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: arguments and states of offload processors",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE(test_devices),
		TEST_CASE_ST(test_fp_need, case_close, test_none),
		TEST_CASE_ST(case_open, case_close, test_info),
		TEST_CASE_ST(case_open, case_close, test_create),
		TEST_CASE_ST(case_open, case_close, test_start),
		TEST_CASE_ST(case_open, case_close, test_not_started),
		TEST_CASE_ST(case_start, case_close, test_ended),
		TEST_CASE_ST(case_start, case_close, test_dev_down),
		TEST_CASE_ST(case_open, case_close, test_reset),
		TEST_CASE_ST(case_start, case_close, test_thread_create),
		TEST_CASE_ST(case_start, case_close, test_threads),
		TEST_CASE_ST(case_start, case_close, test_eu_info),
		TEST_CASE_ST(case_start, case_close, test_rpc),
		TEST_CASE_ST(case_start, case_close, test_mem),
		TEST_CASE_ST(case_start, case_close, test_window_create),
		TEST_CASE_ST(case_start, case_close, test_windows),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_dpa_api_autotest, unit_test_suite_runner, &suite)
