/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Device arguments: their keys, for both buses, and what may be in each. What depends on
 * the function, as its role, is checked by who knows it.
 */

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_kvargs.h>
#include <rte_string_fns.h>

#include "bluefield_dev_priv.h"
#include "dpdk_release.h"

/* Bounds of the times, ms: shorter ones find fault with healthy hardware. */
#define BF_MIN_TIMEOUT 10
#define BF_MAX_TIMEOUT 3600000
#define BF_DFLT_SOCKET_TIMEOUT 10000
#define BF_MIN_HEALTH 10
#define BF_MAX_HEALTH 60000
#define BF_MAX_PAGES (1u << 24)

/* Where a value goes: a number with bounds, or the path of something, of max bytes. */
struct arg_place {
	void *to;
	uint32_t min;
	uint32_t max;
	const char *what;
};

static int
arg_number(const char *key, const char *value, void *opaque)
{
	const struct arg_place *num = opaque;
	unsigned long got;
	char *end = NULL;

	errno = 0;
	got = value == NULL || value[0] < '0' || value[0] > '9' ? 0 : strtoul(value, &end, 10);
	if (end == NULL || *end != '\0' || errno != 0 || got < num->min || got > num->max) {
		BF_LOG(ERR, "%s=%s: it is a number from %u to %u", key,
			value == NULL ? "" : value, num->min, num->max);
		return -EINVAL;
	}
	*(uint32_t *)num->to = got;
	return 0;
}

static int
arg_path(const char *key, const char *value, void *opaque)
{
	const struct arg_place *path = opaque;

	if (value == NULL || value[0] == '\0' ||
			strlcpy(path->to, value, path->max) >= path->max) {
		BF_LOG(ERR, "%s=%s: it is the path of a %s, of 1 to %u bytes", key,
			value == NULL ? "" : value, path->what, path->max - 1);
		return -EINVAL;
	}
	return 0;
}

