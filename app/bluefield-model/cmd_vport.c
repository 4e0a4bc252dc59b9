/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Vports: the context of a function on the embedded switch, for Ethernet (NIC) and
 * for InfiniBand (HCA), its state, and what the manager of the switch may ask of
 * others. The switch itself is not in here.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "vport.h"

BFM_LAYOUT(bfm_lay_vport_in, "vport_in", 16, VPORT_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_nicv_in, "query_nic_vport_in", 16, QUERY_NICV_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_nicv_out, "query_nic_vport_out", QUERY_NICV_OUT_BYTES,
		QUERY_NICV_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_nicv_in, "modify_nic_vport_in", MODIFY_NICV_IN_BYTES,
		MODIFY_NICV_IN_FIELDS);
BFM_LAYOUT(bfm_lay_nicv, "nic_vport_context", NICV_BYTES, NICV_FIELDS);
BFM_LAYOUT(bfm_lay_query_hcav_in, "query_hca_vport_in", 16, QUERY_HCAV_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_hcav_table_in, "query_hca_vport_table_in", 16, QUERY_HCAV_TABLE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_hcav_out, "query_hca_vport_out", QUERY_HCAV_OUT_BYTES,
		QUERY_HCAV_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_query_hcav_gid_out, "query_hca_vport_gid_out", 16, QUERY_HCAV_GID_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_hcav_in, "modify_hca_vport_in", MODIFY_HCAV_IN_BYTES,
		MODIFY_HCAV_IN_FIELDS);
BFM_LAYOUT(bfm_lay_hcav, "hca_vport_context", HCAV_BYTES, HCAV_FIELDS);
BFM_LAYOUT(bfm_lay_query_vstate_out, "query_vport_state_out", 16, QUERY_VSTATE_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_modify_vstate_in, "modify_vport_state_in", 16, MODIFY_VSTATE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_esw_out, "query_esw_functions_out", QUERY_ESW_OUT_BYTES,
		QUERY_ESW_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_vport_hdr_in, "header_in", 16, HDR_IN_FIELDS);
#define MODIFY_NICV_CTX (MODIFY_NICV_IN_nic_vport_context_BIT / 8)
#define QUERY_NICV_CTX (QUERY_NICV_OUT_nic_vport_context_BIT / 8)
#define HCAV_CTX (MODIFY_HCAV_IN_hca_vport_context_BIT / 8)
_Static_assert((int)MODIFY_HCAV_IN_hca_vport_context_BIT ==
		(int)QUERY_HCAV_OUT_hca_vport_context_BIT, "HCA vport context");

#define MTU_DEFAULT 1522u /* 1500 bytes, and 22 of layer 2 */
#define MTU_MIN 68u
#define VPORT_ECPF 0xfffeu
/* Of the card's own VFs; ours: a device says it in its capabilities. */
#define VPORT_CARD_VF 0x1000u
#define ADDR_BYTES 8u
#define ALL_ENTRIES 0xffffu
#define GID_BYTES 16u
#define PKEY_BYTES 4u
#define DEFAULT_PKEY 0xffffu
#define DEFAULT_PREFIX UINT64_C(0xfe80000000000000)

/* InfiniBand, as a subnet manager leaves a port. */
#define IB_STATE_DOWN 1u
#define IB_STATE_ACTIVE 4u
#define IB_PHYS_POLLING 2u
#define IB_PHYS_LINK_UP 5u
#define IB_LID_BASE 0x10u
#define IB_SM_LID 1u
#define IB_SUBNET_TIMEOUT 18u
#define IB_CAP_MASK1 0x02010000u /* communication management, client reregistration */
#define IB_CAP_MASK1_MAY 0x021b0002u /* and what software may say of itself */
#define HCAV_SEL_PORT_GUID 1u
#define HCAV_SEL_NODE_GUID 2u
#define HCAV_SEL_POLICY 4u

