/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Packets that come over comch and leave by an Ethernet port: a connection between
 * two shm devices of this process, a pool that received packets lie in, and two
 * ports on one wire. What the second port receives has to be what was sent, byte by
 * byte; its own mbufs are of EAL's memory.
 *
 * usage: forward [EAL options with both shm devices] -- [-p] [<PCI address>...]
 *
 *   -p         only make the pool, and print what that returns
 *   addresses  ports to plug when the pool is there; without any, EAL has two
 *
 * Prints "ok iova: <what>" or "FAILED iova: <what>: why".
 */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_dev.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#include <rte_comch.h>

#define PACKETS 2000
#define MAX_LEN 1514
#define MIN_LEN 60
#define SECONDS 10

struct ends {
	struct rte_comch_pe *pe;
	struct rte_comch_conn *conns[2]; /* of the server, of the client */
	struct rte_comch_ctx *ctxs[2];
	struct rte_comch_ctx *consumer;
	struct rte_comch_ctx *producer;
	struct rte_comch_mem *rx_mem;
	struct rte_comch_mem *tx_mem;
	uint8_t *tx;
	uint32_t announced;
};

static struct ends ends;

static int
fail(const char *what, int ret)
{
	printf("FAILED iova: %s: %s\n", what, ret < 0 ? strerror(-ret) : "it did not happen");
	return -1;
}

static void
connected(struct rte_comch_conn *conn, int status, void *arg)
{
	if (status == 0)
		*(struct rte_comch_conn **)arg = conn;
}

static void
disconnected(struct rte_comch_conn *conn, int status, void *arg)
{
	(void)conn;
	(void)status;
	(void)arg;
}

static void
send_done(struct rte_comch_task *task, int status, void *arg)
{
	(void)status;
	(void)arg;
	rte_comch_task_free(task);
}

static void
received(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *arg)
{
	(void)conn;
	(void)msg;
	(void)len;
	(void)arg;
}

static void
consumer_new(struct rte_comch_conn *conn, uint32_t id, void *arg)
{
	(void)conn;
	(void)arg;
	ends.announced = id;
}

static void
consumer_gone(struct rte_comch_conn *conn, uint32_t id, void *arg)
{
	(void)conn;
	(void)id;
	(void)arg;
}

static void
ctrl_conf(struct rte_comch_ctrl_conf *conf, struct rte_comch_conn **conn)
{
	conf->send_cb = send_done;
	conf->recv_cb = received;
	conf->consumer_new_cb = consumer_new;
	conf->consumer_gone_cb = consumer_gone;
	conf->user_data = conn;
}

/* Progress until a condition holds, which is evaluated again and again. */
#define WAIT(cond) ({ \
	uint64_t end_ = rte_get_timer_cycles() + SECONDS * rte_get_timer_hz(); \
	bool holds_ = (cond); \
	while (!holds_ && rte_get_timer_cycles() < end_) { \
		rte_comch_pe_progress(ends.pe); \
		holds_ = (cond); \
	} \
	holds_; \
})

static int
ctrl_open(int16_t dpu, int16_t host)
{
	struct rte_comch_server_conf server = { .connect_cb = connected,
		.disconnect_cb = disconnected };
	struct rte_comch_client_conf client = { 0 };
	struct rte_comch_ctx_info info;
	struct rte_comch_rep_info rep;
	int ret, i;

	ctrl_conf(&server.ctrl, &ends.conns[0]);
	ctrl_conf(&client.ctrl, &ends.conns[1]);
	server.name = client.name = "forward";
	if (rte_comch_rep_list(dpu, &rep, 1) < 1)
		return fail("a representor", 0);
	ret = rte_comch_pe_create(NULL, &ends.pe);
	if (ret == 0)
		ret = rte_comch_server_create(dpu, rep.rep_id, &server, &ends.ctxs[0]);
	if (ret == 0)
		ret = rte_comch_client_create(host, &client, &ends.ctxs[1]);
	for (i = 0; i < 2 && ret == 0; i++) {
		ret = rte_comch_ctx_attach(ends.ctxs[i], ends.pe);
		if (ret == 0)
			ret = rte_comch_ctx_start(ends.ctxs[i]);
		if (ret == -EINPROGRESS)
			ret = 0;
	}
	if (ret != 0)
		return fail("server and client", ret);
	if (!WAIT(ends.conns[0] != NULL &&
			rte_comch_ctx_info_get(ends.ctxs[1], &info) == 0 && info.conn != NULL))
		return fail("a connection", 0);
	ends.conns[1] = info.conn;
	return 0;
}

