/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Objects of a function: the commands that make and end them, the memory of their
 * rings. Queue pairs are in bluefield_qp.c. Nothing of the data path is in here.
 */

#include <errno.h>
#include <stdlib.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_obj_priv.h"

/* One mkey is one of 256 keys of its index; ours are told apart by nothing. */
#define MKEY_VARIANT 0x42

/*
 * What all objects do
 */

static int
status_to_errno(uint8_t status)
{
	switch (status) {
	case BF_STATUS_BAD_PARAM:
	case BF_STATUS_BAD_RES:
	case BF_STATUS_INDEX:
	case BF_STATUS_QP_STATE:
		return -EINVAL;
	case BF_STATUS_BUSY:
	case BF_STATUS_RES_STATE:
		return -EBUSY;
	case BF_STATUS_LIMIT:
	case BF_STATUS_NO_RES:
		return -ENOSPC;
	default:
		return -EIO;
	}
}

/* A command, with ctl held. *lost: firmware may yet execute it. */
static int
obj_exec_locked(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len,
	bool *lost)
{
	struct bf_cmd cmd = {
		.in = in, .in_len = in_len, .out = out, .out_len = out_len,
	};
	int ret;

	*lost = false;
	ret = bf_func_usable(func);
	if (ret != 0)
		return ret;
	ret = bf_func_cmd(func, BF_CMD_NORMAL, &cmd);
	if (ret == -EIO && cmd.status != BF_STATUS_OK)
		return status_to_errno(cmd.status);
	/* a command that was not delivered is not executed either */
	*lost = ret != 0 && cmd.delivery == BF_DELIVERY_OK;
	return ret;
}

int
bf_obj_exec(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	bool lost;
	int ret;

	bf_lock(&func->ctl);
	ret = obj_exec_locked(func, in, in_len, out, out_len, &lost);
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	return ret;
}

int
bf_obj_exec_on(const struct bf_obj *obj, void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	struct bf_func *func = obj->func;
	bool lost;
	int ret;

	if (func == NULL)
		return -EINVAL;
	bf_set(in, BF_OBJ_ID, obj->id);
	bf_lock(&func->ctl);
	ret = obj->gen != func->gen ? -ESTALE :
		obj_exec_locked(func, in, in_len, out, out_len, &lost);
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	return ret;
}

static void
mem_free(struct bf_func *func, struct bf_mem *mem)
{
	if (mem == NULL)
		return;
	func->hw->ops->dma_free(func->hw, &mem->dma);
	free(mem);
}

static void
obj_count(struct bf_func *func, enum bf_obj_kind kind, int nb)
{
	__atomic_store_n(&func->nb_objs[kind], func->nb_objs[kind] + nb, __ATOMIC_RELAXED);
}

/* Numbers of objects of another function, or from before a reset, are of others. */
static int
deps_check(const struct bf_func *func, const struct bf_obj_new *new)
{
	uint32_t i;

	for (i = 0; i < BF_OBJ_MAX_DEPS && new->deps[i] != NULL; i++) {
		if (new->deps[i]->func != func) {
			BF_LOG(ERR, "%s: a new object names one that is not of this function",
				BF_NAME(func));
			return -EINVAL;
		}
		if (new->deps[i]->gen != func->gen) {
			BF_LOG(DEBUG, "%s: a new object names one from before a reset",
				BF_NAME(func));
			return -ESTALE;
		}
	}
	return 0;
}

int
bf_obj_create(struct bf_func *func, const struct bf_obj_new *new, void *in, uint32_t in_len,
	struct bf_obj *obj)
{
	uint8_t out[BF_OUT_SIZE];
	bool lost = false;
	int ret;

	bf_lock(&func->ctl);
	ret = deps_check(func, new);
	if (ret == 0)
		ret = obj_exec_locked(func, in, in_len, out, sizeof(out), &lost);
	if (ret == 0) {
		obj->func = func;
		obj->id = bf_get(out, BF_OBJ_ID);
		obj->gen = func->gen;
		obj->mem = new->mem;
		obj_count(func, new->kind, 1);
	} else if (lost && new->mem != NULL) {
		bf_func_limbo(func, new->mem);
	} else {
		mem_free(func, new->mem);
	}
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	return ret;
}

