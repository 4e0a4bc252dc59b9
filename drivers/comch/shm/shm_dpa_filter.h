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

/* A call that is allowed, if the low half of an argument, masked, is a value. */
struct shm_dpa_rule {
	uint32_t nr;
	int32_t arg; /* -1: whatever the arguments are */
	uint32_t mask;
	uint32_t value;
};

/* A call with any arguments. */
#define SHM_DPA_CALL(nr) { nr, -1, 0, 0 }
/* Instructions of a rule, and of the frame. */
#define SHM_DPA_RULE_LEN 6
#define SHM_DPA_FRAME_LEN 5
#define SHM_DPA_FILTER_LEN(nb_rules) ((nb_rules) * SHM_DPA_RULE_LEN + SHM_DPA_FRAME_LEN)

#ifdef SHM_DPA_ARCH
static inline struct sock_filter
shm_dpa_filter_op(uint16_t code, uint32_t k, uint8_t jt, uint8_t jf)
{
	return (struct sock_filter){ code, jt, jf, k };
}

/*
 * Write the filter, SHM_DPA_FILTER_LEN() instructions at most. What is not allowed is a
 * SIGSYS; a call of another architecture, of which the numbers mean nothing here, too.
 */
static inline uint16_t
shm_dpa_filter_make(struct sock_filter *ops, const struct shm_dpa_rule *rules, uint32_t nb)
{
	const uint16_t load = BPF_LD | BPF_W | BPF_ABS, is = BPF_JMP | BPF_JEQ | BPF_K;
	const uint32_t nr = offsetof(struct seccomp_data, nr);
	uint32_t i, arg;
	uint16_t n = 0;

	ops[n++] = shm_dpa_filter_op(load, offsetof(struct seccomp_data, arch), 0, 0);
	ops[n++] = shm_dpa_filter_op(is, SHM_DPA_ARCH, 1, 0);
	ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	ops[n++] = shm_dpa_filter_op(load, nr, 0, 0);
	for (i = 0; i < nb; i++) {
		if (rules[i].arg < 0) {
			ops[n++] = shm_dpa_filter_op(is, rules[i].nr, 0, 1);
			ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
			continue;
		}
		arg = offsetof(struct seccomp_data, args) + rules[i].arg * sizeof(uint64_t);
		ops[n++] = shm_dpa_filter_op(is, rules[i].nr, 0, 5);
		ops[n++] = shm_dpa_filter_op(load, arg, 0, 0);
		ops[n++] = shm_dpa_filter_op(BPF_ALU | BPF_AND | BPF_K, rules[i].mask, 0, 0);
		ops[n++] = shm_dpa_filter_op(is, rules[i].value, 0, 1);
		ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0);
		ops[n++] = shm_dpa_filter_op(load, nr, 0, 0);
	}
	ops[n++] = shm_dpa_filter_op(BPF_RET | BPF_K, SECCOMP_RET_TRAP, 0, 0);
	return n;
}
#endif

#endif /* SHM_DPA_FILTER_H */
