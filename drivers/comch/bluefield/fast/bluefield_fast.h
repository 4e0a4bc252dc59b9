/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer fast: consumers and producers. Private structures of the fast path, and the
 * functions that cross its files. Bursts of messages are in bluefield_cons_burst.c,
 * bluefield_send.c and bluefield_mbuf.c, pairs in bluefield_pair.c, what the peer says of
 * its consumers and answers about ours in bluefield_fast.c.
 *
 * Who is who. This side's consumers are struct bf_consumer, each of its own thread: a
 * receive memory pool that all its producers share, and one completion queue. The
 * peer's are struct bf_rc, used by this side's producers, struct bf_producer, each of
 * its own thread, with one completion queue for what it sends. A struct bf_pair is one
 * reliable queue pair of this side, for one producer and one consumer of which one is
 * ours. What all have of one connection is in struct bf_fast.
 *
 * On the wire. A message is one SEND with immediate, from the producer's queue pair to
 * the oldest post. Where the consumer takes immediate data, that comes first, always as
 * many bytes as the consumer has said, and goes to a slot of the driver; how many of them
 * count is in the immediate of four bytes. In the other direction of the same queue pair
 * come messages without data, whose immediate is how many posts the consumer has made in
 * all. Its own small completion queue on either side keeps them apart from messages.
 *
 * Room for messages of credits. The producer's side posts so many entries for them, and
 * fills them in anew whenever it looks; the consumer sends no more than it knows to be
 * there. It learns of that by messages with the solicited bit, one for BF_PAIR_READS that
 * were read or more. So a producer that is idle is told so often, and not again before it
 * sends. What it was told may all be claimed when it wakes: then it looks into the queues of
 * other producers of this side, one of which was told since, as who claimed that has said
 * what it has read. And should that not have arrived yet, PAIR_GO says it once more.
 *
 * Books. A post is taken by one message, whole or in part, and has one completion then. The
 * producer's side counts what it claims for each pair, the consumer what completes of each:
 * when a pair ends, what was claimed and has not come is told of as if it was posted anew.
 * So the credits that are told in all are posts and these, and claims less these is how
 * many completions there will ever be.
 *
 * Threads of a pair. Commands are jobs of the worker. The queue's thread uses the rings
 * while the state is BF_PAIR_READY, and it alone takes a pair out of use: it posts the
 * last job, after which nobody else looks at the pair. Others ask it to, by end.
 */

#ifndef BLUEFIELD_FAST_H
#define BLUEFIELD_FAST_H

#include <rte_comch_meta.h>

#include "bluefield_chan.h"
#include "bluefield_credits.h"
#include "bluefield_dev.h"
#include "bluefield_lock.h"
#include "bluefield_log.h"
#include "bluefield_bounce.h"
#include "bluefield_wq.h"
#include "bluefield_wq_fast.h"

#define BF_MAX_CONSUMERS BF_WIRE_MAX_CONSUMERS
#define BF_MAX_POSTS 8192u
#define BF_MAX_SENDS 8192u
/* Pairs of one queue, with those that are about to go. */
#define BF_QUEUE_PAIRS 512u
/* Pairs of the producers of one side of a connection; their identifiers are below it. */
#define BF_CONN_PAIRS BF_WIRE_MAX_PAIRS
/*
 * Pairs of one peer, of all its connections, that its producers have with consumers of ours:
 * at most, those that are made or taken away at one time, and those that each peer can have
 * in any case.
 */
#define BF_PEER_PAIRS 4096u
#define BF_PEER_JOBS 64u
#define BF_PEER_MIN_PAIRS 64u
/* Entries for messages of credits, on both sides of a pair. */
#define BF_PAIR_CREDITS 32u
/* As many are left unread while a producer sends; of so many that were read it tells. */
#define BF_PAIR_UNREAD 8u
#define BF_PAIR_READS 8u
/* Bytes of one buffer. */
#define BF_MAX_BUF_SIZE ((UINT64_C(1) << 30) - BF_WIRE_MAX_IMM_LEN)
/* Messages of one chunk of a burst. */
#define BF_CHUNK 32
/* BF_RETRY_MS is doubled so often. */
#define BF_RETRY_DOUBLE 6
/* While the consumer has told of so many more than came, it tells of each post at once. */
#define BF_TELL_AT_ONCE 64

