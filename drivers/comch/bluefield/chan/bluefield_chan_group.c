/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What layer chan has in poll groups and in the device: which connections are looked at,
 * which have something to do by the clock, what other threads have to tell their thread,
 * and what they have to tell the worker. What is told is in bluefield_conn.c and
 * bluefield_chan_qp.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "bluefield_chan_priv.h"

#define CHAN_MIN_ACTIVE 64u

/* Limits that applications see. */
#define CHAN_MAX_TASKS 8192u
#define CHAN_MAX_CLIENTS 1024u
#define CHAN_DFLT_MSG_SIZE 4080u
#define CHAN_DFLT_QUEUE_SIZE 8u

static void
chan_dev_put(struct bf_chan_dev *cd)
{
	if (__atomic_sub_fetch(&cd->refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	bf_lock_fini(&cd->lock);
	free(cd);
}

static void
chan_group_put(struct bf_chan_group *cg)
{
	struct bf_chan_dev *cd = cg->cd;

	if (__atomic_sub_fetch(&cg->refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	free(cg->active);
	free(cg);
	chan_dev_put(cd);
}

/*
 * Connections
 */

/* With one reference, which is the worker's. */
struct bf_ctrl_conn *
bf_ctrl_new(struct bf_chan_dev *cd)
{
	struct bf_ctrl_conn *cc = aligned_alloc(RTE_CACHE_LINE_SIZE,
			RTE_ALIGN_CEIL(sizeof(*cc), RTE_CACHE_LINE_SIZE));

	if (cc == NULL)
		return NULL;
	memset(cc, 0, sizeof(*cc));
	cc->cd = cd;
	cc->pub.dev = cd->dev;
	cc->version = BF_WIRE_VERSION_MAX;
	cc->active = -1;
	cc->refs = 1;
	cc->job.run = bf_ctrl_work;
	STAILQ_INIT(&cc->ctls);
	__atomic_fetch_add(&cd->refs, 1, __ATOMIC_RELAXED);
	bf_lock(&cd->lock);
	TAILQ_INSERT_TAIL(&cd->conns, cc, next);
	cd->nb_conns++;
	bf_unlock(&cd->lock);
	return cc;
}

/* What people are told of it, who may ask at any time; NULL: that stays. */
void
bf_ctrl_name(struct bf_ctrl_conn *cc, const char *name, const char *function)
{
	bf_lock(&cc->cd->lock);
	if (name != NULL)
		strlcpy(cc->name, name, sizeof(cc->name));
	if (function != NULL)
		strlcpy(cc->function, function, sizeof(cc->function));
	bf_unlock(&cc->cd->lock);
}

/* The worker has taken its queues away by then. */
void
bf_ctrl_put(struct bf_ctrl_conn *cc)
{
	struct bf_chan_dev *cd = cc->cd;
	struct bf_ctrl_out *ctl;

	if (__atomic_sub_fetch(&cc->refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	while ((ctl = STAILQ_FIRST(&cc->ctls)) != NULL) {
		STAILQ_REMOVE_HEAD(&cc->ctls, next);
		free(ctl);
	}
	free(cc);
	chan_dev_put(cd);
}

/*
 * Between threads
 */

/* With the lock; the engine lives as long as it has the group. */
static void
chan_group_wake(struct bf_chan_group *cg)
{
	if (cg->ev_posted || cg->gone)
		return;
	__atomic_fetch_add(&cg->refs, 1, __ATOMIC_RELAXED);
	cg->ev_posted = rte_comch_pmd_event_post(cg->group->pg.pe, &cg->ev) == 0;
	/* relaxed: a look without the lock, in the next poll, which tries again */
	__atomic_store_n(&cg->ev_late, !cg->ev_posted, __ATOMIC_RELAXED);
	if (!cg->ev_posted)
		__atomic_fetch_sub(&cg->refs, 1, __ATOMIC_RELAXED);
}

/* With the lock. */
static void
ctrl_queue(struct bf_ctrl_conn *cc)
{
	struct bf_chan_group *cg = bf_chan_group_of(cc->pub.group);

	if (!cc->ev_queued) {
		STAILQ_INSERT_TAIL(&cg->evs, cc, next_ev);
		cc->ev_queued = true;
		bf_ctrl_ref(cc);
	}
	chan_group_wake(cg);
}

/* With the lock. reason: of LOST or LEFT. */
void
bf_ctrl_event_locked(struct bf_ctrl_conn *cc, uint32_t events, int reason)
{
	if (cc->closing || events == 0)
		return;
	if ((events & BF_EV_LOST) != 0 && (cc->events & BF_EV_LOST) == 0)
		cc->lost_reason = reason;
	if ((events & BF_EV_LEFT) != 0)
		cc->left_reason = reason;
	cc->events |= events;
	ctrl_queue(cc);
}

void
bf_ctrl_event(struct bf_ctrl_conn *cc, uint32_t events, int reason)
{
	bf_lock(&cc->cd->lock);
	bf_ctrl_event_locked(cc, events, reason);
	bf_unlock(&cc->cd->lock);
}

/* reason: of CLOSE, which is the last. */
void
bf_ctrl_work_add(struct bf_ctrl_conn *cc, uint32_t work, int reason)
{
	struct bf_chan_dev *cd = cc->cd;

	bf_lock(&cd->lock);
	if (!cc->released && !cc->closing) {
		if ((work & BF_WORK_CLOSE) != 0) {
			cc->closing = true;
			cc->close_reason = reason;
		}
		cc->work |= work;
		if (!cc->job_posted) {
			cc->job_posted = true;
			bf_ctrl_ref(cc);
			bf_job_post(cd->dev, &cc->job);
		}
	}
	bf_unlock(&cd->lock);
}

/* The group, which has a reference from now on, stays for it until that is finished. */
void
bf_ctrl_hold(struct bf_ctrl_conn *cc, struct bf_group *group)
{
	bf_group_hold(group);
	cc->pub.group = group;
	cc->holds = true;
	bf_ctrl_ref(cc);
}

/* Take the next connection with events, and these; NULL: there is none. */
static struct bf_ctrl_conn *
chan_group_next(struct bf_chan_group *cg, uint32_t *events, int *lost, int *left)
{
	struct bf_ctrl_conn *cc;

	bf_lock(&cg->cd->lock);
	cc = STAILQ_FIRST(&cg->evs);
	if (cc != NULL) {
		STAILQ_REMOVE_HEAD(&cg->evs, next_ev);
		cc->ev_queued = false;
		*events = 0;
		*lost = cc->lost_reason;
		*left = cc->left_reason;
		if (!cc->released) {
			*events = cc->events;
			cc->events = 0;
		}
	}
	bf_unlock(&cg->cd->lock);
	return cc;
}

/*
 * The device has failed: all that is here is told, each by an event of its own, as the end
 * of one may be that of others. With the lock, in the thread of the group.
 */
static void
chan_group_down_locked(struct bf_chan_group *cg)
{
	struct bf_ctrl_conn *cc;

	TAILQ_FOREACH(cc, &cg->conns, next_group)
		/* those that are CONNECTING are the library's to cancel */
		if (cc->state != BF_CTRL_CONNECTING)
			bf_ctrl_event_locked(cc, BF_EV_LOST, cg->cd->down);
}

static void
chan_group_event(struct rte_comch_pmd_event *ev)
{
	struct bf_chan_group *cg = container_of(ev, struct bf_chan_group, ev);
	uint32_t events, nb;
	struct bf_ctrl_conn *cc;
	int lost, left;

	bf_lock(&cg->cd->lock);
	/* before the next event can be posted: those that are told are handled in this one */
	if (cg->down && !cg->gone)
		chan_group_down_locked(cg);
	cg->down = false;
	cg->ev_posted = false;
	bf_unlock(&cg->cd->lock);
	for (nb = 0; nb < BF_CTRL_EVENTS; nb++) {
		cc = chan_group_next(cg, &events, &lost, &left);
		if (cc == NULL)
			break;
		if (events != 0)
			bf_ctrl_events_run(cc, events, lost, left);
		bf_ctrl_put(cc);
	}
	if (nb == BF_CTRL_EVENTS) {
		bf_lock(&cg->cd->lock);
		chan_group_wake(cg);
		bf_unlock(&cg->cd->lock);
	}
	chan_group_put(cg);
}

/*
 * What a group looks at
 */

/* The group looks at it. */
int
bf_ctrl_join(struct bf_ctrl_conn *cc, struct bf_chan_group *cg)
{
	uint32_t max = RTE_MAX(CHAN_MIN_ACTIVE, 2 * cg->max_active);
	struct bf_ctrl_conn **active;

	if (cg->nb_conns == cg->max_active) {
		active = realloc(cg->active, max * sizeof(*active));
		if (active == NULL)
			return -ENOMEM;
		cg->active = active;
		cg->max_active = max;
	}
	cc->cg = cg;
	cg->nb_conns++;
	TAILQ_INSERT_TAIL(&cg->conns, cc, next_group);
	return 0;
}

static void
ctrl_untimed(struct bf_ctrl_conn *cc)
{
	if (cc->timed != NULL)
		TAILQ_REMOVE(cc->timed, cc, next_timed);
	cc->timed = NULL;
}

/* The group does not look at it any more; the reference stays. */
void
bf_ctrl_leave(struct bf_ctrl_conn *cc)
{
	struct bf_chan_group *cg = cc->cg;

	if (cg == NULL)
		return;
	ctrl_untimed(cc);
	bf_ctrl_deactivate(cc);
	if (cc->wake.added)
		bf_group_idle_del(cc->pub.group, &cc->wake.idle_queue);
	if (cc->tx_wake.added)
		bf_group_idle_del(cc->pub.group, &cc->tx_wake.idle_queue);
	memset(&cc->wake, 0, sizeof(cc->wake));
	memset(&cc->tx_wake, 0, sizeof(cc->tx_wake));
	TAILQ_REMOVE(&cg->conns, cc, next_group);
	cg->nb_conns--;
	cc->cg = NULL;
}

void
bf_ctrl_activate(struct bf_ctrl_conn *cc)
{
	struct bf_chan_group *cg = cc->cg;

	cc->idle = 0;
	if (cc->active >= 0 || !cc->has_queues)
		return;
	cc->active = cg->nb_active;
	cg->active[cg->nb_active++] = cc;
}

void
bf_ctrl_deactivate(struct bf_ctrl_conn *cc)
{
	struct bf_chan_group *cg = cc->cg;

	if (cc->active < 0)
		return;
	cg->active[cc->active] = cg->active[--cg->nb_active];
	cg->active[cc->active]->active = cc->active;
	cc->active = -1;
}

/* It has something that waits for the end of the poll. */
void
bf_ctrl_dirty(struct bf_ctrl_conn *cc)
{
	if (cc->dirty)
		return;
	cc->dirty = true;
	cc->next_dirty = cc->cg->dirty;
	cc->cg->dirty = cc;
	bf_ctrl_ref(cc);
}

/* Look at it in so many milliseconds; lists have one time each, so they are in order. */
void
bf_ctrl_timed(struct bf_ctrl_conn *cc, struct bf_ctrl_list *list, uint32_t ms)
{
	ctrl_untimed(cc);
	cc->deadline = rte_comch_pmd_deadline(ms);
	cc->timed = list;
	TAILQ_INSERT_TAIL(list, cc, next_timed);
}

static void
chan_group_clock(struct bf_chan_group *cg, uint64_t now)
{
	struct bf_ctrl_conn *cc;

	while ((cc = TAILQ_FIRST(&cg->pings)) != NULL && cc->deadline <= now)
		bf_ctrl_look(cc);
	while ((cc = TAILQ_FIRST(&cg->endings)) != NULL && cc->deadline <= now)
		bf_ctrl_closed(cc);
}

static void
chan_group_flush(struct bf_chan_group *cg)
{
	struct bf_ctrl_conn *cc;

	while ((cc = cg->dirty) != NULL) {
		cg->dirty = cc->next_dirty;
		cc->dirty = false;
		if (cc->cg == cg)
			bf_ctrl_flush(cc);
		bf_ctrl_put(cc);
	}
}

static uint64_t
chan_group_deadline(const struct bf_chan_group *cg)
{
	const struct bf_ctrl_conn *ping = TAILQ_FIRST(&cg->pings);
	const struct bf_ctrl_conn *ending = TAILQ_FIRST(&cg->endings);

	return RTE_MIN(ping != NULL ? ping->deadline : UINT64_MAX,
			ending != NULL ? ending->deadline : UINT64_MAX);
}

static int
chan_group_poll(struct bf_group *group, uint64_t now)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);
	uint32_t i;
	int nb = 0;

	cg->now = now;
	cg->polling = true;
	/*
	 * From the end, because one that becomes idle or ends makes the last one
	 * take its place. Callbacks may end any: then one is skipped this time.
	 */
	for (i = cg->nb_active; i > 0; i--)
		if (likely(i <= cg->nb_active))
			nb += bf_ctrl_poll(cg->active[i - 1]);
	chan_group_clock(cg, now);
	cg->polling = false;
	chan_group_flush(cg);
	/* relaxed: an event that found no room in the mailbox is rare */
	if (unlikely(__atomic_load_n(&cg->ev_late, __ATOMIC_RELAXED))) {
		bf_lock(&cg->cd->lock);
		chan_group_wake(cg);
		bf_unlock(&cg->cd->lock);
	}
	group->pg.deadline = RTE_MIN(group->pg.deadline, chan_group_deadline(cg));
	return nb;
}

static bool
chan_group_arm(struct bf_group *group)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);
	bool pending = false;
	uint32_t i;

	chan_group_flush(cg); /* what was sent between two polls */
	for (i = 0; i < cg->nb_active; i++) {
		if (bf_ctrl_pending(cg->active[i]))
			pending = true;
		else
			bf_ctrl_arm(cg->active[i]);
	}
	group->pg.deadline = RTE_MIN(group->pg.deadline, chan_group_deadline(cg));
	return pending;
}

static int
chan_group_up(struct bf_group *group)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(group->dev);
	struct bf_chan_group *cg = calloc(1, sizeof(*cg));

	if (cg == NULL)
		return -ENOMEM;
	cg->cd = cd;
	cg->group = group;
	cg->refs = 1;
	cg->ev.handler = chan_group_event;
	cg->now = rte_get_tsc_cycles();
	STAILQ_INIT(&cg->evs);
	TAILQ_INIT(&cg->conns);
	TAILQ_INIT(&cg->pings);
	TAILQ_INIT(&cg->endings);
	__atomic_fetch_add(&cd->refs, 1, __ATOMIC_RELAXED);
	bf_lock(&cd->lock);
	TAILQ_INSERT_TAIL(&cd->groups, cg, next);
	bf_unlock(&cd->lock);
	group->part[BF_PART_CHAN] = cg;
	return 0;
}

/* The worker may still have connections of it, and the device may fail: nobody tells the engine. */
static void
chan_group_left(struct bf_group *group)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);

	bf_lock(&cg->cd->lock);
	cg->gone = true;
	bf_unlock(&cg->cd->lock);
}

