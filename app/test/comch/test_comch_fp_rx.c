/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers that a case turns itself: see test_comch_fp_rx.h.
 */

#include <inttypes.h>

#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_fp_rx.h"

#define RX_MAX 4
#define RX_BURST 8

static struct test_rx *rxs[RX_MAX];

/* The seed is in the first word of what it makes. */
static uint64_t
seed_of(const uint8_t *data)
{
	uint64_t word;

	memcpy(&word, data, sizeof(word));
	return word ^ (word >> 29) ^ (word >> 58);
}

static void
rx_check(struct test_rx *rx, const uint8_t *data, uint64_t len, const void *imm, uint32_t imm_len)
{
	uint64_t seed;

	rx->received++;
	if (len < sizeof(seed)) {
		test_fail("message %" PRIu64 " has %" PRIu64 " bytes", rx->received, len);
		return;
	}
	seed = seed_of(data);
	rx->last_seed = seed;
	if (!test_fp_check(data, len, seed))
		test_fail("message %" PRIu64 ": wrong data in %" PRIu64 " bytes", rx->received,
				len);
	if (imm_len != 0 && (imm_len != sizeof(seed) || memcmp(imm, &seed, sizeof(seed)) != 0))
		test_fail("message %" PRIu64 ": immediate data of another message", rx->received);
}

static void
rx_return(struct test_rx *rx, int status)
{
	rx->returned++;
	if (rx->status == 0)
		rx->status = status;
	else if (rx->status != status)
		test_fail("buffers come back with %d and %d", rx->status, status);
}

static struct rte_comch_post
rx_post_of(const struct test_rx *rx, uint64_t index)
{
	return (struct rte_comch_post){
		.addr = rx->base + index * rx->len,
		.len = rx->len,
		.cookie = index,
	};
}

static void
rx_post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct test_rx *rx = user_data;

	rx->out--;
	if (cpl->status != 0)
		rx_return(rx, cpl->status);
	else
		rx_check(rx, test_task_info(task).post.addr, cpl->len, cpl->imm, cpl->imm_len);
	if (cpl->status == 0 && !rx->finish && rte_comch_task_submit(task) == 0) {
		rx->out++;
		return;
	}
	if (rte_comch_task_free(task) != 0)
		test_fail("a post task cannot be freed in its callback");
}

static int
rx_create(struct test_rx *rx, struct test_link *link)
{
	static unsigned int count;
	struct rte_comch_consumer_conf conf = { .nb_posts = rx->nb, .imm_len = 16 };
	char name[32];

	if (rx->kind == TEST_RX_MBUF) {
		snprintf(name, sizeof(name), "test_rx%u", count++);
		/* as many as are posted, and those that a burst takes */
		TEST_EXPECT(rte_comch_mem_pool_create(link->dev, name, rx->nb + 2 * RX_BURST, 0,
				(uint16_t)(rx->len + RTE_PKTMBUF_HEADROOM),
				RTE_COMCH_MEM_F_PEER_WRITE, &rx->mem), 0);
	} else {
		TEST_EXPECT(rte_comch_mem_alloc(link->dev, rx->nb * rx->len,
				RTE_COMCH_MEM_F_PEER_WRITE, &rx->mem), 0);
		conf.buf_size = rx->len;
	}
	rx->base = test_mem_info(rx->mem).addr;
	conf.mem = rx->mem;
	conf.user_data = rx;
	if (rx->kind == TEST_RX_TASK) {
		conf.nb_tasks = rx->nb;
		conf.post_cb = rx_post_cb;
	}
	TEST_EXPECT(rte_comch_consumer_create(link->conn, &conf, &rx->ctx), 0);
	return TEST_SUCCESS;
}

static int
rx_post_all(struct test_rx *rx)
{
	struct rte_comch_task *task;
	struct rte_comch_post post;
	uint64_t i;

	rx->running = true;
	if (rx->kind == TEST_RX_MBUF) {
		test_rx_turn(rx);
		return TEST_SUCCESS;
	}
	for (i = 0; i < rx->nb; i++) {
		post = rx_post_of(rx, i);
		if (rx->kind == TEST_RX_BURST) {
			TEST_EXPECT(rte_comch_consumer_post_burst(rx->ctx, &post, 1), 1);
		} else {
			TEST_EXPECT(rte_comch_consumer_task_alloc(rx->ctx, &post, &task), 0);
			TEST_EXPECT(rte_comch_task_submit(task), 0);
		}
		rx->out++;
	}
	return TEST_SUCCESS;
}

