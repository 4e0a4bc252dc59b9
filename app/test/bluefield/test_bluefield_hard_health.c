/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a card does that a friendly model does not, as far as it concerns the life
 * of a function: firmware that hangs with a page command, interface states around
 * ENABLE_HCA and DISABLE_HCA, a counter that stands, and firmware that only a
 * reset of firmware heals. A case is named after the point of the comparison with
 * drivers in the field that it covers.
 */

#include <pthread.h>
#include <unistd.h>

#include <rte_alarm.h>

#include "test_bluefield_model.h"
#include "test_comch_util.h"

static int16_t dev_id, other_id, vf_id;

static int
model_up(const char *functions)
{
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, functions));
	return TEST_SUCCESS;
}

static int
case_setup(void)
{
	return model_up("pf0,flr_ms=10");
}

/* Two physical functions and a virtual one of one card. */
static int
card_setup(void)
{
	return model_up("pf0,flr_ms=10 pf1,flr_ms=10 pf0vf0,flr_ms=10");
}

static int
dev_add(const char *function, const char *args, int16_t *id)
{
	int ret = test_model_dev_add(&model, function, args);

	TEST_ASSERT(ret >= 0, "%s: %d", function, ret);
	*id = ret;
	return TEST_SUCCESS;
}

static bool
dump_has(const char *function, const char *words)
{
	return test_model_ctl(&model, "dump %s", function) == 0 &&
		strstr(model.answer, words) != NULL;
}

/*
 * 2.3 and 5.3: the interface is on from the end of ENABLE_HCA to the start of
 * DISABLE_HCA
 */

/* A look at the interface's state during either command finds a failure. */
static int
test_silicon_2_3_no_look_before_enabled(void)
{
	TEST_TRUE(dump_has("pf0", "registers nic_state=1 "));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ENABLE_HCA delay=300"), 0);
	TEST_CALL(dev_add("pf0", "health=10", &dev_id));
	TEST_TRUE(dump_has("pf0", "registers nic_state=0 "));
	usleep(100000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

static int
test_silicon_2_3_no_look_while_disabled(void)
{
	long resets;

	TEST_CALL(dev_add("pf0", "health=10", &dev_id));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=DISABLE_HCA delay=300"), 0);
	resets = test_model_state(&model, "pf0", "resets");
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_TRUE(!test_log_has("has failed"));
	TEST_TRUE(dump_has("pf0", "name=DISABLE_HCA status=0x00"));
	TEST_TRUE(dump_has("pf0", "registers nic_state=1 "));
	/* but for that of the connection, which is made anew */
	TEST_TRUE(test_model_state(&model, "pf0", "resets") <= resets + 1);
	return test_log_passed();
}

/* Firmware fails before the interface is on: the command's own limit finds it. */
static int
test_silicon_2_3_limit_of_enable(void)
{
	uint64_t start = test_now_ns();

	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ENABLE_HCA no-answer"), 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0", "cmd_timeout=300"), -ETIMEDOUT);
	TEST_TRUE(test_now_ns() - start < 3000000000);
	TEST_TRUE(test_log_has("ENABLE_HCA"));
	return test_log_passed();
}

static void *
die_in_enable(void *arg)
{
	uint64_t end = test_now_ns() + TEST_MS * 1000000ull;
	int *ret = arg;

	while (!test_model_logged(&model, "ENABLE_HCA is never answered") && test_now_ns() < end)
		usleep(1000);
	*ret = test_model_ctl(&model, "fault pf0 bus dead");
	return NULL;
}

/* A function that is gone is found at any time. */
static int
test_silicon_2_3_gone_before_enabled(void)
{
	uint64_t start = test_now_ns();
	pthread_t thread;
	int ret = -1, added;

	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ENABLE_HCA no-answer"), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, die_in_enable, &ret), 0);
	added = test_model_dev_add(&model, "pf0", "cmd_timeout=30000");
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(added, -ENODEV);
	TEST_TRUE(test_now_ns() - start < 10000000000);
	return test_log_passed();
}

