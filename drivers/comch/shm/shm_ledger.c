/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Ledgers: what the processes of one user on one function make this process hold, and how
 * much that may be. Each thing is taken here before it is allocated, and given back when it
 * is freed: an engine that keeps the remains of a link keeps the share of its user. The
 * device's lock is held where something is taken; what is given back needs none.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <rte_string_fns.h>

#include "comch_shm.h"

/* What a function may take at least, however many there are. */
#define LEDGER_MIN_MAPS 64
#define LEDGER_MIN_MEM (UINT64_C(64) << 20)
/* The kernel's own default of vm.max_map_count. */
#define LEDGER_DFLT_MAPS 65530

static const struct {
	const char *name;
	const char *remedy;
	int error;
} ledger_limits[SHM_LIMITS] = {
	[SHM_LIMIT_LINKS] = { "links", "end processes of this user, or raise max_links=", -EUSERS },
	[SHM_LIMIT_FDS] = { "fds", "end processes of this user, or raise RLIMIT_NOFILE", -EUSERS },
	[SHM_LIMIT_MAPS] = { "maps", "end connections of this user, or raise max_maps=", -EUSERS },
	[SHM_LIMIT_MEM] = { "mem", "have this user take smaller queues and regions, or raise max_mem=",
		-ENOMEM },
	[SHM_LIMIT_EVENTS] = { "events", NULL, -EAGAIN }, /* they wait: nothing is refused */
};

/* A number that a file of the kernel begins with, or what to take without one. */
uint64_t
shm_kernel_number(const char *path, uint64_t without)
{
	FILE *f = fopen(path, "re");
	uint64_t number;

	if (f == NULL)
		return without;
	if (fscanf(f, "%" SCNu64, &number) != 1)
		number = without;
	fclose(f);
	return number;
}

/* The memory that this process may have, as its control group says it, or the machine. */
static uint64_t
process_memory(void)
{
	uint64_t size = (uint64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	char line[256], path[300];
	FILE *f;

	/* of a container: its root is its own group */
	size = RTE_MIN(size, shm_kernel_number("/sys/fs/cgroup/memory.max", size));
	size = RTE_MIN(size,
		shm_kernel_number("/sys/fs/cgroup/memory/memory.limit_in_bytes", size));
	f = fopen("/proc/self/cgroup", "re");
	if (f == NULL)
		return size;
	while (fgets(line, sizeof(line), f) != NULL) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "0::/", 4) != 0)
			continue;
		snprintf(path, sizeof(path), "/sys/fs/cgroup/%s/memory.max", line + 4);
		size = RTE_MIN(size, shm_kernel_number(path, size));
	}
	fclose(f);
	return size;
}

/* What each user may take of each function, where the device arguments do not say it. */
void
shm_ledger_limits_init(struct shm_dev *dev)
{
	uint64_t *max = dev->limits;
	struct rlimit limit = { .rlim_cur = 0 };

	if (max[SHM_LIMIT_LINKS] == 0)
		max[SHM_LIMIT_LINKS] = SHM_MAX_LINKS;
	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = RTE_MIN(limit.rlim_cur, (rlim_t)1 << 20);
	max[SHM_LIMIT_FDS] = RTE_MAX(limit.rlim_cur / 2 / dev->nb_funcs, (rlim_t)SHM_MIN_FUNC_FDS);
	if (max[SHM_LIMIT_MAPS] == 0)
		max[SHM_LIMIT_MAPS] = RTE_MAX(shm_kernel_number("/proc/sys/vm/max_map_count",
			LEDGER_DFLT_MAPS) / 4 * 3 / dev->nb_funcs, (uint64_t)LEDGER_MIN_MAPS);
	if (max[SHM_LIMIT_MEM] == 0)
		max[SHM_LIMIT_MEM] = RTE_MAX(process_memory() / 4 / dev->nb_funcs, LEDGER_MIN_MEM);
	max[SHM_LIMIT_EVENTS] = SHM_USER_EVENTS;
}

static uint64_t
used_get(const struct shm_ledger *ledger, enum shm_limit limit)
{
	return __atomic_load_n(&ledger->used[limit], __ATOMIC_RELAXED);
}

/* What is being freed counts, too. */
static bool
is_unused(const struct shm_ledger *ledger)
{
	uint32_t i;

	/* acquire: its broker; pairs with the release of what was given back last */
	for (i = 0; i < SHM_LIMITS &&
			__atomic_load_n(&ledger->used[i], __ATOMIC_ACQUIRE) == 0; i++)
		;
	return i == SHM_LIMITS;
}

/*
 * That of a user: one that nobody uses is given to the next user, and the caller ends the
 * broker that is left. NULL if all are in use, or without memory, which error tells.
 */
