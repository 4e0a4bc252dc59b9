/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections of the bluefield driver that end while somebody still has something of
 * them: the application a message, another connection its turn, the worker their queues.
 * Each case has the other thread take its time in between. Where the driver uses what it
 * has freed, the case crashes, at the latest under AddressSanitizer.
 */

#define ALLOW_INTERNAL_API 1 /* it looks into devices */

#include <pthread.h>
#include <unistd.h>

#include "bluefield_chan_priv.h"
#include "test_bluefield_group.h"
#include "test_bluefield_peer.h"
#include "test_comch_fp_util.h"

#define CARD "ecpf0vf0"
#define HOST "pf0vf0"
#define HOSTILE "pf0vf1"
#define CARD_MAC "02:c0:3c:00:01:18"
#define HOST_MAC "02:c0:3c:00:01:19"
#define HOSTILE_MAC "02:c0:3c:00:01:1a"

#define QUEUE_SIZE 8u /* of the server */

/* In which the worker has done what it was asked for. */
#define WORKER_MS 100

static const uint8_t card_mac[] = { 0x02, 0xc0, 0x3c, 0x00, 0x01, 0x18 };
static struct peer hostile;
static int card_dev, host_dev;
static struct rte_comch_pe *own; /* an engine that only the case turns, or NULL */

static int
setup(void)
{
	own = NULL;
	memset(&hostile, 0, sizeof(hostile));
	TEST_CALL(test_log_begin());
	TEST_CALL(peer_model_start(CARD_MAC, HOST_MAC, HOSTILE_MAC));
	card_dev = test_model_dev_add(&model, CARD,
		"health=50,role=dpu,functions=" HOST "@" HOST_MAC "/" HOSTILE "@" HOSTILE_MAC);
	host_dev = test_model_dev_add(&model, HOST,
		"health=50,role=host,function=" HOST ",peer=" CARD_MAC);
	TEST_TRUE(card_dev >= 0 && host_dev >= 0);
	test_pair.dpu = card_dev;
	test_pair.rep = 0;
	test_pair.host = host_dev;
	TEST_EXPECT(rte_comch_pe_create(NULL, &own), 0);
	return TEST_SUCCESS;
}

static int
own_progress(void)
{
	return (own == NULL ? 0 : test_turn(own, NULL)) + test_progress();
}

static void
turn(unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	do
		own_progress();
	while (test_now_ns() < end);
}

/* As TEST_WAIT, with the engine of the case. */
#define OWN_WAIT(cond, ms) TEST_UNTIL_TEXT(cond, #cond, own_progress(), ms)

static int
own_end(struct test_ep *ep)
{
	if (ep->ctx != NULL && test_state(ep) != RTE_COMCH_STATE_IDLE)
		rte_comch_ctx_stop(ep->ctx);
	OWN_WAIT(ep->ctx == NULL || test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	if (ep->ctx != NULL)
		TEST_EXPECT(rte_comch_ctx_destroy(ep->ctx), 0);
	ep->ctx = NULL;
	return TEST_SUCCESS;
}

static struct test_ep *on_own; /* what is attached to it, or NULL */

static void
teardown(void)
{
	struct rte_comch_pe *pe = own;

	peer_close(&hostile);
	if (on_own != NULL) {
		on_own->on_recv = NULL;
		on_own->on_connect = NULL;
		on_own->on_disconnect = NULL;
		own_end(on_own);
	}
	on_own = NULL;
	own = NULL;
	test_cleanup();
	if (pe != NULL && rte_comch_pe_destroy(pe) != 0)
		test_fail("the engine of the case cannot be destroyed");
	test_model_teardown();
}

/* A server on the engine of the case. */
static struct test_ep *
own_server(void)
{
	const struct rte_comch_server_conf conf = { .ctrl.recv_queue_size = QUEUE_SIZE };

	on_own = test_server_run_conf(&conf, own);
	return on_own;
}

/* A client that is connected to it. */
static struct test_ep *
client_of(struct test_ep *server)
{
	struct test_ep *client = test_client_run("test", test_pe_new());
	uint64_t limit = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (client->conn == NULL && test_now_ns() < limit)
		turn(1);
	turn(5);
	return client->conn != NULL && server->conn != NULL ? client : NULL;
}

/*
 * A message of a peer that has gone: the connection is over at once
 */

#define MSG_SIZE 3000
/* Memory of the driver: more than it has anywhere without asking EAL. */
#define PIECE (64u << 10)
#define NB_PIECES 128

static void
end_and_read(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	static struct rte_comch_mem *mems[NB_PIECES];
	uint32_t i;

	rte_comch_server_disconnect(conn);
	usleep(WORKER_MS * 1000);
	/* what has been freed by now is somebody else's, and zero at first */
	for (i = 0; i < NB_PIECES; i++)
		if (rte_comch_mem_alloc(card_dev, PIECE, 0, &mems[i]) != 0)
			break;
	ep->value += test_check(msg, len, 7);
	while (i-- > 0)
		rte_comch_mem_free(mems[i]);
}

static int
test_end_in_message(void)
{
	struct test_ep *server = own_server(), *client;

	client = client_of(server);
	TEST_TRUE(client != NULL);
	server->on_recv = end_and_read;
	TEST_EXPECT(test_send_pattern(client->conn, MSG_SIZE, 7), 0);
	/* its BYE is there as well before the server looks */
	TEST_EXPECT(rte_comch_ctx_stop(client->ctx), -EINPROGRESS);
	usleep(WORKER_MS * 1000);
	OWN_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->nb_recv, 1);
	TEST_EXPECT(server->value, 1);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(client->nb_done, 1);
	return test_log_passed();
}