/*
 * 2.5 and 5.5: the counter ticks once a second, with pauses, and one that stands is
 * no proof of anything
 */

/* Firmware that answers lives, whatever the counter does. */
static int
test_silicon_2_5_counter_probes(void)
{
	TEST_CALL(dev_add("pf0", "health=30,cmd_timeout=2000", &dev_id));
	TEST_TRUE(dump_has("pf0", "name=QUERY_ISSI status=0x00 delivery=0x00 count=1\n"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 counter stop"), 0);
	TEST_WAIT(test_log_has("health counter stands"), TEST_MS);
	TEST_WAIT(!dump_has("pf0", "name=QUERY_ISSI status=0x00 delivery=0x00 count=1\n"),
		TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	/* 8.9: once it has answered it is asked no sooner than after as long again */
	usleep(500000);
	TEST_TRUE(dump_has("pf0", "name=QUERY_ISSI status=0x00 delivery=0x00 count=2\n"));
	TEST_WAIT(dump_has("pf0", "name=QUERY_ISSI status=0x00 delivery=0x00 count=3\n"),
		TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 counter run"), 0);
	TEST_WAIT(test_log_has("health counter moves again"), TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	/* once for each time */
	TEST_EXPECT(test_log_count("health counter stands"), 1);
	return test_log_passed();
}

/* Firmware that wants pages before it answers gets them, by who waits for the answer. */
static int
test_silicon_2_5_probe_wants_pages(void)
{
	long given;

	TEST_CALL(dev_add("pf0", "health=30,cmd_timeout=20000", &dev_id));
	given = test_model_state(&model, "pf0", "given");
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=QUERY_ISSI count=1 page-request=3"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 counter stop"), 0);
	TEST_WAIT(test_log_has("health counter stands"), TEST_MS);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 3, TEST_MS);
	TEST_WAIT(dump_has("pf0", "name=QUERY_ISSI status=0x00 delivery=0x00 count=2\n"),
		TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

/* Firmware that does not has the time of a command. */
static int
test_silicon_2_5_no_answer_to_probe(void)
{
	TEST_CALL(dev_add("pf0", "health=30,cmd_timeout=500", &dev_id));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=QUERY_ISSI no-answer"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 counter stop"), 0);
	TEST_WAIT(test_dev_status(dev_id) != 0, 2 * TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), -ETIMEDOUT);
	TEST_TRUE(test_log_has("health counter stands"));
	TEST_TRUE(test_log_has("QUERY_ISSI (op_mod 0x0): no answer in 500 ms"));
	return test_log_passed();
}

/* Each event is told by an interrupt of its own, not by the next look at health. */
static int
test_events_one_by_one(void)
{
	long given, i;

	TEST_CALL(dev_add("pf0", "health=60000", &dev_id));
	given = test_model_state(&model, "pf0", "given");
	for (i = 1; i <= 3; i++) {
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=1"), 0);
		TEST_WAIT(test_model_state(&model, "pf0", "given") == given + i, TEST_MS);
		/* the next one comes when nobody looks any more */
		TEST_WAIT(dump_has("pf0", " armed "), TEST_MS);
	}
	return test_log_passed();
}

/*
 * Section 8: what cards did to other people's drivers
 */

/* 8.2: firmware asks for the remainder of a request after each part of it. */
static int
test_silicon_8_2_remainders(void)
{
	long given;

	TEST_CALL(model_up("pf0,flr_ms=10,remainders=1"));
	TEST_CALL(dev_add("pf0", "", &dev_id));
	given = test_model_state(&model, "pf0", "given");
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=3332"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 3332, TEST_MS);
	/* what is as large as a remainder that came already is none */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=260"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") == given + 3592, TEST_MS);
	TEST_TRUE(!test_log_has("MANAGE_PAGES"));
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

