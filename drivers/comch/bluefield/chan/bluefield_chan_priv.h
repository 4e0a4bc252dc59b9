/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The insides of layer chan. A control connection is a struct bf_ctrl_conn here. Its files:
 *
 *   bluefield_chan.c        messages that come over one that is up, bursts, idle
 *   bluefield_chan_send.c   messages that it sends: data, credits, signs of life
 *   bluefield_conn.c        how one begins and ends, in the thread of its group
 *   bluefield_chan_qp.c     the same in the worker: queue pair, buffers, handshake
 *   bluefield_chan_group.c  poll groups, events between the two threads, the device
 *
 * Who owns its queues. The worker makes them and hands them over with BF_EV_QP or
 * BF_EV_REP; the thread of the group gives them back with BF_WORK_CLOSE. Neither looks
 * at them while they are the other's. What both look at is under the lock of the device's
 * part, struct bf_chan_dev: the innermost lock but that of jobs, and never held while a
 * command is executed or anybody is called.
 */

#ifndef BLUEFIELD_CHAN_PRIV_H
#define BLUEFIELD_CHAN_PRIV_H

#include <rte_log.h>

#include "bluefield_chan.h"
#include "bluefield_log.h"
#include "bluefield_wq.h"

/* Blocks of a send queue, and those of them that messages leave for what the driver sends. */
#define BF_CTRL_SQ_BLOCKS 128u
#define BF_CTRL_SQ_RESERVE 8u
/* Blocks after which one request asks for its completion. */
#define BF_CTRL_SIGNAL (BF_CTRL_SQ_BLOCKS / 4)
/* Bytes of a message that go into the request itself: with its header, in two blocks. */
#define BF_CTRL_INLINE (2 * BF_SQ_BLOCK - BF_WQE_SEG - sizeof(uint32_t) - \
	sizeof(struct bf_wire_hdr))
/* Bytes for the larger ones that are under way. */
#define BF_CTRL_MIN_TX (16u << 10)
/* Bytes of messages that one side holds for the other. */
#define BF_CTRL_MAX_RECV (16u << 20)
/* Messages and bytes of one connection in one poll. */
#define BF_CTRL_BURST 32u
#define BF_CTRL_BYTES (64u << 10)
/* Completions of one connection in one poll. */
#define BF_CTRL_CQES 64u
/* Polls without an event after which a connection is left to its completion queue. */
#define BF_CTRL_IDLE_POLLS 64u
/* Control messages that wait for the peer to take them. */
#define BF_CTRL_MAX_CTL 8192u
/* Connections of one turn that have events. */
#define BF_CTRL_EVENTS 64u
/* Lines of the log in a minute, about one peer. */
#define BF_PEER_LINES 64u
/* Attempts that others spoil, before that is the answer. */
#define BF_CTRL_TRIES 8u

#define BF_CTRL_RNR_RETRY 7   /* for ever: a peer that is slow is not dead */
#define BF_CTRL_RNR_TIMER 12  /* 640 us */

/* What the worker tells the thread of the group. */
#define BF_EV_REQ 0x01u   /* server: a request */
#define BF_EV_QP 0x02u    /* server: the queues are there */
#define BF_EV_READY 0x04u /* server: the client is ready */
#define BF_EV_REP 0x08u   /* client: the queues are there, and the peer is ready */
#define BF_EV_CTL 0x10u   /* control messages wait to be sent */
#define BF_EV_LOST 0x20u  /* with a reason: the handshake failed, the peer is gone or lies */
#define BF_EV_LEFT 0x40u  /* with a reason: the peer has disconnected */
#define BF_EV_START 0x80u /* client: by itself, so that who stops it at once asks for nothing:
			   * a worker may be faster than the end of a connection */

/* What the thread of the group tells the worker. */
#define BF_WORK_CONNECT 0x01u /* client: begin */
#define BF_WORK_ACCEPT 0x02u  /* server: answer */
#define BF_WORK_RTU 0x04u     /* client: say that it is ready */
#define BF_WORK_EST 0x08u     /* server: a message has come before that */
#define BF_WORK_CLOSE 0x10u   /* the queues are yours, and all ends */
#define BF_WORK_FLUSH 0x20u   /* nothing more comes in: what has come is completed then */

enum bf_ctrl_state {
	BF_CTRL_NEW = 0,     /* server: the request is on its way to the group */
	BF_CTRL_CONNECTING,  /* client */
	BF_CTRL_OPENING,     /* server: the library has it, the client is not ready */
	BF_CTRL_UP,
	BF_CTRL_CLOSING,     /* the library has closed it, BYE is under way */
	BF_CTRL_OVER,        /* nobody's but the worker's */
};

