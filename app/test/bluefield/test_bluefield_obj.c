/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The objects of a function, layer obj of the bluefield driver, as they should
 * be: made and ended, states, sizes, arguments, limits. The model counts them on
 * its side. Firmware that fails is in test_bluefield_obj_fail.c.
 */

#include "bluefield_prm.h"
#include "test_bluefield_obj.h"

/*
 * As it should be
 */

static int
test_each_kind(void)
{
	unsigned int i;

	for (i = 0; i < NB_KINDS; i++) {
		TEST_EXPECT(obj_kinds[i].make(&obj_set), 0);
		TEST_EXPECT(obj_count(), i + 1);
	}
	TEST_TRUE(obj_set.cq.ring != NULL && obj_set.cq.dbr != NULL && obj_set.cq.nb_cqes == 64);
	TEST_EXPECT(((uint8_t *)obj_set.cq.ring)[63], 0xf1);
	TEST_TRUE(obj_set.srq.ring != NULL && obj_set.srq.dbr != NULL);
	TEST_TRUE(obj_set.qp.sq != NULL && obj_set.qp.rq == NULL && obj_set.qp.dbr != NULL);
	TEST_EXPECT(obj_set.mkey.key >> 8, obj_set.mkey.obj.id);
	/* the back end that a vfio-user socket is behind has no BAR that is memory */
	TEST_TRUE(obj_set.uar.page == NULL);
	for (i = NB_KINDS; i-- > 0;) {
		obj_kinds[i].end(&obj_set);
		TEST_EXPECT(obj_count(), i);
		/* once more is nothing */
		obj_kinds[i].end(&obj_set);
	}
	return obj_passed_clean();
}

static int
test_sizes(void)
{
	static const uint32_t sizes[] = { 1, 2, 64, 1024, 32768 };
	struct bf_cq_attr cq = { 0 };
	struct bf_srq_attr srq = { .wqe_size = 32 };
	struct bf_qp_attr qp = { .user_index = UINT32_MAX };
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	obj_kinds[KIND_QP].end(&obj_set);
	obj_kinds[KIND_SRQ].end(&obj_set);
	obj_kinds[KIND_CQ].end(&obj_set);
	cq.uar = qp.uar = &obj_set.uar;
	srq.pd = qp.pd = &obj_set.pd;
	for (i = 0; i < RTE_DIM(sizes); i++) {
		cq.nb_cqes = sizes[i];
		TEST_EXPECT(bf_cq_create(obj_dev, &cq, &obj_set.cq), 0);
		srq.nb_wqes = sizes[i];
		TEST_EXPECT(bf_srq_create(obj_dev, &srq, &obj_set.srq), 0);
		qp.cq_send = qp.cq_recv = &obj_set.cq;
		qp.nb_sq_blocks = sizes[i];
		qp.nb_rq_wqes = sizes[i];
		qp.rq_wqe_size = 64;
		TEST_EXPECT(bf_qp_create(obj_dev, &qp, &obj_set.qp), 0);
		TEST_TRUE(obj_set.qp.rq != NULL && (uint8_t *)obj_set.qp.sq ==
			(uint8_t *)obj_set.qp.rq + sizes[i] * 64);
		/* all of it is ours to write */
		memset(obj_set.qp.rq, 0, sizes[i] * 64);
		memset(obj_set.qp.sq, 0, sizes[i] * 64);
		memset(obj_set.cq.ring, 0, sizes[i] * 64);
		obj_kinds[KIND_QP].end(&obj_set);
		obj_kinds[KIND_SRQ].end(&obj_set);
		obj_kinds[KIND_CQ].end(&obj_set);
	}
	return obj_passed_clean();
}

/* One page more than a list of pages of this size has room for. */
static int
test_uneven_size(void)
{
	struct bf_qp_attr qp = {
		.nb_sq_blocks = 32768, .nb_rq_wqes = 4, .rq_wqe_size = 16,
		.user_index = UINT32_MAX, .pd = &obj_set.pd, .uar = &obj_set.uar,
		.cq_send = &obj_set.cq, .cq_recv = &obj_set.cq,
	};

	TEST_CALL(obj_set_create(&obj_set));
	obj_kinds[KIND_QP].end(&obj_set);
	TEST_EXPECT(bf_qp_create(obj_dev, &qp, &obj_set.qp), 0);
	TEST_TRUE((uint8_t *)obj_set.qp.sq == (uint8_t *)obj_set.qp.rq + 64);
	memset(obj_set.qp.sq, 0, 32768 * 64);
	return obj_passed_clean();
}

