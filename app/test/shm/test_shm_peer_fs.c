/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A FUSE file system of one file. Each read and each close of it waits for an answer of a
 * thread here, which gives it late.
 */

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <linux/fuse.h>

#include "test_comch_util.h"
#include "test_shm_peer_fs.h"

/* Reads and closes that wait at one time; one more is answered at once. */
#define FS_HELD 128

struct hostile_fs hostile_fs;

static struct {
	const char *dir;
	pid_t victim;
	unsigned int hold_ms;
	int dev;           /* of FUSE; -1 if there is none */
	struct {
		uint64_t unique; /* 0 if unused */
		uint64_t until;
	} held[FS_HELD];
	bool *released;    /* atomic, shared with children: answer all */
	bool ends;         /* atomic */
	pthread_t thread;
} fs;

static void
fs_answer(uint64_t unique, int error, const void *out, size_t size)
{
	struct fuse_out_header head = { .error = -error, .unique = unique };
	struct iovec iov[2] = { { &head, sizeof(head) }, { (void *)(uintptr_t)out, size } };

	head.len = (uint32_t)(sizeof(head) + size);
	if (writev(fs.dev, iov, size != 0 ? 2 : 1) < 0 && errno != ENOENT)
		fprintf(stderr, "answer of the file system: %s\n", strerror(errno));
}

static void
fs_attr(struct fuse_attr *attr, uint64_t node)
{
	attr->ino = node;
	attr->mode = node == FUSE_ROOT_ID ? S_IFDIR | 0755 : S_IFREG | 0755;
	attr->size = 4096;
	attr->nlink = 1;
}

/* Each process that has the file closes it when it ends: only the victim has to wait. */
static bool
fs_holds(pid_t thread)
{
	char path[64], name[16] = "";
	FILE *f;

	if (fs.victim != 0)
		return syscall(SYS_tgkill, fs.victim, thread, 0) == 0;
	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)thread);
	f = fopen(path, "r");
	if (f == NULL)
		return false;
	if (fread(name, 1, sizeof(name) - 1, f) == 0)
		name[0] = '\0';
	fclose(f);
	return strcmp(name, "comch-broker") == 0;
}

static void
fs_hold(uint64_t unique, pid_t thread)
{
	const bool holds = fs_holds(thread);
	unsigned int i;

	for (i = 0; i < FS_HELD && fs.held[i].unique != 0; i++)
		;
	if (!holds || i == FS_HELD || __atomic_load_n(fs.released, __ATOMIC_RELAXED)) {
		fs_answer(unique, 0, NULL, 0);
		return;
	}
	__atomic_add_fetch(&hostile_fs.nb_held, 1, __ATOMIC_RELAXED);
	fs.held[i].unique = unique;
	fs.held[i].until = test_now_ns() + (uint64_t)fs.hold_ms * 1000000;
}

static void
fs_serve(const struct fuse_in_header *in)
{
	struct fuse_init_out init = { .major = 7, .minor = 31, .max_write = 4096 };
	struct fuse_entry_out entry = { .nodeid = 2, .attr_valid = 1000, .entry_valid = 1000 };
	struct fuse_attr_out attr = { .attr_valid = 1000 };
	struct fuse_open_out open_out = { .fh = 1 };

	fs_attr(&entry.attr, 2);
	fs_attr(&attr.attr, in->nodeid);
	if (in->opcode == FUSE_INIT)
		fs_answer(in->unique, 0, &init, sizeof(init));
	else if (in->opcode == FUSE_LOOKUP)
		fs_answer(in->unique, 0, &entry, sizeof(entry));
	else if (in->opcode == FUSE_GETATTR)
		fs_answer(in->unique, 0, &attr, sizeof(attr));
	else if (in->opcode == FUSE_OPEN && __atomic_load_n(fs.released, __ATOMIC_RELAXED))
		fs_answer(in->unique, ETIMEDOUT, NULL, 0);
	else if (in->opcode == FUSE_OPEN)
		fs_answer(in->unique, 0, &open_out, sizeof(open_out));
	else if (in->opcode == FUSE_FLUSH || in->opcode == FUSE_READ)
		fs_hold(in->unique, (pid_t)in->pid);
	else if (in->opcode != FUSE_FORGET)
		fs_answer(in->unique, in->opcode == FUSE_RELEASE ? 0 : ENOSYS, NULL, 0);
}

