/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the host sees of a program's process: that it is stopped, although a waiter of the
 * application has taken the news, that it does not stop, that it has ended; and what its
 * mappings say. A child that sleeps is the process, and files of the test are what the kernel
 * tells of it.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#define ALLOW_INTERNAL_API 1 /* the driver's view of offload processors */
#include "comch_shm.h" /* check-ok: its layers are tested */
#include "shm_dpa.h" /* check-ok: its layers are tested */
#include "test_comch_util.h"

#ifndef SYS_pidfd_open /* Linux 5.3 */
#define SYS_pidfd_open 434
#endif

/* Nobody has to kill it then. */
#define CHILD_SECONDS 30
/* Where it has a window, and how large that is. */
#define ADDR SHM_DPA_WINDOW_ADDR
#define SIZE UINT64_C(8192)
/* How late it reads. */
#define LATE_MS 100
/* As many mappings as a program may have, and bytes of a name that no file has. */
#define MAX_MAPS 1024
#define LONG_NAME 24000
#define OTHER_MAP "1000-2000 r--s 00000000 00:01 1    /a/file/of/something/else\n"

static struct shm_dpa_host host;
static struct rte_comch_dpa api;
static struct shm_dpa dpa;
static pid_t child = -1;
static int peer_sock = -1;
static int region = -1;

/*
 * The process
 */

static int
sleep_main(void *arg)
{
	for (;;)
		sleep(CHILD_SECONDS);
	return arg != NULL;
}

/* Its first thread waits in the kernel, where no signal stops it; another one sleeps. */
static void
wait_main(int sock)
{
	static uint8_t stack[64 << 10] __attribute__((aligned(64)));

	clone(sleep_main, stack + sizeof(stack), CLONE_VM | CLONE_FS | CLONE_FILES |
		CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM, NULL);
	if (syscall(SYS_clone, CLONE_VFORK | SIGCHLD, 0, 0, 0, 0) != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(sock, "", 1) == 1)
		sleep_main(NULL);
}

static void
maps_set(int fd)
{
	close(dpa.look.maps);
	dpa.look.maps = fd;
}

/* The file of its mappings has a text, so many times. */
static int __rte_format_printf(2, 3)
maps_are(int times, const char *format, ...)
{
	const int fd = memfd_create("maps", MFD_CLOEXEC);
	va_list args;
	int i;

	TEST_TRUE(fd >= 0);
	for (i = 0; i < times; i++) {
		va_start(args, format);
		TEST_TRUE(vdprintf(fd, format, args) >= 0);
		va_end(args);
	}
	maps_set(fd);
	return TEST_SUCCESS;
}

static int
setup(bool waits)
{
	int socks[2];
	char byte;

	TEST_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	child = fork();
	TEST_TRUE(child >= 0);
	if (child == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (waits)
			wait_main(socks[1]);
		else
			sleep(CHILD_SECONDS);
		_exit(0);
	}
	memset(&host, 0, sizeof(host));
	memset(&dpa, 0, sizeof(dpa));
	dpa.segs.seg[SHM_DPA_HOST].map = (uint8_t *)&host;
	dpa.sock = socks[0];
	peer_sock = socks[1];
	dpa.api = &api;
	dpa.name = "none";
	if (waits)
		TEST_EXPECT(recv(dpa.sock, &byte, 1, 0), 1);
	dpa.pidfd = syscall(SYS_pidfd_open, child, 0);
	TEST_TRUE(dpa.pidfd >= 0);
	TEST_EXPECT(shm_dpa_look_open(&dpa.look, dpa.pidfd), 0);
	region = memfd_create("region", MFD_CLOEXEC);
	TEST_TRUE(region >= 0);
	host.windows[0].addr = ADDR;
	dpa.windows[0].size = SIZE;
	dpa.windows[0].fd = region;
	/* where it is a copy of a sanitizer's process it has more mappings than a program */
	return maps_are(1, OTHER_MAP);
}

static int
setup_sleeps(void)
{
	return setup(false);
}

static int
setup_waits(void)
{
	return setup(true);
}

static void
child_end(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = -1;
}

static void
teardown(void)
{
	child_end();
	if (peer_sock < 0)
		return;
	shm_dpa_look_close(&dpa.look);
	close(peer_sock);
	close(dpa.sock);
	close(dpa.pidfd);
	close(region);
	peer_sock = region = -1;
	api.runner = NULL;
}

