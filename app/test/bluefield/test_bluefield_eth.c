/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ethernet queues, flow tables and atomic operations of the software BlueField, which
 * the driver of Linux asks for and ours does not: commands that are wrong, each in one
 * place, those that are right, and frames. The bytes of commands are known here.
 */

#include <string.h>

#include <rte_atomic.h>

#include "bluefield_func_priv.h" /* check-ok: its layers are tested */
#include "bluefield_wq_io.h"
#include "test_bluefield_data.h"

/* Statuses of replies. */
enum { OK = 0, BAD_OP = 2, BAD_PARAM = 3, BAD_RESOURCE = 5, RES_STATE = 9, BAD_INDEX = 0xa,
	BAD_IN_LEN = 0x50 };
enum { RST = 0, RDY = 1 };
#define NOTHING 0xffff00u  /* a number that no object has */
#define RING 16u           /* requests of each queue */
/* In the memory of an end. */
#define SQ_AT 0x10000u
#define RQ_AT 0x11000u
#define DBR_AT 0x12000u
#define FRAME_AT 0x20000u
#define CAME_AT 0x30000u
#define FRAME_LEN 100u
#define OP_LSO 0x0e
#define OP_ATOMIC_CS 17u
#define OP_ATOMIC_FA 18u

/* A command: its bytes, and what it is to be told. */
static uint8_t in[1100];
static uint8_t out[600];

/* Numbers of the objects of an end. */
struct eth {
	struct data_end *e;
	uint32_t td, tis, rq, sq, rqt, tir, table, group;
	uint16_t sq_pi, rq_pi;
};
static struct eth eth_a, eth_b;

static void
set(uint32_t bit, uint32_t width, uint64_t v)
{
	for (; width-- > 0; v >>= 1)
		in[(bit + width) / 8] = (in[(bit + width) / 8] & ~(0x80 >> (bit + width) % 8)) |
			((v & 1) != 0 ? 0x80 >> (bit + width) % 8 : 0);
}

static void
begin(uint16_t opcode)
{
	memset(in, 0, sizeof(in));
	set(0, 16, opcode);
}

/* Run what is in `in`. Its status, or -errno without one. */
static int
run(struct eth *t, uint32_t len)
{
	struct bf_cmd cmd = {
		.in = in, .in_len = len, .out = out, .out_len = sizeof(out), .quiet = true,
	};
	int ret = bf_func_cmd(t->e->func, BF_CMD_NORMAL, &cmd);

	return ret != 0 && cmd.status == 0 ? ret : cmd.status;
}

static uint32_t
number(void)
{
	return (uint32_t)out[9] << 16 | (uint32_t)out[10] << 8 | out[11];
}

/* The same command with one field that is wrong, and as it was. */
static int
wrong(struct eth *t, uint32_t len, uint32_t bit, uint32_t width, uint64_t v, int status)
{
	uint8_t right[sizeof(in)];

	memcpy(right, in, sizeof(right));
	set(bit, width, v);
	TEST_EXPECT(run(t, len), status);
	memcpy(in, right, sizeof(in));
	return TEST_SUCCESS;
}

static int
by_number(struct eth *t, uint16_t opcode, uint32_t n)
{
	begin(opcode);
	set(0x48, 24, n);
	return run(t, 16);
}

static uint64_t
iova(const struct data_end *e, uint32_t off)
{
	size_t run_len = 1;

	return e->func->hw->ops->dma_iova(e->func->hw, e->bytes + off, &run_len);
}

/* The ring of a queue; both have it at the same place of their context. */
static void
ring(struct eth *t, uint32_t at, uint32_t stride, uint32_t dbr)
{
	set(0x280, 4, 1); /* cyclic */
	set(0x2c8, 24, t->e->pd.obj.id);
	set(0x300, 64, iova(t->e, dbr));
	set(0x38c, 4, stride);
	set(0x39b, 5, 4); /* RING requests */
	set(272 * 8, 64, iova(t->e, at));
}

/* MODIFY of a queue's state. */
static int
move(struct eth *t, uint16_t opcode, uint32_t n, uint32_t from, uint32_t to)
{
	begin(opcode);
	set(0x40, 4, from);
	set(0x48, 24, n);
	set(0x108, 4, to);
	return run(t, 272);
}

/*
 * Objects, each refused for what it names, for a reserved bit, and then made
 */

