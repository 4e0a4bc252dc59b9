/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The back end of objects for a function that is ours: it gives their commands to
 * firmware, with the addresses of their memory, and keeps memory that firmware may
 * still use. It uses func and, for memory and doorbells, hw. What a command makes is
 * known in bluefield_obj.c and bluefield_qp.c; only where its memory part is, is
 * known here.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include <rte_bitops.h>
#include <rte_common.h>

#include "bluefield_func_priv.h"
#include "bluefield_fw.h"

/* Pages of a ring in one command; a larger ring has larger pages. */
#define FW_RING_MAX_PAS 512u
/* Pages of a memory key. */
#define FW_MKEY_MAX_PAS 2000u
#define FW_MIN_PAGE_SHIFT 12u
#define FW_MAX_PAGE_SHIFT 31u

struct fw_dev {
	struct bf_obj_dev dev;
	struct bf_func *func;
};

/* Memory that is in one piece for the device. */
struct fw_run {
	size_t off;          /* of its start in the memory */
	uint64_t iova;
};

struct fw_mem {
	struct bf_obj_mem mem;
	struct bf_mem *dma;  /* goes to the function if that may still use it; NULL: registered */
	bool lost;           /* with ctl: firmware may still use it, */
	uint32_t lost_gen;   /* unless there was a reset since */
	uint32_t nb_runs;
	struct fw_run runs[];
};

/* What is different from kind to kind. */
struct fw_kind {
	uint16_t destroy;    /* opcode */
	/* where the memory part of a ring is */
	uint16_t ctx;        /* byte of the context in the command; 0: there is no ring */
	uint16_t dbr;        /* byte of the doorbell record's address in it; 0: it has none */
	uint32_t page_size;  /* field, log of 4096 bytes */
};

static const struct fw_kind fw_kinds[BF_NB_OBJ_KINDS] = {
	[BF_OBJ_PD] = { .destroy = BF_OP_DEALLOC_PD },
	[BF_OBJ_UAR] = { .destroy = BF_OP_DEALLOC_UAR },
	[BF_OBJ_CQ] = { BF_OP_DESTROY_CQ, BF_CREATE_CQ_IN_CQC, BF_CQC_DBR_ADDR,
		BF_CQC_LOG_PAGE_SIZE },
	[BF_OBJ_MKEY] = { .destroy = BF_OP_DESTROY_MKEY },
	[BF_OBJ_QP] = { BF_OP_DESTROY_QP, BF_CREATE_QP_IN_QPC, BF_QPC_DBR_ADDR,
		BF_QPC_LOG_PAGE_SIZE },
	[BF_OBJ_SRQ] = { BF_OP_DESTROY_RMP, BF_CREATE_RMP_IN_CTX + BF_RMPC_WQ, BF_WQ_DBR_ADDR,
		BF_WQ_LOG_WQ_PG_SZ },
	[BF_OBJ_EQ] = { BF_OP_DESTROY_EQ, BF_CREATE_EQ_IN_EQC, 0, BF_EQC_LOG_PAGE_SIZE },
};

static struct bf_func *
to_func(const struct bf_obj_dev *dev)
{
	return ((const struct fw_dev *)dev)->func;
}

static struct fw_mem *
to_mem(struct bf_obj_mem *mem)
{
	return (struct fw_mem *)mem;
}

/* An object's handle is what is known of its kind. */
static const struct fw_kind *
to_kind(const struct bf_obj *obj)
{
	return obj->handle;
}

static void *
handle_of(enum bf_obj_kind kind)
{
	return (void *)(uintptr_t)&fw_kinds[kind];
}

/*
 * Commands
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
exec_locked(struct bf_func *func, const void *in, uint32_t in_len, void *out, uint32_t out_len,
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

/* A command about what is of a generation, or of all of them. */
static int
fw_exec(struct bf_func *func, uint32_t gen, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	bool lost;
	int ret;

	bf_lock(&func->ctl);
	ret = gen != BF_OBJ_GEN_ANY && gen != func->gen ? -ESTALE :
		exec_locked(func, in, in_len, out, out_len, &lost);
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	return ret;
}

static int
fw_exec_on(const struct bf_obj *obj, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	return fw_exec(to_func(obj->dev), obj->gen, in, in_len, out, out_len);
}