/*
 * What is left are references: requests that nobody looked at, and those that the worker
 * has finished.
 */
static void
chan_group_gone(struct bf_group *group)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);
	struct bf_ctrl_conn *cc;

	bf_lock(&cg->cd->lock);
	cg->gone = true;
	TAILQ_REMOVE(&cg->cd->groups, cg, next);
	bf_unlock(&cg->cd->lock);
	for (;;) {
		bf_lock(&cg->cd->lock);
		cc = STAILQ_FIRST(&cg->evs);
		if (cc != NULL) {
			STAILQ_REMOVE_HEAD(&cg->evs, next_ev);
			cc->ev_queued = false;
		}
		bf_unlock(&cg->cd->lock);
		if (cc == NULL)
			break;
		bf_ctrl_work_add(cc, BF_WORK_CLOSE, -ENOENT);
		bf_ctrl_put(cc);
	}
	chan_group_flush(cg);
	group->part[BF_PART_CHAN] = NULL;
	chan_group_put(cg);
}

/*
 * The device
 */

static int
chan_create(struct bf_dev *dev)
{
	struct bf_chan_dev *cd = calloc(1, sizeof(*cd) +
			RTE_MAX(dev->nb_reps, 1) * sizeof(cd->log_limits[0]));

	if (cd == NULL)
		return -ENOMEM;
	cd->dev = dev;
	cd->refs = 1;
	bf_lock_init(&cd->lock);
	TAILQ_INIT(&cd->listens);
	TAILQ_INIT(&cd->conns);
	TAILQ_INIT(&cd->groups);
	dev->part[BF_PART_CHAN] = cd;
	dev->rte_dev->conn_priv_size = sizeof(struct bf_conn);
	return 0;
}

