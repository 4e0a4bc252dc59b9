/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_PMD_H
#define RTE_COMCH_PMD_H

/**
 * @file
 *
 * Comch driver contract: what a driver implements, and what it may call.
 *
 * Applications must not include this file.
 *
 * Division of work. The library checks every argument, range, state and flag
 * before it calls an op, keeps the state machines, the task queues, the
 * statistics and the names of servers, and calls the application. A driver
 * moves connection requests, messages and the news of a peer's end.
 *
 * Threads. An op with a poll group, server, client, connection or queue runs in the
 * thread of the progress engine they are attached to, and so must each upcall about
 * them. A driver that learns something in another thread hands it over with
 * rte_comch_pmd_event_post(). Ops on devices run in any thread, and so do
 * conn_consumer_info and conn_rx_count; consumer_announce runs in the thread of the
 * connection.
 *
 * What drivers see of the library's objects are struct rte_comch_ctrl, which is a
 * server or a client, struct rte_comch_queue, which is a consumer or a producer,
 * struct rte_comch_conn and struct rte_comch_mem. The library makes and frees them;
 * all but the last are parts of larger structures.
 *
 * A *poll group* is what one progress engine needs of one device: for shared
 * memory its doorbell words, for hardware a completion queue and its event
 * queue vector. It exists while at least one context of the device is attached
 * to the engine, or the device was added to it. All polling goes through it, so that
 * the cost of progress grows with what is active and not with what exists.
 *
 * Life of a connection, on the side of the server:
 *
 *  1. The driver finds out for which server a request is, by
 *     rte_comch_pmd_server_find(), and hands it to the thread of that server.
 *  2. There it calls rte_comch_pmd_conn_accept(), which allocates the
 *     connection or gives the reason for a refusal. The application names the engine
 *     of the connection in that call: if the ctrl of the connection is not the server,
 *     its pg is that of another engine, and the driver hands the request on to that.
 *  3. In the thread of that engine, when the driver can take messages to send, which wait
 *     if the client is not ready: rte_comch_pmd_conn_up(), or rte_comch_pmd_conn_down() if
 *     it never will.
 *
 * On the side of the client: the connect op begins, rte_comch_pmd_conn_open()
 * allocates the connection and rte_comch_pmd_conn_up() announces it, or
 * rte_comch_pmd_connect_failed() gives the reason why not. A client is told of its
 * connection in the handler of an event, see rte_comch_pmd_event_post(): with that the
 * turn of its engine ends, so that nothing else of the connection is told in it.
 *
 * The end of a connection is either the conn_close op, after which the driver
 * must not mention the connection again, or rte_comch_pmd_conn_down(), after
 * which the library does not.
 *
 * Endings are told. The ops that end something (unlisten, connect_cancel,
 * conn_close, queue_stop, queue_free, mem_free, pgroup_destroy) return 0 if it has
 * ended, or -EINPROGRESS if hardware or another thread has to do something first.
 * Then the driver calls rte_comch_pmd_ended() when it has, from any thread, and until
 * then the object stays. The library waits RTE_COMCH_PMD_END_MS. An engine that finds this
 * over waits RTE_COMCH_PMD_LATE_MS more. Then the library takes the device for broken
 * (-ETIMEDOUT) if it has not failed before, and goes on as if the object had ended: the
 * ops that follow are called, but the object is never freed. A driver may tell late, until
 * the device is reset or removed. If a device has failed, its reset or removal does not
 * wait for mem_free.
 *
 * A queue whose stop was not told in time is lost: its tasks end with the status of the
 * stop, and it is polled no more. What a lost queue may use, its connection and any region
 * that the driver has allocated, is kept as well: mem_free is called when the device was
 * reset or is released.
 *
 * A device that fails is told of with rte_comch_pmd_dev_down(), from any thread,
 * and its connections, one by one and in their threads, with
 * rte_comch_pmd_conn_down(). The library then stops what is left. If it is the library
 * that takes the device for broken, it calls the fail op, and the driver does the same.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>

#include <rte_common.h>
#include <rte_compat.h>
#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_spinlock.h>

#include <rte_comch.h>
#include <rte_comch_dpa_pmd.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_comch_dev;
struct rte_comch_pgroup;
struct rte_comch_pmd_event;

/** What a connection request says about the client. */
struct rte_comch_conn_req {
	uint32_t max_msg_size;                  /**< Bytes; 0 if the client left it. */
	uint32_t peer_pid;                      /**< Process, 0 if unknown. */
	uint32_t peer_uid;                      /**< User, UINT32_MAX if unknown. */
	uint16_t version;                       /**< Agreed protocol version. */
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Function of the client. */
};

/**
 * Something that has to be done in the thread of a progress engine.
 *
 * The driver embeds it in its own object, which stays untouched and allocated
 * from the post to the call.
 */
struct rte_comch_pmd_event {
	/** Called once, inside rte_comch_pe_progress() of the engine. */
	void (*handler)(struct rte_comch_pmd_event *ev);
};

/** Milliseconds that the library waits for the end that a driver has to tell of. */
#define RTE_COMCH_PMD_END_MS 2000
/** How much longer it waits for a driver at work, see rte_comch_pmd_at_work(). */
#define RTE_COMCH_PMD_WORK_MS 60000
/**
 * Milliseconds that it waits for the answer to consumer_announce, and for the end of
 * queue_stop of a consumer.
 */
#define RTE_COMCH_PMD_ANSWER_MS 6000
/**
 * Milliseconds that the driver has once the engine that waits has found one of these over:
 * the engine may have stood still until then, and have polled no driver.
 */