static int
make_tis(struct eth *t)
{
	begin(0x816);
	TEST_EXPECT(run(t, 16), OK);
	t->td = number();
	begin(0x912);
	set(0x228, 24, t->td);
	TEST_CALL(wrong(t, 192, 0x228, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 192, 0x110, 1, 1, BAD_PARAM)); /* reserved */
	TEST_CALL(wrong(t, 192, 0x101, 1, 1, BAD_PARAM)); /* TLS is no capability */
	TEST_EXPECT(run(t, 100), BAD_IN_LEN);
	TEST_EXPECT(run(t, 192), OK);
	t->tis = number();
	begin(0x913);
	set(0x48, 24, t->tis);
	set(0xbf, 1, 1);
	set(0x10c, 4, 6);
	TEST_CALL(wrong(t, 192, 0xb0, 1, 1, BAD_PARAM)); /* selects what is not there */
	TEST_EXPECT(run(t, 192), OK);
	TEST_EXPECT(by_number(t, 0x817, t->td), RES_STATE);
	return TEST_SUCCESS;
}

static int
make_queues(struct eth *t)
{
	begin(0x908);
	set(0x148, 24, t->e->recv_cq.obj.id);
	ring(t, RQ_AT, 4, DBR_AT);
	TEST_CALL(wrong(t, 280, 0x148, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 280, 0x110, 1, 1, BAD_PARAM)); /* reserved */
	TEST_CALL(wrong(t, 280, 0x108, 4, RDY, BAD_PARAM));
	TEST_CALL(wrong(t, 280, 0x280, 4, 0, BAD_PARAM)); /* a list */
	TEST_CALL(wrong(t, 280, 0x38c, 4, 12, BAD_PARAM)); /* stride */
	TEST_CALL(wrong(t, 280, 272 * 8, 64, UINT64_C(1) << 52, BAD_PARAM)); /* not mapped */
	TEST_EXPECT(run(t, 272), BAD_IN_LEN);
	TEST_EXPECT(run(t, 280), OK);
	t->rq = number();
	begin(0x904);
	set(0x103, 1, 1); /* flush */
	set(0x148, 24, t->e->send_cq.obj.id);
	set(0x200, 16, 1);
	set(0x268, 24, t->tis);
	set(0x2e8, 24, t->e->uar.obj.id);
	ring(t, SQ_AT, 6, DBR_AT);
	TEST_CALL(wrong(t, 280, 0x268, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 280, 0x2e8, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 280, 0x200, 16, 2, BAD_PARAM)); /* TISs */
	TEST_CALL(wrong(t, 280, 0x120, 1, 1, BAD_PARAM)); /* reserved */
	TEST_EXPECT(run(t, 280), OK);
	t->sq = number();
	TEST_EXPECT(move(t, 0x905, t->sq, RDY, RDY), RES_STATE);
	TEST_EXPECT(move(t, 0x905, t->sq, RST, 3), BAD_PARAM);
	TEST_EXPECT(move(t, 0x905, NOTHING, RST, RDY), BAD_RESOURCE);
	TEST_EXPECT(move(t, 0x905, t->sq, RST, RDY), OK);
	TEST_EXPECT(move(t, 0x909, t->rq, RST, RDY), OK);
	TEST_EXPECT(by_number(t, 0x90b, t->rq), OK);
	TEST_EXPECT(out[33] >> 4, RDY);
	return TEST_SUCCESS;
}

static int
make_tir(struct eth *t)
{
	begin(0x916);
	set(0x1b0, 16, 2);
	set(0x1d0, 16, 2);
	set(272 * 8, 32, t->rq);
	set(276 * 8, 32, t->rq);
	TEST_CALL(wrong(t, 280, 276 * 8, 32, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 280, 0x1d0, 16, 3, BAD_PARAM));
	TEST_CALL(wrong(t, 280, 0x1b0, 16, 0x4000, BAD_PARAM));
	TEST_EXPECT(run(t, 276), BAD_IN_LEN);
	TEST_EXPECT(run(t, 280), OK);
	t->rqt = number();
	TEST_EXPECT(by_number(t, 0x90a, t->rq), RES_STATE);
	begin(0x900);
	set(0x120, 4, 1); /* by a table */
	set(0x208, 24, t->rqt);
	set(0x220, 4, 2); /* Toeplitz */
	set(0x228, 24, t->td);
	TEST_CALL(wrong(t, 272, 0x208, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 272, 0x120, 4, 0, BAD_PARAM)); /* direct, with a table */
	TEST_CALL(wrong(t, 272, 0x220, 4, 3, BAD_PARAM));
	TEST_CALL(wrong(t, 272, 0x202, 1, 1, BAD_PARAM)); /* tunnels are no capability */
	TEST_CALL(wrong(t, 272, 0x140, 1, 1, BAD_PARAM)); /* reserved */
	TEST_EXPECT(run(t, 272), OK);
	t->tir = number();
	TEST_EXPECT(by_number(t, 0x918, t->rqt), RES_STATE);
	begin(0x901);
	set(0x48, 24, t->tir);
	set(0xbb, 1, 1);
	set(0x226, 2, 3);
	TEST_CALL(wrong(t, 272, 0xb0, 1, 1, BAD_PARAM));
	TEST_EXPECT(run(t, 272), OK);
	return TEST_SUCCESS;
}

