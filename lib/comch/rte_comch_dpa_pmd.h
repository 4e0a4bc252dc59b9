/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef RTE_COMCH_DPA_PMD_H
#define RTE_COMCH_DPA_PMD_H

/**
 * @file
 *
 * Comch driver contract, offload part: what a driver with an offload processor implements,
 * and what it may call. Drivers get this file by rte_comch_pmd.h; applications must not
 * include it.
 *
 * Division of work. The library checks every argument, range, state and flag, counts who
 * uses what, and calls the ops of one offload processor from one thread at a time, under
 * the mutex of that processor. A driver runs the program, makes what both sides reach, and
 * notices the end of the program.
 *
 * The ends of a message queue. Its CPU end are producers or consumers of the library,
 * struct rte_comch_queue with a msgq and without a connection: queue_setup, queue_stop,
 * queue_free, queue_room and consumer_left of struct rte_comch_dev_ops make them, in the
 * thread of their engine; they are never announced. Its DPA end are struct
 * rte_comch_dpa_queue, made by queue_create below. A producer may be made before any
 * consumer, and finds consumers by their identifiers.
 *
 * The end of a program. All ops but start may find that the program has ended: then those
 * that make something return -EIO, and those that end something succeed.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>
#include <rte_comch_dpa.h>
#include <rte_comch_msgq.h>

#ifdef __cplusplus
extern "C" {
#endif

struct rte_comch_dev;

/** An offload processor. Drivers read it and write nothing but priv. */
struct rte_comch_dpa {
	void *priv;                   /**< The driver's own; NULL before start. */
	struct rte_comch_dev *dev;    /**< Device. */
	char *program;                /**< Path of the program. */
	char *runner;                 /**< Path of what runs it, or NULL. */
	uint32_t nb_eus;              /**< Execution units, from 1. */
	uint32_t flags;               /**< RTE_COMCH_DPA_F_*. */
	uint64_t mem_size;            /**< Bytes of memory of the program. */
	/** CPU of each execution unit, or -1 for any. */
	int32_t eu_cpus[RTE_COMCH_DPA_MAX_EUS];
};

/** A message queue. Drivers read it and write nothing but priv. */
struct rte_comch_msgq {
	void *priv;                   /**< The driver's own; NULL before msgq_create. */
	struct rte_comch_dpa *dpa;    /**< Offload processor. */
	enum rte_comch_msgq_dir dir;  /**< Which end is whose. */
	uint32_t id;                  /**< Unique on the processor, from 1. */
	uint32_t max_consumers;       /**< At one time; a power of two. */
	uint32_t max_producers;       /**< At one time; a power of two. */
};

/** A thread of a program: a function that runs when it is woken. */
struct rte_comch_dpa_thread {
	void *priv;                   /**< The driver's own. */
	struct rte_comch_dpa *dpa;    /**< Offload processor. */
	char func[RTE_COMCH_DPA_NAME_SIZE]; /**< Name of its function. */
	uint64_t arg;                 /**< Argument of it. */
	uint32_t eu;                  /**< Execution unit, which has no other thread. */
	uint32_t refs;                /**< Library: completion contexts. */
};

/** A completion context of the DPA end. */
struct rte_comch_dpa_completion {
	void *priv;                   /**< The driver's own. */
	uint64_t handle;              /**< Driver: what the program knows it by. */
	struct rte_comch_dpa *dpa;    /**< Offload processor. */
	struct rte_comch_dpa_thread *thread; /**< Whom it wakes, or NULL. */
	enum rte_comch_dpa_completion_type type; /**< What it is for. */
	uint32_t depth;               /**< Completions at one time; a power of two. */
	uint32_t imm_len;             /**< Bytes of the longest immediate data. */
	uint32_t max_queues;          /**< Queues at one time. */
	uint32_t refs;                /**< Library: queues. */
};

/** A producer or consumer of the DPA end. */
struct rte_comch_dpa_queue {
	void *priv;                   /**< The driver's own. */
	uint64_t handle;              /**< Driver: what the program knows it by. */
	struct rte_comch_msgq *msgq;  /**< Message queue. */
	struct rte_comch_dpa_completion *completion; /**< Or NULL, of a producer. */
	bool is_consumer;             /**< false: a producer. */
	uint32_t id;                  /**< As that of a struct rte_comch_queue. */
	uint32_t size;                /**< Receives or sends; a power of two. */
	uint32_t imm_len;             /**< Consumers: bytes. */
	uint32_t user_data;           /**< In each of its completions. */
	TAILQ_ENTRY(rte_comch_dpa_queue) next; /**< Library. */
};

