/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Runtime of programs for the offload processor in software, linked into each of them: the
 * start, the control thread that does what the host asks, one thread for each execution
 * unit, and one for calls. Freestanding: no libc, system calls only. Queues are in
 * rte_comch_dpa_target.h, what differs between instruction sets in comch_dpa_arch.h, what
 * the threads may ask of the kernel and how they end in comch_dpa_guard.h.
 *
 * A unit sleeps on its wake word in HOST. Before it does, it says so in the armed words of
 * its completion contexts and in PROG, has all other threads pass a barrier, and looks at
 * everything once more: whoever puts something then either sees that it has to wake the
 * unit, or the unit sees what was put.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <linux/mman.h>
#include <linux/sched.h>

#include <rte_comch_dpa_dev.h>

#include "comch_dpa_arch.h"
#include "comch_dpa_guard.h"
#include "comch_dpa_rt.h"

/* A program may have no function at all. */
#define RT_WEAK __attribute__((weak)) /* check-ok: freestanding */

/* What sockets need; the headers of the kernel do not have all of it. */
#define RT_SOL_SOCKET 1
#define RT_SCM_RIGHTS 1
#define RT_MSG_DONTWAIT 0x40
#define RT_MSG_NOSIGNAL 0x4000
#define RT_MSG_CMSG_CLOEXEC 0x40000000
#define RT_O_CLOEXEC 02000000
#define RT_EINTR 4
#define RT_EBUSY 16
#define RT_EINVAL 22
#define RT_PR_SET_NAME 15

struct rt_iov {
	void *base;
	uint64_t len;
};

struct rt_cmsg {
	uint64_t len;
	int32_t level;
	int32_t type;
	int32_t fd;
	int32_t pad;
};

struct rt_msghdr {
	void *name;
	uint32_t name_len;
	uint32_t pad;
	struct rt_iov *iov;
	uint64_t nb_iov;
	void *control;
	uint64_t control_len;
	int32_t flags;
	uint32_t pad2;
};

/* One call at a time, for the thread of calls. */
static struct {
	uint32_t asked; /* counts them; the thread sleeps on it */
	uint32_t busy;
	struct shm_dpa_msg msg;
} rt_rpc;

static int32_t rt_group_fd[SHM_DPA_MAX_GROUPS]; /* descriptor + 1; 0: none */
static uint32_t rt_nb_ready; /* threads that wait for what to do */
static uint32_t rt_next_unit;
static bool rt_membarrier;

/* Functions of the program, in a section that the linker gives these ends. */
RT_WEAK extern const struct comch_dpa_rt_func *const __start_comch_dpa_funcs[];
RT_WEAK extern const struct comch_dpa_rt_func *const __stop_comch_dpa_funcs[];

/* By which the host knows a program, before it runs it. */
__attribute__((section(".note.comch_dpa"), used, aligned(4))) /* check-ok: freestanding */
static const struct {
	uint32_t name_len;
	uint32_t desc_len;
	uint32_t type;
	char name[12];
	uint32_t version;
} rt_note = {
	sizeof(SHM_DPA_NOTE_NAME), sizeof(uint32_t), SHM_DPA_NOTE_TYPE, SHM_DPA_NOTE_NAME,
	SHM_DPA_VERSION
};

/*
 * What compilers call of a C library
 */

void *memcpy(void *dst, const void *src, size_t len);
void *memmove(void *dst, const void *src, size_t len);
void *memset(void *dst, int value, size_t len);
int memcmp(const void *a, const void *b, size_t len);

void *
memcpy(void *dst, const void *src, size_t len)
{
	rt_copy_forward(dst, src, len);
	return dst;
}

void *
memmove(void *dst, const void *src, size_t len)
{
	volatile uint8_t *to = dst;
	const uint8_t *from = src;

	if ((uintptr_t)dst - (uintptr_t)src >= len)
		return memcpy(dst, src, len);
	while (len-- > 0)
		to[len] = from[len];
	return dst;
}

