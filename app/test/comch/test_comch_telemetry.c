/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The telemetry of the library, asked as its users ask: through the socket in
 * the runtime folder of this process.
 */

/* before any header: some bring the macros that look at it */
#define ALLOW_INTERNAL_API 1

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_pause.h>

#include "test_comch_fp_util.h"
#include "test_mock.h"
#include "test_mock_dpa.h"

static int sock = -1;
static char reply[65536];

/* Telemetry answers from a thread of its own; nothing is progressed meanwhile. */
static int
ask(const char *request)
{
	struct pollfd pfd = { .fd = sock, .events = POLLIN };
	ssize_t n;

	if (send(sock, request, strlen(request), 0) != (ssize_t)strlen(request))
		return -errno;
	if (poll(&pfd, 1, TEST_MS) != 1)
		return -ETIMEDOUT;
	n = read(sock, reply, sizeof(reply) - 1);
	if (n <= 0)
		return -EPIPE;
	reply[n] = '\0';
	return 0;
}

/* An endpoint for a device, with what follows the device. */
static int
ask_dev(int16_t dev, const char *endpoint, const char *more)
{
	char request[64];

	snprintf(request, sizeof(request), "/comch/%s,%d%s", endpoint, dev, more);
	return ask(request);
}

static int
ask_host(const char *endpoint, const char *more)
{
	return ask_dev(test_pair.host, endpoint, more);
}

static int
ask_dpu(const char *endpoint)
{
	return ask_dev(test_pair.dpu, endpoint, "");
}

static void
suite_teardown(void)
{
	if (sock >= 0)
		close(sock);
	sock = -1;
}

static int
suite_setup(void)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct pollfd pfd = { .events = POLLIN };

	TEST_CALL(test_pair_first());
	test_log_quiet();
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk_telemetry.v2",
			rte_eal_get_runtime_dir());
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	TEST_TRUE(sock >= 0);
	if (connect(sock, (struct sockaddr *)&addr, sizeof(addr)) != 0)
		return test_skip("EAL runs without telemetry: %s: %s", addr.sun_path,
				strerror(errno));
	/* it introduces itself */
	pfd.fd = sock;
	TEST_EXPECT(poll(&pfd, 1, TEST_MS), 1);
	TEST_TRUE(read(sock, reply, sizeof(reply)) > 0);
	return TEST_SUCCESS;
}

static bool
reply_has(const char *key, const char *value)
{
	const char *at = reply;
	char text[256];
	int len;

	len = snprintf(text, sizeof(text), "\"%s\":%s", key, value);
	while ((at = strstr(at, text)) != NULL) {
		at += len;
		if (*at == ',' || *at == '}')
			return true; /* and not the beginning of a longer value */
	}
	return false;
}

/* No byte is in a reply that JSON, or a terminal, does not take as it is. */
static int
reply_plain(void)
{
	const char *c;

	for (c = reply; *c != '\0'; c++)
		TEST_ASSERT(*c >= ' ' && *c <= '~', "byte 0x%02x in %s", (uint8_t)*c, reply);
	return TEST_SUCCESS;
}

static int
test_list(void)
{
	char text[16];

	TEST_EXPECT(ask("/comch/list"), 0);
	snprintf(text, sizeof(text), "%d", test_pair.dpu);
	TEST_TRUE(strncmp(reply, "{\"/comch/list\":[", 16) == 0);
	TEST_TRUE(strstr(reply, text) != NULL);
	return TEST_SUCCESS;
}

static int
test_info(void)
{
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);
	char value[RTE_DEV_NAME_MAX_LEN + 2];

	TEST_EXPECT(ask_host("info", ""), 0);
	snprintf(value, sizeof(value), "\"%s\"", info.name);
	TEST_TRUE(reply_has("name", value));
	TEST_TRUE(reply_has("role", "\"host\""));
	snprintf(value, sizeof(value), "\"%s\"", info.function);
	TEST_TRUE(reply_has("function", value));
	snprintf(value, sizeof(value), "%u", info.max_msg_size);
	TEST_TRUE(reply_has("max_msg_size", value));
	TEST_TRUE(reply_has("status", "\"up\""));
	TEST_TRUE(reply_has("link", info.link_up ? "\"up\"" : "\"down\""));
	TEST_EXPECT(ask_dpu("info"), 0);
	TEST_TRUE(reply_has("role", "\"dpu\""));
	return TEST_SUCCESS;
}

