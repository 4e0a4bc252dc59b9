/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One direction: a producer that sends bursts, or a consumer that posts buffers
 * and checks what comes. Each has an engine of its own, so that each can be in a
 * thread of its own. Nothing in here touches the connection.
 */

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_pause.h>

#include "secure_channel.h"

/* Messages that may be on their way; as many buffers are posted. */
#define QUEUE_DEPTH 512

/* Messages in one call. */
#define BURST_SIZE 32

/* Buffers begin on a cache line. */
#define BUF_ALIGN 64

/* Message n begins at byte n modulo this of the pattern. */
#define PATTERN_STARTS 4096

/* Turns without work after which the CPU is offered to others. */
#define YIELD_TURNS 64

/* The pattern. 8< */
int
pattern_create(struct channel *ch)
{
	const uint64_t len = PATTERN_STARTS + MAX_MSG_SIZE;
	uint32_t random = 1;
	uint8_t *bytes;
	uint64_t i;
	int ret;

	/* Local: no flag lets a peer write to it. */
	ret = rte_comch_mem_alloc(ch->dev_id, len, 0, &ch->pattern);
	if (ret != 0)
		return ret;
	bytes = rte_comch_mem_addr(ch->pattern);
	for (i = 0; i < len; i++) {
		random = random * 1664525 + 1013904223;
		bytes[i] = random >> 24;
	}
	return 0;
}

/* Messages are sent from the pattern, and compared with it, where they lie. */
static const void *
pattern_of(const struct channel *ch, uint64_t msg)
{
	return RTE_PTR_ADD(rte_comch_mem_addr(ch->pattern), msg % PATTERN_STARTS);
}
/* >8 End of the pattern. */

static void *
buffer_of(const struct direction *dir, uint64_t msg)
{
	return RTE_PTR_ADD(rte_comch_mem_addr(dir->mem), msg % dir->depth * dir->stride);
}

/* Count completions; the first and the last one end the time. */
static void
count(struct direction *dir, uint16_t nb)
{
	if (nb == 0)
		return;
	dir->last = rte_get_timer_cycles();
	if (dir->first == 0)
		dir->first = dir->last;
	/* relaxed: the main lcore only wants to see that it moves */
	__atomic_store_n(&dir->done, dir->done + nb, __ATOMIC_RELAXED);
}

/* Sending. 8< */
static int
send_some(struct direction *dir)
{
	struct channel *ch = dir->ch;
	const uint32_t consumer_id = __atomic_load_n(&ch->peer_consumer, __ATOMIC_ACQUIRE);
	struct rte_comch_send msgs[BURST_SIZE];
	struct rte_comch_cpl cpls[BURST_SIZE];
	struct rte_comch_room room;
	uint16_t ended, taken, nb, i;
	int ret = 0;

	/* Until it has completed, a message has to stay as it is. */
	ended = rte_comch_queue_poll_burst(dir->ctx, cpls, BURST_SIZE);
	for (i = 0; i < ended; i++) {
		if (cpls[i].status != 0)
			fail(cpls[i].status, "%s: message %" PRIu64 " was not delivered: %s",
					ch->info.name, cpls[i].cookie, strerror(-cpls[i].status));
	}
	count(dir, ended);

	nb = RTE_MIN(dir->nb_msgs - dir->given, (uint64_t)BURST_SIZE);
	if (nb == 0 || consumer_id == 0)
		return ended;

	for (i = 0; i < nb; i++) {
		msgs[i] = (struct rte_comch_send){
			.addr = pattern_of(ch, dir->given + i),
			.len = dir->msg_size,
			.mem = ch->pattern,
			.cookie = dir->given + i,
		};
	}
	if (dir->first == 0)
		dir->first = rte_get_timer_cycles();
	taken = rte_comch_producer_send_burst(dir->ctx, consumer_id, msgs, nb);
	dir->given += taken;

	/*
	 * None taken is an everyday thing: the peer has posted too little, or our
	 * queue is full. That the connection has ended is the main lcore's news.
	 */
	if (taken == 0)
		ret = rte_comch_queue_room_get(dir->ctx, consumer_id, &room);
	if (taken == 0 && ret == 0)
		ret = room.reason;
	if (ret != 0 && ret != -EAGAIN && ret != -ENOBUFS && ret != -ENOTCONN)
		fail(ret, "%s: cannot send message %" PRIu64 ": %s", ch->info.name, dir->given,
				ret == -ENOENT ? "the peer has given up" : strerror(-ret));
	return ended + taken;
}
/* >8 End of sending. */