void *
memset(void *dst, int value, size_t len)
{
	volatile uint8_t *to = dst;

	while (len-- > 0)
		*to++ = (uint8_t)value;
	return dst;
}

int
memcmp(const void *a, const void *b, size_t len)
{
	const volatile uint8_t *x = a, *y = b;

	for (; len > 0; len--, x++, y++)
		if (*x != *y)
			return *x < *y ? -1 : 1;
	return 0;
}

/*
 * Calls of the kernel
 */

static void
rt_futex(uint32_t *word, int op, uint32_t value)
{
	rt_call(__NR_futex, (long)word, op, value, 0, 0, 0);
}

static void
rt_send(const void *msg, uint64_t len, long flags)
{
	rt_call(__NR_sendto, SHM_DPA_SOCK, (long)msg, (long)len, flags | RT_MSG_NOSIGNAL, 0, 0);
}

static long
rt_mmap(uint64_t addr, uint64_t len, long prot, long flags, long fd)
{
	return rt_call(__NR_mmap, (long)addr, (long)len, prot, flags | MAP_FIXED, fd, 0);
}

void
comch_dpa_rt_group_wake(uint32_t group)
{
	uint64_t one = 1;
	int32_t fd;

	if (group >= SHM_DPA_MAX_GROUPS)
		return;
	fd = __atomic_load_n(&rt_group_fd[group], __ATOMIC_ACQUIRE);
	/* until it is here, the control thread owes the group a wake-up */
	if (fd != 0)
		rt_call(__NR_write, fd - 1, (long)&one, sizeof(one), 0, 0, 0);
}

void
comch_dpa_rt_finish(void)
{
	SHM_DPA_SELF()->finished = 1;
}

void
comch_dpa_rt_log(const char *text, uint32_t len)
{
	struct shm_dpa_line line;
	uint32_t i;

	memset(&line, 0, sizeof(line));
	line.eu = SHM_DPA_SELF()->eu;
	for (i = 0; i < SHM_DPA_LOG_SIZE && i < len; i++)
		line.text[i] = text[i];
	rt_send(&line, sizeof(line), RT_MSG_DONTWAIT);
}

/*
 * Execution units
 */

/* What a unit knows of its thread. */
struct rt_thread {
	uint32_t epoch;
	uint32_t func; /* index, or SHM_DPA_NO_FUNC */
	uint32_t runs; /* of those asked for */
	uint64_t arg;
};

/* Everything that a producer of the host stored before its wake-up check is seen after. */
static void
rt_heavy_fence(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (rt_membarrier)
		rt_call(__NR_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0, 0, 0, 0);
}

/* The host gave it another thread, or took it away. */
static void
rt_thread_change(struct rt_thread *thread, const struct shm_dpa_host_eu *host,
		struct shm_dpa_prog_eu *prog)
{
	uint32_t epoch = __atomic_load_n(&host->epoch, __ATOMIC_ACQUIRE);

	if (epoch == thread->epoch)
		return;
	thread->epoch = epoch;
	thread->func = host->func;
	thread->arg = host->arg;
	if (thread->func == SHM_DPA_NO_FUNC)
		thread->runs = __atomic_load_n(&host->runs, __ATOMIC_RELAXED);
	SHM_DPA_SELF()->finished = 0;
	__atomic_store_n(&prog->epoch, epoch, __ATOMIC_RELEASE);
}

/* Whether its thread is to run; what asks for that is taken. */
static bool
rt_thread_due(struct rt_thread *thread, const struct shm_dpa_host_eu *host, uint32_t eu)
{
	uint32_t runs = __atomic_load_n(&host->runs, __ATOMIC_ACQUIRE);
	bool due = runs != thread->runs;

	if (thread->func == SHM_DPA_NO_FUNC || SHM_DPA_SELF()->finished)
		return false;
	thread->runs = runs;
	return shm_dpa_eu_pending(eu) || due;
}

