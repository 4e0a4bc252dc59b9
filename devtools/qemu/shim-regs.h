/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Registers of the device that test-shim.sh tests the shim with: 64 bits each, in
 * BAR 0, native byte order. It is like no other device.
 */

#ifndef SHIM_REGS_H
#define SHIM_REGS_H

#define SHIM_BAR_SIZE (32u << 20)
#define SHIM_VECTORS 64

enum {
	REG_SCRATCH = 0x00, /* what was written; a reset clears it */
	REG_MAGIC = 0x08,
	REG_ADDR = 0x10,    /* of DMA */
	REG_LEN = 0x18,
	REG_SEED = 0x20,    /* of the pattern that is written; number of a vector */
	REG_DO = 0x28,      /* a write does it */
	REG_STATUS = 0x30,  /* 0 or an errno */
	REG_SUM = 0x38,     /* of what was read */
	REG_REGIONS = 0x40, /* that are mapped now */
	REG_RESETS = 0x48,  /* so far */
	REG_COMMAND = 0x50, /* of configuration space, as the server knows it */
	REG_SIZE = 0x58,    /* of the last write to the page below */
	REG_END = 0x60,
	REG_SIZE_PAGE = 0x1000, /* reads give their size in the first byte */
};

#define SHIM_MAGIC 0x1122334455667788ull

enum {
	DO_READ = 1,  /* memory, by descriptor */
	DO_WRITE,
	DO_MSG_READ,  /* memory, by message, before the reply to this write */
	DO_MSG_WRITE,
	DO_LATER,     /* DO_MSG_WRITE 200 ms after the reply, then vector 5 */
	DO_IRQ,
	DO_IRQ_ALL,
	DO_EXIT,
	DO_HANG,      /* for 30 s */
};

#define SHIM_PATTERN(i, seed) ((uint8_t)((i) * 7 + (seed)))

#endif
