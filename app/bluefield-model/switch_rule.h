/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The switch and its rules, as its operator gives them: what switch_rule.c and switch.c share. */

#ifndef BFM_SWITCH_RULE_H
#define BFM_SWITCH_RULE_H

#include "switch.h"

#define NB_NOBODY 2u /* kinds of vports without a function: uplink, manager */

/* Why a packet is dropped. */
enum drop {
	DROP_NO_RULE = 0, /* of the sender: default drop */
	DROP_RULE,        /* ... action drop */
	DROP_SENDER_DOWN, /* ... its own link */
	DROP_NO_LID,      /* ... nobody on the fabric has it */
	DROP_LINK_DOWN,   /* of the receiver */
	DROP_ROCE_OFF,    /* ... roce_en is 0 */
	DROP_NO_ADDRESS,  /* ... GID and MAC are not in its table */
	NB_DROPS,
};

struct count {
	uint64_t packets;
	uint64_t bytes;
};

struct bfm_swport {
	char name[BFM_NAME_SIZE];
	struct bfm_function *f; /* NULL: nobody in the model */
	uint32_t port;          /* of the card */
	struct count sent;
	struct count received;
	uint64_t drops[NB_DROPS];
};

static inline bool
bfm_swport_ib(const struct bfm_swport *p)
{
	return p->f != NULL && p->f->conf.ib_port;
}

/* What a rule looks at: bits of has. */
enum {
	BFM_RULE_SRC_MAC = 1u << 0,
	BFM_RULE_DST_MAC = 1u << 1,
	BFM_RULE_SRC_IP = 1u << 2,
	BFM_RULE_DST_IP = 1u << 3,
	BFM_RULE_IP_PROTO = 1u << 4,
	BFM_RULE_SRC_PORT = 1u << 5,
	BFM_RULE_DST_PORT = 1u << 6,
};

/* What a rule takes of Ethernet types. */
enum bfm_rule_protocol { BFM_PROTOCOL_ALL = 0, BFM_PROTOCOL_IPV4, BFM_PROTOCOL_IPV6 };

/* IPv4 as it is in a GID, ::ffff:a.b.c.d. */
struct bfm_rule_ip {
	uint8_t addr[16];
	uint32_t bits; /* of the address that have to be equal */
};

struct bfm_rule {
	TAILQ_ENTRY(bfm_rule) next;
	struct bfm_swport *dev;
	uint32_t prio;
	enum bfm_rule_protocol protocol;
	uint32_t has;
	uint64_t src_mac;
	uint64_t dst_mac;
	struct bfm_rule_ip src_ip;
	struct bfm_rule_ip dst_ip;
	uint16_t src_port;
	uint16_t dst_port;
	struct bfm_swport *to; /* NULL: drop */
	uint64_t packets;
	uint64_t bytes;
};

struct bfm_switch {
	struct bfm_swport ports[BFM_MAX_FUNCTIONS]; /* without a function: free */
	uint32_t nb_ports;
	struct bfm_swport nobody[NB_NOBODY * BFM_NB_PORTS];
	TAILQ_HEAD(, bfm_rule) rules; /* of all, by prio, then by age */
	uint32_t nb_rules;
};

/* How much of a rule was given: enough to delete, or all of it. */
enum bfm_rule_extent {
	BFM_RULE_DEV,   /* dev <name> ingress */
	BFM_RULE_PRIO,  /* ... prio <n> */
	BFM_RULE_WHOLE,
};

/*
 * Words as behind "tc filter add", which may be there too. 0, or -EINVAL and a
 * sentence with the word and the remedy. Only dev is looked up, and whom it leads to.
 */
int bfm_rule_parse(struct bfm_model *m, const char *text, struct bfm_rule *r,
		enum bfm_rule_extent *extent, char *err, size_t err_size);
void bfm_rule_print(const struct bfm_rule *r, FILE *out);
bool bfm_rule_matches(const struct bfm_rule *r, const struct bfm_packet *pkt);
/* The same device, place, and packets; what is done with them may differ. */
bool bfm_rule_same(const struct bfm_rule *a, const struct bfm_rule *b);
/* What somebody could forge because the rule leaves it open, or NULL. */
const char *bfm_rule_too_wide(const struct bfm_rule *r);

#endif
