/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Peers of the suite shm_soak that come and go. EAL starts too slowly for thousands of them,
 * so a child forks them that has EAL, no device, and no memory that they would share. Each
 * plugs a device, connects, opens the fast path, sends and receives on both paths, and
 * closes all of it. A keeper starts one after the other, and kills it at a random time of a
 * random stage. The child can be told:
 *
 *   open <file> <path>                              have no device from now on
 *   lives <way> <number> <keepers> <period> <seed>  answered when all have ended
 *   quit                                            end
 */

#include <inttypes.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "test_comch_child.h"
#include "test_comch_util.h"
#include "test_rand.h"
#include "test_shm_soak.h"
#include "test_shm_storm.h"

/* Of one life: a peer that hangs is killed by then, and has failed. */
#define LIFE_SECONDS 60u
/* Messages are sent for at most so long. */
#define LIFE_HOLD_US 10000u
/* Under way at one time. */
#define LIFE_MSGS 4u
#define LIFE_FAST 8u
#define LIFE_POLL_MS 1
#define MAX_KEEPERS 8u
/* Until stages have been measured. */
#define FIRST_STAGE_NS 500000u
/*
 * Between looks whether a peer has ended, and before it is reaped: on a busy machine the
 * kernel turns in that call until all entries of the peer in /proc are freed.
 */
#define REAP_NS 3000000u
/* Below this a sleep is too coarse. */
#define SPIN_NS 60000u

static struct test_child_side side;
static char lives_path[TEST_CHILD_LINE];
static cpu_set_t lives_cpus; /* of peers */

/* What one life is to be. */
struct life {
	unsigned int keeper;
	unsigned int function;
	unsigned int hold_us;
	bool kill;
	unsigned int stage;  /* in which it is killed, or after which it closes all it has */
	uint32_t part;       /* of that stage, when */
};

/*
 * In the peer that lives
 */

static struct {
	struct rte_comch_pe *pe;
	struct test_ep *ep;
	struct storm_end end;
	uint32_t sent;
	int fd;
	int error;
} peer;

static void
life_stage(enum soak_stage stage)
{
	const uint8_t byte = (uint8_t)stage;

	if (write(peer.fd, &byte, 1) != 1)
		_exit(EXIT_FAILURE);
}

static void
life_recv(struct test_ep *ep, struct rte_comch_conn *conn __rte_unused, const void *msg,
		uint32_t len)
{
	const uint32_t nr = ep->nb_recv - 1;

	if (len != 1 + nr % 500 || !test_check(msg, len, nr))
		peer.error = -EILSEQ;
}

/* Turn it once, and sleep if there is nothing to do. */
static void
life_turn(uint64_t send_to)
{
	struct pollfd pfd = { rte_comch_pe_fd(peer.pe), POLLIN, 0 };
	int nb = rte_comch_pe_progress(peer.pe);

	if (peer.end.ep != NULL)
		nb += (int)storm_end_turn(&peer.end, send_to);
	if (nb == 0 && rte_comch_pe_arm(peer.pe) == 0)
		poll(&pfd, 1, LIFE_POLL_MS);
}

static int
life_connect(const struct life *life)
{
	struct rte_comch_client_conf conf;
	char name[16];
	int ret;

	peer.pe = test_pe_new();
	peer.ep = test_ep_new();
	snprintf(name, sizeof(name), "doomed%u", life->keeper);
	test_client_conf(peer.ep, name, &conf);
	conf.connect_timeout_ms = LIFE_SECONDS * 1000;
	ret = test_client_start(peer.ep, &conf, peer.pe);
	if (ret != -EINPROGRESS)
		return ret == 0 ? -EALREADY : ret;
	while (test_state(peer.ep) == RTE_COMCH_STATE_STARTING)
		life_turn(0);
	return peer.ep->conn != NULL ? 0 : rte_comch_ctx_reason_get(peer.ep->ctx);
}

/* Both sides have consumers. */
static int
life_open(void)
{
	int ret = storm_end_open(&peer.end, peer.ep, peer.ep->conn, test_pair.host, peer.pe);

	while (ret == 0 && peer.ep->nb_new == 0 && peer.ep->conn != NULL)
		life_turn(0);
	return ret == 0 && peer.ep->conn == NULL ? -ECONNRESET : ret;
}

