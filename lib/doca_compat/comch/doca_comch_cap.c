/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What servers and clients can have on a device. Reads only.
 */

#include <stddef.h>
#include <string.h>

#include <doca_comch_ctrl_private.h>

static doca_error_t
cap_has(const struct doca_devinfo *devinfo, uint64_t capa, const char *lacks)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (devinfo == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_func_limits(doca_compat_devinfo_func(devinfo), &info);
	if (result != DOCA_SUCCESS)
		return result;
	if ((info.capa & capa) != 0)
		return DOCA_SUCCESS;
	doca_compat_devinfo_lacks(devinfo, lacks);
	return DOCA_ERROR_NOT_SUPPORTED;
}

/* A field of the limits, all of which are of this type. */
static doca_error_t
cap_get(const struct doca_devinfo *devinfo, size_t field, uint32_t *value)
{
	struct rte_comch_dev_info info;
	doca_error_t result;

	if (devinfo == NULL || value == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	result = doca_compat_func_limits(doca_compat_devinfo_func(devinfo), &info);
	if (result == DOCA_SUCCESS)
		memcpy(value, (const char *)&info + field, sizeof(*value));
	return result;
}

doca_error_t
doca_comch_cap_server_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_has(devinfo, RTE_COMCH_CAPA_SERVER,
			"no servers: take a device of the card");
}

doca_error_t
doca_comch_cap_client_is_supported(const struct doca_devinfo *devinfo)
{
	return cap_has(devinfo, RTE_COMCH_CAPA_CLIENT,
			"no clients: take a device of the host");
}

doca_error_t
doca_comch_cap_get_max_name_len(const struct doca_devinfo *devinfo, uint32_t *max_name_len)
{
	return cap_get(devinfo, offsetof(struct rte_comch_dev_info, max_name_len), max_name_len);
}

doca_error_t
doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *max_msg_size)
{
	return cap_get(devinfo, offsetof(struct rte_comch_dev_info, max_msg_size), max_msg_size);
}

doca_error_t
doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size)
{
	return cap_get(devinfo, offsetof(struct rte_comch_dev_info, max_recv_queue_size),
			max_recv_queue_size);
}

doca_error_t
doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	return cap_get(devinfo, offsetof(struct rte_comch_dev_info, max_ctrl_tasks),
			max_send_tasks);
}

doca_error_t
doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *max_clients)
{
	return cap_get(devinfo, offsetof(struct rte_comch_dev_info, max_clients), max_clients);
}
