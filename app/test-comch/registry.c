/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The tests, in their order. */

#include <string.h>

#include <rte_common.h>
#include <rte_string_fns.h>

#include "test.h"

static const struct test_ops *const tests[] = {
	&test_ctrl_lat,
	&test_ctrl_rate,
	&test_connect_rate,
	&test_fp_lat,
	&test_fp_rate,
	&test_fp_bw,
	&test_imm_lat,
	&test_imm_rate,
	&test_msgq_rate,
	&test_msgq_lat,
	&test_msgq_dma,
};

const struct test_ops *
test_find(const char *name)
{
	unsigned int i;

	for (i = 0; i < RTE_DIM(tests); i++) {
		if (strcmp(tests[i]->name, name) == 0)
			return tests[i];
	}
	return NULL;
}

const struct test_ops *
test_next(const struct test_ops *prev)
{
	unsigned int i = 0;

	while (prev != NULL && i < RTE_DIM(tests) && tests[i++] != prev)
		;
	return i < RTE_DIM(tests) ? tests[i] : NULL;
}

bool
test_uses(const struct test_ops *test, const char *option)
{
	char word[40];

	snprintf(word, sizeof(word), " %s ", option);
	return strstr(test->options, word) != NULL;
}

void
test_names(char *buf, size_t size, const char *separator)
{
	const struct test_ops *t = NULL;

	buf[0] = '\0';
	while ((t = test_next(t)) != NULL) {
		if (buf[0] != '\0')
			strlcat(buf, separator, size);
		strlcat(buf, t->name, size);
	}
}
