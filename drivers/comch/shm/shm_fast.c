/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Consumers and producers of this side: how their queues are made and freed, and
 * what can be asked about them. Consumers of the peer are in shm_remote_consumer.c, bursts are
 * in shm_tx.c and shm_rx.c.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "shm_fast.h"
#include "shm_msgq.h"

/*
 * What a connection has of the fast path; the lock is held
 */

struct shm_fast *
shm_fast_get_locked(struct shm_chan *chan)
{
	struct shm_fast *fast = chan->fast;

	if (fast != NULL)
		return fast;
	fast = calloc(1, sizeof(*fast));
	if (fast == NULL)
		return NULL;
	fast->refs = 1;
	fast->shared = shm_fences_needed();
	/* producers write to it, also when the connection has ended */
	fast->link = chan->link;
	fast->link->refs++;
	fast->seg = &fast->link->segs[chan->seg];
	fast->seg->users++;
	chan->fast = fast;
	return fast;
}

void
shm_fast_put_locked(struct shm_fast *fast)
{
	if (--fast->refs != 0)
		return;
	fast->seg->users--;
	shm_link_put(fast->link);
	free(fast);
}

/* A peer lies in shared memory: its connection ends, in its own thread. */
void
shm_fast_violation(struct rte_comch_queue *queue, const char *what, uint64_t a, uint64_t b)
{
	struct shm_dev *dev = queue->dev->priv;
	struct shm_chan *chan;

	shm_dev_lock(dev);
	chan = queue->conn->priv;
	/* once: a loop may come by here until the connection's engine has turned */
	if (chan != NULL && !chan->lost) {
		shm_link_violation(chan->link, what, a, b);
		shm_chan_broken_locked(chan, -EPROTO);
	}
	shm_dev_unlock(dev);
}

/*
 * Whether the process of the peer has ended, or the connection has. Asked by a thread that
 * does not progress: the engine of the connection finds it by itself, and ends it.
 */
bool
shm_fast_peer_gone(struct rte_comch_queue *queue)
{
	struct shm_dev *dev = queue->dev->priv;
	struct pollfd pfd = { .events = POLLRDHUP };
	const struct shm_chan *chan;
	bool gone = true;

	shm_dev_lock(dev);
	chan = queue->conn->priv;
	if (chan != NULL && !chan->lost && chan->link->state != SHM_LINK_DEAD) {
		pfd.fd = chan->link->fd;
		gone = poll(&pfd, 1, 0) > 0;
	}
	shm_dev_unlock(dev);
	return gone;
}

/* The peer must know the group before it hears of the queue. */
static int
queue_join(const struct rte_comch_queue *queue)
{
	struct shm_group *group = container_of(queue->pg, struct shm_group, pg);
	const struct shm_chan *chan;
	int ret = -ENOTCONN;

	shm_dev_lock(group->dev);
	chan = queue->conn->priv;
	if (chan != NULL)
		ret = shm_group_join_locked(group, chan->link);
	shm_dev_unlock(group->dev);
	if (ret == -ECONNRESET)
		return -ENOTCONN;
	return ret == 0 || ret == -ENOTCONN || ret == -ENOMEM ? ret : -EMFILE;
}

/*
 * Consumers
 */

static void
consumer_free(struct shm_consumer *c)
{
	if (c->base != NULL)
		shm_region_unuse(c->queue->mem);
	free(c->bounce);
	free(c->posted);
	free(c->cookies);
	free(c->imm_copy);
	shm_seg_free(&c->seg);
	free(c);
}

/* The region that its buffers lie in, and where its peer may write. */
static int
consumer_region(struct shm_consumer *c, struct rte_comch_mem *mem)
{
	int ret;

	ret = shm_region_use(mem);
	if (ret != 0)
		return ret;
	c->base = mem->addr;
	c->region_size = mem->len;
	c->pool = mem->pool;
	return mem->how == RTE_COMCH_MEM_HOW_BOUNCE ? shm_bounce_attach(c, mem) : 0;
}

/*
 * Places of a ring for so many posts: twice as many. If all were posted, what is
 * posted next would be in the line of what the producers look at next, and that
 * line would go back and forth with each message. Batches need them, too.
 */
