/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Offload processors, and a program that has no runtime: what the host alone keeps it from.
 * It makes system calls of its choice, takes memory, and does not do what it is asked to.
 */

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm_dpa_wire.h"

#include "dpa/test_dpa_hostile.h"
#include "test_bluefield_model.h"
#include "test_shm_dpa.h"
#include "test_shm_peer_fs.h"

#define CALL_MS 2000
#define NB_ARGS 6
/* More than the host waits, and less than it would for 20 objects. */
#define INSIDE_MS 6000
/* What a start takes at most, of a file that is never read. */
#define SLOW_MS 10000
/* By then it has seen that there is a window. */
#define SEEN_MS 500
/* Where nothing of a program is. */
#define NOWHERE 0x3000000000ul
#define GB (1ul << 30)
/* clone() as the runtime calls it. */
#define THREAD_FLAGS \
	(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM)

static struct rte_comch_dpa *dpa;

static int
start_as(uint32_t flags, uint32_t nb_eus)
{
	char program[PATH_MAX + 64];
	int32_t cpus[SHM_DPA_MAX_EUS];
	const struct rte_comch_dpa_conf conf = {
		.program = program, .flags = flags, .nb_eus = nb_eus,
		.eu_cpus = nb_eus != 0 ? cpus : NULL,
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(cpus); i++)
		cpus[i] = sched_getcpu();
	/* whoever asks for another path has the same memory */
	snprintf(program, sizeof(program), "%s", test_dpa_program("-hostile"));
	return test_dpa_start(&conf, &dpa);
}

static int
start(void)
{
	return start_as(0, 0);
}

static int
setup(void)
{
	TEST_CALL(test_dpa_setup());
	test_log_quiet();
	return TEST_SUCCESS;
}

/* It makes a system call; *ret is what that returned. */
static int
call(const uint64_t *args, int64_t *ret)
{
	return rte_comch_dpa_rpc(dpa, "call", args, NB_ARGS, CALL_MS, (uint64_t *)ret);
}

/* It writes a word of PROG. */
static int
poke(uint64_t off, uint64_t value)
{
	const uint64_t args[] = { SHM_DPA_PROG_ADDR + off, value };
	uint64_t ret;

	return rte_comch_dpa_rpc(dpa, "poke", args, RTE_DIM(args), CALL_MS, &ret);
}

