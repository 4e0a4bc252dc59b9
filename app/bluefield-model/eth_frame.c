/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ethernet frames: what their headers say, for flow tables and for the switch, and the
 * checksums that a device adds and looks at. Queues are not known here.
 */

#include <string.h>

#include "eth.h"

#define TYPE_IPV4 0x0800u
#define TYPE_IPV6 0x86ddu
#define TYPE_VLAN 0x8100u
#define TYPE_QINQ 0x88a8u
#define IPV4_BYTES 20u
#define IPV6_BYTES 40u
#define PROTO_TCP 6u
#define PROTO_UDP 17u
#define TCP_BYTES 20u
#define UDP_BYTES 8u
#define TCP_SUM 16u /* byte of the checksum */
#define UDP_SUM 6u
#define IPV4_SUM 10u

static uint32_t
get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static void
put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

static void
parse_ports(struct bfm_frame *frame)
{
	const uint8_t *p = frame->data + frame->l4;
	uint8_t *m = frame->match;

	if (frame->ip_proto == PROTO_TCP && frame->end - frame->l4 >= TCP_BYTES) {
		BFM_SET(m, FLOW_MATCH, tcp_sport, get16(p));
		BFM_SET(m, FLOW_MATCH, tcp_dport, get16(p + 2));
		BFM_SET(m, FLOW_MATCH, tcp_flags, get16(p + 12) & 0x1ff);
	} else if (frame->ip_proto == PROTO_UDP && frame->end - frame->l4 >= UDP_BYTES) {
		BFM_SET(m, FLOW_MATCH, udp_sport, get16(p));
		BFM_SET(m, FLOW_MATCH, udp_dport, get16(p + 2));
	} else {
		frame->l4 = 0;
	}
}

static void
parse_ipv4(struct bfm_frame *frame)
{
	const uint8_t *p = frame->data + frame->l3;
	uint32_t room = frame->len - frame->l3;
	uint8_t *m = frame->match;
	uint32_t header;

	if (room < IPV4_BYTES || p[0] >> 4 != 4)
		return;
	header = (p[0] & 0xfu) * 4;
	if (header < IPV4_BYTES || header > get16(p + 2) || get16(p + 2) > room)
		return;
	frame->ip_version = 4;
	frame->ip_proto = p[9];
	frame->end = frame->l3 + get16(p + 2);
	BFM_SET(m, FLOW_MATCH, ip_tos, p[1]);
	BFM_SET(m, FLOW_MATCH, ttl_hoplimit, p[8]);
	BFM_SET(m, FLOW_MATCH, frag, (get16(p + 6) & 0x3fff) != 0);
	memcpy(m + FLOW_MATCH_src_ip_BIT / 8 + 12, p + 12, 4);
	memcpy(m + FLOW_MATCH_dst_ip_BIT / 8 + 12, p + 16, 4);
	if ((get16(p + 6) & 0x3fff) == 0) {
		frame->l4 = frame->l3 + header;
		parse_ports(frame);
	}
}

/* Without extension headers, behind which nothing is looked for. */
static void
parse_ipv6(struct bfm_frame *frame)
{
	const uint8_t *p = frame->data + frame->l3;
	uint32_t room = frame->len - frame->l3;
	uint8_t *m = frame->match;

	if (room < IPV6_BYTES || p[0] >> 4 != 6 || IPV6_BYTES + get16(p + 4) > room)
		return;
	frame->ip_version = 6;
	frame->ip_proto = p[6];
	frame->end = frame->l3 + IPV6_BYTES + get16(p + 4);
	BFM_SET(m, FLOW_MATCH, ip_tos, get16(p) >> 4 & 0xff);
	BFM_SET(m, FLOW_MATCH, ttl_hoplimit, p[7]);
	memcpy(m + FLOW_MATCH_src_ip_BIT / 8, p + 8, 16);
	memcpy(m + FLOW_MATCH_dst_ip_BIT / 8, p + 24, 16);
	frame->l4 = frame->l3 + IPV6_BYTES;
	parse_ports(frame);
}

bool
bfm_frame_parse(struct bfm_frame *frame)
{
	uint8_t *m = frame->match;

	if (frame->len < BFM_ETH_HDR)
		return false;
	memset(m, 0, sizeof(frame->match));
	frame->l3 = BFM_ETH_HDR;
	frame->l4 = 0;
	frame->end = frame->len;
	frame->ip_version = 0;
	frame->ip_proto = 0;
	frame->ethertype = get16(frame->data + 12);
	BFM_SET(m, FLOW_MATCH, dmac, bfm_bits_get(frame->data, 0, 48));
	BFM_SET(m, FLOW_MATCH, smac, bfm_bits_get(frame->data, 48, 48));
	if ((frame->ethertype == TYPE_VLAN || frame->ethertype == TYPE_QINQ) &&
			frame->len >= BFM_ETH_HDR + BFM_VLAN_HDR) {
		BFM_SET(m, FLOW_MATCH, cvlan_tag, frame->ethertype == TYPE_VLAN);
		BFM_SET(m, FLOW_MATCH, svlan_tag, frame->ethertype == TYPE_QINQ);
		BFM_SET(m, FLOW_MATCH, first_tci, get16(frame->data + BFM_ETH_HDR));
		frame->ethertype = get16(frame->data + BFM_ETH_HDR + 2);
		frame->l3 += BFM_VLAN_HDR;
	}
	BFM_SET(m, FLOW_MATCH, ethertype, frame->ethertype);
	if (frame->ethertype == TYPE_IPV4)
		parse_ipv4(frame);
	else if (frame->ethertype == TYPE_IPV6)
		parse_ipv6(frame);
	BFM_SET(m, FLOW_MATCH, ip_version, frame->ip_version);
	BFM_SET(m, FLOW_MATCH, ip_protocol, frame->ip_proto);
	return true;
}

/* -------------------------------------------------------------- checksums */

static uint32_t
sum(const uint8_t *p, uint32_t len, uint32_t start)
{
	uint64_t s = start;
	uint32_t i;

	for (i = 0; i + 1 < len; i += 2)
		s += get16(p + i);
	if (i < len)
		s += (uint32_t)p[i] << 8;
	while (s >> 16 != 0)
		s = (s & 0xffff) + (s >> 16);
	return (uint32_t)s;
}

uint16_t
bfm_frame_sum(const struct bfm_frame *frame)
{
	return (uint16_t)sum(frame->data + frame->l3, frame->end - frame->l3, 0);
}

void
bfm_frame_checksum(struct bfm_frame *frame, bool l3, bool l4)
{
	uint8_t *p = frame->data + frame->l3;
	uint32_t len = frame->end - frame->l4, at, s;

	if (l3 && frame->ip_version == 4) {
		put16(p + IPV4_SUM, 0);
		put16(p + IPV4_SUM, ~sum(p, (p[0] & 0xfu) * 4, 0));
	}
	if (!l4 || frame->l4 == 0)
		return;
	at = frame->l4 + (frame->ip_proto == PROTO_TCP ? TCP_SUM : UDP_SUM);
	put16(frame->data + at, 0);
	s = frame->ip_version == 4 ? sum(p + 12, 8, len + frame->ip_proto) :
			sum(p + 8, 32, len + frame->ip_proto);
	s = ~sum(frame->data + frame->l4, len, s) & 0xffff;
	/* 0 of UDP says that there is no checksum */
	put16(frame->data + at, s == 0 && frame->ip_proto == PROTO_UDP ? 0xffff : s);
}
