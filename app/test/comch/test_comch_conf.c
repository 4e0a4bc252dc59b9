/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Contexts that are configured anew: before they are started, after a stop, and in
 * the callback that says IDLE; and what can be read of them.
 */

#include "test_comch_fp_util.h"

static void
no_post_cb(struct rte_comch_task *task, const struct rte_comch_cpl *cpl __rte_unused,
		void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static void
no_send_cb(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static struct test_ep *
server_idle(const char *name)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;

	test_server_conf(ep, name, &conf);
	if (rte_comch_server_create(test_pair.dpu, test_pair.rep, &conf, &ep->ctx) != 0)
		test_give_up("no server %s", name);
	return ep;
}

static struct test_ep *
client_idle(const char *name)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf conf;

	test_client_conf(ep, name, &conf);
	if (rte_comch_client_create(test_pair.host, &conf, &ep->ctx) != 0)
		test_give_up("no client of %s", name);
	return ep;
}

/* Both are refused, and the second time as well: nothing was changed. */
static int
server_refused(struct test_ep *ep, const struct rte_comch_server_conf *conf, int error)
{
	struct rte_comch_server_conf now;

	TEST_EXPECT(test_server_conf_set(ep->ctx, conf), error);
	now = test_ctx_info(ep->ctx).conf.server;
	TEST_TRUE(strcmp(now.name, "before") == 0);
	TEST_EXPECT(now.max_clients, 3);
	TEST_EXPECT(now.ctrl.nb_tasks, 5);
	TEST_EXPECT(now.ctrl.max_msg_size, 64);
	TEST_TRUE(now.connect_cb != NULL && now.ctrl.recv_cb != NULL);
	TEST_TRUE(now.ctrl.user_data == ep);
	return TEST_SUCCESS;
}

static int
test_server_set(void)
{
	struct test_ep *ep = server_idle("first");
	struct rte_comch_server_conf conf, bad;
	char name[RTE_COMCH_NAME_SIZE + 1];
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);

	test_server_conf(ep, "before", &conf);
	TEST_EXPECT(test_server_conf_set(NULL, &conf), -EINVAL);
	TEST_EXPECT(rte_comch_ctx_conf_set(ep->ctx, NULL), -EINVAL);

	conf.max_clients = 3;
	conf.ctrl.nb_tasks = 5;
	conf.ctrl.max_msg_size = 64;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	memset(name, 'n', sizeof(name));
	name[info.max_name_len] = '\0';
	bad = conf;
	bad.name = name;
	TEST_CALL(server_refused(ep, &bad, -ENAMETOOLONG));
	bad.name = "";
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.name = NULL;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad = conf;
	bad.name = "other";
	bad.connect_cb = NULL;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.connect_cb = conf.connect_cb;
	bad.max_clients = info.max_clients + 1;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.max_clients = 0;
	bad.ctrl.flags = 1;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.ctrl.flags = 0;
	bad.ctrl.recv_cb = NULL;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.ctrl.recv_cb = conf.ctrl.recv_cb;
	bad.ctrl.consumer_gone_cb = NULL;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	bad.ctrl.consumer_gone_cb = conf.ctrl.consumer_gone_cb;
	bad.ctrl.nb_tasks = info.max_ctrl_tasks + 1;
	TEST_CALL(server_refused(ep, &bad, -EINVAL));
	return TEST_SUCCESS;
}

static int
test_client_set(void)
{
	struct test_ep *ep = client_idle("first");
	struct rte_comch_client_conf conf, now;

	test_client_conf(ep, "before", &conf);
	TEST_EXPECT(test_client_conf_set(NULL, &conf), -EINVAL);
	conf.connect_timeout_ms = 70;
	conf.ctrl.recv_queue_size = 9;
	TEST_EXPECT(test_client_conf_set(ep->ctx, &conf), 0);
	conf.name = "other";
	conf.ctrl.send_cb = NULL;
	TEST_EXPECT(test_client_conf_set(ep->ctx, &conf), -EINVAL);
	now = test_ctx_info(ep->ctx).conf.client;
	TEST_TRUE(strcmp(now.name, "before") == 0);
	TEST_EXPECT(now.connect_timeout_ms, 70);
	TEST_EXPECT(now.ctrl.recv_queue_size, 9);
	TEST_EXPECT(now.ctrl.nb_tasks, 0); /* as it was given */
	TEST_TRUE(now.ctrl.send_cb != NULL);
	return TEST_SUCCESS;
}

