/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch: two of them in one process, on devices of driver shm that they
 * make for themselves, or on those of a software BlueField. Only ethdev's functions are used,
 * as by an application that knows nothing of comch; but for a peer that is no port, and for
 * the pools of cases whose receive queues are direct.
 */

#include <pthread.h>
#include <unistd.h>

#include <rte_byteorder.h>
#include <rte_comch.h>
#include <rte_comch_meta.h>
#include <rte_epoll.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_interrupts.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_pmd_net_comch.h>
#include <rte_tcp.h>
#include <rte_udp.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"
#include "test_comch_util.h"

#define UP_MS 10000u
#define NB_MBUFS 8191u
#define NB_DESC 256u
#define DPU 0u
#define HOST 1u

static struct {
	char path[PATH_MAX];
	struct rte_mempool *pool;
	struct rte_mempool *pools[2]; /* of each port, where receive queues are direct */
	const char *more;        /* arguments of both ports, or "" */
	struct test_place place; /* of BlueField */
	int16_t devs[2];      /* there */
	const char *names[2];
	uint16_t ids[2];
	bool there[2];
	uint32_t nb_lsc;      /* link changes of the host's port; atomic */
	bool lsc_stops;       /* the callback stops the port; atomic */
	int lsc_ret;
	struct test_pair pair; /* what it was before a case had another one */
} net = { .names = { "net_comch_card", "net_comch_host" }, .more = "" };

#define NET_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
			(unsigned int)(ms), #cond); \
		usleep(100); \
	} \
} while (0)

/* What a side sends from and receives into. */
static struct rte_mempool *
pool_of(unsigned int side)
{
	return net.pools[side] != NULL ? net.pools[side] : net.pool;
}

static bool
link_is_up(unsigned int side)
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

static int
port_add_args(unsigned int side, const char *args)
{
	int ret = rte_eal_hotplug_add("vdev", net.names[side], args);

	if (ret != 0)
		return ret;
	net.there[side] = true;
	return rte_eth_dev_get_port_by_name(net.names[side], &net.ids[side]);
}

/* On a device of its own, or on the one of BlueField. */
static int
port_add(unsigned int side)
{
	char args[PATH_MAX + 256];

	if (net.place.is_open)
		snprintf(args, sizeof(args), "dev=%s%s%s%s", test_dev_info(net.devs[side]).name,
			side == DPU ? ",rep=" : "", side == DPU ? test_place_function(0) : "",
			net.more);
	else
		snprintf(args, sizeof(args), "shm=%s,function=pf0,path=%s%s",
			side == DPU ? "dpu" : "host", net.path, net.more);
	return port_add_args(side, args);
}

static int
port_configure(unsigned int side, uint16_t nb_queues, uint16_t mtu, uint64_t rx_offloads)
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
					pool_of(side)), 0);
		TEST_EXPECT(rte_eth_tx_queue_setup(net.ids[side], i, NB_DESC, SOCKET_ID_ANY, NULL),
			0);
	}
	return TEST_SUCCESS;
}

static int
ports_up(uint16_t nb_card, uint16_t nb_host, uint16_t mtu, uint64_t rx_offloads)
{
	TEST_CALL(port_configure(DPU, nb_card, mtu, rx_offloads));
	TEST_CALL(port_configure(HOST, nb_host, mtu, rx_offloads));
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0); /* it waits for the other */
	TEST_TRUE(!link_is_up(HOST));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	return TEST_SUCCESS;
}

static int
packet_check(struct rte_mbuf *m, unsigned int side, uint32_t len, uint32_t seed)
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
static int
send_one(unsigned int from, uint16_t queue, uint32_t len, uint16_t nb_segs, uint32_t seed)
{
	struct rte_mbuf *m = test_packet(pool_of(from), len, nb_segs, seed), *got = NULL;
	unsigned int to = from == DPU ? HOST : DPU;

	NET_WAIT(rte_eth_tx_burst(net.ids[from], queue, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[to], queue, &got, 1) == 1, TEST_MS);
	return packet_check(got, to, len, seed);
}

static int
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

static int
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
	TEST_EXPECT(port_add(DPU), 0);
	TEST_EXPECT(port_add(HOST), 0);
	return rte_eth_dev_callback_register(net.ids[HOST], RTE_ETH_EVENT_INTR_LSC, link_changed,
			NULL);
}

/* Two ports with pools of their devices, which nobody has started yet. */
static int
direct_setup(void)
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

