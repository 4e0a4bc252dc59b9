/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What server.c, link.c, feed.c, irq.c, dma.c and unmap.c share: the server of a function. Needs
 * libvfio-user.h.
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

/* Commands that are kept while DMA waits for its reply, which may stand behind them. */
#define BFM_FEED_AHEAD 64
#define BFM_FEED_AHEAD_BYTES (4 * BFM_MSG_MAX)

/* What the library receives. */
struct bfm_feed {
	struct bfm_msg *msg;    /* it takes this one */
	uint32_t at;            /* so much of its body is taken */
	bool replies;           /* it waits for replies to DMA */
	struct bfm_msg reply;   /* the newest of them */
	struct bfm_msg *ahead[BFM_FEED_AHEAD]; /* a ring */
	uint32_t ahead_first;
	uint32_t ahead_nb;
	uint32_t ahead_bytes;
	uint32_t ahead_fds;
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
	uint64_t accept_at;    /* ms, to try again; 0: nobody waits */
	bool accept_told;      /* that somebody does */
	struct bfm_msg msg;    /* the next one, as far as it has arrived */
	struct bfm_feed feed;
	uint64_t unmapped;     /* bytes, by the message that is under way */
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

/* After this the library holds no client, and the function is as new. */
void bfm_link_down(struct bfm_function *f, const char *why);

/* --------------------------------------------------------------- feed.c */

uint64_t bfm_now_ms(void); /* not of this turn of the loop, but now */
/* As bfm_msg_receive() into s->msg, but first what was kept. */
int bfm_feed_next(struct bfm_server *s);
/* The library's calls, each with what it receives meanwhile; results are the library's. */
int bfm_feed_attach(struct bfm_server *s); /* s->sock, and s->msg as its first message */
int bfm_feed_run(struct bfm_server *s, struct bfm_msg *msg);
void bfm_feed_end(struct bfm_server *s); /* the end of the stream: it forgets the client */
/* Between these two it waits for replies to DMA, s->dma_wait_ms at most. */
void bfm_feed_replies_begin(struct bfm_server *s);
void bfm_feed_replies_end(struct bfm_server *s);
/* Forget what has arrived. */
void bfm_feed_clear(struct bfm_server *s);

/* -------------------------------------------------------------- unmap.c */

/* DMA_UNMAP after its check. 1: done, and replied; 0: once more; -errno: no connection. */
int bfm_unmap_run(struct bfm_server *s, const struct bfm_msg *msg);

/* ---------------------------------------------------------------- irq.c */

/* Vectors from start on have no eventfds any more. */
void bfm_irqs_clear(struct bfm_server *s, uint32_t start, uint32_t count);
bool bfm_irq_ready(struct bfm_server *s, uint32_t vector); /* a write does not block */
/* What a message that the library took means for our copies of eventfds. */
void bfm_irqs_changed(struct bfm_function *f, const struct bfm_msg_irqs *irqs, const int *fds);

/* ------------------------------------------------------------- server.c */

void bfm_link_watch(struct bfm_server *s, int fd, int op);
void bfm_mirror_update(struct bfm_function *f);
void bfm_mirror_dead(struct bfm_server *s);

#endif
