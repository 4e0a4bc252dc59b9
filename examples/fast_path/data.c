/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The fast path, which is the same for both roles: memory regions, a consumer
 * and a producer, the exchange, and the end of all that. How messages are
 * posted, sent and polled for is in burst.c and task.c.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>

#include "fast_path.h"

void
peer_consumer_new(struct rte_comch_conn *conn __rte_unused, uint32_t consumer_id, void *user_data)
{
	struct app *app = user_data;

	/* One is enough: the first one gets the text. */
	if (app->peer_consumer == 0)
		app->peer_consumer = consumer_id;
}

void
peer_consumer_gone(struct rte_comch_conn *conn __rte_unused, uint32_t consumer_id, void *user_data)
{
	struct app *app = user_data;

	if (app->peer_consumer == consumer_id)
		app->peer_consumer = 0;
}

static void
print_text(const char *text, size_t len)
{
	size_t i;

	/* The peer is not trusted: its bytes do not drive our terminal. */
	for (i = 0; i < len; i++) {
		if (isprint((unsigned char)text[i]))
			putchar(text[i]);
		else
			printf("\\x%02x", (unsigned char)text[i]);
	}
	putchar('\n');
}

/* A posted buffer has come back. 8< */
void
data_received(struct app *app, const struct rte_comch_cpl *cpl, const void *buf)
{
	char copy[BUF_SIZE];
	uint32_t len;

	if (cpl->status != 0) {
		app->returned++;
		return;
	}
	/*
	 * The library has checked the length, but the peer can still write to
	 * the buffer: look at a copy.
	 */
	len = cpl->len;
	memcpy(copy, buf, len);
	printf("Received %u bytes from producer %u: ", len, cpl->producer_id);
	print_text(copy, len);

	/* Immediate data is a copy already: in the completion, or beside it. */
	printf("  with %u bytes of immediate data: ", cpl->imm_len);
	print_text(cpl->imm_len <= sizeof(cpl->imm) ? (const char *)cpl->imm : cpl->imm_ext,
			cpl->imm_len);
	app->received = true;
}
/* >8 End of a posted buffer has come back. */

void
data_sent(struct app *app, int status)
{
	if (status == 0) {
		printf("Delivered %zu bytes\n", strlen(app->text));
		app->sent = true;
	} else if (status != -ECANCELED) {
		fail(status, "%s: the text was not delivered: %s", app->info.name,
				strerror(-status));
	}
}

static void
report_send(struct app *app, int reason)
{
	switch (reason) {
	case -EMSGSIZE:
		fail(reason,
				"%s: the text has %zu bytes, the buffers of the peer have less: "
				"shorten -t",
				app->info.name, strlen(app->text));
		break;
	case -E2BIG:
		fail(reason,
				"%s: %zu bytes are more immediate data than the peer takes: "
				"shorten -i",
				app->info.name, strlen(app->imm));
		break;
	case -ENOENT:
		fail(reason, "%s: the consumer of the peer is gone", app->info.name);
		break;
	default:
		fail(reason, "%s: cannot send: %s", app->info.name, strerror(-reason));
		break;
	}
}

static bool
ctx_in(const struct rte_comch_ctx *ctx, enum rte_comch_state state)
{
	return ctx != NULL && rte_comch_ctx_state_get(ctx) == (int)state;
}

/* There is a text to send, and somebody to send it to. */
static bool
can_send(const struct app *app)
{
	return ctx_in(app->producer, RTE_COMCH_STATE_RUNNING) && !app->submitted &&
			app->peer_consumer != 0 && !failed();
}

/* Sending, and looking for what has ended. 8< */
uint32_t
data_work(struct app *app)
{
	uint32_t done = 0;

	if (can_send(app)) {
		const struct rte_comch_send send = {
			.addr = app->text,
			.len = strlen(app->text),
			.mem = app->tx_mem,
			.imm = app->imm,
			.imm_len = strlen(app->imm),
		};
		int ret = app->layer->send(app, &send);

		if (ret == 0) {
			app->submitted = true;
			done++;
		} else if (ret != -EAGAIN && ret != -ENOBUFS && ret != -ENOTCONN) {
			report_send(app, ret);
		}
	}
	if (app->layer->poll != NULL)
		done += app->layer->poll(app);
	return done;
}
/* >8 End of sending, and looking for what has ended. */

static bool
consumer_started(const struct app *app)
{
	return !ctx_in(app->consumer, RTE_COMCH_STATE_STARTING);
}

static bool
exchange_ended(const struct app *app)
{
	return (app->sent && app->received) || failed() || app->gone;
}

