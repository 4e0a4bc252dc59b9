/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What every file of these tests needs: cases, how to assert, and how to look at what a
 * program prints. Each case runs in a process of its own, because log backends stay for
 * good, and -h and -v end a program. Nothing about a single header is in here.
 */

#ifndef TEST_DOCA_H
#define TEST_DOCA_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <doca_argp.h>
#include <doca_error.h>

struct test_case {
	const char *name;
	int (*run)(void); /* 0 if it has passed, or TEST_SKIPPED */
	int (*setup)(void); /* before it, and the next after it has passed; or NULL */
	int (*teardown)(void);
};

#define TEST_CASE(fn) TEST_CASE_ST(NULL, NULL, fn)
#define TEST_CASE_ST(setup, teardown, fn) {#fn, fn, setup, teardown}
#define TEST_CASES_END() {NULL, NULL, NULL, NULL}

/* The suites, each in the file of its name. */
extern const struct test_case test_2_2[];
extern const struct test_case test_argp[];
extern const struct test_case test_argp_json[];
extern const struct test_case test_argp_parse[];
extern const struct test_case test_buf[];
extern const struct test_case test_buf_pool[];
extern const struct test_case test_cc[];
extern const struct test_case test_cc_2_5[];
extern const struct test_case test_comch_conf[];
extern const struct test_case test_comch_conn[];
extern const struct test_case test_comch_gap[];
extern const struct test_case test_comch_process[];
extern const struct test_case test_comch_queues[];
extern const struct test_case test_comch_task[];
extern const struct test_case test_comm_channel[];
extern const struct test_case test_comm_channel_event[];
extern const struct test_case test_comm_channel_msg[];
extern const struct test_case test_comm_channel_pair[];
extern const struct test_case test_consumer[];
extern const struct test_case test_ctx[];
extern const struct test_case test_dev[];
extern const struct test_case test_dpa[];
extern const struct test_case test_dpa_map[];
extern const struct test_case test_error[];
extern const struct test_case test_errors_memory[];
extern const struct test_case test_fast_gaps[];
extern const struct test_case test_fast_process[];
extern const struct test_case test_gaps[];
extern const struct test_case test_log[];
extern const struct test_case test_log_level[];
extern const struct test_case test_log_sdk[];
extern const struct test_case test_mem_use[];
extern const struct test_case test_mmap[];
extern const struct test_case test_mmap_export[];
extern const struct test_case test_msgq[];
extern const struct test_case test_pe[];
extern const struct test_case test_producer[];
extern const struct test_case test_start_up[];

#define TEST_TRUE(condition) do { \
	if (!(condition)) { \
		fprintf(stderr, "%s() line %d: not true: %s\n", __func__, __LINE__, \
				#condition); \
		return -1; \
	} \
} while (0)

/* An expression returns this doca_error_t. */
#define TEST_RESULT(expr, want) do { \
	doca_error_t got_ = (expr); \
	if (got_ != (want)) { \
		fprintf(stderr, "%s() line %d: %s is %s, not %s\n", __func__, __LINE__, #expr, \
				doca_error_get_name(got_), #want); \
		return -1; \
	} \
} while (0)

#ifdef __has_feature
#define TEST_HAS_FEATURE(x) __has_feature(x)
#else
#define TEST_HAS_FEATURE(x) 0
#endif

/* A sanitizer has an allocator of its own, and needs more addresses than any limit. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
		TEST_HAS_FEATURE(address_sanitizer) || TEST_HAS_FEATURE(thread_sanitizer)
#define TEST_SANITIZED true
#else
#define TEST_SANITIZED false
#endif

/* Leave a case out: neither passed nor failed, and the reason is printed. */
#define TEST_SKIPPED 77
#define TEST_SKIP_IF(condition, why) do { \
	if (condition) { \
		printf("%s: %s\n", __func__, why); \
		return TEST_SKIPPED; \
	} \
} while (0)

#define TEST_OK(expr) TEST_RESULT(expr, DOCA_SUCCESS)

