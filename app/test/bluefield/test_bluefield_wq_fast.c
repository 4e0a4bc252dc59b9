/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Bursts of one shape on queues of the bluefield driver (bluefield_wq_fast.h), against
 * the device of test_bluefield_wq_dev.c: the device reads what the general forms would
 * have written, and the driver refuses what it cannot have completed.
 */

#include <rte_random.h>

#include "bluefield_wq_fast.h"
#include "test_bluefield_wq_dev.h"

#define BURST 32
#define LAPS 3000
#define BUF_SIZE 4096
#define LKEY 0x1234abcd
#define IMM_LKEY 0x5678ef01
#define IMM_BASE UINT64_C(0x7123456780000000)

static struct wq_dev dev;
static struct bf_sendq sq;
static struct bf_sharedq shared;
static struct bf_compq cq;
static struct wq_req req;
static struct bf_send_form form;
static uint8_t imm[LAPS + 64];

static int
setup(void)
{
	unsigned int i;

	for (i = 0; i < sizeof(imm); i++)
		imm[i] = i * 11 + 3;
	return TEST_SUCCESS;
}

static int
begin(uint32_t sq_blocks, uint32_t imm_len)
{
	wq_dev_init(&dev, sq_blocks, 4, 16, 64);
	TEST_EXPECT(bf_sendq_init(&sq, &dev.qp, &dev.uar), 0);
	TEST_EXPECT(bf_compq_init(&cq, &dev.cq, &dev.uar), 0);
	bf_send_form_init(&form, &sq, imm_len);
	wq_dev_init_srq(&dev, 64, bf_post_wqe_size(imm_len));
	TEST_EXPECT(bf_sharedq_init(&shared, &dev.srq), 0);
	bf_sharedq_fill(&shared, (void *)(uintptr_t)IMM_BASE, 40, imm_len, IMM_LKEY);
	bf_sharedq_fill_data(&shared, bf_key_len(LKEY, BUF_SIZE));
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	bf_sendq_fini(&sq);
	bf_sharedq_fini(&shared);
}

/* What the n-th message is. */
static struct bf_piece
message(uint32_t n, uint32_t *imm_len)
{
	*imm_len = form.imm_len != 0 ? n * 7 % (form.imm_len + 1) : 0;
	/* none at all, now and then */
	return (struct bf_piece){ UINT64_C(0x1234567812340000) + n * 64, n % 5 == 4 ? 0 : n + 1 };
}

static __rte_always_inline void
put(struct bf_send_row *row, uint32_t n, const bool with_imm)
{
	uint32_t imm_len;
	struct bf_piece piece = message(n, &imm_len);

	bf_send_row_put(row, &form, &piece, piece.len, bf_key(LKEY), imm + n, imm_len,
		0xaabbcc00 | imm_len, with_imm);
}

static int
expect_message(uint32_t n, uint8_t flags, bool with_data, bool with_word)
{
	static const uint8_t zeros[BF_MAX_IMM];
	uint32_t imm_len;
	struct bf_piece piece = message(n, &imm_len);

	TEST_CALL(wq_dev_send(&dev, false, &req));
	TEST_EXPECT(req.opcode, BF_WQE_SEND_IMM);
	TEST_EXPECT(req.flags, flags);
	TEST_EXPECT(req.imm, with_word ? 0xaabbcc00 | imm_len : 0);
	/* always as much, and nothing of older messages */
	TEST_EXPECT(req.has_inl, form.imm_len != 0);
	TEST_EXPECT(req.inl_len, form.imm_len);
	TEST_EXPECT(memcmp(req.inl, imm + n, imm_len), 0);
	TEST_EXPECT(memcmp(req.inl + imm_len, zeros, form.imm_len - imm_len), 0);
	TEST_EXPECT(req.nb_sges, with_data ? 1 : 0);
	if (with_data) {
		TEST_EXPECT(req.sges[0].addr, piece.addr);
		TEST_EXPECT(req.sges[0].len, piece.len);
		TEST_EXPECT(req.sges[0].lkey, LKEY);
	}
	return TEST_SUCCESS;
}

