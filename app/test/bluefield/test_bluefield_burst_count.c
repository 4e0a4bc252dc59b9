/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What bursts of the bluefield driver cost on queues in plain memory, for
 * devtools/count-instructions.py: it reads the cost of the functions count_* out of a
 * profile of callgrind. What the device does is outside of them.
 */

#include <stdlib.h>

#include "test_bluefield_burst_util.h"
#include "test_comch_util.h"

#define BURST 32u

/* The compiler makes one function of those that are equal; this keeps them apart. */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

#define COUNT_OPS(kind) \
static __rte_noinline uint16_t \
count_bf_post_##kind(const struct rte_comch_post *posts, uint16_t nb) \
{ \
	nb = burst.cfp.post(&burst.c, posts, nb); \
	COUNT_APART(post_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_bf_send_##kind(const struct rte_comch_send *msgs, uint16_t nb) \
{ \
	nb = burst.pfp.send(&burst.p, BURST_CONSUMER, msgs, nb); \
	COUNT_APART(send_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_bf_receive_##kind(struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = burst.cfp.poll(&burst.c, cpls, nb); \
	COUNT_APART(receive_##kind); \
	return nb; \
} \
static __rte_noinline uint16_t \
count_bf_sent_##kind(struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	nb = burst.pfp.poll(&burst.p, cpls, nb); \
	COUNT_APART(sent_##kind); \
	return nb; \
} \
static int \
run_##kind(uint16_t nb, uint32_t nb_msgs) \
{ \
	uint32_t i, n; \
	for (i = 0; i < nb_msgs / nb; i++) { \
		count_fill(nb); \
		TEST_EXPECT(count_bf_post_##kind(count_posts, nb), nb); \
		TEST_EXPECT(bf_credits_told(&burst.rc[0].credits, (i + 1) * nb), 0); \
		TEST_EXPECT(count_bf_send_##kind(count_msgs, nb), nb); \
		for (n = 0; n < nb; n++) \
			TEST_CALL(count_arrive()); \
		burst_sent(0, BF_CQE_REQ, burst_last(0), 0); \
		TEST_EXPECT(count_bf_receive_##kind(count_cpls, nb), nb); \
		TEST_EXPECT(count_bf_sent_##kind(count_cpls, nb), nb); \
	} \
	return TEST_SUCCESS; \
}

static struct rte_comch_post count_posts[BURST];
static struct rte_comch_send count_msgs[BURST];
static struct rte_comch_cpl count_cpls[BURST];

static void
count_fill(uint16_t nb)
{
	static uint8_t imm[BF_MAX_IMM];
	uint16_t i;

	for (i = 0; i < nb; i++) {
		count_posts[i] = (struct rte_comch_post) {
			.addr = burst.bytes + i * BURST_BUF, .len = BURST_BUF,
		};
		count_msgs[i] = (struct rte_comch_send) {
			.addr = burst.bytes + i * BURST_BUF, .len = BURST_BUF, .mem = &burst.mem,
			.imm = imm, .imm_len = burst.imm_len,
		};
	}
}

static int
count_arrive(void)
{
	struct wq_req req;

	TEST_CALL(wq_dev_take(&burst.cdev, &req));
	burst_arrive(req.index, BURST_BUF, burst.imm_len);
	return TEST_SUCCESS;
}

COUNT_OPS(buf_1)
COUNT_OPS(buf_32)
COUNT_OPS(imm_1)
COUNT_OPS(imm_32)

static int
count_all(uint32_t nb_msgs)
{
	TEST_CALL(burst_open(0));
	TEST_CALL(run_buf_1(1, nb_msgs));
	burst_close();
	TEST_CALL(burst_open(0));
	TEST_CALL(run_buf_32(32, nb_msgs));
	burst_close();
	TEST_CALL(burst_open(BF_MAX_IMM));
	TEST_CALL(run_imm_1(1, nb_msgs));
	burst_close();
	TEST_CALL(burst_open(BF_MAX_IMM));
	return run_imm_32(32, nb_msgs);
}

static int
count_main(struct unit_test_suite *suite __rte_unused)
{
	const char *nb = getenv("COMCH_TEST_BF_COUNT");
	int ret;

	ret = count_all(nb != NULL ? strtoul(nb, NULL, 10) : BURST);
	burst_close();
	return ret;
}

REGISTER_COUNT_TEST(bluefield_burst_count, "COMCH_TEST_BF_COUNT", count_main)
