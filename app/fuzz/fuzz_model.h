/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the targets of the software BlueField share: a function of the model, the
 * memory that its client gives it, and commands made from an input. How a register
 * is written and who answers DMA is the target's own business.
 */

#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include "../bluefield-model/engine.h"
#include "fuzz.h"

/** Bus address of the client's memory, and how much there is. */
#define FUZZ_MEM_ADDR 0x10000000u
#define FUZZ_MEM_PAGES 64u
#define FUZZ_MEM_SIZE (FUZZ_MEM_PAGES * BFM_PAGE_SIZE)
/** Which page is for what; the others are for firmware, queues and doorbells. */
#define FUZZ_PAGE_QUEUE 0u
#define FUZZ_PAGE_IN 1u    /**< Blocks of the input, four to a page. */
#define FUZZ_PAGE_OUT 9u
#define FUZZ_PAGE_FREE 17u

/** Pages that firmware asks for; few, so that an input can bring a function up. */
#define FUZZ_BOOT_PAGES 2
#define FUZZ_INIT_PAGES 2

struct fuzz_model {
	struct bfm_model model;
	struct bfm_function *f;
	uint8_t *mem;
	/** Write to BAR 0 as a client does. */
	void (*write)(struct fuzz_model *m, uint64_t off, const void *bytes, size_t len);
	uint32_t ids[BFM_NB_TYPES];    /**< The newest object of each type. */
	uint32_t counts[BFM_NB_TYPES];
	uint32_t next_page;            /**< To give to firmware. */
	bool overlap;                  /**< Do not wait for the next command's end. */
	FILE *null;
};

/** Once. */
void fuzz_model_init(struct fuzz_model *m);
/** Forget the objects, and all that memory holds. */
void fuzz_model_clear(struct fuzz_model *m);
/** Set the clock. */
void fuzz_model_time(struct fuzz_model *m, uint64_t ms);
/** Time passes, and the function does what is due. */
void fuzz_model_wait(struct fuzz_model *m, uint64_t ms);
/** A register of 32 bits, big-endian. */
void fuzz_model_write32(struct fuzz_model *m, uint64_t off, uint32_t value);
/** Steps of bring-up, in order, as a client without mistakes takes them. */
void fuzz_model_up(struct fuzz_model *m, unsigned int steps);
/** Of fuzz_model_up(): as far as INIT_HCA, and one of each object too. */
#define FUZZ_UP_INIT 7u
#define FUZZ_UP_OBJECTS 14u
/** A field of a command that is not what it is by default. */
struct fuzz_field {
	uint32_t bit; /**< Of the command. */
	uint16_t width;
	uint64_t value;
};
/** A command that is right, with so many fields and addresses of pages. */
void fuzz_model_run(struct fuzz_model *m, uint16_t opcode, uint32_t nb_pages,
		const struct fuzz_field *fields, uint32_t nb);
/** A queue pair that talks to itself, by a receive queue of its own or a shared one. */
void fuzz_model_connect(struct fuzz_model *m, bool shared);
/** A request of the input, and perhaps its record and doorbell. */
void fuzz_model_post(struct fuzz_model *m, struct fuzz_in *in);
/** A command that is right but for what the input says. */
void fuzz_model_command(struct fuzz_model *m, struct fuzz_in *in);
/** Bytes of the input as the entry of a slot, and the doorbell. */
void fuzz_model_entry(struct fuzz_model *m, struct fuzz_in *in);
/** A doorbell of an EQ, a CQ or a QP. */
void fuzz_model_ring(struct fuzz_model *m, struct fuzz_in *in);
/** A register, mostly one that exists. */
uint64_t fuzz_model_reg(struct fuzz_model *m, struct fuzz_in *in);
/** A bus address, mostly one that is mapped. */
uint64_t fuzz_model_addr(struct fuzz_in *in);
/** A line of the control socket. */
void fuzz_model_fault(struct fuzz_model *m, struct fuzz_in *in);
/** All that a client can have dumped. */
void fuzz_model_dump(struct fuzz_model *m);
/** What holds of every function that was reset. Ends the process if it does not. */
void fuzz_model_check(struct fuzz_model *m);
/** Faults off, and the function as new. */
void fuzz_model_heal(struct fuzz_model *m);
/** A client without mistakes is served. Ends the process if it is not. */
void fuzz_model_serve(struct fuzz_model *m);
/** What should be true is not: a finding. */
__attribute__((noreturn)) void fuzz_model_fail(const struct fuzz_model *m, const char *what);

#endif /* FUZZ_MODEL_H */
