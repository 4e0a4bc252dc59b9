/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the kernel tells of a program's process: whether a region that was taken back is gone
 * from it, and whether it has more threads and page tables than a program needs. Nothing that
 * the program says is believed here.
 *
 * A program is stopped while its mappings and descriptors are looked at: no thread of it is in
 * a system call then. A descriptor on its way to it lies in its control socket, and the socket
 * counts what is unread there.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/sockios.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "comch_shm.h"
#include "shm_dpa.h"

#ifndef __WALL
#define __WALL 0x40000000
#endif
/* Linux 5.4; of an enum in newer headers. */
#define LOOK_P_PIDFD 3

/* A status, which has the groups of the user. */
#define LOOK_STATUS 16384
/* Between two looks while something is on its way. */
#define LOOK_PAUSE_MAX_US 64000u
/* Mappings of a program: windows, stacks of units in three parts, segments, its file. */
#define LOOK_MAX_MAPS 1024u
/* What is read of them at once: more than a line, with a name of which each byte is escaped. */
#define LOOK_PIECE 20480
#define LOOK_LINE 256
/*
 * Page tables, which no limit of a process is for: a part of the addresses that it has, and
 * what addresses far from each other take.
 */
#define LOOK_TABLES_SHIFT 9
#define LOOK_TABLES_MORE (32ul << 20)
/* Threads beside those of units: of calls and of control. */
#define LOOK_THREADS 2
/* Addresses that it has beside segments and windows. */
#define LOOK_OWN_ADDRS (512ul << 20)
_Static_assert(LOOK_OWN_ADDRS + SHM_DPA_HOST_SIZE + SHM_DPA_PROG_SIZE + SHM_DPA_HEAP_MAX <
	SHM_DPA_WINDOW_ADDR, "with all windows it has fewer than SHM_DPA_WINDOW_END");

/* A file, as the kernel names it in mappings and descriptors. */
struct look_file {
	dev_t dev;
	ino_t ino;
};

static int
look_file_get(int fd, struct look_file *file)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return -errno;
	file->dev = st.st_dev;
	file->ino = st.st_ino;
	return 0;
}

/*
 * Of a process that lives, and was executed: its number is its own for so long. What is opened
 * here is that process for ever, also if there is no descriptor any more when it is needed.
 */
static int
look_open(pid_t pid, const char *name, int flags)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	fd = open(path, O_RDONLY | O_CLOEXEC | flags);
	return fd >= 0 ? fd : -errno;
}

/* Its number in that /proc, which may be one of other processes; 0 if it is not there. */
static pid_t
look_pid(int pidfd)
{
	char path[64], line[LOOK_LINE];
	int pid = 0;
	FILE *info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	info = fopen(path, "re");
	if (info == NULL)
		return 0;
	while (pid <= 0 && fgets(line, sizeof(line), info) != NULL)
		if (sscanf(line, "Pid: %d", &pid) != 1)
			pid = 0;
	fclose(info);
	return RTE_MAX(pid, 0);
}

/*
 * A process that shares memory with this one until it executes a file lets this one go on a
 * moment before it has memory of its own: until then its mappings are ours.
 */
int
shm_dpa_look_executed(int pidfd)
{
	const uint64_t until = rte_comch_pmd_deadline(RTE_COMCH_DPA_CALL_MS);
	struct stat own, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/exe", (int)look_pid(pidfd));
	/* one that is over has no file */
	while (stat("/proc/self/exe", &own) == 0 && stat(path, &its) == 0 &&
			own.st_ino == its.st_ino && own.st_dev == its.st_dev) {
		if (rte_get_tsc_cycles() > until)
			return -ETIMEDOUT;
		usleep(SHM_DPA_LOOK_MAX_US);
	}
	return 0;
}

int
shm_dpa_look_open(struct shm_dpa_look *look, int pidfd)
{
	const pid_t pid = look_pid(pidfd);
	int fd;

	look->maps = look->status = -1;
	look->fds = NULL;
	if (pid == 0)
		return -ENOENT;
	look->maps = look_open(pid, "maps", 0);
	if (look->maps < 0)
		return look->maps;
	look->status = look_open(pid, "status", 0);
	if (look->status < 0)
		return look->status;
	fd = look_open(pid, "fd", O_DIRECTORY);
	if (fd < 0)
		return fd;
	look->fds = fdopendir(fd);
	if (look->fds != NULL)
		return 0;
	close(fd);
	return -ENOMEM;
}

void
shm_dpa_look_close(struct shm_dpa_look *look)
{
	if (look->maps >= 0)
		close(look->maps);
	if (look->status >= 0)
		close(look->status);
	if (look->fds != NULL)
		closedir(look->fds);
	look->maps = look->status = -1;
	look->fds = NULL;
}

/* The next piece of a file, from its begin on first; how much, or why not. */
static ssize_t
look_read(int fd, char *buf, size_t size)
{
	ssize_t n;

	do {
		n = read(fd, buf, size);
	} while (n < 0 && errno == EINTR);
	return n >= 0 ? n : -errno;
}

