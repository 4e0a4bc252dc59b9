/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_MMAP_H
#define DOCA_MMAP_H

/**
 * @file
 *
 * Maps: ranges of the program's memory that functions of a device may reach, with what
 * the other side may do there. Buffers are pieces of them, see doca_buf.h.
 *
 * Order of calls: doca_mmap_create(); doca_mmap_add_dev(), doca_mmap_set_memrange(),
 * doca_mmap_set_permissions() and other settings in any order; doca_mmap_start(); then
 * buffers; doca_mmap_stop(), which doca_mmap_destroy() implies.
 *
 * A range can be any memory that can be read and written, of any alignment and length:
 * of malloc(), of the stack, a variable; only doca_mmap_dev_get_dpa_handle() wants more.
 *
 * A map belongs to the function behind a device and not to the handle: contexts on another
 * handle of the same function can use it, and the device may be closed before the map is
 * destroyed. The memory may be freed before that too, once no context uses the map: nothing
 * here reads or writes it at the end.
 *
 * Threads: buffers of a started map can be used by several threads. Settings, start, stop
 * and destruction belong to one thread at a time.
 */

#include <stddef.h>
#include <stdint.h>

#include <doca_compat.h>
#include <doca_dpa_types.h>
#include <doca_error.h>
#include <doca_types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct doca_dev;
struct doca_devinfo;

/** A map. */
struct doca_mmap;

/**
 * Frees the range of a map: a function type, not a pointer.
 *
 * @param addr
 *   Where the range begins.
 * @param len
 *   Its length in bytes.
 * @param cookie
 *   What was given to doca_mmap_set_free_cb().
 */
typedef void(doca_mmap_memrange_free_cb_t)(void *addr, size_t len, void *cookie);

/**
 * Tell whether maps can be exported to the other side of PCIe.
 *
 * @param devinfo
 *   The device.
 * @param[out] supported
 *   1 if they can, 0 if not.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_export_pci_supported(const struct doca_devinfo *devinfo,
		uint8_t *supported);

/**
 * Tell whether maps can be made of what the other side of PCIe has exported.
 *
 * @param devinfo
 *   The device.
 * @param[out] supported
 *   1 if they can, 0 if not.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_cap_is_create_from_export_pci_supported(
		const struct doca_devinfo *devinfo, uint8_t *supported);

#ifndef DOCA_COMPAT_2_2 /* it has a name there */
/**
 * Create a map: not started, without range and devices, and only for reading by this
 * process.
 *
 * @param[out] mmap
 *   The map; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_mmap_create(struct doca_mmap **mmap);
#endif

/**
 * Make a map of what doca_mmap_export_pci() has described in another process. It is
 * started, and its settings cannot be changed. Its memory is that of the other process:
 * doca_mmap_get_memrange() and buffers give addresses that mean something there only.
 *
 * @param user_data
 *   For doca_mmap_get_user_data(); NULL is zero.
 * @param desc
 *   The description; copied.
 * @param desc_len
 *   Its length in bytes.
 * @param dev
 *   The device that is to reach the memory.
 * @param[out] mmap
 *   The map; the caller owns it.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: desc, dev or mmap is NULL; this is no description of
 *     doca_mmap_export_pci(), or it was cut or changed.
 *   - DOCA_ERROR_NO_MEMORY: no memory.
 */
DOCA_STABLE
doca_error_t doca_mmap_create_from_export(const union doca_data *user_data,
		const void *desc, size_t desc_len, struct doca_dev *dev,
		struct doca_mmap **mmap);

/**
 * Stop a map if it is started, and destroy it. The callback of doca_mmap_set_free_cb()
 * is called: here, or when the last context that uses the map is IDLE.
 *
 * @param mmap
 *   The map.
 * @return
 *   - DOCA_SUCCESS: the handle is void.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 *   - DOCA_ERROR_NOT_PERMITTED: the program has buffers of it. Those that the program has
 *     given back while their tasks are submitted do not count.
 */
DOCA_STABLE
doca_error_t doca_mmap_destroy(struct doca_mmap *mmap);

