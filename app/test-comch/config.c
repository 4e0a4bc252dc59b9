/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reading of INI files. librte_cfgfile reads them, but passes over lines that it
 * does not know and cuts what is too long, so each line is looked at first. What
 * keys there are, and what values they take, is in options.c alone.
 */

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <rte_string_fns.h>

#include "config.h"

#define GLOBAL_SECTION "GLOBAL"
#define CASE_PREFIX "case"
#define SKIP_KEY "skip"
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

struct config_reader {
	const char *path;
	struct rte_cfgfile *file;
	unsigned int errors;      /* that were printed */
};

/* A section as it is in the file. */
struct config_section {
	char name[CFG_NAME_LEN];
	struct rte_cfgfile_entry *entries;
	int nb;
};

static void __rte_format_printf(2, 3)
config_error(struct config_reader *rd, const char *format, ...)
{
	va_list ap;

	rd->errors++;
	fprintf(stderr, "%s: ", rd->path);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* ---- lines ---- */

/* Without the blanks at both ends; changes the text. */
static char *
trim(char *text)
{
	size_t len;

	while (isspace((unsigned char)*text))
		text++;
	len = strlen(text);
	while (len > 0 && isspace((unsigned char)text[len - 1]))
		text[--len] = '\0';
	return text;
}

/* A line without its end and its comment. */
static void
config_check_line(struct config_reader *rd, char *text, unsigned int nr, bool *in_section)
{
	char *key, *value;

	if (*text == '[') {
		value = strchr(text, ']');
		if (value == NULL || value[1] != '\0')
			config_error(rd, "line %u: '%s': a section is a name in brackets, and "
					"nothing behind it", nr, text);
		else if (value - text > CFG_NAME_LEN)
			config_error(rd, "line %u: the name of the section is longer than %d "
					"characters", nr, CFG_NAME_LEN - 1);
		*in_section = true;
		return;
	}
	value = strchr(text, '=');
	if (value == NULL) {
		config_error(rd, "line %u: '%s' is neither [section] nor key=value; a comment "
				"begins with ;", nr, text);
		return;
	}
	*value++ = '\0';
	key = trim(text);
	value = trim(value);
	if (!*in_section)
		config_error(rd, "line %u: %s: there is no section yet; put [" GLOBAL_SECTION
				"] or [" CASE_PREFIX "1] above it", nr, key);
	else if (*key == '\0' || *value == '\0')
		config_error(rd, "line %u: a line is key=value, with something on both sides", nr);
	else if (strlen(key) >= CFG_NAME_LEN || strlen(value) >= CFG_VALUE_LEN)
		config_error(rd, "line %u: a key may have %d characters at most, a value %d", nr,
				CFG_NAME_LEN - 1, CFG_VALUE_LEN - 1);
}

/* Afterwards librte_cfgfile finds nothing that it would refuse or pass over. */
static void
config_check_lines(struct config_reader *rd, FILE *f)
{
	char line[CFG_NAME_LEN + CFG_VALUE_LEN + 4]; /* no longer than the one it has */
	bool in_section = false;
	unsigned int nr = 0;
	char *end, *text;
	size_t len;

	while (fgets(line, sizeof(line), f) != NULL) {
		nr++;
		len = strlen(line);
		if (len == 0 || (line[len - 1] != '\n' && !feof(f))) {
			config_error(rd, "line %u: it is longer than %zu characters, or no text",
					nr, sizeof(line) - 2);
			return;
		}
		if (nr == 1 && strncmp(line, BYTE_ORDER_MARK, strlen(BYTE_ORDER_MARK)) == 0) {
			config_error(rd, "it begins with a byte order mark; save it without one");
			return;
		}
		end = strchr(line, CFG_DEFAULT_COMMENT_CHARACTER);
		if (end != NULL && (end == line || end[-1] != '\\'))
			*end = '\0';
		text = trim(line);
		if (*text != '\0')
			config_check_line(rd, text, nr, &in_section);
	}
	if (ferror(f))
		config_error(rd, "cannot be read: %s", strerror(errno));
}

static void
config_open(struct config_reader *rd)
{
	static const char remedy[] = "give --config the INI file with the cases";
	struct stat st;
	FILE *f;

	/* It is read twice, which is not for pipes. */
	if (stat(rd->path, &st) == 0 && !S_ISREG(st.st_mode)) {
		config_error(rd, "it is no regular file; %s", remedy);
		return;
	}
	f = fopen(rd->path, "r");
	if (f == NULL) {
		config_error(rd, "cannot be read: %s; %s", strerror(errno), remedy);
		return;
	}
	config_check_lines(rd, f);
	fclose(f);
	if (rd->errors > 0)
		return;
	rd->file = rte_cfgfile_load(rd->path, 0);
	if (rd->file == NULL)
		config_error(rd, "it has changed while it was read, or there is no memory");
}

/* ---- sections ---- */

static int
section_get(const struct config_reader *rd, int index, struct config_section *sect)
{
	sect->nb = rte_cfgfile_section_num_entries_by_index(rd->file, sect->name, index);
	sect->entries = calloc((size_t)sect->nb + 1, sizeof(sect->entries[0]));
	if (sect->entries == NULL)
		return -ENOMEM;
	rte_cfgfile_section_entries_by_index(rd->file, index, sect->name, sect->entries, sect->nb);
	return 0;
}

static bool
is_case(const char *name)
{
	const char *nr = name + strlen(CASE_PREFIX);

	return strncmp(name, CASE_PREFIX, strlen(CASE_PREFIX)) == 0 && *nr != '\0' &&
			strspn(nr, "0123456789") == strlen(nr);
}

/* Names of sections, and keys that are there twice. */
static void
section_check(struct config_reader *rd, int index, const struct config_section *sect)
{
	char other[CFG_NAME_LEN];
	int i, j;

	if (strcmp(sect->name, GLOBAL_SECTION) != 0 && !is_case(sect->name))
		config_error(rd, "[%s]: there is no such section; they are [" GLOBAL_SECTION
				"], [" CASE_PREFIX "1], [" CASE_PREFIX "2], ...", sect->name);
	for (i = 0; i < index; i++) {
		rte_cfgfile_section_num_entries_by_index(rd->file, other, i);
		if (strcmp(other, sect->name) == 0) {
			config_error(rd, "[%s]: it is there twice; give each case a number of its "
					"own", sect->name);
			break;
		}
	}
	for (i = 0; i < sect->nb; i++) {
		for (j = 0; j < i; j++) {
			if (strcmp(sect->entries[i].name, sect->entries[j].name) != 0)
				continue;
			config_error(rd, "[%s] %s: it is there twice, with '%s' and '%s'; remove "
					"one", sect->name, sect->entries[i].name,
					sect->entries[j].value, sect->entries[i].value);
			break;
		}
	}
}

static void
section_apply(struct config_reader *rd, const struct config_section *sect, bool in_case,
		struct options *opt)
{
	char err[OPT_ERR_SIZE];
	int i;

	opt->given = 0;
	for (i = 0; i < sect->nb; i++) {
		const struct rte_cfgfile_entry *e = &sect->entries[i];

		if (strcmp(e->name, SKIP_KEY) == 0) {
			if (!in_case)
				config_error(rd, "[%s] %s: it is for a case; remove it",
						sect->name, e->name);
			continue;
		}
		if (options_file_set(opt, in_case, e->name, e->value, err) != 0)
			config_error(rd, "[%s] %s", sect->name, err);
	}
}

static bool
section_skips(struct config_reader *rd, const struct config_section *sect)
{
	bool skip = false;
	int i;

	for (i = 0; i < sect->nb; i++) {
		if (strcmp(sect->entries[i].name, SKIP_KEY) == 0 &&
				options_flag(sect->entries[i].value, &skip) != 0)
			config_error(rd, "[%s] %s: '%s' is not valid: give 1 or 0", sect->name,
					SKIP_KEY, sect->entries[i].value);
	}
	return skip;
}

/* A case that is skipped may have what this version does not know. */
static void
case_read(struct config_reader *rd, const struct config_section *sect,
		const struct options *base, struct config_case *cs)
{
	unsigned int errors = rd->errors;
	char err[OPT_ERR_SIZE];

	strlcpy(cs->name, sect->name, sizeof(cs->name));
	cs->skip = section_skips(rd, sect);
	if (cs->skip)
		return;
	cs->opt = *base;
	section_apply(rd, sect, true, &cs->opt);
	if (rd->errors == errors && (options_check(&cs->opt, err) != 0 ||
			options_check_given(&cs->opt, err) != 0))
		config_error(rd, "[%s] %s", sect->name, err);
}

/* ---- the file ---- */

static void
config_read(struct config_reader *rd, struct config *config, struct options *opt, int argc,
		char **argv)
{
	int nb = rte_cfgfile_num_sections(rd->file, NULL, 0), i;
	struct config_section *sects = calloc((size_t)nb + 1, sizeof(*sects));
	unsigned int runs = 0, c;
	char err[OPT_ERR_SIZE];

	config->cases = calloc((size_t)nb + 1, sizeof(config->cases[0]));
	if (sects == NULL || config->cases == NULL)
		goto no_memory;
	for (i = 0; i < nb; i++) {
		if (section_get(rd, i, &sects[i]) != 0)
			goto no_memory;
		section_check(rd, i, &sects[i]);
	}

	/* The command line comes after the section, to win over it. */
	options_default(opt);
	for (i = 0; i < nb; i++) {
		if (strcmp(sects[i].name, GLOBAL_SECTION) == 0)
			section_apply(rd, &sects[i], false, opt);
	}
	if (options_parse(opt, argc, argv, err) != 0)
		config_error(rd, "[" GLOBAL_SECTION "] with the command line: %s", err);

	for (i = 0; i < nb; i++) {
		if (is_case(sects[i].name))
			case_read(rd, &sects[i], opt, &config->cases[config->nb++]);
	}
	for (c = 0; c < config->nb; c++)
		runs += config->cases[c].skip ? 0 : 1;
	if (rd->errors == 0 && config->nb == 0)
		config_error(rd, "there is no case; add [" CASE_PREFIX "1] and below it, for "
				"example, test=ctrl-lat");
	else if (rd->errors == 0 && runs == 0)
		config_error(rd, "all cases are skipped; set " SKIP_KEY "=0 in one");
	goto out;

no_memory:
	config_error(rd, "no memory to read it");
out:
	for (i = 0; sects != NULL && i < nb; i++)
		free(sects[i].entries);
	free(sects);
}

int
config_load(struct config *config, struct options *opt, int argc, char **argv)
{
	char path[sizeof(opt->config)];
	struct config_reader rd = { .path = path };

	/* The options are read anew, the name of the file among them. */
	strlcpy(path, opt->config, sizeof(path));
	memset(config, 0, sizeof(*config));
	config_open(&rd);
	if (rd.file != NULL) {
		config_read(&rd, config, opt, argc, argv);
		rte_cfgfile_close(rd.file);
	}
	if (rd.errors == 0)
		return 0;
	fprintf(stderr, "%s: %u error%s, nothing is run\n", path, rd.errors,
			rd.errors == 1 ? "" : "s");
	config_free(config);
	return -EINVAL;
}

void
config_free(struct config *config)
{
	free(config->cases);
	memset(config, 0, sizeof(*config));
}
