/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The commands of the prompt. "start" only leaves a note: the tests run when
 * the line editor has returned, so that it can be used while they run.
 */

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmdline.h>
#include <cmdline_parse.h>
#include <cmdline_parse_string.h>
#include <cmdline_socket.h>
#include <rte_string_fns.h>

#include "choices.h"
#include "devices.h"
#include "peer.h"
#include "prompt.h"
#include "queues.h"
#include "report.h"
#include "run.h"

/* Files that load files that load files. */
#define PROMPT_MAX_LOADS 4
#define PROMPT_TEXT "comch> "
/* Choices of a token that are made at run time. */
#define PROMPT_CHOICES 512
/* What a terminal sends for Ctrl-C. */
#define CTRL_C '\003'

struct prompt {
	struct app *app;
	struct cmdline *cl;       /* on stdin; NULL without -i */
	int16_t host_dev;
	int status;               /* of the tests that ran, the first that is not 0 */
	bool pending;             /* "start" was given */
	bool end_of_input;
	char start_test[32];      /* of it; empty for those of the options */
	char load_file[256];      /* "load" was given */
	unsigned int loads;       /* depth of files */
	bool bad_line;            /* the last line was not understood or refused */
};

/* The words of a command. */
struct words {
	cmdline_fixed_string_t word[4];
};

/* A word of many choices, see choices.h. */
#define TOKEN_CHOICES(nr, choices) { .hdr = { &(choices), offsetof(struct words, word[nr]) } }

/* Commands have no pointer of ours to carry: there is one prompt. */
static struct prompt *the_prompt;

static void
cmd_refuse(struct cmdline *cl, const char *why)
{
	the_prompt->bad_line = true;
	cmdline_printf(cl, "%s\n", why);
}

/* ---- show ---- */

static void
show_clients(const struct app *app, int16_t dev_id)
{
	if ((app->server == NULL || !server_conns_print(app->server, dev_id, stdout)) &&
			(app->client == NULL || !client_conns_print(app->client, dev_id, stdout)))
		printf("  none of this thread; those of other threads are in: "
				"show comch <dev> dump\n");
}

static void
cmd_show_comch_parsed(void *parsed, struct cmdline *cl, void *data __rte_unused)
{
	const struct words *cmd = parsed;
	bool all = strcmp(cmd->word[2], "all") == 0;
	int one = all ? -1 : device_find(cmd->word[2]);
	int16_t dev_id;

	if (!all && one < 0) {
		cmd_refuse(cl, "no such device; give a number, a name, a PCI address, or all");
		return;
	}
	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (!all && dev_id != one)
			continue;
		if (strcmp(cmd->word[3], "info") == 0) {
			device_caps_print(dev_id, stdout);
		} else if (strcmp(cmd->word[3], "stats") == 0) {
			device_stats_print(dev_id, stdout);
		} else if (strcmp(cmd->word[3], "queues") == 0) {
			device_line_print(dev_id, stdout);
			queues_print(dev_id, stdout);
		} else if (strcmp(cmd->word[3], "dump") != 0) {
			device_line_print(dev_id, stdout);
			show_clients(the_prompt->app, dev_id);
		} else {
			rte_comch_dev_dump(dev_id, stdout);
		}
	}
	fflush(stdout);
}

static cmdline_parse_token_string_t tok_show_comch_show =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "show");
static cmdline_parse_token_string_t tok_show_comch_comch =
	TOKEN_STRING_INITIALIZER(struct words, word[1], "comch");
static cmdline_parse_token_string_t tok_show_comch_dev = TOKEN_CHOICES(2, choices_devices);
static cmdline_parse_token_string_t tok_show_comch_what =
	TOKEN_STRING_INITIALIZER(struct words, word[3], "info#stats#queues#clients#connections#dump");

static cmdline_parse_inst_t cmd_show_comch = {
	.f = cmd_show_comch_parsed,
	.help_str = "show comch <dev>|all info|stats|queues|clients|dump: look at a device",
	.tokens = {
		(void *)&tok_show_comch_show,
		(void *)&tok_show_comch_comch,
		(void *)&tok_show_comch_dev,
		(void *)&tok_show_comch_what,
		NULL,
	},
};

/* ---- reset ---- */

