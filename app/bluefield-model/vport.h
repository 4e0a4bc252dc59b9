/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What cmd_vport.c and cmd_roce.c share: a function's place on the switch. */

#ifndef BFM_VPORT_H
#define BFM_VPORT_H

#include "layout_vport.h"
#include "queue.h"

#define BFM_ROCE_ENTRIES 256u /* src_addr_index of a path has 8 bits */
#define BFM_VPORT_LISTS 3u    /* unicast, multicast, VLAN */
#define BFM_VHCA_PORTS 2u     /* vhca_ports= at most */

struct bfm_roce_entry {
	bool set;
	uint8_t raw[ROCE_ADDR_BYTES];
};

struct bfm_vport {
	uint8_t nic[NICV_BYTES];   /* Ethernet: context, in wire format */
	uint8_t hca[HCAV_BYTES];   /* InfiniBand: the same */
	uint8_t admin_state;
	uint32_t port_admin;       /* by PAOS and PMTU: what this function wants of its port, */
	uint32_t port_mtu;         /* which has other users too; 0: nothing */
	uint64_t *lists[BFM_VPORT_LISTS]; /* allowed addresses, as in commands */
	uint32_t nb_list[BFM_VPORT_LISTS];
	struct bfm_roce_entry roce[BFM_VHCA_PORTS][BFM_ROCE_ENTRIES]; /* port 1, port 2 */
	uint64_t counters[VCOUNT_NB];
};

/* The function that a command is about: its own, or another of the same port. */
enum bfm_status bfm_vport_select(struct bfm_cmd *c, bool other, uint32_t number,
		struct bfm_function **f);

/* An entry of their tables of commands, as it begins. */
#define ENTRY(op, text, fn, st, min_in, min_out) \
	.opcode = (op), .name = (text), .handler = (fn), .states = (st), .in_min = (min_in), \
	.out_min = (min_out)

#endif
