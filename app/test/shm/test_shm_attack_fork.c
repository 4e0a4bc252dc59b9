/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks by processes that end while their socket goes on: a child has it, or it lies in a
 * queue where nobody can take it. What they had on the card's side must go, and does not wait
 * for the socket where the end of the process can be seen.
 */

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_comch_child.h"
#include "test_shm_peer_fast.h"

#define NB_CONNS 16u
#define NB_TRIES 3u
#define REGION_SIZE (UINT64_C(32) << 20)
/* Until all that a process had is gone, once it has ended. */
#define GONE_MS (2000u * test_slow)
/* Of a broker, which stays: its socket and its pidfd. */
#define BROKER_FDS 2
/* How long one that a child keeps is looked at, where the card's side cannot see its end. */
#define KEPT_MS 300u
/* For the card's side to take what was sent before the process ends. */
#define TAKEN_US 100000
/* And for the process to do so: the machine may be busy. */
#define START_MS 20000u

/* Where the socket of a process is when that ends. */
enum way {
	WAY_CLOSED, /* nowhere */
	WAY_CHILD,
	WAY_LOOP,   /* in a queue that only itself leads to */
	WAY_REGION, /* it has come to the card's side, as a region */
	WAY_WAKE,   /* in the queue of what wakes the process, sent before that */
	WAY_LATER,  /* and after it */
	WAYS,
};

static const char *const way_names[WAYS] = {
	[WAY_CLOSED] = "closed", [WAY_CHILD] = "child", [WAY_LOOP] = "loop",
	[WAY_REGION] = "region", [WAY_WAKE] = "wake", [WAY_LATER] = "wake, later",
};

/* What it has there: a link, or much more. */
enum what { WHAT_LINK, WHAT_MUCH };

/* The attacker; and the ends of pipes: it is ready, it may end, and so may its child. */
static struct {
	bool is_there;
	pid_t pid; /* 0 if it has ended */
	int from;
	int go;
	int hold;
} maker;

static int
attack_suite_setup(void)
{
	peer_env.args = ",uids=21235,max_mem=64";
	TEST_CALL(peer_suite_setup());
	TEST_EXPECT(chmod(peer_env.path, 0777), 0);
	return TEST_SUCCESS;
}

/*
 * In the process of the attacker
 */

/* Only what it makes itself counts: as a child of the card's side it has all that this has. */
static void
fds_close(int one, int other, int third)
{
	int fd;

	for (fd = 3; fd < 4096; fd++)
		if (fd != one && fd != other && fd != third)
			close(fd);
}

static int
connection_make(struct hostile *e, uint32_t id)
{
	struct hostile_chan chan = { 0 };
	union shm_wire_msg msg;
	int ret = hostile_connect(e, &chan, id);

	if (ret == 0)
		ret = hostile_chan_seg_create(&chan, HOSTILE_RING_SIZE);
	hostile_fill(&msg, SHM_WIRE_READY, id);
	msg.ready.tx.seg = id;
	return ret == 0 ? hostile_send(e, &msg, SHM_WIRE_READY, id, chan.seg.fd) : ret;
}

static int
connections_make(struct hostile *e)
{
	uint32_t id;
	int ret = 0;

	for (id = 0; id < NB_CONNS && ret == 0; id++)
		ret = connection_make(e, id);
	return ret;
}

/* A region that the card's side maps. */
static int
region_make(struct hostile *e)
{
	static struct hostile_consumer c;
	static struct hostile_region r;
	int ret = hostile_region_create(&r, REGION_SIZE);

	if (ret == 0)
		ret = hostile_region_send(e, &r, 0);
	return ret == 0 ? hostile_consumer_start(e, &c, 1, 0) : ret;
}

static void
queue_put(int sock, int one, int other)
{
	struct hostile over = { .fd = sock };
	const int fds[2] = { one, other };

	hostile_send_raw(&over, "", 1, fds, 2);
}