/*
 * An engine that goes while the worker has its queues, and a device that fails then
 */

static int
test_engine_goes_first(void)
{
	struct test_ep *server = test_server_run("test", test_pe_new()), *client;

	client = test_client_run("test", own);
	on_own = client;
	OWN_WAIT(client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault " HOST " cmd opcode=DESTROY_QP delay=%u",
			5 * WORKER_MS), 0);
	TEST_CALL(own_end(client));
	TEST_EXPECT(rte_comch_pe_destroy(own), 0);
	own = NULL;
	TEST_EXPECT(test_model_ctl(&model, "fault " HOST " nic-state 1"), 0);
	TEST_WAIT(test_dev_status(host_dev) != 0, TEST_MS);
	TEST_WAIT(server->nb_disconnects == 1, 3 * TEST_MS);
	TEST_EXPECT(test_model_ctl(&model, "fault " HOST " clear"), 0);
	return test_log_passed();
}

/*
 * A connection on another engine than its server leaves nothing behind
 */

static uint32_t nb_named;

static struct rte_comch_pe *
engine_own(const struct rte_comch_conn_info *info __rte_unused, void *user_data __rte_unused)
{
	nb_named++;
	return own;
}

/* References to what the card's device has of connections: lines and groups. */
static uint32_t
card_refs(void)
{
	const struct bf_dev *dev = group_dev_of(card_dev);

	return __atomic_load_n(&bf_chan_dev_of(dev)->refs, __ATOMIC_ACQUIRE);
}

static int
test_elsewhere_is_freed(void)
{
	struct test_ep *server, *client;
	struct rte_comch_pe *pe = test_pe_new();
	const struct rte_comch_server_conf conf = { .engine_cb = engine_own };
	uint32_t refs, i;

	server = test_server_run_conf(&conf, test_pe_new());
	TEST_EXPECT(rte_comch_pe_dev_add(own, card_dev), 0);
	refs = card_refs();
	for (i = 1; i <= 5; i++) {
		client = test_client_run("test", pe);
		OWN_WAIT(client->conn != NULL && server->nb_connects == i, TEST_MS);
		TEST_EXPECT(test_send_pattern(client->conn, 100, i), 0);
		OWN_WAIT(server->nb_recv == i, TEST_MS);
		rte_comch_ctx_stop(client->ctx);
		OWN_WAIT(server->nb_disconnects == i &&
				test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_CALL(test_ep_close(client));
	}
	OWN_WAIT(card_refs() == refs, TEST_MS);
	return test_log_passed();
}

static void
note_refused(struct rte_comch_ctx *ctx __rte_unused, const struct rte_comch_refusal *refusal,
		void *user_data)
{
	((struct test_ep *)user_data)->connect_status = refusal->reason;
}

/* The device fails before that engine has had its turn: it opens nothing. */
static int
test_fails_before_its_turn(void)
{
	const struct rte_comch_server_conf conf = {
		.engine_cb = engine_own,
		.refused_cb = note_refused,
	};
	struct test_ep *server = test_server_run_conf(&conf, test_pe_new());
	struct rte_comch_dev *dev;
	uint32_t refs;

	TEST_EXPECT(rte_comch_pe_dev_add(own, card_dev), 0);
	refs = card_refs();
	nb_named = 0;
	test_client_run("test", test_pe_new());
	TEST_WAIT(nb_named == 1, TEST_MS);
	dev = group_dev_of(card_dev)->rte_dev;
	dev->ops->fail(dev, -EIO);
	OWN_WAIT(server->connect_status != 0, TEST_MS);
	TEST_EXPECT(server->connect_status, -EIO);
	TEST_EXPECT(server->nb_connects, 0);
	OWN_WAIT(card_refs() == refs, TEST_MS);
	return test_log_passed();
}

/*
 * A failure that an engine is told of while its mailbox is full
 */

static void
handle_nothing(struct rte_comch_pmd_event *ev __rte_unused)
{
}

static int
test_fails_with_full_mailbox(void)
{
	struct test_ep *server = own_server(), *client;
	static struct rte_comch_pmd_event ev = { .handler = handle_nothing };
	struct rte_comch_dev *dev;
	uint32_t i;

	client = client_of(server);
	TEST_TRUE(client != NULL);
	dev = group_dev_of(card_dev)->rte_dev;
	for (i = 0; i < 1u << 20; i++)
		if (rte_comch_pmd_event_post(own, &ev) != 0)
			break;
	TEST_TRUE(i < 1u << 20);
	dev->ops->fail(dev, -EIO);
	OWN_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -EIO);
	return test_log_passed();
}