/* Administrative state, and op_mod of the commands about it. */
enum { ADMIN_DOWN = 0, ADMIN_UP = 1, ADMIN_AUTO = 2 };
enum { OF_VNIC = 0, OF_ESW = 1, OF_UPLINK = 2 };

/* --------------------------------------------------- what a vport is */

/* Port of the card, from the name: pf1vf3 and ecpf1 are of port 1. */
static uint32_t
vport_number(const struct bfm_function *f)
{
	if (f->conf.kind == BFM_ECPF)
		return VPORT_ECPF;
	return f->conf.function_id + (f->conf.card ? VPORT_CARD_VF : 0);
}

/* Locally administered, by kind, port and function, so that no two are the same. */
static uint64_t
vport_mac(const struct bfm_function *f)
{
	return UINT64_C(0x02bf00000000) | (uint64_t)f->conf.kind << 24 |
			(uint64_t)f->conf.card << 20 |
			(uint64_t)f->conf.port << 16 | f->conf.function_id;
}

static uint64_t
guid_of(uint64_t mac)
{
	return mac == 0 ? 0 : mac >> 24 << 40 | UINT64_C(0xfffe) << 24 | (mac & 0xffffff);
}

static void
vport_defaults(struct bfm_function *f)
{
	struct bfm_vport *v = f->vport;
	uint64_t mac = f->mac;
	uint64_t image = guid_of(UINT64_C(0x02bf00000000) | (uint64_t)BFM_ECPF << 24);

	BFM_SET(v->nic, NICV, mtu, f->mtu);
	BFM_SET(v->nic, NICV, permanent_address, mac);
	BFM_SET(v->nic, NICV, system_image_guid, image);
	BFM_SET(v->nic, NICV, port_guid, guid_of(mac));
	BFM_SET(v->nic, NICV, node_guid, guid_of(mac));
	BFM_SET(v->hca, HCAV, system_image_guid, image);
	BFM_SET(v->hca, HCAV, port_guid, guid_of(mac));
	BFM_SET(v->hca, HCAV, node_guid, guid_of(mac));
	BFM_SET(v->hca, HCAV, vport_state_policy, ADMIN_AUTO);
	BFM_SET(v->hca, HCAV, cap_mask1, IB_CAP_MASK1);
	BFM_SET(v->hca, HCAV, cap_mask1_field_select, IB_CAP_MASK1_MAY);
	BFM_SET(v->hca, HCAV, lid, IB_LID_BASE + f->conf.vhca_id);
	BFM_SET(v->hca, HCAV, sm_lid, IB_SM_LID);
	BFM_SET(v->hca, HCAV, subnet_timeout, IB_SUBNET_TIMEOUT);
	v->admin_state = ADMIN_AUTO;
}

int
bfm_vport_create(struct bfm_function *f)
{
	f->vport = calloc(1, sizeof(*f->vport));
	if (f->vport == NULL)
		return -ENOMEM;
	f->port_down = f->conf.link_down;
	f->mac = f->conf.has_mac ? f->conf.mac : vport_mac(f);
	f->mtu = MTU_DEFAULT;
	vport_defaults(f);
	return 0;
}

void
bfm_vport_restore(struct bfm_function *f)
{
	f->port_down = f->conf.link_down;
	bfm_vport_set_mac(f, f->conf.has_mac ? f->conf.mac : vport_mac(f));
	bfm_vport_set_mtu(f, MTU_DEFAULT);
}

void
bfm_vport_set_mac(struct bfm_function *f, uint64_t mac)
{
	f->mac = mac;
	BFM_SET(f->vport->nic, NICV, permanent_address, mac);
}

void
bfm_vport_set_mtu(struct bfm_function *f, uint32_t mtu)
{
	f->mtu = mtu;
	BFM_SET(f->vport->nic, NICV, mtu, mtu);
}

