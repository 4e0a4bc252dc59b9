/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Segments that are not what their sender says, and segments named when they
 * must not be. What is written in good segments is attacked in other files.
 */

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_bluefield_model.h"
#include "test_shm_peer.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MFD_HUGETLB
#define MFD_HUGETLB 0x0004U
#endif

#define LINK_HDR ((uint32_t)offsetof(struct shm_wire_link, sock_doorbell))
#define CHAN_HDR ((uint32_t)offsetof(struct shm_wire_chan, tail))
/* Half of what closing a socket that lingers takes, at most. */
#define HELD_NS (RTE_MIN(TEST_MS, 10000u) * UINT64_C(1000000))
#define ALL_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE)

static int
other_fd(enum bad_seg kind)
{
	int fds[2];

	switch (kind) {
	case BAD_PIPE:
		if (pipe(fds) != 0)
			return -1;
		close(fds[1]);
		return fds[0];
	case BAD_SOCKET:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case BAD_FILE:
		return open("/dev/zero", O_RDWR);
	default:
		return -1;
	}
}

/* Write to each page, so that none is a hole: that is a case of its own. */
static int
pages_fill(int fd, off_t len)
{
	off_t off;

	for (off = 0; off < len; off += 4096)
		if (pwrite(fd, "", 1, off) != 1)
			return -1;
	return 0;
}

static int
bad_memfd(enum bad_seg kind, uint32_t hdr_size, uint32_t size)
{
	struct shm_wire_seg hdr = {
		.magic = SHM_WIRE_MAGIC, .version = SHM_WIRE_VERSION,
		.hdr_size = (uint16_t)hdr_size, .size = size,
	};
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING |
			(kind == BAD_HUGETLB ? MFD_HUGETLB : 0));
	off_t len = kind == BAD_SHORT ? size - 1 : kind == BAD_EMPTY ? 0 :
			kind == BAD_HUGETLB ? 1 << 21 : size;
	int seals = ALL_SEALS;

	if (fd < 0)
		return -1;
	if (kind == BAD_MAGIC)
		hdr.magic++;
	if (kind == BAD_HDR_SIZE)
		hdr.hdr_size += 8;
	if (kind == BAD_SIZE)
		hdr.size += 4096;
	if (kind == BAD_ZERO)
		memset(&hdr, 0, sizeof(hdr));
	if (kind == BAD_NO_SEALS)
		seals = 0;
	if (kind == BAD_NO_SHRINK)
		seals = F_SEAL_GROW | F_SEAL_FUTURE_WRITE;
	if (kind == BAD_NO_FUTURE_WRITE)
		seals = F_SEAL_GROW | F_SEAL_SHRINK;
	if (ftruncate(fd, len) != 0 ||
			(kind != BAD_SPARSE && kind != BAD_EMPTY && kind != BAD_HUGETLB &&
			 pages_fill(fd, len) != 0) ||
			(len != 0 && kind != BAD_HUGETLB &&
			 pwrite(fd, &hdr, sizeof(hdr), 0) != sizeof(hdr)) ||
			fcntl(fd, F_ADD_SEALS, seals) != 0) {
		close(fd);
		return -1;
	}
	return kind == BAD_WRITE_ONLY ? hostile_fd_again(fd, O_WRONLY) : fd;
}

int
peer_bad_fd(enum bad_seg kind, uint32_t hdr_size, uint32_t size)
{
	return kind < BAD_NO_SEALS ? other_fd(kind) : bad_memfd(kind, hdr_size, size);
}

static int
dies(struct hostile *e, uint64_t before, unsigned int what)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (!hostile_gone(e) && test_now_ns() < end)
		peer_turn();
	TEST_ASSERT(hostile_gone(e), "number %u does not end the link", what);
	TEST_ASSERT(peer_violations() == before + 1, "number %u counts %u times", what,
			(unsigned int)(peer_violations() - before));
	hostile_close(e);
	return TEST_SUCCESS;
}

static int
test_link_segments(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int kind;
	int fd;

	for (kind = 0; kind < BAD_SEGS; kind++) {
		fd = peer_bad_fd(kind, LINK_HDR, sizeof(struct shm_wire_link));
		if (fd < 0) {
			TEST_TRUE(kind == BAD_HUGETLB);
			printf("this kernel has no memfd of huge pages: case left out\n");
			continue;
		}
		e = hostile_open(peer_env.path, "pf0");
		TEST_TRUE(e != NULL);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO, 0, fd), 0);
		close(fd);
		TEST_CALL(dies(e, before, kind));
	}
	return TEST_SUCCESS;
}

