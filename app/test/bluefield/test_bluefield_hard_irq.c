/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * MSI-X as on a card behind a kernel before Linux 6.5: what the first call connects is
 * all that there will be, and interrupts are lost whenever they are off. The numbers in
 * the names of cases are of the points of hardware that they cover.
 */

#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_lcore.h>

#include "bluefield_hw.h"
#include "test_bluefield_obj.h"
#include "vfu_link.h"

/* No health poll comes to help within a case. */
#define NO_HEALTH_MS 60000

static struct bf_hw *hw;
static struct vfu_link raw;
static const struct bf_hw_ops *hw_ops;
static struct bf_hw_ops spy_ops;
static bf_irq_cb_t func_cb;
static void *func_arg;
static unsigned int nb_calls;

static int
case_setup(void)
{
	hw = NULL;
	raw.sock = -1;
	nb_calls = 0;
	return obj_case_setup();
}

static void
case_teardown(void)
{
	if (hw != NULL)
		hw->ops->close(hw);
	if (raw.sock >= 0)
		vfu_link_close(&raw);
	obj_case_teardown();
}

static int
hw_open(const char *function)
{
	char path[PATH_MAX + 16];

	TEST_CALL(test_model_start(&model, function));
	snprintf(path, sizeof(path), "%s/pf0.sock", model.dir);
	TEST_EXPECT(bf_hw_vfu_open("test", path, 5000, &hw), 0);
	return TEST_SUCCESS;
}

static int
spy_irq_enable(struct bf_hw *spied, bf_irq_cb_t cb, void *arg)
{
	func_cb = cb;
	func_arg = arg;
	return hw_ops->irq_enable(spied, cb, arg);
}

/* A function that is up, and whose interrupts the case can switch off and on. */
static int
func_up(const char *function)
{
	struct bf_func_conf conf;
	struct bf_hw *own;

	TEST_CALL(hw_open(function));
	hw_ops = hw->ops;
	spy_ops = *hw_ops;
	spy_ops.irq_enable = spy_irq_enable;
	hw->ops = &spy_ops;
	bf_func_conf_init(&conf);
	conf.fw_timeout_ms = 5000;
	conf.health_ms = NO_HEALTH_MS;
	own = hw;
	hw = NULL;
	TEST_EXPECT(bf_func_create(own, &conf, &obj_func), 0);
	return TEST_SUCCESS;
}

static uint32_t
vectors_expected(uint32_t has)
{
	return RTE_MIN(RTE_MIN(rte_lcore_count() + 1, (unsigned int)VFU_MAX_FDS), has);
}

