/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The thread of a device that gives things back: to unmap takes time, and to close what a
 * peer has sent may take for ever. Engines only put such things on a list. Nobody else knows
 * what is on it, and none of it is needed to go on.
 */

#include <errno.h>
#include <stdlib.h>

#include "comch_shm.h"
#include "dpdk_release.h"

/* A descriptor; it counts for the user that has sent it, until it is closed. */
struct trash_fd {
	struct shm_trash trash;
	struct shm_ledger *ledger;
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

int
shm_trash_start(struct shm_bin *bin)
{
	int ret;

	STAILQ_INIT(&bin->list);
	pthread_mutex_init(&bin->lock, NULL); /* check-ok: waiters must sleep */
	pthread_cond_init(&bin->cond, NULL); /* check-ok: waiters must sleep */
	ret = dpdk_thread_create_control(&bin->thread, "comch-shm", trash_main, bin);
	bin->started = ret == 0;
	return ret > 0 ? -ret : ret;
}

/* When this returns, all is given back. */
void
shm_trash_stop(struct shm_bin *bin)
{
	if (!bin->started)
		return;
	pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	bin->ends = true;
	pthread_cond_signal(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
	dpdk_thread_join(bin->thread);
	pthread_cond_destroy(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_destroy(&bin->lock); /* check-ok: waiters must sleep */
}

/* From any thread, with or without the device's lock. */
void
shm_trash_put(struct shm_dev *dev, struct shm_trash *trash, shm_trash_free_t free_fn)
{
	struct shm_bin *bin = &dev->bin;

	trash->free = free_fn;
	pthread_mutex_lock(&bin->lock); /* check-ok: waiters must sleep */
	STAILQ_INSERT_TAIL(&bin->list, trash, next);
	pthread_cond_signal(&bin->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&bin->lock); /* check-ok: waiters must sleep */
}

static void
trash_fd_free(struct shm_trash *trash)
{
	struct trash_fd *t = container_of(trash, struct trash_fd, trash);

	shm_fd_close(t->fd);
	shm_ledger_give(t->ledger, SHM_LIMIT_FDS, 1);
	free(t);
}

/* Close what a user has sent, or can send to. */
void
shm_fd_drop(struct shm_dev *dev, struct shm_ledger *ledger, int fd)
{
	struct trash_fd *t = malloc(sizeof(*t));

	if (t == NULL) {
		shm_fd_close(fd);
		return;
	}
	t->ledger = ledger;
	t->fd = fd;
	shm_ledger_add(ledger, SHM_LIMIT_FDS, 1);
	shm_trash_put(dev, &t->trash, trash_fd_free);
}
