/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what arrives at a connection manager, from two functions, what its user
 * does meanwhile, and how time goes on. The last bit says whether all of it is IPv4.
 * Messages are whole ones, byte by byte, or good ones with some bytes changed, so that
 * what is behind the first checks is reached.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>
#include <rte_random.h>

#include "test_bluefield_cm.h"
#include "fuzz.h"

#define MAX_STEPS 200
#define MAX_IDS 64
#define PEER_ID 0x5a5a0000u
#define DATA 24

static struct wire wire;
static struct node *const us = &wire.nodes[0];
static struct user user;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	return 0;
}

/* What can be read can be written, and is the same then. */
static void
check_codec(const uint8_t *buf, size_t len)
{
	uint8_t again[BF_MAD_SIZE];
	struct bf_mad mad, back;

	if (bf_mad_decode(buf, len, &mad) != 0)
		return;
	if (bf_mad_encode(&mad, again) != 0 || bf_mad_decode(again, sizeof(again), &back) != 0 ||
	    memcmp(&mad, &back, sizeof(mad)) != 0)
		abort();
}

static struct conn *
conn_of(struct fuzz_in *in)
{
	unsigned int i = fuzz_u8(in);

	return user.nb_conns != 0 ? &user.conns[i % user.nb_conns] : NULL;
}

/* A REQ that would be accepted. */
static struct bf_mad
good_req(const struct node *from, uint8_t nth)
{
	struct bf_mad_ip ip;
	struct bf_mad mad = {
		.attr = BF_MAD_REQ, .local_id = PEER_ID + nth,
		.req = {
			.service_id = BF_CM_SERVICE_ID, .ca_guid = 1, .qpn = 0x100 + nth,
			.pkey = 0xffff, .mtu = 3, .local_timeout = 16, .max_retries = 3,
		},
	};

	memcpy(mad.req.path.local_gid, from->addr.gid, 16);
	memcpy(mad.req.path.remote_gid, us->addr.gid, 16);
	bf_cm_ip_fill(&ip, from->addr.gid, us->addr.gid);
	ip.src_port = 0xc001;
	bf_mad_ip_encode(&ip, mad.req.priv);
	return mad;
}

/* A message that names a connection, as its peer would. */
static struct bf_mad
good_mad(const struct node *from, struct fuzz_in *in)
{
	uint16_t attr = BF_MAD_FIRST + fuzz_u8(in) % BF_CM_NB_MSGS;
	const struct conn *c = conn_of(in);
	uint8_t nth = fuzz_u8(in);
	struct bf_mad mad = { .attr = attr, .local_id = PEER_ID + nth };

	if (attr == BF_MAD_REQ)
		return good_req(from, nth);
	if (c != NULL && c->id != NULL)
		mad.remote_id = c->id->local_id;
	if (attr == BF_MAD_REP) {
		mad.rep.qpn = 0x100 + nth;
		mad.rep.ca_guid = 1;
	} else if (attr == BF_MAD_DREQ && c != NULL) {
		mad.dreq.qpn = c->own.qpn;
	}
	return mad;
}

static void
arrive(struct fuzz_in *in, bool whole)
{
	const struct node *from = &wire.nodes[1 + fuzz_u8(in) % 2];
	struct bf_cm_packet pkt = { .has_grh = true, .src_qpn = 1, .len = BF_MAD_SIZE };
	const uint8_t *bytes;
	struct bf_mad mad;
	unsigned int nb;
	size_t n;

	pkt.ip4 = bf_cm_gid_ip4(us->addr.gid) != NULL;
	memcpy(pkt.sgid, from->addr.gid, sizeof(pkt.sgid));
	memcpy(pkt.dgid, us->addr.gid, sizeof(pkt.dgid));
	if (whole) {
		n = fuzz_bytes(in, &bytes, BF_MAD_SIZE);
		memcpy(pkt.mad, bytes, n);
		pkt.len = fuzz_u8(in) + 1;
	} else {
		mad = good_mad(from, in);
		if (bf_mad_encode(&mad, pkt.mad) != 0)
			abort();
		for (nb = fuzz_u8(in) % 8; nb != 0; nb--) {
			n = DATA + fuzz_u8(in) % (BF_MAD_SIZE - DATA);
			pkt.mad[n] = fuzz_u8(in);
		}
	}
	check_codec(pkt.mad, RTE_MIN(pkt.len, BF_MAD_SIZE));
	wire_inject(us, &pkt);
	wire_settle(&wire);
}

static void
user_acts(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);
	struct conn *c = conn_of(in);

	user.mode = what >> 4 & 3;
	if (what % 8 == 0 || c == NULL) {
		if (user.nb_conns < MAX_IDS)
			user_connect(&user, &wire.nodes[1 + (what >> 3 & 1)], 1 + fuzz_u8(in));
		return;
	}
	if (c->id == NULL)
		return;
	switch (what % 8) {
	case 1:
		bf_cm_accept(c->id, &c->own, "yes", 3, user_event, c);
		break;
	case 2:
		bf_cm_reject(c->id, -(int)fuzz_u8(in), "no", what >> 6);
		break;
	case 3:
		bf_cm_rtu(c->id);
		break;
	case 4:
		bf_cm_disconnect(c->id, -(int)fuzz_u8(in));
		break;
	case 5:
		bf_cm_established(c->id);
		break;
	case 6:
		bf_cm_path(c->id, &c->own, &c->path);
		break;
	default:
		bf_cm_release(c->id);
		c->id = NULL;
		break;
	}
}

static void
check_stats(uint32_t max_ids)
{
	struct bf_cm_stats stats;

	bf_cm_stats(us->cm, &stats);
	if (stats.ids > max_ids || stats.half_open > stats.ids)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	struct bf_cm_conf conf;
	unsigned int i;
	uint8_t what;

	rte_srand(1);
	wire_init(&wire, 1);
	if (size != 0 && (data[size - 1] & 1) != 0)
		wire_set_ip4(&wire);
	memset(&user, 0, sizeof(user));
	user.node = us;
	conf = wire_conf(us, user_req, &user);
	conf.ip4_mac = user_ip4_mac;
	conf.max_ids = MAX_IDS;
	conf.max_peer_ids = MAX_IDS / 2;
	conf.max_half_open = MAX_IDS / 4;
	if (wire_open(us, &conf) != 0)
		abort();
	for (i = 0; i < MAX_STEPS && in.left != 0; i++) {
		what = fuzz_u8(&in);
		if (what % 4 == 0)
			user_acts(&in);
		else if (what % 4 == 1)
			wire_run(&wire, fuzz_u8(&in) * 16u);
		else
			arrive(&in, what % 16 == 2);
		/* nobody answers from there */
		wire.nodes[1].tail = wire.nodes[1].head;
		wire.nodes[2].tail = wire.nodes[2].head;
		check_stats(MAX_IDS);
	}
	/* whatever came, it is over some time after all has been let go */
	user_release(&user);
	wire_run(&wire, 30000);
	check_stats(0);
	wire_close(&wire);
	return 0;
}