/* Arguments that cannot be, and no command for them. */
static int
test_bad_arguments(void)
{
	const struct bf_roce_addr no_addr = { .version = 2 };
	static const uint32_t sizes[] = { 0, 3, 65, 1u << 24, 1u << 31, UINT32_MAX };
	/* of memory of 8192 bytes */
	static const struct { size_t off, len; } parts[] = {
		{ 0, 0 }, { 0, 8193 }, { 1, 8192 }, { 8192, 1 }, { 8193, 1 }, { SIZE_MAX, 1 },
		{ SIZE_MAX, 2 }, { 4096, SIZE_MAX }, { SIZE_MAX / 2, SIZE_MAX / 2 },
	};
	struct bf_cq_attr cq = { .uar = &obj_set.uar };
	struct bf_srq_attr srq;
	const struct bf_qp_attr none = {
		.pd = &obj_set.pd, .uar = &obj_set.uar, .cq_send = &obj_set.cq,
		.cq_recv = &obj_set.cq,
	};
	struct bf_qp_attr qp;
	struct bf_mkey_attr mkey;
	struct bf_func_stats before, after;
	struct bf_obj_mem *mem;
	struct bf_srq no_srq = { .obj = { .id = 1 } };
	struct set new;
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	bf_func_stats(obj_func, &before);
	for (i = 0; i < RTE_DIM(sizes); i++) {
		cq.nb_cqes = sizes[i];
		TEST_EXPECT(bf_cq_create(obj_dev, &cq, &new.cq), -EINVAL);
		srq = (struct bf_srq_attr){ .pd = &obj_set.pd,
			.nb_wqes = sizes[i], .wqe_size = 64 };
		TEST_EXPECT(bf_srq_create(obj_dev, &srq, &new.srq), -EINVAL);
		srq = (struct bf_srq_attr){ .pd = &obj_set.pd,
			.nb_wqes = 64, .wqe_size = sizes[i] };
		TEST_EXPECT(bf_srq_create(obj_dev, &srq, &new.srq), -EINVAL);
		qp = none;
		qp.nb_sq_blocks = sizes[i];
		TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
		qp = none;
		qp.nb_rq_wqes = sizes[i];
		qp.rq_wqe_size = 64;
		TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
		qp = none;
		qp.nb_rq_wqes = 64;
		qp.rq_wqe_size = sizes[i];
		TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
	}
	qp = none;
	qp.nb_rq_wqes = 2;
	qp.rq_wqe_size = 16;
	TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
	qp = none;
	qp.nb_rq_wqes = 64;
	qp.rq_wqe_size = 64;
	qp.srq = &no_srq;
	TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
	qp = none;
	qp.nb_sq_blocks = 64;
	qp.user_index = 1 << 24;
	TEST_EXPECT(bf_qp_create(obj_dev, &qp, &new.qp), -EINVAL);
	mem = obj_set.mem;
	for (i = 0; i < RTE_DIM(parts); i++) {
		mkey = (struct bf_mkey_attr){
			.pd = &obj_set.pd, .mem = mem, .len = parts[i].len,
			.addr = (void *)((uintptr_t)mem->addr + parts[i].off),
		};
		TEST_EXPECT(bf_mkey_create(obj_dev, &mkey, &new.mkey), -EINVAL);
	}
	TEST_EXPECT(bf_mem_alloc(obj_dev, 0, &mem), -EINVAL);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, UINT16_MAX, &no_addr), -EINVAL);
	TEST_EXPECT(bf_roce_addr_query(obj_dev, UINT16_MAX, NULL), -EINVAL);
	bf_func_stats(obj_func, &after);
	TEST_EXPECT(after.cmds, before.cmds);
	return obj_passed_clean();
}

/* Objects that firmware does not have, and what is no object at all. */
static int
test_unknown_objects(void)
{
	struct bf_qp_path path = { .mtu = 3, .loopback = true };
	struct bf_qp none = { .obj = { .dev = NULL } };
	struct set other;
	unsigned int i, j;

	/* not created */
	memset(&other, 0, sizeof(other));
	for (i = 2; i < NB_KINDS; i++)
		TEST_EXPECT(obj_kinds[i].make(&other), -EINVAL);
	bf_mem_free(other.mem);
	/* of numbers that are nobody's */
	TEST_CALL(obj_set_create(&obj_set));
	for (i = 2; i < NB_KINDS; i++) {
		other = obj_set;
		other.pd.obj.id = 0xfffffe;
		other.uar.obj.id = 0xfffffe;
		other.cq.obj.id = 0xfffffe;
		other.srq.obj.id = 0xfffffe;
		for (j = 0; j < 2; j++)
			TEST_EXPECT(obj_kinds[i].make(&other), -EINVAL);
	}
	TEST_EXPECT(obj_count(), NB_KINDS);
	TEST_EXPECT(bf_qp_to_init(&none), -EINVAL);
	TEST_EXPECT(bf_qp_to_rtr(&none, &path), -EINVAL);
	TEST_EXPECT(bf_qp_to_rts(&none, &path), -EINVAL);
	TEST_EXPECT(bf_qp_to_error(&none), -EINVAL);
	bf_qp_destroy(&none);
	return obj_passed_clean();
}

