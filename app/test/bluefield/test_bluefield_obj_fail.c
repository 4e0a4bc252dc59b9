/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Objects of a function whose firmware fails, wants pages first, or was reset;
 * and objects in large numbers, and from many threads.
 */

#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

#include "bluefield_func_priv.h"
#include "bluefield_prm.h"
#include "bluefield_report.h"
#include "test_bluefield_obj.h"

/* That the suite's time limit for commands is, and what it lasts at most. */
#define NO_ANSWER_NS 600000000ull

/*
 * Firmware that fails
 */

static const struct {
	uint8_t status;
	int error;
} statuses[] = {
	{ 0x1, -EIO }, { 0x2, -EIO }, { 0x3, -EINVAL }, { 0x4, -EIO }, { 0x5, -EINVAL },
	{ 0x6, -EBUSY }, { 0x8, -ENOSPC }, { 0x9, -EBUSY }, { 0xa, -EINVAL }, { 0xf, -ENOSPC },
	{ 0x10, -EINVAL }, { 0x30, -EIO }, { 0x40, -EIO }, { 0x50, -EIO }, { 0x51, -EIO },
	{ 0xff, -EIO },
};

static int
test_bad_status(void)
{
	unsigned int i, j;

	for (i = 0; i < NB_KINDS; i++) {
		for (j = 0; j < RTE_DIM(statuses); j++) {
			TEST_EXPECT(test_model_ctl(&model,
				"fault pf0 cmd opcode=%s count=1 status=%u syndrome=0xbeef",
				obj_kinds[i].create, statuses[j].status), 0);
			TEST_EXPECT(obj_kinds[i].make(&obj_set), statuses[j].error);
		}
		TEST_TRUE(test_log_has(obj_kinds[i].create));
		TEST_TRUE(test_log_has("beef"));
		TEST_EXPECT(obj_kinds[i].make(&obj_set), 0);
	}
	TEST_EXPECT(obj_count(), NB_KINDS);
	return obj_passed_clean();
}

/* What cannot be destroyed is gone for us, and firmware forgets it by a reset. */
static int
test_destroy_fails(void)
{
	long resets = test_model_state(&model, "pf0", "resets");
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	for (i = NB_KINDS; i-- > 0;) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s count=1 status=1",
			obj_kinds[i].destroy), 0);
		obj_kinds[i].end(&obj_set);
		TEST_TRUE(test_log_has(obj_kinds[i].destroy));
	}
	TEST_EXPECT(obj_count(), NB_KINDS);
	TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
	obj_set_destroy(&obj_set);
	obj_func_down();
	TEST_TRUE(test_log_has("objects are left"));
	TEST_TRUE(test_model_state(&model, "pf0", "resets") > resets);
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "objects"), 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	return test_log_passed();
}

/* The same of one that has no memory. */
static int
test_destroy_fails_alone(void)
{
	long resets = test_model_state(&model, "pf0", "resets");

	TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=DEALLOC_PD count=1 status=1"), 0);
	obj_set_destroy(&obj_set);
	obj_func_down();
	TEST_TRUE(test_log_has("objects are left"));
	TEST_TRUE(test_model_state(&model, "pf0", "resets") > resets);
	return test_log_passed();
}

/* One that is in use cannot go, and the model says so. */
static int
test_in_use(void)
{
	TEST_CALL(obj_set_create(&obj_set));
	obj_kinds[KIND_CQ].end(&obj_set);
	TEST_TRUE(test_log_has("DESTROY_CQ"));
	obj_kinds[KIND_PD].end(&obj_set);
	TEST_TRUE(test_log_has("DEALLOC_PD"));
	TEST_EXPECT(obj_count(), NB_KINDS);
	obj_kinds[KIND_QP].end(&obj_set);
	obj_kinds[KIND_SRQ].end(&obj_set);
	obj_kinds[KIND_MKEY].end(&obj_set);
	TEST_EXPECT(obj_count(), 4);
	TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
	return test_log_passed();
}

