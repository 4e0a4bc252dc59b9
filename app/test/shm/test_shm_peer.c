/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The hostile peer: sockets, messages, segments and rings of the shm driver's
 * protocol, without one check. No test and nothing of the library is in here.
 */

#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "test_shm_peer.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

#define HOSTILE_MAX_FDS 32

bool hostile_alone;
const char *hostile_function = "pf0";
unsigned int hostile_dirty;

static TAILQ_HEAD(, hostile) evils = TAILQ_HEAD_INITIALIZER(evils);

unsigned int
hostile_addr(void *addr, const char *path, const char *function)
{
	struct sockaddr_un *sun = addr;

	memset(sun, 0, sizeof(*sun));
	sun->sun_family = AF_UNIX;
	snprintf(sun->sun_path, sizeof(sun->sun_path), "%s/%s", path, function);
	return sizeof(*sun);
}

int
hostile_fd_again(int fd, int mode)
{
	char path[64];
	int again;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	again = open(path, mode | O_CLOEXEC);
	close(fd);
	return again;
}

int
hostile_seg_create(struct hostile_seg *seg, uint32_t hdr_size, uint32_t size)
{
	struct shm_wire_seg *hdr;

	seg->size = size;
	seg->fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (seg->fd < 0 || ftruncate(seg->fd, size) != 0 ||
			fallocate(seg->fd, 0, 0, size) != 0)
		return -errno;
	seg->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			seg->fd, 0);
	if (seg->map == MAP_FAILED)
		return -errno;
	hdr = seg->map;
	hdr->magic = SHM_WIRE_MAGIC;
	hdr->version = SHM_WIRE_VERSION;
	hdr->hdr_size = (uint16_t)hdr_size;
	hdr->size = size;
	if (fcntl(seg->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE) != 0)
		return -errno;
	return 0;
}

void
hostile_seg_free(struct hostile_seg *seg)
{
	if (seg->map == NULL)
		return;
	munmap(seg->map, seg->size);
	close(seg->fd);
	seg->map = NULL;
}

int
hostile_chan_seg_create(struct hostile_chan *chan, uint32_t ring_size)
{
	int ret = hostile_seg_create(&chan->seg, offsetof(struct shm_wire_chan, tail),
			ring_size + (uint32_t)sizeof(struct shm_wire_chan));

	if (ret != 0)
		return ret;
	chan->own = chan->seg.map;
	chan->ring_size = ring_size;
	chan->own->tail = SHM_WIRE_POS_START;
	chan->own->head = SHM_WIRE_POS_START;
	return 0;
}

void
hostile_chan_free(struct hostile_chan *chan)
{
	hostile_seg_free(&chan->seg);
	if (chan->peer != NULL)
		munmap((void *)(uintptr_t)chan->peer, chan->peer_size);
	memset(chan, 0, sizeof(*chan));
}

struct hostile *
hostile_wrap(int fd)
{
	struct hostile *e = calloc(1, sizeof(*e));

	if (e == NULL)
		test_give_up("no memory");
	e->fd = fd;
	e->wake = e->msg_fd = -1;
	TAILQ_INSERT_TAIL(&evils, e, next);
	return e;
}

struct hostile *
hostile_open(const char *path, const char *function)
{
	struct sockaddr_un addr;
	unsigned int len = hostile_addr(&addr, path, function);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return NULL;
	if (connect(fd, (struct sockaddr *)&addr, len) != 0) {
		close(fd);
		return NULL;
	}
	return hostile_wrap(fd);
}

void
hostile_close(struct hostile *e)
{
	TAILQ_REMOVE(&evils, e, next);
	close(e->fd);
	if (e->wake >= 0)
		close(e->wake);
	if (e->msg_fd >= 0)
		close(e->msg_fd);
	hostile_seg_free(&e->seg);
	if (e->peer != NULL)
		munmap((void *)(uintptr_t)e->peer, sizeof(*e->peer));
	hostile_chan_free(&e->chan);
	free(e);
}

void
hostile_close_all(void)
{
	struct hostile *e;

	while ((e = TAILQ_FIRST(&evils)) != NULL)
		hostile_close(e);
}

