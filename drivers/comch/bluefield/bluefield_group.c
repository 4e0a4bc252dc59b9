/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Poll groups: what one progress engine has of the device. Completions of control
 * connections are handed out by queue pair number, events by completion queue number;
 * what the parts do with them is theirs.
 *
 * Sleep. pgroup_arm arms the completion queue and the event queue, each with the index of
 * what was taken: the device tells of anything beyond that, whenever it was written, so
 * that no wake-up is lost. Then it looks once more, as an engine need not sleep for what is
 * there already. The event queue of a group has an MSI-X vector of its own, whose eventfd
 * the engine waits for. Groups beyond the number of vectors have vector 0, that of the
 * function's own events: whenever it fires, layer func's thread writes to the eventfds of
 * those of them that sleep.
 *
 * Stale completions. The number of a queue pair is used again when it was destroyed. So
 * what is in the ring of one is dropped before that, by bf_group_cq_del(): also out of the
 * batch that is being handed out, which is a copy.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_spinlock.h>

#include "bluefield_dev_priv.h"
#include "bluefield_wq.h"

/* Completions of control connections: 64 bytes each. */
#define GROUP_MAX_CQES 16384u
/* One event for each completion queue that is armed. */
#define GROUP_EQES 2048u
/* Handed out in one poll at most, of either kind. */
#define GROUP_BATCH 64u
#define GROUP_EVENTS 256u
#define GROUP_BUCKETS 256u

#define QPN_NONE 0xffffffu

struct group {
	struct bf_group pub;
	struct bf_compq compq;
	/* held while the group is polled, armed or without objects: only ever tried by it */
	rte_spinlock_t turn;
	bool made;                     /* with turn: it has its objects */
	uint16_t vector;               /* 0: none of its own */
	int fd;                        /* of the vector, or our own */
	uint32_t armed;                /* atomic */
	struct bf_lock lock;
	uint32_t nb_cqes;              /* with lock: taken by users */
	uint32_t nb_users;             /* with lock: of completions, of events, and holders */
	uint32_t nb_rests;             /* with lock */
	bool over;                     /* with lock: destroyed, but for its users */
	struct rte_comch_pmd_ending *ending; /* with lock: to be told when it is; NULL: not */
	struct bf_job end_job;
	struct bf_cq_user *users[GROUP_BUCKETS]; /* written with lock, removed in its thread */
	struct bf_rest *rests[GROUP_BUCKETS];
	uint32_t batch_nb;
	struct bf_cqe batch[GROUP_BATCH];
	uint64_t stale;                /* completions of nobody */
};

static struct group *
to_group(struct bf_group *pub)
{
	return container_of(pub, struct group, pub);
}

static uint32_t
bucket(uint32_t number)
{
	return (number ^ number >> 8 ^ number >> 16) % GROUP_BUCKETS;
}

/*
 * Objects
 */

static int
group_objs_create(struct group *g)
{
	struct bf_dev *dev = g->pub.dev;
	const struct bf_ceq_attr ceq = {
		.uar = &dev->uar, .nb_eqes = GROUP_EQES, .vector = g->vector,
	};
	struct bf_cq_attr cq = { .uar = &dev->uar, .ceq = &g->pub.ceq };
	struct bf_obj_caps caps;
	int ret;

	dev->objs->ops->caps(dev->objs, &caps);
	cq.nb_cqes = RTE_MIN(caps.max_cq_sz, GROUP_MAX_CQES);
	ret = bf_ceq_create(dev->objs, &ceq, &g->pub.ceq);
	if (ret == -ENOSPC)
		BF_LOG(ERR, "%s: no event queue for one more progress engine, firmware has %u of them: attach its contexts to fewer engines, or give the function more event queues (devlink resource show, devlink port function set <representor> max_io_eqs <number>)",
			dev->rte_dev->data->name, bf_func_caps(dev->func)->max_eq);
	if (ret != 0)
		return ret;
	ret = bf_cq_create(dev->objs, &cq, &g->pub.cq);
	if (ret == 0) {
		ret = bf_compq_init(&g->compq, &g->pub.cq, &dev->uar);
		if (ret == 0)
			return 0;
		bf_cq_destroy(&g->pub.cq);
	}
	bf_ceq_destroy(&g->pub.ceq);
	return ret;
}

static void
group_objs_destroy(struct group *g)
{
	bf_cq_destroy(&g->pub.cq);
	bf_ceq_destroy(&g->pub.ceq);
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
	BF_LOG(NOTICE, "%s: has %u interrupt vectors, and none is left for one more progress engine: it is woken by way of the function's own; more are used with more lcores (-l), and a VF gets more by its sysfs file sriov_vf_msix_count",
		dev->rte_dev->data->name, hw->nb_irqs);
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
		if (bf_parts[nb] != NULL && bf_parts[nb]->group_down != NULL)
			bf_parts[nb]->group_down(pub);
}

