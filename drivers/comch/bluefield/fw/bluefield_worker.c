/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The thread of a function. What the driver does unasked, it does here: events,
 * with the commands that firmware wants for them, the poll of health, and telling
 * of a failure. EAL's interrupt thread serves all drivers of the process, and
 * firmware may take a minute for a command: so that thread only wakes this one.
 * What it does in a pass is in bluefield_func.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_lcore.h>
#include <rte_random.h>
#include <rte_thread.h>

#include "bluefield_func_priv.h"
#include "dpdk_release.h"

/* A name of a thread has so many bytes in Linux. */
#define WORKER_NAME_SIZE 16

struct bf_worker {
	struct bf_func *func;
	bf_worker_pass_t pass;
	struct bf_lock lock;
	struct bf_cond cond;  /* something below has changed */
	dpdk_thread_t thread;
	/* with the lock */
	bool on;
	bool busy;            /* a pass is under way */
	bool woken;
	bool quit;
	uint64_t poll_ms;     /* when health is looked at next */
};

/*
 * When to poll next: the period, and up to half of it more, so that the functions
 * of a card are not polled all at once.
 */
static uint64_t
worker_next_poll(const struct bf_func *func)
{
	uint32_t period = func->conf.health_ms;

	return bf_now_ms() + period + rte_rand_max(period / 2 + 1);
}

/* Until there is something to do; whether that is a poll. The lock is held. */
static bool
worker_wait(struct bf_worker *worker)
{
	while (!worker->quit) {
		if (!worker->on) {
			bf_cond_wait(&worker->cond, &worker->lock);
			continue;
		}
		if (bf_now_ms() >= worker->poll_ms) {
			worker->poll_ms = worker_next_poll(worker->func);
			return true;
		}
		if (worker->woken)
			return false;
		bf_cond_wait_until(&worker->cond, &worker->lock, worker->poll_ms);
	}
	return false;
}

static DPDK_THREAD_FUNC(worker_main, arg)
{
	struct bf_worker *worker = arg;
	bool poll;

	bf_lock(&worker->lock);
	for (;;) {
		poll = worker_wait(worker);
		if (worker->quit)
			break;
		worker->woken = false;
		worker->busy = true;
		bf_unlock(&worker->lock);
		worker->pass(worker->func, poll);
		bf_lock(&worker->lock);
		worker->busy = false;
		bf_cond_wake_all(&worker->cond);
	}
	bf_unlock(&worker->lock);
	return DPDK_THREAD_END;
}

int
bf_worker_create(struct bf_func *func, bf_worker_pass_t pass)
{
	const char *dev = BF_NAME(func);
	char name[WORKER_NAME_SIZE];
	struct bf_worker *worker;
	int ret;

	worker = calloc(1, sizeof(*worker));
	if (worker == NULL) {
		BF_LOG(ERR, "%s: no memory for the function's thread", dev);
		return -ENOMEM;
	}
	worker->func = func;
	worker->pass = pass;
	bf_lock_init(&worker->lock);
	ret = bf_cond_init(&worker->cond);
	if (ret != 0)
		goto fail_lock;
	/* "bf-" and an address on the PCI bus fit; of a longer name the end tells more */
	dev += strlen(dev) - RTE_MIN(strlen(dev), sizeof(name) - sizeof("bf-"));
	snprintf(name, sizeof(name), "bf-%s", dev);
	ret = dpdk_thread_create_control(&worker->thread, name, worker_main, worker);
	if (ret != 0)
		goto fail_cond;
	func->worker = worker;
	return 0;
fail_cond:
	bf_cond_fini(&worker->cond);
fail_lock:
	BF_LOG(ERR, "%s: no thread for the function (%d); raise the limit of threads (ulimit -u)",
		BF_NAME(func), ret);
	bf_lock_fini(&worker->lock);
	free(worker);
	/* releases of EAL differ in the sign */
	return ret > 0 ? -ret : ret;
}

void
bf_worker_destroy(struct bf_func *func)
{
	struct bf_worker *worker = func->worker;

	if (worker == NULL)
		return;
	bf_lock(&worker->lock);
	worker->quit = true;
	bf_cond_wake_all(&worker->cond);
	bf_unlock(&worker->lock);
	dpdk_thread_join(worker->thread);
	bf_cond_fini(&worker->cond);
	bf_lock_fini(&worker->lock);
	free(worker);
	func->worker = NULL;
}

void
bf_worker_start(struct bf_func *func)
{
	struct bf_worker *worker = func->worker;

	bf_lock(&worker->lock);
	worker->on = true;
	worker->woken = false;
	worker->poll_ms = worker_next_poll(func);
	bf_cond_wake_all(&worker->cond);
	bf_unlock(&worker->lock);
}

void
bf_worker_stop(struct bf_func *func)
{
	struct bf_worker *worker = func->worker;

	bf_lock(&worker->lock);
	worker->on = false;
	while (worker->busy)
		bf_cond_wait(&worker->cond, &worker->lock);
	bf_unlock(&worker->lock);
}

void
bf_worker_wake(void *arg)
{
	struct bf_func *func = arg;
	struct bf_worker *worker = func->worker;

	bf_lock(&worker->lock);
	worker->woken = true;
	bf_cond_wake_all(&worker->cond);
	bf_unlock(&worker->lock);
}
