/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_DPA_APP_H
#define DOCA_DPA_APP_H

/*
 * What comch-dpacc puts into a host program for a program of an offload processor, and
 * libdoca_dpa reads: the bytes of the program, and a table of the functions that the host
 * may name. A host program that declares one of these functions gets the address of a
 * stand-in, which is only compared and never called. Nothing else of the layer is here.
 */

#include <stdint.h>

#define DOCA_DPA_APP_VERSION 1u

/* Called by doca_dpa_rpc(); else run by threads. */
#define DOCA_DPA_APP_F_RPC 1u

struct doca_dpa_app_func {
	void (*func)(void); /* the stand-in */
	const char *name;   /* as the host's program has it */
	const char *entry;  /* as the runtime of the processor's program has it */
	uint32_t flags;     /* DOCA_DPA_APP_F_* */
	uint32_t nb_args;
};

struct doca_dpa_app {
	uint32_t version; /* DOCA_DPA_APP_VERSION */
	uint32_t nb_funcs;
	const char *name;
	const struct doca_dpa_app_func *funcs;
	const uint8_t *elf;     /* the program */
	const uint8_t *elf_end;
};

#endif /* DOCA_DPA_APP_H */
