/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How child processes are started, talked to and ended. What they do is in
 * test_comch_child.c.
 */

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_lcore.h>

#include "test_comch_child.h"
#include "test_comch_util.h"

/* A child that nobody ends does so itself. */
#define CHILD_SECONDS 300
#define CHILD_MAX 9
#define CHILD_MAX_ARGS 48

static struct test_child children[CHILD_MAX];
static char **parent_argv;
static int parent_argc;
static cpu_set_t parent_cpus;
static char parent_program[PATH_MAX];

void
test_child_init(int argc, char **argv)
{
	ssize_t n = readlink("/proc/self/exe", parent_program, sizeof(parent_program) - 1);

	parent_program[n > 0 ? n : 0] = '\0';
	/* EAL puts its arguments into another order: keep a copy */
	parent_argv = calloc((size_t)argc + 1, sizeof(*argv));
	if (parent_argv != NULL) {
		memcpy(parent_argv, argv, (size_t)argc * sizeof(*argv));
		parent_argc = argc;
	}
	CPU_ZERO(&parent_cpus);
	sched_getaffinity(0, sizeof(parent_cpus), &parent_cpus);
}

/* A processor for the child: another than ours, as long as there is one. */
static unsigned int
child_cpu(unsigned int nr)
{
	unsigned int cpus[CPU_SETSIZE], nb = 0, i;
	unsigned int own = rte_lcore_to_cpu_id(-1) >= 0 ?
			(unsigned int)rte_lcore_to_cpu_id(-1) : 0;

	for (i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET(i, &parent_cpus) && i != own)
			cpus[nb++] = i;
	return nb > 0 ? cpus[nr % nb] : own;
}

static void
runtime_dir(const struct test_child *child, char *dir, size_t size)
{
	snprintf(dir, size, "%s_child%u", rte_eal_get_runtime_dir(), child->nr);
}

/* What EAL leaves of a process that was killed. Nothing of comch is in there. */
static void
runtime_dir_remove(const struct test_child *child)
{
	char dir[PATH_MAX];

	runtime_dir(child, dir, sizeof(dir));
	test_folder_empty(dir);
	rmdir(dir);
}

static void
child_exec(const struct test_child *child, const char *option, int fd, const char *device)
{
	char prefix[PATH_MAX], vdev[2 * PATH_MAX], core[16], number[32];
	const char *args[CHILD_MAX_ARGS];
	const char *base = strrchr(rte_eal_get_runtime_dir(), '/');
	unsigned int cpu = child_cpu(child->nr);
	cpu_set_t set;
	int n = 0, i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGALRM, SIG_DFL);
	alarm(CHILD_SECONDS);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);

	snprintf(prefix, sizeof(prefix), "--file-prefix=%s_child%u",
			base != NULL ? base + 1 : "comch", child->nr);
	snprintf(vdev, sizeof(vdev), "--vdev=%s", device);
	snprintf(core, sizeof(core), "%u", cpu);
	snprintf(number, sizeof(number), "--%s=%d", option, fd);
	args[n++] = parent_program;
	args[n++] = "--no-huge";
	args[n++] = "-m";
	args[n++] = "64";
	args[n++] = "--no-pci";
	args[n++] = "--no-telemetry";
	args[n++] = "--log-level=lib.eal:error";
	args[n++] = "--log-level=lib.comch:error";
	args[n++] = "--log-level=pmd.comch:error";
	args[n++] = "-l";
	args[n++] = core;
	args[n++] = prefix;
	/* drivers that are not part of the program */
	for (i = 1; i + 1 < parent_argc && n + 6 < CHILD_MAX_ARGS; i++) {
		if (strcmp(parent_argv[i], "-d") == 0) {
			args[n++] = parent_argv[i];
			args[n++] = parent_argv[i + 1];
		}
	}
	args[n++] = vdev;
	args[n++] = "--";
	args[n++] = number;
	args[n] = NULL;
	/* execv() changes nothing; its type is older than const */
	execv(parent_program, (char * const *)(uintptr_t)args);
	_exit(EXIT_FAILURE);
}

