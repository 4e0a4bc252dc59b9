/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device of the hostile server: what a vfio-user client may ask, a few
 * registers, and firmware that says yes to everything, with just those answers
 * that the driver wants to see. Nothing that it is given is checked for sense.
 */

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include <rte_byteorder.h>

#include "test_bluefield_hostile_dev.h"
#include "test_comch_util.h"

#define VENDOR_ID 0x15b3
#define DEVICE_ID 0xa2dc
#define LOG_CMDQ_SIZE 5
#define LOG_CMDQ_STRIDE 6
#define PAGE 4096u
#define SHARED_OFF 0x1000u
#define UAR 16
#define EQN 3

int
hostile_dev_create(struct hostile_vfu *e)
{
	e->page_fd = hostile_vfu_file(SHARED_OFF + PAGE, 0);
	if (e->page_fd < 0)
		return -errno;
	e->page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, e->page_fd, SHARED_OFF);
	if (e->page == MAP_FAILED) {
		e->page = NULL;
		return -errno;
	}
	return fcntl(e->page_fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0 ? 0 : -errno;
}

void
hostile_dev_destroy(struct hostile_vfu *e)
{
	hostile_dev_forget(e);
	if (e->page != NULL)
		munmap(e->page, PAGE);
	if (e->page_fd >= 0)
		close(e->page_fd);
	e->page = NULL;
	e->page_fd = -1;
}

/* As after a reset of the function. */
static void
dev_reset(struct hostile_vfu *e)
{
	e->cmdq = 0;
	e->eq = 0;
	e->nb_pages = 0;
}

void
hostile_dev_forget(struct hostile_vfu *e)
{
	dev_reset(e);
	while (e->nb_maps > 0) {
		e->nb_maps--;
		munmap(e->maps[e->nb_maps].mem, e->maps[e->nb_maps].size);
	}
	if (e->irq_fd >= 0)
		close(e->irq_fd);
	e->irq_fd = -1;
}

void *
hostile_vfu_mem(struct hostile_vfu *e, uint64_t addr, uint64_t len)
{
	struct hostile_map *map;
	uint32_t i;

	for (i = 0; i < e->nb_maps; i++) {
		map = &e->maps[i];
		if (addr >= map->addr && addr - map->addr < map->size &&
				len <= map->size - (addr - map->addr))
			return (uint8_t *)map->mem + (addr - map->addr);
	}
	return NULL;
}

void
hostile_dev_tick(struct hostile_vfu *e)
{
	rte_be32_t val;

	if (e->page_stands)
		return;
	e->counter++;
	val = rte_cpu_to_be_32(e->counter & 0xffffff);
	memcpy((uint8_t *)e->page + BF_REG_HEALTH_COUNTER - SHARED_OFF, &val, sizeof(val));
}

/*
 * Events
 */

static void
post(struct hostile_vfu *e, uint8_t type, uint8_t sub_type, const uint8_t *data)
{
	struct bf_eqe *eqe;
	uint64_t one = 1;
	uint32_t i = e->eq_pi & ((1u << e->eq_log) - 1);

	eqe = e->eq == 0 ? NULL : hostile_vfu_mem(e, e->eq + i * sizeof(*eqe), sizeof(*eqe));
	if (eqe == NULL)
		return;
	eqe->type = type;
	eqe->sub_type = sub_type;
	if (data != NULL)
		memcpy(eqe->data, data, sizeof(eqe->data));
	__atomic_store_n(&eqe->owner, (e->eq_pi >> e->eq_log) & 1, __ATOMIC_RELEASE);
	e->eq_pi++;
	if (e->irq_fd >= 0 && write(e->irq_fd, &one, sizeof(one)) < 0)
		e->irq_fd = -1;
}

void
hostile_vfu_event(struct hostile_vfu *e, uint8_t type, uint8_t sub_type, const uint8_t *data)
{
	pthread_mutex_lock(&e->lock);
	post(e, type, sub_type, data);
	pthread_mutex_unlock(&e->lock);
}

