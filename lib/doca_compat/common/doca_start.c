/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The start of EAL, at the first call that needs it: its arguments, its log, and what of
 * the calling thread it may not change. Nothing about devices.
 */

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_lcore.h>
#include <rte_log.h>

#include <doca_log.h>

#include "doca_func_private.h"
#include "doca_private.h"

#define START_MAX_ARGS 64
#define START_ARGS_SIZE 8192
#define START_LOG_SIZE 4096
#define START_LCORES_SIZE 5120 /* of 1024 processors */

/*
 * Without hugepages EAL's memory is a file in memory: pages that nothing has touched cost
 * nothing, so this is a limit and no reservation.
 */
#define START_MEMORY "4096"

static pthread_mutex_t start_lock = PTHREAD_MUTEX_INITIALIZER;

enum start_state {
	START_NOT_YET = 0,
	START_DONE,
	START_FAILED, /* for good: EAL does not start twice */
};

/* Written under the lock; START_DONE is read without it. */
static enum start_state start_state;
static pid_t start_pid;
static struct doca_env start_env;

/* The arguments of EAL, and the memory of those that are not constants. */
struct start_args {
	char *argv[START_MAX_ARGS + 1];
	int argc;
	char text[START_ARGS_SIZE];
	char lcores[START_LCORES_SIZE];
};

const struct doca_env *
doca_env_get(void)
{
	return &start_env;
}

/*
 * Log
 */

/*
 * While EAL starts its messages are kept: it complains of things that do not matter here,
 * as of a folder that is another user's. Only a start that fails shows them. The stream's
 * lock guards this.
 */
static struct {
	bool keep;
	size_t length;
	char text[START_LOG_SIZE];
} log_kept;

/* One write may be several lines, and a line several writes: those lose their head. */
static void
log_lines(uint32_t level, const char *text, size_t size)
{
	const char *end = text + size;

	while (text < end) {
		const char *feed = memchr(text, '\n', end - text);
		int length = (feed == NULL ? end : feed) - text;

		if (length > 0)
			doca_compat_log(level, "DPDK", NULL, 0, NULL, "%.*s", length, text);
		text += length + 1;
	}
}

static ssize_t
log_write(void *cookie, const char *text, size_t size)
{
	static const uint32_t levels[] = {
		[RTE_LOG_ERR] = DOCA_LOG_LEVEL_ERROR,
		[RTE_LOG_WARNING] = DOCA_LOG_LEVEL_WARNING,
		[RTE_LOG_NOTICE] = DOCA_LOG_LEVEL_INFO,
		[RTE_LOG_INFO] = DOCA_LOG_LEVEL_INFO,
		[RTE_LOG_DEBUG] = DOCA_LOG_LEVEL_DEBUG,
	};
	uint32_t rte_level = rte_log_cur_msg_loglevel();
	uint32_t level = DOCA_LOG_LEVEL_CRIT;

	(void)cookie;
	if (rte_level >= RTE_LOG_ERR && rte_level <= RTE_LOG_DEBUG)
		level = levels[rte_level];
	if (!log_kept.keep) {
		log_lines(level, text, size);
	} else if (log_kept.length + size <= sizeof(log_kept.text)) {
		memcpy(log_kept.text + log_kept.length, text, size);
		log_kept.length += size;
	}
	return size;
}

/* What EAL and the library have to say goes where the layer's own messages go. */
static void
log_open(void)
{
	FILE *file = fopencookie(NULL, "w", (cookie_io_functions_t){.write = log_write});

	if (file != NULL && rte_openlog_stream(file) != 0)
		fclose(file);
}

static uint32_t
log_level(const struct doca_env *env)
{
	if (env->log_level == 0)
		return RTE_LOG_WARNING;
	if (env->log_level <= DOCA_LOG_LEVEL_ERROR)
		return RTE_LOG_ERR;
	if (env->log_level == DOCA_LOG_LEVEL_WARNING)
		return RTE_LOG_WARNING;
	return env->log_level == DOCA_LOG_LEVEL_INFO ? RTE_LOG_INFO : RTE_LOG_DEBUG;
}

