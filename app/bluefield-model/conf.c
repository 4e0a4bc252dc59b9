/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What --function says of one: its name, which decides what it is and by which it is
 * found, and its keys.
 * What the functions do with that is elsewhere.
 */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

#define MAX_VF 126
#define MAX_CARD_VF 31 /* PF_NUM_OF_VF of the card's own PF: up to 32 per port */
/* vhca ids, ours: PFs of the card and the host, then VFs of the host, then the card's */
#define VHCA_HOST_PF 2u
#define VHCA_HOST_VF 0x10u
#define VHCA_CARD_VF (VHCA_HOST_VF + 2 * (MAX_VF + 1))

static bool
parse_number(const char *text, uint64_t min, uint64_t max, uint64_t *value)
{
	char *end;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*value = strtoull(text, &end, 0);
	return errno == 0 && *end == '\0' && *value >= min && *value <= max;
}

bool
bfm_mac_parse(const char *text, uint64_t *mac)
{
	unsigned int b[6];
	size_t i;
	int end = 0;

	*mac = 0;
	if (strcmp(text, "0") == 0)
		return true;
	/* no signs, no blanks */
	if (strspn(text, "0123456789abcdefABCDEF:") != strlen(text) ||
			sscanf(text, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4],
				&b[5], &end) != 6 || text[end] != '\0')
		return false;
	for (i = 0; i < 6; i++)
		*mac = *mac << 8 | b[i];
	return true;
}

/* pf<port>, ecpf<port>, each with vf<n> behind it or not; ids follow from the name. */
static bool
parse_name(const char *name, struct bfm_conf *conf)
{
	uint64_t vf;
	uint16_t port;

	if (strcmp(name, "ecpf") == 0)
		name = "ecpf0";
	snprintf(conf->name, sizeof(conf->name), "%s", name);
	conf->card = strncmp(name, "ec", 2) == 0;
	if (conf->card)
		name += 2;
	if (strncmp(name, "pf", 2) != 0 || (name[2] != '0' && name[2] != '1'))
		return false;
	port = name[2] - '0';
	conf->port = port;
	name += 3;
	if (name[0] == '\0') {
		conf->kind = conf->card ? BFM_ECPF : BFM_PF;
		conf->esw_manager = conf->card;
		conf->function_id = 0;
		conf->vhca_id = (conf->card ? 0 : VHCA_HOST_PF) + port;
		return true;
	}
	/* no sign, no leading zero: one function, one name */
	if (strncmp(name, "vf", 2) != 0 ||
			!parse_number(name + 2, 0, conf->card ? MAX_CARD_VF : MAX_VF, &vf) ||
			(name[2] == '0' && name[3] != '\0'))
		return false;
	conf->kind = BFM_VF;
	conf->function_id = vf + 1;
	conf->vhca_id = conf->card ? VHCA_CARD_VF + port * (MAX_CARD_VF + 1) + vf
				   : VHCA_HOST_VF + port * (MAX_VF + 1) + vf;
	return true;
}

/* The values of one key each: 0, or -EINVAL and a message. */
static int
parse_device(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->bf3 = strcmp(value, "bf3") == 0;
	if (conf->bf3 || strcmp(value, "bf2") == 0)
		return 0;
	snprintf(err, err_size, "%s: device=%s is neither bf2 nor bf3", conf->name, value);
	return -EINVAL;
}

static int
parse_id(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	uint64_t number;

	if (!parse_number(value, 1, UINT16_MAX, &number)) {
		snprintf(err, err_size, "%s: id=%s is no PCI device id, as 0xa2d6", conf->name,
				value);
		return -EINVAL;
	}
	conf->device_id = number;
	return 0;
}

static int
parse_port(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->ib_port = strcmp(value, "ib") == 0;
	if (conf->ib_port || strcmp(value, "eth") == 0)
		return 0;
	snprintf(err, err_size, "%s: port=%s is neither eth nor ib", conf->name, value);
	return -EINVAL;
}

