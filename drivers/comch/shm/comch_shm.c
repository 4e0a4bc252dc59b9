/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The shm driver: device arguments, probe and remove, and what a device says of
 * itself. How devices find each other is in shm_meet.c, connections are in
 * shm_chan.c, the data path is in shm_poll.c.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bus_vdev_driver.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_kvargs.h>
#include <rte_string_fns.h>

#include "dpdk_release.h"
#include "shm_dpa.h"
#include "shm_fast.h"

#define SHM_ARG_ROLE "role"
#define SHM_ARG_FUNCTIONS "functions"
#define SHM_ARG_FUNCTION "function"
#define SHM_ARG_PATH "path"
#define SHM_ARG_UIDS "uids"
#define SHM_ARG_HUGE "huge"
#define SHM_ARG_PCI_BUS "pci_bus"
#define SHM_ARG_MAX_LINKS "max_links"
#define SHM_ARG_MAX_MAPS "max_maps"
#define SHM_ARG_MAX_MEM "max_mem"
#define SHM_ARG_BROKER "broker"

#define SHM_PARAMS \
	SHM_ARG_ROLE "=dpu|host " \
	SHM_ARG_FUNCTIONS "=<function>[:<function>...] " \
	SHM_ARG_FUNCTION "=<function> " \
	SHM_ARG_PATH "=<directory> " \
	SHM_ARG_UIDS "=[<function>@]<uid>|all[:[<function>@]<uid>|all...] " \
	SHM_ARG_HUGE "=0|1 " \
	SHM_ARG_PCI_BUS "=<domain>:<bus> " \
	SHM_ARG_MAX_LINKS "=<number> " \
	SHM_ARG_MAX_MAPS "=<number> " \
	SHM_ARG_MAX_MEM "=<MiB> " \
	SHM_ARG_BROKER "=others|all"

#define SHM_DFLT_FUNCTION "pf0"
/* Emulated PCI addresses: the first bus of the functions, and the buses that they take. */
#define SHM_DFLT_PCI_BUS 0x3b
#define SHM_NB_PCI_BUSES 9

/* Limits of this driver. They are our own, and no statement on any hardware. */
#define SHM_MAX_CLIENTS SHM_WIRE_MAX_CHANS
#define SHM_MAX_SEND_TASKS 8192
/* What fits into a ring, however many messages it is: each has a head and a padding. */
#define SHM_MAX_RECV_BYTES (SHM_WIRE_MAX_RING_SIZE - sizeof(struct shm_wire_chan) - \
	SHM_WIRE_MAX_QUEUE_SIZE * (sizeof(struct shm_wire_rec) + 7))
#define SHM_DFLT_MSG_SIZE 4080
#define SHM_DFLT_QUEUE_SIZE 4
/* A device that is removed waits so long for its thread, which may be held up. */
#define REMOVE_US 200
#define REMOVE_TRIES 5000

/*
 * Information
 */

/*
 * Emulated addresses: every function has one of its own, so that -p and -r find it. They
 * follow from the name of the function, so that both ends say the same of it.
 */
static void
func_pci_addr(const struct shm_dev *dev, const struct shm_func *func, char *addr, size_t size)
{
	uint32_t devfn = shm_func_number(func);

	snprintf(addr, size, "%04x:%02x:%02x.%x", dev->pci_domain, dev->pci_bus + devfn / 256,
		devfn / 8 % 32, devfn % 8);
}

/* That of the card's own device is on another bus, and differs where those of functions do. */
static void
card_pci_addr(const struct shm_dev *dev, char *addr, size_t size)
{
	uint32_t devfn = (dev->pci_bus - SHM_DFLT_PCI_BUS) % 256;

	snprintf(addr, size, "%04x:03:%02x.%x", dev->pci_domain, devfn / 8, devfn % 8);
}

/* Where the ends meet, and the function: nobody else has both. */
static void
func_vuid(const struct shm_dev *dev, const struct shm_func *func, char *vuid, size_t size)
{
	snprintf(vuid, size, "comch-shm-%s-%s", dev->space, func->name);
}

