/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * See test_calls.h. Each line of the table is one function: how it fails, and what it
 * takes. meson.build reads the names from here, and devtools/check-calls.py says which of
 * those that the product calls are neither here nor in its list of calls that stay.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_errno.h>
#include <rte_kvargs.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memory.h>
#include <rte_mempool.h>
#include <rte_memzone.h>

#include "test_calls.h"

static struct {
	bool on;
	enum test_calls_class class;
	unsigned int n;
	int sig; /* 0: the call fails */
	const char *lack; /* all calls of this one */
	unsigned int nb;
	const char *hit;
} calls;
static _Thread_local bool own_calls;

static void
calls_begin(enum test_calls_class class, unsigned int n, int sig, const char *lack)
{
	calls.class = class;
	calls.sig = sig;
	calls.lack = lack;
	calls.n = n;
	calls.nb = 0;
	calls.hit = NULL;
	__atomic_store_n(&calls.on, true, __ATOMIC_RELEASE);
}

void
test_calls_fail(enum test_calls_class class, unsigned int n)
{
	calls_begin(class, n, 0, NULL);
}

void
test_calls_lack(const char *function)
{
	calls_begin(TEST_CALLS_SYSTEM, 0, 0, function);
}

void
test_calls_signal(unsigned int n, int sig)
{
	calls_begin(TEST_CALLS_SYSTEM, n, sig, NULL);
}

void
test_calls_own(bool own)
{
	own_calls = own;
}

const char *
test_calls_end(void)
{
	__atomic_store_n(&calls.on, false, __ATOMIC_RELEASE);
	return __atomic_load_n(&calls.hit, __ATOMIC_ACQUIRE);
}

unsigned int
test_calls_nb(void)
{
	return __atomic_load_n(&calls.nb, __ATOMIC_RELAXED);
}

bool
test_calls_there(void)
{
#ifdef TEST_CALLS
	return true;
#else
	return false;
#endif
}

#ifdef TEST_CALLS
/*
 * Does this call fail? No system call is made here: a child that has this memory may be
 * ended for one.
 */
static bool
fails(enum test_calls_class class, const char *function, int err)
{
	if (!__atomic_load_n(&calls.on, __ATOMIC_ACQUIRE) || err == 0)
		return false;
	if (calls.class != class || own_calls)
		return false;
	if (calls.lack != NULL ? strcmp(calls.lack, function) != 0 :
			__atomic_add_fetch(&calls.nb, 1, __ATOMIC_RELAXED) != calls.n)
		return false;
	__atomic_store_n(&calls.hit, function, __ATOMIC_RELEASE);
	if (calls.sig != 0) {
		if (getenv("COMCH_TEST_FAULTS") != NULL)
			fprintf(stderr, "%s at call %u, of %s()\n", strsignal(calls.sig), calls.n,
				function);
		raise(calls.sig);
		return false;
	}
	errno = err;
	rte_errno = err;
	return true;
}

