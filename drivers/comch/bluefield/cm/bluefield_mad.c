/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Tables of fields, one for each message, and what reads and writes a structure by such
 * a table. Offsets are those of the specification, which counts from the end of the
 * header of the MAD.
 */

#include <errno.h>
#include <string.h>

#include <rte_common.h>

#include "bluefield_mad.h"

/* Header of a MAD */
#define MAD_DATA 24u
#define MAD_BASE_VERSION 1
#define MAD_CLASS_CM 0x07
#define MAD_CLASS_VERSION 2
#define MAD_METHOD_SEND 0x03

#define MAD_OFF_BASE 0
#define MAD_OFF_CLASS 1
#define MAD_OFF_CLASS_VERSION 2
#define MAD_OFF_METHOD 3

/* One field: where it is in the message, and where in the structure. */
struct field {
	uint16_t bit;           /* first one, from the start; bit 7 of a byte comes first */
	uint16_t bits;
	uint16_t off;
	uint16_t size;          /* of the member; an array if there are more than 64 bits */
};

struct layout {
	const char *name;
	const struct field *fields;
	uint16_t nb;
};

#define MEMBER(type, member) offsetof(type, member), sizeof(((type *)0)->member)
/* A member of struct bf_mad: byte, most significant bit in there, and bits. */
#define F(member, byte, msb, nb) { (byte) * 8 + 7 - (msb), nb, MEMBER(struct bf_mad, member) }
/* Whole bytes, and an array */
#define B(member, byte, nb) F(member, byte, 7, (nb) * 8)
#define A(member, byte) B(member, byte, sizeof(((struct bf_mad *)0)->member))

static const struct field header[] = {
	{ 8 * 8, 64, MEMBER(struct bf_mad, tid) },
	{ 16 * 8, 16, MEMBER(struct bf_mad, attr) },
	{ 20 * 8, 32, MEMBER(struct bf_mad, attr_mod) },
};

#define PATH(path, at) \
	B(path.local_lid, at, 2), B(path.remote_lid, at + 2, 2), \
	A(path.local_gid, at + 4), A(path.remote_gid, at + 20), \
	F(path.flow_label, at + 36, 7, 20), F(path.rate, at + 39, 5, 6), \
	B(path.traffic_class, at + 40, 1), B(path.hop_limit, at + 41, 1), \
	F(path.sl, at + 42, 7, 4), F(path.subnet_local, at + 42, 3, 1), \
	F(path.ack_timeout, at + 43, 7, 5)

static const struct field req[] = {
	B(local_id, 0, 4), B(req.vendor_id, 5, 3), B(req.service_id, 8, 8),
	B(req.ca_guid, 16, 8), B(req.qkey, 28, 4), B(req.qpn, 32, 3),
	B(req.responder_resources, 35, 1), B(req.eecn, 36, 3), B(req.initiator_depth, 39, 1),
	B(req.remote_eecn, 40, 3), F(req.remote_timeout, 43, 7, 5), F(req.transport, 43, 2, 2),
	F(req.flow_control, 43, 0, 1), B(req.psn, 44, 3), F(req.local_timeout, 47, 7, 5),
	F(req.retry_count, 47, 2, 3), B(req.pkey, 48, 2), F(req.mtu, 50, 7, 4),
	F(req.rdc, 50, 3, 1), F(req.rnr_retry, 50, 2, 3), F(req.max_retries, 51, 7, 4),
	F(req.srq, 51, 3, 1), F(req.ext_transport, 51, 2, 3),
	PATH(req.path, 52), PATH(req.alt, 96),
	A(req.priv, 140),
};

static const struct field mra[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), F(mra.about, 8, 7, 2), F(mra.timeout, 9, 7, 5),
	A(mra.priv, 10),
};

static const struct field rej[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), F(rej.about, 8, 7, 2), F(rej.info_len, 9, 7, 7),
	B(rej.reason, 10, 2), A(rej.info, 12), A(rej.priv, 84),
};

