/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on how the two sides meet: users that have no number here, and those who take
 * a name, or a place, that is not theirs.
 */

#define ALLOW_INTERNAL_API 1

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: the users of a device */
#include <rte_fbarray.h>
#include <rte_memory.h>

#include "test_mock.h"
#include "test_shm_peer.h"

/* Users that nobody is. */
#define OWNER_UID 21234
/* Of one function, at one time. */
#define NB_USERS 16u
/* A name that is held is tried again in this time, at least once. */
#define HELD_MS 1500

/* A child that has been refused, and one that has been let in. */
enum { CHILD_REFUSED = 10, CHILD_ENTERED = 11, CHILD_CANNOT = 12 };

static char function[SHM_WIRE_FUNCTION_SIZE];
static char path[PATH_MAX];
static int dev;
static struct rte_comch_ctx *ctx;
static struct rte_comch_pe *pe;
static pid_t pids[2];

static int
meet_suite_setup(void)
{
	if (geteuid() != 0)
		return test_skip("only root can become other users");
	/* what other processes of this machine do not take */
	snprintf(function, sizeof(function), "pf0sf%d", getpid() % 1000);
	test_log_quiet();
	return TEST_SUCCESS;
}

static void
meet_suite_teardown(void)
{
	test_log_restore();
}

static int
meet_setup(void)
{
	dev = -1;
	ctx = NULL;
	pe = NULL;
	memset(pids, 0, sizeof(pids));
	/* one that all users reach, as EAL's is not */
	strcpy(path, "/tmp/comch_test_XXXXXX");
	return mkdtemp(path) != NULL ? TEST_SUCCESS : TEST_FAILED;
}

/* Its engine has to see the last of its links. */
static int
dev_close(void)
{
	unsigned int i;
	int ret = -EBUSY;

	if (ctx != NULL)
		rte_comch_ctx_destroy(ctx);
	ctx = NULL;
	for (i = 0; i < 1000 && ret == -EBUSY; i++) {
		if (pe != NULL)
			rte_comch_pe_progress(pe);
		ret = test_vdev_remove((int16_t)dev);
	}
	dev = -1;
	return ret;
}

/* The device and its engine, for others. */
static int
engine_end(void)
{
	TEST_EXPECT(dev_close(), 0);
	rte_comch_pe_destroy(pe);
	pe = NULL;
	return TEST_SUCCESS;
}

static void
meet_teardown(void)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(pids); i++) {
		if (pids[i] <= 0)
			continue;
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	hostile_close_all();
	if (dev >= 0 && dev_close() != 0)
		test_fail("the device cannot be removed");
	if (pe != NULL)
		rte_comch_pe_destroy(pe);
	test_rendezvous_remove(path);
}

/* A device that this user opens, and an engine that would serve it. */
static int
dev_open(uid_t uid, const char *args)
{
	struct rte_comch_server_conf server;
	struct rte_comch_client_conf client;

	TEST_EXPECT(seteuid(uid), 0);
	dev = test_vdev_add("%s", args);
	TEST_EXPECT(seteuid(0), 0);
	TEST_ASSERT(dev >= 0, "%s: %s", args, strerror(-dev));
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	test_server_conf(NULL, "meet", &server);
	test_client_conf(NULL, "meet", &client);
	if (strncmp(args, "role=dpu", 8) == 0)
		TEST_EXPECT(rte_comch_server_create((int16_t)dev, 0, &server, &ctx), 0);
	else
		TEST_EXPECT(rte_comch_client_create((int16_t)dev, &client, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, pe), 0);
	return TEST_SUCCESS;
}

/*
 * EAL's memory, which a child shares with its parent: the child would post to engines of the
 * parent.
 */
static int
memory_own(const struct rte_memseg_list *msl, void *arg __rte_unused)
{
	const int fd = rte_memseg_get_fd(rte_fbarray_get(&msl->memseg_arr, 0));

	return fd < 0 || mmap(msl->base_va, msl->len, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_FIXED, fd, 0) != MAP_FAILED ? 0 : -1;
}

/*
 * A process that has the device and serves it: as this user, in a user namespace in which
 * no other user has a number.
 */
static void __attribute__((noreturn))
unmapped_serves(uid_t uid, int ready)
{
	char c = 0;
	int fd;

	alarm(20);
	if (rte_memseg_list_walk(memory_own, NULL) != 0)
		_exit(1);
	if (setresuid(uid, uid, uid) != 0 || unshare(CLONE_NEWUSER) != 0)
		c = 1;
	if (c == 0 && uid == 0) {
		fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, "0 0 1", 5) != 5)
			c = 1;
	}
	if (write(ready, &c, 1) != 1 || c != 0)
		_exit(CHILD_CANNOT);
	for (;;) {
		peer_serve(pe);
		usleep(1000);
	}
}

