/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch: two of them in one process, on devices of driver shm that they
 * make for themselves, or on those of a software BlueField. Only ethdev's functions are used,
 * as by an application that knows nothing of comch. The suite is here; its cases of metadata,
 * of queues that are direct and of a peer that is no port are in files of their own.
 */

#include <pthread.h>
#include <unistd.h>

#include <rte_epoll.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "test_comch_fp_util.h"
#include "test_comch_util.h"
#include "test_net_comch.h"

/* A packet whose doorbell has not got lost has arrived by then. */
#define QUIET_MS 20

static int
beside_setup(void)
{
	net.pair = test_pair;
	return net_setup_pool();
}

static void
beside_teardown(void)
{
	test_cleanup();
	net_teardown();
	if (test_pair.dpu != net.pair.dpu && test_vdev_remove(test_pair.dpu) != 0)
		test_fail("the card's device is not removed");
	if (test_pair.host != net.pair.host && test_vdev_remove(test_pair.host) != 0)
		test_fail("the host's device is not removed");
	test_pair = net.pair;
	rmdir(net.path);
}

/* All sizes, in both directions, with the counters of both sides. */
static int
test_packets(void)
{
	static const uint32_t lens[] = { 14, 60, 64, 65, 590, 1500, 1514, 1522 };
	struct rte_eth_stats a, b;
	uint64_t bytes = 0;
	unsigned int i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	for (i = 0; i < RTE_DIM(lens); i++) {
		TEST_CALL(net_send_one(HOST, 0, lens[i], 1, i));
		TEST_CALL(net_send_one(DPU, 0, lens[i], lens[i] > 100 ? 3 : 1, 100 + i));
		bytes += lens[i];
	}
	TEST_EXPECT(rte_eth_stats_get(net.ids[HOST], &a), 0);
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &b), 0);
	TEST_TRUE(a.opackets == RTE_DIM(lens) && a.ipackets == RTE_DIM(lens));
	TEST_TRUE(b.opackets == RTE_DIM(lens) && b.ipackets == RTE_DIM(lens));
	TEST_TRUE(a.obytes == bytes && a.ibytes == bytes && b.obytes == bytes && b.ibytes == bytes);
	TEST_TRUE(a.oerrors == 0 && a.ierrors == 0 && a.rx_nombuf == 0);
	TEST_EXPECT(rte_eth_stats_reset(net.ids[HOST]), 0);
	TEST_EXPECT(rte_eth_stats_get(net.ids[HOST], &a), 0);
	TEST_TRUE(a.opackets == 0 && a.ibytes == 0);
	return TEST_SUCCESS;
}

/* A packet that the peer has no frame for is counted and dropped; the next one goes through. */
static int
test_too_long(void)
{
	/* 1522: what a port with this MTU takes, and not what its frames are rounded up to */
	static const uint32_t lens[] = { 60, 1800, 1523, 1522 };
	struct rte_mbuf *pkts[RTE_DIM(lens)], *got[RTE_DIM(lens)];
	unsigned int i, sent = 0, nb_got = 0;
	struct rte_eth_stats stats;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	for (i = 0; i < RTE_DIM(lens); i++)
		pkts[i] = test_packet(net_pool_of(HOST), lens[i], 1, i);
	NET_WAIT((sent += rte_eth_tx_burst(net.ids[HOST], 0, &pkts[sent],
			(uint16_t)(RTE_DIM(lens) - sent))) == RTE_DIM(lens), TEST_MS);
	NET_WAIT((nb_got += rte_eth_rx_burst(net.ids[DPU], 0, &got[nb_got],
			(uint16_t)(RTE_DIM(lens) - nb_got))) == 2, TEST_MS);
	TEST_CALL(net_packet_check(got[0], DPU, 60, 0));
	TEST_CALL(net_packet_check(got[1], DPU, 1522, 3));
	TEST_EXPECT(rte_eth_stats_get(net.ids[HOST], &stats), 0);
	TEST_TRUE(stats.oerrors == 2 && stats.opackets == 2 && stats.obytes == 60 + 1522);
	return TEST_SUCCESS;
}

