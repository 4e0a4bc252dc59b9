/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef COMCH_DPA_ARCH_H
#define COMCH_DPA_ARCH_H

/*
 * What of the runtime differs between instruction sets: entry, system calls, the start of
 * a thread, and where a signal says what it interrupted. Nothing else lives here.
 */

#include <stdint.h>

#include <asm/unistd.h>

#if defined(__x86_64__)

static inline long
rt_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long ret;

	__asm__ volatile("syscall" : "=a"(ret)
		: "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
}

/* Leave the stack for another one. */
_Noreturn static inline void
rt_enter(uintptr_t sp, void (*fn)(void))
{
	__asm__ volatile("mov %0, %%rsp\n\txor %%ebp, %%ebp\n\tcall *%1\n\tud2"
		: : "r"(sp), "r"(fn) : "memory");
	__builtin_unreachable();
}

/* clone(): the child begins in fn, on its stack. */
static inline long
rt_clone(long flags, uintptr_t sp, void (*fn)(void))
{
	register long r10 __asm__("r10") = 0;
	register long r8 __asm__("r8") = 0;
	register void (*r9)(void) __asm__("r9") = fn;
	long ret;

	__asm__ volatile("syscall\n\ttest %%rax, %%rax\n\tjnz 1f\n\t"
		"xor %%ebp, %%ebp\n\tcall *%%r9\n\tud2\n1:"
		: "=a"(ret)
		: "a"(__NR_clone), "D"(flags), "S"(sp), "d"(0L), "r"(r10), "r"(r8), "r"(r9)
		: "rcx", "r11", "memory");
	return ret;
}

/* Of struct ucontext: the program counter. */
#define RT_UCONTEXT_PC 168
#define RT_START "_start:\n\txor %ebp, %ebp\n\tand $-16, %rsp\n\tcall comch_dpa_rt_start\n\tud2\n"

static inline void
rt_copy_forward(uint8_t *dst, const uint8_t *src, uint64_t len)
{
	__asm__ volatile("rep movsb" : "+D"(dst), "+S"(src), "+c"(len) : : "memory");
}

#elif defined(__aarch64__)

static inline long
rt_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long x8 __asm__("x8") = nr;
	register long x0 __asm__("x0") = a;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;

	__asm__ volatile("svc #0" : "+r"(x0)
		: "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

_Noreturn static inline void
rt_enter(uintptr_t sp, void (*fn)(void))
{
	__asm__ volatile("mov sp, %0\n\tmov x29, #0\n\tblr %1\n\tbrk #0"
		: : "r"(sp), "r"(fn) : "memory");
	__builtin_unreachable();
}

static inline long
rt_clone(long flags, uintptr_t sp, void (*fn)(void))
{
	register long x8 __asm__("x8") = __NR_clone;
	register long x0 __asm__("x0") = flags;
	register long x1 __asm__("x1") = (long)sp;
	register long x2 __asm__("x2") = 0;
	register long x3 __asm__("x3") = 0;
	register long x4 __asm__("x4") = 0;
	register void (*x5)(void) __asm__("x5") = fn;

	__asm__ volatile("svc #0\n\tcbnz x0, 1f\n\tmov x29, #0\n\tblr x5\n\tbrk #0\n1:"
		: "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
	return x0;
}

#define RT_UCONTEXT_PC 440
#define RT_START "_start:\n\tmov x29, #0\n\tbl comch_dpa_rt_start\n\tbrk #0\n"

#elif defined(__riscv) && __riscv_xlen == 64

static inline long
rt_call(long nr, long a, long b, long c, long d, long e, long f)
{
	register long a7 __asm__("a7") = nr;
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = f;

	__asm__ volatile("ecall" : "+r"(a0)
		: "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

_Noreturn static inline void
rt_enter(uintptr_t sp, void (*fn)(void))
{
	__asm__ volatile("mv sp, %0\n\tli s0, 0\n\tjalr %1\n\tebreak"
		: : "r"(sp), "r"(fn) : "memory");
	__builtin_unreachable();
}

static inline long
rt_clone(long flags, uintptr_t sp, void (*fn)(void))
{
	register long a7 __asm__("a7") = __NR_clone;
	register long a0 __asm__("a0") = flags;
	register long a1 __asm__("a1") = (long)sp;
	register long a2 __asm__("a2") = 0;
	register long a3 __asm__("a3") = 0;
	register long a4 __asm__("a4") = 0;
	register void (*a5)(void) __asm__("a5") = fn;

	__asm__ volatile("ecall\n\tbnez a0, 1f\n\tli s0, 0\n\tjalr a5\n\tebreak\n1:"
		: "+r"(a0) : "r"(a7), "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5) : "memory");
	return a0;
}

#define RT_UCONTEXT_PC 176
#define RT_START "_start:\n\t.option push\n\t.option norelax\n\tla gp, __global_pointer$\n\t" \
	".option pop\n\tli s0, 0\n\tcall comch_dpa_rt_start\n\tebreak\n"

#else
#error "no runtime for this instruction set"
#endif

#if !defined(__x86_64__)
static inline void
rt_copy_forward(uint8_t *dst, const uint8_t *src, uint64_t len)
{
	uint64_t word;

	for (; len >= sizeof(word); len -= sizeof(word)) {
		if ((((uintptr_t)dst | (uintptr_t)src) & (sizeof(word) - 1)) != 0)
			break;
		*(uint64_t *)(void *)dst = *(const uint64_t *)(const void *)src;
		dst += sizeof(word);
		src += sizeof(word);
	}
	while (len-- > 0) {
		*dst++ = *src++;
		__asm__ volatile("" : : : "memory"); /* or it becomes a call of memcpy() */
	}
}
#endif

#endif /* COMCH_DPA_ARCH_H */
