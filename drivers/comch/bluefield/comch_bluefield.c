/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The bluefield driver: the operations of a device, what it says of itself, and its
 * way in over the virtual bus (a vfio-user socket). The PCI bus is in
 * bluefield_probe.c, device arguments are in bluefield_args.c, what is shared by the parts
 * that communicate is in bluefield_dev.c, registers and firmware are in layers fw and
 * below.
 *
 * A device that was not told whom to talk to has no capability, and the library refuses
 * servers, clients and queues with that reason.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_string_fns.h>

#include "bluefield_chan.h"
#include "bluefield_dev_priv.h"
#include "bluefield_fast.h"
#include "bluefield_report.h"

#define BF_DRIVER "comch_bluefield"

/*
 * The parts that communicate: capabilities and limits are theirs. Their operations are in
 * bf_ops below.
 */
static const struct bf_part *const bf_parts[BF_NB_PARTS] = {
	[BF_PART_CHAN] = &bf_chan_part,
	[BF_PART_FAST] = &bf_fast_part,
};

/* The device of whose end this thread tells the application; NULL: of none. */
static __thread const struct rte_comch_dev *telling;

/*
 * The function's worker tells of its end, and whoever resets or destroys the function
 * waits for its worker: in the callback that would be for ever.
 */
static bool
dev_is_telling(const struct rte_comch_dev *rte_dev, const char *what)
{
	if (telling != rte_dev)
		return false;
	BF_LOG(ERR, "%s: cannot be %s in the callback that tells of its removal; do so in another thread, or in an alarm (rte_eal_alarm_set)",
		rte_dev->data->name, what);
	return true;
}

/*
 * Information
 */

/* The same on both sides: the card knows the function by its MAC. */
static void
vuid_fill(char *vuid, size_t size, const uint8_t mac[6])
{
	snprintf(vuid, size, "comch-bluefield-%02x%02x%02x%02x%02x%02x", mac[0], mac[1], mac[2],
		mac[3], mac[4], mac[5]);
}

/* What the parts can do, if there is anybody to do it with. */
static void
info_parts(struct bf_dev *dev, struct rte_comch_dev_info *info)
{
	uint32_t i;

	if (!bf_dev_communicates(dev))
		return;
	for (i = 0; i < BF_NB_PARTS; i++)
		bf_parts[i]->info_get(dev, info);
	if (dev->nb_reps == 0)
		info->capa &= ~RTE_COMCH_CAPA_SERVER;
	if (!dev->has_peer)
		info->capa &= ~RTE_COMCH_CAPA_CLIENT;
	info->capa |= RTE_COMCH_CAPA_EVENT;
	/* a consumer's receive queue names whatever memory has a key */
	if ((info->capa & RTE_COMCH_CAPA_CONSUMER) != 0)
		info->capa |= RTE_COMCH_CAPA_MEM_DIRECT | RTE_COMCH_CAPA_MEM_BOUNCE;
	/* each has an event queue; one is the function's own */
	info->max_pes = RTE_MAX(bf_func_caps(dev->func)->max_eq, 2u) - 1;
}

/* Limits are those of the hardware; the parts lower them to what they leave of it. */
static int
bf_info_get(struct rte_comch_dev *rte_dev, struct rte_comch_dev_info *info)
{
	struct bf_dev *dev = rte_dev->priv;
	const struct bf_func_caps *caps = bf_func_caps(dev->func);

	/* as the vendor's tools write it */
	snprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%04u", caps->fw_major,
		caps->fw_minor, caps->fw_subminor);
	strlcpy(info->pci_addr, dev->ident.pci_addr, sizeof(info->pci_addr));
	if (rte_dev->data->role == RTE_COMCH_ROLE_HOST) {
		strlcpy(info->function, dev->ident.function, sizeof(info->function));
		if (caps->has_vport)
			vuid_fill(info->vuid, sizeof(info->vuid), caps->mac);
	}
	info->max_buf_size = caps->max_msg;
	info->max_posts = caps->max_srq_sz;
	info->max_sends = caps->max_qp_sz;
	info->nb_reps = dev->nb_reps;
	info->link_up = __atomic_load_n(&caps->port_state, __ATOMIC_RELAXED) != 0;
	info_parts(dev, info);
	return 0;
}