/*
 * Arguments
 */

/* A default, and the arguments of the environment that make it void. */
#define START_MAX_UNLESS 6
struct start_default {
	const char *arguments[2];
	const char *unless[START_MAX_UNLESS];
};

static const struct start_default start_defaults[] = {
	{{"--no-huge"}, {"--no-huge", "--huge-dir", "--huge-unlink", "--socket-mem"}},
	{{"-m", START_MEMORY}, {"-m", "--huge-dir", "--huge-unlink", "--socket-mem"}},
	{{"--no-pci"}, {"--no-pci", "-a", "--allow", "-b", "--block"}},
	{{"--no-telemetry"}, {"--no-telemetry", "--telemetry"}},
	{{"--no-shconf"}, {"--no-shconf", "--in-memory", "--file-prefix", "--proc-type"}},
};

/* Whether the environment has this argument: "-a", "-a=..", "-a03:00.0", "--allow=..". */
static bool
args_have(const struct start_args *args, const char *name)
{
	size_t length = strlen(name);
	int i;

	for (i = 1; i < args->argc; i++) {
		const char *arg = args->argv[i];

		if (strncmp(arg, name, length) != 0)
			continue;
		if (arg[length] == '\0' || arg[length] == '=' || name[1] != '-')
			return true;
	}
	return false;
}

static doca_error_t
args_add(struct start_args *args, char *arg)
{
	if (args->argc == START_MAX_ARGS) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"DOCA_COMPAT_EAL_ARGS has more than %d arguments: give fewer",
				START_MAX_ARGS);
		return DOCA_ERROR_INITIALIZATION;
	}
	args->argv[args->argc++] = arg;
	return DOCA_SUCCESS;
}

/* One logical core, which may run where the program may. */
static void
args_lcores(char text[START_LCORES_SIZE], const cpu_set_t *cpus)
{
	size_t length = snprintf(text, START_LCORES_SIZE, "0@(");
	int cpu, n = 0;

	for (cpu = 0; cpu < CPU_SETSIZE && cpu < RTE_MAX_LCORE; cpu++)
		if (CPU_ISSET(cpu, cpus))
			length += snprintf(text + length, START_LCORES_SIZE - length,
					n++ == 0 ? "%d" : ",%d", cpu);
	snprintf(text + length, START_LCORES_SIZE - length, ")");
}

/* What the environment gives, one by one: no blank can be in an argument. */
static doca_error_t
args_add_env(struct start_args *args, const char *eal_args)
{
	doca_error_t result = DOCA_SUCCESS;
	char *next = args->text, *arg;

	if (strlen(eal_args) >= sizeof(args->text)) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"DOCA_COMPAT_EAL_ARGS is longer than %d bytes: make it shorter",
				START_ARGS_SIZE - 1);
		return DOCA_ERROR_INITIALIZATION;
	}
	strcpy(next, eal_args);
	while (result == DOCA_SUCCESS && (arg = strsep(&next, " \t\n")) != NULL)
		if (arg[0] != '\0')
			result = args_add(args, arg);
	return result;
}

/* EAL takes its arguments as if they could be changed. */
static char *
args_const(const char *text)
{
	return (char *)(uintptr_t)text;
}

static doca_error_t
args_add_default(struct start_args *args, const struct start_default *dflt)
{
	doca_error_t result = DOCA_SUCCESS;
	unsigned int i;

	for (i = 0; i < START_MAX_UNLESS && dflt->unless[i] != NULL; i++)
		if (args_have(args, dflt->unless[i]))
			return DOCA_SUCCESS;
	for (i = 0; i < 2 && dflt->arguments[i] != NULL; i++)
		DOCA_ERROR_PROPAGATE(result, args_add(args, args_const(dflt->arguments[i])));
	return result;
}

