/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The sockets of a folder: <path>/<function>. The kernel decides by their owner and mode
 * who may connect, and so it does in containers that share the folder and nothing else.
 *
 * A socket outlives a process that is killed. Who has the lock of a function's byte in
 * the lock file serves that function, and takes the place of a socket that is there: locks
 * of POSIX end with their process, and no child that it forks has them. Any close of the
 * file in the process ends them, too, and they hold off no other device of it. So there is
 * one table for all devices of the process. One file, and not one for each function, takes
 * one descriptor.
 */

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "comch_shm.h"

#define PLACE_LOCK "comch.lock"
/* How a socket is called until its users can connect. */
#define PLACE_NEW ".new"
/* Openings of a lock file that others remove. */
#define PLACE_TRIES 8

/* A folder in which devices of this process serve. */
struct shm_place {
	LIST_ENTRY(shm_place) next;
	dev_t dev;
	ino_t ino;
	int dir_fd;
	int lock_fd;
	pid_t pid; /* that has the locks: a child that it forks does not */
	uint32_t nb_taken;
	const struct shm_func *taken[SHM_NB_FUNC_NUMBERS]; /* those of devices of this process */
};

static LIST_HEAD(, shm_place) places = LIST_HEAD_INITIALIZER(places);
static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER; /* check-ok: system calls */

/* By the descriptor, which is the same folder wherever it is moved, and short. */
void
shm_place_addr(const struct shm_dev *dev, const char *function, const char *suffix,
		struct sockaddr_un *addr)
{
	memset(addr, 0, sizeof(*addr));
	addr->sun_family = AF_UNIX;
	snprintf(addr->sun_path, sizeof(addr->sun_path), "/proc/self/fd/%d/%s%s", dev->path_fd,
		function, suffix);
}

/* The file of a descriptor gets the owner and, to write, the users of the folder. */
static int
place_share(int fd, const struct stat *folder, bool all)
{
	mode_t mode = S_IRUSR | S_IWUSR | (folder->st_mode & (S_IWGRP | S_IWOTH));
	char file[32];

	snprintf(file, sizeof(file), "/proc/self/fd/%d", fd);
	if (all)
		mode |= S_IWGRP | S_IWOTH;
	else if (chown(file, folder->st_uid, folder->st_gid) != 0 &&
			chown(file, -1, folder->st_gid) != 0)
		mode &= ~S_IWGRP; /* it would be another group */
	return chmod(file, mode) == 0 ? 0 : -errno;
}

static int
lock_open(const struct shm_dev *dev)
{
	/* of a file that another user made: no link, no device that waits, no lease */
	int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
	int fd = openat(dev->path_fd, PLACE_LOCK, flags);
	struct stat st;

	if (fd < 0 && errno == ENOENT) {
		fd = openat(dev->path_fd, PLACE_LOCK, flags | O_CREAT | O_EXCL, 0600);
		if (fd < 0 && errno == EEXIST)
			return -EAGAIN;
	}
	if (fd < 0)
		return errno == ELOOP || errno == EISDIR ? -EPERM : -errno;
	/* who can open it can hold all of it, and end our locks by sending it to us */
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink <= 1 &&
			st.st_uid == geteuid() && (st.st_mode & (S_IRWXG | S_IRWXO)) == 0)
		return fd;
	close(fd);
	return -EPERM;
}

static int
lock_set(const struct shm_place *place, short type, uint32_t first, uint32_t nb)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = first, .l_len = nb };

	if (fcntl(place->lock_fd, F_SETLK, &lock) == 0)
		return 0;
	return errno == EACCES || errno == EAGAIN ? -EADDRINUSE : -errno;
}

/* Who ends last in a folder leaves no file. */
static void
place_close(struct shm_place *place)
{
	struct stat st;

	if (lock_set(place, F_WRLCK, 0, 0) == 0 && fstat(place->lock_fd, &st) == 0 &&
			st.st_nlink != 0)
		unlinkat(place->dir_fd, PLACE_LOCK, 0);
	close(place->lock_fd);
	close(place->dir_fd);
	LIST_REMOVE(place, next);
	free(place);
}

static int
place_open(const struct shm_dev *dev, const struct stat *folder, struct shm_place **out)
{
	struct shm_place *place;
	int ret;

	LIST_FOREACH(place, &places, next) {
		if (place->dev == folder->st_dev && place->ino == folder->st_ino &&
				place->pid == getpid()) {
			*out = place;
			return 0;
		}
	}
	place = calloc(1, sizeof(*place));
	if (place == NULL)
		return -ENOMEM;
	place->dir_fd = fcntl(dev->path_fd, F_DUPFD_CLOEXEC, 0);
	ret = place->dir_fd < 0 ? -errno : 0;
	if (ret == 0) {
		place->lock_fd = lock_open(dev);
		ret = RTE_MIN(place->lock_fd, 0);
	}
	if (ret != 0) {
		if (place->dir_fd >= 0)
			close(place->dir_fd);
		free(place);
		return ret;
	}
	place->dev = folder->st_dev;
	place->ino = folder->st_ino;
	place->pid = getpid();
	LIST_INSERT_HEAD(&places, place, next);
	*out = place;
	return 0;
}