static int
bf_rep_list(struct rte_comch_dev *rte_dev, struct rte_comch_rep_info *reps, uint16_t nb)
{
	const struct bf_dev *dev = rte_dev->priv;
	const struct bf_rep *rep;
	uint16_t i;

	for (i = 0; i < RTE_MIN(nb, dev->nb_reps); i++) {
		rep = &dev->reps[i];
		memset(&reps[i], 0, sizeof(reps[i]));
		reps[i].rep_id = rep->rep_id;
		strlcpy(reps[i].name, rep->name, sizeof(reps[i].name));
		reps[i].type = rep->type;
		reps[i].pf = rep->pf;
		reps[i].number = rep->number;
		reps[i].nb_links = bf_chan_links(dev, rep->rep_id);
		vuid_fill(reps[i].vuid, sizeof(reps[i].vuid), rep->addr.mac);
	}
	return dev->nb_reps;
}

static void
bf_dump(struct rte_comch_dev *rte_dev, FILE *f)
{
	struct bf_dev *dev = rte_dev->priv;

	bf_func_dump(dev->func, f);
	if (!bf_dev_communicates(dev))
		return;
	fprintf(f, "  switch: %s\n", dev->fdb_tc ? "tc" : "none");
	/* not while a reset takes it away */
	if (bf_trylock(&dev->life)) {
		if (dev->cm != NULL)
			bf_cm_dump(dev->cm, f);
		bf_unlock(&dev->life);
	}
	bf_chan_part.dump(dev, f);
}

/* With nothing of the device under way. */
static int
dev_reset(struct bf_dev *dev)
{
	struct rte_comch_dev *rte_dev = dev->rte_dev;
	int ret;

	ret = bf_func_reset(dev->func);
	/* what dev_fatal() may have told meanwhile was of the life before */
	rte_comch_pmd_dev_down(rte_dev, -EAGAIN);
	/* a vport that is down is an event by now, and may come up by one */
	if (ret == 0)
		ret = bf_usable(dev->func, rte_dev->data->name, rte_dev->data->role, &dev->ident,
			false);
	return ret;
}

static int
bf_reset(struct rte_comch_dev *rte_dev)
{
	struct bf_dev *dev = rte_dev->priv;
	int ret;

	if (dev_is_telling(rte_dev, "reset"))
		return bf_dev_status(dev);
	ret = bf_dev_reset(dev, dev_reset);
	if (ret != 0)
		return ret;
	/* it may have failed again since */
	return bf_dev_status(dev);
}

static void
bf_fail(struct rte_comch_dev *rte_dev, int reason)
{
	bf_dev_fail(rte_dev->priv, reason);
}

static const struct rte_comch_dev_ops bf_ops = {
	.info_get = bf_info_get,
	.rep_list = bf_rep_list,
	.dump = bf_dump,
	.reset = bf_reset,
	.fail = bf_fail,
	.pgroup_create = bf_group_create,
	.pgroup_destroy = bf_group_destroy,
	.pgroup_poll = bf_group_poll,
	.pgroup_arm = bf_group_arm,
	.pgroup_disarm = bf_group_disarm,
	.listen = bf_listen,
	.unlisten = bf_unlisten,
	.connect = bf_connect,
	.connect_cancel = bf_connect_cancel,
	.conn_send = bf_conn_send,
	.conn_close = bf_conn_close,
	.conn_rx_count = bf_conn_rx_count,
	.conn_rx_resume = bf_conn_rx_resume,
	.mem_alloc = bf_region_alloc,
	.mem_register = bf_region_register,
	.mem_free = bf_region_free,
	.queue_setup = bf_queue_setup,
	.queue_stop = bf_queue_stop,
	.queue_free = bf_queue_free,
	.consumer_announce = bf_consumer_announce,
	.consumer_left = bf_consumer_left,
	.queue_room = bf_queue_room,
	.queue_idle = bf_queue_idle,
	.queue_takes = bf_queue_takes,
	.conn_consumer_info = bf_conn_consumer_info,
};

/*
 * Create and destroy
 */

