/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a process of the tests of the fast path can be told, and how it does it.
 * Each line gets one answer: "ok" and values, or "failed" and a negative errno.
 * The loop that reads them is in test_comch_child_side.c.
 *
 *   server <name>             listen on the first representor
 *   client <name>             connect
 *   load <10 numbers>         run a load: see test_fp_child_load()
 *   finish                    an endless load comes to its end
 *   wait                      until the load has ended: sent, received, bytes
 *   blast <threads> <bytes>   send to the newest consumer until killed
 *   blasted                   messages that these have sent
 *   giant <bytes> <seed>      send one message to the newest consumer
 *   pair <server>             echo the packets of a pair, whatever becomes of its peer
 *   state                     state of the client, and its reason
 *   refuse <number>           the kernel refuses this system call from now on
 *   device                    status of the device
 *   quit                      end
 */

#include <inttypes.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_lcore.h>
#include <rte_mbuf.h>

#include "test_comch_fp_child.h"

#define CHILD_MS 30000
#define CHILD_MAX_BLASTS 8

/* What a blast sends from: as many messages as differ. */
#define BLAST_SLOTS 16
#define BLAST_BYTES (64 << 20)

/* One thread that sends whatever happens to who receives. */
struct blast {
	pthread_t thread;
	struct test_link *link;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_mem *mem;
	uint64_t len;
	uint64_t seed;
	uint32_t nb_slots;
	uint64_t sent;
	int error;
	bool stop;
};

static struct {
	struct test_child_side side;
	struct test_ep *ep;
	struct test_load *load;
	struct blast blasts[CHILD_MAX_BLASTS];
	unsigned int nb_blasts;
	struct rte_comch_peer *peer;
	struct rte_comch_mem *mem;
} child;

#define answer(...) test_child_reply(&child.side, __VA_ARGS__)

static int
do_server(const char *args)
{
	char name[TEST_CHILD_LINE];

	if (sscanf(args, "%255s", name) != 1)
		return -EINVAL;
	child.ep = test_link_listen(name, child.side.pe);
	return answer("ok");
}

static int
do_client(const char *args)
{
	char name[TEST_CHILD_LINE];
	uint64_t end = test_now_ns() + (uint64_t)CHILD_MS * 1000000;

	if (sscanf(args, "%255s", name) != 1)
		return -EINVAL;
	child.ep = test_link_connect(name, child.side.pe);
	while (test_state(child.ep) == RTE_COMCH_STATE_STARTING) {
		if (test_now_ns() > end)
			return -ETIMEDOUT;
		if (test_progress() == 0)
			sched_yield();
	}
	if (test_state(child.ep) != RTE_COMCH_STATE_RUNNING)
		return rte_comch_ctx_reason_get(child.ep->ctx);
	return answer("ok");
}

/* The connection; the peer may know of it earlier than we do. */
static struct test_link *
child_link(void)
{
	uint64_t end = test_now_ns() + (uint64_t)CHILD_MS * 1000000;
	struct test_link *link;

	while ((link = test_link_of(0, NULL)) == NULL && test_now_ns() < end)
		if (test_progress() == 0)
			sched_yield();
	return link;
}

static int
do_load(const char *args)
{
	struct test_load_conf conf = { .link = child_link() };
	uint64_t end = test_now_ns() + (uint64_t)CHILD_MS * 1000000;
	unsigned int seconds;

	/* consumers of the load before may be IDLE there, and not gone here */
	while (conf.link != NULL && conf.link->nb_ids != 0 && test_now_ns() < end)
		test_progress();
	if (conf.link == NULL || child.load != NULL ||
			sscanf(args, "%" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64
			" %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu64 " %u", &conf.nb_producers,
			&conf.nb_consumers, &conf.peer_producers, &conf.peer_consumers, &conf.msgs,
			&conf.nb_posts, &conf.nb_sends, &conf.max_len, &conf.seed, &seconds) != 10)
		return -EINVAL;
	alarm(seconds);
	child.load = test_load_start(&conf);
	return child.load == NULL ? -EIO : answer("ok");
}

static int
do_finish(const char *args __rte_unused)
{
	if (child.load == NULL)
		return -EINVAL;
	test_load_finish(child.load);
	return answer("ok");
}

