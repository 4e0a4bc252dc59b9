/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The back end of layer hw for a function behind a vfio-user socket: what the
 * server says of its regions and interrupts, registers by message or in pages
 * that it shares, reset. Messages themselves are in vfu_link.c, DMA memory is in
 * bluefield_vfu_mem.c.
 *
 * Every register access waits for its answer, so that accesses stay in order
 * with each other and with stores to DMA memory. A server that does not answer
 * in time is gone, as an unplugged card is: registers read all ones from then on.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include <rte_atomic.h>
#include <rte_common.h>
#include <rte_interrupts.h>
#include <rte_io.h>

#include "bluefield_hw_util.h"
#include "bluefield_vfu_mem.h"

/* The protocol lets a reset take long: so many times the limit of the others. */
#define VFU_RESET_FACTOR 6
#define VFU_MAX_AREAS VFU_MAX_FDS
#define VFU_MAX_CAPS 8
#define VFU_MAX_BAR ((uint64_t)1 << 30)
#define VFU_MAX_VECTORS 2048

/* A part of BAR 0 that the server lets us map. */
struct vfu_area {
	volatile uint8_t *addr;
	uint32_t offset;
	uint32_t len;
};

struct vfu_hw {
	struct bf_hw hw;
	struct vfu_link link;
	struct vfu_mem mem;
	uint32_t timeout_ms;
	struct vfu_area areas[VFU_MAX_AREAS];
	uint32_t nb_areas;
	struct rte_intr_handle *intr; /* NULL: interrupts are off */
	int irq_fds[VFU_MAX_FDS]; /* of vectors; 0 is EAL's to wait for; -1: none */
	bf_irq_cb_t irq_cb;
	void *irq_arg;
};

static struct vfu_hw *
to_vfu(struct bf_hw *hw)
{
	return container_of(hw, struct vfu_hw, hw);
}

/*
 * Regions
 */

/* A structure goes out, and an answer of just this size comes back. */
static int
vfu_ask(struct vfu_hw *vfu, uint16_t cmd, const void *ask, uint32_t ask_len, void *reply,
		uint32_t reply_len)
{
	struct vfu_call call = {
		.cmd = cmd,
		.head = ask,
		.head_len = ask_len,
		.fd = -1,
		.timeout_ms = vfu->timeout_ms,
		.reply = reply,
		.reply_min = reply_len,
		.reply_max = reply_len,
	};

	return vfu_link_call(&vfu->link, &call);
}

static int
region_read(struct vfu_hw *vfu, uint32_t region, uint64_t off, void *buf, uint32_t len)
{
	struct vfio_user_region_access access = { off, region, len };
	struct {
		struct vfio_user_region_access head;
		uint8_t data[sizeof(uint64_t)];
	} reply;
	int ret;

	if (len > sizeof(reply.data))
		return -EINVAL;
	ret = vfu_ask(vfu, VFIO_USER_CMD_REGION_READ, &access, sizeof(access), &reply,
			sizeof(access) + len);
	if (ret != 0)
		return ret;
	if (reply.head.count != len || reply.head.region != region || reply.head.offset != off) {
		vfu_link_lost(&vfu->link, "it reads another place than was asked for");
		return -ENODEV;
	}
	memcpy(buf, reply.data, len);
	return 0;
}

static int
region_write(struct vfu_hw *vfu, uint32_t region, uint64_t off, const void *buf, uint32_t len)
{
	struct vfio_user_region_access access = { off, region, len };
	struct vfio_user_region_access reply;
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_REGION_WRITE,
		.head = &access,
		.head_len = sizeof(access),
		.data = buf,
		.data_len = len,
		.fd = -1,
		.timeout_ms = vfu->timeout_ms,
		.reply = &reply,
		.reply_min = sizeof(reply),
		.reply_max = sizeof(reply),
	};
	int ret;

	ret = vfu_link_call(&vfu->link, &call);
	if (ret != 0)
		return ret;
	if (reply.count != len || reply.region != region || reply.offset != off) {
		vfu_link_lost(&vfu->link, "it writes another place than was asked for");
		return -ENODEV;
	}
	return 0;
}

