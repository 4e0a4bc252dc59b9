/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_FP_H
#define RTE_COMCH_FP_H

/**
 * @file
 *
 * Bursts: the inline functions of the fast path, one indirect call each, on
 * producers and consumers that were configured without tasks. How they are made, and
 * the rules of ordering, credits and threads, is in rte_comch_queue.h. Applications get
 * this file by rte_comch.h.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_mbuf;

/**
 * @name Bursts
 * For consumers and producers without tasks that are RUNNING, or STOPPING where a
 * function says so. On any other context they log once and return 0; but
 * rte_comch_queue_poll_burst() and rte_comch_consumer_rx_burst() do not log on a consumer
 * that is STARTING, nor on any that was stopped.
 * @{
 */

/**
 * @internal
 * Debug builds: this thread goes into a queue. False, and a log, if another is inside.
 *
 * @param ctx
 *   A consumer or producer.
 * @return
 *   Whether it may go in.
 */
__rte_experimental
bool rte_comch_fp_enter(struct rte_comch_ctx *ctx);

/**
 * @internal
 * Begin a burst: what debug builds check.
 *
 * @param ctx
 *   A consumer or producer.
 * @return
 *   Whether the burst may go on; always, but in debug builds.
 */
__rte_experimental
static inline bool
rte_comch_fp_begin(struct rte_comch_ctx *ctx)
{
#ifdef RTE_COMCH_DEBUG
	return rte_comch_fp_enter(ctx);
#else
	(void)ctx;
	return true;
#endif
}

/**
 * @internal
 * End what rte_comch_fp_begin() has begun.
 *
 * @param ctx
 *   The same.
 */