static int
test_no_answer(void)
{
	unsigned int i, j;
	uint64_t start;

	for (i = 0; i < NB_KINDS; i++) {
		for (j = 0; j < 2; j++) {
			TEST_CALL(obj_set_create(&obj_set));
			if (j == 0)
				obj_kinds[i].end(&obj_set);
			TEST_EXPECT(test_model_ctl(&model,
				"fault pf0 cmd opcode=%s count=1 no-answer",
				j == 0 ? obj_kinds[i].create : obj_kinds[i].destroy), 0);
			start = test_now_ns();
			if (j == 0)
				TEST_EXPECT(obj_kinds[i].make(&obj_set), -ETIMEDOUT);
			else
				obj_kinds[i].end(&obj_set);
			TEST_TRUE(test_now_ns() - start < NO_ANSWER_NS);
			TEST_EXPECT(bf_func_status(obj_func, NULL), -ETIMEDOUT);
			/* all else is refused at once */
			start = test_now_ns();
			TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), -ETIMEDOUT);
			obj_set_destroy(&obj_set);
			TEST_TRUE(test_now_ns() - start < NO_ANSWER_NS);
			TEST_EXPECT(bf_func_reset(obj_func), 0);
			TEST_EXPECT(obj_count(), 0);
		}
	}
	TEST_EXPECT(obj_fatals(), 2 * NB_KINDS);
	return obj_passed_clean();
}

static int
test_garbage(void)
{
	unsigned int i, j;

	for (i = 0; i < NB_KINDS; i++) {
		for (j = 0; j < 8; j++) {
			for (unsigned int k = 0; k < i; k++)
				TEST_EXPECT(obj_kinds[k].make(&obj_set), 0);
			TEST_EXPECT(test_model_ctl(&model,
				"fault pf0 cmd opcode=%s count=1 garbage", obj_kinds[i].create), 0);
			/* it may look like success: then it has a number that is none */
			if (obj_kinds[i].make(&obj_set) == 0) {
				/* and no doorbell page is outside of the BAR */
				TEST_TRUE(i != KIND_UAR || obj_set.uar.obj.id <
					bf_func_hw(obj_func)->bar_size / BF_UAR_SIZE);
				obj_kinds[i].end(&obj_set);
			}
			TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
			obj_set_destroy(&obj_set);
			TEST_EXPECT(bf_func_reset(obj_func), 0);
		}
	}
	return obj_passed_clean();
}

/* A command that does not come to firmware: the device has failed, and says so. */
static int
test_not_delivered(void)
{
	enum bf_fatal fatal;

	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ALLOC_PD count=1 delivery=2"), 0);
	TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), -EIO);
	TEST_EXPECT(bf_func_status(obj_func, &fatal), -EIO);
	TEST_EXPECT(fatal, BF_FATAL_COMMAND);
	TEST_WAIT(obj_fatals() == 1, TEST_MS);
	TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), -EIO);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	return obj_passed_clean();
}

static const struct bf_hw_ops *hw_ops;
static unsigned int nb_freed;
static enum { HONEST, FAILS_SOON, FAILS } spied; /* from the next command on */

static void
spy_dma_free(struct bf_hw *hw, struct bf_dma *dma)
{
	nb_freed += dma->addr != NULL;
	hw_ops->dma_free(hw, dma);
}

static void
spy_write32(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	hw_ops->write32(hw, off, val);
	if (off == BF_REG_CMD_DOORBELL && spied == FAILS_SOON)
		__atomic_store_n(&spied, FAILS, __ATOMIC_RELAXED);
}

static uint32_t
spy_read32(struct bf_hw *hw, uint32_t off)
{
	if ((off == BF_REG_HEALTH_RFR || off == BF_REG_HEALTH_SYND) &&
			__atomic_load_n(&spied, __ATOMIC_RELAXED) == FAILS)
		return BF_ALL_ONES;
	return hw_ops->read32(hw, off);
}

