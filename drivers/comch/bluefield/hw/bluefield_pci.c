/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The PCI bus: the back end of layer hw over EAL's PCI bus and kernel VFIO. Which
 * functions we take, and what to say of those that we cannot, is in
 * bluefield_probe.c.
 */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <linux/pci_regs.h>
#include <linux/vfio.h>

#include <bus_pci_driver.h>
#include <rte_common.h>
#include <rte_errno.h>
#include <rte_interrupts.h>
#include <rte_io.h>
#include <rte_memory.h>
#include <rte_memzone.h>

#include "bluefield_heap.h"
#include "bluefield_hw_util.h"

/* Memory zones are few; what is smaller than a hugepage wastes it. */
#define PCI_MAX_ARENA ((size_t)16 << 20)

struct pci_hw {
	struct bf_hw hw;
	struct rte_pci_device *pci;
	volatile uint8_t *bar;
	struct bf_heap heap;
	uint32_t next_zone;  /* with the heap's lock */
	bool irq_on;
	bf_irq_cb_t irq_cb;
	void *irq_arg;
};

static struct pci_hw *
to_pci(struct bf_hw *hw)
{
	return container_of(hw, struct pci_hw, hw);
}

/*
 * Registers
 */

static uint32_t
pci_read32(struct bf_hw *hw, uint32_t off)
{
	if (!bf_hw_bar_has(hw, off, sizeof(uint32_t)))
		return BF_ALL_ONES;
	return rte_be_to_cpu_32(rte_read32(to_pci(hw)->bar + off));
}

static void
pci_write32(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	if (bf_hw_bar_has(hw, off, sizeof(val)))
		rte_write32(rte_cpu_to_be_32(val), to_pci(hw)->bar + off);
}

static void
pci_write64(struct bf_hw *hw, uint32_t off, uint64_t val)
{
	if (bf_hw_bar_has(hw, off, sizeof(val)))
		rte_write64(rte_cpu_to_be_64(val), to_pci(hw)->bar + off);
}

/*
 * DMA memory: EAL has it mapped for the device
 */

static int
pci_arena_get(void *arg, struct bf_arena *arena)
{
	struct pci_hw *pci = arg;
	char name[RTE_MEMZONE_NAMESIZE];
	const struct rte_memzone *mz;

	snprintf(name, sizeof(name), "bf_%s_%x", pci->hw.name, pci->next_zone++);
	mz = rte_memzone_reserve_aligned(name, arena->len,
			pci->hw.numa_node >= 0 ? pci->hw.numa_node : SOCKET_ID_ANY,
			RTE_MEMZONE_IOVA_CONTIG, BF_PAGE_SIZE);
	if (mz == NULL && pci->hw.numa_node >= 0)
		mz = rte_memzone_reserve_aligned(name, arena->len, SOCKET_ID_ANY,
				RTE_MEMZONE_IOVA_CONTIG, BF_PAGE_SIZE);
	if (mz == NULL && arena->optional)
		return -ENOMEM;
	if (mz == NULL) {
		BF_LOG(ERR, "%s: no %zu bytes of memory in one piece for the device (%s): give EAL more hugepages (-m, --socket-mem), or the function fewer pages (max_pages=)",
			pci->hw.name, arena->len, rte_strerror(rte_errno));
		return -ENOMEM;
	}
	if (mz->iova == RTE_BAD_IOVA) {
		BF_LOG(ERR, "%s: EAL knows no addresses of its memory for a device: start it with hugepages, or with --iova-mode=va",
			pci->hw.name);
		rte_memzone_free(mz);
		return -ENOMEM;
	}
	arena->addr = mz->addr;
	arena->iova = mz->iova;
	/* the zone is looked up again to free it, its descriptor stays where it is */
	arena->priv = (void *)(uintptr_t)mz;
	return 0;
}

static void
pci_arena_put(void *arg __rte_unused, struct bf_arena *arena)
{
	rte_memzone_free(arena->priv);
}

static int
pci_dma_alloc(struct bf_hw *hw, size_t len, size_t align, struct bf_dma *dma)
{
	return bf_heap_alloc(&to_pci(hw)->heap, len, align, dma);
}

static void
pci_dma_free(struct bf_hw *hw, struct bf_dma *dma)
{
	bf_heap_free(&to_pci(hw)->heap, dma);
}

/* VFIO maps EAL's memory for the device, the heap's among it. */
static uint64_t
pci_dma_iova(struct bf_hw *hw __rte_unused, const void *addr, size_t *len)
{
	return bf_eal_iova(addr, len);
}

/*
 * Interrupts. EAL connects vector 0 to the descriptor that it made when it mapped the
 * device, and reads it for us; and the vectors after it to those that it is told to
 * make, in the same call of VFIO.
 */

static void
pci_irq_handler(void *arg)
{
	struct pci_hw *pci = arg;

	pci->irq_cb(pci->irq_arg);
}

