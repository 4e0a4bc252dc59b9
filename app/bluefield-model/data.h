/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files that move data share: engine_*.c, wqe_*.c, rc_*.c and ud.c. The
 * commands know only what is at the end.
 */

#ifndef BFM_DATA_H
#define BFM_DATA_H

#include "queue.h"
#include "switch.h"

#define BFM_WQEBB 64u          /* unit of send queues */
#define BFM_MTU_MAX 4096u
#define BFM_SEND_BYTES 1024u   /* 63 units of 16 bytes, rounded up to blocks */
#define BFM_SEND_SEGS 63u
#define BFM_RECV_BYTES 2048u   /* more of an entry is not looked at */
#define BFM_RECV_SEGS (BFM_RECV_BYTES / 16)
#define BFM_RESERVED_KEY 0x100u
#define BFM_NEVER UINT64_MAX

/* Opcodes of send requests. */
enum bfm_send_opcode {
	BFM_SEND_NOP = 0x00, BFM_SEND_WRITE = 0x08, BFM_SEND_WRITE_IMM = 0x09,
	BFM_SEND_SEND = 0x0a, BFM_SEND_SEND_IMM = 0x0b, BFM_SEND_READ = 0x10,
	BFM_SEND_ATOMIC_CS = 0x11, BFM_SEND_ATOMIC_FA = 0x12,
};

#define BFM_ATOMIC_BYTES 8u

/* Does the answer have data, which go to the memory of the request? */
static inline bool
bfm_send_reads(uint8_t opcode)
{
	return opcode >= BFM_SEND_READ && opcode <= BFM_SEND_ATOMIC_FA;
}

/* Opcodes of completions. */
enum bfm_cqe_opcode {
	BFM_CQE_REQ = 0, BFM_CQE_RESP_WRITE_IMM = 1, BFM_CQE_RESP_SEND = 2,
	BFM_CQE_RESP_SEND_IMM = 3, BFM_CQE_REQ_ERR = 13, BFM_CQE_RESP_ERR = 14,
};

/* Syndromes of those that tell an error. */
enum bfm_cqe_synd {
	BFM_CQE_OK = 0,
	BFM_CQE_LOCAL_LEN = 0x01, BFM_CQE_LOCAL_QP_OP = 0x02, BFM_CQE_LOCAL_PROT = 0x04,
	BFM_CQE_FLUSH = 0x05, BFM_CQE_BAD_RESP = 0x10, BFM_CQE_REM_INV_REQ = 0x12,
	BFM_CQE_REM_ACCESS = 0x13, BFM_CQE_REM_OP = 0x14, BFM_CQE_RETRY = 0x15,
	BFM_CQE_RNR_RETRY = 0x16,
};

/* Opcodes in the header of a packet: those of RC, and of UD. */
enum bfm_pkt_opcode {
	BFM_PKT_SEND_FIRST = 0x00, BFM_PKT_SEND_MIDDLE = 0x01, BFM_PKT_SEND_LAST = 0x02,
	BFM_PKT_SEND_LAST_IMM = 0x03, BFM_PKT_SEND_ONLY = 0x04, BFM_PKT_SEND_ONLY_IMM = 0x05,
	BFM_PKT_WRITE_FIRST = 0x06, BFM_PKT_WRITE_MIDDLE = 0x07, BFM_PKT_WRITE_LAST = 0x08,
	BFM_PKT_WRITE_LAST_IMM = 0x09, BFM_PKT_WRITE_ONLY = 0x0a, BFM_PKT_WRITE_ONLY_IMM = 0x0b,
	BFM_PKT_READ = 0x0c, BFM_PKT_READ_ANSWER = 0x10, BFM_PKT_ACK = 0x11,
	BFM_PKT_ATOMIC_CS = 0x13, BFM_PKT_ATOMIC_FA = 0x14,
	BFM_PKT_UD_SEND = 0x64, BFM_PKT_UD_SEND_IMM = 0x65,
};

/* --------------------------------------------------------- engine_mem.c */

/* On whose behalf memory is used. */
struct bfm_who {
	struct bfm_function *f;
	uint32_t pd;
	uint32_t qpn;
	bool reserved_key; /* it may use the key of all memory */
};

enum bfm_right {
	BFM_LOCAL_READ = 0, BFM_LOCAL_WRITE, BFM_REMOTE_READ, BFM_REMOTE_WRITE,
	BFM_REMOTE_ATOMIC, /* to read and to write */
};

/* A piece of memory, or of the request itself. */
struct bfm_seg {
	uint64_t addr;
	const uint8_t *inl; /* NULL: by key */
	uint32_t len;
	uint32_t key;
};

