/* SPDX-License-Identifier: GPL-2.0-or-later
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Test equipment: a PCI Express function for a stock qemu-system-x86_64 whose
 * registers, interrupts and DMA are those of another process, reached with the
 * vfio-user protocol. That QEMU has no such device, so this file is preloaded
 * into it, and it uses QEMU's own headers: hence the licence, and hence nothing
 * but QEMU may be linked with it. What the device behind the socket does is not
 * known here.
 *
 *   LD_PRELOAD=shim.so qemu-system-x86_64 -device vfio-user-function,socket=<path>
 *
 * All of it runs under QEMU's big lock, so nothing in here takes another. The
 * protocol's side is link.c; memmap.c tells the server of the guest's memory.
 *
 * Header, PCI Express and MSI-X of configuration space are QEMU's, with identity,
 * BARs, vectors and FLR as the server shows them; writes to the command register
 * are told to the server. Power management, vital product data and capabilities of
 * the vendor are the server's. Others, and the extended space, are not shown.
 */

#include "qemu/osdep.h"

#include <linux/vfio.h>
#include <sys/eventfd.h>

#include "exec/memory.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "qapi/error.h"
#include "qapi/qapi-commands-control.h"
#include "qapi/qmp/qdict.h"
#include "qapi/qmp/qjson.h"
#include "qemu/error-report.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"

#include "link.h"
#include "memmap.h"

/*
 * The library is also preloaded into what starts QEMU (env, timeout) and what
 * QEMU starts: references to data would not resolve there. Functions bind when
 * they are called, which is never.
 */
#pragma weak register_module_init
#pragma weak qdev_prop_string
#pragma weak qdev_prop_uint32

#define SHIM_TYPE "vfio-user-function"
#define SHIM_MAX_VECTORS 2048

struct shim;

struct shim_bar {
	struct shim *s;
	uint8_t index;
	MemoryRegion mr;
};

struct shim_vector {
	struct shim *s;
	uint16_t index;
	int fd;
};

struct shim {
	PCIDevice pci;
	char *path;
	struct link link;
	bool refusal_reported;
	bool realized; /* the guest may have it */
	uint32_t max_fds;
	uint16_t command; /* as the server knows it */
	bool forwarded[PCI_CONFIG_SPACE_SIZE]; /* bytes that are the server's */
	uint32_t nb_vectors;
	struct shim_bar bars[PCI_ROM_SLOT];
	MemoryRegion *msix_table; /* BARs that they are in */
	MemoryRegion *msix_pba;
	struct shim_vector *vectors;
	struct memmap memmap;
};

DECLARE_INSTANCE_CHECKER(struct shim, SHIM, SHIM_TYPE)

static const char *
shim_name(const struct shim *s)
{
	return s->pci.qdev.id != NULL ? s->pci.qdev.id : SHIM_TYPE;
}

/* The server is gone for good: the function looks like one that was pulled out. */
static void
shim_lost(struct link *l)
{
	struct shim *s = container_of(l, struct shim, link);

	qemu_set_fd_handler(l->fd, NULL, NULL, NULL);
	if (s->realized)
		error_report("%s: lost the vfio-user server at %s: %s. Reads give all ones from "
			     "now on; start the server again, then restart the guest or plug the "
			     "function again",
				shim_name(s), s->path, l->why);
}

/* Asked for by message: through the IOMMU, and only while the guest lets it master. */
static int
shim_dma(struct link *l, bool write, uint64_t addr, void *buf, size_t len)
{
	struct shim *s = container_of(l, struct shim, link);
	MemTxResult result;

	result = write ? pci_dma_write(&s->pci, addr, buf, len) :
			 pci_dma_read(&s->pci, addr, buf, len);
	return result == MEMTX_OK ? 0 : EFAULT;
}

static void
shim_readable(void *opaque)
{
	struct shim *s = opaque;

	link_readable(&s->link);
}

/* A refused access is no reason to give the server up, but somebody should know. */
static void
shim_refused(struct shim *s, const char *what, uint64_t where, int ret)
{
	if (s->refusal_reported || ret == -ECONNRESET)
		return;
	s->refusal_reported = true;
	warn_report("%s: the server refuses %s at 0x%" PRIx64 ": %s. See its log; "
		    "further refusals are not reported",
			shim_name(s), what, where, strerror(-ret));
}

