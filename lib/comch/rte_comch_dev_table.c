/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The table of devices: who is in it, and how a device that fails tells its engines
 * and programs.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_string_fns.h>

#include "comch_dpa.h"
#include "comch_private.h"

/* One process, one table. The lock guards it against telemetry, above all. */
static struct rte_comch_dev *comch_devs[RTE_COMCH_MAX_DEVS];
static rte_spinlock_t comch_devs_lock = RTE_SPINLOCK_INITIALIZER;

/*
 * A thread of DPDK's own, as telemetry's, cannot know that a device is about to
 * go. While it holds this lock, none does.
 */
void
comch_devs_lock_take(void)
{
	rte_spinlock_lock(&comch_devs_lock);
}

void
comch_devs_lock_drop(void)
{
	rte_spinlock_unlock(&comch_devs_lock);
}

struct rte_comch_dev *
comch_dev_get(int16_t dev_id)
{
	struct rte_comch_dev *dev;

	if (dev_id < 0 || dev_id >= RTE_COMCH_MAX_DEVS)
		return NULL;
	/* pairs with the release in rte_comch_pmd_allocate() */
	dev = __atomic_load_n(&comch_devs[dev_id], __ATOMIC_ACQUIRE);
	/* pairs with the release in rte_comch_pmd_ready() */
	if (dev == NULL || __atomic_load_n(&dev->state, __ATOMIC_ACQUIRE) != RTE_COMCH_DEV_READY)
		return NULL;
	return dev;
}

uint16_t
rte_comch_dev_count_avail(void)
{
	uint16_t count = 0;
	int16_t i;

	RTE_COMCH_FOREACH_DEV(i)
		count++;
	return count;
}

int16_t
rte_comch_dev_next(int16_t start)
{
	int16_t i;

	for (i = RTE_MAX(start, 0); i < RTE_COMCH_MAX_DEVS; i++)
		if (comch_dev_get(i) != NULL)
			return i;
	return -1;
}

struct rte_comch_dev *
rte_comch_pmd_allocate(const char *name, int numa_node)
{
	struct rte_comch_dev *dev;
	int16_t i;

	if (name == NULL || name[0] == '\0' ||
			strnlen(name, RTE_DEV_NAME_MAX_LEN) == RTE_DEV_NAME_MAX_LEN) {
		rte_errno = EINVAL;
		return NULL;
	}
	if (rte_comch_pmd_get_by_name(name) != NULL) {
		COMCH_LOG(ERR, "%s: a device of this name exists, give it another one", name);
		rte_errno = EEXIST;
		return NULL;
	}
	/* libc's heap: telemetry may look at it after rte_eal_cleanup() has begun */
	dev = calloc(1, sizeof(*dev) + sizeof(*dev->data));
	if (dev == NULL) {
		rte_errno = ENOMEM;
		return NULL;
	}
	dev->data = (struct rte_comch_dev_data *)(dev + 1);
	strlcpy(dev->data->name, name, sizeof(dev->data->name));
	dev->data->numa_node = numa_node;
	dev->state = RTE_COMCH_DEV_REGISTERED;
	rte_spinlock_init(&dev->lock);
	TAILQ_INIT(&dev->ctxs);
	TAILQ_INIT(&dev->mems);
	TAILQ_INIT(&dev->freeing);
	TAILQ_INIT(&dev->retained);
	TAILQ_INIT(&dev->pgs);
	TAILQ_INIT(&dev->dpas);

	rte_spinlock_lock(&comch_devs_lock);
	for (i = 0; i < RTE_COMCH_MAX_DEVS && comch_devs[i] != NULL; i++)
		;
	if (i < RTE_COMCH_MAX_DEVS) {
		dev->data->dev_id = i;
		__atomic_store_n(&comch_devs[i], dev, __ATOMIC_RELEASE);
	}
	rte_spinlock_unlock(&comch_devs_lock);
	if (i == RTE_COMCH_MAX_DEVS) {
		COMCH_LOG(ERR, "%s: %d devices exist, no more fit", name, RTE_COMCH_MAX_DEVS);
		free(dev);
		rte_errno = ENOSPC;
		return NULL;
	}
	return dev;
}

struct rte_comch_dev *
rte_comch_pmd_get_by_name(const char *name)
{
	struct rte_comch_dev *dev = NULL;
	int16_t i;

	rte_spinlock_lock(&comch_devs_lock);
	for (i = 0; i < RTE_COMCH_MAX_DEVS; i++) {
		if (comch_devs[i] != NULL && strcmp(comch_devs[i]->data->name, name) == 0) {
			dev = comch_devs[i];
			break;
		}
	}
	rte_spinlock_unlock(&comch_devs_lock);
	return dev;
}

/* It is in the table no more. */
void
comch_dev_drop(struct rte_comch_dev *dev)
{
	rte_spinlock_lock(&comch_devs_lock);
	__atomic_store_n(&comch_devs[dev->data->dev_id], NULL, __ATOMIC_RELEASE);
	rte_spinlock_unlock(&comch_devs_lock);
}

void
rte_comch_pmd_dev_down(struct rte_comch_dev *dev, int reason)
{
	struct rte_comch_pgroup *pg;

	/* release: who finds it down sees what the driver wrote of the reason */
	__atomic_store_n(&dev->status, reason, __ATOMIC_RELEASE);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(pg, &dev->pgs, next) {
		/* pairs with the acquire in the engine's turn: the status is set */
		__atomic_store_n(&pg->down, 1, __ATOMIC_RELEASE);
		comch_pe_wake(pg->pe);
	}
	comch_dpas_dev_down(dev, reason);
	rte_spinlock_unlock(&dev->lock);
}
