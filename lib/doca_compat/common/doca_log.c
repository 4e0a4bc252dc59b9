/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages: their sources, their rate, and how they become lines. Where lines go is in
 * doca_log_backend.c.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <doca_log.h>

#include "doca_log_private.h"
#include "doca_private.h"

#define LOG_MAX_SOURCES 65536
#define LOG_MAX_BUCKETS 1024
#define LOG_BUCKET_MESSAGES 10 /* in a second */

struct log_bucket {
	time_t second;        /* the one that is counted, of the monotonic clock */
	unsigned int passed;  /* messages in it */
	unsigned int dropped; /* since the last one that passed */
};

/* Of the tables here. Taken before that of the backends, never after it. */
static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;

/* Source n is at n - 1; NULL where one was unregistered. */
static char **log_sources;
static size_t log_nb_sources;
static size_t log_room_sources;
static size_t log_taken_sources; /* places below this are not NULL */

static struct log_bucket log_buckets[LOG_MAX_BUCKETS];
static int log_nb_buckets;

/* --- Sources */

/* The place of a new source, or NULL; under the lock. */
static char **
source_place(void)
{
	char **grown;
	size_t room;

	for (; log_taken_sources < log_nb_sources; log_taken_sources++)
		if (log_sources[log_taken_sources] == NULL)
			return &log_sources[log_taken_sources];
	if (log_nb_sources == log_room_sources) {
		room = log_room_sources == 0 ? 16 : 2 * log_room_sources;
		if (room > LOG_MAX_SOURCES)
			return NULL;
		grown = realloc(log_sources, room * sizeof(*grown));
		if (grown == NULL)
			return NULL;
		log_sources = grown;
		log_room_sources = room;
	}
	return &log_sources[log_nb_sources++];
}

doca_error_t
doca_log_register_source(const char *source_name, int *source)
{
	char *name, **place;

	if (source_name == NULL || source == NULL ||
			strnlen(source_name, DOCA_LOGGER_NAME_SIZE) == DOCA_LOGGER_NAME_SIZE)
		return DOCA_ERROR_INVALID_VALUE;
	name = strdup(source_name);
	if (name == NULL)
		return DOCA_ERROR_NO_MEMORY;
	doca_lock(&log_lock);
	place = source_place();
	if (place != NULL) {
		*place = name;
		*source = (int)(place - log_sources) + 1;
	}
	doca_unlock(&log_lock);
	if (place == NULL) {
		free(name);
		return DOCA_ERROR_NO_MEMORY;
	}
	return DOCA_SUCCESS;
}

doca_error_t
doca_log_unregister_source(int source)
{
	doca_error_t result = DOCA_ERROR_INVALID_VALUE;

	doca_lock(&log_lock);
	if (source > 0 && (size_t)source <= log_nb_sources && log_sources[source - 1] != NULL) {
		free(log_sources[source - 1]);
		log_sources[source - 1] = NULL;
		if (log_taken_sources > (size_t)source - 1)
			log_taken_sources = source - 1;
		result = DOCA_SUCCESS;
	}
	doca_unlock(&log_lock);
	return result;
}

static void
source_name(int source, char name[DOCA_LOGGER_NAME_SIZE])
{
	const char *found = "?";

	doca_lock(&log_lock);
	if (source > 0 && (size_t)source <= log_nb_sources && log_sources[source - 1] != NULL)
		found = log_sources[source - 1];
	snprintf(name, DOCA_LOGGER_NAME_SIZE, "%s", found);
	doca_unlock(&log_lock);
}

/* --- Rates */