/* A table of 16 entries, and a group that looks at the destination address. */
static int
make_flow(struct eth *t)
{
	begin(0x930);
	set(0xc8, 8, 3);
	set(0xd8, 8, 4);
	TEST_CALL(wrong(t, 64, 0x80, 8, 1, BAD_PARAM)); /* type */
	TEST_CALL(wrong(t, 64, 0xc8, 8, 200, BAD_PARAM));
	TEST_CALL(wrong(t, 64, 0xe8, 24, 1, BAD_PARAM)); /* a miss table without the action */
	TEST_CALL(wrong(t, 64, 0x40, 1, 1, BAD_PARAM)); /* of another vport */
	TEST_CALL(wrong(t, 64, 0xd0, 1, 1, BAD_PARAM)); /* reserved */
	TEST_EXPECT(run(t, 64), OK);
	t->table = number();
	set(0xc4, 4, 1);
	set(0xe8, 24, t->table);
	TEST_EXPECT(run(t, 64), BAD_PARAM); /* the miss table is not behind it */
	begin(0x933);
	set(0xa8, 24, t->table);
	set(0x120, 32, 7);
	set(0x1f8, 8, 1);
	set(0x240, 48, UINT64_C(0xffffffffffff));
	TEST_CALL(wrong(t, 1024, 0xa8, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 1024, 0x120, 32, 16, BAD_PARAM));
	TEST_CALL(wrong(t, 1024, 0x1f8, 8, 0, BAD_PARAM));
	TEST_CALL(wrong(t, 1024, 0x1f8, 8, 4, BAD_PARAM)); /* inner headers */
	TEST_CALL(wrong(t, 1024, 0x400, 8, 1, BAD_PARAM)); /* their criteria */
	TEST_EXPECT(run(t, 1024), OK);
	t->group = number();
	set(0xe0, 32, 7);
	TEST_EXPECT(run(t, 1024), BAD_PARAM); /* index 7 is taken */
	return TEST_SUCCESS;
}

/* An entry for what is sent to this address; to the TIR, or dropped. */
static void
entry(struct eth *t, uint32_t index, const uint8_t *mac, bool drop)
{
	uint32_t i;

	begin(0x936);
	set(0xa8, 24, t->table);
	set(0x100, 32, index);
	set(0x220, 32, t->group);
	set(0x270, 16, drop ? 2 : 4);
	set(0x288, 24, !drop);
	for (i = 0; i < 6; i++)
		set(0x440 + 8 * i, 8, mac[i]);
	set(832 * 8, 8, 2);
	set(832 * 8 + 8, 24, t->tir);
}

static int
make_entry(struct eth *t)
{
	entry(t, 2, t->e->addr.mac, false);
	TEST_CALL(wrong(t, 840, 0x220, 32, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 840, 0x100, 32, 8, BAD_INDEX));
	TEST_CALL(wrong(t, 840, 0x270, 16, 6, BAD_PARAM));
	TEST_CALL(wrong(t, 840, 832 * 8 + 8, 24, NOTHING, BAD_RESOURCE));
	TEST_CALL(wrong(t, 840, 832 * 8, 8, 0, BAD_PARAM)); /* a vport */
	TEST_CALL(wrong(t, 840, 0x30, 16, 1, BAD_PARAM)); /* a change of nothing */
	TEST_EXPECT(run(t, 832), BAD_IN_LEN);
	set(0x288, 24, 2);
	set(840 * 8, 8, 2);
	set(840 * 8 + 8, 24, t->tir);
	TEST_EXPECT(run(t, 848), BAD_PARAM); /* a second TIR */
	set(0x288, 24, 1);
	TEST_EXPECT(run(t, 840), OK);
	TEST_EXPECT(run(t, 840), BAD_INDEX); /* it is there */
	TEST_EXPECT(by_number(t, 0x902, t->tir), RES_STATE);
	begin(0x934);
	set(0xa8, 24, t->table);
	set(0xc0, 32, t->group);
	TEST_EXPECT(run(t, 64), RES_STATE);
	return TEST_SUCCESS;
}