/* It fails while a command is under way, whose memory may be used until the next reset. */
static int
test_fails_meanwhile(void)
{
	struct bf_hw *hw = bf_func_hw(obj_func);
	static struct bf_hw_ops spy;
	unsigned int freed;
	int ret;

	TEST_CALL(obj_set_create(&obj_set));
	obj_kinds[KIND_QP].end(&obj_set);
	hw_ops = hw->ops;
	spy = *hw_ops;
	spy.dma_free = spy_dma_free;
	spy.write32 = spy_write32;
	spy.read32 = spy_read32;
	spied = FAILS_SOON;
	nb_freed = 0;
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=CREATE_QP count=1 no-answer"), 0);
	__atomic_store_n(&hw->ops, &spy, __ATOMIC_RELEASE);
	ret = obj_kinds[KIND_QP].make(&obj_set);
	freed = nb_freed;
	__atomic_store_n(&spied, HONEST, __ATOMIC_RELAXED);
	TEST_EXPECT(ret, -EIO);
	TEST_EXPECT(freed, 0);
	TEST_WAIT(obj_fatals() == 1, TEST_MS);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_TRUE(nb_freed != 0);
	__atomic_store_n(&hw->ops, hw_ops, __ATOMIC_RELEASE);
	return obj_passed_clean();
}

static unsigned int nb_looks;
static pthread_t looker;

/* The worker looks as well, by itself. */
static uint32_t
count_read32(struct bf_hw *hw, uint32_t off)
{
	if (off == BF_REG_HEALTH_FW_VER && pthread_equal(pthread_self(), looker))
		nb_looks++;
	return hw_ops->read32(hw, off);
}

/* While a command lasts, registers are looked at from time to time, and not all the time. */
static int
test_looks_meanwhile(void)
{
	struct bf_hw *hw = bf_func_hw(obj_func);
	static struct bf_hw_ops spy;
	uint64_t ms;
	int ret;

	hw_ops = hw->ops;
	spy = *hw_ops;
	spy.read32 = count_read32;
	looker = pthread_self();
	nb_looks = 0;
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ALLOC_PD count=1 delay=500"), 0);
	__atomic_store_n(&hw->ops, &spy, __ATOMIC_RELEASE);
	ms = test_now_ns() / 1000000;
	ret = obj_kinds[KIND_PD].make(&obj_set);
	ms = test_now_ns() / 1000000 - ms;
	__atomic_store_n(&hw->ops, hw_ops, __ATOMIC_RELEASE);
	TEST_EXPECT(ret, 0);
	TEST_ASSERT(nb_looks >= 2 && nb_looks <= ms / BF_WATCH_MS + 1, "%u in %" PRIu64 " ms",
		nb_looks, ms);
	return obj_passed_clean();
}

/*
 * Pages
 */

static int
test_page_request(void)
{
	long given;
	unsigned int i;

	for (i = 0; i < NB_KINDS; i++) {
		given = test_model_state(&model, "pf0", "given");
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=%s count=1 page-request=16", obj_kinds[i].create), 0);
		TEST_EXPECT(obj_kinds[i].make(&obj_set), 0);
		TEST_EXPECT(test_model_state(&model, "pf0", "given"), given + 16);
	}
	for (i = NB_KINDS; i-- > 0;) {
		given = test_model_state(&model, "pf0", "given");
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=%s count=1 page-request=600",
			obj_kinds[i].destroy), 0);
		obj_kinds[i].end(&obj_set);
		TEST_EXPECT(test_model_state(&model, "pf0", "given"), given + 600);
	}
	return obj_passed_clean();
}

/* Pages that we cannot give: the command fails, and nothing else does. */
static int
test_page_request_refused(void)
{
	long given;
	unsigned int i;

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	TEST_CALL(obj_func_up("pf0", 0, 100));
	given = test_model_state(&model, "pf0", "given");
	for (i = 0; i < NB_KINDS; i++) {
		TEST_EXPECT(test_model_ctl(&model,
			"fault pf0 cmd opcode=%s count=1 page-request=1000",
			obj_kinds[i].create), 0);
		TEST_EXPECT(obj_kinds[i].make(&obj_set), -ENOSPC);
		TEST_TRUE(test_log_has("max_pages"));
		TEST_EXPECT(obj_kinds[i].make(&obj_set), 0);
		TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
	}
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), given);
	return obj_passed_clean();
}

