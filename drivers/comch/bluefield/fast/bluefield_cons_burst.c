/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: posting bursts of buffers, and finding what has come. All of it runs in the
 * thread of one consumer and takes no lock, but to tell of a peer or a device that lies.
 * What a completion says is loaded once, checked against what was posted, and then used.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>

#include "bluefield_fast.h"

/* Mbufs that are allocated and posted at one time. */
#define RX_REFILL 32
/* Bytes of a slot for immediate data. */
#define IMM_SLOT RTE_COMCH_CPL_IMM_SIZE

static inline uint32_t
nb_posted(const struct bf_consumer *c)
{
	return c->post_pos - c->poll_pos;
}

/*
 * Posts
 */

/* Key and length of a buffer, where the region has several chunks. */
static inline uint64_t
post_key(const struct bf_consumer *c, const void *addr)
{
	return bf_key_len(bf_mem_lkey(c->mem, addr, c->buf_size), c->buf_size);
}

/* Have the device see them, and producers before they run out. */
static inline void
post_publish(struct bf_consumer *c)
{
	uint32_t left = c->told - c->poll_pos, untold = c->post_pos - c->told;

	bf_sharedq_ring(&c->rq);
	/* release: the posts; pairs with the acquire in run_serve() */
	__atomic_store_n(&c->shown, c->post_pos, __ATOMIC_RELEASE);
	if (left <= BF_TELL_AT_ONCE || untold >= left / 8)
		bf_tell(c);
}

/* Why a buffer may not be posted. */
static __rte_noinline int
post_fault(const struct bf_consumer *c, const struct rte_comch_post *post)
{
	if (post->flags != 0)
		return -EINVAL;
	if ((post->len == 0) != (post->addr == NULL))
		return -EINVAL;
	if (post->len > BF_MAX_BUF_SIZE)
		return -EMSGSIZE;
	if (post->len != 0 && (c->mem == NULL || c->mem->nb_chunks == 0 ||
			rte_comch_pmd_mem_chunk(c->mem, post->addr, post->len) == NULL)) {
		uint64_t off = (uintptr_t)post->addr - (uintptr_t)c->base;

		if (off > c->region_size || post->len > c->region_size - off)
			return -EFAULT;
	}
	return post->len < c->buf_size ? -EMSGSIZE : 0;
}

static __rte_always_inline uint16_t
post_burst(struct bf_consumer *c, const struct rte_comch_post *posts, uint16_t nb,
	const bool with_imm, const bool multi)
{
	/* the compiler cannot know that what is written to the ring is none of these */
	const uint64_t size = c->buf_size, last_off = c->last_off;
	uintptr_t minus_base = -(uintptr_t)c->base;
	struct bf_post_row row = bf_post_row_begin(&c->rq);
	uint32_t n = RTE_MIN((uint32_t)nb, c->size - nb_posted(c)), i;
	const struct rte_comch_post *post = posts, *end;
	uint64_t *cookies = c->cookies;
	size_t index;
	int ret = 0;

	if (unlikely(c->mbufs || c->stopping)) {
		ret = -EINVAL; /* rte_comch_consumer_rx_burst() has it, or it stops */
		n = 0;
	}
	BF_WQ_HIDE(minus_base); /* to add it is one instruction, to subtract it is two */
	for (end = posts + n; post != end; post++) {
		/* what is longer, or in another chunk, is looked at more closely */
		if (unlikely(post->len != size || (uintptr_t)post->addr + minus_base > last_off ||
				post->flags != 0)) {
			ret = post_fault(c, post);
			if (ret != 0)
				break;
		}
		index = multi ? bf_post_row_put(&row, (uintptr_t)post->addr,
				post_key(c, post->addr), with_imm) :
			bf_post_row_put_addr(&row, (uintptr_t)post->addr, with_imm);
		cookies[index] = post->cookie;
		if (multi && c->places != NULL)
			c->places[index] = post->addr;
	}
	i = post - posts;
	bf_post_row_end(&row, &c->rq, i);
	c->post_pos += i;
	if (likely(i != 0))
		post_publish(c);
	c->reason = ret;
	if (unlikely(i != nb)) {
		c->reason = ret != 0 ? ret : -ENOBUFS;
		c->queue->stats.short_queue += ret == 0;
		c->queue->stats.errors += ret != 0;
	}
	return i;
}