/* Each of a function's arguments is a pointer, and must not be NULL. */
#define TEST_NULL_2(fn, a, b) do { \
	TEST_RESULT(fn(NULL, b), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(fn(a, NULL), DOCA_ERROR_INVALID_VALUE); \
} while (0)
#define TEST_NULL_3(fn, a, b, c) do { \
	TEST_RESULT(fn(NULL, b, c), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(fn(a, NULL, c), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(fn(a, b, NULL), DOCA_ERROR_INVALID_VALUE); \
} while (0)

/* A text has this in it, or has not. */
#define TEST_HAS(text, what) do { \
	if (strstr(text, what) == NULL) { \
		fprintf(stderr, "%s() line %d: '%s' is not in:\n%s\n", __func__, __LINE__, what, \
				text); \
		return -1; \
	} \
} while (0)
#define TEST_HAS_NOT(text, what) do { \
	if (strstr(text, what) != NULL) { \
		fprintf(stderr, "%s() line %d: '%s' is in:\n%s\n", __func__, __LINE__, what, \
				text); \
		return -1; \
	} \
} while (0)

/* End a case as failed where an inner function has failed and said why. */
#define TEST_CALL(expr) do { \
	if ((expr) != 0) \
		return -1; \
} while (0)

/* Not a case: exchange so many messages to be counted; 0 if that went well. */
int test_count_run(const char *nb_msgs);

/* Room for all that a case prints. */
#define TEST_TEXT_SIZE 65536

/* A nameless file that is opened to read and to write. */
FILE *test_file(void);

/* All that was written to a file, as text. */
void test_read(FILE *file, char text[TEST_TEXT_SIZE]);

/* How often this is in a text. */
unsigned int test_count(const char *text, const char *what);

/* From here on stdout and stderr go to these files. */
void test_capture(FILE *out, FILE *err);

/* Run a function in a process; its exit status, or -1, and what it has printed. */
int test_process(void (*fn)(void), char out[TEST_TEXT_SIZE], char err[TEST_TEXT_SIZE]);
/* A folder in which devices meet, and what is in it. */
void test_folder_remove(const char *path);

/* Milliseconds in which what must come has come; with sanitizers on a busy machine too. */
#define TEST_WAIT_MS 20000
uint64_t test_now_ms(void);
void test_sleep_ms(unsigned int ms);

/* Whether a descriptor is readable within so many milliseconds. */
bool test_readable(int fd, int ms);

/*
 * A process of its own that runs a function: 0 if it has passed. It waits in
 * test_other_sync() for the other side to get to the same place.
 */
struct test_other {
	int pid;
	int fd;
};

int test_other_start(struct test_other *other, int (*fn)(struct test_other *other, void *arg),
		void *arg);
int test_other_sync(struct test_other *other);
/* Wait for its end; whether it has passed. */
int test_other_end(struct test_other *other);
/* End it as a crash would. */
void test_other_kill(struct test_other *other);

/* Set a limit of the process, RLIM_INFINITY is the most that it may have. */
bool test_limit(int resource, rlim_t soft);

/* Keep what the layer says from here on; and what that was. */
int test_listen(void);
const char *test_heard(void);

/* doca_argp_start() with these arguments, the last of which is NULL. */
doca_error_t test_start(const char *const *arguments);
#define TEST_START(...) test_start((const char *const[]){"/usr/bin/prog", __VA_ARGS__, NULL})

/* A registered flag; each name may be NULL. */
struct doca_argp_param *test_param(const char *short_name, const char *long_name,
		enum doca_argp_type type, doca_argp_param_cb_t callback);
doca_error_t test_register(const char *short_name, const char *long_name,
		enum doca_argp_type type, doca_argp_param_cb_t callback);

/* What the callbacks below note. */
struct test_config {
	char text[256]; /* the last string */
	int number;     /* the last integer */
	double real;
	bool flag;
	char order[256]; /* a letter and the value for each call */
	doca_error_t result; /* what they return */
};

doca_error_t test_on_string(void *value, void *config);
doca_error_t test_on_int(void *value, void *config);
doca_error_t test_on_bool(void *value, void *config);
doca_error_t test_on_double(void *value, void *config);

#endif /* TEST_DOCA_H */
