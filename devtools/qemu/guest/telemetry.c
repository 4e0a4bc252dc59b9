/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Asks the telemetry socket of a DPDK process, for places without Python and so
 * without dpdk-telemetry.py. Knows nothing of what the answers mean.
 *
 * usage: telemetry <socket> <command>...
 *
 * Prints a line with each answer, as the process gave it.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

static char answer[256 * 1024];

int
main(int argc, char **argv)
{
	const struct timeval limit = { .tv_sec = 5 };
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	ssize_t n;
	int fd, i;

	if (argc < 3 || strlen(argv[1]) >= sizeof(addr.sun_path)) {
		fprintf(stderr, "usage: telemetry <socket> <command>...\n");
		return EXIT_FAILURE;
	}
	strcpy(addr.sun_path, argv[1]);
	fd = socket(AF_UNIX, SOCK_SEQPACKET, 0);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) != 0 ||
			connect(fd, (struct sockaddr *)&addr, sizeof(addr)) != 0) {
		fprintf(stderr, "telemetry: %s: %s\n", argv[1], strerror(errno));
		return EXIT_FAILURE;
	}
	/* who it is, unasked */
	n = recv(fd, answer, sizeof(answer) - 1, 0);
	for (i = 2; n > 0 && i < argc; i++) {
		if (send(fd, argv[i], strlen(argv[i]), MSG_NOSIGNAL) < 0)
			break;
		n = recv(fd, answer, sizeof(answer) - 1, 0);
		if (n > 0)
			printf("%.*s\n", (int)n, answer);
	}
	if (n <= 0 || i < argc) {
		fprintf(stderr, "telemetry: %s: %s\n", argv[1],
			n == 0 ? "the process ended the connection" : strerror(errno));
		close(fd);
		return EXIT_FAILURE;
	}
	close(fd);
	return EXIT_SUCCESS;
}
