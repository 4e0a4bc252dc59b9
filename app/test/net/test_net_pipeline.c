/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A million packets to the sample pipeline, which is the card's side, and back: each with its
 * bytes and its metadata, in order, while the sample is killed and started again on the way.
 * Only functions of ethdev are used.
 */

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_mbuf_ptype.h>
#include <rte_memory.h>
#include <rte_mempool.h>

#include "test_comch_util.h"

#define NB_PACKETS UINT64_C(1000000)
#define MAX_OUT 256u  /* on their way; the sample has room for more, and drops none */
#define BURST 32u
#define NB_MBUFS 4095u
#define WAIT_MS 60000u

extern char **environ;

static const uint8_t src[] = { 2, 0, 0, 0, 0, 1 }, dst[] = { 2, 0, 0, 0, 0, 2 };

static struct {
	char path[PATH_MAX];
	struct rte_mempool *pool;
	uint16_t port;
	bool there;
	pid_t stage;
	unsigned int nb_stages;
	uint64_t sent;
	uint64_t came;
	uint64_t lost;
	uint64_t next;      /* the first number that may come */
	uint64_t with_meta;
} run;

static uint64_t
mix(uint64_t nr)
{
	return (nr + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint32_t
length(uint64_t nr)
{
	return 64 + (uint32_t)(mix(nr) >> 40) % 400;
}

/* What a NIC in front would have found: of three in four packets, something. */
static void
meta_set(struct rte_mbuf *m, uint64_t nr)
{
	const uint64_t h = mix(nr);

	m->ol_flags = 0;
	m->packet_type = 0;
	m->vlan_tci = m->vlan_tci_outer = 0;
	if (nr % 4 == 0)
		return;
	m->packet_type = RTE_PTYPE_L2_ETHER | ((nr & 1) != 0 ? RTE_PTYPE_L3_IPV4 : 0);
	m->ol_flags = RTE_MBUF_F_RX_RSS_HASH | RTE_MBUF_F_RX_IP_CKSUM_GOOD;
	m->hash.rss = (uint32_t)(h >> 32);
	if ((nr & 2) != 0) {
		m->ol_flags |= RTE_MBUF_F_RX_VLAN | RTE_MBUF_F_RX_VLAN_STRIPPED;
		m->vlan_tci = (uint16_t)h;
	}
	if ((nr & 4) != 0) {
		m->ol_flags |= RTE_MBUF_F_RX_FDIR | RTE_MBUF_F_RX_FDIR_ID;
		m->hash.fdir.hi = (uint32_t)h;
	}
}

static struct rte_mbuf *
packet_make(uint64_t nr)
{
	struct rte_mbuf *m = rte_pktmbuf_alloc(run.pool);
	const uint64_t h = mix(nr);
	uint8_t *data;
	uint32_t i;

	if (m == NULL)
		return NULL;
	data = (uint8_t *)rte_pktmbuf_append(m, (uint16_t)length(nr));
	memcpy(data, dst, sizeof(dst));
	memcpy(data + 6, src, sizeof(src));
	memcpy(data + 16, &nr, sizeof(nr));
	for (i = 24; i < length(nr); i += sizeof(h))
		memcpy(data + i, &h, RTE_MIN(sizeof(h), length(nr) - i));
	meta_set(m, nr);
	return m;
}

/* Its number is above all that came before; all else follows from that. */
static int
packet_check(const struct rte_mbuf *m)
{
	const uint8_t *data = rte_pktmbuf_mtod(m, const uint8_t *);
	struct rte_mbuf want;
	bool same = true;
	uint64_t nr, h;
	uint32_t i;

	TEST_TRUE(m->pkt_len >= 64 && m->nb_segs == 1);
	memcpy(&nr, data + 16, sizeof(nr));
	TEST_ASSERT(nr >= run.next && nr < run.sent, "packet %" PRIu64 " of %" PRIu64 " after %"
		PRIu64, nr, run.sent, run.next);
	run.next = nr + 1;
	TEST_EXPECT(m->pkt_len, length(nr));
	TEST_TRUE(memcmp(data, src, sizeof(src)) == 0 && memcmp(data + 6, dst, sizeof(dst)) == 0);
	h = mix(nr);
	for (i = 24; i < length(nr); i += sizeof(h))
		same &= memcmp(data + i, &h, RTE_MIN(sizeof(h), length(nr) - i)) == 0;
	TEST_TRUE(same);
	memset(&want, 0, sizeof(want));
	meta_set(&want, nr);
	TEST_EXPECT(m->port, run.port);
	TEST_EXPECT(m->ol_flags, want.ol_flags);
	TEST_EXPECT(m->packet_type, want.packet_type);
	TEST_EXPECT(m->vlan_tci, want.vlan_tci);
	TEST_EXPECT(m->vlan_tci_outer, 0);
	TEST_EXPECT(m->tx_offload, 0);
	if ((want.ol_flags & RTE_MBUF_F_RX_RSS_HASH) != 0)
		TEST_EXPECT(m->hash.rss, want.hash.rss);
	if ((want.ol_flags & RTE_MBUF_F_RX_FDIR_ID) != 0)
		TEST_EXPECT(m->hash.fdir.hi, want.hash.fdir.hi);
	run.with_meta += want.ol_flags != 0;
	return TEST_SUCCESS;
}

/* The sample is beside this program in a build. */
static bool
stage_path(char *path, size_t size)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return false;
	self[len] = '\0';
	snprintf(path, size, "%.3000s/../examples/dpdk-comch-pipeline", dirname(self));
	return access(path, X_OK) == 0;
}

static int
stage_start(void)
{
	char path[PATH_MAX], prefix[64], lcores[16], vdev[PATH_MAX + 64];
	char *args[] = {
		path, (char[]){ "--no-huge" }, (char[]){ "-m" }, (char[]){ "128" },
		(char[]){ "--no-pci" }, (char[]){ "--no-telemetry" },
		(char[]){ "--log-level=error" }, (char[]){ "--file-prefix" }, prefix,
		(char[]){ "--lcores" }, lcores, (char[]){ "--vdev" }, vdev, NULL,
	};
	posix_spawn_file_actions_t actions;
	int cpu = rte_lcore_to_cpu_id(-1), ret;
	unsigned int lcore;

	TEST_TRUE(stage_path(path, sizeof(path)));
	RTE_LCORE_FOREACH_WORKER(lcore) /* another processor than this thread's, if there is one */
		cpu = rte_lcore_to_cpu_id((int)lcore);
	snprintf(lcores, sizeof(lcores), "0@%d", cpu);
	snprintf(prefix, sizeof(prefix), "net-pipeline-%d-%u", getpid(), run.nb_stages++);
	snprintf(vdev, sizeof(vdev), "net_comch0,shm=dpu,function=pf0,path=%s", run.path);
	TEST_EXPECT(posix_spawn_file_actions_init(&actions), 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	ret = posix_spawn(&run.stage, path, &actions, NULL, args, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (ret != 0)
		run.stage = 0;
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

static void
stage_kill(void)
{
	if (run.stage == 0)
		return;
	kill(run.stage, SIGKILL);
	waitpid(run.stage, NULL, 0);
	run.stage = 0;
}

static int
link_wait(int status)
{
	const uint64_t end = test_now_ns() + WAIT_MS * UINT64_C(1000000);
	struct rte_eth_link link = { .link_status = !status };

	while (rte_eth_link_get_nowait(run.port, &link) == 0 && link.link_status != status) {
		TEST_ASSERT(test_now_ns() < end, "the link has not changed");
		usleep(1000);
	}
	return TEST_SUCCESS;
}

static int
setup(void)
{
	const struct rte_eth_conf conf = { .rxmode = { .mq_mode = RTE_ETH_MQ_RX_NONE } };
	char path[PATH_MAX], args[PATH_MAX + 64];

	memset(&run, 0, sizeof(run));
	if (!stage_path(path, sizeof(path)))
		return test_skip("the sample pipeline was not built: set examples=true");
	TEST_EXPECT(test_rendezvous_create(run.path, sizeof(run.path)), 0);
	run.pool = rte_pktmbuf_pool_create("net_pipeline", NB_MBUFS, 64, 0,
			RTE_MBUF_DEFAULT_BUF_SIZE, SOCKET_ID_ANY);
	TEST_TRUE(run.pool != NULL);
	snprintf(args, sizeof(args), "shm=host,function=pf0,path=%s", run.path);
	TEST_EXPECT(rte_eal_hotplug_add("vdev", "net_comch_million", args), 0);
	run.there = true;
	TEST_EXPECT(rte_eth_dev_get_port_by_name("net_comch_million", &run.port), 0);
	TEST_EXPECT(rte_eth_dev_configure(run.port, 1, 1, &conf), 0);
	TEST_EXPECT(rte_eth_rx_queue_setup(run.port, 0, 512, SOCKET_ID_ANY, NULL, run.pool), 0);
	TEST_EXPECT(rte_eth_tx_queue_setup(run.port, 0, 512, SOCKET_ID_ANY, NULL), 0);
	TEST_EXPECT(rte_eth_dev_start(run.port), 0);
	return stage_start();
}

static void
teardown(void)
{
	stage_kill();
	if (run.there) {
		rte_eth_dev_stop(run.port);
		rte_eth_dev_close(run.port);
		if (rte_eal_hotplug_remove("vdev", "net_comch_million") != 0)
			test_fail("the port is not removed");
	}
	if (run.pool != NULL && rte_mempool_avail_count(run.pool) != NB_MBUFS)
		test_fail("%u mbufs are lost", NB_MBUFS - rte_mempool_avail_count(run.pool));
	rte_mempool_free(run.pool);
	if (run.path[0] == '\0')
		return;
	test_folder_empty(run.path);
	rmdir(run.path);
}

/* What has come back. @return how many, or a negative number */
static int
receive(void)
{
	struct rte_mbuf *pkts[BURST];
	uint16_t nb = rte_eth_rx_burst(run.port, 0, pkts, BURST), i;
	int ret = TEST_SUCCESS;

	for (i = 0; i < nb && ret == TEST_SUCCESS; i++)
		ret = packet_check(pkts[i]);
	rte_pktmbuf_free_bulk(pkts, nb);
	run.came += nb;
	return ret == TEST_SUCCESS ? nb : -1;
}

static int
send_some(uint64_t upto)
{
	struct rte_mbuf *pkts[BURST];
	uint64_t out = run.sent - run.came - run.lost;
	uint16_t nb = (uint16_t)RTE_MIN(RTE_MIN(MAX_OUT - out, upto - run.sent), BURST), i, taken;

	for (i = 0; i < nb; i++) {
		pkts[i] = packet_make(run.sent + i);
		TEST_TRUE(pkts[i] != NULL);
	}
	taken = nb == 0 ? 0 : rte_eth_tx_burst(run.port, 0, pkts, nb);
	rte_pktmbuf_free_bulk(pkts + taken, (unsigned int)nb - taken);
	run.sent += taken;
	return TEST_SUCCESS;
}

/* Send up to a number, and receive all that was sent. */
static int
cross(uint64_t upto)
{
	uint64_t end = test_now_ns() + WAIT_MS * UINT64_C(1000000);
	int got;

	while (run.came + run.lost < upto) {
		TEST_CALL(send_some(upto));
		got = receive();
		TEST_TRUE(got >= 0);
		if (got > 0)
			end = test_now_ns() + WAIT_MS * UINT64_C(1000000);
		else
			sched_yield(); /* the sample may have no processor of its own */
		TEST_ASSERT(test_now_ns() < end, "%" PRIu64 " of %" PRIu64 " have come back",
			run.came, run.sent);
	}
	return TEST_SUCCESS;
}

static int
test_million(void)
{
	TEST_CALL(link_wait(RTE_ETH_LINK_UP));
	TEST_CALL(cross(NB_PACKETS / 2));
	/* some are on their way */
	TEST_CALL(send_some(NB_PACKETS / 2 + BURST));
	stage_kill();
	TEST_CALL(link_wait(RTE_ETH_LINK_DOWN));
	while (receive() > 0)
		;
	run.lost = run.sent - run.came;
	TEST_TRUE(run.lost <= MAX_OUT);
	TEST_CALL(stage_start());
	TEST_CALL(link_wait(RTE_ETH_LINK_UP));
	TEST_CALL(cross(NB_PACKETS));
	TEST_EXPECT(run.sent, NB_PACKETS);
	TEST_EXPECT(run.came + run.lost, NB_PACKETS);
	TEST_TRUE(run.with_meta >= NB_PACKETS * 3 / 4 - MAX_OUT);
	printf("%" PRIu64 " packets sent, %" PRIu64 " came back right, %" PRIu64
		" with metadata, %" PRIu64 " lost with the sample that was killed\n", run.sent,
		run.came, run.with_meta, run.lost);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "net_comch: a million packets through the sample pipeline",
	.setup = test_quiet,
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_million),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(net_pipeline_autotest, unit_test_suite_runner, &suite)