void
hostile_wake(struct hostile *e)
{
	const uint64_t one = 1;

	if (write(e->wake, &one, sizeof(one)) != (ssize_t)sizeof(one))
		sched_yield();
}

int
hostile_send_raw(
		struct hostile *e, const void *buf, size_t len, const int *fds, unsigned int nb_fds)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(HOSTILE_MAX_FDS * sizeof(int))];
	} ctrl;
	struct iovec iov = { (void *)(uintptr_t)buf, len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	struct cmsghdr *cmsg;

	if (nb_fds != 0) {
		memset(&ctrl, 0, sizeof(ctrl));
		mh.msg_control = ctrl.buf;
		mh.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		cmsg = CMSG_FIRSTHDR(&mh);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(cmsg), fds, nb_fds * sizeof(int));
	}
	if (sendmsg(e->fd, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		return -errno;
	if (e->own != NULL)
		__atomic_fetch_add(&e->own->sock_doorbell, 1, __ATOMIC_RELEASE);
	return 0;
}

uint16_t
hostile_type_len(uint16_t type)
{
	switch (type) {
	case SHM_WIRE_HELLO:
		return sizeof(struct shm_wire_hello);
	case SHM_WIRE_HELLO_ACK:
		return sizeof(struct shm_wire_hello_ack);
	case SHM_WIRE_GROUP:
		return sizeof(struct shm_wire_group);
	case SHM_WIRE_CONNECT:
		return sizeof(struct shm_wire_connect);
	case SHM_WIRE_ACCEPT:
		return sizeof(struct shm_wire_accept);
	case SHM_WIRE_READY:
		return sizeof(struct shm_wire_ready);
	case SHM_WIRE_REFUSE:
	case SHM_WIRE_CLOSE:
		return sizeof(struct shm_wire_reason);
	case SHM_WIRE_REGION:
		return sizeof(struct shm_wire_region);
	case SHM_WIRE_REGION_GONE:
		return sizeof(struct shm_wire_region_gone);
	case SHM_WIRE_CONSUMER:
		return sizeof(struct shm_wire_consumer);
	case SHM_WIRE_CONSUMER_ACK:
		return sizeof(struct shm_wire_consumer_ack);
	case SHM_WIRE_CONSUMER_GONE:
		return sizeof(struct shm_wire_consumer_id);
	default:
		return sizeof(struct shm_wire_hdr);
	}
}

void
hostile_fill(union shm_wire_msg *msg, uint16_t type, uint32_t chan)
{
	memset(msg, 0, sizeof(*msg));
	msg->hdr.magic = SHM_WIRE_MAGIC;
	msg->hdr.type = type;
	msg->hdr.len = hostile_type_len(type);
	msg->hdr.chan = chan;
	switch (type) {
	case SHM_WIRE_HELLO:
		msg->hello.version = SHM_WIRE_VERSION;
		msg->hello.seg_size = sizeof(struct shm_wire_link);
		snprintf(msg->hello.function, sizeof(msg->hello.function), "%s",
				hostile_function);
		break;
	case SHM_WIRE_HELLO_ACK:
		msg->hello_ack.version = SHM_WIRE_VERSION;
		msg->hello_ack.seg_size = sizeof(struct shm_wire_link);
		break;
	case SHM_WIRE_CONNECT:
		msg->connect.rx.queue_size = 4;
		strcpy(msg->connect.name, "target");
		break;
	case SHM_WIRE_ACCEPT:
		msg->accept.rx.max_msg_size = 4080;
		msg->accept.rx.queue_size = 4;
		msg->accept.tx.ring_size = HOSTILE_RING_SIZE;
		msg->accept.tx.new_seg = 1;
		break;
	case SHM_WIRE_READY:
		msg->ready.tx.ring_size = HOSTILE_RING_SIZE;
		msg->ready.tx.new_seg = 1;
		break;
	case SHM_WIRE_REGION:
		msg->region.size = HOSTILE_REGION_SIZE;
		break;
	case SHM_WIRE_CONSUMER:
		msg->consumer.consumer = 1;
		msg->consumer.nb_posts = HOSTILE_POSTS;
		msg->consumer.region = SHM_WIRE_NO_REGION;
		break;
	case SHM_WIRE_CONSUMER_ACK:
		msg->consumer_ack.consumer = 1;
		break;
	case SHM_WIRE_CONSUMER_GONE:
		msg->consumer_id.consumer = 1;
		break;
	default:
		break;
	}
}

int
hostile_send(struct hostile *e, union shm_wire_msg *msg, uint16_t type, uint32_t chan, int fd)
{
	msg->hdr.magic = SHM_WIRE_MAGIC;
	msg->hdr.type = type;
	msg->hdr.len = hostile_type_len(type);
	msg->hdr.chan = chan;
	return hostile_send_raw(e, msg, msg->hdr.len, &fd, fd >= 0);
}

int
hostile_say(struct hostile *e, uint16_t type, uint32_t chan)
{
	union shm_wire_msg msg;

	hostile_fill(&msg, type, chan);
	return hostile_send(e, &msg, type, chan, -1);
}

/* Clear what a message of its type says, and leave what it has no right to. */
static void
msg_forget(union shm_wire_msg *msg)
{
	const uint16_t type = msg->hdr.type;

	memset(&msg->hdr, 0, type == SHM_WIRE_CLOSE || type == SHM_WIRE_CLOSED ? sizeof(msg->hdr) :
		offsetof(struct shm_wire_hdr, taken));
	switch (type) {
	case SHM_WIRE_HELLO:
		msg->hello.version = 0;
		msg->hello.seg_size = 0;
		memset(msg->hello.function, 0, strnlen(msg->hello.function,
			sizeof(msg->hello.function)));
		break;
	case SHM_WIRE_HELLO_ACK:
		msg->hello_ack.version = 0;
		msg->hello_ack.seg_size = 0;
		msg->hello_ack.status = 0;
		break;
	case SHM_WIRE_GROUP:
		msg->group.group = 0;
		break;
	case SHM_WIRE_CONNECT:
		memset(&msg->connect.rx, 0, sizeof(msg->connect.rx));
		memset(msg->connect.name, 0, strnlen(msg->connect.name,
			sizeof(msg->connect.name)));
		break;
	case SHM_WIRE_ACCEPT:
		memset(&msg->accept.rx, 0, sizeof(msg->accept.rx));
		memset(&msg->accept.tx, 0, offsetof(struct shm_wire_tx, reserved));
		break;
	case SHM_WIRE_READY:
		memset(&msg->ready.tx, 0, offsetof(struct shm_wire_tx, reserved));
		break;
	case SHM_WIRE_REFUSE:
	case SHM_WIRE_CLOSE:
		msg->reason.reason = 0;
		break;
	case SHM_WIRE_REGION:
		msg->region.region = 0;
		msg->region.size = 0;
		break;
	case SHM_WIRE_REGION_GONE:
		msg->region_gone.region = 0;
		break;
	case SHM_WIRE_CONSUMER:
		memset(&msg->consumer, 0, sizeof(msg->consumer));
		break;
	case SHM_WIRE_CONSUMER_ACK:
		memset(&msg->consumer_ack, 0, offsetof(struct shm_wire_consumer_ack, reserved));
		break;
	case SHM_WIRE_CONSUMER_GONE:
		msg->consumer_id.consumer = 0;
		break;
	default:
		break;
	}
}

/* A message of the device has bytes that say nothing, and are not 0. */
static bool
msg_is_dirty(const union shm_wire_msg *msg)
{
	static const union shm_wire_msg none;
	union shm_wire_msg rest = *msg;

	msg_forget(&rest);
	return memcmp(&rest, &none, sizeof(rest)) != 0;
}

/* It brings a segment that its reader could write to, or change in size. */
static bool
seg_is_open(const union shm_wire_msg *msg, int fd)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE;

	return fd >= 0 && msg->hdr.type != SHM_WIRE_GROUP && msg->hdr.type != SHM_WIRE_REGION &&
		(fcntl(fd, F_GET_SEALS) & seals) != seals;
}

