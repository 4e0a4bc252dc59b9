/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Faults that the bluefield driver once had: a case for each, which says what
 * went wrong. They need a software BlueField. No other fault is looked for here.
 */

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_alarm.h>
#include <rte_bus_vdev.h>
#include <rte_dev.h>
#include <rte_log.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* A device has fewer descriptors. */
#define MAX_FILES 300
#define SETTLE_MS 20

static int16_t dev_id;

static int
case_setup(void)
{
	dev_id = -1;
	test_log_quiet(); /* what fails on purpose is no news */
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=10"));
	return TEST_SUCCESS;
}

static void
case_teardown(void)
{
	if (dev_id >= 0 && test_vdev_remove(dev_id) != 0)
		test_fail("the device cannot be removed");
	test_log_restore();
	if (test_model_stop(&model) != TEST_SUCCESS)
		test_fail("the model did not end well");
}

static int
dev_add(const char *args)
{
	int ret = test_model_dev_add(&model, "pf0", args);

	TEST_TRUE(ret >= 0);
	dev_id = ret;
	return TEST_SUCCESS;
}

/*
 * The shortest period of the health poll that is allowed is shorter than the time
 * in which a healthy device counts on.
 */
static int
test_short_health(void)
{
	TEST_CALL(dev_add("health=10"));
	usleep(1000000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return TEST_SUCCESS;
}

/* A log that is slow to take one line. */
static uint32_t log_in_line;

static ssize_t
slow_write(void *cookie __rte_unused, const char *text, size_t len)
{
	static const char line[] = "has failed: firmware failed; stop its contexts";

	if (memmem(text, len, line, sizeof(line) - 1) != NULL) {
		__atomic_store_n(&log_in_line, 1, __ATOMIC_RELEASE);
		usleep(200000);
	}
	return len;
}

/*
 * A reset began while the health poll was about to tell of the failure. What it
 * told was of the former life, and stayed: the device was down for ever, though
 * it worked.
 */
static int
test_told_while_reset(void)
{
	const cookie_io_functions_t ops = { .write = slow_write };
	uint64_t end;
	FILE *f;
	int ret;

	TEST_CALL(dev_add("health=30"));
	test_log_restore();
	f = fopencookie(NULL, "w", ops);
	TEST_TRUE(f != NULL);
	setvbuf(f, NULL, _IONBF, 0);
	__atomic_store_n(&log_in_line, 0, __ATOMIC_RELAXED);
	rte_openlog_stream(f);
	ret = test_model_ctl(&model, "fault pf0 health synd=1");
	end = test_now_ns() + TEST_MS * 1000000ull;
	while (__atomic_load_n(&log_in_line, __ATOMIC_ACQUIRE) == 0 && test_now_ns() < end)
		usleep(1000);
	if (ret == 0)
		ret = test_model_ctl(&model, "fault pf0 clear");
	if (ret == 0)
		ret = rte_comch_dev_reset(dev_id);
	rte_openlog_stream(NULL);
	fclose(f);
	test_log_quiet();
	TEST_EXPECT(log_in_line, 1);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return TEST_SUCCESS;
}

static uint32_t nb_gone;
static char gone_name[RTE_DEV_NAME_MAX_LEN];

static void
remove_alarm(void *arg __rte_unused)
{
	if (rte_vdev_uninit(gone_name) == 0)
		__atomic_store_n(&nb_gone, 1, __ATOMIC_RELEASE);
}

static void
remove_later(const char *name __rte_unused, enum rte_dev_event_type type __rte_unused,
		void *arg __rte_unused)
{
	rte_eal_alarm_set(1, remove_alarm, NULL);
}

/* As applications of DPDK do it: an alarm removes what the event told of. */
static int
test_removed_by_alarm(void)
{
	struct rte_comch_dev_info info;

	TEST_CALL(dev_add("health=30"));
	TEST_EXPECT(rte_comch_dev_info_get(dev_id, &info), 0);
	snprintf(gone_name, sizeof(gone_name), "%s", info.name);
	__atomic_store_n(&nb_gone, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(rte_dev_event_callback_register(info.name, remove_later, NULL), 0);
	TEST_EXPECT(test_model_ctl(&model, "unplug pf0"), 0);
	TEST_WAIT(__atomic_load_n(&nb_gone, __ATOMIC_ACQUIRE) != 0, TEST_MS);
	dev_id = -1;
	TEST_TRUE(rte_dev_event_callback_unregister(info.name, remove_later, NULL) > 0);
	return TEST_SUCCESS;
}

static int at_once[2]; /* what the removal and the reset return */

static void
remove_at_once(const char *name, enum rte_dev_event_type type __rte_unused,
		void *arg __rte_unused)
{
	at_once[0] = rte_vdev_uninit(name);
	at_once[1] = rte_comch_dev_reset(dev_id);
	__atomic_store_n(&nb_gone, 1, __ATOMIC_RELEASE);
}

/*
 * The thread that told of the end was to wait for itself, when the application
 * removed or reset the device in the callback: it hung for ever.
 */
static int
test_removed_at_once(void)
{
	struct rte_comch_dev_info info;

	TEST_CALL(dev_add("health=30"));
	TEST_EXPECT(rte_comch_dev_info_get(dev_id, &info), 0);
	__atomic_store_n(&nb_gone, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(rte_dev_event_callback_register(info.name, remove_at_once, NULL), 0);
	TEST_EXPECT(test_model_ctl(&model, "unplug pf0"), 0);
	TEST_WAIT(__atomic_load_n(&nb_gone, __ATOMIC_ACQUIRE) != 0, TEST_MS);
	TEST_EXPECT(at_once[0], -EBUSY);
	TEST_EXPECT(at_once[1], -ENODEV);
	TEST_EXPECT(test_dev_status(dev_id), -ENODEV);
	/* the handler is about to end */
	TEST_WAIT(rte_dev_event_callback_unregister(info.name, remove_at_once, NULL) > 0,
		TEST_MS);
	return TEST_SUCCESS;
}

static uint32_t look_stop;

static void *
look(void *arg)
{
	struct rte_comch_dev_info info;
	FILE *f = fopen("/dev/null", "w");
	uint64_t *looks = arg;

	while (f != NULL && __atomic_load_n(&look_stop, __ATOMIC_RELAXED) == 0) {
		rte_comch_dev_info_get(dev_id, &info);
		rte_comch_dev_dump(dev_id, f);
		rte_comch_dev_get_id_by_name("0000:01:00.0");
		(*looks)++;
		usleep(100);
	}
	if (f != NULL)
		fclose(f);
	return NULL;
}

/* Looked at all the time, while it fails, is reset and serves page requests. */
static int
test_looked_at(void)
{
	uint64_t looks = 0;
	pthread_t thread;
	int i, ret = 0;

	TEST_CALL(dev_add("health=30,cmd_timeout=1000"));
	__atomic_store_n(&look_stop, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_create(&thread, NULL, look, &looks), 0);
	for (i = 0; i < 10 && ret == 0; i++) {
		ret = test_model_ctl(&model, "fault pf0 pages wanted=700");
		if (ret == 0)
			ret = test_model_ctl(&model, "fault pf0 health synd=1");
		usleep(i * 10000);
		if (ret == 0)
			ret = test_model_ctl(&model, "fault pf0 clear");
		if (ret == 0)
			ret = rte_comch_dev_reset(dev_id);
	}
	__atomic_store_n(&look_stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_TRUE(looks > 0);
	return TEST_SUCCESS;
}

#define SLOW_MS 400

static void
slow_answer(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg __rte_unused,
		uint64_t ms)
{
	usleep(ms * 1000);
}

/*
 * The time limit of a message began before its turn on the socket: with several
 * threads, a server that was slow, but in time, was given up.
 */
static int
test_slow_server(void)
{
	struct hostile_rule rule = { .how = HOSTILE_FIX, .count = 12, .arg = SLOW_MS,
		.fix = slow_answer };
	static struct hostile_vfu hostile;
	int ret, status = 0, begun = -1;

	begun = test_log_begin();
	ret = hostile_vfu_init(&hostile);
	if (ret == 0)
		ret = hostile_vfu_start(&hostile);
	if (ret == 0)
		ret = hostile_vfu_dev_add(&hostile, "socket_timeout=600,health=10");
	if (ret >= 0) {
		/* the poll has the socket all the time now, and the removal wants it */
		dev_id = ret;
		hostile_vfu_rule(&hostile, &rule);
		usleep(SLOW_MS * 1000);
		status = test_dev_status(dev_id);
		ret = test_vdev_remove(dev_id);
		dev_id = -1;
	}
	hostile_vfu_stop(&hostile);
	if (begun == 0 && test_log_has("is lost"))
		status = -ENODEV;
	if (status == 0)
		test_log_passed();
	test_log_end();
	TEST_EXPECT(begun, 0);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(status, 0);
	return TEST_SUCCESS;
}

/* Add the device while so many more descriptors can be opened. */
static int
add_with_files(unsigned int nb, int *lowest)
{
	struct rlimit limit, few;
	int ret;

	*lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	TEST_TRUE(*lowest >= 0);
	close(*lowest);
	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &limit), 0);
	few = limit;
	few.rlim_cur = *lowest + nb;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &few), 0);
	ret = test_model_dev_add(&model, "pf0", "");
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &limit), 0);
	return ret;
}

