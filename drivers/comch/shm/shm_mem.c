/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Shared segments: making ours so that the peer can only read them, and mapping
 * the peer's so that nothing it does later can hurt. No protocol lives here.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "comch_shm.h"

/* Linux 5.1; glibc of Debian 12 has it only with newer kernel headers */
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef HUGETLBFS_MAGIC
#define HUGETLBFS_MAGIC 0x958458f6
#endif

/*
 * Without SHRINK the owner could truncate and our next load would be a SIGBUS;
 * FUTURE_WRITE also forbids to punch holes, and forbids the peer to write.
 */
#define SHM_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)

int
shm_seg_create(struct shm_seg *seg, uint32_t hdr_size, uint32_t size)
{
	struct shm_wire_seg *hdr;
	int ret;

	seg->fd = memfd_create("comch_shm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (seg->fd < 0)
		return -errno;
	/* allocated now: a lack of memory is an error here, and a SIGBUS later */
	if (ftruncate(seg->fd, size) != 0 || fallocate(seg->fd, 0, 0, size) != 0) {
		ret = -errno;
		goto fail;
	}
	seg->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
			seg->fd, 0);
	if (seg->map == MAP_FAILED) {
		ret = -errno;
		goto fail;
	}
	if (fcntl(seg->fd, F_ADD_SEALS, SHM_SEALS) != 0) {
		ret = -errno;
		munmap(seg->map, size);
		goto fail;
	}
	seg->size = size;
	hdr = seg->map;
	hdr->magic = SHM_WIRE_MAGIC;
	hdr->version = SHM_WIRE_VERSION;
	hdr->hdr_size = hdr_size;
	hdr->size = size;
	return 0;
fail:
	close(seg->fd);
	seg->fd = -1;
	seg->map = NULL;
	return ret;
}

void
shm_seg_free(struct shm_seg *seg)
{
	if (seg->map == NULL)
		return;
	munmap(seg->map, seg->size);
	if (seg->fd >= 0)
		close(seg->fd);
	memset(seg, 0, sizeof(*seg));
	seg->fd = -1;
}

/*
 * Whether a descriptor of the peer is memory of this size at least, all of it
 * there, and sealed so; and of which pages. Without F_SEAL_SHRINK the owner could
 * truncate it, and our next access be a SIGBUS.
 */
enum shm_peer_pages
shm_peer_fd_check(int fd, uint64_t size, uint32_t seals)
{
	struct statfs fs;
	struct stat st;
	int has;

	seals |= F_SEAL_SHRINK;
	has = fcntl(fd, F_GET_SEALS);
	if (has < 0 || ((uint32_t)has & seals) != seals)
		return SHM_PEER_BAD;
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || size == 0 ||
			(uint64_t)st.st_size < size)
		return SHM_PEER_BAD;
	/* where there are holes, the memory would be ours as soon as we touch it */
	if (lseek(fd, 0, SEEK_HOLE) < (off_t)size || fstatfs(fd, &fs) != 0)
		return SHM_PEER_BAD;
	if (fs.f_type == TMPFS_MAGIC)
		return SHM_PEER_SMALL;
	/* a part of a huge page cannot be mapped */
	return fs.f_type == HUGETLBFS_MAGIC && size % (uint64_t)st.st_blksize == 0 ?
		SHM_PEER_HUGE : SHM_PEER_BAD;
}

/* NULL if the descriptor is not what its sender says. It stays the caller's. */
const void *
shm_peer_map(int fd, uint32_t hdr_size, uint32_t size)
{
	const struct shm_wire_seg *hdr;
	void *map;

	/* huge pages have other rules of mapping, and pools that run empty */
	if (size < hdr_size ||
			shm_peer_fd_check(fd, size, F_SEAL_FUTURE_WRITE) != SHM_PEER_SMALL)
		return NULL;
	map = mmap(NULL, size, PROT_READ, MAP_SHARED | MAP_POPULATE, fd, 0);
	if (map == MAP_FAILED)
		return NULL;
	hdr = map;
	if (__atomic_load_n(&hdr->magic, __ATOMIC_RELAXED) != SHM_WIRE_MAGIC ||
			__atomic_load_n(&hdr->hdr_size, __ATOMIC_RELAXED) != hdr_size ||
			__atomic_load_n(&hdr->size, __ATOMIC_RELAXED) != size) {
		munmap(map, size);
		return NULL;
	}
	return map;
}

void
shm_peer_unmap(const void *map, uint32_t size)
{
	if (map != NULL)
		munmap((void *)(uintptr_t)map, size);
}