/** A window: a region that the program reaches. */
struct rte_comch_dpa_window {
	void *priv;                   /**< The driver's own. */
	uint32_t handle;              /**< Driver: what the program knows it by. */
	struct rte_comch_dpa *dpa;    /**< Offload processor. */
	struct rte_comch_mem *mem;    /**< Region, with RTE_COMCH_MEM_F_DPA. */
	uint32_t flags;               /**< RTE_COMCH_DPA_WINDOW_F_*. */
};

/** @internal Fill in the limits; the rest is zero. Any thread, without the mutex. */
typedef void (*rte_comch_dpa_info_get_t)(struct rte_comch_dev *dev,
		struct rte_comch_dpa_info *info);
/**
 * @internal
 * Load the program and run it up to where it waits for threads. Bounded: within
 * RTE_COMCH_DPA_START_MS when its memory is there, or -ETIMEDOUT.
 */
typedef int (*rte_comch_dpa_start_t)(struct rte_comch_dpa *dpa);
/**
 * @internal
 * End the program, whatever it does, and free all that is left of it. Nothing of it is
 * there any more: no thread, queue, window or memory. Called once for each start.
 */
typedef void (*rte_comch_dpa_stop_t)(struct rte_comch_dpa *dpa);
/**
 * @internal
 * Fill in why the program has ended, or that it has not. Without the mutex, at any time
 * between start and stop: it must not wait.
 */
typedef void (*rte_comch_dpa_status_get_t)(struct rte_comch_dpa *dpa,
		struct rte_comch_dpa_status *status);
/** @internal Fill in what an execution unit does, and its last mistake. In the same way. */
typedef void (*rte_comch_dpa_eu_info_get_t)(struct rte_comch_dpa *dpa, uint32_t eu,
		struct rte_comch_dpa_eu_info *info);
/** @internal Make a thread; -ENOENT: the program has no such function. It does not run yet. */
typedef int (*rte_comch_dpa_thread_create_t)(struct rte_comch_dpa_thread *thread);
/** @internal Have it run once, as a notification does. */
typedef int (*rte_comch_dpa_thread_run_t)(struct rte_comch_dpa_thread *thread);
/**
 * @internal
 * End it, when its function returns. -ETIMEDOUT: it does not within RTE_COMCH_DPA_CALL_MS;
 * then it is still there, and the driver ends the program, so that the next call succeeds.
 */
typedef int (*rte_comch_dpa_thread_destroy_t)(struct rte_comch_dpa_thread *thread);
/** @internal Make a completion context: sets handle. */
typedef int (*rte_comch_dpa_completion_create_t)(struct rte_comch_dpa_completion *completion);
/** @internal Free it; no queue has it. */
typedef void (*rte_comch_dpa_completion_destroy_t)(struct rte_comch_dpa_completion *completion);
/** @internal Make what all queues of a message queue have in common. */
typedef int (*rte_comch_msgq_create_t)(struct rte_comch_msgq *msgq);
/** @internal Free it; there is no queue of it, at either end. */
typedef void (*rte_comch_msgq_destroy_t)(struct rte_comch_msgq *msgq);
/**
 * @internal
 * Messages that producers have sent and consumers not received: a number for people. Between
 * create and destroy, without the mutex, at any time: it must not wait.
 */
typedef uint64_t (*rte_comch_msgq_waiting_t)(const struct rte_comch_msgq *msgq);
/** @internal Make a producer or consumer of the DPA end: sets handle. */
typedef int (*rte_comch_dpa_queue_create_t)(struct rte_comch_dpa_queue *queue);
/** @internal Free it. The program must not use it any more; if it does, it harms itself. */
typedef void (*rte_comch_dpa_queue_destroy_t)(struct rte_comch_dpa_queue *queue);
/** @internal Let the program reach a region: sets handle. */
typedef int (*rte_comch_dpa_window_create_t)(struct rte_comch_dpa_window *window);
/**
 * @internal
 * Undo it: when this returns 0, the program does not reach the region any more by it.
 * -ETIMEDOUT: as for a thread.
 */
