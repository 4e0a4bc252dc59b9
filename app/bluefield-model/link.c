/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients come and go, and their messages are handed to libvfio-user one by one.
 * What is in them is not known here, nor how the library gets them (feed.c).
 *
 * The library blocks: it waits for the rest of a message, for the client to take
 * a reply, and for the client's first message. One thread serves all functions,
 * so the library is only called when none of that can happen: a message, also the
 * first one, is handed over when it has arrived whole (message.c), and when there
 * is room for the reply. A message that is refused waits for that too, so that
 * replies have the order of their messages.
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
/* ... and ms: one that is slow with its DMA makes few messages a burst. */
#define TURN_MS 10
/* A client that connects while no descriptor is free. */
#define ACCEPT_AGAIN_MS 100
/* A client that says nothing after it connected. */
#define GREETING_MS 2000
/* The first message: header, major and minor; then at most so much of capabilities. */
#define GREETING_MIN (sizeof(struct bfm_msg_hdr) + 4)
#define GREETING_MAX 4096u
/* Age of what the shared page shows. */
#define MIRROR_MS 50

/* ------------------------------------------------------------ connections */

void
bfm_link_down(struct bfm_function *f, const char *why)
{
	struct bfm_server *s = f->server;

	s->want_hang_up = false;
	if (s->link == BFM_LINK_NONE)
		return;
	bfm_log(f, BFM_INFO, "client gone after %llu messages: %s",
			(unsigned long long)s->messages, why);
	if (s->link == BFM_LINK_GREETING)
		close(s->sock);
	else if (vfu_get_poll_fd(s->ctx) != s->listen_fd)
		bfm_feed_end(s);
	bfm_feed_clear(s);
	s->unmapped = 0;
	s->link = BFM_LINK_NONE;
	s->sock = -1;
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

	setsockopt(s->sock, SOL_SOCKET, SO_SNDTIMEO, &tv, sizeof(tv));
	ret = bfm_feed_attach(s);
	bfm_msg_clear(&s->msg);
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
	struct bfm_msg *msg = &s->msg;
	int ret;

	ret = bfm_msg_receive(s->sock, msg);
	if (ret >= 0 && msg->got >= sizeof(msg->hdr) && msg->hdr.size > GREETING_MAX)
		ret = -EPROTO;
	if (ret < 0) {
		bfm_link_down(f, ret == -EPROTO ? "its first message is not a version message" :
				"before its first message");
		return true;
	}
	if (ret != BFM_MSG_WHOLE)
		return false;
	if (msg->nb_fds > 0) {
		bfm_msg_refuse(s->sock, &msg->hdr, EINVAL);
		bfm_link_down(f, "its first message comes with descriptors");
		return true;
	}
	/* major and minor stand before the text; what else is wrong the library says */
	if (msg->hdr.cmd == BFM_MSG_VERSION && msg->hdr.size >= GREETING_MIN &&
			bfm_msg_xfer_size((char *)msg->body + 4, msg->body_len - 4,
				&s->xfer) != 0) {
		bfm_msg_refuse(s->sock, &msg->hdr, EINVAL);
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

/* The edge is taken, and who connected is still there: no edge comes of the descriptors. */
static void
accept_later(struct bfm_function *f)
{
	struct bfm_server *s = f->server;

	if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM)
		return;
	if (!s->accept_told)
		bfm_log(f, BFM_WARN, "a client waits: %s; ulimit -n is too low, or a client maps its "
				"memory in too many pieces", strerror(errno));
	s->accept_told = true;
	s->accept_at = f->model->now_ms + ACCEPT_AGAIN_MS;
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
	if (sock < 0) {
		accept_later(f);
		return false;
	}
	s->accept_told = false;
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

static void
link_refuse(struct bfm_function *f, const struct bfm_msg *msg, int error, const char *why)
{
	bfm_log(f, BFM_WARN, "refused: %s", why);
	if (bfm_msg_refuse(f->server->sock, &msg->hdr, error) != 0)
		bfm_link_down(f, "it does not take its replies");
}

/* One message into the library. */
static void
link_message(struct bfm_function *f, struct bfm_msg *msg)
{
	struct bfm_server *s = f->server;
	int ret, eventfds[BFM_NB_VECTORS];
	struct bfm_msg_irqs irqs;
	uint32_t i;

	bfm_msg_irqs(msg, f->conf.vectors, &irqs);
	for (i = 0; irqs.trigger && i < irqs.count; i++) {
		if (s->irq_fds[irqs.start + i] < 0 || bfm_irq_ready(s, irqs.start + i))
			continue;
		bfm_log(f, BFM_WARN, "the client triggers interrupt %u, whose eventfd is full",
				irqs.start + i);
		bfm_link_down(f, "that would block");
		return;
	}
	if (irqs.set && bfm_msg_copy_fds(msg, eventfds) != 0) {
		link_refuse(f, msg, EMFILE, "no descriptor is free; ulimit -n is too low");
		return;
	}

	s->dma_wait_ms = BFM_DMA_WAIT_MS;
	ret = bfm_feed_run(s, msg);
	if (ret < 0 || vfu_get_poll_fd(s->ctx) == s->listen_fd) {
		for (i = 0; irqs.set && i < irqs.count; i++)
			close(eventfds[i]);
		bfm_link_down(f, ret < 0 ? strerror(errno) : "end of stream");
		return;
	}
	bfm_irqs_changed(f, &irqs, eventfds);
	if (s->want_reset) {
		s->want_reset = false;
		bfm_function_reset(f);
	}
	if (s->want_hang_up)
		bfm_link_down(f, "hung up");
}

/* The next message is complete. Returns whether there may be more. */
static bool
link_next(struct bfm_function *f)
{
	struct pollfd pfd = { .fd = f->server->sock, .events = POLLOUT };
	struct bfm_server *s = f->server;
	struct bfm_msg msg;
	char err[256] = "";
	int ret;

	/* a client that does not read its replies waits for itself alone */
	if (poll(&pfd, 1, 0) != 1 || (pfd.revents & POLLOUT) == 0)
		return false;
	/* the next one may be received before this one is done: DMA waits for it */
	msg = s->msg;
	memset(&s->msg, 0, sizeof(s->msg));
	ret = bfm_msg_check(&msg, s->dma, f->conf.vectors, err, sizeof(err));
	if (ret > 0) {
		link_refuse(f, &msg, ret, err);
	} else if (msg.hdr.cmd != BFM_MSG_DMA_UNMAP) {
		link_message(f, &msg);
	} else {
		ret = bfm_unmap_run(s, &msg);
		if (ret == 0) {
			s->msg = msg; /* not done */
			return true;
		}
		if (ret < 0)
			bfm_link_down(f, ret == -EPIPE ? "it does not take its replies" :
					"memory cannot be unmapped");
	}
	s->messages++;
	bfm_msg_clear(&msg);
	return true;
}

/* Returns whether there may be more. */
static bool
link_serve(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	bool begun;
	int ret;

	ret = bfm_feed_next(s);
	begun = s->msg.got > 0;
	if (ret >= 0 && begun && BFM_MSG_TYPE(s->msg.hdr.flags) != BFM_MSG_COMMAND &&
			s->msg.got >= sizeof(s->msg.hdr))
		ret = -EPROTO;
	if (ret == BFM_MSG_WHOLE)
		return link_next(f);
	if (ret < 0)
		bfm_link_down(f, ret == -ENOTCONN ?
				(begun ? "in the middle of a message" : "end of stream") :
				ret == -EPROTO ? "its messages are out of step" : strerror(-ret));
	return ret != 0;
}

void
bfm_server_run(struct bfm_function *f)
{
	struct bfm_server *s = f->server;
	struct epoll_event ev[4];
	uint64_t end = bfm_now_ms() + TURN_MS;
	bool more = true;
	int i;

	/* Which of them it was does not matter, only that the edges are taken. */
	(void)epoll_wait(s->epfd, ev, 4, 0);
	for (i = 0; i < BURST && more && (i == 0 || bfm_now_ms() < end); i++) {
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

	if (s == NULL)
		return -1;
	if (s->accept_at != 0 && now >= s->accept_at) {
		s->accept_at = 0;
		bfm_link_watch(s, s->listen_fd, EPOLL_CTL_MOD);
	}
	if (s->link == BFM_LINK_NONE)
		return s->accept_at != 0 ? (int)(s->accept_at - now) : -1;
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

