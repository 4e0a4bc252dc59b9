/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Devices and representors as programs see them: lists, what an entry says, open and
 * close. All entries and objects stay for good, so that a wrong handle is an error and no
 * crash. Which functions there are is in doca_func.c.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <doca_log.h>

#include "doca_func_private.h"
#include "doca_private.h"

/* Room for the addresses of a list in the log. */
#define DEV_LOG_SIZE 512

/* Room for what is no address. */
#define DEV_WRONG_SIZE 32

/*
 * What this thread has looked for in its lists, since it has made the last one: a PCI
 * address that none has, or that of a device of the other side, are the mistakes that are
 * made most often.
 */
struct dev_search {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char wrong[DEV_WRONG_SIZE]; /* no address at all */
	const char *lacks;          /* what was asked of the device that was found; or NULL */
	bool asked;
	bool found;
};

static __thread struct dev_search dev_search;
static __thread struct dev_search rep_search;

/* One line with all addresses there are. */
static void
search_end(struct dev_search *search, const char *what, const char *remedy,
		const char *(*address)(void *list, uint32_t i), void *list)
{
	char text[DEV_LOG_SIZE];
	size_t length = 0;
	const char *one;
	uint32_t i;

	text[0] = '\0';
	if (search->wrong[0] != '\0')
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"'%s' is no PCI address: write it as 03:00.0 or 0000:03:00.0",
				search->wrong);
	if (search->lacks != NULL)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"%s %s takes %s; DOCA_COMPAT_SIDE and DOCA_COMPAT_DEVICES say which there are",
				what, search->pci_addr, search->lacks);
	if (search->asked && !search->found) {
		for (i = 0; (one = address(list, i)) != NULL; i++)
			if (length + strlen(one) + 2 < sizeof(text))
				length += snprintf(text + length, sizeof(text) - length, " %s",
						one);
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"no %s has the PCI address %s; there are:%s; take one of them, or set %s",
				what, search->pci_addr, text, remedy);
	}
	memset(search, 0, sizeof(*search));
}

static doca_error_t
addr_equal(struct dev_search *search, const char *own, const char *pci_addr, uint8_t *is_equal)
{
	char other[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (pci_addr == NULL || is_equal == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (!doca_pci_addr_parse(pci_addr, other)) {
		snprintf(search->wrong, sizeof(search->wrong), "%s", pci_addr);
		return DOCA_ERROR_INVALID_VALUE;
	}
	*is_equal = strcmp(own, other) == 0;
	search->asked = true;
	search->found |= *is_equal;
	strcpy(search->pci_addr, other);
	return DOCA_SUCCESS;
}

void
doca_compat_devinfo_lacks(const struct doca_devinfo *devinfo, const char *what)
{
	if (dev_search.found && strcmp(devinfo->func->pci_addr, dev_search.pci_addr) == 0)
		dev_search.lacks = what;
}

/* A text and a number of bytes that its caller must have. */
static doca_error_t
text_get(const char *text, char *out, uint32_t size, uint32_t needed)
{
	if (out == NULL || size < needed)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(out, size, "%s", text);
	return DOCA_SUCCESS;
}

/* --- Lists of devices */

static const char *
dev_address(void *list, uint32_t i)
{
	struct doca_devinfo **devs = list;

	return devs[i] == NULL ? NULL : devs[i]->func->pci_addr;
}

doca_error_t
doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	struct doca_devinfo **list;
	doca_error_t result;
	uint32_t nb, i;

	if (dev_list == NULL || nb_devs == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_start();
	DOCA_ERROR_PROPAGATE(result, doca_funcs_refresh());
	if (result != DOCA_SUCCESS)
		return result;
	nb = doca_funcs_count();
	list = calloc(nb + 1, sizeof(*list));
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	for (i = 0; i < nb; i++)
		list[i] = &doca_funcs_get(i)->info;
	memset(&dev_search, 0, sizeof(dev_search));
	*dev_list = list;
	*nb_devs = nb;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_destroy_list(struct doca_devinfo **dev_list)
{
	if (dev_list == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	search_end(&dev_search, "device", "DOCA_COMPAT_DEVICES", dev_address, dev_list);
	free(dev_list);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs)
{
	return doca_devinfo_create_list(dev_list, nb_devs);
}

doca_error_t
doca_devinfo_list_destroy(struct doca_devinfo **dev_list)
{
	return doca_devinfo_destroy_list(dev_list);
}

/* --- What a device is */

doca_error_t
doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo, const char *pci_addr,
		uint8_t *is_equal)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return addr_equal(&dev_search, devinfo->func->pci_addr, pci_addr, is_equal);
}

doca_error_t
doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo, const char *pci_addr,
		uint8_t *is_equal)
{
	return doca_devinfo_is_equal_pci_addr(devinfo, pci_addr, is_equal);
}

doca_error_t
doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo, char *pci_addr)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return text_get(devinfo->func->pci_addr, pci_addr, DOCA_DEVINFO_PCI_ADDR_SIZE,
			DOCA_DEVINFO_PCI_ADDR_SIZE);
}

