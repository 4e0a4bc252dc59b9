/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A message of a client is received and looked at here before libvfio-user gets it.
 * The library reads what it expects and waits for the rest, and it trusts fields
 * that a careless client gets wrong: so it only runs when the whole message has
 * arrived, and messages that it would not survive are refused in its place. No
 * message is acted on in this file.
 *
 * Descriptors belong to the message whose bytes they came with. A stream has no
 * other mark, so no receive asks for more than is left of one message: it would
 * bring the descriptors of the next one along. That holds for a peek too.
 *
 * What the library leaves unchecked, each refused by bfm_msg_check():
 *   - DMA_MAP of a range that is mapped already leaves the descriptor open, and
 *     is answered with success where the protocol says EEXIST;
 *   - DMA_MAP of an empty range, or one that wraps;
 *   - DMA_UNMAP shorter than its fixed part is read beyond its end;
 *   - SET_IRQS with start + count beyond 32 bits closes descriptors at random;
 *   - a reply or a read of a megabyte blocks until the client takes it.
 */

#include <errno.h>
#include <fcntl.h>
#include <json.h>
#include <linux/vfio.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "server.h"

/* Fixed parts of messages that are looked into. */
struct msg_dma_map {
	uint32_t argsz;
	uint32_t flags;
	uint64_t offset;
	uint64_t addr;
	uint64_t size;
};
_Static_assert(sizeof(struct msg_dma_map) == 32, "vfio-user DMA map");

struct msg_irq_set {
	uint32_t argsz;
	uint32_t flags;
	uint32_t index;
	uint32_t start;
	uint32_t count;
};
_Static_assert(sizeof(struct msg_irq_set) == 20, "vfio-user SET_IRQS");

struct msg_region {
	uint64_t offset;
	uint32_t region;
	uint32_t count;
};
_Static_assert(sizeof(struct msg_region) == 16, "vfio-user region access");

/* The kernel's own limit for one call, and what is read in one go of a message. */
#define RECEIVE_FDS 253
#define RECEIVE_BYTES (1u << 18)

void
bfm_msg_clear(struct bfm_msg *msg)
{
	uint32_t i;

	for (i = 0; i < msg->nb_fds; i++)
		close(msg->fds[i]);
	free(msg->body);
	memset(msg, 0, sizeof(*msg));
}

int
bfm_msg_copy_fds(const struct bfm_msg *msg, int *copies)
{
	uint32_t i;
	int ret;

	for (i = 0; i < msg->nb_fds; i++) {
		copies[i] = fcntl(msg->fds[i], F_DUPFD_CLOEXEC, 0);
		if (copies[i] >= 0)
			continue;
		ret = -errno;
		while (i-- > 0)
			close(copies[i]);
		return ret;
	}
	return 0;
}

/* Those that no message has a use for are closed at once. */
static void
take_fds(struct msghdr *mh, struct bfm_msg *msg)
{
	struct cmsghdr *cmsg;
	size_t i, nb;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(mh); cmsg != NULL; cmsg = CMSG_NXTHDR(mh, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nb = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nb; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (msg->nb_fds < BFM_MSG_FDS) {
				msg->fds[msg->nb_fds++] = fd;
			} else {
				msg->too_many_fds = true;
				close(fd);
			}
		}
	}
}

/* Bytes of this message and the descriptors that came with them; 0: none now. */
static ssize_t
receive(int sock, struct bfm_msg *msg, void *buf, size_t len)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(RECEIVE_FDS * sizeof(int))];
	} ctrl;
	struct iovec iov = { buf, len };
	struct msghdr mh = {
		.msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = ctrl.buf,
		.msg_controllen = sizeof(ctrl.buf),
	};
	ssize_t n;

	n = recvmsg(sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	take_fds(&mh, msg);
	if ((mh.msg_flags & MSG_CTRUNC) != 0)
		return -EMFILE;
	if (n == 0)
		return -ENOTCONN;
	msg->got += n;
	return n;
}