/*
 * Read or write by a key. 0, -EACCES if the key does not allow it, with the reason
 * logged, or -EFAULT if the memory behind it cannot be reached.
 */
int bfm_mem_read(const struct bfm_who *who, enum bfm_right right, uint32_t key, uint64_t addr,
		void *data, uint32_t len);
int bfm_mem_write(const struct bfm_who *who, enum bfm_right right, uint32_t key, uint64_t addr,
		const void *data, uint32_t len);
/* Bytes [off, off + len) of a list of pieces. The same, or -EMSGSIZE: it ends before. */
int bfm_segs_read(const struct bfm_who *who, const struct bfm_seg *segs, uint32_t nb,
		uint64_t off, void *data, uint32_t len);
int bfm_segs_write(const struct bfm_who *who, const struct bfm_seg *segs, uint32_t nb,
		uint64_t off, const void *data, uint32_t len);

/* --------------------------------------------------------- wqe_shadow.c */

/*
 * What a queue had at the instant at which the device saw that its record had changed.
 * A request that is fetched later, and is another one by then, was told of too early.
 */
struct bfm_shadow {
	uint8_t *bytes;        /* as large as the queue; NULL before the first use */
	uint16_t seen;         /* record */
	uint16_t at;           /* of a list: index of the next one that is posted */
};

/* Entries [seen, posted) of a ring that begins at byte `first` of its buffer. */
void bfm_shadow_ring(struct bfm_function *f, struct bfm_shadow *s, const struct bfm_buf *buf,
		uint64_t first, uint32_t entry, uint32_t nb, uint16_t posted);
/* The same of a list, whose entries name the next one. */
void bfm_shadow_list(struct bfm_function *f, struct bfm_shadow *s, const struct bfm_buf *buf,
		uint32_t entry, uint32_t nb, uint16_t posted);
/* Is what was fetched, at this byte of the queue of size bytes, what was seen? */
bool bfm_shadow_same(const struct bfm_shadow *s, uint64_t off, uint64_t size, const void *data,
		uint32_t len);

/* ----------------------------------------------------------- wqe_send.c */

/* Where a datagram goes, as its request says. */
struct bfm_av {
	uint32_t qkey;
	uint32_t dqpn;
	uint8_t sl;
	uint16_t rlid;
	uint64_t rmac;
	uint8_t tclass;
	uint8_t hop_limit;
	bool grh;
	uint8_t sgid_index;
	uint32_t flow_label;
	uint16_t udp_sport;
	uint8_t rgid[16];
};

/* A send request that was fetched. */
struct bfm_send {
	uint8_t raw[BFM_SEND_BYTES];
	uint32_t bytes;        /* of it */
	uint8_t opcode;
	uint16_t index;        /* of its first block, as the request says */
	uint32_t blocks;
	bool signalled;
	bool solicited;
	uint32_t imm;          /* as in memory */
	uint64_t raddr;
	uint32_t rkey;
	uint64_t swap_add;     /* of an atomic operation: what is put or added, */
	uint64_t compare;      /* and what has to be there */
	struct bfm_av av;
	struct bfm_seg segs[BFM_SEND_SEGS];
	uint32_t nb_segs;
	uint64_t len;          /* of the message */
};

/* Read the record. How many blocks are posted and not done; -EFAULT or -EOVERFLOW. */
int bfm_send_posted(struct bfm_function *f, struct bfm_qp *qp);
/*
 * Fetch the request that begins with this block. BFM_CQE_OK, or why it cannot be done;
 * index and opcode are set.
 */
enum bfm_cqe_synd bfm_send_fetch(struct bfm_function *f, struct bfm_qp *qp, uint16_t first,
		struct bfm_send *wr);
/* Only its index, opcode and size: of one that is not done any more. */
void bfm_send_head(struct bfm_function *f, struct bfm_qp *qp, struct bfm_send *wr);
/* Is it in memory what it was when it was posted? Logs if not. */
void bfm_send_check(struct bfm_function *f, struct bfm_qp *qp, uint16_t index, uint32_t bytes);

/* ----------------------------------------------------------- wqe_recv.c */

/* A receive request that was fetched. */
struct bfm_recv {
	bool active;
	uint16_t index;        /* as its completion names it */
	uint64_t at;           /* byte of its queue ... */
	uint32_t bytes;        /* ... and so many, which are */
	uint8_t raw[BFM_RECV_BYTES];
	struct bfm_seg segs[BFM_RECV_SEGS];
	uint32_t nb_segs;
	uint64_t room;         /* bytes */
};