static void
dev_fatal(void *arg, enum bf_fatal fatal, int reason)
{
	struct bf_dev *dev = arg;
	struct rte_comch_dev *rte_dev = dev->rte_dev;
	const struct rte_comch_dev *outer = telling;

	BF_LOG(ERR, "%s: has failed: %s; stop its contexts, then reset it with rte_comch_dev_reset(), or remove it if it is gone",
		rte_dev->data->name, bf_fatal_text(fatal));
	rte_comch_pmd_dev_down(rte_dev, reason);
	bf_dev_fail(dev, reason);
	/* no bus tells of a device that went without asking */
	if (reason != -ENODEV)
		return;
	telling = rte_dev;
	rte_dev_event_callback_process(rte_dev->device->name, RTE_DEV_EVENT_REMOVE);
	telling = outer;
}

/*
 * A completion queue that has failed reports no completions, and a shared receive queue that
 * has failed receives no messages: whoever waits for them would hang. A completion queue
 * has room for all its requests, so an overrun is a defect.
 */
static void
dev_dead_queues(struct bf_dev *dev)
{
	uint64_t nb;

	/* acquire: the function is there */
	if (__atomic_load_n(&dev->nb_parts, __ATOMIC_ACQUIRE) == 0)
		return;
	nb = bf_func_dead_queues(dev->func);
	if (nb == dev->dead_queues)
		return;
	dev->dead_queues = nb;
	BF_LOG(ERR, "%s: has lost completions, and is taken for broken; stop its contexts, then reset it with rte_comch_dev_reset()",
		dev->rte_dev->data->name);
	rte_comch_pmd_dev_down(dev->rte_dev, -EIO);
	bf_dev_fail(dev, -EIO);
}

static void
dev_wake(void *arg)
{
	struct bf_dev *dev = arg;

	dev_dead_queues(dev);
	bf_groups_wake(dev);
	bf_job_wake(dev);
}

static void
dev_free(struct bf_dev *dev)
{
	bf_lock_fini(&dev->lock);
	bf_lock_fini(&dev->telling);
	bf_lock_fini(&dev->life);
	free(dev->reps);
	free(dev);
}

/*
 * Whose side the function is on. Registers tell an ECPF only: a VF of the card's own
 * PF looks like one of the host, so that the administrator has to say it.
 */
static enum rte_comch_role
dev_role(const struct bf_dev *dev, const struct bf_args *args)
{
	bool ecpf = bf_func_caps(dev->func)->ecpf;

	if (args->has_role) {
		if (ecpf && args->role == RTE_COMCH_ROLE_HOST)
			BF_LOG(WARNING, "%s: %s=host, and this is the card's own function (ECPF): on the card, give %s=dpu",
				dev->rte_dev->data->name, BF_ARG_ROLE, BF_ARG_ROLE);
		return args->role;
	}
	if (ecpf)
		return RTE_COMCH_ROLE_DPU;
	BF_LOG(NOTICE, "%s: its role is host, as nothing else was said; for a VF of the card's own PF, on the card, add %s=dpu to its arguments",
		dev->rte_dev->data->name, BF_ARG_ROLE);
	return RTE_COMCH_ROLE_HOST;
}

/* Is the function one that we can work with? */
static int
dev_check(const struct bf_dev *dev)
{
	const struct bf_func_caps *caps = bf_func_caps(dev->func);
	const char *name = dev->rte_dev->data->name;

	if (caps->ecpf && !caps->eswitch_manager) {
		BF_LOG(ERR, "%s: the card is in NIC mode or in separated host mode, where its own function may not serve the host; DPU mode is needed: mlxconfig (or mstconfig) -d <device> set INTERNAL_CPU_MODEL=1 INTERNAL_CPU_PAGE_SUPPLIER=0 INTERNAL_CPU_ESWITCH_MANAGER=0 INTERNAL_CPU_IB_VPORT0=0 INTERNAL_CPU_OFFLOAD_ENGINE=0, as far as its firmware has them, then a power cycle",
			name);
		return -ENOTSUP;
	}
	if (caps->ecpf)
		BF_LOG(WARNING, "%s: this is the card's own function (ECPF), out of whose memory firmware serves all functions of the host: they have no network now, and fail when this program ends, is killed, or resets it; outside of a laboratory give it back (dpdk-devbind.py -b mlx5_core <address>) and take a VF of it: mlxconfig (or mstconfig) -d <device> set PF_NUM_OF_VF_VALID=1 PF_NUM_OF_VF=<number>, a power cycle, then %s=dpu",
			name, BF_ARG_ROLE);
	return 0;
}

