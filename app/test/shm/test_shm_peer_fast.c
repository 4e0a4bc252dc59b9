/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages about regions and consumers that are wrong in themselves, or come when
 * they must not, from either role. What the shared memory holds is attacked in
 * another file.
 */

#include <unistd.h>

#include <rte_comch_meta.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "shm_fast.h"
#include "test_shm_peer_fast.h"

#define POSTS_HDR ((uint32_t)offsetof(struct shm_wire_posts, tail))
#define CPLS_HDR ((uint32_t)offsetof(struct shm_wire_cpls, want))

/* The types of the fast path, and how many descriptors they may come with. */
static const struct {
	uint16_t type;
	unsigned int fds;
	bool or_none;
} types[] = {
	{ SHM_WIRE_REGION, 1, false },
	{ SHM_WIRE_REGION_GONE, 0, false },
	{ SHM_WIRE_CONSUMER, 1, false },
	{ SHM_WIRE_CONSUMER_ACK, 1, true },
	{ SHM_WIRE_CONSUMER_GONE, 0, false },
};

static int
test_fds(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int t, n, i;
	int fds[5];

	for (t = 0; t < RTE_DIM(types); t++) {
		for (n = 0; n <= 4; n++) {
			if (n == types[t].fds || (n == 0 && types[t].or_none))
				continue;
			e = fast_connected();
			for (i = 0; i < n; i++)
				fds[i] = e->chan.seg.fd;
			hostile_fill(&msg, types[t].type, e->chan.id);
			TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds, n), 0);
			TEST_CALL(fast_link_dies(e, "type * 10 + fds",
					types[t].type * 10 + n));
		}
	}
	return TEST_SUCCESS;
}

static int
test_lengths(void)
{
	uint8_t buf[256];
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int t, full, i;

	for (t = 0; t < RTE_DIM(types); t++) {
		full = hostile_type_len(types[t].type);
		for (i = 0; i < 6; i++) {
			const unsigned int len[] = {
				full - 1, full + 1, full - 8, full + 8, 16, full,
			};

			if (i == 4 && full == 16)
				continue;
			e = fast_connected();
			memset(buf, 0, sizeof(buf));
			hostile_fill(&msg, types[t].type, e->chan.id);
			/* the last: as long as it must be, and it says another length */
			msg.hdr.len = (uint16_t)(i == 5 ? full + 8 : len[i]);
			memcpy(buf, &msg, sizeof(msg));
			TEST_EXPECT(hostile_send_raw(e, buf, len[i], &e->chan.seg.fd,
					types[t].fds), 0);
			TEST_CALL(fast_link_dies(e, "type * 10 + length",
					types[t].type * 10 + i));
		}
	}
	return TEST_SUCCESS;
}

/* Before there is a connection, on one that is not up, and after its end. */
static int
test_wrong_state(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int t, state;
	int fd;

	for (state = 0; state < 3; state++) {
		for (t = 2; t < RTE_DIM(types); t++) {
			e = state == 2 ? fast_connected() : fast_connecting();
			if (state == 1 && !fast_side->host)
				TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
			fd = types[t].fds != 0 ? e->seg.fd : -1;
			if (state == 2) {
				TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, e->chan.id), 0);
				/* also when it has answered, which it does meanwhile */
				if (t % 2 == 0)
					TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
			}
			hostile_fill(&msg, types[t].type, 0);
			/* in state 0, a connection that never was */
			TEST_EXPECT(hostile_send(e, &msg, types[t].type,
					state == 0 ? 77 : e->chan.id, fd), 0);
			TEST_CALL(fast_link_dies(e, "state * 100 + type",
					state * 100 + types[t].type));
		}
	}
	return TEST_SUCCESS;
}

