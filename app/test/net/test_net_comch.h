/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_NET_COMCH_H
#define TEST_NET_COMCH_H

/*
 * Two ports of ethdev on comch in one process, for the files of their cases.
 */

#include <limits.h>
#include <unistd.h>

#include <rte_ethdev.h>
#include <rte_mbuf.h>
#include <rte_mempool.h>

#include "test_comch_place.h"
#include "test_comch_util.h"

#define UP_MS (2 * TEST_MS)
#define NB_MBUFS 8191u
#define NB_DESC 256u
#define DPU 0u
#define HOST 1u

struct test_net {
	char path[PATH_MAX];
	struct rte_mempool *pool;
	struct rte_mempool *pools[2]; /* of each port, where receive queues are direct */
	const char *more;        /* arguments of both ports, or "" */
	struct test_place place; /* of BlueField */
	int16_t devs[2];      /* there */
	const char *names[2];
	uint16_t ids[2];
	bool there[2];
	uint32_t nb_lsc;      /* link changes of the host's port; atomic */
	bool lsc_stops;       /* the callback stops the port; atomic */
	int lsc_ret;
	struct test_pair pair; /* what it was before a case had another one */
};

extern struct test_net net;

#define NET_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
			(unsigned int)(ms), #cond); \
		usleep(100); \
	} \
} while (0)

/* test_net_comch_util.c */
struct rte_mempool *net_pool_of(unsigned int side);
bool net_link_is_up(unsigned int side);
int net_port_add_args(unsigned int side, const char *args);
int net_port_add(unsigned int side);
int net_port_configure(unsigned int side, uint16_t nb_queues, uint16_t mtu, uint64_t rx_offloads);
int net_ports_up(uint16_t nb_card, uint16_t nb_host, uint16_t mtu, uint64_t rx_offloads);
int net_packet_check(struct rte_mbuf *m, unsigned int side, uint32_t len, uint32_t seed);
int net_send_one(unsigned int from, uint16_t queue, uint32_t len, uint16_t nb_segs, uint32_t seed);
int net_setup_pool(void);
int net_setup(void);
int net_direct_setup(void);
void net_teardown(void);
int net_none_setup(void);
int net_full_setup(void);
int net_full_direct_setup(void);
int net_sleep_ms(int ms);
int net_mode_check(unsigned int side, const char *want);

/* Cases: metadata */
int test_meta(void);
int test_meta_none(void);
int test_meta_full(void);
int test_checksums(void);

/* Cases: queues that are direct */
int test_direct(void);
int test_direct_registered(void);
int test_direct_no_mbuf(void);

/* Cases: a peer that is no port */
int test_direct_asleep(void);
int test_stranger(void);
int test_stranger_greets(void);
int test_stranger_late(void);
int test_stranger_small(void);

#endif /* TEST_NET_COMCH_H */