struct bf_producer;
struct bf_consumer;

/* What one peer has of us: a function of the host, or the card. Atomic. */
struct bf_share {
	uint32_t pairs;         /* that were asked for, until their queues are gone */
	uint32_t jobs;          /* of those, that the worker has to make */
};

/* What fast has in a device. */
struct bf_fast_dev {
	uint32_t max_pairs;     /* of each peer */
	struct bf_share shares[]; /* by identifier of its representor */
};

/* A consumer of the peer. */
struct bf_rc {
	struct bf_credits credits;
	uint32_t id;            /* set once */
	uint32_t imm_len;
	uint32_t tag;
	uint32_t meta_asked;
	struct rte_comch_meta_map meta;
	uint64_t buf_size;      /* 0: immediate data only */
	struct bf_fast *fast;
	/* with the lock of fast */
	uint32_t refs;          /* the table and each pair */
	TAILQ_HEAD(, bf_pair) pairs; /* that have a queue to look into */
};

/* The announcement of a consumer of ours, which may be gone; in the connection's thread. */
struct bf_ask {
	uint32_t id;            /* 0: there is none in this slot */
	uint64_t deadline;      /* of the peer's answer */
	TAILQ_ENTRY(bf_ask) next;
};

/* The fast path of one connection. With its lock, unless said. */
struct bf_fast {
	struct bf_lock lock;    /* inside no other; held around nothing that waits */
	struct bf_chan *chan;   /* referenced; set once */
	uint32_t refs;          /* the connection, each queue, each pair; atomic */
	uint32_t ended;         /* atomic: the connection is over */
	uint32_t nb_producers;  /* atomic */
	struct bf_rc *rcs[BF_MAX_CONSUMERS];
	struct bf_producer *producers[BF_MAX_PRODUCERS];
	/* ours that were announced, and have not stopped before the peer knew them */
	struct bf_consumer *consumers[BF_MAX_CONSUMERS];
	/* identifiers of ours that have left, and the peer has not answered to that; or 0 */
	uint32_t gone[BF_MAX_CONSUMERS];
	struct bf_pair *pairs[BF_CONN_PAIRS]; /* of our producers, by identifier */
	TAILQ_HEAD(, bf_pair) served;         /* of our consumers */
	/* in the thread of the connection */
	struct bf_ask asks[BF_MAX_CONSUMERS];
	TAILQ_HEAD(, bf_ask) asked;           /* the peer owes an answer, in order */
	TAILQ_ENTRY(bf_fast) next;            /* of the group, while somebody is asked */
	bool listed;
	uint32_t nb_gone;                     /* that the peer was told of, and owes an answer, */
	uint64_t gone_by;                     /* the next one by this TSC */
};

/* What a completion says: messages before pos, and blocks before end, have arrived. */
struct bf_sent_upto {
	uint32_t pos;
	uint16_t end;
	uint16_t spare;
};

enum bf_pair_state {
	BF_PAIR_OPENING = 0, /* a job is on its way, or the peer has to answer */
	BF_PAIR_READY,       /* messages and credits may be sent */
	BF_PAIR_FAILED,
	BF_PAIR_QUIET,       /* of a consumer: no more completions come of it */
	BF_PAIR_DEAD,        /* the last job has run: memory is left */
};