struct shm_ledger *
shm_ledger_find(struct shm_func *func, uint32_t uid, struct shm_broker **left, int *error)
{
	struct shm_ledger *ledger, *unused = NULL;
	uint32_t i;

	for (i = 0; i < SHM_MAX_USERS; i++) {
		ledger = func->ledgers[i];
		if (ledger == NULL)
			break;
		if (ledger->uid == uid)
			return ledger;
		if (is_unused(ledger))
			unused = ledger;
	}
	*error = i < SHM_MAX_USERS ? -ENOMEM : -EUSERS;
	if (i < SHM_MAX_USERS)
		unused = func->ledgers[i] = calloc(1, sizeof(*unused));
	if (unused == NULL)
		return NULL;
	*left = unused->broker;
	memset(unused, 0, sizeof(*unused));
	unused->uid = uid;
	return unused;
}

void
shm_ledgers_free(struct shm_func *func)
{
	uint32_t i;

	for (i = 0; i < SHM_MAX_USERS; i++)
		free(func->ledgers[i]);
}

/* Without a look at the limit: it cannot be refused. */
void
shm_ledger_add(struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb)
{
	__atomic_fetch_add(&ledger->used[limit], nb, __ATOMIC_RELAXED);
}

/* The lock need not be held. */
void
shm_ledger_give(struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb)
{
	__atomic_fetch_sub(&ledger->used[limit], nb, __ATOMIC_RELEASE);
}

bool
shm_ledger_has(const struct shm_dev *dev, const struct shm_ledger *ledger, enum shm_limit limit,
		uint64_t nb)
{
	return nb <= dev->limits[limit] && used_get(ledger, limit) <= dev->limits[limit] - nb;
}

/* Many that were sent are to be closed, more than an honest user has under way. */
bool
shm_ledger_fds_over(const struct shm_dev *dev, const struct shm_ledger *ledger)
{
	return used_get(ledger, SHM_LIMIT_FDS) > dev->limits[SHM_LIMIT_FDS] / 4 * 5;
}

/* 0, or why there is no more for this user: that is counted, and logged. */
int
shm_ledger_take(const struct shm_dev *dev, struct shm_func *func,
		struct shm_ledger *ledger, enum shm_limit limit, uint64_t nb)
{
	if (shm_ledger_has(dev, ledger, limit, nb)) {
		shm_ledger_add(ledger, limit, nb);
		return 0;
	}
	ledger->refused[limit]++;
	if (ledger_limits[limit].remedy != NULL)
		SHM_PEER_LOG(dev, func, WARNING,
			"%s: user %u has reached its limit of %s on %s: %" PRIu64 " of %" PRIu64
			" are taken, and %" PRIu64 " more are refused; %s",
			dev->dev->data->name, ledger->uid, ledger_limits[limit].name, func->name,
			used_get(ledger, limit), dev->limits[limit], nb,
			ledger_limits[limit].remedy);
	return ledger_limits[limit].error;
}

/* For a link that is there. */
int
shm_link_take(struct shm_link *link, enum shm_limit limit, uint64_t nb)
{
	return shm_ledger_take(link->dev, link->func, link->ledger, limit, nb);
}

void
shm_link_give(struct shm_link *link, enum shm_limit limit, uint64_t nb)
{
	shm_ledger_give(link->ledger, limit, nb);
}

/* Mappings, and the memory behind them: both, or neither. */
int
shm_link_take_mem(struct shm_link *link, uint32_t nb_maps, uint64_t bytes)
{
	int ret = shm_link_take(link, SHM_LIMIT_MAPS, nb_maps);

	if (ret != 0)
		return ret;
	ret = shm_link_take(link, SHM_LIMIT_MEM, bytes);
	if (ret != 0)
		shm_link_give(link, SHM_LIMIT_MAPS, nb_maps);
	return ret;
}

/* The lock need not be held. */
void
shm_ledger_give_mem(struct shm_ledger *ledger, uint32_t nb_maps, uint64_t bytes)
{
	shm_ledger_give(ledger, SHM_LIMIT_MEM, bytes);
	shm_ledger_give(ledger, SHM_LIMIT_MAPS, nb_maps);
}

/* What the library shows in telemetry: one ledger after the other. */
int
shm_user_get(struct rte_comch_dev *rte_dev, uint32_t nr, struct rte_comch_pmd_user *user)
{
	struct shm_dev *dev = rte_dev->priv;
	const struct shm_ledger *ledger = NULL;
	const struct shm_func *func;
	uint32_t i, k, n;

	shm_dev_lock(dev);
	for (i = 0; i < dev->nb_funcs && ledger == NULL; i++) {
		func = &dev->funcs[i];
		for (k = 0; k < SHM_MAX_USERS && func->ledgers[k] != NULL && ledger == NULL; k++)
			if (nr-- == 0)
				ledger = func->ledgers[k];
	}
	if (ledger != NULL) {
		strlcpy(user->function, func->name, sizeof(user->function));
		user->uid = ledger->uid;
		user->nb_limits = SHM_LIMITS;
		for (n = 0; n < SHM_LIMITS; n++) {
			user->limits[n].name = ledger_limits[n].name;
			user->limits[n].used = used_get(ledger, n);
			user->limits[n].max = dev->limits[n];
			user->limits[n].refused = ledger->refused[n];
		}
	}
	shm_dev_unlock(dev);
	return ledger == NULL ? -ENOENT : 0;
}
