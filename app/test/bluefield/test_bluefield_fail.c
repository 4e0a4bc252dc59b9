/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A software BlueField that fails while a device runs on it: each failure is
 * found in time, named, told once, and ends with a reset or with a removal.
 */

#include <limits.h>
#include <unistd.h>

#include <rte_dev.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* Milliseconds of the health poll in the tests. */
#define HEALTH "30"

static int16_t dev_id;
static unsigned int fds_before, maps_before;

static int
case_setup(void)
{
	int ret;

	fds_before = maps_before = INT_MAX; /* until there is something that could be left */
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=10"));
	fds_before = test_fds_most();
	maps_before = test_count_maps();
	ret = test_model_dev_add(&model, "pf0", "health=" HEALTH ",cmd_timeout=300");
	TEST_TRUE(ret >= 0);
	dev_id = ret;
	return TEST_SUCCESS;
}

static int
nothing_left(void)
{
	TEST_WAIT(test_count_fds() <= fds_before, TEST_MS);
	/* the allocator may keep one or two */
	TEST_ASSERT(test_count_maps() <= maps_before + 2, "%u mappings, were %u",
		test_count_maps(), maps_before);
	return TEST_SUCCESS;
}

static void
case_teardown(void)
{
	if (test_model_devs_remove(&model) != TEST_SUCCESS)
		test_fail("the device cannot be removed");
	if (nothing_left() != TEST_SUCCESS)
		test_fail("the device has left something");
	test_model_teardown();
}

/* Break it so: the status comes, with these words in the log. */
static int
expect_failure(const char *fault, int status, const char *words)
{
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_ASSERT(test_model_ctl(&model, "fault pf0 %s", fault) == 0, "%s: %s", fault,
		model.answer);
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), status);
	TEST_ASSERT(test_log_has(words), "'%s' is not in the log", words);
	return TEST_SUCCESS;
}

