/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Poll groups: what one progress engine has of the device: an event queue, whose events
 * are handed out by completion queue number. What the parts do with them is theirs.
 *
 * Sleep. pgroup_arm arms the event queue with the index of what was taken: the device
 * interrupts for anything beyond that, whenever it was written, so that no wake-up is lost
 * of a completion queue that is armed. Then it looks once more, as an engine need not sleep
 * for what is there already. The event queue of a group has an MSI-X vector of its own,
 * whose eventfd the engine waits for. Groups beyond the number of vectors have vector 0,
 * that of the function's own events: whenever it fires, layer fw's thread writes to the
 * eventfds of those of them that sleep.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_spinlock.h>

#include "bluefield_dev_priv.h"

/* One event for each completion queue that is armed. */
#define GROUP_EQES 8192u
/* Handed out in one poll at most. */
#define GROUP_EVENTS 256u
#define GROUP_BUCKETS 256u

struct group {
	struct bf_group pub;
	/* held while the group is polled, armed or without objects: only ever tried by it */
	rte_spinlock_t turn;
	bool made;                     /* with turn: it has its objects */
	uint16_t vector;               /* 0: none of its own */
	int fd;                        /* of the vector, or our own */
	uint32_t armed;                /* atomic */
	struct bf_lock lock;
	uint32_t nb_users;             /* with lock: of events, and holders */
	uint32_t nb_idle;             /* with lock */
	bool over;                     /* with lock: destroyed, but for its users */
	struct bf_job end_job;
	struct bf_idle *idle_queues[GROUP_BUCKETS]; /* written with lock, removed in its thread */
};

static struct group *
to_group(struct bf_group *pub)
{
	return container_of(pub, struct group, pub);
}

static uint32_t
bucket(uint32_t cqn)
{
	return (cqn ^ cqn >> 8 ^ cqn >> 16) % GROUP_BUCKETS;
}

/*
 * Objects
 */

/* lcores that ring in one page wait for each other; but firmware may have no more. */
static int
group_uar_create(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;
	int ret = bf_uar_create(dev->objs, &g->pub.own_uar);

	if (ret == 0)
		g->pub.uar = &g->pub.own_uar;
	return ret == -ENOSPC ? 0 : ret;
}

/* Who makes a queue while the device fails names a page, and firmware refuses it. */
static void
group_uar_destroy(struct group *g)
{
	bf_uar_destroy(&g->pub.own_uar);
	g->pub.uar = &g->pub.dev->uar;
}

static int
group_objs_create(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;
	struct bf_ceq_attr attr = { .nb_eqes = GROUP_EQES, .vector = g->vector };
	int ret;

	ret = group_uar_create(g);
	if (ret != 0)
		return ret;
	attr.uar = g->pub.uar;
	ret = bf_ceq_create(dev->objs, &attr, &g->pub.ceq);
	if (ret != 0)
		group_uar_destroy(g);
	if (ret == -ENOSPC)
		BF_LOG(ERR, "%s: no event queue for one more progress engine, firmware has %u of them: attach its contexts to fewer engines, or give the function more event queues (devlink resource show, devlink port function set <representor> max_io_eqs <number>)",
			dev->rte_dev->data->name, bf_func_caps(dev->func)->max_eq);
	return ret;
}

static void
group_objs_destroy(struct group *g)
{
	bf_ceq_destroy(&g->pub.ceq);
	group_uar_destroy(g);
}

/*
 * A vector that no other group has; 0 if there is none. With dev->life.
 */
static uint16_t
vector_find(struct bf_dev *dev)
{
	const struct bf_hw *hw = bf_func_hw(dev->func);
	const struct bf_group *other;
	uint16_t v;

	for (v = 1; v < hw->nb_irqs; v++) {
		TAILQ_FOREACH(other, &dev->groups, next)
			if (container_of(other, const struct group, pub)->vector == v)
				break;
		if (other == NULL)
			return v;
	}
	return 0;
}