/*
 * The end of a connection in the callback that tells of another one's, as the device fails
 */

static struct rte_comch_conn *second;

static void
end_second(struct test_ep *ep, struct rte_comch_conn *conn, int status __rte_unused)
{
	if (second == NULL || conn == second)
		return;
	ep->value += rte_comch_server_disconnect(second) == 0;
	second = NULL;
	usleep(WORKER_MS * 1000);
}

/*
 * The first is of a client that never says that it is ready: it ends when that is told,
 * and not in a poll. The BYE of the second has come, so that this is over at once.
 */
static int
test_fails_and_ends(void)
{
	struct test_ep *server = own_server(), *client, *other;
	struct bf_wire_req req;
	struct rte_comch_dev *dev;

	test_pair.rep = 1;
	other = test_server_run("other", own);
	TEST_CALL(peer_open(&hostile, HOSTILE, false));
	peer_req(&req, "other");
	hostile.no_rtu = true;
	TEST_CALL(peer_connect(&hostile, card_mac, &req, sizeof(req)));
	OWN_WAIT((peer_poll(&hostile), hostile.seen[BF_CM_REP] != 0), TEST_MS);
	TEST_EXPECT(other->nb_connects, 1);
	client = client_of(server);
	TEST_TRUE(client != NULL);
	second = server->conn;
	other->on_disconnect = end_second;
	rte_comch_ctx_stop(client->ctx);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	dev = group_dev_of(card_dev)->rte_dev;
	dev->ops->fail(dev, -EIO);
	OWN_WAIT(server->nb_disconnects == 1 && other->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(other->value, 1);
	TEST_CALL(own_end(other));
	return test_log_passed();
}

/*
 * Messages are counted by a thread that nobody waits for
 */

#define NB_COUNTED 2000u

struct counter {
	const struct rte_comch_dev_ops *ops;
	struct rte_comch_conn *conn;
	uint32_t stop;  /* atomic */
	uint32_t nb;
	uint32_t most;
};

static void *
count_main(void *arg)
{
	struct counter *counter = arg;
	uint32_t nb;

	/* the counters of the library are the engine's, but this may be any thread's */
	while (__atomic_load_n(&counter->stop, __ATOMIC_RELAXED) == 0) {
		nb = counter->ops->conn_rx_count(counter->conn);
		counter->most = RTE_MAX(counter->most, nb);
		counter->nb++;
	}
	return NULL;
}

static int
test_counted_meanwhile(void)
{
	struct test_ep *server = own_server(), *client;
	struct counter counter = { .conn = NULL };
	pthread_t thread;
	uint64_t end;
	uint32_t i;

	client = client_of(server);
	TEST_TRUE(client != NULL);
	counter.ops = group_dev_of(card_dev)->rte_dev->ops;
	counter.conn = server->conn;
	TEST_EXPECT(rte_comch_conn_ref(server->conn), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, count_main, &counter), 0);
	for (i = 0; i < NB_COUNTED; i++) {
		while (test_send_pattern(client->conn, 64, i) != 0)
			turn(0);
		if (i % 4 == 0)
			turn(0);
	}
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (server->nb_recv < NB_COUNTED && test_now_ns() < end)
		turn(0);
	__atomic_store_n(&counter.stop, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	rte_comch_conn_unref(counter.conn);
	TEST_EXPECT(server->nb_recv, NB_COUNTED);
	TEST_TRUE(counter.nb > 0);
	/* for a moment one is counted twice, or not; there is no room for more */
	TEST_TRUE(counter.most <= QUEUE_SIZE);
	return test_log_passed();
}

/*
 * Connections come and go while a thread has them listed
 */

struct dumper {
	struct rte_comch_dev *dev;
	FILE *f;
	uint32_t stop; /* atomic */
	uint32_t nb;
};

static void *
dump_main(void *arg)
{
	struct dumper *dumper = arg;

	while (__atomic_load_n(&dumper->stop, __ATOMIC_RELAXED) == 0) {
		dumper->dev->ops->dump(dumper->dev, dumper->f);
		dumper->nb++;
		usleep(100);
	}
	return NULL;
}

static int
test_dumped_meanwhile(void)
{
	struct dumper dumper = { .dev = group_dev_of(card_dev)->rte_dev };
	struct test_ep *server = own_server(), *client;
	pthread_t thread;
	uint32_t i;

	dumper.f = fopen("/dev/null", "w");
	TEST_TRUE(dumper.f != NULL);
	TEST_EXPECT(pthread_create(&thread, NULL, dump_main, &dumper), 0);
	for (i = 0; i < 5; i++) {
		client = client_of(server);
		if (client == NULL || test_ep_close(client) != 0)
			break;
		turn(5);
	}
	__atomic_store_n(&dumper.stop, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	fclose(dumper.f);
	TEST_EXPECT(i, 5);
	TEST_TRUE(dumper.nb > 0);
	return test_log_passed();
}

/*
 * The thread of a function tells of its failure while another one removes the device
 */

#define NB_ENDS 50

static uint32_t told_enough; /* atomic */

static void *
tell_main(void *arg)
{
	while (__atomic_load_n(&told_enough, __ATOMIC_RELAXED) == 0)
		bf_dev_fail(arg, -EIO);
	return NULL;
}

static int
test_fails_while_it_ends(void)
{
	struct bf_dev *dev = group_dev_of(host_dev);
	pthread_t thread;
	uint32_t i;
	int ret = 0;

	__atomic_store_n(&told_enough, 0, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_create(&thread, NULL, tell_main, dev), 0);
	for (i = 0; i < NB_ENDS && ret == 0; i++) {
		bf_dev_end(dev);
		ret = bf_dev_begin(dev);
	}
	__atomic_store_n(&told_enough, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_join(thread, NULL), 0);
	TEST_EXPECT(ret, 0);
	return test_log_passed();
}

/*
 * The stop of a queue that takes longer than the library waits: it frees the queue, and
 * the worker has still to stop it
 */

static int
test_queue_stops_slowly(void)
{
	struct test_q *consumer, *producer;
	struct test_ep *server, *client;
	struct test_slots to;
	struct test_fp fp;

	TEST_CALL(test_fp_open(&fp, TEST_FP_TO_HOST));
	TEST_CALL(test_slots_new(&to, fp.rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, 64));
	TEST_CALL(test_fp_queues(&fp, to.mem, 4, 0, &consumer, &producer));
	/* who has credits has a pair */
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 1, 0));
	TEST_EXPECT(test_model_ctl(&model, "fault " HOST " cmd opcode=DESTROY_QP count=1 delay=%u",
			RTE_COMCH_PMD_ANSWER_MS + RTE_COMCH_PMD_LATE_MS + 5 * WORKER_MS), 0);
	TEST_EXPECT(rte_comch_ctx_stop(consumer->ctx), -EINPROGRESS);
	/* time for the peer's answer: only then is the queue pair destroyed */
	test_progress_ms(10 * WORKER_MS);
	/* nothing else of the device is done until the worker comes to it */
	TEST_UNTIL((test_drain(consumer), test_q_state(consumer) == RTE_COMCH_STATE_IDLE),
			test_turn(fp.rx.q_pe, NULL), TEST_MS + RTE_COMCH_PMD_ANSWER_MS);
	TEST_EXPECT(test_dev_status(host_dev), -ETIMEDOUT);
	usleep(10 * WORKER_MS * 1000);
	test_fp_cleanup();
	TEST_EXPECT(rte_comch_dev_reset(host_dev), 0);
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_WAIT(server->nb_recv == 1, TEST_MS);
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "ends of BlueField connections that somebody still uses",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_end_in_message),
		TEST_CASE_ST(setup, teardown, test_engine_goes_first),
		TEST_CASE_ST(setup, teardown, test_elsewhere_is_freed),
		TEST_CASE_ST(setup, teardown, test_fails_before_its_turn),
		TEST_CASE_ST(setup, teardown, test_fails_with_full_mailbox),
		TEST_CASE_ST(setup, teardown, test_fails_and_ends),
		TEST_CASE_ST(setup, teardown, test_counted_meanwhile),
		TEST_CASE_ST(setup, teardown, test_dumped_meanwhile),
		TEST_CASE_ST(setup, teardown, test_fails_while_it_ends),
		TEST_CASE_ST(setup, teardown, test_queue_stops_slowly),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(bluefield_ends_autotest, unit_test_suite_runner, &suite)
