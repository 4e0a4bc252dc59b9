/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of the RoCE address table, of counters, and of management datagrams to
 * the function itself, which firmware answers: only who the node is, for there is
 * no subnet manager in here.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data.h"
#include "vport.h"

BFM_LAYOUT(bfm_lay_mad_ifc_in, "mad_ifc_in", MAD_IFC_BYTES, MAD_IFC_IN_FIELDS);
BFM_LAYOUT(bfm_lay_mad_ifc_out, "mad_ifc_out", MAD_IFC_BYTES, MAD_IFC_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_set_roce_in, "set_roce_address_in", ROCE_CMD_BYTES, SET_ROCE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_roce_addr, "roce_address", ROCE_ADDR_BYTES, ROCE_ADDR_FIELDS);
BFM_LAYOUT(bfm_lay_query_roce_in, "query_roce_address_in", 16, QUERY_ROCE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_roce_out, "query_roce_address_out", ROCE_CMD_BYTES, QUERY_ROCE_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_query_vcount_in, "query_vport_counter_in", QUERY_VCOUNT_IN_BYTES,
		QUERY_VCOUNT_IN_FIELDS);
BFM_LAYOUT(bfm_lay_alloc_qcount_in, "header_in", 16, HDR_IN_FIELDS);
BFM_LAYOUT(bfm_lay_alloc_qcount_out, "alloc_q_counter_out", 16, ALLOC_QCOUNT_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_dealloc_qcount_in, "dealloc_q_counter_in", 16, DEALLOC_QCOUNT_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_qcount_in, "query_q_counter_in", QUERY_QCOUNT_IN_BYTES,
		QUERY_QCOUNT_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_qcount_out, "query_q_counter_out", QUERY_QCOUNT_OUT_BYTES,
		QUERY_QCOUNT_OUT_FIELDS);

#define OUT_HEAD 16u /* bytes of a reply before counters */

/* A set of counters of queue pairs, as QUERY_Q_COUNTER shows it. */
struct counter {
	struct bfm_object obj;
	uint8_t block[QUERY_QCOUNT_OUT_BYTES - OUT_HEAD];
};

/* ------------------------------------------------------ RoCE addresses */

static enum bfm_status
roce_index(struct bfm_cmd *c, struct bfm_roce_entry **entry)
{
	uint64_t nb = BFM_ROCE_CAP(c->f, roce_address_table_size);
	uint64_t nb_ports = BFM_CAP(c->f, num_vhca_ports);
	uint32_t index = BFM_GET(c->in, QUERY_ROCE_IN, roce_address_index);
	uint32_t port = BFM_GET(c->in, QUERY_ROCE_IN, vhca_port_num);

	if (BFM_CAP(c->f, roce) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "capability roce is 0");
	if (index >= nb || index >= BFM_ROCE_ENTRIES)
		return bfm_fail(c, BFM_BAD_INDEX,
				"roce_address_index=%u: the table has %" PRIu64 " entries",
				index, nb);
	/* Who has ports must name one; who has none may name the first, as a card let it. */
	if (port > (nb_ports == 0 ? 1 : nb_ports) || port > BFM_VHCA_PORTS ||
			(port == 0 && nb_ports != 0))
		return bfm_fail(c, BFM_BAD_PARAM,
				"vhca_port_num=%u: num_vhca_ports is %" PRIu64, port, nb_ports);
	*entry = &c->f->vport->roce[port == 0 ? 0 : port - 1][index];
	return BFM_OK;
}

static enum bfm_status
set_roce_address(struct bfm_cmd *c)
{
	static const uint8_t no_gid[16];
	const uint8_t *addr = c->in + SET_ROCE_IN_roce_address_BIT / 8;
	uint32_t version = BFM_GET(addr, ROCE_ADDR, roce_version);
	uint32_t l3 = BFM_GET(addr, ROCE_ADDR, roce_l3_type);
	uint64_t mac = BFM_GET(addr, ROCE_ADDR, source_mac);
	struct bfm_roce_entry *entry = NULL;
	enum bfm_status status;
	bool set;

	status = roce_index(c, &entry);
	if (status != BFM_OK)
		return status;
	set = memcmp(addr, no_gid, sizeof(no_gid)) != 0;
	if (version > 7 || (BFM_ROCE_CAP(c->f, roce_version) & 1u << version) == 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"roce_version=%u: the capability is 0x%" PRIx64 " (bit 0 v1, 2 v2)",
				version, BFM_ROCE_CAP(c->f, roce_version));
	if (l3 > 1)
		return bfm_fail(c, BFM_BAD_PARAM,
				"roce_l3_type=%u: 0 (IPv4) and 1 (IPv6) exist", l3);
	/* A MAC address of 0 is accepted: the Linux driver gives one when it has no other. */
	if (set && (mac >> 40 & 1) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"source_mac=%012" PRIx64 " is no address of one station", mac);
	if (BFM_GET(addr, ROCE_ADDR, vlan_valid) == 0 && BFM_GET(addr, ROCE_ADDR, vlan_id) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "vlan_id=%" PRIu64 " without vlan_valid",
				BFM_GET(addr, ROCE_ADDR, vlan_id));
	/* All zeroes takes the entry out. */
	entry->set = set;
	memcpy(entry->raw, addr, ROCE_ADDR_BYTES);
	return BFM_OK;
}

