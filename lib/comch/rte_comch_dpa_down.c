/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Programs of offload processors that end by themselves, or with their device: what is
 * on their message queues learns of it.
 */

#include <errno.h>

#include "comch_dpa.h"
#include "comch_private.h"

/* With the lock of its offload processor: the program has ended. */
static void
msgq_down(struct comch_msgq *msgq)
{
	rte_spinlock_lock(&msgq->parent.lock);
	msgq->ended = true;
	rte_spinlock_unlock(&msgq->parent.lock);
	comch_parent_down(&msgq->parent);
}

/* The program is of no use any more. */
static void
dpa_end(struct comch_dpa *dpa, int reason)
{
	struct comch_msgq *msgq;

	rte_spinlock_lock(&dpa->lock);
	if (dpa->ended == 0) {
		dpa->ended = reason;
		TAILQ_FOREACH(msgq, &dpa->msgqs, next)
			msgq_down(msgq);
	}
	rte_spinlock_unlock(&dpa->lock);
}

void
rte_comch_pmd_dpa_down(struct rte_comch_dpa *drv)
{
	COMCH_LOG(WARNING, "%s: program '%s' has ended, rte_comch_dpa_status_get() says why",
		drv->dev->data->name, drv->program);
	dpa_end(comch_dpa(drv), -EIO);
}

/* With the device's lock: it has failed, and its programs with it. */
void
comch_dpas_dev_down(struct rte_comch_dev *dev, int reason)
{
	struct comch_dpa *dpa;

	TAILQ_FOREACH(dpa, &dev->dpas, next)
		dpa_end(dpa, reason);
}

/* With the device's lock: is a program of it started, or on its way up or down? */
bool
comch_dpas_started(struct rte_comch_dev *dev)
{
	bool started = false;
	struct comch_dpa *dpa;

	TAILQ_FOREACH(dpa, &dev->dpas, next) {
		rte_spinlock_lock(&dpa->lock);
		started |= dpa->started || dpa->changing;
		rte_spinlock_unlock(&dpa->lock);
	}
	return started;
}
