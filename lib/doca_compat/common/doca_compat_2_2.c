/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Names and forms of 1.5 to 2.2 in the words of later releases. What they do is in the
 * files of these.
 */

#include <stdlib.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_compat_2_2.h>
#include <doca_ctx_private.h>
#include <doca_dev.h>
#include <doca_dev_private.h>
#include <doca_mmap.h>
#include <doca_pe.h>

/* Of 0000:03:00.0, as the layer writes it. */
static void
bdf_set(const char *pci_addr, struct doca_pci_bdf *bdf)
{
	bdf->bus = strtoul(pci_addr + 5, NULL, 16);
	bdf->device = strtoul(pci_addr + 8, NULL, 16);
	bdf->function = strtoul(pci_addr + 11, NULL, 16);
}

doca_error_t
doca_devinfo_get_pci_addr(const struct doca_devinfo *devinfo, struct doca_pci_bdf *bdf)
{
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];

	if (bdf == NULL || doca_devinfo_get_pci_addr_str(devinfo, pci_addr) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	bdf_set(pci_addr, bdf);
	return DOCA_SUCCESS;
}

doca_error_t
doca_devinfo_rep_get_pci_addr(const struct doca_devinfo_rep *devinfo_rep, struct doca_pci_bdf *bdf)
{
	char pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];

	if (bdf == NULL || doca_devinfo_rep_get_pci_addr_str(devinfo_rep, pci_addr) != DOCA_SUCCESS)
		return DOCA_ERROR_INVALID_VALUE;
	bdf_set(pci_addr, bdf);
	return DOCA_SUCCESS;
}

doca_error_t
doca_compat_2_2_mmap_create(const char *name, struct doca_mmap **mmap)
{
	(void)name;
	return doca_mmap_create(mmap);
}

doca_error_t
doca_compat_2_2_buf_inventory_create(const char *name, size_t num_elements, uint32_t extensions,
		struct doca_buf_inventory **inventory)
{
	(void)name;
	if (extensions != DOCA_BUF_EXTENSION_NONE)
		return DOCA_ERROR_NOT_SUPPORTED;
	return doca_buf_inventory_create(num_elements, inventory);
}

doca_error_t
doca_workq_create(uint32_t depth, struct doca_workq **workq)
{
	return depth == 0 ? DOCA_ERROR_INVALID_VALUE : doca_pe_create((struct doca_pe **)workq);
}

doca_error_t
doca_workq_destroy(struct doca_workq *workq)
{
	return doca_pe_destroy((struct doca_pe *)workq);
}

doca_error_t
doca_ctx_workq_add(struct doca_ctx *ctx, struct doca_workq *workq)
{
	return doca_pe_connect_ctx((struct doca_pe *)workq, ctx);
}

doca_error_t
doca_ctx_workq_rm(struct doca_ctx *ctx, struct doca_workq *workq)
{
	struct doca_pe *pe = (struct doca_pe *)workq;
	struct rte_comch_ctx_info info;

	if (ctx == NULL || pe == NULL || ctx->pe != pe)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE || pe->nb_inside != 0)
		return DOCA_ERROR_BAD_STATE;
	if (rte_comch_ctx_info_get(ctx->rte, &info) != 0) {
		/* it was not started */
	} else if (info.type == RTE_COMCH_CTX_SERVER || info.type == RTE_COMCH_CTX_CLIENT) {
		rte_comch_ctx_destroy(ctx->rte);
		ctx->rte = NULL; /* the next start makes one */
	} else {
		rte_comch_ctx_detach(ctx->rte); /* if it is attached: it was started */
	}
	doca_ctx_unlink(ctx);
	return DOCA_SUCCESS;
}

doca_error_t
doca_ctx_dev_add(struct doca_ctx *ctx, struct doca_dev *dev)
{
	if (ctx == NULL || dev == NULL)
		return DOCA_ERROR_INVALID_VALUE;
	if (ctx->state != DOCA_CTX_STATE_IDLE)
		return DOCA_ERROR_BAD_STATE;
	return doca_compat_dev_func(dev) == ctx->func ? DOCA_SUCCESS : DOCA_ERROR_NOT_SUPPORTED;
}

doca_error_t
doca_ctx_dev_rm(struct doca_ctx *ctx, struct doca_dev *dev)
{
	return doca_ctx_dev_add(ctx, dev);
}
