/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The event queue for what firmware wants of us or tells us: pages, the port,
 * errors of queues. Completions of commands are polled and completions of the
 * data path do not come here.
 *
 * Events are processed by the worker, when an interrupt or its own clock wakes it,
 * and by a thread that waits for a command, whoever comes first. Nobody waits for the
 * lock: see struct bf_eq.
 */

#include <errno.h>
#include <inttypes.h>

#include <rte_bitops.h>
#include <rte_common.h>
#include <rte_cycles.h>

#include "bluefield_func_priv.h"

#define EQ_SIZE (1u << BF_EQ_LOG_SIZE)
#define EQ_BYTES (EQ_SIZE * sizeof(struct bf_eqe))
/* Tell the device where we are after so many events; half a queue is too late. */
#define EQ_UPDATE 32
/* Events in one call. The device interrupts anew for those that are left. */
#define EQ_BURST (2 * EQ_SIZE)
/* Calls that others asked for while we held the lock. */
#define EQ_AGAIN 4
/*
 * Events that we live without, where firmware does not have them: queues that fail
 * tell it by their completions, and only the state of the port is no longer known.
 * Not the internal error: no driver in the field asks for it, and health tells it.
 */
static const uint8_t eq_optional[] = {
	BF_EVENT_CQ_ERROR, BF_EVENT_WQ_CATAS, BF_EVENT_PORT_CHANGE, BF_EVENT_WQ_INVAL_REQ,
	BF_EVENT_WQ_ACCESS, BF_EVENT_SRQ_CATAS, BF_EVENT_SRQ_LAST_WQE,
};

void
bf_eq_init(struct bf_func *func)
{
	bf_lock_init(&func->eq.lock);
}

void
bf_eq_fini(struct bf_func *func)
{
	bf_lock_fini(&func->eq.lock);
}

uint8_t
bf_func_eqn(const struct bf_func *func)
{
	return __atomic_load_n(&func->eq.eqn, __ATOMIC_RELAXED);
}

static struct bf_eqe *
eq_entry(const struct bf_eq *eq, uint32_t ci)
{
	return (struct bf_eqe *)eq->mem.addr + (ci & (EQ_SIZE - 1));
}

/* Owner bit of what the device writes at this index. */
static uint8_t
eq_lap(uint32_t ci)
{
	return (ci >> BF_EQ_LOG_SIZE) & 1;
}

static uint8_t
eq_owner(const struct bf_eq *eq, uint32_t ci)
{
	return __atomic_load_n(&eq_entry(eq, ci)->owner, __ATOMIC_ACQUIRE) & 1;
}

static void
eq_tell(struct bf_func *func, uint32_t doorbell)
{
	struct bf_eq *eq = &func->eq;

	func->hw->ops->write32(func->hw, eq->uar * BF_UAR_SIZE + doorbell,
		(uint32_t)eq->eqn << 24 | (eq->ci & 0xffffff));
	eq->ci_told = eq->ci;
}

/* The event is the one before eq->ci. */
static void
event_page_request(struct bf_func *func, const uint8_t *data)
{
	struct bf_eq *eq = &func->eq;
	bool early = (int32_t)(eq->ci - eq->seen) <= 0;
	bool ec = bf_get(data, BF_EVENT_PAGES_EC);
	bool release = bf_get(data, BF_EVENT_PAGES_RELEASE);
	uint16_t func_id = bf_get(data, BF_EVENT_PAGES_FUNC_ID);
	int32_t num = bf_get(data, BF_EVENT_PAGES_NUM);

	__atomic_fetch_add(&func->pages.requests, 1, __ATOMIC_RELAXED);
	bf_pages_request(func, ec, func_id, release, num, early);
	for (eq->seen = eq->ci; eq->seen - eq->ci < EQ_SIZE &&
			eq_owner(eq, eq->seen) == eq_lap(eq->seen); eq->seen++)
		;
}

