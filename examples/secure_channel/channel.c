/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The main lcore: it sets up the connection and the two directions, gives each
 * direction a lcore, and progresses the connection until both have finished.
 */

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_launch.h>
#include <rte_lcore.h>

#include "secure_channel.h"

/* Pause of the main lcore if it has nothing to do but a quiet connection. */
#define NAP_US 50

/* Lcores. 8< */
/*
 * Each direction gets a lcore if there is one, or else is done by the main lcore
 * on the side: both with one lcore, the sending one with two.
 */
static void
launch(struct channel *ch)
{
	struct direction *const dirs[] = { &ch->rx, &ch->tx };
	unsigned int lcore = -1;
	unsigned int i;

	for (i = 0; i < RTE_DIM(dirs); i++) {
		dirs[i]->lcore = rte_get_main_lcore();
		if (lcore != RTE_MAX_LCORE)
			lcore = rte_get_next_lcore(lcore, true, false);
		if (lcore != RTE_MAX_LCORE)
			dirs[i]->lcore = lcore;
	}
	printf("Lcore %u receives, lcore %u sends, lcore %u has the connection\n", ch->rx.lcore,
			ch->tx.lcore, rte_get_main_lcore());
	for (i = 0; i < RTE_DIM(dirs); i++) {
		if (dirs[i]->lcore != rte_get_main_lcore() && !direction_finished(dirs[i]))
			rte_eal_remote_launch(direction_main, dirs[i], dirs[i]->lcore);
	}
}
/* >8 End of lcores. */

/* The main lcore. 8< */
static void
run_directions(struct channel *ch)
{
	struct direction *const dirs[] = { &ch->rx, &ch->tx };
	const uint64_t patience = rte_get_timer_hz() / MS_PER_S * ch->wait_ms;
	uint64_t moved = rte_get_timer_cycles();
	uint64_t before = 0, sum;
	bool here, busy, complete;
	unsigned int i;

	launch(ch);
	while (!direction_finished(&ch->rx) || !direction_finished(&ch->tx)) {
		here = false;
		busy = rte_comch_pe_progress(ch->pe) > 0;
		for (i = 0; i < RTE_DIM(dirs); i++) {
			if (dirs[i]->lcore != rte_get_main_lcore() || direction_finished(dirs[i]))
				continue;
			here = true;
			busy |= direction_step(dirs[i]) > 0;
		}

		complete = direction_complete(&ch->rx) && direction_complete(&ch->tx);
		sum = __atomic_load_n(&ch->rx.done, __ATOMIC_RELAXED) +
				__atomic_load_n(&ch->tx.done, __ATOMIC_RELAXED);
		if (sum != before)
			moved = rte_get_timer_cycles();
		before = sum;
		if (interrupted)
			fail(-EINTR, "%s: interrupted", ch->info.name);
		else if (ch->gone && !complete)
			fail(-ENOTCONN, "%s: the peer has left before the end", ch->info.name);
		else if (rte_get_timer_cycles() - moved > patience && !complete)
			fail(-ETIMEDOUT, "%s: nothing was sent or received for %u s",
					ch->info.name, ch->wait_ms / 1000);

		if (!busy && here)
			sched_yield();
		else if (!busy)
			rte_delay_us_sleep(NAP_US);
	}
	rte_eal_mp_wait_lcore();
}
/* >8 End of the main lcore. */

static bool
peer_ready(const struct channel *ch)
{
	return ch->agreed || ch->gone || failed();
}

static bool
peer_ended(const struct channel *ch)
{
	return ch->peer_closed || ch->gone;
}

/* Both directions, from end to end. 8< */
static void
transfer(struct channel *ch)
{
	int ret;

	/* What the peer is going to send decides how many buffers of what size. */
	ret = turn_until(ch, peer_ready, ch->wait_ms);
	if (ret == 0 && !ch->agreed)
		ret = -ENOTCONN;
	if (ret != 0) {
		fail(ret, "%s: the peer does not say what it sends: %s", ch->info.name,
				strerror(-ret));
		return;
	}
	ch->tx = (struct direction){
		.ch = ch,
		.sends = true,
		.msg_size = ch->msg_size,
		.nb_msgs = ch->nb_msgs,
	};
	ch->rx = (struct direction){
		.ch = ch,
		.msg_size = ch->peer_msg_size,
		.nb_msgs = ch->peer_nb_msgs,
	};

	direction_open(&ch->rx);
	direction_open(&ch->tx);
	run_directions(ch);
	direction_report(&ch->tx);
	direction_report(&ch->rx);
	direction_close(&ch->tx);
	direction_close(&ch->rx);

	/* The peer may still be ending its consumer, which needs our engine. */
	if (!failed())
		turn_until(ch, peer_ended, ch->wait_ms);
}
/* >8 End of both directions, from end to end. */

void
channel_run(struct channel *ch)
{
	int ret;

	ret = pattern_create(ch);
	if (ret != 0) {
		fail(ret, "%s: no memory for the pattern: %s", ch->info.name, strerror(-ret));
		return;
	}
	if (connection_open(ch) == 0)
		transfer(ch);
	connection_close(ch);
	rte_comch_mem_free(ch->pattern);
}
