/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on what a process shares with others: the kernel's limits of its user, its system
 * calls, its log, its lcores. One message that is wrong is in other files.
 */

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rte_log.h>

#include "test_bluefield_model.h"
#include "test_shm_peer_fast.h"

/* Answers that a peer does not read: more than its socket holds. */
#define UNREAD 1500u
/* Those with a descriptor: more than its socket holds, and than may wait. */
#define NB_ANSWERS 700u
/* How long an engine that sleeps is watched. */
#define WATCH_MS 200u
/* Times that it may wake then, for a peer that does not read. */
#define WATCH_WAKES 100u

/* Links of a flood of violations, and what the driver logs of a function. */
#define LOG_FLOOD 1000u
#define FLOOD_MS 30000u
#define LOG_BURST 5u
#define LOG_PAUSE_MS 5000u

/* What a thread does that is refused a system call. */
struct refused {
	long nr;
	int err;
	unsigned int wakes;
};

/* The engine of the servers is progressed when it wakes, as an application does. */
static void *
refused_run(void *arg)
{
	uint64_t end = test_now_ns() + (uint64_t)WATCH_MS * 1000000;
	struct pollfd pfd = { rte_comch_pe_fd(peer_env.pe), POLLIN, 0 };
	struct refused *refused = arg;
	unsigned int i;

	if (test_syscall_refuse(refused->nr, refused->err, false) != 0)
		return NULL;
	while (test_now_ns() < end) {
		for (i = 0; i < 100 && rte_comch_pe_progress(peer_env.pe) != 0; i++)
			;
		if (rte_comch_pe_arm(peer_env.pe) == 0)
			poll(&pfd, 1, WATCH_MS);
		refused->wakes++;
	}
	return refused;
}

/* A peer that has asked for connections to nobody, and has not read one answer. */
static struct hostile *
unread_answers(void)
{
	struct hostile *e = hostile_up();
	union shm_wire_msg msg;
	unsigned int i;

	for (i = 0; i < UNREAD; i++) {
		hostile_fill(&msg, SHM_WIRE_CONNECT, i);
		strcpy(msg.connect.name, "nobody");
		if (hostile_send(e, &msg, SHM_WIRE_CONNECT, i, -1) != 0)
			test_give_up("message %u of the hostile peer is not taken", i);
		if (i % 16 == 0)
			peer_turn();
	}
	peer_turn_ms(20);
	return e;
}

/* The engine turns in a thread that is refused a system call. */
static int
turn_refused(struct refused *refused)
{
	pthread_t thread;
	void *ret;

	TEST_EXPECT(pthread_create(&thread, NULL, refused_run, refused), 0);
	TEST_EXPECT(pthread_join(thread, &ret), 0);
	if (ret == NULL)
		test_note("there is no seccomp");
	return ret != NULL ? TEST_SUCCESS : TEST_SKIPPED;
}

static unsigned int
read_answers(struct hostile *e)
{
	unsigned int nb = 0;

	while (hostile_recv(e) == SHM_WIRE_REFUSE)
		nb++;
	return nb;
}