static uint16_t
post_plain(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	return post_burst(queue, posts, nb, false, false);
}

static uint16_t
post_imm(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	return post_burst(queue, posts, nb, true, false);
}

static uint16_t
post_multi(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct bf_consumer *c = queue;

	return c->imm_len != 0 ? post_burst(c, posts, nb, true, true) :
		post_burst(c, posts, nb, false, true);
}

/*
 * Completions
 */

/* What a completion says. */
struct rx_cpl {
	size_t index;
	uint32_t len;
	uint32_t imm_len;
	uint64_t producer;
};

/* From here on nothing is believed: of the device, or of the peer. */
static __rte_noinline void
cpl_broken(struct bf_consumer *c, const struct bf_cqe *cqe, bool of_peer)
{
	uint32_t index = bf_cqe_wqe_counter(cqe), bytes = bf_cqe_byte_cnt(cqe);

	c->broken = true;
	if (!of_peer)
		bf_fast_nonsense(c->queue, "a completion of a message", index, bytes);
	else
		bf_chan_violation(c->fast->chan, "a message that cannot be", bytes,
			bf_cqe_imm(cqe));
}

/*
 * The queue pair of one producer has failed. It is that of one peer, who sends what it
 * likes: its connection ends, whatever the syndrome, and others go on.
 */
static __rte_noinline void
cpl_failed(struct bf_consumer *c, const struct bf_cqe *cqe)
{
	uint8_t syndrome = bf_cqe_syndrome(cqe);

	/* a message longer than its buffer, or packets that make none */
	if (syndrome == BF_SYND_LOCAL_LEN || syndrome == BF_SYND_REMOTE_INVAL) {
		cpl_broken(c, cqe, true);
		return;
	}
	c->broken = true;
	if (bf_peer_log_allowed(c->dev, c->fast->chan->rep_id))
		BF_LOG(ERR, "%s: consumer %u cannot receive: syndrome %#x, vendor's %#x",
			c->queue->dev->data->name, c->queue->id, syndrome,
			bf_cqe_vendor_syndrome(cqe));
	bf_chan_lost(c->fast->chan, -ECONNRESET);
}

/*
 * Kinds of requests that come from a peer. Only those of SEND with immediate are
 * messages; rights of ours do not let the others pass, but their packets can be sent.
 */
static bool
opcode_of_peer(uint8_t opcode)
{
	return opcode == BF_CQE_RESP_WRITE_IMM || opcode == BF_CQE_RESP_SEND ||
		opcode == BF_CQE_RESP_SEND_INV;
}

/* A post that was taken, and has not got a whole message: it is posted once more. */
static void
post_again(struct bf_consumer *c, uint32_t index)
{
	const uint64_t cookie = c->cookies[index];
	uint8_t *place = c->places != NULL ? c->places[index] : NULL;
	uint64_t data[2]; /* length and key, address */
	struct bf_post_row row;
	size_t next;

	memcpy(data, c->rq.data + (size_t)index * c->rq.wqe_size, sizeof(data));
	bf_sharedq_free(&c->rq, index);
	row = bf_post_row_begin(&c->rq);
	next = c->imm_len != 0 ? bf_post_row_put(&row, BF_BE64(data[1]), data[0], true) :
		bf_post_row_put(&row, BF_BE64(data[1]), data[0], false);
	bf_post_row_end(&row, &c->rq, 1);
	c->cookies[next] = cookie;
	if (c->places != NULL)
		c->places[next] = place;
	c->poll_pos++;
	c->post_pos++;
	post_publish(c);
}

