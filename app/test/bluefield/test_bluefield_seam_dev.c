/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The back end of test_bluefield_seam.h.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <rte_common.h>

#include "bluefield_obj.h"
#include "test_bluefield_seam.h"

#define PAGE 4096u
#define NOWHERE_BYTES (SEAM_NB_OBJS * (size_t)PAGE)

struct seam_mem {
	struct bf_obj_mem mem;
	void *map;      /* NULL: registered */
	size_t map_len;
};

static struct seam *
to_seam(struct bf_obj_dev *dev)
{
	return (struct seam *)dev;
}

static void
mistake(struct seam *seam, const char *what)
{
	if (seam->mistake == NULL)
		seam->mistake = what;
}

/* One more call: is it refused? */
static int
called(struct seam *seam, enum seam_op op)
{
	return ++seam->nb_calls[op] == seam->refuse_nth && seam->refuse_op == op ? SEAM_ERRNO : 0;
}

static void *
handle_of(struct seam *seam, uint32_t id)
{
	return seam->nowhere + (size_t)id * PAGE + 8;
}

/* The object that a handle is of, if it and its number are. */
static struct seam_obj *
obj_of(const struct bf_obj *obj)
{
	struct seam *seam = to_seam(obj->dev);

	if (obj->id < SEAM_NB_OBJS && seam->objs[obj->id].live &&
			obj->handle == handle_of(seam, obj->id))
		return &seam->objs[obj->id];
	mistake(seam, "an object that is not there, or with another's handle");
	return NULL;
}

static int
obj_new(struct seam *seam, enum bf_obj_kind kind, struct bf_obj *obj)
{
	uint32_t id;

	for (id = 1; id < SEAM_NB_OBJS && seam->objs[id].live; id++)
		;
	if (id == SEAM_NB_OBJS)
		return -ENOSPC;
	seam->objs[id] = (struct seam_obj){ .live = true, .kind = kind, .mem = obj->mem };
	seam->nb_live++;
	obj->id = id;
	obj->gen = seam->gen;
	obj->handle = handle_of(seam, id);
	return 0;
}

static int
obj_end(const struct bf_obj *obj, enum seam_op op)
{
	struct seam *seam = to_seam(obj->dev);
	int ret = called(seam, op);
	struct seam_obj *o = obj_of(obj);

	if (o == NULL)
		return -EINVAL;
	if ((o->kind == BF_OBJ_UAR) != (op == SEAM_UAR_FREE))
		mistake(seam, "a doorbell page ended as another object, or the other way");
	/* gone for the caller, whatever this returns */
	o->live = false;
	seam->nb_live--;
	return ret;
}

static void
seam_caps(struct bf_obj_dev *dev __rte_unused, struct bf_obj_caps *caps)
{
	*caps = (struct bf_obj_caps){
		.max_qp_sz = 1024, .max_cq_sz = 1024, .max_srq_sz = 1024, .max_msg = 1 << 30,
		.roce_addr_table_size = SEAM_NB_ADDRS, .port = 1, .udp_sport = true,
		.cqe_version = 1, .qp_ts_format = BF_QP_TS_DEFAULT,
	};
}

/* Is what the back end has to write still empty? */
static bool
memory_part_empty(const struct bf_obj_new *new)
{
	const uint8_t *in = new->in;

	switch (new->kind) {
	case BF_OBJ_CQ:
		in += BF_CREATE_CQ_IN_CQC;
		return bf_get(in, BF_CQC_LOG_PAGE_SIZE) == 0 &&
			bf_get64(in, BF_CQC_DBR_ADDR) == 0;
	case BF_OBJ_EQ:
		return bf_get(in + BF_CREATE_EQ_IN_EQC, BF_EQC_LOG_PAGE_SIZE) == 0;
	case BF_OBJ_QP:
		in += BF_CREATE_QP_IN_QPC;
		return bf_get(in, BF_QPC_LOG_PAGE_SIZE) == 0 &&
			bf_get64(in, BF_QPC_DBR_ADDR) == 0;
	case BF_OBJ_SRQ:
		in += BF_CREATE_RMP_IN_CTX + BF_RMPC_WQ;
		return bf_get(in, BF_WQ_LOG_WQ_PG_SZ) == 0 && bf_get64(in, BF_WQ_DBR_ADDR) == 0;
	default:
		return bf_get(in, BF_CREATE_MKEY_IN_TRANSLATIONS_OCTWORD_ACTUAL_SIZE) == 0 &&
			bf_get(in + BF_CREATE_MKEY_IN_MKC, BF_MKC_LOG_PAGE_SIZE) == 0 &&
			bf_get(in + BF_CREATE_MKEY_IN_MKC, BF_MKC_TRANSLATIONS_OCTWORD_SIZE) == 0;
	}
}

