/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers: posting bursts of buffers, and finding what has come, but where it comes in
 * entries: see shm_small.c. Everything here runs in the thread of one consumer and takes
 * no lock, but for waking a peer that sleeps and for telling of a peer that lies. What
 * the peer writes is loaded once, checked against what we posted, and then used. The
 * pairs of memory orders are named in shm_fence.h.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_mbuf.h>
#include <rte_prefetch.h>

#include "shm_burst.h"
#include "shm_msgq.h"

/* Mbufs that are allocated and posted at one time. */
#define RX_REFILL 32

/* What a completion says. */
struct rx_cpl {
	uint64_t len;
	uint32_t imm_len;
	uint32_t producer;
};

/* Wake the engines of the peer that wait for a credit. */
void
shm_post_wake(const struct shm_consumer *c, uint32_t want)
{
	const struct shm_wire_link *peer = c->link->peer;
	uint32_t group, armed;

	while (want != 0) {
		group = __builtin_ctz(want);
		want &= want - 1;
		armed = __atomic_load_n(&peer->groups[group].armed, __ATOMIC_RELAXED);
		if (armed != 0)
			shm_link_wake(c->link, group, armed);
	}
}

static inline void
post_one(struct shm_consumer *c, uint64_t off, uint64_t len, uint64_t cookie)
{
	uint32_t slot = c->post_pos & c->mask;

	c->posted[slot].cookie = cookie;
	c->posted[slot].len = len;
	c->posted[slot].addr = NULL;
	if (c->base != NULL) {
		c->posted[slot].addr = c->base + off;
		/* relaxed: the tail orders them */
		if (unlikely(len >= SHM_WIRE_POST_LONG))
			__atomic_store_n(&c->own->words[c->mask + 1 + slot], len,
				__ATOMIC_RELAXED);
		__atomic_store_n(&c->own->words[slot], off << SHM_WIRE_POST_OFF_SHIFT |
			RTE_MIN(len, SHM_WIRE_POST_LONG), __ATOMIC_RELAXED);
	}
	c->post_pos++;
}

/* The same where a size was stated: lengths are there already. */
static inline void
post_stated(struct shm_consumer *c, uint64_t off, uint64_t cookie)
{
	uint32_t slot = c->post_pos & c->mask;

	c->posted[slot].cookie = cookie;
	c->posted[slot].addr = c->base + off;
	/* relaxed: the tail orders it */
	__atomic_store_n(&c->own->words[slot], off << SHM_WIRE_POST_OFF_SHIFT | c->post_word,
		__ATOMIC_RELAXED);
	c->post_pos++;
}

/* Is it a buffer that may be posted? */
static inline int
post_check(const struct shm_consumer *c, const struct rte_comch_post *post, uint64_t *off)
{
	*off = 0;
	if (unlikely(post->flags != 0))
		return -EINVAL;
	if (post->len == 0)
		return likely(post->addr == NULL) ? 0 : -EINVAL;
	if (unlikely(post->addr == NULL))
		return -EINVAL;
	if (unlikely(post->len > SHM_WIRE_MAX_BUF_SIZE))
		return -EMSGSIZE;
	*off = (uintptr_t)post->addr - (uintptr_t)c->base;
	if (unlikely(*off > c->region_size || post->len > c->region_size - *off))
		return -EFAULT;
	return 0;
}

/* The same where a size was stated; why not, if it may not be. */
static inline int
post_check_stated(const struct shm_consumer *c, const struct rte_comch_post *post, uint64_t *off)
{
	int ret;

	*off = (uintptr_t)post->addr - (uintptr_t)c->base;
	if (likely(post->len >= c->buf_size && post->flags == 0 && *off <= c->region_size &&
			post->len <= c->region_size - *off))
		return 0;
	ret = post_check(c, post, off);
	return ret != 0 ? ret : -EMSGSIZE;
}

/* stated is constant in each caller. */
static __rte_always_inline uint16_t
post_burst(struct shm_consumer *c, const struct rte_comch_post *posts, uint16_t nb, bool stated)
{
	uint32_t room = c->size - nb_posted(c);
	uint32_t n = RTE_MIN((uint32_t)nb, room);
	uint64_t off;
	uint32_t i;
	int ret;

	c->reason = n == nb ? 0 : -ENOBUFS;
	if (unlikely(c->mbufs)) {
		c->reason = -EINVAL; /* rte_comch_consumer_rx_burst() has it */
		n = 0;
	}
	for (i = 0; i < n; i++) {
		ret = stated ? post_check_stated(c, &posts[i], &off) :
			post_check(c, &posts[i], &off);
		if (unlikely(ret != 0)) {
			c->reason = ret;
			break;
		}
		if (stated)
			post_stated(c, off, posts[i].cookie);
		else
			post_one(c, off, posts[i].len, posts[i].cookie);
	}
	if (likely(i != 0))
		post_publish(c);
	if (unlikely(c->reason != 0)) {
		c->queue->stats.short_queue += c->reason == -ENOBUFS;
		c->queue->stats.errors += c->reason != -ENOBUFS;
	}
	return i;
}