/* The queue pair of a producer that goes was in the middle of a message. */
static void
cpl_flushed(struct bf_consumer *c, const struct bf_cqe *cqe, const struct bf_pair *pair)
{
	const uint32_t index = bf_cqe_wqe_counter(cqe);

	if (index > c->rq.mask || c->rq.link[index] != BF_SHAREDQ_POSTED) {
		cpl_broken(c, cqe, false);
		return;
	}
	c->from[pair->index].nb++;
	/* when it stops, all that is posted comes back */
	if (!c->stopping)
		post_again(c, index);
}

/* No message: the queue pair of one producer has failed, or the device tells nonsense. */
static __rte_noinline void
cpl_odd(struct bf_consumer *c, const struct bf_cqe *cqe)
{
	uint32_t index = bf_cqe_user_index(cqe);
	uint8_t opcode = bf_cqe_opcode(cqe);
	struct bf_pair *pair = index < BF_QUEUE_PAIRS ?
		__atomic_load_n(&c->pairs[index], __ATOMIC_ACQUIRE) : NULL;

	if (opcode != BF_CQE_RESP_ERR || pair == NULL)
		cpl_broken(c, cqe, pair != NULL && opcode_of_peer(opcode));
	else if (bf_cqe_syndrome(cqe) == BF_SYND_FLUSHED || pair->ending)
		cpl_flushed(c, cqe, pair);
	else
		cpl_failed(c, cqe);
}

/* What completions are checked against; in registers, where it can be. */
struct rx_limits {
	struct bf_from *from;
	uint32_t buf_size;
	uint32_t imm_len;
};

static __rte_always_inline struct rx_limits
rx_limits(struct bf_consumer *c)
{
	return (struct rx_limits){
		.from = c->from, .buf_size = c->buf_size, .imm_len = c->imm_len,
	};
}

/*
 * What a completion says, each with one check; false: the queue is broken. Who sent is known
 * by the queue pair.
 */
static __rte_always_inline bool
cpl_take(struct bf_consumer *c, const struct rx_limits *lim, struct bf_free_row *row,
	const struct bf_cqe *cqe, struct rx_cpl *got, const bool with_imm)
{
	uint32_t bytes = bf_cqe_byte_cnt(cqe);
	size_t user = bf_cqe_user_index(cqe);

	got->index = bf_cqe_wqe_counter(cqe);
	got->len = bytes - (with_imm ? lim->imm_len : 0);
	/* what comes with a message to one that takes no immediate data says nothing */
	got->imm_len = with_imm ? bf_cqe_imm(cqe) : 0;
	/* relaxed: who sends over it was told of it after this was written */
	got->producer = likely(user < BF_QUEUE_PAIRS) ?
		__atomic_load_n(&lim->from[user].id, __ATOMIC_RELAXED) : 0;
	if (unlikely(got->producer == 0 || got->len > lim->buf_size ||
			got->imm_len > lim->imm_len || !bf_free_row_posted(row, got->index))) {
		/* what the peer decides is the length, within the buffer, and the immediate */
		cpl_broken(c, cqe, got->producer != 0 && bytes <= c->imm_len + c->buf_size &&
			(got->len > c->buf_size || got->imm_len > c->imm_len));
		return false;
	}
	bf_free_row_take(row, got->index, with_imm);
	lim->from[user].nb++;
	return true;
}

/* A message of a producer that has read what it was told: from here on it is a usual one. */
static __rte_noinline void
cpl_noticed(struct bf_consumer *c, const struct bf_cqe *cqe)
{
	uint32_t index = bf_cqe_user_index(cqe);
	struct bf_pair *pair = index < BF_QUEUE_PAIRS ?
		__atomic_load_n(&c->pairs[index], __ATOMIC_ACQUIRE) : NULL;
	uint32_t read = bf_cqe_noticed(cqe, BF_WIRE_READ_SHIFT);

	if (likely(pair != NULL)) /* else it is found to be nonsense */
		bf_tell_more(c, pair, (read - pair->nb_read) & BF_WIRE_READ_MASK);
}

