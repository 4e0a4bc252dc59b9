/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What libfabric's shm provider does between two processes, each on one CPU:
 * a stream of messages into posted buffers, each of which is written and read. The
 * distribution has fi_pingpong only, which sends one at a time. Prints one line of
 * "name value" pairs. Every loop ends by the clock.
 */

#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>

#define PEER_NAME "peer-fabric"
#include "peer_process.h"
#include "work.h"

#define BURST_MAX 256
#define POSTS_MAX 4096
#define NAME_MAX_LEN 256

/* Shared by both processes since before the fork; what is measured is not here. */
struct shared {
	uint64_t received __attribute__((aligned(APART)));
	uint32_t ready[2] __attribute__((aligned(APART)));
	uint32_t quit __attribute__((aligned(APART)));
	size_t name_len[2];
	char name[2][NAME_MAX_LEN];
	double rate;
};

struct config {
	bool inject;      /* fi_inject(), which has no completion, else fi_send() */
	size_t size;
	size_t stride;
	unsigned int burst;
	unsigned int posts;
	unsigned int window;   /* messages not yet received; 0: as the provider lets */
	double seconds;
	int cpu[2];
};

struct end {
	const struct config *cf;
	struct shared *sh;
	struct fi_info *info;
	struct fid_fabric *fabric;
	struct fid_domain *domain;
	struct fid_av *av;
	struct fid_cq *txcq, *rxcq;
	struct fid_ep *ep;
	fi_addr_t peer;
	uint8_t *mem;        /* the posted buffers, then those that are sent */
	size_t len, rx_len;
	struct fi_context2 *ctx;
};

static void
fail(const char *what, long ret)
{
	peer_fail(what, fi_strerror((int)(ret < 0 ? -ret : ret)));
}

static void
check(const char *what, long ret)
{
	if (ret != 0)
		fail(what, ret);
}

static void
post(struct end *e, unsigned int i)
{
	check("post of a buffer", fi_recv(e->ep, e->mem + i * e->cf->stride, e->cf->stride, NULL,
			FI_ADDR_UNSPEC, &e->ctx[i]));
}

static void
open_end(struct end *e, const struct config *cf, struct shared *sh, int side)
{
	struct fi_cq_attr cq = { .format = FI_CQ_FORMAT_MSG };
	struct fi_av_attr av = { .type = FI_AV_TABLE };
	struct fi_info *hints = fi_allocinfo();
	unsigned int i;

	if (hints == NULL)
		fail("fi_allocinfo", FI_ENOMEM);
	memset(e, 0, sizeof(*e));
	e->cf = cf;
	e->sh = sh;
	/* No more capabilities than are used; the rest would only cost time. */
	hints->caps = FI_MSG | FI_SEND | FI_RECV;
	hints->ep_attr->type = FI_EP_RDM;
	/* One thread each, which polls: no lock and no progress thread is needed. */
	hints->domain_attr->threading = FI_THREAD_DOMAIN;
	hints->domain_attr->control_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->data_progress = FI_PROGRESS_MANUAL;
	hints->domain_attr->av_type = FI_AV_TABLE;
	hints->fabric_attr->prov_name = strdup("shm");
	check("fi_getinfo", fi_getinfo(FI_VERSION(1, 17), NULL, NULL, 0, hints, &e->info));
	fi_freeinfo(hints);

	check("fi_fabric", fi_fabric(e->info->fabric_attr, &e->fabric, NULL));
	check("fi_domain", fi_domain(e->fabric, e->info, &e->domain, NULL));
	check("fi_av_open", fi_av_open(e->domain, &av, &e->av, NULL));
	cq.size = e->info->tx_attr->size;
	check("fi_cq_open", fi_cq_open(e->domain, &cq, &e->txcq, NULL));
	cq.size = e->info->rx_attr->size;
	check("fi_cq_open", fi_cq_open(e->domain, &cq, &e->rxcq, NULL));
	check("fi_endpoint", fi_endpoint(e->domain, e->info, &e->ep, NULL));
	check("fi_ep_bind", fi_ep_bind(e->ep, &e->av->fid, 0));
	check("fi_ep_bind", fi_ep_bind(e->ep, &e->txcq->fid, FI_TRANSMIT));
	check("fi_ep_bind", fi_ep_bind(e->ep, &e->rxcq->fid, FI_RECV));
	check("fi_enable", fi_enable(e->ep));

	e->rx_len = cf->stride * cf->posts;
	e->len = 2 * e->rx_len;
	e->ctx = calloc(cf->posts, sizeof(*e->ctx));
	e->mem = mmap(NULL, e->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e->ctx == NULL || e->mem == MAP_FAILED)
		fail("buffers", FI_ENOMEM);
	/* Fewer page faults and TLB misses, if the machine has this on demand. */
	madvise(e->mem, e->len, MADV_HUGEPAGE);
	memset(e->mem, 0x5a, e->len);
	for (i = 0; i < cf->posts; i++)
		post(e, i);

	sh->name_len[side] = sizeof(sh->name[side]);
	check("fi_getname", fi_getname(&e->ep->fid, sh->name[side], &sh->name_len[side]));
	__atomic_store_n(&sh->ready[side], 1, __ATOMIC_RELEASE);
	wait_ready(&e->sh->ready[!side]);
	if (fi_av_insert(e->av, sh->name[!side], 1, &e->peer, 0, NULL) != 1)
		fail("fi_av_insert", FI_EADDRNOTAVAIL);
}

