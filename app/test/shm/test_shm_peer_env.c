/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The surroundings of the attacks: a card device and a host device in a place
 * of their own, an honest client with its server, a server to be attacked, and
 * what is compared before and after each case.
 */

#include <inttypes.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

#include <rte_cycles.h>

#include <rte_comch_pmd.h> /* check-ok: ledgers are shown by its ops, and when groups look */

#include "test_mock.h"
#include "test_shm_peer.h"

struct peer_env peer_env;

static struct test_pair saved_pair;

/* Sockets are looked at now and then only, but always by an engine that wakes. */
void
peer_serve(struct rte_comch_pe *pe)
{
	rte_comch_pe_arm(pe);
	rte_comch_pe_progress(pe);
}

void
peer_turn(void)
{
	peer_serve(peer_env.pe);
	test_progress();
}

void
peer_turn_ms(unsigned int ms)
{
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;

	do
		peer_turn();
	while (test_now_ns() < end);
}

unsigned int
peer_sleep_ms(struct rte_comch_pe *pe, const struct test_ep *ep)
{
	const uint64_t end = test_now_ns() + TEST_MS * UINT64_C(1000000);
	uint64_t deadline, now;

	while (rte_comch_pe_arm(pe) == -EAGAIN) {
		if (test_now_ns() > end)
			test_give_up("the engine does not sleep");
		rte_comch_pe_progress(pe);
	}
	now = rte_get_tsc_cycles();
	deadline = ep->conn->ctrl->pg->deadline;
	rte_comch_pe_progress(pe);
	if (deadline == UINT64_MAX)
		return UINT_MAX;
	return deadline < now ? 0 : (deadline - now) / (rte_get_tsc_hz() / 1000);
}

static uint64_t
violations(void)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(peer_env.dpu, &stats);
	return stats.violations;
}

uint64_t
peer_violations(void)
{
	return violations() - peer_env.violations;
}

uint32_t
peer_links(void)
{
	struct rte_comch_dev_info info = { 0 };

	rte_comch_dev_info_get(peer_env.dpu, &info);
	return info.nb_links;
}

uint64_t
peer_taken(uint32_t uid, const char *limit)
{
	struct rte_comch_dev *dev = test_mock_dev(peer_env.dpu);
	struct rte_comch_pmd_user user;
	uint32_t i, k;

	for (i = 0; dev->ops->user_get(dev, i, &user) == 0; i++)
		for (k = 0; user.uid == uid && k < user.nb_limits; k++)
			if (strcmp(user.limits[k].name, limit) == 0)
				return user.limits[k].used;
	return 0;
}

uint64_t
peer_resident_kb(void)
{
	uint64_t size, resident = 0;
	FILE *f = fopen("/proc/self/statm", "r");

	if (f == NULL)
		return 0;
	if (fscanf(f, "%" SCNu64 " %" SCNu64, &size, &resident) != 2)
		resident = 0;
	fclose(f);
	return resident * (uint64_t)sysconf(_SC_PAGESIZE) / 1024;
}

int
peer_honest(unsigned int nb)
{
	struct test_ep *client = peer_env.client;
	uint32_t before;
	unsigned int i;

	for (i = 0; i < nb; i++) {
		before = client->nb_recv;
		TEST_ASSERT(client->conn != NULL, "the honest client has lost its connection");
		TEST_EXPECT(test_send_pattern(client->conn, 100 + i % 1000, i), 0);
		PEER_WAIT(client->nb_recv != before, 2000);
		TEST_ASSERT(client->last_len == 100 + i % 1000 &&
				test_check(client->last_msg, client->last_len, i),
				"the echo of message %u is another", i);
	}
	return TEST_SUCCESS;
}

/* The user that the kernel tells of; the folder of the test is not closed to it. */
bool
hostile_become(uid_t uid)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2];

	if (seteuid(uid) != 0 || syscall(SYS_capget, &head, caps) != 0)
		return false;
	caps[0].effective |= 1u << CAP_DAC_OVERRIDE;
	return syscall(SYS_capset, &head, caps) == 0;
}

int
peer_need_user(uid_t uid)
{
	bool can;

	if (geteuid() != 0)
		return test_skip("only root can become another user");
	can = hostile_become(uid);
	TEST_EXPECT(seteuid(0), 0);
	return can ? TEST_SUCCESS : test_skip("root cannot become user %u here", uid);
}

static int
env_create(void)
{
	struct peer_env *env = &peer_env;
	int ret;

	ret = test_rendezvous_create(env->path, sizeof(env->path));
	TEST_EXPECT(ret, 0);
	ret = test_vdev_add("role=dpu,functions=pf0,path=%s%s", env->path,
		env->args == NULL ? "" : env->args);
	TEST_ASSERT(ret >= 0, "no card device: %s", strerror(-ret));
	env->dpu = test_pair.dpu = (int16_t)ret;
	test_pair.rep = 0;
	ret = test_vdev_add("role=host,function=pf0,path=%s", env->path);
	TEST_ASSERT(ret >= 0, "no host device: %s", strerror(-ret));
	test_pair.host = (int16_t)ret;

	env->pe = test_pe_new();
	env->server = test_server_run("honest", env->pe);
	env->target = test_server_run("target", env->pe);
	env->client = test_client_run("honest", test_pe_new());
	env->server->echo = true;
	PEER_WAIT(test_state(env->client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	return peer_honest(10);
}

int
peer_suite_setup(void)
{
	int ret;

	saved_pair = test_pair;
	peer_env.dpu = test_pair.dpu = test_pair.host = -1;
	test_log_quiet();
	ret = env_create();
	if (ret != TEST_SUCCESS)
		test_fail("the surroundings of the attacks cannot be made");
	return ret;
}

void
peer_suite_teardown(void)
{
	test_cleanup();
	if (test_pair.host >= 0 && test_vdev_remove(test_pair.host) != 0)
		test_fail("the host device cannot be removed");
	if (peer_env.dpu >= 0 && test_vdev_remove(peer_env.dpu) != 0)
		test_fail("the card device cannot be removed");
	peer_env.args = NULL;
	test_rendezvous_remove(peer_env.path);
	test_log_restore();
	test_pair = saved_pair;
}

/*
 * What is held when nothing is going on. The case before may have left something
 * that is on its way out, and so may a device that looks for its peer: the least
 * of some looks is what counts.
 */
void
peer_settle(void)
{
	unsigned int i, nb;

	peer_env.fds = test_count_fds();
	peer_env.maps = test_count_maps();
	for (i = 0; i < 3; i++) {
		peer_turn_ms(1);
		nb = test_count_fds();
		peer_env.fds = RTE_MIN(peer_env.fds, nb);
		nb = test_count_maps();
		peer_env.maps = RTE_MIN(peer_env.maps, nb);
	}
}

int
peer_setup(void)
{
	peer_env.violations = violations();
	hostile_dirty = 0;
	peer_settle();
	return TEST_SUCCESS;
}

static int
teardown_check(void)
{
	hostile_close_all();
	PEER_WAIT(peer_links() == 1, TEST_MS);
	peer_turn_ms(5);
	PEER_WAIT(peer_env.target->conn == NULL, TEST_MS);
	/* a thread of the driver gives back */
	PEER_WAIT(test_count_fds() <= peer_env.fds, TEST_MS);
	PEER_WAIT(test_count_maps() <= peer_env.maps, TEST_MS);
	TEST_EXPECT(hostile_dirty, 0);
	return peer_honest(20);
}

void
peer_teardown(void)
{
	if (teardown_check() != TEST_SUCCESS)
		test_fail("something is left of the attack, or the honest noticed");
}
