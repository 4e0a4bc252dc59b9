/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_MSGQ_ORDER_H
#define TEST_MSGQ_ORDER_H

/*
 * Both ends of message queues on the model of test_order.h: the sources of the driver and
 * the device header are included here, with their accesses replaced. What is a place of
 * the model goes there, all else is memory of one program alone. For test_shm_msgq_order.c,
 * which has the programs; no test is in here.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_branch_prediction.h>
#include <rte_cycles.h>

#include "test_order.h"

/* Other names than in the driver, which is linked as well. */
#define shm_msgq_create order_msgq_create
#define shm_msgq_destroy order_msgq_destroy
#define shm_msgq_completion_create order_msgq_completion_create
#define shm_msgq_completion_destroy order_msgq_completion_destroy
#define shm_msgq_dpa_queue_create order_msgq_dpa_queue_create
#define shm_msgq_dpa_queue_destroy order_msgq_dpa_queue_destroy
#define shm_msgq_units_settle order_msgq_units_settle
#define shm_msgq_units_left order_msgq_units_left
#define shm_msgq_serial order_msgq_serial
#define shm_msgq_queue_setup order_msgq_queue_setup
#define shm_msgq_queue_stop order_msgq_queue_stop
#define shm_msgq_queue_free order_msgq_queue_free
#define shm_msgq_queue_room order_msgq_queue_room
#define shm_msgq_waiting order_msgq_waiting
#define shm_msgq_queue_takes order_msgq_queue_takes
#define shm_msgq_consumer_left order_msgq_consumer_left
#define shm_msgq_group_arm order_msgq_group_arm
#define shm_msgq_group_pending order_msgq_group_pending
#define shm_msgq_group_disarm order_msgq_group_disarm
#define shm_msgq_send_burst order_msgq_send_burst
#define shm_msgq_sent_poll order_msgq_sent_poll
#define shm_msgq_credits order_msgq_credits
#define shm_msgq_tx_credits order_msgq_tx_credits
#define shm_msgq_tx_want order_msgq_tx_want
#define shm_msgq_tx_pending order_msgq_tx_pending
#define shm_msgq_post_burst order_msgq_post_burst
#define shm_msgq_cpl_poll order_msgq_cpl_poll
#define shm_msgq_rx_pending order_msgq_rx_pending
#define shm_dpa_wake_asked order_dpa_wake
#define shm_dpa_group_arm order_dpa_group_arm
#define shm_dpa_group_drain order_dpa_group_drain
#define shm_dpa_is_down order_dpa_is_down
#define shm_dpa_violation order_dpa_violation
#define shm_dpa_spins order_dpa_spins
#define shm_dpa_places_free order_dpa_places_free
#define comch_dpa_rt_group_wake order_rt_group_wake
#define comch_dpa_rt_finish order_rt_finish
#define comch_dpa_rt_log order_rt_log

static uint64_t at_load(const void *p, size_t size, int order);
static void at_store(void *p, uint64_t val, size_t size, int order);
static void at_copy(uint8_t *dst, const uint8_t *src, uint32_t len);
static void light_fence(bool whole);
static void heavy_fence(void);
static void settle_wait(void);

#define SHM_ENTRY_LOAD(ptr, order) at_load(ptr, sizeof(*(ptr)), order)
#define SHM_ENTRY_STORE(ptr, val, order) at_store(ptr, val, sizeof(*(ptr)), order)
#define SHM_ENTRY_COPY(dst, src, len) at_copy(dst, src, len)
#define SHM_ENTRY_LIGHT_FENCE(whole) light_fence(whole)

#include "shm_fast.h" /* check-ok: its layers are tested */
#include "shm_msgq.h" /* check-ok: its layers are tested */

/* What the model is told of an access, and what the mutants of a test change. */
static int order_of_load(const void *p, int order);
static bool is_tail(const void *p);
static int order_of_store(const void *p, int order);
static bool batch_aliases(const struct shm_entry *entries, uint32_t at, uint32_t mask, uint32_t n,
		uint32_t step);
static uint32_t batch_room(uint32_t pos, uint32_t mask);

/* The last load of a place: what somebody who finds nothing waits for. */
static const void *last_place;
static uint64_t last_val;
static uint64_t last_tail;

static uint64_t
at_load(const void *p, size_t size, int order)
{
	uint64_t val = 0;

	if (!order_is_place(p)) {
		memcpy(&val, p, size);
		return val;
	}
	last_val = order_load(p, order_of_load(p, order));
	last_place = p;
	if (is_tail(p))
		last_tail = last_val;
	return last_val;
}

static void
at_store(void *p, uint64_t val, size_t size, int order)
{
	/* who writes it may read it without an atomic */
	memcpy(p, &val, size);
	if (order_is_place(p))
		order_store(p, val, order_of_store(p, order));
}

