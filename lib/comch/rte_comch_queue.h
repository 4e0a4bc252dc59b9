/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_QUEUE_H
#define RTE_COMCH_QUEUE_H

/**
 * @file
 *
 * The fast path: producers, consumers, bursts, and tasks on top of bursts.
 * Applications get this file by rte_comch.h, whose model and rules hold here.
 *
 * A consumer states how large its buffers are, and posts some that lie in its region. The
 * peer learns the consumer's identifier in its consumer_new_cb, and the buffer size by
 * rte_comch_conn_consumer_info_get(). A producer of the peer sends to that identifier:
 * each message goes to the oldest buffer that is posted, by one copy, and the
 * consumer finds a completion that says how long it is and who sent it.
 * Immediate data travels in the completion; a post without a buffer takes
 * immediate data only.
 *
 * Set-up, on both sides, when the connection is up:
 *
 *  1. rte_comch_mem_alloc() and the like.
 *  2. rte_comch_consumer_create(), rte_comch_producer_create().
 *  3. rte_comch_ctx_attach() to the engine of the lcore that will use it, which
 *     may be another one than the connection's.
 *  4. rte_comch_ctx_start(). A producer is RUNNING at once. A consumer is
 *     RUNNING when the peer knows it: that takes progress on its engine, on the
 *     engine of the connection and on that of the peer's connection.
 *
 * Two ways to use them, one for each context:
 *
 * - *Bursts*: rte_comch_consumer_post_burst(), rte_comch_producer_send_burst(),
 *   rte_comch_queue_poll_burst(), and for mbufs rte_comch_producer_tx_burst() and
 *   rte_comch_consumer_rx_burst(). The application polls; the progress engine is
 *   needed for set-up, teardown and to sleep.
 * - *Tasks*, if nb_tasks of the configuration is not 0: they are submitted, and
 *   end in callbacks inside rte_comch_pe_progress().
 *
 * A burst function returns how many it took or found, and never waits. Why it
 * took fewer than it was given is asked for afterwards, by
 * rte_comch_queue_room_get(): the first message or buffer that was not taken is the one
 * that the reason is about, and nothing of it has happened.
 *
 * Ordering: a consumer finds the messages of one producer in the order in which
 * they were sent. Nothing is promised between producers.
 *
 * Credits, which are posted buffers, reach the producer without any progress,
 * so that it may send in a loop and inside of callbacks. Those that
 * rte_comch_producer_credits() tells of are a share, which other producers leave alone.
 *
 * Teardown: rte_comch_ctx_stop() of a producer makes it IDLE at once, or as soon
 * as its tasks are freed, or in the next progress if its connection has just ended;
 * completions that were not polled are dropped, and the memory of its sends is the
 * application's. Its tasks end before it is IDLE: with 0 if the message was delivered,
 * also after the loss of the peer, else with the status that a consumer's have. Over
 * shared memory, what a submit or a burst took was delivered: all of them say 0. Over
 * BlueField, it waits for what it has sent to arrive, 2.2 seconds at most whatever the peer
 * does. Then firmware takes its queue pairs away; no answer of the peer is waited for.
 *
 * A consumer that is stopped takes no new messages, and waits for those that producers of
 * the peer are about to write to its buffers. Until then it is polled as before. Then the
 * buffers that are still posted come back with -ECANCELED, or -ECONNRESET after the loss of
 * the peer: to the callback of tasks, to rte_comch_queue_poll_burst(), or to the pool of a
 * consumer of packets. The consumer is IDLE when the last has come back. That takes progress
 * of its own engine alone; the application of the peer may learn later that the consumer is
 * gone, when the engines of the connection turn. Over BlueField these engines tell the peer
 * and take its answer: a consumer waits one second for the engine of its own side, and four
 * seconds in all. Then it takes nothing more; what the peer still sends to it fails there,
 * and may cost the connection. One that is still STARTING has no buffers, and waits for
 * nobody: if the peer was told of it, the application of the peer hears later that it came,
 * and that it is gone.
 *
 * A peer that does not let go of the buffers within five seconds loses its connection, and
 * the buffers come back with -ECONNRESET. One that was only slow may still write to them:
 * such memory is the peer's to write until the region is freed, rte_comch_mem_free().
 *
 * A consumer of packets, which is one that rte_comch_consumer_rx_burst() was called for, does
 * not wait to be polled. While it is STOPPING, rte_comch_consumer_rx_burst() gives packets
 * that have come; in the turn of its engine that makes it IDLE, those that were not
 * fetched go back to the pool with the rest. Over shared memory that is the first turn
 * before which none was fetched. An application that must not lose any agrees with its
 * peer on the last one before it stops.
 *
 * So the loop that takes what is left is the same for all: progress, then poll or
 * receive, until the state is IDLE. The last call, of a context that is IDLE by then,
 * finds nothing and is no error.
 *
 * Threads: one producer or consumer belongs to one thread at a time, and so do
 * the burst functions on it. Producers of one connection may be in different
 * threads, also if they send to the same consumer. Builds with RTE_COMCH_DEBUG
 * check this in each call, log a violation and return 0.
 *
 * Event mode: rte_comch_pe_arm() of the engine answers -EAGAIN while completions
 * of its consumers or producers wait to be polled. The engine wakes when a message
 * comes for one of its consumers, when a send of one of its producers ends, and when a
 * consumer posts that had no credit for the last burst of one of its producers. Nothing
 * else wakes it for the fast path. So a producer tries first and sleeps then, without a
 * burst between rte_comch_pe_arm() and the wait.
 *
 * Latency of tasks: in each turn of its engine, a consumer is given the messages that
 * were sent before the turn began, 32 at most. This also holds for a consumer to which
 * nothing was sent for long, if the driver is told of its next message; the shm driver is
 * for 512 consumers of one engine and one peer. Of the other quiet consumers, each turn
 * looks at four. So the cost of a turn does not grow with the number of quiet consumers.
 *
 * Growth: as rte_comch.h says. But posts and sends are checked by their flags alone: a
 * field that is reserved there is not looked at before a flag says what it is.
 *
 * Trust: the bytes of a buffer were written by the peer into memory that is shared
 * with it. An honest peer leaves them alone from the completion on; a dishonest one
 * may change them as long as the region exists, unless the region has a bounce buffer, see
 * rte_comch_mem.h. Lengths, the identifier of the producer and immediate data are copies
 * that were checked.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/**@{@name Metadata of packets, see struct rte_comch_consumer_conf::meta */
