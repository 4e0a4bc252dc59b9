/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * VFs of both sides, as they are deployed: who they are and which role they have.
 * They need a software BlueField.
 */

#include <unistd.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

static struct test_model model;
static int16_t dev_ids[4];
static unsigned int nb_devs;

static int
case_setup(void)
{
	nb_devs = 0;
	return test_log_begin();
}

static void
case_teardown(void)
{
	while (nb_devs > 0)
		if (test_model_dev_remove(dev_ids[--nb_devs]) != 0)
			test_fail("a device cannot be removed");
	test_log_end();
	if (test_model_stop(&model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

static int
dev_add(const char *function, const char *args)
{
	int ret = test_model_dev_add(&model, function, args);

	if (ret >= 0)
		dev_ids[nb_devs++] = ret;
	return ret;
}

/* A VF of the card's own PF has the ids of a VF, and no bit that says whose it is. */
static int
test_card_vf(void)
{
	TEST_CALL(test_model_start(&model, "pf0vf3 ecpf0vf3 ecpf1vf31,device=bf3"));
	TEST_EXPECT(test_model_ctl(&model, "list"), 0);
	TEST_TRUE(strstr(model.answer, "\necpf0vf3 15b3:101e vhca=273 ") != NULL);
	TEST_TRUE(strstr(model.answer, "\necpf1vf31 15b3:101e vhca=333 ") != NULL);
	TEST_TRUE(dev_add("pf0vf3", "") >= 0);
	TEST_TRUE(dev_add("ecpf0vf3", "") >= 0);
	TEST_TRUE(dev_add("ecpf1vf31", "") >= 0);
	return test_log_passed();
}

static int
expect_role(const char *function, const char *args, enum rte_comch_role role)
{
	struct rte_comch_dev_info info;
	int id = dev_add(function, args);

	TEST_TRUE(id >= 0);
	TEST_EXPECT(rte_comch_dev_info_get(id, &info), 0);
	TEST_ASSERT(info.role == role, "%s with '%s' has role %d", function, args, info.role);
	TEST_EXPECT(test_model_dev_remove(dev_ids[--nb_devs]), 0);
	return TEST_SUCCESS;
}

/* The role is what the administrator says; without a word, only an ECPF is the card's. */
static int
test_silicon_2_1_role(void)
{
	TEST_CALL(test_model_start(&model, "pf0 pf0vf0 ecpf0 ecpf0vf0"));
	TEST_CALL(expect_role("ecpf0vf0", "role=dpu", RTE_COMCH_ROLE_DPU));
	TEST_CALL(expect_role("pf0vf0", "role=host", RTE_COMCH_ROLE_HOST));
	TEST_CALL(expect_role("pf0", "role=dpu", RTE_COMCH_ROLE_DPU));
	TEST_CALL(expect_role("ecpf0", "role=host", RTE_COMCH_ROLE_HOST));
	TEST_CALL(expect_role("ecpf0", "", RTE_COMCH_ROLE_DPU));
	TEST_TRUE(!test_log_has("its role is host"));
	TEST_CALL(expect_role("ecpf0vf0", "", RTE_COMCH_ROLE_HOST));
	TEST_TRUE(test_log_has("its role is host, as nothing else was said"));
	TEST_TRUE(test_log_has("role=dpu"));
	return test_log_passed();
}

/* An ECPF is taken, with a word on what that does to the host, and what to take instead. */
static int
test_silicon_2_2_ecpf_warns(void)
{
	TEST_CALL(test_model_start(&model, "ecpf0 ecpf0vf0"));
	TEST_TRUE(dev_add("ecpf0vf0", "role=dpu") >= 0);
	TEST_TRUE(!test_log_has("ECPF"));
	TEST_TRUE(dev_add("ecpf0", "") >= 0);
	TEST_TRUE(test_log_has("ECPF"));
	TEST_TRUE(test_log_has("all functions of the host"));
	TEST_TRUE(test_log_has("PF_NUM_OF_VF_VALID=1"));
	return test_log_passed();
}

static struct unit_test_suite hard_vf_suite = {
	.suite_name = "VFs of the host and of the card",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_card_vf),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_1_role),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_2_ecpf_warns),
		TEST_CASES_END()
	}
};

static int
test_bluefield_hard_vf(void)
{
	return unit_test_suite_runner(&hard_vf_suite);
}

REGISTER_FAST_TEST(bluefield_hard_vf_autotest, NOHUGE_OK, ASAN_OK, test_bluefield_hard_vf);
