/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Capabilities: what the model offers, as values of named fields, and the two
 * commands that ask for and set them. What a capability means is with the commands
 * that obey it.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout_caps.h"
#include "layout_eth.h"
#include "model.h"

BFM_LAYOUT(bfm_lay_hca_cap, "cmd_hca_cap", CAP_SIZE, HCA_CAP_FIELDS);
BFM_LAYOUT(bfm_lay_roce_cap, "roce_cap", CAP_SIZE, ROCE_CAP_FIELDS);
BFM_LAYOUT(bfm_lay_atomic_cap, "atomic_cap", CAP_SIZE, ATOMIC_CAP_FIELDS);
BFM_LAYOUT(bfm_lay_eth_cap, "eth_cap", CAP_SIZE, ETH_CAP_FIELDS);
BFM_LAYOUT(bfm_lay_flow_cap, "flow_table_cap", CAP_SIZE, FLOW_CAP_FIELDS);
BFM_LAYOUT(bfm_lay_query_hca_cap_in, "query_hca_cap_in", HCA_CAP_IN_SIZE, HCA_CAP_IN_FIELDS);
BFM_LAYOUT(bfm_lay_set_hca_cap_in, "set_hca_cap_in", SET_HCA_CAP_IN_SIZE, SET_HCA_CAP_IN_FIELDS);

/* The greatest value of a field, and where it starts. */
struct cap_value {
	uint16_t bit;
	uint16_t width;
	bool settable;  /* by SET_HCA_CAP, up to max */
	uint64_t max;
	uint64_t cur;   /* after a reset */
};

#define FIXED(L, name, v) { L##_##name##_BIT, L##_##name##_WIDTH, false, (v), (v) }
#define SETTABLE(L, name, max, cur) { L##_##name##_BIT, L##_##name##_WIDTH, true, (max), (cur) }
#define GEN(name, v) FIXED(HCA_CAP, name, v)
#define ROCE(name, v) FIXED(ROCE_CAP, name, v)

/*
 * Limits are small enough to be reached by a test, and large enough for the kernel
 * driver. Functions that the model lacks are zero and so not in the list.
 */
static const struct cap_value general_values[] = {
	/* numbers of objects, log2 */
	SETTABLE(HCA_CAP, log_max_qp, 14, 14),
	GEN(log_max_cq, 14),
	GEN(log_max_srq, 13),
	GEN(log_max_rmp, 13),
	GEN(log_max_mkey, 16),
	GEN(log_max_pd, 12),
	GEN(log_max_transport_domain, 10),
	GEN(log_max_xrcd, 10),
	GEN(log_max_umem, 12),
	GEN(log_max_eq, 6),
	/* numbers of objects */
	GEN(max_num_eqs, 64),
	GEN(max_qp_cnt, 32),
	GEN(umem_uid_0, 1), /* without a user context */
	/* sizes of objects, log2 */
	GEN(log_max_qp_sz, 15),
	GEN(log_max_cq_sz, 16),
	GEN(log_max_srq_sz, 15),
	GEN(log_max_wq_sz, 15),
	GEN(log_max_eq_sz, 16),
	GEN(log_max_klm_list_size, 16),
	GEN(log_max_mrw_sz, 64),
	GEN(log_max_msg, 30),
	GEN(log_max_stride_sz_rq, 9),
	GEN(log_min_stride_sz_rq, 4),
	GEN(max_wqe_sz_sq, 1008), /* 63 units of 16 bytes */
	GEN(max_wqe_sz_rq, 512),
	GEN(max_sgl_for_optimized_performance, 30),
	/* queues */
	GEN(log_max_ra_req_qp, 4),
	GEN(log_max_ra_res_qp, 4),
	GEN(cqe_version, 1),
	GEN(compact_address_vector, 1),
	GEN(cq_oi, 1),
	GEN(basic_cyclic_rcv_wqe, 1),
	GEN(rc, 1),
	GEN(uc, 1),
	GEN(ud, 1),
	GEN(xrc, 1),
	GEN(fl_rc_qp_when_roce_disabled, 1),
	GEN(local_ca_ack_delay, 16),
	GEN(out_of_seq_cnt, 1),
	GEN(retransmission_q_counters, 1),
	/* a memory key is made by its command only, not changed by a work request */
	GEN(umr_modify_entity_size_disabled, 1),
	GEN(umr_modify_atomic_disabled, 1),
	GEN(umr_indirect_mkey_disabled, 1),
	/* registers */
	GEN(log_pg_sz, 12),
	GEN(log_bf_reg_size, 9),
	GEN(num_of_uars_per_page, 1),
	GEN(device_frequency_mhz, BFM_CLOCK_KHZ / 1000),
	GEN(device_frequency_khz, BFM_CLOCK_KHZ),
	/* the port */
	GEN(num_ports, 1),
	SETTABLE(HCA_CAP, disable_link_up, 1, 0),
	/* by the function's settings: caps_fill_general() */
	SETTABLE(HCA_CAP, roce, 0, 0),
	SETTABLE(HCA_CAP, num_vhca_ports, 0, 0),
	/* What clients set, and the model has one value of: the setting is accepted. */
	SETTABLE(HCA_CAP, cache_line_128byte, 1, 0),
	SETTABLE(HCA_CAP, pkey_table_size, 0, 0), /* 0 is 128 entries */
	SETTABLE(HCA_CAP, cmdif_checksum, 0, 0),
	SETTABLE(HCA_CAP, uar_4k, 0, 0),
	SETTABLE(HCA_CAP, log_uar_page_sz, 0, 0), /* 0 is 4 KiB */
	SETTABLE(HCA_CAP, mkey_by_name, 0, 0),
};

