/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SECURE_CHANNEL_H
#define SECURE_CHANNEL_H

/**
 * @file secure_channel.h
 *
 * What the files of the example share: the channel, which the main lcore works
 * on, and its two directions, each with a thread of its own where there are
 * enough lcores. No option parsing in here.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "../common/example.h"

/** Name of the server. */
#define CHANNEL_NAME "secure_channel"

/** Largest message, bytes. */
#define MAX_MSG_SIZE 65535

/** How long a step of the teardown may take; above what drivers wait for a peer. */
#define TEARDOWN_MS 10000

struct channel;

/** One direction, on this side: all that we send, or all that we receive. */
struct direction {
	struct channel *ch;
	bool sends;                /**< Else it receives. */
	uint32_t msg_size;         /**< Bytes of each message. */
	uint64_t nb_msgs;          /**< Messages in all. */
	unsigned int lcore;        /**< Where it runs. */
	struct rte_comch_pe *pe;   /**< Its own engine. */
	struct rte_comch_ctx *ctx; /**< Producer or consumer; NULL unless it exists. */
	struct rte_comch_mem *mem; /**< Receiving: the buffers. */
	uint32_t stride;           /**< Receiving: bytes from one buffer to the next. */
	uint32_t depth;            /**< Messages that may be on their way. */

	/* written by its thread only */
	uint64_t given;    /**< Messages sent, or buffers posted. */
	uint64_t done;     /**< Completions; the main lcore reads it. */
	uint64_t first;    /**< Time of the first message, as timer cycles. */
	uint64_t last;     /**< Time of the last completion. */
	uint64_t deadline; /**< When the teardown counts as failed. */
	bool finished;     /**< Its thread is done; the main lcore reads it. */
} __rte_cache_aligned;

/** Options and state; one channel per process. */
struct channel {
	/* options */
	const char *pci_addr; /**< -p, or NULL. */
	const char *rep_pci;  /**< -r, or NULL. */
	uint32_t msg_size;    /**< -s: of the messages that we send. */
	uint32_t nb_msgs;     /**< -n: how many of them. */
	uint32_t wait_ms;     /**< -w, as milliseconds. */

	/* what it works with */
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_rep_info rep; /**< Card side only. */
	struct rte_comch_pe *pe;       /**< Of the connection. */
	struct rte_comch_ctx *ctx;     /**< Server or client. */
	struct rte_comch_conn *conn;   /**< NULL unless connected. */
	struct rte_comch_mem *pattern; /**< What messages are made of; read only. */

	/* how far it is; of the main lcore */
	bool connected;         /**< A peer is or was there. */
	bool gone;              /**< The connection is over. */
	bool agreed;            /**< The peer has said what it is going to send. */
	bool peer_closed;       /**< Its consumer is gone. */
	uint32_t peer_msg_size; /**< Of the messages that it sends. */
	uint32_t peer_nb_msgs;  /**< How many. */

	/* shared by the threads: atomic */
	uint32_t peer_consumer; /**< Identifier; 0 before it is known. */

	struct direction tx;
	struct direction rx;
};

/** A condition that turn_until() waits for. */
typedef bool (*done_fn)(const struct channel *ch);

/** Make the server or client, by the role of the device, and have it connected. */
int connection_open(struct channel *ch);

/** End the connection, and free all of it. */
void connection_close(struct channel *ch);

/**
 * Turn the engine of the connection until done() holds. Interrupts end it with
 * -EINTR, the time with -ETIMEDOUT.
 */
int turn_until(struct channel *ch, done_fn done, uint32_t timeout_ms);

/**
 * Make the engine, the region and the context of a direction, and start it. If
 * that fails, the direction has finished.
 */
void direction_open(struct direction *dir);

/** Free them; the direction has finished. */
void direction_close(struct direction *dir);

/**
 * Do some of the work of a direction; never waits.
 *
 * @return
 *   How much was done, or -1 if the direction has finished.
 */
int direction_step(struct direction *dir);

/** Whether the thread of a direction is done with it. Any thread. */
bool direction_finished(const struct direction *dir);

/** Whether all messages of a direction have completed. Any thread. */
bool direction_complete(const struct direction *dir);

/** Thread of a direction: steps until it has finished. */
int direction_main(void *arg);

/** Print count and time of a direction. */
void direction_report(const struct direction *dir);

/** Make the region with the pattern. */
int pattern_create(struct channel *ch);

/** Connect, run both directions, and end. */
void channel_run(struct channel *ch);

#endif /* SECURE_CHANNEL_H */
