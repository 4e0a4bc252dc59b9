/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* Reading of /proc and of EAL for the environment block and memory use. */

#include <ctype.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_lcore.h>
#include <rte_malloc.h>
#include <rte_memory.h>
#include <rte_string_fns.h>
#include <rte_version.h>

#include "env.h"

/* Value of the first line "key : value" of a file of /proc. */
static bool
proc_value(FILE *f, const char *key, char *value, size_t size)
{
	char line[512];
	char *p;

	rewind(f);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (strncmp(line, key, strlen(key)) != 0)
			continue;
		p = line + strlen(key);
		while (isspace((unsigned char)*p))
			p++;
		if (*p++ != ':')
			continue;
		while (isspace((unsigned char)*p))
			p++;
		p[strcspn(p, "\n")] = '\0';
		strlcpy(value, p, size);
		return true;
	}
	return false;
}

static void
env_cpu_info(struct env *env)
{
	char implementer[32] = "", part[32] = "", mhz[32];
	FILE *f = fopen("/proc/cpuinfo", "r");

	strlcpy(env->cpu_model, "unknown", sizeof(env->cpu_model));
	if (f == NULL)
		return;
	if (!proc_value(f, "model name", env->cpu_model, sizeof(env->cpu_model)) &&
			proc_value(f, "CPU implementer", implementer, sizeof(implementer)) &&
			proc_value(f, "CPU part", part, sizeof(part)))
		snprintf(env->cpu_model, sizeof(env->cpu_model), "Arm implementer %s part %s",
				implementer, part);
	if (proc_value(f, "cpu MHz", mhz, sizeof(mhz)))
		env->cpu_mhz = strtod(mhz, NULL);
	fclose(f);
}

void
env_get(struct env *env)
{
	time_t now = time(NULL);
	struct utsname uts;
	struct tm tm;

	memset(env, 0, sizeof(*env));
	strlcpy(env->dpdk_version, rte_version(), sizeof(env->dpdk_version));
	env_cpu_info(env);
	if (uname(&uts) == 0) {
		snprintf(env->kernel, sizeof(env->kernel), "%.20s %.60s", uts.sysname,
				uts.release);
		strlcpy(env->arch, uts.machine, sizeof(env->arch));
	}
	env->nb_cpus = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	env->tsc_mhz = (double)rte_get_tsc_hz() / 1e6;
	env->nb_numa = rte_socket_count();
	env->hugepages = rte_eal_has_hugepages() != 0;
	if (gmtime_r(&now, &tm) != NULL)
		strftime(env->time, sizeof(env->time), "%Y-%m-%dT%H:%M:%SZ", &tm);
}

void
env_boot_id(uint8_t id[PEER_BOOT_ID])
{
	FILE *f = fopen("/proc/sys/kernel/random/boot_id", "r");
	unsigned int n = 0;
	int c, nibble = -1;

	memset(id, 0, PEER_BOOT_ID);
	if (f == NULL)
		return;
	while (n < PEER_BOOT_ID && (c = fgetc(f)) != EOF) {
		if (!isxdigit(c))
			continue;
		c = isdigit(c) ? c - '0' : tolower(c) - 'a' + 10;
		if (nibble < 0) {
			nibble = c;
		} else {
			id[n++] = (uint8_t)(nibble << 4 | c);
			nibble = -1;
		}
	}
	fclose(f);
}

int
env_cpu(void)
{
	return sched_getcpu();
}

uint64_t
env_cpu_time_ns(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts) != 0)
		return 0;
	return (uint64_t)ts.tv_sec * UINT64_C(1000000000) + (uint64_t)ts.tv_nsec;
}

/*
 * EAL's memory is one mapping that was made large beforehand: its resident part
 * says nothing, the heap's own account does. All other mappings count with
 * their proportional share, so that memory which both ends map is counted
 * once when the two processes are added up.
 */
uint64_t
env_memory(void)
{
	struct rte_malloc_socket_stats heap;
	uint64_t bytes = 0, start, end, kib;
	bool counted = false;
	char line[512];
	unsigned int i;
	FILE *f;

	for (i = 0; i < rte_socket_count(); i++) {
		if (rte_malloc_get_socket_stats(rte_socket_id_by_idx(i), &heap) == 0)
			bytes += heap.heap_allocsz_bytes;
	}
	f = fopen("/proc/self/smaps", "r");
	if (f == NULL)
		return bytes;
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
			counted = rte_mem_virt2memseg_list((void *)(uintptr_t)start) == NULL;
		else if (counted && sscanf(line, "Pss: %" SCNu64 " kB", &kib) == 1)
			bytes += kib * 1024;
	}
	fclose(f);
	return bytes;
}