/*
 * States of a queue pair
 */

static int
expect_state(enum bf_qp_state state)
{
	struct obj_qp_info info;

	TEST_EXPECT(obj_qp_query(&obj_set.qp, &info), 0);
	TEST_EXPECT(info.state, state);
	return TEST_SUCCESS;
}

/* From RESET to a state, by the commands of the way there. */
static int
go_to(enum bf_qp_state state, const struct bf_qp_path *path)
{
	TEST_EXPECT(bf_qp_to_reset(&obj_set.qp), 0);
	if (state >= BF_QP_INIT)
		TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
	if (state >= BF_QP_RTR)
		TEST_EXPECT(bf_qp_to_rtr(&obj_set.qp, path), 0);
	if (state >= BF_QP_RTS)
		TEST_EXPECT(bf_qp_to_rts(&obj_set.qp, path), 0);
	if (state == BF_QP_ERROR)
		TEST_EXPECT(bf_qp_to_error(&obj_set.qp), 0);
	return expect_state(state);
}

static int
test_qp_states(void)
{
	static const enum bf_qp_state states[] = { BF_QP_RESET, BF_QP_INIT, BF_QP_RTR, BF_QP_RTS,
		BF_QP_ERROR };
	struct bf_qp_path path = obj_path;
	struct obj_qp_info info;
	unsigned int i;
	int ret;

	TEST_CALL(obj_set_create(&obj_set));
	path.remote_qpn = obj_set.qp.obj.id;
	TEST_CALL(expect_state(BF_QP_RESET));
	for (i = 0; i < RTE_DIM(states); i++) {
		/* each command in each state: there is one state for each */
		TEST_CALL(go_to(states[i], &path));
		ret = bf_qp_to_init(&obj_set.qp);
		TEST_EXPECT(ret, states[i] == BF_QP_RESET ? 0 : -EINVAL);
		TEST_CALL(expect_state(ret == 0 ? BF_QP_INIT : states[i]));
		TEST_CALL(go_to(states[i], &path));
		ret = bf_qp_to_rtr(&obj_set.qp, &path);
		TEST_EXPECT(ret, states[i] == BF_QP_INIT ? 0 : -EINVAL);
		TEST_CALL(expect_state(ret == 0 ? BF_QP_RTR : states[i]));
		TEST_CALL(go_to(states[i], &path));
		ret = bf_qp_to_rts(&obj_set.qp, &path);
		TEST_EXPECT(ret, states[i] == BF_QP_RTR ? 0 : -EINVAL);
		TEST_CALL(expect_state(ret == 0 ? BF_QP_RTS : states[i]));
	}
	TEST_CALL(go_to(BF_QP_RTS, &path));
	TEST_EXPECT(obj_qp_query(&obj_set.qp, &info), 0);
	TEST_EXPECT(info.remote_qpn, obj_set.qp.obj.id);
	TEST_EXPECT(info.sq_counter, 0);
	/* its record of doorbells starts anew */
	obj_set.qp.dbr[0] = obj_set.qp.dbr[1] = UINT32_MAX;
	TEST_EXPECT(bf_qp_to_reset(&obj_set.qp), 0);
	TEST_TRUE(obj_set.qp.dbr[0] == 0 && obj_set.qp.dbr[1] == 0);
	/* a queue pair may be destroyed in any state */
	TEST_CALL(go_to(BF_QP_RTS, &path));
	return obj_passed_clean();
}

