/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Event channels of endpoints: what each stands for, when it is readable, and by whom it
 * is armed and waited for.
 */

#include <pthread.h>
#include <sys/epoll.h>
#include <unistd.h>

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

struct channels {
	doca_event_channel_t send;
	doca_event_channel_t recv;
	doca_event_channel_t service;
};

static int
channels_get(struct test_ep *side, struct channels *channels)
{
	channels->service = doca_event_invalid_handle;
	TEST_OK(doca_comm_channel_ep_get_event_channel(side->ep, &channels->send,
			&channels->recv));
	if (side->rep != NULL)
		TEST_OK(doca_comm_channel_ep_get_service_event_channel(side->ep,
				&channels->service));
	TEST_TRUE(channels->send >= 0 && channels->recv >= 0);
	TEST_TRUE(channels->send != channels->recv);
	return 0;
}

/* Which are readable after a while, or at once if they all are. */
static int
readable(const struct channels *channels, bool send, bool recv, bool come)
{
	TEST_TRUE(test_readable(channels->send, send ? TEST_WAIT_MS : 0) == send);
	TEST_TRUE(test_readable(channels->recv, recv ? TEST_WAIT_MS : 0) == recv);
	if (channels->service >= 0)
		TEST_TRUE(test_readable(channels->service, come ? TEST_WAIT_MS : 0) == come);
	return 0;
}

