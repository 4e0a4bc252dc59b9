/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Who may reach whom: rules of the embedded switch, which belongs to the kernel of the
 * card's PF. No rule is set here. What its administrator has to say is known exactly, as
 * functions are known by their MACs, and their addresses follow from these or from ip=: it
 * is logged when a device begins, if fdb=tc asks for that, and when a connect got no answer.
 * Whether it was done only a connect can tell.
 *
 * Rules match source port, MACs and addresses: a function cannot be another one. Packets
 * of a RoCE connection are UDP to port 4791; nothing else has to pass.
 */

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include <rte_common.h>

#include "bluefield_dev_priv.h"

#define ROCE_UDP_PORT 4791

/* A function in the words of the switch's administrator. */
struct end {
	char rep[48];   /* network interface of its representor */
	char mac[18];
	char ip[INET6_ADDRSTRLEN];
	bool ip4;       /* that is IPv4 */
	bool known;     /* that is its name, not a word in its place */
};

struct out {
	char *at;
	size_t left;
};

__rte_format_printf(2, 3)
static void
put(struct out *o, const char *format, ...)
{
	va_list ap;
	int n;

	va_start(ap, format);
	n = vsnprintf(o->at, o->left, format, ap);
	va_end(ap);
	n = n < 0 ? 0 : (int)RTE_MIN((size_t)n, o->left - 1);
	o->at += n;
	o->left -= n;
}

/* name: of its representor, or empty. */
static void
end_fill(struct end *e, const struct bf_cm_addr *addr, const char *name)
{
	const uint8_t *ip4 = bf_cm_gid_ip4(addr->gid);
	struct bf_rep rep;

	snprintf(e->mac, sizeof(e->mac), BF_MAC_FMT, BF_MAC_ARGS(addr->mac));
	e->ip4 = ip4 != NULL;
	inet_ntop(e->ip4 ? AF_INET : AF_INET6, e->ip4 ? ip4 : addr->gid, e->ip, sizeof(e->ip));
	e->known = name[0] != '\0';
	if (!e->known)
		snprintf(e->rep, sizeof(e->rep), "<representor of %s>", e->mac);
	else /* udev's rules on the card name that of a PF of the host so */
		snprintf(e->rep, sizeof(e->rep), "%s%s", name, bf_function_parse(name, &rep) &&
			rep.type == RTE_COMCH_FUNC_PF ? "hpf" : "");
}

static void
ends_fill(const struct bf_dev *dev, const struct bf_cm_addr *peer, struct end *own,
		struct end *other)
{
	const struct bf_rep *rep = bf_dev_rep_find(dev, peer);
	struct bf_cm_addr addr;

	bf_addr_own(dev, &addr);
	end_fill(own, &addr, dev->ident.function);
	end_fill(other, peer, rep != NULL ? rep->name : "");
}

static void
rule_put(struct out *o, const struct end *from, const struct end *to)
{
	put(o, "tc filter add dev %s ingress prio 1 protocol %s flower skip_sw src_mac %s dst_mac %s src_ip %s dst_ip %s ip_proto udp dst_port %u action mirred egress redirect dev %s\n",
		from->rep, from->ip4 ? "ip" : "ipv6", from->mac, to->mac, from->ip, to->ip,
		ROCE_UDP_PORT, to->rep);
}

void
bf_fdb_text(const struct bf_dev *dev, const struct bf_cm_addr *peer, char *text, size_t size)
{
	struct out o = { .at = text, .left = size };
	struct end ends[2];
	int i;

	text[0] = '\0';
	ends_fill(dev, peer, &ends[0], &ends[1]);
	if (!ends[0].known || !ends[1].known)
		put(&o, "devlink port show # the representors, with the MACs of their functions\n");
	for (i = 0; i < 2; i++) {
		put(&o, "ip link set %s up\n", ends[i].rep);
		put(&o, "ethtool -K %s hw-tc-offload on\n", ends[i].rep);
		put(&o, "tc qdisc add dev %s ingress\n", ends[i].rep);
	}
	rule_put(&o, &ends[0], &ends[1]);
	rule_put(&o, &ends[1], &ends[0]);
}

static void
allow_log(const struct bf_dev *dev, const struct bf_cm_addr *peer)
{
	char text[BF_FDB_TEXT_SIZE];

	bf_fdb_text(dev, peer, text, sizeof(text));
	BF_LOG(NOTICE, "%s: for it and " BF_MAC_FMT " to talk, on the card:\n%s",
		dev->rte_dev->data->name, BF_MAC_ARGS(peer->mac), text);
}

/* The rules of the host's function: the card's may have some for others. */
static void
revoke_log(const struct bf_dev *dev, const struct bf_cm_addr *peer)
{
	bool host = dev->rte_dev->data->role == RTE_COMCH_ROLE_HOST;
	struct end own, other;

	ends_fill(dev, peer, &own, &other);
	BF_LOG(NOTICE, "%s: for it and %s to talk no more, on the card:\ntc filter del dev %s ingress prio 1",
		dev->rte_dev->data->name, other.mac, host ? own.rep : other.rep);
}

/* All functions that the device talks with. */
static void
peers_log(const struct bf_dev *dev, void (*log)(const struct bf_dev *dev,
		const struct bf_cm_addr *peer))
{
	uint16_t i;

	if (!dev->fdb_tc)
		return;
	for (i = 0; i < dev->nb_reps; i++)
		log(dev, &dev->reps[i].addr);
	if (dev->has_peer)
		log(dev, &dev->peer);
}

void
bf_fdb_begin(const struct bf_dev *dev)
{
	peers_log(dev, allow_log);
}

void
bf_fdb_end(const struct bf_dev *dev)
{
	peers_log(dev, revoke_log);
}

void
bf_fdb_advice(struct bf_dev *dev, const struct bf_cm_addr *peer)
{
	const bool ip4 = bf_cm_gid_ip4(peer->gid) != NULL;
	char text[BF_FDB_TEXT_SIZE];
	struct bf_rep own;

	/* relaxed: who tries again and again need not read it again and again */
	if (__atomic_exchange_n(&dev->advised, true, __ATOMIC_RELAXED)) {
		BF_LOG(WARNING, "%s: " BF_MAC_FMT " does not answer; what the switch needs was said before",
			dev->rte_dev->data->name, BF_MAC_ARGS(peer->mac));
		return;
	}
	bf_fdb_text(dev, peer, text, sizeof(text));
	BF_LOG(WARNING, "%s: " BF_MAC_FMT " does not answer: no driver is on that function%s, or the switch does not let the two talk, or that function is of another PF of the card than this one (%s), and each PF has a switch of its own. For the switch, with --%s of comch-bluefield-model, or on the card:\n%s",
		dev->rte_dev->data->name, BF_MAC_ARGS(peer->mac),
		ip4 ? ", or it has other IPv4 addresses in its keys" : "",
		bf_function_parse(dev->ident.function, &own) ? own.name : "key 'function' says which",
		ip4 ? "rule" : "allow", text);
}
