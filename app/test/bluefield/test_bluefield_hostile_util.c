/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The socket of the hostile server: messages in, messages out, and what a rule does
 * to them. The device behind it is in test_bluefield_hostile_dev.c.
 */

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_bus_vdev.h>

#include "test_bluefield_hostile_dev.h"
#include "test_comch_util.h"

/* A flood ends by itself, should nobody end it. */
#define FLOOD_NS 5000000000ull
/* So many at once, that there is always one more than was read. */
#define FLOOD_BATCH 256

int
hostile_vfu_init(struct hostile_vfu *e)
{
	memset(e, 0, sizeof(*e));
	pthread_mutex_init(&e->lock, NULL);
	e->listen_fd = e->stop_fd = e->sock = e->irq_fd = e->page_fd = -1;
	e->boot_pages = 8;
	e->init_pages = 8;
	TEST_EXPECT(test_rendezvous_create(e->dir, sizeof(e->dir)), 0);
	snprintf(e->path, sizeof(e->path), "%s/hostile", e->dir);
	return TEST_SUCCESS;
}

int
hostile_vfu_file(uint64_t size, int seals)
{
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)size) != 0 || (seals != 0 &&
			fcntl(fd, F_ADD_SEALS, seals) != 0)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* The end was asked for. */
static bool
is_over(const struct hostile_vfu *e)
{
	struct pollfd pfd = { .fd = e->stop_fd, .events = POLLIN };

	return poll(&pfd, 1, 0) != 0;
}

static int
wait_sock(struct hostile_vfu *e, short events, int ms)
{
	struct pollfd pfd[2] = {
		{ .fd = e->sock, .events = events },
		{ .fd = e->stop_fd, .events = POLLIN },
	};
	int ret = poll(pfd, 2, ms);

	if (ret < 0 || pfd[1].revents != 0)
		return -1;
	return pfd[0].revents != 0 ? 1 : 0;
}

static int
send_bytes(struct hostile_vfu *e, const void *buf, size_t len, const int *fds, uint32_t nb_fds)
{
	union {
		char buf[CMSG_SPACE(HOSTILE_FDS * sizeof(int))];
		struct cmsghdr align;
	} ctrl;
	struct iovec iov = { .iov_base = (void *)(uintptr_t)buf, .iov_len = len };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;
	ssize_t n;

	if (nb_fds > 0) {
		memset(&ctrl, 0, sizeof(ctrl));
		msg.msg_control = ctrl.buf;
		msg.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&msg);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nb_fds * sizeof(int));
	}
	while (iov.iov_len > 0) {
		n = sendmsg(e->sock, &msg, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EAGAIN) {
			if (wait_sock(e, POLLOUT, 1000) <= 0)
				return -1;
			continue;
		}
		if (n < 0)
			return -1;
		msg.msg_control = NULL;
		msg.msg_controllen = 0;
		iov.iov_base = RTE_PTR_ADD(iov.iov_base, n);
		iov.iov_len -= (size_t)n;
	}
	return 0;
}

static int
recv_bytes(struct hostile_vfu *e, void *buf, size_t len, struct hostile_msg *m)
{
	union {
		char buf[CMSG_SPACE(HOSTILE_FDS * sizeof(int))];
		struct cmsghdr align;
	} ctrl;
	struct iovec iov = { .iov_base = buf, .iov_len = len };
	struct msghdr msg;
	struct cmsghdr *cmsg;
	ssize_t n;
	uint32_t nb;

	while (iov.iov_len > 0) {
		memset(&msg, 0, sizeof(msg));
		msg.msg_iov = &iov;
		msg.msg_iovlen = 1;
		msg.msg_control = ctrl.buf;
		msg.msg_controllen = sizeof(ctrl.buf);
		n = recvmsg(e->sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EAGAIN) {
			if (wait_sock(e, POLLIN, 5000) <= 0)
				return -1;
			continue;
		}
		if (n <= 0)
			return -1;
		cmsg = CMSG_FIRSTHDR(&msg);
		if (cmsg != NULL && cmsg->cmsg_type == SCM_RIGHTS) {
			nb = (uint32_t)((cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int));
			memcpy(m->fds + m->nb_fds, CMSG_DATA(cmsg), nb * sizeof(int));
			m->nb_fds += nb;
		}
		iov.iov_base = RTE_PTR_ADD(iov.iov_base, n);
		iov.iov_len -= (size_t)n;
	}
	return 0;
}

