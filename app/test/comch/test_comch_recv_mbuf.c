/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reception of control messages into mbufs: what they look like, who has them, and
 * what happens while the pool has none. Holding back by the application is in
 * test_comch_hold.c.
 */

#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_place.h"
#include "test_comch_util.h"
#include "test_mock.h"

#define POOL_SIZE 256
#define ROOM 1000
#define MSG_SIZE 8000
#define TURNS 2000

static struct rte_mempool *pool;
static struct rte_mempool *other_pool; /* for cases that need another one */

/* Received by a context, in order, and not freed. */
static struct rte_mbuf *got[4 * POOL_SIZE];
static struct rte_comch_conn *got_conn;
static unsigned int nb_got;

static int
setup(void)
{
	pool = rte_pktmbuf_pool_create("test_recv", POOL_SIZE, 0, 0,
			RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
	TEST_TRUE(pool != NULL);
	nb_got = 0;
	return TEST_SUCCESS;
}

/* With silent logs, for cases that provoke errors. */
static int
setup_quiet(void)
{
	test_log_quiet();
	return setup();
}

static void
free_got(unsigned int nb)
{
	unsigned int i;

	nb = RTE_MIN(nb, nb_got);
	for (i = 0; i < nb; i++)
		rte_pktmbuf_free(got[i]);
	nb_got -= nb;
	memmove(got, got + nb, nb_got * sizeof(got[0]));
}

static void
teardown(void)
{
	test_mock_case_teardown();
	free_got(nb_got);
	test_log_restore();
	if (pool != NULL && rte_mempool_avail_count(pool) != POOL_SIZE)
		test_fail("%u of %u mbufs are back", rte_mempool_avail_count(pool), POOL_SIZE);
	rte_mempool_free(pool);
	rte_mempool_free(other_pool);
	pool = other_pool = NULL;
}

static void
recv_keep(struct rte_comch_conn *conn, struct rte_mbuf *m, void *user_data)
{
	struct test_ep *ep = user_data;

	ep->nb_recv++;
	ep->rx_bytes += rte_pktmbuf_pkt_len(m);
	got_conn = conn;
	if (nb_got == RTE_DIM(got)) {
		test_fail("too many mbufs");
		rte_pktmbuf_free(m);
		return;
	}
	got[nb_got++] = m;
}

/* It is the message of this number, laid out as the header says. */
static bool
mbuf_right(const struct rte_mbuf *m, uint32_t len, uint32_t seed)
{
	uint32_t left = len, nb = (len + ROOM - 1) / ROOM;
	uint8_t buf[1 << 16];
	const struct rte_mbuf *seg;
	const void *data;

	if (rte_pktmbuf_pkt_len(m) != len || m->nb_segs != nb || m->port != RTE_MBUF_PORT_INVALID ||
			m->pool != pool || rte_mbuf_refcnt_read(m) != 1 || m->ol_flags != 0)
		return false;
	for (seg = m; seg != NULL; seg = seg->next, nb--) {
		if (seg->data_len != RTE_MIN(left, (uint32_t)ROOM) ||
				seg->data_off != RTE_PKTMBUF_HEADROOM)
			return false;
		left -= seg->data_len;
	}
	data = rte_pktmbuf_read(m, 0, len, buf);
	return nb == 0 && left == 0 && data != NULL && test_check(data, len, seed);
}

static void
mbuf_conf(struct rte_comch_ctrl_conf *conf)
{
	conf->recv_cb = NULL;
	conf->recv_mbuf_cb = recv_keep;
	conf->recv_pool = pool;
	conf->max_msg_size = MSG_SIZE;
}

/* A server that receives into mbufs, and a client that does not, or does, too. */
static int
mbuf_connect(struct test_ep **server, struct test_ep **client, bool both)
{
	struct rte_comch_server_conf server_conf = {
		.ctrl.recv_queue_size = 64,
		.ctrl.nb_tasks = 4 * POOL_SIZE,
	};
	struct rte_comch_client_conf client_conf = { .ctrl.nb_tasks = 4 * POOL_SIZE };

	mbuf_conf(&server_conf.ctrl);
	*server = test_server_run_conf(&server_conf, test_pe_new());
	if (both)
		mbuf_conf(&client_conf.ctrl);
	*client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT((*server)->conn != NULL && (*client)->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
server_create(const struct rte_comch_server_conf *conf)
{
	struct rte_comch_ctx *ctx;
	int ret = rte_comch_server_create(test_pair.dpu, test_pair.rep, conf, &ctx);

	return ret == 0 ? rte_comch_ctx_destroy(ctx) : ret;
}

static int
test_conf(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;

	test_server_conf(ep, "test", &conf);
	conf.ctrl.recv_mbuf_cb = recv_keep;
	conf.ctrl.recv_pool = pool;
	TEST_EXPECT(server_create(&conf), -EINVAL); /* both callbacks */
	conf.ctrl.recv_cb = NULL;
	TEST_EXPECT(server_create(&conf), 0);
	conf.ctrl.recv_pool = NULL;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	conf.ctrl.recv_mbuf_cb = NULL;
	TEST_EXPECT(server_create(&conf), -EINVAL); /* none */
	conf.ctrl.recv_pool = pool;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	test_server_conf(ep, "test", &conf);
	conf.ctrl.recv_pool = pool;
	TEST_EXPECT(server_create(&conf), -EINVAL); /* a pool for nothing */
	return TEST_SUCCESS;
}

/* Pools that cannot hold a message, and those that just can. */
static int
test_conf_pool(void)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;
	struct rte_comch_dev_info info = test_dev_info(test_pair.dpu);

	test_server_conf(ep, "test", &conf);
	mbuf_conf(&conf.ctrl);
	TEST_EXPECT(server_create(&conf), 0);
	conf.ctrl.max_msg_size = info.max_msg_size;
	TEST_EXPECT(server_create(&conf), 0); /* 66 of 256 mbufs */
	other_pool = rte_mempool_create("test_no_mbufs", 64, 512, 0, 0, NULL, NULL, NULL, NULL,
			SOCKET_ID_ANY, 0);
	TEST_TRUE(other_pool != NULL);
	conf.ctrl.recv_pool = other_pool;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	rte_mempool_free(other_pool);
	/* 7 mbufs of 1000 bytes; 1000 mbufs of 10, of which a message has 256 */
	other_pool = rte_pktmbuf_pool_create("test_few", 7, 0, 0, RTE_PKTMBUF_HEADROOM + ROOM,
			SOCKET_ID_ANY);
	TEST_TRUE(other_pool != NULL);
	conf.ctrl.recv_pool = other_pool;
	conf.ctrl.max_msg_size = 7001;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	conf.ctrl.max_msg_size = 7000;
	TEST_EXPECT(server_create(&conf), 0);
	rte_mempool_free(other_pool);
	other_pool = rte_pktmbuf_pool_create("test_small", 1000, 0, 0, RTE_PKTMBUF_HEADROOM + 10,
			SOCKET_ID_ANY);
	TEST_TRUE(other_pool != NULL);
	conf.ctrl.recv_pool = other_pool;
	conf.ctrl.max_msg_size = 2561;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	conf.ctrl.max_msg_size = 2560;
	TEST_EXPECT(server_create(&conf), 0);
	rte_mempool_free(other_pool);
	/* nothing beside the headroom */
	other_pool = rte_pktmbuf_pool_create("test_none", 64, 0, 0, RTE_PKTMBUF_HEADROOM,
			SOCKET_ID_ANY);
	TEST_TRUE(other_pool != NULL);
	conf.ctrl.recv_pool = other_pool;
	conf.ctrl.max_msg_size = 1;
	TEST_EXPECT(server_create(&conf), -EINVAL);
	return TEST_SUCCESS;
}

/* From copies to mbufs, with the same server; what is wrong changes nothing. */
static int
test_conf_anew(void)
{
	struct test_ep *server, *client;
	struct rte_comch_server_conf conf;

	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_send_pattern(client->conn, 2 * ROOM, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	TEST_EXPECT(nb_got, 0);
	TEST_CALL(test_stop(client));
	TEST_CALL(test_stop(server));
	conf = test_ctx_info(server->ctx).conf.server;
	TEST_TRUE(conf.ctrl.recv_cb != NULL && conf.ctrl.recv_pool == NULL);
	conf.ctrl.recv_pool = pool;
	conf.ctrl.recv_mbuf_cb = recv_keep;
	TEST_EXPECT(test_server_conf_set(server->ctx, &conf), -EINVAL);
	conf.ctrl.recv_cb = NULL;
	TEST_EXPECT(test_server_conf_set(server->ctx, &conf), 0);
	conf = test_ctx_info(server->ctx).conf.server;
	TEST_TRUE(conf.ctrl.recv_mbuf_cb == recv_keep && conf.ctrl.recv_pool == pool);
	TEST_EXPECT(rte_comch_ctx_start(server->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(server->nb_connects == 2 && client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(client->conn, 2 * ROOM, 2), 0);
	TEST_WAIT(nb_got == 1 && client->nb_done == 2, TEST_MS);
	TEST_TRUE(mbuf_right(got[0], 2 * ROOM, 2));
	return TEST_SUCCESS;
}

/* A size that only the peer has set is found out when it connects. */
static int
test_agreed_size(void)
{
	struct test_ep *server, *client;
	unsigned int round;

	for (round = 0; round < 2; round++) {
		struct rte_comch_server_conf server_conf = { .name = "test" };
		struct rte_comch_client_conf client_conf = { .name = "test" };

		other_pool = rte_pktmbuf_pool_create("test_few", 7, 0, 0,
				RTE_PKTMBUF_HEADROOM + ROOM, SOCKET_ID_ANY);
		TEST_TRUE(other_pool != NULL);
		if (round == 0) {
			mbuf_conf(&server_conf.ctrl);
			server_conf.ctrl.recv_pool = other_pool;
			server_conf.ctrl.max_msg_size = 0;
			client_conf.ctrl.max_msg_size = MSG_SIZE;
		} else {
			mbuf_conf(&client_conf.ctrl);
			client_conf.ctrl.recv_pool = other_pool;
			client_conf.ctrl.max_msg_size = 0;
			server_conf.ctrl.max_msg_size = MSG_SIZE;
		}
		server = test_server_run_conf(&server_conf, test_pe_new());
		client = test_client_run_conf(&client_conf, test_pe_new());
		TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -EMSGSIZE);
		/* a server of BlueField knows of it from the request on */
		TEST_TRUE(server->nb_connects == 0 || test_place_is_bluefield());
		TEST_WAIT(server->nb_disconnects == server->nb_connects, TEST_MS);
		test_cleanup();
		rte_mempool_free(other_pool);
		other_pool = NULL;
	}
	return TEST_SUCCESS;
}

static int
test_lengths(void)
{
	static const uint32_t lens[] = { 1, 7, 8, ROOM - 1, ROOM, ROOM + 1, 2 * ROOM,
		2 * ROOM + 1, MSG_SIZE - 1, MSG_SIZE };
	struct test_ep *server, *client, *from, *to;
	unsigned int round, i;

	TEST_CALL(mbuf_connect(&server, &client, true));
	/* often enough for messages that lie round the end of a ring */
	for (round = 0; round < 200; round++) {
		from = round % 2 == 0 ? client : server;
		to = round % 2 == 0 ? server : client;
		to->nb_recv = 0;
		for (i = 0; i < RTE_DIM(lens); i++)
			TEST_EXPECT(test_send_pattern(from->conn, lens[i], round + i), 0);
		TEST_WAIT(to->nb_recv == RTE_DIM(lens), TEST_MS);
		TEST_TRUE(got_conn == to->conn);
		for (i = 0; i < RTE_DIM(lens); i++)
			TEST_ASSERT(mbuf_right(got[i], lens[i], round + i),
					"round %u, %u bytes", round, lens[i]);
		free_got(nb_got);
	}
	TEST_WAIT(client->nb_done == server->nb_done && client->nb_done == 100 * RTE_DIM(lens),
			TEST_MS);
	TEST_EXPECT(test_conn_stats(server->conn).rx_msgs, 100 * RTE_DIM(lens));
	TEST_EXPECT(test_conn_stats(server->conn).rx_bytes, server->rx_bytes);
	TEST_EXPECT(test_conn_stats(server->conn).rx_no_mbuf, 0);
	return TEST_SUCCESS;
}

/* They are the application's, whatever becomes of the connection. */
static int
test_kept_after_end(void)
{
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(mbuf_connect(&server, &client, false));
	for (i = 0; i < 10; i++)
		TEST_EXPECT(test_send_pattern(client->conn, ROOM + i, i), 0);
	TEST_WAIT(server->nb_recv == 10 && client->nb_done == 10, TEST_MS);
	test_cleanup();
	for (i = 0; i < 10; i++)
		TEST_TRUE(mbuf_right(got[i], ROOM + i, i));
	return TEST_SUCCESS;
}

/* All mbufs are the application's: the rest waits, and comes when some are free. */
static int
test_pool_empty(void)
{
	struct test_ep *server, *client;
	unsigned int i, nb = 0;
	uint64_t in_flight;

	TEST_CALL(mbuf_connect(&server, &client, false));
	for (i = 0; i < 2 * POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 64, i), 0);
	TEST_WAIT(server->nb_recv == POOL_SIZE, TEST_MS);
	for (i = 0; i < TURNS; i++)
		test_progress();
	test_settle();
	TEST_EXPECT(server->nb_recv, POOL_SIZE);
	TEST_EXPECT(client->nb_done, POOL_SIZE);
	TEST_EXPECT(test_conn_stats(server->conn).rx_no_mbuf, 1);
	/* as many as the receive queue has room for */
	in_flight = test_conn_stats(server->conn).rx_in_flight;
	TEST_TRUE(in_flight == POOL_SIZE || (test_place_is_bluefield() && in_flight > 0));
	/* one by one, and it goes on with each */
	while (nb < 2 * POOL_SIZE) {
		TEST_TRUE(nb_got > 0 && mbuf_right(got[0], 64, nb));
		free_got(1);
		nb++;
		TEST_WAIT(server->nb_recv == RTE_MIN(POOL_SIZE + nb, 2u * POOL_SIZE), TEST_MS);
	}
	TEST_WAIT(client->nb_done == 2 * POOL_SIZE, TEST_MS);
	TEST_EXPECT(test_conn_stats(server->conn).rx_dropped, 0);
	return TEST_SUCCESS;
}

/* Each message waits for mbufs, and is handed up again: those over the end of a ring, too. */
static int
test_empty_each(void)
{
	const unsigned int room = POOL_SIZE / (MSG_SIZE / ROOM), most = 200;
	struct test_ep *server, *client;
	unsigned int nb, sent = 0;

	TEST_CALL(mbuf_connect(&server, &client, false));
	for (nb = 0; nb < most; nb++) {
		while (sent < most && test_send_pattern(client->conn, MSG_SIZE, sent) == 0)
			sent++;
		TEST_WAIT(server->nb_recv == RTE_MIN(room + nb, most), TEST_MS);
		test_progress();
		TEST_TRUE(mbuf_right(got[0], MSG_SIZE, nb));
		free_got(1);
	}
	TEST_WAIT(client->nb_done == most, TEST_MS);
	return TEST_SUCCESS;
}

/* For the case below: onto which engine the server accepts. */
static struct rte_comch_pe *away;

static struct rte_comch_pe *
engine_away(const struct rte_comch_conn_info *info __rte_unused, void *user_data __rte_unused)
{
	return away;
}

/* On another engine than the server's it waits for mbufs, too. */
static int
test_empty_elsewhere(void)
{
	struct test_ep *server, *client;
	struct rte_comch_server_conf conf = { .engine_cb = engine_away };
	const struct rte_comch_client_conf client_conf = { .ctrl.nb_tasks = 2 * POOL_SIZE };
	unsigned int i;

	away = test_pe_new();
	TEST_EXPECT(rte_comch_pe_dev_add(away, test_pair.dpu), 0);
	mbuf_conf(&conf.ctrl);
	server = test_server_run_conf(&conf, test_pe_new());
	client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT(server->nb_connects == 1 && client->conn != NULL, TEST_MS);
	for (i = 0; i < POOL_SIZE + 10; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 64, i), 0);
	TEST_WAIT(test_conn_stats(server->conn).rx_no_mbuf == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, POOL_SIZE);
	free_got(20);
	TEST_WAIT(server->nb_recv == POOL_SIZE + 10 && client->nb_done == POOL_SIZE + 10, TEST_MS);
	return TEST_SUCCESS;
}

/* Small messages of one client do not take the mbufs that a large one waits for. */
static int
test_large_gets_its_turn(void)
{
	struct test_ep *server, *client, *small;
	unsigned int i, large = 0, turns;
	uint64_t end;

	TEST_CALL(mbuf_connect(&server, &client, false));
	small = test_client_run("test", test_pe_new());
	TEST_WAIT(server->nb_connects == 2 && small->conn != NULL, TEST_MS);
	for (i = 0; i < POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
	TEST_WAIT(server->nb_recv == POOL_SIZE && client->nb_done == POOL_SIZE, TEST_MS);
	TEST_EXPECT(test_send_pattern(client->conn, MSG_SIZE, 1), 0);
	TEST_WAIT(test_conn_stats(server->conn).rx_no_mbuf + test_conn_stats(got_conn).rx_no_mbuf >
					0,
			TEST_MS);
	/* the pool has at most one mbuf at a time for whoever is quick */
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	for (turns = 0; large == 0; turns++) {
		TEST_TRUE(test_now_ns() < end);
		while (test_send_pattern(small->conn, 8, 2) == 0)
			;
		free_got(1);
		test_progress();
		for (i = 0; i < nb_got; i++)
			large += rte_pktmbuf_pkt_len(got[i]) == MSG_SIZE;
	}
	test_note("the large message came after %u turns", turns);
	return TEST_SUCCESS;
}

/* A connection that waits for mbufs does not keep its engine busy, nor asleep. */
static int
test_empty_sleeps(void)
{
	struct rte_comch_pe *server_pe = test_pe_new();
	struct test_ep *server, *client;
	struct rte_comch_server_conf conf = { .name = "test" };
	const struct rte_comch_client_conf client_conf = { .ctrl.nb_tasks = 2 * POOL_SIZE };
	unsigned int i, sleeps = 0;
	uint64_t end;

	TEST_CALL(test_need_event());
	mbuf_conf(&conf.ctrl);
	server = test_server_run_conf(&conf, server_pe);
	client = test_client_run_conf(&client_conf, test_pe_new());
	TEST_WAIT(server->conn != NULL && client->conn != NULL, TEST_MS);
	for (i = 0; i < POOL_SIZE + 1; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 8, i), 0);
	TEST_WAIT(test_conn_stats(server->conn).rx_no_mbuf == 1, TEST_MS);
	test_settle();
	end = test_now_ns() + 100 * 1000000;
	while (test_now_ns() < end) {
		TEST_EXPECT(test_arm(server_pe), 0);
		test_wait_fd(server_pe, 100);
		sleeps++;
	}
	test_note("%u sleeps in 100 ms", sleeps);
	TEST_TRUE(sleeps <= 150);
	TEST_EXPECT(test_arm(server_pe), 0);
	free_got(1);
	/* the timer, and then what it finds */
	while (server->nb_recv == POOL_SIZE) {
		TEST_EXPECT(test_wait_fd(server_pe, TEST_MS), 1);
		while (rte_comch_pe_progress(server_pe) > 0)
			;
		if (rte_comch_pe_arm(server_pe) == -EAGAIN)
			rte_comch_pe_progress(server_pe);
	}
	TEST_WAIT(client->nb_done == POOL_SIZE + 1, TEST_MS);
	return TEST_SUCCESS;
}

/* It ends in each state of waiting, and no mbuf is lost. The teardown counts them. */
static int
test_end_while_empty(void)
{
	struct test_ep *server, *client;
	unsigned int i, round;

	for (round = 0; round < 6; round++) {
		TEST_CALL(mbuf_connect(&server, &client, false));
		for (i = 0; i < POOL_SIZE + 10; i++)
			TEST_EXPECT(test_send_pattern(client->conn, 64, i), 0);
		TEST_WAIT(test_conn_stats(server->conn).rx_no_mbuf == 1, TEST_MS);
		if (round % 3 == 1)
			TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
		if (round % 3 == 2) {
			/* one mbuf is there for the message, which is held back then */
			free_got(1);
			for (i = 0; i < 2 && test_conn_stats(server->conn).rx_msgs == POOL_SIZE;
					i++)
				test_progress();
			rte_comch_conn_recv_hold_set(server->conn, true);
		}
		if (round < 3)
			TEST_CALL(test_stop(client));
		else
			TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
		TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
		test_cleanup();
		free_got(nb_got);
		TEST_EXPECT(rte_mempool_avail_count(pool), POOL_SIZE);
	}
	return TEST_SUCCESS;
}

/* Held back by the application while it waits: both have to be over. */
static int
test_empty_and_held(void)
{
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(mbuf_connect(&server, &client, false));
	for (i = 0; i < POOL_SIZE + 10; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 64, i), 0);
	TEST_WAIT(test_conn_stats(server->conn).rx_no_mbuf == 1, TEST_MS);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, true), 0);
	for (i = 0; i < 5; i++)
		TEST_TRUE(mbuf_right(got[i], 64, i));
	free_got(5);
	for (i = 0; i < TURNS; i++)
		test_progress();
	TEST_EXPECT(server->nb_recv, POOL_SIZE);
	TEST_EXPECT(rte_comch_conn_recv_hold_set(server->conn, false), 0);
	TEST_WAIT(server->nb_recv == POOL_SIZE + 5, TEST_MS);
	for (i = 0; i < TURNS; i++)
		test_progress();
	TEST_EXPECT(server->nb_recv, POOL_SIZE + 5);
	free_got(nb_got);
	TEST_WAIT(server->nb_recv == POOL_SIZE + 10 && client->nb_done == POOL_SIZE + 10, TEST_MS);
	return TEST_SUCCESS;
}