static int
queues_open(int16_t host)
{
	struct rte_comch_consumer_conf consumer = { .nb_posts = 64, .mem = ends.rx_mem };
	struct rte_comch_producer_conf producer = { .nb_sends = 64 };
	int ret;

	ret = rte_comch_mem_alloc(host, MAX_LEN, 0, &ends.tx_mem);
	if (ret == 0)
		ret = rte_comch_consumer_create(ends.conns[0], &consumer, &ends.consumer);
	if (ret == 0)
		ret = rte_comch_producer_create(ends.conns[1], &producer, &ends.producer);
	if (ret == 0)
		ret = rte_comch_ctx_attach(ends.consumer, ends.pe);
	if (ret == 0)
		ret = rte_comch_ctx_attach(ends.producer, ends.pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(ends.producer);
	if (ret == 0)
		ret = rte_comch_ctx_start(ends.consumer);
	if (ret != 0 && ret != -EINPROGRESS)
		return fail("consumer and producer", ret);
	ends.tx = rte_comch_mem_addr(ends.tx_mem);
	return WAIT(ends.announced != 0 &&
		rte_comch_ctx_state_get(ends.consumer) == RTE_COMCH_STATE_RUNNING) ? 0 :
		fail("a consumer", 0);
}

/*
 * Ports
 */

static int
port_start(uint16_t port, struct rte_mempool *pool)
{
	struct rte_eth_conf conf = { 0 };
	struct rte_eth_link link;
	int ret, i;

	ret = rte_eth_dev_configure(port, 1, 1, &conf);
	if (ret == 0)
		ret = rte_eth_rx_queue_setup(port, 0, 256, SOCKET_ID_ANY, NULL, pool);
	if (ret == 0)
		ret = rte_eth_tx_queue_setup(port, 0, 256, SOCKET_ID_ANY, NULL);
	if (ret == 0)
		ret = rte_eth_dev_start(port);
	if (ret == 0)
		ret = rte_eth_promiscuous_enable(port);
	if (ret != 0)
		return fail("a port that starts", ret);
	for (i = 0; i < 100; i++) {
		if (rte_eth_link_get_nowait(port, &link) == 0 && link.link_status != 0)
			return 0;
		rte_delay_ms(100);
	}
	return fail("a link", 0);
}

/* A byte of a packet: its head is an Ethernet header that any port takes. */
static uint8_t
byte_of(uint32_t nr, uint32_t i)
{
	if (i < 6)
		return 0xff;
	if (i == 12 || i == 13) /* a type for experiments */
		return i == 12 ? 0x88 : 0xb5;
	return (uint8_t)(nr * 151 + i * 7 + (i >> 8) + (nr >> 8));
}

static uint32_t
len_of(uint32_t nr)
{
	return MIN_LEN + nr * 37 % (MAX_LEN - MIN_LEN + 1);
}

static bool
is_right(const struct rte_mbuf *m, uint32_t nr)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	uint32_t i;

	if (m->nb_segs != 1 || m->data_len != len_of(nr))
		return false;
	for (i = 0; i < m->data_len; i++)
		if (data[i] != byte_of(nr, i))
			return false;
	return true;
}

