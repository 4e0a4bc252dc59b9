/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers of this side on message queues: posting credits, and finding what has come.
 * Everything here runs in the thread of one consumer and takes no lock, but for telling of
 * a program that lies. Each word of an entry is loaded once, checked, and then used; the
 * message is copied, so that what the program writes meanwhile can spoil it and nothing
 * else. The pairs of memory orders are named in shm_entry.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>

#include "shm_fast.h"
#include "shm_msgq.h"

static inline uint32_t
nb_posted(const struct shm_msgq_rx *rx)
{
	return rx->post_pos - rx->poll_pos;
}

uint16_t
shm_msgq_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct shm_msgq_rx *rx = queue;
	uint32_t n = RTE_MIN((uint32_t)nb, rx->size - nb_posted(rx));
	uint32_t pos = rx->post_pos, i;

	rx->reason = n == nb ? 0 : -ENOBUFS;
	for (i = 0; i < n; i++) {
		if (unlikely(posts[i].len != 0 || posts[i].addr != NULL || posts[i].flags != 0)) {
			rx->reason = -EINVAL; /* there is no region that it could lie in */
			break;
		}
		rx->cookies[(pos + i) & rx->mask] = posts[i].cookie;
	}
	if (likely(i != 0)) {
		rx->post_pos = pos + i;
		shm_entry_tail_set(&rx->sink->tail, rx->post_pos);
	}
	if (unlikely(rx->reason != 0)) {
		rx->queue->stats.short_queue += rx->reason == -ENOBUFS;
		rx->queue->stats.errors += rx->reason != -ENOBUFS;
	}
	return i;
}

/* From here on nothing is believed, and the program ends. */
static __rte_noinline void
rx_broken(struct shm_msgq_rx *rx, uint64_t word)
{
	rx->broken = true;
	shm_dpa_violation(rx->mq->dpa, SHM_DPA_NO_EU, "a message of it", rx->queue->id, word);
}

/* Whoever asks how many messages wait reads it in another thread. */
static inline void
poll_pos_set(struct shm_msgq_rx *rx, uint32_t pos)
{
	/* release: pairs with the acquire in ring_waiting() */
	__atomic_store_n(&rx->poll_pos, pos, __ATOMIC_RELEASE);
}

/* Posts that come back unused. */
static uint16_t
flush_poll(struct shm_msgq_rx *rx, struct rte_comch_cpl *cpls, uint16_t nb)
{
	uint32_t n = RTE_MIN(nb_posted(rx), (uint32_t)nb);
	uint32_t i;

	memset(cpls, 0, n * sizeof(*cpls));
	for (i = 0; i < n; i++) {
		cpls[i].cookie = rx->cookies[(rx->poll_pos + i) & rx->mask];
		cpls[i].status = rx->flush;
	}
	poll_pos_set(rx, rx->poll_pos + n);
	return n;
}

/*
 * Look for the next batch. Its word is loaded once; it is never more than was posted, and does
 * not go beyond the end of the ring. So all reads of it are inside of the ring.
 */
static inline bool
batch_next(struct shm_msgq_rx *rx)
{
	const uint32_t pos = rx->poll_pos + SHM_ENTRY_START, at = pos & rx->mask;
	const struct shm_entry *entry = &rx->entries[at];
	const uint64_t word = shm_entry_get(entry);
	const uint32_t nb = shm_entry_more(word) + 1;
	uint32_t last;

	if (!shm_entry_is(word, pos))
		return false;
	/* relaxed: whoever sends has an identifier by then */
	last = __atomic_load_n(&rx->mq->host->last_producer, __ATOMIC_RELAXED);
	rx->batch_len = shm_entry_len(word);
	rx->batch_id = shm_msgq_producer_id(last, shm_entry_producer(word));
	rx->batch_imm = entry->imm;
	if (unlikely(rx->batch_len > rx->imm_len || rx->batch_id - 1 >= last ||
			nb > nb_posted(rx) || nb > rx->mask + 1 - at)) {
		rx_broken(rx, word);
		return false;
	}
	rx->batch_left = nb;
	return true;
}

/* Up to nb messages of the batch. */
static inline uint32_t
batch_take(struct shm_msgq_rx *rx, struct rte_comch_cpl *cpls, uint32_t nb)
{
	const uint32_t len = rx->batch_len, step = shm_entry_step(len), mask = rx->mask;
	const uint8_t *imm = rx->batch_imm;
	uint32_t pos = rx->poll_pos, i;

	nb = RTE_MIN(nb, rx->batch_left);
	for (i = 0; i < nb; i++, imm += step) {
		cpls[i].cookie = rx->cookies[(pos + i) & mask];
		cpls[i].len = 0;
		cpls[i].producer_id = rx->batch_id;
		cpls[i].status = 0;
		cpls[i].imm_len = len;
		cpls[i].reserved = 0;
		/* all that is inline, which takes no call and no loop */
		__builtin_memcpy(cpls[i].imm, imm, RTE_COMCH_CPL_IMM_SIZE);
	}
	rx->batch_imm = imm;
	rx->batch_left -= nb;
	poll_pos_set(rx, pos + nb);
	return nb;
}

uint16_t
shm_msgq_cpl_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_msgq_rx *rx = queue;
	uint32_t want, n = 0;

	want = unlikely(rx->broken) ? 0 : RTE_MIN(nb_posted(rx), (uint32_t)nb);
	while (n < want && (rx->batch_left != 0 || batch_next(rx)))
		n += batch_take(rx, &cpls[n], want - n);
	if (likely(n != 0)) {
		rx->queue->stats.msgs += n;
		rx->queue->stats.bursts++;
		return n;
	}
	return unlikely(rx->flush != 0) ? flush_poll(rx, cpls, nb) : 0;
}

/* Is there something to poll? */
bool
shm_msgq_rx_pending(const struct shm_msgq_rx *rx)
{
	const uint32_t pos = rx->poll_pos + SHM_ENTRY_START;

	if (nb_posted(rx) == 0)
		return false;
	return rx->flush != 0 || rx->batch_left != 0 ||
		(!rx->broken && shm_entry_is(shm_entry_get(&rx->entries[pos & rx->mask]), pos));
}
