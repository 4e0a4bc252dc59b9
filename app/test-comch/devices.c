/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Listings of devices, their representors, limits and counters. */

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_string_fns.h>

#include "app.h"
#include "devices.h"
#include "queues.h"

static const char *
role_name(enum rte_comch_role role)
{
	return role == RTE_COMCH_ROLE_DPU ? "dpu" : "host";
}

int
device_find(const char *name)
{
	char *end;
	long id;

	if (isdigit((unsigned char)name[0])) {
		id = strtol(name, &end, 10);
		if (*end == '\0')
			return id < RTE_COMCH_MAX_DEVS && rte_comch_dev_next((int16_t)id) == id ?
					(int)id : -1;
	}
	return rte_comch_dev_get_id_by_name(name);
}

int16_t
app_dev_select(const struct options *opt, enum rte_comch_role role)
{
	struct rte_comch_dev_info info;
	int16_t dev_id, found = -1;
	unsigned int i;
	int id;

	for (i = 0; i < RTE_DIM(opt->dev) && opt->dev[i][0] != '\0'; i++) {
		id = device_find(opt->dev[i]);
		if (id < 0 || rte_comch_dev_info_get((int16_t)id, &info) != 0) {
			fprintf(stderr, "dev: there is no device '%s'; see --list-dev\n",
					opt->dev[i]);
			return -1;
		}
		if (info.role == role)
			return (int16_t)id;
		if (opt->role != ROLE_LOOPBACK) {
			fprintf(stderr, "dev: %s has the role %s, but --%s needs one of the role "
					"%s; name another\n", info.name, role_name(info.role),
					opt->role == ROLE_SERVER ? "server" : "client",
					role_name(role));
			return -1;
		}
	}
	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (found < 0 && rte_comch_dev_info_get(dev_id, &info) == 0 && info.role == role)
			found = dev_id;
	}
	if (found < 0)
		fprintf(stderr, "there is no device of the role %s; give EAL one, as "
				"--vdev comch_shm0,role=%s,%s\n", role_name(role),
				role_name(role), role == RTE_COMCH_ROLE_DPU ?
				"functions=pf0vf[0-3]" : "function=pf0vf3");
	return found;
}

void
device_line_print(int16_t dev_id, FILE *f)
{
	struct rte_comch_dev_info info;

	if (rte_comch_dev_info_get(dev_id, &info) != 0)
		return;
	fprintf(f, "%d: %s, driver %s, role %s, function %s, PCI %s, NUMA node %d, ",
			dev_id, info.name, info.driver, role_name(info.role),
			info.function[0] != '\0' ? info.function : "-",
			info.pci_addr[0] != '\0' ? info.pci_addr : "-", info.numa_node);
	if (info.status != 0)
		fprintf(f, "failed: %s\n", rte_comch_reason_str(info.status));
	else
		fprintf(f, "link %s (%u)\n", info.link_up ? "up" : "down", info.nb_links);
}

void
devices_print(FILE *f)
{
	struct rte_comch_rep_info *reps;
	int16_t dev_id;
	int nb, i;

	if (rte_comch_dev_count_avail() == 0)
		fprintf(f, "no devices\n");
	RTE_COMCH_FOREACH_DEV(dev_id) {
		device_line_print(dev_id, f);
		nb = rte_comch_rep_list(dev_id, NULL, 0);
		if (nb <= 0)
			continue;
		reps = calloc((size_t)nb, sizeof(*reps));
		if (reps == NULL)
			return;
		nb = RTE_MIN(nb, rte_comch_rep_list(dev_id, reps, (uint16_t)nb));
		for (i = 0; i < nb; i++)
			fprintf(f, "    representor %u: %s, PCI %s, %u host processes attached\n",
					reps[i].rep_id, reps[i].name,
					reps[i].pci_addr[0] != '\0' ? reps[i].pci_addr : "-",
					reps[i].nb_links);
		free(reps);
	}
}

/* Those of its offload processors, or why it has none. */
static void
dpa_caps_print(int16_t dev_id, FILE *f)
{
	struct rte_comch_dpa_info info;

	if (rte_comch_dpa_info_get(dev_id, &info) != 0) {
		fprintf(f, "    no offload processor:  %s\n", info.reason);
		return;
	}
	fprintf(f, "    dpa nb_eus             %u\n", info.nb_eus);
	fprintf(f, "    dpa max_threads        %u\n", info.max_threads);
	fprintf(f, "    dpa max_msgqs          %u\n", info.max_msgqs);
	fprintf(f, "    dpa max_consumers      %u\n", info.max_consumers);
	fprintf(f, "    dpa max_producers      %u\n", info.max_producers);
	fprintf(f, "    dpa max_recv           %u\n", info.max_recv);
	fprintf(f, "    dpa max_send           %u\n", info.max_send);
	fprintf(f, "    dpa max_depth          %u\n", info.max_depth);
	fprintf(f, "    dpa max_imm_len        %u B\n", info.max_imm_len);
	fprintf(f, "    dpa max_windows        %u\n", info.max_windows);
	fprintf(f, "    dpa max_mem_size       %" PRIu64 " B\n", info.max_mem_size);
}

