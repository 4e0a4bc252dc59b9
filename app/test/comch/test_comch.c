/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a connection does once it stands: messages, their order, tasks, queues,
 * statistics. Run with every pair of devices. How connections come and go is
 * in test_comch_conn.c.
 */

#include <inttypes.h>
#include <unistd.h>

#include "test_comch_util.h"

static int
test_connect_info(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_info info;
	struct rte_comch_dev_info dev = test_dev_info(test_pair.dpu);

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(server->connect_status, 0);
	TEST_EXPECT(client->nb_states, 2);
	TEST_EXPECT(client->states[0], RTE_COMCH_STATE_STARTING);
	TEST_EXPECT(client->states[1], RTE_COMCH_STATE_RUNNING);

	TEST_EXPECT(rte_comch_conn_info_get(server->conn, &info), 0);
	TEST_TRUE(info.connected && info.id > 0 && info.version > 0);
	TEST_EXPECT(info.max_msg_size, dev.dflt_msg_size);
	TEST_TRUE(strcmp(info.function, test_pair.function) == 0);
	TEST_TRUE(strcmp(info.server, "test") == 0);
	if ((dev.capa & RTE_COMCH_CAPA_PEER_ID) != 0) {
		TEST_EXPECT(info.peer_pid, getpid());
		TEST_EXPECT(info.peer_uid, getuid());
	}
	TEST_EXPECT(info.nb_local_consumers, 0);
	TEST_EXPECT(info.nb_remote_consumers, 0);
	TEST_EXPECT(rte_comch_conn_info_get(client->conn, &info), 0);
	TEST_TRUE(info.connected);
	TEST_EXPECT(info.max_msg_size, dev.dflt_msg_size);
	TEST_TRUE(strcmp(info.function, test_pair.function) == 0);
	TEST_TRUE(strcmp(info.server, "test") == 0);

	TEST_CALL(test_stop(client));
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), 0);
	TEST_EXPECT(client->states[client->nb_states - 1], RTE_COMCH_STATE_IDLE);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, 0);
	TEST_EXPECT(test_state(server), RTE_COMCH_STATE_RUNNING);
	return TEST_SUCCESS;
}

/* The client of an exchange in which the size says which message it is. */
static void
recv_size(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	if (len != ep->value || !test_check(msg, len, len))
		test_fail("message of %" PRIu64 " bytes came as %u, or with other bytes",
				ep->value, len);
	ep->value++;
}

static int
echo_range(struct test_ep *client, uint32_t first, uint32_t last)
{
	uint32_t len = first;
	uint64_t end = 0, value = 0;
	int ret;

	client->value = first;
	while (client->value <= last) {
		/* each turn of this loop ends when a message comes back */
		if (client->value != value)
			end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		value = client->value;
		TEST_ASSERT(test_now_ns() < end, "the message of %" PRIu64 " bytes is lost: %u "
				"delivered, %u failed (%d)", value, client->nb_done,
				client->nb_failed, client->send_status);
		for (; len <= last; len++) {
			ret = test_send_pattern(client->conn, len, len);
			if (ret == -ENOMEM)
				break;
			TEST_EXPECT(ret, 0);
		}
		/* a message can be delivered long before its echo is */
		TEST_WAIT(client->value == len || (len <= last &&
				test_ctx_info(client->ctx).nb_tasks == 0), TEST_MS);
	}
	return TEST_SUCCESS;
}

