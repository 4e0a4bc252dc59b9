/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A pipeline by pairs of the library, of which one stage runs on the other side of the link.
 * Here is what each side opens, and its lcores in a loop; other ways to run it, and the stage
 * itself, are in the other files.
 */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "pairs.h"

#define USAGE "usage: pairs [EAL options] -- [loop|service|graph|events]\n"
#define NB_DESC 512u
#define CLOSE_MS 20000u

static void
stop(int sig __rte_unused)
{
	stopped = true;
}

/* An lcore. 8< */
static int
work(void *arg)
{
	struct app *app = arg;
	const struct stage s = stage_of(app, (uint16_t)rte_lcore_index(-1));

	while (!stopped) {
		stage_turn(&s);
		if (rte_lcore_id() == rte_get_main_lcore())
			rte_comch_peer_progress(app->peer);
	}
	return 0;
}
/* >8 End of an lcore. */

static void
peer_changed(struct rte_comch_peer *peer __rte_unused, bool connected, int reason,
		void *user_data __rte_unused)
{
	printf("pairs: %s%s\n", connected ? "connected" : "not connected: ",
		connected ? "" : rte_comch_reason_str(reason));
	fflush(stdout);
}

/* The peer and its pairs. 8< */
static int
peer_open(struct app *app, uint16_t nb_pairs)
{
	struct rte_comch_peer_conf conf = {
		.dev_id = rte_comch_dev_next(0),
		.name = "pairs",
		.nb_pairs = nb_pairs,
		.change_cb = peer_changed,
	};
	int ret;

	ret = rte_comch_mem_pool_create(conf.dev_id, "packets", 8191, 256,
		RTE_MBUF_DEFAULT_BUF_SIZE, RTE_COMCH_MEM_F_PEER_WRITE, &conf.mem);
	app->mem = conf.mem;
	return ret == 0 ? rte_comch_peer_open(&conf, &app->peer) : ret;
}
/* >8 End of the peer and its pairs. */

static int
port_start(struct app *app, uint16_t nb_queues)
{
	const struct rte_eth_conf conf = { .intr_conf = { .rxq = app->how == HOW_EVENTS } };
	struct rte_comch_mem_info mem;
	int ret = rte_comch_mem_info_get(app->mem, &mem);
	uint16_t i;

	if (ret == 0)
		ret = rte_eth_dev_configure(app->port, nb_queues, nb_queues, &conf);
	for (i = 0; i < nb_queues && ret == 0; i++) {
		ret = rte_eth_rx_queue_setup(app->port, i, NB_DESC, SOCKET_ID_ANY, NULL, mem.pool);
		if (ret == 0)
			ret = rte_eth_tx_queue_setup(app->port, i, NB_DESC, SOCKET_ID_ANY, NULL);
	}
	return ret == 0 ? rte_eth_dev_start(app->port) : ret;
}

int
main(int argc, char **argv)
{
	static const char * const names[] = { "loop", "service", "graph", "events" };
	static int (* const runs[])(struct app *app) = { NULL, service_run, graph_run, events_run };
	struct app app = { .port = RTE_MAX_ETHPORTS };
	uint16_t nb;
	int ret;

	/* EAL has words of its own for it */
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		printf(USAGE);
		return EXIT_SUCCESS;
	}
	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		rte_exit(EXIT_FAILURE, "pairs: EAL does not start\n");
	while (argc - ret == 2 && app.how < RTE_DIM(names) &&
			strcmp(argv[ret + 1], names[app.how]) != 0)
		app.how++;
	if (argc - ret > 2 || app.how == RTE_DIM(names)) {
		printf(USAGE);
		return rte_eal_cleanup() == 0 && strcmp(argv[ret + 1], "--help") == 0 ?
			EXIT_SUCCESS : EXIT_FAILURE;
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	if (rte_eth_dev_count_avail() != 0)
		app.port = rte_eth_find_next(0);
	nb = app.how == HOW_LOOP ? (uint16_t)rte_lcore_count() : 1;
	ret = peer_open(&app, nb);
	if (ret == 0 && app.port != RTE_MAX_ETHPORTS)
		ret = port_start(&app, nb);
	if (ret != 0)
		rte_exit(EXIT_FAILURE, "pairs: no comch device, or no port, that starts: %s\n",
			rte_strerror(-ret));
	if (app.how == HOW_LOOP) {
		rte_eal_mp_remote_launch(work, &app, CALL_MAIN);
		rte_eal_mp_wait_lcore();
	} else {
		ret = runs[app.how](&app);
	}
	if (app.port != RTE_MAX_ETHPORTS) {
		rte_eth_dev_stop(app.port);
		rte_eth_dev_close(app.port);
	}
	if (rte_comch_peer_close(app.peer, CLOSE_MS) != 0 || rte_comch_mem_free(app.mem) != 0)
		ret = -EBUSY;
	rte_eal_cleanup();
	return ret == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
