/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ends of connections that count what happens to them, and how they are
 * progressed and cleaned up. Devices are in test_comch_devs.c, resources of the
 * process in test_comch_res.c.
 */

#include <poll.h>
#include <time.h>
#include <unistd.h>

#include "test_comch_place.h"
#include "test_comch_util.h"
#include "test_mock.h"
#include "test_rand.h"

#define TEST_MAX_PES 80

/* A message between two devices of the model is there by then, also on a busy machine. */
#define ARRIVE_MS 20
#define MAX_IDLE_WAKES 20

/* The default would make a large pool for each of the many engines of a run. */
/* a server with as many clients as one link of shm has, and some tasks for them */
#define TEST_PE_TASKS 5120

TAILQ_HEAD(test_ep_list, test_ep);

static struct test_ep_list eps = TAILQ_HEAD_INITIALIZER(eps);
static struct rte_comch_pe *pes[TEST_MAX_PES];
static unsigned int nb_pes;

unsigned int test_slow = 1;

RTE_INIT(slow_get)
{
	const char *env = getenv("COMCH_TEST_SLOW");
	const int times = env != NULL ? atoi(env) : 1;

	test_slow = RTE_MAX(times, 1);
}

uint64_t
test_clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

uint64_t
test_now_ns(void)
{
	return test_clock_ns(CLOCK_MONOTONIC);
}

uint32_t
test_rand(void)
{
	static uint32_t x = 2463534242u;

	return test_rand_next(&x);
}

void
test_fill(uint8_t *buf, uint32_t len, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + len;
	uint32_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525u + 1013904223u;
		buf[i] = (uint8_t)(x >> 24);
	}
}

bool
test_check(const uint8_t *buf, uint32_t len, uint32_t seed)
{
	uint32_t x = seed * 2654435761u + len;
	uint32_t i;

	for (i = 0; i < len; i++) {
		x = x * 1664525u + 1013904223u;
		if (buf[i] != (uint8_t)(x >> 24))
			return false;
	}
	return true;
}

struct rte_comch_pe *
test_pe_new(void)
{
	const struct rte_comch_pe_conf conf = {
		.socket_id = -1,
		.max_tasks = TEST_PE_TASKS,
	};

	return test_pe_new_conf(&conf);
}

struct rte_comch_pe *
test_pe_new_conf(const struct rte_comch_pe_conf *conf)
{
	int ret;

	if (nb_pes == TEST_MAX_PES)
		test_give_up("more progress engines than a test can have");
	ret = rte_comch_pe_create(conf, &pes[nb_pes]);
	if (ret != 0)
		test_give_up("no progress engine: %s", strerror(-ret));
	return pes[nb_pes++];
}

int
test_wait_fd(struct rte_comch_pe *pe, int ms)
{
	struct pollfd pfd = { .fd = rte_comch_pe_fd(pe), .events = POLLIN };

	return poll(&pfd, 1, ms);
}

int
test_progress(void)
{
	unsigned int i;
	int ret, sum = 0;

	for (i = 0; i < nb_pes; i++) {
		ret = rte_comch_pe_progress(pes[i]);
		if (ret < 0)
			test_fail("progress: %s", strerror(-ret));
		else
			sum += ret;
	}
	return sum;
}

int
test_turn(struct rte_comch_pe *first, struct rte_comch_pe *second)
{
	int ret = rte_comch_pe_progress(first);
	int more = second == NULL ? 0 : rte_comch_pe_progress(second);

	if (ret < 0 || more < 0)
		test_fail("progress: %s", strerror(ret < 0 ? -ret : -more));
	return ret + more;
}

void
test_turn_ms(struct rte_comch_pe *first, struct rte_comch_pe *second, unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	do {
		if (test_turn(first, second) == 0)
			sched_yield();
	} while (test_now_ns() < end);
}

void
test_progress_ms(unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	do {
		if (test_progress() == 0)
			sched_yield();
	} while (test_now_ns() < end);
}

void
test_settle(void)
{
	uint64_t quiet = test_place_is_bluefield() ? ARRIVE_MS * UINT64_C(1000000) : 0;
	uint64_t now = test_now_ns(), end = now + (uint64_t)TEST_MS * 1000000, busy = now;
	unsigned int idle = 0;

	while (idle < 3 || now - busy < quiet) {
		idle = test_progress() == 0 && !test_mock_is_busy() ? idle + 1 : 0;
		now = test_now_ns();
		if (idle == 0)
			busy = now;
		if (now > end) {
			test_fail("the engines did not become idle");
			return;
		}
	}
}