static void
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

	TEST_CALL(ports_up(1, 1, 1500, 0));
	for (i = 0; i < RTE_DIM(lens); i++) {
		TEST_CALL(send_one(HOST, 0, lens[i], 1, i));
		TEST_CALL(send_one(DPU, 0, lens[i], lens[i] > 100 ? 3 : 1, 100 + i));
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

	TEST_CALL(ports_up(1, 1, 1500, 0));
	for (i = 0; i < RTE_DIM(lens); i++)
		pkts[i] = test_packet(pool_of(HOST), lens[i], 1, i);
	NET_WAIT((sent += rte_eth_tx_burst(net.ids[HOST], 0, &pkts[sent],
			(uint16_t)(RTE_DIM(lens) - sent))) == RTE_DIM(lens), TEST_MS);
	NET_WAIT((nb_got += rte_eth_rx_burst(net.ids[DPU], 0, &got[nb_got],
			(uint16_t)(RTE_DIM(lens) - nb_got))) == 2, TEST_MS);
	TEST_CALL(packet_check(got[0], DPU, 60, 0));
	TEST_CALL(packet_check(got[1], DPU, 1522, 3));
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

	TEST_CALL(port_configure(DPU, 1, 9000, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL);
	TEST_CALL(ports_up(1, 1, 9000, RTE_ETH_RX_OFFLOAD_SCATTER));
	for (i = 0; i < RTE_DIM(lens); i++)
		TEST_CALL(send_one(i % 2 == 0 ? HOST : DPU, 0, lens[i],
			(uint16_t)(lens[i] / 2000 + 1), i));
	return TEST_SUCCESS;
}

static int
none_setup(void)
{
	net.more = ",meta=none";
	return net_setup();
}

static int
full_setup(void)
{
	net.more = ",meta=full";
	return net_setup();
}

static int
full_direct_setup(void)
{
	net.more = ",meta=full";
	return direct_setup();
}

/* A packet with flags, as it comes to the other side; it is the caller's. */
static int
flags_cross(uint64_t ol_flags, struct rte_mbuf **found)
{
	struct rte_mbuf *m = test_packet(pool_of(HOST), 64, 1, 0);

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
	struct rte_mbuf *m = test_packet(pool_of(HOST), 64, 1, 0), *got;
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
static int
test_meta(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_EXPECT(info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_VLAN_INSERT, 0);
	TEST_TRUE((info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_CHECKSUM) != 0);
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_CALL(flags_cross(FOUND, &m));
	TEST_CALL(found_check(m));
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_VLAN));
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_IP_CKSUM | RTE_MBUF_F_TX_IPV4));
	TEST_CALL(flags_refused(RTE_MBUF_F_TX_TCP_SEG));
	return send_one(HOST, 0, 64, 1, 0);
}

static int
test_meta_none(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_EXPECT(info.rx_offload_capa & RTE_ETH_RX_OFFLOAD_TIMESTAMP, 0);
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_CALL(flags_cross(FOUND, &m));
	TEST_TRUE(m->ol_flags == 0 && m->packet_type == 0 && m->vlan_tci == 0);
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* With all of it, requests come as what a receiver makes of them. */
static int
test_meta_full(void)
{
	struct rte_eth_dev_info info;
	struct rte_mbuf *m;

	TEST_EXPECT(rte_eth_dev_info_get(net.ids[HOST], &info), 0);
	TEST_TRUE((info.tx_offload_capa & RTE_ETH_TX_OFFLOAD_QINQ_INSERT) != 0);
	TEST_CALL(ports_up(1, 1, 1500, RTE_ETH_RX_OFFLOAD_TIMESTAMP));
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
	return send_one(HOST, 0, 64, 1, 0);
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
	if (proto == IPPROTO_TCP)
		((struct rte_tcp_hdr *)l4)->data_off = 5 << 4;
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

/* What a port that checks checksums says of them; the packet comes in any case. */
static int
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
		{ true, IPPROTO_UDP, 12, 0 },                   /* no IP */
	};
	struct rte_mbuf *m, *got;
	unsigned int i;

	TEST_CALL(ports_up(1, 1, 1500, RTE_ETH_RX_OFFLOAD_CHECKSUM));
	for (i = 0; i < RTE_DIM(packets); i++) {
		m = ip_packet(packets[i].v6, packets[i].proto, packets[i].wrong_at);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
		NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == 1, TEST_MS);
		TEST_ASSERT(got->ol_flags == packets[i].flags, "packet %u: flags %#" PRIx64, i,
			got->ol_flags);
		TEST_EXPECT(got->pkt_len, 400);
		rte_pktmbuf_free(got);
	}
	/* a UDP packet without one */
	m = ip_packet(false, IPPROTO_UDP, 0);
	memset(rte_pktmbuf_mtod_offset(m, uint8_t *, 40), 0, 2);
	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &got, 1) == 1, TEST_MS);
	TEST_TRUE(got->ol_flags == (ip_good | RTE_MBUF_F_RX_L4_CKSUM_NONE));
	rte_pktmbuf_free(got);
	return TEST_SUCCESS;
}

