/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * An honest client in a process of its own: each millisecond a control message and two of
 * the fast path, all of which have to come back in order. It can be told:
 *
 *   pace <number> <file>       one of the eight of the suite shm_soak, which says how often
 *   run <reconnect> <seconds>  begin; with a new connection now and then, or with one
 *   report                     what there was so far, or what went wrong
 *   finish                     wait for what is under way, then report
 *   quit                       end
 */

#include <inttypes.h>
#include <unistd.h>

#include "test_comch_child.h"
#include "test_shm_soak.h"
#include "test_shm_storm.h"

#define TICK_US 1000
/* Under way at one time. */
#define MAX_MSGS 32u
#define MAX_FAST 32u
/* Ticks of one connection, if there are many. */
#define CONN_TICKS 2000u
/* Nothing of what is due comes for so long: it is lost. */
#define LOST_MS 30000u

enum storm_phase { PHASE_NONE = 0, PHASE_CONNECTS, PHASE_RUNS, PHASE_DRAINS, PHASE_CLOSES };

static struct {
	struct test_child_side side;
	enum storm_phase phase;
	struct test_ep *ep;
	struct storm_end end;
	bool reconnect;
	bool finish;
	bool tick;            /* it is time to send */
	unsigned int ticks;
	uint32_t sent;        /* control messages of this connection */
	uint64_t last_ns;     /* something that was due has come */
	uint64_t last_sum;
	struct storm_counts counts;
	int error;
} child;

#define answer(...) test_child_reply(&child.side, __VA_ARGS__)

static int
report(void)
{
	const struct storm_counts *counts = &child.counts;
	int ret = answer("ok %d %" PRIu64 " %" PRIu64 " %u %u", child.error, counts->msgs,
		counts->fast, counts->nb_connects, counts->worst_ms);

	child.counts.worst_ms = 0;
	return ret;
}

static int
child_connect(void)
{
	struct rte_comch_client_conf conf;
	int ret;

	memset(&child.end, 0, sizeof(child.end));
	child.ep = test_ep_new();
	test_client_conf(child.ep, "honest", &conf);
	conf.ctrl.nb_tasks = 2 * MAX_MSGS;
	conf.connect_timeout_ms = LOST_MS;
	child.sent = child.ticks = 0;
	child.phase = PHASE_CONNECTS;
	ret = test_client_start(child.ep, &conf, child.side.pe);
	return ret == -EINPROGRESS ? 0 : ret;
}

/* The echoes come in order, each is as it was sent. */
static void
echo_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	const uint32_t nr = ep->nb_recv - 1;

	if (len != 100 + nr % 1000 || !test_check(msg, len, nr))
		child.error = -EILSEQ;
	soak_pace_got(SOAK_MSGS, nr);
	child.counts.msgs++;
}

static int
child_send(void)
{
	int ret = 0;

	if (child.sent - child.ep->nb_recv < MAX_MSGS) {
		soak_pace_sent(SOAK_MSGS, child.sent);
		ret = test_send_pattern(child.ep->conn, 100 + child.sent % 1000, child.sent);
		child.sent += ret == 0;
	}
	return ret == -ENOMEM || ret == -EDQUOT ? 0 : ret;
}

/* Has anything come that is waited for? */
static int
child_watch(bool due)
{
	uint64_t sum = child.counts.msgs + child.counts.fast + child.counts.nb_connects;
	uint64_t now = test_now_ns();
	unsigned int ms = (unsigned int)((now - child.last_ns) / 1000000);

	if (due && sum == child.last_sum) {
		child.counts.worst_ms = RTE_MAX(child.counts.worst_ms, ms);
		return ms < LOST_MS ? 0 : -ETIMEDOUT;
	}
	child.last_sum = sum;
	child.last_ns = now;
	return 0;
}

/* One turn of the fast path, and its times. */
static void
child_fast(uint64_t send_to)
{
	uint64_t sent = child.end.sent, received = child.end.received;

	for (; sent < send_to; sent++)
		soak_pace_sent(SOAK_FAST, sent);
	storm_end_turn(&child.end, send_to);
	for (; received < child.end.received; received++) {
		soak_pace_got(SOAK_FAST, received);
		child.counts.fast++;
	}
}

/* @return 0, or what was lost */
static int
child_run(bool sends)
{
	struct storm_end *end = &child.end;
	uint64_t send_to = end->sent;
	int ret = 0;

	if (child.ep->conn == NULL)
		return -ENOTCONN;
	if (sends) {
		ret = child_send();
		if (end->sent - end->received < MAX_FAST)
			send_to += 2;
	}
	child_fast(send_to);
	return ret != 0 ? ret : end->error;
}

