/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_LOG_H
#define DOCA_LOG_H

/**
 * @file
 *
 * Log messages of programs, and where they go.
 *
 * A message has a level and a source. It goes to each application backend whose limits
 * let it pass; messages of the layer itself go to SDK backends. Without a backend
 * messages go nowhere, which is no error. Nothing takes a backend away again.
 *
 * A larger level is less severe. The lower limit is the least severe level that is
 * shown, the upper limit the most severe one.
 *
 * Any thread may call any function, at any time; only in a flush callback functions that
 * make or change backends return DOCA_ERROR_BAD_STATE. One message is one line, and lines
 * of threads do not mix. What is longer than DOCA_LOG_LINE_SIZE is cut. Messages leave
 * errno as it is.
 */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <doca_compat.h>
#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where messages go. Owned by the library. */
struct doca_log_backend;

/** Levels of messages, in tens. */
enum doca_log_level {
	DOCA_LOG_LEVEL_DISABLE = 10,  /**< As a limit: nothing is shown. */
	DOCA_LOG_LEVEL_CRIT = 20,     /**< The program cannot go on. */
	DOCA_LOG_LEVEL_CRITICAL = 20, /**< The same. */
	DOCA_LOG_LEVEL_ERROR = 30,    /**< Something failed. */
	DOCA_LOG_LEVEL_WARNING = 40,  /**< Something may be wrong. */
	DOCA_LOG_LEVEL_INFO = 50,     /**< What the program does. */
	DOCA_LOG_LEVEL_DEBUG = 60,    /**< For who looks for a mistake. */
	DOCA_LOG_LEVEL_TRACE = 70,    /**< Each step. */
};

/** Bytes of the name of a source, with its terminating NUL. */
#define DOCA_LOGGER_NAME_SIZE 256

/** Bytes of a line, its head and its terminating NUL included. */
#define DOCA_LOG_LINE_SIZE 2048

/**
 * Takes a line of a backend with a buffer. Called in the thread that logs, under the
 * lock of the log: what it logs itself is dropped.
 *
 * @param buffer
 *   The backend's buffer with the line, cut to its size; ends with a NUL.
 */
typedef void (*doca_log_flush_callback)(char *buffer);

/** @name Sources
 * @{
 */

/**
 * Register a source of messages; DOCA_LOG_REGISTER() does it for a file.
 *
 * @param source_name
 *   Its name, of at most DOCA_LOGGER_NAME_SIZE - 1 bytes; copied. Names need not differ.
 * @param[out] source
 *   Its number, above 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the name is too long.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or 65536 sources.
 */
DOCA_STABLE
doca_error_t doca_log_register_source(const char *source_name, int *source);

/**
 * Forget a source. Its messages are shown as of an unknown one from now on.
 *
 * @param source
 *   Its number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such source.
 */
DOCA_STABLE
doca_error_t doca_log_unregister_source(int source);

/** @} */

/** @name Messages
 * @{
 */

/**
 * Log a message; DOCA_LOG() and its family call it.
 *
 * @param level
 *   Its level, enum doca_log_level; one that is none is not shown.
 * @param source
 *   Number of its source; any number, an unknown one is shown as such.
 * @param file
 *   File of the message, or NULL. Its folders are not shown.
 * @param line
 *   Line of the message.
 * @param function
 *   Function of the message, or NULL.
 * @param format
 *   As of printf(). A line feed is added if the text has none at its end.
 */
DOCA_STABLE
DOCA_COMPAT_PRINTF(6, 7)
void doca_log(uint32_t level, int source, const char *file, int line, const char *function,
		const char *format, ...);

/**
 * Make a bucket, which lets ten messages pass in each second.
 *
 * @param source
 *   Source of the messages; any number.
 * @param[in,out] bucket
 *   Number of the bucket. If it is not negative already, nothing is done: of threads
 *   that come here together, one makes the bucket.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: bucket is NULL.
 *   - DOCA_ERROR_NO_MEMORY: there are 1024 buckets.
 */