static const struct field rep[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), B(rep.qkey, 8, 4), B(rep.qpn, 12, 3),
	B(rep.vendor_high, 15, 1), B(rep.eecn, 16, 3), B(rep.vendor_mid, 19, 1),
	B(rep.psn, 20, 3), B(rep.vendor_low, 23, 1), B(rep.responder_resources, 24, 1),
	B(rep.initiator_depth, 25, 1), F(rep.ack_delay, 26, 7, 5), F(rep.failover, 26, 2, 2),
	F(rep.flow_control, 26, 0, 1), F(rep.rnr_retry, 27, 7, 3), F(rep.srq, 27, 4, 1),
	B(rep.ca_guid, 28, 8), A(rep.priv, 36),
};

static const struct field rtu[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), A(rtu.priv, 8),
};

static const struct field dreq[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), B(dreq.qpn, 8, 3), A(dreq.priv, 12),
};

static const struct field drep[] = {
	B(local_id, 0, 4), B(remote_id, 4, 4), A(drep.priv, 8),
};

static const struct field sidr_req[] = {
	B(local_id, 0, 4), B(sidr_req.pkey, 4, 2), B(sidr_req.service_id, 8, 8),
	A(sidr_req.priv, 16),
};

static const struct field sidr_rep[] = {
	B(local_id, 0, 4), B(sidr_rep.status, 4, 1), B(sidr_rep.info_len, 5, 1),
	B(sidr_rep.vendor_high, 6, 2), B(sidr_rep.qpn, 8, 3), B(sidr_rep.vendor_low, 11, 1),
	B(sidr_rep.service_id, 12, 8), B(sidr_rep.qkey, 20, 4), A(sidr_rep.info, 24),
	A(sidr_rep.priv, 96),
};

/* LAP and APR */
static const struct field ids[] = { B(local_id, 0, 4), B(remote_id, 4, 4) };

#define LAYOUT(attr, fields) [BF_MAD_##attr - BF_MAD_FIRST] = { #attr, fields, RTE_DIM(fields) }

static const struct layout layouts[] = {
	LAYOUT(REQ, req), LAYOUT(MRA, mra), LAYOUT(REJ, rej), LAYOUT(REP, rep),
	LAYOUT(RTU, rtu), LAYOUT(DREQ, dreq), LAYOUT(DREP, drep), LAYOUT(SIDR_REQ, sidr_req),
	LAYOUT(SIDR_REP, sidr_rep), LAYOUT(LAP, ids), LAYOUT(APR, ids),
};

static const struct layout *
layout_of(uint16_t attr)
{
	if (attr < BF_MAD_FIRST || attr > BF_MAD_LAST)
		return NULL;
	return &layouts[attr - BF_MAD_FIRST];
}

/* A member of 1, 2, 4 or 8 bytes. */
static uint64_t
member_get(const void *member, uint16_t size)
{
	uint64_t v64;
	uint32_t v32;
	uint16_t v16;

	switch (size) {
	case 1:
		return *(const uint8_t *)member;
	case 2:
		memcpy(&v16, member, sizeof(v16));
		return v16;
	case 4:
		memcpy(&v32, member, sizeof(v32));
		return v32;
	default:
		memcpy(&v64, member, sizeof(v64));
		return v64;
	}
}

static void
member_set(void *member, uint16_t size, uint64_t val)
{
	uint32_t v32 = val;
	uint16_t v16 = val;
	uint8_t v8 = val;

	switch (size) {
	case 1:
		memcpy(member, &v8, sizeof(v8));
		break;
	case 2:
		memcpy(member, &v16, sizeof(v16));
		break;
	case 4:
		memcpy(member, &v32, sizeof(v32));
		break;
	default:
		memcpy(member, &val, sizeof(val));
		break;
	}
}

static int
fields_put(const struct field *fields, uint32_t nb, const void *from, uint8_t *buf)
{
	const struct field *f;
	uint64_t val;
	uint32_t i;

	for (f = fields; f < fields + nb; f++) {
		if (f->bits > 64) {
			memcpy(buf + f->bit / 8, RTE_PTR_ADD(from, f->off), f->bits / 8);
			continue;
		}
		val = member_get(RTE_PTR_ADD(from, f->off), f->size);
		if (f->bits < 64 && val >> f->bits != 0)
			return -EINVAL;
		for (i = f->bit + f->bits; i-- > f->bit; val >>= 1)
			buf[i / 8] |= (val & 1) << (7 - i % 8);
	}
	return 0;
}

