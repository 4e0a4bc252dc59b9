/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A client that gives pages for another function and does with them what it may
 * not. It has the driver's command queue and nothing of the driver above it.
 */

#include <string.h>

#include "bluefield_cmd.h"
#include "bluefield_prm.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define NB_PAGES 4u
#define VF_ID 1u

struct side {
	struct bf_hw *hw;
	struct bf_cmdq *cmdq;
};

static struct side giver, vf;
static struct bf_dma pages;
static bool given;

static int
side_open(struct side *side, const char *name, bf_cmd_watch_t watch)
{
	char path[PATH_MAX + 16];

	snprintf(path, sizeof(path), "%s/%s.sock", model.dir, name);
	TEST_EXPECT(bf_hw_vfu_open(name, path, 5000, &side->hw), 0);
	TEST_WAIT(side->hw->ops->read32(side->hw, BF_REG_INITIALIZING) >> 31 == 0, TEST_MS);
	TEST_EXPECT(bf_cmdq_create(side->hw, TEST_MS, watch, NULL, &side->cmdq), 0);
	TEST_EXPECT(bf_cmdq_start(side->cmdq), 0);
	return TEST_SUCCESS;
}

static void
side_close(struct side *side)
{
	if (side->cmdq != NULL)
		bf_cmdq_free(side->cmdq);
	if (side->hw != NULL)
		side->hw->ops->close(side->hw);
	memset(side, 0, sizeof(*side));
}

static int
enable(struct side *side)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 }, out[BF_OUT_SIZE];
	struct bf_cmd cmd = { .in = in, .in_len = sizeof(in), .out = out, .out_len = sizeof(out) };

	bf_set(in, BF_IN_OPCODE, BF_OP_ENABLE_HCA);
	return bf_cmdq_exec(side->cmdq, BF_CMD_NORMAL, &cmd);
}

/* Give all for the VF, or take them back. nb: how many came. */
static int
manage(uint16_t op_mod, uint32_t *nb)
{
	uint8_t in[BF_MANAGE_PAGES_PAS + NB_PAGES * sizeof(uint64_t)] = { 0 };
	uint8_t out[BF_MANAGE_PAGES_PAS + NB_PAGES * sizeof(uint64_t)];
	struct bf_cmd cmd = { .in = in, .in_len = sizeof(in), .out = out, .out_len = sizeof(out) };
	uint32_t i;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_MANAGE_PAGES);
	bf_set(in, BF_IN_OP_MOD, op_mod);
	bf_set(in, BF_FUNC_FUNCTION_ID, VF_ID);
	bf_set(in, BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES, NB_PAGES);
	for (i = 0; i < NB_PAGES; i++)
		bf_set64(in, BF_MANAGE_PAGES_PAS + 8 * i, pages.iova + i * BF_PAGE_SIZE);
	ret = bf_cmdq_exec(giver.cmdq, BF_CMD_PAGES, &cmd);
	*nb = ret == 0 ? bf_get(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES) : 0;
	return ret;
}

static int
go_on(void *arg __rte_unused, enum bf_cmd_slot slot __rte_unused)
{
	return 0;
}

/* While the VF waits for its pages. */
static int
give(void *arg __rte_unused, enum bf_cmd_slot slot __rte_unused)
{
	uint32_t nb;

	if (given)
		return 0;
	given = true;
	return manage(BF_MANAGE_PAGES_GIVE, &nb);
}

static long
owner_state(const char *key)
{
	const char *p;
	char word[32];

	snprintf(word, sizeof(word), " %s=", key);
	p = test_model_ctl(&model, "owner pf0vf0") == 0 ? strstr(model.answer, word) : NULL;
	return p == NULL ? -1 : strtol(p + strlen(word), NULL, 10);
}

/* Who writes to pages of firmware gets none of them back, and all once they are right. */
static int
test_take_corrupted(void)
{
	uint8_t *byte = (uint8_t *)pages.addr + BF_PAGE_SIZE;
	unsigned int i;
	uint32_t nb;

	TEST_EXPECT(enable(&vf), 0);
	TEST_EXPECT(owner_state("now"), NB_PAGES);
	side_close(&vf);
	TEST_WAIT(test_model_state(&model, "pf0vf0", "connected") == 0, TEST_MS);
	*byte ^= 1;
	for (i = 0; i < 3 * NB_PAGES; i++) {
		TEST_EXPECT(manage(BF_MANAGE_PAGES_TAKE, &nb), -EIO);
		TEST_EXPECT(owner_state("now"), NB_PAGES);
	}
	*byte ^= 1;
	TEST_EXPECT(manage(BF_MANAGE_PAGES_TAKE, &nb), 0);
	TEST_EXPECT(nb, NB_PAGES);
	TEST_EXPECT(owner_state("now"), 0);
	TEST_EXPECT(owner_state("taken"), NB_PAGES);
	return test_log_passed();
}

static int
case_setup(void)
{
	given = false;
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, "pf0,pages=client,flr_ms=1"
		" pf0vf0,boot_pages=4,flr_ms=1 --latency=off"));
	TEST_CALL(side_open(&giver, "pf0", go_on));
	TEST_EXPECT(giver.hw->ops->dma_alloc(giver.hw, NB_PAGES * BF_PAGE_SIZE, BF_PAGE_SIZE,
		&pages), 0);
	TEST_EXPECT(enable(&giver), 0);
	return side_open(&vf, "pf0vf0", give);
}

static void
case_teardown(void)
{
	side_close(&vf);
	if (pages.addr != NULL)
		giver.hw->ops->dma_free(giver.hw, &pages);
	memset(&pages, 0, sizeof(pages));
	side_close(&giver);
	test_model_teardown();
}

static struct unit_test_suite hard_giver_suite = {
	.suite_name = "a client that gives pages for another function",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_take_corrupted),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_hard_giver_autotest, unit_test_suite_runner, &hard_giver_suite);
