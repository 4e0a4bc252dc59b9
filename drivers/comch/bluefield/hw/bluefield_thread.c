/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Threads of the driver: when they make a pass. What they do in one is their users'. */

#include <string.h>

#include <rte_common.h>
#include <rte_lcore.h>

#include "bluefield_log.h"
#include "bluefield_thread.h"

/* A name of a thread has so many bytes in Linux. */
#define NAME_SIZE 16

/* Until there is something to do; false: the end. The lock is held. */
static bool
thread_wait(struct bf_thread *t, bool *due)
{
	while (!t->quit) {
		*due = t->on && bf_now_ms() >= t->due_ms;
		if (*due || (t->on && t->woken))
			return true;
		if (t->on && t->due_ms != UINT64_MAX)
			bf_cond_wait_until(&t->cond, &t->lock, t->due_ms);
		else
			bf_cond_wait(&t->cond, &t->lock);
	}
	return false;
}

static DPDK_THREAD_FUNC(thread_main, arg)
{
	struct bf_thread *t = arg;
	uint64_t next;
	bool due;

	bf_lock(&t->lock);
	while (thread_wait(t, &due)) {
		t->woken = false;
		t->busy = true;
		bf_unlock(&t->lock);
		next = t->pass(t->arg, due);
		bf_lock(&t->lock);
		t->due_ms = next;
		t->busy = false;
		bf_cond_wake_all(&t->cond);
	}
	bf_unlock(&t->lock);
	return DPDK_THREAD_END;
}

int
bf_thread_create(struct bf_thread *t, const char *prefix, const char *of, bf_pass_t pass,
	void *arg)
{
	size_t room = NAME_SIZE - 1 - strlen(prefix);
	char name[NAME_SIZE];
	int ret;

	t->arg = arg;
	bf_lock_init(&t->lock);
	ret = bf_cond_init(&t->cond);
	if (ret != 0)
		goto fail_lock;
	/* of a long name the end tells more than its beginning */
	snprintf(name, sizeof(name), "%s%s", prefix, of + strlen(of) - RTE_MIN(strlen(of), room));
	t->pass = pass;
	ret = dpdk_thread_create_control(&t->thread, name, thread_main, t);
	if (ret == 0)
		return 0;
	t->pass = NULL;
	bf_cond_fini(&t->cond);
fail_lock:
	BF_LOG(ERR, "%s: no thread (%d); raise the limit of threads (ulimit -u)", of, ret);
	bf_lock_fini(&t->lock);
	/* releases of EAL differ in the sign */
	return ret > 0 ? -ret : ret;
}

void
bf_thread_destroy(struct bf_thread *t)
{
	if (t->pass == NULL)
		return;
	bf_lock(&t->lock);
	t->quit = true;
	bf_cond_wake_all(&t->cond);
	bf_unlock(&t->lock);
	dpdk_thread_join(t->thread);
	bf_cond_fini(&t->cond);
	bf_lock_fini(&t->lock);
	t->pass = NULL;
}

void
bf_thread_start(struct bf_thread *t, uint64_t due_ms)
{
	bf_lock(&t->lock);
	t->on = true;
	t->woken = false;
	t->due_ms = due_ms;
	bf_cond_wake_all(&t->cond);
	bf_unlock(&t->lock);
}

void
bf_thread_stop(struct bf_thread *t)
{
	bf_lock(&t->lock);
	t->on = false;
	while (t->busy)
		bf_cond_wait(&t->cond, &t->lock);
	bf_unlock(&t->lock);
}

void
bf_thread_wake(struct bf_thread *t)
{
	bf_lock(&t->lock);
	t->woken = true;
	bf_cond_wake_all(&t->cond);
	bf_unlock(&t->lock);
}
