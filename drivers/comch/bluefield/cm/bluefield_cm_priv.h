/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of layer cm share: ids and their states, and the port below, which
 * carries messages. Nobody else includes this, but for who makes a port, and tests.
 *
 *   bluefield_cm.c          calls of the user, callbacks, poll
 *   bluefield_cm_addr.c     addresses of functions, as GIDs
 *   bluefield_cm_id.c       ids: their numbers, who they are of, how many there may be
 *   bluefield_cm_msg.c      messages that go out, reasons of REJs
 *   bluefield_cm_rx.c       what arrives, and what is due
 *
 * All of it is under cm->lock, also the calls of the port, wake and
 * ip4_mac; other callbacks are not.
 */

#ifndef BLUEFIELD_CM_PRIV_H
#define BLUEFIELD_CM_PRIV_H

#include <sys/queue.h>

#include "bluefield_cm.h"
#include "bluefield_lock.h"
#include "bluefield_log.h"
#include "bluefield_mad.h"

/*
 * The port
 */

#define BF_CM_GSI_QPN 1u

/* What an errno can be at most. */
#define BF_CM_MAX_ERRNO 4095

/* A message that has arrived. Nothing in it was looked at. */
struct bf_cm_packet {
	bool has_grh;           /* addresses are known */
	bool ip4;               /* they are IPv4, mapped; else IPv6 */
	uint32_t src_qpn;
	uint8_t sgid[16];
	uint8_t dgid[16];
	uint16_t len;           /* may be more than there is room for: it was cut off */
	uint8_t mad[BF_MAD_SIZE];
};

struct bf_cm_port;

struct bf_cm_port_ops {
	/* To queue pair 1 there; not waited for. 0 or a negative errno. */
	int (*send)(struct bf_cm_port *port, const struct bf_cm_addr *to, const uint8_t *mad);
	/* The next one that has arrived; false: none. The user polls again when one does. */
	bool (*recv)(struct bf_cm_port *port, struct bf_cm_packet *pkt);
	uint64_t (*now_ms)(struct bf_cm_port *port);
	void (*dump)(struct bf_cm_port *port, FILE *f); /* or NULL */
	void (*close)(struct bf_cm_port *port);
};

/* Embedded at the start of a port's own structure. */
struct bf_cm_port {
	const struct bf_cm_port_ops *ops;
};

/* As bf_cm_create(), on any port. It is taken over, also on failure. */
int bf_cm_open(struct bf_cm_port *port, const struct bf_cm_conf *conf, struct bf_cm **cm);

/*
 * Addresses
 */

/* The MAC of who sent from a GID; false: nobody whom our own kind of address can answer. */
bool bf_cm_mac_of(const struct bf_cm_conf *conf, const uint8_t gid[16], uint8_t mac[6]);
/* The header of the RDMA IP CM service between two GIDs of a kind; no ports. */
void bf_cm_ip_fill(struct bf_mad_ip *ip, const uint8_t src[16], const uint8_t dst[16]);

/*
 * Ids
 */

/* A side's ids are in slots; the rest of a number changes with each use of the slot. */
#define BF_CM_SLOT_BITS 16
#define BF_CM_MAX_IDS (1u << BF_CM_SLOT_BITS)
#define BF_CM_NB_BUCKETS 64u

enum bf_cm_state {
	BF_CM_ST_IDLE,          /* over, or about to begin; mad is what dups are answered with */
	BF_CM_ST_REQ_SENT,
	BF_CM_ST_REP_RCVD,
	BF_CM_ST_REQ_RCVD,
	BF_CM_ST_REP_SENT,
	BF_CM_ST_ESTABLISHED,
	BF_CM_ST_DREQ_SENT,
	BF_CM_ST_DREQ_RCVD,     /* and the user has not answered */
	BF_CM_ST_TIMEWAIT,
};

/* Another function, as long as there are ids of it. */
struct bf_cm_peer {
	LIST_ENTRY(bf_cm_peer) next;
	uint8_t gid[16];
	LIST_HEAD(, bf_cm_id) ids;
	uint32_t nb_passive;    /* of REQs from there */
	uint32_t nb_half_open;
};

struct bf_cm_id {
	LIST_ENTRY(bf_cm_id) next; /* of the peer */
	struct bf_cm *cm;
	struct bf_cm_peer *peer;
	enum bf_cm_state state;
	bool active;            /* we sent the REQ */
	bool released;
	bool half_open;         /* counts as such */
	bool stale_once;        /* a REJ 10 is answered by a new REQ, once */
	bool renumber;          /* that REQ is still to be sent */
	bool mra_once;          /* a MRA was obeyed */
	bool kept;              /* mad is to be sent again */
	uint8_t retries_left;
	uint32_t local_id;
	uint32_t remote_id;     /* 0 and !has_remote: not known */
	bool has_remote;
	uint64_t guid;          /* of the other side */
	struct bf_cm_addr addr;
	struct bf_cm_qp own;
	struct bf_cm_qp remote;
	uint32_t flow_label;
	uint8_t tclass;
	uint8_t rep_timeout;    /* code, as the REQ asks */
	uint8_t rep_retries;
	int ended;              /* status of BF_CM_ENDED */
	bf_cm_cb_t cb;
	void *arg;
	uint64_t tid;           /* of the REQ */
	uint64_t dreq_tid;      /* of the DREQ that a DREP answers */
	uint64_t due;           /* UINT64_MAX: never */
	uint64_t end;           /* of a connect */
	uint32_t interval;      /* ms between two of the same message */
	uint8_t mad[BF_MAD_SIZE];
};