/* Another process that wants to attach. */
struct child {
	uid_t uid;
	const char *map; /* of its user namespace, if it is in a container of its own */
	struct sockaddr_un addr;
	socklen_t len;
};

/* Into namespaces that share nothing with those of this process. */
static void
container_enter(const char *map)
{
	int fd, status;
	pid_t pid;

	/* another user's process may not write to its own files */
	if (prctl(PR_SET_DUMPABLE, 1) != 0 ||
			unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID) != 0)
		_exit(CHILD_CANNOT);
	fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, map, strlen(map)) != (ssize_t)strlen(map))
		_exit(CHILD_CANNOT);
	/* the first process of the new namespace */
	pid = fork();
	if (pid != 0)
		_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status) ?
			WEXITSTATUS(status) : 5);
	alarm(20);
}

static void __attribute__((noreturn))
child_attaches(const struct child *child)
{
	struct hostile *e;

	hostile_alone = true;
	alarm(20);
	if (setresgid(child->uid, child->uid, child->uid) != 0 ||
			setresuid(child->uid, child->uid, child->uid) != 0)
		_exit(CHILD_CANNOT);
	if (child->map != NULL)
		container_enter(child->map);
	e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (connect(e->fd, (const struct sockaddr *)&child->addr, child->len) != 0)
		_exit(errno == EACCES ? CHILD_REFUSED : 1);
	if (fcntl(e->fd, F_SETFL, O_NONBLOCK) != 0 ||
			hostile_seg_create(&e->seg, offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)) != 0)
		_exit(2);
	hostile_fill(&e->msg, SHM_WIRE_HELLO, 0);
	snprintf(e->msg.hello.function, sizeof(e->msg.hello.function), "%s", function);
	hostile_send(e, &e->msg, SHM_WIRE_HELLO, 0, e->seg.fd);
	if (hostile_wait(e, SHM_WIRE_HELLO_ACK, TEST_MS) != 0)
		_exit(3);
	_exit(e->msg.hello_ack.status == -EACCES ? CHILD_REFUSED :
		e->msg.hello_ack.status == 0 ? CHILD_ENTERED : 4);
}

/* Served by the child of unmapped_start(), or else by this process. */
static int
attach(const struct child *child, int expected)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int status = 0;
	pid_t pid = 0;

	fflush(stdout);
	pids[1] = fork();
	TEST_TRUE(pids[1] >= 0);
	if (pids[1] == 0)
		child_attaches(child);
	while (pid == 0 && test_now_ns() < end) {
		if (pids[0] == 0)
			peer_serve(pe);
		usleep(100);
		pid = waitpid(pids[1], &status, WNOHANG);
	}
	TEST_ASSERT(pid == pids[1] && WIFEXITED(status), "the child does not end");
	pids[1] = 0;
	if (WEXITSTATUS(status) == CHILD_CANNOT)
		return test_skip("no namespaces can be made here");
	TEST_ASSERT(WEXITSTATUS(status) == expected, "user %u, expected %d: %d", child->uid,
		expected, WEXITSTATUS(status));
	return TEST_SUCCESS;
}

static int
unmapped_start(uid_t uid)
{
	int ready[2];
	char c = 1;

	TEST_EXPECT(pipe(ready), 0);
	fflush(stdout);
	pids[0] = fork();
	TEST_TRUE(pids[0] >= 0);
	if (pids[0] == 0)
		unmapped_serves(uid, ready[1]);
	TEST_EXPECT(read(ready[0], &c, 1), 1);
	close(ready[0]);
	close(ready[1]);
	return c == 0 ? TEST_SUCCESS : test_skip("no user namespace can be made here");
}

static int
unmapped_end(void)
{
	TEST_EXPECT(kill(pids[0], SIGKILL), 0);
	TEST_EXPECT(waitpid(pids[0], NULL, 0), pids[0]);
	pids[0] = 0;
	return TEST_SUCCESS;
}

static socklen_t
abstract_addr(struct sockaddr_un *addr, uid_t uid)
{
	int n;

	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	n = snprintf(addr->sun_path + 1, sizeof(addr->sun_path) - 1, "dpdk-comch/uid-%u/%s", uid,
		function);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
}

/* The card's side has no number here, and neither has another user: they look the same. */
static int
test_unmapped_user(void)
{
	struct child child = { .uid = OTHER_UID };
	char args[64];

	child.len = abstract_addr(&child.addr, OWNER_UID);
	snprintf(args, sizeof(args), "role=dpu,functions=%s", function);
	TEST_CALL(dev_open(OWNER_UID, args));
	TEST_CALL(unmapped_start(OWNER_UID));
	return attach(&child, CHILD_REFUSED);
}