/* A packet that is longer than an mbuf, where that was asked for, and not else. */
static int
test_scatter(void)
{
	static const uint32_t lens[] = { 60, 2048, 2049, 4097, 9014 };
	unsigned int i;

	TEST_CALL(net_port_configure(DPU, 1, 9000, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL);
	TEST_CALL(net_ports_up(1, 1, 9000, RTE_ETH_RX_OFFLOAD_SCATTER));
	for (i = 0; i < RTE_DIM(lens); i++)
		TEST_CALL(net_send_one(i % 2 == 0 ? HOST : DPU, 0, lens[i],
			(uint16_t)(lens[i] / 2000 + 1), i));
	return TEST_SUCCESS;
}

/* Frames that are longer than an mbuf: a direct queue cannot take them, one that copies can. */
static int
test_direct_scatter(void)
{
	TEST_CALL(test_scatter());
	return net_mode_check(HOST, "Copied");
}

/* Bursts of fewer packets than have come, and of more than a queue takes at once. */
static int
test_bursts(void)
{
	struct rte_mbuf *m, *got[70] = { NULL };
	uint16_t nb = 0, i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	for (i = 0; i < RTE_DIM(got); i++) {
		m = test_packet(net_pool_of(HOST), 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	}
	NET_WAIT((nb = rte_eth_rx_burst(net.ids[DPU], 0, got, 8)) != 0, TEST_MS);
	TEST_TRUE(nb <= 8);
	/* nothing was written behind those */
	for (i = nb; i < RTE_DIM(got); i++)
		TEST_TRUE(got[i] == NULL);
	NET_WAIT((nb += rte_eth_rx_burst(net.ids[DPU], 0, &got[nb],
			(uint16_t)(RTE_DIM(got) - nb))) == RTE_DIM(got), TEST_MS);
	for (i = 0; i < RTE_DIM(got); i++)
		TEST_CALL(net_packet_check(got[i], DPU, 64, i));
	return TEST_SUCCESS;
}

/* Four queues of one side and two of the other: none of the four is without a way. */
static int
test_queues(void)
{
	struct rte_mbuf *m, *got;
	uint16_t i, q;

	TEST_CALL(net_ports_up(2, 4, 1500, 0));
	for (i = 0; i < 4; i++) {
		m = test_packet(net_pool_of(HOST), 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], i, &m, 1) == 1, TEST_MS);
		NET_WAIT(rte_eth_rx_burst(net.ids[DPU], i % 2, &got, 1) == 1, TEST_MS);
		TEST_CALL(net_packet_check(got, DPU, 64, i));
	}
	for (q = 0; q < 2; q++)
		TEST_CALL(net_send_one(DPU, q, 64, 1, q));
	return TEST_SUCCESS;
}

/* All queues that are offered: each has a progress engine. */
static int
test_queues_most(void)
{
	struct rte_eth_dev_info info;
	uint16_t nb;

	TEST_CALL(test_need_fds(512));
	TEST_EXPECT(rte_eth_dev_info_get(net.ids[DPU], &info), 0);
	nb = info.max_rx_queues;
	TEST_CALL(net_ports_up(nb, nb, 1500, 0));
	TEST_CALL(net_send_one(HOST, (uint16_t)(nb - 1), 64, 1, 1));
	return net_send_one(DPU, (uint16_t)(nb - 1), 64, 1, 2);
}

/* The receiver has no mbuf for a while, then one: nothing is lost. */
static int
test_no_mbuf(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got;
	struct rte_eth_stats stats;
	unsigned int nb = 0, i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	m = test_packet(net.pool, 64, 1, 1);
	while (nb < NB_MBUFS && (held[nb] = rte_pktmbuf_alloc(net.pool)) != NULL)
		nb++;
	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	/* the sent one comes back to the pool, and may be all that there is */
	while (nb < NB_MBUFS && (held[nb] = rte_pktmbuf_alloc(net.pool)) != NULL)
		nb++;
	for (i = 0; i < 10; i++)
		TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1), 0);
	rte_pktmbuf_free(held[--nb]);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == 1, TEST_MS);
	rte_pktmbuf_free_bulk(held, nb);
	TEST_CALL(net_packet_check(got, DPU, 64, 1));
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_TRUE(stats.rx_nombuf != 0);
	return TEST_SUCCESS;
}

/*
 * A packet of five mbufs, for which there are fewer: it is dropped as a whole, counted, and
 * what it had comes back.
 */
