/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints for cases.
 */

#include <time.h>

#include "test_ep.h"

static void
pause_us(void)
{
	struct timespec time = {.tv_nsec = 20000};

	nanosleep(&time, NULL);
}

static int
make(struct test_ep *side, const char *dev, const char *rep)
{
	memset(side, 0, sizeof(*side));
	TEST_OK(test_dev_open(dev, &side->dev));
	TEST_OK(doca_comm_channel_ep_create(&side->ep));
	TEST_OK(doca_comm_channel_ep_set_device(side->ep, side->dev));
	if (rep == NULL)
		return 0;
	TEST_OK(test_rep_open(side->dev, rep, &side->rep));
	TEST_OK(doca_comm_channel_ep_set_device_rep(side->ep, side->rep));
	return 0;
}

int
ep_make_client(struct test_ep *side)
{
	return make(side, TEST_DEV, NULL);
}

int
ep_make_service(struct test_ep *side)
{
	return make(side, TEST_DEV, TEST_REP);
}

int
ep_service(struct test_ep *side, const char *name)
{
	TEST_CALL(ep_make_service(side));
	TEST_OK(doca_comm_channel_ep_listen(side->ep, name));
	return 0;
}

int
ep_service_2(struct test_ep *side, const char *name)
{
	TEST_CALL(make(side, EP_DEV_2, EP_REP_2));
	TEST_OK(doca_comm_channel_ep_listen(side->ep, name));
	return 0;
}

/* A service has to be called to accept. */
static void
turn(struct test_ep *other)
{
	struct doca_comm_channel_addr_t *peer;
	size_t len = 0;
	char byte;

	if (other != NULL)
		doca_comm_channel_ep_recvfrom(other->ep, &byte, &len, 0, &peer);
}

int
ep_until(struct doca_comm_channel_addr_t *peer, doca_error_t want, struct test_ep *other)
{
	uint64_t end = test_now_ms() + TEST_WAIT_MS;
	doca_error_t result;

	do {
		turn(other);
		result = doca_comm_channel_peer_addr_update_info(peer);
		if (result == want)
			return 0;
		pause_us();
	} while (test_now_ms() < end);
	TEST_RESULT(result, want);
	return 0;
}

int
ep_client(struct test_ep *side, const char *name, struct test_ep *other)
{
	TEST_CALL(ep_make_client(side));
	TEST_OK(doca_comm_channel_ep_connect(side->ep, name, &side->peer));
	TEST_CALL(ep_until(side->peer, DOCA_SUCCESS, other));
	return 0;
}

/* A client is connected a moment before its service has heard of that. */
int
ep_pair(struct test_ep *service, struct test_ep *client)
{
	struct doca_comm_channel_addr_t **list;
	uint64_t end = test_now_ms() + TEST_WAIT_MS;
	uint32_t nb = 0;

	TEST_CALL(ep_service(service, EP_NAME));
	TEST_CALL(ep_client(client, EP_NAME, service));
	while (nb == 0 && test_now_ms() < end) {
		turn(service);
		TEST_OK(doca_comm_channel_ep_update_service_state_info(service->ep));
		TEST_OK(doca_comm_channel_ep_get_peer_addr_list(service->ep, &list, &nb));
	}
	TEST_TRUE(nb == 1);
	return 0;
}

int
ep_end(struct test_ep *side)
{
	TEST_OK(doca_comm_channel_ep_destroy(side->ep));
	if (side->rep != NULL)
		TEST_OK(doca_dev_rep_close(side->rep));
	TEST_OK(doca_dev_close(side->dev));
	return 0;
}

static void *
ep_thread_main(void *arg)
{
	struct ep_thread *thread = arg;

	return thread->fn(thread->side) == 0 ? NULL : thread;
}

int
ep_thread_begin(struct ep_thread *thread, int (*fn)(struct test_ep *side), struct test_ep *side)
{
	thread->fn = fn;
	thread->side = side;
	TEST_TRUE(pthread_create(&thread->thread, NULL, ep_thread_main, thread) == 0);
	return 0;
}

int
ep_thread_end(struct ep_thread *thread)
{
	void *failed;

	TEST_TRUE(pthread_join(thread->thread, &failed) == 0);
	return failed == NULL ? 0 : -1;
}

doca_error_t
ep_recv(struct test_ep *side, struct test_ep *other)
{
	uint64_t end = test_now_ms() + TEST_WAIT_MS;
	doca_error_t result;

	do {
		side->len = sizeof(side->msg);
		result = doca_comm_channel_ep_recvfrom(side->ep, side->msg, &side->len,
				DOCA_CC_MSG_FLAG_NONE, &side->peer);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		if (other != NULL && other->peer != NULL)
			doca_comm_channel_peer_addr_update_info(other->peer);
		pause_us();
	} while (test_now_ms() < end);
	return result;
}

int
ep_expect(struct test_ep *side, struct test_ep *other, const char *text)
{
	TEST_OK(ep_recv(side, other));
	TEST_TRUE(side->len == strlen(text) + 1);
	if (strcmp(side->msg, text) != 0)
		fprintf(stderr, "received '%s', not '%s'\n", side->msg, text);
	TEST_TRUE(strcmp(side->msg, text) == 0);
	return 0;
}

doca_error_t
ep_send(struct test_ep *side, const char *text)
{
	uint64_t end = test_now_ms() + TEST_WAIT_MS;
	doca_error_t result;

	do {
		result = doca_comm_channel_ep_sendto(side->ep, text, strlen(text) + 1,
				DOCA_CC_MSG_FLAG_NONE, side->peer);
		if (result != DOCA_ERROR_AGAIN)
			return result;
		pause_us();
	} while (test_now_ms() < end);
	return result;
}

uint64_t
ep_in_flight(struct doca_comm_channel_addr_t *peer)
{
	uint64_t nb = UINT64_MAX;

	doca_comm_channel_peer_addr_update_info(peer);
	doca_comm_channel_peer_addr_get_send_in_flight_messages(peer, &nb);
	return nb;
}

