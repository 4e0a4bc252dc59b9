/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * ACCESS_REG: the few registers that the model has, read only but for the host's byte
 * order, and for what a function wants of its port. All others are refused by name.
 */

#include <string.h>

#include "engine.h"
#include "layout_hca.h"
#include "vport.h"

BFM_LAYOUT(bfm_lay_reg_host_endianness, "host_endianness", REG_HOST_ENDIANNESS_SIZE,
		REG_HOST_ENDIANNESS_FIELDS);
BFM_LAYOUT(bfm_lay_reg_ptys, "ptys", REG_PTYS_SIZE, REG_PTYS_FIELDS);
BFM_LAYOUT(bfm_lay_reg_pmtu, "pmtu", REG_PMTU_SIZE, REG_PMTU_FIELDS);
BFM_LAYOUT(bfm_lay_reg_pvlc, "pvlc", REG_PVLC_SIZE, REG_PVLC_FIELDS);
BFM_LAYOUT(bfm_lay_reg_paos, "paos", REG_PAOS_SIZE, REG_PAOS_FIELDS);
BFM_LAYOUT(bfm_lay_reg_ppcnt, "ppcnt", REG_PPCNT_SIZE, REG_PPCNT_FIELDS);
BFM_LAYOUT(bfm_lay_reg_node_desc, "node_desc", REG_NODE_DESC_SIZE, REG_NODE_DESC_FIELDS);

enum {
	REG_WRITE = 0,
	REG_READ = 1
};

/* Values of PTYS, PVLC and PAOS. */
#define PROTO_IB 0x1u
#define PROTO_ETH 0x4u
#define ETH_100GBASE_CR4 (1u << 20)
#define IB_WIDTH_4X (1u << 2)
#define IB_SPEED_HDR (1u << 6)
#define IB_SPEED_NDR (1u << 7)
#define VL_0_3 4u
#define PORT_UP 1u
#define PORT_DOWN 2u

#define IB_MTU 4096u

/* Groups of PPCNT that are there: IEEE 802.3, RFC 2863, RFC 2819, RFC 3635, and by layer. */
#define GROUP_802_3 0x00u
#define GROUPS (UINT64_C(1) << GROUP_802_3 | UINT64_C(1) << 0x1 | UINT64_C(1) << 0x2 | \
	UINT64_C(1) << 0x3 | UINT64_C(1) << 0x10 | UINT64_C(1) << 0x11 | UINT64_C(1) << 0x12)

typedef enum bfm_status (*reg_handler_t)(struct bfm_cmd *c, const uint8_t *in, uint8_t *out);

static enum bfm_status
port_one(struct bfm_cmd *c, uint64_t port)
{
	if (port != 1)
		return bfm_fail(c, BFM_BAD_PARAM, "port %ju: there is port 1 only",
				(uintmax_t)port);
	return BFM_OK;
}

static enum bfm_status
host_endianness(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	(void)out; /* reads 0, which is little-endian */
	if (c->op_mod == REG_WRITE && BFM_GET(in, REG_HOST_ENDIANNESS, he) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "the model serves little-endian hosts only");
	return BFM_OK;
}

static enum bfm_status
ptys(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	const struct bfm_function *f = c->f;
	uint64_t mask = BFM_GET(in, REG_PTYS, proto_mask);
	uint32_t speed = f->conf.bf3 ? IB_SPEED_NDR : IB_SPEED_HDR;

	BFM_SET(out, REG_PTYS, local_port, 1);
	BFM_SET(out, REG_PTYS, proto_mask, mask);
	if ((mask & PROTO_ETH) != 0 && !f->conf.ib_port) {
		BFM_SET(out, REG_PTYS, eth_proto_capability, ETH_100GBASE_CR4);
		BFM_SET(out, REG_PTYS, eth_proto_admin, ETH_100GBASE_CR4);
		BFM_SET(out, REG_PTYS, eth_proto_oper, f->port_down ? 0 : ETH_100GBASE_CR4);
	}
	if ((mask & PROTO_IB) != 0 && f->conf.ib_port) {
		BFM_SET(out, REG_PTYS, ib_link_width_capability, IB_WIDTH_4X);
		BFM_SET(out, REG_PTYS, ib_proto_capability, speed);
		BFM_SET(out, REG_PTYS, ib_link_width_admin, IB_WIDTH_4X);
		BFM_SET(out, REG_PTYS, ib_proto_admin, speed);
		BFM_SET(out, REG_PTYS, ib_link_width_oper, f->port_down ? 0 : IB_WIDTH_4X);
		BFM_SET(out, REG_PTYS, ib_proto_oper, f->port_down ? 0 : speed);
	}
	return port_one(c, BFM_GET(in, REG_PTYS, local_port));
}