/* Descriptors for the vectors after the first; there are those of an earlier call. */
static int
irq_fds_open(struct pci_hw *pci)
{
	struct rte_intr_handle *intr = pci->pci->intr_handle;

	if (pci->hw.nb_irqs == 1 || rte_intr_nb_efd_get(intr) > 0)
		return 0;
	if (rte_intr_efd_enable(intr, pci->hw.nb_irqs - 1) != 0) {
		BF_LOG(ERR, "%s: no eventfds for %u MSI-X vectors; raise the limit of open files (ulimit -n)",
			pci->hw.name, pci->hw.nb_irqs);
		return -EMFILE;
	}
	pci->hw.nb_irqs = rte_intr_nb_efd_get(intr) + 1;
	return 0;
}

static void
irq_fds_close(struct pci_hw *pci)
{
	if (rte_intr_nb_efd_get(pci->pci->intr_handle) > 0)
		rte_intr_efd_disable(pci->pci->intr_handle);
}

/* The kernel may have fewer vectors to give than the function has: half, and so on. */
static int
irq_connect(struct pci_hw *pci)
{
	struct rte_intr_handle *intr = pci->pci->intr_handle;
	uint16_t wanted = pci->hw.nb_irqs;
	int ret;

	for (;;) {
		ret = irq_fds_open(pci);
		if (ret != 0)
			return ret;
		if (rte_intr_enable(intr) == 0)
			break;
		irq_fds_close(pci);
		if (pci->hw.nb_irqs == 1) {
			BF_LOG(ERR, "%s: VFIO does not connect MSI-X vector 0; see EAL's messages and the kernel's log",
				pci->hw.name);
			return -EIO;
		}
		pci->hw.nb_irqs /= 2;
	}
	if (pci->hw.nb_irqs < wanted)
		BF_LOG(NOTICE, "%s: VFIO connects %u of %u MSI-X vectors: some lcores will share; see the kernel's log",
			pci->hw.name, pci->hw.nb_irqs, wanted);
	return 0;
}

static int
pci_irq_fd(struct bf_hw *hw, uint16_t vector)
{
	if (vector == 0 || vector >= hw->nb_irqs)
		return -1;
	return rte_intr_efds_index_get(to_pci(hw)->pci->intr_handle, vector - 1);
}

static int
pci_irq_enable(struct bf_hw *hw, bf_irq_cb_t cb, void *arg)
{
	struct pci_hw *pci = to_pci(hw);
	struct rte_intr_handle *intr = pci->pci->intr_handle;
	uint16_t i;
	int ret;

	if (pci->irq_on)
		return -EBUSY;
	pci->irq_cb = cb;
	pci->irq_arg = arg;
	if (rte_intr_callback_register(intr, pci_irq_handler, pci) != 0) {
		BF_LOG(ERR, "%s: EAL does not take its interrupt; see EAL's messages", hw->name);
		return -EIO;
	}
	ret = irq_connect(pci);
	if (ret != 0) {
		bf_irq_unregister(hw->name, intr, pci_irq_handler, pci);
		return ret;
	}
	pci->irq_on = true;
	bf_irq_kick(rte_intr_fd_get(intr));
	for (i = 1; i < hw->nb_irqs; i++)
		bf_irq_kick(pci_irq_fd(hw, i));
	return 0;
}

static void
pci_irq_disable(struct bf_hw *hw)
{
	struct pci_hw *pci = to_pci(hw);
	struct rte_intr_handle *intr = pci->pci->intr_handle;

	if (!pci->irq_on)
		return;
	rte_intr_disable(intr);
	if (bf_irq_unregister(hw->name, intr, pci_irq_handler, pci) == 0)
		pci->irq_on = false;
}

/*
 * Configuration space and reset
 */

