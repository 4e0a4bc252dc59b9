/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What devtools/count-instructions.py runs under callgrind: a number of
 * connections in one process, and a number of messages over them, each function
 * of the fast path called from a function of its own whose cost can be read by
 * its name. No test: it is there if COMCH_TEST_COUNT is set, to
 *
 *   <connections> <how many of them have a producer and a consumer> <messages>
 */

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_util.h"

#define COUNT_MAX_CONNS 64
#define COUNT_MAX_BURST 32
#define COUNT_QUEUE 64
#define COUNT_LEN 64
#define COUNT_IMM_LEN 32
#define COUNT_MBUFS 511

/* Where messages go in turn. */
struct count_pipe {
	struct test_ep *client;
	struct rte_comch_ctx *producer;
	struct rte_comch_ctx *consumers[3]; /* of buffers, of immediate data, of packets */
	uint32_t ids[3];
	struct rte_comch_ctx *consumer; /* one of these */
	uint32_t id;
	struct rte_comch_mem *src;
	struct rte_comch_mem *dst;
	struct rte_comch_mem *pool; /* of received packets */
	struct rte_comch_post posts[COUNT_MAX_BURST];
	struct rte_comch_send sends[COUNT_MAX_BURST];
};

struct count_ops {
	uint16_t (*nothing)(struct rte_comch_ctx *ctx, void *array, uint16_t nb);
	uint16_t (*post)(struct rte_comch_ctx *ctx, const struct rte_comch_post *posts,
			uint16_t nb);
	uint16_t (*send)(struct rte_comch_ctx *ctx, uint32_t id,
			const struct rte_comch_send *sends, uint16_t nb);
	uint16_t (*receive)(struct rte_comch_ctx *ctx, struct rte_comch_cpl *cpls, uint16_t nb);
	uint16_t (*sent)(struct rte_comch_ctx *ctx, struct rte_comch_cpl *cpls, uint16_t nb);
};

/*
 * The word in the assembly keeps the compiler from folding functions that are
 * alike, and the barrier from making the last call a jump.
 */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