/* A device that has failed is not up, and one without a peer has no link. */
static int
test_status(void)
{
	char path[PATH_MAX];
	int dev, ret;

	TEST_EXPECT(test_rendezvous_create(path, sizeof(path)), 0);
	dev = test_vdev_add("role=host,function=pf0,path=%s", path);
	TEST_TRUE(dev >= 0);
	rte_comch_pmd_dev_down(test_mock_dev((int16_t)dev), -EIO);
	ret = ask_dev((int16_t)dev, "info", "");
	TEST_EXPECT(test_vdev_remove((int16_t)dev), 0);
	test_rendezvous_remove(path);
	TEST_EXPECT(ret, 0);
	TEST_TRUE(reply_has("status", "\"Input/output error\""));
	TEST_TRUE(reply_has("link", "\"down\""));
	return TEST_SUCCESS;
}

static int
test_stats(void)
{
	struct test_ep *server, *client;
	char uid[16];

	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.dpu), 0);
	TEST_EXPECT(ask_dpu("stats"), 0);
	TEST_TRUE(reply_has("connects", "0"));
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(ask_dpu("stats"), 0);
	TEST_TRUE(reply_has("connects", "1"));
	TEST_TRUE(reply_has("violations", "0"));
	TEST_EXPECT(ask_dpu("users"), 0);
	TEST_CALL(reply_plain());
	/* only drivers that count say so */
	if (strcmp(test_dev_info(test_pair.dpu).driver, "comch_shm") != 0) {
		TEST_TRUE(strcmp(reply, "{\"/comch/users\":{}}") == 0);
		return TEST_SUCCESS;
	}
	TEST_TRUE(reply_has("links_refused", "0") && reply_has("events", "0"));
	snprintf(uid, sizeof(uid), "%u", (unsigned int)geteuid());
	TEST_TRUE(reply_has("uid", uid));
	return TEST_SUCCESS;
}

/* A number of an answer, -1 if there is none of that name. */
static int64_t
reply_number(const char *key)
{
	char text[64];
	const char *at;

	snprintf(text, sizeof(text), "\"%s\":", key);
	at = strstr(reply, text);
	return at == NULL ? -1 : strtoll(at + strlen(text), NULL, 10);
}

/* What was carried so far, by earlier cases, too. */
static int64_t
total(int16_t dev, const char *key)
{
	return ask_dev(dev, "totals", "") == 0 ? reply_number(key) : -1;
}

/* Connections count while they are there, and when they are gone. */
static int
test_totals(void)
{
	const int16_t host = test_pair.host, dpu = test_pair.dpu;
	int64_t msgs = total(host, "ctrl_tx_msgs"), bytes = total(host, "ctrl_tx_bytes");
	int64_t got = total(dpu, "ctrl_rx_msgs"), got_bytes = total(dpu, "ctrl_rx_bytes");
	struct test_ep *server, *client;
	int i;

	TEST_TRUE(msgs >= 0 && bytes >= 0 && got >= 0 && got_bytes >= 0);
	TEST_CALL(test_connected(&server, &client));
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_WAIT(server->nb_recv == 1 && client->nb_done == 1, TEST_MS);
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(total(host, "ctrl_tx_msgs"), msgs + 1);
		TEST_EXPECT(total(host, "ctrl_tx_bytes"), bytes + 100);
		TEST_EXPECT(total(dpu, "ctrl_rx_msgs"), got + 1);
		TEST_EXPECT(total(dpu, "ctrl_rx_bytes"), got_bytes + 100);
		if (i == 0) {
			TEST_EXPECT(test_ep_close(client), 0);
			TEST_EXPECT(test_ep_close(server), 0);
		}
	}
	return TEST_SUCCESS;
}

