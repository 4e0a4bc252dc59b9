/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the environment says of the layer: every variable is read and checked here, and
 * nothing is done with it. A wrong one is an error that names it, its value and what to
 * write instead. Who starts a program that has more rights than he has does not say
 * anything here.
 */

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <doca_log.h>

#include "doca_func_private.h"
#include "doca_log_private.h"
#include "doca_private.h"

#define ENV_PREFIX "DOCA_COMPAT_"
#define ENV_DEVICES ENV_PREFIX "DEVICES"
#define ENV_HOST_BUS ENV_PREFIX "HOST_BUS"
#define ENV_SIDE ENV_PREFIX "SIDE"
#define ENV_PATH ENV_PREFIX "PATH"
#define ENV_UIDS ENV_PREFIX "UIDS"
#define ENV_EAL_ARGS ENV_PREFIX "EAL_ARGS"
#define ENV_LOG_LEVEL ENV_PREFIX "LOG_LEVEL"
#define ENV_CONNECT_TIMEOUT_MS ENV_PREFIX "CONNECT_TIMEOUT_MS"
#define ENV_RECV_SIZE ENV_PREFIX "RECV_SIZE"

/* Programs name 03:00.0 on both sides, and b1:00.0 for what it represents. */
#define ENV_DFLT_DEVICES "03:00.0=pf0:pf0vf[0-3],03:00.1=pf1:pf1vf[0-3]"
#define ENV_DFLT_HOST_BUS "0000:b1"
#define ENV_DFLT_CONNECT_TIMEOUT_MS 5000
#define ENV_MAX_CONNECT_TIMEOUT_MS 3600000

/* The longest of pf0:pf0vf[0-3]:..., and of one element. */
#define ENV_LIST_SIZE 4096
#define ENV_ELEM_SIZE 64

/* As the shm driver has them. */
#define ENV_MAX_VFS 120
#define ENV_MAX_SFS 1000
#define ENV_MAX_BUS (256 - 9)
#define ENV_MAX_UIDS 16
#define ENV_PATH_SIZE 256

static const char *const env_names[] = {
	ENV_CONNECT_TIMEOUT_MS, ENV_DEVICES, ENV_EAL_ARGS, ENV_HOST_BUS, ENV_LOG_LEVEL, ENV_PATH,
	ENV_RECV_SIZE, ENV_SIDE, ENV_UIDS,
};

static doca_error_t
env_wrong(const char *name, const char *value, const char *remedy)
{
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
			"%s=%s: %s; the default holds if it is not set", name, value, remedy);
	return DOCA_ERROR_INITIALIZATION;
}

/* The value, or NULL if it is not set or empty, or not to be obeyed. */
static const char *
env_value(const char *name)
{
	const char *value = secure_getenv(name);

	return value == NULL || value[0] == '\0' ? NULL : value;
}

/*
 * Addresses and functions
 */

/* A number of up to this many hexadecimal digits; what follows it is in *end. */
static bool
hex_parse(const char **text, int digits, unsigned int *number)
{
	int i;

	*number = 0;
	for (i = 0; i < digits && isxdigit((unsigned char)**text); i++, (*text)++) {
		int c = tolower((unsigned char)**text);

		*number = *number * 16 + (c <= '9' ? c - '0' : c - 'a' + 10);
	}
	return i > 0;
}

bool
doca_pci_addr_parse(const char *text, char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	unsigned int domain, bus, dev, fn;
	const char *p = text;

	if (!hex_parse(&p, 4, &domain) || *p++ != ':')
		return false;
	if (!hex_parse(&p, 2, &bus))
		return false;
	if (*p == ':') {
		p++;
		if (!hex_parse(&p, 2, &dev))
			return false;
	} else {
		if (domain > 0xff)
			return false;
		dev = bus;
		bus = domain;
		domain = 0;
	}
	if (*p++ != '.' || !hex_parse(&p, 1, &fn) || *p != '\0' || dev > 0x1f || fn > 7)
		return false;
	snprintf(pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE, "%04x:%02x:%02x.%x", domain & 0xffff,
			bus & 0xff, dev & 0x1f, fn & 7);
	return true;
}

