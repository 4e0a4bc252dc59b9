/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The control socket: commands of a person or a test, one per line. Every answer
 * ends in a line "ok" or "error: <sentence>". A client that does not read keeps
 * its own answers waiting and nothing else.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "server.h"
#include "switch.h"

#define MAX_CLIENTS 8
#define LINE_SIZE 512

struct client {
	int fd; /* -1: free */
	char line[LINE_SIZE];
	size_t line_len;
	bool too_long; /* rest of a line that is thrown away */
	char *out;
	size_t out_len;
	size_t out_done;
};

static struct {
	int listen_fd;
	int epfd;
	char path[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
	struct client clients[MAX_CLIENTS];
} control = { .listen_fd = -1, .epfd = -1 };

/* What a command is given, and where its answer goes. */
struct request {
	struct bfm_model *model;
	struct bfm_function *f; /* of commands that name one */
	const char *rest;       /* behind the name */
	FILE *out;
	char err[256];          /* why it failed */
};

enum need { NONE, OPTIONAL, FUNCTION };

struct command {
	const char *name;
	const char *args;
	const char *help;
	enum need need;
	int (*run)(struct request *r);
};

static int cmd_help(struct request *r);

static int
cmd_list(struct request *r)
{
	const struct bfm_conf *c;
	uint32_t i;

	for (i = 0; i < r->model->nb_functions; i++) {
		c = &r->model->functions[i]->conf;
		fprintf(r->out, "%s %04x:%04x vhca=%u %s\n", c->name, c->vendor_id, c->device_id,
				c->vhca_id, c->socket);
	}
	return 0;
}

static int
cmd_fault(struct request *r)
{
	return bfm_fault_parse(r->f, r->rest, r->err, sizeof(r->err));
}

static const char *
hca_name(enum bfm_hca_state hca)
{
	switch (hca) {
	case BFM_HCA_DISABLED:
		return "disabled";
	case BFM_HCA_ENABLED:
		return "enabled";
	case BFM_HCA_INITIALISED:
		return "initialised";
	}
	return "?";
}

static void
print_state(struct bfm_function *f, FILE *out)
{
	fprintf(out, "connected=%u hca=%s issi=%u resets=%llu given=%u objects=%u regions=%u "
			"master=%u gone=%u running=%u rnr=%llu cmdq=0x%llx ",
			bfm_server_connected(f), hca_name(f->hca), f->issi1,
			(unsigned long long)f->resets, bfm_pages_given(f),
			bfm_objects_count(f, BFM_NB_TYPES), bfm_dma_count(bfm_server_regions(f)),
			bfm_dma_enabled(f), f->gone, bfm_engine_running(f->model),
			(unsigned long long)f->rnr, (unsigned long long)bfm_cmdq_addr(f));
	bfm_irqs_dump(f, out);
	fputc('\n', out);
}

static void
dump_function(struct bfm_function *f, FILE *out)
{
	fprintf(out, "function %s: ", f->conf.name);
	print_state(f, out);
	bfm_objects_dump(f, out);
	bfm_pages_dump(f, out);
	bfm_supply_dump(f, out);
	bfm_cmdq_dump(f, out);
	bfm_vport_dump(f, out);
	bfm_caps_dump(f, out);
	bfm_faults_dump(f, out);
}

static int
cmd_dump(struct request *r)
{
	uint32_t i;

	if (r->f != NULL) {
		dump_function(r->f, r->out);
		return 0;
	}
	for (i = 0; i < r->model->nb_functions; i++)
		dump_function(r->model->functions[i], r->out);
	return 0;
}

static int
cmd_pages(struct request *r)
{
	fprintf(r->out, "given %u\n", bfm_pages_given(r->f));
	return 0;
}

static int
cmd_owner(struct request *r)
{
	bfm_owner_dump(r->f, r->out);
	return 0;
}

static int
cmd_objects(struct request *r)
{
	fprintf(r->out, "%u\n", bfm_objects_count(r->f, BFM_NB_TYPES));
	return 0;
}

static int
cmd_state(struct request *r)
{
	print_state(r->f, r->out);
	return 0;
}

static int
cmd_reset(struct request *r)
{
	bfm_log(r->f, BFM_INFO, "reset by the control socket");
	bfm_function_reset(r->f);
	return 0;
}

static int
cmd_firmware_reset(struct request *r)
{
	bfm_log(r->f, BFM_INFO, "firmware reset by the control socket");
	bfm_firmware_reset(r->f);
	return 0;
}

static int
cmd_rule(struct request *r)
{
	if (strncmp(r->rest, "add ", 4) == 0)
		return bfm_switch_rule_add(r->model, r->rest + 4, r->out, r->err, sizeof(r->err));
	if (strncmp(r->rest, "del ", 4) == 0)
		return bfm_switch_rule_del(r->model, r->rest + 4, r->out, r->err, sizeof(r->err));
	snprintf(r->err, sizeof(r->err), "'rule %.40s': begin it as rule add, or rule del, and go on "
			"with dev <function> ingress", r->rest);
	return -EINVAL;
}

static int
cmd_switch(struct request *r)
{
	if (strcmp(r->rest, "dump") == 0) {
		bfm_switch_dump(r->model, r->out);
		return 0;
	}
	snprintf(r->err, sizeof(r->err), "'switch %.40s': the only thing to ask for is switch dump",
			r->rest);
	return -EINVAL;
}

static int
cmd_unplug(struct request *r)
{
	r->f->gone = true;
	bfm_server_hang_up(r->f);
	return 0;
}

static int
cmd_plug(struct request *r)
{
	if (!r->f->gone) {
		snprintf(r->err, sizeof(r->err), "%s is plugged in; unplug it first",
				r->f->conf.name);
		return -EALREADY;
	}
	r->f->gone = false;
	bfm_function_reset(r->f);
	return 0;
}

static int
cmd_log(struct request *r)
{
	enum bfm_level level;

	if (!bfm_level_parse(r->rest, &level)) {
		snprintf(r->err, sizeof(r->err), "no such level; use error, warn, info or debug");
		return -EINVAL;
	}
	return bfm_log_open(NULL, level);
}

static int
cmd_quit(struct request *r)
{
	r->model->quit = true;
	return 0;
}

static const struct command commands[] = {
	{ "help", "", "this list", NONE, cmd_help },
	{ "list", "", "the functions and their sockets", NONE, cmd_list },
	{ "fault", "<function> <fault>", "a fault: " BFM_FAULTS "; clear ends all but health, "
		"which firmware-reset ends", FUNCTION, cmd_fault },
	{ "dump", "[<function>]", "objects, pages, commands, faults", OPTIONAL, cmd_dump },
	{ "pages", "<function>", "pages that firmware has", FUNCTION, cmd_pages },
	{ "owner", "<function>", "accounts of who gives pages for it, or for its VFs", FUNCTION,
		cmd_owner },
	{ "objects", "<function>", "how many of them live", FUNCTION, cmd_objects },
	{ "state", "<function>", "one line of key=value pairs", FUNCTION, cmd_state },
	{ "reset", "<function>", "what a function level reset does", FUNCTION, cmd_reset },
	{ "firmware-reset", "<function>", "what the kernel's driver of a PF does to failed firmware",
		FUNCTION, cmd_firmware_reset },
	{ "rule", "add|del <words>", "a rule of the switch, as tc filter takes it from dev on",
		NONE, cmd_rule },
	{ "switch", "dump", "vports and rules of the switch, with counters", NONE, cmd_switch },
	{ "unplug", "<function>", "surprise removal, until plug", FUNCTION, cmd_unplug },
	{ "plug", "<function>", "the end of unplug", FUNCTION, cmd_plug },
	{ "log", "<level>", "from now on error, warn, info or debug", NONE, cmd_log },
	{ "quit", "", "end the model", NONE, cmd_quit },
};

static int
cmd_help(struct request *r)
{
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(r->out, "%-14s %-19s %s\n", commands[i].name, commands[i].args,
				commands[i].help);
	return 0;
}

/* Takes the next word off the line. */
static const char *
next_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end;

