/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The functions there are, and the devices of rte_comch behind them: emulated ones, whose
 * devices are probed when the first context needs them, one for each representor in use;
 * and those of devices that EAL has, by its arguments or of the program. What programs
 * read of them is in doca_dev.c.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_bus_vdev.h>
#include <rte_errno.h>

#include <doca_log.h>

#include "doca_func_private.h"
#include "doca_private.h"

/* The driver of emulated functions, and the names of its devices here. */
#define FUNC_VDEV "comch_shm_doca_"
#define FUNC_ARGS_SIZE 1024

/* Where devices of the card are that have no address of their own. */
#define FUNC_CARD_BUS "0000:03"
#define FUNC_CARD_DEVFNS 256

/* Nobody serves it: a device of it is asked for its limits, and disturbs no card. */
#define FUNC_LIMITS "pf1sf999"

/* Emulated addresses, as the driver has them. */
#define FUNC_MAX_VFS 120
#define FUNC_MAX_SFS 1000

static pthread_mutex_t func_lock = PTHREAD_MUTEX_INITIALIZER;

/* Entries below the count stay as they are; the count is read without the lock. */
static struct doca_compat_func *funcs[DOCA_MAX_FUNCS];
static uint32_t nb_funcs;
static uint32_t nb_cards;

static struct rte_comch_dev_info emulated_limits;
static bool emulated_limits_known;

void
doca_func_lock(void)
{
	doca_lock(&func_lock);
}

void
doca_func_unlock(void)
{
	doca_unlock(&func_lock);
}

uint32_t
doca_funcs_count(void)
{
	return __atomic_load_n(&nb_funcs, __ATOMIC_ACQUIRE);
}

struct doca_compat_func *
doca_funcs_get(uint32_t i)
{
	return funcs[i];
}

/*
 * Functions
 */

static struct doca_compat_func *
func_find(const char *pci_addr)
{
	uint32_t i;

	for (i = 0; i < nb_funcs; i++)
		if (strcmp(funcs[i]->pci_addr, pci_addr) == 0)
			return funcs[i];
	return NULL;
}

/* A function of this address, new if there is none. */
static struct doca_compat_func *
func_make(const char *pci_addr)
{
	struct doca_compat_func *func = func_find(pci_addr);

	if (func != NULL || nb_funcs == DOCA_MAX_FUNCS)
		return func;
	func = calloc(1, sizeof(*func));
	if (func == NULL)
		return NULL;
	func->info.func = func;
	func->dev.func = func;
	func->dpu_dev = -1;
	func->index = nb_funcs;
	STAILQ_INIT(&func->reps);
	snprintf(func->pci_addr, sizeof(func->pci_addr), "%s", pci_addr);
	funcs[nb_funcs] = func;
	__atomic_store_n(&nb_funcs, nb_funcs + 1, __ATOMIC_RELEASE);
	return func;
}

/* Its interface: p0 and p1 are ports of the card. */
static void
func_name_iface(struct doca_compat_func *func)
{
	if (func->iface[0] != '\0')
		return;
	if (func->card)
		snprintf(func->iface, sizeof(func->iface), "p%u", nb_cards++);
	else
		snprintf(func->iface, sizeof(func->iface), "%s", func->name.text);
}

static struct doca_devinfo_rep *
rep_find(const struct doca_compat_func *func, const char *name)
{
	struct doca_devinfo_rep *rep;

	STAILQ_FOREACH(rep, &func->reps, next)
		if (strcmp(rep->name.text, name) == 0)
			return rep;
	return NULL;
}

static struct doca_devinfo_rep *
rep_make(struct doca_compat_func *func, const struct doca_func_name *name,
		const char *pci_addr, const char *vuid)
{
	struct doca_devinfo_rep *rep = calloc(1, sizeof(*rep));

	if (rep == NULL)
		return NULL;
	rep->rep.info = rep;
	rep->func = func;
	rep->name = *name;
	rep->dev_id = -1;
	rep->index = func->nb_reps++;
	snprintf(rep->pci_addr, sizeof(rep->pci_addr), "%s", pci_addr);
	snprintf(rep->vuid, sizeof(rep->vuid), "%s", vuid);
	STAILQ_INSERT_TAIL(&func->reps, rep, next);
	return rep;
}

