/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* A card with a hostile client, see test_bluefield_peer_fast.h. */

#include "test_bluefield_peer_fast.h"

#define HOSTILE "pf0vf1"
#define HOST_MAC "02:c0:3c:00:02:11"
#define HOSTILE_MAC "02:c0:3c:00:02:12"

const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x02, 0x10 };
struct peer hostile, honest;
int card_dev;
struct test_ep *card_server, *card_consumer;

int
card_setup(void)
{
	card_server = card_consumer = NULL;
	memset(&hostile, 0, sizeof(hostile));
	memset(&honest, 0, sizeof(honest));
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, HOSTILE_MAC));
	card_dev = test_model_dev_add(&model, CARD,
		"role=dpu,functions=" HOST "@" HOST_MAC "/" HOSTILE "@" HOSTILE_MAC);
	TEST_TRUE(card_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 1;
	return peer_open(&hostile, HOSTILE, false);
}

void
card_teardown(void)
{
	peer_close(&hostile);
	peer_close(&honest);
	test_cleanup();
	test_model_teardown();
}

int
card_connected(void)
{
	uint32_t before = card_server->nb_connects;
	struct bf_wire_req req;

	peer_req(&req, "test");
	TEST_CALL(peer_connect(&hostile, card_mac, &req, sizeof(req)));
	PEER_WAIT(&hostile, hostile.seen[BF_CM_REP] != 0 && card_server->nb_connects == before + 1,
			TEST_MS);
	return TEST_SUCCESS;
}

int
card_server_up(void)
{
	const struct rte_comch_server_conf conf = {
		.ctrl.max_msg_size = PEER_MSG_SIZE,
		.ctrl.recv_queue_size = PEER_QUEUE,
	};

	card_server = test_server_run_conf(&conf, test_pe_new());
	return card_connected();
}

int
card_consumer_new(struct rte_comch_pe *pe)
{
	struct bf_wire_consumer_answer answer = { .to = BF_WIRE_CONSUMER_NEW };
	const unsigned int before = peer_count(&hostile, BF_WIRE_CONSUMER_NEW);

	card_consumer = test_ep_new();
	TEST_EXPECT(test_consumer_start(card_consumer, card_server->conn, pe), -EINPROGRESS);
	PEER_WAIT(&hostile, peer_count(&hostile, BF_WIRE_CONSUMER_NEW) == before + 1, TEST_MS);
	answer.consumer = test_queue_id(card_consumer->ctx);
	TEST_CALL(peer_ctl(&hostile, BF_WIRE_CONSUMER_ANSWER, &answer));
	PEER_WAIT(&hostile, test_state(card_consumer) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return TEST_SUCCESS;
}

int
card_consumer_up(void)
{
	TEST_CALL(card_server_up());
	return card_consumer_new(test_pe_new());
}

int
pair_ask_of(uint32_t pair, uint32_t id)
{
	const struct bf_wire_pair_open msg = {
		.pair = pair, .producer = PRODUCER, .consumer = id, .qpn = 0x123,
		.credits = BF_PAIR_CREDITS,
	};

	return peer_ctl(&hostile, BF_WIRE_PAIR_OPEN, &msg);
}

int
pair_ask(uint32_t pair)
{
	return pair_ask_of(pair, test_queue_id(card_consumer->ctx));
}

int
card_violated(const char *words)
{
	struct rte_comch_dev_stats stats;

	PEER_WAIT(&hostile, card_server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(card_server->disconnect_status, -EPROTO);
	TEST_ASSERT(test_log_has(words), "the log has no: %s", words);
	TEST_EXPECT(rte_comch_dev_stats_get(card_dev, &stats), 0);
	TEST_EXPECT(stats.violations, 1);
	return TEST_SUCCESS;
}

int
card_serves(void)
{
	TEST_EXPECT(test_dev_status(card_dev), 0);
	return card_connected();
}
