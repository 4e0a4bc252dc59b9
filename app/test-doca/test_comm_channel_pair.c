/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints of Comm Channel in two processes or more: what programs rely on, peers that
 * die or do not read, many of them, and what the log says of mistakes. The process of the
 * case is the service unless it says so.
 */

#include <pthread.h>

#include "test_ep.h"

static struct test_ep service, client;

static int
echo_client(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_OK(ep_send(&client, "question"));
	TEST_CALL(ep_expect(&client, NULL, "answer"));
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_CALL(ep_end(&client));
	return 0;
}

static int
echo_service(void)
{
	TEST_CALL(ep_expect(&service, NULL, "question"));
	TEST_OK(ep_send(&service, "answer"));
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, service.peer));
	return 0;
}

static int
echo_server(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(other));
	TEST_CALL(echo_service());
	TEST_CALL(echo_service());
	TEST_CALL(ep_end(&service));
	return 0;
}

/* Services that come anew, each with clients that do. */
static int
test_ep_restarts(void)
{
	struct test_other server, other;
	int i, j;

	for (i = 0; i < 3; i++) {
		TEST_CALL(test_other_start(&server, echo_server, NULL));
		TEST_CALL(test_other_sync(&server));
		for (j = 0; j < 2; j++) {
			TEST_CALL(test_other_start(&other, echo_client, NULL));
			TEST_CALL(test_other_sync(&other));
			TEST_CALL(test_other_end(&other));
		}
		TEST_CALL(test_other_end(&server));
	}
	return 0;
}

/* Nothing but send, disconnect, destroy, exit. */
#define LAST_WORDS 60
static int
last_words(struct test_other *other, void *arg)
{
	char text[32];
	int i;

	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	for (i = 0; i < LAST_WORDS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_OK(ep_send(&client, text));
	}
	if (arg != NULL)
		TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_OK(doca_comm_channel_ep_destroy(client.ep));
	exit(EXIT_SUCCESS);
}

static int
last_words_heard(void *disconnect)
{
	struct test_other other;
	char text[32];
	int i;

	TEST_CALL(test_other_start(&other, last_words, disconnect));
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "0"));
	/* it may be gone when the service goes on */
	test_sleep_ms(EP_QUIET_MS);
	for (i = 1; i < LAST_WORDS; i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_CALL(ep_expect(&service, NULL, text));
	}
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_CALL(ep_end(&service));
	return test_other_end(&other);
}

static int
test_gap_12_destroyed_at_once(void)
{
	return last_words_heard(NULL);
}

static int
test_gap_12_disconnected_at_once(void)
{
	int disconnect;

	return last_words_heard(&disconnect);
}

/* The client asks how it is, and only recvfrom of the service lets it in. */
static int
waits_for_accept(struct test_other *other, void *arg)
{
	int i;

	(void)arg;
	TEST_CALL(ep_make_client(&client));
	TEST_CALL(test_other_sync(other));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	for (i = 0; i < 50; i++) {
		TEST_RESULT(doca_comm_channel_peer_addr_update_info(client.peer),
				DOCA_ERROR_CONNECTION_INPROGRESS);
		test_sleep_ms(1);
	}
	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, NULL));
	TEST_OK(ep_send(&client, "accepted"));
	return ep_end(&client);
}

static int
test_gap_12_recvfrom_accepts(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, waits_for_accept, NULL));
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "accepted"));
	TEST_CALL(ep_end(&service));
	return test_other_end(&other);
}

