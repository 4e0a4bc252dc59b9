/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The semaphore of firmware resets of a device that lies: its list of capabilities,
 * its counter, its lock; resets of firmware that has failed, and a counter of its health
 * that stands. The device is a page of configuration space, and registers.
 */

#include <errno.h>
#include <string.h>

#include <linux/pci_regs.h>

#include <rte_bitops.h>

#include "bluefield_func_priv.h" /* check-ok: its layers are tested */
#include "bluefield_vsc.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define VSC_OFF 0x40u
#define VSC_CTRL 0x04u
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
	unsigned int calls; /* of the configuration space */
	unsigned int last;  /* of them that goes well; 0: each */
	int error;          /* of those behind it; 0: they read all ones */
	bool once;          /* of the one behind it only */
	bool stuck;         /* no operation ends */
	bool slow;          /* each ends when it is looked at for the third time */
	unsigned int looks; /* until then */
	bool no_space;      /* of semaphores */
	uint32_t locked_by; /* whatever is written; 0: by who writes */
	uint32_t writes;
	uint32_t regs[BF_REG_END / 4];
	uint32_t ones_at;   /* this register reads all ones */
	unsigned int ones;  /* so often */
	uint32_t state;     /* that was written to the interface */
	bool heals;         /* while the semaphore is taken */
	unsigned int resets;
} card;

static int
card_call(void)
{
	if (card.last == 0 || ++card.calls <= card.last ||
			(card.once && card.calls != card.last + 1))
		return 0;
	card.gone = card.error == 0;
	return card.error;
}

/* What was written to the address is done. */
static void
card_end(void)
{
	uint32_t *data = &card.words[(VSC_OFF + VSC_DATA) / 4];
	uint32_t *addr = &card.words[(VSC_OFF + VSC_ADDR) / 4];

	if ((*addr & RTE_BIT32(31)) == 0)
		*data = card.sem;
	else if (*data == 0 || card.sem == 0)
		card.sem = *data;
	*addr ^= RTE_BIT32(31);
}

static int
card_read(struct bf_hw *hw __rte_unused, uint32_t off, uint32_t *val)
{
	int ret = card_call();

	TEST_TRUE(off % 4 == 0 && off < sizeof(card.words));
	card.reads++;
	if (ret != 0)
		return ret;
	if (off == VSC_OFF + VSC_COUNTER) {
		card.words[off / 4] = card.counter;
		card.counter += !card.counter_stands;
	}
	if (off == VSC_OFF + VSC_ADDR && card.looks != 0 && --card.looks == 0)
		card_end();
	*val = card.gone ? UINT32_MAX : card.words[off / 4];
	return 0;
}

static int
card_write(struct bf_hw *hw __rte_unused, uint32_t off, uint32_t val)
{
	int ret = card_call();

	TEST_TRUE(off % 4 == 0 && off < sizeof(card.words));
	if (ret != 0 || card.gone)
		return ret;
	card.writes++;
	if (off == VSC_OFF + VSC_CTRL && !card.no_space)
		val |= SPACE_OK;
	if (off == VSC_OFF + VSC_LOCK && val != 0 && card.locked_by != 0)
		val = card.locked_by;
	card.words[off / 4] = val;
	if (off != VSC_OFF + VSC_ADDR)
		return 0;
	if (card.heals)
		card.regs[BF_REG_HEALTH_RFR / 4] = 0;
	card.looks = card.slow ? 3 : 0;
	if (!card.slow && !card.stuck)
		card_end();
	return 0;
}

static uint32_t
card_read32(struct bf_hw *hw __rte_unused, uint32_t off)
{
	if (off == card.ones_at && card.ones != 0) {
		card.ones--;
		return UINT32_MAX;
	}
	return card.regs[off / 4];
}

static void
card_write32(struct bf_hw *hw __rte_unused, uint32_t off, uint32_t val)
{
	if (off == BF_REG_CMDQ_ADDR_L)
		card.state = BF_NIC_STATE(val);
}

static int
card_reset(struct bf_hw *hw __rte_unused)
{
	card.resets++;
	return card.error;
}

static const struct bf_hw_ops card_ops = {
	.read32 = card_read32,
	.write32 = card_write32,
	.reset = card_reset,
	.config_read32 = card_read,
	.config_write32 = card_write,
};

static struct bf_hw hw = { .name = "card", .ops = &card_ops };

static void
case_clear(void)
{
	memset(&card, 0, sizeof(card));
	card.counter = 0x100;
	card.words[PCI_CAPABILITY_LIST / 4] = VSC_OFF;
	card.words[VSC_OFF / 4] = PCI_CAP_ID_VNDR;
}

static int
case_setup(void)
{
	case_clear();
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
	/* where there may be anything, which is not ours to write */
	card.words[0x3c / 4] = PCI_CAP_ID_VNDR;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	TEST_EXPECT(card.writes, 0);
	/* at the very end: what it has would be beyond */
	card.words[PCI_CAPABILITY_LIST / 4] = 0xfc;
	card.words[0xfc / 4] = PCI_CAP_ID_VNDR;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	card.gone = true;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENODEV);
	return test_log_passed();
}

