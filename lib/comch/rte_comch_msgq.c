/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues: their life, and the CPU end, whose producers and consumers are those
 * of rte_comch_queue.c on another parent. The DPA end is in rte_comch_msgq_dpa.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comch_dpa.h"
#include "comch_private.h"

static struct comch_msgq *
msgq_of_parent(const struct comch_parent *parent)
{
	return container_of((struct comch_parent *)(uintptr_t)parent, struct comch_msgq, parent);
}

/* Whether queues can be made on a message queue, or started. */
static int
msgq_usable(const struct comch_parent *parent)
{
	return msgq_of_parent(parent)->ended ? -EIO : 0;
}

static void
msgq_free(struct comch_parent *parent)
{
	free(msgq_of_parent(parent));
}

static const struct comch_parent_kind msgq_parent_kind = {
	.consumer = &comch_msgq_consumer_kind,
	.lost = -EIO,
	.usable = msgq_usable,
	.free = msgq_free,
};

static int
msgq_conf_check(const struct comch_dpa *dpa, const struct rte_comch_msgq_conf *conf)
{
	const struct rte_comch_dpa_info *info = &dpa->info;

	if (comch_dpa_conf_check(dpa, "message queue", conf->flags, conf->reserved,
			RTE_DIM(conf->reserved)) != 0)
		return -EINVAL;
	if (conf->dir != RTE_COMCH_MSGQ_TO_DPA && conf->dir != RTE_COMCH_MSGQ_FROM_DPA) {
		COMCH_LOG(ERR, "%s: dir %d of a message queue: RTE_COMCH_MSGQ_TO_DPA or RTE_COMCH_MSGQ_FROM_DPA",
			comch_dpa_dev_name(dpa), (int)conf->dir);
		return -EINVAL;
	}
	if (conf->max_consumers > info->max_consumers ||
			conf->max_producers > info->max_producers) {
		COMCH_LOG(ERR, "%s: max_consumers %u and max_producers %u of a message queue: at most %u and %u",
			comch_dpa_dev_name(dpa), conf->max_consumers, conf->max_producers,
			info->max_consumers, info->max_producers);
		return -EINVAL;
	}
	return 0;
}

/* One that is whole but for its place on its offload processor. */
static struct comch_msgq *
msgq_alloc(struct comch_dpa *dpa, const struct rte_comch_msgq_conf *conf)
{
	uint32_t consumers = rte_align32pow2(RTE_MAX(conf->max_consumers, 1u));
	uint32_t producers = rte_align32pow2(RTE_MAX(conf->max_producers, 1u));
	size_t words = comch_parent_words(consumers, producers);
	size_t head = RTE_ALIGN_CEIL(sizeof(struct comch_msgq), 8);
	struct comch_msgq *msgq = calloc(1, head + words * sizeof(uint64_t));

	if (msgq == NULL)
		return NULL;
	comch_parent_init(&msgq->parent, &msgq_parent_kind, dpa->drv.dev, consumers, producers,
			RTE_PTR_ADD(msgq, head));
	msgq->parent.msgq = &msgq->drv;
	msgq->parent.max_imm_len = dpa->info.max_imm_len;
	msgq->parent.imm_only = true;
	msgq->drv.dpa = &dpa->drv;
	msgq->drv.dir = conf->dir;
	msgq->drv.max_consumers = consumers;
	msgq->drv.max_producers = producers;
	TAILQ_INIT(&msgq->queues);
	return msgq;
}

/* With the mutex. */
static int
msgq_create(struct comch_dpa *dpa, struct comch_msgq *msgq)
{
	int ret = comch_dpa_usable(dpa, "message queue");

	if (ret != 0)
		return ret;
	if (dpa->nb_msgqs >= dpa->info.max_msgqs) {
		COMCH_LOG(ERR, "%s: program '%s' has %u message queues, no more fit",
			comch_dpa_dev_name(dpa), dpa->drv.program, dpa->nb_msgqs);
		return -ENOSPC;
	}
	msgq->drv.id = ++dpa->last_msgq;
	ret = comch_dpa_ops(dpa)->msgq_create(&msgq->drv);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no message queue for program '%s': %s",
			comch_dpa_dev_name(dpa), dpa->drv.program, strerror(-ret));
		return ret;
	}
	dpa->nb_msgqs++;
	rte_spinlock_lock(&dpa->lock);
	msgq->ended = dpa->ended != 0;
	TAILQ_INSERT_TAIL(&dpa->msgqs, msgq, next);
	rte_spinlock_unlock(&dpa->lock);
	return 0;
}

