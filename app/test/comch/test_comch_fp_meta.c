/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Metadata of packets: what was asked for crosses, nothing else does, what cannot cross is
 * refused, and what a peer claims stays within bounds. Bytes of packets are in
 * test_comch_fp_mbuf.c.
 */

#include <rte_comch_meta.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_random.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

#define MBUFS 255
#define ROOM 256
#define PLACES 64
#define BURST 16
#define ROUNDS 64

struct meta_pair {
	struct test_q *producer;
	struct test_q *consumer;
	struct rte_comch_mem *mem;
};

static struct rte_mempool *tx_pool;
static struct rte_mempool *app_pool; /* to receive into, where it is not the device's */

static void
teardown(void)
{
	test_fp_cleanup();
	if (tx_pool != NULL && !rte_mempool_full(tx_pool))
		test_fail("%u mbufs that were sent are not back",
			rte_mempool_in_use_count(tx_pool));
	rte_mempool_free(tx_pool);
	rte_mempool_free(app_pool);
	tx_pool = app_pool = NULL;
}

/* A consumer that asks for metadata, and has posted; and a producer. */
static int
meta_open(struct test_fp *fp, struct meta_pair *p, uint32_t meta)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = PLACES, .meta = meta };
	struct rte_mbuf *none;

	rte_mempool_free(tx_pool);
	tx_pool = rte_pktmbuf_pool_create("test_meta_tx", MBUFS, 0, 0,
			ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	TEST_TRUE(tx_pool != NULL);
	if (app_pool == NULL) {
		p->mem = test_mem_pool(fp->rx.dev, "test_meta_rx", MBUFS, 0,
				ROOM + RTE_PKTMBUF_HEADROOM, RTE_COMCH_MEM_F_PEER_WRITE);
	} else {
		TEST_EXPECT(rte_comch_mem_pool_register(fp->rx.dev, app_pool,
				RTE_COMCH_MEM_F_PEER_WRITE, &p->mem), 0);
		test_mem_keep(p->mem);
	}
	conf.mem = p->mem;
	p->consumer = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(p->consumer, &fp->tx));
	TEST_CALL(test_fp_producer(fp, PLACES, &p->producer));
	TEST_WAIT(rte_comch_consumer_rx_burst(p->consumer->ctx, &none, 1) == 0 &&
		rte_comch_producer_credits(p->producer->ctx, p->consumer->id) >= BURST, TEST_MS);
	return TEST_SUCCESS;
}

static int
meta_close(struct meta_pair *p)
{
	TEST_EXPECT(test_q_close(p->producer), 0);
	TEST_EXPECT(test_q_close(p->consumer), 0);
	TEST_EXPECT(test_mem_free(p->mem), 0);
	return TEST_SUCCESS;
}

/* Send packets, and receive as many. */
static int
meta_cross(struct meta_pair *p, struct rte_mbuf **pkts, struct rte_mbuf **found, uint16_t nb)
{
	uint16_t sent = 0, got = 0;

	TEST_WAIT((sent += rte_comch_producer_tx_burst(p->producer->ctx, p->consumer->id,
			&pkts[sent], (uint16_t)(nb - sent))) == nb, TEST_MS);
	TEST_WAIT((got += rte_comch_consumer_rx_burst(p->consumer->ctx, &found[got],
			(uint16_t)(nb - got))) == nb, TEST_MS);
	return TEST_SUCCESS;
}

static struct rte_mbuf *
packet(void)
{
	return test_packet(tx_pool, 64, 1, 0);
}

/* Where DPDK has put times, whatever the code under test says. */
static rte_mbuf_timestamp_t *
time_of(const struct rte_mbuf *m)
{
	const int offset = rte_mbuf_dynfield_lookup(RTE_MBUF_DYNFIELD_TIMESTAMP_NAME, NULL);

	return RTE_MBUF_DYNFIELD(m, offset, rte_mbuf_timestamp_t *);
}

static uint64_t
time_flag(void)
{
	const int flag = rte_mbuf_dynflag_lookup(RTE_MBUF_DYNFLAG_RX_TIMESTAMP_NAME, NULL);

	return flag < 0 ? 0 : RTE_BIT64(flag);
}

