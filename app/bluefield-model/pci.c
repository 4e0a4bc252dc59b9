/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Configuration space of a function: what it reads after power-on, and which
 * bits a write changes. What the bits mean to the rest of the model (bus
 * mastering, reset) is server.c's business. Of the vendor-specific capability there
 * is the semaphore of firmware resets; no extended capability is modelled.
 */

#include <string.h>

#include <linux/pci_regs.h>

#include "server.h"

/* Where a real part has its capabilities. */
#define PM_OFF 0x40
#define EXP_OFF 0x60
#define MSIX_OFF 0x9c
#define VNDR_OFF 0xc0
#define VNDR_SIZE 0x18

/* The vendor-specific capability: a window into spaces of the card. */
#define VSC_CTRL 0x04    /* 15:0 space, 31:29 status: not 0 if there is that space */
#define VSC_COUNTER 0x08
#define VSC_LOCK 0x0c
#define VSC_ADDR 0x10
#define VSC_DATA 0x14
#define VSC_SPACE_OK (1u << 29)
#define VSC_FLAG (1u << 31) /* written: data goes out; read: data has come in */
#define VSC_ADDR_MASK 0x3fffffffu
#define VSC_SPACE_SEMAPHORES 0xau
#define VSC_SEM_RESET 0x20u
/* Ours: numbers from the counter are not those that functions begin with. */
#define VSC_COUNTER_FIRST 0x10000u
#define EXP_SIZE 0x3c

_Static_assert(PM_OFF + PCI_PM_SIZEOF <= EXP_OFF, "PM overlaps");
_Static_assert(EXP_OFF + EXP_SIZE <= MSIX_OFF, "PCIe overlaps");
_Static_assert(MSIX_OFF + PCI_CAP_MSIX_SIZEOF <= VNDR_OFF, "MSI-X overlaps");
_Static_assert(BFM_MSIX_TABLE_OFF + BFM_NB_VECTORS * PCI_MSIX_ENTRY_SIZE <= BFM_MSIX_PBA_OFF,
		"MSI-X table overlaps the PBA");

#define CLASS_ETHERNET 0x020000u
#define CLASS_INFINIBAND 0x020700u

/* A register, with the bits that a write sets and those that a one clears. */
struct pci_writable {
	uint16_t off;
	uint8_t size;
	uint32_t rw;
	uint32_t w1c;
};

static const struct pci_writable pci_writable[] = {
	{ PCI_COMMAND, 2, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_PARITY |
			PCI_COMMAND_SERR | PCI_COMMAND_INTX_DISABLE, 0 },
	{ PCI_STATUS, 2, 0, 0xf900 },
	{ PCI_CACHE_LINE_SIZE, 1, 0xff, 0 },
	{ PCI_BASE_ADDRESS_1, 4, 0xffffffff, 0 },
	{ PCI_INTERRUPT_LINE, 1, 0xff, 0 },
	{ PM_OFF + PCI_PM_CTRL, 2, PCI_PM_CTRL_STATE_MASK, 0 },
	/* the top bit starts a reset and never reads as one */
	{ EXP_OFF + PCI_EXP_DEVCTL, 2, 0x7fff, 0 },
	{ EXP_OFF + PCI_EXP_DEVSTA, 2, 0, 0x000f },
	{ EXP_OFF + PCI_EXP_LNKCTL, 2, 0x01cb, 0 },
	{ EXP_OFF + PCI_EXP_DEVCTL2, 2, 0x041f, 0 },
	{ EXP_OFF + PCI_EXP_LNKCTL2, 2, 0x000f, 0 },
	{ MSIX_OFF + PCI_MSIX_FLAGS, 2, PCI_MSIX_FLAGS_ENABLE | PCI_MSIX_FLAGS_MASKALL, 0 },
};

static void
put16(uint8_t *cfg, uint32_t off, uint32_t v)
{
	cfg[off] = v & 0xff;
	cfg[off + 1] = (v >> 8) & 0xff;
}

static void
put32(uint8_t *cfg, uint32_t off, uint32_t v)
{
	put16(cfg, off, v & 0xffff);
	put16(cfg, off + 2, v >> 16);
}

static uint32_t
get32(const uint8_t *cfg, uint32_t off)
{
	return cfg[off] | (uint32_t)cfg[off + 1] << 8 | (uint32_t)cfg[off + 2] << 16 |
			(uint32_t)cfg[off + 3] << 24;
}

