/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DEV_H
#define DOCA_DEV_H

/**
 * @file
 *
 * Devices and representors: what there is, what each one is, open and close.
 *
 * A list entry (devinfo) tells of a function, an open device (dev) is what maps of memory
 * and contexts are made with. A device of the card has representors, one for each function
 * of the host that it serves. PCI addresses are accepted with and without the domain, and
 * are written with it.
 *
 * The first list starts EAL, unless the program has, and reads the environment. Without
 * a card functions are emulated; what they are called is said by the environment.
 *
 * Any thread may call any function. List entries stay readable after their list is gone,
 * devices and representors after they are closed.
 */

#include <stdint.h>

#include <doca_compat.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

/** An open device. */
struct doca_dev;
/** An open representor. */
struct doca_dev_rep;
/** A device that can be opened. */
struct doca_devinfo;
/** A representor that can be opened. */
struct doca_devinfo_rep;

/** Bytes of a PCI address in its domain form, with its NUL. */
#define DOCA_DEVINFO_PCI_ADDR_SIZE 13
/** Bytes of a PCI address without the domain, with its NUL. */
#define DOCA_DEVINFO_PCI_BDF_SIZE 8
/** Bytes of the name of an InfiniBand device, with its NUL. */
#define DOCA_DEVINFO_IBDEV_NAME_SIZE 64
/** Bytes of the name of a network interface, with its NUL. */
#define DOCA_DEVINFO_IFACE_NAME_SIZE 256
/** Bytes of a unique identifier, with its NUL. */
#define DOCA_DEVINFO_VUID_SIZE 128
/** Bytes of an IPv4 address. */
#define DOCA_DEVINFO_IPV4_ADDR_SIZE 4
/** Bytes of an IPv6 address. */
#define DOCA_DEVINFO_IPV6_ADDR_SIZE 16
/** Bytes of a MAC address. */
#define DOCA_DEVINFO_MAC_ADDR_SIZE 6

/** Bytes of a representor's PCI address in its domain form, with its NUL. */
#define DOCA_DEVINFO_REP_PCI_ADDR_SIZE 13
/** Bytes of a representor's PCI address without the domain, with its NUL. */
#define DOCA_DEVINFO_REP_PCI_BDF_SIZE 8
/** Bytes of a representor's unique identifier, with its NUL. */
#define DOCA_DEVINFO_REP_VUID_SIZE 128

/** Which representors a list has; or-ed together. */
enum doca_devinfo_rep_filter {
	DOCA_DEVINFO_REP_FILTER_ALL = 0,           /**< All there are. */
	DOCA_DEVINFO_REP_FILTER_NET = 1 << 1,      /**< Those of network functions. */
	DOCA_DEVINFO_REP_FILTER_EMULATED = 1 << 2, /**< Those of functions that programs emulate. */
};

/** The same, by its name up to 2.2. */
enum doca_dev_rep_filter {
	DOCA_DEV_REP_FILTER_ALL = 0,           /**< All there are. */
	DOCA_DEV_REP_FILTER_NET = 1 << 1,      /**< Those of network functions. */
	DOCA_DEV_REP_FILTER_EMULATED = 1 << 2, /**< Those of functions that programs emulate. */
};

/** @name Lists of devices
 * @{
 */

/**
 * List the devices there are.
 *
 * @param[out] dev_list
 *   Their entries, with NULL behind the last.
 * @param[out] nb_devs
 *   How many.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 *   - DOCA_ERROR_INITIALIZATION: EAL does not start, or the environment is wrong; logged.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_devinfo_create_list(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * Free a list. If the program has looked in it for a PCI address that no entry has, what
 * there is was logged.
 *
 * @param dev_list
 *   The list.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: the list is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_destroy_list(struct doca_devinfo **dev_list);

/**
 * doca_devinfo_create_list() by its name of 1.x.
 *
 * @param[out] dev_list
 *   Their entries.
 * @param[out] nb_devs
 *   How many.
 * @return
 *   As doca_devinfo_create_list().
 */
DOCA_DEPRECATED
doca_error_t doca_devinfo_list_create(struct doca_devinfo ***dev_list, uint32_t *nb_devs);

