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

#define PFS (1u << BFM_PF | 1u << BFM_ECPF)
#define ALL (PFS | 1u << BFM_VF)
#define OFF(field) offsetof(struct bfm_conf, field)

/* Keys whose value is a number, or the place of a word in a list. */
static const struct conf_key {
	const char *key;
	size_t off;
	unsigned int kinds;     /* that have it */
	uint32_t min, max;
	const char *words;      /* NULL: a number */
} conf_keys[] = {
	{ "device", OFF(bf3), ALL, .words = "bf2|bf3" },
	{ "id", OFF(device_id), ALL, 1, UINT16_MAX, NULL },
	{ "port", OFF(ib_port), ALL, .words = "eth|ib" },
	{ "netdev", OFF(netdev), 1u << BFM_PF | 1u << BFM_VF, 0, 1, NULL },
	{ "mode", OFF(mode), 1u << BFM_ECPF, .words = "dpu|nic|separated" },
	{ "host", OFF(host_down), 1u << BFM_ECPF, .words = "up|down" },
	{ "pages", OFF(pages_client), PFS, .words = "operator|client" },
	{ "roce", OFF(roce), ALL, .words = "on|off|ask" },
	{ "link", OFF(link_down), ALL, .words = "up|down" },
	{ "boot_pages", OFF(boot_pages), ALL, 0, 65536, NULL },
	{ "init_pages", OFF(init_pages), ALL, 0, 65536, NULL },
	{ "owner_slow", OFF(owner_slow), PFS, 0, 600000, NULL },
	{ "owner_short", OFF(owner_short), PFS, 0, 1u << 20, NULL },
	{ "flr_ms", OFF(flr_ms), ALL, 0, 600000, NULL },
	{ "frail", OFF(frail), ALL, 0, 1, NULL },
	{ "settle", OFF(settle), ALL, 0, 60000, NULL },
	{ "remainders", OFF(remainders), ALL, 0, 1, NULL },
	{ "vectors", OFF(vectors), ALL, 1, BFM_NB_VECTORS, NULL },
	{ "msix_fixed", OFF(msix_fixed), ALL, 0, 1, NULL },
	{ "roce_table", OFF(roce_table), ALL, 0, 256, NULL },
	{ "vhca_ports", OFF(vhca_ports), ALL, 0, 2, NULL },
};

_Static_assert(BFM_ROCE_ON == 0 && BFM_ROCE_OFF == 1 && BFM_ROCE_ASK == 2, "roce=on|off|ask");

/* The place of a word in "one|two". */
static bool
parse_word(const char *words, const char *value, uint64_t *place)
{
	size_t len;

	for (*place = 0;; words += len + 1, ++*place) {
		len = strcspn(words, "|");
		if (strlen(value) == len && strncmp(words, value, len) == 0)
			return true;
		if (words[len] == '\0')
			return false;
	}
}

static int
parse_value(const struct conf_key *k, const char *value, struct bfm_conf *conf, char *err,
		size_t err_size)
{
	uint64_t number;

	if ((k->kinds & 1u << conf->kind) == 0) {
		snprintf(err, err_size, "%s: %s= is for %secpf0, ecpf1 only", conf->name, k->key,
				(k->kinds & 1u << BFM_PF) != 0 ? "pf0, pf1, " : "");
		return -EINVAL;
	}
	if (k->words != NULL ? !parse_word(k->words, value, &number) :
			!parse_number(value, k->min, k->max, &number)) {
		if (k->words != NULL)
			snprintf(err, err_size, "%s: %s=%s: write %s=%s", conf->name, k->key,
					value, k->key, k->words);
		else
			snprintf(err, err_size, "%s: %s=%s is no number from %u to %u", conf->name,
					k->key, value, k->min, k->max);
		return -EINVAL;
	}
	*(uint32_t *)((char *)conf + k->off) = number;
	return 0;
}

/* key=value; the value is NULL if there is none. */
static int
parse_key(const char *key, const char *value, struct bfm_conf *conf, char *err, size_t err_size)
{
	int n;
	size_t i;

	if (value == NULL || value[0] == '\0') {
		snprintf(err, err_size, "%s: key \"%s\" has no value; write %s=<value>", conf->name,
				key, key);
		return -EINVAL;
	}
	if (strcmp(key, "socket") == 0 && strlen(value) < sizeof(conf->socket)) {
		strcpy(conf->socket, value);
		return 0;
	}
	if (strcmp(key, "socket") == 0) {
		snprintf(err, err_size, "%s: socket= is too long; at most %zu characters",
				conf->name, sizeof(conf->socket) - 1);
		return -EINVAL;
	}
	if (strcmp(key, "mac") == 0) {
		conf->has_mac = bfm_mac_parse(value, &conf->mac);
		if (conf->has_mac)
			return 0;
		snprintf(err, err_size, "%s: mac=%s is no MAC address, as 02:00:00:00:00:01, or 0",
				conf->name, value);
		return -EINVAL;
	}
	for (i = 0; i < sizeof(conf_keys) / sizeof(conf_keys[0]); i++)
		if (strcmp(key, conf_keys[i].key) == 0)
			return parse_value(&conf_keys[i], value, conf, err, err_size);
	n = snprintf(err, err_size, "%s: unknown key \"%s\"; known are socket, mac", conf->name,
			key);
	for (i = 0; i < sizeof(conf_keys) / sizeof(conf_keys[0]) && n >= 0 && (size_t)n < err_size;
			i++)
		n += snprintf(err + n, err_size - n, ", %s", conf_keys[i].key);
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
	if (conf->netdev != 0 && conf->ib_port != 0) {
		snprintf(err, err_size, "%s: netdev=1 is for Ethernet ports, and port=ib is none",
				conf->name);
		return -EINVAL;
	}
	conf->esw_manager = conf->kind == BFM_ECPF && conf->mode == 0;
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
