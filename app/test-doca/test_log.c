/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the log: sources, backends, lines, rates, threads. Limits are in
 * test_log_level.c.
 */

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include <doca_log.h>

#include "test_doca.h"

DOCA_LOG_REGISTER(TEST::LOG);

static char text[TEST_TEXT_SIZE];

static int
test_log_sources(void)
{
	char name[DOCA_LOGGER_NAME_SIZE + 1];
	int source = -5, other = 0;

	memset(name, 'n', sizeof(name));
	name[DOCA_LOGGER_NAME_SIZE] = '\0';
	TEST_NULL_2(doca_log_register_source, "name", &source);
	TEST_RESULT(doca_log_register_source(name, &source), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(source == -5);
	name[DOCA_LOGGER_NAME_SIZE - 1] = '\0';
	TEST_OK(doca_log_register_source(name, &source));
	TEST_OK(doca_log_register_source(name, &other)); /* names need not differ */
	TEST_TRUE(source > 0 && other > 0 && source != other && source != log_source);
	TEST_RESULT(doca_log_unregister_source(0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_log_unregister_source(-1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_log_unregister_source(1000000), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_log_unregister_source(source));
	TEST_RESULT(doca_log_unregister_source(source), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_log_unregister_source(other));
	return 0;
}

/* As many as there may be, and one more. */
static int
test_log_sources_full(void)
{
	doca_error_t result = DOCA_SUCCESS;
	int source, count;

	for (count = 0; count < 70000 && result == DOCA_SUCCESS; count++)
		result = doca_log_register_source("many", &source);
	TEST_RESULT(result, DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(count > 60000);
	TEST_OK(doca_log_unregister_source(77));
	TEST_OK(doca_log_register_source("again", &source));
	TEST_TRUE(source == 77);
	return 0;
}

/* Before any backend, and with numbers that nothing has: nothing happens. */
static int
test_log_harmless(void)
{
	DOCA_LOG_ERR("nobody sees this");
	doca_log(DOCA_LOG_LEVEL_ERROR, -1, NULL, -1, NULL, "nobody sees this");
	doca_log_rate_limit(DOCA_LOG_LEVEL_ERROR, 99999, NULL, 0, NULL, 99999, "nor this");
	return 0;
}

static int
test_log_create_errors(void)
{
	struct doca_log_backend *backend = NULL;
	char buffer[4];

#define EACH(create, ...) do { \
	TEST_RESULT(doca_log_backend_create_with_##create(__VA_ARGS__), DOCA_ERROR_INVALID_VALUE); \
	TEST_RESULT(doca_log_backend_create_with_##create##_sdk(__VA_ARGS__), \
			DOCA_ERROR_INVALID_VALUE); \
} while (0)
	EACH(file, NULL, &backend);
	EACH(file, stdout, NULL);
	EACH(fd, -1, &backend);
	EACH(fd, 12345, &backend);
	EACH(fd, 1, NULL);
	EACH(syslog, NULL, &backend);
	EACH(syslog, "name", NULL);
	EACH(buf, NULL, sizeof(buffer), (doca_log_flush_callback)abort, &backend);
	EACH(buf, buffer, 1, (doca_log_flush_callback)abort, &backend);
	EACH(buf, buffer, sizeof(buffer), NULL, &backend);
	EACH(buf, buffer, sizeof(buffer), (doca_log_flush_callback)abort, NULL);
#undef EACH
	TEST_TRUE(backend == NULL);
	return 0;
}

static void
on_line(char *buffer)
{
	(void)buffer;
}

static int
test_log_full(void)
{
	struct doca_log_backend *backend = NULL, *last;
	FILE *file = test_file();
	int i;

	for (i = 0; i < 63; i++)
		TEST_OK(doca_log_backend_create_with_file(file, &backend));
	TEST_RESULT(doca_log_backend_create_standard(), DOCA_ERROR_NO_MEMORY);
	TEST_OK(doca_log_backend_create_with_file_sdk(file, &backend));
	last = backend;
	TEST_RESULT(doca_log_backend_create_with_file(file, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_fd_sdk(1, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_syslog("x", &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_file_sdk(file, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_fd(1, &backend), DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_buf(text, sizeof(text), on_line, &backend),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_buf_sdk(text, sizeof(text), on_line, &backend),
			DOCA_ERROR_NO_MEMORY);
	TEST_RESULT(doca_log_backend_create_with_syslog_sdk("x", &backend),
			DOCA_ERROR_NO_MEMORY);
	TEST_TRUE(backend == last);
	DOCA_LOG_INFO("to all of them");
	test_read(file, text);
	TEST_TRUE(test_count(text, "to all of them\n") == 63);
	return 0;
}

static int
test_log_line(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();
	char *long_text = calloc(1, 5000);
	int line;

	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	errno = EBADMSG;
	line = __LINE__ + 1;
	DOCA_LOG_WARN("%s %d %%", "words", 7);
	TEST_TRUE(errno == EBADMSG);
	test_read(file, text);
	TEST_HAS(text, "[TEST::LOG]");
	TEST_HAS(text, "[WRN]");
	TEST_HAS(text, "[test_log.c:");
	TEST_TRUE(strstr(text, __func__) != NULL && atoi(strstr(text, ".c:") + 3) == line);
	TEST_HAS(text, " words 7 %\n");

	/* one line feed, whether the text has it or not */
	DOCA_LOG_INFO("with a line feed\n");
	DOCA_LOG_INFO("%s", "");
	test_read(file, text);
	TEST_HAS(text, "with a line feed\n[");
	TEST_HAS_NOT(text, "\n\n");
	TEST_TRUE(test_count(text, "\n") == 3);

	doca_log(DOCA_LOG_LEVEL_ERROR, 0, NULL, 5, NULL, "from nowhere");
	test_read(file, text);
	TEST_HAS(text, "[?][?:5][?] from nowhere\n");

	/* what is too long is cut, and is a line all the same */
	memset(long_text, 'x', 4999);
	DOCA_LOG_INFO("%s", long_text);
	DOCA_LOG_INFO("after it");
	test_read(file, text);
	TEST_HAS(text, "xxx\n[");
	TEST_HAS(text, "after it\n");
	free(long_text);
	return 0;
}

static int
test_log_fd(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();

	TEST_OK(doca_log_backend_create_with_fd(fileno(file), &backend));
	DOCA_LOG_INFO("by number");
	test_read(file, text);
	TEST_HAS(text, "by number\n");
	/* closed under us: nothing to be told, nothing to fail */
	fclose(file);
	DOCA_LOG_INFO("to nobody");
	return 0;
}

static char buffer_text[32];
static char flushed[256];
static unsigned int flushes;
static doca_error_t in_flush;

static void
on_flush(char *buffer)
{
	struct doca_log_backend *backend;

	flushes++;
	snprintf(flushed, sizeof(flushed), "%s", buffer);
	DOCA_LOG_ERR("from inside"); /* dropped */
	in_flush = doca_log_backend_create_with_fd(1, &backend);
	if (doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_DEBUG) == in_flush &&
			doca_log_level_get_global_lower_limit() != DOCA_LOG_LEVEL_INFO)
		in_flush = DOCA_ERROR_UNEXPECTED;
}

static int
test_log_buf(void)
{
	struct doca_log_backend *backend;

	TEST_OK(doca_log_backend_create_with_buf(buffer_text, sizeof(buffer_text), on_flush,
			&backend));
	DOCA_LOG_INFO("a text that is longer than the buffer");
	TEST_TRUE(flushes == 1);
	TEST_TRUE(strlen(flushed) == sizeof(buffer_text) - 1);
	TEST_RESULT(in_flush, DOCA_ERROR_BAD_STATE);
	DOCA_LOG_INFO("and again");
	TEST_TRUE(flushes == 2);
	return 0;
}

/* Nobody can look into the system's log here: it must not crash. */
static int
test_log_syslog(void)
{
	struct doca_log_backend *backend, *sdk;
	char name[] = "doca-compat-autotest";
	unsigned int level;

	TEST_OK(doca_log_backend_create_with_syslog(name, &backend));
	memset(name, 'x', sizeof(name) - 1); /* it has a copy */
	TEST_OK(doca_log_backend_create_with_syslog_sdk("doca-compat-autotest", &sdk));
	TEST_TRUE(backend != sdk);
	TEST_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	for (level = DOCA_LOG_LEVEL_CRIT; level <= DOCA_LOG_LEVEL_TRACE; level += 10)
		DOCA_LOG(level, "a message of a test, of level %u", level);
	return 0;
}

static int
test_log_standard(void)
{
	FILE *out = test_file(), *err = test_file(), *theirs = fdopen(dup(STDERR_FILENO), "w");

	TEST_OK(doca_log_backend_create_standard());
	test_capture(out, err);
	DOCA_LOG_CRIT("critical");
	DOCA_LOG_ERR("error");
	DOCA_LOG_WARN("warning");
	DOCA_LOG_INFO("info");
	DOCA_LOG_DBG("debug");
	test_capture(theirs, theirs);
	test_read(out, text);
	TEST_HAS(text, "info\n");
	TEST_TRUE(test_count(text, "\n") == 1);
	test_read(err, text);
	TEST_HAS(text, "critical\n");
	TEST_HAS(text, "error\n");
	TEST_HAS(text, "warning\n");
	TEST_TRUE(test_count(text, "\n") == 3);
	fclose(theirs);
	return 0;
}

/* The program has allowed neither: arguments are not looked at. */
static int
test_log_left_out(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();
	int count = 0;

	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	TEST_OK(doca_log_level_set_global_lower_limit(DOCA_LOG_LEVEL_TRACE));
	DOCA_LOG_TRC("trace %d", ++count);
	DOCA_DLOG_ERR("error %d", ++count);
	TEST_TRUE(count == 0);
	DOCA_LOG(DOCA_LOG_LEVEL_TRACE, "trace %d", ++count);
	test_read(file, text);
	TEST_HAS(text, "[TRC]");
	TEST_TRUE(test_count(text, "\n") == 1);
	return 0;
}

static void
log_often(unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++)
		DOCA_LOG_RATE_LIMIT_ERR("often %u", i);
}

static int
test_log_rate(void)
{
	struct doca_log_backend *backend;
	FILE *file = test_file();
	int bucket = -1, other;
	unsigned int i, n;

	TEST_RESULT(doca_log_rate_bucket_register(0, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	log_often(1000);
	test_read(file, text);
	n = test_count(text, "often");
	TEST_TRUE(n >= 10 && n < 1000);
	sleep(1);
	usleep(10000);
	log_often(1);
	test_read(file, text);
	TEST_HAS(text, "were left out before)\n");

	/* a bucket that is there is kept; without one there is no limit */
	TEST_OK(doca_log_rate_bucket_register(0, &bucket));
	other = bucket;
	TEST_OK(doca_log_rate_bucket_register(0, &bucket));
	TEST_TRUE(bucket >= 0 && bucket == other);
	for (i = 0; i < 50; i++)
		doca_log_rate_limit(DOCA_LOG_LEVEL_INFO, 0, "f", 1, "f", -1, "no bucket");
	test_read(file, text);
	TEST_TRUE(test_count(text, "no bucket") == 50);

	for (i = 0; i < 2000; i++) {
		bucket = -1;
		if (doca_log_rate_bucket_register(0, &bucket) != DOCA_SUCCESS)
			break;
	}
	TEST_TRUE(i > 1000 && i < 1024 && bucket == -1);
	TEST_RESULT(doca_log_rate_bucket_register(0, &bucket), DOCA_ERROR_NO_MEMORY);
	return 0;
}

#define NB_THREADS 4
#define NB_MESSAGES 250

static void *
log_thread(void *arg)
{
	int nr = (int)(intptr_t)arg, i, source;

	for (i = 0; i < NB_MESSAGES; i++) {
		DOCA_LOG_INFO("<thread %d message %d>", nr, i);
		DOCA_LOG_RATE_LIMIT_DBG("hidden");
		if (doca_log_register_source("of a thread", &source) == DOCA_SUCCESS)
			doca_log_unregister_source(source);
	}
	return NULL;
}

/* Lines of threads do not mix while limits change, and none is lost. */
static int
test_log_threads(void)
{
	struct doca_log_backend *backend, *more;
	FILE *file = test_file(), *other = test_file();
	pthread_t threads[NB_THREADS];
	char *line, *save = NULL;
	unsigned int lines = 0;
	intptr_t i;

	TEST_OK(doca_log_backend_create_with_file(file, &backend));
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(pthread_create(&threads[i], NULL, log_thread, (void *)i) == 0);
	for (i = 0; i < 20; i++) {
		TEST_OK(doca_log_backend_create_with_file(other, &more));
		TEST_OK(doca_log_backend_set_level_lower_limit(more, DOCA_LOG_LEVEL_ERROR));
		TEST_OK(doca_log_level_set_global_upper_limit(DOCA_LOG_LEVEL_CRIT));
	}
	for (i = 0; i < NB_THREADS; i++)
		TEST_TRUE(pthread_join(threads[i], NULL) == 0);
	rewind(file);
	line = calloc(1, NB_THREADS * NB_MESSAGES * 256);
	TEST_TRUE(line != NULL);
	TEST_TRUE(fread(line, 1, NB_THREADS * NB_MESSAGES * 256 - 1, file) > 0);
	for (char *l = strtok_r(line, "\n", &save); l != NULL; l = strtok_r(NULL, "\n", &save)) {
		TEST_TRUE(l[0] == '[' && l[strlen(l) - 1] == '>' && test_count(l, "<thread ") == 1);
		lines++;
	}
	free(line);
	TEST_TRUE(lines == NB_THREADS * NB_MESSAGES);
	return 0;
}

const struct test_case test_log[] = {
	TEST_CASE(test_log_sources),
	TEST_CASE(test_log_sources_full),
	TEST_CASE(test_log_harmless),
	TEST_CASE(test_log_create_errors),
	TEST_CASE(test_log_full),
	TEST_CASE(test_log_line),
	TEST_CASE(test_log_fd),
	TEST_CASE(test_log_buf),
	TEST_CASE(test_log_syslog),
	TEST_CASE(test_log_standard),
	TEST_CASE(test_log_left_out),
	TEST_CASE(test_log_rate),
	TEST_CASE(test_log_threads),
	TEST_CASES_END()
};
