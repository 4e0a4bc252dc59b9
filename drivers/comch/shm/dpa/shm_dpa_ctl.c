/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The control socket of a program: what the host asks of it, its answers, and its lines
 * for the log. What the requests mean is not known here.
 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "comch_shm.h"
#include "shm_dpa.h"

/* Messages of one turn, and lines of one second that are logged. */
#define CTL_BURST 64
#define CTL_MAX_LINES 64

bool
shm_dpa_is_down(const struct shm_dpa *dpa)
{
	return __atomic_load_n(&dpa->down, __ATOMIC_RELAXED);
}

/* Engines call it too: it must not wait for a program that does not read. */
int
shm_dpa_send(struct shm_dpa *dpa, const struct shm_dpa_msg *msg, int fd)
{
	int ret;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	do {
		ret = shm_sock_send(dpa->sock, msg, sizeof(*msg), &fd, fd >= 0 ? 1 : 0);
	} while (ret == -EINTR);
	if (ret == -EAGAIN) {
		shm_dpa_spins(dpa, SHM_DPA_NO_EU, "did not read its control socket");
		return -EIO;
	}
	if (ret == 0)
		return 0;
	return ret == -EPIPE || ret == -ECONNRESET ? -EIO : -ENOMEM;
}

/* Wait for what the monitor finds; the lock is held. */
static int
answer_wait_locked(struct shm_dpa *dpa, uint32_t ms)
{
	struct timespec until;
	int ret = 0;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += ms / 1000;
	until.tv_nsec += (long)(ms % 1000) * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!dpa->answered && !shm_dpa_is_down(dpa) && ret != ETIMEDOUT)
		ret = pthread_cond_timedwait(&dpa->cond, /* check-ok: waiters must sleep */
				&dpa->lock, &until);
	if (dpa->answered)
		return 0;
	return shm_dpa_is_down(dpa) ? -EIO : -ETIMEDOUT;
}

int
shm_dpa_request(struct shm_dpa *dpa, struct shm_dpa_msg *msg, int fd, uint32_t ms,
		uint64_t *value)
{
	int ret;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->answered = false;
	if (++dpa->last_seq == 0)
		dpa->last_seq = 1;
	dpa->seq = msg->seq = dpa->last_seq;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	ret = shm_dpa_send(dpa, msg, fd);
	if (ret != 0 && ret != -EIO)
		return ret;
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	/* of one that has ended the monitor finds out why */
	ret = answer_wait_locked(dpa, ret == 0 ? ms : SHM_DPA_END_MS);
	dpa->seq = 0;
	if (ret == 0) {
		ret = dpa->answer.ret;
		if (value != NULL)
			*value = dpa->answer.value;
	}
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (ret == -ETIMEDOUT)
		shm_dpa_spins(dpa, SHM_DPA_NO_EU, msg->type == SHM_DPA_MSG_RPC ?
			"did not return from a call" : "did not answer the host");
	/* a program may answer anything: what is no negative errno is nonsense */
	return ret > 0 || ret < -4095 ? -EPROTO : ret;
}

/* The answer that somebody waits for, or nonsense. */
static bool
ctl_answer(struct shm_dpa *dpa, const struct shm_dpa_answer *answer)
{
	bool good;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	good = answer->seq != 0 && answer->seq == dpa->seq && !dpa->answered;
	if (good) {
		dpa->answer = *answer;
		dpa->answered = true;
		pthread_cond_broadcast(&dpa->cond); /* check-ok: waiters must sleep */
	}
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return good;
}

/* For the log, at a bounded rate. */
static void
ctl_line(struct shm_dpa *dpa, struct shm_dpa_line *line)
{
	uint64_t now = rte_rdtsc();
	char text[sizeof(line->text) + 1];
	uint32_t i;

	if (now >= dpa->next_lines) {
		if (dpa->nb_lines > CTL_MAX_LINES)
			SHM_LOG(NOTICE, "%s: %u lines of program %s were not logged", dpa->name,
				dpa->nb_lines - CTL_MAX_LINES, dpa->api->program);
		dpa->nb_lines = 0;
		dpa->next_lines = now + rte_get_tsc_hz();
	}
	if (dpa->nb_lines++ >= CTL_MAX_LINES)
		return;
	for (i = 0; i < sizeof(line->text) && line->text[i] != '\0'; i++)
		text[i] = shm_dpa_plain(line->text[i]);
	text[i] = '\0';
	if (line->eu < dpa->api->nb_eus)
		SHM_LOG(INFO, "%s: execution unit %u: %s", dpa->name, line->eu, text);
	else
		SHM_LOG(INFO, "%s: program: %s", dpa->name, text);
}

/* Whether nothing can come any more: a receive of no bytes is a message of none, or this. */
static bool
ctl_closed(const struct shm_dpa *dpa)
{
	struct pollfd pfd = { .fd = dpa->sock };

	return poll(&pfd, 1, 0) > 0 && (pfd.revents & POLLHUP) != 0;
}

/* The next one; false if there is none. */
static bool
ctl_receive(struct shm_dpa *dpa)
{
	union {
		struct shm_dpa_answer answer;
		struct shm_dpa_line line;
	} msg;
	ssize_t n;

	/* without memory for descriptors the kernel drops those that came */
	do {
		n = recv(dpa->sock, &msg, sizeof(msg), MSG_DONTWAIT | MSG_TRUNC);
	} while (n < 0 && errno == EINTR);
	if (n < 0 || (n == 0 && ctl_closed(dpa)))
		return false;
	if (n == (ssize_t)sizeof(msg.line) && msg.line.seq == 0) {
		ctl_line(dpa, &msg.line);
		return true;
	}
	if (n == (ssize_t)sizeof(msg.answer) && ctl_answer(dpa, &msg.answer))
		return true;
	shm_dpa_violation(dpa, SHM_DPA_NO_EU, "a message on its control socket", n,
		n >= (ssize_t)sizeof(msg.answer) ? msg.answer.seq : 0);
	return false;
}

void
shm_dpa_receive(struct shm_dpa *dpa)
{
	uint32_t i;

	for (i = 0; i < CTL_BURST; i++)
		if (!ctl_receive(dpa))
			return;
	if (dpa->nb_lines > CTL_MAX_LINES)
		usleep(SHM_DPA_REST_US);
}