/* The address of a function on the host, as DOCA_COMPAT_HOST_BUS has it. */
static void
host_address(const struct doca_env *env, const struct doca_func_name *name,
		char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	unsigned int domain = 0, bus = 0, devfn = name->pf;

	/* it was checked */
	if (sscanf(env->host_bus, "%4x:%2x", &domain, &bus) != 2)
		bus = 0;
	if (name->type == DOCA_PCI_FUNC_TYPE_VF)
		devfn = 2 + name->pf * FUNC_MAX_VFS + name->number;
	else if (name->type == DOCA_PCI_FUNC_TYPE_SF)
		devfn = 256 + name->pf * FUNC_MAX_SFS + name->number;
	bus += devfn / 256;
	snprintf(pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE, "%04x:%02x:%02x.%x", domain & 0xffff,
			bus & 0xff, devfn / 8 % 32, devfn % 8);
}

/*
 * Emulated functions
 */

static doca_error_t
emulated_wrong(const struct doca_env *env, const char *what, const char *why)
{
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
			"DOCA_COMPAT_DEVICES=%s: %s %s; correct it", env->devices, what, why);
	return DOCA_ERROR_INITIALIZATION;
}

static doca_error_t
emulated_card(const struct doca_env *env, const char *pci_addr,
		const struct doca_func_name *name, bool first)
{
	char address[DOCA_DEVINFO_PCI_ADDR_SIZE], vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	struct doca_compat_func *func = func_find(pci_addr);
	uint32_t i;

	if (first && func != NULL)
		return emulated_wrong(env, pci_addr, "is there twice");
	for (i = 0; i < nb_funcs; i++)
		if (rep_find(funcs[i], name->text) != NULL)
			return emulated_wrong(env, name->text, "is there twice");
	func = func_make(pci_addr);
	if (func == NULL)
		return emulated_wrong(env, pci_addr, "is one too many, or there is no memory for it");
	func->emulated = true;
	func->card = env->side != DOCA_ENV_SIDE_HOST;
	if (first) {
		func->host = env->side != DOCA_ENV_SIDE_CARD;
		func->name = *name;
	}
	func_name_iface(func);
	host_address(env, name, address);
	snprintf(vuid, sizeof(vuid), "comch-emulated-%s-%s", address, name->text);
	return rep_make(func, name, address, vuid) == NULL ? DOCA_ERROR_NO_MEMORY : DOCA_SUCCESS;
}

/* The host has each function at an address of its own, too. */
static doca_error_t
emulated_host(const struct doca_env *env, const struct doca_func_name *name)
{
	char address[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_compat_func *func;

	host_address(env, name, address);
	func = func_find(address);
	if (func != NULL && strcmp(func->name.text, name->text) == 0)
		return DOCA_SUCCESS;
	if (func != NULL)
		return emulated_wrong(env, address, "is the address of a function of the host, too "
				"(DOCA_COMPAT_HOST_BUS)");
	func = func_make(address);
	if (func == NULL)
		return emulated_wrong(env, address, "is one too many, or there is no memory for it");
	func->emulated = true;
	func->host = true;
	func->name = *name;
	func_name_iface(func);
	return DOCA_SUCCESS;
}

struct emulated_walk {
	const struct doca_env *env;
	bool cards; /* else functions of the host */
};

static doca_error_t
emulated_each(const char *pci_addr, const char *function, bool first, void *arg)
{
	const struct emulated_walk *walk = arg;
	struct doca_func_name name;

	if (!doca_func_name_parse(function, &name))
		return DOCA_ERROR_INVALID_VALUE;
	return walk->cards ? emulated_card(walk->env, pci_addr, &name, first) :
			emulated_host(walk->env, &name);
}

static doca_error_t
emulated_init(const struct doca_env *env)
{
	struct emulated_walk walk = {env, true};
	doca_error_t result = doca_env_devices(env, emulated_each, &walk);

	walk.cards = false;
	if (env->side != DOCA_ENV_SIDE_CARD)
		DOCA_ERROR_PROPAGATE(result, doca_env_devices(env, emulated_each, &walk));
	return result;
}

/* Forget the functions from this one on, which nobody has seen yet. */
static void
funcs_drop(uint32_t first)
{
	struct doca_devinfo_rep *rep;

	while (nb_funcs > first) {
		struct doca_compat_func *func = funcs[--nb_funcs];

		while ((rep = STAILQ_FIRST(&func->reps)) != NULL) {
			STAILQ_REMOVE_HEAD(&func->reps, next);
			free(rep);
		}
		free(func);
	}
	nb_cards = 0;
}

/*
 * Devices that EAL has
 */

static bool
eal_dev_known(int16_t dev_id)
{
	uint32_t i;
	unsigned int n;

	for (i = 0; i < nb_funcs; i++) {
		if (funcs[i]->dpu_dev == dev_id)
			return true;
		for (n = 0; n < funcs[i]->nb_host_devs; n++)
			if (funcs[i]->host_devs[n] == dev_id)
				return true;
	}
	return false;
}

/*
 * The address of a device. One that is on no bus, but behind a socket, has that of its
 * function on the host, or the first on the card's bus that is free.
 */
static bool
eal_dev_address(const struct rte_comch_dev_info *info, char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE])
{
	struct doca_func_name name;
	unsigned int i;

	if (info->pci_addr[0] != '\0')
		return doca_pci_addr_parse(info->pci_addr, pci_addr);
	if (info->role == RTE_COMCH_ROLE_HOST) {
		if (!doca_func_name_parse(info->function, &name))
			return false;
		host_address(doca_env_get(), &name, pci_addr);
		return true;
	}
	for (i = 0; i < FUNC_CARD_DEVFNS; i++) {
		snprintf(pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE, FUNC_CARD_BUS ":%02x.%x", i / 8,
				i % 8);
		if (func_find(pci_addr) == NULL)
			return true;
	}
	return false;
}

