/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands that take time and end in any order: what the model does with a queue of
 * commands, by a client that has no driver, and that the driver copes with it.
 */

#include <string.h>
#include <unistd.h>

#include "bluefield_cmd.h"
#include "bluefield_prm.h"
#include "test_bluefield_obj.h"

/*
 * A client without a driver: a queue of which many slots are used at once
 */

#define RAW_SLOTS 16u
#define RAW_TOKEN 0x5a
#define RAW_ROUNDS 50u

static struct {
	struct bf_hw *hw;
	struct bf_dma mem; /* the queue's page, then an output mailbox for each slot */
} raw;

static struct bf_cmd_entry *
raw_entry(unsigned int slot)
{
	return (struct bf_cmd_entry *)raw.mem.addr + slot;
}

static struct bf_mbox *
raw_mbox(unsigned int slot)
{
	return (void *)((uint8_t *)raw.mem.addr + BF_PAGE_SIZE + slot * BF_MBOX_STRIDE);
}

static bool
raw_done(unsigned int slot)
{
	return (__atomic_load_n(&raw_entry(slot)->status_own, __ATOMIC_ACQUIRE) &
		BF_CMD_OWNER_HW) == 0;
}

static bool
raw_ready(void)
{
	return raw.hw->ops->read32(raw.hw, BF_REG_INITIALIZING) >> 31 == 0;
}

static int
raw_open(const char *functions)
{
	char path[PATH_MAX + 16];

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, functions));
	snprintf(path, sizeof(path), "%s/pf0.sock", model.dir);
	TEST_EXPECT(bf_hw_vfu_open("raw", path, 5000, &raw.hw), 0);
	TEST_EXPECT(raw.hw->ops->dma_alloc(raw.hw, BF_PAGE_SIZE + RAW_SLOTS * BF_MBOX_STRIDE,
		BF_PAGE_SIZE, &raw.mem), 0);
	TEST_EXPECT(raw.hw->ops->reset(raw.hw), 0);
	TEST_WAIT(raw_ready(), TEST_MS);
	raw.hw->ops->write32(raw.hw, BF_REG_CMDQ_ADDR_H, raw.mem.iova >> 32);
	raw.hw->ops->write32(raw.hw, BF_REG_CMDQ_ADDR_L, (uint32_t)raw.mem.iova);
	return TEST_SUCCESS;
}

static void
raw_close(void)
{
	if (raw.hw != NULL) {
		raw.hw->ops->dma_free(raw.hw, &raw.mem);
		raw.hw->ops->close(raw.hw);
	}
	memset(&raw, 0, sizeof(raw));
	obj_case_teardown();
}

/* QUERY_ISSI: all states of a function allow it, and its answer needs a mailbox. */
static void
raw_post(unsigned int slot)
{
	struct bf_cmd_entry *e = raw_entry(slot);
	struct bf_mbox *mbox = raw_mbox(slot);

	memset(mbox, 0, sizeof(*mbox));
	mbox->token = RAW_TOKEN;
	memset(e, 0, sizeof(*e));
	e->type = BF_CMD_TYPE_PCI;
	e->in_len = rte_cpu_to_be_32(BF_CMD_INLINE);
	bf_set(e->in, BF_IN_OPCODE, BF_OP_QUERY_ISSI);
	e->out_ptr = rte_cpu_to_be_64(raw.mem.iova + BF_PAGE_SIZE + slot * BF_MBOX_STRIDE);
	e->out_len = rte_cpu_to_be_32(BF_QUERY_ISSI_OUT_SIZE);
	e->token = RAW_TOKEN;
	__atomic_store_n(&e->status_own, BF_CMD_OWNER_HW, __ATOMIC_RELEASE);
}

static bool
raw_answered(unsigned int slot)
{
	uint8_t out[BF_QUERY_ISSI_OUT_SIZE];

	memcpy(out, raw_entry(slot)->out, BF_CMD_INLINE);
	memcpy(out + BF_CMD_INLINE, raw_mbox(slot)->data, sizeof(out) - BF_CMD_INLINE);
	return BF_CMD_DELIVERY(raw_entry(slot)->status_own) == BF_DELIVERY_OK &&
		bf_get(out, BF_OUT_STATUS) == BF_STATUS_OK &&
		bf_get(out, BF_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0) != 0;
}

