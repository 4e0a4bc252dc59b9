/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Peers that die, stall, come in crowds or may not come at all. Messages and
 * memory that are wrong are attacked in other files.
 */

#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_peer.h"

#define HALF_OPEN 1000
/* Links of one user besides the honest one; those that wait for their refusal are not kept. */
#define MAX_KEPT 127u
/* Connections that one client asks for, and leaves half open. */
#define NEVER_READY 100u
/* The driver waits so long for READY. */
#define READY_MS 6000
#define CHAN_CYCLES 10000
#define LINK_CYCLES 2000
/* Kilobytes that the allocator may keep. */
#define RSS_SLACK 4096

static int crowd[HALF_OPEN];

static int
addr_connect(const struct sockaddr_un *addr, unsigned int len)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0 && connect(fd, (const struct sockaddr *)addr, len) != 0) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int
crowd_connect(void)
{
	struct sockaddr_un addr;
	unsigned int len = hostile_addr(&addr, peer_env.path, "pf0");

	return addr_connect(&addr, len);
}

static bool
crowd_fd_gone(int fd)
{
	char buf[256];
	ssize_t n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);

	/* a refusal, and then the end */
	if (n > 0)
		n = recv(fd, buf, sizeof(buf), MSG_DONTWAIT);
	return n == 0 || (n < 0 && errno != EAGAIN);
}

/* As many as this process may have beside those that the device has. */
static unsigned int
crowd_size(void)
{
	const rlim_t want = 2 * HALF_OPEN;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return 100;
	if (limit.rlim_cur < want && limit.rlim_max > limit.rlim_cur) {
		limit.rlim_cur = RTE_MIN(want, limit.rlim_max);
		setrlimit(RLIMIT_NOFILE, &limit);
	}
	return limit.rlim_cur >= want ? HALF_OPEN : (unsigned int)(limit.rlim_cur / 2);
}

static unsigned int
crowd_kept(unsigned int nb)
{
	unsigned int i, kept = 0;

	for (i = 0; i < nb; i++)
		kept += !crowd_fd_gone(crowd[i]);
	return kept;
}

/* Sockets that say nothing: only so many are kept, and not for long. */
static int
test_half_open(void)
{
	struct rte_comch_dev_stats before, after;
	struct rte_comch_dev_info info;
	uint64_t begin = test_now_ns(), end;
	unsigned int size = crowd_size();
	unsigned int i, nb = 0, gone = 0, kept = 0;

	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &before), 0);
	for (i = 0; nb < size && i < 100 * HALF_OPEN; i++) {
		crowd[nb] = crowd_connect();
		if (crowd[nb] >= 0)
			nb++;
		else
			peer_turn();
	}
	TEST_EXPECT(nb, size);
	TEST_CALL(peer_honest(100));
	PEER_WAIT((kept = crowd_kept(nb)) <= MAX_KEPT, TEST_MS);
	test_note("%u of %u silent sockets are kept", kept, nb);
	TEST_EXPECT(rte_comch_dev_info_get(peer_env.dpu, &info), 0);
	TEST_EXPECT(info.nb_links, 1);
	end = begin + (uint64_t)4000 * 1000000;
	while (gone < nb && test_now_ns() < end) {
		TEST_CALL(peer_honest(1));
		peer_turn_ms(1);
		while (gone < nb && crowd_fd_gone(crowd[gone]))
			gone++;
	}
	for (i = 0; i < nb; i++)
		close(crowd[i]);
	TEST_ASSERT(gone == nb, "%u of %u silent sockets are gone after 4 s", gone, nb);
	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &after), 0);
	TEST_TRUE(after.peer_lost - before.peer_lost >= kept && peer_violations() == 0);
	/* and then there is room again */
	hostile_connected();
	return TEST_SUCCESS;
}

