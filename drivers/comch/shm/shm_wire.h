/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_WIRE_H
#define SHM_WIRE_H

/*
 * Everything that two processes have to agree on: the messages of the socket and
 * the layout of the shared memory. Nothing else lives here, and no other file
 * defines a shared layout.
 *
 * Rules: fixed-width little-endian fields, no pointers, no locks, no bit fields,
 * no dependence on page or cache-line size. Two writers are 128 bytes apart. A
 * segment has one writer, the process that made it; its peer maps it read-only
 * and the seals forbid it to map it otherwise. So a word of this file is either
 * written by us or checked by us, never both.
 *
 * The rendezvous is a SOCK_SEQPACKET Unix socket with an abstract name, one for
 * each function, that the card's side listens on. One process of the host makes
 * one *link*: one socket, and one link segment in each direction. Connections
 * are set up on the link's socket and have one segment in each direction too:
 *
 *   host                               dpu
 *    |---- HELLO (link segment) --------->|   once for a link
 *    |<--- HELLO_ACK (link segment) ------|
 *    |<--> GROUP (what wakes it)           |   before its group is named
 *    |---- CONNECT ---------------------->|   for each connection
 *    |<--- ACCEPT (segment) --------------|   or REFUSE
 *    |---- READY (segment) -------------->|
 *    |<--> REGION (region)                |   before its first consumer
 *    |<--> CONSUMER (segment),            |   for each consumer
 *    |     answered by CONSUMER_ACK       |
 *    |     (completion segment)           |
 *    |<--> CONSUMER_GONE                  |   when it has closed
 *    |<--> REGION_GONE                    |
 *    |<--> CLOSE, answered by CLOSED      |
 *
 * Messages and data never touch the socket.
 *
 * The end. CLOSE is the last word of a side: it reads no more, and nothing is behind its
 * tail. The other side reads what is left in that ring, and answers CLOSED. Both words say
 * how far their side has read, for good: who sends CLOSED may have a new use for its segment
 * with the next message. A reader says in the word taken of its segment which record it is
 * about to hand up, and then looks at the word cut of the writer's. A writer that waits for
 * CLOSED no longer sets cut, has all threads pass a fence, and looks at taken: those records
 * are the reader's. It says so in cut, and the reader leaves the others. So both sides know
 * the same, whenever one of them was stopped, or died.
 *
 * Consumers. A consumer writes what it posts to its segment, and the producers
 * of the peer answer in the completion segment of their process. A position
 * counts posts; the completion of a post has the same place as the post. A
 * producer claims positions inside of its own process, copies to the buffers, in
 * the region that is mapped to write, and then stores one word for each: it says
 * all that there is to say, and one of its bits changes with each lap, so that no
 * other word has to be looked at.
 *
 * A consumer of immediate data alone, which fits there, has inline entries instead: the
 * completion segment has one cache line for each post, with the immediate data and the word
 * that says that it is there, which is that of shm_entry.h. Nothing else is read for a message.
 *
 * Claims. A producer says which consumer it is about to send to in a word of its own, of
 * the segment of its connection, until it has copied and told; then it looks whether that
 * consumer still has its identifier in its segment. A consumer that stops takes it away,
 * and waits until no such word names it: so it needs no answer to CONSUMER_GONE.
 *
 * Doorbells. The reader of a connection owns one bit, its doorbell, among the doorbell words
 * of its peer's link segment. The writer toggles it after it has published
 * something, unless the toggle before is not yet acknowledged: the reader counts
 * the toggles it saw in doorbell_seen. As there is one toggle under way at most, a
 * toggled bit never looks like none. The reader acknowledges when it is about to
 * look away, and looks once more after that.
 *
 * Doorbells of consumers. A consumer that nobody looks at for a while says so in the
 * word idle of its segment, with the number of toggles of its doorbell that it has seen.
 * A producer that has published something looks at that word, and toggles the doorbell
 * if as many toggles were made. Doorbells of consumers are in the link segment of the
 * producers, by the consumer's group; they are the consumer's side to assign.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "shm_entry.h"

#if RTE_BYTE_ORDER != RTE_LITTLE_ENDIAN
#error "shared layouts are little-endian and so must be the machine"
#endif

#define SHM_WIRE_MAGIC 0x48534d43u /* "CMSH" */

/*
 * Of this file, and of shm_entry.h: a peer of another version is refused. Both sides tell both
 * numbers, so all versions have the same HELLO and HELLO_ACK, and the same header of a message.
 */