struct test_child *
test_child_start_as(const char *option, struct test_place *place, const char *function)
{
	static unsigned int count;
	struct test_child *child;
	char device[PATH_MAX + 600];
	unsigned int slot;
	int fds[2], ret;

	if (test_place_vdev(place, function, device, sizeof(device)) != TEST_SUCCESS)
		test_give_up("no place for a device of %s", function);
	for (slot = 0; slot < CHILD_MAX && children[slot].pid != 0; slot++)
		;
	if (slot == CHILD_MAX || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		test_give_up("no place for one more child");
	child = &children[slot];
	child->nr = count++;
	child->fd = fds[0];
	child->function = function;
	fflush(stdout);
	child->pid = fork();
	if (child->pid == 0) {
		fcntl(fds[1], F_SETFD, 0);
		child_exec(child, option, fds[1], device);
	}
	close(fds[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(fds[0]);
		test_give_up("no process: %s", strerror(errno));
	}
	ret = test_child_answer(child, 30000);
	if (ret != 0) /* and it is ended by the teardown */
		test_give_up("child %u with %s did not start: %s", child->nr, device,
				strerror(-ret));
	return child;
}

struct test_child *
test_child_start(struct test_place *place, const char *function)
{
	return test_child_start_as("child", place, function);
}

__rte_format_printf(2, 0)
static int
child_vtell(struct test_child *child, const char *format, va_list ap)
{
	char line[TEST_CHILD_LINE];
	int len = vsnprintf(line, sizeof(line), format, ap);

	return send(child->fd, line, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -errno;
}

int
test_child_tell(struct test_child *child, const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = child_vtell(child, format, ap);
	va_end(ap);
	return ret;
}

int
test_child_poll(struct test_child *child)
{
	char line[TEST_CHILD_LINE];
	int error;
	ssize_t n;

	n = recv(child->fd, line, sizeof(line) - 1, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return -EAGAIN;
	if (n <= 0)
		return -EPIPE;
	line[n] = '\0';
	if (sscanf(line, "failed %d", &error) == 1)
		return error;
	snprintf(child->reply, sizeof(child->reply), "%s", line + strlen("ok"));
	return 0;
}

int
test_child_answer(struct test_child *child, unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	int ret;

	while ((ret = test_child_poll(child)) == -EAGAIN) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		if (test_progress() == 0)
			sched_yield();
	}
	return ret;
}

int
test_child_ask(struct test_child *child, unsigned int ms, const char *format, ...)
{
	va_list ap;
	int ret;

	va_start(ap, format);
	ret = child_vtell(child, format, ap);
	va_end(ap);
	return ret == 0 ? test_child_answer(child, ms) : ret;
}

static int
child_reap(struct test_child *child)
{
	int status = 0;

	close(child->fd);
	if (waitpid(child->pid, &status, 0) != child->pid)
		status = -1;
	runtime_dir_remove(child);
	child->pid = 0;
	return status;
}

void
test_child_kill(struct test_child *child)
{
	kill(child->pid, SIGKILL);
	child_reap(child);
}

int
test_child_end(struct test_child *child)
{
	int ret = test_child_ask(child, 10000, "quit");
	uint64_t end = test_now_ns() + 10000000000;
	siginfo_t info = { .si_pid = 0 };

	/* progress until it has gone: its contexts stop in order */
	while (ret == 0 && info.si_pid == 0) {
		if (waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
			ret = -errno;
		else if (test_now_ns() > end)
			ret = -ETIMEDOUT;
		test_progress();
	}
	if (ret != 0)
		kill(child->pid, SIGKILL);
	return child_reap(child) == 0 ? ret : -ECHILD;
}

void
test_child_cleanup(void)
{
	unsigned int i;

	for (i = 0; i < CHILD_MAX; i++)
		if (children[i].pid != 0)
			test_child_kill(&children[i]);
}