static void
close_end(struct end *e)
{
	fi_close(&e->ep->fid);
	fi_close(&e->rxcq->fid);
	fi_close(&e->txcq->fid);
	fi_close(&e->av->fid);
	fi_close(&e->domain->fid);
	fi_close(&e->fabric->fid);
	fi_freeinfo(e->info);
	munmap(e->mem, e->len);
	free(e->ctx);
}

/* Take up to a burst of messages, and post their buffers again. */
static inline unsigned int
receive(struct end *e)
{
	struct fi_cq_msg_entry c[BURST_MAX];
	const struct config *cf = e->cf;
	unsigned int slot;
	ssize_t n, i;

	n = fi_cq_read(e->rxcq, c, cf->burst);
	if (n == -FI_EAGAIN)
		return 0;
	if (n < 0)
		fail("receive", n);
	for (i = 0; i < n; i++) {
		slot = (unsigned int)((struct fi_context2 *)c[i].op_context - e->ctx);
		if (!work_read(e->mem + slot * cf->stride, c[i].len))
			fail("a message that is not what was sent", FI_EIO);
		post(e, slot);
	}
	return (unsigned int)n;
}

static void
run_receiver(struct end *e)
{
	struct clocked c = clocked_begin(e->cf->seconds);
	uint64_t count = 0, looks = 0;
	double until;
	unsigned int n;

	do {
		n = receive(e);
		if (n > 0) {
			count += n;
			if (e->cf->window != 0)
				__atomic_store_n(&e->sh->received, count, __ATOMIC_RELEASE);
		}
	} while ((++looks & LOOKS_MASK) != 0 || !clocked_over(&c, e->cf->seconds, count));
	e->sh->rate = c.rate;
	__atomic_store_n(&e->sh->quit, 1, __ATOMIC_RELEASE);
	/* The sender may wait in the middle of one: take them until it is gone. */
	until = now() + PEER_PATIENCE;
	while (__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) != 2 && now() < until)
		receive(e);
}

static void
run_sender(struct end *e)
{
	const struct config *cf = e->cf;
	struct fi_cq_msg_entry c[BURST_MAX];
	uint64_t sent = 0, done = 0, received = 0, written = 0;
	double until = now() + PEER_PATIENCE + cf->seconds;
	unsigned int i, slot = 0, looks = 0;
	uint8_t *buf;
	ssize_t n;
	long ret;

	while (__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) == 0) {
		if ((++looks & LOOKS_MASK) == 0 && now() > until)
			fail("the receiver", FI_ETIMEDOUT);
		if (cf->window != 0 && sent - received > cf->window - cf->burst) {
			received = __atomic_load_n(&e->sh->received, __ATOMIC_ACQUIRE);
			if (!cf->inject)
				goto completions;
			/* Nothing but this turns what the provider has to do. */
			fi_cq_read(e->txcq, c, 1);
			continue;
		}
		for (i = 0; i < cf->burst; i++) {
			buf = e->mem + e->rx_len + slot * cf->stride;
			/* A buffer that is not sent yet cannot be written. */
			if (!cf->inject && sent - done == cf->posts)
				break;
			if (written == sent)
				work_write(buf, cf->size, written++);
			if (cf->inject)
				ret = fi_inject(e->ep, buf, cf->size, e->peer);
			else
				ret = fi_send(e->ep, buf, cf->size, NULL, e->peer, &e->ctx[slot]);
			/* What was not taken has its bytes already. */
			if (ret == -FI_EAGAIN)
				break;
			if (ret != 0)
				fail("send", ret);
			sent++;
			if (++slot == cf->posts)
				slot = 0;
		}
		if (cf->inject && i == cf->burst)
			continue;
completions:
		n = fi_cq_read(e->txcq, c, cf->burst);
		if (n > 0)
			done += (uint64_t)n;
		else if (n != -FI_EAGAIN)
			fail("completion of a send", n);
	}
	__atomic_store_n(&e->sh->quit, 2, __ATOMIC_RELEASE);
}

static void
arguments(int argc, char **argv, struct config *cf)
{
	if (argc == 10) {
		*cf = (struct config){
			.cpu = { atoi(argv[1]), atoi(argv[2]) },
			.seconds = strtod(argv[3], NULL),
			.inject = strcmp(argv[4], "inject") == 0,
			.size = strtoul(argv[5], NULL, 0),
			.stride = strtoul(argv[6], NULL, 0),
			.burst = (unsigned int)strtoul(argv[7], NULL, 0),
			.posts = (unsigned int)strtoul(argv[8], NULL, 0),
			.window = (unsigned int)strtoul(argv[9], NULL, 0),
		};
		if (cf->size != 0 && cf->size <= cf->stride && cf->burst != 0 &&
				cf->burst <= BURST_MAX && cf->posts >= 2 &&
				cf->posts <= POSTS_MAX && cf->seconds > 0 && cf->seconds <= 60 &&
				(cf->window == 0 || cf->window >= cf->burst))
			return;
	}
	fprintf(stderr, "usage: peer-fabric CPU CPU seconds inject|send size stride burst posts "
			"window\n");
	exit(2);
}

int
main(int argc, char **argv)
{
	struct config cf;
	struct shared *sh;
	struct end e;
	pid_t child;

	arguments(argc, argv, &cf);
	sh = share(sizeof(*sh));
	child = fork_pinned(cf.cpu);
	if (child == 0) {
		open_end(&e, &cf, sh, 1);
		run_receiver(&e);
		close_end(&e);
		return 0;
	}
	open_end(&e, &cf, sh, 0);
	run_sender(&e);
	/* The provider's end of the child may still need this one's memory. */
	join(child);
	close_end(&e);
	printf("rate_per_s %.0f bytes_per_s %.0f\n", sh->rate, sh->rate * (double)cf.size);
	return 0;
}
