/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path of an honest connection, the same on both sides: each message is known by
 * its number, so that one that is lost, doubled or out of order is found by the next. A
 * client sends, and its server sends all of it back.
 */

#include "test_comch_fp_load.h"
#include "test_shm_storm.h"

#define END_SLOTS 64u
#define END_LEN 512u
#define END_BURST 32u

static int
queue_start(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe)
{
	int ret = rte_comch_ctx_attach(ctx, pe);

	if (ret == 0)
		ret = rte_comch_ctx_start(ctx);
	return ret == -EINPROGRESS ? 0 : ret;
}

int
storm_end_open(struct storm_end *end, struct test_ep *ep, struct rte_comch_conn *conn, int16_t dev,
		struct rte_comch_pe *pe)
{
	struct rte_comch_consumer_conf conf = { .nb_posts = END_SLOTS, .buf_size = END_LEN };
	int ret;

	end->ep = ep;
	end->conn = conn;
	ret = rte_comch_mem_alloc(dev, END_SLOTS * END_LEN, RTE_COMCH_MEM_F_PEER_WRITE, &end->rx);
	if (ret == 0)
		ret = rte_comch_mem_alloc(dev, END_SLOTS * END_LEN, 0, &end->tx);
	conf.mem = end->rx;
	if (ret == 0)
		ret = rte_comch_consumer_create(conn, &conf, &end->consumer);
	if (ret == 0)
		ret = queue_start(end->consumer, pe);
	if (ret == 0)
		ret = rte_comch_producer_create(conn, NULL, &end->producer);
	return ret == 0 ? queue_start(end->producer, pe) : ret;
}

static uint64_t
msg_len(uint64_t nr)
{
	return 8 + test_fp_mix(nr) % (END_LEN - 8);
}

static void
end_post(struct storm_end *end, uint64_t nr)
{
	const struct rte_comch_post post = {
		.addr = (uint8_t *)rte_comch_mem_addr(end->rx) + nr % END_SLOTS * END_LEN,
		.len = END_LEN,
		.cookie = nr,
	};

	if (rte_comch_consumer_post_burst(end->consumer, &post, 1) != 1)
		end->error = -ENOBUFS;
}

static unsigned int
end_receive(struct storm_end *end)
{
	const uint8_t *base = rte_comch_mem_addr(end->rx);
	struct rte_comch_cpl cpls[END_BURST];
	uint16_t n, i;
	uint64_t nr;

	if (!end->posted && rte_comch_ctx_state_get(end->consumer) == RTE_COMCH_STATE_RUNNING) {
		for (nr = 0; nr < END_SLOTS; nr++)
			end_post(end, nr);
		end->posted = true;
	}
	n = rte_comch_queue_poll_burst(end->consumer, cpls, END_BURST);
	for (i = 0; i < n && end->error == 0 && cpls[i].status == 0; i++) {
		nr = end->received++;
		if (cpls[i].cookie != nr || cpls[i].len != msg_len(nr) ||
				!test_fp_check(base + nr % END_SLOTS * END_LEN, cpls[i].len, nr)) {
			test_complain("message %u is another", (unsigned int)nr);
			end->error = -EILSEQ;
		}
		end_post(end, nr + END_SLOTS);
	}
	return n;
}

static unsigned int
end_send(struct storm_end *end, uint64_t send_to)
{
	uint8_t *base = rte_comch_mem_addr(end->tx);
	struct rte_comch_send send = { .mem = end->tx };
	struct rte_comch_cpl cpls[END_BURST];
	uint16_t n = rte_comch_queue_poll_burst(end->producer, cpls, END_BURST), i;
	unsigned int nb = 0;

	for (i = 0; i < n; i++)
		if (cpls[i].status != 0 && end->conn != NULL && end->error == 0)
			end->error = cpls[i].status;
	end->done += n;
	if (end->ep->nb_new == end->nb_new)
		return n; /* the peer has no consumer yet */
	while (end->sent < send_to && end->sent - end->done < END_SLOTS && nb < END_BURST) {
		send.addr = base + end->sent % END_SLOTS * END_LEN;
		send.len = msg_len(end->sent);
		test_fp_fill(base + end->sent % END_SLOTS * END_LEN, send.len, end->sent);
		if (rte_comch_producer_send_burst(end->producer, end->ep->new_id, &send, 1) != 1)
			break;
		end->sent++;
		nb++;
	}
	return n + nb;
}

unsigned int
storm_end_turn(struct storm_end *end, uint64_t send_to)
{
	if (end->conn == NULL || end->error != 0)
		return 0;
	return end_receive(end) + end_send(end, send_to);
}

/* @return whether it is gone */
static bool
queue_close(struct rte_comch_ctx **ctx)
{
	struct rte_comch_cpl cpls[END_BURST];
	int state;

	if (*ctx == NULL)
		return true;
	state = rte_comch_ctx_state_get(*ctx);
	if (state == RTE_COMCH_STATE_STARTING || state == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(*ctx);
	rte_comch_queue_poll_burst(*ctx, cpls, END_BURST);
	if (rte_comch_ctx_state_get(*ctx) != RTE_COMCH_STATE_IDLE ||
			rte_comch_ctx_destroy(*ctx) != 0)
		return false;
	*ctx = NULL;
	return true;
}

bool
storm_end_close(struct storm_end *end)
{
	bool closed = queue_close(&end->producer);

	closed &= queue_close(&end->consumer);
	if (!closed || (end->rx != NULL && rte_comch_mem_free(end->rx) != 0))
		return false;
	end->rx = NULL;
	if (end->tx != NULL && rte_comch_mem_free(end->tx) != 0)
		return false;
	end->tx = NULL;
	return true;
}