static int
test_scatter_no_mbuf(void)
{
	struct rte_mempool *from = rte_pktmbuf_pool_create("net_comch_from", 63, 0, 0,
			RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_eth_stats stats = { .rx_nombuf = 0 };
	struct rte_mbuf *m, *got = NULL;
	unsigned int nb = 0;
	uint64_t i;

	TEST_TRUE(from != NULL);
	TEST_CALL(net_ports_up(1, 1, 9000, RTE_ETH_RX_OFFLOAD_SCATTER));
	while (nb < NB_MBUFS && (held[nb] = rte_pktmbuf_alloc(net.pool)) != NULL)
		nb++;
	for (i = 1; i <= 5; i++) {
		m = test_packet(from, 9014, 5, (uint32_t)i);
		rte_pktmbuf_free(held[--nb]);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
		NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == (i == 5) &&
			rte_eth_stats_get(net.ids[DPU], &stats) == 0 &&
			(i == 5 || stats.rx_nombuf == i), TEST_MS);
	}
	rte_pktmbuf_free_bulk(held, nb);
	TEST_CALL(net_packet_check(got, DPU, 9014, 5));
	TEST_TRUE(stats.rx_nombuf == 4 && stats.ipackets == 1 && stats.ibytes == 9014);
	TEST_EXPECT(rte_eth_dev_stop(net.ids[HOST]), 0);
	i = rte_mempool_avail_count(from);
	rte_mempool_free(from);
	TEST_EXPECT(i, 63);
	return TEST_SUCCESS;
}

static bool bursts_stop;

/* What an lcore of the host does, whatever becomes of the other side. */
static void *
burst_on(void *arg)
{
	uint64_t *nb = arg;
	struct rte_mbuf *pkts[8];
	uint16_t i, sent, got;

	test_thread_spread(1);
	while (!__atomic_load_n(&bursts_stop, __ATOMIC_RELAXED)) {
		if (rte_pktmbuf_alloc_bulk(net_pool_of(HOST), pkts, RTE_DIM(pkts)) == 0) {
			for (i = 0; i < RTE_DIM(pkts); i++)
				memset(rte_pktmbuf_append(pkts[i], 64), 1, 64);
			sent = rte_eth_tx_burst(net.ids[HOST], 0, pkts, RTE_DIM(pkts));
			nb[0] += sent;
			rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)RTE_DIM(pkts) - sent);
		}
		got = rte_eth_rx_burst(net.ids[HOST], 0, pkts, RTE_DIM(pkts));
		nb[1] += got;
		rte_pktmbuf_free_bulk(pkts, got);
	}
	return NULL;
}

/* The card's port echoes for a while, and until it has: the other thread may have no CPU. */
static int
echo_ms(unsigned int ms, uint64_t *echoed)
{
	uint64_t begin = test_now_ns(), before = *echoed, now = begin;
	struct rte_mbuf *pkts[32];
	uint16_t got, sent;

	for (; now < begin + (uint64_t)(*echoed == before ? TEST_MS : ms) * 1000000;
			now = test_now_ns()) {
		got = rte_eth_rx_burst(net.ids[DPU], 0, pkts, RTE_DIM(pkts));
		sent = rte_eth_tx_burst(net.ids[DPU], 0, pkts, got);
		rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)got - sent);
		*echoed += got;
	}
	return TEST_SUCCESS;
}