int
rte_comch_msgq_create(struct rte_comch_dpa *drv, const struct rte_comch_msgq_conf *conf,
		struct rte_comch_msgq **out)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct comch_msgq *msgq;
	int ret;

	if (drv == NULL || conf == NULL || out == NULL || msgq_conf_check(dpa, conf) != 0)
		return -EINVAL;
	msgq = msgq_alloc(dpa, conf);
	if (msgq == NULL)
		return -ENOMEM;
	comch_dpa_lock(dpa);
	ret = msgq_create(dpa, msgq);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		*out = &msgq->drv;
	else
		free(msgq);
	return ret;
}

/* With the mutex. */
static int
msgq_destroy(struct comch_dpa *dpa, struct comch_msgq *msgq)
{
	uint32_t consumers, producers;

	rte_spinlock_lock(&msgq->parent.lock);
	consumers = msgq->parent.consumers.nb;
	producers = msgq->parent.producers.nb;
	rte_spinlock_unlock(&msgq->parent.lock);
	if (consumers + producers != 0) {
		COMCH_LOG(ERR, "%s: message queue %u of program '%s' has %u consumers and %u producers, destroy them first",
			comch_dpa_dev_name(dpa), msgq->drv.id, dpa->drv.program, consumers,
			producers);
		return -EBUSY;
	}
	dpa->nb_msgqs--;
	rte_spinlock_lock(&dpa->lock);
	TAILQ_REMOVE(&dpa->msgqs, msgq, next);
	/* it has lost a queue, and may look at what that is on */
	dpa->leaked |= msgq->parent.leaked;
	rte_spinlock_unlock(&dpa->lock);
	comch_dpa_ops(dpa)->msgq_destroy(&msgq->drv);
	msgq->drv.priv = NULL;
	return 0;
}

int
rte_comch_msgq_destroy(struct rte_comch_msgq *drv)
{
	struct comch_msgq *msgq = comch_msgq(drv);
	struct comch_dpa *dpa;
	int ret;

	if (drv == NULL)
		return 0;
	dpa = comch_dpa(drv->dpa);
	comch_dpa_lock(dpa);
	ret = msgq_destroy(dpa, msgq);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		comch_parent_put(&msgq->parent);
	return ret;
}

/*
 * The CPU end
 */

/* Whether queues of this kind are made there. */
static int
msgq_cpu_check(struct comch_msgq *msgq, enum rte_comch_msgq_dir dir, const char *what)
{
	if (msgq->drv.dir != dir) {
		COMCH_LOG(ERR, "%s: a %s of message queue %u is one of program '%s': create it by rte_comch_dpa_queue_create(), or a message queue of the other direction",
			msgq->parent.dev->data->name, what, msgq->drv.id,
			msgq->drv.dpa->program);
		return -EPERM;
	}
	return comch_dpa_usable(comch_dpa(msgq->drv.dpa), what);
}

int
rte_comch_msgq_consumer_create(struct rte_comch_msgq *drv,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx)
{
	struct comch_msgq *msgq = comch_msgq(drv);
	int ret;

	if (drv == NULL || ctx == NULL)
		return -EINVAL;
	ret = msgq_cpu_check(msgq, RTE_COMCH_MSGQ_FROM_DPA, "consumer");
	return ret == 0 ? comch_consumer_create(&msgq->parent, conf, ctx) : ret;
}

int
rte_comch_msgq_producer_create(struct rte_comch_msgq *drv,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx)
{
	struct comch_msgq *msgq = comch_msgq(drv);
	int ret;

	if (drv == NULL || ctx == NULL)
		return -EINVAL;
	ret = msgq_cpu_check(msgq, RTE_COMCH_MSGQ_TO_DPA, "producer");
	return ret == 0 ? comch_producer_create(&msgq->parent, conf, ctx) : ret;
}