int
bf_obj_destroy(struct bf_obj *obj, enum bf_obj_kind kind, uint16_t opcode)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	struct bf_func *func = obj->func;
	uint8_t out[BF_OUT_SIZE];
	bool lost;
	int ret = 0;

	if (func == NULL)
		return 0;
	bf_set(in, BF_IN_OPCODE, opcode);
	bf_set(in, BF_OBJ_ID, obj->id);
	bf_lock(&func->ctl);
	if (obj->gen == func->gen) {
		ret = obj_exec_locked(func, in, sizeof(in), out, sizeof(out), &lost);
		/* what firmware keeps is counted: the function will be reset, then */
		if (ret == 0)
			obj_count(func, kind, -1);
	}
	if (ret != 0 && obj->mem != NULL)
		bf_func_limbo(func, obj->mem);
	else
		mem_free(func, obj->mem);
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	memset(obj, 0, sizeof(*obj));
	return ret;
}

/*
 * Rings
 */

/* Pages as large as needed for a list that fits into a command. */
static uint32_t
ring_page_shift(size_t len)
{
	uint32_t shift = 12;

	/* the last page of a ring of any length counts, too */
	while (((len - 1) >> shift) >= BF_RING_MAX_PAS)
		shift++;
	return shift;
}

int
bf_ring_alloc(struct bf_func *func, size_t len, struct bf_ring *ring)
{
	struct bf_hw *hw = func->hw;
	struct bf_mem *mem;
	size_t size;
	int ret;

	mem = calloc(1, sizeof(*mem));
	if (mem == NULL) {
		BF_LOG(ERR, "%s: no memory for a ring of %zu bytes", BF_NAME(func), len);
		return -ENOMEM;
	}
	ring->page_shift = ring_page_shift(len);
	size = RTE_ALIGN_CEIL(len, (size_t)1 << ring->page_shift);
	ret = hw->ops->dma_alloc(hw, size + RTE_CACHE_LINE_SIZE, (size_t)1 << ring->page_shift,
		&mem->dma);
	if (ret != 0) {
		BF_LOG(ERR, "%s: no DMA memory for a ring of %zu bytes (%d); give EAL more memory "
			"(-m)", BF_NAME(func), len, ret);
		free(mem);
		return ret;
	}
	ring->mem = mem;
	ring->addr = mem->dma.addr;
	ring->nb_pas = size >> ring->page_shift;
	ring->dbr = (void *)((uint8_t *)mem->dma.addr + size);
	ring->dbr_iova = mem->dma.iova + size;
	return 0;
}

uint32_t
bf_ring_pas(const struct bf_ring *ring, uint8_t *in)
{
	uint32_t i;

	for (i = 0; i < ring->nb_pas; i++)
		bf_set64(in, BF_CREATE_IN_PAS + 8 * i,
			ring->mem->dma.iova + ((uint64_t)i << ring->page_shift));
	return BF_CREATE_IN_SIZE + 8 * ring->nb_pas;
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
bad_attr(struct bf_func *func, const char *what, const char *why)
{
	BF_LOG(ERR, "%s: can not create a %s: %s", BF_NAME(func), what, why);
	return -EINVAL;
}

/*
 * Protection domains and doorbell pages
 */

int
bf_pd_create(struct bf_func *func, struct bf_pd *pd)
{
	const struct bf_obj_new desc = { .kind = BF_OBJ_PD };
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };

	bf_set(in, BF_IN_OPCODE, BF_OP_ALLOC_PD);
	return bf_obj_create(func, &desc, in, sizeof(in), &pd->obj);
}

void
bf_pd_destroy(struct bf_pd *pd)
{
	bf_obj_destroy(&pd->obj, BF_OBJ_PD, BF_OP_DEALLOC_PD);
}

int
bf_uar_create(struct bf_func *func, struct bf_uar *uar)
{
	const struct bf_obj_new desc = { .kind = BF_OBJ_UAR };
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	struct bf_uar new;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_ALLOC_UAR);
	ret = bf_obj_create(func, &desc, in, sizeof(in), &new.obj);
	if (ret != 0)
		return ret;
	if (new.obj.id >= func->hw->bar_size / BF_UAR_SIZE) {
		BF_LOG(ERR, "%s: ALLOC_UAR: doorbell page 0x%x is outside of the BAR (%u bytes); "
			"reset the card", BF_NAME(func), new.obj.id, func->hw->bar_size);
		bf_uar_destroy(&new);
		return -EIO;
	}
	new.offset = new.obj.id * BF_UAR_SIZE;
	*uar = new;
	return 0;
}

