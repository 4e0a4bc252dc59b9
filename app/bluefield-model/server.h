/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of the transport (server.c, message.c, dma.c, pci.c, control.c,
 * log.c, main.c) share and the rest of the model does not see.
 */

#ifndef BFM_SERVER_H
#define BFM_SERVER_H

#include <linux/vfio.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model.h"

struct bfm_dma; /* memory that a client mapped for a function */

/* ---------------------------------------------------------------- log.c */

bool bfm_level_parse(const char *text, enum bfm_level *level);
void bfm_log_close(void);

/* ------------------------------------------------------------- server.c */

/* Turn of the loop. Returns ms until it wants the next, or -1. */
int bfm_server_tick(struct bfm_function *f);


/* ------------------------------------------------------------ message.c */

/* Of the vfio-user protocol: what is looked at before the library gets it. */
#define BFM_MSG_VERSION 1
#define BFM_MSG_DMA_MAP 2
#define BFM_MSG_DMA_UNMAP 3
#define BFM_MSG_SET_IRQS 8
#define BFM_MSG_REGION_READ 9
#define BFM_MSG_REGION_WRITE 10

struct bfm_msg_hdr {
	uint16_t id;
	uint16_t cmd;
	uint32_t size; /* with the header */
	uint32_t flags;
	uint32_t error;
};
_Static_assert(sizeof(struct bfm_msg_hdr) == 16, "vfio-user header");

#define BFM_MSG_TYPE(flags) ((flags) & 0xfu)
#define BFM_MSG_COMMAND 0u
#define BFM_MSG_REPLY 1u
#define BFM_MSG_NO_REPLY (1u << 4)
#define BFM_MSG_ERROR (1u << 5)

/* More than any message that this device has a use for, and less than a socket holds. */
#define BFM_MSG_MAX 65536u
/* Descriptors that are kept of a message: an eventfd for each vector. */
#define BFM_MSG_FDS BFM_NB_VECTORS

/* A message as it arrives. All zero is the start of one. */
struct bfm_msg {
	struct bfm_msg_hdr hdr;
	uint32_t got;         /* bytes of it, with the header */
	uint32_t body_len;
	uint8_t *body;        /* NULL for a message beyond BFM_MSG_MAX */
	uint32_t nb_fds;
	int fds[BFM_MSG_FDS];
	bool too_many_fds;    /* more came, and were closed */
};

#define BFM_MSG_WHOLE 1
#define BFM_MSG_MORE 2
/*
 * Receive what there is of one message, and nothing of the next. BFM_MSG_WHOLE: it
 * is complete; BFM_MSG_MORE: there may be more of it, but it is the turn of others;
 * 0: there is no more now; -errno: the end of this connection. Never blocks.
 */
int bfm_msg_receive(int sock, struct bfm_msg *msg);
/* Free what it holds: it can be received into again. */
void bfm_msg_clear(struct bfm_msg *msg);
/* 0, or a negative errno and no copies. */
int bfm_msg_copy_fds(const struct bfm_msg *msg, int *copies);
/*
 * 0 if the library may have it; an errno to refuse it with, and why in err.
 * vectors: of MSI-X.
 */
int bfm_msg_check(const struct bfm_msg *msg, const struct bfm_dma *dma, uint32_t vectors,
		char *err, size_t err_size);
/* Of VFIO_USER_DEVICE_SET_IRQS, after bfm_msg_check(): what it does to eventfds. */
struct bfm_msg_irqs {
	bool msix;
	bool trigger;  /* the client wants them to be signalled */
	bool set;      /* its descriptors become the eventfds of [start, start + count) */
	bool clear;
	uint32_t start;
	uint32_t count;
};
void bfm_msg_irqs(const struct bfm_msg *msg, uint32_t vectors, struct bfm_msg_irqs *irqs);
/* The value of max_data_xfer_size in the client's version message; -EINVAL if unusable. */
int bfm_msg_xfer_size(const char *json, size_t len, uint32_t *size);
/* Send a reply, if one is wanted, or the header of one that refuses. Never blocks. */
int bfm_msg_reply(int sock, const struct bfm_msg_hdr *hdr, const void *body, size_t len);
int bfm_msg_refuse(int sock, const struct bfm_msg_hdr *hdr, int error);

/* The body of DMA_UNMAP. */
struct bfm_msg_dma_unmap {
	uint32_t argsz;
	uint32_t flags;
	uint64_t addr;
	uint64_t size;
};
_Static_assert(sizeof(struct bfm_msg_dma_unmap) == 24, "vfio-user DMA unmap");

/* The range of a message that was checked: its first and its last byte. */
static inline void
bfm_unmap_range(const struct bfm_msg_dma_unmap *unmap, uint64_t *first, uint64_t *last)
{
	bool all = (unmap->flags & VFIO_DMA_UNMAP_FLAG_ALL) != 0;

	*first = all ? 0 : unmap->addr;
	*last = all ? UINT64_MAX : unmap->addr + (unmap->size - 1);
}

/* ---------------------------------------------------------------- dma.c */

struct bfm_dma *bfm_server_regions(const struct bfm_function *f);
int bfm_dma_init(void); /* once: survive memory that the client takes away */
/*
 * One piece of DMA by message; the piece lies in one region. What the library
 * does while it waits blocks the model: bounded in time, and only from within
 * the handling of a message of the client.
 */
typedef int (*bfm_dma_message_t)(struct bfm_function *f, bool write, uint64_t addr, void *buf,
		size_t len);
struct bfm_dma *bfm_dma_create(bfm_dma_message_t message);
void bfm_dma_destroy(struct bfm_dma *dma);
/* vaddr NULL: by message. prot: PROT_READ, PROT_WRITE. */
int bfm_dma_add(struct bfm_dma *dma, uint64_t addr, uint64_t len, void *vaddr, uint32_t prot);
void bfm_dma_remove(struct bfm_dma *dma, uint64_t addr, uint64_t len);
/* Is it in a region without a descriptor? */
bool bfm_dma_is_by_message(const struct bfm_dma *dma, uint64_t addr);
/* Is there such a region that the device may write? */
bool bfm_dma_has_by_message(const struct bfm_dma *dma);
bool bfm_dma_has(const struct bfm_dma *dma, uint64_t addr, uint64_t len); /* exactly that */
bool bfm_dma_overlaps(const struct bfm_dma *dma, uint64_t addr, uint64_t len);
/* Is a region in the range in part only? Then where it starts. last: a byte, not an end. */
bool bfm_dma_cuts(const struct bfm_dma *dma, uint64_t first, uint64_t last, uint64_t *addr);
/* The first region of a range that cuts none. */
bool bfm_dma_first(const struct bfm_dma *dma, uint64_t first, uint64_t last, uint64_t *addr,
		uint64_t *len);
/* Are there regions, and all in the range? */
bool bfm_dma_all_within(const struct bfm_dma *dma, uint64_t first, uint64_t last);
/* Forget all regions. Returns how many bytes they had. */
uint64_t bfm_dma_clear(struct bfm_dma *dma);
/* Where the region of a mapped address starts. */
uint64_t bfm_dma_base(const struct bfm_dma *dma, uint64_t addr);
uint32_t bfm_dma_count(const struct bfm_dma *dma);

/* ---------------------------------------------------------------- pci.c */

/* Write to configuration space. Returns whether a function level reset was asked for. */
bool bfm_pci_write(const struct bfm_conf *conf, struct bfm_card *card, uint8_t *cfg, uint32_t off,
		const void *buf, size_t len);
bool bfm_pci_is_master(const uint8_t *cfg);
bool bfm_pci_has_memory(const uint8_t *cfg);

#endif
