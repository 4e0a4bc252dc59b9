/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The limits of the control path. */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "limit_private.h"

const char *
limit_latency_name(bool event)
{
	return event ? "eventfd ping-pong" : "cache-line ping-pong";
}

/*
 * Latency. Whatever carries a message between two CPUs has to move at least
 * one cache line from the writer to the reader, and the answer the same way
 * back: this does that and nothing else, with the same clock reads around it.
 * A pause in the spin would only make it slower.
 *
 * When both sides sleep, the line is not what costs: the wake-up through a
 * descriptor is, and nothing that sleeps in poll() can do with less.
 */
static uint32_t
latency_helper(void *arg)
{
	struct limit_shared *sh = arg;
	uint64_t seen = 0, v, spins = 0;

	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	if (sh->event) {
		struct pollfd pfd = { .fd = sh->fd[0], .events = POLLIN };

		while (!limit_quit_seen(sh)) {
			if (poll(&pfd, 1, 10) == 1 && read(sh->fd[0], &v, sizeof(v)) > 0 &&
					write(sh->fd[1], &v, sizeof(v)) < 0)
				break;
		}
		return 0;
	}
	for (;;) {
		v = __atomic_load_n(&sh->ping, __ATOMIC_ACQUIRE);
		if (v != seen) {
			__atomic_store_n(&sh->pong, v, __ATOMIC_RELEASE);
			seen = v;
		} else if (unlikely((++spins & LIMIT_CLOCK_MASK) == 0) && limit_quit_seen(sh)) {
			return 0;
		}
	}
}

static int
latency_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = limit_clock_after(seconds), seq = 0, t0, t1, v = 1;
	struct pollfd pfd = { .fd = sh->fd[1], .events = POLLIN };
	struct hist *h = out;
	uint64_t spins = 0;

	hist_reset(h);
	do {
		t0 = rte_rdtsc();
		if (sh->event) {
			if (write(sh->fd[0], &v, sizeof(v)) < 0 || poll(&pfd, 1, 1000) != 1 ||
					read(sh->fd[1], &v, sizeof(v)) < 0)
				return -ETIMEDOUT;
		} else {
			__atomic_store_n(&sh->ping, ++seq, __ATOMIC_RELEASE);
			while (__atomic_load_n(&sh->pong, __ATOMIC_ACQUIRE) != seq) {
				if (unlikely((++spins & LIMIT_CLOCK_MASK) == 0) &&
						rte_rdtsc() > sh->deadline)
					return -ETIMEDOUT;
			}
		}
		t1 = rte_rdtsc();
		hist_add(h, t1 - t0);
	} while (t1 < end);
	return 0;
}

int
limit_latency(const struct limit_place *place, double seconds, double *cycles)
{
	struct limit_shared *sh = limit_shared_alloc();
	struct hist *h = hist_create();
	int ret = -ENOMEM;

	if (sh == NULL || h == NULL)
		goto out;
	if (place->event) {
		sh->fd[0] = eventfd(0, EFD_CLOEXEC);
		sh->fd[1] = eventfd(0, EFD_CLOEXEC);
		if (sh->fd[0] < 0 || sh->fd[1] < 0) {
			ret = -errno;
			goto out;
		}
	}
	ret = limit_with_helper(place, sh, seconds, latency_helper, latency_measure, h);
	if (ret == 0)
		*cycles = hist_percentile(h, 50.0) / 2;
out:
	hist_free(h);
	if (sh != NULL)
		limit_shared_free(sh);
	return ret;
}

/*
 * Rate. The sender has to put the message and its length somewhere that the
 * receiver can read, and the receiver has to copy it out before anyone looks
 * at it, because the sender may write there at any time: one copy in, one copy
 * out, and an index each way that is published in batches. No more messages
 * are on the way than the window of the test lets be; they lie as close
 * together as their length word lets them. Nothing calls back, nothing is
 * checked, nobody is asleep.
 */
struct rate_end {
	uint64_t prod, prod_tail;  /* own index, and the last tail seen */
	uint64_t cons, cons_head;
	uint32_t prod_slot, cons_slot;
};