static int
place_take(const struct shm_dev *dev, struct shm_func *func, const struct stat *folder)
{
	uint32_t nr = shm_func_number(func);
	struct shm_place *place = NULL;
	int ret, i;

	for (i = 0; i < PLACE_TRIES; i++) {
		struct stat st;

		ret = place_open(dev, folder, &place);
		if (ret == -EAGAIN)
			continue;
		if (ret != 0)
			return ret;
		if (place->taken[nr] != NULL)
			return -EADDRINUSE;
		ret = lock_set(place, F_WRLCK, nr, 1);
		/* its last user may have removed it since it was opened */
		if (ret == 0 && place->nb_taken == 0 &&
				(fstat(place->lock_fd, &st) != 0 || st.st_nlink == 0))
			ret = -EAGAIN;
		if (ret == 0) {
			place->taken[nr] = func;
			place->nb_taken++;
			func->place = place;
			return 0;
		}
		if (place->nb_taken == 0)
			place_close(place);
		if (ret != -EAGAIN)
			return ret;
	}
	return -EADDRINUSE;
}

static void
place_give(struct shm_func *func)
{
	struct shm_place *place = func->place;
	uint32_t nr = shm_func_number(func);

	func->place = NULL;
	place->taken[nr] = NULL;
	lock_set(place, F_UNLCK, nr, 1);
	if (--place->nb_taken == 0)
		place_close(place);
}

/* Under a name that nobody connects to: whoever sees the socket's own may. */
static int
place_bind(const struct shm_dev *dev, const struct shm_func *func, const struct stat *folder)
{
	char name[SHM_WIRE_FUNCTION_SIZE + sizeof(PLACE_NEW)];
	struct sockaddr_un addr;
	struct stat st;
	int fd, ret;

	/* anything but a socket is somebody's, who made a mistake */
	if (fstatat(dev->path_fd, func->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			!S_ISSOCK(st.st_mode))
		return -ENOTSOCK;
	snprintf(name, sizeof(name), "%s" PLACE_NEW, func->name);
	unlinkat(dev->path_fd, name, 0);
	shm_place_addr(dev, func->name, PLACE_NEW, &addr);
	if (bind(func->fd, (struct sockaddr *)&addr, sizeof(addr)) != 0)
		return -errno;
	/* who else may write to the folder may have put something else there */
	fd = openat(dev->path_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	ret = fd < 0 ? -errno : fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode) &&
		st.st_nlink == 1 && st.st_uid == geteuid() ? 0 : -EADDRINUSE;
	if (ret == 0)
		ret = place_share(fd, folder, dev->users.nb != 0 || func->users.nb != 0);
	if (fd >= 0)
		close(fd);
	if (ret == 0 && listen(func->fd, SHM_MAX_LINKS) != 0)
		ret = -errno;
	if (ret == 0 && renameat(dev->path_fd, name, dev->path_fd, func->name) != 0)
		/* the socket of another user, and the folder is sticky */
		ret = errno == EPERM ? -EADDRINUSE : -errno;
	if (ret != 0)
		unlinkat(dev->path_fd, name, 0);
	return ret;
}

int
shm_place_listen(const struct shm_dev *dev, struct shm_func *func)
{
	struct stat folder;
	int ret;

	if (fstat(dev->path_fd, &folder) != 0)
		return -errno;
	pthread_mutex_lock(&places_lock); /* check-ok: system calls */
	ret = place_take(dev, func, &folder);
	if (ret == 0) {
		ret = place_bind(dev, func, &folder);
		if (ret != 0)
			place_give(func);
	}
	pthread_mutex_unlock(&places_lock); /* check-ok: system calls */
	return ret;
}

/* What is at its name is taken away. */
static void
place_unlink(const struct shm_place *place, const struct shm_func *func)
{
	struct stat st;

	if (fstatat(place->dir_fd, func->name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
			S_ISSOCK(st.st_mode))
		unlinkat(place->dir_fd, func->name, 0);
}

/* Its socket is closed. In a forked child the folder is its parent's. */
void
shm_place_leave(struct shm_func *func)
{
	if (func->place == NULL)
		return;
	pthread_mutex_lock(&places_lock); /* check-ok: system calls */
	if (func->place->pid != getpid()) {
		func->place = NULL;
	} else {
		place_unlink(func->place, func);
		place_give(func);
	}
	pthread_mutex_unlock(&places_lock); /* check-ok: system calls */
}

/* A program that exits with its devices leaves nothing, either. */
RTE_FINI(place_fini)
{
	struct shm_place *place, *next;
	uint32_t i;

	for (place = LIST_FIRST(&places); place != NULL; place = next) {
		next = LIST_NEXT(place, next);
		if (place->pid != getpid())
			continue;
		for (i = 0; i < SHM_NB_FUNC_NUMBERS; i++)
			if (place->taken[i] != NULL)
				place_unlink(place, place->taken[i]);
		place_close(place);
	}
}
