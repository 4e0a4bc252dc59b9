/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer obj: event queues for completions. A completion queue that was made on one and
 * is armed writes one event with its number there, when its next completion comes; the
 * event queue raises its interrupt if it is armed itself. What a device tells of itself
 * (pages, the port, errors) does not come here: that queue is in layer fw.
 *
 * One thread at a time for each queue. It looks with bf_ceq_next() until there is none,
 * and says so with bf_ceq_commit(), or bf_ceq_arm() if it is about to sleep: the device
 * then interrupts at once if it has written an event beyond that, so that none is missed.
 * Room: a completion queue has one event under way for each time that it was armed.
 */

#ifndef BLUEFIELD_CEQ_H
#define BLUEFIELD_CEQ_H

#include "bluefield_obj.h"
#include "bluefield_prm.h"

struct bf_ceq_attr {
	const struct bf_uar *uar; /* for arming; outlives the queue */
	uint32_t nb_eqes;         /* power of two */
	uint16_t vector;          /* MSI-X; several queues may have one */
	uint64_t events;          /* beside completions: a mask of types, 0 as a rule */
};

struct bf_ceq {
	struct bf_obj obj;        /* id: event queue number */
	const struct bf_eqe *ring;
	const struct bf_uar *uar;
	uint32_t log_nb;
	uint32_t ci;              /* of the next event */
	uint32_t ci_told;         /* what the device knows */
};

int bf_ceq_create(struct bf_obj_dev *dev, const struct bf_ceq_attr *attr, struct bf_ceq *ceq);
/* After its completion queues. */
void bf_ceq_destroy(struct bf_ceq *ceq);

/* Is there an event? */
static inline bool
bf_ceq_pending(const struct bf_ceq *ceq)
{
	const struct bf_eqe *eqe = &ceq->ring[ceq->ci & ((1u << ceq->log_nb) - 1)];

	/* acquire: what the device wrote before the owner bit is read after it */
	return (__atomic_load_n(&eqe->owner, __ATOMIC_ACQUIRE) & 1) ==
		((ceq->ci >> ceq->log_nb) & 1);
}

/* Take the next event: true, and the number of its completion queue. */
static inline bool
bf_ceq_next(struct bf_ceq *ceq, uint32_t *cqn)
{
	const struct bf_eqe *eqe = &ceq->ring[ceq->ci & ((1u << ceq->log_nb) - 1)];

	if (!bf_ceq_pending(ceq))
		return false;
	/* all ones: no number of a queue, for an event that does not belong here */
	*cqn = likely(eqe->type == BF_EVENT_COMP) ? bf_get(eqe->data, BF_EVENT_COMP_CQN) :
		UINT32_MAX;
	ceq->ci++;
	return true;
}

static inline void
bf_ceq_tell(struct bf_ceq *ceq, uint32_t doorbell)
{
	bf_uar_write32(ceq->uar, doorbell,
		rte_cpu_to_be_32(ceq->obj.id << 24 | (ceq->ci & 0xffffff)));
	ceq->ci_told = ceq->ci;
}

/* The device may use the entries that were taken again. */
static inline void
bf_ceq_commit(struct bf_ceq *ceq)
{
	if (ceq->ci != ceq->ci_told)
		bf_ceq_tell(ceq, BF_UAR_EQ_CI);
}

/* The same, and the next event raises the interrupt; also one that is there already. */
static inline void
bf_ceq_arm(struct bf_ceq *ceq)
{
	bf_ceq_tell(ceq, BF_UAR_EQ_ARM);
}

#endif
