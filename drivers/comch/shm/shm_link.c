/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Links: how the two sides of a device attach to each other, and the messages that
 * concern a link as a whole. Where they meet, and who is let in, is in shm_meet.c. The
 * device's lock is held everywhere in this file, but while the device is being made.
 */

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_random.h>
#include <rte_string_fns.h>

#include "shm_fast.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

/* The lock is held; relaxed: numbers that are looked at without it. */
static void
count_add(uint32_t *count, int nb)
{
	__atomic_store_n(count, *count + nb, __ATOMIC_RELAXED);
}

/* Tells the events of a link's pidfd from those of its socket. */
static void *
pidfd_tag(struct shm_link *link)
{
	return (void *)((uintptr_t)link | 1);
}

static int
epoll_add(struct shm_dev *dev, int fd, void *ptr)
{
	struct epoll_event ev = { .events = EPOLLIN | EPOLLRDHUP, .data.ptr = ptr };

	return epoll_ctl(dev->epfd, EPOLL_CTL_ADD, fd, &ev) == 0 ? 0 : -errno;
}

int
shm_listen(struct shm_dev *dev, struct shm_func *func)
{
	struct sockaddr_un addr;
	socklen_t len;
	int ret = 0;

	func->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (func->fd < 0)
		return -errno;
	if (dev->path[0] != '\0') {
		ret = shm_place_listen(dev, func);
	} else {
		len = shm_meet_addr(dev, func, &addr);
		if (bind(func->fd, (struct sockaddr *)&addr, len) != 0 ||
				listen(func->fd, SHM_MAX_LINKS) != 0)
			ret = -errno;
	}
	if (ret == 0)
		ret = epoll_add(dev, func->fd, func);
	if (ret == 0)
		return 0;
	close(func->fd);
	func->fd = -1;
	shm_place_leave(func);
	return ret;
}