static void
event_port_change(struct bf_func *func, uint8_t sub_type, const uint8_t *data)
{
	uint32_t port = bf_get(data, BF_EVENT_PORT_NUM);
	uint8_t state;

	if (port != func->caps.port) {
		BF_LOG(DEBUG, "%s: event of port %u, which is not ours", BF_NAME(func), port);
		return;
	}
	/* others are of addresses and keys: queries say what they are */
	if (sub_type != BF_PORT_CHANGE_ACTIVE && sub_type != BF_PORT_CHANGE_DOWN)
		return;
	state = sub_type == BF_PORT_CHANGE_ACTIVE;
	if (__atomic_exchange_n(&func->caps.port_state, state, __ATOMIC_RELAXED) != state)
		BF_LOG(INFO, "%s: the port is %s", BF_NAME(func), state ? "up" : "down");
}

/*
 * A queue pair that failed is found by its owner, which gets error completions. Of what goes
 * through the others there may be none.
 */
static void
event_queue_error(struct bf_func *func, uint8_t type, const uint8_t *data)
{
	if (type == BF_EVENT_CQ_ERROR) {
		if (__atomic_fetch_add(&func->eq.cq_errors, 1, __ATOMIC_RELAXED) == 0)
			BF_LOG(ERR, "%s: completion queue 0x%x failed: %s (syndrome 0x%x); more of "
				"these are counted, not logged", BF_NAME(func),
				bf_get(data, BF_EVENT_CQ_CQN),
				bf_get(data, BF_EVENT_CQ_SYNDROME) == 1 ? "overrun" : "access",
				bf_get(data, BF_EVENT_CQ_SYNDROME));
		return;
	}
	if (type == BF_EVENT_SRQ_CATAS) {
		if (__atomic_fetch_add(&func->eq.srq_errors, 1, __ATOMIC_RELAXED) == 0)
			BF_LOG(ERR, "%s: shared receive queue 0x%x failed; more of these are "
				"counted, not logged", BF_NAME(func),
				bf_get(data, BF_EVENT_QP_SRQ_NUM));
		return;
	}
	if (__atomic_fetch_add(&func->eq.wq_errors, 1, __ATOMIC_RELAXED) == 0)
		BF_LOG(ERR, "%s: queue pair 0x%x failed (event 0x%x); more of these are counted, "
			"not logged", BF_NAME(func), bf_get(data, BF_EVENT_QP_SRQ_NUM), type);
}

static uint32_t *
last_wqe_of(struct bf_func *func, uint32_t qpn)
{
	return &func->eq.last_wqe[qpn % BF_EQ_LAST_WQES];
}

static void
event_last_wqe(struct bf_func *func, const uint8_t *data)
{
	uint32_t qpn = bf_get(data, BF_EVENT_QP_SRQ_NUM);

	/* release: completions that were written before; pairs with the acquire of who waits */
	__atomic_store_n(last_wqe_of(func, qpn), qpn, __ATOMIC_RELEASE);
}

int
bf_eq_last_wqe(struct bf_func *func, uint32_t qpn)
{
	const uint64_t end = bf_now_ms() + BF_LAST_WQE_MS;
	uint32_t *last = last_wqe_of(func, qpn);
	bool late = false;
	int ret;

	if (!func->eq.has_last_wqe)
		return -ENOTSUP;
	while (!late) {
		late = bf_now_ms() >= end;
		bf_eq_poll(func);
		if (__atomic_load_n(last, __ATOMIC_ACQUIRE) == qpn) {
			/* the number may be another queue pair's soon */
			__atomic_store_n(last, 0, __ATOMIC_RELAXED);
			return 0;
		}
		ret = bf_func_status(func, NULL);
		if (ret != 0)
			return ret;
		rte_delay_us_sleep(BF_LAST_WQE_POLL_US);
	}
	if (__atomic_fetch_add(&func->eq.late_wqes, 1, __ATOMIC_RELAXED) == 0)
		BF_LOG(WARNING, "%s: queue pair 0x%x has failed, and its shared receive queue hears nothing of that in %u ms: a buffer may be lost; update the card's firmware. More of these are not logged",
			BF_NAME(func), qpn, BF_LAST_WQE_MS);
	return -ETIMEDOUT;
}

