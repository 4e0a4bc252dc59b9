/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The life of a function: create, destroy, reset, what holds when one of these fails
 * half-way, and what its worker does. The commands of bring-up are in bluefield_boot.c,
 * the wait for firmware and its reset in bluefield_ready.c, the mark of a failure in
 * bluefield_func_cmd.c; pages, events and health have files of their own.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_func_priv.h"

#define FUNC_DFLT_MAX_PAGES 262144

void
bf_func_conf_init(struct bf_func_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	conf->cmd_timeout_ms = BF_CMD_TIMEOUT_MS;
	conf->fw_timeout_ms = BF_FW_TIMEOUT_MS;
	conf->health_ms = BF_HEALTH_MS;
	conf->max_pages = FUNC_DFLT_MAX_PAGES;
}

/* Called between polls of a command: see bf_cmd_watch_t. */
static int
func_watch(void *arg, enum bf_cmd_slot slot)
{
	struct bf_func *func = arg;
	uint64_t now = bf_now_ms();

	/* firmware may need pages before it ends a command, but not those of pages */
	if (slot == BF_CMD_NORMAL)
		bf_eq_poll(func);
	if (now < __atomic_load_n(&func->health.next_ms, __ATOMIC_RELAXED))
		return 0;
	__atomic_store_n(&func->health.next_ms, now + BF_WATCH_MS, __ATOMIC_RELAXED);
	return bf_health_check(func);
}

/*
 * The thread of a function. What the driver does unasked, it does here: events, with the
 * commands that firmware wants for them, the poll of health, and telling of a failure.
 * EAL's interrupt thread serves all drivers of the process, and firmware may take a minute
 * for a command: so that thread only wakes this one.
 */
static uint64_t
func_pass(void *arg, bool poll)
{
	struct bf_func *func = arg;
	uint64_t next = poll ? bf_health_next(func) : func->health.poll_ms;

	if (poll)
		bf_health_poll(func);
	/* also with a poll: an interrupt that got lost costs a period, not more */
	if (bf_func_status(func, NULL) == 0)
		bf_eq_poll(func);
	if (func->conf.wake_cb != NULL)
		func->conf.wake_cb(func->conf.arg);
	bf_fatal_deliver(func);
	return next;
}

/*
 * Teardown
 */

static bool
func_has_objs(const struct bf_func *func)
{
	uint32_t i, nb = 0;

	for (i = 0; i < BF_NB_OBJ_KINDS; i++)
		nb += func->nb_objs[i];
	return nb != 0;
}

/* The device has let go of all memory but that of objects, which have owners. */
static void
func_invalidate(struct bf_func *func)
{
	struct bf_mem *mem;

	bf_eq_invalidate(func);
	bf_pages_invalidate(func);
	while ((mem = LIST_FIRST(&func->deferred_free)) != NULL) {
		LIST_REMOVE(mem, next);
		func->hw->ops->dma_free(func->hw, &mem->dma);
		free(mem);
	}
}

/* Whoever closes the function now resets it once more. */
static void
func_settle(struct bf_func *func)
{
	uint64_t end = bf_now_ms() + RTE_MIN(BF_FW_SETTLE_MS, func->conf.fw_timeout_ms);
	struct bf_hw *hw = func->hw;

	while ((hw->ops->read32(hw, BF_REG_INITIALIZING) & BF_FW_INITIALIZING) != 0 &&
			bf_now_ms() < end)
		rte_delay_us_sleep(BF_FW_SETTLE_POLL_US);
}

/*
 * Down from any stage, ctl held. Firmware is asked, unless it has failed or will
 * have to be stopped anyway; if it does not do all of it, or if force is set, the
 * function is reset. 0: no memory is with the device any more.
 */
static int
func_tear_down(struct bf_func *func, bool force)
{
	enum bf_stage stage = func->stage;
	uint32_t i;
	int ret;

	__atomic_store_n(&func->up, false, __ATOMIC_SEQ_CST);
	func->stage = BF_STAGE_NONE;
	if (stage >= BF_STAGE_IRQ)
		func->hw->ops->irq_disable(func->hw);
	if (!force && (func_has_objs(func) || !LIST_EMPTY(&func->deferred_free))) {
		BF_LOG(NOTICE, "%s: objects are left: the function is reset", BF_NAME(func));
		force = true;
	}
	/* the worker may wait for a command: it need not, if a reset follows anyway */
	if (force)
		bf_cmdq_kill(func->cmdq, -EIO);
	bf_eq_stop(func);
	ret = bf_func_status(func, NULL);
	if (ret == 0 && !force) {
		ret = bf_boot_undo(func, stage);
		if (ret != 0)
			BF_LOG(WARNING, "%s: firmware does not undo everything (%d): the function "
				"is reset", BF_NAME(func), ret);
	}
	bf_health_stop(func);
	if (ret != 0 || force) {
		bf_cmdq_kill(func->cmdq, -EIO);
		ret = func->hw->ops->reset(func->hw);
		if (ret != 0) {
			if (ret != -ENODEV)
				BF_LOG(ERR, "%s: cannot reset the function (%d); reset the card, "
					"or boot anew", BF_NAME(func), ret);
			else
				BF_LOG(ERR, "%s: the device is gone and cannot be reset; remove it",
					BF_NAME(func));
			return ret;
		}
		func_settle(func);
		func->gen++;
		for (i = 0; i < BF_NB_OBJ_KINDS; i++)
			__atomic_store_n(&func->nb_objs[i], 0, __ATOMIC_RELAXED);
	}
	func_invalidate(func);
	return 0;
}