/* It comes back, and nothing of its former life is left. */
static int
expect_recovery(void)
{
	long resets = test_model_state(&model, "pf0", "resets");

	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_TRUE(test_model_state(&model, "pf0", "resets") > resets);
	TEST_TRUE(test_model_state(&model, "pf0", "given") > 0);
	/* and the health poll is content with it */
	usleep(200000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return TEST_SUCCESS;
}

static int
test_healthy(void)
{
	usleep(300000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	/* a healthy one can be reset too */
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

static int
test_syndrome(void)
{
	TEST_CALL(expect_failure("health synd=1", -EIO, "syndrome"));
	TEST_CALL(expect_recovery());
	TEST_CALL(expect_failure("health synd=0xf ext=7", -EIO, "syndrome"));
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

static int
test_nic_state(void)
{
	TEST_CALL(expect_failure("nic-state 1", -EIO, "interface state"));
	TEST_CALL(expect_recovery());
	TEST_CALL(expect_failure("nic-state 7", -EIO, "interface state"));
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

static int
test_bus_dead(void)
{
	TEST_CALL(expect_failure("bus dead", -ENODEV, "all ones"));
	/* as long as it is so, there is no way back */
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -ENODEV);
	TEST_EXPECT(test_dev_status(dev_id), -ENODEV);
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

static int
test_eq_overrun(void)
{
	TEST_CALL(expect_failure("eq overrun", -EIO, "event queue"));
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

/* The model is gone, as a card that was pulled. */
static int
test_unplugged(void)
{
	TEST_EXPECT(test_model_ctl(&model, "unplug pf0"), 0);
	TEST_WAIT(test_dev_status(dev_id) == -ENODEV, TEST_MS);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -ENODEV);
	TEST_TRUE(test_log_has("the device is gone and cannot be reset; remove it"));
	TEST_TRUE(!test_log_has("was reset"));
	TEST_TRUE(!test_log_has("reset the card"));
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_EXPECT(test_model_ctl(&model, "plug pf0"), 0);
	dev_id = test_model_dev_add(&model, "pf0", "");
	TEST_TRUE(dev_id >= 0);
	return test_log_passed();
}

static int
test_model_killed(void)
{
	test_model_kill(&model);
	TEST_WAIT(test_dev_status(dev_id) == -ENODEV, TEST_MS);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -ENODEV);
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	return test_log_passed();
}

static unsigned int nb_removals;

static void
count_removal(const char *name __rte_unused, enum rte_dev_event_type type,
		void *arg __rte_unused)
{
	if (type == RTE_DEV_EVENT_REMOVE)
		__atomic_fetch_add(&nb_removals, 1, __ATOMIC_RELAXED);
}

/* An application that listens for it hears of the removal, once, and of no failure before. */
static int
test_removal_event(void)
{
	struct rte_comch_dev_info info = test_dev_info(dev_id);

	__atomic_store_n(&nb_removals, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(rte_dev_event_callback_register(info.name, count_removal, NULL), 0);
	TEST_CALL(expect_failure("nic-state 1", -EIO, "has failed"));
	TEST_CALL(expect_recovery());
	TEST_EXPECT(__atomic_load_n(&nb_removals, __ATOMIC_RELAXED), 0);
	TEST_EXPECT(test_model_ctl(&model, "unplug pf0"), 0);
	TEST_WAIT(__atomic_load_n(&nb_removals, __ATOMIC_RELAXED) != 0, TEST_MS);
	usleep(200000);
	TEST_EXPECT(__atomic_load_n(&nb_removals, __ATOMIC_RELAXED), 1);
	TEST_TRUE(rte_dev_event_callback_unregister(info.name, count_removal, NULL) > 0);
	return test_log_passed();
}

/* Firmware asks for pages and gives them back while the device runs. */
static int
test_page_requests(void)
{
	long given = test_model_state(&model, "pf0", "given");

	TEST_TRUE(given > 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=100"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 100, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=-100"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given, TEST_MS);
	/* more than one page command can carry */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=3000"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 3000, TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

/* The page command itself fails, or gets no answer: that is the end. */
static int
test_page_command_fails(void)
{
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=MANAGE_PAGES count=1 no-answer"), 0);
	TEST_CALL(expect_failure("pages wanted=1", -ETIMEDOUT, "MANAGE_PAGES"));
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

/* A reset that fails leaves the device down; the next one may help. */
static int
test_reset_fails(void)
{
	TEST_CALL(expect_failure("health synd=1", -EIO, "syndrome"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=INIT_HCA count=1 status=1"), 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), -EIO);
	TEST_EXPECT(test_dev_status(dev_id), -EIO);
	TEST_CALL(expect_recovery());
	return test_log_passed();
}

/* A long reset of the function is waited for. */
static int
test_long_reset(void)
{
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 flr 800"), 0);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

/* Removed while it is broken: no command is sent any more, and nothing hangs. */
static int
test_removed_while_down(void)
{
	uint64_t start;

	TEST_CALL(expect_failure("health synd=1", -EIO, "syndrome"));
	start = test_now_ns();
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_TRUE(test_now_ns() - start < 2000000000);
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	dev_id = test_model_dev_add(&model, "pf0", "");
	TEST_TRUE(dev_id >= 0);
	return test_log_passed();
}

static struct unit_test_suite fail_suite = {
	.suite_name = "failure of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_healthy),
		TEST_CASE_ST(case_setup, case_teardown, test_syndrome),
		TEST_CASE_ST(case_setup, case_teardown, test_nic_state),
		TEST_CASE_ST(case_setup, case_teardown, test_bus_dead),
		TEST_CASE_ST(case_setup, case_teardown, test_eq_overrun),
		TEST_CASE_ST(case_setup, case_teardown, test_unplugged),
		TEST_CASE_ST(case_setup, case_teardown, test_model_killed),
		TEST_CASE_ST(case_setup, case_teardown, test_removal_event),
		TEST_CASE_ST(case_setup, case_teardown, test_page_requests),
		TEST_CASE_ST(case_setup, case_teardown, test_page_command_fails),
		TEST_CASE_ST(case_setup, case_teardown, test_reset_fails),
		TEST_CASE_ST(case_setup, case_teardown, test_long_reset),
		TEST_CASE_ST(case_setup, case_teardown, test_removed_while_down),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_fail_autotest, unit_test_suite_runner, &fail_suite);