/* One side comes and goes while an lcore of the other bursts. */
static int
test_restart(void)
{
	uint64_t nb[2] = { 0 }, echoed = 0, before;
	pthread_t thread;
	unsigned int i;
	int ret = 0;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	bursts_stop = false;
	TEST_EXPECT(pthread_create(&thread, NULL, burst_on, nb), 0);
	for (i = 0; i < 5 && ret == 0; i++) {
		before = echoed;
		echo_ms(50, &echoed);
		if (echoed == before)
			ret = -EIO;
		if (ret == 0)
			ret = rte_eth_dev_stop(net.ids[DPU]);
		if (ret == 0)
			ret = rte_eth_dev_start(net.ids[DPU]);
		before = test_now_ns() + (uint64_t)UP_MS * 1000000;
		while (ret == 0 && !(net_link_is_up(DPU) && net_link_is_up(HOST))) {
			usleep(100);
			if (test_now_ns() > before)
				ret = -ETIMEDOUT;
		}
	}
	echo_ms(50, &echoed);
	__atomic_store_n(&bursts_stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	test_note("%" PRIu64 " packets sent, %" PRIu64 " echoed, %" PRIu64 " back", nb[0],
		echoed, nb[1]);
	TEST_TRUE(nb[0] >= echoed && echoed >= nb[1] && nb[1] != 0);
	/* up, and down and up again five times */
	NET_WAIT(__atomic_load_n(&net.nb_lsc, __ATOMIC_ACQUIRE) >= 11, TEST_MS);
	return TEST_SUCCESS;
}

/* The host's side sleeps: a packet wakes it, and so does a link that comes back. */
static int
test_interrupts(void)
{
	struct rte_mbuf *m, *got = NULL;
	unsigned int i, nb = 0;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[DPU], 0), -ENOTSUP);
	TEST_EXPECT(rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_ADD, NULL), 0);
	/* it may wake a few times for what is over, and then not any more */
	for (i = 0; i < 10 && net_sleep_ms(20) != 0; i++)
		TEST_EXPECT(rte_eth_rx_burst(net.ids[HOST], 0, &got, 1), 0);
	TEST_TRUE(i < 10);
	for (i = 0; i < 100; i++) {
		m = test_packet(net_pool_of(DPU), 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
		while (rte_eth_rx_burst(net.ids[HOST], 0, &got, 1) == 0) {
			TEST_TRUE(nb++ < 1000);
			TEST_EXPECT(net_sleep_ms(TEST_MS), 1);
		}
		TEST_CALL(net_packet_check(got, HOST, 64, i));
		TEST_EXPECT(rte_eth_dev_rx_intr_disable(net.ids[HOST], 0), 0);
	}
	/* asleep while the link is down */
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	NET_WAIT(!net_link_is_up(HOST), UP_MS);
	TEST_TRUE(net_sleep_ms(0) >= 0);
	TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[HOST], 0), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	m = test_packet(net_pool_of(DPU), 64, 1, 7);
	NET_WAIT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
	for (i = 0; rte_eth_rx_burst(net.ids[HOST], 0, &got, 1) == 0; i++) {
		struct rte_epoll_event ev;

		TEST_TRUE(i < 10);
		TEST_EXPECT(rte_epoll_wait(RTE_EPOLL_PER_THREAD, &ev, 1, TEST_MS), 1);
		TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[HOST], 0), 0);
	}
	TEST_CALL(net_packet_check(got, HOST, 64, 7));
	return rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_DEL, NULL);
}

/* The doorbell of a packet gets lost: bursts that have nothing to send make up for it. */
static int
test_lost_doorbell(void)
{
	struct rte_mbuf *m, *got = NULL;
	unsigned int i, nb_lost = 0;
	uint64_t end;
	uint16_t n;

	if (!net.place.is_open)
		return test_skip("driver shm has no doorbells that get lost");
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	for (i = 0; nb_lost < 3; i++) {
		TEST_TRUE(i < 20);
		m = test_packet(net_pool_of(HOST), 64, 1, i);
		TEST_EXPECT(test_model_ctl(&net.place.model, "fault %s net doorbells=1",
			test_place_function(0)), 0);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
		/* the port rings for words of its own, too: it may have been one of these */
		end = test_now_ns() + QUIET_MS * UINT64_C(1000000);
		do
			n = rte_eth_rx_burst(net.ids[DPU], 0, &got, 1);
		while (n == 0 && test_now_ns() < end);
		nb_lost += n == 0;
		NET_WAIT(n == 1 || (rte_eth_tx_burst(net.ids[HOST], 0, &m, 0) == 0 &&
			rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == 1), TEST_MS);
		TEST_CALL(net_packet_check(got, DPU, 64, i));
	}
	test_note("%u of %u doorbells got lost", nb_lost, i);
	return TEST_SUCCESS;
}

/*
 * Ports that stop while they connect, at any step of that: a server that has begun to take a
 * client ends with a delay. If it was left there, its device could not be removed.
 */
static int
test_stop_while_connecting(void)
{
	unsigned int i;

	TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
	TEST_CALL(net_port_configure(HOST, 1, 1500, 0));
	for (i = 0; i < 25; i++) {
		TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
		TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
		usleep(i * 100);
		TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
		TEST_EXPECT(rte_eth_dev_stop(net.ids[HOST]), 0);
	}
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	return net_send_one(HOST, 0, 64, 1, 1);
}