static int
test_silicon_2_6_first_enable_has_all(void)
{
	TEST_CALL(func_up("pf0,flr_ms=5,msix_fixed=1"));
	TEST_TRUE(vectors_expected(64) > 1);
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs_first"), vectors_expected(64));
	TEST_EXPECT(bf_func_reset(obj_func), 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs"), vectors_expected(64));
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs_grown"), 0);
	return test_log_passed();
}

static int
test_silicon_2_6_few_vectors(void)
{
	long given;

	TEST_CALL(func_up("pf0,flr_ms=5,msix_fixed=1,vectors=1"));
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs_first"), 1);
	TEST_TRUE(test_log_has("has 1 MSI-X vectors"));
	given = test_model_state(&model, "pf0", "given");
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=4"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 4, TEST_MS);
	return test_log_passed();
}

/* The event stays in its queue, and nothing tells of it but the way back on. */
static int
test_silicon_2_6_event_while_off(void)
{
	struct bf_hw *own;
	long given, lost;

	TEST_CALL(func_up("pf0,flr_ms=5,msix_fixed=1"));
	own = bf_func_hw(obj_func);
	given = test_model_state(&model, "pf0", "given");
	lost = test_model_state(&model, "pf0", "irqs_lost");
	own->ops->irq_disable(own);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=4"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "irqs_lost") > lost, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), given);
	TEST_EXPECT(own->ops->irq_enable(own, func_cb, func_arg), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 4, TEST_MS);
	return test_log_passed();
}

static void
count_call(void *arg __rte_unused)
{
	__atomic_fetch_add(&nb_calls, 1, __ATOMIC_RELAXED);
}

/* Each queue is looked at after interrupts came on, with or without a reset. */
static int
test_silicon_2_6_all_look_once(void)
{
	eventfd_t count;
	int fd;

	TEST_CALL(hw_open("pf0,flr_ms=5,msix_fixed=1"));
	TEST_EXPECT(hw->nb_irqs, vectors_expected(64));
	TEST_EXPECT(hw->ops->irq_fd(hw, 0), -1);
	TEST_EXPECT(hw->ops->irq_fd(hw, hw->nb_irqs), -1);
	TEST_EXPECT(hw->ops->irq_enable(hw, count_call, NULL), 0);
	TEST_WAIT(__atomic_load_n(&nb_calls, __ATOMIC_RELAXED) == 1, TEST_MS);
	/* that of events is not given away, and behind the last there is none */
	TEST_EXPECT(hw->ops->irq_fd(hw, 0), -1);
	TEST_EXPECT(hw->ops->irq_fd(hw, hw->nb_irqs), -1);
	TEST_EXPECT(hw->ops->irq_fd(hw, VFU_MAX_FDS), -1);
	fd = hw->ops->irq_fd(hw, 1);
	TEST_TRUE(fd >= 0);
	TEST_EXPECT(eventfd_read(fd, &count), 0);
	TEST_EXPECT(eventfd_read(fd, &count), -1);
	TEST_EXPECT(hw->ops->reset(hw), 0);
	TEST_WAIT(__atomic_load_n(&nb_calls, __ATOMIC_RELAXED) == 2, TEST_MS);
	TEST_EXPECT(eventfd_read(fd, &count), 0);
	hw->ops->irq_disable(hw);
	TEST_EXPECT(hw->ops->irq_enable(hw, count_call, NULL), 0);
	TEST_WAIT(__atomic_load_n(&nb_calls, __ATOMIC_RELAXED) == 3, TEST_MS);
	/* who sleeps on it sleeps on the same one */
	TEST_EXPECT(hw->ops->irq_fd(hw, 1), fd);
	TEST_EXPECT(eventfd_read(fd, &count), 0);
	return test_log_passed();
}

static int
raw_connect(const int *fds, uint32_t nb)
{
	struct vfio_user_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_USER_IRQ_TRIGGER | VFIO_USER_IRQ_DATA_EVENTFD,
		.index = VFIO_USER_IRQ_MSIX,
		.count = nb,
	};
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_SET_IRQS, .head = &set, .head_len = sizeof(set), .fd = -1,
		.fds_out = fds, .nb_fds_out = nb, .timeout_ms = 5000,
	};

	return vfu_link_call(&raw, &call);
}

/* Of the model: it is as hard as such a kernel if it is told to be. */
static int
model_adds_vectors(const char *function, int pending)
{
	char path[PATH_MAX + 16];
	eventfd_t count;
	int fds[2], i;

	TEST_CALL(test_model_start(&model, function));
	snprintf(path, sizeof(path), "%s/pf0.sock", model.dir);
	TEST_EXPECT(vfu_link_open(&raw, "test", path, 5000), 0);
	for (i = 0; i < 2; i++)
		fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	TEST_TRUE(fds[0] >= 0 && fds[1] >= 0);
	TEST_EXPECT(raw_connect(fds, 1), 0);
	TEST_EXPECT(eventfd_write(fds[0], 1), 0);
	/* not more than before: nothing is lost */
	TEST_EXPECT(raw_connect(fds, 1), 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs_grown"), 0);
	TEST_EXPECT(raw_connect(fds, 2), 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "irqs_grown"), 1);
	TEST_EXPECT(eventfd_read(fds[0], &count), pending);
	close(fds[0]);
	close(fds[1]);
	return test_log_passed();
}

static int
test_silicon_2_6_model_loses(void)
{
	return model_adds_vectors("pf0,flr_ms=5,msix_fixed=1", -1);
}

static int
test_silicon_2_6_model_keeps(void)
{
	return model_adds_vectors("pf0,flr_ms=5", 0);
}

static struct unit_test_suite irq_suite = {
	.suite_name = "interrupts of BlueField functions as kernels give them",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_first_enable_has_all),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_few_vectors),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_event_while_off),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_all_look_once),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_model_loses),
		TEST_CASE_ST(case_setup, case_teardown, test_silicon_2_6_model_keeps),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_irq_autotest, unit_test_suite_runner, &irq_suite);