/* All that a port may have found, at random; or, now and then, nothing. */
static struct rte_mbuf *
packet_random(void)
{
	struct rte_mbuf *m = packet();

	if (m == NULL || rte_rand_max(4) == 0)
		return m;
	m->ol_flags |= rte_rand() & RTE_COMCH_META_MBUF_RX;
	m->packet_type = (uint32_t)rte_rand() & RTE_COMCH_META_WIRE_PTYPES;
	m->vlan_tci = (uint16_t)rte_rand();
	m->vlan_tci_outer = (uint16_t)rte_rand();
	m->port = (uint16_t)rte_rand_max(RTE_MAX_ETHPORTS);
	m->hash.fdir.lo = (uint32_t)rte_rand();
	m->hash.fdir.hi = (uint32_t)rte_rand();
	if (rte_rand_max(2) == 0) {
		m->ol_flags |= time_flag();
		*time_of(m) = rte_rand();
	}
	return m;
}

/* Whether a received packet has of a sent one what was asked for, and nothing else. */
static int
packet_check(uint32_t meta, const struct rte_mbuf *sent, const struct rte_mbuf *m,
		uint32_t producer)
{
	const uint64_t time = (meta & RTE_COMCH_META_TIME) != 0 ? time_flag() : 0;
	const uint64_t flags = sent->ol_flags &
		(((meta & RTE_COMCH_META_RX) != 0 ? RTE_COMCH_META_MBUF_RX : 0) | time);
	const bool hash = (flags & (RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_FDIR)) != 0;

	TEST_EXPECT(m->ol_flags & ~RTE_MBUF_F_EXTERNAL, flags);
	TEST_EXPECT(m->packet_type, (meta & RTE_COMCH_META_RX) != 0 ? sent->packet_type : 0);
	TEST_EXPECT(m->vlan_tci, (flags & RTE_MBUF_F_RX_VLAN) != 0 ? sent->vlan_tci : 0);
	TEST_EXPECT(m->vlan_tci_outer,
		(flags & RTE_MBUF_F_RX_QINQ) != 0 ? sent->vlan_tci_outer : 0);
	TEST_EXPECT(m->port, (meta & RTE_COMCH_META_PORT) != 0 ? sent->port :
		RTE_MBUF_PORT_INVALID);
	TEST_EXPECT(m->hash.fdir.lo, hash ? sent->hash.fdir.lo : producer);
	if (hash)
		TEST_EXPECT(m->hash.fdir.hi, sent->hash.fdir.hi);
	if ((flags & time) != 0)
		TEST_EXPECT(*time_of(m), *time_of(sent));
	TEST_EXPECT(m->tx_offload, 0);
	return TEST_SUCCESS;
}

/* Packets at random, for each thing that can be asked for. What comes is spoilt, and freed. */
static int
test_crosses(struct test_fp *fp)
{
	static const uint32_t asked[] = {
		0, RTE_COMCH_META_RX, RTE_COMCH_META_PORT, RTE_COMCH_META_TIME, RTE_COMCH_META_TX,
		RTE_COMCH_META_RX | RTE_COMCH_META_TIME, RTE_COMCH_META_ALL,
	};
	struct rte_mbuf *pkts[BURST], *found[BURST];
	struct meta_pair p;
	unsigned int i, j;
	uint16_t k;

	TEST_EXPECT(rte_mbuf_dyn_rx_timestamp_register(NULL, NULL), 0);
	for (i = 0; i < RTE_DIM(asked); i++) {
		TEST_CALL(meta_open(fp, &p, asked[i]));
		for (j = 0; j < ROUNDS; j++) {
			for (k = 0; k < BURST; k++) {
				pkts[k] = packet_random();
				TEST_TRUE(pkts[k] != NULL);
				rte_mbuf_refcnt_update(pkts[k], 1);
			}
			TEST_CALL(meta_cross(&p, pkts, found, BURST));
			for (k = 0; k < BURST; k++) {
				TEST_CALL(packet_check(asked[i], pkts[k], found[k],
					p.producer->id));
				found[k]->vlan_tci = found[k]->vlan_tci_outer = 7;
				found[k]->ol_flags |= RTE_MBUF_F_RX_VLAN;
				found[k]->port = 7;
				rte_pktmbuf_free(found[k]);
				rte_pktmbuf_free(pkts[k]);
			}
		}
		TEST_CALL(meta_close(&p));
	}
	return TEST_SUCCESS;
}

