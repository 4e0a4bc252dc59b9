/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * One thread that sleeps on all that it has: the connection, a pair, a port of ethdev that has
 * receive interrupts, and a timer, in one rte_epoll_wait().
 */

#include <errno.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_epoll.h>
#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include "pairs.h"

/* A thread without a connection looks for one so often, and Ctrl-C is seen. */
#define SLEEP_MS 100

static struct rte_epoll_event watched[3]; /* where rte_epoll_ctl() has put them */

/* One wait for all. 8< */
static int
watch(unsigned int i, int fd)
{
	watched[i].epdata.event = EPOLLIN;
	return rte_epoll_ctl(RTE_EPOLL_PER_THREAD, EPOLL_CTL_ADD, fd, &watched[i]);
}

static int
watch_all(const struct stage *s, struct rte_comch_pe *const pes[2], int timer)
{
	int ret = watch(0, rte_comch_pe_fd(pes[0]));

	if (ret == 0)
		ret = watch(1, rte_comch_pe_fd(pes[1]));
	if (ret == 0)
		ret = watch(2, timer);
	if (ret == 0 && s->port != RTE_MAX_ETHPORTS)
		ret = rte_eth_dev_rx_intr_ctl_q(s->port, s->queue, RTE_EPOLL_PER_THREAD,
			RTE_INTR_EVENT_ADD, NULL);
	return ret;
}

/* After a turn in which nothing was found. @return packets that were found after all */
static uint16_t
sleep_once(const struct stage *s, struct rte_comch_pe *const pes[2])
{
	struct rte_epoll_event events[4];
	uint16_t nb;

	if (s->port != RTE_MAX_ETHPORTS)
		rte_eth_dev_rx_intr_enable(s->port, s->queue);
	nb = stage_turn(s); /* a NIC does not tell of what came before */
	/* an engine does; no burst may come in between */
	if (nb == 0 && rte_comch_pe_arm_always(pes[0]) == 0 &&
			rte_comch_pe_arm_always(pes[1]) == 0)
		rte_epoll_wait(RTE_EPOLL_PER_THREAD, events, RTE_DIM(events), SLEEP_MS);
	if (s->port != RTE_MAX_ETHPORTS)
		rte_eth_dev_rx_intr_disable(s->port, s->queue);
	return nb;
}
/* >8 End of one wait for all. */

int
events_run(struct app *app)
{
	const struct itimerspec second = { .it_value.tv_sec = 1, .it_interval.tv_sec = 1 };
	const struct stage s = stage_of(app, 0);
	struct rte_comch_pair_info pair;
	struct rte_comch_peer_info peer;
	uint64_t pkts = 0, turns = 0, ticks;
	struct rte_comch_pe *pes[2];
	uint16_t nb;
	int timer, ret;

	if (rte_comch_peer_info_get(app->peer, &peer) != 0 ||
			rte_comch_pair_info_get(s.pair, &pair) != 0)
		return -EINVAL;
	pes[0] = peer.pe;
	pes[1] = pair.pe;
	timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (timer < 0 || timerfd_settime(timer, 0, &second, NULL) != 0)
		return -errno;
	ret = watch_all(&s, pes, timer);
	while (ret == 0 && !stopped) {
		nb = stage_turn(&s);
		turns++;
		pkts += nb;
		if (rte_comch_peer_progress(app->peer) == 0 && nb == 0)
			pkts += sleep_once(&s, pes);
		if (read(timer, &ticks, sizeof(ticks)) == (ssize_t)sizeof(ticks)) {
			printf("pairs: %" PRIu64 " packets in %" PRIu64 " turns\n", pkts, turns);
			pkts = turns = 0;
			fflush(stdout);
		}
	}
	close(timer);
	return ret;
}
