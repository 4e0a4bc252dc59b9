/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_PRIVATE_H
#define COMCH_PRIVATE_H

/*
 * What the files of the library share: the structures behind the handles, the log
 * macro, and the functions that cross files. Nothing here is installed, and
 * nothing here knows a driver.
 *
 * A handle of a context is a struct rte_comch_ctx. Two structures begin with one:
 * struct comch_ctrl, which is a server or a client, and struct comch_queue, which is a
 * consumer or a producer; the context of a connection that a server has accepted onto
 * another engine, which no application has a handle of, begins with the first of the two.
 * What a context does in a situation that all of them know is in its struct comch_kind.
 * Where only queues differ, code asks for is_queue: names for messages, tasks, the queues of
 * an engine. A function that only one kind has takes the larger structure, and checks handles
 * of the application with comch_queue_of() and the like.
 */

#include <rte_branch_prediction.h>
#include <rte_log.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>
#include <rte_ring.h>

#include "rte_comch_pmd.h"

extern int comch_logtype;

/* RTE_LOG_LINE does not exist in DPDK 22.11 */
#define COMCH_LOG(level, fmt, ...) \
	rte_log(RTE_LOG_##level, comch_logtype, "COMCH: " fmt "\n", ##__VA_ARGS__)

/* Devices of which one engine can have contexts. */
#define COMCH_PE_MAX_PGROUPS 8
/*
 * Events that can wait for one engine. A driver has at most 1055 under way for
 * each device, and each consumer attached has two, its answer and the news of
 * the connection's end, and each producer one: all of these fit,
 * 8 * 1055 + 3500 * 2 + 512 < 16383. The 512 are for requests of consumers on other
 * engines, and for the stops and ends of connections on those: they are refused or wait if
 * there are more of them. What peers bring about does not count, or it would hold up others.
 */
#define COMCH_PE_MAILBOX_SIZE 16384
#define COMCH_PE_MAX_QUEUES 3500
#define COMCH_PE_MAILBOX_SPARE 512
/* Events of one call of progress, so that the polling gets its turn. */
#define COMCH_PE_MAILBOX_BURST 64
#define COMCH_PE_DFLT_TASKS 16384
#define COMCH_PE_MAX_TASKS (1u << 20)
#define COMCH_DFLT_SEND_TASKS 32
/* One connection of a server may have its own task and this part of the others. */
#define COMCH_DFLT_CONN_SHARE 4
#define COMCH_DFLT_QUEUE_SIZE 512
/* Completions of one queue in one turn, and turns without one before it is idle. */
#define COMCH_FP_BURST 32
#define COMCH_FP_IDLE_POLLS 64
/* Idle queues that one turn looks at, if their driver does not tell of them. */
#define COMCH_FP_IDLE_LOOKS 4
#define COMCH_DFLT_CONNECT_TIMEOUT_MS 5000
/* Mbufs of one message, and how often an engine that sleeps looks for free ones. */
#define COMCH_RECV_MAX_SEGS 256
#define COMCH_RECV_WAIT_US 1000
/* Failed attempts of clients that one turn tells of; the others are only counted. */
#define COMCH_MAX_REFUSED 8

struct rte_comch_task;
struct comch_accepted;
struct comch_ask;
struct comch_conn;
struct comch_ctrl;
struct comch_queue;
struct comch_task_chunk;

TAILQ_HEAD(comch_accepted_list, comch_accepted);
TAILQ_HEAD(comch_ask_list, comch_ask);
TAILQ_HEAD(comch_conn_list, comch_conn);
TAILQ_HEAD(comch_ctx_list, rte_comch_ctx);
TAILQ_HEAD(comch_queue_list, comch_queue);
TAILQ_HEAD(comch_ending_list, rte_comch_pmd_ending);
STAILQ_HEAD(comch_task_list, rte_comch_task);
TAILQ_HEAD(comch_queue_task_list, rte_comch_task);

/* What differs between kinds of contexts. All in the thread of the context. */
struct comch_kind {
	const char *name;
	enum rte_comch_ctx_type type;
	bool is_queue; /* embedded in a struct comch_queue, else in a struct comch_ctrl */
	/* 0 if it was started, whatever its callback has done since. */
	int (*start)(struct rte_comch_ctx *ctx);
	int (*stop)(struct rte_comch_ctx *ctx);
	/* From the engine's list of work; the number of events. */
	int (*work)(struct rte_comch_ctx *ctx);
	/* Become IDLE if nothing is missing, when STOPPING. */
	void (*try_idle)(struct rte_comch_ctx *ctx);
	/* Its device has failed: whether something changed. NULL: queues, whose parent ends. */
	int (*dev_down)(struct rte_comch_ctx *ctx, int reason);
	/* Or NULL. TSC of its deadline, UINT64_MAX if it has none now; what happens then. */
	uint64_t (*deadline)(const struct rte_comch_ctx *ctx);
	int (*timeout)(struct rte_comch_ctx *ctx);
	/* It has a poll group now, or none any more. */
	void (*pgroup_set)(struct rte_comch_ctx *ctx);
	/* What was checked for all kinds, of an IDLE one. */
	int (*conf_set)(struct rte_comch_ctx *ctx, const union rte_comch_ctx_conf *conf);
	/* What only this kind has to say; the rest is zero. */
	void (*info_get)(const struct rte_comch_ctx *ctx, struct rte_comch_ctx_info *info);
	/* Or NULL. Let go of what only this kind has; its callbacks may be on the stack. */
	void (*destroy)(struct rte_comch_ctx *ctx);
	int (*task_submit)(struct rte_comch_task *task);
	/*
	 * Several of one context, which are marked as submitted: how many were taken
	 * from the first on, and why not the next. Later: not to the driver yet.
	 */
	uint16_t (*tasks_submit)(struct rte_comch_task **tasks, uint16_t nb, bool later,
			int *reason);

	/* servers and clients: a connection can be used */
	void (*conn_up)(struct comch_conn *conn);
	/* It ended without this side's doing: the status that this means. */
	int (*conn_lost)(struct comch_conn *conn, int reason);
	/* Its tasks have ended, and its queues know. NULL: clients keep it until IDLE. */
	void (*conn_over)(struct comch_conn *conn, int status);
};

extern const struct comch_kind comch_server_kind;
extern const struct comch_kind comch_client_kind;
extern const struct comch_kind comch_consumer_kind;
extern const struct comch_kind comch_msgq_consumer_kind;
extern const struct comch_kind comch_producer_kind;

/* What all contexts have. */
struct rte_comch_ctx {
	struct rte_comch_fp_object fp; /* first: what the inline functions see */
	const struct comch_kind *kind;
	struct rte_comch_dev *dev;
	struct rte_comch_pe *pe;      /* or NULL */
	struct rte_comch_pgroup *pg;  /* of the two, or NULL */
	enum rte_comch_state state;
	int reason;                   /* why it last left RUNNING */
	rte_comch_state_cb_t state_cb;
	void *user_data;
	uint32_t max_tasks;           /* its share of the engine's, while started */
	uint32_t nb_tasks;            /* allocated */
	uint32_t in_callback;         /* depth */
	bool on_work;
	bool dead;                    /* destroyed in its callback: on the list of its engine */
	bool lost;                    /* the driver never told of an end: not freed */
	TAILQ_ENTRY(rte_comch_ctx) next_dev;  /* device: all; engine: dead; or leaked */
	TAILQ_ENTRY(rte_comch_ctx) next_pe;   /* engine: all contexts */
	TAILQ_ENTRY(rte_comch_ctx) next_work; /* engine: contexts to look at */
};

/* Clients that a server did not get, until the application is told of them. */
struct comch_refused {
	rte_comch_refused_cb_t cb; /* or NULL */
	uint32_t nb;
	struct rte_comch_refusal list[COMCH_MAX_REFUSED];
};

/* A server or client, or a part of the context of a connection on another engine. */
struct comch_ctrl {
	struct rte_comch_ctx ctx; /* first */
	struct rte_comch_ctrl drv; /* what the driver sees */
	struct rte_comch_ctx *shown; /* what applications see: this, or the server of it */
	rte_comch_send_cb_t send_cb;
	rte_comch_recv_cb_t recv_cb;
	rte_comch_recv_mbuf_cb_t recv_mbuf_cb;
	struct rte_mempool *recv_pool;
	uint32_t recv_room; /* bytes of one mbuf of it */
	/* gives a message to one of the two callbacks, or refuses it */
	int (*recv)(struct comch_conn *conn, const void *data, uint32_t len);
	rte_comch_consumer_cb_t consumer_new_cb;
	rte_comch_consumer_cb_t consumer_gone_cb;
	struct comch_conn_list conns; /* under the device's lock; OPENING ones included */
	uint32_t nb_conns;
	uint32_t next_conn_id;
	struct rte_comch_pmd_ending ending; /* of unlisten or connect_cancel */
	uint32_t max_conn_tasks; /* that one connection may have */
	uint32_t nb_shared;      /* tasks in use that are no connection's own */

	/* servers */
	uint32_t max_clients;
	rte_comch_conn_cb_t connect_cb;
	rte_comch_conn_cb_t disconnect_cb;
	rte_comch_engine_cb_t engine_cb;   /* or NULL */
	struct comch_accepted_list accepted; /* connections on other engines */
	uint32_t nb_accepted;
	/* under the device's lock */
	bool listening;  /* takes requests */
	bool name_taken; /* until the driver has ended that, too */
	struct comch_refused refused; /* in the server's thread */

	/* clients */
	uint64_t connect_timeout; /* TSC ticks, UINT64_MAX is never */
	uint64_t deadline;        /* when STARTING ends */

	/* As the application gave it; what is in force is above. The name is drv.name. */
	union {
		struct rte_comch_server_conf server;
		struct rte_comch_client_conf client;
	} conf;
};

/* The queues of one kind on a parent: how many, and their identifiers, see comch_id.h. */
struct comch_ids {
	uint32_t nb;    /* queues */
	uint32_t max;
	uint32_t last;  /* identifier given out */
	uint64_t *used; /* bitmap of slots */
};

struct comch_parent;

/* What differs between kinds of parents. */
struct comch_parent_kind {
	const struct comch_kind *consumer; /* its consumers are of this kind */
	int lost; /* why its queues leave RUNNING if it ends */
	/* With the lock: 0, or why no queue can be made on it or started. */
	int (*usable)(const struct comch_parent *parent);
	/* Nobody has a reference any more. */
	void (*free)(struct comch_parent *parent);
};

/* What queues live on: a part of a connection or of a message queue. */
struct comch_parent {
	const struct comch_parent_kind *kind;
	struct rte_comch_dev *dev; /* stays as long as there is a reference */
	/* What drivers know it by: one of the two. */
	struct rte_comch_conn *conn;
	struct rte_comch_msgq *msgq;
	uint32_t max_imm_len;      /* of consumers, bytes */
	bool imm_only;             /* no consumer has a region */
	rte_spinlock_t lock;       /* guards what follows, and what usable looks at */
	uint32_t refs;             /* the library, and each queue */
	bool leaked;               /* the driver has one of them, for good */
	struct comch_ids consumers;
	struct comch_ids producers;
	struct comch_queue_list queues;
};

/* A connection. */
struct comch_conn {
	struct rte_comch_conn drv; /* first: the handle */
	/*
	 * NULL once it has left its server or client, which may be gone then; written
	 * under the lock. Other threads than the connection's look at it under the lock
	 * and only if the state is UP.
	 */
	struct comch_ctrl *ctrl;
	struct comch_task_list in_flight; /* given to the driver, in order */
	struct comch_task_list pending;   /* wait for room, or for a flush */
	uint32_t nb_in_flight;            /* in both lists */
	bool recv_held;                   /* by the application; atomic for others */
	uint32_t recv_wait;               /* bytes of a message that waits for mbufs, or 0 */
	struct rte_mbuf *recv_spare;      /* for the message that has waited */
	bool on_retry;
	bool later;                       /* the driver was not asked for room yet */
	bool was_up;                      /* the application has learned of it */
	bool reaped;                      /* only its tasks keep it */
	bool is_client;
	int reason;                       /* why this side ended it; 0 until conn_close */
	uint32_t nb_tasks;                /* allocated tasks that point here */
	uint32_t nb_own;                  /* of the engine's, that no other can take */
	uint32_t nb_remote_consumers;     /* announced and not departed */
	struct rte_comch_conn_stats stats; /* the in-flight fields are derived */
	void *user_data;
	struct comch_ask_list asks;       /* consumers the driver owes an answer */
	struct rte_comch_pmd_ending ending; /* of conn_close */
	TAILQ_ENTRY(comch_conn) retry;    /* engine: something waits for room */
	TAILQ_ENTRY(comch_conn) next;     /* context: its connections; engine: reaped */
	struct rte_comch_ctx *ctx;        /* for the application; NULL as ctrl, atomic */
	char server[RTE_COMCH_NAME_SIZE]; /* its name */

	struct comch_parent parent;       /* its lock guards what follows, and the state */
	uint32_t user_refs;               /* of the application, and of the parent's, too */
	bool stopping;                    /* its server stops: no queues any more */
};

/* A consumer or producer. */
struct comch_queue {
	struct rte_comch_ctx ctx; /* first */
	struct rte_comch_queue drv; /* what the driver sees */
	struct comch_parent *parent;
	rte_comch_post_cb_t post_cb; /* consumers with tasks */
	rte_comch_send_cb_t send_cb; /* producers with tasks */
	struct rte_comch_fp_object fns; /* the driver's functions */
	/* two, as the driver may tell of the first after it was given up */
	struct rte_comch_pmd_ending stop_ending;
	struct rte_comch_pmd_ending free_ending;

	/* tasks */
	uint32_t nb_submitted; /* between submit and callback: in these two lists */
	struct comch_queue_task_list submitted; /* the driver's, in order */
	struct comch_queue_task_list later;     /* for the next flush, in order */
	int later_reason;      /* why the last flush was short */
	bool on_later;         /* the engine flushes it */
	TAILQ_ENTRY(comch_queue) next_later;
	/* submitted in callbacks, and the driver's when these are over */
	uint32_t nb_held;
	uint32_t nb_sure;      /* the driver takes as many; of producers: */
	uint32_t sure_id;      /* for this consumer, */
	uint64_t sure_len;     /* of so much data at most */
	const struct rte_comch_mem *held_mem; /* of the first: counted as if it were all */
	uint32_t nb_other_mem; /* and counted one by one */
	TAILQ_ENTRY(comch_queue) next_held;
	struct rte_comch_task *held[COMCH_FP_BURST];
	uint32_t idle_polls;   /* turns without a completion */
	bool on_poll;          /* the engine polls it */
	bool on_idle;          /* now and then only */
	TAILQ_ENTRY(comch_queue) next_poll;

	/* on its parent */
	TAILQ_ENTRY(comch_queue) next_parent;
	struct rte_comch_pmd_event parent_down; /* news of the parent's end */
	uint32_t nb_events;                   /* under way; the parent's lock */
	bool started;                         /* wants news of the end; the same lock */

	/* its way to IDLE */
	bool stopped; /* queue_stop was called */
	bool drained; /* and has ended */
	bool freed;   /* queue_free was called */

	/* consumers: the announcement */
	struct comch_ask *ask; /* the request that it waits for, or NULL; the parent's lock */
	struct rte_comch_pmd_event answered;
	int answer;
	bool unanswered; /* the driver has not given it in time */

	/* As the application gave it; what is in force is above. */
	union {
		struct rte_comch_consumer_conf consumer;
		struct rte_comch_producer_conf producer;
	} conf;
};

/* A task. The type is that of its context. */
struct rte_comch_task {
	_Alignas(RTE_CACHE_LINE_SIZE) struct rte_comch_ctx *ctx;
	void *user_data;
	bool submitted; /* between submit and callback, or freed */
	bool freed;     /* back in the pool */
	bool taken;     /* the driver of its queue has taken one that was like it */
	bool imm_kept;  /* its immediate data is in imm_copy */
	union {
		struct rte_comch_task *next_free; /* in the pool */
		/* control messages */
		struct {
			STAILQ_ENTRY(rte_comch_task) next; /* in its connection */
			struct comch_conn *conn; /* stays until it is freed */
			const void *msg;         /* the application's memory */
			uint32_t len;
			uint32_t seq;            /* as the driver gave it */
		};
		/* queues */
		struct {
			TAILQ_ENTRY(rte_comch_task) next_queue; /* in its queue */
			union {
				/* consumers */
				struct rte_comch_post post;
				/* producers: what of a send is not the driver's */
				struct {
					const void *addr;
					uint64_t data_len;
					const struct rte_comch_mem *mem;
					const void *imm;
					uint32_t imm_len;
					uint32_t consumer_id;
					uint8_t imm_copy[RTE_COMCH_CPL_IMM_SIZE];
				};
			};
		};
	};
};

_Static_assert(sizeof(struct rte_comch_task) == 128, "two lines");

/* The tasks of an engine. */
struct comch_task_pool {
	struct rte_comch_task *free; /* the engine's thread */
	uint32_t max_tasks;
	uint32_t tasks_left;         /* not promised to a context or connection; atomic */
	int socket_id;
	rte_spinlock_t lock;         /* guards what follows */
	uint32_t nb_made;            /* that there is memory for */
	struct rte_comch_task *made; /* not seen by the engine's thread yet */
	struct comch_task_chunk *chunks;
};

struct rte_comch_pe {
	/* the part that each call of progress reads */
	bool in_progress;
	bool turn_over; /* a client became RUNNING: the mailbox was the last of this turn */
	bool busy;      /* the last turn has handled something */
	uint32_t armed; /* written by arm and progress, read by event posters */
	uint32_t nb_pgs;
	uint32_t nb_work;
	uint32_t nb_retry;
	uint32_t nb_over; /* in the lists of what is dead or reaped */
	uint64_t next_timer; /* TSC of the first deadline among the clients */
	uint64_t turn;       /* TSC of the last turn */
	uint64_t busy_cycles; /* from turns that have handled something to the next; atomic */
	struct rte_ring *mailbox;
	struct rte_comch_pgroup *pgs[COMCH_PE_MAX_PGROUPS];
	struct comch_ctx_list work;    /* contexts with something deferred */
	struct comch_conn_list retry;  /* connections that wait for room, or for mbufs */
	uint32_t nb_recv_waits;        /* those that wait for mbufs */
	const struct rte_mempool *wait_pool; /* all of them for this one; NULL: for several */
	const struct rte_mempool *empty_pool; /* of mbufs, in this round of retries */
	struct comch_conn_list reaped; /* freed when no driver is on the stack */
	struct comch_ctx_list dead;    /* freed when no callback is on the stack */
	struct comch_ending_list endings; /* what drivers have to tell of */

	/*
	 * Queues with submitted tasks: those in each turn, and those now and then.
	 * What the driver looks after is in neither list.
	 */
	uint32_t nb_polled;
	uint32_t nb_idle;
	struct comch_queue_list polled;
	struct comch_queue_list idle_queues;
	/* queues with tasks that the driver has not got yet */
	uint32_t nb_later;
	struct comch_queue_list later;
	/* the same while callbacks of tasks run, which may submit more */
	bool holding;
	uint32_t nb_held;
	struct comch_queue_list held;

	struct comch_task_pool tasks;

	uint32_t id;       /* of all that the process has made */
	uint64_t created;  /* TSC */
	uint32_t nb_spare; /* places of the mailbox that are taken of the spare ones; atomic */
	int epfd;
	int evfd;
	int tmfd;
	bool timer_armed;
	uint32_t nb_ctxs;
	uint32_t nb_queues;
	uint32_t nb_calls; /* on the stack, that may call the application back */
	struct comch_ctx_list ctxs;
};

/* rte_comch_dev_table.c */
struct rte_comch_dev *comch_dev_get(int16_t dev_id);
void comch_dev_drop(struct rte_comch_dev *dev);
void comch_devs_lock_take(void);
void comch_devs_lock_drop(void);

/* rte_comch_dev.c */
int comch_rep_check(int16_t dev_id, uint16_t rep_id);

/* rte_comch_pe_lists.c */
void comch_pe_ctx_add(struct rte_comch_ctx *ctx);
void comch_pe_work_add(struct rte_comch_ctx *ctx);
void comch_pe_work_del(struct rte_comch_ctx *ctx);
void comch_pe_retry_add(struct comch_conn *conn);
void comch_pe_retry_del(struct comch_conn *conn);
void comch_pe_reap_add(struct rte_comch_pe *pe, struct comch_conn *conn);
void comch_pe_dead_add(struct rte_comch_ctx *ctx);
void comch_pe_timer_update(struct rte_comch_pe *pe);
void comch_pe_kick(struct rte_comch_pe *pe);
void comch_pe_wake(struct rte_comch_pe *pe);

/* rte_comch_pe_pgroup.c */
int comch_pe_attach(struct rte_comch_pe *pe, struct rte_comch_ctx *ctx);
void comch_pe_detach(struct rte_comch_ctx *ctx);
struct rte_comch_pgroup *comch_pe_pgroup_find(const struct rte_comch_pe *pe,
		struct rte_comch_dev *dev);
int comch_pe_devs_release(struct rte_comch_pe *pe);

/* rte_comch_pool.c */
void comch_pool_init(struct comch_task_pool *pool, uint32_t max_tasks, int socket_id);
void comch_pool_fini(struct comch_task_pool *pool);
int comch_pool_take(struct comch_task_pool *pool, uint32_t nb);
void comch_pool_give(struct comch_task_pool *pool, uint32_t nb);
struct rte_comch_task *comch_pool_adopt(struct comch_task_pool *pool);

/*
 * A place in the mailbox for an event that none is promised for; its handler gives it
 * back. Any thread. Relaxed: the number orders nothing.
 */
static inline void
comch_pe_spare_give(struct rte_comch_pe *pe)
{
	__atomic_fetch_sub(&pe->nb_spare, 1, __ATOMIC_RELAXED);
}

static inline bool
comch_pe_spare_take(struct rte_comch_pe *pe)
{
	if (__atomic_fetch_add(&pe->nb_spare, 1, __ATOMIC_RELAXED) < COMCH_PE_MAILBOX_SPARE)
		return true;
	comch_pe_spare_give(pe);
	return false;
}

/*
 * The application has given an engine something to do between arming it and
 * waiting for it: what was armed knows nothing of that, so the wait must end.
 */
static inline void
comch_pe_touch(struct rte_comch_pe *pe)
{
	if (unlikely(pe->armed != 0) && !pe->in_progress)
		comch_pe_kick(pe);
}

/* rte_comch_ctx_state.c */
void comch_ctx_dead_run(struct rte_comch_pe *pe);

/*
 * Around what calls the application back outside of progress. A context that is
 * destroyed in there is freed when the last of these is over, so that all of them
 * may look at it until they return.
 */
static inline void
comch_pe_enter(struct rte_comch_pe *pe)
{
	pe->nb_calls++;
}

static inline void
comch_pe_leave(struct rte_comch_pe *pe)
{
	if (--pe->nb_calls == 0 && !pe->in_progress && !TAILQ_EMPTY(&pe->dead))
		comch_ctx_dead_run(pe);
}

/* The larger structure of a context that is known to be of that kind. */
static inline struct comch_ctrl *
comch_ctrl(struct rte_comch_ctx *ctx)
{
	return container_of(ctx, struct comch_ctrl, ctx);
}

static inline struct comch_queue *
comch_queue(struct rte_comch_ctx *ctx)
{
	return container_of(ctx, struct comch_queue, ctx);
}

/* The same for a handle of the application, NULL if it is of another kind. */
static inline struct comch_queue *
comch_queue_of(const struct rte_comch_ctx *ctx)
{
	return ctx != NULL && ctx->kind->is_queue ?
		comch_queue((struct rte_comch_ctx *)(uintptr_t)ctx) : NULL;
}

static inline struct comch_queue *
comch_consumer_of(const struct rte_comch_ctx *ctx)
{
	return ctx != NULL && ctx->kind->type == RTE_COMCH_CTX_CONSUMER ?
		comch_queue_of(ctx) : NULL;
}

static inline struct comch_queue *
comch_producer_of(const struct rte_comch_ctx *ctx)
{
	return ctx != NULL && ctx->kind->type == RTE_COMCH_CTX_PRODUCER ?
		comch_queue_of(ctx) : NULL;
}

/* From what a driver has in hand. */
static inline struct comch_ctrl *
comch_ctrl_of_drv(struct rte_comch_ctrl *drv)
{
	return container_of(drv, struct comch_ctrl, drv);
}

static inline struct comch_queue *
comch_queue_of_drv(struct rte_comch_queue *drv)
{
	return container_of(drv, struct comch_queue, drv);
}

static inline struct comch_conn *
comch_conn(const struct rte_comch_conn *drv)
{
	return container_of((struct rte_comch_conn *)(uintptr_t)drv, struct comch_conn, drv);
}

/* The connection of a queue that is known to be on one. */
static inline struct comch_conn *
comch_queue_conn(const struct comch_queue *queue)
{
	return container_of(queue->parent, struct comch_conn, parent);
}

/* Nothing is set that may mean something one day. */
static inline bool
comch_reserved_is_zero(const uint64_t *words, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb && words[i] == 0; i++)
		;
	return i == nb;
}