/* Where the handshake is; the worker's. */
enum bf_ctrl_stage {
	BF_STAGE_NONE = 0,   /* there is no id, or it is of no use */
	BF_STAGE_ASKED,      /* client: REQ sent */
	BF_STAGE_REQUESTED,  /* server: REQ came */
	BF_STAGE_ANSWERED,   /* server: REP sent; client: REP came */
	BF_STAGE_LIVE,
};

/* What one side sends and the other has told to have taken. */
struct bf_ctrl_tx {
	uint32_t seq;       /* of the next message */
	uint32_t data;      /* messages sent */
	uint32_t taken;     /* of them, by the peer */
	uint32_t done;      /* what the library was told of that */
	uint32_t queue;     /* entries of the peer */
	uint8_t ctl;        /* control messages sent */
	uint8_t ctl_taken;
	uint8_t credits;    /* messages of type CREDIT sent */
	uint8_t credits_seen; /* by the peer */
	uint8_t window;     /* of them */
	bool ping;          /* one is under way */
	uint16_t ping_index;
	uint16_t bye_index;
	bool bye;           /* sent */
	bool bye_done;      /* and with the peer's device */
	bool bye_asks;      /* for an answer */
	uint16_t signalled; /* index behind the last request that asked for a completion */
	/* ring of bytes; positions only grow */
	uint8_t *ring;
	uint32_t size;      /* a power of two */
	uint32_t head;
	uint32_t tail;
	uint32_t *ends;     /* by index of request: the head behind it */
	uint64_t last;      /* TSC of the last message */
};

struct bf_ctrl_msg {
	uint32_t buf;
	uint32_t len;       /* behind the header */
};

struct bf_ctrl_rx {
	uint32_t seq;       /* of the next message */
	uint32_t data;      /* messages that came */
	uint32_t taken;     /* of them, by the application */
	uint32_t told;      /* what the peer was told of that */
	uint32_t queue;     /* entries for them */
	uint32_t max;       /* largest message */
	uint8_t ctl;        /* control messages that came */
	uint8_t ctl_taken;
	uint8_t ctl_told;
	uint8_t credits;    /* messages of type CREDIT that came */
	uint8_t credits_told;
	uint8_t window;     /* of them */
	bool bye;           /* came */
	bool bye_asks;      /* for an answer, and the peer is not known to have it */
	bool dirty;         /* entries wait to be seen by the device */
	int bye_reason;
	uint8_t *bufs;
	uint32_t stride;    /* bytes of a buffer */
	uint32_t nb_bufs;
	uint32_t lkey;
	uint32_t *slots;    /* by entry: the buffer; atomic */
	struct bf_ctrl_msg *fifo; /* data that was not taken, by data & fifo_mask */
	uint32_t fifo_mask;
	struct bf_ctrl_msg ctls[BF_WIRE_CTL_ENTRIES]; /* that wait, by ctl; len is the type */
};

/* A control message that waits to be sent. */
struct bf_ctrl_out {
	STAILQ_ENTRY(bf_ctrl_out) next;
	uint8_t type;
	uint8_t len;
	uint8_t payload[sizeof(union bf_wire_ctl)];
};

/* How one completion queue wakes its engine. */
struct bf_ctrl_wake {
	struct bf_idle idle_queue;
	struct bf_ctrl_conn *cc;
	struct bf_compq *cq;
	bool added;          /* idle_queue is among the group's */
	bool armed;
	bool solicited;      /* for what is marked so only */
};

/* Objects of the device; zeros are none. */
struct bf_ctrl_objs {
	struct bf_cq cq;     /* of what comes */
	struct bf_cq tx_cq;
	struct bf_qp qp;
	struct bf_obj_mem *mem;
	struct bf_mkey mkey;
};

/* The handshake. */
struct bf_ctrl_hs {
	enum bf_ctrl_stage stage;
	struct bf_cm_id *id;
	struct bf_cm_qp own;
	uint32_t tries;
};

