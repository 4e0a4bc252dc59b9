/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The driver against a hostile vfio-user server: every message of the handshake
 * and of run time, wrong in every way. The driver may give an error or go on; it
 * ends in time, touches nothing that is not its own, and leaves nothing behind.
 * What the server says of the device is in test_bluefield_hostile_info.c, and hostile
 * firmware behind an honest server in test_bluefield_hostile_fw.c.
 */

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

/* All that a client asks on its way up, in this order. */
static const uint16_t bringup[] = {
	VFIO_USER_CMD_VERSION, VFIO_USER_CMD_DEVICE_GET_INFO, VFIO_USER_CMD_GET_IRQ_INFO,
	VFIO_USER_CMD_GET_REGION_INFO, VFIO_USER_CMD_REGION_READ, VFIO_USER_CMD_DEVICE_RESET,
	VFIO_USER_CMD_REGION_WRITE, VFIO_USER_CMD_DMA_MAP, VFIO_USER_CMD_SET_IRQS,
};

static int
each_fails(enum hostile_how how, uint64_t arg, const char *words)
{
	struct hostile_rule rule = { .how = how, .arg = arg, .count = 1 };
	unsigned int i;

	for (i = 0; i < RTE_DIM(bringup); i++) {
		rule.cmd = bringup[i];
		TEST_CALL(hostile_expect_error(&rule, words));
	}
	return TEST_SUCCESS;
}

static int
each_works(enum hostile_how how, uint64_t arg)
{
	struct hostile_rule rule = { .how = how, .arg = arg };
	unsigned int i;

	for (i = 0; i < RTE_DIM(bringup); i++) {
		rule.cmd = bringup[i];
		TEST_CALL(hostile_expect_device(&rule));
	}
	return TEST_SUCCESS;
}

/* The server as it is without rules: all others differ by one thing only. */
static int
test_honest(void)
{
	const struct hostile_rule none = { .how = HOSTILE_HONEST };

	TEST_CALL(hostile_expect_device(&none));
	TEST_CALL(hostile_expect_device(&none));
	return test_log_passed();
}

static int
test_silent(void)
{
	TEST_CALL(each_fails(HOSTILE_SILENT, 0, HOSTILE_NO_ANSWER));
	return test_log_passed();
}

static int
test_closed(void)
{
	TEST_CALL(each_fails(HOSTILE_CLOSE, 0, "closed the connection"));
	TEST_CALL(each_fails(HOSTILE_HALF, 0, "closed the connection"));
	return test_log_passed();
}

static int
test_trickle(void)
{
	TEST_CALL(each_fails(HOSTILE_TRICKLE, 0, HOSTILE_NO_ANSWER));
	return test_log_passed();
}

static int
test_other_message(void)
{
	TEST_CALL(each_fails(HOSTILE_ID, 0, "what was not asked"));
	TEST_CALL(each_fails(HOSTILE_CMD, 0, "what was not asked"));
	TEST_CALL(each_fails(HOSTILE_CMD, 0xffff, "what was not asked"));
	TEST_CALL(each_fails(HOSTILE_CMD, VFIO_USER_CMD_DMA_UNMAP, "what was not asked"));
	return test_log_passed();
}

static int
test_type(void)
{
	TEST_CALL(each_fails(HOSTILE_TYPE, 2, "neither request nor answer"));
	TEST_CALL(each_fails(HOSTILE_TYPE, 0xf, "neither request nor answer"));
	/* a request, which is refused, and then there is silence */
	TEST_CALL(each_fails(HOSTILE_TYPE, VFIO_USER_TYPE_COMMAND, HOSTILE_NO_ANSWER));
	return test_log_passed();
}

/* An error without a number is one; one that is gone is not the connection. */
static int
test_error_flag(void)
{
	static const uint32_t errors[] = { 0, EINVAL, ENODEV, 4095, 4096, UINT32_MAX };
	struct hostile_rule rule = { .count = 1 };
	unsigned int i, j, k;

	for (i = 0; i < RTE_DIM(bringup); i++) {
		/* a register may be denied: it is all ones then, or was not written */
		if (bringup[i] == VFIO_USER_CMD_REGION_WRITE)
			continue;
		rule.cmd = bringup[i];
		for (j = 0; j < RTE_DIM(errors); j++) {
			for (k = 0; k < 2; k++) {
				rule.how = k == 0 ? HOSTILE_ERROR : HOSTILE_ERROR_BODY;
				rule.arg = errors[j];
				TEST_CALL(hostile_expect_error(&rule, NULL));
			}
		}
	}
	return test_log_passed();
}

