/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A graph of librte_graph whose source and sink are a pair: packets of the peer are changed,
 * and go back. The thread that walks the graph progresses the connection, too.
 */

#include <errno.h>

#include <rte_errno.h>
#include <rte_graph.h>
#include <rte_graph_worker.h>
#include <rte_lcore.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "pairs.h"

static struct rte_comch_pair *node_pair; /* of all nodes: there is one */

/* A source and a sink of a graph. 8< */
static uint16_t
comch_rx_process(struct rte_graph *graph, struct rte_node *node, void **objs __rte_unused,
		uint16_t nb __rte_unused)
{
	node->idx = rte_comch_pair_rx_burst(node_pair, (struct rte_mbuf **)node->objs, BURST);
	nb = node->idx;
	if (nb != 0)
		rte_node_next_stream_move(graph, node, 0);
	return nb;
}

static uint16_t
comch_tx_process(struct rte_graph *graph __rte_unused, struct rte_node *node __rte_unused,
		void **objs, uint16_t nb)
{
	struct rte_mbuf **pkts = (struct rte_mbuf **)objs;
	uint16_t sent = rte_comch_pair_tx_burst(node_pair, pkts, nb);

	rte_pktmbuf_free_bulk(pkts + sent, (unsigned int)nb - sent);
	return sent;
}
/* >8 End of a source and a sink of a graph. */

static struct rte_node_register comch_rx = {
	.name = "comch_rx",
	.flags = RTE_NODE_SOURCE_F,
	.process = comch_rx_process,
	.nb_edges = 1,
	.next_nodes = { "pairs_change" },
};

static struct rte_node_register comch_tx = {
	.name = "comch_tx",
	.process = comch_tx_process,
};

RTE_NODE_REGISTER(comch_rx);
RTE_NODE_REGISTER(comch_tx);

static uint16_t
change_process(struct rte_graph *graph, struct rte_node *node, void **objs, uint16_t nb)
{
	uint16_t i;

	for (i = 0; i < nb; i++)
		change(objs[i]);
	rte_node_next_stream_move(graph, node, 0);
	return nb;
}

static struct rte_node_register pairs_change = {
	.name = "pairs_change",
	.process = change_process,
	.nb_edges = 1,
	.next_nodes = { "comch_tx" },
};

RTE_NODE_REGISTER(pairs_change);

int
graph_run(struct app *app)
{
	static const char *names[] = { "comch_rx", "pairs_change", "comch_tx" };
	struct rte_graph_param param = {
		.socket_id = SOCKET_ID_ANY,
		.nb_node_patterns = RTE_DIM(names),
		.node_patterns = names,
	};
	struct rte_graph *graph;
	rte_graph_t id;

	node_pair = rte_comch_peer_pair_get(app->peer, 0);
	id = rte_graph_create("pairs", &param);
	if (id == RTE_GRAPH_ID_INVALID)
		return -rte_errno;
	graph = rte_graph_lookup("pairs");
	while (!stopped) {
		rte_graph_walk(graph);
		rte_comch_peer_progress(app->peer);
	}
	return rte_graph_destroy(id);
}
