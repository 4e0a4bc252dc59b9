/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_DPA_H
#define COMCH_DPA_H

/*
 * What the files about offload processors and message queues share. The handles of
 * threads, windows, completion contexts and queues of the DPA end are what drivers see
 * of them; an offload processor has more. Nothing here is installed.
 *
 * Locks, in the order in which they are taken:
 *
 * - the mutex of an offload processor, which serialises its set-up, and is held around
 *   all ops but three. Those who wait for it may wait as long as a program is waited for.
 * - the lock of the device, for its list of offload processors
 * - the lock of an offload processor, for what the driver may change any time: whether its
 *   program runs. It is held around status_get and eu_info_get, which do not wait, and is
 *   that of its list of message queues.
 * - the lock of a message queue, which is that of its parent of queues. It is held around
 *   msgq_waiting, which does not wait.
 */

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_spinlock.h>

#include "comch_private.h"

TAILQ_HEAD(comch_msgq_list, comch_msgq);

/* An offload processor. */
struct comch_dpa {
	struct rte_comch_dpa drv; /* first: the handle */
	struct rte_comch_dpa_info info; /* limits, as they were at its creation */

	pthread_mutex_t mutex; /* guards what follows */
	uint32_t nb_threads;
	uint32_t nb_completions;
	uint32_t nb_msgqs;
	uint32_t last_msgq;  /* identifier */
	uint32_t nb_windows;
	uint32_t nb_mems;
	uint64_t eus; /* that have a thread */

	rte_spinlock_t lock; /* guards what follows */
	bool started; /* written under both locks */
	bool changing; /* its start or stop op runs */
	int ended;    /* the program has: a negative errno; 0 again with the next start */
	bool leaked;  /* a driver may look at it for good: not freed */
	struct comch_msgq_list msgqs;

	TAILQ_ENTRY(comch_dpa) next; /* device; or leaked */
};

/* A message queue. */
struct comch_msgq {
	struct rte_comch_msgq drv; /* first: the handle */
	struct comch_parent parent; /* its lock guards what follows */
	bool ended; /* its program has */
	TAILQ_HEAD(, rte_comch_dpa_queue) queues; /* of the DPA end */
	TAILQ_ENTRY(comch_msgq) next; /* offload processor */
};

static inline struct comch_dpa *
comch_dpa(const struct rte_comch_dpa *drv)
{
	return container_of((struct rte_comch_dpa *)(uintptr_t)drv, struct comch_dpa, drv);
}

static inline struct comch_msgq *
comch_msgq(const struct rte_comch_msgq *drv)
{
	return container_of((struct rte_comch_msgq *)(uintptr_t)drv, struct comch_msgq, drv);
}

static inline const struct rte_comch_dpa_ops *
comch_dpa_ops(const struct comch_dpa *dpa)
{
	return dpa->drv.dev->ops->dpa;
}

static inline const char *
comch_dpa_dev_name(const struct comch_dpa *dpa)
{
	return dpa->drv.dev->data->name;
}

static inline void
comch_dpa_lock(struct comch_dpa *dpa)
{
	pthread_mutex_lock(&dpa->mutex); /* check-ok: waiters must sleep */
}

static inline void
comch_dpa_unlock(struct comch_dpa *dpa)
{
	pthread_mutex_unlock(&dpa->mutex); /* check-ok: waiters must sleep */
}

/* rte_comch_dpa.c */
int comch_dpa_usable(struct comch_dpa *dpa, const char *what);
int comch_dpa_conf_check(const struct comch_dpa *dpa, const char *what, uint32_t flags,
		const uint64_t *reserved, uint32_t nb_reserved);
int comch_dpa_name_check(const struct comch_dpa *dpa, const char *what, const char *name);

/* rte_comch_dpa_down.c */
void comch_dpas_dev_down(struct rte_comch_dev *dev, int reason);
bool comch_dpas_started(struct rte_comch_dev *dev);

#endif /* COMCH_DPA_H */
