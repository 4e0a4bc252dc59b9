/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Queues of the fast path in plain memory, see test_bluefield_burst_util.h. */

#include "test_bluefield_burst_util.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define LKEY 0x1234ab00

struct burst burst;
uint32_t burst_fails;

static void
count_fail(struct rte_comch_dev *dev __rte_unused, int reason)
{
	if (reason == -EIO)
		burst_fails++;
}

static void
open_queue(struct rte_comch_queue *queue, bool is_consumer)
{
	memset(queue, 0, sizeof(*queue));
	queue->dev = burst.dev;
	queue->pg = &burst.group.pg;
	queue->is_consumer = is_consumer;
	queue->id = is_consumer ? 1 : 2;
	queue->size = BURST_QUEUE;
	queue->imm_len = burst.imm_len;
	queue->buf_size = BURST_BUF;
}

/* As bf_consumer_setup() does it, without a device. */
static int
open_consumer(void)
{
	struct bf_consumer *c = &burst.c;
	const uint32_t entries = 2 * BURST_QUEUE;

	open_queue(&burst.cq, true);
	wq_dev_init(&burst.cdev, 0, 0, 0, entries);
	wq_dev_init_srq(&burst.cdev, entries, bf_post_wqe_size(burst.imm_len));
	memset(c, 0, sizeof(*c));
	c->queue = &burst.cq;
	c->dev = &burst.bf;
	c->group = &burst.group;
	c->fast = &burst.fast;
	c->size = BURST_QUEUE;
	c->imm_len = burst.imm_len;
	c->buf_size = BURST_BUF;
	c->mem = &burst.mem;
	c->base = burst.bytes;
	c->region_size = sizeof(burst.bytes);
	c->key_len = bf_key_len(LKEY, BURST_BUF);
	c->last_off = sizeof(burst.bytes) - BURST_BUF;
	c->cookies = calloc(entries, sizeof(*c->cookies));
	c->imm = calloc(entries, BF_MAX_IMM);
	TEST_TRUE(c->cookies != NULL && c->imm != NULL);
	TEST_EXPECT(bf_sharedq_init(&c->rq, &burst.cdev.srq), 0);
	bf_sharedq_fill(&c->rq, burst.imm_len != 0 ? c->imm : NULL, BF_MAX_IMM, burst.imm_len,
		LKEY);
	bf_sharedq_fill_data(&c->rq, c->key_len);
	TEST_EXPECT(bf_compq_init(&c->cq, &burst.cdev.cq, &burst.cdev.uar), 0);
	memset(&burst.from, 0, sizeof(burst.from));
	burst.from.consumer = c;
	burst.from.index = BURST_USER;
	burst.from.fast = &burst.fast;
	burst.from.producer_id = BURST_PRODUCER;
	c->pairs[BURST_USER] = &burst.from;
	c->from[BURST_USER].id = BURST_PRODUCER;
	c->nb_slots = BURST_USER + 1;
	bf_consumer_fns(c, &burst.cfp);
	return TEST_SUCCESS;
}

static int
open_pair(uint32_t i)
{
	struct bf_pair *pair = &burst.to[i];
	struct bf_cq back = { .ring = burst.back[i], .dbr = burst.back_dbr, .nb_cqes = 2 };
	struct bf_rc *rc = &burst.rc[i];

	wq_dev_init(&burst.pdev[i], 2 * BURST_QUEUE, 0, 0, 2 * BURST_QUEUE);
	memset(pair, 0, sizeof(*pair));
	memset(rc, 0, sizeof(*rc));
	memset(burst.back[i], 0xf1, sizeof(burst.back[i]));
	rc->id = BURST_CONSUMER + i;
	rc->imm_len = burst.imm_len;
	rc->buf_size = BURST_BUF;
	rc->refs = 2;
	rc->credits.size = BURST_QUEUE;
	pair->rc = rc;
	pair->key = rc->id;
	pair->state = BF_PAIR_READY;
	pair->producer = &burst.p;
	pair->fast = &burst.fast;
	pair->dev = &burst.bf;
	pair->index = i;
	pair->nb_blocks = 2 * BURST_QUEUE;
	pair->upto = calloc(pair->nb_blocks, sizeof(*pair->upto));
	TEST_TRUE(pair->upto != NULL);
	TEST_EXPECT(bf_sendq_init(&pair->sq, &burst.pdev[i].qp, &burst.pdev[i].uar), 0);
	bf_send_form_init(&pair->form, &pair->sq, burst.imm_len);
	TEST_EXPECT(bf_compq_init(&pair->back, &back, &burst.pdev[i].uar), 0);
	bf_pair_mind_set(pair);
	burst.p.pairs[i] = pair;
	burst.p.to[rc->id % BF_MAX_CONSUMERS] = pair;
	burst.p.nb_pairs++;
	return TEST_SUCCESS;
}

