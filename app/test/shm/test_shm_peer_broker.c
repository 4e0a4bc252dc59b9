/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on brokers, and on those who start them: peers that do not read, brokers that do not
 * end, and what a broker may not close before others have.
 */

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_times.h"
#include "test_shm_peer.h"
#include "test_shm_peer_fs.h"

/* Links that do not read, the answers for each, and descriptors in those that they may have. */
#define NB_UNREAD 6u
#define NB_ANSWERS 40u
#define MAX_UNREAD 64u
/* The same of one link. */
#define LINK_UNREAD 16u
/* More links than the socket of a broker takes that does not read. */
#define NB_LINKS 300u
#define NB_LINKS_MAX 400
/* Descriptors for all: the device lets a user have half of them. */
#define LINKS_FDS (NB_LINKS * 10)
/* Brokers that do not end, and users of a function, which may have one each; users that come. */
#define MAX_LEFT 64u
#define MAX_USERS 16u
#define NB_USERS 128u
#define FIRST_UID 22000u
/* Until they end, if nobody ends them. */
#define HANG_S (60u * test_slow)
/* What must not wait until a socket has lingered: half of that at most. */
#define LINGER_MS RTE_MIN(TEST_MS, 10000u)

static int
broker_suite_setup(void)
{
	/* before there is a device, which takes its limits from it; cases ask again */
	test_need_fds(LINKS_FDS);
	/* brokers also for the processes of this user */
	peer_env.args = ",broker=all,max_links=" RTE_STR(NB_LINKS_MAX);
	return peer_suite_setup();
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

/* Answers that wait in sockets. */
static unsigned int
answers_wait(struct hostile **e, unsigned int nb_e)
{
	unsigned int i, nb = 0;
	int bytes;

	for (i = 0; i < nb_e; i++)
		if (ioctl(e[i]->fd, FIONREAD, &bytes) == 0)
			nb += (unsigned int)bytes / hostile_type_len(SHM_WIRE_ACCEPT);
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
	unsigned int i, nb, nb_fds = 0, before, most = 0;

	/* of half of them, those that wait here are the user's */
	TEST_CALL(test_need_fds(NB_UNREAD * NB_ANSWERS * 4));
	for (i = 0; i < NB_UNREAD; i++) {
		e[i] = hostile_up();
		TEST_TRUE(e[i] != NULL);
	}
	for (nb = 0; nb < NB_UNREAD * NB_ANSWERS; nb++)
		TEST_EXPECT(hostile_say(e[nb % NB_UNREAD], SHM_WIRE_CONNECT, nb / NB_UNREAD), 0);
	peer_turn_ms(200);
	test_signal_brokers(SIGSTOP);
	for (i = nb = 0; i < NB_UNREAD; i++) {
		before = nb_fds;
		nb += answers_read(&e[i], 1, &nb_fds);
		most = RTE_MAX(most, nb_fds - before);
	}
	test_signal_brokers(SIGCONT);
	test_note("%u answers, and %u descriptors, were in the sockets, at most %u in one", nb,
		nb_fds, most);
	TEST_TRUE(nb_fds <= MAX_UNREAD && most <= LINK_UNREAD);
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

/* What waits there stays in order: no connection ends before its answer has come. */
static int
test_unread_order(void)
{
	const uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct test_ep *server = test_server_run("order", peer_env.pe);
	bool accepted[LINK_UNREAD] = { false };
	struct hostile *e = hostile_up();
	unsigned int i, nb = 0;
	int type;

	for (i = 0; i < LINK_UNREAD; i++)
		TEST_EXPECT(hostile_connect_send(e, i, "order", 1), 0);
	usleep(200000); /* as above */
	test_signal_brokers(SIGSTOP);
	peer_turn_ms(20);
	rte_comch_ctx_stop(server->ctx);
	peer_turn_ms(20);
	test_signal_brokers(SIGCONT);
	while (nb < LINK_UNREAD) {
		peer_turn();
		type = hostile_recv(e);
		TEST_TRUE(type >= 0 && test_now_ns() < end);
		if (type == SHM_WIRE_ACCEPT)
			accepted[e->msg.hdr.chan % LINK_UNREAD] = true;
		nb += type == SHM_WIRE_REFUSE; /* its broker was late */
		if (type != SHM_WIRE_CLOSE)
			continue;
		TEST_TRUE(accepted[e->msg.hdr.chan % LINK_UNREAD]);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, e->msg.hdr.chan), 0);
		nb++;
	}
	TEST_EXPECT(peer_violations(), 0);
	return test_ep_close(server);
}