/* One client asks for a connection in a loop, and takes none. */
static int
connect_flood(uint32_t queue_size, uint32_t nb_sizes, unsigned int rounds)
{
	struct hostile *e = hostile_up();
	union shm_wire_msg msg;
	uint64_t begin, longest = 0;
	unsigned int i, sent = 0, id = 0;

	for (i = 0; i < rounds && !hostile_gone(e); i++) {
		while (sent < 20 * (i + 1)) {
			hostile_fill(&msg, SHM_WIRE_CONNECT, id);
			msg.connect.rx.queue_size = queue_size - id % nb_sizes;
			if (hostile_send(e, &msg, SHM_WIRE_CONNECT, id, -1) != 0)
				break;
			if (hostile_say(e, SHM_WIRE_CLOSE, id) != 0)
				break;
			id = (id + 1) % SHM_WIRE_MAX_CHANS;
			sent++;
		}
		begin = test_now_ns();
		TEST_CALL(peer_honest(1));
		longest = RTE_MAX(longest, test_now_ns() - begin);
	}
	test_note("%u requests; longest echo of the honest client %u us", sent,
			(unsigned int)(longest / 1000));
	TEST_TRUE(sent > 10 * rounds);
	TEST_TRUE(longest < (TEST_ASAN ? UINT64_C(5000000000) : UINT64_C(1000000000)));
	/* what they all had is there for another one */
	peer_turn_ms(1);
	while (hostile_recv(e) > 0)
		;
	hostile_fill(&msg, SHM_WIRE_CONNECT, SHM_WIRE_MAX_CHANS - 1);
	msg.connect.rx.queue_size = queue_size - nb_sizes;
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, SHM_WIRE_MAX_CHANS - 1, -1), 0);
	do {
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS), 0);
	} while (e->msg.hdr.chan != SHM_WIRE_MAX_CHANS - 1);
	return TEST_SUCCESS;
}

static int
test_connect_flood(void)
{
	return connect_flood(4, 1, 300);
}

/* The same, but it wants as much memory as it can, and each time another size. */
static int
test_memory_flood(void)
{
	return connect_flood(4000, 60, 6);
}

/* How often the card's side has had enough of a peer. */
static uint64_t
blamed(void)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(peer_env.dpu, &stats);
	return stats.peer_lost + stats.violations;
}

/* A peer that asks and asks and reads no answer: bounded memory and descriptors. */
static int
test_never_reads(void)
{
	struct hostile *e = hostile_up();
	uint64_t end = test_now_ns() + (uint64_t)3000 * 1000000;
	const uint64_t before = blamed();
	unsigned int most = 0, fds, id, sent = 0;
	int ret;

	for (id = 0; id < SHM_WIRE_MAX_CHANS && test_now_ns() < end;) {
		ret = hostile_say(e, SHM_WIRE_CONNECT, id);
		if (ret == 0) {
			id++;
			sent++;
		} else if (ret == -EPIPE) {
			break;
		} else {
			peer_turn();
		}
		if (id % 64 == 0) {
			peer_turn();
			fds = test_count_fds();
			most = RTE_MAX(most, fds);
		}
	}
	for (id = 0; id < 200; id++) {
		peer_turn();
		fds = test_count_fds();
		most = RTE_MAX(most, fds);
	}
	TEST_CALL(peer_honest(10));
	test_note("%u requests, at most %u more descriptors", sent, most - peer_env.fds);
	TEST_TRUE(most < peer_env.fds + 128);
	/* what it should have said to these answers is waited for, and not for ever */
	PEER_WAIT(blamed() != before, READY_MS + TEST_MS);
	return TEST_SUCCESS;
}

/* Requests that are refused, without a reader, until the device has enough. */
static int
test_refusals_never_read(void)
{
	struct hostile *e = hostile_up();
	union shm_wire_msg msg;
	unsigned int i;
	int ret = 0;

	hostile_fill(&msg, SHM_WIRE_CONNECT, 0);
	strcpy(msg.connect.name, "nobody");
	for (i = 0; i < 40000 && ret != -EPIPE && ret != -ECONNRESET; i++) {
		ret = hostile_send(e, &msg, SHM_WIRE_CONNECT, 0, -1);
		if (ret != 0)
			peer_turn();
	}
	PEER_WAIT(hostile_gone(e), TEST_MS);
	TEST_EXPECT(peer_violations(), 1);
	return TEST_SUCCESS;
}

