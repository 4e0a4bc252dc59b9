/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Completion contexts of consumers of a program: settings, start and stop. They begin
 * without a processor, and have that of their thread.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_common.h>

#include <doca_comch_consumer.h>
#include <doca_log.h>

#include "doca_comch_msgq_private.h"
#include "doca_dpa_private.h"
#include "doca_private.h"

#define SOURCE "DOCA_COMPAT::COMCH"

#define DFLT_RECV 512

struct doca_comch_consumer_completion {
	struct doca_dpa_thread *thread; /* or NULL */
	struct rte_comch_dpa_completion *rte; /* NULL: not started */
	uint32_t max_consumers;
	uint32_t max_recv;
	uint32_t imm_len;
	uint32_t nb_users; /* consumers that name it */
};

struct rte_comch_dpa_completion *
doca_comch_consumer_completion_rte(const struct doca_comch_consumer_completion *completion)
{
	return completion == NULL ? NULL : completion->rte;
}

void
doca_comch_consumer_completion_name(struct doca_comch_consumer_completion **place,
		struct doca_comch_consumer_completion *completion)
{
	if (*place != NULL)
		(*place)->nb_users--;
	*place = completion;
	if (completion != NULL)
		completion->nb_users++;
}

doca_error_t
doca_comch_consumer_completion_create(struct doca_comch_consumer_completion **consumer_comp)
{
	struct doca_comch_consumer_completion *created;

	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->max_consumers = 1;
	created->max_recv = DFLT_RECV;
	created->imm_len = RTE_COMCH_DPA_IMM_SIZE;
	*consumer_comp = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_destroy(struct doca_comch_consumer_completion *consumer_comp)
{
	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL || consumer_comp->nb_users != 0)
		return DOCA_ERROR_IN_USE;
	doca_compat_dpa_thread_name(&consumer_comp->thread, NULL);
	free(consumer_comp);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_set_dpa_thread(
		struct doca_comch_consumer_completion *consumer_comp,
		struct doca_dpa_thread *dpa_thread)
{
	if (consumer_comp == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	doca_compat_dpa_thread_name(&consumer_comp->thread, dpa_thread);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_set_max_num_consumers(
		struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_consumers)
{
	if (consumer_comp == NULL || max_num_consumers == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	consumer_comp->max_consumers = rte_align32pow2(max_num_consumers);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_get_max_num_consumers(
		const struct doca_comch_consumer_completion *consumer_comp,
		uint32_t *max_num_consumers)
{
	if (consumer_comp == NULL || max_num_consumers == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_consumers = consumer_comp->max_consumers;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_set_max_num_recv(
		struct doca_comch_consumer_completion *consumer_comp, uint32_t max_num_recv)
{
	if (consumer_comp == NULL || max_num_recv == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	consumer_comp->max_recv = rte_align32pow2(max_num_recv);
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_get_max_num_recv(
		const struct doca_comch_consumer_completion *consumer_comp, uint32_t *max_num_recv)
{
	if (consumer_comp == NULL || max_num_recv == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*max_num_recv = consumer_comp->max_recv;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_set_imm_data_len(
		struct doca_comch_consumer_completion *consumer_comp, uint32_t imm_data_len)
{
	if (consumer_comp == NULL || imm_data_len > RTE_COMCH_DPA_IMM_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	consumer_comp->imm_len = imm_data_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_get_imm_data_len(
		const struct doca_comch_consumer_completion *consumer_comp, uint32_t *imm_data_len)
{
	if (consumer_comp == NULL || imm_data_len == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*imm_data_len = consumer_comp->imm_len;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_start(struct doca_comch_consumer_completion *consumer_comp)
{
	struct rte_comch_dpa_completion_conf conf = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER,
	};

	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	if (consumer_comp->thread == NULL || consumer_comp->thread->rte == NULL) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, SOURCE,
				"a completion context of consumers has no thread that is started: doca_dpa_thread_start(), then doca_comch_consumer_completion_set_dpa_thread()");
		return DOCA_ERROR_BAD_STATE;
	}
	conf.depth = consumer_comp->max_recv;
	conf.imm_len = consumer_comp->imm_len;
	conf.max_queues = consumer_comp->max_consumers;
	conf.thread = consumer_comp->thread->rte;
	return doca_compat_dpa_result(rte_comch_dpa_completion_create(
			consumer_comp->thread->dpa->rte, &conf, &consumer_comp->rte));
}

doca_error_t
doca_comch_consumer_completion_stop(struct doca_comch_consumer_completion *consumer_comp)
{
	int ret;

	if (consumer_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	ret = rte_comch_dpa_completion_destroy(consumer_comp->rte);
	if (ret != 0)
		return doca_compat_dpa_result(ret);
	consumer_comp->rte = NULL;
	return DOCA_SUCCESS;
}

doca_error_t
doca_comch_consumer_completion_get_dpa_handle(
		struct doca_comch_consumer_completion *consumer_comp,
		doca_dpa_dev_comch_consumer_completion_t *handle)
{
	if (consumer_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (consumer_comp->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_completion_handle_get(consumer_comp->rte,
			handle));
}