static int
socket_hide(struct hostile *e, enum way way, int hold)
{
	union shm_wire_msg msg;
	int pair[2], ret = 0;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0)
		return -errno;
	if (way == WAY_LOOP)
		queue_put(pair[1], e->fd, pair[0]);
	if (way == WAY_WAKE)
		queue_put(pair[1], e->fd, e->fd);
	if (way == WAY_WAKE || way == WAY_LATER) {
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		ret = hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[0]);
	}
	if (way == WAY_REGION) {
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = 1;
		ret = hostile_send(e, &msg, SHM_WIRE_REGION, 0, e->fd);
	}
	usleep(TAKEN_US);
	if (way == WAY_LATER) /* it may refuse that */
		queue_put(pair[1], e->fd, e->fd);
	if (way == WAY_CHILD && fork() == 0) {
		alarm(60);
		_exit(read(hold, &c, 1) != 0);
	}
	return ret;
}

/* 0, or a negative errno. */
static int
maker_begin(const char *path, enum what what, enum way way, int hold)
{
	struct hostile *e = NULL;
	int ret = -ECONNRESET;
	unsigned int i;

	/* where the machine is busy, a broker may begin too late for the first one */
	for (i = 0; i < NB_TRIES && ret == -ECONNRESET; i++) {
		e = hostile_open(path, "pf0");
		ret = e == NULL ? -ECONNREFUSED : hostile_hello(e);
	}
	if (ret == 0 && what == WHAT_MUCH)
		ret = connections_make(e);
	if (ret == 0 && what == WHAT_MUCH)
		ret = region_make(e);
	return ret == 0 ? socket_hide(e, way, hold) : ret;
}

static void __attribute__((noreturn))
maker_main(const char *path, enum what what, enum way way, bool other, const int *fds)
{
	cpu_set_t set;
	int ret = -EPERM;
	char c;

	hostile_alone = true;
	alarm(60);
	/* any processor; EAL has bound the parent to one */
	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
	fds_close(fds[0], fds[1], fds[2]);
	if (!other || hostile_become(OTHER_UID))
		ret = maker_begin(path, what, way, fds[2]);
	_exit(write(fds[0], &ret, sizeof(ret)) != sizeof(ret) || read(fds[1], &c, 1) != 1);
}

/*
 * In that of the card's side
 */