/* The application stops the port where it is told that the link is down. */
static int
test_stop_in_callback(void)
{
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	NET_WAIT(__atomic_load_n(&net.nb_lsc, __ATOMIC_ACQUIRE) == 1, TEST_MS);
	net.lsc_ret = -1;
	__atomic_store_n(&net.lsc_stops, true, __ATOMIC_RELEASE);
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	NET_WAIT(__atomic_load_n(&net.nb_lsc, __ATOMIC_ACQUIRE) == 2, UP_MS);
	TEST_EXPECT(net.lsc_ret, 0);
	__atomic_store_n(&net.lsc_stops, false, __ATOMIC_RELEASE);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	return net_send_one(HOST, 0, 64, 1, 1);
}

/* Each side is removed while its port is up; the other one gets a new peer. */
static int
test_removed(void)
{
	unsigned int i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[i]), 0);
		net.there[i] = false;
		NET_WAIT(!net_link_is_up(1 - i), UP_MS);
		TEST_EXPECT(net_port_add(i), 0);
		TEST_CALL(net_port_configure(i, 1, 1500, 0));
		TEST_EXPECT(rte_eth_dev_start(net.ids[i]), 0);
		NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
		TEST_CALL(net_send_one(HOST, 0, 64, 1, i));
	}
	return TEST_SUCCESS;
}

/* Ports on devices of the application, which has a server and a client of its own there. */
static int
test_beside(void)
{
	const struct rte_ether_addr mac = { { 2, 0, 0, 0, 0, 0x17 } };
	struct test_ep *server, *client;
	struct rte_ether_addr got;
	char args[256];
	int dev;

	dev = test_vdev_add("role=dpu,functions=pf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	test_pair.dpu = (int16_t)dev;
	dev = test_vdev_add("role=host,function=pf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	test_pair.host = (int16_t)dev;
	snprintf(args, sizeof(args), "dev=%s,role=host", test_dev_info(test_pair.dpu).name);
	TEST_EXPECT(net_port_add_args(DPU, args), 0);
	TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL); /* it is the card's */
	TEST_EXPECT(rte_eth_dev_close(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[DPU]), 0);
	net.there[DPU] = false;
	snprintf(args, sizeof(args), "rep=pf0,dev=%s,role=dpu,server=ports",
		test_dev_info(test_pair.dpu).name);
	TEST_EXPECT(net_port_add_args(DPU, args), 0);
	snprintf(args, sizeof(args), "dev=%s,server=ports,mac=02:00:00:00:00:17",
		test_dev_info(test_pair.host).name);
	TEST_EXPECT(net_port_add_args(HOST, args), 0);
	TEST_EXPECT(rte_eth_macaddr_get(net.ids[HOST], &got), 0);
	TEST_TRUE(rte_is_same_ether_addr(&mac, &got));
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_send(client->conn, "beside", 6), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_CALL(net_send_one(HOST, 0, 64, 1, 1));
	return net_send_one(DPU, 0, 64, 1, 2);
}

/* A start is refused for what the device has, or has not; the same port starts later. */
static int
test_start_refused(void)
{
	static const struct {
		const char *rep;
		int error;
	} rows[] = { { "", -EINVAL }, { ",rep=pf1", -ENODEV }, { ",rep=pf0", -EEXIST } };
	struct test_ep *server;
	char args[256];
	unsigned int i;
	int dev;

	dev = test_vdev_add("role=dpu,functions=pf0:pf0vf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	test_pair.dpu = (int16_t)dev;
	server = test_server_run("net_comch", test_pe_new());
	for (i = 0; i < RTE_DIM(rows); i++) {
		snprintf(args, sizeof(args), "dev=%s%s", test_dev_info(test_pair.dpu).name,
			rows[i].rep);
		TEST_EXPECT(net_port_add_args(DPU, args), 0);
		TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
		TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), rows[i].error);
		if (i == RTE_DIM(rows) - 1)
			break;
		TEST_EXPECT(rte_eth_dev_close(net.ids[DPU]), 0);
		TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[DPU]), 0);
		net.there[DPU] = false;
	}
	TEST_EXPECT(test_ep_close(server), 0); /* it had the name */
	TEST_EXPECT(net_port_add(HOST), 0);
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	return net_send_one(HOST, 0, 64, 1, 1);
}

