/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The end of a window when its program dies slowly, or does not want to let go; what a program
 * answers and sends; how memory is given out to it. A child that sleeps is the process, and a
 * thread of the test what answers for it.
 */

#define ALLOW_INTERNAL_API 1 /* the driver's view of offload processors */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
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
/* Until the host waits for what does not come. */
#define WAITS_MS 100
/* Longer than the host waits for news of an end. */
#define LATE_MS 1200
/* More than are logged in a second. */
#define MANY_LINES 70
/* More than any socket takes. */
#define MAX_SENDS 100000
#define MB (UINT64_C(1) << 20)

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

/* One request, answered by an error; that late, and in so many bytes. */
static uint32_t answer_ms;
static size_t answer_len = sizeof(struct shm_dpa_answer);

static void *
refuse(void *arg)
{
	struct shm_dpa_answer answer[2];
	struct shm_dpa_msg msg;

	memset(answer, 0, sizeof(answer));
	if (recv(peer_sock, &msg, sizeof(msg), 0) == (ssize_t)sizeof(msg)) {
		answer[0].seq = msg.seq;
		answer[0].ret = *(const int *)arg;
		usleep(answer_ms * 1000);
		if (send(peer_sock, answer, answer_len, 0) == (ssize_t)answer_len)
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

/* One request, which is answered by what is no answer: it has ended, or does so. */
static void *
end_meanwhile(void *arg)
{
	struct shm_dpa_msg msg;

	if (arg != NULL)
		usleep(WAITS_MS * 1000);
	else if (recv(peer_sock, &msg, sizeof(msg), 0) != (ssize_t)sizeof(msg))
		return NULL;
	shm_dpa_violation(&dpa, SHM_DPA_NO_EU, "nothing", 0, 0);
	return NULL;
}

/* It ends while it is asked to let go, and while it is to leave a thread's function. */
static int
test_ends_meanwhile(void)
{
	struct rte_comch_dpa_thread unit = { .dpa = &api };
	pthread_t thread;
	int ret;

	TEST_EXPECT(pthread_create(&thread, NULL, end_meanwhile, NULL), 0);
	ret = shm_dpa_window_destroy(&window);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_TRUE(shm_dpa_process_over(&dpa, 0));
	dpa.down = false;
	TEST_EXPECT(pthread_create(&thread, NULL, end_meanwhile, &unit), 0);
	ret = shm_dpa_thread_destroy(&unit);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	return TEST_SUCCESS;
}

/* It was killed, and does not die: what it may write to stays its own. */
static int
test_does_not_die(void)
{
	dpa.down = true;
	TEST_EXPECT(shm_dpa_window_destroy(&window), -ETIMEDOUT);
	TEST_EXPECT(dpa.windows[0].size, REGION_SIZE);
	return TEST_SUCCESS;
}

/* It has ended before it is looked at, which says nothing of what it kept. */
static int
test_ended_before(void)
{
	pthread_t thread;
	int said = 0, ret;

	TEST_TRUE(shm_dpa_process_over(&dpa, TEST_MS));
	TEST_EXPECT(pthread_create(&thread, NULL, refuse, &said), 0);
	ret = shm_dpa_window_destroy(&window);
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(dpa.status.state, RTE_COMCH_DPA_RUNNING);
	return TEST_SUCCESS;
}

/* A call, to which a thread answers. */
static int
answered(int said, uint32_t *seq)
{
	struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_RPC };
	pthread_t thread;
	int ret;

	TEST_EXPECT(pthread_create(&thread, NULL, refuse, &said), 0);
	ret = shm_dpa_request(&dpa, &msg, -1, TEST_MS, NULL);
	pthread_join(thread, NULL);
	*seq = msg.seq;
	return ret;
}

/* What it answers is 0 or a negative errno; numbers of requests are none twice in a row. */
static int
test_answers(void)
{
	static const struct {
		int said, got;
	} answers[] = {
		{ 0, 0 }, { -EPERM, -EPERM }, { -4095, -4095 }, { -4096, -EPROTO },
		{ INT_MIN, -EPROTO }, { 1, -EPROTO }, { INT_MAX, -EPROTO },
	};
	uint32_t seq = 0, former = 0;
	unsigned int i;
	int ret;

	dpa.last_seq = UINT32_MAX;
	for (i = 0; i < RTE_DIM(answers); i++) {
		ret = answered(answers[i].said, &seq);
		TEST_ASSERT(ret == answers[i].got, "%d for %d", ret, answers[i].said);
		TEST_TRUE(seq != 0 && seq != former);
		former = seq;
	}
	/* it may take the time that it has */
	answer_ms = LATE_MS;
	ret = answered(0, &seq);
	answer_ms = 0;
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(dpa.status.state, RTE_COMCH_DPA_RUNNING);
	return TEST_SUCCESS;
}

/* An answer of another size is none, whatever its first bytes are. */
static int
test_answer_sizes(void)
{
	uint32_t seq = 0;
	int ret, i;

	for (i = -1; i <= 1; i += 2) {
		dpa.down = false;
		answer_len = sizeof(struct shm_dpa_answer) + i;
		ret = answered(0, &seq);
		answer_len = sizeof(struct shm_dpa_answer);
		TEST_EXPECT(ret, -EIO);
		TEST_EXPECT(dpa.status.end, RTE_COMCH_DPA_END_NONSENSE);
	}
	return TEST_SUCCESS;
}

/*
 * Lines without an end; more than are logged in a second, and one of the next. And what is of
 * the size of a line, with a number as answers have it.
 */
static int
test_lines(void)
{
	struct shm_dpa_line line;
	uint32_t i;

	memset(&line, 'a', sizeof(line));
	line.seq = 0;
	for (i = 0; i < MANY_LINES; i++) {
		dpa.next_lines = i != 0 ? UINT64_MAX : 0;
		TEST_EXPECT(send(peer_sock, &line, sizeof(line), 0), sizeof(line));
		shm_dpa_receive(&dpa);
	}
	TEST_EXPECT(dpa.nb_lines, MANY_LINES);
	dpa.next_lines = 0;
	TEST_EXPECT(send(peer_sock, &line, sizeof(line), 0), sizeof(line));
	shm_dpa_receive(&dpa);
	TEST_EXPECT(dpa.nb_lines, 1);
	TEST_EXPECT(dpa.down, 0);
	line.seq = 1;
	TEST_EXPECT(send(peer_sock, &line, sizeof(line), 0), sizeof(line));
	shm_dpa_receive(&dpa);
	TEST_EXPECT(dpa.down, 1);
	TEST_EXPECT(dpa.status.end, RTE_COMCH_DPA_END_NONSENSE);
	return TEST_SUCCESS;
}

/* Whoever sends to it learns that it has ended, and ends one that does not read. */
static int
test_sends(void)
{
	const struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_GROUP };
	struct shm_dpa_msg got, request = msg;
	int ret = 0, i;

	dpa.down = true;
	TEST_EXPECT(shm_dpa_send(&dpa, &msg, -1), -EIO);
	TEST_EXPECT(recv(peer_sock, &got, sizeof(got), MSG_DONTWAIT), -1);
	dpa.down = false;
	/* what the kernel does not take is no end of it */
	TEST_EXPECT(shm_dpa_send(&dpa, &msg, INT_MAX), -ENOMEM);
	TEST_EXPECT(shm_dpa_request(&dpa, &request, INT_MAX, 1, NULL), -ENOMEM);
	TEST_EXPECT(dpa.down, 0);
	for (i = 0; i < MAX_SENDS && ret == 0; i++)
		ret = shm_dpa_send(&dpa, &msg, -1);
	TEST_EXPECT(ret, -EIO);
	TEST_EXPECT(dpa.status.end, RTE_COMCH_DPA_END_SPIN);
	/* its end goes, with what was not read; then there is none */
	dpa.down = false;
	TEST_EXPECT(dup2(dpa.pidfd, peer_sock), peer_sock);
	for (i = 0; i < 3; i++)
		TEST_EXPECT(shm_dpa_send(&dpa, &msg, -1), -EIO);
	return TEST_SUCCESS;
}