#define RTE_COMCH_PMD_LATE_MS 500

/** What is about to end. @see rte_comch_pmd_ended() */
struct rte_comch_pmd_ending {
	struct rte_comch_dev *dev; /**< Library: device. */
	struct rte_comch_pe *pe;   /**< Library: who waits, under the device's lock. */
	uint64_t deadline;         /**< Library: TSC. */
	uint64_t last;             /**< Library: TSC, beyond which no work counts. */
	bool ended;                /**< Library: the driver has told; the same lock. */
	bool pending;              /**< Library: it is to be told. */
	bool late;                 /**< Library: it has RTE_COMCH_PMD_LATE_MS left. */
	bool lost;                 /**< Library: it was not told in time. */
	/** Library: what to do then, in the thread of the engine if there is one. */
	void (*done)(struct rte_comch_pmd_ending *ending);
	TAILQ_ENTRY(rte_comch_pmd_ending) next; /**< Library: of the engine or device. */
};

/** State of a connection inside the library. */
enum rte_comch_conn_state {
	RTE_COMCH_CONN_OPENING = 0, /**< Allocated, the handshake is under way. */
	RTE_COMCH_CONN_UP,          /**< Established. */
	RTE_COMCH_CONN_CLOSING,     /**< This side ended it; callbacks are due. */
	RTE_COMCH_CONN_DOWN,        /**< Over; waits to be freed. */
};

/** A server or client. Drivers read it and write nothing but priv. */
struct rte_comch_ctrl {
	void *priv;                  /**< The driver's own; NULL when it is IDLE. */
	struct rte_comch_dev *dev;   /**< Device. */
	struct rte_comch_pgroup *pg; /**< Poll group of device and engine. */
	char name[RTE_COMCH_NAME_SIZE]; /**< Of the server. */
	uint16_t rep_id;             /**< Servers: the representor. */
	uint32_t max_msg_size;       /**< As configured, bytes; 0 leaves it to the peer. */
	uint32_t recv_queue_size;    /**< Messages of that size. */
};

/** A connection. Drivers read it and write nothing but priv. */
struct rte_comch_conn {
	void *priv;                      /**< The driver's own. */
	struct rte_comch_ctrl *ctrl;     /**< Server or client; NULL after its end. */
	enum rte_comch_conn_state state; /**< Drivers call back only if UP; left under lock. */
	uint32_t id;                     /**< Unique on its context. */
	uint32_t max_msg_size;           /**< Agreed, bytes. */
	bool rx_held;                    /**< Messages are to stay, see conn_rx_resume. */
	bool rx_copied;                  /**< The library copies them before it looks. */
	struct rte_comch_conn_req peer;  /**< Who is at the other end. */
	/**
	 * Driver, in the thread of the connection, before its end is told or in conn_close:
	 * messages that have arrived and will not be handed up; what the peer says of them is
	 * good enough.
	 */
	uint64_t rx_dropped;
	/**
	 * Driver, of a connection that this side ends, in conn_close or until its end is told:
	 * delivered_seq is known. All messages up to that, as conn_send gave it, were delivered:
	 * their tasks will end with 0, and the others with -ECANCELED.
	 */
	bool delivered;
	uint32_t delivered_seq;          /**< @see delivered */
};

/** A consumer or producer. Drivers read it and write nothing but priv and stats. */
struct rte_comch_queue {
	void *priv;                  /**< The driver's own; NULL when it is IDLE. */
	struct rte_comch_dev *dev;   /**< Device. */
	struct rte_comch_pgroup *pg; /**< Poll group of device and engine. */
	struct rte_comch_conn *conn; /**< What it lives on; NULL on a message queue. */
	struct rte_comch_msgq *msgq; /**< The same; NULL on a connection. */
	bool is_consumer;            /**< false: a producer. */
	/**
	 * From 1, growing. Modulo the power of two that holds the max_consumers or
	 * max_producers of the device, or of its message queue, it differs from those of all
	 * others of its kind that its connection or message queue has now: a table of that
	 * size needs no search.
	 */
	uint32_t id;
	uint32_t size;               /**< Posts or sends; a power of two. */
	uint32_t imm_len;            /**< Consumers: bytes. */
	uint32_t tag;                /**< Consumers: what the peer is told. */
	uint32_t meta;               /**< Consumers: RTE_COMCH_META_* flags, the same. */
	struct rte_comch_mem *mem;   /**< Consumers: region, or NULL. */
	uint32_t nb_tasks;           /**< Tasks; 0: it is used by bursts. */
	struct rte_comch_queue_stats stats; /**< By the driver, in the queue's thread. */
	/**
	 * Consumers: bytes of each buffer, as the peer is told; posts that are shorter are
	 * refused with -EMSGSIZE. 0 without a region, or if each post has its own size,
	 * which only drivers with RTE_COMCH_CAPA_POST_SIZES see.
	 */
	uint64_t buf_size;
};

struct comch_mem_dma;

/** A part of a region whose memory is in several places. */
struct rte_comch_mem_chunk {
	void *addr;                     /**< Where it begins. */
	uint64_t len;                   /**< Bytes. */
};

/**
 * A memory region. Drivers read it; mem_alloc and mem_register write priv and how, and
 * mem_alloc addr and page_size. A region of several chunks has them all in
 * chunks, by address and none beside another; addr and len are the first.
 */
