/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A device in plain memory for the tests of the bluefield driver's queues: it takes
 * requests as a card does, by records, rings and lists, and writes completions. It reads
 * bytes by offsets of its own and uses no structure of the driver, so that a field in the
 * wrong place is seen. No test is in here.
 */

#ifndef TEST_BLUEFIELD_WQ_DEV_H
#define TEST_BLUEFIELD_WQ_DEV_H

#include "bluefield_wq.h"
#include "test.h"

/** Sizes that the tests use at most. */
#define WQ_MAX_SQ_BLOCKS 256
#define WQ_MAX_ENTRIES 256
/** Around each ring: nobody writes there. */
#define WQ_GUARD 1024
#define WQ_QPN 0xabcde
#define WQ_CQN 0x123456

/** A ring and its record, as objects of the driver have them. */
struct wq_ring {
	uint8_t mem[2 * WQ_GUARD + WQ_MAX_SQ_BLOCKS * 128] __rte_aligned(4096);
	uint8_t *at;
	size_t len;
	rte_be32_t dbr[2];
};

/** One request, as the device understands it. */
struct wq_req {
	uint8_t opcode;
	uint8_t flags;
	uint32_t imm;
	uint16_t index;
	uint8_t av[48];
	bool has_av;
	uint8_t inl[1024];
	uint32_t inl_len;
	bool has_inl;
	uint32_t nb_sges;
	struct bf_sge sges[64];
};

struct wq_dev {
	struct bf_obj_dev obj;
	struct bf_uar uar;
	struct bf_qp qp;
	struct bf_srq srq;
	struct bf_cq cq;
	struct wq_ring sq, rq, list, cqes;
	uint16_t sq_ci;         /* blocks that were fetched */
	uint16_t rq_ci;
	uint16_t srq_ci;
	uint32_t srq_at;        /* entry that is taken next */
	uint32_t cq_pi;         /* completions that were written */
	uint32_t nb_doorbells;
	uint32_t doorbell_off;
	uint64_t doorbell;      /* value of the last one, in the CPU's order */
	const char *mistake;    /* the first that the driver made; NULL: none */
};

/** Objects of these sizes; 0: none of that kind. */
void wq_dev_init(struct wq_dev *dev, uint32_t sq_blocks, uint32_t rq_wqes, uint32_t rq_wqe_size,
	uint32_t cqes);
void wq_dev_init_srq(struct wq_dev *dev, uint32_t wqes, uint32_t wqe_size);

/** Requests that the record has counted and that were not taken. */
uint32_t wq_dev_sends(struct wq_dev *dev);
uint32_t wq_dev_recvs(struct wq_dev *dev);
uint32_t wq_dev_shared(struct wq_dev *dev);

/**
 * Take the next one of them. datagrams: an address vector comes first.
 * @return TEST_SUCCESS, or TEST_FAILED with the reason in dev->mistake.
 */
int wq_dev_send(struct wq_dev *dev, bool datagrams, struct wq_req *req);
int wq_dev_recv(struct wq_dev *dev, struct wq_req *req);
int wq_dev_take(struct wq_dev *dev, struct wq_req *req);

/** Where the next completion goes, zeroed but for its owner. */
uint8_t *wq_dev_cqe(struct wq_dev *dev);
/** It is the driver's now. */
void wq_dev_finish(struct wq_dev *dev, uint8_t *cqe, uint8_t opcode, uint16_t index,
	uint32_t bytes);
/** Both, of a completion that says nothing else. opcode is BF_CQE_*. */
void wq_dev_complete(struct wq_dev *dev, uint8_t opcode, uint16_t index, uint32_t bytes);

/** Nobody wrote beside the rings, and the driver made no mistake. */
int wq_dev_passed(const struct wq_dev *dev);

#endif /* TEST_BLUEFIELD_WQ_DEV_H */
