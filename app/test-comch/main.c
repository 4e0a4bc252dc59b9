/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Start and end of the process: EAL, options, and who runs where. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_eal.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_version.h>

#include "app.h"
#include "config.h"
#include "devices.h"
#include "peer.h"
#include "prompt.h"
#include "report.h"
#include "run.h"

/* Seconds for the server of --loopback to get ready. */
#define LOOPBACK_PATIENCE 10

/* One process: what its signals and its end look at. */
static struct app the_app;

/* The role of the devices that are there, if the user gave none. */
static enum app_role
role_by_devices(void)
{
	struct rte_comch_dev_info info;
	bool dpu = false, host = false;
	int16_t dev_id;

	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (rte_comch_dev_info_get(dev_id, &info) != 0)
			continue;
		if (info.role == RTE_COMCH_ROLE_DPU)
			dpu = true;
		else
			host = true;
	}
	if (dpu && host)
		return ROLE_LOOPBACK;
	return dpu ? ROLE_SERVER : host ? ROLE_CLIENT : ROLE_NONE;
}

/* Tests on a device of the role host, or the prompt. */
static int
client_main(struct app *app, int16_t dev_id)
{
	const struct options *opt = &app->opt;
	int ret = 0;

	if (!opt->interactive && opt->cmdline_file[0] == '\0')
		return run_tests(app, dev_id, NULL);

	ret = prompt_open(app, dev_id, opt->interactive);
	if (ret != 0) {
		fprintf(stderr, "there can be no prompt: %s\n", strerror(-ret));
		return ret;
	}
	if (opt->cmdline_file[0] != '\0')
		ret = prompt_load(app->prompt, opt->cmdline_file);
	if (ret == 0 && !opt->interactive)
		app_quit();
	if (ret == 0)
		ret = prompt_run(app->prompt);
	prompt_close(app);
	return ret;
}

static int
server_main(struct app *app, int16_t dev_id)
{
	const struct options *opt = &app->opt;
	int ret = 0;

	if (opt->interactive || opt->cmdline_file[0] != '\0') {
		ret = prompt_open(app, -1, opt->interactive);
		if (ret == 0 && opt->cmdline_file[0] != '\0')
			ret = prompt_load(app->prompt, opt->cmdline_file);
	}
	if (ret == 0)
		ret = server_run(app, dev_id, true);
	prompt_close(app);
	return ret;
}

struct loopback {
	struct app *app;
	int16_t dpu_dev;
};

static int
loopback_server(void *arg)
{
	struct loopback *lb = arg;

	return server_run(lb->app, lb->dpu_dev, false);
}

static int
loopback_main(struct app *app, int16_t host_dev, int16_t dpu_dev)
{
	struct loopback lb = { .app = app, .dpu_dev = dpu_dev };
	unsigned int lcore = rte_get_next_lcore(-1, 1, 0), i;
	int ret, srv;

	if (lcore == RTE_MAX_LCORE) {
		fprintf(stderr, "loopback: the two sides need an lcore each; give EAL two by "
				"-l 0,1, or --lcores 0@0,1@0 on one cpu\n");
		return -EINVAL;
	}
	ret = rte_eal_remote_launch(loopback_server, &lb, lcore);
	if (ret != 0) {
		fprintf(stderr, "loopback: lcore %u cannot be used: %s\n", lcore, strerror(-ret));
		return ret;
	}
	for (i = 0; i < LOOPBACK_PATIENCE * 100 && server_state_get() == SERVER_STARTING; i++)
		usleep(10000);
	ret = server_state_get() == SERVER_READY ? client_main(app, host_dev) : -EIO;
	app_quit();
	srv = rte_eal_wait_lcore(lcore);
	return ret != 0 ? ret : srv;
}

