/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A FUSE file system of one file for the hostile peer: a read or a close of the file waits
 * until it lets go. No test is in here.
 */

#ifndef TEST_SHM_PEER_FS_H
#define TEST_SHM_PEER_FS_H

#include <stdbool.h>
#include <sys/types.h>

/** The one file system of this process. */
struct hostile_fs {
	int file;               /**< To be sent; -1 if there is none. */
	const char *why;        /**< There is none. */
	unsigned int nb_held;   /**< Reads and closes that had to wait, atomic. */
};

extern struct hostile_fs hostile_fs;

/**
 * Mount it where only a thread of this process sees it. Threads of one process wait when they
 * read or close its file, or if that is 0, brokers. @return 0, also without FUSE.
 */
int hostile_fs_start(const char *dir, pid_t victim, unsigned int hold_ms);
/**
 * Answer all of them at once, or hold them again; from a child, too. Who opens the file while
 * it is released gets -ETIMEDOUT.
 */
void hostile_fs_release(bool released);
/**
 * In a child that has the file: the rest is its parent's, which closes the file. The kernel
 * has all closes fail once a parent that has no such file is killed; of a process that has
 * both it would wait for ever.
 */
void hostile_fs_child(void);
/** Its file was closed by all. */
void hostile_fs_end(void);

#endif /* TEST_SHM_PEER_FS_H */
