/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the tests of layer obj of the bluefield driver share: a function of the
 * model that is up, and one object of each kind. No test is in here.
 */

#ifndef TEST_BLUEFIELD_OBJ_H
#define TEST_BLUEFIELD_OBJ_H

#include "bluefield_ceq.h"
#include "bluefield_func.h"
#include "bluefield_fw.h"
#include "bluefield_obj.h"
#include "test_bluefield_model.h"
#include "test_comch_util.h"

#define NB_KINDS 7

/** One of each kind, as a connection needs them. */
struct set {
	struct bf_pd pd;
	struct bf_uar uar;
	struct bf_ceq ceq;
	struct bf_cq cq;
	struct bf_srq srq;
	struct bf_mkey mkey;
	struct bf_qp qp;
	struct bf_obj_mem *mem;
};

/** In an order in which they can be made. */
struct kind {
	const char *create;
	const char *destroy;
	int (*make)(struct set *s);
	void (*end)(struct set *s);
};

enum { KIND_PD, KIND_UAR, KIND_CEQ, KIND_CQ, KIND_SRQ, KIND_MKEY, KIND_QP };

extern const struct kind obj_kinds[NB_KINDS];
extern struct bf_func *obj_func;
/** Its objects. */
extern struct bf_obj_dev *obj_dev;
/** Those of the running case; ended by its teardown. */
extern struct set obj_set;
/** A path of a queue pair to one of the same function. */
extern const struct bf_qp_path obj_path;

int obj_case_setup(void);
/** The same, and a function pf0 that is up. */
int obj_case_setup_pf(void);
/** The same, with commands that are ten times faster than usual. */
int obj_case_setup_quick(void);
/** The same, with a short time limit for commands. */
int obj_case_setup_short(void);
void obj_case_teardown(void);
/** The case is over with a function that works, and nothing of it is left. */
int obj_passed_clean(void);

/** End the function; its objects were. */
void obj_func_down(void);
/** Bring a function of the model up; limits of 0 are those of the tests. */
int obj_func_up(const char *function, uint32_t cmd_ms, uint32_t max_pages);
/** Any function of the model, with its objects. */
int obj_func_open(const char *function, const struct bf_func_conf *conf, struct bf_func **func,
		struct bf_obj_dev **dev);
/** RoCE on, and the address of its MAC address in the table. */
int obj_addr_use(struct bf_obj_dev *dev, struct bf_roce_addr *addr, uint16_t *index);
/** Objects of the model, beyond those of the function itself. */
long obj_count(void);
/** How often a failure was told. */
uint32_t obj_fatals(void);

/** What a device says of a queue pair. */
struct obj_qp_info {
	enum bf_qp_state state;
	uint32_t remote_qpn;
	uint32_t qkey;
	uint16_t sq_counter;    /**< Blocks that the device has processed. */
	uint32_t rq_counter;
};

int obj_qp_query(struct bf_qp *qp, struct obj_qp_info *info);

int obj_set_create(struct set *s);
void obj_set_destroy(struct set *s);

#endif /* TEST_BLUEFIELD_OBJ_H */