static void
rt_thread_run(const struct rt_thread *thread, struct shm_dpa_prog_eu *prog, uint32_t eu)
{
	const struct comch_dpa_rt_func *func = __start_comch_dpa_funcs[thread->func];

	__atomic_store_n(&prog->busy, 1, __ATOMIC_RELAXED);
	func->thread(thread->arg);
	shm_dpa_eu_flush(eu);
	__atomic_store_n(&prog->runs, prog->runs + 1, __ATOMIC_RELAXED);
	__atomic_store_n(&prog->busy, 0, __ATOMIC_RELEASE);
}

static void
rt_ready(void)
{
	__atomic_add_fetch(&rt_nb_ready, 1, __ATOMIC_RELEASE);
	rt_futex(&rt_nb_ready, FUTEX_WAKE, 1);
}

static void
rt_unit(uint32_t eu)
{
	const struct shm_dpa_host_eu *host = &SHM_DPA_HOST_SEG->eus[eu];
	struct shm_dpa_prog_eu *prog = &SHM_DPA_PROG_SEG->eus[eu];
	struct rt_thread thread = { 0, SHM_DPA_NO_FUNC, 0, 0 };
	uint32_t wake;

	rt_ready();
	for (;;) {
		wake = __atomic_load_n(&host->wake, __ATOMIC_ACQUIRE);
		rt_thread_change(&thread, host, prog);
		if (rt_thread_due(&thread, host, eu)) {
			rt_thread_run(&thread, prog, eu);
			continue;
		}
		__atomic_store_n(&prog->parked, 1, __ATOMIC_RELAXED);
		rt_heavy_fence();
		if (!rt_thread_due(&thread, host, eu)) {
			/* anything else comes with a change of the word */
			rt_futex((uint32_t *)(uintptr_t)&host->wake, FUTEX_WAIT, wake);
			__atomic_store_n(&prog->parked, 0, __ATOMIC_RELAXED);
			continue;
		}
		__atomic_store_n(&prog->parked, 0, __ATOMIC_RELAXED);
		rt_thread_run(&thread, prog, eu);
	}
}

/* The thread of calls. */
static void
rt_caller(void)
{
	struct shm_dpa_prog_eu *prog = &SHM_DPA_PROG_SEG->eus[SHM_DPA_RPC_EU];
	const struct comch_dpa_rt_func *func;
	struct shm_dpa_answer answer;
	uint32_t asked = 0;

	rt_ready();
	for (;;) {
		while (__atomic_load_n(&rt_rpc.asked, __ATOMIC_ACQUIRE) == asked)
			rt_futex(&rt_rpc.asked, FUTEX_WAIT, asked);
		asked++;
		__atomic_store_n(&prog->busy, 1, __ATOMIC_RELAXED);
		func = __start_comch_dpa_funcs[rt_rpc.msg.values[0]];
		answer.seq = rt_rpc.msg.seq;
		answer.ret = 0;
		answer.value = func->rpc(&rt_rpc.msg.values[2]);
		shm_dpa_eu_flush(SHM_DPA_RPC_EU);
		__atomic_store_n(&prog->runs, prog->runs + 1, __ATOMIC_RELAXED);
		__atomic_store_n(&prog->busy, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&rt_rpc.busy, 0, __ATOMIC_RELEASE);
		rt_send(&answer, sizeof(answer), 0);
	}
}

/* Where threads begin, each in its block. */
static void
rt_thread_main(void)
{
	uint32_t eu = SHM_DPA_SELF()->eu;

	rt_handlers_stack();
	if (eu == SHM_DPA_RPC_EU)
		rt_caller();
	rt_unit(eu);
}