static int
test_region_values(void)
{
	static const struct {
		uint32_t id;
		uint64_t size;
	} bad[] = {
		{ SHM_WIRE_MAX_REGIONS, 16384 }, { 0x10000, 16384 }, { 0x80000000, 16384 },
		{ UINT32_MAX, 16384 },
		{ 0, 0 }, { 0, 1 }, { 0, 4095 }, { 0, 4097 }, { 0, UINT64_MAX },
		{ 1, 16384 }, /* which is there already */
	};
	struct hostile_region r;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(bad); i++) {
		e = fast_connected();
		TEST_EXPECT(hostile_region_send(e, &r, 1), 0);
		peer_turn();
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = bad[i].id;
		msg.region.size = bad[i].size;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, r.fd), 0);
		TEST_CALL(fast_link_dies(e, "region", i));
	}
	for (i = 0; i < 4; i++) {
		e = fast_connected();
		hostile_fill(&msg, SHM_WIRE_REGION_GONE, 0);
		msg.region_gone.region = i == 0 ? 1 : i == 1 ? SHM_WIRE_MAX_REGIONS :
			i == 2 ? UINT32_MAX : 0;
		if (i == 3) { /* twice */
			TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
			TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION_GONE, 0, -1), 0);
		}
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION_GONE, 0, -1), 0);
		TEST_CALL(fast_link_dies(e, "region gone", i));
	}
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* A descriptor that is no region: nobody can have consumers in it, and no more. */
static int
test_region_fds(void)
{
	struct hostile_consumer c;
	struct hostile_region r;
	union shm_wire_msg msg;
	struct hostile *e = fast_connected();
	const uint32_t before = fast_victim()->nb_new;
	const uint64_t mem = peer_taken(geteuid(), "mem");
	unsigned int kind, fds = test_count_fds(), maps = test_count_maps();
	int fd;

	for (kind = 0; kind < REGIONS_BAD; kind++) {
		memset(&c, 0, sizeof(c));
		fd = hostile_region_bad_fd(kind, HOSTILE_REGION_SIZE);
		if (fd < 0) {
			TEST_TRUE(kind == REGION_HUGETLB || kind == REGION_FILE);
			printf("no descriptor of kind %u to be had: left out\n", kind);
			continue;
		}
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = kind;
		if (kind == REGION_HUGETLB)
			msg.region.size = 1 << 21;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, fd), 0);
		close(fd);
		TEST_EXPECT(hostile_consumer_start(e, &c, kind + 1, kind), -EACCES);
		hostile_consumer_free(&c);
		hostile_fill(&msg, SHM_WIRE_REGION_GONE, 0);
		msg.region_gone.region = kind;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION_GONE, 0, -1), 0);
		peer_turn();
		TEST_TRUE(!hostile_gone(e));
	}
	/* none is told to the application, or counts */
	TEST_EXPECT(fast_victim()->nb_new, before);
	PEER_WAIT(peer_taken(geteuid(), "mem") == mem, TEST_MS);
	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	/* and a good one in its place */
	memset(&c, 0, sizeof(c));
	TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
	TEST_EXPECT(hostile_consumer_start(e, &c, 1, 0), 0);
	hostile_consumer_free(&c);
	hostile_region_free(&r);
	TEST_EXPECT(fast_side->violations(), 0);
	fast_case_end();
	PEER_WAIT(test_count_fds() <= fds && test_count_maps() <= maps, TEST_MS);
	return TEST_SUCCESS;
}

/* Larger than the file, and larger than anything can be: refused, or a breach. */
static int
test_region_sizes(void)
{
	static const uint64_t sizes[] = {
		HOSTILE_REGION_SIZE + 4096, UINT64_C(1) << 30, UINT64_C(1) << 32,
		UINT64_C(1) << 38, (UINT64_C(1) << 38) + 4096, UINT64_C(1) << 63,
		UINT64_MAX - HOSTILE_REGION_SIZE + 1, UINT64_MAX - 4095,
	};
	struct hostile_consumer c, good;
	struct hostile_region r;
	struct hostile *e;
	unsigned int i;
	int ret;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(sizes); i++) {
		memset(&c, 0, sizeof(c));
		memset(&good, 0, sizeof(good));
		e = fast_connected();
		/* one that is mapped, so that sums can wrap */
		r.size = HOSTILE_REGION_SIZE;
		TEST_EXPECT(hostile_region_send(e, &r, 1), 0);
		TEST_EXPECT(hostile_consumer_start(e, &good, 1, 1), 0);
		r.size = sizes[i];
		TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
		ret = hostile_consumer_start(e, &c, 2, 0);
		TEST_ASSERT(ret == -EACCES || ret == -ENOMEM || ((ret == -ECONNRESET ||
				ret == -EPIPE) && fast_side->violations() == 1),
				"size %u: %s", i, strerror(-ret));
		if (ret == -ECONNRESET || ret == -EPIPE)
			i = RTE_DIM(sizes); /* and so would the larger ones be */
		hostile_consumer_free(&c);
		hostile_consumer_free(&good);
		fast_case_end();
	}
	r.size = HOSTILE_REGION_SIZE;
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

