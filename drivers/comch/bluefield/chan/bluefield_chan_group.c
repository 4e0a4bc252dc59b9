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
 * Lines
 */

/* With one reference, which is the worker's. */
struct bf_line *
bf_line_new(struct bf_chan_dev *cd)
{
	struct bf_line *line = aligned_alloc(RTE_CACHE_LINE_SIZE,
			RTE_ALIGN_CEIL(sizeof(*line), RTE_CACHE_LINE_SIZE));

	if (line == NULL)
		return NULL;
	memset(line, 0, sizeof(*line));
	line->cd = cd;
	line->pub.dev = cd->dev;
	line->version = BF_WIRE_VERSION_MAX;
	line->active = -1;
	line->refs = 1;
	line->job.run = bf_line_work;
	STAILQ_INIT(&line->ctls);
	__atomic_fetch_add(&cd->refs, 1, __ATOMIC_RELAXED);
	bf_lock(&cd->lock);
	TAILQ_INSERT_TAIL(&cd->lines, line, next);
	cd->nb_lines++;
	bf_unlock(&cd->lock);
	return line;
}

/* What people are told of it, who may ask at any time; NULL: that stays. */
void
bf_line_name(struct bf_line *line, const char *name, const char *function)
{
	bf_lock(&line->cd->lock);
	if (name != NULL)
		strlcpy(line->name, name, sizeof(line->name));
	if (function != NULL)
		strlcpy(line->function, function, sizeof(line->function));
	bf_unlock(&line->cd->lock);
}

