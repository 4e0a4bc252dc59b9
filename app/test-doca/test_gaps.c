/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Behaviour that public programs rely on though no guide states it, as far as it belongs to
 * several objects at one time. The number in a name is that of the list in the guide, see
 * doc/guides/prog_guide/doca_compat.rst.
 */

#include <time.h>

#include "test_comch.h"
#include "test_mem.h"

/* The addresses and names that are constants of programs fit, without any environment. */
static int
test_gap_14_constants(void)
{
	static const char *const names[] = {
		"comch_ctrl_path_sample_server", "comch_data_path_sample_server",
		"secure_channel_server", "doca_storage_comch",
	};
	struct test_side server, client;
	unsigned int i;

	TEST_TRUE(strcmp(TEST_DEV, "03:00.0") == 0 && strcmp(TEST_REP, "b1:00.0") == 0);
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		TEST_OK(test_server_make(&server, NULL, names[i]));
		TEST_OK(doca_ctx_start(server.ctx));
		TEST_OK(test_client_make(&client, NULL, names[i]));
		TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
		TEST_TRUE(test_until_state(&client, &server, DOCA_CTX_STATE_RUNNING));
		TEST_OK(test_side_end(&client, &server));
		TEST_OK(test_side_end(&server, NULL));
	}
	return 0;
}

/* What programs put before the description of a map. */
struct gap_header {
	uint32_t type;
	uint32_t len;
	uint64_t addr;
};

/* What has come, as it was sent. */
struct gap_message {
	uint8_t bytes[TEST_MSG_SIZE];
	uint32_t len;
};

static void
gap_received(struct doca_comch_event_msg_recv *event, uint8_t *bytes, uint32_t len,
		struct doca_comch_connection *conn)
{
	struct gap_message *message = doca_comch_connection_get_user_data(conn).ptr;

	(void)event;
	if (message == NULL || len > sizeof(message->bytes))
		return;
	memcpy(message->bytes, bytes, len);
	message->len = len;
}

static int
gap_send(struct test_side *client, struct gap_message *message)
{
	struct doca_comch_task_send *task;

	TEST_OK(doca_comch_client_task_send_alloc_init(client->client, client->conn,
			message->bytes, message->len, &task));
	TEST_OK(doca_task_submit(doca_comch_task_send_as_task(task)));
	return 0;
}

/* The description of a map and a header travel in one control message. */
static int
test_gap_17_description(void)
{
	static uint8_t memory[4096] __attribute__((aligned(4096))); /* check-ok: no DPDK here */
	struct gap_message sent, received = { .len = 0 };
	union doca_data data = { .ptr = &received };
	struct test_side server, client;
	struct doca_mmap *map, *copy;
	struct gap_header header;
	time_t end = time(NULL) + TEST_SECONDS;
	const void *desc;
	size_t len;
	void *addr;

	TEST_OK(test_server_make(&server, NULL, "described"));
	TEST_OK(doca_comch_server_event_msg_recv_register(server.server, gap_received));
	TEST_OK(doca_ctx_start(server.ctx));
	TEST_OK(test_client_make(&client, server.pe, "described"));
	TEST_RESULT(doca_ctx_start(client.ctx), DOCA_ERROR_IN_PROGRESS);
	TEST_TRUE(test_until_state(&client, NULL, DOCA_CTX_STATE_RUNNING));
	TEST_TRUE(test_until_count(&server, NULL, &server.connected, 1));
	TEST_OK(doca_comch_connection_set_user_data(server.conn, data));

	TEST_OK(test_map_start(memory, sizeof(memory), &map));
	TEST_OK(doca_mmap_export_pci(map, client.dev, &desc, &len));
	TEST_TRUE(len > 0 && len < 1024);
	header = (struct gap_header){1, len, (uintptr_t)memory};
	memcpy(sent.bytes, &header, sizeof(header));
	memcpy(sent.bytes + sizeof(header), desc, len);
	sent.len = sizeof(header) + len;
	TEST_CALL(gap_send(&client, &sent));
	while (received.len == 0 && time(NULL) < end)
		test_turn_short(&server);

	TEST_TRUE(received.len == sent.len);
	TEST_OK(doca_mmap_create_from_export(NULL, received.bytes + sizeof(header), len,
			server.dev, &copy));
	TEST_OK(doca_mmap_get_memrange(copy, &addr, &len));
	TEST_TRUE(addr == memory && len == sizeof(memory));
	TEST_OK(doca_mmap_destroy(copy));
	TEST_OK(doca_mmap_destroy(map));
	return test_pair_end(&server, &client);
}

const struct test_case test_gaps[] = {
	TEST_CASE(test_gap_14_constants),
	TEST_CASE(test_gap_17_description),
	TEST_CASES_END()
};
