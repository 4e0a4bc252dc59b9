/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Telemetry of the library: /comch/list, info, stats, totals, pes, users, connections, queues,
 * and what there is of offload processors and message queues. It reads, in the telemetry thread,
 * what other threads change: lists under the device's lock, counters as they are.
 */

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_cycles.h>
#include <rte_telemetry.h>

#include "comch_dpa.h"
#include "comch_private.h"
#include "dpdk_release.h"

/* Of a list in one reply: what surely fits in telemetry's output buffer. */
#define TEL_PER_REPLY 32

/* Which part of a list is wanted, and how far it was looked through. */
struct tel_page {
	unsigned long start;
	unsigned long next; /* number of what comes next */
	unsigned int nb;
	unsigned int max;
};

/*
 * Parse "<dev>" or, if something is listed, "<dev>,<start>". Numbers are plain decimal and
 * small, which leaves no room for signs, overflows or trailing garbage.
 */
static int
tel_parse(const char *params, struct tel_page *page, struct rte_comch_dev **dev)
{
	unsigned long value;
	char *end;

	if (params == NULL || !isdigit((unsigned char)*params) || strlen(params) > 16)
		return -EINVAL;
	value = strtoul(params, &end, 10);
	if (*end == ',' && page->max != 0 && isdigit((unsigned char)end[1]))
		page->start = strtoul(end + 1, &end, 10);
	if (*end != '\0')
		return -EINVAL;
	*dev = value < RTE_COMCH_MAX_DEVS ? comch_dev_get(value) : NULL;
	return *dev == NULL ? -ENODEV : 0;
}

/*
 * The one way of a text into an answer. EAL escapes quotes, but spoils what is no ASCII, and
 * drops some. So all that is not plain is written as in URLs, with % and two digits. What
 * has no room, of size bytes with the NUL, is left out.
 */
static void
tel_add_text(struct rte_tel_data *d, const char *key, const char *text, size_t size)
{
	char plain[RTE_TEL_MAX_STRING_LEN];
	size_t n = 0, len;
	char c;

	size = RTE_MIN(size, sizeof(plain));
	for (; (c = *text) != '\0'; text++, n += len) {
		len = c >= ' ' && c <= '~' && strchr("\"\\%", c) == NULL ? 1 : 3;
		if (n + len >= size)
			break;
		snprintf(plain + n, size - n, len == 1 ? "%c" : "%%%02X", (unsigned char)c);
	}
	plain[n] = '\0';
	rte_tel_data_add_dict_string(d, key, plain);
}

static void
tel_add_string(struct rte_tel_data *d, const char *key, const char *text)
{
	tel_add_text(d, key, text, RTE_TEL_MAX_STRING_LEN);
}

static int
tel_list(const char *cmd __rte_unused, const char *params __rte_unused, struct rte_tel_data *d)
{
	int16_t dev_id;

	rte_tel_data_start_array(d, RTE_TEL_INT_VAL);
	comch_devs_lock_take();
	RTE_COMCH_FOREACH_DEV(dev_id)
		rte_tel_data_add_array_int(d, dev_id);
	comch_devs_lock_drop();
	return 0;
}