static int
life_transfer(const struct life *life)
{
	/* as long as those that are killed then */
	const uint64_t hold_ns = (uint64_t)life->hold_us * 1000 *
		(life->kill || life->stage > SOAK_TRANSFERS ? 1 << 16 : life->part) >> 16;
	const uint64_t end_ns = test_now_ns() + hold_ns;
	struct storm_end *end = &peer.end;
	bool sends = true;
	int ret = 0;

	peer.ep->on_recv = life_recv;
	while (sends || peer.ep->nb_recv != peer.sent || end->received != end->sent) {
		sends = sends && test_now_ns() < end_ns;
		if (sends && peer.sent - peer.ep->nb_recv < LIFE_MSGS) {
			ret = test_send_pattern(peer.ep->conn, 1 + peer.sent % 500, peer.sent);
			peer.sent += ret == 0;
		}
		life_turn(end->sent + (sends && end->sent - end->received < LIFE_FAST ? 2 : 0));
		if (ret != 0 && ret != -ENOMEM)
			return ret;
		if (peer.error != 0 || end->error != 0)
			return peer.error != 0 ? peer.error : end->error;
		if (peer.ep->conn == NULL)
			return -ECONNRESET;
	}
	return 0;
}

static int
life_close(void)
{
	peer.end.conn = NULL; /* no more turns of queues */
	while (peer.end.ep != NULL && !storm_end_close(&peer.end))
		life_turn(0);
	return peer.ep == NULL ? 0 : test_ep_close(peer.ep);
}

static int
life_plug(const struct life *life)
{
	int ret = test_vdev_add("role=host,function=%s,path=%s", soak_functions[life->function],
		lives_path);

	test_pair.host = (int16_t)ret;
	return ret < 0 ? ret : 0;
}

static void __attribute__((noreturn))
life_run(const struct life *life, int fd)
{
	const unsigned int last = life->kill ? SOAK_TRANSFERS : life->stage;
	uint64_t start = test_now_ns();
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sched_setaffinity(0, sizeof(lives_cpus), &lives_cpus);
	signal(SIGALRM, SIG_DFL);
	alarm(LIFE_SECONDS);
	peer.fd = fd;
	life_stage(SOAK_BEGINS);
	ret = life_plug(life);
	life_stage(SOAK_CONNECTS);
	if (ret == 0 && last >= SOAK_CONNECTS)
		ret = life_connect(life);
	life_stage(SOAK_OPENS);
	if (ret == 0 && last >= SOAK_OPENS)
		ret = life_open();
	life_stage(SOAK_TRANSFERS);
	if (ret == 0 && last >= SOAK_TRANSFERS)
		ret = life_transfer(life);
	life_stage(SOAK_CLOSES);
	if (ret == 0)
		ret = life_close();
	life_stage(SOAK_GOES);
	if (ret == 0) {
		test_cleanup();
		ret = test_vdev_remove(test_pair.host);
	}
	if (ret != 0) {
		fprintf(stderr, "a peer on %s: %s\n", soak_functions[life->function],
			strerror(-ret));
		_exit(EXIT_FAILURE);
	}
	__atomic_fetch_add(&soak_share->lives.msgs, peer.sent + peer.end.received,
		__ATOMIC_RELAXED);
	__atomic_fetch_add(&soak_share->lives.life_ns, test_now_ns() - start, __ATOMIC_RELAXED);
	_exit(EXIT_SUCCESS);
}

/*
 * In a keeper
 */

static struct {
	uint32_t rand;
	uint64_t stage_ns[SOAK_STAGES]; /* how long each takes, on average */
	unsigned int nb;                /* lives that count */
} keeper;

static uint32_t
keeper_rand(uint32_t below)
{
	return (uint32_t)(((uint64_t)test_rand_next(&keeper.rand) * below) >> 32);
}

static void
keeper_sleep(uint64_t ns)
{
	const struct timespec ts = {
		.tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000),
	};
	const uint64_t end = test_now_ns() + ns;

	if (ns > SPIN_NS)
		nanosleep(&ts, NULL);
	while (test_now_ns() < end)
		;
}