/* rte_comch_ctx_state.c */
void comch_ctx_init(struct rte_comch_ctx *ctx, struct rte_comch_dev *dev,
		const struct comch_kind *kind);
void comch_ctx_publish(struct rte_comch_ctx *ctx);
void comch_ctx_state_set(struct rte_comch_ctx *ctx, enum rte_comch_state next);
void comch_ctx_idle(struct rte_comch_ctx *ctx);
void comch_ctx_free(struct rte_comch_ctx *ctx);
void comch_ctx_keep(struct rte_comch_ctx *ctx);
const char *comch_ctx_name(const struct rte_comch_ctx *ctx);

/* rte_comch_ctrl.c */
void comch_ctrl_try_idle(struct rte_comch_ctx *ctx);

/* rte_comch_accept.c */
bool comch_accepted_stop(struct comch_ctrl *server);
struct comch_conn *comch_accepted_lock(struct comch_ctrl *server, struct comch_conn *busy);
void comch_accepted_unlock(struct comch_ctrl *server, bool stop);

/* rte_comch_conn.c */
struct comch_conn *comch_conn_alloc(struct comch_ctrl *ctrl, const struct rte_comch_conn_req *req,
		uint32_t msg_size);
void comch_conn_info_req(struct rte_comch_conn_info *info, const struct rte_comch_conn_req *req);
void comch_conn_busy_log(const struct comch_ctrl *ctrl, uint32_t id, uint32_t consumers,
		uint32_t producers);
