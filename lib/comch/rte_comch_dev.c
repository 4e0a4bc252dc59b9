/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Devices and representors: what applications can ask about them, and how a device
 * comes and goes. No context lives here; the table is in rte_comch_dev_table.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_errno.h>
#include <rte_string_fns.h>

#include "comch_dpa.h"
#include "comch_private.h"
#include "rte_comch_trace.h"

/* A PCI address, with its domain or without it, against the domain form. */
static bool
pci_addr_equal(const char *full, const char *name)
{
	if (full[0] == '\0')
		return false;
	if (strcasecmp(full, name) == 0)
		return true;
	return strncmp(full, "0000:", 5) == 0 && strcasecmp(full + 5, name) == 0;
}

int
rte_comch_dev_get_id_by_name(const char *name)
{
	struct rte_comch_dev *dev;
	int16_t i;

	if (name == NULL || name[0] == '\0')
		return -EINVAL;
	RTE_COMCH_FOREACH_DEV(i) {
		dev = comch_dev_get(i);
		if (dev != NULL && strcmp(dev->data->name, name) == 0)
			return i;
	}
	RTE_COMCH_FOREACH_DEV(i) {
		dev = comch_dev_get(i);
		if (dev != NULL && (pci_addr_equal(dev->info.pci_addr, name) ||
				strcmp(dev->info.vuid, name) == 0))
			return i;
	}
	return -ENODEV;
}

/*
 * What the driver says. The size of a queue is rounded up to a power of two, so
 * its limit has to be one: then what is not above it is not above it afterwards.
 */
static int
dev_info_read(struct rte_comch_dev *dev, struct rte_comch_dev_info *info)
{
	int ret;

	memset(info, 0, sizeof(*info));
	ret = dev->ops->info_get(dev, info);
	info->max_posts = rte_align32prevpow2(info->max_posts);
	info->max_sends = rte_align32prevpow2(info->max_sends);
	if (dev->ops->dpa == NULL)
		info->capa &= ~RTE_COMCH_CAPA_DPA;
	return ret;
}

/*
 * Contexts were made for these limits, and any thread reads them without a lock: so
 * they are written once, before the device is visible.
 */
static int
dev_info_set(struct rte_comch_dev *dev)
{
	struct rte_comch_dev_info info;
	int ret;

	if (dev->info.name[0] != '\0')
		return 0; /* made visible anew */
	ret = dev_info_read(dev, &info);
	if (ret != 0)
		return ret;
	strlcpy(info.name, dev->data->name, sizeof(info.name));
	strlcpy(info.driver, dev->driver_name, sizeof(info.driver));
	info.role = dev->data->role;
	info.numa_node = dev->data->numa_node;
	dev->info = info;
	return 0;
}

/* Of limits that a driver need not have. */
static bool
limit_holds(uint64_t had, uint64_t has)
{
	return has == 0 || (had != 0 && has >= had);
}

/* Does a device that was reset have all that it had? */
static bool
dev_info_holds(const struct rte_comch_dev_info *had, const struct rte_comch_dev_info *has)
{
	return (had->capa & ~has->capa) == 0 &&
		has->max_name_len >= had->max_name_len &&
		has->max_msg_size >= had->max_msg_size &&
		has->max_recv_queue_size >= had->max_recv_queue_size &&
		has->max_ctrl_tasks >= had->max_ctrl_tasks &&
		has->max_clients >= had->max_clients &&
		has->max_consumers >= had->max_consumers &&
		has->max_producers >= had->max_producers &&
		has->max_posts >= had->max_posts &&
		has->max_sends >= had->max_sends &&
		has->max_imm_len >= had->max_imm_len &&
		has->max_buf_size >= had->max_buf_size &&
		limit_holds(had->max_pes, has->max_pes) &&
		limit_holds(had->max_peer_mems, has->max_peer_mems) &&
		limit_holds(had->max_recv_bytes, has->max_recv_bytes);
}

/* Engines that have a place of it, or have not given it back yet. */
static uint32_t
dev_pes_count(struct rte_comch_dev *dev)
{
	struct rte_comch_pgroup *pg;
	uint32_t nb;

	rte_spinlock_lock(&dev->lock);
	nb = dev->nb_ending_pgs;
	TAILQ_FOREACH(pg, &dev->pgs, next)
		nb++;
	rte_spinlock_unlock(&dev->lock);
	return nb;
}