/* A row has ended: is there another message behind it? It may be at the ring's beginning. */
static bool
cpl_more(struct bf_consumer *c)
{
	const struct bf_cqe *cqe = bf_compq_next(&c->cq);

	if (cqe == NULL)
		return false;
	if (bf_cqe_opcode(cqe) != BF_CQE_RESP_SEND_IMM) {
		cpl_odd(c, cqe);
		return false;
	}
	c->cq.ci--;
	if (bf_cqe_solicited(cqe))
		cpl_noticed(c, cqe);
	return true;
}

/* Posts that come back unused, in the order of the list if it was never mixed up. */
static uint16_t
flush_poll(struct bf_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	uint32_t n = 0, index;

	while (n < nb && c->flush_at <= c->rq.mask) {
		index = (c->rq.head + c->flush_at++) & c->rq.mask;
		if (c->rq.link[index] != BF_SHAREDQ_POSTED)
			continue;
		memset(&cpls[n], 0, sizeof(cpls[n]));
		cpls[n].cookie = c->cookies[index];
		cpls[n].status = c->flush;
		n++;
	}
	c->poll_pos += n;
	return n;
}

/* Nothing has come: then it is time for what is rare. */
static uint16_t
cpl_none(struct bf_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	/* acquire: no message comes any more; pairs with the release in run_stop() */
	if (unlikely(__atomic_load_n(&c->flush, __ATOMIC_ACQUIRE) != 0))
		return c->mbufs ? 0 : flush_poll(c, cpls, nb);
	if (unlikely(__atomic_load_n(&c->attention, __ATOMIC_RELAXED) != 0))
		bf_consumer_service(c);
	else if (unlikely(c->told != c->post_pos))
		bf_tell(c);
	return 0;
}

/* A member of a completion, and zero in the next one: one store for both. */
#define CPL_PUT(cpl, member, next, val) do { \
	const uint64_t word_ = (val); \
	_Static_assert(offsetof(struct rte_comch_cpl, next) == \
		offsetof(struct rte_comch_cpl, member) + sizeof(uint32_t), "one word"); \
	memcpy(RTE_PTR_ADD(cpl, offsetof(struct rte_comch_cpl, member)), &word_, \
		sizeof(word_)); \
} while (0)

/* What has come, up to the end of the ring of completions. */
static __rte_always_inline uint32_t
cpl_row(struct bf_consumer *c, struct rte_comch_cpl *cpls, uint32_t nb, const bool with_imm,
	const bool bounced)
{
	struct bf_comp_row row = bf_comp_row_begin(&c->cq, nb);
	struct bf_free_row back = bf_free_row_begin(&c->rq);
	/* the compiler cannot know that what it writes to cpls is none of these */
	const struct rx_limits lim = rx_limits(c);
	const uint64_t *cookies = c->cookies;
	const uint8_t *imm = c->imm;
	const struct bf_cqe *cqe;
	uint64_t bytes = 0;
	struct rx_cpl got;
	uint32_t n;

	while ((cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM)) != NULL) {
		if (unlikely(!cpl_take(c, &lim, &back, cqe, &got, with_imm)))
			break;
		bf_comp_row_taken(&row);
		if (with_imm)
			memcpy(cpls->imm, imm + got.index * IMM_SLOT, IMM_SLOT);
		cpls->cookie = cookies[got.index];
		cpls->len = got.len;
		CPL_PUT(cpls, producer_id, status, got.producer);
		cpls->imm_len = got.imm_len;
		cpls->reserved = 0;
		if (bounced && got.len != 0)
			bf_bounce_in(c->mem, c->places[got.index], got.len);
		bytes += got.len;
		cpls++;
	}
	n = bf_comp_row_end(&row, &c->cq);
	bf_free_row_end(&back, &c->rq, n);
	c->queue->stats.bytes += bytes;
	return n;
}

