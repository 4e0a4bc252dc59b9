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
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
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
/* Until attackers end, if nobody ends them. */
#define ATTACKER_S (60u * test_slow)
/* Descriptors with one message: as many as a helper of the hostile peer sends. */
#define NB_FDS 32u
/* Links that bring so many, at least. */
#define NB_WATCHERS 4u
/* Sockets that wake an engine: more than a broker keeps of one link. */
#define NB_WAKES 100u
/* Answers without a descriptor: more than sockets hold. */
#define NB_REFUSALS 1500u
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
	alarm(ATTACKER_S);
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

	TEST_CALL(peer_need_user(OTHER_UID));
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
	alarm(ATTACKER_S);
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
	union shm_wire_msg msg;
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
	/* and so it does with memory that is too much for a message */
	e = hostile_up();
	for (i = 0; i < NB_FDS; i++)
		fds[i] = e->seg.fd;
	hostile_fill(&msg, SHM_WIRE_REGION, 0);
	TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds, NB_FDS), 0);
	PEER_WAIT(hostile_gone(e), TEST_MS);
	hostile_close(e);
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

/* A byte has come to a socket that is to wake a process. */
static bool
woken(int fd)
{
	char c;

	return recv(fd, &c, 1, MSG_DONTWAIT) == 1;
}

static void
sleep_again(struct hostile *e, uint32_t nr)
{
	__atomic_store_n(&e->own->groups[0].armed, nr, __ATOMIC_RELEASE);
}

/*
 * More sockets to wake a peer than a broker keeps, before the card's side looks: they come when
 * there is room, and each is woken. The broker does that, and the card's side has none of them.
 */
static int
test_broker_wakes(void)
{
	struct hostile *e = hostile_connected();
	int pairs[NB_WAKES][2];
	union shm_wire_msg msg;
	unsigned int i;
	bool early;

	sleep_again(e, 1);
	for (i = 0; i < NB_WAKES; i++) {
		TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pairs[i]), 0);
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pairs[i][1]), 0);
		close(pairs[i][1]);
	}
	usleep(100000); /* the broker has what it can have */
	for (i = 0; i < NB_WAKES; i++)
		PEER_WAIT(woken(pairs[i][0]), TEST_MS);
	test_signal_brokers(SIGSTOP);
	sleep_again(e, 2);
	TEST_EXPECT(test_send(peer_env.target->conn, "wake", 4), 0);
	peer_turn_ms(50);
	early = woken(pairs[NB_WAKES - 1][0]);
	test_signal_brokers(SIGCONT);
	TEST_TRUE(!early);
	PEER_WAIT(woken(pairs[NB_WAKES - 1][0]), TEST_MS);
	for (i = 0; i < NB_WAKES; i++)
		close(pairs[i][0]);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* What a peer does not read waits, also where only its reading tells of room; one goes before. */
static int
test_broker_waits(void)
{
	struct hostile *gone = hostile_up(), *e = hostile_up();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int sent = 0, nb = 0, i;

	/* its place is free, is taken and free again, and another one's is behind it */
	for (i = 0; i < 2; i++) {
		gone = i == 0 ? gone : hostile_up();
		hostile_close(gone);
		PEER_WAIT(peer_links() == 2, TEST_MS);
	}
	while (sent < NB_REFUSALS && test_now_ns() < end) {
		sent += hostile_connect_send(e, 0, "nobody", 1) == 0;
		peer_turn();
	}
	TEST_EXPECT(sent, NB_REFUSALS);
	peer_turn_ms(50);
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (nb < NB_REFUSALS && test_now_ns() < end) {
		nb += hostile_recv(e) == SHM_WIRE_REFUSE;
		peer_turn();
	}
	TEST_EXPECT(nb, NB_REFUSALS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A socket of another user: what it is connected to is not known. */
static int
pair_of_other(int *fds)
{
	int ret;

	if (seteuid(OTHER_UID) != 0)
		return -1;
	ret = socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds);
	return seteuid(0) == 0 ? ret : -1;
}

/* What wakes nobody, or somebody else, is not passed on, and ends the link. */
static int
test_broker_no_wakes(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	int fds[9];

	TEST_EXPECT(pipe(fds), 0);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, &fds[2]), 0);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &fds[4]), 0);
	fds[6] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (geteuid() == 0)
		TEST_EXPECT(pair_of_other(&fds[7]), 0);
	else
		TEST_EXPECT(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, &fds[7]), 0);
	for (i = 0; i < RTE_DIM(fds); i++) {
		e = hostile_up();
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, fds[i]), 0);
		PEER_WAIT(hostile_gone(e), TEST_MS);
		TEST_ASSERT(peer_violations() == i + 1, "socket %u", i);
		hostile_close(e);
	}
	for (i = 0; i < RTE_DIM(fds); i++)
		close(fds[i]);
	return TEST_SUCCESS;
}

