/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on who closes and unmaps: files of a peer's own file system, whose close waits for
 * an answer of that peer, and clients that die with much. No engine may wait for either.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_comch_child.h"
#include "test_shm_peer_fast.h"
#include "test_shm_peer_fs.h"

/* What others may take while a close waits, and the end of a process with the next one's start. */
#define TURN_MS 5000u
#define END_MS 20000u
#define HOLD_MS 60000u
#define NB_TRIES 20u
/* Descriptors with one message: as many as a helper of the hostile peer sends. */
#define NB_FDS 32u
/* Links that bring so many, at least. */
#define NB_WATCHERS 4u
/* Links that do not read, the answers for each, and descriptors in those that they may have. */
#define NB_UNREAD 4u
#define NB_ANSWERS 40u
#define MAX_UNREAD 64u
/* Connections of a client that dies, and those of them that one turn may end. */
#define NB_CONNS 200u
#define TURN_CONNS 32u

/* An engine of the honest host comes and goes: the card's side keeps what wakes it. */
static int
engine_once(void)
{
	struct rte_comch_pe *pe;

	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.host), 0);
	rte_comch_pe_progress(pe);
	peer_turn();
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	return TEST_SUCCESS;
}

static int
close_suite_setup(void)
{
	peer_env.args = ",broker=all"; /* also for the processes of this user */
	TEST_CALL(peer_suite_setup());
	TEST_EXPECT(chmod(peer_env.path, 0777), 0);
	TEST_CALL(engine_once());
	peer_turn_ms(20);
	return TEST_SUCCESS;
}

/*
 * The attacker: a process of another user, with a file system of its own, and its child that
 * attacks. Nobody else has the file.
 */

static struct {
	pid_t pid; /* 0 if there is none */
	int from;  /* it says how far it is */
} attacker;

/* What it says: it cannot attack here, somebody waits, it has failed. */
enum step { STEP_NONE = 'n', STEP_HELD = 'h', STEP_FAILED = 'f' };

static void
attacker_says(int out, enum step step)
{
	char c = step;

	if (write(out, &c, 1) != 1)
		_exit(1);
}

static void __attribute__((noreturn))
attack(const char *path, uint16_t type, int out)
{
	int fds[2] = { hostile_fs.file, hostile_fs.file };
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	enum step c;

	hostile_fs_child();
	c = hostile_become(OTHER_UID) ? STEP_HELD : STEP_FAILED;
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user would have lost it */
	hostile_fill(&msg, type, 0);
	msg.hdr.len = hostile_type_len(type);
	/* the link may end before its broker has closed anything */
	for (i = 0; i < NB_TRIES && c == STEP_HELD; i++) {
		e = hostile_open(path, "pf0");
		if (e == NULL || (type != SHM_WIRE_HELLO && hostile_hello(e) != 0))
			c = STEP_FAILED;
		else /* CLOSE takes none, and two are more than any message has */
			hostile_send_raw(e, &msg, msg.hdr.len, fds, type == SHM_WIRE_CLOSE ? 2 : 1);
		usleep(200000);
	}
	if (i <= 1)
		attacker_says(out, c);
	for (;;)
		pause();
}

static void __attribute__((noreturn))
attacker_main(const char *path, uint16_t type, int out)
{
	hostile_alone = true;
	alarm(60);
	if (hostile_fs_start(peer_env.path, 0, HOLD_MS) != 0 || hostile_fs.why != NULL) {
		attacker_says(out, STEP_NONE);
		_exit(0);
	}
	if (fork() == 0)
		attack(path, type, out);
	close(hostile_fs.file);
	while (__atomic_load_n(&hostile_fs.nb_held, __ATOMIC_RELAXED) == 0)
		usleep(1000);
	attacker_says(out, STEP_HELD);
	for (;;)
		pause();
}

static void
attacker_end(void)
{
	int status;

	if (attacker.pid == 0)
		return;
	kill(attacker.pid, SIGKILL);
	waitpid(attacker.pid, &status, 0);
	close(attacker.from);
	attacker.pid = 0;
}

