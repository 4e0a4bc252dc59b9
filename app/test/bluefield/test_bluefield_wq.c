/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queues of the bluefield driver in plain memory, against a device that is a few
 * functions (test_bluefield_wq_dev.c): what is posted is what the device reads, over many
 * laps; what it completes is what the driver sees; and nothing that it writes leads
 * outside. The order of stores is in test_bluefield_wq_order.c.
 */

#include <rte_random.h>

#include "bluefield_wq_fast.h"
#include "test_bluefield_wq_dev.h"

#define LAPS_OF_16_BITS 70000

static struct wq_dev dev;
static struct bf_sendq sq;
static struct bf_recvq rq;
static struct bf_sharedq shared;
static struct bf_compq cq;
static struct wq_req req;
static uint8_t bytes[1024];

static int
setup(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(bytes); i++)
		bytes[i] = i * 7 + 1;
	wq_dev_init(&dev, 64, 32, 64, 64);
	TEST_EXPECT(bf_sendq_init(&sq, &dev.qp, &dev.uar), 0);
	TEST_EXPECT(bf_recvq_init(&rq, &dev.qp), 0);
	TEST_EXPECT(bf_compq_init(&cq, &dev.cq, &dev.uar), 0);
	wq_dev_init_srq(&dev, 64, bf_post_wqe_size(0));
	TEST_EXPECT(bf_sharedq_init(&shared, &dev.srq), 0);
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	bf_sendq_fini(&sq);
	bf_sharedq_fini(&shared);
}

/* Queues of other sizes. */
static int
resize(uint32_t sq_blocks, uint32_t rq_wqes, uint32_t rq_wqe_size, uint32_t cqes)
{
	bf_sendq_fini(&sq);
	wq_dev_init(&dev, sq_blocks, rq_wqes, rq_wqe_size, cqes);
	TEST_EXPECT(bf_sendq_init(&sq, &dev.qp, &dev.uar), 0);
	TEST_EXPECT(bf_recvq_init(&rq, &dev.qp), 0);
	TEST_EXPECT(bf_compq_init(&cq, &dev.cq, &dev.uar), 0);
	return TEST_SUCCESS;
}

/*
 * Send queue
 */

/* Pieces of memory that are told apart by all their fields. */
static void
fill_sges(struct bf_sge *sges, uint32_t nb, uint32_t tag)
{
	uint32_t i;

	for (i = 0; i < nb; i++)
		sges[i] = (struct bf_sge){
			.addr = UINT64_C(0x123456789a000000) + tag * 256 + i,
			.len = 0x10000 + tag + i, .lkey = 0xabcd0000 + i,
		};
}

/* What the device took is what was sent. */
static int
expect_req(const struct bf_send_wr *wr, uint16_t index)
{
	uint32_t i, n = 0;

	TEST_CALL(wq_dev_send(&dev, wr->av != NULL, &req));
	TEST_EXPECT(req.index, index);
	TEST_EXPECT(req.opcode, wr->opcode);
	TEST_EXPECT(req.flags, (wr->signalled ? 8 : 0) + (wr->solicited ? 2 : 0));
	TEST_EXPECT(req.imm, wr->opcode == BF_WQE_SEND_IMM ? wr->imm : 0);
	TEST_EXPECT(req.has_av, wr->av != NULL);
	if (wr->av != NULL)
		TEST_EXPECT(memcmp(req.av, wr->av, 48), 0);
	TEST_EXPECT(req.has_inl, wr->inl_len != 0);
	TEST_EXPECT(req.inl_len, wr->inl_len);
	if (wr->inl_len != 0)
		TEST_EXPECT(memcmp(req.inl, wr->inl, wr->inl_len), 0);
	for (i = 0; i < wr->nb_sges; i++) {
		if (wr->sges[i].len == 0)
			continue;
		TEST_EXPECT(memcmp(&req.sges[n], &wr->sges[i], sizeof(wr->sges[i])), 0);
		n++;
	}
	TEST_EXPECT(req.nb_sges, n);
	return TEST_SUCCESS;
}

