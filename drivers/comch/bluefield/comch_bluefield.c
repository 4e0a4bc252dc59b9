/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The bluefield driver: device arguments, what a device says of itself, and its
 * way in over the virtual bus (a vfio-user socket). The PCI bus is in
 * bluefield_pci.c, registers and firmware are in the layers below func.
 *
 * There is no connection layer yet: a device has no capability for servers,
 * clients or queues, and the library refuses them with that reason.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bus_vdev_driver.h>
#include <rte_eal.h>
#include <rte_errno.h>
#include <rte_kvargs.h>
#include <rte_string_fns.h>

#include "bluefield_report.h"
#include "comch_bluefield.h"
#include "dpdk_release.h"

RTE_LOG_REGISTER_DEFAULT(bf_logtype, NOTICE);

#define BF_DRIVER "comch_bluefield"

/* Bounds of the times, ms: shorter ones find fault with healthy hardware. */
#define BF_MIN_TIMEOUT 10
#define BF_MAX_TIMEOUT 3600000
#define BF_DFLT_SOCKET_TIMEOUT 10000
#define BF_MIN_HEALTH 10
#define BF_MAX_HEALTH 60000
#define BF_MAX_PAGES (1u << 24)

struct bf_dev {
	struct rte_comch_dev *dev;
	struct bf_func *func;
	struct bf_ident ident;
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

const char *
bf_part_name(uint16_t device_id)
{
	/*
	 * Not BlueField-1 (a2d2, VF a2d3), for which the vendor has no Comch, nor
	 * BlueField-4 (a2df), of which we know nothing but the number. VFs have one
	 * number for all parts since ConnectX-6 Dx: firmware tells them apart.
	 */
	switch (device_id) {
	case BF_DEVICE_BF2:
		return "BlueField-2";
	case BF_DEVICE_BF3:
		return "BlueField-3";
	case BF_DEVICE_VF:
		return "virtual function";
	default:
		return NULL;
	}
}

/*
 * Information
 */

/* Limits are those of the hardware; what connections leave of them comes with those. */
static int
bf_info_get(struct rte_comch_dev *rte_dev, struct rte_comch_dev_info *info)
{
	struct bf_dev *dev = rte_dev->priv;
	const struct bf_func_caps *caps = bf_func_caps(dev->func);

	/* as the vendor's tools write it */
	snprintf(info->fw_version, sizeof(info->fw_version), "%u.%u.%04u", caps->fw_major,
		caps->fw_minor, caps->fw_subminor);
	strlcpy(info->pci_addr, dev->ident.pci_addr, sizeof(info->pci_addr));
	if (rte_dev->data->role == RTE_COMCH_ROLE_HOST)
		strlcpy(info->function, dev->ident.function, sizeof(info->function));
	info->max_buf_size = caps->max_msg;
	info->max_posts = caps->max_srq_sz;
	info->max_sends = caps->max_qp_sz;
	info->link_up = __atomic_load_n(&caps->port_state, __ATOMIC_RELAXED) != 0;
	return 0;
}

static int
bf_rep_list(struct rte_comch_dev *rte_dev __rte_unused,
		struct rte_comch_rep_info *reps __rte_unused, uint16_t nb __rte_unused)
{
	return 0;
}

static void
bf_dump(struct rte_comch_dev *rte_dev, FILE *f)
{
	struct bf_dev *dev = rte_dev->priv;

	bf_func_dump(dev->func, f);
}

static int
bf_reset(struct rte_comch_dev *rte_dev)
{
	struct bf_dev *dev = rte_dev->priv;
	enum bf_fatal fatal;
	int ret;

	if (dev_is_telling(rte_dev, "reset"))
		return bf_func_status(dev->func, &fatal);
	ret = bf_func_reset(dev->func);
	/* what dev_fatal() may have told meanwhile was of the life before */
	rte_comch_pmd_dev_down(rte_dev, -EAGAIN);
	/* a vport that is down is an event by now, and may come up by one */
	if (ret == 0)
		ret = bf_usable(dev->func, rte_dev->data->name, rte_dev->data->role, &dev->ident,
			false);
	if (ret != 0)
		return ret;
	/* it may have failed again since */
	return bf_func_status(dev->func, &fatal);
}

/*
 * Poll groups belong to contexts, and this driver has none. They are here
 * because the library wants them of every driver.
 */

static int
bf_group_create(struct rte_comch_dev *rte_dev, struct rte_comch_pe *pe __rte_unused,
		struct rte_comch_pgroup **pg __rte_unused)
{
	BF_LOG(ERR, "%s: this driver has no contexts to poll; for now the device can be looked at and reset, take one of driver comch_shm to communicate",
		rte_dev->data->name);
	return -ENOTSUP;
}

static int
bf_group_destroy(struct rte_comch_pgroup *pg __rte_unused,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	return 0;
}

static int
bf_group_poll(struct rte_comch_pgroup *pg __rte_unused, uint64_t now __rte_unused)
{
	return 0;
}

static bool
bf_group_arm(struct rte_comch_pgroup *pg __rte_unused)
{
	return false;
}

static void
bf_group_disarm(struct rte_comch_pgroup *pg __rte_unused)
{
}

static const struct rte_comch_dev_ops bf_ops = {
	.info_get = bf_info_get,
	.rep_list = bf_rep_list,
	.dump = bf_dump,
	.reset = bf_reset,
	.pgroup_create = bf_group_create,
	.pgroup_destroy = bf_group_destroy,
	.pgroup_poll = bf_group_poll,
	.pgroup_arm = bf_group_arm,
	.pgroup_disarm = bf_group_disarm,
};

/*
 * Device arguments
 */

struct arg_number {
	uint32_t *to;
	uint32_t min;
	uint32_t max;
};

static int
arg_number(const char *key, const char *value, void *opaque)
{
	const struct arg_number *num = opaque;
	unsigned long got;
	char *end = NULL;

	errno = 0;
	got = value == NULL || value[0] < '0' || value[0] > '9' ? 0 : strtoul(value, &end, 10);
	if (end == NULL || *end != '\0' || errno != 0 || got < num->min || got > num->max) {
		BF_LOG(ERR, "%s=%s: it is a number from %u to %u", key,
			value == NULL ? "" : value, num->min, num->max);
		return -EINVAL;
	}
	*num->to = got;
	return 0;
}

static int
arg_role(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	if (value != NULL && strcmp(value, "dpu") == 0) {
		args->role = RTE_COMCH_ROLE_DPU;
	} else if (value != NULL && strcmp(value, "host") == 0) {
		args->role = RTE_COMCH_ROLE_HOST;
	} else {
		BF_LOG(ERR, "%s=%s: it is dpu or host", key, value == NULL ? "" : value);
		return -EINVAL;
	}
	args->has_role = true;
	return 0;
}

static int
arg_socket(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	if (value == NULL || value[0] == '\0' ||
			strlcpy(args->socket, value, BF_SOCKET_SIZE) >= BF_SOCKET_SIZE) {
		BF_LOG(ERR, "%s=%s: it is the path of a socket, of 1 to %u bytes", key,
			value == NULL ? "" : value, BF_SOCKET_SIZE - 1);
		return -EINVAL;
	}
	return 0;
}

static int
arg_report(const char *key, const char *value, void *opaque)
{
	struct bf_args *args = opaque;

	if (value == NULL || value[0] == '\0' ||
			strlcpy(args->report, value, sizeof(args->report)) >=
			sizeof(args->report)) {
		BF_LOG(ERR, "%s=%s: it is the path of a file, of 1 to %zu bytes", key,
			value == NULL ? "" : value, sizeof(args->report) - 1);
		return -EINVAL;
	}
	return 0;
}

static int
args_process(struct rte_kvargs *kvlist, struct bf_args *args, const char *name)
{
	struct arg_number sock = { &args->socket_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT };
	struct arg_number cmd = { &args->conf.cmd_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT };
	struct arg_number fw = { &args->conf.fw_timeout_ms, BF_MIN_TIMEOUT, BF_MAX_TIMEOUT };
	struct arg_number health = { &args->conf.health_ms, BF_MIN_HEALTH, BF_MAX_HEALTH };
	struct arg_number pages = { &args->conf.max_pages, 1, BF_MAX_PAGES };
	const struct {
		const char *key;
		arg_handler_t handler;
		void *opaque;
	} rows[] = {
		{ BF_ARG_ROLE, arg_role, args },
		{ BF_ARG_SOCKET, arg_socket, args },
		{ BF_ARG_SOCKET_TIMEOUT, arg_number, &sock },
		{ BF_ARG_CMD_TIMEOUT, arg_number, &cmd },
		{ BF_ARG_FW_TIMEOUT, arg_number, &fw },
		{ BF_ARG_HEALTH, arg_number, &health },
		{ BF_ARG_MAX_PAGES, arg_number, &pages },
		{ BF_ARG_REPORT, arg_report, args },
	};
	uint32_t i;

	for (i = 0; i < RTE_DIM(rows); i++) {
		if (rte_kvargs_count(kvlist, rows[i].key) > 1) {
			BF_LOG(ERR, "%s: key '%s' is there twice", name, rows[i].key);
			return -EINVAL;
		}
		if (dpdk_kvargs_process_opt(kvlist, rows[i].key, rows[i].handler,
				rows[i].opaque) != 0) {
			BF_LOG(ERR, "%s: bad value of key '%s'", name, rows[i].key);
			return -EINVAL;
		}
	}
	return 0;
}

int
bf_args_parse(struct bf_args *args, const char *name, const char *text, bool pci)
{
	static const char * const pci_keys[] = {
		BF_ARG_CLASS, BF_ARG_ROLE, BF_ARG_CMD_TIMEOUT, BF_ARG_FW_TIMEOUT, BF_ARG_HEALTH,
		BF_ARG_MAX_PAGES, BF_ARG_REPORT, NULL,
	};
	static const char * const vdev_keys[] = {
		BF_ARG_SOCKET, BF_ARG_SOCKET_TIMEOUT, BF_ARG_ROLE, BF_ARG_CMD_TIMEOUT,
		BF_ARG_FW_TIMEOUT, BF_ARG_HEALTH, BF_ARG_MAX_PAGES, BF_ARG_REPORT, NULL,
	};
	struct rte_kvargs *kvlist;
	int ret;

	memset(args, 0, sizeof(*args));
	bf_func_conf_init(&args->conf);
	args->socket_timeout_ms = BF_DFLT_SOCKET_TIMEOUT;
	kvlist = rte_kvargs_parse(text == NULL ? "" : text, pci ? pci_keys : vdev_keys);
	if (kvlist == NULL) {
		BF_LOG(ERR, "%s: cannot parse '%s'; its keys are: %s", name,
			text == NULL ? "" : text, pci ? BF_PCI_PARAMS : BF_VDEV_PARAMS);
		return -EINVAL;
	}
	ret = args_process(kvlist, args, name);
	rte_kvargs_free(kvlist);
	if (ret == 0 && !pci && args->socket[0] == '\0') {
		BF_LOG(ERR, "%s: key '%s' is missing, it is the path of a vfio-user socket, as comch-bluefield-model makes one; a function on the PCI bus is given as -a <address>,%s=%s",
			name, BF_ARG_SOCKET, BF_ARG_CLASS, BF_CLASS);
		ret = -EINVAL;
	}
	return ret;
}

/*
 * Create and destroy
 */

static void
dev_fatal(void *arg, enum bf_fatal fatal, int reason)
{
	struct rte_comch_dev *rte_dev = arg;
	const struct rte_comch_dev *outer = telling;

	BF_LOG(ERR, "%s: has failed: %s; stop its contexts, then reset it with rte_comch_dev_reset(), or remove it if it is gone",
		rte_dev->data->name, bf_fatal_text(fatal));
	rte_comch_pmd_dev_down(rte_dev, reason);
	/* no bus tells of a device that went without asking */
	if (reason != -ENODEV)
		return;
	telling = rte_dev;
	rte_dev_event_callback_process(rte_dev->device->name, RTE_DEV_EVENT_REMOVE);
	telling = outer;
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
				dev->dev->data->name, BF_ARG_ROLE, BF_ARG_ROLE);
		return args->role;
	}
	if (ecpf)
		return RTE_COMCH_ROLE_DPU;
	BF_LOG(NOTICE, "%s: its role is host, as nothing else was said; for a VF of the card's own PF, on the card, add %s=dpu to its arguments",
		dev->dev->data->name, BF_ARG_ROLE);
	return RTE_COMCH_ROLE_HOST;
}

