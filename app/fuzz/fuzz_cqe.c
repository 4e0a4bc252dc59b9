/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The input is what a card writes into completion queues of the bluefield driver, and
 * what the driver posts meanwhile. Completions are whole ones, byte by byte, or good ones
 * with one byte changed. What is known of a request is in arrays of the very size, so that
 * an index that leads outside is seen; and none may be taken that is not posted.
 */

#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "bluefield_wq_fast.h"
#include "fuzz.h"

#define SQ_BLOCKS 32u
#define RQ_WQES 16u
#define SRQ_WQES 32u
#define CQES 16u
#define BUF_SIZE 64u
#define IMM_LEN 20u
#define NB_PAIRS 4u
#define MAX_STEPS 400

static struct bf_obj_dev obj_dev;
static struct bf_uar uar;
static rte_be32_t qp_dbr[2], srq_dbr[2], cq_dbr[2];
static uint64_t page[BF_UAR_SIZE / sizeof(uint64_t)];
static struct bf_qp qp;
static struct bf_srq srq;
static struct bf_cq cq_obj;

static struct bf_sendq sq;
static struct bf_recvq rq;
static struct bf_sharedq shared;
static struct bf_compq cq;
static struct bf_send_form form;
/* By index, as users have them. */
static bool *sent, *received, *posted;
static uint32_t *pairs;
/* What the queues keep, as EAL has it: copies show the sanitizer where they end. */
static uint16_t *eal_end;
static uint32_t *eal_link;
static uint32_t nb_written;     /* completions, by the card */

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(false);
	obj_dev.name = "fuzz";
	uar.page = page;
	return 0;
}

static void *
ring(size_t len)
{
	void *mem;

	if (posix_memalign(&mem, 64, len) != 0)
		fuzz_die("no memory", 0);
	memset(mem, 0, len);
	return mem;
}

static void
open_queues(void)
{
	uint32_t i;

	qp = (struct bf_qp){
		.obj = { .dev = &obj_dev, .id = 5 }, .rq = ring(RQ_WQES * 32),
		.sq = ring(SQ_BLOCKS * 64), .dbr = qp_dbr, .nb_sq_blocks = SQ_BLOCKS,
		.nb_rq_wqes = RQ_WQES, .rq_wqe_size = 32,
	};
	srq = (struct bf_srq){
		.obj = { .dev = &obj_dev, .id = 6 }, .ring = ring(SRQ_WQES * 64),
		.dbr = srq_dbr, .nb_wqes = SRQ_WQES, .wqe_size = 64,
	};
	cq_obj = (struct bf_cq){
		.obj = { .dev = &obj_dev, .id = 7 }, .ring = ring(CQES * 64), .dbr = cq_dbr,
		.nb_cqes = CQES,
	};
	for (i = 0; i < CQES; i++)
		((struct bf_cqe *)cq_obj.ring)[i].op_own = BF_CQE_OP_OWN_INIT;
	if (bf_sendq_init(&sq, &qp, &uar) != 0 || bf_recvq_init(&rq, &qp) != 0 ||
	    bf_sharedq_init(&shared, &srq) != 0 || bf_compq_init(&cq, &cq_obj, &uar) != 0)
		fuzz_die("no queues", 0);
	eal_end = sq.end;
	sq.end = ring(SQ_BLOCKS * sizeof(*sq.end));
	eal_link = shared.link;
	shared.link = ring(SRQ_WQES * sizeof(*shared.link));
	memcpy(shared.link, eal_link, SRQ_WQES * sizeof(*shared.link));
	bf_send_form_init(&form, &sq, IMM_LEN);
	bf_sharedq_fill(&shared, page, 0, IMM_LEN, 1);
	sent = ring(SQ_BLOCKS);
	received = ring(RQ_WQES);
	posted = ring(SRQ_WQES);
	pairs = ring(NB_PAIRS * sizeof(*pairs));
	pairs[1] = 1;
	nb_written = 0;
}

static void
close_queues(void)
{
	free(sq.end);
	sq.end = eal_end;
	bf_sendq_fini(&sq);
	free(shared.link);
	shared.link = eal_link;
	bf_sharedq_fini(&shared);
	free(qp.rq);
	free(qp.sq);
	free(srq.ring);
	free(cq_obj.ring);
	free(sent);
	free(received);
	free(posted);
	free(pairs);
}

/*
 * Posting, within the room there is
 */

static void
post_send(struct fuzz_in *in)
{
	struct bf_send_wr wr = { .opcode = BF_WQE_SEND, .inl = page, .inl_len = fuzz_u8(in) };
	int index = bf_sendq_send(&sq, &wr);

	if (index >= 0)
		sent[index & sq.mask] = true;
	bf_sendq_ring(&sq);
}

static void
post_send_row(struct fuzz_in *in)
{
	const struct bf_piece piece = { (uintptr_t)page, fuzz_u8(in) };
	struct bf_send_row row = bf_send_row_begin(&sq);
	uint32_t i, n = RTE_MIN(fuzz_u8(in) % 8u, bf_send_form_room(&form, &sq));

	for (i = 0; i < n; i++) {
		sent[bf_send_row_index(&row) & sq.mask] = true;
		bf_send_row_put(&row, &form, &piece, piece.len, bf_key(1), page, i % IMM_LEN, i,
			true);
	}
	bf_send_row_end(&row, &sq);
	bf_sendq_ring(&sq);
}

