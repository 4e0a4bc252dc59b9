/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_MSGQ_H
#define SHM_MSGQ_H

/*
 * Queues of message queues, host side: private structures, and the functions that cross
 * the files shm_msgq*.c or are called by others. The layout of what is shared is in
 * shm_msgq_wire.h, the program's process in shm_dpa.h.
 *
 * Who is who. A *target* is a consumer of the program, which producers of this side send
 * to. A *sink* is a consumer of this side, as the program sees it.
 *
 * Threads. What makes and frees objects of the program's end runs in any thread, one at a
 * time. Producers and consumers of this end belong to the thread of their engine. Both use
 * the tables of a message queue, under its lock; bursts take no lock, and nobody waits for
 * anything with it. A target is taken out of its table first, then whoever does it waits
 * until no producer is inside a burst to it: the pair R of shm_fence.h. Where one does not
 * come out in time, the target stays until the message queue stops, which has no producer.
 */

#include <pthread.h>

#include "comch_shm.h"
#include "shm_dpa.h"
#include "shm_msgq_wire.h"
#include "shm_entry.h"

/* Limits; each is a power of two. */
#define SHM_MSGQ_MAX_CONSUMERS 64
#define SHM_MSGQ_MAX_PRODUCERS 64
#define SHM_MSGQ_MAX_DEPTH 16384
/* Messages of one chunk of a burst. */
#define SHM_MSGQ_CHUNK 32
/* Times that a program may fail to be; engines wait for it, and others wait for them. */
#define SHM_MSGQ_MAX_RETAINED 4
/* No position: no consumer is looked at. */
#define SHM_MSGQ_NO_SLOT UINT32_MAX

/* A consumer of the program. */
struct shm_msgq_target {
	/* set once */
	struct shm_msgq_cons *cons;
	const struct shm_msgq_cons_state *state;
	struct shm_entry *entries;
	const uint32_t *armed; /* of its completion context; NULL if it wakes nobody */
	struct shm_dpa *dpa;
	uint32_t id;
	uint32_t mask;
	uint32_t imm_len;
	uint32_t unit;
	bool fence;  /* the unit cannot make us fence */
	bool shared; /* several producers may be there */

	/* what producers of this side share */
	uint32_t head __rte_aligned(SHM_MSGQ_ALIGN); /* the next position; atomic */
	uint32_t tail_seen; /* of the program's tail, checked; atomic */
	uint32_t woken;     /* armed word of the last wake-up; atomic */

	/* set-up */
	struct shm_dpa_place host __rte_aligned(SHM_MSGQ_ALIGN); /* descriptor, then entries */
	struct shm_dpa_place prog;
	struct shm_msgq_target *next_retained;
};

struct shm_msgq_tx;
struct shm_msgq_rx;

/* A message queue. */
struct shm_msgq {
	struct shm_dpa *dpa;
	struct rte_comch_msgq *msgq;
	struct shm_dpa_place place;
	struct shm_msgq_host *host;
	pthread_mutex_t lock; /* of what follows, and of the tables in host */
	struct shm_msgq_tx *producers[SHM_MSGQ_MAX_PRODUCERS];
	struct shm_msgq_rx *consumers[SHM_MSGQ_MAX_CONSUMERS];
	struct shm_msgq_target *targets[SHM_MSGQ_MAX_CONSUMERS]; /* atomic: producers look */
	struct shm_msgq_target *retained; /* taken away, and a producer did not leave it in time */
};

/* A completion context of the program. */
struct shm_msgq_completion {
	struct shm_dpa_place host;
	struct shm_dpa_place prog;
	struct shm_msgq_comp *comp;
};

/* A producer of the program. */
struct shm_msgq_source {
	struct shm_dpa_place host;
	struct shm_dpa_place prog;
};

/* A producer of this side. */
struct shm_msgq_tx {
	struct shm_msgq *mq;
	uint32_t busy; /* slot of the target that it looks at; read by others */
	uint32_t id;   /* as messages have it */
	uint32_t mask;
	uint32_t tail; /* completions: written and polled */
	uint32_t head;
	int reason;
	bool fence;
	uint64_t starved; /* no credit of these slots */
	uint32_t nb_refused;
	uint32_t group_index;
	struct rte_comch_queue *queue;
	struct shm_group *group;
	TAILQ_ENTRY(shm_msgq_tx) next; /* of its group */
	uint64_t nb_seen; /* messages, and bursts without a credit, when the engine woke */
	uint64_t sent[]; /* cookies */
};