static int
fw_general(struct bf_obj_dev *dev, const void *in, uint32_t in_len, void *out, uint32_t out_len)
{
	return fw_exec(to_func(dev), BF_OBJ_GEN_ANY, in, in_len, out, out_len);
}

/*
 * Memory
 */

static struct fw_mem *
mem_new(struct bf_obj_dev *dev, uint32_t nb_runs)
{
	struct fw_mem *mem;

	mem = calloc(1, sizeof(*mem) + nb_runs * sizeof(mem->runs[0]));
	if (mem == NULL) {
		BF_LOG(ERR, "%s: no memory to note where memory is", dev->name);
		return NULL;
	}
	mem->mem.dev = dev;
	mem->nb_runs = nb_runs;
	return mem;
}

/* Pages of 1 << shift bytes that have [first, first + len). */
static uint64_t
nb_pages(uint64_t first, size_t len, uint32_t shift)
{
	return ((first + len - 1) >> shift) - (first >> shift) + 1;
}

/* The smallest pages of which so many are enough. */
static uint32_t
page_shift(uint64_t first, size_t len, uint32_t max_pas)
{
	uint32_t shift = FW_MIN_PAGE_SHIFT;

	while (nb_pages(first, len, shift) > max_pas)
		shift++;
	return shift;
}

static int
fw_mem_alloc(struct bf_obj_dev *dev, size_t len, struct bf_obj_mem **out)
{
	struct bf_hw *hw = to_func(dev)->hw;
	const size_t own = sysconf(_SC_PAGESIZE);
	struct fw_mem *mem;
	struct bf_dma *dma;
	size_t page;
	int ret;

	mem = mem_new(dev, 1);
	if (mem == NULL)
		return -ENOMEM;
	mem->dma = calloc(1, sizeof(*mem->dma));
	if (mem->dma == NULL) {
		BF_LOG(ERR, "%s: no memory to note where memory is", dev->name);
		free(mem);
		return -ENOMEM;
	}
	dma = &mem->dma->dma;
	/* whole pages, as large as those of a ring that takes all of it */
	page = (size_t)1 << page_shift(0, len, FW_RING_MAX_PAS);
	/* that of a region begins at a page of this machine, too */
	if (len % own == 0)
		page = RTE_MAX(page, own);
	ret = hw->ops->dma_alloc(hw, RTE_ALIGN_CEIL(len, page), page, dma);
	if (ret != 0) {
		BF_LOG(ERR, "%s: no DMA memory of %zu bytes (%d); give EAL more memory (-m)",
			dev->name, len, ret);
		free(mem->dma);
		free(mem);
		return ret;
	}
	mem->mem.addr = dma->addr;
	mem->mem.len = len;
	mem->mem.writable = true;
	mem->runs[0].iova = dma->iova;
	*out = &mem->mem;
	return 0;
}

/* Number of runs, up to max that are written, or a negative errno. */
static int
runs_find(struct bf_hw *hw, const uint8_t *addr, size_t len, struct fw_run *runs, int max)
{
	uint64_t iova, end = BF_NO_IOVA;
	size_t off, run;
	int nb = 0;

	for (off = 0; off < len; off += run) {
		iova = hw->ops->dma_iova(hw, addr + off, &run);
		if (iova == BF_NO_IOVA)
			return -EINVAL;
		run = RTE_MIN(run, len - off);
		if (off == 0 || iova != end) {
			if (nb < max)
				runs[nb] = (struct fw_run){ .off = off, .iova = iova };
			nb++;
		}
		end = iova + run;
	}
	return nb;
}

static void
mem_unmap(struct bf_hw *hw, const void *addr, size_t len)
{
	if (hw->ops->dma_unmap != NULL)
		hw->ops->dma_unmap(hw, addr, len);
}

static int
fw_mem_register(struct bf_obj_dev *dev, void *addr, size_t len, uint32_t flags,
	struct bf_obj_mem **out)
{
	const bool try = (flags & BF_MEM_F_TRY) != 0;
	struct bf_hw *hw = to_func(dev)->hw;
	struct fw_mem *mem;
	int nb, ret;

