/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Servers and clients while there are producers and consumers on their connections. What
 * these do themselves is in test_producer.c and test_consumer.c.
 */

#include <time.h>

#include "util_fast.h"

#define MEM_SIZE 4096

/* A consumer of the server as soon as the client has connected. */
static doca_error_t
early_consumer(struct test_side *server, struct fast_mem *mem, struct fast_queue *queue)
{
	doca_error_t result;

	if (fast_consumer_create(queue, server->conn, server->pe, mem->map, 4) != 0)
		return DOCA_ERROR_UNEXPECTED;
	result = doca_ctx_start(queue->ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS : result;
}

struct early {
	struct fast_mem mem;
	struct fast_queue queue;
	doca_error_t result;
};

static void
make_early(struct test_side *server)
{
	struct early *early = server->data;

	early->result = early_consumer(server, &early->mem, &early->queue);
	DOCA_ERROR_PROPAGATE(early->result, test_send(server, "hello"));
}

/*
 * A consumer that is there when the client becomes RUNNING is told of after that, as
 * messages are.
 */
static int
test_gap_01_consumer_after_running(void)
{
	struct fast_pair pair;
	struct early early = {.result = DOCA_ERROR_UNKNOWN};
	time_t end = time(NULL) + TEST_SECONDS;

	TEST_OK(test_server_make(&pair.server, NULL, "one"));
	TEST_OK(test_client_make(&pair.client, NULL, "one"));
	TEST_CALL(fast_mem_open(&early.mem, pair.server.dev, MEM_SIZE,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 4));
	pair.server.data = &early;
	pair.server.on_connect = make_early;
	TEST_OK(doca_ctx_start(pair.server.ctx));
	TEST_RESULT(doca_ctx_start(pair.client.ctx), DOCA_ERROR_IN_PROGRESS);
	while (test_state(&pair.client) != DOCA_CTX_STATE_RUNNING) {
		TEST_TRUE(time(NULL) < end);
		test_turn_short(&pair.server);
		doca_pe_progress(pair.client.pe);
	}
	TEST_TRUE(pair.client.consumers == 0 && pair.client.received == 0);
	TEST_TRUE(test_until_count(&pair.server, NULL, &pair.server.connected, 1));
	TEST_OK(early.result);
	TEST_TRUE(test_until_count(&pair.client, &pair.server, &pair.client.consumers, 1));
	TEST_TRUE(test_until_count(&pair.client, &pair.server, &pair.client.received, 1));
	TEST_CALL(fast_queue_close(&early.queue, &pair));
	TEST_CALL(fast_pair_close(&pair));
	TEST_CALL(fast_mem_close(&early.mem));
	return 0;
}

/* Consumers have numbers from 1 on, of which the peer is told; programs take 0 for none. */
static int
test_gap_09_consumer_ids(void)
{
	struct fast_queue queues[3] = {0};
	struct fast_pair pair;
	struct fast_mem mem;
	unsigned int i, k;

	TEST_CALL(fast_pair_open(&pair));
	TEST_CALL(fast_mem_open(&mem, pair.server.dev, MEM_SIZE,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 4));
	for (i = 0; i < 3; i++) {
		TEST_CALL(fast_consumer_run(&queues[i], &pair, &pair.server, mem.map, 4));
		TEST_TRUE(test_until_count(&pair.client, &pair.server, &pair.client.consumers,
				i + 1));
		TEST_TRUE(queues[i].id >= 1 && queues[i].id < 0xffff);
		TEST_TRUE(pair.client.consumer_id == queues[i].id);
		for (k = 0; k < i; k++)
			TEST_TRUE(queues[k].id != queues[i].id);
	}
	TEST_TRUE(queues[0].id == 1);
	for (i = 0; i < 3; i++)
		TEST_CALL(fast_queue_close(&queues[i], &pair));
	TEST_TRUE(test_until_count(&pair.client, &pair.server, &pair.client.consumers_gone, 3));
	TEST_CALL(fast_pair_close(&pair));
	TEST_CALL(fast_mem_close(&mem));
	return 0;
}

/* With producers or consumers alive no connection is ended, on either side. */
static int
test_comch_queues_alive(void)
{
	struct fast_queue consumer = {0}, producer = {0};
	struct fast_pair pair;
	struct fast_mem mem;

	TEST_CALL(fast_pair_open(&pair));
	TEST_CALL(fast_mem_open(&mem, pair.server.dev, MEM_SIZE,
			DOCA_ACCESS_FLAG_PCI_READ_WRITE, 4));
	TEST_CALL(fast_consumer_run(&consumer, &pair, &pair.server, mem.map, 4));
	TEST_RESULT(doca_ctx_stop(pair.server.ctx), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_server_disconnect(pair.server.server, pair.server.conn),
			DOCA_ERROR_IN_USE);
	TEST_CALL(fast_queue_close(&consumer, &pair));
	TEST_CALL(fast_producer_run(&producer, pair.server.conn, pair.server.pe, 4));
	TEST_RESULT(doca_ctx_stop(pair.server.ctx), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_comch_server_disconnect(pair.server.server, pair.server.conn),
			DOCA_ERROR_IN_USE);
	TEST_TRUE(test_state(&pair.server) == DOCA_CTX_STATE_RUNNING);
	TEST_CALL(fast_queue_close(&producer, &pair));
	TEST_CALL(fast_producer_run(&producer, pair.client.conn, pair.client.pe, 4));
	TEST_RESULT(doca_ctx_stop(pair.client.ctx), DOCA_ERROR_IN_USE);
	TEST_TRUE(test_state(&pair.client) == DOCA_CTX_STATE_RUNNING);
	TEST_CALL(fast_queue_close(&producer, &pair));
	TEST_OK(doca_comch_server_disconnect(pair.server.server, pair.server.conn));
	TEST_TRUE(test_until_state(&pair.client, &pair.server, DOCA_CTX_STATE_IDLE));
	TEST_CALL(fast_pair_close(&pair));
	TEST_CALL(fast_mem_close(&mem));
	return 0;
}

const struct test_case test_comch_queues[] = {
	TEST_CASE(test_gap_01_consumer_after_running),
	TEST_CASE(test_gap_09_consumer_ids),
	TEST_CASE(test_comch_queues_alive),
	TEST_CASES_END()
};
