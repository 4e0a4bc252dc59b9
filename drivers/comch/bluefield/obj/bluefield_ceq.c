/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Event queues for completions: how they are made and ended. What is done with them is
 * in the header.
 */

#include <errno.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_ceq.h"
#include "bluefield_obj_priv.h"

/* More than any number of completion queues that one thread could look after. */
#define CEQ_MAX_EQES 65536u

int
bf_ceq_create(struct bf_obj_dev *dev, const struct bf_ceq_attr *attr, struct bf_ceq *ceq)
{
	const struct bf_obj_desc desc = { .kind = BF_OBJ_EQ, .deps = { &attr->uar->obj } };
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *eqc = in + BF_CREATE_EQ_IN_EQC;
	struct bf_ceq new = { .uar = attr->uar };
	struct bf_ring ring;
	struct bf_eqe *eqe;
	uint32_t i;
	int ret;

	if (!rte_is_power_of_2(attr->nb_eqes) || attr->nb_eqes > CEQ_MAX_EQES) {
		BF_LOG(ERR, "%s: cannot create an event queue: entries are no power of two, or too many",
			dev->name);
		return -EINVAL;
	}
	new.log_nb = rte_log2_u32(attr->nb_eqes);
	ret = bf_ring_alloc(dev, (size_t)attr->nb_eqes * sizeof(*eqe), &ring);
	if (ret != 0)
		return ret;
	eqe = ring.mem->addr;
	for (i = 0; i < attr->nb_eqes; i++)
		eqe[i].owner = 1; /* not the device's first lap */
	/* completion queues name their event queue: these are others */
	bf_set64(in, BF_CREATE_EQ_IN_EVENT_BITMASK, attr->events);
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_EQ);
	bf_set(eqc, BF_EQC_LOG_EQ_SIZE, new.log_nb);
	bf_set(eqc, BF_EQC_UAR_PAGE, attr->uar->obj.id);
	bf_set(eqc, BF_EQC_INTR, attr->vector);
	ret = bf_obj_create_ring(dev, &desc, in, sizeof(in), &ring, &new.obj);
	if (ret != 0)
		return ret;
	new.ring = eqe;
	*ceq = new;
	return 0;
}

void
bf_ceq_destroy(struct bf_ceq *ceq)
{
	bf_obj_destroy_ring(&ceq->obj);
}
