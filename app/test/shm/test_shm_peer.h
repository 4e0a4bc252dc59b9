/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A second implementation of the shm driver's wire protocol, which checks
 * nothing and sends anything, and the surroundings in which it attacks devices
 * of the driver. It shares the header of the protocol with the driver, and no
 * code. No test is in here.
 */

#ifndef TEST_SHM_PEER_H
#define TEST_SHM_PEER_H

#include <limits.h>
#include <sys/types.h>

#include "shm_wire.h"

#include "test_comch_util.h"

#define HOSTILE_RING_SIZE (4 * 4096 - (uint32_t)sizeof(struct shm_wire_chan))
/* Of a region, and posts of a consumer, if nothing else is said. */
#define HOSTILE_REGION_SIZE UINT64_C(16384)
#define HOSTILE_POSTS 8u

/** A shared segment of the hostile side. */
struct hostile_seg {
	void *map;
	uint32_t size;
	int fd;
};

/** The hostile side of one connection. */
struct hostile_chan {
	uint32_t id;
	struct hostile_seg seg;          /**< What the hostile side writes. */
	struct shm_wire_chan *own;    /**< The same. */
	uint32_t ring_size;           /**< Of the same. */
	const struct shm_wire_chan *peer;
	uint32_t peer_size;
	struct shm_wire_rx rx;        /**< What the device said of how it receives. */
	struct shm_wire_tx tx;        /**< What the device said of its segment. */
};

/** The hostile side of one link. */
struct hostile {
	TAILQ_ENTRY(hostile) next;
	int fd;
	bool eof;                     /**< The device has ended the link. */
	struct hostile_seg seg;
	struct shm_wire_link *own;    /**< The same. */
	const struct shm_wire_link *peer;
	int wake;                     /**< Of the last GROUP, or -1. */
	union shm_wire_msg msg;       /**< The last message. */
	int msg_fd;                   /**< What came with it, or -1. */
	struct hostile_chan chan;        /**< The connection that most cases have. */
};

/** What the attacks happen to, and who must not notice. */
struct peer_env {
	const char *args;             /**< More of the card device, of one suite; or NULL. */
	int16_t dpu;
	char path[PATH_MAX];
	struct test_ep *server;       /**< Echoes to the honest client. */
	struct test_ep *client;       /**< Honest. */
	struct test_ep *target;       /**< The server that is attacked. */
	struct rte_comch_pe *pe;      /**< Of both servers. */
	uint64_t violations;          /**< At the begin of the case. */
	unsigned int fds;
	unsigned int maps;
};

extern struct peer_env peer_env;

/** The attacked side when the hostile one is the card; the honest pair lives beside it. */
struct peer_host {
	char path[PATH_MAX];
	int listen_fd;
	int16_t dev;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *idle;   /**< Has sockets served while there is no client. */
	struct test_ep *client;
	uint64_t violations;
};

extern struct peer_host peer_host;

/* test_shm_peer_host.c: as the functions of peer_env */

int peer_host_suite_setup(void);
void peer_host_suite_teardown(void);
int peer_host_setup(void);
void peer_host_teardown(void);
uint64_t peer_host_violations(void);
/** A client of the device asks for a connection: its CONNECT has been taken. */
struct hostile *peer_host_connecting(void);
/** It was accepted. */
struct hostile *peer_host_connected(void);

/* test_shm_peer_msg.c */

/** A case: what a peer says that closes with answers unread. */
int peer_last_word(void);

/* test_shm_peer_seg.c */

/** All ways in which a descriptor can be no segment of a size. */
enum bad_seg {
	BAD_PIPE,
	BAD_SOCKET,
	BAD_FILE,
	BAD_NO_SEALS,
	BAD_NO_SHRINK,
	BAD_NO_FUTURE_WRITE,
	BAD_SHORT,
	BAD_EMPTY,
	BAD_SPARSE,
	BAD_HUGETLB,
	BAD_MAGIC,
	BAD_HDR_SIZE,
	BAD_SIZE,
	BAD_ZERO,
	BAD_WRITE_ONLY,
	BAD_SEGS,
};

/** @return -1 if it cannot be had: huge pages. */
int peer_bad_fd(enum bad_seg kind, uint32_t hdr_size, uint32_t size);
/**
 * A socket that makes its last close wait, because nobody reads what it has sent from the
 * other one. @return -1 if it cannot be had.
 */
int peer_lingering_fd(int *other);

/* test_shm_peer_env.c */

int peer_suite_setup(void);
void peer_suite_teardown(void);
/** Before each case: note what the process has. */
void peer_settle(void);
int peer_setup(void);
/** After it: everything hostile is gone, nothing is left of it, the honest go on. */
void peer_teardown(void);
/** Have the sockets of the devices of an engine looked at in this turn of it. */
void peer_serve(struct rte_comch_pe *pe);
/** Have sockets looked at and engines turned once. */
void peer_turn(void);
void peer_turn_ms(unsigned int ms);
/**
 * After how many ms an engine that sleeps with a connection of an end looks again by itself;
 * UINT_MAX: when something happens. One that does not come to sleep ends the case.
 */
