/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Objects of a device: the commands that make and end them, the memory of their
 * rings. Queue pairs are in bluefield_qp.c. Nothing of the data path is in here, and
 * nothing that only one back end has.
 */

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_ceq.h"
#include "bluefield_obj_priv.h"

/* One mkey is one of 256 keys of its index; ours are told apart by nothing. */
#define MKEY_VARIANT 0x42

/*
 * What all objects do
 */

/* Numbers of objects of another device, or from before a reset, are of others. */
static int
deps_gen(const struct bf_obj_dev *dev, const struct bf_obj_desc *desc, uint32_t *gen)
{
	const struct bf_obj *dep;
	uint32_t i;

	*gen = BF_OBJ_GEN_ANY;
	for (i = 0; i < BF_OBJ_MAX_DEPS && desc->deps[i] != NULL; i++) {
		dep = desc->deps[i];
		if (dep->dev != dev) {
			BF_LOG(ERR, "%s: a new object names one that is not of this function",
				dev->name);
			return -EINVAL;
		}
		if (dep->gen == BF_OBJ_GEN_ANY)
			continue;
		/* of two generations one is over */
		if (*gen != BF_OBJ_GEN_ANY && *gen != dep->gen) {
			BF_LOG(DEBUG, "%s: a new object names one from before a reset", dev->name);
			return -ESTALE;
		}
		*gen = dep->gen;
	}
	return 0;
}

int
bf_obj_create(struct bf_obj_dev *dev, const struct bf_obj_desc *desc, const void *in,
	uint32_t in_len, const struct bf_obj_part *part, struct bf_obj *obj)
{
	struct bf_obj made = { .dev = dev };
	struct bf_obj_new new = { .kind = desc->kind, .in = in, .in_len = in_len };
	int ret;

	if (part != NULL) {
		new.part = *part;
		made.mem = part->mem;
	}
	ret = deps_gen(dev, desc, &new.gen);
	if (ret == 0)
		ret = dev->ops->create(dev, &new, &made);
	if (ret == 0)
		*obj = made;
	return ret;
}

int
bf_obj_create_ring(struct bf_obj_dev *dev, const struct bf_obj_desc *desc, const void *in,
	uint32_t in_len, const struct bf_ring *ring, struct bf_obj *obj)
{
	const struct bf_obj_part part = {
		.mem = ring->mem, .len = ring->len,
		.dbr_off = RTE_PTR_DIFF(ring->dbr, ring->mem->addr),
	};
	int ret;

	ret = bf_obj_create(dev, desc, in, in_len, &part, obj);
	if (ret != 0)
		bf_mem_free(ring->mem);
	return ret;
}

int
bf_obj_destroy(struct bf_obj *obj)
{
	int ret = 0;

	if (obj->dev != NULL && obj->handle != NULL)
		ret = obj->dev->ops->destroy(obj);
	memset(obj, 0, sizeof(*obj));
	return ret;
}

void
bf_obj_destroy_ring(struct bf_obj *obj)
{
	struct bf_obj_mem *mem = obj->mem;

	bf_obj_destroy(obj);
	bf_mem_free(mem);
}

int
bf_obj_modify(const struct bf_obj *obj, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	if (obj->dev == NULL)
		return -EINVAL;
	bf_set(in, BF_OBJ_ID, obj->id);
	return obj->dev->ops->modify(obj, in, in_len, out, out_len);
}

/*
 * Memory
 */

int
bf_mem_alloc(struct bf_obj_dev *dev, size_t len, struct bf_obj_mem **mem)
{
	if (len == 0) {
		BF_LOG(ERR, "%s: memory of no bytes", dev->name);
		return -EINVAL;
	}
	return dev->ops->mem_alloc(dev, len, mem);
}

int
bf_mem_register(struct bf_obj_dev *dev, void *addr, size_t len, uint32_t flags,
	struct bf_obj_mem **mem)
{
	if (len == 0 || len - 1 > UINTPTR_MAX - (uintptr_t)addr) {
		BF_LOG(ERR, "%s: memory of no bytes, or beyond all addresses", dev->name);
		return -EINVAL;
	}
	return dev->ops->mem_register(dev, addr, len, flags, mem);
}

int
bf_mem_free(struct bf_obj_mem *mem)
{
	return mem != NULL ? mem->dev->ops->mem_free(mem) : 0;
}

