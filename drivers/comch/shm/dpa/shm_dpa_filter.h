/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_DPA_FILTER_H
#define SHM_DPA_FILTER_H

/*
 * Filters of system calls (seccomp) from tables: the host makes one before it runs a
 * program, and the runtime of the program makes narrower ones. Freestanding: no EAL, no
 * libc. Which calls are allowed is in the tables of their users.
 */

#include <stddef.h>
#include <stdint.h>

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>

#if defined(__x86_64__)
#define SHM_DPA_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define SHM_DPA_ARCH AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define SHM_DPA_ARCH AUDIT_ARCH_RISCV64
#endif

/* What an argument has to be: its low half, masked, is a value. A mask of 0: anything. */
struct shm_dpa_cond {
	uint32_t arg;
	uint32_t mask;
	uint32_t value;
};

#define SHM_DPA_NB_CONDS 2

/* A call that is allowed, if all conditions hold. */
struct shm_dpa_rule {
	uint32_t nr;
	struct shm_dpa_cond conds[SHM_DPA_NB_CONDS];
	uint32_t once; /* not 0: with other arguments it ends the process, which may not guess */
};

/* A call with any arguments; with one of a value; and with two. */
#define SHM_DPA_CALL(nr) { nr, { { 0, 0, 0 }, { 0, 0, 0 } }, 0 }
#define SHM_DPA_CALL_IF(nr, arg, mask, value) \
	{ nr, { { arg, mask, value }, { 0, 0, 0 } }, 0 }
#define SHM_DPA_CALL_IF2(nr, arg, mask, value, arg2, mask2, value2) \
	{ nr, { { arg, mask, value }, { arg2, mask2, value2 } }, 0 }
/*
 * mmap() with just these flags, and no page that is executable. What is shared is a file
 * then, and what is anonymous is private: else it would not count as data of the process,
 * whose limit is all that keeps it from taking the memory of the machine.
 */
#define SHM_DPA_CALL_MMAP(nr, flags) \
	SHM_DPA_CALL_IF2(nr, 2, 4 /* PROT_EXEC */, 0, 3, UINT32_MAX, flags)
/* futex() to wait and to wake, which are 0 and 1; others reach into threads of others. */
#define SHM_DPA_CALL_FUTEX(nr) SHM_DPA_CALL_IF(nr, 1, ~1u, 0)
/* Instructions of a rule, and of the frame. */
#define SHM_DPA_RULE_LEN (3 + SHM_DPA_NB_CONDS * 3)
#define SHM_DPA_FRAME_LEN 5
#define SHM_DPA_FILTER_LEN(nb_rules) ((nb_rules) * SHM_DPA_RULE_LEN + SHM_DPA_FRAME_LEN)

#ifdef SHM_DPA_ARCH
static inline struct sock_filter
shm_dpa_filter_op(uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	return (struct sock_filter){ code, jt, jf, k };
}

/* Instructions of the conditions that there are. */
static inline uint8_t
shm_dpa_filter_conds(const struct shm_dpa_rule *rule)
{
	uint8_t n = 0, i;

	for (i = 0; i < SHM_DPA_NB_CONDS; i++)
		n += rule->conds[i].mask != 0 ? 3 : 0;
	return n;
}

/* A rule, which has the number of the call before it and after it; how many instructions. */
static inline uint16_t
shm_dpa_filter_rule(struct sock_filter *ops, const struct shm_dpa_rule *rule)
{
	const uint16_t load = BPF_LD | BPF_W | BPF_ABS, is = BPF_JMP | BPF_JEQ | BPF_K;
	uint8_t left = shm_dpa_filter_conds(rule);
	const struct shm_dpa_cond *cond;
	uint16_t n = 0, i;

	ops[n++] = shm_dpa_filter_op(is, rule->nr, 0, left + 2);
	for (i = 0; i < SHM_DPA_NB_CONDS; i++) {
		cond = &rule->conds[i];
		if (cond->mask == 0)
			continue;
		left -= 3;
		ops[n++] = shm_dpa_filter_op(load, offsetof(struct seccomp_data, args) +
			cond->arg * sizeof(uint64_t), 0, 0);
		ops[n++] = shm_dpa_filter_op(BPF_ALU | BPF_AND | BPF_K, cond->mask, 0, 0);
		ops[n++] = shm_dpa_filter_op(is, cond->value, 0, left + 1);
	}
	ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
	if (rule->once != 0)
		ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS, 0, 0);
	else
		ops[n++] = shm_dpa_filter_op(load, offsetof(struct seccomp_data, nr), 0, 0);
	return n;
}

/*
 * Write the filter, SHM_DPA_FILTER_LEN() instructions at most. What is not allowed is a
 * SIGSYS; a call of another architecture, of which the numbers mean nothing here, too.
 */
static inline uint16_t
shm_dpa_filter_make(struct sock_filter *ops, const struct shm_dpa_rule *rules, uint32_t nb)
{
	const uint16_t load = BPF_LD | BPF_W | BPF_ABS, is = BPF_JMP | BPF_JEQ | BPF_K;
	uint16_t n = 0;
	uint32_t i;

	ops[n++] = shm_dpa_filter_op(load, offsetof(struct seccomp_data, arch), 0, 0);
	ops[n++] = shm_dpa_filter_op(is, SHM_DPA_ARCH, 1, 0);
	ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	ops[n++] = shm_dpa_filter_op(load, offsetof(struct seccomp_data, nr), 0, 0);
	for (i = 0; i < nb; i++)
		n += shm_dpa_filter_rule(&ops[n], &rules[i]);
	ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	return n;
}
#endif

#endif /* SHM_DPA_FILTER_H */