/* A call that the filter of the host does not let through. */
static int
forbidden(const uint64_t *args)
{
	struct rte_comch_dpa_status status;
	int64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(call(args, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_ASSERT(status.end == RTE_COMCH_DPA_END_CALL, "call %u: end %d: %s",
		(unsigned int)args[0], status.end, status.text);
	TEST_EXPECT(status.reason, -EPERM);
	return test_dpa_end(dpa);
}

/* One that the kernel refuses. */
static int
refused(const uint64_t *args, int error)
{
	int64_t ret = 0;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(call(args, &ret), 0);
	TEST_ASSERT(ret == error, "call %u: %d, not %d", (unsigned int)args[0], (int)ret, error);
	return test_dpa_end(dpa);
}

/* The numbers and arguments that come near to what is allowed. */
static int
test_calls(void)
{
	static const uint64_t calls[][NB_ARGS] = {
		{ SYS_kill, 1 },
		{ SYS_tgkill, 1, 1 },
		{ SYS_openat, -100ul, 0, 0 },
		{ SYS_mprotect, NOWHERE, 4096, PROT_EXEC },
		{ SYS_mremap, NOWHERE, 4096, 8192, 1 },
		{ SYS_dup, SHM_DPA_SOCK },
		{ SYS_sendmsg, SHM_DPA_SOCK },
		{ SYS_recvmsg, 0 },
		{ SYS_prctl, 1 /* PR_SET_PDEATHSIG */, 0 },
		{ SYS_execveat, SHM_DPA_SOCK, 0, 0, 0, 0x1000 },
		{ SYS_clone, SIGCHLD },
		{ SYS_clone, THREAD_FLAGS | CLONE_PARENT },
		{ SYS_clone, THREAD_FLAGS & ~CLONE_FILES },
		{ SYS_getpid | 0x40000000 }, /* of another instruction set */
		{ SYS_futex, SHM_DPA_PROG_ADDR, 6 /* FUTEX_LOCK_PI */ },
		{ SYS_futex, SHM_DPA_PROG_ADDR, 2 /* FUTEX_FD */ },
		{ SYS_seccomp, 1, 8 /* SECCOMP_FILTER_FLAG_NEW_LISTENER */, 0 },
		{ SYS_mmap, NOWHERE, 4096, PROT_READ | PROT_EXEC,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul },
	};
	unsigned int i;

	for (i = 0; i < RTE_DIM(calls); i++)
		TEST_CALL(forbidden(calls[i]));
	return TEST_SUCCESS;
}

/* Another file than its own: with an absolute path, the descriptor counts nothing. */
static int
test_exec(void)
{
	const uint64_t args[NB_ARGS] = { SYS_execveat, 250, SHM_DPA_PROG_ADDR };
	struct rte_comch_dpa_status status;
	uint64_t value;
	int64_t ret;

	memcpy(&value, "/nofile", sizeof(value));
	TEST_EXPECT(start(), 0);
	TEST_EXPECT(poke(0, value), 0);
	TEST_EXPECT(call(args, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_CALL);
	return test_dpa_end(dpa);
}

/*
 * Memory that no limit of a process is for: shared, of huge pages, or that grows; and more
 * than the limits that there are.
 */
static int
test_memory(void)
{
	static const uint64_t shared[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	}, huge[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_HUGETLB, -1ul,
	}, grows[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN, -1ul,
	}, data[] = {
		SYS_mmap, NOWHERE, 256ul << 20, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	}, addrs[] = {
		SYS_mmap, NOWHERE, GB, PROT_READ,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1ul,
	};

	TEST_CALL(forbidden(shared));
	TEST_CALL(forbidden(huge));
	TEST_CALL(forbidden(grows));
	TEST_CALL(refused(data, -ENOMEM));
	return refused(addrs, -ENOMEM);
}

/* The CPUs of this process, to which a program of root could send all of its threads. */
static int
test_affinity(void)
{
	uint64_t args[NB_ARGS] = {
		SYS_sched_setaffinity, getpid(), sizeof(uint64_t), SHM_DPA_HOST_ADDR,
	};
	cpu_set_t before, after;

	TEST_EXPECT(sched_getaffinity(0, sizeof(before), &before), 0);
	TEST_CALL(forbidden(args));
	args[1] = 0; /* of its own thread: the host names its CPUs */
	TEST_CALL(forbidden(args));
	TEST_EXPECT(sched_getaffinity(0, sizeof(after), &after), 0);
	TEST_TRUE(CPU_EQUAL(&before, &after));
	return TEST_SUCCESS;
}

/* The descriptor that it has of what the host writes. */
static int
test_host_segment(void)
{
	static const uint64_t write[] = {
		SYS_mmap, NOWHERE, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, 0,
	};

	return refused(write, -EACCES);
}

/* Messages without a byte: they must not keep a thread of the host busy for ever. */
static int
test_empty(void)
{
	const uint64_t args[] = { UINT32_MAX, 0 };
	struct rte_comch_dpa_status status;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "send", args, RTE_DIM(args), CALL_MS, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(status.reason, -EPROTO);
	return test_dpa_end(dpa);
}

/* It says that it keeps a window: that is no reason for the application to keep its region. */
static int
test_window_kept(void)
{
	const uint64_t args[] = { 1 };
	struct rte_comch_dpa_window *window;
	struct rte_comch_dpa_status status;
	struct rte_comch_mem *mem;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "refuse", args, RTE_DIM(args), CALL_MS, &ret), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return test_dpa_end(dpa);
}

/* It is told what to keep; then there is a window of a region. */
static int
window_start(uint64_t keep, struct rte_comch_mem **mem, struct rte_comch_dpa_window **window,
		int error)
{
	uint64_t ret;

	TEST_EXPECT(start_as(keep == HOSTILE_KEEP_MOVED ? RTE_COMCH_DPA_F_UNCONFINED : 0, 0), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "keep", &keep, 1, CALL_MS, &ret), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, mem), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, *mem, RTE_COMCH_DPA_WINDOW_F_ALL, window),
		error);
	return TEST_SUCCESS;
}

