/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints of Comm Channel: limits, properties, and what listening and connecting are
 * refused for. Messages are in test_comm_channel_msg.c.
 */

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

/* The first device that has this address, as a list entry. */
static int
limits(doca_error_t (*get)(struct doca_devinfo *devinfo, uint32_t *value), uint32_t min)
{
	struct doca_devinfo **list;
	uint32_t nb, value = 0;

	TEST_RESULT(get(NULL, &value), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_devinfo_create_list(&list, &nb));
	TEST_TRUE(nb > 0);
	TEST_RESULT(get(list[0], NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(get(list[0], &value));
	TEST_TRUE(value >= min);
	TEST_OK(doca_devinfo_destroy_list(list));
	return 0;
}

static int
test_ep_limits(void)
{
	uint32_t len = 0;

	TEST_RESULT(doca_comm_channel_get_max_service_name_len(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comm_channel_get_max_service_name_len(&len));
	TEST_TRUE(len > 40);
	TEST_CALL(limits(doca_comm_channel_get_max_message_size, 4080));
	TEST_CALL(limits(doca_comm_channel_get_max_send_queue_size, 8192));
	TEST_CALL(limits(doca_comm_channel_get_max_rcv_queue_size, 8192));
	TEST_CALL(limits(doca_comm_channel_get_max_recv_queue_size, 8192));
	return limits(doca_comm_channel_get_service_max_num_connections, 100);
}

static int
test_ep_create(void)
{
	struct doca_comm_channel_ep_t *ep = NULL;

	TEST_RESULT(doca_comm_channel_ep_create(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_destroy(NULL), DOCA_ERROR_NOT_CONNECTED);
	TEST_OK(doca_comm_channel_ep_create(&ep));
	TEST_TRUE(ep != NULL);
	return doca_comm_channel_ep_destroy(ep) == DOCA_SUCCESS ? 0 : -1;
}

static int
test_ep_set_device(void)
{
	struct doca_dev *dev = (struct doca_dev *)1;
	struct test_ep side;

	TEST_CALL(ep_make_client(&side));
	TEST_NULL_2(doca_comm_channel_ep_set_device, side.ep, side.dev);
	TEST_NULL_2(doca_comm_channel_ep_get_device, side.ep, &dev);
	TEST_OK(doca_comm_channel_ep_get_device(side.ep, &dev));
	TEST_TRUE(dev == side.dev);
	return ep_end(&side);
}

static int
test_ep_set_device_rep(void)
{
	struct doca_dev_rep *rep = (struct doca_dev_rep *)1;
	struct test_ep side, bare;

	TEST_CALL(ep_make_service(&side));
	TEST_CALL(ep_make_client(&bare));
	TEST_NULL_2(doca_comm_channel_ep_set_device_rep, side.ep, side.rep);
	TEST_NULL_2(doca_comm_channel_ep_get_device_rep, side.ep, &rep);
	TEST_OK(doca_comm_channel_ep_get_device_rep(bare.ep, &rep));
	TEST_TRUE(rep == NULL);
	TEST_OK(doca_comm_channel_ep_get_device_rep(side.ep, &rep));
	TEST_TRUE(rep == side.rep);
	TEST_CALL(ep_end(&bare));
	return ep_end(&side);
}

typedef doca_error_t (*set_fn)(struct doca_comm_channel_ep_t *ep, uint16_t value);
typedef doca_error_t (*get_fn)(const struct doca_comm_channel_ep_t *ep, uint16_t *value);

/* A property of 16 bits: the default, what is refused, and what a value is raised to. */
static int
property(set_fn set, get_fn get, uint16_t value, uint16_t raised, uint16_t too_much)
{
	struct test_ep side;
	uint16_t got = 0;

	TEST_CALL(ep_make_client(&side));
	TEST_NULL_2(get, side.ep, &got);
	TEST_OK(get(side.ep, &got));
	TEST_TRUE(got > 0);
	TEST_RESULT(set(NULL, value), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(set(side.ep, 0), DOCA_ERROR_INVALID_VALUE);
	if (too_much != 0)
		TEST_RESULT(set(side.ep, too_much), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(set(side.ep, value));
	TEST_OK(get(side.ep, &got));
	TEST_TRUE(got == raised);
	return ep_end(&side);
}

static int
test_ep_properties(void)
{
	TEST_CALL(property(doca_comm_channel_ep_set_max_msg_size,
			doca_comm_channel_ep_get_max_msg_size, 64, 64, 0));
	TEST_CALL(property(doca_comm_channel_ep_set_send_queue_size,
			doca_comm_channel_ep_get_send_queue_size, 8190, 8192, 8193));
	TEST_CALL(property(doca_comm_channel_ep_set_rcv_queue_size,
			doca_comm_channel_ep_get_rcv_queue_size, 10, 16, 65535));
	return property(doca_comm_channel_ep_set_recv_queue_size,
			doca_comm_channel_ep_get_recv_queue_size, 8190, 8192, 8193);
}

/* What an endpoint that is in use does not let be changed. */
static int
no_change(struct test_ep *side)
{
	TEST_RESULT(doca_comm_channel_ep_set_device(side->ep, side->dev), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_set_device_rep(side->ep, service.rep),
			DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_set_max_msg_size(side->ep, 64), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_set_send_queue_size(side->ep, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_set_recv_queue_size(side->ep, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_set_rcv_queue_size(side->ep, 8), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_comm_channel_ep_listen(side->ep, "other"), DOCA_ERROR_NOT_PERMITTED);
	TEST_RESULT(doca_comm_channel_ep_connect(side->ep, EP_NAME, &side->peer),
			DOCA_ERROR_NOT_PERMITTED);
	return 0;
}

static int
test_ep_set_bad_state(void)
{
	TEST_CALL(no_change(&service));
	TEST_CALL(no_change(&client));
	TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
	TEST_OK(doca_comm_channel_ep_set_send_queue_size(client.ep, 8));
	return 0;
}

/* Names that are not one, with the function that takes it. */
static int
bad_names(struct test_ep *side, doca_error_t (*use)(struct test_ep *side, const char *name))
{
	uint32_t max;
	char *name;

	TEST_OK(doca_comm_channel_get_max_service_name_len(&max));
	name = malloc(max + 1);
	TEST_TRUE(name != NULL);
	memset(name, 'n', max);
	name[max] = '\0';
	TEST_RESULT(use(side, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(use(side, ""), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(use(side, name), DOCA_ERROR_INVALID_VALUE);
	free(name);
	return 0;
}

static doca_error_t
use_listen(struct test_ep *side, const char *name)
{
	return doca_comm_channel_ep_listen(side->ep, name);
}

static doca_error_t
use_connect(struct test_ep *side, const char *name)
{
	return doca_comm_channel_ep_connect(side->ep, name, &side->peer);
}

static int
test_ep_listen_longest_name(void)
{
	uint32_t max;
	char *name;

	TEST_OK(doca_comm_channel_get_max_service_name_len(&max));
	name = malloc(max);
	TEST_TRUE(name != NULL);
	memset(name, 'n', max - 1);
	name[max - 1] = '\0';
	TEST_CALL(ep_service(&service, name));
	TEST_CALL(ep_client(&client, name, &service));
	free(name);
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
test_ep_listen_refused(void)
{
	struct doca_comm_channel_ep_t *ep;
	struct doca_dev *host;

	TEST_CALL(ep_make_service(&service));
	TEST_RESULT(doca_comm_channel_ep_listen(NULL, EP_NAME), DOCA_ERROR_INVALID_VALUE);
	TEST_CALL(bad_names(&service, use_listen));
	/* without a device nothing was known of what it takes */
	TEST_OK(doca_comm_channel_ep_create(&ep));
	TEST_RESULT(doca_comm_channel_ep_listen(ep, EP_NAME), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comm_channel_ep_set_recv_queue_size(ep, 32768));
	TEST_OK(doca_comm_channel_ep_set_device(ep, service.dev));
	TEST_RESULT(doca_comm_channel_ep_listen(ep, EP_NAME), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comm_channel_ep_set_device_rep(ep, service.rep));
	TEST_RESULT(doca_comm_channel_ep_listen(ep, EP_NAME), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_comm_channel_ep_destroy(ep));
	/* a device of the host has no services */
	TEST_OK(test_dev_open(TEST_REP, &host));
	TEST_OK(doca_comm_channel_ep_set_device(service.ep, host));
	TEST_RESULT(doca_comm_channel_ep_listen(service.ep, EP_NAME), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_dev_close(host));
	return ep_end(&service);
}

static int
test_ep_listen_connection_aborted(void)
{
	struct test_ep first, second;

	TEST_CALL(ep_service(&first, EP_NAME));
	TEST_CALL(ep_make_service(&second));
	TEST_RESULT(doca_comm_channel_ep_listen(second.ep, EP_NAME),
			DOCA_ERROR_CONNECTION_ABORTED);
	TEST_OK(doca_comm_channel_ep_listen(second.ep, "another"));
	TEST_CALL(ep_end(&first));
	TEST_CALL(ep_make_service(&first));
	TEST_OK(doca_comm_channel_ep_listen(first.ep, EP_NAME));
	TEST_CALL(ep_end(&first));
	return ep_end(&second);
}

/* What a function returns when the process may have so many descriptors. */
static doca_error_t
with_descriptors(unsigned int nb, doca_error_t (*use)(struct test_ep *side, const char *name),
		struct test_ep *side)
{
	doca_error_t result;

	if (!test_limit(RLIMIT_NOFILE, nb))
		return DOCA_ERROR_OPERATING_SYSTEM;
	result = use(side, EP_NAME);
	return test_limit(RLIMIT_NOFILE, RLIM_INFINITY) ? result : DOCA_ERROR_OPERATING_SYSTEM;
}

/* Whatever is missing, the endpoint can be used when it is there. */
static int
test_ep_listen_no_memory(void)
{
	struct test_ep first;

	TEST_CALL(ep_service(&first, "first")); /* the device is there */
	TEST_CALL(ep_make_service(&service));
	TEST_RESULT(with_descriptors(3, use_listen, &service), DOCA_ERROR_NO_MEMORY);
	TEST_OK(doca_comm_channel_ep_listen(service.ep, EP_NAME));
	TEST_CALL(ep_end(&service));
	return ep_end(&first);
}

/* Each number of descriptors, until there are enough for the service and its thread. */
static int
test_ep_listen_initialization(void)
{
	struct test_ep first;
	doca_error_t result = DOCA_ERROR_NO_MEMORY;
	unsigned int nb, missing = 0;

	TEST_CALL(ep_service(&first, "first"));
	TEST_CALL(ep_end(&first));
	TEST_CALL(ep_make_service(&service));
	for (nb = 3; nb < 100 && result != DOCA_SUCCESS; nb++) {
		result = with_descriptors(nb, use_listen, &service);
		if (result != DOCA_ERROR_INITIALIZATION)
			TEST_TRUE(result == DOCA_ERROR_NO_MEMORY || result == DOCA_SUCCESS);
		else
			missing++;
	}
	TEST_OK(result);
	TEST_TRUE(missing > 0);
	return ep_end(&service);
}

static int
test_ep_connect_refused(void)
{
	struct doca_comm_channel_ep_t *ep;

	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(doca_comm_channel_ep_connect(NULL, EP_NAME, &client.peer),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_comm_channel_ep_connect(client.ep, EP_NAME, NULL),
			DOCA_ERROR_INVALID_VALUE);
	TEST_CALL(bad_names(&client, use_connect));
	TEST_OK(doca_comm_channel_ep_create(&ep));
	TEST_RESULT(doca_comm_channel_ep_connect(ep, EP_NAME, &client.peer), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_comm_channel_ep_destroy(ep));
	return ep_end(&client);
}

static int
test_ep_connect_not_supported(void)
{
	setenv("DOCA_COMPAT_SIDE", "card", 1);
	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer),
			DOCA_ERROR_NOT_SUPPORTED);
	return ep_end(&client);
}

/* Nobody serves the function: at once, and the endpoint can try again. */
static int
test_ep_connect_connection_aborted(void)
{
	uint64_t since;

	TEST_CALL(ep_make_client(&client));
	since = test_now_ms();
	TEST_RESULT(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer),
			DOCA_ERROR_CONNECTION_ABORTED);
	TEST_TRUE(test_now_ms() - since < TEST_WAIT_MS / 4);
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
	TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

static int
test_ep_connect_no_memory(void)
{
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_CALL(ep_make_client(&client));
	TEST_RESULT(with_descriptors(3, use_connect, &client), DOCA_ERROR_NO_MEMORY);
	TEST_CALL(ep_end(&client));
	return ep_end(&service);
}

/* After the end of a connection there can be another one. */
static int
test_ep_connect_again(void)
{
	int i;

	for (i = 0; i < 40; i++) {
		TEST_OK(doca_comm_channel_ep_disconnect(client.ep, client.peer));
		TEST_OK(doca_comm_channel_ep_connect(client.ep, EP_NAME, &client.peer));
		TEST_CALL(ep_until(client.peer, DOCA_SUCCESS, &service));
	}
	TEST_OK(ep_send(&client, "hello"));
	TEST_CALL(ep_expect(&service, &client, "hello"));
	return 0;
}

/* Whoever uses a device keeps it open; once it was opened, and then once more. */
static int
test_ep_device_in_use(void)
{
	TEST_CALL(ep_service(&service, EP_NAME));
	TEST_RESULT(doca_dev_rep_close(service.rep), DOCA_ERROR_IN_USE);
	TEST_RESULT(doca_dev_close(service.dev), DOCA_ERROR_IN_USE);
	TEST_CALL(ep_client(&client, EP_NAME, &service));
	TEST_CALL(ep_end(&service));
	TEST_RESULT(doca_dev_close(client.dev), DOCA_ERROR_IN_USE);
	return ep_end(&client);
}

const struct test_case test_comm_channel[] = {
	TEST_CASE(test_ep_limits),
	TEST_CASE(test_ep_create),
	TEST_CASE(test_ep_set_device),
	TEST_CASE(test_ep_set_device_rep),
	TEST_CASE(test_ep_properties),
	TEST_CASE_ST(pair_open, pair_close, test_ep_set_bad_state),
	TEST_CASE(test_ep_listen_longest_name),
	TEST_CASE(test_ep_listen_refused),
	TEST_CASE(test_ep_listen_connection_aborted),
	TEST_CASE(test_ep_listen_no_memory),
	TEST_CASE(test_ep_listen_initialization),
	TEST_CASE(test_ep_connect_refused),
	TEST_CASE(test_ep_connect_not_supported),
	TEST_CASE(test_ep_connect_connection_aborted),
	TEST_CASE(test_ep_connect_no_memory),
	TEST_CASE_ST(pair_open, pair_close, test_ep_connect_again),
	TEST_CASE(test_ep_device_in_use),
	TEST_CASES_END(),
};
