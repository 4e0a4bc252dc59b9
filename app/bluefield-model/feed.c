/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What libvfio-user receives, and from whom. The linker leads its accept(),
 * recvmsg() and recv() to this file, where it gets messages that have arrived
 * whole, one at a time, each with its own descriptors. It never reads the socket,
 * and never waits for it, but for the reply to DMA by message: bounded in time, and
 * a client that misses it loses its connection. Commands that a client sent ahead
 * of that reply are kept, so that they are next.
 *
 * What is in a message is not known here, beyond whether it is a reply.
 */

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "link.h"

/* Descriptors of commands that are kept. */
#define AHEAD_FDS (4 * BFM_MSG_FDS)

int __real_accept(int fd, struct sockaddr *addr, socklen_t *len);
ssize_t __real_recvmsg(int fd, struct msghdr *mh, int flags);
ssize_t __real_recv(int fd, void *buf, size_t len, int flags);
int __wrap_accept(int fd, struct sockaddr *addr, socklen_t *len);
ssize_t __wrap_recvmsg(int fd, struct msghdr *mh, int flags);
ssize_t __wrap_recv(int fd, void *buf, size_t len, int flags);

/* Whom the library serves now; NULL while it does not run. One thread, so one at a time. */
static struct bfm_server *served;

uint64_t
bfm_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* -------------------------------------------------- commands sent ahead */

/* The command in s->msg is not for now. */
static int
ahead_keep(struct bfm_server *s)
{
	struct bfm_feed *feed = &s->feed;
	struct bfm_msg *kept;

	if (feed->ahead_nb == BFM_FEED_AHEAD ||
			feed->ahead_bytes + s->msg.body_len > BFM_FEED_AHEAD_BYTES ||
			feed->ahead_fds + s->msg.nb_fds > AHEAD_FDS) {
		bfm_log(vfu_get_private(s->ctx), BFM_WARN,
				"the client has sent more than %u "
				"messages, %u bytes or %u descriptors ahead of its reply to DMA "
				"by message; map the memory with a descriptor, or wait for "
				"replies",
				BFM_FEED_AHEAD, BFM_FEED_AHEAD_BYTES, AHEAD_FDS);
		return -EPROTO;
	}
	kept = malloc(sizeof(*kept));
	if (kept == NULL)
		return -ENOMEM;
	*kept = s->msg;
	memset(&s->msg, 0, sizeof(s->msg));
	feed->ahead[(feed->ahead_first + feed->ahead_nb++) % BFM_FEED_AHEAD] = kept;
	feed->ahead_bytes += kept->body_len;
	feed->ahead_fds += kept->nb_fds;
	return 0;
}

/* The oldest one becomes s->msg, which is empty. */
static void
ahead_take(struct bfm_server *s)
{
	struct bfm_feed *feed = &s->feed;
	struct bfm_msg *kept = feed->ahead[feed->ahead_first];

	s->msg = *kept;
	free(kept);
	feed->ahead_first = (feed->ahead_first + 1) % BFM_FEED_AHEAD;
	feed->ahead_nb--;
	feed->ahead_bytes -= s->msg.body_len;
	feed->ahead_fds -= s->msg.nb_fds;
}

int
bfm_feed_next(struct bfm_server *s)
{
	if (s->msg.got == 0 && s->feed.ahead_nb > 0)
		ahead_take(s);
	return bfm_msg_receive(s->sock, &s->msg);
}

void
bfm_feed_clear(struct bfm_server *s)
{
	bfm_msg_clear(&s->msg);
	bfm_msg_clear(&s->feed.reply);
	while (s->feed.ahead_nb > 0) {
		ahead_take(s);
		bfm_msg_clear(&s->msg);
	}
	s->feed.msg = NULL;
}

/* ------------------------------------------------------- replies to DMA */

void
bfm_feed_replies_begin(struct bfm_server *s)
{
	s->feed.replies = true;
}

void
bfm_feed_replies_end(struct bfm_server *s)
{
	s->feed.replies = false;
	s->feed.msg = NULL;
	bfm_msg_clear(&s->feed.reply);
}

