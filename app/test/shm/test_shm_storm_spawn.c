/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The attackers of the suite shm_attack_storm: a process on each function, which has one idea
 * again and again, and a process that starts and kills them. It is forked before there is a
 * device, so that no attacker has a descriptor of the server.
 */

#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_peer.h"
#include "test_shm_peer_fs.h"
#include "test_shm_storm.h"

#define FS_HOLD_MS 3000u

const char * const storm_functions[STORM_FUNCTIONS] = { "pf0", "pf0vf0", "pf0vf1", "pf0vf2" };

/* The process that starts attackers, and how it is talked to. */
static struct {
	pid_t pid;
	int sock;
	uint64_t *rounds; /* shared, atomic: of all attackers with this idea */
} evil;

static void __attribute__((noreturn))
attacker_run(unsigned int function, unsigned int idea)
{
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	hostile_function = storm_functions[function];
	for (i = 0; i < 100 * (function + 1); i++)
		test_rand();
	if (storm_ideas[idea].needs_fs && hostile_fs.why != NULL)
		idea = 0;
	for (;;) {
		storm_ideas[idea].round();
		hostile_close_all();
		__atomic_fetch_add(evil.rounds, 1, __ATOMIC_RELAXED);
	}
}

static int
attackers_kill(pid_t *pids)
{
	int nb = 0, status;
	unsigned int i;

	hostile_fs_release(true);
	for (i = 0; i < STORM_FUNCTIONS && pids[i] > 0; i++) {
		kill(pids[i], SIGKILL);
		if (waitpid(pids[i], &status, 0) != pids[i] || !WIFSIGNALED(status) ||
				WTERMSIG(status) != SIGKILL)
			nb++;
		pids[i] = 0;
	}
	while (waitpid(-1, NULL, WNOHANG) > 0)
		; /* orphans of theirs */
	return nb;
}

/* An idea begins with its number, and ends with a negative one. */
static void __attribute__((noreturn))
evil_main(int sock, bool other_user)
{
	pid_t pids[STORM_FUNCTIONS] = { 0 };
	unsigned int i;
	cpu_set_t set;
	int idea;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	hostile_fs_child();
	hostile_alone = true;
	/* any processor; EAL has bound the parent to one */
	memset(&set, 0xff, sizeof(set));
	sched_setaffinity(0, sizeof(set), &set);
	if (other_user && !hostile_become(OTHER_UID))
		_exit(EXIT_FAILURE);
	while (recv(sock, &idea, sizeof(idea), 0) == sizeof(idea)) {
		if (idea >= 0)
			hostile_fs_release(false);
		for (i = 0; idea >= 0 && i < STORM_FUNCTIONS; i++) {
			pids[i] = fork();
			if (pids[i] == 0)
				attacker_run(i, (unsigned int)idea);
		}
		if (idea < 0) {
			idea = attackers_kill(pids);
			if (send(sock, &idea, sizeof(idea), 0) != sizeof(idea))
				break;
		}
	}
	/* the suite is gone, or wants no more */
	attackers_kill(pids);
	_exit(EXIT_SUCCESS);
}

/* The process between it and the suite has the file system. */
static void __attribute__((noreturn))
fs_main(int sock, bool other_user)
{
	pid_t pid;

	/* of another user, the broker closes */
	if (hostile_fs_start(storm_evil_dir, other_user ? 0 : getppid(), FS_HOLD_MS) != 0)
		_exit(EXIT_FAILURE);
	pid = fork();
	if (pid == 0)
		evil_main(sock, other_user);
	close(sock);
	hostile_fs_release(true);
	if (hostile_fs.file >= 0)
		close(hostile_fs.file);
	waitpid(pid, NULL, 0);
	hostile_fs_end();
	_exit(EXIT_SUCCESS);
}

int
storm_evil_start(const char *dir, bool other_user)
{
	int fds[2];

	storm_evil_dir = dir;
	evil.rounds = mmap(NULL, sizeof(*evil.rounds), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (evil.rounds == MAP_FAILED ||
			socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds) != 0)
		return -errno;
	fflush(stdout);
	evil.pid = fork();
	if (evil.pid == 0) {
		close(fds[0]);
		fs_main(fds[1], other_user);
	}
	close(fds[1]);
	evil.sock = fds[0];
	return evil.pid < 0 ? -errno : 0;
}

int
storm_evil_begin(unsigned int idea)
{
	const int nr = (int)idea;

	__atomic_store_n(evil.rounds, 0, __ATOMIC_RELAXED);
	return send(evil.sock, &nr, sizeof(nr), MSG_NOSIGNAL) == sizeof(nr) ? 0 : -errno;
}

int
storm_evil_end(void)
{
	const int nr = -1;

	return send(evil.sock, &nr, sizeof(nr), MSG_NOSIGNAL) == sizeof(nr) ? 0 : -errno;
}

int
storm_evil_ended(uint64_t *rounds)
{
	int nb;
	ssize_t n = recv(evil.sock, &nb, sizeof(nb), MSG_DONTWAIT);

	if (n != sizeof(nb))
		return n < 0 ? -errno : -EPIPE;
	*rounds = __atomic_load_n(evil.rounds, __ATOMIC_RELAXED);
	return nb;
}

void
storm_evil_stop(void)
{
	if (evil.pid <= 0)
		return;
	/* not killed: it has to answer the closes of its files */
	close(evil.sock);
	waitpid(evil.pid, NULL, 0);
	munmap(evil.rounds, sizeof(*evil.rounds));
	memset(&evil, 0, sizeof(evil));
}
