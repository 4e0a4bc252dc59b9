/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues, and what producers and consumers on them have in common: which side is
 * the program's, and how that is started and stopped. Contexts of this process are in
 * doca_comch_producer.c and doca_comch_consumer.c.
 */

#include <errno.h>
#include <stdlib.h>

#include <doca_comch_msgq.h>
#include <doca_dev.h>
#include <doca_log.h>

#include "doca_comch_queue_private.h"
#include "doca_dpa_private.h"
#include "doca_private.h"

#define SOURCE "DOCA_COMPAT::COMCH"

struct doca_comch_msgq {
	struct doca_dev *dev; /* held */
	struct doca_compat_func *func;
	struct doca_dpa *consumer; /* whose the consumers are; NULL: ours */
	struct doca_dpa *producer; /* whose the producers are; NULL: ours */
	struct rte_comch_msgq *rte; /* NULL: not started */
	uint32_t max_consumers;
	uint32_t max_producers;
	uint32_t nb_queues; /* producers and consumers that name it */
	uint32_t nb_dpa_queues; /* of these, the program's */
};

doca_error_t
doca_comch_msgq_create(struct doca_dev *dev, struct doca_comch_msgq **msgq)
{
	struct doca_comch_msgq *created;
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (dev == NULL || msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_devinfo_limits(doca_dev_as_devinfo(dev), RTE_COMCH_CAPA_DPA, &info);
	if (result != DOCA_SUCCESS)
		return result;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dev = dev;
	created->func = doca_compat_dev_func(dev);
	doca_compat_dev_hold(dev, NULL);
	*msgq = created;
	return DOCA_SUCCESS;
}

/* Name another processor in a place, or none. */
static void
msgq_dpa_name(struct doca_dpa **place, struct doca_dpa *dpa)
{
	if (*place != NULL)
		(*place)->nb_users--;
	*place = dpa;
	if (dpa != NULL)
		dpa->nb_users++;
}

doca_error_t
doca_comch_msgq_destroy(struct doca_comch_msgq *msgq)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->rte != NULL || msgq->nb_queues != 0)
		return DOCA_ERROR_IN_USE;
	msgq_dpa_name(&msgq->consumer, NULL);
	msgq_dpa_name(&msgq->producer, NULL);
	doca_compat_dev_release(msgq->dev, NULL);
	free(msgq);
	return DOCA_SUCCESS;
}

static doca_error_t
msgq_side_set(struct doca_comch_msgq *msgq, struct doca_dpa **place, struct doca_dpa *dpa)
{
	if (dpa == NULL || dpa->func != msgq->func)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	msgq_dpa_name(place, dpa);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_msgq_set_dpa_consumer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return msgq == NULL ? DOCA_ERROR_INVALID_VALUE : msgq_side_set(msgq, &msgq->consumer, dpa);
}

doca_error_t
doca_comch_msgq_set_dpa_producer(struct doca_comch_msgq *msgq, struct doca_dpa *dpa)
{
	return msgq == NULL ? DOCA_ERROR_INVALID_VALUE : msgq_side_set(msgq, &msgq->producer, dpa);
}

/* Most that the device can have. */
static doca_error_t
msgq_number_set(struct doca_comch_msgq *msgq, uint32_t *place, uint32_t number, bool consumers)
{
	struct rte_comch_dpa_info info;
	doca_error_t result;
	int16_t dev_id;

	if (number == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	result = doca_compat_func_dpa_dev(msgq->func, &dev_id);
	if (result == DOCA_SUCCESS)
		result = doca_compat_result(rte_comch_dpa_info_get(dev_id, &info));
	if (result != DOCA_SUCCESS)
		return result;
	if (number > (consumers ? info.max_consumers : info.max_producers))
		return DOCA_ERROR_INVALID_VALUE;
	*place = number;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_msgq_set_max_num_consumers(struct doca_comch_msgq *msgq, uint32_t max_num_consumers)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return msgq_number_set(msgq, &msgq->max_consumers, max_num_consumers, true);
}

doca_error_t
doca_comch_msgq_set_max_num_producers(struct doca_comch_msgq *msgq, uint32_t max_num_producers)
{
	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return msgq_number_set(msgq, &msgq->max_producers, max_num_producers, false);
}

doca_error_t
doca_comch_msgq_start(struct doca_comch_msgq *msgq)
{
	struct rte_comch_msgq_conf conf = {0};
	const struct doca_dpa *dpa;

	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	if ((msgq->consumer == NULL) == (msgq->producer == NULL)) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"a message queue has one side that is a program's: call either doca_comch_msgq_set_dpa_consumer() or doca_comch_msgq_set_dpa_producer()");
		return DOCA_ERROR_BAD_STATE;
	}
	dpa = msgq->consumer != NULL ? msgq->consumer : msgq->producer;
	if (dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	conf.dir = msgq->consumer != NULL ? RTE_COMCH_MSGQ_TO_DPA : RTE_COMCH_MSGQ_FROM_DPA;
	conf.max_consumers = msgq->max_consumers;
	conf.max_producers = msgq->max_producers;
	return doca_compat_dpa_result(rte_comch_msgq_create(dpa->rte, &conf, &msgq->rte));
}