struct comch_conn *comch_conns_lock(struct comch_ctrl *ctrl, struct comch_conn *busy);
void comch_conn_close(struct comch_conn *conn, int reason);
void comch_conns_close(struct comch_ctrl *ctrl);
void comch_server_conn_up(struct comch_conn *conn);
int comch_server_conn_lost(struct comch_conn *conn, int reason);
void comch_server_conn_over(struct comch_conn *conn, int status);
void comch_conn_finish(struct comch_conn *conn, int status);
void comch_conn_reap(struct comch_conn *conn);
void comch_conn_total(struct rte_comch_totals *totals, const struct comch_conn *conn);
int comch_conn_retry(struct comch_conn *conn);
int comch_conn_task_submit(struct rte_comch_task *task);
uint16_t comch_conn_tasks_submit(struct rte_comch_task **tasks, uint16_t nb, bool later,
		int *reason);
void comch_conn_later_flush(struct rte_comch_pe *pe);

/* rte_comch_recv.c */
int comch_recv_conf_check(const struct rte_comch_dev *dev, const char *name,
		const struct rte_comch_ctrl_conf *conf);
int comch_recv_size_check(const struct comch_ctrl *ctrl, uint32_t msg_size);
void comch_recv_conf_set(struct comch_ctrl *ctrl, const struct rte_comch_ctrl_conf *conf);
int comch_recv_retry(struct comch_conn *conn);
void comch_recv_end(struct comch_conn *conn);