/* It has sent its file, and whoever closes that waits. */
static int
attacker_start(const char *path, uint16_t type)
{
	int from[2];
	char c = 0;

	if (geteuid() != 0)
		return test_skip("only root can become another user");
	TEST_EXPECT(pipe2(from, O_NONBLOCK | O_CLOEXEC), 0);
	fflush(stdout);
	attacker.pid = fork();
	TEST_TRUE(attacker.pid >= 0);
	if (attacker.pid == 0)
		attacker_main(path, type, from[1]);
	close(from[1]);
	attacker.from = from[0];
	PEER_WAIT(read(attacker.from, &c, 1) == 1, TEST_MS);
	TEST_TRUE(c != STEP_FAILED);
	return c == STEP_HELD ? TEST_SUCCESS : test_skip("FUSE cannot be mounted here");
}

static void
close_teardown(void)
{
	attacker_end();
	peer_teardown();
}

/* Whatever message brings it, nobody waits: neither others of this side, nor its end. */
static int
test_slow_files(void)
{
	static const uint16_t types[] = { SHM_WIRE_HELLO, SHM_WIRE_GROUP, SHM_WIRE_REGION,
		SHM_WIRE_CONSUMER, SHM_WIRE_CLOSE };
	uint64_t begin, ms;
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(types); i++) {
		ret = attacker_start(peer_env.path, types[i]);
		if (ret != TEST_SUCCESS)
			return ret;
		begin = test_now_ns();
		TEST_CALL(peer_honest(100));
		TEST_TRUE(hostile_connected() != NULL);
		hostile_close_all();
		ms = (test_now_ns() - begin) / 1000000;
		test_note("message %u: %u ms", types[i], (unsigned int)ms);
		TEST_TRUE(ms < TURN_MS);
		attacker_end();
		PEER_WAIT(peer_links() == 1, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* The card's side is removed, or killed, and the next one takes its place. */
static int
slow_end(bool killed)
{
	struct test_place place = { .is_open = false };
	struct test_child *card;
	uint64_t begin, ms;
	int ret;

	TEST_CALL(test_place_open_shm(&place));
	TEST_EXPECT(chmod(place.path, 0777), 0);
	card = test_child_start(&place, NULL);
	TEST_EXPECT(test_child_ask(card, TEST_MS, "server test"), 0);
	ret = attacker_start(place.path, SHM_WIRE_REGION);
	if (ret == TEST_SUCCESS) {
		begin = test_now_ns();
		if (killed)
			test_child_kill(card);
		else
			TEST_EXPECT(test_child_end(card), 0);
		card = test_child_start(&place, NULL);
		ms = (test_now_ns() - begin) / 1000000;
		test_note("%s: %u ms until the next one serves", killed ? "killed" : "ended",
			(unsigned int)ms);
		TEST_TRUE(ms < END_MS);
	}
	attacker_end();
	TEST_EXPECT(test_child_end(card), 0);
	test_place_close(&place);
	return ret;
}

static int
test_slow_end(void)
{
	return slow_end(false);
}

static int
test_slow_killed(void)
{
	return slow_end(true);
}

/* Its descriptors are slow to close without a file system: that waits for all processors. */
static void __attribute__((noreturn))
watcher_main(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	int fds[NB_FDS];
	unsigned int n;

	hostile_alone = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	alarm(60);
	for (;;) {
		e = hostile_open(peer_env.path, "pf0");
		if (e == NULL || hostile_hello(e) != 0)
			_exit(1);
		for (n = 0; n < NB_FDS; n++) {
			fds[n] = inotify_init1(IN_CLOEXEC);
			if (fds[n] < 0)
				break; /* max_user_instances: they are being closed */
			inotify_add_watch(fds[n], peer_env.path, IN_ALL_EVENTS);
		}
		hostile_fill(&msg, SHM_WIRE_CLOSE, 0);
		hostile_send_raw(e, &msg, hostile_type_len(SHM_WIRE_CLOSE), fds, n);
		while (n > 0)
			close(fds[--n]);
		hostile_close(e);
	}
}

static int
test_inotify(void)
{
	struct rusage before, after;
	unsigned int i, waits = 0;

	fflush(stdout);
	attacker.pid = fork();
	TEST_TRUE(attacker.pid >= 0);
	if (attacker.pid == 0)
		watcher_main();
	attacker.from = -1;
	for (i = 0; i < 20000 && (i < 200 || peer_violations() < NB_WATCHERS); i++) {
		getrusage(RUSAGE_THREAD, &before);
		TEST_CALL(peer_honest(1));
		getrusage(RUSAGE_THREAD, &after);
		waits += (unsigned int)(after.ru_nvcsw - before.ru_nvcsw);
		usleep(1000);
	}
	test_note("%u waits of the engine beside %u links of %u descriptors", waits,
		(unsigned int)peer_violations(), NB_FDS);
	TEST_TRUE(peer_violations() >= NB_WATCHERS && waits < NB_WATCHERS * NB_FDS / 2);
	attacker_end();
	PEER_WAIT(peer_links() == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* A broker closes what comes with a message of no bytes, which ends a link. */
static int
test_broker_leak(void)
{
	unsigned int before, i, n;
	int fds[NB_FDS];
	struct hostile *e;
	int pair[2];

	TEST_EXPECT(pipe(pair), 0);
	for (i = 0; i < NB_FDS; i++)
		fds[i] = pair[0];
	before = test_count_broker_fds();
	for (n = 0; n < 8; n++) {
		e = hostile_up();
		TEST_EXPECT(hostile_send_raw(e, "", 0, fds, NB_FDS), 0);
		PEER_WAIT(hostile_gone(e), TEST_MS);
		hostile_close(e);
	}
	close(pair[0]);
	close(pair[1]);
	PEER_WAIT(test_count_broker_fds() <= before, TEST_MS);
	return TEST_SUCCESS;
}

/* Engines that come and go on one link, each with something that wakes it. */
static int
test_broker_engines(void)
{
	unsigned int i;

	for (i = 0; i < 150; i++)
		TEST_CALL(engine_once());
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* What comes without a turn of the server; descriptors are counted. */
static unsigned int
answers_read(struct hostile **e, unsigned int nb_e, unsigned int *nb_fds)
{
	unsigned int i, nb = 0;
	int type;

	for (i = 0; i < nb_e; i++) {
		while ((type = hostile_recv(e[i])) > 0) {
			nb += type == SHM_WIRE_ACCEPT;
			*nb_fds += e[i]->msg_fd >= 0;
		}
	}
	return nb;
}

/*
 * Answers with descriptors that nobody reads: the kernel counts them for the user of the card's
 * side and its brokers, which has few if it is not root. All come when they are read.
 */
static int
test_unread(void)
{
	struct hostile *e[NB_UNREAD];
	unsigned int i, nb, nb_fds = 0;

	for (i = 0; i < NB_UNREAD; i++) {
		e[i] = hostile_up();
		TEST_TRUE(e[i] != NULL);
		for (nb = 0; nb < NB_ANSWERS; nb++)
			TEST_EXPECT(hostile_say(e[i], SHM_WIRE_CONNECT, nb), 0);
	}
	peer_turn_ms(200);
	test_signal_brokers(SIGSTOP);
	nb = answers_read(e, NB_UNREAD, &nb_fds);
	test_signal_brokers(SIGCONT);
	test_note("%u answers, and %u descriptors, were in the sockets", nb, nb_fds);
	TEST_TRUE(nb_fds <= MAX_UNREAD);
	PEER_WAIT((nb += answers_read(e, NB_UNREAD, &nb_fds)) == NB_UNREAD * NB_ANSWERS, TEST_MS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* The same between the card's side and a broker that takes none: what is not sent stays here. */
static int
test_unread_brokers(void)
{
	struct hostile *e = hostile_up();
	unsigned int nb, nb_fds = 0;
	int fds;

	TEST_TRUE(e != NULL);
	for (nb = 0; nb < NB_ANSWERS; nb++)
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CONNECT, nb), 0);
	usleep(200000); /* brokers pass them on, and nobody looks */
	test_signal_brokers(SIGSTOP);
	fds = test_count_fds();
	peer_turn_ms(200);
	fds = test_count_fds() - fds;
	test_signal_brokers(SIGCONT);
	test_note("%d descriptors of %u answers were kept", fds, NB_ANSWERS);
	TEST_TRUE(fds >= (int)NB_ANSWERS / 2);
	PEER_WAIT((nb -= answers_read(&e, 1, &nb_fds)) == 0, TEST_MS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
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
		TEST_CASE_ST(peer_setup, close_teardown, test_slow_files),
		TEST_CASE_ST(peer_setup, close_teardown, test_slow_end),
		TEST_CASE_ST(peer_setup, close_teardown, test_slow_killed),
		TEST_CASE_ST(peer_setup, close_teardown, test_inotify),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_leak),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_engines),
		TEST_CASE_ST(peer_setup, close_teardown, test_unread),
		TEST_CASE_ST(peer_setup, close_teardown, test_unread_brokers),
		TEST_CASE_ST(peer_setup, peer_teardown, test_death),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_close_autotest, unit_test_suite_runner, &suite)