/*
 * Take the next receive request of a QP, from its own queue or the shared one. 0,
 * -EAGAIN if none is posted, -EINVAL if what is posted makes no sense, -EFAULT.
 */
int bfm_recv_take(struct bfm_function *f, struct bfm_qp *qp, struct bfm_recv *recv);
/* Is it in memory what it was? Logs if not. */
void bfm_recv_check(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_recv *recv);
/* Who uses the memory of receive requests. */
void bfm_recv_who(struct bfm_function *f, const struct bfm_qp *qp, struct bfm_who *who);

/* -------------------------------------------------------- engine_cqe.c */

/* What a completion says. */
struct bfm_cpl {
	enum bfm_cqe_opcode opcode;
	enum bfm_cqe_synd synd;
	bool solicited;
	uint8_t send_opcode;
	uint16_t counter;      /* index of the request */
	uint32_t bytes;
	uint32_t imm;          /* as in memory, also a partition key */
	uint32_t flags_rqpn;   /* of datagrams: source and flags */
	uint16_t slid;
	bool vlan;
	uint16_t vlan_tag;
};

/* -EOVERFLOW: the CQ is full, or was; it is in error, and so is who uses it. */
int bfm_cqe_write(struct bfm_function *f, struct bfm_qp *qp, struct bfm_cq *cq,
		const struct bfm_cpl *cpl);
/* The same of 64 bytes that are filled but for the last two. */
int bfm_cqe_put(struct bfm_function *f, struct bfm_cq *cq, uint8_t *cqe, uint8_t opcode,
		bool solicited, bool error);
/* An asynchronous event of a QP or of a shared receive queue. */
void bfm_queue_event(struct bfm_function *f, enum bfm_event type, uint32_t number);

/* -------------------------------------------------------- engine_net.c */

/* A packet under way: headers, payload, and where its data is to go by address. */
struct bfm_msg_pkt {
	struct bfm_packet pkt;
	const uint8_t *data;
	uint64_t raddr;
	uint32_t rkey;
	uint64_t swap_add;     /* of an atomic operation */
	uint64_t compare;
	uint8_t *answer;       /* of a read: the data, pkt.len bytes; what an atomic one found */
};

enum bfm_answer_kind {
	BFM_ANSWER_NONE = 0, BFM_ANSWER_ACK, BFM_ANSWER_RNR, BFM_ANSWER_SEQ,
	BFM_ANSWER_INV_REQ, BFM_ANSWER_ACCESS, BFM_ANSWER_OP,
};

struct bfm_answer {
	enum bfm_answer_kind kind;
	uint8_t rnr_timer;
	uint32_t psn;          /* of the packet; BFM_ANSWER_SEQ: of the one that is wanted */
};

struct bfm_run;

/* Does a fault let the next packet wait? Then until run->due. */
bool bfm_net_delays(struct bfm_function *f, struct bfm_run *run);
/* Send a packet of an RC queue pair, and take the answer, if one comes. */
struct bfm_answer bfm_net_request(struct bfm_function *f, struct bfm_qp *qp,
		struct bfm_msg_pkt *msg);
/* Send a datagram; nobody tells what becomes of it. */
void bfm_net_datagram(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_av *av,
		struct bfm_msg_pkt *msg);
/* Bytes of payload that fit into a packet of code 1 to 5. */
static inline uint32_t
bfm_mtu_bytes(uint32_t code)
{
	return code >= 1 && code <= 5 ? 128u << code : 256;
}

/* ------------------------------------------------------------ capture.c */

/* Datagrams of the functions that there are go into this file. 0 or a negative errno. */
int bfm_capture_open(const struct bfm_model *m, const char *path);
void bfm_capture_close(void);
/* One that f sends, if there is a file. */
void bfm_capture_packet(const struct bfm_function *f, const struct bfm_msg_pkt *msg);

/* ----------------------------------------------------------- cmd_roce.c */

/* One more in the set of counters of a queue pair, if it has one. */
enum bfm_count {
	BFM_COUNT_WRITES, BFM_COUNT_READS, BFM_COUNT_ATOMICS, BFM_COUNT_NO_BUFFER,
	BFM_COUNT_OUT_OF_SEQUENCE,
	BFM_COUNT_DUPLICATE, BFM_COUNT_RNR_ERR, BFM_COUNT_SEQ_ERR, BFM_COUNT_TIMEOUT,
};
void bfm_qp_count(const struct bfm_qp *qp, enum bfm_count what);

/* ------------------------------------------------- rc_*.c, ud.c, engine_flush.c */

enum bfm_step {
	BFM_STEP_IDLE = 0, /* until somebody kicks it */
	BFM_STEP_MORE,     /* once more, after the others */
	BFM_STEP_WAIT,     /* until run->due */
};

