/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Loaded before a program, it has the program's own code take its process for a secondary
 * one, and EAL's not: a real one needs huge pages.
 */

#include <dlfcn.h>
#include <stddef.h>

#include <rte_eal.h>

enum rte_proc_type_t
rte_eal_process_type(void)
{
	Dl_info caller, eal;

	if (dladdr(__builtin_return_address(0), &caller) != 0 &&
			dladdr(dlsym(RTLD_DEFAULT, "rte_eal_init"), &eal) != 0 &&
			caller.dli_fbase == eal.dli_fbase)
		return RTE_PROC_PRIMARY;
	return RTE_PROC_SECONDARY;
}