/* rte_comch_mem.c */
void comch_mem_hold(struct rte_comch_mem *mem);
void comch_mem_drop(struct rte_comch_mem *mem);
uint32_t comch_mem_data_room(const struct rte_comch_mem *mem);
void comch_mem_give_up(struct rte_comch_dev *dev, bool at_end);
void comch_mem_retained_free(struct rte_comch_dev *dev);

/* rte_comch_ending.c */
void comch_ending_begin(struct rte_comch_pmd_ending *ending, struct rte_comch_dev *dev,
		struct rte_comch_pe *pe, void (*done)(struct rte_comch_pmd_ending *ending));
void comch_ending_limit_set(struct rte_comch_pmd_ending *ending, uint32_t ms);
void comch_ending_cancel(struct rte_comch_pmd_ending *ending);
bool comch_ending_settle(struct rte_comch_pmd_ending *ending, int ret);
bool comch_ending_give_up(struct rte_comch_pmd_ending *ending, uint64_t now);
void comch_ending_lost(struct rte_comch_dev *dev);
int comch_ending_run(struct rte_comch_pe *pe, uint64_t now);
bool comch_ending_waits(struct rte_comch_pe *pe, uint64_t *deadline);

/* rte_comch_parent.c */
size_t comch_parent_words(uint32_t max_consumers, uint32_t max_producers);
void comch_parent_init(struct comch_parent *parent, const struct comch_parent_kind *kind,
		struct rte_comch_dev *dev, uint32_t max_consumers, uint32_t max_producers,
		uint64_t *words);