void
device_caps_print(int16_t dev_id, FILE *f)
{
	static const struct {
		uint64_t flag;
		const char *name;
	} capas[] = {
		{ RTE_COMCH_CAPA_SERVER, "server" },
		{ RTE_COMCH_CAPA_CLIENT, "client" },
		{ RTE_COMCH_CAPA_CONSUMER, "consumer" },
		{ RTE_COMCH_CAPA_PRODUCER, "producer" },
		{ RTE_COMCH_CAPA_EVENT, "event" },
		{ RTE_COMCH_CAPA_PEER_ID, "peer-id" },
		{ RTE_COMCH_CAPA_MEM_DIRECT, "mem-direct" },
		{ RTE_COMCH_CAPA_MEM_BOUNCE, "mem-bounce" },
		{ RTE_COMCH_CAPA_POST_SIZES, "post-sizes" },
		{ RTE_COMCH_CAPA_DPA, "dpa" },
	};
	struct rte_comch_dev_info info;
	unsigned int i;

	if (rte_comch_dev_info_get(dev_id, &info) != 0)
		return;
	device_line_print(dev_id, f);
	fprintf(f, "    capabilities          ");
	for (i = 0; i < RTE_DIM(capas); i++) {
		if ((info.capa & capas[i].flag) != 0)
			fprintf(f, " %s", capas[i].name);
	}
	fprintf(f, "\n    representors           %u\n", info.nb_reps);
	fprintf(f, "    max_name_len           %u B\n", info.max_name_len);
	fprintf(f, "    max_msg_size           %u B (default %u)\n", info.max_msg_size,
			info.dflt_msg_size);
	fprintf(f, "    max_recv_queue_size    %u (default %u)\n", info.max_recv_queue_size,
			info.dflt_recv_queue_size);
	fprintf(f, "    max_ctrl_tasks         %u\n", info.max_ctrl_tasks);
	fprintf(f, "    max_clients            %u\n", info.max_clients);
	fprintf(f, "    max_consumers          %u\n", info.max_consumers);
	fprintf(f, "    max_producers          %u\n", info.max_producers);
	fprintf(f, "    max_posts              %u\n", info.max_posts);
	fprintf(f, "    max_sends              %u\n", info.max_sends);
	fprintf(f, "    max_imm_len            %u B\n", info.max_imm_len);
	fprintf(f, "    max_buf_size           %" PRIu64 " B\n", info.max_buf_size);
	fprintf(f, "    max_recv_bytes         %" PRIu64 " B\n", info.max_recv_bytes);
	fprintf(f, "    max_pes                %u\n", info.max_pes);
	fprintf(f, "    max_peer_mems          %u\n", info.max_peer_mems);
	dpa_caps_print(dev_id, f);
}

void
device_stats_print(int16_t dev_id, FILE *f)
{
	static const char *const names[] = { "tx_msgs", "tx_bytes", "rx_msgs", "rx_bytes",
		"connects", "refused", "disconnects", "peer_lost", "timeouts", "violations",
		"links", "links_refused", "wakeups", "retained" };
	static struct {
		uint64_t time;
		uint64_t value[RTE_DIM(names)];
	} last[RTE_COMCH_MAX_DEVS];
	struct rte_comch_dev_stats stats;
	struct queues_count count;
	uint64_t value[RTE_DIM(names)], now = rte_rdtsc();
	uint64_t *before = last[dev_id].value;
	double seconds = (double)(now - last[dev_id].time) / (double)rte_get_tsc_hz();
	unsigned int i;

	if (rte_comch_dev_stats_get(dev_id, &stats) != 0)
		return;
	queues_count_get(dev_id, &count);
	memcpy(value, &count, sizeof(count));
	memcpy(value + sizeof(count) / sizeof(value[0]), &stats, sizeof(value) - sizeof(count));
	device_line_print(dev_id, f);
	fprintf(f, "    %-22s %20s %16s\n", "", "", "/s since last");
	for (i = 0; i < RTE_DIM(names); i++) {
		fprintf(f, "    %-22s %20" PRIu64, names[i], value[i]);
		/* Cleared since then: it began with 0. */
		if (last[dev_id].time != 0)
			fprintf(f, " %16.1f", (double)(value[i] - (value[i] < before[i] ? 0 :
					before[i])) / seconds);
		fprintf(f, "\n");
	}
	memcpy(before, value, sizeof(value));
	last[dev_id].time = now;
}

void
conns_head_print(FILE *f)
{
	fprintf(f, "%4s %-8s %7s %5s %10s %11s %10s %11s %6s\n", "id", "function", "pid", "uid",
			"tx msgs", "bytes", "rx msgs", "bytes", "flight");
}

void
conn_print(const struct rte_comch_conn *conn, FILE *f)
{
	struct rte_comch_conn_stats stats;
	struct rte_comch_conn_info info;
	char flight[32], uid[16] = "-";

	if (conn == NULL || rte_comch_conn_info_get(conn, &info) != 0 ||
			rte_comch_conn_stats_get(conn, &stats) != 0)
		return;
	snprintf(flight, sizeof(flight), "%u/%u", stats.tx_in_flight, stats.rx_in_flight);
	if (info.peer_uid != UINT32_MAX)
		snprintf(uid, sizeof(uid), "%u", info.peer_uid);
	fprintf(f, "%4u %-8s %7u %5s %10" PRIu64 " %11" PRIu64 " %10" PRIu64 " %11" PRIu64
			" %6s\n", info.id, info.function, info.peer_pid, uid, stats.tx_msgs,
			stats.tx_bytes, stats.rx_msgs, stats.rx_bytes, flight);
}