static int
send_burst(uint32_t first, uint32_t nb)
{
	struct bf_send_row row = bf_send_row_begin(&sq);
	uint32_t i, imm_len, doorbells = dev.nb_doorbells;
	uint16_t index = 0;
	uint32_t block;

	for (i = 0; i < nb; i++) {
		if (i == nb - 1)
			index = bf_send_row_index(&row);
		if (form.imm_len != 0)
			put(&row, first + i, true);
		else
			put(&row, first + i, false);
	}
	block = nb != 0 ? bf_send_row_last(&row) : 0;
	bf_send_row_end(&row, &sq);
	bf_sendq_ring(&sq);
	TEST_EXPECT(dev.nb_doorbells, doorbells + (nb != 0));
	for (i = 0; i < nb; i++)
		TEST_CALL(expect_message(first + i, i == nb - 1 ? 8 : 0,
				message(first + i, &imm_len).len != 0, true));
	TEST_EXPECT(wq_dev_sends(&dev), 0);
	if (nb != 0) {
		TEST_EXPECT(req.index, index);
		TEST_EXPECT(req.index & sq.mask, block);
		/* of a request that is not posted */
		TEST_EXPECT(bf_sendq_done(&sq, sq.pi), -EPROTO);
		TEST_EXPECT(bf_sendq_done(&sq, req.index), 0);
	}
	return TEST_SUCCESS;
}

static int
send_all(uint32_t imm_len)
{
	uint32_t n, nb;

	TEST_CALL(begin(64, imm_len));
	TEST_EXPECT(bf_send_form_room(&form, &sq), imm_len > 28 ? 32 : 64);
	for (n = 0; n < LAPS; n += nb) {
		nb = RTE_MIN(rte_rand_max(bf_send_form_room(&form, &sq) + 1), LAPS - n + 0u);
		TEST_CALL(send_burst(n, nb));
	}
	TEST_EXPECT(bf_send_form_room(&form, &sq), imm_len > 28 ? 32 : 64);
	TEST_CALL(wq_dev_passed(&dev));
	teardown();
	return TEST_SUCCESS;
}

static int
test_send(void)
{
	uint32_t imm_len;

	for (imm_len = 0; imm_len <= BF_MAX_IMM; imm_len++)
		TEST_CALL(send_all(imm_len));
	return TEST_SUCCESS;
}

/* Until the index has started anew. */
static int
test_send_wrap(void)
{
	struct bf_send_row row;
	uint16_t index = 0;
	uint32_t i;

	TEST_CALL(begin(64, 32));
	for (i = 0; i < 100000; i++) {
		row = bf_send_row_begin(&sq);
		put(&row, i % LAPS, true);
		bf_send_row_end(&row, &sq);
		bf_sendq_ring(&sq);
		TEST_CALL(expect_message(i % LAPS, 8, i % LAPS % 5 != 4, true));
		TEST_EXPECT(req.index, index);
		index += i % LAPS % 5 != 4 ? 2 : 1;
		TEST_EXPECT(bf_sendq_done(&sq, req.index), 0);
	}
	return wq_dev_passed(&dev);
}

/* Messages of one kind: message(first), every fifth one of them. */
static __rte_always_inline void
run_put(uint32_t first, uint32_t nb, const bool with_imm, const bool with_data)
{
	struct bf_send_row row = bf_send_row_begin(&sq);
	struct bf_send_run run = bf_send_run_begin(&row, &form, with_imm, with_data);
	struct bf_piece piece;
	uint32_t i, n, imm_len;

	for (i = 0; i < nb; i++) {
		n = first + 5 * i;
		piece = message(n, &imm_len);
		bf_send_run_put(&run, &form, bf_vec_load(&piece), (bf_vec){ bf_key(LKEY), 0 },
			imm + n, imm_len, 0xaabbcc00 | imm_len, with_imm, with_data);
	}
	bf_send_run_end(&run, &form, &row, nb, with_data);
	bf_send_row_end(&row, &sq);
}

static int
send_run(uint32_t nb, const bool with_data)
{
	const uint32_t first = with_data ? 0 : 4, nb_blocks = with_data ? form.nb_blocks : 1;
	/* of 16 bytes: control, immediate data behind its length, data */
	const uint32_t segs = 1 + (form.imm_len != 0 ? 1 + (form.imm_len + 3) / 16 : 0) + with_data;
	uint16_t index = sq.pi;
	uint32_t i;

	if (form.imm_len == 0)
		run_put(first, nb, false, with_data);
	else if (with_data)
		run_put(first, nb, true, true);
	else
		run_put(first, nb, true, false);
	bf_sendq_ring(&sq);
	for (i = 0; i < nb; i++, index += nb_blocks) {
		TEST_CALL(expect_message(first + 5 * i, i == nb - 1 ? 8 : 0, with_data,
				form.imm_len != 0));
		TEST_EXPECT(req.index, index);
	}
	TEST_EXPECT(wq_dev_sends(&dev), 0);
	TEST_EXPECT(sq.pi, index);
	/* the doorbell has the first bytes of the last request */
	TEST_EXPECT(dev.doorbell >> 32, (uint32_t)req.index << 8 | req.opcode);
	TEST_EXPECT(dev.doorbell & UINT32_MAX, WQ_QPN << 8 | segs);
	sq.ci = index;
	return TEST_SUCCESS;
}