static int
test_consumer_values(void)
{
	/* identifier, posts, immediate data, region, group */
	static const uint32_t bad[][5] = {
		/* 0, and those that share the slot of 9 */
		{ 0, 8, 0, UINT32_MAX, 0 }, { 265, 8, 0, UINT32_MAX, 0 },
		{ 0x10009, 8, 0, UINT32_MAX, 0 }, { 0xffffff09, 8, 0, UINT32_MAX, 0 },
		{ 1, 0, 0, UINT32_MAX, 0 }, { 1, 3, 0, UINT32_MAX, 0 },
		{ 1, 8193, 0, UINT32_MAX, 0 }, { 1, 16384, 0, UINT32_MAX, 0 },
		{ 1, 0x80000000, 0, UINT32_MAX, 0 }, { 1, UINT32_MAX, 0, UINT32_MAX, 0 },
		{ 1, 8, 257, UINT32_MAX, 0 }, { 1, 8, 0x10000, UINT32_MAX, 0 },
		{ 1, 8, UINT32_MAX, UINT32_MAX, 0 }, { 1, 8192, UINT32_MAX - 7, UINT32_MAX, 0 },
		{ 1, 8, 0, 64, 0 }, { 1, 8, 0, 3, 0 }, { 1, 8, 0, 5, 0 },
		{ 1, 8, 0, UINT32_MAX - 1, 0 }, { 1, 8, 0, 0x80000000, 0 },
		{ 1, 8, 0, UINT32_MAX, 32 }, { 1, 8, 0, UINT32_MAX, UINT32_MAX },
		{ 9, 8, 0, UINT32_MAX, 0 },
	};
	struct hostile_consumer c;
	struct hostile_region r;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(bad); i++) {
		memset(&c, 0, sizeof(c));
		e = fast_connected();
		/* a consumer 9, and region 5 that is gone */
		TEST_EXPECT(hostile_consumer_start(e, &c, 9, SHM_WIRE_NO_REGION), 0);
		TEST_EXPECT(hostile_region_send(e, &r, 5), 0);
		hostile_fill(&msg, SHM_WIRE_REGION_GONE, 0);
		msg.region_gone.region = 5;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION_GONE, 0, -1), 0);
		hostile_fill(&msg, SHM_WIRE_CONSUMER, e->chan.id);
		msg.consumer.consumer = bad[i][0];
		msg.consumer.nb_posts = bad[i][1];
		msg.consumer.imm_len = bad[i][2];
		msg.consumer.region = bad[i][3];
		msg.consumer.group = bad[i][4];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER, e->chan.id, c.seg.fd), 0);
		TEST_CALL(fast_conn_dies(e, "consumer", i));
		hostile_consumer_free(&c);
	}
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* Sizes that it cannot have, fields that have to be 0, and flags that there are not. */
static int
test_consumer_sizes(void)
{
	static const struct {
		uint64_t buf_size;
		uint32_t meta;
		uint32_t region;
		uint32_t flags;
	} bad[] = {
		{ 1, 0, SHM_WIRE_NO_REGION, 0 }, { UINT64_MAX, 0, SHM_WIRE_NO_REGION, 0 },
		{ HOSTILE_REGION_SIZE + 1, 0, 0, 0 }, { SHM_WIRE_MAX_BUF_SIZE, 0, 0, 0 },
		{ SHM_WIRE_MAX_BUF_SIZE + 1, 0, 0, 0 }, { UINT64_MAX, 0, 0, 0 },
		{ RTE_BIT64(63), 0, 0, 0 }, { 8, 1, 0, 0 }, { 8, RTE_BIT32(31), 0, 0 },
		{ 8, 0, 0, 0x4 }, { 8, 0, 0, 0x8000 }, { 8, 0, 0, 0xfffc },
	};
	struct hostile_consumer c, wrong;
	struct hostile_region r;
	struct hostile *e;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(bad); i++) {
		memset(&c, 0, sizeof(c));
		memset(&wrong, 0, sizeof(wrong));
		e = fast_connected();
		TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
		/* all that there is can be stated */
		c.msg.buf_size = HOSTILE_REGION_SIZE;
		TEST_EXPECT(hostile_consumer_start(e, &c, 9, 0), 0);
		wrong.msg.buf_size = bad[i].buf_size;
		wrong.msg.meta = bad[i].meta; /* without room for it */
		wrong.msg.flags = bad[i].flags;
		TEST_EXPECT(hostile_consumer_ask(e, &wrong, 1, bad[i].region), 0);
		TEST_CALL(fast_conn_dies(e, "size", i));
		hostile_consumer_free(&wrong);
		hostile_consumer_free(&c);
	}
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/*
 * It states a size and posts another: what is shorter is a breach when a message of the
 * stated size comes, what is longer is believed no further than the region goes.
 */