static void
eq_dispatch(struct bf_func *func, const struct bf_eqe *eqe)
{
	switch (eqe->type) {
	case BF_EVENT_PAGE_REQUEST:
		event_page_request(func, eqe->data);
		break;
	case BF_EVENT_PORT_CHANGE:
		event_port_change(func, eqe->sub_type, eqe->data);
		break;
	case BF_EVENT_INTERNAL:
		/* health says more, if it says anything */
		if (bf_health_check(func) == 0) {
			BF_LOG(ERR, "%s: event of an internal error, no syndrome", BF_NAME(func));
			bf_fatal_set(func, BF_FATAL_FIRMWARE, -EIO);
		}
		break;
	case BF_EVENT_CQ_ERROR:
	case BF_EVENT_WQ_CATAS:
	case BF_EVENT_WQ_INVAL_REQ:
	case BF_EVENT_WQ_ACCESS:
	case BF_EVENT_SRQ_CATAS:
		event_queue_error(func, eqe->type, eqe->data);
		break;
	case BF_EVENT_SRQ_LAST_WQE:
		event_last_wqe(func, eqe->data);
		break;
	case BF_EVENT_COMP:
		/* of a completion queue that was armed on this queue: its owner polls */
		break;
	default:
		if (__atomic_fetch_add(&func->eq.unknown, 1, __ATOMIC_RELAXED) == 0)
			BF_LOG(WARNING, "%s: event of type 0x%x, subtype 0x%x, for which nobody "
				"asked; more of these are counted, not logged", BF_NAME(func),
				eqe->type, eqe->sub_type);
		break;
	}
}

/*
 * The device may fill the queue up to one lap after the index that it was told.
 * An entry of that next lap, before it was told, has overwritten one of ours.
 */
static bool
eq_overrun(const struct bf_eq *eq)
{
	return eq->ci != eq->ci_told && eq_owner(eq, eq->ci_told) != eq_lap(eq->ci_told);
}

static void
eq_process(struct bf_func *func)
{
	struct bf_eq *eq = &func->eq;
	struct bf_eqe eqe;
	uint32_t nb;

	for (nb = 0; nb < EQ_BURST; nb++) {
		if (eq_owner(eq, eq->ci) != eq_lap(eq->ci))
			break;
		/* once, into our own memory: the device may write when it likes */
		eqe = *eq_entry(eq, eq->ci);
		eq->ci++;
		__atomic_fetch_add(&eq->events, 1, __ATOMIC_RELAXED);
		if (eq_overrun(eq)) {
			BF_LOG(ERR, "%s: event queue overrun at 0x%x: events are lost",
				BF_NAME(func), eq->ci);
			bf_fatal_set(func, BF_FATAL_EQ, -EIO);
			return;
		}
		/* before what may last */
		if (eq->ci - eq->ci_told >= EQ_UPDATE || eqe.type == BF_EVENT_PAGE_REQUEST)
			eq_tell(func, BF_UAR_EQ_CI);
		eq_dispatch(func, &eqe);
		if (bf_func_status(func, NULL) != 0 ||
		    __atomic_load_n(&eq->stop, __ATOMIC_RELAXED))
			return;
	}
	if (nb == 0)
		return;
	eq_tell(func, BF_UAR_EQ_ARM);
}

void
bf_eq_poll(struct bf_func *func)
{
	struct bf_eq *eq = &func->eq;
	int i;

	/* whoever holds the lock sees the note after it has let go */
	for (i = 0; i < EQ_AGAIN; i++) {
		__atomic_store_n(&eq->again, true, __ATOMIC_SEQ_CST);
		if (!bf_trylock(&eq->lock))
			return;
		__atomic_store_n(&eq->again, false, __ATOMIC_SEQ_CST);
		if (eq->active)
			eq_process(func);
		bf_unlock(&eq->lock);
		if (!__atomic_load_n(&eq->again, __ATOMIC_SEQ_CST))
			return;
	}
}

void
bf_eq_arm(struct bf_func *func)
{
	struct bf_eq *eq = &func->eq;

	bf_lock(&eq->lock);
	if (eq->active)
		eq_tell(func, BF_UAR_EQ_ARM);
	bf_unlock(&eq->lock);
	/* what came before is not signalled */
	bf_eq_poll(func);
}

