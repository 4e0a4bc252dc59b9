/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What server.c and link.c share: the server of a function. Needs libvfio-user.h.
 */

#ifndef BFM_LINK_H
#define BFM_LINK_H

#include <libvfio-user.h>

#include "server.h"

/* How long a client may take for its replies to DMA during one of its messages. */
#ifdef BFM_FUZZ /* a fuzz target has less patience, except with good clients */
extern int bfm_fuzz_wait_ms;
#define BFM_DMA_WAIT_MS bfm_fuzz_wait_ms
#else
#define BFM_DMA_WAIT_MS 1000
#endif

enum bfm_link {
	BFM_LINK_NONE = 0, /* waits for a client */
	BFM_LINK_GREETING, /* connected, first message not complete */
	BFM_LINK_UP,
};

struct bfm_server {
	vfu_ctx_t *ctx;
	uint8_t *cfg;          /* the library's copy of configuration space */
	struct bfm_dma *dma;
	int epfd;
	int listen_fd;         /* the library's */
	int sock;              /* the library's once the link is up */
	enum bfm_link link;
	uint64_t greeting_end; /* ms */
	uint32_t skip;         /* bytes of a refused message that are still to come */
	struct bfm_msg_hdr refused;
	int refused_errno;
	uint32_t xfer;         /* bytes per DMA message */
	uint64_t messages;
	bool listening;        /* the socket file is ours */
	bool closing;
	bool in_message;       /* within the handling of a client's message */
	bool in_bar;           /* ... of an access to BAR 0 */
	bool want_reset;
	bool want_hang_up;
	int dma_wait_ms;       /* what is left for this message */
	int irq_fds[BFM_NB_VECTORS]; /* copies, to know that a write will not block */
	uint32_t irqs_first;   /* vectors that the client's first SET_IRQS connected */
	uint32_t irqs_top;     /* those since they were all switched off */
	uint64_t irqs_grown;   /* times that it added some to them */
	uint64_t irqs_lost;    /* interrupts that this cost, or that found no eventfd */
	uint8_t msix_table[BFM_NB_VECTORS * 16];
	int mirror_fd;
	uint8_t *mirror;
	uint64_t mirror_next;  /* ms */
};

/* --------------------------------------------------------------- link.c */

void bfm_link_watch(struct bfm_server *s, int fd, int op);
/* After this the library holds no client, and the function is as new. */
void bfm_link_down(struct bfm_function *f, const char *why);

/* ------------------------------------------------------------- server.c */

bool bfm_irq_ready(struct bfm_server *s, uint32_t vector); /* a write does not block */
/* What a message that the library took means for our copies of eventfds. */
void bfm_irqs_changed(struct bfm_function *f, struct bfm_msg *msg,
		const struct bfm_msg_irqs *irqs);
void bfm_mirror_update(struct bfm_function *f);
void bfm_mirror_dead(struct bfm_server *s);

#endif