static void
check_create(struct seam *seam, const struct bf_obj_new *new)
{
	const struct bf_obj_part *part = &new->part;

	if (new->gen != BF_OBJ_GEN_ANY && new->gen != seam->gen)
		mistake(seam, "a command of another generation");
	if ((new->kind == BF_OBJ_PD) != (part->mem == NULL))
		mistake(seam, "an object without its memory");
	if (part->mem == NULL)
		return;
	if (new->in_len != BF_CREATE_IN_SIZE || !memory_part_empty(new))
		mistake(seam, "a command with a memory part");
	if (part->len == 0 || part->off > part->mem->len ||
			part->len > part->mem->len - part->off)
		mistake(seam, "a part beyond its memory");
	if (new->kind != BF_OBJ_MKEY && (part->off != 0 || part->dbr_off < part->len ||
			part->dbr_off % 8 != 0 || part->dbr_off > part->mem->len - 8))
		mistake(seam, "a doorbell record that is no place for one");
}

static int
seam_create(struct bf_obj_dev *dev, const struct bf_obj_new *new, struct bf_obj *obj)
{
	struct seam *seam = to_seam(dev);

	check_create(seam, new);
	if (obj->dev != dev || obj->mem != new->part.mem)
		mistake(seam, "an object that is not prepared");
	memset(seam->in, 0, sizeof(seam->in));
	memcpy(seam->in, new->in, RTE_MIN(new->in_len, sizeof(seam->in)));
	seam->part = new->part;
	if (called(seam, SEAM_CREATE) != 0)
		return SEAM_ERRNO;
	return obj_new(seam, new->kind, obj);
}

static int
seam_modify(const struct bf_obj *obj, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	const uint8_t *qpc = (const uint8_t *)in + BF_CREATE_QP_IN_QPC;
	uint8_t *out_qpc = (uint8_t *)out + BF_CREATE_QP_IN_QPC;
	struct seam *seam = to_seam(obj->dev);
	struct seam_obj *o = obj_of(obj);

	if (o == NULL || called(seam, SEAM_MODIFY) != 0)
		return SEAM_ERRNO;
	if (bf_get(in, BF_OBJ_ID) != obj->id || o->kind != BF_OBJ_QP)
		mistake(seam, "a command that is not about its object");
	memset(out, 0, out_len);
	switch (bf_get(in, BF_IN_OPCODE)) {
	case BF_OP_RST2INIT_QP:
		o->state = BF_QP_INIT;
		break;
	case BF_OP_INIT2RTR_QP:
		o->state = BF_QP_RTR;
		o->remote_qpn = in_len == BF_CREATE_IN_SIZE ? bf_get(qpc, BF_QPC_REMOTE_QPN) : 0;
		memcpy(seam->in, in, RTE_MIN(in_len, sizeof(seam->in)));
		break;
	case BF_OP_RTR2RTS_QP:
		o->state = BF_QP_RTS;
		break;
	case BF_OP_2ERR_QP:
		o->state = BF_QP_ERROR;
		break;
	case BF_OP_2RST_QP:
		o->state = BF_QP_RESET;
		break;
	case BF_OP_QUERY_QP: /* of a test */
		if (out_len != BF_QUERY_QP_OUT_SIZE)
			return -EINVAL;
		bf_set(out_qpc, BF_QPC_STATE, o->state);
		bf_set(out_qpc, BF_QPC_REMOTE_QPN, o->remote_qpn);
		break;
	default:
		mistake(seam, "a command that modifies nothing");
		return -EINVAL;
	}
	return 0;
}