static uint32_t
ring_posts(uint32_t queue_size)
{
	return RTE_MAX(2 * queue_size, (uint32_t)SHM_MIN_RING_POSTS);
}

/* What all posts say, if a size was stated: no burst has to store it again. */
static void
posts_size_set(struct shm_consumer *c, uint32_t ring)
{
	uint32_t i;

	c->post_word = RTE_MIN(c->buf_size, SHM_WIRE_POST_LONG);
	for (i = 0; c->buf_size != 0 && i < ring; i++) {
		c->posted[i].len = c->buf_size;
		c->own->words[ring + i] = c->buf_size;
	}
}

/* What is known of each post, and room for immediate data that is not inline. */
static bool
places_alloc(struct shm_consumer *c, bool entries, uint32_t ring)
{
	if (entries)
		c->cookies = calloc(ring, sizeof(*c->cookies));
	else
		c->posted = calloc(ring, sizeof(*c->posted));
	if (c->cookies == NULL && c->posted == NULL)
		return false;
	if (c->imm_len <= RTE_COMCH_CPL_IMM_SIZE)
		return true;
	c->imm_copy = calloc(ring, c->imm_size);
	return c->imm_copy != NULL;
}

static int
consumer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct shm_group *group = container_of(queue->pg, struct shm_group, pg);
	struct shm_consumer *c = aligned_alloc(128, RTE_ALIGN_CEIL(sizeof(*c), (size_t)128));
	const bool entries = shm_wire_has_entries(queue->mem != NULL, queue->imm_len);
	uint32_t ring = ring_posts(queue->size);
	int ret = -ENOMEM;

	if (c == NULL)
		return -ENOMEM;
	memset(c, 0, sizeof(*c));
	c->seg.fd = -1;
	c->queue = queue;
	c->group = group;
	c->size = queue->size;
	c->mask = ring - 1;
	c->shift = rte_log2_u32(ring);
	c->imm_len = queue->imm_len;
	c->imm_size = shm_wire_imm_size(queue->imm_len);
	c->buf_size = queue->buf_size;
	ret = queue_join(queue);
	if (ret == 0)
		ret = rte_comch_meta_map_init(queue->meta, true, &c->meta);
	if (ret != 0)
		goto fail;
	ret = -ENOMEM;
	c->post_pos = c->poll_pos = SHM_WIRE_POST_START;
	c->left_pos = ~SHM_WIRE_POST_START;
	if (queue->mem != NULL) {
		ret = consumer_region(c, queue->mem);
		if (ret != 0)
			goto fail;
		ret = -ENOMEM;
	}
	if (!places_alloc(c, entries, ring))
		goto fail;
	fp->post = entries ? shm_small_post : c->buf_size != 0 ? shm_post_burst :
		shm_post_sizes_burst;
	fp->poll = entries ? shm_small_poll : shm_cpl_poll;
	ret = shm_seg_create(&c->seg, offsetof(struct shm_wire_posts, tail),
			shm_wire_posts_size(ring, c->base != NULL));
	if (ret != 0) {
		ret = ret == -EMFILE || ret == -ENFILE ? -EMFILE : -ENOMEM;
		goto fail;
	}
	c->own = c->seg.map;
	c->own->tail = SHM_WIRE_POST_START;
	c->own->consumer = queue->id;
	posts_size_set(c, ring);

	TAILQ_INSERT_TAIL(&group->consumers, c, next);
	queue->priv = c;
	fp->queue = c;
	fp->rx_mbuf = c->meta.any ? shm_rx_mbuf_meta : shm_rx_mbuf;
	if (c->bounce != NULL)
		shm_bounce_fns(c, fp);
	return 0;
fail:
	consumer_free(c);
	return ret;
}

/* The peer's answer is not for it any more, but for the connection. */
static void
consumer_forget_locked(struct shm_consumer *c)
{
	struct shm_chan *chan = c->queue->conn->priv;
	struct shm_consumer **slot;

	if (chan == NULL || chan->fast == NULL)
		return;
	slot = &chan->fast->consumers[shm_wire_consumer_slot(c->queue->id)];
	if (*slot == c)
		*slot = NULL;
}