int comch_parent_id_take(struct comch_parent *parent, bool is_consumer, uint32_t *id);
void comch_parent_full(const struct comch_parent *parent, bool is_consumer);
void comch_parent_id_give(struct comch_parent *parent, bool is_consumer, uint32_t id);
void comch_parent_put(struct comch_parent *parent);
int comch_parent_queue_add(struct comch_parent *parent, struct comch_queue *queue);
void comch_parent_queue_del(struct comch_queue *queue);
int comch_parent_usable(struct comch_parent *parent);
void comch_parent_down(struct comch_parent *parent);

/* rte_comch_queue.c */
int comch_consumer_create(struct comch_parent *parent,
		const struct rte_comch_consumer_conf *conf, struct rte_comch_ctx **ctx);
int comch_producer_create(struct comch_parent *parent,
		const struct rte_comch_producer_conf *conf, struct rte_comch_ctx **ctx);
int comch_queue_setup(struct comch_queue *queue);
bool comch_queue_stop(struct comch_queue *queue);
int comch_queue_start_failed(struct comch_queue *queue, int reason);
void comch_queue_try_idle(struct rte_comch_ctx *ctx);
uint32_t comch_queue_event_done(struct comch_queue *queue);
void comch_queue_counters(const struct comch_queue *queue, struct rte_comch_queue_stats *stats);
void comch_queue_total(struct rte_comch_totals *totals, const struct comch_queue *queue);