/* One message from the call to its end. */
static int
send_one(const struct bf_send_wr *wr)
{
	uint32_t room = bf_sendq_room(&sq), blocks = (bf_send_wr_segs(wr) + 3) / 4;
	uint32_t doorbells = dev.nb_doorbells;
	int index = bf_sendq_send(&sq, wr);

	TEST_TRUE(index >= 0 && index <= UINT16_MAX);
	TEST_EXPECT(bf_sendq_room(&sq), room - blocks);
	/* nothing is seen before the doorbell */
	TEST_EXPECT(wq_dev_sends(&dev), 0);
	bf_sendq_ring(&sq);
	TEST_EXPECT(dev.nb_doorbells, doorbells + 1);
	TEST_EXPECT(dev.doorbell_off, 0x800);
	TEST_EXPECT(dev.doorbell >> 32, (uint32_t)index << 8 | wr->opcode);
	TEST_EXPECT(dev.doorbell & UINT32_MAX, WQ_QPN << 8 | bf_send_wr_segs(wr));
	TEST_EXPECT(wq_dev_sends(&dev), blocks);
	TEST_CALL(expect_req(wr, index));
	TEST_EXPECT(wq_dev_sends(&dev), 0);
	TEST_EXPECT(bf_sendq_done(&sq, index), 0);
	TEST_EXPECT(bf_sendq_room(&sq), room);
	return TEST_SUCCESS;
}

static int
test_send_forms(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = bytes };
	const struct bf_ud_dest dest = { .qpn = 1, .qkey = 0x80010000 };
	static const uint32_t lens[] = { 0, 1, 11, 12, 13, 28, 29, 32, 300, 700 };
	struct bf_wqe_av av;
	uint32_t i, nb;

	bf_av_fill(&av, &dest);
	for (i = 0; i < RTE_DIM(lens); i++) {
		wr.inl_len = lens[i];
		for (nb = 0; nb <= BF_MAX_SGES; nb++) {
			wr.nb_sges = nb;
			fill_sges(wr.sges, nb, i);
			wr.imm = 0x89abcdef + i;
			wr.opcode = i % 2 != 0 ? BF_WQE_SEND_IMM : BF_WQE_SEND;
			wr.signalled = i % 3 == 0;
			wr.solicited = nb % 2 == 0;
			wr.av = nb == 3 ? &av : NULL;
			TEST_CALL(send_one(&wr));
			/* nothing in one of them */
			if (nb > 1)
				wr.sges[nb / 2].len = 0;
			TEST_CALL(send_one(&wr));
		}
	}
	return wq_dev_passed(&dev);
}

/* Requests of every length start on every block, and inline data goes over the end. */
static int
test_send_wrap(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = bytes, .nb_sges = 1 };
	uint32_t len, i, over = 0;

	TEST_CALL(resize(16, 32, 64, 64));
	fill_sges(wr.sges, 1, 1);
	for (len = 1; len < 900; len += 29)
		for (i = 0; i < 17; i++) {
			wr.inl = bytes + i;
			wr.inl_len = len;
			over += (sq.pi & 15) + (bf_send_wr_segs(&wr) + 3) / 4 > 16;
			TEST_CALL(send_one(&wr));
			/* to another start */
			wr.inl_len = 0;
			TEST_CALL(send_one(&wr));
		}
	TEST_TRUE(over > 100);
	/* until the index starts anew, twice */
	wr.inl_len = 100;
	for (i = 0; i < LAPS_OF_16_BITS; i++)
		TEST_CALL(send_one(&wr));
	return wq_dev_passed(&dev);
}

