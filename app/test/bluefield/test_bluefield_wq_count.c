/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What devtools/count-instructions.sh runs under callgrind for queues of the bluefield
 * driver: bursts of the burst layer's structures into queues in plain memory, and back
 * out of completions, each burst in one function whose cost can be read by its name. All
 * checks that such a function must make are in it: sizes, flags, regions, indices. The
 * device is test_bluefield_wq_dev.c, and not counted. It is there if
 * COMCH_TEST_WQ_COUNT is set, to a number of messages; no test.
 */

#include "bluefield_wq_fast.h"
#include "test_bluefield_wq_count.h"

#define COUNT_SLOTS 64
#define COUNT_PAIRS 8
#define COUNT_IMM_SLOT BF_MAX_IMM

/* Where data may be, and its key. */
struct count_region {
	const struct rte_comch_mem *mem;
	uint64_t base;
	uint64_t len;
	uint64_t key;
};

/* The last three as they stand in struct rte_comch_send. */
struct count_sent {
	uint64_t len;
	uint64_t pad;
	uint32_t imm_len;
	uint32_t flags;
	uint64_t cookie;
};

struct count_pair {
	struct bf_sendq sq;
	struct bf_send_form form;
	uint64_t buf_size;
	uint32_t acked;         /* position behind the last message that has arrived */
	uint32_t *pos;          /* by block: position behind the message */
};

struct count_producer {
	struct bf_compq cq;
	struct count_pair *pairs[COUNT_PAIRS];
	struct count_region region;
	struct count_sent *sent;
	uint32_t mask;          /* of sent */
	uint32_t head, tail;    /* positions that were given back, and sent */
};

struct count_consumer {
	struct bf_compq cq;
	struct bf_sharedq rq;
	uint32_t producers[COUNT_PAIRS]; /* identifiers by pair; 0: there is none */
	struct count_region region;
	uint64_t *cookies;
	const uint8_t *slots;
	uint64_t buf_size;
	uint32_t imm_len;
};

static struct wq_dev dev;
static struct count_pair pair;
static struct count_producer producer;
static struct count_consumer consumer;
uint8_t count_data[COUNT_MAX_BURST * COUNT_BUF_SIZE];
static uint8_t count_slots[WQ_MAX_ENTRIES * COUNT_IMM_SLOT];
static uint64_t count_cookies[WQ_MAX_ENTRIES];
static uint32_t pos[WQ_MAX_SQ_BLOCKS];
static struct count_sent sent_ring[WQ_MAX_SQ_BLOCKS];

/*
 * The functions that are counted. with_imm is constant in each.
 */

static __rte_always_inline uint16_t
send_burst(struct count_producer *p, struct count_pair *to, const struct rte_comch_send *msgs,
	uint16_t nb, const bool with_imm)
{
	const struct bf_send_form *form = &to->form;
	const struct count_region region = p->region;
	struct bf_send_row row = bf_send_row_begin(&to->sq);
	uint32_t n = RTE_MIN((uint32_t)nb, bf_send_form_room(form, &to->sq));
	const struct rte_comch_send *msg, *end = msgs + n;
	const uint32_t imm_max = with_imm ? form->imm_len : 0;
	const uint64_t max_len = RTE_MIN(to->buf_size, region.len);
	uint32_t tail = p->tail;
	struct count_sent *sent;

	for (msg = msgs; msg != end; msg++) {
		if (unlikely(msg->flags > RTE_COMCH_SEND_F_NO_CPL || msg->imm_len > imm_max))
			break;
		if (likely(msg->len != 0)) {
			if (unlikely(msg->len > max_len || msg->mem != region.mem ||
			    (uintptr_t)msg->addr - region.base > region.len - msg->len))
				break;
			bf_send_row_put_one(&row, form, msg, region.key, msg->imm, msg->imm_len,
				msg->imm_len, with_imm, true);
		} else {
			bf_send_row_put_one(&row, form, NULL, 0, msg->imm, msg->imm_len,
				msg->imm_len, with_imm, false);
		}
		sent = &p->sent[tail++ & p->mask];
		sent->len = msg->len;
		rte_mov16((uint8_t *)&sent->imm_len, (const uint8_t *)&msg->imm_len);
	}
	if (unlikely(msg == msgs))
		return 0;
	to->pos[bf_send_row_last(&row)] = tail;
	p->tail = tail;
	bf_send_row_end(&row, &to->sq, true);
	bf_sendq_ring(&to->sq);
	return msg - msgs;
}