static int
test_consumer_lies(void)
{
	static const struct {
		uint64_t off;
		uint64_t len;
		uint64_t send;
		int taken;
	} lies[] = {
		{ 0, 99, 99, 1 }, { 0, 99, 100, -EPROTO }, { 0, 0, 1, -EPROTO },
		{ 0, 200, 100, 1 }, { 0, SHM_WIRE_POST_LONG, 100, 1 },
		{ HOSTILE_REGION_SIZE - 99, 100, 99, 1 },
		{ HOSTILE_REGION_SIZE - 99, 100, 100, -EPROTO },
		{ HOSTILE_REGION_SIZE, 200, 1, -EPROTO },
		{ (UINT64_C(1) << 40) - 1, 100, 100, -EPROTO },
	};
	static uint8_t data[512];
	struct rte_comch_send send = { .addr = data };
	struct rte_comch_remote_consumer_info info;
	struct hostile_consumer c;
	struct hostile_region r;
	struct test_q *q;
	struct hostile *e;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (i = 0; i < RTE_DIM(lies); i++) {
		memset(&c, 0, sizeof(c));
		e = fast_connected();
		TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
		c.msg.buf_size = 100;
		TEST_EXPECT(hostile_consumer_start(e, &c, 9, 0), 0);
		q = fast_producer();
		send.mem = fast_source(data, sizeof(data), 0);
		TEST_EXPECT(rte_comch_conn_consumer_info_get(fast_victim()->conn, 9, &info), 0);
		TEST_EXPECT(info.buf_size, 100);
		hostile_post(&c, lies[i].off, lies[i].len);
		/* longer than what was stated and what is posted */
		send.len = sizeof(data);
		if (lies[i].len < send.len) {
			TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 9, &send, 1), 0);
			TEST_EXPECT(test_reason(q, 9), -EMSGSIZE);
		}
		send.len = lies[i].send;
		TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 9, &send, 1), lies[i].taken == 1);
		if (lies[i].taken == 1) {
			TEST_EXPECT(fast_breaches(), 0);
			fast_case_end();
		} else {
			TEST_CALL(fast_conn_dies(e, "lie", i));
		}
		hostile_consumer_free(&c);
	}
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* A packet with all that a port may have found. */
static struct rte_mbuf *
meta_packet(struct rte_mempool *pool)
{
	struct rte_mbuf *m = test_packet(pool, 64, 1, 1);

	if (m == NULL)
		return NULL;
	m->ol_flags |= RTE_COMCH_META_MBUF_RX;
	m->packet_type = RTE_COMCH_META_WIRE_PTYPES;
	m->vlan_tci = m->vlan_tci_outer = 0x0fff;
	m->port = 1;
	m->hash.fdir.lo = m->hash.fdir.hi = UINT32_MAX;
	return m;
}

/* The first message of a consumer with one post, and that nothing lies behind its metadata. */
static int
meta_place_check(const struct hostile_consumer *c, bool comes)
{
	const uint64_t word = __atomic_load_n(&c->cpls->words[0], __ATOMIC_ACQUIRE);
	const uint8_t *imm = (const uint8_t *)&c->cpls->words[1];
	const uint32_t len = comes ? RTE_COMCH_META_SIZE : 0;
	uint32_t i;

	TEST_EXPECT((word >> SHM_WIRE_CPL_IMM_SHIFT) & SHM_WIRE_CPL_IMM_MASK, len);
	for (i = len; i < shm_wire_imm_size(c->msg.imm_len); i++)
		TEST_EXPECT(imm[i], 0);
	return TEST_SUCCESS;
}