__rte_experimental
static inline void
rte_comch_fp_end(struct rte_comch_ctx *ctx)
{
#ifdef RTE_COMCH_DEBUG
	/* release: pairs with the acquire in rte_comch_fp_enter() */
	__atomic_store_n(&((struct rte_comch_fp_object *)ctx)->owner, 0, __ATOMIC_RELEASE);
#else
	(void)ctx;
#endif
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Post a burst of buffers.
 *
 * @param ctx
 *   A consumer, RUNNING.
 * @param posts
 *   The buffers. They belong to the consumer until their completion.
 * @param nb
 *   How many.
 * @return
 *   How many were taken, from the first on; see rte_comch_queue_room_get().
 */
__rte_experimental
static inline uint16_t
rte_comch_consumer_post_burst(struct rte_comch_ctx *ctx, const struct rte_comch_post *posts,
		uint16_t nb)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint16_t taken;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	taken = fp->post(fp->queue, posts, nb);
	rte_comch_fp_end(ctx);
	return taken;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Poll for completions: of buffers that a consumer posted, or of the sends of a
 * producer.
 *
 * @param ctx
 *   A producer or consumer, RUNNING; a consumer also if it is STOPPING. One of
 *   packets has nothing to poll: rte_comch_consumer_rx_burst() takes what it has. Nothing
 *   is found, without a log, on a consumer that is STARTING, and on a producer or consumer
 *   that was stopped and is IDLE.
 * @param[out] cpls
 *   Filled from the first on. Of the inline immediate data, only imm_len bytes
 *   mean anything.
 * @param nb
 *   Room in cpls.
 * @return
 *   How many there were.
 */
__rte_experimental
static inline uint16_t
rte_comch_queue_poll_burst(struct rte_comch_ctx *ctx, struct rte_comch_cpl *cpls, uint16_t nb)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint16_t found;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	found = fp->poll(fp->queue, cpls, nb);
	rte_comch_fp_end(ctx);
	return found;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Send a burst of messages to one consumer of the peer.
 *
 * @param ctx
 *   A producer, RUNNING.
 * @param consumer_id
 *   The consumer, as the callback of its arrival named it.
 * @param msgs
 *   The messages. Their data must not change until they have completed.
 * @param nb
 *   How many.
 * @return
 *   How many were taken, from the first on; see rte_comch_queue_room_get().
 */
__rte_experimental
static inline uint16_t
rte_comch_producer_send_burst(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		const struct rte_comch_send *msgs, uint16_t nb)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint16_t taken;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	taken = fp->send(fp->queue, consumer_id, msgs, nb);
	rte_comch_fp_end(ctx);
	return taken;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell how many messages the consumer takes from this producer at least: its share of
 * the buffers that are posted. Other producers of this side leave it so many for at
 * least 10 ms, whatever they do meanwhile. A share is kept for 20 ms; then what is left
 * of it may go to others. A call that finds less than half of that time left renews it.
 *
 * The only producer that is RUNNING on a connection has all. One of several is given
 * its part, and one buffer at least if there is one in no share. A burst may take more
 * than the share, if there are buffers in no share. A producer that starts changes
 * what the others were told.
 *
 * @param ctx
 *   A producer, RUNNING.
 * @param consumer_id
 *   The consumer.
 * @return
 *   The number of credits; 0 if there is no such consumer.
 */
__rte_experimental
static inline uint32_t
rte_comch_producer_credits(struct rte_comch_ctx *ctx, uint32_t consumer_id)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint32_t credits;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	credits = fp->credits(fp->queue, consumer_id);
	rte_comch_fp_end(ctx);
	return credits;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Send a burst of packets to one consumer of the peer, one message each. All
 * segments of a packet go into one posted buffer. Packets that were taken are
 * freed when their data is sent, as by rte_eth_tx_burst(); they have no
 * completions. What else of a packet crosses is for the consumer to say, see struct
 * rte_comch_consumer_conf::meta. A packet with a request to the port that sends it, which
 * does not cross, is refused with the reason -ENOTSUP; one with a VLAN tag that a port has
 * taken out is not, and goes without it.
 *
 * @param ctx
 *   A producer, RUNNING.
 * @param consumer_id
 *   The consumer.
 * @param pkts
 *   The packets, from any pool; those that were not taken stay the caller's. Data in
 *   external buffers, as of pools of rte_comch_mem_pool_create(), has to be in a
 *   region of this device, or a driver may refuse it with the reason -EFAULT.
 * @param nb
 *   How many.
 * @return
 *   How many were taken, from the first on; see rte_comch_queue_room_get().
 */
__rte_experimental
static inline uint16_t
rte_comch_producer_tx_burst(struct rte_comch_ctx *ctx, uint32_t consumer_id, struct rte_mbuf **pkts,
		uint16_t nb)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint16_t taken;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	taken = fp->tx_mbuf(fp->queue, consumer_id, pkts, nb);
	rte_comch_fp_end(ctx);
	return taken;
}

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Receive a burst of packets, and post new mbufs in their place. The region of
 * the consumer must be one of rte_comch_mem_pool_create(), or of
 * rte_comch_mem_pool_register() with RTE_COMCH_MEM_F_PEER_WRITE, whose pool is where
 * they come from. The first call posts as many as fit, later ones in bulk, when a
 * quarter of the places is free, or 32 of them. Where the pool has too few mbufs, a later
 * call posts them: no engine is woken when they come back to the pool. A message without
 * data is a packet of length 0. The identifier of the producer is in mbuf->hash.usr, unless
 * there is a hash. Metadata comes as struct rte_comch_consumer_conf::meta asks for it, and
 * other immediate data is not for this function.
 *
 * @param ctx
 *   A consumer, RUNNING or STOPPING. Nothing is found, without a log, on one that is
 *   STARTING, or was stopped and is IDLE.
 * @param[out] pkts
 *   The packets; they are the caller's.
 * @param nb
 *   Room in pkts.
 * @return
 *   How many there were.
 */
__rte_experimental
static inline uint16_t
rte_comch_consumer_rx_burst(struct rte_comch_ctx *ctx, struct rte_mbuf **pkts, uint16_t nb)
{
	const struct rte_comch_fp_object *fp = (const struct rte_comch_fp_object *)ctx;
	uint16_t found;

	if (!rte_comch_fp_begin(ctx))
		return 0;
	found = fp->rx_mbuf(fp->queue, pkts, nb);
	rte_comch_fp_end(ctx);
	return found;
}

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_FP_H */