static int
open_producer(void)
{
	struct bf_producer *p = &burst.p;
	uint32_t i;

	open_queue(&burst.pq, false);
	memset(p, 0, sizeof(*p));
	p->queue = &burst.pq;
	p->dev = &burst.bf;
	p->group = &burst.group;
	p->fast = &burst.fast;
	p->size = BURST_QUEUE;
	p->mask = 2 * BURST_QUEUE - 1;
	p->sent = calloc(p->mask + 1, sizeof(*p->sent));
	TEST_TRUE(p->sent != NULL);
	for (i = 0; i < BURST_PAIRS; i++)
		TEST_CALL(open_pair(i));
	TEST_EXPECT(bf_compq_init(&p->cq, &burst.pdev[0].cq, &burst.pdev[0].uar), 0);
	bf_producer_fns(p, &burst.pfp);
	return TEST_SUCCESS;
}

static int
open_line(void)
{
	memset(&burst.cc, 0, sizeof(burst.cc));
	burst.cd = calloc(1, sizeof(*burst.cd) + sizeof(burst.cd->log_limits[0]));
	TEST_TRUE(burst.cd != NULL);
	bf_lock_init(&burst.cd->lock);
	burst.bf.part[BF_PART_CHAN] = burst.cd;
	burst.cc.cd = burst.cd;
	burst.cc.pub.dev = &burst.bf;
	burst.cc.pub.group = &burst.group;
	burst.cc.ev_queued = true;
	burst.cg.gone = true; /* so that nobody takes the events */
	burst.fast.chan = &burst.cc.pub;
	return TEST_SUCCESS;
}

int
burst_open(uint32_t imm_len)
{
	burst_fails = 0;
	burst.imm_len = imm_len;
	burst.dev = rte_comch_pmd_allocate("burst", -1);
	TEST_TRUE(burst.dev != NULL);
	memset(&burst.ops, 0, sizeof(burst.ops));
	burst.ops.fail = count_fail;
	burst.dev->ops = &burst.ops;
	burst.dev->priv = &burst.bf;
	burst.bf.rte_dev = burst.dev;
	memset(&burst.fg, 0, sizeof(burst.fg));
	TAILQ_INIT(&burst.fg.consumers);
	TAILQ_INIT(&burst.fg.producers);
	TAILQ_INIT(&burst.fg.asking);
	burst.group.dev = &burst.bf;
	burst.group.part[BF_PART_FAST] = &burst.fg;
	burst.group.part[BF_PART_CHAN] = &burst.cg;
	memset(&burst.fast, 0, sizeof(burst.fast));
	bf_lock_init(&burst.fast.lock);
	TAILQ_INIT(&burst.fast.served);
	TAILQ_INIT(&burst.fast.asked);
	burst.fast.nb_producers = 1;
	burst.fast.refs = 100;
	TEST_CALL(open_line());
	burst.region = calloc(1, sizeof(*burst.region) + sizeof(uint32_t));
	TEST_TRUE(burst.region != NULL);
	burst.region->nb = 1;
	burst.region->lkey = LKEY;
	burst.mem.addr = burst.bytes;
	burst.mem.len = sizeof(burst.bytes);
	burst.mem.priv = burst.region;
	TEST_CALL(open_consumer());
	return open_producer();
}