/* All register reads are denied from some point on. */
static int
test_registers_denied(void)
{
	struct hostile_rule rule = { .how = HOSTILE_ERROR, .arg = EIO };

	rule.cmd = VFIO_USER_CMD_REGION_READ;
	for (rule.skip = 0; rule.skip < 9; rule.skip++)
		TEST_CALL(hostile_expect_error(&rule, NULL));
	/* the server writes, and denies it: commands go well all the same, but not the first */
	rule.cmd = VFIO_USER_CMD_REGION_WRITE;
	rule.skip = 0;
	TEST_CALL(hostile_expect_error(&rule, "does not let it master the bus"));
	rule.skip = 1;
	TEST_CALL(hostile_expect_device(&rule));
	return test_log_passed();
}

static int
test_wrong_length(void)
{
	struct hostile_rule rule = { .how = HOSTILE_CUT, .count = 1 };
	unsigned int i;

	for (i = 0; i < RTE_DIM(bringup); i++) {
		rule.cmd = bringup[i];
		rule.how = HOSTILE_CUT;
		rule.arg = HOSTILE_BODY;
		/* those without a body cannot be cut, the others can be empty */
		if (rule.cmd != VFIO_USER_CMD_DEVICE_RESET && rule.cmd != VFIO_USER_CMD_DMA_MAP &&
				rule.cmd != VFIO_USER_CMD_SET_IRQS) {
			TEST_CALL(hostile_expect_error(&rule, "wrong length"));
			rule.arg = 1;
			/* the text of a version may end anywhere */
			if (rule.cmd != VFIO_USER_CMD_VERSION)
				TEST_CALL(hostile_expect_error(&rule, "wrong length"));
		}
		rule.how = HOSTILE_MORE;
		rule.arg = 4096;
		TEST_CALL(hostile_expect_error(&rule, NULL));
		rule.arg = 1;
		/* capabilities, too, and they are skipped */
		if (rule.cmd != VFIO_USER_CMD_VERSION && rule.cmd != VFIO_USER_CMD_GET_REGION_INFO)
			TEST_CALL(hostile_expect_error(&rule, "wrong length"));
	}
	return test_log_passed();
}

static int
test_size_in_header(void)
{
	static const uint32_t impossible[] = { 0, 1, 15, 1 << 20, 0x7fffffff, 0x80000000,
		UINT32_MAX };
	unsigned int i;

	for (i = 0; i < RTE_DIM(impossible); i++)
		TEST_CALL(each_fails(HOSTILE_SIZE, impossible[i], "impossible length"));
	/* more than there is: it waits for the rest */
	TEST_CALL(each_fails(HOSTILE_SIZE, 4000, HOSTILE_NO_ANSWER));
	return test_log_passed();
}

static int
test_twice(void)
{
	TEST_CALL(each_fails(HOSTILE_TWICE, 0, "what was not asked"));
	return test_log_passed();
}

static int
test_pieces(void)
{
	TEST_CALL(each_works(HOSTILE_PIECES, 0));
	return test_log_passed();
}

/* Descriptors that nobody asked for are closed, and too many are an error. */
static int
test_descriptors(void)
{
	TEST_CALL(each_works(HOSTILE_WITH_FDS, 1));
	TEST_CALL(each_works(HOSTILE_WITH_FDS, 8));
	TEST_CALL(each_fails(HOSTILE_WITH_FDS, 9, "too many descriptors"));
	TEST_CALL(each_fails(HOSTILE_WITH_FDS, HOSTILE_FDS, "too many descriptors"));
	/* each part of a message has no more than it may have, and all parts have many more */
	TEST_CALL(each_works(HOSTILE_PIECES, 1));
	TEST_CALL(each_works(HOSTILE_PIECES, 8));
	return test_log_passed();
}

/* Requests without end in place of the answer: the time limit holds. */
static int
test_flood(void)
{
	TEST_CALL(each_fails(HOSTILE_FLOOD, VFIO_USER_TYPE_COMMAND, NULL));
	TEST_CALL(each_fails(HOSTILE_FLOOD, VFIO_USER_TYPE_COMMAND | VFIO_USER_F_NO_REPLY, NULL));
	return test_log_passed();
}

/* Firmware does not do its first command before a reset. */
static enum hostile_fw
fw_unready(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_ENABLE_HCA || e->nb_resets > 1)
		return HOSTILE_FW_HONEST;
	bf_set(out, BF_OUT_STATUS, BF_STATUS_INTERNAL);
	return HOSTILE_FW_DONE;
}