int
bf_ring_alloc(struct bf_obj_dev *dev, size_t len, struct bf_ring *ring)
{
	size_t dbr = RTE_ALIGN_CEIL(len, (size_t)RTE_CACHE_LINE_SIZE);
	int ret;

	ret = bf_mem_alloc(dev, dbr + RTE_CACHE_LINE_SIZE, &ring->mem);
	if (ret != 0)
		return ret;
	ring->len = len;
	ring->dbr = RTE_PTR_ADD(ring->mem->addr, dbr);
	return 0;
}

/* Log of a size that is a power of two up to max; 0 for what is not. */
static bool
log_of(uint32_t size, uint32_t min, uint32_t max, uint32_t *log)
{
	if (size < min || size > max || !rte_is_power_of_2(size))
		return false;
	*log = rte_log2_u32(size);
	return true;
}

static int
bad_attr(struct bf_obj_dev *dev, const char *what, const char *why)
{
	BF_LOG(ERR, "%s: cannot create a %s: %s", dev->name, what, why);
	return -EINVAL;
}

/*
 * Protection domains and doorbell pages
 */

int
bf_pd_create(struct bf_obj_dev *dev, struct bf_pd *pd)
{
	const struct bf_obj_desc desc = { .kind = BF_OBJ_PD };
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	if (dev->has_pd) {
		pd->obj = (struct bf_obj){ .dev = dev, .id = dev->pdn, .gen = BF_OBJ_GEN_ANY };
		return 0;
	}
	bf_set(in, BF_IN_OPCODE, BF_OP_ALLOC_PD);
	return bf_obj_create(dev, &desc, in, sizeof(in), NULL, &pd->obj);
}

void
bf_pd_destroy(struct bf_pd *pd)
{
	bf_obj_destroy(&pd->obj);
}

int
bf_uar_create(struct bf_obj_dev *dev, struct bf_uar *uar)
{
	struct bf_uar new = { .obj = { .dev = dev } };
	int ret;

	ret = dev->ops->uar_alloc(dev, &new.obj, &new.page);
	if (ret == 0)
		*uar = new;
	return ret;
}

void
bf_uar_destroy(struct bf_uar *uar)
{
	if (uar->obj.dev == NULL)
		return;
	uar->obj.dev->ops->uar_free(&uar->obj);
	memset(uar, 0, sizeof(*uar));
}

/*
 * Completion queues
 */

int
bf_cq_create(struct bf_obj_dev *dev, const struct bf_cq_attr *attr, struct bf_cq *cq)
{
	const struct bf_obj_desc desc = {
		.kind = BF_OBJ_CQ,
		.deps = { &attr->uar->obj, attr->ceq != NULL ? &attr->ceq->obj : NULL },
	};
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *cqc = in + BF_CREATE_CQ_IN_CQC;
	struct bf_obj_caps caps;
	struct bf_ring ring;
	uint32_t eqn, log, i;
	int ret;

	dev->ops->caps(dev, &caps);
	if (!log_of(attr->nb_cqes, 1, caps.max_cq_sz, &log))
		return bad_attr(dev, "completion queue", "entries are no power of two, or too "
			"many");
	/* of now, or the doorbell page is from before the reset: then nothing is created */
	if (attr->ceq != NULL) {
		eqn = attr->ceq->obj.id;
	} else {
		ret = dev->ops->eqn(dev, &eqn);
		if (ret != 0)
			return ret;
	}
	ret = bf_ring_alloc(dev, (size_t)attr->nb_cqes * BF_CQE_SIZE, &ring);
	if (ret != 0)
		return ret;
	for (i = 0; i < attr->nb_cqes; i++)
		((uint8_t *)ring.mem->addr)[(size_t)i * BF_CQE_SIZE + BF_CQE_OP_OWN] =
			BF_CQE_OP_OWN_INIT;
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_CQ);
	bf_set(cqc, BF_CQC_CQE_SZ, 0);
	bf_set(cqc, BF_CQC_OI, attr->ignore_overrun);
	bf_set(cqc, BF_CQC_LOG_CQ_SIZE, log);
	bf_set(cqc, BF_CQC_UAR_PAGE, attr->uar->obj.id);
	bf_set(cqc, BF_CQC_C_EQN_OR_APU_ELEMENT, eqn);
	ret = bf_obj_create_ring(dev, &desc, in, sizeof(in), &ring, &cq->obj);
	if (ret != 0)
		return ret;
	cq->ring = ring.mem->addr;
	cq->dbr = ring.dbr;
	cq->nb_cqes = attr->nb_cqes;
	return 0;
}

void
bf_cq_destroy(struct bf_cq *cq)
{
	bf_obj_destroy_ring(&cq->obj);
}

