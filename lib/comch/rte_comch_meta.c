/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What of packets crosses beside their bytes, as it is set up. Headers are written and read
 * in rte_comch_meta.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_errno.h>

#include "rte_comch_meta.h"

/* What requests become at the receiver. */
#define REQUESTED (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ | \
	RTE_MBUF_F_RX_QINQ_STRIPPED | RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK)

int
rte_comch_meta_map_init(uint32_t meta, bool receive, struct rte_comch_meta_map *map)
{
	int offset = 0, flag = -1;

	if (map == NULL || (meta & ~RTE_COMCH_META_ALL) != 0)
		return -EINVAL;
	memset(map, 0, sizeof(*map));
	if ((meta & RTE_COMCH_META_TIME) != 0) {
		if (receive) {
			if (rte_mbuf_dyn_rx_timestamp_register(&offset, &map->time_flag) != 0)
				return rte_errno != 0 ? -rte_errno : -ENOENT;
		} else {
			offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);
			flag = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_RX_TIMESTAMP_NAME, NULL);
			map->time_flag = offset >= 0 && flag >= 0 ? RTE_BIT64(flag) : 0;
		}
		map->time_offset = offset;
		map->wire_flags |= RTE_COMCH_META_WIRE_F_TIME;
	}
	map->flags = map->time_flag;
	if ((meta & RTE_COMCH_META_RX) != 0) {
		map->flags |= RTE_COMCH_META_MBUF_RX;
		map->wire_flags |= RTE_COMCH_META_WIRE_F_RX;
		map->types = RTE_COMCH_META_WIRE_PTYPES;
	}
	if ((meta & RTE_COMCH_META_TX) != 0) {
		map->flags |= RTE_COMCH_META_MBUF_TX;
		map->wire_flags |= REQUESTED;
	}
	map->refused = RTE_COMCH_META_MBUF_REQUESTS & ~(map->flags & RTE_COMCH_META_MBUF_TX);
	map->no_port = (meta & RTE_COMCH_META_PORT) != 0 ? 0 : UINT16_MAX;
	map->any = meta != 0;
	return 0;
}
