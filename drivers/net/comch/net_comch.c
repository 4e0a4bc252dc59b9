/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A port of ethdev on a comch device: its operations, and its coming and going on the bus of
 * virtual devices.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_eal.h>
#include <rte_ethdev.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>

#include <bus_vdev_driver.h>
#include "dpdk_release.h"
#include "net_comch.h"

#define PARAM_STRING "dev=<comch device or PCI address> " \
	"shm=host|dpu function=<string> path=<string> " \
	"server=<string> rep=<string> role=host|dpu mac=<xx:xx:xx:xx:xx:xx> " \
	"meta=none|basic|full"

static struct nc_port *
to_port(const struct rte_eth_dev *eth)
{
	return eth->data->dev_private;
}

static const struct eth_dev_ops ops;

struct nc_port *
nc_port_get(uint16_t port_id)
{
	char name[RTE_ETH_NAME_MAX_LEN];
	struct rte_eth_dev *eth = NULL;

	if (rte_eth_dev_get_name_by_port(port_id, name) == 0)
		eth = rte_eth_dev_allocated(name);
	return eth != NULL && eth->dev_ops == &ops ? to_port(eth) : NULL;
}

/* What it can ask the peer for, who gets the packet as if it had come so. */
#define TX_REQUESTS (RTE_ETH_TX_OFFLOAD_VLAN_INSERT | RTE_ETH_TX_OFFLOAD_QINQ_INSERT | \
	RTE_ETH_TX_OFFLOAD_IPV4_CKSUM | RTE_ETH_TX_OFFLOAD_UDP_CKSUM | \
	RTE_ETH_TX_OFFLOAD_TCP_CKSUM | RTE_ETH_TX_OFFLOAD_SCTP_CKSUM)

static int
dev_infos_get(struct rte_eth_dev *eth, struct rte_eth_dev_info *info)
{
	const uint32_t meta = to_port(eth)->args.meta;
	const struct rte_eth_desc_lim lim = {
		.nb_max = NC_MAX_DESC,
		.nb_min = NC_MIN_DESC,
		.nb_align = 1,
		.nb_seg_max = NC_MAX_SEGS,
		.nb_mtu_seg_max = NC_MAX_SEGS,
	};

	info->max_rx_queues = NC_OFFERED_QUEUES;
	info->max_tx_queues = NC_OFFERED_QUEUES;
	info->max_mac_addrs = 1;
	info->min_rx_bufsize = RTE_ETHER_MIN_LEN;
	info->max_rx_pktlen = NC_MAX_MTU + NC_OVERHEAD;
	info->min_mtu = RTE_ETHER_MIN_MTU;
	info->max_mtu = NC_MAX_MTU;
	info->rx_offload_capa = RTE_ETH_RX_OFFLOAD_SCATTER | RTE_ETH_RX_OFFLOAD_CHECKSUM |
		((meta & RTE_COMCH_META_TIME) != 0 ? RTE_ETH_RX_OFFLOAD_TIMESTAMP : 0);
	info->rx_queue_offload_capa = info->rx_offload_capa;
	info->tx_offload_capa = RTE_ETH_TX_OFFLOAD_MULTI_SEGS |
		((meta & RTE_COMCH_META_TX) != 0 ? TX_REQUESTS : 0);
	info->tx_queue_offload_capa = info->tx_offload_capa;
	info->rx_desc_lim = lim;
	info->tx_desc_lim = lim;
	info->default_rxportconf.ring_size = info->default_txportconf.ring_size = 512;
	info->default_rxportconf.burst_size = info->default_txportconf.burst_size = 32;
	info->default_rxportconf.nb_queues = info->default_txportconf.nb_queues = 1;
	info->speed_capa = RTE_ETH_LINK_SPEED_100G | RTE_ETH_LINK_SPEED_FIXED;
	return 0;
}

static int
dev_configure(struct rte_eth_dev *eth)
{
	if (eth->data->nb_rx_queues != 0 && eth->data->nb_tx_queues != 0)
		return 0;
	NC_LOG(ERR, "%s: a port has at least one queue in each direction", eth->data->name);
	return -EINVAL;
}

/* Whether packets of this size come into one mbuf, or may come into several. */
static int
frame_check(const struct rte_eth_dev *eth, const struct nc_rxq *rxq)
{
	const uint32_t size = to_port(eth)->frame_size;
	const uint32_t room = rte_pktmbuf_data_room_size(rxq->pool) - RTE_PKTMBUF_HEADROOM;

	if (size <= room || rxq->scatter)
		return 0;
	NC_LOG(ERR, "%s: receive queue %u: frames of %u bytes do not fit into mbufs of %u: enable RTE_ETH_RX_OFFLOAD_SCATTER, or take a smaller MTU or larger mbufs",
		eth->data->name, rxq->q.id, size, room);
	return -EINVAL;
}