/* An event on its way to the user. */
struct bf_cm_note {
	struct bf_cm_id *id;    /* NULL: taken back */
	struct bf_cm_event ev;
};

/* One message or one timer makes no more: it ends its own id and an old one. */
#define BF_CM_MAX_NOTES 2u

struct bf_cm {
	struct bf_cm_conf conf;
	struct bf_cm_port *port;
	struct bf_lock lock;
	struct bf_cond cond;    /* a callback has returned */
	struct bf_cm_id *id_in_cb;
	struct bf_cm_id **slots;
	uint16_t *gens;         /* of slots: high half of the last number */
	uint32_t next_slot;
	LIST_HEAD(, bf_cm_peer) peers[BF_CM_NB_BUCKETS];
	uint64_t next_due;      /* nothing is due before */
	bool more;              /* the port may have more */
	bool in_poll;           /* the deadline is asked for after it */
	uint64_t tid;
	struct bf_cm_stats stats;
	struct bf_mad rx;       /* being handled; events point into it */
	struct bf_cm_note notes[BF_CM_MAX_NOTES + 1]; /* the last: nobody is told */
	uint32_t nb_notes;
};

static inline uint64_t
bf_cm_now(struct bf_cm *cm)
{
	return cm->port->ops->now_ms(cm->port);
}

/*
 * bluefield_cm_id.c
 */

/* NULL: there are too many, or no memory, as *err says. */
struct bf_cm_id *bf_cm_id_new(struct bf_cm *cm, const struct bf_cm_addr *addr, bool active,
	int *err);
void bf_cm_id_free(struct bf_cm_id *id);
/* Give it a number that none had. */
void bf_cm_id_renumber(struct bf_cm_id *id);
/* May this function have one more, from a REQ, if there is one? */
bool bf_cm_id_room(struct bf_cm *cm, const struct bf_cm_addr *addr);
/* Of this function, by our number; NULL: none. */
struct bf_cm_id *bf_cm_id_find(struct bf_cm *cm, const struct bf_cm_addr *from,
	uint32_t local_id);
/* The passive one of this REQ or, with a REJ, of this number and GUID. */
struct bf_cm_id *bf_cm_id_of_req(struct bf_cm *cm, const struct bf_cm_addr *from,
	uint32_t remote_id, uint64_t guid);
/* One but this that lives with the same queue pair of the other side. */
struct bf_cm_id *bf_cm_id_of_qp(struct bf_cm *cm, const struct bf_cm_addr *from,
	uint64_t guid, uint32_t qpn, const struct bf_cm_id *but);
/* A new state; the timer and the counts follow. ms: when it is due, UINT64_MAX never. */
void bf_cm_id_state(struct bf_cm_id *id, enum bf_cm_state state, uint64_t ms);
void bf_cm_id_due(struct bf_cm_id *id, uint64_t ms);
/* A new state, in which what was kept is sent so often, with so many ms in between. */
void bf_cm_id_retry(struct bf_cm_id *id, enum bf_cm_state state, uint32_t interval,
	uint8_t retries);
/* Tell the user, if it still wants to know, once this message or timer is handled. */
struct bf_cm_event *bf_cm_note(struct bf_cm_id *id, enum bf_cm_event_type type, int status);
const char *bf_cm_state_text(enum bf_cm_state state);

/*
 * bluefield_cm_msg.c
 */

/* The RDMA IP CM header, then the user's; kept for retries. */
void bf_cm_send_req(struct bf_cm_id *id, const void *priv, size_t len);
/* The same REQ with a new number. */
void bf_cm_send_req_again(struct bf_cm_id *id);
void bf_cm_send_rep(struct bf_cm_id *id, const void *priv, size_t len);
void bf_cm_send_rtu(struct bf_cm_id *id);
void bf_cm_send_mra(struct bf_cm_id *id, enum bf_mad_about about);
/* Kept: the answer to whatever is sent again. */
void bf_cm_send_rej(struct bf_cm_id *id, enum bf_mad_about about, uint8_t reason,
	const void *priv, size_t len);
void bf_cm_send_dreq(struct bf_cm_id *id, int reason);
/* The reason in one, a negative errno; 0: it has none. */
int bf_cm_dreq_reason(const struct bf_mad_dreq *dreq);
void bf_cm_send_drep(struct bf_cm_id *id);
/* What was kept. */
void bf_cm_send_kept(struct bf_cm_id *id);
/* Answers to the message in cm->rx, of no id. */
void bf_cm_answer_rej(struct bf_cm *cm, const struct bf_cm_addr *to, enum bf_mad_about about,
	uint8_t reason);
void bf_cm_answer_drep(struct bf_cm *cm, const struct bf_cm_addr *to);
void bf_cm_answer_sidr(struct bf_cm *cm, const struct bf_cm_addr *to);

/*
 * bluefield_cm_rx.c
 */

/* A message that has arrived. */
void bf_cm_rx(struct bf_cm *cm, const struct bf_cm_packet *pkt);
/* An id whose time has come. */
void bf_cm_due(struct bf_cm_id *id, uint64_t now);
void bf_cm_timewait(struct bf_cm_id *id, int status);

#endif