static inline void
rate_produce(struct limit_shared *sh, struct rate_end *e, unsigned int r, const uint8_t *from)
{
	uint32_t n;

	if (e->prod - e->prod_tail > sh->slots - sh->batch) {
		e->prod_tail = __atomic_load_n(&sh->tail[r], __ATOMIC_ACQUIRE);
		if (e->prod - e->prod_tail > sh->slots - sh->batch)
			return;
	}
	for (n = 0; n < sh->batch; n++, e->prod++) {
		uint8_t *slot = sh->ring[r] + (size_t)e->prod_slot * sh->stride;

		if (++e->prod_slot == sh->slots)
			e->prod_slot = 0;
		*(uint64_t *)slot = sh->size;
		memcpy(slot + sizeof(uint64_t), from, sh->size);
	}
	__atomic_store_n(&sh->head[r], e->prod, __ATOMIC_RELEASE);
}

static inline void
rate_consume(struct limit_shared *sh, struct rate_end *e, unsigned int r, uint8_t *to)
{
	if (e->cons == e->cons_head) {
		e->cons_head = __atomic_load_n(&sh->head[r], __ATOMIC_ACQUIRE);
		if (e->cons == e->cons_head)
			return;
	}
	for (; e->cons != e->cons_head; e->cons++) {
		const uint8_t *slot = sh->ring[r] + (size_t)e->cons_slot * sh->stride;

		if (++e->cons_slot == sh->slots)
			e->cons_slot = 0;
		memcpy(to, slot + sizeof(uint64_t), sh->size);
		/* The copy is the work: it must not be optimised away. */
		__asm__ volatile("" : : "r"(to) : "memory");
	}
	__atomic_store_n(&sh->tail[r], e->cons, __ATOMIC_RELEASE);
}

static uint32_t
rate_helper(void *arg)
{
	struct limit_shared *sh = arg;
	struct rate_end e = { 0 };
	uint64_t spins = 0;
	uint8_t *buf;

	buf = aligned_alloc(LIMIT_APART, RTE_ALIGN_CEIL((size_t)sh->size, LIMIT_APART) * 2);
	if (buf == NULL)
		return 0;
	memset(buf, 0x5a, RTE_ALIGN_CEIL((size_t)sh->size, LIMIT_APART) * 2);
	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	do {
		rate_consume(sh, &e, 0, buf);
		if (sh->bidir)
			rate_produce(sh, &e, 1,
					buf + RTE_ALIGN_CEIL((size_t)sh->size, LIMIT_APART));
	} while (likely((++spins & LIMIT_CLOCK_MASK) != 0) || !limit_quit_seen(sh));
	free(buf);
	return 0;
}

static int
rate_measure(struct limit_shared *sh, double seconds, void *out)
{
	size_t one = RTE_ALIGN_CEIL((size_t)sh->size, LIMIT_APART);
	uint64_t end = limit_clock_after(seconds), now, spins = 0;
	struct rate_end e = { 0 };
	struct slices slices;
	uint8_t *buf;

	buf = aligned_alloc(LIMIT_APART, one * 2);
	if (buf == NULL)
		return -ENOMEM;
	memset(buf, 0x5a, one * 2);
	slices_begin(&slices, seconds, 0);
	do {
		rate_produce(sh, &e, 0, buf);
		if (sh->bidir)
			rate_consume(sh, &e, 1, buf + one);
		if ((++spins & LIMIT_CLOCK_MASK) != 0)
			continue;
		now = rte_rdtsc();
		slices_look(&slices, now, e.prod + e.cons);
		if (now >= end)
			break;
	} while (true);
	free(buf);
	return limit_rate_end(&slices, out);
}

