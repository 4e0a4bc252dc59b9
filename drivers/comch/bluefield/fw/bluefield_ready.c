/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Whether firmware is there and works, before a command is sent: it initialises, or
 * is being reset, or has failed. Who may reset it does; who may not waits. Registers
 * and configuration space only; what is said by commands is in bluefield_boot.c.
 *
 * All functions of a card share the health buffer, and a reset of a function does
 * not clear it: so firmware that has failed is not healed by one. The Linux driver
 * does so too, in health.c of mlx5.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_func_priv.h"
#include "bluefield_vsc.h"

/* The bits of the command queue's address that are the interface's state. */
#define FW_STATE_MASK 0x00000700u
#define FW_STATE(v) ((uint32_t)(v) << 8)

static void
fw_not_ready_log(struct bf_func *func, uint32_t val, uint32_t ms)
{
	if ((val & BF_FW_EMBEDDED_CPU) != 0)
		BF_LOG(ERR, "%s: firmware still initialises after %u ms (0x%08x); look at the "
			"card's firmware log, reset the card if it does not end", BF_NAME(func), ms,
			val);
	else
		BF_LOG(ERR, "%s: the function is not enabled after %u ms (0x%08x): the owner of its "
			"PF, and in DPU mode the card's side, has not enabled it; start the card, "
			"and let its kernel's driver (mlx5_core) have the card's own function, "
			"or without DPU mode that of the host the PF, then probe or reset again",
			BF_NAME(func), ms, val);
}

static void
fw_gone_log(struct bf_func *func)
{
	BF_LOG(ERR, "%s: registers read all ones: the device is gone; check slot, link and power, "
		"rescan the PCI bus, then probe again", BF_NAME(func));
}

/*
 * The syndrome of firmware that has failed and wants to be reset, or 0. A function
 * that is gone has a syndrome, too: its other registers tell.
 */
static uint8_t
fw_failed(struct bf_hw *hw)
{
	uint32_t rfr = hw->ops->read32(hw, BF_REG_HEALTH_RFR);
	uint32_t synd = hw->ops->read32(hw, BF_REG_HEALTH_SYND);

	return BF_HEALTH_RFR(rfr) != 0 ? BF_HEALTH_SYND(synd) : 0;
}

/*
 * 0; -ENODEV; -ETIMEDOUT of the card's function; -EAGAIN of a host function. 0 too
 * if it is asked for and firmware has failed: then it does not initialise.
 */
static int
fw_wait(struct bf_func *func, uint32_t timeout_ms, bool or_failed)
{
	struct bf_hw *hw = func->hw;
	uint64_t start = bf_now_ms(), now = start, warn = start + BF_FW_PROGRESS_MS;
	uint64_t seen = start;
	bool late = false;
	uint32_t val;

	for (;;) {
		val = hw->ops->read32(hw, BF_REG_INITIALIZING);
		if (val != BF_ALL_ONES) {
			if ((val & BF_FW_INITIALIZING) == 0 || (or_failed && fw_failed(hw) != 0))
				return 0;
			seen = now;
		} else if (now - seen >= BF_FW_GONE_MS) {
			fw_gone_log(func);
			return -ENODEV;
		}
		if (late) {
			fw_not_ready_log(func, val, timeout_ms);
			return (val & BF_FW_EMBEDDED_CPU) != 0 ? -ETIMEDOUT : -EAGAIN;
		}
		if (now >= warn) {
			BF_LOG(NOTICE, "%s: waiting for firmware, %" PRIu64 " s of at most %u "
				"(0x%08x)", BF_NAME(func), (now - start) / 1000, timeout_ms / 1000,
				val);
			warn = now + BF_FW_PROGRESS_MS;
		}
		rte_delay_us_sleep(BF_FW_POLL_US);
		now = bf_now_ms();
		late = now - start >= timeout_ms && val != BF_ALL_ONES;
	}
}

int
bf_ready_fw(struct bf_func *func, uint32_t timeout_ms)
{
	return fw_wait(func, timeout_ms, false);
}

/*
 * Until no software reset is under way, nor, if it is asked for, a failure there. 0,
 * -ETIMEDOUT, -ENODEV.
 */
static int
fw_wait_reset(struct bf_func *func, uint32_t timeout_ms, bool healed)
{
	uint64_t now = bf_now_ms(), seen = now, end = now + timeout_ms;
	struct bf_hw *hw = func->hw;
	bool late = false, failed;
	uint32_t val;

	for (;;) {
		/* first: a reset that clears the failure between the two shows as a state */
		failed = healed && fw_failed(hw) != 0;
		val = hw->ops->read32(hw, BF_REG_CMDQ_ADDR_L);
		/* all ones have the state of a software reset, too */
		if (val != BF_ALL_ONES) {
			if (BF_NIC_STATE(val) != BF_NIC_SW_RESET && !failed)
				return 0;
			if (late)
				return -ETIMEDOUT;
			seen = now;
		} else if (now - seen >= BF_FW_GONE_MS) {
			fw_gone_log(func);
			return -ENODEV;
		}
		rte_delay_us_sleep(BF_FW_POLL_US);
		now = bf_now_ms();
		late = now >= end;
	}
}