/* Make the queue for these types of events; expected: a status that is no error yet. */
static int
eq_create_cmd(struct bf_func *func, uint64_t mask, struct bf_cmd *cmd)
{
	uint8_t in[BF_CREATE_IN_SIZE + EQ_BYTES / BF_PAGE_SIZE * sizeof(uint64_t)] = { 0 };
	uint8_t *eqc = in + BF_CREATE_EQ_IN_EQC;
	uint8_t out[BF_OUT_SIZE];
	struct bf_eq *eq = &func->eq;
	uint32_t i;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_EQ);
	bf_set(eqc, BF_EQC_LOG_EQ_SIZE, BF_EQ_LOG_SIZE);
	bf_set(eqc, BF_EQC_UAR_PAGE, eq->uar);
	bf_set(eqc, BF_EQC_INTR, 0);
	bf_set(eqc, BF_EQC_LOG_PAGE_SIZE, 0);
	/* there are no types above 63 */
	bf_set64(in, BF_CREATE_EQ_IN_EVENT_BITMASK, mask);
	for (i = 0; i < EQ_BYTES / BF_PAGE_SIZE; i++)
		bf_set64(in, BF_CREATE_IN_PAS + 8 * i, eq->mem.iova + i * BF_PAGE_SIZE);
	cmd->in = in;
	cmd->in_len = sizeof(in);
	cmd->out = out;
	cmd->out_len = sizeof(out);
	ret = bf_func_cmd(func, BF_CMD_NORMAL, cmd);
	if (ret == 0)
		__atomic_store_n(&eq->eqn, bf_get(out, BF_OBJ_EQ_NUMBER), __ATOMIC_RELAXED);
	return ret;
}

int
bf_eq_create(struct bf_func *func)
{
	struct bf_cmd first = { .expected = BF_STATUS_BAD_PARAM }, second = { 0 };
	struct bf_eq *eq = &func->eq;
	uint64_t needed = 0, mask;
	uint32_t i;
	int ret;

	ret = func->hw->ops->dma_alloc(func->hw, EQ_BYTES, BF_PAGE_SIZE, &eq->mem);
	if (ret != 0) {
		BF_LOG(ERR, "%s: no DMA memory for the event queue (%d); give EAL more memory (-m)",
			BF_NAME(func), ret);
		return ret;
	}
	eq->ci = 0;
	eq->ci_told = 0;
	eq->seen = 0;
	for (i = 0; i < EQ_SIZE; i++)
		eq_entry(eq, i)->owner = 1; /* not the device's first lap */
	if (!func->caps.no_page_requests)
		needed = RTE_BIT64(BF_EVENT_PAGE_REQUEST);
	mask = needed;
	for (i = 0; i < RTE_DIM(eq_optional); i++)
		mask |= RTE_BIT64(eq_optional[i]);
	ret = eq_create_cmd(func, mask, &first);
	if (ret != 0 && first.status == BF_STATUS_BAD_PARAM) {
		BF_LOG(WARNING, "%s: firmware refuses event mask 0x%" PRIx64 " (syndrome 0x%08x): "
			"going on with 0x%" PRIx64 ", without the state of the port; update the "
			"card's firmware", BF_NAME(func), mask, first.syndrome, needed);
		mask = needed;
		ret = eq_create_cmd(func, needed, &second);
	}
	if (ret != 0)
		return ret; /* the memory goes with bf_eq_invalidate() */
	memset(eq->last_wqe, 0, sizeof(eq->last_wqe));
	eq->has_last_wqe = (mask & RTE_BIT64(BF_EVENT_SRQ_LAST_WQE)) != 0;
	bf_lock(&eq->lock);
	__atomic_store_n(&eq->stop, false, __ATOMIC_RELAXED);
	eq->active = true;
	bf_unlock(&eq->lock);
	return 0;
}

void
bf_eq_stop(struct bf_func *func)
{
	__atomic_store_n(&func->eq.stop, true, __ATOMIC_RELAXED);
	bf_lock(&func->eq.lock);
	func->eq.active = false;
	bf_unlock(&func->eq.lock);
}

int
bf_eq_destroy(struct bf_func *func)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, BF_OP_DESTROY_EQ);
	bf_set(in, BF_OBJ_EQ_NUMBER, func->eq.eqn);
	return bf_func_exec(func, in, sizeof(in), out, sizeof(out));
}

void
bf_eq_invalidate(struct bf_func *func)
{
	bf_eq_stop(func);
	func->hw->ops->dma_free(func->hw, &func->eq.mem);
	memset(&func->eq.mem, 0, sizeof(func->eq.mem));
}