/* Whom it talks to, as the arguments say. */
static int
dev_talks(struct bf_dev *dev, const struct bf_args *args, const struct bf_ident *ident)
{
	const struct rte_comch_dev_data *data = dev->rte_dev->data;
	int ret;

	ret = bf_args_check(args, data->name, data->role, bf_func_caps(dev->func)->mac,
		ident->function);
	if (ret != 0)
		return ret;
	if (args->nb_reps != 0) {
		dev->reps = malloc(args->nb_reps * sizeof(dev->reps[0]));
		if (dev->reps == NULL)
			return -ENOMEM;
		memcpy(dev->reps, args->reps, args->nb_reps * sizeof(dev->reps[0]));
		dev->nb_reps = args->nb_reps;
	}
	dev->has_peer = args->has_peer;
	dev->peer = args->peer;
	memcpy(dev->ip4, args->ip4, sizeof(dev->ip4));
	if (bf_dev_communicates(dev))
		return 0;
	if (data->role == RTE_COMCH_ROLE_DPU)
		BF_LOG(NOTICE, "%s: serves no function of the host, as key '%s' is missing: give %s=<name>@<MAC>[@<IPv4>] for it to have servers",
			data->name, BF_ARG_FUNCTIONS, BF_ARG_FUNCTIONS);
	else
		BF_LOG(NOTICE, "%s: has no server to reach, as key '%s' is missing: give %s=<MAC of the card's function>[@<IPv4>] for it to have clients",
			data->name, BF_ARG_PEER, BF_ARG_PEER);
	return 0;
}

/* The function is up: may the library have it? */
static int
dev_accept(struct bf_dev *dev, const struct bf_args *args, const struct bf_ident *ident)
{
	struct bf_hw *hw = bf_func_hw(dev->func);
	struct rte_comch_dev_data *data = dev->rte_dev->data;
	int ret;

	if (hw->report != NULL)
		bf_report_up(hw);
	ret = dev_check(dev);
	if (ret == 0) {
		data->role = dev_role(dev, args);
		ret = bf_usable(dev->func, data->name, data->role, &dev->ident, true);
	}
	if (ret == 0)
		ret = dev_talks(dev, args, ident);
	if (hw->report == NULL)
		return ret;
	if (ret == 0)
		ret = bf_report_try(dev->func);
	bf_report_result(hw->report, ret);
	return ret;
}

/* Its library device, and what the function's callbacks need. */
static int
dev_alloc(struct rte_device *device, const struct bf_ident *ident, const struct bf_hw *hw,
		const struct bf_args *args, struct bf_dev **out)
{
	struct rte_comch_dev *rte_dev;
	struct bf_dev *dev;
	int ret;

	dev = calloc(1, sizeof(*dev));
	if (dev == NULL)
		return -ENOMEM;
	rte_dev = rte_comch_pmd_allocate(hw->name, hw->numa_node);
	if (rte_dev == NULL) {
		ret = -rte_errno;
		free(dev);
		return ret;
	}
	dev->rte_dev = rte_dev;
	dev->parts = bf_parts;
	dev->ident = *ident;
	if (args->function[0] != '\0')
		strlcpy(dev->ident.function, args->function, sizeof(dev->ident.function));
	dev->fdb_tc = args->fdb_tc;
	bf_lock_init(&dev->life);
	bf_lock_init(&dev->telling);
	bf_lock_init(&dev->lock);
	TAILQ_INIT(&dev->groups);
	LIST_INIT(&dev->regions);
	rte_dev->priv = dev;
	rte_dev->ops = &bf_ops;
	rte_dev->device = device;
	rte_dev->driver_name = ident->driver;
	rte_dev->no_dpa = "it cannot run programs on the card's accelerator (DPA), see Offload Processors in its guide";
	ret = bf_jobs_create(dev);
	if (ret != 0) {
		rte_comch_pmd_release(rte_dev);
		dev_free(dev);
		return ret;
	}
	*out = dev;
	return 0;
}