void
bf_uar_destroy(struct bf_uar *uar)
{
	bf_obj_destroy(&uar->obj, BF_OBJ_UAR, BF_OP_DEALLOC_UAR);
}

/*
 * Completion queues
 */

int
bf_cq_create(struct bf_func *func, const struct bf_cq_attr *attr, struct bf_cq *cq)
{
	struct bf_obj_new desc = { .kind = BF_OBJ_CQ, .deps = { &attr->uar->obj } };
	uint8_t in[BF_RING_IN_SIZE] = { 0 };
	uint8_t *cqc = in + BF_CREATE_CQ_IN_CQC;
	struct bf_ring ring;
	uint32_t log, i, len;
	int ret;

	if (!log_of(attr->nb_cqes, 1, func->caps.max_cq_sz, &log))
		return bad_attr(func, "completion queue", "entries are no power of two, or too "
			"many");
	ret = bf_ring_alloc(func, (size_t)attr->nb_cqes * BF_CQE_SIZE, &ring);
	if (ret != 0)
		return ret;
	for (i = 0; i < attr->nb_cqes; i++)
		((uint8_t *)ring.addr)[(size_t)i * BF_CQE_SIZE + BF_CQE_OP_OWN] =
			BF_CQE_OP_OWN_INIT;
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_CQ);
	bf_set(cqc, BF_CQC_CQE_SZ, 0);
	bf_set(cqc, BF_CQC_OI, attr->ignore_overrun);
	bf_set(cqc, BF_CQC_LOG_CQ_SIZE, log);
	bf_set(cqc, BF_CQC_UAR_PAGE, attr->uar->obj.id);
	/* of now, or the doorbell page is from before the reset: then nothing is created */
	bf_set(cqc, BF_CQC_C_EQN_OR_APU_ELEMENT, bf_func_eqn(func));
	bf_set(cqc, BF_CQC_LOG_PAGE_SIZE, ring.page_shift - 12);
	bf_set64(cqc, BF_CQC_DBR_ADDR, ring.dbr_iova);
	len = bf_ring_pas(&ring, in);
	desc.mem = ring.mem;
	ret = bf_obj_create(func, &desc, in, len, &cq->obj);
	if (ret != 0)
		return ret;
	cq->ring = ring.addr;
	cq->dbr = ring.dbr;
	cq->nb_cqes = attr->nb_cqes;
	return 0;
}

void
bf_cq_destroy(struct bf_cq *cq)
{
	bf_obj_destroy(&cq->obj, BF_OBJ_CQ, BF_OP_DESTROY_CQ);
}

/*
 * Memory keys
 */

static int
mkey_check(struct bf_func *func, const struct bf_mkey_attr *attr)
{
	uint64_t page, span;
	uint32_t i;

	if (attr->page_shift < 12 || attr->page_shift > 31)
		return bad_attr(func, "memory key", "pages of a size that it can not have");
	page = UINT64_C(1) << attr->page_shift;
	if (attr->len == 0 || attr->len > UINT64_MAX - attr->addr)
		return bad_attr(func, "memory key", "length is 0, or goes beyond all addresses");
	if (attr->nb_pas == 0 || attr->nb_pas > BF_MKEY_MAX_PAS)
		return bad_attr(func, "memory key", "no page, or too many: use larger pages");
	/* no product of the caller's: it could wrap */
	span = ((attr->addr & (page - 1)) + (attr->len - 1)) / page + 1;
	if (attr->len - 1 > UINT64_MAX - (page - 1) || span != attr->nb_pas)
		return bad_attr(func, "memory key", "pages and length do not match");
	for (i = 0; i < attr->nb_pas; i++)
		if ((attr->pas[i] & (page - 1)) != 0)
			return bad_attr(func, "memory key", "an address that is no page's");
	return 0;
}