static void
chan_destroy(struct bf_dev *dev)
{
	chan_dev_put(bf_chan_dev_of(dev));
	dev->part[BF_PART_CHAN] = NULL;
}

static void
chan_up(struct bf_dev *dev)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);

	bf_lock(&cd->lock);
	cd->down = 0;
	bf_unlock(&cd->lock);
}

/* What is left are requests that no server took, and ends that were not told. */
static void
chan_down(struct bf_dev *dev)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);
	struct bf_ctrl_conn *cc;

	for (;;) {
		bf_lock(&cd->lock);
		cc = TAILQ_FIRST(&cd->conns);
		if (cc != NULL)
			cc->released = true;
		bf_unlock(&cd->lock);
		if (cc == NULL)
			break;
		bf_ctrl_finish(cc);
	}
}

static void
chan_fail(struct bf_dev *dev, int reason)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);
	struct bf_chan_group *cg;

	bf_lock(&cd->lock);
	if (cd->down == 0)
		cd->down = reason;
	TAILQ_FOREACH(cg, &cd->groups, next) {
		cg->down = true;
		chan_group_wake(cg);
	}
	bf_unlock(&cd->lock);
}

/* Clients have representor 0, and there is one card. */
uint32_t
bf_chan_links(const struct bf_dev *dev, uint16_t rep_id)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);
	const struct bf_ctrl_conn *cc;

	if (cd == NULL)
		return 0;
	bf_lock(&cd->lock);
	TAILQ_FOREACH(cc, &cd->conns, next)
		if (cc->attached && cc->pub.rep_id == rep_id)
			break;
	bf_unlock(&cd->lock);
	return cc != NULL;
}