static int
seam_destroy(const struct bf_obj *obj)
{
	return obj_end(obj, SEAM_DESTROY);
}

static int
seam_general(struct bf_obj_dev *dev, const void *in, uint32_t in_len, void *out,
	uint32_t out_len)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 0x77 };
	uint32_t index = bf_get(in, BF_ROCE_ADDRESS_IN_ROCE_ADDRESS_INDEX);
	const uint8_t *ctx = (const uint8_t *)in + BF_MODIFY_NIC_VPORT_IN_CTX;
	uint8_t *answer = (uint8_t *)out + BF_ROCE_ADDRESS_CMD_ADDR;
	struct seam *seam = to_seam(dev);

	if (called(seam, SEAM_GENERAL) != 0)
		return SEAM_ERRNO;
	memset(out, 0, out_len);
	switch (bf_get(in, BF_IN_OPCODE)) {
	case BF_OP_QUERY_NIC_VPORT_CONTEXT:
		bf_set(answer, BF_NIC_VPORT_CONTEXT_MTU, 1500);
		bf_set(answer, BF_NIC_VPORT_CONTEXT_ROCE_EN, seam->roce_en);
		bf_set_mac(answer, BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS, mac);
		return 0;
	case BF_OP_QUERY_ROCE_ADDRESS:
		memcpy(answer, seam->addrs[index % SEAM_NB_ADDRS], sizeof(seam->addrs[0]));
		return 0;
	case BF_OP_MODIFY_NIC_VPORT_CONTEXT:
		seam->roce_en = bf_get(ctx, BF_NIC_VPORT_CONTEXT_ROCE_EN);
		break;
	case BF_OP_SET_ROCE_ADDRESS:
		if (in_len == BF_ROCE_ADDRESS_CMD_SIZE)
			memcpy(seam->addrs[index % SEAM_NB_ADDRS],
				(const uint8_t *)in + BF_ROCE_ADDRESS_CMD_ADDR,
				sizeof(seam->addrs[0]));
		break;
	default:
		mistake(seam, "a command that is not general");
		return -EINVAL;
	}
	if (seam->ops.gid_index != NULL)
		mistake(seam, "the port is somebody else's, and was set");
	return 0;
}

static int
seam_uar_alloc(struct bf_obj_dev *dev, struct bf_obj *uar, volatile void **page)
{
	struct seam *seam = to_seam(dev);
	int ret;

	if (called(seam, SEAM_UAR_ALLOC) != 0)
		return SEAM_ERRNO;
	ret = obj_new(seam, BF_OBJ_UAR, uar);
	if (ret == 0)
		*page = seam->nowhere + (size_t)uar->id * PAGE;
	return ret;
}

static int
seam_uar_free(const struct bf_obj *uar)
{
	return obj_end(uar, SEAM_UAR_FREE);
}

static void
seam_doorbell(const struct bf_obj *uar, uint32_t off, rte_be64_t val)
{
	struct seam *seam = to_seam(uar->dev);

	if (obj_of(uar) == NULL)
		return;
	seam->nb_doorbells++;
	seam->doorbell_off = off;
	seam->doorbell_val = val;
}

static void
seam_doorbell32(const struct bf_obj *uar, uint32_t off, rte_be32_t val)
{
	struct seam *seam = to_seam(uar->dev);

	if (obj_of(uar) == NULL)
		return;
	seam->nb_doorbells++;
	seam->doorbell_off = off;
	seam->doorbell_val32 = val;
}

static int
seam_eqn(struct bf_obj_dev *dev, uint32_t *eqn)
{
	*eqn = SEAM_EQ_NUMBER;
	return called(to_seam(dev), SEAM_EQN);
}

/*
 * Memory
 */

static int
mem_new(struct seam *seam, void *addr, size_t len, bool writable, struct bf_obj_mem **out)
{
	struct seam_mem *mem = calloc(1, sizeof(*mem));

	if (mem == NULL)
		return -ENOMEM;
	mem->mem = (struct bf_obj_mem){
		.dev = &seam->dev, .addr = addr, .len = len, .writable = writable,
	};
	seam->nb_mems++;
	*out = &mem->mem;
	return 0;
}