/* And so do producers and consumers. */
static int
test_totals_queues(struct test_fp *fp)
{
	int64_t sent = total(fp->tx.dev, "producer_msgs"), got = total(fp->rx.dev, "consumer_msgs");
	int64_t bytes = total(fp->rx.dev, "consumer_bytes");
	struct test_q *consumer, *producer;
	struct rte_comch_cpl cpl;
	struct test_slots from, to;
	int i;

	TEST_TRUE(sent >= 0 && got >= 0 && bytes >= 0);
	TEST_CALL(test_slots_new(&to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, 1, 64));
	TEST_CALL(test_slots_new(&from, fp->tx.dev, 0, 1, 64));
	TEST_CALL(test_fp_queues(fp, to.mem, 1, 0, &consumer, &producer));
	TEST_CALL(test_fp_offer(consumer, producer, &to, 0, 1, 0));
	TEST_EXPECT(test_send_slot(producer, consumer->id, &from, 0, 60, 0), 1);
	TEST_EXPECT(test_poll(consumer, &cpl, 1), 1);
	TEST_EXPECT(test_poll(producer, &cpl, 1), 1);
	/* a new start counts from 0, but not in all */
	TEST_CALL(test_stop_now(producer->ctx));
	TEST_EXPECT(rte_comch_ctx_start(producer->ctx), 0);
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(total(fp->tx.dev, "producer_msgs"), sent + 1);
		TEST_EXPECT(total(fp->rx.dev, "consumer_msgs"), got + 1);
		TEST_EXPECT(total(fp->rx.dev, "consumer_bytes"), bytes + 60);
		if (i == 0) {
			TEST_CALL(test_q_close(producer));
			TEST_CALL(test_q_close(consumer));
		}
	}
	return TEST_SUCCESS;
}

/* Spends 20 ms with each message. */
static void
slow_recv(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	uint64_t end = test_now_ns() + 20 * 1000 * 1000;

	RTE_SET_USED(ep);
	RTE_SET_USED(conn);
	RTE_SET_USED(msg);
	RTE_SET_USED(len);
	while (test_now_ns() < end)
		rte_pause();
}

/* Time is busy from a turn that has found something to the next, and while it sleeps never. */
static int
test_pes(void)
{
	const uint64_t ms = rte_get_tsc_hz() / 1000; /* EAL's estimate */
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *server = test_server_run("test", pe);
	struct test_ep *client = test_client_run("test", test_pe_new());
	int64_t busy, total_cycles;
	int i;

	TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
	server->on_recv = slow_recv;
	TEST_EXPECT(ask_dpu("pes"), 0);
	busy = reply_number("busy_cycles");
	total_cycles = reply_number("total_cycles");
	TEST_TRUE(busy >= 0 && total_cycles >= busy);
	TEST_EXPECT(reply_number("tasks_left") <= reply_number("max_tasks"), 1);
	TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
	TEST_WAIT(server->nb_recv == 1 && client->nb_done == 1, TEST_MS);
	rte_comch_pe_progress(pe);
	TEST_EXPECT(ask_dpu("pes"), 0);
	TEST_TRUE(reply_number("busy_cycles") - busy >= (int64_t)(15 * ms));
	TEST_TRUE(reply_number("busy_cycles") <= reply_number("total_cycles"));
	/* it sleeps right after a turn that has found something */
	busy = reply_number("busy_cycles");
	TEST_EXPECT(test_send_pattern(client->conn, 100, 2), 0);
	TEST_WAIT(server->nb_recv == 2, TEST_MS);
	for (i = 0; i < 10000 && rte_comch_pe_arm(pe) == -EAGAIN; i++)
		rte_comch_pe_progress(pe);
	TEST_EXPECT(ask_dpu("pes"), 0);
	TEST_TRUE(reply_has("armed", "1") && reply_has("waiting", "0"));
	TEST_TRUE(reply_number("busy_cycles") - busy >= (int64_t)(15 * ms));
	busy = reply_number("busy_cycles");
	total_cycles = reply_number("total_cycles");
	/* asleep, and then awake with nothing to do */
	rte_delay_us_sleep(50 * 1000);
	for (i = 0; i < 10000 && rte_comch_pe_progress(pe) != 0; i++)
		;
	rte_delay_us_sleep(50 * 1000);
	rte_comch_pe_progress(pe);
	TEST_EXPECT(ask_dpu("pes"), 0);
	TEST_TRUE(reply_number("total_cycles") - total_cycles >= (int64_t)(90 * ms));
	TEST_TRUE(reply_number("busy_cycles") - busy < (int64_t)(25 * ms));
	return TEST_SUCCESS;
}