/* Receiving. 8< */
static int
receive_some(struct direction *dir)
{
	struct channel *ch = dir->ch;
	struct rte_comch_post posts[BURST_SIZE];
	struct rte_comch_cpl cpls[BURST_SIZE];
	uint16_t came, posted, nb, i;
	uint64_t room, left;

	/* With one producer they come in the order of the posts: we can count along. */
	came = rte_comch_queue_poll_burst(dir->ctx, cpls, BURST_SIZE);
	for (i = 0; i < came; i++) {
		const uint64_t msg = dir->done + i;

		if (cpls[i].status != 0)
			fail(cpls[i].status, "%s: message %" PRIu64 " did not come: %s",
					ch->info.name, msg, strerror(-cpls[i].status));
		else if (cpls[i].len != dir->msg_size)
			fail(-EBADMSG,
					"%s: message %" PRIu64 " has %" PRIu64
					" bytes instead of %u",
					ch->info.name, msg, cpls[i].len, dir->msg_size);
		else if (memcmp(buffer_of(dir, msg), pattern_of(ch, msg), dir->msg_size) != 0)
			fail(-EBADMSG, "%s: message %" PRIu64 " has other bytes than were sent",
					ch->info.name, msg);
	}
	count(dir, came);

	/* Buffer n is posted anew for message n + depth, as long as there is one. */
	room = dir->done + dir->depth - dir->given;
	left = RTE_MIN(room, dir->nb_msgs - dir->given);
	nb = RTE_MIN(left, (uint64_t)BURST_SIZE);
	for (i = 0; i < nb; i++) {
		posts[i] = (struct rte_comch_post){
			.addr = buffer_of(dir, dir->given + i),
			.len = dir->stride,
		};
	}
	posted = rte_comch_consumer_post_burst(dir->ctx, posts, nb);
	if (posted < nb)
		fail(-ENOBUFS, "%s: cannot post a buffer", ch->info.name);
	dir->given += posted;
	return came + posted;
}
/* >8 End of receiving. */

bool
direction_finished(const struct direction *dir)
{
	/* pairs with the release in finish() */
	return __atomic_load_n(&dir->finished, __ATOMIC_ACQUIRE);
}

bool
direction_complete(const struct direction *dir)
{
	return __atomic_load_n(&dir->done, __ATOMIC_RELAXED) == dir->nb_msgs;
}

static void
finish(struct direction *dir)
{
	/* release: what this thread has written is there for the main lcore */
	__atomic_store_n(&dir->finished, true, __ATOMIC_RELEASE);
}

static void
stop(struct direction *dir)
{
	int ret = rte_comch_ctx_stop(dir->ctx);

	if (dir->deadline == 0)
		dir->deadline = rte_get_timer_cycles() +
				rte_get_timer_hz() / MS_PER_S * TEARDOWN_MS;
	/* -EAGAIN: the engine of the connection is busy; the next step tries again. */
	if (ret != 0 && ret != -EINPROGRESS && ret != -EALREADY && ret != -EAGAIN)
		fail(ret, "%s: the %s does not stop: %s", dir->ch->info.name,
				dir->sends ? "producer" : "consumer", strerror(-ret));
}

static void
report_end(struct direction *dir, int reason)
{
	const char *dev = dir->ch->info.name;

	if (reason == -EACCES)
		fail(reason,
				"%s: the peer does not take our memory, its log says why: "
				"for huge pages, both sides need huge=1",
				dev);
	else if (reason == -ECONNRESET || reason == -ENOTCONN)
		fail(reason, "%s: the peer has left before the end", dev);
	else
		fail(reason, "%s: the %s has ended: %s", dev,
				dir->sends ? "producer" : "consumer", rte_comch_reason_str(reason));
}

/* One step of a direction. 8< */
/*
 * The consumer ends last: when it is gone, the peer knows that we have all that we
 * wait for, in both directions, and that it may leave.
 */
static bool
has_to_end(const struct direction *dir)
{
	if (failed())
		return true;
	return direction_complete(dir) && (dir->sends || direction_finished(&dir->ch->tx));
}

