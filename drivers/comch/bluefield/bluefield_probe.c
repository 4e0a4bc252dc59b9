/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The driver on the PCI bus: which functions it takes, and why not the others,
 * with what to do about it. Registers are not touched here.
 *
 * DPDK's own mlx5 drivers claim the same ids, take functions bound to the
 * kernel's mlx5_core, and end the probe of a device with an error if they cannot.
 * To live beside them:
 *   - this driver stands before theirs in the bus's list, and passes on (returns
 *     1) whatever does not say class=comch;
 *   - it passes on a second probe of their devices as well (PROBE_AGAIN);
 *   - it maps functions by itself, when it has decided to take them: mapping by
 *     the bus (NEED_MAPPING) would reset them before it is asked, and would leave
 *     out those that are not bound to VFIO without a word.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <linux/vfio.h>

#include <bus_pci_driver.h>
#include <rte_bus_vdev.h>
#include <rte_cycles.h>
#include <rte_devargs.h>
#include <rte_eal.h>
#include <rte_kvargs.h>
#include <rte_string_fns.h>
#include <rte_vfio.h>

#include "bluefield_times.h"
#include "comch_bluefield.h"
#include "dpdk_release.h"

#define BF_PCI_DRIVER "comch_bluefield_pci"
#define BF_MLX5_DRIVER "mlx5_pci"
#define BF_MAX_VFS 512

/*
 * What the kernel says of the function
 */

/* The last part of where a link in the function's folder leads; false: no link. */
static bool
sysfs_link(const char *addr, const char *link, char *name, size_t size)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *base;
	ssize_t len;

	snprintf(path, sizeof(path), "%s/%s/%s", rte_pci_get_sysfs_path(), addr, link);
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return false;
	target[len] = '\0';
	base = strrchr(target, '/');
	strlcpy(name, base == NULL ? target : base + 1, size);
	return true;
}

/* One of the function's ids; 0, which no vendor has, if there is none. */
static uint16_t
sysfs_id(const char *addr, const char *file)
{
	char path[PATH_MAX];
	unsigned int id;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s/%s", rte_pci_get_sysfs_path(), addr, file);
	f = fopen(path, "r");
	if (f == NULL)
		return 0;
	if (fscanf(f, "%x", &id) != 1)
		id = 0;
	fclose(f);
	return (uint16_t)id;
}

static int
refuse_part(const char *addr, uint16_t vendor_id, uint16_t device_id)
{
	BF_LOG(ERR, "%s: %s=%s is for functions of a BlueField, and %04x:%04x is none that this driver knows; it takes " BF_PARTS,
		addr, BF_ARG_CLASS, BF_CLASS, vendor_id, device_id);
	return -ENOTSUP;
}

/* Not bound to VFIO: to what, and what is in the way of binding it. */
static int
explain_driver(const char *addr)
{
	char driver[64], group[32];
	bool bound = sysfs_link(addr, "driver", driver, sizeof(driver));

	if (!sysfs_link(addr, "iommu_group", group, sizeof(group))) {
		BF_LOG(ERR, "%s: is %s%s and has no IOMMU group: switch the IOMMU on in the firmware's set-up and on the kernel's command line (intel_iommu=on or amd_iommu=on; in a virtual machine, an emulated IOMMU), then dpdk-devbind.py -b vfio-pci %s",
			addr, bound ? "bound to kernel driver " : "bound to no kernel driver",
			bound ? driver : "", addr);
		return -ENODEV;
	}
	if (!bound)
		BF_LOG(ERR, "%s: is bound to no kernel driver: modprobe vfio-pci, then dpdk-devbind.py -b vfio-pci %s",
			addr, addr);
	else if (strncmp(driver, "mlx5", 4) == 0)
		BF_LOG(ERR, "%s: is bound to kernel driver '%s', which uses it for networking; if the host can do without: modprobe vfio-pci, then dpdk-devbind.py -b vfio-pci %s; or give a VF, which takes no network away",
			addr, driver, addr);
	else
		BF_LOG(ERR, "%s: is bound to kernel driver '%s', and only vfio-pci will do: modprobe vfio-pci, then dpdk-devbind.py -b vfio-pci %s",
			addr, driver, addr);
	return -ENODEV;
}

/* EAL had no VFIO when it started, so that it cannot map the function. */
static int
explain_no_vfio(const char *addr)
{
	if (access("/dev/vfio/vfio", F_OK) != 0)
		BF_LOG(ERR, "%s: there is no /dev/vfio/vfio: modprobe vfio-pci; in a container, pass the device files in; then start again",
			addr);
	else if (access("/dev/vfio/vfio", R_OK | W_OK) != 0)
		BF_LOG(ERR, "%s: this user may not open /dev/vfio/vfio: its mode is to be 0666, then start again",
			addr);
	else
		BF_LOG(ERR, "%s: EAL has started without VFIO: modprobe vfio-pci before the program starts, and see EAL's messages",
			addr);
	return -ENODEV;
}