/* Four queues of one side and two of the other: none of the four is without a way. */
static int
test_queues(void)
{
	struct rte_mbuf *m, *got;
	uint16_t i, q;

	TEST_CALL(ports_up(2, 4, 1500, 0));
	for (i = 0; i < 4; i++) {
		m = test_packet(pool_of(HOST), 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[HOST], i, &m, 1) == 1, TEST_MS);
		NET_WAIT(rte_eth_rx_burst(net.ids[DPU], i % 2, &got, 1) == 1, TEST_MS);
		TEST_CALL(packet_check(got, DPU, 64, i));
	}
	for (q = 0; q < 2; q++)
		TEST_CALL(send_one(DPU, q, 64, 1, q));
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
	TEST_CALL(ports_up(nb, nb, 1500, 0));
	TEST_CALL(send_one(HOST, (uint16_t)(nb - 1), 64, 1, 1));
	return send_one(DPU, (uint16_t)(nb - 1), 64, 1, 2);
}

/* The receiver has no mbuf for a while, then one: nothing is lost. */
static int
test_no_mbuf(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got;
	struct rte_eth_stats stats;
	unsigned int nb = 0, i;

	TEST_CALL(ports_up(1, 1, 1500, 0));
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
	TEST_CALL(packet_check(got, DPU, 64, 1));
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_TRUE(stats.rx_nombuf != 0);
	return TEST_SUCCESS;
}

/* How a started port's receive queue gets its packets. */
static int
mode_check(unsigned int side, const char *want)
{
	struct rte_eth_burst_mode mode;

	TEST_EXPECT(rte_eth_rx_burst_mode_get(net.ids[side], 0, &mode), 0);
	TEST_ASSERT(strcmp(mode.info, want) == 0, "%s, and not %s", mode.info, want);
	return TEST_SUCCESS;
}

/* A pool of the device: which queues are direct with it, and when it can be freed. */
static int
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
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_CALL(mode_check(DPU, "Direct"));
	TEST_CALL(mode_check(HOST, "Direct"));
	TEST_CALL(send_one(HOST, 0, 64, 1, 1));
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[DPU]), -EBUSY);
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_rx_burst_mode_get(net.ids[DPU], 0, &mode), -EINVAL);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[DPU]), 0);
	/* that of a port which waits for its peer */
	NET_WAIT(!link_is_up(HOST), UP_MS);
	TEST_EXPECT(rte_pmd_net_comch_pool_free(net.pools[HOST]), -EBUSY);
	net.pools[DPU] = NULL;
	/* one side is direct, and the other one copies */
	TEST_EXPECT(rte_eth_rx_queue_setup(net.ids[DPU], 0, NB_DESC, SOCKET_ID_ANY, NULL,
			net.pool), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	TEST_CALL(mode_check(DPU, "Copied"));
	TEST_CALL(mode_check(HOST, "Direct"));
	TEST_CALL(send_one(HOST, 0, 64, 1, 2));
	TEST_CALL(send_one(DPU, 0, 1522, 2, 3));
	/* a pool that is made while the port is started */
	net.pools[DPU] = rte_pmd_net_comch_pool_create(net.ids[DPU], "net_comch_direct_late",
			NB_MBUFS, 0, RTE_MBUF_DEFAULT_BUF_SIZE);
	TEST_TRUE(net.pools[DPU] != NULL);
	return TEST_SUCCESS;
}

/* A pool of the application that the device knows: shm copies to it, BlueField does not. */
static int
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
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_CALL(mode_check(DPU, net.place.is_open ? "Direct" : "Bounced"));
	for (i = 0; i < 2 * NB_DESC; i++)
		TEST_CALL(send_one(i % 2 == 0 ? HOST : DPU, 0, 60 + i % 1400, 1, i));
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return TEST_SUCCESS;
}

/* Frames that are longer than an mbuf: a direct queue cannot take them, one that copies can. */
static int
test_direct_scatter(void)
{
	TEST_CALL(test_scatter());
	return mode_check(HOST, "Copied");
}

