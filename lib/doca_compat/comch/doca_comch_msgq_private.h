/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_MSGQ_PRIVATE_H
#define DOCA_COMCH_MSGQ_PRIVATE_H

/*
 * Completion contexts of consumers of a program, as their consumers see them. Not
 * installed, not exported.
 */

#include <doca_comch_consumer.h>

struct rte_comch_dpa_completion;

/* That of rte_comch; NULL: it is not started, or completion is NULL. */
struct rte_comch_dpa_completion *doca_comch_consumer_completion_rte(
		const struct doca_comch_consumer_completion *completion);

/* Name another one in a place, or none. */
void doca_comch_consumer_completion_name(struct doca_comch_consumer_completion **place,
		struct doca_comch_consumer_completion *completion);

#endif /* DOCA_COMCH_MSGQ_PRIVATE_H */