/*
 * Stopped
 */

static void
look_signal(const struct shm_dpa *dpa, int signal)
{
	syscall(SYS_pidfd_send_signal, dpa->pidfd, signal, NULL, 0);
}

/* Its state and that of its threads, where a waiter of the application has taken the news. */
static bool
look_is_stopped(const struct shm_dpa *dpa)
{
	char path[64], stat[512];
	struct dirent *entry;
	bool stopped = true;
	const char *state;
	uint32_t nb = 0;
	ssize_t n;
	DIR *dir;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)look_pid(dpa->pidfd));
	dir = opendir(path);
	while (dir != NULL && stopped && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%.16s/stat", entry->d_name);
		fd = openat(dirfd(dir), path, O_RDONLY | O_CLOEXEC);
		n = fd >= 0 ? look_read(fd, stat, sizeof(stat) - 1) : 0;
		if (fd >= 0)
			close(fd);
		stat[RTE_MAX(n, 0)] = '\0';
		/* behind the name, which may have anything in it */
		state = strrchr(stat, ')');
		stopped = state != NULL && strncmp(state, ") T", 3) == 0;
		nb++;
	}
	if (dir != NULL)
		closedir(dir);
	return stopped && nb != 0;
}

/* -EIO: it has ended; -ETIMEDOUT. It runs no instruction after 0. */
static int
look_stop(const struct shm_dpa *dpa, uint64_t until)
{
	uint32_t us = SHM_DPA_LOOK_US;
	siginfo_t info;

	look_signal(dpa, SIGSTOP);
	for (;;) {
		info.si_pid = 0;
		/* the status is left for the monitor */
		if (waitid((idtype_t)LOOK_P_PIDFD, dpa->pidfd, &info,
				WSTOPPED | WEXITED | WNOHANG | WNOWAIT | __WALL) != 0)
			return errno == ECHILD ? -EIO : -errno;
		if (info.si_pid != 0)
			return info.si_code == CLD_STOPPED ? 0 : -EIO;
		if (us == SHM_DPA_LOOK_MAX_US && look_is_stopped(dpa))
			return 0;
		if (rte_get_tsc_cycles() > until)
			return -ETIMEDOUT;
		usleep(us);
		us = RTE_MIN(2 * us, (uint32_t)SHM_DPA_LOOK_MAX_US);
	}
}

/*
 * Mappings and descriptors
 */

/*
 * Whether a mapping is that of a window that there is. A runner has it where it likes, and is
 * trusted not to have it twice.
 */
static bool
is_window(struct shm_dpa *dpa, const struct look_file *file, uint64_t begin, uint64_t end,
		bool write)
{
	const struct shm_dpa_window *entry = shm_dpa_host(dpa)->windows;
	struct look_file own = { 0 };
	uint32_t i;

	for (i = 0; i < SHM_DPA_MAX_WINDOWS; i++)
		if (dpa->windows[i].size != 0 && look_file_get(dpa->windows[i].fd, &own) == 0 &&
				own.dev == file->dev && own.ino == file->ino &&
				(!write || dpa->windows[i].write) &&
				(dpa->api->runner != NULL || (begin >= entry[i].addr &&
				end <= entry[i].addr + dpa->windows[i].size)))
			return true;
	return false;
}

/* One line; -EBUSY if it is a mapping of the file that no window explains. */
static int
look_line(struct shm_dpa *dpa, const struct look_file *file, const char *line)
{
	unsigned int major, minor;
	uint64_t begin, end, ino;
	char rights[5];

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64, &begin, &end, rights,
			&major, &minor, &ino) != 6)
		return -EPROTO;
	if (ino != file->ino || makedev(major, minor) != file->dev ||
			is_window(dpa, file, begin, end, rights[1] == 'w'))
		return 0;
	return -EBUSY;
}

/* All whole lines of a piece; what is left of it is moved to its begin. */
static int
look_lines(struct shm_dpa *dpa, const struct look_file *file, char *piece, size_t *left,
		uint32_t *nb)
{
	/* a runner has more, of its own */
	const uint32_t max = dpa->api->runner == NULL ? LOOK_MAX_MAPS : UINT32_MAX;
	char *line = piece, *end;
	int ret = 0;

	while (ret == 0 && (end = strchr(line, '\n')) != NULL) {
		*end = '\0';
		ret = ++*nb > max ? -E2BIG : look_line(dpa, file, line);
		line = end + 1;
	}
	*left = strlen(line);
	memmove(piece, line, *left + 1);
	return ret;
}

static int
look_maps(struct shm_dpa *dpa, const struct look_file *file)
{
	char piece[LOOK_PIECE];
	size_t left = 0;
	uint32_t nb = 0;
	ssize_t n;
	int ret = 0;

	if (lseek(dpa->look.maps, 0, SEEK_SET) != 0)
		return -EIO;
	while (ret == 0) {
		n = look_read(dpa->look.maps, &piece[left], sizeof(piece) - 1 - left);
		if (n <= 0)
			break;
		piece[left + n] = '\0';
		ret = look_lines(dpa, file, piece, &left, &nb);
		/* no name is that long */
		if (ret == 0 && left == sizeof(piece) - 1)
			ret = -EPROTO;
	}
	if (ret != 0)
		return ret;
	/* a process has maps, but for one that ends */
	return n < 0 ? (int)n : nb == 0 || left != 0 ? -ENODATA : 0;
}

