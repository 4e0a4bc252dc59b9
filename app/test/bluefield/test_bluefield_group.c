/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Poll groups of BlueField devices: who gets which event, how an engine sleeps and is
 * woken, what is left of groups after a reset and at the end. The worker and its jobs are
 * in test_bluefield_life.c.
 */

#include <poll.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_random.h>

#include "test_bluefield_group.h"

static struct rte_comch_pe *pe;
static struct node nodes[3];

static int
setup(void)
{
	pe = NULL;
	TEST_CALL(group_case_setup_dev());
	TEST_EXPECT(group_pe_add(&pe), 0);
	return TEST_SUCCESS;
}

/* An engine that sleeps until its descriptor is readable; true: it is. */
static bool
sleeps(struct rte_comch_pe *engine, int ms)
{
	struct pollfd fd = { .fd = rte_comch_pe_fd(engine), .events = POLLIN };

	return poll(&fd, 1, ms) == 1;
}

/* Arm an engine that has nothing to do any more. */
static int
arm(struct rte_comch_pe *engine)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	do {
		rte_comch_pe_progress(engine);
		ret = rte_comch_pe_arm(engine);
	} while (ret == -EAGAIN && test_now_ns() < end);
	return ret;
}

static int
test_objects(void)
{
	struct rte_comch_dev_info info;
	long base;

	/* a PD, a doorbell page, and what layer fw and cm have */
	base = group_objects();
	TEST_EXPECT(rte_comch_dev_info_get(group_dev_id, &info), 0);
	TEST_EXPECT(info.nb_pes, 1);
	TEST_EXPECT(info.max_pes, bf_func_caps(group_dev->func)->max_eq - 1);
	group_pe_del(pe);
	/* its event queue, and its doorbell page */
	TEST_EXPECT(group_objects(), base - 2);
	TEST_EXPECT(group_pe_add(&pe), 0);
	TEST_EXPECT(group_objects(), base);
	return group_passed_clean();
}

/* Events go to whom their completion queue belongs to, in bursts that wrap the rings. */
static int
test_events(void)
{
	struct bf_group *group = group_of(pe);
	unsigned int i, j;

	for (i = 0; i < RTE_DIM(nodes); i++)
		TEST_CALL(node_create(group, &nodes[i]));
	for (j = 0; j < 100; j++) {
		for (i = 0; i < RTE_DIM(nodes); i++)
			TEST_EXPECT(node_send(&nodes[i]), 0);
		GROUP_TURN(pe, nodes[0].nb_sent > j && nodes[0].nb_received > j &&
			nodes[1].nb_sent > j && nodes[1].nb_received > j &&
			nodes[2].nb_sent > j && nodes[2].nb_received > j);
	}
	for (i = 0; i < RTE_DIM(nodes); i++) {
		TEST_TRUE(nodes[i].nb_sent == 100 && nodes[i].nb_received == 100);
		TEST_EXPECT(nodes[i].nb_errors, 0);
		node_destroy(&nodes[i]);
	}
	return group_passed_clean();
}

/* Nobody gets events of a queue that was taken off, nor any other's. */
static int
test_taken_off(void)
{
	struct bf_group *group = group_of(pe);
	struct bf_idle others[3] = { 0 };
	unsigned int i;

	TEST_CALL(node_create(group, &nodes[0]));
	TEST_CALL(node_create(group, &nodes[1]));
	/* of the same bucket; they would crash if they were called */
	for (i = 0; i < RTE_DIM(others); i++)
		TEST_EXPECT(bf_group_idle_add(group, nodes[0].cq.obj.id ^ (i + 1) << 16 ^ (i + 1),
			&others[i]), 0);
	bf_group_idle_del(group, &nodes[0].idle_queue);
	/* once more is nothing */
	bf_group_idle_del(group, &nodes[0].idle_queue);
	TEST_EXPECT(node_send(&nodes[0]), 0);
	TEST_EXPECT(node_send(&nodes[1]), 0);
	GROUP_TURN(pe, nodes[1].nb_sent == 1 && nodes[1].nb_received == 1);
	rte_delay_us_sleep(20000);
	rte_comch_pe_progress(pe);
	TEST_EXPECT(nodes[0].nb_events, 0);
	for (i = 0; i < RTE_DIM(others); i++)
		bf_group_idle_del(group, &others[i]);
	nodes[0].added = false;
	node_destroy(&nodes[0]);
	node_destroy(&nodes[1]);
	return group_passed_clean();
}

