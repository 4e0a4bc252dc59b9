/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer obj of the bluefield driver on a back end that has no device: what is above
 * the seam needs no register and no address of a device, undoes what came before a
 * refusal, and uses what somebody else owns.
 */

#include <rte_bitops.h>

#include "bluefield_wq_io.h"
#include "test_bluefield_obj.h"
#include "test_bluefield_seam.h"

#define APP_BYTES 10000

static struct seam seam;
static uint8_t app_bytes[APP_BYTES];

static const struct bf_roce_addr addr = {
	.gid = { 0xfe, 0x80, [15] = 9 }, .mac = { 2, 0, 0, 0, 0, 9 }, .version = 2, .ipv6 = true,
};

static int
setup(void)
{
	TEST_CALL(obj_case_setup());
	TEST_EXPECT(seam_open(&seam), 0);
	/* what makes one of each kind makes it here */
	obj_dev = &seam.dev;
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	if (obj_dev != NULL && seam.mistake == NULL)
		obj_set_destroy(&obj_set);
	obj_dev = NULL;
	seam_close(&seam);
	test_log_end();
}

/* Nothing is left, and the layer above did nothing that it may not. */
static int
passed(void)
{
	obj_set_destroy(&obj_set);
	TEST_ASSERT(seam.mistake == NULL, "%s", seam.mistake);
	TEST_EXPECT(seam.nb_live, 0);
	TEST_EXPECT(seam.nb_mems, 0);
	return test_log_passed();
}

/*
 * Everything that the layer does. An error ends it, and is returned.
 */

static int
all_states(struct set *s)
{
	struct bf_qp_path path = obj_path;
	struct obj_qp_info info;
	int ret;

	path.remote_qpn = s->qp.obj.id;
	ret = bf_qp_to_init(&s->qp);
	if (ret == 0)
		ret = bf_qp_to_rtr(&s->qp, &path);
	if (ret == 0)
		ret = bf_qp_to_rts(&s->qp, &path);
	if (ret == 0)
		ret = obj_qp_query(&s->qp, &info);
	if (ret == 0 && (info.state != BF_QP_RTS || info.remote_qpn != s->qp.obj.id))
		ret = -EPROTO;
	if (ret == 0)
		ret = bf_qp_to_error(&s->qp);
	if (ret == 0)
		ret = bf_qp_to_reset(&s->qp);
	return ret;
}

static int
all_port(void)
{
	struct bf_roce_addr got;
	struct bf_vport vport;
	uint16_t index = 2;
	int ret;

	ret = bf_vport_query(obj_dev, &vport);
	if (ret == 0)
		ret = bf_vport_set_roce(obj_dev, true);
	if (ret == 0)
		ret = bf_roce_addr_use(obj_dev, &addr, &index);
	if (ret == 0)
		ret = bf_roce_addr_query(obj_dev, index, &got);
	if (ret == 0 && memcmp(&got, &addr, sizeof(got)) != 0)
		ret = -EPROTO;
	return ret;
}

/* A key of memory of the application. */
static int
all_registered(struct set *s)
{
	struct bf_mkey_attr attr = { .pd = &s->pd, .addr = app_bytes + 1, .len = 100 };
	struct bf_mkey mkey;
	int ret, err;

	ret = bf_mem_register(obj_dev, app_bytes, sizeof(app_bytes), 0, &attr.mem);
	if (ret != 0)
		return ret;
	ret = bf_mkey_create(obj_dev, &attr, &mkey);
	if (ret == 0)
		ret = bf_mkey_destroy(&mkey);
	err = bf_mem_free(attr.mem);
	return ret != 0 ? ret : err;
}

static int
all(struct set *s)
{
	unsigned int i;
	int ret = all_port();

	for (i = 0; i < NB_KINDS && ret == 0; i++)
		ret = obj_kinds[i].make(s);
	if (ret == 0)
		ret = all_states(s);
	if (ret == 0)
		ret = all_registered(s);
	return ret;
}

static int
test_all(void)
{
	TEST_EXPECT(all(&obj_set), 0);
	TEST_ASSERT(seam.mistake == NULL, "%s", seam.mistake);
	TEST_EXPECT(seam.nb_live, NB_KINDS);
	/* rings of four, and what the key is for */
	TEST_EXPECT(seam.nb_mems, 5);
	TEST_TRUE(obj_set.cq.obj.handle != NULL && obj_set.cq.obj.handle != obj_set.qp.obj.handle);
	/* all of the rings is there */
	memset(obj_set.cq.ring, 0, obj_set.cq.nb_cqes * 64);
	memset(obj_set.srq.ring, 0, obj_set.srq.nb_wqes * obj_set.srq.wqe_size);
	memset(obj_set.qp.sq, 0, obj_set.qp.nb_sq_blocks * 64);
	obj_set.cq.dbr[1] = obj_set.qp.dbr[1] = obj_set.srq.dbr[0] = 1;
	return passed();
}