/* 8.3: RoCE that is said to be on, and is not, comes on after a reset, or not at all. */
static int
test_silicon_8_3_roce_reads_off(void)
{
	long resets;

	TEST_CALL(model_up("pf0,flr_ms=10"));
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=MODIFY_NIC_VPORT_CONTEXT count=1 status=0"), 0);
	TEST_CALL(dev_add("pf0", "peer=02:00:00:00:00:02", &dev_id));
	TEST_TRUE(test_log_has("the function is reset, for RoCE to come on"));
	TEST_TRUE(dump_has("pf0", "roce=on"));
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	resets = test_model_state(&model, "pf0", "resets");
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=MODIFY_NIC_VPORT_CONTEXT status=0"), 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0", "peer=02:00:00:00:00:02"), -EREMOTEIO);
	TEST_TRUE(test_log_has("nor does a reset of the function bring it: reset the card"));
	/* of the connection, of its beginning and of its end */
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_TRUE(test_model_state(&model, "pf0", "resets") <= resets + 3);
	return test_log_passed();
}

/* 8.4: a reset that finds firmware initialising after another one is the end of the card. */
static int
test_silicon_8_4_two_resets(void)
{
	TEST_CALL(model_up("pf0,flr_ms=200,frail=1"));
	TEST_WAIT(dump_has("pf0", "initializing=0 "), TEST_MS);
	TEST_CALL(dev_add("pf0", "health=10", &dev_id));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 nic-state 1"), 0);
	TEST_WAIT(test_dev_status(dev_id) != 0, TEST_MS);
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_TRUE(!test_model_logged(&model, "it does not come back"));
	TEST_WAIT(dump_has("pf0", "initializing=0 "), TEST_MS);
	return test_log_passed();
}

/* 8.4: the first commands may fail, once: a reset is the cure, and it is tried once. */
static int
test_silicon_8_4_first_commands(void)
{
	static const char *const faults[] = {
		"ENABLE_HCA count=1 delivery=6", "ENABLE_HCA count=1 status=1",
		"QUERY_ISSI count=1 delivery=6", "ENABLE_HCA count=1 no-answer",
	};
	unsigned int i;
	long resets;

	TEST_CALL(model_up("pf0,flr_ms=10"));
	for (i = 0; i < RTE_DIM(faults); i++) {
		resets = test_model_state(&model, "pf0", "resets");
		TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=%s", faults[i]), 0);
		TEST_CALL(dev_add("pf0", "cmd_timeout=500", &dev_id));
		TEST_EXPECT(test_log_count("they are tried once more"), i + 1);
		TEST_EXPECT(test_model_state(&model, "pf0", "resets"), resets + 2);
		TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
		TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	}
	resets = test_model_state(&model, "pf0", "resets");
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ENABLE_HCA delivery=6"), 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0", ""), -EIO);
	TEST_TRUE(test_log_has("whoever starts again by itself waits for 10 s first"));
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_TRUE(test_model_state(&model, "pf0", "resets") <= resets + 4);
	return test_log_passed();
}

/* 8.5: a doorbell right after the queue's address is lost, and a state is bad for a while. */
static int
test_silicon_8_5_early_doorbell(void)
{
	TEST_CALL(model_up("pf0,flr_ms=10,settle=8"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=ENABLE_HCA count=2 status=4"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=QUERY_ISSI count=5 status=4"), 0);
	TEST_CALL(dev_add("pf0", "cmd_timeout=1000", &dev_id));
	TEST_TRUE(!test_log_has("they are tried once more"));
	TEST_TRUE(!test_model_logged(&model, "ignored: the address of the command queue"));
	/* if it stays so, that is the answer */
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cmd opcode=QUERY_ISSI status=4"), 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0", ""), -EIO);
	TEST_TRUE(test_log_has("QUERY_ISSI: bad system state"));
	return test_log_passed();
}

/* A pause of two ticks is no news, however often one looks. */
static int
test_silicon_5_5_counter_pauses(void)
{
	TEST_CALL(dev_add("pf0", "health=10,cmd_timeout=500", &dev_id));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 counter pause 1900"), 0);
	usleep(2500000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_TRUE(!test_log_has("health counter"));
	return test_log_passed();
}

/*
 * 2.10: page commands in EAL's interrupt thread
 */

static uint32_t alarm_served;

static void
alarm_handler(void *arg __rte_unused)
{
	__atomic_store_n(&alarm_served, 1, __ATOMIC_RELEASE);
}

/* Firmware asks for a page and never takes it: the driver waits for its command. */
static int
stuck_page_command(void)
{
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0 cmd opcode=MANAGE_PAGES count=1 no-answer"), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=1"), 0);
	TEST_WAIT(dump_has("pf0", "faults hits=1 "), TEST_MS);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return TEST_SUCCESS;
}