static int
test_connections(void)
{
	struct rte_comch_pe *server_pe = test_pe_new(), *client_pe = test_pe_new();
	struct test_ep *server = test_server_run("test", server_pe), *client = NULL;
	unsigned int i;

	TEST_EXPECT(ask_dpu("connections"), 0);
	TEST_TRUE(!reply_has("server", "\"test\""));
	/* more than fit in one answer */
	for (i = 0; i < 100; i++) {
		client = test_client_run("test", client_pe);
		TEST_WAIT(client->conn != NULL && server->nb_connects == i + 1, TEST_MS);
		if (i == 0) {
			TEST_EXPECT(test_send_pattern(client->conn, 100, 1), 0);
			TEST_WAIT(server->nb_recv == 1 && client->nb_done == 1, TEST_MS);
		}
	}
	TEST_EXPECT(ask_dpu("connections"), 0);
	TEST_TRUE(reply_has("server", "\"test\""));
	TEST_TRUE(reply_has("id", "1"));
	TEST_TRUE(reply_has("rx_msgs", "1"));
	TEST_TRUE(reply_has("rx_bytes", "100"));
	TEST_TRUE(!reply_has("id", "100"));
	TEST_EXPECT(ask_dev(test_pair.dpu, "connections", ",99"), 0);
	TEST_TRUE(reply_has("id", "100"));
	TEST_TRUE(!reply_has("id", "1"));
	return TEST_SUCCESS;
}

/* A server of any name, as one of two letters of which JSON takes none as it is. */
static int
test_names(void)
{
	static const struct {
		const char *name;
		const char *shown;
	} names[] = {
		{ "\xc3\xa9", "\"%C3%A9\"" },
		{ "\"\\", "\"%22%5C\"" },
		{ "a\tb\n\x01\x7f", "\"a%09b%0A%01%7F\"" },
		{ "100% {[,:]}", "\"100%25 {[,:]}\"" },
		{ "\xff\xfe", "\"%FF%FE\"" },
	};
	struct rte_comch_dev_info info;
	struct test_ep *client, *server;
	char name[RTE_COMCH_NAME_SIZE], longest[256];
	struct rte_comch_pe *pe = test_pe_new();
	size_t i;

	for (i = 0; i < RTE_DIM(names); i++) {
		server = test_server_run(names[i].name, pe);
		client = test_client_run(names[i].name, pe);
		TEST_WAIT(client->conn != NULL && server->conn != NULL, TEST_MS);
		TEST_EXPECT(ask_host("connections", ""), 0);
		TEST_CALL(reply_plain());
		TEST_ASSERT(reply_has("server", names[i].shown), "%s", reply);
		TEST_EXPECT(test_ep_close(client), 0);
		TEST_EXPECT(test_ep_close(server), 0);
	}
	/* what has no room is left out, and no half of a byte is shown */
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &info), 0);
	memset(name, 0xe9, sizeof(name));
	name[info.max_name_len - 1] = '\0';
	server = test_server_run(name, pe);
	client = test_client_run(name, pe);
	TEST_WAIT(client->conn != NULL, TEST_MS);
	TEST_EXPECT(ask_host("connections", ""), 0);
	TEST_CALL(reply_plain());
	longest[0] = '\0';
	for (i = 0; i < RTE_MIN((128 - 1) / 3, info.max_name_len - 1); i++)
		strcat(longest, "%E9");
	TEST_TRUE(strstr(reply, longest) != NULL && strstr(reply, "%E9\",\"id\"") != NULL);
	TEST_TRUE(strstr(reply, longest)[strlen(longest)] == '"');
	return TEST_SUCCESS;
}

/* A consumer and a producer whose identifiers have more than two digits. */
static int
test_queue_ids(void)
{
	struct rte_comch_ctx *consumer = NULL, *producer = NULL;
	struct test_ep *server, *client;
	unsigned int i;

	TEST_CALL(test_connected(&server, &client));
	for (i = 1; i <= 1005; i++) {
		TEST_EXPECT(rte_comch_consumer_create(client->conn, NULL, &consumer), 0);
		if (i < 1005)
			TEST_EXPECT(rte_comch_ctx_destroy(consumer), 0);
	}
	for (i = 1; i <= 1007; i++) {
		TEST_EXPECT(rte_comch_producer_create(client->conn, NULL, &producer), 0);
		if (i < 1007)
			TEST_EXPECT(rte_comch_ctx_destroy(producer), 0);
	}
	TEST_EXPECT(ask_host("queues", ""), 0);
	TEST_TRUE(reply_has("id", "1005"));
	TEST_TRUE(reply_has("id", "1007"));
	TEST_EXPECT(rte_comch_ctx_destroy(consumer), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(producer), 0);
	return TEST_SUCCESS;
}

/* Tries to make producers on a connection that takes none. */
struct maker {
	pthread_t thread;
	struct rte_comch_conn *conn;
	int want;       /* what each creation has to return */
	uint32_t tries;
	int ret;        /* what the last one returned */
	bool stop;
};