static const struct cap_value roce_values[] = {
	SETTABLE(ROCE_CAP, sw_r_roce_src_udp_port, 1, 0),
	ROCE(fl_rc_qp_when_roce_disabled, 1),
	ROCE(fl_rc_qp_when_roce_enabled, 1),
	ROCE(l3_type, 6), /* IPv4 and IPv6 */
	ROCE(roce_version, 4), /* 2 alone, as subfunctions have it: bit 0 is 1, bit 2 is 2 */
	ROCE(r_roce_dest_udp_port, 4791),
	ROCE(r_roce_max_src_udp_port, 0xffff),
	ROCE(r_roce_min_src_udp_port, 0xc000),
};

#define ETH(name, v) FIXED(ETH_CAP, name, v)
#define FLOW(name, v) FIXED(FLOW_CAP, name, v)

/* With netdev=1 only: without it these types are empty, and this is 0 of the general one. */
static const struct cap_value netdev_values[] = {
	GEN(eth_net_offloads, 1),
	GEN(nic_flow_table, 1),
	GEN(atomic, 1), /* without it mlx5_ib has no connection by rdma_cm */
	GEN(max_wqe_sz_sq, 1024), /* below that the driver of Linux makes no netdev */
	GEN(log_max_rq, 10),
	GEN(log_max_sq, 10),
	GEN(log_max_rqt, 10),
	GEN(log_max_rqt_size, 8),
	GEN(log_max_tir, 10),
	GEN(log_max_tis, 10),
	GEN(log_min_stride_sz_sq, 6),
	GEN(log_max_stride_sz_sq, 6),
	GEN(log_max_vlan_list, 7),
	GEN(log_max_current_mc_list, 7),
	GEN(log_max_current_uc_list, 7),
};

static const struct cap_value atomic_values[] = {
	SETTABLE(ATOMIC_CAP, atomic_req_8B_endianness_mode, 1, 0), /* 1: the host's */
	FIXED(ATOMIC_CAP, supported_atomic_req_8B_endianness_mode_1, 1),
	FIXED(ATOMIC_CAP, atomic_operations, 3), /* compare and swap, fetch and add */
	FIXED(ATOMIC_CAP, atomic_size_qp, 8), /* bytes */
};

static const struct cap_value eth_values[] = {
	ETH(csum_cap, 1),
	ETH(vlan_cap, 1),
	ETH(self_lb_en_modifiable, 1),
	ETH(max_lso_cap, 16),
	ETH(wqe_inline_mode, 2), /* no header has to be in the request */
	ETH(rss_ind_tbl_cap, 8),
};