uint32_t
bfm_vport_mtu(const struct bfm_function *f)
{
	uint32_t mtu = (uint32_t)BFM_GET(f->vport->nic, NICV, mtu);

	return mtu != 0 ? mtu : BFM_PORT_MTU;
}

uint32_t
bfm_vport_port(const struct bfm_function *f)
{
	uint32_t native = BFM_CAP(f, native_port_num);

	return BFM_CAP(f, num_vhca_ports) > 1 && native != 0 ? native : 1;
}

void
bfm_vport_reset(struct bfm_function *f)
{
	uint32_t i;

	if (f->vport == NULL)
		return;
	for (i = 0; i < BFM_VPORT_LISTS; i++)
		free(f->vport->lists[i]);
	memset(f->vport, 0, sizeof(*f->vport));
	vport_defaults(f);
}

void
bfm_vport_destroy(struct bfm_function *f)
{
	if (f->vport == NULL)
		return;
	bfm_vport_reset(f);
	free(f->vport);
	f->vport = NULL;
}

bool
bfm_vport_roce(const struct bfm_function *f)
{
	return f->vport != NULL && BFM_GET(f->vport->nic, NICV, roce_en) != 0;
}

bool
bfm_vport_up(const struct bfm_function *f)
{
	return f->vport->admin_state == ADMIN_UP ||
			(f->vport->admin_state == ADMIN_AUTO && !f->port_down);
}

void
bfm_vport_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_vport *v = f->vport;
	const uint8_t *raw;
	uint32_t i, port;

	if (v == NULL)
		return;
	fprintf(out, "vport 0x%x of port %u: %s, mac=%012" PRIx64 " mtu=%" PRIu64 " roce=%s\n",
			vport_number(f), f->conf.port, bfm_vport_up(f) ? "up" : "down",
			BFM_GET(v->nic, NICV, permanent_address), BFM_GET(v->nic, NICV, mtu),
			bfm_vport_roce(f) ? "on" : "off");
	for (i = 0; i < BFM_VHCA_PORTS * BFM_ROCE_ENTRIES; i++) {
		port = i / BFM_ROCE_ENTRIES;
		raw = v->roce[port][i % BFM_ROCE_ENTRIES].raw;
		if (v->roce[port][i % BFM_ROCE_ENTRIES].set)
			fprintf(out, "  roce address %u of port %u: %016" PRIx64 "%016" PRIx64
					" mac=%012" PRIx64 " version=%" PRIu64 "\n",
					i % BFM_ROCE_ENTRIES, port + 1, bfm_bits_get(raw, 0, 64),
					bfm_bits_get(raw, 64, 64),
					BFM_GET(raw, ROCE_ADDR, source_mac),
					BFM_GET(raw, ROCE_ADDR, roce_version));
	}
}

enum bfm_status
bfm_vport_select(struct bfm_cmd *c, bool other, uint32_t number, struct bfm_function **f)
{
	struct bfm_model *m = c->f->model;
	struct bfm_function *g;
	uint32_t i;

	*f = c->f;
	if (!other) {
		if (number != 0)
			return bfm_fail(c, BFM_BAD_PARAM,
					"vport_number=0x%x without other_vport", number);
		return BFM_OK;
	}
	if (BFM_CAP(c->f, vport_group_manager) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"other_vport=1: this function is no manager of vports");
	for (i = 0; i < m->nb_functions; i++) {
		g = m->functions[i];
		if (g->vport == NULL || g->conf.port != c->f->conf.port ||
				vport_number(g) != number)
			continue;
		*f = g;
		return BFM_OK;
	}
	return bfm_fail(c, BFM_BAD_PARAM, "port %u has no vport 0x%x",
			c->f->conf.port, number);
}

static enum bfm_status
port_type(struct bfm_cmd *c, bool ib)
{
	if (c->f->conf.ib_port == ib)
		return BFM_OK;
	return bfm_fail(c, BFM_BAD_OP, "the port is %s",
			ib ? "Ethernet: ask for the NIC vport" :
			"InfiniBand: ask for the HCA vport");
}

