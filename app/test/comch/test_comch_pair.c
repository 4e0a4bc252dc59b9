/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Peers and their pairs (rte_comch_pair.h): what each function refuses, where packets come
 * out, and what becomes of them when either side goes and comes back, while an lcore bursts
 * and when its process is killed.
 */

#include <pthread.h>
#include <unistd.h>

#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_fp_child.h"
#include "test_comch_fp_util.h"

#define DPU 0u
#define HOST 1u
#define NB_MBUFS 1023u
#define NB_DESC 128u
#define BURST 16u
#define LEN 100u
#define CLOSE_MS 20000u
/* BlueField makes and ends its queue pairs by firmware, and finds out of a death by silence. */
#define UP_MS 30000u

static struct {
	struct rte_comch_mem *mems[2];
	struct rte_mempool *pools[2];
	struct rte_comch_peer *peers[2];
	uint32_t nb_up[2];     /* calls of change_cb, for each side */
	uint32_t nb_down[2];
	int reasons[2];
	bool in_callback;      /* change_cb tries what it must not */
	uint32_t nb_sent;
	char heard[16];
} pt;

static const unsigned int sides[2] = { DPU, HOST };

static int16_t
dev_of(unsigned int side)
{
	return side == DPU ? test_pair.dpu : test_pair.host;
}

static void
changed(struct rte_comch_peer *peer, bool connected, int reason, void *user_data)
{
	unsigned int side = *(const unsigned int *)user_data;
	struct rte_comch_peer_info info;

	if (rte_comch_peer_info_get(peer, &info) != 0 || (info.conn != NULL) != connected ||
			info.reason != reason)
		test_fail("a peer says something else than its callback");
	if (pt.in_callback && (rte_comch_peer_progress(peer) != -EDEADLK ||
			rte_comch_peer_wait(peer, 0) != -EDEADLK ||
			rte_comch_peer_close(peer, 0) != -EDEADLK))
		test_fail("a peer can be turned in its callback");
	if (connected)
		pt.nb_up[side]++;
	else
		pt.nb_down[side]++;
	pt.reasons[side] = reason;
}

static void
heard(struct rte_comch_conn *conn __rte_unused, const void *msg, uint32_t len, void *user_data)
{
	if (*(const unsigned int *)user_data == DPU && len < sizeof(pt.heard))
		memcpy(pt.heard, msg, len);
}

static void
sent(struct rte_comch_task *task, int status, void *user_data __rte_unused)
{
	pt.nb_sent += status == 0;
	rte_comch_task_free(task);
}

static struct rte_comch_peer_conf
conf_of(unsigned int side, uint16_t nb_pairs)
{
	return (struct rte_comch_peer_conf){
		.dev_id = dev_of(side),
		.name = "pairs",
		.rep = side == DPU && test_pair.function[0] != '\0' ? test_pair.function : NULL,
		.nb_pairs = nb_pairs,
		.nb_desc = NB_DESC,
		.mem = nb_pairs == 0 ? NULL : pt.mems[side],
		.change_cb = changed,
		.user_data = (void *)(uintptr_t)&sides[side],
	};
}

static int
peer_open(unsigned int side, uint16_t nb_pairs)
{
	const struct rte_comch_peer_conf conf = conf_of(side, nb_pairs);

	TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[side]), 0);
	return TEST_SUCCESS;
}

static int
peer_close(unsigned int side)
{
	struct rte_comch_peer *other = pt.peers[1 - side];
	uint64_t end = test_now_ns() + (uint64_t)CLOSE_MS * 1000000;
	int ret;

	/* over BlueField both sides have a part in it */
	do {
		ret = rte_comch_peer_close(pt.peers[side], 0);
		if (other != NULL)
			rte_comch_peer_progress(other);
	} while (ret == -EINPROGRESS && test_now_ns() < end);
	if (ret == 0)
		pt.peers[side] = NULL;
	return ret;
}

/* What the threads of both connections do. @return events */
static int
turn(void)
{
	unsigned int i;
	int nb = 0;

	for (i = 0; i < 2; i++)
		nb += pt.peers[i] == NULL ? 0 : rte_comch_peer_progress(pt.peers[i]);
	return nb;
}