static const struct cap_value flow_values[] = {
	FLOW(ft_support, 1),
	FLOW(flow_modify_en, 1),
	FLOW(modify_root, 1),
	FLOW(identified_miss_table_mode, 1),
	FLOW(flow_table_modify, 1),
	FLOW(log_max_ft_size, 16),
	FLOW(max_ft_level, 64),
	FLOW(log_max_ft_num, 8),
	FLOW(log_max_destination, FTE_LOG_MAX_DESTS),
	FLOW(log_max_flow, 12),
	/* headers that groups can look at */
	FLOW(outer_dmac, 1),
	FLOW(outer_smac, 1),
	FLOW(outer_ether_type, 1),
	FLOW(outer_ip_version, 1),
	FLOW(outer_first_prio, 1),
	FLOW(outer_first_cfi, 1),
	FLOW(outer_first_vid, 1),
	FLOW(outer_sip, 1),
	FLOW(outer_dip, 1),
	FLOW(outer_frag, 1),
	FLOW(outer_ip_protocol, 1),
	FLOW(outer_udp_sport, 1),
	FLOW(outer_udp_dport, 1),
	FLOW(outer_tcp_sport, 1),
	FLOW(outer_tcp_dport, 1),
	FLOW(outer_tcp_flags, 1),
};

/* Types that have contents here; a place of each in caps_cur. */
static const struct cap_type {
	uint32_t type;
	const struct bfm_layout *layout;
	const struct cap_value *values;
	uint32_t nb_values;
} types[] = {
	{ CAP_GENERAL, &bfm_lay_hca_cap, general_values,
		sizeof(general_values) / sizeof(general_values[0]) },
	{ CAP_ROCE, &bfm_lay_roce_cap, roce_values,
		sizeof(roce_values) / sizeof(roce_values[0]) },
	{ CAP_ATOMIC, &bfm_lay_atomic_cap, atomic_values,
		sizeof(atomic_values) / sizeof(atomic_values[0]) },
	{ CAP_ETH, &bfm_lay_eth_cap, eth_values, sizeof(eth_values) / sizeof(eth_values[0]) },
	{ CAP_FLOW, &bfm_lay_flow_cap, flow_values,
		sizeof(flow_values) / sizeof(flow_values[0]) },
};
#define NB_TYPES (sizeof(types) / sizeof(types[0]))

/*
 * Types that the PRM knows and that have nothing in the model: all zero, as their
 * bits in the general capabilities say. Bits are type numbers.
 */
#define EMPTY_TYPES ( \
	UINT64_C(1) << 0x02 | /* ODP */ \
	UINT64_C(1) << 0x05 | /* IPoIB offloads */ \
	UINT64_C(1) << 0x06 | /* IPoIB enhanced */ \
	UINT64_C(1) << 0x08 | /* eswitch flow table */ UINT64_C(1) << 0x09 | /* eswitch */ \
	UINT64_C(1) << 0x0b | /* vector calc */ UINT64_C(1) << 0x0c | /* QoS */ \
	UINT64_C(1) << 0x0d | /* debug */ UINT64_C(1) << 0x0f | /* device memory */ \
	UINT64_C(1) << 0x11 | /* TLS */ UINT64_C(1) << 0x13 | /* vDPA emulation */ \
	UINT64_C(1) << 0x14 | /* device events */ UINT64_C(1) << 0x15 | /* IPsec */ \
	UINT64_C(1) << 0x1d | /* SHAMPO */ UINT64_C(1) << 0x1f | /* MACsec */ \
	UINT64_C(1) << 0x20 | /* general 2 */ UINT64_C(1) << 0x25 | /* port selection */ \
	UINT64_C(1) << 0x26) /* advanced virtualization */

static int
type_index(uint32_t type)
{
	uint32_t i;

	for (i = 0; i < NB_TYPES; i++)
		if (types[i].type == type)
			return (int)i;
	return -1;
}

/* Parts of caps_cur, each of all types: what is now, and what a reset makes of it. */
enum part { PART_CUR = 0, PART_MAX, PART_RESET_CUR, PART_RESET_MAX, NB_PARTS };

static uint8_t *
caps_part(const struct bfm_function *f, int index, enum part part)
{
	return f->caps_cur + ((size_t)part * NB_TYPES + (size_t)index) * CAP_SIZE;
}

