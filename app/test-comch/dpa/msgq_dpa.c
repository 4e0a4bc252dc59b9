/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of the msgq tests, which runs on an offload processor. One thread
 * function does what its block says, see msgq_ctl.h; nothing else is called.
 */

#include <rte_comch_dpa_dev.h>

#include "../pattern.h"
#include "msgq_ctl.h"

/* Of the longest message. */
#define MSGQ_MAX_SIZE 32

/* A thread keeps to itself what the host does not change while it runs. */
struct work {
	struct msgq_ctl *ctl;
	uint64_t consumer;
	uint64_t completion;
	uint64_t producer;
	uint64_t key_in;
	uint64_t key_out;
	uint32_t consumer_id;
	uint32_t size;
	uint32_t burst;
	uint32_t flags;
	/* Without pattern all messages are this one. */
	uint8_t msg[MSGQ_MAX_SIZE];
};

static void
work_fail(struct work *w, int error)
{
	if (w->ctl->error == 0)
		__atomic_store_n(&w->ctl->error, error, __ATOMIC_RELAXED);
}

static inline bool
work_over(const struct work *w)
{
	return __atomic_load_n(&w->ctl->stop, __ATOMIC_RELAXED) != 0 || w->ctl->error != 0;
}

static inline void
count(uint64_t *counter, uint64_t nb)
{
	__atomic_store_n(counter, *counter + nb, __ATOMIC_RELAXED);
}

static void
work_bad(struct work *w, uint64_t seq)
{
	if (w->ctl->bad == 0)
		w->ctl->first_bad = seq;
	count(&w->ctl->bad, 1);
}

/* Look at all of a message, as its reader would. */
static inline void
work_look(struct work *w, const uint8_t *imm, uint32_t len, uint64_t seq)
{
	if ((w->flags & MSGQ_CTL_F_VALIDATE) != 0) {
		if (len != w->size || !pattern_ok(imm, len, w->key_in + seq))
			work_bad(w, seq);
	} else if (len != w->size) {
		work_bad(w, seq);
	} else {
		(void)*(const volatile uint8_t *)imm;
	}
}

/* Returns how many came; they have been given back. */
static uint32_t
work_receive(struct work *w)
{
	struct rte_comch_dpa_dev_elem elem;
	const uint8_t *imm;
	uint32_t nb = 0, len;
	int ret = 0;

	while (nb < w->burst) {
		ret = rte_comch_dpa_dev_completion_get(w->completion, &elem);
		if (ret != 1)
			break;
		imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
		work_look(w, imm, len, w->ctl->received + nb);
		nb++;
	}
	if (ret < 0)
		work_fail(w, ret);
	if (nb == 0)
		return 0;
	ret = rte_comch_dpa_dev_completion_ack(w->completion, nb);
	if (ret == 0)
		ret = rte_comch_dpa_dev_consumer_ack(w->consumer, nb);
	if (ret != 0)
		work_fail(w, ret);
	count(&w->ctl->received, nb);
	return nb;
}

static uint32_t
work_send(struct work *w)
{
	uint32_t nb, flags = RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS;
	int ret = 0;

	for (nb = 0; nb < w->burst; nb++) {
		if ((w->flags & MSGQ_CTL_F_VALIDATE) != 0)
			pattern_fill(w->msg, w->size, w->key_out + w->ctl->sent + nb);
		if (nb + 1 == w->burst)
			flags |= RTE_COMCH_DPA_DEV_F_FLUSH;
		ret = rte_comch_dpa_dev_producer_post_send_imm(w->producer, w->consumer_id,
				w->msg, w->size, flags);
		if (ret != 0)
			break;
	}
	if (ret != 0 && ret != -RTE_COMCH_DPA_DEV_EAGAIN)
		work_fail(w, ret);
	count(&w->ctl->sent, nb);
	return nb;
}