static __rte_always_inline uint16_t
sent_poll(struct count_producer *p, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct bf_comp_row row = bf_comp_row_begin(&p->cq, nb);
	const struct count_sent *sent;
	const struct bf_cqe *cqe;
	struct count_pair *from;
	uint32_t index, user, i, head = p->head;

	while ((cqe = bf_comp_row_next(&row, BF_CQE_REQ)) != NULL) {
		user = bf_cqe_user_index(cqe);
		index = bf_cqe_wqe_counter(cqe);
		from = user < COUNT_PAIRS ? p->pairs[user] : NULL;
		if (unlikely(from == NULL || bf_sendq_done(&from->sq, index) != 0))
			break;
		from->acked = from->pos[index & from->sq.mask];
		bf_comp_row_taken(&row);
	}
	if (bf_comp_row_end(&row, &p->cq) != 0)
		bf_compq_commit(&p->cq);
	/* with one pair: positions are those of the pair */
	for (i = 0; i < nb && (int32_t)(p->pairs[0]->acked - head) > 0; head++) {
		sent = &p->sent[head & p->mask];
		if (unlikely(sent->flags != 0))
			continue;
		cpls[i].cookie = sent->cookie;
		cpls[i].len = sent->len;
		cpls[i].producer_id = 0;
		cpls[i].status = 0;
		cpls[i].imm_len = 0;
		cpls[i].reserved = 0;
		i++;
	}
	p->head = head;
	return i;
}

/* Of what has flags, or another length than the consumer's buffers are said to have. */
static __rte_noinline bool
post_refused(const struct count_consumer *c, const struct rte_comch_post *post)
{
	uint64_t off = (uintptr_t)post->addr - c->region.base;

	return post->flags != 0 || post->len < c->buf_size || post->len > c->region.len ||
		off > c->region.len - post->len;
}

static __rte_always_inline uint16_t
post_burst(struct count_consumer *c, const struct rte_comch_post *posts, uint16_t nb,
	const bool with_imm)
{
	struct bf_post_row row = bf_post_row_begin(&c->rq);
	uint32_t n = RTE_MIN((uint32_t)nb, c->rq.nb_free);
	const struct rte_comch_post *post, *end = posts + n;
	const uint64_t buf_size = c->buf_size, base = c->region.base;
	/* of the last place for a buffer */
	const uint64_t last = c->region.len - buf_size;
	uint64_t *const cookies = c->cookies;

	for (post = posts; post != end; post++) {
		if (unlikely(((post->len ^ buf_size) | post->flags) != 0) && post_refused(c, post))
			break;
		if (unlikely((uintptr_t)post->addr - base > last))
			break;
		cookies[bf_post_row_put_addr(&row, (uintptr_t)post->addr, with_imm)] = post->cookie;
	}
	if (unlikely(post == posts))
		return 0;
	bf_post_row_end(&row, &c->rq, post - posts);
	bf_sharedq_ring(&c->rq);
	return post - posts;
}

/* bf_free_row_take(), with the index as the completion has it: so it is not turned twice. */
static __rte_always_inline void
take_back(struct bf_free_row *row, size_t index, rte_be16_t counter, const bool with_imm)
{
	BF_WQ_STORE16(row->tail_next, counter);
	*row->tail_link = index;
	row->tail_next = row->next + index * (with_imm ? 64 : 32);
	row->tail_link = &row->link[index];
	*row->tail_link = 0;
}

