/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer hw of a function behind a hostile vfio-user server, call by call: what it
 * returns and leaves untouched, where registers are, and which memory the server
 * still has. Nothing that a register means is in here. And that a function which goes
 * while it comes up calls nobody.
 */

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_byteorder.h>
#include <rte_lcore.h>

#include "bluefield_func.h"
#include "bluefield_hw.h"
#include "bluefield_prm.h"
#include "test_bluefield_hostile.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"
#include "vfu_link.h"

#define MIB ((size_t)1 << 20)
#define TIMEOUT_MS 5000
/* Any word of configuration space, which reads 0. */
#define CONFIG_OFF 0x40
/* Where BAR 0 may be in a file, and a register there, which reads 0 by message. */
#define PAGE_OFF 0x1000u
#define REG_OFF 0xf00u
#define IN_PAGE 0x12345678u
#define UNTOUCHED 0x5a5a5a5au

static struct bf_hw *hw;

static int
case_setup(void)
{
	hw = NULL;
	return hostile_case_setup();
}

static void
case_teardown(void)
{
	if (hw != NULL)
		hw->ops->close(hw);
	hostile_case_teardown();
}

/* The rest of a round: what goes before it is of the case. */
static int
hw_up(void)
{
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_EXPECT(bf_hw_vfu_open("test", hostile_server.path, TIMEOUT_MS, &hw), 0);
	return TEST_SUCCESS;
}

static int
hw_down(void)
{
	hw->ops->close(hw);
	hw = NULL;
	return hostile_round_end();
}

/*
 * Memory
 */

static struct bf_dma dma[3];
/* Of each, when all were there. */
static uint64_t asked[RTE_DIM(dma)];

static void
fix_ask_all(struct hostile_vfu *e, struct hostile_msg *msg __rte_unused, uint64_t arg __rte_unused)
{
	struct vfio_user_dma_access access = { .count = 8 };
	static struct hostile_msg reply;

	for (e->nb_results = 0; e->nb_results < RTE_DIM(asked); e->nb_results++) {
		access.addr = asked[e->nb_results];
		e->results[e->nb_results] = hostile_vfu_ask(e, VFIO_USER_CMD_DMA_READ, 0, &access,
				sizeof(access), &reply);
	}
}

/* The server asks for all of it, in the middle of a call; it gets what is not freed. */
static int
ask_all(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_REGION_READ, .fix = fix_ask_all,
		.count = 1,
	};
	unsigned int i;
	uint32_t val;

	hostile_vfu_rule(&hostile_server, &rule);
	TEST_EXPECT(hw->ops->config_read32(hw, CONFIG_OFF, &val), 0);
	TEST_EXPECT(hostile_server.nb_results, RTE_DIM(asked));
	for (i = 0; i < RTE_DIM(asked); i++)
		TEST_EXPECT(hostile_server.results[i], dma[i].addr == NULL ? EFAULT : 0);
	return TEST_SUCCESS;
}

/* Memory that was freed may be anybody's by now. */
static int
test_revoked(void)
{
	/* each has an arena of its own, and the last two need not be as large as they are */
	static const size_t sizes[RTE_DIM(dma)] = { 2 * MIB, 4096, 4 * MIB };
	static const unsigned int freed[] = { 1, 0 };
	unsigned int i;

	TEST_CALL(hostile_round_begin());
	TEST_CALL(hw_up());
	for (i = 0; i < RTE_DIM(dma); i++) {
		TEST_EXPECT(hw->ops->dma_alloc(hw, sizes[i], 4096, &dma[i]), 0);
		asked[i] = dma[i].iova;
	}
	TEST_CALL(ask_all());
	for (i = 0; i < RTE_DIM(freed); i++) {
		hw->ops->dma_free(hw, &dma[freed[i]]);
		TEST_CALL(ask_all());
	}
	TEST_CALL(hw_down());
	return test_log_passed();
}

/*
 * Errors
 */

static uint32_t config_val;

static int
do_config_read(void)
{
	return hw->ops->config_read32(hw, CONFIG_OFF, &config_val);
}

static int
do_config_write(void)
{
	return hw->ops->config_write32(hw, CONFIG_OFF, 0);
}

static void
no_irq(void *arg __rte_unused)
{
}

static int
do_irq_enable(void)
{
	return hw->ops->irq_enable(hw, no_irq, NULL);
}

static int
do_reset(void)
{
	return hw->ops->reset(hw);
}