struct bf_pair {
	/* of the queue's thread, once the state is READY */
	struct bf_sendq sq;     /* messages, or those of credits */
	struct bf_send_form form;
	struct bf_rc *rc;       /* of a producer */
	uint32_t key;           /* identifier of the consumer, while it may be sent to, or 0 */
	uint32_t state;         /* enum bf_pair_state; atomic */
	uint32_t end;           /* asked to end; atomic */
	uint32_t acked;         /* positions before it have arrived */
	uint32_t claimed;       /* posts for its messages, ever; a consumer knows at the end */
	uint32_t last;          /* position of the producer when it began to end */
	struct bf_sent_upto *upto; /* by block, of requests with a completion */
	int fault;              /* status of what did not arrive; 0: the pair works */
	struct bf_recvq rq;     /* of a producer: credits */
	struct bf_compq back;   /* completions of messages of credits, both sides */
	/* of a producer */
	const uint8_t *mind;    /* when its lowest bit is mind_bit, a burst looks at back */
	uint8_t mind_bit;
	bool asked;             /* by PAIR_GO, and nothing has come since */
	uint32_t read;          /* messages of credits, ever, */
	uint32_t read_told;     /* and what the consumer knows of that */
	uint64_t peek;          /* TSC of the next look into queues of others */
	/* of a consumer */
	uint32_t told;          /* what this producer was told last, */
	uint32_t nb_told;       /* and how often, ever; */
	uint32_t nb_read;       /* of these it has read */
	uint64_t go;            /* the same, as PAIR_GO says it, and a bit above; atomic */
	uint16_t seen_pi;       /* of sq, at the last look */
	uint16_t seen_ci;
	bool back_armed;
	bool ending;            /* a job for its end was posted; with the lock of fast */
	bool closing;           /* the last one was */
	bool starved;           /* a burst ended for want of a credit of it */
	uint64_t retry;         /* TSC: it failed, and is tried again then */
	uint32_t tries;         /* before this one, for a producer that waits */
	uint64_t gone;          /* TSC: its consumer is; for what was sent, till then */

	/* set-up */
	struct bf_fast *fast;
	struct bf_dev *dev;
	struct bf_producer *producer; /* one of the two; not after ending is set */
	struct bf_consumer *consumer;
	uint32_t index;         /* in the table of its queue: the QP's user index */
	uint32_t id;            /* on the wire */
	uint32_t producer_id;
	uint32_t local_psn, remote_psn, remote_qpn;
	uint32_t nb_blocks;     /* of the send queue */
	uint32_t entries;       /* for messages of credits */
	uint32_t lost;          /* of a consumer: posts that were claimed in vain */
	bool listed;            /* in its rc; of the worker */
	bool told_peer;         /* the peer knows of it, and has to hear of its end */
	bool close_asked;       /* the peer waits for CLOSED, and has said how many it claimed */
	struct bf_cq cq;
	struct bf_qp qp;
	struct bf_idle idle_queue;    /* of the back queue, in the thread of the queue */
	bool idle_added;
	struct bf_job job;      /* each that leads to READY, one at a time */
	struct bf_job quiet_job, last_job;
	bool answered;          /* READY was said, by the peer or to it; with the lock of fast */
	TAILQ_ENTRY(bf_pair) next; /* of served, or of its rc */
};

/* In go of a pair. */
#define BF_PAIR_GO RTE_BIT64(32)

/* One message of a producer. */
struct bf_sent {
	uint64_t cookie;        /* or the mbuf */
	/* 31:0 length, 47:32 index of the pair, 55:48 BF_SENT_*, 63:56 blocks of a packet */
	uint64_t about;
};

#define BF_SENT_QUIET 1u        /* it has no completion */
#define BF_SENT_MBUF 2u         /* and is a packet */

static inline uint32_t
bf_sent_len(const struct bf_sent *sent)
{
	return (uint32_t)sent->about;
}

static inline uint16_t
bf_sent_pair(const struct bf_sent *sent)
{
	return sent->about >> 32;
}

static inline uint8_t
bf_sent_flags(const struct bf_sent *sent)
{
	return sent->about >> 48;
}

static inline uint8_t
bf_sent_blocks(const struct bf_sent *sent)
{
	return sent->about >> 56;
}

struct bf_producer {
	struct bf_pair *to[BF_MAX_CONSUMERS]; /* by identifier, modulo */
	struct bf_compq cq;     /* of all its sends */
	struct bf_sent *sent;   /* by position */
	uint32_t mask;          /* of sent */
	uint32_t tail, head;    /* positions: sent, and given back */
	uint32_t size;          /* completions that may wait to be polled */
	uint32_t nb_wanted;     /* those that will be polled, of what is in sent */
	int reason;
	bool broken;            /* the device tells nonsense */
	bool stopping;
	bool flushing;          /* the pairs are on their way to be taken away */
	struct bf_fast *fast;
	struct bf_dev *dev;
	struct rte_comch_queue *queue;
	struct bf_group *group;
	struct bf_pair *pairs[BF_QUEUE_PAIRS]; /* by index */
	uint32_t nb_pairs;      /* those that are there */
	uint32_t attention;     /* atomic: a pair has changed */
	bool armed;
	struct bf_idle idle_queue;
	struct bf_cq cq_obj;
	/* where a stop takes too long for the library, both are under way */
	struct bf_job flush_job, free_job;
	struct rte_comch_pmd_ending *ending; /* of the stop, while it waits */
	struct rte_comch_pmd_ending *flush_ending, *free_ending; /* of the jobs */
	uint64_t deadline;      /* of the stop */
	int status;             /* of what will not be delivered */
	struct bf_tx_pools *pools; /* of packets, see bluefield_mbuf.c */
	TAILQ_ENTRY(bf_producer) next; /* of its group */
};

