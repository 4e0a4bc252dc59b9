/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Backends of the log: what they write to, their limits, and the global ones. How a
 * message becomes a line is in doca_log.c.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <unistd.h>

#include <doca_log.h>

#include "doca_log_private.h"
#include "doca_private.h"

#define LOG_MAX_BACKENDS 64

enum backend_kind {
	BACKEND_FILE,
	BACKEND_FD,
	BACKEND_BUF,
	BACKEND_SYSLOG,
};

struct doca_log_backend {
	enum backend_kind kind;
	bool sdk;
	bool lower_strict;
	bool upper_strict;
	uint32_t lower; /* the least severe level that is shown; 0: the default */
	uint32_t upper; /* the most severe one; 0: the default */
	FILE *file;
	int fd;
	char *buffer;
	size_t size;
	doca_log_flush_callback flush;
};

/* Of all that is here. */
static pthread_mutex_t backend_lock = PTHREAD_MUTEX_INITIALIZER;

static struct doca_log_backend backends[LOG_MAX_BACKENDS];
static unsigned int nb_backends;
static int nb_sdk_backends;
static char *syslog_name; /* openlog() keeps the pointer */

static uint32_t global_lower = DOCA_LOG_LEVEL_INFO;
static uint32_t global_upper = DOCA_LOG_LEVEL_DISABLE;
static uint32_t global_sdk = DOCA_LOG_LEVEL_WARNING;

/* The least severe level that any backend shows, of programs and of the layer: so that
 * a message that nobody wants costs one load. Atomic, written under the lock.
 */
static uint32_t wanted[2];

/* Whether this thread is in a flush callback. */
static __thread bool flushing;

static bool
level_valid(uint32_t level)
{
	return level >= DOCA_LOG_LEVEL_DISABLE && level <= DOCA_LOG_LEVEL_TRACE && level % 10 == 0;
}

/* --- Limits; under the lock */

static uint32_t
backend_lower(const struct doca_log_backend *b)
{
	if (!b->sdk && !b->lower_strict && global_lower < b->lower)
		return global_lower;
	return b->lower;
}

static uint32_t
backend_upper(const struct doca_log_backend *b)
{
	if (!b->sdk && !b->upper_strict && global_upper > b->upper)
		return global_upper;
	return b->upper;
}

static void
wanted_update(void)
{
	uint32_t least[2] = {0, 0};
	unsigned int i;

	for (i = 0; i < nb_backends; i++)
		if (backend_lower(&backends[i]) > least[backends[i].sdk])
			least[backends[i].sdk] = backend_lower(&backends[i]);
	/* relaxed: a message at the time of a change is of before or of after it */
	__atomic_store_n(&wanted[0], least[0], __ATOMIC_RELAXED);
	__atomic_store_n(&wanted[1], least[1], __ATOMIC_RELAXED);
}

bool
doca_log_wanted(uint32_t level, bool sdk)
{
	return level <= __atomic_load_n(&wanted[sdk], __ATOMIC_RELAXED) && !flushing;
}

/* --- Writing; under the lock */

