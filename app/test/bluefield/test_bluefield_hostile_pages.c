/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory that hostile firmware asks for, gives back, drops, and lies about. What is too much
 * or too fast is beside its other events.
 */

#include <unistd.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define PAGE_OTHER 0x00000005u   /* of function 5 */
#define PAGE_EC 0x80000000u
#define PAGE_RELEASE 0x40000000u

/* For other functions, of which a host function has none that are the card's. */
static int
test_page_requests_of_others(void)
{
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	/* a VF of ours: it gets some, and is released by a word of firmware */
	hostile_vfu_page_event(&hostile_server, PAGE_OTHER, 100);
	hostile_vfu_page_event(&hostile_server, PAGE_OTHER | PAGE_RELEASE, 0);
	hostile_vfu_page_event(&hostile_server, UINT16_MAX, 1);
	hostile_vfu_page_event(&hostile_server, UINT16_MAX | PAGE_RELEASE, INT32_MIN);
	usleep(50000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	hostile_vfu_page_event(&hostile_server, PAGE_EC, 1);
	TEST_CALL(hostile_expect_fatal(-EIO, "which is not ours"));
	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	/* those of the function itself it cannot just drop */
	hostile_vfu_page_event(&hostile_server, PAGE_RELEASE, 0);
	TEST_CALL(hostile_expect_fatal(-EIO, "drops all pages"));
	return test_log_passed();
}

/* A VF has nobody to give pages to but itself. */
static int
test_page_requests_to_vf(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_READ, .fix = hostile_fix_vf,
		.count = 1,
	};
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_ASSERT(ret >= 0, "%d (%s)", ret, strerror(-ret));
	hostile_vfu_page_event(&hostile_server, 0, 4);
	usleep(50000);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	hostile_vfu_page_event(&hostile_server, PAGE_OTHER, 1);
	TEST_CALL(hostile_expect_fatal(-EIO, "which is not ours"));
	return test_log_passed();
}

