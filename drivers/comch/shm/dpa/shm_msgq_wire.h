/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_MSGQ_WIRE_H
#define SHM_MSGQ_WIRE_H

/*
 * What the host and a program of the software offload processor share for their queues:
 * the layout of descriptors and states, and nothing else. Freestanding C11: programs
 * include it by the device header. Entries of messages are in shm_entry.h, the segments
 * themselves in shm_dpa_wire.h.
 *
 * HOST is written by the host and mapped read-only by the program, PROG is the other
 * way round. A handle is the program's address of a descriptor in HOST. What the program
 * changes of an object is its state, in PROG, at the address that the descriptor has.
 * The host reads a state where the pairs below say so, and believes none of it; the
 * program may write anything anywhere in PROG, and harms itself.
 *
 * Names: a *consumer* is of the program, a *sink* is what it knows of a consumer of the
 * host. A *unit* is an execution unit, or the thread that runs calls.
 *
 * Positions in here begin with 0, so that new memory is ready; those of entries are higher
 * by SHM_ENTRY_START.
 *
 * Memory orders, and their pairs, beside those of shm_fence.h:
 *
 *   B  busy    a unit stores an odd number, then loads an entry of a table; the host
 *              clears the entry, then loads the number. The fence of both is the
 *              host's (membarrier()). When the number was even or has changed, nobody
 *              looks at what was taken away.
 *   W  want    the program releases tail, then loads want; an engine that starves stores
 *              want, then loads tail. The fence of both is the engine's.
 */

#include <stddef.h>
#include <stdint.h>

/* Two writers are so far apart, whatever the size of a line. */
#define SHM_MSGQ_ALIGN 128
/* Completion contexts that wake one unit. */
#define SHM_MSGQ_UNIT_COMPS 32
/* No unit is waked. */
#define SHM_MSGQ_NO_UNIT UINT32_MAX
/* Bytes of immediate data. */
#define SHM_MSGQ_IMM_SIZE 32

/* What a descriptor is; 0 in memory that is none. */
#define SHM_MSGQ_MAGIC_COMP 0x504d4f43u /* "COMP" */
#define SHM_MSGQ_MAGIC_CONS 0x534e4f43u /* "CONS" */
#define SHM_MSGQ_MAGIC_PROD 0x444f5250u /* "PROD" */
#define SHM_MSGQ_MAGIC_SINK 0x4b4e4953u /* "SINK" */

/* What a completion is of; as enum rte_comch_dpa_dev_elem_type. */
#define SHM_MSGQ_COMP_CONSUMER 1u
#define SHM_MSGQ_COMP_PRODUCER 2u

/*
 * Serials: no two queues of a program have the same one, so who kept the address of one knows
 * whether there is another at it. Not 0, which is that of one that was freed.
 */

/* HOST: a completion context. Followed by its queues. */
struct shm_msgq_comp {
	uint32_t magic;
	uint32_t type;       /* SHM_MSGQ_COMP_* */
	uint32_t depth;      /* elements at one time; a power of two */
	uint32_t max_queues; /* entries of queues; a power of two */
	uint32_t unit;       /* who is waked, or SHM_MSGQ_NO_UNIT */
	uint32_t reserved;
	uint64_t state;      /* struct shm_msgq_comp_state */
	uint8_t pad[96];
	uint64_t queues[];   /* struct shm_msgq_cons or _prod, 0 for none; atomic, B */
};

/* PROG: state of a completion context. */
struct shm_msgq_comp_state {
	uint32_t armed;   /* a count, not 0, if the unit wants to be waked; read by the host */
	uint8_t pad[124];
	uint32_t nb_armed; /* last value of armed */
	uint32_t got;      /* elements: given to the program, and back */
	uint32_t acked;
	uint32_t next;     /* the queue to look at first */
	uint8_t pad2[112];
};

/* HOST: a consumer of the program. */
struct shm_msgq_cons {
	uint32_t magic;
	uint32_t id;
	uint32_t size;      /* receives at one time; a power of two */
	uint32_t mask;      /* of the entries */
	uint32_t imm_len;
	uint32_t user_data;
	uint64_t entries;     /* struct shm_entry, in HOST */
	uint64_t state;     /* struct shm_msgq_cons_state */
	uint64_t msgq;      /* struct shm_msgq_host */
	uint8_t pad[80];
	uint32_t want;      /* groups that wait for a credit, a bit each; atomic, W */
	uint8_t pad2[124];
};