bool
doca_func_name_parse(const char *text, struct doca_func_name *name)
{
	unsigned int sub = 0;
	int end = 0;

	memset(name, 0, sizeof(*name));
	if (strlen(text) >= sizeof(name->text) || strncmp(text, "pf", 2) != 0 ||
			(text[2] != '0' && text[2] != '1'))
		return false;
	name->type = DOCA_PCI_FUNC_TYPE_PF;
	name->pf = text[2] - '0';
	if (text[3] != '\0') {
		if ((text[3] != 'v' && text[3] != 's') || text[4] != 'f' ||
				!isdigit((unsigned char)text[5]) ||
				sscanf(text + 5, "%3u%n", &sub, &end) != 1 ||
				text[5 + end] != '\0' || (text[5] == '0' && text[6] != '\0') ||
				sub >= (text[3] == 'v' ? ENV_MAX_VFS : ENV_MAX_SFS))
			return false;
		name->type = text[3] == 'v' ? DOCA_PCI_FUNC_TYPE_VF : DOCA_PCI_FUNC_TYPE_SF;
		name->number = sub;
	}
	snprintf(name->text, sizeof(name->text), "%s", text);
	return true;
}

/* One element of a list of functions, which may end in a range: pf0vf[0-3]. */
static doca_error_t
env_functions(const char *pci_addr, const char *elem, bool *first, doca_env_device_cb_t cb,
		void *arg)
{
	const char *range = strchr(elem, '[');
	unsigned int from = 0, to = 0, i;
	struct doca_func_name name;
	char text[ENV_ELEM_SIZE];
	doca_error_t result;
	int end = 0;

	if (range != NULL && (sscanf(range, "[%3u-%3u]%n", &from, &to, &end) != 2 || end == 0 ||
			range[end] != '\0' || from > to))
		return DOCA_ERROR_INVALID_VALUE;
	for (i = from; i <= to; i++) {
		if (range == NULL)
			snprintf(text, sizeof(text), "%s", elem);
		else
			snprintf(text, sizeof(text), "%.*s%u", (int)(range - elem), elem, i);
		if (strlen(elem) >= sizeof(name.text) || !doca_func_name_parse(text, &name))
			return DOCA_ERROR_INVALID_VALUE;
		if (cb == NULL)
			continue;
		result = cb(pci_addr, text, *first, arg);
		*first = false;
		if (result != DOCA_SUCCESS)
			return result;
	}
	return DOCA_SUCCESS;
}

/* One device: 03:00.0=pf0:pf0vf[0-3]. Changes the text. */
static doca_error_t
env_device(char *text, doca_env_device_cb_t cb, void *arg)
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char *list = strchr(text, '='), *elem;
	doca_error_t result = DOCA_SUCCESS;
	bool first = true;

	if (list == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*list++ = '\0';
	if (!doca_pci_addr_parse(text, pci_addr))
		return DOCA_ERROR_INVALID_VALUE;
	while (result == DOCA_SUCCESS && (elem = strsep(&list, ":")) != NULL)
		result = env_functions(pci_addr, elem, &first, cb, arg);
	return result;
}

doca_error_t
doca_env_devices(const struct doca_env *env, doca_env_device_cb_t cb, void *arg)
{
	char text[ENV_LIST_SIZE], *device, *next = text;
	doca_error_t result = DOCA_SUCCESS;
	unsigned int n = 0;

	if (strlen(env->devices) >= sizeof(text))
		return DOCA_ERROR_INVALID_VALUE;
	strcpy(text, env->devices);
	while (result == DOCA_SUCCESS && (device = strsep(&next, ", \t\n")) != NULL) {
		if (device[0] == '\0')
			continue;
		result = env_device(device, cb, arg);
		n++;
	}
	return n == 0 ? DOCA_ERROR_INVALID_VALUE : result;
}

/*
 * Variables
 */

static doca_error_t
env_read_devices(struct doca_env *env)
{
	const char *value = env_value(ENV_DEVICES);

	env->devices_set = value != NULL;
	env->devices = value == NULL ? ENV_DFLT_DEVICES : value;
	if (doca_env_devices(env, NULL, NULL) == DOCA_SUCCESS)
		return DOCA_SUCCESS;
	return env_wrong(ENV_DEVICES, env->devices,
			"it is a list of the card's devices with the functions they serve, as in "
			ENV_DFLT_DEVICES " (functions: pf0-1, pf0vf0-119, pf0sf0-999)");
}