static int
test_send_full(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = bytes, .inl_len = 60 };
	uint32_t i, lap;
	int index;

	for (lap = 0; lap < 5; lap++) {
		/* two blocks each */
		for (i = 0; i < 32; i++)
			TEST_EXPECT(bf_sendq_send(&sq, &wr), lap * 64 + 2 * i);
		TEST_EXPECT(bf_sendq_room(&sq), 0);
		TEST_EXPECT(bf_sendq_send(&sq, &wr), -ENOSPC);
		/* a burst has one doorbell, and a doorbell without a burst none */
		bf_sendq_ring(&sq);
		bf_sendq_ring(&sq);
		TEST_EXPECT(dev.nb_doorbells, 2 * lap + 1);
		TEST_EXPECT(dev.doorbell >> 40, lap * 64 + 62);
		/* but one that may have got lost is rung once more */
		bf_sendq_ring_again(&sq);
		TEST_EXPECT(dev.nb_doorbells, 2 * lap + 2);
		TEST_EXPECT(dev.doorbell >> 40, lap * 64 + 62);
		for (i = 0; i < 32; i++)
			TEST_CALL(expect_req(&wr, lap * 64 + 2 * i));
		/* one is done, and then one fits */
		TEST_EXPECT(bf_sendq_done(&sq, lap * 64), 0);
		TEST_EXPECT(bf_sendq_room(&sq), 2);
		/* all that came before is done with the last */
		TEST_EXPECT(bf_sendq_done(&sq, lap * 64 + 62), 0);
		TEST_EXPECT(bf_sendq_room(&sq), 64);
		bf_sendq_ring_again(&sq);
		TEST_EXPECT(dev.nb_doorbells, 2 * lap + 2);
	}
	wr.inl_len = 63 * 16 - 16 - 4;
	index = bf_sendq_send(&sq, &wr);
	TEST_EXPECT(bf_send_wr_segs(&wr), 63);
	TEST_TRUE(index >= 0);
	wr.inl_len++;
	TEST_EXPECT(bf_sendq_send(&sq, &wr), -EINVAL);
	wr.inl_len = UINT32_MAX;
	TEST_EXPECT(bf_sendq_send(&sq, &wr), -EINVAL);
	wr.inl_len = 0;
	wr.nb_sges = BF_MAX_SGES + 1;
	TEST_EXPECT(bf_sendq_send(&sq, &wr), -EINVAL);
	/* longer than the whole queue: no room will ever do */
	TEST_CALL(resize(1, 4, 16, 1));
	wr.nb_sges = 0;
	wr.inl_len = 45;
	TEST_EXPECT(bf_sendq_send(&sq, &wr), -EINVAL);
	wr.inl_len = 44;
	TEST_CALL(send_one(&wr));
	return wq_dev_passed(&dev);
}

/* Completions of what is not posted. */
static int
test_send_done_hostile(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = bytes, .inl_len = 60 };
	uint32_t i, n = 0, taken = 0;
	int index = 0;

	for (i = 0; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_sendq_done(&sq, i), -EPROTO);
	for (i = 0; i < 10; i++)
		index = bf_sendq_send(&sq, &wr);
	/* the second block of a request is none */
	for (i = 0; i <= UINT16_MAX; i++)
		if (i >= 20 || i % 2 != 0)
			TEST_EXPECT(bf_sendq_done(&sq, i), -EPROTO);
	TEST_EXPECT(bf_sendq_room(&sq), 44);
	TEST_EXPECT(bf_sendq_done(&sq, index), 0);
	TEST_EXPECT(bf_sendq_done(&sq, index), -EPROTO);
	for (i = 0; i < LAPS_OF_16_BITS; i++) {
		wr.inl_len = rte_rand_max(200);
		if (bf_sendq_send(&sq, &wr) >= 0)
			n++;
		/* near what is posted, on either side of it */
		index = sq.ci - 8 + rte_rand_max(80);
		taken += bf_sendq_done(&sq, index) == 0;
		TEST_TRUE(bf_sendq_room(&sq) <= 64);
	}
	TEST_TRUE(n > 1000 && taken > 100);
	return wq_dev_passed(&dev);
}