/*
 * One behind another of its bucket: the other still gets its events, which the device may
 * write anew, also if the engine never sleeps.
 */
static int
test_taken_off_behind(void)
{
	struct bf_group *group = group_of(pe);
	struct bf_idle others[3] = { 0 };
	uint32_t cqn, i;

	TEST_CALL(node_create(group, &nodes[0]));
	cqn = nodes[0].cq.obj.id;
	bf_group_idle_del(group, &nodes[0].idle_queue);
	for (i = 0; i < RTE_DIM(others); i++)
		TEST_EXPECT(bf_group_idle_add(group, cqn ^ (i + 1) << 16 ^ (i + 1), &others[i]),
				0);
	TEST_EXPECT(bf_group_idle_add(group, cqn, &nodes[0].idle_queue), 0);
	bf_group_idle_del(group, &others[1]);
	TEST_EXPECT(node_send(&nodes[0]), 0);
	GROUP_TURN(pe, nodes[0].nb_sent == 1 && nodes[0].nb_received == 1);
	TEST_TRUE(group->ceq.ci != 0 && group->ceq.ci_told == group->ceq.ci);
	bf_group_idle_del(group, &others[0]);
	bf_group_idle_del(group, &others[2]);
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

/* Each idle queue has room for its event. */
static int
test_room(void)
{
	static struct bf_idle idle_queues[8192];
	struct bf_group *group = group_of(pe);
	uint32_t i, nb;
	int ret = 0;

	for (nb = 0; nb < RTE_DIM(idle_queues) && ret == 0; nb++)
		ret = bf_group_idle_add(group, 0x10000 + nb, &idle_queues[nb]);
	TEST_EXPECT(ret, -ENOSPC);
	TEST_TRUE(test_log_has("take another engine"));
	TEST_TRUE(--nb >= 4096);
	bf_group_idle_del(group, &idle_queues[0]);
	TEST_EXPECT(bf_group_idle_add(group, 0x10000, &idle_queues[0]), 0);
	for (i = 0; i < nb; i++)
		bf_group_idle_del(group, &idle_queues[i]);
	return group_passed_clean();
}

/*
 * Sleep
 */

/* Nothing wakes it, once what is under way of earlier wake-ups has come. */
static bool
stays_asleep(struct rte_comch_pe *engine)
{
	int i;

	for (i = 0; i < 5; i++)
		if (arm(engine) == 0 && !sleeps(engine, 20))
			return true;
	return false;
}

/* It sleeps, and one message wakes it; whatever lies between. */
static int
wake_by(struct rte_comch_pe *engine, struct node *node, uint32_t rounds)
{
	uint32_t i;

	for (i = 0; i < rounds; i++) {
		if (i < 2)
			TEST_TRUE(stays_asleep(engine));
		else
			TEST_EXPECT(arm(engine), 0);
		TEST_EXPECT(node_send(node), 0);
		TEST_TRUE(sleeps(engine, 5000));
		GROUP_TURN(engine, node->nb_sent > i && node->nb_received > i);
	}
	return TEST_SUCCESS;
}

static int
test_wake(void)
{
	TEST_CALL(node_create(group_of(pe), &nodes[0]));
	TEST_CALL(wake_by(pe, &nodes[0], 50));
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

/* What came before is found by the engine itself, or wakes it at once. */
static int
test_armed_late(void)
{
	unsigned int i;
	int ret;

	TEST_CALL(node_create(group_of(pe), &nodes[0]));
	for (i = 0; i < 50; i++) {
		TEST_EXPECT(node_send(&nodes[0]), 0);
		rte_delay_us_sleep(rte_rand_max(300));
		ret = rte_comch_pe_arm(pe);
		TEST_TRUE(ret == -EAGAIN || (ret == 0 && sleeps(pe, 5000)));
		GROUP_TURN(pe, nodes[0].nb_sent > i && nodes[0].nb_received > i);
	}
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

/* A user that the worker adds while the engine sleeps wakes it by its first completion. */
static int
test_added_asleep(void)
{
	TEST_EXPECT(arm(pe), 0);
	TEST_CALL(node_create(group_of(pe), &nodes[0]));
	TEST_EXPECT(node_send(&nodes[0]), 0);
	TEST_TRUE(sleeps(pe, 5000));
	GROUP_TURN(pe, nodes[0].nb_sent == 1 && nodes[0].nb_received == 1);
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

/* More engines than vectors: it is said, and all of them are woken, and only they. */
static int
test_few_vectors(void)
{
	struct rte_comch_pe *engines[4] = { pe };
	unsigned int i;

	for (i = 1; i < RTE_DIM(engines); i++)
		TEST_EXPECT(group_pe_add(&engines[i]), 0);
	TEST_TRUE(bf_func_hw(group_dev->func)->nb_irqs <= rte_lcore_count() + 1);
	TEST_EXPECT(test_log_count("sriov_vf_msix_count"), 1);
	for (i = 0; i < RTE_DIM(engines); i++) {
		TEST_CALL(node_create(group_of(engines[i]), &nodes[0]));
		TEST_CALL(wake_by(engines[i], &nodes[0], 10));
		node_destroy(&nodes[0]);
	}
	/* a vector that was given back is the next one's */
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	group_pe_del(engines[0]);
	TEST_EXPECT(group_pe_add(&engines[0]), 0);
	TEST_TRUE(!test_log_has("sriov_vf_msix_count"));
	TEST_CALL(node_create(group_of(engines[0]), &nodes[0]));
	TEST_CALL(wake_by(engines[0], &nodes[0], 10));
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

static int
test_few_queues(void)
{
	struct rte_comch_pe *engines[3], *none;
	unsigned int i;

	TEST_CALL(group_case_setup());
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 cap max_num_eqs=4"), 0);
	TEST_CALL(group_dev_add(""));
	TEST_EXPECT(test_dev_info(group_dev_id).max_pes, RTE_DIM(engines));
	for (i = 0; i < RTE_DIM(engines); i++)
		TEST_EXPECT(group_pe_add(&engines[i]), 0);
	TEST_EXPECT(group_pe_add(&none), -ENOSPC);
	TEST_TRUE(test_log_has("firmware has 4 of them") && test_log_has("max_io_eqs"));
	group_pe_del(engines[1]);
	TEST_EXPECT(group_pe_add(&engines[1]), 0);
	return group_passed_clean();
}

/* Each engine has a doorbell page, as long as firmware has some. */
static int
test_doorbell_pages(void)
{
	struct rte_comch_pe *engines[2], *none;
	const struct bf_uar *page;
	unsigned int i;

	TEST_EXPECT(group_pe_add(&engines[0]), 0);
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0vf0 cmd opcode=ALLOC_UAR count=1 status=0xf"), 0);
	TEST_EXPECT(group_pe_add(&engines[1]), 0);
	for (i = 0; i < RTE_DIM(engines); i++) {
		page = group_of(engines[i])->uar;
		TEST_TRUE((page == &group_dev->uar) == (i == 1));
		TEST_TRUE(page != group_of(pe)->uar);
		TEST_TRUE(i == 1 || page->obj.id != group_dev->uar.obj.id);
		TEST_CALL(node_create(group_of(engines[i]), &nodes[0]));
		TEST_CALL(wake_by(engines[i], &nodes[0], 10));
		node_destroy(&nodes[0]);
		group_pe_del(engines[i]);
	}
	/* another failure is one of the engine */
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0vf0 cmd opcode=ALLOC_UAR count=1 status=1"), 0);
	TEST_TRUE(group_pe_add(&none) != 0);
	return group_passed_clean();
}

/*
 * The end
 */

/* The engine goes while the worker still has queues to end: what they need stays. */
static int
test_end_with_users(void)
{
	struct rte_comch_pe *engine;
	long base = group_objects();
	struct bf_group *group;

	TEST_EXPECT(group_pe_add(&engine), 0);
	group = group_of(engine);
	TEST_CALL(node_create(group, &nodes[0]));
	group_pe_del(engine);
	TEST_EXPECT(group_objects(), base + 4);
	TEST_EXPECT(test_dev_info(group_dev_id).nb_pes, 1);
	node_destroy(&nodes[0]);
	TEST_WAIT(group_objects() == base, TEST_MS);
	return group_passed_clean();
}

/* The same, and the device goes before the worker has seen the last of them go. */
static int
test_end_at_removal(void)
{
	struct rte_comch_pe *engine;
	struct bf_group *group;

	TEST_EXPECT(group_pe_add(&engine), 0);
	group = group_of(engine);
	bf_group_hold(group);
	group_pe_del(engine);
	bf_jobs_stop(group_dev);
	bf_group_drop(group);
	return group_passed_clean();
}

/*
 * Reset
 */

static int
test_reset(void)
{
	struct rte_comch_pe *second;
	struct bf_roce_addr addr;
	long base;
	int i;

	TEST_EXPECT(group_pe_add(&second), 0);
	base = group_objects();
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
		TEST_EXPECT(group_objects(), base);
		/* the function has forgotten its address: it has it again */
		TEST_EXPECT(bf_roce_addr_query(group_dev->objs, group_dev->addr_index, &addr), 0);
		TEST_TRUE(memcmp(addr.gid, group_dev->addr.gid, sizeof(addr.gid)) == 0);
		TEST_CALL(node_create(group_of(pe), &nodes[0]));
		TEST_CALL(node_create(group_of(second), &nodes[1]));
		TEST_CALL(wake_by(pe, &nodes[0], 3));
		TEST_CALL(wake_by(second, &nodes[1], 3));
		node_destroy(&nodes[0]);
		node_destroy(&nodes[1]);
	}
	return group_passed_clean();
}

/* Groups of a device that has failed: they begin, they end, and a reset makes them work. */
static int
test_failed(void)
{
	struct rte_comch_pe *second, *third;
	struct bf_vport vport;

	TEST_CALL(group_case_setup());
	TEST_CALL(group_dev_add("cmd_timeout=200"));
	TEST_EXPECT(group_pe_add(&pe), 0);
	TEST_EXPECT(group_pe_add(&second), 0);
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0vf0 cmd opcode=QUERY_NIC_VPORT_CONTEXT count=1 no-answer"), 0);
	TEST_EXPECT(bf_vport_query(group_dev->objs, &vport), -ETIMEDOUT);
	TEST_WAIT(test_dev_status(group_dev_id) != 0, TEST_MS);
	TEST_EXPECT(arm(pe), 0);
	group_pe_del(second);
	TEST_EXPECT(group_pe_add(&third), 0);
	/* who makes a queue on it names a page all the same, and is refused */
	TEST_TRUE(group_of(third)->uar == &group_dev->uar);
	TEST_TRUE(group_of(pe)->uar != NULL);
	rte_comch_pe_progress(third);
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	TEST_CALL(node_create(group_of(third), &nodes[0]));
	TEST_CALL(wake_by(third, &nodes[0], 3));
	node_destroy(&nodes[0]);
	TEST_CALL(node_create(group_of(pe), &nodes[0]));
	TEST_CALL(wake_by(pe, &nodes[0], 3));
	node_destroy(&nodes[0]);
	return group_passed_clean();
}

static struct unit_test_suite suite = {
	.suite_name = "poll groups of BlueField devices",
	.unit_test_cases = {
		TEST_CASE_ST(setup, group_case_teardown, test_objects),
		TEST_CASE_ST(setup, group_case_teardown, test_events),
		TEST_CASE_ST(setup, group_case_teardown, test_taken_off),
		TEST_CASE_ST(setup, group_case_teardown, test_taken_off_behind),
		TEST_CASE_ST(setup, group_case_teardown, test_room),
		TEST_CASE_ST(setup, group_case_teardown, test_wake),
		TEST_CASE_ST(setup, group_case_teardown, test_armed_late),
		TEST_CASE_ST(setup, group_case_teardown, test_added_asleep),
		TEST_CASE_ST(setup, group_case_teardown, test_few_vectors),
		TEST_CASE_ST(setup, group_case_teardown, test_doorbell_pages),
		TEST_CASE_ST(NULL, group_case_teardown, test_few_queues),
		TEST_CASE_ST(setup, group_case_teardown, test_end_with_users),
		TEST_CASE_ST(setup, group_case_teardown, test_end_at_removal),
		TEST_CASE_ST(setup, group_case_teardown, test_reset),
		TEST_CASE_ST(NULL, group_case_teardown, test_failed),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_group_autotest, unit_test_suite_runner, &suite);