/*
 * It asks for metadata in places that are larger, and by flags that there are not. What is
 * known comes, in the place of the packet, and nothing beside it; what is not does not.
 */
static int
test_consumer_meta(void)
{
	static const struct {
		uint32_t imm_len;
		uint32_t meta;
		bool comes;
	} cases[] = {
		{ 32, RTE_COMCH_META_ALL, true }, { 33, RTE_COMCH_META_RX, true },
		{ 39, RTE_COMCH_META_PORT, true }, { 255, UINT32_MAX, true },
		{ 256, RTE_COMCH_META_TX, false }, { 32, ~RTE_COMCH_META_ALL, false },
		{ 256, 0, false }, { 32, RTE_COMCH_META_TIME, false },
		{ 31, RTE_COMCH_META_ALL, false }, { 0, ~RTE_COMCH_META_ALL, false },
		{ 32, RTE_COMCH_META_ALL, false }, /* without a region */
	};
	const unsigned int nb_bad = 3; /* the last */
	struct hostile_consumer c;
	struct hostile_region r;
	struct rte_mempool *pool;
	uint32_t region;
	struct rte_mbuf *m;
	struct test_q *q;
	struct hostile *e;
	unsigned int i;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	pool = rte_pktmbuf_pool_create("hostile_meta", 15, 0, 0, 256, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	for (i = 0; i < RTE_DIM(cases); i++) {
		memset(&c, 0, sizeof(c));
		e = fast_connected();
		TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
		c.msg.buf_size = 100;
		c.msg.imm_len = cases[i].imm_len;
		c.msg.meta = cases[i].meta;
		c.msg.nb_posts = 1; /* its place is the last one, too */
		if (i >= RTE_DIM(cases) - nb_bad) {
			region = i < RTE_DIM(cases) - 1 ? 0 : SHM_WIRE_NO_REGION;
			c.msg.buf_size = region == 0 ? 100 : 0;
			TEST_EXPECT(hostile_consumer_ask(e, &c, 9, region), 0);
			TEST_CALL(fast_conn_dies(e, "meta", i));
			hostile_consumer_free(&c);
			continue;
		}
		TEST_EXPECT(hostile_consumer_start(e, &c, 9, 0), 0);
		q = fast_producer();
		hostile_post(&c, 0, 100);
		m = meta_packet(pool);
		TEST_TRUE(m != NULL);
		TEST_EXPECT(rte_comch_producer_tx_burst(q->ctx, 9, &m, 1), 1);
		TEST_CALL(meta_place_check(&c, cases[i].comes));
		TEST_EXPECT(fast_breaches(), 0);
		fast_case_end();
		hostile_consumer_free(&c);
	}
	TEST_TRUE(rte_mempool_full(pool));
	rte_mempool_free(pool);
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* Identifiers may be any but 0; what is sent to another one of the slot goes nowhere. */
static int
test_consumer_ids(void)
{
	static const uint32_t ids[] = { 1, 255, 256, 257, 0x80000000, UINT32_MAX };
	struct rte_comch_send send = { .imm = "x", .imm_len = 1 };
	struct hostile_consumer c;
	struct test_q *q;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(ids); i++) {
		memset(&c, 0, sizeof(c));
		c.msg.imm_len = 8;
		e = fast_connected();
		TEST_EXPECT(hostile_consumer_start(e, &c, ids[i], SHM_WIRE_NO_REGION), 0);
		q = fast_producer();
		hostile_post(&c, 0, 0);
		TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, ids[i] + 256, &send, 1), 0);
		TEST_EXPECT(test_reason(q, ids[i]), -ENOENT);
		TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 0, &send, 1), 0);
		TEST_EXPECT(test_reason(q, ids[i]), -ENOENT);
		TEST_EXPECT(rte_comch_producer_credits(q->ctx, ids[i] - 256), 0);
		TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, ids[i], &send, 1), 1);
		TEST_EXPECT(c.cpls->producers[q->id], q->id);
		TEST_EXPECT(fast_breaches(), 0);
		hostile_consumer_free(&c);
		fast_case_end();
	}
	return TEST_SUCCESS;
}