static int
tel_info(struct rte_comch_dev *dev, struct tel_page *page __rte_unused, struct rte_tel_data *d)
{
	struct rte_comch_dev_info info;

	if (rte_comch_dev_info_get(dev->data->dev_id, &info) != 0)
		return -ENODEV;
	rte_tel_data_start_dict(d);
	tel_add_string(d, "name", info.name);
	tel_add_string(d, "driver", info.driver);
	rte_tel_data_add_dict_string(d, "role",
		info.role == RTE_COMCH_ROLE_DPU ? "dpu" : "host");
	tel_add_string(d, "function", info.function);
	tel_add_string(d, "pci_addr", info.pci_addr);
	tel_add_string(d, "vuid", info.vuid);
	tel_add_string(d, "fw_version", info.fw_version);
	rte_tel_data_add_dict_int(d, "numa_node", info.numa_node);
	tel_add_string(d, "status", info.status == 0 ? "up" : strerror(-info.status));
	rte_tel_data_add_dict_string(d, "link", info.link_up ? "up" : "down");
	dpdk_tel_add_uint(d, "peer_processes", info.nb_links);
	dpdk_tel_add_uint(d, "representors", info.nb_reps);
	dpdk_tel_add_uint(d, "capabilities", info.capa);
	dpdk_tel_add_uint(d, "max_name_len", info.max_name_len);
	dpdk_tel_add_uint(d, "max_msg_size", info.max_msg_size);
	dpdk_tel_add_uint(d, "max_recv_queue_size", info.max_recv_queue_size);
	dpdk_tel_add_uint(d, "max_ctrl_tasks", info.max_ctrl_tasks);
	dpdk_tel_add_uint(d, "max_clients", info.max_clients);
	dpdk_tel_add_uint(d, "max_consumers", info.max_consumers);
	dpdk_tel_add_uint(d, "max_producers", info.max_producers);
	dpdk_tel_add_uint(d, "max_posts", info.max_posts);
	dpdk_tel_add_uint(d, "max_sends", info.max_sends);
	dpdk_tel_add_uint(d, "max_imm_len", info.max_imm_len);
	dpdk_tel_add_uint(d, "max_buf_size", info.max_buf_size);
	dpdk_tel_add_uint(d, "max_pes", info.max_pes);
	dpdk_tel_add_uint(d, "max_peer_mems", info.max_peer_mems);
	dpdk_tel_add_uint(d, "max_recv_bytes", info.max_recv_bytes);
	dpdk_tel_add_uint(d, "pes", info.nb_pes);
	return 0;
}

static int
tel_stats(struct rte_comch_dev *dev, struct tel_page *page __rte_unused, struct rte_tel_data *d)
{
	struct rte_comch_dev_stats stats;

	if (rte_comch_dev_stats_get(dev->data->dev_id, &stats) != 0)
		return -ENODEV;
	rte_tel_data_start_dict(d);
	dpdk_tel_add_uint(d, "connects", stats.connects);
	dpdk_tel_add_uint(d, "refused", stats.refused);
	dpdk_tel_add_uint(d, "disconnects", stats.disconnects);
	dpdk_tel_add_uint(d, "peer_lost", stats.peer_lost);
	dpdk_tel_add_uint(d, "timeouts", stats.timeouts);
	dpdk_tel_add_uint(d, "violations", stats.violations);
	dpdk_tel_add_uint(d, "links", stats.links);
	dpdk_tel_add_uint(d, "links_refused", stats.links_refused);
	dpdk_tel_add_uint(d, "wakeups", stats.wakeups);
	dpdk_tel_add_uint(d, "retained", stats.retained);
	return 0;
}

/* Never less than before: what is gone counts as well. */
static int
tel_totals(struct rte_comch_dev *dev, struct tel_page *page __rte_unused, struct rte_tel_data *d)
{
	struct rte_comch_totals totals;
	struct comch_conn *conn;
	struct rte_comch_ctx *ctx;

	rte_spinlock_lock(&dev->lock);
	totals = dev->past;
	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev) {
		if (ctx->kind->is_queue) {
			comch_queue_total(&totals, comch_queue(ctx));
			continue;
		}
		TAILQ_FOREACH(conn, &comch_ctrl(ctx)->conns, next)
			comch_conn_total(&totals, conn);
	}
	rte_spinlock_unlock(&dev->lock);
	rte_tel_data_start_dict(d);
	dpdk_tel_add_uint(d, "ctrl_tx_msgs", totals.conns.tx_msgs);
	dpdk_tel_add_uint(d, "ctrl_tx_bytes", totals.conns.tx_bytes);
	dpdk_tel_add_uint(d, "ctrl_rx_msgs", totals.conns.rx_msgs);
	dpdk_tel_add_uint(d, "ctrl_rx_bytes", totals.conns.rx_bytes);
	dpdk_tel_add_uint(d, "ctrl_rx_no_mbuf", totals.conns.rx_no_mbuf);
	dpdk_tel_add_uint(d, "producer_msgs", totals.producers.msgs);
	dpdk_tel_add_uint(d, "producer_bytes", totals.producers.bytes);
	dpdk_tel_add_uint(d, "producer_short_credits", totals.producers.short_credits);
	dpdk_tel_add_uint(d, "producer_short_queue", totals.producers.short_queue);
	dpdk_tel_add_uint(d, "producer_errors", totals.producers.errors);
	dpdk_tel_add_uint(d, "consumer_msgs", totals.consumers.msgs);
	dpdk_tel_add_uint(d, "consumer_bytes", totals.consumers.bytes);
	dpdk_tel_add_uint(d, "consumer_errors", totals.consumers.errors);
	return 0;
}