static int
parse_mode(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	if (conf->kind != BFM_ECPF) {
		snprintf(err, err_size, "%s: mode= is for ecpf0, ecpf1 only", conf->name);
		return -EINVAL;
	}
	conf->esw_manager = strcmp(value, "dpu") == 0;
	if (conf->esw_manager || strcmp(value, "nic") == 0 || strcmp(value, "separated") == 0)
		return 0;
	snprintf(err, err_size, "%s: mode=%s is none of dpu, nic, separated", conf->name, value);
	return -EINVAL;
}

static int
parse_host(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->host_down = strcmp(value, "down") == 0;
	if (conf->kind == BFM_ECPF && (conf->host_down || strcmp(value, "up") == 0))
		return 0;
	snprintf(err, err_size, "%s: host=%s: it is up or down, for ecpf0, ecpf1 only", conf->name,
			value);
	return -EINVAL;
}

static int
parse_pages(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->pages_client = strcmp(value, "client") == 0;
	if (conf->kind != BFM_VF && (conf->pages_client || strcmp(value, "operator") == 0))
		return 0;
	snprintf(err, err_size, "%s: pages=%s: it is client or operator, for pf0, pf1, ecpf0, "
			"ecpf1 only", conf->name, value);
	return -EINVAL;
}

static int
parse_socket(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	if (strlen(value) < sizeof(conf->socket)) {
		strcpy(conf->socket, value);
		return 0;
	}
	snprintf(err, err_size, "%s: socket= is too long; at most %zu characters", conf->name,
			sizeof(conf->socket) - 1);
	return -EINVAL;
}

static int
parse_roce(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	static const char *const words[] = {
		[BFM_ROCE_ON] = "on", [BFM_ROCE_OFF] = "off", [BFM_ROCE_ASK] = "ask",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (strcmp(value, words[i]) != 0)
			continue;
		conf->roce = (enum bfm_roce)i;
		return 0;
	}
	snprintf(err, err_size, "%s: roce=%s is none of on, off, ask", conf->name, value);
	return -EINVAL;
}

static int
parse_mac(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->has_mac = bfm_mac_parse(value, &conf->mac);
	if (conf->has_mac)
		return 0;
	snprintf(err, err_size, "%s: mac=%s is no MAC address, as 02:00:00:00:00:01, or 0",
			conf->name, value);
	return -EINVAL;
}

static int
parse_link(const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	conf->link_down = strcmp(value, "down") == 0;
	if (conf->link_down || strcmp(value, "up") == 0)
		return 0;
	snprintf(err, err_size, "%s: link=%s is neither up nor down", conf->name, value);
	return -EINVAL;
}

/* The keys that are numbers: 1 if it is none of them. */
static int
parse_number_key(const char *key, const char *value, struct bfm_conf *conf, char *err,
		size_t err_size)
{
	static const struct {
		const char *key;
		uint32_t min, max;
		size_t off;
	} numbers[] = {
		{ "boot_pages", 0, 65536, offsetof(struct bfm_conf, boot_pages) },
		{ "init_pages", 0, 65536, offsetof(struct bfm_conf, init_pages) },
		{ "owner_slow", 0, 600000, offsetof(struct bfm_conf, owner_slow) },
		{ "owner_short", 0, 1u << 20, offsetof(struct bfm_conf, owner_short) },
		{ "flr_ms", 0, 600000, offsetof(struct bfm_conf, flr_ms) },
		{ "frail", 0, 1, offsetof(struct bfm_conf, frail) },
		{ "settle", 0, 60000, offsetof(struct bfm_conf, settle) },
		{ "remainders", 0, 1, offsetof(struct bfm_conf, remainders) },
		{ "vectors", 1, BFM_NB_VECTORS, offsetof(struct bfm_conf, vectors) },
		{ "msix_fixed", 0, 1, offsetof(struct bfm_conf, msix_fixed) },
		{ "roce_table", 0, 256, offsetof(struct bfm_conf, roce_table) },
		{ "vhca_ports", 0, 2, offsetof(struct bfm_conf, vhca_ports) },
	};
	uint64_t number;
	size_t i;

	if (strncmp(key, "owner_", 6) == 0 && conf->kind == BFM_VF) {
		snprintf(err, err_size, "%s: %s= is for pf0, pf1, ecpf0, ecpf1 only", conf->name,
				key);
		return -EINVAL;
	}
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(key, numbers[i].key) != 0)
			continue;
		if (!parse_number(value, numbers[i].min, numbers[i].max, &number)) {
			snprintf(err, err_size, "%s: %s=%s is no number from %u to %u", conf->name,
					key, value, numbers[i].min, numbers[i].max);
			return -EINVAL;
		}
		*(uint32_t *)((char *)conf + numbers[i].off) = number;
		return 0;
	}
	return 1;
}

