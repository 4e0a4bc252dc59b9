/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The worker of a device: a thread that runs jobs, in order, and connection management.
 * What it runs may wait for firmware for as long as a command lasts; so it is no lcore,
 * and not the thread of layer fw, without which no command gets its pages.
 */

#include <errno.h>
#include <stdlib.h>

#include "bluefield_dev_priv.h"
#include "bluefield_thread.h"

/* In a row: others may post them as fast as they are run, and requests of peers wait. */
#define JOBS_BURST 16u

struct bf_jobs {
	struct bf_dev *dev;
	struct bf_thread thread;
	STAILQ_HEAD(, bf_job) list; /* with the thread's lock */
};

/*
 * Up to max jobs, each of which may be freed or posted again by what it does. Are there
 * more?
 */
static bool
jobs_run(struct bf_jobs *jobs, uint32_t max)
{
	struct bf_job *job;
	bool more;

	bf_lock(&jobs->thread.lock);
	while (max-- > 0 && (job = STAILQ_FIRST(&jobs->list)) != NULL) {
		STAILQ_REMOVE_HEAD(&jobs->list, next);
		bf_unlock(&jobs->thread.lock);
		job->run(job);
		/* others may have to end after it */
		rte_comch_pmd_at_work(jobs->dev->rte_dev);
		bf_lock(&jobs->thread.lock);
	}
	more = !STAILQ_EMPTY(&jobs->list);
	bf_unlock(&jobs->thread.lock);
	return more;
}

static uint64_t
jobs_pass(void *arg, bool due __rte_unused)
{
	struct bf_jobs *jobs = arg;
	struct bf_dev *dev = jobs->dev;
	bool more = jobs_run(jobs, JOBS_BURST);

	if (dev->cm != NULL)
		bf_cm_poll(dev->cm);
	if (more)
		return 0;
	return dev->cm != NULL ? bf_cm_deadline(dev->cm) : UINT64_MAX;
}

int
bf_jobs_create(struct bf_dev *dev)
{
	struct bf_jobs *jobs = calloc(1, sizeof(*jobs));
	int ret;

	if (jobs == NULL) {
		BF_LOG(ERR, "%s: no memory for the device's thread", dev->rte_dev->data->name);
		return -ENOMEM;
	}
	jobs->dev = dev;
	STAILQ_INIT(&jobs->list);
	ret = bf_thread_create(&jobs->thread, "bfj-", dev->rte_dev->data->name, jobs_pass, jobs);
	if (ret != 0)
		free(jobs);
	else
		dev->jobs = jobs;
	return ret;
}

void
bf_jobs_destroy(struct bf_dev *dev)
{
	if (dev->jobs == NULL)
		return;
	bf_thread_destroy(&dev->jobs->thread);
	free(dev->jobs);
	dev->jobs = NULL;
}

void
bf_jobs_start(struct bf_dev *dev)
{
	bf_thread_start(&dev->jobs->thread, 0);
}

void
bf_jobs_stop(struct bf_dev *dev)
{
	struct bf_jobs *jobs = dev->jobs;
	struct bf_thread *t = &jobs->thread;

	/* what was posted is done first */
	bf_lock(&t->lock);
	while (t->on && (t->busy || !STAILQ_EMPTY(&jobs->list)))
		bf_cond_wait(&t->cond, &t->lock);
	t->on = false;
	bf_unlock(&t->lock);
}

void
bf_jobs_flush(struct bf_dev *dev)
{
	jobs_run(dev->jobs, UINT32_MAX);
}

void
bf_job_post(struct bf_dev *dev, struct bf_job *job)
{
	struct bf_jobs *jobs = dev->jobs;

	bf_lock(&jobs->thread.lock);
	STAILQ_INSERT_TAIL(&jobs->list, job, next);
	jobs->thread.woken = true;
	bf_cond_wake_all(&jobs->thread.cond);
	bf_unlock(&jobs->thread.lock);
}

void
bf_job_wake(struct bf_dev *dev)
{
	bf_thread_wake(&dev->jobs->thread);
}