static int
child_phase(void)
{
	struct storm_end *end = &child.end;
	int ret = 0, state = test_state(child.ep);

	switch (child.phase) {
	case PHASE_CONNECTS:
		if (state == RTE_COMCH_STATE_IDLE)
			return rte_comch_ctx_reason_get(child.ep->ctx);
		if (state != RTE_COMCH_STATE_RUNNING)
			return 0;
		child.counts.nb_connects++;
		child.ep->on_recv = echo_recv;
		child.phase = PHASE_RUNS;
		return storm_end_open(end, child.ep, child.ep->conn, test_pair.host,
			child.side.pe);
	case PHASE_RUNS:
		ret = child_run(child.tick);
		if (child.finish || (child.reconnect && ++child.ticks == CONN_TICKS))
			child.phase = PHASE_DRAINS;
		return ret;
	case PHASE_DRAINS:
		ret = child_run(false);
		if (child.sent == child.ep->nb_recv && end->sent == end->received)
			child.phase = PHASE_CLOSES;
		return ret;
	case PHASE_CLOSES:
		if (!storm_end_close(end))
			return 0;
		ret = test_ep_close(child.ep);
		child.phase = PHASE_NONE;
		if (ret != 0)
			return ret;
		return child.finish ? report() : child_connect();
	default:
		return 0;
	}
}

/* Each turn of the child: it says itself when it sleeps. */
static bool
child_busy(void)
{
	bool due;

	if (child.phase == PHASE_NONE || child.error != 0)
		return false;
	child.tick = true;
	if (soak_pace_is_on())
		child.tick = soak_pace_wait(child.side.pe, child.side.sock);
	else
		usleep(TICK_US);
	due = child.phase != PHASE_RUNS || child.sent != child.ep->nb_recv ||
		child.end.sent != child.end.received;
	child.error = child_watch(due);
	if (child.error == 0)
		child.error = child_phase();
	if (child.error != 0) {
		fprintf(stderr, "honest child %d: phase %d: %s; messages %u of %u, fast %u of %u\n",
			(int)getpid(), child.phase, strerror(-child.error), child.ep->nb_recv,
			child.sent, (unsigned int)child.end.received,
			(unsigned int)child.end.sent);
		if (child.finish)
			report();
	}
	return true;
}

static int
do_pace(const char *args)
{
	char file[TEST_CHILD_LINE];
	unsigned int nr;
	int ret;

	if (sscanf(args, "%u %255s", &nr, file) != 2)
		return -EINVAL;
	ret = soak_pace_open(nr, file);
	return ret != 0 ? ret : answer("ok");
}

static int
do_run(const char *args)
{
	unsigned int reconnect, seconds;

	if (sscanf(args, "%u %u", &reconnect, &seconds) != 2)
		return -EINVAL;
	alarm(seconds);
	child.reconnect = reconnect != 0;
	child.last_ns = test_now_ns();
	child.error = child_connect();
	return child.error != 0 ? child.error : answer("ok");
}

static int
do_report(const char *args __rte_unused)
{
	return report();
}

/* Answered when all is there. */
static int
do_finish(const char *args __rte_unused)
{
	child.finish = true;
	return child.error != 0 || child.phase == PHASE_NONE ? report() : 0;
}

static const struct test_child_command commands[] = {
	{ "pace ", do_pace },
	{ "run ", do_run },
	{ "report", do_report },
	{ "finish", do_finish },
};

int
test_storm_child_main(const char *socket_nr)
{
	int ret;

	child.side.commands = commands;
	child.side.nb_commands = RTE_DIM(commands);
	child.side.busy = child_busy;
	ret = test_child_run(&child.side, socket_nr);
	while (child.phase != PHASE_NONE && !storm_end_close(&child.end))
		test_progress();
	test_cleanup();
	return ret;
}

/*
 * In the parent, whose engine somebody turns meanwhile
 */

int
storm_child_start(struct test_child *to, bool reconnect, unsigned int seconds)
{
	return test_child_tell(to, "run %u %u", reconnect, seconds);
}

int
storm_child_report(struct test_child *from, struct storm_counts *counts)
{
	int error = -EBADMSG;

	if (sscanf(from->reply, "%d %" SCNu64 " %" SCNu64 " %u %u", &error, &counts->msgs,
			&counts->fast, &counts->nb_connects, &counts->worst_ms) != 5)
		return -EBADMSG;
	return error;
}