/*
 * Memory keys
 */

static int
mkey_check(struct bf_obj_dev *dev, const struct bf_mkey_attr *attr)
{
	const struct bf_obj_mem *mem = attr->mem;
	size_t off;

	if (mem->dev != dev)
		return bad_attr(dev, "memory key", "the memory is of another function");
	if (attr->len == 0)
		return bad_attr(dev, "memory key", "length is 0");
	/* an address below the memory is far behind it, then */
	off = (uintptr_t)attr->addr - (uintptr_t)mem->addr;
	if (off > mem->len || attr->len > mem->len - off)
		return bad_attr(dev, "memory key", "it goes beyond the memory");
	if ((attr->local_write || attr->remote_write) && !mem->writable)
		return bad_attr(dev, "memory key", "the memory is registered for reading only");
	return 0;
}

int
bf_mkey_create(struct bf_obj_dev *dev, const struct bf_mkey_attr *attr, struct bf_mkey *mkey)
{
	const struct bf_obj_desc desc = { .kind = BF_OBJ_MKEY, .deps = { &attr->pd->obj } };
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *mkc = in + BF_CREATE_MKEY_IN_MKC;
	struct bf_obj_part part;
	int ret;

	ret = mkey_check(dev, attr);
	if (ret != 0)
		return ret;
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_MKEY);
	bf_set(mkc, BF_MKC_ACCESS_MODE_1_0, BF_MKC_ACCESS_MTT);
	bf_set(mkc, BF_MKC_LR, 1);
	bf_set(mkc, BF_MKC_LW, attr->local_write);
	bf_set(mkc, BF_MKC_RR, attr->remote_read);
	bf_set(mkc, BF_MKC_RW, attr->remote_write);
	bf_set(mkc, BF_MKC_QPN, 0xffffff);
	bf_set(mkc, BF_MKC_MKEY_7_0, MKEY_VARIANT);
	bf_set(mkc, BF_MKC_PD, attr->pd->obj.id);
	bf_set64(mkc, BF_MKC_START_ADDR,
		(uintptr_t)(attr->alias != NULL ? attr->alias : attr->addr));
	bf_set64(mkc, BF_MKC_LEN, attr->len);
	part = (struct bf_obj_part){
		.mem = attr->mem, .off = RTE_PTR_DIFF(attr->addr, attr->mem->addr),
		.len = attr->len,
	};
	ret = bf_obj_create(dev, &desc, in, sizeof(in), &part, &mkey->obj);
	if (ret == 0)
		mkey->key = mkey->obj.id << 8 | MKEY_VARIANT;
	return ret;
}

int
bf_mkey_destroy(struct bf_mkey *mkey)
{
	return bf_obj_destroy(&mkey->obj);
}

/*
 * Shared receive queues
 */

int
bf_srq_create(struct bf_obj_dev *dev, const struct bf_srq_attr *attr, struct bf_srq *srq)
{
	const struct bf_obj_desc desc = { .kind = BF_OBJ_SRQ, .deps = { &attr->pd->obj } };
	uint8_t in[BF_CREATE_IN_SIZE] = { 0 };
	uint8_t *rmpc = in + BF_CREATE_RMP_IN_CTX;
	uint8_t *wq = rmpc + BF_RMPC_WQ;
	struct bf_wqe_srq_next *next;
	uint32_t log_size, log_stride, i;
	struct bf_obj_caps caps;
	struct bf_ring ring;
	int ret;

	dev->ops->caps(dev, &caps);
	if (!log_of(attr->nb_wqes, 1, RTE_MIN(caps.max_srq_sz, UINT16_MAX + 1u), &log_size))
		return bad_attr(dev, "shared receive queue", "entries are no power of two, or too "
			"many");
	if (!log_of(attr->wqe_size, 32, 2048, &log_stride))
		return bad_attr(dev, "shared receive queue", "a size of entries that it cannot "
			"have");
	ret = bf_ring_alloc(dev, (size_t)attr->nb_wqes * attr->wqe_size, &ring);
	if (ret != 0)
		return ret;
	for (i = 0; i < attr->nb_wqes; i++) {
		next = RTE_PTR_ADD(ring.mem->addr, (size_t)i * attr->wqe_size);
		next->next_index = rte_cpu_to_be_16((i + 1) & (attr->nb_wqes - 1));
	}
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_RMP);
	bf_set(rmpc, BF_RMPC_STATE, BF_RMPC_STATE_RDY);
	bf_set(wq, BF_WQ_WQ_TYPE, BF_WQ_TYPE_LINKED);
	bf_set(wq, BF_WQ_PD, attr->pd->obj.id);
	bf_set(wq, BF_WQ_LOG_WQ_STRIDE, log_stride);
	bf_set(wq, BF_WQ_LOG_WQ_SZ, log_size);
	ret = bf_obj_create_ring(dev, &desc, in, sizeof(in), &ring, &srq->obj);
	if (ret != 0)
		return ret;
	srq->ring = ring.mem->addr;
	srq->dbr = ring.dbr;
	srq->nb_wqes = attr->nb_wqes;
	srq->wqe_size = attr->wqe_size;
	return 0;
}

