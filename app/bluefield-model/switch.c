/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The embedded switch, as if its operator let all vports talk to each other: by MAC
 * address, and by LID between InfiniBand ports. No rules are in here.
 */

#include <errno.h>
#include <string.h>

#include "switch.h"
#include "vport.h"

/* An InfiniBand port is known by its LID, an Ethernet one by its MAC address. */
static bool
is_at(const struct bfm_function *f, const struct bfm_packet *pkt)
{
	if (f->conf.ib_port != pkt->ib)
		return false;
	if (pkt->ib)
		return BFM_GET(f->vport->hca, HCAV, lid) == pkt->dlid;
	return BFM_GET(f->vport->nic, NICV, permanent_address) == pkt->dmac;
}

/* Does the port take this destination address? InfiniBand ports look at LIDs only. */
static bool
has_address(const struct bfm_function *f, const struct bfm_packet *pkt)
{
	const struct bfm_roce_entry *entry;
	uint32_t i;

	if (pkt->ib)
		return true;
	if (!bfm_vport_roce(f))
		return false;
	for (i = 0; i < BFM_VHCA_PORTS * BFM_ROCE_ENTRIES; i++) {
		entry = &f->vport->roce[i / BFM_ROCE_ENTRIES][i % BFM_ROCE_ENTRIES];
		if (entry->set && memcmp(entry->raw, pkt->dgid, sizeof(pkt->dgid)) == 0)
			return true;
	}
	return false;
}

int
bfm_switch_forward(struct bfm_function *from, const struct bfm_packet *pkt,
		struct bfm_function **to)
{
	struct bfm_model *m = from->model;
	struct bfm_function *f;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++) {
		f = m->functions[i];
		if (f->vport == NULL || !is_at(f, pkt))
			continue;
		if (from->port_down || f->port_down)
			return -ENETDOWN;
		if (!has_address(f, pkt))
			return -EADDRNOTAVAIL;
		*to = f;
		return 0;
	}
	bfm_log(from, BFM_DEBUG, "packet for nobody is dropped");
	return -EHOSTUNREACH;
}
