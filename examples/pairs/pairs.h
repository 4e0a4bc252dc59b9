/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What the files of the pairs example share. */

#ifndef PAIRS_H
#define PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include <rte_comch.h>

#define BURST 32u

struct rte_mbuf;

enum how {
	HOW_LOOP = 0, /* an lcore for each pair, and the main one progresses the connection */
	HOW_SERVICE,  /* a service core does that */
	HOW_GRAPH,    /* the pair is a source and a sink of a graph */
	HOW_EVENTS,   /* one lcore sleeps on all of it */
};

struct app {
	struct rte_comch_peer *peer;
	struct rte_comch_mem *mem;
	unsigned int how;
	uint16_t port; /* RTE_MAX_ETHPORTS: none */
};

/* What an lcore forwards between. */
struct stage {
	struct rte_comch_pair *pair;
	uint16_t port;
	uint16_t queue;
};

extern volatile bool stopped;

/* stage.c */

struct stage stage_of(const struct app *app, uint16_t index);
/* @return how many packets there were */
uint16_t stage_turn(const struct stage *s);
/* The work of the card's side. */
void change(struct rte_mbuf *m);

/* Other ways to run it, with one pair, until it is stopped. @return 0 or a negative errno */

int service_run(struct app *app);
int graph_run(struct app *app);
int events_run(struct app *app);

#endif /* PAIRS_H */