static __rte_noinline uint16_t
post_many(struct shm_consumer *c, const struct rte_comch_post *posts, uint16_t nb)
{
	return post_burst(c, posts, nb, true);
}

/* A burst of one takes no loop; what comes in its way is told by the other function. */
uint16_t
shm_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct shm_consumer *c = queue;
	uint64_t off;

	if (nb != 1)
		return post_many(c, posts, nb);
	off = (uintptr_t)posts->addr - (uintptr_t)c->base;
	if (unlikely(c->mbufs || nb_posted(c) >= c->size || posts->flags != 0 ||
			posts->len < c->buf_size || off > c->region_size ||
			posts->len > c->region_size - off))
		return post_many(c, posts, nb);
	c->reason = 0;
	post_stated(c, off, posts->cookie);
	post_publish(c);
	return 1;
}

/* Where no size was stated: each post has its own, or no buffer. */
uint16_t
shm_post_sizes_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	return post_burst(queue, posts, nb, false);
}

/*
 * What a word says, if it is of this lap: 1, 0 if it is not, or -EPROTO if it
 * cannot be. room is the length of the post, imm_max that of immediate data. A peer
 * that lies about its producers harms nobody, but 0 is none.
 */
static inline int
cpl_decode(const struct shm_wire_cpls *cpls, uint64_t word, uint64_t lap, uint64_t room,
		uint32_t imm_max, struct rx_cpl *cpl)
{
	if ((word & 1) != lap)
		return 0;
	cpl->len = word >> SHM_WIRE_CPL_LEN_SHIFT;
	cpl->imm_len = (word >> SHM_WIRE_CPL_IMM_SHIFT) & SHM_WIRE_CPL_IMM_MASK;
	if (unlikely(cpl->len > room || cpl->imm_len > imm_max))
		return -EPROTO;
	/* relaxed: the word has ordered it */
	cpl->producer = __atomic_load_n(shm_wire_cpl_producer(cpls, word), __ATOMIC_RELAXED);
	if (unlikely(cpl->producer == 0))
		return -EPROTO;
	return 1;
}

/* The completion of one position. */
static inline int
cpl_get(const struct shm_consumer *c, uint32_t pos, struct rx_cpl *cpl)
{
	uint32_t slot = pos & c->mask;

	/* C: pairs with the release in words_publish() */
	return cpl_decode(c->cpls, __atomic_load_n(&c->cpls->words[slot], __ATOMIC_ACQUIRE),
		shm_wire_lap(pos, c->shift), c->posted[slot].len, c->imm_len, cpl);
}

/* From here on nothing is believed, and the connection ends. */
static void
cpl_broken(struct shm_consumer *c)
{
	c->broken = true;
	shm_fast_violation(c->queue, "its completion is nonsense", c->poll_pos,
		c->cpls->words[c->poll_pos & c->mask]);
}

/* Immediate data, copied out of what the peer may change. */
static inline void
imm_get(struct shm_consumer *c, uint32_t slot, uint32_t imm_len, struct rte_comch_cpl *cpl)
{
	uint64_t off = (uint64_t)slot * c->imm_size;

	if (unlikely(imm_len > RTE_COMCH_CPL_IMM_SIZE)) {
		memcpy(c->imm_copy + off, c->imm + off, imm_len);
		cpl->imm_ext = c->imm_copy + off;
	} else if (c->imm_size >= RTE_COMCH_CPL_IMM_SIZE) {
		/* all that is inline, which takes no call and no loop */
		memcpy(cpl->imm, c->imm + off, RTE_COMCH_CPL_IMM_SIZE);
	} else {
		memcpy(cpl->imm, c->imm + off, imm_len);
	}
}

