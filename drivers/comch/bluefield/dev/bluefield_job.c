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
#include <string.h>

#include <rte_common.h>

#include "bluefield_dev_priv.h"
#include "dpdk_release.h"

/* A name of a thread has so many bytes in Linux. */
#define JOBS_NAME_SIZE 16
/* In a row: others may post them as fast as they are run, and requests of peers wait. */
#define JOBS_BURST 16u

struct bf_jobs {
	struct bf_dev *dev;
	struct bf_lock lock;
	struct bf_cond cond; /* something below has changed */
	dpdk_thread_t thread;
	/* with the lock */
	STAILQ_HEAD(, bf_job) list;
	bool on;
	bool busy;           /* jobs that are not on the list any more, or cm */
	bool woken;
	bool quit;
	uint64_t cm_ms;      /* when cm wants to be called */
};

/* Until there is something to do; false: the end. The lock is held. */
static bool
jobs_wait(struct bf_jobs *jobs)
{
	while (!jobs->quit) {
		if (!jobs->on) {
			bf_cond_wait(&jobs->cond, &jobs->lock);
			continue;
		}
		if (jobs->woken || !STAILQ_EMPTY(&jobs->list))
			return true;
		if (jobs->cm_ms == UINT64_MAX) {
			bf_cond_wait(&jobs->cond, &jobs->lock);
			continue;
		}
		if (bf_now_ms() >= jobs->cm_ms)
			return true;
		bf_cond_wait_until(&jobs->cond, &jobs->lock, jobs->cm_ms);
	}
	return false;
}

/* Up to max jobs, each of which may be freed or posted again by what it does. */
static void
jobs_run(struct bf_jobs *jobs, uint32_t max)
{
	struct bf_job *job;

	bf_lock(&jobs->lock);
	while (max-- > 0 && (job = STAILQ_FIRST(&jobs->list)) != NULL) {
		STAILQ_REMOVE_HEAD(&jobs->list, next);
		bf_unlock(&jobs->lock);
		job->run(job);
		/* others may have to end after it */
		rte_comch_pmd_at_work(jobs->dev->rte_dev);
		bf_lock(&jobs->lock);
	}
	bf_unlock(&jobs->lock);
}

static DPDK_THREAD_FUNC(jobs_main, arg)
{
	struct bf_jobs *jobs = arg;
	struct bf_dev *dev = jobs->dev;
	uint64_t cm_ms;

	bf_lock(&jobs->lock);
	while (jobs_wait(jobs)) {
		jobs->woken = false;
		jobs->busy = true;
		bf_unlock(&jobs->lock);
		jobs_run(jobs, JOBS_BURST);
		cm_ms = UINT64_MAX;
		if (dev->cm != NULL) {
			bf_cm_poll(dev->cm);
			cm_ms = bf_cm_deadline(dev->cm);
		}
		bf_lock(&jobs->lock);
		jobs->cm_ms = cm_ms;
		jobs->busy = false;
		bf_cond_wake_all(&jobs->cond);
	}
	bf_unlock(&jobs->lock);
	return DPDK_THREAD_END;
}

int
bf_jobs_create(struct bf_dev *dev)
{
	const char *of = dev->rte_dev->data->name;
	char name[JOBS_NAME_SIZE];
	struct bf_jobs *jobs;
	int ret;

	jobs = calloc(1, sizeof(*jobs));
	if (jobs == NULL) {
		BF_LOG(ERR, "%s: no memory for the device's thread", of);
		return -ENOMEM;
	}
	jobs->dev = dev;
	jobs->cm_ms = UINT64_MAX;
	STAILQ_INIT(&jobs->list);
	bf_lock_init(&jobs->lock);
	ret = bf_cond_init(&jobs->cond);
	if (ret != 0)
		goto fail_lock;
	/* "bfj-" and the end of the name, which tells more than its beginning */
	of += strlen(of) - RTE_MIN(strlen(of), sizeof(name) - sizeof("bfj-"));
	snprintf(name, sizeof(name), "bfj-%s", of);
	ret = dpdk_thread_create_control(&jobs->thread, name, jobs_main, jobs);
	if (ret != 0)
		goto fail_cond;
	dev->jobs = jobs;
	return 0;
fail_cond:
	bf_cond_fini(&jobs->cond);
fail_lock:
	BF_LOG(ERR, "%s: no thread for the device (%d); raise the limit of threads (ulimit -u)",
		dev->rte_dev->data->name, ret);
	bf_lock_fini(&jobs->lock);
	free(jobs);
	/* releases of EAL differ in the sign */
	return ret > 0 ? -ret : ret;
}

void
bf_jobs_destroy(struct bf_dev *dev)
{
	struct bf_jobs *jobs = dev->jobs;

	if (jobs == NULL)
		return;
	bf_lock(&jobs->lock);
	jobs->quit = true;
	bf_cond_wake_all(&jobs->cond);
	bf_unlock(&jobs->lock);
	dpdk_thread_join(jobs->thread);
	bf_cond_fini(&jobs->cond);
	bf_lock_fini(&jobs->lock);
	free(jobs);
	dev->jobs = NULL;
}

void
bf_jobs_start(struct bf_dev *dev)
{
	struct bf_jobs *jobs = dev->jobs;

	bf_lock(&jobs->lock);
	jobs->on = true;
	jobs->woken = true;
	bf_cond_wake_all(&jobs->cond);
	bf_unlock(&jobs->lock);
}

void
bf_jobs_stop(struct bf_dev *dev)
{
	struct bf_jobs *jobs = dev->jobs;

	bf_lock(&jobs->lock);
	while (jobs->on && (jobs->busy || !STAILQ_EMPTY(&jobs->list)))
		bf_cond_wait(&jobs->cond, &jobs->lock);
	jobs->on = false;
	jobs->cm_ms = UINT64_MAX;
	bf_unlock(&jobs->lock);
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

	bf_lock(&jobs->lock);
	STAILQ_INSERT_TAIL(&jobs->list, job, next);
	bf_cond_wake_all(&jobs->cond);
	bf_unlock(&jobs->lock);
}

void
bf_job_wake(struct bf_dev *dev)
{
	struct bf_jobs *jobs = dev->jobs;

	bf_lock(&jobs->lock);
	jobs->woken = true;
	bf_cond_wake_all(&jobs->cond);
	bf_unlock(&jobs->lock);
}