/* -------------------------------------------------------------- registers */

static uint64_t
shim_bar_read(void *opaque, hwaddr addr, unsigned int size)
{
	struct shim_bar *bar = opaque;
	uint64_t value = 0;
	int ret;

	ret = link_read(&bar->s->link, bar->index, addr, &value, size);
	if (ret == 0)
		return le64_to_cpu(value);
	shim_refused(bar->s, "a read", addr, ret);
	return UINT64_MAX;
}

static void
shim_bar_write(void *opaque, hwaddr addr, uint64_t value, unsigned int size)
{
	struct shim_bar *bar = opaque;
	int ret;

	value = cpu_to_le64(value);
	ret = link_write(&bar->s->link, bar->index, addr, &value, size);
	if (ret < 0)
		shim_refused(bar->s, "a write", addr, ret);
}

static const MemoryRegionOps shim_bar_ops = {
	.read = shim_bar_read,
	.write = shim_bar_write,
	.endianness = DEVICE_LITTLE_ENDIAN,
	.valid = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
	.impl = { .min_access_size = 1, .max_access_size = 8, .unaligned = true },
};

static void
shim_set_command(struct shim *s, uint16_t command)
{
	uint16_t value = cpu_to_le16(command);
	int ret;

	s->command = command;
	ret = link_write(&s->link, VFIO_PCI_CONFIG_REGION_INDEX, PCI_COMMAND, &value,
			sizeof(value));
	if (ret < 0)
		shim_refused(s, "a write of the command register", command, ret);
}

static bool
shim_is_forwarded(const struct shim *s, uint32_t addr, int len)
{
	return addr + len <= PCI_CONFIG_SPACE_SIZE &&
			memchr(s->forwarded + addr, true, len) != NULL;
}

static uint32_t
shim_config_read(PCIDevice *pci, uint32_t addr, int len)
{
	struct shim *s = SHIM(pci);
	uint8_t data[4];
	int ret, i;

	if (len <= 4 && shim_is_forwarded(s, addr, len)) {
		ret = link_read(&s->link, VFIO_PCI_CONFIG_REGION_INDEX, addr, data, len);
		if (ret < 0) {
			shim_refused(s, "a read of configuration space", addr, ret);
			memset(data, 0xff, sizeof(data));
		}
		for (i = 0; i < len; i++) {
			if (s->forwarded[addr + i])
				pci->config[addr + i] = data[i];
		}
	}
	return pci_default_read_config(pci, addr, len);
}

static void
shim_config_write(PCIDevice *pci, uint32_t addr, uint32_t value, int len)
{
	struct shim *s = SHIM(pci);
	uint32_t data = cpu_to_le32(value);
	uint16_t command;
	int ret;

	if (shim_is_forwarded(s, addr, len)) {
		ret = link_write(&s->link, VFIO_PCI_CONFIG_REGION_INDEX, addr, &data, len);
		if (ret < 0)
			shim_refused(s, "a write of configuration space", addr, ret);
	}
	pci_default_write_config(pci, addr, value, len);
	if (pci->exp.exp_cap != 0)
		pcie_cap_flr_write_config(pci, addr, value, len);
	command = pci_get_word(pci->config + PCI_COMMAND);
	if (command != s->command)
		shim_set_command(s, command);
}

static void
shim_drain(int fd)
{
	uint64_t count;

	/* Empty is fine, and so is a signal: the handler comes again. */
	if (read(fd, &count, sizeof(count)) < 0)
		return;
}

/* Of the machine, of a bus, or by FLR. QEMU's own registers are reset by itself. */
static void
shim_reset(DeviceState *dev)
{
	struct shim *s = SHIM(dev);
	uint32_t i;
	int ret;

	ret = link_request(&s->link, VFIO_USER_CMD_DEVICE_RESET, NULL, 0, NULL, 0, NULL, 0, 0);
	if (ret < 0)
		shim_refused(s, "a reset", 0, ret);
	shim_set_command(s, 0);
	for (i = 0; i < s->nb_vectors; i++)
		shim_drain(s->vectors[i].fd);
}