doca_error_t
doca_comch_msgq_stop(struct doca_comch_msgq *msgq)
{
	int ret;

	if (msgq == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (msgq->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (msgq->nb_queues != 0)
		return DOCA_ERROR_IN_USE;
	ret = rte_comch_msgq_destroy(msgq->rte);
	if (ret == 0)
		msgq->rte = NULL;
	return doca_compat_dpa_result(ret);
}

/* The processor that has this queue; NULL: it is ours. */
static struct doca_dpa *
queue_dpa(const struct doca_comch_msgq *msgq, bool is_consumer)
{
	return is_consumer ? msgq->consumer : msgq->producer;
}

doca_error_t
doca_comch_msgq_queue_init(struct doca_comch_queue *queue, struct doca_comch_msgq *msgq,
		const struct doca_ctx_ops *ops, bool is_consumer, bool *is_ours,
		struct rte_comch_msgq **rte)
{
	const struct doca_dpa *dpa = msgq->consumer != NULL ? msgq->consumer : msgq->producer;
	const uint32_t max = is_consumer ? msgq->max_consumers : msgq->max_producers;
	doca_error_t result;

	if (msgq->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	result = doca_comch_queue_init(queue, msgq->func, dpa->dev_id, ops, is_consumer);
	if (result != DOCA_SUCCESS)
		return result;
	*is_ours = queue_dpa(msgq, is_consumer) == NULL;
	if (!*is_ours && msgq->nb_dpa_queues >= RTE_MAX(max, 1u))
		return DOCA_ERROR_NO_MEMORY;
	queue->max_imm_len = dpa->info.max_imm_len;
	queue->dpa_side = !*is_ours;
	queue->msgq = msgq;
	msgq->nb_queues++;
	msgq->nb_dpa_queues += queue->dpa_side;
	*rte = msgq->rte;
	return DOCA_SUCCESS;
}

void
doca_comch_msgq_queue_end(struct doca_comch_queue *queue)
{
	if (queue->msgq == NULL)
		return;
	queue->msgq->nb_queues--;
	queue->msgq->nb_dpa_queues -= queue->dpa_side;
	queue->msgq = NULL;
}

doca_error_t
doca_comch_msgq_queue_dpa_set(struct doca_ctx *ctx, const struct doca_dpa *dpa)
{
	const struct doca_comch_queue *queue = (const struct doca_comch_queue *)ctx;

	if (!queue->dpa_side || (queue->msgq->consumer != dpa && queue->msgq->producer != dpa))
		return DOCA_ERROR_NOT_SUPPORTED;
	return DOCA_SUCCESS;
}

struct rte_comch_msgq *
doca_comch_msgq_rte(const struct doca_comch_queue *queue)
{
	return queue->msgq->rte;
}

doca_error_t
doca_comch_msgq_queue_settable(const struct doca_comch_queue *queue)
{
	if (queue->ctx.dpa != NULL)
		return doca_compat_ctx_settable(&queue->ctx);
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, SOURCE,
			"this setting is of a %s of a program: doca_ctx_set_datapath_on_dpa() first",
			queue->ctx.ops->kind);
	return DOCA_ERROR_BAD_STATE;
}

doca_error_t
doca_comch_msgq_queue_num_set(struct doca_comch_queue *queue, uint32_t dev_num)
{
	if (queue == NULL || dev_num == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (doca_comch_msgq_queue_settable(queue) != DOCA_SUCCESS)
		return DOCA_ERROR_BAD_STATE;
	queue->dev_num = dev_num;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_msgq_queue_dpa_stop(struct doca_ctx *ctx)
{
	struct doca_comch_queue *queue = (struct doca_comch_queue *)ctx;

	rte_comch_dpa_queue_destroy(queue->rte_dpa);
	queue->rte_dpa = NULL;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_msgq_queue_handle_get(const struct doca_comch_queue *queue, uint64_t *handle)
{
	struct rte_comch_dpa_queue_info info;

	if (rte_comch_dpa_queue_info_get(queue->rte_dpa, &info) != 0)
		return DOCA_ERROR_BAD_STATE;
	*handle = info.handle;
	return DOCA_SUCCESS;
}