/* A request: what it becomes for the receiver, or that it is refused, alone and last of two. */
static int
request_check(struct meta_pair *p, uint64_t request, bool carried, uint64_t found_flags)
{
	struct rte_mbuf *pkts[2] = { packet(), packet() }, *found[2];

	TEST_TRUE(pkts[0] != NULL && pkts[1] != NULL);
	pkts[1]->ol_flags |= request | RTE_MBUF_F_TX_IPV4;
	pkts[1]->vlan_tci = 5;
	pkts[1]->vlan_tci_outer = 6;
	pkts[1]->l2_len = 14;
	pkts[1]->l3_len = 20;
	pkts[1]->l4_len = 8;
	if (!carried) {
		TEST_EXPECT(rte_comch_producer_tx_burst(p->producer->ctx, p->consumer->id,
			&pkts[1], 1), 0);
		TEST_EXPECT(test_reason(p->producer, p->consumer->id), -ENOTSUP);
		TEST_EXPECT(rte_comch_producer_tx_burst(p->producer->ctx, p->consumer->id,
			pkts, 2), 1);
		TEST_EXPECT(test_reason(p->producer, p->consumer->id), -ENOTSUP);
		TEST_WAIT(rte_comch_consumer_rx_burst(p->consumer->ctx, found, 2) == 1, TEST_MS);
		rte_pktmbuf_free(found[0]);
		rte_pktmbuf_free(pkts[1]);
		return TEST_SUCCESS;
	}
	TEST_CALL(meta_cross(p, pkts, found, 2));
	TEST_EXPECT(found[0]->ol_flags & ~RTE_MBUF_F_EXTERNAL, 0);
	TEST_EXPECT(found[1]->ol_flags & ~RTE_MBUF_F_EXTERNAL, found_flags);
	TEST_EXPECT(found[1]->vlan_tci, (found_flags & RTE_MBUF_F_RX_VLAN) != 0 ? 5 : 0);
	TEST_EXPECT(found[1]->vlan_tci_outer, (found_flags & RTE_MBUF_F_RX_QINQ) != 0 ? 6 : 0);
	TEST_EXPECT(found[1]->l2_len, found_flags != 0 ? 14 : 0);
	TEST_EXPECT(found[1]->l3_len, found_flags != 0 ? 20 : 0);
	TEST_EXPECT(found[1]->l4_len, found_flags != 0 ? 8 : 0);
	rte_pktmbuf_free_bulk(found, 2);
	return TEST_SUCCESS;
}

static int
test_requests(struct test_fp *fp)
{
	static const struct {
		uint64_t request;
		bool never;
		uint64_t found;
	} cases[] = {
		{ 0, false, 0 },
		{ RTE_MBUF_F_TX_VLAN, false, RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED },
		{ RTE_MBUF_F_TX_QINQ, false, RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED |
			RTE_MBUF_F_RX_QINQ | RTE_MBUF_F_RX_QINQ_STRIPPED },
		{ RTE_MBUF_F_TX_IP_CKSUM, false, RTE_MBUF_F_RX_IP_CKSUM_NONE },
		{ RTE_MBUF_F_TX_UDP_CKSUM, false, RTE_MBUF_F_RX_L4_CKSUM_NONE },
		{ RTE_MBUF_F_TX_TCP_CKSUM | RTE_MBUF_F_TX_IP_CKSUM, false,
			RTE_MBUF_F_RX_L4_CKSUM_NONE | RTE_MBUF_F_RX_IP_CKSUM_NONE },
		{ RTE_MBUF_F_TX_TCP_SEG, true, 0 }, { RTE_MBUF_F_TX_UDP_SEG, true, 0 },
		{ RTE_MBUF_F_TX_OUTER_IP_CKSUM, true, 0 },
		{ RTE_MBUF_F_TX_OUTER_UDP_CKSUM, true, 0 },
		{ RTE_MBUF_F_TX_SEC_OFFLOAD, true, 0 }, { RTE_MBUF_F_TX_MACSEC, true, 0 },
		{ RTE_MBUF_F_TX_IEEE1588_TMST, true, 0 },
	};
	static const uint32_t asked[] = { 0, RTE_COMCH_META_RX, RTE_COMCH_META_TX };
	struct meta_pair p;
	unsigned int i, j;
	bool carried;

	for (j = 0; j < RTE_DIM(asked); j++) {
		TEST_CALL(meta_open(fp, &p, asked[j]));
		for (i = 0; i < RTE_DIM(cases); i++) {
			carried = cases[i].request == 0 ||
				(!cases[i].never && asked[j] == RTE_COMCH_META_TX);
			TEST_CALL(request_check(&p, cases[i].request, carried, cases[i].found));
		}
		TEST_CALL(meta_close(&p));
	}
	return TEST_SUCCESS;
}