/* In a dictionary, because arrays of DPDK 22.11 take no dictionaries. */
static void
tel_add_dict(struct rte_tel_data *d, uint32_t nr, struct rte_tel_data *c)
{
	char name[RTE_TEL_MAX_STRING_LEN];

	snprintf(name, sizeof(name), "%u", nr);
	if (rte_tel_data_add_dict_container(d, name, c, 0) != 0)
		rte_tel_data_free(c);
}

/* For each of the list in turn: its number if it is wanted, else -1. */
static int
tel_page_next(struct tel_page *page)
{
	unsigned long nr = page->next++;

	if (nr < page->start || page->nb == page->max)
		return -1;
	page->nb++;
	return (int)nr;
}

/* What the processes of one user have of one function, and what they were refused. */
static void
tel_add_user(struct rte_tel_data *d, uint32_t nr, const struct rte_comch_pmd_user *user)
{
	struct rte_tel_data *c = rte_tel_data_alloc();
	char name[RTE_TEL_MAX_STRING_LEN];
	uint32_t i;

	if (c == NULL)
		return;
	rte_tel_data_start_dict(c);
	tel_add_string(c, "function", user->function);
	dpdk_tel_add_uint(c, "uid", user->uid);
	for (i = 0; i < user->nb_limits; i++) {
		dpdk_tel_add_uint(c, user->limits[i].name, user->limits[i].used);
		snprintf(name, sizeof(name), "%s_max", user->limits[i].name);
		dpdk_tel_add_uint(c, name, user->limits[i].max);
		snprintf(name, sizeof(name), "%s_refused", user->limits[i].name);
		dpdk_tel_add_uint(c, name, user->limits[i].refused);
	}
	tel_add_dict(d, nr, c);
}

static int
tel_users(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct rte_comch_pmd_user user;
	uint32_t i;
	int nr;

	rte_tel_data_start_dict(d);
	for (i = 0; dev->ops->user_get != NULL && dev->ops->user_get(dev, i, &user) == 0; i++) {
		nr = tel_page_next(page);
		if (nr >= 0)
			tel_add_user(d, nr, &user);
	}
	return 0;
}

/*
 * The engines that have contexts or connections of a device, or were prepared for them. All
 * of it is constant, or atomic.
 */
static void
tel_add_pe(struct rte_tel_data *d, uint32_t nr, const struct rte_comch_pe *pe)
{
	struct rte_tel_data *c = rte_tel_data_alloc();
	uint64_t total;

	if (c == NULL)
		return;
	rte_tel_data_start_dict(c);
	dpdk_tel_add_uint(c, "id", pe->id);
	dpdk_tel_add_uint(c, "max_tasks", pe->tasks.max_tasks);
	dpdk_tel_add_uint(c, "tasks_left",
		__atomic_load_n(&pe->tasks.tasks_left, __ATOMIC_RELAXED));
	dpdk_tel_add_uint(c, "waiting", rte_ring_count(pe->mailbox));
	dpdk_tel_add_uint(c, "armed", __atomic_load_n(&pe->armed, __ATOMIC_RELAXED));
	/* the clock of another processor may be behind */
	total = rte_get_tsc_cycles() - pe->created;
	dpdk_tel_add_uint(c, "busy_cycles",
		RTE_MIN(__atomic_load_n(&pe->busy_cycles, __ATOMIC_RELAXED), total));
	dpdk_tel_add_uint(c, "total_cycles", total);
	tel_add_dict(d, nr, c);
}

static int
tel_pes(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct rte_comch_pgroup *pg;
	int nr;

	rte_tel_data_start_dict(d);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(pg, &dev->pgs, next) {
		nr = tel_page_next(page);
		if (nr >= 0)
			tel_add_pe(d, nr, pg->pe);
	}
	rte_spinlock_unlock(&dev->lock);
	return 0;
}