/* That reset is done, or is denied: then whatever follows is not to be trusted. */
static int
test_reset_denied(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_ERROR, .cmd = VFIO_USER_CMD_DEVICE_RESET, .skip = 1, .arg = EIO,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < 2; i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.fw = fw_unready;
		if (i == 1)
			hostile_vfu_rule(&hostile_server, &rule);
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
		TEST_ASSERT(i == 0 ? ret >= 0 : ret == -EIO, "round %u: %d", i, ret);
		TEST_TRUE(test_log_has("tried once more"));
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

static enum hostile_fw
fw_unanswered(struct hostile_vfu *e __rte_unused, uint16_t opcode,
	const uint8_t *in __rte_unused, uint32_t in_len __rte_unused, uint8_t *out __rte_unused,
	uint32_t out_len __rte_unused)
{
	return opcode == BF_OP_ENABLE_HCA ? HOSTILE_FW_NO_ANSWER : HOSTILE_FW_HONEST;
}

/* A command that is never answered may be done at any time: a reset ends that, each time. */
static int
test_first_unanswered(void)
{
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_server.fw = fw_unanswered;
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe("socket_timeout=5000,cmd_timeout=300", &ret));
	TEST_EXPECT(ret, -ETIMEDOUT);
	TEST_TRUE(test_log_has("tried once more"));
	TEST_CALL(hostile_round_end());
	/* one at the start, and one after either try */
	TEST_EXPECT(hostile_server.nb_resets, 3);
	return test_log_passed();
}

/*
 * Run time
 */

static int
test_run_time(void)
{
	static const struct {
		enum hostile_how how;
		uint64_t arg;
	} rows[] = {
		{ HOSTILE_SILENT, 0 }, { HOSTILE_CLOSE, 0 }, { HOSTILE_HALF, 0 },
		{ HOSTILE_CUT, 1 }, { HOSTILE_MORE, 1 }, { HOSTILE_SIZE, 0 },
		{ HOSTILE_SIZE, UINT32_MAX }, { HOSTILE_ID, 0 }, { HOSTILE_CMD, 5 },
		{ HOSTILE_TYPE, 3 }, { HOSTILE_ERROR, EIO }, { HOSTILE_ERROR, ENODEV },
		{ HOSTILE_WITH_FDS, 20 }, { HOSTILE_FLOOD, 0 },
		{ HOSTILE_FLOOD, VFIO_USER_F_NO_REPLY },
	};
	struct hostile_rule rule = { .cmd = VFIO_USER_CMD_REGION_READ };
	uint64_t start;
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_CALL(hostile_round_begin());
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_CALL(hostile_probe("socket_timeout=300,cmd_timeout=5000,health=10", &ret));
		TEST_TRUE(ret >= 0);
		rule.how = rows[i].how;
		rule.arg = rows[i].arg;
		hostile_vfu_rule(&hostile_server, &rule);
		TEST_WAIT(test_dev_status(hostile_dev_id) != 0, TEST_MS);
		TEST_EXPECT(test_dev_status(hostile_dev_id), -ENODEV);
		/* the way back is closed as well, and removal is not */
		start = test_now_ns();
		TEST_TRUE(rte_comch_dev_reset(hostile_dev_id) < 0);
		TEST_CALL(hostile_round_end());
		TEST_TRUE(test_now_ns() - start < HOSTILE_LIMIT_NS);
	}
	return test_log_passed();
}

/* What it does while it is removed is of no interest any more. */
static int
test_removal(void)
{
	static const uint16_t cmds[] = { VFIO_USER_CMD_DMA_UNMAP, VFIO_USER_CMD_SET_IRQS,
		VFIO_USER_CMD_REGION_READ, VFIO_USER_CMD_REGION_WRITE, 0 };
	static const struct {
		enum hostile_how how;
		uint64_t arg;
	} rows[] = {
		{ HOSTILE_SILENT, 0 }, { HOSTILE_CLOSE, 0 }, { HOSTILE_HALF, 0 },
		{ HOSTILE_MORE, 8 }, { HOSTILE_SIZE, 3 }, { HOSTILE_ID, 0 }, { HOSTILE_ERROR, 0 },
		{ HOSTILE_ERROR, EINVAL }, { HOSTILE_ERROR, ENODEV }, { HOSTILE_ERROR_BODY, EBUSY },
		{ HOSTILE_WITH_FDS, 3 }, { HOSTILE_TWICE, 0 }, { HOSTILE_PIECES, 0 },
	};
	struct hostile_rule rule;
	uint64_t start;
	unsigned int i, j;
	int ret;

	for (i = 0; i < RTE_DIM(rows); i++) {
		for (j = 0; j < RTE_DIM(cmds); j++) {
			TEST_CALL(hostile_round_begin());
			TEST_CALL(hostile_vfu_start(&hostile_server));
			TEST_CALL(hostile_probe("socket_timeout=300,cmd_timeout=300", &ret));
			TEST_TRUE(ret >= 0);
			rule = (struct hostile_rule){ .how = rows[i].how, .arg = rows[i].arg,
				.cmd = cmds[j] };
			hostile_vfu_rule(&hostile_server, &rule);
			start = test_now_ns();
			TEST_CALL(hostile_round_end());
			TEST_TRUE(test_now_ns() - start < HOSTILE_LIMIT_NS);
		}
	}
	return test_log_passed();
}

