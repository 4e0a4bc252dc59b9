/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the InfiniBand connection manager: what is where in their 256 bytes, and
 * the header of the RDMA IP CM service in the private data of a REQ. Pure functions on
 * byte arrays: no state, no allocation, and no opinion on what a value means. Fields are
 * named as in the InfiniBand specification, volume 1, chapter 12; reserved bits are 0
 * when written and not looked at when read.
 */

#ifndef BLUEFIELD_MAD_H
#define BLUEFIELD_MAD_H

#include <stddef.h>
#include <stdint.h>

#define BF_MAD_SIZE 256u

/* Attribute ids */
enum bf_mad_attr {
	BF_MAD_REQ = 0x10,
	BF_MAD_MRA = 0x11,
	BF_MAD_REJ = 0x12,
	BF_MAD_REP = 0x13,
	BF_MAD_RTU = 0x14,
	BF_MAD_DREQ = 0x15,
	BF_MAD_DREP = 0x16,
	BF_MAD_SIDR_REQ = 0x17,
	BF_MAD_SIDR_REP = 0x18,
	BF_MAD_LAP = 0x19,      /* of alternate paths, as is APR: only the ids are read */
	BF_MAD_APR = 0x1a,
};

#define BF_MAD_FIRST BF_MAD_REQ
#define BF_MAD_LAST BF_MAD_APR

/* Which message a MRA or REJ is about */
enum bf_mad_about {
	BF_MAD_ABOUT_REQ = 0,
	BF_MAD_ABOUT_REP = 1,
	BF_MAD_ABOUT_OTHER = 2,
};

/* Reasons of a REJ */
enum bf_mad_reason {
	BF_REJ_NO_QP = 1,
	BF_REJ_NO_EEC = 2,
	BF_REJ_NO_RESOURCES = 3,
	BF_REJ_TIMEOUT = 4,
	BF_REJ_UNSUPPORTED = 5,
	BF_REJ_COMM_ID = 6,
	BF_REJ_COMM_INSTANCE = 7,
	BF_REJ_SERVICE_ID = 8,
	BF_REJ_TRANSPORT = 9,
	BF_REJ_STALE = 10,
	BF_REJ_NO_RDC = 11,
	BF_REJ_GID = 12,
	BF_REJ_LID = 13,
	BF_REJ_SL = 14,
	BF_REJ_TRAFFIC_CLASS = 15,
	BF_REJ_HOP_LIMIT = 16,
	BF_REJ_RATE = 17,
	BF_REJ_ALT_GID = 18,
	BF_REJ_ALT_LID = 19,
	BF_REJ_ALT_SL = 20,
	BF_REJ_ALT_TRAFFIC_CLASS = 21,
	BF_REJ_ALT_HOP_LIMIT = 22,
	BF_REJ_ALT_RATE = 23,
	BF_REJ_CM_REDIRECT = 24,
	BF_REJ_PORT_REDIRECT = 25,
	BF_REJ_MTU = 26,
	BF_REJ_RESPONDER = 27,
	BF_REJ_CONSUMER = 28,
	BF_REJ_RNR_RETRY = 29,
	BF_REJ_DUPLICATE_ID = 30,
	BF_REJ_CLASS_VERSION = 31,
	BF_REJ_FLOW_LABEL = 32,
	BF_REJ_ALT_FLOW_LABEL = 33,
	BF_REJ_VENDOR = 35,
};

struct bf_mad_path {
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint32_t flow_label;    /* 20 bits */
	uint8_t rate;           /* 6 */
	uint8_t traffic_class;
	uint8_t hop_limit;
	uint8_t sl;             /* 4 */
	uint8_t subnet_local;   /* 1 */
	uint8_t ack_timeout;    /* 5 */
};

struct bf_mad_req {
	uint32_t vendor_id;     /* 24 */
	uint64_t service_id;
	uint64_t ca_guid;
	uint32_t qkey;
	uint32_t qpn;           /* 24 */
	uint8_t responder_resources;
	uint32_t eecn;          /* 24 */
	uint8_t initiator_depth;
	uint32_t remote_eecn;   /* 24 */
	uint8_t remote_timeout; /* 5: that the other CM answers in */
	uint8_t transport;      /* 2: 0 RC, 1 UC, 2 RD, 3 extended */
	uint8_t flow_control;   /* 1: end to end */
	uint32_t psn;           /* 24: where the other side begins to send */
	uint8_t local_timeout;  /* 5: that this CM answers in */
	uint8_t retry_count;    /* 3 */
	uint16_t pkey;
	uint8_t mtu;            /* 4 */
	uint8_t rdc;            /* 1 */
	uint8_t rnr_retry;      /* 3 */
	uint8_t max_retries;    /* 4: of the CM */
	uint8_t srq;            /* 1 */
	uint8_t ext_transport;  /* 3 */
	struct bf_mad_path path;
	struct bf_mad_path alt; /* there is one if its local_lid is not 0 */
	uint8_t priv[92];
};