static void
write_fd(int fd, const char *line, size_t length)
{
	ssize_t n;

	while (length > 0) {
		n = write(fd, line, length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return; /* nobody could be told */
		line += n;
		length -= (size_t)n;
	}
}

static void
write_buf(const struct doca_log_backend *b, const char *line, size_t length)
{
	if (length > b->size - 1)
		length = b->size - 1;
	memcpy(b->buffer, line, length);
	b->buffer[length] = '\0';
	flushing = true;
	b->flush(b->buffer);
	flushing = false;
}

static int
syslog_priority(uint32_t level)
{
	switch (level) {
	case DOCA_LOG_LEVEL_CRIT:
		return LOG_CRIT;
	case DOCA_LOG_LEVEL_ERROR:
		return LOG_ERR;
	case DOCA_LOG_LEVEL_WARNING:
		return LOG_WARNING;
	case DOCA_LOG_LEVEL_INFO:
		return LOG_INFO;
	default:
		return LOG_DEBUG;
	}
}

void
doca_log_emit(uint32_t level, bool sdk, const char *line, size_t length, size_t message)
{
	const struct doca_log_backend *b;
	unsigned int i;

	doca_lock(&backend_lock);
	for (i = 0; i < nb_backends; i++) {
		b = &backends[i];
		if (b->sdk != sdk || level > backend_lower(b) || level < backend_upper(b))
			continue;
		switch (b->kind) {
		case BACKEND_FILE:
			fwrite(line, 1, length, b->file);
			fflush(b->file);
			break;
		case BACKEND_FD:
			write_fd(b->fd, line, length);
			break;
		case BACKEND_BUF:
			write_buf(b, line, length);
			break;
		case BACKEND_SYSLOG:
			syslog(LOG_USER | syslog_priority(level), "%s", line + message);
			break;
		}
	}
	doca_unlock(&backend_lock);
}

int
doca_log_sdk_backends(void)
{
	int n;

	if (flushing)
		return 1; /* the caller has the lock; the message has nowhere else to go */
	doca_lock(&backend_lock);
	n = nb_sdk_backends;
	doca_unlock(&backend_lock);
	return n;
}

/* --- Making backends */

/* One like this one, or NULL; under the lock. */
static struct doca_log_backend *
backend_add(const struct doca_log_backend *like)
{
	struct doca_log_backend *b;

	if (nb_backends == LOG_MAX_BACKENDS)
		return NULL;
	b = &backends[nb_backends++];
	*b = *like;
	if (b->lower == 0)
		b->lower = b->sdk ? global_sdk : DOCA_LOG_LEVEL_TRACE;
	if (b->upper == 0)
		b->upper = DOCA_LOG_LEVEL_DISABLE;
	nb_sdk_backends += b->sdk;
	wanted_update();
	return b;
}

/* What all that make one backend do. */
static doca_error_t
backend_create(const struct doca_log_backend *like, struct doca_log_backend **backend)
{
	struct doca_log_backend *b;

	if (flushing)
		return DOCA_ERROR_BAD_STATE;
	doca_lock(&backend_lock);
	b = backend_add(like);
	doca_unlock(&backend_lock);
	if (b == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*backend = b;
	return DOCA_SUCCESS;
}

static doca_error_t
create_file(FILE *file, bool sdk, struct doca_log_backend **backend)
{
	const struct doca_log_backend like = {.kind = BACKEND_FILE, .sdk = sdk, .file = file};

	if (file == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return backend_create(&like, backend);
}

static doca_error_t
create_fd(int fd, bool sdk, struct doca_log_backend **backend)
{
	const struct doca_log_backend like = {.kind = BACKEND_FD, .sdk = sdk, .fd = fd};

	if (backend == NULL || fcntl(fd, F_GETFD) < 0)
		return DOCA_ERROR_INVALID_VALUE;
	return backend_create(&like, backend);
}

static doca_error_t
create_buf(char *buffer, size_t size, doca_log_flush_callback flush, bool sdk,
		struct doca_log_backend **backend)
{
	const struct doca_log_backend like = {
		.kind = BACKEND_BUF,
		.sdk = sdk,
		.buffer = buffer,
		.size = size,
		.flush = flush,
	};

	if (buffer == NULL || size < 2 || flush == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return backend_create(&like, backend);
}

static doca_error_t
create_syslog(const char *name, bool sdk, struct doca_log_backend **backend)
{
	const struct doca_log_backend like = {.kind = BACKEND_SYSLOG, .sdk = sdk};
	char *copy, *old;
	doca_error_t result;

	if (name == NULL || backend == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	copy = strdup(name);
	if (copy == NULL)
		return DOCA_ERROR_NO_MEMORY;
	result = backend_create(&like, backend);
	if (result != DOCA_SUCCESS) {
		free(copy);
		return result;
	}
	doca_lock(&backend_lock);
	openlog(copy, LOG_PID, LOG_USER);
	old = syslog_name;
	syslog_name = copy;
	doca_unlock(&backend_lock);
	free(old);
	return DOCA_SUCCESS;
}

doca_error_t
doca_log_backend_create_standard(void)
{
	const struct doca_log_backend out = {
		.kind = BACKEND_FILE, .file = stdout, .upper = DOCA_LOG_LEVEL_INFO,
	};
	const struct doca_log_backend err = {
		.kind = BACKEND_FILE, .file = stderr, .lower = DOCA_LOG_LEVEL_WARNING,
	};
	doca_error_t result = DOCA_ERROR_NO_MEMORY;

	if (flushing)
		return DOCA_ERROR_BAD_STATE;
	doca_lock(&backend_lock);
	if (nb_backends + 2 <= LOG_MAX_BACKENDS) {
		backend_add(&out);
		backend_add(&err);
		result = DOCA_SUCCESS;
	}
	doca_unlock(&backend_lock);
	return result;
}

doca_error_t
doca_log_backend_create_with_file(FILE *file, struct doca_log_backend **backend)
{
	return create_file(file, false, backend);
}

doca_error_t
doca_log_backend_create_with_file_sdk(FILE *file, struct doca_log_backend **backend)
{
	return create_file(file, true, backend);
}

doca_error_t
doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend)
{
	return create_fd(fd, false, backend);
}

doca_error_t
doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend)
{
	return create_fd(fd, true, backend);
}

doca_error_t
doca_log_backend_create_with_buf(char *buffer, size_t size, doca_log_flush_callback flush,
		struct doca_log_backend **backend)
{
	return create_buf(buffer, size, flush, false, backend);
}

doca_error_t
doca_log_backend_create_with_buf_sdk(char *buffer, size_t size, doca_log_flush_callback flush,
		struct doca_log_backend **backend)
{
	return create_buf(buffer, size, flush, true, backend);
}

doca_error_t
doca_log_backend_create_with_syslog(const char *name, struct doca_log_backend **backend)
{
	return create_syslog(name, false, backend);
}

doca_error_t
doca_log_backend_create_with_syslog_sdk(const char *name, struct doca_log_backend **backend)
{
	return create_syslog(name, true, backend);
}

/* --- Limits of one backend */

/* A pointer of anybody: compared, not followed. Under the lock. */
static bool
backend_exists(const struct doca_log_backend *backend)
{
	unsigned int i;

	for (i = 0; i < nb_backends; i++)
		if (backend == &backends[i])
			return true;
	return false;
}

/* Only of a backend for messages of the layer, if sdk is true. */
static doca_error_t
set_limit(struct doca_log_backend *backend, uint32_t level, bool upper, bool strict, bool sdk)
{
	doca_error_t result = DOCA_ERROR_INVALID_VALUE;

	if (!level_valid(level))
		return result;
	if (flushing)
		return DOCA_ERROR_BAD_STATE;
	doca_lock(&backend_lock);
	if (backend_exists(backend) && (backend->sdk || !sdk)) {
		if (upper) {
			backend->upper = level;
			backend->upper_strict = strict;
		} else {
			backend->lower = level;
			backend->lower_strict = strict;
		}
		wanted_update();
		result = DOCA_SUCCESS;
	}
	doca_unlock(&backend_lock);
	return result;
}

doca_error_t
doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend, uint32_t level)
{
	return set_limit(backend, level, false, false, false);
}

doca_error_t
doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend, uint32_t level)
{
	return set_limit(backend, level, false, true, false);
}

doca_error_t
doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend, uint32_t level)
{
	return set_limit(backend, level, true, false, false);
}