	end = word + strcspn(word, " \t");
	*line = end + strspn(end, " \t");
	*end = '\0';
	return word;
}

static int
run_line(struct request *r, char *line)
{
	const struct command *c = NULL;
	const char *word = next_word(&line);
	size_t i;

	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (strcmp(word, commands[i].name) == 0)
			c = &commands[i];
	}
	if (c == NULL) {
		snprintf(r->err, sizeof(r->err), "no command \"%.40s\"; try help", word);
		return -EINVAL;
	}
	if (c->need == FUNCTION || (c->need == OPTIONAL && *line != '\0')) {
		word = next_word(&line);
		r->f = bfm_function_find(r->model, word);
		if (r->f == NULL) {
			snprintf(r->err, sizeof(r->err), "no function \"%.40s\"; try list", word);
			return -ENODEV;
		}
	}
	r->rest = line;
	return c->run(r);
}

/* ---------------------------------------------------------------- clients */

static void
client_close(struct client *c)
{
	close(c->fd); /* leaves the epoll set */
	free(c->out);
	memset(c, 0, sizeof(*c));
	c->fd = -1;
}

static void
client_watch(struct client *c)
{
	/* No new commands while answers wait: what is kept stays bounded. */
	struct epoll_event ev = {
		.events = c->out != NULL ? EPOLLOUT : EPOLLIN,
		.data.ptr = c,
	};

	epoll_ctl(control.epfd, EPOLL_CTL_MOD, c->fd, &ev);
}