/* Strings are copied, also those that the library has given. */
static int
test_names(void)
{
	struct test_ep *ep = server_idle("abcdef");
	struct rte_comch_server_conf conf;
	char name[] = "volatile";
	int dummy;

	conf = test_ctx_info(ep->ctx).conf.server;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	TEST_TRUE(strcmp(conf.name, "abcdef") == 0);
	conf.name += 2;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	conf = test_ctx_info(ep->ctx).conf.server;
	TEST_TRUE(strcmp(conf.name, "cdef") == 0);
	conf.name = name;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	memset(name, 'x', sizeof(name) - 1);
	conf = test_ctx_info(ep->ctx).conf.server;
	TEST_TRUE(strcmp(conf.name, "volatile") == 0);
	TEST_TRUE(conf.ctrl.user_data == ep);
	conf.ctrl.user_data = &dummy;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	TEST_TRUE(test_ctx_info(ep->ctx).conf.server.ctrl.user_data == &dummy);
	return TEST_SUCCESS;
}

/* Only while it is IDLE; what is set then is in force after the next start. */
static int
test_server_again(void)
{
	struct test_ep *ep = server_idle("one"), *client;
	struct rte_comch_server_conf conf;

	TEST_EXPECT(rte_comch_ctx_attach(ep->ctx, test_pe_new()), 0);
	conf = test_ctx_info(ep->ctx).conf.server;
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), -EBUSY);
	conf = test_ctx_info(ep->ctx).conf.server;
	client = test_client_run("one", test_pe_new());
	TEST_WAIT(client->conn != NULL && ep->conn != NULL, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EINPROGRESS);
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), -EBUSY);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE &&
			test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);

	conf.name = "two";
	conf.max_clients = 1;
	conf.ctrl.max_msg_size = 77;
	TEST_EXPECT(test_server_conf_set(ep->ctx, &conf), 0);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ENOENT);
	client = test_client_run("two", test_pe_new());
	TEST_WAIT(client->conn != NULL && ep->conn != NULL, TEST_MS);
	TEST_EXPECT(test_conn_facts(client->conn).max_msg_size, 77);
	client = test_client_run("two", test_pe_new());
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ENOSPC);
	return TEST_SUCCESS;
}

static void
other_size(struct test_ep *ep, int prev __rte_unused, int next)
{
	struct rte_comch_client_conf conf;

	if (next != RTE_COMCH_STATE_IDLE || ep->value++ != 0)
		return;
	conf = test_ctx_info(ep->ctx).conf.client;
	conf.ctrl.max_msg_size = 256;
	conf.ctrl.nb_tasks = 7;
	if (test_client_conf_set(ep->ctx, &conf) != 0)
		test_fail("a client cannot be configured in the callback that says IDLE");
	if (rte_comch_ctx_start(ep->ctx) != -EINPROGRESS)
		test_fail("a client cannot be started in the callback that says IDLE");
}

/* A client whose size was refused takes the other one, in its callback. */
static int
test_in_callback(void)
{
	struct test_ep *server, *client = test_ep_new();
	const struct rte_comch_server_conf server_conf = {
		.name = "sizes",
		.ctrl.max_msg_size = 256,
	};
	struct rte_comch_client_conf conf;
	struct rte_comch_task *task;
	static char msg[1];
	unsigned int i;

	server = test_server_run_conf(&server_conf, test_pe_new());
	test_client_conf(client, "sizes", &conf);
	conf.ctrl.max_msg_size = 255;
	client->on_state = other_size;
	TEST_EXPECT(test_client_start(client, &conf, test_pe_new()), -EINPROGRESS);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_EXPECT(client->value, 1);
	client->on_send = NULL;
	for (i = 0; i < 8; i++) /* the task of its own side is among the seven */
		if (rte_comch_conn_task_alloc(client->conn, msg, 1, &task) != 0)
			break;
		else
			TEST_EXPECT(rte_comch_task_submit(task), 0);
	TEST_EXPECT(i, 7);
	TEST_WAIT(server->nb_recv == 7 && client->nb_done == 7, TEST_MS);
	return TEST_SUCCESS;
}

/* A consumer of this configuration gets immediate data. */
static int
imm_taken(struct test_q *q, struct test_q *producer, const struct rte_comch_consumer_conf *conf)
{
	static const uint64_t imm = 1;
	struct rte_comch_post post = { .cookie = 7, .len = conf->buf_size };
	struct rte_comch_cpl cpl;

	if (post.len != 0)
		post.addr = rte_comch_mem_addr(conf->mem);
	test_fp_pairs();
	TEST_EXPECT(rte_comch_consumer_post_burst(q->ctx, &post, 1), 1);
	test_posts_arrive(q, 1);
	TEST_EXPECT(test_send_imm(producer, q->id, &imm, sizeof(imm), 2), 1);
	TEST_EXPECT(test_poll(q, &cpl, 1), 1);
	TEST_EXPECT(cpl.cookie, 7);
	TEST_EXPECT(cpl.imm_len, sizeof(imm));
	return TEST_SUCCESS;
}

