/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_OPTIONS_H
#define TEST_COMCH_OPTIONS_H

/*
 * What the user asked for. One table serves the command line, the keys of INI
 * files, the prompt's "set" and the help text; nothing here talks to a device.
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <rte_comch.h>

#define OPT_DFLT_NAME "test-comch"
#define OPT_MAX_TESTS 32
#define OPT_MAX_PERCENTILES 16
#define OPT_MAX_COLUMNS 24    /* of the table */
#define OPT_MAX_POINTS 256   /* of one sweep */
#define OPT_MAX_CLIENTS 4096
#define OPT_MAX_CONNECTIONS 64
#define OPT_MAX_WINDOW 65536
#define OPT_MAX_ROUNDS 99
#define OPT_ERR_SIZE 256

/* Which way messages of a message queue go, as the host sees it. */
enum msgq_dir {
	MSGQ_DIR_TO = 0,
	MSGQ_DIR_FROM,
	MSGQ_DIR_BOTH,
};

enum app_role {
	ROLE_NONE = 0,
	ROLE_SERVER,
	ROLE_CLIENT,
	ROLE_LOOPBACK,
};

/* A value, or a sweep: first, last, step, and how the step is taken. */
struct sweep {
	uint32_t first;
	uint32_t last;
	uint32_t step;
	bool mul;
};

struct options {
	enum app_role role;
	char dev[2][RTE_DEV_NAME_MAX_LEN];     /* --dev; the second for --loopback */
	char rep[RTE_COMCH_FUNCTION_SIZE];
	char name[RTE_COMCH_NAME_SIZE];        /* of the server */
	char tests[OPT_MAX_TESTS][32];
	unsigned int nb_tests;                 /* 0: all of them */
	struct sweep size;                     /* bytes */
	struct sweep window;                   /* send tasks in flight */
	struct sweep clients;                  /* parallel connects */
	struct sweep idle_clients;
	bool size_set;
	uint64_t count;                        /* 0: by duration */
	double duration;                       /* seconds per result; 0: the test's own */
	uint64_t warmup;                       /* messages or connects before each round */
	uint32_t rounds;
	uint32_t connections;
	uint32_t recv_queue;                   /* 0: default of the device */
	uint32_t timeout_ms;                   /* to find the server */
	double interval;                       /* seconds between progress lines */
	bool event;
	bool validate;
	bool bidir;
	uint32_t burst;                        /* fast path */
	uint32_t stride;                       /* distance of posted buffers */
	uint32_t posts;                        /* of a consumer; 0: the test's own */
	uint32_t producers;                    /* of each connection */
	uint32_t consumers;
	bool mbuf;
	bool tasks;
	bool touch;
	bool write_read;
	bool random;
	uint32_t eus;                          /* execution units of message queues */
	int32_t eu_cpus[RTE_COMCH_DPA_MAX_EUS];
	uint32_t nb_eu_cpus;                   /* 0: the test's own choice */
	enum msgq_dir dir;
	char program[256];                     /* empty: the one that is installed */
	char runner[256];                      /* of the program; empty: none */
	bool histogram;
	double percentiles[OPT_MAX_PERCENTILES];
	unsigned int nb_percentiles;
	bool wide;                             /* the wide table */
	uint8_t columns[OPT_MAX_COLUMNS];      /* of the table, as table.h counts them */
	unsigned int nb_columns;               /* 0: those of the narrow or wide one */
	char config[256];                      /* INI file with cases */
	char csv[256];
	char json[256];
	char cmdline_file[256];
	bool interactive;
	bool once;
	bool list_dev;
	bool caps;
	bool version;
	bool help;
	uint64_t given;                        /* by the place that is read: bits of options.c */
};

void options_default(struct options *opt);

/*
 * Read the command line behind EAL's. On an error a text that names the option
 * and the remedy is in err. Without an INI file it says so of an option, too, that no test
 * looks at.
 */
int options_parse(struct options *opt, int argc, char **argv, char err[OPT_ERR_SIZE]);

/* Change one option by its name, as the prompt does. */
int options_set(struct options *opt, const char *key, const char *value,
		char err[OPT_ERR_SIZE]);

/*
 * Change one option by its key in an INI file, in a case or for the whole run. given is 0
 * at the first key of a section.
 * What no option can see alone is left to options_check(), after the last key.
 */
int options_file_set(struct options *opt, bool in_case, const char *key, const char *value,
		char err[OPT_ERR_SIZE]);

/* Do the options fit together? */
int options_check(const struct options *opt, char err[OPT_ERR_SIZE]);

/* Is there a test that is named and looks at it, for each that is in given? */
int options_check_given(const struct options *opt, char err[OPT_ERR_SIZE]);

/* Read "on", "off" and their short forms. */
int options_flag(const char *text, bool *flag);

/* What the values of an option are. */
enum options_values {
	OPTIONS_VALUES_OTHER = 0, /* any, as numbers */
	OPTIONS_VALUES_ONE,
	OPTIONS_VALUES_LIST,      /* with commas between */
	OPTIONS_VALUES_FILE,
};

/* values: "value#value#..." of an option, or empty. */
enum options_values options_values(const char *key, char *values, size_t size);

/* "name#name#..." of the options that options_set() takes; the caller frees it. */
char *options_keys(void);

void options_usage(FILE *f, const char *prog);
void options_print(const struct options *opt, FILE *f);

/* Walk over a sweep: begin with 0; returns false after the last value. */
bool sweep_next(const struct sweep *s, unsigned int step, uint32_t *value);
uint32_t sweep_max(const struct sweep *s);

#endif /* TEST_COMCH_OPTIONS_H */
