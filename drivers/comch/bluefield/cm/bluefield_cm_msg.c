/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages of the connection manager that go out: what we say in each field, and the
 * reasons in them, as numbers of the InfiniBand specification, errnos and words. What they
 * mean for the state of an id is not in here.
 */

#include <errno.h>
#include <string.h>

#include <rte_byteorder.h>
#include <rte_common.h>

#include "bluefield_cm_priv.h"

/* Reads and atomics by address: none, in either direction. */
#define NO_READS 0
#define PKEY_DEFAULT 0xffff
#define HOP_LIMIT 64
/* On RoCE, where there are none. */
#define LID_NONE 0xffff
#define GUID_LEN 8
/* That we acknowledge a packet in 4.096 us << 15 at most; it adds nothing to Linux's sum. */
#define ACK_DELAY 15
/* What we ask for when the user has not answered a REQ or REP: 4 s. */
#define MRA_TIMEOUT 20
/* Of a SIDR_REP: there is no such service. */
#define SIDR_UNSUPPORTED 1
/* The port in our REQs says nothing, but it is not 0, and in Linux's flow label. */
#define FIRST_PORT 0xc000u
#define PORT_MASK 0x3fffu
#define FLOW_LABEL_MASK 0xfffffu

/* Begins the private data of our DREQs, before a positive errno of Linux. */
#define DREQ_MAGIC 0x62664372u
#define DREQ_REASON_OFF 4

static void
send_buf(struct bf_cm *cm, const struct bf_cm_addr *to, uint16_t attr, const uint8_t *buf)
{
	int ret = cm->port->ops->send(cm->port, to, buf);

	/* as if it had been lost: whoever waits for an answer sends it again */
	if (ret != 0) {
		cm->stats.tx_errors++;
		BF_LOG(DEBUG, "%s: %s not sent (%d)", cm->conf.name, bf_mad_attr_text(attr), ret);
		return;
	}
	cm->stats.tx[attr - BF_MAD_FIRST]++;
}

/* All values fit: they are constants, come from fields, or were checked. */
static void
send_mad(struct bf_cm *cm, const struct bf_cm_addr *to, const struct bf_mad *mad)
{
	uint8_t buf[BF_MAD_SIZE];

	if (bf_mad_encode(mad, buf) != 0) {
		cm->stats.tx_errors++;
		return;
	}
	send_buf(cm, to, mad->attr, buf);
}

static void
send_keep(struct bf_cm_id *id, const struct bf_mad *mad)
{
	id->kept = bf_mad_encode(mad, id->mad) == 0;
	bf_cm_send_kept(id);
}

void
bf_cm_send_kept(struct bf_cm_id *id)
{
	/* attribute id, in the header; all are below 256 */
	if (id->kept)
		send_buf(id->cm, &id->addr, id->mad[17], id->mad);
}

/* A message of an id: its numbers are in there. */
static struct bf_mad
mad_of(const struct bf_cm_id *id, uint16_t attr)
{
	struct bf_mad mad = { .attr = attr, .tid = id->tid };

	mad.local_id = id->local_id;
	if (attr != BF_MAD_REQ)
		mad.remote_id = id->remote_id;
	return mad;
}

/* Nothing may be nowhere. */
static void
priv_put(uint8_t *to, const void *priv, size_t len)
{
	if (len != 0)
		memcpy(to, priv, len);
}

static void
req_path(const struct bf_cm_id *id, struct bf_mad_path *path)
{
	path->local_lid = LID_NONE;
	path->remote_lid = LID_NONE;
	memcpy(path->local_gid, id->cm->conf.own.gid, sizeof(path->local_gid));
	memcpy(path->remote_gid, id->addr.gid, sizeof(path->remote_gid));
	path->flow_label = id->flow_label;
	path->hop_limit = HOP_LIMIT;
	path->ack_timeout = id->own.ack_timeout;
}

void
bf_cm_send_req(struct bf_cm_id *id, const void *priv, size_t len)
{
	struct bf_cm *cm = id->cm;
	struct bf_mad_ip ip;
	struct bf_mad mad;

	bf_cm_ip_fill(&ip, cm->conf.own.gid, id->addr.gid);
	id->tid = cm->tid++;
	ip.src_port = FIRST_PORT | (id->local_id & PORT_MASK);
	id->flow_label = (ip.src_port * 31u + (uint16_t)cm->conf.service_id) & FLOW_LABEL_MASK;
	mad = mad_of(id, BF_MAD_REQ);
	mad.req.service_id = cm->conf.service_id;
	mad.req.ca_guid = cm->conf.guid;
	mad.req.qpn = id->own.qpn;
	mad.req.psn = id->own.psn;
	mad.req.responder_resources = NO_READS;
	mad.req.initiator_depth = NO_READS;
	mad.req.remote_timeout = bf_mad_ms_code(cm->conf.req_ms);
	mad.req.local_timeout = bf_mad_ms_code(cm->conf.req_ms);
	mad.req.retry_count = id->own.retry_count;
	mad.req.pkey = PKEY_DEFAULT;
	mad.req.mtu = id->own.mtu;
	mad.req.rnr_retry = id->own.rnr_retry;
	mad.req.max_retries = cm->conf.retries;
	mad.req.srq = id->own.srq;
	req_path(id, &mad.req.path);
	bf_mad_ip_encode(&ip, mad.req.priv); /* all of it fits */
	priv_put(mad.req.priv + BF_MAD_IP_SIZE, priv, len);
	send_keep(id, &mad);
}

