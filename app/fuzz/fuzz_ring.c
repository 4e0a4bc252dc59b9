/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what the peer of an established connection writes to the memory
 * it shares: records, positions, doorbells, in any order, and when it is looked at.
 */

#include <string.h>

#include "test_shm_peer.h"
#include "fuzz.h"

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(false);
	fuzz_card();
	return 0;
}

static void
ring_write(struct hostile_chan *chan, uint32_t off, struct fuzz_in *in)
{
	const uint8_t *bytes;
	size_t n = fuzz_bytes(in, &bytes, fuzz_u8(in)), i;

	for (i = 0; i < n; i++)
		chan->own->ring[(off + i) % chan->ring_size] = bytes[i];
}

static void
one_step(struct hostile *e, struct fuzz_in *in)
{
	struct shm_wire_chan *own = e->chan.own;
	uint32_t *words = (uint32_t *)own;
	const uint8_t *bytes;
	uint8_t data[256];
	uint32_t value;
	size_t n;

	switch (fuzz_u8(in) % 16) {
	case 0:
		value = fuzz_u32(in);
		ring_write(&e->chan, value, in);
		break;
	case 1: /* where the next record is looked for */
		ring_write(&e->chan, own->tail - SHM_WIRE_POS_START, in);
		break;
	case 2:
		n = fuzz_bytes(in, &bytes, fuzz_u8(in));
		memcpy(data, bytes, n);
		hostile_put(e, &e->chan, data, (uint32_t)n);
		break;
	case 3:
		hostile_tail_add(e, &e->chan, fuzz_u8(in));
		break;
	case 4:
		own->tail = fuzz_u32(in);
		break;
	case 5:
		own->head += fuzz_u8(in);
		break;
	case 6:
		own->head = fuzz_u32(in);
		break;
	case 7:
		own->head = e->chan.peer->tail;
		break;
	case 8:
		own->doorbell_seen = fuzz_u8(in);
		own->want_doorbell = fuzz_u8(in);
		break;
	case 9:
		e->own->groups[fuzz_u8(in) % SHM_WIRE_MAX_GROUPS].armed = fuzz_u8(in);
		break;
	case 10:
		value = fuzz_u8(in);
		e->own->doorbells[value % SHM_WIRE_DOORBELL_WORDS] ^= RTE_BIT64(fuzz_u8(in) % 64);
		break;
	case 11:
		e->own->sock_doorbell = fuzz_u8(in);
		break;
	case 12:
		value = fuzz_u8(in);
		words[value % 64] = fuzz_u32(in);
		break;
	case 13:
		fuzz_card_send(1 + fuzz_u32(in) % 4080);
		break;
	case 14: /* as an engine that sleeps */
		if (rte_comch_pe_arm(peer_env.pe) == 0)
			rte_comch_pe_progress(peer_env.pe);
		break;
	default:
		for (value = fuzz_u8(in) % 80; value > 0; value--)
			rte_comch_pe_progress(peer_env.pe);
		break;
	}
	peer_turn();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	unsigned int nb;
	struct hostile *e;

	fuzz_card_begin();
	e = hostile_connected();
	if (e == NULL)
		fuzz_die("the hostile peer", ENOTCONN);
	for (nb = 0; nb < 256 && in.left != 0 && peer_env.target->conn != NULL; nb++)
		one_step(e, &in);
	fuzz_card_reset();
	fuzz_card_settle();
	return 0;
}
