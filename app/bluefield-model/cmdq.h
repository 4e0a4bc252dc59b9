/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Entries, mailbox blocks and slots of the command queue, for cmdq.c, cmdq_entry.c
 * and cmdq_time.c.
 */

#ifndef BFM_CMDQ_H
#define BFM_CMDQ_H

#include <stddef.h>

#include "engine.h"

#define NB_SLOTS 32
#define OWNER_HW 0x01
#define INLINE_SIZE 16u
#define BLOCK_DATA 512u
#define HEAD_SIZE 8u
#define REPLY_SIZE 8u

/* An entry of the queue, as it lies in memory. */
struct entry {
	uint8_t type;
	uint8_t rsvd1[3];
	uint32_t in_len; /* all big-endian */
	uint64_t in_ptr;
	uint8_t in[INLINE_SIZE];
	uint8_t out[INLINE_SIZE];
	uint64_t out_ptr;
	uint32_t out_len;
	uint8_t token;
	uint8_t sig;
	uint8_t rsvd62;
	uint8_t status_own;
};
_Static_assert(sizeof(struct entry) == 64, "entry");
_Static_assert(offsetof(struct entry, in_ptr) == 8, "in_ptr");
_Static_assert(offsetof(struct entry, out) == 32, "out");
_Static_assert(offsetof(struct entry, out_ptr) == 48, "out_ptr");
_Static_assert(offsetof(struct entry, token) == 60, "token");
_Static_assert(offsetof(struct entry, status_own) == 63, "status_own");

/* What follows the data of a mailbox block. */
struct block_tail {
	uint8_t rsvd[48];
	uint64_t next;
	uint32_t number;
	uint8_t rsvd2;
	uint8_t token;
	uint8_t ctrl_sig;
	uint8_t sig;
};
_Static_assert(sizeof(struct block_tail) == 64, "block tail");

struct block {
	uint8_t data[BLOCK_DATA];
	struct block_tail tail;
};
_Static_assert(sizeof(struct block) == 576, "block");

/* Commands that are not like all others. */
#define OP_INIT_HCA 0x102
#define OP_TEARDOWN_HCA 0x103
#define OP_ENABLE_HCA 0x104
#define OP_DISABLE_HCA 0x105
#define OP_MANAGE_PAGES 0x108

enum slot_state {
	SLOT_FREE = 0,
	SLOT_FETCHED,   /* entry read; firmware turns to it when it is due */
	SLOT_READY,     /* about to be run */
	SLOT_PAGES,     /* a fault: runs when its pages came */
	SLOT_SUSPENDED, /* its handler waits to be called again */
	SLOT_DONE,      /* it had its effect; answered when it is due */
	SLOT_STUCK,     /* a fault: never answers */
};

struct slot {
	enum slot_state state;
	bool event;   /* an EQ took command events when it started */
	uint8_t delivery; /* of the answer, from SLOT_DONE on, as is the next */
	uint8_t status;
	uint32_t before_us; /* from the doorbell to its effect */
	uint32_t after_us;  /* from there to its answer */
	uint64_t since_us;
	uint64_t due_us;
	uint64_t order;     /* of its doorbell */
	struct entry entry;
	uint64_t *out_blocks;
	uint32_t nb_out_blocks;
	struct bfm_cmd cmd;
	struct bfm_cmd_fault fault;
};

/*
 * Check the entry of a slot and make the command of it: 0, a delivery status, or
 * -EFAULT if memory was not accessible, which was made fatal.
 */
int bfm_entry_take(struct slot *s);
/*
 * Write the output, if data says so, then the entry, and ownership as the last byte. queue
 * is the address of the command queue.
 */
int bfm_entry_give(struct slot *s, uint64_t queue, uint8_t delivery, bool data);
/* What the entry of a slot asks for, before anything of it is checked. */
void bfm_entry_peek(struct slot *s);
/* Pick before_us and after_us of a command that was fetched, by two random numbers below 2^31. */
void bfm_cmd_time(struct slot *s, uint64_t rand, uint64_t rand2);
/* Memory that the client named is not accessible: firmware stops. */
void bfm_dma_fatal(struct bfm_function *f, uint64_t addr, const char *what);

#endif