static void
func_free(struct bf_func *func, bool abandon)
{
	struct bf_mem *mem;

	bf_thread_destroy(&func->worker);
	if (abandon)
		bf_cmdq_abandon(func->cmdq);
	else
		bf_cmdq_free(func->cmdq);
	/* only if abandoned: the memory goes with hw */
	while ((mem = LIST_FIRST(&func->deferred_free)) != NULL) {
		LIST_REMOVE(mem, next);
		free(mem);
	}
	bf_pages_abandon(func);
	func->hw->ops->close(func->hw);
	bf_pages_fini(func);
	bf_eq_fini(func);
	bf_lock_fini(&func->ctl);
	free(func);
}

/* What had failed before a reset is over. */
static void
func_revive(struct bf_func *func)
{
	__atomic_store_n(&func->reason, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&func->untold, false, __ATOMIC_RELAXED);
	__atomic_store_n(&func->fatal, BF_FATAL_NONE, __ATOMIC_RELEASE);
}

/*
 * Up, ctl held. Firmware whose process was killed may refuse its first commands, and take
 * them after one more reset.
 */
static int
func_boot(struct bf_func *func)
{
	int ret, err;

	ret = bf_boot_up(func);
	if ((ret != -EIO && ret != -ETIMEDOUT) || func->stage == BF_STAGE_NONE ||
			func->stage > BF_STAGE_ENABLED)
		return ret;
	BF_LOG(NOTICE, "%s: firmware does not do its first commands (%d): the function is reset, and they are tried once more",
		BF_NAME(func), ret);
	err = func_tear_down(func, true);
	if (err != 0)
		return err;
	func_revive(func);
	return bf_boot_up(func);
}

/* From here on a fatal error is told by callback; one from before by our return. */
static int
func_go_up(struct bf_func *func)
{
	__atomic_store_n(&func->up, true, __ATOMIC_SEQ_CST);
	if (__atomic_exchange_n(&func->untold, false, __ATOMIC_SEQ_CST))
		return bf_func_status(func, NULL);
	return 0;
}

int
bf_func_create(struct bf_hw *hw, const struct bf_func_conf *conf, struct bf_func **out)
{
	struct bf_func *func;
	int ret, err;

	func = calloc(1, sizeof(*func));
	if (func == NULL) {
		BF_LOG(ERR, "%s: no memory for the function", hw->name);
		hw->ops->close(hw);
		return -ENOMEM;
	}
	func->hw = hw;
	func->conf = *conf;
	LIST_INIT(&func->deferred_free);
	bf_lock_init(&func->ctl);
	bf_pages_init(func);
	bf_eq_init(func);
	ret = bf_cmdq_create(hw, func->conf.cmd_timeout_ms, func_watch, func, &func->cmdq);
	if (ret == 0)
		ret = bf_thread_create(&func->worker, "bf-", hw->name, func_pass, func);
	if (ret != 0) {
		func_free(func, false);
		return ret;
	}
	bf_lock(&func->ctl);
	ret = func_boot(func);
	if (ret == 0) {
		*out = func; /* the callback may come any moment */
		ret = func_go_up(func);
	}
	if (ret == 0) {
		bf_unlock(&func->ctl);
		return 0;
	}
	*out = NULL;
	/* the first reason is the one to return */
	BF_LOG(ERR, "%s: bring-up failed (%d), for the reason above; whoever starts again by itself waits for %u s first, and twice as long after each failure: resets without a pause can stop firmware",
		hw->name, ret, BF_AGAIN_S);
	err = func_tear_down(func, false);
	bf_unlock(&func->ctl);
	func_free(func, err != 0);
	return ret;
}

void
bf_func_destroy(struct bf_func *func)
{
	int ret;

	if (func == NULL)
		return;
	bf_lock(&func->ctl);
	ret = func_tear_down(func, false);
	bf_unlock(&func->ctl);
	func_free(func, ret != 0);
}

