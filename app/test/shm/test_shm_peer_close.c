/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on who closes and unmaps: files of a peer's own file system, whose close waits for
 * an answer of that peer, and clients that die with much. No engine may wait for either.
 */

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "test_shm_peer_fast.h"

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

/* A file system of one file. */
struct slow_fs {
	int dev;           /* of FUSE; -1 if there is none */
	int file;          /* to be sent */
	const char *why;   /* there is none */
	uint64_t flush;    /* of the request that is held, or 0 */
	unsigned int nb_flush;
	bool released;     /* atomic: answer all */
	bool ends;         /* atomic */
	pthread_t thread;
};

static struct slow_fs fs;

static int
fs_answer(uint64_t unique, int error, const void *out, size_t size)
{
	struct fuse_out_header head = { .error = -error, .unique = unique };
	struct iovec iov[2] = { { &head, sizeof(head) }, { (void *)(uintptr_t)out, size } };

	head.len = (uint32_t)(sizeof(head) + size);
	return writev(fs.dev, iov, size != 0 ? 2 : 1) < 0 ? -errno : 0;
}

static void
fs_attr(struct fuse_attr *attr, uint64_t node)
{
	attr->ino = node;
	attr->mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0644;
	attr->nlink = 1;
}

static void
fs_serve(const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = 2, .attr_valid = 1000, .entry_valid = 1000 };
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out open_out = { .fh = 1 };

	fs_attr(&entry.attr, 2);
	fs_attr(&attr.attr, in->nodeid);
	if (in->opcode == FUSE_INIT)
		fs_answer(in->unique, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_LOOKUP)
		fs_answer(in->unique, 0, &entry, sizeof(entry));
	else if (in->opcode == FUSE_GETATTR)
		fs_answer(in->unique, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_OPEN)
		fs_answer(in->unique, 0, &open_out, sizeof(open_out));
	else if (in->opcode == FUSE_FLUSH && !__atomic_load_n(&fs.released, __ATOMIC_RELAXED))
		fs.flush = in->unique;
	else if (in->opcode != FUSE_FORGET)
		fs_answer(in->unique, in->opcode == FUSE_FLUSH || in->opcode == FUSE_RELEASE ? 0 :
			ENOSYS, NULL, 0);
	if (in->opcode == FUSE_FLUSH)
		__atomic_add_fetch(&fs.nb_flush, 1, __ATOMIC_RELAXED);
}

/* The kernel asks; the close of the file waits until it is released, or for HOLD_MS. */
static void *
fs_run(void *arg __rte_unused)
{
	static char buf[1 << 16];
	struct pollfd pfd = { fs.dev, POLLIN, 0 };
	uint64_t until = 0;

	while (!__atomic_load_n(&fs.ends, __ATOMIC_RELAXED)) {
		if (poll(&pfd, 1, 1) > 0 && read(fs.dev, buf, sizeof(buf)) > 0)
			fs_serve((const struct fuse_in_header *)buf);
		if (fs.flush == 0) {
			until = test_now_ns() + (uint64_t)HOLD_MS * 1000000;
		} else if (test_now_ns() >= until ||
				__atomic_load_n(&fs.released, __ATOMIC_RELAXED)) {
			fs_answer(fs.flush, 0, NULL, 0);
			fs.flush = 0;
		}
	}
	return NULL;
}

/* In a mount namespace of this thread, which nobody else sees. */
static void *
fs_mount(void *arg __rte_unused)
{
	char options[80], file[PATH_MAX + 8];

	fs.why = "no mount namespace can be made";
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return NULL;
	fs.why = "there is no /dev/fuse";
	fs.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fs.dev < 0)
		return NULL;
	fs.why = "FUSE cannot be mounted";
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fs.dev);
	if (mount("comch", peer_env.path, "fuse.comch", MS_NOSUID | MS_NODEV, options) != 0)
		return NULL;
	if (pthread_create(&fs.thread, NULL, fs_run, NULL) != 0)
		return NULL;
	fs.why = NULL;
	snprintf(file, sizeof(file), "%s/slow", peer_env.path);
	fs.file = open(file, O_RDWR | O_CLOEXEC);
	umount2(peer_env.path, MNT_DETACH);
	return NULL;
}

static int
fs_start(void)
{
	pthread_t thread;

	memset(&fs, 0, sizeof(fs));
	fs.dev = fs.file = -1;
	TEST_EXPECT(pthread_create(&thread, NULL, fs_mount, NULL), 0);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	if (fs.why != NULL && fs.dev >= 0)
		close(fs.dev);
	return TEST_SUCCESS;
}

static int
fs_stop(void)
{
	__atomic_store_n(&fs.released, true, __ATOMIC_RELAXED);
	close(fs.file);
	PEER_WAIT(test_count_fds() <= peer_env.fds + 2, TEST_MS);
	__atomic_store_n(&fs.ends, true, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_join(fs.thread, NULL), 0);
	close(fs.dev);
	return TEST_SUCCESS;
}

/* What each kind of message brings is closed, and no turn waits for it. */
static int
slow_close(uint16_t type)
{
	struct hostile *e = hostile_connected();
	uint64_t begin = test_now_ns(), ms;
	union shm_wire_msg msg;
	int fds[2] = { fs.file, fs.file };

	hostile_fill(&msg, type, 0);
	msg.hdr.len = hostile_type_len(type);
	/* CLOSE takes no descriptor, and two are more than any message has */
	TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds, type == SHM_WIRE_CLOSE ? 2 : 1), 0);
	if (type == SHM_WIRE_REGION)
		TEST_EXPECT(hostile_say(e, SHM_WIRE_REGION_GONE, 0), 0);
	PEER_WAIT(__atomic_load_n(&fs.nb_flush, __ATOMIC_RELAXED) != 0, TEST_MS);
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
		if (fs.why != NULL)
			return test_skip("%s", fs.why);
		TEST_TRUE(fs.file >= 0);
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
	if (fs.why != NULL)
		return test_skip("%s", fs.why);
	for (i = 0; i < MAX_LINKS - 1; i++)
		e[i] = hostile_up();
	begin = test_now_ns();
	e[i] = hostile_open(peer_env.path, "pf0");
	TEST_TRUE(e[i] != NULL);
	TEST_EXPECT(hostile_send_raw(e[i], "", 1, &fs.file, 1), 0);
	PEER_WAIT(__atomic_load_n(&fs.nb_flush, __ATOMIC_RELAXED) != 0, TEST_MS);
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
