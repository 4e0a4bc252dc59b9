/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the fuzz targets share: EAL, a place for devices to meet, a card device
 * with a server, and reading of an input piece by piece. No target is in here.
 */

#ifndef FUZZ_H
#define FUZZ_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/** What is left of an input. What is behind its end reads as 0. */
struct fuzz_in {
	const uint8_t *data;
	size_t left;
};

uint8_t fuzz_u8(struct fuzz_in *in);
uint32_t fuzz_u32(struct fuzz_in *in);
/** Take up to so many bytes. @return how many. */
size_t fuzz_bytes(struct fuzz_in *in, const uint8_t **bytes, size_t max);

/** A directory of this process's own; removed at exit. */
extern char fuzz_path[PATH_MAX];

/** Start EAL. Ends the process if it cannot. */
void fuzz_eal(bool telemetry);
/** End the process: the target itself is in trouble, not what it tests. */
__attribute__((noreturn)) void fuzz_die(const char *what, int error);

/* fuzz_peer.c */

/** A card device with a server named "target", in peer_env. */
void fuzz_card(void);
/** The device sends on its newest connection, if there is one. */
void fuzz_card_send(uint32_t len);
/** Close all that is hostile, and turn until nothing is left of it. */
void fuzz_card_reset(void);
/**
 * Between both, an input is run. The second waits a moment for what the device's thread
 * frees: else there seems to be a leak, and the fuzzer runs the input once more and has
 * LeakSanitizer look, which takes long.
 */
void fuzz_card_begin(void);
void fuzz_card_settle(void);

/* fuzz_queue.c */

/** Posts of the card's consumer, the bytes of each, and of immediate data. */
#define FUZZ_POSTS 16u
#define FUZZ_SLOT 256u
#define FUZZ_IMM 100u
#define FUZZ_SMALL_IMM 40u /* of queues without a region: it fits in a slot */

struct rte_comch_ctx;
struct rte_comch_mem;

/** What the consumer takes. */
enum fuzz_take {
	FUZZ_TAKE_DATA,
	FUZZ_TAKE_PACKETS,
	FUZZ_TAKE_IMM,  /**< Immediate data only: it has no region. */
};

/** A producer and a consumer of the card, on the newest connection of its server. */
struct fuzz_queues {
	struct rte_comch_ctx *producer;
	struct rte_comch_ctx *consumer;
	struct rte_comch_mem *mem;
	struct rte_comch_mem *pool_mem;
	uint8_t *base;
	enum fuzz_take take;
	uint32_t posted;
	uint32_t polled;
};

extern struct fuzz_queues fuzz_queues;

/** Create and start both; the peer has to answer about the consumer. */
void fuzz_queues_open(enum fuzz_take take);
/** Send, post, poll; what is found is checked. */
void fuzz_queues_send(uint32_t consumer_id, uint64_t len, uint16_t imm_len, uint16_t nb);
void fuzz_queues_post(uint16_t nb);
void fuzz_queues_poll(void);
/** Stop and destroy what there is. */
void fuzz_queues_close(void);

#endif /* FUZZ_H */
