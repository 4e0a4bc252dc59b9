/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the memif PMD does between two processes, each on one CPU: a stream of
 * packets, or a ping-pong. testpmd's engines count, drop and write headers beside
 * it; here is nothing but the PMD's burst functions and a mempool, so that the
 * PMD is not blamed for its application.
 * Prints one line of "name value" pairs. Every loop ends by the clock.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_mbuf.h>

#define PEER_NAME "peer-memif"
#include "peer_process.h"
#include "work.h"

#define BURST_MAX 256
#define BUF_MAX 65280    /* with the headroom it is in 16 bits */
#define SAMPLES_MAX (1u << 20)

enum { CLIENT, SERVER };

/* Shared by both processes since before the fork; packets never go through it. */
struct shared {
	uint32_t up[2] __attribute__((aligned(APART)));
	uint32_t quit __attribute__((aligned(APART)));
	double rate;
};

struct config {
	bool lat;
	bool zero_copy;       /* of the client; the server has no such thing */
	bool huge;
	bool work;            /* all bytes are written and read */
	int sender;
	unsigned int size;
	unsigned int burst;
	unsigned int ring;    /* log2 */
	unsigned int mbufs;
	unsigned int buf;     /* bytes that a packet may have */
	unsigned int cache;   /* of the mempool */
	double seconds;
	int cpu[2];           /* of the sender, of the receiver */
	const char *socket;
};

struct end {
	const struct config *cf;
	struct shared *sh;
	struct rte_mempool *pool;
	uint16_t port;
	uint64_t number;      /* of the next packet */
};

static void
fail(const char *what, int ret)
{
	peer_fail(what, rte_strerror(ret < 0 ? -ret : ret));
}

static void
check(const char *what, int ret)
{
	if (ret < 0)
		fail(what, ret);
}

static uint64_t
clock_after(double seconds)
{
	return rte_rdtsc() + (uint64_t)(seconds * (double)rte_get_tsc_hz());
}

static void
open_eal(const struct config *cf, int role)
{
	char prefix[64], lcores[64], vdev[256], megabytes[16];
	char program[] = "peer-memif", no_pci[] = "--no-pci", no_huge[] = "--no-huge";
	char no_telemetry[] = "--no-telemetry", log[] = "--log-level=error", m[] = "-m";
	/* What zero-copy asks for; and with hugepages no file is left in their folder. */
	char one_file[] = "--single-file-segments", in_memory[] = "--in-memory";
	char *args[] = { program, prefix, lcores, vdev, m, megabytes, no_pci, no_telemetry, log,
			one_file, cf->huge ? in_memory : no_huge };

	snprintf(prefix, sizeof(prefix), "--file-prefix=compare-memif-%d", (int)getpid());
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", cf->cpu[role != cf->sender]);
	/* One power of two above what the mempool needs, for the rings and EAL. */
	snprintf(megabytes, sizeof(megabytes), "%u",
			RTE_MAX(64u, cf->mbufs * (cf->buf + 600) * 2 >> 20));
	snprintf(vdev, sizeof(vdev), "--vdev=net_memif0,role=%s,socket=%s,socket-abstract=no,"
			"rsize=%u,bsize=%u%s", role == SERVER ? "server" : "client", cf->socket,
			cf->ring, cf->buf, role == CLIENT && cf->zero_copy ? ",zero-copy=yes" : "");
	check("EAL", rte_eal_init(RTE_DIM(args), args));
}

static void
open_end(struct end *e, const struct config *cf, struct shared *sh, int role)
{
	struct rte_eth_conf conf = { 0 };
	struct rte_eth_link link;
	uint64_t until = clock_after(PEER_PATIENCE);
	int ret;

	e->cf = cf;
	e->sh = sh;
	/* The data room behind the headroom is as bsize. */
	e->pool = rte_pktmbuf_pool_create("packets", cf->mbufs, cf->cache, 0,
			(uint16_t)(cf->buf + RTE_PKTMBUF_HEADROOM), SOCKET_ID_ANY);
	if (e->pool == NULL)
		fail("mempool", rte_errno);
	check("port", rte_eth_dev_get_port_by_name("net_memif0", &e->port));
	check("configure", rte_eth_dev_configure(e->port, 1, 1, &conf));
	check("receive queue", rte_eth_rx_queue_setup(e->port, 0, 1024, SOCKET_ID_ANY, NULL,
			e->pool));
	check("transmit queue", rte_eth_tx_queue_setup(e->port, 0, 1024, SOCKET_ID_ANY, NULL));
	check("start", rte_eth_dev_start(e->port));
	do {
		usleep(1000);
		ret = rte_eth_link_get_nowait(e->port, &link);
		if (rte_rdtsc() > until)
			fail("link", ETIMEDOUT);
	} while (ret != 0 || link.link_status != RTE_ETH_LINK_UP);
	__atomic_store_n(&sh->up[role], 1, __ATOMIC_RELEASE);
	wait_ready(&sh->up[!role]);
}

