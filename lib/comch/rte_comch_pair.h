/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_PAIR_H
#define RTE_COMCH_PAIR_H

/**
 * @file
 *
 * Pairs: packets between the lcores of this side and those of one peer, whichever side
 * starts first and however often either of them starts again. Applications get this file by
 * rte_comch.h.
 *
 * It is written on the other functions of the library alone, for programs that need no more
 * than this:
 *
 * - A *peer* is what this side has for the other one: the server or client, by the role of
 *   the device, its progress engine, and the pairs. It waits for a connection, and after the
 *   end of one for the next, until it is closed.
 * - A *pair* is a producer and a consumer for one lcore, with a progress engine of their
 *   own. It makes both on each new connection, and gives them up with it.
 *
 * @code
 * rte_comch_mem_pool_create(dev_id, ..., RTE_COMCH_MEM_F_PEER_WRITE, &conf.mem);
 * rte_comch_peer_open(&conf, &peer);
 *
 * lcore i:  pair = rte_comch_peer_pair_get(peer, i);
 *           loop: rte_comch_pair_rx_burst(pair, ...); rte_comch_pair_tx_burst(pair, ...);
 * one more: loop: rte_comch_peer_progress(peer);
 *
 * after the lcores: rte_comch_peer_close(peer, ms); rte_comch_mem_free(conf.mem);
 * @endcode
 *
 * Ways: what the pair of index i sends comes to the pair of index i of the peer. If the peer
 * has fewer pairs, say n, it comes to that of i modulo n. Each consumer says which it is by
 * the tag of its configuration: the number of pairs in the upper 16 bits, and its index in
 * the lower.
 *
 * Threads: a peer belongs to the thread that progresses its connection. A pair belongs to
 * the thread that bursts, which makes, turns and ends the engine's queues inside of its
 * bursts; nobody else has to do anything for it. Both may be the same thread, and both may be
 * handed on to another one, as by rte_eal_remote_launch() and rte_eal_wait_lcore(). Between
 * the two threads there is no lock: a new connection is left with each pair as a reference,
 * which the next burst of the pair takes.
 *
 * A thread that does not burst leaves its pair behind: it neither notices the end of a
 * connection nor takes the next one. The peer's other pairs go on.
 *
 * Event mode: a thread sleeps on the engine of the peer or of a pair, see
 * rte_comch_peer_info::pe and rte_comch_pair_info::pe, after a burst that found nothing. No
 * engine wakes for a new connection but that of the peer; a thread whose pair has none
 * (rte_comch_pair_info::status) sleeps for a limited time, or is woken by the program's
 * change_cb. The peer of a client has to be progressed every 100 ms while there is no
 * connection, or it tries again later.
 *
 * Restarts: when the connection ends, bursts return 0 until there is another one. What had
 * come before is given by rte_comch_pair_rx_burst() first, if the application fetches it at
 * once: before its second send that is short, so a loop that tries to send again receives,
 * too. What the peer had not fetched is lost.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_compat.h>

#include <rte_comch_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_comch_mem;

/** Opaque handle of what this side has for its peer. */
struct rte_comch_peer;
/** Opaque handle of the producer and the consumer of an lcore. */
struct rte_comch_pair;

/** Most pairs of a peer; the device may have fewer engines. */
#define RTE_COMCH_MAX_PAIRS 1024

/**
 * Called when there is a connection, and when it is over, in rte_comch_peer_progress(),
 * rte_comch_peer_wait() or rte_comch_peer_close(); none of these may be called in here.
 *
 * @param peer
 *   The peer.
 * @param connected
 *   Whether there is a connection now.
 * @param reason
 *   0 for a connection, or for one that was ended in order by a client or by this side. Else
 *   why it has ended, as of rte_comch_reason_str().
 * @param user_data
 *   That of the configuration.
 */
typedef void (*rte_comch_peer_cb_t)(struct rte_comch_peer *peer, bool connected, int reason,
		void *user_data);

