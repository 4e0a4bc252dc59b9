/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMCH_CTRL_PRIVATE_H
#define DOCA_COMCH_CTRL_PRIVATE_H

/*
 * What servers and clients share: settings, send tasks, callbacks of rte_comch. Not
 * installed, and exported by no version map.
 */

#include <doca_comch_private.h>

#define COMCH_SOURCE "DOCA_COMPAT::COMCH"

/* Has no functions; a callback of the program gets one. */
struct doca_comch_event_msg_recv {
	struct doca_ctx *ctx;
};

struct doca_comch_event_connection_status_changed {
	struct doca_ctx *ctx;
};

struct doca_comch_event_consumer {
	struct doca_ctx *ctx;
};

struct doca_comch_task_send {
	struct doca_task task; /* first */
	/* that its task of rte_comch is for; NULL if it has none, or is to give it back */
	struct doca_comch_connection *conn;
	const void *msg;       /* the program's */
	uint32_t len;
	void *copy;            /* what is sent; of the context's memory */
	SLIST_ENTRY(doca_comch_task_send) next;
};

/* The first field of a server and of a client. */
struct comch_ctrl {
	struct doca_ctx ctx; /* first */
	struct doca_dev *dev;
	struct doca_dev_rep *rep; /* NULL of a client */
	char name[RTE_COMCH_NAME_SIZE];
	uint32_t max_msg_size;    /* 0: unset */
	uint32_t recv_queue_size; /* 0: unset */
	uint32_t nb_tasks;        /* 0: unset */
	doca_comch_task_send_completion_cb_t sent_cb;
	doca_comch_task_send_completion_cb_t not_sent_cb;
	doca_comch_event_msg_recv_cb_t recv_cb;
	doca_comch_event_consumer_cb_t new_cb;
	doca_comch_event_consumer_cb_t expired_cb;
	/* The program's where the above are those of doca_cc_2_5.c, which alone knows them. */
	void (*outer_cb[3])(void);
	struct doca_comch_event_msg_recv recv_event;
	struct doca_comch_event_consumer consumer_event;
	/* of the last start */
	struct doca_comch_task_send *tasks;
	uint8_t *copies;
	SLIST_HEAD(, doca_comch_task_send) free_tasks;
};

/*
 * doca_comch_ctrl.c
 */

/* What is the same when a server and when a client is created, and destroyed. */
doca_error_t comch_ctrl_init(struct comch_ctrl *ctrl, const struct doca_ctx_ops *ops,
		struct doca_dev *dev, struct doca_dev_rep *rep, const char *name, uint64_t capa);
doca_error_t comch_ctrl_end(struct comch_ctrl *ctrl);

/* The tasks of a start, and what rte_comch is told of them and of everything else. */
doca_error_t comch_ctrl_prepare(struct comch_ctrl *ctrl, struct rte_comch_ctrl_conf *conf);

/* Settings. ctrl may be NULL. */
doca_error_t comch_ctrl_msg_size_set(struct comch_ctrl *ctrl, uint32_t size);
doca_error_t comch_ctrl_msg_size_get(const struct comch_ctrl *ctrl, uint32_t *size);
doca_error_t comch_ctrl_queue_size_set(struct comch_ctrl *ctrl, uint32_t size);
doca_error_t comch_ctrl_queue_size_get(const struct comch_ctrl *ctrl, uint32_t *size);
doca_error_t comch_ctrl_tasks_set(struct comch_ctrl *ctrl,
		doca_comch_task_send_completion_cb_t sent_cb,
		doca_comch_task_send_completion_cb_t not_sent_cb, uint32_t nb_tasks);
doca_error_t comch_ctrl_recv_set(struct comch_ctrl *ctrl, doca_comch_event_msg_recv_cb_t cb);
doca_error_t comch_ctrl_consumer_set(struct comch_ctrl *ctrl,
		doca_comch_event_consumer_cb_t new_cb, doca_comch_event_consumer_cb_t expired_cb);
doca_error_t comch_ctrl_dev_get(const struct comch_ctrl *ctrl, struct doca_dev **dev);

/* Log what cannot be started, and what to call for it. */
doca_error_t comch_ctrl_unset(const struct comch_ctrl *ctrl, const char *call);

/*
 * doca_comch_task.c
 */

doca_error_t comch_tasks_create(struct comch_ctrl *ctrl, uint32_t msg_size);
void comch_tasks_free(struct comch_ctrl *ctrl);
void comch_tasks_unbind(struct comch_ctrl *ctrl, const struct doca_comch_connection *conn);
doca_error_t comch_task_alloc(struct comch_ctrl *ctrl, struct doca_comch_connection *conn,
		const void *msg, uint32_t len, struct doca_comch_task_send **task);

/* The send_cb of rte_comch. */
void comch_task_sent(struct rte_comch_task *task, int status, void *user_data);

/*
 * doca_comch_connection.c
 */

/* Make the one that stands for a connection of rte_comch. NULL: no memory. */
struct doca_comch_connection *comch_conn_new(struct comch_ctrl *ctrl,
		struct rte_comch_conn *rte);

/* It has ended: keep its memory for a while. */
void comch_conn_end(struct doca_comch_connection *conn);

/* The server or client goes: no connection names it any more. */
void comch_conns_forget(const struct doca_ctx *ctx);

#endif /* DOCA_COMCH_CTRL_PRIVATE_H */
