/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Addresses: what a function is called on the switch between the two sides. It is known
 * by its MAC; its only RoCE address is the link-local one that follows from that, so that
 * nobody has to configure addresses, or to ask for the MAC of one. With ip= it is an IPv4
 * address in its place, and those of the others were said with their MACs.
 */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "bluefield_dev_priv.h"

/* Entry of our address in the table of the function, which nobody else uses. */
#define ADDR_INDEX 0
/* Codes of MTU, as in struct bf_qp_path. */
#define MTU_CODE_1024 3
#define MTU_CODE_4096 5
/* Of a frame, as the hardware counts it: Ethernet, VLAN, FCS. */
#define LAYER_2 (14 + 4 + 4)
/* What RoCE adds to a packet, as Linux counts it: GRH, UDP, BTH, XRC, atomic, ICRC. */
#define ROCE_OVERHEAD (40 + 8 + 12 + 4 + 28 + 4)
#define PATH_RNR_RETRIES 7 /* for ever: credits keep us from there, see chan and fast */
#define PATH_RNR_TIMER 12  /* 0.64 ms */
#define PATH_HOP_LIMIT 64

void
bf_addr_own(const struct bf_dev *dev, struct bf_cm_addr *addr)
{
	static const uint8_t none[4];

	bf_cm_addr_of_mac(bf_func_caps(dev->func)->mac, addr);
	if (memcmp(dev->ip4, none, sizeof(none)) != 0)
		bf_cm_addr_set_ip4(addr, dev->ip4);
}

bool
bf_addr_ip4_mac(void *arg, const uint8_t gid[16], uint8_t mac[6])
{
	const uint8_t *ip4 = bf_cm_gid_ip4(gid);
	struct bf_dev *dev = arg;
	const struct bf_cm_addr *addr = NULL;
	uint16_t i;

	for (i = 0; i < dev->nb_reps && addr == NULL; i++)
		if (memcmp(dev->reps[i].addr.gid, gid, 16) == 0)
			addr = &dev->reps[i].addr;
	if (dev->has_peer && memcmp(dev->peer.gid, gid, 16) == 0)
		addr = &dev->peer;
	if (addr != NULL)
		memcpy(mac, addr->mac, sizeof(addr->mac));
	else if (!__atomic_exchange_n(&dev->unknown_peer_told, true, __ATOMIC_RELAXED))
		BF_LOG(WARNING, "%s: a message from %u.%u.%u.%u is dropped, as no key has that address: give it behind its MAC, as <MAC>@<IPv4>, if it is meant; others are dropped without a word",
			dev->rte_dev->data->name, ip4[0], ip4[1], ip4[2], ip4[3]);
	return addr != NULL;
}

/* The entry, empty: it is set and cleared with the same version and type. */
static struct bf_roce_addr
no_addr(const struct bf_dev *dev)
{
	return (struct bf_roce_addr){
		.version = 2, .ipv6 = bf_cm_gid_ip4(dev->addr.gid) == NULL,
	};
}

/* The largest that a frame of the vport has room for; any port can 1024. */
static uint8_t
mtu_code(uint16_t vport_mtu)
{
	uint8_t code;

	if (vport_mtu == 0)
		return MTU_CODE_1024;
	for (code = MTU_CODE_4096; code > 1; code--)
		if (vport_mtu >= (128u << code) + ROCE_OVERHEAD + LAYER_2)
			break;
	return code;
}

/*
 * RoCE of the vport on, if it is not. Firmware that was torn down and initialised without a
 * reset has said that it is, and left it off: a reset, once, brings it. No objects are there.
 */
static int
roce_up(struct bf_dev *dev, struct bf_vport *vport)
{
	int ret;

	ret = bf_vport_query(dev->objs, vport);
	if (ret != 0 || vport->roce_en)
		return ret;
	ret = bf_vport_set_roce(dev->objs, true);
	if (ret == -EREMOTEIO) {
		BF_LOG(NOTICE, "%s: the function is reset, for RoCE to come on",
			dev->rte_dev->data->name);
		ret = bf_func_reset(dev->func);
		if (ret == 0)
			ret = bf_vport_set_roce(dev->objs, true);
		if (ret == -EREMOTEIO)
			BF_LOG(ERR, "%s: nor does a reset of the function bring it: reset the card (mlxfwreset, or mstfwreset, -d <device> reset, or a power cycle)",
				dev->rte_dev->data->name);
	}
	dev->roce_set = ret == 0;
	return ret;
}

