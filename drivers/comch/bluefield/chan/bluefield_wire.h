/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef BLUEFIELD_WIRE_H
#define BLUEFIELD_WIRE_H

/*
 * What two functions have to agree on beyond InfiniBand and its connection manager: the
 * private data of the handshake, and the messages of a control connection. Nothing else
 * lives here, and no other file defines a layout that both sides see.
 *
 * Rules: fixed-width little-endian fields, no pointers, no bit fields, offsets asserted.
 * Reserved fields are 0. Whoever reads a field copies it once, checks it, and uses the copy.
 *
 *   host                                    card
 *    |---- REQ + struct bf_wire_req ---------->|
 *    |<--- REP + struct bf_wire_rep -----------|  or REJ + struct bf_wire_rej
 *    |---- RTU ------------------------------->|
 *    |<--> messages over the queue pair        |
 *    |<--> BYE, answered by BYE if it asks     |
 *    |<--> DREQ, answered by DREP              |
 *
 * Messages. Each is one SEND: struct bf_wire_hdr, and what its type says. It takes one
 * entry of the receiver's queue. Entries are of three kinds, and the receiver has so many
 * of each:
 *
 *   data     the queue_size that the receiver has told: for DATA. Who sends needs a credit.
 *   control  BF_WIRE_CTL_ENTRIES: for types from BF_WIRE_CONSUMER_NEW on. A credit as well.
 *   flow     bf_wire_credit_window() of the sender's queue_size: for CREDIT, of which no
 *            more are sent than that before the receiver has seen some; and
 *            BF_WIRE_FLOW_ENTRIES more: for PING and BYE.
 *
 * Credits are counted from the beginning of the connection, in the header of each message:
 * the entries of a kind that the sender of the header has filled in anew. So a header
 * that is lost with the connection costs nothing, and none can be counted twice. An entry
 * of data is filled in when the application has taken its message, which is how the other
 * side learns that it was delivered; one of control at once.
 *
 * CREDIT is a header alone, for when nothing else is on its way. PING is a header alone as
 * well: it shows life when nothing was sent for a while, and it answers CREDITs, of which
 * half of the window was seen and not told of. So no two sides wait for each other, and
 * the answers end. Should an entry be missing for a PING that is sent by time, then the
 * connection has "receiver not ready" as its net, and tries again.
 */

#include <stddef.h>
#include <stdint.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#if RTE_BYTE_ORDER != RTE_LITTLE_ENDIAN
#error "shared layouts are little-endian and so must be the machine"
#endif

#define BF_WIRE_MAGIC 0x46424d43u /* "CMBF" */

/* Versions of this file that this driver speaks. */
#define BF_WIRE_VERSION_MIN 3
#define BF_WIRE_VERSION_MAX 3

/*
 * Service of the RDMA IP connection manager: port space TCP (0x0106) and our port. The port
 * is not registered with anybody.
 */
#define BF_WIRE_PORT 0xc0c4

#define BF_WIRE_NAME_SIZE 128
#define BF_WIRE_PREFIX_SIZE 32
#define BF_WIRE_FUNCTION_SIZE 32

/* Largest control message, and most messages that a side holds for the other. */
#define BF_WIRE_MAX_MSG_SIZE 65536u
#define BF_WIRE_MAX_QUEUE_SIZE 8192u

/* Entries of a receive queue beside those for data. */
#define BF_WIRE_CTL_ENTRIES 8u
#define BF_WIRE_MAX_WINDOW 16u /* for CREDIT */
#define BF_WIRE_FLOW_ENTRIES 4u /* two answers, one PING by time, BYE */

/* Consumers of one side of a connection; identifiers are from 1. */
#define BF_WIRE_MAX_CONSUMERS 256u
#define BF_WIRE_MAX_IMM_LEN 32u
/* Pairs of the producers of one side. */
#define BF_WIRE_MAX_PAIRS 1024u
/*
 * A message of a pair with the solicited bit says in the upper 24 bits of its immediate how
 * many messages of credits have been read, ever, whose entries are free again.
 */
