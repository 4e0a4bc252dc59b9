/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Arguments of a port, and the comch device that they name. Names are looked up when the
 * port is started, so that the order of options does not matter.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_errno.h>
#include <rte_kvargs.h>
#include <rte_string_fns.h>

#include "dpdk_release.h"
#include "net_comch.h"

RTE_LOG_REGISTER_DEFAULT(net_comch_logtype, NOTICE);

static const char * const keys[] = {
	"dev", "shm", "function", "path", "server", "rep", "role", "mac", "meta", NULL
};

struct parse {
	const char *name;
	struct nc_args *args;
	char function[NC_NAME_SIZE];
	char path[160];
	int shm_role; /* -1: there is no shm= */
};

static int
text_copy(const struct parse *p, const char *key, const char *value, char *to, size_t size)
{
	if (value == NULL || *value == '\0' || strlcpy(to, value, size) >= size) {
		NC_LOG(ERR, "%s: %s= wants 1 to %zu characters", p->name, key, size - 1);
		return -EINVAL;
	}
	return 0;
}

static int
role_parse(const struct parse *p, const char *key, const char *value, int *role)
{
	if (value != NULL && strcmp(value, "host") == 0) {
		*role = RTE_COMCH_ROLE_HOST;
	} else if (value != NULL && strcmp(value, "dpu") == 0) {
		*role = RTE_COMCH_ROLE_DPU;
	} else {
		NC_LOG(ERR, "%s: %s= is host or dpu, and not '%s'", p->name, key,
			value == NULL ? "" : value);
		return -EINVAL;
	}
	return 0;
}

static int
meta_parse(const struct parse *p, const char *value, uint32_t *meta)
{
	if (value != NULL && strcmp(value, "none") == 0) {
		*meta = 0;
	} else if (value != NULL && strcmp(value, "basic") == 0) {
		*meta = RTE_COMCH_META_RX;
	} else if (value != NULL && strcmp(value, "full") == 0) {
		*meta = RTE_COMCH_META_RX | RTE_COMCH_META_TIME | RTE_COMCH_META_TX;
	} else {
		NC_LOG(ERR, "%s: meta= is none, basic or full, and not '%s'", p->name,
			value == NULL ? "" : value);
		return -EINVAL;
	}
	return 0;
}

static int
arg_parse(const char *key, const char *value, void *opaque)
{
	struct parse *p = opaque;
	struct nc_args *args = p->args;

	if (strcmp(key, "dev") == 0)
		return text_copy(p, key, value, args->dev, sizeof(args->dev));
	if (strcmp(key, "function") == 0)
		return text_copy(p, key, value, p->function, sizeof(p->function));
	if (strcmp(key, "path") == 0)
		return text_copy(p, key, value, p->path, sizeof(p->path));
	if (strcmp(key, "server") == 0)
		return text_copy(p, key, value, args->server, sizeof(args->server));
	if (strcmp(key, "rep") == 0)
		return text_copy(p, key, value, args->rep, sizeof(args->rep));
	if (strcmp(key, "shm") == 0)
		return role_parse(p, key, value, &p->shm_role);
	if (strcmp(key, "role") == 0)
		return role_parse(p, key, value, &args->role);
	if (strcmp(key, "meta") == 0)
		return meta_parse(p, value, &args->meta);
	if (value == NULL || rte_ether_unformat_addr(value, &args->mac) != 0 ||
			!rte_is_valid_assigned_ether_addr(&args->mac)) {
		NC_LOG(ERR, "%s: mac= is the address of one station, like 02:00:00:00:00:01, and not '%s'",
			p->name, value == NULL ? "" : value);
		return -EINVAL;
	}
	return 0;
}

/* dev=, or all that a device of driver shm needs. */
static int
dev_check(struct parse *p)
{
	struct nc_args *args = p->args;
	bool dpu = p->shm_role == RTE_COMCH_ROLE_DPU;

	if ((args->dev[0] != '\0') == (p->shm_role >= 0)) {
		NC_LOG(ERR, "%s: give either dev=<comch device or PCI address>, or shm=host|dpu with function=",
			p->name);
		return -EINVAL;
	}
	if (p->shm_role < 0 && (p->function[0] != '\0' || p->path[0] != '\0')) {
		NC_LOG(ERR, "%s: function= and path= belong to shm=, and not to dev=", p->name);
		return -EINVAL;
	}
	if (p->shm_role >= 0 && p->function[0] == '\0') {
		NC_LOG(ERR, "%s: shm= needs function=, like function=pf0", p->name);
		return -EINVAL;
	}
	if (p->shm_role < 0)
		return 0;
	if (args->role >= 0 && args->role != p->shm_role) {
		NC_LOG(ERR, "%s: role= and shm= differ", p->name);
		return -EINVAL;
	}
	snprintf(args->shm_args, sizeof(args->shm_args), "role=%s,%s=%s%s%s",
		dpu ? "dpu" : "host", dpu ? "functions" : "function", p->function,
		p->path[0] == '\0' ? "" : ",path=", p->path);
	return 0;
}