struct rte_comch_mem {
	void *priv;                     /**< The driver's own. */
	struct rte_comch_dev *dev;      /**< Device. */
	void *addr;                     /**< Where it begins. */
	uint64_t len;                   /**< Bytes. */
	uint64_t page_size;             /**< Bytes; 0 if it is the application's. */
	uint32_t flags;                 /**< RTE_COMCH_MEM_F_* flags. */
	uint32_t users;                 /**< Library: consumers; atomic. */
	struct rte_mempool *pool;       /**< Library: its pool, or NULL. */
	struct rte_comch_pmd_ending ending; /**< Library: of mem_free. */
	TAILQ_ENTRY(rte_comch_mem) next; /**< Library: regions of the device. */
	uint32_t nb_chunks;             /**< Chunks; 0 for one, which is addr and len. */
	struct rte_comch_mem_chunk *chunks; /**< Chunks, or NULL. */
	struct comch_mem_dma *dma;      /**< Library: what devices know of it, or NULL. */
	/** With PEER_WRITE DIRECT, unless mem_alloc or mem_register make it BOUNCE. */
	enum rte_comch_mem_how how;
	/** Bursts read what is above, and must not wait for those who count below. */
	uint8_t reserved[128];
	uint32_t nb_tasks;              /**< Library: send tasks under way; atomic. */
};

/**
 * @internal
 * Find the chunk that bytes lie in.
 *
 * @param mem
 *   The region.
 * @param addr
 *   Where the bytes begin.
 * @param len
 *   How many.
 * @return
 *   The chunk; NULL if they are not in one chunk, or the region has only one.
 */
static inline const struct rte_comch_mem_chunk *
rte_comch_pmd_mem_chunk(const struct rte_comch_mem *mem, const void *addr, uint64_t len)
{
	uint32_t low = 0, high = mem->nb_chunks, i;
	const struct rte_comch_mem_chunk *chunk;
	uint64_t off;

	while (low < high) {
		i = low + (high - low) / 2;
		chunk = &mem->chunks[i];
		off = (uintptr_t)addr - (uintptr_t)chunk->addr;
		if ((uintptr_t)addr < (uintptr_t)chunk->addr)
			high = i;
		else if (off >= chunk->len)
			low = i + 1;
		else
			return len <= chunk->len - off ? chunk : NULL;
	}
	return NULL;
}

/** What one progress engine needs of one device; the driver embeds it. */
struct rte_comch_pgroup {
	struct rte_comch_dev *dev; /**< Driver: the device. */
	struct rte_comch_pe *pe;   /**< Driver: the engine. */
	/** Library: contexts, connections of servers elsewhere, added; the device's lock. */
	uint32_t refs;
	bool added;                /**< Library: by rte_comch_pe_dev_add(). */
	/**
	 * Driver: TSC value at which pgroup_poll has to be called even if nothing
	 * arrives; UINT64_MAX for never. Bounds the sleep of event mode.
	 */
	uint64_t deadline;
	uint32_t down;                        /**< Library: dev_down is to be handled. */
	struct rte_comch_pmd_ending *end;     /**< Library: of pgroup_destroy. */
	TAILQ_ENTRY(rte_comch_pgroup) next;   /**< Library: poll groups of the device. */
};

/**
 * @internal
 * Fill the driver's fields of info; the rest is zero. The library rounds the limits
 * of the queues down to powers of two, and rounds the size of each queue up to one.
 */
typedef int (*rte_comch_info_get_t)(struct rte_comch_dev *dev, struct rte_comch_dev_info *info);
/**
 * @internal
 * List representors: fill up to nb, return how many there are, or a negative errno.
 * Their identifiers are unique, in any order, and may have gaps. Any thread.
 */
typedef int (*rte_comch_rep_list_t)(struct rte_comch_dev *dev,
		struct rte_comch_rep_info *reps, uint16_t nb);
/** @internal Limits of struct rte_comch_pmd_user. */
#define RTE_COMCH_PMD_USER_LIMITS 8

/** @internal What the processes of one user have of one function, for telemetry. */
struct rte_comch_pmd_user {
	char function[RTE_COMCH_FUNCTION_SIZE]; /**< Name of the function. */
	uint32_t uid;                      /**< Effective user. */
	uint32_t nb_limits;                /**< Entries of limits. */
	/** Each thing that is limited. */
	struct {
		const char *name; /**< Of the thing, static. */
		uint64_t used;    /**< What is taken. */
		uint64_t max;     /**< What may be. */
		uint64_t refused; /**< How often more was wanted. */
	} limits[RTE_COMCH_PMD_USER_LIMITS];
};

/** @internal What the connections and queues of a device have carried, for telemetry. */
struct rte_comch_totals {
	struct rte_comch_conn_stats conns;      /**< Of its connections. */
	struct rte_comch_queue_stats producers; /**< Of its producers. */
	struct rte_comch_queue_stats consumers; /**< Of its consumers. */
};

/** @internal The user of that number: 0, or -ENOENT behind the last one. Any thread. */
typedef int (*rte_comch_user_get_t)(struct rte_comch_dev *dev, uint32_t nr,
		struct rte_comch_pmd_user *user);
/** @internal Print what the library does not know. */
typedef void (*rte_comch_dump_t)(struct rte_comch_dev *dev, FILE *f);
/**
 * @internal
 * Start the device anew, after an error or without one, while no context of it
 * is started and no region exists. 0, or a negative errno: then it stays down. The
 * driver tells of no end that it owed before.
 */
typedef int (*rte_comch_reset_t)(struct rte_comch_dev *dev);
/**
 * @internal
 * The library takes the device for broken, because an end was not told in time: no
 * context starts on it any more. End its connections, each in its thread and by
 * rte_comch_pmd_conn_down() with this reason, as for a failure that the driver finds;
 * clients that are STARTING are the library's. Any thread, no lock is held.
 */
