/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What everybody needs: turning the progress engine by polling or by sleeping,
 * and ending contexts. Nothing that depends on the role.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "fast_path.h"

static int
turn(struct app *app, done_fn done, uint32_t timeout_ms, bool interruptible)
{
	const uint64_t ms = rte_get_timer_hz() / MS_PER_S;
	const uint64_t start = rte_get_timer_cycles();
	uint64_t spent;
	int ret;

	while (!done(app)) {
		if (interruptible && interrupted)
			return -EINTR;
		spent = (rte_get_timer_cycles() - start) / ms;
		if (spent >= timeout_ms)
			return -ETIMEDOUT;

		ret = rte_comch_pe_progress(app->pe);
		if (ret >= 0)
			ret += data_work(app);
		if (ret == 0 && app->event)
			ret = engine_sleep(app->pe, timeout_ms - spent);
		else if (ret == 0)
			rte_pause();
		if (ret < 0) {
			fail(ret, "%s: the progress engine failed: %s", app->info.name,
					strerror(-ret));
			return ret;
		}
	}
	return 0;
}

int
turn_until(struct app *app, done_fn done, uint32_t timeout_ms)
{
	return turn(app, done, timeout_ms, true);
}

int
turn_to_end(struct app *app, done_fn done)
{
	return turn(app, done, TEARDOWN_MS, false);
}

static bool
closing_idle(const struct app *app)
{
	return rte_comch_ctx_state_get(app->closing) == RTE_COMCH_STATE_IDLE;
}

/* Ending a context. 8< */
void
ctx_close(struct app *app, struct rte_comch_ctx **ctx, const char *what)
{
	int ret;

	if (*ctx == NULL)
		return;
	app->closing = *ctx;
	ret = rte_comch_ctx_stop(*ctx);
	/* -EALREADY: it was never started, or has ended with its connection. */
	if (ret == -EINPROGRESS || ret == -EALREADY)
		ret = turn_to_end(app, closing_idle);
	if (ret == 0)
		ret = rte_comch_ctx_destroy(*ctx);
	if (ret != 0)
		fail(ret, "%s: the %s does not end: %s", app->info.name, what, strerror(-ret));
	*ctx = NULL;
}
/* >8 End of ending a context. */

int
engine_open(struct app *app)
{
	int ret;

	ret = rte_comch_pe_create(NULL, &app->pe);
	if (ret != 0) {
		fail(ret, "cannot create a progress engine: %s", strerror(-ret));
		return ret;
	}
	ret = rte_comch_ctx_attach(app->ctx, app->pe);
	if (ret != 0)
		fail(ret, "%s: cannot attach to the progress engine: %s", app->info.name,
				strerror(-ret));
	return ret;
}

void
engine_close(struct app *app)
{
	int ret;

	ret = rte_comch_pe_destroy(app->pe);
	if (ret != 0)
		fail(ret, "%s: cannot destroy the progress engine: %s", app->info.name,
				strerror(-ret));
}
