/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The server of the suite shm_soak, on eight functions: it sends back what comes on both
 * paths. Each function has one client that stays, which loses nothing, and others that come
 * and go; what is left of those is looked for.
 */

#include <inttypes.h>
#include <malloc.h>
#include <poll.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: ledgers are shown by its ops */
#include <rte_malloc.h>

#include "test_comch_child.h"
#include "test_mock.h"
#include "test_shm_soak.h"
#include "test_shm_storm.h"

#define NB_KEEPERS 4u
#define POLL_MS 5
#define FIRST_PERIOD_US 20000u
#define MIN_PERIOD_US 500u
#define MAX_PERIOD_US 100000u
#define CALIBRATE_MS 500u
#define CALIBRATE_ROUNDS 3u
/*
 * What one broker has itself, as it is counted: it may start when a peer has ended before it
 * is known, and stays.
 */
#define BROKER_FDS 4u
/* What a sanitizer makes slow. */
#define SETTLE_MS 60000u

/* The server's side of a connection. */
struct soak_conn {
	TAILQ_ENTRY(soak_conn) next;
	struct storm_end end;
	struct test_ep peer; /* only what storm_end looks at: consumers of the peer */
	bool stays;
};

static struct {
	struct test_place place;
	struct test_pair saved;
	char file[PATH_MAX + 8];
	struct rte_comch_pe *pe;
	struct test_child *clients[SOAK_PEERS];
	struct test_child *lives;
	TAILQ_HEAD(, soak_conn) conns;
	uint32_t seed;
	int error;
} soak;

int
soak_error(void)
{
	return soak.error;
}

/*
 * The application
 */

static void
conn_open(struct test_ep *ep, struct rte_comch_conn *conn)
{
	struct soak_conn *c = calloc(1, sizeof(*c));
	int ret;

	if (c == NULL) {
		soak.error = -ENOMEM;
		return;
	}
	c->stays = ep->value != 0;
	TAILQ_INSERT_TAIL(&soak.conns, c, next);
	ret = storm_end_open(&c->end, &c->peer, conn, test_pair.dpu, soak.pe);
	/* one that was killed may be gone already */
	if (ret != 0 && c->stays)
		soak.error = ret;
	if (ret != 0 && c->end.error == 0)
		c->end.error = ret;
}

static struct soak_conn *
conn_find(const struct rte_comch_conn *conn)
{
	struct soak_conn *c;

	TAILQ_FOREACH(c, &soak.conns, next)
		if (c->end.conn == conn)
			break;
	return c;
}

static void
conn_consumer(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data __rte_unused)
{
	struct soak_conn *c = conn_find(conn);

	if (c == NULL)
		return;
	c->peer.new_id = consumer_id;
	c->peer.nb_new++;
}

static void
conn_gone(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn, int status)
{
	struct soak_conn *c = conn_find(conn);

	if (c == NULL)
		return;
	c->end.conn = NULL;
	if (status != 0 && c->stays)
		soak.error = status;
}

/* @return whether something was done */
static unsigned int
conns_turn(void)
{
	struct soak_conn *c, *next;
	unsigned int nb = 0;

	for (c = TAILQ_FIRST(&soak.conns); c != NULL; c = next) {
		next = TAILQ_NEXT(c, next);
		nb += storm_end_turn(&c->end, c->end.received);
		/* what a peer had sent before it was killed is whole, too */
		if (c->end.error != 0 && (c->stays || c->end.error == -EILSEQ))
			soak.error = c->end.error;
		if (c->end.conn != NULL || !storm_end_close(&c->end))
			continue;
		TAILQ_REMOVE(&soak.conns, c, next);
		free(c);
		nb++;
	}
	return nb;
}

void
soak_turn(void)
{
	struct pollfd pfd = { rte_comch_pe_fd(soak.pe), POLLIN, 0 };
	int events = rte_comch_pe_progress(soak.pe);

	if (events < 0)
		soak.error = events;
	if (conns_turn() == 0 && events == 0 && rte_comch_pe_arm(soak.pe) == 0)
		poll(&pfd, 1, POLL_MS);
}

static int
server_start(const char *name, bool stays)
{
	struct rte_comch_server_conf conf;
	struct test_ep *ep = test_ep_new();

	test_server_conf(ep, name, &conf);
	conf.ctrl.nb_tasks = 256;
	conf.ctrl.max_conn_tasks = 128;
	conf.ctrl.consumer_new_cb = conn_consumer;
	ep->echo = true;
	ep->value = stays;
	ep->on_connect = conn_open;
	ep->on_disconnect = conn_gone;
	return test_server_start(ep, &conf, soak.pe);
}