unsigned int peer_sleep_ms(struct rte_comch_pe *pe, const struct test_ep *ep);
/** Breaches counted by the attacked device since the begin of the case. */
uint64_t peer_violations(void);
uint32_t peer_links(void);
/** What a user of it has taken of a limit. */
uint64_t peer_taken(uint32_t uid, const char *limit);
/** Memory of this process. */
uint64_t peer_resident_kb(void);
/** The honest client gets so many echoes. */
int peer_honest(unsigned int nb);

#define PEER_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
				(unsigned int)(ms), #cond); \
		peer_turn(); \
	} \
} while (0)

/* test_shm_peer.c */

/** Name of a rendezvous socket. @return length of the address. */
unsigned int hostile_addr(void *addr, const char *path, const char *function);

/** The same memory, open for O_RDONLY or O_WRONLY alone. Takes the descriptor. */
int hostile_fd_again(int fd, int mode);
/** A memfd with its segment header in place. */
int hostile_seg_create(struct hostile_seg *seg, uint32_t hdr_size, uint32_t size);
void hostile_seg_free(struct hostile_seg *seg);
int hostile_chan_seg_create(struct hostile_chan *chan, uint32_t ring_size);
void hostile_chan_free(struct hostile_chan *chan);

/** A socket that has said nothing; NULL if the device's backlog is full. */
struct hostile *hostile_open(const char *path, const char *function);
/** The other end of an accepted socket. */
struct hostile *hostile_wrap(int fd);
void hostile_close(struct hostile *e);
void hostile_close_all(void);

/** In a process without the device: nothing is turned while it waits. */
extern bool hostile_alone;
/** What HELLO says. */
extern const char *hostile_function;

/**
 * Messages of devices that had bytes which say nothing, and were not 0; or a segment that
 * their receiver could write to.
 */
extern unsigned int hostile_dirty;

/** A user that nobody is. */
#define OTHER_UID 21235
/** Become another user, to whom the folder of the test is open. @return whether it is one. */
bool hostile_become(uid_t uid);
/**
 * Skip the case where this process cannot become that user, as root of a user namespace may.
 * @return TEST_SUCCESS, or what a case returns at once.
 */
int peer_need_user(uid_t uid);

/** Send bytes and descriptors, whatever they are. @return 0 or a negative errno. */
int hostile_send_raw(struct hostile *e, const void *buf, size_t len, const int *fds,
		unsigned int nb_fds);
/** Wake the engine of the card's side that has sent the last GROUP. */
void hostile_wake(struct hostile *e);
/** Complete the header and send. */
int hostile_send(struct hostile *e, union shm_wire_msg *msg, uint16_t type, uint32_t chan, int fd);
uint16_t hostile_type_len(uint16_t type);
/** Fill a message as a correct peer would. */
void hostile_fill(union shm_wire_msg *msg, uint16_t type, uint32_t chan);
/** Send what hostile_fill() fills, and no descriptor. */
int hostile_say(struct hostile *e, uint16_t type, uint32_t chan);
/** Take one message, if there is one. @return its type, 0 or a negative errno. */
int hostile_recv(struct hostile *e);
/** Take messages until it is one of this type. @return 0 or a negative errno. */
int hostile_wait(struct hostile *e, uint16_t type, unsigned int ms);
/** The device has ended the link. */
bool hostile_gone(struct hostile *e);

/** A link that is up, up to and with its groups; without one the case ends. */
struct hostile *hostile_up(void);
int hostile_hello(struct hostile *e);
/** The first message only. */
int hostile_hello_send(struct hostile *e);
/** CONNECT to the attacked server, and wait for ACCEPT. */
int hostile_connect(struct hostile *e, struct hostile_chan *chan, uint32_t id);
/** Ask a server for a connection, and for room for so many messages. */
int hostile_connect_send(struct hostile *e, uint32_t id, const char *name, uint32_t queue_size);
int hostile_ready(struct hostile *e, struct hostile_chan *chan);
/** The same with a connection to the attacked server: in e->chan. */
struct hostile *hostile_connected(void);
/** Take the segment that came with the last message. */
int hostile_chan_map(struct hostile *e, struct hostile_chan *chan);

/** Publish a record, as a correct peer would. */
void hostile_put(struct hostile *e, struct hostile_chan *chan, const void *data, uint32_t len);
/** Write the header of a record that claims anything; tail is not moved. */
void hostile_rec(struct hostile_chan *chan, uint32_t len, uint32_t reserved);
void hostile_tail_add(struct hostile *e, struct hostile_chan *chan, uint32_t bytes);
void hostile_ring(struct hostile *e, struct hostile_chan *chan);

#endif /* TEST_SHM_PEER_H */