static int
maker_start(const char *path, enum what what, enum way way, bool other)
{
	int from[2], go[2], hold[2], ret = -EIO;

	TEST_TRUE(pipe2(from, O_NONBLOCK | O_CLOEXEC) == 0 && pipe2(go, O_CLOEXEC) == 0 &&
		pipe2(hold, O_CLOEXEC) == 0);
	fflush(stdout);
	maker.pid = fork();
	TEST_TRUE(maker.pid >= 0);
	if (maker.pid == 0) {
		const int fds[3] = { from[1], go[0], hold[0] };

		maker_main(path, what, way, other, fds);
	}
	close(from[1]);
	close(go[0]);
	close(hold[0]);
	maker.from = from[0];
	maker.go = go[1];
	maker.hold = hold[1];
	maker.is_there = true;
	PEER_WAIT(read(maker.from, &ret, sizeof(ret)) == sizeof(ret), START_MS);
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

/* It ends, and its child does not. */
static int
maker_end(void)
{
	int status = 0;

	TEST_TRUE(write(maker.go, "", 1) == 1);
	PEER_WAIT(waitpid(maker.pid, &status, WNOHANG) == maker.pid, TEST_MS);
	maker.pid = 0;
	TEST_EXPECT(status, 0);
	return TEST_SUCCESS;
}

/* The child of one that has ended, or all of one that a case has left. */
static void
maker_close(void)
{
	if (!maker.is_there)
		return;
	if (maker.pid > 0) {
		kill(maker.pid, SIGKILL);
		waitpid(maker.pid, NULL, 0);
	}
	close(maker.from);
	close(maker.go);
	close(maker.hold);
	memset(&maker, 0, sizeof(maker));
}

/* Where the card's side sees the end of the process, nothing waits for its socket. */
static int
process_ends(bool other)
{
	const uint32_t uid = other ? OTHER_UID : geteuid();
	uint64_t before, held, begin, ms;
	enum way way;

	for (way = 0; way < WAYS; way++) {
		before = peer_taken(uid, "mem");
		TEST_CALL(maker_start(peer_env.path, WHAT_MUCH, way, other));
		TEST_EXPECT(peer_links(), 2);
		held = peer_taken(uid, "mem") - before;
		TEST_TRUE(held >= REGION_SIZE);
		TEST_CALL(maker_end());
		begin = test_now_ns();
		PEER_WAIT(peer_links() == 1, TEST_MS);
		ms = (test_now_ns() - begin) / 1000000;
		PEER_WAIT(peer_taken(uid, "mem") == before, TEST_MS);
		test_note("%s: the link ends after %u ms, %u KiB are given back after %u ms",
			way_names[way], (unsigned int)ms, (unsigned int)(held >> 10),
			(unsigned int)((test_now_ns() - begin) / 1000000));
		TEST_TRUE(test_now_ns() - begin < (uint64_t)GONE_MS * 1000000);
		TEST_CALL(peer_honest(10));
		maker_close();
	}
	return TEST_SUCCESS;
}

static int
test_own_user(void)
{
	return process_ends(false);
}

static int
test_other_user(void)
{
	TEST_CALL(peer_need_user(OTHER_UID));
	return process_ends(true);
}

static unsigned int
process_fds(pid_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return test_count_entries(path);
}

/* Of pids, while children are started in another one; or -1. */
static int own_ns = -1;

static void
container_leave(void)
{
	if (own_ns < 0)
		return;
	if (setns(own_ns, CLONE_NEWPID) != 0)
		test_fail("no way back: %s", strerror(errno));
	close(own_ns);
	own_ns = -1;
}

/* A card's side that no process of ours has a number in. NULL: it cannot be had here. */
static struct test_child *
container_start(struct test_place *place)
{
	struct test_child *card = NULL;

	own_ns = open("/proc/self/ns/pid", O_RDONLY | O_CLOEXEC);
	if (own_ns >= 0 && unshare(CLONE_NEWPID) == 0)
		card = test_child_start(place, NULL);
	container_leave();
	return card;
}

/* There only the end of the socket tells that of the process, and none may be kept for it. */
static int
container_way(const struct test_child *card, const char *path, enum way way, bool other,
		unsigned int before)
{
	uint64_t begin;

	TEST_CALL(maker_start(path, WHAT_LINK, way, other));
	TEST_TRUE(process_fds(card->pid) > before);
	TEST_CALL(maker_end());
	begin = test_now_ns();
	if (way == WAY_CHILD) {
		peer_turn_ms(KEPT_MS);
		TEST_TRUE(process_fds(card->pid) > before);
		maker_close();
	}
	PEER_WAIT(process_fds(card->pid) <= before, TEST_MS);
	test_note("%s: after %u ms", way_names[way],
		(unsigned int)((test_now_ns() - begin) / 1000000));
	maker_close();
	return TEST_SUCCESS;
}

static int
container(bool other)
{
	struct test_place place = { .is_open = false };
	struct test_child *card;
	unsigned int before;
	enum way way;

	if (geteuid() != 0)
		return test_skip("only root can make a pid namespace");
	TEST_CALL(test_place_open_shm(&place));
	TEST_EXPECT(chmod(place.path, 0777), 0);
	card = container_start(&place);
	if (card == NULL) {
		test_place_close(&place);
		return test_skip("no pid namespace can be made here");
	}
	TEST_EXPECT(test_child_ask(card, START_MS, "server target"), 0);
	before = process_fds(card->pid) + (other ? BROKER_FDS : 0);
	for (way = 0; way < WAYS; way++)
		TEST_CALL(container_way(card, place.path, way, other, before));
	TEST_EXPECT(test_child_end(card), 0);
	test_place_close(&place);
	return TEST_SUCCESS;
}

static int
test_container_own_user(void)
{
	return container(false);
}

static int
test_container_other_user(void)
{
	return container(true);
}

static void
attack_teardown(void)
{
	container_leave(); /* a child that does not start ends the case */
	maker_close();
	test_child_cleanup();
	peer_teardown();
}

static struct unit_test_suite suite = {
	.suite_name = "shm, attacks of processes that end and leave their socket",
	.setup = attack_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, attack_teardown, test_own_user),
		TEST_CASE_ST(peer_setup, attack_teardown, test_other_user),
		TEST_CASE_ST(peer_setup, attack_teardown, test_container_own_user),
		TEST_CASE_ST(peer_setup, attack_teardown, test_container_other_user),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_attack_fork_autotest, unit_test_suite_runner, &suite)