static int
test_address(void)
{
	const struct bf_ud_dest dest = {
		.qpn = 0x123456, .qkey = 0x80010000, .mac = { 2, 1, 2, 3, 4, 5 },
		.gid = { 0xfe, 0x80, [15] = 9 }, .src_addr_index = 0xa5, .hop_limit = 64,
		.tclass = 0x2e, .sl = 3, .udp_sport = 0xc123, .flow_label = 0x54321,
	};
	static const uint8_t want[48] = {
		0x80, 1, 0, 0, 0, 0, 0, 0, 0x80, 0x12, 0x34, 0x56, 6, 0, 0xc1, 0x23,
		0, 0, 0, 0, 2, 1, 2, 3, 4, 5, 0x2e, 64, 0x4a, 0x55, 0x43, 0x21,
		0xfe, 0x80, [47] = 9,
	};
	struct bf_wqe_av av;

	bf_av_fill(&av, &dest);
	TEST_EXPECT(memcmp(&av, want, sizeof(want)), 0);
	return TEST_SUCCESS;
}

/*
 * Receive queues
 */

static int
expect_sges(const struct bf_sge *sges, uint32_t nb)
{
	TEST_EXPECT(req.nb_sges, nb);
	TEST_EXPECT(memcmp(req.sges, sges, nb * sizeof(*sges)), 0);
	return TEST_SUCCESS;
}

static int
test_recv(void)
{
	struct bf_sge sges[5];
	uint32_t i, k;

	fill_sges(sges, 5, 1);
	TEST_EXPECT(bf_recvq_post(&rq, sges, 5), -EINVAL);
	TEST_EXPECT(bf_recvq_done(&rq, 0), -EPROTO);
	for (i = 0; i < LAPS_OF_16_BITS; i += 32) {
		for (k = 0; k < 32; k++) {
			fill_sges(sges, 5, i + k);
			TEST_EXPECT(bf_recvq_room(&rq), 32 - k);
			TEST_EXPECT(bf_recvq_post(&rq, sges, (i + k) % 5), (i + k) & 0xffff);
		}
		TEST_EXPECT(bf_recvq_post(&rq, sges, 1), -ENOSPC);
		TEST_EXPECT(wq_dev_recvs(&dev), 0);
		bf_recvq_ring(&rq);
		TEST_EXPECT(wq_dev_recvs(&dev), 32);
		for (k = 0; k < 32; k++) {
			fill_sges(sges, 5, i + k);
			TEST_CALL(wq_dev_recv(&dev, &req));
			TEST_CALL(expect_sges(sges, (i + k) % 5));
			/* in order, or not at all */
			TEST_EXPECT(bf_recvq_done(&rq, i + k + 1), -EPROTO);
			TEST_EXPECT(bf_recvq_done(&rq, i + k - 1), -EPROTO);
			/* of the entry, or of all that were posted: devices differ */
			TEST_EXPECT(bf_recvq_done(&rq, k % 2 == 0 ? i + k : k), 0);
		}
		TEST_EXPECT(bf_recvq_done(&rq, i + 32), -EPROTO);
	}
	TEST_EXPECT(dev.nb_doorbells, 0);
	return wq_dev_passed(&dev);
}

/* A piece of no length would be 2 GiB for the device. */
static int
test_recv_empty_piece(void)
{
	struct bf_sge sges[4], want[3];

	fill_sges(sges, 4, 1);
	want[0] = sges[0];
	want[1] = sges[2];
	want[2] = sges[3];
	sges[1].len = 0;
	TEST_EXPECT(bf_recvq_post(&rq, sges, 4), 0);
	bf_recvq_ring(&rq);
	TEST_CALL(wq_dev_recv(&dev, &req));
	TEST_CALL(expect_sges(want, 3));
	return wq_dev_passed(&dev);
}

static uint32_t
shared_post(const struct bf_sge *sge)
{
	struct bf_post_row row = bf_post_row_begin(&shared);
	uint32_t index;

	index = bf_post_row_put(&row, sge->addr, bf_key_len(sge->lkey, sge->len), false);
	bf_post_row_end(&row, &shared, 1);
	return index;
}