/* Segments of posts, and of completions, that are none. */
static int
test_segments(void)
{
	const uint32_t nb = 1024; /* for some pages */
	struct hostile_region r;
	struct hostile_rc rc = { 0 };
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int kind, cpls;
	int fd;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	for (cpls = 0; cpls < 2; cpls++) {
		for (kind = 0; kind < BAD_SEGS; kind++) {
			fd = cpls != 0 ? peer_bad_fd(kind, CPLS_HDR,
					shm_wire_cpls_size(nb, false, 0)) :
				peer_bad_fd(kind, POSTS_HDR, shm_wire_posts_size(nb, true));
			if (fd < 0) {
				TEST_TRUE(kind == BAD_HUGETLB);
				printf("no memfd of huge pages: left out\n");
				continue;
			}
			e = fast_connected();
			memset(&rc, 0, sizeof(rc));
			if (cpls != 0) {
				fast_consumer(NULL, nb, 0);
				TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
			} else {
				TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
			}
			hostile_fill(&msg, cpls != 0 ? SHM_WIRE_CONSUMER_ACK : SHM_WIRE_CONSUMER,
					e->chan.id);
			if (cpls == 0) {
				msg.consumer.nb_posts = nb;
				msg.consumer.region = 0;
			}
			TEST_EXPECT(hostile_send(e, &msg, msg.hdr.type, e->chan.id, fd), 0);
			close(fd);
			TEST_CALL(fast_conn_dies(e, "segment", cpls * 100 + kind));
			hostile_rc_free(&rc);
		}
	}
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* About consumers of the hostile side. */
static int
test_order_theirs(void)
{
	struct hostile_consumer c;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		memset(&c, 0, sizeof(c));
		e = fast_connected();
		if (i >= 1)
			TEST_EXPECT(hostile_consumer_start(e, &c, 1, SHM_WIRE_NO_REGION), 0);
		hostile_fill(&msg, SHM_WIRE_CONSUMER_GONE, e->chan.id);
		switch (i) {
		case 0: /* never there */
			break;
		case 1:
			msg.consumer_id.consumer = 2;
			break;
		case 2:
			msg.consumer_id.consumer = 0;
			break;
		case 3:
			msg.consumer_id.consumer = 257;
			break;
		case 4:
			msg.consumer_id.consumer = UINT32_MAX;
			break;
		default: /* twice */
			TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER_GONE, e->chan.id, -1),
					0);
			break;
		}
		TEST_EXPECT(hostile_send(e, &msg, msg.hdr.type, e->chan.id, -1), 0);
		TEST_CALL(fast_conn_dies(e, "gone", i));
		hostile_consumer_free(&c);
	}
	return TEST_SUCCESS;
}