/* ethdev does not look. */
static int
queues_check(const struct rte_eth_dev *eth)
{
	const struct rte_eth_dev_data *data = eth->data;
	uint16_t i;
	int ret = 0;

	for (i = 0; i < data->nb_tx_queues && ret == 0; i++)
		if (data->tx_queues[i] == NULL)
			ret = -ENOENT;
	for (i = 0; i < data->nb_rx_queues && ret == 0; i++)
		ret = data->rx_queues[i] == NULL ? -ENOENT : frame_check(eth, data->rx_queues[i]);
	if (ret == -ENOENT)
		NC_LOG(ERR, "%s: a queue is not set up: call rte_eth_rx_queue_setup() and rte_eth_tx_queue_setup() for each that was configured",
			data->name);
	return ret == 0 ? 0 : -EINVAL;
}

static void
queue_states_set(struct rte_eth_dev *eth, uint8_t state)
{
	memset(eth->data->rx_queue_state, state, eth->data->nb_rx_queues);
	memset(eth->data->tx_queue_state, state, eth->data->nb_tx_queues);
}

static int
dev_start(struct rte_eth_dev *eth)
{
	struct nc_port *port = to_port(eth);
	int ret;

	port->frame_size = eth->data->mtu + NC_OVERHEAD;
	ret = queues_check(eth);
	if (ret == 0)
		ret = nc_port_start(port);
	if (ret == 0)
		queue_states_set(eth, RTE_ETH_QUEUE_STATE_STARTED);
	return ret;
}

static int
dev_stop(struct rte_eth_dev *eth)
{
	eth->data->dev_started = 0;
	queue_states_set(eth, RTE_ETH_QUEUE_STATE_STOPPED);
	return nc_port_stop(to_port(eth));
}

static void
rx_queue_release(struct rte_eth_dev *eth, uint16_t id)
{
	rte_free(eth->data->rx_queues[id]);
	eth->data->rx_queues[id] = NULL;
}

static void
tx_queue_release(struct rte_eth_dev *eth, uint16_t id)
{
	rte_free(eth->data->tx_queues[id]);
	eth->data->tx_queues[id] = NULL;
}

static int
dev_close(struct rte_eth_dev *eth)
{
	struct nc_port *port = to_port(eth);
	uint16_t i;

	nc_port_forget(port);
	for (i = 0; i < eth->data->nb_rx_queues; i++)
		rx_queue_release(eth, i);
	for (i = 0; i < eth->data->nb_tx_queues; i++)
		tx_queue_release(eth, i);
	/* where the bus removes the port it may be about to look at the next device */
	if (port->own_dev[0] != '\0' && !port->removed)
		rte_vdev_uninit(port->own_dev);
	eth->data->mac_addrs = NULL; /* a part of the port, which ethdev frees */
	return 0;
}

static int
deferred_refuse(const struct rte_eth_dev *eth)
{
	NC_LOG(ERR, "%s: queues start with their port: leave rx_deferred_start and tx_deferred_start 0",
		eth->data->name);
	return -EINVAL;
}

/* What both kinds begin with. */
static void *
queue_new(struct rte_eth_dev *eth, size_t size, uint16_t id, uint16_t nb_desc, unsigned int socket)
{
	struct nc_queue *q = rte_zmalloc_socket("net_comch_queue", size, RTE_CACHE_LINE_SIZE,
			(int)socket);

	if (q == NULL)
		return NULL;
	q->port = to_port(eth);
	q->id = id;
	q->nb_desc = nb_desc;
	return q;
}

static int
rx_queue_setup(struct rte_eth_dev *eth, uint16_t id, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_rxconf *conf, struct rte_mempool *pool)
{
	const uint64_t offloads = conf->offloads | eth->data->dev_conf.rxmode.offloads;
	struct nc_rxq *rxq;

	if (conf->rx_deferred_start != 0)
		return deferred_refuse(eth);
	rxq = queue_new(eth, sizeof(*rxq), id, nb_desc, socket);
	if (rxq == NULL)
		return -ENOMEM;
	rxq->pool = pool;
	rxq->port_id = eth->data->port_id;
	rxq->epfd = rxq->kick_fd = -1;
	rxq->scatter = (offloads & RTE_ETH_RX_OFFLOAD_SCATTER) != 0;
	rxq->cksum = offloads & RTE_ETH_RX_OFFLOAD_CHECKSUM;
	rxq->offloads = offloads;
	eth->data->rx_queues[id] = rxq;
	return 0;
}

