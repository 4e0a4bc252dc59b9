/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The connection to a vfio-user server: messages, replies, time limit. Nothing of
 * QEMU is known here. No thread, no lock: the user has one.
 */

#ifndef QEMU_LINK_H
#define QEMU_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

#define LINK_MAX_FDS 8        /* of one message, whatever the server can do */
#define LINK_MAX_XFER 1048576 /* bytes of one DMA message; the server is told in JSON */
#define LINK_MAX_IOV 3

enum {
	MSG_VERSION = 1,
	MSG_DMA_MAP = 2,
	MSG_DMA_UNMAP = 3,
	MSG_DEVICE_GET_INFO = 4,
	MSG_DEVICE_GET_REGION_INFO = 5,
	MSG_DEVICE_GET_IRQ_INFO = 7,
	MSG_DEVICE_SET_IRQS = 8,
	MSG_REGION_READ = 9,
	MSG_REGION_WRITE = 10,
	MSG_DMA_READ = 11,
	MSG_DMA_WRITE = 12,
	MSG_DEVICE_RESET = 13,
};

struct msg_version {
	uint16_t major;
	uint16_t minor;
};

struct msg_device_info {
	uint32_t argsz;
	uint32_t flags;
	uint32_t num_regions;
	uint32_t num_irqs;
};

struct msg_region_access {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};

struct msg_dma_access {
	uint64_t addr;
	uint64_t count;
};

#define MSG_DMA_F_READ 1u
#define MSG_DMA_F_WRITE 2u

struct msg_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t addr;
	uint64_t size;
};

struct msg_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};

_Static_assert(sizeof(struct msg_version) == 4, "vfio-user");
_Static_assert(sizeof(struct msg_device_info) == 16, "vfio-user");
_Static_assert(sizeof(struct msg_region_access) == 16, "vfio-user");
_Static_assert(sizeof(struct msg_dma_access) == 16, "vfio-user");
_Static_assert(sizeof(struct msg_dma_map) == 32, "vfio-user");
_Static_assert(sizeof(struct msg_dma_unmap) == 24, "vfio-user");

struct link {
	int fd; /* -1: no server, or lost */
	bool busy;
	uint16_t next_id;
	uint32_t timeout_ms; /* for a reply; then the server is lost */
	const char *why;     /* it was lost */
	/* DMA that the server asks for: 0 or an errno. */
	int (*dma)(struct link *l, bool write, uint64_t addr, void *buf, size_t len);
	/* Called once, before the descriptor is closed. */
	void (*lost)(struct link *l);
};

/* 0 or a negative errno. */
int link_open(struct link *l, const char *path);
void link_close(struct link *l);

/* A piece of a message: some fields are not const, and none is written. */
#define LINK_PIECE(p, n) { .iov_base = (void *)(uintptr_t)(p), .iov_len = (n) }

/*
 * Send a command and wait for its reply, of at least min and at most max bytes
 * after the header; what the server asks meanwhile is served. Returns 0, or the
 * server's errno negated, or -ECONNRESET if it is lost, or -EBUSY from within DMA.
 */
int link_request(struct link *l, uint16_t cmd, const struct iovec *payload, unsigned int nb_payload,
		const int *fds, unsigned int nb_fds, void *reply, size_t min, size_t max);

/* One access of up to 8 bytes. */
int link_read(struct link *l, uint32_t region, uint64_t offset, void *data, uint32_t len);
int link_write(struct link *l, uint32_t region, uint64_t offset, const void *data, uint32_t len);

/* The descriptor is readable, and nobody waits: DMA, or the end of the server. */
void link_readable(struct link *l);

#endif