static void
fields_get(const struct field *fields, uint32_t nb, const uint8_t *buf, void *to)
{
	const struct field *f;
	uint64_t val;
	uint32_t i;

	for (f = fields; f < fields + nb; f++) {
		if (f->bits > 64) {
			memcpy(RTE_PTR_ADD(to, f->off), buf + f->bit / 8, f->bits / 8);
			continue;
		}
		val = 0;
		for (i = f->bit; i < f->bit + f->bits; i++)
			val = val << 1 | ((buf[i / 8] >> (7 - i % 8)) & 1);
		member_set(RTE_PTR_ADD(to, f->off), f->size, val);
	}
}

int
bf_mad_encode(const struct bf_mad *mad, uint8_t buf[BF_MAD_SIZE])
{
	const struct layout *layout = layout_of(mad->attr);
	int ret;

	if (layout == NULL)
		return -EINVAL;
	memset(buf, 0, BF_MAD_SIZE);
	buf[MAD_OFF_BASE] = MAD_BASE_VERSION;
	buf[MAD_OFF_CLASS] = MAD_CLASS_CM;
	buf[MAD_OFF_CLASS_VERSION] = MAD_CLASS_VERSION;
	buf[MAD_OFF_METHOD] = MAD_METHOD_SEND;
	ret = fields_put(header, RTE_DIM(header), mad, buf);
	if (ret == 0)
		ret = fields_put(layout->fields, layout->nb, mad, buf + MAD_DATA);
	return ret;
}

int
bf_mad_decode(const uint8_t *buf, size_t len, struct bf_mad *mad)
{
	const struct layout *layout;

	memset(mad, 0, sizeof(*mad));
	if (len != BF_MAD_SIZE)
		return -EMSGSIZE;
	if (buf[MAD_OFF_BASE] != MAD_BASE_VERSION || buf[MAD_OFF_CLASS] != MAD_CLASS_CM ||
	    buf[MAD_OFF_CLASS_VERSION] != MAD_CLASS_VERSION ||
	    buf[MAD_OFF_METHOD] != MAD_METHOD_SEND)
		return -EPROTO;
	fields_get(header, RTE_DIM(header), buf, mad);
	layout = layout_of(mad->attr);
	if (layout == NULL)
		return -ENOTSUP;
	fields_get(layout->fields, layout->nb, buf + MAD_DATA, mad);
	return 0;
}

/*
 * Header of the RDMA IP CM service
 */

#define IP_MEMBER(member) MEMBER(struct bf_mad_ip, member)

static const struct field ip_header[] = {
	{ 0, 8, IP_MEMBER(version) },
	{ 1 * 8, 4, IP_MEMBER(ip_version) },
	{ 2 * 8, 16, IP_MEMBER(src_port) },
	{ 4 * 8, 128, IP_MEMBER(src) },
	{ 20 * 8, 128, IP_MEMBER(dst) },
};

int
bf_mad_ip_encode(const struct bf_mad_ip *ip, uint8_t buf[BF_MAD_IP_SIZE])
{
	memset(buf, 0, BF_MAD_IP_SIZE);
	return fields_put(ip_header, RTE_DIM(ip_header), ip, buf);
}

void
bf_mad_ip_decode(const uint8_t buf[BF_MAD_IP_SIZE], struct bf_mad_ip *ip)
{
	fields_get(ip_header, RTE_DIM(ip_header), buf, ip);
}

const char *
bf_mad_attr_text(uint16_t attr)
{
	const struct layout *layout = layout_of(attr);

	return layout != NULL ? layout->name : "?";
}

uint64_t
bf_mad_code_ms(uint8_t code)
{
	return 1ull << (RTE_MAX(code, 8) - 8);
}

uint8_t
bf_mad_ms_code(uint64_t ms)
{
	uint8_t code = 8;

	/* there are 5 bits */
	while (code < 31 && bf_mad_code_ms(code) < ms)
		code++;
	return code;
}