/* The device that a port has made for itself is taken away between two starts. */
static int
test_own_dev_removed(void)
{
	if (net.place.is_open)
		return test_skip("ports make devices of driver shm only");
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", "comch_shm_net_comch_card"), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	return net_send_one(HOST, 0, 64, 1, 1);
}

static void *
start_card(void *arg)
{
	int *ret = arg;

	*ret = rte_eth_dev_start(net.ids[DPU]);
	return NULL;
}

/* The bus removes one port, with its lock, while the other one makes its device. */
static int
test_remove_beside_start(void)
{
	unsigned int i;
	pthread_t thread;
	int ret, started;

	if (TEST_TSAN)
		return test_skip("two threads use the heap of EAL, whose lock ThreadSanitizer does not see");
	for (i = 0; i < 5; i++) {
		TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
		TEST_CALL(net_port_configure(HOST, 1, 1500, 0));
		TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
		TEST_EXPECT(pthread_create(&thread, NULL, start_card, &started), 0);
		ret = rte_eal_hotplug_remove("vdev", net.names[HOST]);
		pthread_join(thread, NULL);
		net.there[HOST] = ret != 0;
		TEST_EXPECT(ret, 0);
		TEST_EXPECT(started, 0);
		TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
		TEST_EXPECT(rte_eth_dev_close(net.ids[DPU]), 0);
		TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[DPU]), 0);
		net.there[DPU] = false;
		TEST_EXPECT(net_port_add(DPU), 0);
		TEST_EXPECT(net_port_add(HOST), 0);
	}
	return TEST_SUCCESS;
}

/* What a port of ethdev answers to set-up. */
static int
test_api(void)
{
	struct rte_ether_addr mac = { { 2, 0, 0, 0, 0, 1 } }, got;
	struct rte_eth_dev_info info;
	struct rte_eth_conf conf = { .rxmode = { .mtu = 1500 } };
	const struct rte_eth_rxconf rxconf = { .rx_deferred_start = 1 };
	const struct rte_eth_txconf txconf = { .tx_deferred_start = 1 };
	struct rte_eth_stats stats;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[DPU], &info), 0);
	TEST_EXPECT(strcmp(info.driver_name, "net_comch"), 0);
	TEST_EXPECT(rte_eth_dev_configure(net.ids[DPU], 1, 0, &conf), -EINVAL);
	TEST_TRUE(rte_eth_dev_configure(net.ids[DPU], 16, 16, &conf) < 0);
	TEST_EXPECT(rte_eth_dev_configure(net.ids[DPU], 1, 1, &conf), 0);
	/* queues that are not set up yet */
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_EXPECT(rte_eth_stats_reset(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL);
	TEST_EXPECT(rte_eth_rx_queue_setup(net.ids[DPU], 0, NB_DESC, SOCKET_ID_ANY, &rxconf,
				net.pool), -EINVAL);
	TEST_EXPECT(rte_eth_tx_queue_setup(net.ids[DPU], 0, NB_DESC, SOCKET_ID_ANY, &txconf),
		-EINVAL);
	TEST_TRUE(rte_eth_rx_queue_setup(net.ids[DPU], 0, 8, SOCKET_ID_ANY, NULL, net.pool) < 0);
	TEST_TRUE(rte_eth_tx_queue_setup(net.ids[DPU], 0, 8192, SOCKET_ID_ANY, NULL) < 0);
	TEST_EXPECT(rte_eth_rx_queue_setup(net.ids[DPU], 0, NB_DESC, SOCKET_ID_ANY, NULL, net.pool),
		0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL); /* the other one is not set up */
	TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_set_mtu(net.ids[DPU], 1800), 0);
	TEST_EXPECT(rte_eth_dev_set_mtu(net.ids[DPU], 60000), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL); /* no scatter */
	TEST_EXPECT(rte_eth_dev_set_mtu(net.ids[DPU], 1500), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_dev_set_mtu(net.ids[DPU], 1400), -EBUSY);
	TEST_EXPECT(rte_eth_dev_default_mac_addr_set(net.ids[DPU], &mac), 0);
	TEST_EXPECT(rte_eth_macaddr_get(net.ids[DPU], &got), 0);
	TEST_TRUE(rte_is_same_ether_addr(&mac, &got));
	TEST_EXPECT(rte_eth_promiscuous_enable(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_promiscuous_disable(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_allmulticast_enable(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_dev_set_mc_addr_list(net.ids[DPU], &mac, 1), 0);
	/* without a link nothing is taken, and nothing comes */
	m = test_packet(net.pool, 64, 1, 0);
	TEST_EXPECT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1), 0);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, &m, 1), 0);
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* Arguments that are refused, each with a word about the key. */
static int
test_args(void)
{
	static const char * const bad[] = {
		"", "shm=dpu", "shm=card,function=pf0", "dev=comch_shm0,shm=dpu,function=pf0",
		"dev=comch_shm0,function=pf0", "dev=comch_shm0,path=/tmp", "dev=",
		"dev=comch_shm0,dev=comch_shm1", "dev=comch_shm0,server=", "dev=comch_shm0,mac=1",
		"dev=comch_shm0,mac=01:00:00:00:00:01", "dev=comch_shm0,role=both",
		"shm=dpu,function=pf0,role=host", "dev=comch_shm0,speed=1",
		"dev=comch_shm0,meta=", "dev=comch_shm0,meta=some",
		"dev=comch_shm0,role=both,mac=02:00:00:00:00:01", "dev=comch_shm0,server=a,server=b",
	};
	unsigned int i;
	uint16_t id;

	for (i = 0; i < RTE_DIM(bad); i++)
		TEST_ASSERT(rte_eal_hotplug_add("vdev", "net_comch_bad", bad[i]) != 0, "'%s'",
			bad[i]);
	/* what names no device is found out at the start */
	TEST_EXPECT(rte_eal_hotplug_add("vdev", "net_comch_bad", "dev=comch_none"), 0);
	TEST_EXPECT(rte_eth_dev_get_port_by_name("net_comch_bad", &id), 0);
	net.ids[DPU] = id;
	TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(id), -ENODEV);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", "net_comch_bad"), 0);
	return TEST_SUCCESS;
}