/* EAL's interrupt thread does for others what it has to, meanwhile. */
static int
test_silicon_2_10_interrupt_thread_is_free(void)
{
	TEST_CALL(dev_add("pf0", "cmd_timeout=2000", &dev_id));
	__atomic_store_n(&alarm_served, 0, __ATOMIC_RELAXED);
	TEST_CALL(stuck_page_command());
	TEST_EXPECT(rte_eal_alarm_set(1, alarm_handler, NULL), 0);
	TEST_WAIT(__atomic_load_n(&alarm_served, __ATOMIC_ACQUIRE) != 0, 1000);
	/* so that it was during the command */
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_WAIT(test_dev_status(dev_id) == -ETIMEDOUT, TEST_MS);
	TEST_TRUE(test_log_has("MANAGE_PAGES"));
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	return test_log_passed();
}

/* A reset does not wait for the command's time limit, nor is the limit forgotten. */
static int
test_silicon_2_10_reset_during_page_command(void)
{
	uint64_t start;

	TEST_CALL(dev_add("pf0", "cmd_timeout=20000", &dev_id));
	TEST_CALL(stuck_page_command());
	start = test_now_ns();
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_TRUE(test_now_ns() - start < 5000000000);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 pages wanted=100"), 0);
	TEST_WAIT(test_model_state(&model, "pf0", "given") > 100, TEST_MS);
	return test_log_passed();
}

/* Nor does a removal last longer than the limit. */
static int
test_silicon_2_10_removed_during_page_command(void)
{
	uint64_t start;

	TEST_CALL(dev_add("pf0", "cmd_timeout=1000", &dev_id));
	TEST_CALL(stuck_page_command());
	start = test_now_ns();
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_TRUE(test_now_ns() - start < 5000000000);
	TEST_CALL(dev_add("pf0", "", &dev_id));
	return test_log_passed();
}

/*
 * 2.4 and 5.4: firmware that has failed, for all functions, until it is reset
 */

#define ARGS_PF "health=30,fw_timeout=10000"

/* Firmware fails, and a reset of any function does not heal it. */
static int
firmware_fails(void)
{
	TEST_EXPECT(test_model_ctl(&model, "fault pf1 health synd=1"), 0);
	TEST_EXPECT(test_model_ctl(&model, "reset pf1"), 0);
	TEST_EXPECT(test_model_ctl(&model, "reset pf0vf0"), 0);
	TEST_TRUE(dump_has("pf1", " fatal=1 synd=0x01 "));
	TEST_TRUE(dump_has("pf0vf0", " fatal=1 synd=0x01 "));
	return TEST_SUCCESS;
}

/* It was reset so often, and the semaphore is free. */
static int
firmware_resets(unsigned int nb)
{
	char words[64];

	snprintf(words, sizeof(words), " fw_resets=%u reset_sem=0x0\n", nb);
	TEST_ASSERT(dump_has("pf0", words), "not%s", words);
	TEST_TRUE(!test_model_logged(&model, "firmware reset without the semaphore"));
	return TEST_SUCCESS;
}

static int
test_silicon_2_4_pf_resets_firmware(void)
{
	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(firmware_fails());
	TEST_WAIT(test_dev_status(dev_id) == -EIO, TEST_MS);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_TRUE(test_log_has("resetting the card's firmware"));
	TEST_CALL(firmware_resets(1));
	/* and so does one that finds it so when it starts */
	TEST_EXPECT(test_model_dev_remove(&model, dev_id), 0);
	TEST_CALL(firmware_fails());
	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(firmware_resets(2));
	return test_log_passed();
}

