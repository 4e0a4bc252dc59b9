/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Can connections work over a function that is up? They are RoCE between two vports
 * of one embedded switch, whose owner prepares them. What is missing is said with the
 * command that the owner gives. Nothing is changed here.
 *
 * The owner is the card's own PF in DPU mode, for all functions but itself: the host's
 * PF and VFs, and VFs and subfunctions of the card. It knows each by its
 * representor. A PF that manages a switch of its own has settings of firmware.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "comch_bluefield.h"

/* The function in the owner's words. */
struct owner {
	const char *name;       /* of the device, for messages */
	const char *pci;        /* address, or a word in its place */
	bool own;               /* the function manages the switch itself */
	char rep[RTE_COMCH_FUNCTION_SIZE + 4]; /* representor: a name, or a word in its place */
	char port[32];          /* LINK_TYPE of its port */
};

#define REP_UNKNOWN "<representor>"
#define REP_HELP "; devlink port show on the card lists the representors"

/* Names are those of udev's rules on the card, for what the host sees of itself. */
static void
owner_fill(struct owner *o, const struct bf_func *func, const char *name,
	enum rte_comch_role role, const struct bf_ident *ident, bool vf)
{
	bool known = role == RTE_COMCH_ROLE_HOST && ident->function[0] != '\0';

	o->name = name;
	o->own = bf_func_caps(func)->eswitch_manager || bf_func_caps(func)->ecpf;
	o->pci = !vf && ident->pci_addr[0] != '\0' ? ident->pci_addr : vf ? "<its PF>" :
		"<device>";
	if (known)
		snprintf(o->rep, sizeof(o->rep), "%s%s", ident->function, vf ? "" : "hpf");
	else
		snprintf(o->rep, sizeof(o->rep), REP_UNKNOWN);
	/* pf0 is port 1 */
	if (strncmp(ident->function, "pf", 2) == 0)
		snprintf(o->port, sizeof(o->port), "LINK_TYPE_P%d", atoi(ident->function + 2) + 1);
	else
		snprintf(o->port, sizeof(o->port), "LINK_TYPE_P<port>");
}

static int
refuse_ib(const struct owner *o)
{
	BF_LOG(ERR, "%s: its port is InfiniBand, and connections need Ethernet: mlxconfig (or mstconfig) -d %s set %s=2, then a power cycle",
		o->name, o->pci, o->port);
	return -ENOTSUP;
}

static int
refuse_roce(const struct owner *o, const char *what)
{
	if (o->own)
		BF_LOG(ERR, "%s: RoCE is off for the function (%s): mlxconfig (or mstconfig) -d %s set ROCE_CONTROL=2, then a power cycle",
			o->name, what, o->pci);
	else
		BF_LOG(ERR, "%s: RoCE is off for the function (%s): unbind it, on the card devlink port function set %s roce enable, then bind and probe it again" REP_HELP,
			o->name, what, o->rep);
	return -ENOTSUP;
}

static int
refuse_mac(const struct owner *o)
{
	if (o->own)
		BF_LOG(ERR, "%s: the function has no MAC address: bind it to mlx5_core, ip link set <interface> address <MAC>, then bind and probe it again; flint (or mstflint) -d %s query says whether firmware has addresses",
			o->name, o->pci);
	else
		BF_LOG(ERR, "%s: the function has no MAC address: unbind it, on the card devlink port function set %s hw_addr <MAC>, then bind and probe it again" REP_HELP,
			o->name, o->rep);
	return -EADDRNOTAVAIL;
}

static int
refuse_link(const struct owner *o)
{
	if (o->own)
		BF_LOG(ERR, "%s: its vport is down: check the cable (mlxlink, or mstlink, -d %s), bind the function to mlx5_core, ip link set <interface> up, then bind and probe it again",
			o->name, o->pci);
	else
		BF_LOG(ERR, "%s: its vport is down: on the card ip link set %s up, then probe it again" REP_HELP,
			o->name, o->rep);
	return -ENETDOWN;
}

int
bf_usable(struct bf_func *func, const char *name, enum rte_comch_role role,
	const struct bf_ident *ident, bool link)
{
	static const uint8_t no_mac[6];
	const struct bf_func_caps *caps = bf_func_caps(func);
	struct owner o;

	owner_fill(&o, func, name, role, ident, bf_func_hw(func)->device_id == BF_DEVICE_VF);
	if (caps->ib_port)
		return refuse_ib(&o);
	if (!caps->roce)
		return refuse_roce(&o, "capability roce is 0");
	if (caps->roce_addr_table_size == 0)
		return refuse_roce(&o, "its table of addresses has no entry");
	if (caps->has_vport && memcmp(caps->mac, no_mac, sizeof(no_mac)) == 0)
		return refuse_mac(&o);
	if (link && __atomic_load_n(&caps->port_state, __ATOMIC_RELAXED) == 0)
		return refuse_link(&o);
	return 0;
}
