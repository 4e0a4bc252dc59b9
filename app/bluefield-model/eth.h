/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ethernet queues of a function and the flow tables that lead to them: what cmd_eth.c,
 * cmd_wq.c, cmd_flow.c, eth_send.c and eth_receive.c share.
 */

#ifndef BFM_ETH_H
#define BFM_ETH_H

#include "data.h"
#include "layout_eth.h"

#define BFM_ETH_HDR 14u
#define BFM_VLAN_HDR 4u
#define BFM_FRAME_MAX 65536u /* of a large segment before it is cut */

/* -------------------------------------------------------------- cmd_wq.c */

enum bfm_wq_state { BFM_WQ_RST = 0, BFM_WQ_RDY = 1, BFM_WQ_ERR = 3 };

/* An SQ or an RQ. */
struct bfm_wq {
	struct bfm_object obj;
	struct bfm_refs refs;
	uint8_t ctx[ETH_CTX_BYTES];
	enum bfm_wq_state state;
	struct bfm_buf buf;
	uint64_t dbr;
	uint8_t log_size;
	uint8_t log_stride;
	uint32_t uar;
	struct bfm_object *cq;
	uint16_t ci;       /* the first block, or request, that is not done */
	uint64_t frames;
	uint64_t lost;
	uint64_t cut;      /* an SQ: large segments, each of several frames */
};

/* --------------------------------------------------------------- cmd_eth.c */

struct bfm_rqt {
	struct bfm_object obj;
	uint8_t ctx[ETH_CTX_BYTES];
	struct bfm_object **rqs; /* referenced */
	uint32_t nb;
};

struct bfm_tir {
	struct bfm_object obj;
	struct bfm_refs refs;
	uint8_t ctx[ETH_CTX_BYTES];
	struct bfm_object *rq;   /* or else ... */
	struct bfm_object *rqt;
};

/* -------------------------------------------------------------- cmd_flow.c */

struct bfm_flow_table;

struct bfm_flow_group {
	struct bfm_object obj;
	struct bfm_flow_table *table;
	uint32_t start, end;     /* flow indices, both included */
	uint8_t criteria[FLOW_MATCH_BYTES];
	uint32_t nb_entries;
};

struct bfm_flow_entry {
	TAILQ_ENTRY(bfm_flow_entry) next;
	struct bfm_flow_group *group;
	uint32_t index;
	uint32_t tag;
	bool drop;
	uint8_t value[FLOW_MATCH_BYTES];
	struct bfm_object *dests[FTE_MAX_DESTS]; /* tables and TIRs, referenced */
	uint32_t nb_dests;
	uint64_t frames;
};

struct bfm_flow_table {
	struct bfm_object obj;
	uint8_t level;
	uint8_t log_size;
	struct bfm_object *miss; /* a table, referenced; NULL: the frame is dropped */
	TAILQ_HEAD(, bfm_flow_entry) entries; /* by index */
};

/* ------------------------------------------------------------ eth_frame.c */

/* A frame, and what its headers say. */
struct bfm_frame {
	uint8_t *data;
	uint32_t len;
	uint32_t l3;       /* byte of the network header, */
	uint32_t l4;       /* and of the transport header; 0: there is none */
	uint32_t end;      /* of the IP packet: a short frame is padded */
	uint16_t ethertype;
	uint8_t ip_version; /* 0: it is not IP */
	uint8_t ip_proto;
	uint8_t match[FLOW_MATCH_BYTES]; /* for flow tables */
};

/* False: it is too short to be a frame. */
bool bfm_frame_parse(struct bfm_frame *frame);
/* Write the checksums that the sender left to the device. */
void bfm_frame_checksum(struct bfm_frame *frame, bool l3, bool l4);
/* The sum over the IP packet, as a completion has it. */
uint16_t bfm_frame_sum(const struct bfm_frame *frame);

/* ---------------------------------------------------------- eth_receive.c */

/* A frame has come for the function. */
void bfm_eth_receive(struct bfm_function *f, const struct bfm_frame *frame);

#endif