/* No two parts of a segment share a byte, whatever they are aligned to; none is behind its end. */
static int
test_segments(void)
{
	struct shm_dpa_seg *heap = &dpa.segs.seg[SHM_DPA_HEAP];
	struct shm_dpa_seg *space = &dpa.segs.seg[SHM_DPA_WINDOWS];
	struct shm_dpa_place host = { 0 }, prog = { 0 };
	struct stat st;
	uint64_t off, first;

	/* the first is that of the setup */
	TEST_EXPECT(shm_dpa_seg_alloc(space, 2 * MB, 2 * MB, &off), 0);
	TEST_EXPECT(off, 2 * MB);
	TEST_EXPECT(shm_dpa_seg_alloc(space, 2 * MB, 1024 * MB, &off), 0);
	TEST_EXPECT(off, 1024 * MB);
	TEST_EXPECT(shm_dpa_seg_alloc(space, 2 * MB, 2 * MB, &off), 0);
	TEST_EXPECT(off, 4 * MB);
	TEST_EXPECT(shm_dpa_seg_alloc(space, 2 * MB, 2 * MB, &off), 0);
	TEST_EXPECT(off, 6 * MB);
	TEST_EXPECT(shm_dpa_seg_alloc(heap, 1, 4096, &first), 0);
	TEST_EXPECT(shm_dpa_seg_alloc(heap, 1, MB, &off), -ENOMEM);
	TEST_EXPECT(shm_dpa_seg_alloc(space, 0, 4096, &off), -ENOMEM);
	TEST_EXPECT(shm_dpa_seg_alloc(space, UINT64_MAX, 4096, &off), -ENOMEM);

	/* both or none */
	TEST_EXPECT(shm_dpa_places_alloc(&dpa, SHM_DPA_HOST_SIZE, 1, &host, &prog), -ENOMEM);
	TEST_EXPECT(shm_dpa_places_alloc(&dpa, 1, SHM_DPA_PROG_SIZE, &host, &prog), -ENOMEM);
	TEST_EXPECT(host.size | prog.size, 0);
	/* it has no pages but those of its header */
	TEST_EXPECT(fstat(dpa.segs.seg[SHM_DPA_HOST].fd, &st), 0);
	TEST_TRUE(st.st_blocks * 512 <= SHM_DPA_HOST_HDR);
	TEST_TRUE(TAILQ_EMPTY(&dpa.segs.seg[SHM_DPA_HOST].used));
	TEST_EXPECT(shm_dpa_places_alloc(&dpa, 1, 1, &host, &prog), 0);
	shm_dpa_places_free(&dpa, &host, &prog);
	dpa.down = true;
	TEST_EXPECT(shm_dpa_places_alloc(&dpa, 1, 1, &host, &prog), -EIO);
	return TEST_SUCCESS;
}