static void
add_fds(struct hostile_msg *msg, uint64_t nb)
{
	for (; nb > 0 && msg->nb_fds < HOSTILE_FDS; nb--)
		msg->fds[msg->nb_fds++] = hostile_vfu_file(4096, 0);
}

static void
drop_fds(struct hostile_msg *msg)
{
	while (msg->nb_fds > 0)
		close(msg->fds[--msg->nb_fds]);
}

static int
recv_msg(struct hostile_vfu *e, struct hostile_msg *msg)
{
	msg->nb_fds = 0;
	if (recv_bytes(e, &msg->hdr, sizeof(msg->hdr), msg) != 0)
		return -1;
	msg->len = msg->hdr.size - (uint32_t)sizeof(msg->hdr);
	if (msg->hdr.size < sizeof(msg->hdr) || msg->len > sizeof(msg->body))
		return -1;
	return recv_bytes(e, msg->body, msg->len, msg);
}

/* As one piece of memory: header, then body. */
static size_t
flatten(const struct hostile_msg *msg, uint8_t *flat)
{
	memcpy(flat, &msg->hdr, sizeof(msg->hdr));
	memcpy(flat + sizeof(msg->hdr), msg->body, msg->len);
	return sizeof(msg->hdr) + msg->len;
}

static int
send_msg(struct hostile_vfu *e, const struct hostile_msg *msg)
{
	uint8_t flat[sizeof(msg->hdr) + HOSTILE_BODY];
	size_t len = flatten(msg, flat);

	return send_bytes(e, flat, len, msg->fds, msg->nb_fds);
}

static int
send_slowly(struct hostile_vfu *e, const struct hostile_msg *msg, int ms, bool fds_each)
{
	uint8_t flat[sizeof(msg->hdr) + HOSTILE_BODY];
	size_t len = flatten(msg, flat), i;

	for (i = 0; i < len; i++) {
		if (send_bytes(e, flat + i, 1, msg->fds, i == 0 || fds_each ? msg->nb_fds : 0) != 0)
			return -1;
		if (ms != 0 && wait_sock(e, 0, ms) != 0)
			return -1;
	}
	return 0;
}

/* Requests until nobody listens any more; what comes back is thrown away. */
static int
flood(struct hostile_vfu *e, uint32_t flags)
{
	struct {
		struct vfio_user_hdr hdr;
		struct vfio_user_dma_access access;
	} batch[FLOOD_BATCH];
	uint64_t end = test_now_ns() + FLOOD_NS;
	uint8_t trash[4096];
	unsigned int i;

	memset(batch, 0, sizeof(batch));
	for (i = 0; i < FLOOD_BATCH; i++) {
		batch[i].hdr.cmd = VFIO_USER_CMD_DMA_READ;
		batch[i].hdr.flags = flags;
		batch[i].hdr.size = sizeof(batch[i]);
		batch[i].access.addr = e->nb_maps > 0 ? e->maps[0].addr : 0x1000;
		batch[i].access.count = 8;
	}
	while (test_now_ns() < end && !is_over(e)) {
		if (send_bytes(e, batch, sizeof(batch), NULL, 0) != 0)
			return -1;
		while (recv(e->sock, trash, sizeof(trash), MSG_DONTWAIT) > 0)
			;
	}
	return -1;
}

int
hostile_vfu_ask(struct hostile_vfu *e, uint16_t cmd, uint32_t flags, const void *body, uint32_t len,
	struct hostile_msg *reply)
{
	struct hostile_msg msg = {
		.hdr = { .id = 0x8000 | e->next_id++, .cmd = cmd, .flags = flags },
		.len = len,
	};

	memcpy(msg.body, body, len);
	msg.hdr.size = (uint32_t)sizeof(msg.hdr) + len;
	if (send_msg(e, &msg) != 0)
		return -1;
	if ((flags & VFIO_USER_F_NO_REPLY) != 0)
		return 0;
	if (recv_msg(e, reply) != 0)
		return -1;
	drop_fds(reply);
	if (reply->hdr.id != msg.hdr.id || reply->hdr.cmd != cmd ||
			VFIO_USER_TYPE(reply->hdr.flags) != VFIO_USER_TYPE_REPLY)
		return -1;
	if ((reply->hdr.flags & VFIO_USER_F_ERROR) != 0)
		return reply->hdr.error != 0 ? (int)reply->hdr.error : -1;
	return 0;
}

