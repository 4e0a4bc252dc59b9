/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer cmd: one command to firmware, and its answer. It uses hw, and knows the
 * frame of a command but not what any command means: opcodes only have names.
 *
 * Two slots of the queue are used: the first for everything, the last for the
 * commands that give and take pages, because firmware may ask for pages before
 * it ends a command that is under way.
 *
 * Threads: each slot has a lock, held while its command lasts; waiters sleep.
 * Completion is polled, with sleeps in between, never by interrupt. Any thread may
 * execute, start and free excepted, but EAL's interrupt thread should not: a
 * command may last as long as its limit.
 */

#ifndef BLUEFIELD_CMD_H
#define BLUEFIELD_CMD_H

#include <stdbool.h>
#include <stdint.h>

#include "bluefield_hw.h"
#include "bluefield_prm.h"

/* Longest request and answer, in mailboxes. */
#define BF_CMD_IN_MBOXES 32
#define BF_CMD_OUT_MBOXES 10
#define BF_CMD_MAX_IN (BF_CMD_INLINE + BF_CMD_IN_MBOXES * BF_MBOX_DATA)
#define BF_CMD_MAX_OUT (BF_CMD_INLINE + BF_CMD_OUT_MBOXES * BF_MBOX_DATA)

struct bf_cmdq;

enum bf_cmd_slot {
	BF_CMD_NORMAL = 0,
	BF_CMD_PAGES,
	BF_NB_CMD_SLOTS,
};

/* One command. The layouts are in bluefield_prm.h. */
struct bf_cmd {
	const void *in;
	uint32_t in_len;    /* bytes, at least the head */
	void *out;          /* filled also with a bad status, then only the head */
	uint32_t out_len;
	bool quiet;         /* a bad status is no news: log it as debug */
	uint8_t expected;   /* the same of this one of enum bf_cmd_status; 0: none */
	/* of the answer */
	uint8_t status;     /* of enum bf_cmd_status */
	uint8_t delivery;   /* of enum bf_delivery: firmware did not look at it */
	uint32_t syndrome;
};

/*
 * Called between polls while a command lasts, its lock held. Anything but 0 ends
 * the wait with this negative errno, and kills the queue.
 */
typedef int (*bf_cmd_watch_t)(void *arg, enum bf_cmd_slot slot);

/* 0 or -ENOMEM, logged. The device knows nothing of it yet: commands fail. */
int bf_cmdq_create(struct bf_hw *hw, uint32_t timeout_ms, bf_cmd_watch_t watch, void *arg,
	struct bf_cmdq **cmdq);

/*
 * After a reset of the function: look at what its queue is like, and tell it
 * where ours is. A dead queue lives again. 0, -ENODEV, -ENOTSUP an interface that
 * this driver does not speak; logged.
 */
int bf_cmdq_start(struct bf_cmdq *cmdq);

/* Only when the device does not use it any more: after a reset, or if it idles. */
void bf_cmdq_free(struct bf_cmdq *cmdq);

/* As bf_cmdq_free(), but the memory is left to hw: the device may still write. */
void bf_cmdq_abandon(struct bf_cmdq *cmdq);

/*
 * Execute. 0; -EIO with a status or a delivery error in cmd; -ETIMEDOUT; what
 * watch said; or why the queue is dead. All but the latter are logged with the
 * command's name. After a timeout, or if watch ended the wait, the queue is dead
 * until the function is reset: the device may still write the lost answer.
 * -EINVAL and -E2BIG for lengths that no command has: nothing was sent.
 */
int bf_cmdq_exec(struct bf_cmdq *cmdq, enum bf_cmd_slot slot, struct bf_cmd *cmd);

/* Have this and every later command fail with a negative errno. The first counts. */
void bf_cmdq_kill(struct bf_cmdq *cmdq, int reason);

/* 0, or why the queue is dead. */
int bf_cmdq_status(const struct bf_cmdq *cmdq);

void bf_cmdq_counts(const struct bf_cmdq *cmdq, uint64_t *cmds, uint64_t *errors);

const char *bf_cmd_name(uint16_t opcode);
const char *bf_cmd_status_text(uint8_t status);
const char *bf_cmd_delivery_text(uint8_t delivery);

#endif