static void
post_recv(void)
{
	int index = bf_recvq_post(&rq, NULL, 0);

	if (index >= 0)
		received[index & rq.mask] = true;
	bf_recvq_ring(&rq);
}

static void
post_shared(struct fuzz_in *in)
{
	struct bf_post_row row = bf_post_row_begin(&shared);
	uint32_t i, n = RTE_MIN(fuzz_u8(in) % 8u, shared.nb_free), index;

	for (i = 0; i < n; i++) {
		index = bf_post_row_put(&row, (uintptr_t)page, bf_key_len(1, BUF_SIZE), true);
		if (index >= SRQ_WQES || posted[index])
			abort();
		posted[index] = true;
	}
	bf_post_row_end(&row, &shared, n);
	bf_sharedq_ring(&shared);
}

/*
 * What the card writes
 */

static void
write_cqe(struct fuzz_in *in, bool good)
{
	static const uint8_t opcodes[] = {
		BF_CQE_REQ, BF_CQE_RESP_SEND, BF_CQE_RESP_SEND_IMM, BF_CQE_REQ_ERR,
		BF_CQE_RESP_ERR,
	};
	uint8_t *cqe = (uint8_t *)cq_obj.ring + nb_written % CQES * 64, what, at;
	const uint8_t *bytes;
	size_t n;

	if (!good) {
		n = fuzz_bytes(in, &bytes, 64);
		memcpy(cqe, bytes, n);
		nb_written++;
		return;
	}
	memset(cqe, 0, 63);
	what = fuzz_u8(in);
	cqe[35] = what >> 6;
	cqe[39] = fuzz_u8(in) % 32;
	cqe[47] = fuzz_u8(in);
	cqe[61] = fuzz_u8(in);
	cqe[63] = opcodes[what % RTE_DIM(opcodes)] << 4 | (nb_written / CQES & 1);
	at = fuzz_u8(in);
	if (at < 64)
		cqe[at] = fuzz_u8(in);
	nb_written++;
}

/*
 * Taking them
 */

static void
take_shared(uint32_t index)
{
	if (index >= SRQ_WQES || !posted[index])
		abort();
	posted[index] = false;
}

static void
poll_any(void)
{
	const struct bf_cqe *cqe;
	uint16_t index;
	uint32_t i;

	for (i = 0; i < 2 * CQES && (cqe = bf_compq_next(&cq)) != NULL; i++) {
		index = bf_cqe_wqe_counter(cqe);
		switch (bf_cqe_opcode(cqe)) {
		case BF_CQE_REQ:
		case BF_CQE_REQ_ERR:
			/* a block that no request ever started on is refused */
			if (bf_sendq_done(&sq, index) == 0 && !sent[index & sq.mask])
				abort();
			break;
		case BF_CQE_RESP_SEND:
			if (bf_recvq_done(&rq, index) == 0 && !received[index & rq.mask])
				abort();
			break;
		default:
			if (bf_sharedq_free(&shared, index) == 0)
				take_shared(index);
		}
	}
	bf_compq_commit(&cq);
}

/* As a consumer does it, with all checks; what does not pass is left to poll_any(). */
static void
poll_row(void)
{
	struct bf_comp_row row = bf_comp_row_begin(&cq, CQES);
	struct bf_free_row back = bf_free_row_begin(&shared);
	const struct bf_cqe *cqe;
	uint32_t index, user, n = 0;

	while ((cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM)) != NULL) {
		index = bf_cqe_wqe_counter(cqe);
		if (!bf_free_row_posted(&back, index))
			break;
		if (bf_cqe_byte_cnt(cqe) - IMM_LEN > BUF_SIZE || bf_cqe_imm(cqe) > IMM_LEN)
			break;
		user = bf_cqe_user_index(cqe);
		if (user >= NB_PAIRS || pairs[user] == 0)
			break;
		take_shared(index);
		bf_free_row_take(&back, index, true);
		bf_comp_row_taken(&row);
		n++;
	}
	if (bf_comp_row_end(&row, &cq) != n)
		abort();
	bf_free_row_end(&back, &shared, n);
	bf_compq_commit(&cq);
}

static void
check(void)
{
	uint32_t i, n = 0;

	for (i = 0; i < SRQ_WQES; i++)
		n += posted[i];
	if (n + shared.nb_free != SRQ_WQES - 1 || bf_sendq_room(&sq) > SQ_BLOCKS ||
	    bf_recvq_room(&rq) > RQ_WQES)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_in in = { data, size };
	uint32_t i;

	open_queues();
	for (i = 0; i < MAX_STEPS && in.left != 0; i++) {
		switch (fuzz_u8(&in) % 8) {
		case 0: post_send(&in); break;
		case 1: post_send_row(&in); break;
		case 2: post_recv(); break;
		case 3: post_shared(&in); break;
		case 4: write_cqe(&in, false); break;
		case 5: write_cqe(&in, true); break;
		case 6: poll_any(); break;
		default: poll_row(); break;
		}
		check();
	}
	close_queues();
	return 0;
}
