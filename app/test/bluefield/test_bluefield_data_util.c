/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Two ends of a connection on the software BlueField, for the tests of its queue
 * engine. The bytes of requests and completions are known here, once more.
 */

#include <string.h>
#include <unistd.h>

#include <rte_atomic.h>

#include "bluefield_func_priv.h"
#include "bluefield_wq_io.h"
#include "test_bluefield_data.h"
#include "test_bluefield_obj.h"

#define QUIET_MS 60
#define LKEY_NONE 0x100u
#define BLOCK 64u
#define UNIT 16u

struct data_end data_a;
struct data_end data_b;

static void
put32(uint8_t *p, uint32_t v)
{
	v = rte_cpu_to_be_32(v);
	memcpy(p, &v, sizeof(v));
}

static uint32_t
get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return rte_be_to_cpu_32(v);
}

/*
 * Functions and objects
 */

static int
func_up(struct data_end *e, const char *name)
{
	struct bf_func_conf conf;

	e->name = name;
	bf_func_conf_init(&conf);
	conf.health_ms = 30;
	return obj_func_open(name, &conf, &e->func, &e->dev);
}

int
data_case_start(const char *functions)
{
	memset(&data_a, 0, sizeof(data_a));
	memset(&data_b, 0, sizeof(data_b));
	TEST_EXPECT(test_log_begin(), 0);
	TEST_CALL(test_model_start(&model, functions));
	TEST_CALL(func_up(&data_a, "pf0vf0"));
	TEST_CALL(func_up(&data_b, "ecpf0vf0"));
	return TEST_SUCCESS;
}

int
data_case_setup(void)
{
	return data_case_start("pf0vf0,flr_ms=5 ecpf0vf0,flr_ms=5 --latency=0.1");
}

void
data_end_free(struct data_end *e)
{
	uint8_t in[16] = { 0x07, 0x72 }, out[16];

	bf_qp_destroy(&e->qp);
	if (e->counter != 0) {
		in[11] = e->counter;
		if (bf_func_exec(e->func, in, sizeof(in), out, sizeof(out)) != 0)
			test_fail("a set of counters cannot be freed");
		e->counter = 0;
	}
	bf_srq_destroy(&e->srq);
	bf_mkey_destroy(&e->mkey);
	bf_mem_free(e->mem);
	e->mem = NULL;
	bf_cq_destroy(&e->recv_cq);
	bf_cq_destroy(&e->send_cq);
	bf_uar_destroy(&e->uar);
	bf_pd_destroy(&e->pd);
}

static void
end_down(struct data_end *e)
{
	if (e->dev == NULL)
		return;
	data_end_free(e);
	bf_fw_close(e->dev);
	bf_func_destroy(e->func);
	e->dev = NULL;
	e->func = NULL;
}

void
data_case_teardown(void)
{
	/* of one function: the second end goes before its device does */
	if (data_b.dev == data_a.dev && data_b.dev != NULL) {
		data_end_free(&data_b);
		data_b.dev = NULL;
	}
	end_down(&data_a);
	end_down(&data_b);
	test_model_teardown();
}

