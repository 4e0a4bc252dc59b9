/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* What every loop of this process looks at: the wish to end, and the prompt's input. */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_common.h>

#include "app.h"

static volatile sig_atomic_t quit_wanted;
static int quit_fd = -1;
static struct app *signal_app;
static bool left;

bool
app_quit_wanted(void)
{
	return quit_wanted != 0;
}

void
app_left(const char *what, int error)
{
	fprintf(stderr, "%s cannot be destroyed: %s\n", what, strerror(-error));
	left = true;
}

bool
app_has_left(void)
{
	return left;
}

/* Also what the signals do: nothing but this is safe in a handler. */
void
app_quit(void)
{
	uint64_t one = 1;

	quit_wanted = 1;
	if (quit_fd >= 0 && write(quit_fd, &one, sizeof(one)) < 0)
		return;
}

int
app_quit_fd(void)
{
	return quit_fd;
}

static void
signal_handler(int sig)
{
	int saved = errno;

	/* At the prompt Ctrl-C ends the tests, and nothing else: so does the signal. */
	if (sig == SIGINT && signal_app->running && signal_app->opt.interactive)
		signal_app->stop = true;
	else
		app_quit();
	errno = saved;
}

int
app_signals_setup(struct app *app)
{
	struct sigaction sa = { .sa_handler = signal_handler };

	signal_app = app;
	quit_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (quit_fd < 0 || sigaction(SIGINT, &sa, NULL) != 0 ||
			sigaction(SIGTERM, &sa, NULL) != 0) {
		fprintf(stderr, "signals cannot be set up: %s\n", strerror(errno));
		return -errno;
	}
	return 0;
}

void
app_wait(struct app *app, struct rte_comch_pe *pe, int timeout_ms)
{
	struct pollfd pfd[3];
	nfds_t nb = 0, prompt = RTE_DIM(pfd);
	int ret, fd;

	if (app != NULL && __atomic_load_n(&app->prompt_gone, __ATOMIC_RELAXED))
		app_tick(app);
	if (pe != NULL) {
		ret = rte_comch_pe_arm(pe);
		if (ret == -EAGAIN)
			return;
		if (ret == 0)
			pfd[nb++] = (struct pollfd){ .fd = rte_comch_pe_fd(pe), .events = POLLIN };
		else
			timeout_ms = RTE_MIN(timeout_ms, 1); /* it cannot wake us up */
	}
	pfd[nb++] = (struct pollfd){ .fd = quit_fd, .events = POLLIN };
	fd = app != NULL && app->prompt != NULL ? app->prompt_fd(app->prompt) : -1;
	if (fd >= 0) {
		prompt = nb;
		pfd[nb++] = (struct pollfd){ .fd = fd, .events = POLLIN };
	}
	if (poll(pfd, nb, timeout_ms) > 0 && prompt < RTE_DIM(pfd) && pfd[prompt].revents != 0)
		app_tick(app);
}

void
app_line(struct app *app)
{
	if (!app->prompt_terminal)
		return;
	printf("\r\033[K");
	/* What follows may go to stderr. */
	fflush(stdout);
	/* Relaxed: the terminal has the lines in the order of the writes. */
	__atomic_store_n(&app->prompt_gone, true, __ATOMIC_RELAXED);
}

void
app_tick(struct app *app)
{
	if (app->prompt != NULL)
		app->prompt_poll(app->prompt);
}
