/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch: what all cases have, of which none is here.
 */

#include <unistd.h>

#include <rte_epoll.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_pmd_net_comch.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"
#include "test_comch_util.h"
#include "test_net_comch.h"

struct test_net net = { .names = { "net_comch_card", "net_comch_host" }, .more = "" };

/* What a side sends from and receives into. */
struct rte_mempool *
net_pool_of(unsigned int side)
{
	return net.pools[side] != NULL ? net.pools[side] : net.pool;
}

bool
net_link_is_up(unsigned int side)
{
	struct rte_eth_link link = { .link_status = 0 };

	return rte_eth_link_get_nowait(net.ids[side], &link) == 0 &&
		link.link_status == RTE_ETH_LINK_UP;
}

static int
link_changed(uint16_t port_id, enum rte_eth_event_type event __rte_unused, void *arg __rte_unused,
		void *ret __rte_unused)
{
	if (__atomic_load_n(&net.lsc_stops, __ATOMIC_ACQUIRE))
		net.lsc_ret = rte_eth_dev_stop(port_id);
	__atomic_fetch_add(&net.nb_lsc, 1, __ATOMIC_RELEASE);
	return 0;
}

int
net_port_add_args(unsigned int side, const char *args)
{
	int ret = rte_eal_hotplug_add("vdev", net.names[side], args);

	if (ret != 0)
		return ret;
	net.there[side] = true;
	return rte_eth_dev_get_port_by_name(net.names[side], &net.ids[side]);
}

/* On a device of its own, or on the one of BlueField. */
int
net_port_add(unsigned int side)
{
	char args[PATH_MAX + 256];

	if (net.place.is_open)
		snprintf(args, sizeof(args), "dev=%s%s%s%s", test_dev_info(net.devs[side]).name,
			side == DPU ? ",rep=" : "", side == DPU ? test_place_function(0) : "",
			net.more);
	else
		snprintf(args, sizeof(args), "shm=%s,function=pf0,path=%s%s",
			side == DPU ? "dpu" : "host", net.path, net.more);
	return net_port_add_args(side, args);
}

int
net_port_configure(unsigned int side, uint16_t nb_queues, uint16_t mtu, uint64_t rx_offloads)
{
	struct rte_eth_conf conf = {
		.rxmode = { .mtu = mtu, .offloads = rx_offloads },
		.txmode = { .offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS },
		.intr_conf = { .lsc = side == HOST, .rxq = side == HOST },
	};
	uint16_t i;

	TEST_EXPECT(rte_eth_dev_configure(net.ids[side], nb_queues, nb_queues, &conf), 0);
	for (i = 0; i < nb_queues; i++) {
		TEST_EXPECT(rte_eth_rx_queue_setup(net.ids[side], i, NB_DESC, SOCKET_ID_ANY, NULL,
					net_pool_of(side)), 0);
		TEST_EXPECT(rte_eth_tx_queue_setup(net.ids[side], i, NB_DESC, SOCKET_ID_ANY, NULL),
			0);
	}
	return TEST_SUCCESS;
}

int
net_ports_up(uint16_t nb_card, uint16_t nb_host, uint16_t mtu, uint64_t rx_offloads)
{
	TEST_CALL(net_port_configure(DPU, nb_card, mtu, rx_offloads));
	TEST_CALL(net_port_configure(HOST, nb_host, mtu, rx_offloads));
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0); /* it waits for the other */
	TEST_TRUE(!net_link_is_up(HOST));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	return TEST_SUCCESS;
}