/* Each call of each operation is refused once: the reason comes up, nothing is left. */
static int
test_refusals(void)
{
	static const bool undoes[NB_SEAM_OPS] = {
		/* no reason is returned where something ends: it has ended for the caller */
		[SEAM_DESTROY] = true, [SEAM_UAR_FREE] = true, [SEAM_MEM_FREE] = true,
	};
	unsigned int op, nth, nb;
	int ret;

	for (op = 0; op < NB_SEAM_OPS; op++) {
		for (nth = 1;; nth++) {
			TEST_CALL((seam_close(&seam), seam_open(&seam)));
			seam.refuse_op = op;
			seam.refuse_nth = nth;
			ret = all(&obj_set);
			obj_set_destroy(&obj_set);
			nb = seam.nb_calls[op];
			if (nb < nth)
				break;
			TEST_ASSERT(ret == SEAM_ERRNO || (undoes[op] && ret == 0),
				"operation %u, call %u: %d", op, nth, ret);
			TEST_ASSERT(seam.mistake == NULL && seam.nb_live == 0 && seam.nb_mems == 0,
				"operation %u, call %u: %u objects, %u memories: %s", op, nth,
				seam.nb_live, seam.nb_mems, seam.mistake);
		}
		TEST_EXPECT(ret, 0);
		/* one that the layer does not need here is that of the next case */
		TEST_ASSERT(nth > 1 || op == SEAM_GID_INDEX, "operation %u is not used", op);
	}
	return passed();
}

/* What the caller has to know: a key that is not gone, memory that is in use. */
static int
test_end_refused(void)
{
	TEST_EXPECT(obj_kinds[KIND_PD].make(&obj_set), 0);
	TEST_EXPECT(obj_kinds[KIND_MKEY].make(&obj_set), 0);
	seam.refuse_op = SEAM_DESTROY;
	seam.refuse_nth = 1;
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), SEAM_ERRNO);
	TEST_EXPECT(bf_mkey_destroy(&obj_set.mkey), 0);
	seam.refuse_op = SEAM_MEM_FREE;
	TEST_EXPECT(bf_mem_free(obj_set.mem), SEAM_ERRNO);
	obj_set.mem = NULL;
	return passed();
}

/*
 * What somebody else owns
 */

static int
test_pd_of_others(void)
{
	seam.dev.has_pd = true;
	seam.dev.pdn = 0x1234;
	TEST_CALL(obj_set_create(&obj_set));
	TEST_EXPECT(obj_set.pd.obj.id, 0x1234);
	/* made last: the queue pair */
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_QP_IN_QPC, BF_QPC_PD), 0x1234);
	TEST_EXPECT(seam.nb_live, NB_KINDS - 1);
	obj_kinds[KIND_QP].end(&obj_set);
	obj_kinds[KIND_MKEY].end(&obj_set);
	TEST_EXPECT(obj_kinds[KIND_MKEY].make(&obj_set), 0);
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_MKEY_IN_MKC, BF_MKC_PD), 0x1234);
	obj_kinds[KIND_SRQ].end(&obj_set);
	TEST_EXPECT(obj_kinds[KIND_SRQ].make(&obj_set), 0);
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_RMP_IN_CTX + BF_RMPC_WQ, BF_WQ_PD), 0x1234);
	return passed();
}

static int
test_eq_of_others(void)
{
	TEST_EXPECT(obj_kinds[KIND_UAR].make(&obj_set), 0);
	TEST_EXPECT(obj_kinds[KIND_CQ].make(&obj_set), 0);
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_CQ_IN_CQC, BF_CQC_C_EQN_OR_APU_ELEMENT),
		SEAM_EQ_NUMBER);
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_CQ_IN_CQC, BF_CQC_UAR_PAGE), obj_set.uar.obj.id);
	return passed();
}

