/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_IDLE_H
#define SHM_IDLE_H

/*
 * The accesses by which a consumer becomes idle, a producer toggles its doorbell, the engine
 * of the consumer sleeps, and a consumer closes. How they work together is in shm_idle.c
 * and shm_fast.c, the pairs of memory orders are named in shm_fence.h. No
 * structure of the driver is in here, and nobody is woken: a test replaces the accesses to
 * run every order of them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shm_fence.h"
#include "shm_wire.h"

#ifndef SHM_IDLE_LOAD
#define SHM_IDLE_LOAD(ptr, order) __atomic_load_n(ptr, order)
#define SHM_IDLE_STORE(ptr, val, order) __atomic_store_n(ptr, val, order)
#define SHM_IDLE_SWAP(ptr, old, val, order) \
	__atomic_compare_exchange_n(ptr, old, val, false, order, __ATOMIC_RELAXED)
#define SHM_IDLE_XOR(ptr, val, order) __atomic_fetch_xor(ptr, val, order)
#define SHM_IDLE_FENCE() __atomic_thread_fence(__ATOMIC_SEQ_CST)
#define SHM_IDLE_LIGHT_FENCE(whole) shm_light_fence(whole)
#endif

/* Consumer: it is idle from some fence on, and has seen so many toggles of its doorbell. */
static inline void
shm_idle_set(uint32_t *idle, uint32_t seen)
{
	/* release: the toggles that were seen; pairs with the acquire in shm_idle_toggle() */
	SHM_IDLE_STORE(idle, shm_wire_idle(seen), __ATOMIC_RELEASE);
}

static inline void
shm_idle_clear(uint32_t *idle)
{
	SHM_IDLE_STORE(idle, 0, __ATOMIC_RELAXED);
}

/* Engine of the consumer: doorbells, of which it compares bits with those of before. */
static inline uint64_t
shm_idle_doorbells(const uint64_t *doorbells)
{
	/* acquire: pairs with the release in shm_idle_toggle() */
	return SHM_IDLE_LOAD(doorbells, __ATOMIC_ACQUIRE);
}

/*
 * Producer, after it has published: what the consumer's idle says, or the armed word of
 * an engine whose consumers are not idle.
 */
static inline uint32_t
shm_idle_get(const uint32_t *idle, bool whole)
{
	SHM_IDLE_LIGHT_FENCE(whole); /* A */
	return SHM_IDLE_LOAD(idle, __ATOMIC_RELAXED);
}

/*
 * Producer, when idle was not 0: toggle the doorbell. False if the consumer looks again, if
 * one toggle is under way, or if another producer makes it.
 */
static inline bool
shm_idle_toggle(const uint32_t *idle, uint32_t *toggles, uint64_t *doorbells, uint64_t mask)
{
	/*
	 * acquire: whoever made the toggles that it has seen has counted them; pairs
	 * with the release in shm_idle_set()
	 */
	uint32_t seen = SHM_IDLE_LOAD(idle, __ATOMIC_ACQUIRE);
	uint32_t nb = SHM_IDLE_LOAD(toggles, __ATOMIC_RELAXED);

	if (seen != shm_wire_idle(nb) || !SHM_IDLE_SWAP(toggles, &nb, nb + 1, __ATOMIC_RELAXED))
		return false;
	/*
	 * atomic: other consumers have bits of this word. release: the count; pairs
	 * with the acquire in shm_idle_doorbells()
	 */
	SHM_IDLE_XOR(doorbells, mask, __ATOMIC_RELEASE);
	return true;
}

/* Producer, after a toggle: whether the engine sleeps. */
static inline uint32_t
shm_idle_armed_get(const uint32_t *armed)
{
	/* B: pairs with the fence in shm_group_arm() */
	SHM_IDLE_FENCE();
	return SHM_IDLE_LOAD(armed, __ATOMIC_RELAXED);
}

/* Producer: from now on it may send to a consumer, by identifier, until shm_busy_clear(). */
static inline void
shm_busy_set(uint32_t *busy, uint32_t consumer)
{
	SHM_IDLE_STORE(busy, consumer, __ATOMIC_RELAXED);
	SHM_IDLE_LIGHT_FENCE(false); /* O, R */
}

/* The same, where one of the two sides has no membarrier(). */
static inline void
shm_busy_fence(void)
{
	SHM_IDLE_FENCE();
}

/* Producer, behind that: whether the consumer takes messages. */
static inline bool
shm_open_is(const uint32_t *open, uint32_t consumer)
{
	return SHM_IDLE_LOAD(open, __ATOMIC_RELAXED) == consumer;
}

/* Producer: what it does is done. */
static inline void
shm_busy_clear(uint32_t *busy)
{
	/* release: pairs with the acquire in shm_busy_get() */
	SHM_IDLE_STORE(busy, 0, __ATOMIC_RELEASE);
}

/* Consumer: it takes no more. Then comes the fence of all, then it looks who is busy. */
static inline void
shm_open_clear(uint32_t *open, uint32_t consumer)
{
	SHM_IDLE_STORE(open, shm_wire_closed(consumer), __ATOMIC_RELAXED); /* O */
}

/* Consumer, or whoever takes its memory away: the consumer that a producer may send to. */
static inline uint32_t
shm_busy_get(const uint32_t *busy)
{
	/* acquire: pairs with the release in shm_busy_clear() */
	return SHM_IDLE_LOAD(busy, __ATOMIC_ACQUIRE);
}

#endif /* SHM_IDLE_H */