static uint32_t
bar0_size(const struct bfm_conf *conf)
{
	return conf->kind == BFM_VF ? BFM_VF_BAR0_SIZE : BFM_BAR0_SIZE;
}

void
bfm_pci_config(const struct bfm_conf *conf, uint8_t *cfg)
{
	uint32_t speed = conf->bf3 ? PCI_EXP_LNKCAP_SLS_32_0GB : PCI_EXP_LNKCAP_SLS_16_0GB;

	memset(cfg, 0, BFM_PAGE_SIZE);
	put16(cfg, PCI_VENDOR_ID, conf->vendor_id);
	put16(cfg, PCI_DEVICE_ID, conf->device_id);
	put16(cfg, PCI_STATUS, PCI_STATUS_CAP_LIST);
	put32(cfg, PCI_CLASS_REVISION,
			(conf->ib_port ? CLASS_INFINIBAND : CLASS_ETHERNET) << 8);
	cfg[PCI_HEADER_TYPE] = PCI_HEADER_TYPE_NORMAL;
	put32(cfg, PCI_BASE_ADDRESS_0,
			PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	put16(cfg, PCI_SUBSYSTEM_VENDOR_ID, conf->vendor_id);
	put16(cfg, PCI_SUBSYSTEM_ID, 0x0001);
	cfg[PCI_CAPABILITY_LIST] = EXP_OFF;
	cfg[PCI_INTERRUPT_PIN] = 0; /* MSI-X only */

	cfg[EXP_OFF] = PCI_CAP_ID_EXP;
	cfg[EXP_OFF + 1] = MSIX_OFF;
	put16(cfg, EXP_OFF + PCI_EXP_FLAGS, 2 | PCI_EXP_TYPE_ENDPOINT << 4);
	/* 512 bytes of payload, extended tags, role-based errors, function level reset */
	put32(cfg, EXP_OFF + PCI_EXP_DEVCAP,
			2 | PCI_EXP_DEVCAP_EXT_TAG | PCI_EXP_DEVCAP_RBER | PCI_EXP_DEVCAP_FLR);
	put16(cfg, EXP_OFF + PCI_EXP_DEVCTL, 2 << 12); /* 512 bytes of read request */
	put32(cfg, EXP_OFF + PCI_EXP_LNKCAP, speed | 16 << 4);
	put16(cfg, EXP_OFF + PCI_EXP_LNKSTA, speed | 16 << 4);
	put32(cfg, EXP_OFF + PCI_EXP_DEVCAP2, PCI_EXP_DEVCAP2_COMP_TMOUT_DIS);
	put32(cfg, EXP_OFF + PCI_EXP_LNKCAP2, ((1u << speed) - 1) << 1);
	put16(cfg, EXP_OFF + PCI_EXP_LNKCTL2, speed);

	cfg[MSIX_OFF] = PCI_CAP_ID_MSIX;
	cfg[MSIX_OFF + 1] = VNDR_OFF;
	put16(cfg, MSIX_OFF + PCI_MSIX_FLAGS, conf->vectors - 1);
	put32(cfg, MSIX_OFF + PCI_MSIX_TABLE, BFM_MSIX_TABLE_OFF); /* BAR 0 */
	put32(cfg, MSIX_OFF + PCI_MSIX_PBA, BFM_MSIX_PBA_OFF);

	/* The window to the card's registers: there, with semaphores only. */
	cfg[VNDR_OFF] = PCI_CAP_ID_VNDR;
	cfg[VNDR_OFF + 1] = PM_OFF;
	cfg[VNDR_OFF + 2] = VNDR_SIZE;
	put32(cfg, VNDR_OFF + VSC_COUNTER, 1u + conf->vhca_id);

	cfg[PM_OFF] = PCI_CAP_ID_PM;
	cfg[PM_OFF + 1] = 0;
	put16(cfg, PM_OFF + PCI_PM_PMC, 3);
	put16(cfg, PM_OFF + PCI_PM_CTRL, PCI_PM_CTRL_NO_SOFT_RESET);
}

/* Bits of one byte that a write sets, and that writing a one clears. */
static void
writable_bits(const struct bfm_conf *conf, uint32_t off, uint8_t *rw, uint8_t *w1c)
{
	const struct pci_writable *w;
	uint32_t i, shift;

	*rw = 0;
	*w1c = 0;
	if (off >= PCI_BASE_ADDRESS_0 && off < PCI_BASE_ADDRESS_1) {
		/* the size of a BAR is told by the address bits that stay zero */
		shift = 8 * (off - PCI_BASE_ADDRESS_0);
		*rw = (~(bar0_size(conf) - 1) >> shift) & 0xff;
		return;
	}
	for (i = 0; i < sizeof(pci_writable) / sizeof(pci_writable[0]); i++) {
		w = &pci_writable[i];
		if (off < w->off || off >= (uint32_t)w->off + w->size)
			continue;
		shift = 8 * (off - w->off);
		*rw = (w->rw >> shift) & 0xff;
		*w1c = (w->w1c >> shift) & 0xff;
		return;
	}
}

/* A word at the other side of the window: data goes to a semaphore, or comes from it. */
static void
vsc_access(struct bfm_card *card, uint8_t *cfg, uint32_t addr)
{
	bool ok = (get32(cfg, VNDR_OFF + VSC_CTRL) & VSC_SPACE_OK) != 0 &&
			(addr & VSC_ADDR_MASK) == VSC_SEM_RESET;
	uint32_t number = get32(cfg, VNDR_OFF + VSC_DATA);

	if ((addr & VSC_FLAG) == 0) {
		put32(cfg, VNDR_OFF + VSC_DATA, ok ? card->reset_sem : 0);
	} else if (ok && (number == 0 || card->reset_sem == 0)) {
		card->reset_sem = number; /* one that is taken keeps its number */
	}
	put32(cfg, VNDR_OFF + VSC_ADDR, addr ^ VSC_FLAG);
}

static void
vsc_write(const struct bfm_conf *conf, struct bfm_card *card, uint8_t *cfg, uint32_t reg,
		uint32_t value)
{
	uint32_t space = value & 0xffff;

	switch (reg) {
	case VSC_CTRL:
		/* physical functions only: ours, the Linux driver does not try from others */
		if (space == VSC_SPACE_SEMAPHORES && conf->kind != BFM_VF)
			space |= VSC_SPACE_OK;
		put32(cfg, VNDR_OFF + VSC_CTRL, space);
		break;
	case VSC_LOCK:
		if (value == 0 || get32(cfg, VNDR_OFF + VSC_LOCK) == 0)
			put32(cfg, VNDR_OFF + VSC_LOCK, value);
		break;
	case VSC_ADDR:
		vsc_access(card, cfg, value);
		break;
	case VSC_DATA:
		put32(cfg, VNDR_OFF + VSC_DATA, value);
		break;
	default:
		break;
	}
	put32(cfg, VNDR_OFF + VSC_COUNTER, VSC_COUNTER_FIRST + card->vsc_counter++);
}

bool
bfm_pci_write(const struct bfm_conf *conf, struct bfm_card *card, uint8_t *cfg, uint32_t off,
		const void *buf, size_t len)
{
	const uint8_t *data = buf;
	uint8_t rw, w1c;
	bool flr = false;
	size_t i;

	if (off > VNDR_OFF && off < VNDR_OFF + VNDR_SIZE) {
		if (len == 4 && off % 4 == 0)
			vsc_write(conf, card, cfg, off - VNDR_OFF, get32(data, 0));
		return false;
	}
	for (i = 0; i < len && off + i < BFM_PAGE_SIZE; i++) {
		writable_bits(conf, off + i, &rw, &w1c);
		cfg[off + i] = (cfg[off + i] & ~rw) | (data[i] & rw);
		cfg[off + i] &= ~(data[i] & w1c);
		if (off + i == EXP_OFF + PCI_EXP_DEVCTL + 1 &&
				(data[i] & (PCI_EXP_DEVCTL_BCR_FLR >> 8)) != 0)
			flr = true;
	}
	return flr;
}

bool
bfm_pci_is_master(const uint8_t *cfg)
{
	return (cfg[PCI_COMMAND] & PCI_COMMAND_MASTER) != 0;
}

bool
bfm_pci_has_memory(const uint8_t *cfg)
{
	return (cfg[PCI_COMMAND] & PCI_COMMAND_MEMORY) != 0 &&
		(cfg[PM_OFF + PCI_PM_CTRL] & PCI_PM_CTRL_STATE_MASK) == 0;
}
