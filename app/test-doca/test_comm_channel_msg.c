/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints of Comm Channel in one process: messages, peer addresses, and what a service
 * tells of its clients. Event channels are in test_comm_channel_event.c.
 */

#include <pthread.h>

#include "test_ep.h"

static struct test_ep service, client;

static int
pair_open(void)
{
	return ep_pair(&service, &client);
}

static int
pair_close(void)
{
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static doca_error_t
recv_once(struct test_ep *side, size_t *len)
{
	return doca_comm_channel_ep_recvfrom(side->ep, side->msg, len, DOCA_CC_MSG_FLAG_NONE,
			&side->peer);
}

static doca_error_t
send_once(struct test_ep *side, const char *text)
{
	return doca_comm_channel_ep_sendto(side->ep, text, strlen(text) + 1,
			DOCA_CC_MSG_FLAG_NONE, side->peer);
}

static int
test_ep_sendto(void)
{
	char text[32];
	int i;

	for (i = 0; i < 200; i++) {
		snprintf(text, sizeof(text), "question %d", i);
		TEST_OK(ep_send(&client, text));
		memset(text, 0, sizeof(text)); /* it was copied */
		snprintf(text, sizeof(text), "question %d", i);
		TEST_CALL(ep_expect(&service, &client, text));
		TEST_OK(ep_send(&service, "answer"));
		TEST_CALL(ep_expect(&client, &service, "answer"));
	}
	return 0;
}

static int
test_ep_sendto_invalid_value(void)
{
	static char text[65536];
	uint16_t max = 0;

	TEST_OK(doca_comm_channel_ep_get_max_msg_size(client.ep, &max));
	TEST_RESULT(doca_comm_channel_ep_sendto(NULL, text, 1, 0, client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, NULL, 1, 0, client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, text, 0, 0, client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, text, max + 1, 0, client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, text, 1, 1, client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comm_channel_ep_sendto(client.ep, text, max, 0, client.peer));
	TEST_OK(ep_recv(&service, &client));
	TEST_TRUE(service.len == max);
	return 0;
}

/* No address, that of another endpoint, one that is not connected, one that is void. */
static int
test_ep_sendto_not_connected(void)
{
	struct test_ep late;

	TEST_CALL(ep_make_client(&late));
	TEST_RESULT(doca_comm_channel_ep_sendto(client.ep, "x", 1, 0, NULL),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_comm_channel_ep_sendto(service.ep, "x", 1, 0, NULL),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_comm_channel_ep_sendto(late.ep, "x", 1, 0, client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_comm_channel_ep_sendto(service.ep, "x", 1, 0, client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comm_channel_ep_connect(late.ep, EP_NAME, &late.peer));
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(late.peer),
			DOCA_ERROR_CONNECTION_INPROGRESS);
	TEST_RESULT(send_once(&late, "x"), DOCA_ERROR_NOT_CONNECTED);
	TEST_CALL(ep_until(late.peer, DOCA_SUCCESS, &service));
	TEST_OK(send_once(&late, "x"));
	TEST_CALL(ep_expect(&service, &late, "x"));
	TEST_OK(doca_comm_channel_ep_disconnect(late.ep, late.peer));
	TEST_RESULT(send_once(&late, "x"), DOCA_ERROR_NOT_CONNECTED);
	TEST_CALL(ep_end(&late));
	return 0;
}

/* Until a service that is not called has taken something. */
static int
test_ep_sendto_again(void)
{
	int i;

	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_set_send_queue_size(client.ep, 4));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	for (i = 0; i < 4; i++)
		TEST_OK(send_once(&client, "one of four"));
	TEST_RESULT(send_once(&client, "fifth"), DOCA_ERROR_AGAIN);
	TEST_TRUE(ep_in_flight(client.peer) == 4);
	for (i = 0; i < 4; i++)
		TEST_CALL(ep_expect(&service, &client, "one of four"));
	TEST_OK(ep_send(&client, "fifth"));
	TEST_CALL(ep_expect(&service, &client, "fifth"));
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* In one direction and in the other. */
static int
test_ep_sendto_connection_reset(void)
{
	TEST_CALL(ep_pair(&service, &client));
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	TEST_CALL(ep_end(&client));
	TEST_CALL(ep_until(service.peer, DOCA_ERROR_CONNECTION_ABORTED, NULL));
	TEST_RESULT(send_once(&service, "answer"), DOCA_ERROR_CONNECTION_RESET);
	TEST_RESULT(send_once(&service, "answer"), DOCA_ERROR_CONNECTION_RESET);
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, service.peer));
	TEST_CALL(ep_client(&client, EP_NAME, &service));
	TEST_CALL(ep_end(&service));
	TEST_CALL(ep_until(client.peer, DOCA_ERROR_CONNECTION_ABORTED, NULL));
	TEST_RESULT(send_once(&client, "hello"), DOCA_ERROR_CONNECTION_RESET);
	return ep_end(&client);
}

static int
test_ep_recvfrom_invalid_value(void)
{
	struct doca_comm_channel_addr_t *peer;
	size_t len = 1;
	char byte;

	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_RESULT(doca_comm_channel_ep_recvfrom(NULL, &byte, &len, 0, &peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_rcvfrom(NULL, &byte, &len, 0, &peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(service.ep, NULL, &len, 0, &peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(service.ep, &byte, NULL, 0, &peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(service.ep, &byte, &len, 1, &peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_recvfrom(service.ep, &byte, &len, 0, NULL),
			DOCA_ERROR_INVALID_VALUE);
	return ep_end(&service);
}

/* What does not fit stays, and len with it. */
static int
test_ep_recvfrom_too_long(void)
{
	size_t len = 4;
	int i;

	TEST_OK(ep_send(&client, "longer than four"));
	TEST_OK(ep_send(&client, "next"));
	service.len = 4;
	for (i = 0; i < 1000 && recv_once(&service, &len) == DOCA_ERROR_AGAIN; i++)
		test_sleep_ms(1);
	TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_INVALID_VALUE);
	TEST_TRUE(len == 4);
	TEST_CALL(ep_expect(&service, &client, "longer than four"));
	TEST_CALL(ep_expect(&service, &client, "next"));
	return 0;
}

static int
test_ep_recvfrom_again(void)
{
	size_t len = 7;

	TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_AGAIN);
	TEST_TRUE(len == 7);
	TEST_RESULT(recv_once(&client, &len), DOCA_ERROR_AGAIN);
	TEST_TRUE(len == 7);
	TEST_RESULT(doca_comm_channel_ep_rcvfrom(client.ep, client.msg, &len, 0, &client.peer),
			DOCA_ERROR_AGAIN);
	TEST_TRUE(len == 7);
	return 0;
}

static int
test_ep_recvfrom_not_connected(void)
{
	size_t len = 7;

	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(recv_once(&client, &len), DOCA_ERROR_NOT_CONNECTED);
	TEST_TRUE(len == 7);
	return ep_end(&client);
}

/* Once, behind all messages; a client has no connection after that, a service waits. */
static int
test_ep_recvfrom_connection_reset(void)
{
	struct doca_comm_channel_addr_t *peer;
	struct ep_thread thread;
	size_t len = 7;

	TEST_CALL(ep_pair(&service, &client));
	TEST_OK(ep_send(&client, "first"));
	TEST_CALL(ep_expect(&service, &client, "first"));
	peer = service.peer;
	TEST_OK(ep_send(&client, "second"));
	TEST_OK(ep_send(&client, "third"));
	TEST_CALL(ep_thread_begin(&thread, ep_end, &client));
	TEST_CALL(ep_expect(&service, NULL, "second"));
	TEST_CALL(ep_expect(&service, NULL, "third"));
	service.peer = NULL;
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_TRUE(service.peer == peer);
	TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_AGAIN);
	TEST_OK(doca_comm_channel_ep_disconnect(service.ep, peer));
	TEST_CALL(ep_thread_end(&thread));

	TEST_CALL(ep_client(&client, EP_NAME, &service));
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	TEST_OK(ep_send(&service, "last words"));
	TEST_CALL(ep_thread_begin(&thread, ep_end, &service));
	TEST_CALL(ep_expect(&client, NULL, "last words"));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_RESULT(recv_once(&client, &len), DOCA_ERROR_NOT_CONNECTED);
	TEST_CALL(ep_thread_end(&thread));
	return ep_end(&client);
}

/* A queue of four: what is more waits at the client, and comes in order. */
static int
test_ep_recv_queue_bounds(void)
{
	char text[4000];
	int i, nb = 0;

	TEST_CALL(ep_make_service(&service));
	TEST_OK(doca_comm_channel_ep_set_recv_queue_size(service.ep, 4));
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_set_send_queue_size(client.ep, 1024));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	memset(text, ' ', sizeof(text));
	for (nb = 0; nb < 2000; nb++) {
		snprintf(text, sizeof(text), "%d", nb);
		if (doca_comm_channel_ep_sendto(client.ep, text, sizeof(text), 0, client.peer) !=
				DOCA_SUCCESS)
			break;
		/* a turn, in which no message is taken by the program */
		TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	}
	TEST_TRUE(nb >= 1024 && nb < 1024 + 16);
	for (i = 0; i < nb; i++) {
		TEST_OK(ep_recv(&service, &client));
		TEST_TRUE(service.len == sizeof(text) && atoi(service.msg) == i);
	}
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* Messages of all lengths, through the end of the queue many times. */
static int
test_ep_message_lengths(void)
{
	static char text[65535];
	size_t len, i;

	TEST_CALL(ep_make_service(&service));
	TEST_OK(doca_comm_channel_ep_set_max_msg_size(service.ep, 64));
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_set_max_msg_size(client.ep, sizeof(text)));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	for (len = 1; len < sizeof(text); len += len / 3 + 1) {
		for (i = 0; i < 8; i++) {
			memset(text, (int)(len + i), len);
			TEST_OK(doca_comm_channel_ep_sendto(client.ep, text, len, 0, client.peer));
			if (i % 2 == 0)
				TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
		}
		for (i = 0; i < 8; i++) {
			TEST_OK(ep_recv(&service, &client));
			TEST_TRUE(service.len == len);
			TEST_TRUE(service.msg[0] == (char)(len + i));
			TEST_TRUE(service.msg[len - 1] == (char)(len + i));
		}
	}
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
test_ep_disconnect_errors(void)
{
	TEST_RESULT(doca_comm_channel_ep_disconnect(NULL, client.peer), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_disconnect(client.ep, NULL), DOCA_ERROR_NOT_CONNECTED);
	TEST_RESULT(doca_comm_channel_ep_disconnect(service.ep, client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_RESULT(doca_comm_channel_ep_disconnect(client.ep, client.peer),
			DOCA_ERROR_NOT_CONNECTED);
	return 0;
}

/* A service ends the connection; what it has sent before arrives. */
static int
disconnect_peer(struct test_ep *side)
{
	TEST_OK(doca_comm_channel_ep_disconnect(side->ep, side->peer));
	return 0;
}

static int
test_ep_disconnect_service(void)
{
	struct ep_thread thread;

	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	TEST_OK(ep_send(&service, "go"));
	TEST_CALL(ep_thread_begin(&thread, disconnect_peer, &service));
	TEST_CALL(ep_expect(&client, NULL, "go"));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_CALL(ep_thread_end(&thread));
	TEST_RESULT(send_once(&service, "gone"), DOCA_ERROR_NOT_CONNECTED);
	return 0;
}

static int
test_ep_peer_addr_user_data(void)
{
	uint64_t data = 1;

	TEST_RESULT(doca_comm_channel_peer_addr_set_user_data(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_user_data_set(NULL, 1), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_get_user_data(NULL, &data),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_user_data_get(NULL, &data),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_get_user_data(client.peer, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_user_data_get(client.peer, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comm_channel_peer_addr_get_user_data(client.peer, &data));
	TEST_TRUE(data == 0);
	TEST_OK(doca_comm_channel_peer_addr_set_user_data(client.peer, UINT64_MAX));
	TEST_OK(doca_comm_channel_peer_addr_user_data_get(client.peer, &data));
	TEST_TRUE(data == UINT64_MAX);
	TEST_OK(doca_comm_channel_peer_addr_user_data_set(client.peer, 7));
	TEST_OK(doca_comm_channel_peer_addr_get_user_data(client.peer, &data));
	TEST_TRUE(data == 7);
	return 0;
}

static int
test_ep_peer_addr_update_info(void)
{
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_peer_addr_update_info(client.peer),
			DOCA_ERROR_CONNECTION_INPROGRESS);
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	TEST_CALL(ep_end(&service));
	TEST_CALL(ep_until(client.peer, DOCA_ERROR_CONNECTION_ABORTED, NULL));
	return ep_end(&client);
}

typedef doca_error_t (*counter_fn)(const struct doca_comm_channel_addr_t *peer, uint64_t *value);

static int
counter(counter_fn get, const struct doca_comm_channel_addr_t *peer, uint64_t want)
{
	uint64_t value = UINT64_MAX;

	TEST_NULL_2(get, peer, &value);
	TEST_OK(get(peer, &value));
	TEST_TRUE(value == want);
	return 0;
}

static int
counters(const struct doca_comm_channel_addr_t *peer, uint64_t sent, uint64_t sent_bytes,
		uint64_t received, uint64_t received_bytes)
{
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_send_messages, peer, sent));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_send_bytes, peer, sent_bytes));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_recv_messages, peer, received));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_rcv_messages, peer, received));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_recv_bytes, peer, received_bytes));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_rcv_bytes, peer, received_bytes));
	return 0;
}

