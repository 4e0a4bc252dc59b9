/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The DPA end of message queues: completion contexts, producers and consumers of a
 * program. The library checks and counts, and the driver makes what the program uses.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "comch_dpa.h"
#include "comch_private.h"

/* A size of a queue, which is a power of two, as is its limit; 0 for the default. */
static int
dpa_size_check(const struct comch_dpa *dpa, const char *what, const char *key, uint32_t size,
		uint32_t max, uint32_t *rounded)
{
	if (size == 0)
		size = RTE_MIN((uint32_t)COMCH_DFLT_QUEUE_SIZE, max);
	if (size > max) {
		COMCH_LOG(ERR, "%s: %s %u of a %s: at most %u", comch_dpa_dev_name(dpa), key,
			size, what, max);
		return -EINVAL;
	}
	*rounded = rte_align32pow2(size);
	return 0;
}

/* Bytes of immediate data. */
static int
dpa_imm_check(const struct comch_dpa *dpa, const char *what, uint32_t imm_len, uint32_t max)
{
	if (imm_len <= max)
		return 0;
	COMCH_LOG(ERR, "%s: imm_len %u of a %s: at most %u", comch_dpa_dev_name(dpa), imm_len,
		what, max);
	return -EINVAL;
}

/*
 * Completion contexts
 */

static int
completion_conf_check(const struct comch_dpa *dpa,
		const struct rte_comch_dpa_completion_conf *conf, uint32_t *depth)
{
	static const char what[] = "completion context";
	bool consumer = conf->type == RTE_COMCH_DPA_COMPLETION_CONSUMER;
	const struct rte_comch_dpa_info *info = &dpa->info;
	uint64_t max_queues;

	if (comch_dpa_conf_check(dpa, what, conf->flags, conf->reserved,
			RTE_DIM(conf->reserved)) != 0)
		return -EINVAL;
	if (!consumer && conf->type != RTE_COMCH_DPA_COMPLETION_PRODUCER) {
		COMCH_LOG(ERR, "%s: type %d of a completion context: RTE_COMCH_DPA_COMPLETION_CONSUMER or _PRODUCER",
			comch_dpa_dev_name(dpa), (int)conf->type);
		return -EINVAL;
	}
	max_queues = (uint64_t)info->max_msgqs *
		(consumer ? info->max_consumers : info->max_producers);
	if (conf->max_queues > max_queues) {
		COMCH_LOG(ERR, "%s: max_queues %u of a completion context, there are %" PRIu64 " at most",
			comch_dpa_dev_name(dpa), conf->max_queues, max_queues);
		return -EINVAL;
	}
	if (conf->thread != NULL && conf->thread->dpa != &dpa->drv) {
		COMCH_LOG(ERR, "%s: thread '%s' of a completion context is one of program '%s' elsewhere, give one of this offload processor",
			comch_dpa_dev_name(dpa), conf->thread->func, conf->thread->dpa->program);
		return -EINVAL;
	}
	if (dpa_imm_check(dpa, what, conf->imm_len, consumer ? info->max_imm_len : 0) != 0)
		return -EINVAL;
	return dpa_size_check(dpa, what, "depth", conf->depth, info->max_depth, depth);
}

/* With the mutex. */
static int
completion_create(struct comch_dpa *dpa, struct rte_comch_dpa_completion *completion)
{
	int ret = comch_dpa_usable(dpa, "completion context");

	if (ret != 0)
		return ret;
	ret = comch_dpa_ops(dpa)->completion_create(completion);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no completion context of depth %u for program '%s': %s",
			comch_dpa_dev_name(dpa), completion->depth, dpa->drv.program,
			strerror(-ret));
		return ret;
	}
	dpa->nb_completions++;
	if (completion->thread != NULL)
		completion->thread->refs++;
	return 0;
}

int
rte_comch_dpa_completion_create(struct rte_comch_dpa *drv,
		const struct rte_comch_dpa_completion_conf *conf,
		struct rte_comch_dpa_completion **out)
{
	struct comch_dpa *dpa = comch_dpa(drv);
	struct rte_comch_dpa_completion *completion;
	uint32_t depth;
	int ret;

