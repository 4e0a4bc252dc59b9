/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_PKT_H
#define COMCH_PKT_H

/*
 * The header that is to carry the metadata of a packet from one side to the other, as
 * "Metadata of packets" of doc/guides/contributing/design.rst has it. Its layout is all
 * that lives here: no driver sends it yet. Both sides may have other releases of DPDK,
 * so nothing of an mbuf's own layout or flags is in it.
 */

#include <stddef.h>
#include <stdint.h>

#include <rte_comch_core.h>

/*
 * Fields that are there, and that a consumer asks for: the low half of fields. A field
 * that is not there is 0.
 */
#define COMCH_PKT_F_PORT       0x0001u
#define COMCH_PKT_F_VLAN       0x0002u /* taken out of the packet */
#define COMCH_PKT_F_VLAN_OUTER 0x0004u /* the same, of two */
#define COMCH_PKT_F_RSS        0x0008u
#define COMCH_PKT_F_MARK       0x0010u
#define COMCH_PKT_F_TYPE       0x0020u
#define COMCH_PKT_F_CSUM       0x0040u /* the upper half of fields says something */
#define COMCH_PKT_F_TIME       0x0080u

/* What was found of a checksum: two bits each in the upper half of fields. */
#define COMCH_PKT_CSUM_IP_SHIFT       16
#define COMCH_PKT_CSUM_L4_SHIFT       18
#define COMCH_PKT_CSUM_OUTER_IP_SHIFT 20
#define COMCH_PKT_CSUM_OUTER_L4_SHIFT 22
#define COMCH_PKT_CSUM_MASK           0x3u
#define COMCH_PKT_CSUM_UNKNOWN        0u
#define COMCH_PKT_CSUM_BAD            1u
#define COMCH_PKT_CSUM_GOOD           2u
#define COMCH_PKT_CSUM_NONE           3u /* not in the packet, whose data is right */

/* Little-endian; as long as the immediate data that a completion has inline. */
struct comch_pkt_hdr {
	uint32_t fields;     /* COMCH_PKT_F_*, and what was found of checksums */
	uint16_t port;       /* that it came in by, as the sender numbers them */
	uint16_t vlan;       /* TCI */
	uint16_t vlan_outer; /* TCI */
	uint16_t reserved;   /* 0 */
	uint32_t rss;        /* hash */
	uint32_t mark;       /* of a flow rule */
	uint32_t type;       /* as RTE_PTYPE_* number it */
	uint64_t time;       /* in the sender's clock, nanoseconds */
};

_Static_assert(sizeof(struct comch_pkt_hdr) == RTE_COMCH_CPL_IMM_SIZE, "pkt_hdr");
_Static_assert(offsetof(struct comch_pkt_hdr, port) == 4, "pkt_hdr.port");
_Static_assert(offsetof(struct comch_pkt_hdr, vlan) == 6, "pkt_hdr.vlan");
_Static_assert(offsetof(struct comch_pkt_hdr, vlan_outer) == 8, "pkt_hdr.vlan_outer");
_Static_assert(offsetof(struct comch_pkt_hdr, rss) == 12, "pkt_hdr.rss");
_Static_assert(offsetof(struct comch_pkt_hdr, mark) == 16, "pkt_hdr.mark");
_Static_assert(offsetof(struct comch_pkt_hdr, type) == 20, "pkt_hdr.type");
_Static_assert(offsetof(struct comch_pkt_hdr, time) == 24, "pkt_hdr.time");

#endif /* COMCH_PKT_H */