int
net_packet_check(struct rte_mbuf *m, unsigned int side, uint32_t len, uint32_t seed)
{
	static uint8_t data[UINT16_MAX];
	const uint8_t *text = rte_pktmbuf_read(m, 0, len, data);

	TEST_EXPECT(m->pkt_len, len);
	TEST_EXPECT(m->port, net.ids[side]);
	TEST_EXPECT(m->ol_flags, net.pools[side] != NULL ? RTE_MBUF_F_EXTERNAL : 0);
	TEST_TRUE(m->tx_offload == 0 && m->packet_type == 0);
	TEST_TRUE(text != NULL && test_check(text, len, seed));
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* One packet, from one side to the other. */
int
net_send_one(unsigned int from, uint16_t queue, uint32_t len, uint16_t nb_segs, uint32_t seed)
{
	struct rte_mbuf *m = test_packet(net_pool_of(from), len, nb_segs, seed), *got = NULL;
	unsigned int to = from == DPU ? HOST : DPU;

	NET_WAIT(rte_eth_tx_burst(net.ids[from], queue, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[to], queue, &got, 1) == 1, TEST_MS);
	return net_packet_check(got, to, len, seed);
}

int
net_setup_pool(void)
{
	memset(&net.there, 0, sizeof(net.there));
	memset(&net.pools, 0, sizeof(net.pools));
	__atomic_store_n(&net.nb_lsc, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&net.lsc_stops, false, __ATOMIC_RELAXED);
	TEST_EXPECT(test_rendezvous_create(net.path, sizeof(net.path)), 0);
	net.pool = rte_pktmbuf_pool_create("net_comch_test", NB_MBUFS, 64, 0,
			RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	TEST_TRUE(net.pool != NULL);
	return TEST_SUCCESS;
}

int
net_setup(void)
{
	int card, host;

	TEST_CALL(net_setup_pool());
	if (test_place_is_bluefield()) {
		TEST_CALL(test_place_open(&net.place));
		card = test_place_card(&net.place);
		host = test_place_host(&net.place, test_place_function(0));
		TEST_TRUE(card >= 0 && host >= 0);
		net.devs[DPU] = (int16_t)card;
		net.devs[HOST] = (int16_t)host;
	}
	TEST_EXPECT(net_port_add(DPU), 0);
	TEST_EXPECT(net_port_add(HOST), 0);
	return rte_eth_dev_callback_register(net.ids[HOST], RTE_ETH_EVENT_INTR_LSC, link_changed,
			NULL);
}

/* Two ports with pools of their devices, which nobody has started yet. */
int
net_direct_setup(void)
{
	static const char * const names[] = { "net_comch_direct_card", "net_comch_direct_host" };
	unsigned int i;

	TEST_CALL(net_setup());
	for (i = 0; i < 2; i++) {
		net.pools[i] = rte_pmd_net_comch_pool_create(net.ids[i], names[i], NB_MBUFS, 64,
				RTE_MBUF_DEFAULT_BUF_SIZE);
		TEST_ASSERT(net.pools[i] != NULL, "%s", rte_strerror(rte_errno));
	}
	return TEST_SUCCESS;
}

void
net_teardown(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (!net.there[i])
			continue;
		/* with what it has made for itself */
		rte_eth_dev_stop(net.ids[i]);
		if (rte_pmd_net_comch_pool_free(net.pools[i]) != 0)
			test_fail("the pool of %s is not freed", net.names[i]);
		rte_eth_dev_close(net.ids[i]);
		if (rte_eal_hotplug_remove("vdev", net.names[i]) != 0)
			test_fail("%s is not removed", net.names[i]);
	}
	if (net.pool != NULL && rte_mempool_avail_count(net.pool) != NB_MBUFS)
		test_fail("%u mbufs are lost", NB_MBUFS - rte_mempool_avail_count(net.pool));
	rte_mempool_free(net.pool);
	net.pool = NULL;
	for (i = 0; i < 2 && net.place.is_open; i++)
		if (test_vdev_remove(net.devs[i]) != 0)
			test_fail("device %d is not removed", net.devs[i]);
	test_place_close(&net.place);
	net.more = "";
	test_folder_empty(net.path);
	rmdir(net.path);
}

int
net_none_setup(void)
{
	net.more = ",meta=none";
	return net_setup();
}

int
net_full_setup(void)
{
	net.more = ",meta=full";
	return net_setup();
}

int
net_full_direct_setup(void)
{
	net.more = ",meta=full";
	return net_direct_setup();
}

/* Ready for a sleep, and what it ends by. @return as rte_epoll_wait() */
int
net_sleep_ms(int ms)
{
	struct rte_epoll_event ev;
	int ret = rte_eth_dev_rx_intr_enable(net.ids[HOST], 0);

	return ret != 0 ? ret : rte_epoll_wait(RTE_EPOLL_PER_THREAD, &ev, 1, ms);
}

/* How a started port's receive queue gets its packets. */
int
net_mode_check(unsigned int side, const char *want)
{
	struct rte_eth_burst_mode mode;

	TEST_EXPECT(rte_eth_rx_burst_mode_get(net.ids[side], 0, &mode), 0);
	TEST_ASSERT(strcmp(mode.info, want) == 0, "%s, and not %s", mode.info, want);
	return TEST_SUCCESS;
}