/* Answers wait for the host's posts, which it has made before it asks. */
static uint32_t
work_echo(struct work *w)
{
	struct rte_comch_dpa_dev_elem elem;
	const uint8_t *imm;
	uint32_t len;
	int ret;

	ret = rte_comch_dpa_dev_completion_get(w->completion, &elem);
	if (ret == 0)
		return 0;
	if (ret == 1) {
		imm = rte_comch_dpa_dev_elem_imm(&elem, &len);
		ret = rte_comch_dpa_dev_producer_post_send_imm(w->producer, w->consumer_id, imm,
				len, RTE_COMCH_DPA_DEV_F_FLUSH);
		work_look(w, imm, len, w->ctl->received);
	}
	if (ret == 0)
		ret = rte_comch_dpa_dev_completion_ack(w->completion, 1);
	if (ret == 0)
		ret = rte_comch_dpa_dev_consumer_ack(w->consumer, 1);
	if (ret != 0)
		work_fail(w, ret);
	count(&w->ctl->received, 1);
	count(&w->ctl->sent, 1);
	return 1;
}

/* A post of the host says that the next slot may be used. */
static uint32_t
work_copy(struct work *w)
{
	const struct msgq_ctl *c = w->ctl;
	uint64_t seq = c->sent, at = seq % c->slots * c->stride;
	int ret;

	ret = rte_comch_dpa_dev_producer_consumer_empty(w->producer, w->consumer_id);
	if (ret == 1)
		return 0;
	if (ret == 0)
		ret = rte_comch_dpa_dev_producer_dma_copy(w->producer, w->consumer_id,
				c->dst_window, c->dst_addr + at, c->src_window, c->src_addr + at,
				c->copy_len, &seq, sizeof(seq),
				RTE_COMCH_DPA_DEV_F_FLUSH | RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS);
	if (ret != 0) {
		work_fail(w, ret);
		return 0;
	}
	count(&w->ctl->sent, 1);
	return 1;
}

static uint32_t
work_turn(struct work *w)
{
	uint32_t nb = 0;

	switch (w->ctl->mode) {
	case MSGQ_MODE_ECHO:
		return work_echo(w);
	case MSGQ_MODE_COPY:
		return work_copy(w);
	default:
		if (w->consumer != 0)
			nb += work_receive(w);
		if (w->producer != 0)
			nb += work_send(w);
		return nb;
	}
}

static void
work_begin(struct work *w, struct msgq_ctl *ctl)
{
	const uint32_t eu = rte_comch_dpa_dev_eu_id();
	int ret;

	w->ctl = ctl;
	w->consumer = ctl->consumer;
	w->completion = ctl->completion;
	w->producer = ctl->producer;
	w->key_in = MSGQ_KEY_TO_DPA(eu);
	w->key_out = MSGQ_KEY_FROM_DPA(eu);
	w->consumer_id = ctl->consumer_id;
	w->size = ctl->size > MSGQ_MAX_SIZE ? MSGQ_MAX_SIZE : ctl->size;
	w->burst = ctl->burst;
	w->flags = ctl->flags;
	pattern_fill(w->msg, sizeof(w->msg), eu);
	if (w->consumer != 0 && ctl->granted == 0) {
		ret = rte_comch_dpa_dev_consumer_ack(w->consumer, ctl->credits);
		if (ret != 0)
			work_fail(w, ret);
		ctl->granted = 1;
	}
}

/*
 * Nothing tells a program of the host's posts: one that only sends cannot sleep until
 * there is one, and polls in event mode too.
 */
RTE_COMCH_DPA_THREAD(msgq_work)
{
	struct msgq_ctl *ctl = (struct msgq_ctl *)(uintptr_t)arg;
	struct work w;
	bool sleeps;
	int ret;

	work_begin(&w, ctl);
	sleeps = (w.flags & MSGQ_CTL_F_EVENT) != 0 && w.consumer != 0 &&
			(ctl->mode == MSGQ_MODE_ECHO || w.producer == 0);
	while (!work_over(&w)) {
		if (work_turn(&w) == 0 && sleeps)
			break;
	}
	if (sleeps && !work_over(&w)) {
		ret = rte_comch_dpa_dev_completion_request_notification(w.completion);
		if (ret != 0)
			work_fail(&w, ret);
	}
}
