/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients come and go, and their messages are handed to libvfio-user one by one.
 * What is in them is not known here.
 *
 * The library blocks: it waits for the rest of a message, for the client to take
 * a reply, and for the client's first message. One thread serves all functions,
 * so the library is only called when none of that can happen:
 *   - a message is handed over when it has arrived whole (message.c), and when
 *     there is room for the reply;
 *   - a client is accepted here, and handed over by the library's own accept(),
 *     which the linker leads to this file, when its first message is there.
 * What remains is the reply to DMA by message: bounded in time, and a client that
 * misses it loses its connection.
 */

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link.h"

/* Messages of one client before the others get their turn. */
#define BURST 64
/* A client that says nothing after it connected. */
#define GREETING_MS 2000
/* The first message: version and capabilities. */
#define GREETING_MAX 4096u
/* Age of what the shared page shows. */
#define MIRROR_MS 50

/* A client on its way into the library; one thread, so one at a time. */
static int handed_over = -1;

int __real_accept(int fd, struct sockaddr *addr, socklen_t *len);
int __wrap_accept(int fd, struct sockaddr *addr, socklen_t *len);

int
__wrap_accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	int sock = handed_over;

	(void)fd;
	(void)addr;
	(void)len;
	handed_over = -1;
	if (sock < 0)
		errno = EAGAIN;
	return sock;
}

/* ------------------------------------------------------------ connections */

void
bfm_link_watch(struct bfm_server *s, int fd, int op)
{
	/* Edges only: half a message is no reason to turn the loop. */
	struct epoll_event ev = {
		.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET,
		.data.fd = fd,
	};

	if (fd == s->listen_fd)
		ev.events = EPOLLIN | EPOLLET;
	epoll_ctl(s->epfd, op, fd, &ev);
}

void
bfm_link_down(struct bfm_function *f, const char *why)
{
	struct bfm_server *s = f->server;
	char scratch[4096];

	s->want_hang_up = false;
	if (s->link == BFM_LINK_NONE)
		return;
	bfm_log(f, BFM_INFO, "client gone after %llu messages: %s",
			(unsigned long long)s->messages, why);
	if (s->link == BFM_LINK_GREETING) {
		close(s->sock);
	} else if (vfu_get_poll_fd(s->ctx) != s->listen_fd) {
		/* The library has no call for this: let it find the end of the stream. */
		shutdown(s->sock, SHUT_RDWR);
		while (recv(s->sock, scratch, sizeof(scratch), MSG_DONTWAIT) > 0)
			;
		(void)vfu_run_ctx(s->ctx);
	}
	s->link = BFM_LINK_NONE;
	s->sock = -1;
	s->skip = 0;
	s->want_hang_up = false;
	bfm_mirror_dead(s);
	if (s->want_reset) {
		s->want_reset = false;
		bfm_function_reset(f);
	}
	/* whoever waits behind it */
	bfm_link_watch(s, s->listen_fd, EPOLL_CTL_MOD);
}

