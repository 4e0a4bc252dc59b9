/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_CONFIG_H
#define TEST_COMCH_CONFIG_H

/* The cases of an INI file: each is a set of options with a name. */

#include <stdbool.h>

#include <rte_cfgfile.h>

#include "options.h"

struct config_case {
	char name[CFG_NAME_LEN];  /* of its section */
	bool skip;
	struct options opt;       /* nothing but defaults if it is to be skipped */
};

struct config {
	struct config_case *cases; /* in the order of the file */
	unsigned int nb;
};

/*
 * Read the file that opt->config names. The cases start from the defaults, with
 * [GLOBAL] over them, and the command line over that; what they start from is in
 * opt afterwards. Prints all that is wrong, and then returns a negative errno.
 */
int config_load(struct config *config, struct options *opt, int argc, char **argv);
void config_free(struct config *config);

#endif /* TEST_COMCH_CONFIG_H */