/* It is ended for what it has kept; nothing of the region is left when the call returns. */
static int
window_ended(struct rte_comch_mem *mem)
{
	struct rte_comch_dpa_status status;

	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_ASSERT(status.end == RTE_COMCH_DPA_END_NONSENSE, "end %d: %s", status.end,
		status.text);
	TEST_ASSERT(strstr(status.text, "kept a window") != NULL, "%s", status.text);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return test_dpa_end(dpa);
}

/* It says yes to the end of a window, and has it all the same. */
static int
attack_kept(int keep)
{
	struct rte_comch_dpa_window *window;
	struct rte_comch_mem *mem;

	TEST_CALL(window_start(keep, &mem, &window, 0));
	if (keep == HOSTILE_KEEP_UNREAD)
		usleep(SEEN_MS * 1000);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	return window_ended(mem);
}

/* It has a window to write where it has one to read, when the first is taken back. */
static int
test_attack_rights(void)
{
	struct rte_comch_dpa_window *window, *other;
	struct rte_comch_mem *mem;
	uint64_t keep = HOSTILE_KEEP_RIGHTS, ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_READ, &other), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "keep", &keep, 1, CALL_MS, &ret), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(other), 0);
	return window_ended(mem);
}

/* Its first thread ends, by which the kernel tells nothing of it any more. */
static int
test_attack_exit(void)
{
	static const uint64_t args[NB_ARGS] = { SYS_exit };

	return forbidden(args);
}

/* It says no to a window, and has it all the same. */
static int
attack_refused(int keep)
{
	struct rte_comch_dpa_window *window;
	struct rte_comch_mem *mem;

	TEST_CALL(window_start(keep, &mem, &window, -EIO));
	return window_ended(mem);
}

/* One that says no, and one that lets go, are no reason to end it; others stay. */
static int
test_window_honest(void)
{
	struct rte_comch_dpa_window *window, *other;
	struct rte_comch_dpa_status status;
	struct rte_comch_mem *mem, *mem2;
	uint64_t keep = 0, ret;

	TEST_CALL(window_start(HOSTILE_KEEP_NONE, &mem, &window, -ENOMEM));
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "keep", &keep, 1, CALL_MS, &ret), 0);
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 4096, RTE_COMCH_MEM_F_DPA, &mem2), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &other), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(dpa, mem2, RTE_COMCH_DPA_WINDOW_F_ALL, &window), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(other), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, &status), 0);
	TEST_EXPECT(status.state, RTE_COMCH_DPA_RUNNING);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	TEST_EXPECT(rte_comch_mem_free(mem2), 0);
	return test_dpa_end(dpa);
}

/* Ended by a signal, as it touches or writes what it was not given. */
static int
signalled(const char *func, const uint64_t *args, uint32_t nb, int sig)
{
	struct rte_comch_dpa_status status;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, func, args, nb, CALL_MS, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_ASSERT(status.signal == sig, "signal %d: %s", status.signal, status.text);
	return test_dpa_end(dpa);
}

/* Pages of segments that were not given out would come into being where it looks at them. */
static int
test_attack_holes(void)
{
	const uint64_t host = SHM_DPA_HOST_ADDR + SHM_DPA_HOST_SIZE - 4096;
	const uint64_t prog[] = { SHM_DPA_PROG_ADDR + SHM_DPA_PROG_SIZE - 4096, 1 };
	const uint64_t write[NB_ARGS] = { SYS_write, 1, SHM_DPA_HOST_ADDR, 4096 };

	TEST_CALL(signalled("peek", &host, 1, SIGBUS));
	TEST_CALL(signalled("poke", prog, RTE_DIM(prog), SIGBUS));
	return signalled("call", write, NB_ARGS, SIGXFSZ);
}