/* One command in each slot by one doorbell. What was done when it was rung, and in order? */
static int
raw_round(unsigned int *at_once, bool *in_order)
{
	uint64_t end = test_now_ns() + TEST_MS * 1000000ull;
	unsigned int i, nb = 0;
	uint32_t seen = 0;

	*in_order = true;
	for (i = 0; i < RAW_SLOTS; i++)
		raw_post(i);
	raw.hw->ops->write32(raw.hw, BF_REG_CMD_DOORBELL, (1u << RAW_SLOTS) - 1);
	for (i = 0, *at_once = 0; i < RAW_SLOTS; i++)
		*at_once += raw_done(i);
	while (nb < RAW_SLOTS) {
		TEST_ASSERT(test_now_ns() < end, "%u of %u commands are answered", nb, RAW_SLOTS);
		/* backwards: none can end between two looks and seem to overtake */
		for (i = RAW_SLOTS; i-- > 0;) {
			if ((seen & 1u << i) != 0 || !raw_done(i))
				continue;
			TEST_TRUE(raw_answered(i));
			if (i > 0 && !raw_done(i - 1))
				*in_order = false;
			seen |= 1u << i;
			nb++;
		}
	}
	return TEST_SUCCESS;
}

static int
test_slots_end_in_any_order(void)
{
	unsigned int i, at_once, immediate = 0, ordered = 0;
	bool in_order;

	TEST_CALL(raw_open("pf0,flr_ms=5 --seed=7"));
	for (i = 0; i < RAW_ROUNDS; i++) {
		TEST_CALL(raw_round(&at_once, &in_order));
		immediate += at_once == RAW_SLOTS;
		ordered += in_order;
	}
	test_note("%u rounds: %u over at once, %u in order", RAW_ROUNDS, immediate, ordered);
	/* a busy machine may look late at most of them */
	TEST_TRUE(immediate < RAW_ROUNDS);
	TEST_TRUE(ordered < RAW_ROUNDS);
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "busy=0") != NULL);
	TEST_TRUE(strstr(model.answer, "overtaken=0") == NULL);
	return test_log_passed();
}

static int
test_latency_off(void)
{
	unsigned int i, at_once;
	bool in_order;

	TEST_CALL(raw_open("pf0,flr_ms=5 --latency=off"));
	for (i = 0; i < RAW_ROUNDS; i++) {
		TEST_CALL(raw_round(&at_once, &in_order));
		TEST_EXPECT(at_once, RAW_SLOTS);
	}
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "overtaken=0") != NULL);
	return test_log_passed();
}

/* The dump names what is under way, and a reset ends it without an answer. */
static int
test_under_way(void)
{
	TEST_CALL(raw_open("pf0,flr_ms=5"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=QUERY_ISSI delay=100000"), 0);
	raw_post(3);
	raw.hw->ops->write32(raw.hw, BF_REG_CMD_DOORBELL, 1u << 3);
	TEST_WAIT(test_model_ctl(&model, "dump pf0") == 0 &&
		strstr(model.answer, "slot 3 QUERY_ISSI state=fetched since_us=") != NULL,
		TEST_MS);
	TEST_TRUE(strstr(model.answer, "busy=1") != NULL);
	TEST_EXPECT(raw.hw->ops->reset(raw.hw), 0);
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "busy=0") != NULL);
	TEST_TRUE(!raw_done(3));
	return test_log_passed();
}

/* A client that takes a mailbox back before the answer is found out. */
static int
test_mailboxes_are_read_late(void)
{
	unsigned int i, late = 0;

	TEST_CALL(raw_open("pf0,flr_ms=5"));
	for (i = 0; i < RAW_ROUNDS; i++) {
		raw_post(0);
		raw.hw->ops->write32(raw.hw, BF_REG_CMD_DOORBELL, 1);
		raw_mbox(0)->token = RAW_TOKEN + 1;
		TEST_WAIT(raw_done(0), TEST_MS);
		late += BF_CMD_DELIVERY(raw_entry(0)->status_own) == BF_DELIVERY_TOKEN;
	}
	test_note("%u of %u mailboxes were read late", late, RAW_ROUNDS);
	TEST_TRUE(late > 0);
	return test_log_passed();
}

