/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The limits. Each is measured between the calling thread and a helper that is
 * pinned to the CPU of the server, which sleeps meanwhile. Every loop ends by
 * itself: the caller's by the clock, the helper's by the word that the caller
 * leaves, or by a clock of its own if the caller is gone.
 */

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_thread.h>

#include "env.h"
#include "limit.h"

/* Distance that keeps two writers apart, with prefetch of neighbouring lines. */
#define LIMIT_APART 128
/* How often a spinning loop looks at the clock. */
#define LIMIT_CLOCK_MASK 0x3ff
/* Seconds that the helper stays after the time the caller wants to measure. */
#define LIMIT_GRACE 2.0
/*
 * A rate is measured in slices that are shorter than those of the scheduler, and
 * the upper tenth counts: what others take of the CPUs is no limit of the
 * machine's. If the two threads get less than the share of their CPUs that is
 * given here, there are not enough slices that are theirs: it is tried again.
 */
#define LIMIT_SLICES 200
#define LIMIT_SLICE_SECONDS 0.0005
#define LIMIT_SHARE_MIN 0.15
#define LIMIT_TRIES 2
/* Messages between two publications of an index. */
#define LIMIT_BATCH 32

struct limit_shared {
	/* Each word has one writer and a line of its own. */
	uint64_t ping __rte_aligned(LIMIT_APART);
	uint64_t pong __rte_aligned(LIMIT_APART);
	uint64_t head[2] __rte_aligned(LIMIT_APART);
	uint64_t tail[2] __rte_aligned(LIMIT_APART);
	uint64_t quit __rte_aligned(LIMIT_APART);
	uint64_t ready __rte_aligned(LIMIT_APART);
	/* Written before the helper starts. */
	uint64_t deadline __rte_aligned(LIMIT_APART);
	rte_thread_func helper;
	double share;     /* of a CPU that the helper got; read when it has ended */
	uint32_t size;
	uint32_t stride;
	uint32_t slots;
	uint32_t batch;
	bool bidir;
	bool event;
	int fd[2];
	uint8_t *ring[2];
};

static uint64_t
clock_after(double seconds)
{
	return rte_rdtsc() + (uint64_t)(seconds * (double)rte_get_tsc_hz());
}

static bool
quit_seen(const struct limit_shared *sh)
{
	return __atomic_load_n(&sh->quit, __ATOMIC_ACQUIRE) != 0 || rte_rdtsc() > sh->deadline;
}

void
limit_place_set(struct limit_place *place, int cpu, int peer_cpu, bool same_machine, bool event)
{
	int i;

	memset(place, 0, sizeof(*place));
	place->cpu = cpu;
	place->peer_cpu = -1;
	place->event = event;
	if (same_machine) {
		if (peer_cpu < 0)
			snprintf(place->why, sizeof(place->why),
					"the server does not tell its cpu");
		else if (peer_cpu == cpu)
			snprintf(place->why, sizeof(place->why),
					"both sides run on cpu %d; give them one each by -l", cpu);
		else
			place->peer_cpu = peer_cpu;
		return;
	}
	/*
	 * Between two machines there is no such loop: the limit of this one,
	 * between two of its own CPUs, is what remains to compare with.
	 */
	for (i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++) {
		if (i != cpu) {
			place->peer_cpu = i;
			return;
		}
	}
	snprintf(place->why, sizeof(place->why), "this machine has one cpu");
}

