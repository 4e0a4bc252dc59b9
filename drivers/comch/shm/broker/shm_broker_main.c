/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The broker: a process that stands between the card's side and processes of another user.
 * It takes the descriptors that they send, and passes on what nobody can wait for: memory
 * that can be sealed. In place of a socket to wake the peer it passes on one of its own, and
 * what is written to that wakes the peer. Others it closes, and whoever made them such that
 * this takes for ever stops this process and no other. It looks at no byte of a message.
 * No C library is here, and nothing is allocated.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "shm_broker_wire.h"
#include "dpa/prog/comch_dpa_arch.h"

#ifndef F_GET_SEALS
#define F_GET_SEALS 1034
#define F_SEAL_SHRINK 0x0002
#endif

/* Linux passes no more with one message. */
#define MAX_FDS 253
/* Messages of one socket in one turn, and in the last one. */
#define BURST 16
#define LAST_MSGS 1024
/* Those that a peer may have put into what wakes it: more than fit there. */
#define WAKE_MSGS 4096
/* Until a message is tried again that has met a limit of descriptors on their way. */
#define AGAIN_MS 10
/*
 * Such that the peers have not read, of one link and of all. The kernel counts them for the
 * user of this process, and lets it have so many that are not root's: they are others', too.
 */
#define LINK_UNREAD 16
#define MAX_UNREAD 64

/* The two ends of a link. */
enum { PEER = 0, OWN, ENDS };

/* What came from one end, and waits for room at the other. */
struct held {
	bool waits;
	bool limited; /* not for room, but for descriptors to become fewer */
	bool wakes;   /* fd is the peer's, and another one is to be passed on */
	uint32_t len;
	uint32_t nb_fds;
	int fd;
	uint8_t buf[SHM_BROKER_MSG];
};

/* What wakes the peer. */
struct wake {
	int peer; /* the peer's socket; -1: unused */
	int own;  /* written to by the process that we stand for */
};

struct link {
	bool used;
	bool settled; /* nobody else has the peer's socket */
	uint32_t unread; /* descriptors that the peer may not have read */
	int fds[ENDS];
	bool over[ENDS]; /* nothing more comes from there */
	struct held held[ENDS];
	struct wake wakes[SHM_BROKER_WAKES];
};

/* What a descriptor is passed on as that must not be: no message wants an epoll's. */
static int wrong_fd;
static struct link links[SHM_BROKER_LINKS];
static uint32_t nb_links; /* that were ever used: the first ones */
/* Sockets that the other process has, too, and closes first. */
static int parked[SHM_BROKER_PARKED];
static uint32_t nb_parked;
static uint32_t nb_unread; /* of all, also of sockets whose link has ended: */
static struct unread {
	int fd;
	uint32_t nb;
	bool settled;
} ended[MAX_UNREAD];
static uint32_t nb_ended;
static struct pollfd pfds[1 + (ENDS + SHM_BROKER_WAKES) * SHM_BROKER_LINKS];
static union {
	struct cmsghdr hdr;
	char buf[CMSG_SPACE(MAX_FDS * sizeof(int))];
} ctrl;

void *memcpy(void *dst, const void *src, size_t len);
void *memset(void *dst, int c, size_t len);

/* The compiler calls them. */
void *
memcpy(void *dst, const void *src, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((volatile char *)dst)[i] = ((const char *)src)[i];
	return dst;
}

void *
memset(void *dst, int c, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		((volatile char *)dst)[i] = (char)c;
	return dst;
}

static void
fd_close(int fd)
{
	rt_call(__NR_close, fd, 0, 0, 0, 0, 0);
}

static bool
sock_is(int fd, int opt, int value)
{
	socklen_t len = sizeof(int);
	int is;

	return rt_call(__NR_getsockopt, fd, SOL_SOCKET, opt, (long)&is, (long)&len, 0) == 0 &&
		is == value;
}

