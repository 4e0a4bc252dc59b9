/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device and the queue pairs of test_bluefield_group.h.
 */

#define ALLOW_INTERNAL_API 1 /* it looks into a device */

#include "test_bluefield_group.h"

int16_t group_dev_id;
struct bf_dev *group_dev;
uint32_t group_node_cqes;
static struct rte_comch_pe *pes[GROUP_MAX_PES];

int
group_case_setup(void)
{
	group_dev_id = -1;
	group_dev = NULL;
	group_node_cqes = 32;
	TEST_CALL(test_log_begin());
	return test_model_start(&model,
		"pf0vf0,flr_ms=5,mac=02:00:00:00:0a:00 ecpf0vf0,flr_ms=5,mac=" GROUP_PEER);
}

struct bf_dev *
group_dev_of(int16_t dev_id)
{
	struct rte_comch_dev_info info;

	if (rte_comch_dev_info_get(dev_id, &info) != 0)
		return NULL;
	return rte_comch_pmd_get_by_name(info.name)->priv;
}

int
group_dev_add(const char *args)
{
	char text[256];

	snprintf(text, sizeof(text), "peer=" GROUP_PEER "%s%s", args[0] != '\0' ? "," : "", args);
	group_dev_id = (int16_t)test_model_dev_add(&model, "pf0vf0", text);
	TEST_TRUE(group_dev_id >= 0);
	group_dev = group_dev_of(group_dev_id);
	TEST_TRUE(group_dev != NULL);
	return TEST_SUCCESS;
}

int
group_case_setup_dev(void)
{
	TEST_CALL(group_case_setup());
	return group_dev_add("");
}

static void
all_down(void)
{
	unsigned int i;

	for (i = 0; i < GROUP_MAX_PES; i++)
		group_pe_del(pes[i]);
	if (test_model_devs_remove(&model) != TEST_SUCCESS)
		test_fail("the device cannot be removed");
	group_dev = NULL;
}

void
group_case_teardown(void)
{
	all_down();
	test_model_teardown();
}

long
group_objects(void)
{
	return test_model_state(&model, "pf0vf0", "objects");
}

int
group_passed_clean(void)
{
	all_down();
	TEST_WAIT(test_model_state(&model, "pf0vf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(group_objects(), 0);
	TEST_EXPECT(test_model_state(&model, "pf0vf0", "given"), 0);
	TEST_TRUE(!test_log_has("objects are left"));
	return test_log_passed();
}

int
group_pe_add(struct rte_comch_pe **pe)
{
	unsigned int i;
	int ret;

	for (i = 0; i < GROUP_MAX_PES && pes[i] != NULL; i++)
		;
	if (i == GROUP_MAX_PES || rte_comch_pe_create(NULL, &pes[i]) != 0)
		return -ENOMEM;
	ret = rte_comch_pe_dev_add(pes[i], group_dev_id);
	if (ret != 0) {
		rte_comch_pe_destroy(pes[i]);
		pes[i] = NULL;
		return ret;
	}
	*pe = pes[i];
	return 0;
}

void
group_pe_del(struct rte_comch_pe *pe)
{
	unsigned int i;

	for (i = 0; i < GROUP_MAX_PES && pes[i] != pe; i++)
		;
	if (pe == NULL || i == GROUP_MAX_PES)
		return;
	pes[i] = NULL;
	if (rte_comch_pe_destroy(pe) != 0)
		test_fail("an engine cannot be destroyed");
}

struct bf_group *
group_of(const struct rte_comch_pe *pe)
{
	struct bf_group *group;

	TAILQ_FOREACH(group, &group_dev->groups, next)
		if (group->pg.pe == pe)
			break;
	return group;
}

static void
node_completion(struct node *node, const struct bf_cqe *cqe)
{
	switch (bf_cqe_opcode(cqe)) {
	case BF_CQE_REQ:
		node->nb_sent += bf_sendq_done(&node->sq, bf_cqe_wqe_counter(cqe)) == 0;
		break;
	case BF_CQE_RESP_SEND:
		node->nb_received += bf_recvq_done(&node->rq, bf_cqe_wqe_counter(cqe)) == 0;
		break;
	default:
		node->nb_errors++;
		break;
	}
}

static void
node_rung(struct bf_idle *idle_queue)
{
	struct node *node = container_of(idle_queue, struct node, idle_queue);
	const struct bf_cqe *cqe;

	node->nb_events++;
	bf_compq_event(&node->compq);
	while ((cqe = bf_compq_next(&node->compq)) != NULL)
		node_completion(node, cqe);
	bf_compq_arm(&node->compq);
}

static int
node_queues_create(struct bf_group *group, struct node *node)
{
	struct bf_dev *dev = group->dev;
	const struct bf_cq_attr cq = {
		.nb_cqes = group_node_cqes, .uar = group->uar, .ceq = &group->ceq,
	};
	const struct bf_qp_attr qp = {
		.pd = &dev->pd, .uar = group->uar, .cq_send = &node->cq, .cq_recv = &node->cq,
		.nb_sq_blocks = 16, .nb_rq_wqes = 16, .rq_wqe_size = 16, .user_index = UINT32_MAX,
	};

	TEST_EXPECT(bf_cq_create(dev->objs, &cq, &node->cq), 0);
	TEST_EXPECT(bf_compq_init(&node->compq, &node->cq, group->uar), 0);
	TEST_EXPECT(bf_qp_create(dev->objs, &qp, &node->qp), 0);
	TEST_EXPECT(bf_sendq_init(&node->sq, &node->qp, group->uar), 0);
	TEST_EXPECT(bf_recvq_init(&node->rq, &node->qp), 0);
	return TEST_SUCCESS;
}

int
node_create(struct bf_group *group, struct node *node)
{
	struct bf_qp_path path = {
		.mtu = 3, .min_rnr_nak = 12, .loopback = true, .ack_timeout = 14,
		.retry_count = 7, .rnr_retry = 7,
	};

	memset(node, 0, sizeof(*node));
	node->group = group;
	bf_group_hold(group);
	TEST_CALL(node_queues_create(group, node));
	node->idle_queue.handler = node_rung;
	TEST_EXPECT(bf_group_idle_add(group, node->cq.obj.id, &node->idle_queue), 0);
	node->added = true;
	bf_compq_arm(&node->compq);
	path.remote_qpn = node->qp.obj.id;
	TEST_EXPECT(bf_qp_to_init(&node->qp), 0);
	TEST_EXPECT(bf_qp_to_rtr(&node->qp, &path), 0);
	TEST_EXPECT(bf_qp_to_rts(&node->qp, &path), 0);
	return TEST_SUCCESS;
}

void
node_destroy(struct node *node)
{
	bf_sendq_fini(&node->sq);
	bf_qp_destroy(&node->qp);
	if (node->added)
		bf_group_idle_del(node->group, &node->idle_queue);
	node->added = false;
	bf_cq_destroy(&node->cq);
	bf_group_drop(node->group);
}

int
node_send(struct node *node)
{
	const struct bf_send_wr wr = {
		.opcode = BF_WQE_SEND, .inl = NULL, .signalled = true,
	};

	if (bf_recvq_post(&node->rq, NULL, 0) < 0)
		return -ENOSPC;
	bf_recvq_ring(&node->rq);
	if (bf_sendq_send(&node->sq, &wr) < 0)
		return -ENOSPC;
	bf_sendq_ring(&node->sq);
	return 0;
}