	ret = hw->ops->dma_map != NULL ? hw->ops->dma_map(hw, addr, len, try) : 0;
	if (ret != 0)
		return ret;
	nb = runs_find(hw, addr, len, NULL, 0);
	mem = nb < 0 ? NULL : mem_new(dev, nb);
	/* the application keeps it in place: the second look sees the same */
	if (mem == NULL || runs_find(hw, addr, len, mem->runs, nb) != nb) {
		if ((nb < 0 || mem != NULL) && !try)
			BF_LOG(ERR, "%s: the device cannot reach all of the %zu bytes at %p: take them from EAL (rte_malloc, mempools), or tell EAL of them (rte_extmem_register, rte_dev_dma_map)",
				dev->name, len, addr);
		ret = nb < 0 || mem != NULL ? -EINVAL : -ENOMEM;
		mem_unmap(hw, addr, len);
		free(mem);
		return ret;
	}
	mem->mem.addr = addr;
	mem->mem.len = len;
	mem->mem.writable = (flags & BF_MEM_F_WRITE) != 0;
	*out = &mem->mem;
	return 0;
}

static int
fw_mem_free(struct bf_obj_mem *pub)
{
	struct fw_mem *mem = to_mem(pub);
	struct bf_func *func = to_func(pub->dev);
	bool lost;
	int ret = 0;

	bf_lock(&func->ctl);
	lost = mem->lost && mem->lost_gen == func->gen;
	if (mem->dma != NULL && lost) {
		bf_func_defer_free(func, mem->dma);
	} else if (mem->dma != NULL) {
		func->hw->ops->dma_free(func->hw, &mem->dma->dma);
		free(mem->dma);
	} else {
		/* a key that is left finds nothing there, if the bus lets us take it away */
		mem_unmap(func->hw, pub->addr, pub->len);
		ret = lost ? -EBUSY : 0;
	}
	bf_unlock(&func->ctl);
	if (ret != 0)
		BF_LOG(WARNING, "%s: the device may use the %zu bytes at %p until it is reset",
			pub->dev->name, pub->len, pub->addr);
	free(mem);
	return ret;
}

/* Firmware may use it until the next reset; with ctl. */
static void
mem_lost(const struct bf_func *func, struct bf_obj_mem *mem)
{
	if (mem == NULL)
		return;
	to_mem(mem)->lost = true;
	to_mem(mem)->lost_gen = func->gen;
}

/*
 * The memory part of create commands
 */

/*
 * The list of pages of a part of memory, which the object finds at the address first:
 * what differs between that and the device's address is whole pages, and a run that
 * begins within the part begins with a page. Returns the length of the list.
 */
static int
pas_fill(const struct bf_obj_new *new, uint64_t first, uint32_t max_pas, uint32_t flags,
	uint8_t *in, uint32_t *shift)
{
	const struct fw_mem *mem = to_mem(new->part.mem);
	size_t off = new->part.off, len = new->part.len, pos = 0;
	uint32_t run = 0, i, nb = 0;
	uint64_t bits, iova, page;

	while (run + 1 < mem->nb_runs && mem->runs[run + 1].off <= off)
		run++;
	bits = first - (mem->runs[run].iova + off - mem->runs[run].off);
	for (i = run + 1; i < mem->nb_runs && mem->runs[i].off < off + len; i++)
		bits |= (first + mem->runs[i].off - off) | mem->runs[i].iova;
	*shift = page_shift(first, len, max_pas);
	page = RTE_BIT64(*shift);
	if (*shift > FW_MAX_PAGE_SHIFT || (bits & (page - 1)) != 0) {
		BF_LOG(ERR, "%s: %zu bytes are in too many pieces for one object: use larger hugepages, or make keys of parts of it",
			mem->mem.dev->name, len);
		return -E2BIG;
	}
	for (; pos < len; pos = RTE_ALIGN_FLOOR(first + pos, page) + page - first) {
		while (run + 1 < mem->nb_runs && mem->runs[run + 1].off <= off + pos)
			run++;
		iova = mem->runs[run].iova + off + pos - mem->runs[run].off;
		bf_set64(in, BF_CREATE_IN_PAS + 8 * nb++, RTE_ALIGN_FLOOR(iova, page) | flags);
	}
	return nb;
}