#define SHM_WIRE_VERSION 10

#define SHM_WIRE_FUNCTION_SIZE 32
#define SHM_WIRE_NAME_SIZE 128

/* Connections of one link; identifiers run from 0. */
#define SHM_WIRE_MAX_CHANS 4096
/* Poll groups of one process that can have connections on one link. */
#define SHM_WIRE_MAX_GROUPS 32
/* Doorbell words of 64 bits; a word belongs to one poll group. */
#define SHM_WIRE_DOORBELL_WORDS (SHM_WIRE_MAX_CHANS / 64 + SHM_WIRE_MAX_GROUPS)
#define SHM_WIRE_MAX_DOORBELLS (SHM_WIRE_DOORBELL_WORDS * 64)

/* Doorbells of the consumers that one poll group has on one link. */
#define SHM_WIRE_QDOORBELL_WORDS 8
#define SHM_WIRE_MAX_QDOORBELLS (SHM_WIRE_QDOORBELL_WORDS * 64)

/* Largest control message, and bytes of a ring. */
#define SHM_WIRE_MAX_MSG_SIZE 65536u
#define SHM_WIRE_MIN_RING_SIZE 64u
#define SHM_WIRE_MAX_RING_SIZE (1u << 24)
/* Messages that a side may ask the other to hold for it. */
#define SHM_WIRE_MAX_QUEUE_SIZE 8192u

/*
 * Positions count bytes and wrap at 2^32. They begin just below, so that every
 * connection crosses the wrap within its first kilobytes.
 */
#define SHM_WIRE_POS_START 0xfffff000u

/*
 * Consumers and producers of one connection. Their identifiers have 32 bits, and are
 * not 0. Modulo these powers of two, no two of a kind are the same at one time: that
 * is the slot of a consumer.
 */
#define SHM_WIRE_MAX_CONSUMERS 256u
#define SHM_WIRE_MAX_PRODUCERS 64u
/*
 * Slots of producers, which completions name: more than there can be at one time. What
 * waits when its producer is gone names it until one with the same slot comes.
 */
#define SHM_WIRE_PRODUCER_SLOTS 128u
/* Places for the posts of one consumer, a power of two. */
#define SHM_WIRE_MAX_POSTS 8192u
#define SHM_WIRE_MAX_IMM_LEN 256u
/* Regions with consumers of one process on one link; identifiers run from 0. */
#define SHM_WIRE_MAX_REGIONS 1024u
#define SHM_WIRE_NO_REGION UINT32_MAX
/* The length of a message has 40 bits in its completion. */
#define SHM_WIRE_MAX_BUF_SIZE ((UINT64_C(1) << 40) - 1)

/* Positions of posts, too, begin just below the wrap. */
#define SHM_WIRE_POST_START 0xffffff00u

enum shm_wire_type {
	SHM_WIRE_HELLO = 1,
	SHM_WIRE_HELLO_ACK,
	SHM_WIRE_GROUP,
	SHM_WIRE_CONNECT,
	SHM_WIRE_ACCEPT,
	SHM_WIRE_REFUSE,
	SHM_WIRE_READY,
	SHM_WIRE_CLOSE,
	SHM_WIRE_CLOSED,
	SHM_WIRE_REGION,
	SHM_WIRE_REGION_GONE,
	SHM_WIRE_CONSUMER,
	SHM_WIRE_CONSUMER_ACK,
	SHM_WIRE_CONSUMER_GONE,
	SHM_WIRE_TYPES,
};

/* Begins every message of the socket. */
struct shm_wire_hdr {
	uint32_t magic;
	uint16_t type;
	uint16_t len;  /* of the whole message, bytes */
	uint32_t chan; /* connection on this link; 0 in messages of the link */
	uint32_t taken; /* CLOSE, CLOSED: the word of that name of the sender's segment; else 0 */
};

/* First message of the host; carries its link segment. */
struct shm_wire_hello {
	struct shm_wire_hdr hdr;
	uint16_t version;
	uint16_t reserved;
	uint32_t seg_size;
	char function[SHM_WIRE_FUNCTION_SIZE]; /* the one it believes to own */
};

/* Answer of the card; carries its link segment if status is 0. */
struct shm_wire_hello_ack {
	struct shm_wire_hdr hdr;
	uint16_t version;
	uint16_t reserved;
	uint32_t seg_size;
	int32_t status; /* 0 or a negative errno */
	uint32_t reserved2;
};

