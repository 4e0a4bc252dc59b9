/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How the processes of the tests of the fast path are started: with several
 * threads in mind, unlike those of test_comch_spawn.c. What they do is in
 * test_comch_fp_child.c.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_lcore.h>

#include "test_comch_fp_child.h"

#define CHILD_MAX 4
#define CHILD_MAX_ARGS 48

/* Apart from the numbers of test_comch_spawn.c: they make file prefixes. */
#define CHILD_FIRST_NR 1000

static struct test_child children[CHILD_MAX];

/*
 * A processor that the first lcore of this process does not have, if there is
 * one: EAL has left all of them to the process.
 */
static unsigned int
child_cpu(unsigned int nr)
{
	unsigned int cpus[CPU_SETSIZE], nb = 0, cpu;
	int own = rte_lcore_to_cpu_id(-1);
	long all = sysconf(_SC_NPROCESSORS_CONF);
	cpu_set_t set, now;

	/* which ones we may use is not known to a thread that is bound to one */
	CPU_ZERO(&now);
	sched_getaffinity(0, sizeof(now), &now);
	for (cpu = 0; cpu < (unsigned int)RTE_MIN(all, (long)CPU_SETSIZE); cpu++) {
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		if ((int)cpu != own && sched_setaffinity(0, sizeof(set), &set) == 0)
			cpus[nb++] = cpu;
	}
	sched_setaffinity(0, sizeof(now), &now);
	return nb > 0 ? cpus[nr % nb] : (unsigned int)RTE_MAX(own, 0);
}

/* The arguments that this program was started with, which EAL has reordered. */
static unsigned int
own_args(char *buf, size_t size, const char **args, unsigned int max)
{
	FILE *f = fopen("/proc/self/cmdline", "r");
	unsigned int nb = 0;
	size_t n, i;

	if (f == NULL)
		return 0;
	n = fread(buf, 1, size - 1, f);
	fclose(f);
	buf[n] = '\0';
	for (i = 0; i < n && nb < max; i += strlen(buf + i) + 1)
		args[nb++] = buf + i;
	return nb;
}

static void
child_exec(const struct test_child *child, int fd, unsigned int cpu, const char *devargs)
{
	char prefix[PATH_MAX], vdev[PATH_MAX], core[16], number[16], program[PATH_MAX];
	static char cmdline[8192];
	const char *base = strrchr(rte_eal_get_runtime_dir(), '/');
	const char *args[CHILD_MAX_ARGS], *own[256];
	unsigned int n = 0, nb, i;
	ssize_t len;
	cpu_set_t set;
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	/* the runner in there counts what is none of our cases */
	null = open("/dev/null", O_WRONLY);
	if (null >= 0)
		dup2(null, STDOUT_FILENO);

	len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	program[len > 0 ? len : 0] = '\0';
	snprintf(prefix, sizeof(prefix), "--file-prefix=%s_child%u",
			base != NULL ? base + 1 : "comch", child->nr);
	snprintf(vdev, sizeof(vdev), "--vdev=comch_shm0,%s", devargs);
	snprintf(core, sizeof(core), "%u", cpu);
	snprintf(number, sizeof(number), "%d", fd);
	setenv(TEST_FP_CHILD_ENV, number, 1);
	args[n++] = program;
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
	nb = own_args(cmdline, sizeof(cmdline), own, RTE_DIM(own));
	for (i = 1; i + 1 < nb && n + 6 < CHILD_MAX_ARGS; i++) {
		if (strcmp(own[i], "-d") == 0) {
			args[n++] = own[i];
			args[n++] = own[i + 1];
		}
	}
	args[n++] = vdev;
	args[n++] = "--";
	args[n++] = TEST_FP_CHILD_COMMAND;
	args[n] = NULL;
	/* execv() changes nothing; its type is older than const */
	execv(program, (char * const *)(uintptr_t)args);
	_exit(EXIT_FAILURE);
}

struct test_child *
test_fp_child_start(const char *format, ...)
{
	static unsigned int count;
	struct test_child *child;
	char devargs[PATH_MAX / 2];
	unsigned int slot, cpu;
	va_list ap;
	int fds[2], ret;

	va_start(ap, format);
	vsnprintf(devargs, sizeof(devargs), format, ap);
	va_end(ap);
	for (slot = 0; slot < CHILD_MAX && children[slot].pid != 0; slot++)
		;
	if (slot == CHILD_MAX || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0) {
		test_fail("no place for one more child");
		return NULL;
	}
	child = &children[slot];
	child->nr = CHILD_FIRST_NR + count++;
	child->fd = fds[0];
	cpu = child_cpu(slot);
	fflush(stdout);
	child->pid = fork();
	if (child->pid == 0) {
		fcntl(fds[1], F_SETFD, 0);
		child_exec(child, fds[1], cpu, devargs);
	}
	close(fds[1]);
	if (child->pid < 0) {
		child->pid = 0;
		close(fds[0]);
		test_fail("no process: %s", strerror(errno));
		return NULL;
	}
	ret = test_child_answer(child, 30000);
	if (ret != 0) {
		test_fail("child %u with %s did not start: %s", child->nr, devargs,
				strerror(-ret));
		return NULL; /* and ended by the teardown */
	}
	return child;
}

int
test_fp_child_load(struct test_child *child, const struct test_load_conf *ours)
{
	return test_child_ask(child, 10000, "load %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
			" %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64,
			ours->peer_producers, ours->peer_consumers, ours->nb_producers,
			ours->nb_consumers, ours->msgs, ours->nb_posts, ours->nb_sends,
			ours->max_len, ours->seed, 300 + ours->msgs / 1000);
}

void
test_fp_child_cleanup(void)
{
	unsigned int i;

	for (i = 0; i < CHILD_MAX; i++)
		if (children[i].pid != 0)
			test_child_kill(&children[i]);
}
