/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a report tries with a function that is up, in this order: its port and
 * addresses, an event with its interrupt, one object of each kind, the health counter,
 * a reset. How it is written down is in bluefield_report.c.
 */

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_ceq.h"
#include "bluefield_func_priv.h"
#include "bluefield_fw.h"
#include "bluefield_lock.h"
#include "bluefield_obj.h"
#include "bluefield_report.h"
#include "bluefield_times.h"

/* Completions of commands as events: what the kernel's driver works with. */
#define TRY_EVENT_CMD 0x0a
#define TRY_EQ_SIZE 64u
#define TRY_HEALTH_TICKS 2
#define TRY_ROCE_ADDRS 4u
#define TRY_QUEUE 16u

/*
 * Events
 */

static int
try_cmd(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	int ret;

	bf_lock(&func->ctl);
	ret = bf_func_exec(func, in, in_len, out, out_len);
	bf_unlock(&func->ctl);
	return ret;
}

/* Of a vector of its own, or of vector 0, which others use too. */
static bool
try_irq_wait(struct bf_func *func, uint16_t vector, uint32_t before, int timeout_ms)
{
	uint64_t end = bf_now_ms() + timeout_ms;
	struct pollfd pfd = { .events = POLLIN };
	uint64_t count;

	if (vector != 0) {
		pfd.fd = func->hw->ops->irq_fd(func->hw, vector);
		return poll(&pfd, 1, timeout_ms) == 1 &&
			read(pfd.fd, &count, sizeof(count)) == sizeof(count);
	}
	while (bf_report_irqs(func->hw->report) == before) {
		if (bf_now_ms() >= end)
			return false;
		rte_delay_us_sleep(10);
	}
	return true;
}

static int
try_event_look(struct bf_func *func, struct bf_ceq *eq, uint16_t vector)
{
	struct bf_report *r = func->hw->report;
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 }, out[BF_QUERY_ISSI_OUT_SIZE];
	uint32_t before;
	uint64_t start;
	int ret;

	bf_ceq_arm(eq);
	/* what was there before is not ours: each vector has fired once at the start */
	try_irq_wait(func, vector, bf_report_irqs(r), 0);
	before = bf_report_irqs(r);
	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_ISSI);
	start = bf_now_ns();
	ret = try_cmd(func, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	if (!try_irq_wait(func, vector, before, BF_TRY_IRQ_MS)) {
		bf_report_say(r, "interrupt: none on vector %u in %u ms", vector,
			BF_TRY_IRQ_MS);
		BF_LOG(ERR, "%s: no interrupt on MSI-X vector %u for an event of a command in %u ms: look for messages of the IOMMU about interrupt remapping in the kernel's log (dmesg)",
			BF_NAME(func), vector, BF_TRY_IRQ_MS);
		ret = -ETIMEDOUT;
	} else {
		bf_report_say(r, "interrupt: vector %u, %.3f ms after the command was sent",
			vector, (double)(bf_now_ns() - start) / 1000000);
	}
	if (bf_ceq_pending(eq))
		bf_report_say(r, "event: type 0x%x", eq->ring->type);
	else
		bf_report_say(r, "event: none");
	return ret;
}

static int
try_event(struct bf_func *func, struct bf_obj_dev *dev)
{
	struct bf_uar uar = { 0 };
	struct bf_ceq eq = { 0 };
	const struct bf_ceq_attr attr = {
		.uar = &uar, .nb_eqes = TRY_EQ_SIZE, .vector = func->hw->nb_irqs > 1,
		.events = RTE_BIT64(TRY_EVENT_CMD),
	};
	int ret;

	bf_report_step(func->hw->report, "try an event of a command");
	ret = bf_uar_create(dev, &uar);
	if (ret == 0)
		ret = bf_ceq_create(dev, &attr, &eq);
	if (ret == 0)
		ret = try_event_look(func, &eq, attr.vector);
	bf_ceq_destroy(&eq);
	bf_uar_destroy(&uar);
	return ret != 0 ? ret : bf_func_status(func, NULL);
}

/*
 * Objects
 */

struct try_set {
	struct bf_pd pd;
	struct bf_uar uar;
	struct bf_cq cq;
	struct bf_srq srq;
	struct bf_mkey mkey;
	struct bf_qp qp;
	struct bf_obj_mem *mem;
};

static int
try_set_create(struct bf_report *r, struct bf_obj_dev *dev, struct try_set *s)
{
	struct bf_cq_attr cq = { .nb_cqes = TRY_QUEUE, .uar = &s->uar };
	struct bf_srq_attr srq = { .pd = &s->pd, .nb_wqes = TRY_QUEUE, .wqe_size = 32 };
	struct bf_mkey_attr mkey = {
		.pd = &s->pd, .mem = s->mem, .addr = s->mem->addr, .len = s->mem->len,
		.local_write = true,
	};
	struct bf_qp_attr qp = {
		.pd = &s->pd, .uar = &s->uar, .cq_send = &s->cq, .cq_recv = &s->cq,
		.nb_sq_blocks = TRY_QUEUE, .srq = &s->srq, .user_index = UINT32_MAX,
	};
	int ret;

	bf_report_step(r, "try a protection domain");
	ret = bf_pd_create(dev, &s->pd);
	if (ret == 0) {
		bf_report_step(r, "try a doorbell page");
		ret = bf_uar_create(dev, &s->uar);
	}
	if (ret == 0) {
		bf_report_step(r, "try a completion queue");
		ret = bf_cq_create(dev, &cq, &s->cq);
	}
	if (ret == 0) {
		bf_report_step(r, "try a shared receive queue");
		ret = bf_srq_create(dev, &srq, &s->srq);
	}
	if (ret == 0) {
		bf_report_step(r, "try a memory key");
		ret = bf_mkey_create(dev, &mkey, &s->mkey);
	}
	if (ret == 0) {
		bf_report_step(r, "try a queue pair");
		ret = bf_qp_create(dev, &qp, &s->qp);
	}
	if (ret == 0)
		ret = bf_qp_to_init(&s->qp);
	return ret;
}