/* ------------------------------------------------------- NIC vport */

static enum bfm_status
query_nicv(struct bfm_cmd *c)
{
	uint32_t type = BFM_GET(c->in, QUERY_NICV_IN, allowed_list_type);
	uint8_t *ctx = c->out + QUERY_NICV_CTX;
	struct bfm_function *f;
	enum bfm_status status;
	struct bfm_vport *v;

	status = port_type(c, false);
	if (status == BFM_OK)
		status = bfm_vport_select(c, BFM_GET(c->in, QUERY_NICV_IN, other_vport) != 0,
				BFM_GET(c->in, QUERY_NICV_IN, vport_number), &f);
	if (status != BFM_OK)
		return status;
	v = f->vport;
	if (type >= BFM_VPORT_LISTS)
		return bfm_fail(c, BFM_BAD_PARAM,
				"allowed_list_type=%u: 0 (unicast), 1 (multicast), 2 (VLAN) exist",
				type);
	memcpy(ctx, v->nic, NICV_BYTES);
	BFM_SET(ctx, NICV, allowed_list_type, type);
	BFM_SET(ctx, NICV, allowed_list_size, v->nb_list[type]);
	/* Who asks for the rest of the context gives no room for a list. */
	if (c->out_len == QUERY_NICV_OUT_BYTES || v->nb_list[type] == 0)
		return BFM_OK;
	if (c->out_len < QUERY_NICV_OUT_BYTES + v->nb_list[type] * ADDR_BYTES)
		return bfm_fail(c, BFM_BAD_OUT_LEN, "output of %u bytes for a list of %u",
				c->out_len, v->nb_list[type]);
	memcpy(c->out + QUERY_NICV_OUT_BYTES, v->lists[type], v->nb_list[type] * ADDR_BYTES);
	return BFM_OK;
}

static enum bfm_status
set_list(struct bfm_cmd *c, struct bfm_vport *v, const uint8_t *ctx)
{
	uint32_t type = BFM_GET(ctx, NICV, allowed_list_type);
	uint32_t nb = BFM_GET(ctx, NICV, allowed_list_size);
	uint64_t *list = NULL;
	uint64_t log_max;

	if (type >= BFM_VPORT_LISTS)
		return bfm_fail(c, BFM_BAD_PARAM,
				"allowed_list_type=%u: 0 (unicast), 1 (multicast), 2 (VLAN) exist",
				type);
	log_max = type == 0 ? BFM_CAP(c->f, log_max_current_uc_list) :
			type == 1 ? BFM_CAP(c->f, log_max_current_mc_list) :
			BFM_CAP(c->f, log_max_vlan_list);
	if (nb > UINT64_C(1) << log_max)
		return bfm_fail(c, BFM_BAD_PARAM,
				"allowed_list_size=%u: list %u has 2^%" PRIu64 " entries", nb, type,
				log_max);
	if (c->in_len < MODIFY_NICV_IN_BYTES + nb * ADDR_BYTES)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"allowed_list_size=%u, but the input has %u bytes", nb, c->in_len);
	if (nb != 0) {
		list = malloc(nb * ADDR_BYTES);
		if (list == NULL)
			return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
		memcpy(list, c->in + MODIFY_NICV_IN_BYTES, nb * ADDR_BYTES);
	}
	free(v->lists[type]);
	v->lists[type] = list;
	v->nb_list[type] = nb;
	return BFM_OK;
}

#define SELECTED(c, name) (BFM_GET((c)->in, MODIFY_NICV_IN, sel_##name) != 0)
#define COPY(v, ctx, name) BFM_SET((v)->nic, NICV, name, BFM_GET((ctx), NICV, name))