/* A poll group of the sender; carries what wakes it: the host's a socket, the card's an eventfd. */
struct shm_wire_group {
	struct shm_wire_hdr hdr;
	uint32_t group;
	uint32_t reserved;
};

/* What each side says of how it receives. */
struct shm_wire_rx {
	uint32_t max_msg_size; /* 0 in CONNECT if unset, else the agreed one */
	uint32_t queue_size;   /* messages of that size that must fit */
	uint32_t group;        /* to wake */
	uint32_t doorbell;         /* to toggle */
};

/* What each side says of the segment it writes. */
struct shm_wire_tx {
	uint32_t seg;       /* identifier of the segment, the sender's choice */
	uint32_t ring_size; /* bytes */
	uint32_t new_seg;   /* 1: the descriptor comes with this message */
	uint32_t reserved;
};

struct shm_wire_connect {
	struct shm_wire_hdr hdr;
	struct shm_wire_rx rx;
	char name[SHM_WIRE_NAME_SIZE];
};

struct shm_wire_accept {
	struct shm_wire_hdr hdr;
	struct shm_wire_rx rx;
	struct shm_wire_tx tx;
};

struct shm_wire_ready {
	struct shm_wire_hdr hdr;
	struct shm_wire_tx tx;
};

/* REFUSE and CLOSE. */
struct shm_wire_reason {
	struct shm_wire_hdr hdr;
	int32_t reason; /* 0 or a negative errno */
	uint32_t reserved;
};

/* Carries the region; of the link, like REGION_GONE. */
struct shm_wire_region {
	struct shm_wire_hdr hdr;
	uint32_t region;
	uint32_t reserved;
	uint64_t size; /* bytes, whole pages */
};

struct shm_wire_region_gone {
	struct shm_wire_hdr hdr;
	uint32_t region;
	uint32_t reserved;
};

/* The other side has to fence what it publishes: the sender has no membarrier(). */
#define SHM_WIRE_CONSUMER_F_FENCE 0x1u
/*
 * In CONSUMER: producers look at idle in its segment, and not at the armed word of
 * its group; its doorbell is in the upper half of flags.
 */
#define SHM_WIRE_CONSUMER_F_IDLE 0x2u
#define SHM_WIRE_CONSUMER_DOORBELL_SHIFT 16
/* Other bits of the lower half are 0. */
#define SHM_WIRE_CONSUMER_F_UNKNOWN 0xfffcu

/* Carries the consumer's segment. */
struct shm_wire_consumer {
	struct shm_wire_hdr hdr;
	uint32_t consumer; /* identifier; its slot is free */
	uint32_t nb_posts; /* a power of two */
	uint32_t imm_len;  /* bytes */
	uint32_t region;   /* SHM_WIRE_NO_REGION: immediate data only */
	uint32_t group;    /* to wake */
	uint32_t flags;
	/* bytes of each post, which says so itself; 0: each has its own, or no region */
	uint64_t buf_size;
	uint32_t tag;      /* any */
	uint32_t meta;     /* RTE_COMCH_META_* flags that its packets shall come with */
};

/* Carries the completion segment if status is 0. */
struct shm_wire_consumer_ack {
	struct shm_wire_hdr hdr;
	uint32_t consumer;
	int32_t status; /* 0 or a negative errno */
	uint32_t flags; /* SHM_WIRE_CONSUMER_F_FENCE or 0, for the consumer's posts */
	uint32_t reserved;
};

/* CONSUMER_GONE: it has closed. */
struct shm_wire_consumer_id {
	struct shm_wire_hdr hdr;
	uint32_t consumer;
	uint32_t reserved;
};

union shm_wire_msg {
	uint64_t all[20]; /* first, as large as the largest: = { 0 } clears only the first */
	struct shm_wire_hdr hdr;
	struct shm_wire_hello hello;
	struct shm_wire_hello_ack hello_ack;
	struct shm_wire_group group;
	struct shm_wire_connect connect;
	struct shm_wire_accept accept;
	struct shm_wire_ready ready;
	struct shm_wire_reason reason;
	struct shm_wire_region region;
	struct shm_wire_region_gone region_gone;
	struct shm_wire_consumer consumer;
	struct shm_wire_consumer_ack consumer_ack;
	struct shm_wire_consumer_id consumer_id;
};

/* First line of each segment. */
struct shm_wire_seg {
	uint32_t magic;
	uint16_t version;
	uint16_t hdr_size; /* bytes before what the segment is for */
	uint32_t size;     /* of the whole segment */
	uint32_t reserved[29];
};