static void
shim_interrupt(void *opaque)
{
	struct shim_vector *v = opaque;

	shim_drain(v->fd);
	msix_notify(&v->s->pci, v->index);
}

/* ------------------------------------------------------------- life cycle */

static bool
shim_failed(struct shim *s, const char *what, int ret, Error **errp)
{
	error_setg(errp, "the server at %s cannot tell %s: %s", s->path, what,
			s->link.why != NULL ? s->link.why : strerror(-ret));
	return false;
}

static bool
shim_connect(struct shim *s, Error **errp)
{
	static const char caps[] = "{\"capabilities\":{\"max_msg_fds\":1,"
				   "\"max_data_xfer_size\":" stringify(LINK_MAX_XFER) "}}";
	struct vfio_user_version version = { .major = 0, .minor = 1 };
	struct iovec iov[2] = { LINK_PIECE(&version, sizeof(version)),
		LINK_PIECE(caps, sizeof(caps)) };
	char reply[sizeof(version) + 4096];
	QObject *json = NULL;
	QDict *dict;
	int ret;

	if (s->path == NULL) {
		error_setg(errp, "socket=<path of the server's socket> is needed");
		return false;
	}
	ret = link_open(&s->link, s->path);
	if (ret < 0) {
		error_setg(errp, "no vfio-user server at %s: start it before QEMU: %s", s->path,
				strerror(-ret));
		return false;
	}

	memset(reply, 0, sizeof(reply));
	ret = link_request(&s->link, VFIO_USER_CMD_VERSION, iov, 2, NULL, 0, reply, sizeof(version),
			sizeof(reply) - 1);
	if (ret < 0)
		return shim_failed(s, "its version", ret, errp);
	memcpy(&version, reply, sizeof(version));
	if (version.major != 0) {
		error_setg(errp, "the server at %s speaks vfio-user %u, not 0: use one that does",
				s->path, version.major);
		return false;
	}
	s->max_fds = 1; /* the protocol's default */
	if (reply[sizeof(version)] != '\0')
		json = qobject_from_json(reply + sizeof(version), NULL);
	dict = qobject_to(QDict, json);
	dict = dict != NULL ? qdict_get_qdict(dict, "capabilities") : NULL;
	if (dict != NULL)
		s->max_fds = MIN(MAX(qdict_get_try_int(dict, "max_msg_fds", 1), 0), LINK_MAX_FDS);
	qobject_unref(json);
	if (s->max_fds == 0) {
		error_setg(errp, "the server at %s takes no descriptors: DMA needs them", s->path);
		return false;
	}
	return true;
}

/* A capability that is the server's, but for its place in the list. */
static bool
shim_forward_capability(struct shim *s, const uint8_t *cfg, uint8_t pos, Error **errp)
{
	uint8_t size;

	switch (cfg[pos]) {
	case PCI_CAP_ID_PM:
		size = PCI_PM_SIZEOF;
		break;
	case PCI_CAP_ID_VPD:
		size = PCI_CAP_VPD_SIZEOF;
		break;
	case PCI_CAP_ID_VNDR:
		size = cfg[pos + PCI_CAP_LIST_NEXT + 1];
		break;
	default:
		return true;
	}
	if (size < PCI_CAP_SIZEOF || pos + size > PCI_CONFIG_SPACE_SIZE) {
		error_setg(errp, "capability 0x%02x at 0x%02x of the server at %s has a size of %u",
				cfg[pos], pos, s->path, size);
		return false;
	}
	if (pci_add_capability(&s->pci, cfg[pos], pos, size, errp) < 0)
		return false;
	memset(s->forwarded + pos + PCI_CAP_FLAGS, true, size - PCI_CAP_FLAGS);
	return true;
}