void
test_arrive(void)
{
	if (!test_place_is_bluefield())
		return;
	usleep(ARRIVE_MS * 1000);
	test_places_rest(); /* on a busy machine */
}

static void
state_cb(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct test_ep *ep = user_data;

	if (ep->nb_states < TEST_EP_STATES)
		ep->states[ep->nb_states] = next;
	ep->nb_states++;
	if (rte_comch_ctx_state_get(ctx) != (int)next)
		test_fail("the state callback says %s, the context %s",
				rte_comch_state_name(next),
				rte_comch_state_name(rte_comch_ctx_state_get(ctx)));
	if (test_ctx_info(ctx).type == RTE_COMCH_CTX_CLIENT) {
		ep->conn = test_ctx_info(ctx).conn;
		if (next == RTE_COMCH_STATE_RUNNING && ep->conn == NULL)
			test_fail("a running client has no connection");
	}
	if (ep->on_state != NULL)
		ep->on_state(ep, prev, next);
}

static int
submit_buf(struct test_buf *buf)
{
	struct rte_comch_task *task;
	int ret;

	ret = rte_comch_conn_task_alloc(buf->conn, buf->data, buf->len, &task);
	if (ret != 0)
		return ret;
	rte_comch_task_user_data_set(task, buf);
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		rte_comch_task_free(task);
	return ret;
}

void
test_flush_backlog(struct test_ep *ep)
{
	struct test_buf *buf;
	int ret;

	while ((buf = STAILQ_FIRST(&ep->backlog)) != NULL) {
		ret = submit_buf(buf);
		if (ret == -ENOMEM || ret == -EDQUOT)
			return;
		STAILQ_REMOVE_HEAD(&ep->backlog, next);
		if (ret != 0)
			free(buf);
	}
}

static void
send_cb(struct rte_comch_task *task, int status, void *user_data)
{
	struct test_ep *ep = user_data;

	if (status == 0) {
		ep->nb_done++;
	} else {
		ep->nb_failed++;
		ep->send_status = status;
	}
	if (ep->on_send != NULL) {
		ep->on_send(ep, task, status);
		return;
	}
	free(rte_comch_task_user_data_get(task));
	if (rte_comch_task_free(task) != 0)
		test_fail("a task cannot be freed in its callback");
	test_flush_backlog(ep);
}

static struct test_buf *
buf_new(struct rte_comch_conn *conn, uint32_t len)
{
	struct test_buf *buf = malloc(sizeof(*buf) + len);

	if (buf != NULL) {
		buf->conn = conn;
		buf->len = len;
	}
	return buf;
}

static void
recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct test_ep *ep = user_data;
	struct test_buf *buf;

	ep->nb_recv++;
	ep->rx_bytes += len;
	if (((uintptr_t)msg & 7) != 0)
		test_fail("the message is not aligned to 8 bytes");
	if (ep->on_recv != NULL) {
		ep->on_recv(ep, conn, msg, len);
		return;
	}
	free(ep->last_msg);
	ep->last_msg = malloc(len);
	if (ep->last_msg != NULL)
		memcpy(ep->last_msg, msg, len);
	ep->last_len = len;
	if (!ep->echo)
		return;
	buf = buf_new(conn, len);
	if (buf == NULL)
		return;
	memcpy(buf->data, msg, len);
	/* behind those that wait already, or the order would change */
	STAILQ_INSERT_TAIL(&ep->backlog, buf, next);
	test_flush_backlog(ep);
}

static void
connect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct test_ep *ep = user_data;

	ep->nb_connects++;
	ep->connect_status = status;
	ep->conn = conn;
	if (ep->on_connect != NULL)
		ep->on_connect(ep, conn);
}

static void
disconnect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	struct test_ep *ep = user_data;
	struct test_buf_list kept = STAILQ_HEAD_INITIALIZER(kept);
	struct test_buf *buf;

	ep->nb_disconnects++;
	ep->disconnect_status = status;
	if (ep->conn == conn)
		ep->conn = NULL;
	while ((buf = STAILQ_FIRST(&ep->backlog)) != NULL) {
		STAILQ_REMOVE_HEAD(&ep->backlog, next);
		if (buf->conn == conn)
			free(buf);
		else
			STAILQ_INSERT_TAIL(&kept, buf, next);
	}
	STAILQ_CONCAT(&ep->backlog, &kept);
	if (ep->on_disconnect != NULL)
		ep->on_disconnect(ep, conn, status);
}

