/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The pace of the eight that stay in the suite shm_soak: each sleeps until it is time to
 * send, or until an echo is there, and notes how long each round trip took in memory that
 * the suite reads.
 */

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "test_comch_util.h"
#include "test_rand.h"
#include "test_shm_soak.h"

/* More than are under way at one time. */
#define PACE_SLOTS 128u

const char * const soak_functions[SOAK_PEERS] = {
	"pf0", "pf0vf0", "pf0vf1", "pf0vf2", "pf0vf3", "pf0vf4", "pf0vf5", "pf0vf6",
};
struct soak_share *soak_share;

static struct {
	struct soak_peer *peer;
	uint32_t rand;
	uint64_t next_ns;
	uint64_t sent_ns[SOAK_PATHS][PACE_SLOTS];
} pace;

int
soak_share_open(const char *file, bool create)
{
	int fd = open(file, O_RDWR | O_CLOEXEC | (create ? O_CREAT : 0), S_IRUSR | S_IWUSR);
	void *map = MAP_FAILED;
	int ret = 0;

	if (fd < 0)
		return -errno;
	if (!create || ftruncate(fd, sizeof(*soak_share)) == 0)
		map = mmap(NULL, sizeof(*soak_share), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		ret = -errno;
	else
		soak_share = map;
	close(fd);
	return ret;
}

void
soak_share_close(void)
{
	if (soak_share != NULL)
		munmap(soak_share, sizeof(*soak_share));
	soak_share = NULL;
}

int
soak_pace_open(unsigned int nr, const char *file)
{
	int ret = nr < SOAK_PEERS ? soak_share_open(file, false) : -EINVAL;

	if (ret != 0)
		return ret;
	/* the 50 us by which timers may be late are longer than a round trip */
	prctl(PR_SET_TIMERSLACK, 1);
	pace.peer = &soak_share->peers[nr];
	pace.rand = 12345 + nr;
	pace.next_ns = test_now_ns();
	return 0;
}

bool
soak_pace_is_on(void)
{
	return pace.peer != NULL;
}

/* Times to send are random, or the eight would send in one moment again and again. */
static bool
pace_due(uint64_t now)
{
	uint64_t period_ns = __atomic_load_n(&soak_share->period_us, __ATOMIC_RELAXED) * 1000;

	if (now < pace.next_ns)
		return false;
	pace.next_ns += period_ns / 2 + test_rand_next(&pace.rand) % (period_ns + 1);
	/* what was slept through is not made up for */
	pace.next_ns = RTE_MAX(pace.next_ns, now);
	__atomic_store_n(&pace.peer->cpu_ns, test_clock_ns(CLOCK_PROCESS_CPUTIME_ID),
		__ATOMIC_RELAXED);
	return true;
}

bool
soak_pace_wait(struct rte_comch_pe *pe, int sock)
{
	struct pollfd pfds[2] = { { sock, POLLIN, 0 }, { rte_comch_pe_fd(pe), POLLIN, 0 } };
	uint64_t now = test_now_ns();
	struct timespec ts = { .tv_sec = 0 };

	if (!pace_due(now)) {
		if (rte_comch_pe_arm(pe) != 0)
			return false;
		ts.tv_sec = (time_t)((pace.next_ns - now) / 1000000000);
		ts.tv_nsec = (long)((pace.next_ns - now) % 1000000000);
		ppoll(pfds, 2, &ts, NULL);
		return pace_due(test_now_ns());
	}
	return true;
}

void
soak_pace_sent(enum soak_path path, uint64_t nr)
{
	if (pace.peer != NULL)
		pace.sent_ns[path][nr % PACE_SLOTS] = test_now_ns();
}

static unsigned int
hist_bucket(uint64_t ns)
{
	unsigned int log;

	if (ns < 64)
		return 0;
	log = 63 - (unsigned int)__builtin_clzll(ns) - 6;
	return RTE_MIN(log * 64 + (unsigned int)(ns >> log) - 64, SOAK_BUCKETS - 1u);
}

void
soak_pace_got(enum soak_path path, uint64_t nr)
{
	struct soak_hist *hist;

	if (pace.peer == NULL)
		return;
	hist = &pace.peer->hists[__atomic_load_n(&soak_share->run, __ATOMIC_RELAXED)][path];
	hist->buckets[hist_bucket(test_now_ns() - pace.sent_ns[path][nr % PACE_SLOTS])]++;
	hist->nb++;
}

void
soak_hist_sum(struct soak_hist *sum, enum soak_run run, enum soak_path path)
{
	const volatile struct soak_hist *hist;
	unsigned int i, k;

	memset(sum, 0, sizeof(*sum));
	for (i = 0; i < SOAK_PEERS; i++) {
		hist = &soak_share->peers[i].hists[run][path];
		for (k = 0; k < SOAK_BUCKETS; k++) {
			sum->buckets[k] += hist->buckets[k];
			sum->nb += hist->buckets[k];
		}
	}
}

void
soak_hist_take(struct soak_hist *from, const struct soak_hist *what)
{
	unsigned int k;

	for (k = 0; k < SOAK_BUCKETS; k++)
		from->buckets[k] -= what->buckets[k];
	from->nb -= what->nb;
}

double
soak_hist_part(const struct soak_hist *hist, double part)
{
	const double want = part * (double)hist->nb;
	double nb = 0, in = 0;
	unsigned int i;

	for (i = 0; i < SOAK_BUCKETS; i++) {
		in = hist->buckets[i];
		if (nb + in >= want && in > 0)
			break;
		nb += in;
	}
	if (i == SOAK_BUCKETS)
		return 0;
	/* as if those of one bucket were as far from each other */
	return ((double)(64 + i % 64) + (want - nb) / in) *
		(double)(UINT64_C(1) << (i / 64)) / 1000;
}