int
rte_comch_dev_info_get(int16_t dev_id, struct rte_comch_dev_info *info)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_dev_info got, now;
	int ret;

	if (dev == NULL || info == NULL) {
		COMCH_LOG(ERR, "device %d: no such device, or no place for its info", dev_id);
		return -EINVAL;
	}
	ret = dev_info_read(dev, &now);
	if (ret != 0)
		return ret;
	comch_mem_give_up(dev, false);
	/* what the library goes by, and what may be another by now */
	got = dev->info;
	strlcpy(got.fw_version, now.fw_version, sizeof(got.fw_version));
	got.nb_reps = now.nb_reps;
	got.link_up = now.link_up;
	got.nb_links = now.nb_links;
	got.nb_pes = dev_pes_count(dev);
	/* acquire: pairs with the release in rte_comch_pmd_dev_down() */
	got.status = __atomic_load_n(&dev->status, __ATOMIC_ACQUIRE);
	*info = got;
	return 0;
}

int
rte_comch_rep_list(int16_t dev_id, struct rte_comch_rep_info *reps, uint16_t nb)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);

	if (dev == NULL || (reps == NULL && nb > 0))
		return -EINVAL;
	if (dev->data->role != RTE_COMCH_ROLE_DPU)
		return 0;
	return dev->ops->rep_list(dev, reps, nb);
}

/*
 * All representors of a device, for the caller to free; their number, or a
 * negative errno. With none there is nothing to free.
 */
static int
rep_list_all(int16_t dev_id, struct rte_comch_rep_info **reps)
{
	int nb, got;

	*reps = NULL;
	nb = RTE_MIN(rte_comch_rep_list(dev_id, NULL, 0), UINT16_MAX);
	if (nb <= 0)
		return nb;
	*reps = calloc(nb, sizeof(**reps));
	if (*reps == NULL)
		return -ENOMEM;
	/* there may be others by now */
	got = rte_comch_rep_list(dev_id, *reps, nb);
	return RTE_MIN(nb, got);
}

int
rte_comch_rep_get_id_by_name(int16_t dev_id, const char *name)
{
	struct rte_comch_rep_info *reps;
	int nb, i, ret;

	if (comch_dev_get(dev_id) == NULL || name == NULL || name[0] == '\0')
		return -EINVAL;
	nb = rep_list_all(dev_id, &reps);
	ret = nb < 0 ? nb : -ENODEV;
	for (i = 0; i < nb; i++) {
		if (strcmp(reps[i].name, name) == 0 ||
				pci_addr_equal(reps[i].pci_addr, name) ||
				strcmp(reps[i].vuid, name) == 0) {
			ret = reps[i].rep_id;
			break;
		}
	}
	free(reps);
	return ret;
}

/* Is it one of the device's representors? Their identifiers may have gaps. */
int
comch_rep_check(int16_t dev_id, uint16_t rep_id)
{
	struct rte_comch_rep_info *reps;
	int nb, i, ret;

	nb = rep_list_all(dev_id, &reps);
	ret = nb < 0 ? nb : -ENODEV;
	for (i = 0; i < nb && ret != 0; i++)
		if (reps[i].rep_id == rep_id)
			ret = 0;
	free(reps);
	return ret;
}

int
rte_comch_dev_stats_get(int16_t dev_id, struct rte_comch_dev_stats *stats)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	const uint64_t *from;
	uint64_t *to;
	size_t i;

	if (dev == NULL || stats == NULL)
		return -EINVAL;
	from = (const uint64_t *)&dev->data->stats;
	to = (uint64_t *)stats;
	/* relaxed: each counter is right, the set of them is no snapshot */
	for (i = 0; i < sizeof(*stats) / sizeof(uint64_t); i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	return 0;
}