/*
 * Requests of the server
 */

static int victim;

static void
ask_dma(struct hostile_vfu *e, uint16_t cmd, uint64_t addr, uint64_t count, uint32_t data)
{
	static struct hostile_msg reply;
	struct vfio_user_dma_access access = { addr, count };
	uint8_t body[HOSTILE_BODY];
	const void *mem;
	int ret;

	memset(body, 0xa5, sizeof(body));
	memcpy(body, &access, sizeof(access));
	ret = hostile_vfu_ask(e, cmd, 0, body, (uint32_t)sizeof(access) + data, &reply);
	mem = ret == 0 ? hostile_vfu_mem(e, addr, count) : NULL;
	/* what was written is there, and what is there was read */
	if (ret == 0 && (mem == NULL || (cmd == VFIO_USER_CMD_DMA_WRITE ?
			reply.len != sizeof(access) || memcmp(mem, body + sizeof(access), count) :
			reply.len != sizeof(access) + count ||
			memcmp(mem, reply.body + sizeof(access), count) ||
			memcmp(mem, body + sizeof(access), count) == 0)))
		ret = -1;
	e->results[e->nb_results++] = ret;
}

static void
fix_requests(struct hostile_vfu *e, struct hostile_msg *msg __rte_unused, uint64_t arg __rte_unused)
{
	const uint16_t rd = VFIO_USER_CMD_DMA_READ, wr = VFIO_USER_CMD_DMA_WRITE;
	static struct hostile_msg reply;
	uint64_t addr = e->maps[0].addr, end = addr + e->maps[0].size;
	uint8_t body[64] = { 0 };

	/* good ones */
	ask_dma(e, wr, end - 8, 8, 8);
	ask_dma(e, rd, addr, 8, 0);
	ask_dma(e, rd, end - 4096, 4096, 0);
	/* no memory of the device */
	ask_dma(e, rd, 0, 8, 0);
	ask_dma(e, wr, 0, 8, 8);
	ask_dma(e, wr, (uintptr_t)&victim, sizeof(victim), sizeof(victim));
	ask_dma(e, rd, (uintptr_t)&victim, sizeof(victim), 0);
	ask_dma(e, wr, (uintptr_t)e, 8, 8);
	ask_dma(e, rd, end - 7, 8, 0);
	ask_dma(e, wr, end, 8, 8);
	ask_dma(e, wr, addr - 1, 8, 8);
	ask_dma(e, wr, UINT64_MAX - 7, 8, 8);
	ask_dma(e, rd, UINT64_MAX, 8, 0);
	/* not what a request is like */
	ask_dma(e, VFIO_USER_CMD_VERSION, addr, 8, 0);
	ask_dma(e, rd, addr, 4097, 0);
	ask_dma(e, rd, addr, UINT64_MAX, 0);
	ask_dma(e, rd, addr, 8, 1);
	ask_dma(e, wr, addr, 8, 0);
	ask_dma(e, wr, addr, 8, 7);
	ask_dma(e, wr, addr, 8, 9);
	ask_dma(e, wr, addr, UINT64_MAX - 15, 0);
	e->results[e->nb_results++] = hostile_vfu_ask(e, wr, 0, body, 15, &reply);
	e->results[e->nb_results++] = hostile_vfu_ask(e, rd, 0, body, 0, &reply);
	e->results[e->nb_results++] = hostile_vfu_ask(e, VFIO_USER_CMD_VERSION, 0,
			body, 64, &reply);
	e->results[e->nb_results++] = hostile_vfu_ask(e, 0, 0, body, 0, &reply);
	e->results[e->nb_results++] = hostile_vfu_ask(e, UINT16_MAX, 0, body, 0, &reply);
	/* no answer is wanted, and none comes: the next would be out of step */
	e->results[e->nb_results++] = hostile_vfu_ask(e, wr, VFIO_USER_F_NO_REPLY,
			body, 64, &reply);
	ask_dma(e, rd, addr, 8, 0);
}