/* Until the index has started anew; with data, without, and both by turns. */
static int
test_send_run(void)
{
	static const uint32_t lens[] = { 0, 1, 12, 13, 28, 29, 31, 32 };
	uint32_t i, n, nb;

	for (i = 0; i < RTE_DIM(lens); i++) {
		TEST_CALL(begin(64, lens[i]));
		for (n = 0; n < 100000; n += nb) {
			nb = 1 + rte_rand_max(BURST);
			TEST_CALL(send_run(nb, rte_rand() % 4 != 0));
		}
		TEST_CALL(wq_dev_passed(&dev));
		if (i + 1 < RTE_DIM(lens))
			teardown();
	}
	return TEST_SUCCESS;
}

/*
 * Post and receive
 */

static int
expect_post(uint32_t n)
{
	uint32_t at = 0;

	TEST_CALL(wq_dev_take(&dev, &req));
	TEST_EXPECT(req.nb_sges, form.imm_len != 0 ? 2 : 1);
	if (form.imm_len != 0) {
		TEST_EXPECT(req.sges[0].addr, IMM_BASE + req.index * 40);
		TEST_EXPECT(req.sges[0].len, form.imm_len);
		TEST_EXPECT(req.sges[0].lkey, IMM_LKEY);
		at = 1;
	}
	TEST_EXPECT(req.sges[at].addr, UINT64_C(0x7000000000001234) + n * 4096);
	TEST_EXPECT(req.sges[at].len, BUF_SIZE);
	TEST_EXPECT(req.sges[at].lkey, LKEY);
	return TEST_SUCCESS;
}

static __rte_always_inline uint32_t
post(uint32_t first, uint32_t nb, uint32_t *tags, const bool with_imm)
{
	struct bf_post_row row = bf_post_row_begin(&shared);
	uint32_t i;

	nb = RTE_MIN(nb, shared.nb_free);
	for (i = 0; i < nb; i++)
		tags[bf_post_row_put_addr(&row, UINT64_C(0x7000000000001234) + (first + i) * 4096,
			with_imm)] = first + i;
	bf_post_row_end(&row, &shared, nb);
	bf_sharedq_ring(&shared);
	return nb;
}

/* All that is completed, in rows; each must be one that was posted. */
static __rte_always_inline int
receive(uint32_t *nb, const bool with_imm)
{
	const struct bf_cqe *cqe;
	struct bf_comp_row row;
	struct bf_free_row back;
	uint32_t n, index;

	for (*nb = 0;; *nb += n) {
		row = bf_comp_row_begin(&cq, BURST);
		back = bf_free_row_begin(&shared);
		while ((cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM)) != NULL) {
			index = bf_cqe_wqe_counter(cqe);
			TEST_TRUE(bf_free_row_posted(&back, index));
			bf_free_row_take(&back, index, with_imm);
			TEST_TRUE(!bf_free_row_posted(&back, index));
			bf_comp_row_taken(&row);
		}
		n = bf_comp_row_end(&row, &cq);
		bf_free_row_end(&back, &shared, n);
		bf_compq_commit(&cq);
		if (n == 0)
			return TEST_SUCCESS;
	}
}

static __rte_always_inline int
receive_all(const bool with_imm)
{
	uint32_t tags[64], posted = 0, nb = 0, done = 0, n, i, k;
	uint16_t taken[64];

	for (i = 0; i < LAPS; i++) {
		posted += post(posted, rte_rand_max(64), tags, with_imm);
		for (n = rte_rand_max(64); n > 0 && wq_dev_shared(&dev) != 0; n--) {
			TEST_CALL(expect_post(tags[dev.srq_at]));
			taken[nb++] = req.index;
		}
		for (n = k = rte_rand_max(nb + 1); n > 0; n--) {
			uint32_t which = rte_rand_max(nb);

			wq_dev_complete(&dev, BF_CQE_RESP_SEND_IMM, taken[which], 64);
			taken[which] = taken[--nb];
		}
		TEST_CALL(receive(&n, with_imm));
		TEST_EXPECT(n, k);
		done += n;
		TEST_EXPECT(shared.nb_free, 63 - (posted - done));
	}
	TEST_TRUE(posted > 5 * LAPS);
	return wq_dev_passed(&dev);
}

static int
test_receive(void)
{
	TEST_CALL(begin(64, 0));
	TEST_CALL(receive_all(false));
	teardown();
	TEST_CALL(begin(64, 20));
	return receive_all(true);
}