static void
tel_add_conn(struct rte_tel_data *d, uint32_t nr, const struct comch_conn *conn)
{
	/* not by rte_comch_conn_stats_get(): the driver's part has its own thread */
	const struct rte_comch_conn_stats stats = conn->stats;
	struct rte_tel_data *c = rte_tel_data_alloc();

	if (c == NULL)
		return;
	rte_tel_data_start_dict(c);
	tel_add_string(c, "server", conn->ctrl->drv.name);
	dpdk_tel_add_uint(c, "id", conn->drv.id);
	tel_add_string(c, "function", conn->drv.peer.function);
	dpdk_tel_add_uint(c, "peer_pid", conn->drv.peer.peer_pid);
	dpdk_tel_add_uint(c, "peer_uid", conn->drv.peer.peer_uid);
	dpdk_tel_add_uint(c, "max_msg_size", conn->drv.max_msg_size);
	dpdk_tel_add_uint(c, "tx_msgs", stats.tx_msgs);
	dpdk_tel_add_uint(c, "tx_bytes", stats.tx_bytes);
	dpdk_tel_add_uint(c, "rx_msgs", stats.rx_msgs);
	dpdk_tel_add_uint(c, "rx_bytes", stats.rx_bytes);
	/* relaxed: as in rte_comch_conn_info_get(), they order nothing */
	dpdk_tel_add_uint(c, "rx_held", __atomic_load_n(&conn->recv_held, __ATOMIC_RELAXED));
	dpdk_tel_add_uint(c, "rx_no_mbuf", stats.rx_no_mbuf);
	dpdk_tel_add_uint(c, "tx_in_flight", conn->nb_in_flight);
	dpdk_tel_add_uint(c, "consumers", conn->parent.consumers.nb);
	dpdk_tel_add_uint(c, "producers", conn->parent.producers.nb);
	dpdk_tel_add_uint(c, "remote_consumers",
		__atomic_load_n(&conn->nb_remote_consumers, __ATOMIC_RELAXED));
	tel_add_dict(d, nr, c);
}

static int
tel_connections(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct comch_conn *conn;
	struct rte_comch_ctx *ctx;
	int nr;

	rte_tel_data_start_dict(d);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev) {
		if (ctx->kind->is_queue)
			continue;
		TAILQ_FOREACH(conn, &comch_ctrl(ctx)->conns, next) {
			if (conn->drv.state != RTE_COMCH_CONN_UP)
				continue;
			nr = tel_page_next(page);
			if (nr >= 0)
				tel_add_conn(d, nr, conn);
		}
	}
	rte_spinlock_unlock(&dev->lock);
	return 0;
}

static void
tel_add_queue(struct rte_tel_data *d, uint32_t nr, const struct comch_queue *queue)
{
	struct rte_tel_data *c = rte_tel_data_alloc();
	struct rte_comch_queue_stats stats;

	if (c == NULL)
		return;
	comch_queue_counters(queue, &stats);
	rte_tel_data_start_dict(c);
	rte_tel_data_add_dict_string(c, "type", queue->ctx.kind->name);
	rte_tel_data_add_dict_string(c, "state", rte_comch_state_name(queue->ctx.state));
	dpdk_tel_add_uint(c, "id", queue->drv.id);
	if (queue->drv.conn != NULL)
		dpdk_tel_add_uint(c, "connection", queue->drv.conn->id);
	else
		dpdk_tel_add_uint(c, "msgq", queue->drv.msgq->id);
	dpdk_tel_add_uint(c, "size", queue->drv.size);
	dpdk_tel_add_uint(c, "imm_len", queue->drv.imm_len);
	dpdk_tel_add_uint(c, "tag", queue->drv.tag);
	dpdk_tel_add_uint(c, "meta", queue->drv.meta);
	dpdk_tel_add_uint(c, "tasks", queue->ctx.nb_tasks);
	dpdk_tel_add_uint(c, "msgs", stats.msgs);
	dpdk_tel_add_uint(c, "bytes", stats.bytes);
	dpdk_tel_add_uint(c, "bursts", stats.bursts);
	dpdk_tel_add_uint(c, "short_credits", stats.short_credits);
	dpdk_tel_add_uint(c, "short_queue", stats.short_queue);
	dpdk_tel_add_uint(c, "errors", stats.errors);
	tel_add_dict(d, nr, c);
}