/* They are those of the last update. */
static int
test_ep_peer_addr_counters(void)
{
	TEST_CALL(counters(client.peer, 0, 0, 0, 0));
	TEST_OK(send_once(&client, "123"));
	TEST_OK(send_once(&client, "12345"));
	TEST_CALL(counters(client.peer, 0, 0, 0, 0));
	TEST_OK(doca_comm_channel_peer_addr_update_info(client.peer));
	TEST_CALL(counters(client.peer, 2, 10, 0, 0));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_send_in_flight_messages, client.peer, 2));
	TEST_CALL(ep_expect(&service, &client, "123"));
	TEST_CALL(ep_expect(&service, &client, "12345"));
	TEST_OK(send_once(&service, "1"));
	TEST_CALL(ep_expect(&client, &service, "1"));
	TEST_OK(doca_comm_channel_peer_addr_update_info(client.peer));
	TEST_CALL(counters(client.peer, 2, 10, 1, 2));
	TEST_CALL(counter(doca_comm_channel_peer_addr_get_send_in_flight_messages, client.peer, 0));
	TEST_OK(doca_comm_channel_peer_addr_update_info(service.peer));
	TEST_CALL(counters(service.peer, 1, 2, 2, 10));
	return 0;
}

static int
service_has(uint32_t clients, uint32_t pending)
{
	struct doca_comm_channel_addr_t **list;
	uint32_t nb = UINT32_MAX;

	TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	TEST_OK(doca_comm_channel_ep_get_peer_addr_list(service.ep, &list, &nb));
	TEST_TRUE(nb == clients);
	TEST_TRUE((list == NULL) == (nb == 0));
	TEST_OK(doca_comm_channel_ep_get_pending_connections(service.ep, &nb));
	TEST_TRUE(nb == pending);
	return 0;
}

