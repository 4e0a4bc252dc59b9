/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Traffic on a connection that is about to fail: see test_bluefield_faults.h. Each message
 * has its number, so that one that is lost, doubled or out of order is seen.
 */

#include "test_bluefield_faults.h"
#include "test_comch_fp_child.h"
#include "test_comch_fp_rx.h"

#define FLOW_SLOTS 32u
#define FLOW_LEN 512u
#define FLOW_BURST 16u
#define CTRL_LEN 200u

struct test_place fault_place;
int fault_card, fault_host;
struct test_fp fault_fp;
struct fault_flow fault_up, fault_down;

static long card_objects, host_objects;
static char *env_devs;

int
fault_setup(void)
{
	const char *devs = getenv("COMCH_TEST_DEVS");

	fault_card = fault_host = -1;
	card_objects = host_objects = -1;
	memset(&fault_fp, 0, sizeof(fault_fp));
	memset(&fault_up, 0, sizeof(fault_up));
	memset(&fault_down, 0, sizeof(fault_down));
	TEST_CALL(test_log_begin());
	env_devs = devs != NULL ? strdup(devs) : NULL;
	setenv("COMCH_TEST_DEVS", "bluefield", 1);
	TEST_CALL(test_place_open(&fault_place));
	fault_card = test_place_card(&fault_place);
	fault_host = test_place_host(&fault_place, FAULT_HOST);
	TEST_CALL(test_place_pair(fault_card, fault_host));
	card_objects = test_model_state(&fault_place.model, FAULT_CARD, "objects");
	host_objects = test_model_state(&fault_place.model, FAULT_HOST, "objects");
	TEST_TRUE(card_objects > 0 && host_objects > 0);
	return TEST_SUCCESS;
}

void
fault_teardown(void)
{
	test_child_cleanup();
	test_load_cleanup();
	test_rx_cleanup();
	test_fp_cleanup();
	test_link_cleanup();
	if (fault_host >= 0 && test_vdev_remove((int16_t)fault_host) != 0)
		test_fail("the host's device cannot be removed");
	if (fault_card >= 0 && test_vdev_remove((int16_t)fault_card) != 0)
		test_fail("the card's device cannot be removed");
	if (fault_place.is_open && (
			test_model_state(&fault_place.model, FAULT_CARD, "given") != 0 ||
			test_model_state(&fault_place.model, FAULT_HOST, "given") != 0))
		test_fail("firmware still has pages");
	test_log_end();
	test_place_close(&fault_place);
	if (env_devs != NULL)
		setenv("COMCH_TEST_DEVS", env_devs, 1);
	else
		unsetenv("COMCH_TEST_DEVS");
	free(env_devs);
	env_devs = NULL;
}

/*
 * The fast path
 */

static void
flow_post(struct fault_flow *f, uint32_t slot)
{
	const struct rte_comch_post post = {
		.addr = test_slot(&f->to, slot), .len = f->to.len, .cookie = slot,
	};

	f->posted += rte_comch_consumer_post_burst(f->c->ctx, &post, 1);
}

static uint32_t
flow_receive(struct fault_flow *f)
{
	struct rte_comch_cpl cpls[FLOW_BURST];
	uint64_t nr;
	uint16_t n, i;

	n = rte_comch_queue_poll_burst(f->c->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < n; i++) {
		if (cpls[i].status != 0) {
			f->returned++;
			f->post_status = cpls[i].status;
			continue;
		}
		memcpy(&nr, test_slot(&f->to, (uint32_t)cpls[i].cookie), sizeof(nr));
		if (cpls[i].len != f->from.len || nr != f->received)
			test_fail("message %" PRIu64 " is number %" PRIu64 " of %" PRIu64 " bytes",
				f->received, nr, cpls[i].len);
		f->received++;
		if (f->no_posts)
			f->kept[f->nb_kept++] = (uint32_t)cpls[i].cookie;
		else if (test_q_state(f->c) == RTE_COMCH_STATE_RUNNING)
			flow_post(f, (uint32_t)cpls[i].cookie);
	}
	return n;
}