#define BF_WIRE_READ_SHIFT 8
#define BF_WIRE_READ_MASK 0xffffffu

/* Private data of REQ: 56 bytes, behind the header of the RDMA IP service. */
struct bf_wire_req {
	uint32_t magic;
	uint8_t version_min;
	uint8_t version_max;
	uint16_t reserved;
	uint32_t max_msg_size; /* 0 if unset */
	uint32_t queue_size;   /* messages that fit, of the agreed size */
	uint64_t name_hash;    /* of the whole name */
	char prefix[BF_WIRE_PREFIX_SIZE]; /* of the name; padded with 0 */
};

/* Private data of REP: 196 bytes at most. */
struct bf_wire_rep {
	uint32_t magic;
	uint8_t version;       /* the agreed one */
	uint8_t mtu;           /* of the path, 1 (256 bytes) to that of the REQ */
	uint8_t reserved[2];
	uint32_t max_msg_size; /* the agreed one */
	uint32_t queue_size;
	char name[BF_WIRE_NAME_SIZE];         /* of the server; ends with 0 */
	char function[BF_WIRE_FUNCTION_SIZE]; /* of the client, as the card calls it */
};

/* Private data of REJ, with reason 28 (consumer defined): 148 bytes at most. */
struct bf_wire_rej {
	uint32_t magic;
	int32_t reason;        /* a negative errno */
	uint8_t version_min;
	uint8_t version_max;
	uint8_t reserved[6];
};

enum bf_wire_type {
	BF_WIRE_DATA = 1,
	BF_WIRE_CREDIT,
	BF_WIRE_PING,
	BF_WIRE_BYE,
	BF_WIRE_CONSUMER_NEW,    /* control, from here on */
	BF_WIRE_CONSUMER_GONE,
	BF_WIRE_CONSUMER_ANSWER,
	BF_WIRE_PAIR_OPEN,
	BF_WIRE_PAIR_READY,
	BF_WIRE_PAIR_GO,
	BF_WIRE_PAIR_CLOSE,
	BF_WIRE_PAIR_CLOSED,
	BF_WIRE_TYPES,
};

/* Begins each message. */
struct bf_wire_hdr {
	uint8_t type;
	uint8_t flags;        /* 0 */
	uint8_t ctl_credits;  /* entries of control filled in anew, modulo 2^8 */
	uint8_t credits_seen; /* messages of type CREDIT, modulo 2^8 */
	uint32_t len;         /* of what follows, bytes */
	uint32_t credits;     /* entries of data filled in anew, modulo 2^32 */
	uint32_t seq;         /* of this message; 0 is the first */
};

/* The last one on a connection. */
struct bf_wire_bye {
	int32_t reason;       /* 0 or a negative errno */
	uint32_t flags;
};

/*
 * Not all that the sender has sent was taken: the other side answers with a BYE of its
 * own, whose header has what it is going to take, and hands that up when the answer has
 * arrived, or with DREQ. A DREQ of -ETIMEDOUT says that it has not: what came is dropped.
 */
#define BF_WIRE_BYE_F_ANSWER 0x1u

/* The sender has a consumer. */
struct bf_wire_consumer_new {
	uint32_t consumer;
	uint32_t imm_len;     /* bytes, up to BF_WIRE_MAX_IMM_LEN */
	uint64_t buf_size;    /* bytes of each post; 0: immediate data only */
	uint32_t posts;       /* at most at one time; a power of two */
	uint32_t tag;         /* any */
	uint32_t meta;        /* RTE_COMCH_META_* flags that its packets shall come with */
	uint32_t reserved;
};

/* It is about to go: the receiver's producers stop, and then it answers. */
struct bf_wire_consumer_gone {
	uint32_t consumer;
	uint32_t reserved;
};

/* The answer to one of the two. */
struct bf_wire_consumer_answer {
	uint32_t consumer;
	uint16_t to;          /* BF_WIRE_CONSUMER_NEW or BF_WIRE_CONSUMER_GONE */
	uint16_t reserved;
	int32_t status;       /* 0 or a negative errno */
	uint32_t msgs;        /* to GONE: that its producers have sent to it in all */
};

