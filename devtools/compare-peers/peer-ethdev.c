/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a PMD does between two processes, each on one CPU: a stream of packets, or a
 * ping-pong. testpmd's engines count, drop and write headers beside it; here is nothing
 * but the PMD's burst functions and a mempool, so that the PMD is not blamed for its
 * application. The PMD is one of the command line, as memif or net_comch: nothing here
 * is of either, but the pool that net_comch makes if that is asked for.
 * Alone, it pings a testpmd that answers. It also measures how soon an lcore that sleeps
 * for receive interrupts has a packet, and what it costs while it sleeps.
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
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_epoll.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_icmp.h>
#include <rte_interrupts.h>
#include <rte_ip.h>
#include <rte_mbuf.h>
#ifdef HAVE_NET_COMCH
#include <rte_pmd_net_comch.h>
#endif

#define PEER_NAME "peer-ethdev"
#include "peer_process.h"
#include "work.h"

#define BURST_MAX 256
#define BUF_MAX 65280    /* with the headroom it is in 16 bits */
#define QUEUES_MAX 4
#define ARGS_MAX 24
#define WAKES 200        /* every other one by a packet */
#define WAKE_AFTER_US 5000
#define WAKE_MS 2000     /* at most */
#define SAMPLES_MAX (1u << 20)

enum { CLIENT, SERVER };

/* Shared by both processes since before the fork; packets never go through it. */
struct shared {
	uint32_t started[2] __attribute__((aligned(APART)));
	uint32_t up[2] __attribute__((aligned(APART)));
	uint32_t quit __attribute__((aligned(APART)));
	uint32_t asleep __attribute__((aligned(APART)));  /* so many times, or about to */
	double sent;
	double rate;
};

enum how { STREAM, PING_PONG, PING_TESTPMD, WAKE };

struct config {
	enum how how;
	bool work;            /* all bytes are written and read */
	bool direct;          /* the pool is of the port */
	bool huge;
	int sender;
	unsigned int size;
	unsigned int burst;
	uint16_t queues;
	uint16_t desc;
	unsigned int mbufs;
	unsigned int buf;     /* bytes that a packet may have */
	unsigned int cache;   /* of the mempool */
	double seconds;
	int bare_fd;          /* of what a packet's wake-up is compared with */
	int cpu[2];           /* of the sender, of the receiver */
	char *vdevs[2];       /* of client and server: the port, and others behind a ';' */
};

struct end {
	const struct config *cf;
	struct shared *sh;
	struct rte_mempool *pool;    /* of what is sent */
	struct rte_mempool *rx_pool; /* the same, or the port's */
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
	char prefix[64], lcores[64], megabytes[16], vdevs[1024], *vdev, *rest;
	char program[] = PEER_NAME, no_pci[] = "--no-pci", no_huge[] = "--no-huge";
	char no_telemetry[] = "--no-telemetry", log[] = "--log-level=error", m[] = "-m";
	/* What memif's zero-copy asks for; and with hugepages no file is left in their folder. */
	char one_file[] = "--single-file-segments", in_memory[] = "--in-memory";
	char option[] = "--vdev";
	char *args[ARGS_MAX] = { program, prefix, lcores, m, megabytes, no_pci, no_telemetry, log,
			one_file, cf->huge ? in_memory : no_huge };
	int nb = 10;

	snprintf(prefix, sizeof(prefix), "--file-prefix=compare-ethdev-%d", (int)getpid());
	snprintf(lcores, sizeof(lcores), "--lcores=0@%d", cf->cpu[role != cf->sender]);
	/* One power of two above what the mempool needs, for the rings and EAL. */
	snprintf(megabytes, sizeof(megabytes), "%u",
			RTE_MAX(64u, cf->mbufs * (cf->buf + 600) * 2 >> 20));
	snprintf(vdevs, sizeof(vdevs), "%s", cf->vdevs[role]);
	for (vdev = strtok_r(vdevs, ";", &rest); vdev != NULL && nb + 2 <= ARGS_MAX;
			vdev = strtok_r(NULL, ";", &rest)) {
		args[nb++] = option;
		args[nb++] = vdev;
	}
	check("EAL", rte_eal_init(nb, args));
}