/* A consumer of this side. */
struct shm_msgq_rx {
	struct shm_msgq_sink *sink;
	const struct shm_entry *entries;
	uint32_t mask;
	uint32_t size; /* posts at one time */
	uint32_t imm_len;
	uint32_t post_pos;
	uint32_t poll_pos;
	uint32_t batch_left; /* messages of a batch that come next, checked */
	uint32_t batch_len;
	uint32_t batch_id; /* who sent them */
	const uint8_t *batch_imm;
	int reason;
	int flush;   /* status of what is flushed, 0 if nothing is */
	bool broken; /* what the program wrote is nonsense */
	bool here;   /* the program finds it */
	bool leaked; /* a unit may write to it for ever */
	struct shm_msgq *mq;
	struct rte_comch_queue *queue;
	struct shm_group *group;
	struct shm_dpa_place host;
	struct shm_dpa_place prog;
	uint32_t group_index;
	uint64_t nb_seen; /* messages, when the engine woke */
	TAILQ_ENTRY(shm_msgq_rx) next; /* of its group */
	uint64_t cookies[];
};

/* shm_msgq.c: message queues, and the program's end */
int shm_msgq_create(struct rte_comch_msgq *msgq);
void shm_msgq_destroy(struct rte_comch_msgq *msgq);
uint64_t shm_msgq_waiting(const struct rte_comch_msgq *msgq);
int shm_msgq_completion_create(struct rte_comch_dpa_completion *completion);
void shm_msgq_completion_destroy(struct rte_comch_dpa_completion *completion);
int shm_msgq_dpa_queue_create(struct rte_comch_dpa_queue *queue);
void shm_msgq_dpa_queue_destroy(struct rte_comch_dpa_queue *queue);
/*
 * Wait until no unit is inside of a device function that it was in when this is called:
 * what was taken out of a table before is used by none. -ETIMEDOUT: a unit is. Any thread.
 */
int shm_msgq_units_settle(struct shm_dpa *dpa, uint32_t ms);
/* A serial of a queue that the program sees: see shm_msgq_wire.h. Any thread. */
uint64_t shm_msgq_serial(struct shm_dpa *dpa);
/* Whether memory can be freed, after that; else it is kept. Nobody waits for that often. */
bool shm_msgq_units_left(struct shm_dpa *dpa);

/* shm_msgq_queue.c: this end */
int shm_msgq_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp);
int shm_msgq_queue_stop(struct rte_comch_queue *queue, int status);
void shm_msgq_queue_free(struct rte_comch_queue *queue);
int shm_msgq_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id,
		struct rte_comch_room *room);
uint32_t shm_msgq_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len,
		uint32_t max);
uint32_t shm_msgq_consumer_left(const struct rte_comch_queue *queue);
/* Event mode: before the fence of the engine, behind it, and when it is awake. */
void shm_msgq_group_arm(struct shm_group *group);
bool shm_msgq_group_pending(struct shm_group *group);
void shm_msgq_group_disarm(struct shm_group *group);

/* shm_msgq_tx.c: bursts of producers */
uint16_t shm_msgq_send_burst(void *queue, uint32_t consumer_id,
		const struct rte_comch_send *msgs, uint16_t nb);
uint16_t shm_msgq_sent_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);
uint32_t shm_msgq_credits(void *queue, uint32_t consumer_id);
int shm_msgq_tx_credits(struct shm_msgq_tx *tx, uint32_t consumer_id, uint32_t *credits);
void shm_msgq_tx_want(struct shm_msgq_tx *tx, bool want);
bool shm_msgq_tx_pending(struct shm_msgq_tx *tx);

/* shm_msgq_rx.c: bursts of consumers */
uint16_t shm_msgq_post_burst(void *queue, const struct rte_comch_post *posts, uint16_t nb);
uint16_t shm_msgq_cpl_poll(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);
bool shm_msgq_rx_pending(const struct shm_msgq_rx *rx);

#endif /* SHM_MSGQ_H */