static int
compare_double(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct share {
	uint64_t tsc;
	uint64_t cpu_ns;
};

static void
share_begin(struct share *s)
{
	s->cpu_ns = env_cpu_time_ns();
	s->tsc = rte_rdtsc();
}

static double
share_end(const struct share *s)
{
	double wall = (double)(rte_rdtsc() - s->tsc) / (double)rte_get_tsc_hz();

	return wall > 0 ? (double)(env_cpu_time_ns() - s->cpu_ns) / 1e9 / wall : 0;
}

static uint32_t
helper_main(void *arg)
{
	struct limit_shared *sh = arg;
	struct share s;
	uint32_t ret;

	share_begin(&s);
	ret = sh->helper(sh);
	sh->share = share_end(&s);
	return ret;
}

/* Forget what an earlier try has left. */
static void
shared_reset(struct limit_shared *sh)
{
	char drop[16];
	unsigned int i;

	sh->ping = sh->pong = sh->quit = sh->ready = 0;
	memset(sh->head, 0, sizeof(sh->head));
	memset(sh->tail, 0, sizeof(sh->tail));
	for (i = 0; i < RTE_DIM(sh->fd); i++) {
		while (sh->fd[i] >= 0 && recv(sh->fd[i], drop, sizeof(drop), MSG_DONTWAIT) > 0)
			;
	}
}

/* Run a measurement with the helper beside it; -EBUSY if others were there too. */
static int
with_helper_once(const struct limit_place *place, struct limit_shared *sh, double seconds,
		rte_thread_func helper, int (*measure)(struct limit_shared *sh, double seconds,
				void *out), void *out)
{
	rte_thread_attr_t attr;
	rte_thread_t thread;
	rte_cpuset_t set;
	struct share s;
	double share = 1;
	uint64_t end;
	int ret;

	shared_reset(sh);
	sh->helper = helper;
	sh->event = place->event;
	sh->deadline = clock_after(seconds + LIMIT_GRACE);
	CPU_ZERO(&set);
	CPU_SET(place->peer_cpu, &set);
	ret = rte_thread_attr_init(&attr);
	if (ret == 0)
		ret = rte_thread_attr_set_affinity(&attr, &set);
	if (ret == 0)
		ret = rte_thread_create(&thread, &attr, helper_main, sh);
	if (ret != 0)
		return ret < 0 ? ret : -ret;

	end = clock_after(LIMIT_GRACE / 2);
	while (__atomic_load_n(&sh->ready, __ATOMIC_ACQUIRE) == 0 && rte_rdtsc() < end)
		usleep(100);
	if (__atomic_load_n(&sh->ready, __ATOMIC_ACQUIRE) != 0) {
		share_begin(&s);
		ret = measure(sh, seconds, out);
		share = share_end(&s);
	} else {
		ret = -ETIMEDOUT;
	}
	__atomic_store_n(&sh->quit, 1, __ATOMIC_RELEASE);
	rte_thread_join(thread, NULL);
	/* Threads that sleep have no share to look at, and single times need none. */
	if (sh->event || sh->ring[0] == NULL)
		return ret;
	return RTE_MIN(share, sh->share) < LIMIT_SHARE_MIN ? -EBUSY : ret;
}

static int
with_helper(const struct limit_place *place, struct limit_shared *sh, double seconds,
		rte_thread_func helper, int (*measure)(struct limit_shared *sh, double seconds,
				void *out), void *out)
{
	int ret = -ENOTSUP, i;

	if (place->peer_cpu < 0)
		return -ENOTSUP;
	for (i = 0; i < LIMIT_TRIES; i++) {
		ret = with_helper_once(place, sh, seconds, helper, measure, out);
		if (ret != -EBUSY)
			break;
	}
	return ret;
}

/* The slices of a rate. */
struct slices {
	double rate[LIMIT_SLICES];
	uint32_t nb;
	uint64_t len;      /* of each, in cycles */
	uint64_t begin;    /* of this one */
	uint64_t count;    /* at its begin */
};

static void
slices_begin(struct slices *s, double seconds)
{
	seconds = RTE_MAX(seconds / LIMIT_SLICES, LIMIT_SLICE_SECONDS);
	s->nb = 0;
	s->len = (uint64_t)(seconds * (double)rte_get_tsc_hz());
	s->count = 0;
	s->begin = rte_rdtsc();
}

static inline void
slices_look(struct slices *s, uint64_t now, uint64_t count)
{
	if (now - s->begin < s->len)
		return;
	if (s->nb < LIMIT_SLICES)
		s->rate[s->nb++] = (double)(count - s->count) * (double)rte_get_tsc_hz() /
				(double)(now - s->begin);
	s->begin = now;
	s->count = count;
}

static int
slices_end(struct slices *s, double *rate)
{
	if (s->nb == 0)
		return -ETIMEDOUT;
	qsort(s->rate, s->nb, sizeof(s->rate[0]), compare_double);
	*rate = s->rate[s->nb * 9 / 10];
	return *rate > 0 ? 0 : -ETIMEDOUT;
}

static struct limit_shared *
shared_alloc(void)
{
	struct limit_shared *sh = aligned_alloc(LIMIT_APART, sizeof(*sh));

	if (sh != NULL) {
		memset(sh, 0, sizeof(*sh));
		sh->fd[0] = -1;
		sh->fd[1] = -1;
	}
	return sh;
}

static void
shared_free(struct limit_shared *sh)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(sh->fd); i++) {
		if (sh->fd[i] >= 0)
			close(sh->fd[i]);
		free(sh->ring[i]);
	}
	free(sh);
}

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

		while (!quit_seen(sh)) {
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
		} else if (unlikely((++spins & LIMIT_CLOCK_MASK) == 0) && quit_seen(sh)) {
			return 0;
		}
	}
}