/* Returns false if the client is gone. */
static bool
client_flush(struct client *c)
{
	ssize_t n;

	while (c->out != NULL && c->out_done < c->out_len) {
		n = send(c->fd, c->out + c->out_done, c->out_len - c->out_done,
				MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return true;
		if (n < 0) {
			client_close(c);
			return false;
		}
		c->out_done += n;
	}
	free(c->out);
	c->out = NULL;
	c->out_len = c->out_done = 0;
	return true;
}

/* A line of NULL was too long to be kept. */
static bool
client_command(struct bfm_model *m, struct client *c, char *line)
{
	struct request r = { .model = m };
	int ret = -EMSGSIZE;

	r.out = open_memstream(&c->out, &c->out_len);
	if (r.out == NULL) {
		client_close(c);
		return false;
	}
	if (line != NULL)
		ret = run_line(&r, line);
	else
		snprintf(r.err, sizeof(r.err), "a line has at most %u characters", LINE_SIZE - 1);
	if (ret == 0)
		fprintf(r.out, "ok\n");
	else
		fprintf(r.out, "error: %s\n", r.err[0] != '\0' ? r.err : strerror(-ret));
	if (fclose(r.out) != 0) {
		client_close(c);
		return false;
	}
	return client_flush(c);
}

/* The first line of what has been read, if it is whole. Returns false when there is none. */
static bool
client_line(struct bfm_model *m, struct client *c)
{
	char line[LINE_SIZE], *end = memchr(c->line, '\n', c->line_len);
	bool alive = true, skip;
	size_t len;

	if (end == NULL) {
		if (c->line_len == sizeof(c->line)) {
			c->too_long = true;
			c->line_len = 0;
		}
		return false;
	}
	len = end - c->line;
	memcpy(line, c->line, len);
	line[len] = '\0';
	if (len > 0 && line[len - 1] == '\r')
		line[len - 1] = '\0';
	c->line_len -= len + 1;
	memmove(c->line, end + 1, c->line_len);
	skip = c->too_long;
	c->too_long = false;
	if (skip || line[0] != '\0')
		alive = client_command(m, c, skip ? NULL : line);
	return alive;
}

static void
client_run(struct bfm_model *m, struct client *c)
{
	ssize_t n;

	if (!client_flush(c))
		return;
	if (c->out == NULL && c->line_len < sizeof(c->line)) {
		n = recv(c->fd, c->line + c->line_len, sizeof(c->line) - c->line_len,
				MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR)) {
			client_close(c);
			return;
		}
		if (n > 0)
			c->line_len += n;
	}
	while (c->fd >= 0 && c->out == NULL && client_line(m, c))
		;
	if (c->fd >= 0)
		client_watch(c);
}

