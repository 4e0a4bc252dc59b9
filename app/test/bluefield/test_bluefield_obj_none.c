/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * In the place of tests that call layers of the driver, where they cannot be linked:
 * tests of the same names, which say why they do not run.
 */

#include "test.h"

/* Before any case, so that one that is named is skipped with this reason. */
static int
hidden_setup(void)
{
	return test_skip("the driver is a shared library and exports nothing of its layers; it runs where default_library=static");
}

static int
test_hidden(void)
{
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "layers of a driver",
	.setup = hidden_setup,
	.unit_test_cases = {
		TEST_CASE(test_hidden),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_burst_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_burst_ends_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_chan_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_chan_both_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_chan_lies_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_chan_turn_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_cm_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_cm_ids_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_cm_linux_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_cm_peer_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_credits_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_data_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_data_event_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_data_fail_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_ends_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_eth_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_faults_peer_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_group_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_gsi_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_hard_caps_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_hard_cmd_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_hard_ecpf_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_hard_giver_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_hard_irq_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_hard_vsc_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_heap_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_hostile_hw_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_isolation_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_life_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_mad_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_obj_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_obj_eal_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_obj_fail_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_obj_mem_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_peer_fast_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_peer_producer_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_seam_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_thread_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(bluefield_up_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_wq_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_wq_fast_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(bluefield_wq_order_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(shm_dpa_look_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(shm_dpa_window_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(shm_msgq_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(shm_msgq_bad_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(shm_msgq_dma_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(shm_msgq_flow_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(shm_msgq_order_autotest, unit_test_suite_runner, &suite);
REGISTER_FAST_TEST(shm_msgq_run_autotest, unit_test_suite_runner, &suite);
REGISTER_SLOW_TEST(shm_msgq_wake_autotest, unit_test_suite_runner, &suite);
