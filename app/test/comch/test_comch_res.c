/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What this process holds of the system: descriptors, mappings, memory. Read
 * from /proc, to be compared before and after. And what the system refuses it.
 */

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/seccomp.h>

#include "test_comch_util.h"

#define MAX_MEMFDS 4096

unsigned int
test_count_entries(const char *dir)
{
	unsigned int n = 0;
	DIR *d = opendir(dir);

	if (d == NULL)
		return 0;
	while (readdir(d) != NULL)
		n++;
	closedir(d);
	return n;
}

/*
 * Brokers of shm devices that this process has: children of one of its threads. And what they
 * have open, if that is asked for. They get a signal, if it is not 0.
 */
static unsigned int
count_brokers(unsigned int *nb_fds, int sig)
{
	DIR *d = opendir("/proc/self/task");
	struct dirent *entry;
	unsigned int n = 0, pid;
	char path[80], name[16];
	FILE *f, *cmd;
	bool is_broker;

	while (d != NULL && (entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/self/task/%.16s/children", entry->d_name);
		f = fopen(path, "r");
		while (f != NULL && fscanf(f, "%u", &pid) == 1) {
			snprintf(path, sizeof(path), "/proc/%u/cmdline", pid);
			cmd = fopen(path, "r");
			if (cmd == NULL)
				continue;
			is_broker = fread(name, 1, sizeof(name), cmd) == sizeof("comch-broker") &&
				strcmp(name, "comch-broker") == 0;
			fclose(cmd);
			n += is_broker;
			snprintf(path, sizeof(path), "/proc/%u/fd", pid);
			if (nb_fds != NULL && is_broker)
				*nb_fds += test_count_entries(path);
			if (sig != 0 && is_broker)
				kill((pid_t)pid, sig);
		}
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return n;
}

/* Without the two of each broker, which stays as long as its device. */
unsigned int
test_count_fds(void)
{
	return test_count_entries("/proc/self/fd") - 2 * count_brokers(NULL, 0);
}

unsigned int
test_count_broker_fds(void)
{
	unsigned int nb = 0;

	count_brokers(&nb, 0);
	return nb;
}

unsigned int
test_signal_brokers(int sig)
{
	return count_brokers(NULL, sig);
}

unsigned int
test_count_maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned int n = 0;
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return 0;
	/* The heap of the process itself may grow; memory of the link may not. */
	while (getline(&line, &size, f) > 0)
		n += strstr(line, "memfd:") != NULL;
	free(line);
	fclose(f);
	return n;
}

uint64_t
test_private_kb(void)
{
	FILE *f = fopen("/proc/self/status", "r");
	uint64_t kb = 0;
	char *line = NULL;
	size_t size = 0;

	if (f == NULL)
		return 0;
	while (getline(&line, &size, f) > 0)
		if (sscanf(line, "RssAnon: %" SCNu64, &kb) == 1)
			break;
	free(line);
	fclose(f);
	return kb;
}

uint64_t
test_memfd_kb(void)
{
	static uint64_t seen[MAX_MEMFDS];
	uint64_t from, to, inode, bytes = 0;
	unsigned int nb = 0, i;
	char *line = NULL, path[64];
	struct stat st;
	size_t size = 0;
	FILE *f = fopen("/proc/self/maps", "r");

	if (f == NULL)
		return 0;
	while (getline(&line, &size, f) > 0) {
		if (strstr(line, "memfd:") == NULL ||
				sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %*s %*s %" SCNu64,
				&from, &to, &inode) != 3)
			continue;
		for (i = 0; i < nb && seen[i] != inode; i++)
			;
		if (i < nb || nb == MAX_MEMFDS)
			continue;
		seen[nb++] = inode;
		/* what is allocated, if we may ask, else what is mapped */
		snprintf(path, sizeof(path), "/proc/self/map_files/%" PRIx64 "-%" PRIx64, from,
				to);
		bytes += stat(path, &st) == 0 ? (uint64_t)st.st_blocks * 512 : to - from;
	}
	free(line);
	fclose(f);
	return bytes / 1024;
}

int
test_syscall_refuse(long nr, int err, bool all_threads)
{
	struct sock_filter ops[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)nr, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)err),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog prog = { RTE_DIM(ops), ops };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
			syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			all_threads ? SECCOMP_FILTER_FLAG_TSYNC : 0, &prog) != 0)
		return -errno;
	return 0;
}