int
hostile_recv(struct hostile *e)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(sizeof(int))];
	} ctrl;
	union shm_wire_msg msg = { .all = { 0 } };
	struct iovec iov = { &msg, sizeof(msg) };
	struct msghdr mh = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = ctrl.buf, .msg_controllen = sizeof(ctrl.buf),
	};
	struct cmsghdr *cmsg;
	ssize_t n;

	if (e->msg_fd >= 0)
		close(e->msg_fd);
	e->msg_fd = -1;
	n = recvmsg(e->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	/* told once, and before what the device has said that closed without reading all */
	if (n < 0 && errno == ECONNRESET)
		n = recvmsg(e->fd, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0) {
		e->eof = true;
		return -ECONNRESET;
	}
	e->msg = msg;
	cmsg = CMSG_FIRSTHDR(&mh);
	if (cmsg != NULL && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&e->msg_fd, CMSG_DATA(cmsg), sizeof(int));
	hostile_dirty += msg_is_dirty(&msg) || seg_is_open(&msg, e->msg_fd);
	if (e->msg.hdr.type == SHM_WIRE_GROUP) {
		if (e->wake >= 0)
			close(e->wake);
		e->wake = e->msg_fd;
		e->msg_fd = -1;
	}
	return e->msg.hdr.type;
}