/**
 * What a port has found: VLAN tags, hash or mark, packet type, state of checksums. Where there
 * is a hash or a mark, it takes the place of the producer's identifier in mbuf->hash.
 */
#define RTE_COMCH_META_RX RTE_BIT32(0)
/** The number of the port, in the process that sends; RTE_MAX_ETHPORTS or more is none. */
#define RTE_COMCH_META_PORT RTE_BIT32(1)
/**
 * The time of reception, if the process that sends has the dynamic field for it when it hears
 * of the consumer.
 */
#define RTE_COMCH_META_TIME RTE_BIT32(2)
/**
 * What is requested of the port that sends: tags to insert are RTE_MBUF_F_RX_VLAN_STRIPPED
 * for the receiver, checksums to fill in RTE_MBUF_F_RX_IP_CKSUM_NONE and L4_CKSUM_NONE, with
 * l2_len, l3_len and l4_len. Without it, packets with such requests are refused.
 */
#define RTE_COMCH_META_TX RTE_BIT32(3)
/** All of them. */
#define RTE_COMCH_META_ALL (RTE_COMCH_META_RX | RTE_COMCH_META_PORT | \
	RTE_COMCH_META_TIME | RTE_COMCH_META_TX)
/** Bytes of immediate data that they take in a message. */
#define RTE_COMCH_META_SIZE 32
/**@}*/