/* What was not read still counts when its link has ended: else more of them could be sent. */
static int
test_unread_ended(void)
{
	const unsigned int nb_end = MAX_UNREAD / LINK_UNREAD;
	/* fewer than they may have: a link with answers that wait is not read on */
	const unsigned int nb_left = nb_end * (LINK_UNREAD - 4);
	unsigned int i, nb, nb_fds = 0, nb_ended = 0;
	struct hostile *e[NB_UNREAD];

	for (i = 0; i < NB_UNREAD; i++)
		e[i] = hostile_up();
	for (nb = 0; nb < nb_left; nb++)
		TEST_EXPECT(hostile_say(e[nb % nb_end], SHM_WIRE_CONNECT, nb / nb_end), 0);
	PEER_WAIT(answers_wait(e, nb_end) == nb_left, TEST_MS);
	for (nb = 0; nb < NB_ANSWERS; nb++)
		for (i = nb_end; i < NB_UNREAD; i++)
			TEST_EXPECT(hostile_say(e[i], SHM_WIRE_CONNECT, nb), 0);
	for (i = 0; i < nb_end; i++)
		TEST_EXPECT(hostile_say(e[i], SHM_WIRE_HELLO_ACK, 0), 0);
	PEER_WAIT(peer_links() == 1 + NB_UNREAD - nb_end, TEST_MS);
	TEST_EXPECT(peer_violations(), nb_end);
	peer_turn_ms(200);
	test_signal_brokers(SIGSTOP);
	nb = answers_read(&e[nb_end], NB_UNREAD - nb_end, &nb_fds);
	answers_read(e, nb_end, &nb_ended);
	test_signal_brokers(SIGCONT);
	test_note("%u descriptors were in the sockets, and %u in those of links that ended",
		nb_fds, nb_ended);
	TEST_EXPECT(nb_ended, nb_left);
	TEST_TRUE(nb_fds + nb_ended <= MAX_UNREAD);
	PEER_WAIT((nb += answers_read(&e[nb_end], NB_UNREAD - nb_end, &nb_fds)) ==
		(NB_UNREAD - nb_end) * NB_ANSWERS, TEST_MS);
	return TEST_SUCCESS;
}

/* A broker keeps no socket for answers that have no descriptor. */
static int
test_words_left(void)
{
	unsigned int before = test_count_broker_fds();
	struct hostile *e = hostile_up();

	/* when another one comes, it sees that all descriptors have been read */
	hostile_close(hostile_up());
	PEER_WAIT(peer_links() == 2, TEST_MS);
	TEST_EXPECT(hostile_connect_send(e, 0, "nobody", 1), 0);
	peer_turn_ms(20);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_HELLO_ACK, 0), 0);
	PEER_WAIT(peer_links() == 1, TEST_MS);
	PEER_WAIT(test_count_broker_fds() <= before, TEST_MS);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
	TEST_EXPECT(peer_violations(), 1);
	return TEST_SUCCESS;
}