/* Link segment: written by one process, for all its connections on the link. */
struct shm_wire_link {
	struct shm_wire_seg seg;
	uint32_t sock_doorbell; /* counts messages sent on the socket */
	uint32_t reserved[31];
	uint64_t doorbells[SHM_WIRE_DOORBELL_WORDS]; /* of the peer's connections */
	struct {
		uint32_t armed; /* not 0: the group sleeps; another value each time */
		uint32_t reserved[15];
		uint64_t doorbells[SHM_WIRE_QDOORBELL_WORDS]; /* of the peer's consumers */
	} groups[SHM_WIRE_MAX_GROUPS];
};

/* Connection segment: written by one side of one connection. */
struct shm_wire_chan {
	struct shm_wire_seg seg;
	uint32_t tail;      /* position behind the last record of ring[] */
	uint32_t head;      /* position of the reader in the peer's ring[] */
	uint32_t doorbell_seen; /* toggles of this side's doorbell that it has seen */
	uint32_t want_doorbell; /* 1: ring when head moves, too */
	uint32_t msgs;      /* records written so far; for statistics only */
	uint32_t reserved[11];
	/* a line that changes at the end only, of ring[]: 0, or one of SHM_WIRE_CUT */
	uint32_t cut;
	uint32_t reserved2[15];
	/* a line that nobody reads before the end: SHM_WIRE_TAKEN and a position, or 0 */
	uint32_t taken;     /* behind the record of the peer's ring[] that is handed up */
	uint32_t reserved3[31];
	/* Each of one producer of this side, see shm_wire_busy(). */
	struct {
		uint32_t consumer; /* that it sends to, by identifier; or 0 */
		uint32_t reserved[15];
	} busy[SHM_WIRE_MAX_PRODUCERS];
	uint8_t ring[];
};

/* In the low bits of positions, which are multiples of 8. */
#define SHM_WIRE_TAKEN 1u  /* somebody has said so */
#define SHM_WIRE_CUT 1u    /* the reader may take no more, until it is told how far */
#define SHM_WIRE_CUT_AT 2u /* what is before this position is the reader's */
#define SHM_WIRE_POS_BITS 7u

/*
 * The place of a producer, by its identifier. Those that are made one after the other are
 * not beside each other.
 */
static inline uint32_t
shm_wire_busy(uint32_t producer)
{
	const uint32_t slot = producer % SHM_WIRE_MAX_PRODUCERS;

	return (2 * slot + slot / (SHM_WIRE_MAX_PRODUCERS / 2)) % SHM_WIRE_MAX_PRODUCERS;
}

/*
 * A record of a ring: this header, then the data, then padding to 8 bytes. A
 * record may run over the end of the ring to its beginning; its header never
 * does.
 */
struct shm_wire_rec {
	uint32_t len;
	uint32_t reserved; /* 0 */
};

/*
 * Consumer segment: written by the consumer's thread. A post is one word, with
 * the offset in the region above SHM_WIRE_POST_OFF_SHIFT and the length below it;
 * a length that does not fit there is in a word of its own.
 */
struct shm_wire_posts {
	struct shm_wire_seg seg;
	uint32_t tail; /* position behind the last post */
	uint32_t reserved[15];
	uint32_t idle; /* 0: it is looked at; else 1, and above it the toggles seen */
	uint32_t consumer; /* its identifier; shm_wire_closed() when it has closed */
	uint32_t reserved2[14];
	/* nb_posts words, then nb_posts lengths; or none of both without a region */
	uint64_t words[];
};

#define SHM_WIRE_POST_OFF_SHIFT 24
/* The length is elsewhere: it is at least as much as this says. */
#define SHM_WIRE_POST_LONG ((UINT64_C(1) << SHM_WIRE_POST_OFF_SHIFT) - 1)

/* What a consumer that has closed says instead: no identifier that has its slot. */
static inline uint32_t
shm_wire_closed(uint32_t consumer)
{
	return ~consumer;
}

/* What idle says when so many toggles of the doorbell were seen. */
static inline uint32_t
shm_wire_idle(uint32_t toggles)
{
	return toggles << 1 | 1;
}