typedef int (*rte_comch_dpa_window_destroy_t)(struct rte_comch_dpa_window *window);
/** @internal Allocate memory of the program, zero: the address is the program's. */
typedef int (*rte_comch_dpa_mem_alloc_t)(struct rte_comch_dpa *dpa, uint64_t len,
		uint64_t *addr);
/** @internal Free it; -ENOENT: there is no such memory. */
typedef int (*rte_comch_dpa_mem_free_t)(struct rte_comch_dpa *dpa, uint64_t addr);
/** @internal Copy into it; -EFAULT: not inside of memory that was allocated. */
typedef int (*rte_comch_dpa_mem_write_t)(struct rte_comch_dpa *dpa, uint64_t addr,
		const void *src, uint64_t len);
/** @internal Copy out of it; -EFAULT as above. */
typedef int (*rte_comch_dpa_mem_read_t)(struct rte_comch_dpa *dpa, void *dst, uint64_t addr,
		uint64_t len);
/**
 * @internal
 * Call a function of the program, on no execution unit. -ENOENT, or -ETIMEDOUT: then the
 * program is taken for broken.
 */
typedef int (*rte_comch_dpa_rpc_t)(struct rte_comch_dpa *dpa, const char *func,
		const uint64_t *args, uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret);

/** Operations of an offload processor; all are required. */
struct rte_comch_dpa_ops {
	rte_comch_dpa_info_get_t info_get;                     /**< Limits. */
	rte_comch_dpa_start_t start;                           /**< Program. */
	rte_comch_dpa_stop_t stop;                             /**< Program. */
	rte_comch_dpa_status_get_t status_get;                 /**< Program. */
	rte_comch_dpa_eu_info_get_t eu_info_get;               /**< Execution units. */
	rte_comch_dpa_thread_create_t thread_create;           /**< Threads. */
	rte_comch_dpa_thread_run_t thread_run;                 /**< Threads. */
	rte_comch_dpa_thread_destroy_t thread_destroy;         /**< Threads. */
	rte_comch_dpa_completion_create_t completion_create;   /**< Completion contexts. */
	rte_comch_dpa_completion_destroy_t completion_destroy; /**< Completion contexts. */
	rte_comch_msgq_create_t msgq_create;                   /**< Message queues. */
	rte_comch_msgq_destroy_t msgq_destroy;                 /**< Message queues. */
	rte_comch_msgq_waiting_t msgq_waiting;                 /**< Message queues. */
	rte_comch_dpa_queue_create_t queue_create;             /**< DPA end. */
	rte_comch_dpa_queue_destroy_t queue_destroy;           /**< DPA end. */
	rte_comch_dpa_window_create_t window_create;           /**< Windows. */
	rte_comch_dpa_window_destroy_t window_destroy;         /**< Windows. */
	rte_comch_dpa_mem_alloc_t mem_alloc;                   /**< Memory. */
	rte_comch_dpa_mem_free_t mem_free;                     /**< Memory. */
	rte_comch_dpa_mem_write_t mem_write;                   /**< Memory. */
	rte_comch_dpa_mem_read_t mem_read;                     /**< Memory. */
	rte_comch_dpa_rpc_t rpc;                               /**< Calls. */
};

/** Milliseconds that a start of a program may take. */
#define RTE_COMCH_DPA_START_MS 10000
/** Milliseconds that the program may take for what the host asks of it. */
#define RTE_COMCH_DPA_CALL_MS 2000

/**
 * @internal
 * The program of an offload processor has ended without the library's doing, or was taken
 * for broken: the producers and consumers of its message queues stop, each in its thread.
 * status_get says why from now on. Any thread, once for each start; not from an op, and
 * not with a lock that status_get or eu_info_get takes.
 *
 * @param dpa
 *   The offload processor, started.
 */
__rte_internal
void rte_comch_pmd_dpa_down(struct rte_comch_dpa *dpa);

#ifdef __cplusplus
}
#endif

#endif /* RTE_COMCH_DPA_PMD_H */
