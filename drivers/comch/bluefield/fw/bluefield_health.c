/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Whether the function still lives: the look at its registers, and what the worker
 * polls. How it is marked as failed is in bluefield_func_cmd.c.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_common.h>
#include <rte_random.h>

#include "bluefield_func_priv.h"

/* Polls without progress of the counter before firmware is probed with a command. */
#define HEALTH_MAX_MISSES 3

static const char *
synd_text(uint8_t synd)
{
	switch (synd) {
	case 0x1: return "firmware assertion";
	case 0x7: return "firmware core not responding";
	case 0x8: return "unrecoverable hardware error";
	case 0x9: return "firmware checksum error";
	case 0xa: return "PCI error while fetching from the host";
	case 0xb: return "hardware fatal error";
	case 0xc: return "asynchronous event queue overrun";
	case 0xd: return "event queue error";
	case 0xe: return "event queue invalid, or its memory not accessible";
	case 0xf: return "PCI interface error";
	case 0x10: return "temperature too high";
	default: return "unknown syndrome";
	}
}

/* What firmware left behind for those who can read it. */
static void
health_log(struct bf_func *func, uint32_t rfr, uint32_t synd)
{
	struct bf_hw *hw = func->hw;
	uint32_t var[BF_NB_ASSERT_VARS], i;

	for (i = 0; i < BF_NB_ASSERT_VARS; i++)
		var[i] = hw->ops->read32(hw, BF_REG_HEALTH + 4 * i);
	BF_LOG(ERR, "%s: firmware health: %s (syndrome 0x%x, extended 0x%x), severity %u, core %u, "
		"assert at 0x%08x called from 0x%08x, time %u, firmware 0x%08x, hardware 0x%08x, "
		"variables %08x %08x %08x %08x %08x %08x", hw->name,
		synd_text(BF_HEALTH_SYND(synd)), BF_HEALTH_SYND(synd), BF_HEALTH_EXT_SYND(synd),
		BF_HEALTH_SEVERITY(rfr), synd >> 24, hw->ops->read32(hw, BF_REG_HEALTH_EXIT),
		hw->ops->read32(hw, BF_REG_HEALTH_CALLRA), hw->ops->read32(hw, BF_REG_HEALTH_TIME),
		hw->ops->read32(hw, BF_REG_HEALTH_FW_VER), hw->ops->read32(hw, BF_REG_HEALTH_HW_ID),
		var[0], var[1], var[2], var[3], var[4], var[5]);
}

static bool
health_is_gone(struct bf_func *func)
{
	struct bf_hw *hw = func->hw;

	if (hw->ops->read32(hw, BF_REG_HEALTH_FW_VER) != BF_ALL_ONES)
		return false;
	BF_LOG(ERR, "%s: registers read all ones", hw->name);
	bf_fatal_set(func, BF_FATAL_GONE, -ENODEV);
	return true;
}

int
bf_health_check(struct bf_func *func)
{
	struct bf_hw *hw = func->hw;
	uint32_t state, rfr, synd;
	bool failed, disabled;
	int ret;

	/* nothing changes any more before a reset */
	ret = bf_func_status(func, NULL);
	if (ret != 0)
		return ret;
	if (health_is_gone(func))
		return bf_func_status(func, NULL);
	if (!__atomic_load_n(&func->health.on, __ATOMIC_RELAXED))
		return 0;
	state = BF_NIC_STATE(hw->ops->read32(hw, BF_REG_CMDQ_ADDR_L));
	rfr = hw->ops->read32(hw, BF_REG_HEALTH_RFR);
	synd = hw->ops->read32(hw, BF_REG_HEALTH_SYND);
	failed = BF_HEALTH_RFR(rfr) != 0 && BF_HEALTH_SYND(synd) != 0;
	disabled = state == BF_NIC_DISABLED || state == BF_NIC_SW_RESET;
	/* it may have gone between two reads: then any of these are ones */
	if ((failed || disabled) && health_is_gone(func))
		return bf_func_status(func, NULL);
	if (disabled) {
		BF_LOG(ERR, "%s: interface state %u: %s", hw->name, state,
			state == BF_NIC_DISABLED ? "disabled" : "software reset");
		bf_fatal_set(func, BF_FATAL_NIC_STATE, -EIO);
		return bf_func_status(func, NULL);
	}
	if (failed) {
		health_log(func, rfr, synd);
		bf_fatal_set(func, BF_FATAL_FIRMWARE, -EIO);
		return bf_func_status(func, NULL);
	}
	return 0;
}