static void
consumer_new_cb(struct rte_comch_conn *conn __rte_unused, uint32_t consumer_id, void *user_data)
{
	struct test_ep *ep = user_data;

	ep->nb_new++;
	ep->new_id = consumer_id;
}

static void
consumer_gone_cb(struct rte_comch_conn *conn __rte_unused, uint32_t consumer_id, void *user_data)
{
	struct test_ep *ep = user_data;

	ep->nb_gone++;
	ep->gone_id = consumer_id;
}

struct test_ep *
test_ep_new(void)
{
	struct test_ep *ep = calloc(1, sizeof(*ep));

	if (ep == NULL)
		test_give_up("no memory");
	STAILQ_INIT(&ep->backlog);
	TAILQ_INSERT_TAIL(&eps, ep, next);
	return ep;
}

static void
ctrl_callbacks(struct test_ep *ep, struct rte_comch_ctrl_conf *ctrl)
{
	ctrl->state_cb = state_cb;
	ctrl->send_cb = send_cb;
	ctrl->recv_cb = ctrl->recv_mbuf_cb == NULL ? recv_cb : NULL;
	ctrl->consumer_new_cb = consumer_new_cb;
	ctrl->consumer_gone_cb = consumer_gone_cb;
	ctrl->user_data = ep;
}

static void
server_callbacks(struct test_ep *ep, struct rte_comch_server_conf *conf)
{
	conf->connect_cb = connect_cb;
	conf->disconnect_cb = disconnect_cb;
	ctrl_callbacks(ep, &conf->ctrl);
}

void
test_server_conf(struct test_ep *ep, const char *name, struct rte_comch_server_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->name = name;
	server_callbacks(ep, conf);
}

void
test_client_conf(struct test_ep *ep, const char *name, struct rte_comch_client_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->name = name;
	ctrl_callbacks(ep, &conf->ctrl);
}

static int
attach_and_start(struct test_ep *ep, struct rte_comch_pe *pe)
{
	int ret = rte_comch_ctx_attach(ep->ctx, pe);

	return ret == 0 ? rte_comch_ctx_start(ep->ctx) : ret;
}

int
test_server_start(struct test_ep *ep, const struct rte_comch_server_conf *conf,
		struct rte_comch_pe *pe)
{
	int ret = rte_comch_server_create(test_pair.dpu, test_pair.rep, conf, &ep->ctx);

	return ret == 0 ? attach_and_start(ep, pe) : ret;
}

int
test_servers_start(struct test_ep *ep, const struct rte_comch_server_conf *conf,
		struct rte_comch_pe *pe, unsigned int nb_reps)
{
	const uint16_t rep = test_pair.rep;
	struct test_ep *one = ep;
	unsigned int i;
	int ret = 0;

	for (i = 0; ret == 0 && i < nb_reps; i++) {
		one = i == 0 ? ep : test_ep_new();
		test_pair.rep = (uint16_t)i;
		ret = test_server_start(one, conf, pe);
	}
	test_pair.rep = rep;
	return ret;
}

int
test_client_start(struct test_ep *ep, const struct rte_comch_client_conf *conf,
		struct rte_comch_pe *pe)
{
	int ret = rte_comch_client_create(test_pair.host, conf, &ep->ctx);

	return ret == 0 ? attach_and_start(ep, pe) : ret;
}

int
test_consumer_start(struct test_ep *ep, struct rte_comch_conn *conn, struct rte_comch_pe *pe)
{
	const struct rte_comch_consumer_conf conf = {
		.state_cb = state_cb,
		.user_data = ep,
	};
	int ret = rte_comch_consumer_create(conn, &conf, &ep->ctx);

	return ret == 0 ? attach_and_start(ep, pe) : ret;
}

struct test_ep *
test_server_run_conf(const struct rte_comch_server_conf *conf, struct rte_comch_pe *pe)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf own = *conf;
	int ret;

	if (own.name == NULL)
		own.name = "test";
	server_callbacks(ep, &own);
	ret = test_server_start(ep, &own, pe);
	if (ret != 0)
		test_give_up("server %s: %s", own.name, strerror(-ret));
	return ep;
}