static int
test_ep_get_event_channel(void)
{
	doca_event_channel_t first = -1, second = -1;

	TEST_CALL(ep_make_service(&service));
	TEST_RESULT(doca_comm_channel_ep_get_event_channel(service.ep, &first, &second),
			DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_RESULT(doca_comm_channel_ep_get_event_channel(NULL, &first, &second),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_get_event_channel(service.ep, NULL, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comm_channel_ep_get_event_channel(service.ep, &first, NULL));
	TEST_OK(doca_comm_channel_ep_get_event_channel(service.ep, NULL, &second));
	TEST_TRUE(first >= 0 && second >= 0 && first != second);
	TEST_TRUE(!test_readable(first, 0) && !test_readable(second, 0));
	return ep_end(&service);
}

static doca_error_t
use_channels(struct test_ep *side)
{
	doca_event_channel_t send, recv;

	return doca_comm_channel_ep_get_event_channel(side->ep, &send, &recv);
}

static doca_error_t
use_service_channel(struct test_ep *side)
{
	doca_event_channel_t channel;

	return doca_comm_channel_ep_get_service_event_channel(side->ep, &channel);
}

static doca_error_t
use_arm(struct test_ep *side)
{
	return doca_comm_channel_ep_event_handle_arm_send(side->ep);
}

static doca_error_t
without_descriptors(doca_error_t (*use)(struct test_ep *side), struct test_ep *side)
{
	doca_error_t result;

	if (!test_limit(RLIMIT_NOFILE, 3))
		return DOCA_ERROR_OPERATING_SYSTEM;
	result = use(side);
	return test_limit(RLIMIT_NOFILE, RLIM_INFINITY) ? result : DOCA_ERROR_OPERATING_SYSTEM;
}

static int
test_ep_get_event_channel_not_found(void)
{
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_RESULT(without_descriptors(use_channels, &service), DOCA_ERROR_NOT_FOUND);
	TEST_RESULT(without_descriptors(use_service_channel, &service), DOCA_ERROR_NOT_FOUND);
	TEST_RESULT(without_descriptors(use_arm, &service), DOCA_ERROR_NOT_FOUND);
	TEST_OK(use_channels(&service));
	return ep_end(&service);
}

static int
test_ep_get_service_event_channel_errors(void)
{
	doca_event_channel_t channel = -1;

	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(doca_comm_channel_ep_get_service_event_channel(client.ep, &channel),
			DOCA_ERROR_BAD_STATE);
	TEST_CALL(ep_end(&client));
	TEST_CALL(ep_pair(&service, &client));
	TEST_NULL_2(doca_comm_channel_ep_get_service_event_channel, service.ep, &channel);
	TEST_RESULT(doca_comm_channel_ep_get_service_event_channel(client.ep, &channel),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
test_ep_event_handle_arm_errors(void)
{
	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_send(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_recv(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_rcv(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_send(client.ep), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_recv(client.ep), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_rcv(client.ep), DOCA_ERROR_BAD_STATE);
	return ep_end(&client);
}

/* Messages make the channel for them readable, and no other one; armed once, told once. */
static int
test_ep_event_recv(void)
{
	struct channels at;

	TEST_CALL(channels_get(&service, &at));
	TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	TEST_OK(ep_send(&client, "not armed"));
	test_sleep_ms(EP_QUIET_MS);
	TEST_CALL(readable(&at, false, false, false));
	/* what is there already is told at once */
	TEST_OK(doca_comm_channel_ep_event_handle_arm_recv(service.ep));
	TEST_CALL(readable(&at, false, true, false));
	TEST_CALL(ep_expect(&service, &client, "not armed"));
	TEST_CALL(readable(&at, false, true, false));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_send(service.ep));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_rcv(service.ep));
	test_sleep_ms(EP_QUIET_MS);
	TEST_CALL(readable(&at, false, false, false));
	TEST_OK(ep_send(&client, "armed"));
	TEST_CALL(readable(&at, false, true, false));
	TEST_CALL(ep_expect(&service, &client, "armed"));
	return 0;
}

/* A message that was delivered, and not one that has come. */
static int
test_ep_event_send(void)
{
	struct channels at;

	TEST_CALL(channels_get(&client, &at));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_send(client.ep));
	TEST_OK(ep_send(&client, "hello"));
	test_sleep_ms(EP_QUIET_MS);
	TEST_CALL(readable(&at, false, false, false));
	TEST_CALL(ep_expect(&service, NULL, "hello"));
	TEST_CALL(readable(&at, true, false, false));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_send(client.ep));
	TEST_OK(ep_send(&service, "answer"));
	test_sleep_ms(EP_QUIET_MS);
	TEST_CALL(readable(&at, false, false, false));
	TEST_CALL(ep_expect(&client, NULL, "answer"));
	/* one that ended before it was armed is told at once */
	TEST_OK(ep_send(&client, "once more"));
	TEST_CALL(readable(&at, false, false, false));
	TEST_CALL(ep_expect(&service, NULL, "once more"));
	TEST_CALL(readable(&at, true, false, false));
	return 0;
}

/* Full, armed, asleep, room: the loop that programs have. */
static int
test_ep_event_send_room(void)
{
	struct channels at;
	doca_error_t result;
	int i, nb = 0;

	TEST_CALL(channels_get(&client, &at));
	for (i = 0; i < 1000; i++) {
		result = doca_comm_channel_ep_sendto(client.ep, &i, sizeof(i), 0, client.peer);
		if (result == DOCA_SUCCESS)
			continue;
		TEST_RESULT(result, DOCA_ERROR_AGAIN);
		TEST_OK(doca_comm_channel_ep_event_handle_arm_send(client.ep));
		for (; nb < i && !test_readable(at.send, 1); nb++) {
			TEST_OK(ep_recv(&service, NULL));
			TEST_TRUE(memcmp(service.msg, &nb, sizeof(nb)) == 0);
		}
		TEST_TRUE(test_readable(at.send, TEST_WAIT_MS));
		i--;
	}
	for (; nb < 1000; nb++)
		TEST_OK(ep_recv(&service, &client));
	return 0;
}

/* Clients that come and go, and no message; armed by the update. */
static int
test_ep_event_service(void)
{
	struct channels at;

	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(channels_get(&service, &at));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_send(service.ep));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_recv(service.ep));
	TEST_CALL(readable(&at, false, false, false));
	TEST_CALL(ep_client(&client, EP_NAME, NULL));
	TEST_CALL(readable(&at, false, false, true));
	TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	TEST_CALL(readable(&at, false, false, false));
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(readable(&at, false, true, false));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	TEST_CALL(ep_end(&client));
	TEST_CALL(readable(&at, false, true, true));
	TEST_OK(doca_comm_channel_ep_update_service_state_info(service.ep));
	TEST_TRUE(!test_readable(at.service, 0));
	return ep_end(&service);
}

/* The end of the connection wakes whoever waits for a message. */
static int
test_ep_event_recv_reset(void)
{
	struct channels at;

	TEST_CALL(ep_pair(&service, &client));
	TEST_CALL(channels_get(&client, &at));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_recv(client.ep));
	TEST_CALL(readable(&at, false, false, false));
	TEST_CALL(ep_end(&service));
	TEST_CALL(readable(&at, false, true, false));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_CONNECTION_RESET);
	return ep_end(&client);
}