/* EAL could not map the function, and has given up its group: find out why. */
static int
explain_map(const char *addr)
{
	struct vfio_group_status status = { .argsz = sizeof(status) };
	char group[32], path[64];
	int fd, err;

	if (!sysfs_link(addr, "iommu_group", group, sizeof(group))) {
		BF_LOG(ERR, "%s: has no IOMMU group: it has been removed, or the IOMMU is off",
			addr);
		return -ENODEV;
	}
	snprintf(path, sizeof(path), "/dev/vfio/%s", group);
	fd = open(path, O_RDWR | O_CLOEXEC);
	err = fd < 0 ? errno : 0;
	if (err == ENOENT) {
		/* without an IOMMU the name is another one */
		snprintf(path, sizeof(path), "/dev/vfio/noiommu-%s", group);
		fd = open(path, O_RDWR | O_CLOEXEC);
		err = fd < 0 ? errno : 0;
	}
	if (err == EBUSY) {
		BF_LOG(ERR, "%s: %s is busy: another process has the function, or one of the same IOMMU group; end it first (fuser -v %s names it)",
			addr, path, path);
		return -EBUSY;
	}
	if (err == EACCES || err == EPERM) {
		BF_LOG(ERR, "%s: this user may not open %s: chown %u %s, and raise the limit of locked memory (ulimit -l)",
			addr, path, getuid(), path);
		return -EACCES;
	}
	if (err != 0) {
		BF_LOG(ERR, "%s: cannot open %s: %s; bind the function to vfio-pci anew, or pass the file into the container",
			addr, path, strerror(err));
		return -ENODEV;
	}
	err = ioctl(fd, VFIO_GROUP_GET_STATUS, &status);
	close(fd);
	if (err == 0 && (status.flags & VFIO_GROUP_FLAGS_VIABLE) == 0) {
		BF_LOG(ERR, "%s: other devices of IOMMU group %s are bound to drivers of the kernel: bind all in %s/%s/iommu_group/devices to vfio-pci, or give another function",
			addr, group, rte_pci_get_sysfs_path(), addr);
		return -EPERM;
	}
	BF_LOG(ERR, "%s: EAL cannot map it, see its messages above; the usual causes are a limit of locked memory (ulimit -l) below what EAL has, and a VF of a PF that is itself bound to vfio-pci, which needs --vfio-vf-token",
		addr);
	return -EIO;
}

/*
 * Names
 */

/* Number of a VF on its PF, or -1. */
static int
vf_number(const char *addr)
{
	char link[64], name[32];
	int i;

	for (i = 0; i < BF_MAX_VFS; i++) {
		snprintf(link, sizeof(link), "physfn/virtfn%d", i);
		if (!sysfs_link(addr, link, name, sizeof(name)))
			return -1;
		if (strcmp(name, addr) == 0)
			return i;
	}
	return -1;
}

/*
 * The function as the card's side calls it: pf0, pf1vf3. A function that was
 * passed into a virtual machine has another address there: then a VF has no name,
 * because its PF is not to be seen, and a PF that of its place on the bus.
 */
static void
ident_fill(const struct rte_pci_device *pci, struct bf_ident *ident)
{
	const char *addr = pci->name;
	unsigned int pf = pci->addr.function;
	char physfn[32];
	int vf;

	strlcpy(ident->pci_addr, addr, sizeof(ident->pci_addr));
	if (pci->id.device_id != BF_DEVICE_VF) {
		snprintf(ident->function, sizeof(ident->function), "pf%u", pf);
		return;
	}
	if (!sysfs_link(addr, "physfn", physfn, sizeof(physfn)) || physfn[0] == '\0')
		return;
	vf = vf_number(addr);
	pf = physfn[strlen(physfn) - 1] - '0';
	if (vf >= 0 && pf <= 7)
		snprintf(ident->function, sizeof(ident->function), "pf%uvf%d", pf, vf);
}

/*
 * Probe and remove
 */

/* Does the user want this function for comch? */
static bool
is_wanted(const struct rte_devargs *devargs)
{
	struct rte_kvargs *kvlist;
	const char *class;
	bool wanted;

	if (devargs == NULL || devargs->args == NULL)
		return false;
	kvlist = rte_kvargs_parse(devargs->args, NULL);
	if (kvlist == NULL)
		return false;
	class = rte_kvargs_get(kvlist, BF_ARG_CLASS);
	wanted = class != NULL && strcmp(class, BF_CLASS) == 0;
	rte_kvargs_free(kvlist);
	return wanted;
}

