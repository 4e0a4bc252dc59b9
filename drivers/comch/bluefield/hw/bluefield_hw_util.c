/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What both back ends of layer hw need beside the allocator. No bus is known
 * here.
 */

#include <errno.h>
#include <sys/eventfd.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_memory.h>

#include "bluefield_hw_util.h"
#include "bluefield_lock.h"
#include "bluefield_times.h"

/* The registers that bring-up needs; a smaller BAR is not theirs. */
#define MIN_BAR_SIZE 0x10000u

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

int
bf_irq_unregister(const char *name, const struct rte_intr_handle *intr,
		rte_intr_callback_fn cb, void *arg)
{
	uint64_t end = bf_now_ms() + BF_IRQ_WAIT_MS;
	int ret;

	do {
		ret = rte_intr_callback_unregister(intr, cb, arg);
		if (ret != -EAGAIN)
			return 0;
		rte_delay_us_sleep(200);
	} while (bf_now_ms() < end);
	BF_LOG(ERR, "%s: its interrupt handler does not end; its memory stays until the process ends",
		name);
	return -ETIMEDOUT;
}

void
bf_irqs_choose(struct bf_hw *hw, uint32_t limit)
{
	uint32_t want = RTE_MIN(rte_lcore_count() + 1, BF_MAX_IRQS);

	hw->nb_irqs = RTE_MIN(RTE_MIN(want, limit), (uint32_t)hw->nb_vectors);
	if (hw->nb_vectors < want)
		BF_LOG(NOTICE, "%s: has %u MSI-X vectors, and %u would be used, one for events and one for each lcore: some lcores will share; a VF gets more by its sysfs file sriov_vf_msix_count",
			hw->name, hw->nb_vectors, want);
}

void
bf_irq_kick(int fd)
{
	/* a counter that is full is readable already */
	if (fd >= 0)
		(void)eventfd_write(fd, 1);
}

uint64_t
bf_eal_iova(const void *addr, size_t *len)
{
	const struct rte_memseg *seg = rte_mem_virt2memseg(addr, NULL);
	size_t off;

	if (seg == NULL || seg->iova == RTE_BAD_IOVA)
		return BF_NO_IOVA;
	/* a segment that is not in use has no bytes */
	off = (uintptr_t)addr - (uintptr_t)seg->addr;
	if (off >= seg->len)
		return BF_NO_IOVA;
	*len = seg->len - off;
	return seg->iova + off;
}

static int
seg_keep(const struct rte_memseg_list *msl, const struct rte_memseg *seg, void *arg __rte_unused)
{
	/* EAL walks them as constants, and has no other way to one; external ones are not its */
	if (!msl->external)
		((struct rte_memseg *)(uintptr_t)seg)->flags |= RTE_MEMSEG_FLAG_DO_NOT_FREE;
	return 0;
}

void
bf_eal_mem_keep(void)
{
	rte_memseg_walk(seg_keep, NULL);
}

int
bf_hw_check(const struct bf_hw *hw, uint16_t vendor_id)
{
	if (vendor_id == UINT16_MAX && hw->device_id == UINT16_MAX) {
		BF_LOG(ERR, "%s: its PCI ids read all ones: the function has fallen off the bus; remove it and rescan the bus (/sys/bus/pci/rescan), or switch the card off and on",
			hw->name);
		return -ENODEV;
	}
	if (vendor_id != BF_VENDOR_ID || bf_part_name(hw->device_id) == NULL) {
		BF_LOG(ERR, "%s: PCI ids %04x:%04x are not of a function that this driver knows; it takes those of vendor %04x: " BF_PARTS,
			hw->name, vendor_id, hw->device_id, BF_VENDOR_ID);
		return -ENOTSUP;
	}
	if (hw->bar_size < MIN_BAR_SIZE) {
		BF_LOG(ERR, "%s: BAR 0 has %u bytes, at least %u are needed: the system has given it no address space; boot with pci=realloc, or with more space for PCI in the firmware's set-up",
			hw->name, hw->bar_size, MIN_BAR_SIZE);
		return -ENODEV;
	}
	return 0;
}