#define COUNT_OPS(kind) \
static __rte_noinline uint16_t \
count_nothing_##kind(struct rte_comch_ctx *ctx, void *array, uint16_t nb) \
{ \
	RTE_SET_USED(ctx); \
	RTE_SET_USED(array); \
	COUNT_APART(nothing_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_post_##kind(struct rte_comch_ctx *ctx, const struct rte_comch_post *posts, uint16_t nb) \
{ \
	nb = rte_comch_consumer_post_burst(ctx, posts, nb); \
	COUNT_APART(post_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_send_##kind(struct rte_comch_ctx *ctx, uint32_t id, const struct rte_comch_send *sends, \
		uint16_t nb) \
{ \
	nb = rte_comch_producer_send_burst(ctx, id, sends, nb); \
	COUNT_APART(send_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_receive_##kind(struct rte_comch_ctx *ctx, struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = rte_comch_queue_poll_burst(ctx, cpls, nb); \
	COUNT_APART(receive_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_sent_##kind(struct rte_comch_ctx *ctx, struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = rte_comch_queue_poll_burst(ctx, cpls, nb); \
	COUNT_APART(sent_##kind); \
	return nb; \
} \
static const struct count_ops count_ops_##kind = { \
	count_nothing_##kind, count_post_##kind, count_send_##kind, count_receive_##kind, \
	count_sent_##kind, \
}

COUNT_OPS(buf_1);
COUNT_OPS(buf_32);
COUNT_OPS(imm_1);
COUNT_OPS(imm_32);

/* Packets have neither posts nor completions of their own. */
struct count_mbuf_ops {
	uint16_t (*nothing)(struct rte_comch_ctx *ctx, void *array, uint16_t nb);
	uint16_t (*send)(struct rte_comch_ctx *ctx, uint32_t id, struct rte_mbuf **pkts,
			uint16_t nb);
	uint16_t (*receive)(struct rte_comch_ctx *ctx, struct rte_mbuf **pkts, uint16_t nb);
};

#define COUNT_MBUF_OPS(kind) \
static __rte_noinline uint16_t \
count_nothing_##kind(struct rte_comch_ctx *ctx, void *array, uint16_t nb) \
{ \
	RTE_SET_USED(ctx); \
	RTE_SET_USED(array); \
	COUNT_APART(nothing_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_send_##kind(struct rte_comch_ctx *ctx, uint32_t id, struct rte_mbuf **pkts, uint16_t nb) \
{ \
	nb = rte_comch_producer_tx_burst(ctx, id, pkts, nb); \
	COUNT_APART(send_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_receive_##kind(struct rte_comch_ctx *ctx, struct rte_mbuf **pkts, uint16_t nb) \
{ \
	nb = rte_comch_consumer_rx_burst(ctx, pkts, nb); \
	COUNT_APART(receive_##kind); \
	return nb; \
} \
static const struct count_mbuf_ops count_ops_##kind = { \
	count_nothing_##kind, count_send_##kind, count_receive_##kind, \
}

COUNT_MBUF_OPS(mbuf_1);
COUNT_MBUF_OPS(mbuf_32);

static struct count_pipe pipes[COUNT_MAX_CONNS];
static unsigned int nb_conns, nb_used, nb_msgs;

/* Read by name only, and not known to the compiler. */
static const struct count_ops * volatile count_ops;
static const struct count_mbuf_ops * volatile count_mbuf_ops;

static void
count_fill(struct count_pipe *p, bool imm)
{
	static uint8_t bytes[COUNT_IMM_LEN];
	uint8_t *dst = rte_comch_mem_addr(p->dst);
	const uint8_t *src = rte_comch_mem_addr(p->src);
	unsigned int i;

	p->consumer = p->consumers[imm];
	p->id = p->ids[imm];
	memset(p->posts, 0, sizeof(p->posts));
	memset(p->sends, 0, sizeof(p->sends));
	for (i = 0; i < COUNT_MAX_BURST; i++) {
		if (imm) {
			p->sends[i].imm = bytes;
			p->sends[i].imm_len = COUNT_IMM_LEN;
			continue;
		}
		p->posts[i].addr = dst + i * COUNT_LEN;
		p->posts[i].len = COUNT_LEN;
		p->sends[i].addr = src + i * COUNT_LEN;
		p->sends[i].len = COUNT_LEN;
		p->sends[i].mem = p->src;
	}
}

static int
count_run(const struct count_ops *ops, unsigned int burst, bool imm)
{
	struct rte_comch_cpl cpls[COUNT_MAX_BURST];
	struct count_pipe *p;
	unsigned int i, n;

	count_ops = ops;
	for (i = 0; i < nb_used; i++)
		count_fill(&pipes[i], imm);
	for (i = 0; i < nb_msgs / burst; i++) {
		p = &pipes[i % nb_used];
		n = count_ops->nothing(p->consumer, p->posts, (uint16_t)burst);
		n += count_ops->post(p->consumer, p->posts, (uint16_t)burst);
		n += count_ops->send(p->producer, p->id, p->sends, (uint16_t)burst);
		n += count_ops->receive(p->consumer, cpls, (uint16_t)burst);
		n += count_ops->sent(p->producer, cpls, (uint16_t)burst);
		TEST_EXPECT(n, 5 * burst);
	}
	return TEST_SUCCESS;
}

/* What the pools do is in the functions that are counted where the driver has them do it. */
static int
count_run_mbuf(const struct count_mbuf_ops *ops, unsigned int burst, struct rte_mempool *pool)
{
	struct rte_mbuf *pkts[COUNT_MAX_BURST];
	struct count_pipe *p;
	unsigned int i, j, n;

	count_mbuf_ops = ops;
	/* the first call posts as many as fit */
	for (i = 0; i < nb_used; i++)
		TEST_EXPECT(rte_comch_consumer_rx_burst(pipes[i].consumers[2], pkts,
				COUNT_MAX_BURST), 0);
	for (i = 0; i < nb_msgs / burst; i++) {
		p = &pipes[i % nb_used];
		TEST_EXPECT(rte_pktmbuf_alloc_bulk(pool, pkts, burst), 0);
		for (j = 0; j < burst; j++)
			pkts[j]->pkt_len = pkts[j]->data_len = COUNT_LEN;
		n = count_mbuf_ops->nothing(p->producer, pkts, (uint16_t)burst);
		n += count_mbuf_ops->send(p->producer, p->ids[2], pkts, (uint16_t)burst);
		n += count_mbuf_ops->receive(p->consumers[2], pkts, (uint16_t)burst);
		TEST_EXPECT(n, 3 * burst);
		rte_pktmbuf_free_bulk(pkts, burst);
	}
	return TEST_SUCCESS;
}

/* A consumer of buffers, which states their size, one of immediate data, or of packets. */
static int
count_consumer_open(struct count_pipe *p, struct rte_comch_conn *conn, struct rte_comch_pe *pe,
		unsigned int kind)
{
	struct rte_comch_mem * const mems[] = { p->dst, NULL, p->pool };
	const struct rte_comch_consumer_conf conf = {
		.mem = mems[kind],
		.buf_size = kind == 0 ? COUNT_LEN : 0,
		.nb_posts = COUNT_QUEUE,
		.imm_len = kind == 2 ? 0 : COUNT_IMM_LEN,
	};
	struct rte_comch_ctx **ctx = &p->consumers[kind];
	uint32_t before = p->client->nb_new;

	TEST_EXPECT(rte_comch_consumer_create(conn, &conf, ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(*ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(*ctx), -EINPROGRESS);
	TEST_WAIT(rte_comch_ctx_state_get(*ctx) == RTE_COMCH_STATE_RUNNING &&
			p->client->nb_new == before + 1, TEST_MS);
	p->ids[kind] = p->client->new_id;
	return TEST_SUCCESS;
}

static int
count_pipe_open(struct count_pipe *p, struct rte_comch_conn *conn, struct rte_comch_pe *pe)
{
	const struct rte_comch_producer_conf producer_conf = { .nb_sends = COUNT_QUEUE };
	const uint64_t len = COUNT_MAX_BURST * COUNT_LEN;
	char name[RTE_MEMPOOL_NAMESIZE];
	unsigned int i;

	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, len, RTE_COMCH_MEM_F_PEER_WRITE, &p->dst),
			0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.host, len, 0, &p->src), 0);
	snprintf(name, sizeof(name), "count_%u", (unsigned int)(p - pipes));
	TEST_EXPECT(rte_comch_mem_pool_create(test_pair.dpu, name, COUNT_MBUFS, COUNT_QUEUE,
			RTE_PKTMBUF_HEADROOM + COUNT_LEN, RTE_COMCH_MEM_F_PEER_WRITE, &p->pool), 0);
	for (i = 0; i < RTE_DIM(p->consumers); i++)
		TEST_CALL(count_consumer_open(p, conn, pe, i));
	TEST_EXPECT(rte_comch_producer_create(p->client->conn, &producer_conf, &p->producer), 0);
	TEST_EXPECT(rte_comch_ctx_attach(p->producer, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(p->producer), 0);
	return TEST_SUCCESS;
}

static int
count_pipe_close(struct count_pipe *p)
{
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(p->consumers); i++) {
		ret = rte_comch_ctx_stop(p->consumers[i]);
		TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
		TEST_WAIT(rte_comch_ctx_state_get(p->consumers[i]) == RTE_COMCH_STATE_IDLE,
				TEST_MS);
		TEST_EXPECT(rte_comch_ctx_destroy(p->consumers[i]), 0);
	}
	TEST_CALL(test_stop_now(p->producer));
	TEST_EXPECT(rte_comch_ctx_destroy(p->producer), 0);
	TEST_EXPECT(rte_comch_mem_free(p->dst), 0);
	TEST_EXPECT(rte_comch_mem_free(p->src), 0);
	TEST_EXPECT(rte_comch_mem_free(p->pool), 0);
	return TEST_SUCCESS;
}

static int
count_all(void)
{
	struct rte_mempool *pool = rte_pktmbuf_pool_create("sources", COUNT_MBUFS, COUNT_QUEUE, 0,
			RTE_PKTMBUF_HEADROOM + COUNT_LEN, SOCKET_ID_ANY);
	struct rte_comch_pe *server_pe, *client_pe;
	struct test_ep *server;
	unsigned int i;

	TEST_TRUE(pool != NULL);
	TEST_CALL(test_pair_first());
	server_pe = test_pe_new();
	client_pe = test_pe_new();
	server = test_server_run("test", server_pe);
	for (i = 0; i < nb_conns; i++) {
		pipes[i].client = test_client_run("test", client_pe);
		TEST_WAIT(pipes[i].client->conn != NULL && server->nb_connects == i + 1, TEST_MS);
		if (i < nb_used)
			TEST_CALL(count_pipe_open(&pipes[i], server->conn, server_pe));
	}
	TEST_CALL(count_run(&count_ops_buf_1, 1, false));
	TEST_CALL(count_run(&count_ops_buf_32, 32, false));
	TEST_CALL(count_run(&count_ops_imm_1, 1, true));
	TEST_CALL(count_run(&count_ops_imm_32, 32, true));
	TEST_CALL(count_run_mbuf(&count_ops_mbuf_1, 1, pool));
	TEST_CALL(count_run_mbuf(&count_ops_mbuf_32, 32, pool));
	for (i = 0; i < nb_used; i++)
		TEST_CALL(count_pipe_close(&pipes[i]));
	rte_mempool_free(pool);
	return TEST_SUCCESS;
}

static int
count_main(struct unit_test_suite *suite __rte_unused)
{
	int ret = TEST_FAILED;

	if (sscanf(getenv("COMCH_TEST_COUNT"), "%u %u %u", &nb_conns, &nb_used, &nb_msgs) == 3 &&
			nb_conns <= COUNT_MAX_CONNS && nb_used <= nb_conns && nb_used > 0)
		ret = count_all();
	else
		printf("COMCH_TEST_COUNT is no \"connections used messages\"\n");
	test_cleanup();
	return ret;
}

REGISTER_COUNT_TEST(comch_fp_count, "COMCH_TEST_COUNT", count_main)