/* Completion segment: written by the producers, and by the engines they are on. */
struct shm_wire_cpls {
	struct shm_wire_seg seg;
	uint32_t want; /* bit of each group that sleeps until something is posted */
	uint32_t reserved[31];
	/* identifiers, there before the first word that names the slot; 0: nobody yet */
	uint32_t producers[SHM_WIRE_PRODUCER_SLOTS];
	/*
	 * nb_posts words, then nb_posts times shm_wire_imm_size() of immediate data; or
	 * nb_posts inline entries, see shm_wire_has_entries()
	 */
	uint64_t words[];
};

/* A completion: bit 0 is that of the lap, then come these fields; first the slot. */
#define SHM_WIRE_CPL_PRODUCER_SHIFT 1
#define SHM_WIRE_CPL_PRODUCER_MASK 0x7fu
#define SHM_WIRE_CPL_IMM_SHIFT 8
#define SHM_WIRE_CPL_IMM_MASK 0xffffu
#define SHM_WIRE_CPL_LEN_SHIFT 24

/* Whether a consumer has inline entries. */
static inline bool
shm_wire_has_entries(bool region, uint32_t imm_len)
{
	return !region && imm_len <= SHM_ENTRY_MAX_IMM;
}

/* The entries of a completion segment that has some. */
static inline const struct shm_entry *
shm_wire_entries(const struct shm_wire_cpls *cpls)
{
	return (const struct shm_entry *)cpls->words;
}

/* The slot of a consumer, and that of a producer. */
static inline uint32_t
shm_wire_consumer_slot(uint32_t id)
{
	return id % SHM_WIRE_MAX_CONSUMERS;
}

static inline uint32_t
shm_wire_producer_slot(uint32_t id)
{
	return id % SHM_WIRE_PRODUCER_SLOTS;
}

/*
 * The entry of the producer that a completion names: two steps of the slot, which is
 * above bit 0, are one of a uint32_t, so that it need not be shifted.
 */
static inline const uint32_t *
shm_wire_cpl_producer(const struct shm_wire_cpls *cpls, uint64_t word)
{
	const uint32_t two_slots = word & SHM_WIRE_CPL_PRODUCER_MASK << SHM_WIRE_CPL_PRODUCER_SHIFT;

	return RTE_PTR_ADD(cpls->producers,
		two_slots * (sizeof(uint32_t) >> SHM_WIRE_CPL_PRODUCER_SHIFT));
}

/* The bit of the lap that a position is in, for 1 << shift posts. */
static inline uint64_t
shm_wire_lap(uint32_t pos, uint32_t shift)
{
	return (pos >> shift) & 1;
}

/* Bytes between the immediate data of two completions. */
static inline uint32_t
shm_wire_imm_size(uint32_t imm_len)
{
	return RTE_ALIGN_CEIL(imm_len, 8u);
}

static inline uint32_t
shm_wire_posts_size(uint32_t nb_posts, bool region)
{
	return sizeof(struct shm_wire_posts) +
		(region ? 2 * nb_posts * (uint32_t)sizeof(uint64_t) : 0);
}

static inline uint32_t
shm_wire_cpls_size(uint32_t nb_posts, bool region, uint32_t imm_len)
{
	return sizeof(struct shm_wire_cpls) + nb_posts *
		(shm_wire_has_entries(region, imm_len) ? (uint32_t)sizeof(struct shm_entry) :
		(uint32_t)sizeof(uint64_t) + shm_wire_imm_size(imm_len));
}

/* Bytes of the record of a message. */
static inline uint32_t
shm_wire_rec_size(uint32_t len)
{
	return sizeof(struct shm_wire_rec) + RTE_ALIGN_CEIL(len, 8u);
}

_Static_assert(sizeof(union shm_wire_msg) == sizeof(((union shm_wire_msg *)0)->all), "all");
_Static_assert(sizeof(struct shm_wire_hdr) == 16, "hdr");
_Static_assert(sizeof(struct shm_wire_hello) == 56, "hello");
_Static_assert(sizeof(struct shm_wire_hello_ack) == 32, "hello_ack");
_Static_assert(offsetof(struct shm_wire_hello, version) == 16, "hello.version");
_Static_assert(offsetof(struct shm_wire_hello_ack, version) == 16, "hello_ack.version");
_Static_assert(offsetof(struct shm_wire_hello_ack, status) == 24, "hello_ack.status");
_Static_assert(sizeof(struct shm_wire_group) == 24, "group");
_Static_assert(sizeof(struct shm_wire_connect) == 160, "connect");
_Static_assert(sizeof(struct shm_wire_accept) == 48, "accept");
_Static_assert(sizeof(struct shm_wire_ready) == 32, "ready");
_Static_assert(sizeof(struct shm_wire_reason) == 24, "reason");
_Static_assert(offsetof(struct shm_wire_connect, name) == 32, "connect.name");
_Static_assert(sizeof(struct shm_wire_seg) == 128, "seg");
_Static_assert(offsetof(struct shm_wire_link, sock_doorbell) == 128, "sock_doorbell");
_Static_assert(offsetof(struct shm_wire_link, doorbells) == 256, "doorbells");
_Static_assert(offsetof(struct shm_wire_link, groups) == 256 + 8 * SHM_WIRE_DOORBELL_WORDS,
	"groups");