/* Where a register is in memory of ours, or NULL. */
static volatile void *
area_find(const struct vfu_hw *vfu, uint32_t off, uint32_t len)
{
	const struct vfu_area *area;
	uint32_t i;

	for (i = 0; i < vfu->nb_areas; i++) {
		area = &vfu->areas[i];
		if (off >= area->offset && off - area->offset <= area->len - len)
			return area->addr + (off - area->offset);
	}
	return NULL;
}

static uint32_t
vfu_read32(struct bf_hw *hw, uint32_t off)
{
	struct vfu_hw *vfu = to_vfu(hw);
	volatile void *addr;
	rte_be32_t val;
	int ret;

	if (!bf_hw_bar_has(hw, off, sizeof(val)) || vfu_link_is_gone(&vfu->link))
		return BF_ALL_ONES;
	addr = area_find(vfu, off, sizeof(val));
	if (addr != NULL)
		return rte_be_to_cpu_32(rte_read32(addr));
	/* what the device wrote to memory before it answers is seen after this */
	ret = region_read(vfu, VFIO_USER_REGION_BAR0, off, &val, sizeof(val));
	rte_io_rmb();
	return ret == 0 ? rte_be_to_cpu_32(val) : BF_ALL_ONES;
}

static void
vfu_write(struct bf_hw *hw, uint32_t off, const void *val, uint32_t len)
{
	struct vfu_hw *vfu = to_vfu(hw);
	volatile void *addr;
	uint64_t val64;
	uint32_t val32;

	if (!bf_hw_bar_has(hw, off, len) || vfu_link_is_gone(&vfu->link))
		return;
	addr = area_find(vfu, off, len);
	if (addr == NULL) {
		/* the message must not overtake stores to DMA memory */
		rte_io_wmb();
		region_write(vfu, VFIO_USER_REGION_BAR0, off, val, len);
	} else if (len == sizeof(val64)) {
		memcpy(&val64, val, sizeof(val64));
		rte_write64(val64, addr);
	} else {
		memcpy(&val32, val, sizeof(val32));
		rte_write32(val32, addr);
	}
}

static void
vfu_write32(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	rte_be32_t be = rte_cpu_to_be_32(val);

	vfu_write(hw, off, &be, sizeof(be));
}

static void
vfu_write64(struct bf_hw *hw, uint32_t off, uint64_t val)
{
	rte_be64_t be = rte_cpu_to_be_64(val);

	vfu_write(hw, off, &be, sizeof(be));
}

/*
 * DMA memory
 */

static int
vfu_dma_alloc(struct bf_hw *hw, size_t len, size_t align, struct bf_dma *dma)
{
	struct vfu_hw *vfu = to_vfu(hw);
	int ret;

	ret = bf_heap_alloc(&vfu->mem.heap, len, align, dma);
	return ret == -ENOMEM && vfu_link_is_gone(&vfu->link) ? -EIO : ret;
}

static void
vfu_dma_free(struct bf_hw *hw, struct bf_dma *dma)
{
	bf_heap_free(&to_vfu(hw)->mem.heap, dma);
}

static int
vfu_dma_map(struct bf_hw *hw, const void *addr, size_t len, bool try)
{
	return vfu_mem_map(&to_vfu(hw)->mem, addr, len, try);
}

static void
vfu_dma_unmap(struct bf_hw *hw, const void *addr, size_t len)
{
	vfu_mem_unmap(&to_vfu(hw)->mem, addr, len);
}

/* The server knows what it was given. */
static uint64_t
vfu_dma_iova(struct bf_hw *hw, const void *addr, size_t *len)
{
	return vfu_mem_iova(&to_vfu(hw)->mem, addr, len);
}

/*
 * Interrupts
 */

static void
vfu_irq_handler(void *arg)
{
	struct vfu_hw *vfu = arg;
	uint64_t count;

	/* it is ours to read: EAL leaves descriptors of this type alone */
	if (read(vfu->irq_fds[0], &count, sizeof(count)) == sizeof(count))
		vfu->irq_cb(vfu->irq_arg);
}

