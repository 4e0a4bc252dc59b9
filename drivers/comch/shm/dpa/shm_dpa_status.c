/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * How a program ends, in the words of the API: taken for broken by us, told by its
 * runtime, or seen by the kernel. The first of them stays. Nothing is waited for here.
 */

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "comch_shm.h"
#include "shm_dpa.h"

/* Of the API, of an index of the shared arrays, which may be nonsense. */
static uint32_t
status_eu(const struct shm_dpa *dpa, uint32_t eu)
{
	return eu < dpa->api->nb_eus ? eu : RTE_COMCH_DPA_NO_EU;
}

/* Whose it was, for texts. */
static const char *
who(const struct shm_dpa *dpa, uint32_t eu, char *text, size_t size)
{
	if (eu < dpa->api->nb_eus)
		snprintf(text, size, "execution unit %u", eu);
	else
		snprintf(text, size, "%s", eu == SHM_DPA_RPC_EU ? "a call" : "the program");
	return text;
}

/* Without the lock of the device. What has ended stays as it has. */
static bool
status_set(struct shm_dpa *dpa, const struct rte_comch_dpa_status *status)
{
	bool first;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	first = dpa->status.state == RTE_COMCH_DPA_RUNNING && !dpa->stopping;
	if (first)
		dpa->status = *status;
	__atomic_store_n(&dpa->down, true, __ATOMIC_RELAXED);
	pthread_cond_broadcast(&dpa->cond); /* check-ok: waiters must sleep */
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	if (first)
		SHM_LOG(ERR, "%s: program %s: %s", dpa->name, dpa->api->program, status->text);
	return first;
}

/* The monitor sees it end. */
static void
process_kill(struct shm_dpa *dpa)
{
	syscall(SYS_pidfd_send_signal, dpa->pidfd, SIGKILL, NULL, 0);
}

void
shm_dpa_spins(struct shm_dpa *dpa, uint32_t eu, const char *what)
{
	struct rte_comch_dpa_status status = {
		.state = RTE_COMCH_DPA_FAILED, .end = RTE_COMCH_DPA_END_SPIN,
		.reason = -ETIMEDOUT, .eu = status_eu(dpa, eu),
	};
	char name[32];

	snprintf(status.text, sizeof(status.text), "%s %s in time: it was killed",
		who(dpa, eu, name, sizeof(name)), what);
	status_set(dpa, &status);
	process_kill(dpa);
}

#define KILLED ": it was killed"
#define NAME_SIZE 32
/* What fits with a name before it and KILLED behind it. */
#define WHAT_SIZE (RTE_COMCH_DPA_TEXT_SIZE - NAME_SIZE - sizeof(KILLED))

/* It wrote, or did, what no program of ours does. */
static void
nonsense(struct shm_dpa *dpa, uint32_t eu, uint64_t value, const char *what)
{
	struct rte_comch_dpa_status status = {
		.state = RTE_COMCH_DPA_FAILED, .end = RTE_COMCH_DPA_END_NONSENSE,
		.reason = -EPROTO, .eu = status_eu(dpa, eu), .value = value,
	};
	char name[NAME_SIZE];

	snprintf(status.text, sizeof(status.text), "%s %s" KILLED,
		who(dpa, eu, name, sizeof(name)), what);
	status_set(dpa, &status);
	process_kill(dpa);
}

void
shm_dpa_violation(struct shm_dpa *dpa, uint32_t eu, const char *what, uint64_t a, uint64_t b)
{
	char text[WHAT_SIZE];

	snprintf(text, sizeof(text), "wrote nonsense: %s (0x%" PRIx64 ", 0x%" PRIx64 ")", what, a,
		b);
	nonsense(dpa, eu, a, text);
}

void
shm_dpa_excess(struct shm_dpa *dpa, uint32_t eu, const char *what, uint64_t has, uint64_t may)
{
	char text[WHAT_SIZE];

	snprintf(text, sizeof(text), "%s: %" PRIu64 ", and %" PRIu64 " are allowed", what, has,
		may);
	nonsense(dpa, eu, has, text);
}

/* What its runtime left in PROG. Each word is loaded once, and may be a lie. */
static void
fault_status(struct shm_dpa *dpa, uint32_t kind, struct rte_comch_dpa_status *status)
{
	const struct shm_dpa_fault *fault = &shm_dpa_prog(dpa)->fault;
	uint32_t eu = __atomic_load_n(&fault->eu, __ATOMIC_RELAXED);
	uint32_t sig = __atomic_load_n(&fault->signal, __ATOMIC_RELAXED);
	char name[32];

	status->eu = status_eu(dpa, eu);
	status->value = __atomic_load_n(&fault->value, __ATOMIC_RELAXED);
	status->pc = __atomic_load_n(&fault->pc, __ATOMIC_RELAXED);
	status->signal = sig < NSIG ? (int)sig : 0;
	who(dpa, eu, name, sizeof(name));
	if (kind == SHM_DPA_FAULT_CALL) {
		status->end = RTE_COMCH_DPA_END_CALL;
		status->reason = -EPERM;
		snprintf(status->text, sizeof(status->text),
			"%s made system call %" PRIu64 ", which is forbidden, at 0x%" PRIx64,
			name, status->value, status->pc);
	} else {
		status->end = RTE_COMCH_DPA_END_FAULT;
		status->reason = -EIO;
		snprintf(status->text, sizeof(status->text),
			"%s had signal %d (%s) at 0x%" PRIx64 ", address 0x%" PRIx64,
			name, status->signal, strsignal(status->signal), status->pc,
			status->value);
	}
}

/* What the kernel says of its end. */
static void
wait_status_text(int wait_status, struct rte_comch_dpa_status *status)
{
	int sig;

	status->end = RTE_COMCH_DPA_END_EXIT;
	status->reason = -ESHUTDOWN;
	if (WIFEXITED(wait_status)) {
		status->value = WEXITSTATUS(wait_status);
		snprintf(status->text, sizeof(status->text), "it ended itself, with status %d",
			WEXITSTATUS(wait_status));
		return;
	}
	if (!WIFSIGNALED(wait_status)) {
		snprintf(status->text, sizeof(status->text),
			"it ended; another waiter of this process has its status");
		return;
	}
	sig = WTERMSIG(wait_status);
	status->signal = sig;
	status->end = RTE_COMCH_DPA_END_KILLED;
	if (sig == SIGSYS) {
		status->end = RTE_COMCH_DPA_END_CALL;
		status->reason = -EPERM;
	} else if (sig == SIGSEGV || sig == SIGBUS || sig == SIGILL || sig == SIGFPE) {
		status->end = RTE_COMCH_DPA_END_FAULT;
		status->reason = -EIO;
	}
	snprintf(status->text, sizeof(status->text), "signal %d (%s) ended it", sig,
		strsignal(sig));
}

void
shm_dpa_ended(struct shm_dpa *dpa, int wait_status)
{
	struct rte_comch_dpa_status status = {
		.state = RTE_COMCH_DPA_FAILED, .eu = RTE_COMCH_DPA_NO_EU,
	};
	uint32_t kind;

	/* acquire: the rest of the record was written before */
	kind = __atomic_load_n(&shm_dpa_prog(dpa)->fault.kind, __ATOMIC_ACQUIRE);
	/* a record is of a program that ended itself: whoever kills it has left none */
	if (!WIFSIGNALED(wait_status) && kind >= SHM_DPA_FAULT_SIGNAL &&
			kind <= SHM_DPA_FAULT_CALL)
		fault_status(dpa, kind, &status);
	else
		wait_status_text(wait_status, &status);
	status_set(dpa, &status);
}
