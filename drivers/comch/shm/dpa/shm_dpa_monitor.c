/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The monitor of a program: a thread that starts its process, reads its socket, waits for
 * its end and reaps it. The process belongs to this thread: the kernel ends it with the
 * thread, and so with us, however we end.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_lcore.h>
#include <rte_thread.h>

#include "comch_shm.h"
#include "dpdk_release.h"
#include "shm_dpa.h"

/* Threads beside those of units: of calls and of control. */
#define MONITOR_THREADS 2

/* A file of the process, of which not all are there, or ours to write. */
static void
monitor_proc_set(pid_t pid, const char *name, const char *value)
{
	const size_t len = strlen(value);
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, value, len) != (ssize_t)len)
		SHM_LOG(DEBUG, "%s is not %s: %s", path, value, strerror(errno));
	if (fd >= 0)
		close(fd);
}

/*
 * Where memory is out it ends before its application does; and no memory of it is in a core,
 * also where the limit of cores does not hold.
 */
static void
monitor_launched(pid_t pid)
{
	monitor_proc_set(pid, "oom_score_adj", "1000");
	monitor_proc_set(pid, "coredump_filter", "0");
}

/* Launch it, in this thread; its end of the socket is ours no more. */
static pid_t
monitor_launch(struct shm_dpa *dpa, int exe, int sock)
{
	struct shm_launch launch = {
		.exe = exe, .sock = sock, .name = "comch-dpa", .max_fds = SHM_DPA_MAX_FDS,
		.runner = dpa->api->runner, .program = dpa->api->program,
		.confined = (dpa->api->flags & RTE_COMCH_DPA_F_UNCONFINED) == 0,
	};
	pid_t pid = -1;
	int ret;

	ret = shm_exec(&launch, &pid, &dpa->pidfd);
	if (ret == -EPERM && launch.what == NULL)
		SHM_LOG(ERR, "%s: program %s cannot be confined: this kernel or container has no seccomp: set RTE_COMCH_DPA_F_UNCONFINED if you trust it",
			dpa->name, dpa->api->program);
	else if (ret != 0)
		SHM_LOG(ERR, "%s: program %s: cannot %s%s%s: %s", dpa->name, dpa->api->program,
			launch.what, launch.runner != NULL ? ", with runner " : "",
			launch.runner != NULL ? launch.runner : "", strerror(-ret));
	else
		monitor_launched(pid);
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->error = ret;
	dpa->pid = ret == 0 ? pid : 0;
	dpa->launched = true;
	pthread_cond_broadcast(&dpa->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return ret == 0 ? pid : -1;
}

bool
shm_dpa_process_over(const struct shm_dpa *dpa, int ms)
{
	struct pollfd pfd = { .fd = dpa->pidfd, .events = POLLIN };
	int ret;

	do {
		ret = poll(&pfd, 1, ms);
	} while (ret < 0 && errno == EINTR);
	return ret > 0;
}

/*
 * No limit of a process is for its threads, and each takes memory of the kernel and a
 * number that others need. A folder has a link for each folder in it, and two more.
 */
static void
monitor_threads(struct shm_dpa *dpa, pid_t pid)
{
	uint32_t max = dpa->api->nb_eus + MONITOR_THREADS;
	char path[64];
	struct stat st;

	if (dpa->api->runner != NULL || shm_dpa_is_down(dpa))
		return;
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (stat(path, &st) == 0 && st.st_nlink > max + 2)
		shm_dpa_violation(dpa, SHM_DPA_NO_EU, "it has more threads than units",
			st.st_nlink - 2, max);
}

/* Until it has ended. */
static void
monitor_wait(struct shm_dpa *dpa, pid_t pid)
{
	struct pollfd pfds[2] = {
		{ .fd = dpa->pidfd, .events = POLLIN },
		{ .fd = dpa->sock, .events = POLLIN },
	};

	for (;;) {
		if (poll(pfds, 2, SHM_DPA_LOOK_MS) < 0)
			continue;
		if ((pfds[1].revents & POLLIN) != 0 && !shm_dpa_is_down(dpa))
			shm_dpa_receive(dpa);
		if (pfds[0].revents != 0)
			return;
		monitor_threads(dpa, pid);
		if (shm_dpa_is_down(dpa)) {
			pfds[1].fd = -1; /* it was killed; nobody wants to know more */
		} else if ((pfds[1].revents & POLLHUP) != 0) {
			pfds[1].fd = -1;
			if (!shm_dpa_process_over(dpa, SHM_DPA_HUP_MS))
				shm_dpa_violation(dpa, SHM_DPA_NO_EU, "it closed its control socket",
					0, 0);
		}
	}
}

static void
monitor_reap(struct shm_dpa *dpa, pid_t pid)
{
	int status = -1; /* neither exited nor signaled */
	pid_t ret;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->pid = 0;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	do {
		ret = waitpid(pid, &status, __WALL);
	} while (ret < 0 && errno == EINTR);
	shm_dpa_ended(dpa, ret == pid ? status : -1);
}

/* The thread, and what it is given. */
struct shm_dpa_monitor {
	struct shm_dpa *dpa;
	dpdk_thread_t thread;
	int exe;
	int sock;
};

static DPDK_THREAD_FUNC(monitor_main, arg)
{
	struct shm_dpa_monitor *monitor = arg;
	struct shm_dpa *dpa = monitor->dpa;
	bool tell;
	pid_t pid;

	pid = monitor_launch(dpa, monitor->exe, monitor->sock);
	if (pid < 0)
		return DPDK_THREAD_END;
	monitor_wait(dpa, pid);
	monitor_reap(dpa, pid);
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	tell = dpa->up && !dpa->stopping;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (tell)
		rte_comch_pmd_dpa_down(dpa->api);
	return DPDK_THREAD_END;
}

static void
monitor_join(struct shm_dpa *dpa)
{
	dpdk_thread_join(dpa->monitor->thread);
	free(dpa->monitor);
	dpa->monitor = NULL;
}

static int
monitor_start(struct shm_dpa *dpa, int exe, int sock)
{
	struct shm_dpa_monitor *monitor = calloc(1, sizeof(*monitor));
	int ret;

	if (monitor == NULL)
		return -ENOMEM;
	monitor->dpa = dpa;
	monitor->exe = exe;
	monitor->sock = sock;
	if (dpdk_thread_create_control(&monitor->thread, "comch-dpa", monitor_main, monitor) != 0) {
		free(monitor);
		return -ENOMEM;
	}
	dpa->monitor = monitor;
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	while (!dpa->launched)
		pthread_cond_wait(&dpa->cond, &dpa->lock); /* check-ok: waiters must sleep */
	ret = dpa->error;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (ret != 0)
		monitor_join(dpa);
	return ret;
}

int
shm_dpa_process_start(struct shm_dpa *dpa)
{
	bool runner = dpa->api->runner != NULL;
	int exe, socks[2], ret = -EMFILE;

	exe = shm_dpa_elf_open(dpa->name, dpa->api->program, runner);
	if (exe < 0)
		return exe;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) == 0) {
		dpa->sock = socks[0];
		ret = monitor_start(dpa, exe, socks[1]);
		close(socks[1]);
		if (ret != 0) {
			close(dpa->sock);
			dpa->sock = -1;
		}
	}
	close(exe);
	return ret;
}

void
shm_dpa_process_stop(struct shm_dpa *dpa)
{
	const struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_STOP };

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->stopping = true;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (shm_dpa_send(dpa, &msg, -1) != 0 || !shm_dpa_process_over(dpa, SHM_DPA_STOP_MS))
		syscall(SYS_pidfd_send_signal, dpa->pidfd, SIGKILL, NULL, 0);
	monitor_join(dpa);
	close(dpa->pidfd);
	close(dpa->sock);
}