/*
 * A pair: a queue pair on each side for one producer and one consumer. Its identifier,
 * below BF_WIRE_MAX_PAIRS, is chosen by the producer's side, and is free again after
 * PAIR_CLOSED.
 */
struct bf_wire_pair_open {
	uint32_t pair;
	uint32_t producer;    /* of the sender */
	uint32_t consumer;    /* of the receiver */
	uint32_t qpn;         /* of the sender */
	uint32_t psn;         /* that its first message has */
	uint32_t credits;     /* entries that it has for messages of credits, at least one */
};

/* The consumer's side has made its queue pair, or status says why not. */
struct bf_wire_pair_ready {
	uint32_t pair;
	int32_t status;       /* 0 or a negative errno; -EAGAIN: too many at a time */
	uint32_t qpn;
	uint32_t psn;
	/* posts of the consumer, from its beginning, and anew; modulo 2^32 */
	uint32_t credits;
	uint32_t reserved;
};

/*
 * GO: the producer's side is ready as well; and again, when it has no credit for a message
 * that says how many messages of credits it has read. CLOSE: the producer's side sends
 * nothing more over it. CLOSED: the consumer's side has taken its queue pair away.
 */
struct bf_wire_pair {
	uint32_t pair;
	int32_t reason;       /* of CLOSE: 0 or a negative errno; else 0 */
	/*
	 * Ever, modulo 2^32. Of GO: messages of credits that were read. Of CLOSE: posts that
	 * were claimed for messages; of CLOSED: those that messages have taken. What is
	 * between these two counts as posted anew.
	 */
	uint32_t msgs;
	uint32_t reserved;
};

/* What may follow a header, but for DATA. */
union bf_wire_ctl {
	struct bf_wire_bye bye;
	struct bf_wire_consumer_new consumer_new;
	struct bf_wire_consumer_gone consumer_gone;
	struct bf_wire_consumer_answer consumer_answer;
	struct bf_wire_pair_open pair_open;
	struct bf_wire_pair_ready pair_ready;
	struct bf_wire_pair pair;
};