doca_error_t
doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *name, uint32_t size)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return text_get(devinfo->func->iface, name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t
doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *name, uint32_t size)
{
	char text[32];

	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(text, sizeof(text), "mlx5_%u", devinfo->func->index);
	return text_get(text, name, size, DOCA_DEVINFO_IBDEV_NAME_SIZE);
}

/* What a channel has not. */
static doca_error_t
dev_without(const struct doca_devinfo *devinfo, const void *out, uint32_t size, uint32_t needed)
{
	if (devinfo == NULL || out == NULL || size < needed)
		return DOCA_ERROR_INVALID_VALUE;
	return DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *addr, uint32_t size)
{
	return dev_without(devinfo, addr, size, DOCA_DEVINFO_IPV4_ADDR_SIZE);
}

doca_error_t
doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *addr, uint32_t size)
{
	return dev_without(devinfo, addr, size, DOCA_DEVINFO_IPV6_ADDR_SIZE);
}

doca_error_t
doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *addr, uint32_t size)
{
	return dev_without(devinfo, addr, size, DOCA_DEVINFO_MAC_ADDR_SIZE);
}

doca_error_t
doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid)
{
	return dev_without(devinfo, lid, 0, 0);
}

doca_error_t
doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo, double *active_rate)
{
	return dev_without(devinfo, active_rate, 0, 0);
}

doca_error_t
doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
		enum doca_pci_func_type *pci_func_type)
{
	if (devinfo == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo->func->name.type;
	return DOCA_SUCCESS;
}

static doca_error_t
sf_index_get(const struct doca_func_name *name, uint32_t *sf_index)
{
	if (sf_index == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (name->type != DOCA_PCI_FUNC_TYPE_SF)
		return DOCA_ERROR_NOT_SUPPORTED;
	*sf_index = name->number;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index)
{
	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return sf_index_get(&devinfo->func->name, sf_index);
}

/* --- Devices */

doca_error_t
doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev)
{
	if (devinfo == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	dev_search.lacks = NULL; /* it was no condition */
	doca_func_lock();
	devinfo->func->dev.count.opened++;
	doca_func_unlock();
	*dev = &devinfo->func->dev;
	return DOCA_SUCCESS;
}

/* Under the lock. */
static doca_error_t
count_close(struct doca_open_count *count)
{
	if (count->opened == 0)
		return DOCA_ERROR_INVALID_VALUE;
	if (count->opened == 1 && count->held > 0)
		return DOCA_ERROR_IN_USE;
	count->opened--;
	return DOCA_SUCCESS;
}

static void
close_log(doca_error_t result, const char *what, const char *pci_addr, uint32_t held)
{
	if (result == DOCA_ERROR_IN_USE)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"%s %s is not closed, %u objects use it: destroy contexts and "
				"endpoints, close representors, then devices",
				what, pci_addr, held);
	else if (result != DOCA_SUCCESS)
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"%s %s is closed more often than it was opened", what, pci_addr);
}

