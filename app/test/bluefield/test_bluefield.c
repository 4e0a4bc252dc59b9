/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Functions of a software BlueField that come up and go down: what a device says
 * of itself, and each way in which bring-up and teardown can fail. What fails
 * while a device runs is in test_bluefield_fail.c.
 */

#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* Nothing of a function is left on the side of the device. */
static int
expect_clean(const char *function)
{
	TEST_WAIT(test_model_state(&model, function, "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, function, "given"), 0);
	TEST_EXPECT(test_model_state(&model, function, "objects"), 0);
	return TEST_SUCCESS;
}

static int
test_info(void)
{
	struct rte_comch_dev_info info;
	int host, dpu;

	TEST_CALL(test_model_start(&model, "pf0 ecpf"));
	host = test_model_dev_add(&model, "pf0", "");
	TEST_TRUE(host >= 0);
	dpu = test_model_dev_add(&model, "ecpf0", "");
	TEST_TRUE(dpu >= 0);
	TEST_TRUE(test_model_state(&model, "pf0", "given") > 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "connected"), 1);

	TEST_EXPECT(rte_comch_dev_info_get(host, &info), 0);
	TEST_TRUE(strcmp(info.driver, "comch_bluefield") == 0);
	TEST_EXPECT(info.role, RTE_COMCH_ROLE_HOST);
	TEST_EXPECT(info.status, 0);
	TEST_TRUE(strchr(info.fw_version, '.') != NULL);
	TEST_TRUE(info.link_up);
	/* of the model's capabilities */
	TEST_EXPECT(info.max_buf_size, 1u << 30);
	TEST_TRUE(info.max_posts >= 1024 && info.max_sends >= 1024);
	/* nobody to talk to, as there are neither functions= nor peer= */
	TEST_EXPECT(info.capa & (RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_CLIENT |
			RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER), 0);
	TEST_EXPECT(rte_comch_dev_info_get(dpu, &info), 0);
	TEST_EXPECT(info.role, RTE_COMCH_ROLE_DPU);

	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_clean("pf0"));
	TEST_CALL(expect_clean("ecpf0"));
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	return test_log_passed();
}

static int
test_cycles(void)
{
	unsigned int fds = 0, maps = 0, i;

	TEST_CALL(test_model_start(&model, "pf0 pf0vf0,flr_ms=20"));
	for (i = 0; i < 20; i++) {
		TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
		TEST_TRUE(test_model_dev_add(&model, "pf0vf0", "") >= 0);
		TEST_TRUE(test_model_state(&model, "pf0", "given") > 0);
		TEST_CALL(test_model_devs_remove(&model));
		TEST_CALL(expect_clean("pf0"));
		TEST_CALL(expect_clean("pf0vf0"));
		if (i == 0) {
			fds = test_fds_most();
			maps = test_count_maps();
		}
	}
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	/* the allocator may keep a mapping or two, but none for each cycle */
	TEST_ASSERT(test_count_maps() < maps + 10, "%u mappings, were %u", test_count_maps(), maps);
	return test_log_passed();
}

/* Every command of bring-up, with what it is called in the log. */
static const char * const bringup[] = {
	"ENABLE_HCA", "QUERY_ISSI", "SET_ISSI", "QUERY_PAGES", "MANAGE_PAGES", "ACCESS_REG",
	"QUERY_HCA_CAP", "SET_HCA_CAP", "INIT_HCA", "ALLOC_UAR", "CREATE_EQ",
};
static const char * const teardown[] = {
	"DESTROY_EQ", "DEALLOC_UAR", "TEARDOWN_HCA", "MANAGE_PAGES", "DISABLE_HCA",
};

/* One probe that has to fail so, with the command in the log, and nothing left. */
static int
expect_probe_error(const char *function, const char *args, int error, const char *words)
{
	uint64_t start = test_now_ns();
	int ret = test_model_dev_add(&model, function, args);

	TEST_ASSERT(ret == error, "'%s' with '%s' is %d (%s), not %d", words, args, ret,
		ret < 0 ? strerror(-ret) : "", error);
	TEST_ASSERT(test_now_ns() - start < 10000000000ull, "'%s' took too long", words);
	TEST_ASSERT(test_log_has(words), "'%s' is not in the log", words);
	TEST_CALL(expect_clean(function));
	return TEST_SUCCESS;
}

static int
test_bad_status(void)
{
	unsigned int fds, i;

	TEST_CALL(test_model_start(&model, "pf0"));
	fds = test_fds_most();
	for (i = 0; i < RTE_DIM(bringup); i++) {
		/* twice, as the first commands are tried twice */
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=%s count=2 status=1 syndrome=0x1234", bringup[i]), 0);
		TEST_CALL(expect_probe_error("pf0", "", -EIO, bringup[i]));
		TEST_TRUE(test_log_has("1234"));
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	}
	/* and none of them has harmed the next */
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return test_log_passed();
}

static int
test_no_answer(void)
{
	unsigned int fds, i;

	TEST_CALL(test_model_start(&model, "pf0"));
	fds = test_fds_most();
	for (i = 0; i < RTE_DIM(bringup); i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=2 no-answer",
			bringup[i]), 0);
		TEST_CALL(expect_probe_error("pf0", "cmd_timeout=200", -ETIMEDOUT, bringup[i]));
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	}
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return test_log_passed();
}

/* The entry itself comes back with an error, one for each there is. */
static int
test_delivery_status(void)
{
	static const int numbers[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 0x10, 0x7f };
	unsigned int i;

	TEST_CALL(test_model_start(&model, "pf0"));
	for (i = 0; i < RTE_DIM(numbers); i++) {
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=QUERY_HCA_CAP count=1 delivery=%d", numbers[i]), 0);
		TEST_CALL(expect_probe_error("pf0", "", -EIO, "QUERY_HCA_CAP"));
	}
	return test_log_passed();
}