/* Where there is no net_comch, its rows are not measured, which is said there. */
#ifdef HAVE_NET_COMCH
#define port_pool_create rte_pmd_net_comch_pool_create
#define port_pool_free rte_pmd_net_comch_pool_free
#else
static struct rte_mempool *
port_pool_create(uint16_t port, const char *name, unsigned int nb, unsigned int cache,
		uint16_t room)
{
	(void)port, (void)name, (void)nb, (void)cache, (void)room;
	peer_fail("mempool of the port", "net_comch is not built with this DPDK");
	return NULL;
}

static int
port_pool_free(struct rte_mempool *pool)
{
	(void)pool;
	return -ENOTSUP;
}
#endif

static void
open_pools(struct end *e)
{
	const struct config *cf = e->cf;
	/* The data room behind the headroom is as memif's bsize. */
	const uint16_t room = (uint16_t)(cf->buf + RTE_PKTMBUF_HEADROOM);

	e->pool = rte_pktmbuf_pool_create("packets", cf->mbufs, cf->cache, 0, room, SOCKET_ID_ANY);
	if (e->pool == NULL)
		fail("mempool", rte_errno);
	e->rx_pool = e->pool;
	if (cf->direct)
		e->rx_pool = port_pool_create(e->port, "received", cf->mbufs,
				cf->cache, room);
	if (e->rx_pool == NULL)
		fail("mempool of the port", rte_errno);
}

static void
open_end(struct end *e, const struct config *cf, struct shared *sh, int role)
{
	const struct rte_eth_conf conf = { .intr_conf.rxq = cf->how == WAKE };
	struct rte_eth_link link;
	uint64_t until = clock_after(PEER_PATIENCE);
	char name[RTE_ETH_NAME_MAX_LEN];
	uint16_t i;
	int ret;

	e->cf = cf;
	e->sh = sh;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(cf->vdevs[role], ","), cf->vdevs[role]);
	check("port", rte_eth_dev_get_port_by_name(name, &e->port));
	open_pools(e);
	check("configure", rte_eth_dev_configure(e->port, cf->queues, cf->queues, &conf));
	for (i = 0; i < cf->queues; i++) {
		check("receive queue", rte_eth_rx_queue_setup(e->port, i, cf->desc, SOCKET_ID_ANY,
				NULL, e->rx_pool));
		check("transmit queue", rte_eth_tx_queue_setup(e->port, i, cf->desc, SOCKET_ID_ANY,
				NULL));
	}
	/* The server has to listen first, or a second passes until memif's next try. */
	if (role == CLIENT && cf->how != PING_TESTPMD)
		wait_ready(&sh->started[SERVER]);
	check("start", rte_eth_dev_start(e->port));
	__atomic_store_n(&sh->started[role], 1, __ATOMIC_RELEASE);
	do {
		usleep(1000);
		ret = rte_eth_link_get_nowait(e->port, &link);
		if (rte_rdtsc() > until)
			fail("link", ETIMEDOUT);
	} while (ret != 0 || link.link_status != RTE_ETH_LINK_UP);
	__atomic_store_n(&sh->up[role], 1, __ATOMIC_RELEASE);
	if (cf->how != PING_TESTPMD)
		wait_ready(&sh->up[!role]);
}

