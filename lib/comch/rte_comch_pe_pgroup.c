/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Poll groups: what a progress engine has of each device. Contexts share the one
 * of their device; a device can also be added by itself.
 */

#include <errno.h>
#include <stdlib.h>

#include "comch_private.h"

/*
 * A reference to the poll group that an engine has of a device, or NULL. Any thread:
 * the group stays, as a place for the connection that is about to be there.
 */
struct rte_comch_pgroup *
comch_pe_pgroup_find(const struct rte_comch_pe *pe, struct rte_comch_dev *dev)
{
	struct rte_comch_pgroup *pg;

	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(pg, &dev->pgs, next)
		if (pg->pe == pe)
			break;
	if (pg != NULL)
		pg->refs++;
	rte_spinlock_unlock(&dev->lock);
	return pg;
}

/* Poll group of a device, made with the first that needs it. */
static int
pe_pgroup_get(struct rte_comch_pe *pe, struct rte_comch_dev *dev, struct rte_comch_pgroup **pg)
{
	struct rte_comch_pmd_ending *end;
	int ret;

	*pg = comch_pe_pgroup_find(pe, dev);
	if (*pg != NULL)
		return 0;
	if (pe->nb_pgs == COMCH_PE_MAX_PGROUPS) {
		COMCH_LOG(ERR, "%s: the progress engine has contexts of %u devices, take another",
			dev->data->name, pe->nb_pgs);
		return -ENOSPC;
	}
	end = calloc(1, sizeof(*end));
	if (end == NULL)
		return -ENOMEM;
	ret = dev->ops->pgroup_create(dev, pe, pg);
	if (ret != 0) {
		free(end);
		return ret;
	}
	(*pg)->refs = 1;
	(*pg)->added = false;
	(*pg)->down = 0;
	(*pg)->end = end;
	pe->pgs[pe->nb_pgs++] = *pg;
	rte_spinlock_lock(&dev->lock);
	TAILQ_INSERT_TAIL(&dev->pgs, *pg, next);
	rte_spinlock_unlock(&dev->lock);
	return 0;
}

/* The driver is done with a poll group, which is its own: this is what waited. */
static void
pe_pgroup_gone(struct rte_comch_pmd_ending *end)
{
	if (end->lost)
		rte_comch_pmd_count(&end->dev->data->stats.retained);
	rte_spinlock_lock(&end->dev->lock);
	end->dev->nb_ending_pgs--; /* the last that held it: it may go */
	rte_spinlock_unlock(&end->dev->lock);
	if (!end->lost)
		free(end);
}

static void
pe_pgroup_put(struct rte_comch_pe *pe, struct rte_comch_pgroup *pg)
{
	struct rte_comch_pmd_ending *end = pg->end;
	struct rte_comch_dev *dev = pg->dev;
	bool last;
	uint32_t i;

	rte_spinlock_lock(&dev->lock);
	last = --pg->refs == 0;
	if (last) {
		TAILQ_REMOVE(&dev->pgs, pg, next);
		dev->nb_ending_pgs++;
	}
	rte_spinlock_unlock(&dev->lock);
	if (!last)
		return;
	for (i = 0; i < pe->nb_pgs; i++) {
		if (pe->pgs[i] == pg) {
			pe->pgs[i] = pe->pgs[--pe->nb_pgs];
			break;
		}
	}
	comch_ending_begin(end, dev, pe, pe_pgroup_gone);
	if (comch_ending_settle(end, dev->ops->pgroup_destroy(pg, end)))
		pe_pgroup_gone(end);
}

/* The place of a device among those of the engine, nb_pgs if there is none. */
static uint32_t
pe_pgroup_index(const struct rte_comch_pe *pe, const struct rte_comch_dev *dev)
{
	uint32_t i;

	for (i = 0; i < pe->nb_pgs && pe->pgs[i]->dev != dev; i++)
		;
	return i;
}

int
rte_comch_pe_dev_add(struct rte_comch_pe *pe, int16_t dev_id)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_pgroup *pg;
	uint32_t i;
	int ret;

	if (pe == NULL || dev == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or no engine to add it to", dev_id);
		return -EINVAL;
	}
	i = pe_pgroup_index(pe, dev);
	if (i < pe->nb_pgs && pe->pgs[i]->added)
		return -EALREADY;
	ret = pe_pgroup_get(pe, dev, &pg);
	if (ret == 0)
		pg->added = true;
	return ret;
}

/* Let go of the devices that were added, unless something else of one is here. */
int
comch_pe_devs_release(struct rte_comch_pe *pe)
{
	struct rte_comch_pgroup *pg;
	uint32_t i, refs;

	for (i = 0; i < pe->nb_pgs; i++) {
		pg = pe->pgs[i];
		rte_spinlock_lock(&pg->dev->lock);
		refs = pg->refs;
		rte_spinlock_unlock(&pg->dev->lock);
		if (refs != pg->added)
			return -EBUSY;
	}
	while (pe->nb_pgs != 0) {
		pg = pe->pgs[0];
		pg->added = false;
		pe_pgroup_put(pe, pg);
	}
	return 0;
}

int
comch_pe_attach(struct rte_comch_pe *pe, struct rte_comch_ctx *ctx)
{
	int ret;

	if (ctx->kind->is_queue && pe->nb_queues == COMCH_PE_MAX_QUEUES) {
		COMCH_LOG(ERR, "%s: the progress engine has %u consumers and producers, take another",
			ctx->dev->data->name, pe->nb_queues);
		return -ENOSPC;
	}
	ret = pe_pgroup_get(pe, ctx->dev, &ctx->pg);
	if (ret != 0)
		return ret;
	pe->nb_queues += ctx->kind->is_queue;
	ctx->pe = pe;
	comch_pe_ctx_add(ctx);
	ctx->kind->pgroup_set(ctx);
	return 0;
}

void
comch_pe_detach(struct rte_comch_ctx *ctx)
{
	struct rte_comch_pe *pe = ctx->pe;

	if (pe == NULL)
		return;
	comch_pe_work_del(ctx);
	TAILQ_REMOVE(&pe->ctxs, ctx, next_pe);
	pe->nb_ctxs--;
	pe->nb_queues -= ctx->kind->is_queue;
	pe_pgroup_put(pe, ctx->pg);
	ctx->pg = NULL;
	ctx->pe = NULL;
	ctx->kind->pgroup_set(ctx);
}