int
direction_step(struct direction *dir)
{
	const bool end = has_to_end(dir);
	struct rte_comch_cpl cpls[BURST_SIZE];
	int events = rte_comch_pe_progress(dir->pe);

	switch (rte_comch_ctx_state_get(dir->ctx)) {
	case RTE_COMCH_STATE_STARTING:
		/* The peer has to hear of us, through the engine of the main lcore. */
		if (end)
			stop(dir);
		break;
	case RTE_COMCH_STATE_RUNNING:
		if (!end)
			return events + (dir->sends ? send_some(dir) : receive_some(dir));
		stop(dir);
		break;
	case RTE_COMCH_STATE_STOPPING:
		/* Buffers that were posted and not used come back. */
		if (!dir->sends)
			events += rte_comch_queue_poll_burst(dir->ctx, cpls, BURST_SIZE);
		break;
	default:
		/* IDLE: stopped; or it did not start, or ended with the connection. */
		if (!end)
			report_end(dir, rte_comch_ctx_reason_get(dir->ctx));
		finish(dir);
		return -1;
	}

	if (dir->deadline != 0 && rte_get_timer_cycles() > dir->deadline) {
		fail(-ETIMEDOUT, "%s: the %s does not end", dir->ch->info.name,
				dir->sends ? "producer" : "consumer");
		finish(dir);
		return -1;
	}
	return events;
}
/* >8 End of one step of a direction. */

int
direction_main(void *arg)
{
	uint32_t idle = 0;
	int ret;

	while ((ret = direction_step(arg)) >= 0) {
		if (ret > 0)
			idle = 0;
		else if (++idle % YIELD_TURNS == 0)
			/* Lcores may share a CPU, and the peer may be on it, too. */
			sched_yield();
		else
			rte_pause();
	}
	return 0;
}

/* Set-up of a direction. 8< */
static int
producer_create(struct direction *dir)
{
	const struct channel *ch = dir->ch;
	const struct rte_comch_producer_conf conf = {
		.nb_sends = RTE_MIN(ch->info.max_sends, (uint32_t)QUEUE_DEPTH),
	};

	return rte_comch_producer_create(ch->conn, &conf, &dir->ctx);
}

static int
consumer_create(struct direction *dir)
{
	const struct channel *ch = dir->ch;
	struct rte_comch_consumer_conf conf = {
		.nb_posts = RTE_MIN(ch->info.max_posts, (uint32_t)QUEUE_DEPTH),
	};
	int ret;

	dir->depth = conf.nb_posts;
	dir->stride = RTE_ALIGN_CEIL(dir->msg_size, (uint32_t)BUF_ALIGN);
	ret = rte_comch_mem_alloc(ch->dev_id, (uint64_t)dir->depth * dir->stride,
			RTE_COMCH_MEM_F_PEER_WRITE, &dir->mem);
	if (ret != 0)
		return ret;
	conf.mem = dir->mem;
	conf.buf_size = dir->msg_size;
	return rte_comch_consumer_create(ch->conn, &conf, &dir->ctx);
}

void
direction_open(struct direction *dir)
{
	int ret;

	ret = rte_comch_pe_create(NULL, &dir->pe);
	if (ret == 0)
		ret = dir->sends ? producer_create(dir) : consumer_create(dir);
	if (ret == 0)
		ret = rte_comch_ctx_attach(dir->ctx, dir->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(dir->ctx);
	/* -EINPROGRESS: a consumer runs when the peer knows of it. */
	if (ret != 0 && ret != -EINPROGRESS) {
		fail(ret, "%s: cannot set up the %s: %s", dir->ch->info.name,
				dir->sends ? "producer" : "consumer", strerror(-ret));
		finish(dir);
	}
}
/* >8 End of set-up of a direction. */

void
direction_close(struct direction *dir)
{
	int ret;

	ret = rte_comch_ctx_destroy(dir->ctx);
	if (ret == 0)
		ret = rte_comch_mem_free(dir->mem);
	if (ret == 0)
		ret = rte_comch_pe_destroy(dir->pe);
	if (ret != 0)
		fail(ret, "%s: the %s cannot be freed: %s", dir->ch->info.name,
				dir->sends ? "producer" : "consumer", strerror(-ret));
}

void
direction_report(const struct direction *dir)
{
	const double ms = (dir->last - dir->first) * 1e3 / rte_get_timer_hz();

	printf("%s %" PRIu64 " of %" PRIu64 " messages of %u bytes in %.3f ms",
			dir->sends ? "Sent" : "Received", dir->done, dir->nb_msgs, dir->msg_size,
			ms);
	if (ms > 0)
		printf(", %.3f million per second", dir->done / ms / 1e3);
	putchar('\n');
}