/* The peer dies after each step there is; with and without a look in between. */
static int
death(unsigned int stage, bool look)
{
	struct hostile *e = hostile_open(peer_env.path, "pf0");
	union shm_wire_msg msg;
	uint32_t magic = SHM_WIRE_MAGIC;

	TEST_TRUE(e != NULL);
	switch (stage) {
	case 0:
		break;
	case 1:
		TEST_EXPECT(hostile_send_raw(e, &magic, sizeof(magic), NULL, 0), 0);
		break;
	case 2:
		TEST_EXPECT(hostile_seg_create(&e->seg,
				offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)), 0);
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd), 0);
		break;
	case 3:
		TEST_EXPECT(hostile_hello(e), 0);
		break;
	case 4:
		TEST_EXPECT(hostile_hello(e), 0);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CONNECT, 0), 0);
		break;
	case 5:
		TEST_EXPECT(hostile_hello(e), 0);
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		break;
	case 6:
		TEST_EXPECT(hostile_hello(e), 0);
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		TEST_EXPECT(hostile_ready(e, &e->chan), 0);
		break;
	case 7:
	case 8:
		TEST_EXPECT(hostile_hello(e), 0);
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		TEST_EXPECT(hostile_ready(e, &e->chan), 0);
		hostile_put(e, &e->chan, "last words", 10);
		if (stage == 8) {
			TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
		}
		break;
	default:
		hostile_close(e);
		PEER_WAIT(peer_links() == 1, TEST_MS);
		peer_turn_ms(1);
		e = hostile_connected();
		TEST_EXPECT(test_send(peer_env.target->conn, "lost", 4), 0);
		break;
	}
	if (look)
		peer_turn();
	hostile_close(e);
	return TEST_SUCCESS;
}

static int
test_death_at_each_stage(void)
{
	unsigned int stage, round;

	for (round = 0; round < 20; round++)
		for (stage = 0; stage <= 9; stage++)
			TEST_CALL(death(stage, round % 2 != 0));
	/* what was published before the death was delivered, and then it ended */
	PEER_WAIT(peer_links() == 1, TEST_MS);
	peer_turn_ms(2);
	TEST_EXPECT(peer_env.target->nb_connects, peer_env.target->nb_disconnects);
	return TEST_SUCCESS;
}

static int
rss_flat(uint64_t before)
{
	uint64_t now = peer_resident_kb();

	test_note("memory: %u kB before, %u kB after", (unsigned int)before, (unsigned int)now);
	if (TEST_ASAN)
		return TEST_SUCCESS; /* it keeps freed memory to itself */
	TEST_ASSERT(now <= before + RSS_SLACK, "memory grows");
	return TEST_SUCCESS;
}

static int
chan_cycle(struct hostile *e)
{
	uint32_t connects = peer_env.target->nb_connects;

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	PEER_WAIT(peer_env.target->nb_connects == connects + 1, TEST_MS);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	return TEST_SUCCESS;
}

static int
test_connection_cycles(void)
{
	struct hostile *e = hostile_up();
	unsigned int i, fds = 0, maps = 0;
	uint64_t rss = 0;

	for (i = 0; i < CHAN_CYCLES; i++) {
		TEST_CALL(chan_cycle(e));
		if (i == 100) {
			fds = test_count_fds();
			maps = test_count_maps();
			rss = peer_resident_kb();
		}
	}
	PEER_WAIT(test_count_fds() <= fds, TEST_MS);
	PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return rss_flat(rss);
}

static int
test_link_cycles(void)
{
	unsigned int i, fds = 0, maps = 0;
	uint64_t rss = 0;
	struct hostile *e;

	for (i = 0; i <= LINK_CYCLES; i++) {
		e = i % 4 == 0 ? hostile_connected() : hostile_up();
		hostile_close(e);
		if (i != 100 && i != LINK_CYCLES)
			continue;
		PEER_WAIT(peer_links() == 1, TEST_MS);
		peer_turn_ms(2);
		if (i == 100) {
			fds = test_count_fds();
			maps = test_count_maps();
			rss = peer_resident_kb();
		}
	}
	PEER_WAIT(test_count_fds() <= fds, TEST_MS);
	PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return rss_flat(rss);
}

