/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The messages: pings that the host begins, pings that the program begins, and copies.
 * Nothing is made or freed in here.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "msgq.h"

/* Longest sleep between two looks at the state of the program. */
#define NAP_MS 100

/* Why the other end does not do what it should. */
static int
report(struct app *app, const struct unit *u, int error, const char *what)
{
	const uint32_t eu = (uint32_t)(u - app->units);
	struct rte_comch_dpa_eu_info info;
	struct rte_comch_dpa_status status;

	if (rte_comch_dpa_status_get(app->dpa, &status) == 0 &&
			status.state == RTE_COMCH_DPA_FAILED)
		return fail(status.reason, "%s: the program has ended: %s", app->program,
				status.text);
	if (rte_comch_dpa_eu_info_get(app->dpa, eu, &info) == 0 && info.errors != 0)
		return fail(info.error, "%s: execution unit %u: %s: %s", app->program, eu,
				info.func, strerror(-info.error));
	return fail(error, "%s: execution unit %u: %s: %s", app->info.name, eu, what,
			strerror(-error));
}

/* The caller has looked, and there was nothing. */
static int
nap(struct app *app)
{
	int ret = rte_comch_pe_progress(app->pe);

	if (ret != 0)
		return RTE_MIN(ret, 0);
	if (app->event)
		return engine_sleep(app->pe, NAP_MS);
	rte_pause();
	return 0;
}

/* Is there a reason to wait no longer? */
static int
waited(struct app *app, const struct unit *u, uint64_t end, const char *what)
{
	struct rte_comch_dpa_status status;
	int ret;

	if (interrupted)
		return fail(-EINTR, "%s: interrupted", app->info.name);
	if (rte_comch_ctx_state_get(app->consumer) != RTE_COMCH_STATE_RUNNING ||
			(rte_comch_dpa_status_get(app->dpa, &status) == 0 &&
			status.state == RTE_COMCH_DPA_FAILED))
		return report(app, u, -EIO, what);
	if (rte_get_timer_cycles() > end)
		return report(app, u, -ETIMEDOUT, what);
	ret = nap(app);
	return ret == 0 ? 0 : report(app, u, ret, "the progress engine failed");
}

static uint64_t
wait_end(void)
{
	return rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * WAIT_MS;
}

/* Sending. 8< */
static int
send_msg(struct app *app, struct unit *u, uint32_t op, uint64_t value)
{
	const struct msgq_msg msg = { .op = op, .value = value };
	const struct rte_comch_send send = { .imm = &msg, .imm_len = sizeof(msg) };
	const uint64_t end = wait_end();
	struct rte_comch_cpl cpls[NB_CPLS];
	struct rte_comch_room room;
	int ret;

	/* Immediate data is copied: the message is ours again when it was taken. */
	while (rte_comch_producer_send_burst(app->producer, u->id, &send, 1) == 0) {
		ret = rte_comch_queue_room_get(app->producer, u->id, &room);
		if (ret == 0 && room.reason != -EAGAIN && room.reason != -ENOBUFS)
			ret = room.reason;
		if (ret != 0)
			return report(app, u, ret, "cannot send");
		ret = waited(app, u, end, "it takes no message");
		if (ret != 0)
			return ret;
	}
	rte_comch_queue_poll_burst(app->producer, cpls, RTE_DIM(cpls));
	return 0;
}
/* >8 End of sending. */

/* Receiving. 8< */
static int
receive_msg(struct app *app, struct unit *u, struct msgq_msg *msg)
{
	const struct rte_comch_post post = { .cookie = 0 };
	const uint64_t end = wait_end();
	struct rte_comch_cpl cpl;
	int ret;

	while (rte_comch_queue_poll_burst(app->consumer, &cpl, 1) == 0) {
		ret = waited(app, u, end, "it does not answer");
		if (ret != 0)
			return ret;
	}
	if (cpl.status != 0)
		return report(app, u, cpl.status, "a receive has failed");
	if (cpl.imm_len != sizeof(*msg))
		return fail(-EPROTO, "%s: a message has %u bytes, and not %zu: build both "
				"programs of one source", app->program, cpl.imm_len, sizeof(*msg));
	memcpy(msg, cpl.imm, sizeof(*msg));
	if (rte_comch_consumer_post_burst(app->consumer, &post, 1) != 1)
		return report(app, u, -EIO, "cannot post");
	return 0;
}
/* >8 End of receiving. */

static int
expect(struct app *app, struct unit *u, uint32_t op, uint64_t value)
{
	struct msgq_msg msg;
	int ret = receive_msg(app, u, &msg);

	if (ret != 0)
		return ret;
	if (msg.op != op || msg.value != value || msg.eu != (uint32_t)(u - app->units))
		return fail(-EPROTO, "%s: execution unit %u said %u %llu, and not %u %llu: "
				"build both programs of one source", app->program, msg.eu, msg.op,
				(unsigned long long)msg.value, op, (unsigned long long)value);
	return 0;
}

/* The host asks, the program answers. */
static int
ping(struct app *app, struct unit *u)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < app->count && ret == 0; i++) {
		ret = send_msg(app, u, MSGQ_OP_PING, i);
		if (ret == 0)
			ret = expect(app, u, MSGQ_OP_PONG, i);
	}
	return ret;
}

/* The program asks, the host answers. */
static int
pong(struct app *app, struct unit *u)
{
	uint32_t left;
	int ret = send_msg(app, u, MSGQ_OP_BEGIN, app->count);

	for (left = app->count; left > 0 && ret == 0; left--) {
		ret = expect(app, u, MSGQ_OP_PING, left);
		if (ret == 0)
			ret = send_msg(app, u, MSGQ_OP_PONG, left);
	}
	return ret == 0 ? expect(app, u, MSGQ_OP_DONE, 0) : ret;
}

/* A copy. 8< */
static int
copy(struct app *app, struct unit *u)
{
	uint32_t i;
	int ret = 0;

	for (i = 0; i < app->count && ret == 0; i++) {
		memset(u->src, (int)(i + 1) & 0xff, COPY_LEN);
		ret = send_msg(app, u, MSGQ_OP_COPY, i);
		if (ret == 0)
			ret = expect(app, u, MSGQ_OP_COPIED, i);
		/* The message is here, and so is all of the data. */
		if (ret == 0 && memcmp(u->src, u->dst, COPY_LEN) != 0)
			ret = fail(-EBADMSG, "%s: copy %u has other bytes",
					app->info.name, i);
	}
	return ret;
}
/* >8 End of a copy. */

static double
ns_each(uint64_t begin, uint32_t nb)
{
	return (double)(rte_get_timer_cycles() - begin) * (double)NS_PER_S /
			(double)rte_get_timer_hz() / nb;
}

int
exchange(struct app *app)
{
	static const struct {
		int (*run)(struct app *app, struct unit *u);
		const char *name;
	} parts[] = {
		{ ping, "round trips that the host began" },
		{ pong, "round trips that the program began" },
		{ copy, "copies" },
	};
	uint64_t begin;
	uint32_t eu, i;
	int ret = 0;

	for (eu = 0; eu < app->nb_eus && ret == 0; eu++) {
		for (i = 0; i < RTE_DIM(parts) && ret == 0; i++) {
			begin = rte_get_timer_cycles();
			ret = parts[i].run(app, &app->units[eu]);
			if (ret == 0)
				printf("Execution unit %u: %u %s, %.0f ns each\n", eu, app->count,
						parts[i].name, ns_each(begin, app->count));
		}
	}
	return ret;
}