/** Configuration of a peer. Callbacks may be NULL, and come in the thread of the peer. */
struct rte_comch_peer_conf {
	/** The device: with the role dpu this side is a server, else it is a client. */
	int16_t dev_id;
	/** Pairs, from 0 to RTE_COMCH_MAX_PAIRS, with an engine each. */
	uint16_t nb_pairs;
	/**
	 * Buffers that each consumer posts, and sends that each producer has under way; up to
	 * the max_posts and max_sends of the device. 0 for 512.
	 */
	uint32_t nb_desc;
	/** Name of the server; copied. */
	const char *name;
	/** Role dpu: name of the function that is served; NULL for the only one. */
	const char *rep;
	/**
	 * Region of an mbuf pool of the device, with RTE_COMCH_MEM_F_PEER_WRITE: where all pairs
	 * receive. It must stay until the peer is closed. NULL without pairs.
	 */
	struct rte_comch_mem *mem;
	rte_comch_peer_cb_t change_cb; /**< Connections, and their ends. */
	rte_comch_recv_cb_t recv_cb;   /**< Control messages; NULL: they are dropped. */
	rte_comch_send_cb_t send_cb;   /**< Ends of send tasks; NULL: they are freed. */
	void *user_data;               /**< The pointer that the callbacks get; never followed. */
	/** Must be 0. */
	uint32_t flags;
	/** What received packets come with, see struct rte_comch_consumer_conf::meta. */
	uint32_t meta;
	uint64_t reserved[4]; /**< Must be 0. */
};

/** Facts of a peer. @see rte_comch_peer_info_get() */
struct rte_comch_peer_info {
	struct rte_comch_ctx *ctx;   /**< The server or client; not to be stopped. */
	struct rte_comch_pe *pe;     /**< Its engine; rte_comch_peer_progress() turns it. */
	struct rte_comch_conn *conn; /**< The connection, for control messages, or NULL. */
	/** Why there is no connection, if that is known, see rte_comch_reason_str(); or 0. */
	int reason;
	uint32_t nb_conns;    /**< Connections that there have been, with this one. */
	uint64_t reserved[4]; /**< Zero. */
};

/** Facts of a pair. @see rte_comch_pair_info_get() */
struct rte_comch_pair_info {
	struct rte_comch_ctx *producer; /**< For its counters; or NULL. */
	struct rte_comch_ctx *consumer; /**< For its counters; or NULL. */
	struct rte_comch_pe *pe;        /**< Its engine; bursts turn it. */
	uint32_t consumer_id;           /**< Consumer of the peer that it sends to; or 0. */
	/**
	 * 0: packets go both ways. -EINPROGRESS: one of the two sides is not ready. -ENOTCONN:
	 * there was no connection yet. Else why the last one has ended, or why there are no
	 * queues on this one, as of rte_comch_consumer_create() and rte_comch_ctx_start(); the
	 * next connection is tried.
	 */
	int status;
	uint32_t reserved0;   /**< Zero. */
	uint64_t tx_errors;   /**< Packets that were freed, as they cannot be sent. */
	uint64_t reserved[3]; /**< Zero. */
};

/**
 * @name Peers
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Start to wait for the peer, and return at once. A server listens from here on; a client
 * tries from the first rte_comch_peer_progress() on, until there is a server.
 *
 * @param conf
 *   The configuration; copied.
 * @param[out] peer
 *   What was made; the caller owns it, and is its thread.
 * @return
 *   - 0 on success.
 *   - -EINVAL: conf or peer is NULL, not a device, no name, a value out of range, an unknown
 *     flag, a reserved field that is not 0, or mem is not such a region.
 *   - -ENODEV: there is no such function; or there are several, and rep is NULL.
 *   - -ENOSPC: the device has not as many engines left, or connections of it not as many
 *     producers or consumers.
 *   - -ENOTSUP: meta, and the device has not as much immediate data.
 *   - An error of rte_comch_server_create(), rte_comch_client_create(),
 *     rte_comch_pe_create(), rte_comch_ctx_attach() or rte_comch_ctx_start().
 */
__rte_experimental
int rte_comch_peer_open(const struct rte_comch_peer_conf *conf, struct rte_comch_peer **peer);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Progress the connection: call it in a loop, in the thread of the peer. A client that has no
 * connection tries again, each 100 ms at most; so does a server whose device had failed.
 *
 * @param peer
 *   The peer.
 * @return
 *   - The number of events handled; 0 if there was nothing to do.
 *   - -EINVAL: peer is NULL.
 *   - -EDEADLK: called from a callback.
 */
__rte_experimental
int rte_comch_peer_progress(struct rte_comch_peer *peer);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Progress until there is a connection, and sleep for a millisecond where nothing happens.
 * Pairs need no connection to be used: this is for programs that do not want to begin
 * without a peer.
 *
 * @param peer
 *   The peer; in its thread.
 * @param ms
 *   Milliseconds to wait at most, or RTE_COMCH_TIMEOUT_NEVER.
 * @return
 *   - 0: there is a connection.
 *   - -ETIMEDOUT: there is none; rte_comch_peer_info::reason may say why.
 *   - -EINVAL: peer is NULL.
 *   - -EDEADLK: called from a callback.
 */