static void *
maker_run(void *arg)
{
	struct rte_comch_ctx *ctx = NULL;
	struct maker *m = arg;

	test_thread_spread(1); /* EAL's thread of telemetry shares the core of main */
	do {
		m->ret = rte_comch_producer_create(m->conn, NULL, &ctx);
		m->tries++;
	} while (m->ret == m->want && !__atomic_load_n(&m->stop, __ATOMIC_RELAXED));
	return NULL;
}

/* Somebody asks for the list of queues while another thread's creations fail. */
static int
creation_fails(struct rte_comch_conn *conn, uint32_t start, int want)
{
	uint64_t end = test_now_ns() + UINT64_C(1500000000);
	struct maker m = { .conn = conn, .want = want };
	char request[64];
	uint32_t asked = 0;
	int ret;

	snprintf(request, sizeof(request), "/comch/queues,%d,%u", test_pair.host, start);
	TEST_EXPECT(pthread_create(&m.thread, NULL, maker_run, &m), 0);
	do {
		ret = ask(request);
		asked++;
	} while (ret == 0 && test_now_ns() < end);
	__atomic_store_n(&m.stop, true, __ATOMIC_RELAXED);
	pthread_join(m.thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(m.ret, want);
	test_note("%u creations failed, asked %u times", m.tries, asked);
	return TEST_SUCCESS;
}

static int
need_producers(void)
{
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);

	if ((info.capa & RTE_COMCH_CAPA_PRODUCER) == 0)
		return test_skip("the device has no producers");
	if (info.max_producers > 1024)
		return test_skip("%u producers are too many to make", info.max_producers);
	return TEST_SUCCESS;
}

/* There is no identifier left. */
static int
test_no_room_for_queues(void)
{
	struct rte_comch_ctx *producers[1024];
	struct test_ep *server, *client;
	struct rte_comch_dev_info info = test_dev_info(test_pair.host);
	uint32_t nb = 0;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	while (nb < info.max_producers &&
			rte_comch_producer_create(client->conn, NULL, &producers[nb]) == 0)
		nb++;
	/* nobody asks for all of them: the answer would be long */
	ret = nb < info.max_producers ? TEST_FAILED : creation_fails(client->conn, nb, -ENOSPC);
	while (nb > 0)
		rte_comch_ctx_destroy(producers[--nb]);
	return ret;
}

/* The connection has ended; a task keeps its handle valid. */
static int
test_no_connection_for_queues(void)
{
	static char msg[4];
	struct test_ep *server, *client;
	struct rte_comch_task *task;
	struct rte_comch_conn *conn;
	int ret;

	TEST_CALL(test_connected(&server, &client));
	conn = client->conn;
	TEST_EXPECT(rte_comch_conn_task_alloc(conn, msg, sizeof(msg), &task), 0);
	TEST_EXPECT(rte_comch_server_disconnect(server->conn), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_STOPPING, TEST_MS);
	ret = creation_fails(conn, 0, -ENOTCONN);
	TEST_EXPECT(rte_comch_task_free(task), 0);
	return ret;
}

/*
 * Offload processors and message queues, on the mock
 */

static struct rte_comch_dpa *dpa;
static struct rte_comch_msgq *msgqs[2]; /* to the program, and from it */
static struct rte_comch_dpa_queue *dpa_producer;

static int
dpa_setup(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/a/program", .nb_eus = 2 };
	struct rte_comch_msgq_conf msgq_conf = { .max_producers = 2 };
	unsigned int i;

	TEST_CALL(need_producers());
	if (test_mock_dpa_install(test_pair.host) != 0)
		return test_skip("the mock does not fit the device");
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &dpa), 0);
	TEST_EXPECT(rte_comch_dpa_start(dpa), 0);
	for (i = 0; i < RTE_DIM(msgqs); i++) {
		msgq_conf.dir = i == 0 ? RTE_COMCH_MSGQ_TO_DPA : RTE_COMCH_MSGQ_FROM_DPA;
		TEST_EXPECT(rte_comch_msgq_create(dpa, &msgq_conf, &msgqs[i]), 0);
	}
	TEST_EXPECT(rte_comch_dpa_queue_create(msgqs[1], NULL, &dpa_producer), 0);
	return TEST_SUCCESS;
}