/*
 * Life
 */

static int
test_voided(void)
{
	struct bf_qp_path path = obj_path;
	struct obj_qp_info info;
	struct set old, mixed;
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_EXPECT(obj_count(), 0);
	old = obj_set;
	memset(&obj_set, 0, sizeof(obj_set));
	/* new ones have the same numbers: those of the old are not to reach them */
	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(old.qp.obj.id, obj_set.qp.obj.id);
	TEST_EXPECT(bf_qp_to_init(&old.qp), -ESTALE);
	TEST_EXPECT(bf_qp_to_rtr(&old.qp, &path), -ESTALE);
	TEST_EXPECT(bf_qp_to_rts(&old.qp, &path), -ESTALE);
	TEST_EXPECT(bf_qp_to_error(&old.qp), -ESTALE);
	TEST_EXPECT(bf_qp_to_reset(&old.qp), -ESTALE);
	TEST_EXPECT(obj_qp_query(&old.qp, &info), -ESTALE);
	TEST_EXPECT(bf_mkey_destroy(&old.mkey), 0);
	/* nor can new ones be made of them */
	memset(&mixed, 0, sizeof(mixed));
	mixed.pd = old.pd;
	mixed.uar = old.uar;
	mixed.mem = old.mem;
	for (i = KIND_CEQ; i < KIND_QP; i++)
		TEST_EXPECT(obj_kinds[i].make(&mixed), -ESTALE);
	mixed.cq = old.cq;
	mixed.srq = old.srq;
	TEST_EXPECT(obj_kinds[KIND_QP].make(&mixed), -ESTALE);
	/* its memory was not taken away while it was there */
	memset(old.cq.ring, 0, 64 * 64);
	obj_set_destroy(&old);
	TEST_EXPECT(obj_count(), NB_KINDS);
	TEST_EXPECT(obj_qp_query(&obj_set.qp, &info), 0);
	return obj_passed_clean();
}

/* After a failure no command is sent any more; the memory waits for the reset. */
static int
test_after_failure(void)
{
	struct bf_func_stats before, after;
	struct obj_qp_info info;
	enum bf_fatal fatal;

	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 health synd=1"), 0);
	TEST_WAIT(bf_func_status(obj_func, NULL) != 0, TEST_MS);
	TEST_EXPECT(bf_func_status(obj_func, NULL), -EIO);
	/* what is found after the first reason is neither said nor told */
	bf_fatal_set(obj_func, BF_FATAL_GONE, -ENODEV);
	TEST_EXPECT(bf_func_status(obj_func, &fatal), -EIO);
	TEST_EXPECT(fatal, BF_FATAL_FIRMWARE);
	TEST_EXPECT(test_log_count("the function has failed"), 1);
	bf_func_stats(obj_func, &before);
	TEST_EXPECT(obj_qp_query(&obj_set.qp, &info), -EIO);
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), -EIO);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), -EIO);
	obj_set_destroy(&obj_set);
	bf_func_stats(obj_func, &after);
	TEST_EXPECT(after.cmds, before.cmds);
	TEST_WAIT(obj_fatals() == 1, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_CALL(obj_set_create(&obj_set));
	return obj_passed_clean();
}

/* The same, but the function is destroyed and the card is gone. */
static int
test_after_removal(void)
{
	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(test_model_ctl(&model, "unplug pf0"), 0);
	TEST_WAIT(bf_func_status(obj_func, NULL) == -ENODEV, TEST_MS);
	TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), -ENODEV);
	obj_set_destroy(&obj_set);
	TEST_EXPECT(bf_func_reset(obj_func), -ENODEV);
	obj_func_down();
	return test_log_passed();
}

/* The device goes between two reads of one look: the next are all ones. */
static bool half_gone;
static uint32_t (*real_read32)(struct bf_hw *hw, uint32_t off);

