/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer hw: registers, DMA memory, interrupts and reset of one function, behind
 * a table that has two back ends: EAL's PCI bus over kernel VFIO
 * (bluefield_pci.c) and a vfio-user socket (bluefield_vfu.c). Nothing in here
 * knows what a register means; the layers above know no bus.
 */

#ifndef BLUEFIELD_HW_H
#define BLUEFIELD_HW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <rte_byteorder.h>

#include "bluefield_log.h"

#define BF_PAGE_SIZE 4096u
#define BF_NO_IOVA UINT64_MAX
/* A register that reads like this is of a device that is not there. */
#define BF_ALL_ONES UINT32_MAX

struct bf_cmd;
struct bf_hw;
struct bf_report;

/* Memory that CPU and device both see; zeroed when allocated. */
struct bf_dma {
	void *addr;     /* NULL: none */
	uint64_t iova;  /* where the device finds it */
	size_t len;     /* bytes, as asked for */
	void *priv;     /* of the back end */
};

/*
 * Vectors that are connected at most: one for events, and one for the event queue of
 * each lcore that may sleep. More than these no part of the driver will ever use.
 */
#define BF_MAX_IRQS 129u

/*
 * Called in EAL's interrupt thread, which serves every driver of the process: it
 * must not wait, and so runs no command.
 */
typedef void (*bf_irq_cb_t)(void *arg);

struct bf_hw_ops {
	/* A big-endian register, in host order; all ones if the device is gone. Any thread. */
	uint32_t (*read32)(struct bf_hw *hw, uint32_t off);
	/* Ordered after all earlier stores to DMA memory. Any thread. */
	void (*write32)(struct bf_hw *hw, uint32_t off, uint32_t val);
	void (*write64)(struct bf_hw *hw, uint32_t off, uint64_t val);
	/*
	 * len and align in bytes, align a power of two and at least a page; one
	 * run of addresses for the device. -ENOMEM, or -EIO if the device can
	 * not be told. Any thread.
	 */
	int (*dma_alloc)(struct bf_hw *hw, size_t len, size_t align, struct bf_dma *dma);
	/* The device does not use it any more. A dma without address is nothing. */
	void (*dma_free)(struct bf_hw *hw, struct bf_dma *dma);
	/*
	 * Have the device reach memory that the application has from EAL, as often as
	 * this is called; memory of dma_alloc is reached anyway. 0 or a negative errno,
	 * with the reason logged; -EINVAL, which is not logged if the caller only tries, if
	 * no device on this bus can. NULL if it reaches all that it ever will. Any thread.
	 */
	int (*dma_map)(struct bf_hw *hw, const void *addr, size_t len, bool try);
	/* Undo it once, for the same bytes. */
	void (*dma_unmap)(struct bf_hw *hw, const void *addr, size_t len);
	/*
	 * Where the device finds memory of this process, and for how many bytes from
	 * there on that is one run; BF_NO_IOVA if it does not know the memory. Any thread.
	 */
	uint64_t (*dma_iova)(struct bf_hw *hw, const void *addr, size_t *len);
	/*
	 * Connect all nb_irqs vectors, and have a function called for vector 0. Kernels
	 * before Linux 6.5 cannot add a vector later: they want interrupts off and on
	 * again, and what comes in between is lost. So none is added
	 * later; and as interrupts before this call are lost too, each vector fires once
	 * afterwards, that its queue is looked at. Once.
	 */
	int (*irq_enable)(struct bf_hw *hw, bf_irq_cb_t cb, void *arg);
	/* When this returns, the function does not run and will not. */
	void (*irq_disable)(struct bf_hw *hw);
	/*
	 * The eventfd of a vector from 1 to nb_irqs - 1, which its event queue has for
	 * itself; from the first irq_enable() on, the same until close(). -1: none.
	 */
	int (*irq_fd)(struct bf_hw *hw, uint16_t vector);
	/*
	 * Function level reset; DMA stops, firmware starts anew, memory stays
	 * mapped, bus mastering is on again afterwards.
	 */
	int (*reset)(struct bf_hw *hw);
	/*
	 * An aligned word of configuration space, in host order. 0 or a negative
	 * errno. Any thread; not for what the bus driver or VFIO look after.
	 */
	int (*config_read32)(struct bf_hw *hw, uint32_t off, uint32_t *val);
	int (*config_write32)(struct bf_hw *hw, uint32_t off, uint32_t val);
	/* Frees hw; memory that was not given back goes too. */
	void (*close)(struct bf_hw *hw);
	/*
	 * A command has ended: ret is what bf_cmdq_exec() returns, start_ns is of bf_now_ns().
	 * NULL in a back end: a report sets it. Any thread, no slot locked.
	 */
	void (*cmd_ended)(struct bf_hw *hw, const struct bf_cmd *cmd, uint64_t start_ns, int ret);
};

/* A back end embeds it at the start of its own structure. */
struct bf_hw {
	const struct bf_hw_ops *ops;
	const char *name;    /* of the device, for messages; outlives hw */
	uint32_t bar_size;   /* bytes of BAR 0 */
	uint16_t device_id;  /* PCI */
	uint16_t nb_vectors; /* MSI-X vectors that the function has */
	uint16_t nb_irqs;    /* those that irq_enable() connects, 1 at least */
	/* BAR 0 as memory, for doorbells of the fast path; NULL if it is not mapped. */
	volatile void *bar;
	int numa_node;
	struct bf_report *report; /* who listens (bluefield_report.h), or NULL */
};

/* A part that this driver takes, or NULL. */
const char *bf_part_name(uint16_t device_id);
#define BF_PARTS "BlueField-2 (a2d6), BlueField-3 (a2dc), their VFs (101e)"
#define BF_VENDOR_ID 0x15b3
#define BF_DEVICE_BF2 0xa2d6
#define BF_DEVICE_BF3 0xa2dc
#define BF_DEVICE_VF 0x101e

struct rte_pci_device;

/* 0 or a negative errno; the reason, with the remedy, has been logged. */
int bf_hw_pci_open(struct rte_pci_device *pci_dev, struct bf_hw **hw);
/* timeout_ms: for each answer of the server; a device that misses it is gone */
int bf_hw_vfu_open(const char *name, const char *socket, uint32_t timeout_ms, struct bf_hw **hw);

#endif
