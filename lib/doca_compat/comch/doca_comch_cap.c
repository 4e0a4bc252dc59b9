/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What servers and clients can have on a device. Reads only.
 */

#include <stddef.h>

#include <doca_comch_ctrl_private.h>

static doca_error_t
cap_has(const struct doca_devinfo *devinfo, uint64_t capa, const char *lacks)
{
	struct rte_comch_dev_info info;
	doca_error_t result = doca_compat_devinfo_limits(devinfo, capa, &info);

	if (result == DOCA_ERROR_NOT_SUPPORTED)
		doca_compat_devinfo_lacks(devinfo, lacks);
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
	return doca_compat_devinfo_limit(devinfo, 0,
			offsetof(struct rte_comch_dev_info, max_name_len), max_name_len);
}

doca_error_t
doca_comch_cap_get_max_msg_size(const struct doca_devinfo *devinfo, uint32_t *max_msg_size)
{
	return doca_compat_devinfo_limit(devinfo, 0,
			offsetof(struct rte_comch_dev_info, max_msg_size), max_msg_size);
}

doca_error_t
doca_comch_cap_get_max_recv_queue_size(const struct doca_devinfo *devinfo,
		uint32_t *max_recv_queue_size)
{
	return doca_compat_devinfo_limit(devinfo, 0,
			offsetof(struct rte_comch_dev_info, max_recv_queue_size),
			max_recv_queue_size);
}

doca_error_t
doca_comch_cap_get_max_send_tasks(const struct doca_devinfo *devinfo, uint32_t *max_send_tasks)
{
	return doca_compat_devinfo_limit(devinfo, 0,
			offsetof(struct rte_comch_dev_info, max_ctrl_tasks), max_send_tasks);
}

doca_error_t
doca_comch_cap_get_max_clients(const struct doca_devinfo *devinfo, uint32_t *max_clients)
{
	return doca_compat_devinfo_limit(devinfo, 0,
			offsetof(struct rte_comch_dev_info, max_clients), max_clients);
}