/* Made by the user of a link: else it might be a connection to somebody. */
static bool
is_of_user(int fd, int sock)
{
	struct ucred made = { 0 }, user = { 0 };
	socklen_t len = sizeof(made);

	return rt_call(__NR_getsockopt, fd, SOL_SOCKET, SO_PEERCRED, (long)&made, (long)&len,
			0) == 0 &&
		rt_call(__NR_getsockopt, sock, SOL_SOCKET, SO_PEERCRED, (long)&user, (long)&len,
			0) == 0 && made.uid == user.uid;
}

/*
 * The last close of it waits for nobody. A file in a tmpfs has seals, too, but not this one,
 * and its last close may be the end of that file system.
 */
static bool
is_memory(int fd)
{
	const long seals = rt_call(__NR_fcntl, fd, F_GET_SEALS, 0, 0, 0, 0);

	return seals >= 0 && (seals & F_SEAL_SHRINK) != 0;
}

/* Bytes, or a negative errno; descriptors are in fds[MAX_FDS]. */
static long
receive(int sock, void *buf, size_t size, int *fds, uint32_t *nb_fds)
{
	struct iovec iov = { buf, size };
	struct msghdr mh = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = ctrl.buf, .msg_controllen = sizeof(ctrl.buf),
	};
	long n = rt_call(__NR_recvmsg, sock, (long)&mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC, 0, 0, 0);

	*nb_fds = 0;
	if (n < 0 || mh.msg_controllen < sizeof(ctrl.hdr))
		return n;
	if (ctrl.hdr.cmsg_level == SOL_SOCKET && ctrl.hdr.cmsg_type == SCM_RIGHTS) {
		*nb_fds = (ctrl.hdr.cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(&ctrl.hdr), *nb_fds * sizeof(int));
	}
	/* what there was no descriptor for makes it a wrong one */
	if ((mh.msg_flags & MSG_CTRUNC) != 0 && *nb_fds == 0)
		fds[(*nb_fds)++] = -1;
	return n;
}

static long
pass_on(int sock, struct held *held)
{
	struct iovec iov = { held->buf, held->len };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };
	uint32_t i;

	if (held->nb_fds != 0) {
		mh.msg_control = ctrl.buf;
		mh.msg_controllen = CMSG_SPACE(held->nb_fds * sizeof(int));
		ctrl.hdr.cmsg_level = SOL_SOCKET;
		ctrl.hdr.cmsg_type = SCM_RIGHTS;
		ctrl.hdr.cmsg_len = CMSG_LEN(held->nb_fds * sizeof(int));
		for (i = 0; i < held->nb_fds; i++)
			memcpy(CMSG_DATA(&ctrl.hdr) + i * sizeof(int), &held->fd, sizeof(int));
	}
	return rt_call(__NR_sendmsg, sock, (long)&mh, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0, 0);
}

/*
 * Nothing more comes from an end. The peer is told at once. The process that we stand for
 * reads what is left, and then closes its end, which ends the link.
 */
static void
end_over(struct link *l, int end)
{
	l->over[end] = true;
	if (end == PEER)
		rt_call(__NR_shutdown, l->fds[OWN], SHUT_WR, 0, 0, 0, 0);
	else
		rt_call(__NR_shutdown, l->fds[PEER], SHUT_RDWR, 0, 0, 0, 0);
}

static void
fd_park(int fd)
{
	if (nb_parked < SHM_BROKER_PARKED)
		parked[nb_parked++] = fd;
	else
		fd_close(fd);
}

static void
peer_close(int fd, bool settled)
{
	if (settled)
		fd_close(fd);
	else
		fd_park(fd);
}

/* All that was sent to it: or it is gone. */
static bool
is_read(int fd)
{
	int bytes = 0;

	return rt_call(__NR_ioctl, fd, SIOCOUTQ, (long)&bytes, 0, 0, 0) != 0 || bytes == 0;
}