/* All events so far are done: this one, which changes the state of the port, is. */
static int
events_done(bool up)
{
	uint8_t data[28] = { 0 };

	bf_set(data, BF_EVENT_PORT_NUM, 1);
	hostile_vfu_event(&hostile_server, BF_EVENT_PORT_CHANGE,
		up ? BF_PORT_CHANGE_ACTIVE : BF_PORT_CHANGE_DOWN, data);
	TEST_WAIT(test_dev_info(hostile_dev_id).link_up == up, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Two requests at once. A command gives 512 pages, so the second could be what is left of the
 * first; it is a request of its own: of another number, of another function, or later.
 */
static int
test_page_requests_at_once(void)
{
	static const struct {
		uint32_t who;
		int32_t num;
		bool late;
	} rows[] = { { 0, 50, false }, { PAGE_OTHER, 88, false }, { 0, 88, true } };
	const int32_t first = 600;
	uint32_t before;
	unsigned int i, j;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	before = hostile_nb_pages();
	for (i = 0; i < 3; i++) {
		for (j = 0; j < RTE_DIM(rows); j++) {
			hostile_vfu_page_event(&hostile_server, 0, first);
			if (rows[j].late)
				TEST_CALL(events_done(false));
			hostile_vfu_page_event(&hostile_server, rows[j].who, rows[j].num);
			TEST_WAIT(hostile_nb_pages() == before + first + rows[j].num, TEST_MS);
			hostile_vfu_page_event(&hostile_server, rows[j].who, -rows[j].num);
			hostile_vfu_page_event(&hostile_server, 0, -first);
			if (rows[j].late)
				TEST_CALL(events_done(true));
			TEST_WAIT(hostile_nb_pages() == before, TEST_MS);
		}
		/* nothing is left of what it gives back */
		hostile_vfu_page_event(&hostile_server, 0, first);
		TEST_WAIT(hostile_nb_pages() == before + first, TEST_MS);
		hostile_vfu_page_event(&hostile_server, 0, -first);
		hostile_vfu_page_event(&hostile_server, 0, 88);
		TEST_WAIT(hostile_nb_pages() == before + 88, TEST_MS);
		hostile_vfu_page_event(&hostile_server, 0, -88);
		TEST_WAIT(hostile_nb_pages() == before, TEST_MS);
	}
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

static void
set_pages(uint32_t nb)
{
	pthread_mutex_lock(&hostile_server.lock);
	hostile_server.nb_pages = nb;
	pthread_mutex_unlock(&hostile_server.lock);
}

#define MAX_2000 HOSTILE_LONG_ARGS ",max_pages=2000"

/* How many it has at the end. */
static enum hostile_fw
fw_see_pages(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out __rte_unused, uint32_t out_len __rte_unused)
{
	if (opcode == BF_OP_DISABLE_HCA)
		e->results[e->nb_results++] = (int)e->nb_pages;
	return HOSTILE_FW_HONEST;
}

/* What another function had is free by a word, and nothing else is: there is a limit. */
static int
test_page_release(void)
{
	uint32_t before;
	unsigned int i;

	TEST_CALL(hostile_round_up(MAX_2000));
	before = hostile_nb_pages() + 4;
	hostile_vfu_page_event(&hostile_server, 0, 4);
	TEST_WAIT(hostile_nb_pages() == before, TEST_MS);
	for (i = 0; i < 3; i++) {
		hostile_vfu_page_event(&hostile_server, PAGE_OTHER, 1500);
		TEST_WAIT(hostile_nb_pages() == before + 1500, TEST_MS);
		set_pages(before);
		hostile_vfu_page_event(&hostile_server, PAGE_OTHER | PAGE_RELEASE, 0);
	}
	hostile_vfu_page_event(&hostile_server, 0, -4);
	TEST_WAIT(hostile_nb_pages() == before - 4, TEST_MS);
	/* more than a command has room for, as it goes: no reset has to do it */
	hostile_vfu_page_event(&hostile_server, 0, 900);
	TEST_WAIT(hostile_nb_pages() == before - 4 + 900, TEST_MS);
	hostile_vfu_fw(&hostile_server, fw_see_pages);
	TEST_CALL(hostile_expect_alive());
	TEST_EXPECT(hostile_server.nb_resets, 1);
	TEST_TRUE(hostile_server.nb_results == 1 && hostile_server.results[0] == 0);
	return test_log_passed();
}

static enum hostile_fw
fw_refuse_pages(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_MANAGE_PAGES || bf_get(in, BF_IN_OP_MOD) ==
			BF_MANAGE_PAGES_CANT_GIVE || e->arg == 0)
		return HOSTILE_FW_HONEST;
	e->arg--;
	bf_set(out, BF_OUT_STATUS, BF_STATUS_BAD_PARAM);
	bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, 1);
	return HOSTILE_FW_DONE;
}

static bool
all_refused(void)
{
	bool all;

	pthread_mutex_lock(&hostile_server.lock);
	all = hostile_server.arg == 0;
	pthread_mutex_unlock(&hostile_server.lock);
	return all;
}

/* It refuses what it has asked for, whatever else it says: the pages stay where they are. */
static int
test_page_commands_refused(void)
{
	uint32_t before;
	unsigned int i;

	TEST_CALL(hostile_round_up(MAX_2000));
	hostile_vfu_fw(&hostile_server, fw_refuse_pages);
	before = hostile_nb_pages();
	for (i = 0; i < 3; i++) {
		pthread_mutex_lock(&hostile_server.lock);
		hostile_server.arg = 1;
		pthread_mutex_unlock(&hostile_server.lock);
		hostile_vfu_page_event(&hostile_server, 0, 500);
		TEST_WAIT(all_refused(), TEST_MS);
	}
	hostile_vfu_page_event(&hostile_server, 0, 900);
	TEST_WAIT(hostile_nb_pages() == before + 900, TEST_MS);
	pthread_mutex_lock(&hostile_server.lock);
	hostile_server.arg = 1;
	pthread_mutex_unlock(&hostile_server.lock);
	hostile_vfu_page_event(&hostile_server, 0, -4);
	TEST_WAIT(all_refused(), TEST_MS);
	hostile_vfu_page_event(&hostile_server, 0, -4);
	TEST_WAIT(hostile_nb_pages() == before + 900 - 4, TEST_MS);
	TEST_CALL(hostile_expect_alive());
	TEST_EXPECT(hostile_server.nb_resets, 1);
	return test_log_passed();
}

static enum hostile_fw
fw_keep_pages(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_MANAGE_PAGES || bf_get(in, BF_IN_OP_MOD) != BF_MANAGE_PAGES_TAKE ||
			e->arg == 0)
		return HOSTILE_FW_HONEST;
	e->arg--;
	bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, 0);
	return HOSTILE_FW_DONE;
}

/* It has none to give back at first: it is asked again, and no reset has to do it. */
static int
test_pages_kept(void)
{
	uint32_t before;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	before = hostile_nb_pages();
	hostile_vfu_page_event(&hostile_server, 0, 4);
	TEST_WAIT(hostile_nb_pages() == before + 4, TEST_MS);
	hostile_server.arg = 3;
	hostile_vfu_fw(&hostile_server, fw_keep_pages);
	TEST_CALL(hostile_round_end());
	TEST_EXPECT(hostile_server.nb_resets, 1);
	TEST_EXPECT(hostile_server.arg, 0);
	/* and if it never has any, whatever else it does: they are free after a reset only */
	TEST_CALL(hostile_round_up(
		"socket_timeout=5000,cmd_timeout=5000,fw_timeout=200,health=30"));
	hostile_server.arg = UINT64_MAX;
	hostile_vfu_fw(&hostile_server, fw_keep_pages);
	TEST_CALL(hostile_round_end());
	TEST_EXPECT(hostile_server.nb_resets, 2);
	return test_log_passed();
}

