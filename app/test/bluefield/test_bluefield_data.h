/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Two ends of a connection for the tests of the software BlueField's queue engine:
 * requests are written to the queues byte by byte, and so are completions read, with
 * nothing of the driver above layer obj. No test is in here.
 */

#ifndef TEST_BLUEFIELD_DATA_H
#define TEST_BLUEFIELD_DATA_H

#include "bluefield_func.h"
#include "bluefield_fw.h"
#include "bluefield_obj.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define DATA_QUEUE 16u        /* requests of each queue, of 64 bytes */
#define DATA_CQES 64u
#define DATA_MEM (1u << 20)   /* bytes that the key covers */
#define DATA_QKEY 0x11111111u

/* Opcodes of requests, and flags for data_send(). */
enum { OP_NOP = 0, OP_WRITE = 8, OP_WRITE_IMM = 9, OP_SEND = 10, OP_SEND_IMM = 11, OP_READ = 16 };
#define F_QUIET 1u            /* no completion on success */
#define F_SOLICITED 2u
#define F_NO_DOORBELL 4u          /* neither record nor doorbell */

/* A completion, as far as the tests look. */
struct data_cqe {
	uint8_t opcode;
	uint8_t syndrome;
	bool solicited;
	uint8_t send_opcode;
	uint32_t qpn;
	uint16_t counter;
	uint32_t bytes;
	uint32_t imm;
	uint32_t user;
	uint32_t flags_rqpn;
};

/** One end. */
struct data_end {
	const char *name;      /**< Of its function. */
	struct bf_func *func;
	struct bf_obj_dev *dev;
	struct bf_pd pd;
	struct bf_uar uar;
	struct bf_cq send_cq;
	struct bf_cq recv_cq;
	struct bf_srq srq;
	struct bf_qp qp;
	struct bf_obj_mem *mem;
	struct bf_mkey mkey;
	uint8_t *bytes;        /**< mem's. */
	uint16_t sq_pi;
	uint16_t sq_last;      /**< Where the newest request begins. */
	uint16_t rq_pi;
	uint16_t srq_head;
	uint16_t srq_pi;
	uint32_t send_ci;
	uint32_t recv_ci;
	uint8_t counter;       /**< Set of counters; 0: none. */
	struct bf_roce_addr addr;
	uint16_t addr_index;
};

/** How a pair is made; all zero is the usual one. */
struct data_conf {
	enum bf_qp_service service;
	bool srq;              /**< Both receive by a shared queue. */
	bool loopback;         /**< Both ends are of one function. */
	bool raw;              /**< A set of counters, and access by address is allowed. */
	bool atomic;           /**< The same of atomic operations, with raw. */
	uint32_t nb_cqes;
	uint32_t user_index;   /**< 0: none. */
	uint8_t mtu;           /**< Code; 0: 3, of 1024 bytes. */
	uint8_t ack_timeout;   /**< Code; 0: the usual one, 16 ms. */
	uint8_t retry_count;   /**< 0: 1. */
	uint8_t rnr_retry;     /**< 0: for ever; else so many, less one. */
};

extern struct data_end data_a;
extern struct data_end data_b;

/** A model with two functions, and nothing else. */
int data_case_setup(void);
/** The same of a model with settings of its functions, which are pf0vf0 and ecpf0vf0. */
int data_case_start(const char *functions);
void data_case_teardown(void);
/** Objects of both ends, and a connection between them. */
int data_pair(const struct data_conf *conf);
/** The same in steps. */
int data_end_make(struct data_end *e, const struct data_conf *conf);
int data_connect(struct data_end *e, const struct data_end *peer, const struct data_conf *conf);
void data_end_free(struct data_end *e);
/** The case is over: all is ended, nothing is left. */
int data_passed(void);

/** Post one send of [off, off + len) of the end's memory. */
void data_send(struct data_end *e, uint8_t opcode, uint32_t off, uint32_t len, uint32_t flags);
/** By bytes: segments behind the control segment, nb of 16 bytes. */
void data_send_raw(struct data_end *e, uint8_t opcode, const void *segs, uint32_t nb,
		uint32_t flags);
void data_seg(uint8_t *seg, uint32_t len, uint32_t key, uint64_t addr);
/** Tell the device of what was posted. */
void data_ring(struct data_end *e);
/** Post a receive of [off, off + len) to the queue that the end has. */
void data_recv(struct data_end *e, uint32_t off, uint32_t len);
void data_recv_raw(struct data_end *e, const void *segs, uint32_t nb);

/** Is there a completion? Takes it. */
bool data_poll(struct bf_cq *cq, uint32_t *ci, struct data_cqe *cqe);
/** Wait for one, of either queue, and take it. */
int data_sent(struct data_end *e, struct data_cqe *cqe);
int data_received(struct data_end *e, struct data_cqe *cqe);
/** Wait, and it has to be an error with this syndrome. */
int data_sent_bad(struct data_end *e, uint8_t syndrome);
int data_received_bad(struct data_end *e, uint8_t syndrome);
/** No completion comes for a while. */
int data_quiet(struct data_end *e);
enum bf_qp_state data_state(struct data_end *e);

/* Of the set of counters: places in the reply, in bytes. */
enum {
	COUNT_WRITES = 16, COUNT_READS = 24, COUNT_NO_BUFFER = 48, COUNT_OUT_OF_SEQUENCE = 56,
	COUNT_DUPLICATE = 64, COUNT_RNR_ERR = 72, COUNT_SEQ_ERR = 80, COUNT_TIMEOUT = 96,
};
/** A counter; the end is a raw one. */
long data_count(struct data_end *e, unsigned int place);
/** The same of the vport: packets and bytes of messages, both ways. */
enum { PORT_RECEIVED = 48, PORT_RECEIVED_BYTES = 56, PORT_SENT = 64, PORT_SENT_BYTES = 72 };
long data_port_count(struct data_end *e, unsigned int place);

#endif /* TEST_BLUEFIELD_DATA_H */