/* A broker without room for a new link keeps those that it has, and no other one is started. */
static int
test_full_broker(void)
{
	struct rte_comch_dev_stats before = { 0 }, after = { 0 };
	unsigned int nb = 0, nb_ended = 0, nb_before, nb_after, i;
	struct hostile *e[NB_LINKS], *old;
	uint64_t end;

	TEST_CALL(test_need_fds(LINKS_FDS));
	old = hostile_up();
	rte_comch_dev_stats_get(peer_env.dpu, &before);
	nb_before = test_signal_brokers(SIGSTOP);
	/* such as have not said HELLO end some time, too */
	end = test_now_ns() + SHM_HELLO_MS / 2 * UINT64_C(1000000);
	while (nb_ended == 0 && test_now_ns() < end) {
		if (nb < NB_LINKS) {
			e[nb] = hostile_open(peer_env.path, "pf0");
			nb += e[nb] != NULL; /* else the backlog is full */
		}
		peer_serve(peer_env.pe);
		for (i = 0; i < nb; i++)
			nb_ended += hostile_gone(e[i]);
	}
	nb_after = test_signal_brokers(SIGCONT);
	rte_comch_dev_stats_get(peer_env.dpu, &after);
	test_note("%u of %u links ended", nb_ended, nb);
	/* it was the broker, and no limit of their user */
	TEST_EXPECT(after.links_refused, before.links_refused);
	/* that of strangers takes what ends */
	TEST_TRUE(nb_after == nb_before || (nb_after == nb_before + 1 && nb_ended != 0));
	if (nb_ended == 0)
		return test_skip("a broker that stands has room for %u links here", nb);
	TEST_EXPECT(hostile_hello(e[0]), 0);
	TEST_EXPECT(hostile_connect(old, &old->chan, 0), 0);
	TEST_CALL(peer_honest(10));
	return TEST_SUCCESS;
}

/*
 * A process of others' users: each has its broker close a file that waits. It says one byte when
 * that can be.
 */
static void __attribute__((noreturn))
hangers_main(int out)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	pid_t parent;

	hostile_alone = true;
	alarm(HANG_S);
	if (hostile_fs_start(peer_env.path, 0, HANG_S * 1000) != 0 || hostile_fs.why != NULL)
		_exit(write(out, "n", 1) != 1);
	parent = getpid();
	if (fork() != 0) {
		close(hostile_fs.file);
		for (;;)
			pause();
	}
	alarm(HANG_S);
	hostile_fs_child();
	if (write(out, "h", 1) != 1)
		_exit(1);
	hostile_fill(&msg, SHM_WIRE_GROUP, 0);
	for (i = 0; i < NB_USERS; i++) {
		e = hostile_become(FIRST_UID + i) ? hostile_open(peer_env.path, "pf0") : NULL;
		/* another user has lost what ends it with its parent */
		if (seteuid(0) != 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 ||
				getppid() != parent || e == NULL || hostile_hello(e) != 0)
			_exit(1);
		hostile_send(e, &msg, SHM_WIRE_GROUP, 0, hostile_fs.file);
		hostile_close(e);
	}
	for (;;)
		pause();
}

/* Brokers of many users hang: nobody is let in until one ends, and no more are started. */
static int
brokers_hang(int from)
{
	struct hostile *e;
	unsigned int nb;
	char c = 0;

	PEER_WAIT(read(from, &c, 1) == 1, TEST_MS);
	if (c != 'h')
		return test_skip("FUSE cannot be mounted here");
	PEER_WAIT(test_signal_brokers(0) >= MAX_LEFT + MAX_USERS - 1, 4 * TEST_MS);
	peer_turn_ms(300);
	nb = test_signal_brokers(0);
	test_note("%u brokers", nb);
	TEST_TRUE(nb <= MAX_LEFT + MAX_USERS + 1); /* and that of strangers */
	e = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(e != NULL);
	TEST_EXPECT(hostile_hello_send(e), 0);
	peer_turn_ms(100);
	TEST_EXPECT(hostile_recv(e), 0);
	return peer_honest(10);
}

