/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What UCX does between two processes, each on one CPU, through UCP: a stream of
 * tag messages into posted buffers, or of active messages. ucx_perftest sends from
 * one buffer that nobody writes, into one that nobody reads; here there are as many
 * buffers as is wanted, and all bytes of a message can be written and read. The
 * transports and the protocols are chosen by UCX's own variables.
 * Prints one line of "name value" pairs. Every loop ends by the clock.
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

#include <ucp/api/ucp.h>

#define PEER_NAME "peer-ucx"
#include "peer_process.h"
#include "work.h"

#define ADDRESS_MAX 4096
#define BUFS_MAX 4096
#define TAG 1
#define AM_ID 1

/* Shared by both processes since before the fork; what is measured is not here. */
struct shared {
	uint32_t ready[2] __attribute__((aligned(APART)));
	uint32_t quit __attribute__((aligned(APART)));
	size_t len[2];
	uint8_t address[2][ADDRESS_MAX];
	double rate;
};

struct config {
	bool am;          /* active messages, else tag messages */
	size_t size;
	size_t stride;
	unsigned int bufs;
	double seconds;
	int cpu[2];
};

struct end;

struct buf {
	struct end *end;
	uint8_t *data;
	void *request;    /* of UCX; NULL: it has nothing to do with the buffer */
	bool full;        /* of the receiver: not yet looked at */
};

struct end {
	const struct config *cf;
	struct shared *sh;
	ucp_context_h context;
	ucp_worker_h worker;
	ucp_ep_h ep;
	uint8_t *mem;
	size_t len;
	struct buf *bufs;
	struct buf **done;        /* of the receiver: those that are full, in their order */
	unsigned int nb_done;
	void **waiting;           /* long active messages that no buffer is free for */
	unsigned int nb_waiting;
	unsigned int next;
	uint64_t received;
	bool stopping;
};

static void
check(const char *what, ucs_status_t status)
{
	if (status != UCS_OK)
		peer_fail(what, ucs_status_string(status));
}

static inline void
look_at(const uint8_t *data, size_t len)
{
	if (!work_read(data, len))
		peer_fail("receive", "a message is not what was sent");
}

/* ---- the receiver ---- */

static void
filled(struct buf *b, ucs_status_t status)
{
	struct end *e = b->end;

	b->request = NULL;
	if (e->stopping)
		return;
	check("receive", status);
	b->full = true;
	e->done[e->nb_done++] = b;
}

static void
tag_received(void *request, ucs_status_t status, const ucp_tag_recv_info_t *info, void *arg)
{
	(void)info;
	ucp_request_free(request);
	filled(arg, status);
}

static void
am_fetched(void *request, ucs_status_t status, size_t len, void *arg)
{
	(void)len;
	ucp_request_free(request);
	filled(arg, status);
}

static void
started(struct buf *b, ucs_status_ptr_t ret)
{
	if (UCS_PTR_IS_ERR(ret))
		peer_fail("receive", ucs_status_string(UCS_PTR_STATUS(ret)));
	if (ret == NULL)
		filled(b, UCS_OK);
	else
		b->request = ret;
}

static void
post(struct buf *b)
{
	const ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv = tag_received,
		.user_data = b,
	};

	started(b, ucp_tag_recv_nbx(b->end->worker, b->data, b->end->cf->size, TAG, UINT64_MAX,
			&param));
}

/* Long active messages go into the next buffer, when it has been looked at. */
static void
fetch(struct end *e)
{
	ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.recv_am = am_fetched,
	};
	unsigned int i;
	struct buf *b;

	for (i = 0; i < e->nb_waiting; i++) {
		b = &e->bufs[e->next];
		if (b->full || b->request != NULL)
			break;
		if (++e->next == e->cf->bufs)
			e->next = 0;
		param.user_data = b;
		started(b, ucp_am_recv_data_nbx(e->worker, e->waiting[i], b->data, e->cf->size,
				&param));
	}
	e->nb_waiting -= i;
	memmove(e->waiting, e->waiting + i, e->nb_waiting * sizeof(*e->waiting));
}

/*
 * A short active message is looked at where it lies, and copied nowhere: the best
 * that there is. A long one waits for the next buffer.
 */
