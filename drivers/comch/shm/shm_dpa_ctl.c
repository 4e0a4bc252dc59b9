/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The control socket of a program: what the host asks of it, and its answers. What the
 * requests mean is not known here.
 */

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "shm_dpa.h"

bool
shm_dpa_is_down(const struct shm_dpa *dpa)
{
	return __atomic_load_n(&dpa->down, __ATOMIC_RELAXED);
}

/* Engines call it too: it must not wait for a program that does not read. */
int
shm_dpa_send(struct shm_dpa *dpa, const struct shm_dpa_msg *msg, int fd)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} control = { 0 };
	struct iovec iov = { .iov_base = (void *)(uintptr_t)msg, .iov_len = sizeof(*msg) };
	struct msghdr hdr = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg = &control.hdr;
	ssize_t n;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	if (fd >= 0) {
		hdr.msg_control = &control;
		hdr.msg_controllen = sizeof(control);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(int));
	}
	do {
		n = sendmsg(dpa->sock, &hdr, MSG_DONTWAIT | MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*msg) ? 0 : -EIO;
}