static int
test_consumer_set(struct test_fp *fp)
{
	static const uint64_t imm = 1;
	struct rte_comch_mem *one, *two, *closed;
	struct rte_comch_consumer_conf conf;
	struct test_q *q, *producer;
	uint32_t id;

	one = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	two = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	closed = test_mem_alloc(fp->rx.dev, 4096, 0);
	TEST_CALL(test_fp_producer(fp, 4, &producer));
	TEST_CALL(test_fp_consumer(fp, one, 4, 0, &q));
	id = q->id;
	conf = test_ctx_info(q->ctx).conf.consumer;
	TEST_TRUE(conf.mem == one && conf.nb_posts == 4 && conf.user_data == q);
	TEST_EXPECT(test_consumer_conf_set(NULL, &conf), -EINVAL);
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), -EBUSY);
	TEST_EXPECT(test_send_imm(producer, id, &imm, sizeof(imm), 1), 0);
	TEST_EXPECT(rte_comch_ctx_stop(q->ctx), -EINPROGRESS);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);

	/* nothing changes if it is refused */
	conf.mem = closed;
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), -EACCES);
	conf.mem = two;
	conf.nb_tasks = 3;
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), -EINVAL);
	TEST_EXPECT(test_mem_free(two), 0);
	TEST_EXPECT(rte_comch_mem_free(one), -EBUSY);
	two = test_mem_alloc(fp->rx.dev, 4096, RTE_COMCH_MEM_F_PEER_WRITE);
	conf.mem = two;
	conf.nb_tasks = 0;
	conf.imm_len = 8;
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), 0);
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), 0);
	TEST_EXPECT(test_mem_free(one), 0);
	TEST_EXPECT(rte_comch_mem_free(two), -EBUSY);

	TEST_CALL(test_q_start(q, &fp->tx));
	TEST_EXPECT(test_queue_id(q->ctx), id);
	TEST_TRUE(test_ctx_info(q->ctx).conn == fp->rx.ep->conn);
	TEST_CALL(imm_taken(q, producer, &conf));
	TEST_EXPECT(test_q_close(q), 0);
	TEST_EXPECT(test_mem_free(two), 0);
	return TEST_SUCCESS;
}

static int
test_producer_set(struct test_fp *fp)
{
	const union rte_comch_ctx_conf none = { .producer = { 0 } };
	struct rte_comch_producer_conf conf;
	struct test_q *q, *consumer;
	struct rte_comch_room room;
	uint32_t id;

	TEST_CALL(test_fp_consumer(fp, NULL, 4, 0, &consumer));
	TEST_CALL(test_fp_producer(fp, 3, &q));
	id = test_queue_id(q->ctx);
	conf = test_ctx_info(q->ctx).conf.producer;
	TEST_EXPECT(conf.nb_sends, 3); /* as it was given, not 4 */
	TEST_EXPECT(test_producer_conf_set(NULL, &conf), -EINVAL);
	TEST_EXPECT(test_producer_conf_set(q->ctx, &conf), -EBUSY);
	rte_comch_ctx_stop(q->ctx);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);

	conf.flags = 1;
	TEST_EXPECT(test_producer_conf_set(q->ctx, &conf), -EINVAL);
	conf.flags = 0;
	conf.nb_tasks = 2;
	TEST_EXPECT(test_producer_conf_set(q->ctx, &conf), -EINVAL);
	conf.send_cb = no_send_cb;
	conf.nb_sends = 9;
	TEST_EXPECT(test_producer_conf_set(q->ctx, &conf), 0);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), 0);
	TEST_EXPECT(test_queue_id(q->ctx), id);
	TEST_EXPECT(rte_comch_queue_room_get(q->ctx, consumer->id, &room), 0);
	TEST_EXPECT(room.queue, 16);
	rte_comch_ctx_stop(q->ctx);
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_conf_set(q->ctx, &none), 0);
	conf = test_ctx_info(q->ctx).conf.producer;
	TEST_TRUE(conf.nb_sends == 0 && conf.state_cb == NULL && conf.user_data == NULL);
	return TEST_SUCCESS;
}