int
hostile_wait(struct hostile *e, uint16_t type, unsigned int ms)
{
	struct pollfd pfd = { e->fd, POLLIN, 0 };
	uint64_t end = test_now_ns() + (uint64_t)ms * 1000000;
	int ret;

	while (test_now_ns() < end) {
		ret = hostile_recv(e);
		if (ret < 0 || ret == type)
			return ret < 0 ? ret : 0;
		if (ret == 0 && hostile_alone)
			poll(&pfd, 1, 10);
		else if (ret == 0)
			peer_turn();
	}
	return -ETIMEDOUT;
}

bool
hostile_gone(struct hostile *e)
{
	while (!e->eof && hostile_recv(e) > 0)
		;
	return e->eof;
}

static int
hostile_link_seg(struct hostile *e)
{
	int ret = hostile_seg_create(&e->seg, offsetof(struct shm_wire_link, sock_doorbell),
			sizeof(struct shm_wire_link));

	e->own = ret == 0 ? e->seg.map : NULL;
	return ret;
}

int
hostile_hello_send(struct hostile *e)
{
	union shm_wire_msg msg;
	int ret = hostile_link_seg(e);

	hostile_fill(&msg, SHM_WIRE_HELLO, 0);
	return ret == 0 ? hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd) : ret;
}

