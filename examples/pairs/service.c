/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The connection is progressed by a service core: one of EAL's option -s, or the last lcore. */

#include <errno.h>

#include <rte_launch.h>
#include <rte_lcore.h>
#include <rte_service.h>
#include <rte_service_component.h>

#include "pairs.h"

/* The connection as a service. 8< */
static int32_t
connection_progress(void *peer)
{
	return rte_comch_peer_progress(peer) > 0 ? 0 : -EAGAIN; /* -EAGAIN: it was idle */
}

static int
service_add(struct rte_comch_peer *peer, uint32_t *id)
{
	const struct rte_service_spec spec = {
		.name = "comch_connection",
		.callback = connection_progress,
		.callback_userdata = peer,
	};
	int ret = rte_service_component_register(&spec, id);

	if (ret == 0)
		ret = rte_service_component_runstate_set(*id, 1);
	return ret == 0 ? rte_service_runstate_set(*id, 1) : ret;
}
/* >8 End of the connection as a service. */

/* Gives it a service core. */
static int
service_core_start(uint32_t id)
{
	uint32_t lcore;
	int ret = 0;

	if (rte_service_lcore_list(&lcore, 1) != 1) {
		lcore = rte_get_next_lcore(rte_get_main_lcore(), 1, 1);
		if (lcore == RTE_MAX_LCORE)
			return -ENOSPC;
		ret = rte_service_lcore_add(lcore);
	}
	if (ret == 0)
		ret = rte_service_map_lcore_set(id, lcore, 1);
	if (ret == 0)
		ret = rte_service_lcore_start(lcore);
	return ret == -EALREADY ? 0 : ret;
}

int
service_run(struct app *app)
{
	const struct stage s = stage_of(app, 0);
	uint32_t id;
	int ret = service_add(app->peer, &id);

	if (ret != 0)
		return ret;
	ret = service_core_start(id);
	while (ret == 0 && !stopped)
		stage_turn(&s);
	/* the peer is this thread's again when the service does not run any more */
	rte_service_runstate_set(id, 0);
	while (rte_service_may_be_active(id) == 1)
		;
	return ret;
}