/* See what peers have read by now. */
static void
unread_count(void)
{
	uint32_t i;

	nb_unread = 0;
	for (i = 0; i < nb_links; i++) {
		if (!links[i].used || links[i].unread == 0)
			continue;
		if (is_read(links[i].fds[PEER]))
			links[i].unread = 0;
		nb_unread += links[i].unread;
	}
	for (i = 0; i < nb_ended;) {
		if (is_read(ended[i].fd)) {
			peer_close(ended[i].fd, ended[i].settled);
			ended[i] = ended[--nb_ended];
		} else {
			nb_unread += ended[i++].nb;
		}
	}
}

/* Whether a descriptor may be sent to a peer. */
static bool
unread_few(const struct link *l)
{
	if (l->unread < LINK_UNREAD && nb_unread < MAX_UNREAD)
		return true;
	unread_count();
	return l->unread < LINK_UNREAD && nb_unread < MAX_UNREAD;
}

/* One that has not read it all keeps its place: closed, it would count as well. */
static void
peer_end(const struct link *l)
{
	if (l->unread != 0 && !is_read(l->fds[PEER])) {
		ended[nb_ended++] = (struct unread){ l->fds[PEER], l->unread, l->settled };
		return;
	}
	nb_unread -= l->unread;
	peer_close(l->fds[PEER], l->settled);
}

static void
wake_end(struct wake *w)
{
	const int peer = w->peer;

	w->peer = -1;
	fd_close(w->own);
	fd_close(peer);
}

/* As wake_mute() in shm_link.c. To drop what has come may take for ever. */
static bool
wake_mute(int fd)
{
	uint8_t drop[SHM_BROKER_MSG];
	socklen_t len = sizeof(drop);
	long n = -ECONNRESET;
	uint32_t i;

	if (rt_call(__NR_getpeername, fd, (long)drop, (long)&len, 0, 0, 0) != 0 ||
			rt_call(__NR_shutdown, fd, SHUT_RD, 0, 0, 0, 0) != 0)
		return false;
	for (i = 0; i < WAKE_MSGS && (n > 0 || n == -ECONNRESET || n == -EINTR); i++)
		n = rt_call(__NR_recvfrom, fd, (long)drop, sizeof(drop), MSG_DONTWAIT, 0, 0);
	return n == 0;
}

static bool
is_wake(const struct link *l, int fd)
{
	return sock_is(fd, SO_DOMAIN, AF_UNIX) && sock_is(fd, SO_TYPE, SOCK_STREAM) &&
		is_of_user(fd, l->fds[PEER]) && wake_mute(fd);
}

/*
 * Of the peer's socket the one that takes its place; -1 as long as there is no room: former
 * ones go when the process that we stand for has taken the message that replaces them.
 */
static int
wake_make(struct link *l, int fd)
{
	struct wake *w = l->wakes;
	int pair[2];

	while (w != &l->wakes[SHM_BROKER_WAKES] && w->peer >= 0)
		w++;
	if (w == &l->wakes[SHM_BROKER_WAKES] || rt_call(__NR_socketpair, AF_UNIX,
			SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, (long)pair, 0, 0) != 0)
		return -1;
	w->peer = fd;
	w->own = pair[1];
	return pair[0];
}

/* The process that we stand for wakes the peer, or does so no more. */
static void
wake_turn(struct wake *w)
{
	uint8_t drop[SHM_BROKER_MSG];
	long n = rt_call(__NR_recvfrom, w->own, (long)drop, sizeof(drop), MSG_DONTWAIT, 0, 0);

	if (n == 0)
		wake_end(w);
	else if (n > 0)
		rt_call(__NR_sendto, w->peer, (long)drop, 1, MSG_DONTWAIT | MSG_NOSIGNAL, 0, 0);
}