/* Identity, BARs and capabilities, as configuration space and regions say. */
static bool
shim_take_over(struct shim *s, Error **errp)
{
	struct vfio_user_device_info info = { .argsz = sizeof(info) };
	struct vfio_region_info region;
	struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSIX_IRQ_INDEX };
	struct iovec iov = LINK_PIECE(&info, sizeof(info));
	uint8_t cfg[PCI_CONFIG_SPACE_SIZE];
	uint8_t *config = s->pci.config;
	uint8_t msix = 0, exp = 0, pos;
	uint64_t sizes[PCI_ROM_SLOT];
	uint32_t table, pba;
	uint8_t type;
	int ret, i;

	ret = link_request(&s->link, VFIO_USER_CMD_DEVICE_GET_INFO, &iov, 1, NULL, 0, &info, sizeof(info),
			sizeof(info));
	if (ret < 0)
		return shim_failed(s, "what it is", ret, errp);
	if (!(info.flags & VFIO_DEVICE_FLAGS_PCI) || !(info.flags & VFIO_DEVICE_FLAGS_RESET) ||
			info.num_regions <= VFIO_PCI_CONFIG_REGION_INDEX ||
			info.num_irqs <= VFIO_PCI_MSIX_IRQ_INDEX) {
		error_setg(errp, "the server at %s has no PCI device with reset and MSI-X",
				s->path);
		return false;
	}
	for (i = 0; i < PCI_ROM_SLOT; i++) {
		memset(&region, 0, sizeof(region));
		region.argsz = sizeof(region);
		region.index = i;
		iov = (struct iovec)LINK_PIECE(&region, sizeof(region));
		ret = link_request(&s->link, VFIO_USER_CMD_GET_REGION_INFO, &iov, 1, NULL, 0, &region,
				sizeof(region), sizeof(region));
		if (ret < 0)
			return shim_failed(s, "its regions", ret, errp);
		sizes[i] = region.size;
	}
	iov = (struct iovec)LINK_PIECE(&irq, sizeof(irq));
	ret = link_request(&s->link, VFIO_USER_CMD_GET_IRQ_INFO, &iov, 1, NULL, 0, &irq, sizeof(irq),
			sizeof(irq));
	if (ret < 0)
		return shim_failed(s, "its interrupts", ret, errp);
	for (i = 0; i < PCI_CONFIG_SPACE_SIZE; i += 4) {
		ret = link_read(&s->link, VFIO_PCI_CONFIG_REGION_INDEX, i, cfg + i, 4);
		if (ret < 0)
			return shim_failed(s, "its configuration space", ret, errp);
	}

	memcpy(config + PCI_VENDOR_ID, cfg + PCI_VENDOR_ID, 4);
	memcpy(config + PCI_REVISION_ID, cfg + PCI_REVISION_ID, 4); /* and class */
	memcpy(config + PCI_SUBSYSTEM_VENDOR_ID, cfg + PCI_SUBSYSTEM_VENDOR_ID, 4);

	for (i = 0; i < PCI_ROM_SLOT; i++) {
		type = cfg[PCI_BASE_ADDRESS_0 + i * 4] & ~PCI_BASE_ADDRESS_MEM_MASK;
		if (sizes[i] == 0)
			continue;
		if (type & PCI_BASE_ADDRESS_SPACE_IO || !is_power_of_2(sizes[i]) ||
				sizes[i] < MEMMAP_PAGE) {
			error_setg(errp, "BAR %d of the server at %s is not memory of 2^n pages", i,
					s->path);
			return false;
		}
		s->bars[i].s = s;
		s->bars[i].index = i;
		memory_region_init_io(&s->bars[i].mr, OBJECT(s), &shim_bar_ops, &s->bars[i],
				SHIM_TYPE, sizes[i]);
		pci_register_bar(&s->pci, i, type, &s->bars[i].mr);
		if (type & PCI_BASE_ADDRESS_MEM_TYPE_64)
			i++;
	}

	pos = cfg[PCI_STATUS] & PCI_STATUS_CAP_LIST ? cfg[PCI_CAPABILITY_LIST] & ~3 : 0;
	for (i = 0; pos >= PCI_CONFIG_HEADER_SIZE && i < 48; i++, pos = cfg[pos + 1] & ~3) {
		if (cfg[pos] == PCI_CAP_ID_MSIX)
			msix = pos;
		else if (cfg[pos] == PCI_CAP_ID_EXP)
			exp = pos;
		else if (!shim_forward_capability(s, cfg, pos, errp))
			return false;
	}
	if (msix == 0 || msix > PCI_CONFIG_SPACE_SIZE - MSIX_CAP_LENGTH || irq.count == 0 ||
			irq.count > SHIM_MAX_VECTORS) {
		error_setg(errp, "the server at %s has no MSI-X: it must show it", s->path);
		return false;
	}
	table = pci_get_long(cfg + msix + PCI_MSIX_TABLE);
	pba = pci_get_long(cfg + msix + PCI_MSIX_PBA);
	type = table & PCI_MSIX_FLAGS_BIRMASK;
	i = pba & PCI_MSIX_FLAGS_BIRMASK;
	if (type >= PCI_ROM_SLOT || s->bars[type].s == NULL || i >= PCI_ROM_SLOT ||
			s->bars[i].s == NULL) {
		error_setg(errp, "MSI-X of the server at %s is in a BAR that it does not have",
				s->path);
		return false;
	}
	s->msix_table = &s->bars[type].mr;
	s->msix_pba = &s->bars[i].mr;
	if (msix_init(&s->pci, irq.count, s->msix_table, type, table & ~PCI_MSIX_FLAGS_BIRMASK,
			    s->msix_pba, i, pba & ~PCI_MSIX_FLAGS_BIRMASK, msix, errp) < 0)
		return false;
	s->nb_vectors = irq.count;
	/* Without one of the server's, anywhere: the guest finds it in the list. */
	if (pcie_endpoint_cap_init(&s->pci, exp) < 0) {
		error_setg(errp, "no room for a PCI Express capability at 0x%x", exp);
		return false;
	}
	if (exp == 0 || pci_get_long(cfg + exp + PCI_EXP_DEVCAP) & PCI_EXP_DEVCAP_FLR)
		pcie_cap_flr_init(&s->pci);
	return true;
}