/* It has more of something than the kernel limits: the host counts it, maybe before it has all. */
static int
outgrows(const char *func, uint64_t nb, uint64_t least, uint32_t ms, const char *what)
{
	struct rte_comch_dpa_status status;
	uint64_t ret = 0;
	int error;

	TEST_EXPECT(start(), 0);
	error = rte_comch_dpa_rpc(dpa, func, &nb, 1, ms, &ret);
	TEST_TRUE(error == -EIO || (error == 0 && ret >= least));
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_EXPECT(status.reason, -EPROTO);
	TEST_ASSERT(strstr(status.text, what) != NULL, "%s", status.text);
	return test_dpa_end(dpa);
}

/* Page tables, which are no memory of a process. */
static int
test_attack_tables(void)
{
	return outgrows("scatter", 60000, 20001, TEST_MS, "page tables");
}

/*
 * A process that has a file which nobody can read, says so, and lets go when it is told. Then
 * nobody can open it.
 */
static void __attribute__((noreturn))
slow_fs_main(int sock)
{
	char dir[] = "/tmp/comch_test_XXXXXX";
	bool made = mkdtemp(dir) != NULL;
	char path[32], byte;
	int file = -1;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (made && hostile_fs_start(dir, getppid(), UINT32_MAX) == 0 && hostile_fs.why == NULL) {
		/* a path alone: of a process that is killed with its file open, none would end */
		snprintf(path, sizeof(path), "/proc/self/fd/%d", hostile_fs.file);
		file = open(path, O_PATH | O_CLOEXEC);
		close(hostile_fs.file);
	}
	if (write(sock, &file, sizeof(file)) == sizeof(file) && file >= 0) {
		bool told = read(sock, &byte, 1) == 1;

		hostile_fs_release(true);
		while (told && write(sock, &byte, 1) == 1)
			told = read(sock, &byte, 1) == 1;
		close(file);
		hostile_fs_end();
	}
	if (made)
		rmdir(dir);
	_exit(EXIT_SUCCESS);
}

/* It is read in a start, which is over in time. */
static int
slow_start(pid_t pid, int file, int sock)
{
	char program[64];
	const struct rte_comch_dpa_conf conf = { .program = program, .nb_eus = 1 };
	uint64_t begin = test_now_ns(), took;
	char byte = 0;

	snprintf(program, sizeof(program), "/proc/%d/fd/%d", (int)pid, file);
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -ETIMEDOUT);
	took = (test_now_ns() - begin) / 1000000;
	test_note("over after %u ms", (unsigned int)took);
	TEST_TRUE(took >= SLOW_MS && took < 2 * SLOW_MS);
	/* others are not held by it */
	TEST_EXPECT(start(), 0);
	TEST_CALL(test_dpa_end(dpa));
	/* what its file system says is not that the time of the start is over */
	TEST_TRUE(write(sock, &byte, 1) == 1 && read(sock, &byte, 1) == 1);
	TEST_EXPECT(test_dpa_start(&conf, &dpa), -EIO);
	return TEST_SUCCESS;
}

static int
test_attack_slow_file(void)
{
	struct stat before, after;
	struct test_dpa_left left;
	int socks[2], file = -1, ret;
	pid_t pid;

	TEST_EXPECT(fstat(STDIN_FILENO, &before), 0);
	TEST_EXPECT(start(), 0); /* the first one makes threads and descriptors that stay */
	TEST_CALL(test_dpa_end(dpa));
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, socks), 0);
	fflush(stdout);
	pid = fork();
	if (pid == 0) {
		close(socks[0]);
		slow_fs_main(socks[1]);
	}
	close(socks[1]);
	test_dpa_left_get(&left);
	if (read(socks[0], &file, sizeof(file)) != sizeof(file) || file < 0)
		ret = test_skip("it needs FUSE, and the right to mount");
	else
		ret = slow_start(pid, file, socks[0]);
	shutdown(socks[0], SHUT_WR);
	/* what was left to the thread that read it goes */
	if (ret == TEST_SUCCESS)
		ret = test_dpa_left_check(&left);
	close(socks[0]);
	waitpid(pid, NULL, 0);
	/* what it never had is not closed */
	TEST_EXPECT(fstat(STDIN_FILENO, &after), 0);
	TEST_TRUE(after.st_ino == before.st_ino && after.st_dev == before.st_dev);
	return ret;
}

