/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Interrupts: the eventfds that a client connected, and which of them are lost. */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "link.h"

void
bfm_irqs_clear(struct bfm_server *s, uint32_t start, uint32_t count)
{
	uint32_t i;

	for (i = start; i < start + count && i < BFM_NB_VECTORS; i++) {
		if (s->irq_fds[i] >= 0)
			close(s->irq_fds[i]);
		s->irq_fds[i] = -1;
	}
}

bool
bfm_irq_ready(struct bfm_server *s, uint32_t vector)
{
	struct pollfd pfd = { .fd = s->irq_fds[vector], .events = POLLOUT };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & POLLOUT) != 0;
}

void
bfm_irq(struct bfm_function *f, uint32_t vector)
{
	struct bfm_server *s = f->server;

	if (f->gone || !bfm_server_connected(f) || vector >= f->conf.vectors)
		return;
	if (s->irq_fds[vector] < 0) {
		s->irqs_lost++;
		return;
	}
	/* MSI-X is a write on the bus too */
	if (!bfm_pci_is_master(s->cfg)) {
		bfm_log(f, BFM_WARN, "interrupt %u with bus mastering off is lost", vector);
		return;
	}
	/* an eventfd whose counter is full blocks who writes, and is readable anyway */
	if (!bfm_irq_ready(s, vector))
		return;
	if (vfu_irq_trigger(s->ctx, vector) < 0)
		bfm_log(f, BFM_WARN, "interrupt %u: %s", vector, strerror(errno));
}

/*
 * The client adds vectors to those that it has. Kernels before Linux 6.5 can do that
 * only by switching all off and on again: what was on its way is lost.
 */
static void
irqs_grow(struct bfm_function *f, uint32_t top)
{
	struct bfm_server *s = f->server;
	struct iovec iov;
	uint64_t count;
	uint32_t i, lost = 0;

	s->irqs_grown++;
	if (f->conf.msix_fixed == 0)
		return;
	iov = (struct iovec){ .iov_base = &count, .iov_len = sizeof(count) };
	for (i = 0; i < BFM_NB_VECTORS; i++)
		/* the client may read it at this moment: never wait */
		if (s->irq_fds[i] >= 0 && preadv2(s->irq_fds[i], &iov, 1, -1, RWF_NOWAIT) > 0)
			lost++;
	s->irqs_lost += lost;
	bfm_log(f, BFM_WARN, "%u vectors after %u: MSI-X goes off and on again, %u interrupts are "
			"lost; the first SET_IRQS should have them all", top, s->irqs_top, lost);
}

/* What a message of the client that the library took means for the copies. */
void
bfm_irqs_changed(struct bfm_function *f, const struct bfm_msg_irqs *irqs, const int *fds)
{
	struct bfm_server *s = f->server;
	uint32_t i, top = irqs->start + irqs->count;

	if (!irqs->msix || (!irqs->set && !irqs->clear))
		return;
	if (irqs->clear && irqs->start == 0 && irqs->count >= s->irqs_top) {
		s->irqs_top = 0;
	} else if (irqs->set && top > s->irqs_top) {
		if (s->irqs_top != 0)
			irqs_grow(f, top);
		s->irqs_top = top;
		if (s->irqs_first == 0)
			s->irqs_first = top;
	}
	bfm_irqs_clear(s, irqs->start, irqs->count);
	for (i = 0; irqs->set && i < irqs->count; i++)
		s->irq_fds[irqs->start + i] = fds[i];
}

void
bfm_irqs_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_server *s = f->server;

	fprintf(out, "irqs_first=%u irqs=%u irqs_grown=%llu irqs_lost=%llu", s->irqs_first,
			s->irqs_top, (unsigned long long)s->irqs_grown,
			(unsigned long long)s->irqs_lost);
}