/* The stack of a unit; NULL if there is no memory. */
static uintptr_t
rt_block(uint32_t index, uint32_t eu)
{
	uint64_t addr = SHM_DPA_BLOCK_ADDR + index * SHM_DPA_BLOCK_SIZE;
	const long flags = MAP_PRIVATE | MAP_ANONYMOUS, prot = PROT_READ | PROT_WRITE;
	struct shm_dpa_self *self = (struct shm_dpa_self *)(uintptr_t)addr;

	if (rt_mmap(addr, SHM_DPA_BLOCK_GAP, prot, flags, -1) != (long)addr ||
			rt_mmap(addr + SHM_DPA_BLOCK_GAP, SHM_DPA_BLOCK_STACK - SHM_DPA_BLOCK_GAP,
				PROT_NONE, flags, -1) < 0 ||
			rt_mmap(addr + SHM_DPA_BLOCK_STACK,
				SHM_DPA_BLOCK_SIZE - SHM_DPA_BLOCK_STACK, prot, flags, -1) < 0)
		return 0;
	self->eu = eu;
	return (uintptr_t)addr + SHM_DPA_BLOCK_SIZE - 64;
}

/*
 * The control thread
 */

static int
rt_thread_start(uint32_t eu)
{
	const long flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
		CLONE_SYSVSEM;
	uintptr_t sp = rt_block(rt_next_unit++, eu);
	long tid;

	if (sp == 0)
		return -12; /* ENOMEM */
	tid = rt_clone(flags, sp, rt_thread_main);
	return tid < 0 ? (int)tid : 0;
}

/* Tell the host what functions there are. */
static int
rt_publish(void)
{
	const struct comch_dpa_rt_func *const *func = __start_comch_dpa_funcs;
	struct shm_dpa_prog *prog = SHM_DPA_PROG_SEG;
	const char *name;
	uint32_t nb = 0, i;

	for (; func != __stop_comch_dpa_funcs; func++, nb++) {
		if (nb == SHM_DPA_MAX_FUNCS)
			return -7; /* E2BIG */
		name = (*func)->name;
		for (i = 0; i < SHM_DPA_NAME_SIZE - 1 && name[i] != '\0'; i++)
			prog->funcs[nb].name[i] = name[i];
		prog->funcs[nb].kind = (uint32_t)(*func)->kind;
	}
	prog->nb_funcs = nb;
	prog->version = SHM_DPA_VERSION;
	__atomic_store_n(&prog->magic, SHM_DPA_MAGIC, __ATOMIC_RELEASE);
	return 0;
}

static int
rt_start(void)
{
	rt_membarrier = rt_call(__NR_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED,
			0, 0, 0, 0, 0) == 0;
	if (!rt_membarrier || (SHM_DPA_HOST_SEG->flags & SHM_DPA_HOST_F_WHOLE) != 0)
		SHM_DPA_PROG_SEG->flags = SHM_DPA_PROG_F_WHOLE;
	return rt_publish();
}

/* A thread has the CPUs of this one, which the host sets before each. */
static int
rt_unit_start(uint32_t eu)
{
	uint32_t ready = rt_nb_ready;
	int ret = rt_thread_start(eu);

	while (ret == 0 && __atomic_load_n(&rt_nb_ready, __ATOMIC_ACQUIRE) == ready)
		rt_futex(&rt_nb_ready, FUTEX_WAIT, ready);
	return ret;
}

static int
rt_map(uint64_t addr, uint64_t len, bool write, int fd)
{
	long ret = rt_mmap(addr, len, write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, fd);

	rt_call(__NR_close, fd, 0, 0, 0, 0, 0);
	return ret == (long)addr ? 0 : (int)ret;
}

/*
 * The eventfd of a group from now on. A unit may be about to write to the one before, by
 * its number: so that is never the number of another file, and stays when a group goes.
 */
static int
rt_group(uint32_t index, int fd)
{
	int32_t old;

	if (index >= SHM_DPA_MAX_GROUPS || fd < 0)
		return -RT_EINVAL;
	old = rt_group_fd[index];
	if (old == 0) {
		__atomic_store_n(&rt_group_fd[index], fd + 1, __ATOMIC_RELEASE);
	} else {
		rt_call(__NR_dup3, fd, old - 1, RT_O_CLOEXEC, 0, 0, 0);
		rt_call(__NR_close, fd, 0, 0, 0, 0, 0);
	}
	/* for what was put before */
	comch_dpa_rt_group_wake(index);
	return 0;
}