/* What the server denies is not done, for this reason, and goes well the next time. */
static int
test_denied(void)
{
	static const struct {
		int (*call)(void);
		uint16_t cmd;
		const char *words;
	} calls[] = {
		{ do_config_read, VFIO_USER_CMD_REGION_READ, NULL },
		{ do_config_write, VFIO_USER_CMD_REGION_WRITE, NULL },
		{ do_irq_enable, VFIO_USER_CMD_SET_IRQS, "does not take eventfds" },
		{ do_reset, VFIO_USER_CMD_DEVICE_RESET, "does not reset the function" },
		{ do_reset, VFIO_USER_CMD_REGION_READ, "does not reset the function" },
		{ do_reset, VFIO_USER_CMD_REGION_WRITE, "does not reset the function" },
		/* interrupts are on by now */
		{ do_reset, VFIO_USER_CMD_SET_IRQS, "does not reset the function" },
	};
	static const struct { uint32_t error; int ret; } errors[] = {
		{ EACCES, -EACCES }, { 4095, -4095 }, { 0, -EIO }, { 4096, -EIO },
		{ UINT32_MAX, -EIO }, { ENODEV, -EIO },
	};
	struct hostile_rule rule = { .how = HOSTILE_ERROR, .count = 1 };
	unsigned int i, j;

	TEST_CALL(hostile_round_begin());
	TEST_CALL(hw_up());
	for (i = 0; i < RTE_DIM(calls); i++) {
		rule.cmd = calls[i].cmd;
		for (j = 0; j < RTE_DIM(errors); j++) {
			rule.arg = errors[j].error;
			config_val = UNTOUCHED;
			test_log_drop();
			TEST_EXPECT(test_log_begin(), 0);
			hostile_vfu_rule(&hostile_server, &rule);
			TEST_ASSERT(calls[i].call() == errors[j].ret, "call %u, error %u", i,
				errors[j].error);
			TEST_EXPECT(config_val, UNTOUCHED);
			TEST_TRUE(calls[i].words == NULL || test_log_has(calls[i].words));
		}
		TEST_EXPECT(calls[i].call(), 0);
		TEST_EXPECT(config_val, calls[i].call == do_config_read ? 0 : UNTOUCHED);
	}
	/* a register has no place for an error */
	hostile_vfu_reg(&hostile_server, PAGE_OFF + REG_OFF, IN_PAGE);
	rule.cmd = VFIO_USER_CMD_REGION_READ;
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_EXPECT(hw->ops->read32(hw, PAGE_OFF + REG_OFF), BF_ALL_ONES);
	TEST_EXPECT(hw->ops->read32(hw, PAGE_OFF + REG_OFF), IN_PAGE);
	TEST_CALL(hw_down());
	return test_log_passed();
}

