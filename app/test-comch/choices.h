/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_CHOICES_H
#define TEST_COMCH_CHOICES_H

/*
 * Words of commands that are completed with what there is when the user asks: devices,
 * values of options, files. Each takes any word; the command says what is wrong with it.
 */

#include <stdbool.h>

#include <cmdline_parse.h>

/* Operations of a token of librte_cmdline that is a string. */
extern struct cmdline_token_ops choices_device;
extern struct cmdline_token_ops choices_devices; /* or all of them */
extern struct cmdline_token_ops choices_value;   /* of the option that is the word before it */
extern struct cmdline_token_ops choices_file;

/* The line that they are asked about; not copied. with_files: or files are no choices. */
void choices_line_set(const char *line, bool with_files);

#endif /* TEST_COMCH_CHOICES_H */