int
bf_dev_create(struct rte_device *device, const struct bf_ident *ident, struct bf_hw *hw,
		const struct bf_args *args)
{
	struct bf_func_conf conf = args->conf;
	struct bf_dev *dev = NULL;
	int ret;

	ret = dev_alloc(device, ident, hw, args, &dev);
	if (ret != 0) {
		hw->ops->close(hw);
		return ret;
	}
	conf.fatal_cb = dev_fatal;
	conf.wake_cb = dev_wake;
	conf.arg = dev;
	ret = args->report[0] != '\0' ? bf_report_open(hw, args->report) : 0;
	if (ret != 0)
		hw->ops->close(hw);
	else
		ret = bf_func_create(hw, &conf, &dev->func);
	if (ret != 0)
		goto fail;
	ret = dev_accept(dev, args, ident);
	if (ret == 0)
		ret = bf_dev_begin(dev);
	if (ret == 0) {
		ret = rte_comch_pmd_ready(dev->rte_dev);
		if (ret == 0)
			return 0;
		bf_dev_end(dev);
	}
	bf_func_destroy(dev->func);
fail:
	bf_jobs_destroy(dev);
	rte_comch_pmd_release(dev->rte_dev);
	dev_free(dev);
	return ret;
}

int
bf_dev_destroy(const char *name)
{
	struct rte_comch_dev *rte_dev = rte_comch_pmd_get_by_name(name);
	struct bf_dev *dev;
	int ret;

	if (rte_dev == NULL || rte_dev->ops != &bf_ops)
		return -ENODEV;
	if (dev_is_telling(rte_dev, "removed"))
		return -EBUSY;
	dev = rte_dev->priv;
	ret = rte_comch_pmd_hide(rte_dev);
	if (ret != 0)
		return ret;
	bf_dev_end(dev);
	/* its events may call dev_fatal() and dev_wake() until this returns */
	bf_func_destroy(dev->func);
	bf_jobs_destroy(dev);
	rte_comch_pmd_release(rte_dev);
	dev_free(dev);
	return 0;
}

bool
bf_dev_exists(const char *name)
{
	const struct rte_comch_dev *rte_dev = rte_comch_pmd_get_by_name(name);

	return rte_dev != NULL && rte_dev->ops == &bf_ops;
}

void
bf_dev_unplugged(const char *name)
{
	struct rte_comch_dev *rte_dev = rte_comch_pmd_get_by_name(name);
	struct bf_dev *dev;

	if (rte_dev == NULL || rte_dev->ops != &bf_ops)
		return;
	dev = rte_dev->priv;
	/* found out before the bus did, or told to ourselves by dev_fatal() */
	if (dev->func == NULL || bf_func_status(dev->func, NULL) != 0)
		return;
	BF_LOG(NOTICE, "%s: its bus wants it back: stop its contexts and remove it with rte_dev_remove()",
		name);
	rte_comch_pmd_dev_down(rte_dev, -ENODEV);
	bf_dev_fail(dev, -ENODEV);
}

/*
 * The virtual bus
 */

static int
bf_vdev_probe(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);
	struct bf_ident ident = { .driver = BF_DRIVER };
	struct bf_args args;
	struct bf_hw *hw;
	int ret;

	if (name == NULL)
		return -EINVAL;
	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		BF_LOG(ERR, "%s: secondary processes have no " BF_DRIVER "; start another primary with its own --file-prefix",
			name);
		return -ENOTSUP;
	}
	ret = bf_args_parse(&args, name, rte_vdev_device_args(vdev), false);
	if (ret != 0)
		return ret;
	ret = bf_hw_vfu_open(name, args.socket, args.socket_timeout_ms, &hw);
	if (ret != 0)
		return ret;
	if (vdev->device.numa_node >= 0)
		hw->numa_node = vdev->device.numa_node;
	return bf_dev_create(&vdev->device, &ident, hw, &args);
}

static int
bf_vdev_remove(struct rte_vdev_device *vdev)
{
	const char *name = rte_vdev_device_name(vdev);

	return name == NULL ? -EINVAL : bf_dev_destroy(name);
}

static struct rte_vdev_driver bf_vdev_driver = {
	.probe = bf_vdev_probe,
	.remove = bf_vdev_remove,
};

RTE_PMD_REGISTER_VDEV(comch_bluefield, bf_vdev_driver);
RTE_PMD_REGISTER_PARAM_STRING(comch_bluefield, BF_VDEV_PARAMS);

/* What DPDK's build makes of the two lines above, for dpdk-pmdinfo.py. */
static const char bf_vdev_info[] __rte_used =
	"PMD_INFO_STRING= {\"name\" : \"comch_bluefield\", \"params\" : \"" BF_VDEV_PARAMS
	"\", \"pci_ids\" : []}";