/**
 * doca_devinfo_destroy_list() by its name of 1.x.
 *
 * @param dev_list
 *   The list.
 * @return
 *   As doca_devinfo_destroy_list().
 */
DOCA_DEPRECATED
doca_error_t doca_devinfo_list_destroy(struct doca_devinfo **dev_list);

/** @} */

/** @name What a device is
 * All return DOCA_ERROR_INVALID_VALUE if an argument is NULL, or a size too small.
 * @{
 */

/**
 * Compare the PCI address.
 *
 * @param devinfo
 *   The device.
 * @param pci_addr
 *   "03:00.0" or "0000:03:00.0".
 * @param[out] is_equal
 *   1 if it is the device's, else 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: also if the text is no PCI address.
 */
DOCA_STABLE
doca_error_t doca_devinfo_is_equal_pci_addr(const struct doca_devinfo *devinfo,
		const char *pci_addr, uint8_t *is_equal);

/**
 * doca_devinfo_is_equal_pci_addr() by its name of 1.x.
 *
 * @param devinfo
 *   The device.
 * @param pci_addr
 *   "03:00.0" or "0000:03:00.0".
 * @param[out] is_equal
 *   1 if it is the device's, else 0.
 * @return
 *   As doca_devinfo_is_equal_pci_addr().
 */
DOCA_DEPRECATED
doca_error_t doca_devinfo_get_is_pci_addr_equal(const struct doca_devinfo *devinfo,
		const char *pci_addr, uint8_t *is_equal);

/**
 * Read the PCI address, in its domain form.
 *
 * @param devinfo
 *   The device.
 * @param[out] pci_addr
 *   Room for DOCA_DEVINFO_PCI_ADDR_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr_str(const struct doca_devinfo *devinfo,
		char *pci_addr);

/**
 * Read the name of the network interface; emulated.
 *
 * @param devinfo
 *   The device.
 * @param[out] name
 *   The name.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_IFACE_NAME_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_iface_name(const struct doca_devinfo *devinfo, char *name,
		uint32_t size);

/**
 * Read the name of the InfiniBand device; emulated.
 *
 * @param devinfo
 *   The device.
 * @param[out] name
 *   The name.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_IBDEV_NAME_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ibdev_name(const struct doca_devinfo *devinfo, char *name,
		uint32_t size);

/**
 * Read the IPv4 address.
 *
 * @param devinfo
 *   The device.
 * @param[out] addr
 *   The address.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_IPV4_ADDR_SIZE bytes.
 * @return
 *   - DOCA_ERROR_NOT_SUPPORTED: a channel has none.
 *   - DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv4_addr(const struct doca_devinfo *devinfo, uint8_t *addr,
		uint32_t size);

/**
 * Read the IPv6 address.
 *
 * @param devinfo
 *   The device.
 * @param[out] addr
 *   The address.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_IPV6_ADDR_SIZE bytes.
 * @return
 *   - DOCA_ERROR_NOT_SUPPORTED: a channel has none.
 *   - DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_ipv6_addr(const struct doca_devinfo *devinfo, uint8_t *addr,
		uint32_t size);

/**
 * Read the MAC address.
 *
 * @param devinfo
 *   The device.
 * @param[out] addr
 *   The address.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_MAC_ADDR_SIZE bytes.
 * @return
 *   - DOCA_ERROR_NOT_SUPPORTED: a channel has none.
 *   - DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_mac_addr(const struct doca_devinfo *devinfo, uint8_t *addr,
		uint32_t size);

/**
 * Read the kind of the function.
 *
 * @param devinfo
 *   The device.
 * @param[out] pci_func_type
 *   The kind.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_func_type(const struct doca_devinfo *devinfo,
		enum doca_pci_func_type *pci_func_type);

/**
 * Read the number of a scalable function.
 *
 * @param devinfo
 *   The device.
 * @param[out] sf_index
 *   The number.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 *   - DOCA_ERROR_NOT_SUPPORTED: it is none.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_sf_index(const struct doca_devinfo *devinfo, uint32_t *sf_index);

/**
 * Read the local identifier in an InfiniBand network.
 *
 * @param devinfo
 *   The device.
 * @param[out] lid
 *   The identifier.
 * @return
 *   - DOCA_ERROR_NOT_SUPPORTED: a channel has none.
 *   - DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_lid(const struct doca_devinfo *devinfo, uint16_t *lid);

/**
 * Read the rate of the port, in bits for each second.
 *
 * @param devinfo
 *   The device.
 * @param[out] active_rate
 *   The rate.
 * @return
 *   - DOCA_ERROR_NOT_SUPPORTED: a channel has none.
 *   - DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_active_rate(const struct doca_devinfo *devinfo,
		double *active_rate);

/** @} */