static ucs_status_t
am_came(void *arg, const void *header, size_t header_len, void *data, size_t len,
		const ucp_am_recv_param_t *param)
{
	struct end *e = arg;

	(void)header;
	(void)header_len;
	if ((param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV) == 0) {
		look_at(data, len);
		e->received++;
		return UCS_OK;
	}
	/* The sender has no more on the way than it has buffers. */
	if (e->nb_waiting == e->cf->bufs || len != e->cf->size)
		peer_fail("receive", "more messages than buffers, or longer ones");
	e->waiting[e->nb_waiting++] = data;
	return UCS_INPROGRESS;
}

/* Take what has come, and post its buffers again. */
static void
receive(struct end *e)
{
	unsigned int i;
	struct buf *b;

	ucp_worker_progress(e->worker);
	if (e->nb_waiting > 0)
		fetch(e);
	/* A post may be filled at once, and adds to what is looked at then. */
	for (i = 0; i < e->nb_done && i < e->cf->bufs; i++) {
		b = e->done[i];
		look_at(b->data, e->cf->size);
		b->full = false;
		e->received++;
		if (!e->cf->am)
			post(b);
	}
	e->nb_done -= i;
	memmove(e->done, e->done + i, e->nb_done * sizeof(*e->done));
}

static void
run_receiver(struct end *e)
{
	struct clocked c = clocked_begin(e->cf->seconds);
	uint64_t looks = 0;
	double until;

	/* The clock costs less than a message that is large. */
	do {
		receive(e);
	} while ((e->cf->size < 4096 && (++looks & LOOKS_MASK) != 0) ||
			!clocked_over(&c, e->cf->seconds, e->received));
	e->sh->rate = c.rate;
	__atomic_store_n(&e->sh->quit, 1, __ATOMIC_RELEASE);
	/* The sender may wait in the middle of one: take them until it is gone. */
	until = now() + PEER_PATIENCE;
	while (__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) != 2 && now() < until)
		receive(e);
}

/* ---- the sender ---- */

static void
sent(void *request, ucs_status_t status, void *arg)
{
	struct buf *b = arg;

	ucp_request_free(request);
	b->request = NULL;
	check("send", status);
}

static void
wait_sent(struct end *e, const struct buf *b)
{
	double until = now() + PEER_PATIENCE;
	unsigned int looks = 0;

	while (b->request != NULL) {
		ucp_worker_progress(e->worker);
		if ((++looks & LOOKS_MASK) == 0 && now() > until)
			peer_fail("send", "the receiver takes no message");
	}
}

static void
run_sender(struct end *e)
{
	const struct config *cf = e->cf;
	ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
		.cb.send = sent,
	};
	uint64_t number = 0;
	unsigned int slot = 0;
	ucs_status_ptr_t ret;
	struct buf *b;

	while (__atomic_load_n(&e->sh->quit, __ATOMIC_ACQUIRE) == 0) {
		b = &e->bufs[slot];
		/* A buffer that is not sent yet cannot be written. */
		if (b->request != NULL)
			wait_sent(e, b);
		work_write(b->data, cf->size, number);
		number++;
		param.user_data = b;
		if (cf->am)
			ret = ucp_am_send_nbx(e->ep, AM_ID, NULL, 0, b->data, cf->size, &param);
		else
			ret = ucp_tag_send_nbx(e->ep, b->data, cf->size, TAG, &param);
		if (UCS_PTR_IS_ERR(ret))
			peer_fail("send", ucs_status_string(UCS_PTR_STATUS(ret)));
		b->request = ret;
		if (++slot == cf->bufs)
			slot = 0;
	}
	for (slot = 0; slot < cf->bufs; slot++)
		wait_sent(e, &e->bufs[slot]);
	__atomic_store_n(&e->sh->quit, 2, __ATOMIC_RELEASE);
}

/* ---- both ---- */

static void
open_worker(struct end *e)
{
	ucp_params_t context = {
		.field_mask = UCP_PARAM_FIELD_FEATURES,
		.features = e->cf->am ? UCP_FEATURE_AM : UCP_FEATURE_TAG,
	};
	ucp_worker_params_t worker = {
		.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE,
		/* One thread, which polls. */
		.thread_mode = UCS_THREAD_MODE_SINGLE,
	};
	ucp_am_handler_param_t handler = {
		.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID | UCP_AM_HANDLER_PARAM_FIELD_CB |
				UCP_AM_HANDLER_PARAM_FIELD_ARG,
		.id = AM_ID,
		.cb = am_came,
		.arg = e,
	};
	ucp_config_t *config;

	check("ucp_config_read", ucp_config_read(NULL, NULL, &config));
	check("ucp_init", ucp_init(&context, config, &e->context));
	ucp_config_release(config);
	check("ucp_worker_create", ucp_worker_create(e->context, &worker, &e->worker));
	if (e->cf->am)
		check("ucp_worker_set_am_recv_handler",
				ucp_worker_set_am_recv_handler(e->worker, &handler));
}

