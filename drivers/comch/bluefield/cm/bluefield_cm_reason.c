/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Why a connection is refused: numbers of the InfiniBand specification, errnos, words.
 */

#include <errno.h>

#include <rte_common.h>

#include "bluefield_cm_priv.h"

/* An errno is sent as the first reason that has it. */
static const struct {
	int err;
	const char *text;
} reasons[] = {
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
	if (reason >= RTE_DIM(reasons) || reasons[reason].text == NULL)
		return -EPROTO;
	return -reasons[reason].err;
}

uint8_t
bf_cm_errno_reason(int err)
{
	uint8_t i;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		if (reasons[i].text != NULL && reasons[i].err == -err)
			return i;
	}
	return BF_REJ_CONSUMER;
}

const char *
bf_cm_reason_text(uint8_t reason)
{
	if (reason >= RTE_DIM(reasons) || reasons[reason].text == NULL)
		return "unknown reason";
	return reasons[reason].text;
}
