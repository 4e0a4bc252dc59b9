/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The thread of a device: what takes long. It unmaps and closes what nobody uses any more,
 * and starts brokers. Engines only put such things on a list, and nobody else knows what is
 * on it. They are done one after the other, in the order in which they came.
 */

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "comch_shm.h"
#include "dpdk_release.h"

/* Messages that a peer may have put into what wakes it: more than fit there. */
#define WAKE_MSGS 1024
/* Between two looks, if there is nothing else to do. */
#define LOOK_MS 100

struct shm_thread {
	pthread_mutex_t lock; /* of what follows; behind the device's, and nothing is done in it */
	pthread_cond_t cond;
	STAILQ_HEAD(, shm_trash) list;
	bool ends;
	pid_t pid; /* that has the thread: a child that it forks has not */
	dpdk_thread_t thread;
};

/* A descriptor; it counts for the user that has sent it, until it is closed. */
struct trash_fd {
	struct shm_trash trash;
	struct shm_ledger *ledger;
	int fd;
};

/* For something to do, and for what has to be looked after meanwhile. */
static void
trash_wait(struct shm_dev *dev)
{
	struct shm_thread *thread = dev->thread;
	struct timespec until;

	if (dev->look == NULL) {
		pthread_cond_wait(&thread->cond, &thread->lock); /* check-ok: must sleep */
		return;
	}
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_nsec += LOOK_MS * 1000000;
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(&thread->cond, &thread->lock, &until); /* check-ok: must sleep */
	pthread_mutex_unlock(&thread->lock); /* check-ok: waiters must sleep */
	dev->look(dev);
	pthread_mutex_lock(&thread->lock); /* check-ok: waiters must sleep */
}

static DPDK_THREAD_FUNC(trash_main, arg)
{
	struct shm_dev *dev = arg;
	struct shm_thread *thread = dev->thread;
	struct shm_trash *trash;

	pthread_mutex_lock(&thread->lock); /* check-ok: waiters must sleep */
	for (;;) {
		while (STAILQ_EMPTY(&thread->list) && !thread->ends)
			trash_wait(dev);
		trash = STAILQ_FIRST(&thread->list);
		if (trash == NULL)
			break;
		STAILQ_REMOVE_HEAD(&thread->list, next);
		pthread_mutex_unlock(&thread->lock); /* check-ok: waiters must sleep */
		trash->free(trash);
		pthread_mutex_lock(&thread->lock); /* check-ok: waiters must sleep */
	}
	pthread_mutex_unlock(&thread->lock); /* check-ok: waiters must sleep */
	return DPDK_THREAD_END;
}

int
shm_trash_start(struct shm_dev *dev)
{
	struct shm_thread *thread = calloc(1, sizeof(*thread));
	pthread_condattr_t attr;
	int ret;

	if (thread == NULL)
		return -ENOMEM;
	STAILQ_INIT(&thread->list);
	pthread_mutex_init(&thread->lock, NULL); /* check-ok: waiters must sleep */
	pthread_condattr_init(&attr); /* check-ok: waiters must sleep */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* check-ok: the other may step */
	pthread_cond_init(&thread->cond, &attr); /* check-ok: waiters must sleep */
	pthread_condattr_destroy(&attr); /* check-ok: waiters must sleep */
	thread->pid = getpid();
	dev->thread = thread;
	ret = dpdk_thread_create_control(&thread->thread, "comch-shm", trash_main, dev);
	if (ret == 0)
		return 0;
	dev->thread = NULL;
	free(thread);
	return ret > 0 ? -ret : ret;
}

/* A child that this process has forked has no thread, and ends nothing of its parent's. */
bool
shm_thread_is_here(const struct shm_dev *dev)
{
	return dev->thread->pid == getpid();
}

/* When this returns, all is given back. */
void
shm_trash_stop(struct shm_dev *dev)
{
	struct shm_thread *thread = dev->thread;

	if (thread == NULL)
		return;
	/* the descriptors and mappings of a child end with it */
	if (shm_thread_is_here(dev)) {
		pthread_mutex_lock(&thread->lock); /* check-ok: waiters must sleep */
		thread->ends = true;
		pthread_cond_signal(&thread->cond); /* check-ok: waiters must sleep */
		pthread_mutex_unlock(&thread->lock); /* check-ok: waiters must sleep */
		dpdk_thread_join(thread->thread);
		pthread_cond_destroy(&thread->cond); /* check-ok: waiters must sleep */
		pthread_mutex_destroy(&thread->lock); /* check-ok: waiters must sleep */
	}
	free(thread);
}

/* From any thread, with or without the device's lock. */
void
shm_trash_put(struct shm_dev *dev, struct shm_trash *trash, shm_trash_free_t free_fn)
{
	struct shm_thread *thread = dev->thread;

	/* in a child that goes on with the device there is nobody else */
	if (!shm_thread_is_here(dev)) {
		free_fn(trash);
		return;
	}
	trash->free = free_fn;
	pthread_mutex_lock(&thread->lock); /* check-ok: waiters must sleep */
	STAILQ_INSERT_TAIL(&thread->list, trash, next);
	pthread_cond_signal(&thread->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&thread->lock); /* check-ok: waiters must sleep */
}

static void
trash_fd_free(struct shm_trash *trash)
{
	struct trash_fd *t = container_of(trash, struct trash_fd, trash);

	close(t->fd);
	shm_ledger_give(t->ledger, SHM_LIMIT_FDS, 1);
	free(t);
}

static void
trash_fd_drain(struct shm_trash *trash)
{
	const int fd = container_of(trash, struct trash_fd, trash)->fd;
	uint8_t drop[4096];
	ssize_t n = 1;
	int i;

	for (i = 0; i < WAKE_MSGS && (n > 0 || (n < 0 && errno == ECONNRESET)); i++)
		n = recv(fd, drop, sizeof(drop), MSG_DONTWAIT);
	trash_fd_free(trash);
}

static void
trash_fd_put(struct shm_dev *dev, struct shm_ledger *ledger, int fd, shm_trash_free_t free_fn)
{
	struct trash_fd *t = malloc(sizeof(*t));

	if (t == NULL) {
		close(fd);
		return;
	}
	t->ledger = ledger;
	t->fd = fd;
	shm_ledger_add(ledger, SHM_LIMIT_FDS, 1);
	shm_trash_put(dev, &t->trash, free_fn);
}

/* Close what a user has sent, or can send to: what is behind it may take time to go. */
void
shm_fd_drop(struct shm_dev *dev, struct shm_ledger *ledger, int fd)
{
	trash_fd_put(dev, ledger, fd, trash_fd_free);
}

/* The same, of a socket that we have once more: what is in its queue goes, too. */
void
shm_fd_drain(struct shm_dev *dev, struct shm_ledger *ledger, int fd)
{
	trash_fd_put(dev, ledger, fd, trash_fd_drain);
}