/* What programs ask for, and all of it in use. */
static int
test_gap_12_queue_8190(void)
{
	uint16_t size;
	int i, got;

	TEST_CALL(ep_make_service(&service));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_set_send_queue_size(client.ep, 8190));
	TEST_OK(doca_comm_channel_ep_set_recv_queue_size(service.ep, 8190));
	TEST_OK(doca_comm_channel_ep_get_send_queue_size(client.ep, &size));
	TEST_TRUE(size == 8192);
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	for (i = 0; i < 8192; i++)
		TEST_OK(doca_comm_channel_ep_sendto(client.ep, &i, sizeof(i), 0, client.peer));
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, &i, sizeof(i), 0, client.peer),
			DOCA_ERROR_AGAIN);
	for (i = 0; i < 8192; i++) {
		TEST_OK(ep_recv(&service, &client));
		memcpy(&got, service.msg, sizeof(got));
		TEST_TRUE(got == i);
	}
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* Results ignored, things ended in a wrong order: errors, and no crash. */
static int
test_gap_13_endpoints(void)
{
	struct doca_comm_channel_addr_t *peer = NULL;
	char byte = 0;
	size_t len = 1;

	TEST_CALL(ep_pair(&service, &client));
	doca_comm_channel_ep_connect(service.ep, EP_NAME, &peer);
	doca_comm_channel_ep_listen(client.ep, EP_NAME);
	doca_comm_channel_ep_sendto(client.ep, &byte, 1, 0, peer);
	doca_comm_channel_ep_disconnect(service.ep, peer);
	TEST_RESULT(doca_dev_rep_close(service.rep), DOCA_ERROR_IN_USE);
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, &byte, 1, 0, client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(client.peer),
			DOCA_ERROR_CONNECTION_ABORTED);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(client.ep, &byte, &len, 0, &peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comm_channel_ep_destroy(service.ep));
	TEST_OK(doca_dev_rep_close(service.rep));
	TEST_OK(doca_dev_close(service.dev));
	TEST_OK(doca_dev_close(client.dev));
	TEST_OK(doca_comm_channel_ep_destroy(client.ep));
	TEST_RESULT(doca_comm_channel_ep_destroy(NULL), DOCA_ERROR_NOT_CONNECTED);
	return 0;
}

/* Two clients: one that waits to be killed, and one that goes on. */
static int
victim(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_OK(ep_send(&client, "last words"));
	TEST_CALL(test_other_sync(other));
	test_sleep_ms(2 * TEST_WAIT_MS);
	return -1;
}

static int
test_ep_client_killed(void)
{
	struct doca_comm_channel_addr_t *peer;
	struct test_other other;

	TEST_CALL(test_other_start(&other, victim, NULL));
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "last words"));
	peer = service.peer;
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_client(&client, EP_NAME, &service));
	test_other_kill(&other);
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_TRUE(service.peer == peer);
	TEST_RESULT(ep_send(&service, "anybody?"), DOCA_ERROR_CONNECTION_RESET);
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(peer),
			DOCA_ERROR_CONNECTION_ABORTED);
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, peer));
	TEST_OK(ep_send(&client, "still here"));
	TEST_CALL(ep_expect(&service, &client, "still here"));
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
mortal_service(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_expect(&service, NULL, "hello"));
	TEST_OK(ep_send(&service, "last words"));
	TEST_CALL(test_other_sync(other));
	test_sleep_ms(2 * TEST_WAIT_MS);
	return -1;
}

/* Messages first, then its end; and a new service of the name can be had. */
static int
test_ep_service_killed(void)
{
	struct test_other other;
	size_t len = 1;

	TEST_CALL(test_other_start(&other, mortal_service, NULL));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(test_other_sync(&other));
	test_other_kill(&other);
	TEST_CALL(ep_expect(&client, NULL, "last words"));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(client.ep, client.msg, &len, 0, &client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_RESULT(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer),
			DOCA_ERROR_CONNECTION_ABORTED);
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* A service that dies before it has accepted: the attempt ends. */
static int
deaf_service(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(other));
	test_sleep_ms(2 * TEST_WAIT_MS);
	return -1;
}

static int
test_ep_service_killed_early(void)
{
	struct test_other other;

	TEST_CALL(test_other_start(&other, deaf_service, NULL));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(client.peer),
			DOCA_ERROR_CONNECTION_INPROGRESS);
	test_other_kill(&other);
	TEST_CALL(ep_until(client.peer, DOCA_ERROR_CONNECTION_ABORTED, NULL));
	TEST_RESULT(ep_send(&client, "x"), DOCA_ERROR_CONNECTION_RESET);
	return ep_end(&client);
}

/* A client that never calls: only its own connection is held up, and not for ever. */
static int
silent_client(struct test_other *other, void *arg)
{
	(void)arg;
	TEST_CALL(test_other_sync(other));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_OK(ep_send(&client, "here"));
	TEST_CALL(test_other_sync(other));
	TEST_CALL(test_other_sync(other));
	return 0;
}