int
bf_mkey_create(struct bf_func *func, const struct bf_mkey_attr *attr, struct bf_mkey *mkey)
{
	const struct bf_obj_new desc = { .kind = BF_OBJ_MKEY, .deps = { &attr->pd->obj } };
	uint32_t octwords = RTE_ALIGN_MUL_CEIL(attr->nb_pas, 2) / 2;
	uint32_t in_len = BF_CREATE_IN_SIZE + 16 * octwords, i;
	uint8_t *in, *mkc;
	int ret;

	ret = mkey_check(func, attr);
	if (ret != 0)
		return ret;
	in = calloc(1, in_len);
	if (in == NULL) {
		BF_LOG(ERR, "%s: no memory for a memory key", BF_NAME(func));
		return -ENOMEM;
	}
	mkc = in + BF_CREATE_MKEY_IN_MKC;
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_MKEY);
	bf_set(in, BF_CREATE_MKEY_IN_TRANSLATIONS_OCTWORD_ACTUAL_SIZE, octwords);
	bf_set(mkc, BF_MKC_ACCESS_MODE_1_0, BF_MKC_ACCESS_MTT);
	bf_set(mkc, BF_MKC_LR, 1);
	bf_set(mkc, BF_MKC_LW, attr->local_write);
	bf_set(mkc, BF_MKC_RR, attr->remote_read);
	bf_set(mkc, BF_MKC_RW, attr->remote_write);
	bf_set(mkc, BF_MKC_QPN, 0xffffff);
	bf_set(mkc, BF_MKC_MKEY_7_0, MKEY_VARIANT);
	bf_set(mkc, BF_MKC_PD, attr->pd->obj.id);
	bf_set64(mkc, BF_MKC_START_ADDR, attr->addr);
	bf_set64(mkc, BF_MKC_LEN, attr->len);
	bf_set(mkc, BF_MKC_TRANSLATIONS_OCTWORD_SIZE, octwords);
	bf_set(mkc, BF_MKC_LOG_PAGE_SIZE, attr->page_shift);
	for (i = 0; i < attr->nb_pas; i++)
		bf_set64(in, BF_CREATE_IN_PAS + 8 * i, attr->pas[i] | BF_MTT_READ |
			(attr->local_write || attr->remote_write ? BF_MTT_WRITE : 0));
	ret = bf_obj_create(func, &desc, in, in_len, &mkey->obj);
	free(in);
	if (ret == 0)
		mkey->key = mkey->obj.id << 8 | MKEY_VARIANT;
	return ret;
}

int
bf_mkey_destroy(struct bf_mkey *mkey)
{
	return bf_obj_destroy(&mkey->obj, BF_OBJ_MKEY, BF_OP_DESTROY_MKEY);
}

/*
 * Shared receive queues
 */

int
bf_srq_create(struct bf_func *func, const struct bf_srq_attr *attr, struct bf_srq *srq)
{
	struct bf_obj_new desc = { .kind = BF_OBJ_SRQ, .deps = { &attr->pd->obj } };
	uint8_t in[BF_RING_IN_SIZE] = { 0 };
	uint8_t *rmpc = in + BF_CREATE_RMP_IN_CTX;
	uint8_t *wq = rmpc + BF_RMPC_WQ;
	struct bf_wqe_srq_next *next;
	uint32_t log_size, log_stride, i, len;
	struct bf_ring ring;
	int ret;

	if (!log_of(attr->nb_wqes, 1, RTE_MIN(func->caps.max_srq_sz, UINT16_MAX + 1u), &log_size))
		return bad_attr(func, "shared receive queue", "entries are no power of two, or too "
			"many");
	if (!log_of(attr->wqe_size, 32, 2048, &log_stride))
		return bad_attr(func, "shared receive queue", "a size of entries that it can not "
			"have");
	ret = bf_ring_alloc(func, (size_t)attr->nb_wqes * attr->wqe_size, &ring);
	if (ret != 0)
		return ret;
	for (i = 0; i < attr->nb_wqes; i++) {
		next = (void *)((uint8_t *)ring.addr + (size_t)i * attr->wqe_size);
		next->next_index = rte_cpu_to_be_16((i + 1) & (attr->nb_wqes - 1));
	}
	bf_set(in, BF_IN_OPCODE, BF_OP_CREATE_RMP);
	bf_set(rmpc, BF_RMPC_STATE, BF_RMPC_STATE_RDY);
	bf_set(wq, BF_WQ_WQ_TYPE, BF_WQ_TYPE_LINKED);
	bf_set(wq, BF_WQ_PD, attr->pd->obj.id);
	bf_set64(wq, BF_WQ_DBR_ADDR, ring.dbr_iova);
	bf_set(wq, BF_WQ_LOG_WQ_STRIDE, log_stride);
	bf_set(wq, BF_WQ_LOG_WQ_PG_SZ, ring.page_shift - 12);
	bf_set(wq, BF_WQ_LOG_WQ_SZ, log_size);
	len = bf_ring_pas(&ring, in);
	desc.mem = ring.mem;
	ret = bf_obj_create(func, &desc, in, len, &srq->obj);
	if (ret != 0)
		return ret;
	srq->ring = ring.addr;
	srq->dbr = ring.dbr;
	srq->nb_wqes = attr->nb_wqes;
	srq->wqe_size = attr->wqe_size;
	return 0;
}