/* PROG: state of a consumer of the program. */
struct shm_msgq_cons_state {
	uint32_t tail;       /* credits, T; read by the host */
	uint8_t pad[124];
	uint32_t head;       /* the next message */
	uint32_t posted;     /* tail, as the program knows it */
	uint32_t batch_left; /* messages of a batch that come next */
	uint32_t reserved;
	uint64_t batch_word; /* what they have in common */
	uint64_t batch_imm;  /* where the next one is */
	uint8_t pad2[96];
};

/* HOST: a producer of the program. */
struct shm_msgq_prod {
	uint32_t magic;
	uint32_t id;
	uint32_t size;      /* sends whose completions were not given */
	uint32_t user_data;
	uint64_t comp;      /* completion context, or 0 */
	uint64_t msgq;      /* struct shm_msgq_host */
	uint64_t state;     /* struct shm_msgq_prod_state */
	uint64_t serial;
	uint8_t pad[80];
};

/* PROG: state of a producer of the program. */
struct shm_msgq_prod_state {
	uint32_t sent;      /* with a completion */
	uint32_t polled;    /* completions given */
	uint8_t pad[120];
};

/* HOST: a consumer of the host, as producers of the program see it. */
struct shm_msgq_sink {
	uint32_t magic;
	uint32_t id;
	uint32_t mask;      /* of the entries */
	uint32_t imm_len;
	uint32_t group;     /* whose eventfd wakes it */
	uint32_t reserved;
	uint64_t entries;     /* struct shm_entry, in PROG */
	uint64_t state;     /* struct shm_msgq_sink_state */
	uint64_t armed;     /* word of the group, in HOST; A */
	uint64_t serial;
	uint8_t pad[72];
	uint32_t tail;      /* credits, T */
	uint8_t pad2[124];
};

/* PROG: what producers of the program share of a sink. */
struct shm_msgq_sink_state {
	uint32_t head;      /* the next position; atomic */
	uint32_t tail_seen; /* of the tail; atomic */
	uint32_t woken;     /* armed word of the last wake-up; atomic */
	uint8_t pad[116];
};

/* HOST: a message queue. Followed by its sinks, if messages go to the host. */
struct shm_msgq_host {
	uint32_t max_consumers; /* a power of two */
	uint32_t max_producers; /* a power of two */
	uint32_t last_producer; /* identifier of the newest one; atomic */
	uint8_t pad[116];
	uint64_t sinks[];   /* by identifier, modulo max_consumers; 0 for none; atomic, B */
};

/* HOST: the completion contexts that wake one unit. */
struct shm_msgq_comps {
	uint64_t comps[SHM_MSGQ_UNIT_COMPS]; /* 0 for none; atomic, B */
};

/*
 * The producer of a message, which has the low bits of its identifier. Identifiers grow,
 * and the last 65536 of them can be told apart.
 */
static inline uint32_t
shm_msgq_producer_id(uint32_t last, uint32_t low)
{
	return last - ((last - low) & 0xffffu);
}

#define SHM_MSGQ_CHECK(type, field, off, size) \
	_Static_assert(offsetof(struct type, field) == (off) && sizeof(struct type) == (size), \
		#type "." #field)

SHM_MSGQ_CHECK(shm_msgq_comps, comps, 0, 256);
SHM_MSGQ_CHECK(shm_msgq_comp, state, 24, 128);
SHM_MSGQ_CHECK(shm_msgq_comp, queues, 128, 128);
SHM_MSGQ_CHECK(shm_msgq_comp_state, nb_armed, 128, 256);
SHM_MSGQ_CHECK(shm_msgq_cons, entries, 24, 256);
SHM_MSGQ_CHECK(shm_msgq_cons, want, 128, 256);
SHM_MSGQ_CHECK(shm_msgq_cons_state, head, 128, 256);
SHM_MSGQ_CHECK(shm_msgq_prod, state, 32, 128);
SHM_MSGQ_CHECK(shm_msgq_prod, serial, 40, 128);
SHM_MSGQ_CHECK(shm_msgq_prod_state, polled, 4, 128);
SHM_MSGQ_CHECK(shm_msgq_sink, entries, 24, 256);
SHM_MSGQ_CHECK(shm_msgq_sink, serial, 48, 256);
SHM_MSGQ_CHECK(shm_msgq_sink, tail, 128, 256);
SHM_MSGQ_CHECK(shm_msgq_sink_state, tail_seen, 4, 128);
SHM_MSGQ_CHECK(shm_msgq_host, sinks, 128, 128);

#endif /* SHM_MSGQ_WIRE_H */