static int
ring_fill(const struct bf_obj_new *new, uint8_t *in)
{
	const struct fw_kind *kind = &fw_kinds[new->kind];
	const struct fw_mem *mem = to_mem(new->part.mem);
	uint32_t shift;
	int nb;

	/* of its own first page, which is a page of the device's */
	nb = pas_fill(new, 0, FW_RING_MAX_PAS, 0, in, &shift);
	if (nb < 0)
		return nb;
	bf_set(in + kind->ctx, kind->page_size, shift - FW_MIN_PAGE_SHIFT);
	/* only our own memory has rings, and that is one run */
	if (kind->dbr != 0)
		bf_set64(in + kind->ctx, kind->dbr, mem->runs[0].iova + new->part.dbr_off);
	return 8 * nb;
}

static int
mkey_fill(const struct bf_obj_new *new, uint8_t *in)
{
	uint8_t *mkc = in + BF_CREATE_MKEY_IN_MKC;
	uint32_t shift, octwords;
	int nb;

	/* without pg_access in the command, only the rights of the key count */
	nb = pas_fill(new, bf_get64(mkc, BF_MKC_START_ADDR), FW_MKEY_MAX_PAS,
		BF_MTT_READ | BF_MTT_WRITE, in, &shift);
	if (nb < 0)
		return nb;
	octwords = (nb + 1) / 2;
	bf_set(in, BF_CREATE_MKEY_IN_TRANSLATIONS_OCTWORD_ACTUAL_SIZE, octwords);
	bf_set(mkc, BF_MKC_TRANSLATIONS_OCTWORD_SIZE, octwords);
	bf_set(mkc, BF_MKC_LOG_PAGE_SIZE, shift);
	return 16 * octwords;
}

/* A copy of the command, with its memory part. */
static int
new_fill(const struct bf_obj_new *new, uint8_t **out, uint32_t *in_len)
{
	bool mkey = new->kind == BF_OBJ_MKEY, has_mem = new->part.mem != NULL;
	uint32_t max = !has_mem ? 0 : mkey ? FW_MKEY_MAX_PAS : FW_RING_MAX_PAS;
	uint8_t *in;
	int ret;

	in = calloc(1, new->in_len + 8 * max);
	if (in == NULL)
		return -ENOMEM;
	memcpy(in, new->in, new->in_len);
	ret = !has_mem ? 0 : mkey ? mkey_fill(new, in) : ring_fill(new, in);
	if (ret < 0) {
		free(in);
		return ret;
	}
	*in_len = new->in_len + ret;
	*out = in;
	return 0;
}

/*
 * Objects
 */

static void
count(struct bf_func *func, enum bf_obj_kind kind, int nb)
{
	__atomic_store_n(&func->nb_objs[kind], func->nb_objs[kind] + nb, __ATOMIC_RELAXED);
}

static int
fw_create(struct bf_obj_dev *dev, const struct bf_obj_new *new, struct bf_obj *obj)
{
	struct bf_func *func = to_func(dev);
	uint8_t out[BF_OUT_SIZE];
	bool lost = false;
	uint32_t in_len;
	uint8_t *in;
	int ret;

	ret = new_fill(new, &in, &in_len);
	if (ret == -ENOMEM)
		BF_LOG(ERR, "%s: no memory for a command", dev->name);
	if (ret != 0)
		return ret;
	bf_lock(&func->ctl);
	/* numbers from before a reset are of others now */
	if (new->gen != BF_OBJ_GEN_ANY && new->gen != func->gen)
		ret = -ESTALE;
	else
		ret = exec_locked(func, in, in_len, out, sizeof(out), &lost);
	if (ret == 0) {
		obj->id = bf_get(out, BF_OBJ_ID);
		obj->gen = func->gen;
		obj->handle = handle_of(new->kind);
		count(func, new->kind, 1);
	} else if (lost) {
		mem_lost(func, new->part.mem);
	}
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	free(in);
	if (ret == -ESTALE)
		BF_LOG(DEBUG, "%s: a new object names one from before a reset", dev->name);
	return ret;
}

static int
fw_destroy(const struct bf_obj *obj)
{
	const struct fw_kind *kind = to_kind(obj);
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	struct bf_func *func = to_func(obj->dev);
	uint8_t out[BF_OUT_SIZE];
	bool lost;
	int ret = 0;

	bf_set(in, BF_IN_OPCODE, kind->destroy);
	bf_set(in, BF_OBJ_ID, obj->id);
	bf_lock(&func->ctl);
	if (obj->gen == func->gen) {
		ret = exec_locked(func, in, sizeof(in), out, sizeof(out), &lost);
		/* what firmware keeps is counted: the function will be reset, then */
		if (ret == 0)
			count(func, kind - fw_kinds, -1);
		else
			mem_lost(func, obj->mem);
	}
	bf_unlock(&func->ctl);
	bf_fatal_deliver(func);
	return ret;
}