/* An answer that waited for room and cannot be sent then: the peer must not go on without it. */
static int
test_queued_send_fails(void)
{
	struct refused refused = { .nr = SYS_sendmsg, .err = EPERM };
	struct hostile *e = unread_answers();
	unsigned int nb = read_answers(e);

	TEST_TRUE(nb < UNREAD);
	TEST_CALL(turn_refused(&refused));
	nb += read_answers(e);
	TEST_ASSERT(hostile_gone(e), "the link goes on with %u answers of %u", nb, UNREAD);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * Descriptors under way of all processes of the user are at their limit: the socket
 * is writable, and a message with one cannot be sent. Engines sleep on.
 */
static int
sends_wait(int err)
{
	struct refused refused = { .nr = SYS_sendmsg, .err = err };
	struct hostile *e = unread_answers();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int nb = read_answers(e);

	TEST_TRUE(nb < UNREAD);
	TEST_CALL(turn_refused(&refused));
	test_note("the engine woke %u times in %u ms", refused.wakes, WATCH_MS);
	TEST_ASSERT(refused.wakes <= WATCH_WAKES, "the engine woke %u times in %u ms",
			refused.wakes, WATCH_MS);
	/* it comes when there is room again */
	while (nb < UNREAD && !hostile_gone(e) && test_now_ns() < end) {
		peer_turn();
		nb += read_answers(e);
	}
	TEST_EXPECT(nb, UNREAD);
	hostile_close(e);
	return TEST_SUCCESS;
}

static int
test_too_many_refs(void)
{
	return sends_wait(ETOOMANYREFS);
}

/* The same where the kernel has no memory for the message. */
static int
test_no_memory_to_send(void)
{
	return sends_wait(ENOMEM);
}

/* A peer that asks much and reads late is waited for: its messages stay in the socket. */
static int
test_answers_wait(void)
{
	const uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int sent = 0, nb = 0, fails = 0;
	struct hostile *e = hostile_up();
	int type;

	while (sent < NB_ANSWERS && fails < 100) {
		if (hostile_say(e, SHM_WIRE_CONNECT, sent) == 0)
			sent++;
		else
			fails++;
		peer_turn();
	}
	test_note("%u of %u messages were sent before the first was read", sent, NB_ANSWERS);
	while (nb < NB_ANSWERS) {
		TEST_TRUE(!e->eof && test_now_ns() < end);
		if (sent < NB_ANSWERS && hostile_say(e, SHM_WIRE_CONNECT, sent) == 0)
			sent++;
		peer_turn();
		while ((type = hostile_recv(e)) > 0)
			nb += type == SHM_WIRE_ACCEPT;
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Both answers to what was asked while there was no memory; then there is some again. */
static int
memory_refused(struct refused *refused)
{
	struct hostile *e = hostile_connected(), *other = hostile_up(), *late;
	struct hostile_consumer c = { 0 };

	TEST_EXPECT(hostile_consumer_ask(e, &c, 1, SHM_WIRE_NO_REGION), 0);
	TEST_EXPECT(hostile_say(other, SHM_WIRE_CONNECT, 1), 0);
	late = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(late != NULL);
	TEST_EXPECT(hostile_hello_send(late), 0);
	TEST_CALL(turn_refused(refused));
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CONSUMER_ACK, TEST_MS), 0);
	TEST_EXPECT(e->msg.consumer_ack.status, -ENOMEM);
	TEST_EXPECT(hostile_wait(other, SHM_WIRE_REFUSE, TEST_MS), 0);
	TEST_EXPECT(other->msg.reason.reason, -ENOMEM);
	TEST_EXPECT(hostile_wait(late, SHM_WIRE_HELLO_ACK, TEST_MS), 0);
	TEST_EXPECT(late->msg.hello_ack.status, -ENOMEM);
	TEST_TRUE(test_log_has("there is no shared memory for process"));
	hostile_consumer_free(&c);
	memset(&c, 0, sizeof(c));
	TEST_EXPECT(hostile_consumer_start(e, &c, 1, SHM_WIRE_NO_REGION), 0);
	hostile_consumer_free(&c);
	TEST_EXPECT(hostile_connect(other, &other->chan, 1), 0);
	return TEST_SUCCESS;
}

/*
 * The kernel gives no memory, as it does with vm.overcommit_memory=2 when others have taken
 * all: each is told, and nothing else happens.
 */
static int
test_memory_refused(void)
{
	struct refused refused = { .nr = SYS_fallocate, .err = ENOSPC };
	int ret;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	ret = memory_refused(&refused);
	test_log_quiet();
	test_log_drop();
	TEST_EXPECT(peer_violations(), 0);
	return ret;
}

/* Some links are refused: what those before them had is given back later. */
static int
violations_make(unsigned int nb)
{
	uint64_t end = test_now_ns() + (uint64_t)FLOOD_MS * 1000000;
	uint64_t before = peer_violations(), seen = before;
	struct hostile *e;

	while (seen < before + nb) {
		TEST_ASSERT(test_now_ns() < end, "%u breaches of %u", (unsigned int)(seen - before),
				nb);
		e = hostile_open(peer_env.path, "pf0");
		if (e != NULL) {
			hostile_send_raw(e, "", 1, NULL, 0);
			PEER_WAIT(peer_violations() != seen || hostile_gone(e), TEST_MS);
			hostile_close(e);
		}
		peer_turn();
		seen = peer_violations();
	}
	return TEST_SUCCESS;
}

/* Links that come, break the protocol and come again: the log of the victim is not theirs. */
static int
log_flood(void)
{
	uint64_t begin = test_now_ns();
	unsigned int lines, most;

	TEST_CALL(violations_make(LOG_FLOOD));
	lines = test_log_count("COMCH_SHM");
	most = LOG_BURST + 1 + (unsigned int)((test_now_ns() - begin) / 1000000 / LOG_PAUSE_MS);
	test_note("%u breaches, %u lines", LOG_FLOOD, lines);
	TEST_TRUE(test_log_has("breaks the protocol: no message of this protocol"));
	TEST_ASSERT(lines <= most, "%u lines for %u breaches", lines, LOG_FLOOD);
	/* later there is room for one, which says how much was left out */
	peer_turn_ms(LOG_PAUSE_MS + 100);
	TEST_CALL(violations_make(1));
	TEST_TRUE(test_log_has("lines about processes on pf0 were not logged"));
	return TEST_SUCCESS;
}

static int
test_log_flood(void)
{
	int ret;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_INFO);
	ret = log_flood();
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_NOTICE);
	test_log_quiet();
	test_log_drop();
	return ret;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, attacks of a hostile peer",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_queued_send_fails),
		PEER_CASE(test_too_many_refs),
		PEER_CASE(test_no_memory_to_send),
		PEER_CASE(test_answers_wait),
		PEER_CASE(test_memory_refused),
		PEER_CASE(test_log_flood),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_attack_autotest, unit_test_suite_runner, &suite)