static void
chan_info_get(struct bf_dev *dev, struct rte_comch_dev_info *info)
{
	uint16_t i;

	for (i = 0; i < dev->nb_reps; i++)
		info->nb_links += bf_chan_links(dev, i);
	if (dev->has_peer)
		info->nb_links = bf_chan_links(dev, 0);
	if (dev->nb_reps != 0)
		info->capa |= RTE_COMCH_CAPA_SERVER;
	if (dev->has_peer)
		info->capa |= RTE_COMCH_CAPA_CLIENT;
	info->max_name_len = BF_WIRE_NAME_SIZE;
	info->max_msg_size = BF_WIRE_MAX_MSG_SIZE;
	info->max_recv_queue_size = BF_WIRE_MAX_QUEUE_SIZE;
	info->max_recv_bytes = BF_CTRL_MAX_RECV;
	info->max_ctrl_tasks = CHAN_MAX_TASKS;
	info->max_clients = CHAN_MAX_CLIENTS;
	info->dflt_msg_size = CHAN_DFLT_MSG_SIZE;
	info->dflt_recv_queue_size = CHAN_DFLT_QUEUE_SIZE;
}

static void
chan_dump(struct bf_dev *dev, FILE *f)
{
	struct bf_chan_dev *cd = bf_chan_dev_of(dev);
	const struct bf_listen *listen;
	const struct bf_ctrl_conn *cc;

	bf_lock(&cd->lock);
	TAILQ_FOREACH(listen, &cd->listens, next)
		fprintf(f, "  server '%s' for %s\n", listen->server->name,
			dev->reps[listen->rep_id].name);
	TAILQ_FOREACH(cc, &cd->conns, next)
		fprintf(f, "  connection to '%s', %s: queue pair 0x%x%s\n", cc->name,
			cc->function, cc->qpn, cc->closing ? ", about to go" : "");
	fprintf(f, "  %u connections\n", cd->nb_conns);
	bf_unlock(&cd->lock);
}

const struct bf_part bf_chan_part = {
	.create = chan_create,
	.destroy = chan_destroy,
	.up = chan_up,
	.down = chan_down,
	.fail = chan_fail,
	.info_get = chan_info_get,
	.dump = chan_dump,
	.cm_req = bf_chan_req,
	.group_up = chan_group_up,
	.group_down = chan_group_gone,
	.group_left = chan_group_left,
	.group_poll = chan_group_poll,
	.group_arm = chan_group_arm,
};
