/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The half of the measurement that uses rte_comch by itself: tasks, and one region for all
 * buffers. The sender is the client.
 */

#include <errno.h>
#include <string.h>

#include <rte_comch.h>
#include <rte_eal.h>
#include <rte_pause.h>

#include "bench_bulk.h"

#define NAME "bulk"

struct native {
	const struct bulk_spec *spec;
	struct bulk_laps *laps;
	int16_t dev_id;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_ctx *queue; /* consumer or producer */
	struct rte_comch_mem *mem;
	uint8_t *base;
	uint32_t consumer_id;        /* of the peer */
	uint64_t submitted;
	uint64_t completed;
	struct rte_comch_task *held[BULK_MAX_BUFS]; /* filled, and not taken yet */
	uint32_t nb_held;
	bool done;
	int error;
};

static int
native_fail(struct native *n, int err, const char *what)
{
	fprintf(stderr, "native %s: %s: %s\n", n->spec->sender ? "sender" : "receiver", what,
			strerror(-err));
	n->error = err;
	return -1;
}

static void
posted_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl, void *user_data)
{
	struct native *n = user_data;
	int ret;

	if (cpl->status != 0) {
		native_fail(n, cpl->status, "a buffer came back");
		return;
	}
	if (cpl->len != BULK_SIZE || !bulk_look(rte_comch_task_user_data_get(task), n->completed)) {
		native_fail(n, -EBADMSG, "a message is wrong");
		return;
	}
	n->completed++;
	bulk_count(n->laps, n->completed);
	n->done = n->completed == n->spec->nb_msgs;
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		native_fail(n, ret, "a buffer cannot be posted");
}

/* Tasks that wait, in their order. */
static void
native_send(struct native *n)
{
	uint32_t i;
	int ret;

	for (i = 0; i < n->nb_held; i++) {
		ret = rte_comch_task_submit(n->held[i]);
		if (ret == -EAGAIN)
			break;
		if (ret != 0) {
			native_fail(n, ret, "a message cannot be sent");
			return;
		}
	}
	n->nb_held -= i;
	memmove(n->held, n->held + i, n->nb_held * sizeof(n->held[0]));
}

static void
native_fill(struct native *n, struct rte_comch_task *task)
{
	if (n->submitted == n->spec->nb_msgs)
		return;
	bulk_fill(rte_comch_task_user_data_get(task), n->submitted++);
	n->held[n->nb_held++] = task;
}

static void
sent_cb(struct rte_comch_task *task, int status, void *user_data)
{
	struct native *n = user_data;

	if (status != 0) {
		if (n->completed < n->spec->nb_msgs)
			native_fail(n, status, "a message was not sent");
		return;
	}
	n->completed++;
	native_fill(n, task);
	native_send(n);
}

static int
native_mem(struct native *n)
{
	const struct bulk_spec *spec = n->spec;
	uint32_t flags = spec->sender ? 0 : RTE_COMCH_MEM_F_PEER_WRITE;
	uint64_t len = (uint64_t)spec->nb_bufs * BULK_SIZE;
	int ret;

	if (spec->memory == BULK_REGION) {
		ret = rte_comch_mem_alloc(n->dev_id, len, flags, &n->mem);
		if (ret == 0)
			n->base = rte_comch_mem_addr(n->mem);
	} else {
		n->base = bulk_memory(spec);
		ret = n->base == NULL ? -ENOMEM : rte_comch_mem_register(n->dev_id, n->base, len,
				flags, &n->mem);
	}
	return ret;
}

static void
queue_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct native *n = user_data;
	struct rte_comch_post post = { .len = BULK_SIZE };
	struct rte_comch_task *task;
	uint32_t i;
	int ret;

	(void)prev;
	if (next != RTE_COMCH_STATE_RUNNING || n->spec->sender)
		return;
	for (i = 0; i < n->spec->nb_bufs; i++) {
		post.addr = n->base + (size_t)i * BULK_SIZE;
		ret = rte_comch_consumer_task_alloc(ctx, &post, &task);
		if (ret == 0) {
			rte_comch_task_user_data_set(task, post.addr);
			ret = rte_comch_task_submit(task);
		}
		if (ret != 0) {
			native_fail(n, ret, "cannot post");
			return;
		}
	}
}

static void
native_connected(struct native *n, struct rte_comch_conn *conn)
{
	struct rte_comch_consumer_conf consumer = {
		.nb_tasks = n->spec->nb_bufs,
		.state_cb = queue_state_cb,
		.post_cb = posted_cb,
		.user_data = n,
	};
	struct rte_comch_producer_conf producer = {
		.nb_tasks = n->spec->nb_bufs,
		.state_cb = queue_state_cb,
		.send_cb = sent_cb,
		.user_data = n,
	};
	int ret;

	ret = native_mem(n);
	consumer.mem = n->mem;
	if (ret == 0)
		ret = n->spec->sender ? rte_comch_producer_create(conn, &producer, &n->queue) :
				rte_comch_consumer_create(conn, &consumer, &n->queue);
	if (ret == 0)
		ret = rte_comch_ctx_attach(n->queue, n->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(n->queue);
	if (ret != 0 && ret != -EINPROGRESS)
		native_fail(n, ret, "cannot start");
}

static void
connected_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	(void)status;
	native_connected(user_data, conn);
}

