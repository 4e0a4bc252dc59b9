/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_ENV_H
#define TEST_COMCH_ENV_H

/* The machine and the process that results are taken on. Reads only. */

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "peer_msg.h"

struct env {
	char dpdk_version[64];
	char cpu_model[96];
	char kernel[96];
	char arch[32];
	unsigned int nb_cpus;
	double cpu_mhz;        /* as the kernel tells it; 0 if it does not */
	double tsc_mhz;
	unsigned int nb_numa;
	bool hugepages;
	char time[32];         /* UTC, ISO 8601 */
};

void env_get(struct env *env);

/* The number of this boot of this kernel; all zero if it cannot be read. */
void env_boot_id(uint8_t id[PEER_BOOT_ID]);

/* CPU that the calling thread is on, -1 if unknown. */
int env_cpu(void);

/* CPU time of the calling thread. */
uint64_t env_cpu_time_ns(void);

/*
 * Memory of the process in bytes: what is allocated of EAL's heaps, and of all
 * other mappings its share of what is resident.
 */
uint64_t env_memory(void);

#endif /* TEST_COMCH_ENV_H */