/* A device of this user that serves the function in the folder. */
static int
folder_open(uid_t uid, const char *args)
{
	char all[PATH_MAX + 128];

	snprintf(all, sizeof(all), "role=dpu,functions=%s,path=%s%s", function, path, args);
	return dev_open(uid, all);
}

/* The owner of a folder that is closed to all others looks like another user, to both. */
static int
test_unmapped_owner(void)
{
	struct child child = { .uid = OTHER_UID }, contained = { .uid = OTHER_UID,
			.map = "0 21235 1" };

	child.len = contained.len = hostile_addr(&child.addr, path, function);
	contained.addr = child.addr;
	TEST_EXPECT(chown(path, OWNER_UID, OWNER_UID), 0);
	TEST_CALL(folder_open(0, ""));
	TEST_CALL(unmapped_start(0));
	TEST_CALL(attach(&child, CHILD_REFUSED));
	return attach(&contained, CHILD_REFUSED);
}

/* Whether a host's side without a number here says a word to a server of another user. */
static int
unmapped_hello(const struct sockaddr_un *addr, socklen_t len, const char *args, bool expected)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	union shm_wire_msg msg;
	struct hostile *listens, *e;
	struct pollfd word = { .events = POLLIN };
	int conn, ret;

	TEST_TRUE(fd >= 0);
	listens = hostile_wrap(fd);
	TEST_CALL(dev_open(OTHER_UID, args));
	TEST_EXPECT(bind(listens->fd, (const struct sockaddr *)addr, len), 0);
	if (addr->sun_path[0] != '\0')
		TEST_EXPECT(chmod(addr->sun_path, 0666), 0);
	/* who listens is the user that the device sees */
	TEST_EXPECT(seteuid(OTHER_UID), 0);
	ret = listen(listens->fd, 4);
	TEST_EXPECT(seteuid(0), 0);
	TEST_EXPECT(ret, 0);
	TEST_CALL(unmapped_start(OWNER_UID));
	do {
		conn = accept4(listens->fd, NULL, NULL, SOCK_CLOEXEC);
		usleep(1000);
	} while (conn < 0 && test_now_ns() < end);
	TEST_TRUE(conn >= 0);
	e = hostile_wrap(conn);
	word.fd = e->fd;
	TEST_TRUE(poll(&word, 1, expected ? TEST_MS : 200) == 1 || !expected);
	TEST_CALL(unmapped_end());
	TEST_EXPECT(recv(e->fd, &msg, sizeof(msg), MSG_DONTWAIT) > 0, expected);
	return TEST_SUCCESS;
}

/* The host's side, too, takes nobody without a number for its own user. */
static int
test_unmapped_server(void)
{
	struct sockaddr_un addr;
	socklen_t len = abstract_addr(&addr, OTHER_UID);
	char args[64];

	snprintf(args, sizeof(args), "role=host,function=%s", function);
	return unmapped_hello(&addr, len, args, false);
}

/* In a folder it takes anyone whom nobody but the owner could have let serve. */
static int
test_unmapped_server_folder(void)
{
	char args[PATH_MAX + 64];
	struct sockaddr_un addr;
	socklen_t len = hostile_addr(&addr, path, function);
	unsigned int open_to_all;

	snprintf(args, sizeof(args), "role=host,function=%s,path=%s", function, path);
	for (open_to_all = 0; open_to_all < 2; open_to_all++) {
		TEST_EXPECT(chmod(path, open_to_all ? 0777 : 0755), 0);
		TEST_CALL(unmapped_hello(&addr, len, args, !open_to_all));
		TEST_EXPECT(unlink(addr.sun_path), 0);
		TEST_CALL(engine_end());
	}
	return TEST_SUCCESS;
}

