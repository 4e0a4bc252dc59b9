/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_PRIVATE_H
#define COMCH_PRIVATE_H

/*
 * What the files of the library share: the progress engine's structure, the log
 * macro, and the functions that cross files. Nothing here is installed, and
 * nothing here knows a driver.
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
 * 8 * 1055 + 3500 * 2 < 16383. Requests of consumers on other engines take what
 * is left, and are refused above that.
 */
#define COMCH_PE_MAILBOX_SIZE 16384
#define COMCH_PE_MAX_QUEUES 3500
#define COMCH_PE_MAILBOX_BUSY 512
/* Events of one call of progress, so that the polling gets its turn. */
#define COMCH_PE_MAILBOX_BURST 64
#define COMCH_PE_DFLT_TASKS 16384
#define COMCH_PE_MAX_TASKS (1u << 20)
#define COMCH_DFLT_SEND_TASKS 32
#define COMCH_DFLT_QUEUE_SIZE 512
/* Completions of one queue in one turn, and turns without one before it rests. */
#define COMCH_FP_BURST 32
#define COMCH_FP_IDLE_POLLS 64
/* Queues at rest that one turn looks at, if their driver does not tell of them. */
#define COMCH_FP_REST_POLLS 4
#define COMCH_DFLT_CONNECT_TIMEOUT_MS 5000

TAILQ_HEAD(comch_conn_list, rte_comch_conn);
TAILQ_HEAD(comch_ctx_list, rte_comch_ctx);

struct rte_comch_pe {
	/* the part that each call of progress reads */
	bool in_progress;
	uint32_t armed; /* written by arm and progress, read by event posters */
	uint32_t nb_pgs;
	uint32_t nb_work;
	uint32_t nb_retry;
	uint64_t next_timer; /* TSC of the first deadline among the clients */
	struct rte_ring *mailbox;
	struct rte_comch_pgroup *pgs[COMCH_PE_MAX_PGROUPS];
	struct comch_ctx_list work;    /* contexts with something deferred */
	struct comch_conn_list retry;  /* connections that wait for room */
	struct comch_conn_list reaped; /* freed when no driver is on the stack */

	/*
	 * Queues with submitted tasks: those in each turn, and those now and then.
	 * What the driver looks after is in neither list.
	 */
	uint32_t nb_polled;
	uint32_t nb_rested;
	struct comch_ctx_list polled;
	struct comch_ctx_list rested;

	struct rte_mempool *tasks;
	struct rte_mempool_cache *cache;
	uint32_t tasks_left; /* not promised to a context */

	int epfd;
	int evfd;
	int tmfd;
	bool timer_armed;
	uint32_t nb_ctxs;
	uint32_t nb_queues;
	struct comch_ctx_list ctxs;
};

/* rte_comch_dev.c */
struct rte_comch_dev *comch_dev_get(int16_t dev_id);
int comch_rep_check(int16_t dev_id, uint16_t rep_id);
void comch_devs_lock_take(void);
void comch_devs_lock_drop(void);

/* rte_comch_pe.c */
int comch_pe_attach(struct rte_comch_pe *pe, struct rte_comch_ctx *ctx);
void comch_pe_detach(struct rte_comch_ctx *ctx);
void comch_pe_work_add(struct rte_comch_ctx *ctx);
void comch_pe_retry_add(struct rte_comch_conn *conn);
void comch_pe_retry_del(struct rte_comch_conn *conn);
void comch_pe_reap_add(struct rte_comch_pe *pe, struct rte_comch_conn *conn);
void comch_pe_timer_update(struct rte_comch_pe *pe);
void comch_pe_kick(struct rte_comch_pe *pe);
void comch_pe_wake(struct rte_comch_pe *pe);

/* No room for what is not promised a place. */
static inline bool
comch_pe_mailbox_busy(const struct rte_comch_pe *pe)
{
	return rte_ring_count(pe->mailbox) >= COMCH_PE_MAILBOX_BUSY;
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

/* Consumers and producers are the queues of a connection. */
static inline bool
comch_ctx_is_queue(const struct rte_comch_ctx *ctx)
{
	return ctx->type == RTE_COMCH_CTX_CONSUMER || ctx->type == RTE_COMCH_CTX_PRODUCER;
}

/* rte_comch_ctx.c */
struct rte_comch_ctx *comch_ctx_alloc(struct rte_comch_dev *dev, enum rte_comch_ctx_type type,
		const char *name, const struct rte_comch_ctrl_conf *conf);
void comch_ctx_publish(struct rte_comch_ctx *ctx);
void comch_ctx_free(struct rte_comch_ctx *ctx);
void comch_ctx_state_set(struct rte_comch_ctx *ctx, enum rte_comch_state next);
void comch_ctx_idle(struct rte_comch_ctx *ctx);
void comch_ctx_try_idle(struct rte_comch_ctx *ctx);
int comch_ctx_work(struct rte_comch_ctx *ctx);
int comch_ctx_timeout(struct rte_comch_ctx *ctx);
int comch_ctx_dev_down(struct rte_comch_ctx *ctx, int reason);

/* rte_comch_conn.c */
void comch_conn_busy_log(const struct rte_comch_conn *conn, uint32_t consumers,
		uint32_t producers);
void comch_conn_close(struct rte_comch_conn *conn);
void comch_conn_finish(struct rte_comch_conn *conn, int status);
void comch_conn_reap(struct rte_comch_conn *conn);
void comch_conn_put(struct rte_comch_conn *conn);
int comch_conn_retry(struct rte_comch_conn *conn);

/* rte_comch_mem_dma.c */
int comch_mem_dma_map(struct rte_comch_mem *mem);
void comch_mem_dma_unmap(struct rte_comch_mem *mem);
uint32_t comch_mem_dma_nb_parts(const struct rte_comch_mem *mem);
void comch_mem_dma_part(const struct rte_comch_mem *mem, uint32_t i,
		struct rte_pktmbuf_extmem *ext);

/* rte_comch_task.c */
int comch_task_get(struct rte_comch_ctx *ctx, struct rte_comch_task **task);

/* rte_comch_queue.c */
int comch_producer_start(struct rte_comch_ctx *ctx);
int comch_producer_stop(struct rte_comch_ctx *ctx);
void comch_queue_destroy(struct rte_comch_ctx *ctx);
void comch_queue_try_idle(struct rte_comch_ctx *ctx);
void comch_queue_work(struct rte_comch_ctx *ctx);
void comch_queue_conn_down(struct rte_comch_conn *conn);
uint32_t comch_queue_event_done(struct rte_comch_ctx *ctx);

/* rte_comch_announce.c */
int comch_consumer_start(struct rte_comch_ctx *ctx);
int comch_consumer_stop(struct rte_comch_ctx *ctx);
void comch_consumer_work(struct rte_comch_ctx *ctx);
void comch_consumer_conn_down(struct rte_comch_conn *conn);

/* rte_comch_fp.c */
void comch_fp_dummy_set(struct rte_comch_ctx *ctx);
void comch_fp_running_set(struct rte_comch_ctx *ctx);
void comch_fp_stopping_set(struct rte_comch_ctx *ctx);
void comch_fp_stopped_set(struct rte_comch_ctx *ctx);
int comch_fp_task_submit(struct rte_comch_task *task);
void comch_fp_poll_add(struct rte_comch_ctx *ctx);
void comch_fp_poll_del(struct rte_comch_ctx *ctx);
int comch_fp_poll(struct rte_comch_pe *pe);

#endif /* COMCH_PRIVATE_H */