DOCA_STABLE
doca_error_t doca_log_rate_bucket_register(int source, int *bucket);

/**
 * Log a message if its bucket lets it pass. The first one of a second says how many of
 * this bucket were left out before.
 *
 * @param level
 *   As in doca_log().
 * @param source
 *   As in doca_log().
 * @param file
 *   As in doca_log().
 * @param line
 *   As in doca_log().
 * @param function
 *   As in doca_log().
 * @param bucket
 *   Number of the bucket; without a limit if there is none of this number.
 * @param format
 *   As in doca_log().
 */
DOCA_STABLE
DOCA_COMPAT_PRINTF(7, 8)
void doca_log_rate_limit(uint32_t level, int source, const char *file, int line,
		const char *function, int bucket, const char *format, ...);

/** @} */

/** @name Backends
 * @{
 */

/**
 * Make two backends: stdout gets INFO and what is less severe, stderr the rest.
 *
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_NO_MEMORY: there are 64 backends, or 63.
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_standard(void);

/**
 * Make a backend that writes to a stream, and flushes it after each line.
 *
 * @param file
 *   The stream; stays the caller's, and must stay open.
 * @param[out] backend
 *   The backend.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_NO_MEMORY: there are 64 backends.
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_file(FILE *file, struct doca_log_backend **backend);

/**
 * Make a backend that writes to a file descriptor.
 *
 * @param fd
 *   The descriptor; stays the caller's, and must stay open.
 * @param[out] backend
 *   The backend.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: fd is not open, or backend is NULL.
 *   - DOCA_ERROR_NO_MEMORY: there are 64 backends.
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_fd(int fd, struct doca_log_backend **backend);

/**
 * Make a backend that puts each line into a buffer and calls a function.
 *
 * @param buffer
 *   The buffer; stays the caller's, and must stay valid.
 * @param size
 *   Its bytes; above 1.
 * @param flush
 *   Called with the buffer for each line.
 * @param[out] backend
 *   The backend.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or the size is below 2.
 *   - DOCA_ERROR_NO_MEMORY: there are 64 backends.
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_buf(char *buffer, size_t size,
		doca_log_flush_callback flush, struct doca_log_backend **backend);

/**
 * Make a backend that writes to the system's log.
 *
 * @param name
 *   What the program is called there; copied. One name holds for the whole process: the
 *   last one.
 * @param[out] backend
 *   The backend.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory, or there are 64 backends.
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_syslog(const char *name,
		struct doca_log_backend **backend);

/**
 * As doca_log_backend_create_with_file(), for messages of the layer itself.
 *
 * @param file
 *   The stream; stays the caller's, and must stay open.
 * @param[out] backend
 *   The backend.
 * @return
 *   As doca_log_backend_create_with_file().
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_file_sdk(FILE *file,
		struct doca_log_backend **backend);

/**
 * As doca_log_backend_create_with_fd(), for messages of the layer itself.
 *
 * @param fd
 *   The descriptor; stays the caller's, and must stay open.
 * @param[out] backend
 *   The backend.
 * @return
 *   As doca_log_backend_create_with_fd().
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_fd_sdk(int fd, struct doca_log_backend **backend);

/**
 * As doca_log_backend_create_with_buf(), for messages of the layer itself.
 *
 * @param buffer
 *   The buffer; stays the caller's, and must stay valid.
 * @param size
 *   Its bytes; above 1.
 * @param flush
 *   Called with the buffer for each line.
 * @param[out] backend
 *   The backend.
 * @return
 *   As doca_log_backend_create_with_buf().
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_buf_sdk(char *buffer, size_t size,
		doca_log_flush_callback flush, struct doca_log_backend **backend);

/**
 * As doca_log_backend_create_with_syslog(), for messages of the layer itself.
 *
 * @param name
 *   What the program is called there; copied.
 * @param[out] backend
 *   The backend.
 * @return
 *   As doca_log_backend_create_with_syslog().
 */
DOCA_STABLE
doca_error_t doca_log_backend_create_with_syslog_sdk(const char *name,
		struct doca_log_backend **backend);