static __rte_always_inline uint16_t
recv_poll(struct count_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb, const bool with_imm)
{
	struct bf_comp_row row = bf_comp_row_begin(&c->cq, nb);
	struct bf_free_row back = bf_free_row_begin(&c->rq);
	const uint32_t imm_max = with_imm ? c->imm_len : 0;
	const uint32_t buf_size = c->buf_size;
	const uint8_t *const slots = c->slots;
	uint64_t *const cookies = c->cookies;
	struct rte_comch_cpl *cpl = cpls;
	const uint32_t *const producers = c->producers;
	uint32_t user, len, imm_len, id;
	const struct bf_cqe *cqe;
	rte_be16_t counter;
	size_t index;

	for (; (cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM)) != NULL; cpl++) {
		counter = BF_WQ_LOAD16(&cqe->wqe_counter);
		index = BF_BE16(counter);
		if (unlikely(!bf_free_row_posted(&back, index)))
			break;
		len = bf_cqe_byte_cnt(cqe) - imm_max;
		if (unlikely(len > buf_size))
			break;
		imm_len = bf_cqe_imm(cqe);
		if (unlikely(imm_len > imm_max))
			break;
		user = bf_cqe_user_index(cqe);
		if (unlikely(user >= COUNT_PAIRS))
			break;
		id = producers[user];
		if (unlikely(id == 0))
			break;
		take_back(&back, index, counter, with_imm);
		cpl->cookie = cookies[index];
		cpl->len = len;
		cpl->producer_id = id;
		cpl->status = 0;
		cpl->imm_len = imm_len;
		cpl->reserved = 0;
		if (with_imm)
			memcpy(cpl->imm, slots + (size_t)index * COUNT_IMM_SLOT, COUNT_IMM_SLOT);
		bf_comp_row_taken(&row);
	}
	if (unlikely(bf_comp_row_end(&row, &c->cq) == 0))
		return 0;
	bf_free_row_end(&back, &c->rq, cpl - cpls);
	bf_compq_commit(&c->cq);
	return cpl - cpls;
}

struct count_ops {
	uint16_t (*post)(struct count_consumer *c, const struct rte_comch_post *posts, uint16_t nb);
	uint16_t (*send)(struct count_producer *p, struct count_pair *to,
			const struct rte_comch_send *msgs, uint16_t nb);
	uint16_t (*receive)(struct count_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb);
	uint16_t (*sent)(struct count_producer *p, struct rte_comch_cpl *cpls, uint16_t nb);
	struct count_shape shape;
};

/* The word in the assembly keeps the compiler from folding functions that are alike. */
#define COUNT_APART(name) asm volatile("# " #name : : : "memory")

#define COUNT_OPS(kind, nb_burst, imm_bytes, data_bytes) \
static __rte_noinline uint16_t \
count_wq_post_##kind(struct count_consumer *c, const struct rte_comch_post *posts, uint16_t nb) \
{ \
	COUNT_APART(post_##kind); \
	return post_burst(c, posts, nb, imm_bytes != 0); \
} \
static __rte_noinline uint16_t \
count_wq_send_##kind(struct count_producer *p, struct count_pair *to, \
	const struct rte_comch_send *msgs, uint16_t nb) \
{ \
	COUNT_APART(send_##kind); \
	return send_burst(p, to, msgs, nb, imm_bytes != 0); \
} \
static __rte_noinline uint16_t \
count_wq_receive_##kind(struct count_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	COUNT_APART(receive_##kind); \
	return recv_poll(c, cpls, nb, imm_bytes != 0); \
} \
static __rte_noinline uint16_t \
count_wq_sent_##kind(struct count_producer *p, struct rte_comch_cpl *cpls, uint16_t nb) \
{ \
	COUNT_APART(sent_##kind); \
	return sent_poll(p, cpls, nb); \
} \
static const struct count_ops count_wq_##kind = { \
	count_wq_post_##kind, count_wq_send_##kind, count_wq_receive_##kind, \
	count_wq_sent_##kind, \
	{ .burst = nb_burst, .imm_len = imm_bytes, .len = data_bytes }, \
}

