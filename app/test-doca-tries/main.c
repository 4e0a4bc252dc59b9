/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Mistakes of a first hour: each is a try, named by the only argument, that prints which
 * call returned what. A server and a client are both in this process where a connection
 * is needed. What is expected is in devtools/check-doca-first-hour.py, not here.
 */

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#define CARD "03:00.0"
#define HOST "b1:00.0"
#define NAME "tries"
#define NUM_TASKS 16
#define MSG_SIZE 1024
#define IDLE_ROUNDS 20000 /* of 0.1 ms */

static struct doca_dev *card;
static struct doca_dev_rep *rep;
static struct doca_dev *host;
static struct doca_pe *pe;
static struct doca_comch_server *server;
static struct doca_comch_client *client;
static struct doca_comch_connection *connection;    /* of the client */
static struct doca_comch_connection *at_the_server;
static uint32_t consumer_id; /* 0: none */

static void
show(const char *call, doca_error_t result)
{
	printf("%s: %s\n", call, doca_error_get_name(result));
	fflush(stdout);
}

/* What has to work before a try can begin. */
static void
need(const char *call, doca_error_t result)
{
	if (result == DOCA_SUCCESS)
		return;
	printf("not tried: ");
	show(call, result);
	exit(EXIT_FAILURE);
}

static void
pause_us(long us)
{
	const struct timespec ts = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };

	nanosleep(&ts, NULL);
}

static struct doca_dev *
open_device(const char *pci_addr)
{
	struct doca_devinfo **list;
	struct doca_dev *dev = NULL;
	uint32_t i, count;
	uint8_t equal;

	need("doca_devinfo_create_list", doca_devinfo_create_list(&list, &count));
	for (i = 0; i < count && dev == NULL; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal != 0)
			need("doca_dev_open", doca_dev_open(list[i], &dev));
	doca_devinfo_destroy_list(list);
	need("device", dev == NULL ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS);
	return dev;
}

static void
open_card(void)
{
	struct doca_devinfo_rep **list;
	uint32_t i, count;
	uint8_t equal;

	card = open_device(CARD);
	need("doca_devinfo_rep_create_list", doca_devinfo_rep_create_list(card,
			DOCA_DEVINFO_REP_FILTER_NET, &list, &count));
	for (i = 0; i < count && rep == NULL; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], HOST, &equal) == DOCA_SUCCESS &&
				equal != 0)
			need("doca_dev_rep_open", doca_dev_rep_open(list[i], &rep));
	doca_devinfo_rep_destroy_list(list);
	need("representor", rep == NULL ? DOCA_ERROR_NOT_FOUND : DOCA_SUCCESS);
}

static void
sent(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_task_send_as_task(task));
}

static void
received(struct doca_comch_event_msg_recv *event, uint8_t *buf, uint32_t len,
		struct doca_comch_connection *conn)
{
	(void)event;
	(void)buf;
	(void)len;
	(void)conn;
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t change_successful)
{
	(void)event;
	if (change_successful != 0)
		at_the_server = conn;
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *conn, uint8_t change_successful)
{
	(void)event;
	(void)change_successful;
	if (at_the_server == conn)
		at_the_server = NULL;
}

static void
new_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	(void)event;
	(void)conn;
	consumer_id = id;
}

static void
expired_consumer(struct doca_comch_event_consumer *event, struct doca_comch_connection *conn,
		uint32_t id)
{
	(void)event;
	(void)conn;
	(void)id;
}

static struct doca_comch_server *
make_server(const char *name, uint32_t max_msg_size)
{
	struct doca_comch_server *made;

	need("doca_comch_server_create", doca_comch_server_create(card, rep, name, &made));
	need("doca_pe_connect_ctx", doca_pe_connect_ctx(pe, doca_comch_server_as_ctx(made)));
	need("server: send", doca_comch_server_task_send_set_conf(made, sent, sent, NUM_TASKS));
	need("server: receive", doca_comch_server_event_msg_recv_register(made, received));
	need("server: connections", doca_comch_server_event_connection_status_changed_register(
			made, connected, disconnected));
	need("server: consumers", doca_comch_server_event_consumer_register(made, new_consumer,
			expired_consumer));
	need("server: size", doca_comch_server_set_max_msg_size(made, max_msg_size));
	return made;
}