doca_error_t
doca_dev_close(struct doca_dev *dev)
{
	doca_error_t result;
	uint32_t held;

	if (dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_func_lock();
	result = count_close(&dev->count);
	held = dev->count.held;
	doca_func_unlock();
	close_log(result, "device", dev->func->pci_addr, held);
	return result;
}

struct doca_devinfo *
doca_dev_as_devinfo(const struct doca_dev *dev)
{
	return dev == NULL ? NULL : &dev->func->info;
}

/* --- Lists of representors */

static doca_error_t
filter_get(const struct doca_devinfo *devinfo, bool known, uint8_t *supported)
{
	if (devinfo == NULL || supported == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*supported = known && devinfo->func->card;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
		uint8_t *filter_all_supported)
{
	return filter_get(devinfo, true, filter_all_supported);
}

doca_error_t
doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
		uint8_t *filter_net_supported)
{
	return filter_get(devinfo, true, filter_net_supported);
}

doca_error_t
doca_devinfo_rep_cap_is_filter_emulated_supported(const struct doca_devinfo *devinfo,
		uint8_t *filter_emulated_supported)
{
	return filter_get(devinfo, false, filter_emulated_supported);
}

static const char *
rep_address(void *list, uint32_t i)
{
	struct doca_devinfo_rep **reps = list;

	return reps[i] == NULL ? NULL : reps[i]->pci_addr;
}

static doca_error_t
rep_list(struct doca_compat_func *func, struct doca_devinfo_rep ***dev_list_rep,
		uint32_t *nb_devs_rep)
{
	struct doca_devinfo_rep **list, *rep;
	uint32_t i = 0;

	doca_func_lock();
	list = calloc(func->nb_reps + 1, sizeof(*list));
	if (list != NULL)
		STAILQ_FOREACH(rep, &func->reps, next)
			list[i++] = rep;
	doca_func_unlock();
	if (list == NULL)
		return DOCA_ERROR_NO_MEMORY;
	*dev_list_rep = list;
	*nb_devs_rep = i;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
		struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep)
{
	doca_error_t result;

	if (dev == NULL || dev_list_rep == NULL || nb_devs_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (filter == DOCA_DEVINFO_REP_FILTER_EMULATED)
		return DOCA_ERROR_NOT_SUPPORTED;
	if (filter != DOCA_DEVINFO_REP_FILTER_ALL &&
			(filter & ~DOCA_DEVINFO_REP_FILTER_EMULATED) != DOCA_DEVINFO_REP_FILTER_NET)
		return DOCA_ERROR_INVALID_VALUE;
	if (!dev->func->card) {
		DOCA_COMPAT_LOG(DOCA_LOG_LEVEL_WARNING, DOCA_DEV_SOURCE,
				"device %s has no representors, as it is one of the host: give the server "
				"a device of the card", dev->func->pci_addr);
		return DOCA_ERROR_NOT_SUPPORTED;
	}
	memset(&rep_search, 0, sizeof(rep_search));
	result = doca_compat_start();
	DOCA_ERROR_PROPAGATE(result, doca_func_reps_refresh(dev->func));
	DOCA_ERROR_PROPAGATE(result, rep_list(dev->func, dev_list_rep, nb_devs_rep));
	return result;
}

doca_error_t
doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep)
{
	if (dev_list_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	search_end(&rep_search, "representor of this device",
			"DOCA_COMPAT_DEVICES or DOCA_COMPAT_HOST_BUS", rep_address, dev_list_rep);
	free(dev_list_rep);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
		struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep)
{
	return doca_devinfo_rep_create_list(dev, filter, dev_list_rep, nb_devs_rep);
}

doca_error_t
doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep)
{
	return doca_devinfo_rep_destroy_list(dev_list_rep);
}

/* --- What a representor is */

doca_error_t
doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
		const char *pci_addr, uint8_t *is_equal)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return addr_equal(&rep_search, devinfo_rep->pci_addr, pci_addr, is_equal);
}

doca_error_t
doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep, char *pci_addr)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return text_get(devinfo_rep->pci_addr, pci_addr, DOCA_DEVINFO_REP_PCI_ADDR_SIZE,
			DOCA_DEVINFO_REP_PCI_ADDR_SIZE);
}

doca_error_t
doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *vuid, uint32_t size)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return text_get(devinfo_rep->vuid, vuid, size, DOCA_DEVINFO_REP_VUID_SIZE);
}