/*
 * The server was blamed, and to be started again, when this process had no descriptors
 * left for those that came with an answer.
 */
static int
test_few_files(void)
{
	unsigned int nb, fds = test_count_fds();
	bool named = true;
	int lowest;

	test_log_restore();
	/* EAL's interrupt thread opens one anew when it hears of the device before */
	usleep(SETTLE_MS * 1000);
	for (nb = 0; dev_id < 0 && nb < MAX_FILES && named; nb++) {
		TEST_EXPECT(test_log_begin(), 0);
		dev_id = add_with_files(nb, &lowest);
		named = dev_id >= 0 || test_log_has("ulimit -n");
		/* it is not the server that lacks something */
		TEST_TRUE(!test_log_has("it closed the connection"));
		if (named)
			test_log_passed();
		test_log_end();
		TEST_TRUE(dev_id >= 0 || test_count_fds() <= fds);
	}
	TEST_ASSERT(named, "with %u descriptors: nothing of ulimit -n", nb - 1);
	TEST_TRUE(dev_id >= 0 && nb > 1);
	return TEST_SUCCESS;
}

static struct unit_test_suite regress_suite = {
	.suite_name = "regressions of the bluefield driver",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_short_health),
		TEST_CASE_ST(case_setup, case_teardown, test_told_while_reset),
		TEST_CASE_ST(case_setup, case_teardown, test_removed_by_alarm),
		TEST_CASE_ST(case_setup, case_teardown, test_removed_at_once),
		TEST_CASE_ST(case_setup, case_teardown, test_looked_at),
		TEST_CASE_ST(case_setup, case_teardown, test_few_files),
		TEST_CASE_ST(NULL, NULL, test_slow_server),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_regress_autotest, unit_test_suite_runner, &regress_suite);