typedef void (*rte_comch_fail_t)(struct rte_comch_dev *dev, int reason);
/**
 * @internal
 * Create the poll group of an engine; add its descriptors to it. The driver sets dev
 * and pe itself, before another thread can find the group.
 */
typedef int (*rte_comch_pgroup_create_t)(struct rte_comch_dev *dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg);
/**
 * @internal
 * No context is left in it: free it. Events under way may outlive it. If the end is
 * told later, the driver frees what the group is part of after that, and not before.
 */
typedef int (*rte_comch_pgroup_destroy_t)(struct rte_comch_pgroup *pg,
		struct rte_comch_pmd_ending *ending);
/** @internal Handle a bounded amount of what has arrived; now is the TSC. */
typedef int (*rte_comch_pgroup_poll_t)(struct rte_comch_pgroup *pg, uint64_t now);
/** @internal Make the descriptors wake; true if something has arrived already. */
typedef bool (*rte_comch_pgroup_arm_t)(struct rte_comch_pgroup *pg);
/** @internal Undo pgroup_arm. */
typedef void (*rte_comch_pgroup_disarm_t)(struct rte_comch_pgroup *pg);
/** @internal Begin to accept clients for a server; its name is unique. */
typedef int (*rte_comch_listen_t)(struct rte_comch_ctrl *server);
/**
 * @internal
 * No further requests for this server. Called after a listen that failed, too.
 */
typedef int (*rte_comch_unlisten_t)(struct rte_comch_ctrl *server,
		struct rte_comch_pmd_ending *ending);
/** @internal Begin to connect a client, and go on until told or cancelled. */
typedef int (*rte_comch_connect_t)(struct rte_comch_ctrl *client);
/**
 * @internal
 * Forget an attempt to connect: no upcall about it from now on. If its connection is
 * OPENING already, conn_close for that follows. The reason is -ECANCELED if it was stopped,
 * -ETIMEDOUT if its time is over, or the status of the device: the driver may log what it
 * knows of a peer that was not found.
 */
typedef int (*rte_comch_connect_cancel_t)(struct rte_comch_ctrl *client, int reason,
		struct rte_comch_pmd_ending *ending);
/**
 * @internal
 * Send one message. Returns 0, or -EAGAIN if there is no room, or -ENOTCONN.
 * The data is free again when the call returns. With more set, another call for
 * this connection follows at once, and the peer need not see the message before
 * that one, or before it fails with -EAGAIN. What is sent inside pgroup_poll may
 * wait for the end of it. seq is a number that grows by any amount with every
 * message, and wraps.
 */
typedef int (*rte_comch_conn_send_t)(struct rte_comch_conn *conn, const void *data,
		uint32_t len, bool more, uint32_t *seq);
/**
 * @internal
 * End a connection and tell the peer the reason, a negative errno or 0. No upcall
 * about it from now on; but delivered_seq of the connection is kept, of how far the
 * peer has taken what was sent. If that is not all, the driver waits for the peer to take
 * the rest, a second for each message and ten seconds in all at most, before it tells of
 * the end: what it has not told by then is not delivered later.
 */
typedef int (*rte_comch_conn_close_t)(struct rte_comch_conn *conn, int reason,
		struct rte_comch_pmd_ending *ending);
/**
 * @internal
 * Fill in what the announcement of a consumer of the peer said: 0, -ENOENT if there is
 * no such consumer, or -ENOTCONN. Any thread: the connection may end meanwhile, and only
 * its priv and id are there for sure.
 */
typedef int (*rte_comch_conn_consumer_info_t)(struct rte_comch_dev *dev,
		const struct rte_comch_conn *conn, uint32_t consumer_id,
		struct rte_comch_remote_consumer_info *info);
/** @internal Count what has arrived and was not handed up; any thread. */
typedef uint32_t (*rte_comch_conn_rx_count_t)(const struct rte_comch_conn *conn);
/**
 * @internal
 * Messages may be handed up again: conn->rx_held is false from now on. While it was
 * true, the driver kept them where they were, and the peer had no more room than the
 * receive queue. In the thread of the connection, maybe inside an upcall: those that
 * wait are handed up in the next pgroup_poll, not in here. While it is true, nothing
 * that the peer sends may keep pgroup_arm from sleeping.
 */
typedef void (*rte_comch_conn_rx_resume_t)(struct rte_comch_conn *conn);

/**
 * @internal
 * Allocate a region of mem->len bytes for mem->flags: sets addr and page_size. With
 * RTE_COMCH_MEM_F_PEER_WRITE it may be BOUNCE, as for mem_register, where the driver
 * lacks what it takes to export it. Any thread.
 */
typedef int (*rte_comch_mem_alloc_t)(struct rte_comch_mem *mem);
/**
 * @internal
 * Make the application's memory known to the driver: a pool may have several chunks.
 * Only drivers that announce RTE_COMCH_CAPA_MEM_DIRECT or RTE_COMCH_CAPA_MEM_BOUNCE get
 * any with RTE_COMCH_MEM_F_PEER_WRITE. If messages cannot come into the memory itself
 * without giving a peer more than the region, the driver sets how to BOUNCE; -ENOTSUP
 * if the flags have RTE_COMCH_MEM_F_NO_BOUNCE. What a bounce buffer takes (memory, descriptors)
 * is taken by queue_setup of the first consumer, and given back by queue_free of the
 * last one. Its consumers have poll and rx_mbuf functions of their own, which copy a
 * message before they tell of it: the length is one that was checked against the
 * post, and what the peer writes meanwhile can spoil this message, and nothing else.
 * Any thread.
 */