/*
 * Connect all vectors that will ever be used to their eventfds, in one message, or all
 * to nothing.
 */
static int
vfu_irq_set(struct vfu_hw *vfu, bool on)
{
	struct vfio_user_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_USER_IRQ_TRIGGER |
			(on ? VFIO_USER_IRQ_DATA_EVENTFD : VFIO_USER_IRQ_DATA_NONE),
		.index = VFIO_USER_IRQ_MSIX,
		.count = on ? vfu->hw.nb_irqs : 0,
	};
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_SET_IRQS,
		.head = &set,
		.head_len = sizeof(set),
		.fd = -1,
		.fds_out = vfu->irq_fds,
		.nb_fds_out = set.count,
		.timeout_ms = vfu->timeout_ms,
	};
	uint32_t i;
	int ret;

	ret = vfu_link_call(&vfu->link, &call);
	for (i = 0; ret == 0 && i < set.count; i++)
		bf_irq_kick(vfu->irq_fds[i]);
	return ret;
}

static void
irq_fds_close(struct vfu_hw *vfu)
{
	uint32_t i;

	for (i = 0; i < RTE_DIM(vfu->irq_fds); i++) {
		if (vfu->irq_fds[i] >= 0)
			close(vfu->irq_fds[i]);
		vfu->irq_fds[i] = -1;
	}
}

/* Those that are there stay: who sleeps on one need not know of a reset. */
static int
irq_fds_open(struct vfu_hw *vfu)
{
	uint32_t i;
	int ret;

	for (i = 0; i < vfu->hw.nb_irqs; i++) {
		if (vfu->irq_fds[i] < 0)
			vfu->irq_fds[i] = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (vfu->irq_fds[i] < 0) {
			ret = -errno;
			BF_LOG(ERR, "%s: no eventfd for MSI-X vector %u: %s; raise the limit of open files (ulimit -n)",
				vfu->hw.name, i, strerror(-ret));
			return ret;
		}
	}
	return 0;
}

static void
vfu_irq_release(struct vfu_hw *vfu)
{
	if (bf_irq_unregister(vfu->hw.name, vfu->intr, vfu_irq_handler, vfu) != 0)
		return; /* it still runs: what it uses has to stay */
	rte_intr_instance_free(vfu->intr);
	vfu->intr = NULL;
}

static int
vfu_irq_enable(struct bf_hw *hw, bf_irq_cb_t cb, void *arg)
{
	struct vfu_hw *vfu = to_vfu(hw);
	int ret;

	if (vfu->intr != NULL)
		return -EBUSY;
	vfu->irq_cb = cb;
	vfu->irq_arg = arg;
	ret = irq_fds_open(vfu);
	if (ret != 0)
		return ret;
	vfu->intr = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (vfu->intr == NULL || rte_intr_fd_set(vfu->intr, vfu->irq_fds[0]) != 0 ||
			rte_intr_type_set(vfu->intr, RTE_INTR_HANDLE_EXT) != 0 ||
			rte_intr_callback_register(vfu->intr, vfu_irq_handler, vfu) != 0) {
		BF_LOG(ERR, "%s: EAL does not take its interrupt; see EAL's messages", hw->name);
		rte_intr_instance_free(vfu->intr);
		vfu->intr = NULL;
		return -EIO;
	}
	ret = vfu_irq_set(vfu, true);
	if (ret != 0) {
		BF_LOG(ERR, "%s: the server does not take eventfds for %u MSI-X vectors: %s; see its log",
			hw->name, hw->nb_irqs, strerror(-ret));
		vfu_irq_release(vfu);
	}
	return ret;
}

static void
vfu_irq_disable(struct bf_hw *hw)
{
	struct vfu_hw *vfu = to_vfu(hw);

	if (vfu->intr == NULL)
		return;
	if (!vfu_link_is_gone(&vfu->link))
		vfu_irq_set(vfu, false);
	vfu_irq_release(vfu);
}