/* Of Ethernet, what a function wants is kept: the port is that of others too. */
static enum bfm_status
pmtu(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	uint32_t mtu = c->f->conf.ib_port ? IB_MTU : BFM_PORT_MTU;
	uint32_t admin = (uint32_t)BFM_GET(in, REG_PMTU, admin_mtu);
	enum bfm_status status = port_one(c, BFM_GET(in, REG_PMTU, local_port));

	if (status != BFM_OK)
		return status;
	if (c->op_mod == REG_WRITE && (c->f->conf.netdev == 0 || admin == 0 || admin > mtu))
		return bfm_fail(c, BFM_BAD_PARAM, "admin_mtu=%u: %s", admin,
				c->f->conf.netdev == 0 ? "only a function with netdev=1 writes it" :
				"this port has 1 to 9216");
	if (c->op_mod == REG_WRITE)
		c->f->vport->port_mtu = admin;
	admin = c->f->vport->port_mtu;
	BFM_SET(out, REG_PMTU, local_port, 1);
	BFM_SET(out, REG_PMTU, max_mtu, mtu);
	BFM_SET(out, REG_PMTU, admin_mtu, admin != 0 ? admin : mtu);
	BFM_SET(out, REG_PMTU, oper_mtu, mtu);
	return BFM_OK;
}

static enum bfm_status
pvlc(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	BFM_SET(out, REG_PVLC, local_port, 1);
	BFM_SET(out, REG_PVLC, vl_hw_cap, VL_0_3);
	BFM_SET(out, REG_PVLC, vl_admin, VL_0_3);
	BFM_SET(out, REG_PVLC, vl_operational, VL_0_3);
	return port_one(c, BFM_GET(in, REG_PVLC, local_port));
}

static enum bfm_status
paos(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	uint32_t admin = (uint32_t)BFM_GET(in, REG_PAOS, admin_status);
	enum bfm_status status = port_one(c, BFM_GET(in, REG_PAOS, local_port));

	if (status != BFM_OK)
		return status;
	if (c->op_mod == REG_WRITE && (c->f->conf.netdev == 0 || BFM_GET(in, REG_PAOS, ase) == 0 ||
			(admin != PORT_UP && admin != PORT_DOWN)))
		return bfm_fail(c, BFM_BAD_PARAM, "admin_status=%u: 1 (up) and 2 (down) with ase=1, of"
				" a function with netdev=1", admin);
	if (c->op_mod == REG_WRITE)
		c->f->vport->port_admin = admin;
	admin = c->f->vport->port_admin;
	BFM_SET(out, REG_PAOS, local_port, 1);
	BFM_SET(out, REG_PAOS, admin_status, admin != 0 ? admin : PORT_UP);
	BFM_SET(out, REG_PAOS, oper_status, c->f->port_down ? PORT_DOWN : PORT_UP);
	return BFM_OK;
}

