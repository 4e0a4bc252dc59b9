/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_ENTRY_H
#define SHM_ENTRY_H

/*
 * A queue of small messages: each is an inline entry, one cache line, which holds the message
 * and the word that says that it is there. Used by the queues of immediate data alone, of
 * connections and of message queues. Freestanding C11, as programs for the offload
 * processor include it: no EAL, no libc. No memory is allocated here and nobody is woken.
 *
 * One side writes the entries, the other the word tail; each maps what the other writes
 * read-only. Positions count from SHM_ENTRY_START and wrap; that of a message is in its
 * entry, so an entry that still has its message of the round before is not taken for a new one.
 *
 * A burst can be a batch: its messages are of one length, and lie back to back from the first
 * entry on, at steps of shm_entry_step(). They have the entries that one each would have, touch
 * fewer lines of them, and one word says that all are there. Who uses batches needs a ring of
 * twice as many entries as there can be messages: a batch that is read in parts then is not
 * overwritten, although its later messages lie before their own entries. Their bytes lie where
 * later entries have their words, so the producer looks at these: see shm_entry_batch_aliases().
 *
 * The memory orders C, P and A are in shm_fence.h. The fence of A is the sleeper's, which
 * has time; the producer's keeps the compiler in order.
 *
 * A test replaces the accesses to run every order of them.
 */

#include <stdbool.h>
#include <stdint.h>

#include "shm_fence.h"

#ifndef SHM_ENTRY_LOAD
#define SHM_ENTRY_LOAD(ptr, order) __atomic_load_n(ptr, order)
#define SHM_ENTRY_STORE(ptr, val, order) __atomic_store_n(ptr, val, order)
#define SHM_ENTRY_COPY(dst, src, len) shm_entry_copy(dst, src, len)
#define SHM_ENTRY_LIGHT_FENCE(whole) shm_light_fence(whole)
#endif

/* Bytes of an entry, and of the largest message in one. */
#define SHM_ENTRY_SIZE 64
#define SHM_ENTRY_MAX_IMM 56
/* The first position: soon after it positions wrap, so that this is tried each time. */
#define SHM_ENTRY_START 0xffffff00u

/* One message. */
struct shm_entry {
	uint64_t word; /* see shm_entry_word() */
	uint8_t imm[SHM_ENTRY_MAX_IMM];
};

_Static_assert(sizeof(struct shm_entry) == SHM_ENTRY_SIZE, "entry");

/* Messages of a batch. */
#define SHM_ENTRY_MAX_BATCH 32
/* From here on, once in 2^31 positions, see shm_entry_batch_room(). */
#define SHM_ENTRY_RENEW 0x40000000u

/*
 * What the word of an entry says: position, bytes of the message, who sent it, how many follow
 * it in its batch; that it is one.
 */
#define SHM_ENTRY_LEN_SHIFT 32
#define SHM_ENTRY_LEN_MASK 0xffu
#define SHM_ENTRY_PRODUCER_SHIFT 40
#define SHM_ENTRY_PRODUCER_MASK 0xffffu
#define SHM_ENTRY_MORE_SHIFT 56
#define SHM_ENTRY_MORE_MASK 0x7fu
#define SHM_ENTRY_FULL (UINT64_C(1) << 63) /* memory that is new is 0 */

static inline uint64_t
shm_entry_word(uint32_t pos, uint32_t producer, uint32_t len)
{
	return SHM_ENTRY_FULL | (uint64_t)producer << SHM_ENTRY_PRODUCER_SHIFT |
		(uint64_t)len << SHM_ENTRY_LEN_SHIFT | pos;
}

/* Whether it is the message of a position. */
static inline bool
shm_entry_is(uint64_t word, uint32_t pos)
{
	return (word & (SHM_ENTRY_FULL | UINT32_MAX)) == (SHM_ENTRY_FULL | pos);
}

/* From the other side: the caller compares it with what it allows. */
static inline uint32_t
shm_entry_len(uint64_t word)
{
	return (uint32_t)(word >> SHM_ENTRY_LEN_SHIFT) & SHM_ENTRY_LEN_MASK;
}

static inline uint32_t
shm_entry_producer(uint64_t word)
{
	return (uint32_t)(word >> SHM_ENTRY_PRODUCER_SHIFT) & SHM_ENTRY_PRODUCER_MASK;
}

/* Messages of a batch that follow this one. */
static inline uint32_t
shm_entry_more(uint64_t word)
{
	return (uint32_t)(word >> SHM_ENTRY_MORE_SHIFT) & SHM_ENTRY_MORE_MASK;
}

/* Bytes from a message of a batch to the next one. */
static inline uint32_t
shm_entry_step(uint32_t len)
{
	return (len + 7u) & ~7u;
}

/* Fetch a line to write to it: no operation where it is not known. */
static inline void
shm_entry_own_line(const void *line)
{
#if defined(__x86_64__) || defined(__i386__)
	/* compilers make a prefetch to read of it, unless they are told of the CPU */
	__asm__ volatile("prefetchw %0" : : "m"(*(const char *)line));
#else
	__builtin_prefetch(line, 1);
#endif
}

/*
 * Producer: fetch the lines that it is about to write, which the other side has read last.
 * A CPU waits for the lines of its stores in order, and only for as many at one time as
 * its store buffer has room for; these it fetches all at once.
 */
