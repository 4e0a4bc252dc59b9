/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card's side of the bluefield driver, with a server, its client, which the test plays
 * and is hostile, and a consumer: for tests of the fast path. No test is in here.
 */

#ifndef TEST_BLUEFIELD_PEER_FAST_H
#define TEST_BLUEFIELD_PEER_FAST_H

#define ALLOW_INTERNAL_API 1

#include "bluefield_cm_priv.h" /* check-ok: its layers are tested */
#include "bluefield_fast.h" /* check-ok: its layers are tested */
#include "test_bluefield_peer.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define CARD_MAC "02:c0:3c:00:02:10"
#define PRODUCER 1 /**< Of the client. */

extern const uint8_t card_mac[6];
extern struct peer hostile;
/** Another client, which a case may open on HOST. */
extern struct peer honest;
extern int card_dev;
extern struct test_ep *card_server, *card_consumer;

int card_setup(void);
void card_teardown(void);
/** A server with the hostile client. */
int card_server_up(void);
/** The hostile client connects to it, once more. */
int card_connected(void);
/** A consumer of the server's side. */
int card_consumer_new(struct rte_comch_pe *pe);
/** A server with the hostile client, and a consumer. */
int card_consumer_up(void);
/** The client asks for a pair with the consumer, or with that of another identifier. */
int pair_ask(uint32_t pair);
int pair_ask_of(uint32_t pair, uint32_t id);
/** It has ended the connection, with these words in the log, and is counted. */
int card_violated(const char *words);
/** The device works, and serves who comes. */
int card_serves(void);

#endif /* TEST_BLUEFIELD_PEER_FAST_H */