/* How its engine is woken. With dev->life. */
static int
group_fd_open(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;
	struct bf_hw *hw = bf_func_hw(dev->func);

	g->vector = vector_find(dev);
	if (g->vector != 0) {
		g->fd = hw->ops->irq_fd(hw, g->vector);
		if (g->fd >= 0)
			return 0;
		g->vector = 0;
	}
	/* once: applications may make an engine for each connection */
	if (!dev->irqs_told)
		BF_LOG(NOTICE, "%s: has %u interrupt vectors, and none is left for one more progress engine: it is woken by way of the function's own; more are used with more lcores (-l), and a VF gets more by its sysfs file sriov_vf_msix_count",
			dev->rte_dev->data->name, hw->nb_irqs);
	dev->irqs_told = true;
	g->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	return g->fd >= 0 ? 0 : -errno;
}

static void
group_fd_close(struct group *g)
{
	if (g->vector == 0)
		close(g->fd);
}

static void
group_wake(struct group *g)
{
	/* a counter that is full is readable already */
	(void)eventfd_write(g->fd, 1);
}

/*
 * Begin and end
 */

static void
parts_group_down(struct bf_group *pub, int nb)
{
	while (nb-- > 0)
		pub->dev->parts[nb]->group_down(pub);
}

static int
parts_group_up(struct bf_group *pub)
{
	const struct bf_part *const *parts = pub->dev->parts;
	int i, ret;

	for (i = 0; i < BF_NB_PARTS; i++) {
		ret = parts[i]->group_up(pub);
		if (ret != 0) {
			parts_group_down(pub, i);
			return ret;
		}
	}
	return 0;
}

static void
group_list_remove(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;

	bf_lock(&dev->lock);
	TAILQ_REMOVE(&dev->groups, &g->pub, next);
	bf_unlock(&dev->lock);
}

static void
group_free(struct group *g)
{
	group_fd_close(g);
	bf_lock_fini(&g->lock);
	free(g);
}

static void
group_end(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;

	bf_lock(&dev->life);
	parts_group_down(&g->pub, BF_NB_PARTS);
	if (g->made)
		group_objs_destroy(g);
	group_list_remove(g);
	bf_unlock(&dev->life);
	group_free(g);
}

/* The last user of a group that was destroyed has gone; in the worker. */
static void
group_end_job(struct bf_job *job)
{
	group_end(container_of(job, struct group, end_job));
}

static int
group_setup(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;
	int ret;

	ret = group_fd_open(g);
	if (ret != 0)
		return ret;
	/* of a device that has failed: they come with its reset */
	if (bf_dev_status(dev) == 0) {
		ret = group_objs_create(g);
		if (ret != 0 && bf_dev_status(dev) == 0)
			goto fail_fd;
		g->made = ret == 0;
	}
	ret = parts_group_up(&g->pub);
	if (ret != 0)
		goto fail_objs;
	ret = rte_comch_pmd_fd_add(g->pub.pg.pe, g->fd);
	if (ret == 0)
		return 0;
	parts_group_down(&g->pub, BF_NB_PARTS);
fail_objs:
	if (g->made)
		group_objs_destroy(g);
fail_fd:
	group_fd_close(g);
	return ret;
}

int
bf_group_create(struct rte_comch_dev *rte_dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg)
{
	struct bf_dev *dev = rte_dev->priv;
	struct group *g;
	int ret;

	if (!bf_dev_communicates(dev)) {
		BF_LOG(ERR, "%s: has nobody to talk to: on the card give functions=<name>@<MAC>[@<IPv4>], on the host peer=<MAC>[@<IPv4>]",
			rte_dev->data->name);
		return -ENOTSUP;
	}
	g = calloc(1, sizeof(*g));
	if (g == NULL)
		return -ENOMEM;
	g->pub.dev = dev;
	g->pub.uar = &dev->uar;
	g->pub.pg.dev = rte_dev;
	g->pub.pg.pe = pe;
	g->pub.pg.deadline = UINT64_MAX;
	g->end_job.run = group_end_job;
	rte_spinlock_init(&g->turn);
	bf_lock_init(&g->lock);
	/* waits for a reset that is under way */
	bf_lock(&dev->life);
	ret = group_setup(g);
	if (ret == 0) {
		bf_lock(&dev->lock);
		TAILQ_INSERT_TAIL(&dev->groups, &g->pub, next);
		bf_unlock(&dev->lock);
	}
	bf_unlock(&dev->life);
	if (ret != 0) {
		bf_lock_fini(&g->lock);
		free(g);
		return ret;
	}
	*pg = &g->pub.pg;
	return 0;
}

