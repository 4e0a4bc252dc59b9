/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endpoints of Comm Channel for the cases of all suites that need them: made, connected,
 * and taken down again, in one process or in two. Nothing in here asserts what a single
 * function returns.
 */

#ifndef TEST_EP_H
#define TEST_EP_H

#include <pthread.h>

#include <doca_comm_channel.h>

#include "test_comch.h"

/* Milliseconds in which what must not come would have come. */
#define EP_QUIET_MS 200

/* Another function of the host, and the card's device that represents it. */
#define EP_REP_2 "b1:00.1"
#define EP_DEV_2 "03:00.1"

#define EP_NAME "test_endpoint"

struct test_ep {
	struct doca_dev *dev;
	struct doca_dev_rep *rep;
	struct doca_comm_channel_ep_t *ep;
	struct doca_comm_channel_addr_t *peer; /* of a client, and that of the last message */
	char msg[65536];                       /* the last message */
	size_t len;
};

/* An endpoint with a device, and for a service with a representor. */
int ep_make_service(struct test_ep *side);
int ep_make_client(struct test_ep *side);
/* The same, and listen() or connect(). */
int ep_service(struct test_ep *side, const char *name);
/* The same for the other function. */
int ep_service_2(struct test_ep *side, const char *name);
/* Until it is connected; other is called meanwhile, which may be NULL. */
int ep_client(struct test_ep *side, const char *name, struct test_ep *other);
/* A service and a client of it in one process. */
int ep_pair(struct test_ep *service, struct test_ep *client);
/* Disconnect nothing, destroy, close. */
int ep_end(struct test_ep *side);
/* Have a thread do such a thing to a side, which waits for the other one; and wait for it. */
struct ep_thread {
	pthread_t thread;
	int (*fn)(struct test_ep *side);
	struct test_ep *side;
};
int ep_thread_begin(struct ep_thread *thread, int (*fn)(struct test_ep *side),
		struct test_ep *side);
int ep_thread_end(struct ep_thread *thread);

/* Call recvfrom until it is not AGAIN; other is called meanwhile, which may be NULL. */
doca_error_t ep_recv(struct test_ep *side, struct test_ep *other);
/* The same, and it is this text. */
int ep_expect(struct test_ep *side, struct test_ep *other, const char *text);
/* Call sendto until it is not AGAIN. */
doca_error_t ep_send(struct test_ep *side, const char *text);
/* Call update_info until it is this, or time is over. */
int ep_until(struct doca_comm_channel_addr_t *peer, doca_error_t want, struct test_ep *other);
/* Messages on their way, after an update. */
uint64_t ep_in_flight(struct doca_comm_channel_addr_t *peer);

#endif /* TEST_EP_H */