/* Those that have asked are pending until the next recvfrom. */
static int
test_ep_service_state(void)
{
	size_t len = 1;
	int i;

	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(service_has(0, 0));
	TEST_CALL(ep_make_client(&client));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	for (i = 0; i < 5000; i++) {
		uint32_t nb;

		TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
		TEST_OK(doca_comm_channel_ep_get_pending_connections(service.ep, &nb));
		if (nb != 0)
			break;
		doca_comm_channel_peer_addr_update_info(client.peer);
		test_sleep_ms(1);
	}
	TEST_CALL(service_has(0, 1));
	TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_AGAIN);
	TEST_CALL(service_has(1, 0));
	TEST_CALL(ep_end(&client));
	TEST_RESULT(ep_recv(&service, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_CALL(service_has(0, 0));
	return ep_end(&service);
}

/* What a list names can be sent to, though nothing has come from there. */
static int
test_ep_service_sends_first(void)
{
	struct doca_comm_channel_addr_t **list;
	uint32_t nb;

	TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	TEST_OK(doca_comm_channel_ep_get_peer_addr_list(service.ep, &list, &nb));
	TEST_TRUE(nb == 1);
	service.peer = list[0];
	TEST_OK(ep_send(&service, "welcome"));
	TEST_CALL(ep_expect(&client, NULL, "welcome"));
	return 0;
}

static int
test_ep_service_state_errors(void)
{
	struct doca_comm_channel_addr_t **list;
	uint32_t nb;

	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(doca_comm_channel_ep_update_service_state_info(NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_3(doca_comm_channel_ep_get_peer_addr_list, client.ep, &list, &nb);
	TEST_NULL_2(doca_comm_channel_ep_get_pending_connections, client.ep, &nb);
	TEST_RESULT(doca_comm_channel_ep_update_service_state_info(client.ep),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_get_peer_addr_list(client.ep, &list, &nb),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_get_pending_connections(client.ep, &nb),
			DOCA_ERROR_BAD_STATE);
	TEST_CALL(ep_end(&client));
	TEST_CALL(ep_pair(&service, &client));
	TEST_RESULT(doca_comm_channel_ep_update_service_state_info(client.ep),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_comm_channel_ep_get_peer_addr_list(client.ep, &list, &nb),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(doca_comm_channel_ep_get_pending_connections(client.ep, &nb),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* Messages of three clients come as they were sent, though nobody asks in between. */
static int
test_ep_recvfrom_order(void)
{
	struct doca_comm_channel_addr_t **list;
	struct test_ep clients[3];
	uint64_t end = test_now_ms() + TEST_WAIT_MS;
	size_t len = 1;
	char text[32];
	uint32_t nb;
	int i;

	TEST_CALL(ep_service(&service, EP_NAME));
	for (i = 0; i < 3; i++)
		TEST_CALL(ep_client(&clients[i], EP_NAME, &service));
	do {
		TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_AGAIN);
		TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
		TEST_OK(doca_comm_channel_ep_get_peer_addr_list(service.ep, &list, &nb));
	} while (nb < 3 && test_now_ms() < end);
	TEST_RESULT(recv_once(&service, &len), DOCA_ERROR_AGAIN);
	for (i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_OK(send_once(&clients[i % 3], text));
		/* the service has queued it, though it is not called */
		while (ep_in_flight(clients[i % 3].peer) != 0 && test_now_ms() < end)
			test_sleep_ms(1);
		TEST_TRUE(ep_in_flight(clients[i % 3].peer) == 0);
	}
	for (i = 0; i < 30; i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_CALL(ep_expect(&service, NULL, text));
	}
	for (i = 0; i < 3; i++)
		TEST_CALL(ep_end(&clients[i]));
	return ep_end(&service);
}

/* Services of other names, and of one name for another function. */
static int
test_ep_three_services(void)
{
	static const char *const names[] = {"a", "b", "c"};
	struct test_ep services[3], clients[3], second;
	int i;

	for (i = 0; i < 3; i++)
		TEST_CALL(ep_service(&services[i], names[i]));
	TEST_CALL(ep_service_2(&second, "a"));
	for (i = 0; i < 3; i++) {
		TEST_CALL(ep_client(&clients[i], names[i], &services[i]));
		TEST_OK(ep_send(&clients[i], names[i]));
	}
	for (i = 2; i >= 0; i--)
		TEST_CALL(ep_expect(&services[i], &clients[i], names[i]));
	for (i = 0; i < 3; i++) {
		TEST_CALL(ep_end(&clients[i]));
		TEST_CALL(ep_end(&services[i]));
	}
	return ep_end(&second);
}

/* More of them than a device has engines for. */
static int
test_ep_forty_clients(void)
{
	static struct test_ep clients[40];
	char text[32];
	int i;

	TEST_CALL(ep_service(&service, EP_NAME));
	for (i = 0; i < 40; i++) {
		TEST_CALL(ep_client(&clients[i], EP_NAME, &service));
		snprintf(text, sizeof(text), "%d", i);
		TEST_OK(ep_send(&clients[i], text));
		TEST_CALL(ep_expect(&service, &clients[i], text));
		TEST_OK(doca_comm_channel_peer_addr_set_user_data(service.peer, i));
		TEST_OK(ep_send(&service, text));
	}
	for (i = 0; i < 40; i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_CALL(ep_expect(&clients[i], NULL, text));
	}
	for (i = 0; i < 40; i++)
		TEST_CALL(ep_end(&clients[i]));
	return ep_end(&service);
}

#define SENDERS 3
#define SENDER_MSGS 1000

struct sender {
	struct test_ep *side;
	pthread_t thread;
	char number;
	bool failed;
};

static void *
sender_run(void *arg)
{
	struct sender *s = arg;
	char text[2] = {s->number};
	int i;

	for (i = 0; i < SENDER_MSGS; i++)
		s->failed |= ep_send(s->side, text) != DOCA_SUCCESS;
	return NULL;
}

/* No lock of the program's, which the vendor's library asks for. */
static int
test_ep_sendto_threads(void)
{
	unsigned int counts[SENDERS] = {0}, i;
	struct sender senders[SENDERS];

	for (i = 0; i < SENDERS; i++) {
		senders[i] = (struct sender){.side = &client, .number = 'a' + i};
		TEST_TRUE(pthread_create(&senders[i].thread, NULL, sender_run, &senders[i]) == 0);
	}
	for (i = 0; i < SENDERS * SENDER_MSGS; i++) {
		TEST_OK(ep_recv(&service, NULL));
		TEST_TRUE(service.msg[0] >= 'a' && service.msg[0] < 'a' + SENDERS);
		counts[service.msg[0] - 'a']++;
	}
	for (i = 0; i < SENDERS; i++) {
		TEST_TRUE(pthread_join(senders[i].thread, NULL) == 0);
		TEST_TRUE(!senders[i].failed && counts[i] == SENDER_MSGS);
	}
	return 0;
}

/* What reads an endpoint or a peer address, while others change it. */
static int
look_once(void)
{
	struct doca_comm_channel_addr_t **list;
	uint64_t count, bytes, number;
	struct doca_dev *dev;
	uint32_t nb;

	TEST_OK(doca_comm_channel_ep_get_device(client.ep, &dev));
	TEST_OK(doca_comm_channel_ep_get_peer_addr_list(service.ep, &list, &nb));
	TEST_OK(doca_comm_channel_ep_get_pending_connections(service.ep, &nb));
	TEST_OK(doca_comm_channel_peer_addr_get_send_messages(client.peer, &count));
	TEST_OK(doca_comm_channel_peer_addr_get_send_bytes(client.peer, &bytes));
	TEST_TRUE(bytes >= 2 * count);
	TEST_OK(doca_comm_channel_peer_addr_get_recv_messages(client.peer, &count));
	TEST_OK(doca_comm_channel_peer_addr_get_recv_bytes(client.peer, &bytes));
	TEST_OK(doca_comm_channel_peer_addr_get_send_in_flight_messages(client.peer, &count));
	TEST_OK(doca_comm_channel_peer_addr_set_user_data(client.peer, count));
	TEST_OK(doca_comm_channel_peer_addr_get_user_data(client.peer, &number));
	return 0;
}

struct looker {
	bool end, failed;
};

static void *
look_run(void *arg)
{
	struct looker *look = arg;

	while (!__atomic_load_n(&look->end, __ATOMIC_RELAXED) && !look->failed)
		look->failed = look_once() != 0;
	return NULL;
}

static int
test_ep_look_threads(void)
{
	struct looker look = {0};
	struct doca_comm_channel_addr_t *peer;
	pthread_t thread;
	int i;

	peer = client.peer;
	TEST_TRUE(pthread_create(&thread, NULL, look_run, &look) == 0);
	for (i = 0; i < 200; i++) {
		TEST_OK(ep_send(&client, "x"));
		TEST_CALL(ep_expect(&service, NULL, "x"));
		TEST_OK(doca_comm_channel_peer_addr_update_info(peer));
		TEST_OK(doca_comm_channel_peer_addr_set_user_data(peer, i));
		TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	}
	__atomic_store_n(&look.end, true, __ATOMIC_RELAXED);
	TEST_TRUE(pthread_join(thread, NULL) == 0);
	TEST_TRUE(!look.failed);
	return 0;
}

/* An endpoint that was a client, and is a service: what it had is freed. */
static int
test_ep_client_then_service(void)
{
	TEST_OK(ep_send(&client, "x"));
	TEST_CALL(ep_expect(&service, NULL, "x"));
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_OK(doca_comm_channel_ep_set_device_rep(client.ep, service.rep));
	TEST_OK(doca_comm_channel_ep_listen(client.ep, "another"));
	return 0;
}

const struct test_case test_comm_channel_msg[] = {
	TEST_CASE_ST(pair_open, pair_close, test_ep_sendto),
	TEST_CASE_ST(pair_open, pair_close, test_ep_sendto_invalid_value),
	TEST_CASE_ST(pair_open, pair_close, test_ep_sendto_not_connected),
	TEST_CASE(test_ep_sendto_again),
	TEST_CASE(test_ep_sendto_connection_reset),
	TEST_CASE_ST(pair_open, pair_close, test_ep_sendto_threads),
	TEST_CASE_ST(pair_open, pair_close, test_ep_look_threads),
	TEST_CASE_ST(pair_open, pair_close, test_ep_client_then_service),
	TEST_CASE(test_ep_recvfrom_invalid_value),
	TEST_CASE_ST(pair_open, pair_close, test_ep_recvfrom_too_long),
	TEST_CASE_ST(pair_open, pair_close, test_ep_recvfrom_again),
	TEST_CASE(test_ep_recvfrom_not_connected),
	TEST_CASE(test_ep_recvfrom_connection_reset),
	TEST_CASE(test_ep_recvfrom_order),
	TEST_CASE(test_ep_recv_queue_bounds),
	TEST_CASE(test_ep_message_lengths),
	TEST_CASE_ST(pair_open, pair_close, test_ep_disconnect_errors),
	TEST_CASE_ST(pair_open, pair_close, test_ep_disconnect_service),
	TEST_CASE_ST(pair_open, pair_close, test_ep_peer_addr_user_data),
	TEST_CASE(test_ep_peer_addr_update_info),
	TEST_CASE_ST(pair_open, pair_close, test_ep_peer_addr_counters),
	TEST_CASE(test_ep_service_state),
	TEST_CASE_ST(pair_open, pair_close, test_ep_service_sends_first),
	TEST_CASE(test_ep_service_state_errors),
	TEST_CASE(test_ep_three_services),
	TEST_CASE(test_ep_forty_clients),
	TEST_CASES_END(),
};