/*
 * Completion queues of connections that have ended may be on its event queue, until their
 * handshake is over. Nobody but the worker knows of them, so that the library need not
 * wait: the group ends with the last of them.
 */
int
bf_group_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct group *g = to_group(bf_group_of(pg));
	bool used;

	rte_comch_pmd_fd_del(pg->pe, g->fd);
	g->pub.dev->parts[BF_PART_CHAN]->group_left(&g->pub);
	bf_lock(&g->lock);
	used = g->nb_users != 0;
	g->over = true;
	bf_unlock(&g->lock);
	if (!used)
		group_end(g);
	return 0;
}

/*
 * A reset, and the end of the device
 */

void
bf_groups_stand(struct bf_dev *dev)
{
	struct bf_group *pub;

	TAILQ_FOREACH(pub, &dev->groups, next)
		rte_spinlock_lock(&to_group(pub)->turn);
}

void
bf_groups_go(struct bf_dev *dev)
{
	struct bf_group *pub;

	TAILQ_FOREACH(pub, &dev->groups, next)
		rte_spinlock_unlock(&to_group(pub)->turn);
}

void
bf_groups_down(struct bf_dev *dev)
{
	struct bf_group *pub;
	struct group *g;

	TAILQ_FOREACH(pub, &dev->groups, next) {
		g = to_group(pub);
		if (g->made)
			group_objs_destroy(g);
		g->made = false;
	}
}

int
bf_groups_up(struct bf_dev *dev)
{
	struct bf_group *pub;
	int ret;

	TAILQ_FOREACH(pub, &dev->groups, next) {
		ret = group_objs_create(to_group(pub));
		if (ret != 0)
			return ret;
		to_group(pub)->made = true;
	}
	return 0;
}

void
bf_groups_free(struct bf_dev *dev)
{
	struct bf_group *pub;

	while ((pub = TAILQ_FIRST(&dev->groups)) != NULL) {
		TAILQ_REMOVE(&dev->groups, pub, next);
		parts_group_down(pub, BF_NB_PARTS);
		group_free(to_group(pub));
	}
}

void
bf_group_kick(struct bf_group *group)
{
	struct group *g = to_group(group);

	/* what was written, then armed; pairs with the fence in bf_group_arm() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (__atomic_load_n(&g->armed, __ATOMIC_RELAXED) != 0)
		group_wake(g);
}

void
bf_groups_wake(struct bf_dev *dev)
{
	struct bf_group *pub;
	struct group *g;

	bf_lock(&dev->lock);
	TAILQ_FOREACH(pub, &dev->groups, next) {
		g = to_group(pub);
		/* acquire: pairs with the release in bf_group_arm() */
		if (g->vector == 0 && __atomic_load_n(&g->armed, __ATOMIC_ACQUIRE) != 0)
			group_wake(g);
	}
	bf_unlock(&dev->lock);
}

/*
 * Who gets what
 */

/* The last one of a group that was destroyed: nobody but the worker has it then. */
static bool
user_gone_locked(struct group *g)
{
	return --g->nb_users == 0 && g->over;
}

void
bf_group_hold(struct bf_group *pub)
{
	struct group *g = to_group(pub);

	bf_lock(&g->lock);
	g->nb_users++;
	bf_unlock(&g->lock);
}

void
bf_group_drop(struct bf_group *pub)
{
	struct group *g = to_group(pub);

	bool last;

	bf_lock(&g->lock);
	last = user_gone_locked(g);
	bf_unlock(&g->lock);
	if (last)
		bf_job_post(g->pub.dev, &g->end_job);
}

