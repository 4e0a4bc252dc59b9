/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What all files of layer fw use: commands of a function, and the mark that it has
 * failed, which is set once and told once.
 */

#include <errno.h>

#include "bluefield_func_priv.h"

const char *
bf_fatal_text(enum bf_fatal fatal)
{
	switch (fatal) {
	case BF_FATAL_NONE: return "none";
	case BF_FATAL_GONE: return "device gone";
	case BF_FATAL_FIRMWARE: return "firmware failed";
	case BF_FATAL_NIC_STATE: return "interface disabled";
	case BF_FATAL_TIMEOUT: return "command without answer";
	case BF_FATAL_PAGES: return "page accounting broken";
	case BF_FATAL_EQ: return "event queue broken";
	case BF_FATAL_COMMAND: return "command interface broken";
	}
	return "unknown";
}

static const char *
fatal_remedy(enum bf_fatal fatal)
{
	switch (fatal) {
	case BF_FATAL_GONE:
		return "remove the device; check slot, link and power, rescan the PCI bus";
	case BF_FATAL_NIC_STATE:
		return "somebody resets the card or has switched the function off, or the owner "
			"of its PF (in DPU mode the card's kernel) has ended; wait for the end of "
			"that, then reset the function";
	case BF_FATAL_FIRMWARE:
		return "reset the function; if it fails again, reset the card and look at its "
			"firmware's log";
	default:
		return "reset the function";
	}
}

void
bf_func_wake(void *arg)
{
	struct bf_func *func = arg;

	bf_thread_wake(&func->worker);
}

void
bf_fatal_set(struct bf_func *func, enum bf_fatal fatal, int reason)
{
	int none = BF_FATAL_NONE;

	if (!__atomic_compare_exchange_n(&func->fatal, &none, fatal, false, __ATOMIC_ACQ_REL,
			__ATOMIC_ACQUIRE))
		return;
	/* readers of fatal without a reason yet say -EIO */
	__atomic_store_n(&func->reason, reason, __ATOMIC_RELEASE);
	bf_cmdq_kill(func->cmdq, reason);
	BF_LOG(ERR, "%s: the function has failed: %s; %s", BF_NAME(func), bf_fatal_text(fatal),
		fatal_remedy(fatal));
	__atomic_store_n(&func->untold, true, __ATOMIC_SEQ_CST);
	/* whoever found out may hold locks: the worker tells */
	bf_func_wake(func);
}

/* Who takes the mark tells: an error of a bring-up is told by its return value. */
void
bf_fatal_deliver(struct bf_func *func)
{
	if (!__atomic_load_n(&func->untold, __ATOMIC_SEQ_CST) ||
	    !__atomic_load_n(&func->up, __ATOMIC_SEQ_CST))
		return;
	if (!__atomic_exchange_n(&func->untold, false, __ATOMIC_SEQ_CST))
		return;
	if (func->conf.fatal_cb != NULL)
		func->conf.fatal_cb(func->conf.arg, __atomic_load_n(&func->fatal, __ATOMIC_ACQUIRE),
			__atomic_load_n(&func->reason, __ATOMIC_ACQUIRE));
}

int
bf_func_status(const struct bf_func *func, enum bf_fatal *fatal)
{
	int val = __atomic_load_n(&func->fatal, __ATOMIC_ACQUIRE);
	int reason;

	if (fatal != NULL)
		*fatal = val;
	if (val == BF_FATAL_NONE)
		return 0;
	reason = __atomic_load_n(&func->reason, __ATOMIC_ACQUIRE);
	return reason != 0 ? reason : -EIO;
}

bool
bf_func_is_vf(const struct bf_func *func)
{
	return func->hw->device_id == BF_PCI_ID_VF;
}

/*
 * The pages of a VF come from the kernel with its PF, and in DPU mode those of all
 * functions of the host from the card's: a command that firmware cannot end for want
 * of them says nothing of that. What a card does then is not documented: no answer,
 * or a status of limits or resources.
 */
static void
pages_log_shortage(struct bf_func *func, const struct bf_cmd *cmd, int ret)
{
	bool starved = ret == -ETIMEDOUT || cmd->status == BF_STATUS_LIMIT ||
		cmd->status == BF_STATUS_NO_RES;

	if (!starved || cmd->quiet || !(bf_func_is_vf(func) || func->pages_asked_none))
		return;
	BF_LOG(ERR, "%s: firmware takes pages for this function from the owner of its PF, and in DPU mode from the card's kernel: it may be stuck or short of memory; look at kernel log (dmesg) and free memory there, reload its mlx5_core or restart it, then reset this device or probe it again",
		BF_NAME(func));
}

int
bf_func_cmd(struct bf_func *func, enum bf_cmd_slot slot, struct bf_cmd *cmd)
{
	int ret = bf_cmdq_exec(func->cmdq, slot, cmd);

	if (ret != 0)
		pages_log_shortage(func, cmd, ret);
	if (ret == -ETIMEDOUT)
		bf_fatal_set(func, BF_FATAL_TIMEOUT, ret);
	else if (ret != 0 && cmd->delivery != BF_DELIVERY_OK)
		bf_fatal_set(func, BF_FATAL_COMMAND, -EIO);
	return ret;
}

int
bf_func_exec(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	struct bf_cmd cmd = {
		.in = in, .in_len = in_len, .out = out, .out_len = out_len,
	};

	return bf_func_cmd(func, BF_CMD_NORMAL, &cmd);
}

int
bf_func_usable(const struct bf_func *func)
{
	int ret = bf_func_status(func, NULL);

	if (ret == 0 && func->stage != BF_STAGE_IRQ)
		ret = -EIO;
	return ret;
}

void
bf_func_defer_free(struct bf_func *func, struct bf_mem *mem)
{
	LIST_INSERT_HEAD(&func->deferred_free, mem, next);
}

const struct bf_func_caps *
bf_func_caps(const struct bf_func *func)
{
	return &func->caps;
}

struct bf_hw *
bf_func_hw(struct bf_func *func)
{
	return func->hw;
}
