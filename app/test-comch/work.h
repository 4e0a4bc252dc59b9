/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_WORK_H
#define TEST_COMCH_WORK_H

/*
 * What an application does with the data of a message at the least: its sender
 * writes all bytes, its receiver reads all of them. This tool, its limits and the
 * programs of devtools/compare-peers/ do the same here, so nothing but what is in
 * between differs. Includes nothing of DPDK, and is never tuned for one of them.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Messages are bytes, whatever they are written as and wherever they lie. */
typedef uint64_t __attribute__((__may_alias__, __aligned__(1))) work_word;

/* Write all bytes of a message: each word is its number, as is what is left over. */
static inline void
work_write(void *data, size_t len, uint64_t number)
{
	work_word *word = data;
	size_t i, nb = len / sizeof(*word);

	for (i = 0; i < nb; i++)
		word[i] = number;
	if (len % sizeof(*word) != 0)
		memcpy(&word[nb], &number, len % sizeof(*word));
}

/*
 * Read all bytes of a message: the sum of its words has to be that of as many of
 * the first. So no load can be left out, and a message that is torn is found.
 */
static inline bool
work_read(const void *data, size_t len)
{
	const work_word *word = data;
	size_t i, nb = len / sizeof(*word), rest = len % sizeof(*word);
	uint64_t sum = 0, first = 0;

	for (i = 0; i < nb; i++)
		sum += word[i];
	memcpy(&first, word, nb != 0 ? sizeof(first) : rest);
	return sum == first * nb && memcmp(&word[nb], &first, rest) == 0;
}

#endif /* TEST_COMCH_WORK_H */