int
hostile_hello(struct hostile *e)
{
	void *map;
	int ret = hostile_hello_send(e);

	if (ret == 0)
		ret = hostile_wait(e, SHM_WIRE_HELLO_ACK, TEST_MS);
	if (ret != 0)
		return ret;
	if (e->msg.hello_ack.status != 0)
		return e->msg.hello_ack.status;
	map = mmap(NULL, sizeof(*e->peer), PROT_READ, MAP_SHARED, e->msg_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	e->peer = map;
	return hostile_wait(e, SHM_WIRE_GROUP, TEST_MS);
}

struct hostile *
hostile_up(void)
{
	struct hostile *e = hostile_open(peer_env.path, "pf0");
	int ret;

	if (e == NULL)
		test_give_up("no socket of the hostile peer");
	ret = hostile_hello(e);
	if (ret != 0)
		test_give_up("HELLO of the hostile peer: %s", strerror(-ret));
	return e;
}

int
hostile_chan_map(struct hostile *e, struct hostile_chan *chan)
{
	const struct shm_wire_tx *tx = e->msg.hdr.type == SHM_WIRE_READY ?
			&e->msg.ready.tx : &e->msg.accept.tx;
	void *map;

	if (e->msg.hdr.type == SHM_WIRE_ACCEPT)
		chan->rx = e->msg.accept.rx;
	chan->tx = *tx;
	if (tx->new_seg == 0)
		return 0;
	if (chan->peer != NULL)
		munmap((void *)(uintptr_t)chan->peer, chan->peer_size);
	chan->peer = NULL;
	chan->peer_size = tx->ring_size + (uint32_t)sizeof(struct shm_wire_chan);
	map = mmap(NULL, chan->peer_size, PROT_READ, MAP_SHARED, e->msg_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	chan->peer = map;
	return 0;
}

int
hostile_connect_send(struct hostile *e, uint32_t id, const char *name, uint32_t queue_size)
{
	union shm_wire_msg msg;

	hostile_fill(&msg, SHM_WIRE_CONNECT, id);
	snprintf(msg.connect.name, sizeof(msg.connect.name), "%s", name);
	msg.connect.rx.queue_size = queue_size;
	return hostile_send(e, &msg, SHM_WIRE_CONNECT, id, -1);
}

int
hostile_connect(struct hostile *e, struct hostile_chan *chan, uint32_t id)
{
	int ret = hostile_say(e, SHM_WIRE_CONNECT, id);

	chan->id = id;
	if (ret == 0)
		ret = hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS);
	return ret == 0 ? hostile_chan_map(e, chan) : ret;
}

int
hostile_ready(struct hostile *e, struct hostile_chan *chan)
{
	union shm_wire_msg msg;
	int ret = 0;

	hostile_fill(&msg, SHM_WIRE_READY, chan->id);
	if (chan->own == NULL) {
		ret = hostile_chan_seg_create(chan, HOSTILE_RING_SIZE);
	} else {
		chan->own->tail = chan->own->head = SHM_WIRE_POS_START;
		msg.ready.tx.new_seg = 0;
	}
	msg.ready.tx.ring_size = chan->ring_size;
	if (ret == 0)
		ret = hostile_send(e, &msg, SHM_WIRE_READY, chan->id,
				msg.ready.tx.new_seg != 0 ? chan->seg.fd : -1);
	return ret;
}

struct hostile *
hostile_connected(void)
{
	uint32_t before = peer_env.target->nb_connects;
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct hostile *e = hostile_up();
	int ret;

	ret = hostile_connect(e, &e->chan, 0);
	if (ret == 0)
		ret = hostile_ready(e, &e->chan);
	while (ret == 0 && peer_env.target->nb_connects == before && test_now_ns() < end)
		peer_turn();
	if (ret != 0 || peer_env.target->nb_connects == before)
		test_give_up("connection of the hostile peer: %s", strerror(-ret));
	return e;
}

void
hostile_ring(struct hostile *e, struct hostile_chan *chan)
{
	__atomic_fetch_xor(&e->own->doorbells[chan->rx.doorbell / 64],
			RTE_BIT64(chan->rx.doorbell % 64), __ATOMIC_SEQ_CST);
}

static uint32_t
hostile_off(const struct hostile_chan *chan)
{
	return (chan->own->tail - SHM_WIRE_POS_START) % chan->ring_size;
}

void
hostile_rec(struct hostile_chan *chan, uint32_t len, uint32_t reserved)
{
	const struct shm_wire_rec rec = { len, reserved };
	const uint32_t off = hostile_off(chan);
	uint32_t i;

	/* a tail that was made up can be anywhere */
	for (i = 0; i < sizeof(rec); i++)
		chan->own->ring[(off + i) % chan->ring_size] = ((const uint8_t *)&rec)[i];
}

void
hostile_tail_add(struct hostile *e, struct hostile_chan *chan, uint32_t bytes)
{
	__atomic_fetch_add(&chan->own->tail, bytes, __ATOMIC_RELEASE);
	hostile_ring(e, chan);
}

void
hostile_put(struct hostile *e, struct hostile_chan *chan, const void *data, uint32_t len)
{
	uint32_t off = hostile_off(chan), i;

	hostile_rec(chan, len, 0);
	for (i = 0; i < len; i++)
		chan->own->ring[(off + sizeof(struct shm_wire_rec) + i) % chan->ring_size] =
				((const uint8_t *)data)[i];
	hostile_tail_add(e, chan, shm_wire_rec_size(len));
}