doca_error_t
doca_log_rate_bucket_register(int source, int *bucket)
{
	doca_error_t result = DOCA_SUCCESS;

	(void)source;
	if (bucket == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_lock(&log_lock);
	if (*bucket < 0) {
		if (log_nb_buckets < LOG_MAX_BUCKETS)
			/* release: pairs with the acquire of DOCA_LOG_RATE_LIMIT() */
			__atomic_store_n(bucket, log_nb_buckets++, __ATOMIC_RELEASE);
		else
			result = DOCA_ERROR_NO_MEMORY;
	}
	doca_unlock(&log_lock);
	return result;
}

/* Whether a message passes, and how many did not since the last one that did. */
static bool
bucket_pass(int bucket, unsigned int *dropped)
{
	struct log_bucket *b;
	struct timespec now;
	bool pass;

	*dropped = 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	doca_lock(&log_lock);
	if (bucket < 0 || bucket >= log_nb_buckets) {
		doca_unlock(&log_lock);
		return true;
	}
	b = &log_buckets[bucket];
	if (b->passed == 0 || b->second != now.tv_sec) {
		b->second = now.tv_sec;
		b->passed = 0;
	}
	pass = b->passed < LOG_BUCKET_MESSAGES;
	if (pass) {
		b->passed++;
		*dropped = b->dropped;
		b->dropped = 0;
	} else {
		b->dropped++;
	}
	doca_unlock(&log_lock);
	return pass;
}

/* --- Lines */

static const char *
level_name(uint32_t level)
{
	static const char *const names[] = {"CRT", "ERR", "WRN", "INF", "DBG", "TRC"};

	return names[(level - DOCA_LOG_LEVEL_CRIT) / 10];
}

/* A level that a message can have. */
static bool
level_of_message(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_CRIT && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

/* What stands before the message: when, who, where. Returns its length. */
static size_t
line_head(char *line, size_t size, uint32_t level, const char *source, const char *file, int nr,
		const char *function)
{
	const char *base = file == NULL ? NULL : strrchr(file, '/');
	struct timespec now;
	struct tm tm;
	int n;

	clock_gettime(CLOCK_REALTIME, &now);
	if (localtime_r(&now.tv_sec, &tm) == NULL)
		memset(&tm, 0, sizeof(tm));
	n = snprintf(line, size, "[%02d:%02d:%02d.%06d][%d][%s][%.*s][%.*s:%d][%.*s] ", tm.tm_hour,
			tm.tm_min, tm.tm_sec, (int)(now.tv_nsec / 1000), (int)syscall(SYS_gettid),
			level_name(level), DOCA_LOGGER_NAME_SIZE, source, DOCA_LOGGER_NAME_SIZE,
			base != NULL ? base + 1 : file == NULL ? "?" : file, nr,
			DOCA_LOGGER_NAME_SIZE, function == NULL ? "?" : function);
	return n < 0 ? 0 : (size_t)n; /* the size is enough for four such names */
}

/* One line feed at the end, where there is room for it. Returns the length. */
static size_t
line_end(char *line, size_t size, size_t length)
{
	if (length > size - 2)
		length = size - 2;
	while (length > 0 && line[length - 1] == '\n')
		length--;
	line[length] = '\n';
	line[length + 1] = '\0';
	return length + 1;
}

DOCA_COMPAT_PRINTF(8, 0)
static void
log_line(uint32_t level, bool sdk, const char *source, const char *file, int nr,
		const char *function, unsigned int dropped, const char *format, va_list ap)
{
	char line[DOCA_LOG_LINE_SIZE];
	size_t begin, length;
	int n;

	begin = line_head(line, sizeof(line), level, source, file, nr, function);
	n = vsnprintf(line + begin, sizeof(line) - begin, format, ap);
	length = line_end(line, sizeof(line), begin + (n < 0 ? 0 : (size_t)n));
	if (dropped > 0) {
		n = snprintf(line + length - 1, sizeof(line) - length + 1, " (%u were left out before)",
				dropped);
		length = line_end(line, sizeof(line), length - 1 + (size_t)n);
	}
	doca_log_emit(level, sdk, line, length, begin);
}

void
doca_log(uint32_t level, int source, const char *file, int line, const char *function,
		const char *format, ...)
{
	char name[DOCA_LOGGER_NAME_SIZE];
	int saved_errno = errno;
	va_list ap;

	if (format == NULL || !level_of_message(level) || !doca_log_wanted(level, false))
		return;
	source_name(source, name);
	va_start(ap, format);
	log_line(level, false, name, file, line, function, 0, format, ap);
	va_end(ap);
	errno = saved_errno;
}

void
doca_log_rate_limit(uint32_t level, int source, const char *file, int line, const char *function,
		int bucket, const char *format, ...)
{
	char name[DOCA_LOGGER_NAME_SIZE];
	int saved_errno = errno;
	unsigned int dropped;
	va_list ap;

	if (format == NULL || !level_of_message(level) || !doca_log_wanted(level, false) ||
			!bucket_pass(bucket, &dropped))
		return;
	source_name(source, name);
	va_start(ap, format);
	log_line(level, false, name, file, line, function, dropped, format, ap);
	va_end(ap);
	errno = saved_errno;
}

int
doca_compat_log(uint32_t level, const char *source, const char *file, int line,
		const char *function, const char *format, ...)
{
	int saved_errno = errno;
	va_list ap;

	if (doca_log_wanted(level, true)) {
		va_start(ap, format);
		log_line(level, true, source, file, line, function, 0, format, ap);
		va_end(ap);
		errno = saved_errno;
	}
	return doca_log_sdk_backends();
}
