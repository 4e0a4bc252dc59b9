/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages to and from a vfio-user server. Every request waits for its reply: an
 * access is never posted, so none can overtake another. While it waits it serves
 * what the server asks, or both would wait forever.
 *
 * Whatever breaks the protocol or the time limit ends the connection for good:
 * from then on all requests fail at once.
 */

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include "link.h"

static int64_t
link_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void
link_lose(struct link *l, const char *why)
{
	if (l->fd < 0)
		return;
	l->why = why;
	l->lost(l);
	link_close(l);
}

static bool
link_wait(struct link *l, short events, int64_t deadline)
{
	struct pollfd p = { .fd = l->fd, .events = events };
	int64_t left;
	int n;

	for (;;) {
		left = deadline - link_now();
		if (left <= 0)
			return false;
		n = poll(&p, 1, left < 1000 ? left : 1000);
		if (n > 0)
			return true;
		if (n < 0 && errno != EINTR)
			return true; /* the call that follows says why */
	}
}

static bool
link_receive(struct link *l, void *buf, size_t len, int64_t deadline)
{
	uint8_t *p = buf;
	ssize_t n;

	while (len > 0) {
		/* Without room for them, the kernel closes descriptors that come along. */
		n = recv(l->fd, p, len, MSG_DONTWAIT);
		if (n > 0) {
			p += n;
			len -= n;
		} else if (n == 0) {
			link_lose(l, "it closed the connection");
			return false;
		} else if (errno == EAGAIN || errno == EINTR) {
			if (!link_wait(l, POLLIN, deadline)) {
				link_lose(l, "it does not answer in time");
				return false;
			}
		} else {
			link_lose(l, strerror(errno));
			return false;
		}
	}
	return true;
}

/* The array is used up. */
static bool
link_send(struct link *l, struct iovec *iov, unsigned int nb_iov, const int *fds,
		unsigned int nb_fds, int64_t deadline)
{
	union {
		struct cmsghdr align;
		char buf[CMSG_SPACE(LINK_MAX_FDS * sizeof(int))];
	} control;
	struct msghdr mh = { .msg_iov = iov, .msg_iovlen = nb_iov };
	struct cmsghdr *cm;
	ssize_t n;

	if (nb_fds > 0) {
		memset(&control, 0, sizeof(control));
		mh.msg_control = control.buf;
		mh.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		cm = CMSG_FIRSTHDR(&mh);
		cm->cmsg_level = SOL_SOCKET;
		cm->cmsg_type = SCM_RIGHTS;
		cm->cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(cm), fds, nb_fds * sizeof(int));
	}
	while (mh.msg_iovlen > 0) {
		n = sendmsg(l->fd, &mh, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR)) {
			if (!link_wait(l, POLLOUT, deadline)) {
				link_lose(l, "it does not read in time");
				return false;
			}
			continue;
		}
		if (n < 0) {
			link_lose(l, strerror(errno));
			return false;
		}
		mh.msg_control = NULL;
		mh.msg_controllen = 0;
		while (mh.msg_iovlen > 0 && (size_t)n >= mh.msg_iov->iov_len) {
			n -= mh.msg_iov->iov_len;
			mh.msg_iov++;
			mh.msg_iovlen--;
		}
		if (mh.msg_iovlen > 0) {
			mh.msg_iov->iov_base = (uint8_t *)mh.msg_iov->iov_base + n;
			mh.msg_iov->iov_len -= n;
		}
	}
	return true;
}

/* A command of the server. */
static bool
link_serve(struct link *l, const struct vfio_user_hdr *h, int64_t deadline)
{
	struct vfio_user_hdr reply = { .id = h->id, .cmd = h->cmd, .flags = VFIO_USER_TYPE_REPLY };
	struct vfio_user_dma_access access = { 0 };
	struct iovec iov[3] = { LINK_PIECE(&reply, sizeof(reply)),
		LINK_PIECE(&access, sizeof(access)) };
	size_t len = h->size - sizeof(*h);
	unsigned int nb_iov = 1;
	uint8_t *data;
	bool ok;

	if (len > sizeof(access) + LINK_MAX_XFER) {
		link_lose(l, "it sent a message that is too long");
		return false;
	}
	data = malloc(sizeof(access) + LINK_MAX_XFER);
	if (data == NULL) {
		link_lose(l, "out of memory");
		return false;
	}
	ok = link_receive(l, data, len, deadline);
	if (!ok)
		goto out;
	reply.error = EINVAL;
	if (len >= sizeof(access)) {
		memcpy(&access, data, sizeof(access));
		len -= sizeof(access);
		if (h->cmd == VFIO_USER_CMD_DMA_READ && len == 0 && access.count > 0 &&
				access.count <= LINK_MAX_XFER) {
			reply.error = l->dma(l, false, access.addr, data, access.count);
			iov[2] = (struct iovec)LINK_PIECE(data, access.count);
			nb_iov = 3;
		} else if (h->cmd == VFIO_USER_CMD_DMA_WRITE && len > 0 && access.count == len) {
			reply.error = l->dma(l, true, access.addr, data + sizeof(access), len);
			nb_iov = 2;
		}
	}
	if (reply.error != 0) {
		reply.flags |= VFIO_USER_F_ERROR;
		nb_iov = 1;
	}
	reply.size = sizeof(reply) + (nb_iov > 1 ? sizeof(access) : 0) +
			(nb_iov > 2 ? access.count : 0);
	if (!(h->flags & VFIO_USER_F_NO_REPLY))
		ok = link_send(l, iov, nb_iov, NULL, 0, deadline);
out:
	free(data);
	return ok;
}