int
rte_comch_dev_stats_reset(int16_t dev_id)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	uint64_t *to;
	size_t i;

	if (dev == NULL)
		return -EINVAL;
	to = (uint64_t *)&dev->data->stats;
	for (i = 0; i < sizeof(dev->data->stats) / sizeof(uint64_t); i++)
		__atomic_store_n(&to[i], 0, __ATOMIC_RELAXED);
	return 0;
}

static void
ctrl_dump(const struct comch_ctrl *ctrl, FILE *f)
{
	struct comch_conn *conn;

	fprintf(f, "  %s '%s' %s, %u connections, %u tasks\n", ctrl->ctx.kind->name,
		ctrl->drv.name, rte_comch_state_name(ctrl->ctx.state), ctrl->nb_conns,
		ctrl->ctx.nb_tasks);
	TAILQ_FOREACH(conn, &ctrl->conns, next)
		fprintf(f, "    connection %u function %s pid %u tx %"PRIu64" rx %"PRIu64
			" in flight %u\n", conn->drv.id, conn->drv.peer.function,
			conn->drv.peer.peer_pid, conn->stats.tx_msgs, conn->stats.rx_msgs,
			conn->nb_in_flight);
}

static void
queue_dump(const struct comch_queue *queue, FILE *f)
{
	fprintf(f, "  %s %u %s, ", queue->ctx.kind->name, queue->drv.id,
		rte_comch_state_name(queue->ctx.state));
	if (queue->drv.conn != NULL)
		fprintf(f, "connection %u of '%s'", queue->drv.conn->id,
			comch_conn(queue->drv.conn)->server);
	else
		fprintf(f, "message queue %u of '%s'", queue->drv.msgq->id,
			queue->drv.msgq->dpa->program);
	fprintf(f, ", %u tasks\n", queue->ctx.nb_tasks);
}

static void
dev_dump(struct rte_comch_dev *dev, const struct rte_comch_dev_info *info, FILE *f)
{
	struct rte_comch_ctx *ctx;

	fprintf(f, "device %d '%s', driver %s, role %s, link %s, %u peer processes\n",
		dev->data->dev_id, info->name, info->driver,
		info->role == RTE_COMCH_ROLE_DPU ? "dpu" : "host",
		info->link_up ? "up" : "down", info->nb_links);
	if (info->fw_version[0] != '\0')
		fprintf(f, "  firmware %s\n", info->fw_version);
	if (info->status != 0)
		fprintf(f, "  down: %s\n", strerror(-info->status));
	fprintf(f, "  max_msg_size %u max_recv_queue_size %u max_ctrl_tasks %u max_clients %u\n",
		info->max_msg_size, info->max_recv_queue_size, info->max_ctrl_tasks,
		info->max_clients);
	rte_spinlock_lock(&dev->lock);
	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev) {
		if (ctx->kind->is_queue)
			queue_dump(comch_queue(ctx), f);
		else
			ctrl_dump(comch_ctrl(ctx), f);
	}
	rte_spinlock_unlock(&dev->lock);
	if (dev->ops->dump != NULL)
		dev->ops->dump(dev, f);
}

int
rte_comch_dev_dump(int16_t dev_id, FILE *f)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_dev_info info;
	char *text = NULL;
	size_t size = 0;
	FILE *mem;

	if (dev == NULL || f == NULL || rte_comch_dev_info_get(dev_id, &info) != 0)
		return -EINVAL;
	/* into memory first: a pipe that nobody reads must not hold a lock */
	mem = open_memstream(&text, &size);
	if (mem == NULL)
		return -ENOMEM;
	dev_dump(dev, &info, mem);
	fclose(mem);
	fwrite(text, 1, size, f);
	free(text);
	return 0;
}

int
rte_comch_pmd_ready(struct rte_comch_dev *dev)
{
	int ret;

	ret = dev_info_set(dev);
	if (ret != 0)
		return ret;
	/* pairs with the acquire in comch_dev_get(): what was set before is seen */
	__atomic_store_n(&dev->state, RTE_COMCH_DEV_READY, __ATOMIC_RELEASE);
	rte_comch_trace_dev_ready(dev->data->dev_id, dev->data->name);
	return 0;
}

/*
 * No region or program, and nothing that is started or on its way down: then nothing starts
 * from here on. Programs look at the status under the same lock.
 */