int
bf_addr_up(struct bf_dev *dev)
{
	struct bf_roce_addr addr;
	uint16_t index = ADDR_INDEX;
	struct bf_vport vport;
	int ret;

	bf_addr_own(dev, &dev->addr);
	ret = roce_up(dev, &vport);
	if (ret != 0)
		return ret;
	dev->mtu = mtu_code(vport.mtu);
	addr = no_addr(dev);
	memcpy(addr.gid, dev->addr.gid, sizeof(addr.gid));
	memcpy(addr.mac, dev->addr.mac, sizeof(addr.mac));
	ret = bf_roce_addr_use(dev->objs, &addr, &index);
	if (ret != 0) {
		bf_addr_down(dev);
		return ret;
	}
	dev->addr_index = index;
	dev->addr_set = true;
	return 0;
}

void
bf_addr_down(struct bf_dev *dev)
{
	struct bf_roce_addr none = no_addr(dev);

	/* what has failed, or was reset, has forgotten it */
	if (bf_dev_status(dev) == 0) {
		if (dev->addr_set && dev->objs->ops->gid_index == NULL)
			bf_roce_addr_set(dev->objs, dev->addr_index, &none);
		if (dev->roce_set)
			bf_vport_set_roce(dev->objs, false);
	}
	dev->addr_set = false;
	dev->roce_set = false;
}

void
bf_dev_path(const struct bf_dev *dev, const struct bf_cm_addr *peer, uint32_t local_qpn,
	uint32_t remote_qpn, struct bf_qp_path *path)
{
	memset(path, 0, sizeof(*path));
	path->remote_qpn = remote_qpn;
	path->mtu = dev->mtu;
	path->min_rnr_nak = PATH_RNR_TIMER;
	path->src_addr_index = dev->addr_index;
	memcpy(path->rgid, peer->gid, sizeof(path->rgid));
	memcpy(path->rmac, peer->mac, sizeof(path->rmac));
	path->hop_limit = PATH_HOP_LIMIT;
	path->udp_sport = bf_cm_udp_sport(0, local_qpn, remote_qpn);
	path->ack_timeout = BF_ACK_TIMEOUT;
	path->retry_count = BF_RETRIES;
	path->rnr_retry = PATH_RNR_RETRIES;
}

const struct bf_rep *
bf_dev_rep_find(const struct bf_dev *dev, const struct bf_cm_addr *addr)
{
	uint16_t i;

	for (i = 0; i < dev->nb_reps; i++)
		if (memcmp(&dev->reps[i].addr, addr, sizeof(*addr)) == 0)
			return &dev->reps[i];
	return NULL;
}

/* A number as names of functions have it: pf0vf03 is not pf0vf3. */
static bool
name_number(const char **at, unsigned int max, uint16_t *number)
{
	const char *p = *at;
	unsigned int got = 0;

	if (!isdigit((unsigned char)*p) || (p[0] == '0' && isdigit((unsigned char)p[1])))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		got = got * 10 + (*p - '0');
		if (got > max)
			return false;
	}
	*number = got;
	*at = p;
	return true;
}

bool
bf_function_parse(const char *name, struct bf_rep *rep)
{
	const char *at;

	if (strncmp(name, "pf", 2) != 0)
		return false;
	at = name + 2;
	rep->number = 0;
	rep->type = RTE_COMCH_FUNC_PF;
	if (!name_number(&at, BF_MAX_PF, &rep->pf))
		return false;
	if (strncmp(at, "vf", 2) == 0) {
		at += 2;
		rep->type = RTE_COMCH_FUNC_VF;
		if (!name_number(&at, BF_MAX_VF, &rep->number))
			return false;
	}
	strlcpy(rep->name, name, sizeof(rep->name));
	return *at == '\0';
}
