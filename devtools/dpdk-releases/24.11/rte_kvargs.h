/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: rte_kvargs_process() does not call handlers for a key
 * without a value any more, and is not to be used for ours.
 */

#include_next <rte_kvargs.h>

int rte_kvargs_process_opt(const struct rte_kvargs *kvlist, const char *key,
		arg_handler_t handler, void *opaque);
__attribute__((deprecated("no handler is called for a key without a value")))
int rte_kvargs_process(const struct rte_kvargs *kvlist, const char *key,
		arg_handler_t handler, void *opaque);