/* Is the function one that we can work with? */
static int
dev_check(const struct bf_dev *dev)
{
	const struct bf_func_caps *caps = bf_func_caps(dev->func);
	const char *name = dev->dev->data->name;

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

/* The function is up: may the library have it? */
static int
dev_accept(struct bf_dev *dev, const struct bf_args *args)
{
	struct bf_hw *hw = bf_func_hw(dev->func);
	struct rte_comch_dev_data *data = dev->dev->data;
	int ret;

	if (hw->report != NULL)
		bf_report_up(hw);
	ret = dev_check(dev);
	if (ret == 0) {
		data->role = dev_role(dev, args);
		ret = bf_usable(dev->func, data->name, data->role, &dev->ident, true);
	}
	if (hw->report == NULL)
		return ret;
	if (ret == 0)
		ret = bf_report_try(dev->func);
	bf_report_result(hw->report, ret);
	return ret;
}

int
bf_dev_create(struct rte_device *device, const struct bf_ident *ident, struct bf_hw *hw,
		const struct bf_args *args)
{
	struct bf_func_conf conf = args->conf;
	struct rte_comch_dev *rte_dev;
	struct bf_dev *dev;
	int ret;

	dev = calloc(1, sizeof(*dev));
	if (dev == NULL) {
		hw->ops->close(hw);
		return -ENOMEM;
	}
	rte_dev = rte_comch_pmd_allocate(hw->name, hw->numa_node);
	if (rte_dev == NULL) {
		ret = -rte_errno;
		hw->ops->close(hw);
		goto fail_dev;
	}
	dev->dev = rte_dev;
	dev->ident = *ident;
	rte_dev->priv = dev;
	rte_dev->ops = &bf_ops;
	rte_dev->device = device;
	rte_dev->driver_name = ident->driver;
	conf.fatal_cb = dev_fatal;
	conf.arg = rte_dev;
	ret = args->report[0] != '\0' ? bf_report_open(hw, args->report) : 0;
	if (ret != 0) {
		hw->ops->close(hw);
		goto fail_rte_dev;
	}
	ret = bf_func_create(hw, &conf, &dev->func);
	if (ret != 0)
		goto fail_rte_dev;
	ret = dev_accept(dev, args);
	if (ret == 0)
		ret = rte_comch_pmd_ready(rte_dev);
	if (ret == 0)
		return 0;
	bf_func_destroy(dev->func);
fail_rte_dev:
	rte_comch_pmd_release(rte_dev);
fail_dev:
	free(dev);
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
	/* its events may call dev_fatal() until this returns */
	bf_func_destroy(dev->func);
	rte_comch_pmd_release(rte_dev);
	free(dev);
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