COUNT_OPS(buf_1, 1, 0, COUNT_LEN);
COUNT_OPS(buf_32, 32, 0, COUNT_LEN);
COUNT_OPS(imm_1, 1, 32, 0);
COUNT_OPS(imm_32, 32, 32, 0);
COUNT_OPS(both_1, 1, 32, COUNT_LEN);
COUNT_OPS(both_32, 32, 32, COUNT_LEN);

/*
 * Around them
 */

static struct wq_dev rx; /* of the consumer */

static int
count_open(const struct count_shape *shape)
{
	wq_dev_init(&dev, 128, 4, 16, COUNT_SLOTS);
	wq_dev_init(&rx, 1, 4, 16, COUNT_SLOTS);
	wq_dev_init_srq(&rx, COUNT_SLOTS, bf_post_wqe_size(shape->imm_len));
	memset(&producer, 0, sizeof(producer));
	memset(&consumer, 0, sizeof(consumer));
	memset(&pair, 0, sizeof(pair));
	TEST_EXPECT(bf_sendq_init(&pair.sq, &dev.qp, &dev.uar), 0);
	TEST_EXPECT(bf_compq_init(&producer.cq, &dev.cq, &dev.uar), 0);
	TEST_EXPECT(bf_sharedq_init(&consumer.rq, &rx.srq), 0);
	TEST_EXPECT(bf_compq_init(&consumer.cq, &rx.cq, &rx.uar), 0);
	bf_send_form_init(&pair.form, &pair.sq, shape->imm_len);
	pair.buf_size = consumer.buf_size = COUNT_BUF_SIZE;
	pair.pos = pos;
	producer.region = consumer.region = (struct count_region){
		.base = (uintptr_t)count_data, .len = sizeof(count_data), .key = bf_key(1),
	};
	producer.pairs[0] = &pair;
	consumer.producers[0] = 1;
	producer.sent = sent_ring;
	producer.mask = RTE_DIM(sent_ring) - 1;
	consumer.cookies = count_cookies;
	consumer.slots = count_slots;
	consumer.imm_len = shape->imm_len;
	bf_sharedq_fill(&consumer.rq, count_slots, COUNT_IMM_SLOT, shape->imm_len, 3);
	bf_sharedq_fill_data(&consumer.rq, bf_key_len(2, COUNT_BUF_SIZE));
	return TEST_SUCCESS;
}

static void
count_close(void)
{
	bf_sendq_fini(&pair.sq);
	bf_sharedq_fini(&consumer.rq);
}

int
count_carry(const struct count_shape *shape, struct wq_dev *tx, struct wq_dev *to,
	struct count_carried *carried)
{
	struct wq_req req, post;
	uint8_t *cqe;
	uint32_t i;

	for (i = 0; i < shape->burst; i++) {
		TEST_CALL(wq_dev_send(tx, false, &req));
		TEST_CALL(wq_dev_take(to, &post));
		TEST_EXPECT(req.inl_len, shape->imm_len);
		TEST_EXPECT(req.nb_sges, shape->len != 0);
		carried->wqe_bytes += 16 + (shape->imm_len != 0 ? 48 : 0) +
			(shape->len != 0 ? 16 : 0);
		cqe = wq_dev_cqe(to);
		cqe[39] = shape->imm_len;
		wq_dev_finish(to, cqe, BF_CQE_RESP_SEND_IMM, post.index,
			shape->imm_len + shape->len);
		if ((req.flags & BF_WQE_F_CQE) == 0)
			continue;
		wq_dev_complete(tx, BF_CQE_REQ, req.index, 0);
		carried->nb_cqes++;
	}
	return TEST_SUCCESS;
}

void
count_fill(const struct count_shape *shape, struct rte_comch_post *posts,
	struct rte_comch_send *sends, const struct rte_comch_mem *mem)
{
	uint32_t i;