#define BF_WIRE_AT(type, field, off) \
	_Static_assert(offsetof(struct bf_wire_##type, field) == (off), #type " " #field)
#define BF_WIRE_SIZE(type, size) \
	_Static_assert(sizeof(struct bf_wire_##type) == (size), #type)

BF_WIRE_AT(req, magic, 0);
BF_WIRE_AT(req, version_min, 4);
BF_WIRE_AT(req, version_max, 5);
BF_WIRE_AT(req, reserved, 6);
BF_WIRE_AT(req, max_msg_size, 8);
BF_WIRE_AT(req, queue_size, 12);
BF_WIRE_AT(req, name_hash, 16);
BF_WIRE_AT(req, prefix, 24);
BF_WIRE_SIZE(req, 56);
BF_WIRE_AT(rep, magic, 0);
BF_WIRE_AT(rep, version, 4);
BF_WIRE_AT(rep, mtu, 5);
BF_WIRE_AT(rep, max_msg_size, 8);
BF_WIRE_AT(rep, queue_size, 12);
BF_WIRE_AT(rep, name, 16);
BF_WIRE_AT(rep, function, 144);
BF_WIRE_SIZE(rep, 176);
BF_WIRE_AT(rej, magic, 0);
BF_WIRE_AT(rej, reason, 4);
BF_WIRE_AT(rej, version_min, 8);
BF_WIRE_AT(rej, version_max, 9);
BF_WIRE_AT(rej, reserved, 10);
BF_WIRE_SIZE(rej, 16);
BF_WIRE_AT(hdr, type, 0);
BF_WIRE_AT(hdr, flags, 1);
BF_WIRE_AT(hdr, ctl_credits, 2);
BF_WIRE_AT(hdr, credits_seen, 3);
BF_WIRE_AT(hdr, len, 4);
BF_WIRE_AT(hdr, credits, 8);
BF_WIRE_AT(hdr, seq, 12);
BF_WIRE_SIZE(hdr, 16);
BF_WIRE_AT(bye, reason, 0);
BF_WIRE_AT(bye, flags, 4);
BF_WIRE_SIZE(bye, 8);
BF_WIRE_AT(consumer_new, consumer, 0);
BF_WIRE_AT(consumer_new, imm_len, 4);
BF_WIRE_AT(consumer_new, buf_size, 8);
BF_WIRE_AT(consumer_new, posts, 16);
BF_WIRE_AT(consumer_new, tag, 20);
BF_WIRE_AT(consumer_new, meta, 24);
BF_WIRE_AT(consumer_new, reserved, 28);
BF_WIRE_SIZE(consumer_new, 32);
BF_WIRE_AT(consumer_gone, consumer, 0);
BF_WIRE_AT(consumer_gone, reserved, 4);
BF_WIRE_SIZE(consumer_gone, 8);
BF_WIRE_AT(consumer_answer, consumer, 0);
BF_WIRE_AT(consumer_answer, to, 4);
BF_WIRE_AT(consumer_answer, reserved, 6);
BF_WIRE_AT(consumer_answer, status, 8);
BF_WIRE_AT(consumer_answer, msgs, 12);
BF_WIRE_SIZE(consumer_answer, 16);
BF_WIRE_AT(pair_open, pair, 0);
BF_WIRE_AT(pair_open, producer, 4);
BF_WIRE_AT(pair_open, consumer, 8);
BF_WIRE_AT(pair_open, qpn, 12);
BF_WIRE_AT(pair_open, psn, 16);
BF_WIRE_AT(pair_open, credits, 20);
BF_WIRE_SIZE(pair_open, 24);
BF_WIRE_AT(pair_ready, pair, 0);
BF_WIRE_AT(pair_ready, status, 4);
BF_WIRE_AT(pair_ready, qpn, 8);
BF_WIRE_AT(pair_ready, psn, 12);
BF_WIRE_AT(pair_ready, credits, 16);
BF_WIRE_AT(pair_ready, reserved, 20);
BF_WIRE_SIZE(pair_ready, 24);
BF_WIRE_AT(pair, pair, 0);
BF_WIRE_AT(pair, reason, 4);
BF_WIRE_AT(pair, msgs, 8);
BF_WIRE_AT(pair, reserved, 12);
BF_WIRE_SIZE(pair, 16);

/* Bytes behind the header of a type; 0 for CREDIT and PING, and for what is none. */
static inline uint32_t
bf_wire_ctl_len(uint8_t type)
{
	static const uint8_t lens[BF_WIRE_TYPES] = {
		[BF_WIRE_BYE] = sizeof(struct bf_wire_bye),
		[BF_WIRE_CONSUMER_NEW] = sizeof(struct bf_wire_consumer_new),
		[BF_WIRE_CONSUMER_GONE] = sizeof(struct bf_wire_consumer_gone),
		[BF_WIRE_CONSUMER_ANSWER] = sizeof(struct bf_wire_consumer_answer),
		[BF_WIRE_PAIR_OPEN] = sizeof(struct bf_wire_pair_open),
		[BF_WIRE_PAIR_READY] = sizeof(struct bf_wire_pair_ready),
		[BF_WIRE_PAIR_GO] = sizeof(struct bf_wire_pair),
		[BF_WIRE_PAIR_CLOSE] = sizeof(struct bf_wire_pair),
		[BF_WIRE_PAIR_CLOSED] = sizeof(struct bf_wire_pair),
	};

	return type < BF_WIRE_TYPES ? lens[type] : 0;
}

/*
 * CREDITs that a side may have sent and not know to be seen. Its own queue_size bounds what
 * they can be about: so up to a certain size of that, each message is told of at once.
 */
static inline uint32_t
bf_wire_credit_window(uint32_t queue_size)
{
	return RTE_MIN(queue_size + 2, BF_WIRE_MAX_WINDOW);
}

/* FNV-1a of a name; both sides have to make the same of it. */
static inline uint64_t
bf_wire_name_hash(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		hash = (hash ^ (uint8_t)*name) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
