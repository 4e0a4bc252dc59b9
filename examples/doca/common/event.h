/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef EVENT_H
#define EVENT_H

/* Sleeping until an engine has something to do, with epoll and no time limit. */

#include <stdbool.h>

#include <doca_error.h>
#include <doca_pe.h>

struct event_loop {
	struct doca_pe *pe;
	int epoll_fd;
	int signal_fd; /* SIGINT and SIGTERM */
	bool interrupted;
};

/* Before the engine has contexts. With event_loop_clean() after it also if it fails. */
doca_error_t event_loop_init(struct event_loop *loop, struct doca_pe *pe);

/* Sleeps, then progresses until there is no more. */
doca_error_t event_loop_turn(struct event_loop *loop);

void event_loop_clean(struct event_loop *loop);

#endif /* EVENT_H */
