/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_META_H
#define RTE_COMCH_META_H

/**
 * @file
 *
 * Metadata of packets: what crosses beside the bytes of an mbuf, as immediate data of its
 * message. Drivers write and read it in their bursts of packets. Applications include this
 * file if they receive packets into memory of their own, by rte_comch_queue_poll_burst().
 *
 * A consumer asks for it with struct rte_comch_consumer_conf::meta. A packet that has nothing
 * of what was asked for has no immediate data. All numbers are little endian, and nothing
 * of it is an address, or the length of something that is read.
 */

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_byteorder.h>
#include <rte_compat.h>
#include <rte_config.h>
#include <rte_mbuf.h>
#include <rte_mbuf_dyn.h>

#include <rte_comch_queue.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The header. Flags have the numbers of RTE_MBUF_F_RX_*, see RTE_COMCH_META_WIRE_F_RX, and
 * packet_type those of RTE_PTYPE_*.
 */
struct rte_comch_meta {
	uint32_t flags_l4;       /**< Flags, 24 bits; l4_len above them. */
	uint32_t packet_type;    /**< 28 bits. */
	uint16_t vlan_tci;       /**< Without its flag it says nothing, and may be any. */
	uint16_t vlan_tci_outer; /**< The same. */
	uint16_t port;           /**< Of the sender; RTE_MBUF_PORT_INVALID: none. */
	uint16_t l2_l3;          /**< l2_len, 7 bits; l3_len above it. */
	uint32_t hash;           /**< The same: RSS hash, or the lower half of a flow's mark. */
	uint32_t mark;           /**< The same: the upper half. */
	uint64_t time;           /**< If a flag says so, of the clock of the sender's port. */
};

/** Flags that a port sets when it receives. */
#define RTE_COMCH_META_WIRE_F_RX UINT32_C(0x70e1ff)
/** There is a time. */
#define RTE_COMCH_META_WIRE_F_TIME RTE_BIT32(23)
/** Shift of l4_len. */
#define RTE_COMCH_META_WIRE_L4_SHIFT 24
/** Shift of l3_len. */
#define RTE_COMCH_META_WIRE_L3_SHIFT 7
/** Bits of a packet type. */
#define RTE_COMCH_META_WIRE_PTYPES UINT32_C(0x0fffffff)

/** @cond the mbuf's numbers are ours, so long as these hold */
#define RTE_COMCH_META_MBUF_RX (RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_RSS_HASH | \
	RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_L4_CKSUM_MASK | RTE_MBUF_F_RX_IP_CKSUM_MASK | \
	RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD | RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_FDIR_ID | \
	RTE_MBUF_F_RX_FDIR_FLX | RTE_MBUF_F_RX_QINQ_STRIPPED | RTE_MBUF_F_RX_QINQ | \
	RTE_MBUF_F_RX_OUTER_L4_CKSUM_MASK)
static_assert(RTE_COMCH_META_MBUF_RX == RTE_COMCH_META_WIRE_F_RX, "wire");
static_assert(RTE_MBUF_F_RX_VLAN == 1 << 0 && RTE_MBUF_F_RX_RSS_HASH == 1 << 1 &&
	RTE_MBUF_F_RX_FDIR == 1 << 2 && RTE_MBUF_F_RX_L4_CKSUM_BAD == 1 << 3 &&
	RTE_MBUF_F_RX_IP_CKSUM_BAD == 1 << 4 && RTE_MBUF_F_RX_OUTER_IP_CKSUM_BAD == 1 << 5 &&
	RTE_MBUF_F_RX_VLAN_STRIPPED == 1 << 6 && RTE_MBUF_F_RX_IP_CKSUM_GOOD == 1 << 7 &&
	RTE_MBUF_F_RX_L4_CKSUM_GOOD == 1 << 8 && RTE_MBUF_F_RX_FDIR_ID == 1 << 13 &&
	RTE_MBUF_F_RX_FDIR_FLX == 1 << 14 && RTE_MBUF_F_RX_QINQ_STRIPPED == 1 << 15 &&
	RTE_MBUF_F_RX_QINQ == 1 << 20 && RTE_MBUF_F_RX_OUTER_L4_CKSUM_BAD == 1 << 21 &&
	RTE_MBUF_F_RX_OUTER_L4_CKSUM_GOOD == 1 << 22, "wire");