/* Who waits on a connection that is over is not left asleep. */
static int
test_ep_event_recv_over(void)
{
	struct channels at;

	TEST_CALL(ep_pair(&service, &client));
	TEST_CALL(channels_get(&client, &at));
	TEST_CALL(ep_end(&service));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_CONNECTION_RESET);
	TEST_OK(doca_comm_channel_ep_event_handle_arm_recv(client.ep));
	TEST_CALL(readable(&at, false, true, false));
	TEST_RESULT(ep_recv(&client, NULL), DOCA_ERROR_NOT_CONNECTED);
	return ep_end(&client);
}

/* Channels stay the same when a client connects once more. */
static int
test_ep_event_reconnect(void)
{
	struct channels at;

	TEST_CALL(channels_get(&client, &at));
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_RESULT(doca_comm_channel_ep_event_handle_arm_recv(client.ep), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_send(client.ep));
	TEST_OK(doca_comm_channel_ep_event_handle_arm_recv(client.ep));
	TEST_OK(ep_send(&service, "answer"));
	TEST_TRUE(test_readable(at.recv, TEST_WAIT_MS));
	TEST_CALL(ep_expect(&client, NULL, "answer"));
	return 0;
}

#define THREAD_MSGS 2000

struct waiter {
	struct test_ep *side;
	struct channels at;
	int epfd;
	bool end;
	unsigned int events;
	bool failed;
};

/* Arms and waits, and never reads: the other thread sends and receives. */
static void *
wait_run(void *arg)
{
	struct waiter *w = arg;
	struct epoll_event event;
	doca_error_t result;
	int nb;

	while (!__atomic_load_n(&w->end, __ATOMIC_RELAXED)) {
		result = doca_comm_channel_ep_event_handle_arm_recv(w->side->ep);
		if (result == DOCA_SUCCESS)
			result = doca_comm_channel_ep_event_handle_arm_send(w->side->ep);
		nb = epoll_wait(w->epfd, &event, 1, 20);
		w->failed |= result != DOCA_SUCCESS || nb < 0;
		__atomic_add_fetch(&w->events, nb > 0, __ATOMIC_RELAXED);
	}
	return NULL;
}

static int
waiter_start(struct waiter *w, struct test_ep *side, pthread_t *thread)
{
	struct epoll_event event = {.events = EPOLLIN};

	memset(w, 0, sizeof(*w));
	w->side = side;
	TEST_CALL(channels_get(side, &w->at));
	w->epfd = epoll_create1(0);
	TEST_TRUE(epoll_ctl(w->epfd, EPOLL_CTL_ADD, w->at.send, &event) == 0);
	TEST_TRUE(epoll_ctl(w->epfd, EPOLL_CTL_ADD, w->at.recv, &event) == 0);
	TEST_TRUE(pthread_create(thread, NULL, wait_run, w) == 0);
	return 0;
}

static int
test_gap_12_event_threads(void)
{
	struct waiter waiter;
	pthread_t thread;
	char text[32];
	int i;

	TEST_CALL(waiter_start(&waiter, &service, &thread));
	/* longer where the other thread has had no time yet */
	for (i = 0; i < THREAD_MSGS || (i < 50 * THREAD_MSGS &&
			__atomic_load_n(&waiter.events, __ATOMIC_RELAXED) == 0); i++) {
		snprintf(text, sizeof(text), "%d", i);
		TEST_OK(ep_send(&client, text));
		TEST_CALL(ep_expect(&service, NULL, text));
		TEST_OK(ep_send(&service, text));
		TEST_CALL(ep_expect(&client, NULL, text));
	}
	__atomic_store_n(&waiter.end, true, __ATOMIC_RELAXED);
	TEST_TRUE(pthread_join(thread, NULL) == 0);
	TEST_TRUE(!waiter.failed);
	TEST_TRUE(waiter.events > 0);
	close(waiter.epfd);
	return 0;
}

const struct test_case test_comm_channel_event[] = {
	TEST_CASE(test_ep_get_event_channel),
	TEST_CASE(test_ep_get_event_channel_not_found),
	TEST_CASE(test_ep_get_service_event_channel_errors),
	TEST_CASE(test_ep_event_handle_arm_errors),
	TEST_CASE_ST(pair_open, pair_close, test_ep_event_recv),
	TEST_CASE_ST(pair_open, pair_close, test_ep_event_send),
	TEST_CASE_ST(pair_open, pair_close, test_ep_event_send_room),
	TEST_CASE(test_ep_event_service),
	TEST_CASE(test_ep_event_recv_reset),
	TEST_CASE(test_ep_event_recv_over),
	TEST_CASE_ST(pair_open, pair_close, test_ep_event_reconnect),
	TEST_CASE_ST(pair_open, pair_close, test_gap_12_event_threads),
	TEST_CASES_END(),
};