/* Until a stage has begun. @return the last that has, or SOAK_STAGES if the peer has ended. */
static unsigned int
keeper_until(int fd, unsigned int stage)
{
	unsigned int last = SOAK_BEGINS;
	uint64_t begin = test_now_ns(), now;
	uint8_t byte;

	for (;;) {
		if (read(fd, &byte, 1) != 1)
			return SOAK_STAGES;
		now = test_now_ns();
		if (byte > last)
			keeper.stage_ns[last] += (now - begin) / 16 - keeper.stage_ns[last] / 16;
		begin = now;
		last = byte;
		if (last >= stage)
			return last;
	}
}

/* Killed by the keeper: in which stage was it? */
static void
keeper_killed(int fd, unsigned int stage)
{
	uint8_t byte;

	while (read(fd, &byte, 1) == 1)
		stage = byte;
	__atomic_fetch_add(&soak_share->lives.nb_killed[stage], 1, __ATOMIC_RELAXED);
	keeper.nb++;
}

/* @return its status, or -1 */
static int
keeper_reap(pid_t pid)
{
	siginfo_t info = { .si_pid = 0 };
	int status;

	do {
		keeper_sleep(REAP_NS);
	} while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
		info.si_pid == 0);
	keeper_sleep(REAP_NS);
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static void
keeper_watch(const struct life *life, pid_t pid, int fd)
{
	unsigned int stage = keeper_until(fd, life->kill ? life->stage : SOAK_STAGES);
	bool killed = false;
	int status;

	if (life->kill && stage < SOAK_STAGES) {
		keeper_sleep(keeper.stage_ns[stage] * life->part >> 16);
		kill(pid, SIGKILL);
		killed = true;
	}
	status = keeper_reap(pid);
	if (killed && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
		keeper_killed(fd, stage);
	} else if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) {
		/* the kill came too late, and does not count */
		__atomic_fetch_add(&soak_share->lives.nb_ordered, 1, __ATOMIC_RELAXED);
		keeper.nb += !life->kill;
	} else {
		__atomic_fetch_add(&soak_share->lives.nb_failed, 1, __ATOMIC_RELAXED);
		__atomic_store_n(&soak_share->stop, 1, __ATOMIC_RELAXED);
		fprintf(stderr, "a peer on %s ended with status %#x\n",
			soak_functions[life->function], (unsigned int)status);
	}
}

static void
keeper_life(struct life *life)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) != 0)
		_exit(EXIT_FAILURE);
	pid = fork();
	if (pid == 0) {
		close(fds[0]);
		life_run(life, fds[1]);
	}
	close(fds[1]);
	if (pid < 0)
		_exit(EXIT_FAILURE);
	keeper_watch(life, pid, fds[0]);
	close(fds[0]);
}

static void __attribute__((noreturn))
keeper_run(unsigned int nr, enum soak_way way, unsigned int nb, unsigned int period_us)
{
	struct life life = { .keeper = nr };
	uint64_t next = test_now_ns(), now;
	unsigned int i;
	cpu_set_t set;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_TIMERSLACK, 1);
	/* any processor: it is not in the way of peers, nor of the eight */
	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
	for (i = 0; i < SOAK_STAGES; i++)
		keeper.stage_ns[i] = FIRST_STAGE_NS;
	keeper.stage_ns[SOAK_TRANSFERS] = LIFE_HOLD_US * 1000 / 2;
	/* each is drawn in every way, so that the lives are the same */
	for (i = 0; keeper.nb < nb && i < 4 * nb &&
			__atomic_load_n(&soak_share->stop, __ATOMIC_RELAXED) == 0; i++) {
		life.function = keeper_rand(SOAK_PEERS);
		life.hold_us = keeper_rand(LIFE_HOLD_US);
		life.stage = keeper_rand(SOAK_STAGES);
		life.part = keeper_rand(1 << 16);
		life.kill = keeper_rand(2) != 0;
		if (way != SOAK_WAY_EITHER)
			life.kill = way == SOAK_WAY_KILLED;
		keeper_life(&life);
		next += (uint64_t)period_us * 1000;
		now = test_now_ns();
		if (next > now)
			keeper_sleep(next - now);
		else
			next = now;
	}
	_exit(keeper.nb == nb || soak_share->stop != 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

/*
 * In the child that all are forked from
 */

static bool
page_is_there(void *page)
{
	unsigned char there = 0;

	/* to look into others would make them */
	return mincore(page, (size_t)sysconf(_SC_PAGESIZE), &there) == 0 && (there & 1) != 0;
}

/* The same bytes in memory that is a child's own after fork(). */
static int
map_own(uint8_t *from, size_t len)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint8_t *copy = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t at;

	if (copy == MAP_FAILED)
		return -errno;
	for (at = 0; at < len; at += page)
		if (page_is_there(from + at))
			memcpy(copy + at, from + at, page);
	return mremap(copy, len, len, MREMAP_MAYMOVE | MREMAP_FIXED, from) == from ? 0 : -errno;
}