/* A function that is not opened is not, for the reason that the server has given. */
static int
test_open_denied(void)
{
	static const struct { uint16_t cmd; uint32_t skip; } rows[] = {
		{ VFIO_USER_CMD_VERSION, 0 },
		{ VFIO_USER_CMD_DEVICE_GET_INFO, 0 },
		{ VFIO_USER_CMD_GET_IRQ_INFO, 0 },
		{ VFIO_USER_CMD_GET_REGION_INFO, 0 },
		{ VFIO_USER_CMD_GET_REGION_INFO, 1 },
		{ VFIO_USER_CMD_REGION_READ, 0 },
		{ VFIO_USER_CMD_DEVICE_RESET, 0 },
		{ VFIO_USER_CMD_REGION_READ, 1 },
		{ VFIO_USER_CMD_REGION_WRITE, 0 },
	};
	struct hostile_rule rule = { .how = HOSTILE_ERROR, .count = 1, .arg = EACCES };
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		rule.cmd = rows[i].cmd;
		rule.skip = rows[i].skip;
		TEST_CALL(hostile_round_begin());
		hostile_vfu_rule(&hostile_server, &rule);
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_EXPECT(bf_hw_vfu_open("test", hostile_server.path, TIMEOUT_MS, &hw), -EACCES);
		TEST_TRUE(hw == NULL && test_log_has("Permission denied"));
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

/*
 * Registers in files
 */

/* What a file of the server has for a register, as the device writes it. */
static uint32_t
page_get(uint32_t off)
{
	rte_be32_t val;

	pthread_mutex_lock(&hostile_server.lock);
	memcpy(&val, (uint8_t *)hostile_server.page + off, sizeof(val));
	pthread_mutex_unlock(&hostile_server.lock);
	return rte_be_to_cpu_32(val);
}

static void
page_put(uint32_t off, uint32_t val)
{
	const rte_be32_t be = rte_cpu_to_be_32(val);

	pthread_mutex_lock(&hostile_server.lock);
	memcpy((uint8_t *)hostile_server.page + off, &be, sizeof(be));
	pthread_mutex_unlock(&hostile_server.lock);
}

/* A server that is gone leaves its page behind, which means nothing any more. */
static int
test_gone_page(void)
{
	const struct hostile_rule rule = {
		.how = HOSTILE_CLOSE, .cmd = VFIO_USER_CMD_REGION_READ,
	};
	uint32_t val = UNTOUCHED;

	TEST_CALL(hostile_round_begin());
	hostile_server.shared_page = true;
	TEST_CALL(hw_up());
	hw->ops->write32(hw, PAGE_OFF + REG_OFF, IN_PAGE);
	TEST_EXPECT(page_get(REG_OFF), IN_PAGE);
	hw->ops->write64(hw, PAGE_OFF + REG_OFF + 8, (uint64_t)IN_PAGE << 32 | 7);
	TEST_EXPECT(page_get(REG_OFF + 8), IN_PAGE);
	TEST_EXPECT(page_get(REG_OFF + 12), 7);
	TEST_EXPECT(hw->ops->read32(hw, PAGE_OFF + REG_OFF), IN_PAGE);
	hostile_vfu_rule(&hostile_server, &rule);
	TEST_EXPECT(hw->ops->config_read32(hw, CONFIG_OFF, &val), -ENODEV);
	TEST_EXPECT(val, UNTOUCHED);
	TEST_EXPECT(hw->ops->read32(hw, PAGE_OFF + REG_OFF), BF_ALL_ONES);
	hw->ops->write32(hw, PAGE_OFF + REG_OFF, 1);
	hw->ops->write64(hw, PAGE_OFF + REG_OFF + 8, 1);
	TEST_EXPECT(page_get(REG_OFF), IN_PAGE);
	TEST_EXPECT(page_get(REG_OFF + 8), IN_PAGE);
	TEST_EXPECT(page_get(REG_OFF + 12), 7);
	/* nor does anything else that it would have to know of */
	TEST_EXPECT(hw->ops->dma_alloc(hw, 4096, 4096, &dma[0]), -EIO);
	TEST_EXPECT(hw->ops->reset(hw), -ENODEV);
	TEST_EXPECT(hw->ops->irq_enable(hw, no_irq, NULL), -ENODEV);
	TEST_CALL(hw_down());
	return test_log_passed();
}

/* What is said of BAR 0: descriptors are of the shared page, and of other files. */
struct mapped {
	uint32_t nb_pages, nb_others;
	uint32_t nr_areas;
	struct vfio_user_area areas[3];
	bool in_page;    /* The register is there. */
};

static const struct mapped *said;

static void
fix_mapped(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	struct {
		struct vfio_user_region_info info;
		struct vfio_user_cap_sparse cap;
		struct vfio_user_area areas[RTE_DIM(said->areas)];
	} body;
	uint32_t i;

	memcpy(&body.info, msg->body, sizeof(body.info));
	body.info.flags |= VFIO_USER_REGION_F_MMAP | VFIO_USER_REGION_F_CAPS;
	body.info.cap_offset = sizeof(body.info);
	body.info.argsz = sizeof(body);
	body.info.offset = 0;
	body.cap = (struct vfio_user_cap_sparse){
		.head = { .id = VFIO_USER_CAP_SPARSE_MMAP, .version = 1 },
		.nr_areas = said->nr_areas,
	};
	memcpy(body.areas, said->areas, sizeof(body.areas));
	memcpy(msg->body, &body, sizeof(body));
	msg->len = sizeof(body);
	for (i = 0; i < said->nb_pages; i++)
		msg->fds[msg->nb_fds++] = fcntl(e->page_fd, F_DUPFD_CLOEXEC, 0);
	for (i = 0; i < said->nb_others; i++)
		msg->fds[msg->nb_fds++] = hostile_vfu_file(HOSTILE_BAR, F_SEAL_SHRINK);
}

static int
test_mapped(void)
{
	static const struct mapped rows[] = {
		{ 1, 0, 1, { { PAGE_OFF, 0x1000 } }, true },
		/* the last descriptor is of all areas that follow */
		{ 1, 0, 2, { { 0x2000, 0 }, { PAGE_OFF, 0x1000 } }, true },
		{ 1, 0, 3, { { 0x2000, 0 }, { 0x3000, 0 }, { PAGE_OFF, 0x1000 } }, true },
		/* and the others are of one each */
		{ 1, 1, 2, { { PAGE_OFF, 0x1000 }, { 0x2000, 0x1000 } }, true },
		{ 1, 2, 3, { { PAGE_OFF, 0x1000 }, { 0x2000, 0x1000 }, { 0x3000, 0x1000 } },
			true },
		{ 0, 1, 1, { { PAGE_OFF, 0x1000 } }, false },
		/* what follows the last area is no area */
		{ 1, 0, 0, { { PAGE_OFF, 0x1000 } }, false },
		/* and a part of a page is nowhere */
		{ 1, 0, 1, { { PAGE_OFF, 1 } }, false },
		{ 1, 0, 1, { { PAGE_OFF, 0xfff } }, false },
	};
	/* of BAR 0, which is the second that is asked */
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_GET_REGION_INFO, .fix = fix_mapped,
		.skip = 1, .count = 1,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		said = &rows[i];
		TEST_CALL(hostile_round_begin());
		hostile_vfu_rule(&hostile_server, &rule);
		TEST_CALL(hw_up());
		page_put(REG_OFF, IN_PAGE);
		TEST_ASSERT(hw->ops->read32(hw, PAGE_OFF + REG_OFF) ==
			(said->in_page ? IN_PAGE : 0), "row %u", i);
		TEST_CALL(hw_down());
	}
	return test_log_passed();
}