static doca_error_t
env_read_host_bus(struct doca_env *env)
{
	const char *value = env_value(ENV_HOST_BUS), *p;
	unsigned int domain, bus;

	p = env->host_bus = value == NULL ? ENV_DFLT_HOST_BUS : value;
	if (strlen(p) == strlen(ENV_DFLT_HOST_BUS) && hex_parse(&p, 4, &domain) && *p++ == ':' &&
			hex_parse(&p, 2, &bus) && *p == '\0' && bus <= ENV_MAX_BUS)
		return DOCA_SUCCESS;
	return env_wrong(ENV_HOST_BUS, env->host_bus,
			"it is the PCI domain and bus of the host's functions, four and two hexadecimal digits as in "
			ENV_DFLT_HOST_BUS ", the bus up to f7");
}

static doca_error_t
env_read_side(struct doca_env *env)
{
	const char *value = env_value(ENV_SIDE);

	env->side = DOCA_ENV_SIDE_BOTH;
	if (value == NULL || strcmp(value, "both") == 0)
		return DOCA_SUCCESS;
	if (strcmp(value, "host") == 0)
		env->side = DOCA_ENV_SIDE_HOST;
	else if (strcmp(value, "card") == 0)
		env->side = DOCA_ENV_SIDE_CARD;
	else
		return env_wrong(ENV_SIDE, value,
				"it is host (clients only), card (servers only) or both");
	return DOCA_SUCCESS;
}

/* It becomes an argument of a device: a comma would begin the next one. */
static doca_error_t
env_read_path(struct doca_env *env)
{
	struct stat st;

	env->path = env_value(ENV_PATH);
	if (env->path == NULL || (strpbrk(env->path, ", \t\n") == NULL &&
			stat(env->path, &st) == 0 && S_ISDIR(st.st_mode) &&
			access(env->path, X_OK) == 0))
		return DOCA_SUCCESS;
	return env_wrong(ENV_PATH, env->path,
			"it is the folder by which both sides find each other: create it for this user, with a shorter name than 256 bytes, without a comma or a blank in it");
}

static doca_error_t
env_read_uids(struct doca_env *env)
{
	unsigned int n = 0;
	const char *p;
	char *end;

	p = env->uids = env_value(ENV_UIDS);
	if (p == NULL || strcmp(p, "all") == 0)
		return DOCA_SUCCESS;
	do {
		unsigned long uid;

		errno = 0;
		uid = isdigit((unsigned char)*p) ? strtoul(p, &end, 10) : UINT32_MAX;
		if (errno != 0 || uid >= UINT32_MAX || (*end != ':' && *end != '\0') ||
				++n > ENV_MAX_UIDS)
			return env_wrong(ENV_UIDS, env->uids,
					"it is the numbers of at most 16 users that may be clients, as in 1000:1001, or all");
		p = end + 1;
	} while (*end == ':');
	return DOCA_SUCCESS;
}

static doca_error_t
env_read_log_level(struct doca_env *env)
{
	static const struct {
		const char *name;
		uint32_t level;
	} levels[] = {
		{"disable", DOCA_LOG_LEVEL_DISABLE}, {"critical", DOCA_LOG_LEVEL_CRIT},
		{"error", DOCA_LOG_LEVEL_ERROR}, {"warning", DOCA_LOG_LEVEL_WARNING},
		{"info", DOCA_LOG_LEVEL_INFO}, {"debug", DOCA_LOG_LEVEL_DEBUG},
		{"trace", DOCA_LOG_LEVEL_TRACE},
	};
	const char *value = env_value(ENV_LOG_LEVEL);
	unsigned int i;

	if (value == NULL)
		return DOCA_SUCCESS;
	for (i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (strcmp(value, levels[i].name) == 0) {
			env->log_level = levels[i].level;
			return DOCA_SUCCESS;
		}
	}
	return env_wrong(ENV_LOG_LEVEL, value,
			"it is disable, critical, error, warning, info, debug or trace");
}