/* It goes, or its bus fails, at each access: that is found, nothing is taken for a number. */
static int
gone_at_each(int error, bool once)
{
	unsigned int last;
	int ret;

	for (last = 1; last < 100; last++) {
		case_clear();
		card.last = last;
		card.error = error;
		card.once = once;
		ret = bf_vsc_reset_lock(&hw);
		if (card.calls <= last)
			break;
		/* ones are no number of ours; what gives the window back is not looked at */
		TEST_ASSERT(ret == 0 ? card.calls == last + 1 : error != 0 ? ret == error :
			ret == -ENODEV || (ret == -EBUSY && last > 2), "access %u: %d", last + 1,
			ret);
	}
	TEST_TRUE(last > 10 && last < 100);
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

static int
test_gone_at_each(int error)
{
	TEST_CALL(gone_at_each(error, false));
	if (error != 0)
		TEST_CALL(gone_at_each(error, true));
	return test_log_passed();
}

/* A space that it does not have, a lock that is another's, operations that do not end. */
static int
test_refusals(void)
{
	card.no_space = true;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -ENOTSUP);
	TEST_TRUE(card.sem == 0 && card.words[(VSC_OFF + VSC_LOCK) / 4] == 0);
	card.no_space = false;
	card.locked_by = 0x99;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	TEST_TRUE(card.sem == 0 && card.words[(VSC_OFF + VSC_LOCK) / 4] == 0x99);
	card.locked_by = 0;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	card.words[(VSC_OFF + VSC_LOCK) / 4] = 0;
	card.stuck = true;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	TEST_EXPECT(card.words[(VSC_OFF + VSC_LOCK) / 4], 0);
	bf_vsc_reset_unlock(&hw);
	TEST_TRUE(test_log_has("cannot be given back"));
	return test_log_passed();
}

/* Operations take a while: until they end, what is in the window is our own number. */
static int
test_takes_a_while(void)
{
	card.slow = true;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), 0);
	TEST_TRUE(card.sem != 0);
	card.sem = 0x77;
	TEST_EXPECT(bf_vsc_reset_lock(&hw), -EBUSY);
	TEST_EXPECT(card.sem, 0x77);
	TEST_EXPECT(card.words[(VSC_OFF + VSC_LOCK) / 4], 0);
	return test_log_passed();
}

/* Firmware that has failed, and stays so. */
static void
card_failed(uint32_t initializing)
{
	case_clear();
	card.regs[BF_REG_HEALTH_RFR / 4] = RTE_BIT32(31);
	card.regs[BF_REG_HEALTH_SYND / 4] = 0x10 << 16;
	card.regs[BF_REG_INITIALIZING / 4] = initializing;
}

/* Who resets it, who has to wait, and what is said if that does not help. */
static int
test_failed_firmware(void)
{
	struct bf_func func = { .hw = &hw, .conf.fw_timeout_ms = 20 };

	card_failed(0);
	TEST_EXPECT(bf_ready(&func), -EIO);
	TEST_TRUE(test_log_has("does not let itself be reset"));
	TEST_TRUE(card.state == 0 && card.writes == 0);
	/* by us, with the semaphore, which is given back */
	card_failed(BF_FW_CAN_RESET);
	TEST_EXPECT(bf_ready(&func), -EIO);
	TEST_TRUE(test_log_has("its reset by us does not end"));
	TEST_TRUE(card.state == BF_NIC_SW_RESET && card.sem == 0);
	/* by who has that */
	card_failed(BF_FW_CAN_RESET);
	card.sem = 0x77;
	TEST_EXPECT(bf_ready(&func), -EAGAIN);
	TEST_TRUE(test_log_has("another function of the card resets it"));
	TEST_TRUE(test_log_has("its reset by another function does not end"));
	TEST_TRUE(card.state == 0 && card.sem == 0x77);
	/* there is none */
	card_failed(BF_FW_CAN_RESET);
	card.words[PCI_CAPABILITY_LIST / 4] = 0;
	TEST_EXPECT(bf_ready(&func), -EIO);
	TEST_TRUE(test_log_has("resetting without"));
	TEST_EXPECT(card.state, BF_NIC_SW_RESET);
	/* one that is under way is nobody's to ask for again */
	card_failed(BF_FW_CAN_RESET);
	card.regs[BF_REG_CMDQ_ADDR_L / 4] = BF_NIC_SW_RESET << 8;
	TEST_EXPECT(bf_ready(&func), -EIO);
	TEST_EXPECT(card.state, 0);
	/* nor is it when another one was faster */
	card_failed(BF_FW_CAN_RESET);
	card.heals = true;
	TEST_EXPECT(bf_ready(&func), 0);
	TEST_TRUE(card.state == 0 && card.sem == 0);
	/* that it says that it initialises does not matter while it has failed */
	card_failed(BF_FW_CAN_RESET | BF_FW_INITIALIZING);
	TEST_EXPECT(bf_ready(&func), -EIO);
	TEST_EXPECT(card.state, BF_NIC_SW_RESET);
	/* and does when it has not any more */
	card_failed(BF_FW_CAN_RESET | BF_FW_INITIALIZING);
	card.heals = true;
	TEST_EXPECT(bf_ready(&func), -EAGAIN);
	TEST_EXPECT(card.state, 0);
	card_failed(BF_FW_CAN_RESET);
	card.gone = true;
	TEST_EXPECT(bf_ready(&func), -ENODEV);
	TEST_TRUE(test_log_has("the device is gone"));
	TEST_EXPECT(card.state, 0);
	return test_log_passed();
}