static struct rte_comch_pair *
pair_of(unsigned int side, uint16_t index)
{
	return rte_comch_peer_pair_get(pt.peers[side], index);
}

static int
pair_status(unsigned int side, uint16_t index)
{
	struct rte_comch_pair_info info;

	return rte_comch_pair_info_get(pair_of(side, index), &info) != 0 ? -EINVAL : info.status;
}

/* Turn a pair that has nothing to send; what it receives is dropped. */
static int
pair_idle(unsigned int side, uint16_t index)
{
	struct rte_mbuf *m = NULL;
	uint16_t nb = rte_comch_pair_rx_burst(pair_of(side, index), &m, 1);

	rte_pktmbuf_free(m);
	return nb;
}

/* The engines of the first pair of each side, without a burst. */
static int
pairs_turn(void)
{
	struct rte_comch_pair_info info;
	unsigned int i;
	int nb = 0;

	for (i = 0; i < 2; i++)
		if (rte_comch_pair_info_get(pair_of(i, 0), &info) == 0)
			nb += rte_comch_pe_progress(info.pe);
	return nb;
}

static int
both_up(uint16_t nb_dpu, uint16_t nb_host)
{
	uint16_t i;

	for (i = 0; i < RTE_MAX(nb_dpu, nb_host); i++) {
		if (i < nb_dpu)
			TEST_UNTIL(pair_status(DPU, i) == 0, turn() + pair_idle(DPU, i) +
				pair_idle(HOST, i % nb_host), UP_MS);
		if (i < nb_host)
			TEST_UNTIL(pair_status(HOST, i) == 0, turn() + pair_idle(HOST, i) +
				pair_idle(DPU, i % nb_dpu), UP_MS);
	}
	return TEST_SUCCESS;
}

static int
open_both(uint16_t nb_dpu, uint16_t nb_host)
{
	TEST_CALL(peer_open(HOST, nb_host)); /* it waits for the other one */
	TEST_EXPECT(rte_comch_peer_wait(pt.peers[HOST], 20), -ETIMEDOUT);
	TEST_CALL(peer_open(DPU, nb_dpu));
	TEST_UNTIL(pt.nb_up[DPU] == 1 && pt.nb_up[HOST] == 1, turn(), UP_MS);
	TEST_EXPECT(rte_comch_peer_wait(pt.peers[HOST], 0), 0);
	return both_up(nb_dpu, nb_host);
}

/* One packet, and which pair it comes out of. */
static int
send_one(unsigned int from, uint16_t index, uint16_t to, uint32_t len, uint32_t seed)
{
	struct rte_mbuf *m = test_packet(pt.pools[from], len, 1, seed), *got = NULL;
	bool same;

	TEST_UNTIL(rte_comch_pair_tx_burst(pair_of(from, index), &m, 1) == 1,
		turn() + pair_idle(1 - from, to), UP_MS);
	TEST_UNTIL(rte_comch_pair_rx_burst(pair_of(1 - from, to), &got, 1) == 1, turn(), UP_MS);
	same = got->pkt_len == len && test_check(rte_pktmbuf_mtod(got, uint8_t *), len, seed);
	rte_pktmbuf_free(got);
	TEST_TRUE(same);
	return TEST_SUCCESS;
}

static int
pools_make(void)
{
	static const char * const names[] = { "pairs_dpu", "pairs_host" };
	unsigned int i;

	memset(&pt, 0, sizeof(pt));
	for (i = 0; i < 2; i++) {
		if (!test_dev_is_valid(dev_of(i)))
			continue;
		pt.mems[i] = test_mem_pool(dev_of(i), names[i], NB_MBUFS, 0,
			1024 + RTE_PKTMBUF_HEADROOM, RTE_COMCH_MEM_F_PEER_WRITE);
		pt.pools[i] = test_mem_info(pt.mems[i]).pool;
	}
	return TEST_SUCCESS;
}

static int
setup(void)
{
	TEST_CALL(test_fp_need());
	test_time_limit(120);
	return pools_make();
}

static void
teardown(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (pt.peers[i] != NULL && peer_close(i) != 0)
			test_fail("a peer is not closed");
	for (i = 0; i < 2; i++)
		if (pt.pools[i] != NULL && rte_mempool_avail_count(pt.pools[i]) != NB_MBUFS)
			test_fail("%u mbufs are lost",
				NB_MBUFS - rte_mempool_avail_count(pt.pools[i]));
	memset(&pt, 0, sizeof(pt));
	test_fp_cleanup();
	test_log_restore();
}