static int
tel_queues(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct rte_comch_ctx *ctx;
	int nr;

	rte_tel_data_start_dict(d);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev) {
		if (!ctx->kind->is_queue)
			continue;
		nr = tel_page_next(page);
		if (nr >= 0)
			tel_add_queue(d, nr, comch_queue(ctx));
	}
	rte_spinlock_unlock(&dev->lock);
	return 0;
}

/*
 * Offload processors and message queues. How a program is, is asked for without the
 * mutex, so that one that hangs is no reason to wait.
 */

static const char *
dpa_state_name(enum rte_comch_dpa_state state)
{
	static const char * const names[] = {
		[RTE_COMCH_DPA_IDLE] = "IDLE",
		[RTE_COMCH_DPA_RUNNING] = "RUNNING",
		[RTE_COMCH_DPA_FAILED] = "FAILED",
	};

	return (unsigned int)state < RTE_DIM(names) ? names[state] : "UNKNOWN";
}

static uint32_t
dpa_nb_msgqs(struct comch_dpa *dpa)
{
	struct comch_msgq *msgq;
	uint32_t nb = 0;

	rte_spinlock_lock(&dpa->lock);
	TAILQ_FOREACH(msgq, &dpa->msgqs, next)
		nb++;
	rte_spinlock_unlock(&dpa->lock);
	return nb;
}

/* What a list and the view of one have in common. */
static void
tel_fill_dpa(struct rte_tel_data *c, struct comch_dpa *dpa,
		struct rte_comch_dpa_status *status)
{
	rte_comch_dpa_status_get(&dpa->drv, status);
	tel_add_string(c, "program", dpa->drv.program);
	rte_tel_data_add_dict_string(c, "state", dpa_state_name(status->state));
	dpdk_tel_add_uint(c, "execution_units", dpa->drv.nb_eus);
	dpdk_tel_add_uint(c, "mem_size", dpa->drv.mem_size);
	dpdk_tel_add_uint(c, "msgqs", dpa_nb_msgqs(dpa));
}

static int
tel_dpas(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct rte_comch_dpa_status status;
	struct rte_tel_data *c;
	struct comch_dpa *dpa;
	int nr;

	rte_tel_data_start_dict(d);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(dpa, &dev->dpas, next) {
		nr = tel_page_next(page);
		if (nr < 0)
			continue;
		c = rte_tel_data_alloc();
		if (c == NULL)
			break;
		rte_tel_data_start_dict(c);
		tel_fill_dpa(c, dpa, &status);
		tel_add_dict(d, nr, c);
	}
	rte_spinlock_unlock(&dev->lock);
	return 0;
}

static void
tel_add_eu(struct rte_tel_data *d, uint32_t eu, const struct rte_comch_dpa_eu_info *info)
{
	struct rte_tel_data *c = rte_tel_data_alloc();
	char name[RTE_TEL_MAX_STRING_LEN];
	uint32_t i;

	if (c == NULL)
		return;
	rte_tel_data_start_dict(c);
	dpdk_tel_add_uint(c, "busy", info->busy);
	dpdk_tel_add_uint(c, "runs", info->runs);
	dpdk_tel_add_uint(c, "errors", info->errors);
	rte_tel_data_add_dict_int(c, "error", info->error);
	/* an untrusted one takes no more room than another: the answer for all has to fit */
	tel_add_text(c, "func", info->func, sizeof(info->func));
	/* nor these without a mistake */
	for (i = 0; i < RTE_DIM(info->values) && info->error != 0; i++) {
		snprintf(name, sizeof(name), "value%u", i);
		dpdk_tel_add_uint(c, name, info->values[i]);
	}
	tel_add_dict(d, eu, c);
}