/* Posts that come back unused. */
uint16_t
shm_flush_poll(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	uint32_t n = RTE_MIN(nb_posted(c), (uint32_t)nb);
	uint32_t i, slot;

	memset(cpls, 0, n * sizeof(*cpls));
	for (i = 0; i < n; i++) {
		slot = (c->poll_pos + i) & c->mask;
		cpls[i].cookie = c->entries != NULL ? c->cookies[slot] : c->posted[slot].cookie;
		cpls[i].status = c->flush;
	}
	c->poll_pos += n;
	return n;
}

/* What has come of the posts from poll_pos on, up to the end of the ring. */
static __rte_always_inline uint32_t
cpl_row(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint32_t nb, int *ret)
{
	const uint32_t slot = c->poll_pos & c->mask;
	const uint64_t lap = shm_wire_lap(c->poll_pos, c->shift);
	/* the compiler cannot know that what it writes to cpls is none of these */
	const struct shm_posted *posted = &c->posted[slot];
	const uint64_t *words = &c->cpls->words[slot];
	const uint32_t imm_max = c->imm_len;
	struct rx_cpl got;
	uint64_t bytes = 0;
	uint32_t i;

	nb = RTE_MIN(nb, RTE_MIN(nb_posted(c), c->mask + 1 - slot));
	for (i = 0, *ret = 0; i < nb; i++) {
		/* C: pairs with the release in words_publish() */
		*ret = cpl_decode(c->cpls, __atomic_load_n(&words[i], __ATOMIC_ACQUIRE), lap,
				posted[i].len, imm_max, &got);
		if (*ret <= 0)
			break;
		rte_prefetch0(posted[i].addr);
		cpls[i].cookie = posted[i].cookie;
		cpls[i].len = got.len;
		cpls[i].producer_id = got.producer;
		cpls[i].status = 0;
		cpls[i].imm_len = got.imm_len;
		cpls[i].reserved = 0;
		if (got.imm_len != 0)
			imm_get(c, slot + i, got.imm_len, &cpls[i]);
		bytes += got.len;
	}
	c->poll_pos += i;
	c->queue->stats.bytes += bytes;
	return i;
}

/* Nothing has come: then it is time for what is rare. */
static __rte_noinline uint16_t
cpl_none(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb, int ret)
{
	if (unlikely(ret < 0))
		cpl_broken(c);
	if (unlikely(c->flush != 0) && !c->mbufs)
		return shm_flush_poll(c, cpls, nb);
	/* the line of the next buffer comes together with that of its word */
	rte_prefetch0(c->posted[c->poll_pos & c->mask].addr);
	return 0;
}

static __rte_noinline uint16_t
poll_many(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb)
{
	uint32_t n = 0, row;
	int ret = 0;

	if (likely(!c->mbufs && !c->broken)) {
		n = cpl_row(c, cpls, nb, &ret);
		/* it went to the end of the ring, and may go on at its beginning */
		if (unlikely(ret > 0 && n < nb && (c->poll_pos & c->mask) == 0)) {
			row = cpl_row(c, &cpls[n], nb - n, &ret);
			n += row;
		}
	}
	if (unlikely(n == 0))
		return cpl_none(c, cpls, nb, ret);
	c->queue->stats.msgs += n;
	c->queue->stats.bursts++;
	return n;
}

/* A burst of one takes no loop. */
uint16_t
shm_cpl_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct shm_consumer *c = queue;
	int ret = 0;

	if (nb != 1 || unlikely(c->mbufs || c->broken))
		return poll_many(c, cpls, nb);
	if (cpl_row(c, cpls, 1, &ret) == 0)
		return cpl_none(c, cpls, nb, ret);
	c->queue->stats.msgs++;
	c->queue->stats.bursts++;
	return 1;
}

/*
 * Packets
 */

/*
 * The peer has read the words of the next posts a round ago. Own their lines again before the
 * next refill, whose many stores would wait for them; but not the line of the last posts,
 * which it reads now. Half of all places have no post, and what it reads behind the tail it
 * does not use.
 */
static inline void
refill_own(struct shm_consumer *c)
{
	const uint32_t step = RTE_CACHE_LINE_SIZE / sizeof(uint64_t);
	const uint32_t pos = RTE_ALIGN_CEIL(c->post_pos, step);
	uint64_t *const words = c->own->words;
	uint32_t i;

	RTE_BUILD_BUG_ON(RX_REFILL > SHM_MIN_RING_POSTS / 2);
	for (i = 0; i < RX_REFILL; i += step)
		__atomic_store_n(&words[(pos + i) & c->mask], 0, __ATOMIC_RELAXED);
}

/*
 * Post new mbufs; what the pool does not have is posted another time. What a header has to
 * say is written when a message has come, but for its second line, which is at hand here.
 */
