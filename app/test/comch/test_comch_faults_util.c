/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * See test_comch_faults.h.
 */

#include <unistd.h>

#include <rte_lcore.h>
#include <rte_malloc.h>

#include "test_calls.h"
#include "test_comch_faults.h"
#include "test_comch_place.h"

/* No operation has so many calls. */
#define MAX_CALLS 2000
/*
 * Over BlueField most system calls are of the socket that stands for the bus. The device is
 * lost with them, and it takes a second to have a new one: so the first of them fail, and
 * then one of a part of the calls before it. COMCH_TEST_ROUNDS says which part.
 */
#define BUS_PART 4
#define CASE_SECONDS 800

static const char * const class_names[] = {
	[TEST_CALLS_ALLOC] = "allocations", [TEST_CALLS_SYSTEM] = "system calls",
};

static struct test_place place;
static int card = -1, host = -1;

/* A device that failed is reset; one that has gone is plugged anew. */
static int
devices_again(void)
{
	if (test_dev_info(test_pair.dpu).status == 0 && test_dev_info(test_pair.host).status == 0)
		return TEST_SUCCESS;
	if (rte_comch_dev_reset(test_pair.dpu) == 0 && rte_comch_dev_reset(test_pair.host) == 0)
		return TEST_SUCCESS;
	test_faults_teardown();
	return test_faults_setup();
}

/* Two devices alone: one more of the host that nobody progresses would not read its socket. */
int
test_faults_setup(void)
{
	struct test_ep *server, *client;

	if (!test_calls_there())
		return test_skip("the calls of libraries that are shared cannot fail");
	test_quiet();
	TEST_CALL(test_place_open(&place));
	card = test_place_card(&place);
	host = test_place_host(&place, test_place_function(0));
	TEST_CALL(test_place_pair(card, host));
	/* they have met, which takes what stays */
	TEST_CALL(test_connected(&server, &client));
	test_cleanup();
	return TEST_SUCCESS;
}

void
test_faults_teardown(void)
{
	if (host >= 0 && test_vdev_remove((int16_t)host) != 0)
		test_fail("the host's device cannot be removed");
	if (card >= 0 && test_vdev_remove((int16_t)card) != 0)
		test_fail("the card's device cannot be removed");
	card = host = -1;
	test_place_close(&place);
}

void
test_faults_held_get(struct test_faults_held *h)
{
	struct rte_malloc_socket_stats stats;
	unsigned int i;

	h->fds = test_count_fds();
	h->maps = test_count_maps();
	h->allocs = 0;
	for (i = 0; i < rte_socket_count(); i++)
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &stats) == 0)
			h->allocs += stats.alloc_count;
}

int
test_faults_held_check(const struct test_faults_held *before)
{
	uint64_t end = test_now_ns() + (uint64_t)FAULTS_MS * 1000000;
	struct test_faults_held now;

	do {
		test_progress();
		test_faults_held_get(&now);
	} while ((now.fds > before->fds || now.maps > before->maps ||
			now.allocs > before->allocs) && test_now_ns() < end);
	TEST_ASSERT(now.fds <= before->fds, "%u descriptors, not %u", now.fds, before->fds);
	TEST_ASSERT(now.maps <= before->maps, "%u mappings, not %u", now.maps, before->maps);
	TEST_ASSERT(now.allocs <= before->allocs, "%u objects, not %u", now.allocs,
		before->allocs);
	return TEST_SUCCESS;
}

struct rte_comch_pe *test_faults_armed[TEST_FAULTS_ARMED];

void
test_faults_turn(void)
{
	unsigned int i;
	int ret;

	if (test_progress() != 0)
		return;
	sched_yield();
	for (i = 0; i < RTE_DIM(test_faults_armed) && test_faults_armed[i] != NULL; i++) {
		ret = rte_comch_pe_arm(test_faults_armed[i]);
		if (ret != 0 && ret != -EAGAIN)
			test_fail("an engine cannot be armed: %s", strerror(-ret));
	}
}

