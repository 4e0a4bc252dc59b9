/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_COMPAT_2_2_H
#define DOCA_COMPAT_2_2_H

/**
 * @file
 *
 * What programs of 1.5 to 2.2 for Comm Channel have around it: names that later releases
 * have replaced, and two calls whose arguments are others there. doca_error.h, and so each
 * header with functions, brings it if DOCA_COMPAT_2_2 is defined, as the pkg-config files
 * in the folders pkgconfig-2.2 and pkgconfig-2.2-dpu do. Old names are not warned about then.
 *
 * Jobs are absent, and so are the engines that had them.
 */

#include <stdint.h>
#include <stdio.h>

#include <doca_error.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_buf_inventory;
struct doca_ctx;
struct doca_dev;
struct doca_devinfo;
struct doca_devinfo_rep;
struct doca_mmap;

/** @name Results and log
 * @{
 */

/** doca_error_get_name() by its older name. */
#define doca_get_error_name doca_error_get_name

/** doca_log_backend_create_standard() by its older name. */
#define doca_log_create_standard_backend doca_log_backend_create_standard

/** doca_log_backend_create_with_file() by its older name. */
#define doca_log_create_file_backend doca_log_backend_create_with_file

/** @} */

/** @name Devices
 * @{
 */

/** A PCI address without its domain; of 1.5. */
__extension__ struct doca_pci_bdf {
	union {
		uint16_t raw; /**< All of it. */
		struct {
			uint16_t function : 3; /**< Function. */
			uint16_t device : 5;   /**< Device. */
			uint16_t bus : 8;      /**< Bus. */
		};
	};
};

/**
 * Read the PCI address of a device; of 1.5.
 *
 * @param devinfo
 *   The device.
 * @param[out] bdf
 *   The address; the domain is left out.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo,
		struct doca_pci_bdf *bdf);

/**
 * Read the PCI address of a representor; of 1.5.
 *
 * @param devinfo_rep
 *   The representor.
 * @param[out] bdf
 *   The address of its function; the domain is left out.
 * @return
 *   As doca_devinfo_get_pci_addr().
 */
DOCA_STABLE
doca_error_t doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep,
		struct doca_pci_bdf *bdf);

/** doca_devinfo_rep_is_equal_pci_addr() by its older name. */
#define doca_devinfo_rep_get_is_pci_addr_equal doca_devinfo_rep_is_equal_pci_addr

/** @} */

/** @name Memory
 * @{
 */

/** doca_mmap_add_dev() by its older name. */
#define doca_mmap_dev_add doca_mmap_add_dev

/** doca_mmap_rm_dev() by its older name. */
#define doca_mmap_dev_rm doca_mmap_rm_dev

/**
 * Create a map, as doca_mmap.h says: doca_mmap_create() of a program of 2.2.
 *
 * @param name
 *   Its name, for which there is no use here; may be NULL.
 * @param[out] mmap
 *   The map; the caller owns it.
 * @return
 *   As there.
 */
DOCA_STABLE
doca_error_t doca_compat_2_2_mmap_create(const char *name, struct doca_mmap **mmap);

/**
 * Create an inventory, as doca_buf_inventory.h says: doca_buf_inventory_create() of a
 * program of 2.2.
 *
 * @param name
 *   Its name, for which there is no use here; may be NULL.
 * @param num_elements
 *   Its buffers, 1 to 2^32 - 1.
 * @param extensions
 *   DOCA_BUF_EXTENSION_NONE.
 * @param[out] inventory
 *   The inventory, not started; the caller owns it.
 * @return
 *   As there, and
 *   - DOCA_ERROR_NOT_SUPPORTED: there are extensions.
 */
DOCA_STABLE
doca_error_t doca_compat_2_2_buf_inventory_create(const char *name, size_t num_elements,
		uint32_t extensions, struct doca_buf_inventory **inventory);

#ifdef DOCA_COMPAT_2_2

static inline doca_error_t
doca_mmap_create(const char *name, struct doca_mmap **mmap)
{
	return doca_compat_2_2_mmap_create(name, mmap);
}

static inline doca_error_t
doca_buf_inventory_create(const char *name, size_t num_elements, uint32_t extensions,
		struct doca_buf_inventory **inventory)
{
	return doca_compat_2_2_buf_inventory_create(name, num_elements, extensions, inventory);
}

#endif /* DOCA_COMPAT_2_2 */

/** @} */

/** @name Contexts
 * @{
 */

/** What is a progress engine later. */
struct doca_workq;

/**
 * Create a queue of work, which is a progress engine here.
 *
 * @param depth
 *   For how many jobs, 1 or more: there are none.
 * @param[out] workq
 *   The queue; the caller owns it.
 * @return
 *   As doca_pe_create(), and DOCA_ERROR_INVALID_VALUE if depth is 0.
 */
DOCA_STABLE
doca_error_t doca_workq_create(uint32_t depth, struct doca_workq **workq);

/**
 * Destroy a queue of work.
 *
 * @param workq
 *   The queue.
 * @return
 *   As doca_pe_destroy().
 */
DOCA_STABLE
doca_error_t doca_workq_destroy(struct doca_workq *workq);

/**
 * Connect a context to a queue of work: before its start, as later releases do.
 *
 * @param ctx
 *   The context.
 * @param workq
 *   The queue.
 * @return
 *   As doca_pe_connect_ctx().
 */
DOCA_STABLE
doca_error_t doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Let a context go from its queue of work.
 *
 * @param ctx
 *   The context, IDLE; not in a callback.
 * @param workq
 *   The queue.
 * @return
 *   - DOCA_SUCCESS: it can be connected to another one.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL; the context is not connected to this
 *     queue.
 *   - DOCA_ERROR_BAD_STATE: the context is not IDLE, or this is a callback.
 */
DOCA_STABLE
doca_error_t doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq);

/**
 * Add a device to a context. A context of this layer has one since it was created: this
 * says whether it is that one.
 *
 * @param ctx
 *   The context, IDLE.
 * @param dev
 *   The device.
 * @return
 *   - DOCA_SUCCESS: the context is of this function; nothing is changed.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: the context is not IDLE.
 *   - DOCA_ERROR_NOT_SUPPORTED: it is of another one.
 */
DOCA_STABLE
doca_error_t doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev);

/** Remove a device, which the context keeps until it is destroyed. @copydoc doca_ctx_dev_add() */
DOCA_STABLE
doca_error_t doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev);

/** @} */

#ifdef __cplusplus
}
#endif

#endif /* DOCA_COMPAT_2_2_H */