/* About consumers of the device. */
static int
test_order_ours(void)
{
	struct hostile_rc rc;
	union shm_wire_msg msg;
	struct test_q *q;
	struct hostile *e;
	unsigned int i, j;
	int fd;

	for (i = 0; i < 12; i++) {
		memset(&rc, 0, sizeof(rc));
		e = fast_connected();
		hostile_fill(&msg, SHM_WIRE_CONSUMER_ACK, e->chan.id);
		fd = -1;
		if (i == 0) { /* nobody asked */
			TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER_ACK, e->chan.id, -1),
					0);
			TEST_CALL(fast_conn_dies(e, "answer", i));
			continue;
		}
		q = fast_consumer(NULL, 8, 0);
		/* more than are asked for at one time */
		for (j = 0; i == 11 && j < SHM_MAX_LINK_ASKED; j++)
			fast_consumer(NULL, 8, 0);
		TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
		if (i == 8 || i == 9) {
			TEST_EXPECT(hostile_rc_answer(e, &rc), 0);
			PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_RUNNING, TEST_MS);
		}
		switch (i) {
		case 1: /* it takes it, and brings nothing */
			break;
		case 2: /* it does not, and brings something */
			msg.consumer_ack.status = -ENOMEM;
			fd = rc.seg.fd;
			break;
		case 3:
			msg.consumer_ack.consumer = 2;
			fd = rc.seg.fd;
			break;
		case 4:
			msg.consumer_ack.consumer = 0;
			fd = rc.seg.fd;
			break;
		case 5:
			msg.consumer_ack.consumer = UINT32_MAX;
			fd = rc.seg.fd;
			break;
		case 6: /* flags that there are not */
			msg.consumer_ack.consumer = rc.msg.consumer;
			msg.consumer_ack.flags = SHM_WIRE_CONSUMER_F_IDLE;
			fd = rc.seg.fd;
			break;
		case 7:
			msg.consumer_ack.consumer = rc.msg.consumer;
			msg.consumer_ack.status = -ENOMEM;
			msg.consumer_ack.flags = RTE_BIT32(31);
			break;
		case 8: /* twice */
			fd = rc.seg.fd;
			break;
		case 10: /* another one in its place */
			msg.consumer_ack.consumer = rc.msg.consumer + SHM_WIRE_MAX_CONSUMERS;
			fd = rc.seg.fd;
			break;
		case 11: /* one that was not asked for so far */
			msg.consumer_ack.consumer = rc.msg.consumer + SHM_MAX_LINK_ASKED;
			fd = rc.seg.fd;
			break;
		default: /* when it has gone */
			rte_comch_ctx_stop(q->ctx);
			TEST_EXPECT(hostile_wait(e, SHM_WIRE_CONSUMER_GONE, TEST_MS), 0);
			fd = rc.seg.fd;
			break;
		}
		TEST_EXPECT(hostile_send(e, &msg, msg.hdr.type, e->chan.id, fd), 0);
		TEST_CALL(fast_conn_dies(e, "answer", i));
		hostile_rc_free(&rc);
	}
	return TEST_SUCCESS;
}

/* Reasons for which a consumer is refused, and that are none. */
static int
test_refusals(void)
{
	static const int32_t reasons[] = {
		-EACCES, -ENOMEM, -EUSERS, -1, 1, INT32_MAX, INT32_MIN, -5000, -EINPROGRESS,
	};
	struct hostile_rc rc = { .posts = NULL };
	union shm_wire_msg msg;
	struct test_q *q;
	struct hostile *e = fast_connected();
	unsigned int i;
	int reason;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		q = fast_consumer(NULL, 8, 0);
		TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
		hostile_fill(&msg, SHM_WIRE_CONSUMER_ACK, e->chan.id);
		msg.consumer_ack.consumer = rc.msg.consumer;
		msg.consumer_ack.status = reasons[i];
		hostile_rc_free(&rc);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER_ACK, e->chan.id, -1), 0);
		PEER_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
		reason = rte_comch_ctx_reason_get(q->ctx);
		TEST_ASSERT(reason == (i < 3 ? reasons[i] : -ECONNREFUSED), "%d became %d",
				reasons[i], reason);
	}
	/* of one that has stopped since, the peer is told nothing */
	q = fast_consumer(NULL, 8, 0);
	TEST_EXPECT(hostile_rc_wait(e, &rc), 0);
	TEST_TRUE(rte_comch_ctx_stop(q->ctx) <= 0);
	msg.consumer_ack.consumer = rc.msg.consumer;
	msg.consumer_ack.status = -ENOMEM;
	hostile_rc_free(&rc);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONSUMER_ACK, e->chan.id, -1), 0);
	peer_turn_ms(10);
	while ((i = (unsigned int)hostile_recv(e)) != 0)
		TEST_TRUE(i != SHM_WIRE_CONSUMER_GONE && i < SHM_WIRE_TYPES);
	TEST_EXPECT(fast_side->violations(), 0);
	TEST_TRUE(fast_victim()->conn != NULL && !hostile_gone(e));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: messages of the fast path",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		FAST_CASE(test_fds),
		FAST_CASE(test_lengths),
		FAST_CASE(test_wrong_state),
		FAST_CASE(test_region_values),
		FAST_CASE(test_region_fds),
		FAST_CASE(test_region_sizes),
		FAST_CASE(test_consumer_values),
		FAST_CASE(test_consumer_sizes),
		FAST_CASE(test_consumer_lies),
		FAST_CASE(test_consumer_meta),
		FAST_CASE(test_consumer_ids),
		FAST_CASE(test_segments),
		FAST_CASE(test_order_theirs),
		FAST_CASE(test_order_ours),
		FAST_CASE(test_refusals),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_fast_autotest, fast_suites_run, &suite)
