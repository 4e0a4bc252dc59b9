/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The threads of a device that give things back: to unmap takes time, and to close what a
 * peer has sent may take for ever. Engines only put such things on a list, and nobody else
 * knows what is on it.
 */

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "comch_shm.h"
#include "dpdk_release.h"

/*
 * Two threads free it: one what this process has made or mapped, and one what others have
 * sent, which may take for ever.
 */
enum shm_bin_kind { SHM_BIN_OWN = 0, SHM_BIN_SENT, SHM_BINS };

struct shm_bin {
	pthread_mutex_t lock; /* of what follows; behind the device's, and nothing is done in it */
	pthread_cond_t cond;
	STAILQ_HEAD(, shm_trash) list;
	bool ends;
	bool started;
	pid_t pid; /* that has the thread: a child that it forks has not */
	dpdk_thread_t thread;
};

/* A descriptor; it counts for the user that has sent it, until it is closed. */
struct trash_fd {
	struct shm_trash trash;
	struct shm_dev *dev;
	struct shm_ledger *ledger; /* or NULL */
	int fd;
};

static DPDK_THREAD_FUNC(trash_main, arg)
{
	struct shm_bin *bin = arg;
	struct shm_trash *trash;

	pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	for (;;) {
		while (STAILQ_EMPTY(&bin->list) && !bin->ends)
			pthread_cond_wait(&bin->cond, &bin->lock); /* check-ok: must sleep */
		trash = STAILQ_FIRST(&bin->list);
		if (trash == NULL)
			break;
		STAILQ_REMOVE_HEAD(&bin->list, next);
		pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
		trash->free(trash);
		pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	}
	pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
	return DPDK_THREAD_END;
}

static int
bin_start(struct shm_bin *bin, const char *name)
{
	int ret;

	STAILQ_INIT(&bin->list);
	pthread_mutex_init(&bin->lock, NULL); /* check-ok: waiters must sleep */
	pthread_cond_init(&bin->cond, NULL); /* check-ok: waiters must sleep */
	ret = dpdk_thread_create_control(&bin->thread, name, trash_main, bin);
	bin->started = ret == 0;
	bin->pid = getpid();
	return ret > 0 ? -ret : ret;
}

static void
bin_stop(struct shm_bin *bin)
{
	/* the descriptors and mappings of a child end with it */
	if (!bin->started || bin->pid != getpid())
		return;
	pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	bin->ends = true;
	pthread_cond_signal(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
	dpdk_thread_join(bin->thread);
	pthread_cond_destroy(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_destroy(&bin->lock); /* check-ok: waiters must sleep */
}

int
shm_trash_start(struct shm_dev *dev)
{
	int ret;

	dev->bins = calloc(SHM_BINS, sizeof(*dev->bins));
	if (dev->bins == NULL)
		return -ENOMEM;
	ret = bin_start(&dev->bins[SHM_BIN_OWN], "comch-shm");
	return ret != 0 ? ret : bin_start(&dev->bins[SHM_BIN_SENT], "comch-shm-fd");
}

/* When this returns, all is given back. The first one has work for the second. */
void
shm_trash_stop(struct shm_dev *dev)
{
	if (dev->bins == NULL)
		return;
	bin_stop(&dev->bins[SHM_BIN_OWN]);
	bin_stop(&dev->bins[SHM_BIN_SENT]);
	free(dev->bins);
}

static void
bin_put(struct shm_bin *bin, struct shm_trash *trash, shm_trash_free_t free_fn)
{
	trash->free = free_fn;
	pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	STAILQ_INSERT_TAIL(&bin->list, trash, next);
	pthread_cond_signal(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
}

/* What must not wait for others. From any thread, with or without the device's lock. */
void
shm_trash_put(struct shm_dev *dev, struct shm_trash *trash, shm_trash_free_t free_fn)
{
	bin_put(&dev->bins[SHM_BIN_OWN], trash, free_fn);
}

static void
trash_fd_free(struct shm_trash *trash)
{
	struct trash_fd *t = container_of(trash, struct trash_fd, trash);

	shm_fd_close(t->fd);
	if (t->ledger != NULL)
		shm_ledger_give(t->ledger, SHM_LIMIT_FDS, 1);
	else
		__atomic_fetch_sub(&t->dev->nb_stranger_fds, 1, __ATOMIC_RELAXED);
	free(t);
}

/*
 * Close what a user has sent, or can send to; ledger is NULL if it was not let in. Too many
 * of strangers are closed as the kernel does it: what waits in such a socket is dropped.
 */
void
shm_fd_drop(struct shm_dev *dev, struct shm_ledger *ledger, int fd)
{
	struct trash_fd *t = NULL;

	if (ledger != NULL || __atomic_load_n(&dev->nb_stranger_fds, __ATOMIC_RELAXED) <
			SHM_MAX_STRANGER_FDS)
		t = malloc(sizeof(*t));
	if (t == NULL) {
		close(fd);
		return;
	}
	t->dev = dev;
	t->ledger = ledger;
	t->fd = fd;
	if (ledger != NULL)
		shm_ledger_add(ledger, SHM_LIMIT_FDS, 1);
	else
		__atomic_fetch_add(&dev->nb_stranger_fds, 1, __ATOMIC_RELAXED);
	bin_put(&dev->bins[SHM_BIN_SENT], &t->trash, trash_fd_free);
}
