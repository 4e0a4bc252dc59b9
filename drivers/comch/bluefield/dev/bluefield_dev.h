/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the upper parts of the driver share: the device, its poll groups, its worker
 * and the keys of memory regions. The parts above are chan (control connections) and
 * fast (consumers and producers): each says what it has by a struct bf_part. Layers
 * fw and obj do not include this.
 *
 * Threads
 *   a group's   that of its progress engine: pgroup ops, events, idle queues
 *   the worker  one of each device: jobs, connection management. It may wait for
 *               commands of firmware, as no lcore should. It is not the thread of
 *               layer fw, which serves events while the worker waits for a command
 *   any         ops on devices, mem_alloc, mem_register, mem_free, rep_list
 *   EAL's interrupt thread and that of layer fw: wake the worker, and nothing else
 *
 * Who owns what
 *   struct bf_dev   what is above "shared objects" is written before the device is
 *                   visible, and read by all. The objects are written when the device
 *                   is made and when it is reset, with no context started, no job
 *                   under way and the worker at a stop: whoever has a started context,
 *                   or is a job, reads them without a lock
 *   struct bf_group its thread's, but for what is said to be of its lock
 *   struct bf_job   the worker's from the post until run is called; then whose it was
 *
 * Locks, from the outside in; none is held when a handler or a job is called:
 *   dev->life       reset, and the beginning and end of groups; held while their object
 *                   commands last
 *   dev->telling    held while the parts are told of a failure, and while they go
 *   dev->lock       the lists of groups and of regions
 *   group->lock     who gets events, who holds the group
 *   of the worker   in bluefield_job.c: its queue
 * Object commands take locks of their own, and last: of these only life is held then.
 *
 * A device that fails. dev_fatal() tells the library, and each part by its fail handler:
 * chan ends its connections, each in its thread. Commands fail at once from then on, jobs
 * run as ever, events that were written are handed out, and groups ring no doorbell.
 * Objects are destroyed as ever: the back end keeps memory that the device may still use.
 *
 * A reset comes with all contexts IDLE and no memory region. It lets the worker finish
 * its jobs, stops it, has the parts let go (down), makes the shared objects and those of
 * the groups anew, has the parts begin (up), and starts the worker. Jobs that are posted
 * meanwhile run then. A removal does the first half. A reset that fails leaves the device
 * without shared objects (dev->cm is NULL), until the next one.
 */

#ifndef BLUEFIELD_DEV_H
#define BLUEFIELD_DEV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_comch_pmd.h>

#include "bluefield_ceq.h"
#include "bluefield_cm.h"
#include "bluefield_lock.h"
#include "bluefield_obj.h"
#include "bluefield_times.h"
#include "comch_bluefield.h"

struct bf_chan;
struct bf_dev;
struct bf_group;
struct bf_jobs;

/*
 * Parts
 */

enum bf_part_id {
	BF_PART_CHAN = 0,
	BF_PART_FAST,
	BF_NB_PARTS,
};

/* What a part adds to the device. */
struct bf_part {
	/* Once in the life of a device, before its objects, and after all of it. */
	int (*create)(struct bf_dev *dev);
	void (*destroy)(struct bf_dev *dev);
	/*
	 * The shared objects are there, also after a reset: begin. In the thread that makes or
	 * resets the device, the worker stands.
	 */
	void (*up)(struct bf_dev *dev);
	/* Capabilities and limits, on top of what is there; any thread. */
	void (*info_get)(struct bf_dev *dev, struct rte_comch_dev_info *info);
	/*
	 * A group begins or ends; its state goes to group->part[]. In its thread; the end
	 * also elsewhere, when the last of its users went later than pgroup_destroy.
	 */
	int (*group_up)(struct bf_group *group);
	void (*group_down)(struct bf_group *group);
	/*
	 * In pgroup_poll, after events were handed out; now is the TSC.
	 * Returns the number of events. It lowers group->pg.deadline to when it wants to
	 * be called at the latest: that is UINT64_MAX when the poll begins.
	 */
	int (*group_poll)(struct bf_group *group, uint64_t now);
	/* In pgroup_arm: is there something to do already? May lower the deadline. */
	bool (*group_arm)(struct bf_group *group);

	/* Of chan only. */

	/* The shared objects are about to go: end what uses them. The worker stands, no jobs. */
	void (*down)(struct bf_dev *dev);
	/*
	 * The device has failed, or the library takes it for broken: end what there is,
	 * each in its thread. Any thread, no lock held but telling; maybe more than once.
	 */
	void (*fail)(struct bf_dev *dev, int reason);
	/* For people; any thread. */
	void (*dump)(struct bf_dev *dev, FILE *f);
	/* A request of a client, in the worker; arg is the device. */
	bf_cm_cb_t cm_req;
	/*
	 * The engine lets go of a group, in its thread and before the end of that: nothing is
	 * posted to the engine any more, which may be gone when this has returned.
	 */
	void (*group_left)(struct bf_group *group);