static enum bfm_status
check_nicv(struct bfm_cmd *c, const uint8_t *ctx)
{
	uint64_t mac = BFM_GET(ctx, NICV, permanent_address);
	uint64_t mtu = BFM_GET(ctx, NICV, mtu);

	if (SELECTED(c, affiliation))
		return bfm_fail(c, BFM_BAD_PARAM,
				"affiliation: there is no function that could join");
	if (SELECTED(c, roce_en) && BFM_GET(ctx, NICV, roce_en) != 0 && BFM_CAP(c->f, roce) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "roce_en=1 needs capability roce, which is 0");
	if ((SELECTED(c, disable_uc_local_lb) && BFM_CAP(c->f, disable_local_lb_uc) == 0) ||
			(SELECTED(c, disable_mc_local_lb) &&
			BFM_CAP(c->f, disable_local_lb_mc) == 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"disable_*_local_lb needs capability disable_local_lb_*");
	if (SELECTED(c, mtu) && (mtu < MTU_MIN || mtu > BFM_MTU_LIMIT))
		return bfm_fail(c, BFM_BAD_PARAM,
				"mtu=%" PRIu64 ": %u to %u are possible", mtu, MTU_MIN,
				BFM_MTU_LIMIT);
	if (SELECTED(c, permanent_address) && (mac == 0 || (mac >> 40 & 1) != 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"permanent_address=%012" PRIx64 " is no address of one station",
				mac);
	return BFM_OK;
}

static enum bfm_status
modify_nicv(struct bfm_cmd *c)
{
	const uint8_t *ctx = c->in + MODIFY_NICV_CTX;
	struct bfm_function *f;
	enum bfm_status status;
	struct bfm_vport *v;

	status = port_type(c, false);
	if (status == BFM_OK)
		status = bfm_vport_select(c, BFM_GET(c->in, MODIFY_NICV_IN, other_vport) != 0,
				BFM_GET(c->in, MODIFY_NICV_IN, vport_number), &f);
	if (status == BFM_OK)
		status = check_nicv(c, ctx);
	if (status != BFM_OK)
		return status;
	v = f->vport;
	/* A list can still be refused: nothing else is changed before. */
	if (SELECTED(c, addresses_list)) {
		status = set_list(c, v, ctx);
		if (status != BFM_OK)
			return status;
	}
	if (SELECTED(c, roce_en))
		COPY(v, ctx, roce_en);
	if (SELECTED(c, disable_uc_local_lb))
		COPY(v, ctx, disable_uc_local_lb);
	if (SELECTED(c, disable_mc_local_lb))
		COPY(v, ctx, disable_mc_local_lb);
	if (SELECTED(c, node_guid))
		COPY(v, ctx, node_guid);
	if (SELECTED(c, port_guid))
		COPY(v, ctx, port_guid);
	if (SELECTED(c, min_inline))
		COPY(v, ctx, min_wqe_inline_mode);
	if (SELECTED(c, mtu))
		COPY(v, ctx, mtu);
	if (SELECTED(c, permanent_address))
		COPY(v, ctx, permanent_address);
	if (SELECTED(c, promisc)) {
		COPY(v, ctx, promisc_uc);
		COPY(v, ctx, promisc_mc);
		COPY(v, ctx, promisc_all);
	}
	if (SELECTED(c, change_event)) {
		COPY(v, ctx, arm_change_event);
		COPY(v, ctx, event_on_mtu);
		COPY(v, ctx, event_on_promisc_change);
		COPY(v, ctx, event_on_vlan_change);
		COPY(v, ctx, event_on_mc_address_change);
		COPY(v, ctx, event_on_uc_address_change);
	}
	return BFM_OK;
}

/* ------------------------------------------------------- HCA vport */

static enum bfm_status
hcav_port(struct bfm_cmd *c, struct bfm_function **f)
{
	uint32_t port = BFM_GET(c->in, QUERY_HCAV_IN, port_num);

	/* Clients name the port only if there are several. */
	if (port > BFM_CAP(c->f, num_ports))
		return bfm_fail(c, BFM_BAD_PARAM,
				"port_num=%u: there are %" PRIu64, port, BFM_CAP(c->f, num_ports));
	return bfm_vport_select(c, BFM_GET(c->in, QUERY_HCAV_IN, other_vport) != 0,
			BFM_GET(c->in, QUERY_HCAV_IN, vport_number), f);
}

static enum bfm_status
hcav_select(struct bfm_cmd *c, struct bfm_function **f)
{
	enum bfm_status status = port_type(c, true);

	return status != BFM_OK ? status : hcav_port(c, f);
}

static enum bfm_status
query_hcav(struct bfm_cmd *c)
{
	uint8_t *ctx = c->out + HCAV_CTX;
	struct bfm_function *f;
	enum bfm_status status = hcav_select(c, &f);
	uint32_t state;

	if (status != BFM_OK)
		return status;
	memcpy(ctx, f->vport->hca, HCAV_BYTES);
	state = bfm_vport_up(f) ? IB_STATE_ACTIVE : IB_STATE_DOWN;
	BFM_SET(ctx, HCAV, vport_state, state);
	BFM_SET(ctx, HCAV, port_state, f->port_down ? IB_STATE_DOWN : IB_STATE_ACTIVE);
	BFM_SET(ctx, HCAV, port_physical_state, f->port_down ? IB_PHYS_POLLING : IB_PHYS_LINK_UP);
	return BFM_OK;
}

static enum bfm_status
modify_hcav(struct bfm_cmd *c)
{
	const uint8_t *ctx = c->in + HCAV_CTX;
	uint32_t select = BFM_GET(ctx, HCAV, field_select);
	uint32_t mask = BFM_GET(ctx, HCAV, cap_mask1_field_select);
	uint32_t policy = BFM_GET(ctx, HCAV, vport_state_policy);
	struct bfm_function *f;
	enum bfm_status status = hcav_select(c, &f);
	uint32_t old;

	if (status != BFM_OK)
		return status;
	if ((select & ~(HCAV_SEL_PORT_GUID | HCAV_SEL_NODE_GUID | HCAV_SEL_POLICY)) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"field_select=0x%x: port_guid 1, node_guid 2, vport_state_policy 4",
				select);
	if ((mask & ~IB_CAP_MASK1_MAY) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"cap_mask1_field_select=0x%x: 0x%x can be changed", mask,
				IB_CAP_MASK1_MAY);
	if ((select & HCAV_SEL_POLICY) != 0 && policy > ADMIN_AUTO)
		return bfm_fail(c, BFM_BAD_PARAM,
				"vport_state_policy=%u: 0 (down), 1 (up) and 2 (follow) exist",
				policy);
	if ((select & HCAV_SEL_PORT_GUID) != 0)
		BFM_SET(f->vport->hca, HCAV, port_guid, BFM_GET(ctx, HCAV, port_guid));
	if ((select & HCAV_SEL_NODE_GUID) != 0)
		BFM_SET(f->vport->hca, HCAV, node_guid, BFM_GET(ctx, HCAV, node_guid));
	if ((select & HCAV_SEL_POLICY) != 0) {
		BFM_SET(f->vport->hca, HCAV, vport_state_policy, policy);
		f->vport->admin_state = (uint8_t)policy;
	}
	old = BFM_GET(f->vport->hca, HCAV, cap_mask1);
	BFM_SET(f->vport->hca, HCAV, cap_mask1,
			(old & ~mask) | (BFM_GET(ctx, HCAV, cap_mask1) & mask));
	return BFM_OK;
}

/* Which entries of a table of nb a command wants: one, or all. */
static enum bfm_status
table_range(struct bfm_cmd *c, uint32_t nb, uint32_t entry_bytes, uint32_t *first, uint32_t *n)
{
	uint32_t index = BFM_GET(c->in, QUERY_HCAV_TABLE_IN, index);

	*first = index == ALL_ENTRIES ? 0 : index;
	*n = index == ALL_ENTRIES ? nb : 1;
	if (*first >= nb)
		return bfm_fail(c, BFM_BAD_INDEX, "index=%u: the table has %u entries",
				index, nb);
	if (c->out_len < 16 + *n * entry_bytes)
		return bfm_fail(c, BFM_BAD_OUT_LEN, "output of %u bytes for %u entries",
				c->out_len, *n);
	return BFM_OK;
}

static enum bfm_status
query_hcav_gid(struct bfm_cmd *c)
{
	uint32_t nb = 8u << (BFM_CAP(c->f, gid_table_size) & 0xf);
	struct bfm_function *f;
	enum bfm_status status = hcav_select(c, &f);
	uint32_t first, n;

	if (status == BFM_OK)
		status = table_range(c, nb, GID_BYTES, &first, &n);
	if (status != BFM_OK)
		return status;
	BFM_SET(c->out, QUERY_HCAV_GID_OUT, gids_num, n);
	/* Only the first is of the port; the others are for who sets them. */
	if (first == 0) {
		bfm_bits_set(c->out + 16, 0, 64, DEFAULT_PREFIX);
		bfm_bits_set(c->out + 16, 64, 64, BFM_GET(f->vport->hca, HCAV, port_guid));
	}
	return BFM_OK;
}

static enum bfm_status
query_hcav_pkey(struct bfm_cmd *c)
{
	uint32_t nb = 128u << (BFM_CAP(c->f, pkey_table_size) & 0xf);
	struct bfm_function *f;
	enum bfm_status status;
	uint32_t first, n;

	/* RoCE has partitions too, and Linux asks for them here. */
	status = hcav_port(c, &f);
	if (status == BFM_OK)
		status = table_range(c, nb, PKEY_BYTES, &first, &n);
	if (status == BFM_OK && first == 0)
		bfm_bits_set(c->out + 16, 16, 16, DEFAULT_PKEY);
	return status;
}

/* ---------------------------------------------------------- states */

static enum bfm_status
state_select(struct bfm_cmd *c, struct bfm_function **f)
{
	if (c->op_mod > OF_UPLINK)
		return bfm_fail(c, BFM_BAD_PARAM,
				"op_mod=%u: 0 (own vport), 1 (switch) and 2 (uplink) exist",
				c->op_mod);
	if (c->op_mod != OF_VNIC && BFM_CAP(c->f, vport_group_manager) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"op_mod=%u: this function is no manager of vports", c->op_mod);
	return bfm_vport_select(c, BFM_GET(c->in, VPORT_IN, other_vport) != 0,
			BFM_GET(c->in, VPORT_IN, vport_number), f);
}

static enum bfm_status
query_vstate(struct bfm_cmd *c)
{
	struct bfm_function *f;
	enum bfm_status status = state_select(c, &f);

	if (status != BFM_OK)
		return status;
	if (c->op_mod == OF_UPLINK) {
		BFM_SET(c->out, QUERY_VSTATE_OUT, admin_state, ADMIN_AUTO);
		BFM_SET(c->out, QUERY_VSTATE_OUT, state, !f->port_down);
		return BFM_OK;
	}
	BFM_SET(c->out, QUERY_VSTATE_OUT, admin_state, f->vport->admin_state);
	BFM_SET(c->out, QUERY_VSTATE_OUT, state, bfm_vport_up(f));
	return BFM_OK;
}

static enum bfm_status
modify_vstate(struct bfm_cmd *c)
{
	uint32_t admin = BFM_GET(c->in, MODIFY_VSTATE_IN, admin_state);
	struct bfm_function *f;
	enum bfm_status status = state_select(c, &f);

	if (status != BFM_OK)
		return status;
	if (c->op_mod == OF_UPLINK)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=2: the model's uplink follows its port");
	if (admin > ADMIN_AUTO)
		return bfm_fail(c, BFM_BAD_PARAM,
				"admin_state=%u: 0 (down), 1 (up) and 2 (auto) exist", admin);
	f->vport->admin_state = (uint8_t)admin;
	return BFM_OK;
}

/* What the manager on the card sees of the host. */
static enum bfm_status
query_esw_functions(struct bfm_cmd *c)
{
	const struct bfm_function *g;
	uint32_t i, vfs = 0;
	bool pf = false;

	if (c->f->conf.kind != BFM_ECPF || !c->f->conf.esw_manager)
		return bfm_fail(c, BFM_BAD_PARAM, "only an ECPF that manages the switch may ask");
	for (i = 0; i < c->f->model->nb_functions; i++) {
		g = c->f->model->functions[i];
		if (g->conf.port != c->f->conf.port || g->conf.card)
			continue;
		pf = pf || g->conf.kind == BFM_PF;
		vfs += g->conf.kind == BFM_VF;
	}
	BFM_SET(c->out, QUERY_ESW_OUT, host_pf_not_exist, !pf);
	BFM_SET(c->out, QUERY_ESW_OUT, host_num_of_vfs, vfs);
	BFM_SET(c->out, QUERY_ESW_OUT, host_total_vfs, vfs);
	return BFM_OK;
}

const struct bfm_cmd_desc bfm_cmds_vport[] = {
	{ ENTRY(0x740, "QUERY_ESW_FUNCTIONS", query_esw_functions, BFM_EN, 16,
		QUERY_ESW_OUT_BYTES), .in = &bfm_lay_vport_hdr_in, .out = &bfm_lay_query_esw_out },
	{ ENTRY(0x750, "QUERY_VPORT_STATE", query_vstate, BFM_INIT, 16, 16),
	  .in = &bfm_lay_vport_in,
	  .out = &bfm_lay_query_vstate_out },
	{ ENTRY(0x751, "MODIFY_VPORT_STATE", modify_vstate, BFM_INIT, 16, 16),
	  .in = &bfm_lay_modify_vstate_in },
	{ ENTRY(0x754, "QUERY_NIC_VPORT_CONTEXT", query_nicv, BFM_INIT, 16,
		QUERY_NICV_OUT_BYTES), .in = &bfm_lay_query_nicv_in,
	  .out = &bfm_lay_query_nicv_out },
	{ ENTRY(0x755, "MODIFY_NIC_VPORT_CONTEXT", modify_nicv, BFM_INIT, MODIFY_NICV_IN_BYTES,
		16), .in = &bfm_lay_modify_nicv_in, .ctx = &bfm_lay_nicv,
	  .ctx_off = MODIFY_NICV_CTX },
	{ ENTRY(0x762, "QUERY_HCA_VPORT_CONTEXT", query_hcav, BFM_INIT, 16,
		QUERY_HCAV_OUT_BYTES), .in = &bfm_lay_query_hcav_in,
	  .out = &bfm_lay_query_hcav_out },
	{ ENTRY(0x763, "MODIFY_HCA_VPORT_CONTEXT", modify_hcav, BFM_INIT, MODIFY_HCAV_IN_BYTES,
		16), .in = &bfm_lay_modify_hcav_in, .ctx = &bfm_lay_hcav, .ctx_off = HCAV_CTX },
	{ ENTRY(0x764, "QUERY_HCA_VPORT_GID", query_hcav_gid, BFM_INIT, 16, 16),
	  .in = &bfm_lay_query_hcav_table_in, .out = &bfm_lay_query_hcav_gid_out },
	{ ENTRY(0x765, "QUERY_HCA_VPORT_PKEY", query_hcav_pkey, BFM_INIT, 16, 16),
	  .in = &bfm_lay_query_hcav_table_in },
	{ .name = NULL },
};
