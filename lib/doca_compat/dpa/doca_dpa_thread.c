/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Threads of programs, the choice of their execution units, and completion contexts of
 * producers. Nothing about the messages themselves.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_bitops.h>

#include <doca_log.h>

#include "doca_dpa_app_private.h"
#include "doca_dpa_private.h"
#include "doca_private.h"

struct doca_dpa_eu_affinity {
	struct doca_dpa *dpa; /* only to be compared */
	uint32_t nb_eus;
	uint32_t eu; /* RTE_COMCH_DPA_NO_EU: not set */
};

doca_error_t
doca_dpa_eu_affinity_create(struct doca_dpa *dpa, struct doca_dpa_eu_affinity **affinity)
{
	struct doca_dpa_eu_affinity *created;

	if (dpa == NULL || affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->nb_eus = dpa->info.nb_eus;
	created->eu = RTE_COMCH_DPA_NO_EU;
	*affinity = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_eu_affinity_destroy(struct doca_dpa_eu_affinity *affinity)
{
	if (affinity == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	free(affinity);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_eu_affinity_set(struct doca_dpa_eu_affinity *affinity, unsigned int eu_id)
{
	if (affinity == NULL || eu_id >= affinity->nb_eus)
		return DOCA_ERROR_INVALID_VALUE;
	affinity->eu = eu_id;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_thread_create(struct doca_dpa *dpa, struct doca_dpa_thread **dpa_thread)
{
	struct doca_dpa_thread *created;

	if (dpa == NULL || dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->eu = RTE_COMCH_DPA_NO_EU;
	dpa->nb_users++;
	*dpa_thread = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_thread_destroy(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte != NULL || dpa_thread->nb_users != 0)
		return DOCA_ERROR_IN_USE;
	dpa_thread->dpa->nb_users--;
	free(dpa_thread);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_thread_set_func_arg(struct doca_dpa_thread *dpa_thread, doca_dpa_func_t *func,
		uint64_t arg)
{
	if (dpa_thread == NULL || func == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->func = func;
	dpa_thread->arg = arg;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_thread_set_affinity(struct doca_dpa_thread *dpa_thread,
		struct doca_dpa_eu_affinity *affinity)
{
	if (dpa_thread == NULL || affinity == NULL || affinity->dpa != dpa_thread->dpa ||
			affinity->eu == RTE_COMCH_DPA_NO_EU)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	dpa_thread->eu = affinity->eu;
	return DOCA_SUCCESS;
}

/* The unit of a thread that starts; RTE_COMCH_DPA_NO_EU: it is taken, or each is. */
static uint32_t
thread_eu(const struct doca_dpa_thread *thread)
{
	const struct doca_dpa *dpa = thread->dpa;
	uint32_t eu = thread->eu;

	if (eu == RTE_COMCH_DPA_NO_EU)
		for (eu = 0; eu < dpa->info.nb_eus && (dpa->eus & RTE_BIT64(eu)) != 0; )
			eu++;
	if (eu < dpa->info.nb_eus && (dpa->eus & RTE_BIT64(eu)) == 0)
		return eu;
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DPA_SOURCE,
			"a thread has no execution unit of its own: %u are there, each for one thread",
			dpa->info.nb_eus);
	return RTE_COMCH_DPA_NO_EU;
}

doca_error_t
doca_dpa_thread_start(struct doca_dpa_thread *dpa_thread)
{
	struct rte_comch_dpa_thread_conf conf = {0};
	const struct doca_dpa_app_func *f;
	int ret;

	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte != NULL || dpa_thread->func == NULL || dpa_thread->dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	f = doca_dpa_app_find(dpa_thread->dpa, dpa_thread->func, 0);
	if (f == NULL)
		return DOCA_ERROR_NOT_FOUND;
	conf.func = f->entry;
	conf.arg = dpa_thread->arg;
	conf.eu = thread_eu(dpa_thread);
	if (conf.eu == RTE_COMCH_DPA_NO_EU)
		return DOCA_ERROR_IN_USE;
	ret = rte_comch_dpa_thread_create(dpa_thread->dpa->rte, &conf, &dpa_thread->rte);
	if (ret != 0)
		return doca_compat_dpa_result(ret);
	dpa_thread->own_eu = conf.eu;
	dpa_thread->dpa->eus |= RTE_BIT64(conf.eu);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_thread_run(struct doca_dpa_thread *dpa_thread)
{
	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_thread_run(dpa_thread->rte));
}

doca_error_t
doca_dpa_thread_stop(struct doca_dpa_thread *dpa_thread)
{
	int ret;

	if (dpa_thread == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_thread->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	ret = rte_comch_dpa_thread_destroy(dpa_thread->rte);
	if (ret != 0)
		return doca_compat_dpa_result(ret);
	dpa_thread->rte = NULL;
	dpa_thread->dpa->eus &= ~RTE_BIT64(dpa_thread->own_eu);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_completion_create(struct doca_dpa *dpa, unsigned int queue_size,
		struct doca_dpa_completion **dpa_comp)
{
	struct doca_dpa_completion *created;

	if (dpa == NULL || queue_size == 0 || queue_size > dpa->info.max_depth ||
			dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	created = calloc(1, sizeof(*created));
	if (created == NULL)
		return DOCA_ERROR_NO_MEMORY;
	created->dpa = dpa;
	created->depth = queue_size;
	dpa->nb_users++;
	*dpa_comp = created;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_completion_destroy(struct doca_dpa_completion *dpa_comp)
{
	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->rte != NULL || dpa_comp->nb_users != 0)
		return DOCA_ERROR_IN_USE;
	doca_compat_dpa_thread_name(&dpa_comp->thread, NULL);
	dpa_comp->dpa->nb_users--;
	free(dpa_comp);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_completion_set_thread(struct doca_dpa_completion *dpa_comp,
		struct doca_dpa_thread *dpa_thread)
{
	if (dpa_comp == NULL || dpa_thread == NULL || dpa_thread->dpa != dpa_comp->dpa)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->rte != NULL)
		return DOCA_ERROR_BAD_STATE;
	doca_compat_dpa_thread_name(&dpa_comp->thread, dpa_thread);
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_completion_start(struct doca_dpa_completion *dpa_comp)
{
	struct rte_comch_dpa_completion_conf conf = {
		.type = RTE_COMCH_DPA_COMPLETION_PRODUCER,
	};

	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->rte != NULL || dpa_comp->dpa->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	if (dpa_comp->thread != NULL) {
		if (dpa_comp->thread->rte == NULL)
			return DOCA_ERROR_BAD_STATE;
		conf.thread = dpa_comp->thread->rte;
	}
	conf.depth = dpa_comp->depth;
	conf.max_queues = dpa_comp->dpa->info.max_producers;
	return doca_compat_dpa_result(rte_comch_dpa_completion_create(dpa_comp->dpa->rte, &conf,
			&dpa_comp->rte));
}

doca_error_t
doca_dpa_completion_stop(struct doca_dpa_completion *dpa_comp)
{
	int ret;

	if (dpa_comp == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	ret = rte_comch_dpa_completion_destroy(dpa_comp->rte);
	if (ret != 0)
		return doca_compat_dpa_result(ret);
	dpa_comp->rte = NULL;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dpa_completion_get_dpa_handle(struct doca_dpa_completion *dpa_comp,
		doca_dpa_dev_completion_t *handle)
{
	if (dpa_comp == NULL || handle == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (dpa_comp->rte == NULL)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dpa_result(rte_comch_dpa_completion_handle_get(dpa_comp->rte, handle));
}