/* Paths that cannot be, and no command for them: firmware would see parts of the numbers. */
static int
test_qp_path(void)
{
	static const struct bf_roce_addr addr = {
		.gid = { [10] = 0xff, 0xff, 192, 0, 2, 1 }, .mac = { 2, 0, 0, 0, 0, 1 },
		.version = 2,
	}, no_addr = { .version = 2 };
	struct bf_qp_path path = obj_path;
	struct bf_func_stats before, after;
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	bf_func_stats(obj_func, &before);
	for (i = 0; i < 10; i++) {
		path = obj_path;
		switch (i) {
		case 0: path.mtu = 0; break;
		case 1: path.mtu = 6; break;
		case 2: path.remote_qpn = 1 << 24; break;
		case 3: path.remote_psn = 1 << 24; break;
		case 4: path.local_psn = UINT32_MAX; break;
		case 5: path.min_rnr_nak = 32; break;
		case 6: path.retry_count = 8; break;
		case 7: path.rnr_retry = 8; break;
		case 8: path.ack_timeout = 32; break;
		default:
			path.loopback = false;
			path.src_addr_index = bf_func_caps(obj_func)->roce_addr_table_size;
			break;
		}
		TEST_EXPECT(bf_qp_to_rtr(&obj_set.qp, &path), -EINVAL);
		TEST_EXPECT(bf_qp_to_rts(&obj_set.qp, &path), -EINVAL);
	}
	bf_func_stats(obj_func, &after);
	TEST_EXPECT(after.cmds, before.cmds);
	/* one to the same function has no address in the table */
	path.loopback = true;
	TEST_CALL(go_to(BF_QP_RTS, &path));
	/* over the wire, from an address that is in the table */
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 3, &addr), 0);
	path = obj_path;
	path.loopback = false;
	path.src_addr_index = 3;
	memcpy(path.rgid, addr.gid, sizeof(path.rgid));
	memcpy(path.rmac, addr.mac, sizeof(path.rmac));
	path.hop_limit = 64;
	path.udp_sport = 0xc000;
	TEST_CALL(go_to(BF_QP_RTS, &path));
	obj_kinds[KIND_QP].end(&obj_set);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, 3, &no_addr), 0);
	return obj_passed_clean();
}

/* Datagrams: their key, no path, and the first number that they send. */
static int
test_qp_services(void)
{
	static const struct {
		enum bf_qp_service service;
		uint32_t st, qkey, mtu, log_msg;
	} cases[] = {
		{ BF_QP_UD, BF_QP_ST_UD, 0x12345678, 5, 12 },
		{ BF_QP_GSI, BF_QP_ST_QP1, 0x80010000, 1, 8 },
	};
	const struct bf_qp_path path = { .local_psn = 0xabcdef }, bad = { .local_psn = 1 << 24 };
	struct bf_qp_attr attr = {
		.pd = &obj_set.pd, .uar = &obj_set.uar, .cq_send = &obj_set.cq,
		.cq_recv = &obj_set.cq, .nb_sq_blocks = 64, .nb_rq_wqes = 64, .rq_wqe_size = 32,
		.user_index = UINT32_MAX, .qkey = 0x12345678,
	};
	uint8_t in[BF_SMALL_IN_SIZE] = { 0 }, out[BF_QUERY_QP_OUT_SIZE];
	const uint8_t *qpc = out + BF_CREATE_QP_IN_QPC;
	struct bf_obj *obj = &obj_set.qp.obj;
	unsigned int i;

	TEST_CALL(obj_set_create(&obj_set));
	obj_kinds[KIND_QP].end(&obj_set);
	attr.service = BF_QP_GSI + 1;
	TEST_EXPECT(bf_qp_create(obj_dev, &attr, &obj_set.qp), -EINVAL);
	for (i = 0; i < RTE_DIM(cases); i++) {
		attr.service = cases[i].service;
		TEST_EXPECT(bf_qp_create(obj_dev, &attr, &obj_set.qp), 0);
		TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
		TEST_EXPECT(bf_qp_to_rtr(&obj_set.qp, NULL), 0);
		TEST_EXPECT(bf_qp_to_rts(&obj_set.qp, &bad), -EINVAL);
		TEST_EXPECT(bf_qp_to_rts(&obj_set.qp, &path), 0);
		bf_set(in, BF_IN_OPCODE, BF_OP_QUERY_QP);
		bf_set(in, BF_OBJ_ID, obj->id);
		TEST_EXPECT(obj_dev->ops->modify(obj, in, sizeof(in), out, sizeof(out)), 0);
		TEST_EXPECT(bf_get(qpc, BF_QPC_STATE), BF_QP_RTS);
		TEST_EXPECT(bf_get(qpc, BF_QPC_ST), cases[i].st);
		TEST_EXPECT(bf_get(qpc, BF_QPC_Q_KEY), cases[i].qkey);
		TEST_EXPECT(bf_get(qpc, BF_QPC_MTU), cases[i].mtu);
		TEST_EXPECT(bf_get(qpc, BF_QPC_LOG_MSG_MAX), cases[i].log_msg);
		TEST_EXPECT(bf_get(qpc, BF_QPC_NEXT_SEND_PSN), 0xabcdef);
		/* they start anew like others */
		TEST_EXPECT(bf_qp_to_reset(&obj_set.qp), 0);
		TEST_EXPECT(bf_qp_to_init(&obj_set.qp), 0);
		obj_kinds[KIND_QP].end(&obj_set);
	}
	return obj_passed_clean();
}

