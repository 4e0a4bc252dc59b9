/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The vfio-user protocol as it is on the socket, version 0.1: messages between a
 * client and the server of one emulated PCI device. Numbers and layouts only, for
 * any program that speaks it; no DPDK and no behaviour in here.
 *
 * Everything is little-endian. A message is a header and what its command adds.
 * Descriptors travel as SCM_RIGHTS with the first byte of their message.
 */

#ifndef VFIO_USER_H
#define VFIO_USER_H

#include <stddef.h>
#include <stdint.h>

#define VFIO_USER_MAJOR 0
#define VFIO_USER_MINOR 1

enum vfio_user_cmd {
	VFIO_USER_CMD_VERSION = 1,
	VFIO_USER_CMD_DMA_MAP = 2,
	VFIO_USER_CMD_DMA_UNMAP = 3,
	VFIO_USER_CMD_DEVICE_GET_INFO = 4,
	VFIO_USER_CMD_GET_REGION_INFO = 5,
	VFIO_USER_CMD_GET_REGION_IO_FDS = 6,
	VFIO_USER_CMD_GET_IRQ_INFO = 7,
	VFIO_USER_CMD_SET_IRQS = 8,
	VFIO_USER_CMD_REGION_READ = 9,
	VFIO_USER_CMD_REGION_WRITE = 10,
	VFIO_USER_CMD_DMA_READ = 11,     /* from the server */
	VFIO_USER_CMD_DMA_WRITE = 12,    /* from the server */
	VFIO_USER_CMD_DEVICE_RESET = 13,
	VFIO_USER_CMD_DIRTY_PAGES = 14,
};

struct vfio_user_hdr {
	uint16_t id;     /* of the sender; the reply has it too */
	uint16_t cmd;    /* enum vfio_user_cmd */
	uint32_t size;   /* bytes, with this header */
	uint32_t flags;  /* VFIO_USER_F_* */
	uint32_t error;  /* errno, in a reply with VFIO_USER_F_ERROR; may be 0 even then */
};

#define VFIO_USER_TYPE(flags) ((flags) & 0xf)
#define VFIO_USER_TYPE_COMMAND 0u
#define VFIO_USER_TYPE_REPLY 1u
#define VFIO_USER_F_NO_REPLY 0x10u
#define VFIO_USER_F_ERROR 0x20u

_Static_assert(sizeof(struct vfio_user_hdr) == 16, "header");
_Static_assert(offsetof(struct vfio_user_hdr, cmd) == 2, "header");
_Static_assert(offsetof(struct vfio_user_hdr, size) == 4, "header");
_Static_assert(offsetof(struct vfio_user_hdr, flags) == 8, "header");
_Static_assert(offsetof(struct vfio_user_hdr, error) == 12, "header");

/* VERSION, and its reply. JSON text follows, with its NUL. */
struct vfio_user_version {
	uint16_t major;
	uint16_t minor;
};

_Static_assert(sizeof(struct vfio_user_version) == 4, "version");
_Static_assert(offsetof(struct vfio_user_version, minor) == 2, "version");

/* Names in that text, numbers below "capabilities", and what holds without them. */
#define VFIO_USER_CAP_MAX_FDS "max_msg_fds"
#define VFIO_USER_CAP_MAX_XFER "max_data_xfer_size"
#define VFIO_USER_DFLT_MAX_FDS 1u
#define VFIO_USER_DFLT_MAX_XFER 1048576u

/* DMA_MAP, with a descriptor if the server can map it. The reply is a header. */
struct vfio_user_dma_map {
	uint32_t argsz;  /* of this structure */
	uint32_t flags;  /* VFIO_USER_DMA_* */
	uint64_t offset; /* in the file of the descriptor */
	uint64_t addr;   /* of the device */
	uint64_t size;
};

#define VFIO_USER_DMA_READABLE 0x1u
#define VFIO_USER_DMA_WRITABLE 0x2u

_Static_assert(sizeof(struct vfio_user_dma_map) == 32, "DMA map");
_Static_assert(offsetof(struct vfio_user_dma_map, flags) == 4, "DMA map");
_Static_assert(offsetof(struct vfio_user_dma_map, offset) == 8, "DMA map");
_Static_assert(offsetof(struct vfio_user_dma_map, addr) == 16, "DMA map");
_Static_assert(offsetof(struct vfio_user_dma_map, size) == 24, "DMA map");

/* DMA_UNMAP, and its reply: exactly what was mapped. */
struct vfio_user_dma_unmap {
	uint32_t argsz;  /* of the reply */
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};

#define VFIO_USER_UNMAP_DIRTY 0x1u
#define VFIO_USER_UNMAP_ALL 0x2u

_Static_assert(sizeof(struct vfio_user_dma_unmap) == 24, "DMA unmap");
_Static_assert(offsetof(struct vfio_user_dma_unmap, flags) == 4, "DMA unmap");
_Static_assert(offsetof(struct vfio_user_dma_unmap, addr) == 8, "DMA unmap");
_Static_assert(offsetof(struct vfio_user_dma_unmap, size) == 16, "DMA unmap");

/* DEVICE_GET_INFO, and its reply; in the request only argsz is not zero. */
struct vfio_user_device_info {
	uint32_t argsz;
	uint32_t flags;  /* VFIO_USER_DEVICE_* */
	uint32_t num_regions;
	uint32_t num_irqs;
};

#define VFIO_USER_DEVICE_RESET 0x1u
#define VFIO_USER_DEVICE_PCI 0x2u