enum bfm_step bfm_rc_step(struct bfm_function *f, struct bfm_qp *qp);
struct bfm_answer bfm_rc_receive(struct bfm_function *f, struct bfm_qp *qp,
		struct bfm_msg_pkt *msg);
enum bfm_step bfm_ud_step(struct bfm_function *f, struct bfm_qp *qp);
/* What stands before the payload in the buffer; an IPv4 header is at its end. */
#define BFM_GRH_BYTES 40u
void bfm_ud_grh(const struct bfm_packet *pkt, uint8_t grh[BFM_GRH_BYTES]);
void bfm_ud_receive(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_msg_pkt *msg);
enum bfm_step bfm_flush_step(struct bfm_function *f, struct bfm_qp *qp);
/* To state ERR, and what is posted is flushed. */
void bfm_qp_fail(struct bfm_function *f, struct bfm_qp *qp);
/* It is in state ERR now. */
void bfm_qp_stopped(struct bfm_function *f, struct bfm_qp *qp);
/* Tell of the request at the head of the send queue, and go on to the next. */
int bfm_send_done(struct bfm_function *f, struct bfm_qp *qp, const struct bfm_send *wr,
		enum bfm_cqe_synd synd);
/* Tell of the receive request that the QP has. */
int bfm_recv_done(struct bfm_function *f, struct bfm_qp *qp, struct bfm_cpl *cpl);

/* Packets of a queue pair that were sent and are not acknowledged, at most. */
#define BFM_WINDOW 16u

/* A request of which all packets were sent, and not all acknowledged. */
struct bfm_sent {
	uint16_t index;
	uint8_t opcode;
	bool signalled;
	uint32_t blocks;
	uint32_t bytes;        /* of the request, */
	uint64_t len;          /* and of its message */
	uint32_t end;          /* PSN behind its last packet */
};

/* An answer that is on its way, until then. */
struct bfm_way {
	struct bfm_answer answer;
	uint64_t due;          /* us */
};

/* ------------------------------------------------------- engine_run.c */

/* The running state of a queue pair. */
struct bfm_run {
	TAILQ_ENTRY(bfm_run) next;
	struct bfm_function *f;
	struct bfm_qp *qp;
	bool ready;            /* in the list of those that have something to do */
	bool waiting;          /* in the list of those whose timer runs */
	bool inside;           /* being worked on in the main loop */
	bool open;             /* waits for answers only, and has room for more packets */
	uint64_t due;          /* us */
	/* requester */
	uint16_t sq_ci;        /* the first block of what is not done */
	uint16_t sq_next;      /* and of what is fetched next */
	struct bfm_shadow sq_shadow;
	bool delayed;          /* the next packet has waited, as a fault has it */
	bool reading;          /* the last packet was of a read by address */
	bool started;          /* a request was fetched, and has packets to be sent */
	enum bfm_cqe_synd bad; /* it fails so, when those before it are done */
	struct bfm_send wr;
	uint64_t sent;         /* bytes of it */
	struct bfm_sent reqs[BFM_WINDOW]; /* before it */
	uint32_t nb_reqs;
	struct bfm_way ways[BFM_WINDOW];
	uint32_t nb_ways;
	uint32_t psn;          /* of the next packet */
	uint32_t una;          /* of the first that is not acknowledged */
	uint32_t acked;        /* packets of the oldest request before that */
	uint64_t timer;        /* us: when nobody has acknowledged that one */
	uint32_t retries;
	uint32_t rnr_retries;
	uint64_t rnr;          /* ever: answers that nothing was posted */
	/* responder */
	bool told;             /* that the connection is in use */
	uint32_t epsn;         /* expected */
	uint32_t msn;          /* messages */
	uint16_t rq_ci;        /* the next receive request of its own */
	struct bfm_shadow rq_shadow;
	struct bfm_recv recv;
	uint64_t got;          /* bytes of the message */
	uint64_t last_due;     /* us: then it has done with its shared queue; 0: it is not to */
	bool writing;          /* in the middle of a write by address */
	bool atomic;           /* the last atomic operation, which is not done twice: */
	uint32_t atomic_psn;   /* its packet, */
	uint8_t atomic_old[BFM_ATOMIC_BYTES]; /* and what it found */
};

/* Have the queue pair looked at; one whose timer runs is left alone. */
void bfm_qp_kick(struct bfm_function *f, struct bfm_qp *qp);
/* Can memory of this queue pair's client be reached now? */
bool bfm_qp_reachable(struct bfm_function *f, const struct bfm_qp *qp);

#endif