/*
 * It says that it is in a device function, for ever: the host waits for that now and then,
 * but not for each object.
 */
static int
test_inside(void)
{
	const struct rte_comch_dpa_completion_conf conf = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER, .depth = 16,
	};
	struct rte_comch_dpa_completion *comps[20];
	struct test_dpa_left left;
	struct rte_comch_dpa_status status;
	uint64_t begin;
	unsigned int i;

	test_dpa_left_get(&left);
	TEST_EXPECT(start(), 0);
	for (i = 0; i < RTE_DIM(comps); i++)
		TEST_EXPECT(rte_comch_dpa_completion_create(dpa, &conf, &comps[i]), 0);
	TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, eus[0].looks), 1), 0);
	begin = test_now_ns();
	for (i = 0; i < RTE_DIM(comps); i++)
		TEST_EXPECT(rte_comch_dpa_completion_destroy(comps[i]), 0);
	TEST_ASSERT(test_now_ns() - begin < INSIDE_MS * UINT64_C(1000000), "%u ms",
		(unsigned int)((test_now_ns() - begin) / 1000000));
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_SPIN);
	TEST_CALL(test_dpa_end(dpa));
	return test_dpa_left_check(&left); /* what was kept ended with it */
}

/* The same while a window is taken back: a copy may be under way. */
static int
test_inside_window(void)
{
	struct rte_comch_dpa_window *window;
	struct rte_comch_dpa_status status;
	struct rte_comch_mem *mem;

	TEST_CALL(window_start(0, &mem, &window, 0));
	TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, eus[0].looks), 1), 0);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_SPIN);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return test_dpa_end(dpa);
}

/* What it says when it starts: that it does not want to, and what is no table of functions. */
static int
test_start(void)
{
	uint32_t nb_eus;

	for (nb_eus = HOSTILE_START_REFUSES; nb_eus < HOSTILE_START_END; nb_eus++)
		TEST_EXPECT(start_as(0, nb_eus), -EPROTO);
	TEST_EXPECT(start_as(0, nb_eus), 0);
	return test_dpa_end(dpa);
}

/* It closes its socket, and stays: nobody could ask it for anything. */
static int
test_socket_closed(void)
{
	struct rte_comch_dpa_status status;
	uint64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(dpa, "close", NULL, 0, TEST_MS, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_NONSENSE);
	TEST_ASSERT(strstr(status.text, "closed its control socket") != NULL, "%s", status.text);
	return test_dpa_end(dpa);
}

/* Its words about mistakes of a unit: numbers that are none, and what a terminal obeys. */
static int
test_error_words(void)
{
	static const struct {
		uint32_t said;
		int got;
	} errors[] = {
		{ 1, 0 }, { INT32_MAX, 0 }, { (uint32_t)INT32_MIN, 0 }, { (uint32_t)-4096, 0 },
		{ (uint32_t)-4095, -4095 }, { (uint32_t)-EINVAL, -EINVAL },
	};
	struct rte_comch_dpa_eu_info info;
	unsigned int i;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, eus[0].error.func), 0x61ff9b7f1b7e20ul), 0);
	for (i = 0; i < RTE_DIM(errors); i++) {
		TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, eus[0].error.error),
			errors[i].said), 0);
		TEST_EXPECT(rte_comch_dpa_eu_info_get(dpa, 0, &info), 0);
		TEST_ASSERT(info.error == errors[i].got, "%d", info.error);
		TEST_ASSERT(strcmp(info.func, " ~????a") == 0, "%s", info.func);
	}
	return test_dpa_end(dpa);
}

/* It ends itself, or is killed, and has left a record of that. */
static int
record(uint64_t kind, uint64_t sig, bool killed, struct rte_comch_dpa_status *status)
{
	const uint64_t args[NB_ARGS] = { SYS_exit_group, 3 };
	int64_t ret;