static int
shm_info_get(struct rte_comch_dev *rte_dev, struct rte_comch_dev_info *info)
{
	struct shm_dev *dev = rte_dev->priv;

	info->capa = RTE_COMCH_CAPA_CONSUMER | RTE_COMCH_CAPA_PRODUCER | RTE_COMCH_CAPA_EVENT |
		RTE_COMCH_CAPA_PEER_ID | RTE_COMCH_CAPA_MEM_BOUNCE | RTE_COMCH_CAPA_POST_SIZES |
		RTE_COMCH_CAPA_DPA;
	if (dev->role == RTE_COMCH_ROLE_DPU) {
		info->capa |= RTE_COMCH_CAPA_SERVER;
		info->nb_reps = dev->nb_funcs;
		card_pci_addr(dev, info->pci_addr, sizeof(info->pci_addr));
	} else {
		info->capa |= RTE_COMCH_CAPA_CLIENT;
		strlcpy(info->function, dev->funcs[0].name, sizeof(info->function));
		func_pci_addr(dev, &dev->funcs[0], info->pci_addr, sizeof(info->pci_addr));
		func_vuid(dev, &dev->funcs[0], info->vuid, sizeof(info->vuid));
	}
	info->max_name_len = SHM_WIRE_NAME_SIZE;
	info->max_msg_size = SHM_WIRE_MAX_MSG_SIZE;
	info->max_recv_queue_size = SHM_WIRE_MAX_QUEUE_SIZE;
	info->max_recv_bytes = SHM_MAX_RECV_BYTES;
	info->max_ctrl_tasks = SHM_MAX_SEND_TASKS;
	info->max_clients = SHM_MAX_CLIENTS;
	info->max_consumers = SHM_WIRE_MAX_CONSUMERS;
	info->max_producers = SHM_WIRE_MAX_PRODUCERS;
	info->max_posts = SHM_MAX_POSTS;
	info->max_sends = SHM_MAX_SENDS;
	info->max_imm_len = SHM_WIRE_MAX_IMM_LEN;
	info->max_buf_size = SHM_WIRE_MAX_BUF_SIZE;
	info->max_pes = SHM_WIRE_MAX_GROUPS;
	info->max_peer_mems = SHM_WIRE_MAX_REGIONS;
	info->dflt_msg_size = SHM_DFLT_MSG_SIZE;
	info->dflt_recv_queue_size = SHM_DFLT_QUEUE_SIZE;
	/* as an engine last found it: telemetry's thread, too, asks, and serves nothing */
	info->nb_links = __atomic_load_n(&dev->nb_links, __ATOMIC_RELAXED);
	info->link_up = info->nb_links != 0;
	return 0;
}

static int
shm_rep_list(struct rte_comch_dev *rte_dev, struct rte_comch_rep_info *reps, uint16_t nb)
{
	struct shm_dev *dev = rte_dev->priv;
	uint16_t i;

	for (i = 0; i < RTE_MIN(nb, dev->nb_funcs); i++) {
		memset(&reps[i], 0, sizeof(reps[i]));
		reps[i].rep_id = i;
		strlcpy(reps[i].name, dev->funcs[i].name, sizeof(reps[i].name));
		func_pci_addr(dev, &dev->funcs[i], reps[i].pci_addr, sizeof(reps[i].pci_addr));
		func_vuid(dev, &dev->funcs[i], reps[i].vuid, sizeof(reps[i].vuid));
		reps[i].type = dev->funcs[i].type;
		reps[i].pf = dev->funcs[i].pf;
		reps[i].number = dev->funcs[i].number;
		reps[i].nb_links = __atomic_load_n(&dev->funcs[i].nb_links,
				__ATOMIC_RELAXED);
	}
	return dev->nb_funcs;
}

static void
shm_dump(struct rte_comch_dev *rte_dev, FILE *f)
{
	struct shm_dev *dev = rte_dev->priv;
	struct shm_link *link;
	uint32_t i, nb;

	shm_dev_lock(dev);
	fprintf(f, "  rendezvous %s%s\n", dev->path[0] == '\0' ? "dpdk-comch/" : "",
		dev->path[0] == '\0' ? dev->space : dev->path);
	for (i = 0; dev->role == RTE_COMCH_ROLE_DPU && i < dev->nb_funcs; i++)
		if (dev->funcs[i].fd < 0)
			fprintf(f, "  function %s: held by another process or device\n",
				dev->funcs[i].name);
	TAILQ_FOREACH(link, &dev->links, next) {
		for (i = 0, nb = 0; i < SHM_WIRE_MAX_CHANS; i++)
			nb += link->chans[i] != NULL;
		fprintf(f, "  link: function %s process %u user %u %s%s, %u connections, %" PRIu64
			" bytes taken by its user\n", link->func->name, link->pid, link->uid,
			link->state == SHM_LINK_UP ? "up" : "attaching",
			link->left ? ", whose process has ended" : "", nb,
			__atomic_load_n(&link->ledger->used[SHM_LIMIT_MEM],
				__ATOMIC_RELAXED));
	}
	shm_dev_unlock(dev);
}