/**
 * Start a map: buffers can be had, and settings not be changed.
 *
 * @param mmap
 *   The map.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is started; it has no range or no device.
 *   - DOCA_ERROR_IN_USE: contexts still use it as it was before doca_mmap_stop().
 */
DOCA_STABLE
doca_error_t doca_mmap_start(struct doca_mmap *mmap);

/**
 * Stop a map: its settings can be changed. Does nothing if it is not started.
 *
 * @param mmap
 *   The map.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 *   - DOCA_ERROR_NOT_PERMITTED: as for doca_mmap_destroy(); the map stays started.
 */
DOCA_STABLE
doca_error_t doca_mmap_stop(struct doca_mmap *mmap);

/**
 * Let a device reach the range.
 *
 * @param mmap
 *   The map.
 * @param dev
 *   The device. It may be closed afterwards.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_ALREADY_EXIST: it can already.
 *   - DOCA_ERROR_FULL: doca_mmap_set_max_num_devices() allows no more.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_add_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Let a device reach the range no longer.
 *
 * @param mmap
 *   The map.
 * @param dev
 *   The device.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_FOUND: it cannot.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_rm_dev(struct doca_mmap *mmap, struct doca_dev *dev);

/**
 * Set the range.
 *
 * @param mmap
 *   The map.
 * @param addr
 *   Where it begins.
 * @param len
 *   Its length in bytes, 1 or more.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap or addr is NULL; len is 0 or runs over the end of the
 *     address space.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_set_memrange(struct doca_mmap *mmap, void *addr, size_t len);

/**
 * Tell the range.
 *
 * @param mmap
 *   The map.
 * @param[out] addr
 *   Where it begins; in the process that has exported it, for an imported map.
 * @param[out] len
 *   Its length in bytes.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_BAD_STATE: it is not set.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_memrange(const struct doca_mmap *mmap, void **addr, size_t *len);

/**
 * Say what others may do with the range. Consumers need
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE, producers nothing.
 *
 * @param mmap
 *   The map.
 * @param access_mask
 *   Flags of enum doca_access_flag. The default is DOCA_ACCESS_FLAG_LOCAL_READ_ONLY.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL; an unknown flag; both
 *     DOCA_ACCESS_FLAG_PCI_READ_ONLY and DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_set_permissions(struct doca_mmap *mmap, uint32_t access_mask);

/**
 * Have a function called that frees the range when the map is destroyed.
 *
 * @param mmap
 *   The map.
 * @param free_cb
 *   The function, or NULL for none. It is called once if a range is set, and by the
 *   thread that lets go of the map last.
 * @param cookie
 *   For the function.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_set_free_cb(struct doca_mmap *mmap,
		doca_mmap_memrange_free_cb_t *free_cb, void *cookie);

/**
 * Set how many devices a map may have.
 *
 * @param mmap
 *   The map.
 * @param max_num_devices
 *   1 to 64, and not below the number that it has. The default is 64.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL; the number is out of range.
 *   - DOCA_ERROR_BAD_STATE: the map is started.
 *   - DOCA_ERROR_NOT_PERMITTED: the map is of doca_mmap_create_from_export().
 */
DOCA_STABLE
doca_error_t doca_mmap_set_max_num_devices(struct doca_mmap *mmap, uint32_t max_num_devices);

/**
 * Tell how many devices a map may have.
 *
 * @param mmap
 *   The map.
 * @param[out] max_num_devices
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_max_num_devices(const struct doca_mmap *mmap,
		uint32_t *max_num_devices);

/**
 * Attach something to a map; in any state.
 *
 * @param mmap
 *   The map.
 * @param user_data
 *   What is attached. The default is zero.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_set_user_data(struct doca_mmap *mmap, union doca_data user_data);

/**
 * Tell what is attached to a map.
 *
 * @param mmap
 *   The map.
 * @param[out] user_data
 *   What is attached.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_user_data(const struct doca_mmap *mmap,
		union doca_data *user_data);

/**
 * Let several threads call functions on a map at once. Maps of this layer always do as
 * much of that as their header says, so it changes nothing.
 *
 * @param mmap
 *   The map, in any state, imported ones too.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: mmap is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_enable_thread_safety(struct doca_mmap *mmap);

/**
 * Tell how many buffers of a map the program has.
 *
 * @param mmap
 *   The map.
 * @param[out] num_bufs
 *   Their number.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_num_bufs(const struct doca_mmap *mmap, uint32_t *num_bufs);

/**
 * Tell whether a map was exported.
 *
 * @param mmap
 *   The map.
 * @param[out] exported
 *   1 after doca_mmap_export_pci(), else 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_exported(const struct doca_mmap *mmap, uint8_t *exported);

/**
 * Tell whether a map was imported.
 *
 * @param mmap
 *   The map.
 * @param[out] from_export
 *   1 if it is of doca_mmap_create_from_export(), else 0.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 */