static uint8_t *
caps_place(const struct bfm_function *f, int index, bool max)
{
	return caps_part(f, index, max ? PART_MAX : PART_CUR);
}

/* What is not the same for all functions. */
static void
caps_fill_general(const struct bfm_function *f, uint8_t *p, bool max)
{
	const struct bfm_conf *conf = &f->conf;
	size_t i;

	for (i = 0; conf->netdev != 0 && i < sizeof(netdev_values) / sizeof(netdev_values[0]); i++)
		bfm_bits_set(p, netdev_values[i].bit, netdev_values[i].width,
				netdev_values[i].max);
	BFM_SET(p, HCA_CAP, vhca_id, conf->vhca_id);
	BFM_SET(p, HCA_CAP, port_type, conf->ib_port ? 0 : 1);
	BFM_SET(p, HCA_CAP, ib_virt, conf->ib_port);
	BFM_SET(p, HCA_CAP, roce_rw_supported, !conf->ib_port);
	BFM_SET(p, HCA_CAP, roce, !conf->ib_port && (conf->roce == BFM_ROCE_ON ||
			(max && conf->roce == BFM_ROCE_ASK)));
	BFM_SET(p, HCA_CAP, num_vhca_ports, conf->vhca_ports);
	if (conf->vhca_ports != 0)
		BFM_SET(p, HCA_CAP, native_port_num, 1 + f->conf.port);
	BFM_SET(p, HCA_CAP, vport_group_manager, conf->esw_manager);
	BFM_SET(p, HCA_CAP, eswitch_manager, conf->esw_manager);
	/* log2 of MiB of BAR 0 */
	BFM_SET(p, HCA_CAP, uar_sz, conf->kind == BFM_VF ? 1 : 5);
}

static void
caps_fill(const struct bfm_function *f, uint8_t *p, int index, bool max)
{
	const struct cap_type *t = &types[index];
	const struct bfm_conf *conf = &f->conf;
	uint32_t i;

	memset(p, 0, CAP_SIZE);
	if (t->type == CAP_ROCE && (conf->ib_port || conf->roce == BFM_ROCE_OFF))
		return;
	if (t->type != CAP_ROCE && t->type != CAP_GENERAL && conf->netdev == 0)
		return;
	for (i = 0; i < t->nb_values; i++)
		bfm_bits_set(p, t->values[i].bit, t->values[i].width,
				max ? t->values[i].max : t->values[i].cur);
	if (t->type == CAP_ROCE)
		BFM_SET(p, ROCE_CAP, roce_address_table_size, conf->roce_table);
	else if (t->type == CAP_GENERAL)
		caps_fill_general(f, p, max);
}

void
bfm_caps_reset(struct bfm_function *f)
{
	memcpy(caps_part(f, 0, PART_CUR), caps_part(f, 0, PART_RESET_CUR), NB_TYPES * CAP_SIZE);
	memcpy(caps_part(f, 0, PART_MAX), caps_part(f, 0, PART_RESET_MAX), NB_TYPES * CAP_SIZE);
}

void
bfm_caps_unforce(struct bfm_function *f)
{
	uint32_t i;

	for (i = 0; i < NB_TYPES; i++) {
		caps_fill(f, caps_part(f, (int)i, PART_RESET_CUR), (int)i, false);
		caps_fill(f, caps_part(f, (int)i, PART_RESET_MAX), (int)i, true);
	}
}

int
bfm_caps_create(struct bfm_function *f)
{
	f->caps_cur = calloc(NB_PARTS * NB_TYPES, CAP_SIZE);
	if (f->caps_cur == NULL)
		return -ENOMEM;
	bfm_caps_unforce(f);
	bfm_caps_reset(f);
	return 0;
}

