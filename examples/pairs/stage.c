/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What an lcore does in a turn. With a port of ethdev, packets of it go to the peer, and those
 * of the peer to the port: the host. Without one they are changed, and go back: the card.
 */

#include <rte_ethdev.h>
#include <rte_ether.h>
#include <rte_mbuf.h>

#include "pairs.h"

volatile bool stopped;

struct stage
stage_of(const struct app *app, uint16_t index)
{
	return (struct stage){
		.pair = rte_comch_peer_pair_get(app->peer, index),
		.port = app->port,
		.queue = index,
	};
}

void
change(struct rte_mbuf *m)
{
	struct rte_ether_hdr *eth = rte_pktmbuf_mtod(m, struct rte_ether_hdr *);
	struct rte_ether_addr addr = eth->src_addr;

	eth->src_addr = eth->dst_addr;
	eth->dst_addr = addr;
}

/* The stage of an lcore. 8< */
static uint16_t
lcore_rx(const struct stage *s, bool of_peer, struct rte_mbuf **pkts)
{
	return of_peer ? rte_comch_pair_rx_burst(s->pair, pkts, BURST) :
		rte_eth_rx_burst(s->port, s->queue, pkts, BURST);
}

static void
lcore_tx(const struct stage *s, bool to_peer, struct rte_mbuf **pkts, uint16_t nb)
{
	uint16_t sent = to_peer ? rte_comch_pair_tx_burst(s->pair, pkts, nb) :
		rte_eth_tx_burst(s->port, s->queue, pkts, nb);

	rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)nb - sent);
}

uint16_t
stage_turn(const struct stage *s)
{
	const bool has_port = s->port != RTE_MAX_ETHPORTS;
	struct rte_mbuf *pkts[BURST];
	uint16_t nb = lcore_rx(s, true, pkts), i;

	for (i = 0; i < nb && !has_port; i++)
		change(pkts[i]);
	lcore_tx(s, !has_port, pkts, nb);
	if (!has_port)
		return nb;
	i = lcore_rx(s, false, pkts);
	lcore_tx(s, true, pkts, i);
	return nb + i;
}
/* >8 End of the stage of an lcore. */