int
limit_rate(const struct limit_place *place, uint32_t size, uint32_t window, bool bidir,
		double seconds, double *rate)
{
	struct limit_shared *sh = limit_shared_alloc();
	unsigned int i;
	int ret = -ENOMEM;

	if (sh == NULL)
		return -ENOMEM;
	sh->size = size;
	sh->stride = RTE_ALIGN_CEIL(size, sizeof(uint64_t)) + sizeof(uint64_t);
	sh->slots = window;
	sh->batch = window < 2 ? 1 : RTE_MIN(window / 2, (uint32_t)LIMIT_BATCH);
	sh->bidir = bidir;
	sh->rate = true;
	for (i = 0; i < (bidir ? 2u : 1u); i++) {
		size_t len = RTE_ALIGN_CEIL((size_t)sh->stride * sh->slots, LIMIT_APART);

		sh->ring[i] = aligned_alloc(LIMIT_APART, len);
		if (sh->ring[i] == NULL)
			goto out;
		memset(sh->ring[i], 0, len);
	}
	ret = limit_with_helper(place, sh, seconds, rate_helper, rate_measure, rate);
out:
	limit_shared_free(sh);
	return ret;
}

/*
 * Connects. The two ends have to ask and to answer before either may use a
 * connection, and the one that leaves has to say so: three messages over a Unix
 * socket. Nothing else has to be done each time: memory can be mapped once and
 * be used again. (With a memfd made and mapped on each side it is a fraction
 * of this, and what comch does exceeds it.) The connects that are made in
 * parallel let the socket work on several at once. Both sides spin on the
 * socket unless both are to sleep.
 */
#define CONNECT_ASK 1
#define CONNECT_LEAVE 2

/* Wait for a socket, if both sides are to sleep. 0 while there is time left. */
static int
socket_wait(const struct limit_shared *sh, int fd, short events)
{
	struct pollfd pfd = { .fd = fd, .events = events };

	if (limit_quit_seen(sh))
		return -ETIMEDOUT;
	if (sh->event && poll(&pfd, 1, 10) < 0 && errno != EINTR)
		return -errno;
	return 0;
}

static bool
socket_put(int fd, char kind)
{
	char buf[16] = { kind };

	return send(fd, buf, sizeof(buf), MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)sizeof(buf);
}

static bool
socket_get(int fd, char *kind)
{
	char buf[16];

	if (recv(fd, buf, sizeof(buf), MSG_DONTWAIT) <= 0)
		return false;
	*kind = buf[0];
	return true;
}

static uint32_t
connect_helper(void *arg)
{
	struct limit_shared *sh = arg;
	int fd = sh->fd[1];
	char kind;

	__atomic_store_n(&sh->ready, 1, __ATOMIC_RELEASE);
	for (;;) {
		while (!socket_get(fd, &kind)) {
			if (socket_wait(sh, fd, POLLIN) != 0)
				return 0;
		}
		/* The other side always takes what is there: this ends. */
		while (kind == CONNECT_ASK && !socket_put(fd, kind)) {
			if (socket_wait(sh, fd, POLLOUT) != 0)
				return 0;
		}
	}
}

/*
 * A socket may have room for ten messages only, and two sides that wait for room
 * would wait for ever: this one never waits to send.
 */
static int
connect_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = limit_clock_after(seconds), now = rte_rdtsc();
	uint64_t asked = 0, answered = 0, gone = 0;
	struct slices slices;
	bool moved;
	char kind;
	int ret;

	slices_begin(&slices, seconds, 0);
	while (now < end) {
		moved = false;
		if (gone < answered && socket_put(sh->fd[0], CONNECT_LEAVE)) {
			gone++;
			moved = true;
		}
		if (asked - gone < sh->slots && socket_put(sh->fd[0], CONNECT_ASK)) {
			asked++;
			moved = true;
		}
		if (answered < asked && socket_get(sh->fd[0], &kind)) {
			answered++;
			moved = true;
		}
		if (!moved) {
			ret = socket_wait(sh, sh->fd[0], POLLIN);
			if (ret != 0)
				return ret;
		}
		now = rte_rdtsc();
		slices_look(&slices, now, gone);
	}
	return limit_rate_end(&slices, out);
}

int
limit_connect(const struct limit_place *place, uint32_t parallel, double seconds, double *rate)
{
	struct limit_shared *sh = limit_shared_alloc();
	int ret;

	if (sh == NULL)
		return -ENOMEM;
	sh->slots = parallel;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sh->fd) != 0)
		ret = -errno;
	else
		ret = limit_with_helper(place, sh, seconds, connect_helper, connect_measure, rate);
	limit_shared_free(sh);
	return ret;
}
