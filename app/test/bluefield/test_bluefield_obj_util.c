/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Functions and objects for the tests of layer obj. The layer has no public
 * interface: the program calls it directly, where it is linked with the archive
 * of the driver.
 */

#include "bluefield_prm.h"
#include "bluefield_seam.h"
#include "test_bluefield_obj.h"

#define CMD_MS 2000
#define SHORT_MS 120

struct bf_func *obj_func;
struct bf_obj_dev *obj_dev;
struct set obj_set;
static long base; /* objects that the function itself has */
static uint32_t nb_fatal;

static void
count_fatal(void *arg __rte_unused, enum bf_fatal fatal __rte_unused, int reason __rte_unused)
{
	__atomic_fetch_add(&nb_fatal, 1, __ATOMIC_RELAXED);
}

uint32_t
obj_fatals(void)
{
	return __atomic_load_n(&nb_fatal, __ATOMIC_RELAXED);
}

int
obj_func_open(const char *function, const struct bf_func_conf *conf, struct bf_func **func,
		struct bf_obj_dev **dev)
{
	char path[PATH_MAX + 64];
	struct bf_hw *hw;

	snprintf(path, sizeof(path), "%s/%s.sock", model.dir, function);
	TEST_EXPECT(bf_hw_vfu_open(function, path, TEST_MS, &hw), 0);
	TEST_EXPECT(bf_func_create(hw, conf, func), 0);
	TEST_EXPECT(bf_fw_open(*func, dev), 0);
	return TEST_SUCCESS;
}

/* fe80:: and the MAC address, as InfiniBand makes one of the other. */
int
obj_addr_use(struct bf_obj_dev *dev, struct bf_roce_addr *addr, uint16_t *index)
{
	struct bf_vport vport;

	TEST_EXPECT(bf_vport_set_roce(dev, true), 0);
	TEST_EXPECT(bf_vport_query(dev, &vport), 0);
	memset(addr, 0, sizeof(*addr));
	memcpy(addr->mac, vport.mac, sizeof(vport.mac));
	addr->gid[0] = 0xfe;
	addr->gid[1] = 0x80;
	memcpy(&addr->gid[8], &vport.mac[0], 3);
	addr->gid[8] ^= 2;
	addr->gid[11] = 0xff;
	addr->gid[12] = 0xfe;
	memcpy(&addr->gid[13], &vport.mac[3], 3);
	addr->version = 2;
	addr->ipv6 = true;
	TEST_EXPECT(bf_roce_addr_use(dev, addr, index), 0);
	return TEST_SUCCESS;
}

int
obj_func_up(const char *function, uint32_t cmd_ms, uint32_t max_pages)
{
	struct bf_func_conf conf;

	bf_func_conf_init(&conf);
	conf.cmd_timeout_ms = cmd_ms != 0 ? cmd_ms : CMD_MS;
	conf.fw_timeout_ms = 5000;
	conf.health_ms = 30;
	if (max_pages != 0)
		conf.max_pages = max_pages;
	conf.fatal_cb = count_fatal;
	nb_fatal = 0;
	TEST_CALL(obj_func_open(function, &conf, &obj_func, &obj_dev));
	base = test_model_state(&model, function, "objects");
	TEST_TRUE(base >= 0);
	return TEST_SUCCESS;
}

void
obj_func_down(void)
{
	bf_fw_close(obj_dev);
	obj_dev = NULL;
	bf_func_destroy(obj_func);
	obj_func = NULL;
}

int
obj_case_setup(void)
{
	obj_func = NULL;
	obj_dev = NULL;
	memset(&obj_set, 0, sizeof(obj_set));
	return test_log_begin();
}

static int
setup_pf(const char *functions, uint32_t cmd_ms)
{
	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, functions));
	return obj_func_up("pf0", cmd_ms, 0);
}

int
obj_case_setup_pf(void)
{
	return setup_pf("pf0,flr_ms=5", 0);
}

int
obj_case_setup_quick(void)
{
	return setup_pf("pf0,flr_ms=5 --latency=0.1", 0);
}

int
obj_case_setup_short(void)
{
	return setup_pf("pf0,flr_ms=5", SHORT_MS);
}

void
obj_case_teardown(void)
{
	if (test_model_devs_remove(&model) != TEST_SUCCESS)
		test_fail("a device cannot be removed");
	if (obj_dev != NULL)
		obj_set_destroy(&obj_set);
	obj_func_down();
	test_model_teardown();
}

long
obj_count(void)
{
	return test_model_state(&model, "pf0", "objects") - base;
}

int
obj_passed_clean(void)
{
	obj_set_destroy(&obj_set);
	TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
	TEST_EXPECT(obj_count(), 0);
	obj_func_down();
	TEST_WAIT(test_model_state(&model, "pf0", "connected") == 0, TEST_MS);
	TEST_EXPECT(test_model_state(&model, "pf0", "given"), 0);
	TEST_EXPECT(test_model_state(&model, "pf0", "objects"), 0);
	TEST_TRUE(!test_log_has("objects are left"));
	return test_log_passed();
}