/* From bursts to tasks, and all of it after the connection has ended as well. */
static int
test_queue_of_the_dead(struct test_fp *fp)
{
	const struct rte_comch_consumer_conf conf = {
		.nb_tasks = 2, .nb_posts = 2, .post_cb = no_post_cb,
	};
	const union rte_comch_ctx_conf none = { .consumer = { 0 } };
	struct test_q *q;

	TEST_CALL(test_fp_consumer(fp, NULL, 4, 0, &q));
	TEST_CALL(test_stop(fp->tx.ep));
	TEST_WAIT(test_q_state(q) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(test_consumer_conf_set(q->ctx, &conf), 0);
	TEST_EXPECT(rte_comch_ctx_start(q->ctx), -ENOTCONN);
	TEST_EXPECT(rte_comch_ctx_conf_set(q->ctx, &none), 0);
	return TEST_SUCCESS;
}

/* Facts of contexts that no configuration has. */
static int
test_ctx_facts(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = server_idle("facts"), *client = client_idle("facts"), *second;

	TEST_EXPECT(test_ctx_info(server->ctx).dev_id, test_pair.dpu);
	TEST_EXPECT(test_ctx_info(client->ctx).dev_id, test_pair.host);
	TEST_TRUE(test_ctx_info(server->ctx).pe == NULL);
	TEST_EXPECT(rte_comch_ctx_attach(server->ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(client->ctx, test_pe_new()), 0);
	TEST_TRUE(test_ctx_info(server->ctx).pe == pe);
	TEST_EXPECT(test_ctx_info(server->ctx).rep_id, test_pair.rep);
	TEST_EXPECT(test_ctx_info(client->ctx).nb_conns, 0);
	TEST_EXPECT(test_ctx_info(server->ctx).nb_conns, 0);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	second = test_client_run("facts", test_ctx_info(client->ctx).pe);
	TEST_WAIT(client->conn != NULL && second->conn != NULL && server->nb_connects == 2,
			TEST_MS);
	TEST_EXPECT(test_ctx_info(server->ctx).nb_conns, 2);
	TEST_CALL(test_stop(second));
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(test_ctx_info(server->ctx).nb_conns, 1);
	return TEST_SUCCESS;
}

/* And of tasks. */
static int
test_task_facts(struct test_fp *fp)
{
	const struct rte_comch_producer_conf tx_conf = { .nb_tasks = 2 };
	const struct rte_comch_consumer_conf rx_conf = { .nb_tasks = 2 };
	static const uint64_t imm = 7;
	const struct rte_comch_send send = { .imm = &imm, .imm_len = sizeof(imm) };
	struct rte_comch_task *task, *post, *ctrl;
	struct test_q *producer, *consumer;
	struct rte_comch_send got;

	producer = test_q_producer(&fp->tx, &tx_conf);
	consumer = test_q_consumer(&fp->rx, &rx_conf);
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	TEST_CALL(test_q_start(consumer, &fp->tx));
	TEST_EXPECT(rte_comch_producer_task_alloc(producer->ctx, 99, &send, &task), 0);
	TEST_EXPECT(rte_comch_consumer_task_alloc(consumer->ctx, NULL, &post), 0);
	TEST_EXPECT(rte_comch_conn_task_alloc(fp->tx.ep->conn, &imm, sizeof(imm), &ctrl), 0);
	TEST_TRUE(test_task_info(task).ctx == producer->ctx);
	TEST_TRUE(test_task_info(post).ctx == consumer->ctx);
	TEST_TRUE(test_task_info(ctrl).ctx == fp->tx.ep->ctx);
	TEST_EXPECT(test_pe_tasks(fp->tx.q_pe),
			test_ctx_info(producer->ctx).nb_tasks +
			(fp->tx.q_pe == fp->tx.pe ? 1 : 0));
	TEST_TRUE(test_pe_tasks(fp->tx.pe) >= 1);
	TEST_EXPECT(test_task_info(ctrl).len, sizeof(imm));
	TEST_EXPECT(test_task_info(task).consumer_id, 99);
	got = test_task_info(task).send;
	TEST_TRUE(got.imm == &imm && got.imm_len == sizeof(imm) && got.len == 0);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	TEST_EXPECT(rte_comch_task_free(post), 0);
	TEST_EXPECT(rte_comch_task_free(ctrl), 0);
	TEST_EXPECT(test_pe_tasks(fp->tx.q_pe), 0);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: contexts configured anew",
	.setup = test_setup_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, test_cleanup, test_server_set),
		TEST_CASE_ST(NULL, test_cleanup, test_client_set),
		TEST_CASE_ST(NULL, test_cleanup, test_names),
		TEST_CASE_ST(NULL, test_cleanup, test_server_again),
		TEST_CASE_ST(NULL, test_cleanup, test_in_callback),
		TEST_CASE_ST(NULL, test_cleanup, test_ctx_facts),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_consumer_set),
		TEST_CASE_FP_BOTH(test_fp_need, test_fp_cleanup, test_producer_set),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_queue_of_the_dead),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_task_facts),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_conf_autotest, unit_test_suite_runner, &suite)
