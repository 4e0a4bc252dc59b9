/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The end of a window when its program dies slowly, or does not want to let go. A child
 * that sleeps is the process, and a thread of the test what answers for it.
 */

#define ALLOW_INTERNAL_API 1 /* the driver's view of offload processors */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comch_shm.h" /* check-ok: its layers are tested */
#include "shm_dpa.h" /* check-ok: its layers are tested */
#include "shm_fast.h" /* check-ok: its layers are tested */
#include "test_comch_util.h"

#ifndef SYS_pidfd_open /* Linux 5.3 */
#define SYS_pidfd_open 434
#endif

#define REGION_SIZE 8192
/* How slowly it dies. */
#define DYING_MS 200
/* Nobody has to kill it then. */
#define CHILD_SECONDS 30

static struct rte_comch_dpa_window window;
static struct rte_comch_mem mem;
static struct rte_comch_dpa api;
static struct shm_region region;
static struct shm_dpa dpa;
static char program[] = "none";
static int peer_sock = -1;
static pid_t child = -1;

/* A process that ends by itself after a time, and memory that it might have a window of. */
static int
setup(uint32_t child_ms)
{
	pthread_condattr_t attr;
	uint64_t off;
	int socks[2];

	child = fork();
	TEST_TRUE(child >= 0);
	if (child == 0) {
		usleep(child_ms * 1000);
		_exit(0);
	}
	memset(&dpa, 0, sizeof(dpa));
	dpa.pidfd = syscall(SYS_pidfd_open, child, 0);
	TEST_TRUE(dpa.pidfd >= 0);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	dpa.sock = socks[0];
	peer_sock = socks[1];
	pthread_mutex_init(&dpa.lock, NULL);
	/* the clock of its time limits: by another one they are over at once */
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&dpa.cond, &attr);
	pthread_condattr_destroy(&attr);
	TEST_EXPECT(shm_dpa_segs_create(&dpa.segs, REGION_SIZE), 0);
	api = (struct rte_comch_dpa){ .priv = &dpa, .program = program, .nb_eus = 1 };
	dpa.api = &api;
	dpa.name = "none";
	dpa.status.state = RTE_COMCH_DPA_RUNNING;
	shm_dpa_host(&dpa)->nb_eus = 1;

	TEST_EXPECT(shm_dpa_seg_alloc(&dpa.segs.seg[SHM_DPA_WINDOWS], REGION_SIZE,
			SHM_DPA_WINDOW_ALIGN, &off), 0);
	shm_dpa_host(&dpa)->windows[0].addr = dpa.segs.seg[SHM_DPA_WINDOWS].addr + off;
	dpa.windows[0].size = REGION_SIZE;
	region.own.size = REGION_SIZE;
	region.own.page_size = REGION_SIZE;
	mem.priv = &region;
	window = (struct rte_comch_dpa_window){ .dpa = &api, .mem = &mem, .handle = 1 };
	return TEST_SUCCESS;
}

static void
teardown(void)
{
	if (child > 0) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
	}
	child = -1;
	if (peer_sock < 0)
		return;
	close(peer_sock);
	close(dpa.sock);
	close(dpa.pidfd);
	shm_dpa_segs_free(&dpa.segs);
	pthread_cond_destroy(&dpa.cond);
	pthread_mutex_destroy(&dpa.lock);
	peer_sock = -1;
}

static int
setup_slow(void)
{
	return setup(DYING_MS);
}

static int
setup_here(void)
{
	return setup(CHILD_SECONDS * 1000);
}

/* It is taken for broken, and was killed: it may write to the region until it is no more. */
static int
test_dies_slowly(void)
{
	dpa.down = true;
	TEST_EXPECT(shm_dpa_window_destroy(&window), 0);
	TEST_TRUE(shm_dpa_process_over(&dpa, 0));
	TEST_EXPECT(dpa.windows[0].size, 0u);
	return TEST_SUCCESS;
}

/* One request, answered by an error. */
static void *
refuse(void *arg)
{
	struct shm_dpa_answer answer;
	struct shm_dpa_msg msg;

	memset(&answer, 0, sizeof(answer));
	if (recv(peer_sock, &msg, sizeof(msg), 0) == (ssize_t)sizeof(msg)) {
		answer.seq = msg.seq;
		answer.ret = *(const int *)arg;
		if (send(peer_sock, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer))
			shm_dpa_receive(&dpa);
	}
	return NULL;
}

/* What it answers is no way to stay for ever. */
static int
refused(int error)
{
	pthread_t thread;
	int ret;

	TEST_EXPECT(pthread_create(&thread, NULL, refuse, &error), 0);
	ret = shm_dpa_window_destroy(&window);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, -ETIMEDOUT);
	TEST_EXPECT(dpa.status.state, RTE_COMCH_DPA_FAILED);
	TEST_EXPECT(shm_dpa_window_destroy(&window), 0);
	TEST_TRUE(shm_dpa_process_over(&dpa, 0));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "ends of windows",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(setup_slow, teardown, test_dies_slowly),
		TEST_CASE_ARG(setup_here, teardown, "test_refuses", refused, -EINVAL),
		TEST_CASE_ARG(setup_here, teardown, "test_says_that_it_ended", refused, -EIO),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_dpa_window_autotest, unit_test_suite_runner, &suite);
