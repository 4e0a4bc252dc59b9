/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A peer of the bluefield driver that is played by the test: a function of the model with
 * one queue pair and a connection manager, which says and sends what the test wants, and
 * keeps what it gets. No test is in here.
 */

#ifndef TEST_BLUEFIELD_PEER_H
#define TEST_BLUEFIELD_PEER_H

#include "bluefield_cm.h"
#include "bluefield_dev.h"
#include "bluefield_func.h"
#include "bluefield_fw.h"
#include "bluefield_wire.h"
#include "bluefield_wq.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define PEER_MSGS 128
#define PEER_ENTRIES 64
#define PEER_BUF 8192
#define PEER_QUEUE 8      /**< It says that it has room for so many messages. */
#define PEER_MSG_SIZE 256 /**< Of the largest of them. */

/** What it got. */
struct peer_msg {
	struct bf_wire_hdr hdr;
	uint8_t data[64];
};

struct peer {
	struct bf_func *func;
	struct bf_obj_dev *objs;
	struct bf_pd pd;
	struct bf_uar uar;
	struct bf_cm_addr addr;
	uint16_t addr_index;
	struct bf_cm *cm;
	bool listens;           /**< It answers requests. */
	struct bf_wire_rep rep; /**< With this. */
	const void *rej;        /**< Or refuses them with this, or with reason alone. */
	size_t rej_len;
	int rej_reason;         /**< 0: it does not. */
	struct bf_wire_req req; /**< The last request that it got. */

	struct bf_cm_id *id;
	struct bf_cm_qp own;
	struct bf_cq hw_cq;
	struct bf_qp qp;
	struct bf_compq cq;
	struct bf_sendq sq;
	struct bf_recvq rq;
	struct bf_obj_mem *mem;
	struct bf_mkey mkey;
	bool has_qp;
	unsigned int seen[BF_NB_CM_EVENTS];
	int status[BF_NB_CM_EVENTS];
	uint8_t priv[BF_CM_REP_PRIV]; /**< Of the last REP or REJ. */
	bool keep;              /**< A REP is not answered. */
	uint8_t mtu;            /**< That it asks for, if not 1024 bytes. */
	bool no_posts;          /**< Its queue pair has no buffer for anything. */
	bool no_rtu;            /**< The queue pair is brought up, and nothing is said of it. */
	unsigned int nb_rx;
	struct peer_msg rx[PEER_MSGS]; /**< The first of them. */
	unsigned int nb_types[BF_WIRE_TYPES]; /**< Of each type. */
	struct peer_msg last;   /**< The newest. */
	struct peer_msg last_of[BF_WIRE_TYPES]; /**< Of each type. */
	uint8_t ctl_sent;       /**< Control messages, modulo 2^8. */
	unsigned int nb_errors; /**< Completions with an error. */
	/** Of a message that is as it should be. */
	struct bf_wire_hdr hdr;
};

/** A model with ecpf0vf0, pf0vf0 and pf0vf1; the first may talk to both others. */
int peer_model_start(const char *card_mac, const char *host_mac, const char *hostile_mac);
/** Bring a function of the model up; listens: it is a server. TEST_SUCCESS or not. */
int peer_open(struct peer *p, const char *function, bool listens);
/** Its connection ends, and its function. */
void peer_close(struct peer *p);
/** As the end of a process does: without a word. */
void peer_die(struct peer *p);

/** A request as the driver makes one, for the name. */
void peer_req(struct bf_wire_req *req, const char *name);
/** Send a request. TEST_SUCCESS, or not; the answer comes. */
int peer_connect(struct peer *p, const uint8_t *mac, const void *req, size_t len);
/** The connection of before, if there is one, is forgotten. */
void peer_forget(struct peer *p);
/** Look at what has come. */
void peer_poll(struct peer *p);
/** Send bytes; p->hdr counts the message if they begin with it. */
int peer_send_raw(struct peer *p, const void *bytes, uint32_t len, uint8_t opcode);
/** Send a message as it should be. */
int peer_send(struct peer *p, uint8_t type, const void *data, uint32_t len);
/** The same of a control message, of the length that its type has, when there is a credit. */
int peer_ctl(struct peer *p, uint8_t type, const void *data);
/** The number of messages of a type that have come. */
unsigned int peer_count(const struct peer *p, uint8_t type);

/** As TEST_WAIT, with the peer. */
#define PEER_WAIT(p, cond, ms) TEST_UNTIL_TEXT(cond, #cond, (peer_poll(p), test_progress()), ms)

#endif /* TEST_BLUEFIELD_PEER_H */