static int
latency_measure(struct limit_shared *sh, double seconds, void *out)
{
	uint64_t end = clock_after(seconds), seq = 0, t0, t1, v = 1;
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
	struct limit_shared *sh = shared_alloc();
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
	ret = with_helper(place, sh, seconds, latency_helper, latency_measure, h);
	if (ret == 0)
		*cycles = hist_percentile(h, 50.0) / 2;
out:
	hist_free(h);
	if (sh != NULL)
		shared_free(sh);
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
	} while (likely((++spins & LIMIT_CLOCK_MASK) != 0) || !quit_seen(sh));
	free(buf);
	return 0;
}

static int
rate_measure(struct limit_shared *sh, double seconds, void *out)
{
	size_t one = RTE_ALIGN_CEIL((size_t)sh->size, LIMIT_APART);
	uint64_t end = clock_after(seconds), now, spins = 0;
	struct rate_end e = { 0 };
	struct slices slices;
	uint8_t *buf;

	buf = aligned_alloc(LIMIT_APART, one * 2);
	if (buf == NULL)
		return -ENOMEM;
	memset(buf, 0x5a, one * 2);
	slices_begin(&slices, seconds);
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
	return slices_end(&slices, out);
}

int
limit_rate(const struct limit_place *place, uint32_t size, uint32_t window, bool bidir,
		double seconds, double *rate)
{
	struct limit_shared *sh = shared_alloc();
	unsigned int i;
	int ret = -ENOMEM;

	if (sh == NULL)
		return -ENOMEM;
	sh->size = size;
	sh->stride = RTE_ALIGN_CEIL(size, sizeof(uint64_t)) + sizeof(uint64_t);
	sh->slots = window;
	sh->batch = window < 2 ? 1 : RTE_MIN(window / 2, (uint32_t)LIMIT_BATCH);
	sh->bidir = bidir;
	for (i = 0; i < (bidir ? 2u : 1u); i++) {
		size_t len = RTE_ALIGN_CEIL((size_t)sh->stride * sh->slots, LIMIT_APART);

		sh->ring[i] = aligned_alloc(LIMIT_APART, len);
		if (sh->ring[i] == NULL)
			goto out;
		memset(sh->ring[i], 0, len);
	}
	ret = with_helper(place, sh, seconds, rate_helper, rate_measure, rate);
out:
	shared_free(sh);
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

	if (quit_seen(sh))
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
	uint64_t end = clock_after(seconds), now = rte_rdtsc();
	uint64_t asked = 0, answered = 0, gone = 0;
	struct slices slices;
	bool moved;
	char kind;
	int ret;

	slices_begin(&slices, seconds);
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
	return slices_end(&slices, out);
}

int
limit_connect(const struct limit_place *place, uint32_t parallel, double seconds, double *rate)
{
	struct limit_shared *sh = shared_alloc();
	int ret;

	if (sh == NULL)
		return -ENOMEM;
	sh->slots = parallel;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sh->fd) != 0)
		ret = -errno;
	else
		ret = with_helper(place, sh, seconds, connect_helper, connect_measure, rate);
	shared_free(sh);
	return ret;
}