static int
shm_server_listen(struct rte_comch_ctrl *server)
{
	return shm_conf_check(server);
}

/* When this returns, no thread looks at the server any more. */
static int
shm_server_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct shm_dev *dev = server->dev->priv;

	shm_dev_lock(dev);
	shm_dev_unlock(dev);
	return 0;
}

static void
shm_links_kill(struct shm_dev *dev, int reason)
{
	struct shm_link *link;

	shm_dev_lock(dev);
	while ((link = TAILQ_FIRST(&dev->links)) != NULL)
		shm_link_kill(link, reason);
	shm_dev_unlock(dev);
}

/* With its link each connection ends. The next link is of a device that was reset. */
static void
shm_fail(struct rte_comch_dev *rte_dev, int reason)
{
	shm_links_kill(rte_dev->priv, reason);
}

static const struct rte_comch_dev_ops shm_ops = {
	.info_get = shm_info_get,
	.rep_list = shm_rep_list,
	.user_get = shm_user_get,
	.dump = shm_dump,
	.dpa = &shm_dpa_ops,
	.fail = shm_fail,
	.pgroup_create = shm_group_create,
	.pgroup_destroy = shm_group_destroy,
	.pgroup_poll = shm_group_poll,
	.pgroup_arm = shm_group_arm,
	.pgroup_disarm = shm_group_disarm,
	.listen = shm_server_listen,
	.unlisten = shm_server_unlisten,
	.connect = shm_connect_start,
	.connect_cancel = shm_connect_cancel,
	.conn_send = shm_conn_send,
	.conn_close = shm_conn_close,
	.conn_rx_count = shm_conn_rx_count,
	.conn_rx_resume = shm_conn_rx_resume,
	.mem_alloc = shm_mem_alloc,
	.mem_register = shm_mem_register,
	.mem_free = shm_mem_free,
	.queue_setup = shm_queue_setup,
	.queue_stop = shm_queue_stop,
	.queue_free = shm_queue_free,
	.consumer_announce = shm_consumer_announce,
	.consumer_left = shm_consumer_left,
	.queue_idle = shm_queue_idle,
	.queue_room = shm_queue_room,
	.queue_takes = shm_queue_takes,
	.conn_consumer_info = shm_conn_consumer_info,
};

/*
 * Device arguments
 */

/* pf<n>, pf<n>vf<n> or pf<n>sf<n>, with numbers that make sense. */
static int
func_parse(const char *name, struct shm_func *func)
{
	unsigned int sub;
	int end = 0;

	if (strlen(name) >= sizeof(func->name) || strncmp(name, "pf", 2) != 0 ||
			(name[2] != '0' && name[2] != '1'))
		return -EINVAL;
	func->type = RTE_COMCH_FUNC_PF;
	func->pf = name[2] - '0';
	if (name[3] != '\0') {
		if ((name[3] != 'v' && name[3] != 's') || name[4] != 'f' ||
				!isdigit((unsigned char)name[5]) ||
				sscanf(name + 5, "%3u%n", &sub, &end) != 1 || name[5 + end] != '\0')
			return -EINVAL;
		if (name[3] == 'v' && sub >= SHM_MAX_VFS)
			return -EINVAL;
		/* one name for one function: pf0vf03 is not pf0vf3 */
		if (name[5] == '0' && name[6] != '\0')
			return -EINVAL;
		func->type = name[3] == 'v' ? RTE_COMCH_FUNC_VF : RTE_COMCH_FUNC_SF;
		func->number = sub;
	}
	strlcpy(func->name, name, sizeof(func->name));
	func->fd = -1;
	return 0;
}