/* It was stopped, which a waiter of the application has taken; it goes on when it was looked at. */
static int
test_stop_taken(void)
{
	siginfo_t info;

	TEST_EXPECT(kill(child, SIGSTOP), 0);
	TEST_EXPECT(waitid(P_PID, child, &info, WSTOPPED), 0);
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), 0);
	TEST_EXPECT(waitid(P_PID, child, &info, WCONTINUED), 0);
	return TEST_SUCCESS;
}

/* The second thread of it. */
static pid_t
other_thread(void)
{
	char path[64];
	struct dirent *entry;
	pid_t tid = -1;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)child);
	dir = opendir(path);
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (entry->d_name[0] != '.' && atoi(entry->d_name) != child)
			tid = atoi(entry->d_name);
	if (dir != NULL)
		closedir(dir);
	return tid;
}

/* A thread of it stays where it is, though the other one stops: it may map what is in its way. */
static int
test_does_not_stop(void)
{
	const pid_t tid = other_thread();

	TEST_TRUE(tid > 0);
	TEST_EXPECT(syscall(SYS_tgkill, child, tid, SIGSTOP), 0);
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -ETIMEDOUT);
	return TEST_SUCCESS;
}

/* It has ended, and then somebody has its status; and what is no process. */
static int
test_ended(void)
{
	struct shm_dpa_look look;

	TEST_EXPECT(kill(child, SIGKILL), 0);
	TEST_TRUE(shm_dpa_process_over(&dpa, TEST_MS));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EIO);
	child_end();
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EIO);
	TEST_EXPECT(shm_dpa_look_open(&look, dpa.sock), -ENOENT);
	shm_dpa_look_close(&look);
	return TEST_SUCCESS;
}

/*
 * What the kernel tells
 */

/* It has one mapping of a file, and others: what the look at that file says. */
static int
mapped_first(int fd, uint64_t begin, uint64_t end, bool write, unsigned int more_minor, int others)
{
	struct stat st;

	if (fstat(fd, &st) != 0 || maps_are(1, "%" PRIx64 "-%" PRIx64 " r%cs 00000000 %02x:%02x %"
			PRIu64 "    /memfd:region (deleted)\n", begin, end, write ? 'w' : '-',
			major(st.st_dev), minor(st.st_dev) + more_minor,
			(uint64_t)st.st_ino) != TEST_SUCCESS)
		return -1;
	while (others-- > 0)
		dprintf(dpa.look.maps, "%s", OTHER_MAP);
	return shm_dpa_look_gone(&dpa, fd);
}

static int
mapped(int fd, uint64_t begin, uint64_t end, bool write, unsigned int more_minor)
{
	return mapped_first(fd, begin, end, write, more_minor, 0);
}

/* What a window explains: its file, all of its addresses, and no right that it has not. */
static int
test_maps_window(void)
{
	static char runner[] = "/bin/true";
	int other;

	TEST_EXPECT(mapped(region, ADDR, ADDR + SIZE, false, 0), 0);
	TEST_EXPECT(mapped(region, ADDR - 4096, ADDR + SIZE, false, 0), -EBUSY);
	/* those behind it do not fit into what is read at once */
	TEST_EXPECT(mapped_first(region, 4096, 8192, false, 0, MAX_MAPS - 1), -EBUSY);
	TEST_EXPECT(mapped(region, ADDR, ADDR + SIZE + 4096, false, 0), -EBUSY);
	TEST_EXPECT(mapped(region, ADDR, ADDR + SIZE, true, 0), -EBUSY);
	dpa.windows[0].write = true;
	TEST_EXPECT(mapped(region, ADDR, ADDR + SIZE, true, 0), 0);
	/* of another file system, with the same number */
	TEST_EXPECT(mapped(region, 4096, 8192, false, 1), 0);
	TEST_EXPECT(mapped(region, 4096, 8192, false, 0), -EBUSY);
	/* a runner has windows where it likes */
	api.runner = runner;
	TEST_EXPECT(mapped(region, 4096, 8192, false, 0), 0);
	api.runner = NULL;
	/* another one of the same region, which is being taken back */
	host.windows[1].addr = ADDR + SIZE;
	dpa.windows[1].size = SIZE;
	dpa.windows[1].fd = -1;
	TEST_EXPECT(mapped(region, ADDR + SIZE, ADDR + 2 * SIZE, false, 0), -EBUSY);

	/* the window is of another file */
	other = memfd_create("other", MFD_CLOEXEC);
	TEST_TRUE(other >= 0);
	TEST_EXPECT(mapped(other, ADDR, ADDR + SIZE, false, 0), -EBUSY);
	close(other);
	return TEST_SUCCESS;
}

