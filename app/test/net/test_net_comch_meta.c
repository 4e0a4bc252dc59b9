/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch: what comes along with packets, and checksums.
 */

#include <rte_byteorder.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "test_comch_fp_util.h"
#include "test_comch_util.h"
#include "test_net_comch.h"

/* A packet with flags, as it comes to the other side; it is the caller's. */
static int
flags_cross(uint64_t ol_flags, struct rte_mbuf **found)
{
	struct rte_mbuf *m = test_packet(net_pool_of(HOST), 64, 1, 0);

	m->ol_flags |= ol_flags;
	m->hash.rss = 7;
	m->vlan_tci = 8;
	m->vlan_tci_outer = 9;
	m->packet_type = RTE_PTYPE_L2_ETHER;
	m->l2_len = 14;
	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, found, 1) == 1, TEST_MS);
	TEST_EXPECT((*found)->port, net.ids[DPU]);
	return TEST_SUCCESS;
}

/* One that is not sent is an error, and what rte_eth_tx_prepare() tells before. */
static int
flags_refused(uint64_t ol_flags)
{
	struct rte_mbuf *m = test_packet(net_pool_of(HOST), 64, 1, 0), *got;
	struct rte_eth_stats before, after;

	m->ol_flags |= ol_flags;
	TEST_EXPECT(rte_eth_tx_prepare(net.ids[HOST], 0, &m, 1), 0);
	TEST_EXPECT(rte_errno, ENOTSUP);
	TEST_EXPECT(rte_eth_stats_get(net.ids[HOST], &before), 0);
	TEST_EXPECT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1), 1);
	TEST_EXPECT(rte_eth_stats_get(net.ids[HOST], &after), 0);
	TEST_EXPECT(after.oerrors - before.oerrors, 1);
	TEST_EXPECT(after.opackets - before.opackets, 0);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1), 0);
	return TEST_SUCCESS;
}

#define FOUND (RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED | \
	RTE_MBUF_F_RX_IP_CKSUM_GOOD)

static int
found_check(struct rte_mbuf *m)
{
	TEST_EXPECT(m->ol_flags & ~RTE_MBUF_F_EXTERNAL, FOUND);
	TEST_EXPECT(m->hash.rss, 7);
	TEST_EXPECT(m->vlan_tci, 8);
	TEST_EXPECT(m->vlan_tci_outer, 0);
	TEST_EXPECT(m->packet_type, RTE_PTYPE_L2_ETHER);
	TEST_EXPECT(m->tx_offload, 0);
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* What a port in front has found comes along; requests do not, and are no packets. */
int
test_meta(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_EXPECT(info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_VLAN_INSERT, 0);
	TEST_TRUE((info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_CHECKSUM) != 0);
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_CALL(flags_cross(FOUND, &m));
	TEST_CALL(found_check(m));
	/* also what the packet is, by itself */
	TEST_CALL(flags_cross(0, &m));
	TEST_EXPECT(m->packet_type, RTE_PTYPE_L2_ETHER);
	rte_pktmbuf_free(m);
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_VLAN));
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_IPV4));
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_TCP_SEG));
	return net_send_one(HOST, 0, 64, 1, 0);
}

int
test_meta_none(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_EXPECT(info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP, 0);
	TEST_CALL(net_ports_up(1, 1, 1500, 0));
	TEST_CALL(flags_cross(FOUND, &m));
	TEST_TRUE(m->ol_flags == 0 && m->packet_type == 0 && m->vlan_tci == 0);
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* With all of it, requests come as what a receiver makes of them. */
int
test_meta_full(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_TRUE((info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_QINQ_INSERT) != 0);
	TEST_CALL(net_ports_up(1, 1, 1500, RTE_ETH_RX_OFFLOAD_TIMESTAMP));
	TEST_CALL(flags_cross(FOUND, &m));
	TEST_CALL(found_check(m));
	TEST_CALL(flags_cross(RTE_MBUF_F_TX_QINQ | RTE_MBUF_F_TX_UDP_CKSUM, &m));
	TEST_EXPECT(m->ol_flags & ~RTE_MBUF_F_EXTERNAL, RTE_MBUF_F_RX_VLAN |
		RTE_MBUF_F_RX_VLAN_STRIPPED | RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED |
		RTE_MBUF_F_RX_L4_CKSUM_NONE);
	TEST_EXPECT(m->vlan_tci, 8);
	TEST_EXPECT(m->vlan_tci_outer, 9);
	TEST_EXPECT(m->l2_len, 14);
	rte_pktmbuf_free(m);
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_TCP_SEG));
	return net_send_one(HOST, 0, 64, 1, 0);
}