static struct hostile_rule *
find_rule(struct hostile_vfu *e, uint16_t cmd)
{
	struct hostile_rule *rule;
	unsigned int i;

	for (i = 0; i < HOSTILE_RULES; i++) {
		rule = &e->rules[i];
		if (rule->how == HOSTILE_HONEST || (rule->cmd != 0 && rule->cmd != cmd))
			continue;
		if (rule->skip > 0) {
			rule->skip--;
			continue;
		}
		return rule;
	}
	return NULL;
}

/* Send an answer as the rules want it. -1: the connection is over. */
static int
send_reply(struct hostile_vfu *e, struct hostile_msg *msg)
{
	struct hostile_rule *rule = find_rule(e, msg->hdr.cmd), now = { .how = HOSTILE_HONEST };
	bool twice = false;

	if (rule != NULL) {
		now = *rule;
		if (rule->count > 0 && --rule->count == 0)
			rule->how = HOSTILE_HONEST;
	}
	if (now.how == HOSTILE_CUT)
		msg->len -= RTE_MIN(msg->len, (uint32_t)now.arg);
	if (now.how == HOSTILE_MORE) {
		memset(msg->body + msg->len, 0, now.arg);
		msg->len += (uint32_t)now.arg;
	}
	if (now.how == HOSTILE_ERROR)
		msg->len = 0;
	msg->hdr.size = (uint32_t)sizeof(msg->hdr) + msg->len;
	switch (now.how) {
	case HOSTILE_SILENT:
		return 0;
	case HOSTILE_CLOSE:
		return -1;
	case HOSTILE_HALF:
		send_bytes(e, &msg->hdr, sizeof(msg->hdr) / 2, NULL, 0);
		return -1;
	case HOSTILE_SIZE:
		msg->hdr.size = (uint32_t)now.arg;
		break;
	case HOSTILE_ID:
		msg->hdr.id ^= 0x5555;
		break;
	case HOSTILE_CMD:
		msg->hdr.cmd = (uint16_t)now.arg;
		break;
	case HOSTILE_TYPE:
		msg->hdr.flags = (uint32_t)now.arg;
		break;
	case HOSTILE_ERROR:
	case HOSTILE_ERROR_BODY:
		msg->hdr.flags |= VFIO_USER_F_ERROR;
		msg->hdr.error = (uint32_t)now.arg;
		break;
	case HOSTILE_WITH_FDS:
		add_fds(msg, now.arg);
		break;
	case HOSTILE_TWICE:
		twice = true;
		break;
	case HOSTILE_PIECES:
		add_fds(msg, now.arg);
		return send_slowly(e, msg, 0, now.arg != 0);
	case HOSTILE_TRICKLE:
		return send_slowly(e, msg, 40, false);
	case HOSTILE_FLOOD:
		return flood(e, (uint32_t)now.arg);
	case HOSTILE_FIX:
		now.fix(e, msg, now.arg);
		msg->hdr.size = (uint32_t)sizeof(msg->hdr) + msg->len;
		break;
	default:
		break;
	}
	if (send_msg(e, msg) != 0)
		return -1;
	return twice ? send_msg(e, msg) : 0;
}

static void
serve_client(struct hostile_vfu *e)
{
	static struct hostile_msg in, out;
	int ret;

	do {
		ret = wait_sock(e, POLLIN, 10);
		pthread_mutex_lock(&e->lock);
		hostile_dev_tick(e);
		if (ret > 0) {
			ret = recv_msg(e, &in);
			/* answers to what was no request are of no interest */
			if (ret == 0 && VFIO_USER_TYPE(in.hdr.flags) == VFIO_USER_TYPE_COMMAND) {
				e->nb_msgs[in.hdr.cmd & 15]++;
				memset(&out.hdr, 0, sizeof(out.hdr));
				out.hdr.id = in.hdr.id;
				out.hdr.cmd = in.hdr.cmd;
				out.hdr.flags = VFIO_USER_TYPE_REPLY;
				out.len = out.nb_fds = 0;
				out.hdr.error = hostile_dev_request(e, &in, &out);
				if (out.hdr.error != 0)
					out.hdr.flags |= VFIO_USER_F_ERROR;
				ret = send_reply(e, &out);
				drop_fds(&out);
			}
			drop_fds(&in);
		}
		pthread_mutex_unlock(&e->lock);
	} while (ret >= 0);
}