/*
 * A command that changes nothing. Whatever firmware says, it lives; if it says
 * nothing, the time limit of the command makes the function fail. In bring-up the
 * commands of that are as good.
 */
static void
health_probe(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_QUERY_ISSI_OUT_SIZE];
	struct bf_cmd cmd = {
		.in = in, .in_len = sizeof(in), .out = out, .out_len = sizeof(out), .quiet = true,
	};

	if (!__atomic_load_n(&func->up, __ATOMIC_SEQ_CST))
		return;
	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_ISSI);
	bf_func_cmd(func, BF_CMD_NORMAL, &cmd);
}

/*
 * A counter that stands is no proof: firmware is busy with something else, as far as
 * anybody can tell. It is said once for each time that it stands.
 */
static void
health_counter(struct bf_func *func)
{
	struct bf_health *health = &func->health;
	struct bf_hw *hw = func->hw;
	uint64_t now = bf_now_ms(), ms = now - health->moved_ms;
	uint32_t counter;

	counter = BF_HEALTH_COUNTER(hw->ops->read32(hw, BF_REG_HEALTH_COUNTER));
	if (counter != health->counter) {
		if (health->stands)
			BF_LOG(NOTICE, "%s: health counter moves again, after %" PRIu64 " ms",
				hw->name, ms);
		health->counter = counter;
		health->stands = false;
		health->misses = 0;
		health->probe_ms = 0;
		health->moved_ms = now;
		return;
	}
	health->misses++;
	if (health->misses < HEALTH_MAX_MISSES || ms < BF_HEALTH_STALL_MS)
		return;
	if (!health->stands)
		BF_LOG(WARNING, "%s: health counter stands at 0x%x for %" PRIu64 " ms: firmware is "
			"busy or hangs; asking it with a command, which has %u ms", hw->name,
			counter, ms, func->conf.cmd_timeout_ms);
	health->stands = true;
	if (ms < health->probe_ms)
		return;
	health->probe_ms = ms + RTE_MIN(ms, (uint64_t)BF_HEALTH_PROBE_MS);
	health_probe(func);
}

/*
 * The period, and up to half of it more, so that the functions of a card are not polled all
 * at once.
 */
uint64_t
bf_health_next(struct bf_func *func)
{
	uint32_t period = func->conf.health_ms;

	func->health.poll_ms = bf_now_ms() + period + rte_rand_max(period / 2 + 1);
	return func->health.poll_ms;
}

void
bf_health_poll(struct bf_func *func)
{
	__atomic_fetch_add(&func->health.polls, 1, __ATOMIC_RELAXED);
	if (bf_health_check(func) == 0)
		health_counter(func);
}

void
bf_health_start(struct bf_func *func)
{
	struct bf_health *health = &func->health;
	struct bf_hw *hw = func->hw;

	health->counter = BF_HEALTH_COUNTER(hw->ops->read32(hw, BF_REG_HEALTH_COUNTER));
	health->stands = false;
	health->misses = 0;
	health->probe_ms = 0;
	health->moved_ms = bf_now_ms();
	__atomic_store_n(&health->next_ms, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&health->on, true, __ATOMIC_RELAXED);
	bf_thread_start(&func->worker, bf_health_next(func));
}

void
bf_health_stop(struct bf_func *func)
{
	__atomic_store_n(&func->health.on, false, __ATOMIC_RELAXED);
	bf_thread_stop(&func->worker);
}
