/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on how the two sides meet: users that have no number here, and those who take
 * a name, or a place, that is not theirs.
 */

#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_peer.h"

/* Users that nobody is. */
#define OWNER_UID 21234
#define OTHER_UID 21235

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
	return test_rendezvous_create(path, sizeof(path)) == 0 ? TEST_SUCCESS : TEST_FAILED;
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
	if (ctx != NULL)
		rte_comch_ctx_destroy(ctx);
	if (pe != NULL)
		rte_comch_pe_destroy(pe);
	if (dev >= 0 && test_vdev_remove((int16_t)dev) != 0)
		test_fail("the device cannot be removed");
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
 * A process that has the device and serves it: as this user, in a user namespace in which
 * no other user has a number.
 */
static void __attribute__((noreturn))
unmapped_serves(uid_t uid, int ready)
{
	char c = 0;
	int fd;

	alarm(20);
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

/* Another user wants to attach: how that ends. */
static void __attribute__((noreturn))
other_attaches(const struct sockaddr_un *addr, socklen_t len)
{
	struct hostile *e;

	hostile_alone = true;
	alarm(20);
	if (setresgid(OTHER_UID, OTHER_UID, OTHER_UID) != 0 ||
			setresuid(OTHER_UID, OTHER_UID, OTHER_UID) != 0)
		_exit(CHILD_CANNOT);
	e = hostile_wrap(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
	if (connect(e->fd, (const struct sockaddr *)addr, len) != 0)
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
unmapped_refused(const struct sockaddr_un *addr, socklen_t len)
{
	int status;

	pids[1] = fork();
	TEST_TRUE(pids[1] >= 0);
	if (pids[1] == 0)
		other_attaches(addr, len);
	TEST_EXPECT(waitpid(pids[1], &status, 0), pids[1]);
	pids[1] = 0;
	TEST_ASSERT(WIFEXITED(status) && WEXITSTATUS(status) == CHILD_REFUSED,
		"user %u was not refused: %x", OTHER_UID, (unsigned int)status);
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
	struct sockaddr_un addr;
	socklen_t len = abstract_addr(&addr, OWNER_UID);
	char args[64];

	snprintf(args, sizeof(args), "role=dpu,functions=%s", function);
	TEST_CALL(dev_open(OWNER_UID, args));
	TEST_CALL(unmapped_start(OWNER_UID));
	return unmapped_refused(&addr, len);
}

/* The owner of a folder that is closed to all others looks like another user. */
static int
test_unmapped_owner(void)
{
	char args[PATH_MAX + 64];
	struct sockaddr_un addr;
	socklen_t len;

	snprintf(args, sizeof(args), "role=dpu,functions=%s,path=%s", function, path);
	TEST_EXPECT(chown(path, OWNER_UID, OWNER_UID), 0);
	TEST_CALL(dev_open(0, args));
	len = hostile_addr(&addr, path, function);
	TEST_CALL(unmapped_start(0));
	return unmapped_refused(&addr, len);
}

/* The host's side, too, takes nobody without a number for its own user. */
static int
test_unmapped_server(void)
{
	struct sockaddr_un addr;
	socklen_t len = abstract_addr(&addr, OTHER_UID);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	union shm_wire_msg msg;
	struct hostile *listens, *e;
	char args[64];
	int conn, ret;

	TEST_TRUE(fd >= 0);
	listens = hostile_wrap(fd);
	snprintf(args, sizeof(args), "role=host,function=%s", function);
	TEST_CALL(dev_open(OTHER_UID, args));
	TEST_EXPECT(bind(listens->fd, (struct sockaddr *)&addr, len), 0);
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
	/* a word, or the end */
	TEST_EXPECT(recv(e->fd, &msg, sizeof(msg), 0), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm: how the two sides meet",
	.setup = meet_suite_setup,
	.teardown = meet_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_user),
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_owner),
		TEST_CASE_ST(meet_setup, meet_teardown, test_unmapped_server),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_meet_autotest, unit_test_suite_runner, &suite)