static void
dpa_teardown(void)
{
	unsigned int i;

	test_cleanup();
	rte_comch_dpa_queue_destroy(dpa_producer);
	dpa_producer = NULL;
	for (i = 0; i < RTE_DIM(msgqs); i++) {
		rte_comch_msgq_destroy(msgqs[i]);
		msgqs[i] = NULL;
	}
	if (dpa != NULL && (rte_comch_dpa_stop(dpa) != 0 || rte_comch_dpa_destroy(dpa) != 0))
		test_fail("the program is left");
	dpa = NULL;
	test_mock_dpa_remove();
}

static int
test_dpas(void)
{
	const struct rte_comch_dpa_eu_info mistake = {
		.errors = 2, .error = -EINVAL, .func = "consumer_ack", .values = { 17, UINT64_MAX },
	};

	TEST_EXPECT(ask_host("dpas", ""), 0);
	TEST_TRUE(reply_has("program", "\"/a/program\""));
	TEST_TRUE(reply_has("state", "\"RUNNING\""));
	TEST_TRUE(reply_has("execution_units", "2"));
	TEST_TRUE(reply_has("msgqs", "2"));
	TEST_EXPECT(ask_host("dpas", ",1"), 0);
	TEST_TRUE(!reply_has("state", "\"RUNNING\""));
	TEST_EXPECT(ask_host("dpa_info", ",0"), 0);
	TEST_TRUE(reply_has("reason", "0"));
	TEST_TRUE(reply_has("failed_unit", "-1"));
	TEST_TRUE(strstr(reply, "\"1\":{\"busy\":0,") != NULL);
	TEST_TRUE(strstr(reply, "\"2\":{\"busy\":0,") == NULL);
	TEST_TRUE(reply_has("pid", RTE_STR(TEST_MOCK_DPA_PID)));
	TEST_TRUE(strstr(reply, "value") == NULL);
	test_mock_dpa_mistake_set(&mistake);
	TEST_EXPECT(ask_host("dpa_info", ",0"), 0);
	TEST_TRUE(reply_has("error", "-22"));
	TEST_TRUE(reply_has("func", "\"consumer_ack\""));
	TEST_TRUE(reply_has("value0", "17"));
	TEST_TRUE(reply_has("value1", "18446744073709551615"));
	TEST_TRUE(reply_has("value2", "0"));
	test_mock_dpa_crash(dpa, 1);
	TEST_EXPECT(ask_host("dpa_info", ""), 0);
	TEST_TRUE(reply_has("state", "\"FAILED\""));
	TEST_TRUE(reply_has("reason", "-5"));
	TEST_TRUE(reply_has("failed_unit", "1"));
	TEST_TRUE(reply_has("pid", "0"));
	TEST_EXPECT(ask_host("dpa_info", ",1"), 0);
	TEST_TRUE(strstr(reply, ",1' names nothing: /comch/dpas and /comch/msgqs list") != NULL);
	return TEST_SUCCESS;
}

static int
units_told(const char *number)
{
	TEST_EXPECT(ask_host("dpa_info", number), 0);
	TEST_CALL(reply_plain());
	TEST_TRUE(strstr(reply, "\"63\":{\"busy\"") != NULL);
	TEST_TRUE(strstr(reply, "\"value2\":18446744073709551615}}}") != NULL);
	return TEST_SUCCESS;
}

/* All units of a processor are in one answer, whatever they are said to have done. */
static int
test_units(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/b/progr\xc3\xa4m", .nb_eus = 64 };
	struct rte_comch_dpa_eu_info mistake = {
		.errors = UINT64_MAX, .error = -4095, .func = "a_name_that_takes_all_the_room_",
		.values = { UINT64_MAX, UINT64_MAX, UINT64_MAX },
	};
	struct rte_comch_dpa *more;
	int ret;

	test_mock_dpa_mistake_set(&mistake);
	TEST_EXPECT(rte_comch_dpa_create(test_pair.host, &conf, &more), 0);
	ret = rte_comch_dpa_start(more);
	if (ret == 0) {
		ret = units_told(",1");
		/* nor does a name that is none take more */
		memset(mistake.func, '"', sizeof(mistake.func) - 1);
		test_mock_dpa_mistake_set(&mistake);
		ret |= units_told(",1");
		rte_comch_dpa_stop(more);
	}
	rte_comch_dpa_destroy(more);
	TEST_CALL(ret);
	TEST_TRUE(reply_has("program", "\"/b/progr%C3%A4m\""));
	TEST_TRUE(strstr(reply, "\"func\":\"%22%22%22%22%22%22%22%22%22%22\"") != NULL);
	return TEST_SUCCESS;
}