void
bf_cm_send_req_again(struct bf_cm_id *id)
{
	struct bf_mad mad;

	if (bf_mad_decode(id->mad, sizeof(id->mad), &mad) != 0)
		return;
	bf_cm_id_renumber(id);
	id->tid = id->cm->tid++;
	mad.local_id = id->local_id;
	mad.tid = id->tid;
	send_keep(id, &mad);
}

void
bf_cm_send_rep(struct bf_cm_id *id, const void *priv, size_t len)
{
	struct bf_mad mad = mad_of(id, BF_MAD_REP);

	mad.rep.qpn = id->own.qpn;
	mad.rep.psn = id->own.psn;
	mad.rep.responder_resources = NO_READS;
	mad.rep.initiator_depth = NO_READS;
	mad.rep.ack_delay = ACK_DELAY;
	mad.rep.rnr_retry = id->own.rnr_retry;
	mad.rep.srq = id->own.srq;
	mad.rep.ca_guid = id->cm->conf.guid;
	priv_put(mad.rep.priv, priv, len);
	send_keep(id, &mad);
}

/* Not kept: a duplicate of the REP has it sent anew. */
void
bf_cm_send_rtu(struct bf_cm_id *id)
{
	struct bf_mad mad = mad_of(id, BF_MAD_RTU);

	send_mad(id->cm, &id->addr, &mad);
}

void
bf_cm_send_mra(struct bf_cm_id *id, enum bf_mad_about about)
{
	struct bf_mad mad = mad_of(id, BF_MAD_MRA);

	mad.mra.about = about;
	mad.mra.timeout = MRA_TIMEOUT;
	send_mad(id->cm, &id->addr, &mad);
}

static void
rej_guid(const struct bf_cm *cm, struct bf_mad_rej *rej)
{
	rte_be64_t guid = rte_cpu_to_be_64(cm->conf.guid);

	/* the other side may not know our number: it looks for the GUID */
	memcpy(rej->info, &guid, GUID_LEN);
	rej->info_len = GUID_LEN;
}

void
bf_cm_send_rej(struct bf_cm_id *id, enum bf_mad_about about, uint8_t reason,
	const void *priv, size_t len)
{
	struct bf_mad mad = mad_of(id, BF_MAD_REJ);

	mad.rej.about = about;
	mad.rej.reason = reason;
	if (reason == BF_REJ_TIMEOUT)
		rej_guid(id->cm, &mad.rej);
	priv_put(mad.rej.priv, priv, len);
	send_keep(id, &mad);
}

void
bf_cm_send_dreq(struct bf_cm_id *id, int reason)
{
	struct bf_mad mad = mad_of(id, BF_MAD_DREQ);
	rte_be32_t magic = rte_cpu_to_be_32(DREQ_MAGIC);
	rte_be32_t err = rte_cpu_to_be_32((uint32_t)-reason);

	mad.tid = id->cm->tid++;
	mad.dreq.qpn = id->remote.qpn;
	if (reason < 0) {
		memcpy(mad.dreq.priv, &magic, sizeof(magic));
		memcpy(mad.dreq.priv + DREQ_REASON_OFF, &err, sizeof(err));
	}
	send_keep(id, &mad);
}

int
bf_cm_dreq_reason(const struct bf_mad_dreq *dreq)
{
	rte_be32_t magic, err;

	memcpy(&magic, dreq->priv, sizeof(magic));
	memcpy(&err, dreq->priv + DREQ_REASON_OFF, sizeof(err));
	if (magic != rte_cpu_to_be_32(DREQ_MAGIC) || rte_be_to_cpu_32(err) > BF_CM_MAX_ERRNO)
		return 0;
	return -(int)rte_be_to_cpu_32(err);
}

void
bf_cm_send_drep(struct bf_cm_id *id)
{
	struct bf_mad mad = mad_of(id, BF_MAD_DREP);

	mad.tid = id->dreq_tid;
	send_mad(id->cm, &id->addr, &mad);
}

/* An answer to cm->rx, with its numbers. */
static struct bf_mad
answer_of(const struct bf_cm *cm, uint16_t attr)
{
	struct bf_mad mad = { .attr = attr, .tid = cm->rx.tid };

	mad.local_id = cm->rx.remote_id;
	mad.remote_id = cm->rx.local_id;
	return mad;
}