static void
cmd_reset_comch_parsed(void *parsed, struct cmdline *cl, void *data __rte_unused)
{
	const struct words *cmd = parsed;
	int dev_id = device_find(cmd->word[2]);
	int ret;

	if (dev_id < 0) {
		cmd_refuse(cl, "no such device; give a number, a name or a PCI address");
		return;
	}
	ret = rte_comch_dev_reset(dev_id);
	if (ret == -EBUSY)
		cmd_refuse(cl, "it is in use; quit, and reset it without --server and --client");
	else if (ret == -ENOTSUP)
		cmd_refuse(cl, "its driver has no reset");
	else if (ret != 0)
		cmd_refuse(cl, strerror(-ret));
	else
		device_line_print(dev_id, stdout);
	fflush(stdout);
}

static cmdline_parse_token_string_t tok_reset_comch_reset =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "reset");
static cmdline_parse_token_string_t tok_reset_comch_dev = TOKEN_CHOICES(2, choices_device);

static cmdline_parse_inst_t cmd_reset_comch = {
	.f = cmd_reset_comch_parsed,
	.help_str = "reset comch <dev>: start a device anew, above all one that has failed",
	.tokens = {
		(void *)&tok_reset_comch_reset,
		(void *)&tok_show_comch_comch,
		(void *)&tok_reset_comch_dev,
		NULL,
	},
};

static void
cmd_show_parsed(void *parsed, struct cmdline *cl __rte_unused, void *data __rte_unused)
{
	const struct words *cmd = parsed;
	const struct app *app = the_prompt->app;
	const struct test_ops *t = NULL;

	if (strcmp(cmd->word[1], "config") == 0) {
		options_print(&app->opt, stdout);
	} else if (strcmp(cmd->word[1], "results") == 0) {
		report_table(app->report, &app->opt, stdout);
	} else if (strcmp(cmd->word[1], "devices") == 0) {
		devices_print(stdout);
	} else {
		while ((t = test_next(t)) != NULL)
			printf("  %-14s %s\n", t->name, t->description);
	}
	fflush(stdout);
}

static cmdline_parse_token_string_t tok_show_what =
	TOKEN_STRING_INITIALIZER(struct words, word[1], "config#devices#results#tests");

static cmdline_parse_inst_t cmd_show = {
	.f = cmd_show_parsed,
	.help_str = "show config|devices|results|tests: look at options, devices, results, tests",
	.tokens = { (void *)&tok_show_comch_show, (void *)&tok_show_what, NULL },
};

/* ---- set ---- */

static void
cmd_set_parsed(void *parsed, struct cmdline *cl, void *data __rte_unused)
{
	const struct words *cmd = parsed;
	char err[OPT_ERR_SIZE] = "";

	if (the_prompt->app->running)
		cmd_refuse(cl, "a test is running; give stop first");
	else if (options_set(&the_prompt->app->opt, cmd->word[1], cmd->word[2], err) != 0)
		cmd_refuse(cl, err);
}

static cmdline_parse_token_string_t tok_set_set =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "set");
/* Its choices are the options; see prompt_open(). */
static cmdline_parse_token_string_t tok_set_key =
	TOKEN_STRING_INITIALIZER(struct words, word[1], NULL);
static cmdline_parse_token_string_t tok_set_value = TOKEN_CHOICES(2, choices_value);

static cmdline_parse_inst_t cmd_set = {
	.f = cmd_set_parsed,
	.help_str = "set <option> <value>: change an option; flags take on or off",
	.tokens = { (void *)&tok_set_set, (void *)&tok_set_key, (void *)&tok_set_value, NULL },
};

/* ---- start, stop ---- */

static void
cmd_start_note(struct cmdline *cl, const char *test)
{
	struct prompt *p = the_prompt;

	if (p->app->running) {
		cmd_refuse(cl, "a test is running; give stop first");
	} else if (p->host_dev < 0) {
		cmd_refuse(cl, "this is the server: give start at the prompt of a client");
	} else {
		strlcpy(p->start_test, test, sizeof(p->start_test));
		p->pending = true;
	}
}

static void
cmd_start_parsed(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	cmd_start_note(cl, "");
}

static void
cmd_start_test_parsed(void *parsed, struct cmdline *cl, void *data __rte_unused)
{
	const struct words *cmd = parsed;

	cmd_start_note(cl, cmd->word[1]);
}

static cmdline_parse_token_string_t tok_start_start =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "start");
/* Its choices are the tests; see prompt_open(). */
static cmdline_parse_token_string_t tok_start_test =
	TOKEN_STRING_INITIALIZER(struct words, word[1], NULL);

