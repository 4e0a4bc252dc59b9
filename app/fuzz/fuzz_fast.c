/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what a peer writes to the memory of the fast path: posts, tails,
 * completions, entries and the words that decide about waking, and what the card's producer
 * and consumer do in between.
 */

#include <string.h>

#include "test_shm_peer_fast.h"
#include "fuzz.h"

/* What the hostile side has, for one input. */
static struct {
	struct hostile *e;
	struct hostile_consumer c;
	struct hostile_rc rc;
	uint32_t completed;
} hostile;

static struct hostile_region region;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(false);
	fuzz_card();
	if (hostile_region_create(&region, HOSTILE_REGION_SIZE) != 0)
		fuzz_die("region", ENOMEM);
	return 0;
}

static void
begin(uint8_t how)
{
	int ret;

	hostile.e = hostile_connected();
	if (hostile.e == NULL)
		fuzz_die("the hostile peer", ENOTCONN);
	fuzz_queues_open((how & 1) != 0 ? FUZZ_TAKE_PACKETS :
		(how & 0x20) != 0 ? FUZZ_TAKE_IMM : FUZZ_TAKE_DATA);
	ret = hostile_rc_wait(hostile.e, &hostile.rc);
	if (ret == 0)
		ret = hostile_rc_answer(hostile.e, &hostile.rc);
	if (ret == 0)
		ret = hostile_region_send(hostile.e, &region, 3);
	hostile.c.msg.nb_posts = 1u << (how >> 1) % 6;
	hostile.c.msg.imm_len = (how & 0x10) != 0 ? FUZZ_IMM : 0;
	if ((how & 0xc0) == 0xc0)
		hostile.c.msg.imm_len = FUZZ_SMALL_IMM;
	if (ret == 0)
		ret = hostile_consumer_start(hostile.e, &hostile.c, 5,
			(how & 0x80) != 0 ? SHM_WIRE_NO_REGION : 3);
	if (ret != 0)
		fuzz_die("queues of the hostile peer", ret);
	peer_turn();
	hostile.completed = 0;
}

static void
end(void)
{
	hostile_consumer_free(&hostile.c);
	hostile_rc_free(&hostile.rc);
	fuzz_card_reset();
	fuzz_queues_close();
	fuzz_card_settle();
}

static uint64_t
fuzz_u64(struct fuzz_in *in)
{
	uint64_t value = fuzz_u32(in);

	return value << 32 | fuzz_u32(in);
}

/* What the hostile side's consumer says. */
static void
one_post(struct fuzz_in *in, uint8_t what)
{
	struct shm_wire_posts *posts = hostile.c.posts;
	uint32_t nb = hostile.c.msg.region != SHM_WIRE_NO_REGION ? 2 * hostile.c.msg.nb_posts : 0;
	uint32_t value = fuzz_u8(in);
	uint64_t off;

	switch (what % 4) {
	case 0:
		posts->tail += value;
		break;
	case 1:
		posts->tail = fuzz_u32(in);
		break;
	case 2:
		off = fuzz_u32(in) % (2 * HOSTILE_REGION_SIZE);
		hostile_post(&hostile.c, value % 8 == 0 ? off << value % 32 : off % 8192,
			value % 8 == 1 ? fuzz_u64(in) : value * 16);
		break;
	default:
		if (nb != 0)
			posts->words[value % nb] = fuzz_u64(in);
		break;
	}
}

/* What its producers say in inline entries. */
static void
one_entry(struct fuzz_in *in, uint8_t what)
{
	uint32_t value = fuzz_u8(in), n = hostile.completed;
	struct shm_entry *entry = &hostile.rc.entries[value % hostile.rc.msg.nb_posts];

	switch (what % 4) {
	case 0: /* as a correct peer would */
		hostile_entry_put(&hostile.rc, n,
				hostile_entry(n, 1 + value % SHM_WIRE_MAX_PRODUCERS,
					value % FUZZ_SMALL_IMM, 0));
		hostile.completed++;
		break;
	case 1: /* a batch */
		hostile_entry_put(&hostile.rc, n,
				hostile_entry(n, 1, fuzz_u8(in) % FUZZ_SMALL_IMM, value));
		hostile.completed += value + 1;
		break;
	case 2: /* of its position, and anything else */
		hostile_entry_put(&hostile.rc, n,
				hostile_entry(n, 1, 0, 0) ^ (uint64_t)fuzz_u32(in) << 32);
		break;
	default:
		entry->word = fuzz_u64(in);
		entry->imm[value % SHM_ENTRY_MAX_IMM] = (uint8_t)value;
		break;
	}
}

/* What its producers say. */
static void
one_completion(struct fuzz_in *in, uint8_t what)
{
	struct shm_wire_cpls *cpls = hostile.rc.cpls;
	uint32_t value = fuzz_u8(in), size = hostile.rc.seg.size - sizeof(*cpls);
	const uint8_t *bytes;
	size_t n, i;

	switch (what % 4) {
	case 0: /* as a correct peer would */
		hostile_complete(&hostile.rc, hostile.completed,
				hostile_cpl(&hostile.rc, hostile.completed,
						1 + value % SHM_WIRE_MAX_PRODUCERS,
						hostile.rc.msg.imm_len != 0 ? value % FUZZ_IMM : 0,
						value));
		hostile.completed++;
		break;
	case 1:
		cpls->words[value % hostile.rc.msg.nb_posts] = fuzz_u64(in);
		break;
	case 2:
		cpls->want = fuzz_u32(in);
		break;
	default:
		n = fuzz_bytes(in, &bytes, fuzz_u8(in));
		for (i = 0; i < n; i++)
			((uint8_t *)cpls->words)[(value * 8 + i) % size] = bytes[i];
		break;
	}
}

static void
one_step(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in), value;

	switch (what % 8) {
	case 0:
	case 1:
		one_post(in, what >> 3);
		break;
	case 2:
	case 3:
		/* which has the words that decide about waking, for entries, too */
		if (hostile.rc.entries != NULL && (what & 0x80) == 0)
			one_entry(in, what >> 3);
		else
			one_completion(in, what >> 3);
		break;
	case 4:
		value = fuzz_u8(in);
		fuzz_queues_send((what & 0x80) != 0 ? fuzz_u32(in) : 5, value * 32u,
			(what & 0x40) != 0 ? fuzz_u8(in) : 0, (what >> 3) % 8 * 6);
		break;
	case 5:
		fuzz_queues_post((what >> 3) % (FUZZ_POSTS + 1));
		break;
	case 6:
		fuzz_queues_poll();
		break;
	default:
		value = fuzz_u8(in);
		hostile.e->own->groups[value % SHM_WIRE_MAX_GROUPS].armed = what >> 3;
		hostile.e->own->groups[value % SHM_WIRE_MAX_GROUPS]
			.doorbells[what % SHM_WIRE_QDOORBELL_WORDS] ^= RTE_BIT64(value % 64);
		if (rte_comch_pe_arm(peer_env.pe) == 0)
			rte_comch_pe_progress(peer_env.pe);
		peer_turn();
		break;
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	unsigned int nb;

	fuzz_card_begin();
	begin(fuzz_u8(&in));
	for (nb = 0; nb < 256 && in.left != 0 && peer_env.target->conn != NULL; nb++)
		one_step(&in);
	peer_turn();
	end();
	return 0;
}