static int
test_many_hang(void)
{
	int ends[2], ret;
	struct hostile *e;
	pid_t pid;

	TEST_CALL(peer_need_user(FIRST_UID + NB_USERS - 1));
	TEST_CALL(test_need_fds((MAX_LEFT + MAX_USERS) * 4));
	TEST_EXPECT(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	fflush(stdout);
	pid = fork();
	TEST_TRUE(pid >= 0);
	if (pid == 0)
		hangers_main(ends[1]);
	ret = brokers_hang(ends[0]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	close(ends[0]);
	close(ends[1]);
	if (ret != TEST_SUCCESS)
		return ret;
	PEER_WAIT(test_signal_brokers(0) <= MAX_USERS + 1, TEST_MS);
	e = hostile_up();
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	return TEST_SUCCESS;
}

/* A card of its own, for strangers: they may enter the folder, and are not let in. */
struct alone {
	char path[PATH_MAX];
	int dev;
	struct rte_comch_pe *pe;
	unsigned int brokers; /* of others */
};

static int
alone_open(struct alone *alone)
{
	memset(alone, 0, sizeof(*alone));
	alone->dev = -1;
	alone->brokers = test_signal_brokers(0);
	TEST_EXPECT(test_rendezvous_create(alone->path, sizeof(alone->path)), 0);
	alone->dev = test_vdev_add("role=dpu,functions=pf0,uids=%u,path=%s", FIRST_UID,
		alone->path);
	TEST_TRUE(alone->dev >= 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &alone->pe), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(alone->pe, (int16_t)alone->dev), 0);
	return TEST_SUCCESS;
}

/* Whatever there is of it. How long that takes, in ms. */
static int
alone_close(struct alone *alone, uint64_t *ms)
{
	const uint64_t begin = test_now_ns();
	int ret = 0;

	if (alone->pe != NULL)
		ret = rte_comch_pe_destroy(alone->pe);
	if (alone->dev >= 0)
		ret += test_vdev_remove((int16_t)alone->dev);
	*ms = (test_now_ns() - begin) / 1000000;
	test_rendezvous_remove(alone->path);
	TEST_EXPECT(ret, 0);
	TEST_UNTIL(test_signal_brokers(0) <= alone->brokers, 0, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * It comes, and leaves a descriptor in its socket, which nobody else has then: if it does not
 * come, nobody has it either.
 */
static int
stranger_comes(const struct alone *alone, int fd)
{
	struct hostile *e = hostile_become(OTHER_UID) ? hostile_open(alone->path, "pf0") : NULL;
	int ret = -ENOTCONN;

	if (seteuid(0) == 0 && e != NULL)
		ret = hostile_send_raw(e, "", 1, &fd, 1);
	close(fd);
	if (e != NULL)
		hostile_close(e);
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

/* A stranger waits when the device ends, and what closes its socket would wait for it. */
static int
test_backlog_lingers(void)
{
	int fd, other = -1, ret;
	struct alone alone;
	uint64_t ms = 0;

	TEST_CALL(peer_need_user(OTHER_UID));
	fd = peer_lingering_fd(&other);
	if (fd < 0)
		return test_skip("no TCP here to make a socket that lingers");
	ret = alone_open(&alone);
	if (ret == TEST_SUCCESS)
		ret = stranger_comes(&alone, fd);
	else
		close(fd);
	ret += alone_close(&alone, &ms);
	close(other);
	TEST_EXPECT(ret, TEST_SUCCESS);
	test_note("%u ms until the device has ended", (unsigned int)ms);
	TEST_TRUE(ms < LINGER_MS);
	return TEST_SUCCESS;
}

/* The threads of all devices; where they may run now is told if that is asked for. */
static unsigned int
threads_set(const cpu_set_t *cpus, int policy, cpu_set_t *now)
{
	const struct sched_param param = { .sched_priority = 0 };
	DIR *d = opendir("/proc/self/task");
	char path[80], name[16];
	struct dirent *entry;
	unsigned int nb = 0;
	pid_t tid;
	FILE *f;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/comm", entry->d_name);
		f = fopen(path, "r");
		if (f == NULL)
			continue;
		tid = (pid_t)strtol(entry->d_name, NULL, 10);
		if (fgets(name, sizeof(name), f) != NULL && strcmp(name, "comch-shm\n") == 0 &&
				(now == NULL || sched_getaffinity(tid, sizeof(*now), now) == 0) &&
				(cpus == NULL || sched_setaffinity(tid, sizeof(*cpus), cpus) == 0))
			nb += sched_setscheduler(tid, policy, &param) == 0;
		fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return nb;
}

/* So many strangers have come by now: all that they have brought is handed on, and closed here. */
static int
strangers_go(const struct alone *alone, unsigned int nb, unsigned int fds)
{
	struct rte_comch_dev_stats stats = { 0 };

	TEST_UNTIL(rte_comch_dev_stats_get((int16_t)alone->dev, &stats) == 0 &&
		stats.links_refused == nb, (peer_serve(alone->pe), 0), TEST_MS);
	TEST_UNTIL(test_count_fds() <= fds, 0, LINGER_MS);
	return TEST_SUCCESS;
}

/* Any thread may become slow; to end that needs a right. */
static void *
slow_and_back(void *arg)
{
	const struct sched_param param = { .sched_priority = 0 };
	bool *can = arg;

	*can = sched_setscheduler(0, SCHED_IDLE, &param) == 0 &&
		sched_setscheduler(0, SCHED_OTHER, &param) == 0;
	return NULL;
}

/* The descriptor is closed here, as in stranger_comes(). */
static int
slow_thread(const struct alone *alone, int fd)
{
	unsigned int fds = test_count_fds(), nb_threads, nb_brokers;
	cpu_set_t all, one;
	int cpu, ret;

	CPU_ZERO(&all);
	nb_threads = threads_set(NULL, SCHED_OTHER, &all);
	for (cpu = 0; cpu < CPU_SETSIZE - 1 && !CPU_ISSET(cpu, &all); cpu++)
		;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	/* their broker begins on the same processor */
	threads_set(&one, SCHED_OTHER, NULL);
	ret = stranger_comes(alone, dup(STDIN_FILENO)) + strangers_go(alone, 1, fds);
	nb_brokers = test_signal_brokers(0) - alone->brokers;
	if (ret == TEST_SUCCESS && nb_brokers == 1) {
		threads_set(&one, SCHED_IDLE, NULL);
		/* both at first: to become another user interrupts what waits */
		ret = stranger_comes(alone, fd) + stranger_comes(alone, dup(STDIN_FILENO));
		ret += strangers_go(alone, 3, fds - 1);
	} else {
		close(fd);
	}
	/* also that of the suite's device */
	TEST_TRUE(threads_set(&all, SCHED_OTHER, NULL) == nb_threads && nb_threads >= 2);
	TEST_EXPECT(nb_brokers, 1);
	TEST_EXPECT(ret, TEST_SUCCESS);
	return TEST_SUCCESS;
}

/*
 * A broker that is faster than the thread which hands it a socket does not close it first: the
 * last close waits, and then it would not be the broker's.
 */
static int
test_thread_slow(void)
{
	int fd, other = -1, ret;
	struct alone alone;
	pthread_t thread;
	bool can = false;
	uint64_t ms;

	TEST_CALL(peer_need_user(OTHER_UID));
	TEST_EXPECT(pthread_create(&thread, NULL, slow_and_back, &can), 0);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	if (!can)
		return test_skip("a thread that is slowed would stay so here");
	fd = peer_lingering_fd(&other);
	if (fd < 0)
		return test_skip("no TCP here to make a socket that lingers");
	ret = alone_open(&alone);
	if (ret == TEST_SUCCESS)
		ret = slow_thread(&alone, fd);
	else
		close(fd);
	close(other);
	ret += alone_close(&alone, &ms);
	return ret == 0 ? TEST_SUCCESS : TEST_FAILED;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: brokers",
	.setup = broker_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_brokers),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_order),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_ended),
		TEST_CASE_ST(peer_setup, peer_teardown, test_words_left),
		TEST_CASE_ST(peer_setup, peer_teardown, test_full_broker),
		TEST_CASE_ST(peer_setup, peer_teardown, test_backlog_lingers),
		TEST_CASE_ST(peer_setup, peer_teardown, test_thread_slow),
		/* last: it leaves brokers that are still ending */
		TEST_CASE_ST(peer_setup, peer_teardown, test_many_hang),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_broker_autotest, unit_test_suite_runner, &suite)
