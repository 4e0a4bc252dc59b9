/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_TYPES_H
#define DOCA_TYPES_H

/**
 * @file
 *
 * Types and constants that belong to no single object. No functions.
 */

#include <linux/types.h>
#include <stdint.h>

#include <doca_compat.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a program attaches to an object: a pointer or a number. */
union doca_data {
	void *ptr;    /**< First, so that it can be initialised without a name. */
	uint64_t u64; /**< A number. */
};

/** What a progress engine gives to poll() and epoll: a file descriptor. */
typedef int doca_event_handle_t;

/** The same type by another name. */
typedef doca_event_handle_t doca_notification_handle_t;

/** The same type by the name that endpoints of the legacy interface use. */
typedef doca_event_handle_t doca_event_channel_t;

/** No file descriptor. */
#define doca_event_invalid_handle (-1)

typedef __be16 doca_be16_t; /**< 16 bits, the most significant byte first. */
typedef __be32 doca_be32_t; /**< 32 bits, the most significant byte first. */
typedef __be64 doca_be64_t; /**< 64 bits, the most significant byte first. */

/** Bytes of a GID. */
#define DOCA_GID_BYTE_LENGTH 16

/** What others may do with memory; or-ed together. */
enum doca_access_flag {
	DOCA_ACCESS_FLAG_LOCAL_READ_ONLY = 0,           /**< This process reads. */
	DOCA_ACCESS_FLAG_LOCAL_READ_WRITE = 1 << 0,     /**< This process writes. */
	DOCA_ACCESS_FLAG_RDMA_READ = 1 << 1,            /**< A peer on the network reads. */
	DOCA_ACCESS_FLAG_RDMA_WRITE = 1 << 2,           /**< A peer on the network writes. */
	DOCA_ACCESS_FLAG_RDMA_ATOMIC = 1 << 3,          /**< It uses atomic operations. */
	DOCA_ACCESS_FLAG_PCI_READ_ONLY = 1 << 4,        /**< The other side of PCIe reads. */
	DOCA_ACCESS_FLAG_PCI_READ_WRITE = 1 << 5,       /**< The other side of PCIe writes. */
	DOCA_ACCESS_FLAG_PCI_RELAXED_ORDERING = 1 << 6, /**< Its writes may overtake. */
};

/** What kind of a PCI function a device or a representor is of. */
enum doca_pci_func_type {
	DOCA_PCI_FUNC_TYPE_PF = 0, /**< A physical function. */
	DOCA_PCI_FUNC_TYPE_VF = 1, /**< A virtual function. */
	DOCA_PCI_FUNC_TYPE_SF = 2, /**< A scalable function. */
};

#ifdef __cplusplus
}
#endif

#endif /* DOCA_TYPES_H */