/* Firmware that answers nonsense: an error or a device, no crash and no leak. */
static int
test_garbage(void)
{
	unsigned int fds, i;
	int ret;

	TEST_CALL(test_model_start(&model, "pf0"));
	fds = test_fds_most();
	for (i = 0; i < RTE_DIM(bringup); i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=1 garbage",
			bringup[i]), 0);
		ret = test_model_dev_add(&model, "pf0", "cmd_timeout=500");
		TEST_ASSERT(ret < 0 || model.nb_devs == 1, "%s", bringup[i]);
		TEST_CALL(test_model_devs_remove(&model));
		TEST_CALL(expect_clean("pf0"));
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	}
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return test_log_passed();
}

/* Removal ends whatever firmware says; a reset cleans up. */
static int
test_teardown_fails(void)
{
	static const char * const how[] = { "status=1", "no-answer" };
	unsigned int fds, i, j;

	TEST_CALL(test_model_start(&model, "pf0"));
	fds = test_fds_most();
	for (i = 0; i < RTE_DIM(teardown); i++) {
		for (j = 0; j < RTE_DIM(how); j++) {
			TEST_TRUE(test_model_dev_add(&model, "pf0", "cmd_timeout=200") >= 0);
			TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=1 %s",
				teardown[i], how[j]), 0);
			TEST_CALL(test_model_devs_remove(&model));
			TEST_ASSERT(test_log_has(teardown[i]), "%s is not in the log",
				teardown[i]);
			TEST_CALL(expect_clean("pf0"));
			TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
		}
	}
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	return test_log_passed();
}

/* Firmware may take its time after a reset, but not for ever. */
static int
test_firmware_busy(void)
{
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=700"));
	TEST_CALL(expect_probe_error("pf0", "fw_timeout=300", -EAGAIN, "is not enabled after 300 ms"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "fw_timeout=5000") >= 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 init-busy forever"), 0);
	TEST_CALL(expect_probe_error("pf0", "fw_timeout=300", -EAGAIN, "is not enabled after 300 ms"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0", "fw_timeout=5000") >= 0);
	return test_log_passed();
}

/* More pages than we may give: no memory is promised, and none is lost. */
static int
test_too_few_pages(void)
{
	TEST_CALL(test_model_start(&model, "pf0,boot_pages=100,init_pages=2000"));
	TEST_CALL(expect_probe_error("pf0", "max_pages=50", -ENOMEM, "max_pages"));
	TEST_CALL(expect_probe_error("pf0", "max_pages=1000", -ENOMEM, "max_pages"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "max_pages=2100") >= 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 2100);
	return test_log_passed();
}

/* A function that asks for none at first is as good as any. */
static int
test_no_pages(void)
{
	TEST_CALL(test_model_start(&model, "pf0,boot_pages=0,init_pages=0"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	return test_log_passed();
}

static int
test_all_ones(void)
{
	TEST_CALL(test_model_start(&model, "pf0"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 bus dead"), 0);
	TEST_CALL(expect_probe_error("pf0", "", -ENODEV, "all ones"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 bus alive"), 0);
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	return test_log_passed();
}

static int
test_wrong_mode(void)
{
	TEST_CALL(test_model_start(&model, "ecpf,mode=nic ecpf1,mode=separated"));
	TEST_CALL(expect_probe_error("ecpf0", "", -ENOTSUP, "mode"));
	TEST_CALL(expect_probe_error("ecpf1", "", -ENOTSUP, "mlxconfig"));
	return test_log_passed();
}

static int
test_wrong_device(void)
{
	TEST_CALL(test_model_start(&model, "pf0,id=0x1234"));
	TEST_CALL(expect_probe_error("pf0", "", -ENOTSUP, "1234"));
	return test_log_passed();
}

/* One client at a time has a function. */
static int
test_second_client(void)
{
	uint64_t start;

	TEST_CALL(test_model_start(&model, "pf0"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	start = test_now_ns();
	TEST_EXPECT(test_model_dev_add(&model, "pf0", ""), -EBUSY);
	TEST_TRUE(test_now_ns() - start < 15000000000ull);
	TEST_TRUE(test_log_has("another"));
	/* the first has not noticed */
	TEST_EXPECT(test_dev_status(model.devs[0]), 0);
	TEST_CALL(test_model_devs_remove(&model));
	TEST_CALL(expect_clean("pf0"));
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") >= 0);
	return test_log_passed();
}

static int
test_no_model(void)
{
	char dir[PATH_MAX];

	TEST_CALL(test_model_start(&model, "pf0"));
	TEST_EXPECT(test_model_dev_add(&model, "pf1", ""), -ENOENT);
	TEST_TRUE(test_log_has("pf1.sock"));
	/* a socket that nobody listens on any more */
	snprintf(dir, sizeof(dir), "%s", model.dir);
	test_model_kill(&model);
	snprintf(model.dir, sizeof(model.dir), "%s", dir);
	TEST_TRUE(test_model_dev_add(&model, "pf0", "") < 0);
	return test_log_passed();
}

static struct unit_test_suite bluefield_suite = {
	.suite_name = "bring-up of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_info),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_cycles),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_bad_status),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_no_answer),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_delivery_status),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_garbage),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_teardown_fails),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_firmware_busy),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_too_few_pages),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_no_pages),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_all_ones),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_wrong_mode),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_wrong_device),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_second_client),
		TEST_CASE_ST(test_log_begin, test_model_teardown, test_no_model),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_bringup_autotest, unit_test_suite_runner, &bluefield_suite);