static int
test_ep_peer_does_not_read(void)
{
	struct doca_comm_channel_addr_t *silent;
	static char text[4000];
	struct test_other other;
	uint64_t since;
	int i, nb = 0;

	TEST_CALL(test_other_start(&other, silent_client, NULL));
	TEST_CALL(ep_make_service(&service));
	TEST_OK(doca_comm_channel_ep_set_send_queue_size(service.ep, 128));
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "here"));
	silent = service.peer;
	TEST_CALL(test_other_sync(&other));
	while (nb < 1000 && doca_comm_channel_ep_sendto(service.ep, text, sizeof(text), 0,
			silent) == DOCA_SUCCESS)
		nb++;
	TEST_TRUE(nb == 128 && ep_in_flight(silent) == 128);
	TEST_CALL(ep_client(&client, EP_NAME, &service));
	for (i = 0; i < 200; i++) {
		TEST_OK(ep_send(&client, "question"));
		TEST_CALL(ep_expect(&service, &client, "question"));
		TEST_OK(ep_send(&service, "answer"));
		TEST_CALL(ep_expect(&client, &service, "answer"));
	}
	TEST_RESULT(doca_comm_channel_ep_sendto(service.ep, text, 1, 0, silent), DOCA_ERROR_AGAIN);
	since = test_now_ms();
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, silent));
	TEST_TRUE(test_now_ms() - since < TEST_WAIT_MS);
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_end(&client));
	TEST_CALL(ep_end(&service));
	return test_other_end(&other);
}

/* Sends to a client of this process for as long as the case wants. */
struct talk {
	uint64_t end;
	bool stop;
};

static void *
talk_run(void *arg)
{
	struct talk *talk = arg;

	while (!__atomic_load_n(&talk->stop, __ATOMIC_ACQUIRE) && test_now_ms() < talk->end)
		if (ep_send(&service, "talk") != DOCA_SUCCESS ||
				ep_recv(&client, NULL) != DOCA_SUCCESS)
			break;
	return NULL;
}

/* One that does not read is given up, whatever others take meanwhile. */
static int
test_ep_disconnect_among_others(void)
{
	static struct talk talk;
	struct doca_comm_channel_addr_t *silent;
	struct test_other other;
	pthread_t thread;
	uint64_t since;

	TEST_CALL(test_other_start(&other, silent_client, NULL));
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_expect(&service, NULL, "here"));
	silent = service.peer;
	TEST_CALL(test_other_sync(&other));
	TEST_OK(ep_send(&service, "nobody reads this"));
	TEST_CALL(ep_client(&client, EP_NAME, &service));
	TEST_OK(ep_send(&client, "question"));
	TEST_CALL(ep_expect(&service, &client, "question"));
	talk.end = test_now_ms() + TEST_WAIT_MS;
	TEST_TRUE(pthread_create(&thread, NULL, talk_run, &talk) == 0);
	since = test_now_ms();
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, silent));
	TEST_TRUE(test_now_ms() - since < TEST_WAIT_MS / 2);
	__atomic_store_n(&talk.stop, true, __ATOMIC_RELEASE);
	TEST_TRUE(pthread_join(thread, NULL) == 0);
	TEST_CALL(test_other_sync(&other));
	TEST_CALL(ep_end(&client));
	TEST_CALL(ep_end(&service));
	return test_other_end(&other);
}

/* A quarter of a hundred peers. */
#define PEERS 25
#define PEER_MSGS 20

static int
many_clients(struct test_other *other, void *arg)
{
	static struct test_ep clients[PEERS];
	char text[64];
	int i, j;

	TEST_CALL(test_other_sync(other));
	for (i = 0; i < PEERS; i++)
		TEST_CALL(ep_client(&clients[i], EP_NAME, NULL));
	for (j = 0; j < PEER_MSGS; j++) {
		for (i = 0; i < PEERS; i++) {
			snprintf(text, sizeof(text), "%d %d %d", *(int *)arg, i, j);
			TEST_OK(ep_send(&clients[i], text));
		}
	}
	for (j = 0; j < PEER_MSGS; j++) {
		for (i = 0; i < PEERS; i++) {
			snprintf(text, sizeof(text), "%d %d %d", *(int *)arg, i, j);
			TEST_CALL(ep_expect(&clients[i], NULL, text));
		}
	}
	for (i = 0; i < PEERS; i++)
		TEST_CALL(ep_end(&clients[i]));
	return 0;
}

static int
test_ep_hundred_peers(void)
{
	struct test_other others[4];
	int i, numbers[4], left = 4 * PEERS, echoed = 0;
	doca_error_t result;

	for (i = 0; i < 4; i++) {
		numbers[i] = i;
		TEST_CALL(test_other_start(&others[i], many_clients, &numbers[i]));
	}
	TEST_CALL(ep_service(&service, EP_NAME));
	for (i = 0; i < 4; i++)
		TEST_CALL(test_other_sync(&others[i]));
	while (left > 0) {
		result = ep_recv(&service, NULL);
		if (result == DOCA_ERROR_CONNECTION_RESET) {
			TEST_OK(doca_comm_channel_ep_disconnect(service.ep, service.peer));
			left--;
			continue;
		}
		TEST_OK(result);
		TEST_OK(ep_send(&service, service.msg));
		echoed++;
	}
	TEST_TRUE(echoed == 4 * PEERS * PEER_MSGS);
	for (i = 0; i < 4; i++)
		TEST_CALL(test_other_end(&others[i]));
	return ep_end(&service);
}