	TEST_EXPECT(start(), 0);
	TEST_EXPECT(rte_comch_dpa_status_get(dpa, status), 0);
	TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, fault.signal), sig), 0);
	TEST_EXPECT(poke(offsetof(struct shm_dpa_prog, fault.kind), kind | 7777ul << 32), 0);
	if (killed)
		TEST_EXPECT(kill(status->pid, SIGKILL), 0);
	else
		TEST_EXPECT(call(args, &ret), -EIO);
	TEST_CALL(test_dpa_failed(dpa, status));
	TEST_EXPECT(status->eu, RTE_COMCH_DPA_NO_EU);
	return test_dpa_end(dpa);
}

/* No signal has such a number, and no end is of such a kind; whoever is killed has no say. */
static int
test_end_words(void)
{
	struct rte_comch_dpa_status status;

	TEST_CALL(record(SHM_DPA_FAULT_SIGNAL, 1000, false, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_FAULT);
	TEST_EXPECT(status.signal, 0);
	TEST_CALL(record(SHM_DPA_FAULT_SIGNAL, SIGSEGV, true, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_KILLED);
	TEST_EXPECT(status.signal, SIGKILL);
	TEST_CALL(record(SHM_DPA_FAULT_CALL + 1, SIGSEGV, false, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_EXIT);
	TEST_EXPECT(status.value, 3);
	TEST_CALL(record(SHM_DPA_FAULT_NONE, SIGSEGV, false, &status));
	TEST_EXPECT(status.end, RTE_COMCH_DPA_END_EXIT);
	return TEST_SUCCESS;
}

/* Threads beyond those that units are: the filter cannot count them. */
static int
test_threads(void)
{
	return outgrows("threads", 500, 3, CALL_MS, "threads");
}

static struct unit_test_suite suite = {
	.suite_name = "comch: a program of an offload processor without its runtime",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_dpa_teardown, test_calls),
		TEST_CASE_ST(setup, test_dpa_teardown, test_exec),
		TEST_CASE_ST(setup, test_dpa_teardown, test_memory),
		TEST_CASE_ST(setup, test_dpa_teardown, test_affinity),
		TEST_CASE_ST(setup, test_dpa_teardown, test_host_segment),
		TEST_CASE_ST(setup, test_dpa_teardown, test_empty),
		TEST_CASE_ST(setup, test_dpa_teardown, test_window_kept),
		TEST_CASE_ST(setup, test_dpa_teardown, test_window_honest),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_map", attack_kept,
			HOSTILE_KEEP_MAP),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_second_map", attack_kept,
			HOSTILE_KEEP_SECOND),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_moved_map", attack_kept,
			HOSTILE_KEEP_MOVED),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_descriptor", attack_kept,
			HOSTILE_KEEP_FD),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_unread", attack_kept,
			HOSTILE_KEEP_UNREAD),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_refused", attack_refused,
			HOSTILE_KEEP_REFUSED),
		TEST_CASE_ARG(setup, test_dpa_teardown, "test_attack_refused_descriptor",
			attack_refused, HOSTILE_KEEP_NONE | HOSTILE_KEEP_FD),
		TEST_CASE_ST(setup, test_dpa_teardown, test_attack_rights),
		TEST_CASE_ST(setup, test_dpa_teardown, test_attack_exit),
		TEST_CASE_ST(setup, test_dpa_teardown, test_attack_holes),
		TEST_CASE_ST(setup, test_dpa_teardown, test_attack_tables),
		TEST_CASE_ST(setup, test_dpa_teardown, test_attack_slow_file),
		TEST_CASE_ST(setup, test_dpa_teardown, test_inside),
		TEST_CASE_ST(setup, test_dpa_teardown, test_inside_window),
		TEST_CASE_ST(setup, test_dpa_teardown, test_start),
		TEST_CASE_ST(setup, test_dpa_teardown, test_socket_closed),
		TEST_CASE_ST(setup, test_dpa_teardown, test_error_words),
		TEST_CASE_ST(setup, test_dpa_teardown, test_end_words),
		TEST_CASE_ST(setup, test_dpa_teardown, test_threads),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_dpa_hostile_autotest, unit_test_suite_runner, &suite)