/** Configuration of a consumer. */
struct rte_comch_consumer_conf {
	/**
	 * Region that its buffers lie in, with RTE_COMCH_MEM_F_PEER_WRITE, of
	 * the device of the connection. NULL for immediate data only.
	 */
	struct rte_comch_mem *mem;
	/**
	 * Buffers that can be posted at one time, up to the max_posts of
	 * the device; rounded up to a power of two. 0 for 512, or for nb_tasks.
	 */
	uint32_t nb_posts;
	/** Bytes of immediate data it can take, up to the device's max_imm_len. */
	uint32_t imm_len;
	/** Post tasks, up to nb_posts; 0 to use bursts. */
	uint32_t nb_tasks;
	/** Must be 0. */
	uint32_t flags;
	/** State changes, or NULL. */
	rte_comch_state_cb_t state_cb;
	/** Ends of post tasks; required if nb_tasks is not 0. */
	rte_comch_post_cb_t post_cb;
	/** The pointer that the callbacks of the context get; never followed. */
	void *user_data;
	/**
	 * Bytes of each buffer, at least: up to the device's max_buf_size, and to what
	 * the region has. The peer learns it, and sends no longer message. A post that
	 * is shorter is refused, and of a longer one no more than this is used.
	 *
	 * 0 without a region. 0 with the region of an mbuf pool stands for the data room
	 * of its mbufs without the headroom, which is the most it can be there. 0 with
	 * another region leaves it open, on devices with RTE_COMCH_CAPA_POST_SIZES only:
	 * then a message that is too long for the oldest post is refused, and goes
	 * through again when that post was used.
	 */
	uint64_t buf_size;
	/**
	 * Any number; the peer reads it in struct rte_comch_remote_consumer_info, and so
	 * knows which of several consumers this one is.
	 */
	uint32_t tag;
	/**
	 * RTE_COMCH_META_* flags: what the packets of rte_comch_producer_tx_burst() come
	 * with beside their bytes; 0 for none. It needs a region, and a device whose
	 * max_imm_len is at least RTE_COMCH_META_SIZE; imm_len becomes that, if it is less.
	 */
	uint32_t meta;
	uint64_t reserved[5]; /**< Must be 0. */
};

/** Configuration of a producer. */
struct rte_comch_producer_conf {
	/**
	 * Sends whose completions were not polled, up to the device's
	 * max_sends; rounded up to a power of two. 0 for 512, or for
	 * nb_tasks.
	 */
	uint32_t nb_sends;
	/** Send tasks, up to nb_sends; 0 to use bursts. */
	uint32_t nb_tasks;
	/** Must be 0. */
	uint32_t flags;
	/** State changes, or NULL. */
	rte_comch_state_cb_t state_cb;
	/** Ends of send tasks; required if nb_tasks is not 0. */
	rte_comch_send_cb_t send_cb;
	/** The pointer that the callbacks of the context get; never followed. */
	void *user_data;
	uint64_t reserved[6]; /**< Must be 0. */
};

/**@{@name Flags of struct rte_comch_room */
/**
 * Producers: the reason -EAGAIN lasts until the engines of the connection and of the
 * producer have progressed, as the two sides have to agree on the way to the consumer. To
 * try again in a callback, and without a progress in between, is in vain.
 */
#define RTE_COMCH_ROOM_F_PROGRESS RTE_BIT32(0)
/**@}*/

/** What there is room for. @see rte_comch_queue_room_get() */
struct rte_comch_room {
	/**
	 * Producers: their share of the posted buffers of the consumer, as by
	 * rte_comch_producer_credits(). Consumers: all that they have posted.
	 */
	uint32_t credits;
	/** Sends or posts that the own queue has places for. */
	uint32_t queue;
	/** Why the last burst took fewer than it was given, see the function. */
	int reason;
	uint32_t flags; /**< RTE_COMCH_ROOM_F_*. */
	uint32_t reserved[4]; /**< Zero. */
};

/** Counters of a producer or consumer. @see rte_comch_queue_stats_get() */
struct rte_comch_queue_stats {
	uint64_t msgs;      /**< Messages sent or received. */
	uint64_t bytes;     /**< Their data, without immediate data. */
	uint64_t bursts;    /**< Bursts with at least one message. */
	uint64_t short_credits; /**< Producers: bursts that ended for want of a credit. */
	uint64_t short_queue;   /**< Bursts that ended because the own queue was full. */
	uint64_t errors;    /**< Bursts that ended for another reason. */
	uint64_t reserved[6]; /**< Zero. */
};

/**
 * @name Consumers and producers
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a consumer on a connection, in the thread of the connection or in any thread
 * that has a reference to it, see rte_comch_conn_ref().
 * It may be attached to another progress engine than the connection's.
 *
 * @param conn
 *   A connection, established; one that has ended is refused.
 * @param conf
 *   Its configuration, or NULL for the defaults; copied.
 * @param[out] ctx
 *   The consumer, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn or ctx is NULL, a value is out of range, an unknown flag, a
 *     reserved field that is not 0, a region of another device, tasks without a
 *     callback, a buf_size without a region, or none where the device has no
 *     RTE_COMCH_CAPA_POST_SIZES.
 *   - -EACCES: the region has no RTE_COMCH_MEM_F_PEER_WRITE.
 *   - -ENOTCONN: the connection has ended.
 *   - -ENOTSUP: the device has no consumers, or too little immediate data for meta.
 *   - -ENOSPC: the connection has max_consumers of them.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_consumer_create(struct rte_comch_conn *conn,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Create a producer on a connection, in the thread of the connection or in any thread
 * that has a reference to it, see rte_comch_conn_ref().
 * It may be attached to another progress engine than the connection's.
 *
 * @param conn
 *   A connection, established; one that has ended is refused.
 * @param conf
 *   Its configuration, or NULL for the defaults; copied.
 * @param[out] ctx
 *   The producer, IDLE; the caller owns it.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conn or ctx is NULL, a value is out of range, an unknown flag, a
 *     reserved field that is not 0, tasks without a callback.
 *   - -ENOTCONN: the connection has ended.
 *   - -ENOTSUP: the device has no producers.
 *   - -ENOSPC: the connection has max_producers of them.
 *   - -ENOMEM: no memory.
 */