static void
disconnected_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct native *n = user_data;

	(void)conn;
	if (!n->done)
		native_fail(n, status == 0 ? -ECONNRESET : status, "the sender has left");
}

static void
client_state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct native *n = user_data;
	struct rte_comch_ctx_info info;

	if (next == RTE_COMCH_STATE_RUNNING) {
		if (rte_comch_ctx_info_get(ctx, &info) == 0 && info.conn != NULL)
			native_connected(n, info.conn);
	} else if (prev == RTE_COMCH_STATE_RUNNING) {
		n->done = true;
	} else if (next == RTE_COMCH_STATE_IDLE && !n->done) {
		native_fail(n, rte_comch_ctx_reason_get(ctx), "cannot connect");
	}
}

static void
consumer_new_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	struct native *n = user_data;
	struct rte_comch_send send = { .len = BULK_SIZE, .mem = n->mem };
	struct rte_comch_task *task;
	uint32_t i;
	int ret;

	(void)conn;
	for (i = 0; i < n->spec->nb_bufs; i++) {
		send.addr = n->base + (size_t)i * BULK_SIZE;
		ret = rte_comch_producer_task_alloc(n->queue, consumer_id, &send, &task);
		if (ret != 0) {
			native_fail(n, ret, "cannot allocate a send");
			return;
		}
		rte_comch_task_user_data_set(task, (void *)(uintptr_t)send.addr);
		native_fill(n, task);
	}
}

static void
consumer_gone_cb(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data)
{
	(void)conn;
	(void)consumer_id;
	(void)user_data;
}

static void
ctrl_sent_cb(struct rte_comch_task *task, int status, void *user_data)
{
	(void)status;
	(void)user_data;
	rte_comch_task_free(task);
}

static void
ctrl_recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	(void)conn;
	(void)msg;
	(void)len;
	(void)user_data;
}

static int
native_open(struct native *n)
{
	const struct rte_comch_ctrl_conf ctrl = {
		.state_cb = n->spec->sender ? client_state_cb : NULL,
		.send_cb = ctrl_sent_cb,
		.recv_cb = ctrl_recv_cb,
		.consumer_new_cb = consumer_new_cb,
		.consumer_gone_cb = consumer_gone_cb,
		.user_data = n,
	};
	struct rte_comch_client_conf client = { .name = NAME, .ctrl = ctrl };
	struct rte_comch_server_conf server = {
		.name = NAME,
		.max_clients = 1,
		.ctrl = ctrl,
		.connect_cb = connected_cb,
		.disconnect_cb = disconnected_cb,
	};
	struct rte_comch_rep_info rep;
	int ret;

	n->dev_id = rte_comch_dev_next(0);
	ret = rte_comch_pe_create(NULL, &n->pe);
	if (ret == 0 && n->spec->sender)
		ret = rte_comch_client_create(n->dev_id, &client, &n->ctx);
	else if (ret == 0 && rte_comch_rep_list(n->dev_id, &rep, 1) == 1)
		ret = rte_comch_server_create(n->dev_id, rep.rep_id, &server, &n->ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(n->ctx, n->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(n->ctx);
	return ret == -EINPROGRESS ? 0 : ret;
}

int
bulk_native(const struct bulk_spec *spec, struct bulk_laps *laps)
{
	struct native n = { .spec = spec, .laps = laps };
	char lcores[32], vdev[256];
	char *args[] = { (char *)(uintptr_t)"bulk", (char *)(uintptr_t)"--no-huge",
		(char *)(uintptr_t)"-m", (char *)(uintptr_t)"64",
		(char *)(uintptr_t)"--no-pci", (char *)(uintptr_t)"--no-shconf",
		(char *)(uintptr_t)"--no-telemetry", (char *)(uintptr_t)"--log-level=error",
		(char *)(uintptr_t)"--lcores", lcores, (char *)(uintptr_t)"--vdev", vdev, NULL };
	int ret;

	snprintf(lcores, sizeof(lcores), "0@%d", spec->cpu);
	snprintf(vdev, sizeof(vdev), "comch_shm0,role=%s,%s=pf0,path=%s",
			spec->sender ? "host" : "dpu", spec->sender ? "function" : "functions",
			spec->path);
	if (rte_eal_init(sizeof(args) / sizeof(args[0]) - 1, args) < 0)
		return native_fail(&n, -ENODEV, "EAL does not start");
	ret = native_open(&n);
	if (ret != 0)
		return native_fail(&n, ret, "cannot begin");
	while (!n.done && n.error == 0) {
		ret = rte_comch_pe_progress(n.pe);
		if (ret < 0)
			return native_fail(&n, ret, "no progress");
		if (n.nb_held != 0)
			native_send(&n);
		if (ret == 0)
			rte_pause();
	}
	return n.error == 0 ? 0 : -1;
}
