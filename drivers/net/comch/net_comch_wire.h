/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef NET_COMCH_WIRE_H
#define NET_COMCH_WIRE_H

/*
 * What two ports say to each other, as control messages of their connection. Nothing else.
 *
 * Each side has a consumer for each of its receive queues. HELLO names them; the peer makes
 * a producer for each of its transmit queues, and says READY when they are running. A port
 * that is ready itself, and has heard READY, is up. Packets are messages of the fast path,
 * without a header.
 *
 * Numbers are little endian.
 */

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* Queues of a port in one direction. */
#define NC_MAX_QUEUES 16

#define NC_WIRE_MAGIC 0x6d434e63u /* "cNCm" */
/* A port of another version is refused; the header is the same in all versions. */
#define NC_WIRE_VERSION 1u

#define NC_WIRE_HELLO 1u
#define NC_WIRE_READY 2u

struct nc_wire_hdr {
	uint32_t magic;
	uint16_t version;
	uint16_t type;
};

struct nc_wire_hello {
	struct nc_wire_hdr hdr;
	uint32_t frame_size; /* longest packet that it takes, with its Ethernet header */
	uint16_t nb_queues;  /* 1 to NC_MAX_QUEUES */
	uint16_t reserved;   /* 0 */
	uint32_t consumers[NC_MAX_QUEUES]; /* identifiers; 0 from nb_queues on */
};

static_assert(sizeof(struct nc_wire_hdr) == 8, "wire");
static_assert(offsetof(struct nc_wire_hello, frame_size) == 8, "wire");
static_assert(offsetof(struct nc_wire_hello, nb_queues) == 12, "wire");
static_assert(offsetof(struct nc_wire_hello, consumers) == 16, "wire");
static_assert(sizeof(struct nc_wire_hello) == 16 + 4 * NC_MAX_QUEUES, "wire");

#endif /* NET_COMCH_WIRE_H */