/** @} */

/** @name Limits of one backend
 *
 * Application backends begin without limits of their own, SDK backends with the
 * global SDK limit.
 * @{
 */

/**
 * Set the least severe level that a backend shows. The global limit holds as well,
 * whichever shows less; it is not for SDK backends.
 *
 * @param backend
 *   The backend.
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such backend, or no such level.
 */
DOCA_STABLE
doca_error_t doca_log_backend_set_level_lower_limit(struct doca_log_backend *backend,
		uint32_t level);

/**
 * As doca_log_backend_set_level_lower_limit(), instead of the global limit.
 *
 * @param backend
 *   The backend.
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   As doca_log_backend_set_level_lower_limit().
 */
DOCA_STABLE
doca_error_t doca_log_backend_set_level_lower_limit_strict(struct doca_log_backend *backend,
		uint32_t level);

/**
 * Set the most severe level that a backend shows. The global limit holds as well,
 * whichever shows less; it is not for SDK backends.
 *
 * @param backend
 *   The backend.
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   As doca_log_backend_set_level_lower_limit().
 */
DOCA_STABLE
doca_error_t doca_log_backend_set_level_upper_limit(struct doca_log_backend *backend,
		uint32_t level);

/**
 * As doca_log_backend_set_level_upper_limit(), instead of the global limit.
 *
 * @param backend
 *   The backend.
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   As doca_log_backend_set_level_lower_limit().
 */
DOCA_STABLE
doca_error_t doca_log_backend_set_level_upper_limit_strict(struct doca_log_backend *backend,
		uint32_t level);

/**
 * Set the least severe message of the layer itself that an SDK backend shows.
 *
 * @param backend
 *   The backend.
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such SDK backend, or no such level.
 */
DOCA_STABLE
doca_error_t doca_log_backend_set_sdk_level(struct doca_log_backend *backend, uint32_t level);

/** @} */

/** @name Limits of all backends
 * @{
 */

/**
 * Set the least severe level that application backends show; DOCA_LOG_LEVEL_INFO at first.
 *
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such level.
 */
DOCA_STABLE
doca_error_t doca_log_level_set_global_lower_limit(uint32_t level);

/**
 * Get what doca_log_level_set_global_lower_limit() has set.
 *
 * @return
 *   The level, enum doca_log_level.
 */
DOCA_STABLE
uint32_t doca_log_level_get_global_lower_limit(void);

/**
 * Set the most severe level that application backends show; all of them at first.
 *
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such level.
 */
DOCA_STABLE
doca_error_t doca_log_level_set_global_upper_limit(uint32_t level);

/**
 * Get what doca_log_level_set_global_upper_limit() has set.
 *
 * @return
 *   The level, enum doca_log_level.
 */
DOCA_STABLE
uint32_t doca_log_level_get_global_upper_limit(void);

/**
 * Set the least severe message of the layer itself for all SDK backends: those that are
 * there, whatever they had, and those to come. DOCA_LOG_LEVEL_WARNING at first.
 *
 * @param level
 *   The level, enum doca_log_level.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: there is no such level.
 */
DOCA_STABLE
doca_error_t doca_log_level_set_global_sdk_limit(uint32_t level);

/**
 * Get what doca_log_level_set_global_sdk_limit() has set.
 *
 * @return
 *   The level, enum doca_log_level.
 */
DOCA_STABLE
uint32_t doca_log_level_get_global_sdk_limit(void);

/** @} */

#ifdef __cplusplus
}
#endif

/**
 * Register the source of a file's messages before main() runs. Stands once in a file,
 * outside of functions, with or without a semicolon.
 *
 * @param source_name
 *   Its name without quotes; "A::B" is one too.
 */
