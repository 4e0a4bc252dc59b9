/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The semaphore of firmware resets of a device that lies: its list of capabilities,
 * its counter, its lock. The device is a page of configuration space.
 */

#include <errno.h>
#include <string.h>

#include <linux/pci_regs.h>

#include <rte_bitops.h>

#include "bluefield_vsc.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define VSC_OFF 0x40u
#define VSC_COUNTER 0x08u
#define VSC_LOCK 0x0cu
#define VSC_ADDR 0x10u
#define VSC_DATA 0x14u
#define SPACE_OK RTE_BIT32(29)

static struct {
	uint32_t words[64];
	uint32_t sem;
	uint32_t counter;   /* what the counter reads, and then one more unless it stands */
	bool counter_stands;
	bool gone;
	unsigned int reads;
} card;

static int
card_read(struct bf_hw *hw __rte_unused, uint32_t off, uint32_t *val)
{
	TEST_TRUE(off % 4 == 0 && off < sizeof(card.words));
	card.reads++;
	if (off == VSC_OFF + VSC_COUNTER) {
		card.words[off / 4] = card.counter;
		card.counter += !card.counter_stands;
	}
	*val = card.gone ? UINT32_MAX : card.words[off / 4];
	return 0;
}

static int
card_write(struct bf_hw *hw __rte_unused, uint32_t off, uint32_t val)
{
	uint32_t *data = &card.words[(VSC_OFF + VSC_DATA) / 4];

	TEST_TRUE(off % 4 == 0 && off < sizeof(card.words));
	if (off == VSC_OFF + 4)
		val |= SPACE_OK;
	if (off == VSC_OFF + VSC_ADDR) {
		if ((val & RTE_BIT32(31)) == 0)
			*data = card.sem;
		else if (*data == 0 || card.sem == 0)
			card.sem = *data;
		val ^= RTE_BIT32(31);
	}
	card.words[off / 4] = val;
	return 0;
}

static const struct bf_hw_ops card_ops = {
	.config_read32 = card_read,
	.config_write32 = card_write,
};

static struct bf_hw hw = { .name = "card", .ops = &card_ops };

static int
case_setup(void)
{
	memset(&card, 0, sizeof(card));
	card.counter = 0x100;
	card.words[PCI_CAPABILITY_LIST / 4] = VSC_OFF;
	card.words[VSC_OFF / 4] = PCI_CAP_ID_VNDR;
	return test_log_begin() == 0 ? TEST_SUCCESS : TEST_FAILED;
}

static void
case_teardown(void)
{
	test_log_end();
}

static int
test_honest(void)
{
	TEST_EXPECT(bf_vsc_reset_lock(&hw), 0);
	TEST_TRUE(card.sem != 0);
	TEST_EXPECT(card.words[(VSC_OFF + VSC_LOCK) / 4], 0);
	bf_vsc_reset_unlock(&hw);
	TEST_EXPECT(card.sem, 0);
	card.sem = 0x77;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	TEST_EXPECT(card.sem, 0x77);
	return test_log_passed();
}

/* A counter of 0 is no number to take anything with: it gives back what others have. */
static int
test_counter_zero(void)
{
	card.counter = 0;
	card.counter_stands = true;
	card.sem = 0x77;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EIO);
	TEST_EXPECT(card.sem, 0x77);
	TEST_EXPECT(card.words[(VSC_OFF + VSC_LOCK) / 4], 0);
	/* it wraps around */
	card.counter_stands = false;
	card.counter = UINT32_MAX;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	TEST_EXPECT(card.sem, 0x77);
	return test_log_passed();
}

static int
test_lists(void)
{
	/* to itself, without the capability */
	card.words[VSC_OFF / 4] = PCI_CAP_ID_PM | VSC_OFF << 8;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	TEST_TRUE(card.reads < 100);
	/* into the header */
	card.words[VSC_OFF / 4] = PCI_CAP_ID_PM | 0x3cu << 8;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	/* at the very end: what it has would be beyond */
	card.words[PCI_CAPABILITY_LIST / 4] = 0xfc;
	card.words[0xfc / 4] = PCI_CAP_ID_VNDR;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	card.gone = true;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENODEV);
	return test_log_passed();
}

static struct unit_test_suite hard_vsc_suite = {
	.suite_name = "the semaphore of firmware resets",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_honest),
		TEST_CASE_ST(case_setup, case_teardown, test_counter_zero),
		TEST_CASE_ST(case_setup, case_teardown, test_lists),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_hard_vsc_autotest, unit_test_suite_runner, &hard_vsc_suite);
