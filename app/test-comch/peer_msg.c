/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Making and checking the messages between client and server of this tool.
 * No state of either end.
 */

#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <rte_common.h>

#include "peer_msg.h"

static_assert(sizeof(struct peer_hdr) == 24, "the header is 24 bytes");
static_assert(sizeof(struct peer_hello) == 64, "no holes in hello");
static_assert(sizeof(struct peer_hello_reply) == 184, "no holes in the hello reply");
static_assert(sizeof(struct peer_start) == 104, "no holes in start");
static_assert(sizeof(struct peer_start_reply) == 128, "no holes in the start reply");
static_assert(sizeof(struct peer_join) == 32, "no holes in join");
static_assert(sizeof(struct peer_ready) == 128, "no holes in ready");
static_assert(sizeof(struct peer_stop) == 40, "no holes in stop");
static_assert(sizeof(struct peer_stop_reply) == 176, "no holes in the stop reply");
static_assert(sizeof(struct peer_memory_reply) == 32, "no holes in the memory reply");

/* Length of each type, and where it has a string that must end inside it. */
static const struct {
	const char *name;
	uint32_t len;
	uint32_t str_off[2];
	uint32_t str_len[2];
} peer_types[PEER_NB_TYPES] = {
	[PEER_HELLO] = { "hello", sizeof(struct peer_hello),
		{ offsetof(struct peer_hello, tool_version) }, { 32 } },
	[PEER_HELLO_REPLY] = { "hello reply", sizeof(struct peer_hello_reply),
		{ offsetof(struct peer_hello_reply, tool_version),
		  offsetof(struct peer_hello_reply, text) }, { 32, PEER_TEXT } },
	[PEER_START] = { "start", sizeof(struct peer_start),
		{ offsetof(struct peer_start, test) }, { PEER_TEST_NAME } },
	[PEER_START_REPLY] = { "start reply", sizeof(struct peer_start_reply),
		{ offsetof(struct peer_start_reply, text) }, { PEER_TEXT } },
	[PEER_JOIN] = { "join", sizeof(struct peer_join), { 0 }, { 0 } },
	[PEER_JOIN_REPLY] = { "join reply", sizeof(struct peer_join_reply), { 0 }, { 0 } },
	[PEER_STOP] = { "stop", sizeof(struct peer_stop), { 0 }, { 0 } },
	[PEER_STOP_REPLY] = { "stop reply", sizeof(struct peer_stop_reply),
		{ offsetof(struct peer_stop_reply, text) }, { PEER_TEXT } },
	[PEER_MEMORY] = { "memory", sizeof(struct peer_memory), { 0 }, { 0 } },
	[PEER_MEMORY_REPLY] = { "memory reply", sizeof(struct peer_memory_reply), { 0 }, { 0 } },
	[PEER_BYE] = { "bye", sizeof(struct peer_bye), { 0 }, { 0 } },
	[PEER_READY] = { "ready", sizeof(struct peer_ready),
		{ offsetof(struct peer_ready, text) }, { PEER_TEXT } },
};

void
peer_msg_init(struct peer_hdr *hdr, enum peer_msg_type type, uint32_t session,
		uint32_t run, int status)
{
	memset(hdr, 0, peer_types[type].len);
	hdr->magic = rte_cpu_to_le_32(PEER_MAGIC);
	hdr->version = rte_cpu_to_le_16(PEER_VERSION);
	hdr->type = rte_cpu_to_le_16((uint16_t)type);
	hdr->len = rte_cpu_to_le_32(peer_types[type].len);
	hdr->session = rte_cpu_to_le_32(session);
	hdr->run = rte_cpu_to_le_32(run);
	hdr->status = rte_cpu_to_le_32((uint32_t)(status < 0 ? -status : status));
}

int
peer_msg_check(const void *msg, uint32_t len)
{
	const struct peer_hdr *hdr = msg;
	unsigned int type, i;

	if (len < sizeof(*hdr) || rte_le_to_cpu_32(hdr->magic) != PEER_MAGIC)
		return -EPROTO;
	if (rte_le_to_cpu_16(hdr->version) != PEER_VERSION)
		return -EPROTONOSUPPORT;
	type = rte_le_to_cpu_16(hdr->type);
	if (type == 0 || type >= PEER_NB_TYPES || len != peer_types[type].len ||
			rte_le_to_cpu_32(hdr->len) != len ||
			rte_le_to_cpu_32(hdr->status) > INT32_MAX)
		return -EPROTO;
	for (i = 0; i < RTE_DIM(peer_types[type].str_off); i++) {
		if (peer_types[type].str_len[i] != 0 &&
				memchr((const char *)msg + peer_types[type].str_off[i], 0,
						peer_types[type].str_len[i]) == NULL)
			return -EPROTO;
	}
	return (int)type;
}

int
peer_msg_status(const struct peer_hdr *hdr)
{
	return -(int)rte_le_to_cpu_32(hdr->status);
}

const char *
peer_msg_name(int type)
{
	if (type <= 0 || type >= PEER_NB_TYPES)
		return "unknown";
	return peer_types[type].name;
}