/* What is refused at the opening. */
static int
test_open_bad(void)
{
	const struct rte_comch_peer_conf good = conf_of(DPU, 1);
	struct rte_comch_peer_conf conf = good;
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);
	struct rte_comch_peer *peer = (struct rte_comch_peer *)&conf;

	test_log_quiet();
#define BAD(field, value, ret) do { \
	conf = good; \
	conf.field = value; \
	TEST_EXPECT(rte_comch_peer_open(&conf, &peer), ret); \
} while (0)
	TEST_EXPECT(rte_comch_peer_open(NULL, &peer), -EINVAL);
	TEST_EXPECT(rte_comch_peer_open(&good, NULL), -EINVAL);
	BAD(dev_id, -1, -EINVAL);
	BAD(dev_id, RTE_COMCH_MAX_DEVS, -EINVAL);
	BAD(dev_id, test_pair.host, -EINVAL); /* the region is of another one */
	BAD(name, NULL, -EINVAL);
	BAD(name, "", -EINVAL);
	BAD(rep, "pf99", -ENODEV);
	BAD(mem, NULL, -EINVAL);
	BAD(nb_pairs, 0, -EINVAL); /* with a region */
	BAD(nb_pairs, RTE_COMCH_MAX_PAIRS + 1, -EINVAL);
	BAD(nb_desc, RTE_MAX(info.max_posts, info.max_sends) + 1, -EINVAL);
	BAD(flags, 1, -EINVAL);
	BAD(meta, RTE_COMCH_META_ALL + 1, -EINVAL);
	BAD(reserved[3], 1, -EINVAL);
	BAD(mem, test_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_PEER_WRITE), -EINVAL);
	BAD(mem, test_mem_pool(test_pair.dpu, "no_peer_write", 15, 0, 1024, 0), -EINVAL);
	if (info.max_pes != 0 && info.max_pes <= RTE_COMCH_MAX_PAIRS)
		BAD(nb_pairs, (uint16_t)info.max_pes, -ENOSPC);
#undef BAD
	TEST_TRUE(peer == (struct rte_comch_peer *)&conf); /* not written on an error */
	/* a name that is taken: what was begun is undone */
	TEST_CALL(peer_open(DPU, 1));
	TEST_EXPECT(rte_comch_peer_open(&good, &peer), -EEXIST);
	return TEST_SUCCESS;
}

static int
test_bad_handles(void)
{
	struct rte_comch_peer_info info;
	struct rte_comch_pair_info pair_info;

	TEST_EXPECT(rte_comch_peer_progress(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_peer_wait(NULL, 0), -EINVAL);
	TEST_EXPECT(rte_comch_peer_close(NULL, 0), 0);
	TEST_EXPECT(rte_comch_peer_info_get(NULL, &info), -EINVAL);
	TEST_TRUE(rte_comch_peer_pair_get(NULL, 0) == NULL);
	TEST_EXPECT(rte_comch_pair_stop(NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pair_info_get(NULL, &pair_info), -EINVAL);
	TEST_CALL(peer_open(DPU, 2));
	TEST_EXPECT(rte_comch_peer_info_get(pt.peers[DPU], NULL), -EINVAL);
	TEST_EXPECT(rte_comch_pair_info_get(pair_of(DPU, 1), NULL), -EINVAL);
	TEST_TRUE(pair_of(DPU, 1) != NULL && pair_of(DPU, 2) == NULL);
	return TEST_SUCCESS;
}

/* Before there is a peer, and what is known then. */
static int
test_alone(void)
{
	struct rte_mbuf *m = test_packet(pt.pools[HOST], LEN, 1, 1);
	struct rte_comch_peer_conf conf = conf_of(DPU, 0);
	struct rte_comch_pair_info info;
	struct rte_comch_peer_info peer;
	unsigned int i;

	TEST_CALL(peer_open(HOST, 1));
	for (i = 0; i < 10; i++)
		TEST_EXPECT(rte_comch_pair_tx_burst(pair_of(HOST, 0), &m, 1) +
			pair_idle(HOST, 0), 0);
	rte_pktmbuf_free(m);
	TEST_EXPECT(rte_comch_pair_info_get(pair_of(HOST, 0), &info), 0);
	TEST_EXPECT(info.status, -ENOTCONN);
	TEST_TRUE(info.producer == NULL && info.consumer == NULL && info.consumer_id == 0 &&
		info.pe != NULL);
	TEST_EXPECT(rte_comch_peer_info_get(pt.peers[HOST], &peer), 0);
	TEST_TRUE(peer.ctx != NULL && peer.pe != NULL && peer.conn == NULL && peer.nb_conns == 0);
	TEST_EXPECT(rte_comch_peer_wait(pt.peers[HOST], 20), -ETIMEDOUT);
	/* the card is there, and has no such server: that is what is known */
	conf.name = "others";
	TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[DPU]), 0);
	TEST_UNTIL(rte_comch_peer_info_get(pt.peers[HOST], &peer) == 0 && peer.reason == -ENOENT,
		turn(), UP_MS);
	TEST_EXPECT(rte_comch_pair_stop(pair_of(HOST, 0)), 0);
	return TEST_SUCCESS;
}