static cmdline_parse_inst_t cmd_start = {
	.f = cmd_start_parsed,
	.help_str = "start: run the tests of the option test",
	.tokens = { (void *)&tok_start_start, NULL },
};

static cmdline_parse_inst_t cmd_start_test = {
	.f = cmd_start_test_parsed,
	.help_str = "start <test>: run one test",
	.tokens = { (void *)&tok_start_start, (void *)&tok_start_test, NULL },
};

static void
cmd_stop_parsed(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	if (the_prompt->app->running)
		the_prompt->app->stop = true;
	else
		cmd_refuse(cl, "no test is running");
}

static cmdline_parse_token_string_t tok_stop =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "stop");

static cmdline_parse_inst_t cmd_stop = {
	.f = cmd_stop_parsed,
	.help_str = "stop: end the tests that are running",
	.tokens = { (void *)&tok_stop, NULL },
};

/* ---- clear, load, help, quit ---- */

static void
cmd_clear_parsed(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	int16_t dev_id;

	queues_clear();
	RTE_COMCH_FOREACH_DEV(dev_id) {
		if (rte_comch_dev_stats_reset(dev_id) != 0)
			cmd_refuse(cl, "the counters cannot be cleared");
	}
}

static cmdline_parse_token_string_t tok_clear_clear =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "clear");
static cmdline_parse_token_string_t tok_clear_stats =
	TOKEN_STRING_INITIALIZER(struct words, word[1], "stats");

static cmdline_parse_inst_t cmd_clear = {
	.f = cmd_clear_parsed,
	.help_str = "clear stats: set the counters of all devices to zero",
	.tokens = { (void *)&tok_clear_clear, (void *)&tok_clear_stats, NULL },
};

static void
cmd_load_parsed(void *parsed, struct cmdline *cl, void *data __rte_unused)
{
	const struct words *cmd = parsed;

	if (the_prompt->app->running)
		cmd_refuse(cl, "a test is running; give stop first");
	else
		strlcpy(the_prompt->load_file, cmd->word[1], sizeof(the_prompt->load_file));
}

static cmdline_parse_token_string_t tok_load_load =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "load");
static cmdline_parse_token_string_t tok_load_file = TOKEN_CHOICES(1, choices_file);

static cmdline_parse_inst_t cmd_load = {
	.f = cmd_load_parsed,
	.help_str = "load <file>: run the commands of a file",
	.tokens = { (void *)&tok_load_load, (void *)&tok_load_file, NULL },
};

static void cmd_help_parsed(void *parsed, struct cmdline *cl, void *data);

static cmdline_parse_token_string_t tok_help =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "help");

static cmdline_parse_inst_t cmd_help = {
	.f = cmd_help_parsed,
	.help_str = "help: this list",
	.tokens = { (void *)&tok_help, NULL },
};

static void
cmd_quit_parsed(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	cmdline_quit(cl);
	app_quit();
}

static cmdline_parse_token_string_t tok_quit =
	TOKEN_STRING_INITIALIZER(struct words, word[0], "quit");

static cmdline_parse_inst_t cmd_quit = {
	.f = cmd_quit_parsed,
	.help_str = "quit: end",
	.tokens = { (void *)&tok_quit, NULL },
};

static cmdline_parse_ctx_t prompt_ctx[] = {
	&cmd_show_comch,
	&cmd_show,
	&cmd_reset_comch,
	&cmd_set,
	&cmd_start,
	&cmd_start_test,
	&cmd_stop,
	&cmd_clear,
	&cmd_load,
	&cmd_help,
	&cmd_quit,
	NULL,
};

static void
cmd_help_parsed(void *parsed __rte_unused, struct cmdline *cl, void *data __rte_unused)
{
	unsigned int i;

	for (i = 0; prompt_ctx[i] != NULL; i++)
		cmdline_printf(cl, "  %s\n", prompt_ctx[i]->help_str);
}

/* ---- lines that are no command ---- */

/* Words of a command that a line begins with; rest is behind them. */
static unsigned int
words_match(const cmdline_parse_inst_t *inst, const char *line, const char **rest)
{
	unsigned int n;
	int len;

	for (n = 0; ; n++) {
		line += strspn(line, " \t");
		*rest = line;
		if (inst->tokens[n] == NULL)
			return n;
		len = inst->tokens[n]->ops->parse(inst->tokens[n], line, NULL, 0);
		if (len <= 0)
			return n;
		line += len;
	}
}