static int
test_requests(void)
{
	static const int wanted[] = {
		0, 0, 0,
		EFAULT, EFAULT, EFAULT, EFAULT, EFAULT, EFAULT, EFAULT, EFAULT, EFAULT, EFAULT,
		EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL, EINVAL,
		EINVAL, EINVAL, EINVAL, EINVAL, EINVAL,
		0, 0,
	};
	/* while an interrupt is set up, when all memory is mapped */
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_SET_IRQS, .fix = fix_requests, .count = 1,
	};
	unsigned int i;
	int ret;

	victim = 0x5a5a5a5a;
	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_TRUE(ret >= 0);
	TEST_EXPECT(hostile_server.nb_results, RTE_DIM(wanted));
	for (i = 0; i < RTE_DIM(wanted); i++)
		TEST_ASSERT(hostile_server.results[i] == wanted[i], "request %u: %d, not %d", i,
			hostile_server.results[i], wanted[i]);
	TEST_EXPECT(victim, 0x5a5a5a5a);
	TEST_EXPECT(test_dev_status(hostile_dev_id), 0);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/* What one answer of the driver to a request for a page has. */
struct page_reply {
	struct vfio_user_hdr hdr;
	struct vfio_user_dma_access access;
	uint8_t data[4096];
};

/* More requests than there is room for answers to; then these are taken. */
#define NB_UNREAD 200

/* arg: never; until the driver has given it up. */
static void
fix_unread(struct hostile_vfu *e, struct hostile_msg *msg __rte_unused, uint64_t arg)
{
	struct {
		struct vfio_user_hdr hdr;
		struct vfio_user_dma_access access;
	} ask = { .access = { e->maps[0].addr, sizeof(((struct page_reply *)0)->data) } };
	struct pollfd pfd = { .fd = e->sock, .events = POLLIN };
	struct page_reply reply;
	size_t got;
	ssize_t n;

	ask.hdr.cmd = VFIO_USER_CMD_DMA_READ;
	ask.hdr.size = sizeof(ask);
	for (ask.hdr.id = 0; ask.hdr.id < NB_UNREAD; ask.hdr.id++)
		if (send(e->sock, &ask, sizeof(ask), MSG_NOSIGNAL) != sizeof(ask))
			return;
	if (arg != 0) {
		pfd.events = POLLRDHUP;
		poll(&pfd, 1, 2500);
		return;
	}
	usleep(100000);
	for (; e->nb_results < NB_UNREAD; e->nb_results++) {
		for (got = 0; got < sizeof(reply); got += n) {
			if (poll(&pfd, 1, 2000) <= 0)
				return;
			n = recv(e->sock, (uint8_t *)&reply + got, sizeof(reply) - got, 0);
			if (n <= 0)
				return;
		}
		if (reply.hdr.id != e->nb_results || reply.hdr.size != sizeof(reply) ||
				reply.access.addr != ask.access.addr)
			return;
	}
}

/* It reads no answers for a while: the driver waits, and each comes as a whole. */
static int
test_unread(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_SET_IRQS, .fix = fix_unread, .count = 1,
	};
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe(HOSTILE_LONG_ARGS, &ret));
	TEST_EXPECT(hostile_server.nb_results, NB_UNREAD);
	TEST_TRUE(ret >= 0);
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/* It reads none at all: the time limit holds for what the driver sends, too. */
static int
test_never_read(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_SET_IRQS, .fix = fix_unread, .count = 1,
		.arg = 1,
	};
	int ret;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_CALL(hostile_probe("socket_timeout=300,cmd_timeout=5000,fw_timeout=5000", &ret));
	TEST_TRUE(ret < 0);
	TEST_TRUE(test_log_has("does not take the answer"));
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "hostile vfio-user servers",
	.unit_test_cases = {
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_honest),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_silent),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_closed),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_trickle),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_other_message),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_type),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_error_flag),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_registers_denied),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_wrong_length),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_size_in_header),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_twice),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_pieces),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_descriptors),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_flood),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_reset_denied),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_first_unanswered),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_run_time),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_removal),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_requests),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_unread),
		TEST_CASE_ST(hostile_case_setup, hostile_case_teardown, test_never_read),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hostile_autotest, unit_test_suite_runner, &suite);
