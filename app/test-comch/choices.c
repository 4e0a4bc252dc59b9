/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What words can be. librte_cmdline asks how many choices there are, then for each, and
 * does not say what was typed: the prompt has told the line. Choices are those of the last
 * question.
 */

#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cmdline_parse_string.h>
#include <rte_comch.h>
#include <rte_common.h>
#include <rte_string_fns.h>

#include "choices.h"
#include "options.h"

#define BLANKS " \t\r\n"

static const char *the_line = "";
static bool line_with_files;
static char words[RTE_COMCH_MAX_DEVS * (RTE_DEV_NAME_MAX_LEN + RTE_COMCH_PCI_ADDR_SIZE)];
static cmdline_parse_token_string_t words_token = { .string_data.str = words };
static glob_t files;
static bool is_file;           /* the choices are files, and not words */
static char before[STR_TOKEN_SIZE]; /* what is typed of a list in front of its last word */

void
choices_line_set(const char *line, bool with_files)
{
	the_line = line;
	line_with_files = with_files;
}

/* What is typed of the last word; empty after a blank. */
static const char *
last_word(void)
{
	const char *word = the_line, *end;

	while (*(end = word + strcspn(word, BLANKS)) != '\0')
		word = end + strspn(end, BLANKS);
	return word;
}

static int
words_nb(void)
{
	is_file = false;
	return words[0] == '\0' ? 0 : cmdline_complete_get_nb_string(&words_token.hdr);
}

static void
words_add(const char *word)
{
	if (word[0] == '\0')
		return;
	if (words[0] != '\0')
		strlcat(words, "#", sizeof(words));
	strlcat(words, word, sizeof(words));
}

static int
device_nb(cmdline_parse_token_hdr_t *tok)
{
	struct rte_comch_dev_info info;
	int16_t dev_id;

	before[0] = '\0';
	strlcpy(words, tok->ops == &choices_devices ? "all" : "", sizeof(words));
	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (rte_comch_dev_info_get(dev_id, &info) != 0)
			continue;
		words_add(info.name);
		words_add(info.pci_addr);
	}
	return words_nb();
}

/* Files and folders that begin so. */
static void
files_find(const char *begin, glob_t *g)
{
	char pattern[2 * STR_TOKEN_SIZE + 2];
	size_t n = 0;

	for (; *begin != '\0' && n < sizeof(pattern) - 3; begin++) {
		if (strchr("*?[\\", *begin) != NULL)
			pattern[n++] = '\\';
		pattern[n++] = *begin;
	}
	strcpy(pattern + n, "*");
	memset(g, 0, sizeof(*g));
	if (glob(pattern, GLOB_MARK, NULL, g) != 0)
		g->gl_pathc = 0;
}

static int
file_nb(cmdline_parse_token_hdr_t *tok)
{
	glob_t inside;

	RTE_SET_USED(tok);
	is_file = true;
	globfree(&files);
	files.gl_pathc = 0;
	if (line_with_files)
		files_find(last_word(), &files);
	/*
	 * A blank comes behind the only choice: of a folder that is what is in it. One that
	 * is a link to itself has no end.
	 */
	while (files.gl_pathc == 1 && strlen(files.gl_pathv[0]) < STR_TOKEN_SIZE &&
			strchr(files.gl_pathv[0], '\0')[-1] == '/') {
		files_find(files.gl_pathv[0], &inside);
		if (inside.gl_pathc == 0) {
			globfree(&inside);
			break;
		}
		globfree(&files);
		files = inside;
	}
	return (int)files.gl_pathc;
}

static int
value_nb(cmdline_parse_token_hdr_t *tok)
{
	const char *word = last_word(), *comma = strrchr(word, ',');
	char line[2 * STR_TOKEN_SIZE], *key, *rest;
	enum options_values kind;

	/* "set <option>", with more behind it or not. */
	strlcpy(line, the_line, sizeof(line));
	strtok_r(line, BLANKS, &rest);
	key = strtok_r(NULL, BLANKS, &rest);
	if (key == NULL)
		return 0;
	kind = options_values(key, words, sizeof(words));
	if (kind == OPTIONS_VALUES_FILE)
		return file_nb(tok);
	before[0] = '\0';
	if (kind == OPTIONS_VALUES_LIST && comma != NULL)
		snprintf(before, sizeof(before), "%.*s", (int)(comma + 1 - word), word);
	return words_nb();
}

static int
choice_get(cmdline_parse_token_hdr_t *tok, int i, char *to, unsigned int size)
{
	char word[STR_TOKEN_SIZE];
	const char *file;

	RTE_SET_USED(tok);
	if (is_file) {
		file = files.gl_pathv[i];
		/* No word of a command has these. */
		if (strlen(file) >= RTE_MIN(size, STR_TOKEN_SIZE) ||
				strpbrk(file, BLANKS "#") != NULL)
			return -1;
		strlcpy(to, file, size);
		return 0;
	}
	if (cmdline_complete_get_elt_string(&words_token.hdr, i, word, sizeof(word)) != 0)
		return -1;
	return (unsigned int)snprintf(to, size, "%s%s", before, word) < size ? 0 : -1;
}

#define CHOICES(nb) { \
	.parse = cmdline_parse_string, \
	.complete_get_nb = nb, \
	.complete_get_elt = choice_get, \
	.get_help = cmdline_get_help_string, \
}

struct cmdline_token_ops choices_device = CHOICES(device_nb);
struct cmdline_token_ops choices_devices = CHOICES(device_nb);
struct cmdline_token_ops choices_value = CHOICES(value_nb);
struct cmdline_token_ops choices_file = CHOICES(file_nb);