/* A software reset without a failure: the function is reset, if it can be. */
static int
test_endless_reset(void)
{
	struct bf_func func = { .hw = &hw, .conf.fw_timeout_ms = 20 };

	card.regs[BF_REG_CMDQ_ADDR_L / 4] = BF_NIC_SW_RESET << 8;
	card.error = -EBUSY;
	TEST_EXPECT(bf_ready(&func), -EBUSY);
	TEST_TRUE(test_log_has("cannot reset the function"));
	card.error = 0;
	TEST_EXPECT(bf_ready(&func), 0);
	TEST_EXPECT(card.resets, 2);
	/* nobody knows yet whether it has an end while firmware initialises */
	card.regs[BF_REG_INITIALIZING / 4] = BF_FW_INITIALIZING;
	TEST_EXPECT(bf_ready(&func), -EAGAIN);
	TEST_EXPECT(card.resets, 2);
	return test_log_passed();
}

/* Ones that last for a moment are of a reset of the card, which is not gone. */
static int
test_ones(void)
{
	static const uint32_t regs[] = { BF_REG_INITIALIZING, BF_REG_CMDQ_ADDR_L };
	struct bf_func func = { .hw = &hw, .conf.fw_timeout_ms = 20 };
	unsigned int i;

	for (i = 0; i < RTE_DIM(regs); i++) {
		card.ones_at = regs[i];
		card.ones = 3;
		TEST_EXPECT(bf_ready(&func), 0);
		TEST_TRUE(card.ones == 0 && card.resets == 0);
	}
	return test_log_passed();
}

/* A look at the counter, which has stood for so long. */
static void
look_after(struct bf_func *func, uint64_t ms)
{
	func->health.moved_ms = bf_now_ms() - ms;
	bf_health_poll(func);
}

/* A counter stands when it has for three looks, and three seconds; that is said once. */
static int
test_counter(void)
{
	struct bf_func func = { .hw = &hw, .conf.health_ms = 10 };
	unsigned int i;

	for (i = 1; i <= 2; i++) {
		look_after(&func, 5000);
		look_after(&func, 5000);
		TEST_EXPECT(test_log_count("health counter stands"), i - 1);
		look_after(&func, 1000);
		TEST_EXPECT(test_log_count("health counter stands"), i - 1);
		look_after(&func, 5000);
		look_after(&func, 6000);
		TEST_EXPECT(test_log_count("health counter stands"), i);
		/* any other number will do */
		card.regs[BF_REG_HEALTH_COUNTER / 4] = 2 - i;
		look_after(&func, 7000);
		TEST_EXPECT(test_log_count("moves again"), i);
		card.regs[BF_REG_HEALTH_COUNTER / 4] = 0x100;
		look_after(&func, 1000);
		TEST_EXPECT(test_log_count("moves again"), i);
	}
	/* of a function that has failed nobody wants to know */
	func.fatal = BF_FATAL_TIMEOUT;
	for (i = 0; i < 4; i++)
		look_after(&func, 5000);
	TEST_EXPECT(test_log_count("health counter stands"), 2);
	return test_log_passed();
}

static struct unit_test_suite hard_vsc_suite = {
	.suite_name = "the semaphore of firmware resets",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_honest),
		TEST_CASE_ST(case_setup, case_teardown, test_counter_zero),
		TEST_CASE_ST(case_setup, case_teardown, test_lists),
		TEST_CASE_ARG(case_setup, case_teardown, "test_gone_at_each", test_gone_at_each, 0),
		TEST_CASE_ARG(case_setup, case_teardown, "test_fails_at_each", test_gone_at_each,
			-EXDEV),
		TEST_CASE_ST(case_setup, case_teardown, test_refusals),
		TEST_CASE_ST(case_setup, case_teardown, test_takes_a_while),
		TEST_CASE_ST(case_setup, case_teardown, test_failed_firmware),
		TEST_CASE_ST(case_setup, case_teardown, test_endless_reset),
		TEST_CASE_ST(case_setup, case_teardown, test_ones),
		TEST_CASE_ST(case_setup, case_teardown, test_counter),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_hard_vsc_autotest, unit_test_suite_runner, &hard_vsc_suite);