/* The pool of a direct queue is empty for a while: the sender waits, and nothing is lost. */
static int
test_direct_no_mbuf(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got[NB_DESC];
	struct rte_eth_stats stats;
	unsigned int nb = 0, nb_got = 0, i;

	TEST_CALL(ports_up(1, 1, 1500, 0));
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
		TEST_CALL(packet_check(got[i], DPU, 64, i));
	rte_pktmbuf_free_bulk(held, nb);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[DPU], 0, got, 1), 0);
	NET_WAIT(rte_eth_tx_burst(net.ids[HOST], 0, &m, 1) == 1, TEST_MS);
	NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, got, 1) == 1, TEST_MS);
	return packet_check(got[0], DPU, 64, NB_DESC);
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
		if (rte_pktmbuf_alloc_bulk(pool_of(HOST), pkts, RTE_DIM(pkts)) == 0) {
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

	TEST_CALL(ports_up(1, 1, 1500, 0));
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
		while (ret == 0 && !(link_is_up(DPU) && link_is_up(HOST))) {
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

/* Ready for a sleep, and what it ends by. @return as rte_epoll_wait() */
static int
sleep_ms(int ms)
{
	struct rte_epoll_event ev;
	int ret = rte_eth_dev_rx_intr_enable(net.ids[HOST], 0);

	return ret != 0 ? ret : rte_epoll_wait(RTE_EPOLL_PER_THREAD, &ev, 1, ms);
}

/* The host's side sleeps: a packet wakes it, and so does a link that comes back. */
static int
test_interrupts(void)
{
	struct rte_mbuf *m, *got = NULL;
	unsigned int i, nb = 0;

	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[DPU], 0), -ENOTSUP);
	TEST_EXPECT(rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_ADD, NULL), 0);
	/* it may wake a few times for what is over, and then not any more */
	for (i = 0; i < 10 && sleep_ms(20) != 0; i++)
		TEST_EXPECT(rte_eth_rx_burst(net.ids[HOST], 0, &got, 1), 0);
	TEST_TRUE(i < 10);
	for (i = 0; i < 100; i++) {
		m = test_packet(pool_of(DPU), 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
		while (rte_eth_rx_burst(net.ids[HOST], 0, &got, 1) == 0) {
			TEST_TRUE(nb++ < 1000);
			TEST_EXPECT(sleep_ms(TEST_MS), 1);
		}
		TEST_CALL(packet_check(got, HOST, 64, i));
		TEST_EXPECT(rte_eth_dev_rx_intr_disable(net.ids[HOST], 0), 0);
	}
	/* asleep while the link is down */
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	NET_WAIT(!link_is_up(HOST), UP_MS);
	TEST_TRUE(sleep_ms(0) >= 0);
	TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[HOST], 0), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	m = test_packet(pool_of(DPU), 64, 1, 7);
	NET_WAIT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
	for (i = 0; rte_eth_rx_burst(net.ids[HOST], 0, &got, 1) == 0; i++) {
		struct rte_epoll_event ev;

		TEST_TRUE(i < 10);
		TEST_EXPECT(rte_epoll_wait(RTE_EPOLL_PER_THREAD, &ev, 1, TEST_MS), 1);
		TEST_EXPECT(rte_eth_dev_rx_intr_enable(net.ids[HOST], 0), 0);
	}
	TEST_CALL(packet_check(got, HOST, 64, 7));
	return rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_DEL, NULL);
}

/* The application stops the port where it is told that the link is down. */
static int
test_stop_in_callback(void)
{
	TEST_CALL(ports_up(1, 1, 1500, 0));
	NET_WAIT(__atomic_load_n(&net.nb_lsc, __ATOMIC_ACQUIRE) == 1, TEST_MS);
	net.lsc_ret = -1;
	__atomic_store_n(&net.lsc_stops, true, __ATOMIC_RELEASE);
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	NET_WAIT(__atomic_load_n(&net.nb_lsc, __ATOMIC_ACQUIRE) == 2, UP_MS);
	TEST_EXPECT(net.lsc_ret, 0);
	__atomic_store_n(&net.lsc_stops, false, __ATOMIC_RELEASE);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	return send_one(HOST, 0, 64, 1, 1);
}

/* Each side is removed while its port is up; the other one gets a new peer. */
static int
test_removed(void)
{
	unsigned int i;

	TEST_CALL(ports_up(1, 1, 1500, 0));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[i]), 0);
		net.there[i] = false;
		NET_WAIT(!link_is_up(1 - i), UP_MS);
		TEST_EXPECT(port_add(i), 0);
		TEST_CALL(port_configure(i, 1, 1500, 0));
		TEST_EXPECT(rte_eth_dev_start(net.ids[i]), 0);
		NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
		TEST_CALL(send_one(HOST, 0, 64, 1, i));
	}
	return TEST_SUCCESS;
}