static int
test_shared_order(void)
{
	uint32_t tags[64], i, k, n, nb = 0, posted = 0, index;
	uint16_t taken[64];
	struct bf_sge sge;

	for (i = 0; i < LAPS_OF_16_BITS; i++) {
		for (n = rte_rand_max(64); n > 0 && shared.nb_free != 0; n--) {
			fill_sges(&sge, 1, posted);
			index = shared_post(&sge);
			TEST_TRUE(index < 64);
			tags[index] = posted++;
		}
		bf_sharedq_ring(&shared);
		/* the device takes some, and completes some of them, in any order */
		for (n = rte_rand_max(64); n > 0 && wq_dev_shared(&dev) != 0; n--) {
			TEST_CALL(wq_dev_take(&dev, &req));
			fill_sges(&sge, 1, tags[req.index]);
			TEST_CALL(expect_sges(&sge, 1));
			taken[nb++] = req.index;
		}
		for (n = rte_rand_max(64); n > 0 && nb != 0; n--) {
			k = rte_rand_max(nb);
			TEST_EXPECT(bf_sharedq_free(&shared, taken[k]), 0);
			TEST_EXPECT(bf_sharedq_free(&shared, taken[k]), -EPROTO);
			taken[k] = taken[--nb];
		}
		TEST_EXPECT(shared.nb_free, 63 - nb - wq_dev_shared(&dev));
	}
	TEST_TRUE(posted > 200000);
	TEST_EXPECT(dev.nb_doorbells, 0);
	return wq_dev_passed(&dev);
}

static int
test_shared_full(void)
{
	static uint32_t posted[UINT16_MAX + 1];
	uint32_t *link = shared.link;
	struct bf_sge sge;
	uint32_t i;

	/* whatever is behind the state of its entries, there are no more of them */
	for (i = 0; i <= UINT16_MAX; i++)
		posted[i] = BF_SHAREDQ_POSTED;
	shared.link = posted;
	for (i = 64; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_sharedq_free(&shared, i), -EPROTO);
	shared.link = link;
	fill_sges(&sge, 1, 1);
	for (i = 0; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_sharedq_free(&shared, i), -EPROTO);
	for (i = 0; i < 63; i++)
		TEST_EXPECT(shared_post(&sge), i);
	TEST_EXPECT(shared.nb_free, 0);
	for (i = 63; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_sharedq_free(&shared, i), -EPROTO);
	bf_sharedq_ring(&shared);
	for (i = 0; i < 63; i++) {
		TEST_CALL(wq_dev_take(&dev, &req));
		TEST_CALL(expect_sges(&sge, 1));
		TEST_EXPECT(req.index, i);
	}
	TEST_EXPECT(bf_sharedq_free(&shared, 17), 0);
	/* the last free one is behind it now */
	TEST_EXPECT(shared_post(&sge), 63);
	TEST_EXPECT(shared.nb_free, 0);
	bf_sharedq_ring(&shared);
	TEST_CALL(wq_dev_take(&dev, &req));
	TEST_EXPECT(req.index, 63);
	TEST_CALL(expect_sges(&sge, 1));
	return wq_dev_passed(&dev);
}

/*
 * Completions
 */

static int
comp_laps(uint32_t size, uint32_t nb)
{
	const struct bf_cqe *cqe;
	uint32_t i, k, burst;

	TEST_CALL(resize(64, 32, 64, size));
	TEST_TRUE(bf_compq_next(&cq) == NULL);
	for (i = 0; i < nb; i += burst) {
		burst = 1 + rte_rand_max(size);
		for (k = 0; k < burst; k++)
			wq_dev_complete(&dev, BF_CQE_RESP_SEND, i + k, i + k);
		for (k = 0; k < burst; k++) {
			cqe = bf_compq_next(&cq);
			TEST_TRUE(cqe != NULL);
			TEST_EXPECT(bf_cqe_opcode(cqe), BF_CQE_RESP_SEND);
			TEST_EXPECT(bf_cqe_wqe_counter(cqe), (uint16_t)(i + k));
			TEST_EXPECT(bf_cqe_byte_cnt(cqe), i + k);
		}
		TEST_TRUE(bf_compq_next(&cq) == NULL);
		bf_compq_commit(&cq);
	}
	TEST_EXPECT(dev.nb_doorbells, 0);
	return wq_dev_passed(&dev);
}