static int
root(struct eth *t, uint32_t table, bool disconnect)
{
	begin(0x92f);
	set(0x30, 16, disconnect);
	set(0xa8, 24, table);
	return run(t, 64);
}

static int
make_all(struct eth *t, struct data_end *e)
{
	memset(t, 0, sizeof(*t));
	t->e = e;
	TEST_CALL(make_tis(t));
	TEST_CALL(make_queues(t));
	TEST_CALL(make_tir(t));
	TEST_CALL(make_flow(t));
	TEST_CALL(make_entry(t));
	TEST_EXPECT(root(t, NOTHING, false), BAD_RESOURCE);
	TEST_EXPECT(root(t, t->table, false), OK);
	return TEST_SUCCESS;
}

static int
delete_entry(struct eth *t, uint32_t index)
{
	begin(0x938);
	set(0xa8, 24, t->table);
	set(0x100, 32, index);
	return run(t, 64);
}

/* In order, what is used last. */
static int
end_all(struct eth *t)
{
	TEST_EXPECT(delete_entry(t, 3), BAD_INDEX);
	TEST_EXPECT(delete_entry(t, 2), OK);
	begin(0x931);
	set(0xa8, 24, t->table);
	TEST_EXPECT(run(t, 64), RES_STATE);
	begin(0x934);
	set(0xa8, 24, t->table);
	set(0xc0, 32, t->group);
	TEST_EXPECT(run(t, 64), OK);
	begin(0x931);
	set(0xa8, 24, t->table);
	TEST_EXPECT(run(t, 64), OK);
	TEST_EXPECT(by_number(t, 0x902, t->tir), OK);
	TEST_EXPECT(by_number(t, 0x918, t->rqt), OK);
	TEST_EXPECT(by_number(t, 0x90a, t->rq), OK);
	TEST_EXPECT(by_number(t, 0x90a, t->rq), BAD_RESOURCE);
	TEST_EXPECT(by_number(t, 0x914, t->tis), RES_STATE);
	TEST_EXPECT(by_number(t, 0x906, t->sq), OK);
	TEST_EXPECT(by_number(t, 0x914, t->tis), OK);
	TEST_EXPECT(by_number(t, 0x817, t->td), OK);
	return TEST_SUCCESS;
}

/*
 * Cases
 */

static int
setup_as(const struct data_conf *conf)
{
	const char *const ends[] = { "pf0vf0", "ecpf0vf0" };
	unsigned int i;

	TEST_CALL(data_case_start("pf0vf0,flr_ms=5,netdev=1 ecpf0vf0,flr_ms=5,netdev=1"
		" --latency=0.1"));
	for (i = 0; i < 2; i++)
		TEST_EXPECT(test_model_ctl(&model, "rule add dev %s ingress prio 2 protocol all flower"
			" skip_sw action mirred egress redirect dev %s", ends[i], ends[1 - i]), 0);
	return data_pair(conf);
}

static int
setup(void)
{
	return setup_as(&(struct data_conf){ .raw = true, .atomic = true });
}

static int
setup_plain(void)
{
	return setup_as(&(struct data_conf){ .raw = false });
}

static int
test_commands(void)
{
	TEST_CALL(make_all(&eth_a, &data_a));
	TEST_CALL(end_all(&eth_a));
	return data_passed();
}

/* Those that are left go with the HCA, in any order. */
static int
test_left(void)
{
	TEST_CALL(make_all(&eth_a, &data_a));
	begin(0x103);
	TEST_EXPECT(run(&eth_a, 16), OK);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "objects"), 0);
	TEST_TRUE(!test_model_logged(&model, "a bug of the model"));
	return test_log_passed();
}

/* One frame of this length, at its place: by a piece of memory. With mss it is to be cut. */
static void
send_large(struct eth *t, uint32_t len, uint16_t mss)
{
	uint8_t *wqe = t->e->bytes + SQ_AT + t->sq_pi % RING * 64;
	rte_be32_t *dbr = (rte_be32_t *)(t->e->bytes + DBR_AT);
	rte_be64_t first;

	begin(0);
	set(8, 16, t->sq_pi);
	set(24, 8, mss != 0 ? OP_LSO : OP_SEND);
	set(32, 24, t->sq);
	set(56, 8, 3);
	set(88, 8, 8); /* completion */
	set(176, 16, mss);
	data_seg(in + 32, len, t->e->mkey.key, (uintptr_t)t->e->bytes + FRAME_AT);
	memcpy(wqe, in, 64);
	t->sq_pi++;
	rte_io_wmb();
	dbr[1] = rte_cpu_to_be_32(t->sq_pi);
	rte_wmb();
	memcpy(&first, wqe, sizeof(first));
	bf_wq_doorbell(&t->e->uar, 0x800, first);
}