int
bfm_caps_force(struct bfm_function *f, const char *name, uint64_t value)
{
	const struct bfm_field *field;
	uint32_t i, k;

	for (i = 0; i < NB_TYPES; i++) {
		for (k = 0; k < types[i].layout->nb_fields; k++) {
			field = &types[i].layout->fields[k];
			if (strcmp(field->name, name) != 0)
				continue;
			if (field->width < 64 && value >> field->width != 0)
				return -ERANGE;
			bfm_bits_set(caps_part(f, (int)i, PART_RESET_CUR), field->bit,
					field->width, value);
			bfm_bits_set(caps_part(f, (int)i, PART_RESET_MAX), field->bit,
					field->width, value);
			return 0;
		}
	}
	return -ENOENT;
}

void
bfm_caps_destroy(struct bfm_function *f)
{
	free(f->caps_cur);
	f->caps_cur = NULL;
}

uint64_t
bfm_cap_of(const struct bfm_function *f, uint32_t type, uint32_t bit, uint32_t width)
{
	int index = type_index(type);

	if (index < 0 || width > 64 || bit + width > CAP_SIZE * 8)
		return 0;
	return bfm_bits_get(caps_place(f, index, false), bit, width);
}

uint64_t
bfm_cap(const struct bfm_function *f, uint32_t bit, uint32_t width)
{
	return bfm_cap_of(f, CAP_GENERAL, bit, width);
}

void
bfm_caps_dump(const struct bfm_function *f, FILE *out)
{
	uint32_t i;

	for (i = 0; i < NB_TYPES; i++) {
		fprintf(out, "%s (type 0x%x), current:", types[i].layout->name, types[i].type);
		bfm_layout_print(types[i].layout, caps_place(f, (int)i, false), CAP_SIZE, out);
		fputc('\n', out);
	}
}

/* ------------------------------------------------------------- commands */

/* A type that can be asked for: its index in types[], -1 if it is empty. */
static enum bfm_status
find_type(struct bfm_cmd *c, uint32_t type, int *index)
{
	*index = type_index(type);
	if (*index >= 0 || (type < 64 && (EMPTY_TYPES >> type & 1) != 0))
		return BFM_OK;
	return bfm_fail(c, BFM_BAD_PARAM, "there is no capability type 0x%x", type);
}

/* Capabilities of whom: the function itself, or one that it manages. */
static enum bfm_status
find_function(struct bfm_cmd *c, const struct bfm_function **f)
{
	bool other = BFM_GET(c->in, HCA_CAP_IN, other_function) != 0;
	uint32_t id = (uint32_t)BFM_GET(c->in, HCA_CAP_IN, function_id);
	const struct bfm_function *of;
	uint32_t i;

	*f = c->f;
	if (!other && id == 0)
		return BFM_OK;
	if (!other)
		return bfm_fail(c, BFM_BAD_PARAM, "function_id %u without other_function", id);
	if (!c->f->conf.esw_manager)
		return bfm_fail(c, BFM_BAD_PARAM,
				"other_function: %s does not manage other functions",
				c->f->conf.name);
	for (i = 0; i < c->f->model->nb_functions; i++) {
		of = c->f->model->functions[i];
		if (of != NULL && !of->conf.card && of->conf.function_id == id) {
			*f = of;
			return BFM_OK;
		}
	}
	return bfm_fail(c, BFM_BAD_PARAM, "function_id %u: there is no such function", id);
}

/* "name=value ..." of all that is not zero, in the log. */
static void
caps_log(const struct bfm_function *f, const struct cap_type *t, const uint8_t *caps,
		const char *what)
{
	size_t size = 0;
	char *text = NULL;
	FILE *out;

	if (!bfm_log_on(BFM_DEBUG))
		return;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return;
	bfm_layout_print(t->layout, caps, CAP_SIZE, out);
	if (fclose(out) == 0)
		bfm_log(f, BFM_DEBUG, "%s %s:%s", t->layout->name, what, text);
	free(text);
}

static enum bfm_status
query_hca_cap(struct bfm_cmd *c)
{
	bool max = (c->op_mod & 1) == 0;
	const struct bfm_function *of;
	enum bfm_status st;
	uint8_t *caps;
	int index;

	st = find_type(c, c->op_mod >> 1, &index);
	if (st == BFM_OK)
		st = find_function(c, &of);
	if (st != BFM_OK || index < 0)
		return st;
	caps = caps_place(of, index, max);
	memcpy(c->out + HCA_CAP_IN_SIZE, caps, CAP_SIZE);
	caps_log(c->f, &types[index], caps, max ? "max" : "current");
	return BFM_OK;
}