void
bf_cm_answer_rej(struct bf_cm *cm, const struct bf_cm_addr *to, enum bf_mad_about about,
	uint8_t reason)
{
	struct bf_mad mad = answer_of(cm, BF_MAD_REJ);

	mad.rej.about = about;
	mad.rej.reason = reason;
	/* as Linux: the address that it would have been */
	if (reason == BF_REJ_GID) {
		memcpy(mad.rej.info, cm->conf.own.gid, sizeof(cm->conf.own.gid));
		mad.rej.info_len = sizeof(cm->conf.own.gid);
	}
	send_mad(cm, to, &mad);
}

void
bf_cm_answer_drep(struct bf_cm *cm, const struct bf_cm_addr *to)
{
	struct bf_mad mad = answer_of(cm, BF_MAD_DREP);

	send_mad(cm, to, &mad);
}

void
bf_cm_answer_sidr(struct bf_cm *cm, const struct bf_cm_addr *to)
{
	struct bf_mad mad = { .attr = BF_MAD_SIDR_REP, .tid = cm->rx.tid };

	mad.local_id = cm->rx.local_id;
	mad.sidr_rep.status = SIDR_UNSUPPORTED;
	mad.sidr_rep.service_id = cm->rx.sidr_req.service_id;
	send_mad(cm, to, &mad);
}

/*
 * Reasons of REJs
 */

/* An errno is sent as the first reason that has it. */
static const struct {
	int err;
	const char *text;
} reasons[UINT8_MAX + 1] = {
	[BF_REJ_NO_QP] = { ENOSPC, "no queue pair" },
	[BF_REJ_NO_EEC] = { ENOSPC, "no end-to-end context" },
	[BF_REJ_NO_RESOURCES] = { ENOMEM, "no resources" },
	[BF_REJ_TIMEOUT] = { ETIMEDOUT, "timeout" },
	[BF_REJ_UNSUPPORTED] = { ENOTSUP, "unsupported" },
	[BF_REJ_COMM_ID] = { EBADF, "bad communication id" },
	[BF_REJ_COMM_INSTANCE] = { EBADF, "bad communication instance" },
	[BF_REJ_SERVICE_ID] = { ENOENT, "bad service id" },
	[BF_REJ_TRANSPORT] = { EPROTOTYPE, "bad transport type" },
	[BF_REJ_STALE] = { ESTALE, "stale connection" },
	[BF_REJ_NO_RDC] = { ENOTSUP, "no reliable datagram channel" },
	[BF_REJ_GID] = { EADDRNOTAVAIL, "bad GID" },
	[BF_REJ_LID] = { EHOSTUNREACH, "bad LID" },
	[BF_REJ_SL] = { EHOSTUNREACH, "bad service level" },
	[BF_REJ_TRAFFIC_CLASS] = { EHOSTUNREACH, "bad traffic class" },
	[BF_REJ_HOP_LIMIT] = { EHOSTUNREACH, "bad hop limit" },
	[BF_REJ_RATE] = { EHOSTUNREACH, "bad packet rate" },
	[BF_REJ_ALT_GID] = { EHOSTUNREACH, "bad alternate GID" },
	[BF_REJ_ALT_LID] = { EHOSTUNREACH, "bad alternate LID" },
	[BF_REJ_ALT_SL] = { EHOSTUNREACH, "bad alternate service level" },
	[BF_REJ_ALT_TRAFFIC_CLASS] = { EHOSTUNREACH, "bad alternate traffic class" },
	[BF_REJ_ALT_HOP_LIMIT] = { EHOSTUNREACH, "bad alternate hop limit" },
	[BF_REJ_ALT_RATE] = { EHOSTUNREACH, "bad alternate packet rate" },
	[BF_REJ_CM_REDIRECT] = { EREMCHG, "another port and connection manager" },
	[BF_REJ_PORT_REDIRECT] = { EREMCHG, "another port" },
	[BF_REJ_MTU] = { EMSGSIZE, "bad MTU" },
	[BF_REJ_RESPONDER] = { ERANGE, "too few responder resources" },
	[BF_REJ_CONSUMER] = { ECONNREFUSED, "refused by the application" },
	[BF_REJ_RNR_RETRY] = { ERANGE, "bad RNR retry count" },
	[BF_REJ_DUPLICATE_ID] = { EEXIST, "duplicate communication id" },
	[BF_REJ_CLASS_VERSION] = { EPROTONOSUPPORT, "bad class version" },
	[BF_REJ_FLOW_LABEL] = { EHOSTUNREACH, "bad flow label" },
	[BF_REJ_ALT_FLOW_LABEL] = { EHOSTUNREACH, "bad alternate flow label" },
	[BF_REJ_VENDOR] = { ENOPROTOOPT, "vendor option not supported" },
};

int
bf_cm_reason_errno(uint8_t reason)
{
	if (reasons[reason].text == NULL)
		return -EPROTO;
	return -reasons[reason].err;
}

uint8_t
bf_cm_errno_reason(int err)
{
	uint32_t i;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		if (reasons[i].text != NULL && reasons[i].err == -err)
			return i;
	}
	return BF_REJ_CONSUMER;
}

const char *
bf_cm_reason_text(uint8_t reason)
{
	if (reasons[reason].text == NULL)
		return "unknown reason";
	return reasons[reason].text;
}