typedef int (*rte_comch_mem_register_t)(struct rte_comch_mem *mem);
/**
 * @internal
 * Undo either of the two: no queue uses it any more. When this returns, nobody reads or
 * writes the memory, also if the end is told later. Any thread.
 */
typedef int (*rte_comch_mem_free_t)(struct rte_comch_mem *mem,
		struct rte_comch_pmd_ending *ending);
/**
 * @internal
 * Make the queue of a producer or consumer, in the context's thread, and fill in
 * its functions. Its statistics are 0. A producer can send when this returns. Nothing of a consumer
 * may be seen by the peer yet, and its functions may be changed until the driver answers
 * that the peer has seen it.
 */
typedef int (*rte_comch_queue_setup_t)(struct rte_comch_queue *queue,
		struct rte_comch_fp_object *fp);
/**
 * @internal
 * Stop it, in the context's thread. A producer takes no more sends: those that were
 * delivered complete with 0 and those that will not be with this status, and all of
 * them can be polled when the end is told. A consumer is withdrawn, if it was announced
 * and the connection is there, whether that was answered or not: when the end is told, no
 * producer of an honest peer writes to its buffers. That takes no progress of the
 * connection's engine. A peer that has to answer and does not in time has lost its
 * connection. From the end on poll returns the posts that are left, after what has arrived,
 * with this status, or with -ECONNRESET if the peer is lost by then, and posts of mbufs go
 * back to their pool. Called once for each setup. The library polls what it has to give to
 * callbacks of tasks; of a producer that is used by bursts it polls nothing more.
 */
typedef int (*rte_comch_queue_stop_t)(struct rte_comch_queue *queue, int status,
		struct rte_comch_pmd_ending *ending);
/**
 * @internal
 * Count the posts of a stopped consumer that poll or the pool still have to get back;
 * may give those of mbufs back itself. Called again and again until it returns 0.
 */
typedef uint32_t (*rte_comch_consumer_left_t)(struct rte_comch_queue *queue);
/**
 * @internal
 * Free a queue, in its thread: one that was stopped and has nothing left, or one that
 * was just made.
 */
typedef int (*rte_comch_queue_free_t)(struct rte_comch_queue *queue,
		struct rte_comch_pmd_ending *ending);
/**
 * @internal
 * Tell the peer of a consumer, in the connection's thread; queue_stop withdraws it.
 * Answered by rte_comch_pmd_consumer_answer(), never in here, unless the
 * connection ends before or this returns an error.
 *
 * The driver answers within RTE_COMCH_PMD_ANSWER_MS, or ends the connection, whatever
 * the peer does. Else the device is taken for broken, and the consumer, whose reason is
 * -ETIMEDOUT, is stopped and freed: answers that come after that are ignored.
 *
 * The consumer may be stopped and freed before the answer, which the driver owes all the
 * same: until then no other one with this identifier is announced, nor one with its slot,
 * which is the identifier modulo the next power of two from max_consumers on.
 */
typedef int (*rte_comch_consumer_announce_t)(struct rte_comch_queue *queue);
/** @internal Fill in room and reason; -ENOENT if there is no such consumer. */
typedef int (*rte_comch_queue_room_t)(struct rte_comch_queue *queue, uint32_t consumer_id,
		struct rte_comch_room *room);

/**
 * @internal
 * How many messages a producer can be sure to send to a consumer now, in its thread: the
 * library holds so many of those that are submitted in callbacks, for one burst.
 *
 * @param queue
 *   A producer with tasks.
 * @param consumer_id
 *   The consumer.
 * @param len
 *   Bytes of data, at most, of each message. The driver has taken one like it before.
 * @param max
 *   More are not asked for.
 * @return
 *   Messages that are taken as long as connection and consumer do not end; 0 if it is not
 *   known.
 */
typedef uint32_t (*rte_comch_queue_takes_t)(struct rte_comch_queue *queue, uint32_t consumer_id,
		uint64_t len, uint32_t max);

/**
 * @internal
 * Nothing was polled from a queue with tasks for a while, in its thread.
 *
 * @return
 *   0: the library polls it no more, and the driver calls rte_comch_pmd_queue_ring()
 *   when there is something to poll. pgroup_arm looks after it, too.
 *   -EAGAIN: not yet; it is polled, and asked again in the next turn.
 *   -ENOTSUP: the driver does not tell of this queue; it is polled now and then.
 */
typedef int (*rte_comch_queue_idle_t)(struct rte_comch_queue *queue);

/**
 * Operations of a driver. All are required but dump, reset, conn_rx_count,
 * mem_register, queue_idle and queue_takes, and dpa without RTE_COMCH_CAPA_DPA; fail and those from
 * listen to conn_rx_resume only with RTE_COMCH_CAPA_SERVER or RTE_COMCH_CAPA_CLIENT; and
 * those from mem_alloc on only with RTE_COMCH_CAPA_CONSUMER or RTE_COMCH_CAPA_PRODUCER.
 */