/* rte_comch_refused.c */
void comch_refused_put(struct comch_ctrl *ctrl, const struct rte_comch_refusal *one);
void comch_refused_add(struct comch_ctrl *ctrl, const struct rte_comch_conn_req *req, int reason);
int comch_refused_run(struct comch_ctrl *ctrl);

/* rte_comch_announce.c */
int comch_consumer_start(struct rte_comch_ctx *ctx);
int comch_consumer_stop(struct rte_comch_ctx *ctx);
bool comch_consumer_unask_locked(struct comch_queue *queue);
void comch_consumer_conn_down(struct comch_conn *conn);

/* rte_comch_fp.c */
void comch_fp_stubs_set(struct rte_comch_ctx *ctx);
void comch_fp_running_set(struct comch_queue *queue);
void comch_fp_stopping_set(struct comch_queue *queue);
void comch_fp_quiet_set(struct comch_queue *queue);

/* rte_comch_mem_dma.c */
int comch_mem_dma_map(struct rte_comch_mem *mem);
void comch_mem_dma_unmap(struct rte_comch_mem *mem);
uint32_t comch_mem_dma_nb_parts(const struct rte_comch_mem *mem);
void comch_mem_dma_part(const struct rte_comch_mem *mem, uint32_t i,
		struct rte_pktmbuf_extmem *ext);

/* rte_comch_task.c */
int comch_queue_task_submit(struct rte_comch_task *task);
void comch_queue_task_end(struct comch_queue *queue, struct rte_comch_task *task,
		const struct rte_comch_cpl *cpl);
void comch_queue_tasks_end(struct comch_queue *queue, int status);
void comch_task_poll_add(struct comch_queue *queue);
void comch_task_poll_del(struct comch_queue *queue);
int comch_task_poll(struct rte_comch_pe *pe);

/* rte_comch_submit.c */
int comch_queue_end_status(const struct rte_comch_ctx *ctx);
uint16_t comch_queue_tasks_submit(struct rte_comch_task **tasks, uint16_t nb, bool later,
		int *reason);
bool comch_queue_task_hold(struct comch_queue *queue, struct rte_comch_task *task);
void comch_pe_held_flush(struct rte_comch_pe *pe);
bool comch_queue_flush(struct comch_queue *queue);
int comch_queue_later_end(struct comch_queue *queue, int status);
int comch_queue_short_reason(struct comch_queue *queue, uint32_t consumer_id);
int comch_submit_later_run(struct rte_comch_pe *pe);
bool comch_submit_later_arm(struct rte_comch_pe *pe);

#endif /* COMCH_PRIVATE_H */