static enum bfm_status
query_roce_address(struct bfm_cmd *c)
{
	struct bfm_roce_entry *entry = NULL;
	enum bfm_status status = roce_index(c, &entry);

	if (status == BFM_OK)
		memcpy(c->out + QUERY_ROCE_OUT_roce_address_BIT / 8, entry->raw, ROCE_ADDR_BYTES);
	return status;
}

bool
bfm_vport_gid(const struct bfm_function *f, uint32_t port, uint32_t index)
{
	return f->vport != NULL && index < BFM_ROCE_ENTRIES && port != 0 &&
			port <= BFM_VHCA_PORTS && f->vport->roce[port - 1][index].set;
}

/* ------------------------------------------------------------ counters */

static enum bfm_status
query_vport_counter(struct bfm_cmd *c)
{
	struct bfm_function *f;
	enum bfm_status status;
	uint32_t i;

	status = bfm_vport_select(c, BFM_GET(c->in, QUERY_VCOUNT_IN, other_vport) != 0,
			BFM_GET(c->in, QUERY_VCOUNT_IN, vport_number), &f);
	if (status != BFM_OK)
		return status;
	for (i = 0; i < VCOUNT_NB; i++)
		bfm_bits_set(c->out + OUT_HEAD + i * 8, 0, 64, f->vport->counters[i]);
	if (BFM_GET(c->in, QUERY_VCOUNT_IN, clear) != 0)
		memset(f->vport->counters, 0, sizeof(f->vport->counters));
	return BFM_OK;
}

static void
counter_free(struct bfm_function *f, struct bfm_object *o)
{
	(void)f;
	free(o);
}

static enum bfm_status
alloc_q_counter(struct bfm_cmd *c)
{
	struct counter *counter = calloc(1, sizeof(*counter));
	enum bfm_status status;

	if (counter == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	counter->obj.free = counter_free;
	status = bfm_queue_add(c, &counter->obj, BFM_T_COUNTER, BFM_COUNTER_FIRST,
			BFM_COUNTER_FIRST + BFM_CAP(c->f, max_qp_cnt));
	if (status != BFM_OK) {
		free(counter);
		return status;
	}
	BFM_SET(c->out, ALLOC_QCOUNT_OUT, counter_set_id, counter->obj.id);
	return BFM_OK;
}

static enum bfm_status
dealloc_q_counter(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_COUNTER,
			BFM_GET(c->in, DEALLOC_QCOUNT_IN, counter_set_id));
}

static enum bfm_status
query_q_counter(struct bfm_cmd *c)
{
	uint32_t id = BFM_GET(c->in, QUERY_QCOUNT_IN, counter_set_id);
	struct counter *counter;
	struct bfm_object *o;
	enum bfm_status status;

	status = bfm_queue_find(c, BFM_T_COUNTER, id, &o);
	if (status != BFM_OK)
		return status;
	counter = (struct counter *)o;
	memcpy(c->out + OUT_HEAD, counter->block, sizeof(counter->block));
	if (BFM_GET(c->in, QUERY_QCOUNT_IN, clear) != 0)
		memset(counter->block, 0, sizeof(counter->block));
	return BFM_OK;
}