static struct doca_comch_client *
make_client(const char *name, uint32_t max_msg_size)
{
	struct doca_comch_client *made;

	need("doca_comch_client_create", doca_comch_client_create(host, name, &made));
	need("doca_pe_connect_ctx", doca_pe_connect_ctx(pe, doca_comch_client_as_ctx(made)));
	need("client: send", doca_comch_client_task_send_set_conf(made, sent, sent, NUM_TASKS));
	need("client: receive", doca_comch_client_event_msg_recv_register(made, received));
	need("client: consumers", doca_comch_client_event_consumer_register(made, new_consumer,
			expired_consumer));
	need("client: size", doca_comch_client_set_max_msg_size(made, max_msg_size));
	return made;
}

static enum doca_ctx_states
state_of(struct doca_ctx *ctx)
{
	enum doca_ctx_states state = DOCA_CTX_STATE_IDLE;

	need("doca_ctx_get_state", doca_ctx_get_state(ctx, &state));
	return state;
}

/* Progresses until the context is in this state, or no longer in the one that it has. */
static enum doca_ctx_states
progress_until(struct doca_ctx *ctx, enum doca_ctx_states wanted)
{
	enum doca_ctx_states first = state_of(ctx), state = first;
	int i;

	for (i = 0; i < IDLE_ROUNDS && state != wanted && state == first; i++) {
		if (doca_pe_progress(pe) == 0)
			pause_us(100);
		state = state_of(ctx);
	}
	return state;
}

static void
start_client(void)
{
	struct doca_ctx *ctx = doca_comch_client_as_ctx(client);

	need("client: start", doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS :
			DOCA_ERROR_UNEXPECTED);
	need("client: running", progress_until(ctx, DOCA_CTX_STATE_RUNNING) ==
			DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_NOT_CONNECTED);
	need("doca_comch_client_get_connection",
			doca_comch_client_get_connection(client, &connection));
}

/* A server and its client, connected, on one engine. */
static void
open_pair(void)
{
	int i;

	open_card();
	host = open_device(HOST);
	need("doca_pe_create", doca_pe_create(&pe));
	server = make_server(NAME, MSG_SIZE);
	need("server: start", doca_ctx_start(doca_comch_server_as_ctx(server)));
	client = make_client(NAME, MSG_SIZE);
	start_client();
	for (i = 0; i < IDLE_ROUNDS && at_the_server == NULL; i++)
		if (doca_pe_progress(pe) == 0)
			pause_us(100);
}

static doca_error_t
alloc_send(size_t len, struct doca_comch_task_send **task)
{
	static char msg[2 * MSG_SIZE];

	return doca_comch_client_task_send_alloc_init(client, connection, msg, len, task);
}

static void
try_too_long(void)
{
	struct doca_comch_task_send *task;

	open_pair();
	show("alloc_init", alloc_send(MSG_SIZE + 1, &task));
	show("alloc_init, largest", alloc_send(MSG_SIZE, &task));
}

/* Submits until there is no task left, and never progresses. */
static void
try_full_queue(void)
{
	struct doca_comch_task_send *task;
	doca_error_t result;
	int i, n = 0;

	open_pair();
	while ((result = alloc_send(1, &task)) == DOCA_SUCCESS && n <= NUM_TASKS) {
		need("submit", doca_task_submit(doca_comch_task_send_as_task(task)));
		n++;
	}
	printf("after %d messages, ", n);
	show("alloc_init", result);
	for (i = 0; i < IDLE_ROUNDS && (result = alloc_send(1, &task)) != DOCA_SUCCESS; i++)
		if (doca_pe_progress(pe) == 0)
			pause_us(100);
	show("alloc_init after progress", result);
}

static void
try_no_progress(void)
{
	struct doca_ctx *ctx;

	open_card();
	host = open_device(HOST);
	need("doca_pe_create", doca_pe_create(&pe));
	server = make_server(NAME, MSG_SIZE);
	need("server: start", doca_ctx_start(doca_comch_server_as_ctx(server)));
	client = make_client(NAME, MSG_SIZE);
	ctx = doca_comch_client_as_ctx(client);
	show("start", doca_ctx_start(ctx));
	pause_us(500 * 1000);
	printf("state: %s\n", state_of(ctx) == DOCA_CTX_STATE_STARTING ? "STARTING" : "another");
	show("get_connection", doca_comch_client_get_connection(client, &connection));
	show("client_destroy", doca_comch_client_destroy(client));
	printf("state after progress: %s\n",
			progress_until(ctx, DOCA_CTX_STATE_RUNNING) == DOCA_CTX_STATE_RUNNING ?
			"RUNNING" : "another");
}

static void
try_no_engine(void)
{
	struct doca_comch_client *made;

	host = open_device(HOST);
	need("create", doca_comch_client_create(host, NAME, &made));
	need("conf", doca_comch_client_task_send_set_conf(made, sent, sent, NUM_TASKS));
	show("start", doca_ctx_start(doca_comch_client_as_ctx(made)));
}

