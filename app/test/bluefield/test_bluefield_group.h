/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A BlueField device that talks, on a model, and queue pairs in its poll groups that send
 * to themselves. No test is in here.
 */

#ifndef TEST_BLUEFIELD_GROUP_H
#define TEST_BLUEFIELD_GROUP_H

#include "bluefield_dev_priv.h"
#include "bluefield_wq.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define GROUP_MAX_PES 8
#define GROUP_PEER "02:00:00:00:0c:00"

/**
 * A queue pair whose other end is itself, with a completion queue in a group: an event of
 * it has all completions taken, and has it armed again.
 */
struct node {
	struct bf_group *group;
	struct bf_cq cq;
	struct bf_compq compq;
	struct bf_qp qp;
	struct bf_sendq sq;
	struct bf_recvq rq;
	struct bf_idle idle_queue;
	bool added;
	uint32_t nb_events;
	uint32_t nb_sent;               /**< Completions. */
	uint32_t nb_received;
	uint32_t nb_errors;
};

extern int16_t group_dev_id;
extern struct bf_dev *group_dev;

int group_case_setup(void);
/** The same, with a device on function pf0vf0. */
int group_case_setup_dev(void);
void group_case_teardown(void);
/** A device on pf0vf0 with these arguments more, or "". */
int group_dev_add(const char *args);
struct bf_dev *group_dev_of(int16_t dev_id);
/** Completions that a node has room for, of the 32 that it can have. */
extern uint32_t group_node_cqes;
/** Nothing is left in the model; ends the case. */
int group_passed_clean(void);
/** Objects of the function, as the model counts them. */
long group_objects(void);

/** An engine with a group of the device. */
int group_pe_add(struct rte_comch_pe **pe);
void group_pe_del(struct rte_comch_pe *pe);
/** Of an engine of the above. */
struct bf_group *group_of(const struct rte_comch_pe *pe);

int node_create(struct bf_group *group, struct node *node);
void node_destroy(struct node *node);
/** Post a receive and send a byte to it. */
int node_send(struct node *node);
/** Turn an engine until a condition holds. */
#define GROUP_TURN(pe, cond) \
	TEST_WAIT((rte_comch_pe_progress(pe), (cond)), TEST_MS)

#endif /* TEST_BLUEFIELD_GROUP_H */