static void *
run(void *arg)
{
	struct hostile_vfu *e = arg;

	for (;;) {
		struct pollfd pfd[2] = {
			{ .fd = e->listen_fd, .events = POLLIN },
			{ .fd = e->stop_fd, .events = POLLIN },
		};

		if (poll(pfd, 2, -1) < 0 || pfd[1].revents != 0)
			return NULL;
		e->sock = accept4(e->listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (e->sock < 0)
			continue;
		pthread_mutex_lock(&e->lock);
		e->nb_clients++;
		pthread_mutex_unlock(&e->lock);
		serve_client(e);
		pthread_mutex_lock(&e->lock);
		hostile_dev_forget(e);
		close(e->sock);
		e->sock = -1;
		pthread_mutex_unlock(&e->lock);
	}
}

int
hostile_vfu_start(struct hostile_vfu *e)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	TEST_TRUE(strlen(e->path) < sizeof(addr.sun_path));
	memcpy(addr.sun_path, e->path, strlen(e->path));
	e->stop_fd = eventfd(0, EFD_CLOEXEC);
	e->listen_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	TEST_TRUE(e->stop_fd >= 0 && e->listen_fd >= 0);
	TEST_EXPECT(bind(e->listen_fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	TEST_EXPECT(listen(e->listen_fd, 4), 0);
	TEST_EXPECT(hostile_dev_create(e), 0);
	TEST_EXPECT(pthread_create(&e->thread, NULL, run, e), 0);
	e->running = true;
	return TEST_SUCCESS;
}

void
hostile_vfu_stop(struct hostile_vfu *e)
{
	uint64_t one = 1;

	if (e->dir[0] == '\0')
		return; /* it was never there */
	if (e->running && write(e->stop_fd, &one, sizeof(one)) == sizeof(one))
		pthread_join(e->thread, NULL);
	e->running = false;
	hostile_dev_destroy(e);
	if (e->listen_fd >= 0)
		close(e->listen_fd);
	if (e->stop_fd >= 0)
		close(e->stop_fd);
	e->listen_fd = e->stop_fd = -1;
	unlink(e->path);
	test_rendezvous_remove(e->dir);
	pthread_mutex_destroy(&e->lock);
	e->dir[0] = '\0';
}

int
hostile_vfu_dev_add(const struct hostile_vfu *e, const char *args)
{
	static unsigned int count;
	char name[RTE_DEV_NAME_MAX_LEN], devargs[PATH_MAX + 256];
	int ret;

	snprintf(name, sizeof(name), "comch_bluefield_hostile%u", count++);
	snprintf(devargs, sizeof(devargs), "socket=%s%s%s", e->path, args[0] != '\0' ? "," : "",
		args);
	ret = rte_vdev_init(name, devargs);
	return ret != 0 ? ret : rte_comch_dev_get_id_by_name(name);
}

void
hostile_vfu_rule(struct hostile_vfu *e, const struct hostile_rule *rule)
{
	unsigned int i;

	pthread_mutex_lock(&e->lock);
	for (i = 0; i < HOSTILE_RULES; i++) {
		if (e->rules[i].how != HOSTILE_HONEST)
			continue;
		e->rules[i] = *rule;
		break;
	}
	pthread_mutex_unlock(&e->lock);
}

void
hostile_vfu_fw(struct hostile_vfu *e, enum hostile_fw (*fw)(struct hostile_vfu *e, uint16_t opcode,
	const uint8_t *in, uint32_t in_len, uint8_t *out, uint32_t out_len))
{
	pthread_mutex_lock(&e->lock);
	e->fw = fw;
	pthread_mutex_unlock(&e->lock);
}

void
hostile_vfu_reg(struct hostile_vfu *e, uint32_t off, uint32_t val)
{
	pthread_mutex_lock(&e->lock);
	if (e->nb_regs < HOSTILE_REGS) {
		e->regs[e->nb_regs].off = off;
		e->regs[e->nb_regs++].val = val;
	}
	pthread_mutex_unlock(&e->lock);
}