void
bf_srq_destroy(struct bf_srq *srq)
{
	bf_obj_destroy_ring(&srq->obj);
}

/*
 * Vport and RoCE addresses
 */

/* Of the port, which a vport has that does not say its own; 0: not known, and logged. */
static uint16_t
port_mtu(struct bf_obj_dev *dev)
{
	uint8_t in[BF_ACCESS_REG_IN_SIZE] = { 0 };
	uint8_t out[BF_ACCESS_REG_IN_SIZE] = { 0 }; /* what is not answered */

	bf_set(in, BF_IN_OPCODE, BF_OP_ACCESS_REG);
	bf_set(in, BF_IN_OP_MOD, BF_ACCESS_REG_READ);
	bf_set(in, BF_ACCESS_REGISTER_IN_REGISTER_ID, BF_PMTU_ID);
	bf_set(in + BF_ACCESS_REG_DATA, BF_PMTU_LOCAL_PORT, 1);
	dev->ops->general(dev, in, sizeof(in), out, sizeof(out));
	return bf_get(out + BF_ACCESS_REG_DATA, BF_PMTU_OPER_MTU);
}

int
bf_vport_query(struct bf_obj_dev *dev, struct bf_vport *vport)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_QUERY_NIC_VPORT_OUT_SIZE];
	const uint8_t *ctx = out + BF_QUERY_NIC_VPORT_OUT_CTX;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_NIC_VPORT_CONTEXT);
	ret = dev->ops->general(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	bf_get_mac(ctx, BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS, vport->mac);
	vport->mtu = bf_get(ctx, BF_NIC_VPORT_CONTEXT_MTU);
	if (vport->mtu == 0)
		vport->mtu = port_mtu(dev);
	vport->roce_en = bf_get(ctx, BF_NIC_VPORT_CONTEXT_ROCE_EN);
	return 0;
}

/* Somebody else switches RoCE: it is as it should be, or that is said. */
static int
vport_expect_roce(struct bf_obj_dev *dev, bool enable)
{
	struct bf_vport vport;
	int ret;

	ret = bf_vport_query(dev, &vport);
	if (ret != 0)
		return ret;
	if (vport.roce_en == enable)
		return 0;
	BF_LOG(ERR, "%s: RoCE of the port is %s, and the driver that owns the port switches it: load its RDMA driver (modprobe mlx5_ib), and look at rdma link show",
		dev->name, vport.roce_en ? "on" : "off");
	return -EPERM;
}

int
bf_vport_set_roce(struct bf_obj_dev *dev, bool enable)
{
	uint8_t in[BF_MODIFY_NIC_VPORT_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];
	struct bf_vport vport;
	int ret;

	if (dev->ops->gid_index != NULL)
		return vport_expect_roce(dev, enable);
	bf_set(in, BF_IN_OPCODE, BF_OP_MODIFY_NIC_VPORT_CONTEXT);
	bf_set(in, BF_MODIFY_NIC_VPORT_FIELD_SELECT_ROCE_EN, 1);
	bf_set(in + BF_MODIFY_NIC_VPORT_IN_CTX, BF_NIC_VPORT_CONTEXT_ROCE_EN, enable);
	ret = dev->ops->general(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0 || !enable)
		return ret;
	ret = bf_vport_query(dev, &vport);
	if (ret != 0 || vport.roce_en)
		return ret;
	BF_LOG(WARNING, "%s: firmware has switched RoCE of the vport on, as it says, and it is off",
		dev->name);
	return -EREMOTEIO;
}

static int
roce_index_check(struct bf_obj_dev *dev, uint16_t index, struct bf_obj_caps *caps)
{
	dev->ops->caps(dev, caps);
	if (index < caps->roce_addr_table_size)
		return 0;
	BF_LOG(ERR, "%s: no RoCE address %u, the table has %u", dev->name, index,
		caps->roce_addr_table_size);
	return -EINVAL;
}