static_assert(offsetof(struct rte_comch_meta, packet_type) == 4, "wire");
static_assert(offsetof(struct rte_comch_meta, vlan_tci) == 8, "wire");
static_assert(offsetof(struct rte_comch_meta, vlan_tci_outer) == 10, "wire");
static_assert(offsetof(struct rte_comch_meta, port) == 12, "wire");
static_assert(offsetof(struct rte_comch_meta, l2_l3) == 14, "wire");
static_assert(offsetof(struct rte_comch_meta, hash) == 16, "wire");
static_assert(offsetof(struct rte_comch_meta, mark) == 20, "wire");
static_assert(offsetof(struct rte_comch_meta, time) == 24, "wire");
static_assert(sizeof(struct rte_comch_meta) == RTE_COMCH_META_SIZE, "wire");
/** @endcond */

/** Requests of an mbuf to the port that sends it, which can be carried to the peer. */
#define RTE_COMCH_META_MBUF_TX (RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_L4_MASK | \
	RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ)
/** What an mbuf says of its headers, which is no request. */
#define RTE_COMCH_META_MBUF_HINTS (RTE_MBUF_F_TX_IPV4 | RTE_MBUF_F_TX_IPV6 | \
	RTE_MBUF_F_TX_OUTER_IPV4 | RTE_MBUF_F_TX_OUTER_IPV6 | RTE_MBUF_F_TX_TUNNEL_MASK)

/** All requests: what a consumer that asks for nothing refuses. */
#define RTE_COMCH_META_MBUF_REQUESTS (RTE_MBUF_F_TX_OFFLOAD_MASK & ~RTE_COMCH_META_MBUF_HINTS)

/** What of a packet crosses, as bursts look at it. @see rte_comch_meta_map_init() */
struct rte_comch_meta_map {
	uint64_t flags;      /**< Of ol_flags: they say that there is something. */
	uint64_t refused;    /**< Of ol_flags: requests that nobody would do. */
	uint64_t time_flag;  /**< Of ol_flags: there is a time. 0: this process has none. */
	uint32_t types;      /**< Of packet_type. */
	uint32_t wire_flags; /**< Of the header, that are read. */
	uint16_t no_port;    /**< 0xffff: the port does not cross. */
	bool any;            /**< Something crosses. */
	int32_t time_offset; /**< Of the time in an mbuf. */
	uint64_t reserved[2]; /**< Zero. */
};

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Say what of packets crosses. In any thread; not for bursts.
 *
 * @param meta
 *   RTE_COMCH_META_* flags; of a peer, unknown ones are left out before.
 * @param receive
 *   Whether it is for a consumer. Then RTE_COMCH_META_TIME registers the dynamic field for
 *   times of reception; a sender has times if somebody has registered it.
 * @param[out] map
 *   What rte_comch_meta_has() and others take.
 * @return
 *   - 0 on success.
 *   - -EINVAL: an unknown flag, or map is NULL.
 *   - -ENOENT, -ENOMEM, or another negative errno of rte_mbuf_dyn_rx_timestamp_register().
 */
__rte_experimental
int rte_comch_meta_map_init(uint32_t meta, bool receive, struct rte_comch_meta_map *map);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Whether something of a packet crosses beside its bytes.
 *
 * @param map
 *   What its consumer has asked for.
 * @param m
 *   The packet.
 * @return
 *   The same; then its message has rte_comch_meta_put().
 */
__rte_experimental
static inline bool
rte_comch_meta_has(const struct rte_comch_meta_map *map, const struct rte_mbuf *m)
{
	return (m->ol_flags & map->flags) != 0 || (m->packet_type & map->types) != 0 ||
		(uint16_t)(m->port | map->no_port) != RTE_MBUF_PORT_INVALID;
}

/**
 * @internal
 * Requests, as a receiver finds them: a tag to insert is one that was taken out; a checksum
 * to fill in is not in the packet, which is whole nevertheless.
 *
 * @param m
 *   A packet.
 * @param ol_flags
 *   Those of its flags that are carried.
 * @param[out] to
 *   Where lengths go.
 * @return
 *   The flags of the header.
 */