#define OVERCOMMIT "/proc/sys/vm/overcommit_memory"

/* What this process reads there, and no other: the machine is as it was. */
static int
overcommit_set(const char *value)
{
	char file[] = "/tmp/comch_test_XXXXXX";
	int fd = mkstemp(file);

	TEST_TRUE(fd >= 0 && write(fd, value, strlen(value)) == (ssize_t)strlen(value));
	close(fd);
	fd = mount(file, OVERCOMMIT, NULL, MS_BIND, NULL);
	unlink(file);
	TEST_EXPECT(fd, 0);
	return TEST_SUCCESS;
}

/* All memory is promised, and each peer is taken for one of another user. */
static int
strict_suite_setup(void)
{
	int ret;

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return test_skip("no mount namespace can be made: %s", strerror(errno));
	TEST_CALL(overcommit_set("2"));
	peer_env.args = ",broker=all";
	ret = peer_suite_setup();
	umount(OVERCOMMIT);
	return ret;
}

/*
 * A peer can take pages out of a region, and the kernel gives no others: to write there, or
 * to read, ends this process by SIGBUS. So there is no region, neither theirs nor ours.
 */
static int
test_no_region(void)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = 8 };
	const struct test_fp_end end = {
		.ep = peer_env.target, .q_pe = peer_env.pe, .dev = peer_env.dpu,
	};
	struct hostile *e = hostile_connected();
	struct hostile_consumer c = { 0 };
	struct hostile_region region;
	struct test_q *q;

	TEST_EXPECT(hostile_region_create(&region, HOSTILE_REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(e, &region, 0), 0);
	hostile_region_free(&region);
	TEST_EXPECT(hostile_consumer_start(e, &c, 1, 0), -EACCES);
	hostile_consumer_free(&c);
	conf.mem = fast_mem(HOSTILE_REGION_SIZE);
	q = test_q_consumer(&end, &conf);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -EINPROGRESS);
	PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(q->ctx), -EACCES);
	test_q_close(q);
	/* what has none goes on */
	memset(&c, 0, sizeof(c));
	TEST_EXPECT(hostile_consumer_start(e, &c, 2, SHM_WIRE_NO_REGION), 0);
	hostile_consumer_free(&c);
	TEST_EXPECT(peer_violations(), 0);
	fast_case_end();
	return TEST_SUCCESS;
}

static struct unit_test_suite strict_suite = {
	.suite_name = "shm, attacks where all memory is promised",
	.setup = strict_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_no_region),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_peer_strict_autotest, unit_test_suite_runner, &strict_suite)