static int
app_main(struct app *app)
{
	struct options *opt = &app->opt;
	int16_t host = -1, dpu = -1;
	int ret;

	if (opt->role == ROLE_NONE)
		opt->role = role_by_devices();
	if (opt->role == ROLE_NONE) {
		fprintf(stderr, "there is no device; give EAL one, as --vdev comch_shm0,role=host,"
				"function=pf0vf3\n");
		return -ENODEV;
	}
	if (opt->role == ROLE_SERVER && app->config != NULL) {
		fprintf(stderr, "config: the client says what is run; give it there\n");
		return -EINVAL;
	}
	if (opt->role != ROLE_CLIENT) {
		dpu = app_dev_select(opt, RTE_COMCH_ROLE_DPU);
		if (dpu < 0)
			return -ENODEV;
	}
	if (opt->role != ROLE_SERVER) {
		host = app_dev_select(opt, RTE_COMCH_ROLE_HOST);
		if (host < 0)
			return -ENODEV;
	}
	app->report = report_create(opt);
	if (app->report == NULL)
		return -EIO;
	if (opt->role == ROLE_SERVER)
		ret = server_main(app, dpu);
	else if (opt->role == ROLE_CLIENT)
		ret = client_main(app, host);
	else
		ret = loopback_main(app, host, dpu);
	if (report_close(app->report, opt) != 0 && ret == 0)
		ret = -EIO;
	app->report = NULL;
	return ret;
}

static void
usage_hook(const char *prog)
{
	options_usage(stdout, prog);
}

static void
version_print(void)
{
	printf("dpdk-test-comch %s, %s\n", TEST_COMCH_VERSION, rte_version());
}

/* What needs no EAL, which has words of its own and may not even start. */
static bool
word_alone(int argc, char **argv)
{
	if (argc != 2 && (argc != 3 || strcmp(argv[1], "--") != 0))
		return false;
	if (strcmp(argv[argc - 1], "--version") == 0)
		version_print();
	else if (strcmp(argv[argc - 1], "--help") == 0 || strcmp(argv[argc - 1], "-h") == 0)
		options_usage(stdout, argv[0]);
	else
		return false;
	return true;
}

/* Give back what EAL has; returns the exit code. */
static int
finish(int ret)
{
	if (app_has_left()) {
		/* The threads of its driver go on, in memory that a clean-up would take away. */
		fprintf(stderr, "a device is in use to the end: ended without a clean-up\n");
		ret = -EBUSY;
	} else if (rte_eal_cleanup() != 0) {
		fprintf(stderr, "EAL did not clean up\n");
	}
	fflush(stdout);
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

int
main(int argc, char **argv)
{
	static struct config config;
	struct app *app = &the_app;
	char err[OPT_ERR_SIZE] = "";
	const char *prog = argv[0];
	int16_t dev_id;
	int ret;

	if (word_alone(argc, argv))
		return EXIT_SUCCESS;
	rte_set_application_usage_hook(usage_hook);
	if (app_signals_setup(app) != 0)
		return EXIT_FAILURE;
	ret = rte_eal_init(argc, argv);
	if (ret < 0) {
		fprintf(stderr, "EAL cannot be initialized; its messages are above, its options "
				"in: %s --help --\n", prog);
		return EXIT_FAILURE;
	}
	argc -= ret;
	argv += ret;

	options_default(&app->opt);
	ret = options_parse(&app->opt, argc, argv, err);
	if (ret != 0) {
		fprintf(stderr, "%s\n", err);
	} else if (app->opt.help) {
		options_usage(stdout, prog);
	} else if (app->opt.version) {
		version_print();
	} else if (app->opt.list_dev || app->opt.caps) {
		if (app->opt.list_dev)
			devices_print(stdout);
		if (app->opt.caps) {
			RTE_COMCH_FOREACH_DEV(dev_id)
				device_caps_print(dev_id, stdout);
		}
	} else {
		if (app->opt.config[0] != '\0') {
			ret = config_load(&config, &app->opt, argc, argv);
			app->config = &config;
		}
		if (ret == 0)
			ret = app_main(app);
		config_free(&config);
	}
	return finish(ret);
}