/* A packet of IP with right checksums, in two segments; then a byte of it is changed. */
static struct rte_mbuf *
ip_packet(bool v6, uint8_t proto, uint32_t wrong_at)
{
	struct rte_mbuf *m = test_packet(net.pool, 400, 1, 0), *tail = rte_pktmbuf_alloc(net.pool);
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_ipv6_hdr *ip6 = (struct rte_ipv6_hdr *)(eth + 1);
	uint8_t *l4 = v6 ? (uint8_t *)(ip6 + 1) : (uint8_t *)(ip + 1);
	const uint16_t len = (uint16_t)(390 - (l4 - (uint8_t *)eth)); /* and 10 of padding */
	uint16_t *cksum = (uint16_t *)(l4 + (proto == IPPROTO_TCP ?
		offsetof(struct rte_tcp_hdr, cksum) : offsetof(struct rte_udp_hdr, dgram_cksum)));

	eth->ether_type = rte_cpu_to_be_16(v6 ? RTE_ETHER_TYPE_IPV6 : RTE_ETHER_TYPE_IPV4);
	*cksum = 0;
	if (proto == IPPROTO_TCP) {
		((struct rte_tcp_hdr *)l4)->sent_seq = 0; /* where UDP has its checksum */
		((struct rte_tcp_hdr *)l4)->data_off = 5 << 4;
	}
	if (v6) {
		*ip6 = (struct rte_ipv6_hdr){ .vtc_flow = rte_cpu_to_be_32(6u << 28),
			.payload_len = rte_cpu_to_be_16(len), .proto = proto };
		*cksum = rte_ipv6_udptcp_cksum(ip6, l4);
	} else {
		*ip = (struct rte_ipv4_hdr){ .version_ihl = RTE_IPV4_VHL_DEF,
			.next_proto_id = proto,
			.total_length = rte_cpu_to_be_16((uint16_t)(len + sizeof(*ip))) };
		ip->hdr_checksum = rte_ipv4_cksum(ip);
		*cksum = rte_ipv4_udptcp_cksum(ip, l4);
	}
	if (wrong_at != 0)
		*rte_pktmbuf_mtod_offset(m, uint8_t *, wrong_at) ^= 0x40;
	memcpy(rte_pktmbuf_append(tail, 201), rte_pktmbuf_mtod_offset(m, uint8_t *, 199), 201);
	rte_pktmbuf_trim(m, 201);
	rte_pktmbuf_chain(m, tail);
	return m;
}

/* A packet that ends within the header of IP, or of UDP: the former's words are given. */
static struct rte_mbuf *
short_packet(uint32_t len, uint8_t ip_words)
{
	struct rte_mbuf *m = test_packet(net.pool, len, 1, 0);
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);

	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	*(struct rte_ipv4_hdr *)(eth + 1) = (struct rte_ipv4_hdr){
		.version_ihl = IPVERSION << 4 | ip_words, .next_proto_id = IPPROTO_UDP,
	};
	return m;
}

static int
checksums_check(struct rte_mbuf *m, uint64_t flags)
{
	const uint32_t len = m->pkt_len;
	struct rte_mbuf *got;

	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == 1, TEST_MS);
	TEST_ASSERT(got->ol_flags == flags, "flags %#" PRIx64, got->ol_flags);
	TEST_EXPECT(got->pkt_len, len);
	rte_pktmbuf_free(got);
	return TEST_SUCCESS;
}

/* What a port that checks checksums says of them; the packet comes in any case. */
int
test_checksums(void)
{
	const uint64_t ip_good = RTE_MBUF_F_RX_IP_CKSUM_GOOD, ip_bad = RTE_MBUF_F_RX_IP_CKSUM_BAD;
	const uint64_t l4_good = RTE_MBUF_F_RX_L4_CKSUM_GOOD, l4_bad = RTE_MBUF_F_RX_L4_CKSUM_BAD;
	const struct {
		bool v6;
		uint8_t proto;
		uint32_t wrong_at;
		uint64_t flags;
	} packets[] = {
		{ false, IPPROTO_UDP, 0, ip_good | l4_good },
		{ false, IPPROTO_TCP, 0, ip_good | l4_good },
		{ false, IPPROTO_UDP, 389, ip_good | l4_bad },
		{ false, IPPROTO_TCP, 60, ip_good | l4_bad },
		{ false, IPPROTO_UDP, 395, ip_good | l4_good }, /* padding */
		{ false, IPPROTO_UDP, 22, ip_bad | l4_good },   /* time to live */
		{ false, IPPROTO_TCP, 16, ip_bad | l4_bad },    /* longer than it is */
		{ false, IPPROTO_UDP, 14, 0 },                  /* no version of IP */
		{ false, IPPROTO_ICMP, 0, ip_good },
		{ true, IPPROTO_UDP, 0, l4_good },
		{ true, IPPROTO_TCP, 100, l4_bad },
		{ true, IPPROTO_ICMPV6, 0, 0 },
		{ true, IPPROTO_UDP, 12, 0 },                   /* no IP */
	};
	struct rte_mbuf *m;
	unsigned int i;

	TEST_CALL(net_ports_up(1, 1, 1500, RTE_ETH_RX_OFFLOAD_CHECKSUM));
	for (i = 0; i < RTE_DIM(packets); i++) {
		m = ip_packet(packets[i].v6, packets[i].proto, packets[i].wrong_at);
		TEST_ASSERT(checksums_check(m, packets[i].flags) == TEST_SUCCESS, "packet %u", i);
	}
	/* a UDP packet without one */
	m = ip_packet(false, IPPROTO_UDP, 0);
	memset(rte_pktmbuf_mtod_offset(m, uint8_t *, 40), 0, 2);
	TEST_CALL(checksums_check(m, ip_good | RTE_MBUF_F_RX_L4_CKSUM_NONE));
	TEST_CALL(checksums_check(short_packet(64, 15), 0));
	TEST_CALL(checksums_check(short_packet(40, 5), ip_bad | l4_bad));
	/* the sender has left them to be filled in */
	m = ip_packet(false, IPPROTO_UDP, 389);
	m->ol_flags |= RTE_MBUF_F_RX_IP_CKSUM_NONE | RTE_MBUF_F_RX_L4_CKSUM_NONE;
	TEST_CALL(checksums_check(m, RTE_MBUF_F_RX_IP_CKSUM_NONE | RTE_MBUF_F_RX_L4_CKSUM_NONE));
	return TEST_SUCCESS;
}