/* What a command takes for its next word; last: what was printed before it. */
static void
choices_print(struct cmdline *cl, const cmdline_parse_inst_t *inst, unsigned int word,
		char last[STR_TOKEN_SIZE])
{
	cmdline_parse_token_hdr_t *tok = inst->tokens[word];
	char choice[STR_TOKEN_SIZE];
	int nb, i;

	if (tok == NULL)
		cmdline_printf(cl, " (nothing)");
	nb = tok == NULL ? 0 : tok->ops->complete_get_nb(tok);
	for (i = 0; i < nb; i++) {
		if (tok->ops->complete_get_elt(tok, i, choice, sizeof(choice)) != 0 ||
				strcmp(choice, last) == 0)
			continue;
		cmdline_printf(cl, " %s", choice);
		strlcpy(last, choice, STR_TOKEN_SIZE);
	}
	/* Any word will do. */
	if (tok != NULL && nb <= 0)
		cmdline_printf(cl, " as in: %s", inst->help_str);
}

/* Say behind eol which word of a line is wrong, and what could be. False if none is. */
static bool
line_explain(struct cmdline *cl, const char *line, const char *eol)
{
	const char *rest, *wrong = line + strspn(line, " \t");
	char last[STR_TOKEN_SIZE] = "";
	unsigned int i, n, most = 0;

	if (strchr("#\r\n", *wrong) != NULL)
		return false;
	for (i = 0; prompt_ctx[i] != NULL; i++) {
		n = words_match(prompt_ctx[i], line, &rest);
		if (prompt_ctx[i]->tokens[n] == NULL && strchr("#\r\n", *rest) != NULL)
			return false;
		if (n > most) {
			most = n;
			wrong = rest;
		}
	}
	n = (unsigned int)strcspn(wrong, " \t\r\n#");
	if (n == 0)
		cmdline_printf(cl, "%sa word is missing at the end; possible:", eol);
	else
		cmdline_printf(cl, "%s'%.*s' is not possible there, but:", eol, (int)n, wrong);
	/* All that there are would be too many. */
	choices_line_set(line, false);
	for (i = 0; prompt_ctx[i] != NULL; i++) {
		if (words_match(prompt_ctx[i], line, &rest) == most)
			choices_print(cl, prompt_ctx[i], most, last);
	}
	cmdline_printf(cl, "\n");
	return true;
}

/* ---- the prompt itself ---- */

/* What a line has left to do when the line editor is done with it. */
static bool
prompt_pending(struct prompt *p)
{
	bool pending = p->pending || p->load_file[0] != '\0';
	char file[sizeof(p->load_file)];
	int ret;

	if (p->load_file[0] != '\0') {
		strlcpy(file, p->load_file, sizeof(file));
		p->load_file[0] = '\0';
		prompt_load(p, file);
	}
	if (p->pending) {
		p->pending = false;
		ret = run_tests(p->app, p->host_dev, p->start_test[0] != '\0' &&
				strcmp(p->start_test, "all") != 0 ? p->start_test : NULL);
		if (p->status == 0)
			p->status = ret;
	}
	return pending;
}

int
prompt_load(struct prompt *p, const char *path)
{
	char line[512]; /* with room for the end of line that the last may lack */
	struct cmdline *cl;
	unsigned int nb = 0;
	FILE *f;
	int ret = 0;

	if (p->loads == PROMPT_MAX_LOADS) {
		fprintf(stderr, "load: %s is one file too deep; %d may load each other\n", path,
				PROMPT_MAX_LOADS);
		return -ELOOP;
	}
	f = fopen(path, "r");
	if (f == NULL) {
		ret = -errno;
		fprintf(stderr, "load: cannot read %s: %s\n", path, strerror(errno));
		if (p->status == 0)
			p->status = ret;
		return ret;
	}
	/* No input of its own: it only parses and prints. */
	cl = cmdline_new(prompt_ctx, "", -1, STDOUT_FILENO);
	if (cl == NULL) {
		fclose(f);
		return -ENOMEM;
	}
	p->loads++;
	p->app->stop = false;
	while (!app_quit_wanted() && fgets(line, sizeof(line) - 1, f) != NULL) {
		const char *text = line + strspn(line, " \t");

		nb++;
		if (*text == '\n' || *text == '#' || *text == '\0')
			continue;
		/* The parser takes a line without an end for one that goes on. */
		if (strchr(line, '\n') == NULL)
			strlcat(line, "\n", sizeof(line));
		app_line(p->app);
		printf("%s", text);
		fflush(stdout);
		p->bad_line = false;
		if (line_explain(cl, text, "") || cmdline_parse(cl, text) < 0 || p->bad_line) {
			fprintf(stderr, "%s:%u: not a command, or refused: %s", path, nb, text);
			ret = -EINVAL;
			break;
		}
		prompt_pending(p);
		if (p->app->stop)
			break;
	}
	p->loads--;
	cmdline_free(cl);
	fclose(f);
	if (p->status == 0)
		p->status = ret;
	return ret;
}