/* EAL's memory and tables are shared mappings, which children would change for each other. */
static int
maps_own(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	uint64_t from[64], to[64];
	unsigned int nb = 0, i;
	char *line = NULL;
	size_t size = 0;
	int ret = 0;

	if (f == NULL)
		return -errno;
	while (nb < RTE_DIM(from) && getline(&line, &size, f) > 0)
		if (strstr(line, " rw-s ") != NULL &&
				sscanf(line, "%" SCNx64 "-%" SCNx64, &from[nb], &to[nb]) == 2)
			nb++;
	free(line);
	fclose(f);
	for (i = 0; i < nb && ret == 0; i++)
		ret = map_own((uint8_t *)(uintptr_t)from[i], to[i] - from[i]);
	return nb == RTE_DIM(from) ? -E2BIG : ret;
}

static int
lives_run(const char *args)
{
	unsigned int way, nb, nb_keepers, period_us, seed, i;
	pid_t pids[MAX_KEEPERS];
	int status, ret = 0;

	if (sscanf(args, "%u %u %u %u %u", &way, &nb, &nb_keepers, &period_us, &seed) != 5 ||
			nb_keepers > MAX_KEEPERS)
		return -EINVAL;
	for (i = 0; i < nb_keepers; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(side.sock);
			keeper.rand = seed * 2654435761u + i * 40503u + 1;
			keeper_run(i, way, nb, period_us);
		}
		if (pids[i] < 0)
			ret = -errno;
	}
	for (i = 0; i < nb_keepers; i++)
		if (pids[i] > 0 && (waitpid(pids[i], &status, 0) != pids[i] || status != 0))
			ret = -ECHILD;
	return ret != 0 ? ret : test_child_reply(&side, "ok");
}

/* From now on it has no device, and lines are read here. */
static int
do_open(const char *args)
{
	char file[TEST_CHILD_LINE], line[TEST_CHILD_LINE];
	ssize_t n;
	int ret;

	if (sscanf(args, "%255s %255s", file, lives_path) != 2)
		return -EINVAL;
	alarm(0);
	sched_getaffinity(0, sizeof(lives_cpus), &lives_cpus);
	test_cleanup();
	ret = test_vdev_remove(test_pair.host);
	if (ret == 0)
		ret = maps_own();
	if (ret == 0)
		ret = soak_share_open(file, false);
	if (ret != 0)
		return ret;
	test_child_reply(&side, "ok");
	while ((n = recv(side.sock, line, sizeof(line) - 1, 0)) > 0) {
		line[n] = '\0';
		if (strncmp(line, "lives ", strlen("lives ")) != 0)
			break;
		ret = lives_run(line + strlen("lives "));
		if (ret != 0)
			test_child_reply(&side, "failed %d", ret);
	}
	test_child_reply(&side, "ok");
	_exit(EXIT_SUCCESS);
}

static const struct test_child_command commands[] = {
	{ "open ", do_open },
};

int
test_soak_child_main(const char *socket_nr)
{
	side.commands = commands;
	side.nb_commands = RTE_DIM(commands);
	return test_child_run(&side, socket_nr);
}

/*
 * In the parent, whose engine somebody turns meanwhile
 */

int
soak_lives_open(struct test_child *child, const char *file, const char *path)
{
	return test_child_ask(child, TEST_MS, "open %s %s", file, path);
}

int
soak_lives_begin(struct test_child *child, enum soak_way way, unsigned int nb,
		unsigned int nb_keepers, unsigned int period_us, uint32_t seed)
{
	__atomic_store_n(&soak_share->stop, 0, __ATOMIC_RELAXED);
	return test_child_tell(child, "lives %u %u %u %u %u", (unsigned int)way, nb, nb_keepers,
		period_us, seed);
}