static int
tx_queue_setup(struct rte_eth_dev *eth, uint16_t id, uint16_t nb_desc, unsigned int socket,
		const struct rte_eth_txconf *conf)
{
	struct rte_comch_meta_map map;
	struct nc_txq *txq;

	if (conf->tx_deferred_start != 0)
		return deferred_refuse(eth);
	txq = queue_new(eth, sizeof(*txq), id, nb_desc, socket);
	if (txq == NULL)
		return -ENOMEM;
	rte_comch_meta_map_init(to_port(eth)->args.meta, false, &map);
	txq->refused = map.refused;
	txq->offloads = conf->offloads | eth->data->dev_conf.txmode.offloads;
	eth->data->tx_queues[id] = txq;
	return 0;
}

static void
rxq_info_get(struct rte_eth_dev *eth, uint16_t id, struct rte_eth_rxq_info *info)
{
	const struct nc_rxq *rxq = eth->data->rx_queues[id];

	info->mp = rxq->pool;
	info->scattered_rx = rxq->scatter;
	info->nb_desc = rxq->q.nb_desc;
	info->conf.offloads = rxq->offloads;
}

static void
txq_info_get(struct rte_eth_dev *eth, uint16_t id, struct rte_eth_txq_info *info)
{
	const struct nc_txq *txq = eth->data->tx_queues[id];

	info->nb_desc = txq->q.nb_desc;
	info->conf.offloads = RTE_ETH_TX_OFFLOAD_MULTI_SEGS | txq->offloads;
}

static int
rx_burst_mode_get(struct rte_eth_dev *eth, uint16_t id, struct rte_eth_burst_mode *mode)
{
	const struct nc_rxq *rxq = eth->data->rx_queues[id];
	struct rte_comch_mem_info info;

	if (eth->data->dev_started == 0 || rte_comch_mem_info_get(rxq->mem, &info) != 0)
		return -EINVAL; /* which of them is found out at the start */
	snprintf(mode->info, sizeof(mode->info), "%s", !rxq->direct ? "Copied" :
		info.how == RTE_COMCH_MEM_HOW_BOUNCE ? "Bounced" : "Direct");
	return 0;
}

/* The control thread keeps it up to date. */
static int
link_update(struct rte_eth_dev *eth __rte_unused, int wait_to_complete __rte_unused)
{
	return 0;
}

/* There is one peer: what it sends is for this port. */
static int
accept_all(struct rte_eth_dev *eth __rte_unused)
{
	return 0;
}

static int
set_mc_addr_list(struct rte_eth_dev *eth __rte_unused, struct rte_ether_addr *addrs __rte_unused,
		uint32_t nb __rte_unused)
{
	return 0; /* nothing is filtered */
}

static int
mac_addr_set(struct rte_eth_dev *eth __rte_unused, struct rte_ether_addr *addr __rte_unused)
{
	return 0; /* ethdev keeps it; nothing is filtered by it */
}

static int
mtu_set(struct rte_eth_dev *eth, uint16_t mtu __rte_unused)
{
	if (eth->data->dev_started == 0)
		return 0;
	NC_LOG(ERR, "%s: stop the port first: the peer has frames of the former size",
		eth->data->name);
	return -EBUSY;
}

static int
stats_get(struct rte_eth_dev *eth, struct rte_eth_stats *stats)
{
	const struct nc_rxq *rxq;
	const struct nc_txq *txq;
	uint16_t i;

	for (i = 0; i < eth->data->nb_rx_queues; i++) {
		rxq = eth->data->rx_queues[i];
		if (rxq == NULL)
			continue; /* not set up yet */
		stats->ipackets += rxq->q.pkts;
		stats->ibytes += rxq->q.bytes;
		stats->ierrors += rxq->q.errors;
		stats->rx_nombuf += rxq->no_mbuf;
		if (i < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
			stats->q_ipackets[i] = rxq->q.pkts;
			stats->q_ibytes[i] = rxq->q.bytes;
			stats->q_errors[i] = rxq->q.errors;
		}
	}
	for (i = 0; i < eth->data->nb_tx_queues; i++) {
		txq = eth->data->tx_queues[i];
		if (txq == NULL)
			continue;
		stats->opackets += txq->q.pkts;
		stats->obytes += txq->q.bytes;
		stats->oerrors += txq->q.errors;
		if (i < RTE_ETHDEV_QUEUE_STAT_CNTRS) {
			stats->q_opackets[i] = txq->q.pkts;
			stats->q_obytes[i] = txq->q.bytes;
		}
	}
	return 0;
}

