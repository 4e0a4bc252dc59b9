/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What attackers of the suite shm_attack_storm connect to: a server on each function, which
 * sends back what it gets, and sends to the consumers that attackers have.
 */

#include "test_shm_storm.h"

/* Producers that send to attackers' consumers. */
#define MAX_TARGETS 16u
#define TARGET_LEN 4096u

struct target {
	struct rte_comch_conn *conn;
	struct rte_comch_ctx *ctx;
	uint32_t consumer;
	bool over;
};

static struct target targets[MAX_TARGETS];
static struct rte_comch_mem *target_mem; /* what is sent to attackers */
static struct rte_comch_pe *target_pe;

/* An echo, as long as there is a task: a peer that does not read gets none. */
static void
target_recv(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn, const void *msg,
		uint32_t len)
{
	test_send(conn, msg, len);
}

static void
target_consumer_new(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data __rte_unused)
{
	struct target *target = targets;
	unsigned int i;

	for (i = 0; i < MAX_TARGETS && targets[i].conn != conn; i++)
		if (target->conn != NULL)
			target = &targets[i];
	if (i < MAX_TARGETS || target->conn != NULL ||
			rte_comch_producer_create(conn, NULL, &target->ctx) != 0)
		return;
	target->conn = conn;
	target->consumer = consumer_id;
	target->over = rte_comch_ctx_attach(target->ctx, target_pe) != 0 ||
		rte_comch_ctx_start(target->ctx) != 0;
}

static void
target_consumer_gone(struct rte_comch_conn *conn, uint32_t consumer_id,
		void *user_data __rte_unused)
{
	unsigned int i;

	for (i = 0; i < MAX_TARGETS; i++)
		if (targets[i].conn == conn && targets[i].consumer == consumer_id)
			targets[i].over = true;
}

static void
target_disconnect(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn,
		int status __rte_unused)
{
	unsigned int i;

	for (i = 0; i < MAX_TARGETS; i++)
		if (targets[i].conn == conn)
			targets[i].over = true;
}

static void
target_turn(struct target *target)
{
	const struct rte_comch_send send = {
		.addr = rte_comch_mem_addr(target_mem), .len = TARGET_LEN, .mem = target_mem,
		.flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	struct rte_comch_cpl cpls[32];

	if (target->conn == NULL)
		return;
	rte_comch_queue_poll_burst(target->ctx, cpls, RTE_DIM(cpls));
	if (!target->over) {
		rte_comch_producer_send_burst(target->ctx, target->consumer, &send, 1);
		return;
	}
	if (rte_comch_ctx_state_get(target->ctx) == RTE_COMCH_STATE_RUNNING)
		rte_comch_ctx_stop(target->ctx);
	if (rte_comch_ctx_state_get(target->ctx) == RTE_COMCH_STATE_IDLE &&
			rte_comch_ctx_destroy(target->ctx) == 0)
		memset(target, 0, sizeof(*target));
}

void
storm_targets_turn(void)
{
	unsigned int i;

	for (i = 0; i < MAX_TARGETS; i++)
		target_turn(&targets[i]);
}

int
storm_target_start(struct rte_comch_pe *pe)
{
	struct rte_comch_server_conf conf;
	struct test_ep *ep = test_ep_new();
	int ret = 0;

	target_pe = pe;
	if (target_mem == NULL)
		ret = rte_comch_mem_alloc(test_pair.dpu, TARGET_LEN, 0, &target_mem);
	test_server_conf(ep, "target", &conf);
	conf.ctrl.consumer_new_cb = target_consumer_new;
	conf.ctrl.consumer_gone_cb = target_consumer_gone;
	ep->on_recv = target_recv;
	ep->on_disconnect = target_disconnect;
	return ret == 0 ? test_server_start(ep, &conf, pe) : ret;
}

void
storm_targets_end(void)
{
	unsigned int i;

	for (i = 0; i < MAX_TARGETS; i++) {
		targets[i].over = true;
		while (targets[i].conn != NULL) {
			test_progress();
			target_turn(&targets[i]);
		}
		targets[i].over = false;
	}
	rte_comch_mem_free(target_mem);
	target_mem = NULL;
}