void
hostile_vfu_page_event(struct hostile_vfu *e, uint32_t who, int32_t num)
{
	uint8_t data[28] = { 0 };
	rte_be32_t val = rte_cpu_to_be_32(who);

	memcpy(data, &val, sizeof(val));
	bf_set(data, BF_EVENT_PAGES_NUM, (uint32_t)num);
	hostile_vfu_event(e, BF_EVENT_PAGE_REQUEST, 0, data);
}

/*
 * Firmware
 */

static void
fw_caps(const uint8_t *in, uint8_t *out)
{
	uint8_t *cap = out + BF_CAP_CMD_DATA;

	if (bf_get(in, BF_IN_OP_MOD) >> 1 == BF_CAP_TYPE_ROCE)
		bf_set(cap, BF_ROCE_CAP_ROCE_ADDRESS_TABLE_SIZE, 16);
	if (bf_get(in, BF_IN_OP_MOD) >> 1 != BF_CAP_TYPE_GENERAL)
		return;
	bf_set(cap, BF_CMD_HCA_CAP_ROCE, 1);
	bf_set(cap, BF_CMD_HCA_CAP_NUM_PORTS, 1);
	bf_set(cap, BF_CMD_HCA_CAP_PORT_TYPE, BF_PORT_TYPE_ETH);
	bf_set(cap, BF_CMD_HCA_CAP_RC, 1);
	bf_set(cap, BF_CMD_HCA_CAP_LOG_PG_SZ, 12);
	bf_set(cap, BF_CMD_HCA_CAP_LOG_MAX_QP, 10);
	bf_set(cap, BF_CMD_HCA_CAP_LOG_MAX_CQ, 10);
	bf_set(cap, BF_CMD_HCA_CAP_LOG_MAX_EQ, 4);
	bf_set(cap, BF_CMD_HCA_CAP_LOG_MAX_MSG, 30);
}

static void
fw_pages(struct hostile_vfu *e, const uint8_t *in, uint32_t in_len, uint8_t *out, uint32_t out_len)
{
	uint32_t nb = bf_get(in, BF_MANAGE_PAGES_IN_INPUT_NUM_ENTRIES), i;

	switch (bf_get(in, BF_IN_OP_MOD)) {
	case BF_MANAGE_PAGES_GIVE:
		for (i = 0; i < nb && e->nb_pages < HOSTILE_PAGES &&
				BF_MANAGE_PAGES_PAS + 8 * (i + 1) <= in_len; i++)
			e->pages[e->nb_pages++] = bf_get64(in, BF_MANAGE_PAGES_PAS + 8 * i);
		break;
	case BF_MANAGE_PAGES_TAKE:
		for (i = 0; i < nb && e->nb_pages > 0 &&
				BF_MANAGE_PAGES_PAS + 8 * (i + 1) <= out_len; i++)
			bf_set64(out, BF_MANAGE_PAGES_PAS + 8 * i, e->pages[--e->nb_pages]);
		bf_set(out, BF_MANAGE_PAGES_OUT_OUTPUT_NUM_ENTRIES, i);
		break;
	default:
		e->nb_refusals++;
		break;
	}
}