/* A region is passed on if it is sealed, and kept; what has seals, and not this one, is not. */
static int
test_broker_seals(void)
{
	struct hostile *e = hostile_up();
	union shm_wire_msg msg;
	unsigned int before, i;
	int fds[2];

	fds[0] = memfd_create("hostile", MFD_CLOEXEC);
	fds[1] = fcntl(e->seg.fd, F_DUPFD_CLOEXEC, 0);
	/* the thread of the device closes what the link came with */
	peer_turn_ms(20);
	for (i = 0; i < RTE_DIM(fds); i++) {
		before = test_count_fds();
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, fds[i]), 0);
		TEST_EXPECT(hostile_connect_send(e, 0, "nobody", 1), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
		PEER_WAIT(test_count_fds() == before + i, TEST_MS);
		close(fds[i]);
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * A process of another user sends a socket whose last close waits: when its broker is stopped,
 * or this process could be the last that closes it.
 */
static void __attribute__((noreturn))
lingerer_main(int in, int out)
{
	union shm_wire_msg msg;
	enum step c = STEP_NONE;
	struct hostile *e = NULL;
	int fd, other;
	char go;

	hostile_alone = true;
	alarm(ATTACKER_S);
	fd = peer_lingering_fd(&other);
	if (fd >= 0) {
		c = STEP_FAILED;
		e = hostile_become(OTHER_UID) ? hostile_open(peer_env.path, "pf0") : NULL;
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* another user would have lost it */
		if (e != NULL && hostile_hello(e) == 0)
			c = STEP_HELD;
	}
	attacker_says(out, c);
	if (c == STEP_HELD && read(in, &go, 1) == 1) {
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		hostile_send(e, &msg, SHM_WIRE_REGION, 0, fd);
		close(fd);
		attacker_says(out, c);
	}
	for (;;)
		pause();
}

/* Its broker waits, and the card's side closes what others leave. */
static int
test_broker_lingers(void)
{
	struct hostile *e;
	int from[2], to[2];
	char c = 0;

	TEST_CALL(peer_need_user(OTHER_UID));
	TEST_TRUE(pipe2(from, O_NONBLOCK | O_CLOEXEC) == 0 && pipe2(to, O_CLOEXEC) == 0);
	fflush(stdout);
	attacker.pid = fork();
	TEST_TRUE(attacker.pid >= 0);
	if (attacker.pid == 0)
		lingerer_main(to[0], from[1]);
	close(from[1]);
	close(to[0]);
	attacker.from = from[0];
	PEER_WAIT(read(attacker.from, &c, 1) == 1, TEST_MS);
	TEST_TRUE(c != STEP_FAILED);
	if (c == STEP_NONE)
		return test_skip("no TCP here to make a socket that lingers");
	test_signal_brokers(SIGSTOP);
	TEST_EXPECT(write(to[1], "", 1), 1);
	close(to[1]);
	PEER_WAIT(read(attacker.from, &c, 1) == 1, TEST_MS);
	test_signal_brokers(SIGCONT);
	peer_turn_ms(200);
	peer_settle();
	e = hostile_connected();
	hostile_close(e);
	PEER_WAIT(test_count_fds() <= peer_env.fds, TEST_MS);
	attacker_end();
	PEER_WAIT(peer_links() == 1, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A process that says something, and ends, while its broker is stopped. */
static void __attribute__((noreturn))
leaver_main(int in, int out)
{
	struct hostile *e;
	char go;

	hostile_alone = true;
	alarm(ATTACKER_S);
	e = hostile_open(peer_env.path, "pf0");
	attacker_says(out, e != NULL && hostile_hello(e) == 0 ? STEP_HELD : STEP_FAILED);
	if (read(in, &go, 1) == 1)
		hostile_say(e, SHM_WIRE_READY, 0);
	_exit(0);
}

static int
leaver_once(void)
{
	int from[2], to[2], status;
	char c = 0;

	TEST_TRUE(pipe2(from, O_NONBLOCK | O_CLOEXEC) == 0 && pipe2(to, O_CLOEXEC) == 0);
	fflush(stdout);
	attacker.pid = fork();
	TEST_TRUE(attacker.pid >= 0);
	if (attacker.pid == 0)
		leaver_main(to[0], from[1]);
	close(from[1]);
	close(to[0]);
	attacker.from = from[0];
	PEER_WAIT(read(attacker.from, &c, 1) == 1, TEST_MS);
	TEST_EXPECT(c, STEP_HELD);
	PEER_WAIT(peer_links() == 2, TEST_MS);
	test_signal_brokers(SIGSTOP);
	TEST_EXPECT(write(to[1], "", 1), 1);
	close(to[1]);
	TEST_EXPECT(waitpid(attacker.pid, &status, 0), attacker.pid);
	attacker.pid = 0;
	close(attacker.from);
	peer_turn();
	test_signal_brokers(SIGCONT);
	PEER_WAIT(peer_links() == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* What it has said is taken, unless this side is slow: then it has had its time. */
static int
test_broker_outlives(void)
{
	unsigned int i;

	for (i = 0; i < NB_TRIES && peer_violations() == 0; i++)
		TEST_CALL(leaver_once());
	TEST_EXPECT(peer_violations(), 1);
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
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_wakes),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_waits),
		TEST_CASE_NAMED(peer_setup, close_teardown, "test_broker_last_word",
			peer_last_word),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_no_wakes),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_seals),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_lingers),
		TEST_CASE_ST(peer_setup, close_teardown, test_broker_outlives),
		TEST_CASE_ST(peer_setup, peer_teardown, test_death),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_close_autotest, unit_test_suite_runner, &suite)