static void
consumer_close(struct rte_comch_queue *queue)
{
	struct shm_consumer *c = queue->priv;
	struct shm_dev *dev = queue->dev->priv;

	TAILQ_REMOVE(&c->group->consumers, c, next);
	if (c->claims != 0) /* the library has given it up */
		TAILQ_REMOVE(&c->group->closing, c, next_close);
	shm_qdoorbell_leave(c);
	shm_dev_lock(dev);
	consumer_forget_locked(c);
	shm_qdoorbell_put_locked(c);
	if (c->link != NULL)
		shm_link_put(c->link);
	shm_dev_unlock(dev);
	shm_peer_unmap(c->cpls, c->cpls_size);
	consumer_free(c);
	queue->priv = NULL;
}

/*
 * Announcements, in the connection's thread
 */

/* The peer has to answer from now on. */
static void
ask_begin(struct shm_ask *ask)
{
	/* relaxed: a number that is compared with a limit */
	__atomic_fetch_add(&ask->chan->link->nb_asked, 1, __ATOMIC_RELAXED);
	ask->asked = true;
	TAILQ_INSERT_TAIL(&ask->chan->group->asked, ask, next);
}

/* Nobody waits for the answer of the peer, or for the time to ask it. */
void
shm_ask_del(struct shm_ask *ask)
{
	struct shm_chan *chan = ask->chan;

	if (chan == NULL)
		return;
	if (ask->asked) {
		__atomic_fetch_sub(&chan->link->nb_asked, 1, __ATOMIC_RELAXED);
		TAILQ_REMOVE(&chan->group->asked, ask, next);
	} else {
		TAILQ_REMOVE(&chan->group->unasked, ask, next);
	}
	ask->chan = NULL;
}

/* The connection ends: all of its. */
void
shm_asks_del(struct shm_chan *chan)
{
	uint32_t i;

	for (i = 0; chan->fast != NULL && i < SHM_WIRE_MAX_CONSUMERS; i++)
		shm_ask_del(&chan->fast->asks[i]);
}

/* Each answer has a descriptor, and the peer keeps only so many for us. */
static bool
link_asked_enough(const struct shm_link *link)
{
	return __atomic_load_n(&link->nb_asked, __ATOMIC_RELAXED) >= SHM_MAX_LINK_ASKED;
}

static int
announce_locked(struct shm_consumer *c, struct shm_chan *chan)
{
	struct rte_comch_queue *queue = c->queue;
	union shm_wire_msg msg = { 0 };
	struct shm_region *region;
	int fd = c->seg.fd, ret;

	msg.consumer.region = SHM_WIRE_NO_REGION;
	if (queue->mem != NULL) {
		region = queue->mem->priv;
		ret = shm_region_send_locked(chan->link, region);
		if (ret != 0)
			return ret;
		msg.consumer.region = region->id;
	}
	c->seg.fd = -1; /* goes with the message */
	msg.consumer.consumer = queue->id;
	msg.consumer.nb_posts = c->mask + 1;
	msg.consumer.imm_len = queue->imm_len;
	msg.consumer.tag = queue->tag;
	msg.consumer.meta = queue->meta;
	msg.consumer.buf_size = queue->buf_size;
	msg.consumer.group = c->group->index;
	msg.consumer.flags = shm_fences_needed() ? SHM_WIRE_CONSUMER_F_FENCE : 0;
	/* only those of tasks become idle: the others are polled by the application */
	if (queue->nb_tasks != 0 && shm_qdoorbell_get_locked(c, chan->link) == 0)
		msg.consumer.flags |= SHM_WIRE_CONSUMER_F_IDLE |
			c->doorbell << SHM_WIRE_CONSUMER_DOORBELL_SHIFT;
	shm_link_send(chan->link, &msg, SHM_WIRE_CONSUMER, sizeof(msg.consumer), chan->id, fd);
	return 0;
}

/* Not if it has stopped since: then there is nothing to announce. */
static int
ask_announce(struct shm_ask *ask)
{
	struct shm_chan *chan = ask->chan;
	struct shm_consumer **c = &chan->fast->consumers[shm_wire_consumer_slot(ask->id)];
	struct shm_dev *dev = chan->link->dev;
	int ret = -ECANCELED;

	shm_dev_lock(dev);
	if (*c != NULL)
		ret = announce_locked(*c, chan);
	if (ret != 0)
		*c = NULL;
	shm_dev_unlock(dev);
	return ret;
}