static bool
dev_reset_begin(struct rte_comch_dev *dev)
{
	struct rte_comch_ctx *ctx;
	bool quiet;

	comch_mem_give_up(dev, true);
	rte_spinlock_lock(&dev->lock);
	quiet = TAILQ_EMPTY(&dev->mems) && TAILQ_EMPTY(&dev->freeing) &&
		dev->nb_ending_pgs == 0 && !comch_dpas_started(dev);
	TAILQ_FOREACH(ctx, &dev->ctxs, next_dev)
		quiet &= ctx->state == RTE_COMCH_STATE_IDLE;
	if (quiet)
		__atomic_store_n(&dev->status, -EAGAIN, __ATOMIC_RELEASE);
	rte_spinlock_unlock(&dev->lock);
	return quiet;
}

int
rte_comch_dev_reset(int16_t dev_id)
{
	struct rte_comch_dev *dev = comch_dev_get(dev_id);
	struct rte_comch_dev_info info;
	int ret, expected = -EAGAIN;

	if (dev == NULL) {
		COMCH_LOG(ERR, "device %d: no such device", dev_id);
		return -EINVAL;
	}
	if (dev->ops->reset == NULL) {
		COMCH_LOG(ERR, "%s: its driver %s has no reset; remove the device and probe it again",
			dev->data->name, dev->driver_name);
		return -ENOTSUP;
	}
	if (!dev_reset_begin(dev)) {
		COMCH_LOG(ERR, "%s: stop its contexts and programs, free its memory regions and progress before a reset",
			dev->data->name);
		return -EBUSY;
	}
	ret = dev->ops->reset(dev);
	if (ret == 0)
		ret = dev_info_read(dev, &info);
	if (ret == 0 && !dev_info_holds(&dev->info, &info)) {
		COMCH_LOG(ERR, "%s: has lower limits after a reset; remove the device and probe it again",
			dev->data->name);
		ret = -EIO;
	} else if (ret != 0) {
		COMCH_LOG(ERR, "%s: does not come back after a reset: %s", dev->data->name,
			strerror(-ret));
	}
	if (ret == 0) {
		/* relaxed: no queue is there that could be lost meanwhile */
		__atomic_store_n(&dev->nb_lost_queues, 0, __ATOMIC_RELAXED);
		comch_mem_retained_free(dev);
	}
	/*
	 * Release: who finds it up sees what the reset did. The driver may have
	 * found it broken again by now, and that stays.
	 */
	if (!__atomic_compare_exchange_n(&dev->status, &expected, ret, false, __ATOMIC_RELEASE,
			__ATOMIC_RELAXED) && ret == 0)
		ret = expected;
	return ret;
}

int
rte_comch_pmd_hide(struct rte_comch_dev *dev)
{
	int ret = 0;

	comch_mem_give_up(dev, true);
	comch_devs_lock_take();
	rte_spinlock_lock(&dev->lock);
	/* a context that was destroyed in its callback is in its poll group until later */
	/* acquire: pairs with the release in rte_comch_conn_unref() */
	if (TAILQ_EMPTY(&dev->ctxs) && TAILQ_EMPTY(&dev->pgs) && TAILQ_EMPTY(&dev->mems) &&
			TAILQ_EMPTY(&dev->freeing) && TAILQ_EMPTY(&dev->dpas) &&
			dev->nb_ending_pgs == 0 &&
			__atomic_load_n(&dev->nb_conn_refs, __ATOMIC_ACQUIRE) == 0)
		__atomic_store_n(&dev->state, RTE_COMCH_DEV_REGISTERED, __ATOMIC_RELEASE);
	else
		ret = -EBUSY;
	rte_spinlock_unlock(&dev->lock);
	comch_devs_lock_drop();
	if (ret != 0)
		COMCH_LOG(ERR, "%s: has contexts, memory regions, offload processors, references to connections or engines that it was added to: destroy, free and drop them and progress before the device goes",
			dev->data->name);
	return ret;
}

void
rte_comch_pmd_release(struct rte_comch_dev *dev)
{
	comch_dev_drop(dev);
	rte_comch_trace_dev_release(dev->data->dev_id);
	comch_mem_retained_free(dev);
	free(dev);
}