/* The first message is there: the library negotiates, and nothing of it can block. */
static void
link_up(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	struct timeval tv = { .tv_sec = BFM_DMA_WAIT_MS / 1000,
			.tv_usec = BFM_DMA_WAIT_MS % 1000 * 1000 };
	int ret;

	setsockopt(s->sock, SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof(tv));
	setsockopt(s->sock, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	handed_over = s->sock;
	ret = vfu_attach_ctx(s->ctx);
	if (ret < 0) {
		bfm_log(f, BFM_WARN, "client refused: %s; it must speak vfio-user %u.x",
				strerror(errno), LIB_VFIO_USER_MAJOR);
		/* the library has closed it */
		s->link = BFM_LINK_NONE;
		s->sock = -1;
		return;
	}
	s->link = BFM_LINK_UP;
	bfm_mirror_update(f);
	bfm_log(f, BFM_INFO, "client connected");
}

/* Returns whether there is progress to make. */
static bool
link_greet(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	char text[GREETING_MAX];
	struct bfm_msg_hdr hdr;
	ssize_t n;

	n = recv(s->sock, text, sizeof(text), MSG_PEEK | MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return false;
	if (n <= 0) {
		bfm_link_down(f, "before its first message");
		return true;
	}
	if ((size_t)n < sizeof(hdr))
		return false;
	memcpy(&hdr, text, sizeof(hdr));
	if (hdr.size > sizeof(text) || hdr.size < sizeof(hdr)) {
		bfm_link_down(f, "its first message is not a version message");
		return true;
	}
	if ((uint32_t)n < hdr.size)
		return false;
	/* major and minor stand before the text; what else is wrong the library says */
	if (hdr.cmd == BFM_MSG_VERSION && hdr.size >= sizeof(hdr) + 4 &&
			bfm_msg_xfer_size(text + sizeof(hdr) + 4, hdr.size - sizeof(hdr) - 4,
				&s->xfer) != 0) {
		bfm_msg_refuse(s->sock, &hdr, EINVAL);
		bfm_link_down(f, "its capabilities are no JSON, or max_data_xfer_size is not a "
				"positive number");
		return true;
	}
	link_up(f);
	return true;
}

static bool
peer_hung_up(int sock)
{
	struct pollfd pfd = { .fd = sock, .events = POLLRDHUP };

	return poll(&pfd, 1, 0) == 1 && (pfd.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/* Returns whether there is progress to make. */
static bool
link_accept(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	int sock;

	/* the next client may be the same one, after a restart */
	if (s->link == BFM_LINK_GREETING || (s->link == BFM_LINK_UP && peer_hung_up(s->sock)))
		return false;
	sock = accept4(s->listen_fd, NULL, NULL, SOCK_CLOEXEC);
	if (sock < 0)
		return false;
	if (f->gone || s->link == BFM_LINK_UP) {
		bfm_log(f, BFM_WARN, "client refused: %s", f->gone ? "the function is unplugged" :
				"the function has one; a function serves one client");
		close(sock);
		return true;
	}
	s->sock = sock;
	s->link = BFM_LINK_GREETING;
	s->messages = 0;
	s->greeting_end = f->model->now_ms + GREETING_MS;
	bfm_link_watch(s, sock, EPOLL_CTL_ADD);
	return true;
}

/* Throw away a refused message as it comes, then answer. Returns whether it is done. */
static bool
link_skip(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	char scratch[4096];
	ssize_t n;

	while (s->skip > 0) {
		n = recv(s->sock, scratch, s->skip < sizeof(scratch) ? s->skip : sizeof(scratch),
				MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return false;
		if (n <= 0) {
			bfm_link_down(f, "in the middle of a message");
			return false;
		}
		s->skip -= n;
	}
	if (bfm_msg_refuse(s->sock, &s->refused, s->refused_errno) != 0) {
		bfm_link_down(f, "it does not take its replies");
		return false;
	}
	return true;
}

/* One message into the library. */
static void
link_message(struct bfm_function *f, struct bfm_msg *msg)
{
	struct bfm_server *s = f->server;
	struct bfm_msg_irqs irqs;
	uint32_t i;
	int ret;

	bfm_msg_irqs(msg, f->conf.vectors, &irqs);
	for (i = 0; irqs.trigger && i < irqs.count; i++) {
		if (s->irq_fds[irqs.start + i] < 0 || bfm_irq_ready(s, irqs.start + i))
			continue;
		bfm_log(f, BFM_WARN, "the client triggers interrupt %u, whose eventfd is full",
				irqs.start + i);
		bfm_link_down(f, "that would block");
		return;
	}

	s->messages++;
	s->in_message = true;
	s->dma_wait_ms = BFM_DMA_WAIT_MS;
	ret = vfu_run_ctx(s->ctx);
	s->in_message = false;
	s->in_bar = false;
	if (ret < 0 || vfu_get_poll_fd(s->ctx) == s->listen_fd) {
		bfm_link_down(f, ret < 0 ? strerror(errno) : "end of stream");
		return;
	}
	bfm_irqs_changed(f, msg, &irqs);
	if (s->want_reset) {
		s->want_reset = false;
		bfm_function_reset(f);
	}
	if (s->want_hang_up)
		bfm_link_down(f, "hung up");
}

/* Returns whether there may be more. */
static bool
link_serve(struct bfm_function *f)
{
	struct pollfd pfd = { .fd = f->server->sock, .events = POLLOUT };
	struct bfm_server *s = f->server;
	struct bfm_msg msg;
	char err[256] = "";
	int ret;

	if (s->skip > 0)
		return link_skip(f);
	ret = bfm_msg_peek(s->sock, &msg);
	if (ret == 0) {
		if (peer_hung_up(s->sock))
			bfm_link_down(f, "in the middle of a message");
		return false;
	}
	if (ret < 0) {
		bfm_link_down(f, ret == -ENOTCONN ? "end of stream" : ret == -EPROTO ?
				"its messages are out of step" : strerror(-ret));
		return true;
	}
	/* a client that does not read its replies waits for itself alone */
	if (poll(&pfd, 1, 0) != 1 || (pfd.revents & POLLOUT) == 0) {
		bfm_msg_close_fds(&msg);
		return false;
	}
	ret = bfm_msg_check(&msg, s->dma, f->conf.vectors, err, sizeof(err));
	if (ret > 0) {
		bfm_log(f, BFM_WARN, "refused: %s", err);
		s->skip = msg.hdr.size;
		s->refused = msg.hdr;
		s->refused_errno = ret;
	} else {
		link_message(f, &msg);
	}
	bfm_msg_close_fds(&msg);
	return true;
}

void
bfm_server_run(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	struct epoll_event ev[4];
	bool more = true;
	int i;

	/* Which of them it was does not matter, only that the edges are taken. */
	(void)epoll_wait(s->epfd, ev, 4, 0);
	for (i = 0; i < BURST && more; i++) {
		more = false;
		if (s->want_hang_up)
			bfm_link_down(f, "hung up");
		if (s->link == BFM_LINK_UP)
			more = link_serve(f);
		else if (s->link == BFM_LINK_GREETING)
			more = link_greet(f);
		if (link_accept(f))
			more = true;
	}
	if (more) {
		/* the others first: make new edges of what is still there */
		bfm_link_watch(s, s->listen_fd, EPOLL_CTL_MOD);
		if (s->sock >= 0)
			bfm_link_watch(s, s->sock, EPOLL_CTL_MOD);
	}
}

void
bfm_server_hang_up(struct bfm_function *f)
{
	struct bfm_server *s = f->server;

	if (s == NULL || s->link == BFM_LINK_NONE)
		return;
	if (s->in_message)
		s->want_hang_up = true;
	else
		bfm_link_down(f, "hung up");
}

int
bfm_server_tick(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	uint64_t now = f->model->now_ms;

	if (s == NULL || s->link == BFM_LINK_NONE)
		return -1;
	if (s->want_hang_up)
		bfm_link_down(f, "hung up");
	if (s->link == BFM_LINK_GREETING) {
		if (now < s->greeting_end)
			return s->greeting_end - now;
		bfm_link_down(f, "it said nothing");
		return -1;
	}
	if (s->link == BFM_LINK_UP && now >= s->mirror_next) {
		bfm_mirror_update(f);
		s->mirror_next = now + MIRROR_MS;
	}
	return s->link == BFM_LINK_UP ? (int)(s->mirror_next - now) : -1;
}