/* In a child: nothing but system calls, and no way back. */
struct child {
	pid_t pid;
	int to;
	int from;
};

static void
child_hello(int fd)
{
	union shm_wire_msg msg;
	struct hostile e = { .fd = fd };

	hostile_fill(&msg, SHM_WIRE_HELLO, 0);
	if (hostile_seg_create(&e.seg, offsetof(struct shm_wire_link, sock_doorbell),
			sizeof(struct shm_wire_link)) != 0 ||
			hostile_send(&e, &msg, SHM_WIRE_HELLO, 0, e.seg.fd) != 0)
		_exit(2);
}

enum child_job {
	CHILD_FORKS,   /* Has a child of its own that keeps the socket. */
	CHILD_CLOSES,  /* Closes the socket when told, and exits when told. */
};

static void __attribute__((noreturn))
child_main(enum child_job job, int in, int out)
{
	struct sockaddr_un addr;
	unsigned int len = hostile_addr(&addr, peer_env.path, "pf0");
	pid_t pid = 0;
	char c = 0;
	int fd;

	alarm(20);
	fd = addr_connect(&addr, len);
	if (fd < 0)
		_exit(4);
	child_hello(fd);
	if (job == CHILD_FORKS) {
		pid = fork();
		if (pid == 0) {
			alarm(20);
			close(out);
			if (read(in, &c, 1) != 0)
				_exit(1);
			_exit(0); /* the test has closed the pipe */
		}
	}
	if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
		_exit(5);
	if (job == CHILD_CLOSES) {
		close(fd);
		if (write(out, &c, 1) != 1 || read(in, &c, 1) != 1)
			_exit(5);
		_exit(0);
	}
	_exit(0);
}