static void
client_accept(void)
{
	struct epoll_event ev = { .events = EPOLLIN };
	struct client *c = NULL;
	int fd, i;

	fd = accept4(control.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		return;
	for (i = 0; i < MAX_CLIENTS; i++) {
		if (control.clients[i].fd < 0)
			c = &control.clients[i];
	}
	ev.data.ptr = c;
	if (c == NULL || epoll_ctl(control.epfd, EPOLL_CTL_ADD, fd, &ev) < 0) {
		bfm_log(NULL, BFM_WARN, "control socket: more than %d clients", MAX_CLIENTS);
		close(fd);
		return;
	}
	c->fd = fd;
}

/* ------------------------------------------------------------- open, close */

static int
listen_on(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct stat st;
	int fd, probe;

	if (strlen(path) >= sizeof(addr.sun_path))
		return -ENAMETOOLONG;
	strcpy(addr.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -errno;
	if (lstat(path, &st) == 0) {
		probe = S_ISSOCK(st.st_mode) &&
			connect(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 ? errno : 0;
		if (probe != ECONNREFUSED) {
			close(fd);
			return -EADDRINUSE;
		}
		/* of a model that is dead */
		unlink(path);
	}
	if (bind(fd, (struct sockaddr *)&addr, sizeof(addr)) < 0 || listen(fd, MAX_CLIENTS) < 0) {
		probe = errno;
		close(fd);
		return -probe;
	}
	return fd;
}

int
bfm_control_open(struct bfm_model *m, const char *path)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.ptr = NULL };
	int i, fd;

	(void)m;
	for (i = 0; i < MAX_CLIENTS; i++)
		control.clients[i].fd = -1;
	fd = listen_on(path);
	if (fd < 0) {
		bfm_log(NULL, BFM_ERR, "control socket %s: %s; end the model that uses the folder, "
				"or give another with --dir", path, strerror(-fd));
		return fd;
	}
	control.listen_fd = fd;
	snprintf(control.path, sizeof(control.path), "%s", path);
	control.epfd = epoll_create1(EPOLL_CLOEXEC);
	if (control.epfd < 0 || epoll_ctl(control.epfd, EPOLL_CTL_ADD, fd, &ev) < 0)
		return -errno;
	return 0;
}

void
bfm_control_close(void)
{
	int i;

	if (control.listen_fd < 0)
		return;
	for (i = 0; i < MAX_CLIENTS; i++) {
		if (control.clients[i].fd >= 0)
			client_close(&control.clients[i]);
	}
	unlink(control.path);
	close(control.listen_fd);
	control.listen_fd = -1;
	if (control.epfd >= 0)
		close(control.epfd);
	control.epfd = -1;
}

int
bfm_control_fds(int *fds, int nb)
{
	if (nb < 1 || control.epfd < 0)
		return 0;
	fds[0] = control.epfd;
	return 1;
}

void
bfm_control_run(struct bfm_model *m, int fd)
{
	struct epoll_event ev[MAX_CLIENTS + 1];
	struct client *c;
	int i, nb;

	nb = epoll_wait(fd, ev, MAX_CLIENTS + 1, 0);
	for (i = 0; i < nb; i++) {
		c = ev[i].data.ptr;
		if (c == NULL)
			client_accept();
		else if (c->fd >= 0)
			client_run(m, c);
	}
}