static int
vfu_irq_fd(struct bf_hw *hw, uint16_t vector)
{
	return vector > 0 && vector < hw->nb_irqs ? to_vfu(hw)->irq_fds[vector] : -1;
}

/*
 * Configuration space and reset
 */

/* Registers answer, and the device masters the bus. */
static int
config_enable(struct vfu_hw *vfu)
{
	rte_le16_t cmd;
	int ret;

	ret = region_read(vfu, VFIO_USER_REGION_CONFIG, PCI_COMMAND, &cmd, sizeof(cmd));
	if (ret != 0)
		return ret;
	cmd |= rte_cpu_to_le_16(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	return region_write(vfu, VFIO_USER_REGION_CONFIG, PCI_COMMAND, &cmd, sizeof(cmd));
}

static int
vfu_config_read32(struct bf_hw *hw, uint32_t off, uint32_t *val)
{
	rte_le32_t word;
	int ret;

	ret = region_read(to_vfu(hw), VFIO_USER_REGION_CONFIG, off, &word, sizeof(word));
	if (ret == 0)
		*val = rte_le_to_cpu_32(word);
	return ret;
}

static int
vfu_config_write32(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	rte_le32_t word = rte_cpu_to_le_32(val);

	return region_write(to_vfu(hw), VFIO_USER_REGION_CONFIG, off, &word, sizeof(word));
}

static int
vfu_reset(struct bf_hw *hw)
{
	struct vfu_hw *vfu = to_vfu(hw);
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_DEVICE_RESET,
		.fd = -1,
		.timeout_ms = vfu->timeout_ms * VFU_RESET_FACTOR,
	};
	int ret;

	ret = vfu_link_call(&vfu->link, &call);
	if (ret == 0)
		ret = config_enable(vfu);
	/* the protocol does not say whether a reset leaves eventfds connected */
	if (ret == 0 && vfu->intr != NULL)
		ret = vfu_irq_set(vfu, true);
	if (ret != 0 && ret != -ENODEV)
		BF_LOG(ERR, "%s: the server does not reset the function, or does not let it master the bus: %s; see its log",
			hw->name, strerror(-ret));
	return ret;
}

static void
areas_unmap(struct vfu_hw *vfu)
{
	struct vfu_area *area;

	while (vfu->nb_areas > 0) {
		area = &vfu->areas[--vfu->nb_areas];
		munmap((void *)(uintptr_t)area->addr, area->len);
	}
}

static void
vfu_close(struct bf_hw *hw)
{
	struct vfu_hw *vfu = to_vfu(hw);

	vfu_irq_disable(hw);
	/* nothing is said of a server that has ended by now */
	vfu->link.quiet = true;
	vfu_mem_fini(&vfu->mem);
	areas_unmap(vfu);
	vfu_link_close(&vfu->link);
	/* an interrupt that never ends keeps it; that has been logged */
	if (vfu->intr != NULL)
		return;
	irq_fds_close(vfu);
	free(vfu);
}

static const struct bf_hw_ops vfu_ops = {
	.read32 = vfu_read32,
	.write32 = vfu_write32,
	.write64 = vfu_write64,
	.dma_alloc = vfu_dma_alloc,
	.dma_free = vfu_dma_free,
	.dma_map = vfu_dma_map,
	.dma_unmap = vfu_dma_unmap,
	.dma_iova = vfu_dma_iova,
	.irq_enable = vfu_irq_enable,
	.irq_disable = vfu_irq_disable,
	.irq_fd = vfu_irq_fd,
	.reset = vfu_reset,
	.config_read32 = vfu_config_read32,
	.config_write32 = vfu_config_write32,
	.close = vfu_close,
};

/*
 * What the server says of the device
 */

/*
 * One mappable part of BAR 0. A file that can be cut off is not mapped, nor one of
 * hugepages, which can run out: whoever has it could end this process with it.
 * Registers then go by message.
 */