struct rte_comch_dev_ops {
	rte_comch_info_get_t info_get;             /**< Limits. */
	rte_comch_rep_list_t rep_list;             /**< Representors. */
	rte_comch_user_get_t user_get;             /**< Optional. */
	rte_comch_dump_t dump;                     /**< Optional. */
	rte_comch_reset_t reset;                   /**< Optional. */
	rte_comch_fail_t fail;                     /**< Connections. */
	rte_comch_pgroup_create_t pgroup_create;   /**< Polling. */
	rte_comch_pgroup_destroy_t pgroup_destroy; /**< Polling. */
	rte_comch_pgroup_poll_t pgroup_poll;       /**< Polling. */
	rte_comch_pgroup_arm_t pgroup_arm;         /**< Event mode. */
	rte_comch_pgroup_disarm_t pgroup_disarm;   /**< Event mode. */
	rte_comch_listen_t listen;                 /**< Servers. */
	rte_comch_unlisten_t unlisten;             /**< Servers. */
	rte_comch_connect_t connect;               /**< Clients. */
	rte_comch_connect_cancel_t connect_cancel; /**< Clients. */
	rte_comch_conn_send_t conn_send;           /**< Connections. */
	rte_comch_conn_close_t conn_close;         /**< Connections. */
	rte_comch_conn_rx_count_t conn_rx_count;   /**< Optional. */
	rte_comch_conn_rx_resume_t conn_rx_resume; /**< Connections. */
	rte_comch_mem_alloc_t mem_alloc;           /**< Regions. */
	rte_comch_mem_register_t mem_register;     /**< Optional. */
	rte_comch_mem_free_t mem_free;             /**< Regions. */
	rte_comch_queue_setup_t queue_setup;       /**< Queues. */
	rte_comch_queue_stop_t queue_stop;         /**< Queues. */
	rte_comch_queue_free_t queue_free;         /**< Queues. */
	rte_comch_consumer_announce_t consumer_announce; /**< Consumers. */
	rte_comch_consumer_left_t consumer_left;   /**< Consumers. */
	rte_comch_queue_room_t queue_room;         /**< Queues. */
	rte_comch_queue_idle_t queue_idle;         /**< Optional. */
	rte_comch_queue_takes_t queue_takes;       /**< Optional. */
	rte_comch_conn_consumer_info_t conn_consumer_info; /**< Connections. */
	const struct rte_comch_dpa_ops *dpa;       /**< With RTE_COMCH_CAPA_DPA. */
};

/** The part of a device without pointers to functions. */
struct rte_comch_dev_data {
	char name[RTE_DEV_NAME_MAX_LEN];  /**< Name. */
	int16_t dev_id;                   /**< Identifier. */
	int numa_node;                    /**< NUMA node, -1 if unknown. */
	enum rte_comch_role role;         /**< Set by the driver before ready. */
	/**
	 * Counters. Any thread adds to them with relaxed atomics, see
	 * rte_comch_pmd_count().
	 */
	struct rte_comch_dev_stats stats;
};

/** Where a device is in its life. */
enum rte_comch_dev_state {
	RTE_COMCH_DEV_UNUSED = 0, /**< Free slot. */
	RTE_COMCH_DEV_REGISTERED, /**< Allocated, its driver sets it up. */
	RTE_COMCH_DEV_READY,      /**< Visible to applications. */
};

/** A device, in this process. */
struct rte_comch_dev {
	struct rte_comch_dev_data *data;     /**< Identity and counters. */
	const struct rte_comch_dev_ops *ops; /**< Set by the driver before ready. */
	struct rte_device *device;           /**< Set by the driver before ready. */
	const char *driver_name;             /**< Set by the driver before ready. */
	void *priv;                          /**< The driver's own. */
	uint32_t conn_priv_size;             /**< Bytes of priv in a connection. */
	enum rte_comch_dev_state state;      /**< Library. */
	struct rte_comch_dev_info info;      /**< Library: written once, before ready. */
	rte_spinlock_t lock;                 /**< Library: the list of contexts. */
	TAILQ_HEAD(, rte_comch_ctx) ctxs;    /**< Library: all contexts. */
	TAILQ_HEAD(, rte_comch_mem) mems;    /**< Library: all regions. */
	TAILQ_HEAD(, rte_comch_mem) freeing; /**< Library: regions about to end. */
	TAILQ_HEAD(, rte_comch_mem) retained;    /**< Library: regions freed, in use or not. */
	TAILQ_HEAD(, rte_comch_pgroup) pgs;  /**< Library: all poll groups. */
	uint32_t nb_ending_pgs;              /**< Library: poll groups about to end. */
	int status;                          /**< Library: 0 or why it is down; atomic. */
	uint32_t nb_conn_refs;               /**< Library: of applications; atomic. */
	uint32_t nb_lost_queues;             /**< Library: since the last reset; atomic. */
	/** Set by the driver before ready: why it has no offload processor; or NULL. */
	const char *no_dpa;
	TAILQ_HEAD(, comch_dpa) dpas;        /**< Library: offload processors. */
	struct rte_comch_totals past;        /**< Library: of what is gone; under the lock. */
	uint64_t at_work;                    /**< Driver: TSC of what it did last; atomic. */
};

/**
 * @internal
 * Add to a counter of a device, from any thread.
 *
 * @param counter
 *   A field of struct rte_comch_dev_data::stats.
 */
static inline void
rte_comch_pmd_count(uint64_t *counter)
{
	/* relaxed: a number for people, it orders nothing */
	__atomic_fetch_add(counter, 1, __ATOMIC_RELAXED);
}

/**
 * @internal
 * The end of a time limit that begins now, from any thread.
 *
 * @param ms
 *   The limit in milliseconds.
 * @return
 *   The TSC at its end.
 */
static inline uint64_t
rte_comch_pmd_deadline(uint32_t ms)
{
	return rte_get_tsc_cycles() + rte_get_tsc_hz() / MS_PER_S * ms;
}

