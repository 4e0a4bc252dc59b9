/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A connection over a software BlueField, with traffic of both paths in both directions, for
 * tests of what becomes of it when something fails. Every message and every buffer is
 * accounted for. No test is in here.
 */

#ifndef TEST_BLUEFIELD_FAULTS_H
#define TEST_BLUEFIELD_FAULTS_H

#include <inttypes.h>

#include "test_comch_fp_util.h"
#include "test_comch_place.h"

/** Names of the two functions in the model. */
#define FAULT_CARD "ecpf0vf0"
#define FAULT_HOST "pf0vf0"

/**
 * By then a peer that does not answer is given up: by a sign of life and its repetitions,
 * 1 s and 8 * 268 ms, and a machine that does much else.
 */
#define FAULT_SILENCE_MS 20000
/** For what has to happen soon, on a machine that does much else. */
#define FAULT_SOON_MS 20000

/** Messages of one producer to one consumer. */
struct fault_flow {
	struct test_q *p;
	struct test_q *c;
	struct test_slots from;
	struct test_slots to;
	bool pause;            /**< Send nothing. */
	bool no_posts;         /**< Keep buffers that came back with a message. */
	uint32_t kept[64];     /**< These. */
	uint32_t nb_kept;
	uint64_t taken;        /**< Messages that the producer took, */
	uint64_t done;         /**< that were delivered, as it says, */
	uint64_t failed;       /**< and that were not, */
	int send_status;       /**< for this reason. */
	uint64_t posted;       /**< Buffers that the consumer took, */
	uint64_t received;     /**< that came back with a message, */
	uint64_t returned;     /**< and that came back without one, */
	int post_status;       /**< for this reason. */
};

/** Model and devices of the running case. */
extern struct test_place fault_place;
extern int fault_card, fault_host;
/** The connection, from the host's side, and its traffic. */
extern struct test_fp fault_fp;
extern struct fault_flow fault_up;    /**< From host to card. */
extern struct fault_flow fault_down;  /**< From card to host. */

/** A model, and a device on each of two functions of it. */
int fault_setup(void);
/** Close all; every page of both functions has to be back. */
void fault_teardown(void);

/** Connect, with a producer and a consumer on either side. */
int fault_connect(void);
/** Progress all, with messages. @return something has happened. */
bool fault_turn(void);
/** Until each side has received so many more, over either path. */
int fault_run(uint32_t nb);
/** Send nothing any more, until all that was sent has been delivered. */
int fault_quiet(void);
/** One message of a flow that is quiet, whether it has a credit or not. @return taken. */
uint32_t fault_send_one(struct fault_flow *f);
/** Post the last of the buffers that were kept. */
void fault_post_one(struct fault_flow *f);
/**
 * All four queues are IDLE and both connections over; these are the reasons of the two
 * sides, and every message and buffer came back.
 */
int fault_ended(int card_reason, int host_reason);
/** Close what there is of the connection, and have a new one, with messages. */
int fault_again(void);
/** Close it in order; neither function has objects that it did not have before. */
int fault_passed(void);

/** As TEST_WAIT(), with messages. */
#define FAULT_WAIT(cond, ms) TEST_UNTIL_TEXT(cond, #cond, fault_turn(), ms)

#endif /* TEST_BLUEFIELD_FAULTS_H */