/*
 * It succeeds. Where a fault had a peer refused, the device does not ask again for a second,
 * and tells clients so.
 */
static int
without_fault(const struct faults_op *op)
{
	uint64_t end = test_now_ns() + (uint64_t)FAULTS_MS * 1000000;
	int error;

	for (;;) {
		TEST_CALL(devices_again());
		if (op->before != NULL)
			TEST_CALL(op->before());
		error = op->run();
		TEST_ASSERT(error <= 0 && error != FAULTS_STUCK && test_now_ns() < end,
			"without a fault: %s", strerror(-error));
		TEST_CALL(op->after());
		if (error == 0)
			return TEST_SUCCESS;
		usleep(100000);
	}
}

/* Breaches of the protocol that were counted against a peer. */
static uint64_t
violations(void)
{
	struct rte_comch_dev_stats stats[2] = { 0 };

	rte_comch_dev_stats_get(test_pair.dpu, &stats[0]);
	rte_comch_dev_stats_get(test_pair.host, &stats[1]);
	return stats[0].violations + stats[1].violations;
}

/* Sets hit to the function whose call failed, or NULL if there were fewer. */
static int
with_fault(const struct faults_op *op, enum test_calls_class class, unsigned int n,
		const char **hit, int *error)
{
	uint64_t before;

	if (op->before != NULL)
		TEST_CALL(op->before());
	before = violations();
	test_calls_fail(class, n);
	*error = op->run();
	*hit = test_calls_end();
	TEST_TRUE(*error <= 0 && *error != FAULTS_STUCK);
	/* other calls fail as well where the peer's descriptor is not what it says */
	TEST_TRUE(violations() == before || (class == TEST_CALLS_SYSTEM && *hit != NULL &&
		strcmp(*hit, "mmap64") != 0));
	TEST_TRUE(*error == 0 || *error == -ENOMEM || class != TEST_CALLS_ALLOC ||
		!op->tells_memory);
	TEST_TRUE(*error == 0 || (*hit != NULL && !op->never_refused));
	return op->after();
}

int
test_faults_run(const struct faults_op *op)
{
	const char *env = getenv("COMCH_TEST_ROUNDS");
	unsigned int part, class, n, refused, nb;
	struct test_faults_held held;
	const char *hit;
	int error, ret;

	test_time_limit(CASE_SECONDS);
	/* what stays as long as the devices do */
	TEST_CALL(without_fault(op));
	test_faults_held_get(&held);
	for (class = TEST_CALLS_ALLOC; class <= TEST_CALLS_SYSTEM; class++) {
		part = MAX_CALLS; /* each */
		if (class == TEST_CALLS_SYSTEM && test_place_is_bluefield())
			part = env != NULL ? RTE_MAX((unsigned int)atoi(env), 1u) : BUS_PART;
		refused = nb = 0;
		for (n = 1; n < MAX_CALLS; n += 1 + n / part) {
			hit = NULL;
			error = 0;
			ret = with_fault(op, class, n, &hit, &error);
			if (ret == TEST_SUCCESS && error != 0)
				ret = without_fault(op);
			if (ret == TEST_SUCCESS)
				ret = devices_again();
			if (ret == TEST_SUCCESS)
				ret = test_faults_held_check(&held);
			TEST_ASSERT(ret == TEST_SUCCESS, "%s: call %u of %s, of %s(): %s", op->name,
				n, class_names[class], hit != NULL ? hit : "nothing",
				strerror(-error));
			if (hit == NULL)
				break;
			refused += error != 0;
			nb++;
			if (getenv("COMCH_TEST_FAULTS") != NULL)
				test_note("%s: call %u of %s, of %s(): %s", op->name, n,
					class_names[class], hit, strerror(-error));
		}
		TEST_TRUE(n < MAX_CALLS);
		test_note("%s: %u %s failed, %u refused, %u tolerated", op->name, nb,
			class_names[class], refused, nb - refused);
	}
	return TEST_SUCCESS;
}