_Static_assert(offsetof(struct shm_wire_link, groups) % 128 == 0, "groups");
_Static_assert(offsetof(struct shm_wire_link, groups[0].doorbells) ==
	offsetof(struct shm_wire_link, groups) + 64, "groups.doorbells");
_Static_assert(sizeof(struct shm_wire_link) == 5120, "link");
_Static_assert(offsetof(struct shm_wire_chan, tail) == 128, "tail");
_Static_assert(offsetof(struct shm_wire_chan, head) == 132, "head");
_Static_assert(offsetof(struct shm_wire_chan, doorbell_seen) == 136, "doorbell_seen");
_Static_assert(offsetof(struct shm_wire_chan, want_doorbell) == 140, "want_doorbell");
_Static_assert(offsetof(struct shm_wire_chan, msgs) == 144, "msgs");
_Static_assert(offsetof(struct shm_wire_chan, cut) == 192, "cut");
_Static_assert(offsetof(struct shm_wire_chan, taken) == 256, "taken");
_Static_assert(offsetof(struct shm_wire_chan, busy) == 384, "busy");
_Static_assert(offsetof(struct shm_wire_chan, ring) == 384 + 64 * SHM_WIRE_MAX_PRODUCERS, "ring");
_Static_assert(sizeof(struct shm_wire_rec) == 8, "rec");
_Static_assert(sizeof(struct shm_wire_region) == 32, "region");
_Static_assert(sizeof(struct shm_wire_region_gone) == 24, "region_gone");
_Static_assert(sizeof(struct shm_wire_consumer) == 56, "consumer");
_Static_assert(offsetof(struct shm_wire_consumer, flags) == 36, "consumer.flags");
_Static_assert(offsetof(struct shm_wire_consumer, buf_size) == 40, "consumer.buf_size");
_Static_assert(sizeof(struct shm_wire_consumer_ack) == 32, "consumer_ack");
_Static_assert(sizeof(struct shm_wire_consumer_id) == 24, "consumer_id");
_Static_assert(offsetof(struct shm_wire_posts, tail) == 128, "posts.tail");
_Static_assert(offsetof(struct shm_wire_posts, idle) == 192, "posts.idle");
_Static_assert(offsetof(struct shm_wire_posts, consumer) == 196, "posts.consumer");
_Static_assert(offsetof(struct shm_wire_posts, words) == 256, "posts");
_Static_assert(offsetof(struct shm_wire_cpls, want) == 128, "cpls.want");
_Static_assert(offsetof(struct shm_wire_cpls, producers) == 256, "cpls.producers");
_Static_assert(offsetof(struct shm_wire_cpls, words) == 768, "cpls");
_Static_assert(offsetof(struct shm_wire_cpls, words) % SHM_ENTRY_SIZE == 0, "an entry is one line");
_Static_assert(sizeof(struct shm_entry) == 64, "entry");
_Static_assert(offsetof(struct shm_entry, imm) == 8, "entry.imm");
_Static_assert(SHM_ENTRY_START == SHM_WIRE_POST_START, "positions of entries are those of posts");
_Static_assert(SHM_WIRE_PRODUCER_SLOTS - 1 <= SHM_ENTRY_PRODUCER_MASK, "producers of slots");
_Static_assert(SHM_WIRE_MAX_PRODUCERS <= SHM_WIRE_PRODUCER_SLOTS, "producers");
_Static_assert(SHM_WIRE_PRODUCER_SLOTS - 1 == SHM_WIRE_CPL_PRODUCER_MASK, "producer slots");
_Static_assert(SHM_WIRE_MAX_IMM_LEN <= SHM_WIRE_CPL_IMM_MASK, "imm");
_Static_assert(SHM_WIRE_MAX_GROUPS <= 32, "bits of want");

#endif /* SHM_WIRE_H */
