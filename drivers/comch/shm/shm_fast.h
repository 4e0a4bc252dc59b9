/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_FAST_H
#define SHM_FAST_H

/*
 * Private structures of the fast path, and the functions that cross its files.
 *
 * Who is who. This side's consumers are struct shm_consumer, each of its own
 * thread. The peer's are struct shm_remote_consumer, used by this side's producers, struct
 * shm_producer, each of its own thread. What both have of one connection is in
 * struct shm_fast.
 *
 * How an object that a producer uses goes away: producers say which consumer they
 * are about to look up, and look afterwards; whoever takes a consumer away takes
 * it out of the table first, and looks at the producers afterwards. The store and
 * the load of a producer have no fence between them. Instead the other side, which
 * has time, makes all threads of the process pass one, by membarrier(). The same
 * is done across processes by an engine that goes to sleep. Where the kernel has
 * no such call, producers fence.
 */

#include <pthread.h>

#include <rte_branch_prediction.h>
#include <rte_comch_meta.h>

#include "comch_shm.h"
#include "shm_copy.h"
#include "shm_idle.h"

/* Messages of one chunk of a burst. */
#define SHM_CHUNK 32
/* Bytes after which messages are published without waiting for their chunk. */
#define SHM_PUBLISH_BYTES (64u << 10)
/* Places for posts that a consumer has at least. */
#define SHM_MIN_RING_POSTS 64
/* Posts of a consumer: half the places. */
#define SHM_MAX_POSTS (SHM_WIRE_MAX_POSTS / 2)
/* Sends of a producer whose completions were not polled. */
#define SHM_MAX_SENDS 8192
/* Consumers of one link that the peer has not answered about. */
#define SHM_MAX_LINK_ASKED (SHM_MAX_TX_FDS / 2)
/* Consumers that the peer of one link can make us have. */
#define SHM_MAX_LINK_REMOTE_CONSUMERS 1024
/* Bytes of a region that are mapped in advance: some ten milliseconds of the thread. */
#define SHM_POPULATE_MAX (UINT64_C(64) << 20)
/* Bursts that are refused for want of a post between two looks for the peer's process. */
#define SHM_REFUSED_LOOK 4096
/* Nothing was claimed, not even nothing. */
#define SHM_NO_CLAIM UINT32_MAX

/* Pages of a memfd that holds nothing else. */
struct shm_pages {
	void *map; /* NULL for none */
	uint64_t size;
	uint64_t page_size;
	int fd; /* -1 if nobody else gets it */
};

/* A region of this side. */
struct shm_region {
	struct shm_pages own;    /* none if the memory is the application's */
	struct shm_pages bounce; /* where peers write, if not to the memory itself */
	uint64_t bounce_len;     /* 0 if they write to the memory itself */
	uint64_t *bounce_offs;   /* where its chunks are in the bounce buffer */
	pthread_mutex_t lock;    /* of what follows, and of that buffer; before the device's */
	uint32_t users;          /* consumers that are started */
	uint32_t id;             /* SHM_WIRE_NO_REGION if peers know none */
};

/* A region of the peer. Under the device's lock; map stays once it is there. */
struct shm_peer_region {
	struct shm_link *link;
	void *map;     /* NULL before the first consumer */
	uint64_t size;
	uint32_t refs; /* the table, and each consumer */
	uint32_t nb_maps; /* threads that map it */
	int fd;        /* -1 once it is mapped; stays while somebody maps it */
	bool bad;      /* it was not what the peer said */
	struct shm_dev *dev;
	struct shm_ledger *ledger; /* of the link, which goes before it */
	struct shm_trash trash;
};

struct shm_producer;
struct shm_consumer;

/* The announcement of a consumer of ours, which may be gone; in the connection's thread. */
struct shm_ask {
	struct shm_chan *chan; /* NULL: there is none in this slot */
	uint32_t id;
	bool asked; /* the peer has to answer; else it waits for that */
	bool late;  /* it is, or this engine was: it has SHM_LATE_MS left */
	uint64_t deadline;
	TAILQ_ENTRY(shm_ask) next; /* of the group, either list */
};

/* The fast path of one connection. Under the device's lock, unless said. */
struct shm_fast {
	/* by slot; atomic: producers look. Those that need no fence of theirs, and all */
	struct shm_remote_consumer *open[SHM_WIRE_MAX_CONSUMERS];
	struct shm_remote_consumer *rcs[SHM_WIRE_MAX_CONSUMERS];
	/* atomic: how many producers claim; 0 if it is one, and there is membarrier() */
	uint32_t shared;
	/* atomic: while it may claim as the one that it was, no other claims; or NULL */
	struct shm_producer *unsettled;
	uint32_t ended;  /* atomic: the connection is over */
	uint32_t refs;   /* the connection, each producer, each consumer of the peer */
	struct shm_link *link;
	struct shm_seg *seg; /* ours of the connection: producers write to it */
	uint32_t nb_producers;
	struct shm_producer *producers[SHM_WIRE_MAX_PRODUCERS]; /* by identifier, modulo */
	struct shm_ask asks[SHM_WIRE_MAX_CONSUMERS]; /* by slot */
	/* the same, as long as they have not stopped, nor got an answer */
	struct shm_consumer *consumers[SHM_WIRE_MAX_CONSUMERS];
};