static uint32_t
half_gone_read32(struct bf_hw *hw, uint32_t off)
{
	if (off == BF_REG_HEALTH_RFR)
		__atomic_store_n(&half_gone, true, __ATOMIC_RELAXED);
	return __atomic_load_n(&half_gone, __ATOMIC_RELAXED) ? BF_ALL_ONES : real_read32(hw, off);
}

static int
test_gone_between_reads(void)
{
	struct bf_hw *hw = bf_func_hw(obj_func);
	const struct bf_hw_ops *real = hw->ops;
	static struct bf_hw_ops ops;
	enum bf_fatal fatal;

	ops = *real;
	real_read32 = ops.read32;
	ops.read32 = half_gone_read32;
	half_gone = false;
	__atomic_store_n(&hw->ops, &ops, __ATOMIC_RELEASE);
	TEST_WAIT(obj_fatals() == 1, TEST_MS);
	__atomic_store_n(&hw->ops, real, __ATOMIC_RELEASE);
	TEST_EXPECT(bf_func_status(obj_func, &fatal), -ENODEV);
	TEST_EXPECT(fatal, BF_FATAL_GONE);
	TEST_TRUE(!test_log_has("firmware health"));
	return test_log_passed();
}

static int
test_thousand(void)
{
	unsigned int fds = 0, maps = 0, i;
	uint64_t kb = 0;

	for (i = 0; i < 1000; i++) {
		TEST_CALL(obj_set_create(&obj_set));
		obj_set_destroy(&obj_set);
		if (i == 100) {
			fds = test_fds_most();
			maps = test_count_maps();
			kb = test_private_kb();
		}
	}
	TEST_EXPECT(obj_count(), 0);
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	TEST_EXPECT(test_count_maps(), maps);
	if (!TEST_ASAN)
		TEST_ASSERT(test_private_kb() < kb + 1024, "%" PRIu64 " KiB, were %" PRIu64,
			test_private_kb(), kb);
	return obj_passed_clean();
}

static void *
make_and_end(void *arg)
{
	struct set *s = arg;
	unsigned int i;
	int ret;

	for (i = 0; i < 50; i++) {
		ret = obj_set_create(s);
		obj_set_destroy(s);
		if (ret != TEST_SUCCESS)
			return s;
	}
	return NULL;
}

/* Any thread may, and firmware asks for pages meanwhile. */
static int
test_threads(void)
{
	static struct set sets[4];
	pthread_t threads[RTE_DIM(sets)];
	void *failed = NULL, *ret;
	unsigned int i;

	memset(sets, 0, sizeof(sets));
	for (i = 0; i < RTE_DIM(sets); i++)
		TEST_EXPECT(pthread_create(&threads[i], NULL, make_and_end, &sets[i]), 0);
	for (i = 0; i < 20; i++) {
		test_model_ctl(&model, "fault pf0 pages wanted=10");
		usleep(2000);
		test_model_ctl(&model, "fault pf0 pages wanted=-10");
		usleep(2000);
	}
	for (i = 0; i < RTE_DIM(sets); i++) {
		pthread_join(threads[i], &ret);
		if (ret != NULL)
			failed = ret;
	}
	TEST_TRUE(failed == NULL);
	return obj_passed_clean();
}

/*
 * An event queue of a report: firmware may yet make the one that it was told of, so
 * its memory is not free.
 */
