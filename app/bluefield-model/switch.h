/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The embedded switch: which function gets what another one sends, by the rules of its
 * operator. It sees headers, never the payload, and it knows nothing of queues.
 */

#ifndef BFM_SWITCH_H
#define BFM_SWITCH_H

#include "model.h"

#define BFM_ROCE_UDP_PORT 4791u

/* What is above Ethernet; the numbers are those of completions. */
enum bfm_l3 {
	BFM_L3_GRH = 0,  /* RoCE v1: a global route header with an ethertype of its own, as ARP */
	BFM_L3_IPV6 = 1, /* RoCE v2 */
	BFM_L3_IPV4 = 2,
};

/* Headers of one packet. Addresses are as on the wire, numbers in host order. */
struct bfm_packet {
	bool ib;             /* InfiniBand, routed by LID; or else Ethernet */
	bool frame;          /* of an Ethernet queue: RoCE has nothing to do with it */
	bool not_udp;        /* such a frame may be of another protocol */
	/* Ethernet */
	uint64_t smac;
	uint64_t dmac;
	bool vlan;
	uint16_t vlan_tag;   /* priority and id */
	/* InfiniBand */
	uint16_t slid;
	uint16_t dlid;
	uint8_t sl;
	bool grh;            /* the next ones are there; always on Ethernet */
	/* network */
	enum bfm_l3 l3;
	uint8_t sgid[16];    /* IPv4: mapped */
	uint8_t dgid[16];
	uint8_t tclass;
	uint8_t hop_limit;
	uint32_t flow_label;
	uint16_t udp_sport;  /* RoCE v2 */
	uint16_t udp_dport;
	/* transport */
	uint8_t opcode;      /* of InfiniBand's base transport header */
	bool solicited;
	uint16_t pkey;
	uint32_t dqpn;
	uint32_t psn;
	uint32_t sqpn;       /* datagrams */
	uint32_t qkey;
	uint32_t imm;        /* as in memory, if the opcode has one */
	uint32_t len;        /* bytes of payload */
};

/* A place on the switch: of a function, or of somebody who is not in the model. */
struct bfm_swport;

/* The first function that joins makes the switch; with the last one that leaves it ends. */
int bfm_switch_join(struct bfm_function *f);
/* Its rules go, and those that lead to it. */
void bfm_switch_leave(struct bfm_function *f);

/*
 * Where does a packet of this function go? 0 and the function, or -errno: it is
 * dropped, and counted. Packets of a looped back queue pair do not come here.
 *
 * -EACCES: no rule lets it. -ENETDOWN: a vport is down. -EHOSTUNREACH: nobody has this
 * LID, or RoCE is off. -EADDRNOTAVAIL: the receiver has another address. -ENOLINK: it
 * has left the model.
 */
int bfm_switch_forward(struct bfm_function *from, const struct bfm_packet *pkt,
		struct bfm_function **to);

/*
 * Rules in the words of tc, from "dev" on. 0, or a negative errno and a sentence that
 * names the word and the remedy. What is worth a note goes to out, if there is one. To
 * delete, words may be left out at the end.
 */
int bfm_switch_rule_add(struct bfm_model *m, const char *text, FILE *out, char *err,
		size_t err_size);
int bfm_switch_rule_del(struct bfm_model *m, const char *text, FILE *out, char *err,
		size_t err_size);
/* Vports with what they sent, received and lost, and rules with what they took. */
void bfm_switch_dump(const struct bfm_model *m, FILE *out);

#endif