/** @name Devices
 * @{
 */

/**
 * Open a device. One function can be opened several times; all share one object, which
 * the last doca_dev_close() closes.
 *
 * @param devinfo
 *   Its entry; the list can be destroyed afterwards.
 * @param[out] dev
 *   The device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dev_open(struct doca_devinfo *devinfo, struct doca_dev **dev);

/**
 * Close a device.
 *
 * @param dev
 *   The device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: it is NULL, or not open.
 *   - DOCA_ERROR_IN_USE: it is open only once, and a context, an endpoint or an open
 *     representor is of it.
 */
DOCA_STABLE
doca_error_t doca_dev_close(struct doca_dev *dev);

/**
 * The entry of a device.
 *
 * @param dev
 *   The device.
 * @return
 *   Its entry, which the program must not free; NULL for NULL.
 */
DOCA_STABLE
struct doca_devinfo *doca_dev_as_devinfo(const struct doca_dev *dev);

/** @} */

/** @name Lists of representors
 * @{
 */

/**
 * Tell whether DOCA_DEVINFO_REP_FILTER_ALL is known: 1 for a device of the card.
 *
 * @param devinfo
 *   The device.
 * @param[out] filter_all_supported
 *   1 or 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_all_supported(const struct doca_devinfo *devinfo,
		uint8_t *filter_all_supported);

/**
 * Tell whether DOCA_DEVINFO_REP_FILTER_NET is known: 1 for a device of the card.
 *
 * @param devinfo
 *   The device.
 * @param[out] filter_net_supported
 *   1 or 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_net_supported(const struct doca_devinfo *devinfo,
		uint8_t *filter_net_supported);

/**
 * Tell whether DOCA_DEVINFO_REP_FILTER_EMULATED is known: 0 always.
 *
 * @param devinfo
 *   The device.
 * @param[out] filter_emulated_supported
 *   0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_cap_is_filter_emulated_supported(
		const struct doca_devinfo *devinfo, uint8_t *filter_emulated_supported);

/**
 * List the representors of a device.
 *
 * @param dev
 *   The device.
 * @param filter
 *   enum doca_devinfo_rep_filter.
 * @param[out] dev_list_rep
 *   Their entries, with NULL behind the last.
 * @param[out] nb_devs_rep
 *   How many.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL, or there is no such filter.
 *   - DOCA_ERROR_NOT_SUPPORTED: the device is of the host, or has no such filter.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_create_list(struct doca_dev *dev, int filter,
		struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep);

/**
 * Free a list of representors. If the program has looked in it for a PCI address that no
 * entry has, what there is was logged.
 *
 * @param dev_list_rep
 *   The list.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: the list is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_destroy_list(struct doca_devinfo_rep **dev_list_rep);

/**
 * doca_devinfo_rep_create_list() by its name of 1.x.
 *
 * @param dev
 *   The device.
 * @param filter
 *   enum doca_devinfo_rep_filter.
 * @param[out] dev_list_rep
 *   Their entries.
 * @param[out] nb_devs_rep
 *   How many.
 * @return
 *   As doca_devinfo_rep_create_list().
 */
DOCA_DEPRECATED
doca_error_t doca_devinfo_rep_list_create(struct doca_dev *dev, int filter,
		struct doca_devinfo_rep ***dev_list_rep, uint32_t *nb_devs_rep);

/**
 * doca_devinfo_rep_destroy_list() by its name of 1.x.
 *
 * @param dev_list_rep
 *   The list.
 * @return
 *   As doca_devinfo_rep_destroy_list().
 */