static void
link_end(struct link *l)
{
	uint32_t i;

	l->used = false;
	/* first of all: the peer hears of its end, whatever takes long below */
	rt_call(__NR_shutdown, l->fds[PEER], SHUT_RDWR, 0, 0, 0, 0);
	fd_close(l->fds[OWN]);
	for (i = 0; i < ENDS; i++)
		if (l->held[i].waits && l->held[i].nb_fds != 0 && l->held[i].fd != wrong_fd)
			fd_close(l->held[i].fd);
	for (i = 0; i < SHM_BROKER_WAKES; i++)
		if (l->wakes[i].peer >= 0)
			wake_end(&l->wakes[i]);
	peer_end(l);
}

/* Try to pass on what is held; false if it has to wait. */
static bool
held_try(struct link *l, int end)
{
	struct held *held = &l->held[end];
	long ret = -ENOBUFS;
	int fd;

	if (held->wakes) {
		fd = wake_make(l, held->fd);
		held->wakes = fd < 0;
		held->fd = fd < 0 ? held->fd : fd;
	}
	if (!held->wakes && (end == PEER || held->nb_fds == 0 || unread_few(l)))
		ret = pass_on(l->fds[!end], held);
	if (ret > 0 && end == OWN) {
		l->unread += held->nb_fds;
		nb_unread += held->nb_fds;
	}
	held->limited = ret == -ETOOMANYREFS || ret == -ENOMEM || ret == -ENOBUFS;
	held->waits = held->limited || ret == -EAGAIN;
	if (held->waits)
		return false;
	if (held->nb_fds != 0 && held->fd != wrong_fd)
		fd_close(held->fd);
	return true;
}

/* Take a message, and pass it on; false if there is none, or no room for it. */
static bool
link_take(struct link *l, int end)
{
	struct held *held = &l->held[end];
	int fds[MAX_FDS];
	bool more = false;
	uint32_t nb_fds, i;
	long n;

	n = receive(l->fds[end], held->buf, sizeof(held->buf), fds, &nb_fds);
	if (n == -EAGAIN || n == -EINTR)
		return false;
	/* told once, before what a peer has said that closed without reading all */
	if (n == -ECONNRESET)
		return true;
	if (n <= 0) {
		end_over(l, end);
		goto drop;
	}
	held->len = (uint32_t)n;
	held->fd = nb_fds != 0 ? fds[0] : -1;
	held->nb_fds = nb_fds;
	held->wakes = end == PEER && nb_fds == 1 && is_wake(l, fds[0]);
	if (end == OWN || nb_fds == 0 || held->wakes || (nb_fds == 1 && is_memory(fds[0])))
		return held_try(l, end);
	held->fd = wrong_fd;
	held->nb_fds = nb_fds == 1 ? 1 : 2;
	more = held_try(l, end);
drop:
	/* last, as it may take for ever */
	for (i = 0; i < nb_fds; i++)
		if (fds[i] >= 0)
			fd_close(fds[i]);
	return more;
}

/* With the places of its descriptors in the poll, which it tells the number of. */
static uint32_t
link_turn(struct link *l, const struct pollfd *pfd)
{
	uint32_t at = ENDS;
	int end, i;

	for (i = 0; i < SHM_BROKER_WAKES; i++)
		if (l->wakes[i].peer >= 0 && pfd[at++].revents != 0)
			wake_turn(&l->wakes[i]);
	/* closed by the process that we stand for: its last words are left */
	if ((pfd[OWN].revents & (POLLHUP | POLLERR)) != 0) {
		for (i = 0; i < LAST_MSGS && !l->held[OWN].waits && link_take(l, OWN); i++)
			;
		link_end(l);
		return at;
	}
	for (end = 0; end < ENDS; end++) {
		if (l->held[end].waits && !held_try(l, end))
			continue;
		if (pfd[end].revents == 0 || l->over[end])
			continue;
		for (i = 0; i < BURST && !l->held[end].waits && link_take(l, end); i++)
			;
	}
	return at;
}

