/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients of functions of the software BlueField that speak to whom they like. The
 * layers that they use have no public interface: the program calls them directly,
 * where it is linked with the archive of the driver.
 */

#include "test_bluefield_obj.h"
#include "test_bluefield_station.h"

#define MESSAGE 32
#define MEM_SIZE (2 * STATION_ENTRIES * STATION_ENTRY + MESSAGE)
#define PSN 0x123
#define MTU_1024 3
#define HOP_LIMIT 64
#define UDP_SPORT 0xc123
#define MIN_RNR_NAK 1    /* 10 us */
#define ACK_TIMEOUT 12   /* 17 ms */
#define RETRY_COUNT 2

/* The buffers of the connected queue pair are before those of the other. */
static int
qp_open(struct station *s, struct station_qp *q, enum bf_qp_service service)
{
	const struct bf_cq_attr cq_attr = {
		.nb_cqes = 4 * STATION_ENTRIES,
		.uar = &s->uar,
	};
	const struct bf_qp_attr attr = {
		.service = service,
		.pd = &s->pd,
		.uar = &s->uar,
		.cq_send = &q->cq,
		.cq_recv = &q->cq,
		.nb_sq_blocks = 4 * STATION_ENTRIES,
		.nb_rq_wqes = STATION_ENTRIES,
		.rq_wqe_size = 16,
		.user_index = 0xffffff,
		.qkey = STATION_QKEY,
	};

	TEST_EXPECT(bf_cq_create(s->dev, &cq_attr, &q->cq), 0);
	TEST_EXPECT(bf_qp_create(s->dev, &attr, &q->qp), 0);
	TEST_EXPECT(bf_compq_init(&q->done, &q->cq, &s->uar), 0);
	return TEST_SUCCESS;
}

static void
qp_close(struct station_qp *q)
{
	if (q->qp.obj.dev != NULL)
		bf_qp_destroy(&q->qp);
	if (q->cq.obj.dev != NULL)
		bf_cq_destroy(&q->cq);
	bf_sendq_fini(&q->sq);
	memset(q, 0, sizeof(*q));
}

/* Queues of a queue pair that is in state INIT, with all receive buffers posted. */
static int
qp_begin(struct station *s, struct station_qp *q)
{
	struct bf_sge sge = { .len = STATION_ENTRY, .lkey = s->mkey.key };
	unsigned int i;

	bf_sendq_fini(&q->sq);
	TEST_EXPECT(bf_sendq_init(&q->sq, &q->qp, &s->uar), 0);
	TEST_EXPECT(bf_recvq_init(&q->rq, &q->qp), 0);
	for (i = 0; i < STATION_ENTRIES; i++) {
		sge.addr = (uintptr_t)s->mem->addr +
			(i + (q == &s->ud ? STATION_ENTRIES : 0)) * STATION_ENTRY;
		TEST_EXPECT(bf_recvq_post(&q->rq, &sge, 1), (int)i);
	}
	bf_recvq_ring(&q->rq);
	q->sent = q->failed = q->received = 0;
	return TEST_SUCCESS;
}

static int
ud_begin(struct station *s)
{
	TEST_EXPECT(bf_qp_to_init(&s->ud.qp), 0);
	TEST_CALL(qp_begin(s, &s->ud));
	TEST_EXPECT(bf_qp_to_rtr(&s->ud.qp, NULL), 0);
	TEST_EXPECT(bf_qp_to_rts(&s->ud.qp, NULL), 0);
	return TEST_SUCCESS;
}

int
station_open(struct station *s, const char *function)
{
	struct bf_mkey_attr mkey_attr = { .local_write = true };
	struct bf_func_conf conf;

	memset(s, 0, sizeof(*s));
	snprintf(s->name, sizeof(s->name), "%s", function);
	bf_func_conf_init(&conf);
	TEST_CALL(obj_func_open(function, &conf, &s->func, &s->dev));
	TEST_CALL(obj_addr_use(s->dev, &s->addr, &s->addr_index));
	TEST_EXPECT(bf_pd_create(s->dev, &s->pd), 0);
	TEST_EXPECT(bf_uar_create(s->dev, &s->uar), 0);
	TEST_EXPECT(bf_mem_alloc(s->dev, MEM_SIZE, &s->mem), 0);
	mkey_attr.pd = &s->pd;
	mkey_attr.mem = s->mem;
	mkey_attr.addr = s->mem->addr;
	mkey_attr.len = MEM_SIZE;
	TEST_EXPECT(bf_mkey_create(s->dev, &mkey_attr, &s->mkey), 0);
	TEST_CALL(qp_open(s, &s->rc, BF_QP_RC));
	TEST_CALL(qp_open(s, &s->ud, BF_QP_UD));
	return ud_begin(s);
}