	/* Of fast only, called by chan in the thread of a connection. */

	/*
	 * A control message has come. payload is a private copy, aligned to 8 bytes, of the
	 * length that its type has. 0, or a negative errno: the peer has broken the protocol
	 * (fast has logged how), and the connection ends with -EPROTO. The application may have
	 * ended the connection in an upcall.
	 */
	int (*ctl_came)(struct bf_chan *chan, uint8_t type, const void *payload, uint32_t len);
	/* A control message is on its way to the peer; payload as bf_chan_ctl() was given it. */
	void (*ctl_sent)(struct bf_chan *chan, uint8_t type, const void *payload);
	/*
	 * The end of the connection: fast lets go of what it has of it. Before
	 * rte_comch_pmd_conn_down(), or inside conn_close. conn is not NULL yet. From now on
	 * bf_chan_ctl() is -ENOTCONN, and ctl_came is not called.
	 */
	void (*conn_down)(struct bf_chan *chan);
};

/*
 * The device
 */

struct bf_dev {
	struct rte_comch_dev *rte_dev;
	struct bf_func *func;
	struct bf_ident ident;
	struct bf_rep *reps;    /* role dpu: the functions of the host that it serves */
	uint16_t nb_reps;
	bool has_peer;          /* role host, with peer= */
	struct bf_cm_addr peer;
	bool fdb_tc;            /* log commands for the switch */
	bool advised;           /* bf_fdb_advice() was; atomic */
	bool unknown_peer_told;     /* of a client that no key has; atomic */
	struct bf_jobs *jobs;
	uint32_t nb_parts;      /* that were created; atomic */
	uint64_t dead_queues;   /* of the function, that were told; of its thread */
	/* shared objects */
	bool shared;            /* with life: they are there, and the parts are up */
	struct bf_obj_dev *objs;
	struct bf_pd pd;
	struct bf_uar uar;
	uint8_t ip4[4];         /* by ip=; zeros: none */
	struct bf_cm_addr addr; /* our own */
	uint16_t addr_index;    /* of it, in the function's table */
	uint8_t mtu;            /* that our port can, as in struct bf_qp_path */
	bool irqs_told;         /* with life: engines beyond our vectors were logged */
	bool addr_set;
	bool roce_set;          /* by us, to be undone */
	struct bf_cm *cm;       /* NULL: there are neither functions= nor peer= */
	const struct bf_part *const *parts; /* by enum bf_part_id */
	/* of each part, its own */
	void *part[BF_NB_PARTS];
	struct bf_lock life;
	struct bf_lock telling;
	struct bf_lock lock;
	TAILQ_HEAD(, bf_group) groups; /* with lock */
	LIST_HEAD(, bf_region) regions; /* with lock */
	uint32_t nb_regions_freed; /* wraps; atomic */
};

static inline struct bf_dev *
bf_dev_of(const struct rte_comch_dev *rte_dev)
{
	return rte_dev->priv;
}

/* 0, or the negative errno that the device has failed with. Any thread. */
static inline int
bf_dev_status(const struct bf_dev *dev)
{
	return bf_func_status(dev->func, NULL);
}

/* The function of the host that has an address, or NULL. Any thread. */
const struct bf_rep *bf_dev_rep_find(const struct bf_dev *dev, const struct bf_cm_addr *addr);

/*
 * Fill in the way to a peer: our address and its, hop limit, UDP source port, MTU, and
 * the times and numbers of retries that the driver uses. The two PSNs stay the caller's.
 * local_qpn and remote_qpn are hashed into the port, as RoCE has it; remote_qpn goes into
 * the path. Any thread. (Where a handshake says more, bf_cm_path() fills in that.)
 */
void bf_dev_path(const struct bf_dev *dev, const struct bf_cm_addr *peer, uint32_t local_qpn,
	uint32_t remote_qpn, struct bf_qp_path *path);

/*
 * Jobs
 */

/* Something that the worker is to do. Embedded in what it is about; zeroed at first. */
struct bf_job {
	/* No lock is held; the job may be freed, or posted again, in here. */
	void (*run)(struct bf_job *job);
	STAILQ_ENTRY(bf_job) next;
};

/*
 * Have it run in the worker, after those that were posted before. Never fails; not while
 * it is posted already. Each one runs: also after a failure of the device, where its
 * commands fail, and before the device is reset or removed. Any thread, not the interrupt
 * thread.
 */