static ssize_t
receive_body(int sock, struct bfm_msg *msg)
{
	size_t left = msg->hdr.size - msg->got;
	char scratch[4096];

	if (msg->hdr.size <= BFM_MSG_MAX)
		return receive(sock, msg, msg->body + (msg->got - sizeof(msg->hdr)), left);
	/* it will be refused: nothing of it is kept */
	return receive(sock, msg, scratch, left < sizeof(scratch) ? left : sizeof(scratch));
}

int
bfm_msg_receive(int sock, struct bfm_msg *msg)
{
	uint32_t bytes = 0;
	ssize_t n;

	while (msg->got < sizeof(msg->hdr)) {
		n = receive(sock, msg, (uint8_t *)&msg->hdr + msg->got,
				sizeof(msg->hdr) - msg->got);
		if (n <= 0)
			return n;
	}
	if (msg->hdr.size < sizeof(msg->hdr))
		return -EPROTO;
	if (msg->body == NULL && msg->hdr.size <= BFM_MSG_MAX) {
		msg->body_len = msg->hdr.size - sizeof(msg->hdr);
		msg->body = malloc(msg->body_len + 1);
		if (msg->body == NULL)
			return -ENOMEM;
	}
	for (; msg->got < msg->hdr.size; bytes += n) {
		if (bytes >= RECEIVE_BYTES)
			return BFM_MSG_MORE;
		n = receive_body(sock, msg);
		if (n <= 0)
			return n;
	}
	return BFM_MSG_WHOLE;
}

static int
check_dma_map(const struct bfm_msg *msg, const struct bfm_dma *dma, char *err, size_t err_size)
{
	struct msg_dma_map map;

	if (msg->body_len < sizeof(map)) {
		snprintf(err, err_size, "DMA_MAP of %u bytes is cut short", msg->hdr.size);
		return EINVAL;
	}
	memcpy(&map, msg->body, sizeof(map));
	if (map.size == 0 || map.addr + (map.size - 1) < map.addr) {
		snprintf(err, err_size, "DMA_MAP of 0x%llx, 0x%llx bytes: no such range",
				(unsigned long long)map.addr, (unsigned long long)map.size);
		return EINVAL;
	}
	if (bfm_dma_overlaps(dma, map.addr, map.size)) {
		snprintf(err, err_size, "DMA_MAP of 0x%llx, 0x%llx bytes: mapped already, in "
				"part or all; unmap it first", (unsigned long long)map.addr,
				(unsigned long long)map.size);
		return EEXIST;
	}
	return 0;
}

static int
check_dma_unmap(const struct bfm_msg *msg, const struct bfm_dma *dma, char *err, size_t err_size)
{
	struct bfm_msg_dma_unmap unmap;
	uint64_t first, last, cut;
	bool all;

	if (msg->body_len < sizeof(unmap)) {
		snprintf(err, err_size, "DMA_UNMAP of %u bytes is cut short", msg->hdr.size);
		return EINVAL;
	}
	memcpy(&unmap, msg->body, sizeof(unmap));
	if ((unmap.flags & VFIO_DMA_UNMAP_FLAG_GET_DIRTY_BITMAP) != 0) {
		snprintf(err, err_size, "DMA_UNMAP asks for dirty pages: the device does not "
				"migrate");
		return ENOTSUP;
	}
	if ((unmap.flags & ~VFIO_DMA_UNMAP_FLAG_ALL) != 0 || unmap.argsz < sizeof(unmap)) {
		snprintf(err, err_size, "DMA_UNMAP with flags 0x%x and argsz %u: the flag of all "
				"is the only one, and a reply has %zu bytes", unmap.flags,
				unmap.argsz, sizeof(unmap));
		return EINVAL;
	}
	all = unmap.flags != 0;
	if (all ? unmap.addr != 0 || unmap.size != 0 :
			unmap.size == 0 || unmap.addr + (unmap.size - 1) < unmap.addr) {
		snprintf(err, err_size, "DMA_UNMAP of %s0x%llx, 0x%llx bytes: no such range",
				all ? "all and " : "", (unsigned long long)unmap.addr,
				(unsigned long long)unmap.size);
		return EINVAL;
	}
	bfm_unmap_range(&unmap, &first, &last);
	if (bfm_dma_cuts(dma, first, last, &cut)) {
		snprintf(err, err_size, "DMA_UNMAP of 0x%llx, 0x%llx bytes cuts the mapping of "
				"0x%llx; unmap all of it", (unsigned long long)unmap.addr,
				(unsigned long long)unmap.size, (unsigned long long)cut);
		return EINVAL;
	}
	return 0;
}