/*
 * The driver: a slot for pages and one for all the rest
 */

static bool
under_way(const char *command)
{
	char words[64];

	snprintf(words, sizeof(words), " %s state=", command);
	return test_model_ctl(&model, "dump pf0") == 0 &&
		strstr(model.answer, words) != NULL;
}

/* Objects whose commands need mailboxes of both directions. */
static int
use_objects(void)
{
	struct obj_qp_info info;

	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
	TEST_EXPECT(obj_qp_query(&obj_set.qp, &info), 0);
	TEST_EXPECT(info.state, BF_QP_INIT);
	obj_set_destroy(&obj_set);
	return TEST_SUCCESS;
}

/* Pages first, and their command is still under way when others come and go. */
static int
test_silicon_5_5_pages_end_last(void)
{
	long given = test_model_state(&model, "pf0", "given");

	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=MANAGE_PAGES count=1 delay=500"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=100"), 0);
	TEST_WAIT(under_way("MANAGE_PAGES"), TEST_MS);
	TEST_CALL(use_objects());
	TEST_TRUE(under_way("MANAGE_PAGES"));
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), given);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 100, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "overtaken=0") == NULL);
	return obj_passed_clean();
}

/* Another command first, which cannot end before that of the pages has. */
static int
test_silicon_5_5_pages_end_first(void)
{
	long given = test_model_state(&model, "pf0", "given");
	unsigned int i;

	for (i = 0; i < NB_KINDS; i++) {
		/* and firmware takes its time with the pages */
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=MANAGE_PAGES op_mod=1 count=1 delay=30"), 0);
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=%s count=1 page-request=100",
			obj_kinds[i].create), 0);
		TEST_CALL(use_objects());
		given += 100;
		TEST_EXPECT(test_model_state(&model, "pf0", "given"), given);
	}
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "overtaken=0") == NULL);
	return obj_passed_clean();
}

/* Both at once, as it comes: neither may touch what is the other's. */
static int
test_silicon_5_5_random_order(void)
{
	unsigned int i;

	for (i = 0; i < 60; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=100"), 0);
		TEST_CALL(use_objects());
		/* what has not come yet cannot be given back: then it says no */
		test_model_ctl(&model, "fault pf0 pages wanted=-100");
		TEST_CALL(use_objects());
	}
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, "overtaken=0") == NULL);
	return obj_passed_clean();
}

/* All of bring-up late: boot pages, INIT_HCA, and the way down. */
static int
test_silicon_5_5_late_bring_up(void)
{
	static const char * const commands[] = {
		"ENABLE_HCA", "QUERY_PAGES", "MANAGE_PAGES", "INIT_HCA", "CREATE_EQ",
		"TEARDOWN_HCA", "DISABLE_HCA",
	};
	unsigned int i;

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5,init_pages=1000"));
	for (i = 0; i < RTE_DIM(commands); i++)
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s delay=100",
			commands[i]), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=INIT_HCA count=1 page-request=10"), 0);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_CALL(use_objects());
	return obj_passed_clean();
}

static struct unit_test_suite suite = {
	.suite_name = "commands of BlueField functions that take time",
	.unit_test_cases = {
		TEST_CASE_ST(NULL, raw_close, test_slots_end_in_any_order),
		TEST_CASE_ST(NULL, raw_close, test_latency_off),
		TEST_CASE_ST(NULL, raw_close, test_under_way),
		TEST_CASE_ST(NULL, raw_close, test_mailboxes_are_read_late),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_silicon_5_5_pages_end_last),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown,
			test_silicon_5_5_pages_end_first),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_silicon_5_5_random_order),
		TEST_CASE_ST(NULL, obj_case_teardown, test_silicon_5_5_late_bring_up),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_cmd_autotest, unit_test_suite_runner, &suite);