/* The kernel asks; the close of the file waits until it is released, or its time is over. */
static void *
fs_run(void *arg __rte_unused)
{
	static char buf[1 << 16];
	struct pollfd pfd = { fs.dev, POLLIN, 0 };
	unsigned int i;

	while (!__atomic_load_n(&fs.ends, __ATOMIC_RELAXED)) {
		if (poll(&pfd, 1, 1) > 0 && read(fs.dev, buf, sizeof(buf)) > 0)
			fs_serve((const struct fuse_in_header *)buf);
		for (i = 0; i < FS_HELD; i++) {
			if (fs.held[i].unique == 0 || (test_now_ns() < fs.held[i].until &&
					!__atomic_load_n(fs.released, __ATOMIC_RELAXED)))
				continue;
			fs_answer(fs.held[i].unique, 0, NULL, 0);
			fs.held[i].unique = 0;
		}
	}
	return NULL;
}

/* In a mount namespace of this thread, which nobody else sees. */
static void *
fs_mount(void *arg __rte_unused)
{
	char options[80], file[PATH_MAX + 8];

	hostile_fs.why = "no mount namespace can be made";
	if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return NULL;
	hostile_fs.why = "there is no /dev/fuse";
	fs.dev = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (fs.dev < 0)
		return NULL;
	hostile_fs.why = "FUSE cannot be mounted";
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0", fs.dev);
	if (mount("comch", fs.dir, "fuse.comch", MS_NOSUID | MS_NODEV, options) != 0)
		return NULL;
	if (pthread_create(&fs.thread, NULL, fs_run, NULL) != 0)
		return NULL;
	hostile_fs.why = NULL;
	snprintf(file, sizeof(file), "%s/slow", fs.dir);
	hostile_fs.file = open(file, O_RDWR | O_CLOEXEC);
	umount2(fs.dir, MNT_DETACH);
	if (hostile_fs.file >= 0)
		return NULL;
	hostile_fs.why = "its file cannot be opened";
	__atomic_store_n(&fs.ends, true, __ATOMIC_RELAXED);
	pthread_join(fs.thread, NULL);
	return NULL;
}

int
hostile_fs_start(const char *dir, pid_t victim, unsigned int hold_ms)
{
	pthread_t thread;
	int ret;

	memset(&fs, 0, sizeof(fs));
	memset(&hostile_fs, 0, sizeof(hostile_fs));
	fs.dir = dir;
	fs.victim = victim;
	fs.hold_ms = hold_ms;
	fs.dev = hostile_fs.file = -1;
	fs.released = mmap(NULL, sizeof(*fs.released), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (fs.released == MAP_FAILED)
		return -errno;
	ret = pthread_create(&thread, NULL, fs_mount, NULL);
	if (ret == 0)
		ret = pthread_join(thread, NULL);
	if (hostile_fs.why != NULL && fs.dev >= 0)
		close(fs.dev);
	return -ret;
}

void
hostile_fs_release(bool released)
{
	__atomic_store_n(fs.released, released, __ATOMIC_RELAXED);
}

void
hostile_fs_child(void)
{
	if (hostile_fs.why == NULL)
		close(fs.dev);
}

void
hostile_fs_end(void)
{
	if (hostile_fs.why == NULL) {
		__atomic_store_n(&fs.ends, true, __ATOMIC_RELAXED);
		pthread_join(fs.thread, NULL);
		close(fs.dev);
	}
	munmap(fs.released, sizeof(*fs.released));
}