static int
fw_last_wqe(const struct bf_obj *qp)
{
	return bf_eq_last_wqe(to_func(qp->dev), qp->id);
}

/*
 * What belongs to the device
 */

static void
fw_caps(struct bf_obj_dev *dev, struct bf_obj_caps *caps)
{
	const struct bf_func *func = to_func(dev);

	caps->max_qp_sz = func->caps.max_qp_sz;
	caps->max_cq_sz = func->caps.max_cq_sz;
	caps->max_srq_sz = func->caps.max_srq_sz;
	caps->max_msg = func->caps.max_msg;
	caps->roce_addr_table_size = func->caps.roce_addr_table_size;
	caps->port = func->caps.port;
	caps->nb_ports = func->caps.nb_ports;
	caps->udp_sport = func->caps.udp_sport;
	caps->cqe_version = __atomic_load_n(&func->cqe_version, __ATOMIC_RELAXED);
	caps->qp_ts_format = __atomic_load_n(&func->qp_ts_format, __ATOMIC_RELAXED);
}

static int
fw_uar_alloc(struct bf_obj_dev *dev, struct bf_obj *uar, volatile void **page)
{
	const struct bf_hw *hw = to_func(dev)->hw;
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	const struct bf_obj_new new = {
		.kind = BF_OBJ_UAR, .in = in, .in_len = sizeof(in), .gen = BF_OBJ_GEN_ANY,
	};
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_ALLOC_UAR);
	ret = fw_create(dev, &new, uar);
	if (ret != 0)
		return ret;
	if (uar->id >= hw->bar_size / BF_UAR_SIZE) {
		BF_LOG(ERR, "%s: ALLOC_UAR: doorbell page 0x%x is outside of the BAR (%u bytes); "
			"reset the card", dev->name, uar->id, hw->bar_size);
		fw_destroy(uar);
		return -EIO;
	}
	*page = hw->bar == NULL ? NULL :
		(volatile uint8_t *)hw->bar + (size_t)uar->id * BF_UAR_SIZE;
	return 0;
}

static void
fw_doorbell(const struct bf_obj *uar, uint32_t off, rte_be64_t val)
{
	struct bf_hw *hw = to_func(uar->dev)->hw;

	hw->ops->write64(hw, uar->id * BF_UAR_SIZE + off, rte_be_to_cpu_64(val));
}

static void
fw_doorbell32(const struct bf_obj *uar, uint32_t off, rte_be32_t val)
{
	struct bf_hw *hw = to_func(uar->dev)->hw;

	hw->ops->write32(hw, uar->id * BF_UAR_SIZE + off, rte_be_to_cpu_32(val));
}

static int
fw_eqn(struct bf_obj_dev *dev, uint32_t *eqn)
{
	*eqn = bf_func_eqn(to_func(dev));
	return 0;
}

static const struct bf_obj_ops fw_ops = {
	.caps = fw_caps,
	.create = fw_create,
	.modify = fw_exec_on,
	.last_wqe = fw_last_wqe,
	.destroy = fw_destroy,
	.general = fw_general,
	.uar_alloc = fw_uar_alloc,
	.uar_free = fw_destroy,
	.doorbell = fw_doorbell,
	.doorbell32 = fw_doorbell32,
	.eqn = fw_eqn,
	.mem_alloc = fw_mem_alloc,
	.mem_register = fw_mem_register,
	.mem_free = fw_mem_free,
};

int
bf_fw_open(struct bf_func *func, struct bf_obj_dev **dev)
{
	struct fw_dev *fw;

	fw = calloc(1, sizeof(*fw));
	if (fw == NULL) {
		BF_LOG(ERR, "%s: no memory for the objects of the function", BF_NAME(func));
		return -ENOMEM;
	}
	fw->dev.ops = &fw_ops;
	fw->dev.name = BF_NAME(func);
	fw->func = func;
	*dev = &fw->dev;
	return 0;
}

void
bf_fw_close(struct bf_obj_dev *dev)
{
	free(dev);
}