/* Pairs that both sides have, and those that only one has. */
static int
ways(uint16_t nb_dpu, uint16_t nb_host)
{
	uint16_t i;

	TEST_CALL(open_both(nb_dpu, nb_host));
	for (i = 0; i < nb_dpu; i++)
		TEST_CALL(send_one(DPU, i, i % nb_host, LEN + i, i));
	for (i = 0; i < nb_host; i++)
		TEST_CALL(send_one(HOST, i, i % nb_dpu, LEN + i, i));
	TEST_EXPECT(peer_close(HOST), 0);
	TEST_UNTIL(pt.nb_down[DPU] == 1, turn(), UP_MS);
	TEST_EXPECT(pt.reasons[DPU], 0); /* in order */
	return TEST_SUCCESS;
}

static int
test_ways_same(void)
{
	return ways(2, 2);
}

static int
test_ways_more_dpu(void)
{
	return ways(3, 1);
}

static int
test_ways_more_host(void)
{
	return ways(2, 3);
}

/* A client that makes its queues by hand, connected to the card's peer. */
static int
stranger_connect(struct test_fp_end *end)
{
	const struct rte_comch_client_conf conf = { .name = "pairs" };
	uint32_t up = pt.nb_up[DPU];

	memset(end, 0, sizeof(*end));
	end->dev = test_pair.host;
	end->pe = test_pe_new();
	end->q_pe = test_pe_new();
	end->ep = test_client_run_conf(&conf, end->pe);
	TEST_UNTIL(pt.nb_up[DPU] == up + 1 && end->ep->conn != NULL, turn() + test_progress(),
		UP_MS);
	return TEST_SUCCESS;
}

static int
stranger_turn(void)
{
	return turn() + test_progress() + pair_idle(DPU, 0) + pair_idle(DPU, 1) +
		pair_idle(DPU, 2);
}

static uint32_t
way_of(uint16_t index)
{
	struct rte_comch_pair_info info;

	return rte_comch_pair_info_get(pair_of(DPU, index), &info) == 0 ? info.consumer_id : 0;
}

static int
ways_are(uint32_t first, uint32_t second, uint32_t third)
{
	TEST_UNTIL(way_of(0) == first && way_of(1) == second && way_of(2) == third,
		stranger_turn(), UP_MS);
	return TEST_SUCCESS;
}

