/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_FP_CLIENT_H
#define TEST_COMCH_FP_CLIENT_H

/* The client's end of runs of the fast path, between the tests and fp.h. */

#include "fp.h"
#include "peer.h"

/* What kind of stream a test is. */
enum fp_kind {
	FP_KIND_RATE = 0,  /* small buffers: consumers look at them, sources are few */
	FP_KIND_BANDWIDTH, /* large buffers: as many sources as buffers */
	FP_KIND_LATENCY,   /* one at a time, there and back */
};

/* What the options mean for a test. */
void fp_spec_make(const struct client *cl, const struct test_ops *test, uint32_t size,
		struct fp_spec *spec);

/* Can the device do it? Says why not. */
int fp_opt_check(const struct client *cl, const struct test_ops *test,
		const struct test_point *pt, char why[OPT_ERR_SIZE]);

/* Fill in what a result says about how it was taken. */
void fp_result_set(struct result *res, const struct client *cl, const struct fp_spec *spec);

struct fp_run {
	struct client *cl;
	struct result *res;
	struct fp_spec spec;
	struct client_run run;
	uint32_t nb_told;      /* connections whose server's end is ready */
	int error;             /* of the server */
	char text[FP_TEXT];
};

/*
 * For rounds.h, with a struct fp_run that has the first three: have both ends running, and
 * go; end both, check what has arrived, and free it.
 */
int fp_run_begin(void *arg);
int fp_run_end(void *arg, int status);
/* Housekeeping while it runs; not 0 if it is to end. */
int fp_run_check(struct client *cl);

#endif /* TEST_COMCH_FP_CLIENT_H */