/*
 * Descriptors of unknown peers. Whoever drops the last reference to a socket that was told
 * to linger waits until its data is acknowledged, which may be never. That is not only
 * who closes it, but also who closes a socket that it waits in, or takes a message and
 * has no room for it. So all of them are taken, and told not to linger.
 */

/* Sockets can wait in sockets, but the kernel has a limit, too. */
#define SHM_DROP_DEPTH 8
/* More than fit in a socket: bounded, whatever the kernel says. */
#define SHM_DRAIN_MSGS 65536

static void fd_close(int fd, unsigned int depth);

/* The number of descriptors that came. */
static uint32_t
scm_take(struct msghdr *mh, int *fds)
{
	struct cmsghdr *cmsg;
	uint32_t nb = 0;
	size_t n;

	for (cmsg = CMSG_FIRSTHDR(mh); cmsg != NULL; cmsg = CMSG_NXTHDR(mh, cmsg)) {
		if (cmsg->cmsg_level != SOL_SOCKET || cmsg->cmsg_type != SCM_RIGHTS)
			continue;
		n = (cmsg->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		n = RTE_MIN(n, (size_t)(SHM_SCM_MAX_FDS - nb));
		memcpy(&fds[nb], CMSG_DATA(cmsg), n * sizeof(int));
		nb += n;
	}
	return nb;
}

/* One message and its descriptors. */
ssize_t
shm_sock_recv(int sock, void *buf, size_t size, struct shm_sock_got *got)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(SHM_SCM_MAX_FDS * sizeof(int)) +
			CMSG_SPACE(sizeof(struct ucred))];
	} ctrl;
	struct iovec iov = { buf, size };
	struct msghdr mh = {
		.msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = ctrl.buf, .msg_controllen = sizeof(ctrl.buf),
	};
	ssize_t n = recvmsg(sock, &mh, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	got->nb_fds = 0;
	if (n < 0)
		return n;
	got->nb_fds = scm_take(&mh, got->fds);
	got->flags = mh.msg_flags;
	got->told = mh.msg_controllen != 0;
	return n;
}

static bool
sock_is(int fd, int opt, int value)
{
	socklen_t len = sizeof(int);
	int is;

	return getsockopt(fd, SOL_SOCKET, opt, &is, &len) == 0 && is == value;
}

/* One message less; false if there is none. */
static bool
sock_drop_one(int sock, bool stream, unsigned int depth)
{
	struct shm_sock_got got;
	char drop[256];
	ssize_t n = shm_sock_recv(sock, drop, sizeof(drop), &got);
	uint32_t i;

	for (i = 0; i < got.nb_fds; i++)
		fd_close(got.fds[i], depth);
	if (n < 0)
		return errno == ECONNRESET || errno == EINTR;
	return n > 0 || (!stream && got.told);
}

/* What waits in a socket is taken out of it, and nothing more can come in. */
static void
sock_drain(int sock, unsigned int depth)
{
	/* the end of a stream is told from messages of no bytes: it has none */
	const bool stream = sock_is(sock, SO_TYPE, SOCK_STREAM);
	const int on = 1;
	uint32_t left = SHM_DRAIN_MSGS;
	bool more = true;

	/* each message has its sender with it, and the end has not */
	setsockopt(sock, SOL_SOCKET, SO_PASSCRED, &on, sizeof(on));
	shutdown(sock, SHUT_RD);
	while (more && left-- != 0)
		more = sock_drop_one(sock, stream, depth);
}

static void
listener_drain(int sock, unsigned int depth)
{
	int fd;

	shutdown(sock, SHUT_RD);
	fcntl(sock, F_SETFL, O_NONBLOCK);
	while ((fd = accept4(sock, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0)
		fd_close(fd, depth);
}

static void
fd_close(int fd, unsigned int depth)
{
	const struct linger off = { .l_onoff = 0 };

	if (setsockopt(fd, SOL_SOCKET, SO_LINGER, &off, sizeof(off)) == 0 &&
			depth < SHM_DROP_DEPTH && sock_is(fd, SO_DOMAIN, AF_UNIX)) {
		if (sock_is(fd, SO_ACCEPTCONN, 1))
			listener_drain(fd, depth + 1);
		else
			sock_drain(fd, depth + 1);
	}
	close(fd);
}

/* Close what a peer sent, or what it can send to. It may be anything, and take for ever. */
void
shm_fd_close(int fd)
{
	fd_close(fd, 0);
}