static void
try_late_setting(void)
{
	open_pair();
	show("set_max_msg_size", doca_comch_client_set_max_msg_size(client, 64));
	show("set_conf", doca_comch_client_task_send_set_conf(client, sent, sent, 1));
	show("register", doca_comch_server_event_msg_recv_register(server, received));
}

static void
try_sizes_differ(void)
{
	struct doca_ctx *ctx;

	open_card();
	host = open_device(HOST);
	need("doca_pe_create", doca_pe_create(&pe));
	server = make_server(NAME, MSG_SIZE);
	need("server: start", doca_ctx_start(doca_comch_server_as_ctx(server)));
	client = make_client(NAME, MSG_SIZE / 2);
	ctx = doca_comch_client_as_ctx(client);
	show("start", doca_ctx_start(ctx));
	printf("state: %s\n", progress_until(ctx, DOCA_CTX_STATE_RUNNING) ==
			DOCA_CTX_STATE_IDLE ? "IDLE" : "another");
}

static void
try_same_name(void)
{
	struct doca_comch_server *other;

	open_card();
	need("doca_pe_create", doca_pe_create(&pe));
	server = make_server(NAME, MSG_SIZE);
	need("server: start", doca_ctx_start(doca_comch_server_as_ctx(server)));
	other = make_server(NAME, MSG_SIZE);
	show("start of the second", doca_ctx_start(doca_comch_server_as_ctx(other)));
}

static void
try_long_name(void)
{
	char name[512];

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	open_card();
	host = open_device(HOST);
	show("server_create", doca_comch_server_create(card, rep, name, &server));
	show("client_create", doca_comch_client_create(host, name, &client));
}

static void
try_wrong_order(void)
{
	open_pair();
	show("pe_destroy", doca_pe_destroy(pe));
	show("client_destroy", doca_comch_client_destroy(client));
	show("dev_close", doca_dev_close(host));
	show("rep_close", doca_dev_rep_close(rep));
}

/* Memory that a consumer or a producer of the other side may use. */
static struct doca_mmap *
make_mmap(struct doca_dev *dev, void *addr, size_t len, uint32_t permissions)
{
	struct doca_mmap *mmap;

	need("doca_mmap_create", doca_mmap_create(&mmap));
	need("doca_mmap_add_dev", doca_mmap_add_dev(mmap, dev));
	need("permissions", doca_mmap_set_permissions(mmap, permissions));
	need("doca_mmap_set_memrange", doca_mmap_set_memrange(mmap, addr, len));
	need("doca_mmap_start", doca_mmap_start(mmap));
	return mmap;
}