static bool
shim_connect_vectors(struct shim *s, Error **errp)
{
	struct vfio_irq_set set = {
		.argsz = sizeof(set),
		.flags = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER,
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
	};
	struct iovec iov = LINK_PIECE(&set, sizeof(set));
	int fds[LINK_MAX_FDS];
	struct shim_vector *v;
	uint32_t i;
	int ret;

	s->vectors = g_new0(struct shim_vector, s->nb_vectors);
	for (i = 0; i < s->nb_vectors; i++)
		s->vectors[i].fd = -1;
	for (i = 0; i < s->nb_vectors; i++) {
		v = &s->vectors[i];
		v->s = s;
		v->index = i;
		v->fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
		if (v->fd < 0) {
			error_setg_errno(errp, errno, "no eventfd for vector %u: raise ulimit -n",
					i);
			return false;
		}
		qemu_set_fd_handler(v->fd, shim_interrupt, NULL, v);
		msix_vector_use(&s->pci, i);
	}
	while (set.start < s->nb_vectors) {
		set.count = MIN(s->nb_vectors - set.start, s->max_fds);
		for (i = 0; i < set.count; i++)
			fds[i] = s->vectors[set.start + i].fd;
		ret = link_request(&s->link, VFIO_USER_CMD_SET_IRQS, &iov, 1, fds, set.count, NULL, 0,
				0);
		if (ret < 0)
			return shim_failed(s, "interrupts to our eventfds", ret, errp);
		set.start += set.count;
	}
	return true;
}

/* Also of a device that was made in part. */
static void
shim_exit(PCIDevice *pci)
{
	struct shim *s = SHIM(pci);
	uint32_t i;

	s->realized = false;
	memmap_stop(&s->memmap);
	for (i = 0; s->vectors != NULL && i < s->nb_vectors; i++) {
		if (s->vectors[i].fd < 0)
			continue;
		qemu_set_fd_handler(s->vectors[i].fd, NULL, NULL, NULL);
		close(s->vectors[i].fd);
	}
	g_free(s->vectors);
	s->vectors = NULL;
	if (msix_present(pci)) {
		msix_unuse_all_vectors(pci);
		msix_uninit(pci, s->msix_table, s->msix_pba);
	}
	if (pci->exp.exp_cap != 0)
		pcie_cap_exit(pci);
	s->nb_vectors = 0;
	if (s->link.fd >= 0)
		qemu_set_fd_handler(s->link.fd, NULL, NULL, NULL);
	link_close(&s->link);
}