/*
 * Firmware that has failed
 */

/* Unless another function has been faster: the semaphore may have lasted. */
static void
fw_ask_reset(struct bf_func *func)
{
	struct bf_hw *hw = func->hw;
	uint32_t val = hw->ops->read32(hw, BF_REG_CMDQ_ADDR_L);
	uint8_t synd = fw_failed(hw);

	if (synd == 0 || BF_NIC_STATE(val) == BF_NIC_SW_RESET)
		return;
	BF_LOG(NOTICE, "%s: firmware failed (syndrome 0x%x): resetting the card's firmware; its "
		"other functions lose what they have", BF_NAME(func), synd);
	hw->ops->write32(hw, BF_REG_CMDQ_ADDR_L,
		(val & ~FW_STATE_MASK) | FW_STATE(BF_NIC_SW_RESET));
}

static int
fw_reset(struct bf_func *func)
{
	uint32_t ms = RTE_MIN(BF_FW_RESET_MS, func->conf.fw_timeout_ms);
	struct bf_hw *hw = func->hw;
	int lock, ret;

	if ((hw->ops->read32(hw, BF_REG_INITIALIZING) & BF_FW_CAN_RESET) == 0) {
		BF_LOG(ERR, "%s: firmware failed (syndrome 0x%x), and does not let itself be reset; "
			"reset the card: mlxfwreset (or mstfwreset) -d %s reset, or a power cycle",
			BF_NAME(func), fw_failed(hw), BF_NAME(func));
		return -EIO;
	}
	lock = bf_vsc_reset_lock(hw);
	if (lock == -ENODEV) {
		fw_gone_log(func);
		return lock;
	}
	if (lock == -EBUSY)
		BF_LOG(NOTICE, "%s: firmware failed, and another function of the card resets it: "
			"waiting up to %u ms", BF_NAME(func), ms);
	else if (lock != 0)
		BF_LOG(NOTICE, "%s: no semaphore of firmware resets (%d): resetting without",
			BF_NAME(func), lock);
	if (lock != -EBUSY)
		fw_ask_reset(func);
	ret = fw_wait_reset(func, ms, true);
	if (lock == 0)
		bf_vsc_reset_unlock(hw);
	if (ret == -ETIMEDOUT) {
		BF_LOG(ERR, "%s: firmware failed (syndrome 0x%x), and its reset by %s does not end "
			"in %u ms; reset the card: mlxfwreset (or mstfwreset) -d %s reset, or a "
			"power cycle", BF_NAME(func), fw_failed(hw),
			lock == -EBUSY ? "another function" : "us", ms, BF_NAME(func));
		return lock == -EBUSY ? -EAGAIN : -EIO;
	}
	return ret;
}

/* A virtual function may not reset firmware. */
static int
fw_wait_owner(struct bf_func *func)
{
	uint32_t ms = func->conf.fw_timeout_ms;
	uint8_t synd = fw_failed(func->hw);
	int ret;

	BF_LOG(NOTICE, "%s: firmware failed (syndrome 0x%x): waiting up to %u ms for the owner of "
		"the physical function to reset it", BF_NAME(func), synd, ms);
	ret = fw_wait_reset(func, ms, true);
	if (ret != -ETIMEDOUT)
		return ret;
	BF_LOG(ERR, "%s: firmware failed (syndrome 0x%x), and nobody has reset it in %u ms; a "
		"virtual function may not: reset it from the physical function (devlink health "
		"recover pci/<PF> reporter fw_fatal, or else mlxfwreset or mstfwreset -d <PF> "
		"reset), then reset this function or probe it again", BF_NAME(func), synd, ms);
	return -EAGAIN;
}

/* A software reset that does not end may be of this function alone: one more try. */
static int
fw_reset_function(struct bf_func *func)
{
	struct bf_hw *hw = func->hw;
	int ret;

	BF_LOG(NOTICE, "%s: software reset that does not end: resetting the function first",
		BF_NAME(func));
	ret = hw->ops->reset(hw);
	if (ret != 0)
		BF_LOG(ERR, "%s: cannot reset the function (%d); reset the card", BF_NAME(func),
			ret);
	return ret;
}

/* An interface that is disabled is no failure: ENABLE_HCA switches it on. */
int
bf_ready(struct bf_func *func)
{
	uint32_t ms = func->conf.fw_timeout_ms;
	int ret;

	ret = fw_wait(func, ms, true);
	if (ret != 0)
		return ret;
	if (fw_failed(func->hw) == 0) {
		ret = fw_wait_reset(func, RTE_MIN(BF_FW_SW_RESET_MS, ms), false);
		if (ret == -ETIMEDOUT)
			ret = fw_reset_function(func);
	} else {
		ret = bf_func_is_vf(func) ? fw_wait_owner(func) : fw_reset(func);
	}
	if (ret != 0)
		return ret;
	return fw_wait(func, ms, false);
}
