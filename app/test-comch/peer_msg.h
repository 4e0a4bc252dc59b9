/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_PEER_MSG_H
#define TEST_COMCH_PEER_MSG_H

/*
 * The protocol by which the client of this tool drives its server: what the
 * messages look like and nothing else. All of them are control messages.
 *
 *   client                                server
 *   HELLO     -- on the session's connection, first
 *             <- HELLO_REPLY              who the server is, what it can do
 *   START     -- a run of one test
 *             <- START_REPLY
 *   JOIN      -- on each data connection of the run, first
 *             <- JOIN_REPLY               from here on it carries only data
 *             <- READY                    fast path: its producers and consumers
 *                                         are running, or why they are not
 *   ...       the messages of the test
 *   STOP      -- how many messages the server must have seen
 *             <- STOP_REPLY               what it has seen
 *   MEMORY    -- between runs
 *             <- MEMORY_REPLY
 *   BYE       -- the end of the session
 *
 * Fields are little-endian and of fixed width; every length is that of its
 * type to the byte; strings end with a NUL inside their field.
 */

#include <stdint.h>

#include <rte_byteorder.h>

#define PEER_MAGIC UINT32_C(0x434d4354) /* "TCMC" */
#define PEER_VERSION 2 /* struct peer_hdr is the same in all */
#define PEER_TEST_NAME 32
#define PEER_TEXT 96
#define PEER_BOOT_ID 16

enum peer_msg_type {
	PEER_HELLO = 1,
	PEER_HELLO_REPLY,
	PEER_START,
	PEER_START_REPLY,
	PEER_JOIN,
	PEER_JOIN_REPLY,
	PEER_STOP,
	PEER_STOP_REPLY,
	PEER_MEMORY,
	PEER_MEMORY_REPLY,
	PEER_BYE,
	PEER_READY,
	PEER_NB_TYPES,
};

/* Flags of PEER_START; those of the fast path are in fp.h. */
#define PEER_RUN_EVENT    UINT32_C(0x1) /* both ends sleep when they have nothing to do */
#define PEER_RUN_VALIDATE UINT32_C(0x2) /* messages carry the pattern */
#define PEER_RUN_BIDIR    UINT32_C(0x4) /* the server sends too */
#define PEER_RUN_FLAGS    (PEER_RUN_EVENT | PEER_RUN_VALIDATE | PEER_RUN_BIDIR)
#define PEER_RUN_FP_FLAGS UINT32_C(0x1ff)

struct peer_hdr {
	rte_le32_t magic;
	rte_le16_t version;
	rte_le16_t type;
	rte_le32_t len;     /* of the whole message */
	rte_le32_t session; /* 0 in PEER_HELLO, then as the server gave it */
	rte_le32_t run;     /* chosen by the client */
	rte_le32_t status;  /* of replies: 0 or an errno value */
};

struct peer_hello {
	struct peer_hdr hdr;
	rte_le32_t pid;
	rte_le32_t reserved;
	char tool_version[32];
};

struct peer_hello_reply {
	struct peer_hdr hdr;
	rte_le32_t pid;
	rte_le32_t cpu;        /* UINT32_MAX if unknown */
	rte_le32_t max_window; /* messages in flight that the server can send */
	rte_le32_t fp_cpu;     /* of its first worker of the fast path */
	uint8_t boot_id[PEER_BOOT_ID]; /* of its kernel: equal means one machine */
	char tool_version[32];
	char text[PEER_TEXT];  /* of replies: what is wrong, if status is not 0 */
};

struct peer_start {
	struct peer_hdr hdr;
	char test[PEER_TEST_NAME];
	rte_le32_t size;
	rte_le32_t window;
	rte_le32_t nb_conns;
	rte_le32_t flags;
	/* Fast path; else 0. */
	rte_le32_t imm_len;
	rte_le32_t burst;
	rte_le32_t stride;
	rte_le32_t posts;
	rte_le32_t sources;
	rte_le32_t producers;  /* on each connection, of each end that sends */
	rte_le32_t consumers;  /* on each connection, of each end that receives */
	rte_le32_t reserved;
};

struct peer_start_reply {
	struct peer_hdr hdr;
	rte_le32_t cpu;
	rte_le32_t reserved;
	char text[PEER_TEXT];
};

struct peer_join {
	struct peer_hdr hdr;
	rte_le32_t index;
	rte_le32_t reserved;
};

struct peer_join_reply {
	struct peer_hdr hdr;
};

/* On each data connection. status: as of replies. */
struct peer_ready {
	struct peer_hdr hdr;
	rte_le64_t page_size;  /* of the server's buffers */
	char text[PEER_TEXT];
};

struct peer_stop {
	struct peer_hdr hdr;
	rte_le64_t rx_msgs;  /* data messages that were delivered to the server */
	rte_le64_t connects; /* connections that were made, where the test counts them */
};

struct peer_stop_reply {
	struct peer_hdr hdr;
	rte_le64_t rx_msgs;
	rte_le64_t rx_bytes;
	rte_le64_t bad_msgs; /* that did not carry the pattern, or had another size */
	rte_le64_t tx_msgs;  /* delivered to the client */
	rte_le64_t connects;
	rte_le64_t disconnects;
	rte_le64_t cpu_ns;   /* CPU time of the server's thread in this run */
	char text[PEER_TEXT];
};

struct peer_memory {
	struct peer_hdr hdr;
};

struct peer_memory_reply {
	struct peer_hdr hdr;
	rte_le64_t bytes;
};

struct peer_bye {
	struct peer_hdr hdr;
};

/* Zero a message and fill in its header. */
void peer_msg_init(struct peer_hdr *hdr, enum peer_msg_type type, uint32_t session,
		uint32_t run, int status);

/*
 * Check a message of the peer as far as it can be without knowing the state.
 * Returns its type, -EPROTONOSUPPORT for another version, -EPROTO otherwise.
 */
int peer_msg_check(const void *msg, uint32_t len);

/* Status of a reply: 0 or a negative errno. */
int peer_msg_status(const struct peer_hdr *hdr);

const char *peer_msg_name(int type);

#endif /* TEST_COMCH_PEER_MSG_H */