static void
fw_exec(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in, uint32_t in_len, uint8_t *out,
	uint32_t out_len)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 1 };

	switch (opcode) {
	case BF_OP_QUERY_ISSI:
		bf_set(out, BF_QUERY_ISSI_OUT_SUPPORTED_ISSI_DW0, 3);
		break;
	case BF_OP_QUERY_PAGES:
		bf_set(out, BF_QUERY_PAGES_OUT_NUM_PAGES, bf_get(in, BF_IN_OP_MOD) ==
			BF_QUERY_PAGES_BOOT ? e->boot_pages : e->init_pages);
		break;
	case BF_OP_MANAGE_PAGES:
		fw_pages(e, in, in_len, out, out_len);
		break;
	case BF_OP_QUERY_HCA_CAP:
		fw_caps(in, out);
		break;
	case BF_OP_QUERY_VPORT_STATE:
		bf_set(out, BF_QUERY_VPORT_STATE_OUT_STATE, BF_VPORT_UP);
		break;
	case BF_OP_QUERY_NIC_VPORT_CONTEXT:
		bf_set_mac(out + BF_QUERY_NIC_VPORT_OUT_CTX,
			BF_NIC_VPORT_CONTEXT_PERMANENT_ADDRESS, mac);
		break;
	case BF_OP_ALLOC_UAR:
		bf_set(out, BF_OBJ_ID, UAR);
		break;
	case BF_OP_CREATE_EQ:
		e->eq = bf_get64(in, BF_CREATE_IN_PAS);
		e->eq_log = bf_get(in + BF_CREATE_EQ_IN_EQC, BF_EQC_LOG_EQ_SIZE);
		e->eq_pi = 0;
		bf_set(out, BF_OBJ_EQ_NUMBER, EQN);
		break;
	case BF_OP_DESTROY_EQ:
		e->eq = 0;
		break;
	default:
		break;
	}
}

/* Data of a chain of mailboxes, from it or into it. */
static void
mailboxes(struct hostile_vfu *e, uint64_t addr, uint8_t *data, uint32_t len, bool out)
{
	struct bf_mbox *mbox;
	uint32_t part;

	for (; len > 0; len -= part, data += part) {
		mbox = hostile_vfu_mem(e, addr, sizeof(*mbox));
		if (mbox == NULL)
			return;
		part = RTE_MIN(len, (uint32_t)BF_MBOX_DATA);
		if (out)
			memcpy(mbox->data, data, part);
		else
			memcpy(data, mbox->data, part);
		addr = rte_be_to_cpu_64(mbox->next);
	}
}

static void
fw_entry(struct hostile_vfu *e, uint32_t index)
{
	static uint8_t in[HOSTILE_OUT], out[HOSTILE_OUT];
	struct bf_cmd_entry *entry;
	uint32_t in_len, out_len;
	enum hostile_fw ret = HOSTILE_FW_HONEST;
	uint16_t opcode;

	entry = hostile_vfu_mem(e, e->cmdq + ((uint64_t)index << LOG_CMDQ_STRIDE), sizeof(*entry));
	if (entry == NULL)
		return;
	in_len = rte_be_to_cpu_32(entry->in_len);
	out_len = rte_be_to_cpu_32(entry->out_len);
	if (in_len > sizeof(in) || out_len > sizeof(out) || in_len < BF_CMD_INLINE ||
			out_len < BF_CMD_INLINE)
		return;
	memcpy(in, entry->in, BF_CMD_INLINE);
	mailboxes(e, rte_be_to_cpu_64(entry->in_ptr), in + BF_CMD_INLINE, in_len - BF_CMD_INLINE,
		false);
	memset(out, 0, sizeof(out));
	opcode = (uint16_t)bf_get(in, BF_IN_OPCODE);
	e->nb_cmds++;
	if (e->fw != NULL)
		ret = e->fw(e, opcode, in, in_len, out, out_len);
	if (ret == HOSTILE_FW_NO_ANSWER)
		return;
	if (ret == HOSTILE_FW_HONEST)
		fw_exec(e, opcode, in, in_len, out, out_len);
	memcpy(entry->out, out, BF_CMD_INLINE);
	mailboxes(e, rte_be_to_cpu_64(entry->out_ptr), out + BF_CMD_INLINE,
		out_len - BF_CMD_INLINE, true);
	__atomic_store_n(&entry->status_own, 0, __ATOMIC_RELEASE);
}

/*
 * Registers
 */

static uint32_t
reg_read(struct hostile_vfu *e, uint64_t off)
{
	uint32_t i;

	for (i = 0; i < e->nb_regs; i++)
		if (e->regs[i].off == off)
			return e->regs[i].val;
	switch (off) {
	case BF_REG_FW_REV:
		return 7 << 16 | 32;
	case BF_REG_CMDIF_FW_SUB:
		return BF_CMDIF_REV << 16 | 1;
	case BF_REG_CMDQ_ADDR_L:
		return LOG_CMDQ_SIZE << 4 | LOG_CMDQ_STRIDE;
	case BF_REG_HEALTH_COUNTER:
		return e->counter++ & 0xffffff;
	default:
		return 0;
	}
}