static void
close_end(struct end *e)
{
	rte_eth_dev_stop(e->port);
	rte_eth_dev_close(e->port);
	rte_mempool_free(e->pool);
	rte_eal_cleanup();
}

/* Packets as they come from the pool; what is in them stays, or is written anew. */
static inline bool
make(struct end *e, struct rte_mbuf **pkts, unsigned int nb)
{
	unsigned int i;

	if (unlikely(rte_mempool_get_bulk(e->pool, (void **)pkts, nb) != 0))
		return false;
	for (i = 0; i < nb; i++) {
		rte_pktmbuf_reset_headroom(pkts[i]);
		pkts[i]->data_len = (uint16_t)e->cf->size;
		pkts[i]->pkt_len = e->cf->size;
		if (e->cf->work)
			work_write(rte_pktmbuf_mtod(pkts[i], void *), e->cf->size, e->number++);
	}
	return true;
}

/*
 * Whoever is sent something looks at it: at all bytes where they were written for
 * it, else one load from each of its cache lines.
 */
static inline void
look_at(const struct end *e, const struct rte_mbuf *pkt)
{
	const uint8_t *data = rte_pktmbuf_mtod(pkt, const uint8_t *);
	uint32_t i;

	if (e->cf->work) {
		if (pkt->data_len != e->cf->size || !work_read(data, pkt->data_len))
			fail("a packet that is not what was sent", EIO);
		return;
	}
	for (i = 0; i < pkt->data_len; i += RTE_CACHE_LINE_SIZE)
		(void)*(const volatile uint8_t *)(data + i);
}

static void
run_sender(struct end *e)
{
	uint64_t until = clock_after(PEER_PATIENCE + e->cf->seconds);
	struct rte_mbuf *pkts[BURST_MAX];
	const uint16_t burst = (uint16_t)e->cf->burst;
	unsigned int looks = 0;
	uint16_t have = 0, from = 0;

	while (__atomic_load_n(&e->sh->quit, __ATOMIC_RELAXED) == 0) {
		/* What the ring had no room for is tried again, not dropped. */
		if (have == 0) {
			if (make(e, pkts, burst))
				have = burst;
			from = 0;
		}
		from = (uint16_t)(from + rte_eth_tx_burst(e->port, 0, pkts + from,
				(uint16_t)(have - from)));
		if (from == have)
			have = 0;
		if ((++looks & LOOKS_MASK) == 0 && rte_rdtsc() > until)
			fail("the receiver", ETIMEDOUT);
	}
}

static void
run_receiver(struct end *e)
{
	struct clocked c = clocked_begin(e->cf->seconds);
	struct rte_mbuf *pkts[BURST_MAX];
	const uint16_t burst = (uint16_t)e->cf->burst;
	unsigned int looks = 0;
	uint64_t count = 0;
	uint16_t nb, i;

	do {
		nb = rte_eth_rx_burst(e->port, 0, pkts, burst);
		if (nb > 0) {
			for (i = 0; i < nb; i++)
				look_at(e, pkts[i]);
			rte_pktmbuf_free_bulk(pkts, nb);
			count += nb;
		}
	} while ((++looks & LOOKS_MASK) != 0 || !clocked_over(&c, e->cf->seconds, count));
	e->sh->rate = c.rate;
	__atomic_store_n(&e->sh->quit, 1, __ATOMIC_RELEASE);
}

static void
send_one(struct end *e)
{
	uint64_t until = clock_after(PEER_PATIENCE);
	unsigned int looks = 0;
	struct rte_mbuf *pkt;

	while (!make(e, &pkt, 1) || rte_eth_tx_burst(e->port, 0, &pkt, 1) == 0) {
		if ((++looks & LOOKS_MASK) == 0 && rte_rdtsc() > until)
			fail("the other process", ETIMEDOUT);
	}
}