/* Frames of 802.3: those of the function, for no others are on the wire. */
static enum bfm_status
ppcnt(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	const uint64_t *counters = c->f->vport->counters;
	uint8_t *set = out + REG_PPCNT_counters_BIT / 8;
	uint64_t grp = BFM_GET(in, REG_PPCNT, grp), rx = 0, tx = 0;
	uint32_t i;

	if ((GROUPS >> grp & 1) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "grp=0x%jx: there is no such group of counters",
				(uintmax_t)grp);
	if (BFM_GET(in, REG_PPCNT, clr) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "clr=1: counters of the port are of others too");
	BFM_SET(out, REG_PPCNT, local_port, 1);
	BFM_SET(out, REG_PPCNT, grp, grp);
	BFM_SET(out, REG_PPCNT, prio_tc, BFM_GET(in, REG_PPCNT, prio_tc));
	if (grp == GROUP_802_3) {
		for (i = VCOUNT_ETH; i < VCOUNT_NB; i += 4) {
			rx += counters[i];
			tx += counters[i + VCOUNT_ETH_TX];
		}
		bfm_bits_set(set, 0, 64, tx);
		bfm_bits_set(set, 64, 64, rx);
	}
	return port_one(c, BFM_GET(in, REG_PPCNT, local_port));
}

static enum bfm_status
node_desc(struct bfm_cmd *c, const uint8_t *in, uint8_t *out)
{
	char text[REG_NODE_DESC_SIZE];

	(void)in;
	memset(text, 0, sizeof(text));
	snprintf(text, sizeof(text), "software BlueField %s", c->f->conf.name);
	memcpy(out, text, sizeof(text));
	return BFM_OK;
}

static const struct reg {
	uint16_t id;
	const char *name;
	const struct bfm_layout *layout;
	reg_handler_t handler;
	bool write;
} regs[] = {
	{ 0x5003, "PMTU", &bfm_lay_reg_pmtu, pmtu, true },
	{ 0x5004, "PTYS", &bfm_lay_reg_ptys, ptys, false },
	{ 0x5006, "PAOS", &bfm_lay_reg_paos, paos, true },
	{ 0x5008, "PPCNT", &bfm_lay_reg_ppcnt, ppcnt, false },
	{ 0x500f, "PVLC", &bfm_lay_reg_pvlc, pvlc, false },
	{ 0x6001, "NODE_DESC", &bfm_lay_reg_node_desc, node_desc, false },
	{ 0x7004, "HOST_ENDIANNESS", &bfm_lay_reg_host_endianness, host_endianness, true },
};

static const struct reg *
reg_find(uint64_t id)
{
	size_t i;

	for (i = 0; i < sizeof(regs) / sizeof(regs[0]); i++)
		if (regs[i].id == id)
			return &regs[i];
	return NULL;
}

enum bfm_status
bfm_access_reg(struct bfm_cmd *c)
{
	uint64_t id = BFM_GET(c->in, ACCESS_REG_IN, register_id);
	const struct reg *reg = reg_find(id);
	const uint8_t *in = c->in + ACCESS_REG_IN_SIZE;
	int bit;

	if (c->op_mod > REG_READ)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod is neither write nor read");
	if (reg == NULL || (c->op_mod == REG_WRITE && !reg->write))
		return bfm_fail(c, BFM_BAD_PARAM, "%s of register %s (0x%04jx) is not supported",
				c->op_mod == REG_READ ? "read" : "write",
				reg != NULL ? reg->name : "unknown", (uintmax_t)id);
	if (BFM_GET(c->in, ACCESS_REG_IN, argument) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "register %s takes no argument",
				reg->name);
	if (c->in_len < ACCESS_REG_IN_SIZE + (uint32_t)reg->layout->size)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"input of %u bytes has no room for register %s", c->in_len,
				reg->name);
	if (c->out_len < ACCESS_REG_OUT_SIZE + (uint32_t)reg->layout->size)
		return bfm_fail(c, BFM_BAD_OUT_LEN,
				"output of %u bytes has no room for register %s", c->out_len,
				reg->name);
	bit = bfm_reserved_set(reg->layout, in, reg->layout->size);
	if (bit >= 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"reserved bit %d of register %s is set", bit, reg->name);
	return reg->handler(c, in, c->out + ACCESS_REG_OUT_SIZE);
}