DOCA_DEPRECATED
doca_error_t doca_devinfo_rep_list_destroy(struct doca_devinfo_rep **dev_list_rep);

/** @} */

/** @name What a representor is
 * All return DOCA_ERROR_INVALID_VALUE if an argument is NULL, or a size too small.
 * @{
 */

/**
 * Compare the PCI address, which is that of the function as the host has it.
 *
 * @param devinfo_rep
 *   The representor.
 * @param pci_addr
 *   "b1:00.0" or "0000:b1:00.0".
 * @param[out] is_equal
 *   1 if it is the representor's, else 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: also if the text is no PCI address.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_is_equal_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
		const char *pci_addr, uint8_t *is_equal);

/**
 * Read the PCI address, in its domain form.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] pci_addr
 *   Room for DOCA_DEVINFO_REP_PCI_ADDR_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr_str(const struct doca_devinfo_rep *devinfo_rep,
		char *pci_addr);

/**
 * Read the unique identifier of the function.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] vuid
 *   The identifier; to be compared, and not to be read.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_REP_VUID_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vuid(const struct doca_devinfo_rep *devinfo_rep, char *vuid,
		uint32_t size);

/**
 * Read the name of the network interface of the representor; emulated.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] name
 *   The name.
 * @param size
 *   Room in it, at least DOCA_DEVINFO_IFACE_NAME_SIZE bytes.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_iface_name(const struct doca_devinfo_rep *devinfo_rep,
		char *name, uint32_t size);

/**
 * Read the kind of the function.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] pci_func_type
 *   The kind.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_func_type(const struct doca_devinfo_rep *devinfo_rep,
		enum doca_pci_func_type *pci_func_type);

/**
 * Tell whether the function was plugged in while the host ran: 0 always.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] is_hotplug
 *   0.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_is_hotplug(const struct doca_devinfo_rep *devinfo_rep,
		uint8_t *is_hotplug);

/**
 * Read the number of a scalable function.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] sf_index
 *   The number.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 *   - DOCA_ERROR_NOT_SUPPORTED: it is none.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_sf_index(const struct doca_devinfo_rep *devinfo_rep,
		uint32_t *sf_index);

/**
 * Read the number of the host of a card that has several: 0 always.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] host_index
 *   0.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_host_index(const struct doca_devinfo_rep *devinfo_rep,
		uint32_t *host_index);

/**
 * Read the number of the physical function that it is, or that it belongs to.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] pf_index
 *   The number.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pf_index(const struct doca_devinfo_rep *devinfo_rep,
		uint32_t *pf_index);

/**
 * Read the number of the function on the card; emulated, and different for each
 * representor of a device.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] vhca_id
 *   The number.
 * @return
 *   - DOCA_SUCCESS, or DOCA_ERROR_INVALID_VALUE.
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_vhca_id(const struct doca_devinfo_rep *devinfo_rep,
		uint32_t *vhca_id);

/** @} */

/** @name Representors
 * @{
 */

/**
 * Open a representor. It can be opened several times; all share one object, which the
 * last doca_dev_rep_close() closes. Until then its device is in use.
 *
 * @param devinfo_rep
 *   Its entry; the list can be destroyed afterwards.
 * @param[out] dev_rep
 *   The representor.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: an argument is NULL.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_open(struct doca_devinfo_rep *devinfo_rep,
		struct doca_dev_rep **dev_rep);

/**
 * Close a representor.
 *
 * @param dev_rep
 *   The representor.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: it is NULL, or not open.
 *   - DOCA_ERROR_IN_USE: it is open only once, and a server or an endpoint is of it.
 */
DOCA_STABLE
doca_error_t doca_dev_rep_close(struct doca_dev_rep *dev_rep);

/**
 * The entry of a representor.
 *
 * @param dev_rep
 *   The representor.
 * @return
 *   Its entry, which the program must not free; NULL for NULL.
 */
DOCA_STABLE
struct doca_devinfo_rep *doca_dev_rep_as_devinfo(struct doca_dev_rep *dev_rep);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_DEV_H */