/* The kernel wants the function back (EAL's interrupt thread). */
static void
unplug_handler(const char *name __rte_unused, enum rte_dev_event_type event, void *arg)
{
	const struct rte_pci_device *pci = arg;

	if (event == RTE_DEV_EVENT_REMOVE)
		bf_dev_unplugged(pci->name);
}

static void
unplug_watch(struct rte_pci_device *pci)
{
	if (rte_dev_event_callback_register(pci->device.name, unplug_handler, pci) != 0)
		BF_LOG(WARNING, "%s: EAL will not tell when the kernel wants it back", pci->name);
}

/* When this returns, the handler does not run. EAL may have renamed the device. */
static int
unplug_unwatch(struct rte_pci_device *pci)
{
	uint32_t i;

	for (i = 0; i < BF_UNWATCH_MS; i++) {
		if (rte_dev_event_callback_unregister(NULL, unplug_handler, pci) != -EAGAIN)
			return 0;
		rte_delay_us_sleep(1000);
	}
	BF_LOG(ERR, "%s: EAL's event handler does not end, remove it outside of the handler",
		pci->name);
	return -EBUSY;
}

static int
pci_take(struct rte_pci_device *pci)
{
	const char *addr = pci->name;
	struct bf_ident ident = { .driver = "comch_bluefield" };
	struct bf_args args;
	struct bf_hw *hw;
	int ret;

	if (rte_eal_process_type() != RTE_PROC_PRIMARY) {
		BF_LOG(ERR, "%s: secondary processes cannot have a function with %s=%s; give it to the primary, or start another primary with its own --file-prefix",
			addr, BF_ARG_CLASS, BF_CLASS);
		return -ENOTSUP;
	}
	if (bf_part_name(pci->id.device_id) == NULL)
		return refuse_part(addr, pci->id.vendor_id, pci->id.device_id);
	ret = bf_args_parse(&args, addr, pci->device.devargs->args, true);
	if (ret != 0)
		return ret;
	if (pci->kdrv != RTE_PCI_KDRV_VFIO)
		return explain_driver(addr);
	if (rte_vfio_is_enabled("vfio") == 0)
		return explain_no_vfio(addr);
	/* opens it, resets the function, maps its BARs, lets it master the bus */
	if (rte_pci_map_device(pci) != 0)
		return explain_map(addr);
	ret = bf_hw_pci_open(pci, &hw);
	if (ret != 0)
		return ret;
	ident_fill(pci, &ident);
	ret = bf_dev_create(&pci->device, &ident, hw, &args);
	if (ret == 0)
		unplug_watch(pci);
	return ret;
}

static int
bf_pci_probe(struct rte_pci_driver *drv, struct rte_pci_device *pci)
{
	const struct rte_driver *has = pci->device.driver;

	/* PROBE_AGAIN: it is for the driver that has it */
	if (has != NULL && has != &drv->driver)
		return 1;
	/* EAL may name this driver there from the first probe on: ask our own table */
	if (bf_dev_exists(pci->name)) {
		BF_LOG(ERR, "%s: this process has it already; remove it before you probe it again",
			pci->name);
		return -EEXIST;
	}
	return is_wanted(pci->device.devargs) ? pci_take(pci) : 1;
}

static int
bf_pci_remove(struct rte_pci_device *pci)
{
	int ret;

	ret = unplug_unwatch(pci);
	if (ret != 0)
		return ret;
	ret = bf_dev_destroy(pci->name);
	if (ret != 0 && ret != -ENODEV)
		unplug_watch(pci);
	return ret;
}

/*
 * EAL asks no driver about a function that is not there or of another vendor, or that
 * no driver of the kernel has, or an UIO one: it says nothing and starts without it. A
 * scan of the virtual bus is the moment to look at what was asked for, as the arguments
 * are known by then.
 */
static void
explain_unasked(const char *addr)
{
	uint16_t vendor_id = sysfs_id(addr, "vendor");
	uint16_t device_id = sysfs_id(addr, "device");
	bool ours = vendor_id == BF_VENDOR_ID;
	char path[PATH_MAX], driver[64] = "";

	snprintf(path, sizeof(path), "%s/%s", rte_pci_get_sysfs_path(), addr);
	if (access(path, F_OK) != 0) {
		BF_LOG(ERR, "%s: there is no such function; lspci -D -d %04x: lists those of the vendor, and in a container /sys has to be there",
			addr, BF_VENDOR_ID);
		return;
	}
	if (ours && sysfs_link(addr, "driver", driver, sizeof(driver)) &&
			strstr(driver, "uio") == NULL)
		return; /* EAL asks us */
	if (ours && bf_part_name(device_id) != NULL)
		explain_driver(addr);
	else
		refuse_part(addr, vendor_id, device_id);
}