static void
reg_write(struct hostile_vfu *e, uint64_t off, uint32_t val)
{
	uint32_t i;

	switch (off) {
	case BF_REG_CMDQ_ADDR_H:
		e->cmdq = (uint64_t)val << 32;
		break;
	case BF_REG_CMDQ_ADDR_L:
		e->cmdq |= val & ~(PAGE - 1);
		break;
	case BF_REG_CMD_DOORBELL:
		for (i = 0; i < 32; i++)
			if ((val & (1u << i)) != 0)
				fw_entry(e, i);
		break;
	default:
		break;
	}
}

/*
 * Requests
 */

static void
reply_add(struct hostile_msg *out, const void *data, uint32_t len)
{
	memcpy(out->body + out->len, data, len);
	out->len += len;
}

static uint32_t
region_access(struct hostile_vfu *e, struct hostile_msg *in, struct hostile_msg *out, bool write)
{
	struct vfio_user_region_access access;
	uint8_t data[16] = { 0 };
	rte_be32_t val;

	memcpy(&access, in->body, sizeof(access));
	if (access.count > 8)
		return EINVAL;
	reply_add(out, &access, sizeof(access));
	if (write) {
		memcpy(data, in->body + sizeof(access), access.count);
		memcpy(&val, data, sizeof(val));
		if (access.region == VFIO_USER_REGION_BAR0)
			reg_write(e, access.offset, rte_be_to_cpu_32(val));
		else if (access.offset == PCI_COMMAND)
			memcpy(&e->pci_command, data, sizeof(e->pci_command));
		return 0;
	}
	if (access.region == VFIO_USER_REGION_BAR0) {
		val = rte_cpu_to_be_32(reg_read(e, access.offset));
		memcpy(data, &val, sizeof(val));
	} else if (access.offset == PCI_VENDOR_ID) {
		const uint16_t ids[2] = { VENDOR_ID, DEVICE_ID };

		memcpy(data, ids, sizeof(ids));
	} else if (access.offset == PCI_COMMAND) {
		memcpy(data, &e->pci_command, sizeof(e->pci_command));
	}
	reply_add(out, data, access.count);
	return 0;
}

static uint32_t
region_info(struct hostile_vfu *e, struct hostile_msg *in, struct hostile_msg *out)
{
	struct vfio_user_cap_sparse sparse = {
		.head = { .id = VFIO_USER_CAP_SPARSE_MMAP, .version = 1 }, .nr_areas = 1,
	};
	struct vfio_user_area area = { .offset = SHARED_OFF, .size = PAGE };
	struct vfio_user_region_info info;
	bool shared;

	memcpy(&info, in->body, sizeof(info));
	shared = e->shared_page && info.index == VFIO_USER_REGION_BAR0;
	info.flags = VFIO_USER_REGION_F_READ | VFIO_USER_REGION_F_WRITE;
	info.size = info.index == VFIO_USER_REGION_BAR0 ? HOSTILE_BAR : 4096;
	info.argsz = sizeof(info);
	if (shared) {
		info.flags |= VFIO_USER_REGION_F_MMAP | VFIO_USER_REGION_F_CAPS;
		info.cap_offset = sizeof(info);
		info.argsz += sizeof(sparse) + sizeof(area);
	}
	reply_add(out, &info, sizeof(info));
	if (shared) {
		reply_add(out, &sparse, sizeof(sparse));
		reply_add(out, &area, sizeof(area));
		out->fds[out->nb_fds++] = fcntl(e->page_fd, F_DUPFD_CLOEXEC, 0);
	}
	return 0;
}

