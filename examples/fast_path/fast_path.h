/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef FAST_PATH_H
#define FAST_PATH_H

/**
 * @file fast_path.h
 *
 * What the files of the example share: the options, the state of the one
 * exchange, and the helpers of both roles. No option parsing in here.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "../common/example.h"

/** How long a step of the teardown may take; above what drivers wait for a peer. */
#define TEARDOWN_MS 10000

/** Buffers that the consumer posts: one is used, the other one comes back. */
#define NB_POSTS 2

/** Bytes of each of them. */
#define BUF_SIZE 4096

/** Bytes of immediate data that the consumer takes; the driver may take less. */
#define IMM_LEN 64

struct app;

/**
 * One of the two ways to use producers and consumers. Each side has its own
 * choice, and the other side does not see it.
 */
struct layer {
	/** Ends of tasks; NULL in the layer that has no tasks. */
	rte_comch_post_cb_t post_cb;
	rte_comch_send_cb_t send_cb;

	/** Post a buffer: 0 or a negative errno. */
	int (*post)(struct app *app, const struct rte_comch_post *post);

	/**
	 * Send a message: 0 or a negative errno. -EAGAIN and -ENOBUFS mean "not
	 * now": call it again with the same message.
	 */
	int (*send)(struct app *app, const struct rte_comch_send *send);

	/** Look for what has ended, and return how much; NULL if callbacks do. */
	uint32_t (*poll)(struct app *app);
};

extern const struct layer burst_layer;
extern const struct layer task_layer;

/** Options and state; one exchange per process. */
struct app {
	/* options */
	const char *pci_addr;      /**< -p, or NULL. */
	const char *rep_pci;       /**< -r, or NULL. */
	char *text;                /**< -t, or the text of the role. */
	const char *imm;           /**< -i. */
	const char *name;          /**< -n. */
	const struct layer *layer; /**< -k chooses the tasks. */
	uint32_t wait_ms;          /**< -w, as milliseconds. */
	bool event;                /**< -e. */

	/* what it works with */
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_rep_info rep; /**< Card side only. */
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;      /**< Server or client. */
	struct rte_comch_conn *conn;    /**< Valid while connected and not gone. */
	struct rte_comch_mem *rx_mem;   /**< The peer writes to it. */
	struct rte_comch_mem *tx_mem;   /**< Local: the text. */
	struct rte_comch_ctx *consumer; /**< NULL unless it exists. */
	struct rte_comch_ctx *producer; /**< NULL unless it exists. */
	struct rte_comch_task *task;    /**< Task layer: not submitted yet. */
	struct rte_comch_ctx *closing;  /**< What ctx_close() is about. */

	/* how far the exchange is; written by callbacks and by the layer */
	uint32_t peer_consumer; /**< Identifier, 0 while there is none. */
	bool connected;         /**< A peer is or was there. */
	bool submitted;         /**< The text is on its way. */
	bool sent;              /**< Our text is in a buffer of the peer. */
	bool received;          /**< Its text has been printed. */
	bool gone;              /**< The connection is over. */
	uint32_t returned;      /**< Posted buffers that came back unused. */
};

/** A condition that turn_until() waits for. */
typedef bool (*done_fn)(const struct app *app);

/**
 * Turn the progress engine, and send and poll, until done() holds.
 *
 * @return
 *   - 0: it holds.
 *   - -ETIMEDOUT: the time is over.
 *   - -EINTR: the user has interrupted the program.
 *   - another negative errno: the engine failed, and this was printed.
 */
int turn_until(struct app *app, done_fn done, uint32_t timeout_ms);

/** As turn_until(), for TEARDOWN_MS; interrupts do not end it. */
int turn_to_end(struct app *app, done_fn done);

/** Stop a context, turn until it is IDLE, and destroy it. NULL is allowed. */
void ctx_close(struct app *app, struct rte_comch_ctx **ctx, const char *what);

/** Create the progress engine, attach the server or client to it. */
int engine_open(struct app *app);

/** Destroy the progress engine. */
void engine_close(struct app *app);

/** Callback of both roles: the peer has a consumer. */
void peer_consumer_new(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data);

/** Callback of both roles: a consumer of the peer is gone. */
void peer_consumer_gone(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data);

/** Make regions, consumer and producer; exchange the texts; free all of it. */
void data_run(struct app *app);

/** Send if it is time to, and poll; returns how much was done. */
uint32_t data_work(struct app *app);

/** Layers call it when a posted buffer has come back. */
void data_received(struct app *app, const struct rte_comch_cpl *cpl, const void *buf);

/** Layers call it when a send has ended. */
void data_sent(struct app *app, int status);

/** Play the server; returns when its client has gone or something failed. */
void server_run(struct app *app);

/** Play the client; returns when the texts are exchanged or something failed. */
void client_run(struct app *app);

#endif /* FAST_PATH_H */