/* The server takes no more memory: firmware gets none, and that is all. */
static int
test_no_memory(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_ERROR, .cmd = VFIO_USER_CMD_DMA_MAP, .arg = ENOMEM,
	};
	uint32_t given;

	TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
	hostile_vfu_rule(&hostile_server, &rule);
	hostile_vfu_page_event(&hostile_server, 0, 4000);
	TEST_WAIT(hostile_nb_refusals() == 1, TEST_MS);
	TEST_TRUE(test_log_has("no DMA memory for "));
	/* what it did not get it can have later, as far as there is any */
	given = hostile_nb_pages();
	hostile_vfu_page_event(&hostile_server, 0, 8);
	TEST_WAIT(hostile_nb_pages() == given + 8, TEST_MS);
	TEST_CALL(hostile_expect_alive());
	return test_log_passed();
}

enum { TAKE_MORE, TAKE_ALL_ONES, TAKE_FOREIGN, TAKE_TWICE, TAKE_ODD, TAKE_ZERO, NB_TAKES };

static enum hostile_fw
fw_take(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in, uint32_t in_len __rte_unused,
	uint8_t *out, uint32_t out_len __rte_unused)
{
	uint64_t page = e->nb_pages > 0 ? e->pages[0] : 0;
	uint32_t nb = bf_get(in, BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES);

	if (opcode != BF_OP_MANAGE_PAGES || bf_get(in, BF_IN_OP_MOD) != BF_MANAGE_PAGES_TAKE)
		return HOSTILE_FW_HONEST;
	bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, 1);
	bf_set64(out, BF_MANAGE_PAGES_PAS, page);
	switch (e->arg) {
	case TAKE_MORE:
		bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, nb + 1);
		break;
	case TAKE_ALL_ONES:
		bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, UINT32_MAX);
		break;
	case TAKE_FOREIGN:
		bf_set64(out, BF_MANAGE_PAGES_PAS, e->cmdq);
		break;
	case TAKE_TWICE:
		bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, 2);
		bf_set64(out, BF_MANAGE_PAGES_PAS + 8, page);
		break;
	case TAKE_ODD:
		bf_set64(out, BF_MANAGE_PAGES_PAS, page + 8);
		break;
	default:
		bf_set64(out, BF_MANAGE_PAGES_PAS, UINT64_MAX);
		break;
	}
	return HOSTILE_FW_DONE;
}

static int
test_page_lies(void)
{
	uint64_t how;

	for (how = 0; how < NB_TAKES; how++) {
		TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
		hostile_server.arg = how;
		hostile_vfu_fw(&hostile_server, fw_take);
		hostile_vfu_page_event(&hostile_server, 0, -4);
		TEST_CALL(hostile_expect_fatal(-EIO,
			how == TAKE_MORE ? "gives 5 pages back, asked for 4" :
			how == TAKE_ALL_ONES ? "gives 4294967295 pages back" : "gives page 0x"));
		/* and while it goes down: a reset has to do */
		TEST_CALL(hostile_round_up(HOSTILE_LONG_ARGS));
		hostile_server.arg = how;
		hostile_vfu_fw(&hostile_server, fw_take);
		TEST_CALL(hostile_round_end());
		TEST_TRUE(hostile_server.nb_resets >= 2);
	}
	return test_log_passed();
}

/* What it wants at first cannot be, or is too much. */
static int
test_page_startup(void)
{
	static const struct {
		uint32_t boot;
		uint32_t init;
		int error;
		const char *words;
	} rows[] = {
		{ 2000000, 0, -ENOMEM, "max_pages" },
		{ 0, 2000000, -ENOMEM, "max_pages" },
		{ 0x80000000, 0, -EIO, "firmware wants -" },
		{ 0, UINT32_MAX, -EIO, "firmware wants -1 pages" },
		{ INT32_MAX, INT32_MAX, -ENOMEM, "max_pages" },
	};
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.boot_pages = rows[i].boot;
		hostile_server.init_pages = rows[i].init;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_EXPECT(ret, rows[i].error);
		TEST_ASSERT(test_log_has(rows[i].words), "'%s' is not in the log", rows[i].words);
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

#define HOSTILE_CASE(fn) TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "pages of hostile firmware",
	.unit_test_cases = {
		HOSTILE_CASE(test_page_requests_of_others),
		HOSTILE_CASE(test_page_requests_to_vf),
		HOSTILE_CASE(test_page_requests_at_once),
		HOSTILE_CASE(test_page_release),
		HOSTILE_CASE(test_page_commands_refused),
		HOSTILE_CASE(test_pages_kept),
		HOSTILE_CASE(test_no_memory),
		HOSTILE_CASE(test_page_lies),
		HOSTILE_CASE(test_page_startup),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hostile_pages_autotest, unit_test_suite_runner, &suite);