void
station_close(struct station *s)
{
	qp_close(&s->rc);
	qp_close(&s->ud);
	if (s->mkey.obj.dev != NULL && bf_mkey_destroy(&s->mkey) != 0)
		test_fail("%s: a key cannot be destroyed", s->name);
	if (bf_mem_free(s->mem) != 0)
		test_fail("%s: memory cannot be freed", s->name);
	if (s->uar.obj.dev != NULL)
		bf_uar_destroy(&s->uar);
	if (s->pd.obj.dev != NULL)
		bf_pd_destroy(&s->pd);
	bf_fw_close(s->dev);
	bf_func_destroy(s->func);
	memset(s, 0, sizeof(*s));
}

int
station_forge(struct station *s, const struct bf_roce_addr *addr)
{
	s->addr = *addr;
	TEST_EXPECT(bf_roce_addr_set(s->dev, s->addr_index, addr), 0);
	return TEST_SUCCESS;
}

static int
poll_qp(struct station_qp *q)
{
	const struct bf_cqe *cqe;
	uint16_t index;

	while ((cqe = bf_compq_next(&q->done)) != NULL) {
		index = bf_cqe_wqe_counter(cqe);
		switch (bf_cqe_opcode(cqe)) {
		case BF_CQE_REQ:
			TEST_EXPECT(bf_sendq_done(&q->sq, index), 0);
			q->sent++;
			break;
		case BF_CQE_REQ_ERR:
			q->failed++;
			q->syndrome = bf_cqe_syndrome(cqe);
			break;
		case BF_CQE_RESP_SEND:
			TEST_EXPECT(bf_recvq_done(&q->rq, index), 0);
			q->received++;
			break;
		case BF_CQE_RESP_ERR:
			break;
		default:
			TEST_ASSERT(false, "completion %u", bf_cqe_opcode(cqe));
		}
	}
	bf_compq_commit(&q->done);
	return TEST_SUCCESS;
}

int
station_connect(struct station *s, const struct bf_roce_addr *addr, uint32_t qpn, uint32_t psn)
{
	struct bf_qp_path path = {
		.remote_qpn = qpn,
		.remote_psn = PSN,
		.local_psn = psn,
		.mtu = MTU_1024,
		.min_rnr_nak = MIN_RNR_NAK,
		.src_addr_index = s->addr_index,
		.hop_limit = HOP_LIMIT,
		.udp_sport = UDP_SPORT,
		.ack_timeout = ACK_TIMEOUT,
		.retry_count = RETRY_COUNT,
		.rnr_retry = RETRY_COUNT,
	};

	memcpy(path.rgid, addr->gid, sizeof(path.rgid));
	memcpy(path.rmac, addr->mac, sizeof(path.rmac));
	/* what is left of an earlier life */
	TEST_CALL(poll_qp(&s->rc));
	TEST_EXPECT(bf_qp_to_reset(&s->rc.qp), 0);
	TEST_EXPECT(bf_qp_to_init(&s->rc.qp), 0);
	TEST_CALL(qp_begin(s, &s->rc));
	TEST_EXPECT(bf_qp_to_rtr(&s->rc.qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&s->rc.qp, &path), 0);
	return TEST_SUCCESS;
}

int
station_pair(struct station *a, struct station *b)
{
	TEST_CALL(station_connect(a, &b->addr, b->rc.qp.obj.id, PSN));
	return station_connect(b, &a->addr, a->rc.qp.obj.id, PSN);
}

static int
post(struct station *s, struct station_qp *q, const struct bf_wqe_av *av)
{
	const struct bf_send_wr wr = {
		.nb_sges = 1,
		.sges = {{
			.addr = (uintptr_t)s->mem->addr + MEM_SIZE - MESSAGE,
			.len = MESSAGE,
			.lkey = s->mkey.key,
		}},
		.av = av,
		.opcode = BF_WQE_SEND,
		.signalled = true,
	};

	TEST_TRUE(bf_sendq_send(&q->sq, &wr) >= 0);
	bf_sendq_ring(&q->sq);
	return TEST_SUCCESS;
}

int
station_send(struct station *s)
{
	return post(s, &s->rc, NULL);
}

int
station_datagram(struct station *s, const struct bf_roce_addr *addr, uint32_t qpn)
{
	struct bf_ud_dest dest = {
		.qpn = qpn,
		.qkey = STATION_QKEY,
		.src_addr_index = s->addr_index,
		.hop_limit = HOP_LIMIT,
		.udp_sport = UDP_SPORT,
	};
	struct bf_wqe_av av;

	memcpy(dest.mac, addr->mac, sizeof(dest.mac));
	memcpy(dest.gid, addr->gid, sizeof(dest.gid));
	bf_av_fill(&av, &dest);
	return post(s, &s->ud, &av);
}

int
station_poll(struct station *s)
{
	TEST_CALL(poll_qp(&s->rc));
	return poll_qp(&s->ud);
}