	memset(posts, 0, shape->burst * sizeof(*posts));
	memset(sends, 0, shape->burst * sizeof(*sends));
	for (i = 0; i < shape->burst; i++) {
		posts[i].cookie = sends[i].cookie = i + 1;
		if (shape->imm_len != 0) {
			sends[i].imm = count_data;
			sends[i].imm_len = shape->imm_len;
		}
		if (shape->len == 0)
			continue;
		posts[i].addr = count_data + (size_t)i * COUNT_BUF_SIZE;
		posts[i].len = COUNT_BUF_SIZE;
		sends[i].addr = posts[i].addr;
		sends[i].len = shape->len;
		sends[i].mem = mem;
	}
}

/* Read by name only, and not known to the compiler. */
static const struct count_ops * volatile count_ops;

static int
count_run(const struct count_ops *ops, unsigned int nb_msgs)
{
	static struct rte_comch_cpl cpls[COUNT_MAX_BURST];
	const struct count_shape *shape = &ops->shape;
	struct rte_comch_post posts[COUNT_MAX_BURST];
	struct rte_comch_send sends[COUNT_MAX_BURST];
	struct count_carried carried = { 0 };
	uint16_t nb = shape->burst;
	uint32_t i, n;

	TEST_CALL(count_open(shape));
	count_fill(shape, posts, sends, NULL);
	/* every post has a buffer here */
	for (i = 0; i < nb; i++) {
		posts[i].addr = count_data + (size_t)i * COUNT_BUF_SIZE;
		posts[i].len = COUNT_BUF_SIZE;
	}
	count_ops = ops;
	for (n = 0; n < nb_msgs; n += nb) {
		TEST_EXPECT(count_ops->post(&consumer, posts, nb), nb);
		TEST_EXPECT(count_ops->send(&producer, &pair, sends, nb), nb);
		TEST_CALL(count_carry(shape, &dev, &rx, &carried));
		TEST_EXPECT(count_ops->receive(&consumer, cpls, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_TRUE(cpls[i].cookie == i + 1 && cpls[i].len == shape->len &&
				cpls[i].imm_len == shape->imm_len && cpls[i].producer_id == 1);
		TEST_EXPECT(count_ops->sent(&producer, cpls, nb), nb);
		for (i = 0; i < nb; i++)
			TEST_TRUE(cpls[i].cookie == i + 1 && cpls[i].status == 0);
	}
	/* what bounds a card; the script reads this line */
	printf("per message, burst %u: %u B immediate, %u B data: %.3f doorbells, %.0f B request, %.0f B post, %.0f B completions\n",
		nb, shape->imm_len, shape->len, (double)(dev.nb_doorbells + rx.nb_doorbells) / n,
		(double)carried.wqe_bytes / n, (double)rx.srq.wqe_size,
		64 + 64.0 * carried.nb_cqes / n);
	count_close();
	TEST_CALL(wq_dev_passed(&dev));
	return wq_dev_passed(&rx);
}

static int
count_main(struct unit_test_suite *suite)
{
	unsigned int nb_msgs;

	RTE_SET_USED(suite);
	if (sscanf(getenv("COMCH_TEST_WQ_COUNT"), "%u", &nb_msgs) != 1 || nb_msgs % 32 != 0) {
		printf("COMCH_TEST_WQ_COUNT is no multiple of 32\n");
		return TEST_FAILED;
	}
	TEST_CALL(count_run(&count_wq_buf_1, nb_msgs));
	TEST_CALL(count_run(&count_wq_buf_32, nb_msgs));
	TEST_CALL(count_run(&count_wq_imm_1, nb_msgs));
	TEST_CALL(count_run(&count_wq_imm_32, nb_msgs));
	TEST_CALL(count_run(&count_wq_both_1, nb_msgs));
	TEST_CALL(count_run(&count_wq_both_32, nb_msgs));
	return count_driver(nb_msgs);
}

REGISTER_COUNT_TEST(bluefield_wq_count, "COMCH_TEST_WQ_COUNT", count_main)