/* False if the other side has ended. */
static bool
receive_one(struct end *e)
{
	unsigned int looks = 0;
	struct rte_mbuf *pkt;

	while (rte_eth_rx_burst(e->port, 0, &pkt, 1) == 0) {
		if ((++looks & LOOKS_MASK) == 0 &&
				__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) != 0)
			return false;
	}
	look_at(e, pkt);
	rte_pktmbuf_free(pkt);
	return true;
}

static int
compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void
run_ping(struct end *e)
{
	const double ns = 1e9 / (double)rte_get_tsc_hz() / 2;
	uint64_t begin = clock_after(e->cf->seconds / 4), t0, t1;
	uint64_t end = clock_after(e->cf->seconds * 5 / 4);
	uint32_t *samples = malloc(SAMPLES_MAX * sizeof(*samples)), nb = 0;

	if (samples == NULL)
		fail("samples", ENOMEM);
	t0 = rte_rdtsc();
	do {
		send_one(e);
		if (!receive_one(e))
			fail("the other process", ETIMEDOUT);
		t1 = rte_rdtsc();
		if (t1 > begin && nb < SAMPLES_MAX)
			samples[nb++] = (uint32_t)(t1 - t0);
		t0 = t1;
	} while (t1 < end);
	__atomic_store_n(&e->sh->quit, 1, __ATOMIC_RELEASE);
	qsort(samples, nb, sizeof(*samples), compare_u32);
	printf("p50_ns %.1f min_ns %.1f samples %u\n", samples[nb / 2] * ns, samples[0] * ns, nb);
	free(samples);
}

static void
run_pong(struct end *e)
{
	while (receive_one(e))
		send_one(e);
}

static void
arguments(int argc, char **argv, struct config *cf)
{
	if (argc == 14) {
		*cf = (struct config){
			.cpu = { atoi(argv[1]), atoi(argv[2]) },
			.seconds = strtod(argv[3], NULL),
			.socket = argv[4],
			.lat = strcmp(argv[5], "lat") == 0,
			.work = strcmp(argv[5], "work") == 0,
			.size = (unsigned int)atoi(argv[6]),
			.burst = (unsigned int)atoi(argv[7]),
			.ring = (unsigned int)atoi(argv[8]),
			.mbufs = (unsigned int)atoi(argv[9]),
			.buf = (unsigned int)atoi(argv[10]),
			.sender = strcmp(argv[11], "server") == 0 ? SERVER : CLIENT,
			.zero_copy = atoi(argv[12]) != 0,
			.huge = atoi(argv[13]) != 0,
		};
		/*
		 * Without a cache, whose last packet would be the next one, the pool gives
		 * each in its turn.
		 */
		cf->cache = cf->mbufs < 8192 ? 0 : 256;
		if (cf->size != 0 && cf->size <= cf->buf && cf->buf <= BUF_MAX && cf->burst != 0 &&
				cf->burst <= BURST_MAX && cf->ring != 0 && cf->ring <= 14 &&
				cf->seconds > 0 && cf->seconds <= 60)
			return;
	}
	fprintf(stderr, "usage: peer-memif CPU CPU seconds socket rate|work|lat size burst "
			"log2_ring mbufs buffer client|server zero_copy huge\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	struct config cf;
	struct shared *sh;
	struct end e;
	int role, i;
	pid_t child;

	arguments(argc, argv, &cf);
	sh = share(sizeof(*sh));
	child = fork_pinned((const int[]){ cf.cpu[cf.sender == CLIENT], cf.cpu[cf.sender == SERVER] });
	role = child == 0 ? CLIENT : SERVER;
	if (role == CLIENT) {
		/* The server has to listen first, or a second passes until the next try. */
		for (i = 0; i < 5000 && access(cf.socket, F_OK) != 0; i++)
			usleep(1000);
		usleep(10000);
	}
	open_eal(&cf, role);
	open_end(&e, &cf, sh, role);
	if (role == cf.sender)
		(cf.lat ? run_ping : run_sender)(&e);
	else
		(cf.lat ? run_pong : run_receiver)(&e);
	fflush(stdout);
	if (role == CLIENT) {
		close_end(&e);
		return 0;
	}
	join(child);
	close_end(&e);
	if (!cf.lat)
		printf("rate_per_s %.0f bytes_per_s %.0f\n", sh->rate, sh->rate * cf.size);
	return 0;
}