/* Nobody comes in any more, and who waits may have sent already. */
void
shm_listen_end(struct shm_dev *dev, struct shm_func *func)
{
	int fd;

	if (shm_thread_is_here(dev)) {
		shutdown(func->fd, SHUT_RD);
		while ((fd = accept4(func->fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
			shm_broker_drop(dev, fd);
	}
	close(func->fd);
}

/* Of the functions whose names others hold, one in a turn and each about once a second. */
static void
dev_listen_again(struct shm_dev *dev, uint64_t now)
{
	struct shm_func *func;

	if (now < dev->next_listen)
		return;
	dev->next_listen = now + rte_get_tsc_hz() / dev->nb_held;
	do
		func = &dev->funcs[dev->listen_turn++ % dev->nb_funcs];
	while (func->fd >= 0);
	if (shm_listen(dev, func) != 0)
		return;
	/* relaxed: engines only look whether they have to come again */
	__atomic_store_n(&dev->nb_held, dev->nb_held - 1, __ATOMIC_RELAXED);
	SHM_LOG(NOTICE, "%s: function %s is free, and served from now on", dev->dev->data->name,
		func->name);
}

static void
link_release(struct shm_ledger *ledger)
{
	shm_ledger_give(ledger, SHM_LIMIT_MAPS, SHM_LINK_MAPS);
	shm_ledger_give(ledger, SHM_LIMIT_LINKS, 1);
}

/* Nobody knows it any more. Without the lock. */
static void
link_free(struct shm_trash *trash)
{
	struct shm_link *link = container_of(trash, struct shm_link, trash);
	struct shm_txmsg *tx;
	struct shm_seg own;

	shm_segs_free(link);
	shm_qdoorbells_free(link);
	link_release(link->ledger);
	while ((tx = STAILQ_FIRST(&link->txq)) != NULL) {
		STAILQ_REMOVE_HEAD(&link->txq, next);
		shm_txmsg_free(link, tx);
	}
	if (link->own != NULL) {
		own.map = link->own;
		own.size = sizeof(*link->own);
		own.fd = -1;
		shm_seg_free(&own);
	}
	shm_peer_unmap(link->peer, sizeof(*link->peer));
	free(link);
}

void
shm_link_put(struct shm_link *link)
{
	if (--link->refs != 0)
		return;
	shm_peer_regions_free(link);
	shm_trash_put(link->dev, &link->trash, link_free);
}

/* Have a group look at the list of links, in its own thread; false if it has no room. */
bool
shm_group_sync_post(struct shm_group *group)
{
	if (group->sync_posted)
		return true;
	group->sync_posted = rte_comch_pmd_event_post(group->pg.pe, &group->sync_ev) == 0;
	group->refs += group->sync_posted;
	return group->sync_posted;
}

void
shm_groups_sync(struct shm_dev *dev)
{
	uint32_t i;

	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++)
		if (dev->groups[i] != NULL)
			shm_group_sync_post(dev->groups[i]);
}

static void
link_socks_close(struct shm_link *link)
{
	struct shm_dev *dev = link->dev;
	uint32_t i;

	epoll_ctl(dev->epfd, EPOLL_CTL_DEL, link->fd, NULL);
	shutdown(link->fd, SHUT_RDWR);
	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++) {
		if (link->peer_wake[i] < 0)
			continue;
		shm_fd_drop(dev, link->ledger, link->peer_wake[i]);
		link->peer_wake[i] = -1;
		shm_link_give(link, SHM_LIMIT_FDS, 1);
	}
	shm_fd_drop(dev, link->ledger, link->fd);
	link->fd = -1;
}

/* The end of a link. Its groups notice in their own threads. */
void
shm_link_kill(struct shm_link *link, int reason)
{
	struct shm_dev *dev = link->dev;

	if (link->state == SHM_LINK_DEAD)
		return;
	SHM_PEER_LOG(dev, link->func, INFO, "%s: process %u left %s: %s", dev->dev->data->name,
		link->pid, link->func->name, strerror(-reason));
	if (link->state == SHM_LINK_UP)
		count_add(&dev->nb_links, -1);
	if (link->state == SHM_LINK_HELLO || link->left)
		count_add(&dev->nb_hellos, -1);
	if (link->state == SHM_LINK_HELLO) {
		if (dev->role == RTE_COMCH_ROLE_DPU && reason == -ECONNRESET)
			shm_meet_left(link);
	}
	count_add(&link->func->nb_links, -1);
	link->reason = reason;
	link->state = SHM_LINK_DEAD;
	link->ledger->nb_rx_later -= link->rx_later;
	link->rx_later = false;
	TAILQ_REMOVE(&dev->links, link, next);
	link_socks_close(link);
	if (link->pidfd >= 0) {
		epoll_ctl(dev->epfd, EPOLL_CTL_DEL, link->pidfd, NULL); /* a child may have it */
		close(link->pidfd);
	}
	link->pidfd = -1;
	shm_link_give(link, SHM_LIMIT_FDS, SHM_LINK_FDS);
	shm_zombies_drop_locked(link); /* nobody is left to answer */
	shm_groups_sync(dev);
	shm_link_put(link);
}

/* Count a breach of the protocol, and log it. */
void
shm_link_violation(struct shm_link *link, const char *what, uint64_t a, uint64_t b)
{
	rte_comch_pmd_count(&link->dev->dev->data->stats.violations);
	SHM_PEER_LOG(link->dev, link->func, WARNING, "%s: process %u on %s breaks the protocol: %s (%" PRIu64 ", %" PRIu64 ")",
		link->dev->dev->data->name, link->pid, link->func->name, what, a, b);
}

/* A peer that does not answer in time: it is no liar. */
void
shm_link_late(struct shm_link *link, const char *what)
{
	SHM_PEER_LOG(link->dev, link->func, WARNING, "%s: process %u on %s is late: %s; is it stopped, or does nobody progress its engine?",
		link->dev->dev->data->name, link->pid, link->func->name, what);
}

static int
link_own_seg(struct shm_link *link, int *fd)
{
	struct shm_seg seg;
	int ret;

	ret = shm_seg_create(&seg, offsetof(struct shm_wire_link, sock_doorbell),
			sizeof(struct shm_wire_link));
	if (ret != 0) {
		shm_seg_no_room(link, ret);
		return ret;
	}
	link->own = seg.map;
	*fd = seg.fd;
	return 0;
}

/* Tell a peer that has no link yet, and so no doorbell, why it gets none. */
static void
fd_refuse(int fd, int reason)
{
	union shm_wire_msg msg = { 0 };

	msg.hdr.magic = SHM_WIRE_MAGIC;
	msg.hdr.type = SHM_WIRE_HELLO_ACK;
	msg.hdr.len = sizeof(msg.hello_ack);
	msg.hello_ack.version = SHM_WIRE_VERSION;
	msg.hello_ack.seg_size = sizeof(struct shm_wire_link);
	msg.hello_ack.status = reason;
	if (send(fd, &msg, sizeof(msg.hello_ack), MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		SHM_LOG(DEBUG, "a process left before it was refused");
}

/* Count a peer that is not let in, and log it. */
static void
link_refuse(struct shm_dev *dev, struct shm_func *func, int fd, const struct ucred *cred,
		int reason)
{
	rte_comch_pmd_count(&dev->dev->data->stats.links_refused);
	if (reason == -EACCES) /* else the ledger has said it */
		shm_meet_refused(dev, func, cred);
	if (dev->role == RTE_COMCH_ROLE_DPU) {
		fd_refuse(fd, reason);
		return;
	}
	dev->refusal = reason;
	dev->next_connect += rte_get_tsc_hz();
}

/* What each link takes of the share of its user. NULL if there is no more, as error says. */
static struct shm_ledger *
link_reserve(struct shm_dev *dev, struct shm_func *func, uint32_t uid, int *error)
{
	struct shm_broker *left = NULL;
	struct shm_ledger *ledger = shm_ledger_find(func, uid, &left, error);

	shm_broker_end(dev, left);
	if (ledger == NULL && *error == -ENOMEM)
		SHM_PEER_LOG(dev, func, ERR, "%s: no memory for user %u of %s",
			dev->dev->data->name, uid, func->name);
	else if (ledger == NULL)
		SHM_PEER_LOG(dev, func, WARNING, "%s: %u users are on %s, user %u has to wait until one of them leaves",
			dev->dev->data->name, SHM_MAX_USERS, func->name, uid);
	if (ledger == NULL)
		return NULL;
	*error = -EUSERS;
	if (shm_ledger_take(dev, func, ledger, SHM_LIMIT_LINKS, 1) != 0)
		return NULL;
	if (shm_ledger_take(dev, func, ledger, SHM_LIMIT_FDS, SHM_LINK_FDS) == 0) {
		if (shm_ledger_take(dev, func, ledger, SHM_LIMIT_MAPS, SHM_LINK_MAPS) == 0)
			return ledger;
		shm_ledger_give(ledger, SHM_LIMIT_FDS, SHM_LINK_FDS);
	}
	shm_ledger_give(ledger, SHM_LIMIT_LINKS, 1);
	return NULL;
}

/* On no list yet. NULL if there is no memory, no descriptor, or no process any more. */
static struct shm_link *
link_alloc(struct shm_dev *dev, struct shm_func *func, int fd, const struct ucred *cred)
{
	struct shm_link *link = calloc(1, sizeof(*link));
	uint32_t i;

	if (link == NULL)
		return NULL;
	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++)
		link->peer_wake[i] = -1;
	STAILQ_INIT(&link->txq);
	link->dev = dev;
	link->func = func;
	link->fd = fd;
	link->pid = cred->pid;
	link->uid = cred->uid;
	link->refs = 1;
	/* the socket outlives a peer that forked: then this tells its end */
	link->pidfd = syscall(SYS_pidfd_open, cred->pid, 0);
	if (link->pidfd < 0 && errno == ESRCH) {
		free(link); /* it has ended before it was seen */
		return NULL;
	}
	if (epoll_add(dev, fd, link) == 0 &&
			(link->pidfd < 0 || epoll_add(dev, link->pidfd, pidfd_tag(link)) == 0))
		return link;
	if (link->pidfd >= 0)
		close(link->pidfd);
	free(link);
	return NULL;
}

/* A socket that a peer is at the other end of becomes a link. Owns the fd. */
static struct shm_link *
link_create(struct shm_dev *dev, struct shm_func *func, int fd, uint64_t now)
{
	struct ucred cred;
	socklen_t len = sizeof(cred);
	struct shm_link *link = NULL;
	struct shm_ledger *ledger;
	bool brokered = false;
	int error;

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) != 0)
		goto fail;
	dev->server_uid = cred.uid;
	if (!shm_meet_allows(dev, func, &cred)) {
		link_refuse(dev, func, fd, &cred, -EACCES);
		goto fail;
	}
	ledger = link_reserve(dev, func, cred.uid, &error);
	if (ledger == NULL) {
		link_refuse(dev, func, fd, &cred, error);
		goto fail;
	}
	brokered = shm_broker_wanted(dev, cred.uid);
	if (brokered)
		fd = shm_broker_give(dev, ledger, fd);
	if (fd >= 0)
		link = link_alloc(dev, func, fd, &cred);
	if (link == NULL) {
		shm_ledger_give(ledger, SHM_LIMIT_FDS, SHM_LINK_FDS);
		link_release(ledger);
		goto fail;
	}
	link->brokered = brokered;
	link->ledger = ledger;
	link->deadline = now + rte_get_tsc_hz() / MS_PER_S * SHM_HELLO_MS;
	TAILQ_INSERT_TAIL(&dev->links, link, next);
	count_add(&dev->nb_hellos, 1);
	count_add(&func->nb_links, 1);
	return link;
fail:
	if (fd >= 0 && brokered)
		close(fd); /* its broker ends the rest */
	else if (fd >= 0)
		shm_broker_drop(dev, fd); /* an unknown peer may have sent already */
	return NULL;
}