/* key=value; the value is NULL if there is none. */
static int
parse_key(const char *key, const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	static const struct {
		const char *key;
		int (*parse)(const char *value, struct bfm_conf *conf, char *err, size_t err_size);
	} words[] = {
		{ "device", parse_device },
		{ "id", parse_id },
		{ "port", parse_port },
		{ "mode", parse_mode },
		{ "host", parse_host },
		{ "pages", parse_pages },
		{ "socket", parse_socket },
		{ "roce", parse_roce },
		{ "mac", parse_mac },
		{ "link", parse_link },
	};
	size_t i;
	int ret;

	if (value == NULL || value[0] == '\0') {
		snprintf(err, err_size, "%s: key \"%s\" has no value; write %s=<value>", conf->name,
				key, key);
		return -EINVAL;
	}
	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(key, words[i].key) == 0)
			return words[i].parse(value, conf, err, err_size);
	ret = parse_number_key(key, value, conf, err, err_size);
	if (ret <= 0)
		return ret;
	snprintf(err, err_size, "%s: unknown key \"%s\"; known are device, id, port, mode, host, "
			"pages, boot_pages, init_pages, owner_slow, owner_short, flr_ms, frail, "
			"settle, remainders, vectors, "
			"msix_fixed, socket, roce, roce_table, vhca_ports, mac, link",
			conf->name, key);
	return -EINVAL;
}

int
bfm_conf_parse(const char *text, struct bfm_conf *conf, char *err, size_t err_size)
{
	char copy[512], *save = NULL, *word, *value;
	int ret;

	memset(conf, 0, sizeof(*conf));
	conf->vendor_id = 0x15b3;
	conf->boot_pages = 8;
	conf->init_pages = 64;
	conf->owner_short = BFM_NO_LIMIT;
	conf->flr_ms = 20;
	conf->vectors = BFM_NB_VECTORS;
	conf->roce_table = 16;

	if (strlen(text) >= sizeof(copy)) {
		snprintf(err, err_size, "function is longer than %zu characters", sizeof(copy) - 1);
		return -EINVAL;
	}
	strcpy(copy, text);
	word = strtok_r(copy, ",", &save);
	if (word == NULL || text[0] == ',' || !parse_name(word, conf)) {
		snprintf(err, err_size, "%s: there is no such function; use pf0, pf1, pf0vf0 to "
				"pf1vf%u, ecpf0, ecpf1, ecpf0vf0 to ecpf1vf%u",
				word != NULL ? word : "", MAX_VF, MAX_CARD_VF);
		return -EINVAL;
	}
	while ((word = strtok_r(NULL, ",", &save)) != NULL) {
		value = strchr(word, '=');
		if (value != NULL)
			*value++ = '\0';
		ret = parse_key(word, value, conf, err, err_size);
		if (ret != 0)
			return ret;
	}
	if (conf->device_id == 0) {
		if (conf->kind == BFM_VF)
			conf->device_id = 0x101e;
		else
			conf->device_id = conf->bf3 ? 0xa2dc : 0xa2d6;
	}
	return 0;
}

struct bfm_function *
bfm_function_find(struct bfm_model *m, const char *name)
{
	uint32_t i;

	/* as --function takes it */
	if (strcmp(name, "ecpf") == 0)
		name = "ecpf0";
	for (i = 0; i < m->nb_functions; i++) {
		if (strcmp(m->functions[i]->conf.name, name) == 0)
			return m->functions[i];
	}
	return NULL;
}