static void
area_map(struct vfu_hw *vfu, int fd, uint64_t file_off, uint64_t off, uint64_t len)
{
	struct vfu_area *area = &vfu->areas[vfu->nb_areas];
	struct stat st;
	void *addr;
	int seals;

	if (vfu->nb_areas == VFU_MAX_AREAS || len == 0 || off % BF_PAGE_SIZE != 0 ||
			len % BF_PAGE_SIZE != 0 || off > vfu->hw.bar_size ||
			len > vfu->hw.bar_size - off || file_off > INT64_MAX - off - len)
		goto skip;
	seals = fcntl(fd, F_GET_SEALS);
	if (seals < 0 || (seals & F_SEAL_SHRINK) == 0 || fstat(fd, &st) != 0 ||
			st.st_blksize > (blksize_t)BF_PAGE_SIZE ||
			(uint64_t)st.st_size < file_off + off + len)
		goto skip;
	addr = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, file_off + off);
	if (addr == MAP_FAILED)
		goto skip;
	area->addr = addr;
	area->offset = off;
	area->len = len;
	vfu->nb_areas++;
	return;
skip:
	BF_LOG(DEBUG, "%s: BAR 0 bytes 0x%" PRIx64 " to 0x%" PRIx64 " go by message",
		vfu->hw.name, off, off + len);
}

/* Find the list of mappable parts in the answer, and map them. */
static int
areas_map(struct vfu_hw *vfu, const struct vfio_user_region_info *info, const uint8_t *reply,
		uint32_t len, const int *fds, uint32_t nb_fds)
{
	struct vfio_user_cap_sparse sparse;
	struct vfio_user_area area;
	uint32_t off = info->cap_offset, i, nb, caps;

	if (nb_fds == 0)
		return 0;
	if ((info->flags & VFIO_USER_REGION_F_CAPS) == 0) {
		area_map(vfu, fds[0], info->offset, 0, info->size);
		return 0;
	}
	for (caps = 0; caps < VFU_MAX_CAPS && off != 0; caps++) {
		if (off < sizeof(*info) || off > len || len - off < sizeof(sparse.head))
			return -EPROTO;
		memcpy(&sparse.head, reply + off, sizeof(sparse.head));
		if (sparse.head.id != VFIO_USER_CAP_SPARSE_MMAP) {
			off = sparse.head.next;
			continue;
		}
		if (len - off < sizeof(sparse))
			return -EPROTO;
		memcpy(&sparse, reply + off, sizeof(sparse));
		nb = sparse.nr_areas;
		if (nb > (len - off - sizeof(sparse)) / sizeof(area))
			return -EPROTO;
		for (i = 0; i < RTE_MIN(nb, (uint32_t)VFU_MAX_AREAS); i++) {
			memcpy(&area, reply + off + sizeof(sparse) + i * sizeof(area),
					sizeof(area));
			area_map(vfu, fds[RTE_MIN(i, nb_fds - 1)], info->offset, area.offset,
					area.size);
		}
		return 0;
	}
	return 0;
}

static int
region_info(struct vfu_hw *vfu, uint32_t region, struct vfio_user_region_info *info)
{
	struct vfio_user_region_info ask = { .argsz = VFU_MAX_XFER, .index = region };
	uint8_t reply[VFU_MAX_XFER];
	int fds[VFU_MAX_FDS];
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_GET_REGION_INFO,
		.head = &ask,
		.head_len = sizeof(ask),
		.fd = -1,
		.timeout_ms = vfu->timeout_ms,
		.reply = reply,
		.reply_min = sizeof(*info),
		.reply_max = sizeof(reply),
		.fds = fds,
	};
	int ret;

	ret = vfu_link_call(&vfu->link, &call);
	if (ret != 0)
		return ret;
	memcpy(info, reply, sizeof(*info));
	if (info->index != region || (info->flags & VFIO_USER_REGION_F_READ) == 0 ||
			(info->flags & VFIO_USER_REGION_F_WRITE) == 0) {
		ret = -EPROTO;
	} else if (region == VFIO_USER_REGION_BAR0) {
		vfu->hw.bar_size = info->size > VFU_MAX_BAR ? 0 : info->size;
		ret = areas_map(vfu, info, reply, call.reply_len, fds, call.nb_fds);
	}
	while (call.nb_fds > 0)
		close(fds[--call.nb_fds]);
	return ret;
}