/**
 * @internal
 * The driver has done a part of its work for things of this device that are to end, from
 * any thread: the library waits RTE_COMCH_PMD_END_MS from now on for each of them, up to
 * RTE_COMCH_PMD_WORK_MS longer than without. For drivers that end many things one after
 * another.
 *
 * @param dev
 *   The device.
 */
static inline void
rte_comch_pmd_at_work(struct rte_comch_dev *dev)
{
	/* relaxed: a time, it orders nothing */
	__atomic_store_n(&dev->at_work, rte_get_tsc_cycles(), __ATOMIC_RELAXED);
}

/**
 * @internal
 * Allocate a device. It becomes visible with rte_comch_pmd_ready().
 *
 * @param name
 *   Unique name; copied.
 * @param numa_node
 *   NUMA node, -1 if unknown.
 * @return
 *   The device, or NULL with rte_errno: EINVAL, EEXIST, ENOSPC, ENOMEM.
 */
__rte_internal
struct rte_comch_dev *rte_comch_pmd_allocate(const char *name, int numa_node);

/**
 * @internal
 * Make a device visible to applications: ops, role and priv are set.
 *
 * @param dev
 *   The device.
 * @return
 *   0, or the negative errno of info_get.
 */
__rte_internal
int rte_comch_pmd_ready(struct rte_comch_dev *dev);

/**
 * @internal
 * Find a device of any state by its exact name.
 *
 * @param name
 *   The name.
 * @return
 *   The device or NULL.
 */
__rte_internal
struct rte_comch_dev *rte_comch_pmd_get_by_name(const char *name);

/**
 * @internal
 * Take a device away from applications, before the driver frees its parts.
 *
 * @param dev
 *   The device.
 * @return
 *   0, or -EBUSY while it has contexts or regions, is added to an engine, an application
 *   has references to connections of it, or a region or poll group waits for its end to
 *   be told: nothing was changed.
 */
__rte_internal
int rte_comch_pmd_hide(struct rte_comch_dev *dev);

/**
 * @internal
 * The device has failed: no context starts on it any more, and those that are
 * started stop, each in the thread of its engine, with this reason. Servers go to
 * STOPPING and to IDLE when their connections have ended, attempts to connect
 * fail. The connections are the driver's to end. Any thread; again only after a
 * successful reset.
 *
 * @param dev
 *   The device.
 * @param reason
 *   A negative errno: -ENODEV it is gone, -EIO it is broken, -ETIMEDOUT it does
 *   not answer. In the reset op, -EAGAIN: what was told until now is of before
 *   the reset, and void.
 */
__rte_internal
void rte_comch_pmd_dev_down(struct rte_comch_dev *dev, int reason);

/**
 * @internal
 * Free the slot of a device that is hidden or never was ready. Nothing of it is under
 * way any more. The mem_free op is called in here for regions that were kept: priv is
 * valid, and it must return 0.
 *
 * @param dev
 *   The device.
 */
__rte_internal
void rte_comch_pmd_release(struct rte_comch_dev *dev);

/**
 * @internal
 * Have a function called in the thread of an engine, and wake it. Any thread.
 *
 * @param pe
 *   The engine; the caller knows that it is alive.
 * @param ev
 *   The event.
 * @return
 *   0, or -ENOSPC: the engine has too many events waiting.
 */
__rte_internal
int rte_comch_pmd_event_post(struct rte_comch_pe *pe, struct rte_comch_pmd_event *ev);

/**
 * @internal
 * What an op left with -EINPROGRESS has ended. Once for each of them, from any
 * thread, which must not hold a lock that an op takes.
 *
 * @param ending
 *   As the op got it; the driver must not touch it, nor what ended, after that.
 */
__rte_internal
void rte_comch_pmd_ended(struct rte_comch_pmd_ending *ending);

/**
 * @internal
 * Have an engine wake when a descriptor is readable.
 *
 * @param pe
 *   The engine.
 * @param fd
 *   The descriptor; the driver reads from it in pgroup_disarm or pgroup_poll.
 * @return
 *   0 or a negative errno.
 */
__rte_internal
int rte_comch_pmd_fd_add(struct rte_comch_pe *pe, int fd);

/**
 * @internal
 * Undo rte_comch_pmd_fd_add(), before the descriptor is closed.
 *
 * @param pe
 *   The engine.
 * @param fd
 *   The descriptor.
 */
__rte_internal
void rte_comch_pmd_fd_del(struct rte_comch_pe *pe, int fd);

/**
 * @internal
 * Find the server of a name that takes requests. Any thread; but the result is
 * only sure to live in the thread of its engine, or while the driver keeps the
 * unlisten op from returning.
 *
 * @param dev
 *   The device.
 * @param rep_id
 *   The representor.
 * @param name
 *   The name.
 * @return
 *   The server or NULL.
 */
__rte_internal
struct rte_comch_ctrl *rte_comch_pmd_server_find(struct rte_comch_dev *dev, uint16_t rep_id,
		const char *name);

/**
 * @internal
 * Accept a request: agree on the message size and allocate the connection, for the engine
 * that the application names. Its ctrl is the server or, on another engine, what stands for
 * the server there: the thread of that engine reads this one, and not the server. The
 * driver hands it over as the last thing that it does here. From this call until then
 * there is no other about it.
 *
 * @param server
 *   The server, RUNNING.
 * @param req
 *   What the client says; copied.
 * @param[out] conn
 *   The connection, OPENING.
 * @return
 *   0, or why not: -ECONNREFUSED, -ENOSPC (clients, or tasks of the engine),
 *   -EMSGSIZE, -ENOMEM, -ENOLINK (the device is not on the engine).
 */