int
nc_args_parse(const char *name, const char *text, struct nc_args *args)
{
	struct parse p = { .name = name, .args = args, .shm_role = -1 };
	struct rte_kvargs *kvlist;
	unsigned int i, k;
	int ret = 0;

	memset(args, 0, sizeof(*args));
	strlcpy(args->server, "net_comch", sizeof(args->server));
	args->role = -1;
	args->meta = RTE_COMCH_META_RX;
	rte_eth_random_addr(args->mac.addr_bytes);
	kvlist = rte_kvargs_parse(text == NULL ? "" : text, keys);
	if (kvlist == NULL) {
		NC_LOG(ERR, "%s: '%s' has an unknown key; there are dev, shm, function, path, server, rep, role, mac, meta",
			name, text == NULL ? "" : text);
		return -EINVAL;
	}
	for (i = 0; keys[i] != NULL && ret == 0; i++) {
		k = rte_kvargs_count(kvlist, keys[i]);
		if (k > 1) {
			NC_LOG(ERR, "%s: %s= is given %u times", name, keys[i], k);
			ret = -EINVAL;
		} else if (k == 1) {
			ret = dpdk_kvargs_process_opt(kvlist, keys[i], arg_parse, &p);
		}
	}
	rte_kvargs_free(kvlist);
	return ret == 0 ? dev_check(&p) : -EINVAL;
}

/*
 * The device of driver shm that the port has for itself, from its first start to its end. One
 * of a former port of this name may be left.
 */
static int
own_dev_make(struct nc_port *port)
{
	char name[RTE_DEV_NAME_MAX_LEN + sizeof("comch_shm_")];
	int ret;

	if (port->own_dev[0] != '\0' && rte_comch_dev_get_id_by_name(port->own_dev) >= 0)
		return 0;
	snprintf(name, sizeof(name), "comch_shm_%s", port->eth->data->name);
	port->own_dev[0] = '\0';
	ret = rte_vdev_uninit(name);
	if (ret == -EBUSY) {
		NC_LOG(ERR, "%s: device '%s' is still in use, by a pool of a former port: free that first",
			port->eth->data->name, name);
		return ret;
	}
	ret = rte_vdev_init(name, port->args.shm_args);
	if (ret != 0) {
		NC_LOG(ERR, "%s: no device of driver shm with '%s': %s; see what the driver says",
			port->eth->data->name, port->args.shm_args, rte_strerror(-ret));
		return ret;
	}
	strlcpy(port->own_dev, name, sizeof(port->own_dev));
	return 0;
}

/* Engines: one for each queue, and one for the connection. */
int
nc_args_engines_check(const struct nc_port *port)
{
	const struct rte_eth_dev_data *data = port->eth->data;
	uint32_t nb = (uint32_t)data->nb_rx_queues + data->nb_tx_queues + 1;
	struct rte_comch_dev_info info;
	int ret = rte_comch_dev_info_get(port->comch, &info);

	if (ret != 0 || info.max_pes == 0 || info.nb_pes + nb <= info.max_pes)
		return ret;
	NC_LOG(ERR, "%s: %u and %u queues need %u progress engines, and device '%s' has %u, of which %u are in use: configure fewer queues",
		data->name, data->nb_rx_queues, data->nb_tx_queues, nb, info.name, info.max_pes,
		info.nb_pes);
	return -ENOSPC;
}

int
nc_args_dev_find(struct nc_port *port)
{
	const char *name = port->args.dev;
	struct rte_comch_dev_info info;
	int ret;

	if (name[0] == '\0') {
		ret = own_dev_make(port);
		if (ret != 0)
			return ret;
		name = port->own_dev;
	}
	ret = rte_comch_dev_get_id_by_name(name);
	if (ret >= 0) {
		port->comch = (int16_t)ret;
		ret = rte_comch_dev_info_get(port->comch, &info);
	}
	if (ret < 0) {
		NC_LOG(ERR, "%s: there is no comch device '%s': add it, with --vdev or with -a and class=comch",
			port->eth->data->name, name);
		return ret;
	}
	if (port->args.role >= 0 && (int)info.role != port->args.role) {
		NC_LOG(ERR, "%s: role=%s, but '%s' is on the other side of the link",
			port->eth->data->name,
			port->args.role == RTE_COMCH_ROLE_DPU ? "dpu" : "host", name);
		return -EINVAL;
	}
	port->role = info.role;
	return 0;
}
