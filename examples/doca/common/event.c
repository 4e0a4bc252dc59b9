/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Sleeping until an engine has something to do: request, wait, clear, progress. */

#include <errno.h>
#include <signal.h>
#include <unistd.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>

#include <doca_log.h>

#include "event.h"

DOCA_LOG_REGISTER(EVENT);

static doca_error_t
watch(struct event_loop *loop, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0) {
		DOCA_LOG_ERR("Failed to watch file descriptor %d: %s", fd, strerror(errno));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	return DOCA_SUCCESS;
}

doca_error_t
event_loop_init(struct event_loop *loop, struct doca_pe *pe)
{
	doca_event_handle_t handle = doca_event_invalid_handle;
	sigset_t signals;
	doca_error_t result;

	loop->pe = pe;
	loop->interrupted = false;
	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	loop->signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll_fd < 0 || loop->signal_fd < 0) {
		DOCA_LOG_ERR("Failed to get file descriptors: %s", strerror(errno));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	result = doca_pe_get_notification_handle(pe, &handle);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to get the engine's handle: %s",
				doca_error_get_descr(result));
		return result;
	}
	result = watch(loop, handle);
	if (result != DOCA_SUCCESS)
		return result;
	return watch(loop, loop->signal_fd);
}

doca_error_t
event_loop_turn(struct event_loop *loop)
{
	struct epoll_event events[2];
	doca_error_t result;
	int i, count;

	result = doca_pe_request_notification(loop->pe);
	if (result != DOCA_SUCCESS) {
		DOCA_LOG_ERR("Failed to request a notification: %s", doca_error_get_descr(result));
		return result;
	}
	count = epoll_wait(loop->epoll_fd, events, 2, -1);
	if (count < 0 && errno != EINTR) {
		DOCA_LOG_ERR("Failed to wait: %s", strerror(errno));
		return DOCA_ERROR_OPERATING_SYSTEM;
	}
	for (i = 0; i < count; i++) {
		if (events[i].data.fd == loop->signal_fd) {
			struct signalfd_siginfo info;

			if (read(loop->signal_fd, &info, sizeof(info)) > 0)
				loop->interrupted = true;
		}
	}
	(void)doca_pe_clear_notification(loop->pe, 0);
	while (doca_pe_progress(loop->pe) != 0)
		;
	return DOCA_SUCCESS;
}

void
event_loop_clean(struct event_loop *loop)
{
	if (loop->epoll_fd >= 0)
		close(loop->epoll_fd);
	if (loop->signal_fd >= 0)
		close(loop->signal_fd);
}
