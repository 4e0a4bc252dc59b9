/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Sockets: sending and receiving one message with its descriptor, and the checks
 * that need no look into it. What messages mean is elsewhere: those of links in
 * shm_link.c, those of connections in shm_dispatch.c. The device's lock is held
 * everywhere in this file.
 */

#include <errno.h>
#include <linux/sockios.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "comch_shm.h"

/* What the dispatcher checks for each type before anything looks inside. */
static const struct {
	uint16_t len;
	bool from_host; /* may come from the host */
	bool from_dpu;
	int8_t fds; /* -1: 0 or 1, as the message itself says */
} shm_types[SHM_WIRE_TYPES] = {
	[SHM_WIRE_HELLO] = { sizeof(struct shm_wire_hello), true, false, 1 },
	[SHM_WIRE_HELLO_ACK] = { sizeof(struct shm_wire_hello_ack), false, true, -1 },
	[SHM_WIRE_GROUP] = { sizeof(struct shm_wire_group), true, true, 1 },
	[SHM_WIRE_CONNECT] = { sizeof(struct shm_wire_connect), true, false, 0 },
	[SHM_WIRE_ACCEPT] = { sizeof(struct shm_wire_accept), false, true, -1 },
	[SHM_WIRE_REFUSE] = { sizeof(struct shm_wire_reason), false, true, 0 },
	[SHM_WIRE_READY] = { sizeof(struct shm_wire_ready), true, false, -1 },
	[SHM_WIRE_CLOSE] = { sizeof(struct shm_wire_reason), true, true, 0 },
	[SHM_WIRE_CLOSED] = { sizeof(struct shm_wire_hdr), true, true, 0 },
	[SHM_WIRE_REGION] = { sizeof(struct shm_wire_region), true, true, 1 },
	[SHM_WIRE_REGION_GONE] = { sizeof(struct shm_wire_region_gone), true, true, 0 },
	[SHM_WIRE_CONSUMER] = { sizeof(struct shm_wire_consumer), true, true, 1 },
	[SHM_WIRE_CONSUMER_ACK] = { sizeof(struct shm_wire_consumer_ack), true, true, -1 },
	[SHM_WIRE_CONSUMER_GONE] = { sizeof(struct shm_wire_consumer_id), true, true, 0 },
};

/* All but its message. */
void
shm_event_init(struct shm_event *ev, int fd)
{
	ev->fd = fd;
	ev->region = NULL;
	ev->rc = NULL;
	ev->seg = NULL;
	ev->work = NULL;
	ev->ret = 0;
}

void
shm_event_drop(struct shm_link *link, struct shm_event *ev)
{
	if (ev->fd >= 0)
		shm_fd_drop(link->dev, link->ledger, ev->fd);
	rte_mempool_put(link->dev->events, ev);
}

/* Have a service try again now and then. Relaxed: engines only look whether they have to. */
static void
link_later(struct shm_link *link)
{
	__atomic_store_n(&link->dev->later, true, __ATOMIC_RELAXED);
}

/* What wakes engines. The end of a socket cannot be left out, but told once. */
static void
link_epoll(struct shm_link *link)
{
	struct epoll_event ev = {
		.events = (link->rx_later ? EPOLLET : EPOLLIN | EPOLLRDHUP) |
			(link->tx_full ? EPOLLOUT : 0),
		.data.ptr = link,
	};

	epoll_ctl(link->dev->epfd, EPOLL_CTL_MOD, link->fd, &ev);
}

/*
 * What the first queued message waits for: -EAGAIN, room in the socket, which epoll tells;
 * -ENOBUFS, what other links of the user have as well. Epoll would call such a socket
 * writable without end, so a service tries again. Or 0.
 */
static void
link_tx_wait(struct shm_link *link, int ret)
{
	link->tx_full = ret == -EAGAIN;
	link->tx_later = ret == -ENOBUFS;
	if (link->tx_later)
		link_later(link);
	link_epoll(link);
}

/*
 * It has to read before it asks for more: a burst of an honest peer ends no link. One that is
 * late has had the time.
 */
static bool
link_answers_wait(const struct shm_link *link)
{
	return link->nb_tx_fds >= SHM_TX_FDS_WAIT && !link->late;
}

/*
 * There is nothing to put a message in, or an answer: it stays in the socket. An engine that
 * stands may have all events of a user, and to look at the socket meanwhile would cost the
 * others.
 */