/* Regions, consumer and producer. 8< */
static int
data_create(struct app *app)
{
	const bool tasks = app->layer->post_cb != NULL;
	struct rte_comch_consumer_conf consumer = {
		.nb_posts = NB_POSTS,
		.imm_len = RTE_MIN(app->info.max_imm_len, (uint32_t)IMM_LEN),
		.nb_tasks = tasks ? NB_POSTS : 0,
		.post_cb = app->layer->post_cb,
		.user_data = app,
	};
	const struct rte_comch_producer_conf producer = {
		.nb_sends = 1,
		.nb_tasks = tasks ? 1 : 0,
		.send_cb = app->layer->send_cb,
		.user_data = app,
	};
	int ret;

	/* What the peer may write to has pages of its own, and nothing else in them. */
	ret = rte_comch_mem_alloc(
			app->dev_id, NB_POSTS * BUF_SIZE, RTE_COMCH_MEM_F_PEER_WRITE, &app->rx_mem);
	if (ret != 0)
		return ret;
	/* What only we read from may be anywhere. */
	ret = rte_comch_mem_register(app->dev_id, app->text, strlen(app->text), 0, &app->tx_mem);
	if (ret != 0)
		return ret;

	consumer.mem = app->rx_mem;
	consumer.buf_size = BUF_SIZE;
	ret = rte_comch_consumer_create(app->conn, &consumer, &app->consumer);
	if (ret != 0)
		return ret;
	ret = rte_comch_producer_create(app->conn, &producer, &app->producer);
	if (ret != 0)
		return ret;
	ret = rte_comch_ctx_attach(app->consumer, app->pe);
	if (ret != 0)
		return ret;
	return rte_comch_ctx_attach(app->producer, app->pe);
}
/* >8 End of regions, consumer and producer. */

/* Start, and post. 8< */
static int
data_start(struct app *app)
{
	struct rte_comch_post post = { .len = BUF_SIZE };
	uint32_t i;
	int ret;

	/* A producer runs at once, a consumer when the peer knows of it. */
	ret = rte_comch_ctx_start(app->producer);
	if (ret != 0)
		return ret;
	ret = rte_comch_ctx_start(app->consumer);
	if (ret != 0 && ret != -EINPROGRESS)
		return ret;
	ret = turn_until(app, consumer_started, app->wait_ms);
	if (ret != 0)
		return ret;
	if (!ctx_in(app->consumer, RTE_COMCH_STATE_RUNNING))
		return rte_comch_ctx_reason_get(app->consumer);

	for (i = 0; i < NB_POSTS; i++) {
		post.addr = RTE_PTR_ADD(rte_comch_mem_addr(app->rx_mem), i * BUF_SIZE);
		post.cookie = (uintptr_t)post.addr;
		ret = app->layer->post(app, &post);
		if (ret != 0)
			return ret;
	}
	return 0;
}
/* >8 End of start, and post. */

/* End, in this order. 8< */
static void
data_close(struct app *app)
{
	/* The producer leaves STOPPING when its tasks are freed. */
	rte_comch_task_free(app->task);
	app->task = NULL;
	ctx_close(app, &app->producer, "producer");
	/* The buffers that are still posted come back while it is STOPPING. */
	ctx_close(app, &app->consumer, "consumer");

	rte_comch_mem_free(app->tx_mem);
	rte_comch_mem_free(app->rx_mem);
}
/* >8 End of end, in this order. */

void
data_run(struct app *app)
{
	int ret;

	ret = data_create(app);
	if (ret == 0)
		ret = data_start(app);
	if (ret == 0)
		ret = turn_until(app, exchange_ended, app->wait_ms);

	if (ret == -EINTR)
		fail(ret, "%s: interrupted", app->info.name);
	else if (ret == -ETIMEDOUT && app->peer_consumer == 0)
		fail(ret, "%s: the peer made no consumer within %u s", app->info.name,
				app->wait_ms / 1000);
	else if (ret == -ETIMEDOUT)
		fail(ret, "%s: no exchange within %u s: text %s, text %s", app->info.name,
				app->wait_ms / 1000, app->sent ? "delivered" : "not delivered",
				app->received ? "received" : "not received");
	else if (ret == -EACCES)
		fail(ret,
				"%s: the peer does not take our memory, its log says why: "
				"for huge pages, both sides need huge=1",
				app->info.name);
	else if (ret != 0 && !failed())
		fail(ret, "%s: cannot set up the fast path: %s", app->info.name,
				strerror(-ret));
	else if (!failed() && !(app->sent && app->received))
		fail(-ENOTCONN, "%s: the peer left before both texts were delivered",
				app->info.name);

	data_close(app);
	if (!failed())
		printf("%u of %u buffers came back unused\n", app->returned, NB_POSTS);
}