__rte_internal
int rte_comch_pmd_conn_accept(struct rte_comch_ctrl *server,
		const struct rte_comch_conn_req *req, struct rte_comch_conn **conn);

/**
 * @internal
 * Allocate the connection of a client.
 *
 * @param client
 *   The client, STARTING.
 * @param req
 *   What is known of the server; max_msg_size is the agreed one. Copied.
 * @param[out] conn
 *   The connection, OPENING.
 * @return
 *   0, or -ENOMEM, or -EPROTO if the agreed size is none, or -EMSGSIZE if the client
 *   cannot receive messages of that size.
 */
__rte_internal
int rte_comch_pmd_conn_open(struct rte_comch_ctrl *client,
		const struct rte_comch_conn_req *req, struct rte_comch_conn **conn);

/**
 * @internal
 * Messages can flow: tell the application. It may send in the callback, and may end
 * the connection. For the connection of a
 * client only in the handler of an event, which hands up nothing else of it: the library
 * ends the turn of the engine after that handler.
 *
 * @param conn
 *   The connection, OPENING.
 */
__rte_internal
void rte_comch_pmd_conn_up(struct rte_comch_conn *conn);

/**
 * @internal
 * The driver has refused a client before it asked rte_comch_pmd_conn_accept(), which
 * tells of its own refusals: count it, and tell the application of the server, in a
 * bounded number for each turn.
 *
 * @param server
 *   The server that the client named; in its thread.
 * @param req
 *   What is known of the client; copied.
 * @param reason
 *   A negative errno, as the client is told.
 */
__rte_internal
void rte_comch_pmd_conn_refused(struct rte_comch_ctrl *server,
		const struct rte_comch_conn_req *req, int reason);

/**
 * @internal
 * The connection ended without the library's doing. No further upcalls. What was
 * delivered was told before, by rte_comch_pmd_send_done(): tasks that have not
 * ended by then were not delivered. Of one that was OPENING, the application of a client
 * never learns; that of a server learns that an attempt has failed.
 *
 * @param conn
 *   The connection, UP or OPENING.
 * @param reason
 *   UP: 0 if the peer closed it in order, else a negative errno: -ESHUTDOWN,
 *   -ECONNRESET, -ETIMEDOUT, -EPROTO. OPENING: why, a negative errno: -ECONNABORTED the
 *   client gave up, -ECONNRESET it died, -ETIMEDOUT it did not go on, -EPROTO it broke the
 *   protocol, or an error of this side.
 */
__rte_internal
void rte_comch_pmd_conn_down(struct rte_comch_conn *conn, int reason);

/**
 * @internal
 * The attempt to connect is over.
 *
 * @param client
 *   The client, STARTING.
 * @param reason
 *   The negative errno for rte_comch_ctx_reason_get().
 */
__rte_internal
void rte_comch_pmd_connect_failed(struct rte_comch_ctrl *client, int reason);

/**
 * @internal
 * A message has arrived. The driver looks at conn->state and conn->rx_held before it
 * goes on, because the application may have ended the connection, or held back
 * reception.
 *
 * @param conn
 *   The connection, UP.
 * @param data
 *   A private copy of it, aligned to 8 bytes. If conn->rx_copied is true, it may be
 *   memory that the peer writes to, as long as this call takes.
 * @param len
 *   Its length, 1 or more, checked against max_msg_size by the driver.
 * @return
 *   - 0: it was taken.
 *   - -EAGAIN: it was not, and conn->rx_held is true: the driver keeps it, and hands it
 *     up again after conn_rx_resume, before those that came later.
 */
__rte_internal
int rte_comch_pmd_msg_recv(struct rte_comch_conn *conn, const void *data, uint32_t len);

/**
 * @internal
 * A consumer of the peer has arrived or departed. The driver has checked that
 * there was none of its identifier before, or was.
 *
 * @param conn
 *   The connection, UP; in its thread. The application may end it in here.
 * @param consumer_id
 *   From 1.
 * @param here
 *   true: producers can send to it from now on. false: they cannot any more.
 */
__rte_internal
void rte_comch_pmd_remote_consumer(struct rte_comch_conn *conn, uint32_t consumer_id,
		bool here);

/**
 * @internal
 * The answer to consumer_announce, in the thread of the connection. One that nobody waits
 * for is dropped.
 *
 * @param conn
 *   The connection.
 * @param consumer_id
 *   The consumer; it may be gone.
 * @param status
 *   0, or the negative errno that the application finds in
 *   rte_comch_ctx_reason_get().
 */
__rte_internal
void rte_comch_pmd_consumer_answer(struct rte_comch_conn *conn, uint32_t consumer_id,
		int status);

/**
 * @internal
 * A queue that is idle has something to poll, or may have: the engine polls it
 * again, in this turn if it is called in pgroup_poll. Harmless for any other queue.
 *
 * @param queue
 *   A consumer or producer with tasks, for which queue_idle has returned 0; in its
 *   thread.
 */
__rte_internal
void rte_comch_pmd_queue_ring(struct rte_comch_queue *queue);

/**
 * @internal
 * All messages up to a sequence number were delivered.
 *
 * @param conn
 *   The connection, UP.
 * @param seq
 *   As conn_send gave it for the last one.
 * @return
 *   The number of tasks that ended.
 */
__rte_internal
int rte_comch_pmd_send_done(struct rte_comch_conn *conn, uint32_t seq);

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_PMD_H */
