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

/*
 * The thread, and what it is given: copies, as a file system may hold it for longer than the
 * application waits.
 */
struct shm_dpa_monitor {
	struct shm_dpa *dpa;
	dpdk_thread_t thread;
	int sock; /* of the program */
	char *name;
	char *program;
	char *runner; /* or NULL */
	bool confined;
};

static void
monitor_free(struct shm_dpa_monitor *monitor)
{
	free(monitor->name);
	free(monitor->program);
	free(monitor->runner);
	free(monitor);
}

static struct shm_dpa_monitor *
monitor_new(struct shm_dpa *dpa, int sock)
{
	struct shm_dpa_monitor *monitor = calloc(1, sizeof(*monitor));
	const struct rte_comch_dpa *api = dpa->api;

	if (monitor == NULL)
		return NULL;
	monitor->dpa = dpa;
	monitor->sock = sock;
	monitor->confined = (api->flags & RTE_COMCH_DPA_F_UNCONFINED) == 0;
	monitor->name = strdup(dpa->name);
	monitor->program = strdup(api->program);
	if (api->runner != NULL)
		monitor->runner = strdup(api->runner);
	if (monitor->name != NULL && monitor->program != NULL &&
			(api->runner == NULL || monitor->runner != NULL))
		return monitor;
	monitor_free(monitor);
	return NULL;
}

/* It was told that it has not started, so it must not. */
static bool
monitor_is_abandoned(struct shm_dpa *dpa)
{
	bool abandoned;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	abandoned = dpa->abandoned;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return abandoned;
}

/* A process that cannot be looked at is not left alone with memory of this one. */
static int
monitor_look(struct shm_dpa_monitor *monitor, pid_t pid)
{
	struct shm_dpa *dpa = monitor->dpa;
	int ret;

	dpa->look = (struct shm_dpa_look){ .maps = -1, .status = -1 };
	ret = shm_dpa_look_executed(dpa->pidfd);
	if (ret == 0)
		ret = shm_dpa_look_open(&dpa->look, dpa->pidfd);
	if (ret == 0) {
		monitor_launched(pid);
		return 0;
	}
	SHM_LOG(ERR, "%s: program %s: its process is not to be seen in /proc, mount that of this PID namespace: %s",
		monitor->name, monitor->program, strerror(-ret));
	syscall(SYS_pidfd_send_signal, dpa->pidfd, SIGKILL, NULL, 0);
	while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		;
	close(dpa->pidfd);
	shm_dpa_look_close(&dpa->look);
	return ret;
}

static int
monitor_exec(struct shm_dpa_monitor *monitor, int exe, pid_t *pid)
{
	struct shm_launch launch = {
		.exe = exe, .sock = monitor->sock, .name = "comch-dpa", .max_fds = SHM_DPA_MAX_FDS,
		.runner = monitor->runner, .program = monitor->program,
		.confined = monitor->confined,
	};
	int ret;

	ret = shm_exec(&launch, pid, &monitor->dpa->pidfd);
	if (ret == -EPERM && launch.what == NULL)
		SHM_LOG(ERR, "%s: program %s cannot be confined: this kernel or container has no seccomp: set RTE_COMCH_DPA_F_UNCONFINED if you trust it",
			monitor->name, monitor->program);
	else if (ret != 0)
		SHM_LOG(ERR, "%s: program %s: cannot %s%s%s: %s", monitor->name, monitor->program,
			launch.what, launch.runner != NULL ? ", with runner " : "",
			launch.runner != NULL ? launch.runner : "", strerror(-ret));
	else
		ret = monitor_look(monitor, *pid);
	return ret;
}

/* Launch it, in this thread; its end of the socket is ours no more. */
static int
monitor_launch(struct shm_dpa_monitor *monitor, pid_t *pid)
{
	int exe, ret;

	exe = shm_dpa_elf_open(monitor->name, monitor->program, monitor->runner != NULL);
	if (exe < 0)
		ret = exe;
	else if (monitor_is_abandoned(monitor->dpa))
		ret = -ECANCELED;
	else
		ret = monitor_exec(monitor, exe, pid);
	if (exe >= 0)
		close(exe);
	close(monitor->sock);
	return ret;
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

/* Until it has ended. */
static void
monitor_wait(struct shm_dpa *dpa)
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
		shm_dpa_look_size(dpa);
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
	shm_dpa_ended(dpa, status);
}

/* Nobody has waited for the launch: the rest is here. */
static void
monitor_abandoned(struct shm_dpa_monitor *monitor, pid_t pid)
{
	struct shm_dpa *dpa = monitor->dpa;

	pthread_detach(pthread_self()); /* check-ok: nobody joins it */
	if (pid > 0) {
		syscall(SYS_pidfd_send_signal, dpa->pidfd, SIGKILL, NULL, 0);
		while (waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
			;
		close(dpa->pidfd);
	}
	shm_dpa_look_close(&dpa->look);
	close(dpa->sock);
	shm_dpa_free(dpa);
	monitor_free(monitor);
}

static DPDK_THREAD_FUNC(monitor_main, arg)
{
	struct shm_dpa_monitor *monitor = arg;
	struct shm_dpa *dpa = monitor->dpa;
	bool abandoned, tell;
	pid_t pid = 0;
	int ret;

	ret = monitor_launch(monitor, &pid);
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->error = ret;
	dpa->pid = ret == 0 ? pid : 0;
	dpa->launched = true;
	abandoned = dpa->abandoned;
	pthread_cond_broadcast(&dpa->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (abandoned)
		monitor_abandoned(monitor, dpa->pid);
	if (ret != 0 || abandoned)
		return DPDK_THREAD_END;
	monitor_wait(dpa);
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
	monitor_free(dpa->monitor);
	dpa->monitor = NULL;
}

/* 0: it was launched, or not, as the error says; or -ETIMEDOUT. */
static int
launch_wait(struct shm_dpa *dpa, const struct timespec *until)
{
	int ret = 0;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	while (!dpa->launched && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&dpa->cond, /* check-ok: waiters must sleep */
				&dpa->lock, until);
	dpa->abandoned = !dpa->launched;
	ret = dpa->abandoned ? -ETIMEDOUT : 0;
	/* nothing is in them, and they are what takes memory */
	if (dpa->abandoned)
		shm_dpa_segs_free(&dpa->segs);
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return ret;
}

static int
monitor_start(struct shm_dpa *dpa, int sock, const struct timespec *until)
{
	dpa->monitor = monitor_new(dpa, sock);
	if (dpa->monitor == NULL)
		return -ENOMEM;
	if (dpdk_thread_create_control(&dpa->monitor->thread, "comch-dpa", monitor_main,
			dpa->monitor) == 0)
		return launch_wait(dpa, until);
	monitor_free(dpa->monitor);
	dpa->monitor = NULL;
	return -ENOMEM;
}

int
shm_dpa_process_start(struct shm_dpa *dpa, const struct timespec *until)
{
	int socks[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return -EMFILE;
	dpa->sock = socks[0];
	ret = monitor_start(dpa, socks[1], until);
	if (ret == -ETIMEDOUT)
		return ret;
	if (ret != 0)
		close(socks[1]);
	else
		ret = dpa->error;
	if (ret == 0)
		return 0;
	if (dpa->monitor != NULL)
		monitor_join(dpa);
	close(dpa->sock);
	dpa->sock = -1;
	/* of the file system: that time is over is said by the above alone */
	return ret == -ETIMEDOUT ? -EIO : ret;
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
	shm_dpa_look_close(&dpa->look);
	close(dpa->pidfd);
	close(dpa->sock);
}