static int
do_wait(const char *args __rte_unused)
{
	struct test_load_sum sum;
	struct test_load *load = child.load;
	int ret;

	if (load == NULL)
		return -EINVAL;
	child.load = NULL;
	ret = test_load_wait(load, UINT32_MAX, &sum);
	if (ret != 0)
		return ret;
	return answer("ok %" PRIu64 " %" PRIu64 " %" PRIu64 " %u %d", sum.sent, sum.received,
			sum.bytes, sum.nb_lost, sum.reason);
}

/* @return whether to go on */
static bool
blast_short(struct blast *b, uint32_t consumer_id)
{
	struct rte_comch_room room;
	int ret = rte_comch_queue_room_get(b->ctx, consumer_id, &room);

	if (ret == 0)
		ret = room.reason;
	switch (ret) {
	case 0:
	case -EAGAIN:
	case -ENOBUFS:
	case -ENOENT: /* it is being destroyed */
		rte_comch_pe_progress(b->pe);
		sched_yield();
		return rte_comch_ctx_state_get(b->ctx) == RTE_COMCH_STATE_RUNNING;
	case -ENOTCONN:
		return false;
	default:
		test_complain("a blast ended: %s", strerror(-ret));
		b->error = ret;
		return false;
	}
}

static void *
blast_run(void *arg)
{
	struct blast *b = arg;
	const uint8_t *base = rte_comch_mem_addr(b->mem);
	struct rte_comch_send sends[BLAST_SLOTS];
	struct rte_comch_cpl cpls[BLAST_SLOTS];
	uint64_t imm[BLAST_SLOTS];
	uint32_t id, i, first = 0;
	uint16_t n, taken;
	uint64_t end;

	rte_thread_register();
	for (i = 0; i < b->nb_slots; i++) {
		imm[i] = b->seed + i;
		memset(&sends[i], 0, sizeof(sends[i]));
		sends[i].addr = base + i * b->len;
		sends[i].len = b->len;
		sends[i].mem = b->mem;
		sends[i].imm = &imm[i];
		sends[i].imm_len = sizeof(imm[i]);
	}
	b->error = rte_comch_ctx_start(b->ctx);
	if (b->error == -ENOTCONN) { /* the process was stopped before this thread ran */
		rte_thread_unregister();
		b->error = 0;
		return NULL;
	}
	while (b->error == 0 && !__atomic_load_n(&b->stop, __ATOMIC_RELAXED)) {
		id = __atomic_load_n(&b->link->newest, __ATOMIC_ACQUIRE);
		n = (uint16_t)(b->nb_slots - first);
		taken = id == 0 ? 0 : rte_comch_producer_send_burst(b->ctx, id, &sends[first], n);
		first = (first + taken) % b->nb_slots;
		__atomic_store_n(&b->sent, b->sent + taken, __ATOMIC_RELAXED);
		rte_comch_queue_poll_burst(b->ctx, cpls, RTE_DIM(cpls));
		if (id == 0) {
			rte_comch_pe_progress(b->pe);
			sched_yield();
			if (rte_comch_ctx_state_get(b->ctx) != RTE_COMCH_STATE_RUNNING)
				break;
		} else if (taken < n && !blast_short(b, id)) {
			break;
		}
	}
	if (rte_comch_ctx_state_get(b->ctx) == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(b->ctx);
	/* it is IDLE at once, unless it is about to learn of the end of the connection */
	end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	while (rte_comch_ctx_state_get(b->ctx) != RTE_COMCH_STATE_IDLE && test_now_ns() < end)
		rte_comch_pe_progress(b->pe);
	rte_thread_unregister();
	return NULL;
}

static int
blast_start(struct blast *b, struct test_link *link, uint64_t len, uint64_t seed)
{
	const struct rte_comch_pe_conf pe_conf = { .socket_id = -1, .max_tasks = 64 };
	uint8_t *base;
	uint32_t i;
	int ret;

	memset(b, 0, sizeof(*b));
	b->link = link;
	b->len = len;
	b->seed = seed;
	b->nb_slots = (uint32_t)RTE_MAX(UINT64_C(1), RTE_MIN((uint64_t)BLAST_SLOTS,
			BLAST_BYTES / len));
	ret = rte_comch_mem_alloc(link->dev, b->nb_slots * len, 0, &b->mem);
	if (ret != 0)
		return ret;
	base = rte_comch_mem_addr(b->mem);
	for (i = 0; i < b->nb_slots; i++)
		test_fp_fill(base + i * len, len, seed + i);
	ret = rte_comch_producer_create(link->conn, NULL, &b->ctx);
	if (ret == 0)
		ret = rte_comch_pe_create(&pe_conf, &b->pe);
	if (ret == 0)
		ret = rte_comch_ctx_attach(b->ctx, b->pe);
	if (ret == 0)
		ret = -pthread_create(&b->thread, NULL, blast_run, b);
	return ret;
}

static int
do_blast(const char *args)
{
	struct test_link *link = child_link();
	unsigned int nb, i;
	uint64_t len;
	int ret;

	if (link == NULL || sscanf(args, "%u %" SCNu64, &nb, &len) != 2 || len == 0 ||
			nb > CHILD_MAX_BLASTS - child.nb_blasts)
		return -EINVAL;
	for (i = 0; i < nb; i++) {
		ret = blast_start(&child.blasts[child.nb_blasts], link, len,
				test_fp_mix((uint64_t)getpid() << 8 | i));
		if (ret != 0)
			return ret;
		child.nb_blasts++;
	}
	/* this thread, if it may, comes between those in the middle of a copy */
	setpriority(PRIO_PROCESS, 0, -10);
	return answer("ok");
}

static int
do_blasted(const char *args __rte_unused)
{
	uint64_t sent = 0;
	unsigned int i;

	for (i = 0; i < child.nb_blasts; i++)
		sent += __atomic_load_n(&child.blasts[i].sent, __ATOMIC_RELAXED);
	return answer("ok %" PRIu64, sent);
}

static int
blasts_end(void)
{
	struct blast *b;
	int ret = 0;

	while (child.nb_blasts > 0) {
		b = &child.blasts[--child.nb_blasts];
		__atomic_store_n(&b->stop, true, __ATOMIC_RELAXED);
		pthread_join(b->thread, NULL);
		if (ret == 0)
			ret = b->error;
		if (rte_comch_ctx_destroy(b->ctx) != 0 || rte_comch_mem_free(b->mem) != 0 ||
				rte_comch_pe_destroy(b->pe) != 0)
			ret = -EBUSY;
		if (ret != 0)
			test_complain("a blast has failed: %s", strerror(-ret));
	}
	return ret;
}

/* One message that may take its time. @return 0 or a negative errno */
static int
giant_send(struct rte_comch_ctx *ctx, struct test_link *link,
		const struct rte_comch_send *send)
{
	uint64_t end = test_now_ns() + (uint64_t)CHILD_MS * 1000000;
	struct rte_comch_room room;
	struct rte_comch_cpl cpl;
	int ret = -EAGAIN;

	while (ret == -EAGAIN && test_now_ns() < end) {
		test_progress();
		if (link->newest == 0)
			continue;
		if (rte_comch_producer_send_burst(ctx, link->newest, send, 1) == 1)
			ret = 0;
		else if ((ret = rte_comch_queue_room_get(ctx, link->newest, &room)) == 0)
			ret = room.reason;
	}
	while (ret == 0 && rte_comch_queue_poll_burst(ctx, &cpl, 1) == 0) {
		test_progress();
		if (test_now_ns() > end)
			ret = -ETIMEDOUT;
	}
	if (ret == 0 && (cpl.status != 0 || cpl.len != send->len || cpl.cookie != send->cookie))
		ret = -EILSEQ;
	return ret;
}

static int
do_giant(const char *args)
{
	struct test_link *link = child_link();
	struct rte_comch_send send = { .cookie = 4711 };
	struct rte_comch_mem *mem = NULL;
	struct rte_comch_ctx *ctx = NULL;
	uint64_t len, seed, ns = 0;
	int ret;

	if (link == NULL || sscanf(args, "%" SCNu64 " %" SCNu64, &len, &seed) != 2)
		return -EINVAL;
	ret = rte_comch_mem_alloc(link->dev, len, 0, &mem);
	if (ret == 0)
		ret = rte_comch_producer_create(link->conn, NULL, &ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(ctx, child.side.pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(ctx);
	if (ret == 0) {
		test_fp_fill(rte_comch_mem_addr(mem), len, seed);
		send.addr = rte_comch_mem_addr(mem);
		send.len = len;
		send.mem = mem;
		ns = test_now_ns();
		ret = giant_send(ctx, link, &send);
		ns = test_now_ns() - ns;
		if (rte_comch_ctx_stop(ctx) != 0)
			ret = -EBUSY;
	}
	if (rte_comch_ctx_destroy(ctx) != 0 || rte_comch_mem_free(mem) != 0)
		ret = -EBUSY;
	return ret != 0 ? ret : answer("ok %" PRIu64, ns);
}

static bool
pair_echo(void)
{
	struct rte_comch_pair *pair = rte_comch_peer_pair_get(child.peer, 0);
	struct rte_mbuf *pkts[32];
	uint16_t nb = rte_comch_pair_rx_burst(pair, pkts, RTE_DIM(pkts));
	uint16_t sent = rte_comch_pair_tx_burst(pair, pkts, nb);

	rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)nb - sent);
	rte_comch_peer_progress(child.peer);
	return true;
}

static int
do_pair(const char *args)
{
	struct rte_comch_peer_conf conf = { .name = args, .nb_pairs = 1 };
	int ret;

	conf.dev_id = rte_comch_dev_next(0);
	ret = rte_comch_mem_pool_create(conf.dev_id, "pair", 1023, 0, 2048,
		RTE_COMCH_MEM_F_PEER_WRITE, &child.mem);
	conf.mem = child.mem;
	if (ret == 0)
		ret = rte_comch_peer_open(&conf, &child.peer);
	if (ret != 0)
		return ret;
	child.side.busy = pair_echo;
	return answer("ok");
}

static int
do_state(const char *args __rte_unused)
{
	if (child.ep == NULL)
		return -EINVAL;
	return answer("ok %d %d", test_state(child.ep), rte_comch_ctx_reason_get(child.ep->ctx));
}

static int
do_refuse(const char *args)
{
	int ret = test_syscall_refuse(atol(args), EPERM, true);

	test_log_quiet(); /* of what follows from it */
	return ret != 0 ? ret : answer("ok");
}

static int
do_device(const char *args __rte_unused)
{
	struct rte_comch_ctx_info ctx;
	struct rte_comch_dev_info dev;
	int ret;

	if (child.ep == NULL)
		return -EINVAL;
	ret = rte_comch_ctx_info_get(child.ep->ctx, &ctx);
	if (ret == 0)
		ret = rte_comch_dev_info_get(ctx.dev_id, &dev);
	return ret != 0 ? ret : answer("ok %d", dev.status);
}

static const struct test_child_command commands[] = {
	{ "server ", do_server },
	{ "client ", do_client },
	{ "load ", do_load },
	{ "finish", do_finish },
	{ "wait", do_wait },
	{ "blast ", do_blast },
	{ "blasted", do_blasted },
	{ "giant ", do_giant },
	{ "pair ", do_pair },
	{ "state", do_state },
	{ "refuse ", do_refuse },
	{ "device", do_device },
};

int
test_fp_child_main(const char *socket_nr)
{
	int ret;

	child.side.commands = commands;
	child.side.nb_commands = RTE_DIM(commands);
	ret = test_child_run(&child.side, socket_nr);
	if (ret == 0)
		ret = blasts_end();
	if (ret == 0 && child.peer != NULL)
		ret = rte_comch_peer_close(child.peer, CHILD_MS);
	rte_comch_mem_free(child.mem);
	test_load_cleanup();
	test_cleanup();
	test_link_cleanup();
	return ret;
}

/*
 * In the parent
 */

struct test_child *
test_fp_child_start(struct test_place *place, const char *function)
{
	return test_child_start_as("fp-child", place, function);
}

struct test_link *
test_link_of_child(const struct test_child *peer)
{
	return test_link_of((uint32_t)peer->pid, peer->function);
}

int
test_fp_child_load(struct test_child *to, const struct test_load_conf *ours)
{
	return test_child_ask(to, 10000, "load %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu32
			" %" PRIu64 " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRIu64 " %" PRIu64,
			ours->peer_producers, ours->peer_consumers, ours->nb_producers,
			ours->nb_consumers, ours->msgs, ours->nb_posts, ours->nb_sends,
			ours->max_len, ours->seed, 300 + ours->msgs / 1000);
}
