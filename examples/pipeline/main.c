/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A pipeline of ethdev, of which one stage runs on the other side of the link. With two
 * ports packets go from each to the other: the host, between its network and the card. With
 * one port they are changed, and go back: the card. Nothing in here knows of comch.
 */

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#define USAGE "usage: pipeline [EAL options], with one port or two, as by --vdev net_comch0,...\n"
#define BURST 32u
#define NB_DESC 512u
/* How long packets that the next stage has no room for are held up. */
#define HOLD_MS 100u

static volatile sig_atomic_t stopped;

/* Of an lcore. */
struct counters {
	uint64_t pkts;
	uint64_t dropped;
} __rte_cache_aligned;

static struct counters counters[RTE_MAX_LCORE];

static void
stop(int sig __rte_unused)
{
	stopped = 1;
}

/* The work of the card's side. */
static void
change(struct rte_mbuf *m)
{
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_ether_addr addr = eth->src_addr;

	eth->src_addr = eth->dst_addr;
	eth->dst_addr = addr;
}

static void
forward(uint16_t from, uint16_t to, uint16_t queue, struct counters *count)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t nb = rte_eth_rx_burst(from, queue, pkts, BURST), sent = 0, i;
	uint64_t end;

	if (nb == 0)
		return;
	for (i = 0; from == to && i < nb; i++)
		change(pkts[i]);
	end = rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * HOLD_MS;
	do {
		sent += rte_eth_tx_burst(to, queue, pkts + sent, (uint16_t)(nb - sent));
	} while (sent < nb && rte_get_timer_cycles() < end);
	rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)nb - sent);
	count->pkts += sent;
	count->dropped += (uint64_t)nb - sent;
}

/* An lcore has the queue of its number. */
static int
work(void *arg)
{
	const uint16_t nb_ports = *(const uint16_t *)arg;
	struct counters *count = &counters[rte_lcore_id()];
	uint16_t queue = (uint16_t)rte_lcore_index(-1);

	while (!stopped) {
		forward(0, nb_ports - 1, queue, count);
		if (nb_ports == 2)
			forward(1, 0, queue, count);
	}
	return 0;
}

static void
port_start(uint16_t port, uint16_t nb_queues, struct rte_mempool *pool)
{
	const struct rte_eth_conf conf = { .rxmode = { .mq_mode = RTE_ETH_MQ_RX_NONE } };
	int ret = rte_eth_dev_configure(port, nb_queues, nb_queues, &conf);
	uint16_t i;

	for (i = 0; i < nb_queues && ret == 0; i++) {
		ret = rte_eth_rx_queue_setup(port, i, NB_DESC, SOCKET_ID_ANY, NULL, pool);
		if (ret == 0)
			ret = rte_eth_tx_queue_setup(port, i, NB_DESC, SOCKET_ID_ANY, NULL);
	}
	if (ret == 0)
		ret = rte_eth_dev_start(port);
	if (ret != 0)
		rte_exit(EXIT_FAILURE, "pipeline: port %u does not start: %s\n", port,
			rte_strerror(-ret));
}

/* Not before both ends of each port are there. */
static void
links_wait(uint16_t nb_ports)
{
	struct rte_eth_link link;
	uint16_t i;

	for (i = 0; i < nb_ports && !stopped; i++)
		while (rte_eth_link_get_nowait(i, &link) == 0 &&
				link.link_status == RTE_ETH_LINK_DOWN && !stopped)
			usleep(1000);
	if (!stopped)
		printf("pipeline: all links are up\n");
	fflush(stdout);
}

int
main(int argc, char **argv)
{
	struct counters sum = { 0 };
	struct rte_mempool *pool;
	uint16_t nb_ports, i;
	int ret;

	/* EAL has words of its own for it */
	if (argc == 2 && strcmp(argv[1], "--help") == 0) {
		printf(USAGE);
		return EXIT_SUCCESS;
	}
	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		rte_exit(EXIT_FAILURE, "pipeline: EAL does not start\n");
	if (argc - ret > 1) {
		printf(USAGE);
		return rte_eal_cleanup() == 0 && strcmp(argv[ret + 1], "--help") == 0 ?
			EXIT_SUCCESS : EXIT_FAILURE;
	}
	signal(SIGINT, stop);
	signal(SIGTERM, stop);
	nb_ports = rte_eth_dev_count_avail();
	if (nb_ports != 1 && nb_ports != 2)
		rte_exit(EXIT_FAILURE, "pipeline: %u ports: give one, to change packets and send them back; or two, to forward between them\n",
			nb_ports);
	pool = rte_pktmbuf_pool_create("packets", 16383, 256, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
			SOCKET_ID_ANY);
	if (pool == NULL)
		rte_exit(EXIT_FAILURE, "pipeline: no memory for packets\n");
	printf("pipeline: %s\n", nb_ports == 1 ? "one port: packets are changed, and go back" :
		"two ports: packets go from each to the other");
	for (i = 0; i < nb_ports; i++)
		port_start(i, (uint16_t)rte_lcore_count(), pool);
	links_wait(nb_ports);
	rte_eal_mp_remote_launch(work, &nb_ports, CALL_MAIN);
	rte_eal_mp_wait_lcore();
	for (i = 0; i < nb_ports; i++) {
		rte_eth_dev_stop(i);
		rte_eth_dev_close(i);
	}
	for (i = 0; i < RTE_MAX_LCORE; i++) {
		sum.pkts += counters[i].pkts;
		sum.dropped += counters[i].dropped;
	}
	printf("pipeline: %" PRIu64 " packets forwarded, %" PRIu64 " dropped\n", sum.pkts,
		sum.dropped);
	return rte_eal_cleanup();
}