static uint32_t
rx_refill(struct shm_consumer *c, uint32_t nb)
{
	/* the compiler cannot know that what is written below is none of these */
	struct shm_posted *const posted = c->posted;
	uint64_t *const words = c->own->words;
	const uint64_t word = c->post_word;
	const uint8_t *const base = c->base;
	const uint32_t mask = c->mask, pos = c->post_pos, headroom = c->headroom;
	struct rte_mbuf *pkts[RX_REFILL];
	uint32_t i, slot;
	uint8_t *data;

	if (unlikely(rte_mempool_get_bulk(c->pool, (void **)pkts, nb) != 0)) {
		for (i = 0; i < nb; i++)
			if (rte_mempool_get(c->pool, (void **)&pkts[i]) != 0)
				break;
		nb = i;
	}
	for (i = 0; i < nb; i++) {
		slot = (pos + i) & mask;
		data = (uint8_t *)pkts[i]->buf_addr + headroom;
		pkts[i]->tx_offload = 0;
		posted[slot].cookie = (uintptr_t)pkts[i];
		posted[slot].addr = data;
		/* relaxed: the tail orders it */
		__atomic_store_n(&words[slot], (uint64_t)(data - base) << SHM_WIRE_POST_OFF_SHIFT |
			word, __ATOMIC_RELAXED);
	}
	c->post_pos = pos + nb;
	if (likely(nb != 0)) {
		post_publish(c);
		if (likely(nb == RX_REFILL))
			refill_own(c);
	}
	return nb;
}

/* What each header says that is not the message's. */
static void
rx_header_make(struct shm_consumer *c)
{
	struct rte_mbuf m = { .nb_segs = 1, .port = RTE_MBUF_PORT_INVALID };

	RTE_BUILD_BUG_ON(offsetof(struct rte_mbuf, ol_flags) !=
		offsetof(struct rte_mbuf, data_off) + sizeof(c->header.rearm));
	RTE_BUILD_BUG_ON(offsetof(struct rte_mbuf, vlan_tci) !=
		offsetof(struct rte_mbuf, data_len) + sizeof(m.data_len));
	c->headroom = RTE_MIN((uint32_t)RTE_PKTMBUF_HEADROOM,
			(uint32_t)rte_pktmbuf_data_room_size(c->pool));
	m.data_off = c->headroom;
	rte_mbuf_refcnt_set(&m, 1);
	memcpy(&c->header.rearm, RTE_PTR_ADD(&m, offsetof(struct rte_mbuf, data_off)),
		sizeof(c->header.rearm));
	c->header.flags = (rte_pktmbuf_priv_flags(c->pool) & RTE_PKTMBUF_POOL_F_PINNED_EXT_BUF) ?
		RTE_MBUF_F_EXTERNAL : 0;
}

/* The first call decides what the posts are. */
static bool
rx_begin(struct shm_consumer *c)
{
	if (c->pool == NULL || c->post_pos != SHM_WIRE_POST_START ||
			c->pool->private_data_size < sizeof(struct rte_pktmbuf_pool_private)) {
		if (!c->logged)
			SHM_LOG(ERR, "%s: rte_comch_consumer_rx_burst() is for consumers with the region of an mbuf pool, and no posts by anybody else",
				c->queue->dev->data->name);
		c->logged = true;
		c->reason = -EINVAL;
		return false;
	}
	rx_header_make(c);
	c->mbufs = true;
	return true;
}

/*
 * A packet as from the pool, with a message. Its other fields are those of a free one, and
 * what rx_refill() has set.
 */
static inline void
rx_header_set(const struct shm_rx_header *header, struct rte_mbuf *m, const struct rx_cpl *got)
{
	/* data_len, and vlan_tci behind it: a length of an mbuf has 16 bits */
	const uint32_t len = RTE_BYTE_ORDER == RTE_LITTLE_ENDIAN ? got->len : got->len << 16;

	memcpy(RTE_PTR_ADD(m, offsetof(struct rte_mbuf, data_off)), header, sizeof(*header));
	m->packet_type = 0;
	m->pkt_len = got->len;
	memcpy(RTE_PTR_ADD(m, offsetof(struct rte_mbuf, data_len)), &len, sizeof(len));
	m->vlan_tci_outer = 0;
	m->hash.usr = got->producer;
}

