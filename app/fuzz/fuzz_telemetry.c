/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/* The input is the parameters of a command on the telemetry socket. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include <rte_bus_vdev.h>
#include <rte_common.h>
#include <rte_eal.h>

#include "fuzz.h"

static int sock;

int
LLVMFuzzerInitialize(int *argc, char ***argv)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	const struct timeval patience = { .tv_sec = 20 };
	char args[PATH_MAX + 64];
	char buf[4096];
	int ret;

	RTE_SET_USED(argc);
	RTE_SET_USED(argv);
	fuzz_eal(true);
	snprintf(args, sizeof(args), "role=dpu,functions=pf0:pf0vf[0-3],path=%s", fuzz_path);
	ret = rte_vdev_init("comch_shm0", args);
	if (ret != 0)
		fuzz_die("card device", ret);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/dpdk_telemetry.v2",
		rte_eal_get_runtime_dir());
	sock = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	if (sock < 0 || connect(sock, (struct sockaddr *)&addr, sizeof(addr)) != 0 ||
			setsockopt(sock, SOL_SOCKET, SO_RCVTIMEO, &patience,
			sizeof(patience)) != 0 || recv(sock, buf, sizeof(buf), 0) <= 0)
		fuzz_die("telemetry", errno);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char * const commands[] = {
		"/comch/list", "/comch/info", "/comch/stats", "/comch/connections", "/comch/totals",
		"/comch/pes", "/comch/users", "/comch/queues", "/comch/dpas", "/comch/dpa_info",
		"/comch/msgqs", "/comch/msgq_info",
	};
	static char reply[65536];
	char text[1024];
	ssize_t ret;
	int len;

	/* at least a name, and less than the server's buffer */
	if (size < 1 || size > 512 || memchr(data + 1, '\0', size - 1) != NULL)
		return -1;
	len = snprintf(text, sizeof(text), "%s%s%.*s", commands[data[0] % RTE_DIM(commands)],
			size > 1 ? "," : "", (int)size - 1, (const char *)data + 1);
	if (send(sock, text, (size_t)len, MSG_NOSIGNAL) != len)
		abort();
	do /* the fuzzer's timer interrupts it now and then */
		ret = recv(sock, reply, sizeof(reply), 0);
	while (ret < 0 && errno == EINTR);
	if (ret <= 0)
		abort();
	return 0;
}
