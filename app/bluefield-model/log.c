/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The log: one line per event, with the time since the start and the name of the
 * function that it is about; also why a command is refused. Nothing else prints, but
 * the "ready" line and the errors of the command line in main.c.
 */

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "server.h"

/*
 * A client that makes mistakes in a loop must not fill the disk: more lines than
 * this in one second are counted, not written. Debug lines were asked for.
 */
#define LINES_PER_SECOND 2000u

static FILE *log_file;
static enum bfm_level log_level = BFM_INFO;
static struct timespec log_start;
static time_t log_second;
static uint32_t log_lines;
static uint64_t log_left_out;

static const char *const level_names[] = { "error", "warn", "info", "debug" };

FILE *
bfm_log_file(void)
{
	return log_file != NULL ? log_file : stderr;
}

bool
bfm_log_on(enum bfm_level level)
{
	return level <= log_level;
}

static bool
log_has_room(time_t second)
{
	if (second != log_second) {
		if (log_left_out > 0)
			fprintf(bfm_log_file(), "%6ld.000 warn  -: %llu lines left out\n",
					(long)second, (unsigned long long)log_left_out);
		log_second = second;
		log_lines = 0;
		log_left_out = 0;
	}
	if (++log_lines <= LINES_PER_SECOND)
		return true;
	log_left_out++;
	return false;
}

void
bfm_log(const struct bfm_function *f, enum bfm_level level, const char *fmt, ...)
{
	struct timespec now;
	FILE *out = bfm_log_file();
	va_list ap;
	long ms;

	if (!bfm_log_on(level) || fmt == NULL)
		return;

	clock_gettime(CLOCK_MONOTONIC, &now);
	now.tv_sec -= log_start.tv_sec;
	ms = (now.tv_nsec - log_start.tv_nsec) / 1000000;
	if (now.tv_nsec < log_start.tv_nsec) {
		now.tv_sec--;
		ms = (now.tv_nsec - log_start.tv_nsec + 1000000000) / 1000000;
	}
	if (level != BFM_DEBUG && !log_has_room(now.tv_sec))
		return;

	fprintf(out, "%6ld.%03ld %-5s %s: ", (long)now.tv_sec, ms, level_names[level],
			f != NULL ? f->conf.name : "-");
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	fputc('\n', out);
}

/* Firmware's own are not public. Ours stands for the sentence that is logged with it. */
static uint32_t
syndrome_of(const char *fmt)
{
	uint32_t hash = 2166136261u;

	while (*fmt != '\0')
		hash = (hash ^ (uint8_t)*fmt++) * 16777619u;
	return hash >> 8 | 1;
}

enum bfm_status
bfm_fail(struct bfm_cmd *c, enum bfm_status status, const char *fmt, ...)
{
	char why[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	c->syndrome = syndrome_of(fmt);
	bfm_log(c->f, BFM_WARN,
			"slot %u: %s (0x%03x, op_mod 0x%x) refused, status 0x%02x, "
			"syndrome 0x%06x: %s",
			c->slot, c->desc != NULL ? c->desc->name : "unknown command", c->opcode,
			c->op_mod, status, c->syndrome, why);
	return status;
}

/* Also changes the level alone: path NULL keeps the file that is open. */
int
bfm_log_open(const char *path, enum bfm_level level)
{
	FILE *file;

	log_level = level;
	if (log_start.tv_sec == 0)
		clock_gettime(CLOCK_MONOTONIC, &log_start);
	if (path == NULL)
		return 0;

	file = fopen(path, "ae");
	if (file == NULL)
		return -errno;
	setvbuf(file, NULL, _IOLBF, 0);
	if (log_file != NULL)
		fclose(log_file);
	log_file = file;
	return 0;
}

void
bfm_log_close(void)
{
	if (log_file != NULL)
		fclose(log_file);
	log_file = NULL;
}

bool
bfm_level_parse(const char *text, enum bfm_level *level)
{
	uint32_t i;

	for (i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		if (strcmp(text, level_names[i]) == 0) {
			*level = (enum bfm_level)i;
			return true;
		}
	}
	return false;
}