/* What tags say that no pair says, of consumers that come and go beside each other. */
static int
test_tags(void)
{
	static const struct {
		uint16_t nb;
		uint16_t index;
		uint8_t ways; /* a bit for each pair that sends there */
	} cases[] = {
		{ 0, 0, 0 }, { 0, 1, 0 }, { 0, UINT16_MAX, 0 }, { 1, 3, 0 }, { 1, UINT16_MAX, 0 },
		{ UINT16_MAX, UINT16_MAX, 0 }, { 3, 3, 0 }, { UINT16_MAX, 3, 0 },
		{ 1, 0, 7 }, { 1, 2, 4 }, { 2, 0, 5 }, { 2, 2, 4 }, { UINT16_MAX, 1, 2 },
	};
	struct rte_comch_consumer_conf conf = { .nb_posts = 8 };
	struct test_q *q, *other;
	struct test_fp_end end;
	unsigned int i;
	uint32_t id;

	TEST_CALL(peer_open(DPU, 3));
	TEST_CALL(stranger_connect(&end));
	for (i = 0; i < RTE_DIM(cases); i++) {
		conf.tag = (uint32_t)cases[i].nb << 16 | cases[i].index;
		q = test_q_consumer(&end, &conf);
		TEST_EXPECT(rte_comch_ctx_start(q->ctx), -EINPROGRESS);
		TEST_UNTIL(test_q_state(q) == RTE_COMCH_STATE_RUNNING, stranger_turn(), UP_MS);
		id = test_queue_id(q->ctx);
		TEST_CALL(ways_are((cases[i].ways & 1) != 0 ? id : 0,
			(cases[i].ways & 2) != 0 ? id : 0, (cases[i].ways & 4) != 0 ? id : 0));
		/* another one, which says that it is all pairs, and goes */
		conf.tag = 1 << 16;
		other = test_q_consumer(&end, &conf);
		TEST_EXPECT(rte_comch_ctx_start(other->ctx), -EINPROGRESS);
		id = test_queue_id(other->ctx);
		TEST_CALL(ways_are(id, id, id));
		TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
		TEST_UNTIL(test_q_state(q) == RTE_COMCH_STATE_IDLE, stranger_turn(), UP_MS);
		TEST_EXPECT(test_q_close(q), 0);
		TEST_CALL(ways_are(id, id, id));
		rte_comch_ctx_stop(other->ctx);
		TEST_UNTIL(test_q_state(other) == RTE_COMCH_STATE_IDLE, stranger_turn(), UP_MS);
		TEST_EXPECT(test_q_close(other), 0);
		TEST_CALL(ways_are(0, 0, 0));
	}
	/* it goes, and pairs come */
	rte_comch_ctx_stop(end.ep->ctx);
	TEST_UNTIL(pt.nb_down[DPU] == 1, stranger_turn(), UP_MS);
	TEST_CALL(peer_open(HOST, 3));
	TEST_CALL(both_up(3, 3));
	return send_one(HOST, 2, 2, LEN, 1);
}

/* The callback of a peer knows no buffers of test_send(). */
static int
say(struct rte_comch_conn *conn, const char *text)
{
	struct rte_comch_task *task;

	TEST_EXPECT(rte_comch_conn_task_alloc(conn, text, (uint32_t)strlen(text) + 1, &task), 0);
	return rte_comch_task_submit(task);
}

/* Without pairs, a peer is a connection for messages. */
static int
test_messages(void)
{
	struct rte_comch_peer_conf conf = conf_of(DPU, 0);
	struct rte_comch_peer_info info;

	test_log_quiet();
	pt.in_callback = true;
	conf.recv_cb = heard;
	TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[DPU]), 0);
	conf = conf_of(HOST, 0);
	conf.send_cb = sent;
	TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[HOST]), 0);
	TEST_UNTIL(pt.nb_up[DPU] == 1 && pt.nb_up[HOST] == 1, turn(), UP_MS);
	TEST_EXPECT(rte_comch_peer_info_get(pt.peers[HOST], &info), 0);
	TEST_EXPECT(say(info.conn, "hello"), 0);
	TEST_UNTIL(pt.nb_sent == 1 && strcmp(pt.heard, "hello") == 0, turn(), UP_MS);
	/* nobody hears it here, and nobody waits for its end there */
	TEST_EXPECT(rte_comch_peer_info_get(pt.peers[DPU], &info), 0);
	TEST_EXPECT(say(info.conn, "back"), 0);
	test_settle();
	return TEST_SUCCESS;
}

/* No callback at all. */
static int
test_no_callbacks(void)
{
	struct rte_comch_peer_conf conf;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		conf = conf_of(i, 1);
		conf.change_cb = NULL;
		conf.user_data = NULL;
		conf.nb_desc = 0;
		TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[i]), 0);
	}
	TEST_CALL(both_up(1, 1));
	TEST_CALL(send_one(HOST, 0, 0, LEN, 1));
	TEST_EXPECT(peer_close(DPU), 0);
	TEST_CALL(peer_open(DPU, 1));
	return send_one(HOST, 0, 0, LEN, 2);
}