static void
link_rx_wait(struct shm_link *link)
{
	const uint64_t now = rte_get_tsc_cycles();

	link_later(link);
	if (!link->rx_later) {
		link->rx_later = true;
		link->ledger->nb_rx_later++;
		link->rx_told = now + rte_get_tsc_hz() / MS_PER_S * SHM_STANDS_MS;
		link_epoll(link);
	} else if (now >= link->rx_told && !link_answers_wait(link)) {
		link->rx_told = UINT64_MAX;
		SHM_PEER_LOG(link->dev, link->func, WARNING, "%s: messages of process %u on %s wait for a progress engine that stands: progress each that has servers or clients of this device",
			link->dev->dev->data->name, link->pid, link->func->name);
	}
}

static void
link_rx_go(struct shm_link *link)
{
	link->rx_later = false;
	link->ledger->nb_rx_later--;
	link_epoll(link);
}

/*
 * Descriptors that nobody has read count for the user of this process, and there may be few of
 * these: with its broker, another user leaves them to this process.
 */
static bool
link_unread_enough(struct shm_link *link)
{
	int bytes = 0;

	if (!link->brokered || link->unread++ < SHM_BROKER_UNREAD)
		return false;
	if (ioctl(link->fd, SIOCOUTQ, &bytes) == 0 && bytes != 0)
		return true;
	link->unread = 1;
	return false;
}

static int
link_sendmsg(struct shm_link *link, const union shm_wire_msg *msg, int fd)
{
	int ret;

	if (fd >= 0 && link_unread_enough(link))
		return -ENOBUFS;
	ret = shm_sock_send(link->fd, msg, msg->hdr.len, &fd, fd >= 0 ? 1 : 0);

	/* descriptors on their way are counted for the user: other links' too */
	if (ret == -ETOOMANYREFS || ret == -ENOMEM)
		return -ENOBUFS;
	if (ret != 0)
		return ret;
	/* pairs with the acquire in shm_link_rx(): sent, then rung; the poll only looks */
	__atomic_store_n(&link->own->sock_doorbell, link->own->sock_doorbell + 1, __ATOMIC_RELEASE);
	return 0;
}

/*
 * A descriptor that the peer made us open, by asking for something. Others are of our own
 * clients, consumers, regions and groups.
 */
static bool
is_answer_fd(uint16_t type, int fd)
{
	return fd >= 0 && (type == SHM_WIRE_HELLO_ACK || type == SHM_WIRE_ACCEPT);
}

/* What waits counts for the user that does not read. */
static struct shm_txmsg *
txmsg_alloc(struct shm_link *link, bool answer_fd)
{
	struct shm_txmsg *tx = NULL;

	if (shm_link_take(link, SHM_LIMIT_MEM, sizeof(*tx)) != 0)
		return NULL;
	if (!answer_fd || shm_link_take(link, SHM_LIMIT_FDS, 1) == 0) {
		tx = malloc(sizeof(*tx));
		if (tx == NULL && answer_fd)
			shm_link_give(link, SHM_LIMIT_FDS, 1);
	}
	if (tx == NULL)
		shm_link_give(link, SHM_LIMIT_MEM, sizeof(*tx));
	return tx;
}

void
shm_txmsg_free(struct shm_link *link, struct shm_txmsg *tx)
{
	if (is_answer_fd(tx->msg.hdr.type, tx->fd))
		shm_link_give(link, SHM_LIMIT_FDS, 1);
	shm_link_give(link, SHM_LIMIT_MEM, sizeof(*tx));
	if (tx->fd >= 0)
		close(tx->fd);
	free(tx);
}

static bool
tx_waits(int ret)
{
	return ret == -EAGAIN || ret == -ENOBUFS;
}

/*
 * What was not sent makes the two sides differ, which ends the link: true. A peer that left
 * is seen by other means.
 */
static bool
link_tx_failed(struct shm_link *link, int ret)
{
	if (ret == 0 || ret == -EPIPE || ret == -ECONNRESET)
		return false;
	SHM_PEER_LOG(link->dev, link->func, ERR, "%s: cannot send to process %u: %s",
		link->dev->dev->data->name, link->pid, strerror(-ret));
	shm_link_kill(link, -ECONNRESET);
	return true;
}

/*
 * Send, or keep until there is room. The descriptor is closed in either case. The header is
 * set here, but for the word taken, which is the caller's.
 * A link that is lost takes everything and does nothing: its end is on the way.
 */