struct bf_mad_rep {
	uint32_t qkey;
	uint32_t qpn;           /* 24 */
	uint8_t vendor_high;    /* of the vendor id, as are the next two */
	uint32_t eecn;          /* 24 */
	uint8_t vendor_mid;
	uint32_t psn;           /* 24 */
	uint8_t vendor_low;
	uint8_t responder_resources;
	uint8_t initiator_depth;
	uint8_t ack_delay;      /* 5 */
	uint8_t failover;       /* 2 */
	uint8_t flow_control;   /* 1 */
	uint8_t rnr_retry;      /* 3 */
	uint8_t srq;            /* 1 */
	uint64_t ca_guid;
	uint8_t priv[196];
};

struct bf_mad_mra {
	uint8_t about;          /* 2: enum bf_mad_about */
	uint8_t timeout;        /* 5 */
	uint8_t priv[222];
};

struct bf_mad_rej {
	uint8_t about;          /* 2 */
	uint8_t info_len;       /* 7: bytes of info */
	uint16_t reason;
	uint8_t info[72];
	uint8_t priv[148];
};

struct bf_mad_dreq {
	uint32_t qpn;           /* 24: the receiver's */
	uint8_t priv[220];
};

struct bf_mad_plain {
	uint8_t priv[224];
};

struct bf_mad_sidr_req {
	uint16_t pkey;
	uint64_t service_id;
	uint8_t priv[216];
};

struct bf_mad_sidr_rep {
	uint8_t status;         /* 1: no such service */
	uint8_t info_len;
	uint16_t vendor_high;
	uint32_t qpn;           /* 24 */
	uint8_t vendor_low;
	uint64_t service_id;
	uint32_t qkey;
	uint8_t info[72];
	uint8_t priv[136];
};

struct bf_mad {
	uint16_t attr;          /* enum bf_mad_attr */
	uint64_t tid;
	uint32_t attr_mod;
	uint32_t local_id;      /* the sender's; of SIDR: of the request */
	uint32_t remote_id;     /* the receiver's; neither in REQ nor in SIDR */
	union {
		struct bf_mad_req req;
		struct bf_mad_rep rep;
		struct bf_mad_mra mra;
		struct bf_mad_rej rej;
		struct bf_mad_plain rtu;
		struct bf_mad_dreq dreq;
		struct bf_mad_plain drep;
		struct bf_mad_sidr_req sidr_req;
		struct bf_mad_sidr_rep sidr_rep;
	};
};

/* What is not named in an initializer is 0 in the first of a union only: that is the largest. */
_Static_assert(sizeof(struct bf_mad) == offsetof(struct bf_mad, req) + sizeof(struct bf_mad_req),
	"req");

/* Header of the RDMA IP CM service, the first bytes of a REQ's private data. */
#define BF_MAD_IP_SIZE 36u
struct bf_mad_ip {
	uint8_t version;        /* 0 */
	uint8_t ip_version;     /* 4: 4 or 6 */
	uint16_t src_port;
	uint8_t src[16];        /* IPv4: in the last four, after zeros */
	uint8_t dst[16];
};

/* 0; -EINVAL: no such attribute, or a value that its field cannot hold. */
int bf_mad_encode(const struct bf_mad *mad, uint8_t buf[BF_MAD_SIZE]);

/*
 * 0; -EMSGSIZE: not 256 bytes; -EPROTO: not for a connection manager of this version;
 * -ENOTSUP: an attribute that there is not, which is in mad.
 */
int bf_mad_decode(const uint8_t *buf, size_t len, struct bf_mad *mad);

/* 0 or -EINVAL. */
int bf_mad_ip_encode(const struct bf_mad_ip *ip, uint8_t buf[BF_MAD_IP_SIZE]);
void bf_mad_ip_decode(const uint8_t buf[BF_MAD_IP_SIZE], struct bf_mad_ip *ip);

/* "REQ", "DREP"; "?" for none. */
const char *bf_mad_attr_text(uint16_t attr);

/* A time of 4.096 us << code, in ms as Linux counts it; and the least code for so many. */
uint64_t bf_mad_code_ms(uint8_t code);
uint8_t bf_mad_ms_code(uint64_t ms);

#endif
