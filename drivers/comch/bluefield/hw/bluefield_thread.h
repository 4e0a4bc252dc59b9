/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A thread of the driver that makes a pass when it is woken, and when its time has come.
 * A function has one, and a device.
 */

#ifndef BLUEFIELD_THREAD_H
#define BLUEFIELD_THREAD_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_thread.h>

#include "bluefield_lock.h"
#include "dpdk_release.h"

/* due: its time has come. When it comes next, of bf_now_ms(); UINT64_MAX: never. */
typedef uint64_t (*bf_pass_t)(void *arg, bool due);

struct bf_thread {
	bf_pass_t pass;       /* NULL: there is no thread */
	void *arg;
	struct bf_lock lock;
	struct bf_cond cond;  /* something below has changed */
	dpdk_thread_t thread;
	/* with the lock */
	bool on;
	bool busy;            /* a pass is under way */
	bool woken;
	bool quit;
	uint64_t due_ms;
};

/*
 * A thread that does nothing yet, named by prefix and the end of the name of what it is
 * of. 0 or a negative errno, logged with the remedy.
 */
int bf_thread_create(struct bf_thread *t, const char *prefix, const char *of, bf_pass_t pass,
	void *arg);
/* It has been stopped, or never ran. Nothing if there is none. */
void bf_thread_destroy(struct bf_thread *t);
/* From now on it makes passes, the first when that is due or it is woken. */
void bf_thread_start(struct bf_thread *t, uint64_t due_ms);
/* When this returns, it does nothing and will not. Not in the thread. */
void bf_thread_stop(struct bf_thread *t);
/* Any thread, any lock. */
void bf_thread_wake(struct bf_thread *t);

#endif
