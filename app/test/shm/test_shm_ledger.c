/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What one user takes of one function, however many processes, sockets and connections it
 * has: attacks on the limits, and the honest beside them. What a single message can ask for
 * is in the other suites of the hostile peer.
 */

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_ledger.h"

#define MAX_LINKS 6
#define NB_REFUSED 16u
#define MAX_MAPS 60
#define MAX_MEM 16u /* MiB */
#define LINK_FDS 2u
/* So many sockets are too much for a process without a core. */
#define MAX_SLOW 500u
/* So long the driver has its thread close descriptors, before it is the peer that holds it. */
#define FDS_MS 1000u
/* Processes that come while nothing is closed, and the sockets that may be taken of them. */
#define NB_STAY 200u
#define MAX_STAY 100u
/* More than sockets hold, and less than may wait for one that has the memory. */
#define MAX_UNREAD 4000u
#define REGION_SIZE (4ul << 20)
#define LARGE_SIZE ((MAX_MEM + 4ul) << 20)
/* Of which one fits and two do not, and how often two engines want one at a time. */
#define LARGE_MIB 10u
#define ENGINE_ROUNDS 20u

/* An engine that turns in a thread of its own, with a server. */
struct engine {
	struct rte_comch_pe *pe;
	struct test_ep *server;
	pthread_t thread;
	bool stop;
};

/* The device takes half of what its process may have as its limit of descriptors. */
static int
ledger_suite_setup(void)
{
	struct rlimit before, few;
	int ret;

	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 2 * MAX_FDS;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &few), 0);
	peer_env.args = ",max_links=6,max_maps=60,max_mem=16,uids=21235";
	ret = peer_suite_setup();
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &before), 0);
	return ret;
}

/* HELLO on a new socket: the status of the answer. */
static int
link_open(struct hostile **e)
{
	*e = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(*e != NULL);
	hostile_hello_send(*e);
	TEST_EXPECT(hostile_wait(*e, SHM_WIRE_HELLO_ACK, TEST_MS), 0);
	return (*e)->msg.hello_ack.status;
}

/* CONNECT with a ring of so many messages of the default size: 0, or why it is refused. */
static int
queue_open(struct hostile *e, uint32_t id, uint32_t queue_size)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int type = 0;

	TEST_EXPECT(hostile_connect_send(e, id, "target", queue_size), 0);
	while (type != SHM_WIRE_ACCEPT && type != SHM_WIRE_REFUSE) {
		TEST_TRUE(test_now_ns() < end && type >= 0);
		peer_turn();
		type = hostile_recv(e);
	}
	return type == SHM_WIRE_ACCEPT ? 0 : e->msg.reason.reason;
}

/* The same with a ring of about so many MiB. */
static int
conn_open(struct hostile *e, uint32_t id, uint32_t mib)
{
	return queue_open(e, id, RTE_MAX(1u, mib * 255));
}