/* Ports on devices of the application, which has a server and a client of its own there. */
static int
test_beside(void)
{
	struct test_ep *server, *client;
	char args[256];
	int dev;

	dev = test_vdev_add("role=dpu,functions=pf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	test_pair.dpu = (int16_t)dev;
	dev = test_vdev_add("role=host,function=pf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	test_pair.host = (int16_t)dev;
	snprintf(args, sizeof(args), "dev=%s,role=host", test_dev_info(test_pair.dpu).name);
	TEST_EXPECT(port_add_args(DPU, args), 0);
	TEST_CALL(port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), -EINVAL); /* it is the card's */
	TEST_EXPECT(rte_eth_dev_close(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", net.names[DPU]), 0);
	net.there[DPU] = false;
	snprintf(args, sizeof(args), "rep=pf0,dev=%s,role=dpu", test_dev_info(test_pair.dpu).name);
	TEST_EXPECT(port_add_args(DPU, args), 0);
	snprintf(args, sizeof(args), "dev=%s", test_dev_info(test_pair.host).name);
	TEST_EXPECT(port_add_args(HOST, args), 0);
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_send(client->conn, "beside", 6), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_CALL(send_one(HOST, 0, 64, 1, 1));
	return send_one(DPU, 0, 64, 1, 2);
}

/* The device that a port has made for itself is taken away between two starts. */
static int
test_own_dev_removed(void)
{
	if (net.place.is_open)
		return test_skip("ports make devices of driver shm only");
	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_stop(net.ids[DPU]), 0);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", "comch_shm_net_comch_card"), 0);
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	return send_one(HOST, 0, 64, 1, 1);
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
		TEST_CALL(port_configure(DPU, 1, 1500, 0));
		TEST_CALL(port_configure(HOST, 1, 1500, 0));
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
		TEST_EXPECT(port_add(DPU), 0);
		TEST_EXPECT(port_add(HOST), 0);
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
	TEST_CALL(port_configure(DPU, 1, 1500, 0));
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
	TEST_CALL(port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(id), -ENODEV);
	TEST_EXPECT(rte_eal_hotplug_remove("vdev", "net_comch_bad"), 0);
	return TEST_SUCCESS;
}

/* A client that is no port, on a device of driver shm. */
struct stranger {
	int16_t dev;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_conn *conn;
	uint32_t consumer; /* of the port's first receive queue */
};

static void
stranger_sent(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static void
stranger_heard(struct rte_comch_conn *conn __rte_unused, const void *msg __rte_unused,
		uint32_t len __rte_unused, void *user_data __rte_unused)
{
}

static void
stranger_found(struct rte_comch_conn *conn __rte_unused, uint32_t id, void *user_data)
{
	struct stranger *s = user_data;

	if (s->consumer == 0)
		s->consumer = id;
}

static void
stranger_lost(struct rte_comch_conn *conn __rte_unused, uint32_t id __rte_unused,
		void *user_data __rte_unused)
{
}

static int
stranger_state(const struct stranger *s)
{
	rte_comch_pe_progress(s->pe);
	return rte_comch_ctx_state_get(s->ctx);
}

/* The card's port waits for somebody. */
static int
stranger_begin(struct stranger *s)
{
	const struct rte_comch_client_conf conf = {
		.name = "net_comch",
		.ctrl = {
			.send_cb = stranger_sent, .recv_cb = stranger_heard,
			.consumer_new_cb = stranger_found, .consumer_gone_cb = stranger_lost,
			.user_data = s,
		},
	};
	int dev;

	memset(s, 0, sizeof(*s));
	TEST_CALL(port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	dev = test_vdev_add("role=host,function=pf0,path=%s", net.path);
	TEST_TRUE(dev >= 0);
	s->dev = (int16_t)dev;
	TEST_EXPECT(rte_comch_pe_create(NULL, &s->pe), 0);
	TEST_EXPECT(rte_comch_client_create(s->dev, &conf, &s->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(s->ctx, s->pe), 0);
	return TEST_SUCCESS;
}

/* Whether a port has taken it: that announces its queues. One that is not done comes later. */
static bool
stranger_is_taken(struct stranger *s)
{
	int state = stranger_state(s);

	if (state == RTE_COMCH_STATE_IDLE) {
		s->consumer = 0;
		rte_comch_ctx_start(s->ctx);
	}
	return state == RTE_COMCH_STATE_RUNNING && s->consumer != 0;
}

static int
stranger_connect(struct stranger *s)
{
	struct rte_comch_ctx_info info;

	NET_WAIT(stranger_is_taken(s), TEST_MS);
	TEST_EXPECT(rte_comch_ctx_info_get(s->ctx, &info), 0);
	s->conn = info.conn;
	return TEST_SUCCESS;
}

static int
stranger_say(struct stranger *s, const void *msg, uint32_t len)
{
	struct rte_comch_task *task;

	TEST_EXPECT(rte_comch_conn_task_alloc(s->conn, msg, len, &task), 0);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	return TEST_SUCCESS;
}

/* It goes, and a port takes its place. */
static int
stranger_end(struct stranger *s)
{
	rte_comch_ctx_stop(s->ctx); /* it may have been sent away */
	NET_WAIT(stranger_state(s) == RTE_COMCH_STATE_IDLE, TEST_MS);
	rte_comch_ctx_destroy(s->ctx);
	rte_comch_pe_destroy(s->pe);
	TEST_EXPECT(test_vdev_remove(s->dev), 0);
	TEST_CALL(port_configure(HOST, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
	NET_WAIT(link_is_up(DPU) && link_is_up(HOST), UP_MS);
	return send_one(HOST, 0, 64, 1, 1);
}

/* One whose pool is empty does not sleep: nothing would wake it. */
static int
test_direct_asleep(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got[NB_DESC];
	unsigned int nb = 0, nb_got = 0, i;

	TEST_CALL(ports_up(1, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_ADD, NULL), 0);
	while (nb < NB_MBUFS && (held[nb] = rte_pktmbuf_alloc(net.pools[HOST])) != NULL)
		nb++;
	for (i = 0; i < NB_DESC; i++) {
		m = test_packet(net.pools[DPU], 64, 1, i);
		NET_WAIT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
	}
	NET_WAIT((nb_got += rte_eth_rx_burst(net.ids[HOST], 0, &got[nb_got],
			(uint16_t)(NB_DESC - nb_got))) == NB_DESC, TEST_MS);
	for (i = 0; i < 20; i++) {
		TEST_EXPECT(rte_eth_rx_burst(net.ids[HOST], 0, &m, 1), 0);
		TEST_EXPECT(sleep_ms(TEST_MS), 1);
	}
	for (i = 0; i < NB_DESC; i++)
		TEST_CALL(packet_check(got[i], HOST, 64, i));
	rte_pktmbuf_free_bulk(held, nb);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[HOST], 0, got, 1), 0);
	TEST_CALL(send_one(DPU, 0, 64, 1, 1));
	return rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_DEL, NULL);
}

/* What a port says first, in words: header, frames, queues, 16 consumers; and second. */
#define HELLO_LEN 80u
#define READY_LEN 8u
#define SAID_MAGIC 0x6d434e63u
#define SAID_HELLO 0x10001u
#define SAID_READY 0x20001u

static void
hello_make(rte_le32_t *words, uint32_t nb_queues)
{
	unsigned int i;

	words[0] = rte_cpu_to_le_32(SAID_MAGIC);
	words[1] = rte_cpu_to_le_32(SAID_HELLO);
	words[2] = rte_cpu_to_le_32(UINT32_MAX);
	words[3] = rte_cpu_to_le_32(nb_queues);
	for (i = 4; i < HELLO_LEN / 4; i++)
		words[i] = rte_cpu_to_le_32(UINT32_MAX); /* there is no such consumer */
}

/* What is no greeting: a client that says it is sent away, and comes again. */
static int
test_stranger(void)
{
	static const struct {
		uint32_t word;   /* of a greeting that is replaced */
		uint32_t value;
		uint32_t len;
		unsigned int nb; /* how often it is said */
	} cases[] = {
		{ 0, 0x6e6f6e73, 8, 1 }, { 0, SAID_MAGIC, 1, 1 }, { 0, SAID_MAGIC, 7, 1 },
		{ 1, SAID_HELLO + 1, HELLO_LEN, 1 }, { 1, 0x30001, READY_LEN, 1 },
		{ 1, SAID_READY, READY_LEN, 1 }, { 1, SAID_READY, HELLO_LEN, 1 },
		{ 3, 1, HELLO_LEN - 1, 1 }, { 3, 1, HELLO_LEN + 1, 1 }, { 3, 1, 16, 1 },
		{ 3, 0, HELLO_LEN, 1 }, { 3, 17, HELLO_LEN, 1 }, { 3, UINT16_MAX, HELLO_LEN, 1 },
		{ 3, 1, HELLO_LEN, 2 },
	};
	rte_le32_t words[HELLO_LEN / 4 + 1];
	struct stranger s;
	unsigned int i, j;

	if (net.place.is_open)
		return test_skip("the stranger has a device of driver shm");
	TEST_CALL(stranger_begin(&s));
	for (i = 0; i < RTE_DIM(cases); i++) {
		TEST_CALL(stranger_connect(&s));
		hello_make(words, 1);
		words[HELLO_LEN / 4] = 0;
		words[cases[i].word] = rte_cpu_to_le_32(cases[i].value);
		for (j = 0; j < cases[i].nb; j++)
			TEST_CALL(stranger_say(&s, words, cases[i].len));
		NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_TRUE(!link_is_up(DPU));
	}
	return stranger_end(&s);
}

/* Packets with bytes in the place of metadata that no port writes, and frames that are none. */
static int
stranger_send(struct stranger *s, struct rte_comch_ctx *producer, struct rte_comch_mem *mem)
{
	uint8_t imm[RTE_COMCH_META_SIZE];
	struct rte_comch_send msg = {
		.mem = mem, .addr = rte_comch_mem_addr(mem), .imm = imm,
		.flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	struct rte_eth_stats stats;
	struct rte_mbuf *m = NULL;
	unsigned int i;

	for (i = 0; i < 256; i++) {
		memset(imm, (int)i, sizeof(imm));
		imm[i % sizeof(imm)] ^= 0x5a;
		msg.imm_len = i % 3 == 0 ? sizeof(imm) - 1 : sizeof(imm);
		msg.len = i % 4 == 0 ? RTE_ETHER_HDR_LEN - 1 : RTE_ETHER_HDR_LEN + i % 4;
		NET_WAIT(rte_comch_pe_progress(s->pe) >= 0 && rte_comch_producer_send_burst(
				producer, s->consumer, &msg, 1) == 1, TEST_MS);
		if (i % 4 == 0)
			continue;
		NET_WAIT(rte_eth_rx_burst(net.ids[DPU], 0, &m, 1) == 1, TEST_MS);
		TEST_EXPECT(m->port, net.ids[DPU]);
		TEST_EXPECT(m->pkt_len, msg.len);
		TEST_EXPECT(m->data_len, msg.len);
		TEST_EXPECT(m->nb_segs, 1);
		TEST_TRUE(m->next == NULL);
		TEST_TRUE(m->l2_len + m->l3_len + m->l4_len <= (int)msg.len);
		TEST_EXPECT(m->ol_flags & ~(RTE_COMCH_META_MBUF_RX | RTE_MBUF_F_EXTERNAL), 0);
		if (i % 3 == 0)
			TEST_EXPECT(m->ol_flags & ~RTE_MBUF_F_EXTERNAL, 0);
		rte_pktmbuf_free(m);
	}
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_EXPECT(stats.ipackets, 192);
	TEST_EXPECT(stats.ierrors, 64);
	return TEST_SUCCESS;
}

/* Frames that are none between others, in one burst: the others keep their order. */
static int
stranger_send_mixed(struct stranger *s, struct rte_comch_ctx *producer, struct rte_comch_mem *mem)
{
	struct rte_comch_send msgs[8];
	struct rte_eth_stats before, stats;
	struct rte_mbuf *pkts[RTE_DIM(msgs)];
	uint16_t i, nb = 0, next = 0;
	uint64_t bytes = 0;

	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &before), 0);
	for (i = 0; i < RTE_DIM(msgs); i++)
		msgs[i] = (struct rte_comch_send){
			.mem = mem, .addr = rte_comch_mem_addr(mem),
			.len = i % 3 == 0 ? RTE_ETHER_HDR_LEN - 1 : RTE_ETHER_HDR_LEN + i,
			.flags = RTE_COMCH_SEND_F_NO_CPL,
		};
	NET_WAIT(rte_comch_pe_progress(s->pe) >= 0 && rte_comch_producer_send_burst(producer,
			s->consumer, msgs, RTE_DIM(msgs)) == RTE_DIM(msgs), TEST_MS);
	NET_WAIT((nb += rte_eth_rx_burst(net.ids[DPU], 0, pkts + nb, RTE_DIM(msgs) - nb)) == 5,
		TEST_MS);
	for (i = 0; i < RTE_DIM(msgs); i++) {
		if (i % 3 == 0)
			continue;
		TEST_EXPECT(pkts[next]->pkt_len, msgs[i].len);
		bytes += msgs[i].len;
		rte_pktmbuf_free(pkts[next++]);
	}
	TEST_EXPECT(rte_eth_stats_get(net.ids[DPU], &stats), 0);
	TEST_EXPECT(stats.ipackets - before.ipackets, next);
	TEST_EXPECT(stats.ibytes - before.ibytes, bytes);
	TEST_EXPECT(stats.ierrors - before.ierrors, 3);
	return TEST_SUCCESS;
}

/*
 * It says what a port says, and names consumers that there are not: nothing can be sent to
 * it. It goes at each step: the card's port comes up for the next one.
 */
static int
test_stranger_greets(void)
{
	static const struct rte_comch_producer_conf conf = { .nb_sends = 32 };
	rte_le32_t words[HELLO_LEN / 4];
	struct rte_comch_ctx *producer;
	struct rte_comch_mem *mem;
	struct stranger s;
	struct rte_mbuf *m;
	unsigned int i;

	if (net.place.is_open)
		return test_skip("the stranger has a device of driver shm");
	TEST_CALL(stranger_begin(&s));
	for (i = 0; i < 4; i++) {
		TEST_CALL(stranger_connect(&s));
		hello_make(words, 16);
		if (i >= 1)
			TEST_CALL(stranger_say(&s, words, HELLO_LEN));
		words[1] = rte_cpu_to_le_32(SAID_READY);
		if (i >= 2) {
			TEST_CALL(stranger_say(&s, words, READY_LEN));
			NET_WAIT(stranger_state(&s) >= 0 && link_is_up(DPU), TEST_MS);
		}
		if (i == 3)
			break;
		rte_comch_ctx_stop(s.ctx);
		NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS);
		NET_WAIT(!link_is_up(DPU), TEST_MS);
	}
	m = test_packet(net.pool, 64, 1, 1);
	TEST_TRUE(m != NULL);
	TEST_EXPECT(rte_eth_tx_burst(net.ids[DPU], 0, &m, 1), 0);
	rte_pktmbuf_free(m);
	TEST_EXPECT(rte_comch_mem_alloc(s.dev, 4096, 0, &mem), 0);
	TEST_EXPECT(rte_comch_producer_create(s.conn, &conf, &producer), 0);
	TEST_EXPECT(rte_comch_ctx_attach(producer, s.pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(producer), 0);
	TEST_CALL(stranger_send(&s, producer, mem));
	TEST_CALL(stranger_send_mixed(&s, producer, mem));
	rte_comch_ctx_stop(producer);
	NET_WAIT(rte_comch_pe_progress(s.pe) >= 0 &&
		rte_comch_ctx_state_get(producer) == RTE_COMCH_STATE_IDLE, TEST_MS);
	rte_comch_ctx_destroy(producer);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return stranger_end(&s);
}

#define NET_CASE(fn) TEST_CASE_ST(net_setup, net_teardown, fn)
#define DIRECT_CASE(fn) TEST_CASE_ST(direct_setup, net_teardown, fn)
/* A case of before, with pools of the devices. */
#define DIRECT_TOO(fn) TEST_CASE_NAMED(direct_setup, net_teardown, #fn "_direct", fn)

static struct unit_test_suite suite = {
	.suite_name = "net_comch: ports of ethdev",
	.unit_test_cases = {
		NET_CASE(test_packets),
		NET_CASE(test_too_long),
		NET_CASE(test_scatter),
		NET_CASE(test_checksums),
		NET_CASE(test_queues),
		NET_CASE(test_queues_most),
		NET_CASE(test_no_mbuf),
		NET_CASE(test_restart),
		NET_CASE(test_interrupts),
		NET_CASE(test_stop_in_callback),
		NET_CASE(test_removed),
		TEST_CASE_ST(beside_setup, beside_teardown, test_beside),
		NET_CASE(test_own_dev_removed),
		NET_CASE(test_remove_beside_start),
		NET_CASE(test_api),
		NET_CASE(test_args),
		NET_CASE(test_stranger),
		NET_CASE(test_stranger_greets),
		NET_CASE(test_meta),
		TEST_CASE_ST(none_setup, net_teardown, test_meta_none),
		TEST_CASE_ST(full_setup, net_teardown, test_meta_full),
		DIRECT_CASE(test_direct),
		DIRECT_CASE(test_direct_registered),
		DIRECT_CASE(test_direct_scatter),
		DIRECT_CASE(test_direct_no_mbuf),
		DIRECT_CASE(test_direct_asleep),
		DIRECT_TOO(test_packets),
		DIRECT_TOO(test_meta),
		TEST_CASE_NAMED(full_direct_setup, net_teardown, "test_meta_full_direct",
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