static int
arg_role(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	if (value != NULL && strcmp(value, "dpu") == 0) {
		args->role = RTE_COMCH_ROLE_DPU;
	} else if (value != NULL && strcmp(value, "host") == 0) {
		args->role = RTE_COMCH_ROLE_HOST;
	} else {
		BF_LOG(ERR, "%s=%s: it is dpu or host", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	args->has_role = true;
	return 0;
}

/*
 * Functions and their addresses
 */

#define MAC_CHARS 17
/* First bytes of IPv4 that are of no function: none, itself, and from there groups and all. */
#define IP4_NONE 0
#define IP4_LOOPBACK 127
#define IP4_GROUPS 224

/* Six pairs of hexadecimal digits, of one function. */
static bool
mac_parse(const char *text, uint8_t mac[6])
{
	static const uint8_t none[6];
	unsigned int i;

	if (strcspn(text, "@") != MAC_CHARS)
		return false;
	for (i = 0; i < 6; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    (i < 5 && text[2] != ':'))
			return false;
		mac[i] = strtoul(text, NULL, 16);
	}
	/* the first bit on the wire is of addresses of many */
	return (mac[0] & 1) == 0 && memcmp(mac, none, 6) != 0;
}

static bool
ip4_parse(const char *text, uint8_t ip4[4])
{
	return inet_pton(AF_INET, text, ip4) == 1 && ip4[0] != IP4_NONE &&
		ip4[0] != IP4_LOOPBACK && ip4[0] < IP4_GROUPS;
}

/* The MAC of a function, and behind an @ its IPv4 address, if it has one. */
static bool
addr_parse(const char *text, struct bf_cm_addr *addr)
{
	uint8_t mac[6], ip4[4];

	if (!mac_parse(text, mac))
		return false;
	bf_cm_addr_of_mac(mac, addr);
	if (text[MAC_CHARS] == '\0')
		return true;
	if (!ip4_parse(text + MAC_CHARS + 1, ip4))
		return false;
	bf_cm_addr_set_ip4(addr, ip4);
	return true;
}

static bool
addr_shared(const struct bf_cm_addr *a, const struct bf_cm_addr *b)
{
	return memcmp(a->mac, b->mac, sizeof(a->mac)) == 0 ||
		memcmp(a->gid, b->gid, sizeof(a->gid)) == 0;
}

static int
arg_ip(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	args->has_ip4 = value != NULL && ip4_parse(value, args->ip4);
	if (args->has_ip4)
		return 0;
	BF_LOG(ERR, "%s=%s: it is the IPv4 address that this function is to have, as 192.0.2.1; none that begins with 0, 127 or 224 to 255",
		key, value == NULL ? "" : value);
	return -EINVAL;
}

static int
function_add(struct bf_args *args, char *text)
{
	struct bf_rep *rep = &args->reps[args->nb_reps];
	char *at = strchr(text, '@');
	uint16_t i;

	if (args->nb_reps == BF_MAX_REPS) {
		BF_LOG(ERR, "%s: more than %u functions", BF_ARG_FUNCTIONS, BF_MAX_REPS);
		return -EINVAL;
	}
	if (at != NULL)
		*at++ = '\0';
	if (!bf_function_parse(text, rep)) {
		BF_LOG(ERR, "%s: '%s' is no function of the host: pf0 or pf0vf3 (pf0-%u, vf0-%u; subfunctions cannot be given to this driver), as devlink port show numbers them on the card",
			BF_ARG_FUNCTIONS, text, BF_MAX_PF, BF_MAX_VF);
		return -EINVAL;
	}
	if (at == NULL || !addr_parse(at, &rep->addr)) {
		BF_LOG(ERR, "%s: '%s@%s': behind the @ is the MAC of the function, as 02:00:00:00:00:01, which devlink port show on the card says (hw_addr), or ip link show for its PF on the host; with key '%s' another @ and its IPv4 address, as 192.0.2.1",
			BF_ARG_FUNCTIONS, text, at == NULL ? "" : at, BF_ARG_IP);
		return -EINVAL;
	}
	for (i = 0; i < args->nb_reps; i++) {
		if (strcmp(args->reps[i].name, rep->name) != 0 &&
		    !addr_shared(&args->reps[i].addr, &rep->addr))
			continue;
		BF_LOG(ERR, "%s: '%s@%s': its name, its MAC or its IPv4 address is there twice: each function has its own",
			BF_ARG_FUNCTIONS, text, at);
		return -EINVAL;
	}
	rep->rep_id = args->nb_reps++;
	return 0;
}

static int
arg_functions(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;
	char *text, *at, *next;
	int ret = 0;

	if (value == NULL || value[0] == '\0') {
		BF_LOG(ERR, "%s=: it is a list as pf0vf0@02:00:00:00:00:01/pf0vf1@02:00:00:00:00:02",
			key);
		return -EINVAL;
	}
	text = strdup(value);
	if (text == NULL)
		return -ENOMEM;
	for (at = text; at != NULL && ret == 0; at = next) {
		next = strchr(at, '/');
		if (next != NULL)
			*next++ = '\0';
		ret = function_add(args, at);
	}
	free(text);
	return ret;
}

static int
arg_peer(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	if (value == NULL || !addr_parse(value, &args->peer)) {
		BF_LOG(ERR, "%s=%s: it is the MAC of the card's function, as 02:00:00:00:00:01, which devlink port show on the card says (hw_addr); with key '%s' an @ and its IPv4 address follow, as 192.0.2.1",
			key, value == NULL ? "" : value, BF_ARG_IP);
		return -EINVAL;
	}
	args->has_peer = true;
	return 0;
}

/* What it means depends on the role: that of the host is checked when that is known. */
static int
arg_function(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;
	const char *p = value == NULL ? "" : value;

	while (isalnum((unsigned char)*p) || *p == '_' || *p == '.' || *p == '-')
		p++;
	if (p == value || value == NULL || *p != '\0' ||
	    strlcpy(args->function, value, sizeof(args->function)) >= sizeof(args->function)) {
		BF_LOG(ERR, "%s=%s: on the host it is the name that the card has for the function, as pf0vf0; on the card the network interface of its own representor; up to %zu letters, digits, '_', '.' and '-'",
			key, value == NULL ? "" : value, sizeof(args->function) - 1);
		return -EINVAL;
	}
	return 0;
}

static int
arg_fdb(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	args->fdb_tc = value != NULL && strcmp(value, "tc") == 0;
	if (!args->fdb_tc && (value == NULL || strcmp(value, "none") != 0)) {
		BF_LOG(ERR, "%s=%s: it is none or tc", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	return 0;
}

/* PFs of one card have switches of their own: what one sends to the other's ends nowhere. */
static void
pf_check(const struct bf_args *args, const char *name, const struct bf_rep *own)
{
	uint16_t i;

	for (i = 0; i < args->nb_reps; i++)
		if (args->reps[i].pf != own->pf)
			BF_LOG(WARNING, "%s: this function is of the card's p%u, and '%s' in key '%s' is not: messages between two PFs of a card do not arrive; serve it by a function of p%u",
				name, own->pf, args->reps[i].name, BF_ARG_FUNCTIONS,
				args->reps[i].pf);
}

/* Is the address of another function, in a key, of the kind of our own? */
static int
kind_check(const struct bf_args *args, const char *name, const char *key,
	const struct bf_cm_addr *addr)
{
	const uint8_t *ip4 = bf_cm_gid_ip4(addr->gid);

	if (args->has_ip4 && ip4 == NULL) {
		BF_LOG(ERR, "%s: key '%s': " BF_MAC_FMT " has no IPv4 address, and key '%s' gives this function one: give " BF_MAC_FMT "@<IPv4>, or no '%s'",
			name, key, BF_MAC_ARGS(addr->mac), BF_ARG_IP, BF_MAC_ARGS(addr->mac),
			BF_ARG_IP);
		return -EINVAL;
	}
	if (!args->has_ip4 && ip4 != NULL) {
		BF_LOG(ERR, "%s: key '%s': " BF_MAC_FMT " has an IPv4 address, and this function none: give %s=<IPv4> too, or the MAC alone",
			name, key, BF_MAC_ARGS(addr->mac), BF_ARG_IP);
		return -EINVAL;
	}
	if (ip4 == NULL || memcmp(ip4, args->ip4, sizeof(args->ip4)) != 0)
		return 0;
	BF_LOG(ERR, "%s: key '%s': the IPv4 address of " BF_MAC_FMT " is that of key '%s': give each function its own",
		name, key, BF_MAC_ARGS(addr->mac), BF_ARG_IP);
	return -EINVAL;
}

/* What keys say of each other: they are there in any order. */
static int
kinds_check(const struct bf_args *args, const char *name)
{
	uint16_t i;
	int ret = 0;

	for (i = 0; i < args->nb_reps && ret == 0; i++)
		ret = kind_check(args, name, BF_ARG_FUNCTIONS, &args->reps[i].addr);
	if (ret == 0 && args->has_peer)
		ret = kind_check(args, name, BF_ARG_PEER, &args->peer);
	return ret;
}

int
bf_args_check(const struct bf_args *args, const char *name, enum rte_comch_role role,
	const uint8_t own[6], const char *bus_name)
{
	struct bf_rep function;
	uint16_t i;

	if (role == RTE_COMCH_ROLE_HOST && args->nb_reps != 0) {
		BF_LOG(ERR, "%s: key '%s' is for the card's side: give %s=dpu too, or %s=<MAC of the card's function>[@<IPv4>] in its place",
			name, BF_ARG_FUNCTIONS, BF_ARG_ROLE, BF_ARG_PEER);
		return -EINVAL;
	}
	if (role == RTE_COMCH_ROLE_DPU && args->has_peer) {
		BF_LOG(ERR, "%s: key '%s' is for the host's side: on the card give %s=<name>@<MAC>[@<IPv4>] in its place",
			name, BF_ARG_PEER, BF_ARG_FUNCTIONS);
		return -EINVAL;
	}
	if (role == RTE_COMCH_ROLE_HOST && args->function[0] != '\0' &&
	    !bf_function_parse(args->function, &function)) {
		BF_LOG(ERR, "%s: key '%s': '%s' is no function of the host: pf0 or pf0vf3, as the card has it in %s",
			name, BF_ARG_FUNCTION, args->function, BF_ARG_FUNCTIONS);
		return -EINVAL;
	}
	if (args->has_peer && memcmp(args->peer.mac, own, 6) == 0) {
		BF_LOG(ERR, "%s: key '%s' is the MAC of the function itself: give that of the card's function",
			name, BF_ARG_PEER);
		return -EINVAL;
	}
	for (i = 0; i < args->nb_reps; i++) {
		if (memcmp(args->reps[i].addr.mac, own, 6) != 0)
			continue;
		BF_LOG(ERR, "%s: key '%s': the MAC of '%s' is that of the function itself: give that of the host's function",
			name, BF_ARG_FUNCTIONS, args->reps[i].name);
		return -EINVAL;
	}
	if (bf_function_parse(bus_name, &function))
		pf_check(args, name, &function);
	return 0;
}

#define ON_PCI 1u
#define ON_VDEV 2u
#define ON_BOTH (ON_PCI | ON_VDEV)

/* All keys, each once at most. */
static int
args_process(struct rte_kvargs *kvlist, struct bf_args *args, const char *name, bool pci)
{
	struct arg_place sock = { &args->socket_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT, NULL };
	struct arg_place cmd = { &args->conf.cmd_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT, NULL };
	struct arg_place fw = { &args->conf.fw_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT, NULL };
	struct arg_place health = { &args->conf.health_ms, BF_MIN_HEALTH, BF_MAX_HEALTH, NULL };
	struct arg_place pages = { &args->conf.max_pages, 1, BF_MAX_PAGES, NULL };
	struct arg_place socket = { args->socket, 0, BF_SOCKET_SIZE, "socket" };
	struct arg_place report = { args->report, 0, sizeof(args->report), "file" };
	const struct {
		const char *key;
		uint32_t buses;
		arg_handler_t handler; /* NULL: EAL's */
		void *opaque;
	} rows[] = {
		{ BF_ARG_CLASS, ON_PCI, NULL, NULL },
		{ BF_ARG_ROLE, ON_BOTH, arg_role, args },
		{ BF_ARG_SOCKET, ON_VDEV, arg_path, &socket },
		{ BF_ARG_SOCKET_TIMEOUT, ON_VDEV, arg_number, &sock },
		{ BF_ARG_CMD_TIMEOUT, ON_BOTH, arg_number, &cmd },
		{ BF_ARG_FW_TIMEOUT, ON_BOTH, arg_number, &fw },
		{ BF_ARG_HEALTH, ON_BOTH, arg_number, &health },
		{ BF_ARG_MAX_PAGES, ON_BOTH, arg_number, &pages },
		{ BF_ARG_REPORT, ON_BOTH, arg_path, &report },
		{ BF_ARG_FUNCTIONS, ON_BOTH, arg_functions, args },
		{ BF_ARG_PEER, ON_BOTH, arg_peer, args },
		{ BF_ARG_IP, ON_BOTH, arg_ip, args },
		{ BF_ARG_FUNCTION, ON_BOTH, arg_function, args },
		{ BF_ARG_FDB, ON_BOTH, arg_fdb, args },
	};
	const uint32_t bus = pci ? ON_PCI : ON_VDEV;
	uint32_t i, k;

	for (i = 0; i < kvlist->count; i++) {
		for (k = 0; k < RTE_DIM(rows); k++)
			if ((rows[k].buses & bus) != 0 &&
					strcmp(kvlist->pairs[i].key, rows[k].key) == 0)
				break;
		if (k < RTE_DIM(rows))
			continue;
		BF_LOG(ERR, "%s: '%s' is no key; its keys are: %s", name, kvlist->pairs[i].key,
			pci ? BF_PCI_PARAMS : BF_VDEV_PARAMS);
		return -EINVAL;
	}
	for (i = 0; i < RTE_DIM(rows); i++) {
		if (rows[i].handler == NULL)
			continue;
		if (rte_kvargs_count(kvlist, rows[i].key) > 1) {
			BF_LOG(ERR, "%s: key '%s' is there twice", name, rows[i].key);
			return -EINVAL;
		}
		if (dpdk_kvargs_process_opt(kvlist, rows[i].key, rows[i].handler,
				rows[i].opaque) != 0) {
			BF_LOG(ERR, "%s: bad value of key '%s'", name, rows[i].key);
			return -EINVAL;
		}
	}
	return 0;
}

int
bf_args_parse(struct bf_args *args, const char *name, const char *text, bool pci)
{
	struct rte_kvargs *kvlist;
	int ret;

	memset(args, 0, sizeof(*args));
	bf_func_conf_init(&args->conf);
	args->socket_timeout_ms = BF_DFLT_SOCKET_TIMEOUT;
	/* all keys, as it does not say which one it does not know */
	kvlist = rte_kvargs_parse(text == NULL ? "" : text, NULL);
	if (kvlist == NULL) {
		BF_LOG(ERR, "%s: cannot parse '%s'; its keys are: %s", name,
			text == NULL ? "" : text, pci ? BF_PCI_PARAMS : BF_VDEV_PARAMS);
		return -EINVAL;
	}
	ret = args_process(kvlist, args, name, pci);
	rte_kvargs_free(kvlist);
	if (ret == 0)
		ret = kinds_check(args, name);
	if (ret == 0 && !pci && args->socket[0] == '\0') {
		BF_LOG(ERR, "%s: key '%s' is missing, it is the path of a vfio-user socket, as comch-bluefield-model makes one; a function on the PCI bus is given as -a <address>,%s=%s",
			name, BF_ARG_SOCKET, BF_ARG_CLASS, BF_CLASS);
		ret = -EINVAL;
	}
	return ret;
}