/* A packet that is too long, between two that are not. */
static int
test_bad_packet(void)
{
	static const uint32_t lens[] = { LEN, 2000, LEN };
	struct rte_mbuf *pkts[RTE_DIM(lens)], *got = NULL;
	struct rte_comch_pair_info info;
	struct rte_mempool *pool;
	uint16_t taken = 0;
	unsigned int i;

	pool = test_mem_info(test_mem_pool(test_pair.host, "long", 15, 0, 2176, 0)).pool;
	TEST_CALL(open_both(1, 1));
	TEST_EXPECT(pair_idle(DPU, 0), 0); /* posts */
	for (i = 0; i < RTE_DIM(lens); i++)
		pkts[i] = test_packet(pool, lens[i], 1, i);
	TEST_UNTIL((taken += rte_comch_pair_tx_burst(pair_of(HOST, 0), pkts + taken,
		(uint16_t)(RTE_DIM(pkts) - taken))) == RTE_DIM(pkts), turn() + pairs_turn(), UP_MS);
	for (i = 0; i < 2; i++) {
		TEST_UNTIL(rte_comch_pair_rx_burst(pair_of(DPU, 0), &got, 1) == 1, turn(), UP_MS);
		taken = (uint16_t)got->pkt_len;
		rte_pktmbuf_free(got);
		TEST_EXPECT(taken, LEN);
	}
	TEST_EXPECT(rte_comch_pair_info_get(pair_of(HOST, 0), &info), 0);
	TEST_EXPECT(info.tx_errors, 1);
	return TEST_SUCCESS;
}

/* What a port has found comes, too, if it is asked for. */
static int
test_meta(void)
{
	struct rte_comch_peer_conf conf = conf_of(DPU, 1);
	struct rte_mbuf *m, *got = NULL;
	bool same;

	conf.meta = RTE_COMCH_META_RX | RTE_COMCH_META_PORT;
	TEST_EXPECT(rte_comch_peer_open(&conf, &pt.peers[DPU]), 0);
	TEST_CALL(peer_open(HOST, 1));
	TEST_CALL(both_up(1, 1));
	TEST_EXPECT(pair_idle(DPU, 0), 0); /* posts */
	m = test_packet(pt.pools[HOST], LEN, 1, 1);
	m->port = 5;
	m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
	m->vlan_tci = 77;
	TEST_UNTIL(rte_comch_pair_tx_burst(pair_of(HOST, 0), &m, 1) == 1,
		turn() + pairs_turn(), UP_MS);
	TEST_UNTIL(rte_comch_pair_rx_burst(pair_of(DPU, 0), &got, 1) == 1, turn(), UP_MS);
	same = got->port == 5 && got->vlan_tci == 77 &&
		(got->ol_flags & RTE_MBUF_F_RX_VLAN_STRIPPED) != 0;
	rte_pktmbuf_free(got);
	TEST_TRUE(same);
	return TEST_SUCCESS;
}

/* Send to what the other side has posted, which fetches nothing meanwhile. */
static int
fill(unsigned int from, uint32_t *nb)
{
	struct rte_mbuf *m;

	TEST_EXPECT(pair_idle(1 - from, 0), 0); /* posts */
	for (*nb = 0; *nb < NB_DESC / 2; (*nb)++) {
		m = test_packet(pt.pools[from], LEN, 1, *nb);
		TEST_UNTIL(rte_comch_pair_tx_burst(pair_of(from, 0), &m, 1) == 1,
			turn() + pairs_turn(), UP_MS);
	}
	return TEST_SUCCESS;
}

static uint32_t
fetch(unsigned int side)
{
	struct rte_mbuf *pkts[BURST];
	uint32_t nb = 0;
	uint16_t got;

	while ((got = rte_comch_pair_rx_burst(pair_of(side, 0), pkts, BURST)) != 0) {
		nb += got;
		rte_pktmbuf_free_bulk(pkts, got);
	}
	return nb;
}

