/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A client of one function of the software BlueField that uses objects and queues of
 * the driver as it likes: any address, any queue pair of anybody. No test is in here.
 */

#ifndef TEST_BLUEFIELD_STATION_H
#define TEST_BLUEFIELD_STATION_H

#include "bluefield_func.h"
#include "bluefield_fw.h"
#include "bluefield_wq.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define STATION_ENTRIES 16
#define STATION_ENTRY 256 /**< Bytes of a receive buffer. */
#define STATION_QKEY 0x11223344

/** One queue pair, with its queues. */
struct station_qp {
	struct bf_qp qp;
	struct bf_sendq sq;
	struct bf_recvq rq;
	struct bf_cq cq;
	struct bf_compq done;
	unsigned int sent;      /**< Sends that ended well. */
	unsigned int failed;    /**< Sends that did not. */
	unsigned int received;
	uint8_t syndrome;       /**< Of the last that failed. */
};

/** A function that is up, with an address, and a queue pair of each kind. */
struct station {
	char name[32];
	struct bf_func *func;
	struct bf_obj_dev *dev;
	struct bf_pd pd;
	struct bf_uar uar;
	struct bf_obj_mem *mem;
	struct bf_mkey mkey;
	uint16_t addr_index;
	struct bf_roce_addr addr; /**< That it has: its own, or one that is forged. */
	struct station_qp rc;
	struct station_qp ud;
};

/** Bring a function of the model up; its address is its own. */
int station_open(struct station *s, const char *function);
/** Also of one that was opened in part, or of zeros. */
void station_close(struct station *s);
/** From now on it sends as another one. */
int station_forge(struct station *s, const struct bf_roce_addr *addr);

/**
 * Have the connected queue pair send to one of another station, and take what comes
 * from there: addr is where that station is, qpn and psn say which of its packets. The
 * queue pair starts anew.
 */
int station_connect(struct station *s, const struct bf_roce_addr *addr, uint32_t qpn, uint32_t psn);
/** Both directions. */
int station_pair(struct station *a, struct station *b);

/** Send one message of 32 bytes on the connected queue pair. */
int station_send(struct station *s);
/** ... a datagram to a queue pair of the station at an address. */
int station_datagram(struct station *s, const struct bf_roce_addr *addr, uint32_t qpn);

/** Take all completions that are there. TEST_FAILED if one makes no sense. */
int station_poll(struct station *s);

#endif /* TEST_BLUEFIELD_STATION_H */