DOCA_STABLE
doca_error_t doca_mmap_get_from_export(const struct doca_mmap *mmap, uint8_t *from_export);

/**
 * Describe a map for the other side of PCIe. How the description gets there is the
 * program's matter; it fits into one message.
 *
 * @param mmap
 *   The map, started, with one of DOCA_ACCESS_FLAG_PCI_READ_ONLY and
 *   DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 * @param dev
 *   A device of it.
 * @param[out] desc
 *   The description, which is the map's: it stays until the map is destroyed, or exported
 *   the next time.
 * @param[out] desc_len
 *   Its length in bytes, below 1024.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL; dev was not added.
 *   - DOCA_ERROR_BAD_STATE: the map is not started.
 *   - DOCA_ERROR_NOT_PERMITTED: it has no such permission, or is itself imported.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_pci(struct doca_mmap *mmap, const struct doca_dev *dev,
		const void **desc, size_t *desc_len);

/**
 * Describe a map for a peer of RDMA, which is never here.
 *
 * @param mmap
 *   The map.
 * @param dev
 *   A device of it.
 * @param desc
 *   Where the description would go.
 * @param desc_len
 *   Where its length would go.
 * @return
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL.
 *   - DOCA_ERROR_NOT_SUPPORTED: otherwise, which is logged once.
 */
DOCA_STABLE
doca_error_t doca_mmap_export_rdma(struct doca_mmap *mmap, const struct doca_dev *dev,
		const void **desc, size_t *desc_len);

/**
 * Get what programs of offload processors know a map by. Each processor of the device
 * that is started, now or later, can use it until the map is stopped or destroyed: to read
 * the range, and to write to it with DOCA_ACCESS_FLAG_LOCAL_READ_WRITE or
 * DOCA_ACCESS_FLAG_PCI_READ_WRITE.
 *
 * The processor is a process of its own, so the first such call for a range puts other
 * pages in the place of the program's, with what is in these. What another thread, or a
 * system call of one, writes to the range during the call is lost. From then on, also when
 * the map was destroyed, a child of fork() does not have the range.
 *
 * @param mmap
 *   The map, started. Its range begins at a multiple of the size of a page, 4096 bytes on
 *   most machines, and is a multiple of it long. It is private memory that can be written:
 *   of aligned_alloc(), posix_memalign(), or mmap() with MAP_PRIVATE | MAP_ANONYMOUS.
 * @param dev
 *   A device of it.
 * @param[out] handle
 *   The handle, set on success; the same for each call.
 * @return
 *   - DOCA_SUCCESS.
 *   - DOCA_ERROR_INVALID_VALUE: a parameter is NULL; dev was not added.
 *   - DOCA_ERROR_BAD_STATE: the map is not started.
 *   - DOCA_ERROR_NOT_SUPPORTED: the range is not as said above; the map is imported, or has
 *     a handle of another device; the device has no offload processors. It was logged.
 *   - DOCA_ERROR_NO_MEMORY: no memory; a program has too many windows.
 *   - DOCA_ERROR_FULL: 256 maps have a handle.
 *   - DOCA_ERROR_DRIVER: a program has ended, which was logged.
 */
DOCA_EXPERIMENTAL
doca_error_t doca_mmap_dev_get_dpa_handle(struct doca_mmap *mmap, const struct doca_dev *dev,
		doca_dpa_dev_mmap_t *handle);

#ifdef __cplusplus
}
#endif

#endif /* DOCA_MMAP_H */