void
bfm_qp_count(const struct bfm_qp *qp, enum bfm_count what)
{
	static const uint16_t bits[] = {
		[BFM_COUNT_WRITES] = QUERY_QCOUNT_OUT_rx_write_requests_BIT,
		[BFM_COUNT_READS] = QUERY_QCOUNT_OUT_rx_read_requests_BIT,
		[BFM_COUNT_ATOMICS] = QUERY_QCOUNT_OUT_rx_atomic_requests_BIT,
		[BFM_COUNT_NO_BUFFER] = QUERY_QCOUNT_OUT_out_of_buffer_BIT,
		[BFM_COUNT_OUT_OF_SEQUENCE] = QUERY_QCOUNT_OUT_out_of_sequence_BIT,
		[BFM_COUNT_DUPLICATE] = QUERY_QCOUNT_OUT_duplicate_request_BIT,
		[BFM_COUNT_RNR_ERR] = QUERY_QCOUNT_OUT_rnr_nak_retry_err_BIT,
		[BFM_COUNT_SEQ_ERR] = QUERY_QCOUNT_OUT_packet_seq_err_BIT,
		[BFM_COUNT_TIMEOUT] = QUERY_QCOUNT_OUT_local_ack_timeout_err_BIT,
	};
	struct counter *counter = (struct counter *)qp->counter;
	uint32_t bit = bits[what] - OUT_HEAD * 8;

	if (counter != NULL)
		bfm_bits_set(counter->block, bit, 32,
				bfm_bits_get(counter->block, bit, 32) + 1);
}

/* ----------------------------------------------- management datagrams */

/* Places in a subnet management packet, which are InfiniBand's. */
enum {
	MAD_BASE_VERSION = 0,
	MAD_CLASS = 1,
	MAD_CLASS_VERSION = 2,
	MAD_METHOD = 3,
	MAD_STATUS = 4,
	MAD_ATTRIBUTE = 16,
	MAD_DATA = 64,
};

enum { CLASS_SUBN = 0x01, CLASS_SUBN_DIRECTED = 0x81 };
enum { METHOD_GET = 0x01, METHOD_GET_RESP = 0x81 };
enum { ATTR_NODE_DESCRIPTION = 0x10, ATTR_NODE_INFO = 0x11 };
#define STATUS_UNSUPPORTED 0x000cu /* method with this attribute */
#define OP_MOD_MAX 3u              /* ignore the M_Key 1, the B_Key 2 */
#define NODE_DESCRIPTION_BYTES 64u

/* NodeInfo, as it is on the wire. */
#define NODE_INFO_FIELDS(F) \
	F(NODE_INFO, base_version, 0x0, 8) \
	F(NODE_INFO, class_version, 0x8, 8) \
	F(NODE_INFO, node_type, 0x10, 8) \
	F(NODE_INFO, nb_ports, 0x18, 8) \
	F(NODE_INFO, system_image_guid, 0x20, 64) \
	F(NODE_INFO, node_guid, 0x60, 64) \
	F(NODE_INFO, port_guid, 0xa0, 64) \
	F(NODE_INFO, partition_cap, 0xe0, 16) \
	F(NODE_INFO, device_id, 0xf0, 16) \
	F(NODE_INFO, local_port_num, 0x120, 8) \
	F(NODE_INFO, vendor_id, 0x128, 24)
BFM_ENUM(NODE_INFO_FIELDS);
#define NODE_TYPE_CA 1u

static void
node_info(const struct bfm_function *f, uint8_t *data)
{
	BFM_SET(data, NODE_INFO, base_version, 1);
	BFM_SET(data, NODE_INFO, class_version, 1);
	BFM_SET(data, NODE_INFO, node_type, NODE_TYPE_CA);
	BFM_SET(data, NODE_INFO, nb_ports, BFM_CAP(f, num_ports));
	BFM_SET(data, NODE_INFO, system_image_guid,
			BFM_GET(f->vport->hca, HCAV, system_image_guid));
	BFM_SET(data, NODE_INFO, node_guid, BFM_GET(f->vport->hca, HCAV, node_guid));
	BFM_SET(data, NODE_INFO, port_guid, BFM_GET(f->vport->hca, HCAV, port_guid));
	BFM_SET(data, NODE_INFO, partition_cap, UINT64_C(128) << BFM_CAP(f, pkey_table_size));
	BFM_SET(data, NODE_INFO, device_id, f->conf.device_id);
	BFM_SET(data, NODE_INFO, local_port_num, 1);
	BFM_SET(data, NODE_INFO, vendor_id, f->conf.vendor_id);
}