/* Every size that there is, or, if there are many, those where something changes. */
static int
test_echo_sizes(void)
{
	struct test_ep *server, *client = test_ep_new();
	struct rte_comch_server_conf server_conf = {
		.ctrl.max_conn_tasks = 32, /* as many as the client has */
	};
	struct rte_comch_client_conf client_conf;
	uint32_t max, pow;

	max = test_dev_info(test_pair.dpu).max_msg_size;
	test_client_conf(client, "test", &client_conf);
	server_conf.ctrl.max_msg_size = max;
	client_conf.ctrl.max_msg_size = max;
	server = test_server_run_conf(&server_conf, test_pe_new());
	TEST_EXPECT(test_client_start(client, &client_conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->echo = true;
	client->on_recv = recv_size;

	TEST_CALL(echo_range(client, 1, RTE_MIN(max, 8192u)));
	for (pow = 16384; pow < max; pow *= 2)
		TEST_CALL(echo_range(client, pow - 8, RTE_MIN(max, pow + 8)));
	if (max > 8192)
		TEST_CALL(echo_range(client, max - 8, max));
	TEST_EXPECT(client->nb_recv, server->nb_recv);
	return TEST_SUCCESS;
}

/* A stream of numbered messages; its receiver knows what must come. */
#define STREAM_MSGS 20000
#define STREAM_MAX_LEN 256

struct stream_head {
	uint32_t seq;
	uint32_t len;
};

static void
recv_stream(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	struct stream_head head = { 0 };

	memcpy(&head, msg, RTE_MIN(len, sizeof(head)));
	if (head.seq != ep->nb_recv - 1 || head.len != len)
		test_fail("message %u came as number %u, %u bytes as %u", head.seq,
				ep->nb_recv - 1, head.len, len);
}

/* Submit as many as there are tasks. */
static int
stream_submit(struct test_ep *ep, uint32_t *seq, uint32_t end)
{
	uint8_t msg[STREAM_MAX_LEN];
	struct stream_head head;
	int ret;

	for (; *seq < end; (*seq)++) {
		head.seq = *seq;
		head.len = sizeof(head) + *seq * 7 % (STREAM_MAX_LEN - sizeof(head) + 1);
		memset(msg, (int)(*seq & 0xff), sizeof(msg));
		memcpy(msg, &head, sizeof(head));
		ret = test_send(ep->conn, msg, head.len);
		if (ret == -ENOMEM || ret == -EDQUOT)
			return TEST_SUCCESS;
		TEST_EXPECT(ret, 0);
	}
	return TEST_SUCCESS;
}

static int
run_streams(struct test_ep *server, struct test_ep *client, uint32_t up, uint32_t down)
{
	uint64_t end = test_now_ns() + 30000000000;
	uint32_t up_seq = 0, down_seq = 0;

	server->on_recv = recv_stream;
	client->on_recv = recv_stream;
	while (server->nb_recv < up || client->nb_recv < down) {
		TEST_CALL(stream_submit(client, &up_seq, up));
		TEST_CALL(stream_submit(server, &down_seq, down));
		test_progress();
		TEST_TRUE(test_now_ns() < end);
	}
	TEST_WAIT(client->nb_done == up && server->nb_done == down, TEST_MS);
	TEST_EXPECT(client->nb_failed + server->nb_failed, 0);
	return TEST_SUCCESS;
}

static int
test_order_both_ways(void)
{
	struct test_ep *server, *client;

	TEST_CALL(test_connected(&server, &client));
	return run_streams(server, client, STREAM_MSGS, STREAM_MSGS);
}

static int
test_statistics(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_stats stats;
	struct rte_comch_dev_stats dev;
	uint32_t i, bytes = 0;

	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.dpu), 0);
	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.host), 0);
	TEST_CALL(test_connected(&server, &client));
	for (i = 1; i <= 10; i++) {
		TEST_EXPECT(test_send_pattern(client->conn, i * 10, i), 0);
		bytes += i * 10;
	}
	TEST_EXPECT(rte_comch_conn_stats_get(client->conn, &stats), 0);
	TEST_EXPECT(stats.tx_in_flight, 10);
	TEST_EXPECT(stats.tx_msgs, 0);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 10);
	TEST_WAIT(client->nb_done == 10 && server->nb_recv == 10, TEST_MS);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);

	TEST_EXPECT(rte_comch_conn_stats_get(client->conn, &stats), 0);
	TEST_EXPECT(stats.tx_in_flight, 0);
	TEST_EXPECT(stats.tx_msgs, 10);
	TEST_EXPECT(stats.tx_bytes, bytes);
	TEST_EXPECT(stats.rx_msgs, 0);
	TEST_EXPECT(rte_comch_conn_stats_get(server->conn, &stats), 0);
	TEST_EXPECT(stats.rx_in_flight, 0);
	TEST_EXPECT(stats.rx_msgs, 10);
	TEST_EXPECT(stats.rx_bytes, bytes);
	TEST_EXPECT(server->rx_bytes, bytes);
	TEST_EXPECT(stats.tx_msgs, 0);

	TEST_CALL(test_stop(client));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.dpu, &dev), 0);
	TEST_EXPECT(dev.connects, 1);
	TEST_EXPECT(dev.disconnects, 1);
	TEST_EXPECT(dev.refused + dev.peer_lost + dev.violations, 0);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &dev), 0);
	TEST_EXPECT(dev.connects, 1);
	TEST_EXPECT(dev.peer_lost + dev.violations + dev.timeouts, 0);
	return TEST_SUCCESS;
}