void bf_job_post(struct bf_dev *dev, struct bf_job *job);

/* Have the worker look at dev->cm. Any thread, locks held, also the interrupt thread. */
void bf_job_wake(struct bf_dev *dev);

/*
 * Poll groups
 */

/* An idle queue: its completion queue is armed, and nobody polls it. */
struct bf_idle {
	/* An event of it has come: it is not armed any more. In the group's thread. */
	void (*handler)(struct bf_idle *idle_queue);
	/* of the group */
	uint32_t cqn;
	struct bf_idle *next;
};

/*
 * What one progress engine needs of the device: the event queue of the completion queues
 * that it looks after (struct bf_cq_attr).
 */
struct bf_group {
	struct rte_comch_pgroup pg;
	struct bf_dev *dev;
	/*
	 * Objects: made with the group, and anew by a reset. While the device has failed they
	 * may be missing; the group has users only after it was started anew.
	 */
	struct bf_ceq ceq;
	const struct bf_uar *uar;   /* its doorbells, as long as the event queue */
	struct bf_uar own_uar;      /* empty: it rings in the device's page */
	void *part[BF_NB_PARTS];
	TAILQ_ENTRY(bf_group) next; /* with dev->lock */
};

static inline struct bf_group *
bf_group_of(struct rte_comch_pgroup *pg)
{
	return container_of(pg, struct bf_group, pg);
}

/*
 * Keep a group's event queue. Whoever makes a completion queue on it holds the group from
 * before that until the completion queue was destroyed: the engine may let go of the group
 * meanwhile, which ends with the last user then. An idle queue, below, counts as well. Any thread.
 */
void bf_group_hold(struct bf_group *group);
void bf_group_drop(struct bf_group *group);

/*
 * Wake the group's engine, if it sleeps or is about to. What it has to find was written
 * before, and is looked at by the group_arm of the part. Any thread, while the engine has
 * the group.
 */
void bf_group_kick(struct bf_group *group);

/*
 * Events of a completion queue on the group's event queue. In the group's thread; del also
 * in any other, after pgroup_destroy has returned. The completion queue is about to be
 * destroyed then, or not armed. -ENOSPC: the event queue has no room for more.
 */
int bf_group_idle_add(struct bf_group *group, uint32_t cqn, struct bf_idle *idle_queue);
void bf_group_idle_del(struct bf_group *group, struct bf_idle *idle_queue);

/*
 * Memory
 */

/* A region: its keys, one for each chunk. rte_comch_mem::priv. */
struct bf_region {
	LIST_ENTRY(bf_region) next; /* with dev->lock */
	const struct rte_comch_mem *mem;
	struct bf_obj_mem **mems;
	struct bf_mkey *mkeys;
	uint8_t **bounces;      /* of each chunk, or NULL (bluefield_bounce.h); NULL: of none */
	uint32_t nb_made;       /* of mems and mkeys */
	uint32_t nb;
	uint32_t lkey;          /* of the only chunk, in the CPU's order */
	uint32_t lkeys[];       /* of each */
};

/* Whether bytes are in one chunk of a region, whatever they are. Any thread. */
static inline bool
bf_mem_has(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	const uint64_t off = (uintptr_t)addr - (uintptr_t)mem->addr;

	if (mem->nb_chunks != 0)
		return rte_comch_pmd_mem_chunk(mem, addr, len) != NULL;
	return off < mem->len && len <= mem->len - off;
}

/*
 * A region with these bytes in one chunk, or NULL. Who keeps it looks at
 * dev->nb_regions_freed before: it holds as long as that stays the same. Any thread.
 */
const struct rte_comch_mem *bf_mem_find(struct bf_dev *dev, const void *addr, uint64_t len);

/*
 * The key for bytes of a region, that the library has found to be in one chunk. Keys are
 * for this function's own queues: none has remote access. Any thread.
 */
static inline uint32_t
bf_mem_lkey(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	const struct bf_region *region = mem->priv;
	const struct rte_comch_mem_chunk *chunk;

	if (likely(region->nb == 1))
		return region->lkey;
	chunk = rte_comch_pmd_mem_chunk(mem, addr, len);
	return likely(chunk != NULL) ? region->lkeys[chunk - mem->chunks] : 0;
}

/*
 * The switch between the functions
 */

/*
 * A connect to a peer got no answer: log the exact commands that the owner of the switch
 * gives for this pair, in full the first time. Any thread.
 */
void bf_fdb_advice(struct bf_dev *dev, const struct bf_cm_addr *peer);

#endif
