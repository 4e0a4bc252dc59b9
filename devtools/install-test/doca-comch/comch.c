/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * usage: comch <PCI address> [PCI address of the representor, on the card's side]
 *
 * A small program of the vendor's library, as C and as C++: which side it is, the
 * installed header says. The card's side waits for one message and prints it, the host's
 * side sends it.
 */

#include <stdio.h>
#include <time.h>

#include <doca_build_config.h>
#include <doca_comch.h>
#include <doca_ctx.h>
#include <doca_dev.h>
#include <doca_error.h>
#include <doca_log.h>
#include <doca_pe.h>
#include <doca_version.h>

DOCA_LOG_REGISTER(INSTALL::COMCH)

#define SERVER_NAME "install_test"
#define MESSAGE "hello from the host"
#define MAX_SECONDS 20

struct state {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_pe *pe;
	struct doca_ctx *ctx;
	int done;
	int failed;
};

static int
check(doca_error_t result, const char *what)
{
	if (result == DOCA_SUCCESS)
		return 0;
	DOCA_LOG_ERR("%s: %s (%s)", what, doca_error_get_name(result),
			doca_error_get_descr(result));
	return -1;
}

static int
open_device(struct state *state, const char *pci_addr)
{
	struct doca_devinfo **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(doca_devinfo_create_list(&list, &nb), "list") != 0)
		return -1;
	for (i = 0; i < nb && state->dev == NULL; i++)
		if (doca_devinfo_is_equal_pci_addr(list[i], pci_addr, &equal) == DOCA_SUCCESS &&
				equal && doca_dev_open(list[i], &state->dev) != DOCA_SUCCESS)
			state->dev = NULL;
	doca_devinfo_destroy_list(list);
	return state->dev == NULL ? check(DOCA_ERROR_NOT_FOUND, pci_addr) : 0;
}

static void
task_done(struct doca_comch_task_send *task, union doca_data task_data, union doca_data ctx_data)
{
	struct state *state = (struct state *)ctx_data.ptr;

	(void)task_data;
	state->failed |= doca_task_get_status(doca_comch_task_send_as_task(task)) != DOCA_SUCCESS;
	state->done = 1;
	doca_task_free(doca_comch_task_send_as_task(task));
	(void)doca_ctx_stop(state->ctx);
}

static void
message(struct doca_comch_event_msg_recv *event, uint8_t *buffer, uint32_t length,
		struct doca_comch_connection *connection)
{
	(void)event;
	(void)connection;
	printf("received: %.*s\n", (int)length, (const char *)buffer);
}

#ifdef DOCA_ARCH_DPU

static int
open_rep(struct state *state, const char *pci_addr)
{
	struct doca_devinfo_rep **list;
	uint8_t equal = 0;
	uint32_t nb, i;

	if (check(doca_devinfo_rep_create_list(state->dev, DOCA_DEVINFO_REP_FILTER_NET, &list,
			&nb), "list of representors") != 0)
		return -1;
	for (i = 0; i < nb && state->rep == NULL; i++)
		if (doca_devinfo_rep_is_equal_pci_addr(list[i], pci_addr, &equal) ==
				DOCA_SUCCESS && equal &&
				doca_dev_rep_open(list[i], &state->rep) != DOCA_SUCCESS)
			state->rep = NULL;
	doca_devinfo_rep_destroy_list(list);
	return state->rep == NULL ? check(DOCA_ERROR_NOT_FOUND, pci_addr) : 0;
}

static void
connected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t good)
{
	(void)event;
	(void)connection;
	(void)good;
}

static void
disconnected(struct doca_comch_event_connection_status_changed *event,
		struct doca_comch_connection *connection, uint8_t good)
{
	struct doca_comch_server *server = doca_comch_server_get_server_ctx(connection);
	union doca_data data = {NULL};

	(void)event;
	(void)good;
	if (doca_ctx_get_user_data(doca_comch_server_as_ctx(server), &data) == DOCA_SUCCESS) {
		((struct state *)data.ptr)->done = 1;
		(void)doca_ctx_stop(doca_comch_server_as_ctx(server));
	}
}