/* Root may attach to the card's side of any user, and serve any user. */
static int
test_root(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct hostile *e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
		SOCK_NONBLOCK, 0));
	struct child child = { .uid = 0 };
	struct sockaddr_un addr;
	socklen_t len = hostile_addr(&addr, path, function);
	char args[PATH_MAX + 64];
	int ret;

	child.len = abstract_addr(&child.addr, OWNER_UID);
	snprintf(args, sizeof(args), "role=dpu,functions=%s", function);
	TEST_CALL(dev_open(OWNER_UID, args));
	TEST_EXPECT(seteuid(OWNER_UID), 0);
	ret = attach(&child, CHILD_ENTERED);
	TEST_EXPECT(seteuid(0), 0);
	TEST_CALL(engine_end());
	/* in a folder where anyone could */
	TEST_TRUE(ret == TEST_SUCCESS && chmod(path, 0777) == 0 &&
		chown(path, OTHER_UID, OTHER_UID) == 0);
	TEST_TRUE(bind(e->fd, (const struct sockaddr *)&addr, len) == 0 && listen(e->fd, 4) == 0 &&
		chmod(addr.sun_path, 0666) == 0);
	snprintf(args, sizeof(args), "role=host,function=%s,path=%s", function, path);
	TEST_CALL(dev_open(OWNER_UID, args));
	TEST_EXPECT(seteuid(OWNER_UID), 0);
	do {
		peer_serve(pe);
		ret = accept4(e->fd, NULL, NULL, SOCK_CLOEXEC);
	} while (ret < 0 && test_now_ns() < end);
	TEST_EXPECT(seteuid(0), 0);
	TEST_EXPECT(unlink(addr.sun_path), 0);
	TEST_TRUE(ret >= 0);
	e = hostile_wrap(ret);
	TEST_TRUE(recv(e->fd, &e->msg, sizeof(e->msg), MSG_DONTWAIT) > 0); /* HELLO */
	return TEST_SUCCESS;
}

/*
 * Sockets in a folder
 */

static const char *
folder_file(const char *name, const char *suffix)
{
	static char file[PATH_MAX + 64];

	snprintf(file, sizeof(file), "%s/%s%s", path, name, suffix);
	return file;
}

/* A volume is enough for two containers, with the same numbers of users or with others. */
static int
test_containers(void)
{
	struct child same = { .uid = 0, .map = "0 0 1" };
	struct child other = { .uid = OTHER_UID, .map = "0 21235 1" };

	TEST_EXPECT(chmod(path, 0777), 0);
	TEST_CALL(folder_open(0, ""));
	same.len = other.len = hostile_addr(&same.addr, path, function);
	other.addr = same.addr;
	TEST_CALL(attach(&same, CHILD_ENTERED));
	return attach(&other, CHILD_ENTERED);
}

/*
 * The card's side is in a container, too, in which the user of the other one has no number:
 * 'all' lets it in, and so does a folder that all write to. A list of numbers does not.
 */
static int
test_containers_unmapped(void)
{
	static const struct {
		uint16_t folder;
		const char *args;
		int expected;
	} cases[] = {
		{ 0711, ",uids=all", CHILD_ENTERED },
		{ 0711, ",uids=21234:all", CHILD_ENTERED },
		{ 0700, ",uids=all", CHILD_REFUSED },
		{ 0711, "", CHILD_REFUSED },
		{ 0777, "", CHILD_ENTERED },
		{ 0777, ",uids=21235", CHILD_REFUSED },
	};
	struct child child = { .uid = OTHER_UID, .map = "0 21235 1" };
	unsigned int i;

	for (i = 0; i < RTE_DIM(cases); i++) {
		TEST_EXPECT(chmod(path, cases[i].folder), 0);
		TEST_CALL(folder_open(0, cases[i].args));
		child.len = hostile_addr(&child.addr, path, function);
		TEST_CALL(unmapped_start(0));
		TEST_CALL(attach(&child, cases[i].expected));
		TEST_CALL(unmapped_end());
		TEST_CALL(engine_end());
	}
	return TEST_SUCCESS;
}

/* All may enter the folder, but only one may attach. */
static int
test_not_listed(void)
{
	struct child listed = { .uid = OWNER_UID }, other = { .uid = OTHER_UID };
	struct rte_comch_dev_stats stats = { 0 };

	TEST_EXPECT(chmod(path, 0711), 0);
	TEST_CALL(folder_open(0, ",uids=21234"));
	listed.len = other.len = hostile_addr(&listed.addr, path, function);
	other.addr = listed.addr;
	TEST_CALL(attach(&listed, CHILD_ENTERED));
	TEST_CALL(attach(&other, CHILD_REFUSED));
	TEST_EXPECT(rte_comch_dev_stats_get((int16_t)dev, &stats), 0);
	TEST_EXPECT(stats.links_refused, 1);
	return TEST_SUCCESS;
}

/* A list of one function holds for this one, and the other list for all others. */
static int
test_function_users(void)
{
	struct child one = { .uid = OWNER_UID }, other = { .uid = OTHER_UID };
	char args[64];

	TEST_EXPECT(chmod(path, 0711), 0);
	snprintf(args, sizeof(args), ",uids=21234:%s@21235", function);
	TEST_CALL(folder_open(0, args));
	one.len = other.len = hostile_addr(&one.addr, path, function);
	other.addr = one.addr;
	TEST_CALL(attach(&one, CHILD_REFUSED));
	return attach(&other, CHILD_ENTERED);
}

