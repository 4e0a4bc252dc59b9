/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What both roles do in the same way: turning the progress engine by polling or
 * by sleeping, and sending and printing a text. Nothing that depends on the role.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "ctrl_path.h"

/* Turn the progress engine until something holds. 8< */
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
/* >8 End of turning the progress engine. */

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

bool
ctx_idle(const struct app *app)
{
	return rte_comch_ctx_state_get(app->ctx) == RTE_COMCH_STATE_IDLE;
}

/* Allocate and submit a task. 8< */
void
send_text(struct app *app, struct rte_comch_conn *conn, const char *dflt)
{
	const char *text = app->text != NULL ? app->text : dflt;
	struct rte_comch_conn_info info = { 0 };
	struct rte_comch_task *task;
	int ret;

	/*
	 * The text stays where it is for the whole run, so that the task, which
	 * does not copy it, can point at it.
	 */
	ret = rte_comch_conn_task_alloc(conn, text, strlen(text), &task);
	if (ret == -EMSGSIZE && rte_comch_conn_info_get(conn, &info) == 0) {
		fail(ret, "%s: the text has %zu bytes, the connection takes %u: shorten -t",
				app->info.name, strlen(text), info.max_msg_size);
		return;
	}
	if (ret == 0) {
		ret = rte_comch_task_submit(task);
		if (ret != 0)
			rte_comch_task_free(task);
	}
	if (ret != 0)
		fail(ret, "%s: cannot send: %s", app->info.name, strerror(-ret));
}
/* >8 End of submitting a task. */

/* The end of a task. 8< */
void
text_sent(struct rte_comch_task *task, int status, void *user_data)
{
	struct app *app = user_data;
	struct rte_comch_task_info info;

	if (status == 0 && rte_comch_task_info_get(task, &info) == 0) {
		printf("Delivered %u bytes\n", info.len);
		app->sent = true;
	} else if (status != -ECANCELED) {
		fail(status, "%s: the text was not delivered: %s", app->info.name,
				strerror(-status));
	}
	/* A context leaves STOPPING only when all its tasks are freed. */
	rte_comch_task_free(task);
}
/* >8 End of the end of a task. */

void
print_text(const void *msg, uint32_t len)
{
	const unsigned char *text = msg;
	uint32_t i;

	printf("Received %u bytes: ", len);
	/* The peer is not trusted: its bytes do not drive our terminal. */
	for (i = 0; i < len; i++) {
		if (isprint(text[i]))
			putchar(text[i]);
		else
			printf("\\x%02x", text[i]);
	}
	putchar('\n');
}

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

	ret = rte_comch_ctx_destroy(app->ctx);
	if (ret != 0) {
		fail(ret, "%s: cannot destroy the context: %s", app->info.name,
				strerror(-ret));
		return;
	}
	ret = rte_comch_pe_destroy(app->pe);
	if (ret != 0)
		fail(ret, "%s: cannot destroy the progress engine: %s", app->info.name,
				strerror(-ret));
}