__rte_experimental
static inline uint64_t
rte_comch_meta_put_requests(const struct rte_mbuf *m, uint64_t ol_flags, struct rte_comch_meta *to)
{
	uint64_t flags = ol_flags & RTE_COMCH_META_MBUF_RX;

	if ((ol_flags & (RTE_MBUF_F_TX_VLAN | RTE_MBUF_F_TX_QINQ)) != 0)
		flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	if ((ol_flags & RTE_MBUF_F_TX_QINQ) != 0)
		flags |= RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED;
	if ((ol_flags & RTE_MBUF_F_TX_IP_CKSUM) != 0)
		flags |= RTE_MBUF_F_RX_IP_CKSUM_NONE;
	if ((ol_flags & RTE_MBUF_F_TX_L4_MASK) != 0)
		flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
	to->l2_l3 = rte_cpu_to_le_16((uint16_t)(m->l2_len |
			m->l3_len << RTE_COMCH_META_WIRE_L3_SHIFT));
	return flags | (uint64_t)m->l4_len << RTE_COMCH_META_WIRE_L4_SHIFT;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Write the header of a packet.
 *
 * @param map
 *   What its consumer has asked for.
 * @param m
 *   The packet.
 * @param[out] to
 *   The header.
 */
__rte_experimental
static inline void
rte_comch_meta_put(const struct rte_comch_meta_map *map, const struct rte_mbuf *m,
		struct rte_comch_meta *to)
{
	const uint64_t asked = m->ol_flags & map->flags;
	uint64_t flags = asked & RTE_COMCH_META_MBUF_RX;

	to->l2_l3 = 0;
	to->time = 0;
	if (unlikely((asked & RTE_COMCH_META_MBUF_TX) != 0))
		flags = rte_comch_meta_put_requests(m, asked, to);
	if (unlikely((asked & map->time_flag) != 0)) {
		flags |= RTE_COMCH_META_WIRE_F_TIME;
		to->time = rte_cpu_to_le_64(*RTE_MBUF_DYNFIELD(m, map->time_offset,
			const rte_mbuf_timestamp_t *));
	}
	to->flags_l4 = rte_cpu_to_le_32((uint32_t)flags);
	to->packet_type = rte_cpu_to_le_32(m->packet_type & map->types);
	to->vlan_tci = rte_cpu_to_le_16(m->vlan_tci);
	to->vlan_tci_outer = rte_cpu_to_le_16(m->vlan_tci_outer);
	to->port = rte_cpu_to_le_16((uint16_t)(m->port | map->no_port));
	to->hash = rte_cpu_to_le_32(m->hash.fdir.lo);
	to->mark = rte_cpu_to_le_32(m->hash.fdir.hi);
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Give a packet what its header says, as far as it was asked for. The header is a claim of
 * the peer: flags, types and tags may be any, a port is below RTE_MAX_ETHPORTS or
 * RTE_MBUF_PORT_INVALID, and lengths of headers are within the packet.
 *
 * @param map
 *   What was asked for.
 * @param imm
 *   The header, as immediate data of RTE_COMCH_META_SIZE bytes, at any address. It is copied
 *   before it is looked at, as the peer may change it.
 * @param[in,out] m
 *   The packet: as rte_pktmbuf_alloc() has it, with its length.
 */
__rte_experimental
static inline void
rte_comch_meta_get(const struct rte_comch_meta_map *map, const void *imm, struct rte_mbuf *m)
{
	uint32_t flags_l4, flags, l2, l3, l4;
	struct rte_comch_meta from;
	uint16_t l2_l3, port;

	memcpy(&from, imm, sizeof(from));
	flags_l4 = rte_le_to_cpu_32(from.flags_l4);
	flags = flags_l4 & map->wire_flags;
	l4 = flags_l4 >> RTE_COMCH_META_WIRE_L4_SHIFT;
	l2_l3 = rte_le_to_cpu_16(from.l2_l3);
	l2 = l2_l3 & ((1u << RTE_COMCH_META_WIRE_L3_SHIFT) - 1);
	l3 = l2_l3 >> RTE_COMCH_META_WIRE_L3_SHIFT;
	port = rte_le_to_cpu_16(from.port) | map->no_port;
	m->ol_flags |= flags & RTE_COMCH_META_WIRE_F_RX;
	m->packet_type = rte_le_to_cpu_32(from.packet_type) & map->types;
	if ((flags & RTE_MBUF_F_RX_VLAN) != 0)
		m->vlan_tci = rte_le_to_cpu_16(from.vlan_tci);
	if ((flags & RTE_MBUF_F_RX_QINQ) != 0)
		m->vlan_tci_outer = rte_le_to_cpu_16(from.vlan_tci_outer);
	if ((flags & (RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_FDIR)) != 0) {
		m->hash.fdir.lo = rte_le_to_cpu_32(from.hash);
		m->hash.fdir.hi = rte_le_to_cpu_32(from.mark);
	}
	if (port < RTE_MAX_ETHPORTS)
		m->port = port;
	if (unlikely((flags & RTE_COMCH_META_WIRE_F_TIME) != 0)) {
		m->ol_flags |= map->time_flag;
		*RTE_MBUF_DYNFIELD(m, map->time_offset, rte_mbuf_timestamp_t *) =
			rte_le_to_cpu_64(from.time);
	}
	if (unlikely((l4 | l2_l3) != 0) && (map->flags & RTE_COMCH_META_MBUF_TX) != 0 &&
			l2 + l3 + l4 <= m->pkt_len) {
		m->l2_len = l2;
		m->l3_len = l3;
		m->l4_len = l4;
	}
}

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_META_H */