/* The same users may connect to the socket as may write to the folder. */
static int
test_socket_mode(void)
{
	static const struct {
		uint16_t folder, socket;
		const char *args;
	} modes[] = {
		{ 0700, 0600, "" },
		{ 0755, 0600, "" },
		{ 0770, 0620, "" },
		{ 0773, 0622, "" },
		{ 0711, 0622, ",uids=21234" },
	};
	struct stat st;
	unsigned int i;
	mode_t mask;

	TEST_EXPECT(chown(path, OWNER_UID, OTHER_UID), 0);
	for (i = 0; i < RTE_DIM(modes); i++) {
		TEST_EXPECT(chmod(path, modes[i].folder), 0);
		mask = umask(i % 2 == 0 ? 0 : 0777);
		dev = test_vdev_add("role=dpu,functions=%s,path=%s%s", function, path,
				modes[i].args);
		umask(mask);
		TEST_TRUE(dev >= 0);
		TEST_EXPECT(stat(folder_file(function, ""), &st), 0);
		TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
		dev = -1;
		TEST_ASSERT(S_ISSOCK(st.st_mode) && (st.st_mode & 07777) == modes[i].socket,
			"%o of a folder makes %o", modes[i].folder, st.st_mode);
		TEST_EXPECT(st.st_uid, modes[i].args[0] != '\0' ? 0 : OWNER_UID);
		TEST_EXPECT(st.st_gid, modes[i].args[0] != '\0' ? 0 : OTHER_UID);
	}
	return TEST_SUCCESS;
}

/* Whether a process has a lock on a byte of the lock file, as another process sees it. */
static bool
is_locked(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int status = -1, fd;
	pid_t pid = fork();

	if (pid == 0) {
		fd = open(folder_file("comch", ".lock"), O_RDWR | O_CLOEXEC);
		_exit(fd >= 0 && fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_WRLCK);
	}
	return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
		WEXITSTATUS(status) == 1;
}

/* A second device of the process is refused, and the first one keeps its lock. */
static int
test_second_device(void)
{
	int second;

	TEST_CALL(folder_open(0, ""));
	TEST_TRUE(is_locked());
	second = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_EXPECT(second, -EADDRINUSE);
	TEST_TRUE(is_locked());
	/* of another function: its end leaves the first one alone */
	second = test_vdev_add("role=dpu,functions=pf1,path=%s", path);
	TEST_TRUE(second >= 0);
	TEST_EXPECT(test_vdev_remove((int16_t)second), 0);
	TEST_TRUE(is_locked());
	return TEST_SUCCESS;
}

/* Two file systems in which the folder has one number, in a namespace of this thread alone. */
static void *
folders_mount(void *arg)
{
	int *fds = arg;
	unsigned int i;

	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return NULL;
	for (i = 0; i < 2 && mount("comch", path, "tmpfs", 0, "mode=0700") == 0; i++)
		fds[i] = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return NULL;
}

/* They are two places, though: the function of one is free in the other. */
static int
test_same_number(void)
{
	int fds[2] = { -1, -1 }, devs[2] = { -1, -1 }, ret = 0;
	struct stat st[2] = { { .st_ino = 0 } };
	pthread_t thread;
	unsigned int i;

	TEST_EXPECT(pthread_create(&thread, NULL, folders_mount, fds), 0);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	for (i = 0; i < 2 && fds[1] >= 0; i++) {
		ret += fstat(fds[i], &st[i]);
		devs[i] = test_vdev_add("role=dpu,functions=%s,path=/proc/self/fd/%d", function,
				fds[i]);
	}
	for (i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		if (devs[i] >= 0)
			ret += test_vdev_remove((int16_t)devs[i]);
	}
	if (fds[1] < 0)
		return test_skip("no file system can be mounted here");
	TEST_EXPECT(ret, 0);
	if (st[0].st_ino != st[1].st_ino)
		return test_skip("the folders have two numbers here");
	TEST_ASSERT(devs[0] >= 0 && devs[1] >= 0, "%d and %d", devs[0], devs[1]);
	return TEST_SUCCESS;
}

/* A child of the card's side that lives on, with all descriptors, holds no function. */
static int
test_forked_child(void)
{
	TEST_CALL(folder_open(0, ""));
	fflush(stdout);
	pids[0] = fork();
	TEST_TRUE(pids[0] >= 0);
	if (pids[0] == 0) {
		alarm(20);
		for (;;)
			pause();
	}
	TEST_EXPECT(dev_close(), 0);
	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_ASSERT(dev >= 0, "the function is held: %s", strerror(-dev));
	return TEST_SUCCESS;
}