/* Packets that have come, up to the end of the ring. */
static inline uint32_t
rx_row(struct shm_consumer *c, struct rte_mbuf **pkts, uint32_t nb, int *ret, const bool meta)
{
	const uint32_t slot = c->poll_pos & c->mask;
	const uint64_t lap = shm_wire_lap(c->poll_pos, c->shift);
	/* as in rx_refill() */
	const struct shm_posted *posted = &c->posted[slot];
	const struct shm_wire_cpls *const cpls = c->cpls;
	const uint64_t *words = &cpls->words[slot];
	const struct shm_rx_header header = c->header;
	const uint64_t room = c->buf_size;
	const uint32_t imm_max = c->imm_len;
	struct rx_cpl got;
	uint64_t bytes = 0;
	int found = 0;
	uint32_t i;

	nb = RTE_MIN(nb, RTE_MIN(nb_posted(c), c->mask + 1 - slot));
	for (i = 0; i < nb; i++) {
		/* C: pairs with the release in words_publish() */
		found = cpl_decode(cpls, __atomic_load_n(&words[i], __ATOMIC_ACQUIRE), lap, room,
				imm_max, &got);
		if (found <= 0)
			break;
		rte_prefetch0(posted[i].addr);
		pkts[i] = (struct rte_mbuf *)(uintptr_t)posted[i].cookie;
		rx_header_set(&header, pkts[i], &got);
		if (meta && got.imm_len == RTE_COMCH_META_SIZE)
			rte_comch_meta_get(&c->meta, c->imm + (uint64_t)(slot + i) * c->imm_size,
				pkts[i]);
		bytes += got.len;
	}
	*ret = found;
	c->poll_pos += i;
	c->queue->stats.bytes += bytes;
	return i;
}

static __rte_always_inline uint16_t
rx_mbuf(struct shm_consumer *c, struct rte_mbuf **pkts, uint16_t nb, const bool meta)
{
	uint32_t room, refill, i = 0;
	int ret = 0;

	if (unlikely(!c->mbufs) && !rx_begin(c))
		return 0;
	if (likely(!c->broken)) {
		i = rx_row(c, pkts, nb, &ret, meta);
		/* as in shm_cpl_poll() */
		if (unlikely(ret > 0 && i < nb && (c->poll_pos & c->mask) == 0))
			i += rx_row(c, &pkts[i], nb - i, &ret, meta);
	}
	if (likely(i != 0)) {
		c->queue->stats.msgs += i;
		c->queue->stats.bursts++;
	} else if (unlikely(ret < 0)) {
		cpl_broken(c);
	}
	if (unlikely(c->flush != 0))
		return i;
	/* in bulk, but a small queue must not wait for that */
	refill = RTE_MIN((uint32_t)RX_REFILL, RTE_MAX(c->size / 4, 1u));
	for (room = c->size - nb_posted(c); room >= refill; room -= refill)
		if (rx_refill(c, refill) != refill)
			break;
	return i;
}

uint16_t
shm_rx_mbuf(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	return rx_mbuf(queue, pkts, nb, false);
}

uint16_t
shm_rx_mbuf_meta(void *queue, struct rte_mbuf **pkts, uint16_t nb)
{
	return rx_mbuf(queue, pkts, nb, true);
}

/*
 * The end
 */

/* What is posted and will not be filled, and what has come and was not fetched. */
static void
mbufs_free(struct shm_consumer *c)
{
	while (nb_posted(c) != 0) {
		rte_pktmbuf_free((struct rte_mbuf *)(uintptr_t)
			c->posted[c->poll_pos & c->mask].cookie);
		c->poll_pos++;
	}
}

uint32_t
shm_consumer_left(struct rte_comch_queue *queue)
{
	struct shm_consumer *c = queue->priv;
	struct rx_cpl got;
	bool fetches;

	if (queue->msgq != NULL)
		return shm_msgq_consumer_left(queue);
	if (!c->mbufs && !shm_bounce_has_packets(c))
		return nb_posted(c);
	/* what has come waits as long as somebody fetches some of it in each turn */
	fetches = c->left_pos != c->poll_pos;
	c->left_pos = c->poll_pos;
	if (!fetches || c->broken || nb_posted(c) == 0 || cpl_get(c, c->poll_pos, &got) <= 0)
		mbufs_free(c);
	return nb_posted(c);
}

/* Is there something to poll? */
bool
shm_consumer_pending(const struct shm_consumer *c)
{
	struct rx_cpl got;

	if (c->cpls == NULL || nb_posted(c) == 0)
		return false;
	if (c->flush != 0 || c->entries != NULL)
		return c->flush != 0 || shm_small_pending(c);
	return !c->broken && cpl_get(c, c->poll_pos, &got) != 0;
}
