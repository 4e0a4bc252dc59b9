/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The card device that the hostile peer of the autotests attacks here too, without
 * the runner and the honest client that it has there.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sanitizer/allocator_interface.h>

#include <rte_bus_vdev.h>
#include <rte_comch.h>
#include <rte_mempool.h>

#include "test.h"
#include "test_shm_peer.h"
#include "fuzz.h"

#define RESET_NS UINT64_C(10000000000) /* half of what an input may take */
#define SETTLE_TURNS 500u
#define SETTLE_US 100u

struct peer_env peer_env;
unsigned int test_slow = 1;

static struct test_ep target;
static struct rte_mempool *events; /* of the card device */
static size_t nb_bytes; /* allocated before the input */
static uint8_t payload[65536];
static volatile uint8_t sink; /* that reading a message is no waste */

uint64_t
test_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void
test_give_up(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	_exit(2);
}

void
peer_turn(void)
{
	/* sockets are looked at now and then only, but always by an engine that wakes */
	rte_comch_pe_arm(peer_env.pe);
	rte_comch_pe_progress(peer_env.pe);
}

static void
send_cb(struct rte_comch_task *task, int status, void *user_data)
{
	RTE_SET_USED(status);
	RTE_SET_USED(user_data);
	rte_comch_task_free(task);
}

static void
recv_cb(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	const uint8_t *bytes = msg;
	uint32_t i;

	RTE_SET_USED(conn);
	RTE_SET_USED(user_data);
	for (i = 0; i < len; i++)
		sink ^= bytes[i];
	if (len == 2)
		rte_comch_server_disconnect(conn);
}

static void
connect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	RTE_SET_USED(status);
	RTE_SET_USED(user_data);
	target.nb_connects++;
	target.conn = conn;
}

static void
disconnect_cb(struct rte_comch_conn *conn, int status, void *user_data)
{
	RTE_SET_USED(status);
	RTE_SET_USED(user_data);
	target.nb_disconnects++;
	if (target.conn == conn)
		target.conn = NULL;
}

static void
consumer_cb(struct rte_comch_conn *conn, uint32_t id, void *user_data)
{
	RTE_SET_USED(user_data);
	if (conn == NULL || id == 0)
		abort();
}

void
fuzz_card_send(uint32_t len)
{
	struct rte_comch_task *task;

	if (target.conn == NULL ||
			rte_comch_conn_task_alloc(target.conn, payload, len, &task) != 0)
		return;
	if (rte_comch_task_submit(task) != 0)
		rte_comch_task_free(task);
}

void
fuzz_card_reset(void)
{
	struct rte_comch_dev_info info = { .nb_links = 1 };
	const uint64_t end = test_now_ns() + RESET_NS;
	unsigned int i;

	hostile_close_all();
	/* LeakSanitizer does not see what only an event has: those are in memory of EAL */
	for (i = 0; info.nb_links != 0 || target.conn != NULL || i < 3 ||
			!rte_mempool_full(events); i++) {
		peer_turn();
		rte_comch_dev_info_get(peer_env.dpu, &info);
		if (test_now_ns() > end)
			abort(); /* something does not end */
	}
}

/* Only a build with a sanitizer has it. */
#pragma weak __sanitizer_get_current_allocated_bytes

static size_t
allocated(void)
{
	return __sanitizer_get_current_allocated_bytes != NULL ?
		__sanitizer_get_current_allocated_bytes() : 0;
}

void
fuzz_card_begin(void)
{
	nb_bytes = allocated();
}

void
fuzz_card_settle(void)
{
	unsigned int i;

	for (i = 0; i < SETTLE_TURNS && allocated() > nb_bytes; i++)
		usleep(SETTLE_US);
}

void
fuzz_card(void)
{
	struct rte_comch_server_conf conf = {
		.name = "target",
		.connect_cb = connect_cb,
		.disconnect_cb = disconnect_cb,
		.ctrl = {
			.send_cb = send_cb,
			.recv_cb = recv_cb,
			.consumer_new_cb = consumer_cb,
			.consumer_gone_cb = consumer_cb,
		},
	};
	char args[PATH_MAX + 64];
	int ret;

	snprintf(peer_env.path, sizeof(peer_env.path), "%s", fuzz_path);
	snprintf(args, sizeof(args), "role=dpu,functions=pf0,path=%s", fuzz_path);
	ret = rte_vdev_init("comch_shm0", args);
	if (ret != 0)
		fuzz_die("card device", ret);
	peer_env.dpu = (int16_t)rte_comch_dev_get_id_by_name("comch_shm0");
	snprintf(args, sizeof(args), "comch_shm_ev%d", peer_env.dpu);
	events = rte_mempool_lookup(args);
	if (events == NULL)
		fuzz_die("events of the card device", ENOENT);
	peer_env.target = &target;
	ret = rte_comch_pe_create(NULL, &peer_env.pe);
	if (ret == 0)
		ret = rte_comch_server_create(peer_env.dpu, 0, &conf, &target.ctx);
	if (ret == 0)
		ret = rte_comch_ctx_attach(target.ctx, peer_env.pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(target.ctx);
	if (ret != 0)
		fuzz_die("server", ret);
}
