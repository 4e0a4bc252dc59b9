/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is a sequence of messages that a host sends to a card device: each
 * a good one of some type, over which bytes of the input are written.
 */

#include <string.h>
#include <unistd.h>

#include "test_shm_peer_fast.h"
#include "fuzz.h"

static int a_pipe[2];
static struct hostile_region region;
static struct hostile_consumer consumer;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(false);
	fuzz_card();
	if (pipe(a_pipe) != 0)
		fuzz_die("pipe", errno);
	if (hostile_region_create(&region, HOSTILE_REGION_SIZE) != 0)
		fuzz_die("region", ENOMEM);
	return 0;
}

static struct hostile *
begin(uint8_t how)
{
	struct hostile *e;

	switch (how % 6) {
	case 0:
		e = hostile_open(peer_env.path, "pf0");
		if (e != NULL && hostile_seg_create(&e->seg,
				offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)) != 0)
			return NULL;
		return e;
	case 1:
		return hostile_up();
	case 2:
		e = hostile_up();
		if (e != NULL && hostile_connect(e, &e->chan, 0) != 0)
			return NULL;
		return e;
	case 3:
		return hostile_connected();
	case 4: /* the card has asked about a consumer of its own */
		e = hostile_connected();
		if (e != NULL)
			fuzz_queues_open(FUZZ_TAKE_DATA);
		if (e != NULL && hostile_wait(e, SHM_WIRE_CONSUMER, TEST_MS) != 0)
			return NULL;
		return e;
	default: /* and one of the hostile side is there */
		e = hostile_connected();
		if (e == NULL || hostile_region_send(e, &region, 0) != 0)
			return NULL;
		fuzz_queues_open(FUZZ_TAKE_PACKETS);
		return hostile_consumer_start(e, &consumer, 1, 0) == 0 ? e : NULL;
	}
}

static unsigned int
pick_fds(const struct hostile *e, uint8_t pick, int fds[2])
{
	switch (pick % 8) {
	case 0:
		return 0;
	case 1:
		fds[0] = region.fd;
		return 1;
	case 2:
		fds[0] = e->seg.fd;
		return e->seg.map != NULL;
	case 3:
	case 4:
		fds[0] = e->chan.seg.fd;
		return e->chan.seg.map != NULL;
	case 5:
		fds[0] = e->wake;
		return e->wake >= 0;
	case 6:
		fds[0] = a_pipe[0];
		return 1;
	default:
		fds[0] = fds[1] = a_pipe[1];
		return 2;
	}
}

static void
one_message(struct hostile *e, struct fuzz_in *in)
{
	union {
		union shm_wire_msg msg;
		uint8_t bytes[512];
	} m;
	uint8_t type = fuzz_u8(in), fds_pick = fuzz_u8(in), turn = fuzz_u8(in);
	uint8_t off = fuzz_u8(in);
	const uint8_t *bytes;
	unsigned int nb_fds;
	size_t len, n;
	int fds[2];

	memset(&m, 0, sizeof(m));
	hostile_fill(&m.msg, type % SHM_WIRE_TYPES, fuzz_u8(in) % 8);
	len = m.msg.hdr.len;
	if ((type & 0x80) != 0) {
		len = fuzz_u8(in);
		m.msg.hdr.len = (uint16_t)len;
	}
	n = fuzz_bytes(in, &bytes, fuzz_u8(in) % 64);
	if (n != 0)
		memcpy(m.bytes + off, bytes, n);
	nb_fds = pick_fds(e, fds_pick, fds);
	hostile_send_raw(e, &m, len, fds, nb_fds);
	while (turn-- % 4 != 0) {
		peer_turn();
		while (hostile_recv(e) > 0)
			;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	unsigned int nb;
	struct hostile *e;

	fuzz_card_begin();
	e = begin(fuzz_u8(&in));
	if (e == NULL)
		fuzz_die("the hostile peer", ENOTCONN);
	if (e->chan.own == NULL && hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE) != 0)
		fuzz_die("segment", ENOMEM);
	for (nb = 0; nb < 64 && in.left != 0 && !e->eof; nb++)
		one_message(e, &in);
	hostile_consumer_free(&consumer);
	fuzz_card_reset();
	fuzz_queues_close();
	fuzz_card_settle();
	return 0;
}