/* 1: it is there; 0: the connection has ended; -errno. */
static int
reply_wait(struct bfm_server *s)
{
	struct pollfd pfd = { .fd = s->sock, .events = POLLIN };
	uint64_t end = bfm_now_ms() + s->dma_wait_ms, now;
	uint32_t type;
	int ret;

	bfm_feed_replies_end(s);
	s->feed.replies = true;
	for (;;) {
		ret = bfm_msg_receive(s->sock, &s->msg);
		if (ret < 0)
			return ret == -ENOTCONN ? 0 : -EPROTO;
		type = BFM_MSG_TYPE(s->msg.hdr.flags);
		if (ret == BFM_MSG_WHOLE && type == BFM_MSG_REPLY) {
			s->feed.reply = s->msg;
			memset(&s->msg, 0, sizeof(s->msg));
			s->feed.msg = &s->feed.reply;
			return s->feed.reply.hdr.size <= BFM_MSG_MAX ? 1 : -EPROTO;
		}
		if (ret == BFM_MSG_WHOLE) {
			ret = type == BFM_MSG_COMMAND ? ahead_keep(s) : -EPROTO;
			if (ret < 0)
				return -EPROTO;
			continue;
		}
		now = bfm_now_ms();
		if (now >= end)
			return -EAGAIN;
		if (ret == 0)
			(void)poll(&pfd, 1, (int)(end - now));
	}
}

/* ------------------------------------------------------------- receiving */

int
__wrap_accept(int fd, struct sockaddr *addr, socklen_t *len)
{
	if (served == NULL || fd != served->listen_fd)
		return __real_accept(fd, addr, len);
	return served->sock;
}

static void
hand_over_fds(struct bfm_msg *msg, struct msghdr *mh)
{
	struct cmsghdr *cmsg = mh->msg_control;
	size_t bytes = msg->nb_fds * sizeof(int);

	if (bytes == 0 || cmsg == NULL || mh->msg_controllen < CMSG_SPACE(bytes)) {
		mh->msg_controllen = 0;
		return;
	}
	mh->msg_controllen = CMSG_SPACE(bytes);
	cmsg->cmsg_level = SOL_SOCKET;
	cmsg->cmsg_type = SCM_RIGHTS;
	cmsg->cmsg_len = CMSG_LEN(bytes);
	memcpy(CMSG_DATA(cmsg), msg->fds, bytes);
	msg->nb_fds = 0;
}

/* The library asks for headers so. */
ssize_t
__wrap_recvmsg(int fd, struct msghdr *mh, int flags)
{
	struct bfm_server *s = served;
	struct bfm_msg *msg;
	size_t n;
	int ret;

	if (s == NULL || fd != s->sock)
		return __real_recvmsg(fd, mh, flags);
	if (s->feed.replies) {
		served = NULL; /* what is received now is not for the library */
		ret = reply_wait(s);
		served = s;
		if (ret < 0) {
			errno = -ret;
			return -1;
		}
	}
	msg = s->feed.msg;
	mh->msg_flags = 0;
	if (msg == NULL)
		return 0; /* the end of the stream */
	n = mh->msg_iov[0].iov_len < sizeof(msg->hdr) ? mh->msg_iov[0].iov_len : sizeof(msg->hdr);
	memcpy(mh->msg_iov[0].iov_base, &msg->hdr, n);
	s->feed.at = 0;
	hand_over_fds(msg, mh);
	return (ssize_t)n;
}

/* ... and for the rest so. */
ssize_t
__wrap_recv(int fd, void *buf, size_t len, int flags)
{
	struct bfm_server *s = served;
	size_t left;

	if (s == NULL || fd != s->sock)
		return __real_recv(fd, buf, len, flags);
	left = s->feed.msg == NULL ? 0 : s->feed.msg->body_len - s->feed.at;
	if (len > left)
		len = left;
	if (len > 0)
		memcpy(buf, s->feed.msg->body + s->feed.at, len);
	s->feed.at += len;
	return (ssize_t)len;
}

/* -------------------------------------------------------------- the library */

int
bfm_feed_attach(struct bfm_server *s)
{
	int ret;

	served = s;
	s->feed.msg = &s->msg;
	ret = vfu_attach_ctx(s->ctx);
	s->feed.msg = NULL;
	served = NULL;
	return ret;
}

int
bfm_feed_run(struct bfm_server *s, struct bfm_msg *msg)
{
	int ret;

	served = s;
	s->feed.msg = msg;
	s->in_message = true;
	ret = vfu_run_ctx(s->ctx);
	s->in_message = false;
	s->in_bar = false;
	s->feed.msg = NULL;
	served = NULL;
	return ret;
}

void
bfm_feed_end(struct bfm_server *s)
{
	served = s;
	s->feed.msg = NULL;
	(void)vfu_run_ctx(s->ctx);
	served = NULL;
}