static int
rt_rpc_ask(const struct shm_dpa_msg *msg)
{
	if (__atomic_exchange_n(&rt_rpc.busy, 1, __ATOMIC_ACQUIRE) != 0)
		return -RT_EBUSY;
	memcpy(&rt_rpc.msg, msg, sizeof(*msg));
	__atomic_add_fetch(&rt_rpc.asked, 1, __ATOMIC_RELEASE);
	rt_futex(&rt_rpc.asked, FUTEX_WAKE, 1);
	return 0;
}

static int
rt_handle(const struct shm_dpa_msg *msg, int fd)
{
	const uint64_t *v = msg->values;

	switch (msg->type) {
	case SHM_DPA_MSG_HOST:
		return rt_map(SHM_DPA_HOST_ADDR, v[0], false, fd);
	case SHM_DPA_MSG_PROG:
		return rt_map(SHM_DPA_PROG_ADDR, v[0], true, fd);
	case SHM_DPA_MSG_HEAP:
		return rt_map(SHM_DPA_HEAP_ADDR, v[0], true, fd);
	case SHM_DPA_MSG_START:
		return rt_start();
	case SHM_DPA_MSG_UNIT:
		return rt_unit_start((uint32_t)v[0]);
	case SHM_DPA_MSG_WINDOW:
		return rt_map(v[0], v[1], v[2] != 0, fd);
	case SHM_DPA_MSG_UNWINDOW:
		return (int)rt_call(__NR_munmap, (long)v[0], (long)v[1], 0, 0, 0, 0);
	case SHM_DPA_MSG_GROUP:
		return rt_group((uint32_t)v[0], fd);
	case SHM_DPA_MSG_RPC:
		return rt_rpc_ask(msg);
	default:
		rt_exit(0);
	}
}

/* One message, and the descriptor that came with it, or -1. */
static long
rt_receive(struct shm_dpa_msg *msg, int *fd)
{
	struct rt_iov iov = { msg, sizeof(*msg) };
	struct rt_cmsg cmsg;
	struct rt_msghdr hdr;
	long n;

	memset(&hdr, 0, sizeof(hdr));
	hdr.iov = &iov;
	hdr.nb_iov = 1;
	hdr.control = &cmsg;
	hdr.control_len = sizeof(cmsg);
	n = rt_call(__NR_recvmsg, SHM_DPA_SOCK, (long)&hdr, RT_MSG_CMSG_CLOEXEC, 0, 0, 0);
	*fd = hdr.control_len >= offsetof(struct rt_cmsg, pad) && cmsg.type == RT_SCM_RIGHTS &&
		cmsg.level == RT_SOL_SOCKET ? cmsg.fd : -1;
	return n;
}

/* What the host asks, until it is gone. */
_Noreturn static void
rt_control(void)
{
	struct shm_dpa_answer answer;
	struct shm_dpa_msg msg;
	long n;
	int fd;

	rt_handlers_stack();
	for (;;) {
		n = rt_receive(&msg, &fd);
		if (n == -RT_EINTR)
			continue;
		if (n != (long)sizeof(msg))
			rt_exit(n == 0 ? 0 : 1);
		answer.ret = rt_handle(&msg, fd);
		answer.seq = msg.seq;
		answer.value = 0;
		/* the thread of calls answers those */
		if (msg.seq != 0 && (msg.type != SHM_DPA_MSG_RPC || answer.ret != 0))
			rt_send(&answer, sizeof(answer), 0);
	}
}

/* From the entry of the program, on the stack that the kernel gave. */
_Noreturn void comch_dpa_rt_start(void);

_Noreturn void
comch_dpa_rt_start(void)
{
	uintptr_t sp;

	rt_call(__NR_prctl, RT_PR_SET_NAME, (long)"comch-dpa", 0, 0, 0, 0);
	rt_handlers();
	sp = rt_block(rt_next_unit++, SHM_DPA_NO_EU);
	if (sp == 0)
		rt_exit(1);
	rt_enter(sp, rt_control);
}

__asm__(".globl _start\n.type _start, %function\n" RT_START);