static doca_error_t
eal_dev_add(int16_t dev_id, const struct rte_comch_dev_info *info)
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_compat_func *func;

	if (!eal_dev_address(info, pci_addr)) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"%s is left out: its PCI address '%s' is not of the form 0000:03:00.0",
				info->name, info->pci_addr);
		return DOCA_SUCCESS;
	}
	func = func_find(pci_addr);
	if (func != NULL && func->emulated) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"%s is left out: its PCI address %s is that of an emulated function; "
				"change DOCA_COMPAT_DEVICES", info->name, pci_addr);
		return DOCA_SUCCESS;
	}
	func = func_make(pci_addr);
	if (func == NULL)
		return DOCA_ERROR_NO_MEMORY;
	if (info->role == RTE_COMCH_ROLE_DPU) {
		if (func->dpu_dev < 0)
			func->dpu_dev = dev_id;
		func->card = true;
	} else if (func->nb_host_devs < RTE_COMCH_MAX_DEVS) {
		func->host_devs[func->nb_host_devs++] = dev_id;
		func->host = true;
		if (!doca_func_name_parse(info->function, &func->name))
			snprintf(func->name.text, sizeof(func->name.text), "%s", info->function);
	}
	func_name_iface(func);
	return DOCA_SUCCESS;
}

/* Under the lock. */
static doca_error_t
eal_devs_add(void)
{
	doca_error_t result = DOCA_SUCCESS;
	struct rte_comch_dev_info info;
	int16_t dev_id;

	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (eal_dev_known(dev_id) || rte_comch_dev_info_get(dev_id, &info) != 0 ||
				strncmp(info.name, FUNC_VDEV, strlen(FUNC_VDEV)) == 0)
			continue;
		DOCA_ERROR_PROPAGATE(result, eal_dev_add(dev_id, &info));
	}
	return result;
}

doca_error_t
doca_funcs_refresh(void)
{
	doca_error_t result;

	doca_func_lock();
	result = eal_devs_add();
	doca_func_unlock();
	return result;
}

doca_error_t
doca_funcs_init(const struct doca_env *env)
{
	doca_error_t result;

	doca_func_lock();
	result = eal_devs_add();
	if (result == DOCA_SUCCESS && nb_funcs == 0 && env->eal_allows)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"no driver of comch has taken a function of DOCA_COMPAT_EAL_ARGS=%s: write "
				",class=comch behind its address; emulated ones are there instead",
				env->eal_args);
	/* real devices stand alone, unless the environment asks for emulated ones */
	if (result == DOCA_SUCCESS && (nb_funcs == 0 || env->devices_set))
		result = emulated_init(env);
	if (result != DOCA_SUCCESS)
		funcs_drop(0);
	doca_func_unlock();
	return result;
}