static int
look_fds(struct shm_dpa *dpa, const struct look_file *file)
{
	DIR *dir = dpa->look.fds;
	struct dirent *entry;
	struct stat st;
	uint32_t nb = 0;
	int ret = 0;

	rewinddir(dir);
	for (errno = 0; ret == 0 && (entry = readdir(dir)) != NULL; errno = 0) {
		if (entry->d_name[0] == '.')
			continue;
		nb++;
		if (fstatat(dirfd(dir), entry->d_name, &st, 0) != 0)
			ret = -errno;
		else if (st.st_ino == file->ino && st.st_dev == file->dev)
			ret = -EBUSY;
	}
	if (ret == 0 && errno != 0)
		ret = -errno;
	/* its control socket is there, but for one that ends */
	return ret == 0 && nb == 0 ? -ENODATA : ret;
}

/* Of a program that is stopped; -EAGAIN: something is still on its way to it. */
static int
look_stopped(struct shm_dpa *dpa, const struct look_file *file)
{
	int unread, ret;

	if (ioctl(dpa->sock, SIOCOUTQ, &unread) != 0)
		return -errno;
	if (unread != 0)
		return -EAGAIN;
	ret = look_maps(dpa, file);
	return ret == 0 ? look_fds(dpa, file) : ret;
}

int
shm_dpa_look_gone(struct shm_dpa *dpa, int fd)
{
	const uint64_t until = rte_comch_pmd_deadline(RTE_COMCH_DPA_CALL_MS);
	uint32_t us = SHM_DPA_LOOK_MAX_US;
	struct look_file file;
	int ret;

	ret = look_file_get(fd, &file);
	if (ret != 0)
		return ret;
	for (;;) {
		ret = look_stop(dpa, until);
		if (ret == 0)
			ret = look_stopped(dpa, &file);
		look_signal(dpa, SIGCONT);
		if (ret != -EAGAIN)
			return ret;
		if (rte_get_tsc_cycles() > until)
			return -ETIMEDOUT;
		/* on a busy machine it needs a while to get to it */
		usleep(us);
		us = RTE_MIN(2 * us, LOOK_PAUSE_MAX_US);
	}
}

/*
 * Limits
 */

void
shm_dpa_look_addrs(struct shm_dpa *dpa)
{
	struct rlimit limit = { .rlim_cur = LOOK_OWN_ADDRS, .rlim_max = SHM_DPA_WINDOW_END };
	int error = 0;
	uint32_t i;

	for (i = SHM_DPA_HOST; i <= SHM_DPA_HEAP; i++)
		limit.rlim_cur += dpa->segs.seg[i].size;
	for (i = 0; i < SHM_DPA_MAX_WINDOWS; i++)
		limit.rlim_cur += dpa->windows[i].size;
	__atomic_store_n(&dpa->nb_addrs, limit.rlim_cur, __ATOMIC_RELAXED);
	if (dpa->api->runner != NULL)
		return;
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	if (dpa->pid != 0 && prlimit(dpa->pid, RLIMIT_AS, &limit, NULL) != 0)
		error = errno;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (error != 0)
		SHM_LOG(DEBUG, "%s: addresses of the program are not limited: %s", dpa->name,
			strerror(error));
}

/* A number behind a name in the status of the process; 0 if there is none. */
static uint64_t
status_number(const char *status, const char *name)
{
	const char *at = strstr(status, name);

	return at != NULL ? strtoull(at + strlen(name), NULL, 10) : 0;
}

void
shm_dpa_look_size(struct shm_dpa *dpa)
{
	const uint64_t max_threads = dpa->api->nb_eus + LOOK_THREADS;
	uint64_t threads, tables, max_tables;
	char status[LOOK_STATUS];
	ssize_t n;

	if (dpa->api->runner != NULL || shm_dpa_is_down(dpa) ||
			lseek(dpa->look.status, 0, SEEK_SET) != 0)
		return;
	n = look_read(dpa->look.status, status, sizeof(status) - 1);
	status[RTE_MAX(n, 0)] = '\0';
	threads = status_number(status, "\nThreads:");
	tables = status_number(status, "\nVmPTE:") << 10;
	max_tables = (__atomic_load_n(&dpa->nb_addrs, __ATOMIC_RELAXED) >> LOOK_TABLES_SHIFT) +
		LOOK_TABLES_MORE;
	if (threads > max_threads)
		shm_dpa_excess(dpa, SHM_DPA_NO_EU, "has more threads than units", threads,
			max_threads);
	else if (tables > max_tables)
		shm_dpa_excess(dpa, SHM_DPA_NO_EU, "has more bytes of page tables than it needs",
			tables, max_tables);
}
