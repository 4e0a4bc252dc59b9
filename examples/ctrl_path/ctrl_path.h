/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef CTRL_PATH_H
#define CTRL_PATH_H

/**
 * @file ctrl_path.h
 *
 * What the files of the example share: the options, the state of the one
 * exchange, and the helpers of both roles. No option parsing in here.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include "../common/example.h"

/** How long the teardown may take before it counts as failed. */
#define TEARDOWN_MS 5000

/** Options and state; one exchange per process. */
struct app {
	/* options */
	const char *pci_addr; /**< -p, or NULL. */
	const char *rep_pci;  /**< -r, or NULL. */
	const char *text;     /**< -t, or NULL for the text of the role. */
	const char *name;     /**< -n. */
	uint32_t wait_ms;     /**< -w, as milliseconds. */
	bool event;           /**< -e. */

	/* what it works with */
	int16_t dev_id;
	struct rte_comch_dev_info info;
	struct rte_comch_rep_info rep; /**< Card side only. */
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;

	/* how far the exchange is; written by callbacks */
	bool connected; /**< A peer is or was there. */
	bool received;  /**< Its text has been printed. */
	bool sent;      /**< Our text was delivered. */
	bool gone;      /**< The peer has left. */
};

/** A condition that turn_until() waits for. */
typedef bool (*done_fn)(const struct app *app);

/**
 * Turn the progress engine until done() holds.
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

/** Whether the context is IDLE. */
bool ctx_idle(const struct app *app);

/** Send the text of -t, or dflt without -t. */
void send_text(struct app *app, struct rte_comch_conn *conn, const char *dflt);

/** Send callback of both roles. */
void text_sent(struct rte_comch_task *task, int status, void *user_data);

/** Print a message of the peer, whatever its bytes are. */
void print_text(const void *msg, uint32_t len);

/** Create the progress engine, attach the context to it. */
int engine_open(struct app *app);

/** Destroy the context and the engine, in this order. */
void engine_close(struct app *app);

/** Play the server; returns when its client has gone or something failed. */
void server_run(struct app *app);

/** Play the client; returns when it has its answer or something failed. */
void client_run(struct app *app);

#endif /* CTRL_PATH_H */
