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

#include <rte_cycles.h>

#include "comch_shm.h"

/* Linux 5.1; glibc of Debian 12 has it only with newer kernel headers */
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MADV_POPULATE_WRITE /* Linux 5.14 */
#define MADV_POPULATE_WRITE 23
#endif
#ifndef HUGETLBFS_MAGIC
#define HUGETLBFS_MAGIC 0x958458f6
#endif

/*
 * Without SHRINK the owner could truncate and our next load would be a SIGBUS;
 * FUTURE_WRITE also forbids to punch holes, and forbids the peer to write.
 */
#define SHM_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL)

/* Between two pieces of memory that is populated. */
#define POPULATE_PAUSE_US 20

/*
 * Have pages in our page tables before they are used; an old kernel cannot. In pieces, and with
 * pauses: without, another thread that maps something waits for all of it.
 */
void
shm_populate(void *map, uint64_t size)
{
	uint64_t off;

	for (off = 0; off < size; off += SHM_TURN_BYTES) {
		if (off != 0)
			rte_delay_us_sleep(POPULATE_PAUSE_US);
		madvise((uint8_t *)map + off, RTE_MIN(size - off, (uint64_t)SHM_TURN_BYTES),
			MADV_POPULATE_WRITE);
	}
}

int
shm_seg_create(struct shm_seg *seg, uint32_t hdr_size, uint32_t size)
{
	const int populate = size <= SHM_TURN_BYTES ? MAP_POPULATE : 0;
	struct shm_wire_seg *hdr;
	int ret;

	seg->fd = memfd_create("comch_shm", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (seg->fd < 0)
		return -errno;
	/* allocated now: a lack of memory is an error here, and a SIGBUS later */
	if (ftruncate(seg->fd, size) != 0 || fallocate(seg->fd, 0, 0, size) != 0) {
		/* no room in the file: with vm.overcommit_memory=2, or no memory at all */
		ret = errno == ENOSPC ? -ENOMEM : -errno;
		goto fail;
	}
	seg->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | populate, seg->fd, 0);
	if (seg->map == MAP_FAILED) {
		ret = -errno;
		goto fail;
	}
	if (populate == 0)
		shm_populate(seg->map, size);
	/* what the kernel has not populated is a hole of the file, which the peer refuses */
	if (lseek(seg->fd, 0, SEEK_HOLE) < (off_t)size)
		memset(seg->map, 0, size);
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

/* Map what a peer has sent: -EPROTO if its mode or its seals forbid it, else it is our failure. */
int
shm_peer_fd_map(int fd, uint64_t size, int prot, int flags, void **map)
{
	*map = mmap(NULL, size, prot, MAP_SHARED | flags, fd, 0);
	if (*map != MAP_FAILED)
		return 0;
	*map = NULL;
	return errno == EACCES || errno == EPERM ? -EPROTO : -ENOMEM;
}

/*
 * Sets ret to 0; or returns NULL, and ret is -EPROTO if the descriptor is not what its sender
 * says, -ENOMEM if this process can map no more. The descriptor stays the caller's.
 */
const void *
shm_peer_map(int fd, uint32_t hdr_size, uint32_t size, int *ret)
{
	const struct shm_wire_seg *hdr;
	void *map;

	*ret = -EPROTO;
	/* huge pages have other rules of mapping, and pools that run empty */
	if (size < hdr_size ||
			shm_peer_fd_check(fd, size, F_SEAL_FUTURE_WRITE) != SHM_PEER_SMALL)
		return NULL;
	*ret = shm_peer_fd_map(fd, size, PROT_READ, MAP_POPULATE, &map);
	if (*ret != 0)
		return NULL;
	hdr = map;
	if (__atomic_load_n(&hdr->magic, __ATOMIC_RELAXED) != SHM_WIRE_MAGIC ||
			__atomic_load_n(&hdr->hdr_size, __ATOMIC_RELAXED) != hdr_size ||
			__atomic_load_n(&hdr->size, __ATOMIC_RELAXED) != size) {
		munmap(map, size);
		*ret = -EPROTO;
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
 * Sockets
 */

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
		char buf[CMSG_SPACE(SHM_SCM_MAX_FDS * sizeof(int))];
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
	return n;
}

/* One message and up to two descriptors, which stay the caller's. 0 or a negative errno. */
int
shm_sock_send(int sock, const void *buf, size_t size, const int *fds, uint32_t nb_fds)
{
	union {
		struct cmsghdr hdr;
		char buf[CMSG_SPACE(2 * sizeof(int))];
	} ctrl;
	struct iovec iov = { (void *)(uintptr_t)buf, size };
	struct msghdr mh = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (nb_fds != 0) {
		memset(&ctrl, 0, sizeof(ctrl));
		mh.msg_control = ctrl.buf;
		mh.msg_controllen = CMSG_SPACE(nb_fds * sizeof(int));
		ctrl.hdr.cmsg_level = SOL_SOCKET;
		ctrl.hdr.cmsg_type = SCM_RIGHTS;
		ctrl.hdr.cmsg_len = CMSG_LEN(nb_fds * sizeof(int));
		memcpy(CMSG_DATA(&ctrl.hdr), fds, nb_fds * sizeof(int));
	}
	return sendmsg(sock, &mh, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? -errno : 0;
}
