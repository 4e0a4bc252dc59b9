/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Stand-in of check-releases.sh: as the installed one, but internal functions are found
 * where no code is made, as with -fsyntax-only.
 */

#include_next <rte_compat.h>

#ifndef ALLOW_INTERNAL_API
#undef __rte_internal
#define __rte_internal __attribute__((deprecated("not public")))
#endif