/* Whoever has sent what came before has closed it. */
static void
settle(void)
{
	uint32_t i;

	for (i = 0; i < nb_links; i++)
		links[i].settled = true;
	for (i = 0; i < nb_ended; i++)
		ended[i].settled = true;
	unread_count();
	while (nb_parked != 0)
		fd_close(parked[--nb_parked]);
}

/* A new link, or a socket to be closed; false if there is none. */
static bool
sock_take(void)
{
	int fds[MAX_FDS];
	uint32_t i, nb;
	char byte;
	long n = receive(SHM_BROKER_SOCK, &byte, 1, fds, &nb);

	if (n == 0)
		rt_call(__NR_exit_group, 0, 0, 0, 0, 0, 0);
	if (n != 1)
		return false;
	if (nb == 0)
		settle();
	for (i = 0; nb == 2 && i < SHM_BROKER_LINKS; i++) {
		if (links[i].used)
			continue;
		nb_links = i < nb_links ? nb_links : i + 1;
		links[i].used = true;
		links[i].settled = false;
		links[i].unread = 0;
		for (nb = 0; nb < SHM_BROKER_WAKES; nb++)
			links[i].wakes[nb].peer = -1;
		links[i].fds[PEER] = fds[0];
		links[i].fds[OWN] = fds[1];
		links[i].over[PEER] = links[i].over[OWN] = false;
		links[i].held[PEER].waits = links[i].held[OWN].waits = false;
		return true;
	}
	for (i = 0; i < nb; i++)
		if (fds[i] >= 0)
			fd_park(fds[i]);
	return true;
}

/* What to wait for. How many there are; and whether some are to be tried without an event. */
static uint32_t
poll_fill(bool *again)
{
	const struct held *from, *to;
	uint32_t nb = 0, i, end;
	const struct link *l;

	*again = false;
	pfds[nb++] = (struct pollfd){ SHM_BROKER_SOCK, POLLIN, 0 };
	for (i = 0; i < nb_links; i++) {
		l = &links[i];
		if (!l->used)
			continue;
		for (end = 0; end < ENDS; end++) {
			from = &l->held[end];
			to = &l->held[!end];
			*again |= from->waits && from->limited;
			pfds[nb].events = l->over[end] || from->waits ? 0 : POLLIN;
			pfds[nb].events |= to->waits && !to->limited ? POLLOUT : 0;
			/* a peer that has hung up would be told of without end */
			pfds[nb].fd = end == PEER && pfds[nb].events == 0 ? -1 : l->fds[end];
			pfds[nb++].revents = 0;
		}
		for (end = 0; end < SHM_BROKER_WAKES; end++)
			if (l->wakes[end].peer >= 0)
				pfds[nb++] = (struct pollfd){ l->wakes[end].own, POLLIN, 0 };
	}
	return nb;
}

_Noreturn void comch_dpa_rt_start(void);

_Noreturn void
comch_dpa_rt_start(void)
{
	struct { int64_t sec, nsec; } pause;
	uint32_t nb, at, i;
	bool again;

	wrong_fd = (int)rt_call(__NR_epoll_create1, 0, 0, 0, 0, 0, 0);
	for (;;) {
		nb = poll_fill(&again);
		pause.sec = 0; /* the kernel leaves what is left of it */
		pause.nsec = AGAIN_MS * 1000000;
		rt_call(__NR_ppoll, (long)pfds, nb, again ? (long)&pause : 0, 0, 0, 0);
		for (i = 0, at = 1; i < nb_links && at < nb; i++) {
			if (!links[i].used)
				continue;
			at += link_turn(&links[i], &pfds[at]);
		}
		/* last: a new link may take the place of an old one */
		for (i = 0; pfds[0].revents != 0 && i < BURST && sock_take(); i++)
			;
	}
}

__asm__(".globl _start\n.type _start, %function\n" RT_START);