/* What a card's side leaves that is killed; and what keeps a name from its place. */
static int
test_left_socket(void)
{
	struct child child = { .uid = 0 };
	struct hostile *e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	int fd;

	child.len = hostile_addr(&child.addr, path, function);
	TEST_EXPECT(bind(e->fd, (struct sockaddr *)&child.addr, child.len), 0);
	hostile_close(e);
	TEST_CALL(folder_open(0, ""));
	TEST_CALL(attach(&child, CHILD_ENTERED));
	TEST_EXPECT(dev_close(), 0);
	fd = open(folder_file(function, ""), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	TEST_TRUE(fd >= 0);
	close(fd);
	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_EXPECT(unlink(folder_file(function, "")), 0);
	TEST_EXPECT(dev, -EADDRINUSE);
	return TEST_SUCCESS;
}

/* Who may write to the folder has the card's side change files of others through it. */
static int
test_planted_links(void)
{
	char victim[] = "/tmp/comch_test_XXXXXX";
	const char * const names[] = { "comch.lock", function };
	int fd = mkstemp(victim), second;
	unsigned int i;
	struct stat st;

	TEST_TRUE(fd >= 0);
	close(fd);
	TEST_EXPECT(chmod(path, 0777), 0);
	for (i = 0; i < RTE_DIM(names) + 1; i++) {
		if (i == RTE_DIM(names))
			TEST_EXPECT(symlink(victim, folder_file(function, ".new")), 0);
		else
			TEST_EXPECT(symlink(victim, folder_file(names[i], "")), 0);
		second = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
		if (second >= 0)
			TEST_EXPECT(test_vdev_remove((int16_t)second), 0);
		/* under the name that is only in between, it is in nobody's way */
		TEST_EXPECT(second >= 0, i == RTE_DIM(names));
		if (i < RTE_DIM(names))
			TEST_EXPECT(unlink(folder_file(names[i], "")), 0);
		TEST_EXPECT(stat(victim, &st), 0);
		TEST_TRUE(S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0600);
	}
	TEST_EXPECT(unlink(victim), 0);
	return TEST_SUCCESS;
}

/*
 * Nobody else may open the lock: who sends such a descriptor to the card's side would have
 * it close the file, and with that lose all of its locks.
 */
static int
test_lock_of_others(void)
{
	const char *file = folder_file("comch", ".lock");
	struct stat st;
	int fd;

	TEST_EXPECT(chmod(path, 0777), 0);
	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(stat(file, &st), 0);
	TEST_EXPECT(st.st_mode & 07777, 0600);
	TEST_EXPECT(dev_close(), 0);
	fd = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	TEST_TRUE(fd >= 0 && fchown(fd, OTHER_UID, OTHER_UID) == 0);
	close(fd);
	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_EXPECT(unlink(file), 0);
	TEST_EXPECT(dev, -EPERM);
	return TEST_SUCCESS;
}

/* A lock file that is no file, or that others can have: by its mode, by another name. */
static int
test_lock_of_nobody(void)
{
	enum { LOCK_MODE, LOCK_LINK, LOCK_FIFO, LOCK_DIR, LOCKS } kind;
	const char *file = folder_file("comch", ".lock");
	char other[] = "/tmp/comch_test_XXXXXX";
	int fd;

	TEST_TRUE(mkdtemp(other) != NULL && rmdir(other) == 0);
	for (kind = LOCK_MODE; kind < LOCKS; kind++) {
		if (kind == LOCK_FIFO)
			TEST_EXPECT(mkfifo(file, 0600), 0);
		else if (kind == LOCK_DIR)
			TEST_EXPECT(mkdir(file, 0700), 0);
		else
			TEST_TRUE((fd = open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0600)) >= 0 &&
				close(fd) == 0);
		if (kind == LOCK_MODE)
			TEST_EXPECT(chmod(file, 0620), 0);
		if (kind == LOCK_LINK)
			TEST_EXPECT(link(file, other), 0);
		dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
		TEST_ASSERT(dev == -EPERM, "lock file %u: %d", kind, dev);
		TEST_EXPECT(remove(file), 0);
	}
	return unlink(other);
}