/* The message waits at the server for a turn of its engine. */
static int
test_rx_in_flight(void)
{
	struct test_ep *server, *client;
	struct rte_comch_conn_stats stats;
	struct rte_comch_pe *pe = test_pe_new();
	int i;

	/* both ends on one engine, so that none is turned unnoticed */
	server = test_server_run("test", pe);
	client = test_client_run("test", pe);
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	for (i = 0; i < 5; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 16, 1), 0);
	test_arrive();
	TEST_EXPECT(rte_comch_conn_stats_get(server->conn, &stats), 0);
	TEST_EXPECT(stats.rx_in_flight, 5);
	TEST_EXPECT(stats.rx_msgs, 0);
	TEST_WAIT(server->nb_recv == 5 && client->nb_done == 5, TEST_MS);
	TEST_EXPECT(rte_comch_conn_stats_get(server->conn, &stats), 0);
	TEST_EXPECT(stats.rx_in_flight, 0);
	return TEST_SUCCESS;
}

static void
conn_counts(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn,
		const void *msg __rte_unused, uint32_t len __rte_unused)
{
	*(uint32_t *)rte_comch_conn_user_data_get(conn) += 1;
}

static int
test_user_data(void)
{
	struct test_ep *server, *client, *other;
	struct rte_comch_conn *conns[2];
	uint32_t counts[2] = { 0, 0 };

	TEST_CALL(test_connected(&server, &client));
	conns[0] = server->conn;
	other = test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 2 && other->conn != NULL, TEST_MS);
	conns[1] = server->conn;
	TEST_TRUE(conns[0] != conns[1]);
	TEST_EXPECT(rte_comch_conn_user_data_set(conns[0], &counts[0]), 0);
	TEST_EXPECT(rte_comch_conn_user_data_set(conns[1], &counts[1]), 0);
	server->on_recv = conn_counts;
	TEST_EXPECT(test_send_pattern(client->conn, 8, 0), 0);
	TEST_EXPECT(test_send_pattern(other->conn, 8, 0), 0);
	TEST_EXPECT(test_send_pattern(other->conn, 8, 0), 0);
	TEST_WAIT(server->nb_recv == 3, TEST_MS);
	TEST_EXPECT(counts[0], 1);
	TEST_EXPECT(counts[1], 2);
	return TEST_SUCCESS;
}

#define RESUBMITS 1000

static void
resubmit(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	static uint8_t msg[64];
	uint32_t len;

	if (status != 0 || ep->nb_done == RESUBMITS) {
		rte_comch_task_free(task);
		return;
	}
	if (rte_comch_task_user_data_get(task) != ep->arg)
		test_fail("a task lost its user data");
	len = 1 + ep->nb_done % sizeof(msg);
	memset(msg, (int)(ep->nb_done & 0xff), sizeof(msg));
	if (rte_comch_conn_task_set(task, msg, len) != 0 || rte_comch_task_submit(task) != 0)
		test_fail("a task cannot be submitted in its callback");
}

static void
recv_resubmits(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	uint32_t nr = ep->nb_recv - 1;

	if (nr != 0 && (len != 1 + nr % 64 || *(const uint8_t *)msg != (nr & 0xff)))
		test_fail("resubmission %u came with %u bytes", nr, len);
}

static int
test_task_reuse(void)
{
	struct test_ep *server, *client;
	struct rte_comch_task *task;
	static char msg[4] = "one";

	TEST_CALL(test_connected(&server, &client));
	client->on_send = resubmit;
	client->arg = msg;
	server->on_recv = recv_resubmits;
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, sizeof(msg), &task), 0);
	TEST_EXPECT(rte_comch_task_user_data_set(task, msg), 0);
	TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_WAIT(server->nb_recv == RESUBMITS && client->nb_done == RESUBMITS, TEST_MS);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);
	return TEST_SUCCESS;
}

static int
test_pool_exhaustion(void)
{
	struct test_ep *server = test_server_run("test", test_pe_new());
	struct rte_comch_task *tasks[3], *more = NULL;
	const struct rte_comch_client_conf conf = { .ctrl.nb_tasks = RTE_DIM(tasks) };
	struct test_ep *client = test_client_run_conf(&conf, test_pe_new());
	static char msg[4] = "one";
	unsigned int i;

	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 4, &tasks[i]), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 4, &more), -ENOMEM);
	TEST_TRUE(more == NULL);
	/* every task that could be allocated can be submitted */
	for (i = 0; i < RTE_DIM(tasks); i++)
		TEST_EXPECT(rte_comch_task_submit(tasks[i]), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 4, &more), -ENOMEM);
	TEST_WAIT(client->nb_done == RTE_DIM(tasks), TEST_MS);
	/* user data of these tasks is NULL: the end has freed them */
	TEST_EXPECT(rte_comch_conn_task_alloc(client->conn, msg, 4, &more), 0);
	TEST_EXPECT(rte_comch_task_free(more), 0);
	return TEST_SUCCESS;
}