/* The next message: a command is served (1), a reply's header is returned (0). */
static int
link_next(struct link *l, struct vfio_user_hdr *h, int64_t deadline)
{
	if (!link_receive(l, h, sizeof(*h), deadline))
		return -ECONNRESET;
	if (h->size < sizeof(*h) || VFIO_USER_TYPE(h->flags) > VFIO_USER_TYPE_REPLY) {
		link_lose(l, "it sent a message that is none of vfio-user");
		return -ECONNRESET;
	}
	if (VFIO_USER_TYPE(h->flags) == VFIO_USER_TYPE_REPLY)
		return 0;
	return link_serve(l, h, deadline) ? 1 : -ECONNRESET;
}

int
link_request(struct link *l, uint16_t cmd, const struct iovec *payload, unsigned int nb_payload,
		const int *fds, unsigned int nb_fds, void *reply, size_t min, size_t max)
{
	struct vfio_user_hdr h = { .id = l->next_id++, .cmd = cmd, .flags = VFIO_USER_TYPE_COMMAND };
	struct iovec iov[1 + LINK_MAX_IOV] = { LINK_PIECE(&h, sizeof(h)) };
	uint16_t id = h.id;
	int64_t deadline;
	unsigned int i;
	size_t len;
	int ret;

	assert(nb_payload <= LINK_MAX_IOV && nb_fds <= LINK_MAX_FDS);
	if (l->fd < 0)
		return -ECONNRESET;
	/* DMA that a server asked for has hit registers of its own function. */
	if (l->busy)
		return -EBUSY;
	h.size = sizeof(h);
	for (i = 0; i < nb_payload; i++) {
		iov[1 + i] = payload[i];
		h.size += payload[i].iov_len;
	}
	l->busy = true;
	deadline = link_now() + l->timeout_ms;
	ret = -ECONNRESET;
	if (!link_send(l, iov, 1 + nb_payload, fds, nb_fds, deadline))
		goto out;
	do {
		ret = link_next(l, &h, deadline);
	} while (ret > 0);
	if (ret < 0)
		goto out;

	len = h.size - sizeof(h);
	ret = -ECONNRESET;
	if (h.id != id || h.cmd != cmd) {
		link_lose(l, "it answered what was not asked");
	} else if (h.flags & VFIO_USER_F_ERROR) {
		if (len != 0)
			link_lose(l, "it sent an error with data");
		else
			ret = h.error > 0 && h.error < 4096 ? -(int)h.error : -EINVAL;
	} else if (len < min || len > max) {
		link_lose(l, "it sent a reply of the wrong length");
	} else if (link_receive(l, reply, len, deadline)) {
		ret = 0;
	}
out:
	l->busy = false;
	return ret;
}

void
link_readable(struct link *l)
{
	struct pollfd p = { .fd = l->fd, .events = POLLIN };
	struct vfio_user_hdr h;

	/* Somebody who waited for a reply may have taken the message already. */
	if (l->fd < 0 || l->busy || poll(&p, 1, 0) <= 0)
		return;
	l->busy = true;
	if (link_next(l, &h, link_now() + l->timeout_ms) == 0)
		link_lose(l, "it answered what was not asked");
	l->busy = false;
}

int
link_read(struct link *l, uint32_t region, uint64_t offset, void *data, uint32_t len)
{
	struct vfio_user_region_access access = { offset, region, len };
	struct iovec iov = LINK_PIECE(&access, sizeof(access));
	uint8_t reply[sizeof(access) + 8];
	int ret;

	assert(len <= 8);
	ret = link_request(l, VFIO_USER_CMD_REGION_READ, &iov, 1, NULL, 0, reply, sizeof(access) + len,
			sizeof(access) + len);
	if (ret < 0)
		return ret;
	if (memcmp(reply, &access, sizeof(access)) != 0) {
		link_lose(l, "it answered a read with another");
		return -ECONNRESET;
	}
	memcpy(data, reply + sizeof(access), len);
	return 0;
}

int
link_write(struct link *l, uint32_t region, uint64_t offset, const void *data, uint32_t len)
{
	struct vfio_user_region_access access = { offset, region, len };
	struct iovec iov[2] = { LINK_PIECE(&access, sizeof(access)), LINK_PIECE(data, len) };
	struct vfio_user_region_access reply;
	int ret;

	ret = link_request(l, VFIO_USER_CMD_REGION_WRITE, iov, 2, NULL, 0, &reply, sizeof(reply),
			sizeof(reply));
	if (ret == 0 && memcmp(&reply, &access, sizeof(access)) != 0) {
		link_lose(l, "it answered a write with another");
		ret = -ECONNRESET;
	}
	return ret;
}

int
link_open(struct link *l, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	l->fd = -1;
	l->busy = false;
	l->next_id = 0;
	l->why = NULL;
	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	l->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (l->fd < 0)
		return -errno;
	if (connect(l->fd, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		int err = errno;

		link_close(l);
		return -err;
	}
	return 0;
}

void
link_close(struct link *l)
{
	if (l->fd >= 0)
		close(l->fd);
	l->fd = -1;
}