static void
func_accept(struct shm_dev *dev, struct shm_func *func, uint64_t now, uint32_t *room)
{
	int fd;

	for (; *room != 0 && !shm_broker_busy(dev); (*room)--) {
		fd = accept4(func->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			return;
		link_create(dev, func, fd, now);
	}
}

void
shm_host_connect(struct shm_dev *dev, uint64_t now)
{
	struct shm_func *func = &dev->funcs[0];
	union shm_wire_msg msg = { 0 };
	struct sockaddr_un addr;
	struct shm_link *link;
	socklen_t len;
	int fd, seg_fd;

	if (!TAILQ_EMPTY(&dev->links) || now < dev->next_connect)
		return;
	dev->next_connect = now + rte_get_tsc_hz() / MS_PER_S * SHM_CONNECT_MS;
	dev->refusal = 0;
	dev->uid = geteuid();
	fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return;
	len = shm_meet_addr(dev, func, &addr);
	dev->connect_errno = connect(fd, (struct sockaddr *)&addr, len) == 0 ? 0 : errno;
	if (dev->connect_errno != 0) {
		close(fd);
		if (dev->connect_errno != EACCES)
			return;
		/* the kernel has refused us, and not the card's side */
		rte_comch_pmd_count(&dev->dev->data->stats.links_refused);
		dev->refusal = -EACCES;
		dev->server_uid = 0;
		dev->next_connect += rte_get_tsc_hz();
		return;
	}
	link = link_create(dev, func, fd, now);
	if (link == NULL)
		return;
	if (link_own_seg(link, &seg_fd) != 0) {
		shm_link_kill(link, -ENOMEM);
		return;
	}
	msg.hello.version = SHM_WIRE_VERSION;
	msg.hello.seg_size = sizeof(struct shm_wire_link);
	strlcpy(msg.hello.function, func->name, sizeof(msg.hello.function));
	shm_link_send(link, &msg, SHM_WIRE_HELLO, sizeof(msg.hello), 0, seg_fd);
}

static void
link_up(struct shm_link *link)
{
	struct shm_dev *dev = link->dev;

	link->state = SHM_LINK_UP;
	count_add(&dev->nb_hellos, -1);
	count_add(&dev->nb_links, 1);
	rte_comch_pmd_count(&dev->dev->data->stats.links);
	SHM_PEER_LOG(dev, link->func, INFO, "%s: process %u is on %s", dev->dev->data->name,
		link->pid, link->func->name);
	shm_groups_sync(dev);
}

static int
link_peer_map(struct shm_link *link, int fd)
{
	int ret;

	link->peer = shm_peer_map(fd, offsetof(struct shm_wire_link, sock_doorbell),
			sizeof(struct shm_wire_link), &ret);
	if (ret == -ENOMEM)
		shm_seg_no_room(link, ret);
	if (ret != 0)
		return ret;
	/* it rang for this message already, and the socket is read on from here */
	link->sock_seen = __atomic_load_n(&link->peer->sock_doorbell, __ATOMIC_ACQUIRE);
	return 0;
}

static int
hello_check(struct shm_link *link, const struct shm_wire_hello *hello, int fd)
{
	if (hello->version != SHM_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (hello->seg_size != sizeof(struct shm_wire_link) ||
			strncmp(hello->function, link->func->name, sizeof(hello->function)) != 0)
		return -EPROTO;
	return link_peer_map(link, fd);
}

/* Card's side. */
static void
link_hello(struct shm_link *link, struct shm_event *ev)
{
	union shm_wire_msg msg = { 0 };
	int fd = -1;
	int ret;

	ret = hello_check(link, &ev->msg.hello, ev->fd);
	if (ret == 0)
		ret = link_own_seg(link, &fd);
	if (ret == -EPROTO)
		shm_link_violation(link, "its first message is none", ev->msg.hello.version,
			ev->msg.hello.seg_size);
	if (ret == -EPROTONOSUPPORT)
		SHM_PEER_LOG(link->dev, link->func, WARNING, "%s: process %u on %s speaks version %u of the protocol, and this process version %u: run one release on both sides",
			link->dev->dev->data->name, link->pid, link->func->name,
			ev->msg.hello.version, SHM_WIRE_VERSION);
	if (ret == 0) {
		msg.hello_ack.version = SHM_WIRE_VERSION;
		msg.hello_ack.seg_size = sizeof(struct shm_wire_link);
		shm_link_send(link, &msg, SHM_WIRE_HELLO_ACK, sizeof(msg.hello_ack), 0, fd);
		if (link->state == SHM_LINK_HELLO) /* else it could not be sent */
			link_up(link);
		return;
	}
	fd_refuse(link->fd, ret);
	shm_link_kill(link, ret);
}

/* Host's side. */
static void
link_hello_ack(struct shm_link *link, struct shm_event *ev)
{
	const struct shm_wire_hello_ack *ack = &ev->msg.hello_ack;
	struct shm_dev *dev = link->dev;
	int ret = -EPROTO;

	if (ack->status != 0) {
		dev->refusal = ack->status < 0 && ack->status > -4096 ? ack->status : -EPROTO;
		if (dev->refusal == -EPROTONOSUPPORT)
			SHM_PEER_LOG(dev, link->func, NOTICE, "%s: the card's side of %s speaks version %u of the protocol, and this process version %u: run one release on both sides",
				dev->dev->data->name, link->func->name, ack->version,
				SHM_WIRE_VERSION);
		else
			SHM_PEER_LOG(dev, link->func, INFO, "%s: the card's side of %s refuses this process: %s",
				dev->dev->data->name, link->func->name, strerror(-dev->refusal));
		dev->next_connect += rte_get_tsc_hz();
		shm_link_kill(link, dev->refusal);
		return;
	}
	if (ack->version == SHM_WIRE_VERSION &&
			ack->seg_size == sizeof(struct shm_wire_link) && ev->fd >= 0)
		ret = link_peer_map(link, ev->fd);
	if (ret == 0) {
		link_up(link);
		return;
	}
	if (ret == -EPROTO)
		shm_link_violation(link, "its answer to HELLO is none", ack->version,
			ack->seg_size);
	shm_link_kill(link, ret);
}

/*
 * Nothing comes to a wake socket, and what has come is dropped: a peer's own socket, in the queue
 * of one that we keep, would never tell its end. One without a peer could still begin to listen.
 */
static bool
wake_mute(const struct shm_link *link, int fd)
{
	struct sockaddr_un addr;
	socklen_t len = sizeof(addr);
	int own;

	if (getpeername(fd, (struct sockaddr *)&addr, &len) != 0 || shutdown(fd, SHUT_RD) != 0)
		return false;
	own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (own < 0)
		return false;
	shm_fd_drain(link->dev, link->ledger, own);
	return true;
}

/*
 * It must be what cannot hold up a sender. The card's side is trusted to give an event
 * descriptor; what other users give it, their broker has made.
 */
static bool
is_wake(const struct shm_link *link, int fd)
{
	int domain, type;
	socklen_t len = sizeof(int);

	if (link->dev->role == RTE_COMCH_ROLE_HOST)
		return (fcntl(fd, F_GETFL) & O_NONBLOCK) != 0;
	return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &len) == 0 && domain == AF_UNIX &&
		getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_STREAM &&
		wake_mute(link, fd);
}

static void
link_group(struct shm_link *link, struct shm_event *ev)
{
	uint32_t group = ev->msg.group.group;
	uint32_t armed;

	if (group >= SHM_WIRE_MAX_GROUPS || !is_wake(link, ev->fd)) {
		shm_link_violation(link, "no such group, or nothing that wakes it", group,
			SHM_WIRE_MAX_GROUPS);
		shm_link_kill(link, -EPROTO);
		return;
	}
	if (link->peer_wake[group] >= 0) {
		shm_fd_drop(link->dev, link->ledger, link->peer_wake[group]);
	} else if (shm_link_take(link, SHM_LIMIT_FDS, 1) != 0) {
		shm_link_kill(link, -EUSERS);
		return;
	}
	link->peer_wake[group] = ev->fd;
	link->peer_woken[group] = 0;
	ev->fd = -1;
	/* what happened before there was a socket has waked nobody */
	armed = __atomic_load_n(&link->peer->groups[group].armed, __ATOMIC_RELAXED);
	if (armed != 0)
		shm_link_wake_locked(link, group, armed);
}

/* The peer's regions. One that there is no room for ends the link. */
static void
link_region(struct shm_link *link, struct shm_event *ev)
{
	int ret;

	if (ev->msg.hdr.type == SHM_WIRE_REGION) {
		ret = shm_peer_region_add(link, &ev->msg.region, ev->fd);
		if (ret == 0)
			ev->fd = -1;
	} else {
		ret = shm_peer_region_del(link, ev->msg.region_gone.region);
	}
	if (ret == -EPROTO)
		shm_link_violation(link, "no such region", ev->msg.region.region,
			ev->msg.hdr.type);
	if (ret != 0)
		shm_link_kill(link, ret);
}

void
shm_link_msg(struct shm_link *link, struct shm_event *ev)
{
	switch (ev->msg.hdr.type) {
	case SHM_WIRE_HELLO:
		link_hello(link, ev);
		break;
	case SHM_WIRE_HELLO_ACK:
		link_hello_ack(link, ev);
		break;
	case SHM_WIRE_GROUP:
		link_group(link, ev);
		break;
	case SHM_WIRE_REGION:
	case SHM_WIRE_REGION_GONE:
		link_region(link, ev);
		break;
	default:
		shm_chan_dispatch(link, ev); /* owns the event from here */
		return;
	}
	shm_event_drop(link, ev);
}

static struct shm_func *
dev_func_by_ptr(struct shm_dev *dev, void *ptr)
{
	struct shm_func *func = ptr;

	return func >= dev->funcs && func < dev->funcs + dev->nb_funcs ? func : NULL;
}

static bool
dev_has_link(struct shm_dev *dev, void *ptr)
{
	struct shm_link *link;

	TAILQ_FOREACH(link, &dev->links, next)
		if (link == ptr)
			return true;
	return false;
}

/*
 * The process has ended. What it has sent before may be with its broker, which says when that
 * was all; but not if somebody else has the socket, too.
 */
static void
link_left(struct shm_link *link, uint64_t now)
{
	if (!link->brokered || link->state == SHM_LINK_HELLO) {
		shm_link_kill(link, -ECONNRESET);
		return;
	}
	link->left = true;
	link->deadline = now + rte_get_tsc_hz() / MS_PER_S * SHM_LEFT_MS;
	count_add(&link->dev->nb_hellos, 1);
	epoll_ctl(link->dev->epfd, EPOLL_CTL_DEL, link->pidfd, NULL);
}

/* Whatever others have sent: there is no other one. */
static void
link_last_look(struct shm_link *link)
{
	link->dev->socks_room = RTE_MAX(link->dev->socks_room, (uint32_t)SHM_SOCK_BURST);
	shm_link_rx(link);
}

/* Not over for one that has said it: epoll has told of so many sockets at a time only. */
static void
link_hello_late(struct shm_link *link)
{
	link->refs++;
	link_last_look(link);
	if (link->left) {
		shm_link_kill(link, -ECONNRESET); /* nothing if it is dead */
	} else if (link->state == SHM_LINK_HELLO) {
		shm_link_late(link, "no HELLO");
		rte_comch_pmd_count(&link->dev->dev->data->stats.peer_lost);
		shm_link_kill(link, -ETIMEDOUT);
	}
	shm_link_put(link);
}

void
shm_service_locked(struct shm_dev *dev, uint64_t now)
{
	struct epoll_event evs[16];
	struct shm_link *link, *next;
	struct shm_func *func;
	uint32_t room = SHM_ACCEPT_BURST;
	int i, n, nb;
	uint64_t turn;

	dev->socks_room = SHM_SOCKS_BURST;
	/*
	 * In turns, or the first would be the only one when there is much to do. By
	 * chance, because looks that find no room may alternate with those that do.
	 */
	turn = rte_rand();
	link = TAILQ_FIRST(&dev->links);
	if (link != NULL && (turn & 1) != 0) {
		TAILQ_REMOVE(&dev->links, link, next);
		TAILQ_INSERT_TAIL(&dev->links, link, next);
	}
	nb = epoll_wait(dev->epfd, evs, RTE_DIM(evs), 0);
	for (n = 0; n < nb; n++) {
		i = (n + (turn >> 1)) % (uint32_t)nb;
		if (dev_func_by_ptr(dev, evs[i].data.ptr) != NULL)
			continue;
		link = (struct shm_link *)((uintptr_t)evs[i].data.ptr & ~(uintptr_t)1);
		/* a link has two descriptors: the first may have ended it */
		if (!dev_has_link(dev, link))
			continue;
		if ((evs[i].events & EPOLLOUT) != 0) {
			shm_link_flush(link);
			if (!dev_has_link(dev, link))
				continue;
		}
		if ((evs[i].events & (EPOLLHUP | EPOLLRDHUP)) != 0)
			link->hung_up = true;
		if (evs[i].data.ptr != pidfd_tag(link)) {
			shm_link_rx(link);
			continue;
		}
		/* what the peer sent before it exited is taken first */
		link_last_look(link);
		if (dev_has_link(dev, link))
			link_left(link, now);
	}
	/* last, or a new link could be where an old one was, whose events are here */
	for (n = 0; n < nb; n++) {
		i = (n + (turn >> 1)) % (uint32_t)nb;
		func = dev_func_by_ptr(dev, evs[i].data.ptr);
		if (func != NULL)
			func_accept(dev, func, now, &room);
	}
	/*
	 * A message can be taken before its sender has rung for it. Such a doorbell
	 * must count as seen, or no engine could sleep until the next message.
	 */
	for (link = TAILQ_FIRST(&dev->links); link != NULL; link = next) {
		next = TAILQ_NEXT(link, next);
		if (link->peer != NULL && __atomic_load_n(&link->peer->sock_doorbell,
				__ATOMIC_RELAXED) != link->sock_seen)
			shm_link_rx(link);
	}
	if (dev->later)
		shm_links_later(dev);
	shm_dying_check_locked(dev);
	if (dev->nb_held != 0)
		dev_listen_again(dev, now);
	/* a card's side that is slow is waited for; its end would be seen */
	if (dev->nb_hellos != 0 && dev->role == RTE_COMCH_ROLE_DPU) {
		for (link = TAILQ_FIRST(&dev->links); link != NULL; link = next) {
			next = TAILQ_NEXT(link, next);
			if ((link->state == SHM_LINK_HELLO || link->left) && now >= link->deadline)
				link_hello_late(link);
		}
	}
	if (dev->role == RTE_COMCH_ROLE_HOST)
		shm_host_connect(dev, now);
}