static int
test_comp_laps(void)
{
	TEST_CALL(comp_laps(1, 1000));
	TEST_CALL(comp_laps(2, 1000));
	TEST_CALL(comp_laps(64, LAPS_OF_16_BITS));
	return comp_laps(256, LAPS_OF_16_BITS);
}

/* The record has 24 bits. */
static int
test_comp_wrap(void)
{
	uint32_t i;

	dev.cq_pi = cq.ci = (1 << 24) - 100;
	for (i = 0; i < 64; i++)
		dev.cqes.at[i * 64 + 63] = 0xf0 | !(cq.ci / 64 & 1);
	bf_compq_commit(&cq);
	for (i = 0; i < 200; i++) {
		wq_dev_complete(&dev, BF_CQE_REQ, i, 0);
		TEST_TRUE(bf_compq_next(&cq) != NULL);
		bf_compq_commit(&cq);
		TEST_EXPECT(rte_be_to_cpu_32(dev.cqes.dbr[0]), ((1 << 24) - 99 + i) & 0xffffff);
	}
	TEST_TRUE(bf_compq_next(&cq) == NULL);
	return wq_dev_passed(&dev);
}

/* An entry that the device marks as invalid is none, whoever owns it. */
static int
test_comp_invalid(void)
{
	dev.cqes.at[63] = 0xf0;
	TEST_TRUE(bf_compq_next(&cq) == NULL);
	dev.cqes.at[63] = 0xd0;
	TEST_TRUE(bf_compq_next(&cq) != NULL);
	return wq_dev_passed(&dev);
}

static int
test_comp_fields(void)
{
	uint8_t *p = wq_dev_cqe(&dev);
	const struct bf_cqe *cqe;
	unsigned int i;

	for (i = 0; i < 63; i++)
		p[i] = i;
	p[63] = 0xe0;
	cqe = bf_compq_next(&cq);
	TEST_TRUE(cqe != NULL);
	TEST_EXPECT(bf_cqe_opcode(cqe), BF_CQE_RESP_ERR);
	TEST_EXPECT(bf_cqe_src_qpn(cqe), 0x191a1b);
	/* addresses, of each of their kinds, and none */
	for (i = 0; i < 4; i++) {
		TEST_EXPECT(bf_cqe_l3_type(cqe), i);
		p[24] = 0x18 + i + 1;
	}
	TEST_EXPECT(bf_cqe_user_index(cqe), 0x212223);
	TEST_EXPECT(bf_cqe_imm(cqe), 0x24252627);
	TEST_EXPECT(bf_cqe_byte_cnt(cqe), 0x2c2d2e2f);
	TEST_EXPECT(bf_cqe_vendor_syndrome(cqe), 54);
	TEST_EXPECT(bf_cqe_syndrome(cqe), 55);
	TEST_EXPECT(bf_cqe_wqe_counter(cqe), 0x3c3d);
	p[24] = 0xcd;
	TEST_EXPECT(bf_cqe_l3_type(cqe), 0);
	return wq_dev_passed(&dev);
}

static int
test_comp_arm(void)
{
	uint32_t i;

	for (i = 0; i < 10; i++) {
		wq_dev_complete(&dev, BF_CQE_REQ, i, 0);
		TEST_TRUE(bf_compq_next(&cq) != NULL);
		bf_compq_arm(&cq);
		TEST_EXPECT(dev.nb_doorbells, 2 * i + 1);
		TEST_EXPECT(dev.doorbell_off, 0x20);
		TEST_EXPECT(rte_be_to_cpu_32(dev.cqes.dbr[0]), i + 1);
		TEST_EXPECT(rte_be_to_cpu_32(dev.cqes.dbr[1]), (i % 4) << 28 | (i + 1));
		TEST_EXPECT(dev.doorbell >> 32, (i % 4) << 28 | (i + 1));
		TEST_EXPECT(dev.doorbell & UINT32_MAX, WQ_CQN);
		/* again without an event: the same request */
		bf_compq_arm(&cq);
		TEST_EXPECT(dev.doorbell >> 32, (i % 4) << 28 | (i + 1));
		bf_compq_event(&cq);
	}
	return wq_dev_passed(&dev);
}