static void
scan_handler(void *arg __rte_unused)
{
	static bool done;
	char name[PCI_PRI_STR_SIZE + 1];
	struct rte_devargs *devargs;
	struct rte_pci_addr addr;

	/* later scans are for devices that come one by one: EAL tells of those */
	if (done || rte_eal_has_pci() == 0)
		return;
	done = true;
	RTE_EAL_DEVARGS_FOREACH("pci", devargs) {
		if (devargs->policy != RTE_DEV_ALLOWED || !is_wanted(devargs) ||
				rte_pci_addr_parse(devargs->name, &addr) != 0)
			continue;
		rte_pci_device_name(&addr, name, sizeof(name));
		explain_unasked(name);
	}
}

/* What is supported: for dpdk-pmdinfo.py. */
static const struct rte_pci_id bf_pci_ids[] __rte_used = {
	{ RTE_PCI_DEVICE(BF_VENDOR_ID, BF_DEVICE_BF2) },
	{ RTE_PCI_DEVICE(BF_VENDOR_ID, BF_DEVICE_BF3) },
	{ RTE_PCI_DEVICE(BF_VENDOR_ID, BF_DEVICE_VF) },
	{ .vendor_id = 0 },
};

/*
 * What the bus asks us about: all of the vendor's, so that class=comch on another
 * part ends with an error, and not with a device that is silently not there.
 */
static const struct rte_pci_id bf_pci_match[] = {
	{ RTE_PCI_DEVICE(BF_VENDOR_ID, RTE_PCI_ANY_ID) },
	{ .vendor_id = 0 },
};

static struct rte_pci_driver bf_pci_driver = {
	.driver = { .name = BF_PCI_DRIVER },
	.id_table = bf_pci_match,
	.probe = bf_pci_probe,
	.remove = bf_pci_remove,
	.drv_flags = RTE_PCI_DRV_PROBE_AGAIN,
};

DPDK_PCI_DRIVER_LIST(bf_pci_drivers);

/*
 * Drivers are asked in the order of the bus's list. In one program ours comes
 * before mlx5's, which registers later; as a plugin it may be loaded after it,
 * and then theirs has to move behind ours.
 */
RTE_INIT_PRIO(bf_pci_register, CLASS)
{
	struct rte_pci_driver *drv, *prev;

	rte_pci_register(&bf_pci_driver);
	/* without memory for it, messages are missing and nothing else */
	(void)rte_vdev_add_custom_scan(scan_handler, NULL);
	for (drv = DPDK_PCI_DRIVER_PREV(&bf_pci_driver, bf_pci_drivers); drv != NULL; drv = prev) {
		prev = DPDK_PCI_DRIVER_PREV(drv, bf_pci_drivers);
		if (strcmp(drv->driver.name, BF_MLX5_DRIVER) != 0)
			continue;
		rte_pci_unregister(drv);
		rte_pci_register(drv);
	}
}

DPDK_PMD_EXPORT_NAME(comch_bluefield_pci);
RTE_PMD_REGISTER_PCI_TABLE(comch_bluefield_pci, bf_pci_ids);
RTE_PMD_REGISTER_PARAM_STRING(comch_bluefield_pci, BF_PCI_PARAMS);
RTE_PMD_REGISTER_KMOD_DEP(comch_bluefield_pci, "* vfio-pci");

/*
 * What DPDK's build makes of the lines above, for dpdk-pmdinfo.py: vendor, device,
 * subsystem's vendor and device, 65535 for any.
 */
static const char bf_pci_info[] __rte_used =
	"PMD_INFO_STRING= {\"name\" : \"comch_bluefield_pci\", \"params\" : \"" BF_PCI_PARAMS
	"\", \"kmod\" : \"* vfio-pci\", \"pci_ids\" : [[5555, 41686, 65535, 65535], "
	"[5555, 41692, 65535, 65535], [5555, 4126, 65535, 65535]]}";

_Static_assert(BF_VENDOR_ID == 5555, "text above");
_Static_assert(BF_DEVICE_BF2 == 41686, "text above");
_Static_assert(BF_DEVICE_BF3 == 41692, "text above");
_Static_assert(BF_DEVICE_VF == 4126, "text above");