static int
try_objects(struct bf_func *func, struct bf_obj_dev *dev)
{
	struct bf_report *r = func->hw->report;
	struct try_set s;
	int ret, err;

	memset(&s, 0, sizeof(s));
	ret = bf_mem_alloc(dev, BF_PAGE_SIZE, &s.mem);
	if (ret != 0)
		return ret;
	ret = try_set_create(r, dev, &s);
	if (ret == 0)
		bf_report_step(r, "try to destroy all of them");
	bf_qp_destroy(&s.qp);
	err = bf_mkey_destroy(&s.mkey);
	bf_srq_destroy(&s.srq);
	bf_cq_destroy(&s.cq);
	bf_uar_destroy(&s.uar);
	bf_pd_destroy(&s.pd);
	bf_mem_free(s.mem);
	return ret != 0 ? ret : err != 0 ? err : bf_func_status(func, NULL);
}

/*
 * The rest
 */

/* What bring-up has no use for, and a reader of the report has. */
static int
try_capabilities(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 }, out[BF_CAP_CMD_SIZE];

	bf_report_step(func->hw->report, "try the maximum of capabilities");
	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_HCA_CAP);
	bf_set(in, BF_IN_OP_MOD, BF_CAP_OP_MOD(BF_CAP_TYPE_ROCE, BF_CAP_MAX));
	return bf_func_caps(func)->roce ? try_cmd(func, in, sizeof(in), out, sizeof(out)) : 0;
}

static int
try_addresses(struct bf_func *func, struct bf_obj_dev *dev)
{
	uint32_t nb = RTE_MIN(bf_func_caps(func)->roce_addr_table_size, TRY_ROCE_ADDRS);
	struct bf_report *r = func->hw->report;
	struct bf_roce_addr addr;
	struct bf_vport vport;
	uint32_t i;
	int ret;

	bf_report_step(r, "try the vport");
	ret = bf_vport_query(dev, &vport);
	if (ret != 0)
		return ret;
	bf_report_step(r, "try RoCE addresses");
	bf_report_say(r, "RoCE address table: %u entries",
		bf_func_caps(func)->roce_addr_table_size);
	for (i = 0; i < nb && ret == 0; i++)
		ret = bf_roce_addr_query(dev, i, &addr);
	return ret;
}

/* A counter that stands is worth knowing, and no failure: drivers only report it. */
static int
try_health(struct bf_func *func)
{
	uint64_t start = bf_now_ms(), moved = 0, now = start;
	struct bf_report *r = func->hw->report;
	struct bf_hw *hw = func->hw;
	uint32_t last, val, ticks = 0;

	bf_report_step(r, "try the health counter");
	last = BF_HEALTH_COUNTER(hw->ops->read32(hw, BF_REG_HEALTH_COUNTER));
	while (ticks <= TRY_HEALTH_TICKS && now - start < BF_TRY_HEALTH_MS) {
		rte_delay_us_sleep(1000);
		now = bf_now_ms();
		val = BF_HEALTH_COUNTER(hw->ops->read32(hw, BF_REG_HEALTH_COUNTER));
		if (val == last)
			continue;
		/* the first one came at any time */
		if (ticks++ > 0)
			bf_report_say(r, "health tick: by %u after %u ms",
				BF_HEALTH_COUNTER(val - last), (uint32_t)(now - moved));
		last = val;
		moved = now;
	}
	bf_report_say(r, "health ticks: %u in %u ms", ticks, (uint32_t)(now - start));
	return bf_func_status(func, NULL);
}

/* All that needs objects; none is left. */
static int
try_with_objects(struct bf_func *func)
{
	struct bf_obj_dev *dev;
	int ret;

	ret = bf_fw_open(func, &dev);
	if (ret != 0)
		return ret;
	ret = try_addresses(func, dev);
	if (ret == 0)
		ret = try_event(func, dev);
	if (ret == 0)
		ret = try_objects(func, dev);
	bf_fw_close(dev);
	return ret;
}

int
bf_report_try(struct bf_func *func)
{
	struct bf_report *r = func->hw->report;
	uint64_t start;
	int ret;

	ret = try_capabilities(func);
	if (ret == 0)
		ret = try_with_objects(func);
	if (ret == 0)
		ret = try_health(func);
	if (ret == 0) {
		start = bf_now_ns();
		ret = bf_func_reset(func);
		bf_report_step(r, "up again");
		bf_report_say(r, "reset and bring-up: %.3f ms",
			(double)(bf_now_ns() - start) / 1000000);
	}
	if (ret != 0)
		BF_LOG(ERR, "%s: the report ends here: %s; the messages above and the end of the file say why",
			BF_NAME(func), strerror(-ret));
	return ret;
}