/* It ends where a page begins that faults. */
static int
seam_mem_alloc(struct bf_obj_dev *dev, size_t len, struct bf_obj_mem **out)
{
	size_t map_len = RTE_ALIGN_CEIL(len, PAGE);
	struct seam *seam = to_seam(dev);
	struct seam_mem *mem;
	uint8_t *map;
	int ret;

	if (called(seam, SEAM_MEM_ALLOC) != 0)
		return SEAM_ERRNO;
	map = mmap(NULL, map_len + PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return -ENOMEM;
	ret = mprotect(map, map_len, PROT_READ | PROT_WRITE) != 0 ? -ENOMEM :
		mem_new(seam, map + map_len - len, len, true, out);
	if (ret != 0) {
		munmap(map, map_len + PAGE);
		return ret;
	}
	mem = (struct seam_mem *)*out;
	mem->map = map;
	mem->map_len = map_len + PAGE;
	return 0;
}

static int
seam_mem_register(struct bf_obj_dev *dev, void *addr, size_t len, uint32_t flags,
	struct bf_obj_mem **out)
{
	struct seam *seam = to_seam(dev);

	if (called(seam, SEAM_MEM_REGISTER) != 0)
		return SEAM_ERRNO;
	return mem_new(seam, addr, len, (flags & BF_MEM_F_WRITE) != 0, out);
}

static int
seam_mem_free(struct bf_obj_mem *pub)
{
	struct seam_mem *mem = (struct seam_mem *)pub;
	struct seam *seam = to_seam(pub->dev);
	uint32_t i;

	for (i = 0; i < SEAM_NB_OBJS; i++)
		if (seam->objs[i].live && seam->objs[i].mem == pub)
			mistake(seam, "memory freed before its object");
	if (mem->map != NULL)
		munmap(mem->map, mem->map_len);
	free(mem);
	seam->nb_mems--;
	return called(seam, SEAM_MEM_FREE);
}

static int
seam_gid_index(struct bf_obj_dev *dev, const struct bf_roce_addr *addr, uint16_t *index)
{
	struct seam *seam = to_seam(dev);
	uint16_t i;

	if (called(seam, SEAM_GID_INDEX) != 0)
		return SEAM_ERRNO;
	for (i = 0; i < SEAM_NB_ADDRS; i++) {
		if (memcmp(seam->addrs[i], addr->gid, sizeof(addr->gid)) == 0) {
			*index = i;
			return 0;
		}
	}
	return -ENOENT;
}

/*
 * Life
 */

static const struct bf_obj_ops seam_ops = {
	.caps = seam_caps,
	.create = seam_create,
	.modify = seam_modify,
	.destroy = seam_destroy,
	.general = seam_general,
	.uar_alloc = seam_uar_alloc,
	.uar_free = seam_uar_free,
	.doorbell = seam_doorbell,
	.doorbell32 = seam_doorbell32,
	.eqn = seam_eqn,
	.mem_alloc = seam_mem_alloc,
	.mem_register = seam_mem_register,
	.mem_free = seam_mem_free,
};

int
seam_open(struct seam *seam)
{
	memset(seam, 0, sizeof(*seam));
	seam->nowhere = mmap(NULL, NOWHERE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (seam->nowhere == MAP_FAILED) {
		seam->nowhere = NULL;
		return -1;
	}
	seam->ops = seam_ops;
	seam->dev.ops = &seam->ops;
	seam->dev.name = "seam";
	seam->refuse_op = NB_SEAM_OPS;
	return 0;
}

void
seam_own_port(struct seam *seam, bool roce_en)
{
	seam->ops.gid_index = seam_gid_index;
	seam->roce_en = roce_en;
}

void
seam_close(struct seam *seam)
{
	if (seam->nowhere != NULL)
		munmap(seam->nowhere, NOWHERE_BYTES);
	seam->nowhere = NULL;
}

uint32_t
seam_calls(const struct seam *seam)
{
	uint32_t i, nb = 0;

	for (i = 0; i < NB_SEAM_OPS; i++)
		nb += seam->nb_calls[i];
	return nb;
}