static int
func_add(struct shm_dev *dev, const char *name)
{
	struct shm_func func, *funcs;
	uint16_t i;

	memset(&func, 0, sizeof(func));
	if (func_parse(name, &func) != 0) {
		SHM_LOG(ERR, "'%s' is no function: use pf0, pf0vf3 or pf0sf12 (pf0-1, vf0-119, sf0-999)",
			name);
		return -EINVAL;
	}
	for (i = 0; i < dev->nb_funcs; i++) {
		if (strcmp(dev->funcs[i].name, name) == 0) {
			SHM_LOG(ERR, "function '%s' is listed twice", name);
			return -EINVAL;
		}
	}
	if (dev->nb_funcs == SHM_MAX_FUNCTIONS) {
		SHM_LOG(ERR, "more than %d functions", SHM_MAX_FUNCTIONS);
		return -EINVAL;
	}
	funcs = realloc(dev->funcs, (dev->nb_funcs + 1) * sizeof(*funcs));
	if (funcs == NULL)
		return -ENOMEM;
	func.id = dev->nb_funcs;
	dev->funcs = funcs;
	dev->funcs[dev->nb_funcs++] = func;
	return 0;
}

/* One element of functions=, which may end in a range: pf0vf[0-3]. */
static int
func_add_range(struct shm_dev *dev, const char *elem)
{
	char name[SHM_WIRE_FUNCTION_SIZE * 2];
	unsigned int first, last, i;
	const char *range = strchr(elem, '[');
	int end = 0, ret;

	if (range == NULL)
		return func_add(dev, elem);
	if (sscanf(range, "[%3u-%3u]%n", &first, &last, &end) != 2 || range[end] != '\0' ||
			end == 0 || first > last || range - elem > SHM_WIRE_FUNCTION_SIZE) {
		SHM_LOG(ERR, "'%s': a range looks like [0-3]", elem);
		return -EINVAL;
	}
	for (i = first; i <= last; i++) {
		snprintf(name, sizeof(name), "%.*s%u", (int)(range - elem), elem, i);
		ret = func_add(dev, name);
		if (ret != 0)
			return ret;
	}
	return 0;
}

static int
arg_functions(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;
	char *list, *elem, *next;
	int ret = 0;

	if (value == NULL || value[0] == '\0') {
		SHM_LOG(ERR, "%s= is empty, list functions as in pf0:pf0vf[0-3]", key);
		return -EINVAL;
	}
	list = strdup(value);
	if (list == NULL)
		return -ENOMEM;
	next = list;
	while (ret == 0 && (elem = strsep(&next, ":")) != NULL)
		ret = func_add_range(dev, elem);
	free(list);
	return ret;
}

static int
arg_function(const char *key __rte_unused, const char *value, void *opaque)
{
	return func_add(opaque, value == NULL ? "" : value);
}