/* Lists come 32 at a time. */
static int
test_pages(void)
{
	const struct rte_comch_dpa_conf conf = { .program = "/b/program" };
	struct rte_comch_dpa *more[33] = { NULL };
	static char pages[2][sizeof(reply)];
	unsigned int i;
	int ret = 0;

	for (i = 0; i < RTE_DIM(more); i++)
		ret |= rte_comch_dpa_create(test_pair.host, &conf, &more[i]);
	for (i = 0; i < RTE_DIM(pages); i++) {
		ret |= ask_host("dpas", i == 0 ? "" : ",32");
		memcpy(pages[i], reply, sizeof(reply));
	}
	for (i = 0; i < RTE_DIM(more); i++)
		rte_comch_dpa_destroy(more[i]);
	TEST_EXPECT(ret, 0);
	TEST_TRUE(strstr(pages[0], "{\"0\":{") != NULL && strstr(pages[0], "\"31\":{") != NULL);
	TEST_TRUE(strstr(pages[0], "\"32\":{") == NULL);
	TEST_TRUE(strstr(pages[1], "\"31\":{") == NULL);
	TEST_TRUE(strstr(pages[1], "{\"32\":{") != NULL && strstr(pages[1], "\"33\":{") != NULL);
	return TEST_SUCCESS;
}

static int
test_msgqs(void)
{
	const struct rte_comch_consumer_conf conf = { .imm_len = 8 };
	struct rte_comch_post posts[2] = { 0 };
	struct rte_comch_ctx *ctx = NULL;
	struct rte_comch_cpl cpl;

	TEST_EXPECT(ask_host("msgqs", ""), 0);
	TEST_TRUE(reply_has("direction", "\"to_dpa\""));
	TEST_TRUE(reply_has("direction", "\"from_dpa\""));
	TEST_TRUE(reply_has("max_producers", "2"));
	TEST_EXPECT(ask_host("msgqs", ",1"), 0);
	TEST_TRUE(!reply_has("direction", "\"to_dpa\""));
	TEST_EXPECT(ask_host("msgq_info", ",1"), 0);
	TEST_TRUE(reply_has("direction", "\"from_dpa\""));
	TEST_TRUE(reply_has("max_consumers", "1"));
	TEST_TRUE(reply_has("consumers", "0"));
	TEST_TRUE(reply_has("producers", "1"));
	TEST_TRUE(reply_has("type", "\"producer\""));
	/* a device that has none has an empty list, and no first one */
	TEST_EXPECT(ask_dpu("msgqs"), 0);
	TEST_TRUE(strcmp(reply, "{\"/comch/msgqs\":{}}") == 0);
	TEST_EXPECT(ask_dpu("msgq_info"), 0);
	TEST_TRUE(strstr(reply, "' names nothing: /comch/dpas and /comch/msgqs list") != NULL);
	TEST_EXPECT(ask_host("msgq_info", ",2"), 0);
	TEST_TRUE(strstr(reply, ",2' names nothing: /comch/dpas and /comch/msgqs list") != NULL);
	/* the CPU end is among the queues, with its message queue instead of a connection */
	TEST_EXPECT(rte_comch_msgq_producer_create(msgqs[0], NULL, &ctx), 0);
	TEST_EXPECT(ask_host("queues", ""), 0);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	TEST_TRUE(reply_has("msgq", "1"));
	TEST_TRUE(strstr(reply, "connection") == NULL);
	/* messages that nobody has polled */
	TEST_EXPECT(rte_comch_msgq_consumer_create(msgqs[1], &conf, &ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(ctx, test_pe_new()), 0);
	TEST_EXPECT(rte_comch_ctx_start(ctx), 0);
	TEST_EXPECT(rte_comch_consumer_post_burst(ctx, posts, 2), 2);
	TEST_EXPECT(test_mock_dpa_send(dpa_producer, test_queue_id(ctx), "a", 1), 0);
	TEST_EXPECT(test_mock_dpa_send(dpa_producer, test_queue_id(ctx), "b", 1), 0);
	TEST_EXPECT(ask_host("msgqs", ",1"), 0);
	TEST_TRUE(reply_has("waiting", "2"));
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, &cpl, 1), 1);
	TEST_EXPECT(ask_host("msgq_info", ",1"), 0);
	TEST_TRUE(reply_has("waiting", "1"));
	TEST_EXPECT(rte_comch_queue_poll_burst(ctx, &cpl, 1), 1);
	TEST_CALL(test_stop_now(ctx));
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

