/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Requests to a vfio-user server and their answers: the socket, the handshake,
 * time limits, and every check of what the server sends, from a private copy. A
 * server that breaks the protocol or misses a limit is given up for good: after
 * that, nothing on the stream has a meaning any more.
 *
 * Requests of the server (DMA by message) are served while we wait for an answer.
 * It has descriptors for all memory and so no reason to send any, but the
 * protocol makes a client support them all the same.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "bluefield_hw.h"
#include "vfu_link.h"

#define VFU_MAX_ERRNO 4095

/* JSON that we send: what we are able to take. */
#define VFU_JSON_XFER 4096
#define VFU_JSON_FDS 8
static const char vfu_json[] = "{\"capabilities\":{"
	"\"" VFIO_USER_CAP_MAX_FDS "\":" RTE_STR(VFU_JSON_FDS) ","
	"\"" VFIO_USER_CAP_MAX_XFER "\":" RTE_STR(VFU_JSON_XFER) "}}";

_Static_assert(VFU_JSON_XFER == VFU_MAX_XFER && VFU_JSON_FDS == VFU_MAX_FDS, "JSON");

bool
vfu_link_is_gone(const struct vfu_link *link)
{
	/* relaxed: it orders nothing, whoever misses it meets the closed socket */
	return __atomic_load_n(&link->gone, __ATOMIC_RELAXED);
}

void
vfu_link_lost(struct vfu_link *link, const char *why)
{
	if (__atomic_exchange_n(&link->gone, true, __ATOMIC_RELAXED))
		return;
	shutdown(link->sock, SHUT_RDWR);
	link->why = why;
	if (!link->quiet)
		BF_LOG(ERR, "%s: the vfio-user server is lost: %s; look at its log, start it again, then remove the device and probe it again",
			link->name, why);
}

static void
fds_drop(struct vfu_link *link)
{
	while (link->nb_fds > 0)
		close(link->fds[--link->nb_fds]);
}

/* Sleep until the socket is ready. 0, or -ETIMEDOUT. */
static int
link_wait(struct vfu_link *link, short events, uint64_t deadline)
{
	struct pollfd pfd = { .fd = link->sock, .events = events };
	uint64_t now;
	int ret;

	for (now = bf_now_ms(); now < deadline; now = bf_now_ms()) {
		ret = poll(&pfd, 1, RTE_MIN(deadline - now, (uint64_t)INT32_MAX));
		if (ret > 0)
			return 0;
		if (ret < 0 && errno != EINTR)
			return -errno;
	}
	return -ETIMEDOUT;
}