static int
child_start(struct child *child, enum child_job job)
{
	int in[2], out[2];
	char c;

	/* not inherited across exec, but kept by a fork; the fork closes its ends */
	TEST_EXPECT(pipe(in), 0);
	TEST_EXPECT(pipe(out), 0);
	fflush(stdout);
	child->pid = fork();
	TEST_TRUE(child->pid >= 0);
	if (child->pid == 0) {
		close(in[1]);
		close(out[0]);
		child_main(job, in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	child->to = in[1];
	child->from = out[0];
	TEST_ASSERT(read(child->from, &c, 1) == 1, "the child did not get so far");
	return TEST_SUCCESS;
}

static int
child_tell(struct child *child)
{
	char c = 0;

	return write(child->to, &c, 1) == 1 ? 0 : -errno;
}

static int
child_end(struct child *child)
{
	int status = -1;

	waitpid(child->pid, &status, 0);
	close(child->to);
	close(child->from);
	return status;
}

/* The process is killed, but a child of it holds the socket: no end of file. */
static int
test_fork_holds_socket(void)
{
	struct child child;
	uint64_t begin;

	TEST_CALL(child_start(&child, CHILD_FORKS));
	PEER_WAIT(peer_links() == 2, TEST_MS);
	begin = test_now_ns();
	TEST_EXPECT(kill(child.pid, SIGKILL), 0);
	while (peer_links() != 1 && test_now_ns() - begin < (uint64_t)TEST_MS * 1000000)
		test_progress();
	test_note("death noticed after %u us", (unsigned int)((test_now_ns() - begin) / 1000));
	TEST_EXPECT(peer_links(), 1);
	TEST_TRUE(WIFSIGNALED(child_end(&child)));
	return TEST_SUCCESS;
}

/*
 * A process closes its socket, another one connects, the first one exits: all
 * between two looks. What is told of the first must not hit the second.
 */
static int
test_death_beside_birth(void)
{
	struct hostile *e;
	struct child child;
	unsigned int i;
	char c;

	for (i = 0; i < 5; i++) {
		TEST_CALL(child_start(&child, CHILD_CLOSES));
		PEER_WAIT(peer_links() == 2, TEST_MS);
		peer_turn_ms(1);
		TEST_EXPECT(child_tell(&child), 0);
		TEST_TRUE(read(child.from, &c, 1) == 1);
		e = hostile_open(peer_env.path, "pf0");
		TEST_TRUE(e != NULL);
		TEST_EXPECT(child_tell(&child), 0);
		TEST_EXPECT(child_end(&child), 0);
		peer_turn();
		TEST_EXPECT(hostile_hello(e), 0);
		PEER_WAIT(peer_links() == 2, TEST_MS);
		hostile_close(e);
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* It has died before anybody has looked, and a child of it holds the socket. */
static int
dead_begin(struct child *child)
{
	TEST_CALL(child_start(child, CHILD_FORKS));
	TEST_EXPECT(kill(child->pid, SIGKILL), 0);
	TEST_EXPECT(waitpid(child->pid, NULL, 0), child->pid);
	return TEST_SUCCESS;
}

static void
dead_end(struct child *child)
{
	close(child->to);
	close(child->from);
}

static int
test_dead_before_seen(void)
{
	struct child child;

	TEST_CALL(dead_begin(&child));
	peer_turn_ms(20);
	PEER_WAIT(peer_links() == 1, TEST_MS);
	TEST_CALL(peer_honest(10));
	dead_end(&child);
	return TEST_SUCCESS;
}

/* A process with this number; or one with another, if that cannot be had. */
static pid_t
pid_again(pid_t pid, const struct child *child)
{
	FILE *f = fopen("/proc/sys/kernel/ns_last_pid", "w");
	pid_t again;

	if (f != NULL) {
		fprintf(f, "%d", (int)pid - 1);
		fclose(f);
	}
	again = fork();
	if (again == 0) {
		alarm(20);
		close(child->to);
		pause();
		_exit(0);
	}
	return again;
}

/*
 * The number of a process that has died is that of another one, before anybody has looked:
 * the card's side takes that for its end, and has it gone with that one.
 */
static int
test_pid_of_another(void)
{
	struct child child;
	unsigned int i;
	pid_t other;

	TEST_CALL(dead_begin(&child));
	other = pid_again(child.pid, &child);
	for (i = 0; i < 100 && other > 0 && other != child.pid; i++) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
		other = pid_again(child.pid, &child);
	}
	if (other != child.pid) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
		dead_end(&child);
		return test_skip("no process can have the number of one that has ended");
	}
	PEER_WAIT(peer_links() == 2, TEST_MS);
	TEST_CALL(peer_honest(10));
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	PEER_WAIT(peer_links() == 1, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	dead_end(&child);
	return TEST_SUCCESS;
}

/*
 * A client that never says READY has its places taken back, later than it would give up, and
 * not all in one turn.
 */
static int
test_never_ready(void)
{
	struct hostile *e = hostile_up();
	struct rte_comch_dev_stats stats;
	uint64_t begin = test_now_ns(), lost, last;
	uint32_t most = 0;
	unsigned int i;

	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &stats), 0);
	lost = last = stats.peer_lost;
	for (i = 0; i < NEVER_READY; i++) {
		TEST_EXPECT(hostile_connect(e, &e->chan, i), 0);
		hostile_chan_free(&e->chan);
	}
	while (last < lost + NEVER_READY) {
		TEST_TRUE(test_now_ns() - begin < (uint64_t)30000 * 1000000);
		rte_comch_pe_progress(peer_env.pe);
		TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &stats), 0);
		/* 5000: what a client waits if its configuration says nothing else */
		TEST_TRUE(stats.peer_lost == lost ||
			test_now_ns() - begin > (uint64_t)5000 * 1000000);
		most = RTE_MAX(most, (uint32_t)(stats.peer_lost - last));
		last = stats.peer_lost;
	}
	test_note("at most %u of %u ended in one turn", most, NEVER_READY);
	TEST_TRUE(most <= NEVER_READY / 2);
	TEST_EXPECT(last, lost + NEVER_READY);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSE, TEST_MS), 0);
	TEST_EXPECT(e->msg.reason.reason, -ETIMEDOUT);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * Sockets are served by an engine that has no more than an IDLE context of the
 * device, and a peer then does all that ends its link.
 */