/* The worker has taken its queues away by then. */
void
bf_line_put(struct bf_line *line)
{
	struct bf_chan_dev *cd = line->cd;
	struct bf_line_ctl *ctl;

	if (__atomic_sub_fetch(&line->refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	while ((ctl = STAILQ_FIRST(&line->ctls)) != NULL) {
		STAILQ_REMOVE_HEAD(&line->ctls, next);
		free(ctl);
	}
	free(line);
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
line_queue(struct bf_line *line)
{
	struct bf_chan_group *cg = bf_chan_group_of(line->pub.group);

	if (!line->ev_queued) {
		STAILQ_INSERT_TAIL(&cg->evs, line, next_ev);
		line->ev_queued = true;
		bf_line_ref(line);
	}
	chan_group_wake(cg);
}

/* With the lock. reason: of LOST or LEFT. */
void
bf_line_event_locked(struct bf_line *line, uint32_t events, int reason)
{
	if (line->deaf || events == 0)
		return;
	if ((events & BF_EV_LOST) != 0 && (line->events & BF_EV_LOST) == 0)
		line->lost_reason = reason;
	if ((events & BF_EV_LEFT) != 0)
		line->left_reason = reason;
	line->events |= events;
	if (!line->moving)
		line_queue(line);
}

void
bf_line_event(struct bf_line *line, uint32_t events, int reason)
{
	bf_lock(&line->cd->lock);
	bf_line_event_locked(line, events, reason);
	bf_unlock(&line->cd->lock);
}

/* reason: of CLOSE, which is the last. */
void
bf_line_work_add(struct bf_line *line, uint32_t work, int reason)
{
	struct bf_chan_dev *cd = line->cd;

	bf_lock(&cd->lock);
	if (!line->dead && !line->deaf) {
		if ((work & BF_WORK_CLOSE) != 0) {
			line->deaf = true;
			line->close_reason = reason;
		}
		line->work |= work;
		if (!line->job_posted) {
			line->job_posted = true;
			bf_line_ref(line);
			bf_job_post(cd->dev, &line->job);
		}
	}
	bf_unlock(&cd->lock);
}

/* The group stays for the line until that is finished. */
void
bf_line_hold(struct bf_line *line, struct bf_group *group)
{
	bf_group_hold(group);
	line->pub.group = group;
	line->holds = true;
}

/* It is on its way to another group. */
void
bf_line_moves(struct bf_line *line, struct bf_group *group)
{
	struct bf_group *from = line->pub.group;

	bf_group_hold(group);
	bf_lock(&line->cd->lock);
	line->moving = true;
	line->pub.group = group;
	bf_unlock(&line->cd->lock);
	bf_group_drop(from);
}

/* It is there: what was told of it meanwhile comes in the next turn. 0, or it is lost. */
int
bf_line_arrived(struct bf_line *line)
{
	int ret;

	bf_lock(&line->cd->lock);
	line->moving = false;
	if (line->events != 0)
		line_queue(line);
	ret = line->cd->down;
	bf_unlock(&line->cd->lock);
	return ret;
}

/* Take the next line with events, and these; NULL: there is none. */
static struct bf_line *
chan_group_next(struct bf_chan_group *cg, uint32_t *events, int *lost, int *left)
{
	struct bf_line *line;

	bf_lock(&cg->cd->lock);
	line = STAILQ_FIRST(&cg->evs);
	if (line != NULL) {
		STAILQ_REMOVE_HEAD(&cg->evs, next_ev);
		line->ev_queued = false;
		*events = 0;
		*lost = line->lost_reason;
		*left = line->left_reason;
		if (line->pub.group == cg->group && !line->moving && !line->dead) {
			*events = line->events;
			line->events = 0;
		} else if (!line->moving && !line->dead) {
			line_queue(line); /* it has moved */
		}
	}
	bf_unlock(&cg->cd->lock);
	return line;
}

/*
 * The device has failed: all that is here is told, each by an event of its own, as the end
 * of one may be that of others. With the lock, in the thread of the group.
 */
static void
chan_group_down_locked(struct bf_chan_group *cg)
{
	struct bf_line *line;

	TAILQ_FOREACH(line, &cg->lines, next_group)
		/* those that are CONNECTING are the library's to cancel */
		if (line->state != BF_LINE_CONNECTING)
			bf_line_event_locked(line, BF_EV_LOST, cg->cd->down);
}

static void
chan_group_event(struct rte_comch_pmd_event *ev)
{
	struct bf_chan_group *cg = container_of(ev, struct bf_chan_group, ev);
	uint32_t events, nb;
	struct bf_line *line;
	int lost, left;

	bf_lock(&cg->cd->lock);
	/* before the next event can be posted: those that are told are handled in this one */
	if (cg->down && !cg->gone)
		chan_group_down_locked(cg);
	cg->down = false;
	cg->ev_posted = false;
	bf_unlock(&cg->cd->lock);
	for (nb = 0; nb < BF_LINE_EVENTS; nb++) {
		line = chan_group_next(cg, &events, &lost, &left);
		if (line == NULL)
			break;
		if (events != 0)
			bf_line_events_run(line, events, lost, left);
		bf_line_put(line);
	}
	if (nb == BF_LINE_EVENTS) {
		bf_lock(&cg->cd->lock);
		chan_group_wake(cg);
		bf_unlock(&cg->cd->lock);
	}
	chan_group_put(cg);
}

/*
 * What a group looks at
 */

/* It belongs to the group, which has a reference. */
int
bf_line_join(struct bf_line *line, struct bf_chan_group *cg)
{
	uint32_t max = RTE_MAX(CHAN_MIN_ACTIVE, 2 * cg->max_active);
	struct bf_line **active;

	if (cg->nb_lines == cg->max_active) {
		active = realloc(cg->active, max * sizeof(*active));
		if (active == NULL)
			return -ENOMEM;
		cg->active = active;
		cg->max_active = max;
	}
	line->cg = cg;
	cg->nb_lines++;
	TAILQ_INSERT_TAIL(&cg->lines, line, next_group);
	bf_line_ref(line);
	return 0;
}

static void
line_untimed(struct bf_line *line)
{
	if (line->timed != NULL)
		TAILQ_REMOVE(line->timed, line, next_timed);
	line->timed = NULL;
}

/* The group does not look at it any more; the reference stays. */
void
bf_line_leave(struct bf_line *line)
{
	struct bf_chan_group *cg = line->cg;

	if (cg == NULL)
		return;
	line_untimed(line);
	bf_line_deactivate(line);
	if (line->resting)
		bf_group_rest_del(line->pub.group, &line->rest);
	if (line->tx_resting)
		bf_group_rest_del(line->pub.group, &line->tx_rest);
	line->resting = line->tx_resting = line->armed = line->tx_armed = false;
	TAILQ_REMOVE(&cg->lines, line, next_group);
	cg->nb_lines--;
	line->cg = NULL;
}

void
bf_line_activate(struct bf_line *line)
{
	struct bf_chan_group *cg = line->cg;

	line->idle = 0;
	if (line->active >= 0 || !line->has_queues)
		return;
	line->active = cg->nb_active;
	cg->active[cg->nb_active++] = line;
}

void
bf_line_deactivate(struct bf_line *line)
{
	struct bf_chan_group *cg = line->cg;

	if (line->active < 0)
		return;
	cg->active[line->active] = cg->active[--cg->nb_active];
	cg->active[line->active]->active = line->active;
	line->active = -1;
}

/* It has something that waits for the end of the poll. */
void
bf_line_dirty(struct bf_line *line)
{
	if (line->dirty)
		return;
	line->dirty = true;
	line->next_dirty = line->cg->dirty;
	line->cg->dirty = line;
	bf_line_ref(line);
}

/* Look at it in so many milliseconds; lists have one time each, so they are in order. */
void
bf_line_timed(struct bf_line *line, struct bf_line_list *list, uint32_t ms)
{
	line_untimed(line);
	line->deadline = rte_comch_pmd_deadline(ms);
	line->timed = list;
	TAILQ_INSERT_TAIL(list, line, next_timed);
}

static void
chan_group_clock(struct bf_chan_group *cg, uint64_t now)
{
	struct bf_line *line;

	while ((line = TAILQ_FIRST(&cg->pings)) != NULL && line->deadline <= now)
		bf_line_look(line);
	while ((line = TAILQ_FIRST(&cg->endings)) != NULL && line->deadline <= now)
		bf_line_closed(line);
}

static void
chan_group_flush(struct bf_chan_group *cg)
{
	struct bf_line *line;

	while ((line = cg->dirty) != NULL) {
		cg->dirty = line->next_dirty;
		line->dirty = false;
		if (line->cg == cg)
			bf_line_flush(line);
		bf_line_put(line);
	}
}

static uint64_t
chan_group_deadline(const struct bf_chan_group *cg)
{
	const struct bf_line *ping = TAILQ_FIRST(&cg->pings);
	const struct bf_line *ending = TAILQ_FIRST(&cg->endings);

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
	 * From the end, because one that goes to rest or ends makes the last one
	 * take its place. Callbacks may end any: then one is skipped this time.
	 */
	for (i = cg->nb_active; i > 0; i--)
		if (likely(i <= cg->nb_active))
			nb += bf_line_poll(cg->active[i - 1]);
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
		if (bf_line_pending(cg->active[i]))
			pending = true;
		else
			bf_line_arm(cg->active[i]);
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
	TAILQ_INIT(&cg->lines);
	TAILQ_INIT(&cg->pings);
	TAILQ_INIT(&cg->endings);
	__atomic_fetch_add(&cd->refs, 1, __ATOMIC_RELAXED);
	bf_lock(&cd->lock);
	TAILQ_INSERT_TAIL(&cd->groups, cg, next);
	bf_unlock(&cd->lock);
	group->part[BF_PART_CHAN] = cg;
	return 0;
}

/* The worker may still have lines of it, and the device may fail: nobody tells the engine. */
static void
chan_group_left(struct bf_group *group)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);

	bf_lock(&cg->cd->lock);
	cg->gone = true;
	bf_unlock(&cg->cd->lock);
}

/*
 * What is left are references: requests that nobody looked at, and lines that the worker
 * has finished.
 */
static void
chan_group_gone(struct bf_group *group)
{
	struct bf_chan_group *cg = bf_chan_group_of(group);
	struct bf_line *line;

	bf_lock(&cg->cd->lock);
	cg->gone = true;
	TAILQ_REMOVE(&cg->cd->groups, cg, next);
	bf_unlock(&cg->cd->lock);
	for (;;) {
		bf_lock(&cg->cd->lock);
		line = STAILQ_FIRST(&cg->evs);
		if (line != NULL) {
			STAILQ_REMOVE_HEAD(&cg->evs, next_ev);
			line->ev_queued = false;
		}
		bf_unlock(&cg->cd->lock);
		if (line == NULL)
			break;
		bf_line_work_add(line, BF_WORK_CLOSE, -ENOENT);
		bf_line_put(line);
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
			RTE_MAX(dev->nb_reps, 1) * sizeof(cd->talks[0]));

	if (cd == NULL)
		return -ENOMEM;
	cd->dev = dev;
	cd->refs = 1;
	bf_lock_init(&cd->lock);
	TAILQ_INIT(&cd->listens);
	TAILQ_INIT(&cd->lines);
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
	struct bf_line *line;

	for (;;) {
		bf_lock(&cd->lock);
		line = TAILQ_FIRST(&cd->lines);
		if (line != NULL)
			line->dead = true;
		bf_unlock(&cd->lock);
		if (line == NULL)
			break;
		bf_line_finish(line);
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
	const struct bf_line *line;

	if (cd == NULL)
		return 0;
	bf_lock(&cd->lock);
	TAILQ_FOREACH(line, &cd->lines, next)
		if (line->attached && line->pub.rep_id == rep_id)
			break;
	bf_unlock(&cd->lock);
	return line != NULL;
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
		info->capa |= RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_CONN_MOVE;
	if (dev->has_peer)
		info->capa |= RTE_COMCH_CAPA_CLIENT;
	info->max_name_len = BF_WIRE_NAME_SIZE;
	info->max_msg_size = BF_WIRE_MAX_MSG_SIZE;
	info->max_recv_queue_size = BF_WIRE_MAX_QUEUE_SIZE;
	info->max_recv_bytes = BF_LINE_MAX_RECV;
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
	const struct bf_line *line;

	bf_lock(&cd->lock);
	TAILQ_FOREACH(listen, &cd->listens, next)
		fprintf(f, "  server '%s' for %s\n", listen->server->name,
			dev->reps[listen->rep_id].name);
	TAILQ_FOREACH(line, &cd->lines, next)
		fprintf(f, "  connection to '%s', %s: queue pair 0x%x%s\n", line->name,
			line->function, line->qpn, line->deaf ? ", about to go" : "");
	fprintf(f, "  %u connections\n", cd->nb_lines);
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