static int
test_hello_fields(void)
{
	static const uint32_t sizes[] = { 0, 1, 128, 5119, 5121, 8192, UINT32_MAX };
	static const char * const functions[] = { "", "pf1", "pf0 ", "pf", "pf0vf0" };
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int i, n = RTE_DIM(sizes);

	for (i = 0; i < n + RTE_DIM(functions) + 1; i++) {
		e = hostile_open(peer_env.path, "pf0");
		TEST_TRUE(e != NULL);
		TEST_EXPECT(hostile_seg_create(&e->seg, LINK_HDR, sizeof(struct shm_wire_link)), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		if (i < n)
			msg.hello.seg_size = sizes[i];
		else if (i < n + RTE_DIM(functions))
			snprintf(msg.hello.function, sizeof(msg.hello.function), "%s",
					functions[i - n]);
		else
			memset(msg.hello.function, 'p', sizeof(msg.hello.function));
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd), 0);
		TEST_CALL(dies(e, before, i));
	}
	return TEST_SUCCESS;
}

/* READY with a ring, and descriptors, that are not what they should be. */
static int
test_ring_sizes(void)
{
	static const uint32_t sizes[] = {
		0, 1, 8, 63, 56, 65, 4097, HOSTILE_RING_SIZE - 4, HOSTILE_RING_SIZE + 4,
		SHM_WIRE_MAX_RING_SIZE + 8,
		0x80000000, UINT32_MAX - 256, UINT32_MAX - 7, UINT32_MAX,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < RTE_DIM(sizes); i++) {
		e = hostile_up();
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		/* where it can be, the segment is what it is said to be */
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, RTE_MIN(sizes[i], 65536u)), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.ring_size = sizes[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, e->chan.seg.fd), 0);
		TEST_CALL(dies(e, before, i));
	}
	return TEST_SUCCESS;
}

/* A ring above what was asked for costs the server time and memory. */
static int
test_ring_too_large(void)
{
	union shm_wire_msg msg;
	struct hostile *e = hostile_up();

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE + 65536), 0);
	hostile_fill(&msg, SHM_WIRE_READY, 0);
	msg.ready.tx.ring_size = e->chan.ring_size;
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, e->chan.seg.fd), 0);
	return dies(e, 0, 0);
}

static int
test_chan_segments(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int kind;
	int fd;

	for (kind = 0; kind < BAD_SEGS; kind++) {
		fd = peer_bad_fd(kind, CHAN_HDR, HOSTILE_RING_SIZE + sizeof(struct shm_wire_chan));
		if (fd < 0)
			continue; /* said by the case before */
		e = hostile_up();
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, fd), 0);
		close(fd);
		TEST_CALL(dies(e, before, kind));
	}
	return TEST_SUCCESS;
}

static int
ring_words(void)
{
	static const struct {
		uint32_t ring_size;
		enum bad_seg kind; /* BAD_SEGS: no descriptor */
		uint32_t new_seg;
		const char *words;
	} rings[] = {
		{ 63, BAD_SPARSE, 1, "a ring of a wrong number or size (0, 63)" },
		{ HOSTILE_RING_SIZE, BAD_SEGS, 1, "whose descriptor is missing, or not announced" },
		{ HOSTILE_RING_SIZE, BAD_SEGS, 0, "a ring that was never sent" },
		{ HOSTILE_RING_SIZE, BAD_SPARSE, 1,
			"a ring that is not sealed, has holes or another header" },
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int i;
	int fd;

	for (i = 0; i < RTE_DIM(rings); i++) {
		fd = rings[i].kind == BAD_SEGS ? -1 : peer_bad_fd(rings[i].kind, CHAN_HDR,
			HOSTILE_RING_SIZE + sizeof(struct shm_wire_chan));
		e = hostile_up();
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.ring_size = rings[i].ring_size;
		msg.ready.tx.new_seg = rings[i].new_seg;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, fd), 0);
		if (fd >= 0)
			close(fd);
		TEST_CALL(dies(e, before, i));
		TEST_ASSERT(test_log_has(rings[i].words), "not said: %s", rings[i].words);
	}
	return TEST_SUCCESS;
}

/* What is wrong with a ring is in the log of who refuses it. */
static int
test_ring_words(void)
{
	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	TEST_CALL(ring_words());
	return test_log_passed();
}

/* The peer has sent what it should: it is this process that has no room for it. */
static int
no_descriptor(void)
{
	struct hostile *e = hostile_up();
	struct rlimit before, none;
	unsigned int i;

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = 0;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &none), 0);
	for (i = 0; i < TEST_MS && !hostile_gone(e); i++)
		peer_turn_ms(1);
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &before), 0);
	TEST_TRUE(hostile_gone(e) && peer_violations() == 0);
	hostile_close(e);
	TEST_TRUE(test_log_has("there is no shared memory for process"));
	TEST_TRUE(test_log_has("Too many open files"));
	hostile_connected();
	return TEST_SUCCESS;
}