static int
device_info(struct vfu_hw *vfu)
{
	struct vfio_user_device_info info = { .argsz = sizeof(info) };
	struct vfio_user_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_USER_IRQ_MSIX };
	int ret;

	ret = vfu_ask(vfu, VFIO_USER_CMD_DEVICE_GET_INFO, &info, sizeof(info), &info, sizeof(info));
	if (ret != 0)
		return ret;
	if ((info.flags & VFIO_USER_DEVICE_PCI) == 0 ||
			(info.flags & VFIO_USER_DEVICE_RESET) == 0 ||
			info.num_regions <= VFIO_USER_REGION_CONFIG ||
			info.num_irqs <= VFIO_USER_IRQ_MSIX)
		return -ENODEV;
	ret = vfu_ask(vfu, VFIO_USER_CMD_GET_IRQ_INFO, &irq, sizeof(irq), &irq, sizeof(irq));
	if (ret != 0)
		return ret;
	if (irq.index != VFIO_USER_IRQ_MSIX || (irq.flags & VFIO_USER_IRQ_INFO_EVENTFD) == 0 ||
			irq.count == 0 || irq.count > VFU_MAX_VECTORS)
		return -ENODEV;
	vfu->hw.nb_vectors = irq.count;
	/* what one message can carry: another one would add vectors */
	bf_irqs_choose(&vfu->hw, vfu->link.max_fds);
	return 0;
}

/* Is it a function that we drive? */
static int
device_check(struct vfu_hw *vfu)
{
	struct vfio_user_region_info bar, config;
	rte_le16_t ids[2];
	int ret;

	ret = device_info(vfu);
	if (ret == 0)
		ret = region_info(vfu, VFIO_USER_REGION_CONFIG, &config);
	if (ret == 0 && config.size < PCI_STD_HEADER_SIZEOF)
		ret = -EPROTO;
	if (ret == 0)
		ret = region_info(vfu, VFIO_USER_REGION_BAR0, &bar);
	if (ret == 0)
		ret = region_read(vfu, VFIO_USER_REGION_CONFIG, PCI_VENDOR_ID, ids, sizeof(ids));
	if (ret != 0) {
		BF_LOG(ERR, "%s: the vfio-user server does not have a PCI device with reset, BAR 0 and MSI-X (%s): give the socket of a BlueField function",
			vfu->hw.name, strerror(-ret));
		return ret;
	}
	vfu->hw.device_id = rte_le_to_cpu_16(ids[1]);
	return bf_hw_check(&vfu->hw, rte_le_to_cpu_16(ids[0]));
}

int
bf_hw_vfu_open(const char *name, const char *socket, uint32_t timeout_ms, struct bf_hw **hw)
{
	struct vfu_hw *vfu = calloc(1, sizeof(*vfu));
	int ret;

	if (vfu == NULL)
		return -ENOMEM;
	vfu->hw.ops = &vfu_ops;
	vfu->hw.name = name;
	vfu->hw.numa_node = -1;
	memset(vfu->irq_fds, 0xff, sizeof(vfu->irq_fds));
	vfu->timeout_ms = timeout_ms;
	ret = vfu_link_open(&vfu->link, name, socket, timeout_ms);
	if (ret == 0) {
		ret = vfu_mem_init(&vfu->mem, &vfu->link, timeout_ms);
		if (ret != 0)
			vfu_link_close(&vfu->link);
	}
	if (ret != 0) {
		free(vfu);
		return ret;
	}
	ret = device_check(vfu);
	/* as EAL's PCI bus does: whoever had it before may have left anything */
	if (ret == 0)
		ret = vfu_reset(&vfu->hw);
	if (ret != 0) {
		vfu_close(&vfu->hw);
		return ret;
	}
	if (vfu->nb_areas == 1 && vfu->areas[0].offset == 0 &&
			vfu->areas[0].len == vfu->hw.bar_size)
		vfu->hw.bar = vfu->areas[0].addr;
	*hw = &vfu->hw;
	return 0;
}