/* pf0hpf is the host's physical function, the others have the name of theirs. */
doca_error_t
doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep, char *name,
		uint32_t size)
{
	char text[RTE_COMCH_FUNCTION_SIZE + 4];

	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	snprintf(text, sizeof(text), "%s%s", devinfo_rep->name.text,
			devinfo_rep->name.type == DOCA_PCI_FUNC_TYPE_PF ? "hpf" : "");
	return text_get(text, name, size, DOCA_DEVINFO_IFACE_NAME_SIZE);
}

doca_error_t
doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
		enum doca_pci_func_type *pci_func_type)
{
	if (devinfo_rep == NULL || pci_func_type == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*pci_func_type = devinfo_rep->name.type;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep, uint8_t *is_hotplug)
{
	if (devinfo_rep == NULL || is_hotplug == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*is_hotplug = 0;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *sf_index)
{
	if (devinfo_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	return sf_index_get(&devinfo_rep->name, sf_index);
}

static doca_error_t
rep_number(const struct doca_devinfo_rep *devinfo_rep, uint32_t number, uint32_t *out)
{
	if (devinfo_rep == NULL || out == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	*out = number;
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *host_index)
{
	return rep_number(devinfo_rep, 0, host_index);
}

doca_error_t
doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep, uint32_t *pf_index)
{
	return rep_number(devinfo_rep, devinfo_rep == NULL ? 0 : devinfo_rep->name.pf, pf_index);
}

/* 0 would be the card itself. */
doca_error_t
doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep, uint32_t *vhca_id)
{
	return rep_number(devinfo_rep, devinfo_rep == NULL ? 0 : devinfo_rep->index + 1, vhca_id);
}

/* --- Representors */

doca_error_t
doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep, struct doca_dev_rep **dev_rep)
{
	if (devinfo_rep == NULL || dev_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_func_lock();
	devinfo_rep->rep.count.opened++;
	devinfo_rep->func->dev.count.held++;
	doca_func_unlock();
	*dev_rep = &devinfo_rep->rep;
	return DOCA_SUCCESS;
}

doca_error_t
doca_dev_rep_close(struct doca_dev_rep *dev_rep)
{
	doca_error_t result;
	uint32_t held;

	if (dev_rep == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	doca_func_lock();
	result = count_close(&dev_rep->count);
	if (result == DOCA_SUCCESS)
		dev_rep->info->func->dev.count.held--;
	held = dev_rep->count.held;
	doca_func_unlock();
	close_log(result, "representor", dev_rep->info->pci_addr, held);
	return result;
}

struct doca_devinfo_rep *
doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep)
{
	return dev_rep == NULL ? NULL : dev_rep->info;
}

/* --- For the other libraries of the layer */

void
doca_compat_dev_hold(struct doca_dev *dev, struct doca_dev_rep *rep)
{
	doca_func_lock();
	dev->count.held++;
	if (rep != NULL)
		rep->count.held++;
	doca_func_unlock();
}

void
doca_compat_dev_release(struct doca_dev *dev, struct doca_dev_rep *rep)
{
	doca_func_lock();
	dev->count.held--;
	if (rep != NULL)
		rep->count.held--;
	doca_func_unlock();
}

struct doca_compat_func *
doca_compat_dev_func(const struct doca_dev *dev)
{
	return dev->func;
}

doca_error_t
doca_compat_devinfo_limits(const struct doca_devinfo *devinfo, uint64_t capa,
		struct rte_comch_dev_info *info)
{
	doca_error_t result;

	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_func_limits(devinfo->func, info);
	if (result == DOCA_SUCCESS && (info->capa & capa) != capa)
		result = DOCA_ERROR_NOT_SUPPORTED;
	return result;
}

doca_error_t
doca_compat_devinfo_limit(const struct doca_devinfo *devinfo, uint64_t capa, size_t field,
		uint32_t *value)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_devinfo_limits(devinfo, capa, &info);
	if (result == DOCA_SUCCESS)
		memcpy(value, (const char *)&info + field, sizeof(*value));
	return result;
}

struct doca_compat_func *
doca_compat_devinfo_func(const struct doca_devinfo *devinfo)
{
	return devinfo->func;
}

const char *
doca_compat_dev_name(const struct doca_dev *dev)
{
	return dev->func->pci_addr;
}

const char *
doca_compat_rep_name(const struct doca_dev_rep *rep)
{
	return rep->info->pci_addr;
}