/* Nobody but the one process serves a function. */
static int
quiet_service(struct test_other *other, void *arg)
{
	TEST_CALL(ep_service(&service, arg));
	TEST_CALL(test_other_sync(other));
	TEST_CALL(test_other_sync(other));
	return ep_end(&service);
}

/* Each ends with 0 if the result was the one that it has to be. */
static void
log_no_server(void)
{
	exit(ep_make_client(&client) == 0 && doca_comm_channel_ep_connect(client.ep, EP_NAME,
			&client.peer) == DOCA_ERROR_CONNECTION_ABORTED ? 0 : 1);
}

/* The service is there, but for another function. */
static void
log_other_representor(void)
{
	exit(ep_service_2(&service, EP_NAME) == 0 && ep_make_client(&client) == 0 &&
			doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer) ==
			DOCA_ERROR_CONNECTION_ABORTED ? 0 : 1);
}

static void
log_no_service(void)
{
	exit(ep_service(&service, "the_other") == 0 && ep_make_client(&client) == 0 &&
			doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer) ==
			DOCA_ERROR_CONNECTION_ABORTED ? 0 : 1);
}

static void
log_name_in_use(void)
{
	struct test_ep first, second;

	exit(ep_service(&first, EP_NAME) == 0 && ep_make_service(&second) == 0 &&
			doca_comm_channel_ep_listen(second.ep, EP_NAME) ==
			DOCA_ERROR_CONNECTION_ABORTED ? 0 : 1);
}

static void
log_no_representor(void)
{
	struct test_ep side;

	exit(ep_make_client(&side) == 0 && doca_comm_channel_ep_listen(side.ep, EP_NAME) ==
			DOCA_ERROR_BAD_STATE ? 0 : 1);
}

static int
test_ep_log_remedies(void)
{
	static char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(log_no_server, out, err) == 0);
	TEST_HAS(err, "nobody serves 0000:03:00.0");
	TEST_HAS(err, "start the service first");
	TEST_TRUE(test_process(log_other_representor, out, err) == 0);
	TEST_HAS(err, "nobody serves 0000:03:00.0");
	TEST_HAS(err, "with the representor of this device");
	TEST_TRUE(test_process(log_no_service, out, err) == 0);
	TEST_HAS(err, "no service 'test_endpoint' for 0000:03:00.0: start it first");
	TEST_TRUE(test_process(log_name_in_use, out, err) == 0);
	TEST_HAS(err, "there is a service 'test_endpoint' on 0000:b1:00.0 already: end it");
	TEST_TRUE(test_process(log_no_representor, out, err) == 0);
	TEST_HAS(err, "call doca_comm_channel_ep_set_device() and _set_device_rep()");
	return 0;
}

static void
log_served_elsewhere(void)
{
	exit(ep_make_service(&service) == 0 && doca_comm_channel_ep_listen(service.ep, EP_NAME) ==
			DOCA_ERROR_CONNECTION_ABORTED ? 0 : 1);
}

static int
test_ep_log_served_elsewhere(void)
{
	static char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];
	struct test_other other;

	TEST_CALL(test_other_start(&other, quiet_service, (void *)(uintptr_t)EP_NAME));
	TEST_CALL(test_other_sync(&other));
	TEST_TRUE(test_process(log_served_elsewhere, out, err) == 0);
	TEST_HAS(err, "another process serves this function: end it");
	TEST_CALL(test_other_sync(&other));
	return test_other_end(&other);
}

const struct test_case test_comm_channel_pair[] = {
	TEST_CASE(test_ep_restarts),
	TEST_CASE(test_gap_12_destroyed_at_once),
	TEST_CASE(test_gap_12_disconnected_at_once),
	TEST_CASE(test_gap_12_recvfrom_accepts),
	TEST_CASE(test_gap_12_queue_8190),
	TEST_CASE(test_gap_13_endpoints),
	TEST_CASE(test_ep_client_killed),
	TEST_CASE(test_ep_service_killed),
	TEST_CASE(test_ep_service_killed_early),
	TEST_CASE(test_ep_peer_does_not_read),
	TEST_CASE(test_ep_disconnect_among_others),
	TEST_CASE(test_ep_hundred_peers),
	TEST_CASE(test_ep_log_remedies),
	TEST_CASE(test_ep_log_served_elsewhere),
	TEST_CASES_END(),
};