static void
send(struct eth *t, uint32_t len)
{
	send_large(t, len, 0);
}

static void
post(struct eth *t, uint32_t len)
{
	data_seg(t->e->bytes + RQ_AT + t->rq_pi % RING * 16, len, t->e->mkey.key,
		(uintptr_t)t->e->bytes + CAME_AT);
	t->rq_pi++;
	rte_io_wmb();
	*(rte_be32_t *)(t->e->bytes + DBR_AT) = rte_cpu_to_be_32(t->rq_pi);
}

static void
frame_fill(struct eth *t, const uint8_t *to)
{
	uint32_t i;

	for (i = 0; i < FRAME_LEN; i++)
		t->e->bytes[FRAME_AT + i] = (uint8_t)(i * 3);
	memcpy(t->e->bytes + FRAME_AT, to, 6);
	t->e->bytes[FRAME_AT + 12] = 0x88; /* an ethertype that nobody has */
	t->e->bytes[FRAME_AT + 13] = 0xb5;
}

/* Of IPv4 and TCP; words: of TCP's header. */
static void
segment_fill(struct eth *t, const uint8_t *to, uint8_t words)
{
	uint8_t *frame = t->e->bytes + FRAME_AT;

	frame_fill(t, to);
	frame[12] = 8;
	frame[13] = 0;
	frame[14] = 0x45;
	frame[16] = 0;
	frame[17] = FRAME_LEN - 14;
	frame[20] = frame[21] = 0;
	frame[23] = 6;
	frame[46] = words << 4;
}

static int
test_frames(void)
{
	static const uint8_t other[6] = { 2, 1, 2, 3, 4, 5 };
	struct data_cqe cqe;

	TEST_CALL(make_all(&eth_a, &data_a));
	TEST_CALL(make_all(&eth_b, &data_b));
	/* nothing is posted; then it comes */
	frame_fill(&eth_a, data_b.addr.mac);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	post(&eth_b, 2048);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_EXPECT(cqe.counter, 1);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.opcode, 2);
	TEST_EXPECT(cqe.bytes, FRAME_LEN);
	TEST_EXPECT(cqe.counter, 0);
	TEST_TRUE(memcmp(data_b.bytes + CAME_AT, data_a.bytes + FRAME_AT, FRAME_LEN) == 0);
	/* to an address that no entry has, to one that is dropped, and without a root */
	post(&eth_b, 2048);
	entry(&eth_b, 0, other, true);
	TEST_EXPECT(run(&eth_b, 832), OK);
	memcpy(data_a.bytes + FRAME_AT, other, 6);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(delete_entry(&eth_b, 0), OK);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(root(&eth_b, 0, true), OK);
	memcpy(data_a.bytes + FRAME_AT, data_b.addr.mac, 6);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_CALL(data_quiet(&data_b));
	TEST_EXPECT(root(&eth_b, eth_b.table, false), OK);
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_received(&data_b, &cqe));
	TEST_EXPECT(cqe.counter, 1);
	TEST_CALL(end_all(&eth_a));
	TEST_CALL(end_all(&eth_b));
	return data_passed();
}

/* A request that cannot be done fails, and those behind it are flushed. */
static int
test_bad_frame(void)
{
	struct data_cqe cqe;

	TEST_CALL(make_all(&eth_a, &data_a));
	frame_fill(&eth_a, data_b.addr.mac);
	send(&eth_a, 5);
	TEST_CALL(data_sent_bad(&data_a, 2));
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent_bad(&data_a, 5));
	TEST_EXPECT(by_number(&eth_a, 0x907, eth_a.sq), OK);
	TEST_EXPECT(out[33] >> 4, 3);
	TEST_EXPECT(move(&eth_a, 0x905, eth_a.sq, 3, RST), OK);
	TEST_EXPECT(move(&eth_a, 0x905, eth_a.sq, RST, RDY), OK);
	eth_a.sq_pi = 0;
	send(&eth_a, FRAME_LEN);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	segment_fill(&eth_a, data_b.addr.mac, 5);
	send_large(&eth_a, FRAME_LEN, 2);
	TEST_CALL(data_sent(&data_a, &cqe));
	/* with a header that is shorter than TCP's */
	segment_fill(&eth_a, data_b.addr.mac, 4);
	send_large(&eth_a, FRAME_LEN, 2);
	TEST_CALL(data_sent_bad(&data_a, 2));
	TEST_CALL(end_all(&eth_a));
	return data_passed();
}