/* What a consumer knows of a pair by its user index. */
struct bf_from {
	uint32_t id;            /* of the producer; 0: none; atomic */
	uint32_t nb;            /* completions that were taken */
};

struct bf_consumer {
	struct bf_compq cq;
	struct bf_sharedq rq;
	uint64_t *cookies;      /* of what is posted, by entry */
	uint8_t *imm;           /* slots for immediate data, by entry */
	uint64_t key_len;       /* of each post, if the region has one chunk, or there is none */
	uint64_t last_off;      /* of a buffer in the region, at most */
	uint64_t region_size;
	uint8_t *base;
	uint32_t imm_len;
	uint32_t buf_size;
	struct rte_comch_meta_map meta; /* of packets */
	uint32_t post_pos;      /* posts, ever */
	uint32_t poll_pos;      /* of them came back, ever */
	uint32_t shown;         /* posts that the device sees, for other threads; atomic */
	uint32_t anew;          /* claims that no message came of, ever; atomic */
	uint32_t told;          /* posts that there were when all pairs were told */
	uint32_t size;          /* posts at one time */
	uint32_t nb_slots;      /* of pairs: those above are not used */
	struct bf_from from[BF_QUEUE_PAIRS]; /* by user index */
	struct bf_pair *pairs[BF_QUEUE_PAIRS]; /* the same */
	const struct rte_comch_mem *mem;
	struct rte_mempool *pool;
	bool multi;             /* the region has several chunks, or a bounce buffer */
	uint8_t **places;       /* of posts, by entry, if there is a bounce buffer; else NULL */
	int reason;
	int flush;              /* status of what is given back, 0 if nothing is; atomic */
	int flush_next;         /* the same, when the pairs are gone */
	bool stopping;
	bool broken;            /* nothing that comes is believed */
	bool mbufs;             /* posts are mbufs of the pool */
	bool logged;
	bool armed;
	uint32_t attention;     /* atomic: a pair has changed, or credits are to be told */
	uint32_t flush_at;      /* entries that were given back or passed, from head on */

	/* set-up */
	struct bf_fast *fast;   /* from the announcement on */
	struct bf_dev *dev;
	struct rte_comch_queue *queue;
	struct bf_group *group;
	struct bf_idle idle_queue;
	struct bf_cq cq_obj;
	struct bf_srq srq;
	struct bf_obj_mem *imm_mem;
	struct bf_mkey imm_mkey;
	/* where a stop takes too long for the library, both are under way */
	struct bf_job stop_job, free_job;
	struct rte_comch_pmd_ending *stop_ending, *free_ending;
	bool leaving;           /* it stops, and waits for what the peer has claimed */
	/* with the lock of fast */
	uint64_t deadline;      /* of the wait */
	uint64_t leave_by;      /* of the wait, if the peer was told in time */
	bool known;             /* the peer has said that it knows it */
	bool landing;           /* the peer has answered: it has claimed so many posts in all */
	uint32_t land;
	TAILQ_ENTRY(bf_consumer) next; /* of its group */
};

/* What fast has in a poll group. */
struct bf_fast_group {
	TAILQ_HEAD(, bf_consumer) consumers;
	TAILQ_HEAD(, bf_producer) producers;
	TAILQ_HEAD(, bf_fast) asking;  /* connections with a consumer that waits */
	uint32_t attention;            /* atomic: one of the queues wants to be looked at */
	uint64_t look;                 /* TSC of the next look at requests that stay */
	uint64_t retry;                /* TSC: a pair is tried again, or a stop waits no more */
};