/* One packet from the producer over the consumer and both ports. */
static int
forward(uint32_t nr)
{
	struct rte_comch_send msg = { .addr = ends.tx, .len = len_of(nr), .mem = ends.tx_mem };
	struct rte_mbuf *m = NULL, *back = NULL;
	struct rte_eth_stats stats[2];
	struct rte_comch_cpl cpl;
	uint32_t i;

	for (i = 0; i < msg.len; i++)
		ends.tx[i] = byte_of(nr, i);
	/* the first call posts mbufs, and there is nothing to receive */
	if (!WAIT(rte_comch_consumer_rx_burst(ends.consumer, &m, 1) == 0 &&
			rte_comch_producer_send_burst(ends.producer, ends.announced, &msg, 1) == 1))
		return fail("a message", 0);
	if (!WAIT(rte_comch_consumer_rx_burst(ends.consumer, &m, 1) == 1))
		return fail("a received packet", 0);
	rte_comch_queue_poll_burst(ends.producer, &cpl, 1);
	if (!is_right(m, nr))
		return fail("a received packet as it was sent", 0);
	if (!WAIT(rte_eth_tx_burst(0, 0, &m, 1) == 1))
		return fail("a packet to the port", 0);
	if (!WAIT(rte_eth_rx_burst(1, 0, &back, 1) == 1)) {
		rte_eth_stats_get(0, &stats[0]);
		rte_eth_stats_get(1, &stats[1]);
		printf("packet %u of %u bytes: %" PRIu64 " sent, %" PRIu64 " received, %" PRIu64
			" missed\n", nr, len_of(nr), stats[0].opackets, stats[1].ipackets,
			stats[1].imissed);
		return fail("a packet on the other end of the wire", 0);
	}
	if (!is_right(back, nr)) {
		printf("packet %u: %u bytes of %u, first %02x\n", nr, back->data_len, len_of(nr),
			*rte_pktmbuf_mtod(back, uint8_t *));
		return fail("a packet as it was sent on the other end of the wire", 0);
	}
	rte_pktmbuf_free(back);
	return 0;
}

int
main(int argc, char **argv)
{
	struct rte_comch_mem_info info;
	struct rte_mempool *pool;
	bool pool_only = false;
	int dpu, host, ret;
	uint32_t nr;

	setvbuf(stdout, NULL, _IOLBF, 0);
	ret = rte_eal_init(argc, argv);
	if (ret < 0)
		return EXIT_FAILURE;
	argc -= ret;
	argv += ret;
	dpu = rte_comch_dev_get_id_by_name("comch_shm0");
	host = rte_comch_dev_get_id_by_name("comch_shm1");
	if (dpu < 0 || host < 0)
		return fail("two comch devices", 0);
	if (argc > 1 && strcmp(argv[1], "-p") == 0) {
		pool_only = true;
		argc--;
		argv++;
	}
	ret = rte_comch_mem_pool_create(dpu, "received", 512, 0, 2048, RTE_COMCH_MEM_F_PEER_WRITE,
			&ends.rx_mem);
	if (pool_only) {
		printf("pool: %s\n", strerror(-ret));
		return ret == 0 && rte_comch_mem_free(ends.rx_mem) != 0;
	}
	if (ret != 0)
		return fail("a pool", ret);
	for (; argc > 1; argc--, argv++) {
		ret = rte_dev_probe(argv[1]);
		if (ret != 0)
			return fail("plugging a port", ret);
	}
	pool = rte_pktmbuf_pool_create("port", 1023, 0, 0, RTE_MBUF_DEFAULT_BUF_SIZE,
			SOCKET_ID_ANY);
	if (pool == NULL || rte_eth_dev_count_avail() != 2)
		return fail("two ports", 0);
	if (ctrl_open(dpu, host) != 0 || queues_open(host) != 0 || port_start(0, pool) != 0 ||
			port_start(1, pool) != 0)
		return EXIT_FAILURE;
	for (nr = 0; nr < PACKETS; nr++)
		if (forward(nr) != 0)
			return EXIT_FAILURE;
	printf("ok iova: %u packets on the other end of the wire, each byte as it was sent\n",
		PACKETS);
	/* the port gives back what it has sent when it stops */
	rte_eth_dev_stop(0);
	rte_eth_dev_stop(1);
	rte_eth_dev_close(0);
	rte_eth_dev_close(1);
	ret = rte_comch_ctx_stop(ends.consumer);
	if (!WAIT(rte_comch_ctx_state_get(ends.consumer) == RTE_COMCH_STATE_IDLE))
		return fail("the end of the consumer", ret);
	rte_comch_ctx_destroy(ends.consumer);
	if (rte_comch_mem_info_get(ends.rx_mem, &info) != 0)
		return EXIT_FAILURE;
	ret = rte_comch_mem_free(ends.rx_mem);
	if (ret != 0)
		return fail("the end of the pool", ret);
	printf("ok iova: the pool is freed\n");
	return EXIT_SUCCESS;
}
