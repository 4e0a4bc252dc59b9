/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_QUEUE_PRIVATE_H
#define DOCA_COMCH_QUEUE_PRIVATE_H

/*
 * What producers and consumers have in common: limits, the pool of their tasks, and what
 * they say in the log. Not installed, not exported. Nothing that is done per message
 * lives here.
 */

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#include <doca_comch_private.h>

struct doca_comch_msgq;

/* What a producer or a consumer begins with. */
struct doca_comch_queue {
	struct doca_ctx ctx;
	int16_t dev_id;                /* likewise */
	uint16_t logged;               /* bits of enum doca_comch_queue_fault */
	uint32_t max_tasks;            /* limits of the device */
	uint32_t max_imm_len;
	uint32_t nb_tasks;             /* 0 until they are configured */
	uint32_t nb_free;
	struct doca_task **free;       /* those that are in the pool, the last one first */
	char *tasks;                   /* memory of all */
	struct doca_comch_msgq *msgq;  /* NULL on a connection */
	struct rte_comch_dpa_queue *rte_dpa; /* of the program; NULL: not started, or ours */
	bool dpa_side;                 /* it is the program's */
	uint32_t dev_num;              /* of the program: receives or sends; 0: not set */
};

/* What is wrong with a task, each logged once. */
enum doca_comch_queue_fault {
	DOCA_COMCH_FAULT_LIST,
	DOCA_COMCH_FAULT_EMPTY,
	DOCA_COMCH_FAULT_LONG,
	DOCA_COMCH_FAULT_IMM,
	DOCA_COMCH_FAULT_REGION,
	DOCA_COMCH_FAULT_ROOM,
	DOCA_COMCH_FAULT_CONSUMER,
	DOCA_COMCH_FAULT_RETURNED,
	DOCA_COMCH_FAULT_SIZE,
};

/* The largest buffer, as far as 32 bits say, and how many a list may have. */
doca_error_t doca_comch_queue_buf_size_get(const struct doca_devinfo *devinfo, uint64_t capa,
		uint32_t *max_buf_size);
doca_error_t doca_comch_queue_list_len_get(const struct doca_devinfo *devinfo, uint64_t capa,
		uint32_t *max_buf_list_len);

/* Begin a queue on a device of rte_comch. */
doca_error_t doca_comch_queue_init(struct doca_comch_queue *queue,
		struct doca_compat_func *func, int16_t dev_id, const struct doca_ctx_ops *ops,
		bool is_consumer);

/* The identifier. */
doca_error_t doca_comch_queue_id_get(const struct doca_comch_queue *queue, uint32_t *id);

/*
 * doca_comch_msgq.c: queues of message queues
 */

/*
 * Begin a queue on a message queue. *is_ours: the context of rte_comch is to be made,
 * on *msgq. DOCA_ERROR_BAD_STATE: it is not started.
 */
doca_error_t doca_comch_msgq_queue_init(struct doca_comch_queue *queue,
		struct doca_comch_msgq *msgq, const struct doca_ctx_ops *ops, bool is_consumer,
		bool *is_ours, struct rte_comch_msgq **rte);
void doca_comch_msgq_queue_end(struct doca_comch_queue *queue);

/* The dpa_set function of queues. */
doca_error_t doca_comch_msgq_queue_dpa_set(struct doca_ctx *ctx, const struct doca_dpa *dpa);

/* The message queue to start one of the program on; NULL: it is not started. */
struct rte_comch_msgq *doca_comch_msgq_rte(const struct doca_comch_queue *queue);

/* What the settings of one of the program begin with: DOCA_ERROR_BAD_STATE if they cannot be. */
doca_error_t doca_comch_msgq_queue_settable(const struct doca_comch_queue *queue);

/* How many a queue of the program, which may be NULL, receives or sends. */
doca_error_t doca_comch_msgq_queue_num_set(struct doca_comch_queue *queue, uint32_t dev_num);

/* The dpa_stop function of queues, and their handle. */
doca_error_t doca_comch_msgq_queue_dpa_stop(struct doca_ctx *ctx);
doca_error_t doca_comch_msgq_queue_handle_get(const struct doca_comch_queue *queue,
		uint64_t *handle);

/* The result of rte_comch_*_create(), which is logged if it is an error. */
doca_error_t doca_comch_queue_created(struct doca_comch_queue *queue, int ret);

/* Make the tasks of a queue that starts, each of so many bytes, zero but for its base. */
doca_error_t doca_comch_queue_tasks_make(struct doca_comch_queue *queue,
		const struct doca_task_ops *ops, size_t size);

/* Attach that of rte_comch to the engine, with the first start. */
doca_error_t doca_comch_queue_attach(struct doca_comch_queue *queue);

/* A task of the pool; NULL if all are in use. */
struct doca_task *doca_comch_queue_task_get(struct doca_comch_queue *queue);

/* The release function of tasks. */
void doca_comch_queue_task_put(struct doca_task *task);

/* Log what is wrong with a task, unless that was done before. */
void doca_comch_queue_log_fault(struct doca_comch_queue *queue,
		enum doca_comch_queue_fault fault);

/* The memory of a queue whose context has ended. */
void doca_comch_queue_free(struct doca_comch_queue *queue);

#endif /* DOCA_COMCH_QUEUE_PRIVATE_H */
