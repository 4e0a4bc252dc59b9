/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endings: what a driver has begun to end, and will tell of. Here they wait for
 * that, or for their time limit; what happens then is a function of the object.
 *
 * A driver tells in any thread, the object ends in that of its engine. The device's
 * lock is between the two: who tells holds it until the engine is woken, so an
 * engine that has seen the end, and takes the lock for that, may go away.
 */

#include <errno.h>
#include <string.h>

#include <rte_cycles.h>

#include "comch_private.h"

static uint64_t
ms_to_tsc(uint32_t ms)
{
	return rte_get_tsc_hz() / MS_PER_S * ms;
}

/*
 * Before the op is called, as the driver may tell of the end before that returns.
 * No engine: done() is called by whoever tells.
 */
void
comch_ending_begin(struct rte_comch_pmd_ending *ending, struct rte_comch_dev *dev,
		struct rte_comch_pe *pe, void (*done)(struct rte_comch_pmd_ending *ending))
{
	memset(ending, 0, sizeof(*ending));
	ending->dev = dev;
	ending->pe = pe;
	ending->done = done;
	ending->deadline = rte_comch_pmd_deadline(RTE_COMCH_PMD_END_MS);
	ending->last = ending->deadline + ms_to_tsc(RTE_COMCH_PMD_WORK_MS);
}

/* Another time limit than that of an end, from now on. */
void
comch_ending_limit_set(struct rte_comch_pmd_ending *ending, uint32_t ms)
{
	ending->deadline = rte_comch_pmd_deadline(ms);
}

/* In the engine's thread: what it waited for has come by a way of its own. */
void
comch_ending_cancel(struct rte_comch_pmd_ending *ending)
{
	if (!ending->pending)
		return; /* it was given up */
	ending->pending = false;
	TAILQ_REMOVE(&ending->pe->endings, ending, next);
}

/*
 * After the op, with what it returned. True if it has ended, then done() is not
 * called; the ending may be gone with the object then, if the op returned 0.
 */
bool
comch_ending_settle(struct rte_comch_pmd_ending *ending, int ret)
{
	bool ended;

	if (ret != -EINPROGRESS)
		return true;
	if (ending->pe != NULL) {
		ending->pending = true;
		TAILQ_INSERT_TAIL(&ending->pe->endings, ending, next);
		/* what it waits for may have been told before the engine sleeps */
		comch_pe_touch(ending->pe);
		return false;
	}
	rte_spinlock_lock(&ending->dev->lock);
	ended = ending->ended;
	ending->pending = !ended;
	rte_spinlock_unlock(&ending->dev->lock);
	return ended;
}

void
rte_comch_pmd_ended(struct rte_comch_pmd_ending *ending)
{
	struct rte_comch_dev *dev = ending->dev;
	bool here;

	rte_spinlock_lock(&dev->lock);
	ending->ended = true;
	here = ending->pe == NULL && ending->pending;
	if (ending->pe != NULL)
		comch_pe_wake(ending->pe);
	rte_spinlock_unlock(&dev->lock);
	if (here)
		ending->done(ending);
}

/*
 * The device's lock is held. Give one up if it is late: who tells of it afterwards
 * finds no engine, and that nobody waits. An engine may be late itself, as it stood for
 * long: what its driver finds then, and what follows from that, has some time left.
 */
bool
comch_ending_give_up(struct rte_comch_pmd_ending *ending, uint64_t now)
{
	uint64_t deadline;

	if (!ending->pending || ending->ended || now < ending->deadline)
		return false;
	if (ending->pe != NULL && !ending->late) {
		ending->late = true;
		ending->deadline = now + ms_to_tsc(RTE_COMCH_PMD_LATE_MS);
		return false;
	}
	/* relaxed: as in rte_comch_pmd_at_work() */
	deadline = __atomic_load_n(&ending->dev->at_work, __ATOMIC_RELAXED) +
		ms_to_tsc(RTE_COMCH_PMD_END_MS);
	if (now < deadline && now < ending->last) {
		ending->deadline = deadline;
		return false;
	}
	ending->lost = true;
	ending->pe = NULL;
	ending->pending = false;
	return true;
}

/*
 * After one was given up. A device that has failed before keeps its reason, and its
 * driver has ended its connections; else it does not know of a failure until now.
 */
void
comch_ending_lost(struct rte_comch_dev *dev)
{
	int up = 0;

	COMCH_LOG(ERR, "%s: its driver has not ended or answered something in time, the device is taken for broken: reset it",
		dev->data->name);
	/* once, whichever engine finds it first; release: as rte_comch_pmd_dev_down() */
	if (!__atomic_compare_exchange_n(&dev->status, &up, -ETIMEDOUT, false, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED))
		return;
	rte_comch_pmd_dev_down(dev, -ETIMEDOUT);
	if (dev->ops->fail != NULL)
		dev->ops->fail(dev, -ETIMEDOUT);
}

/* Look at one: whether the wait for it is over. */
static bool
ending_is_over(struct rte_comch_pmd_ending *ending, uint64_t now)
{
	bool over;

	rte_spinlock_lock(&ending->dev->lock);
	over = ending->ended || comch_ending_give_up(ending, now);
	ending->pending = !over;
	rte_spinlock_unlock(&ending->dev->lock);
	return over;
}

/*
 * In progress, if there are any; the number that are over. The time is that of the
 * turn's begin, as for drivers, which have been polled since.
 */
int
comch_ending_run(struct rte_comch_pe *pe, uint64_t now)
{
	struct rte_comch_pmd_ending *ending;
	int nb = 0;

again:
	TAILQ_FOREACH(ending, &pe->endings, next) {
		if (!ending_is_over(ending, now))
			continue;
		TAILQ_REMOVE(&pe->endings, ending, next);
		if (ending->lost)
			comch_ending_lost(ending->dev);
		ending->done(ending);
		nb++;
		goto again; /* callbacks may have run: the list may be another */
	}
	return nb;
}

/* Before a sleep: whether one has ended, and when the first is late. */
bool
comch_ending_waits(struct rte_comch_pe *pe, uint64_t *deadline)
{
	struct rte_comch_pmd_ending *ending;
	bool ended = false;

	TAILQ_FOREACH(ending, &pe->endings, next) {
		rte_spinlock_lock(&ending->dev->lock);
		ended |= ending->ended;
		rte_spinlock_unlock(&ending->dev->lock);
		*deadline = RTE_MIN(*deadline, ending->deadline);
	}
	return ended;
}