/* A receiver that stops fetches all that was sent before. */
static int
test_stop_fetches(void)
{
	uint64_t end = test_now_ns() + (uint64_t)CLOSE_MS * 1000000;
	struct rte_mbuf *m;
	uint32_t nb, got = 0;
	int ret;

	TEST_CALL(open_both(1, 1));
	TEST_CALL(fill(HOST, &nb));
	do {
		ret = rte_comch_pair_stop(pair_of(DPU, 0));
		got += fetch(DPU);
		turn();
	} while (ret == -EINPROGRESS && test_now_ns() < end);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(got, nb);
	TEST_EXPECT(rte_comch_pair_stop(pair_of(DPU, 0)), 0);
	TEST_EXPECT(pair_status(DPU, 0), -ENOTCONN);
	/* the peer has nobody to send to */
	TEST_UNTIL(pair_status(HOST, 0) == -EINPROGRESS, turn() + pair_idle(HOST, 0), UP_MS);
	m = test_packet(pt.pools[HOST], LEN, 1, 0);
	TEST_EXPECT(rte_comch_pair_tx_burst(pair_of(HOST, 0), &m, 1), 0);
	rte_pktmbuf_free(m);
	return TEST_SUCCESS;
}

/* A sender that closes in order: all that it has sent is there for who fetches at once. */
static int
test_close_delivers(void)
{
	uint32_t nb, got = 0;

	TEST_CALL(open_both(1, 1));
	TEST_CALL(fill(HOST, &nb));
	TEST_EXPECT(peer_close(HOST), 0);
	TEST_UNTIL(pt.nb_down[DPU] == 1, turn(), UP_MS);
	TEST_UNTIL(pair_status(DPU, 0) == -ECONNRESET, (got += fetch(DPU)), UP_MS);
	TEST_EXPECT(got, nb);
	return TEST_SUCCESS;
}

static bool bursts_stop;

/* What an lcore of one side does, whatever becomes of the other one. */
struct bursts {
	struct rte_comch_pair *pair;
	struct rte_mempool *pool;
	uint64_t sent;
	uint64_t back;
};

static void *
burst_on(void *arg)
{
	struct bursts *b = arg;
	struct rte_mbuf *pkts[8];
	uint16_t i, nb;

	test_thread_spread(1);
	while (!__atomic_load_n(&bursts_stop, __ATOMIC_RELAXED)) {
		if (rte_pktmbuf_alloc_bulk(b->pool, pkts, RTE_DIM(pkts)) == 0) {
			for (i = 0; i < RTE_DIM(pkts); i++)
				memset(rte_pktmbuf_append(pkts[i], LEN), 1, LEN);
			nb = rte_comch_pair_tx_burst(b->pair, pkts, RTE_DIM(pkts));
			b->sent += nb;
			rte_pktmbuf_free_bulk(pkts + nb, (unsigned int)RTE_DIM(pkts) - nb);
		}
		nb = rte_comch_pair_rx_burst(b->pair, pkts, RTE_DIM(pkts));
		__atomic_store_n(&b->back, b->back + nb, __ATOMIC_RELAXED);
		rte_pktmbuf_free_bulk(pkts, nb);
	}
	return NULL;
}

/* Echo until so many have come back to the other side. */
static int
echo_until(unsigned int side, struct bursts *b, uint64_t back)
{
	uint64_t end = test_now_ns() + (uint64_t)UP_MS * 1000000;
	struct rte_mbuf *pkts[BURST];
	uint16_t got, done;

	while (__atomic_load_n(&b->back, __ATOMIC_RELAXED) < back) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		got = rte_comch_pair_rx_burst(pair_of(side, 0), pkts, BURST);
		done = rte_comch_pair_tx_burst(pair_of(side, 0), pkts, got);
		rte_pktmbuf_free_bulk(pkts + done, (unsigned int)got - done);
		turn();
	}
	return 0;
}