static void
open_bufs(struct end *e)
{
	const struct config *cf = e->cf;
	unsigned int i;

	e->len = cf->stride * cf->bufs;
	e->bufs = calloc(cf->bufs, sizeof(*e->bufs));
	e->done = calloc(2 * (size_t)cf->bufs, sizeof(struct buf *));
	e->waiting = calloc(cf->bufs, sizeof(void *));
	e->mem = mmap(NULL, e->len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (e->bufs == NULL || e->done == NULL || e->waiting == NULL || e->mem == MAP_FAILED)
		peer_fail("buffers", strerror(ENOMEM));
	/* Fewer page faults and TLB misses, if the machine has this on demand. */
	madvise(e->mem, e->len, MADV_HUGEPAGE);
	memset(e->mem, 0x5a, e->len);
	for (i = 0; i < cf->bufs; i++) {
		e->bufs[i].end = e;
		e->bufs[i].data = e->mem + i * cf->stride;
	}
}

static void
open_end(struct end *e, const struct config *cf, struct shared *sh, int side)
{
	ucp_ep_params_t ep = { .field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS };
	ucp_address_t *address;
	unsigned int i;

	memset(e, 0, sizeof(*e));
	e->cf = cf;
	e->sh = sh;
	open_worker(e);
	open_bufs(e);
	if (side == 1 && !cf->am) {
		for (i = 0; i < cf->bufs; i++)
			post(&e->bufs[i]);
	}
	check("ucp_worker_get_address", ucp_worker_get_address(e->worker, &address, &sh->len[side]));
	if (sh->len[side] > ADDRESS_MAX)
		peer_fail("ucp_worker_get_address", "it is too long");
	memcpy(sh->address[side], address, sh->len[side]);
	ucp_worker_release_address(e->worker, address);
	__atomic_store_n(&sh->ready[side], 1, __ATOMIC_RELEASE);
	wait_ready(&e->sh->ready[!side]);
	ep.address = (const ucp_address_t *)sh->address[!side];
	check("ucp_ep_create", ucp_ep_create(e->worker, &ep, &e->ep));
}

static void
close_end(struct end *e)
{
	ucp_request_param_t param = {
		.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
		.flags = UCP_EP_CLOSE_FLAG_FORCE,
	};
	double until = now() + PEER_PATIENCE;
	ucs_status_ptr_t ret;
	unsigned int i;

	e->stopping = true;
	for (i = 0; i < e->cf->bufs; i++) {
		if (e->bufs[i].request != NULL)
			ucp_request_cancel(e->worker, e->bufs[i].request);
	}
	ret = ucp_ep_close_nbx(e->ep, &param);
	while (UCS_PTR_IS_PTR(ret) && ucp_request_check_status(ret) == UCS_INPROGRESS &&
			now() < until)
		ucp_worker_progress(e->worker);
	if (UCS_PTR_IS_PTR(ret))
		ucp_request_free(ret);
	ucp_worker_destroy(e->worker);
	ucp_cleanup(e->context);
	munmap(e->mem, e->len);
	free(e->bufs);
	free(e->done);
	free(e->waiting);
}

static void
arguments(int argc, char **argv, struct config *cf)
{
	if (argc == 8) {
		*cf = (struct config){
			.cpu = { atoi(argv[1]), atoi(argv[2]) },
			.seconds = strtod(argv[3], NULL),
			.am = strcmp(argv[4], "am") == 0,
			.size = strtoul(argv[5], NULL, 0),
			.stride = strtoul(argv[6], NULL, 0),
			.bufs = (unsigned int)strtoul(argv[7], NULL, 0),
		};
		if (cf->size != 0 && cf->size <= cf->stride && cf->stride <= UINT32_MAX &&
				cf->bufs >= 2 && cf->bufs <= BUFS_MAX && cf->seconds > 0 &&
				cf->seconds <= 60)
			return;
	}
	fprintf(stderr, "usage: peer-ucx CPU CPU seconds tag|am size stride buffers\n");
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
	/* The receiver may still look into this one's memory. */
	join(child);
	close_end(&e);
	printf("rate_per_s %.0f bytes_per_s %.0f\n", sh->rate, sh->rate * (double)cf.size);
	return 0;
}
