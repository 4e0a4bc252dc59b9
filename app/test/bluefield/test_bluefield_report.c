/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device argument report=: a file that says what happened, whether a function works
 * or stops on its way. What the script comch-card-report.py makes of it is tested by
 * devtools/test-card-report.sh.
 */

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define REPORT_SIZE (1u << 17)

static char path[PATH_MAX + 16];
static char text[REPORT_SIZE];
static int16_t dev_id;

static int
case_setup(void)
{
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	snprintf(path, sizeof(path), "%s/report", model.dir);
	return TEST_SUCCESS;
}

static void
case_teardown(void)
{
	unlink(path);
	test_model_teardown();
}

static int
plug(const char *args)
{
	char all[PATH_MAX + 128];

	snprintf(all, sizeof(all), "report=%s%s%s", path, args[0] != '\0' ? "," : "", args);
	return test_model_dev_add(&model, "pf0", all);
}

static int
read_report(void)
{
	FILE *f = fopen(path, "r");
	size_t len;

	TEST_TRUE(f != NULL);
	len = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[len] = '\0';
	TEST_TRUE(len > 0 && len < sizeof(text) - 1);
	return TEST_SUCCESS;
}

/* All of these, one after the other. */
static int
expect_words(const char *const *words)
{
	const char *at = text, *found;

	for (; *words != NULL; words++) {
		found = strstr(at, *words);
		TEST_ASSERT(found != NULL, "'%s' is not in the report, or not in its place",
			*words);
		at = found + strlen(*words);
	}
	return TEST_SUCCESS;
}