/* Entries for messages without data, and of regions with several keys. */
static int
test_post_keys(void)
{
	struct bf_post_row row;

	TEST_CALL(begin(64, 20));
	bf_sharedq_fill_data(&shared, bf_key_len(BF_WQE_LKEY_NONE, 0));
	row = bf_post_row_begin(&shared);
	TEST_EXPECT(bf_post_row_put_addr(&row, 0, true), 0);
	TEST_EXPECT(bf_post_row_put(&row, 0x5000, bf_key_len(77, 99), true), 1);
	bf_post_row_end(&row, &shared, 2);
	bf_sharedq_ring(&shared);
	TEST_CALL(wq_dev_take(&dev, &req));
	TEST_EXPECT(req.nb_sges, 1);
	TEST_EXPECT(req.sges[0].len, 20);
	TEST_CALL(wq_dev_take(&dev, &req));
	TEST_EXPECT(req.nb_sges, 2);
	TEST_TRUE(req.sges[1].addr == 0x5000 && req.sges[1].len == 99 && req.sges[1].lkey == 77);
	return wq_dev_passed(&dev);
}

/* Every byte that an owner can be, in both laps: one opcode, in the right lap, and nothing
 * to notice, is taken.
 */
static int
test_comp_opcodes(void)
{
	struct bf_comp_row row;
	uint32_t lap, own;
	bool want;

	TEST_CALL(begin(64, 0));
	for (lap = 0; lap < 2; lap++) {
		cq.ci = lap * cq.nb_cqes;
		for (own = 0; own <= UINT8_MAX; own++) {
			dev.cqes.at[63] = own;
			row = bf_comp_row_begin(&cq, 1);
			want = own >> 4 == BF_CQE_RESP_SEND_IMM && (own & 3) == lap;
			TEST_EXPECT(bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM) != NULL, want);
			TEST_EXPECT(bf_cqe_solicited(row.at), (own & 2) != 0);
			/* nobody has taken it */
			TEST_EXPECT(bf_comp_row_end(&row, &cq), 0);
		}
	}
	return wq_dev_passed(&dev);
}

/* A row ends with what is wanted, or where the ring does, whatever stands behind that. */
static int
test_comp_ring_end(void)
{
	static const uint32_t wanted[] = { 1, 8, 8 }, taken[] = { 1, 1, 2 };
	struct bf_comp_row row;
	uint32_t i, n;

	TEST_CALL(begin(64, 0));
	for (i = 0; i < 66; i++) {
		if (i == 62) {
			cq.ci = 62;
			bf_compq_commit(&cq);
		}
		wq_dev_complete(&dev, BF_CQE_REQ, i, 0);
	}
	dev.cqes.at[64 * 64 + 63] = dev.cqes.at[63 * 64 + 63];
	for (i = 0; i < RTE_DIM(wanted); i++) {
		row = bf_comp_row_begin(&cq, wanted[i]);
		while (bf_comp_row_next(&row, BF_CQE_REQ) != NULL)
			bf_comp_row_taken(&row);
		n = bf_comp_row_end(&row, &cq);
		TEST_EXPECT(n, taken[i]);
	}
	dev.cqes.at[64 * 64 + 63] = dev.cqes.at[64 * 64 + 62];
	return wq_dev_passed(&dev);
}

/* Indices of entries that are not posted, or twice. */
static int
test_comp_hostile(void)
{
	static uint32_t posted[UINT16_MAX + 1];
	struct bf_free_row back;
	uint32_t tags[64], i, nb = 0;

	TEST_CALL(begin(64, 0));
	post(0, 20, tags, false);
	back = bf_free_row_begin(&shared);
	for (i = 0; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_free_row_posted(&back, i), i < 20);
	/* whatever is behind the state of its entries */
	for (i = 0; i <= UINT16_MAX; i++)
		posted[i] = BF_SHAREDQ_POSTED;
	back.link = posted;
	for (i = 0; i <= UINT16_MAX; i++)
		TEST_EXPECT(bf_free_row_posted(&back, i), i < 64);
	back = bf_free_row_begin(&shared);
	for (i = 0; i < 100000; i++) {
		uint32_t index = rte_rand() & 0xff;

		if (!bf_free_row_posted(&back, index))
			continue;
		bf_free_row_take(&back, index, false);
		nb++;
	}
	bf_free_row_end(&back, &shared, nb);
	TEST_EXPECT(nb, 20);
	TEST_EXPECT(shared.nb_free, 63);
	return wq_dev_passed(&dev);
}

static struct unit_test_suite suite = {
	.suite_name = "bursts on queues of the bluefield driver",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_send),
		TEST_CASE_ST(setup, teardown, test_send_wrap),
		TEST_CASE_ST(setup, teardown, test_send_run),
		TEST_CASE_ST(setup, teardown, test_receive),
		TEST_CASE_ST(setup, teardown, test_post_keys),
		TEST_CASE_ST(setup, teardown, test_comp_opcodes),
		TEST_CASE_ST(setup, teardown, test_comp_ring_end),
		TEST_CASE_ST(setup, teardown, test_comp_hostile),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_wq_fast_autotest, unit_test_suite_runner, &suite);