/*
 * Limits
 */

static const char *version_text;

static void
fix_version(struct hostile_vfu *e __rte_unused, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	const size_t len = strlen(version_text) + 1;

	memcpy(msg->body + sizeof(struct vfio_user_version), version_text, len);
	msg->len = (uint32_t)(sizeof(struct vfio_user_version) + len);
}

static const struct hostile_rule version_rule = {
	.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_VERSION, .fix = fix_version,
};

/* Descriptors in one message: what the server takes, and no more than there is room for. */
static int
test_version_fds(void)
{
	static const struct { const char *text; uint32_t fds; } rows[] = {
		{ "{}", 1 },
		{ "{\"capabilities\":{\"max_msg_fds\":1}}", 1 },
		{ "{\"capabilities\":{\"max_msg_fds\":3}}", 3 },
		{ "{\"capabilities\":{\"max_msg_fds\":8}}", 8 },
		{ "{\"capabilities\":{\"max_msg_fds\":9}}", 8 },
		{ "{\"capabilities\":{\"max_msg_fds\":99999999}}", 8 },
		{ "{\"capabilities\":{\"max_msg_fds\":18446744073709551615}}", 8 },
	};
	static struct vfu_link raw;
	unsigned int i;

	TEST_CALL(hostile_round_begin());
	hostile_vfu_rule(&hostile_server, &version_rule);
	TEST_CALL(hostile_vfu_start(&hostile_server));
	for (i = 0; i < RTE_DIM(rows); i++) {
		version_text = rows[i].text;
		TEST_EXPECT(vfu_link_open(&raw, "test", hostile_server.path, TIMEOUT_MS), 0);
		vfu_link_close(&raw);
		TEST_EXPECT(raw.max_fds, rows[i].fds);
	}
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

/* A request without an answer, from the server that the link is connected to. */
static int
send_request(void)
{
	const struct {
		struct vfio_user_hdr hdr;
		struct vfio_user_dma_access access;
	} ask = {
		.hdr = { .cmd = VFIO_USER_CMD_DMA_READ, .size = sizeof(ask),
			.flags = VFIO_USER_TYPE_COMMAND | VFIO_USER_F_NO_REPLY },
	};

	return send(hostile_server.sock, &ask, sizeof(ask), MSG_NOSIGNAL) == sizeof(ask) ? 0 : -1;
}

/* The time is over, and there is always one more request in the socket. */
static int
test_requests_late(void)
{
	static struct vfu_link raw;
	struct vfu_call call = { .cmd = VFIO_USER_CMD_DEVICE_RESET, .fd = -1 };
	unsigned int i;

	TEST_CALL(hostile_round_begin());
	TEST_EXPECT(vfu_link_open(&raw, "test", hostile_server.path, TIMEOUT_MS), -ENOENT);
	TEST_TRUE(test_log_has("nobody listens there"));
	TEST_CALL(hostile_vfu_start(&hostile_server));
	TEST_EXPECT(vfu_link_open(&raw, "test", hostile_server.path, TIMEOUT_MS), 0);
	for (i = 0; i < 2; i++)
		TEST_EXPECT(send_request(), 0);
	TEST_EXPECT(vfu_link_call(&raw, &call), -ENODEV);
	vfu_link_close(&raw);
	TEST_TRUE(test_log_has("it sends requests, and no answer"));
	TEST_CALL(hostile_round_end());
	return test_log_passed();
}

static void
fix_irq_count(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg __rte_unused)
{
	struct vfio_user_irq_info irq;

	memcpy(&irq, msg->body, sizeof(irq));
	irq.count = (uint32_t)e->arg;
	memcpy(msg->body, &irq, sizeof(irq));
}

/* Vectors: what lcores use, the device has, and one message can carry. */
static int
test_irqs(void)
{
	const uint32_t want = rte_lcore_count() + 1;
	const struct { const char *text; uint32_t has, irqs; } rows[] = {
		{ "\"max_msg_fds\":8", 2048, RTE_MIN(want, 8u) },
		{ "\"max_msg_fds\":8", 1, 1 },
		{ "\"max_msg_fds\":1", 2048, 1 },
		{ "\"max_msg_fds\":2", 2, 2 },
		{ "\"max_msg_fds\":8", want, RTE_MIN(want, 8u) },
	};
	const struct hostile_rule rule = {
		.how = HOSTILE_FIX, .cmd = VFIO_USER_CMD_GET_IRQ_INFO, .fix = fix_irq_count,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		TEST_CALL(hostile_round_begin());
		version_text = rows[i].text;
		hostile_server.arg = rows[i].has;
		hostile_vfu_rule(&hostile_server, &version_rule);
		hostile_vfu_rule(&hostile_server, &rule);
		TEST_CALL(hw_up());
		TEST_EXPECT(hw->nb_vectors, rows[i].has);
		TEST_EXPECT(hw->nb_irqs, rows[i].irqs);
		/* the user can give it more */
		TEST_EXPECT(test_log_has("some lcores will share"), rows[i].has < want);
		TEST_EXPECT(hw->ops->irq_enable(hw, no_irq, NULL), 0);
		TEST_EXPECT(hw->ops->irq_enable(hw, no_irq, NULL), -EBUSY);
		TEST_TRUE(hostile_server.irq_fd >= 0);
		hw->ops->irq_disable(hw);
		TEST_EXPECT(hostile_server.irq_fd, -1);
		TEST_CALL(hw_down());
	}
	return test_log_passed();
}

/*
 * The layer above
 */

/* It goes in the middle of the bring-up. */
static enum hostile_fw
fw_goes(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in __rte_unused,
	uint32_t in_len __rte_unused, uint8_t *out __rte_unused, uint32_t out_len __rte_unused)
{
	if (opcode != BF_OP_INIT_HCA)
		return HOSTILE_FW_HONEST;
	e->regs[0].off = BF_REG_HEALTH_FW_VER;
	e->regs[0].val = UINT32_MAX;
	e->nb_regs = 1;
	return HOSTILE_FW_NO_ANSWER;
}

static void
count_fatal(void *arg, enum bf_fatal fatal __rte_unused, int reason __rte_unused)
{
	__atomic_fetch_add((uint32_t *)arg, 1, __ATOMIC_RELAXED);
}

/* Who waits for the function to come up is told by the result, and has nothing to be told by. */
static int
test_goes_in_bring_up(void)
{
	uint32_t nb_fatal = 0;
	struct bf_func_conf conf;
	struct bf_func *func;
	unsigned int i;

	bf_func_conf_init(&conf);
	conf.health_ms = 1;
	conf.fatal_cb = count_fatal;
	conf.arg = &nb_fatal;
	/* it is the worker that has to find it: it looks every millisecond */
	for (i = 0; i < 8; i++) {
		TEST_CALL(hostile_round_begin());
		hostile_server.fw = fw_goes;
		TEST_CALL(hostile_vfu_start(&hostile_server));
		TEST_EXPECT(bf_hw_vfu_open("goes", hostile_server.path, TIMEOUT_MS, &hw), 0);
		TEST_EXPECT(bf_func_create(hw, &conf, &func), -ENODEV);
		hw = NULL; /* its function has closed it */
		TEST_EXPECT(nb_fatal, 0);
		TEST_CALL(hostile_round_end());
	}
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "functions of hostile vfio-user servers",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, case_teardown, test_revoked),
		TEST_CASE_ST(case_setup, case_teardown, test_denied),
		TEST_CASE_ST(case_setup, case_teardown, test_open_denied),
		TEST_CASE_ST(case_setup, case_teardown, test_gone_page),
		TEST_CASE_ST(case_setup, case_teardown, test_mapped),
		TEST_CASE_ST(case_setup, case_teardown, test_version_fds),
		TEST_CASE_ST(case_setup, case_teardown, test_requests_late),
		TEST_CASE_ST(case_setup, case_teardown, test_irqs),
		TEST_CASE_ST(case_setup, case_teardown, test_goes_in_bring_up),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hostile_hw_autotest, unit_test_suite_runner, &suite);