/* One process, many sockets: the links of all count. */
static int
test_links(void)
{
	struct hostile *e[MAX_LINKS], *more;
	unsigned int i, fds = 0;

	/* the honest client has one */
	for (i = 0; i < MAX_LINKS - 1; i++)
		TEST_EXPECT(link_open(&e[i]), 0);
	for (i = 0; i < NB_REFUSED; i++) {
		TEST_EXPECT(link_open(&more), -EUSERS);
		hostile_close(more);
		if (i == 0) /* by a process that may have just begun */
			PEER_WAIT((fds = test_count_broker_fds()) != 0, TEST_MS);
	}
	/* and none of them is kept to be closed */
	peer_turn_ms(100);
	PEER_WAIT(test_count_broker_fds() < fds + NB_REFUSED / 2, TEST_MS);
	TEST_CALL(peer_honest(10));
	hostile_close(e[0]);
	PEER_WAIT(link_open(&more) == 0, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * The process that closes what is refused has no core, and far too much to do: it is replaced,
 * and killed some time later, though nothing more comes.
 */
static int
test_refused_slowly(void)
{
	unsigned int i, before;
	struct hostile *e;

	for (i = 0; i < MAX_LINKS; i++)
		TEST_EXPECT(link_open(&e), i < MAX_LINKS - 1 ? 0 : -EUSERS);
	hostile_close(e);
	PEER_WAIT(test_signal_brokers(0) != 0, TEST_MS); /* it is started for that one */
	before = test_signal_brokers(SIGSTOP);
	for (i = 0; i < MAX_SLOW && test_signal_brokers(0) == before; i++) {
		TEST_EXPECT(link_open(&e), -EUSERS);
		hostile_close(e);
	}
	test_note("%u sockets for one that does nothing", i);
	TEST_TRUE(i < MAX_SLOW);
	PEER_WAIT(test_signal_brokers(0) <= before, TEST_MS);
	test_signal_brokers(SIGCONT);
	return TEST_SUCCESS;
}

/* It is killed: what is refused next has another one. */
static int
test_refused_anew(void)
{
	struct hostile *e;
	unsigned int i;

	if (getenv("COMCH_TEST_BROKER") != NULL)
		return test_skip("the honest have such a process, too");
	for (i = 0; i <= MAX_LINKS; i++) {
		TEST_EXPECT(link_open(&e), i < MAX_LINKS - 1 ? 0 : -EUSERS);
		if (i < MAX_LINKS - 1)
			continue;
		hostile_close(e);
		PEER_WAIT(test_signal_brokers(0) == 1, TEST_MS);
		if (i == MAX_LINKS)
			break;
		PEER_WAIT(test_signal_brokers(SIGKILL) == 0, TEST_MS); /* it may be started anew */
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A link that only waits costs little: its tables come with its first connection. */
static int
test_idle_links(void)
{
	const uint64_t before = peer_resident_kb();
	struct hostile *e;
	unsigned int i;

	if (TEST_ASAN)
		return test_skip("AddressSanitizer has memory of its own for each block");
	for (i = 0; i < MAX_LINKS - 1; i++)
		TEST_EXPECT(link_open(&e), 0);
	test_note("%u kB for %u links, with this side of them", (unsigned int)(peer_resident_kb() -
		before), i);
	TEST_TRUE(peer_resident_kb() < before + i * 2 * 64);
	return TEST_SUCCESS;
}

/* And so does the memory of their rings. */
static int
test_memory(void)
{
	struct hostile *e[MAX_LINKS - 1];
	uint32_t nb = 0, id, round;
	unsigned int i;
	int ret = 0;

	for (round = 0; round < 2; round++) {
		nb = 0;
		for (i = 0; i < RTE_DIM(e); i++)
			TEST_EXPECT(link_open(&e[i]), 0);
		for (id = 0; id < 8 * RTE_DIM(e); id++) {
			ret = conn_open(e[id % RTE_DIM(e)], id / RTE_DIM(e), 1);
			if (ret != 0)
				break;
			nb++;
		}
		test_note("%u rings of 1 MiB in %u links", nb, (unsigned int)RTE_DIM(e));
		TEST_EXPECT(ret, -ENOMEM);
		TEST_TRUE(nb >= MAX_MEM - 2 && nb <= MAX_MEM);
		TEST_CALL(peer_honest(10));
		/* what they had is there again */
		for (i = 0; i < RTE_DIM(e); i++)
			hostile_close(e[i]);
		PEER_WAIT(peer_links() == 1, TEST_MS);
		PEER_WAIT(peer_env.target->conn == NULL, TEST_MS);
		PEER_WAIT(test_count_maps() <= peer_env.maps, TEST_MS);
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* The memory of the completions of its consumers, too. */
static int
test_consumers(void)
{
	struct hostile *e = hostile_connected();
	struct hostile_consumer c;
	uint32_t id;
	int ret = 0;

	for (id = 1; id <= SHM_WIRE_MAX_CONSUMERS && ret == 0; id++) {
		memset(&c, 0, sizeof(c));
		c.msg.nb_posts = SHM_WIRE_MAX_POSTS;
		c.msg.imm_len = SHM_WIRE_MAX_IMM_LEN;
		ret = hostile_consumer_start(e, &c, id, SHM_WIRE_NO_REGION);
		hostile_consumer_free(&c);
	}
	test_note("%u of the largest consumers were taken", id - 2);
	TEST_EXPECT(ret, -ENOMEM);
	TEST_TRUE(!hostile_gone(e));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* A region that is mapped to be written counts as ours: its pages may become so. */
static int
test_regions(void)
{
	struct hostile *e = hostile_connected();
	struct hostile_consumer c;
	struct hostile_region region;
	uint32_t id;
	int ret = 0;

	for (id = 0; id < MAX_MEM && (id <= 1 || ret == 0); id++) {
		TEST_EXPECT(hostile_region_create(&region, id == 0 ? LARGE_SIZE : REGION_SIZE), 0);
		TEST_EXPECT(hostile_region_send(e, &region, id), 0);
		hostile_region_free(&region);
		memset(&c, 0, sizeof(c));
		ret = hostile_consumer_start(e, &c, id + 1, id);
		hostile_consumer_free(&c);
		TEST_EXPECT(ret, id == 0 || id == MAX_MEM / 4 ? -ENOMEM : 0);
	}
	TEST_EXPECT(id - 1, MAX_MEM / 4);
	TEST_TRUE(!hostile_gone(e));
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	hostile_close(e);
	PEER_WAIT(test_count_maps() <= peer_env.maps, TEST_MS); /* one in a turn */
	return TEST_SUCCESS;
}

/* What a peer does not read waits here, and is memory of its user: then it may wait no more. */
static int
test_unread_memory(void)
{
	uint32_t id = 0, size, nb = 0;
	struct hostile *e;
	int ret = 0;

	TEST_EXPECT(link_open(&e), 0);
	for (size = SHM_WIRE_MAX_QUEUE_SIZE; size > 0; size /= 2)
		while (queue_open(e, id, size) == 0)
			id++;
	while (nb < MAX_UNREAD && ret != -EPIPE && ret != -ECONNRESET) {
		ret = hostile_connect_send(e, id, "nobody", 1);
		nb += ret == 0;
		if (ret != 0)
			peer_turn();
	}
	test_note("%u rings, and %u messages that were not read", id, nb);
	TEST_TRUE(nb < MAX_UNREAD);
	TEST_EXPECT(peer_violations(), 1);
	return TEST_SUCCESS;
}

/* Rings that no connection uses any more are given back for one that needs the room. */
static int
test_memory_again(void)
{
	struct hostile *e;
	uint32_t i;

	TEST_EXPECT(link_open(&e), 0);
	for (i = 0; i < 6; i++) {
		TEST_EXPECT(conn_open(e, 0, 8 - i), 0);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	}
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Mappings: a connection takes two, for its segment and for that which READY brings. */
static int
test_maps(void)
{
	unsigned int before = test_count_maps(), nb = 0, i;
	struct hostile *e[3], *more;
	int ret = 0;

	for (i = 0; i < RTE_DIM(e); i++)
		TEST_EXPECT(link_open(&e[i]), 0);
	for (i = 0; i < 2 * MAX_MAPS && ret == 0; i++, nb += ret == 0)
		ret = conn_open(e[i % RTE_DIM(e)], i / RTE_DIM(e), 0);
	TEST_EXPECT(ret, -EUSERS);
	/* two of each link, those of the honest, two of each connection */
	TEST_EXPECT(nb, (MAX_MAPS - 2 * RTE_DIM(e) - 4) / 2);
	TEST_TRUE(test_count_maps() <= before + 2 * MAX_MAPS);
	/* nor is there room for a link */
	TEST_EXPECT(link_open(&more), -EUSERS);
	hostile_close(more);
	TEST_CALL(peer_honest(10));
	/* one that ends makes room for one */
	TEST_EXPECT(hostile_say(e[0], SHM_WIRE_CLOSE, 0), 0);
	TEST_EXPECT(hostile_wait(e[0], SHM_WIRE_CLOSED, TEST_MS), 0);
	TEST_EXPECT(conn_open(e[0], 0, 0), 0);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Descriptors: what wakes a peer's engines, and its regions. Who sends more loses its link. */
static int
test_fds(void)
{
	unsigned int before, most = 0, i;
	union shm_wire_msg msg;
	struct hostile *e;
	int pair[2];
	bool wakes;

	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	TEST_EXPECT(link_open(&e), 0);
	before = test_count_fds();
	for (i = 0; i < 2 * MAX_FDS && !hostile_gone(e); i++) {
		wakes = i < SHM_WIRE_MAX_GROUPS;
		hostile_fill(&msg, wakes ? SHM_WIRE_GROUP : SHM_WIRE_REGION, 0);
		if (wakes)
			msg.group.group = i;
		else
			msg.region.region = i;
		hostile_send(e, &msg, msg.hdr.type, 0, wakes ? pair[0] : e->seg.fd);
		peer_turn();
		most = RTE_MAX(most, test_count_fds());
	}
	test_note("%u messages, at most %u more descriptors", i, most - before);
	PEER_WAIT(hostile_gone(e), TEST_MS);
	close(pair[0]);
	close(pair[1]);
	TEST_TRUE(most > before + MAX_FDS / 4 && most <= before + MAX_FDS);
	TEST_CALL(peer_honest(10));
	PEER_WAIT(link_open(&e) == 0, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * The last of them: neither a link nor what wakes our engine finds room. What is to wake the
 * peer's ends its link.
 */
static int
test_last_fds(void)
{
	struct hostile *e, *more;
	union shm_wire_msg msg;
	unsigned int i;
	int pair[2];

	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	TEST_EXPECT(link_open(&e), 0);
	for (i = 0; i < 2 * MAX_FDS && peer_taken(geteuid(), "fds") < MAX_FDS - 1; i++) {
		if (peer_taken(geteuid(), "fds") == MAX_FDS - LINK_FDS) {
			/* one finds room, and what is to wake our engine for it finds none */
			TEST_EXPECT(link_open(&more), 0);
			TEST_EXPECT(conn_open(more, 0, 0), -EUSERS);
			TEST_TRUE(!hostile_gone(more));
			hostile_close(more);
			PEER_WAIT(peer_taken(geteuid(), "fds") == MAX_FDS - LINK_FDS, TEST_MS);
		}
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, e->seg.fd), 0);
		peer_turn_ms(1); /* what is closed meanwhile counts, too */
	}
	TEST_EXPECT(peer_taken(geteuid(), "fds"), MAX_FDS - 1);
	TEST_EXPECT(link_open(&more), -EUSERS);
	hostile_close(more);
	TEST_TRUE(!hostile_gone(e));
	for (i = 0; i < 2; i++) {
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		msg.group.group = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[0]), 0);
	}
	PEER_WAIT(hostile_gone(e), TEST_MS);
	close(pair[0]);
	close(pair[1]);
	PEER_WAIT(link_open(&e) == 0, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * Who sends descriptors faster than they are closed, because one of them does not close, is read
 * no more, and loses its link later than a thread of ours would get a core.
 */
static int
test_fds_that_stay(void)
{
	unsigned int before, most = 0, i;
	uint64_t begin = test_now_ns();
	static uint8_t drop[1 << 20];
	int slow, other, pair[2];
	union shm_wire_msg msg;
	struct hostile *e;

	if (getenv("COMCH_TEST_BROKER") != NULL)
		return test_skip("brokers close what they do not pass on");
	slow = peer_lingering_fd(&other);
	if (slow < 0)
		return test_skip("no TCP here to make a socket that lingers");
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	TEST_EXPECT(link_open(&e), 0);
	before = test_count_fds();
	hostile_fill(&msg, SHM_WIRE_REGION, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, slow), 0);
	close(slow);
	/* each takes the place of the one before, which is to be closed */
	hostile_fill(&msg, SHM_WIRE_GROUP, 0);
	for (i = 0; i < 2 * MAX_FDS; i++) {
		if (hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[0]) != 0)
			break;
		peer_turn();
		most = RTE_MAX(most, test_count_fds());
	}
	TEST_CALL(peer_honest(10));
	PEER_WAIT(hostile_gone(e), TEST_MS);
	test_note("at most %u descriptors to be closed", most - before);
	TEST_TRUE(test_now_ns() - begin >= (uint64_t)FDS_MS * 1000000);
	TEST_TRUE(most > before + MAX_FDS && most <= before + MAX_FDS / 4 * 5 + 2);
	/* it closes when all was read */
	PEER_WAIT(recv(other, drop, sizeof(drop), MSG_DONTWAIT) == 0, TEST_MS);
	close(other);
	close(pair[0]);
	close(pair[1]);
	PEER_WAIT(link_open(&e) == 0, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* While nobody closes what is refused, as one socket does not close, few are asked in. */
static int
test_refused_that_stay(void)
{
	static uint8_t drop[1 << 20];
	unsigned int before, nb = 0, i;
	union shm_wire_msg msg;
	int slow, other, kept;
	struct hostile *e;

	if (getenv("COMCH_TEST_BROKER") != NULL)
		return test_skip("brokers close what they do not pass on");
	TEST_CALL(test_need_fds(1024));
	slow = peer_lingering_fd(&other);
	if (slow < 0)
		return test_skip("no TCP here to make a socket that lingers");
	TEST_EXPECT(link_open(&e), 0);
	hostile_fill(&msg, SHM_WIRE_REGION, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, slow), 0);
	close(slow);
	peer_turn_ms(5);
	before = test_count_fds();
	for (i = 0; i < NB_STAY; i++) {
		nb += hostile_open(peer_env.path, "pf0") != NULL;
		peer_turn();
	}
	peer_turn_ms(50);
	kept = (int)(test_count_fds() - before - nb);
	test_note("%d of %u sockets were taken", kept, nb);
	TEST_TRUE(kept >= 16 && kept <= (int)MAX_STAY);
	hostile_close_all();
	PEER_WAIT(recv(other, drop, sizeof(drop), MSG_DONTWAIT) == 0, TEST_MS);
	close(other);
	PEER_WAIT(hostile_open(peer_env.path, "pf0") != NULL, TEST_MS);
	hostile_close_all();
	PEER_WAIT(link_open(&e) == 0, TEST_MS);
	return TEST_SUCCESS;
}

/*
 * Each READY brings a segment that was not there before: none is more than was taken. Rings of
 * connections that are over make room for them.
 */
static int
test_peer_segments(void)
{
	const uint64_t before = peer_taken(geteuid(), "maps");
	struct hostile_chan chan;
	unsigned int i;
	union shm_wire_msg msg;
	struct hostile *e;
	int ret = 0;

	TEST_EXPECT(link_open(&e), 0);
	for (i = 0; i < MAX_MAPS / 4; i++)
		TEST_EXPECT(conn_open(e, i, 0), 0);
	for (i = 0; i < MAX_MAPS / 4; i++) {
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, i), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	}
	for (i = 0; i < 2 * MAX_MAPS && ret == 0; i++) {
		memset(&chan, 0, sizeof(chan));
		ret = conn_open(e, 0, 0);
		if (ret != 0)
			break;
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.seg = i;
		TEST_EXPECT(hostile_chan_seg_create(&chan, HOSTILE_RING_SIZE), 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, chan.seg.fd), 0);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
		hostile_chan_free(&chan);
	}
	TEST_EXPECT(ret, -EUSERS);
	TEST_TRUE(i > MAX_MAPS / 4 * 3 && i < MAX_MAPS);
	hostile_close(e);
	PEER_WAIT(peer_taken(geteuid(), "maps") == before, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* One connection brings many segments before its engine looks: one has a place. */
static int
test_peer_segments_burst(void)
{
	const unsigned int before = test_count_maps();
	struct hostile_chan chan = { 0 };
	struct hostile *e;
	union shm_wire_msg msg;
	unsigned int i;

	TEST_EXPECT(link_open(&e), 0);
	TEST_EXPECT(conn_open(e, 0, 0), 0);
	TEST_EXPECT(hostile_chan_seg_create(&chan, HOSTILE_RING_SIZE), 0);
	for (i = 0; i < 40; i++) {
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.seg = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, chan.seg.fd), 0);
	}
	peer_serve(peer_env.pe);
	TEST_TRUE(test_count_maps() < before + 10);
	hostile_chan_free(&chan);
	PEER_WAIT(hostile_gone(e), TEST_MS);
	TEST_EXPECT(peer_violations(), 1);
	return TEST_SUCCESS;
}

/* Another user: links until one is refused; then it waits, and ends. */
static void
other_user(int to, int from)
{
	struct hostile *e;
	uint32_t nb = 0;
	char c;

	hostile_alone = true;
	alarm(20);
	if (!hostile_become(OTHER_UID))
		_exit(1);
	while (nb < 2 * MAX_LINKS && link_open(&e) == 0)
		nb++;
	if (write(to, &nb, sizeof(nb)) != sizeof(nb) || read(from, &c, 1) != 1)
		_exit(1);
	_exit(0);
}

/* What one user has filled is room of its own. */
static int
test_other_user(void)
{
	int to[2], from[2], status;
	struct hostile *e[MAX_LINKS - 1];
	uint32_t nb = 0;
	unsigned int i;
	pid_t pid;

	TEST_CALL(peer_need_user(OTHER_UID));
	TEST_TRUE(pipe2(to, O_NONBLOCK) == 0 && pipe(from) == 0);
	pid = fork();
	TEST_TRUE(pid >= 0);
	if (pid == 0)
		other_user(to[1], from[0]);
	PEER_WAIT(read(to[0], &nb, sizeof(nb)) == sizeof(nb), TEST_MS);
	TEST_EXPECT(nb, MAX_LINKS);
	for (i = 0; i < RTE_DIM(e); i++)
		TEST_EXPECT(link_open(&e[i]), 0);
	TEST_CALL(peer_honest(10));
	TEST_TRUE(write(from[1], "", 1) == 1);
	TEST_EXPECT(waitpid(pid, &status, 0), pid);
	TEST_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(to[0]);
	close(to[1]);
	close(from[0]);
	close(from[1]);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

static void *
engine_run(void *arg)
{
	struct engine *engine = arg;

	while (!__atomic_load_n(&engine->stop, __ATOMIC_RELAXED))
		if (rte_comch_pe_progress(engine->pe) == 0)
			sched_yield();
	return NULL;
}

static int
engine_create(struct engine *engine, const char *name)
{
	TEST_EXPECT(rte_comch_pe_create(NULL, &engine->pe), 0);
	engine->server = test_server_run(name, engine->pe);
	TEST_TRUE(engine->server != NULL);
	TEST_EXPECT(pthread_create(&engine->thread, NULL, engine_run, engine), 0);
	return TEST_SUCCESS;
}

/* What came from its peers has gone. */
static int
engine_destroy(struct engine *engine)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	__atomic_store_n(&engine->stop, true, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_join(engine->thread, NULL), 0);
	while (engine->server->conn != NULL && test_now_ns() < end) {
		rte_comch_pe_progress(engine->pe);
		peer_turn();
	}
	TEST_EXPECT(test_ep_close(engine->server), 0);
	TEST_EXPECT(rte_comch_pe_destroy(engine->pe), 0);
	return TEST_SUCCESS;
}

/* Ask both servers; the answers have one of these two types. */
static int
both_answer(struct hostile * const e[2], uint16_t type, uint16_t other)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	unsigned int i;
	int got;

	for (i = 0; i < 2; i++) {
		do {
			peer_turn();
			got = hostile_recv(e[i]);
			TEST_TRUE(got >= 0 && test_now_ns() < end);
		} while (got != type && got != other);
	}
	return TEST_SUCCESS;
}

static int
both_connect(struct hostile * const e[2], uint32_t id, uint32_t mib)
{
	const uint32_t queue_size = RTE_MAX(1u, mib * 255);

	TEST_EXPECT(hostile_connect_send(e[0], id, "engine0", queue_size), 0);
	TEST_EXPECT(hostile_connect_send(e[1], id, "engine1", queue_size), 0);
	return both_answer(e, SHM_WIRE_ACCEPT, SHM_WIRE_REFUSE);
}

/* Of two rings that are asked for at one time, one is made. */
static int
rings_at_once(void)
{
	struct hostile *e[2];
	unsigned int i, n, nb, maps;

	for (n = 0; n < ENGINE_ROUNDS; n++) {
		maps = test_count_maps();
		e[0] = hostile_up();
		e[1] = hostile_up();
		TEST_CALL(both_connect(e, 0, LARGE_MIB));
		for (i = nb = 0; i < 2; i++) {
			if (e[i]->msg.hdr.type == SHM_WIRE_ACCEPT)
				nb++;
			else
				TEST_EXPECT(e[i]->msg.reason.reason, -ENOMEM);
			hostile_close(e[i]);
		}
		TEST_ASSERT(nb == 1, "round %u: %u rings of %u MiB", n, nb, LARGE_MIB);
		PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* The same with regions, which the engines of their connections map. */
static int
regions_at_once(void)
{
	struct hostile * const e[2] = { hostile_up(), hostile_up() };
	struct hostile_consumer c[2];
	struct hostile_region region;
	unsigned int i, n, nb, maps;

	TEST_EXPECT(hostile_region_create(&region, (uint64_t)LARGE_MIB << 20), 0);
	TEST_CALL(both_connect(e, 0, 0));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(hostile_chan_map(e[i], &e[i]->chan), 0);
		TEST_EXPECT(hostile_ready(e[i], &e[i]->chan), 0);
	}
	peer_turn_ms(10);
	for (n = 0; n < ENGINE_ROUNDS; n++) {
		maps = test_count_maps();
		memset(c, 0, sizeof(c));
		for (i = 0; i < 2; i++)
			TEST_EXPECT(hostile_region_send(e[i], &region, 0), 0);
		for (i = 0; i < 2; i++)
			TEST_EXPECT(hostile_consumer_ask(e[i], &c[i], 1, 0), 0);
		TEST_CALL(both_answer(e, SHM_WIRE_CONSUMER_ACK, SHM_WIRE_CONSUMER_ACK));
		for (i = nb = 0; i < 2; i++) {
			if (e[i]->msg.consumer_ack.status == 0) {
				nb++;
				TEST_EXPECT(hostile_say(e[i], SHM_WIRE_CONSUMER_GONE, 0), 0);
			} else {
				TEST_EXPECT(e[i]->msg.consumer_ack.status, -ENOMEM);
			}
			TEST_EXPECT(hostile_say(e[i], SHM_WIRE_REGION_GONE, 0), 0);
			hostile_consumer_free(&c[i]);
		}
		TEST_ASSERT(nb == 1, "round %u: %u regions of %u MiB", n, nb, LARGE_MIB);
		PEER_WAIT(test_count_maps() <= maps, TEST_MS);
	}
	hostile_region_free(&region);
	return TEST_SUCCESS;
}

/* Two engines in two threads take of one user's share at one time: no more than there is. */
static int
test_two_engines(void)
{
	struct engine engines[2] = { 0 };
	int ret;

	TEST_CALL(engine_create(&engines[0], "engine0"));
	TEST_CALL(engine_create(&engines[1], "engine1"));
	peer_turn_ms(10);
	peer_settle(); /* the honest have what wakes them until they leave */
	ret = rings_at_once();
	if (ret == TEST_SUCCESS)
		ret = regions_at_once();
	hostile_close_all();
	TEST_CALL(engine_destroy(&engines[0]));
	TEST_CALL(engine_destroy(&engines[1]));
	TEST_EXPECT(peer_violations(), 0);
	return ret;
}

static struct unit_test_suite suite = {
	.suite_name = "shm: ledger of a user",
	.setup = ledger_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, peer_teardown, test_links),
		TEST_CASE_ST(peer_setup, peer_teardown, test_refused_slowly),
		TEST_CASE_ST(peer_setup, peer_teardown, test_refused_anew),
		TEST_CASE_ST(peer_setup, peer_teardown, test_idle_links),
		TEST_CASE_ST(peer_setup, peer_teardown, test_memory),
		TEST_CASE_ST(peer_setup, peer_teardown, test_memory_again),
		TEST_CASE_ST(peer_setup, peer_teardown, test_consumers),
		TEST_CASE_ST(peer_setup, peer_teardown, test_regions),
		TEST_CASE_ST(peer_setup, peer_teardown, test_maps),
		TEST_CASE_ST(peer_setup, peer_teardown, test_fds),
		TEST_CASE_ST(peer_setup, peer_teardown, test_last_fds),
		TEST_CASE_ST(peer_setup, peer_teardown, test_fds_that_stay),
		TEST_CASE_ST(peer_setup, peer_teardown, test_refused_that_stay),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_memory),
		TEST_CASE_ST(peer_setup, peer_teardown, test_peer_segments),
		TEST_CASE_ST(peer_setup, peer_teardown, test_peer_segments_burst),
		TEST_CASE_ST(peer_setup, peer_teardown, test_other_user),
		TEST_CASE_ST(peer_setup, peer_teardown, test_two_engines),
		TEST_CASE_NAMED(peer_setup, peer_teardown, "test_late_engine", ledger_late_engine),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_ledger_autotest, unit_test_suite_runner, &suite)