/* Which entry of which port's table: the port only where firmware counts ports. */
static void
roce_addr_fill(uint8_t *in, uint16_t opcode, uint16_t index, const struct bf_obj_caps *caps)
{
	bf_set(in, BF_IN_OPCODE, opcode);
	bf_set(in, BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX, index);
	if (caps->nb_ports != 0)
		bf_set(in, BF_ROCE_ADDRESS_IN_VHCA_PORT_NUM, caps->port);
}

int
bf_roce_addr_set(struct bf_obj_dev *dev, uint16_t index, const struct bf_roce_addr *addr)
{
	uint8_t in[BF_ROCE_ADDRESS_CMD_SIZE] = { 0 };
	uint8_t *at = in + BF_ROCE_ADDRESS_CMD_ADDR;
	uint8_t out[BF_OUT_SIZE];
	struct bf_obj_caps caps;
	int ret;

	if (dev->ops->gid_index != NULL) {
		BF_LOG(ERR, "%s: the driver that owns the port keeps its RoCE addresses: give its network interface the address (ip address add)",
			dev->name);
		return -EPERM;
	}
	ret = roce_index_check(dev, index, &caps);
	if (ret != 0)
		return ret;
	roce_addr_fill(in, BF_OP_SET_ROCE_ADDRESS, index, &caps);
	memcpy(at + BF_ROCE_ADDR_LAYOUT_SOURCE_L3_ADDRESS, addr->gid, sizeof(addr->gid));
	bf_set_mac(at, BF_ROCE_ADDR_LAYOUT_SOURCE_MAC, addr->mac);
	bf_set(at, BF_ROCE_ADDR_LAYOUT_VLAN_VALID, addr->vlan);
	bf_set(at, BF_ROCE_ADDR_LAYOUT_VLAN_ID, addr->vlan_id);
	bf_set(at, BF_ROCE_ADDR_LAYOUT_ROCE_L3_TYPE,
		addr->ipv6 ? BF_ROCE_L3_IPV6 : BF_ROCE_L3_IPV4);
	bf_set(at, BF_ROCE_ADDR_LAYOUT_ROCE_VERSION, addr->version);
	return dev->ops->general(dev, in, sizeof(in), out, sizeof(out));
}

int
bf_roce_addr_use(struct bf_obj_dev *dev, const struct bf_roce_addr *addr, uint16_t *index)
{
	char text[INET6_ADDRSTRLEN];
	struct bf_obj_caps caps;
	uint16_t found;
	int ret;

	if (dev->ops->gid_index == NULL)
		return bf_roce_addr_set(dev, *index, addr);
	ret = dev->ops->gid_index(dev, addr, &found);
	if (ret == -ENOENT)
		BF_LOG(ERR, "%s: its port has no RoCE address %s: give its network interface the address (ip address add)",
			dev->name, inet_ntop(addr->ipv6 ? AF_INET6 : AF_INET,
				addr->gid + (addr->ipv6 ? 0 : 12), text, sizeof(text)));
	if (ret == 0)
		ret = roce_index_check(dev, found, &caps);
	if (ret == 0)
		*index = found;
	return ret;
}

int
bf_roce_addr_query(struct bf_obj_dev *dev, uint16_t index, struct bf_roce_addr *addr)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_ROCE_ADDRESS_CMD_SIZE];
	const uint8_t *at = out + BF_ROCE_ADDRESS_CMD_ADDR;
	struct bf_obj_caps caps;
	int ret;

	ret = roce_index_check(dev, index, &caps);
	if (ret != 0)
		return ret;
	roce_addr_fill(in, BF_OP_QUERY_ROCE_ADDRESS, index, &caps);
	ret = dev->ops->general(dev, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	memset(addr, 0, sizeof(*addr));
	memcpy(addr->gid, at + BF_ROCE_ADDR_LAYOUT_SOURCE_L3_ADDRESS, sizeof(addr->gid));
	bf_get_mac(at, BF_ROCE_ADDR_LAYOUT_SOURCE_MAC, addr->mac);
	addr->vlan = bf_get(at, BF_ROCE_ADDR_LAYOUT_VLAN_VALID);
	addr->vlan_id = bf_get(at, BF_ROCE_ADDR_LAYOUT_VLAN_ID);
	addr->ipv6 = bf_get(at, BF_ROCE_ADDR_LAYOUT_ROCE_L3_TYPE) == BF_ROCE_L3_IPV6;
	addr->version = bf_get(at, BF_ROCE_ADDR_LAYOUT_ROCE_VERSION);
	return 0;
}