static int
test_no_event_queue(void)
{
	char sock[PATH_MAX + 16], path[PATH_MAX + 16];
	struct bf_func_conf conf;
	struct bf_hw_ops spy;
	struct bf_func *func;
	struct bf_hw *hw;
	unsigned int freed;
	int fault, ret;

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	snprintf(sock, sizeof(sock), "%s/pf0.sock", model.dir);
	snprintf(path, sizeof(path), "%s/report", model.dir);
	TEST_EXPECT(bf_hw_vfu_open("test", sock, 5000, &hw), 0);
	hw_ops = hw->ops;
	spy = *hw_ops;
	spy.dma_free = spy_dma_free;
	hw->ops = &spy;
	bf_func_conf_init(&conf);
	conf.cmd_timeout_ms = 500;
	ret = bf_report_open(hw, path);
	if (ret != 0)
		hw->ops->close(hw);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(bf_func_create(hw, &conf, &func), 0);
	fault = test_model_ctl(&model, "fault pf0 cmd opcode=CREATE_EQ count=1 no-answer");
	nb_freed = 0;
	ret = bf_report_try(func);
	freed = nb_freed;
	bf_func_destroy(func);
	unlink(path);
	TEST_EXPECT(fault, 0);
	TEST_EXPECT(ret, -ETIMEDOUT);
	TEST_EXPECT(freed, 0);
	return test_log_passed();
}

static unsigned int nb_told, nb_passes;

static void
count_told(void *arg __rte_unused, enum bf_fatal fatal __rte_unused, int reason __rte_unused)
{
	__atomic_fetch_add(&nb_told, 1, __ATOMIC_RELAXED);
}

static void
count_pass(void *arg __rte_unused)
{
	__atomic_fetch_add(&nb_passes, 1, __ATOMIC_RELEASE);
}

/* It is found to have failed, and the worker has time for that before the bring-up goes on. */
static int
fail_irq_enable(struct bf_hw *hw, void (*cb)(void *arg), void *arg)
{
	uint64_t end = test_now_ns() + TEST_MS * UINT64_C(1000000);
	int ret = hw_ops->irq_enable(hw, cb, arg);

	bf_fatal_set(arg, BF_FATAL_FIRMWARE, -EIO);
	/*
	 * A pass tells of a failure behind what counts it. So the first one that is counted from
	 * here on has the failure to tell of, and has ended when the second one is counted.
	 */
	__atomic_store_n(&nb_passes, 0, __ATOMIC_RELEASE);
	while (__atomic_load_n(&nb_passes, __ATOMIC_ACQUIRE) < 2 && test_now_ns() < end) {
		cb(arg);
		usleep(100);
	}
	return ret;
}

/* A failure of the bring-up is what it returns, and nothing else tells of it. */
static int
test_fails_in_bring_up(void)
{
	static struct bf_hw_ops spy;
	struct bf_func_conf conf;
	struct bf_func *func;
	char sock[PATH_MAX + 16];
	struct bf_hw *hw;

	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	snprintf(sock, sizeof(sock), "%s/pf0.sock", model.dir);
	bf_func_conf_init(&conf);
	conf.fatal_cb = count_told;
	conf.wake_cb = count_pass;
	nb_told = nb_passes = 0;
	TEST_EXPECT(bf_hw_vfu_open("pf0", sock, TEST_MS, &hw), 0);
	hw_ops = hw->ops;
	spy = *hw_ops;
	spy.irq_enable = fail_irq_enable;
	hw->ops = &spy;
	TEST_EXPECT(bf_func_create(hw, &conf, &func), -EIO);
	TEST_TRUE(nb_passes >= 2);
	TEST_EXPECT(nb_told, 0);
	TEST_TRUE(test_log_has("the function has failed"));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "objects of BlueField functions that fail",
	.unit_test_cases = {
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_bad_status),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_destroy_fails),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_destroy_fails_alone),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_in_use),
		TEST_CASE_ST(obj_case_setup_short, obj_case_teardown, test_no_answer),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_garbage),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_not_delivered),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_fails_meanwhile),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_looks_meanwhile),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_page_request),
		TEST_CASE_ST(NULL, obj_case_teardown, test_page_request_refused),
		TEST_CASE_ST(NULL, obj_case_teardown, test_no_event_queue),
		TEST_CASE_ST(NULL, obj_case_teardown, test_fails_in_bring_up),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_voided),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_after_failure),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_after_removal),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_gone_between_reads),
		TEST_CASE_ST(obj_case_setup_quick, obj_case_teardown, test_thousand),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_threads),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_obj_fail_autotest, unit_test_suite_runner, &suite);