static inline void
shm_entry_own(const void *from, uint32_t len)
{
	const uint8_t *line = from, *const end = line + len;

	/* Only what lies ahead of the first store, which comes at once. */
	for (line += SHM_ENTRY_SIZE; line < end; line += SHM_ENTRY_SIZE)
		shm_entry_own_line(line);
}

/*
 * Consumer: fetch the lines of a batch behind the first one, all at once. The stores of what
 * it does with each message fill the store buffer of a CPU, which then loads no further ahead.
 */
static inline void
shm_entry_fetch(const struct shm_entry *entry, uint32_t nb, uint32_t step)
{
	const uint8_t *line = (const uint8_t *)entry;
	/* a batch ends beyond the bytes of its first entry */
	const uint8_t *const end = (const uint8_t *)&entry->imm + nb * step;

	for (line += SHM_ENTRY_SIZE; line < end; line += SHM_ENTRY_SIZE)
		__builtin_prefetch(line);
}

/*
 * Producer, after it has copied a batch of n messages, and before it publishes it: whether
 * bytes of them lie where a later entry has its word, and look like the word of a message
 * that is due there in any round. They stay there after the batch was read, and the consumer
 * would take them for a message. Who writes one entry for each message instead leaves none.
 */
static inline bool
shm_entry_batch_aliases(const struct shm_entry *entries, uint32_t at, uint32_t mask, uint32_t n,
		uint32_t step)
{
	const uint32_t lines = (sizeof(uint64_t) + n * step - 1) / SHM_ENTRY_SIZE;
	const struct shm_entry *entry = &entries[at], *const last = entry + lines;
	uint64_t due = SHM_ENTRY_FULL | at; /* as much as all rounds have in common */

	while (entry != last)
		if (((++entry)->word & (SHM_ENTRY_FULL | mask)) == ++due)
			return true;
	return false;
}

/*
 * Producer: messages that a batch may have from a position on. It ends with the ring. In one
 * round of each 2^31 positions it is one message, so that each entry gets a word: those that
 * batches left as they were would be taken for messages when positions are the same again.
 */
static inline uint32_t
shm_entry_batch_room(uint32_t pos, uint32_t mask)
{
	if (__builtin_expect(((pos - SHM_ENTRY_RENEW) & INT32_MAX) <= mask, 0))
		return 1;
	return mask + 1 - (pos & mask);
}

/*
 * Up to SHM_ENTRY_MAX_IMM bytes, without a call and without a loop: pieces of one size, the
 * last one ends where the message does.
 */
static inline void
shm_entry_copy(uint8_t *dst, const uint8_t *src, uint32_t len)
{
	if (len >= 16) {
		__builtin_memcpy(dst, src, 16);
		if (len > 32) {
			__builtin_memcpy(dst + 16, src + 16, 16);
			__builtin_memcpy(dst + len - 32, src + len - 32, 16);
		}
		__builtin_memcpy(dst + len - 16, src + len - 16, 16);
	} else if (len >= 8) {
		__builtin_memcpy(dst, src, 8);
		__builtin_memcpy(dst + len - 8, src + len - 8, 8);
	} else if (len >= 4) {
		__builtin_memcpy(dst, src, 4);
		__builtin_memcpy(dst + len - 4, src + len - 4, 4);
	} else if (len != 0) {
		dst[0] = src[0];
		dst[len / 2] = src[len / 2];
		dst[len - 1] = src[len - 1];
	}
}

/* Producer: what was copied to an entry, and to those of its batch, is a message. */
static inline void
shm_entry_publish(struct shm_entry *entry, uint64_t word)
{
	SHM_ENTRY_STORE(&entry->word, word, __ATOMIC_RELEASE); /* C */
}

/* Producer: put a message into an entry that the tail allows. */
static inline void
shm_entry_put(struct shm_entry *entry, uint64_t word, const void *imm, uint32_t len)
{
	SHM_ENTRY_COPY(entry->imm, (const uint8_t *)imm, len);
	shm_entry_publish(entry, word);
}

/* Consumer: the word of an entry, for shm_entry_is() with the position that is due. */
static inline uint64_t
shm_entry_get(const struct shm_entry *entry)
{
	return SHM_ENTRY_LOAD(&entry->word, __ATOMIC_ACQUIRE); /* C */
}

/* Producer: how far it may write. From the other side. */
static inline uint32_t
shm_entry_tail_get(const uint32_t *tail)
{
	return SHM_ENTRY_LOAD(tail, __ATOMIC_ACQUIRE); /* P */
}

/* Consumer: the entries before it were read, as far as they are to be written again. */
static inline void
shm_entry_tail_set(uint32_t *tail, uint32_t pos)
{
	SHM_ENTRY_STORE(tail, pos, __ATOMIC_RELEASE); /* P */
}

/*
 * Producer, after shm_entry_put(): whether the other side sleeps, and has to be woken. whole:
 * the sleeper has no membarrier().
 */
static inline uint32_t
shm_entry_armed_get(const uint32_t *armed, bool whole)
{
	SHM_ENTRY_LIGHT_FENCE(whole); /* A */
	return SHM_ENTRY_LOAD(armed, __ATOMIC_RELAXED);
}

/* Sleeper: say so. Then comes its fence, then it looks at the entries once more. */
static inline void
shm_entry_armed_set(uint32_t *armed, uint32_t value)
{
	SHM_ENTRY_STORE(armed, value, __ATOMIC_RELAXED); /* A */
}

#endif /* SHM_ENTRY_H */