/* Another process has the function: it keeps that, and its lock file stays. */
static int
test_lock_held(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const char *file = folder_file("comch", ".lock");
	int ready[2], fd;
	char c;

	TEST_EXPECT(pipe(ready), 0);
	pids[0] = fork();
	TEST_TRUE(pids[0] >= 0);
	if (pids[0] == 0) {
		alarm(20);
		fd = open(file, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
		if (fd < 0 || fcntl(fd, F_SETLK, &lock) != 0 || write(ready[1], "", 1) != 1)
			_exit(1);
		for (;;)
			pause();
	}
	close(ready[1]);
	TEST_EXPECT(read(ready[0], &c, 1), 1);
	close(ready[0]);
	TEST_EXPECT(test_vdev_add("role=dpu,functions=%s,path=%s", function, path), -EADDRINUSE);
	TEST_TRUE(is_locked());
	TEST_EXPECT(unmapped_end(), 0);
	TEST_EXPECT(unlink(file), 0);
	return TEST_SUCCESS;
}

/* Its lock file was taken away, and another one is there by now: that is not its own. */
static int
test_lock_of_next(void)
{
	const char *file = folder_file("comch", ".lock");
	const unsigned int before = test_count_fds();
	int fd, second;

	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_TRUE(dev >= 0);
	TEST_EXPECT(unlink(file), 0);
	fd = open(file, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
	TEST_TRUE(fd >= 0);
	close(fd);
	/* others of this process find it by the folder */
	second = test_vdev_add("role=dpu,functions=pf1,path=%s", path);
	TEST_TRUE(second >= 0 && test_vdev_remove((int16_t)second) == 0);
	TEST_EXPECT(dev_close(), 0);
	TEST_EXPECT(test_count_fds(), before);
	TEST_EXPECT(unlink(file), 0);
	return TEST_SUCCESS;
}

/* A process of a user attaches: the status of the answer. */
static int
user_attach(unsigned int nr, struct hostile **e)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	TEST_EXPECT(seteuid(OTHER_UID + nr), 0);
	*e = hostile_open(path, function);
	TEST_EXPECT(seteuid(0), 0);
	TEST_TRUE(*e != NULL);
	hostile_function = function;
	hostile_hello_send(*e);
	hostile_function = "pf0";
	while (hostile_recv(*e) != SHM_WIRE_HELLO_ACK) {
		TEST_TRUE(!(*e)->eof && test_now_ns() < end);
		peer_serve(pe);
	}
	return (*e)->msg.hello_ack.status;
}

/* As many users as a function has room for, and one more, which comes when one has left. */
static int
test_many_users(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct hostile *e[NB_USERS + 1];
	struct rte_comch_pmd_user user;
	struct rte_comch_dev *card;
	char args[PATH_MAX + 128];
	unsigned int i;
	int ret;

	TEST_EXPECT(chmod(path, 0711), 0);
	/* what is behind the table of the first function is the second one's */
	snprintf(args, sizeof(args), "role=dpu,functions=%s:pf1,path=%s,uids=all", function, path);
	TEST_CALL(dev_open(0, args));
	card = test_mock_dev((int16_t)dev);
	for (i = 0; i < RTE_DIM(e); i++) {
		TEST_EXPECT(user_attach(i, &e[i]), i < NB_USERS ? 0 : -EUSERS);
		TEST_EXPECT(card->ops->user_get(card, i, &user), i < NB_USERS ? 0 : -ENOENT);
	}
	hostile_close(e[0]);
	do {
		ret = user_attach(NB_USERS, &e[0]);
		hostile_close(e[0]);
		TEST_TRUE(ret == 0 || (ret == -EUSERS && test_now_ns() < end));
	} while (ret != 0);
	return TEST_SUCCESS;
}

/* In a folder of mode 1777, as /tmp, the socket of another user stays. */
static int
test_sticky_folder(void)
{
	struct hostile *e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	struct sockaddr_un addr;
	socklen_t len = hostile_addr(&addr, path, function);

	TEST_EXPECT(chmod(path, 01777), 0);
	TEST_EXPECT(bind(e->fd, (struct sockaddr *)&addr, len), 0);
	TEST_EXPECT(chown(addr.sun_path, OTHER_UID, OTHER_UID), 0);
	TEST_EXPECT(seteuid(OWNER_UID), 0);
	dev = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);
	TEST_EXPECT(seteuid(0), 0);
	TEST_EXPECT(unlink(addr.sun_path), 0);
	TEST_EXPECT(dev, -EADDRINUSE);
	return TEST_SUCCESS;
}

static bool
connects(const struct sockaddr_un *addr, socklen_t len)
{
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	bool ret = connect(fd, (const struct sockaddr *)addr, len) == 0;

	close(fd);
	return ret;
}

