/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What applications call by name: pools that receive queues are direct with. A pool is a
 * region of the port's comch device, and no list of them is kept here.
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_ethdev.h>

#include "net_comch.h"
#include "rte_pmd_net_comch.h"

/* @return the comch device of a port, or a negative errno */
static int
port_dev_get(uint16_t port_id)
{
	struct nc_port *port;
	int ret;

	if (!rte_eth_dev_is_valid_port(port_id))
		return -ENODEV;
	port = nc_port_get(port_id);
	if (port == NULL)
		return -ENOTSUP;
	/* one that is started has it, and belongs to the control thread */
	ret = port->eth->data->dev_started != 0 ? 0 : nc_args_dev_find(port);
	return ret == 0 ? port->comch : ret;
}

struct rte_mempool *
rte_pmd_net_comch_pool_create(uint16_t port_id, const char *name, uint32_t nb,
		uint32_t cache_size, uint16_t data_room)
{
	struct rte_comch_mem_info info = { .pool = NULL };
	struct rte_comch_mem *mem;
	int ret = port_dev_get(port_id);

	if (ret >= 0)
		ret = rte_comch_mem_pool_create((int16_t)ret, name, nb, cache_size, data_room,
				RTE_COMCH_MEM_F_PEER_WRITE | RTE_COMCH_MEM_F_NO_BOUNCE, &mem);
	if (ret == 0)
		ret = rte_comch_mem_info_get(mem, &info);
	if (ret != 0)
		rte_errno = -ret;
	return info.pool;
}

/* By a port that is started: it has the region also while it has no peer. */
static bool
pool_is_received_into(const struct rte_mempool *pool)
{
	struct nc_port *port;
	struct nc_rxq *rxq;
	uint16_t id, i;

	RTE_ETH_FOREACH_DEV(id) {
		port = nc_port_get(id);
		if (port == NULL || port->eth->data->dev_started == 0)
			continue;
		for (i = 0; i < port->eth->data->nb_rx_queues; i++) {
			rxq = port->eth->data->rx_queues[i];
			if (rxq != NULL && rxq->pool == pool)
				return true;
		}
	}
	return false;
}

int
rte_pmd_net_comch_pool_free(struct rte_mempool *pool)
{
	struct rte_comch_mem_info info;
	struct rte_comch_mem *mem;
	int16_t dev_id;

	if (pool == NULL)
		return 0;
	if (pool_is_received_into(pool))
		return -EBUSY;
	RTE_COMCH_FOREACH_DEV(dev_id) {
		mem = rte_comch_mem_pool_find(dev_id, pool, RTE_COMCH_MEM_F_PEER_WRITE);
		/* the memory of one that was registered is the application's */
		if (mem != NULL && rte_comch_mem_info_get(mem, &info) == 0 && info.page_size != 0)
			return rte_comch_mem_free(mem);
	}
	return -EINVAL;
}