int
shm_link_send(struct shm_link *link, union shm_wire_msg *msg, uint16_t type,
		uint16_t len, uint32_t chan, int fd)
{
	struct shm_txmsg *tx;
	int ret = -EAGAIN;

	msg->hdr.magic = SHM_WIRE_MAGIC;
	msg->hdr.type = type;
	msg->hdr.len = len;
	msg->hdr.chan = chan;
	if (link->state == SHM_LINK_DEAD) {
		ret = 0;
		goto done;
	}
	if (link->nb_txq == 0)
		ret = link_sendmsg(link, msg, fd);
	if (!tx_waits(ret)) {
		link_tx_failed(link, ret);
		goto done;
	}
	tx = NULL;
	if (link->nb_txq < SHM_MAX_TXQ && (!is_answer_fd(type, fd) ||
			link->nb_tx_fds < SHM_MAX_TX_FDS))
		tx = txmsg_alloc(link, is_answer_fd(type, fd));
	if (tx == NULL) {
		shm_link_violation(link, "does not read its socket", link->nb_txq, type);
		shm_link_kill(link, -EPROTO);
		goto done;
	}
	memcpy(&tx->msg, msg, len);
	tx->fd = fd;
	link->nb_tx_fds += is_answer_fd(type, fd);
	STAILQ_INSERT_TAIL(&link->txq, tx, next);
	if (link->nb_txq++ == 0) {
		link_tx_wait(link, ret);
		if (ret == -ENOBUFS)
			shm_groups_sync(link->dev); /* all may sleep, and no event tells of it */
	}
	return 0;
done:
	if (fd >= 0)
		close(fd);
	return ret;
}

/* Send what waits. It may be the link's end. */
void
shm_link_flush(struct shm_link *link)
{
	struct shm_txmsg *tx;
	int ret;

	while ((tx = STAILQ_FIRST(&link->txq)) != NULL) {
		ret = link_sendmsg(link, &tx->msg, tx->fd);
		if (tx_waits(ret)) {
			link_tx_wait(link, ret);
			return;
		}
		STAILQ_REMOVE_HEAD(&link->txq, next);
		link->nb_txq--;
		link->nb_tx_fds -= is_answer_fd(tx->msg.hdr.type, tx->fd);
		shm_txmsg_free(link, tx);
		if (link_tx_failed(link, ret))
			return;
	}
	link_tx_wait(link, 0);
}

/* Is it a message at all, and one that may come now? */
static bool
msg_check(const struct shm_link *link, const union shm_wire_msg *msg, ssize_t n, uint32_t nb_fds)
{
	bool from_host = link->dev->role == RTE_COMCH_ROLE_DPU;
	uint16_t type = msg->hdr.type;

	if (n < (ssize_t)sizeof(msg->hdr) || msg->hdr.magic != SHM_WIRE_MAGIC)
		return false;
	if (type == 0 || type >= SHM_WIRE_TYPES)
		return false;
	if (n != shm_types[type].len || msg->hdr.len != n)
		return false;
	if (from_host ? !shm_types[type].from_host : !shm_types[type].from_dpu)
		return false;
	if (shm_types[type].fds < 0 ? nb_fds > 1 : nb_fds != (uint32_t)shm_types[type].fds)
		return false;
	if (link->state == SHM_LINK_HELLO)
		return type == SHM_WIRE_HELLO || type == SHM_WIRE_HELLO_ACK;
	return type != SHM_WIRE_HELLO && type != SHM_WIRE_HELLO_ACK;
}

/*
 * What the peer's doorbell says is in the socket, or with the broker between: that rings for
 * nobody, so engines look more often for a while.
 */
static void
sock_seen_set(struct shm_link *link)
{
	/* pairs with the release in link_sendmsg() */
	const uint32_t sent = __atomic_load_n(&link->peer->sock_doorbell, __ATOMIC_ACQUIRE);

	if (sent != link->sock_seen && (int32_t)(sent - link->sock_got) > 0)
		link->dev->due_until = rte_get_tsc_cycles() +
			rte_get_tsc_hz() / MS_PER_S * SHM_SERVICE_MS;
	/* relaxed: engines only compare it */
	__atomic_store_n(&link->sock_seen, sent, __ATOMIC_RELAXED);
}

/* Have the next poll come here again. Relaxed: engines only compare it. */
static void
sock_seen_undo(struct shm_link *link)
{
	__atomic_store_n(&link->sock_seen, link->sock_seen - 1, __ATOMIC_RELAXED);
}

/* A close that does not return, and not a thread of ours without a core. */
static bool
fds_over_long(struct shm_link *link)
{
	uint64_t now = rte_get_tsc_cycles();

	if (link->fds_over == 0)
		link->fds_over = now + rte_get_tsc_hz() / MS_PER_S * SHM_SENT_FDS_MS;
	return now > link->fds_over;
}

/* Why a message ends its link, or 0. */
static int
link_got_check(struct shm_link *link, const union shm_wire_msg *msg, ssize_t n,
		const struct shm_sock_got *got)
{
	/* descriptors that this process had no room for: they are sent once */
	if ((got->flags & MSG_CTRUNC) != 0) {
		shm_seg_no_room(link, -EMFILE);
		return -EMFILE;
	}
	if ((got->flags & MSG_TRUNC) == 0 && msg_check(link, msg, n, got->nb_fds))
		return 0;
	shm_link_violation(link, "no message of this protocol",
		n < (ssize_t)sizeof(msg->hdr) ? 0 : msg->hdr.type, n);
	return -EPROTO;
}