/* One side goes and comes back while an lcore of the other one bursts. */
static int
test_restart(int side)
{
	struct bursts b = { .sent = 0 };
	unsigned int i, rounds = test_place_is_bluefield() ? 3 : 10;
	pthread_t thread;
	int ret = 0;

	TEST_CALL(open_both(1, 1));
	b.pair = pair_of(1 - (unsigned int)side, 0);
	b.pool = pt.pools[1 - side];
	bursts_stop = false;
	TEST_EXPECT(pthread_create(&thread, NULL, burst_on, &b), 0);
	for (i = 0; i < rounds && ret == 0; i++) {
		ret = echo_until((unsigned int)side, &b,
			__atomic_load_n(&b.back, __ATOMIC_RELAXED) + 1000);
		if (ret == 0)
			ret = peer_close((unsigned int)side);
		if (ret == 0)
			ret = peer_open((unsigned int)side, 1);
	}
	if (ret == 0)
		ret = echo_until((unsigned int)side, &b,
			__atomic_load_n(&b.back, __ATOMIC_RELAXED) + 1000);
	__atomic_store_n(&bursts_stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	test_note("%u restarts: %" PRIu64 " packets sent, %" PRIu64 " back", rounds, b.sent,
		b.back);
	TEST_TRUE(b.sent >= b.back);
	TEST_EXPECT(pt.nb_up[1 - side], rounds + 1);
	TEST_EXPECT(pt.nb_down[1 - side], rounds);
	return TEST_SUCCESS;
}

/* An lcore that stands still over a restart takes the newest connection when it goes on. */
static int
test_late_lcore(void)
{
	unsigned int i;

	TEST_CALL(open_both(1, 1));
	for (i = 0; i < 3; i++) {
		TEST_EXPECT(peer_close(HOST), 0);
		TEST_UNTIL(pt.nb_down[DPU] == i + 1, turn(), UP_MS);
		TEST_CALL(peer_open(HOST, 1));
		TEST_UNTIL(pt.nb_up[DPU] == i + 2, turn(), UP_MS);
	}
	TEST_CALL(both_up(1, 1));
	return send_one(HOST, 0, 0, LEN, 3);
}

static int
send_any(void)
{
	struct rte_mbuf *m = test_packet(pt.pools[DPU], LEN, 1, 0);
	uint16_t nb = rte_comch_pair_tx_burst(pair_of(DPU, 0), &m, 1);

	if (nb == 0)
		rte_pktmbuf_free(m);
	return nb;
}

static int
child_killed(struct test_place *place)
{
	struct test_child *child;
	unsigned int i;

	snprintf(test_pair.function, sizeof(test_pair.function), "%s", test_place_function(0));
	test_pair.host = -1; /* it is in the other process */
	TEST_CALL(pools_make());
	TEST_CALL(peer_open(DPU, 1));
	for (i = 0; i < 3; i++) {
		child = test_child_start_as("fp-child", place, test_place_function(0));
		TEST_TRUE(child != NULL);
		TEST_EXPECT(test_child_ask(child, UP_MS, "pair pairs"), 0);
		/* what the last one has sent is fetched by then */
		TEST_UNTIL(pt.nb_up[DPU] == i + 1 && pair_status(DPU, 0) == 0,
			turn() + pair_idle(DPU, 0), UP_MS);
		/* the child drops what it cannot send back yet */
		TEST_UNTIL(fetch(DPU) != 0, turn() + send_any(), UP_MS);
		test_child_kill(child);
		TEST_UNTIL(pt.nb_down[DPU] == i + 1, turn() + pair_idle(DPU, 0), UP_MS);
		TEST_TRUE(pt.reasons[DPU] != 0);
	}
	return TEST_SUCCESS;
}

static void
child_cleanup(void)
{
	test_child_cleanup();
	teardown();
}

/* The process of the peer is killed, and another one comes. */
static int
test_killed(void)
{
	TEST_CALL(test_fp_need());
	test_time_limit(200);
	return test_place_run_card(child_killed, child_cleanup);
}

#define CASE(fn) TEST_CASE_ST(setup, teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "comch: peers and pairs",
	.unit_test_cases = {
		CASE(test_open_bad),
		CASE(test_bad_handles),
		CASE(test_alone),
		CASE(test_ways_same),
		CASE(test_ways_more_dpu),
		CASE(test_ways_more_host),
		CASE(test_tags),
		CASE(test_messages),
		CASE(test_no_callbacks),
		CASE(test_bad_packet),
		CASE(test_meta),
		CASE(test_stop_fetches),
		CASE(test_close_delivers),
		TEST_CASE_ARG(setup, teardown, "test_restart_host", test_restart, HOST),
		TEST_CASE_ARG(setup, teardown, "test_restart_dpu", test_restart, DPU),
		CASE(test_late_lcore),
		TEST_CASE_ST(NULL, NULL, test_killed),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_pair_autotest, test_pairs_run, &suite)