/* A peer that does not look for its messages delays them; no one is refused. */
static int
test_full_queue(void)
{
	struct test_ep *server, *client;
	const struct rte_comch_server_conf server_conf = { .ctrl.recv_queue_size = 1 };
	struct rte_comch_client_conf client_conf = { .name = "test" };
	struct rte_comch_conn_stats stats;
	struct rte_comch_pe *client_pe = test_pe_new(), *server_pe = test_pe_new();
	uint32_t nb, seq = 0, i;

	nb = RTE_MIN(test_dev_info(test_pair.host).max_ctrl_tasks, 2048u);
	client_conf.ctrl.nb_tasks = nb;
	server = test_server_run_conf(&server_conf, server_pe);
	client = test_client_run_conf(&client_conf, client_pe);
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->on_recv = recv_stream;

	TEST_CALL(stream_submit(client, &seq, nb));
	TEST_EXPECT(seq, nb);
	test_turn_ms(client_pe, NULL, 50);
	TEST_EXPECT(client->nb_failed, 0);
	TEST_EXPECT(rte_comch_conn_stats_get(client->conn, &stats), 0);
	TEST_TRUE(stats.tx_in_flight > 0);
	TEST_EXPECT(stats.tx_in_flight + client->nb_done, nb);
	TEST_WAIT(server->nb_recv == nb && client->nb_done == nb, TEST_MS);

	/* again and again, through every place of the queue */
	for (i = 0; i < 20; i++) {
		server->nb_recv = 0;
		client->nb_done = 0;
		seq = 0;
		TEST_CALL(stream_submit(client, &seq, 100));
		TEST_WAIT(server->nb_recv == 100 && client->nb_done == 100, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* The largest messages into the smallest queue: one must always fit. */
static int
test_largest_in_smallest_queue(void)
{
	struct test_ep *server, *client;
	struct rte_comch_server_conf server_conf = { .ctrl.recv_queue_size = 1 };
	const struct rte_comch_client_conf client_conf = { .ctrl.recv_queue_size = 1 };
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);
	uint32_t i;

	server_conf.ctrl.max_msg_size = info.max_msg_size;
	server = test_server_run_conf(&server_conf, test_pe_new());
	client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->echo = true;
	for (i = 0; i < 32; i++)
		TEST_EXPECT(test_send_pattern(client->conn, info.max_msg_size, 7), 0);
	TEST_WAIT(client->nb_recv == 32, TEST_MS);
	TEST_EXPECT(client->last_len, info.max_msg_size);
	TEST_TRUE(test_check(client->last_msg, info.max_msg_size, 7));
	return TEST_SUCCESS;
}

/* A receiver that answers in its callback, while its own pool is empty. */
static int
test_send_in_recv_callback(void)
{
	const struct rte_comch_server_conf conf = { .ctrl.nb_tasks = 1 };
	struct test_ep *server = test_server_run_conf(&conf, test_pe_new()), *client;
	uint32_t seq = 0;

	client = test_client_run("test", test_pe_new());
	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->echo = true;
	client->on_recv = recv_stream;
	while (seq < 1000) {
		TEST_CALL(stream_submit(client, &seq, 1000));
		TEST_WAIT(client->nb_recv == seq, TEST_MS);
	}
	return TEST_SUCCESS;
}

/* An engine with nothing to do says so, and the peer of a busy one is not busy. */
static int
test_idle_progress(void)
{
	struct test_ep *server, *client;
	struct rte_comch_pe *idle = test_pe_new();
	int i;

	TEST_CALL(test_connected(&server, &client));
	test_settle();
	for (i = 0; i < 100; i++) {
		TEST_EXPECT(rte_comch_pe_progress(idle), 0);
		TEST_EXPECT(test_progress(), 0);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: messages",
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_connect_info),
		TEST_CASE_ST(NULL, test_cleanup, test_echo_sizes),
		TEST_CASE_ST(NULL, test_cleanup, test_order_both_ways),
		TEST_CASE_ST(NULL, test_cleanup, test_statistics),
		TEST_CASE_ST(NULL, test_cleanup, test_rx_in_flight),
		TEST_CASE_ST(NULL, test_cleanup, test_user_data),
		TEST_CASE_ST(NULL, test_cleanup, test_task_reuse),
		TEST_CASE_ST(NULL, test_cleanup, test_pool_exhaustion),
		TEST_CASE_ST(NULL, test_cleanup, test_full_queue),
		TEST_CASE_ST(NULL, test_cleanup, test_largest_in_smallest_queue),
		TEST_CASE_ST(NULL, test_cleanup, test_send_in_recv_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_idle_progress),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_autotest, test_pairs_run, &suite)