/* Units of 8 bytes; the producer finds them in its own memory as well. */
static void
at_copy(uint8_t *dst, const uint8_t *src, uint32_t len)
{
	uint64_t val;
	uint32_t i;

	for (i = 0; i + sizeof(val) <= len; i += sizeof(val)) {
		memcpy(&val, src + i, sizeof(val));
		memcpy(dst + i, &val, sizeof(val));
		if (order_is_place(dst + i))
			order_store(dst + i, val, __ATOMIC_RELAXED);
	}
}

static uint64_t
at_exchange(void *p, uint64_t val, size_t size)
{
	uint64_t old = at_load(p, size, __ATOMIC_RELAXED);

	at_store(p, val, size, __ATOMIC_RELAXED);
	return old;
}

static bool
at_swap(void *p, void *old, uint64_t val, size_t size, int failed)
{
	uint64_t seen = 0;

	memcpy(&seen, old, size);
	if (order_is_place(p)) {
		if (order_swap(p, seen, val))
			return true;
	} else if (memcmp(p, old, size) == 0) {
		memcpy(p, &val, size);
		return true;
	}
	seen = at_load(p, size, failed);
	memcpy(old, &seen, size);
	return false;
}

static void
settle_wait(void)
{
	order_wait(last_place, last_val);
}

static uint64_t no_time;

/* Behind this line, atomics of the driver are accesses of the model. */
#define AT_TYPE(p) __typeof__(*(p) + 0)
#define __atomic_load_n(p, order) ((AT_TYPE(p))at_load(p, sizeof(*(p)), order))
#define __atomic_store_n(p, val, order) at_store(p, (uint64_t)(val), sizeof(*(p)), order)
#define __atomic_exchange_n(p, val, order) at_exchange(p, (uint64_t)(val), sizeof(*(p)))
#define __atomic_compare_exchange_n(p, old, val, weak, order, order2) \
	at_swap(p, old, (uint64_t)(val), sizeof(*(p)), order2)
#define __atomic_fetch_or(p, val, order) order_or(p, val, order)
#define __atomic_fetch_and(p, val, order) order_and(p, val, order)
#define shm_entry_copy(dst, src, len) at_copy(dst, src, len)
#define shm_entry_batch_aliases(entries, at, mask, n, step) \
	batch_aliases(entries, at, mask, n, step)
#define shm_entry_batch_room(pos, mask) batch_room(pos, mask)
#define shm_light_fence(whole) light_fence(whole)
#define shm_barrier_all() heavy_fence()
#define shm_barrier_process() heavy_fence()
#define rte_get_tsc_cycles() no_time
#define usleep(us) settle_wait()
#define free(p) RTE_SET_USED(p)
/* A program leaves in the middle: none holds a lock, and no two change one table. */
#define pthread_mutex_lock(lock) RTE_SET_USED(lock)
#define pthread_mutex_unlock(lock) RTE_SET_USED(lock)

#include "shm_msgq.c"
#include "shm_msgq_queue.c"
#include "shm_msgq_tx.c"

/* The consumers of this side copy 32 bytes of each message. */
static void at_take(void *dst, const uint8_t *src, size_t len);
#define __builtin_memcpy(dst, src, len) at_take(dst, src, len)
#include "shm_msgq_rx.c"
#undef __builtin_memcpy

/*
 * The program's end
 */

#define ORDER_MAX_ENTRIES 8

/* What the host writes. */
static struct {
	union {
		struct shm_dpa_host hdr;
		uint8_t hdr_bytes[SHM_DPA_HOST_HDR];
	};
	struct shm_msgq_cons cons;
	struct shm_entry entries[ORDER_MAX_ENTRIES];
	struct shm_msgq_prod prod;
	struct shm_msgq_sink sink;
	struct shm_msgq_comps comps;
	uint64_t comp[32]; /* struct shm_msgq_comp with one queue */
	uint64_t msgq[32]; /* struct shm_msgq_host with one sink */
} order_host __rte_aligned(SHM_MSGQ_ALIGN);

/* What the program writes. */
static struct {
	union {
		struct shm_dpa_prog hdr;
		uint8_t hdr_bytes[SHM_DPA_PROG_HDR];
	};
	struct shm_msgq_comp_state comp;
	struct shm_msgq_cons_state cons;
	struct shm_msgq_prod_state prod;
	struct shm_msgq_sink_state sink;
	struct shm_entry entries[ORDER_MAX_ENTRIES];
} order_prog __rte_aligned(SHM_MSGQ_ALIGN);

/* One unit, which is 0. */
static struct {
	uint32_t eu;
} order_self;

#define SHM_DPA_SELF() (&order_self)
#define SHM_DPA_HOST_SEG ((const struct shm_dpa_host *)&order_host.hdr)
#define SHM_DPA_PROG_SEG (&order_prog.hdr)

#include <rte_comch_dpa_dev.h>

#endif /* TEST_MSGQ_ORDER_H */