/* One message; false if there is none, or no event to put it in. */
static bool
link_rx_one(struct shm_link *link)
{
	struct shm_dev *dev = link->dev;
	struct shm_sock_got got;
	struct shm_event *ev;
	uint32_t i;
	void *obj;
	ssize_t n;
	int ret;

	/* what it has sent is not closed as fast as it sends: it waits, if it may be our thread */
	if (!shm_ledger_fds_over(dev, link->ledger)) {
		link->fds_over = 0;
	} else if (fds_over_long(link)) {
		shm_link_kill(link, -EUSERS);
		return false;
	} else {
		link_rx_wait(link);
		return false;
	}
	/* one user must not take the events of the others */
	if (link_answers_wait(link) || !shm_ledger_has(dev, link->ledger, SHM_LIMIT_EVENTS, 1) ||
			rte_mempool_get(dev->events, &obj) != 0) {
		link_rx_wait(link);
		return false;
	}
	if (link->rx_later)
		link_rx_go(link);
	ev = obj;
	n = shm_sock_recv(link->fd, &ev->msg, sizeof(ev->msg), &got);
	/* told once, and before what a peer said that closed without reading all */
	if (n < 0 && errno == ECONNRESET)
		n = shm_sock_recv(link->fd, &ev->msg, sizeof(ev->msg), &got);
	if (n < 0) {
		ret = errno;
		rte_mempool_put(dev->events, ev);
		if (ret != EAGAIN && ret != EINTR)
			shm_link_kill(link, -ECONNRESET);
		return false;
	}
	shm_event_init(ev, got.nb_fds == 0 ? -1 : got.fds[0]);
	for (i = 1; i < got.nb_fds; i++)
		shm_fd_drop(dev, link->ledger, got.fds[i]);
	if (n == 0) {
		shm_event_drop(link, ev);
		shm_link_kill(link, -ECONNRESET);
		return false;
	}
	ret = link_got_check(link, &ev->msg, n, &got);
	if (ret != 0) {
		shm_event_drop(link, ev);
		shm_link_kill(link, ret);
		return false;
	}
	link->sock_got++;
	shm_link_msg(link, ev);
	return link->state != SHM_LINK_DEAD;
}

void
shm_link_rx(struct shm_link *link)
{
	const uint32_t most = RTE_MIN(RTE_MAX(link->dev->socks_room, (uint32_t)SHM_SOCK_LEAST),
			(uint32_t)SHM_SOCK_BURST);
	bool more = true;
	uint32_t i;

	link->refs++; /* each message can be its end */
	/* before the socket: what is rung from here on is looked at again */
	if (link->peer != NULL)
		sock_seen_set(link);
	for (i = 0; i < most && more; i++)
		more = link_rx_one(link);
	link->dev->socks_room -= RTE_MIN(link->dev->socks_room, i);
	if (more)
		sock_seen_undo(link); /* perhaps there are more */
	shm_link_put(link);
}

/*
 * Before the peer of a link that is up is blamed for its silence: take what it has sent
 * while no engine of ours had a core. False if some of it may be left.
 */
bool
shm_link_rx_late(struct shm_link *link)
{
	link->late = true;
	shm_link_rx(link);
	link->late = false;
	/* relaxed: as the engines compare them */
	return !link->rx_later &&
		__atomic_load_n(&link->peer->sock_doorbell, __ATOMIC_RELAXED) == link->sock_seen;
}

/* Events of a user are free again: enough of them, or each would bring all of its links here. */
void
shm_links_rx_again(struct shm_dev *dev, struct shm_ledger *ledger)
{
	struct shm_link *link;

	if (!shm_ledger_has(dev, ledger, SHM_LIMIT_EVENTS, SHM_USER_EVENTS / 2))
		return;
	TAILQ_FOREACH(link, &dev->links, next) {
		if (link->ledger != ledger || !link->rx_later || link_answers_wait(link))
			continue;
		link_rx_go(link);
		sock_seen_undo(link);
	}
}

/* What no event tells of. */
void
shm_links_later(struct shm_dev *dev)
{
	struct shm_link *link, *next;

	__atomic_store_n(&dev->later, false, __ATOMIC_RELAXED);
	for (link = TAILQ_FIRST(&dev->links); link != NULL; link = next) {
		next = TAILQ_NEXT(link, next);
		link->refs++;
		if (link->tx_later)
			shm_link_flush(link);
		if (link->rx_later)
			shm_link_rx(link);
		shm_link_put(link);
	}
}