static void
shim_realize(PCIDevice *pci, Error **errp)
{
	struct shim *s = SHIM(pci);

	if (!shim_connect(s, errp) || !shim_take_over(s, errp) || !shim_connect_vectors(s, errp)) {
		shim_exit(pci);
		return;
	}
	qemu_set_fd_handler(s->link.fd, shim_readable, NULL, s);

	if (memmap_start(&s->memmap, &s->link, shim_name(s), pci_device_iommu_address_space(pci),
			    errp)) {
		s->realized = s->link.fd >= 0;
		if (!s->realized)
			shim_failed(s, "that it has mapped memory", -ECONNRESET, errp);
	}
	if (!s->realized)
		shim_exit(pci);
}

static void
shim_instance_init(Object *obj)
{
	struct shim *s = SHIM(obj);

	s->link.fd = -1;
	s->link.dma = shim_dma;
	s->link.lost = shim_lost;
	/* Room for both kinds of configuration space, decided before realize. */
	s->pci.cap_present |= QEMU_PCI_CAP_EXPRESS;
}

static Property shim_properties[] = {
	DEFINE_PROP_STRING("socket", struct shim, path),
	DEFINE_PROP_UINT32("timeout-ms", struct shim, link.timeout_ms, 10000),
	DEFINE_PROP_END_OF_LIST(),
};

/*
 * Structures are laid out as the headers say that this file was compiled with. A
 * QEMU of another version would be damaged silently, so everything that it can
 * be asked is compared.
 */
static void
shim_check_abi(ObjectClass *oc)
{
	/* QEMU does not export the size of a class; the type record starts with it. */
	const struct {
		const char *name;
		size_t class_size;
		size_t instance_size;
	} *type = (const void *)object_class_get_parent(oc)->type;
	VersionInfo *version = qmp_query_version(NULL);
	const char *package = version->package;
	const char *rest = NULL;
	size_t mr_size = object_type_get_instance_size("memory-region");

	if (g_str_has_prefix(package, "Debian " SHIM_QEMU_VERSION))
		rest = package + strlen("Debian " SHIM_QEMU_VERSION);
	/* +b<n>: compiled again from the same source. */
	if (rest == NULL || (rest[0] != '\0' && !g_str_has_prefix(rest, "+b")) ||
			type->instance_size != sizeof(PCIDevice) ||
			type->class_size != sizeof(PCIDeviceClass) ||
			mr_size != sizeof(MemoryRegion)) {
		error_report("the preloaded shim.so is for qemu-system-x86 " SHIM_QEMU_VERSION
			     " with sizes %zu/%zu/%zu, this is \"%s\" with %zu/%zu/%zu: "
			     "build it again with devtools/qemu/build-shim.sh",
				sizeof(PCIDevice), sizeof(PCIDeviceClass), sizeof(MemoryRegion),
				package, type->instance_size, type->class_size, mr_size);
		exit(1);
	}
	qapi_free_VersionInfo(version);
}

static void
shim_class_init(ObjectClass *oc, void *unused)
{
	DeviceClass *dc = DEVICE_CLASS(oc);
	PCIDeviceClass *pc = PCI_DEVICE_CLASS(oc);

	(void)unused;
	shim_check_abi(oc);
	device_class_set_props(dc, shim_properties);
	dc->desc = "PCI Express function of a vfio-user server";
	dc->reset = shim_reset;
	set_bit(DEVICE_CATEGORY_MISC, dc->categories);
	pc->realize = shim_realize;
	pc->exit = shim_exit;
	pc->config_read = shim_config_read;
	pc->config_write = shim_config_write;
}

static void
shim_register(void)
{
	static const InterfaceInfo interfaces[] = { { INTERFACE_PCIE_DEVICE }, { NULL } };
	static const TypeInfo info = {
		.name = SHIM_TYPE,
		.parent = TYPE_PCI_DEVICE,
		.instance_size = sizeof(struct shim),
		.instance_init = shim_instance_init,
		.class_init = shim_class_init,
		.interfaces = (InterfaceInfo *)(uintptr_t)interfaces,
	};

	type_register_static(&info);
}

static void __attribute__((constructor))
shim_load(void)
{
	if (register_module_init == NULL)
		return; /* preloaded into something else than QEMU */
	/* What QEMU starts has no use for it. */
	unsetenv("LD_PRELOAD");
	register_module_init(shim_register, MODULE_INIT_QOM);
}
