/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DOCA_FUNC_PRIVATE_H
#define DOCA_FUNC_PRIVATE_H

/*
 * Between the files of libdoca_common that know devices: what the environment says
 * (doca_env.c), the start of EAL (doca_start.c), the functions there are and the devices
 * of rte_comch behind them (doca_func.c), and the program's view of them (doca_dev.c).
 * Nothing here is exported; what other libraries use is in doca_dev_private.h.
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include <doca_dev.h>

#include "doca_dev_private.h"

/* The name of this part of the layer in the log. */
#define DOCA_DEV_SOURCE "DOCA_COMPAT::DEV"

/* Functions that the card serves, and that a host has, in one process. */
#define DOCA_MAX_FUNCS 512

/* An object that can be opened several times, and that contexts hold. Under the lock. */
struct doca_open_count {
	uint32_t opened;
	uint32_t held;
};

/* The structures of the program, which stay for good: a wrong handle is no crash. */
struct doca_devinfo {
	struct doca_compat_func *func;
};

struct doca_dev {
	struct doca_compat_func *func;
	struct doca_open_count count;
};

struct doca_dev_rep {
	struct doca_devinfo_rep *info;
	struct doca_open_count count;
};

/* What a name like pf0vf3 says. */
struct doca_func_name {
	char text[RTE_COMCH_FUNCTION_SIZE];
	enum doca_pci_func_type type;
	uint32_t pf;
	uint32_t number; /* of the VF or SF, 0 of a PF */
};

/* A representor. Its fields are set before it is listed, but for the devices. */
struct doca_devinfo_rep {
	struct doca_dev_rep rep;
	struct doca_compat_func *func; /* of the card */
	struct doca_func_name name;
	char pci_addr[DOCA_DEVINFO_REP_PCI_ADDR_SIZE];
	char vuid[DOCA_DEVINFO_REP_VUID_SIZE];
	uint32_t index;  /* on its device */
	int16_t dev_id;  /* of rte_comch; -1: not probed yet. Under the lock */
	uint16_t rep_id; /* on that */
	STAILQ_ENTRY(doca_devinfo_rep) next;
};

struct doca_compat_func {
	struct doca_devinfo info;
	struct doca_dev dev;
	char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE];
	struct doca_func_name name; /* as the host has it; empty: card only */
	char iface[RTE_COMCH_FUNCTION_SIZE];
	uint32_t index;
	bool emulated; /* probed when it is needed; else EAL has its devices */
	bool card;     /* servers */
	bool host;     /* clients */
	int16_t dpu_dev;                       /* of EAL's, or -1. Under the lock */
	int16_t host_devs[RTE_COMCH_MAX_DEVS]; /* nth is [nth] */
	unsigned int nb_host_devs;
	STAILQ_HEAD(, doca_devinfo_rep) reps;
	uint32_t nb_reps;
};

/* What the environment says, checked. The texts are the environment's own. */
enum doca_env_side {
	DOCA_ENV_SIDE_BOTH,
	DOCA_ENV_SIDE_HOST,
	DOCA_ENV_SIDE_CARD,
};

struct doca_env {
	const char *devices;
	bool devices_set;     /* by the environment, and not the default */
	const char *host_bus; /* "0000:b1" */
	const char *path;     /* or NULL */
	const char *uids;     /* or NULL */
	const char *eal_args; /* or NULL */
	bool eal_allows;      /* functions that they name; known once EAL was started here */
	uint32_t log_level;   /* enum doca_log_level; 0: not set */
	uint32_t connect_timeout_ms;
	uint32_t recv_size;   /* bytes, if recv_size_set */
	bool recv_size_set;
	enum doca_env_side side;
};

/*
 * doca_env.c
 */

/* Read all variables. DOCA_ERROR_INITIALIZATION: one is wrong, which was logged. */
doca_error_t doca_env_read(struct doca_env *env);

/* Calls back for each device of the card: its address and its functions, all checked. */
typedef doca_error_t (*doca_env_device_cb_t)(const char *pci_addr, const char *function,
		bool first, void *arg);
doca_error_t doca_env_devices(const struct doca_env *env, doca_env_device_cb_t cb, void *arg);

/* Both the short form and the one with a domain, into the latter; false: it is none. */
bool doca_pci_addr_parse(const char *text, char pci_addr[DOCA_DEVINFO_PCI_ADDR_SIZE]);

/* pf0, pf0vf3, pf0sf12; false: it is none. */
bool doca_func_name_parse(const char *text, struct doca_func_name *name);

/*
 * doca_start.c
 */

/* What doca_compat_start() has read; only after it. */
const struct doca_env *doca_env_get(void);

/*
 * doca_func.c
 */

/* Make the emulated functions, and those of EAL's devices. Once, after EAL's start. */
doca_error_t doca_funcs_init(const struct doca_env *env);

/* Look for devices that EAL has got since, and for new representors. Any thread. */
doca_error_t doca_funcs_refresh(void);
doca_error_t doca_func_reps_refresh(struct doca_compat_func *func);

/* The functions there are; those with a number below this stay where they are. */
uint32_t doca_funcs_count(void);
struct doca_compat_func *doca_funcs_get(uint32_t i);

/* The lock of all counts and devices. */
void doca_func_lock(void);
void doca_func_unlock(void);

#endif /* DOCA_FUNC_PRIVATE_H */