static void
counters_reset(struct nc_queue *q)
{
	q->pkts = q->bytes = q->errors = 0;
}

static int
stats_reset(struct rte_eth_dev *eth)
{
	struct nc_rxq *rxq;
	uint16_t i;

	for (i = 0; i < eth->data->nb_rx_queues; i++) {
		rxq = eth->data->rx_queues[i];
		if (rxq == NULL)
			continue;
		counters_reset(&rxq->q);
		rxq->no_mbuf = 0;
	}
	for (i = 0; i < eth->data->nb_tx_queues; i++)
		if (eth->data->tx_queues[i] != NULL)
			counters_reset(&((struct nc_txq *)eth->data->tx_queues[i])->q);
	return 0;
}

static const struct eth_dev_ops ops = {
	.dev_configure = dev_configure,
	.dev_start = dev_start,
	.dev_stop = dev_stop,
	.dev_close = dev_close,
	.link_update = link_update,
	.promiscuous_enable = accept_all,
	.promiscuous_disable = accept_all,
	.allmulticast_enable = accept_all,
	.allmulticast_disable = accept_all,
	.mac_addr_set = mac_addr_set,
	.set_mc_addr_list = set_mc_addr_list,
	.mtu_set = mtu_set,
	.stats_get = stats_get,
	.stats_reset = stats_reset,
	.dev_infos_get = dev_infos_get,
	.rxq_info_get = rxq_info_get,
	.txq_info_get = txq_info_get,
	.rx_burst_mode_get = rx_burst_mode_get,
	.rx_queue_setup = rx_queue_setup,
	.rx_queue_release = rx_queue_release,
	.rx_queue_intr_enable = nc_rx_intr_enable,
	.rx_queue_intr_disable = nc_rx_intr_disable,
	.tx_queue_setup = tx_queue_setup,
	.tx_queue_release = tx_queue_release,
};

static int
net_comch_probe(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);
	struct rte_eth_dev *eth;
	struct nc_args args;
	struct nc_port *port;
	int ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		NC_LOG(ERR, "%s: a port belongs to the primary process: its connection cannot be shared",
			name);
		return -ENOTSUP;
	}
	ret = nc_args_parse(name, rte_vdev_device_args(vdev), &args);
	if (ret != 0)
		return ret;
	eth = rte_eth_dev_allocate(name);
	if (eth == NULL)
		return -ENOMEM;
	port = rte_zmalloc_socket(name, sizeof(*port), RTE_CACHE_LINE_SIZE,
			vdev->device.numa_node);
	if (port == NULL) {
		rte_eth_dev_release_port(eth);
		return -ENOMEM;
	}
	port->args = args;
	port->eth = eth;
	eth->device = &vdev->device;
	eth->intr_handle = NULL;
	eth->data->numa_node = vdev->device.numa_node;
	eth->data->dev_private = port;
	eth->data->mac_addrs = &port->args.mac;
	eth->data->dev_link.link_duplex = RTE_ETH_LINK_FULL_DUPLEX;
	eth->data->dev_flags = RTE_ETH_DEV_AUTOFILL_QUEUE_XSTATS | RTE_ETH_DEV_INTR_LSC;
	eth->data->promiscuous = 1;
	eth->data->all_multicast = 1;
	eth->dev_ops = &ops;
	eth->rx_pkt_burst = nc_rx_burst;
	eth->tx_pkt_burst = nc_tx_burst;
	eth->tx_pkt_prepare = nc_tx_prepare;
	eth->tx_descriptor_status = nc_tx_descriptor_status;
	rte_eth_dev_probing_finish(eth);
	return 0;
}

static int
net_comch_remove(struct rte_vdev_device *vdev)
{
	struct rte_eth_dev *eth = rte_eth_dev_allocated(rte_vdev_device_name(vdev));
	int ret = 0;

	if (eth == NULL)
		return 0;
	to_port(eth)->removed = true;
	if (eth->data->dev_started != 0)
		ret = rte_eth_dev_stop(eth->data->port_id);
	return ret == 0 ? rte_eth_dev_close(eth->data->port_id) : ret;
}

static struct rte_vdev_driver driver = {
	.probe = net_comch_probe,
	.remove = net_comch_remove,
};

RTE_PMD_REGISTER_VDEV(net_comch, driver);
RTE_PMD_REGISTER_PARAM_STRING(net_comch, PARAM_STRING);
