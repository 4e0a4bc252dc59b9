/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ports of ethdev on comch, and a peer that is none: what it says and sends.
 */

#include <rte_byteorder.h>
#include <rte_comch.h>
#include <rte_comch_meta.h>
#include <rte_epoll.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_interrupts.h>
#include <rte_mbuf.h>

#include "test_bluefield_model.h"
#include "test_comch_fp_util.h"
#include "test_comch_util.h"
#include "test_net_comch.h"

/* What a port says first, in words: header, frames, queues, 16 consumers; and second. */
#define HELLO_LEN 80u
#define READY_LEN 8u
#define SAID_MAGIC 0x6d434e63u
#define SAID_HELLO 0x10001u
#define SAID_READY 0x20001u

/* A client that is no port, on a device of its own or that of the host's port. */
struct stranger {
	int16_t dev;
	bool holds;        /* it reads nothing of what is said on its next connection */
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_conn *conn;
	uint32_t consumer; /* of the port's first receive queue */
	uint32_t nb_heard;
	uint32_t lens[2];  /* of what it has heard */
	rte_le32_t heard[2][HELLO_LEN / 4];
};

static void
stranger_sent(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static void
stranger_heard(struct rte_comch_conn *conn __rte_unused, const void *msg, uint32_t len,
		void *user_data)
{
	struct stranger *s = user_data;

	if (s->nb_heard < RTE_DIM(s->heard)) {
		memcpy(s->heard[s->nb_heard], msg, RTE_MIN(len, HELLO_LEN));
		s->lens[s->nb_heard] = len;
	}
	s->nb_heard++;
}

static void
stranger_changed(struct rte_comch_ctx *ctx, enum rte_comch_state prev __rte_unused,
		enum rte_comch_state next, void *user_data)
{
	struct stranger *s = user_data;
	struct rte_comch_ctx_info info;

	if (s->holds && next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_info_get(ctx, &info) == 0)
		rte_comch_conn_recv_hold_set(info.conn, true);
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

/* The card's port waits for somebody, who takes so many messages of that size; 0: as usual. */
static int
stranger_begin(struct stranger *s, uint32_t msg_size, uint32_t nb_msgs)
{
	const struct rte_comch_client_conf conf = {
		.name = "net_comch",
		.ctrl = {
			.max_msg_size = msg_size, .recv_queue_size = nb_msgs,
			.state_cb = stranger_changed,
			.send_cb = stranger_sent, .recv_cb = stranger_heard,
			.consumer_new_cb = stranger_found, .consumer_gone_cb = stranger_lost,
			.user_data = s,
		},
	};
	int dev;

	memset(s, 0, sizeof(*s));
	TEST_CALL(net_port_configure(DPU, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[DPU]), 0);
	dev = net.place.is_open ? net.devs[HOST] :
		test_vdev_add("role=host,function=pf0,path=%s", net.path);
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
	if (!net.place.is_open)
		TEST_EXPECT(test_vdev_remove(s->dev), 0);
	TEST_CALL(net_port_configure(HOST, 1, 1500, 0));
	TEST_EXPECT(rte_eth_dev_start(net.ids[HOST]), 0);
	NET_WAIT(net_link_is_up(DPU) && net_link_is_up(HOST), UP_MS);
	return net_send_one(HOST, 0, 64, 1, 1);
}

/* One whose pool is empty does not sleep: nothing would wake it. */
int
test_direct_asleep(void)
{
	static struct rte_mbuf *held[NB_MBUFS];
	struct rte_mbuf *m, *got[NB_DESC];
	unsigned int nb = 0, nb_got = 0, i;

	TEST_CALL(net_ports_up(1, 1, 1500, 0));
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
		TEST_EXPECT(net_sleep_ms(TEST_MS), 1);
	}
	for (i = 0; i < NB_DESC; i++)
		TEST_CALL(net_packet_check(got[i], HOST, 64, i));
	rte_pktmbuf_free_bulk(held, nb);
	TEST_EXPECT(rte_eth_rx_burst(net.ids[HOST], 0, got, 1), 0);
	TEST_CALL(net_send_one(DPU, 0, 64, 1, 1));
	return rte_eth_dev_rx_intr_ctl_q(net.ids[HOST], 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_DEL, NULL);
}

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
int
test_stranger(void)
{
	static const struct {
		uint32_t word;   /* of a greeting that is replaced */
		uint32_t value;
		uint32_t len;
		unsigned int nb; /* how often it is said */
	} cases[] = {
		{ 1, SAID_HELLO + 1, HELLO_LEN, 1 }, { 0, 0x6e6f6e73, 8, 1 },
		{ 0, SAID_MAGIC, 1, 1 }, { 0, SAID_MAGIC, 7, 1 }, { 1, 0x30001, READY_LEN, 1 },
		{ 1, SAID_READY, READY_LEN, 1 }, { 1, SAID_READY, HELLO_LEN, 1 },
		{ 3, 1, HELLO_LEN - 1, 1 }, { 3, 1, HELLO_LEN + 1, 1 }, { 3, 1, 16, 1 },
		{ 3, 0, HELLO_LEN, 1 }, { 3, 17, HELLO_LEN, 1 }, { 3, UINT16_MAX, HELLO_LEN, 1 },
		{ 3, 1, HELLO_LEN, 2 },
	};
	rte_le32_t words[HELLO_LEN / 4 + 1];
	struct stranger s;
	unsigned int i, j;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	TEST_CALL(stranger_begin(&s, 0, 0));
	for (i = 0; i < RTE_DIM(cases); i++) {
		TEST_CALL(stranger_connect(&s));
		hello_make(words, 1);
		words[HELLO_LEN / 4] = 0;
		words[cases[i].word] = rte_cpu_to_le_32(cases[i].value);
		for (j = 0; j < cases[i].nb; j++)
			TEST_CALL(stranger_say(&s, words, cases[i].len));
		NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_TRUE(!net_link_is_up(DPU));
	}
	i = test_log_count("speaks version 2, and this one version 1");
	test_log_quiet();
	test_log_drop();
	TEST_EXPECT(i, 1);
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
int
test_stranger_greets(void)
{
	static const struct rte_comch_producer_conf conf = { .nb_sends = 32 };
	rte_le32_t words[HELLO_LEN / 4];
	struct rte_comch_ctx *producer;
	struct rte_comch_mem *mem;
	struct stranger s;
	struct rte_mbuf *m;
	unsigned int i, j, heard;

	TEST_CALL(stranger_begin(&s, 0, 0));
	for (i = 0; i < 4; i++) {
		heard = s.nb_heard;
		TEST_CALL(stranger_connect(&s));
		hello_make(words, 16);
		if (i >= 1)
			TEST_CALL(stranger_say(&s, words, HELLO_LEN));
		/* what the port says to that it says once, and is not up by itself */
		for (j = 0; j < 20 && i < 2; j++) {
			NET_WAIT(stranger_state(&s) >= 0 && s.nb_heard > heard + i, TEST_MS);
			TEST_TRUE(s.nb_heard == heard + i + 1 && !net_link_is_up(DPU));
			usleep(1000);
		}
		words[1] = rte_cpu_to_le_32(SAID_READY);
		if (i >= 2) {
			TEST_CALL(stranger_say(&s, words, READY_LEN));
			NET_WAIT(stranger_state(&s) >= 0 && net_link_is_up(DPU), TEST_MS);
		}
		if (i == 3)
			break;
		rte_comch_ctx_stop(s.ctx);
		NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS);
		NET_WAIT(!net_link_is_up(DPU), TEST_MS);
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

/*
 * It has room for one message, and reads nothing until the port is up: what waited is what
 * the port has said.
 */
int
test_stranger_late(void)
{
	rte_le32_t words[HELLO_LEN / 4];
	struct stranger s;
	unsigned int i;

	TEST_CALL(stranger_begin(&s, HELLO_LEN, 1));
	s.holds = true;
	TEST_CALL(stranger_connect(&s));
	hello_make(words, 1);
	TEST_CALL(stranger_say(&s, words, HELLO_LEN));
	words[1] = rte_cpu_to_le_32(SAID_READY);
	TEST_CALL(stranger_say(&s, words, READY_LEN));
	NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_RUNNING && net_link_is_up(DPU), TEST_MS);
	TEST_EXPECT(s.nb_heard, 0);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(s.conn, false), 0);
	NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_RUNNING && s.nb_heard == 2, TEST_MS);
	TEST_TRUE(s.lens[0] == HELLO_LEN && s.lens[1] == READY_LEN);
	hello_make(words, 1);
	words[2] = rte_cpu_to_le_32(1500 + RTE_ETHER_HDR_LEN + 2 * 4);
	words[4] = rte_cpu_to_le_32(s.consumer);
	for (i = 5; i < HELLO_LEN / 4; i++)
		words[i] = 0;
	TEST_TRUE(memcmp(s.heard[0], words, HELLO_LEN) == 0);
	words[1] = rte_cpu_to_le_32(SAID_READY);
	TEST_TRUE(memcmp(s.heard[1], words, READY_LEN) == 0);
	return stranger_end(&s);
}

/* It takes no message that is as long as a greeting: the port cannot greet it, and lets it go. */
int
test_stranger_small(void)
{
	struct stranger s;
	unsigned int i;

	TEST_CALL(stranger_begin(&s, 16, 0));
	for (i = 0; i < 2; i++) {
		TEST_CALL(stranger_connect(&s));
		NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_TRUE(s.nb_heard == 0 && !net_link_is_up(DPU));
	}
	return stranger_end(&s);
}

/* It says nothing: after ten seconds it is let go, and a port takes its place. */
static int
test_stranger_silent(void)
{
	struct stranger s;

	TEST_CALL(stranger_begin(&s, 0, 0));
	TEST_CALL(stranger_connect(&s));
	NET_WAIT(stranger_state(&s) == RTE_COMCH_STATE_IDLE, TEST_MS + 10000);
	TEST_TRUE(s.nb_heard == 1 && !net_link_is_up(DPU));
	return stranger_end(&s);
}

static struct unit_test_suite suite = {
	.suite_name = "net_comch_silent: a peer that says nothing",
	.unit_test_cases = {
		TEST_CASE_ST(net_setup, net_teardown, test_stranger_silent),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(net_comch_silent_autotest, unit_test_suite_runner, &suite)