static uint32_t
dma_map(struct hostile_vfu *e, struct hostile_msg *in)
{
	struct vfio_user_dma_map req;
	struct hostile_map *map = &e->maps[e->nb_maps];

	memcpy(&req, in->body, sizeof(req));
	if (e->nb_maps == HOSTILE_MAPS || in->nb_fds != 1)
		return EINVAL;
	map->addr = req.addr;
	map->size = req.size;
	map->mem = mmap(NULL, req.size, PROT_READ | PROT_WRITE, MAP_SHARED, in->fds[0],
		(off_t)req.offset);
	if (map->mem == MAP_FAILED)
		return ENOMEM;
	e->nb_maps++;
	return 0;
}

static uint32_t
dma_unmap(struct hostile_vfu *e, struct hostile_msg *in, struct hostile_msg *out)
{
	struct vfio_user_dma_unmap req;
	uint32_t i;

	memcpy(&req, in->body, sizeof(req));
	for (i = 0; i < e->nb_maps; i++) {
		if (e->maps[i].addr != req.addr || e->maps[i].size != req.size)
			continue;
		munmap(e->maps[i].mem, e->maps[i].size);
		e->maps[i] = e->maps[--e->nb_maps];
		reply_add(out, &req, sizeof(req));
		return 0;
	}
	return ENOENT;
}

/* A descriptor for each vector, or all off. */
static uint32_t
irq_set(struct hostile_vfu *e, struct hostile_msg *in)
{
	struct vfio_user_irq_set set;
	uint32_t data;

	memcpy(&set, in->body, sizeof(set));
	data = set.count > 0 ? VFIO_USER_IRQ_DATA_EVENTFD : VFIO_USER_IRQ_DATA_NONE;
	if (set.flags != (data | VFIO_USER_IRQ_TRIGGER) || set.count != in->nb_fds)
		return EINVAL;
	if (e->irq_fd >= 0)
		close(e->irq_fd);
	e->irq_fd = -1;
	if (in->nb_fds > 0)
		e->irq_fd = in->fds[--in->nb_fds];
	return 0;
}

uint32_t
hostile_dev_request(struct hostile_vfu *e, struct hostile_msg *in, struct hostile_msg *out)
{
	static const char json[] = "{\"capabilities\":{\"max_msg_fds\":8,"
		"\"max_data_xfer_size\":4096}}";
	const struct vfio_user_version version = { VFIO_USER_MAJOR, VFIO_USER_MINOR };
	const struct vfio_user_device_info info = {
		.argsz = sizeof(info), .flags = VFIO_USER_DEVICE_PCI | VFIO_USER_DEVICE_RESET,
		.num_regions = VFIO_USER_NB_REGIONS, .num_irqs = 5,
	};
	struct vfio_user_irq_info irq;

	switch (in->hdr.cmd) {
	case VFIO_USER_CMD_VERSION:
		reply_add(out, &version, sizeof(version));
		reply_add(out, json, sizeof(json));
		return 0;
	case VFIO_USER_CMD_DEVICE_GET_INFO:
		reply_add(out, &info, sizeof(info));
		return 0;
	case VFIO_USER_CMD_GET_REGION_INFO:
		return region_info(e, in, out);
	case VFIO_USER_CMD_GET_IRQ_INFO:
		memcpy(&irq, in->body, sizeof(irq));
		irq.flags = VFIO_USER_IRQ_INFO_EVENTFD;
		irq.count = 4;
		reply_add(out, &irq, sizeof(irq));
		return 0;
	case VFIO_USER_CMD_SET_IRQS:
		return irq_set(e, in);
	case VFIO_USER_CMD_REGION_READ:
		return region_access(e, in, out, false);
	case VFIO_USER_CMD_REGION_WRITE:
		return region_access(e, in, out, true);
	case VFIO_USER_CMD_DMA_MAP:
		return dma_map(e, in);
	case VFIO_USER_CMD_DMA_UNMAP:
		return dma_unmap(e, in, out);
	case VFIO_USER_CMD_DEVICE_RESET:
		e->nb_resets++;
		dev_reset(e);
		return 0;
	default:
		return ENOSYS;
	}
}