static doca_error_t
eal_rep_add(struct doca_compat_func *func, const struct rte_comch_rep_info *info)
{
	struct doca_devinfo_rep *rep = rep_find(func, info->name);
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_func_name name;

	memset(&name, 0, sizeof(name));
	snprintf(name.text, sizeof(name.text), "%s", info->name);
	name.type = info->type == RTE_COMCH_FUNC_VF ? DOCA_PCI_FUNC_TYPE_VF :
			info->type == RTE_COMCH_FUNC_SF ? DOCA_PCI_FUNC_TYPE_SF :
			DOCA_PCI_FUNC_TYPE_PF;
	name.pf = info->pf;
	name.number = info->number;
	/* the card's side does not know where the host has its functions */
	if (info->pci_addr[0] == '\0')
		host_address(doca_env_get(), &name, pci_addr);
	else if (!doca_pci_addr_parse(info->pci_addr, pci_addr))
		return DOCA_SUCCESS;
	if (rep == NULL)
		rep = rep_make(func, &name, pci_addr, info->vuid);
	if (rep == NULL)
		return DOCA_ERROR_NO_MEMORY;
	rep->dev_id = func->dpu_dev;
	rep->rep_id = info->rep_id;
	return DOCA_SUCCESS;
}

doca_error_t
doca_func_reps_refresh(struct doca_compat_func *func)
{
	struct rte_comch_rep_info *reps;
	doca_error_t result = DOCA_SUCCESS;
	int nb, i;

	if (func->emulated || func->dpu_dev < 0)
		return DOCA_SUCCESS;
	nb = rte_comch_rep_list(func->dpu_dev, NULL, 0);
	if (nb < 0)
		return doca_compat_result(nb);
	reps = calloc(nb + 1, sizeof(*reps));
	if (reps == NULL)
		return DOCA_ERROR_NO_MEMORY;
	nb = RTE_MIN(nb, rte_comch_rep_list(func->dpu_dev, reps, nb));
	doca_func_lock();
	for (i = 0; i < nb; i++)
		DOCA_ERROR_PROPAGATE(result, eal_rep_add(func, &reps[i]));
	doca_func_unlock();
	free(reps);
	return nb < 0 ? doca_compat_result(nb) : result;
}

/*
 * Devices of rte_comch
 */

/* Probe an emulated device; its identifier or a negative errno. Under the lock. */
static int
emulated_probe(const char *name, const char *role, const char *key, const char *function)
{
	const struct doca_env *env = doca_env_get();
	char args[FUNC_ARGS_SIZE];
	int length, ret;

	length = snprintf(args, sizeof(args), "role=%s,%s=%s,pci_bus=%s%s%s", role, key, function,
			env->host_bus, env->path == NULL ? "" : ",path=",
			env->path == NULL ? "" : env->path);
	if (env->uids != NULL && strcmp(role, "dpu") == 0 && length < (int)sizeof(args))
		length += snprintf(args + length, sizeof(args) - length, ",uids=%s", env->uids);
	if (length >= (int)sizeof(args))
		return -ENAMETOOLONG;
	ret = rte_vdev_init(name, args);
	if (ret != 0)
		return ret < 0 ? ret : -ENODEV;
	return rte_comch_dev_get_id_by_name(name);
}

doca_error_t
doca_compat_func_limits(struct doca_compat_func *func, struct rte_comch_dev_info *info)
{
	static const char name[] = FUNC_VDEV "limits";
	int ret = 0;

	if (!func->emulated) {
		int16_t dev_id = func->dpu_dev >= 0 ? func->dpu_dev : func->host_devs[0];

		ret = rte_comch_dev_info_get(dev_id, info);
		if (ret == 0 && func->dpu_dev >= 0 && func->nb_host_devs > 0)
			info->capa |= RTE_COMCH_CAPA_CLIENT;
		/* a device that is on no bus has one here alone */
		if (ret == 0)
			snprintf(info->pci_addr, sizeof(info->pci_addr), "%s", func->pci_addr);
		return doca_compat_result(ret);
	}
	doca_func_lock();
	if (!emulated_limits_known) {
		ret = emulated_probe(name, "host", "function", FUNC_LIMITS);
		if (ret >= 0) {
			ret = rte_comch_dev_info_get(ret, &emulated_limits);
			rte_vdev_uninit(name);
			emulated_limits_known = ret == 0;
		}
	}
	*info = emulated_limits;
	doca_func_unlock();
	info->capa &= ~(RTE_COMCH_CAPA_SERVER | RTE_COMCH_CAPA_CLIENT);
	info->capa |= (func->card ? RTE_COMCH_CAPA_SERVER : 0) |
			(func->host ? RTE_COMCH_CAPA_CLIENT : 0);
	snprintf(info->function, sizeof(info->function), "%s", func->name.text);
	snprintf(info->pci_addr, sizeof(info->pci_addr), "%s", func->pci_addr);
	info->role = func->host ? RTE_COMCH_ROLE_HOST : RTE_COMCH_ROLE_DPU;
	info->nb_reps = func->nb_reps;
	info->vuid[0] = '\0';
	return doca_compat_result(ret < 0 ? ret : 0);
}

