/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_TEST_H
#define TEST_COMCH_TEST_H

/*
 * What a test is. Each is a struct test_ops, with what its client does and with what
 * its server does, in the list of registry.c; nothing else in this tool names a test.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "hist.h"
#include "options.h"

struct client;
struct srv_conn;

/* Where in the sweeps a result was taken; 0 for what does not apply. */
struct test_point {
	uint32_t size;
	uint32_t window;
	uint32_t clients;
	uint32_t idle_clients;
};

/* How messages of the fast path are sent and received. */
#define VARIANT_BURSTS "bursts"
#define VARIANT_MBUFS "mbufs"
#define VARIANT_TASKS "tasks"

/* Times of a result in nanoseconds. */
struct result_times {
	double min, p50, avg, p90, p99, p999, max;
	double wanted[OPT_MAX_PERCENTILES]; /* as in the result's percentiles */
};

struct result {
	const struct test_ops *test;
	const char *case_name;    /* in the INI file; NULL without one */
	struct test_point pt;
	uint32_t connections;
	uint32_t rounds;          /* that were finished */
	bool event;
	bool validate;
	bool bidir;
	int status;               /* 0, or a negative errno */
	bool stopped;             /* by the user: its last round is not whole, nor compared */
	char reason[OPT_ERR_SIZE];/* why, if status is not 0 */

	uint64_t nb;              /* messages or connects that were measured */
	double seconds;           /* in which they were */
	double rate;              /* of them in a second, median of the rounds; 0: none */
	double tx_rate;           /* its parts, if both directions were measured */
	double rx_rate;
	double bytes_rate;        /* bytes in a second; 0: not measured */
	double best_rate;         /* of the best tenth of the time; 0: not measured */
	bool has_times;
	struct result_times times;
	struct hist *hist;        /* in cycles, of double the time if it is one-way */
	double hist_cycles_per_ns;
	bool histogram;           /* it is to be shown */
	double percentiles[OPT_MAX_PERCENTILES]; /* of times.wanted */
	unsigned int nb_percentiles;

	const char *limit_name;
	double limit;             /* in the unit of the result; 0: not measured */
	char limit_why[96];       /* why it was not */
	double ratio;             /* result over limit; 0: none */

	/* Fast path; all 0 in other tests. */
	bool write_read;          /* all bytes of each message */
	const char *variant;      /* bursts, mbufs or tasks; of message queues the direction */
	uint32_t burst;
	uint32_t stride;
	uint32_t posts;
	uint32_t producers;
	uint32_t consumers;
	uint32_t eus;             /* execution units of an offload processor */
	uint64_t client_page_size; /* of the buffers on either side */
	uint64_t server_page_size;

	double client_cpu;        /* share of a CPU, 1.0 is all of one; 0: unknown */
	double server_cpu;
	double idle_bytes_client; /* memory of each idle connection */
	double idle_bytes_server;
};

struct test_ops {
	const char *name;
	const char *description;
	const char *options;      /* those that are not for all, with a blank on both sides */
	const char *times_name;   /* what its times are, NULL if it has none */
	bool limit_is_rate;       /* the limit is a rate, not a time */

	/* Client: is there nothing to test, unless the test was asked for? May be NULL. */
	int (*absent)(const struct client *cl, char why[OPT_ERR_SIZE]);
	/* Client: can the server and the device do this point? Says why not. */
	int (*opt_check)(const struct client *cl, const struct test_ops *test,
			const struct test_point *pt, char why[OPT_ERR_SIZE]);
	/* Client: run it. A failure is in res->reason when this is not 0. */
	int (*run)(struct client *cl, const struct test_point *pt, struct result *res);
	/* Client: print what the table has no column for; may be NULL. */
	void (*result)(const struct result *res, FILE *f);

	/* It is one of the fast path: both its ends are fp.h, nothing below is called. */
	bool fast_path;
	unsigned int kind;        /* enum fp_kind, or enum msgq_mode of message queues */
	bool imm;                 /* of the fast path: immediate data only */
	bool bandwidth;           /* its rate is shown in bytes too */
	struct sweep dflt_size;   /* if the user gave none; all 0: that of the options */

	/* Server: does it count connects of the client that are not of the run? */
	bool srv_counts_connects;
	/* Server: a data connection has joined. Its recv may be changed; may be NULL. */
	int (*srv_join)(struct srv_conn *sc);
	/* Server: a message came on a data connection. */
	void (*srv_recv)(struct srv_conn *sc, const void *msg, uint32_t len);
};

extern const struct test_ops test_ctrl_lat, test_ctrl_rate, test_connect_rate;
extern const struct test_ops test_fp_lat, test_fp_rate, test_fp_bw, test_imm_lat, test_imm_rate;
extern const struct test_ops test_msgq_rate, test_msgq_lat, test_msgq_dma;

const struct test_ops *test_find(const char *name);
/* Walk in their order; begin with NULL. */
const struct test_ops *test_next(const struct test_ops *prev);
/* Does it look at this option, which is not for all? */
bool test_uses(const struct test_ops *test, const char *option);
/* Names of all tests in one string. */
void test_names(char *buf, size_t size, const char *separator);

#endif /* TEST_COMCH_TEST_H */