_Static_assert(sizeof(struct vfio_user_device_info) == 16, "device info");
_Static_assert(offsetof(struct vfio_user_device_info, flags) == 4, "device info");
_Static_assert(offsetof(struct vfio_user_device_info, num_regions) == 8, "device info");
_Static_assert(offsetof(struct vfio_user_device_info, num_irqs) == 12, "device info");

/* Regions and interrupt types of a PCI device */
#define VFIO_USER_REGION_BAR0 0u
#define VFIO_USER_REGION_CONFIG 7u
#define VFIO_USER_NB_REGIONS 9u
#define VFIO_USER_IRQ_MSI 1u
#define VFIO_USER_IRQ_MSIX 2u

/*
 * GET_REGION_INFO, and its reply; in the request argsz, the room for the reply,
 * and index. Capabilities may follow; one descriptor per mappable area comes too.
 */
struct vfio_user_region_info {
	uint32_t argsz;
	uint32_t flags;      /* VFIO_USER_REGION_F_* */
	uint32_t index;
	uint32_t cap_offset; /* of the first capability, from the start of this */
	uint64_t size;
	uint64_t offset;     /* for mmap() */
};

#define VFIO_USER_REGION_F_READ 0x1u
#define VFIO_USER_REGION_F_WRITE 0x2u
#define VFIO_USER_REGION_F_MMAP 0x4u
#define VFIO_USER_REGION_F_CAPS 0x8u

_Static_assert(sizeof(struct vfio_user_region_info) == 32, "region info");
_Static_assert(offsetof(struct vfio_user_region_info, flags) == 4, "region info");
_Static_assert(offsetof(struct vfio_user_region_info, index) == 8, "region info");
_Static_assert(offsetof(struct vfio_user_region_info, cap_offset) == 12, "region info");
_Static_assert(offsetof(struct vfio_user_region_info, size) == 16, "region info");
_Static_assert(offsetof(struct vfio_user_region_info, offset) == 24, "region info");

/* Head of a capability */
struct vfio_user_cap {
	uint16_t id;
	uint16_t version;
	uint32_t next;   /* as cap_offset; 0 ends the list */
};

_Static_assert(sizeof(struct vfio_user_cap) == 8, "capability");
_Static_assert(offsetof(struct vfio_user_cap, version) == 2, "capability");
_Static_assert(offsetof(struct vfio_user_cap, next) == 4, "capability");

/* The parts of a region that can be mapped: a head, then areas. */
#define VFIO_USER_CAP_SPARSE_MMAP 1u

struct vfio_user_cap_sparse {
	struct vfio_user_cap head;
	uint32_t nr_areas;
	uint32_t rsvd;
};

struct vfio_user_area {
	uint64_t offset; /* in the region; for mmap() the region's is added */
	uint64_t size;
};

_Static_assert(sizeof(struct vfio_user_cap_sparse) == 16, "sparse capability");
_Static_assert(offsetof(struct vfio_user_cap_sparse, nr_areas) == 8, "sparse capability");
_Static_assert(sizeof(struct vfio_user_area) == 16, "area");
_Static_assert(offsetof(struct vfio_user_area, size) == 8, "area");

/* GET_IRQ_INFO, and its reply; in the request argsz and index. */
struct vfio_user_irq_info {
	uint32_t argsz;
	uint32_t flags;  /* VFIO_USER_IRQ_INFO_* */
	uint32_t index;
	uint32_t count;
};

#define VFIO_USER_IRQ_INFO_EVENTFD 0x1u

_Static_assert(sizeof(struct vfio_user_irq_info) == 16, "interrupt info");
_Static_assert(offsetof(struct vfio_user_irq_info, flags) == 4, "interrupt info");
_Static_assert(offsetof(struct vfio_user_irq_info, index) == 8, "interrupt info");
_Static_assert(offsetof(struct vfio_user_irq_info, count) == 12, "interrupt info");

/*
 * SET_IRQS. With eventfds: one descriptor for each of count interrupts. Without
 * data and with count and start 0: all off. The reply is a header.
 */
struct vfio_user_irq_set {
	uint32_t argsz;
	uint32_t flags;  /* one VFIO_USER_IRQ_DATA_*, one VFIO_USER_IRQ_* action */
	uint32_t index;
	uint32_t start;
	uint32_t count;
};

#define VFIO_USER_IRQ_DATA_NONE 0x1u
#define VFIO_USER_IRQ_DATA_EVENTFD 0x4u
#define VFIO_USER_IRQ_TRIGGER 0x20u

_Static_assert(sizeof(struct vfio_user_irq_set) == 20, "interrupt set");
_Static_assert(offsetof(struct vfio_user_irq_set, flags) == 4, "interrupt set");
_Static_assert(offsetof(struct vfio_user_irq_set, index) == 8, "interrupt set");
_Static_assert(offsetof(struct vfio_user_irq_set, start) == 12, "interrupt set");
_Static_assert(offsetof(struct vfio_user_irq_set, count) == 16, "interrupt set");

/* REGION_READ and REGION_WRITE and their replies; data follows one of the two. */
struct vfio_user_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;  /* bytes */
};

_Static_assert(sizeof(struct vfio_user_region_access) == 16, "region access");
_Static_assert(offsetof(struct vfio_user_region_access, region) == 8, "region access");
_Static_assert(offsetof(struct vfio_user_region_access, count) == 12, "region access");

/* DMA_READ and DMA_WRITE and their replies; data follows one of the two. */
struct vfio_user_dma_access {
	uint64_t addr;
	uint64_t count;
};

_Static_assert(sizeof(struct vfio_user_dma_access) == 16, "DMA access");
_Static_assert(offsetof(struct vfio_user_dma_access, count) == 8, "DMA access");

#endif