static int
test_no_descriptor(void)
{
	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	TEST_CALL(no_descriptor());
	return test_log_passed();
}

static void
words_teardown(void)
{
	test_log_quiet();
	test_log_end();
	peer_teardown();
}

/* Numbers of segments, and whether one comes with the message. */
static int
test_segment_names(void)
{
	static const struct {
		uint32_t seg;
		uint32_t new_seg;
		bool with_fd;
	} bad[] = {
		{ 4096, 1, true }, { 0x10000, 1, true }, { UINT32_MAX, 1, true },
		{ 0, 0, true }, { 0, 1, false }, { 0, 2, true }, { 0, UINT32_MAX, true },
		{ 7, 0, false }, { 4095, 0, false },
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		e = hostile_up();
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.seg = bad[i].seg;
		msg.ready.tx.new_seg = bad[i].new_seg;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0,
				bad[i].with_fd ? e->chan.seg.fd : -1), 0);
		TEST_CALL(dies(e, before, i));
	}
	return TEST_SUCCESS;
}

/* A segment that one connection uses, named for another, old and new. */
static int
test_segment_busy(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	struct hostile_chan other;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		memset(&other, 0, sizeof(other));
		e = hostile_connected();
		TEST_EXPECT(hostile_connect(e, &other, 1), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 1);
		msg.ready.tx.new_seg = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 1,
				i != 0 ? e->chan.seg.fd : -1), 0);
		TEST_CALL(dies(e, before, i));
		hostile_chan_free(&other);
	}
	return TEST_SUCCESS;
}

/* Two connections name one segment before the device has looked at either. */
static int
segment_race(uint32_t other_size)
{
	union shm_wire_msg msg;
	struct hostile *e = hostile_up();
	struct hostile_chan other = { 0 };
	uint32_t before = peer_env.target->nb_connects;
	uint64_t violations = peer_violations();

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	TEST_EXPECT(hostile_connect(e, &other, 1), 0);
	TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
	TEST_EXPECT(hostile_chan_seg_create(&other, other_size), 0);
	hostile_fill(&msg, SHM_WIRE_READY, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, e->chan.seg.fd), 0);
	hostile_fill(&msg, SHM_WIRE_READY, 1);
	msg.ready.tx.ring_size = other.ring_size;
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 1, other.seg.fd), 0);
	PEER_WAIT(peer_violations() == violations + 1, TEST_MS);
	peer_turn_ms(2);
	TEST_TRUE(peer_env.target->nb_connects <= before + 1);
	hostile_close(e);
	hostile_chan_free(&other);
	return TEST_SUCCESS;
}

static int
test_segment_race(void)
{
	TEST_CALL(segment_race(HOSTILE_RING_SIZE - 4096));
	return segment_race(HOSTILE_RING_SIZE);
}

/*
 * A good segment is named, and replaced by a bad one, or by none, before the
 * device has taken it: what it takes must not be nothing.
 */
static int
test_segment_replaced(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	int fd, good;

	for (i = 0; i < 3; i++) {
		e = hostile_up();
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
		good = e->chan.seg.fd;
		fd = peer_bad_fd(i == 0 ? BAD_PIPE : i == 1 ? BAD_SHORT : BAD_SPARSE, CHAN_HDR,
				HOSTILE_RING_SIZE + sizeof(struct shm_wire_chan));
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, good), 0);
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, fd), 0);
		close(fd);
		PEER_WAIT(hostile_gone(e), TEST_MS);
		TEST_TRUE(peer_violations() >= i + 1);
		hostile_close(e);
	}
	return TEST_SUCCESS;
}

/* The card's own segments: the peer can read them, and nothing else. */
static int
test_card_segments(void)
{
	struct hostile *e = hostile_up();
	void *map;

	TEST_EXPECT(hostile_say(e, SHM_WIRE_CONNECT, 0), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS), 0);
	TEST_TRUE(e->msg_fd >= 0);
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, e->msg_fd, 0);
	TEST_TRUE(map == MAP_FAILED);
	TEST_TRUE(ftruncate(e->msg_fd, 0) != 0 && errno == EPERM);
	TEST_TRUE(ftruncate(e->msg_fd, 1 << 20) != 0 && errno == EPERM);
	TEST_TRUE(fallocate(e->msg_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096) != 0);
	TEST_TRUE(pwrite(e->msg_fd, "x", 1, 0) < 0 && errno == EPERM);
	return TEST_SUCCESS;
}