/* Who handles a completion as the driver does. */
static void
hostile_handle(const struct bf_cqe *cqe)
{
	switch (bf_cqe_opcode(cqe)) {
	case BF_CQE_REQ:
	case BF_CQE_REQ_ERR:
		bf_sendq_done(&sq, bf_cqe_wqe_counter(cqe));
		break;
	case BF_CQE_RESP_SEND:
		bf_recvq_done(&rq, bf_cqe_wqe_counter(cqe));
		break;
	default:
		bf_sharedq_free(&shared, bf_cqe_wqe_counter(cqe));
	}
}

/* Completions of random bytes: indices stay inside, and what is posted is what fits. */
static int
test_comp_hostile(void)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = bytes };
	const struct bf_cqe *cqe;
	uint32_t lap, i, nb = 0;
	struct bf_sge sge;

	fill_sges(&sge, 1, 1);
	for (lap = 0; lap < 5000; lap++) {
		for (i = 0; i < 64 * 64; i += sizeof(uint64_t)) {
			uint64_t r = rte_rand();

			/* often an index that may be right */
			if (i % 64 == 56 && lap % 2 != 0)
				r &= UINT64_C(0xffff3f00ffffffff);
			memcpy(dev.cqes.at + i, &r, sizeof(r));
		}
		wr.inl_len = rte_rand_max(300);
		bf_sendq_send(&sq, &wr);
		bf_recvq_post(&rq, &sge, 1);
		if (shared.nb_free != 0)
			shared_post(&sge);
		for (i = 0; i < 64 && (cqe = bf_compq_next(&cq)) != NULL; i++, nb++)
			hostile_handle(cqe);
		bf_compq_commit(&cq);
		TEST_TRUE(bf_sendq_room(&sq) <= 64 && bf_recvq_room(&rq) <= 32);
		TEST_TRUE(shared.nb_free <= 63);
		TEST_TRUE(shared.head <= shared.mask && shared.tail <= shared.mask);
	}
	TEST_TRUE(nb > 1000);
	return wq_dev_passed(&dev);
}

/* Objects that have no such queue. */
static int
test_no_queue(void)
{
	struct bf_sendq none = { .ring = NULL };
	struct bf_sharedq no_list = { .ring = NULL };

	dev.qp.sq = NULL;
	dev.qp.rq = NULL;
	dev.cq.ring = NULL;
	TEST_EXPECT(bf_sendq_init(&none, &dev.qp, &dev.uar), -EINVAL);
	TEST_EXPECT(bf_recvq_init(&rq, &dev.qp), -EINVAL);
	TEST_EXPECT(bf_compq_init(&cq, &dev.cq, &dev.uar), -EINVAL);
	bf_sendq_fini(&none);
	bf_sharedq_fini(&no_list);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "queues of the bluefield driver",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_send_forms),
		TEST_CASE_ST(setup, teardown, test_send_wrap),
		TEST_CASE_ST(setup, teardown, test_send_full),
		TEST_CASE_ST(setup, teardown, test_send_done_hostile),
		TEST_CASE(test_address),
		TEST_CASE_ST(setup, teardown, test_recv),
		TEST_CASE_ST(setup, teardown, test_recv_empty_piece),
		TEST_CASE_ST(setup, teardown, test_shared_order),
		TEST_CASE_ST(setup, teardown, test_shared_full),
		TEST_CASE_ST(setup, teardown, test_comp_laps),
		TEST_CASE_ST(setup, teardown, test_comp_wrap),
		TEST_CASE_ST(setup, teardown, test_comp_invalid),
		TEST_CASE_ST(setup, teardown, test_comp_fields),
		TEST_CASE_ST(setup, teardown, test_comp_arm),
		TEST_CASE_ST(setup, teardown, test_comp_hostile),
		TEST_CASE_ST(setup, teardown, test_no_queue),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_wq_autotest, unit_test_suite_runner, &suite);