void
burst_close(void)
{
	uint32_t i;

	for (i = 0; i < BURST_PAIRS; i++) {
		bf_sendq_fini(&burst.to[i].sq);
		free(burst.to[i].upto);
		burst.to[i].upto = NULL;
	}
	bf_sharedq_fini(&burst.c.rq);
	free(burst.c.cookies);
	free(burst.c.imm);
	free(burst.p.sent);
	free(burst.region);
	free(burst.cd);
	burst.cd = NULL;
	burst.c.cookies = NULL;
	burst.c.imm = NULL;
	burst.p.sent = NULL;
	burst.region = NULL;
	if (burst.dev != NULL)
		rte_comch_pmd_release(burst.dev);
	burst.dev = NULL;
}

static int
log_and_open(uint32_t imm_len)
{
	TEST_CALL(test_log_begin());
	return burst_open(imm_len);
}

int
burst_setup(void)
{
	return log_and_open(0);
}

int
burst_setup_imm(void)
{
	return log_and_open(BF_MAX_IMM);
}

void
burst_teardown(void)
{
	burst_close();
	test_log_end();
}

int
burst_credits(uint32_t pair, uint32_t nb)
{
	struct bf_credits *cr = &burst.rc[pair].credits;

	return bf_credits_told(cr, cr->tail + nb);
}

uint16_t
burst_post(uint32_t first, uint16_t nb)
{
	struct rte_comch_post posts[BURST_QUEUE + 1];
	uint16_t i;

	memset(posts, 0, sizeof(posts));
	for (i = 0; i < nb; i++) {
		posts[i].addr = burst.bytes + (first + i) % BURST_QUEUE * BURST_BUF;
		posts[i].len = BURST_BUF;
		posts[i].cookie = first + i;
	}
	return burst.cfp.post(&burst.c, posts, nb);
}

static void
put32(uint8_t *at, uint32_t val)
{
	rte_be32_t be = rte_cpu_to_be_32(val);

	memcpy(at, &be, sizeof(be));
}

void
burst_odd(uint8_t opcode, uint16_t index, uint32_t bytes, uint32_t user, uint32_t imm,
	uint8_t syndrome)
{
	uint8_t *cqe = wq_dev_cqe(&burst.cdev);

	wq_dev_complete(&burst.cdev, opcode, index, bytes);
	put32(cqe + 32, user);
	put32(cqe + 36, imm);
	cqe[55] = syndrome;
}

void
burst_arrive(uint32_t index, uint32_t len, uint32_t imm_len)
{
	memset(burst.c.imm + index * BF_MAX_IMM, (int)(index + imm_len), burst.imm_len);
	burst_odd(BF_CQE_RESP_SEND_IMM, index, burst.imm_len + len, BURST_USER, imm_len, 0);
}

void
burst_solicit(uint32_t read)
{
	uint8_t *cqe = burst.cdev.cqes.at + (burst.cdev.cq_pi - 1) % burst.cdev.cq.nb_cqes *
		BF_CQE_SIZE;

	put32(cqe + 36, read << BF_WIRE_READ_SHIFT | cqe[39]);
	cqe[BF_CQE_OP_OWN] |= BF_CQE_SOLICITED;
}

uint16_t
burst_send(uint32_t pair, uint32_t first, uint16_t nb, uint32_t flags)
{
	struct rte_comch_send msgs[BURST_QUEUE];
	uint8_t imm[BF_MAX_IMM] = { 1 };
	uint16_t i;

	memset(msgs, 0, sizeof(msgs));
	for (i = 0; i < nb; i++) {
		msgs[i].addr = burst.bytes + i * BURST_BUF;
		msgs[i].len = BURST_BUF;
		msgs[i].mem = &burst.mem;
		msgs[i].cookie = first + i;
		msgs[i].flags = flags;
		msgs[i].imm = imm;
		msgs[i].imm_len = burst.imm_len;
	}
	return burst.pfp.send(&burst.p, BURST_CONSUMER + pair, msgs, nb);
}

uint16_t
burst_last(uint32_t pair)
{
	return burst.to[pair].sq.pi - burst.to[pair].form.nb_blocks;
}

void
burst_sent(uint32_t pair, uint8_t opcode, uint16_t index, uint8_t syndrome)
{
	uint8_t *cqe = wq_dev_cqe(&burst.pdev[0]);

	wq_dev_complete(&burst.pdev[0], opcode, index, 0);
	put32(cqe + 32, pair);
	cqe[55] = syndrome;
}
