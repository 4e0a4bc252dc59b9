/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers of this side on message queues: posting credits, and finding what has come.
 * Everything here runs in the thread of one consumer and takes no lock, but for telling of
 * a program that lies. Each word of a slot is loaded once, checked, and then used; the
 * message is copied, so that what the program writes meanwhile can spoil it and nothing
 * else. The pairs of memory orders are named in shm_slot.h.
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
		shm_slot_tail_set(&rx->sink->tail, rx->post_pos);
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
	rx->poll_pos += n;
	return n;
}

uint16_t
shm_msgq_cpl_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_msgq_rx *rx = queue;
	uint32_t pos = rx->poll_pos, n = RTE_MIN(nb_posted(rx), (uint32_t)nb), i, id, last;
	const uint32_t mask = rx->mask, imm_max = rx->imm_len;
	const struct shm_slot *slot;
	uint64_t word = 0;

	if (unlikely(rx->broken))
		n = 0;
	/* relaxed: whoever sends has an identifier by then */
	last = __atomic_load_n(&rx->mq->host->last_producer, __ATOMIC_RELAXED);
	for (i = 0; i < n; i++, pos++) {
		slot = &rx->slots[(pos + SHM_SLOT_START) & mask];
		word = shm_slot_get(slot);
		if (!shm_slot_is(word, pos + SHM_SLOT_START))
			break;
		id = shm_msgq_producer_id(last, shm_slot_producer(word));
		if (unlikely(shm_slot_len(word) > imm_max || id - 1 >= last)) {
			rx_broken(rx, word);
			break;
		}
		cpls[i].cookie = rx->cookies[pos & mask];
		cpls[i].len = 0;
		cpls[i].producer_id = id;
		cpls[i].status = 0;
		cpls[i].imm_len = shm_slot_len(word);
		cpls[i].reserved = 0;
		/* all that is inline, which takes no call and no loop */
		SHM_SLOT_COPY(cpls[i].imm, slot->imm, RTE_COMCH_CPL_IMM_SIZE);
	}
	rx->poll_pos = pos;
	if (likely(i != 0)) {
		rx->queue->stats.msgs += i;
		rx->queue->stats.bursts++;
		return i;
	}
	return unlikely(rx->flush != 0) ? flush_poll(rx, cpls, nb) : 0;
}

/* Is there something to poll? */
bool
shm_msgq_rx_pending(const struct shm_msgq_rx *rx)
{
	const uint32_t pos = rx->poll_pos + SHM_SLOT_START;

	if (nb_posted(rx) == 0)
		return false;
	return rx->flush != 0 ||
		(!rx->broken && shm_slot_is(shm_slot_get(&rx->slots[pos & rx->mask]), pos));
}