/* A name, what the environment says, and the defaults that it leaves. */
static doca_error_t
args_make(struct start_args *args, const struct doca_env *env, const cpu_set_t *cpus)
{
	const struct start_default lcores = {
		{"--lcores", args->lcores}, {"--lcores", "-l", "-c", NULL},
	};
	doca_error_t result;
	size_t i;

	args->argc = 0;
	result = args_add(args, args_const("doca"));
	if (env->eal_args != NULL)
		DOCA_ERROR_PROPAGATE(result, args_add_env(args, env->eal_args));
	for (i = 0; i < sizeof(start_defaults) / sizeof(start_defaults[0]); i++)
		DOCA_ERROR_PROPAGATE(result, args_add_default(args, &start_defaults[i]));
	args_lcores(args->lcores, cpus);
	DOCA_ERROR_PROPAGATE(result, args_add_default(args, &lcores));
	args->argv[args->argc] = NULL;
	return result;
}

/*
 * Start
 */

/* EAL's threads must not take the program's signals, nor its thread EAL's processors. */
static int
eal_init(struct start_args *args)
{
	sigset_t all, saved;
	cpu_set_t cpus;
	bool affinity;
	int ret, error;

	affinity = sched_getaffinity(0, sizeof(cpus), &cpus) == 0;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved); /* check-ok: there is no EAL yet */
	ret = rte_eal_init(args->argc, args->argv);
	error = rte_errno;
	pthread_sigmask(SIG_SETMASK, &saved, NULL); /* check-ok: as it was */
	if (affinity)
		sched_setaffinity(0, sizeof(cpus), &cpus);
	return ret < 0 ? -error : 0;
}

static void
eal_failed(const struct doca_env *env, int ret)
{
	if (ret == -ENOMEM)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"EAL does not start, as it gets not all of its addresses, "
				START_MEMORY " MB if nothing is set: set "
				"DOCA_COMPAT_EAL_ARGS='-m 256', or a higher limit (ulimit -v)");
	else
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"EAL does not start: %s; correct or unset DOCA_COMPAT_EAL_ARGS%s%s, "
				"or set DOCA_COMPAT_LOG_LEVEL=debug to see more",
				strerror(-ret), env->eal_args == NULL ? "" : "=",
				env->eal_args == NULL ? "" : env->eal_args);
}

static doca_error_t
eal_start(struct doca_env *env)
{
	struct start_args *args = calloc(1, sizeof(*args));
	doca_error_t result;
	cpu_set_t cpus;
	int ret;

	if (args == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (sched_getaffinity(0, sizeof(cpus), &cpus) != 0) {
		CPU_ZERO(&cpus);
		CPU_SET(0, &cpus);
	}
	result = args_make(args, env, &cpus);
	if (result == DOCA_SUCCESS) {
		env->eal_allows = args_have(args, "-a") || args_have(args, "--allow");
		log_open();
		rte_log_set_global_level(log_level(env));
		log_kept.keep = env->log_level == 0;
		ret = eal_init(args);
		log_kept.keep = false;
		if (ret != 0) {
			log_lines(DOCA_LOG_LEVEL_ERROR, log_kept.text, log_kept.length);
			eal_failed(env, ret);
			start_state = START_FAILED;
			result = DOCA_ERROR_INITIALIZATION;
		}
	}
	free(args); /* EAL has copied what it keeps */
	return result;
}

/* What is used later, too: the program may change its environment meanwhile. */
static doca_error_t
env_keep(struct doca_env *env)
{
	const char **texts[] = {&env->host_bus, &env->path, &env->uids};
	char *copies[RTE_DIM(texts)] = {NULL};
	unsigned int i;

	for (i = 0; i < RTE_DIM(texts); i++) {
		if (*texts[i] == NULL)
			continue;
		copies[i] = strdup(*texts[i]);
		if (copies[i] == NULL)
			break;
	}
	if (i < RTE_DIM(texts)) {
		while (i-- > 0)
			free(copies[i]);
		return DOCA_ERROR_NO_MEMORY;
	}
	for (i = 0; i < RTE_DIM(texts); i++)
		*texts[i] = copies[i];
	return DOCA_SUCCESS;
}

static doca_error_t
start_once(void)
{
	doca_error_t result;

	if (start_state == START_FAILED)
		return DOCA_ERROR_INITIALIZATION;
	result = doca_env_read(&start_env);
	/* a program that has started EAL keeps it, and its log */
	if (result == DOCA_SUCCESS && rte_lcore_count() == 0)
		result = eal_start(&start_env);
	DOCA_ERROR_PROPAGATE(result, doca_funcs_init(&start_env));
	DOCA_ERROR_PROPAGATE(result, env_keep(&start_env));
	if (result == DOCA_SUCCESS) {
		start_pid = getpid();
		__atomic_store_n(&start_state, START_DONE, __ATOMIC_RELEASE);
	}
	return result;
}

doca_error_t
doca_compat_start(void)
{
	static bool logged;
	doca_error_t result = DOCA_SUCCESS;

	if (__atomic_load_n(&start_state, __ATOMIC_ACQUIRE) != START_DONE) {
		doca_lock(&start_lock);
		if (start_state != START_DONE)
			result = start_once();
		doca_unlock(&start_lock);
		return result;
	}
	if (start_pid == getpid())
		return DOCA_SUCCESS;
	if (!__atomic_exchange_n(&logged, true, __ATOMIC_RELAXED))
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"process %d is a fork of process %d, in which EAL runs, and cannot use it: "
				"fork before the first list of devices, or run another program",
				(int)getpid(), (int)start_pid);
	return DOCA_ERROR_INITIALIZATION;
}

