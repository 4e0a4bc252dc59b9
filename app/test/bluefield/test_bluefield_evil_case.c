/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests with the evil server share: a server and a device on it, from a
 * clean start to an end that leaves nothing. No test is in here.
 */

#include "test_bluefield_evil.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

struct evil_vfu evil_server;
int16_t evil_dev_id = -1;
static unsigned int fds_before, maps_before;

void
evil_count(void)
{
	fds_before = test_fds_most();
	maps_before = test_count_maps();
}

int
evil_round_begin(void)
{
	/* of this round only */
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	return evil_vfu_init(&evil_server);
}

int
evil_round_end(void)
{
	int ret = 0;

	if (evil_dev_id >= 0)
		ret = test_model_dev_remove(evil_dev_id);
	evil_dev_id = -1;
	evil_vfu_stop(&evil_server);
	TEST_EXPECT(ret, 0);
	TEST_WAIT(test_count_fds() <= fds_before, TEST_MS);
	TEST_EXPECT(test_count_maps(), maps_before);
	return TEST_SUCCESS;
}

int
evil_case_setup(void)
{
	evil_dev_id = -1;
	TEST_EXPECT(test_log_begin(), 0);
	evil_count();
	return TEST_SUCCESS;
}

void
evil_case_teardown(void)
{
	if (evil_dev_id >= 0 && test_model_dev_remove(evil_dev_id) != 0)
		test_fail("the device can not be removed");
	evil_dev_id = -1;
	evil_vfu_stop(&evil_server);
	test_log_end();
}

/* Probe; what it returned is in *ret. In time, whatever it is. */
int
evil_probe(const char *args, int *ret)
{
	uint64_t start = test_now_ns();

	*ret = evil_vfu_dev_add(&evil_server, args);
	if (*ret >= 0)
		evil_dev_id = (int16_t)*ret;
	TEST_ASSERT(test_now_ns() - start < EVIL_LIMIT_NS, "it took %u ms",
		(unsigned int)((test_now_ns() - start) / 1000000));
	return TEST_SUCCESS;
}

/* One probe with a rule, which must fail; words in the log, or NULL for any. */
int
evil_expect_error(const struct evil_rule *rule, const char *words)
{
	bool silent;
	int ret;

	TEST_CALL(evil_round_begin());
	evil_vfu_rule(&evil_server, rule);
	TEST_CALL(evil_vfu_start(&evil_server));
	/* a late answer of a machine with much to do is no answer either */
	silent = rule->how == EVIL_FLOOD || (words != NULL && strcmp(words, EVIL_NO_ANSWER) == 0);
	TEST_CALL(evil_probe(silent ? EVIL_SHORT_ARGS : EVIL_LONG_ARGS, &ret));
	TEST_ASSERT(ret < 0, "command %u, how %u, argument 0x%llx: the probe went well",
		rule->cmd, rule->how, (unsigned long long)rule->arg);
	/* there is a reason, always, and it is one */
	TEST_TRUE(test_log_has("COMCH_BLUEFIELD: ") && !test_log_has("(null)"));
	TEST_ASSERT(words == NULL || test_log_has(words),
		"command %u, how %u, argument 0x%llx: '%s' is not in the log", rule->cmd,
		rule->how, (unsigned long long)rule->arg, words);
	TEST_CALL(evil_round_end());
	return TEST_SUCCESS;
}

/* One probe with a rule, which does no harm. */
int
evil_expect_device(const struct evil_rule *rule)
{
	int ret;

	TEST_CALL(evil_round_begin());
	evil_vfu_rule(&evil_server, rule);
	TEST_CALL(evil_vfu_start(&evil_server));
	TEST_CALL(evil_probe(EVIL_LONG_ARGS, &ret));
	TEST_ASSERT(ret >= 0, "command %u, how %u, argument 0x%llx: %d (%s)", rule->cmd,
		rule->how, (unsigned long long)rule->arg, ret, strerror(-ret));
	TEST_EXPECT(test_dev_status(evil_dev_id), 0);
	TEST_CALL(evil_round_end());
	return TEST_SUCCESS;
}