#define DOCA_LOG_REGISTER(source_name) \
	static int log_source; \
	static DOCA_COMPAT_CONSTRUCTOR void \
	doca_compat_log_register(void) \
	{ \
		(void)doca_log_register_source(#source_name, &log_source); \
	} \
	static DOCA_COMPAT_DESTRUCTOR void \
	doca_compat_log_unregister(void) \
	{ \
		(void)doca_log_unregister_source(log_source); \
	}

/** Log a message of the file's source: a level, and what printf() takes. */
#define DOCA_LOG(level, ...) \
	doca_log((uint32_t)(level), log_source, __FILE__, __LINE__, __func__, __VA_ARGS__)

/** @name Messages of a level, of what printf() takes
 * @{
 */
#define DOCA_LOG_CRIT(...) DOCA_LOG(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)    /**< Critical. */
#define DOCA_LOG_ERR(...)  DOCA_LOG(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)   /**< Error. */
#define DOCA_LOG_WARN(...) DOCA_LOG(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__) /**< Warning. */
#define DOCA_LOG_INFO(...) DOCA_LOG(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)    /**< Information. */
#define DOCA_LOG_DBG(...)  DOCA_LOG(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)   /**< Debug. */
#ifdef DOCA_LOGGING_ALLOW_TRACE
#define DOCA_LOG_TRC(...) DOCA_LOG(DOCA_LOG_LEVEL_TRACE, __VA_ARGS__) /**< Trace. */
#else
#define DOCA_LOG_TRC(...) do { } while (0) /**< Trace: the program has not allowed it. */
#endif
/** @} */

/** @name Messages that up to 2.0 a program had to allow
 * @{
 */
#ifdef DOCA_LOGGING_ALLOW_DLOG
#define DOCA_DLOG_CRIT(...) DOCA_LOG_CRIT(__VA_ARGS__) /**< Critical. */
#define DOCA_DLOG_ERR(...)  DOCA_LOG_ERR(__VA_ARGS__)  /**< Error. */
#define DOCA_DLOG_WARN(...) DOCA_LOG_WARN(__VA_ARGS__) /**< Warning. */
#define DOCA_DLOG_INFO(...) DOCA_LOG_INFO(__VA_ARGS__) /**< Information. */
#define DOCA_DLOG_DBG(...)  DOCA_LOG_DBG(__VA_ARGS__)  /**< Debug. */
#else
#define DOCA_DLOG_CRIT(...) do { } while (0) /**< Critical. */
#define DOCA_DLOG_ERR(...)  do { } while (0) /**< Error. */
#define DOCA_DLOG_WARN(...) do { } while (0) /**< Warning. */
#define DOCA_DLOG_INFO(...) do { } while (0) /**< Information. */
#define DOCA_DLOG_DBG(...)  do { } while (0) /**< Debug. */
#endif
/** @} */

/** Log a message, at most ten in a second from this place: as DOCA_LOG(). */
#define DOCA_LOG_RATE_LIMIT(level, ...) \
	do { \
		static int doca_compat_bucket = -1; \
		if (__atomic_load_n(&doca_compat_bucket, __ATOMIC_ACQUIRE) < 0) \
			(void)doca_log_rate_bucket_register(log_source, &doca_compat_bucket); \
		doca_log_rate_limit((uint32_t)(level), log_source, __FILE__, __LINE__, __func__, \
				doca_compat_bucket, __VA_ARGS__); \
	} while (0)

/** @name Messages of a level, at most ten in a second from one place
 * @{
 */
/** Critical. */
#define DOCA_LOG_RATE_LIMIT_CRIT(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_CRIT, __VA_ARGS__)
/** Error. */
#define DOCA_LOG_RATE_LIMIT_ERR(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_ERROR, __VA_ARGS__)
/** Warning. */
#define DOCA_LOG_RATE_LIMIT_WARN(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_WARNING, __VA_ARGS__)
/** Information. */
#define DOCA_LOG_RATE_LIMIT_INFO(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_INFO, __VA_ARGS__)
/** Debug. */
#define DOCA_LOG_RATE_LIMIT_DBG(...) DOCA_LOG_RATE_LIMIT(DOCA_LOG_LEVEL_DEBUG, __VA_ARGS__)
/** @} */

#endif /* DOCA_LOG_H */