int
data_passed(void)
{
	bool loopback = data_b.dev == data_a.dev;

	TEST_EXPECT(bf_func_status(data_a.func, NULL), 0);
	TEST_EXPECT(bf_func_status(data_b.func, NULL), 0);
	if (loopback) {
		data_end_free(&data_b);
		data_b.dev = NULL;
	}
	end_down(&data_a);
	end_down(&data_b);
	TEST_WAIT(test_model_state(&model, "pf0vf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "objects"), 0);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 0);
	TEST_WAIT(test_model_state(&model, "ecpf0vf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "ecpf0vf0", "objects"), 0);
	TEST_EXPECT(test_model_state(&model, "ecpf0vf0", "given"), 0);
	TEST_TRUE(!test_log_has("objects are left"));
	return test_log_passed();
}

/* What the driver never asks for: its QPs count nothing, and allow no address. */
static int
raw_init(struct data_end *e, bool atomic)
{
	uint8_t in[272] = { 0x07, 0x71 }, out[16];
	uint8_t *qpc = in + 24;

	TEST_EXPECT(bf_func_exec(e->func, in, 16, out, sizeof(out)), 0);
	e->counter = out[11];
	TEST_TRUE(e->counter != 0);
	memset(in, 0, sizeof(in));
	in[0] = 0x05; /* RST2INIT_QP */
	in[1] = 0x02;
	put32(in + 8, e->qp.obj.id);
	qpc[2] = 3 << 3; /* migrated */
	qpc[12] = e->counter;
	qpc[61] = 1;     /* port */
	qpc[145] = atomic;
	qpc[146] = atomic ? 0xe0 : 0xc0; /* read, write, atomic operations */
	TEST_EXPECT(bf_func_exec(e->func, in, sizeof(in), out, sizeof(out)), 0);
	return TEST_SUCCESS;
}

long
data_count(struct data_end *e, unsigned int place)
{
	uint8_t in[32] = { 0x07, 0x73 }, out[256];

	in[31] = e->counter;
	return bf_func_exec(e->func, in, sizeof(in), out, sizeof(out)) == 0 ?
		(long)get32(out + place) : -1;
}

long
data_port_count(struct data_end *e, unsigned int place)
{
	uint8_t in[32] = { 0x07, 0x70 }, out[528];

	return bf_func_exec(e->func, in, sizeof(in), out, sizeof(out)) == 0 ?
		(long)get32(out + place + 4) : -1;
}

int
data_end_make(struct data_end *e, const struct data_conf *conf)
{
	const struct bf_cq_attr cq = {
		.nb_cqes = conf->nb_cqes != 0 ? conf->nb_cqes : DATA_CQES, .uar = &e->uar,
	};
	const struct bf_srq_attr srq = {
		.pd = &e->pd, .nb_wqes = DATA_QUEUE, .wqe_size = BLOCK,
	};
	struct bf_mkey_attr mkey = {
		.pd = &e->pd, .len = DATA_MEM, .local_write = true, .remote_read = true,
		.remote_write = true,
	};
	const struct bf_qp_attr qp = {
		.service = conf->service, .pd = &e->pd, .uar = &e->uar, .cq_send = &e->send_cq,
		.cq_recv = &e->recv_cq, .nb_sq_blocks = DATA_QUEUE,
		.nb_rq_wqes = conf->srq ? 0 : DATA_QUEUE, .rq_wqe_size = BLOCK,
		.srq = conf->srq ? &e->srq : NULL,
		.user_index = conf->user_index != 0 ? conf->user_index : UINT32_MAX,
		.qkey = DATA_QKEY,
	};

	e->sq_pi = e->rq_pi = e->srq_pi = e->srq_head = 0;
	e->send_ci = e->recv_ci = 0;
	TEST_CALL(obj_addr_use(e->dev, &e->addr, &e->addr_index));
	TEST_EXPECT(bf_pd_create(e->dev, &e->pd), 0);
	TEST_EXPECT(bf_uar_create(e->dev, &e->uar), 0);
	TEST_EXPECT(bf_cq_create(e->dev, &cq, &e->send_cq), 0);
	TEST_EXPECT(bf_cq_create(e->dev, &cq, &e->recv_cq), 0);
	TEST_EXPECT(bf_mem_alloc(e->dev, DATA_MEM, &e->mem), 0);
	e->bytes = e->mem->addr;
	mkey.mem = e->mem;
	mkey.addr = e->bytes;
	TEST_EXPECT(bf_mkey_create(e->dev, &mkey, &e->mkey), 0);
	if (conf->srq)
		TEST_EXPECT(bf_srq_create(e->dev, &srq, &e->srq), 0);
	TEST_EXPECT(bf_qp_create(e->dev, &qp, &e->qp), 0);
	if (conf->raw)
		return raw_init(e, conf->atomic);
	TEST_EXPECT(bf_qp_to_init(&e->qp), 0);
	return TEST_SUCCESS;
}

int
data_connect(struct data_end *e, const struct data_end *peer, const struct data_conf *conf)
{
	struct bf_qp_path path = {
		.remote_qpn = peer->qp.obj.id, .remote_psn = 0xfffffe, .local_psn = 0xfffffe,
		.mtu = conf->mtu != 0 ? conf->mtu : 3, .min_rnr_nak = 12,
		.loopback = conf->loopback,
		.src_addr_index = e->addr_index, .hop_limit = 64, .udp_sport = 0xc000,
		.ack_timeout = conf->ack_timeout != 0 ? conf->ack_timeout : 12,
		.retry_count = conf->retry_count != 0 ? conf->retry_count : 1,
		.rnr_retry = conf->rnr_retry != 0 ? conf->rnr_retry - 1 : 7,
	};

	memcpy(path.rgid, peer->addr.gid, sizeof(path.rgid));
	memcpy(path.rmac, peer->addr.mac, sizeof(path.rmac));
	TEST_EXPECT(bf_qp_to_rtr(&e->qp, conf->service == BF_QP_RC ? &path : NULL), 0);
	TEST_EXPECT(bf_qp_to_rts(&e->qp, &path), 0);
	return TEST_SUCCESS;
}

int
data_pair(const struct data_conf *conf)
{
	if (conf->loopback) {
		end_down(&data_b);
		data_b.func = data_a.func;
		data_b.dev = data_a.dev;
	} else {
		TEST_EXPECT(test_model_allow(&model, "pf0vf0", "ecpf0vf0"), 0);
	}
	TEST_CALL(data_end_make(&data_a, conf));
	TEST_CALL(data_end_make(&data_b, conf));
	TEST_CALL(data_connect(&data_b, &data_a, conf));
	return data_connect(&data_a, &data_b, conf);
}

/*
 * Requests
 */

void
data_seg(uint8_t *seg, uint32_t len, uint32_t key, uint64_t addr)
{
	put32(seg, len);
	put32(seg + 4, key);
	put32(seg + 8, (uint32_t)(addr >> 32));
	put32(seg + 12, (uint32_t)addr);
}

void
data_ring(struct data_end *e)
{
	const uint8_t *last = (const uint8_t *)e->qp.sq +
		e->sq_last % DATA_QUEUE * BLOCK;
	rte_be64_t doorbell;

	rte_io_wmb();
	e->qp.dbr[1] = rte_cpu_to_be_32(e->sq_pi);
	rte_wmb();
	memcpy(&doorbell, last, sizeof(doorbell));
	bf_wq_doorbell(&e->uar, 0x800, doorbell);
}

void
data_send_raw(struct data_end *e, uint8_t opcode, const void *segs, uint32_t nb, uint32_t flags)
{
	uint32_t bytes = (1 + nb) * UNIT, i, off;
	uint8_t wqe[1024] = { 0 };

	put32(wqe, (uint32_t)e->sq_pi << 8 | opcode);
	put32(wqe + 4, e->qp.obj.id << 8 | (1 + nb));
	wqe[11] = ((flags & F_QUIET) != 0 ? 0 : 8) | ((flags & F_SOLICITED) != 0 ? 2 : 0);
	put32(wqe + 12, 0xabcd0000u | e->sq_pi);
	memcpy(wqe + UNIT, segs, nb * UNIT);
	/* the doorbell has the first bytes of the last request */
	e->sq_last = e->sq_pi;
	for (i = 0; i < bytes; i += BLOCK) {
		off = e->sq_pi % DATA_QUEUE * BLOCK;
		memcpy((uint8_t *)e->qp.sq + off, wqe + i, BLOCK);
		e->sq_pi++;
	}
	if ((flags & F_NO_DOORBELL) == 0)
		data_ring(e);
}

void
data_send(struct data_end *e, uint8_t opcode, uint32_t off, uint32_t len, uint32_t flags)
{
	uint8_t seg[UNIT];

	data_seg(seg, len, e->mkey.key, (uintptr_t)e->bytes + off);
	data_send_raw(e, opcode, seg, len != 0, flags);
}

void
data_recv_raw(struct data_end *e, const void *segs, uint32_t nb)
{
	bool shared = e->qp.rq == NULL;
	uint8_t wqe[BLOCK] = { 0 }, *at = wqe, *slot;
	uint32_t room = BLOCK / UNIT;

	if (shared) {
		slot = (uint8_t *)e->srq.ring + e->srq_head * BLOCK;
		memcpy(wqe, slot, UNIT);
		at += UNIT;
		room--;
		e->srq_head = (uint16_t)(wqe[2] << 8 | wqe[3]);
	} else {
		slot = (uint8_t *)e->qp.rq + e->rq_pi % DATA_QUEUE * BLOCK;
	}
	memcpy(at, segs, nb * UNIT);
	if (nb < room)
		data_seg(at + nb * UNIT, 0, LKEY_NONE, 0);
	memcpy(slot, wqe, BLOCK);
	rte_io_wmb();
	if (shared)
		e->srq.dbr[0] = rte_cpu_to_be_32(++e->srq_pi);
	else
		e->qp.dbr[0] = rte_cpu_to_be_32(++e->rq_pi);
}

void
data_recv(struct data_end *e, uint32_t off, uint32_t len)
{
	uint8_t seg[UNIT];

	data_seg(seg, len, e->mkey.key, (uintptr_t)e->bytes + off);
	data_recv_raw(e, seg, 1);
}

/*
 * Completions
 */

bool
data_poll(struct bf_cq *cq, uint32_t *ci, struct data_cqe *cqe)
{
	const uint8_t *p = (const uint8_t *)cq->ring + *ci % cq->nb_cqes * BLOCK;
	uint8_t own = __atomic_load_n(&p[63], __ATOMIC_ACQUIRE);

	if (own >> 4 == 0xf || (own & 1) != (*ci / cq->nb_cqes & 1))
		return false;
	memset(cqe, 0, sizeof(*cqe));
	cqe->opcode = own >> 4;
	cqe->solicited = (own & 2) != 0;
	cqe->syndrome = cqe->opcode >= 13 ? p[55] : 0;
	cqe->send_opcode = p[56];
	cqe->qpn = get32(p + 56) & 0xffffff;
	cqe->counter = (uint16_t)(p[60] << 8 | p[61]);
	cqe->bytes = get32(p + 44);
	cqe->imm = get32(p + 36);
	cqe->user = get32(p + 32) & 0xffffff;
	cqe->flags_rqpn = get32(p + 24);
	(*ci)++;
	cq->dbr[0] = rte_cpu_to_be_32(*ci & 0xffffff);
	return true;
}

int
data_sent(struct data_end *e, struct data_cqe *cqe)
{
	TEST_WAIT(data_poll(&e->send_cq, &e->send_ci, cqe), TEST_MS);
	return TEST_SUCCESS;
}

int
data_received(struct data_end *e, struct data_cqe *cqe)
{
	TEST_WAIT(data_poll(&e->recv_cq, &e->recv_ci, cqe), TEST_MS);
	return TEST_SUCCESS;
}

int
data_sent_bad(struct data_end *e, uint8_t syndrome)
{
	struct data_cqe cqe;

	TEST_CALL(data_sent(e, &cqe));
	TEST_EXPECT(cqe.opcode, 13);
	TEST_EXPECT(cqe.syndrome, syndrome);
	return TEST_SUCCESS;
}

int
data_received_bad(struct data_end *e, uint8_t syndrome)
{
	struct data_cqe cqe;

	TEST_CALL(data_received(e, &cqe));
	TEST_EXPECT(cqe.opcode, 14);
	TEST_EXPECT(cqe.syndrome, syndrome);
	return TEST_SUCCESS;
}

int
data_quiet(struct data_end *e)
{
	struct data_cqe cqe;

	usleep(QUIET_MS * 1000);
	TEST_TRUE(!data_poll(&e->send_cq, &e->send_ci, &cqe));
	TEST_TRUE(!data_poll(&e->recv_cq, &e->recv_ci, &cqe));
	return TEST_SUCCESS;
}

enum bf_qp_state
data_state(struct data_end *e)
{
	struct obj_qp_info info = { .state = BF_QP_RESET };

	return obj_qp_query(&e->qp, &info) == 0 ? info.state : BF_QP_RESET;
}