/* Registers answer, and the device masters the bus. */
static int
config_enable(struct pci_hw *pci)
{
	rte_le16_t cmd;

	if (rte_pci_read_config(pci->pci, &cmd, sizeof(cmd), PCI_COMMAND) != sizeof(cmd))
		return -EIO;
	if (cmd == UINT16_MAX)
		return -ENODEV;
	cmd |= rte_cpu_to_le_16(PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
	if (rte_pci_write_config(pci->pci, &cmd, sizeof(cmd), PCI_COMMAND) != sizeof(cmd))
		return -EIO;
	return 0;
}

static int
pci_config_read32(struct bf_hw *hw, uint32_t off, uint32_t *val)
{
	rte_le32_t word;

	if (rte_pci_read_config(to_pci(hw)->pci, &word, sizeof(word), off) != sizeof(word))
		return -EIO;
	*val = rte_le_to_cpu_32(word);
	return 0;
}

static int
pci_config_write32(struct bf_hw *hw, uint32_t off, uint32_t val)
{
	rte_le32_t word = rte_cpu_to_le_32(val);

	if (rte_pci_write_config(to_pci(hw)->pci, &word, sizeof(word), off) != sizeof(word))
		return -EIO;
	return 0;
}

static int
pci_reset(struct bf_hw *hw)
{
	struct pci_hw *pci = to_pci(hw);
	int fd = rte_intr_dev_fd_get(pci->pci->intr_handle);
	int ret;

	/* EAL has no call for it; the descriptor is VFIO's of this device */
	if (fd < 0)
		return -ENODEV;
	if (ioctl(fd, VFIO_DEVICE_RESET) != 0) {
		ret = -errno;
		BF_LOG(ERR, "%s: VFIO does not reset it: %s; %s", hw->name, strerror(-ret),
			ret == -EINVAL || ret == -ENOTTY ?
				"the function has no function level reset that the kernel knows" :
			ret == -EAGAIN ? "the kernel is busy with the device, try again" :
				"see the kernel's log");
		return ret == -EINVAL || ret == -ENOTTY ? -ENOTSUP : ret;
	}
	ret = config_enable(pci);
	if (ret != 0)
		BF_LOG(ERR, "%s: does not answer after its reset: %s; remove it and rescan the bus (/sys/bus/pci/rescan), or switch the card off and on",
			hw->name, strerror(-ret));
	return ret;
}

static void
pci_close(struct bf_hw *hw)
{
	struct pci_hw *pci = to_pci(hw);

	pci_irq_disable(hw);
	irq_fds_close(pci);
	/* from here on the device is off the bus: memory can go */
	rte_pci_unmap_device(pci->pci);
	bf_heap_fini(&pci->heap);
	/* an interrupt that never ends keeps it; that has been logged */
	if (!pci->irq_on)
		free(pci);
}

static const struct bf_hw_ops pci_ops = {
	.read32 = pci_read32,
	.write32 = pci_write32,
	.write64 = pci_write64,
	.dma_alloc = pci_dma_alloc,
	.dma_free = pci_dma_free,
	.dma_iova = pci_dma_iova,
	.irq_enable = pci_irq_enable,
	.irq_disable = pci_irq_disable,
	.irq_fd = pci_irq_fd,
	.reset = pci_reset,
	.config_read32 = pci_config_read32,
	.config_write32 = pci_config_write32,
	.close = pci_close,
};

static int
vectors_get(struct pci_hw *pci)
{
	struct vfio_irq_info info = {
		.argsz = sizeof(info),
		.index = VFIO_PCI_MSIX_IRQ_INDEX,
	};
	struct rte_intr_handle *intr = pci->pci->intr_handle;

	if (rte_intr_type_get(intr) != RTE_INTR_HANDLE_VFIO_MSIX) {
		BF_LOG(ERR, "%s: EAL has set it up without MSI-X: leave --vfio-intr out, or give --vfio-intr=msix",
			pci->hw.name);
		return -ENOTSUP;
	}
	if (ioctl(rte_intr_dev_fd_get(intr), VFIO_DEVICE_GET_IRQ_INFO, &info) != 0 ||
			info.count == 0) {
		BF_LOG(ERR, "%s: has no MSI-X vectors; a VF gets them from its PF: see its sysfs file sriov_vf_msix_count",
			pci->hw.name);
		return -ENOTSUP;
	}
	pci->hw.nb_vectors = RTE_MIN(info.count, (uint32_t)UINT16_MAX);
	bf_irqs_choose(&pci->hw, RTE_MAX_RXTX_INTR_VEC_ID + 1);
	return 0;
}

/* The device is mapped already; closing unmaps it. */
int
bf_hw_pci_open(struct rte_pci_device *pci_dev, struct bf_hw **hw)
{
	struct pci_hw *pci = calloc(1, sizeof(*pci));
	int ret;

	if (pci == NULL) {
		rte_pci_unmap_device(pci_dev);
		return -ENOMEM;
	}
	/* all of it was mapped by now, for this device or for one before it */
	bf_eal_mem_keep();
	pci->hw.ops = &pci_ops;
	pci->hw.name = pci_dev->name;
	pci->hw.numa_node = pci_dev->device.numa_node;
	pci->pci = pci_dev;
	pci->bar = pci_dev->mem_resource[0].addr;
	pci->hw.bar = pci->bar;
	if (pci->bar != NULL)
		pci->hw.bar_size = RTE_MIN(pci_dev->mem_resource[0].len, (uint64_t)1 << 31);
	bf_heap_init(&pci->heap, PCI_MAX_ARENA, pci_arena_get, pci_arena_put, pci);
	/* EAL's, from the kernel: VFIO would not read them from the device either */
	pci->hw.device_id = pci_dev->id.device_id;
	ret = bf_hw_check(&pci->hw, pci_dev->id.vendor_id);
	if (ret == 0)
		ret = vectors_get(pci);
	if (ret == 0) {
		ret = config_enable(pci);
		if (ret != 0)
			BF_LOG(ERR, "%s: its configuration space does not answer: %s; remove it and rescan the bus (/sys/bus/pci/rescan)",
				pci->hw.name, strerror(-ret));
	}
	if (ret != 0) {
		pci_close(&pci->hw);
		return ret;
	}
	*hw = &pci->hw;
	return 0;
}