int
peer_lingering_fd(int *other)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	const struct linger on = { .l_onoff = 1, .l_linger = 20 };
	socklen_t len = sizeof(addr);
	static const char data[65536];
	int l = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	addr.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (l < 0 || fd < 0 || bind(l, (struct sockaddr *)&addr, len) != 0 || listen(l, 1) != 0 ||
			getsockname(l, (struct sockaddr *)&addr, &len) != 0 ||
			connect(fd, (struct sockaddr *)&addr, len) != 0)
		return -1;
	*other = accept4(l, NULL, NULL, SOCK_CLOEXEC);
	close(l);
	while (send(fd, data, sizeof(data), MSG_DONTWAIT) > 0)
		;
	return setsockopt(fd, SOL_SOCKET, SO_LINGER, &on, sizeof(on)) == 0 ? fd : -1;
}

static int
test_close_that_waits(void)
{
	static const uint16_t types[] = {
		SHM_WIRE_HELLO, SHM_WIRE_GROUP, SHM_WIRE_CLOSED, SHM_WIRE_READY,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t begin, before;
	unsigned int i;
	int fd, other = -1;

	for (i = 0; i < RTE_DIM(types); i++) {
		fd = peer_lingering_fd(&other);
		if (fd < 0)
			return test_skip("no TCP here to make a socket that lingers");
		e = types[i] == SHM_WIRE_HELLO ? hostile_open(peer_env.path, "pf0") : hostile_up();
		TEST_TRUE(e != NULL);
		if (types[i] == SHM_WIRE_READY)
			TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		hostile_fill(&msg, types[i], 0);
		before = peer_violations();
		TEST_EXPECT(hostile_send(e, &msg, types[i], 0, fd), 0);
		close(fd);
		begin = test_now_ns();
		TEST_CALL(dies(e, before, types[i]));
		TEST_ASSERT(test_now_ns() - begin < HELD_NS, "type %u held us up", types[i]);
		close(other);
	}
	return TEST_SUCCESS;
}

/*
 * The same where nobody closes it: the kernel does, when a message is taken without
 * room for its descriptors, or a socket is closed in which one waits.
 */

enum wait_in {
	WAIT_MANY,    /* more descriptors than any message has */
	WAIT_BEHIND,  /* a message behind one that ends the link */
	WAIT_EMPTY,   /* the same, behind one of no bytes */
	WAIT_NESTED,  /* in a socket that comes with a message */
	WAIT_WAKE,    /* in the socket that is to wake the peer */
	WAITS,
};

static int
fd_pass(int sock, const void *buf, size_t len, int fd)
{
	struct hostile e = { .fd = sock };

	return hostile_send_raw(&e, buf, len, &fd, 1);
}

static int
wait_in_sock(enum wait_in kind, struct hostile *e, int fd, union shm_wire_msg *msg)
{
	int fds[16], pair[2];
	unsigned int i;
	int ret;

	hostile_fill(msg, SHM_WIRE_GROUP, 0);
	switch (kind) {
	case WAIT_MANY:
		for (i = 0; i < RTE_DIM(fds); i++)
			fds[i] = i + 1 < RTE_DIM(fds) ? e->seg.fd : fd;
		return hostile_send_raw(e, msg, msg->hdr.len, fds, RTE_DIM(fds));
	case WAIT_BEHIND:
	case WAIT_EMPTY:
		ret = hostile_send_raw(e, "bad", 3, NULL, 0);
		if (ret == 0 && kind == WAIT_EMPTY)
			ret = hostile_send_raw(e, "", 0, NULL, 0);
		return ret != 0 ? ret : hostile_send_raw(e, msg, msg->hdr.len, &fd, 1);
	default:
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
			return -errno;
		ret = fd_pass(pair[0], "", 1, fd);
		close(pair[0]);
		if (kind == WAIT_NESTED)
			msg->group.group = SHM_WIRE_MAX_GROUPS; /* there is no such */
		if (ret == 0)
			ret = hostile_send_raw(e, msg, msg->hdr.len, &pair[1], 1);
		close(pair[1]);
		return ret;
	}
}

static int
test_kernel_that_waits(void)
{
	union shm_wire_msg msg;
	uint64_t begin, took;
	struct hostile *e;
	unsigned int i;
	int fd, other = -1;

	for (i = 0; i < WAITS; i++) {
		fd = peer_lingering_fd(&other);
		if (fd < 0)
			return test_skip("no TCP here to make a socket that lingers");
		e = hostile_up();
		TEST_EXPECT(wait_in_sock(i, e, fd, &msg), 0);
		close(fd);
		begin = test_now_ns();
		if (i == WAIT_WAKE)
			peer_turn_ms(10);
		hostile_close(e);
		PEER_WAIT(peer_links() == 1, 2 * TEST_MS);
		peer_turn_ms(10);
		took = test_now_ns() - begin;
		TEST_ASSERT(took < HELD_NS, "way %u held us up for %u ms", i,
				(unsigned int)(took / 1000000));
		close(other);
	}
	return TEST_SUCCESS;
}

/* Whoever is not let in may have sent something before that. */
static int
test_unknown_peers_that_wait(void)
{
	struct hostile *e = NULL;
	uint64_t begin, took;
	unsigned int i;
	int fd, other = -1;

	TEST_CALL(test_need_fds(1024));
	fd = peer_lingering_fd(&other);
	if (fd < 0)
		return test_skip("no TCP here to make a socket that lingers");
	/* as many as there can be, and then one more */
	for (i = 0; i < 200; i++) {
		hostile_open(peer_env.path, "pf0");
		if (i % 32 == 0)
			peer_turn();
	}
	peer_turn_ms(10);
	e = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(e != NULL);
	TEST_EXPECT(hostile_send_raw(e, "x", 1, &fd, 1), 0);
	close(fd);
	begin = test_now_ns();
	PEER_WAIT(hostile_gone(e), TEST_MS);
	hostile_close_all();
	PEER_WAIT(test_count_fds() <= peer_env.fds + 1, 2 * TEST_MS);
	took = test_now_ns() - begin;
	TEST_ASSERT(took < HELD_NS, "unknown peers held us up for %u ms",
			(unsigned int)(took / 1000000));
	close(other);
	return TEST_SUCCESS;
}

/* Many new segments for one connection whose READY is late or never right. */
static int
test_segment_hoard(void)
{
	union shm_wire_msg msg;
	struct hostile *e = hostile_up();
	unsigned int i, nb = 0;
	uint64_t before = peer_resident_kb();
	int fd;

	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	hostile_fill(&msg, SHM_WIRE_CLOSE, 0);
	/* sparse files: whoever looks pays for them, and that must not be the card */
	for (i = 0; i < 64; i++) {
		fd = peer_bad_fd(BAD_SPARSE, CHAN_HDR, SHM_WIRE_MAX_RING_SIZE);
		TEST_TRUE(fd >= 0);
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.seg = i;
		msg.ready.tx.ring_size = SHM_WIRE_MAX_RING_SIZE - sizeof(struct shm_wire_chan);
		nb += hostile_send(e, &msg, SHM_WIRE_READY, 0, fd) == 0;
		close(fd);
		peer_turn();
		if (hostile_gone(e))
			break;
	}
	TEST_TRUE(nb > 0);
	TEST_ASSERT(peer_resident_kb() < before + 65536, "from %u to %u kB of memory",
			(unsigned int)before, (unsigned int)peer_resident_kb());
	TEST_TRUE(hostile_gone(e));
	return TEST_SUCCESS;
}

/* A segment that is there, and said to be of another size: more is mapped than it has, or less. */
static int
test_segment_of_other_size(void)
{
	static const uint32_t sizes[] = { HOSTILE_RING_SIZE - 4096, HOSTILE_RING_SIZE - 8 };
	union shm_wire_msg msg;
	uint64_t before;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(sizes); i++) {
		e = hostile_connected();
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
		TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_READY, 0);
		msg.ready.tx.new_seg = 0;
		msg.ready.tx.ring_size = sizes[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, 0, -1), 0);
		TEST_CALL(dies(e, before, sizes[i]));
	}
	return TEST_SUCCESS;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: segments",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_link_segments),
		PEER_CASE(test_hello_fields),
		PEER_CASE(test_ring_sizes),
		PEER_CASE(test_ring_too_large),
		PEER_CASE(test_chan_segments),
		TEST_CASE_ST(peer_setup, words_teardown, test_ring_words),
		TEST_CASE_ST(peer_setup, words_teardown, test_no_descriptor),
		PEER_CASE(test_segment_names),
		PEER_CASE(test_segment_busy),
		PEER_CASE(test_segment_race),
		PEER_CASE(test_segment_replaced),
		PEER_CASE(test_card_segments),
		PEER_CASE(test_close_that_waits),
		PEER_CASE(test_kernel_that_waits),
		PEER_CASE(test_unknown_peers_that_wait),
		PEER_CASE(test_segment_hoard),
		PEER_CASE(test_segment_of_other_size),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_peer_seg_autotest, unit_test_suite_runner, &suite)