static void
close_end(struct end *e)
{
	rte_eth_dev_stop(e->port);
	if (e->cf->direct && port_pool_free(e->rx_pool) != 0)
		fail("mempool of the port", EBUSY);
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

/* Packets for one queue: what it had no room for is tried again, not dropped. */
struct batch {
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t have;
	uint16_t from;
};

static inline void
batch_send(struct end *e, struct batch *b, uint16_t queue)
{
	const uint16_t burst = (uint16_t)e->cf->burst;

	if (b->from == b->have) {
		b->have = make(e, b->pkts, burst) ? burst : 0;
		b->from = 0;
	}
	b->from = (uint16_t)(b->from + rte_eth_tx_burst(e->port, queue, b->pkts + b->from,
			(uint16_t)(b->have - b->from)));
}

static void
run_sender(struct end *e)
{
	uint64_t until = clock_after(PEER_PATIENCE + e->cf->seconds);
	static struct batch batches[QUEUES_MAX];
	unsigned int looks = 0;
	uint16_t i;

	while (__atomic_load_n(&e->sh->quit, __ATOMIC_RELAXED) == 0) {
		for (i = 0; i < e->cf->queues; i++)
			batch_send(e, &batches[i], i);
		if ((++looks & LOOKS_MASK) == 0 && rte_rdtsc() > until)
			fail("the receiver", ETIMEDOUT);
	}
	for (i = 0; i < e->cf->queues; i++)
		rte_pktmbuf_free_bulk(batches[i].pkts + batches[i].from,
				(unsigned int)(batches[i].have - batches[i].from));
}

static inline uint16_t
receive(struct end *e, uint16_t queue)
{
	struct rte_mbuf *pkts[BURST_MAX];
	uint16_t nb = rte_eth_rx_burst(e->port, queue, pkts, (uint16_t)e->cf->burst);
	uint16_t i;

	for (i = 0; i < nb; i++)
		look_at(e, pkts[i]);
	if (nb > 0)
		rte_pktmbuf_free_bulk(pkts, nb);
	return nb;
}

static void
run_receiver(struct end *e)
{
	struct clocked c = clocked_begin(e->cf->seconds);
	unsigned int looks = 0;
	uint64_t count = 0;
	uint16_t i;

	do {
		for (i = 0; i < e->cf->queues; i++)
			count += receive(e, i);
	} while ((++looks & LOOKS_MASK) != 0 || !clocked_over(&c, e->cf->seconds, count));
	e->sh->rate = c.rate;
	__atomic_store_n(&e->sh->quit, 1, __ATOMIC_RELEASE);
}

/* An echo request, with its number in its data. */
static void
make_request(const struct end *e, uint8_t *data, unsigned int size)
{
	struct rte_ether_hdr *eth = (struct rte_ether_hdr *)data;
	struct rte_ipv4_hdr *ip = (struct rte_ipv4_hdr *)(eth + 1);
	struct rte_icmp_hdr *icmp = (struct rte_icmp_hdr *)(ip + 1);

	memset(data, 0, size);
	memset(&eth->dst_addr, 0x02, sizeof(eth->dst_addr));
	check("address", rte_eth_macaddr_get(e->port, &eth->src_addr));
	eth->ether_type = rte_cpu_to_be_16(RTE_ETHER_TYPE_IPV4);
	ip->version_ihl = RTE_IPV4_VHL_DEF;
	ip->total_length = rte_cpu_to_be_16((uint16_t)(size - sizeof(*eth)));
	ip->time_to_live = 64;
	ip->next_proto_id = IPPROTO_ICMP;
	ip->src_addr = rte_cpu_to_be_32(RTE_IPV4(192, 168, 0, 1));
	ip->dst_addr = rte_cpu_to_be_32(RTE_IPV4(192, 168, 0, 2));
	ip->hdr_checksum = rte_ipv4_cksum(ip);
	icmp->icmp_type = RTE_IP_ICMP_ECHO_REQUEST;
	icmp->icmp_cksum = (uint16_t)~rte_raw_cksum(icmp, size - sizeof(*eth) - sizeof(*ip));
}

static bool
is_reply(const struct rte_mbuf *pkt, unsigned int size)
{
	const struct rte_icmp_hdr *icmp = rte_pktmbuf_mtod_offset(pkt, const struct rte_icmp_hdr *,
			sizeof(struct rte_ether_hdr) + sizeof(struct rte_ipv4_hdr));

	return pkt->data_len == size && icmp->icmp_type == RTE_IP_ICMP_ECHO_REPLY;
}

static void
send_one(struct end *e)
{
	uint64_t until = clock_after(PEER_PATIENCE);
	unsigned int looks = 0;
	struct rte_mbuf *pkt;

	while (!make(e, &pkt, 1)) {
		if ((++looks & LOOKS_MASK) == 0 && rte_rdtsc() > until)
			fail("the pool", ETIMEDOUT);
	}
	if (e->cf->how == PING_TESTPMD)
		make_request(e, rte_pktmbuf_mtod(pkt, uint8_t *), e->cf->size);
	while (rte_eth_tx_burst(e->port, 0, &pkt, 1) == 0) {
		if ((++looks & LOOKS_MASK) == 0 && rte_rdtsc() > until)
			fail("the other process", ETIMEDOUT);
	}
}

/* False if the other side has ended. */
static bool
receive_one(struct end *e)
{
	uint64_t until = clock_after(PEER_PATIENCE);
	unsigned int looks = 0;
	struct rte_mbuf *pkt;

	while (rte_eth_rx_burst(e->port, 0, &pkt, 1) == 0) {
		if ((++looks & LOOKS_MASK) == 0 && (rte_rdtsc() > until ||
				__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) != 0))
			return false;
	}
	if (e->cf->how != PING_TESTPMD)
		look_at(e, pkt);
	else if (!is_reply(pkt, e->cf->size))
		fail("an answer that is none", EIO);
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
	/* One way, or to testpmd and back. */
	const double ns = 1e9 / (double)rte_get_tsc_hz() / (e->cf->how == PING_TESTPMD ? 1 : 2);
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

/* Wakes a receiver that sleeps: by a packet, and without any PMD, in turns. */
static void
run_waker(struct end *e)
{
	double until = now() + PEER_PATIENCE + e->cf->seconds;
	const uint64_t one = 1;
	struct rte_mbuf *pkt;
	uint32_t i;

	for (i = 0; i < WAKES; i++) {
		while (__atomic_load_n(&e->sh->asleep, __ATOMIC_ACQUIRE) == i) {
			usleep(100);
			if (now() > until)
				fail("the receiver", ETIMEDOUT);
		}
		usleep(WAKE_AFTER_US);
		if (!make(e, &pkt, 1))
			fail("the pool", ENOMEM);
		e->sh->sent = now();
		if (i % 2 == 0) {
			if (rte_eth_tx_burst(e->port, 0, &pkt, 1) != 1)
				fail("a packet after a pause", EAGAIN);
			continue;
		}
		if (write(e->cf->bare_fd, &one, sizeof(one)) != sizeof(one))
			fail("eventfd", errno);
		rte_pktmbuf_free(pkt);
	}
}

/* What was there after the sleep, if it was what is waited for. */
static bool
sleep_once(struct end *e, bool bare)
{
	struct rte_epoll_event event;
	struct rte_mbuf *pkt;
	uint64_t count;
	int nb;

	check("interrupt", rte_eth_dev_rx_intr_enable(e->port, 0));
	nb = rte_epoll_wait(RTE_EPOLL_PER_THREAD, &event, 1, WAKE_MS);
	check("rte_epoll_wait", nb);
	if (nb == 0)
		return false;
	if (bare)
		return read(e->cf->bare_fd, &count, sizeof(count)) == sizeof(count);
	if (rte_eth_rx_burst(e->port, 0, &pkt, 1) == 0)
		return false;
	rte_pktmbuf_free(pkt);
	return true;
}

/* Of this process with all its threads, in seconds. */
static double
cpu_time(void)
{
	struct rusage used;

	getrusage(RUSAGE_SELF, &used);
	return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
		(double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
}

static void
run_sleeper(struct end *e)
{
	struct rte_epoll_event bare = { .epdata.event = EPOLLIN };
	uint32_t ns[2][WAKES / 2], i, looks = 0;
	double begin, used;

	check("interrupt", rte_eth_dev_rx_intr_ctl_q(e->port, 0, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_ADD, NULL));
	sleep_once(e, false); /* the link has come up */
	used = cpu_time();
	begin = now();
	while (now() < begin + e->cf->seconds)
		if (sleep_once(e, false))
			fail("a packet that nobody sent", EIO);
	used = (cpu_time() - used) / (now() - begin);
	check("eventfd", rte_epoll_ctl(RTE_EPOLL_PER_THREAD, EPOLL_CTL_ADD, e->cf->bare_fd, &bare));
	for (i = 0; i < WAKES; i++) {
		__atomic_store_n(&e->sh->asleep, i + 1, __ATOMIC_RELEASE);
		while (!sleep_once(e, i % 2 != 0))
			if (++looks > 10 * WAKES)
				fail("the waker", ETIMEDOUT);
		ns[i % 2][i / 2] = (uint32_t)((now() - e->sh->sent) * 1e9);
	}
	for (i = 0; i < 2; i++)
		qsort(ns[i], WAKES / 2, sizeof(ns[i][0]), compare_u32);
	printf("wake_ns %u eventfd_ns %u ratio %.2f idle_percent %.2f\n", ns[0][WAKES / 4],
		ns[1][WAKES / 4], (double)ns[0][WAKES / 4] / ns[1][WAKES / 4], used * 100);
}

static void
arguments(int argc, char **argv, struct config *cf)
{
	if (argc == 16) {
		*cf = (struct config){
			.cpu = { atoi(argv[1]), atoi(argv[2]) },
			.seconds = strtod(argv[3], NULL),
			.how = strcmp(argv[4], "ping") == 0 ? PING_TESTPMD :
				strcmp(argv[4], "lat") == 0 ? PING_PONG :
				strcmp(argv[4], "wake") == 0 ? WAKE : STREAM,
			.work = strcmp(argv[4], "work") == 0,
			.size = (unsigned int)atoi(argv[5]),
			.burst = (unsigned int)atoi(argv[6]),
			.queues = (uint16_t)atoi(argv[7]),
			.desc = (uint16_t)atoi(argv[8]),
			.mbufs = (unsigned int)atoi(argv[9]),
			.buf = (unsigned int)atoi(argv[10]),
			.direct = strcmp(argv[11], "direct") == 0,
			.huge = atoi(argv[12]) != 0,
			.sender = strcmp(argv[13], "server") == 0 ? SERVER : CLIENT,
			.vdevs = { argv[14], argv[15] },
		};
		/*
		 * Without a cache, whose last packet would be the next one, the pool gives
		 * each in its turn.
		 */
		cf->cache = cf->mbufs < 8192 ? 0 : 256;
		if (cf->size != 0 && cf->size <= cf->buf && cf->buf <= BUF_MAX &&
				cf->burst != 0 && cf->burst <= BURST_MAX && cf->queues != 0 &&
				cf->queues <= QUEUES_MAX && cf->seconds > 0 && cf->seconds <= 60)
			return;
	}
	fprintf(stderr, "usage: peer-ethdev CPU CPU seconds rate|work|lat|ping|wake size burst queues "
			"descriptors mbufs buffer direct|pool huge client|server "
			"client_vdev[;vdev] server_vdev[;vdev]\n");
	exit(2);
}

/* The sender alone, for a testpmd that answers. */
static int
ping(const struct config *cf, struct shared *sh)
{
	struct end e = { 0 };

	pin(cf->cpu[0]);
	open_eal(cf, cf->sender);
	open_end(&e, cf, sh, cf->sender);
	run_ping(&e);
	fflush(stdout);
	close_end(&e);
	return 0;
}

int
main(int argc, char **argv)
{
	static void (*const send[])(struct end *) = {
		[STREAM] = run_sender, [PING_PONG] = run_ping, [WAKE] = run_waker,
	};
	static void (*const take[])(struct end *) = {
		[STREAM] = run_receiver, [PING_PONG] = run_pong, [WAKE] = run_sleeper,
	};
	struct end e = { 0 };
	struct config cf;
	struct shared *sh;
	pid_t child;
	int role;

	arguments(argc, argv, &cf);
	sh = share(sizeof(*sh));
	if (cf.how == PING_TESTPMD)
		return ping(&cf, sh);
	cf.bare_fd = eventfd(0, EFD_CLOEXEC);
	child = fork_pinned((const int[]){ cf.cpu[cf.sender == CLIENT], cf.cpu[cf.sender == SERVER] });
	role = child == 0 ? CLIENT : SERVER;
	open_eal(&cf, role);
	open_end(&e, &cf, sh, role);
	(role == cf.sender ? send : take)[cf.how](&e);
	fflush(stdout);
	if (role == CLIENT) {
		close_end(&e);
		return 0;
	}
	join(child);
	usleep(20000); /* memif's other thread does not expect a stop while its peer goes */
	close_end(&e);
	if (cf.how == STREAM)
		printf("rate_per_s %.0f bytes_per_s %.0f\n", sh->rate, sh->rate * cf.size);
	return 0;
}