/* A consumer of the peer. */
struct shm_remote_consumer {
	/* set once */
	struct shm_entry *entries; /* NULL if its completions are words */
	const struct shm_wire_posts *posts;
	struct shm_wire_cpls *cpls;
	uint8_t *imm;
	uint8_t *base; /* of the region; NULL for immediate data only */
	uint64_t region_size;
	uint32_t mask;
	uint32_t shift;
	uint32_t imm_len;
	uint32_t imm_size;
	const uint32_t *peer_armed;
	struct shm_link *link;
	uint32_t peer_group;
	bool fence;
	uint32_t id;
	uint32_t tag;
	uint32_t meta_asked;
	struct rte_comch_meta_map meta;
	uint64_t *doorbell; /* word of its doorbell; NULL if peer_armed is the group's */
	uint64_t doorbell_mask;
	uint32_t *toggles; /* of that doorbell, by all producers of this process; atomic */

	/* what producers share, in their own process */
	uint64_t head __rte_aligned(128); /* next position to claim; low half of it */
	uint32_t tail_seen;               /* of the peer's tail, checked; relaxed */
	uint32_t reserved;                /* sum of the shares; atomic */
	uint64_t shares[SHM_WIRE_MAX_PRODUCERS]; /* of credits, see shm_share.c; atomic */

	/* set-up */
	struct shm_fast *fast __rte_aligned(128);
	struct shm_peer_region *region;
	uint64_t buf_size; /* as stated, or 0 */
	struct shm_seg seg;
	uint32_t posts_size;
	struct shm_ledger *ledger; /* of the link, which goes before it */
	struct shm_trash trash;
	TAILQ_ENTRY(shm_remote_consumer) next; /* of those that are dying */
};

/*
 * Doorbells of the consumers that one of our groups has on one link. They stay with the
 * link, with the toggles that were seen: so one that comes late, when its consumer is
 * gone already, is counted before the next consumer has that doorbell.
 */
struct shm_qdoorbells {
	uint64_t used[SHM_WIRE_QDOORBELL_WORDS]; /* under the device's lock */
	/* in the thread of the group */
	uint32_t nb_words; /* to look at */
	uint64_t mask[SHM_WIRE_QDOORBELL_WORDS]; /* those that have a consumer */
	uint64_t shadow[SHM_WIRE_QDOORBELL_WORDS];
	uint32_t seen[SHM_WIRE_MAX_QDOORBELLS]; /* toggles */
	struct shm_consumer *consumers[SHM_WIRE_MAX_QDOORBELLS];
};

struct shm_sent {
	uint64_t cookie;
	uint64_t len;
};

/* A producer of this side. */
struct shm_producer {
	struct shm_fast *fast;
	uint32_t *busy;    /* its word of the segment; read by others */
	uint32_t claiming; /* it is about to claim; read by others */
	uint32_t slot;
	uint32_t mask;
	uint32_t tail; /* completions: written and polled */
	uint32_t head;
	uint32_t nb_starved; /* bits of starved */
	uint64_t starved[SHM_WIRE_MAX_CONSUMERS / 64]; /* no credit of these slots */
	int reason;
	uint32_t nb_refused; /* for want of a post */
	bool peer_gone;      /* found by one that was refused, before its engine */
	struct rte_comch_queue *queue;
	struct shm_group *group;
	TAILQ_ENTRY(shm_producer) next; /* of its group */
	struct shm_copy_way way;
	struct shm_sent sent[];
};

/* What a consumer with a bounce buffer has besides. */
struct shm_bounce_rx {
	const struct rte_comch_mem *mem;
	rte_comch_post_burst_t post; /* what posts places of the bounce buffer */
	bool packets; /* posts are mbufs of the pool */
	uint8_t *to[]; /* where the message of each place belongs */
};

/* What we posted: the only copy that is believed. */
struct shm_posted {
	uint64_t cookie;
	uint64_t len;
	uint8_t *addr;
};

/* A batch of messages that is read, all of it checked: see shm_entry.h. */
struct shm_batch {
	const uint8_t *next; /* the next message */
	uint32_t left;       /* messages; 0: look for another batch */
	uint32_t len;        /* of each, bytes */
	uint32_t producer;
};

/* What the header of each packet says, in one copy. */
struct shm_rx_header {
	uint64_t rearm; /* from its data_off to its port */
	uint64_t flags; /* ol_flags */
};