/* All of iov, with the descriptors at its beginning: servers count on that. */
static int
link_send(struct vfu_link *link, struct iovec *iov, uint32_t nb_iov, const int *fds,
		uint32_t nb_fds, uint64_t deadline)
{
	union {
		char buf[CMSG_SPACE(VFU_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} ctrl = { .buf = { 0 } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = nb_iov };
	struct cmsghdr *cmsg;
	ssize_t sent;
	int ret;

	if (nb_fds > 0) {
		msg.msg_control = ctrl.buf;
		msg.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nb_fds * sizeof(int));
	}
	while (msg.msg_iovlen > 0) {
		sent = sendmsg(link->sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
			ret = link_wait(link, POLLOUT, deadline);
			if (ret != 0)
				return ret;
			continue;
		}
		if (sent < 0)
			return -errno;
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
		while (msg.msg_iovlen > 0 && (size_t)sent >= msg.msg_iov->iov_len) {
			sent -= msg.msg_iov->iov_len;
			msg.msg_iov++;
			msg.msg_iovlen--;
		}
		if (msg.msg_iovlen > 0) {
			msg.msg_iov->iov_base = RTE_PTR_ADD(msg.msg_iov->iov_base, sent);
			msg.msg_iov->iov_len -= sent;
		}
	}
	return 0;
}

/* Keep the descriptors that came; there is room for what one message may have. */
static int
fds_take(struct vfu_link *link, struct msghdr *msg)
{
	struct cmsghdr *cmsg;
	uint32_t i, nb;
	int fd;

	for (cmsg = CMSG_FIRSTHDR(msg); cmsg != NULL; cmsg = CMSG_NXTHDR(msg, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		nb = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		for (i = 0; i < nb; i++) {
			memcpy(&fd, CMSG_DATA(cmsg) + i * sizeof(int), sizeof(fd));
			if (link->nb_fds < VFU_MAX_FDS)
				link->fds[link->nb_fds++] = fd;
			else
				close(fd);
		}
	}
	return (msg->msg_flags & MSG_CTRUNC) != 0 ? -EPROTO : 0;
}

/* Exactly len bytes, and the descriptors with them. */
static int
link_recv(struct vfu_link *link, void *buf, uint32_t len, uint64_t deadline)
{
	union {
		char buf[CMSG_SPACE(VFU_MAX_FDS * sizeof(int))];
		struct cmsghdr align;
	} ctrl;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg;
	ssize_t got;
	int ret;

	while (iov.iov_len > 0) {
		memset(&msg, 0, sizeof(msg));
		msg.msg_iov = &iov;
		msg.msg_iovlen = 1;
		msg.msg_control = ctrl.buf;
		msg.msg_controllen = sizeof(ctrl.buf);
		got = recvmsg(link->sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
			ret = link_wait(link, POLLIN, deadline);
			if (ret != 0)
				return ret;
			continue;
		}
		if (got < 0)
			return -errno;
		ret = fds_take(link, &msg);
		if (ret != 0)
			return ret;
		if (got == 0)
			return -EPIPE;
		iov.iov_base = RTE_PTR_ADD(iov.iov_base, got);
		iov.iov_len -= got;
	}
	return 0;
}

static const struct vfu_region *
region_find(const struct vfu_link *link, uint64_t addr, uint64_t len)
{
	const struct vfu_region *region;
	uint32_t i;

	for (i = 0; i < link->nb_regions; i++) {
		region = &link->regions[i];
		if (addr >= region->addr && addr - region->addr <= region->len &&
				len <= region->len - (addr - region->addr))
			return region;
	}
	return NULL;
}

/*
 * A request of the server: hdr is checked, its body of len bytes is here. Only
 * memory that it was given is touched.
 */
static int
serve(struct vfu_link *link, const struct vfio_user_hdr *hdr, uint32_t len, uint64_t deadline)
{
	struct vfio_user_dma_access access = { 0 };
	struct vfio_user_hdr reply = { .id = hdr->id, .cmd = hdr->cmd };
	struct iovec iov[3];
	uint32_t nb_iov = 1, i;
	void *mem = NULL;
	bool dma_write = hdr->cmd == VFIO_USER_CMD_DMA_WRITE;

	if (len >= sizeof(access))
		memcpy(&access, link->body, sizeof(access));
	if ((!dma_write && hdr->cmd != VFIO_USER_CMD_DMA_READ) || len < sizeof(access) ||
			access.count > VFU_MAX_XFER ||
			len - sizeof(access) != (dma_write ? access.count : 0))
		reply.error = EINVAL;
	else if (region_find(link, access.addr, access.count) == NULL)
		reply.error = EFAULT;
	else
		mem = (void *)(uintptr_t)access.addr;
	if (mem != NULL && dma_write)
		memcpy(mem, link->body + sizeof(access), access.count);
	if ((hdr->flags & VFIO_USER_F_NO_REPLY) != 0)
		return 0;
	reply.flags = VFIO_USER_TYPE_REPLY | (reply.error != 0 ? VFIO_USER_F_ERROR : 0);
	iov[0] = (struct iovec){ .iov_base = &reply, .iov_len = sizeof(reply) };
	if (reply.error == 0) {
		iov[nb_iov++] = (struct iovec){ .iov_base = &access, .iov_len = sizeof(access) };
		if (!dma_write)
			iov[nb_iov++] = (struct iovec){ .iov_base = mem, .iov_len = access.count };
	}
	for (i = 0; i < nb_iov; i++)
		reply.size += iov[i].iov_len;
	return link_send(link, iov, nb_iov, NULL, 0, deadline);
}

/* Is hdr the answer to this? Why not, if not. */
static const char *
reply_check(const struct vfio_user_hdr *hdr, uint16_t id, const struct vfu_call *call)
{
	uint32_t len = hdr->size - sizeof(*hdr);

	if (hdr->id != id || hdr->cmd != call->cmd)
		return "it answers what was not asked";
	if ((hdr->flags & VFIO_USER_F_ERROR) != 0)
		return NULL;
	if (len < call->reply_min || len > call->reply_max)
		return "an answer has the wrong length";
	return NULL;
}

/* Messages until the answer is there. Returns why the link is over, or NULL. */
static const char *
await_reply(struct vfu_link *link, uint16_t id, struct vfu_call *call, uint64_t deadline,
		int *error)
{
	struct vfio_user_hdr hdr;
	const char *why;
	uint32_t len;
	int ret;

	for (;;) {
		ret = link_recv(link, &hdr, sizeof(hdr), deadline);
		if (ret == 0 && (hdr.size < sizeof(hdr) ||
				hdr.size > sizeof(hdr) + sizeof(link->body)))
			return "a message has an impossible length";
		len = ret == 0 ? hdr.size - sizeof(hdr) : 0;
		if (ret == 0)
			ret = link_recv(link, link->body, len, deadline);
		if (ret == -ETIMEDOUT)
			return "no answer within the time limit";
		if (ret == -EPROTO)
			return "a message has too many descriptors, or this process may not open as many (ulimit -n)";
		if (ret == -EPIPE || ret == -ECONNRESET)
			return "it closed the connection";
		if (ret != 0)
			return strerror(-ret);
		if (VFIO_USER_TYPE(hdr.flags) == VFIO_USER_TYPE_REPLY)
			break;
		if (VFIO_USER_TYPE(hdr.flags) != VFIO_USER_TYPE_COMMAND)
			return "a message is neither request nor answer";
		fds_drop(link);
		ret = serve(link, &hdr, len, deadline);
		if (ret != 0)
			return "it does not take the answer to its request";
		/* nobody waits for the socket while there is always something on it */
		if (bf_now_ms() >= deadline)
			return "it sends requests, and no answer within the time limit";
	}
	why = reply_check(&hdr, id, call);
	if (why != NULL)
		return why;
	if ((hdr.flags & VFIO_USER_F_ERROR) != 0) {
		/* ENODEV is ours, for a link that is lost */
		*error = hdr.error == 0 || hdr.error > VFU_MAX_ERRNO || hdr.error == ENODEV ?
			-EIO : -(int)hdr.error;
		return NULL;
	}
	*error = 0;
	call->reply_len = len;
	if (len > 0)
		memcpy(call->reply, link->body, len);
	return NULL;
}

int
vfu_link_call(struct vfu_link *link, struct vfu_call *call)
{
	struct vfio_user_hdr hdr = { .cmd = call->cmd, .flags = VFIO_USER_TYPE_COMMAND };
	struct iovec iov[3] = {
		{ .iov_base = &hdr, .iov_len = sizeof(hdr) },
		/* not written to: the type has no const */
		{ .iov_base = (void *)(uintptr_t)call->head, .iov_len = call->head_len },
		{ .iov_base = (void *)(uintptr_t)call->data, .iov_len = call->data_len },
	};
	const int *fds = call->fds_out != NULL ? call->fds_out : &call->fd;
	uint32_t nb_fds = call->fds_out != NULL ? call->nb_fds_out : call->fd >= 0;
	const char *why = NULL;
	uint64_t deadline;
	int error = -EIO;
	int ret;

	hdr.size = sizeof(hdr) + call->head_len + call->data_len;
	call->reply_len = 0;
	call->nb_fds = 0;
	if (nb_fds > VFU_MAX_FDS)
		return -EINVAL;
	bf_lock(&link->lock);
	if (vfu_link_is_gone(link)) {
		bf_unlock(&link->lock);
		return -ENODEV;
	}
	/* from now on: others have had the server busy until now */
	deadline = bf_now_ms() + call->timeout_ms;
	hdr.id = link->next_id++;
	ret = link_send(link, iov, RTE_DIM(iov), fds, nb_fds, deadline);
	if (ret == -ETIMEDOUT)
		why = "it takes no more requests";
	else if (ret != 0)
		why = "it closed the connection";
	else
		why = await_reply(link, hdr.id, call, deadline, &error);
	if (why != NULL) {
		vfu_link_lost(link, why);
		error = -ENODEV;
	}
	if (error == 0 && call->fds != NULL) {
		memcpy(call->fds, link->fds, link->nb_fds * sizeof(int));
		call->nb_fds = link->nb_fds;
		link->nb_fds = 0;
	}
	fds_drop(link);
	bf_unlock(&link->lock);
	return error;
}

int
vfu_link_region_add(struct vfu_link *link, uint64_t addr, uint64_t len)
{
	struct vfu_region *regions = NULL;
	uint32_t room;
	int ret = 0;

	bf_lock(&link->lock);
	if (link->nb_regions == link->room) {
		room = 2 * link->room + 16;
		regions = realloc(link->regions, room * sizeof(*regions));
		if (regions != NULL) {
			link->regions = regions;
			link->room = room;
		} else {
			ret = -ENOMEM;
		}
	}
	if (ret == 0) {
		link->regions[link->nb_regions].addr = addr;
		link->regions[link->nb_regions++].len = len;
	}
	bf_unlock(&link->lock);
	return ret;
}

void
vfu_link_region_del(struct vfu_link *link, uint64_t addr)
{
	uint32_t i;

	bf_lock(&link->lock);
	for (i = 0; i < link->nb_regions; i++) {
		if (link->regions[i].addr == addr) {
			link->regions[i] = link->regions[--link->nb_regions];
			break;
		}
	}
	bf_unlock(&link->lock);
}

/*
 * A number in the server's JSON. The few names that matter stand there once, so
 * that a search will do; what is odd is refused by the limits of the caller.
 */
static uint64_t
json_number(const char *text, const char *key, uint64_t missing)
{
	char quoted[32];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\"", key);
	at = strstr(text, quoted);
	if (at == NULL)
		return missing;
	at += strlen(quoted);
	at += strspn(at, " \t\r\n");
	if (*at++ != ':')
		return 0;
	at += strspn(at, " \t\r\n");
	return *at >= '0' && *at <= '9' ? strtoull(at, NULL, 10) : 0;
}

static int
negotiate(struct vfu_link *link, uint32_t timeout_ms)
{
	struct vfio_user_version ours = { .major = VFIO_USER_MAJOR, .minor = VFIO_USER_MINOR };
	struct vfio_user_version theirs;
	char reply[1024];
	struct vfu_call call = {
		.cmd = VFIO_USER_CMD_VERSION,
		.head = &ours,
		.head_len = sizeof(ours),
		.data = vfu_json,
		.data_len = sizeof(vfu_json),
		.fd = -1,
		.timeout_ms = timeout_ms,
		.reply = reply,
		.reply_min = sizeof(theirs),
		.reply_max = sizeof(reply) - 1,
	};
	uint64_t fds, xfer;
	int ret;

	ret = vfu_link_call(link, &call);
	if (ret != 0)
		return ret;
	reply[call.reply_len] = '\0';
	memcpy(&theirs, reply, sizeof(theirs));
	if (theirs.major != VFIO_USER_MAJOR || theirs.minor > VFIO_USER_MINOR) {
		BF_LOG(ERR, "%s: the vfio-user server wants version %u.%u, this driver speaks %u.%u: take a server that does",
			link->name, theirs.major, theirs.minor, VFIO_USER_MAJOR, VFIO_USER_MINOR);
		return -EPROTONOSUPPORT;
	}
	fds = json_number(reply + sizeof(theirs), VFIO_USER_CAP_MAX_FDS, VFIO_USER_DFLT_MAX_FDS);
	xfer = json_number(reply + sizeof(theirs), VFIO_USER_CAP_MAX_XFER,
			VFIO_USER_DFLT_MAX_XFER);
	if (fds < 1 || xfer < sizeof(uint64_t)) {
		BF_LOG(ERR, "%s: the vfio-user server takes %" PRIu64 " descriptors and %" PRIu64
			" bytes in a message, 1 and %zu are needed: take another server",
			link->name, fds, xfer, sizeof(uint64_t));
		return -EPROTO;
	}
	link->max_fds = RTE_MIN(fds, (uint64_t)VFU_MAX_FDS);
	return 0;
}

static int
link_connect(struct vfu_link *link, const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const char *todo = "";
	int ret = 0;

	if (strlcpy(addr.sun_path, path, sizeof(addr.sun_path)) >= sizeof(addr.sun_path)) {
		BF_LOG(ERR, "%s: socket %s: the path has more than %zu bytes, take a shorter one",
			link->name, path, sizeof(addr.sun_path) - 1);
		return -ENAMETOOLONG;
	}
	link->sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (link->sock < 0)
		ret = -errno;
	else if (connect(link->sock, (struct sockaddr *)&addr, sizeof(addr)) != 0)
		ret = -errno;
	if (ret == 0)
		return 0;
	if (ret == -ENOENT || ret == -ECONNREFUSED)
		todo = ": nobody listens there, start the server (comch-bluefield-model) first";
	else if (ret == -EACCES || ret == -EPERM)
		todo = ": this user may not, see the mode and owner of the socket and its folders";
	else if (ret == -EMFILE)
		todo = ": raise the limit of open files (ulimit -n)";
	else if (ret == -EAGAIN)
		todo = ": the server has a client and another one waits; a function serves one process, end the other";
	BF_LOG(ERR, "%s: cannot connect to %s: %s%s", link->name, path, strerror(-ret), todo);
	return ret == -EAGAIN ? -EBUSY : ret;
}

int
vfu_link_open(struct vfu_link *link, const char *name, const char *path, uint32_t timeout_ms)
{
	int ret;

	memset(link, 0, sizeof(*link));
	link->name = name;
	link->sock = -1;
	bf_lock_init(&link->lock);
	ret = link_connect(link, path);
	if (ret == 0) {
		link->quiet = true;
		ret = negotiate(link, timeout_ms);
		link->quiet = false;
		if (ret == -ENODEV) {
			/* that is how servers turn a second client away, and how they hang */
			BF_LOG(ERR, "%s: no handshake with the server at %s: %s; most likely another process has the function: end that one first; or else it is unplugged, or the server hangs or is none of vfio-user: see its log",
				name, path, link->why);
			ret = -EBUSY;
		} else if (ret < 0 && ret != -EPROTO && ret != -EPROTONOSUPPORT) {
			BF_LOG(ERR, "%s: the server at %s refuses the handshake: %s; see its log",
				name, path, strerror(-ret));
		}
	}
	if (ret != 0)
		vfu_link_close(link);
	return ret;
}

void
vfu_link_close(struct vfu_link *link)
{
	if (link->sock >= 0)
		close(link->sock);
	link->sock = -1;
	free(link->regions);
	link->regions = NULL;
	bf_lock_fini(&link->lock);
}
