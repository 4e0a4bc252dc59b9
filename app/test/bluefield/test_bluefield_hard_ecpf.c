/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A client on the ECPF that enables the host, as the card's kernel does, and ends
 * in order or not: what functions of the host have of that. The driver itself
 * enables nobody, so that the test says the command to firmware.
 */

#include "bluefield_func_priv.h"
#include "test_bluefield_obj.h"

static int16_t dev_id;

static int
host_enable(bool enable)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, enable ? BF_OP_ENABLE_HCA : BF_OP_DISABLE_HCA);
	return bf_func_exec(obj_func, in, sizeof(in), out, sizeof(out));
}

static int
case_setup(void)
{
	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "ecpf0,host=down pf0vf0"));
	TEST_CALL(obj_func_up("ecpf0", 0, 0));
	TEST_EXPECT(host_enable(true), 0);
	dev_id = (int16_t)test_model_dev_add(&model, "pf0vf0", "fw_timeout=100,health=20");
	TEST_TRUE(dev_id >= 0);
	return TEST_SUCCESS;
}

/* The VF has failed, and is back when another owner of the ECPF enables the host. */
static int
expect_lost(void)
{
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_TRUE(test_log_has("the function has failed: interface disabled"));
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -EAGAIN);
	if (obj_func == NULL)
		TEST_CALL(obj_func_up("ecpf0", 0, 0));
	TEST_EXPECT(host_enable(true), 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

static int
test_silicon_5_2_host_disabled(void)
{
	TEST_EXPECT(host_enable(false), 0);
	return expect_lost();
}

static int
test_silicon_5_2_ecpf_ends(void)
{
	obj_func_down();
	return expect_lost();
}

/* As a kernel that crashed: nothing is given back, the next owner resets it. */
static int
test_silicon_5_2_ecpf_reset(void)
{
	TEST_EXPECT(test_model_ctl(&model, "reset ecpf0"), 0);
	TEST_WAIT(obj_fatals() == 1, TEST_MS);
	obj_func_down();
	return expect_lost();
}

static struct unit_test_suite hard_ecpf_suite = {
	.suite_name = "the host when the owner of the ECPF ends",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, obj_case_teardown, test_silicon_5_2_host_disabled),
		TEST_CASE_ST(case_setup, obj_case_teardown, test_silicon_5_2_ecpf_ends),
		TEST_CASE_ST(case_setup, obj_case_teardown, test_silicon_5_2_ecpf_reset),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_hard_ecpf_autotest, unit_test_suite_runner, &hard_ecpf_suite);