/*
 * Kinds
 */

static int
make_pd(struct set *s)
{
	return bf_pd_create(obj_dev, &s->pd);
}

static int
make_uar(struct set *s)
{
	return bf_uar_create(obj_dev, &s->uar);
}

static int
make_ceq(struct set *s)
{
	const struct bf_ceq_attr attr = { .uar = &s->uar, .nb_eqes = 64, .vector = 1 };

	return bf_ceq_create(obj_dev, &attr, &s->ceq);
}

static int
make_cq(struct set *s)
{
	const struct bf_cq_attr attr = { .nb_cqes = 64, .uar = &s->uar };

	return bf_cq_create(obj_dev, &attr, &s->cq);
}

static int
make_srq(struct set *s)
{
	const struct bf_srq_attr attr = { .pd = &s->pd, .nb_wqes = 64, .wqe_size = 64 };

	return bf_srq_create(obj_dev, &attr, &s->srq);
}

static int
make_mkey(struct set *s)
{
	struct bf_mkey_attr attr = { .pd = &s->pd, .local_write = true };
	int ret;

	if (s->mem == NULL) {
		ret = bf_mem_alloc(obj_dev, 2 * BF_PAGE_SIZE, &s->mem);
		if (ret != 0)
			return ret;
	}
	attr.mem = s->mem;
	attr.addr = s->mem->addr;
	attr.len = s->mem->len;
	return bf_mkey_create(obj_dev, &attr, &s->mkey);
}

static int
make_qp(struct set *s)
{
	const struct bf_qp_attr attr = {
		.pd = &s->pd, .uar = &s->uar, .cq_send = &s->cq,
		.cq_recv = &s->cq, .nb_sq_blocks = 64,
		.srq = s->srq.obj.dev != NULL ? &s->srq : NULL,
		.nb_rq_wqes = s->srq.obj.dev != NULL ? 0 : 64, .rq_wqe_size = 64,
		.user_index = UINT32_MAX,
	};

	return bf_qp_create(obj_dev, &attr, &s->qp);
}

static void
end_pd(struct set *s)
{
	bf_pd_destroy(&s->pd);
}

static void
end_uar(struct set *s)
{
	bf_uar_destroy(&s->uar);
}

static void
end_ceq(struct set *s)
{
	bf_ceq_destroy(&s->ceq);
}

static void
end_cq(struct set *s)
{
	bf_cq_destroy(&s->cq);
}

static void
end_srq(struct set *s)
{
	bf_srq_destroy(&s->srq);
}

static void
end_mkey(struct set *s)
{
	bf_mkey_destroy(&s->mkey);
}

static void
end_qp(struct set *s)
{
	bf_qp_destroy(&s->qp);
}

const struct kind obj_kinds[NB_KINDS] = {
	{ "ALLOC_PD", "DEALLOC_PD", make_pd, end_pd },
	{ "ALLOC_UAR", "DEALLOC_UAR", make_uar, end_uar },
	{ "CREATE_EQ", "DESTROY_EQ", make_ceq, end_ceq },
	{ "CREATE_CQ", "DESTROY_CQ", make_cq, end_cq },
	{ "CREATE_RMP", "DESTROY_RMP", make_srq, end_srq },
	{ "CREATE_MKEY", "DESTROY_MKEY", make_mkey, end_mkey },
	{ "CREATE_QP", "DESTROY_QP", make_qp, end_qp },
};

int
obj_set_create(struct set *s)
{
	unsigned int i;

	for (i = 0; i < NB_KINDS; i++)
		TEST_EXPECT(obj_kinds[i].make(s), 0);
	return TEST_SUCCESS;
}

void
obj_set_destroy(struct set *s)
{
	unsigned int i;

	for (i = NB_KINDS; i-- > 0;)
		obj_kinds[i].end(s);
	bf_mem_free(s->mem);
	s->mem = NULL;
}

int
obj_qp_query(struct bf_qp *qp, struct obj_qp_info *info)
{
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 };
	uint8_t out[BF_QUERY_QP_OUT_SIZE];
	const uint8_t *qpc = out + BF_CREATE_QP_IN_QPC;
	int ret;

	bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_QP);
	bf_set(in, BF_OBJ_ID, qp->obj.id);
	ret = qp->obj.dev->ops->modify(&qp->obj, in, sizeof(in), out, sizeof(out));
	if (ret != 0)
		return ret;
	info->state = bf_get(qpc, BF_QPC_STATE);
	info->remote_qpn = bf_get(qpc, BF_QPC_REMOTE_QPN);
	info->qkey = bf_get(qpc, BF_QPC_Q_KEY);
	info->sq_counter = bf_get(qpc, BF_QPC_HW_SQ_WQEBB_COUNTER);
	info->rq_counter = bf_get(qpc, BF_QPC_HW_RQ_COUNTER);
	return 0;
}

const struct bf_qp_path obj_path = {
	.mtu = 3, .remote_psn = 1, .local_psn = 1, .min_rnr_nak = 12, .loopback = true,
	.ack_timeout = 14, .retry_count = 7, .rnr_retry = 7,
};