/* A consumer of this side. */
struct shm_consumer {
	struct shm_wire_posts *own;
	const struct shm_wire_cpls *cpls;
	const uint8_t *imm;
	const struct shm_entry *entries; /* of cpls; NULL if it has words */
	uint64_t *cookies;               /* of what was posted, if it has inline entries */
	struct shm_batch batch;          /* the same */
	struct shm_posted *posted;       /* of what was posted, if it has words */
	uint8_t *imm_copy; /* of immediate data that is not inline */
	uint32_t size; /* posts at one time */
	uint32_t mask; /* of the places */
	uint32_t shift;
	uint32_t post_pos;
	uint32_t poll_pos;
	uint32_t left_pos; /* poll_pos at the last look at packets that are left */
	uint32_t imm_len;
	uint32_t imm_size;
	uint8_t *base;
	uint64_t region_size;
	uint64_t buf_size;  /* stated: that of each post; or 0 */
	uint64_t post_word; /* and what each word says of it */
	struct rte_mempool *pool;
	struct shm_rx_header header;
	uint32_t headroom;
	struct rte_comch_meta_map meta; /* of packets */
	int reason;
	int flush;  /* status of what is flushed, 0 if nothing is */
	bool broken; /* the peer's completions are nonsense */
	bool fence;
	bool mbufs; /* posts are mbufs of the pool */
	bool logged; /* that it is used for what it is not */
	struct shm_bounce_rx *bounce; /* NULL if messages come to where they belong */

	/* set-up */
	struct rte_comch_queue *queue;
	struct shm_group *group;
	struct shm_link *link; /* from the announcement on */
	struct shm_seg seg;
	uint32_t cpls_size;
	uint64_t deadline; /* of the peer's producers */
	TAILQ_ENTRY(shm_consumer) next; /* of its group */
	struct shm_qdoorbells *qdoorbells; /* its doorbell is one of these; NULL if it has none */
	uint32_t doorbell;
	bool joined;   /* its group looks at it */
	bool is_idle;  /* idle of its segment is not 0 */
	uint32_t idle_fence; /* of the group, when it became so */

	/* it closes: the peer's producers that were busy with it, and when to look again */
	uint64_t claims;
	uint64_t look;
	int flush_next;
	struct rte_comch_pmd_ending *ending;
	TAILQ_ENTRY(shm_consumer) next_close; /* of its group */
};

_Static_assert(SHM_WIRE_MAX_PRODUCERS <= 64, "bits of claims");

/* shm_region.c */
int shm_pages_map(struct shm_pages *pages, uint64_t len, bool huge);
void shm_pages_unmap(struct shm_pages *pages);
int shm_region_use(struct rte_comch_mem *mem);
void shm_region_unuse(struct rte_comch_mem *mem);
const struct shm_pages *shm_region_pages(const struct shm_region *region);
int shm_mem_alloc(struct rte_comch_mem *mem);
int shm_mem_register(struct rte_comch_mem *mem);
int shm_mem_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending);
int shm_region_send_locked(struct shm_link *link, const struct shm_region *region);
int shm_peer_region_add(struct shm_link *link, const struct shm_wire_region *msg, int fd);
int shm_peer_region_del(struct shm_link *link, uint32_t region);
int shm_peer_region_map(struct shm_dev *dev, struct shm_peer_region *region);
void shm_peer_region_put_locked(struct shm_peer_region *region);
void shm_peer_regions_free(struct shm_link *link);

/* shm_bounce.c: consumers with a bounce buffer */
int shm_bounce_plan(struct rte_comch_mem *mem, struct shm_region *region);
int shm_bounce_attach(struct shm_consumer *c, struct rte_comch_mem *mem);
void shm_bounce_fns(struct shm_consumer *c, struct rte_comch_fp_object *fp);
bool shm_bounce_has_packets(const struct shm_consumer *c);

/* shm_barrier.c */
bool shm_barrier_init(void);
void shm_barrier_fini(void);
bool shm_barrier_failed(void);
bool shm_fences_needed(void);
void shm_barrier_process(void);
void shm_barrier_all(void);

/* shm_fast.c: queues of this side */
struct shm_fast *shm_fast_get_locked(struct shm_chan *chan);
void shm_fast_put_locked(struct shm_fast *fast);
void shm_fast_violation(struct rte_comch_queue *queue, const char *what, uint64_t a, uint64_t b);
bool shm_fast_peer_gone(struct rte_comch_queue *queue);
int shm_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp);
int shm_queue_stop(struct rte_comch_queue *queue, int status,
		struct rte_comch_pmd_ending *ending);