static void
posted(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	show("receive", doca_task_get_status(doca_comch_consumer_task_post_recv_as_task(task)));
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void
produced(struct doca_comch_producer_task_send *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	show("send", doca_task_get_status(doca_comch_producer_task_send_as_task(task)));
	doca_task_free(doca_comch_producer_task_send_as_task(task));
}

static struct doca_comch_consumer *
start_consumer(struct doca_mmap *mmap)
{
	struct doca_comch_consumer *consumer;
	struct doca_ctx *ctx;

	need("doca_comch_consumer_create",
			doca_comch_consumer_create(connection, mmap, &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	need("doca_pe_connect_ctx", doca_pe_connect_ctx(pe, ctx));
	need("consumer: conf", doca_comch_consumer_task_post_recv_set_conf(consumer, posted,
			posted, NUM_TASKS));
	need("consumer: start", doca_ctx_start(ctx) == DOCA_ERROR_IN_PROGRESS ? DOCA_SUCCESS :
			DOCA_ERROR_UNEXPECTED);
	need("consumer: running", progress_until(ctx, DOCA_CTX_STATE_RUNNING) ==
			DOCA_CTX_STATE_RUNNING ? DOCA_SUCCESS : DOCA_ERROR_NOT_CONNECTED);
	return consumer;
}

static void
try_live_consumer(void)
{
	static char memory[MSG_SIZE];

	open_pair();
	start_consumer(make_mmap(host, memory, sizeof(memory),
			DOCA_ACCESS_FLAG_PCI_READ_WRITE));
	show("stop of the client", doca_ctx_stop(doca_comch_client_as_ctx(client)));
}

static void
try_no_permission(void)
{
	struct doca_comch_consumer *consumer;
	static char memory[MSG_SIZE];
	struct doca_ctx *ctx;

	open_pair();
	need("doca_comch_consumer_create", doca_comch_consumer_create(connection, make_mmap(host,
			memory, sizeof(memory), DOCA_ACCESS_FLAG_LOCAL_READ_WRITE), &consumer));
	ctx = doca_comch_consumer_as_ctx(consumer);
	need("doca_pe_connect_ctx", doca_pe_connect_ctx(pe, ctx));
	need("consumer: conf", doca_comch_consumer_task_post_recv_set_conf(consumer, posted,
			posted, NUM_TASKS));
	show("start of the consumer", doca_ctx_start(ctx));
}

static void
try_outside(void)
{
	static char memory[MSG_SIZE];
	struct doca_buf_inventory *inventory;
	struct doca_mmap *mmap;
	struct doca_buf *buf;

	host = open_device(HOST);
	mmap = make_mmap(host, memory, sizeof(memory), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	need("inventory", doca_buf_inventory_create(1, &inventory));
	need("inventory", doca_buf_inventory_start(inventory));
	show("get_by_addr", doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory + 1,
			sizeof(memory), &buf));
	show("get_by_addr, all of it", doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory,
			sizeof(memory), &buf));
	show("get_by_addr, one more", doca_buf_inventory_buf_get_by_addr(inventory, mmap, memory,
			1, &buf));
}

/* Sends 64 bytes to a consumer that has posted 16. */
static void
try_small_buffer(void)
{
	struct doca_comch_consumer_task_post_recv *post;
	struct doca_comch_producer_task_send *send;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_buf_inventory *inventory;
	static char in[64], out[64];
	struct doca_mmap *in_mmap, *out_mmap;
	struct doca_buf *in_buf, *out_buf;
	doca_error_t result;
	int i;

	open_pair();
	in_mmap = make_mmap(host, in, sizeof(in), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	out_mmap = make_mmap(card, out, sizeof(out), DOCA_ACCESS_FLAG_PCI_READ_WRITE);
	need("inventory", doca_buf_inventory_create(2, &inventory));
	need("inventory", doca_buf_inventory_start(inventory));
	need("buf", doca_buf_inventory_buf_get_by_addr(inventory, in_mmap, in, 16, &in_buf));
	need("buf", doca_buf_inventory_buf_get_by_data(inventory, out_mmap, out, 64, &out_buf));
	consumer = start_consumer(in_mmap);
	need("post", doca_comch_consumer_task_post_recv_alloc_init(consumer, in_buf, &post));
	need("post", doca_task_submit(doca_comch_consumer_task_post_recv_as_task(post)));
	need("producer", doca_comch_producer_create(at_the_server, &producer));
	need("producer", doca_pe_connect_ctx(pe, doca_comch_producer_as_ctx(producer)));
	need("producer", doca_comch_producer_task_send_set_conf(producer, produced, produced,
			NUM_TASKS));
	need("producer", doca_ctx_start(doca_comch_producer_as_ctx(producer)));
	for (i = 0; i < IDLE_ROUNDS && consumer_id == 0; i++)
		if (doca_pe_progress(pe) == 0)
			pause_us(100);
	need("send", doca_comch_producer_task_send_alloc_init(producer, out_buf, NULL, 0,
			consumer_id, &send));
	for (i = 0; i < IDLE_ROUNDS; i++) {
		result = doca_task_submit(doca_comch_producer_task_send_as_task(send));
		if (result != DOCA_ERROR_AGAIN)
			break;
		pause_us(100);
	}
	show("submit", result);
	for (i = 0; i < 100; i++)
		if (doca_pe_progress(pe) == 0)
			pause_us(100);
}

static const struct {
	const char *name;
	void (*run)(void);
} tries[] = {
	{"full-queue", try_full_queue},
	{"late-setting", try_late_setting},
	{"live-consumer", try_live_consumer},
	{"long-name", try_long_name},
	{"no-engine", try_no_engine},
	{"no-permission", try_no_permission},
	{"no-progress", try_no_progress},
	{"outside", try_outside},
	{"same-name", try_same_name},
	{"sizes-differ", try_sizes_differ},
	{"small-buffer", try_small_buffer},
	{"too-long", try_too_long},
	{"wrong-order", try_wrong_order},
};

int
main(int argc, char **argv)
{
	struct doca_log_backend *sdk_log;
	size_t i;

	need("log", doca_log_backend_create_with_file_sdk(stderr, &sdk_log));
	need("log", doca_log_backend_set_sdk_level(sdk_log, DOCA_LOG_LEVEL_WARNING));
	for (i = 0; i < sizeof(tries) / sizeof(tries[0]) && argc == 2; i++) {
		if (strcmp(argv[1], tries[i].name) == 0) {
			tries[i].run();
			return EXIT_SUCCESS;
		}
	}
	fprintf(stderr, "usage: %s <try>\n", argv[0]);
	return EXIT_FAILURE;
}
