/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch: receive queues that are direct, and when they are.
 */

#include <rte_comch.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_pmd_net_comch.h>

#include "test_comch_fp_util.h"
#include "test_comch_util.h"
#include "test_net_comch.h"

/* A pool of the device: which queues are direct with it, and when it can be freed. */
int
test_direct(void)
{
	struct rte_eth_burst_mode mode;

	TEST_TRUE(rte_pmd_net_comch_pool_create(RTE_MAX_ETHPORTS, "x", 8, 0, 2048) == NULL &&
		rte_errno == ENODEV);
	TEST_TRUE(rte_pmd_net_comch_pool_create(net.ids[DPU], net.pool->name, 8, 0, 2048) ==
		NULL && rte_errno == EEXIST);
	TEST_TRUE(rte_pmd_net_comch_pool_create(net.ids[DPU], "x", 0, 0, 2048) == NULL &&
		rte_errno == EINVAL);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pool), -EINVAL);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(NULL), 0);
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_CALL(net_mode_check(DPU, "Direct"));
	TEST_CALL(net_mode_check(HOST, "Direct"));
	TEST_CALL(net_send_one(HOST, 0, 64, 1, 1));
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[DPU]), -EBUSY);
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_rx_burst_mode_get(net.ids[DPU], 0, &mode), -EINVAL);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[DPU]), 0);
	/* that of a port which waits for its peer */
	NET_WAIT(!net_link_is_up(HOST), UP_MS);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[HOST]), -EBUSY);
	net.pools[DPU] = NULL;
	/* one side is direct, and the other one copies */
	TEST_EXPECT(rte_eth_rx_queue_setup(net.ids[DPU], 0, NB_DESC, SOCKET_ID_ANY, NULL,
			net.pool), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	TEST_CALL(net_mode_check(DPU, "Copied"));
	TEST_CALL(net_mode_check(HOST, "Direct"));
	TEST_CALL(net_send_one(HOST, 0, 64, 1, 2));
	TEST_CALL(net_send_one(DPU, 0, 1522, 2, 3));
	/* a pool that is made while the port is started */
	net.pools[DPU] = rte_pmd_net_comch_pool_create(net.ids[DPU], "net_comch_direct_late",
			NB_MBUFS, 0, RTE_MBUF_DEFAULT_BUF_SIZE);
	TEST_TRUE(net.pools[DPU] != NULL);
	return TEST_SUCCESS;
}

/* A pool of the application that the device knows: shm copies to it, BlueField does not. */
int
test_direct_registered(void)
{
	struct rte_comch_mem *mem;
	int dev = net.place.is_open ? net.devs[DPU] :
		rte_comch_dev_get_id_by_name("comch_shm_net_comch_card");
	unsigned int i;

	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[DPU]), 0);
	net.pools[DPU] = NULL;
	TEST_EXPECT(rte_comch_mem_pool_register((int16_t)dev, net.pool,
			RTE_COMCH_MEM_F_PEER_WRITE, &mem), 0);
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_CALL(net_mode_check(DPU, net.place.is_open ? "Direct" : "Bounced"));
	for (i = 0; i < 2 * NB_DESC; i++)
		TEST_CALL(net_send_one(i % 2 == 0 ? HOST : DPU, 0, 60 + i % 1400, 1, i));
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return TEST_SUCCESS;
}

/* The pool of a direct queue is empty for a while: the sender waits, and nothing is lost. */
int
test_direct_no_mbuf(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got[NB_DESC];
	struct rte_eth_stats stats;
	unsigned int nb = 0, nb_got = 0, i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	NET_WAIT(rte_eth_tx_descriptor_status(net.ids[HOST], 0, NB_DESC - 1) ==
		RTE_ETH_TX_DESC_DONE, TEST_MS);
	TEST_EXPECT(rte_eth_tx_descriptor_status(net.ids[HOST], 0, NB_DESC), -EINVAL);
	while (nb < NB_MBUFS && (held[nb] = rte_pktmbuf_alloc(net.pools[DPU])) != NULL)
		nb++;
	TEST_EXPECT(nb, NB_MBUFS - NB_DESC);
	for (i = 0; i < NB_DESC; i++) {
		m = test_packet(net.pools[HOST], 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	}
	TEST_EXPECT(rte_eth_tx_descriptor_status(net.ids[HOST], 0, 0), RTE_ETH_TX_DESC_FULL);
	NET_WAIT((nb_got += rte_eth_rx_burst(net.ids[DPU], 0, &got[nb_got],
			(uint16_t)(NB_DESC - nb_got))) == NB_DESC, TEST_MS);
	for (i = 0; i < 10; i++)
		TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, &m, 1), 0);
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_EXPECT(stats.rx_nombuf, 10);
	m = test_packet(net.pools[HOST], 64, 1, NB_DESC);
	TEST_EXPECT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1), 0);
	for (i = 0; i < NB_DESC; i++)
		TEST_CALL(net_packet_check(got[i], DPU, 64, i));
	rte_pktmbuf_free_bulk(held, nb);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, got, 1), 0);
	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, got, 1) == 1, TEST_MS);
	return net_packet_check(got[0], DPU, 64, NB_DESC);
}
