/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on who closes and unmaps: files of a peer's own file system, whose close waits for
 * an answer of that peer, and clients that die with much. No engine may wait for either.
 */

#include <unistd.h>

#include "test_shm_peer_fast.h"
#include "test_shm_peer_fs.h"

/* How long a close waits, and what an engine may take meanwhile. */
#define HOLD_MS 3000u
#define TURN_MS 1000u
/* Connections of a client that dies, and those of them that one turn may end. */
#define NB_CONNS 200u
#define TURN_CONNS 32u

#define MAX_LINKS 4u

static int
close_suite_setup(void)
{
	peer_env.args = ",max_links=4";
	return peer_suite_setup();
}

static int
fs_start(void)
{
	TEST_EXPECT(hostile_fs_start(peer_env.path, getpid(), HOLD_MS), 0);
	return TEST_SUCCESS;
}

static int
fs_stop(void)
{
	hostile_fs_release(true);
	close(hostile_fs.file);
	PEER_WAIT(test_count_fds() <= peer_env.fds + 2, TEST_MS);
	hostile_fs_end();
	return TEST_SUCCESS;
}

/* What each kind of message brings is closed, and no turn waits for it. */
static int
slow_close(uint16_t type)
{
	struct hostile *e = hostile_connected();
	uint64_t begin = test_now_ns(), ms;
	union shm_wire_msg msg;
	int fds[2] = { hostile_fs.file, hostile_fs.file };

	hostile_fill(&msg, type, 0);
	msg.hdr.len = hostile_type_len(type);
	/* CLOSE takes no descriptor, and two are more than any message has */
	TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds, type == SHM_WIRE_CLOSE ? 2 : 1), 0);
	if (type == SHM_WIRE_REGION)
		TEST_EXPECT(hostile_say(e, SHM_WIRE_REGION_GONE, 0), 0);
	PEER_WAIT(__atomic_load_n(&hostile_fs.nb_flush, __ATOMIC_RELAXED) != 0, TEST_MS);
	TEST_CALL(peer_honest(100));
	TEST_CALL(hostile_connected() != NULL ? TEST_SUCCESS : TEST_FAILED);
	ms = (test_now_ns() - begin) / 1000000;
	test_note("message %u: %u ms", type, (unsigned int)ms);
	TEST_TRUE(ms < TURN_MS);
	return TEST_SUCCESS;
}

static int
test_slow_files(void)
{
	static const uint16_t types[] = { SHM_WIRE_GROUP, SHM_WIRE_REGION, SHM_WIRE_CONSUMER,
		SHM_WIRE_CLOSE };
	unsigned int i;
	int ret = TEST_SUCCESS;

	for (i = 0; i < RTE_DIM(types) && ret == TEST_SUCCESS; i++) {
		TEST_CALL(fs_start());
		if (hostile_fs.why != NULL)
			return test_skip("%s", hostile_fs.why);
		TEST_TRUE(hostile_fs.file >= 0);
		ret = slow_close(types[i]);
		hostile_close_all();
		TEST_CALL(fs_stop());
		PEER_WAIT(peer_links() == 1, TEST_MS);
	}
	return ret;
}

/* What a process sends that is not let in, here because there are too many. */
static int
test_slow_stranger(void)
{
	struct hostile *e[MAX_LINKS];
	uint64_t begin;
	unsigned int i;

	TEST_CALL(fs_start());
	if (hostile_fs.why != NULL)
		return test_skip("%s", hostile_fs.why);
	for (i = 0; i < MAX_LINKS - 1; i++)
		e[i] = hostile_up();
	begin = test_now_ns();
	e[i] = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(e[i] != NULL);
	TEST_EXPECT(hostile_send_raw(e[i], "", 1, &hostile_fs.file, 1), 0);
	PEER_WAIT(__atomic_load_n(&hostile_fs.nb_flush, __ATOMIC_RELAXED) != 0, TEST_MS);
	TEST_CALL(peer_honest(100));
	TEST_TRUE((test_now_ns() - begin) / 1000000 < TURN_MS);
	hostile_close_all();
	TEST_CALL(fs_stop());
	return TEST_SUCCESS;
}

/* What one client leaves behind takes an engine many turns, with others' work in between. */
static int
test_death(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t gone, most = 0, all;
	struct hostile *e = hostile_up();
	struct hostile_chan chan;
	union shm_wire_msg msg;
	uint64_t end;
	unsigned int i;

	for (i = 0; i < NB_CONNS; i++) {
		memset(&chan, 0, sizeof(chan));
		TEST_EXPECT(hostile_connect(e, &chan, i), 0);
		hostile_fill(&msg, SHM_WIRE_READY, i);
		msg.ready.tx.seg = i;
		TEST_EXPECT(hostile_chan_seg_create(&chan, HOSTILE_RING_SIZE), 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, i, chan.seg.fd), 0);
		hostile_chan_free(&chan);
	}
	PEER_WAIT(target->nb_connects - target->nb_disconnects >= NB_CONNS, TEST_MS);
	all = target->nb_disconnects + NB_CONNS;
	hostile_close(e);
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (target->nb_disconnects < all) {
		TEST_TRUE(test_now_ns() < end);
		gone = target->nb_disconnects;
		rte_comch_pe_arm(peer_env.pe);
		rte_comch_pe_progress(peer_env.pe);
		most = RTE_MAX(most, target->nb_disconnects - gone);
	}
	test_note("at most %u of %u connections ended in one turn", most, NB_CONNS);
	TEST_TRUE(most <= TURN_CONNS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: what is slow to close",
	.setup = close_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, peer_teardown, test_slow_files),
		TEST_CASE_ST(peer_setup, peer_teardown, test_slow_stranger),
		TEST_CASE_ST(peer_setup, peer_teardown, test_death),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_close_autotest, unit_test_suite_runner, &suite)