static int
servers_start(void)
{
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 32768 };
	unsigned int i, k;
	char name[16];

	soak.pe = test_pe_new_conf(&conf);
	for (i = 0; i < SOAK_PEERS; i++) {
		test_pair.rep = (uint16_t)i;
		TEST_EXPECT(server_start("honest", true), 0);
		for (k = 0; k < NB_KEEPERS; k++) {
			snprintf(name, sizeof(name), "doomed%u", k);
			TEST_EXPECT(server_start(name, false), 0);
		}
	}
	return TEST_SUCCESS;
}

/*
 * The eight, and those that come and go
 */

int
soak_start(unsigned int seconds)
{
	struct test_child *child;
	unsigned int i;

	soak_share->period_us = FIRST_PERIOD_US;
	soak_share->run = SOAK_OTHER;
	TEST_CALL(servers_start());
	soak.lives = test_child_start_as("soak-child", &soak.place, soak_functions[0]);
	TEST_EXPECT(soak_lives_open(soak.lives, soak.file, soak.place.path), 0);
	for (i = 0; i < SOAK_PEERS; i++) {
		child = test_child_start_as("storm-child", &soak.place, soak_functions[i]);
		TEST_EXPECT(test_child_ask(child, TEST_MS, "pace %u %s", i, soak.file), 0);
		TEST_EXPECT(storm_child_start(child, false, seconds), 0);
		SOAK_WAIT(test_child_poll(child) == 0, TEST_MS);
		soak.clients[i] = child;
	}
	SOAK_WAIT(soak_is_settled(), SETTLE_MS);
	return TEST_SUCCESS;
}

bool
soak_is_settled(void)
{
	const struct soak_conn *c;
	unsigned int nb = 0;

	TAILQ_FOREACH(c, &soak.conns, next) {
		if (!c->stays)
			return false;
		nb++;
	}
	return nb == SOAK_PEERS && test_dev_info(test_pair.dpu).nb_links == SOAK_PEERS;
}

uint64_t
soak_peers_cpu_ns(void)
{
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < SOAK_PEERS; i++)
		sum += __atomic_load_n(&soak_share->peers[i].cpu_ns, __ATOMIC_RELAXED);
	return sum;
}

int
soak_calibrate(double percent)
{
	uint64_t start, cpu, end;
	unsigned int i;
	double is, period;

	for (i = 0; i < CALIBRATE_ROUNDS; i++) {
		start = test_now_ns();
		cpu = soak_peers_cpu_ns();
		end = start + (uint64_t)CALIBRATE_MS * 1000000;
		SOAK_WAIT(test_now_ns() >= end, 10 * CALIBRATE_MS);
		is = (double)(soak_peers_cpu_ns() - cpu) * 100 / (double)(test_now_ns() - start);
		period = soak_share->period_us * RTE_MAX(is, 0.01) / percent;
		period = RTE_MIN(RTE_MAX(period, (double)MIN_PERIOD_US), (double)MAX_PERIOD_US);
		__atomic_store_n(&soak_share->period_us, (uint32_t)period, __ATOMIC_RELAXED);
	}
	return TEST_SUCCESS;
}

int
soak_lives(enum soak_way way, unsigned int nb, unsigned int nb_keepers, unsigned int period_us,
		unsigned int ms)
{
	const uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	const unsigned int limit = 2 * ms + nb * 20 * (period_us / 1000 + 50) + SETTLE_MS;
	const uint32_t failed = soak_share->lives.nb_failed;
	int ret = -EAGAIN;

	TEST_TRUE(nb_keepers <= NB_KEEPERS);
	TEST_EXPECT(soak_lives_begin(soak.lives, way, nb, nb_keepers, period_us, ++soak.seed), 0);
	SOAK_WAIT(ms == 0 || test_now_ns() >= end, 2 * ms + SETTLE_MS);
	if (ms != 0)
		__atomic_store_n(&soak_share->stop, 1, __ATOMIC_RELAXED);
	SOAK_WAIT((ret = test_child_poll(soak.lives)) != -EAGAIN, limit);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(soak_share->lives.nb_failed, failed);
	SOAK_WAIT(soak_is_settled(), SETTLE_MS);
	return TEST_SUCCESS;
}

int
soak_finish(void)
{
	struct storm_counts counts;
	uint64_t msgs = 0, fast = 0;
	unsigned int i, worst = 0;

	for (i = 0; i < SOAK_PEERS; i++)
		TEST_EXPECT(test_child_tell(soak.clients[i], "finish"), 0);
	for (i = 0; i < SOAK_PEERS; i++) {
		SOAK_WAIT(test_child_poll(soak.clients[i]) == 0, SETTLE_MS);
		TEST_EXPECT(storm_child_report(soak.clients[i], &counts), 0);
		msgs += counts.msgs;
		fast += counts.fast;
		worst = RTE_MAX(worst, counts.worst_ms);
	}
	test_note("the eight: %" PRIu64 " messages and %" PRIu64 " of the fast path, all came back "
		"in order; the longest wait was %u ms", msgs, fast, worst);
	SOAK_WAIT(TAILQ_EMPTY(&soak.conns), TEST_MS);
	for (i = 0; i < SOAK_PEERS; i++)
		TEST_EXPECT(test_child_end(soak.clients[i]), 0);
	TEST_EXPECT(test_child_end(soak.lives), 0);
	return soak.error == 0 ? TEST_SUCCESS : TEST_FAILED;
}