__rte_experimental
int rte_comch_peer_wait(struct rte_comch_peer *peer, uint32_t ms);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Stop all pairs, end the connection and free everything. The calling thread takes over what
 * others had: no other one may burst any more. Packets that were not fetched go back to the
 * pool, see rte_comch_pair_stop().
 *
 * @param peer
 *   The peer. NULL is allowed and does nothing.
 * @param ms
 *   Milliseconds to wait at most; a healthy peer takes a few, and no peer more than 20000.
 * @return
 *   - 0 on success; the handles of the peer and its pairs are void.
 *   - -EINPROGRESS: it is not over; only this function may be called for it, again.
 *   - -EDEADLK: called from a callback.
 */
__rte_experimental
int rte_comch_peer_close(struct rte_comch_peer *peer, uint32_t ms);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read the facts of a peer, in its thread; also in its callbacks.
 *
 * @param peer
 *   The peer.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_peer_info_get(const struct rte_comch_peer *peer, struct rte_comch_peer_info *info);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Get a pair of a peer, in any thread.
 *
 * @param peer
 *   The peer.
 * @param index
 *   From 0 to the nb_pairs of its configuration, exclusive.
 * @return
 *   The pair, valid until the peer is closed; NULL if there is none of this index.
 */
__rte_experimental
struct rte_comch_pair *rte_comch_peer_pair_get(struct rte_comch_peer *peer, uint16_t index);

/** @} */

/**
 * @name Pairs
 * @{
 */

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Receive packets, as rte_comch_consumer_rx_burst() does, and do what else the pair needs: its
 * engine is turned when nothing was found, or after 16 bursts.
 *
 * @param pair
 *   The pair; in its thread, and in no callback.
 * @param[out] pkts
 *   The packets; they are the caller's.
 * @param nb
 *   Room in pkts.
 * @return
 *   How many there were; 0 while there is no peer.
 */
__rte_experimental
uint16_t rte_comch_pair_rx_burst(struct rte_comch_pair *pair, struct rte_mbuf **pkts, uint16_t nb);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Send packets to the pair of the same index of the peer, as rte_comch_producer_tx_burst()
 * does, and do what else the pair needs: its engine is turned when not all were taken, or
 * after 16 bursts.
 *
 * A packet that this peer never takes, because it is too long, or for another reason of
 * rte_comch_queue_room_get() that is the packet's fault, would be in the way of those behind
 * it. It is freed, counted in rte_comch_pair_info::tx_errors, and among those that were taken.
 *
 * @param pair
 *   The pair; in its thread, and in no callback.
 * @param pkts
 *   The packets; those that were not taken stay the caller's.
 * @param nb
 *   How many.
 * @return
 *   How many were taken; 0 while there is no peer.
 */
__rte_experimental
uint16_t rte_comch_pair_tx_burst(struct rte_comch_pair *pair, struct rte_mbuf **pkts, uint16_t nb);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Stop a pair for good: the peer sends nothing more to it, and nothing more can be sent. Call
 * it until it returns 0, and fetch after each call what had come before, by
 * rte_comch_pair_rx_burst() until that finds nothing: what is left at the end goes back to the
 * pool. It takes the engines of the connection, so the peer is progressed meanwhile.
 * rte_comch_peer_close() does the same for pairs of which nobody wants the rest.
 *
 * @param pair
 *   The pair; in its thread.
 * @return
 *   - 0: it has stopped.
 *   - -EINPROGRESS: not yet.
 *   - -EINVAL: pair is NULL.
 */
__rte_experimental
int rte_comch_pair_stop(struct rte_comch_pair *pair);

/**
 * @warning
 * @b EXPERIMENTAL: this API may change without prior notice.
 *
 * Read the facts of a pair. Its producer and consumer are void after the next burst.
 *
 * @param pair
 *   The pair; in its thread.
 * @param[out] info
 *   Filled on success.
 * @return
 *   - 0 on success.
 *   - -EINVAL: a parameter is NULL.
 */
__rte_experimental
int rte_comch_pair_info_get(const struct rte_comch_pair *pair, struct rte_comch_pair_info *info);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_PAIR_H */
