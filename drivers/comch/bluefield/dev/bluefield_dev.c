/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The shared objects of a device, and who is told when they come and go: at its begin and
 * end, at a reset, and at a failure. The order of this is in bluefield_dev.h. A device that
 * has nobody to talk to has no such objects, no worker and no parts.
 */

#include <errno.h>

#include <rte_common.h>

#include "bluefield_dev_priv.h"
#include "bluefield_fw.h"

/* Ids of connections in all: each timer looks at all of them. */
#define CM_MAX_IDS 16384u

/*
 * Parts
 */

static void
parts_destroy(struct bf_dev *dev)
{
	uint32_t i;

	/* the function may fail by now, and its thread tells of that */
	bf_lock(&dev->telling);
	for (i = dev->nb_parts; i-- > 0;)
		dev->parts[i]->destroy(dev);
	__atomic_store_n(&dev->nb_parts, 0, __ATOMIC_RELAXED);
	bf_unlock(&dev->telling);
}

static int
parts_create(struct bf_dev *dev)
{
	uint32_t i;
	int ret;

	for (i = 0; i < BF_NB_PARTS; i++) {
		ret = dev->parts[i]->create(dev);
		if (ret != 0)
			return ret;
		/* release: who tells of a failure finds it made */
		__atomic_store_n(&dev->nb_parts, i + 1, __ATOMIC_RELEASE);
	}
	return 0;
}

void
bf_dev_fail(struct bf_dev *dev, int reason)
{
	bf_lock(&dev->telling);
	if (__atomic_load_n(&dev->nb_parts, __ATOMIC_ACQUIRE) > BF_PART_CHAN)
		dev->parts[BF_PART_CHAN]->fail(dev, reason);
	bf_unlock(&dev->telling);
}

/*
 * Objects
 */

static void
cm_wake(void *arg)
{
	bf_job_wake(arg);
}

/* Each function that is served has a part of the ids that no other one can take. */
static void
cm_shares(const struct bf_dev *dev, struct bf_cm_conf *conf)
{
	uint32_t want = rte_align32pow2(RTE_MAX(dev->nb_reps, 1) * conf->max_peer_ids);

	conf->max_ids = RTE_MIN(RTE_MAX(conf->max_ids, want), CM_MAX_IDS);
	conf->max_peer_ids = RTE_MIN(conf->max_peer_ids,
			conf->max_ids / RTE_MAX(dev->nb_reps, 1));
}

/* Who finds clients, or is found by them. */
static int
cm_up(struct bf_dev *dev)
{
	struct bf_cm_conf conf;

	bf_cm_conf_init(&conf);
	cm_shares(dev, &conf);
	conf.name = dev->rte_dev->data->name;
	conf.own = dev->addr;
	conf.addr_index = dev->addr_index;
	conf.ip4_mac = bf_addr_ip4_mac;
	conf.wake = cm_wake;
	conf.arg = dev;
	conf.req_cb = dev->parts[BF_PART_CHAN]->cm_req;
	return bf_cm_create(dev->objs, &dev->pd, &dev->uar, &conf, &dev->cm);
}

static void
objs_down(struct bf_dev *dev)
{
	bf_cm_destroy(dev->cm);
	dev->cm = NULL;
	bf_groups_down(dev);
	bf_regions_down(dev);
	bf_uar_destroy(&dev->uar);
	bf_pd_destroy(&dev->pd);
	bf_addr_down(dev);
}

/* What fails half-way is undone by objs_down(). */
static int
objs_up(struct bf_dev *dev)
{
	int ret;

	/* first: it may reset the function */
	ret = bf_addr_up(dev);
	if (ret == 0)
		ret = bf_pd_create(dev->objs, &dev->pd);
	if (ret == 0)
		ret = bf_uar_create(dev->objs, &dev->uar);
	if (ret == 0)
		ret = bf_groups_up(dev);
	if (ret == 0)
		ret = cm_up(dev);
	return ret;
}

/* With dev->life, groups and worker standing. */
static int
shared_up(struct bf_dev *dev)
{
	int i, ret;

	ret = objs_up(dev);
	if (ret != 0) {
		objs_down(dev);
		BF_LOG(ERR, "%s: no objects to communicate with (%d), for the reason above",
			dev->rte_dev->data->name, ret);
		return ret;
	}
	for (i = 0; i < BF_NB_PARTS; i++)
		dev->parts[i]->up(dev);
	dev->shared = true;
	return 0;
}

static void
shared_down(struct bf_dev *dev)
{
	if (!dev->shared)
		return;
	dev->shared = false;
	dev->parts[BF_PART_CHAN]->down(dev);
	objs_down(dev);
}

/*
 * Life
 */

int
bf_dev_begin(struct bf_dev *dev)
{
	int ret;

	if (!bf_dev_communicates(dev))
		return 0;
	ret = bf_fw_open(dev->func, &dev->objs);
	if (ret == 0)
		ret = parts_create(dev);
	if (ret == 0) {
		bf_lock(&dev->life);
		ret = shared_up(dev);
		bf_unlock(&dev->life);
	}
	if (ret != 0) {
		bf_dev_end(dev);
		return ret;
	}
	bf_fdb_begin(dev);
	bf_jobs_start(dev);
	return 0;
}

void
bf_dev_end(struct bf_dev *dev)
{
	if (dev->objs == NULL)
		return;
	if (dev->shared)
		bf_fdb_end(dev);
	bf_jobs_stop(dev);
	bf_lock(&dev->life);
	bf_groups_stand(dev);
	shared_down(dev);
	bf_unlock(&dev->life);
	/* what the parts posted on their way down: it may end groups, which takes life */
	bf_jobs_flush(dev);
	bf_groups_free(dev);
	parts_destroy(dev);
	bf_fw_close(dev->objs);
	dev->objs = NULL;
}

int
bf_dev_reset(struct bf_dev *dev, int (*reset)(struct bf_dev *dev))
{
	int ret;

	if (!bf_dev_communicates(dev))
		return reset(dev);
	/* a job may end a group, which takes life */
	bf_jobs_stop(dev);
	bf_lock(&dev->life);
	bf_groups_stand(dev);
	shared_down(dev);
	ret = reset(dev);
	if (ret == 0)
		ret = shared_up(dev);
	bf_groups_go(dev);
	bf_unlock(&dev->life);
	bf_jobs_start(dev);
	return ret;
}