static int
test_idle_engine(void)
{
	char path[PATH_MAX];
	struct rte_comch_server_conf conf;
	struct rte_comch_pe *pe = NULL;
	struct rte_comch_ctx *ctx;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i, n;
	int dev, ret;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev = test_vdev_add("role=dpu,functions=pf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	test_server_conf(NULL, "idle", &conf);
	TEST_EXPECT(rte_comch_server_create((int16_t)dev, 0, &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	for (i = 0; i < 4; i++) {
		e = hostile_open(path, "pf0");
		TEST_TRUE(e != NULL);
		TEST_EXPECT(hostile_seg_create(&e->seg,
				offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)), 0);
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		if (i == 0)
			msg.hello.version = SHM_WIRE_VERSION + 1;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd), 0);
		ret = 0;
		for (n = 0; n < 100000 && ret != -EPIPE; n++) {
			hostile_fill(&msg, i == 1 ? SHM_WIRE_GROUP : i == 2 ? SHM_WIRE_CLOSED :
					SHM_WIRE_CONNECT, 0);
			msg.group.group = i == 1 ? 77 : 0;
			ret = hostile_send(e, &msg, msg.hdr.type, 0, i == 1 ? e->seg.fd : -1);
			if (ret != 0)
				rte_comch_pe_progress(pe);
		}
		TEST_ASSERT(ret == -EPIPE, "way %u does not end the link", i);
		hostile_close(e);
	}
	for (i = 0; i < 1000; i++) /* what is left of the last one */
		rte_comch_pe_progress(pe);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_rendezvous_remove(path);
	return TEST_SUCCESS;
}

/*
 * What the peer gives as its reason was handed to the application as it came:
 * it could say that the connection was ended from this side.
 */
static int
test_close_reasons(void)
{
	static const int reasons[] = {
		-EPROTO, -ETIMEDOUT, -ECANCELED, -ECONNRESET, 5, INT_MIN, 0, -ESHUTDOWN, INT_MAX,
	};
	struct test_ep *target = peer_env.target;
	struct hostile *e = hostile_up();
	union shm_wire_msg msg;
	uint32_t connects, gone;
	unsigned int i;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		connects = target->nb_connects;
		gone = target->nb_disconnects;
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		TEST_EXPECT(hostile_ready(e, &e->chan), 0);
		PEER_WAIT(target->nb_connects == connects + 1, TEST_MS);
		target->disconnect_status = INT_MAX;
		hostile_fill(&msg, SHM_WIRE_CLOSE, 0);
		msg.reason.reason = reasons[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CLOSE, 0, -1), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
		PEER_WAIT(target->nb_disconnects == gone + 1, TEST_MS);
		TEST_ASSERT(target->disconnect_status == (i < 2 ? -ECONNRESET : 0),
				"the reason %d of the peer became the status %d", reasons[i],
				target->disconnect_status);
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: death, crowds and unknown peers",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_half_open),
		PEER_CASE(test_connect_flood),
		PEER_CASE(test_memory_flood),
		PEER_CASE(test_never_reads),
		PEER_CASE(test_refusals_never_read),
		PEER_CASE(test_death_at_each_stage),
		PEER_CASE(test_connection_cycles),
		PEER_CASE(test_link_cycles),
		PEER_CASE(test_fork_holds_socket),
		PEER_CASE(test_death_beside_birth),
		PEER_CASE(test_dead_before_seen),
		PEER_CASE(test_pid_of_another),
		PEER_CASE(test_never_ready),
		PEER_CASE(test_idle_engine),
		PEER_CASE(test_close_reasons),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_life_autotest, unit_test_suite_runner, &suite)
