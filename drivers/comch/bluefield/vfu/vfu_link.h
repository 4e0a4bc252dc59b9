/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A connection to a vfio-user server: requests that are answered, one at a time.
 * It knows messages and their limits; what a region or an interrupt is, is the
 * business of bluefield_vfu.c.
 */

#ifndef VFU_LINK_H
#define VFU_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bluefield_lock.h"
#include "vfio_user.h"

/* Descriptors in one message of the server. */
#define VFU_MAX_FDS 8
/* Data of one message, either way: we move registers, not blocks. */
#define VFU_MAX_XFER 4096u
/* Bytes of one message after its header. */
#define VFU_MAX_BODY (VFU_MAX_XFER + 64)
struct vfu_region {
	uint64_t addr;  /* for the device, and for us */
	uint64_t len;
};

struct vfu_link {
	const char *name;       /* of the device, for messages */
	struct bf_lock lock;    /* around one request; guards all below but gone */
	int sock;
	bool gone;              /* atomic: no more requests */
	uint32_t max_fds;       /* that the server takes in one message, and we send */
	bool quiet;             /* the end is expected: no message about it */
	const char *why;        /* it ended */
	uint16_t next_id;
	struct vfu_region *regions; /* servers have limits of their own for them */
	uint32_t nb_regions;
	uint32_t room;
	uint8_t body[VFU_MAX_BODY]; /* of the message that came last */
	int fds[VFU_MAX_FDS];
	uint32_t nb_fds;
};

/* A request, and the answer that is expected. */
struct vfu_call {
	uint16_t cmd;
	const void *head;       /* what the command adds to the header */
	uint32_t head_len;
	const void *data;       /* and what follows it */
	uint32_t data_len;
	int fd;                 /* with it, or -1 */
	const int *fds_out;     /* or more of them: nb_fds_out, VFU_MAX_FDS at most */
	uint32_t nb_fds_out;
	uint32_t timeout_ms;
	void *reply;            /* room for the answer's body */
	uint32_t reply_min;     /* bytes; any other length ends the connection */
	uint32_t reply_max;
	uint32_t reply_len;     /* out */
	int *fds;               /* room for VFU_MAX_FDS descriptors, or NULL for none */
	uint32_t nb_fds;        /* out; the caller closes them */
};

/* Connect and agree on a version. 0 or a negative errno, with the reason logged. */
int vfu_link_open(struct vfu_link *link, const char *name, const char *path,
		uint32_t timeout_ms);
void vfu_link_close(struct vfu_link *link);
/* 0, the server's error as a negative errno, or -ENODEV if the link is gone. Any thread. */
int vfu_link_call(struct vfu_link *link, struct vfu_call *call);
/* The server is not to be trusted any more, or not there: end it, say so once. */
void vfu_link_lost(struct vfu_link *link, const char *why);
bool vfu_link_is_gone(const struct vfu_link *link);
/* Memory that the server may read and write by message. 0 or -ENOMEM. */
int vfu_link_region_add(struct vfu_link *link, uint64_t addr, uint64_t len);
void vfu_link_region_del(struct vfu_link *link, uint64_t addr);

#endif