static int
test_vport(void)
{
	static const struct bf_roce_addr addr = {
		.gid = { 0x20, 1, 0xd, 0xb8, [15] = 1 }, .mac = { 2, 0, 0, 0, 0, 1 },
		.version = 2, .ipv6 = true, .vlan = true, .vlan_id = 100,
	}, no_addr = { .version = 2, .ipv6 = true };
	struct bf_vport vport;
	struct bf_roce_addr got;
	uint16_t size = (uint16_t)bf_func_caps(obj_func)->roce_addr_table_size;

	TEST_EXPECT(bf_vport_query(obj_dev, &vport), 0);
	TEST_TRUE(vport.mtu >= 1500);
	TEST_TRUE((vport.mac[0] & 1) == 0);
	TEST_EXPECT(bf_vport_set_roce(obj_dev, true), 0);
	TEST_EXPECT(bf_vport_query(obj_dev, &vport), 0);
	TEST_TRUE(vport.roce_en);
	TEST_TRUE(size > 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, (uint16_t)(size - 1), &addr), 0);
	TEST_EXPECT(bf_roce_addr_query(obj_dev, (uint16_t)(size - 1), &got), 0);
	TEST_TRUE(memcmp(&got, &addr, sizeof(got)) == 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, (uint16_t)(size - 1), &no_addr), 0);
	TEST_EXPECT(bf_roce_addr_query(obj_dev, (uint16_t)(size - 1), &got), 0);
	TEST_EXPECT(got.gid[0], 0);
	TEST_EXPECT(bf_roce_addr_set(obj_dev, size, &addr), -EINVAL);
	TEST_EXPECT(bf_vport_set_roce(obj_dev, false), 0);
	return obj_passed_clean();
}

/*
 * Limits
 */

static int
limit(const char *cap, unsigned int kind)
{
	static struct set sets[300];
	unsigned int i, j, nb = 0;
	int ret = 0;

	test_log_drop();
	TEST_CALL(obj_case_setup());
	TEST_CALL(test_model_start(&model, "pf0,flr_ms=5"));
	TEST_EXPECT(test_model_ctl(&model, "fault pf0 cap %s", cap), 0);
	TEST_CALL(obj_func_up("pf0", 0, 0));
	for (i = 0; i < kind; i++)
		TEST_EXPECT(obj_kinds[i].make(&obj_set), 0);
	for (j = 0; j < 2; j++) {
		for (nb = 0; nb < RTE_DIM(sets) && ret == 0; nb++) {
			sets[nb] = obj_set;
			/* the memory stays that of the set */
			ret = obj_kinds[kind].make(&sets[nb]);
			obj_set.mem = sets[nb].mem;
		}
		TEST_ASSERT(ret == -ENOSPC, "%s: %d after %u", cap, ret, nb);
		TEST_TRUE(nb > 1);
		/* it lives, and has room again for those that go */
		TEST_EXPECT(bf_func_status(obj_func, NULL), 0);
		for (nb--; nb > 0; nb--)
			obj_kinds[kind].end(&sets[nb - 1]);
		ret = 0;
	}
	TEST_CALL(obj_passed_clean());
	return test_model_stop(&model);
}

static int
test_limits(void)
{
	TEST_CALL(limit("log_max_pd=3", KIND_PD));
	TEST_CALL(limit("log_max_eq=3", KIND_CEQ));
	TEST_CALL(limit("log_max_cq=3", KIND_CQ));
	TEST_CALL(limit("log_max_rmp=3", KIND_SRQ));
	TEST_CALL(limit("log_max_mkey=9", KIND_MKEY));
	TEST_CALL(limit("log_max_qp=7", KIND_QP));
	return test_log_passed();
}

static struct unit_test_suite suite = {
	.suite_name = "objects of BlueField functions",
	.unit_test_cases = {
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_each_kind),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_sizes),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_uneven_size),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_bad_arguments),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_unknown_objects),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_qp_states),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_qp_path),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_qp_services),
		TEST_CASE_ST(obj_case_setup_pf, obj_case_teardown, test_vport),
		TEST_CASE_ST(NULL, obj_case_teardown, test_limits),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_obj_autotest, unit_test_suite_runner, &suite);