static int
run(struct state *state, char **argv, union doca_data data)
{
	struct doca_comch_server *server;

	if (open_rep(state, argv[2]) != 0 ||
			check(doca_comch_server_create(state->dev, state->rep, SERVER_NAME,
					&server), "server") != 0)
		return -1;
	state->ctx = doca_comch_server_as_ctx(server);
	if (check(doca_pe_connect_ctx(state->pe, state->ctx), "connect_ctx") != 0 ||
			check(doca_comch_server_task_send_set_conf(server, task_done, task_done, 8),
					"set_conf") != 0 ||
			check(doca_comch_server_event_msg_recv_register(server, message), "recv") != 0 ||
			check(doca_comch_server_event_connection_status_changed_register(server,
					connected, disconnected), "connections") != 0 ||
			check(doca_ctx_set_user_data(state->ctx, data), "user data") != 0 ||
			check(doca_ctx_start(state->ctx), "start") != 0)
		return -1;
	printf("serves\n");
	fflush(stdout);
	return 0;
}

static int
end(struct state *state)
{
	(void)state;
	return 0;
}

#else /* DOCA_ARCH_HOST */

static struct doca_comch_client *client;

static void
state_changed(const union doca_data data, struct doca_ctx *ctx, enum doca_ctx_states previous,
		enum doca_ctx_states next)
{
	struct state *state = (struct state *)data.ptr;
	struct doca_comch_connection *connection;
	struct doca_comch_task_send *task;

	(void)ctx;
	(void)previous;
	if (next == DOCA_CTX_STATE_IDLE)
		state->done = 1;
	if (next != DOCA_CTX_STATE_RUNNING)
		return;
	if (check(doca_comch_client_get_connection(client, &connection), "connection") != 0 ||
			check(doca_comch_client_task_send_alloc_init(client, connection, MESSAGE,
					strlen(MESSAGE), &task), "task") != 0 ||
			check(doca_task_submit(doca_comch_task_send_as_task(task)), "submit") != 0)
		state->failed = 1;
}

static int
run(struct state *state, char **argv, union doca_data data)
{
	doca_error_t result;

	(void)argv;
	if (check(doca_comch_client_create(state->dev, SERVER_NAME, &client), "client") != 0)
		return -1;
	state->ctx = doca_comch_client_as_ctx(client);
	if (check(doca_pe_connect_ctx(state->pe, state->ctx), "connect_ctx") != 0 ||
			check(doca_ctx_set_state_changed_cb(state->ctx, state_changed), "state") != 0 ||
			check(doca_comch_client_task_send_set_conf(client, task_done, task_done, 8),
					"set_conf") != 0 ||
			check(doca_comch_client_event_msg_recv_register(client, message), "recv") != 0 ||
			check(doca_ctx_set_user_data(state->ctx, data), "user data") != 0)
		return -1;
	result = doca_ctx_start(state->ctx);
	return result == DOCA_ERROR_IN_PROGRESS ? 0 : check(result, "start");
}

static int
end(struct state *state)
{
	(void)state;
	return check(doca_comch_client_destroy(client), "destroy");
}

#endif

int
main(int argc, char **argv)
{
	struct timespec pause = {0, 10000};
	struct doca_log_backend *backend;
	enum doca_ctx_states ctx_state;
	struct state state;
	union doca_data data = {&state};
	time_t last = time(NULL) + MAX_SECONDS;

	memset(&state, 0, sizeof(state));
	if (argc < 2 || doca_log_backend_create_standard() != DOCA_SUCCESS ||
			doca_log_backend_create_with_file_sdk(stderr, &backend) != DOCA_SUCCESS)
		return EXIT_FAILURE;
	printf("version %s\n", doca_version_runtime());
	if (open_device(&state, argv[1]) != 0 || check(doca_pe_create(&state.pe), "engine") != 0 ||
			run(&state, argv, data) != 0)
		return EXIT_FAILURE;
	do {
		if (doca_pe_progress(state.pe) == 0)
			nanosleep(&pause, NULL);
		if (doca_ctx_get_state(state.ctx, &ctx_state) != DOCA_SUCCESS)
			return EXIT_FAILURE;
	} while ((!state.done || ctx_state != DOCA_CTX_STATE_IDLE) && time(NULL) < last);
	if (time(NULL) >= last || state.failed || end(&state) != 0)
		return EXIT_FAILURE;
	printf("done\n");
	return EXIT_SUCCESS;
}