/* Our side of a control connection. */
struct bf_ctrl_conn {
	struct bf_chan pub;  /* first */
	/* the thread of the group */
	enum bf_ctrl_state state;
	bool has_queues;     /* the queues are the group's; others load it with acquire */
	bool ready;          /* the other side receives */
	bool rx_seen;        /* a message has come */
	bool in_rx_cb;       /* the application looks at one, in its buffer */
	int over_reason;     /* OVER: of the CLOSE that waits for that */
	int lost;            /* why it is about to end, or 0 */
	struct bf_compq cq;  /* of what comes */
	uint32_t cq_seen;    /* how far that was taken, for other threads; atomic */
	struct bf_compq tx_cq; /* of what was sent: it wakes nobody, as a rule */
	struct bf_sendq sq;
	struct bf_recvq rq;
	struct bf_ctrl_tx tx;
	struct bf_ctrl_rx rx;
	uint32_t idle;
	int32_t active;      /* place in the group's array, -1 for none */
	bool dirty;          /* on the list of what the poll under way ends with */
	struct bf_ctrl_conn *next_dirty;
	struct bf_ctrl_wake wake;
	struct bf_ctrl_wake tx_wake;
	bool tx_full;        /* a message had no room in our own queue */
	struct bf_ctrl_list *timed; /* the list that it is on, or NULL */
	uint64_t deadline;   /* TSC: of the next look at its life, or of its end */
	uint64_t give_up;    /* TSC: CLOSING */
	bool given_up;       /* the worker flushes the queues */
	TAILQ_ENTRY(bf_ctrl_conn) next_timed;
	TAILQ_ENTRY(bf_ctrl_conn) next_group;
	struct bf_chan_group *cg;
	struct rte_comch_ctrl *ctrl; /* client that is CONNECTING */
	struct rte_comch_pmd_ending *ending; /* CLOSING */
	int bye_reason;      /* CLOSING */

	/* written before the worker or the group first sees them */
	struct bf_chan_dev *cd;
	bool is_client;
	bool holds;          /* the group; not before it was accepted */
	uint8_t version;
	uint32_t msg_size;   /* agreed; client: wanted, until REP */
	uint32_t queue;      /* entries of ours */
	uint32_t peer_queue;
	uint64_t name_hash;
	char name[BF_WIRE_NAME_SIZE]; /* server: as far as the request has it; bf_ctrl_name() */
	char function[BF_WIRE_FUNCTION_SIZE];

	/* the worker */
	struct bf_ctrl_objs objs;
	struct bf_ctrl_hs hs;
	TAILQ_ENTRY(bf_ctrl_conn) next; /* of the device: all; the lock */

	/* the lock */
	uint32_t qpn;        /* of qp, for people */
	uint32_t events;     /* BF_EV_ */
	int lost_reason;     /* of LOST */
	int left_reason;     /* of LEFT */
	int close_reason;    /* of CLOSE */
	bool ev_queued;
	bool attached;       /* the library has it */
	bool no_ctl;         /* the library has done with it */
	bool closing;        /* OVER: no events, and no work but CLOSE */
	bool released;       /* the device has let go of it: no work */
	uint32_t work;       /* BF_WORK_ */
	bool job_posted;
	struct bf_job job;
	STAILQ_ENTRY(bf_ctrl_conn) next_ev;
	STAILQ_HEAD(, bf_ctrl_out) ctls;
	uint32_t nb_ctls;

	uint32_t refs;       /* atomic */
};

TAILQ_HEAD(bf_ctrl_list, bf_ctrl_conn);
STAILQ_HEAD(bf_ctrl_events, bf_ctrl_conn);

/* A server that takes requests. */
struct bf_listen {
	TAILQ_ENTRY(bf_listen) next;
	struct rte_comch_ctrl *server;
	struct bf_group *group;
	uint16_t rep_id;
	uint64_t hash;
};

/* A limit of log lines about one peer. Atomic; a race is a line more. */
struct bf_log_limit {
	uint64_t minute;
	uint32_t nb;
};

/* What the layer has in a device. */
struct bf_chan_dev {
	struct bf_dev *dev;
	uint32_t refs;       /* of the device, and of each group; atomic */
	struct bf_lock lock;
	/* with the lock */
	int down;            /* why the device has failed, or 0 */
	TAILQ_HEAD(, bf_listen) listens;
	struct bf_ctrl_list conns;
	uint32_t nb_conns;
	TAILQ_HEAD(, bf_chan_group) groups;
	struct bf_log_limit log_limits[]; /* of each peer, by identifier of its representor */
};

/* What the layer has in a poll group. */
struct bf_chan_group {
	struct bf_chan_dev *cd;
	struct bf_group *group;
	uint32_t refs;       /* of the group, and of an event under way; atomic */
	/* with the lock */
	TAILQ_ENTRY(bf_chan_group) next;
	struct rte_comch_pmd_event ev;
	bool ev_posted;
	bool ev_late;        /* there was no room for it: atomic */
	bool gone;           /* the engine is, or is about to be */
	bool down;           /* the device has failed: its connections are to be told */
	struct bf_ctrl_events evs;
	/* the thread of the group */
	struct bf_ctrl_list conns;
	uint32_t nb_conns;
	struct bf_ctrl_conn **active;
	uint32_t nb_active;
	uint32_t max_active; /* at least as many as connections */
	struct bf_ctrl_conn *dirty;
	bool polling;
	uint64_t now;        /* TSC of the last poll */
	struct bf_ctrl_list pings;   /* those that are UP, by deadline */
	struct bf_ctrl_list endings; /* those that are CLOSING, by deadline */
};