static enum bfm_status
mad_ifc(struct bfm_cmd *c)
{
	const uint8_t *in = c->in + MAD_IFC_IN_mad_BIT / 8;
	uint8_t *out = c->out + MAD_IFC_OUT_response_mad_packet_BIT / 8;
	uint32_t port = BFM_GET(c->in, MAD_IFC_IN, port);
	uint32_t attribute = bfm_bits_get(in + MAD_ATTRIBUTE, 0, 16);
	uint64_t nb = BFM_CAP(c->f, num_ports);

	if (c->op_mod > OP_MOD_MAX)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: 0 to 3 exist",
				c->op_mod);
	if (BFM_CAP(c->f, num_vhca_ports) > nb)
		nb = BFM_CAP(c->f, num_vhca_ports);
	if (port == 0 || port > nb)
		return bfm_fail(c, BFM_BAD_PARAM, "port=%u: ports are 1 to %" PRIu64,
				port, nb);
	if (in[MAD_BASE_VERSION] != 1 || in[MAD_METHOD] >= METHOD_GET_RESP)
		return bfm_fail(c, BFM_BAD_PKT, "base version %u, method 0x%x: this is no request",
				in[MAD_BASE_VERSION], in[MAD_METHOD]);
	memcpy(out, in, MAD_IFC_MAD_BYTES);
	out[MAD_METHOD] = METHOD_GET_RESP;
	bfm_bits_set(out + MAD_STATUS, 0, 16, 0);
	if ((in[MAD_CLASS] == CLASS_SUBN || in[MAD_CLASS] == CLASS_SUBN_DIRECTED) &&
			in[MAD_METHOD] == METHOD_GET) {
		memset(out + MAD_DATA, 0, NODE_DESCRIPTION_BYTES);
		if (attribute == ATTR_NODE_DESCRIPTION) {
			snprintf((char *)out + MAD_DATA, NODE_DESCRIPTION_BYTES,
					"software BlueField %s", c->f->conf.name);
			return BFM_OK;
		}
		if (attribute == ATTR_NODE_INFO) {
			node_info(c->f, out + MAD_DATA);
			return BFM_OK;
		}
	}
	/* As a node answers that does not know: in the packet, not in the command. */
	bfm_log(c->f, BFM_INFO, "MAD of class 0x%x, method 0x%x, attribute 0x%x: not supported",
			in[MAD_CLASS], in[MAD_METHOD], attribute);
	bfm_bits_set(out + MAD_STATUS, 0, 16, STATUS_UNSUPPORTED);
	return BFM_OK;
}

const struct bfm_cmd_desc bfm_cmds_roce[] = {
	{ ENTRY(0x50d, "MAD_IFC", mad_ifc, BFM_INIT, MAD_IFC_BYTES, MAD_IFC_BYTES),
	  .in = &bfm_lay_mad_ifc_in, .out = &bfm_lay_mad_ifc_out },
	{ ENTRY(0x760, "QUERY_ROCE_ADDRESS", query_roce_address, BFM_INIT, 16,
		ROCE_CMD_BYTES), .in = &bfm_lay_query_roce_in, .out = &bfm_lay_query_roce_out },
	{ ENTRY(0x761, "SET_ROCE_ADDRESS", set_roce_address, BFM_INIT, ROCE_CMD_BYTES, 16),
	  .in = &bfm_lay_set_roce_in, .ctx = &bfm_lay_roce_addr,
	  .ctx_off = SET_ROCE_IN_roce_address_BIT / 8 },
	{ ENTRY(0x770, "QUERY_VPORT_COUNTER", query_vport_counter, BFM_INIT,
		QUERY_VCOUNT_IN_BYTES, QUERY_VCOUNT_OUT_BYTES), .in = &bfm_lay_query_vcount_in },
	{ ENTRY(0x771, "ALLOC_Q_COUNTER", alloc_q_counter, BFM_INIT, 16, 16),
	  .in = &bfm_lay_alloc_qcount_in, .out = &bfm_lay_alloc_qcount_out },
	{ ENTRY(0x772, "DEALLOC_Q_COUNTER", dealloc_q_counter, BFM_INIT, 16, 16),
	  .in = &bfm_lay_dealloc_qcount_in },
	{ ENTRY(0x773, "QUERY_Q_COUNTER", query_q_counter, BFM_INIT, QUERY_QCOUNT_IN_BYTES,
		QUERY_QCOUNT_OUT_BYTES), .in = &bfm_lay_query_qcount_in,
	  .out = &bfm_lay_query_qcount_out },
	{ .name = NULL },
};
