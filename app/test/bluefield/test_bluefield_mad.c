/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the connection manager: each field where the specification has it, no bit
 * beside it, whole messages byte by byte, and what is no message. The places of fields
 * are listed here once more, as byte and bits, and not in the driver's own form.
 */

#include <stddef.h>

#include <rte_common.h>

#include "bluefield_mad.h"
#include "test.h"

/* From the start of the MAD to where the specification counts from. */
#define DATA 24

struct place {
	uint16_t attr;
	uint16_t off, size;     /* of the member */
	uint16_t byte, bytes;
	uint8_t first, last;    /* masks of the first and of the last byte */
	const char *name;
};

#define MEMBER(member) offsetof(struct bf_mad, member), sizeof(((struct bf_mad *)0)->member)
/* Whole bytes; some bits of one byte; bytes of which the last has some bits. */
#define BYTES(attr, member, byte, nb) \
	{ BF_MAD_##attr, MEMBER(member), byte, nb, 0xff, 0xff, #attr " " #member }
#define BITS(attr, member, byte, mask) \
	{ BF_MAD_##attr, MEMBER(member), byte, 1, mask, mask, #attr " " #member }

#define PATH(path, at) \
	BYTES(REQ, path.local_lid, (at), 2), BYTES(REQ, path.remote_lid, (at) + 2, 2), \
	BYTES(REQ, path.local_gid, (at) + 4, 16), BYTES(REQ, path.remote_gid, (at) + 20, 16), \
	{ BF_MAD_REQ, MEMBER(path.flow_label), (at) + 36, 3, 0xff, 0xf0, "flow label" }, \
	BITS(REQ, path.rate, (at) + 39, 0x3f), BYTES(REQ, path.traffic_class, (at) + 40, 1), \
	BYTES(REQ, path.hop_limit, (at) + 41, 1), BITS(REQ, path.sl, (at) + 42, 0xf0), \
	BITS(REQ, path.subnet_local, (at) + 42, 0x08), BITS(REQ, path.ack_timeout, (at) + 43, 0xf8)

#define IDS(attr) BYTES(attr, local_id, 0, 4), BYTES(attr, remote_id, 4, 4)

static const struct place places[] = {
	BYTES(REQ, local_id, 0, 4), BYTES(REQ, req.vendor_id, 5, 3),
	BYTES(REQ, req.service_id, 8, 8), BYTES(REQ, req.ca_guid, 16, 8),
	BYTES(REQ, req.qkey, 28, 4), BYTES(REQ, req.qpn, 32, 3),
	BYTES(REQ, req.responder_resources, 35, 1), BYTES(REQ, req.eecn, 36, 3),
	BYTES(REQ, req.initiator_depth, 39, 1), BYTES(REQ, req.remote_eecn, 40, 3),
	BITS(REQ, req.remote_timeout, 43, 0xf8), BITS(REQ, req.transport, 43, 0x06),
	BITS(REQ, req.flow_control, 43, 0x01), BYTES(REQ, req.psn, 44, 3),
	BITS(REQ, req.local_timeout, 47, 0xf8), BITS(REQ, req.retry_count, 47, 0x07),
	BYTES(REQ, req.pkey, 48, 2), BITS(REQ, req.mtu, 50, 0xf0), BITS(REQ, req.rdc, 50, 0x08),
	BITS(REQ, req.rnr_retry, 50, 0x07), BITS(REQ, req.max_retries, 51, 0xf0),
	BITS(REQ, req.srq, 51, 0x08), BITS(REQ, req.ext_transport, 51, 0x07),
	PATH(req.path, 52), PATH(req.alt, 96), BYTES(REQ, req.priv, 140, 92),
	IDS(MRA), BITS(MRA, mra.about, 8, 0xc0), BITS(MRA, mra.timeout, 9, 0xf8),
	BYTES(MRA, mra.priv, 10, 222),
	IDS(REJ), BITS(REJ, rej.about, 8, 0xc0), BITS(REJ, rej.info_len, 9, 0xfe),
	BYTES(REJ, rej.reason, 10, 2), BYTES(REJ, rej.info, 12, 72), BYTES(REJ, rej.priv, 84, 148),
	IDS(REP), BYTES(REP, rep.qkey, 8, 4), BYTES(REP, rep.qpn, 12, 3),
	BYTES(REP, rep.vendor_high, 15, 1), BYTES(REP, rep.eecn, 16, 3),
	BYTES(REP, rep.vendor_mid, 19, 1), BYTES(REP, rep.psn, 20, 3),
	BYTES(REP, rep.vendor_low, 23, 1), BYTES(REP, rep.responder_resources, 24, 1),
	BYTES(REP, rep.initiator_depth, 25, 1), BITS(REP, rep.ack_delay, 26, 0xf8),
	BITS(REP, rep.failover, 26, 0x06), BITS(REP, rep.flow_control, 26, 0x01),
	BITS(REP, rep.rnr_retry, 27, 0xe0), BITS(REP, rep.srq, 27, 0x10),
	BYTES(REP, rep.ca_guid, 28, 8), BYTES(REP, rep.priv, 36, 196),
	IDS(RTU), BYTES(RTU, rtu.priv, 8, 224),
	IDS(DREQ), BYTES(DREQ, dreq.qpn, 8, 3), BYTES(DREQ, dreq.priv, 12, 220),
	IDS(DREP), BYTES(DREP, drep.priv, 8, 224),
	BYTES(SIDR_REQ, local_id, 0, 4), BYTES(SIDR_REQ, sidr_req.pkey, 4, 2),
	BYTES(SIDR_REQ, sidr_req.service_id, 8, 8), BYTES(SIDR_REQ, sidr_req.priv, 16, 216),
	BYTES(SIDR_REP, local_id, 0, 4), BYTES(SIDR_REP, sidr_rep.status, 4, 1),
	BYTES(SIDR_REP, sidr_rep.info_len, 5, 1), BYTES(SIDR_REP, sidr_rep.vendor_high, 6, 2),
	BYTES(SIDR_REP, sidr_rep.qpn, 8, 3), BYTES(SIDR_REP, sidr_rep.vendor_low, 11, 1),
	BYTES(SIDR_REP, sidr_rep.service_id, 12, 8), BYTES(SIDR_REP, sidr_rep.qkey, 20, 4),
	BYTES(SIDR_REP, sidr_rep.info, 24, 72), BYTES(SIDR_REP, sidr_rep.priv, 96, 136),
	IDS(LAP), IDS(APR),
};

/* Bits of a field in its last or only byte that are below it. */
static unsigned int
shift_of(const struct place *p)
{
	return __builtin_ctz(p->bytes == 1 ? p->first : p->last);
}

/* Bits of a field, in all. */
static unsigned int
bits_of(const struct place *p)
{
	if (p->bytes == 1)
		return __builtin_popcount(p->first);
	return 8 * p->bytes - shift_of(p);
}

/* All bits of the field, in a MAD. */
static void
paint(const struct place *p, uint8_t *buf)
{
	unsigned int i;

	for (i = 0; i < p->bytes; i++)
		buf[DATA + p->byte + i] |= i == 0 ? p->first : i + 1 == p->bytes ? p->last : 0xff;
}

/* The value in a member of any size. */
static void
member_set(struct bf_mad *mad, const struct place *p, uint64_t val)
{
	uint8_t *member = (uint8_t *)mad + p->off;
	uint32_t v32 = val;
	uint16_t v16 = val;

	if (p->size == 1)
		*member = val;
	else if (p->size == 2)
		memcpy(member, &v16, 2);
	else if (p->size == 4)
		memcpy(member, &v32, 4);
	else
		memcpy(member, &val, 8);
}

/* All ones, as many as the field has. */
static void
member_fill(struct bf_mad *mad, const struct place *p)
{
	if (p->size > 8)
		memset((uint8_t *)mad + p->off, 0xff, p->size);
	else
		member_set(mad, p, UINT64_MAX >> (64 - bits_of(p)));
}

/* What each MAD of an attribute begins with. */
static void
begin(uint16_t attr, uint8_t *buf)
{
	memset(buf, 0, BF_MAD_SIZE);
	buf[0] = 1;
	buf[1] = 7;
	buf[2] = 2;
	buf[3] = 3;
	buf[17] = attr;
}

/* A field has its bits, and no other. */
static int
test_places(void)
{
	uint8_t want[BF_MAD_SIZE], got[BF_MAD_SIZE];
	const struct place *p;
	struct bf_mad mad, back;

	for (p = places; p < places + RTE_DIM(places); p++) {
		memset(&mad, 0, sizeof(mad));
		mad.attr = p->attr;
		member_fill(&mad, p);
		begin(p->attr, want);
		paint(p, want);
		TEST_EXPECT(bf_mad_encode(&mad, got), 0);
		TEST_ASSERT(memcmp(got, want, sizeof(got)) == 0, "%s is written elsewhere",
			p->name);
		TEST_EXPECT(bf_mad_decode(want, sizeof(want), &back), 0);
		TEST_ASSERT(memcmp(&back, &mad, sizeof(mad)) == 0, "%s is read elsewhere", p->name);
	}
	return TEST_SUCCESS;
}

/* The most significant byte first. Values: 1, and the field's highest bit. */
static int
test_order(void)
{
	uint8_t got[BF_MAD_SIZE];
	const struct place *p;
	struct bf_mad mad;
	unsigned int last;

	for (p = places; p < places + RTE_DIM(places); p++) {
		if (p->size > 8)
			continue;
		memset(&mad, 0, sizeof(mad));
		mad.attr = p->attr;
		member_set(&mad, p, 1);
		last = DATA + p->byte + p->bytes - 1;
		TEST_EXPECT(bf_mad_encode(&mad, got), 0);
		TEST_ASSERT(got[last] == 1u << shift_of(p), "%s: 1 is 0x%x", p->name, got[last]);
		member_set(&mad, p, UINT64_C(1) << (bits_of(p) - 1));
		TEST_EXPECT(bf_mad_encode(&mad, got), 0);
		last = got[DATA + p->byte];
		TEST_ASSERT((last & p->first) == (p->first & ~(p->first >> 1)),
			"%s: its highest bit is 0x%x", p->name, last);
	}
	return TEST_SUCCESS;
}

/* No two fields share a bit, all that are not listed are 0, and are not looked at. */
static int
test_reserved(void)
{
	uint8_t want[BF_MAD_SIZE], got[BF_MAD_SIZE], ones[BF_MAD_SIZE];
	struct bf_mad mad, back;
	unsigned int i, nb;
	uint16_t attr;

	for (attr = BF_MAD_FIRST; attr <= BF_MAD_LAST; attr++) {
		memset(&mad, 0, sizeof(mad));
		mad.attr = attr;
		begin(attr, want);
		for (i = 0, nb = 0; i < RTE_DIM(places); i++) {
			if (places[i].attr != attr)
				continue;
			memcpy(got, want, sizeof(got));
			paint(&places[i], want);
			member_fill(&mad, &places[i]);
			TEST_ASSERT(memcmp(got, want, sizeof(got)) != 0, "%s is in others",
				places[i].name);
			nb++;
		}
		TEST_TRUE(nb != 0);
		TEST_EXPECT(bf_mad_encode(&mad, got), 0);
		TEST_TRUE(memcmp(got, want, sizeof(got)) == 0);
		/* the other way: all bits of a message, reserved ones too */
		memset(ones, 0xff, sizeof(ones));
		memcpy(ones, want, DATA);
		TEST_EXPECT(bf_mad_decode(ones, sizeof(ones), &back), 0);
		TEST_TRUE(memcmp(&back, &mad, sizeof(mad)) == 0);
	}
	return TEST_SUCCESS;
}

/* A value that does not fit is refused: it would write into its neighbour. */
static int
test_too_wide(void)
{
	uint8_t buf[BF_MAD_SIZE];
	const struct place *p;
	struct bf_mad mad;

	for (p = places; p < places + RTE_DIM(places); p++) {
		if (p->size > 8 || bits_of(p) == 8u * p->size)
			continue;
		memset(&mad, 0, sizeof(mad));
		mad.attr = p->attr;
		member_set(&mad, p, UINT64_C(1) << bits_of(p));
		TEST_ASSERT(bf_mad_encode(&mad, buf) == -EINVAL, "%s of %u bits takes more",
			p->name, bits_of(p));
	}
	return TEST_SUCCESS;
}

/*
 * Whole messages, byte by byte
 */

static const uint8_t guid_a[8] = { 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55 };

static const uint8_t golden_req[BF_MAD_SIZE] = {
	1, 7, 2, 3, [8] = 0xa1, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xa8, [16] = 0x00, 0x10,
	/* local id, service id, GUID */
	[DATA] = 0x11, 0x12, 0x13, 0x14,
	[DATA + 8] = 0, 0, 0, 0, 0x01, 0x06, 0xc0, 0xc4,
	[DATA + 16] = 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55,
	/* queue pair 0x010203, 4 and 5 reads; CM timeouts 20, 18; RC; PSN 0xabcdef, 7 retries */
	[DATA + 32] = 0x01, 0x02, 0x03, 4, [DATA + 39] = 5,
	[DATA + 43] = 20 << 3, 0xab, 0xcd, 0xef, 18 << 3 | 7,
	/* P_Key; MTU 1024, RNR retry 6; 15 retries of the CM, SRQ */
	[DATA + 48] = 0xff, 0xff, 3 << 4 | 6, 15 << 4 | 8,
	/* path: LIDs, GIDs */
	[DATA + 52] = 0xff, 0xff, 0xff, 0xff,
	[DATA + 56] = 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55,
	[DATA + 72] = 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x66, 0x77, 0xff, 0xfe, 0x88, 0x99, 0xaa,
	/* flow label 0x54321, rate 0, class 2, 64 hops, SL 3, ack timeout 14 */
	[DATA + 88] = 0x54, 0x32, 0x10, 0, 2, 64, 3 << 4, 14 << 3,
	/* IP CM header: version 0, IPv6, port 0xbeef, addresses; then our data */
	[DATA + 140] = 0, 0x60, 0xbe, 0xef,
	[DATA + 144] = 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55,
	[DATA + 160] = 0xfe, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x66, 0x77, 0xff, 0xfe, 0x88, 0x99, 0xaa,
	[DATA + 176] = 'h', 'i', [DATA + 231] = '!',
};

static const uint8_t gid_a[16] = { 0xfe, 0x80, [9] = 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55 };
static const uint8_t gid_b[16] = { 0xfe, 0x80, [9] = 0x66, 0x77, 0xff, 0xfe, 0x88, 0x99, 0xaa };

static int
test_golden_req(void)
{
	struct bf_mad_ip ip = { .ip_version = 6, .src_port = 0xbeef }, ip_back;
	struct bf_mad mad = {
		.attr = BF_MAD_REQ, .tid = 0xa1a2a3a4a5a6a7a8, .local_id = 0x11121314,
		.req = {
			.service_id = 0x0106c0c4, .ca_guid = 0x021122fffe334455, .qpn = 0x010203,
			.responder_resources = 4, .initiator_depth = 5, .remote_timeout = 20,
			.psn = 0xabcdef, .local_timeout = 18, .retry_count = 7, .pkey = 0xffff,
			.mtu = 3, .rnr_retry = 6, .max_retries = 15, .srq = 1,
			.path = {
				.local_lid = 0xffff, .remote_lid = 0xffff, .flow_label = 0x54321,
				.traffic_class = 2, .hop_limit = 64, .sl = 3, .ack_timeout = 14,
			},
		},
	}, back;
	uint8_t buf[BF_MAD_SIZE];

	memcpy(mad.req.path.local_gid, gid_a, 16);
	memcpy(mad.req.path.remote_gid, gid_b, 16);
	memcpy(ip.src, gid_a, 16);
	memcpy(ip.dst, gid_b, 16);
	TEST_EXPECT(bf_mad_ip_encode(&ip, mad.req.priv), 0);
	memcpy(mad.req.priv + 36, "hi", 2);
	mad.req.priv[91] = '!';
	TEST_EXPECT(bf_mad_encode(&mad, buf), 0);
	TEST_TRUE(memcmp(buf, golden_req, sizeof(buf)) == 0);
	TEST_EXPECT(bf_mad_decode(golden_req, sizeof(golden_req), &back), 0);
	TEST_TRUE(memcmp(&back, &mad, sizeof(mad)) == 0);
	memset(&ip_back, 0, sizeof(ip_back));
	bf_mad_ip_decode(back.req.priv, &ip_back);
	TEST_TRUE(memcmp(&ip_back, &ip, sizeof(ip)) == 0);
	ip.ip_version = 16;
	TEST_EXPECT(bf_mad_ip_encode(&ip, buf), -EINVAL);
	return TEST_SUCCESS;
}

static int
golden(const struct bf_mad *mad, const uint8_t *want)
{
	uint8_t buf[BF_MAD_SIZE];
	struct bf_mad back;

	TEST_EXPECT(bf_mad_encode(mad, buf), 0);
	TEST_TRUE(memcmp(buf, want, sizeof(buf)) == 0);
	TEST_EXPECT(bf_mad_decode(want, BF_MAD_SIZE, &back), 0);
	TEST_TRUE(memcmp(&back, mad, sizeof(back)) == 0);
	return TEST_SUCCESS;
}

static int
test_golden_rep(void)
{
	static const uint8_t want[BF_MAD_SIZE] = {
		1, 7, 2, 3, [15] = 9, 0x00, 0x13,
		[DATA] = 0x21, 0x22, 0x23, 0x24, 0x11, 0x12, 0x13, 0x14,
		/* queue pair, PSN, reads; ack delay 15; RNR retry 7, SRQ */
		[DATA + 12] = 0x0a, 0x0b, 0x0c, 0, [DATA + 20] = 0xfe, 0xdc, 0xba, 0, 2, 3,
		15 << 3, 7 << 5 | 0x10,
		[DATA + 28] = 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55, 'r', 'e', 'p',
		[DATA + 231] = '.',
	};
	struct bf_mad mad = {
		.attr = BF_MAD_REP, .tid = 9, .local_id = 0x21222324, .remote_id = 0x11121314,
		.rep = {
			.qpn = 0x0a0b0c, .psn = 0xfedcba, .responder_resources = 2,
			.initiator_depth = 3, .ack_delay = 15, .rnr_retry = 7, .srq = 1,
			.ca_guid = 0x021122fffe334455, .priv = { 'r', 'e', 'p', [195] = '.' },
		},
	};

	return golden(&mad, want);
}

static int
test_golden_rest(void)
{
	static const uint8_t want_rej[BF_MAD_SIZE] = {
		1, 7, 2, 3, [15] = 9, 0x00, 0x12,
		[DATA] = 0x21, 0x22, 0x23, 0x24, 0x11, 0x12, 0x13, 0x14,
		2 << 6, 8 << 1, 0x00, 0x04, 0x02, 0x11, 0x22, 0xff, 0xfe, 0x33, 0x44, 0x55,
		[DATA + 84] = 'n', 'o',
	};
	static const uint8_t want_mra[BF_MAD_SIZE] = {
		1, 7, 2, 3, [15] = 9, 0x00, 0x11,
		[DATA] = 0x21, 0x22, 0x23, 0x24, 0x11, 0x12, 0x13, 0x14, 1 << 6, 24 << 3,
	};
	static const uint8_t want_dreq[BF_MAD_SIZE] = {
		1, 7, 2, 3, [15] = 9, 0x00, 0x15,
		[DATA] = 0x21, 0x22, 0x23, 0x24, 0x11, 0x12, 0x13, 0x14, 0x0a, 0x0b, 0x0c, 0, 'x',
	};
	struct bf_mad mad = {
		.attr = BF_MAD_REJ, .tid = 9, .local_id = 0x21222324, .remote_id = 0x11121314,
		.rej = { .about = 2, .info_len = 8, .reason = 4, .priv = { 'n', 'o' } },
	};

	memcpy(mad.rej.info, guid_a, sizeof(guid_a));
	TEST_CALL(golden(&mad, want_rej));
	memset(&mad.rej, 0, sizeof(mad.rej));
	mad.attr = BF_MAD_MRA;
	mad.mra.about = 1;
	mad.mra.timeout = 24;
	TEST_CALL(golden(&mad, want_mra));
	memset(&mad.mra, 0, sizeof(mad.mra));
	mad.attr = BF_MAD_DREQ;
	mad.dreq.qpn = 0x0a0b0c;
	mad.dreq.priv[0] = 'x';
	return golden(&mad, want_dreq);
}

/* What is no message of a connection manager. */
static int
test_bad(void)
{
	static const uint16_t attrs[] = { 0, 1, BF_MAD_FIRST - 1, BF_MAD_LAST + 1, 0x1010, 0xffff };
	uint8_t buf[BF_MAD_SIZE + 1];
	struct bf_mad mad;
	unsigned int i;

	memcpy(buf, golden_req, BF_MAD_SIZE);
	for (i = 0; i <= sizeof(buf); i++)
		TEST_EXPECT(bf_mad_decode(buf, i, &mad), i == BF_MAD_SIZE ? 0 : -EMSGSIZE);
	for (i = 0; i < 4; i++) {
		buf[i] ^= 0x80;
		TEST_EXPECT(bf_mad_decode(buf, BF_MAD_SIZE, &mad), -EPROTO);
		buf[i] ^= 0x80;
	}
	for (i = 0; i < RTE_DIM(attrs); i++) {
		buf[16] = attrs[i] >> 8;
		buf[17] = attrs[i] & 0xff;
		TEST_EXPECT(bf_mad_decode(buf, BF_MAD_SIZE, &mad), -ENOTSUP);
		TEST_EXPECT(mad.attr, attrs[i]);
		TEST_EXPECT(bf_mad_encode(&mad, buf), -EINVAL);
		TEST_EXPECT(strcmp(bf_mad_attr_text(attrs[i]), "?"), 0);
	}
	TEST_EXPECT(strcmp(bf_mad_attr_text(BF_MAD_DREP), "DREP"), 0);
	return TEST_SUCCESS;
}

/* 4.096 us << code, as Linux counts it in milliseconds. */
static int
test_times(void)
{
	static const struct { uint8_t code; uint64_t ms; } times[] = {
		{ 0, 1 }, { 8, 1 }, { 9, 2 }, { 14, 64 }, { 16, 256 }, { 20, 4096 }, { 22, 16384 },
		{ 24, 65536 }, { 31, 8388608 },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(times); i++) {
		TEST_EXPECT(bf_mad_code_ms(times[i].code), times[i].ms);
		TEST_EXPECT(bf_mad_ms_code(times[i].ms), RTE_MAX(times[i].code, 8));
	}
	TEST_EXPECT(bf_mad_ms_code(0), 8);
	TEST_EXPECT(bf_mad_ms_code(3), 10);
	TEST_EXPECT(bf_mad_ms_code(UINT64_MAX), 31);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "messages of connection management",
	.unit_test_cases = {
		TEST_CASE(test_places),
		TEST_CASE(test_order),
		TEST_CASE(test_reserved),
		TEST_CASE(test_too_wide),
		TEST_CASE(test_golden_req),
		TEST_CASE(test_golden_rep),
		TEST_CASE(test_golden_rest),
		TEST_CASE(test_bad),
		TEST_CASE(test_times),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_mad_autotest, unit_test_suite_runner, &suite);