/* One offload processor, and its execution units by number. */
static void
tel_fill_dpa_info(struct rte_tel_data *d, struct comch_dpa *dpa)
{
	struct rte_comch_dpa_eu_info info;
	struct rte_comch_dpa_status status;
	uint32_t eu;

	tel_fill_dpa(d, dpa, &status);
	tel_add_string(d, "runner", dpa->drv.runner == NULL ? "" : dpa->drv.runner);
	dpdk_tel_add_uint(d, "flags", dpa->drv.flags);
	dpdk_tel_add_uint(d, "pid", status.pid);
	rte_tel_data_add_dict_int(d, "reason", status.reason);
	rte_tel_data_add_dict_int(d, "failed_unit", (int)status.eu); /* -1: none */
	tel_add_string(d, "text", status.text);
	for (eu = 0; eu < dpa->drv.nb_eus; eu++)
		if (rte_comch_dpa_eu_info_get(&dpa->drv, eu, &info) == 0)
			tel_add_eu(d, eu, &info);
}

static int
tel_dpa_info(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	struct comch_dpa *dpa;
	int ret = -ENOENT;

	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(dpa, &dev->dpas, next) {
		if (tel_page_next(page) < 0)
			continue;
		rte_tel_data_start_dict(d);
		tel_fill_dpa_info(d, dpa);
		ret = 0;
	}
	rte_spinlock_unlock(&dev->lock);
	return ret;
}

static void
tel_fill_msgq(struct rte_tel_data *c, struct comch_msgq *msgq)
{
	tel_add_string(c, "program", msgq->drv.dpa->program);
	dpdk_tel_add_uint(c, "id", msgq->drv.id);
	rte_tel_data_add_dict_string(c, "direction",
		msgq->drv.dir == RTE_COMCH_MSGQ_TO_DPA ? "to_dpa" : "from_dpa");
	dpdk_tel_add_uint(c, "max_consumers", msgq->drv.max_consumers);
	dpdk_tel_add_uint(c, "max_producers", msgq->drv.max_producers);
	rte_spinlock_lock(&msgq->parent.lock);
	dpdk_tel_add_uint(c, "consumers", msgq->parent.consumers.nb);
	dpdk_tel_add_uint(c, "producers", msgq->parent.producers.nb);
	dpdk_tel_add_uint(c, "waiting",
		comch_dpa_ops(comch_dpa(msgq->drv.dpa))->msgq_waiting(&msgq->drv));
	rte_spinlock_unlock(&msgq->parent.lock);
}

static void
tel_add_dpa_queue(struct rte_tel_data *d, uint32_t nr, const struct rte_comch_dpa_queue *queue)
{
	struct rte_tel_data *c = rte_tel_data_alloc();

	if (c == NULL)
		return;
	rte_tel_data_start_dict(c);
	rte_tel_data_add_dict_string(c, "type", queue->is_consumer ? "consumer" : "producer");
	dpdk_tel_add_uint(c, "id", queue->id);
	dpdk_tel_add_uint(c, "size", queue->size);
	dpdk_tel_add_uint(c, "imm_len", queue->imm_len);
	dpdk_tel_add_uint(c, "user_data", queue->user_data);
	tel_add_dict(d, nr, c);
}

/* One message queue, and the queues of its DPA end; those of the CPU are in queues. */
static void
tel_fill_msgq_info(struct rte_tel_data *d, struct comch_msgq *msgq)
{
	const struct rte_comch_dpa_queue *queue;
	uint32_t nb = 0;

	tel_fill_msgq(d, msgq);
	rte_spinlock_lock(&msgq->parent.lock);
	TAILQ_FOREACH(queue, &msgq->queues, next)
		if (nb++ < TEL_PER_REPLY)
			tel_add_dpa_queue(d, nb - 1, queue);
	rte_spinlock_unlock(&msgq->parent.lock);
}

/* Message queues of a device by number: a list from start on, or the one of that number. */
static int
tel_msgqs(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d)
{
	const bool one = page->max == 1;
	struct comch_msgq *msgq;
	struct rte_tel_data *c;
	struct comch_dpa *dpa;
	int nr;

	rte_tel_data_start_dict(d);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(dpa, &dev->dpas, next) {
		rte_spinlock_lock(&dpa->lock);
		TAILQ_FOREACH(msgq, &dpa->msgqs, next) {
			nr = tel_page_next(page);
			if (nr < 0)
				continue;
			c = one ? NULL : rte_tel_data_alloc();
			if (one) {
				tel_fill_msgq_info(d, msgq);
			} else if (c != NULL) {
				rte_tel_data_start_dict(c);
				tel_fill_msgq(c, msgq);
				tel_add_dict(d, nr, c);
			}
		}
		rte_spinlock_unlock(&dpa->lock);
	}
	rte_spinlock_unlock(&dev->lock);
	return one && page->nb == 0 ? -ENOENT : 0;
}