/* One after the other, or at once: firmware is reset once. */
static void *
reset_other(void *arg)
{
	int *ret = arg;

	*ret = rte_comch_dev_reset(other_id);
	return NULL;
}

static int
test_silicon_2_4_one_of_two_pfs(void)
{
	unsigned int i;
	pthread_t thread;
	int ret = -1;

	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(dev_add("pf1", ARGS_PF, &other_id));
	for (i = 1; i <= 5; i++) {
		TEST_CALL(firmware_fails());
		TEST_WAIT(test_dev_status(dev_id) == -EIO, TEST_MS);
		TEST_WAIT(test_dev_status(other_id) == -EIO, TEST_MS);
		TEST_EXPECT(pthread_create(&thread, NULL, reset_other, &ret), 0);
		TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
		pthread_join(thread, NULL);
		/* a reset of firmware may hit the other's bring-up: it says so, and comes back */
		if (ret != 0)
			ret = rte_comch_dev_reset(other_id);
		TEST_EXPECT(ret, 0);
		if (test_dev_status(dev_id) != 0)
			TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
		TEST_CALL(firmware_resets(i));
	}
	return test_log_passed();
}

/* A virtual function may not: it waits, says so, and does not reset itself again and again. */
static int
test_silicon_2_4_vf_waits(void)
{
	uint64_t start;
	long resets;

	TEST_CALL(dev_add("pf0vf0", "health=30,fw_timeout=700", &vf_id));
	TEST_CALL(firmware_fails());
	TEST_WAIT(test_dev_status(vf_id) == -EIO, TEST_MS);
	resets = test_model_state(&model, "pf0vf0", "resets");
	start = test_now_ns();
	TEST_EXPECT(rte_comch_dev_reset(vf_id), -EAGAIN);
	TEST_TRUE(test_now_ns() - start >= 700000000);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "resets"), resets + 1);
	TEST_EXPECT(test_dev_status(vf_id), -EAGAIN);
	TEST_TRUE(test_log_has("devlink health recover"));
	TEST_TRUE(test_log_has("mlxfwreset or mstfwreset -d <PF> reset"));
	TEST_CALL(firmware_resets(0));
	/* a probe says the same */
	TEST_EXPECT(test_model_dev_remove(&model, vf_id), 0);
	TEST_EXPECT(test_model_dev_add(&model, "pf0vf0", "fw_timeout=300"), -EAGAIN);
	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(firmware_resets(1));
	TEST_CALL(dev_add("pf0vf0", "health=30", &vf_id));
	return test_log_passed();
}

/* The same if the kernel has the physical function. */
static int
test_silicon_2_4_kernel_resets_firmware(void)
{
	TEST_CALL(dev_add("pf0vf0", "health=30,fw_timeout=10000", &vf_id));
	TEST_CALL(firmware_fails());
	TEST_WAIT(test_dev_status(vf_id) == -EIO, TEST_MS);
	/* the end of faults does not heal firmware, and the list of commands says so */
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 clear"), 0);
	TEST_EXPECT(test_model_ctl(&model, "dump pf0"), 0);
	TEST_TRUE(strstr(model.answer, " fatal=1 ") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "help"), 0);
	TEST_TRUE(strstr(model.answer, "cap, net, unplug; clear ends all but") != NULL);
	TEST_EXPECT(test_model_ctl(&model, "firmware-reset pf0"), 0);
	TEST_EXPECT(rte_comch_dev_reset(vf_id), 0);
	TEST_EXPECT(test_dev_status(vf_id), 0);
	TEST_CALL(firmware_resets(1));
	return test_log_passed();
}

static void *
reset_vf(void *arg)
{
	int *ret = arg;

	*ret = rte_comch_dev_reset(vf_id);
	return NULL;
}