/* In each turn: those that had to wait. */
void
shm_consumers_ask(struct shm_group *group)
{
	struct shm_ask *ask, *next;
	struct shm_chan *chan;
	int ret;

	for (ask = TAILQ_FIRST(&group->unasked); ask != NULL; ask = next) {
		next = TAILQ_NEXT(ask, next);
		chan = ask->chan;
		if (link_asked_enough(chan->link))
			continue; /* others are of other links */
		ret = ask_announce(ask);
		shm_ask_del(ask);
		ask->chan = ret == 0 ? chan : NULL;
		if (ret == 0)
			ask_begin(ask);
		else
			rte_comch_pmd_consumer_answer(chan->conn, ask->id, ret);
	}
}

/* The connection knows it from now on, and it knows the link. */
static int
consumer_link(struct shm_consumer *c, struct shm_chan *chan)
{
	struct shm_dev *dev = chan->link->dev;
	struct shm_fast *fast;

	shm_dev_lock(dev);
	fast = shm_fast_get_locked(chan);
	if (fast != NULL) {
		fast->consumers[shm_wire_consumer_slot(c->queue->id)] = c;
		c->link = chan->link;
		c->link->refs++;
	}
	shm_dev_unlock(dev);
	return fast == NULL ? -ENOMEM : 0;
}

int
shm_consumer_announce(struct rte_comch_queue *queue)
{
	struct shm_chan *chan = queue->conn->priv;
	struct shm_ask *ask;
	int ret;

	if (chan == NULL || chan->state != SHM_CHAN_UP)
		return -ENOTCONN;
	ret = consumer_link(queue->priv, chan);
	if (ret != 0)
		return ret;
	ask = &chan->fast->asks[shm_wire_consumer_slot(queue->id)];
	ask->chan = chan;
	ask->id = queue->id;
	ask->asked = ask->late = false;
	/* waiting in line is the peer's time, too: the library waits not much longer */
	ask->deadline = rte_comch_pmd_deadline(SHM_CONSUMER_MS);
	if (link_asked_enough(chan->link)) {
		TAILQ_INSERT_TAIL(&chan->group->unasked, ask, next);
		return 0;
	}
	ret = ask_announce(ask);
	if (ret == 0)
		ask_begin(ask);
	else
		ask->chan = NULL;
	return ret;
}

/*
 * The end of consumers, in their own thread
 */

/* Tell the peer, which has said that it knows it. */
void
shm_consumer_gone_locked(struct shm_chan *chan, uint32_t id)
{
	union shm_wire_msg msg = { .consumer_id.consumer = id };

	shm_link_send(chan->link, &msg, SHM_WIRE_CONSUMER_GONE, sizeof(msg.consumer_id), chan->id,
		-1);
}

/* Its connection, as long as that is of use: under the lock. */
static struct shm_chan *
consumer_chan_locked(const struct shm_consumer *c)
{
	struct shm_chan *chan = c->queue->conn->priv;

	return chan == NULL || chan->lost || chan->link->state == SHM_LINK_DEAD ? NULL : chan;
}

/* O: producers of the peer that are inside of a burst to it. The fence is behind us. */
static uint64_t
consumer_claims_locked(const struct shm_consumer *c, const struct shm_chan *chan)
{
	uint64_t claims = 0;
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++)
		if (shm_busy_get(&chan->peer->busy[i].consumer) == c->queue->id)
			claims |= RTE_BIT64(i);
	return claims;
}

/* Nobody writes to its buffers any more: from now on poll gives the posts back. */
static void
consumer_closed(struct shm_consumer *c)
{
	TAILQ_REMOVE(&c->group->closing, c, next_close);
	c->claims = 0;
	c->flush = c->flush_next;
	rte_comch_pmd_ended(c->ending);
}