int
bf_group_idle_add(struct bf_group *pub, uint32_t cqn, struct bf_idle *idle_queue)
{
	struct group *g = to_group(pub);
	struct bf_idle **head = &g->idle_queues[bucket(cqn)];
	int ret = 0;

	bf_lock(&g->lock);
	/* half of it is for those that were armed twice */
	if (g->nb_idle >= GROUP_EQES / 2) {
		ret = -ENOSPC;
	} else {
		g->nb_idle++;
		g->nb_users++;
		idle_queue->cqn = cqn;
		idle_queue->next = *head;
		__atomic_store_n(head, idle_queue, __ATOMIC_RELEASE);
	}
	bf_unlock(&g->lock);
	if (ret != 0)
		BF_LOG(ERR, "%s: %u queues of one progress engine can be idle, no more: take another engine",
			pub->dev->rte_dev->data->name, GROUP_EQES / 2);
	return ret;
}

void
bf_group_idle_del(struct bf_group *pub, struct bf_idle *idle_queue)
{
	struct group *g = to_group(pub);
	struct bf_idle **at = &g->idle_queues[bucket(idle_queue->cqn)];
	bool last = false;

	bf_lock(&g->lock);
	while (*at != NULL && *at != idle_queue)
		at = &(*at)->next;
	if (*at != NULL) {
		__atomic_store_n(at, idle_queue->next, __ATOMIC_RELEASE);
		g->nb_idle--;
		last = user_gone_locked(g);
	}
	bf_unlock(&g->lock);
	if (last)
		bf_job_post(g->pub.dev, &g->end_job);
}

/*
 * Poll
 */

static int
events_poll(struct group *g)
{
	struct bf_idle *idle_queue;
	uint32_t cqn, nb = 0;

	while (nb < GROUP_EVENTS && bf_ceq_next(&g->pub.ceq, &cqn)) {
		nb++;
		idle_queue = __atomic_load_n(&g->idle_queues[bucket(cqn)], __ATOMIC_ACQUIRE);
		while (idle_queue != NULL && idle_queue->cqn != cqn)
			idle_queue = idle_queue->next;
		if (idle_queue != NULL)
			idle_queue->handler(idle_queue);
	}
	if (nb != 0 && bf_dev_status(g->pub.dev) == 0)
		bf_ceq_commit(&g->pub.ceq);
	return nb;
}

int
bf_group_poll(struct rte_comch_pgroup *pg, uint64_t now)
{
	struct group *g = to_group(bf_group_of(pg));
	const struct bf_part *const *parts = g->pub.dev->parts;
	int i, nb = 0;

	/* during a reset there is nothing, and nothing may be touched */
	if (unlikely(rte_spinlock_trylock(&g->turn) == 0))
		return 0;
	pg->deadline = UINT64_MAX;
	if (likely(g->made))
		nb += events_poll(g);
	for (i = 0; i < BF_NB_PARTS; i++)
		nb += parts[i]->group_poll(&g->pub, now);
	rte_spinlock_unlock(&g->turn);
	return nb;
}

/*
 * Sleep
 */

bool
bf_group_arm(struct rte_comch_pgroup *pg)
{
	struct group *g = to_group(bf_group_of(pg));
	const struct bf_part *const *parts = g->pub.dev->parts;
	bool pending = false;
	eventfd_t drop;
	int i;

	if (rte_spinlock_trylock(&g->turn) == 0)
		return false;
	/*
	 * The event queue stays armed where an engine did not sleep after all, and interrupts
	 * for what was polled since: what is looked at below needs no wake-up of before.
	 */
	(void)eventfd_read(g->fd, &drop);
	/* release: who wakes those without a vector, after the interrupt that follows */
	__atomic_store_n(&g->armed, 1, __ATOMIC_RELEASE);
	/* armed, then what the parts look at; pairs with the fence in bf_group_kick() */
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (i = 0; i < BF_NB_PARTS; i++)
		pending |= parts[i]->group_arm(&g->pub);
	/* without users, too: the worker may add one, whose first completion has to wake */
	if (g->made && bf_dev_status(g->pub.dev) == 0) {
		bf_ceq_arm(&g->pub.ceq);
		pending |= bf_ceq_pending(&g->pub.ceq);
	}
	rte_spinlock_unlock(&g->turn);
	return pending;
}

void
bf_group_disarm(struct rte_comch_pgroup *pg)
{
	struct group *g = to_group(bf_group_of(pg));
	eventfd_t drop;

	__atomic_store_n(&g->armed, 0, __ATOMIC_RELAXED);
	(void)eventfd_read(g->fd, &drop);
}