struct test_ep *
test_server_run(const char *name, struct rte_comch_pe *pe)
{
	const struct rte_comch_server_conf conf = { .name = name };

	return test_server_run_conf(&conf, pe);
}

struct test_ep *
test_client_run_conf(const struct rte_comch_client_conf *conf, struct rte_comch_pe *pe)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf own = *conf;
	int ret;

	if (own.name == NULL)
		own.name = "test";
	ctrl_callbacks(ep, &own.ctrl);
	ret = test_client_start(ep, &own, pe);
	if (ret != -EINPROGRESS)
		test_give_up("client of %s: %s", own.name, strerror(-ret));
	return ep;
}

struct test_ep *
test_client_run(const char *name, struct rte_comch_pe *pe)
{
	const struct rte_comch_client_conf conf = { .name = name };

	return test_client_run_conf(&conf, pe);
}

int
test_connected(struct test_ep **server, struct test_ep **client)
{
	*server = test_server_run("test", test_pe_new());
	*client = test_client_run("test", test_pe_new());
	TEST_WAIT((*server)->nb_connects == 1 &&
			test_state(*client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_TRUE((*server)->conn != NULL && (*client)->conn != NULL);
	return TEST_SUCCESS;
}

struct rte_comch_dev_info
test_dev_info(int16_t dev_id)
{
	struct rte_comch_dev_info info;
	int ret = rte_comch_dev_info_get(dev_id, &info);

	if (ret != 0)
		test_give_up("device %d has no facts: %s", dev_id, strerror(-ret));
	return info;
}

struct rte_comch_mem_info
test_mem_info(const struct rte_comch_mem *mem)
{
	struct rte_comch_mem_info info;
	int ret = rte_comch_mem_info_get(mem, &info);

	if (ret != 0)
		test_give_up("a region has no facts: %s", strerror(-ret));
	return info;
}

struct rte_comch_conn_info
test_conn_facts(const struct rte_comch_conn *conn)
{
	struct rte_comch_conn_info info;
	int ret = rte_comch_conn_info_get(conn, &info);

	if (ret != 0)
		test_give_up("a connection has no facts: %s", strerror(-ret));
	return info;
}

struct rte_comch_ctx_info
test_ctx_info(const struct rte_comch_ctx *ctx)
{
	struct rte_comch_ctx_info info = { 0 };

	if (rte_comch_ctx_info_get(ctx, &info) != 0)
		test_fail("a context has no facts");
	return info;
}

struct rte_comch_task_info
test_task_info(const struct rte_comch_task *task)
{
	struct rte_comch_task_info info = { 0 };

	if (rte_comch_task_info_get(task, &info) != 0)
		test_fail("a task has no facts");
	return info;
}

struct rte_comch_ctx *
test_conn_ctx(const struct rte_comch_conn *conn)
{
	struct rte_comch_conn_info info = { 0 };

	if (rte_comch_conn_info_get(conn, &info) != 0)
		test_fail("a connection has no facts");
	return info.ctx;
}

uint32_t
test_pe_tasks(const struct rte_comch_pe *pe)
{
	struct rte_comch_pe_info info = { 0 };

	if (rte_comch_pe_info_get(pe, &info) != 0)
		test_fail("an engine has no facts");
	return info.nb_tasks;
}

uint32_t
test_queue_id(const struct rte_comch_ctx *ctx)
{
	return test_ctx_info(ctx).queue_id;
}

int
test_state(const struct test_ep *ep)
{
	return rte_comch_ctx_state_get(ep->ctx);
}

int
test_stop_now(struct rte_comch_ctx *ctx)
{
	int ret = rte_comch_ctx_stop(ctx);

	if (ret != -EINPROGRESS || !test_ends_later()) {
		TEST_EXPECT(ret, 0);
		return TEST_SUCCESS;
	}
	TEST_WAIT(rte_comch_ctx_state_get(ctx) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

bool
test_ends_later(void)
{
	return test_mock_is_on() || test_place_is_bluefield();
}

void
test_ends_settle(void)
{
	if (test_ends_later())
		test_settle();
}

int
test_stop(struct test_ep *ep)
{
	int ret = rte_comch_ctx_stop(ep->ctx);

	TEST_TRUE(ret == 0 || ret == -EINPROGRESS);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

static int
ep_stop(struct test_ep *ep)
{
	int state = test_state(ep);
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	if (state == RTE_COMCH_STATE_STARTING || state == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(ep->ctx);
	while (test_state(ep) != RTE_COMCH_STATE_IDLE) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		if (test_progress() == 0)
			sched_yield();
	}
	return 0;
}

static void
ep_free(struct test_ep *ep)
{
	struct test_buf *buf;

	while ((buf = STAILQ_FIRST(&ep->backlog)) != NULL) {
		STAILQ_REMOVE_HEAD(&ep->backlog, next);
		free(buf);
	}
	free(ep->last_msg);
	free(ep);
}

int
test_ep_close(struct test_ep *ep)
{
	int ret = 0;

	if (ep->ctx != NULL) {
		ret = ep_stop(ep);
		if (ret == 0)
			ret = rte_comch_ctx_destroy(ep->ctx);
		if (ret != 0) {
			test_fail("a context could not be closed: %s, it is %s with %d tasks",
					strerror(-ret), rte_comch_state_name(test_state(ep)),
					test_ctx_info(ep->ctx).nb_tasks);
			/* its callbacks may still come */
			TAILQ_REMOVE(&eps, ep, next);
			return ret;
		}
	}
	TAILQ_REMOVE(&eps, ep, next);
	ep_free(ep);
	return ret;
}

/* The newest first: what servers of one name tell goes to the first, test_servers_start(). */
static void
close_all_of_type(enum rte_comch_ctx_type type)
{
	struct test_ep *ep, *tmp;

	for (ep = TAILQ_LAST(&eps, test_ep_list); ep != NULL; ep = tmp) {
		tmp = TAILQ_PREV(ep, test_ep_list, next);
		if (ep->ctx == NULL || test_ctx_info(ep->ctx).type == type)
			test_ep_close(ep);
	}
}

void
test_cleanup(void)
{
	struct test_ep *ep;
	int ret;

	/* These belong to a case that is over; on_send still knows whose its tasks are. */
	TAILQ_FOREACH(ep, &eps, next) {
		ep->on_recv = NULL;
		ep->on_connect = NULL;
		ep->on_disconnect = NULL;
		ep->on_state = NULL;
	}
	close_all_of_type(RTE_COMCH_CTX_CONSUMER);
	close_all_of_type(RTE_COMCH_CTX_CLIENT);
	close_all_of_type(RTE_COMCH_CTX_SERVER);
	while (nb_pes > 0) {
		ret = rte_comch_pe_destroy(pes[--nb_pes]);
		if (ret != 0)
			test_fail("a progress engine could not be destroyed: %s",
					strerror(-ret));
	}
}

int
test_send(struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	struct test_buf *buf = buf_new(conn, len);
	int ret;

	if (buf == NULL)
		return -ENOBUFS;
	memcpy(buf->data, msg, len);
	ret = submit_buf(buf);
	if (ret != 0)
		free(buf);
	return ret;
}

int
test_send_pattern(struct rte_comch_conn *conn, uint32_t len, uint32_t seed)
{
	struct test_buf *buf = buf_new(conn, len);
	int ret;

	if (buf == NULL)
		return -ENOBUFS;
	test_fill(buf->data, len, seed);
	ret = submit_buf(buf);
	if (ret != 0)
		free(buf);
	return ret;
}

int
test_arm(struct rte_comch_pe *pe)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	do {
		while (rte_comch_pe_progress(pe) > 0)
			;
		ret = rte_comch_pe_arm(pe);
	} while (ret == -EAGAIN && test_now_ns() < end);
	return ret;
}

int
test_sleep(struct rte_comch_pe *pe)
{
	unsigned int i;

	for (i = 0; i < MAX_IDLE_WAKES; i++) {
		TEST_EXPECT(test_arm(pe), 0);
		test_arrive();
		if (test_wait_fd(pe, 0) == 0)
			return TEST_SUCCESS;
		if (!test_place_is_bluefield())
			break;
	}
	TEST_ASSERT(false, "an engine idle wakes for nothing");
}

int
test_no_sleep(struct rte_comch_pe *pe)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	do {
		ret = rte_comch_pe_arm(pe);
	} while (ret == 0 && test_place_is_bluefield() && test_now_ns() < end);
	TEST_EXPECT(ret, -EAGAIN);
	return TEST_SUCCESS;
}

struct rte_comch_conn_stats
test_conn_stats(const struct rte_comch_conn *conn)
{
	struct rte_comch_conn_stats stats = { 0 };

	if (rte_comch_conn_stats_get(conn, &stats) != 0)
		test_fail("no statistics of a connection");
	return stats;
}
