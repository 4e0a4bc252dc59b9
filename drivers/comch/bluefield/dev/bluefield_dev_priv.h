/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of the device know of each other: comch_bluefield.c (operations),
 * bluefield_dev.c (shared objects, reset, failure), bluefield_job.c (the worker),
 * bluefield_addr.c (addresses), bluefield_group.c (poll groups), bluefield_mem.c
 * (regions), bluefield_fdb.c (the switch). The parts above take bluefield_dev.h.
 */

#ifndef BLUEFIELD_DEV_PRIV_H
#define BLUEFIELD_DEV_PRIV_H

#include "bluefield_dev.h"

/* Has it anybody to talk to? Without, it has no shared objects, and changes nothing. */
static inline bool
bf_dev_communicates(const struct bf_dev *dev)
{
	return dev->nb_reps != 0 || dev->has_peer;
}

/*
 * bluefield_job.c
 */

/* A worker that stands. 0 or a negative errno, logged. */
int bf_jobs_create(struct bf_dev *dev);
/* It was stopped, or never ran; nobody wakes it any more. */
void bf_jobs_destroy(struct bf_dev *dev);
void bf_jobs_start(struct bf_dev *dev);
/* Waits until all jobs have run, and for the one under way. Not in the worker. */
void bf_jobs_stop(struct bf_dev *dev);
/* Run those that came since, in this thread: the worker stands. */
void bf_jobs_flush(struct bf_dev *dev);

/*
 * bluefield_dev.c
 */

/*
 * The function is up and the arguments are known: begin to talk. 0 or a negative errno,
 * logged; then it has ended.
 */
int bf_dev_begin(struct bf_dev *dev);
/* Nobody uses the device any more. */
void bf_dev_end(struct bf_dev *dev);
/* Have the function reset while nothing of the device is under way, then begin anew. */
int bf_dev_reset(struct bf_dev *dev, int (*reset)(struct bf_dev *dev));
/* It has failed, or is taken for broken. Any thread, no lock held. */
void bf_dev_fail(struct bf_dev *dev, int reason);

/*
 * bluefield_addr.c
 */

/*
 * RoCE on, our address in the table. 0 or a negative errno, logged; then nothing is left
 * of it but what firmware did not undo.
 */
int bf_addr_up(struct bf_dev *dev);
void bf_addr_down(struct bf_dev *dev);
/* Our own address, by the function's MAC and ip=. */
void bf_addr_own(const struct bf_dev *dev, struct bf_cm_addr *addr);
/* As struct bf_cm_conf has it: arg is the device. */
bool bf_addr_ip4_mac(void *arg, const uint8_t gid[16], uint8_t mac[6]);

/*
 * bluefield_group.c
 */

/* For a reset, with dev->life held. From stand to go no thread uses a group. */
void bf_groups_stand(struct bf_dev *dev);
void bf_groups_go(struct bf_dev *dev);
/* The objects of all groups; 0 or a negative errno, logged. */
int bf_groups_up(struct bf_dev *dev);
void bf_groups_down(struct bf_dev *dev);
/* The device goes: free what nobody told the end of. */
void bf_groups_free(struct bf_dev *dev);
/* An interrupt of the function has come, which may be for groups without a vector. */
void bf_groups_wake(struct bf_dev *dev);

int bf_group_create(struct rte_comch_dev *rte_dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg);
int bf_group_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending);
int bf_group_poll(struct rte_comch_pgroup *pg, uint64_t now);
bool bf_group_arm(struct rte_comch_pgroup *pg);
void bf_group_disarm(struct rte_comch_pgroup *pg);

/*
 * bluefield_mem.c
 */

int bf_region_alloc(struct rte_comch_mem *mem);
int bf_region_register(struct rte_comch_mem *mem);
int bf_region_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending);
/* Keys and memory of all regions that are left go; the regions stay. */
void bf_regions_down(struct bf_dev *dev);

/*
 * bluefield_fdb.c
 */

/*
 * Log the commands that the embedded switch needs for the functions that the device talks
 * with, if fdb=tc asks for that: as it begins, and as it ends.
 */
void bf_fdb_begin(const struct bf_dev *dev);
void bf_fdb_end(const struct bf_dev *dev);

#define BF_FDB_TEXT_SIZE 2048
/* The commands for a pair, a line each. */
void bf_fdb_text(const struct bf_dev *dev, const struct bf_cm_addr *peer, char *text, size_t size);

#endif
