/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands that firmware refuses a BlueField device that talks: on its way up, for an engine,
 * and for memory. Whoever asked is told, nothing is left, and the next time it works.
 */

#include <stdlib.h>

#include <rte_bus_vdev.h>

#include "test_bluefield_group.h"

#define DEV_ARGS "peer=" GROUP_PEER

/* The next of these commands is refused: there are too many objects. */
static int
refuse(const char *cmd)
{
	test_log_drop();
	TEST_EXPECT(test_log_begin(), 0);
	return test_model_ctl(&model, "fault pf0vf0 cmd opcode=%s count=1 status=8", cmd);
}

static int
refused_once(const char *cmd)
{
	TEST_ASSERT(test_log_has(cmd), "%s was not refused", cmd);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 clear"), 0);
	return TEST_SUCCESS;
}

/* There is no device, and the function is given back. */
static int
test_bring_up(void)
{
	static const char *const cmds[] = {
		"MODIFY_NIC_VPORT_CONTEXT", "SET_ROCE_ADDRESS", "ALLOC_PD", "CREATE_MKEY",
		"CREATE_CQ", "CREATE_QP", "RST2INIT_QP", "INIT2RTR_QP", "RTR2RTS_QP",
	};
	uint32_t i;

	for (i = 0; i < RTE_DIM(cmds); i++) {
		TEST_EXPECT(refuse(cmds[i]), 0);
		TEST_ASSERT(test_model_dev_add(&model, "pf0vf0", DEV_ARGS) < 0, "with no %s",
			cmds[i]);
		TEST_CALL(refused_once(cmds[i]));
		TEST_WAIT(test_model_state(&model, "pf0vf0", "connected") == 0, TEST_MS);
		TEST_EXPECT(test_model_state(&model, "pf0vf0", "objects"), 0);
		TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 0);
	}
	TEST_CALL(group_dev_add(""));
	return group_passed_clean();
}

/* The same of a device that is there: its address, which others may have set, and engines. */
static int
test_bring_up_again(void)
{
	struct rte_comch_pe *pe;

	TEST_EXPECT(refuse("QUERY_NIC_VPORT_CONTEXT"), 0);
	TEST_TRUE(bf_addr_up(group_dev) < 0);
	TEST_CALL(refused_once("QUERY_NIC_VPORT_CONTEXT"));
	/* RoCE is on: nobody is asked for it */
	TEST_EXPECT(refuse("MODIFY_NIC_VPORT_CONTEXT"), 0);
	TEST_EXPECT(bf_addr_up(group_dev), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0vf0 clear"), 0);
	TEST_EXPECT(refuse("CREATE_EQ"), 0);
	TEST_TRUE(group_pe_add(&pe) < 0);
	TEST_CALL(refused_once("CREATE_EQ"));
	TEST_EXPECT(group_pe_add(&pe), 0);
	/* nor does it go while an engine has it */
	TEST_TRUE(rte_vdev_uninit(test_dev_info(group_dev_id).name) != 0);
	bf_lock(&group_dev->life);
	bf_groups_stand(group_dev);
	bf_groups_down(group_dev);
	TEST_EXPECT(refuse("CREATE_EQ"), 0);
	TEST_TRUE(bf_groups_up(group_dev) < 0);
	TEST_EXPECT(bf_groups_up(group_dev), 0);
	bf_groups_go(group_dev);
	bf_unlock(&group_dev->life);
	TEST_CALL(refused_once("CREATE_EQ"));
	return group_passed_clean();
}

/* Memory of the driver, of EAL, and of neither, which has another in its place. */
static int
test_memory(void)
{
	uint8_t *bytes = malloc(4096);
	struct rte_comch_mem *mem;
	const long base = group_objects();

	TEST_TRUE(bytes != NULL);
	TEST_EXPECT(refuse("CREATE_MKEY"), 0);
	TEST_TRUE(rte_comch_mem_alloc(group_dev_id, 4096, 0, &mem) < 0);
	TEST_CALL(refused_once("CREATE_MKEY"));
	TEST_EXPECT(refuse("CREATE_MKEY"), 0);
	TEST_TRUE(rte_comch_mem_register(group_dev_id, bytes, 4096, RTE_COMCH_MEM_F_PEER_WRITE,
		&mem) < 0);
	TEST_CALL(refused_once("CREATE_MKEY"));
	TEST_EXPECT(group_objects(), base);
	TEST_EXPECT(rte_comch_mem_register(group_dev_id, bytes, 4096, RTE_COMCH_MEM_F_PEER_WRITE,
		&mem), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	free(bytes);
	return group_passed_clean();
}

static struct unit_test_suite suite = {
	.suite_name = "commands that are refused to BlueField devices that talk",
	.unit_test_cases = {
		TEST_CASE_ST(group_case_setup, group_case_teardown, test_bring_up),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_bring_up_again),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_memory),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_up_autotest, unit_test_suite_runner, &suite);