/* One more device of an emulated function. Under the lock. */
static doca_error_t
host_dev_probe(struct doca_compat_func *func)
{
	char name[RTE_DEV_NAME_MAX_LEN];
	int ret;

	snprintf(name, sizeof(name), FUNC_VDEV "%s_%s_%u", func->pci_addr, func->name.text,
			func->nb_host_devs);
	ret = func->nb_host_devs == RTE_COMCH_MAX_DEVS ? -ENOSPC :
			emulated_probe(name, "host", "function",
				func->host ? func->name.text : FUNC_LIMITS);
	if (ret < 0) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
				"device %s: no link %u to function %s: %s", func->pci_addr,
				func->nb_host_devs, func->name.text, strerror(-ret));
		return doca_compat_result(ret);
	}
	func->host_devs[func->nb_host_devs++] = ret;
	return DOCA_SUCCESS;
}

doca_error_t
doca_compat_func_host_dev(struct doca_compat_func *func, unsigned int nth, int16_t *dev_id)
{
	doca_error_t result = DOCA_SUCCESS;

	if (!func->host) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"device %s has no clients, only servers: give the client a device of the host",
				func->pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	doca_func_lock();
	if (nth >= func->nb_host_devs) {
		if (func->emulated && nth == func->nb_host_devs)
			result = host_dev_probe(func);
		else
			result = DOCA_ERROR_NO_MEMORY;
	}
	if (result == DOCA_SUCCESS)
		*dev_id = func->host_devs[nth];
	doca_func_unlock();
	if (result == DOCA_ERROR_NO_MEMORY && !func->emulated)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"device %s takes no more progress engines: use fewer, or give EAL "
				"a further device of this function", func->pci_addr);
	return result;
}

doca_error_t
doca_compat_func_dpa_dev(struct doca_compat_func *func, int16_t *dev_id)
{
	doca_error_t result = DOCA_SUCCESS;

	doca_func_lock();
	if (func->dpu_dev >= 0) {
		*dev_id = func->dpu_dev;
	} else {
		if (func->nb_host_devs == 0)
			result = host_dev_probe(func);
		if (result == DOCA_SUCCESS)
			*dev_id = func->host_devs[0];
	}
	doca_func_unlock();
	return result;
}

/* Under the lock. */
static doca_error_t
rep_probe(struct doca_devinfo_rep *rep)
{
	char name[RTE_DEV_NAME_MAX_LEN];
	doca_error_t result;
	int ret;

	snprintf(name, sizeof(name), FUNC_VDEV "card_%s", rep->name.text);
	ret = emulated_probe(name, "dpu", "functions", rep->name.text);
	if (ret >= 0) {
		rep->dev_id = ret;
		rep->rep_id = 0;
		return DOCA_SUCCESS;
	}
	result = doca_compat_result(ret);
	DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_ERROR, DOCA_DEV_SOURCE,
			"representor %s (%s) of device %s: %s", rep->pci_addr, rep->name.text,
			rep->func->pci_addr, result == DOCA_ERROR_IN_USE ?
			"another process serves this function: end it, or take another representor, "
			"or another DOCA_COMPAT_PATH for both sides" : strerror(-ret));
	return result;
}

doca_error_t
doca_compat_rep_dpu_dev(const struct doca_dev_rep *rep, int16_t *dev_id, uint16_t *rep_id)
{
	struct doca_devinfo_rep *info = rep->info;
	doca_error_t result = DOCA_SUCCESS;

	doca_func_lock();
	if (info->dev_id < 0)
		result = rep_probe(info);
	if (result == DOCA_SUCCESS) {
		*dev_id = info->dev_id;
		*rep_id = info->rep_id;
	}
	doca_func_unlock();
	return result;
}