/* The owner of the physical function resets firmware while the virtual one waits. */
static int
test_silicon_2_4_vf_recovers(void)
{
	pthread_t thread;
	int ret = -1, reset;

	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(dev_add("pf0vf0", "health=30,fw_timeout=20000", &vf_id));
	TEST_CALL(firmware_fails());
	TEST_WAIT(test_dev_status(vf_id) == -EIO, TEST_MS);
	TEST_EXPECT(pthread_create(&thread, NULL, reset_vf, &ret), 0);
	usleep(200000);
	reset = rte_comch_dev_reset(dev_id);
	pthread_join(thread, NULL);
	TEST_EXPECT(reset, 0);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(test_dev_status(vf_id), 0);
	TEST_CALL(firmware_resets(1));
	return test_log_passed();
}

/* A function that works sees the reset of firmware, and comes back by a reset. */
static int
test_silicon_5_4_all_functions_are_hit(void)
{
	TEST_CALL(dev_add("pf0", ARGS_PF, &dev_id));
	TEST_CALL(dev_add("pf1", ARGS_PF, &other_id));
	TEST_CALL(dev_add("pf0vf0", "health=60000", &vf_id));
	TEST_CALL(firmware_fails());
	TEST_WAIT(test_dev_status(dev_id) == -EIO, TEST_MS);
	TEST_WAIT(test_dev_status(other_id) == -EIO, TEST_MS);
	TEST_EXPECT(rte_comch_dev_reset(dev_id), 0);
	/* the virtual function has not looked in time, and what it had is void */
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 0);
	TEST_TRUE(dump_has("pf0vf0", "registers nic_state=1 "));
	TEST_EXPECT(rte_comch_dev_reset(other_id), 0);
	TEST_EXPECT(rte_comch_dev_reset(vf_id), 0);
	TEST_EXPECT(test_dev_status(vf_id), 0);
	TEST_EXPECT(test_dev_status(dev_id), 0);
	TEST_CALL(firmware_resets(1));
	return test_log_passed();
}

static struct unit_test_suite hard_health_suite = {
	.suite_name = "life of a BlueField function as on a card",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_3_no_look_before_enabled),
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_3_no_look_while_disabled),
		TEST_CASE_ST(case_setup, test_model_teardown, test_silicon_2_3_limit_of_enable),
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_3_gone_before_enabled),
		TEST_CASE_ST(case_setup, test_model_teardown, test_silicon_2_5_counter_probes),
		TEST_CASE_ST(case_setup, test_model_teardown, test_silicon_2_5_probe_wants_pages),
		TEST_CASE_ST(case_setup, test_model_teardown, test_silicon_2_5_no_answer_to_probe),
		TEST_CASE_ST(case_setup, test_model_teardown, test_events_one_by_one),
		TEST_CASE_ST(case_setup, test_model_teardown, test_silicon_5_5_counter_pauses),
		TEST_CASE_ST(NULL, test_model_teardown, test_silicon_8_2_remainders),
		TEST_CASE_ST(NULL, test_model_teardown, test_silicon_8_3_roce_reads_off),
		TEST_CASE_ST(NULL, test_model_teardown, test_silicon_8_4_two_resets),
		TEST_CASE_ST(NULL, test_model_teardown, test_silicon_8_4_first_commands),
		TEST_CASE_ST(NULL, test_model_teardown, test_silicon_8_5_early_doorbell),
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_10_interrupt_thread_is_free),
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_10_reset_during_page_command),
		TEST_CASE_ST(case_setup, test_model_teardown,
			test_silicon_2_10_removed_during_page_command),
		TEST_CASE_ST(card_setup, test_model_teardown, test_silicon_2_4_pf_resets_firmware),
		TEST_CASE_ST(card_setup, test_model_teardown, test_silicon_2_4_one_of_two_pfs),
		TEST_CASE_ST(card_setup, test_model_teardown, test_silicon_2_4_vf_waits),
		TEST_CASE_ST(card_setup, test_model_teardown,
			test_silicon_2_4_kernel_resets_firmware),
		TEST_CASE_ST(card_setup, test_model_teardown, test_silicon_2_4_vf_recovers),
		TEST_CASE_ST(card_setup, test_model_teardown,
			test_silicon_5_4_all_functions_are_hit),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_health_autotest, unit_test_suite_runner, &hard_health_suite);