void
bfm_msg_irqs(const struct bfm_msg *msg, uint32_t vectors, struct bfm_msg_irqs *irqs)
{
	struct msg_irq_set set;
	uint32_t data;

	memset(irqs, 0, sizeof(*irqs));
	if (msg->hdr.cmd != BFM_MSG_SET_IRQS || msg->body_len < sizeof(set))
		return;
	memcpy(&set, msg->body, sizeof(set));
	if (set.index != VFIO_PCI_MSIX_IRQ_INDEX ||
			(set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER)
		return;
	data = set.flags & VFIO_IRQ_SET_DATA_TYPE_MASK;
	irqs->msix = true;
	irqs->start = set.start;
	irqs->count = set.count;
	if (set.count == 0) {
		irqs->clear = true;
		irqs->count = vectors - irqs->start;
	} else if (data == VFIO_IRQ_SET_DATA_EVENTFD) {
		irqs->set = msg->nb_fds > 0;
		irqs->clear = msg->nb_fds == 0;
	} else {
		irqs->trigger = true;
	}
}

static bool
is_eventfd(int fd)
{
	static const char want[] = "anon_inode:[eventfd]";
	char path[32], name[sizeof(want) + 1];
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	n = readlink(path, name, sizeof(name));
	return n == (ssize_t)sizeof(want) - 1 && memcmp(name, want, n) == 0;
}

static int
check_irqs(const struct bfm_msg *msg, uint32_t vectors, char *err, size_t err_size)
{
	struct msg_irq_set set;
	uint32_t i, nb;

	if (msg->body_len < sizeof(set)) {
		snprintf(err, err_size, "SET_IRQS of %u bytes is cut short", msg->hdr.size);
		return EINVAL;
	}
	memcpy(&set, msg->body, sizeof(set));
	nb = set.index == VFIO_PCI_MSIX_IRQ_INDEX ? vectors : 0;
	if (set.start >= nb || set.count > nb - set.start) {
		snprintf(err, err_size, "SET_IRQS of interrupts %u to %u of index %u: it has %u",
				set.start, set.start + set.count - 1, set.index, nb);
		return EINVAL;
	}
	if (msg->nb_fds != 0 && msg->nb_fds != set.count) {
		snprintf(err, err_size, "SET_IRQS of %u interrupts with %u descriptors",
				set.count, msg->nb_fds);
		return EINVAL;
	}
	for (i = 0; i < msg->nb_fds; i++) {
		/* a write to anything else might block */
		if (!is_eventfd(msg->fds[i])) {
			snprintf(err, err_size, "SET_IRQS: descriptor %u is no eventfd", i);
			return EINVAL;
		}
	}
	return 0;
}

static int
check_region(const struct bfm_msg *msg, char *err, size_t err_size)
{
	struct msg_region access;

	if (msg->body_len < sizeof(access)) {
		snprintf(err, err_size, "region access of %u bytes is cut short", msg->hdr.size);
		return EINVAL;
	}
	memcpy(&access, msg->body, sizeof(access));
	if (access.count > BFM_MSG_MAX / 2) {
		snprintf(err, err_size, "access to %u bytes of region %u: at most %u at a time",
				access.count, access.region, BFM_MSG_MAX / 2);
		return EINVAL;
	}
	return 0;
}

int
bfm_msg_check(const struct bfm_msg *msg, const struct bfm_dma *dma, uint32_t vectors, char *err,
		size_t err_size)
{
	uint32_t fds = 0;
	int ret = 0;

	if (msg->hdr.size > BFM_MSG_MAX) {
		snprintf(err, err_size, "message %u of %u bytes: at most %u", msg->hdr.cmd,
				msg->hdr.size, BFM_MSG_MAX);
		return EINVAL;
	}
	switch (msg->hdr.cmd) {
	case BFM_MSG_DMA_MAP:
		fds = 1;
		ret = check_dma_map(msg, dma, err, err_size);
		break;
	case BFM_MSG_DMA_UNMAP:
		ret = check_dma_unmap(msg, dma, err, err_size);
		break;
	case BFM_MSG_SET_IRQS:
		fds = vectors;
		ret = check_irqs(msg, vectors, err, err_size);
		break;
	case BFM_MSG_REGION_READ:
	case BFM_MSG_REGION_WRITE:
		ret = check_region(msg, err, err_size);
		break;
	}
	if (ret == 0 && (msg->nb_fds > fds || msg->too_many_fds)) {
		snprintf(err, err_size, "message %u comes with %u descriptors%s, and has a use "
				"for %u", msg->hdr.cmd, msg->nb_fds,
				msg->too_many_fds ? " or more" : "", fds);
		ret = EINVAL;
	}
	return ret;
}

int
bfm_msg_xfer_size(const char *json, size_t len, uint32_t *size)
{
	struct json_object *top, *caps, *value;
	int64_t number;
	int ret = 0;

	*size = 1u << 20; /* the protocol's default */
	if (len == 0)
		return 0;
	if (json[len - 1] != '\0')
		return -EINVAL;
	top = json_tokener_parse(json);
	if (top == NULL)
		return -EINVAL;
	if (json_object_object_get_ex(top, "capabilities", &caps) &&
			json_object_object_get_ex(caps, "max_data_xfer_size", &value)) {
		number = json_object_get_int64(value);
		if (number < 1 || number > INT32_MAX)
			ret = -EINVAL;
		else
			*size = number;
	}
	json_object_put(top);
	return ret;
}

static int
send_reply(int sock, const struct bfm_msg_hdr *reply, const void *body, size_t len)
{
	struct iovec iov[2] = {
		{ (void *)(uintptr_t)reply, sizeof(*reply) },
		{ (void *)(uintptr_t)body, len },
	};
	struct msghdr mh = { .msg_iov = iov, .msg_iovlen = 2 };

	if (sendmsg(sock, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) != (ssize_t)(sizeof(*reply) + len))
		return -EPIPE;
	return 0;
}

int
bfm_msg_reply(int sock, const struct bfm_msg_hdr *hdr, const void *body, size_t len)
{
	struct bfm_msg_hdr reply = {
		.id = hdr->id,
		.cmd = hdr->cmd,
		.size = sizeof(reply) + len,
		.flags = BFM_MSG_REPLY,
	};

	return (hdr->flags & BFM_MSG_NO_REPLY) != 0 ? 0 : send_reply(sock, &reply, body, len);
}

int
bfm_msg_refuse(int sock, const struct bfm_msg_hdr *hdr, int error)
{
	struct bfm_msg_hdr reply = {
		.id = hdr->id,
		.cmd = hdr->cmd,
		.size = sizeof(reply),
		.flags = BFM_MSG_REPLY | BFM_MSG_ERROR,
		.error = error,
	};

	return (hdr->flags & BFM_MSG_NO_REPLY) != 0 ? 0 : send_reply(sock, &reply, NULL, 0);
}
