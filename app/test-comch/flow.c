/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Windows of send tasks. The completion is the hot path of every rate test. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>

#include "flow.h"
#include "pattern.h"

/* Own cache lines, so that the fill of one message does not touch the next. */
#define FLOW_BUF_ALIGN RTE_CACHE_LINE_SIZE

struct flow_slot {
	struct send_io io;
	struct flow *flow;
	struct rte_comch_task *task;
	uint8_t *buf;
};

/* One message that is not part of a flow. */
struct send_one {
	struct send_io io;
	uint8_t msg[] __rte_aligned(8);
};

void
send_io_cb(struct rte_comch_task *task, int status, void *user_data)
{
	struct send_io *io = rte_comch_task_user_data_get(task);

	RTE_SET_USED(user_data);
	io->done(task, io, status);
}

static void
send_one_done(struct rte_comch_task *task, struct send_io *io, int status)
{
	/* A lost connection is told by its own callback. */
	RTE_SET_USED(status);
	rte_comch_task_free(task);
	free(container_of(io, struct send_one, io));
}

int
send_copy(struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	struct send_one *one;
	struct rte_comch_task *task;
	int ret;

	one = malloc(sizeof(*one) + len);
	if (one == NULL)
		return -ENOMEM;
	one->io.done = send_one_done;
	memcpy(one->msg, msg, len);
	ret = rte_comch_conn_task_alloc(conn, one->msg, len, &task);
	if (ret != 0) {
		free(one);
		return ret;
	}
	rte_comch_task_user_data_set(task, &one->io);
	ret = rte_comch_task_submit(task);
	if (ret != 0) {
		rte_comch_task_free(task);
		free(one);
	}
	return ret;
}

static void
flow_destroy(struct flow *flow)
{
	free(flow->bufs);
	free(flow->slots);
	free(flow->free);
	free(flow);
}

static int
flow_submit(struct flow *flow, struct flow_slot *slot)
{
	int ret;

	if (flow->validate)
		pattern_fill(slot->buf, flow->size, flow->submitted);
	ret = rte_comch_task_submit(slot->task);
	if (likely(ret == 0))
		flow->submitted++;
	else if (flow->error == 0)
		flow->error = ret;
	return ret;
}

static void
flow_done(struct rte_comch_task *task, struct send_io *io, int status)
{
	struct flow_slot *slot = container_of(io, struct flow_slot, io);
	struct flow *flow = slot->flow;

	if (likely(status == 0)) {
		flow->completed++;
		if (likely(flow->running && flow->submitted < flow->budget) &&
				flow_submit(flow, slot) == 0)
			return;
	} else if (flow->error == 0) {
		flow->error = status;
	}

	if (flow->detached) {
		rte_comch_task_free(task);
		if (++flow->nb_free == flow->nb_slots && flow->closed)
			flow_destroy(flow);
		return;
	}
	flow->free[flow->nb_free++] = slot;
	if (flow->on_free != NULL)
		flow->on_free(flow, flow->arg);
}

int
flow_create(struct rte_comch_conn *conn, uint32_t size, uint32_t nb_slots, bool validate,
		struct flow **out)
{
	size_t stride = RTE_ALIGN_CEIL((size_t)size, FLOW_BUF_ALIGN);
	struct flow_slot *slot;
	struct flow *flow;
	uint32_t i;
	int ret = -ENOMEM;

	flow = calloc(1, sizeof(*flow));
	if (flow == NULL)
		return -ENOMEM;
	flow->conn = conn;
	flow->size = size;
	flow->nb_slots = nb_slots;
	flow->validate = validate;
	flow->slots = calloc(nb_slots, sizeof(*flow->slots));
	flow->free = calloc(nb_slots, sizeof(*flow->free));
	flow->bufs = aligned_alloc(FLOW_BUF_ALIGN, stride * nb_slots);
	if (flow->slots == NULL || flow->free == NULL || flow->bufs == NULL)
		goto fail;
	memset(flow->bufs, 0x5a, stride * nb_slots);

	for (i = 0; i < nb_slots; i++) {
		slot = &flow->slots[i];
		slot->io.done = flow_done;
		slot->flow = flow;
		slot->buf = flow->bufs + i * stride;
		ret = rte_comch_conn_task_alloc(conn, slot->buf, size, &slot->task);
		if (ret != 0)
			goto fail;
		rte_comch_task_user_data_set(slot->task, &slot->io);
		flow->free[flow->nb_free++] = slot;
	}
	*out = flow;
	return 0;

fail:
	for (i = 0; flow->slots != NULL && i < nb_slots && flow->slots[i].task != NULL; i++)
		rte_comch_task_free(flow->slots[i].task);
	flow_destroy(flow);
	return ret;
}

void
flow_detach(struct flow *flow)
{
	uint32_t i;

	if (flow->detached)
		return;
	flow->running = false;
	flow->detached = true;
	flow->on_free = NULL;
	if (flow->error == 0)
		flow->error = -ENOTCONN;
	for (i = 0; i < flow->nb_free; i++)
		rte_comch_task_free(flow->free[i]->task);
}

void
flow_close(struct flow *flow)
{
	if (flow == NULL)
		return;
	flow_detach(flow);
	flow->closed = true;
	if (flow->nb_free == flow->nb_slots)
		flow_destroy(flow);
}

int
flow_send(struct flow *flow, const void *payload)
{
	struct flow_slot *slot;
	int ret;

	if (unlikely(flow->detached))
		return flow->error;
	if (flow->nb_free == 0)
		return -EAGAIN;
	slot = flow->free[flow->nb_free - 1];
	if (payload != NULL)
		memcpy(slot->buf, payload, flow->size);
	else if (flow->validate)
		pattern_fill(slot->buf, flow->size, flow->submitted);
	ret = rte_comch_task_submit(slot->task);
	if (ret != 0) {
		if (flow->error == 0)
			flow->error = ret;
		return ret;
	}
	flow->nb_free--;
	flow->submitted++;
	return 0;
}

int
flow_start(struct flow *flow, uint64_t budget)
{
	int ret = 0;

	flow->budget = budget;
	flow->running = true;
	while (flow->nb_free > 0 && flow->submitted < budget && ret == 0)
		ret = flow_send(flow, NULL);
	return ret;
}

void
flow_stop(struct flow *flow)
{
	flow->running = false;
}