/* What is behind a row. */
static __rte_noinline uint32_t
cpl_rest(struct bf_consumer *c, struct rte_comch_cpl *cpls, uint32_t nb)
{
	uint32_t n = 0, more = 1;

	while (n < nb && more != 0 && !c->broken && cpl_more(c)) {
		if (c->places != NULL)
			more = c->imm_len != 0 ? cpl_row(c, &cpls[n], nb - n, true, true) :
				cpl_row(c, &cpls[n], nb - n, false, true);
		else
			more = c->imm_len != 0 ? cpl_row(c, &cpls[n], nb - n, true, false) :
				cpl_row(c, &cpls[n], nb - n, false, false);
		n += more;
	}
	bf_compq_commit(&c->cq); /* there may be none of a message */
	return n;
}

static __rte_always_inline uint16_t
cpl_poll(struct bf_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb, const bool with_imm,
	const bool bounced)
{
	uint32_t n = 0;

	if (likely(!c->mbufs && !c->broken)) {
		n = cpl_row(c, cpls, nb, with_imm, bounced);
		if (n < nb && unlikely(bf_compq_peek(&c->cq) != NULL))
			n += cpl_rest(c, &cpls[n], nb - n);
	}
	if (unlikely(n == 0))
		return cpl_none(c, cpls, nb);
	bf_compq_commit(&c->cq);
	c->poll_pos += n;
	c->queue->stats.msgs += n;
	c->queue->stats.bursts++;
	return n;
}

static uint16_t
poll_plain(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return cpl_poll(queue, cpls, nb, false, false);
}

static uint16_t
poll_imm(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return cpl_poll(queue, cpls, nb, true, false);
}

static uint16_t
poll_bounced(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct bf_consumer *c = queue;

	return c->imm_len != 0 ? cpl_poll(c, cpls, nb, true, true) :
		cpl_poll(c, cpls, nb, false, true);
}

/*
 * Packets
 */

/* Post new mbufs; what the pool does not have is posted another time. */
static uint32_t
rx_refill(struct bf_consumer *c, uint32_t nb)
{
	struct rte_mbuf *pkts[RX_REFILL];
	struct bf_post_row row;
	const void *addr;
	uint32_t i, index;
	uint64_t key;

	if (rte_pktmbuf_alloc_bulk(c->pool, pkts, nb) != 0) {
		for (i = 0; i < nb; i++) {
			pkts[i] = rte_pktmbuf_alloc(c->pool);
			if (pkts[i] == NULL)
				break;
		}
		nb = i;
	}
	row = bf_post_row_begin(&c->rq);
	for (i = 0; i < nb; i++) {
		addr = rte_pktmbuf_mtod(pkts[i], void *);
		key = c->multi ? post_key(c, addr) : c->key_len;
		index = c->imm_len != 0 ? bf_post_row_put(&row, (uintptr_t)addr, key, true) :
			bf_post_row_put(&row, (uintptr_t)addr, key, false);
		c->cookies[index] = (uintptr_t)pkts[i];
	}
	bf_post_row_end(&row, &c->rq, nb);
	c->post_pos += nb;
	if (nb != 0)
		post_publish(c);
	return nb;
}

/* The first call decides what the posts are. A pool can be one of other objects. */
static bool
rx_begin(struct bf_consumer *c)
{
	if (c->pool == NULL || c->post_pos != 0 ||
			c->pool->private_data_size < sizeof(struct rte_pktmbuf_pool_private)) {
		if (!c->logged)
			BF_LOG(ERR, "%s: rte_comch_consumer_rx_burst() is for consumers with the region of an mbuf pool, and no posts by anybody else",
				c->queue->dev->data->name);
		c->logged = true;
		c->reason = -EINVAL;
		return false;
	}
	c->mbufs = true;
	return true;
}