/*
 * Mistakes that a person can mend have to be seen: a program without a backend for what
 * the layer says gets one. The variable holds instead of what the program has set.
 */
static void
env_log_open(uint32_t level)
{
	struct doca_log_backend *backend;

	if (doca_log_sdk_backends() == 0)
		doca_log_backend_create_with_file_sdk(stderr, &backend);
	if (level != 0)
		doca_log_level_set_global_sdk_limit(level);
}

/* A decimal number up to max, and nothing else. */
static bool
number_parse(const char *text, unsigned long max, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)text[0]))
		return false;
	errno = 0;
	*number = strtoul(text, &end, 10);
	return errno == 0 && *end == '\0' && *number <= max;
}

static doca_error_t
env_read_timeout(struct doca_env *env)
{
	const char *value = env_value(ENV_CONNECT_TIMEOUT_MS);
	unsigned long number;

	env->connect_timeout_ms = ENV_DFLT_CONNECT_TIMEOUT_MS;
	if (value == NULL)
		return DOCA_SUCCESS;
	if (!number_parse(value, ENV_MAX_CONNECT_TIMEOUT_MS, &number) || number == 0)
		return env_wrong(ENV_CONNECT_TIMEOUT_MS, value,
				"it is how long a client looks for its server, 1 to 3600000 milliseconds");
	env->connect_timeout_ms = number;
	return DOCA_SUCCESS;
}

static doca_error_t
env_read_recv_size(struct doca_env *env)
{
	const char *value = env_value(ENV_RECV_SIZE);
	unsigned long number;

	if (value == NULL)
		return DOCA_SUCCESS;
	if (!number_parse(value, UINT32_MAX, &number))
		return env_wrong(ENV_RECV_SIZE, value,
				"it is the bytes of each buffer that a consumer posts, 0 to 4294967295, 0 if its tasks have none");
	env->recv_size = number;
	env->recv_size_set = true;
	return DOCA_SUCCESS;
}

/* A variable with a wrong name would be left alone without a word. */
static doca_error_t
env_check_names(void)
{
	const size_t length = strlen(ENV_PREFIX);
	unsigned int i;
	char **entry;

	for (entry = environ; entry != NULL && *entry != NULL; entry++) {
		const char *name = *entry;
		size_t n = strcspn(name, "=");

		if (strncmp(name, ENV_PREFIX, length) != 0)
			continue;
		if (getauxval(AT_SECURE) != 0) {
			DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
					"variables " ENV_PREFIX "* are ignored, as this program has more rights than its user: unset them, or have the program call rte_eal_init()");
			return DOCA_SUCCESS;
		}
		for (i = 0; i < sizeof(env_names) / sizeof(env_names[0]); i++)
			if (strlen(env_names[i]) == n && strncmp(env_names[i], name, n) == 0)
				break;
		if (i < sizeof(env_names) / sizeof(env_names[0]))
			continue;
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"%s: there is no such variable; there are " ENV_PREFIX
				"CONNECT_TIMEOUT_MS, DEVICES, EAL_ARGS, HOST_BUS, LOG_LEVEL, PATH, RECV_SIZE, SIDE and UIDS",
				name);
		return DOCA_ERROR_INITIALIZATION;
	}
	return DOCA_SUCCESS;
}

doca_error_t
doca_env_read(struct doca_env *env)
{
	doca_error_t result;

	memset(env, 0, sizeof(*env));
	/* first, as it decides where the others' mistakes are shown */
	result = env_read_log_level(env);
	env_log_open(env->log_level);
	DOCA_ERROR_PROPAGATE(result, env_check_names());
	DOCA_ERROR_PROPAGATE(result, env_read_devices(env));
	DOCA_ERROR_PROPAGATE(result, env_read_host_bus(env));
	DOCA_ERROR_PROPAGATE(result, env_read_side(env));
	DOCA_ERROR_PROPAGATE(result, env_read_path(env));
	DOCA_ERROR_PROPAGATE(result, env_read_uids(env));
	DOCA_ERROR_PROPAGATE(result, env_read_timeout(env));
	DOCA_ERROR_PROPAGATE(result, env_read_recv_size(env));
	env->eal_args = env_value(ENV_EAL_ARGS);
	return result;
}
