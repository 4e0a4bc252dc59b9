/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Checksums of received packets, in software, for applications that demand that a port
 * checks them. No packet is changed or dropped here.
 */

#include <rte_ethdev.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_net.h>
#include <rte_udp.h>

#include "net_comch.h"

/* What the peer says of it is not believed where it is checked. */
#define CKSUM_STATE (RTE_MBUF_F_RX_IP_CKSUM_MASK | RTE_MBUF_F_RX_L4_CKSUM_MASK)

/* A UDP packet over IPv4 may come without one. */
static bool
udp_has_cksum(const struct rte_mbuf *m, uint32_t udp_off)
{
	uint16_t buf;
	const uint16_t *cksum = rte_pktmbuf_read(m,
			udp_off + offsetof(struct rte_udp_hdr, dgram_cksum), sizeof(buf), &buf);

	return cksum == NULL || *cksum != 0;
}

/* The header is in one segment. */
static uint64_t
ipv4_check(const struct rte_mbuf *m, const struct rte_ipv4_hdr *ip, uint32_t l4_off,
		uint32_t l4_type, uint64_t offloads)
{
	uint64_t flags = 0;

	if ((offloads & RTE_ETH_RX_OFFLOAD_IPV4_CKSUM) != 0)
		flags = rte_ipv4_cksum(ip) == 0 ? RTE_MBUF_F_RX_IP_CKSUM_GOOD :
			RTE_MBUF_F_RX_IP_CKSUM_BAD;
	if (l4_type == 0)
		return flags;
	if (l4_type == RTE_PTYPE_L4_UDP && !udp_has_cksum(m, l4_off))
		return flags | RTE_MBUF_F_RX_L4_CKSUM_NONE;
	return flags | (rte_ipv4_udptcp_cksum_mbuf_verify(m, ip, (uint16_t)l4_off) == 0 ?
		RTE_MBUF_F_RX_L4_CKSUM_GOOD : RTE_MBUF_F_RX_L4_CKSUM_BAD);
}

/*
 * What is not looked at stays unknown: other protocols, fragments, extensions of IPv6, and
 * headers that do not lie in the first segment.
 */
static uint64_t
packet_check(const struct rte_mbuf *m, uint64_t offloads)
{
	struct rte_net_hdr_lens lens = { 0 };
	const uint32_t ptype = rte_net_get_ptype(m, &lens,
			RTE_PTYPE_L2_MASK | RTE_PTYPE_L3_MASK | RTE_PTYPE_L4_MASK);
	const uint32_t l4_off = lens.l2_len + lens.l3_len;
	const void *ip = rte_pktmbuf_mtod_offset(m, const void *, lens.l2_len);
	uint32_t l4_type = ptype & RTE_PTYPE_L4_MASK;

	if (l4_off > m->data_len)
		return 0;
	if ((l4_type != RTE_PTYPE_L4_UDP || (offloads & RTE_ETH_RX_OFFLOAD_UDP_CKSUM) == 0) &&
			(l4_type != RTE_PTYPE_L4_TCP ||
			(offloads & RTE_ETH_RX_OFFLOAD_TCP_CKSUM) == 0))
		l4_type = 0;
	if (RTE_ETH_IS_IPV4_HDR(ptype))
		return ipv4_check(m, ip, l4_off, l4_type, offloads);
	if (l4_type == 0 || (ptype & RTE_PTYPE_L3_MASK) != RTE_PTYPE_L3_IPV6)
		return 0;
	return rte_ipv6_udptcp_cksum_mbuf_verify(m, ip, (uint16_t)l4_off) == 0 ?
		RTE_MBUF_F_RX_L4_CKSUM_GOOD : RTE_MBUF_F_RX_L4_CKSUM_BAD;
}

/* Both bits: RTE_MBUF_F_RX_IP_CKSUM_NONE, or the other one. */
static inline bool
field_is_none(const struct rte_mbuf *m, uint64_t mask)
{
	return (m->ol_flags & mask) == mask;
}

void
nc_cksum_check(struct rte_mbuf **pkts, uint16_t nb, uint64_t offloads)
{
	uint64_t flags;
	uint16_t i;

	for (i = 0; i < nb; i++) {
		flags = packet_check(pkts[i], offloads);
		/* one that the sender has left to be filled in is not wrong */
		if (field_is_none(pkts[i], RTE_MBUF_F_RX_IP_CKSUM_MASK))
			flags |= RTE_MBUF_F_RX_IP_CKSUM_NONE;
		if (field_is_none(pkts[i], RTE_MBUF_F_RX_L4_CKSUM_MASK))
			flags |= RTE_MBUF_F_RX_L4_CKSUM_NONE;
		pkts[i]->ol_flags = (pkts[i]->ol_flags & ~CKSUM_STATE) | flags;
	}
}
