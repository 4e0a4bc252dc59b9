/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Runs a few small programs on memory that they share, in every order that a processor may
 * choose. The programs call the functions below for each access; tests define the macros of
 * a header so that its inline functions do. What is exchanged is up to the tests.
 *
 * All run on one thread. A program is a function that is called for one step after the
 * other, with a structure that is all its state between them. Within a step it is called
 * again for each access: those before get the answers they had, and at the one that is
 * due it is left by longjmp(). So a step must do nothing but change its structure.
 *
 * What the model covers:
 *
 *   - A store goes to a buffer of its program, and from there to memory at any later time.
 *     Own loads find it there. All programs see memory change in one order.
 *   - ORDER_TSO, as x86-64: the buffer is first in, first out; loads are done in order.
 *   - ORDER_WEAK, as aarch64: plain and relaxed stores leave the buffer in any order, but
 *     those to one place. A release store waits for all before it. A load is answered with
 *     what was there at any time since the last acquire or fence, but never goes back in
 *     one place. A plain read is done at any time until the next release store leaves.
 *   - A fence of one program, and the fence that membarrier() has each other program pass,
 *     one after the other, wherever that one is.
 *   - Plain stores to what was read before, which the compiler may do earlier: an acquire or
 *     a fence has to be between.
 *   - Sleeping and waking: many wake-ups are one, and they order nothing.
 *
 * What it does not: other liberties of the compiler, which tests play by programs of
 * another order; stores that some programs see before others do, which both processors
 * exclude; a relaxed load that is answered after a later store is seen (plain reads are);
 * and devices. Loads that depend on others are taken for independent.
 */

#ifndef TEST_ORDER_H
#define TEST_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORDER_MAX_PROGS 3
/** Bytes that a program keeps between steps, at most. */
#define ORDER_LOCAL 160

enum order_mode { ORDER_TSO, ORDER_WEAK };

/** A program: one step of it. @return false if that was its end. */
typedef bool (order_step)(void *local);

/** What to run. */
struct order_case {
	enum order_mode mode;
	uint32_t nb_progs;
	order_step *steps[ORDER_MAX_PROGS];
	/** What each keeps, at the begin. */
	const void *locals[ORDER_MAX_PROGS];
	size_t local_size;
	uint64_t max_states;
	/** Look at what they keep, at the end of each order; may be NULL. */
	void (*end)(const void *const *locals);
};

/** What came of it. */
struct order_result {
	/** What went wrong in one order, or NULL. */
	const char *why;
	/** That was nothing but a limit of the model. */
	bool gave_up;
	/** States of all programs and the memory that differ. */
	uint64_t states;
	/** Orders from the begin to the end: each way through these states. */
	double orders;
};

/**
 * Run all orders.
 *
 * @param show
 *   Print the order in which something goes wrong.
 */
void order_run(const struct order_case *oc, struct order_result *res, bool show);

/**
 * Before order_run(): a place of 4 or 8 bytes that programs share, and what is there. Only its
 * address is used, never its bytes.
 */
void order_place(const void *p, uint64_t val, const char *name);
/** Whether it is one. */
bool order_is_place(const void *p);

/*
 * For programs: one access each. order is one of __ATOMIC_*.
 */

uint64_t order_load(const void *p, int order);
void order_store(void *p, uint64_t val, int order);
/** Plain stores, in units of 8 bytes. */
void order_copy(void *dst, const void *src, size_t len);
/** A plain read, of which the program knows what it has to find. */
void order_read(const void *p, uint64_t want);
/** Compare and swap, relaxed. */
bool order_swap(void *p, uint64_t old, uint64_t val);
/** Exclusive or, or, and, and sum, in memory; relaxed or release. */
void order_xor(void *p, uint64_t val, int order);
void order_or(void *p, uint64_t val, int order);
void order_and(void *p, uint64_t val, int order);
void order_add(void *p, uint64_t val, int order);
/** A fence of this program alone. */
void order_fence(void);
/** membarrier(): this program passes a fence, each other one does, and this one again. */
void order_fence_all(void);
/** Go on when a place is not what was seen last: a futex, or instead of endless polls. */
void order_wait(const void *p, uint64_t seen);
void order_sleep(uint32_t event);
void order_wake(uint32_t event);
/** Forget a wake-up that has come. */
void order_drain(uint32_t event);
/** This order went wrong. */
void order_fail(const char *why);

#endif /* TEST_ORDER_H */