static int
parts_group_up(struct bf_group *pub)
{
	int i, ret;

	for (i = 0; i < BF_NB_PARTS; i++) {
		if (bf_parts[i] == NULL || bf_parts[i]->group_up == NULL)
			continue;
		ret = bf_parts[i]->group_up(pub);
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

/* The last user of a group that was destroyed has gone; in the worker. */
static void
group_end_job(struct bf_job *job)
{
	struct group *g = container_of(job, struct group, end_job);
	struct rte_comch_pmd_ending *ending = g->ending;
	struct bf_dev *dev = g->pub.dev;

	bf_lock(&dev->life);
	parts_group_down(&g->pub, BF_NB_PARTS);
	if (g->made)
		group_objs_destroy(g);
	group_list_remove(g);
	bf_unlock(&dev->life);
	group_free(g);
	if (ending != NULL)
		rte_comch_pmd_ended(ending);
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
		BF_LOG(ERR, "%s: has nobody to talk to: on the card give functions=<name>@<MAC>, on the host peer=<MAC>",
			rte_dev->data->name);
		return -ENOTSUP;
	}
	g = calloc(1, sizeof(*g));
	if (g == NULL)
		return -ENOMEM;
	g->pub.dev = dev;
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

int
bf_group_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending)
{
	struct group *g = to_group(bf_group_of(pg));
	struct bf_dev *dev = g->pub.dev;
	bool used;

	rte_comch_pmd_fd_del(pg->pe, g->fd);
	bf_lock(&g->lock);
	used = g->nb_users != 0;
	g->over = true;
	g->ending = used ? ending : NULL;
	bf_unlock(&g->lock);
	if (used)
		return -EINPROGRESS;
	bf_lock(&dev->life);
	parts_group_down(&g->pub, BF_NB_PARTS);
	if (g->made)
		group_objs_destroy(g);
	group_list_remove(g);
	bf_unlock(&dev->life);
	group_free(g);
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

/* With lock. */
static void
user_gone(struct group *g)
{
	g->nb_users--;
	if (g->over && g->nb_users == 0)
		bf_job_post(g->pub.dev, &g->end_job);
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

	bf_lock(&g->lock);
	user_gone(g);
	bf_unlock(&g->lock);
}

int
bf_group_cq_add(struct bf_group *pub, uint32_t qpn, struct bf_cq_user *user)
{
	struct group *g = to_group(pub);
	struct bf_cq_user **head = &g->users[bucket(qpn)];

	bf_lock(&g->lock);
	if (user->nb_cqes > pub->cq.nb_cqes - g->nb_cqes) {
		bf_unlock(&g->lock);
		BF_LOG(ERR, "%s: %u completions of one progress engine are spoken for, %u more are not there: take another engine, shorter receive queues or fewer connections",
			pub->dev->rte_dev->data->name, pub->cq.nb_cqes - g->nb_cqes,
			user->nb_cqes);
		return -ENOSPC;
	}
	g->nb_cqes += user->nb_cqes;
	g->nb_users++;
	user->qpn = qpn;
	user->next = *head;
	/* release: the group's thread looks without the lock */
	__atomic_store_n(head, user, __ATOMIC_RELEASE);
	bf_unlock(&g->lock);
	return 0;
}

/* Nobody gets what is there of a queue pair. */
static void
completions_drop(struct group *g, uint32_t qpn)
{
	const struct bf_compq *q = &g->compq;
	struct bf_compq look = *q;
	struct bf_cqe *cqe;
	uint32_t i;

	for (i = 0; i < g->batch_nb; i++)
		if (bf_cqe_qpn(&g->batch[i]) == qpn)
			g->batch[i].opcode_qpn = rte_cpu_to_be_32(QPN_NONE);
	if (!g->made)
		return;
	/* these are ours until they are committed, also to write */
	for (i = 0; i < q->nb_cqes; i++) {
		cqe = (struct bf_cqe *)(uintptr_t)bf_compq_next(&look);
		if (cqe == NULL)
			break;
		if (bf_cqe_qpn(cqe) == qpn)
			cqe->opcode_qpn |= rte_cpu_to_be_32(QPN_NONE);
	}
}

void
bf_group_cq_del(struct bf_group *pub, struct bf_cq_user *user)
{
	struct group *g = to_group(pub);
	struct bf_cq_user **at = &g->users[bucket(user->qpn)];

	bf_lock(&g->lock);
	while (*at != NULL && *at != user)
		at = &(*at)->next;
	if (*at != NULL) {
		__atomic_store_n(at, user->next, __ATOMIC_RELEASE);
		completions_drop(g, user->qpn);
		g->nb_cqes -= user->nb_cqes;
		user_gone(g);
	}
	bf_unlock(&g->lock);
}

int
bf_group_rest_add(struct bf_group *pub, uint32_t cqn, struct bf_rest *rest)
{
	struct group *g = to_group(pub);
	struct bf_rest **head = &g->rests[bucket(cqn)];
	int ret = 0;

	bf_lock(&g->lock);
	/* half of it is for those that were armed twice */
	if (g->nb_rests >= GROUP_EQES / 2) {
		ret = -ENOSPC;
	} else {
		g->nb_rests++;
		g->nb_users++;
		rest->cqn = cqn;
		rest->next = *head;
		__atomic_store_n(head, rest, __ATOMIC_RELEASE);
	}
	bf_unlock(&g->lock);
	if (ret != 0)
		BF_LOG(ERR, "%s: %u queues of one progress engine can be at rest, no more: take another engine",
			pub->dev->rte_dev->data->name, GROUP_EQES / 2);
	return ret;
}

void
bf_group_rest_del(struct bf_group *pub, struct bf_rest *rest)
{
	struct group *g = to_group(pub);
	struct bf_rest **at = &g->rests[bucket(rest->cqn)];

	bf_lock(&g->lock);
	while (*at != NULL && *at != rest)
		at = &(*at)->next;
	if (*at != NULL) {
		__atomic_store_n(at, rest->next, __ATOMIC_RELEASE);
		g->nb_rests--;
		user_gone(g);
	}
	bf_unlock(&g->lock);
}

/*
 * Poll
 */

static uint32_t
completions_take(struct group *g)
{
	const struct bf_cqe *cqe;
	uint32_t nb = 0;

	while (nb < GROUP_BATCH && (cqe = bf_compq_next(&g->compq)) != NULL)
		g->batch[nb++] = *cqe;
	/* before anybody posts anew: so that the queue never has more than its room */
	if (nb != 0)
		bf_compq_commit(&g->compq);
	return nb;
}

static int
completions_poll(struct group *g)
{
	struct bf_cq_user *user;
	uint32_t i, qpn;

	g->batch_nb = completions_take(g);
	for (i = 0; i < g->batch_nb; i++) {
		qpn = bf_cqe_qpn(&g->batch[i]);
		user = __atomic_load_n(&g->users[bucket(qpn)], __ATOMIC_ACQUIRE);
		while (user != NULL && user->qpn != qpn)
			user = user->next;
		if (likely(user != NULL))
			user->handler(user, &g->batch[i]);
		else
			g->stale++;
	}
	g->batch_nb = 0;
	return i;
}

static int
events_poll(struct group *g)
{
	struct bf_rest *rest;
	uint32_t cqn, nb = 0;

	while (nb < GROUP_EVENTS && bf_ceq_next(&g->pub.ceq, &cqn)) {
		nb++;
		if (cqn == g->compq.cqn) {
			bf_compq_event(&g->compq);
			continue;
		}
		rest = __atomic_load_n(&g->rests[bucket(cqn)], __ATOMIC_ACQUIRE);
		while (rest != NULL && rest->cqn != cqn)
			rest = rest->next;
		if (rest != NULL)
			rest->handler(rest);
	}
	if (nb != 0 && bf_dev_status(g->pub.dev) == 0)
		bf_ceq_commit(&g->pub.ceq);
	return nb;
}

int
bf_group_poll(struct rte_comch_pgroup *pg, uint64_t now)
{
	struct group *g = to_group(bf_group_of(pg));
	int i, nb = 0;

	/* during a reset there is nothing, and nothing may be touched */
	if (unlikely(rte_spinlock_trylock(&g->turn) == 0))
		return 0;
	pg->deadline = UINT64_MAX;
	if (likely(g->made)) {
		nb += events_poll(g);
		nb += completions_poll(g);
	}
	for (i = 0; i < BF_NB_PARTS; i++)
		if (bf_parts[i] != NULL && bf_parts[i]->group_poll != NULL)
			nb += bf_parts[i]->group_poll(&g->pub, now);
	rte_spinlock_unlock(&g->turn);
	return nb;
}

/*
 * Sleep
 */

static bool
objects_arm(struct group *g)
{
	struct bf_compq look = g->compq;

	bf_compq_arm(&g->compq);
	bf_ceq_arm(&g->pub.ceq);
	return bf_ceq_pending(&g->pub.ceq) || bf_compq_next(&look) != NULL;
}

bool
bf_group_arm(struct rte_comch_pgroup *pg)
{
	struct group *g = to_group(bf_group_of(pg));
	bool pending = false;
	int i;

	if (rte_spinlock_trylock(&g->turn) == 0)
		return false;
	/* release: who wakes those without a vector, after the interrupt that follows */
	__atomic_store_n(&g->armed, 1, __ATOMIC_RELEASE);
	for (i = 0; i < BF_NB_PARTS; i++)
		if (bf_parts[i] != NULL && bf_parts[i]->group_arm != NULL)
			pending |= bf_parts[i]->group_arm(&g->pub);
	/* without users, too: the worker may add one, whose first completion has to wake */
	if (g->made && bf_dev_status(g->pub.dev) == 0)
		pending |= objects_arm(g);
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
