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

#include "vfio_user.h"

#define LINK_MAX_FDS 8        /* of one message, whatever the server can do */
#define LINK_MAX_XFER 1048576 /* bytes of one DMA message; the server is told in JSON */
#define LINK_MAX_IOV 3

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