/* The endpoints that look at one device, and of how many things they tell: 0 of no list. */
static const struct {
	const char *cmd;
	int (*fill)(struct rte_comch_dev *dev, struct tel_page *page, struct rte_tel_data *d);
	unsigned int max;
	const char *help;
} tel_dev_cmds[] = {
	{ "/comch/info", tel_info, 0,
		"Returns what a comch device is and its limits. Parameters: int dev_id" },
	{ "/comch/stats", tel_stats, 0,
		"Returns the counters of a comch device. Parameters: int dev_id" },
	{ "/comch/totals", tel_totals, 0,
		"Returns what all connections and queues of a comch device have carried so far. Parameters: int dev_id" },
	{ "/comch/pes", tel_pes, TEL_PER_REPLY,
		"Returns up to 32 progress engines of a comch device by number. Parameters: int dev_id[,int start]" },
	{ "/comch/users", tel_users, TEL_PER_REPLY,
		"Returns up to 32 users of functions of a comch device by number, with what they have taken. Parameters: int dev_id[,int start]" },
	{ "/comch/connections", tel_connections, TEL_PER_REPLY,
		"Returns up to 32 connections of a comch device by number. Parameters: int dev_id[,int start]" },
	{ "/comch/queues", tel_queues, TEL_PER_REPLY,
		"Returns up to 32 consumers and producers of a comch device by number. Parameters: int dev_id[,int start]" },
	{ "/comch/dpas", tel_dpas, TEL_PER_REPLY,
		"Returns up to 32 offload processors of a comch device by number. Parameters: int dev_id[,int start]" },
	{ "/comch/dpa_info", tel_dpa_info, 1,
		"Returns one offload processor, how its program is, and its execution units by number. Parameters: int dev_id[,int number]" },
	{ "/comch/msgqs", tel_msgqs, TEL_PER_REPLY,
		"Returns up to 32 message queues of a comch device by number. Parameters: int dev_id[,int start]" },
	{ "/comch/msgq_info", tel_msgqs, 1,
		"Returns one message queue, and the queues of its DPA end by number. Parameters: int dev_id[,int number]" },
};

/* EAL would say null, which does not tell what was wrong. */
static void
tel_error(struct rte_tel_data *d, int error, const char *params)
{
	const char *what = "is no number of a device, or 0,32 where there is a list: see /help";
	char text[RTE_TEL_MAX_STRING_LEN];

	if (error == -ENODEV)
		what = "is no device: /comch/list has all that there are";
	else if (error == -ENOENT)
		what = "names nothing: /comch/dpas and /comch/msgqs list what the device has";
	snprintf(text, sizeof(text), "'%.32s' %s", params == NULL ? "" : params, what);
	rte_tel_data_start_dict(d);
	tel_add_string(d, "error", text);
}

/* No device goes away while one of them looks at it. */
static int
tel_dev(const char *cmd, const char *params, struct rte_tel_data *d)
{
	struct tel_page page = { 0 };
	struct rte_comch_dev *dev;
	size_t i = 0;
	int ret;

	while (i < RTE_DIM(tel_dev_cmds) - 1 && strcmp(cmd, tel_dev_cmds[i].cmd) != 0)
		i++;
	page.max = tel_dev_cmds[i].max;
	comch_devs_lock_take();
	ret = tel_parse(params, &page, &dev);
	if (ret == 0)
		ret = tel_dev_cmds[i].fill(dev, &page, d);
	comch_devs_lock_drop();
	if (ret != 0)
		tel_error(d, ret, params);
	return 0;
}

RTE_INIT(comch_telemetry_init)
{
	size_t i;

	rte_telemetry_register_cmd("/comch/list", tel_list,
		"Returns the identifiers of the comch devices. No parameters.");
	for (i = 0; i < RTE_DIM(tel_dev_cmds); i++)
		rte_telemetry_register_cmd(tel_dev_cmds[i].cmd, tel_dev, tel_dev_cmds[i].help);
}