#define NET_CASE(fn) TEST_CASE_ST(net_setup, net_teardown, fn)
#define DIRECT_CASE(fn) TEST_CASE_ST(net_direct_setup, net_teardown, fn)
/* A case of before, with pools of the devices. */
#define DIRECT_TOO(fn) TEST_CASE_NAMED(net_direct_setup, net_teardown, #fn "_direct", fn)

static struct unit_test_suite suite = {
	.suite_name = "net_comch: ports of ethdev",
	.unit_test_cases = {
		NET_CASE(test_packets),
		NET_CASE(test_too_long),
		NET_CASE(test_bursts),
		NET_CASE(test_scatter),
		NET_CASE(test_checksums),
		NET_CASE(test_queues),
		NET_CASE(test_queues_most),
		NET_CASE(test_no_mbuf),
		NET_CASE(test_scatter_no_mbuf),
		NET_CASE(test_restart),
		NET_CASE(test_lost_doorbell),
		NET_CASE(test_interrupts),
		NET_CASE(test_stop_while_connecting),
		NET_CASE(test_stop_in_callback),
		NET_CASE(test_removed),
		TEST_CASE_ST(beside_setup, beside_teardown, test_beside),
		TEST_CASE_ST(beside_setup, beside_teardown, test_start_refused),
		NET_CASE(test_own_dev_removed),
		NET_CASE(test_remove_beside_start),
		NET_CASE(test_api),
		NET_CASE(test_args),
		NET_CASE(test_stranger),
		NET_CASE(test_stranger_greets),
		NET_CASE(test_stranger_late),
		NET_CASE(test_stranger_small),
		NET_CASE(test_meta),
		TEST_CASE_ST(net_none_setup, net_teardown, test_meta_none),
		TEST_CASE_ST(net_full_setup, net_teardown, test_meta_full),
		DIRECT_CASE(test_direct),
		DIRECT_CASE(test_direct_registered),
		DIRECT_CASE(test_direct_scatter),
		DIRECT_CASE(test_direct_no_mbuf),
		DIRECT_CASE(test_direct_asleep),
		DIRECT_TOO(test_packets),
		DIRECT_TOO(test_meta),
		TEST_CASE_NAMED(net_full_direct_setup, net_teardown, "test_meta_full_direct",
			test_meta_full),
		DIRECT_TOO(test_stranger_greets),
		DIRECT_TOO(test_too_long),
		DIRECT_TOO(test_queues_most),
		DIRECT_TOO(test_restart),
		DIRECT_TOO(test_interrupts),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(net_comch_autotest, unit_test_suite_runner, &suite)
