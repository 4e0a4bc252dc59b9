/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A program for the offload processor that does what a good one does, and everything that
 * a bad one may do: what test_shm_dpa*.c call by name. Freestanding; the bad deeds take
 * system calls, which no other program has a reason to make.
 */

#include <rte_comch_dpa_dev.h>

#include "comch_dpa_arch.h"
#include "test_dpa_deeds.h"

/* Written by one function, read by another: the memory of the program stays. */
static uint64_t kept;

/* What a thread is given: addresses in the memory of the program, and what to do. */
struct work {
	uint64_t count;  /* runs, written by the thread */
	uint64_t finish; /* the thread says that it is done */
	uint64_t wait;   /* it goes on when this is 0 */
	uint64_t eu;     /* where it ran */
};

/* More stack with each call. */
__attribute__((noinline)) static uint64_t
deep(uint64_t n)
{
	volatile uint64_t words[8];

	words[n % 8] = n;
	return n == 0 ? 0 : deep(n - 1) + words[n % 8];
}

/* Every shared word that the program can write, with all kinds of values. */
static void
garbage(uint64_t rounds)
{
	const uint64_t prog_words = (UINT64_C(4) << 20) / sizeof(uint64_t);
	volatile uint64_t *prog = (uint64_t *)(uintptr_t)SHM_DPA_PROG_ADDR;
	volatile uint64_t *heap = (uint64_t *)(uintptr_t)SHM_DPA_HEAP_ADDR;
	uint64_t x = 88172645463325252ull, i, round;
	uint64_t heap_words = SHM_DPA_HOST_SEG->heap_size / sizeof(uint64_t);

	for (round = 0; rounds == 0 || round < rounds; round++) {
		for (i = 0; i < prog_words || i < heap_words; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			if (i < prog_words)
				prog[i] = round % 4 == 0 ? UINT64_MAX : x;
			if (i < heap_words)
				heap[i] = x;
		}
	}
}

/* The control socket: all lengths, and answers that nobody waits for. */
static void
nonsense(uint64_t len)
{
	static uint64_t bytes[64];
	uint64_t i;

	for (i = 0; i < 64; i++)
		bytes[i] = i * 0x0101010101010101ull;
	for (i = 0; i < 4096; i++)
		rt_call(__NR_sendto, SHM_DPA_SOCK, (long)bytes, (long)len, 0x40, 0, 0);
}

static void
fault(uint64_t deed)
{
	volatile uint32_t zero = 0;

	switch (deed) {
	case DEED_NULL:
		*(volatile uint32_t *)(uintptr_t)zero = 1;
		break;
	case DEED_WRITE_HOST:
		*(volatile uint32_t *)(uintptr_t)SHM_DPA_HOST_ADDR = 0;
		break;
	case DEED_TRAP:
#ifdef __aarch64__
		__asm__ volatile("udf #0"); /* __builtin_trap() is a breakpoint there */
#else
		__builtin_trap();
#endif
		break;
	case DEED_STACK:
		kept = deep(UINT64_C(1) << 40);
		break;
	case DEED_JUMP:
		((void (*)(void))(uintptr_t)SHM_DPA_HEAP_ADDR)();
		break;
	}
}

/* Numbers as the machine has them; openat and clone are what open and fork are. */
static void
forbidden(uint64_t deed)
{
	static const char *const argv[] = { "/bin/true", 0 };
	uint32_t pid = 1;

	switch (deed) {
	case DEED_OPEN:
		rt_call(__NR_openat, -100, (long)"/etc/passwd", 0, 0, 0, 0);
		break;
	case DEED_SOCKET:
		rt_call(__NR_socket, 1, 1, 0, 0, 0, 0);
		break;
	case DEED_FORK:
		rt_call(__NR_clone, 17 /* SIGCHLD */, 0, 0, 0, 0, 0);
		break;
	case DEED_EXEC:
		rt_call(__NR_execve, (long)argv[0], (long)argv, 0, 0, 0, 0);
		break;
	case DEED_EXECVEAT:
		rt_call(__NR_execveat, 250, (long)"", (long)argv, 0, 0x1000, 0);
		break;
	case DEED_PTRACE:
		rt_call(__NR_ptrace, 16, pid, 0, 0, 0, 0);
		break;
	case DEED_KILL:
		rt_call(__NR_kill, 1, 0, 0, 0, 0, 0);
		break;
	case DEED_EXEC_PAGE:
		rt_call(__NR_mmap, 0, 4096, 7, 0x22, -1, 0);
		break;
	}
}

static uint64_t
act(uint64_t deed, uint64_t value)
{
	if (deed < DEED_FORBIDDEN)
		fault(deed);
	else if (deed < DEED_OTHER)
		forbidden(deed);
	else if (deed == DEED_SPIN)
		for (;;)
			__asm__ volatile("" : : : "memory");
	else if (deed == DEED_EXIT)
		rt_call(__NR_exit_group, (long)value, 0, 0, 0, 0, 0);
	else if (deed == DEED_GARBAGE)
		garbage(value);
	else if (deed == DEED_NONSENSE)
		nonsense(value);
	else if (deed == DEED_LOG)
		for (; value > 0; value--)
			rte_comch_dpa_dev_log("a line\033[1m with what a terminal obeys");
	return deed;
}

RTE_COMCH_DPA_RPC(add)
{
	return args[0] + args[1] + args[2] + args[3] + args[4] + args[5];
}

RTE_COMCH_DPA_RPC(keep)
{
	uint64_t old = kept;

	kept = args[0];
	return old;
}

RTE_COMCH_DPA_RPC(peek)
{
	return *(const volatile uint64_t *)(uintptr_t)args[0];
}

RTE_COMCH_DPA_RPC(poke)
{
	*(volatile uint64_t *)(uintptr_t)args[0] = args[1];
	return 0;
}

/* Through a window: the handle, an address of the host, what to write; or to read. */
RTE_COMCH_DPA_RPC(window_poke)
{
	volatile uint64_t *p = rte_comch_dpa_dev_window_ptr((uint32_t)args[0], args[1], 8, true);

	if (p == 0)
		return 0;
	*p = args[2];
	return 1;
}

RTE_COMCH_DPA_RPC(window_peek)
{
	const volatile uint64_t *p =
		rte_comch_dpa_dev_window_ptr((uint32_t)args[0], args[1], 8, false);

	return p != 0 ? *p : 0;
}

/* Where it is mapped, so that a test can go there without the right to. */
RTE_COMCH_DPA_RPC(window_addr)
{
	return (uintptr_t)rte_comch_dpa_dev_window_ptr((uint32_t)args[0], args[1], 1, false);
}

RTE_COMCH_DPA_RPC(eu_of_call)
{
	return rte_comch_dpa_dev_eu_id();
}

RTE_COMCH_DPA_RPC(deed)
{
	return act(args[0], args[1]);
}

/* The argument: a deed, and its value from bit 8 on. */
RTE_COMCH_DPA_THREAD(deed_thread)
{
	act(arg & 0xff, arg >> 8);
}

/* Both sides look at these words while it runs. */
RTE_COMCH_DPA_THREAD(work)
{
	struct work *w = (struct work *)(uintptr_t)arg;

	__atomic_store_n(&w->eu, rte_comch_dpa_dev_eu_id(), __ATOMIC_RELAXED);
	__atomic_add_fetch(&w->count, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&w->wait, __ATOMIC_ACQUIRE) != 0)
		;
	if (__atomic_load_n(&w->finish, __ATOMIC_RELAXED) != 0)
		rte_comch_dpa_dev_thread_finish();
}
