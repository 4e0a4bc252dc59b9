/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The objects that move data, as the commands make them: memory keys, completion
 * queues, queue pairs, shared receive queues. Everything a client said is kept in
 * the context, in wire format; what is looked at often is beside it. Moving data is
 * not in here.
 */

#ifndef BFM_QUEUE_H
#define BFM_QUEUE_H

#include "layout_caps.h"
#include "layout_cq.h"
#include "layout_mkey.h"
#include "layout_qp.h"
#include "layout_srq.h"
#include "model.h"

/* First numbers given out: below are the special keys, and the special queue pairs. */
#define BFM_MKEY_FIRST 0x100u
#define BFM_QPN_FIRST 0x40u
#define BFM_CQN_FIRST 1u
#define BFM_SRQN_FIRST 1u
#define BFM_COUNTER_FIRST 1u

#define BFM_ROCE_CAP(f, name) \
	bfm_cap_of((f), CAP_ROCE, ROCE_CAP_##name##_BIT, ROCE_CAP_##name##_WIDTH)

#define BFM_ATOMIC_CAP(f, name) \
	bfm_cap_of((f), CAP_ATOMIC, ATOMIC_CAP_##name##_BIT, ATOMIC_CAP_##name##_WIDTH)

/* What an object stands on: taken as it is made, taken back as it goes. */
#define BFM_MAX_REFS 10u
struct bfm_refs {
	struct bfm_object *objs[BFM_MAX_REFS];
	uint32_t nb;
};

/* Find object `id` for field `what` and take a reference; or fail the command. */
enum bfm_status bfm_refs_take(struct bfm_cmd *c, struct bfm_refs *r, enum bfm_type type,
		uint32_t id, const char *what, struct bfm_object **obj);
void bfm_refs_drop(struct bfm_refs *r);

/* Where the client says that a queue is. */
struct bfm_where {
	uint32_t pas;          /* byte of the command where the list of pages begins */
	uint8_t log_page_size; /* field: over 4096 */
	uint32_t page_offset;  /* field: in 64ths of a page */
	bool umem_valid;       /* or else by a umem */
	uint32_t umem_id;
	uint64_t umem_offset;
};

/* A buffer that is checked and, if by umem, refers to it. */
enum bfm_status bfm_where_open(struct bfm_cmd *c, const struct bfm_where *w, uint64_t size,
		struct bfm_buf *buf, struct bfm_refs *r);
/* Bus address of a doorbell record of 8 bytes. */
enum bfm_status bfm_dbr_open(struct bfm_cmd *c, bool umem_valid, uint32_t umem_id, uint64_t addr,
		struct bfm_refs *r, uint64_t *dbr);
/* Give the object a number, or fail the command. */
enum bfm_status bfm_queue_add(struct bfm_cmd *c, struct bfm_object *o, enum bfm_type type,
		uint32_t first, uint64_t limit);
/* Find for a query or change; fails the command. */
enum bfm_status bfm_queue_find(struct bfm_cmd *c, enum bfm_type type, uint32_t id,
		struct bfm_object **o);
/* Write the addresses of a buffer to the tail of a reply, as many as fit. */
void bfm_queue_put_pas(struct bfm_cmd *c, const struct bfm_buf *b, uint32_t off);
/* Refuse a field that is set and needs a capability that the function has not. */
struct bfm_needs {
	const char *name;
	uint16_t bit;
	uint16_t width;
	uint16_t cap_bit;   /* of GENERAL, one bit wide; or BFM_NO_CAP: never possible */
	const char *cap;
};
#define BFM_NO_CAP UINT16_MAX
#define BFM_NEEDS(L, field, cap) \
	{ #field, L##_##field##_BIT, L##_##field##_WIDTH, HCA_CAP_##cap##_BIT, #cap }
#define BFM_LACKS(L, field, cap) \
	{ #field, L##_##field##_BIT, L##_##field##_WIDTH, BFM_NO_CAP, #cap }
enum bfm_status bfm_needs_check(struct bfm_cmd *c, const void *ctx, const struct bfm_needs *n,
		uint32_t nb);

/* --------------------------------------------------------- memory key */

enum bfm_access_mode { BFM_MODE_PA = 0, BFM_MODE_MTT = 1, BFM_MODE_KLM = 2, BFM_MODE_KSM = 3 };

struct bfm_klm {
	uint32_t byte_count;
	uint32_t mkey;
	uint64_t address;
};

struct bfm_mkey {
	struct bfm_object obj;   /* id is the index: the key is id << 8 | variant */
	struct bfm_refs refs;
	uint8_t ctx[MKC_BYTES];
	bool free;               /* nothing may use it */
	uint8_t variant;
	enum bfm_access_mode mode;
	uint64_t start;
	uint64_t len;            /* UINT64_MAX with length64 */
	uint8_t rights;          /* of MTTs, with pg_access; else 3 */
	struct bfm_buf mtt;      /* MODE_MTT */
	struct bfm_klm *klm;     /* MODE_KLM and MODE_KSM */
	uint32_t nb_klm;
};

/* --------------------------------------------------- completion queue */

struct bfm_cq {
	struct bfm_object obj;
	struct bfm_refs refs;
	uint8_t ctx[CQC_BYTES];
	struct bfm_buf buf;
	struct bfm_object *eq;   /* in refs */
	uint32_t uar;
	uint8_t log_size;
	uint32_t cqe_bytes;
	uint64_t dbr;
	uint32_t producer;
	bool armed;
	bool solicited_only;     /* armed for solicited completions and errors */
	uint8_t arm_sn;
	uint32_t arm_ci;
	uint64_t arms;           /* count */
	uint32_t last_solicited; /* producer counter behind the newest one */
	bool failed;             /* overrun, or its memory is gone */
};

/* --------------------------------------------------------- queue pair */

enum bfm_qp_state {
	BFM_QP_RST = 0, BFM_QP_INIT = 1, BFM_QP_RTR = 2, BFM_QP_RTS = 3, BFM_QP_SQER = 4,
	BFM_QP_SQD = 5, BFM_QP_ERR = 6,
};

enum bfm_service {
	BFM_ST_RC = 0, BFM_ST_UC = 1, BFM_ST_UD = 2, BFM_ST_XRC = 3, BFM_ST_QP0 = 7,
	BFM_ST_QP1 = 8, BFM_ST_REG_UMR = 0xc,
};

enum bfm_rq_type { BFM_RQ_OWN = 0, BFM_RQ_SHARED = 1, BFM_RQ_NONE = 3 };

struct bfm_qp {
	struct bfm_object obj;
	struct bfm_refs refs;
	uint8_t created[QPC_BYTES];  /* as CREATE_QP said */
	uint8_t ctx[QPC_BYTES];      /* with what transitions changed */
	enum bfm_qp_state state;
	enum bfm_service st;
	enum bfm_rq_type rq_type;
	bool has_sq;
	uint32_t uar;                /* of the send queue */
	uint64_t dbr;                /* 0 if it has no queue of its own */
	struct bfm_buf buf;          /* receive queue, then send queue */
	uint32_t rq_bytes;
	uint32_t sq_bytes;
	struct bfm_object *send_cq;  /* in refs, or NULL */
	struct bfm_object *recv_cq;
	struct bfm_object *srq;      /* SRQ or RMP */
	struct bfm_object *counter;  /* not in refs: it can change */
	uint16_t sq_posted;          /* send counter at the last doorbell */
	uint64_t doorbells;          /* count */
	struct bfm_run *run;         /* of the engine */
};

/* ----------------------------------------------- shared receive queue */

enum bfm_srq_kind { BFM_SRQ_BASIC = 0, BFM_SRQ_XRC, BFM_SRQ_RMP };
enum bfm_rmp_state { BFM_RMP_RST = 0, BFM_RMP_RDY = 1, BFM_RMP_ERR = 3 };

struct bfm_srq {
	struct bfm_object obj;
	struct bfm_refs refs;
	enum bfm_srq_kind kind;
	uint8_t ctx[RMPC_BYTES];     /* of the kind: SRQC_BYTES or RMPC_BYTES */
	struct bfm_buf buf;
	uint64_t dbr;
	uint8_t log_size;
	uint8_t log_stride;          /* bytes */
	bool cyclic;                 /* or a linked list */
	enum bfm_rmp_state state;    /* RDY for all but RMPs */
	bool limit_armed;
	uint16_t lwm;
	uint16_t head;               /* of the list: the next that is taken */
	uint16_t taken;              /* count, as the doorbell record counts posts */
	struct bfm_ahead *ahead;     /* of the engine: requests fetched for nobody yet */
};

/* The shared receive queue that a QP names: numbers of SRQs and RMPs are apart. */
enum bfm_type bfm_srq_type(const struct bfm_function *f, uint32_t srqn);

/* ------------------------------------------------------------- the engine */

/* Running state of a new QP: 0 or -ENOMEM. And its end. */
int bfm_run_create(struct bfm_function *f, struct bfm_qp *qp);
void bfm_run_destroy(struct bfm_qp *qp);
/* A command changed the state. */
void bfm_run_moved(struct bfm_function *f, struct bfm_qp *qp, enum bfm_qp_state old);
/* The doorbell of the send queue rang. */
void bfm_run_doorbell(struct bfm_function *f, struct bfm_qp *qp);
/* What a query shows: the fields of the context that the device has. */
void bfm_run_query(const struct bfm_qp *qp, uint8_t *ctx);
void bfm_run_print(const struct bfm_qp *qp, FILE *out);
/* Of an SRQ that goes, or that starts anew. */
void bfm_ahead_free(struct bfm_srq *srq);
/* The CQ was armed: is there anything to tell? */
void bfm_cqe_armed(struct bfm_function *f, struct bfm_cq *cq);

#endif