/*
 * What there is
 */

static uint64_t
ledgers_sum(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_pmd_user user;
	uint64_t sum = 0;
	uint32_t i, k;

	/* events come and go with messages */
	for (i = 0; dev->ops->user_get(dev, i, &user) == 0; i++)
		for (k = 0; k < user.nb_limits; k++)
			if (strcmp(user.limits[k].name, "events") != 0)
				sum += user.limits[k].used;
	return sum;
}

void
soak_sample_get(struct soak_sample *sample)
{
	struct rte_malloc_socket_stats stats;

	memset(sample, 0, sizeof(*sample));
	sample->fds = test_count_fds();
	sample->broker_fds = RTE_MAX(test_count_broker_fds(), BROKER_FDS);
	sample->maps = test_count_maps();
	sample->links = test_dev_info(test_pair.dpu).nb_links;
	sample->ledgers = ledgers_sum();
	sample->private_kb = test_private_kb();
	sample->memfd_kb = test_memfd_kb();
	sample->heap = mallinfo2().uordblks;
	if (rte_malloc_get_socket_stats(0, &stats) == 0)
		sample->eal = stats.heap_allocsz_bytes;
}

static bool
sample_fits(struct soak_sample *now, const struct soak_sample *before)
{
	soak_sample_get(now);
	return now->fds <= before->fds && now->broker_fds <= before->broker_fds &&
		now->maps <= before->maps && now->ledgers <= before->ledgers;
}

void
soak_sample_until(struct soak_sample *now, const struct soak_sample *before)
{
	const uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (!sample_fits(now, before) && test_now_ns() < end)
		soak_turn();
}

int
soak_sample_same(const struct soak_sample *before)
{
	struct soak_sample now;

	soak_sample_until(&now, before);
	test_note("before and after: %u and %u descriptors, %u and %u of brokers, %u and %u "
		"mappings, %" PRIu64 " and %" PRIu64 " in ledgers, %" PRIu64 " and %" PRIu64
		" KiB of its own, %" PRIu64 " and %" PRIu64 " KiB shared, heaps %" PRIu64 " and %"
		PRIu64 ", %" PRIu64 " and %" PRIu64 " bytes", before->fds, now.fds,
		before->broker_fds, now.broker_fds, before->maps, now.maps, before->ledgers,
		now.ledgers, before->private_kb, now.private_kb, before->memfd_kb, now.memfd_kb,
		before->heap, now.heap, before->eal, now.eal);
	TEST_TRUE(now.fds <= before->fds && now.broker_fds <= before->broker_fds);
	TEST_TRUE(now.maps <= before->maps && now.ledgers <= before->ledgers);
	TEST_EXPECT(now.links, before->links);
	return TEST_SUCCESS;
}

/*
 * Set-up and teardown
 */

int
soak_setup(void)
{
	const char *env = getenv("COMCH_TEST_SEED");
	int ret;

	memset(&soak, 0, sizeof(soak));
	TAILQ_INIT(&soak.conns);
	soak.seed = env != NULL ? (uint32_t)strtoul(env, NULL, 10) * 1000 : 0;
	soak.saved = test_pair;
	test_pair.dpu = -1;
	test_log_quiet();
	TEST_CALL(test_place_open_shm(&soak.place));
	snprintf(soak.file, sizeof(soak.file), "%s/soak", soak.place.path);
	TEST_EXPECT(soak_share_open(soak.file, true), 0);
	ret = test_vdev_add("role=dpu,functions=pf0:pf0vf[0-6],path=%s", soak.place.path);
	TEST_ASSERT(ret >= 0, "no card device: %s", strerror(-ret));
	test_pair.dpu = (int16_t)ret;
	return TEST_SUCCESS;
}

void
soak_teardown(void)
{
	struct soak_conn *c;

	test_child_cleanup();
	while ((c = TAILQ_FIRST(&soak.conns)) != NULL) {
		c->end.conn = NULL;
		while (!storm_end_close(&c->end))
			test_progress();
		TAILQ_REMOVE(&soak.conns, c, next);
		free(c);
	}
	test_cleanup();
	if (test_pair.dpu >= 0 && test_vdev_remove(test_pair.dpu) != 0)
		test_fail("the card device cannot be removed");
	soak_share_close();
	unlink(soak.file);
	test_place_close(&soak.place);
	test_log_restore();
	test_pair = soak.saved;
}
