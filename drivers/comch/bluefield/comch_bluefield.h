/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The device of the driver, for the two buses that it comes by: what the files
 * comch_bluefield.c (operations, the virtual bus), bluefield_args.c (device arguments),
 * bluefield_probe.c (the PCI bus) and bluefield_usable.c know of each other. Layers fw and
 * below do not include this.
 */

#ifndef COMCH_BLUEFIELD_H
#define COMCH_BLUEFIELD_H

#include <limits.h>
#include <stdbool.h>

#include <rte_comch_pmd.h>

#include "bluefield_cm.h"
#include "bluefield_func.h"

#define BF_ARG_CLASS "class"
#define BF_ARG_SOCKET "socket"
#define BF_ARG_SOCKET_TIMEOUT "socket_timeout"
#define BF_ARG_ROLE "role"
#define BF_ARG_CMD_TIMEOUT "cmd_timeout"
#define BF_ARG_FW_TIMEOUT "fw_timeout"
#define BF_ARG_HEALTH "health"
#define BF_ARG_MAX_PAGES "max_pages"
#define BF_ARG_REPORT "report"
#define BF_ARG_FUNCTIONS "functions"
#define BF_ARG_PEER "peer"
#define BF_ARG_IP "ip"
#define BF_ARG_FUNCTION "function"
#define BF_ARG_FDB "fdb"

#define BF_CLASS "comch"

/* Of both buses, for dpdk-pmdinfo.py. */
#define BF_PARAMS \
	BF_ARG_ROLE "=host|dpu " \
	BF_ARG_CMD_TIMEOUT "=<ms> " \
	BF_ARG_FW_TIMEOUT "=<ms> " \
	BF_ARG_HEALTH "=<ms> " \
	BF_ARG_MAX_PAGES "=<number> " \
	BF_ARG_REPORT "=<path> " \
	BF_ARG_FUNCTIONS "=<name>@<MAC>[@<IPv4>][/...] " \
	BF_ARG_PEER "=<MAC>[@<IPv4>] " \
	BF_ARG_IP "=<IPv4> " \
	BF_ARG_FUNCTION "=<name> " \
	BF_ARG_FDB "=none|tc"
#define BF_VDEV_PARAMS \
	BF_ARG_SOCKET "=<path> " \
	BF_ARG_SOCKET_TIMEOUT "=<ms> " \
	BF_PARAMS
#define BF_PCI_PARAMS BF_ARG_CLASS "=" BF_CLASS " " BF_PARAMS

#define BF_SOCKET_SIZE 108 /* of an address of a local socket */

/* Functions of the host that one device of the card serves, and how they are numbered. */
#define BF_MAX_REPS 128
#define BF_MAX_PF 3
#define BF_MAX_VF 127

/* A function of the host, by functions=. */
struct bf_rep {
	uint16_t rep_id;        /* its index */
	char name[RTE_COMCH_FUNCTION_SIZE];
	enum rte_comch_func_type type;
	uint16_t pf;
	uint16_t number;        /* of the VF; 0 for a PF */
	struct bf_cm_addr addr; /* by which its requests are known */
};

/* What the device arguments say. */
struct bf_args {
	bool has_role;
	enum rte_comch_role role;
	struct bf_func_conf conf;
	char socket[BF_SOCKET_SIZE];
	uint32_t socket_timeout_ms; /* one message; default 10000 */
	char report[PATH_MAX];      /* file of a report, or empty */
	uint16_t nb_reps;
	struct bf_rep reps[BF_MAX_REPS];
	bool has_peer;
	struct bf_cm_addr peer;
	bool has_ip4;
	uint8_t ip4[4]; /* our own */
	char function[RTE_COMCH_FUNCTION_SIZE]; /* or empty */
	bool fdb_tc; /* fdb=tc */
};

/* Who the function is, as far as its bus knows. */
struct bf_ident {
	const char *driver;                     /* of us, on that bus */
	char function[RTE_COMCH_FUNCTION_SIZE]; /* or empty */
	char pci_addr[RTE_COMCH_PCI_ADDR_SIZE]; /* or empty */
};

/* pci says on which bus; 0 or -EINVAL, logged. */
int bf_args_parse(struct bf_args *args, const char *name, const char *text, bool pci);
/*
 * What depends on the function: its role, its MAC, and what its bus calls it, or "". 0 or
 * -EINVAL, logged.
 */
int bf_args_check(const struct bf_args *args, const char *name, enum rte_comch_role role,
	const uint8_t own[6], const char *bus_name);
/* Is it a name of a function, as pf0vf3? Then name, type and numbers are filled in. */
bool bf_function_parse(const char *name, struct bf_rep *rep);

/*
 * Make a device of a function: bring it up and show it to the library. Takes hw
 * over, also on failure. 0 or a negative errno, logged.
 */
int bf_dev_create(struct rte_device *device, const struct bf_ident *ident, struct bf_hw *hw,
		const struct bf_args *args);
/*
 * Can connections work over the function? link: also if its vport is down now. 0;
 * -ENOTSUP InfiniBand or RoCE is off, -EADDRNOTAVAIL no MAC address, -ENETDOWN; logged
 * with the remedy.
 */
int bf_usable(struct bf_func *func, const char *name, enum rte_comch_role role,
		const struct bf_ident *ident, bool link);
/* -EBUSY if the application still uses it, -ENODEV if there is none. */
int bf_dev_destroy(const char *name);
/* Is there a device of this name, of this driver? Not while another thread removes it. */
bool bf_dev_exists(const char *name);
/* Its bus says that it goes: any thread. */
void bf_dev_unplugged(const char *name);

#endif