static const struct cap_value *
find_value(const struct cap_type *t, const struct bfm_field *field)
{
	uint32_t i;

	for (i = 0; i < t->nb_values; i++)
		if (t->values[i].bit == field->bit)
			return &t->values[i];
	return NULL;
}

/* May the field have the value that software gave? */
static enum bfm_status
check_value(struct bfm_cmd *c, int index, const struct bfm_field *field, uint64_t v)
{
	const struct cap_type *t = &types[index];
	const struct cap_value *value = find_value(t, field);
	bool settable = value != NULL && value->settable;
	uint64_t cur, max;

	cur = bfm_bits_get(caps_place(c->f, index, false), field->bit, field->width);
	max = bfm_bits_get(caps_place(c->f, index, true), field->bit, field->width);
	/* of atomic operations Linux gives the one field that it sets */
	if (v == cur || (v == 0 && t->type == CAP_ATOMIC && !settable))
		return BFM_OK;
	if (t->type == CAP_GENERAL && field->bit == HCA_CAP_roce_BIT)
		settable = BFM_CAP(c->f, roce_rw_supported) != 0;
	if (!settable)
		return bfm_fail(c, BFM_BAD_PARAM, "%s.%s is 0x%" PRIx64 " and cannot be set to 0x%"
				PRIx64, t->layout->name, field->name, cur, v);
	if (v > max)
		return bfm_fail(c, BFM_BAD_PARAM, "%s.%s: 0x%" PRIx64 " is more than the greatest "
				"value 0x%" PRIx64, t->layout->name, field->name, v, max);
	return BFM_OK;
}

/* All or nothing: a field that may not have its new value refuses the command. */
static enum bfm_status
set_hca_cap(struct bfm_cmd *c)
{
	const uint8_t *new = c->in + HCA_CAP_IN_SIZE;
	const struct bfm_field *field;
	const struct bfm_function *of;
	const struct cap_type *t;
	enum bfm_status st;
	int index, bit;
	uint32_t i;

	if ((c->op_mod & 1) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod 0x%x: bit 0 is reserved", c->op_mod);
	st = find_type(c, c->op_mod >> 1, &index);
	if (st == BFM_OK)
		st = find_function(c, &of);
	if (st != BFM_OK)
		return st;
	if (of != c->f)
		return bfm_fail(c, BFM_BAD_PARAM, "other_function: %s sets its capabilities itself",
				of->conf.name);
	if (index < 0)
		return bfm_fail(c, BFM_BAD_PARAM, "type 0x%x has nothing that can be set",
				c->op_mod >> 1);
	t = &types[index];
	bit = bfm_reserved_set(t->layout, new, CAP_SIZE);
	if (bit >= 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"%s: reserved bit 0x%x is set", t->layout->name, bit);
	for (i = 0; i < t->layout->nb_fields; i++) {
		field = &t->layout->fields[i];
		st = check_value(c, index, field,
				bfm_bits_get(new, field->bit, field->width));
		if (st != BFM_OK)
			return st;
	}
	if (t->type == CAP_ATOMIC)
		BFM_SET(caps_place(c->f, index, false), ATOMIC_CAP, atomic_req_8B_endianness_mode,
				BFM_GET(new, ATOMIC_CAP, atomic_req_8B_endianness_mode));
	else
		memcpy(caps_place(c->f, index, false), new, CAP_SIZE);
	caps_log(c->f, t, new, "set");
	return BFM_OK;
}

const struct bfm_cmd_desc bfm_cmds_caps[] = {
	{ 0x100, "QUERY_HCA_CAP", query_hca_cap, BFM_EN, &bfm_lay_query_hca_cap_in, NULL, 0, NULL,
		HCA_CAP_IN_SIZE, HCA_CAP_IN_SIZE + CAP_SIZE },
	{ 0x109, "SET_HCA_CAP", set_hca_cap, 1u << BFM_HCA_ENABLED, &bfm_lay_set_hca_cap_in,
		NULL, 0, NULL, SET_HCA_CAP_IN_SIZE, 16 },
	{ .name = NULL },
};