static int
arg_role(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;

	if (value != NULL && strcmp(value, "dpu") == 0) {
		dev->role = RTE_COMCH_ROLE_DPU;
	} else if (value != NULL && strcmp(value, "host") == 0) {
		dev->role = RTE_COMCH_ROLE_HOST;
	} else {
		SHM_LOG(ERR, "%s=%s: it is dpu or host", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	return 0;
}

static int
arg_path(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;
	struct stat st;

	if (value != NULL && strlcpy(dev->path, value, sizeof(dev->path)) < sizeof(dev->path))
		dev->path_fd = open(value, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dev->path_fd < 0 || fstat(dev->path_fd, &st) != 0) {
		SHM_LOG(ERR, "%s=%s: is no directory that can be reached, create it first", key,
			value == NULL ? "" : value);
		return -EINVAL;
	}
	shm_meet_dir(dev, &st);
	return 0;
}

/* The list of the function that is named up to the next '@', if it is empty. */
static struct shm_users *
func_users(struct shm_dev *dev, const char **p)
{
	size_t len = strcspn(*p, "@");
	struct shm_func *func;
	uint16_t i;

	for (i = 0; i < dev->nb_funcs; i++) {
		func = &dev->funcs[i];
		if (strlen(func->name) == len && strncmp(func->name, *p, len) == 0 &&
				(*p)[len] == '@' && func->users.nb == 0) {
			*p += len + 1;
			return &func->users;
		}
	}
	return NULL;
}

static int
arg_uids(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;
	struct shm_users *users = &dev->users;
	const char *p = value;
	unsigned long uid;
	char *end;
	bool all;

	do {
		if (p != NULL && *p == 'p') {
			/* those that follow are of one function, which may be the only one */
			if (dev->nb_funcs == 0 && func_add(dev, SHM_DFLT_FUNCTION) != 0)
				goto bad;
			users = func_users(dev, &p);
			if (users == NULL)
				goto bad;
		}
		all = p != NULL && strncmp(p, "all", 3) == 0;
		if (p == NULL || (!all && !isdigit((unsigned char)*p)) ||
				users->nb == SHM_MAX_UIDS)
			goto bad;
		errno = 0;
		uid = all ? SHM_UID_ALL : strtoul(p, &end, 10);
		p = all ? p + strlen("all") : end;
		if (errno != 0 || (!all && uid >= SHM_UID_ALL) || (*p != ':' && *p != '\0'))
			goto bad;
		if (uid == dev->unmapped) {
			SHM_LOG(ERR, "%s=%s: %u is what all users look like that have no number here: give the process another user, or leave it to the mode of path=",
				key, value, dev->unmapped);
			return -EINVAL;
		}
		if (all && dev->path[0] == '\0') {
			SHM_LOG(ERR, "%s=%s: all are those who may enter the folder: give path=, too",
				key, value);
			return -EINVAL;
		}
		users->uids[users->nb++] = uid;
	} while (*p++ == ':');
	return 0;
bad:
	SHM_LOG(ERR, "%s=%s: up to %d numbers, as in 1000:1001, or all; those behind pf0vf3@ are of this function, which is in functions=, once",
		key, value == NULL ? "" : value, SHM_MAX_UIDS);
	return -EINVAL;
}

static int
arg_huge(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;

	if (value == NULL || (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)) {
		SHM_LOG(ERR, "%s=%s: it is 0 or 1", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	dev->huge = value[0] == '1';
	return 0;
}

static int
arg_broker(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;

	if (value == NULL || (strcmp(value, "others") != 0 && strcmp(value, "all") != 0)) {
		SHM_LOG(ERR, "%s=%s: it is others or all", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	dev->broker_all = strcmp(value, "all") == 0;
	return 0;
}

/* Four and two hexadecimal digits, as the bus is written in addresses. */
static int
arg_pci_bus(const char *key, const char *value, void *opaque)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	struct shm_dev *dev = opaque;

	if (value == NULL || strspn(value, digits) != 4 || value[4] != ':' ||
			strspn(value + 5, digits) != 2 || value[7] != '\0' ||
			sscanf(value, "%x:%x", &dev->pci_domain, &dev->pci_bus) != 2 ||
			dev->pci_bus > 256 - SHM_NB_PCI_BUSES) {
		SHM_LOG(ERR, "%s=%s: it is a domain and a bus, as in 0000:3b, the bus up to %02x",
			key, value == NULL ? "" : value, 256 - SHM_NB_PCI_BUSES);
		return -EINVAL;
	}
	return 0;
}

/* What each user may take of each function. */
static int
arg_max(const char *key, const char *value, void *opaque)
{
	struct shm_dev *dev = opaque;
	enum shm_limit limit = SHM_LIMIT_MEM;
	unsigned int nb;
	int end = 0;

	if (value == NULL || !isdigit((unsigned char)value[0]) ||
			sscanf(value, "%9u%n", &nb, &end) != 1 || value[end] != '\0' || nb == 0) {
		SHM_LOG(ERR, "%s=%s: it is a number from 1 to 999999999", key,
			value == NULL ? "" : value);
		return -EINVAL;
	}
	if (strcmp(key, SHM_ARG_MAX_LINKS) == 0)
		limit = SHM_LIMIT_LINKS;
	else if (strcmp(key, SHM_ARG_MAX_MAPS) == 0)
		limit = SHM_LIMIT_MAPS;
	dev->limits[limit] = limit == SHM_LIMIT_MEM ? (uint64_t)nb << 20 : nb;
	return 0;
}

/* The keys that do not belong to the role, and those that it needs. */
static int
args_check_role(const struct rte_kvargs *kvlist, const struct shm_dev *dev, const char *name)
{
	bool dpu = dev->role == RTE_COMCH_ROLE_DPU;
	const char *wrong = NULL, *remedy = NULL;

	if (dpu && rte_kvargs_count(kvlist, SHM_ARG_FUNCTION) != 0) {
		wrong = SHM_ARG_FUNCTION;
		remedy = "list those to serve in functions=";
	}
	if (!dpu && rte_kvargs_count(kvlist, SHM_ARG_FUNCTIONS) != 0) {
		wrong = SHM_ARG_FUNCTIONS;
		remedy = "give the one that it is by function=";
	}
	if (!dpu && rte_kvargs_count(kvlist, SHM_ARG_UIDS) != 0) {
		wrong = SHM_ARG_UIDS;
		remedy = "give it to the dpu";
	}
	if (wrong == NULL)
		return 0;
	SHM_LOG(ERR, "%s: key '%s' is not for role=%s, %s", name, wrong, dpu ? "dpu" : "host",
		remedy);
	return -EINVAL;
}

/* EAL can refuse unknown keys, but does not say which. */
static int
args_check_keys(const struct rte_kvargs *kvlist, const char * const *keys, const char *name)
{
	unsigned int i, k;

	for (i = 0; i < kvlist->count; i++) {
		for (k = 0; keys[k] != NULL; k++) {
			if (strcmp(kvlist->pairs[i].key, keys[k]) == 0)
				break;
		}
		if (keys[k] != NULL)
			continue;
		SHM_LOG(ERR, "%s: key '%s' is unknown; there are: %s", name,
			kvlist->pairs[i].key, SHM_PARAMS);
		return -EINVAL;
	}
	return 0;
}

static int
args_parse(struct shm_dev *dev, const char *name, const char *args)
{
	static const char * const keys[] = {
		SHM_ARG_ROLE, SHM_ARG_FUNCTIONS, SHM_ARG_FUNCTION, SHM_ARG_PATH, SHM_ARG_UIDS,
		SHM_ARG_HUGE, SHM_ARG_PCI_BUS, SHM_ARG_MAX_LINKS, SHM_ARG_MAX_MAPS,
		SHM_ARG_MAX_MEM, SHM_ARG_BROKER, NULL,
	};
	static const arg_handler_t handlers[] = {
		arg_role, arg_functions, arg_function, arg_path, arg_uids, arg_huge,
		arg_pci_bus, arg_max, arg_max, arg_max, arg_broker,
	};
	struct rte_kvargs *kvlist;
	int ret = -EINVAL;
	size_t i;

	kvlist = rte_kvargs_parse(args, NULL);
	if (kvlist == NULL) {
		SHM_LOG(ERR, "%s: cannot parse '%s'; its keys are: %s", name, args, SHM_PARAMS);
		return -EINVAL;
	}
	if (args_check_keys(kvlist, keys, name) != 0)
		goto out;
	for (i = 0; keys[i] != NULL; i++) {
		if (rte_kvargs_count(kvlist, keys[i]) > 1) {
			SHM_LOG(ERR, "%s: key '%s' is there twice", name, keys[i]);
			goto out;
		}
	}
	if (rte_kvargs_count(kvlist, SHM_ARG_ROLE) == 0) {
		SHM_LOG(ERR, "%s: key '%s' is missing, it is dpu or host", name, SHM_ARG_ROLE);
		goto out;
	}
	for (i = 0; keys[i] != NULL; i++) {
		ret = dpdk_kvargs_process_opt(kvlist, keys[i], handlers[i], dev);
		if (ret != 0) {
			SHM_LOG(ERR, "%s: bad value of key '%s'", name, keys[i]);
			ret = -EINVAL;
			goto out;
		}
	}
	ret = args_check_role(kvlist, dev, name);
	if (ret == 0 && dev->nb_funcs == 0)
		ret = func_add(dev, SHM_DFLT_FUNCTION);
out:
	rte_kvargs_free(kvlist);
	return ret;
}

/*
 * Create and destroy
 */

static void
shm_dev_free(struct shm_dev *dev)
{
	uint16_t i;

	for (i = 0; i < dev->nb_funcs; i++)
		if (dev->funcs[i].fd >= 0)
			shm_listen_end(dev, &dev->funcs[i]);
	shm_trash_stop(dev);
	shm_brokers_free(dev);
	for (i = 0; i < dev->nb_funcs; i++) {
		shm_place_leave(&dev->funcs[i]);
		shm_ledgers_free(&dev->funcs[i]);
	}
	if (dev->relies)
		shm_barrier_fini();
	if (dev->epfd >= 0)
		close(dev->epfd);
	if (dev->path_fd >= 0)
		close(dev->path_fd);
	rte_mempool_free(dev->events);
	pthread_mutex_destroy(&dev->lock); /* check-ok: waiters must sleep */
	free(dev->funcs);
	free(dev);
}

/* Who holds a name keeps that function from us, and no other. */
static int
dev_listen(struct shm_dev *dev)
{
	const char *name = dev->dev->data->name;
	struct shm_func *func;
	int ret;

	for (func = dev->funcs; func < dev->funcs + dev->nb_funcs; func++) {
		ret = shm_listen(dev, func);
		if (ret == 0)
			continue;
		if (ret == -EADDRINUSE || ret == -ENOTSOCK) {
			SHM_LOG(WARNING, "%s: function %s is %s, and tried again each second: end or remove that one, or take other functions=, or another path= on both sides",
				name, func->name, ret == -ENOTSOCK ?
				"a file in path= that is no socket" :
				"served by another process or device");
			dev->nb_held++;
			continue;
		}
		if (ret == -EACCES)
			SHM_LOG(ERR, "%s: no socket can be made in %s: let user %u write to it and to what is in it, or take another path= on both sides",
				name, dev->path, geteuid());
		else if (ret == -EPERM)
			SHM_LOG(ERR, "%s: comch.lock in %s is not a file of user %u for itself alone: remove it, or take another path= on both sides",
				name, dev->path, geteuid());
		else
			SHM_LOG(ERR, "%s: cannot serve function %s: %s%s", name, func->name,
				strerror(-ret), ret != -EMFILE ? "" :
				", raise RLIMIT_NOFILE, or take fewer functions=");
		return ret;
	}
	if (dev->nb_held < dev->nb_funcs)
		return 0;
	SHM_LOG(ERR, "%s: none of its functions is free", name);
	return -EADDRINUSE;
}

static int
shm_dev_open(struct shm_dev *dev)
{
	char name[RTE_MEMPOOL_NAMESIZE];
	int ret;

	snprintf(name, sizeof(name), "comch_shm_ev%d", dev->dev->data->dev_id);
	dev->events = rte_mempool_create(name, SHM_NB_EVENTS, sizeof(struct shm_event), 0, 0,
			NULL, NULL, NULL, NULL, dev->dev->data->numa_node,
			RTE_MEMPOOL_F_NO_IOVA_CONTIG);
	if (dev->events == NULL) {
		SHM_LOG(ERR, "%s: no memory for its events (%s), give EAL more",
			dev->dev->data->name, rte_strerror(rte_errno));
		return -ENOMEM;
	}
	dev->strict = shm_kernel_number("/proc/sys/vm/overcommit_memory", 0) == 2;
	dev->relies = shm_barrier_init();
	ret = shm_trash_start(dev);
	if (ret != 0)
		return ret;
	shm_ledger_limits_init(dev);
	dev->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (dev->epfd < 0)
		return -errno;
	if (dev->role == RTE_COMCH_ROLE_HOST) {
		/* the card's side may not be there yet: engines will try again */
		shm_host_connect(dev, rte_get_tsc_cycles());
		return 0;
	}
	return dev_listen(dev);
}

static struct shm_dev *
shm_dev_alloc(void)
{
	struct shm_dev *dev = calloc(1, sizeof(*dev));

	if (dev == NULL)
		return NULL;
	dev->epfd = -1;
	dev->path_fd = -1;
	dev->pci_bus = SHM_DFLT_PCI_BUS;
	/* default attributes: it cannot fail */
	pthread_mutex_init(&dev->lock, NULL); /* check-ok: waiters must sleep */
	TAILQ_INIT(&dev->links);
	TAILQ_INIT(&dev->dying);
	TAILQ_INIT(&dev->brokers_left);
	shm_meet_user(dev);
	return dev;
}

/* Another card may have the address of this one: who looks for that finds the first. */
static void
dev_address_check(const struct shm_dev *dev)
{
	const struct rte_comch_dev_info *own = &dev->dev->info;
	struct rte_comch_dev_info info;
	const struct rte_comch_dev *other;
	int16_t id;

	if (dev->role != RTE_COMCH_ROLE_DPU)
		return;
	RTE_COMCH_FOREACH_DEV(id) {
		if (id == dev->dev->data->dev_id || rte_comch_dev_info_get(id, &info) != 0 ||
				info.role != RTE_COMCH_ROLE_DPU ||
				strcmp(info.pci_addr, own->pci_addr) != 0)
			continue;
		other = rte_comch_pmd_get_by_name(info.name);
		/* two devices of one card serve different functions of it */
		if (other == NULL || (other->ops == &shm_ops && strcmp(
				((const struct shm_dev *)other->priv)->space, dev->space) == 0))
			continue;
		SHM_LOG(WARNING, "%s: its PCI address %s is that of %s, too, which is another card: who looks for it finds one of them only; give both sides of this card another pci_bus=",
			dev->dev->data->name, own->pci_addr, info.name);
	}
}

static int
shm_probe(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);
	const char *args = rte_vdev_device_args(vdev);
	struct rte_comch_dev *rte_dev;
	struct shm_dev *dev;
	int ret;

	if (name == NULL)
		return -EINVAL;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		SHM_LOG(ERR, "%s: secondary processes have no comch_shm; start another primary with its own --file-prefix",
			name);
		return -ENOTSUP;
	}
	dev = shm_dev_alloc();
	if (dev == NULL)
		return -ENOMEM;
	ret = args_parse(dev, name, args);
	if (ret != 0)
		goto fail;
	rte_dev = rte_comch_pmd_allocate(name, vdev->device.numa_node);
	if (rte_dev == NULL) {
		ret = -rte_errno;
		goto fail;
	}
	dev->dev = rte_dev;
	rte_dev->priv = dev;
	rte_dev->ops = &shm_ops;
	rte_dev->device = &vdev->device;
	rte_dev->driver_name = "comch_shm";
	rte_dev->data->role = dev->role;
	ret = shm_dev_open(dev);
	if (ret == 0)
		ret = rte_comch_pmd_ready(rte_dev);
	if (ret == 0) {
		dev_address_check(dev);
		return 0;
	}
	shm_links_kill(dev, -ESHUTDOWN);
	rte_comch_pmd_release(rte_dev);
fail:
	shm_dev_free(dev);
	return ret;
}

static int
shm_remove(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);
	struct rte_comch_dev *rte_dev;
	struct shm_dev *dev;
	unsigned int i;
	int ret;

	if (name == NULL)
		return -EINVAL;
	rte_dev = rte_comch_pmd_get_by_name(name);
	if (rte_dev == NULL)
		return -ENODEV;
	dev = rte_dev->priv;
	ret = rte_comch_pmd_hide(rte_dev);
	if (ret != 0)
		return ret;
	shm_dev_lock(dev);
	/* the thread is about to be done with events of engines that are gone */
	for (i = 0; i < REMOVE_TRIES && dev->nb_works != 0; i++) {
		shm_dev_unlock(dev);
		rte_delay_us_sleep(REMOVE_US);
		shm_dev_lock(dev);
	}
	shm_dying_check_locked(dev);
	ret = dev->nb_groups != 0 || !TAILQ_EMPTY(&dev->dying) ? -EBUSY : 0;
	shm_dev_unlock(dev);
	if (ret != 0) {
		SHM_LOG(ERR, "%s: events of it are under way, progress the engines that had its contexts",
			name);
		rte_comch_pmd_ready(rte_dev);
		return ret;
	}
	shm_links_kill(dev, -ESHUTDOWN);
	rte_comch_pmd_release(rte_dev);
	shm_dev_free(dev);
	return 0;
}

static struct rte_vdev_driver shm_driver = {
	.probe = shm_probe,
	.remove = shm_remove,
};

RTE_PMD_REGISTER_VDEV(comch_shm, shm_driver);
RTE_PMD_REGISTER_PARAM_STRING(comch_shm, SHM_PARAMS);

/* What DPDK's build makes of the two lines above, for dpdk-pmdinfo.py. */
static const char shm_pmd_info[] __rte_used =
	"PMD_INFO_STRING= {\"name\" : \"comch_shm\", \"params\" : \"" SHM_PARAMS
	"\", \"pci_ids\" : []}";
