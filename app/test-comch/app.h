/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_APP_H
#define TEST_COMCH_APP_H

/* What the process has once: options, cases, the wish to end, and the prompt. */

#include <stdbool.h>

#include "options.h"

struct client;
struct config;
struct prompt;
struct report;
struct server;

struct app {
	struct options opt;        /* of the case that runs, if there are cases */
	struct config *config;     /* cases of an INI file; NULL without one */
	struct prompt *prompt;     /* NULL in batch runs */
	/* Its input: -1 if there is none to wait for now; handle what is there, never wait. */
	int (*prompt_fd)(const struct prompt *p);
	void (*prompt_poll)(struct prompt *p);
	bool prompt_terminal;      /* it is on one: what is printed meanwhile goes above it */
	bool prompt_gone;          /* it gave way to lines, until the next tick; atomic */
	struct report *report;     /* results of this process so far */
	struct client *client;     /* while tests run; for "show" */
	struct server *server;     /* if this thread serves; for "show" */
	const char *case_name;     /* of the case that runs; NULL without cases */
	volatile bool running;     /* a run of tests is under way */
	volatile bool stop;        /* "stop" or Ctrl-C was typed at the prompt */
};

/* Have SIGINT and SIGTERM end the process, or only the tests at the prompt. */
int app_signals_setup(struct app *app);

/* SIGINT, SIGTERM or "quit": everything is to end in good order. */
bool app_quit_wanted(void);
void app_quit(void);

/* A context or an engine that cannot be destroyed: its device stays, and so does EAL. */
void app_left(const char *what, int error);
bool app_has_left(void);

/* A descriptor that becomes readable, for good, when app_quit() was called. */
int app_quit_fd(void);

/* True if the run of tests is to end before its time. */
static inline bool
app_stop_wanted(const struct app *app)
{
	return app->stop || app_quit_wanted();
}

/*
 * Sleep until the engine has something to do, the prompt has input, the process
 * is to end, or the time is over. Without an app the prompt is left alone, as
 * it has to be by other threads than the main one; pe may be NULL.
 */
void app_wait(struct app *app, struct rte_comch_pe *pe, int timeout_ms);

/* Look after the prompt; to be called some ten times in a second. */
void app_tick(struct app *app);

/*
 * Lines are about to be printed while the prompt waits: it gives way to them, with what was
 * typed. Any thread.
 */
void app_line(struct app *app);

/* Device for a role; prints what is wrong and returns -1 if there is none. */
int16_t app_dev_select(const struct options *opt, enum rte_comch_role role);

#endif /* TEST_COMCH_APP_H */