int
test_rx_open(struct test_rx *rx, enum test_rx_kind kind, struct test_link *link,
		struct rte_comch_pe *pe, uint32_t nb, uint64_t len)
{
	unsigned int i;
	int ret;

	memset(rx, 0, sizeof(*rx));
	rx->kind = kind;
	rx->nb = nb;
	rx->len = len;
	for (i = 0; i < RX_MAX && rxs[i] != NULL; i++)
		;
	TEST_TRUE(i < RX_MAX);
	rxs[i] = rx;
	TEST_CALL(rx_create(rx, link));
	TEST_EXPECT(rte_comch_ctx_attach(rx->ctx, pe), 0);
	TEST_WAIT((ret = rte_comch_ctx_start(rx->ctx)) != -EAGAIN, TEST_MS);
	TEST_EXPECT(ret, -EINPROGRESS);
	TEST_WAIT(rte_comch_ctx_state_get(rx->ctx) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return rx_post_all(rx);
}

static void
rx_turn_burst(struct test_rx *rx)
{
	struct rte_comch_cpl cpls[RX_BURST];
	struct rte_comch_post post;
	uint16_t n = rte_comch_queue_poll_burst(rx->ctx, cpls, RX_BURST), i;

	for (i = 0; i < n; i++) {
		rx->out--;
		if (cpls[i].cookie >= rx->nb) {
			test_fail("a completion of no buffer: %" PRIu64, cpls[i].cookie);
			continue;
		}
		if (cpls[i].status != 0) {
			rx_return(rx, cpls[i].status);
			continue;
		}
		post = rx_post_of(rx, cpls[i].cookie);
		rx_check(rx, post.addr, cpls[i].len, cpls[i].imm, cpls[i].imm_len);
		if (!rx->finish)
			rx->out += rte_comch_consumer_post_burst(rx->ctx, &post, 1);
	}
}

static void
rx_turn_mbuf(struct test_rx *rx)
{
	struct rte_mbuf *pkts[RX_BURST];
	uint16_t n = rte_comch_consumer_rx_burst(rx->ctx, pkts, RX_BURST), i;

	for (i = 0; i < n; i++) {
		rx_check(rx, rte_pktmbuf_mtod(pkts[i], uint8_t *), pkts[i]->pkt_len, NULL, 0);
		rte_pktmbuf_free(pkts[i]);
	}
}

void
test_rx_turn(struct test_rx *rx)
{
	int state = rte_comch_ctx_state_get(rx->ctx);

	if (!rx->running || (state != RTE_COMCH_STATE_RUNNING &&
			state != RTE_COMCH_STATE_STOPPING))
		return;
	if (rx->kind == TEST_RX_BURST)
		rx_turn_burst(rx);
	else if (rx->kind == TEST_RX_MBUF && state == RTE_COMCH_STATE_RUNNING)
		rx_turn_mbuf(rx);
}

int
test_rx_stop(struct test_rx *rx)
{
	rx->finish = true;
	return rte_comch_ctx_stop(rx->ctx);
}

bool
test_rx_has_all(const struct test_rx *rx)
{
	struct rte_comch_mem_info info;

	if (rx->kind != TEST_RX_MBUF)
		return rx->out == 0 && test_ctx_info(rx->ctx).nb_tasks == 0;
	return rte_comch_mem_info_get(rx->mem, &info) == 0 && info.pool != NULL &&
			rte_mempool_full(info.pool);
}

int
test_rx_destroy(struct test_rx *rx)
{
	int ret = rte_comch_ctx_destroy(rx->ctx);

	if (ret == 0)
		rx->ctx = NULL;
	return ret;
}

int
test_rx_free(struct test_rx *rx)
{
	int ret = rte_comch_mem_free(rx->mem);
	unsigned int i;

	rx->mem = NULL;
	for (i = 0; i < RX_MAX; i++)
		if (rxs[i] == rx)
			rxs[i] = NULL;
	return ret;
}

void
test_rx_cleanup(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct test_rx *rx;
	unsigned int i;
	int state;

	for (i = 0; i < RX_MAX; i++) {
		rx = rxs[i];
		if (rx == NULL)
			continue;
		if (rx->ctx != NULL) {
			test_rx_stop(rx);
			while ((state = rte_comch_ctx_state_get(rx->ctx)) !=
					RTE_COMCH_STATE_IDLE && test_now_ns() < end) {
				test_rx_turn(rx);
				test_progress();
			}
			if (test_rx_destroy(rx) != 0)
				test_fail("a consumer is left, it is %s",
						rte_comch_state_name(state));
		}
		if (test_rx_free(rx) != 0)
			test_fail("a region is left");
	}
}