/* type, function, what it returns if it fails, errno, parameters, arguments */
#define CALL(class, type, function, bad, err, params, args) \
type __real_##function params; \
type __wrap_##function params; \
type \
__wrap_##function params \
{ \
	return fails(class, #function, err) ? (type)(bad) : __real_##function args; \
}
#define ALLOC(type, function, params, args) \
	CALL(TEST_CALLS_ALLOC, type, function, NULL, ENOMEM, params, args)
#define SYSTEM(function, err, params, args) \
	CALL(TEST_CALLS_SYSTEM, int, function, -1, err, params, args)
#define SYSTEM_OF(type, function, bad, err, params, args) \
	CALL(TEST_CALLS_SYSTEM, type, function, bad, err, params, args)
/* The same of functions with arguments that are not always there, of which nb are read. */
#define SYSTEM_MORE(type, function, err, nb, last, params, args) \
type __real_##function params; \
type __wrap_##function params; \
__attribute__((no_sanitize("address"))) \
type \
__wrap_##function params \
{ \
	unsigned long more[nb]; \
	unsigned int i; \
	va_list ap; \
\
	va_start(ap, last); \
	for (i = 0; i < nb; i++) \
		more[i] = va_arg(ap, unsigned long); \
	va_end(ap); \
	return fails(TEST_CALLS_SYSTEM, #function, err) ? (type)-1 : __real_##function args; \
}

ALLOC(void *, malloc, (size_t size), (size))
ALLOC(void *, calloc, (size_t nb, size_t size), (nb, size))
ALLOC(void *, realloc, (void *ptr, size_t size), (ptr, size))
ALLOC(void *, aligned_alloc, (size_t align, size_t size), (align, size))
ALLOC(char *, strdup, (const char *s), (s))
ALLOC(FILE *, open_memstream, (char **ptr, size_t *size), (ptr, size))
ALLOC(struct rte_kvargs *, rte_kvargs_parse, (const char *args, const char *const keys[]),
	(args, keys))
ALLOC(void *, rte_zmalloc, (const char *type, size_t size, unsigned int align),
	(type, size, align))
ALLOC(void *, rte_zmalloc_socket, (const char *type, size_t size, unsigned int align, int socket),
	(type, size, align, socket))
ALLOC(void *, rte_malloc_socket, (const char *type, size_t size, unsigned int align, int socket),
	(type, size, align, socket))
ALLOC(const struct rte_memzone *, rte_memzone_reserve_aligned,
	(const char *name, size_t len, int socket, unsigned int flags, unsigned int align),
	(name, len, socket, flags, align))
ALLOC(struct rte_mempool *, rte_mempool_create,
	(const char *name, unsigned int n, unsigned int elt_size, unsigned int cache,
	unsigned int priv, rte_mempool_ctor_t *mp_init, void *mp_arg,
	rte_mempool_obj_cb_t *obj_init, void *obj_arg, int socket, unsigned int flags),
	(name, n, elt_size, cache, priv, mp_init, mp_arg, obj_init, obj_arg, socket, flags))
ALLOC(struct rte_mempool *, rte_pktmbuf_pool_create_extbuf,
	(const char *name, unsigned int n, unsigned int cache, uint16_t priv, uint16_t room,
	int socket, const struct rte_pktmbuf_extmem *ext, unsigned int nb_ext),
	(name, n, cache, priv, room, socket, ext, nb_ext))

SYSTEM(accept4, EMFILE, (int fd, struct sockaddr *addr, socklen_t *len, int flags),
	(fd, addr, len, flags))
SYSTEM(access, EIO, (const char *path, int mode), (path, mode))
SYSTEM(bind, ENOMEM, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len))
SYSTEM(chmod, EPERM, (const char *path, mode_t mode), (path, mode))
SYSTEM(chown, EPERM, (const char *path, uid_t uid, gid_t gid), (path, uid, gid))
SYSTEM(connect, EAGAIN, (int fd, const struct sockaddr *addr, socklen_t len), (fd, addr, len))
SYSTEM(epoll_create1, EMFILE, (int flags), (flags))
SYSTEM(epoll_ctl, ENOSPC, (int ep, int op, int fd, struct epoll_event *event),
	(ep, op, fd, event))
SYSTEM(epoll_wait, EINTR, (int ep, struct epoll_event *events, int nb, int ms),
	(ep, events, nb, ms))
SYSTEM(eventfd, EMFILE, (unsigned int value, int flags), (value, flags))
SYSTEM(eventfd_read, EAGAIN, (int fd, eventfd_t *value), (fd, value))
SYSTEM(eventfd_write, EAGAIN, (int fd, eventfd_t value), (fd, value))
SYSTEM(faccessat, EIO, (int dir, const char *path, int mode, int flags),
	(dir, path, mode, flags))
SYSTEM(fallocate64, ENOSPC, (int fd, int mode, off_t off, off_t len), (fd, mode, off, len))
SYSTEM(fstat64, ENOMEM, (int fd, struct stat *st), (fd, st))
SYSTEM(fstatat64, EIO, (int dir, const char *path, struct stat *st, int flags),
	(dir, path, st, flags))
SYSTEM(fstatfs64, EIO, (int fd, struct statfs *st), (fd, st))
SYSTEM(ftruncate64, ENOSPC, (int fd, off_t len), (fd, len))
SYSTEM(getpeername, ENOBUFS, (int fd, struct sockaddr *addr, socklen_t *len), (fd, addr, len))
SYSTEM(getsockopt, ENOMEM, (int fd, int level, int name, void *value, socklen_t *len),
	(fd, level, name, value, len))
SYSTEM(listen, EIO, (int fd, int backlog), (fd, backlog))
SYSTEM(madvise, EINVAL, (void *addr, size_t len, int advice), (addr, len, advice))
SYSTEM(memfd_create, EMFILE, (const char *name, unsigned int flags), (name, flags))
SYSTEM(mlock, ENOMEM, (const void *addr, size_t len), (addr, len))
SYSTEM(poll, EINTR, (struct pollfd *fds, nfds_t nb, int ms), (fds, nb, ms))
SYSTEM(prlimit64, EPERM, (pid_t pid, int what, const struct rlimit *value, struct rlimit *old),
	(pid, what, value, old))
SYSTEM(renameat, EIO, (int from_dir, const char *from, int to_dir, const char *to),
	(from_dir, from, to_dir, to))
SYSTEM(sched_getaffinity, EINVAL, (pid_t pid, size_t size, cpu_set_t *set), (pid, size, set))
SYSTEM(sched_setaffinity, EINVAL, (pid_t pid, size_t size, const cpu_set_t *set),
	(pid, size, set))
SYSTEM(socket, EMFILE, (int domain, int type, int protocol), (domain, type, protocol))
SYSTEM(socketpair, EMFILE, (int domain, int type, int protocol, int fds[2]),
	(domain, type, protocol, fds))
SYSTEM(stat64, EIO, (const char *path, struct stat *st), (path, st))
SYSTEM(timerfd_create, EMFILE, (int clock, int flags), (clock, flags))
SYSTEM(timerfd_settime, ENOMEM, (int fd, int flags, const struct itimerspec *value,
	struct itimerspec *old), (fd, flags, value, old))
SYSTEM(unlinkat, EIO, (int dir, const char *path, int flags), (dir, path, flags))
SYSTEM(rte_extmem_register, ENOSPC, (void *addr, size_t len, rte_iova_t iovas[],
	unsigned int nb, size_t page), (addr, len, iovas, nb, page))
SYSTEM_OF(void *, mmap64, MAP_FAILED, ENOMEM,
	(void *addr, size_t len, int prot, int flags, int fd, off_t off),
	(addr, len, prot, flags, fd, off))
SYSTEM_OF(FILE *, fopen64, NULL, EMFILE, (const char *path, const char *mode), (path, mode))
SYSTEM_OF(DIR *, opendir, NULL, EMFILE, (const char *path), (path))
SYSTEM_OF(DIR *, fdopendir, NULL, ENOMEM, (int fd), (fd))
SYSTEM_OF(ssize_t, pread64, -1, EIO, (int fd, void *buf, size_t len, off_t off),
	(fd, buf, len, off))
SYSTEM_OF(ssize_t, preadv64v2, -1, EIO,
	(int fd, const struct iovec *iov, int nb, off_t off, int flags),
	(fd, iov, nb, off, flags))
SYSTEM_OF(ssize_t, read, -1, EINTR, (int fd, void *buf, size_t len), (fd, buf, len))
SYSTEM_OF(ssize_t, readlink, -1, EIO, (const char *path, char *buf, size_t len),
	(path, buf, len))
SYSTEM_OF(ssize_t, readlinkat, -1, EIO, (int dir, const char *path, char *buf, size_t len),
	(dir, path, buf, len))
SYSTEM_OF(ssize_t, recv, -1, ENOMEM, (int fd, void *buf, size_t len, int flags),
	(fd, buf, len, flags))
SYSTEM_OF(ssize_t, recvmsg, -1, ENOMEM, (int fd, struct msghdr *msg, int flags),
	(fd, msg, flags))
SYSTEM_OF(ssize_t, send, -1, ENOBUFS, (int fd, const void *buf, size_t len, int flags),
	(fd, buf, len, flags))
SYSTEM_OF(ssize_t, sendmsg, -1, ENOBUFS, (int fd, const struct msghdr *msg, int flags),
	(fd, msg, flags))
SYSTEM_OF(ssize_t, write, -1, ENOSPC, (int fd, const void *buf, size_t len), (fd, buf, len))
CALL(TEST_CALLS_SYSTEM, int, rte_ctrl_thread_create, -EAGAIN, EAGAIN,
	(pthread_t *thread, const char *name, const pthread_attr_t *attr, void *(*run)(void *),
	void *arg), (thread, name, attr, run, arg))
SYSTEM_MORE(int, clone, EAGAIN, 3, arg, (int (*fn)(void *), void *stack, int flags, void *arg, ...),
	(fn, stack, flags, arg, more[0], more[1], more[2]))
SYSTEM_MORE(int, fcntl64, EIO, 1, cmd, (int fd, int cmd, ...), (fd, cmd, more[0]))
SYSTEM_MORE(int, ioctl, EIO, 1, request, (int fd, unsigned long request, ...),
	(fd, request, more[0]))
SYSTEM_MORE(int, open64, EMFILE, 1, flags, (const char *path, int flags, ...),
	(path, flags, (mode_t)more[0]))
SYSTEM_MORE(int, openat64, EMFILE, 1, flags, (int dir, const char *path, int flags, ...),
	(dir, path, flags, (mode_t)more[0]))
/* FUTEX_WAKE of a word that is mapped does not fail. */
SYSTEM_MORE(long, syscall, nr == SYS_futex ? 0 : ENOSYS, 6, nr, (long nr, ...),
	(nr, more[0], more[1], more[2], more[3], more[4], more[5]))
#endif /* TEST_CALLS */