	if (drv == NULL || conf == NULL || out == NULL ||
			completion_conf_check(dpa, conf, &depth) != 0)
		return -EINVAL;
	completion = calloc(1, sizeof(*completion));
	if (completion == NULL)
		return -ENOMEM;
	completion->dpa = drv;
	completion->thread = conf->thread;
	completion->type = conf->type;
	completion->depth = depth;
	completion->imm_len = conf->imm_len;
	completion->max_queues = RTE_MAX(conf->max_queues, 1u);
	comch_dpa_lock(dpa);
	ret = completion_create(dpa, completion);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		*out = completion;
	else
		free(completion);
	return ret;
}

int
rte_comch_dpa_completion_destroy(struct rte_comch_dpa_completion *completion)
{
	struct comch_dpa *dpa;
	uint32_t refs;

	if (completion == NULL)
		return 0;
	dpa = comch_dpa(completion->dpa);
	comch_dpa_lock(dpa);
	refs = completion->refs;
	if (refs == 0) {
		comch_dpa_ops(dpa)->completion_destroy(completion);
		dpa->nb_completions--;
		if (completion->thread != NULL)
			completion->thread->refs--;
	}
	comch_dpa_unlock(dpa);
	if (refs != 0) {
		COMCH_LOG(ERR, "%s: %u queues of program '%s' have the completion context, destroy them first",
			comch_dpa_dev_name(dpa), refs, dpa->drv.program);
		return -EBUSY;
	}
	free(completion);
	return 0;
}

int
rte_comch_dpa_completion_handle_get(const struct rte_comch_dpa_completion *completion,
		uint64_t *handle)
{
	if (completion == NULL || handle == NULL)
		return -EINVAL;
	*handle = completion->handle;
	return 0;
}

/*
 * Producers and consumers
 */

/* Whether a queue may have this completion context. */
static int
queue_completion_check(const struct comch_dpa *dpa, bool is_consumer,
		const struct rte_comch_dpa_completion *completion)
{
	const char *what = is_consumer ? "consumer" : "producer";

	if (completion == NULL) {
		if (!is_consumer)
			return 0;
		COMCH_LOG(ERR, "%s: a consumer of program '%s' without a completion context, give it one",
			comch_dpa_dev_name(dpa), dpa->drv.program);
		return -EINVAL;
	}
	if (completion->dpa != &dpa->drv || is_consumer !=
			(completion->type == RTE_COMCH_DPA_COMPLETION_CONSUMER)) {
		COMCH_LOG(ERR, "%s: the completion context of a %s is one of another offload processor, or not for %ss: create one for it",
			comch_dpa_dev_name(dpa), what, what);
		return -EINVAL;
	}
	return 0;
}

/* An identifier, and a place on the message queue: it may end any time. */
static int
dpa_queue_add(struct comch_msgq *msgq, struct rte_comch_dpa_queue *queue)
{
	int ret;

	rte_spinlock_lock(&msgq->parent.lock);
	ret = comch_parent_id_take(&msgq->parent, queue->is_consumer, &queue->id);
	if (ret == 0)
		TAILQ_INSERT_TAIL(&msgq->queues, queue, next);
	rte_spinlock_unlock(&msgq->parent.lock);
	if (ret == -ENOSPC)
		comch_parent_full(&msgq->parent, queue->is_consumer);
	return ret;
}

static void
dpa_queue_del(struct comch_msgq *msgq, struct rte_comch_dpa_queue *queue)
{
	rte_spinlock_lock(&msgq->parent.lock);
	TAILQ_REMOVE(&msgq->queues, queue, next);
	comch_parent_id_give(&msgq->parent, queue->is_consumer, queue->id);
	rte_spinlock_unlock(&msgq->parent.lock);
	comch_parent_put(&msgq->parent);
}

static const char *
dpa_queue_what(bool is_consumer)
{
	return is_consumer ? "consumer of a program" : "producer of a program";
}