static int
test_port_of_others(void)
{
	static const struct bf_roce_addr ip4 = { .gid = { [10] = 0xff, 0xff, 192, 0, 2, 1 } };
	struct bf_qp_path path = obj_path;
	const uint8_t *ads = seam.in + BF_CREATE_QP_IN_QPC + BF_QPC_PRIMARY_ADDRESS_PATH;
	uint16_t index = 0;

	/* ours: the address goes where we say, and there only */
	TEST_EXPECT(bf_roce_addr_use(obj_dev, &addr, &index), 0);
	TEST_TRUE(index == 0 && memcmp(seam.addrs[0], addr.gid, sizeof(addr.gid)) == 0);
	memset(seam.addrs, 0, sizeof(seam.addrs));
	/* somebody else's: nothing is set */
	seam_own_port(&seam, false);
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), -EPERM);
	TEST_TRUE(test_log_has("mlx5_ib"));
	TEST_EXPECT(bf_vport_set_roce(obj_dev, false), 0);
	seam.roce_en = true;
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 0, &addr), -EPERM);
	TEST_TRUE(test_log_has("ip address add"));
	TEST_EXPECT(bf_roce_addr_use(obj_dev, &addr, &index), -ENOENT);
	TEST_EXPECT(bf_roce_addr_use(obj_dev, &ip4, &index), -ENOENT);
	TEST_TRUE(test_log_has("no RoCE address 192.0.2.1"));
	TEST_EXPECT(index, 0);
	/* asked for, and used */
	memcpy(seam.addrs[3], addr.gid, sizeof(addr.gid));
	TEST_EXPECT(bf_roce_addr_use(obj_dev, &addr, &index), 0);
	TEST_EXPECT(index, 3);
	TEST_CALL(obj_set_create(&obj_set));
	path.loopback = false;
	path.src_addr_index = index;
	TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
	TEST_EXPECT(bf_qp_to_rtr(&obj_set.qp, &path), 0);
	TEST_EXPECT(bf_get(ads, BF_ADS_SRC_ADDR_INDEX), 3);
	seam.refuse_op = SEAM_GID_INDEX;
	seam.refuse_nth = seam.nb_calls[SEAM_GID_INDEX] + 1;
	TEST_EXPECT(bf_roce_addr_use(obj_dev, &addr, &index), SEAM_ERRNO);
	seam.refuse_op = SEAM_GENERAL;
	seam.refuse_nth = seam.nb_calls[SEAM_GENERAL] + 1;
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), SEAM_ERRNO);
	return passed();
}

/*
 * Doorbells
 */

static int
test_doorbell(void)
{
	static rte_be64_t page[64];
	rte_be64_t val = rte_cpu_to_be_64(0x0123456789abcdef);

	TEST_EXPECT(obj_kinds[KIND_UAR].make(&obj_set), 0);
	/* only the data path touches the page: here it would fault */
	TEST_TRUE(obj_set.uar.page != NULL);
	/* mapped: one store, as it is */
	obj_set.uar.page = page;
	bf_wq_doorbell(&obj_set.uar, 0x20, val);
	TEST_TRUE(page[4] == val && seam.nb_doorbells == 0);
	/* not mapped: the back end has it */
	obj_set.uar.page = NULL;
	bf_wq_doorbell(&obj_set.uar, 0x100, val);
	TEST_TRUE(seam.nb_doorbells == 1 && seam.doorbell_off == 0x100 &&
		seam.doorbell_val == val && page[32] == 0);
	return passed();
}

/*
 * Event queues for completions
 */

/* What the device writes: an event of a completion queue, or of another type. */
static void
event_write(uint32_t index, uint8_t type, uint32_t cqn)
{
	struct bf_eqe *eqe = (struct bf_eqe *)obj_set.ceq.obj.mem->addr + (index & 63);

	eqe->type = type;
	bf_set(eqe->data, BF_EVENT_COMP_CQN, cqn);
	eqe->owner = index >> 6 & 1;
}

static int
test_ceq_create(void)
{
	const uint8_t *eqc = seam.in + BF_CREATE_EQ_IN_EQC;
	struct bf_cq_attr attr = { .nb_cqes = 4, .uar = &obj_set.uar, .ceq = &obj_set.ceq };
	struct bf_ceq_attr bad = { .uar = &obj_set.uar, .nb_eqes = 63 };
	struct bf_ceq none;

	TEST_EXPECT(obj_kinds[KIND_UAR].make(&obj_set), 0);
	TEST_EXPECT(bf_ceq_create(obj_dev, &bad, &none), -EINVAL);
	bad.nb_eqes = 1u << 17;
	TEST_EXPECT(bf_ceq_create(obj_dev, &bad, &none), -EINVAL);
	TEST_EXPECT(seam.nb_mems, 0);
	TEST_EXPECT(obj_kinds[KIND_CEQ].make(&obj_set), 0);
	TEST_EXPECT(bf_get(seam.in, BF_IN_OPCODE), BF_OP_CREATE_EQ);
	TEST_EXPECT(bf_get(eqc, BF_EQC_LOG_EQ_SIZE), 6);
	TEST_EXPECT(bf_get(eqc, BF_EQC_INTR), 1);
	TEST_EXPECT(bf_get(eqc, BF_EQC_UAR_PAGE), obj_set.uar.obj.id);
	/* it takes no event that belongs to the device's own queue */
	TEST_EXPECT(bf_get64(seam.in, BF_CREATE_EQ_IN_EVENT_BITMASK), 0);
	/* of its completion queues, not of the device */
	TEST_EXPECT(bf_cq_create(obj_dev, &attr, &obj_set.cq), 0);
	TEST_EXPECT(bf_get(seam.in + BF_CREATE_CQ_IN_CQC, BF_CQC_C_EQN_OR_APU_ELEMENT),
		obj_set.ceq.obj.id);
	TEST_EXPECT(seam.nb_calls[SEAM_EQN], 0);
	bf_cq_destroy(&obj_set.cq);
	/* one from before a reset */
	obj_set.ceq.obj.gen++;
	TEST_EXPECT(bf_cq_create(obj_dev, &attr, &obj_set.cq), -ESTALE);
	obj_set.ceq.obj.gen--;
	return passed();
}