/* The answer is an error in these words. */
static int
error_has(const char *request, const char *words)
{
	char text[256];

	TEST_EXPECT(ask(request), 0);
	snprintf(text, sizeof(text), "{\"%.*s\":{\"error\":\"%s", (int)strcspn(request, ","),
		request, words);
	TEST_ASSERT(strncmp(reply, text, strlen(text)) == 0, "%s", reply);
	TEST_CALL(reply_plain());
	return TEST_SUCCESS;
}

static int
test_malformed(void)
{
	static const char * const commands[] = { "info", "stats", "totals", "pes", "users",
		"connections", "queues", "dpas", "dpa_info", "msgqs", "msgq_info", "list", "no" };
	static const char * const params[] = {
		"", ",", ",,", ",-1", ",abc", ",63", ",64", ",65536", ",99999999999999",
		",18446744073709551615", ",18446744073709551616", ",0x0", ", 0", ",+0", ",0 ",
		",%n", ",%s%s%s%s", ",0,", ",0,abc", ",0,-1", ",0,99999999999999", ",0,0,0",
		",\x01\x7f\xff", ",\"", ",\\", ",{}", ",0;1", ",1e3",
	};
	char request[1024], longer[900];
	unsigned int i, j;

	memset(longer, '9', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	for (i = 0; i < RTE_DIM(commands); i++) {
		for (j = 0; j < RTE_DIM(params); j++) {
			snprintf(request, sizeof(request), "/comch/%s%s", commands[i], params[j]);
			TEST_EXPECT(ask(request), 0);
		}
		snprintf(request, sizeof(request), "/comch/%s,%s", commands[i], longer);
		TEST_EXPECT(ask(request), 0);
	}
	/* what is no device is named */
	TEST_CALL(error_has("/comch/info,-1", "'-1' is no number of a device"));
	TEST_CALL(error_has("/comch/info", "'' is no number of a device"));
	TEST_CALL(error_has("/comch/info,0,1", "'0,1' is no number of a device"));
	TEST_CALL(error_has("/comch/info,65536", "'65536' is no device"));
	TEST_CALL(error_has("/comch/queues,0;1", "'0;1' is no number of a device"));
	TEST_CALL(error_has("/comch/queues,0,", "'0,' is no number of a device"));
	TEST_CALL(error_has("/comch/queues,0,-1", "'0,-1' is no number of a device"));
	TEST_CALL(error_has("/comch/stats,99999999999999",
			"'99999999999999' is no device: /comch/list has all that there are"));
	TEST_CALL(error_has("/comch/info,00000000000000063",
			"'00000000000000063' is no number of a device"));
	TEST_CALL(error_has("/comch/queues,63,7", "'63,7' is no device: "));
	TEST_CALL(error_has("/comch/connections,a\"\\\xc3\xa9", "'a%22%5C%C3%A9' is no number"));
	return test_list();
}

static struct unit_test_suite suite = {
	.suite_name = "comch: telemetry",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE(test_list),
		TEST_CASE(test_info),
		TEST_CASE(test_status),
		TEST_CASE_ST(NULL, test_cleanup, test_stats),
		TEST_CASE_ST(NULL, test_cleanup, test_totals),
		TEST_CASE_FP(test_fp_need, test_fp_cleanup, test_totals_queues),
		TEST_CASE_ST(NULL, test_cleanup, test_pes),
		TEST_CASE_ST(NULL, test_cleanup, test_connections),
		TEST_CASE_ST(NULL, test_cleanup, test_names),
		TEST_CASE_ST(need_producers, test_cleanup, test_queue_ids),
		TEST_CASE_ST(need_producers, test_cleanup, test_no_room_for_queues),
		TEST_CASE_ST(need_producers, test_cleanup, test_no_connection_for_queues),
		TEST_CASE_ST(dpa_setup, dpa_teardown, test_dpas),
		TEST_CASE_ST(dpa_setup, dpa_teardown, test_units),
		TEST_CASE_ST(dpa_setup, dpa_teardown, test_pages),
		TEST_CASE_ST(dpa_setup, dpa_teardown, test_msgqs),
		TEST_CASE(test_malformed),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_telemetry_autotest, unit_test_suite_runner, &suite)
