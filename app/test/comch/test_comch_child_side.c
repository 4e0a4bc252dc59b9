/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What all child processes do: find their device, read lines from the parent,
 * and turn their engine in between. What the lines mean is not known here, but for one:
 *
 *   at <n> <signal>   raise it in front of the n-th system call from now on; 0 for none:
 *                     whether the last was reached, and calls until now
 */

#include <poll.h>
#include <stdarg.h>
#include <sys/socket.h>

#include "test_calls.h"
#include "test_comch_child.h"
#include "test_comch_util.h"

int
test_child_reply(struct test_child_side *side, const char *format, ...)
{
	char line[TEST_CHILD_LINE];
	va_list ap;
	int len, ret;

	va_start(ap, format);
	len = vsnprintf(line, sizeof(line), format, ap);
	va_end(ap);
	test_calls_own(true);
	ret = send(side->sock, line, (size_t)len, MSG_NOSIGNAL) == len ? 0 : -errno;
	test_calls_own(false);
	return ret;
}

static int
side_open(struct test_child_side *side)
{
	struct rte_comch_dev_info info;
	int16_t dev = rte_comch_dev_next(0);

	if (dev < 0 || rte_comch_dev_info_get(dev, &info) != 0)
		return -ENODEV;
	if (info.role == RTE_COMCH_ROLE_DPU)
		test_pair.dpu = dev;
	else
		test_pair.host = dev;
	test_pair.rep = 0;
	side->pe = test_pe_new();
	return 0;
}

static void
side_command(struct test_child_side *side, const char *line)
{
	unsigned int i, n;
	int ret = -ENOENT, sig;
	size_t len;

	side->quit = strcmp(line, "quit") == 0;
	if (side->quit) {
		ret = test_child_reply(side, "ok");
	} else if (sscanf(line, "at %u %d", &n, &sig) == 2) {
		ret = test_child_reply(side, "ok %u %u", test_calls_end() != NULL,
			test_calls_nb());
		if (n != 0)
			test_calls_signal(n, sig);
	}
	for (i = 0; i < side->nb_commands; i++) {
		len = strlen(side->commands[i].word);
		if (strncmp(line, side->commands[i].word, len) == 0) {
			test_calls_own(false);
			ret = side->commands[i].fn(line + len);
			test_calls_own(true);
			break;
		}
	}
	if (ret != 0) {
		fprintf(stderr, "child: \"%s\": %s\n", line, strerror(-ret));
		test_child_reply(side, "failed %d", ret);
	}
}

int
test_child_run(struct test_child_side *side, const char *socket_nr)
{
	char line[TEST_CHILD_LINE];
	struct pollfd pfds[2];
	bool busy, asleep;
	ssize_t n;
	int ret;

	side->sock = atoi(socket_nr);
	ret = side_open(side);
	if (ret != 0) {
		test_child_reply(side, "failed %d", ret);
		return ret;
	}
	test_child_reply(side, "ok");
	while (!side->quit) {
		test_calls_own(false);
		busy = side->busy != NULL && side->busy();
		/* a child that waits leaves the processor to those that are measured */
		asleep = test_progress() == 0 && !busy && rte_comch_pe_arm(side->pe) == 0;
		test_calls_own(true);
		memset(pfds, 0, sizeof(pfds));
		pfds[0].fd = side->sock;
		pfds[0].events = POLLIN;
		pfds[1].fd = rte_comch_pe_fd(side->pe);
		pfds[1].events = POLLIN;
		if (poll(pfds, asleep ? 2 : 1, asleep ? 1000 : 0) < 0 && errno != EINTR)
			break;
		if (pfds[0].revents == 0)
			continue;
		n = recv(side->sock, line, sizeof(line) - 1, MSG_DONTWAIT);
		if (n == 0)
			break; /* the parent is gone */
		if (n < 0)
			continue;
		line[n] = '\0';
		side_command(side, line);
	}
	return 0;
}
