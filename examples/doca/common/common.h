/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMMON_H
#define COMMON_H

/*
 * What the examples in this folder's neighbours share, as the samples of the vendor's
 * guides do: log backends, flags, devices by their PCI address. Nothing of a channel.
 */

#include <stdbool.h>

#include <doca_argp.h>
#include <doca_dev.h>
#include <doca_error.h>

#define MAX_TEXT_SIZE 4080
#define DEFAULT_DEVICE "03:00.0"
#define DEFAULT_REPRESENTOR "b1:00.0"
#define DEFAULT_ADDRESSES .pci_addr = DEFAULT_DEVICE, .rep_pci = DEFAULT_REPRESENTOR

/* A program with flags of its own has this as the first member of its configuration. */
struct common_config {
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	char rep_pci[DOCA_DEVINFO_REP_PCI_ADDR_SIZE]; /* on the card only */
	char text[MAX_TEXT_SIZE];
};

typedef doca_error_t (*device_check_t)(const struct doca_devinfo *devinfo);

/* -t. */
doca_error_t register_text_flag(void);
doca_error_t register_flag(const char *short_name, const char *long_name,
		const char *description, enum doca_argp_type type, doca_argp_param_cb_t callback);

/*
 * Log backends, then the command line: the common flags and those that register_own()
 * adds. What is not on it stays as it is in the configuration.
 */
doca_error_t begin(const char *name, void *config, doca_error_t (*register_own)(void), int argc,
		char **argv);
/* Says how the program ended, and gives main() its result. */
int finish(doca_error_t result);

/* The first device with that address which the check lets pass; NULL: any. */
doca_error_t open_device(const char *pci_addr, device_check_t check, struct doca_dev **dev);
doca_error_t open_representor(struct doca_dev *dev, const char *pci_addr,
		struct doca_dev_rep **rep);

/* 10 us. */
void short_sleep(void);
/* Less than a second. */
void sleep_for_us(uint32_t us);

#endif /* COMMON_H */