/* Headers that no producer of packets writes. */
static int
test_claims(struct test_fp *fp)
{
	struct rte_comch_meta header;
	struct rte_comch_send msg = {
		.imm = &header, .len = 20, .flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	struct rte_comch_meta_map all;
	struct test_slots slots;
	struct meta_pair p;
	struct rte_mbuf *m;
	unsigned int i;

	TEST_EXPECT(rte_comch_meta_map_init(RTE_COMCH_META_ALL, true, &all), 0);
	TEST_CALL(test_slots_new(&slots, fp->tx.dev, 0, 1, 64));
	TEST_CALL(meta_open(fp, &p, RTE_COMCH_META_ALL));
	msg.mem = slots.mem;
	msg.addr = test_slot(&slots, 0);
	for (i = 0; i < 256; i++) {
		memset(&header, (int)i, sizeof(header));
		/* one of a length that no header has is none */
		msg.imm_len = i % 3 == 0 ? sizeof(header) / 2 : sizeof(header);
		TEST_WAIT(rte_comch_producer_send_burst(p.producer->ctx, p.consumer->id,
			&msg, 1) == 1, TEST_MS);
		TEST_WAIT(rte_comch_consumer_rx_burst(p.consumer->ctx, &m, 1) == 1, TEST_MS);
		TEST_EXPECT(m->pkt_len, 20);
		TEST_EXPECT(m->data_len, 20);
		TEST_EXPECT(m->nb_segs, 1);
		TEST_TRUE(m->next == NULL);
		TEST_TRUE(m->port < RTE_MAX_ETHPORTS || m->port == RTE_MBUF_PORT_INVALID);
		TEST_TRUE(m->l2_len + m->l3_len + m->l4_len <= 20);
		TEST_EXPECT(m->ol_flags & ~(RTE_COMCH_META_MBUF_RX | all.time_flag |
			RTE_MBUF_F_EXTERNAL), 0);
		TEST_TRUE(m->packet_type <= RTE_COMCH_META_WIRE_PTYPES);
		if (i % 3 == 0)
			TEST_EXPECT(m->ol_flags & ~RTE_MBUF_F_EXTERNAL, 0);
		rte_pktmbuf_free(m);
	}
	return TEST_SUCCESS;
}

/* The same in memory of the application, which the driver may copy to. */
static int
copied(struct test_fp *fp, int (*test)(struct test_fp *fp))
{
	const uint64_t capa = RTE_COMCH_CAPA_MEM_DIRECT | RTE_COMCH_CAPA_MEM_BOUNCE;
	struct rte_comch_dev_info info;

	TEST_EXPECT(rte_comch_dev_info_get(fp->rx.dev, &info), 0);
	if ((info.capa & capa) == 0)
		return test_skip("consumers cannot have memory of the application");
	app_pool = rte_pktmbuf_pool_create("test_meta_app", MBUFS, 0, 0,
			ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	TEST_TRUE(app_pool != NULL);
	return test(fp);
}

static int
test_claims_copied(struct test_fp *fp)
{
	return copied(fp, test_claims);
}

static int
test_crosses_copied(struct test_fp *fp)
{
	return copied(fp, test_crosses);
}

/* One that posts memory of its own reads headers by itself. */
static int
test_own_memory(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = 1, .meta = RTE_COMCH_META_RX };
	struct rte_comch_meta_map map;
	struct test_q *producer, *q;
	struct rte_comch_post post;
	struct rte_comch_cpl cpl;
	struct test_slots slots;
	struct rte_mbuf *m;
	unsigned int i;

	rte_mempool_free(tx_pool);
	tx_pool = rte_pktmbuf_pool_create("test_meta_tx", MBUFS, 0, 0,
			ROOM + RTE_PKTMBUF_HEADROOM, SOCKET_ID_ANY);
	TEST_TRUE(tx_pool != NULL);
	TEST_EXPECT(rte_comch_meta_map_init(conf.meta, true, &map), 0);
	TEST_CALL(test_slots_new(&slots, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, 64));
	conf.mem = slots.mem;
	conf.buf_size = 64;
	q = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(q, &fp->tx));
	TEST_CALL(test_fp_producer(fp, 8, &producer));
	for (i = 0; i < 2; i++) {
		post = (struct rte_comch_post){ .addr = test_slot(&slots, 0), .len = 64 };
		TEST_WAIT(rte_comch_consumer_post_burst(q->ctx, &post, 1) == 1, TEST_MS);
		m = packet();
		TEST_TRUE(m != NULL);
		if (i == 0) { /* the other one has nothing to say */
			m->ol_flags |= RTE_MBUF_F_RX_RSS_HASH;
			m->hash.rss = 77;
		}
		TEST_WAIT(rte_comch_producer_tx_burst(producer->ctx, q->id, &m, 1) == 1, TEST_MS);
		TEST_WAIT(rte_comch_queue_poll_burst(q->ctx, &cpl, 1) == 1, TEST_MS);
		TEST_EXPECT(cpl.len, 64);
		TEST_EXPECT(cpl.imm_len, i == 0 ? RTE_COMCH_META_SIZE : 0);
		if (i != 0)
			continue;
		m = rte_pktmbuf_alloc(tx_pool);
		TEST_TRUE(m != NULL);
		rte_comch_meta_get(&map, cpl.imm, m);
		TEST_EXPECT(m->ol_flags, RTE_MBUF_F_RX_RSS_HASH);
		TEST_EXPECT(m->hash.rss, 77);
		rte_pktmbuf_free(m);
	}
	return TEST_SUCCESS;
}