/* Look at one that closes: whether its producers have finished, or have had their time. */
static bool
consumer_is_closed(struct shm_consumer *c, uint64_t now)
{
	struct shm_dev *dev = c->group->dev;
	struct shm_chan *chan;

	shm_dev_lock(dev);
	chan = consumer_chan_locked(c);
	/* those that come since then find it closed, and do not count */
	if (chan != NULL) {
		c->claims &= consumer_claims_locked(c, chan);
		if (c->claims != 0 && now >= c->deadline) {
			shm_link_late(chan->link, "it does not finish a message");
			shm_chan_broken_locked(chan, -ETIMEDOUT);
			chan = NULL;
		}
	}
	shm_dev_unlock(dev);
	if (chan == NULL)
		c->flush_next = -ECONNRESET;
	return chan == NULL || c->claims == 0;
}

/* In each turn, if there are any. */
void
shm_consumers_close(struct shm_group *group, uint64_t now)
{
	struct shm_consumer *c, *next;

	for (c = TAILQ_FIRST(&group->closing); c != NULL; c = next) {
		next = TAILQ_NEXT(c, next_close);
		if (now < c->look)
			continue;
		c->look = now + rte_get_tsc_hz() / US_PER_S * SHM_CLOSE_US;
		if (consumer_is_closed(c, now))
			consumer_closed(c);
	}
}

/*
 * Take no more messages, tell the peer, and wait for those that its producers copy. Who
 * is not seen to be busy behind the fence finds it closed.
 */
static int
consumer_stop(struct shm_consumer *c, int status, struct rte_comch_pmd_ending *ending)
{
	struct shm_dev *dev = c->group->dev;
	struct shm_chan *chan;

	c->flush_next = status;
	shm_open_clear(&c->own->consumer, c->queue->id);
	shm_barrier_all();
	shm_dev_lock(dev);
	consumer_forget_locked(c);
	chan = c->cpls != NULL ? consumer_chan_locked(c) : NULL; /* or it had no posts */
	if (chan != NULL) {
		shm_consumer_gone_locked(chan, c->queue->id);
		c->claims = consumer_claims_locked(c, chan);
	}
	shm_dev_unlock(dev);
	if (c->claims == 0) {
		c->flush = status;
		return 0;
	}
	c->ending = ending;
	c->deadline = rte_comch_pmd_deadline(SHM_CONSUMER_MS);
	TAILQ_INSERT_TAIL(&c->group->closing, c, next_close);
	return -EINPROGRESS;
}

/*
 * Producers
 */

/* X: nobody claims without knowing that others do, too. p comes to those that there are. */
static void
producers_share_locked(struct shm_producer *p)
{
	struct shm_fast *fast = p->fast;
	uint32_t i;

	if (fast->nb_producers < 2)
		return;
	if (__atomic_exchange_n(&fast->shared, fast->nb_producers, __ATOMIC_RELAXED) != 0)
		return;
	for (i = 0; fast->producers[i] == NULL || fast->producers[i] == p; i++)
		;
	shm_shares_drop_locked(fast->producers[i]);
	/* relaxed: who must see it is p, and those that come later under the lock */
	__atomic_store_n(&fast->unsettled, fast->producers[i], __ATOMIC_RELAXED);
	shm_barrier_process();
	shm_producers_settle_locked(p);
}

/* Have the consumer know who is behind a slot; the lock is held. */
void
shm_producer_tell(const struct shm_producer *p, const struct shm_remote_consumer *rc)
{
	/* relaxed: C orders it, as all words of this producer come later */
	__atomic_store_n(&rc->cpls->producers[p->slot], p->queue->id, __ATOMIC_RELAXED);
}

static void
producer_unlink_locked(struct shm_producer *p)
{
	struct shm_fast *fast = p->fast;

	shm_shares_drop_locked(p);
	shm_producers_settle_locked(p);
	fast->producers[p->slot % SHM_WIRE_MAX_PRODUCERS] = NULL;
	/*
	 * The one that is left need not compare and swap any more. Release: it sees
	 * what the others have claimed; pairs with the acquire in rc_claim().
	 */
	fast->nb_producers--;
	__atomic_store_n(&fast->shared, fast->nb_producers < 2 ? shm_fences_needed() :
		fast->nb_producers, __ATOMIC_RELEASE);
	shm_fast_put_locked(fast);
}

