/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests with the hostile server share: a server and a device on it, from a
 * clean start to an end that leaves nothing. No test is in here.
 */

#include <unistd.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

struct hostile_vfu hostile_server;
int16_t hostile_dev_id = -1;
static unsigned int fds_before, maps_before;

void
hostile_count(void)
{
	fds_before = test_fds_most();
	maps_before = test_count_maps();
}

int
hostile_round_begin(void)
{
	/* of this round only */
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	return hostile_vfu_init(&hostile_server);
}

int
hostile_round_end(void)
{
	int ret = 0;

	if (hostile_dev_id >= 0)
		ret = test_vdev_remove(hostile_dev_id);
	hostile_dev_id = -1;
	hostile_vfu_stop(&hostile_server);
	TEST_EXPECT(ret, 0);
	TEST_WAIT(test_count_fds() <= fds_before, TEST_MS);
	TEST_EXPECT(test_count_maps(), maps_before);
	return TEST_SUCCESS;
}

int
hostile_case_setup(void)
{
	hostile_dev_id = -1;
	TEST_EXPECT(test_log_begin(), 0);
	hostile_count();
	return TEST_SUCCESS;
}

void
hostile_case_teardown(void)
{
	if (hostile_dev_id >= 0 && test_vdev_remove(hostile_dev_id) != 0)
		test_fail("the device cannot be removed");
	hostile_dev_id = -1;
	hostile_vfu_stop(&hostile_server);
	test_log_end();
}

/* Probe; what it returned is in *ret. In time, whatever it is. */
int
hostile_probe(const char *args, int *ret)
{
	uint64_t start = test_now_ns();

	*ret = hostile_vfu_dev_add(&hostile_server, args);
	if (*ret >= 0)
		hostile_dev_id = (int16_t)*ret;
	TEST_ASSERT(test_now_ns() - start < HOSTILE_LIMIT_NS, "it took %u ms",
		(unsigned int)((test_now_ns() - start) / 1000000));
	return TEST_SUCCESS;
}

/* One probe with a rule, which must fail; words in the log, or NULL for any. */
int
hostile_expect_error(const struct hostile_rule *rule, const char *words)
{
	bool silent;
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	/* a late answer of a machine with much to do is no answer either */
	silent = rule->how == HOSTILE_FLOOD ||
			(words != NULL && strcmp(words, HOSTILE_NO_ANSWER) == 0);
	TEST_CALL(hostile_probe(silent ? HOSTILE_SHORT_ARGS : HOSTILE_LONG_ARGS, &ret));
	TEST_ASSERT(ret < 0, "command %u, how %u, argument 0x%llx: the probe went well",
		rule->cmd, rule->how, (unsigned long long)rule->arg);
	/* there is a reason, always, and it is one */
	TEST_TRUE(test_log_has("COMCH_BLUEFIELD: ") && !test_log_has("(null)"));
	TEST_ASSERT(words == NULL || test_log_has(words),
		"command %u, how %u, argument 0x%llx: '%s' is not in the log", rule->cmd,
		rule->how, (unsigned long long)rule->arg, words);
	TEST_CALL(hostile_round_end());
	return TEST_SUCCESS;
}

/* One probe with a rule, which does no harm. */
int
hostile_expect_device(const struct hostile_rule *rule)
{
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_ASSERT(ret >= 0, "command %u, how %u, argument 0x%llx: %d (%s)", rule->cmd,
		rule->how, (unsigned long long)rule->arg, ret, strerror(-ret));
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	TEST_CALL(hostile_round_end());
	return TEST_SUCCESS;
}

/* A hostile server whose device is up. */
int
hostile_round_up(const char *args)
{
	int ret;

	TEST_CALL(hostile_round_begin());
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(args, &ret));
	TEST_ASSERT(ret >= 0, "%d (%s)", ret, strerror(-ret));
	return TEST_SUCCESS;
}

/* It fails so; then it can be removed, and nothing is left. */
int
hostile_expect_fatal(int status, const char *words)
{
	TEST_WAIT(test_dev_status(hostile_dev_id) != 0, TEST_MS);
	TEST_EXPECT(test_dev_status(hostile_dev_id), status);
	TEST_ASSERT(test_log_has(words), "'%s' is not in the log", words);
	return hostile_round_end();
}

/* It has seen all events, and works on. */
int
hostile_expect_alive(void)
{
	usleep(100000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	return hostile_round_end();
}

static uint32_t
counter_get(const uint32_t *counter)
{
	uint32_t nb;

	pthread_mutex_lock(&hostile_server.lock);
	nb = *counter;
	pthread_mutex_unlock(&hostile_server.lock);
	return nb;
}

uint32_t
hostile_nb_refusals(void)
{
	return counter_get(&hostile_server.nb_refusals);
}

uint32_t
hostile_nb_pages(void)
{
	return counter_get(&hostile_server.nb_pages);
}

void
hostile_fix_vf(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg,
		uint64_t arg __rte_unused)
{
	const uint16_t ids[2] = { 0x15b3, BF_PCI_ID_VF };

	memcpy(msg->body + sizeof(struct vfio_user_region_access), ids, sizeof(ids));
}