uint32_t
fault_send_one(struct fault_flow *f)
{
	uint32_t slot = (uint32_t)(f->taken % FLOW_SLOTS);

	if (test_q_state(f->p) != RTE_COMCH_STATE_RUNNING ||
			f->taken - f->done - f->failed == FLOW_SLOTS)
		return 0;
	memcpy(test_slot(&f->from, slot), &f->taken, sizeof(f->taken));
	if (test_send_slot(f->p, f->c->id, &f->from, slot, f->from.len, 0) == 0)
		return 0;
	f->taken++;
	return 1;
}

void
fault_post_one(struct fault_flow *f)
{
	flow_post(f, f->kept[--f->nb_kept]);
}

static uint32_t
flow_send(struct fault_flow *f)
{
	struct rte_comch_cpl cpls[FLOW_BURST];
	uint16_t n, i;

	n = rte_comch_queue_poll_burst(f->p->ctx, cpls, RTE_DIM(cpls));
	for (i = 0; i < n; i++) {
		f->done += cpls[i].status == 0;
		f->failed += cpls[i].status != 0;
		if (cpls[i].status != 0)
			f->send_status = cpls[i].status;
		else if (f->failed != 0)
			test_fail("a message is delivered behind one that is not");
	}
	for (i = 0; i < FLOW_BURST && !f->pause && fault_send_one(f) != 0; i++)
		;
	return (uint32_t)n + i;
}

static int
flow_open(struct fault_flow *f, struct test_fp *fp)
{
	uint32_t i;

	memset(f, 0, sizeof(*f));
	TEST_CALL(test_slots_new(&f->from, fp->tx.dev, 0, FLOW_SLOTS, FLOW_LEN));
	TEST_CALL(test_slots_new(&f->to, fp->rx.dev, RTE_COMCH_MEM_F_PEER_WRITE, FLOW_SLOTS,
		FLOW_LEN));
	TEST_CALL(test_fp_queues(fp, f->to.mem, FLOW_SLOTS, 0, &f->c, &f->p));
	for (i = 0; i < FLOW_SLOTS; i++)
		flow_post(f, i);
	TEST_EXPECT(f->posted, FLOW_SLOTS);
	return TEST_SUCCESS;
}

/* Completions of sends that were not polled before the end are dropped; buffers come back. */
static bool
flow_over(const struct fault_flow *f)
{
	return test_q_state(f->p) == RTE_COMCH_STATE_IDLE &&
		test_q_state(f->c) == RTE_COMCH_STATE_IDLE &&
		f->received + f->returned == f->posted;
}

/* Queues do not say how their connection has ended, only that it has. */
static int
flow_check(const struct fault_flow *f)
{
	TEST_EXPECT(rte_comch_ctx_reason_get(f->p->ctx), -ECONNRESET);
	TEST_EXPECT(rte_comch_ctx_reason_get(f->c->ctx), -ECONNRESET);
	TEST_TRUE(f->done + f->failed <= f->taken);
	TEST_TRUE(f->received >= f->done && f->received <= f->taken);
	if (f->failed != 0)
		TEST_EXPECT(f->send_status, -ECONNRESET);
	if (f->returned != 0)
		TEST_EXPECT(f->post_status, -ECONNRESET);
	return TEST_SUCCESS;
}

/*
 * Both paths
 */

int
fault_connect(void)
{
	struct test_fp back;

	TEST_CALL(test_fp_open(&fault_fp, TEST_FP_TO_DPU));
	back.tx = fault_fp.rx;
	back.rx = fault_fp.tx;
	TEST_CALL(flow_open(&fault_up, &fault_fp));
	TEST_CALL(flow_open(&fault_down, &back));
	return TEST_SUCCESS;
}