doca_error_t
doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend, uint32_t level)
{
	return set_limit(backend, level, true, true, false);
}

doca_error_t
doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level)
{
	return set_limit(backend, level, false, false, true);
}

/* --- Global limits */

static doca_error_t
set_global(uint32_t *limit, uint32_t level)
{
	unsigned int i;

	if (!level_valid(level))
		return DOCA_ERROR_INVALID_VALUE;
	if (flushing)
		return DOCA_ERROR_BAD_STATE;
	doca_lock(&backend_lock);
	*limit = level;
	for (i = 0; limit == &global_sdk && i < nb_backends; i++)
		if (backends[i].sdk)
			backends[i].lower = level;
	wanted_update();
	doca_unlock(&backend_lock);
	return DOCA_SUCCESS;
}

static uint32_t
get_global(const uint32_t *limit)
{
	uint32_t level;

	if (flushing)
		return *limit; /* the caller has the lock */
	doca_lock(&backend_lock);
	level = *limit;
	doca_unlock(&backend_lock);
	return level;
}

doca_error_t
doca_log_level_set_global_lower_limit(uint32_t level)
{
	return set_global(&global_lower, level);
}

uint32_t
doca_log_level_get_global_lower_limit(void)
{
	return get_global(&global_lower);
}

doca_error_t
doca_log_level_set_global_upper_limit(uint32_t level)
{
	return set_global(&global_upper, level);
}

uint32_t
doca_log_level_get_global_upper_limit(void)
{
	return get_global(&global_upper);
}

doca_error_t
doca_log_level_set_global_sdk_limit(uint32_t level)
{
	return set_global(&global_sdk, level);
}

uint32_t
doca_log_level_get_global_sdk_limit(void)
{
	return get_global(&global_sdk);
}