static inline struct bf_fast_group *
bf_fast_group_of(const struct bf_group *group)
{
	return group->part[BF_PART_FAST];
}

/* Have the thread of a queue look at its pairs, when it polls again; any thread. */
static inline void
bf_fast_attention(uint32_t *queue, const struct bf_group *group)
{
	/* release: what changed; pairs with the acquire in the service functions */
	__atomic_store_n(queue, 1, __ATOMIC_RELEASE);
	__atomic_store_n(&bf_fast_group_of(group)->attention, 1, __ATOMIC_RELEASE);
}

/* The same, of one that may sleep. */
static inline void
bf_fast_alert(uint32_t *queue, struct bf_group *group)
{
	bf_fast_attention(queue, group);
	bf_group_kick(group);
}

static inline bool
bf_pair_is(const struct bf_pair *pair, enum bf_pair_state state)
{
	/* acquire: what was set up; pairs with the release in bf_pair_set() */
	return __atomic_load_n(&pair->state, __ATOMIC_ACQUIRE) == (uint32_t)state;
}

static inline void
bf_pair_set(struct bf_pair *pair, enum bf_pair_state state)
{
	__atomic_store_n(&pair->state, state, __ATOMIC_RELEASE);
}

/* A consumer that the producer has a pair for, in whatever state, or NULL. */
static inline const struct bf_rc *
bf_rc_known(const struct bf_producer *p, uint32_t consumer_id)
{
	const struct bf_pair *pair = p->to[consumer_id % BF_MAX_CONSUMERS];

	return pair != NULL && pair->rc->id == consumer_id ? pair->rc : NULL;
}

/* bluefield_fast.c: what a connection has, what the peer says, and poll groups */
extern const struct bf_part bf_fast_part;
struct bf_fast *bf_fast_get(struct bf_dev *dev, const struct rte_comch_conn *conn);
void bf_fast_put(struct bf_fast *fast);
void bf_fast_forget(struct bf_consumer *c);
/* Have the peer told that it goes: true if it was announced, and the connection is there. */
bool bf_fast_leave(struct bf_consumer *c);
void bf_rc_put_locked(struct bf_rc *rc);
/* The device told what cannot be: the queue stops, and the device counts as failed. */
void bf_fast_nonsense(struct rte_comch_queue *queue, const char *what, uint64_t a, uint64_t b);
int bf_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp);
int bf_queue_stop(struct rte_comch_queue *queue, int status,
	struct rte_comch_pmd_ending *ending);
int bf_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending);
int bf_consumer_announce(struct rte_comch_queue *queue);
int bf_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id,
	struct rte_comch_room *room);
int bf_queue_idle(struct rte_comch_queue *queue);
uint32_t bf_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len,
	uint32_t max);
int bf_conn_consumer_info(struct rte_comch_dev *dev, const struct rte_comch_conn *conn,
	uint32_t consumer_id, struct rte_comch_remote_consumer_info *info);

/* bluefield_pair.c */
struct bf_pair *bf_pair_open(struct bf_producer *p, struct bf_rc *rc);
int bf_pair_serve(struct bf_consumer *c, const struct bf_wire_pair_open *msg);
/* Has the peer a pair of this identifier? The lock of fast is held. */
bool bf_pair_served(struct bf_fast *fast, uint32_t id);
int bf_pair_ready(struct bf_fast *fast, const struct bf_wire_pair_ready *msg);
int bf_pair_go(struct bf_fast *fast, const struct bf_wire_pair *msg);
int bf_pair_close(struct bf_fast *fast, const struct bf_wire_pair *msg);
int bf_pair_closed(struct bf_fast *fast, const struct bf_wire_pair *msg);
/*
 * The queue lets go of it, in its thread. Of a producer the last job is on its way after
 * this. Of a consumer it is QUIET when its completions are there: then it is closed.
 */
void bf_pair_end(struct bf_pair *pair);
void bf_pair_finish(struct bf_pair *pair);
/* Say by the connection how many messages of credits were read; 0, or not now. */
int bf_pair_ask(struct bf_pair *pair);
void bf_pair_free(struct bf_pair *pair);
/* Have the thread of the queue look when something comes to the back queue. */
void bf_pair_arm(struct bf_pair *pair);
/*
 * Has it requests that have not completed? ring: for those of the last look, if not one of
 * them has since.
 */
