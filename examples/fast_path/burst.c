/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The burst layer: the program asks, nothing calls back. This is the fast one;
 * a program with more to send than one text gives it many messages at a time.
 */

#include <errno.h>

#include <rte_common.h>

#include "fast_path.h"

/* Posting a burst of one. 8< */
static int
burst_post(struct app *app, const struct rte_comch_post *post)
{
	struct rte_comch_room room;
	int ret;

	if (rte_comch_consumer_post_burst(app->consumer, post, 1) == 1)
		return 0;
	ret = rte_comch_queue_room_get(app->consumer, 0, &room);
	return ret != 0 ? ret : room.reason;
}
/* >8 End of posting a burst of one. */

/* Sending a burst of one. 8< */
static int
burst_send(struct app *app, const struct rte_comch_send *send)
{
	struct rte_comch_room room;
	int ret;

	if (rte_comch_producer_send_burst(app->producer, app->peer_consumer, send, 1) == 1)
		return 0;
	/* Off the fast path: why was it not taken? */
	ret = rte_comch_queue_room_get(app->producer, app->peer_consumer, &room);
	return ret != 0 ? ret : room.reason;
}
/* >8 End of sending a burst of one. */

static bool
can_poll(const struct rte_comch_ctx *ctx)
{
	int state = rte_comch_ctx_state_get(ctx);

	return state == RTE_COMCH_STATE_RUNNING || state == RTE_COMCH_STATE_STOPPING;
}

/* Polling for completions. 8< */
static uint32_t
burst_poll(struct app *app)
{
	struct rte_comch_cpl cpls[NB_POSTS];
	uint16_t received = 0, sent = 0, i;

	/* The same call for both: of what was posted, and of what was sent. */
	if (can_poll(app->consumer))
		received = rte_comch_queue_poll_burst(app->consumer, cpls, RTE_DIM(cpls));
	for (i = 0; i < received; i++)
		data_received(app, &cpls[i], (const void *)(uintptr_t)cpls[i].cookie);

	if (can_poll(app->producer))
		sent = rte_comch_queue_poll_burst(app->producer, cpls, RTE_DIM(cpls));
	for (i = 0; i < sent; i++)
		data_sent(app, cpls[i].status);
	return received + sent;
}
/* >8 End of polling for completions. */

const struct layer burst_layer = {
	.post = burst_post,
	.send = burst_send,
	.poll = burst_poll,
};