static __rte_always_inline uint32_t
rx_row(struct bf_consumer *c, struct rte_mbuf **pkts, uint32_t nb, const bool with_imm)
{
	struct bf_comp_row row = bf_comp_row_begin(&c->cq, nb);
	struct bf_free_row back = bf_free_row_begin(&c->rq);
	const struct rx_limits lim = rx_limits(c);
	const struct bf_cqe *cqe;
	uint64_t bytes = 0;
	struct rx_cpl got;
	uint32_t n = 0;

	while ((cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM)) != NULL) {
		if (unlikely(!cpl_take(c, &lim, &back, cqe, &got, with_imm)))
			break;
		bf_comp_row_taken(&row);
		pkts[n] = (struct rte_mbuf *)(uintptr_t)c->cookies[got.index];
		pkts[n]->data_len = got.len;
		pkts[n]->pkt_len = got.len;
		pkts[n]->hash.usr = got.producer;
		if (unlikely(c->places != NULL) && got.len != 0)
			bf_bounce_in(c->mem, rte_pktmbuf_mtod(pkts[n], void *), got.len);
		if (with_imm && got.imm_len == RTE_COMCH_META_SIZE && c->meta.any)
			rte_comch_meta_get(&c->meta, c->imm + got.index * IMM_SLOT, pkts[n]);
		bytes += got.len;
		n++;
	}
	bf_free_row_end(&back, &c->rq, n);
	bf_comp_row_end(&row, &c->cq);
	c->queue->stats.bytes += bytes;
	return n;
}

/* All rows, and what is behind them. */
static inline uint32_t
rx_rows(struct bf_consumer *c, struct rte_mbuf **pkts, uint32_t nb)
{
	const uint32_t ci = c->cq.ci;
	uint32_t n = 0, more;

	do {
		more = c->imm_len != 0 ? rx_row(c, &pkts[n], nb - n, true) :
			rx_row(c, &pkts[n], nb - n, false);
		n += more;
	} while (n < nb && !c->broken && (n == more || more != 0) && cpl_more(c));
	if (c->cq.ci != ci)
		bf_compq_commit(&c->cq);
	c->poll_pos += n;
	return n;
}

static uint16_t
rx_mbuf(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	struct bf_consumer *c = queue;
	uint32_t room, refill, n = 0;

	if (unlikely(!c->mbufs) && !rx_begin(c))
		return 0;
	if (likely(!c->broken))
		n = rx_rows(c, pkts, nb);
	if (likely(n != 0)) {
		c->queue->stats.msgs += n;
		c->queue->stats.bursts++;
	} else {
		cpl_none(c, NULL, 0);
	}
	if (unlikely(c->stopping))
		return n;
	/* in bulk, but a small queue must not wait for that */
	refill = RTE_MIN((uint32_t)RX_REFILL, RTE_MAX(c->size / 4, 1u));
	for (room = c->size - nb_posted(c); room >= refill; room -= refill)
		if (rx_refill(c, refill) != refill)
			break;
	return n;
}

void
bf_consumer_fns(const struct bf_consumer *c, struct rte_comch_fp_object *fp)
{
	if (c->multi)
		fp->post = post_multi;
	else
		fp->post = c->imm_len != 0 ? post_imm : post_plain;
	fp->poll = c->imm_len != 0 ? poll_imm : poll_plain;
	if (c->places != NULL)
		fp->poll = poll_bounced;
	fp->rx_mbuf = rx_mbuf;
}

/* What is posted and will not be filled, and what has come and was not fetched. */
void
bf_consumer_mbufs_free(struct bf_consumer *c)
{
	uint32_t i;

	for (i = 0; i <= c->rq.mask; i++) {
		if (c->rq.link[i] != BF_SHAREDQ_POSTED)
			continue;
		rte_pktmbuf_free((struct rte_mbuf *)(uintptr_t)c->cookies[i]);
		c->rq.link[i] = 0;
	}
	c->poll_pos = c->post_pos;
}