void
bf_srq_destroy(struct bf_srq *srq)
{
	bf_obj_destroy(&srq->obj, BF_OBJ_SRQ, BF_OP_DESTROY_RMP);
}

/*
 * Vport and RoCE addresses
 */

int
bf_vport_query(struct bf_func *func, struct bf_vport *vport)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_QUERY_NIC_VPORT_OUT_SIZE];
	const uint8_t *ctx = out + BF_QUERY_NIC_VPORT_OUT_CTX;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_NIC_VPORT_CONTEXT);
	ret = bf_obj_exec(func, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	bf_get_mac(ctx, BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS, vport->mac);
	vport->mtu = bf_get(ctx, BF_NIC_VPORT_CONTEXT_MTU);
	vport->roce_en = bf_get(ctx, BF_NIC_VPORT_CONTEXT_ROCE_EN);
	return 0;
}

int
bf_vport_set_roce(struct bf_func *func, bool enable)
{
	uint8_t in[BF_MODIFY_NIC_VPORT_IN_SIZE] = { 0 };
	uint8_t out[BF_OUT_SIZE];

	bf_set(in, BF_IN_OPCODE, BF_OP_MODIFY_NIC_VPORT_CONTEXT);
	bf_set(in, BF_MODIFY_NIC_VPORT_FIELD_SELECT_ROCE_EN, 1);
	bf_set(in + BF_MODIFY_NIC_VPORT_IN_CTX, BF_NIC_VPORT_CONTEXT_ROCE_EN, enable);
	return bf_obj_exec(func, in, sizeof(in), out, sizeof(out));
}

static int
roce_index_check(struct bf_func *func, uint16_t index)
{
	if (index < func->caps.roce_addr_table_size)
		return 0;
	BF_LOG(ERR, "%s: no RoCE address %u, the table has %u", BF_NAME(func), index,
		func->caps.roce_addr_table_size);
	return -EINVAL;
}

int
bf_roce_addr_set(struct bf_func *func, uint16_t index, const struct bf_roce_addr *addr)
{
	uint8_t in[BF_ROCE_ADDRESS_CMD_SIZE] = { 0 };
	uint8_t *at = in + BF_ROCE_ADDRESS_CMD_ADDR;
	uint8_t out[BF_OUT_SIZE];
	int ret;

	ret = roce_index_check(func, index);
	if (ret != 0)
		return ret;
	bf_set(in, BF_IN_OPCODE, BF_OP_SET_ROCE_ADDRESS);
	bf_set(in, BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX, index);
	if (addr != NULL) {
		memcpy(at + BF_ROCE_ADDR_LAYOUT_SOURCE_L3_ADDRESS, addr->gid, sizeof(addr->gid));
		bf_set_mac(at, BF_ROCE_ADDR_LAYOUT_SOURCE_MAC, addr->mac);
		bf_set(at, BF_ROCE_ADDR_LAYOUT_VLAN_VALID, addr->vlan);
		bf_set(at, BF_ROCE_ADDR_LAYOUT_VLAN_ID, addr->vlan ? addr->vlan_id : 0);
		bf_set(at, BF_ROCE_ADDR_LAYOUT_ROCE_L3_TYPE,
			addr->ipv6 ? BF_ROCE_L3_IPV6 : BF_ROCE_L3_IPV4);
		bf_set(at, BF_ROCE_ADDR_LAYOUT_ROCE_VERSION, addr->version);
	}
	return bf_obj_exec(func, in, sizeof(in), out, sizeof(out));
}

int
bf_roce_addr_query(struct bf_func *func, uint16_t index, struct bf_roce_addr *addr)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_ROCE_ADDRESS_CMD_SIZE];
	const uint8_t *at = out + BF_ROCE_ADDRESS_CMD_ADDR;
	int ret;

	ret = roce_index_check(func, index);
	if (ret != 0)
		return ret;
	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_ROCE_ADDRESS);
	bf_set(in, BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX, index);
	ret = bf_obj_exec(func, in, sizeof(in), out, sizeof(out));
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