bool bf_pair_look(struct bf_pair *pair, bool ring);

/* bluefield_cons.c */
int bf_consumer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp);
int bf_consumer_stop(struct bf_consumer *c, int status, struct rte_comch_pmd_ending *ending);
int bf_consumer_free(struct bf_consumer *c, struct rte_comch_pmd_ending *ending);
uint32_t bf_consumer_left(struct rte_comch_queue *queue);
void bf_consumer_service(struct bf_consumer *c);
/* One that stops: has all arrived that the peer has claimed? It may be freed in there. */
void bf_consumer_leave(struct bf_consumer *c, uint64_t now);
bool bf_consumer_arm(struct bf_consumer *c);
int bf_consumer_idle(struct bf_consumer *c);
void bf_tell(struct bf_consumer *c);
/* It has read so many more of what it was told. */
void bf_tell_more(struct bf_consumer *c, struct bf_pair *pair, uint32_t nb);
bool bf_consumer_pending(struct bf_consumer *c);
/* As bf_pair_look(), for all pairs. */
bool bf_consumer_look(struct bf_consumer *c, bool ring);

/* bluefield_cons_burst.c */
void bf_consumer_fns(const struct bf_consumer *c, struct rte_comch_fp_object *fp);
void bf_consumer_mbufs_free(struct bf_consumer *c);

/* bluefield_prod.c */
int bf_producer_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp);
int bf_producer_stop(struct bf_producer *p, int status, struct rte_comch_pmd_ending *ending);
int bf_producer_free(struct bf_producer *p, struct rte_comch_pmd_ending *ending);
void bf_producer_flush(struct bf_producer *p, struct rte_comch_pmd_ending *ending);
void bf_producer_service(struct bf_producer *p, uint64_t now);
bool bf_producer_arm(struct bf_producer *p);
int bf_producer_idle(struct bf_producer *p);
bool bf_producer_look(struct bf_producer *p, bool ring);

/* bluefield_prod_credits.c */
uint32_t bf_credits_get(void *queue, uint32_t consumer_id);
bool bf_producer_credits(struct bf_producer *p, uint32_t consumer_id, uint32_t *credits);
void bf_credits_look(struct bf_pair *pair);
/* Before the ring of a burst, if bf_pair_minds(). */
void bf_credits_mind(struct bf_pair *pair);
void bf_pair_mind_set(struct bf_pair *pair);

/* bluefield_send.c */
void bf_producer_fns(const struct bf_producer *p, struct rte_comch_fp_object *fp);
struct bf_pair *bf_pair_find_slow(struct bf_producer *p, uint32_t consumer_id, int *reason);
void bf_sent_reap(struct bf_producer *p);
void bf_sent_quiet(struct bf_producer *p);
bool bf_sent_pending(struct bf_producer *p);
void bf_pair_fault(struct bf_pair *pair, int status);
void bf_send_note(struct bf_producer *p, uint32_t consumer_id, int fault, int reason);

/* Much that was not read, or much that the consumer does not know to be. */
static inline bool
bf_pair_minds(const struct bf_pair *pair)
{
	return (BF_WQ_LOAD8(pair->mind) & 1) == pair->mind_bit;
}

static inline bool
bf_pair_is_up(const struct bf_producer *p, uint32_t consumer_id)
{
	const struct bf_pair *pair = p->to[consumer_id % BF_MAX_CONSUMERS];

	return pair != NULL && pair->key == consumer_id;
}

/* One that can be sent to, or NULL, and *reason says why. */
static inline struct bf_pair *
bf_pair_find(struct bf_producer *p, uint32_t consumer_id, int *reason)
{
	if (likely(bf_pair_is_up(p, consumer_id)))
		return p->to[consumer_id % BF_MAX_CONSUMERS];
	return bf_pair_find_slow(p, consumer_id, reason);
}

/* bluefield_mbuf.c */
uint16_t bf_tx_mbuf(void *queue, uint32_t consumer_id, struct rte_mbuf **pkts, uint16_t nb);
void bf_tx_pools_free(struct bf_producer *p);

#endif