static int
producer_link_locked(struct shm_producer *p, struct rte_comch_conn *conn)
{
	struct shm_chan *chan = conn->priv;
	struct shm_remote_consumer *rc;
	uint32_t i;

	if (chan == NULL || chan->state != SHM_CHAN_UP)
		return -ENOTCONN;
	p->fast = shm_fast_get_locked(chan);
	if (p->fast == NULL)
		return -ENOMEM;
	p->busy = &chan->own->busy[shm_wire_busy(p->queue->id)].consumer;
	p->fast->refs++;
	p->fast->nb_producers++;
	p->fast->producers[p->slot % SHM_WIRE_MAX_PRODUCERS] = p;
	for (i = 0; i < SHM_WIRE_MAX_CONSUMERS; i++) {
		/* relaxed: it was put there under the lock */
		rc = __atomic_load_n(&p->fast->rcs[i], __ATOMIC_RELAXED);
		if (rc != NULL)
			shm_producer_tell(p, rc);
	}
	producers_share_locked(p);
	return 0;
}

static int
producer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct shm_group *group = container_of(queue->pg, struct shm_group, pg);
	size_t size = sizeof(struct shm_producer) + queue->size * sizeof(struct shm_sent);
	struct shm_dev *dev = queue->dev->priv;
	struct shm_producer *p;
	int ret;

	size = RTE_ALIGN_CEIL(size, (size_t)128);
	p = aligned_alloc(128, size);
	if (p == NULL)
		return -ENOMEM;
	memset(p, 0, size);
	p->queue = queue;
	p->group = group;
	p->slot = shm_wire_producer_slot(queue->id);
	p->mask = queue->size - 1;
	p->tail = p->head = SHM_WIRE_POST_START;
	shm_copy_way_init(&p->way);
	ret = queue_join(queue);
	shm_dev_lock(dev);
	if (ret == 0)
		ret = producer_link_locked(p, queue->conn);
	shm_dev_unlock(dev);
	if (ret != 0) {
		free(p);
		return ret;
	}
	TAILQ_INSERT_TAIL(&group->producers, p, next);
	queue->priv = p;
	fp->queue = p;
	fp->send = shm_send_burst;
	fp->poll = shm_sent_poll;
	fp->credits = shm_credits;
	fp->tx_mbuf = shm_tx_mbuf;
	return 0;
}

static void
producer_close(struct rte_comch_queue *queue)
{
	struct shm_producer *p = queue->priv;
	struct shm_dev *dev = queue->dev->priv;

	shm_producer_disarm(p); /* if it sleeps, nobody has to wake it for this one */
	TAILQ_REMOVE(&p->group->producers, p, next);
	shm_dev_lock(dev);
	producer_unlink_locked(p);
	shm_dev_unlock(dev);
	free(p);
	queue->priv = NULL;
}

/*
 * Both
 */

int
shm_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	memset(fp, 0, sizeof(*fp));
	if (queue->msgq != NULL)
		return shm_msgq_queue_setup(queue, fp);
	return queue->is_consumer ?
		consumer_setup(queue, fp) : producer_setup(queue, fp);
}

/* A producer has copied and told of all that it took: nothing is under way. */
int
shm_queue_stop(struct rte_comch_queue *queue, int status, struct rte_comch_pmd_ending *ending)
{
	if (queue->msgq != NULL)
		return shm_msgq_queue_stop(queue, status);
	return queue->is_consumer ? consumer_stop(queue->priv, status, ending) : 0;
}

int
shm_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending __rte_unused)
{
	if (queue->msgq != NULL)
		shm_msgq_queue_free(queue);
	else if (queue->is_consumer)
		consumer_close(queue);
	else
		producer_close(queue);
	return 0;
}

int
shm_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id, struct rte_comch_room *room)
{
	struct shm_producer *p = queue->priv;
	const struct shm_consumer *c = queue->priv;

	if (queue->msgq != NULL)
		return shm_msgq_queue_room(queue, consumer_id, room);
	if (queue->is_consumer) {
		room->credits = c->post_pos - c->poll_pos;
		room->queue = c->size - room->credits;
		room->reason = c->reason;
		return 0;
	}
	if (__atomic_load_n(&p->fast->ended, __ATOMIC_RELAXED) != 0)
		return -ENOTCONN;
	if (!shm_remote_consumer_credits(p, consumer_id, &room->credits))
		return -ENOENT;
	room->queue = p->mask + 1 - (p->tail - p->head);
	room->reason = p->reason;
	return 0;
}