static void
ctrl_send(struct test_ep *ep)
{
	if (ep->conn != NULL && test_ctx_info(ep->ctx).nb_tasks < 4)
		test_send_pattern(ep->conn, CTRL_LEN, ep->nb_done);
}

bool
fault_turn(void)
{
	uint32_t nb = 0;

	if (!fault_up.pause)
		ctrl_send(fault_fp.tx.ep);
	if (!fault_down.pause)
		ctrl_send(fault_fp.rx.ep);
	nb += flow_receive(&fault_up) + flow_receive(&fault_down);
	nb += flow_send(&fault_up) + flow_send(&fault_down);
	return test_progress() + nb != 0;
}

int
fault_run(uint32_t nb)
{
	uint64_t up = fault_up.received + nb, down = fault_down.received + nb;
	uint32_t host = fault_fp.tx.ep->nb_recv + nb / 8, card = fault_fp.rx.ep->nb_recv + nb / 8;

	FAULT_WAIT(fault_up.received >= up && fault_down.received >= down &&
		fault_fp.tx.ep->nb_recv >= host && fault_fp.rx.ep->nb_recv >= card, FAULT_SOON_MS);
	return TEST_SUCCESS;
}

int
fault_quiet(void)
{
	fault_up.pause = fault_down.pause = true;
	FAULT_WAIT(fault_up.done == fault_up.taken && fault_down.done == fault_down.taken &&
		fault_up.received == fault_up.taken && fault_down.received == fault_down.taken &&
		test_ctx_info(fault_fp.tx.ep->ctx).nb_tasks == 0 &&
		test_ctx_info(fault_fp.rx.ep->ctx).nb_tasks == 0, FAULT_SOON_MS);
	return TEST_SUCCESS;
}

int
fault_ended(int card_reason, int host_reason)
{
	struct test_ep *client = fault_fp.tx.ep, *server = fault_fp.rx.ep;

	FAULT_WAIT(client->conn == NULL && test_state(client) == RTE_COMCH_STATE_IDLE,
		FAULT_SOON_MS);
	FAULT_WAIT(server->conn == NULL && server->nb_disconnects == server->nb_connects,
		FAULT_SOON_MS);
	FAULT_WAIT(flow_over(&fault_up) && flow_over(&fault_down), FAULT_SOON_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), host_reason);
	TEST_EXPECT(server->disconnect_status, card_reason);
	TEST_CALL(flow_check(&fault_up));
	TEST_CALL(flow_check(&fault_down));
	/* and so for messages of the control path */
	TEST_EXPECT(test_ctx_info(client->ctx).nb_tasks, 0);
	TEST_EXPECT(test_ctx_info(server->ctx).nb_tasks, 0);
	if (client->nb_failed != 0)
		TEST_EXPECT(client->send_status, -ECONNRESET);
	if (server->nb_failed != 0)
		TEST_EXPECT(server->send_status, -ECONNRESET);
	return TEST_SUCCESS;
}

int
fault_again(void)
{
	test_fp_cleanup();
	test_link_cleanup();
	if (test_dev_status((int16_t)fault_host) != 0)
		TEST_EXPECT(rte_comch_dev_reset((int16_t)fault_host), 0);
	if (test_dev_status((int16_t)fault_card) != 0)
		TEST_EXPECT(rte_comch_dev_reset((int16_t)fault_card), 0);
	TEST_CALL(fault_connect());
	return fault_run(200);
}

int
fault_passed(void)
{
	test_fp_cleanup();
	/* what CM keeps for a while goes by the clock */
	TEST_WAIT(test_model_state(&fault_place.model, FAULT_CARD, "objects") == card_objects,
		FAULT_SOON_MS);
	TEST_WAIT(test_model_state(&fault_place.model, FAULT_HOST, "objects") == host_objects,
		FAULT_SOON_MS);
	return test_log_passed();
}