static int
test_whole(void)
{
	static const char *const words[] = {
		"step: open", "versions: dpdk-comch", "register 0x0000:",
		"step: firmware ready", "step: enable", "ENABLE_HCA (0x104)", "status 0x0 (ok)",
		"step: interface version", "ISSI: current", "pages asked: 8", "pages given: 8",
		"capabilities: GENERAL, current", "raw 0x000:", "log_max_qp:",
		"capabilities: GENERAL, maximum", "pages given: 64", "step: initialise",
		"capabilities: ROCE, current", "roce_address_table_size:", "board id:",
		"step: event queue", "step: interrupts", "vectors: ", "vport state:",
		"step: up", "nic state: 0", "capabilities: ROCE, maximum", "vport MAC: 02:bf:00:..",
		"RoCE address 0: ", "interrupt: vector 1, ", "event: type 0xa", "CREATE_CQ",
		"CREATE_QP", "DESTROY_QP", "health ticks: ", "step: function level reset",
		"reset and bring-up:", "step: teardown", "pages taken back: 72", "DISABLE_HCA",
		"\nresult: ok", NULL,
	};

	dev_id = plug("");
	TEST_TRUE(dev_id >= 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_CALL(read_report());
	TEST_CALL(expect_words(words));
	TEST_TRUE(strstr(text, "surprise") == NULL);
	return test_log_passed();
}

/* The addresses that the device has from us are not for the eyes of others. */
static int
test_private(void)
{
	static const char line[] = "register 0x0010: ", hidden[] = "00000000 00000";
	unsigned int nb = 0;
	const char *at;
	char word[32];
	long cmdq;

	dev_id = plug("");
	TEST_TRUE(dev_id >= 0);
	cmdq = test_model_state(&model, "pf0", "cmdq");
	TEST_TRUE(cmdq > 0);
	TEST_CALL(read_report());
	snprintf(word, sizeof(word), "%08lx", (unsigned long)cmdq & UINT32_MAX);
	TEST_TRUE(strstr(text, word) == NULL);
	snprintf(word, sizeof(word), "%08lx", (unsigned long)cmdq >> 32);
	TEST_TRUE(strstr(text, word) == NULL);
	/* that of the queue has other bits as well in its lower word */
	for (at = text; (at = strstr(at, line)) != NULL; nb++) {
		at += strlen(line);
		TEST_ASSERT(strncmp(at, hidden, strlen(hidden)) == 0, "%.17s", at);
	}
	TEST_TRUE(nb > 1);
	return test_log_passed();
}

static int
expect_surprise(const char *fault, const char *args, int error, const char *const *words)
{
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 %s", fault), 0);
	TEST_EXPECT(plug(args), error);
	TEST_CALL(read_report());
	TEST_CALL(expect_words(words));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	return test_log_passed();
}

static int
test_bad_status(void)
{
	static const char *const words[] = {
		"step: initialise", "INIT_HCA", "status 0x1 (internal error), syndrome 0x000abc12",
		"result: failed", "step: teardown", "register 0x0000:",
		"surprise: INIT_HCA: ", "status 0x1, syndrome 0x000abc12",
		"result: bring-up failed", NULL,
	};

	return expect_surprise("cmd opcode=INIT_HCA status=1 syndrome=0xabc12", "", -EIO, words);
}

static int
test_no_answer(void)
{
	static const char *const words[] = {
		"step: set capabilities", "no answer: ", "surprise: SET_HCA_CAP: ",
		"result: bring-up failed", NULL,
	};

	return expect_surprise("cmd opcode=SET_HCA_CAP no-answer", "cmd_timeout=300", -ETIMEDOUT,
		words);
}

static int
test_no_pages(void)
{
	static const char *const words[] = {
		"pages given: 8", "step: pages of initialisation", "pages asked: 64",
		"step: teardown", "surprise: in step 'pages of initialisation'",
		"result: bring-up failed", NULL,
	};

	return expect_surprise("clear", "max_pages=20", -ENOMEM, words);
}

/* The function works, and is none that the driver can use. */
static int
test_not_usable(void)
{
	static const char *const words[] = {
		"step: up", "nic state: 0", "step: teardown", "surprise: step ",
		"Operation not supported", "result: failed after bring-up", NULL,
	};

	return expect_surprise("cap roce=0", "", -ENOTSUP, words);
}

/* After bring-up, when objects are tried. */
static int
test_no_object(void)
{
	static const char *const words[] = {
		"step: up", "step: try a memory key", "status 0x8 (limit exceeded)",
		"DESTROY_CQ", "surprise: CREATE_MKEY", "result: failed after bring-up", NULL,
	};

	TEST_CALL(expect_surprise("cmd opcode=CREATE_MKEY status=8", "", -ENOSPC, words));
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	return test_log_passed();
}

/* Whatever is tried and does not work is in the report, and ends it. */
static int
test_tries_fail(void)
{
	static const struct {
		const char *fault;
		int error;
		const char *words[3];
	} rows[] = {
		{ "cmd opcode=QUERY_NIC_VPORT_CONTEXT status=3", -EINVAL,
			{ "step: try the vport", "result: failed after bring-up" } },
		{ "cmd opcode=QUERY_ROCE_ADDRESS status=3", -EINVAL,
			{ "surprise: QUERY_ROCE_ADDRESS", "result: failed after bring-up" } },
		{ "cmd opcode=QUERY_ISSI no-event", -ETIMEDOUT,
			{ "interrupt: none on vector", "result: failed after bring-up" } },
		{ "cmd opcode=DESTROY_MKEY status=4", -EIO,
			{ "surprise: DESTROY_MKEY", "result: failed after bring-up" } },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++)
		TEST_CALL(expect_surprise(rows[i].fault, "", rows[i].error, rows[i].words));
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	return test_log_passed();
}

static int
test_bad_file(void)
{
	char args[PATH_MAX + 32];

	TEST_EXPECT(test_model_dev_add(&model, "pf0", "report=/nowhere/report"), -ENOENT);
	TEST_TRUE(test_log_has("the report cannot be written to /nowhere/report"));
	TEST_EXPECT(test_model_dev_add(&model, "pf0", "report="), -EINVAL);
	/* not through somebody's link */
	TEST_EXPECT(symlink("/nowhere/report", path), 0);
	snprintf(args, sizeof(args), "report=%s", path);
	TEST_EXPECT(test_model_dev_add(&model, "pf0", args), -ELOOP);
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	return test_log_passed();
}

/* Whoever has put a pipe in the place of the file does not keep us waiting. */
static int
test_pipe(void)
{
	int reader, ret;
	char byte;

	TEST_EXPECT(mkfifo(path, 0600), 0);
	reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	TEST_TRUE(reader >= 0);
	ret = plug("");
	TEST_EXPECT(ret, -EINVAL);
	TEST_EXPECT(read(reader, &byte, 1), 0);
	close(reader);
	TEST_TRUE(test_log_has("not a regular file"));
	TEST_EXPECT(plug(""), -ENXIO); /* nobody reads */
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	return test_log_passed();
}

/* Firmware that asks for pages without end does not fill the disk. */
static int
test_flood(void)
{
	static const char *const words[] = {
		"step: up", "pages given: 1", "left out: ", "step: teardown", "DISABLE_HCA",
		"\nresult: ok", NULL,
	};
	unsigned int i, nb = 0;
	char *at;

	dev_id = plug("");
	TEST_TRUE(dev_id >= 0);
	for (i = 1; i <= 600; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=1"), 0);
		if (i % 30 == 0)
			TEST_WAIT(test_model_state(&model, "pf0", "given") == 72 + (long)i,
				TEST_MS);
	}
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_CALL(read_report());
	TEST_CALL(expect_words(words));
	at = strstr(text, "left out: ");
	while (at > text && strncmp(--at, "\nstep: ", 7) != 0)
		nb += strncmp(at, "command: ", 9) == 0;
	TEST_EXPECT(nb, 500);
	return test_log_passed();
}

static struct unit_test_suite report_suite = {
	.suite_name = "reports of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_whole),
		TEST_CASE_ST(case_setup, case_teardown, test_private),
		TEST_CASE_ST(case_setup, case_teardown, test_bad_status),
		TEST_CASE_ST(case_setup, case_teardown, test_no_answer),
		TEST_CASE_ST(case_setup, case_teardown, test_no_pages),
		TEST_CASE_ST(case_setup, case_teardown, test_no_object),
		TEST_CASE_ST(case_setup, case_teardown, test_not_usable),
		TEST_CASE_ST(case_setup, case_teardown, test_tries_fail),
		TEST_CASE_ST(case_setup, case_teardown, test_bad_file),
		TEST_CASE_ST(case_setup, case_teardown, test_pipe),
		TEST_CASE_ST(case_setup, case_teardown, test_flood),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_report_autotest, unit_test_suite_runner, &report_suite);
