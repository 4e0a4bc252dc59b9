/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Addresses of functions, as GIDs: made of the MAC, and the way back from there; or IPv4,
 * mapped. Who has an IPv4 address was said to us: nothing is asked of the network.
 */

#include <string.h>

#include "bluefield_cm_priv.h"

#define IP4_AT 12 /* in a GID, and in the header of the RDMA IP CM service */

static const uint8_t ip4_mapped[IP4_AT] = { [10] = 0xff, 0xff };

void
bf_cm_addr_of_mac(const uint8_t mac[6], struct bf_cm_addr *addr)
{
	memcpy(addr->mac, mac, sizeof(addr->mac));
	memset(addr->gid, 0, sizeof(addr->gid));
	addr->gid[0] = 0xfe;
	addr->gid[1] = 0x80;
	addr->gid[8] = mac[0] ^ 2; /* the bit says that it is not made from a MAC */
	addr->gid[9] = mac[1];
	addr->gid[10] = mac[2];
	addr->gid[11] = 0xff;
	addr->gid[12] = 0xfe;
	addr->gid[13] = mac[3];
	addr->gid[14] = mac[4];
	addr->gid[15] = mac[5];
}

bool
bf_cm_gid_mac(const uint8_t gid[16], uint8_t mac[6])
{
	static const uint8_t link_local[8] = { 0xfe, 0x80 };

	if (memcmp(gid, link_local, sizeof(link_local)) != 0 || gid[11] != 0xff ||
	    gid[12] != 0xfe)
		return false;
	mac[0] = gid[8] ^ 0x02;
	mac[1] = gid[9];
	mac[2] = gid[10];
	memcpy(mac + 3, gid + 13, 3);
	/* a group is no sender */
	return (mac[0] & 1) == 0;
}

void
bf_cm_addr_set_ip4(struct bf_cm_addr *addr, const uint8_t ip[4])
{
	memcpy(addr->gid, ip4_mapped, IP4_AT);
	memcpy(addr->gid + IP4_AT, ip, 4);
}

const uint8_t *
bf_cm_gid_ip4(const uint8_t gid[16])
{
	return memcmp(gid, ip4_mapped, IP4_AT) == 0 ? gid + IP4_AT : NULL;
}

bool
bf_cm_mac_of(const struct bf_cm_conf *conf, const uint8_t gid[16], uint8_t mac[6])
{
	if (bf_cm_gid_ip4(conf->own.gid) == NULL)
		return bf_cm_gid_mac(gid, mac);
	return conf->ip4_mac != NULL && conf->ip4_mac(conf->arg, gid, mac);
}

void
bf_cm_ip_fill(struct bf_mad_ip *ip, const uint8_t src[16], const uint8_t dst[16])
{
	memset(ip, 0, sizeof(*ip));
	memcpy(ip->src, src, sizeof(ip->src));
	memcpy(ip->dst, dst, sizeof(ip->dst));
	ip->ip_version = 6;
	if (bf_cm_gid_ip4(src) == NULL)
		return;
	ip->ip_version = 4;
	memset(ip->src, 0, IP4_AT);
	memset(ip->dst, 0, IP4_AT);
}