uint32_t
doca_compat_connect_timeout_ms(void)
{
	return start_env.connect_timeout_ms;
}

bool
doca_compat_recv_size(uint32_t *size)
{
	*size = start_env.recv_size;
	return start_env.recv_size_set;
}

static const struct {
	int error;
	doca_error_t result;
} start_results[] = {
	{EINVAL, DOCA_ERROR_INVALID_VALUE},
	{EMSGSIZE, DOCA_ERROR_INVALID_VALUE},
	{E2BIG, DOCA_ERROR_INVALID_VALUE},
	{EFAULT, DOCA_ERROR_INVALID_VALUE},
	{ENOMEM, DOCA_ERROR_NO_MEMORY},
	{ENOSPC, DOCA_ERROR_NO_MEMORY},
	{EMFILE, DOCA_ERROR_NO_MEMORY},
	{EAGAIN, DOCA_ERROR_AGAIN},
	{EBUSY, DOCA_ERROR_IN_USE},
	{EADDRINUSE, DOCA_ERROR_IN_USE},
	{ENOTSUP, DOCA_ERROR_NOT_SUPPORTED},
	{EPERM, DOCA_ERROR_NOT_PERMITTED},
	{EACCES, DOCA_ERROR_NOT_PERMITTED},
	{ENODEV, DOCA_ERROR_DRIVER},
	{EIO, DOCA_ERROR_DRIVER},
	{ENOENT, DOCA_ERROR_NOT_FOUND},
	{ENOTCONN, DOCA_ERROR_NOT_CONNECTED},
	{ECONNRESET, DOCA_ERROR_CONNECTION_RESET},
	{ECONNABORTED, DOCA_ERROR_CONNECTION_ABORTED},
	{ECONNREFUSED, DOCA_ERROR_CONNECTION_ABORTED},
	{EPROTO, DOCA_ERROR_CONNECTION_ABORTED},
	{ECANCELED, DOCA_ERROR_SHUTDOWN},
	{EDEADLK, DOCA_ERROR_BAD_STATE},
	{EEXIST, DOCA_ERROR_ALREADY_EXIST},
	{EALREADY, DOCA_ERROR_ALREADY_EXIST},
	{EINPROGRESS, DOCA_ERROR_IN_PROGRESS},
	{EPROTONOSUPPORT, DOCA_ERROR_UNSUPPORTED_VERSION},
	{ETIMEDOUT, DOCA_ERROR_TIME_OUT},
};

doca_error_t
doca_compat_result(int ret)
{
	unsigned int i;

	if (ret == 0)
		return DOCA_SUCCESS;
	for (i = 0; i < sizeof(start_results) / sizeof(start_results[0]); i++)
		if (start_results[i].error == -ret)
			return start_results[i].result;
	return DOCA_ERROR_UNKNOWN;
}