int shm_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending);
int shm_consumer_announce(struct rte_comch_queue *queue);
void shm_ask_del(struct shm_ask *ask);
void shm_asks_del(struct shm_chan *chan);
void shm_consumer_gone_locked(struct shm_chan *chan, uint32_t id);
void shm_consumers_close(struct shm_group *group, uint64_t now);
void shm_consumers_ask(struct shm_group *group);
void shm_producer_tell(const struct shm_producer *p, const struct shm_remote_consumer *rc);
int shm_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id,
		struct rte_comch_room *room);

/* shm_remote_consumer.c: consumers of the peer, and its answers about ours */
uint32_t shm_remote_consumer_seg_size(const struct shm_wire_consumer *msg);
void shm_remote_consumer_drop_locked(struct shm_remote_consumer *rc);
int shm_conn_consumer_info(struct rte_comch_dev *dev, const struct rte_comch_conn *conn,
		uint32_t consumer_id, struct rte_comch_remote_consumer_info *info);
int shm_fast_event(struct shm_chan *chan, struct shm_event *ev);
void shm_fast_end(struct shm_chan *chan);
struct shm_ask *shm_ask_oldest(const struct shm_group *group);
struct shm_chan *shm_consumers_late(struct shm_group *group, uint64_t now);
void shm_dying_check_locked(struct shm_dev *dev);

/* shm_idle.c: idle consumers, and their doorbells */
int shm_qdoorbell_get_locked(struct shm_consumer *c, struct shm_link *link);
void shm_qdoorbell_put_locked(struct shm_consumer *c);
void shm_qdoorbell_leave(struct shm_consumer *c);
uint32_t *shm_qtoggles_get_locked(struct shm_link *link, uint32_t group);
void shm_qdoorbells_free(struct shm_link *link);
int shm_queue_idle(struct rte_comch_queue *queue);
void shm_consumer_arm(struct shm_consumer *c);
void shm_qdoorbells_scan(struct shm_glink *glink);
bool shm_qdoorbells_pending(const struct shm_glink *glink);
void shm_idle_fence(struct shm_group *group, uint64_t now);
void shm_remote_consumer_ring(struct shm_remote_consumer *rc, uint32_t armed);

/* shm_share.c: credits of one of several producers */
void shm_producers_settle_locked(const struct shm_producer *p);
uint32_t shm_share_get(const struct shm_producer *p, struct shm_remote_consumer *rc,
		uint32_t nb_producers);
uint32_t shm_share_claim(const struct shm_producer *p, struct shm_remote_consumer *rc,
		uint64_t head, uint32_t nb, const uint64_t *words);
void shm_shares_drop_locked(const struct shm_producer *p);

/* shm_tx.c: producers */
int shm_send_fault(const struct shm_remote_consumer *rc, const struct rte_comch_send *msg);
uint16_t shm_send_short(struct shm_producer *p, uint32_t consumer_id,
		const struct rte_comch_send *msgs, uint32_t nb, uint32_t sent, int reason);
uint16_t shm_send_burst(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs,
		uint16_t nb);
uint16_t shm_tx_mbuf(void *queue, uint32_t consumer_id, struct rte_mbuf **pkts, uint16_t nb);
uint16_t shm_sent_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);
bool shm_remote_consumer_credits(struct shm_producer *p, uint32_t consumer_id, uint32_t *credits);
uint32_t shm_credits(void *queue, uint32_t consumer_id);
uint32_t shm_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len,
		uint32_t max);
void shm_producer_arm(struct shm_producer *p);
bool shm_producer_pending(struct shm_producer *p);
void shm_producer_disarm(struct shm_producer *p);

/* shm_small.c: producers and consumers with entries */
uint16_t shm_small_send(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msgs, uint16_t nb);
uint16_t shm_small_send_one(struct shm_producer *p, struct shm_remote_consumer *rc,
		const struct rte_comch_send *msg);
uint16_t shm_small_tx(struct shm_producer *p, struct shm_remote_consumer *rc,
		struct rte_mbuf **pkts, uint16_t nb);
uint16_t shm_small_post(void *queue, const struct rte_comch_post *posts, uint16_t nb);
uint16_t shm_small_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);
bool shm_small_pending(const struct shm_consumer *c);

/* shm_rx.c: consumers */
void shm_post_wake(const struct shm_consumer *c, uint32_t want);
uint16_t shm_flush_poll(struct shm_consumer *c, struct rte_comch_cpl *cpls, uint16_t nb);
uint16_t shm_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb);
uint16_t shm_post_sizes_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb);
uint16_t shm_cpl_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);
uint16_t shm_rx_mbuf(void *queue, struct rte_mbuf **pkts, uint16_t nb);
uint16_t shm_rx_mbuf_meta(void *queue, struct rte_mbuf **pkts, uint16_t nb);
uint32_t shm_consumer_left(struct rte_comch_queue *queue);
bool shm_consumer_pending(const struct shm_consumer *c);

#endif /* SHM_FAST_H */