static inline struct bf_ctrl_conn *
bf_ctrl_of(struct bf_chan *chan)
{
	return container_of(chan, struct bf_ctrl_conn, pub);
}

static inline const char *
bf_ctrl_dev_name(const struct bf_ctrl_conn *cc)
{
	return cc->pub.dev->rte_dev->data->name;
}

static inline void
bf_ctrl_ref(struct bf_ctrl_conn *cc)
{
	__atomic_fetch_add(&cc->refs, 1, __ATOMIC_RELAXED);
}

/* Does the application hold messages back? */
static inline bool
bf_ctrl_held(const struct bf_ctrl_conn *cc)
{
	return cc->pub.conn != NULL && cc->pub.conn->rx_held;
}

/* bluefield_chan.c, in the thread of the group */
int bf_ctrl_poll(struct bf_ctrl_conn *cc);
void bf_ctrl_cq_drain(struct bf_ctrl_conn *cc);
void bf_ctrl_arm(struct bf_ctrl_conn *cc);
void bf_violation_count(struct bf_dev *dev);
void bf_violation_log(const struct bf_ctrl_conn *cc, const char *what, uint64_t a, uint64_t b);
bool bf_ctrl_pending(const struct bf_ctrl_conn *cc);
uint32_t bf_ctrl_waiting(const struct bf_ctrl_conn *cc);
void bf_ctrl_bad(struct bf_ctrl_conn *cc, const char *what, uint64_t a, uint64_t b);

/* bluefield_chan_send.c, in the thread of the group */
void bf_ctrl_flush(struct bf_ctrl_conn *cc);
bool bf_ctrl_bye(struct bf_ctrl_conn *cc, int reason);
bool bf_ctrl_bye_answer(struct bf_ctrl_conn *cc);
void bf_ctrl_look(struct bf_ctrl_conn *cc);
/* How many of what layer fast wants to be told were sent. */
int bf_ctrl_out_send(struct bf_ctrl_conn *cc);

/* bluefield_conn.c, in the thread of the group */
void bf_ctrl_events_run(struct bf_ctrl_conn *cc, uint32_t events, int lost, int left);
void bf_ctrl_ready(struct bf_ctrl_conn *cc);
void bf_ctrl_end(struct bf_ctrl_conn *cc, int reason);
void bf_ctrl_closed(struct bf_ctrl_conn *cc);
int bf_left_reason(int told);
struct bf_listen *bf_listen_find(struct bf_chan_dev *cd, uint16_t rep_id, uint64_t hash,
		const char *name);

/* bluefield_chan_qp.c, in the worker */
void bf_chan_req(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev);
void bf_ctrl_work(struct bf_job *job);
void bf_ctrl_finish(struct bf_ctrl_conn *cc);

/* bluefield_chan_group.c */
struct bf_ctrl_conn *bf_ctrl_new(struct bf_chan_dev *cd);
void bf_ctrl_name(struct bf_ctrl_conn *cc, const char *name, const char *function);
void bf_ctrl_hold(struct bf_ctrl_conn *cc, struct bf_group *group);
void bf_ctrl_put(struct bf_ctrl_conn *cc);
void bf_ctrl_event(struct bf_ctrl_conn *cc, uint32_t events, int reason);
void bf_ctrl_event_locked(struct bf_ctrl_conn *cc, uint32_t events, int reason);
void bf_ctrl_work_add(struct bf_ctrl_conn *cc, uint32_t work, int reason);
int bf_ctrl_join(struct bf_ctrl_conn *cc, struct bf_chan_group *cg);
void bf_ctrl_leave(struct bf_ctrl_conn *cc);
void bf_ctrl_activate(struct bf_ctrl_conn *cc);
void bf_ctrl_deactivate(struct bf_ctrl_conn *cc);
void bf_ctrl_dirty(struct bf_ctrl_conn *cc);
void bf_ctrl_timed(struct bf_ctrl_conn *cc, struct bf_ctrl_list *list, uint32_t ms);

static inline struct bf_chan_dev *
bf_chan_dev_of(const struct bf_dev *dev)
{
	return dev->part[BF_PART_CHAN];
}

static inline struct bf_chan_group *
bf_chan_group_of(const struct bf_group *group)
{
	return group->part[BF_PART_CHAN];
}

#endif