static int
dpa_queue_conf_check(const struct comch_msgq *msgq, const struct rte_comch_dpa_queue_conf *conf,
		bool is_consumer, uint32_t *size)
{
	const struct comch_dpa *dpa = comch_dpa(msgq->drv.dpa);
	const char *what = dpa_queue_what(is_consumer);

	if (queue_completion_check(dpa, is_consumer, conf->completion) != 0 ||
			comch_dpa_conf_check(dpa, what, conf->flags, conf->reserved,
				RTE_DIM(conf->reserved)) != 0 ||
			dpa_imm_check(dpa, what, conf->imm_len,
				is_consumer ? conf->completion->imm_len : 0) != 0)
		return -EINVAL;
	return dpa_size_check(dpa, what, "size", conf->size,
			is_consumer ? dpa->info.max_recv : dpa->info.max_send, size);
}

/* With the mutex. */
static int
dpa_queue_create(struct comch_dpa *dpa, struct comch_msgq *msgq,
		struct rte_comch_dpa_queue *queue)
{
	const char *what = dpa_queue_what(queue->is_consumer);
	int ret = comch_dpa_usable(dpa, what);

	if (ret != 0)
		return ret;
	if (queue->completion != NULL && queue->completion->refs >= queue->completion->max_queues) {
		COMCH_LOG(ERR, "%s: the completion context of a %s has %u queues: raise its max_queues",
			comch_dpa_dev_name(dpa), what, queue->completion->refs);
		return -ENOSPC;
	}
	ret = dpa_queue_add(msgq, queue);
	if (ret != 0)
		return ret;
	ret = comch_dpa_ops(dpa)->queue_create(queue);
	if (ret != 0) {
		COMCH_LOG(ERR, "%s: no %s on message queue %u: %s", comch_dpa_dev_name(dpa),
			what, msgq->drv.id, strerror(-ret));
		dpa_queue_del(msgq, queue);
		return ret;
	}
	if (queue->completion != NULL)
		queue->completion->refs++;
	return 0;
}

int
rte_comch_dpa_queue_create(struct rte_comch_msgq *drv,
		const struct rte_comch_dpa_queue_conf *conf, struct rte_comch_dpa_queue **out)
{
	static const struct rte_comch_dpa_queue_conf dflt;
	struct rte_comch_dpa_queue *queue;
	struct comch_dpa *dpa;
	bool is_consumer;
	uint32_t size;
	int ret;

	if (drv == NULL || out == NULL)
		return -EINVAL;
	if (conf == NULL)
		conf = &dflt;
	is_consumer = drv->dir == RTE_COMCH_MSGQ_TO_DPA;
	if (dpa_queue_conf_check(comch_msgq(drv), conf, is_consumer, &size) != 0)
		return -EINVAL;
	queue = calloc(1, sizeof(*queue));
	if (queue == NULL)
		return -ENOMEM;
	queue->msgq = drv;
	queue->is_consumer = is_consumer;
	queue->size = size;
	queue->completion = conf->completion;
	queue->imm_len = conf->imm_len;
	queue->user_data = conf->user_data;
	dpa = comch_dpa(drv->dpa);
	comch_dpa_lock(dpa);
	ret = dpa_queue_create(dpa, comch_msgq(drv), queue);
	comch_dpa_unlock(dpa);
	if (ret == 0)
		*out = queue;
	else
		free(queue);
	return ret;
}

int
rte_comch_dpa_queue_destroy(struct rte_comch_dpa_queue *queue)
{
	struct comch_dpa *dpa;

	if (queue == NULL)
		return 0;
	dpa = comch_dpa(queue->msgq->dpa);
	comch_dpa_lock(dpa);
	comch_dpa_ops(dpa)->queue_destroy(queue);
	if (queue->completion != NULL)
		queue->completion->refs--;
	dpa_queue_del(comch_msgq(queue->msgq), queue);
	comch_dpa_unlock(dpa);
	free(queue);
	return 0;
}

int
rte_comch_dpa_queue_info_get(const struct rte_comch_dpa_queue *queue,
		struct rte_comch_dpa_queue_info *info)
{
	if (queue == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->handle = queue->handle;
	info->id = queue->id;
	return 0;
}