static int
conf_refused(struct test_fp *fp, const struct rte_comch_consumer_conf *conf, int ret)
{
	struct rte_comch_ctx *ctx;

	TEST_EXPECT(rte_comch_consumer_create(fp->rx.ep->conn, conf, &ctx), ret);
	return TEST_SUCCESS;
}

static int
test_conf(struct test_fp *fp)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = 1, .buf_size = 64, .imm_len = 8 };
	struct rte_comch_remote_consumer_info info;
	const uint64_t flag = time_flag();
	struct rte_comch_meta_map map;
	struct test_q *q;

	/* a sender has times only if somebody has registered them: nobody, in the first case */
	TEST_EXPECT(rte_comch_meta_map_init(RTE_COMCH_META_TIME, false, &map), 0);
	TEST_EXPECT(map.time_flag, flag);
	TEST_EXPECT(rte_comch_meta_map_init(RTE_COMCH_META_TIME, true, &map), 0);
	TEST_TRUE(map.time_flag != 0 && map.time_flag == time_flag());
	TEST_EXPECT(rte_comch_meta_map_init(0, true, NULL), -EINVAL);
	TEST_EXPECT(rte_comch_meta_map_init(RTE_COMCH_META_ALL + 1, true, &map), -EINVAL);
	TEST_EXPECT(rte_comch_meta_map_init(UINT32_MAX, false, &map), -EINVAL);
	TEST_EXPECT(rte_comch_meta_map_init(0, true, &map), 0);
	TEST_TRUE(!map.any);
	conf.meta = RTE_COMCH_META_RX;
	conf.buf_size = 0;
	TEST_CALL(conf_refused(fp, &conf, -EINVAL)); /* no region */
	conf.mem = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	conf.buf_size = 64;
	conf.meta = RTE_COMCH_META_ALL + 1;
	TEST_CALL(conf_refused(fp, &conf, -EINVAL));
	conf.meta = RTE_COMCH_META_RX | RTE_COMCH_META_PORT;
	q = test_q_consumer(&fp->rx, &conf);
	TEST_CALL(test_q_start(q, &fp->tx));
	TEST_EXPECT(rte_comch_conn_consumer_info_get(fp->tx.ep->conn, q->id, &info), 0);
	TEST_EXPECT(info.meta, conf.meta);
	TEST_EXPECT(info.imm_len, RTE_COMCH_META_SIZE);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: metadata of packets",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_FP(test_fp_need, teardown, test_conf),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_crosses),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_requests),
		TEST_CASE_FP(test_fp_need, teardown, test_claims),
		TEST_CASE_FP(test_fp_need, teardown, test_claims_copied),
		TEST_CASE_FP(test_fp_need, teardown, test_crosses_copied),
		TEST_CASE_FP_BOTH(test_fp_need, teardown, test_own_memory),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_fp_meta_autotest, test_pairs_run, &suite)
