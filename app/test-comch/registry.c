/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The list of tests, in the order of their ranks. */

#include <string.h>

#include <rte_string_fns.h>

#include "test.h"

static TAILQ_HEAD(, test_entry) tests = TAILQ_HEAD_INITIALIZER(tests);

/* Constructors of different files run in no order: the rank makes one. */
void
test_register(struct test_entry *entry)
{
	struct test_entry *e;

	TAILQ_FOREACH(e, &tests, next) {
		if (entry->ops->rank < e->ops->rank) {
			TAILQ_INSERT_BEFORE(e, entry, next);
			return;
		}
	}
	TAILQ_INSERT_TAIL(&tests, entry, next);
}

const struct test_ops *
test_find(const char *name)
{
	struct test_entry *e;

	TAILQ_FOREACH(e, &tests, next) {
		if (strcmp(e->ops->name, name) == 0)
			return e->ops;
	}
	return NULL;
}

const struct test_ops *
test_next(const struct test_ops *prev)
{
	struct test_entry *e;

	if (prev == NULL)
		return TAILQ_EMPTY(&tests) ? NULL : TAILQ_FIRST(&tests)->ops;
	TAILQ_FOREACH(e, &tests, next) {
		if (e->ops == prev)
			break;
	}
	if (e != NULL)
		e = TAILQ_NEXT(e, next);
	return e == NULL ? NULL : e->ops;
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