/* A key of all memory of b with all rights: its number. */
static int
key_make(struct eth *t, uint32_t *index)
{
	begin(0x200);
	set(16 * 8 + 0x11, 5, 0x1f);
	set(16 * 8 + 0x20, 24, 0xffffff);
	set(16 * 8 + 0x60, 1, 1);
	set(16 * 8 + 0x68, 24, t->e->pd.obj.id);
	TEST_EXPECT(run(t, 272), OK);
	*index = number();
	return TEST_SUCCESS;
}

/* One operation on the number at this place of b; what was there comes to the start of a. */
static int
atomic(uint8_t opcode, uint32_t key, uint32_t at, uint64_t swap_add, uint64_t compare)
{
	struct data_cqe cqe;

	begin(0);
	set(0, 64, iova(&data_b, at));
	set(64, 32, key);
	set(128, 64, swap_add);
	set(192, 64, compare);
	data_seg(in + 32, 8, data_a.mkey.key, (uintptr_t)data_a.bytes);
	data_send_raw(&data_a, opcode, in, 3, 0);
	TEST_CALL(data_sent(&data_a, &cqe));
	TEST_EXPECT(cqe.opcode, 0);
	TEST_EXPECT(cqe.bytes, 8);
	return TEST_SUCCESS;
}

static int
test_atomic(void)
{
	rte_le64_t *value = (rte_le64_t *)(data_b.bytes + CAME_AT);
	rte_be64_t *was = (rte_be64_t *)data_a.bytes;
	struct eth t = { .e = &data_b };
	uint32_t index = 0;

	TEST_CALL(key_make(&t, &index));
	*value = rte_cpu_to_le_64(40);
	TEST_CALL(atomic(OP_ATOMIC_FA, index << 8, CAME_AT, 2, 0));
	TEST_EXPECT(rte_le_to_cpu_64(*value), 42);
	/* nobody has asked for the byte order of the host */
	TEST_EXPECT(rte_be_to_cpu_64(*was), 40);
	TEST_CALL(atomic(OP_ATOMIC_CS, index << 8, CAME_AT, 7, 41));
	TEST_EXPECT(rte_le_to_cpu_64(*value), 42);
	TEST_CALL(atomic(OP_ATOMIC_CS, index << 8, CAME_AT, 7, 42));
	TEST_EXPECT(rte_le_to_cpu_64(*value), 7);
	TEST_EXPECT(rte_be_to_cpu_64(*was), 42);
	/* the answer is lost: the second request finds that it was done */
	TEST_EXPECT(test_model_ctl(&model, "fault ecpf0vf0 net drop=1"), 0);
	TEST_CALL(atomic(OP_ATOMIC_FA, index << 8, CAME_AT, 5, 0));
	TEST_EXPECT(rte_le_to_cpu_64(*value), 12);
	TEST_EXPECT(rte_be_to_cpu_64(*was), 7);
	TEST_EXPECT(by_number(&t, 0x202, index), OK);
	return data_passed();
}

/* Without netdev=1 none of it is there. */
static int
test_not_offered(void)
{
	struct eth t = { .e = &data_a };

	TEST_CALL(data_case_setup());
	begin(0x912);
	TEST_EXPECT(run(&t, 192), BAD_OP);
	begin(0x908);
	TEST_EXPECT(run(&t, 280), BAD_OP);
	begin(0x930);
	TEST_EXPECT(run(&t, 64), BAD_OP);
	return data_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "bluefield Ethernet queues of the model",
	.unit_test_cases = {
		TEST_CASE_ST(setup, data_case_teardown, test_commands),
		TEST_CASE_ST(setup_plain, data_case_teardown, test_left),
		TEST_CASE_ST(setup, data_case_teardown, test_frames),
		TEST_CASE_ST(setup, data_case_teardown, test_bad_frame),
		TEST_CASE_ST(setup, data_case_teardown, test_atomic),
		TEST_CASE_ST(NULL, data_case_teardown, test_not_offered),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_eth_autotest, unit_test_suite_runner, &suite);