/* What is handed up after the wait is another message: its length is what counts. */
static int
test_mock_other_length(void)
{
	struct test_ep *server, *client;
	uint8_t msg[MSG_SIZE];
	unsigned int i;

	TEST_CALL(mbuf_connect(&server, &client, false));
	for (i = 0; i < POOL_SIZE; i++)
		TEST_EXPECT(test_send_pattern(client->conn, 64, i), 0);
	TEST_WAIT(server->nb_recv == POOL_SIZE, TEST_MS);
	test_fill(msg, MSG_SIZE, 5);
	TEST_EXPECT(test_mock_msg_recv(server->conn, msg, MSG_SIZE), -EAGAIN);
	test_progress();
	TEST_EXPECT(test_conn_stats(server->conn).rx_no_mbuf, 1);
	free_got(nb_got);
	test_progress(); /* its mbufs are there, and the next turn hands it up */
	test_fill(msg, 16, 6);
	TEST_EXPECT(test_mock_msg_recv(server->conn, msg, 16), 0);
	TEST_EXPECT(nb_got, 1);
	TEST_TRUE(mbuf_right(got[0], 16, 6));
	TEST_WAIT(nb_got == 2, TEST_MS);
	TEST_TRUE(mbuf_right(got[1], MSG_SIZE, 5));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: reception into mbufs",
	.setup = test_mock_suite_setup,
	.teardown = test_mock_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(setup_quiet, teardown, test_conf),
		TEST_CASE_ST(setup_quiet, teardown, test_conf_pool),
		TEST_CASE_ST(setup_quiet, teardown, test_conf_anew),
		TEST_CASE_ST(setup_quiet, teardown, test_agreed_size),
		TEST_CASE_ST(setup, teardown, test_lengths),
		TEST_CASE_ST(setup, teardown, test_kept_after_end),
		TEST_CASE_ST(setup, teardown, test_pool_empty),
		TEST_CASE_ST(setup, teardown, test_empty_each),
		TEST_CASE_ST(setup, teardown, test_empty_elsewhere),
		TEST_CASE_ST(setup, teardown, test_large_gets_its_turn),
		TEST_CASE_ST(setup, teardown, test_empty_sleeps),
		TEST_CASE_ST(setup, teardown, test_end_while_empty),
		TEST_CASE_ST(setup, teardown, test_empty_and_held),
		TEST_CASE_ST(setup, teardown, test_mock_other_length),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_recv_mbuf_autotest, unit_test_suite_runner, &suite)