/* The state after a reset that did not work: failed, and the caller knows. */
static void
func_mark_failed(struct bf_func *func, int ret)
{
	int none = BF_FATAL_NONE;
	int fatal = ret == -ENODEV ? BF_FATAL_GONE :
		ret == -ETIMEDOUT || ret == -EAGAIN ? BF_FATAL_TIMEOUT : BF_FATAL_FIRMWARE;

	if (__atomic_compare_exchange_n(&func->fatal, &none, fatal, false, __ATOMIC_ACQ_REL,
			__ATOMIC_ACQUIRE))
		__atomic_store_n(&func->reason, ret, __ATOMIC_RELEASE);
	bf_cmdq_kill(func->cmdq, ret);
	__atomic_store_n(&func->untold, false, __ATOMIC_SEQ_CST);
}

int
bf_func_reset(struct bf_func *func)
{
	int ret;

	bf_lock(&func->ctl);
	ret = func_tear_down(func, true);
	if (ret == 0) {
		func_revive(func);
		ret = func_boot(func);
		if (ret == 0)
			ret = func_go_up(func);
		if (ret == 0) {
			bf_unlock(&func->ctl);
			BF_LOG(NOTICE, "%s: the function was reset and works", BF_NAME(func));
			return 0;
		}
		BF_LOG(ERR, "%s: the function was reset and does not come up (%d)", BF_NAME(func),
			ret);
		func_tear_down(func, false);
	}
	func_mark_failed(func, ret);
	bf_unlock(&func->ctl);
	return ret;
}

void
bf_func_stats(const struct bf_func *func, struct bf_func_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	bf_cmdq_counts(func->cmdq, &stats->cmds, &stats->cmd_errors);
	stats->pages = __atomic_load_n(&func->pages.given, __ATOMIC_RELAXED);
	stats->pages_peak = __atomic_load_n(&func->pages.peak, __ATOMIC_RELAXED);
	stats->page_requests = __atomic_load_n(&func->pages.requests, __ATOMIC_RELAXED);
	stats->events = __atomic_load_n(&func->eq.events, __ATOMIC_RELAXED);
	stats->health_polls = __atomic_load_n(&func->health.polls, __ATOMIC_RELAXED);
}

uint64_t
bf_func_dead_queues(const struct bf_func *func)
{
	return __atomic_load_n(&func->eq.cq_errors, __ATOMIC_RELAXED) +
		__atomic_load_n(&func->eq.srq_errors, __ATOMIC_RELAXED);
}

void
bf_func_dump(const struct bf_func *func, FILE *f)
{
	static const char *const kinds[] = {
		[BF_OBJ_PD] = "pd", [BF_OBJ_UAR] = "uar", [BF_OBJ_CQ] = "cq",
		[BF_OBJ_MKEY] = "mkey", [BF_OBJ_QP] = "qp", [BF_OBJ_SRQ] = "srq",
		[BF_OBJ_EQ] = "eq",
	};
	const struct bf_func_caps *caps = &func->caps;
	struct bf_func_stats stats;
	enum bf_fatal fatal;
	uint32_t i;
	int ret;

	ret = bf_func_status(func, &fatal);
	bf_func_stats(func, &stats);
	fprintf(f, "  function %s: %s, vhca 0x%x, firmware %u.%u.%u, board %s\n", BF_NAME(func),
		func->ec ? "ecpf" : bf_func_is_vf(func) ? "vf" : "pf", caps->vhca_id,
		caps->fw_major, caps->fw_minor, caps->fw_subminor, caps->board_id);
	if (ret != 0)
		fprintf(f, "    failed: %s (%d)\n", bf_fatal_text(fatal), ret);
	fprintf(f, "    port %s, %s%s%s\n",
		__atomic_load_n(&caps->port_state, __ATOMIC_RELAXED) != 0 ? "up" : "down",
		caps->ib_port ? "InfiniBand" : "Ethernet", caps->roce ? ", RoCE" : "",
		caps->eswitch_manager ? ", switch manager" : "");
	fprintf(f, "    commands %" PRIu64 ", failed %" PRIu64 ", health polls %" PRIu64 "\n",
		stats.cmds, stats.cmd_errors, stats.health_polls);
	fprintf(f, "    pages %u, peak %u, requests %" PRIu64 ", refused pages %" PRIu64 "\n",
		stats.pages, stats.pages_peak, stats.page_requests,
		__atomic_load_n(&func->pages.refused, __ATOMIC_RELAXED));
	fprintf(f, "    events %" PRIu64 ", unknown %" PRIu64 ", cq errors %" PRIu64
		", srq errors %" PRIu64 ", wq errors %" PRIu64 "\n", stats.events,
		__atomic_load_n(&func->eq.unknown, __ATOMIC_RELAXED),
		__atomic_load_n(&func->eq.cq_errors, __ATOMIC_RELAXED),
		__atomic_load_n(&func->eq.srq_errors, __ATOMIC_RELAXED),
		__atomic_load_n(&func->eq.wq_errors, __ATOMIC_RELAXED));
	fprintf(f, "    objects:");
	for (i = 0; i < BF_NB_OBJ_KINDS; i++)
		fprintf(f, " %s %u", kinds[i],
			__atomic_load_n(&func->nb_objs[i], __ATOMIC_RELAXED));
	fprintf(f, "\n");
}