__rte_experimental
int rte_comch_producer_create(struct rte_comch_conn *conn,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell what a producer or consumer has room for, and why its last burst was short.
 *
 * If the consumer or the connection is gone, that is the return value, and there is no
 * reason to read. The reason is 0 if the last burst was taken whole. Of a producer, else:
 *   - -EAGAIN: the consumer has no buffer posted, or all of them are shares of other
 *     producers; or, with the flag RTE_COMCH_ROOM_F_PROGRESS, there is no way to it yet.
 *   - -ENOBUFS: the queue of the producer is full; poll its completions.
 *   - -ENOENT: the burst was for a consumer that the peer does not have.
 *   - -EMSGSIZE: the data is longer than the buf_size that the consumer has stated,
 *     whatever is posted; or it has no region; or it has stated none, and the oldest
 *     posted buffer is too short.
 *   - -E2BIG: the immediate data is longer than the consumer takes.
 *   - -EFAULT: the data does not lie in the region that the send names, or the
 *     send names none.
 *   - -EINVAL: an unknown flag; or a NULL pointer with a length.
 *   - -ENOTSUP: the packet has a request that is not carried, see RTE_COMCH_META_TX.
 *   - -ENOTCONN: the connection has ended.
 *
 * Of a consumer, whose bursts are posts, else:
 *   - -ENOBUFS: all nb_posts are posted; poll its completions.
 *   - -EFAULT: the buffer does not lie in the region of the consumer.
 *   - -EMSGSIZE: the buffer is longer than the max_buf_size of the device, or
 *     shorter than the buf_size of the consumer; no buffer is shorter, too.
 *   - -EINVAL: a flag; a buffer without a length, or the other way round; or a consumer of
 *     packets, which posts by itself; or a call of rte_comch_consumer_rx_burst() for one
 *     that has no region of a pool, or other posts.
 *
 * @param ctx
 *   A producer or consumer; in its own thread.
 * @param consumer_id
 *   Producers: a consumer of the peer, for the credits. Consumers: not used.
 * @param[out] room
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: ctx or room is NULL, or ctx is neither a producer nor a consumer.
 *   - -ENOENT: the peer has no consumer of that identifier.
 *   - -ENOTCONN: the connection has ended.
 *   - -EBUSY: the producer is not RUNNING; the consumer is IDLE or STARTING, or STOPPING
 *     and all its posts are back.
 */
__rte_experimental
int rte_comch_queue_room_get(struct rte_comch_ctx *ctx, uint32_t consumer_id,
		struct rte_comch_room *room);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Tell whether the last burst of a producer was short because of the message or packet at
 * which it ended: sent again it would be refused again, and it is in the way of those behind
 * it. So are the reasons -EMSGSIZE, -EFAULT, -EINVAL, -E2BIG and -ENOTSUP of
 * rte_comch_queue_room_get(). In the thread of the producer.
 *
 * @param ctx
 *   The producer.
 * @param consumer_id
 *   The consumer that the burst was for.
 * @return
 *   The same; false also if rte_comch_queue_room_get() has no answer.
 */
__rte_experimental
bool rte_comch_producer_at_fault(struct rte_comch_ctx *ctx, uint32_t consumer_id);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read the counters of a producer or consumer, since it was last started. Any thread,
 * until rte_comch_ctx_destroy() returns, and while that runs. It takes a lock and looks
 * through all contexts, so it should not be called for each burst.
 *
 * @param ctx
 *   A producer or consumer; in another thread each number may be a moment old.
 * @param[out] stats
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL, or ctx is neither, or was destroyed.
 */
__rte_experimental
int rte_comch_queue_stats_get(const struct rte_comch_ctx *ctx,
		struct rte_comch_queue_stats *stats);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_QUEUE_H */