/* Both names at one place: what is held stays away, and comes when it is free. */
static int
held_comes(struct hostile *squatter, int other, const struct sockaddr_un *addr, socklen_t len)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	const uint64_t held = test_now_ns() + (uint64_t)HELD_MS * 1000000;

	while (test_now_ns() < held)
		peer_serve(pe);
	if (squatter != NULL)
		hostile_close(squatter);
	else
		TEST_EXPECT(test_vdev_remove((int16_t)other), 0);
	TEST_TRUE(!connects(addr, len));
	/* an engine that sleeps wakes for it */
	do {
		while (rte_comch_pe_arm(pe) == -EAGAIN)
			rte_comch_pe_progress(pe);
		TEST_EXPECT(test_wait_fd(pe, TEST_MS), 1);
		rte_comch_pe_progress(pe);
	} while (!connects(addr, len) && test_now_ns() < end);
	TEST_TRUE(connects(addr, len));
	return TEST_SUCCESS;
}

/* A name that somebody squats on costs that function only, and no longer than that. */
static int
test_squatter(void)
{
	struct hostile *e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	char args[128], served[SHM_WIRE_FUNCTION_SIZE], own[SHM_WIRE_FUNCTION_SIZE];
	struct sockaddr_un addr, other;
	socklen_t len = abstract_addr(&addr, OWNER_UID), other_len;
	uint64_t end;

	TEST_EXPECT(bind(e->fd, (struct sockaddr *)&addr, len), 0);
	snprintf(served, sizeof(served), "pf1%s", function + strlen("pf0"));
	snprintf(args, sizeof(args), "role=dpu,functions=%s:%s", function, served);
	TEST_CALL(dev_open(OWNER_UID, args));
	strcpy(own, function);
	strcpy(function, served);
	other_len = abstract_addr(&other, OWNER_UID);
	strcpy(function, own);
	TEST_TRUE(connects(&other, other_len));
	TEST_CALL(held_comes(e, -1, &addr, len));
	/* and there is none left to look for */
	end = test_now_ns() + (uint64_t)HELD_MS * 1000000;
	while (test_now_ns() < end)
		peer_serve(pe);
	return TEST_SUCCESS;
}

static int
test_squatter_folder(void)
{
	char args[PATH_MAX + 64];
	struct sockaddr_un addr, other;
	socklen_t len = hostile_addr(&addr, path, function);
	int first = test_vdev_add("role=dpu,functions=%s,path=%s", function, path);

	TEST_TRUE(first >= 0);
	snprintf(args, sizeof(args), "role=dpu,functions=%s:pf1,path=%s", function, path);
	if (dev_open(0, args) != TEST_SUCCESS) {
		test_vdev_remove((int16_t)first);
		return TEST_FAILED;
	}
	TEST_TRUE(connects(&other, hostile_addr(&other, path, "pf1")));
	return held_comes(NULL, first, &addr, len);
}

static struct unit_test_suite suite = {
	.suite_name = "shm: how the two sides meet",
	.setup = meet_suite_setup,
	.teardown = meet_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_user),
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_owner),
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_server),
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_server_folder),
		TEST_CASE_ST(meet_setup, meet_teardown, test_root),
		TEST_CASE_ST(meet_setup, meet_teardown, test_containers),
		TEST_CASE_ST(meet_setup, meet_teardown, test_containers_unmapped),
		TEST_CASE_ST(meet_setup, meet_teardown, test_not_listed),
		TEST_CASE_ST(meet_setup, meet_teardown, test_function_users),
		TEST_CASE_ST(meet_setup, meet_teardown, test_socket_mode),
		TEST_CASE_ST(meet_setup, meet_teardown, test_second_device),
		TEST_CASE_ST(meet_setup, meet_teardown, test_same_number),
		TEST_CASE_ST(meet_setup, meet_teardown, test_forked_child),
		TEST_CASE_ST(meet_setup, meet_teardown, test_left_socket),
		TEST_CASE_ST(meet_setup, meet_teardown, test_planted_links),
		TEST_CASE_ST(meet_setup, meet_teardown, test_lock_of_others),
		TEST_CASE_ST(meet_setup, meet_teardown, test_lock_of_nobody),
		TEST_CASE_ST(meet_setup, meet_teardown, test_lock_held),
		TEST_CASE_ST(meet_setup, meet_teardown, test_lock_of_next),
		TEST_CASE_ST(meet_setup, meet_teardown, test_many_users),
		TEST_CASE_ST(meet_setup, meet_teardown, test_sticky_folder),
		TEST_CASE_ST(meet_setup, meet_teardown, test_squatter),
		TEST_CASE_ST(meet_setup, meet_teardown, test_squatter_folder),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_meet_autotest, unit_test_suite_runner, &suite)