/* As many windows as there are, and as there are addresses for. */
static int
test_no_window(void)
{
	struct shm_dpa_seg *space = &dpa.segs.seg[SHM_DPA_WINDOWS];
	struct rte_comch_dpa_window more = { .dpa = &api, .mem = &mem };
	uint64_t off;
	uint32_t i;

	TEST_EXPECT(shm_dpa_seg_alloc(space, space->size - 2 * MB, 2 * MB, &off), 0);
	TEST_EXPECT(shm_dpa_window_create(&more), -ENOMEM);
	TEST_EXPECT(shm_dpa_seg_free(space, off), 0);
	for (i = 0; i < SHM_DPA_MAX_WINDOWS; i++)
		dpa.windows[i].size = REGION_SIZE;
	TEST_EXPECT(shm_dpa_window_create(&more), -ENOSPC);
	return TEST_SUCCESS;
}

/* The socket that it is given has the number that it is to have. */
static int
test_socket_place(void)
{
	struct shm_launch launch = {
		.sock = SHM_DPA_SOCK, .name = "none", .max_fds = SHM_DPA_MAX_FDS,
	};
	int last = 0, pidfd, ret;
	pid_t pid = -1;

	while (last >= 0 && last < SHM_DPA_SOCK && fcntl(SHM_DPA_SOCK, F_GETFD) < 0)
		last = dup(STDERR_FILENO);
	launch.exe = open("/bin/true", O_RDONLY | O_CLOEXEC);
	ret = shm_exec(&launch, &pid, &pidfd);
	close(launch.exe);
	if (last == SHM_DPA_SOCK)
		close(last);
	TEST_ASSERT(ret == 0, "cannot %s: %d", launch.what, ret);
	close(pidfd);
	TEST_EXPECT(waitpid(pid, NULL, __WALL), pid);
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
		TEST_CASE_ST(setup_here, teardown, test_ends_meanwhile),
		TEST_CASE_ST(setup_here, teardown, test_does_not_die),
		TEST_CASE_ST(setup_slow, teardown, test_ended_before),
		TEST_CASE_ST(setup_here, teardown, test_answers),
		TEST_CASE_ST(setup_here, teardown, test_answer_sizes),
		TEST_CASE_ST(setup_here, teardown, test_lines),
		TEST_CASE_ST(setup_here, teardown, test_sends),
		TEST_CASE_ST(setup_here, teardown, test_segments),
		TEST_CASE_ST(setup_here, teardown, test_no_window),
		TEST_CASE(test_socket_place),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_dpa_window_autotest, unit_test_suite_runner, &suite);
