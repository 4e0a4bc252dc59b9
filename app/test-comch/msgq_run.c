/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What is done for each round of a msgq test: the execution units begin to work, and
 * end, and what both ends have counted is compared. While a limit is measured none of
 * them works.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "env.h"
#include "msgq.h"

/* Microseconds between two looks at what the program has done. */
#define LOOK_US 100

static int
stop_write(struct msgq_end *e, const struct msgq_unit *u, uint32_t stop)
{
	return rte_comch_dpa_mem_write(e->dpa, u->ctl + offsetof(struct msgq_ctl, stop), &stop,
			sizeof(stop));
}

static int
ctl_read(struct msgq_end *e, const struct msgq_unit *u, struct msgq_ctl *ctl)
{
	return rte_comch_dpa_mem_read(e->dpa, ctl, u->ctl, sizeof(*ctl));
}

/* Why a program has ended, or what has failed if it has not. */
static int
run_fail(struct msgq_end *e, int error, const char *what)
{
	struct rte_comch_dpa_status st;

	if (rte_comch_dpa_status_get(e->dpa, &st) == 0 && st.state == RTE_COMCH_DPA_FAILED)
		return client_fail(e->cl, st.reason, "the program has ended: %s", st.text);
	return client_fail(e->cl, error, "%s: %s", what, strerror(-error));
}

/* An execution unit that has met an error stops to work. */
static int
unit_check(struct msgq_end *e, const struct msgq_unit *u)
{
	struct rte_comch_dpa_eu_info info;
	struct msgq_ctl ctl;
	int ret = ctl_read(e, u, &ctl);

	if (ret != 0)
		return run_fail(e, ret, "the program cannot be asked");
	if (ctl.error == 0)
		return 0;
	if (rte_comch_dpa_eu_info_get(e->dpa, u->eu, &info) != 0)
		info.func[0] = '\0';
	return client_fail(e->cl, ctl.error, "execution unit %u: %s: %s", u->eu,
			info.func[0] != '\0' ? info.func : "its work", strerror(-ctl.error));
}

int
msgq_check(struct msgq_end *e)
{
	struct rte_comch_dpa_status st;
	int ret = client_check(e->cl);
	uint32_t i;

	/* The session wants to be looked after too. */
	rte_comch_pe_progress(e->cl->pe);
	rte_comch_pe_progress(e->pe);
	if (ret == 0 && rte_comch_dpa_status_get(e->dpa, &st) == 0 &&
			st.state == RTE_COMCH_DPA_FAILED)
		ret = run_fail(e, st.reason, "the program");
	for (i = 0; i < e->spec.eus && ret == 0; i++)
		ret = unit_check(e, &e->units[i]);
	return ret;
}

int
msgq_go(struct msgq_end *e)
{
	uint32_t i;
	int ret = 0;

	e->cpu_ns = env_cpu_time_ns();
	for (i = 0; i < e->spec.eus && ret == 0; i++) {
		ret = stop_write(e, &e->units[i], 0);
		if (ret == 0)
			ret = rte_comch_dpa_thread_run(e->units[i].thread);
	}
	return ret == 0 ? 0 : run_fail(e, ret, "an execution unit cannot run");
}

/* Has the program taken all that was sent to it? */
static bool
all_arrived(struct msgq_end *e)
{
	struct msgq_ctl ctl;
	uint32_t i;

	for (i = 0; i < e->spec.eus; i++) {
		if (ctl_read(e, &e->units[i], &ctl) != 0 || ctl.received < e->units[i].sent)
			return false;
	}
	return true;
}

static bool
all_idle(struct msgq_end *e)
{
	struct rte_comch_dpa_eu_info info;
	uint32_t i;

	for (i = 0; i < e->spec.eus; i++) {
		if (rte_comch_dpa_eu_info_get(e->dpa, i, &info) != 0 || info.busy)
			return false;
	}
	return true;
}

/* Has this end taken all that the program has sent? */
static bool
all_taken(struct msgq_end *e)
{
	struct msgq_ctl ctl;
	uint32_t i;

	for (i = 0; i < e->spec.eus; i++) {
		if (ctl_read(e, &e->units[i], &ctl) != 0 || e->units[i].received < ctl.sent)
			return false;
	}
	return true;
}

static int
run_until(struct msgq_end *e, bool (*is_so)(struct msgq_end *e), const char *what)
{
	const uint64_t patience = (uint64_t)(PEER_PATIENCE * (double)rte_get_tsc_hz());
	uint64_t deadline = rte_rdtsc() + patience;
	int ret = 0;

	while (ret == 0 && !is_so(e)) {
		if (msgq_turn(e, false) > 0)
			deadline = rte_rdtsc() + patience;
		else
			usleep(LOOK_US);
		ret = msgq_check(e);
		if (ret == 0 && rte_rdtsc() > deadline)
			ret = client_fail(e->cl, -ETIMEDOUT, "%s for %.0f s", what, PEER_PATIENCE);
	}
	return ret;
}

static int
unit_compare(struct msgq_end *e, const struct msgq_unit *u)
{
	struct msgq_ctl ctl;
	int ret = ctl_read(e, u, &ctl);

	if (ret != 0)
		return run_fail(e, ret, "the program cannot be asked");
	if (ctl.received != u->sent)
		return client_fail(e->cl, -EBADMSG, "execution unit %u: %" PRIu64 " messages were "
				"sent, and %" PRIu64 " have come", u->eu, u->sent, ctl.received);
	if (ctl.sent != u->received)
		return client_fail(e->cl, -EBADMSG, "execution unit %u has sent %" PRIu64
				" messages, and %" PRIu64 " have come", u->eu, ctl.sent,
				u->received);
	if (ctl.bad != 0)
		return client_fail(e->cl, -EBADMSG, "execution unit %u: %" PRIu64 " messages were "
				"not what was sent, the first is number %" PRIu64, u->eu, ctl.bad,
				ctl.first_bad);
	if (u->bad != 0)
		return client_fail(e->cl, -EBADMSG, "%" PRIu64 " messages of execution unit %u "
				"were not what it sent, the first is number %" PRIu64, u->bad,
				u->eu, u->first_bad);
	return 0;
}

int
msgq_halt(struct msgq_end *e, struct result *res)
{
	uint32_t i;
	int ret;

	ret = run_until(e, all_arrived, "the program has not taken its messages");
	for (i = 0; i < e->spec.eus && ret == 0; i++) {
		ret = stop_write(e, &e->units[i], 1);
		if (ret != 0)
			run_fail(e, ret, "an execution unit cannot be stopped");
	}
	if (ret == 0)
		ret = run_until(e, all_idle, "an execution unit has not ended its work");
	if (ret == 0)
		ret = run_until(e, all_taken, "messages of the program did not arrive");
	for (i = 0; i < e->spec.eus && ret == 0; i++)
		ret = unit_compare(e, &e->units[i]);
	res->client_cpu += (double)(env_cpu_time_ns() - e->cpu_ns) / 1e9;
	return ret;
}