/* The window is of a file with the same number, of another file system. */
static int
test_maps_same_number(void)
{
	const int proc = open("/proc", O_PATH | O_CLOEXEC), sys = open("/sys", O_PATH | O_CLOEXEC);
	struct stat st[2];

	TEST_TRUE(fstat(proc, &st[0]) == 0 && fstat(sys, &st[1]) == 0);
	TEST_TRUE(st[0].st_ino == st[1].st_ino && st[0].st_dev != st[1].st_dev);
	dpa.windows[0].fd = sys;
	TEST_EXPECT(mapped(proc, ADDR, ADDR + SIZE, false, 0), -EBUSY);
	dpa.windows[0].fd = proc;
	TEST_EXPECT(mapped(proc, ADDR, ADDR + SIZE, false, 0), 0);
	close(proc);
	close(sys);
	return TEST_SUCCESS;
}

/* What is not understood, or not all, is no reason to believe that nothing is left. */
static int
test_maps_odd(void)
{
	static char name[LONG_NAME + 1];

	TEST_CALL(maps_are(MAX_MAPS, OTHER_MAP));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), 0);
	TEST_CALL(maps_are(MAX_MAPS + 1, OTHER_MAP));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -E2BIG);
	api.runner = name;
	TEST_CALL(maps_are(MAX_MAPS + 1, OTHER_MAP));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), 0);
	api.runner = NULL;
	TEST_CALL(maps_are(1, "1000-2000 r--s\n"));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EPROTO);
	memset(name, 'a', LONG_NAME);
	TEST_CALL(maps_are(1, "1000-2000 r--s 0 00:01 1 /%s\n", name));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EPROTO);
	TEST_CALL(maps_are(1, "1000-2000 r--s 0 00:01 1 /a\n1000-2000"));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -ENODATA);
	TEST_CALL(maps_are(0, "a"));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -ENODATA);
	maps_set(open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EISDIR);
	maps_set(dup(dpa.sock));
	TEST_EXPECT(shm_dpa_look_gone(&dpa, region), -EIO);
	return TEST_SUCCESS;
}

/* Its control socket is a descriptor at least. */
static int
test_no_descriptor(void)
{
	char path[] = "/tmp/comch_test_XXXXXX";
	int ret;

	TEST_TRUE(mkdtemp(path) != NULL);
	closedir(dpa.look.fds);
	dpa.look.fds = opendir(path);
	ret = dpa.look.fds != NULL ? shm_dpa_look_gone(&dpa, region) : 0;
	rmdir(path);
	TEST_EXPECT(ret, -ENODATA);
	return TEST_SUCCESS;
}

static void *
read_later(void *arg)
{
	char byte;

	usleep(LATE_MS * 1000);
	if (recv(peer_sock, &byte, 1, 0) != 1)
		*(int *)arg = -1;
	return NULL;
}

/* Something is on its way to it: it is given time to get that. */
static int
test_read_later(void)
{
	int ret = 0, got = 0;
	pthread_t thread;

	TEST_EXPECT(send(dpa.sock, "", 1, 0), 1);
	TEST_EXPECT(pthread_create(&thread, NULL, read_later, &got), 0);
	ret = shm_dpa_look_gone(&dpa, region);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(got, 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "looks at processes of programs",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(setup_sleeps, teardown, test_stop_taken),
		TEST_CASE_ST(setup_waits, teardown, test_does_not_stop),
		TEST_CASE_ST(setup_sleeps, teardown, test_ended),
		TEST_CASE_ST(setup_sleeps, teardown, test_maps_window),
		TEST_CASE_ST(setup_sleeps, teardown, test_maps_same_number),
		TEST_CASE_ST(setup_sleeps, teardown, test_maps_odd),
		TEST_CASE_ST(setup_sleeps, teardown, test_no_descriptor),
		TEST_CASE_ST(setup_sleeps, teardown, test_read_later),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_dpa_look_autotest, unit_test_suite_runner, &suite);
