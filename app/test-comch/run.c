/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Which cases and tests run, at which points of the sweeps, and where results go. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "config.h"
#include "fp.h"
#include "peer.h"
#include "report.h"
#include "run.h"

static bool
test_wanted(const struct options *opt, const char *only, const struct test_ops *test)
{
	unsigned int i;

	if (only != NULL)
		return strcmp(only, test->name) == 0;
	for (i = 0; i < opt->nb_tests; i++) {
		if (strcmp(opt->tests[i], test->name) == 0)
			return true;
	}
	return opt->nb_tests == 0;
}

/* Tasks that the client's engine may need at one time, in any of the tests. */
static uint32_t
tasks_needed(const struct options *opt)
{
	uint64_t nb = (uint64_t)(sweep_max(&opt->window) + 1) * opt->connections;
	uint64_t clients = sweep_max(&opt->clients);

	nb = RTE_MAX(nb, clients);
	/* Of the fast path, if it has no lcores of its own. */
	if (opt->tasks)
		nb += (uint64_t)(opt->producers + opt->consumers) * opt->connections *
				RTE_MAX(opt->posts, 2u * FP_MAX_BURST);
	nb += (uint64_t)PEER_SPARE_TASKS * opt->connections;
	nb += sweep_max(&opt->idle_clients) + 2 * PEER_SPARE_TASKS;
	return (uint32_t)RTE_MIN(nb, (uint64_t)UINT32_MAX);
}

static uint32_t
tasks_needed_by_all(const struct app *app)
{
	uint32_t nb = 0;
	unsigned int i;

	if (app->config == NULL)
		return tasks_needed(&app->opt);
	for (i = 0; i < app->config->nb; i++) {
		if (!app->config->cases[i].skip)
			nb = RTE_MAX(nb, tasks_needed(&app->config->cases[i].opt));
	}
	return nb;
}

/* Returns not 0 if nothing more can be run. */
static int
run_point(struct app *app, struct client *cl, const struct test_ops *test,
		const struct test_point *pt)
{
	const struct options *opt = &app->opt;
	struct result res = {
		.test = test,
		.case_name = app->case_name,
		.pt = *pt,
		.event = opt->event,
		.validate = opt->validate,
		.idle_bytes_client = cl->idle_bytes_client,
		.idle_bytes_server = cl->idle_bytes_server,
	};

	app_line(app);
	printf("%s", test->name);
	if (pt->size != 0)
		printf(", %u B", pt->size);
	if (pt->window != 0)
		printf(", window %u", pt->window);
	if (pt->clients != 0)
		printf(", %u clients", pt->clients);
	printf(" ...\n");
	fflush(stdout);

	memcpy(res.percentiles, opt->percentiles, sizeof(res.percentiles));
	res.nb_percentiles = opt->nb_percentiles;
	res.histogram = opt->histogram;
	cl->error[0] = '\0';
	res.status = test->opt_check != NULL ? test->opt_check(cl, test, pt, res.reason) : 0;
	if (res.status == 0)
		res.status = test->run(cl, pt, &res);
	app_line(app);
	if (res.status == -ECANCELED && app_stop_wanted(app)) {
		printf("%s: stopped before its first round was over\n", test->name);
		return -ECANCELED;
	}
	if (res.status != 0)
		printf("%s: FAILED: %s\n", test->name, res.reason);
	report_details(&res, stdout);
	report_add(app->report, &res);
	if (app_stop_wanted(app))
		return -ECANCELED;
	/* Without its session a client can run nothing. */
	return cl->session->state == RTE_COMCH_STATE_RUNNING ? 0 : -ENOTCONN;
}

static const struct sweep sweep_none;

static int
run_test(struct app *app, struct client *cl, const struct test_ops *test, uint32_t idle,
		bool named)
{
	const struct options *opt = &app->opt;
	const struct sweep *own = test->dflt_size.first != 0 && !opt->size_set ?
			&test->dflt_size : &opt->size;
	const struct sweep *sizes = test_uses(test, "size") ? own : &sweep_none;
	const struct sweep *windows = test_uses(test, "window") ?
			&opt->window : &sweep_none;
	const struct sweep *clients = test_uses(test, "clients") ?
			&opt->clients : &sweep_none;
	struct test_point pt = { .idle_clients = idle };
	unsigned int s, w, c;
	char why[OPT_ERR_SIZE];
	int ret = 0;

	if (!named && test->absent != NULL && test->absent(cl, why) != 0) {
		app_line(app);
		printf("%s: left out: %s\n", test->name, why);
		return 0;
	}

	for (s = 0; ret == 0 && sweep_next(sizes, s, &pt.size); s++) {
		for (w = 0; ret == 0 && sweep_next(windows, w, &pt.window); w++) {
			for (c = 0; ret == 0 && sweep_next(clients, c, &pt.clients); c++)
				ret = run_point(app, cl, test, &pt);
		}
	}
	return ret;
}

/* The tests of the options as they are now. */
static int
run_options(struct app *app, struct client *cl, const char *only)
{
	const struct options *opt = &app->opt;
	const struct test_ops *test;
	unsigned int n;
	uint32_t idle;
	int ret = 0;

	cl->place.event = opt->event;
	for (n = 0; ret == 0 && sweep_next(&opt->idle_clients, n, &idle); n++) {
		ret = client_idle_set(cl, idle);
		if (ret != 0) {
			app_line(app);
			fprintf(stderr, "%s\n", cl->error);
			break;
		}
		for (test = test_next(NULL); test != NULL && ret == 0; test = test_next(test)) {
			if (test_wanted(opt, only, test))
				ret = run_test(app, cl, test, idle,
						only != NULL || opt->nb_tests != 0);
		}
	}
	return ret;
}

/* All in one session, so that a server of --once is there for all of them. */
static int
run_cases(struct app *app, struct client *cl)
{
	const struct config *config = app->config;
	const struct options base = app->opt;
	unsigned int i;
	int ret = 0;

	for (i = 0; ret == 0 && i < config->nb; i++) {
		if (config->cases[i].skip) {
			printf("[%s] is skipped, as the file says\n", config->cases[i].name);
			continue;
		}
		printf("[%s]\n", config->cases[i].name);
		app->opt = config->cases[i].opt;
		app->case_name = config->cases[i].name;
		ret = run_options(app, cl, NULL);
	}
	if (ret != 0 && i < config->nb)
		fprintf(stderr, "cases from [%s] on are not run\n", config->cases[i].name);
	app->opt = base;
	app->case_name = NULL;
	return ret;
}

int
run_tests(struct app *app, int16_t dev_id, const char *only)
{
	uint32_t first = app->report->nb, i;
	uint64_t begin = rte_rdtsc();
	struct client *cl;
	int ret;

	app->running = true;
	app->stop = false;
	ret = client_open(app, dev_id, tasks_needed_by_all(app), &cl);
	if (ret != 0)
		goto out;
	report_peer_set(app->report, cl);
	app_line(app);
	if (first == 0)
		report_environment(app->report, stdout);

	ret = app->config != NULL ? run_cases(app, cl) : run_options(app, cl, only);
	client_close(cl);
	/* A test that was stopped at the user's wish has not failed. */
	if (ret == -ECANCELED && app_stop_wanted(app))
		ret = 0;
	app->report->seconds += (double)(rte_rdtsc() - begin) / (double)rte_get_tsc_hz();
	app_line(app);
	if (app->report->nb > first)
		report_table(app->report, &app->opt, stdout);
	for (i = first; i < app->report->nb && ret == 0; i++)
		ret = app->report->res[i].status;
out:
	app->running = false;
	return ret;
}