static int
prompt_fd(const struct prompt *p)
{
	/* A script on stdin is read line by line, a test is one of them. */
	if (p->cl == NULL || p->end_of_input || p->pending || p->load_file[0] != '\0' ||
			(p->app->running && !isatty(STDIN_FILENO)))
		return -1;
	return STDIN_FILENO;
}

/* The line is no command: it is kept to be mended, and not given to the parser. */
static bool
line_refuse(struct prompt *p)
{
	struct rdline *rdl = cmdline_get_rdline(p->cl);

	if (!line_explain(p->cl, rdline_get_buffer(rdl), "\r\n"))
		return false;
	rdline_add_history(rdl, rdline_get_buffer(rdl));
	rdline_newline(rdl, PROMPT_TEXT);
	return true;
}

static void
prompt_poll(struct prompt *p)
{
	struct pollfd pfd = { .events = POLLIN };
	char c;

	if (__atomic_exchange_n(&p->app->prompt_gone, false, __ATOMIC_RELAXED))
		rdline_redisplay(cmdline_get_rdline(p->cl));
	for (;;) {
		pfd.fd = prompt_fd(p);
		if (pfd.fd < 0 || app_quit_wanted() || poll(&pfd, 1, 0) != 1)
			return;
		if (read(pfd.fd, &c, 1) != 1) {
			p->end_of_input = true;
			app_quit();
			return;
		}
		if (c == CTRL_C && p->app->running) {
			p->app->stop = true;
			return;
		}
		if ((c == '\n' || c == '\r') && line_refuse(p))
			continue;
		choices_line_set(rdline_get_buffer(cmdline_get_rdline(p->cl)), true);
		/* Ctrl-D, or "quit". */
		if (cmdline_in(p->cl, &c, 1) < 0)
			app_quit();
	}
}

int
prompt_run(struct prompt *p)
{
	while (!app_quit_wanted()) {
		prompt_poll(p);
		if (prompt_pending(p) && p->cl != NULL && !p->app->prompt_terminal) {
			/* The editor has shown it before the tests printed. */
			printf(PROMPT_TEXT);
			fflush(stdout);
		}
		if (prompt_fd(p) >= 0)
			app_wait(p->app, NULL, 1000);
	}
	return p->status;
}

int
prompt_open(struct app *app, int16_t host_dev, bool interactive)
{
	static char tests[PROMPT_CHOICES];
	static struct prompt prompt;
	char *keys;

	keys = options_keys();
	if (keys == NULL)
		return -ENOMEM;
	tok_set_key.string_data.str = keys;
	strlcpy(tests, "all#", sizeof(tests));
	test_names(tests + strlen(tests), sizeof(tests) - strlen(tests), "#");
	tok_start_test.string_data.str = tests;

	memset(&prompt, 0, sizeof(prompt));
	prompt.app = app;
	prompt.host_dev = host_dev;
	the_prompt = &prompt;
	app->prompt = &prompt;
	app->prompt_fd = prompt_fd;
	app->prompt_poll = prompt_poll;
	if (interactive) {
		prompt.cl = cmdline_stdin_new(prompt_ctx, PROMPT_TEXT);
		if (prompt.cl == NULL) {
			prompt_close(app);
			return -EIO;
		}
		app->prompt_terminal = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
	}
	return 0;
}

void
prompt_close(struct app *app)
{
	char *keys;

	if (app->prompt == NULL)
		return;
	if (app->prompt->cl != NULL) {
		app->prompt_terminal = false;
		__atomic_store_n(&app->prompt_gone, false, __ATOMIC_RELAXED);
		cmdline_stdin_exit(app->prompt->cl);
		printf("\n");
	}
	/* The token holds it as const, for it must not change while it is used. */
	memcpy(&keys, &tok_set_key.string_data.str, sizeof(keys));
	tok_set_key.string_data.str = NULL;
	free(keys);
	app->prompt = NULL;
}
