/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_FENCE_H
#define SHM_FENCE_H

/*
 * Memory orders of the driver, and the light fence. Each access that has an order names
 * its pair by one of the letters below. Freestanding C11, as programs for the offload
 * processor include it.
 *
 * Rings of control messages, see shm_poll.c:
 *
 *   T  tail    the writer releases tail after the record, the reader acquires
 *              tail before it.
 *   H  head    the reader releases head after it has copied the record out, the
 *              writer acquires head before it overwrites it.
 *   B  doorbells   "publish, full fence, look whether the other side looks away"
 *              against "say that I look away, full fence, look once more". At
 *              least one of the two sees the other. It is used three times: a
 *              connection's doorbell_seen against its tail, its want_doorbell against
 *              its head, and a group's armed word against the doorbells.
 *   E  end     the same for taken against cut, where the writer of the ring, who
 *              has time, makes the reader pass its fence: see rings_cut_settle().
 *
 * Queues of the fast path, with words or with inline entries, and message
 * queues:
 *
 *   P  posts   the consumer releases its tail after the posts, or after it has read the
 *              inline entries that this gives back; the producer acquires the tail before
 *              them. What one producer has acquired it hands to the others of its
 *              process by tail_seen.
 *   C  words   the producer releases a word after the data, and after its identifier,
 *              the consumer acquires it before these. That of an inline entry is one, too.
 *   A  armed   the producer publishes, then looks whether the consumer's engine
 *              sleeps, or the consumer is idle; the engine says so, then looks
 *              once more. The fence between the two is the engine's:
 *              shm_barrier_all().
 *   R  table   the producer says which consumer it looks up, then looks; whoever
 *              takes it away does so, then looks at the producers. The fence is
 *              theirs: shm_barrier_process().
 *   O  open    as R, with the same word of the producer and "it has closed". The fence
 *              is that of the consumer's process: shm_barrier_all().
 *   X  claims  as R, with "I claim" and "others claim too". Who is seen to claim then may
 *              do so as if it were alone; others claim nothing meanwhile, see shm_share.c.
 *
 * Without membarrier(), no consumer is in the table that is looked into without a fence,
 * and all claim as if others did. Two more pairs of message queues are in shm_msgq_wire.h.
 */

#include <stdbool.h>

/*
 * The half of a fence that costs nothing, if somebody does the other half with
 * membarrier(); the whole where the kernel has no such call.
 */
static inline void
shm_light_fence(bool whole)
{
	if (__builtin_expect(whole, 0))
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
	else
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif /* SHM_FENCE_H */