/* Three laps, doorbells as the device wants them. */
static int
test_ceq_events(void)
{
	struct bf_ceq *ceq = &obj_set.ceq;
	uint32_t i, cqn = 0;

	TEST_EXPECT(obj_kinds[KIND_UAR].make(&obj_set), 0);
	obj_set.uar.page = NULL;
	TEST_EXPECT(obj_kinds[KIND_CEQ].make(&obj_set), 0);
	for (i = 0; i < 3 * 64; i++) {
		TEST_TRUE(!bf_ceq_pending(ceq) && !bf_ceq_next(ceq, &cqn));
		event_write(i, BF_EVENT_COMP, 0x1000 + i);
		TEST_TRUE(bf_ceq_pending(ceq) && bf_ceq_next(ceq, &cqn));
		TEST_EXPECT(cqn, 0x1000 + i);
	}
	TEST_EXPECT(seam.nb_doorbells, 0);
	bf_ceq_commit(ceq);
	bf_ceq_commit(ceq);
	TEST_EXPECT(seam.nb_doorbells, 1);
	TEST_EXPECT(seam.doorbell_off, BF_UAR_EQ_CI);
	TEST_EXPECT(rte_be_to_cpu_32(seam.doorbell_val32), ceq->obj.id << 24 | 3 * 64);
	/* that is for an interrupt, also if nothing was taken */
	bf_ceq_arm(ceq);
	TEST_TRUE(seam.nb_doorbells == 2 && seam.doorbell_off == BF_UAR_EQ_ARM);
	event_write(i, BF_EVENT_CQ_ERROR, 7);
	TEST_TRUE(bf_ceq_next(ceq, &cqn));
	TEST_EXPECT(cqn, UINT32_MAX);
	return passed();
}

/*
 * Objects that are not of this device, or of one that was reset
 */

static int
test_wrong_objects(void)
{
	static struct seam other;
	struct set mixed;
	unsigned int i;
	uint32_t nb;

	TEST_CALL(obj_set_create(&obj_set));
	mixed = obj_set;
	nb = seam_calls(&seam);
	TEST_EXPECT(seam_open(&other), 0);
	obj_dev = &other.dev;
	for (i = KIND_CQ; i < NB_KINDS; i++)
		TEST_EXPECT(obj_kinds[i].make(&mixed), -EINVAL);
	obj_dev = &seam.dev;
	TEST_EXPECT(other.nb_calls[SEAM_CREATE], 0);
	TEST_EXPECT(other.nb_mems, 0);
	seam_close(&other);
	TEST_EXPECT(seam_calls(&seam), nb);
	/* two generations in one command: it does not get as far as the back end */
	nb = seam.nb_calls[SEAM_CREATE];
	for (i = KIND_CQ; i <= KIND_SRQ; i++) {
		mixed = obj_set;
		*(i == KIND_CQ ? &mixed.cq.obj.gen : &mixed.srq.obj.gen) += 1;
		TEST_EXPECT(obj_kinds[KIND_QP].make(&mixed), -ESTALE);
	}
	TEST_EXPECT(seam.nb_calls[SEAM_CREATE], nb);
	TEST_EXPECT(seam.nb_mems, 5);
	return passed();
}

static struct unit_test_suite suite = {
	.suite_name = "objects of BlueField functions, without a device",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_all),
		TEST_CASE_ST(setup, teardown, test_refusals),
		TEST_CASE_ST(setup, teardown, test_end_refused),
		TEST_CASE_ST(setup, teardown, test_pd_of_others),
		TEST_CASE_ST(setup, teardown, test_eq_of_others),
		TEST_CASE_ST(setup, teardown, test_port_of_others),
		TEST_CASE_ST(setup, teardown, test_doorbell),
		TEST_CASE_ST(setup, teardown, test_ceq_create),
		TEST_CASE_ST(setup, teardown, test_ceq_events),
		TEST_CASE_ST(setup, teardown, test_wrong_objects),
		TEST_CASES_END()
	}
};

REGISTER_FAST_TEST(bluefield_seam_autotest, unit_test_suite_runner, &suite);
