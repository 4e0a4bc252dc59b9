/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Wake-ups between the engines of the host and the execution units of a program. Which
 * queue wants to be woken is not known here.
 */

#include <errno.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "comch_shm.h"
#include "shm_dpa.h"

/*
 * What a program may cost others. A unit that says that it sleeps, and does not, makes each
 * burst to it a system call. Programs that work do it while they go to sleep, which takes them
 * a fence and us a call each time: longer than the limit. Wake-ups of an engine come with a
 * message or a credit, but for those that are late.
 */
#define GROUP_LIMIT_MS 100
#define GROUP_MAX_ASKED 100000
#define GROUP_MAX_WAKES 1000

/* Whether more than a limit were counted in an interval, which begins anew. */
static bool
limit_passed(uint64_t *until)
{
	const uint64_t now = rte_get_tsc_cycles();
	const uint64_t before = __atomic_exchange_n(until,
			now + rte_get_tsc_hz() / 1000 * GROUP_LIMIT_MS, __ATOMIC_RELAXED);

	return now < before;
}

/* How many it woke: 0 or 1. */
static long
unit_wake(struct shm_dpa *dpa, uint32_t eu)
{
	uint32_t *wake = &shm_dpa_host(dpa)->eus[eu].wake;

	/* release: what there is to look at comes before */
	__atomic_fetch_add(wake, 1, __ATOMIC_RELEASE);
	return syscall(SYS_futex, wake, FUTEX_WAKE, 1, NULL, NULL, 0);
}

void
shm_dpa_wake(struct shm_dpa *dpa, uint32_t eu)
{
	unit_wake(dpa, eu);
}

void
shm_dpa_wake_asked(struct shm_dpa *dpa, uint32_t eu)
{
	struct shm_dpa_asked *asked = &dpa->asked[eu];

	/* of several threads one goes on */
	if (unit_wake(dpa, eu) != 0 ||
			__atomic_add_fetch(&asked->nb, 1, __ATOMIC_RELAXED) != GROUP_MAX_ASKED)
		return;
	__atomic_store_n(&asked->nb, 0, __ATOMIC_RELAXED);
	if (limit_passed(&asked->until))
		shm_dpa_excess(dpa, eu, "asked to be waked too often in " RTE_STR(GROUP_LIMIT_MS)
			" ms, and did not sleep", GROUP_MAX_ASKED, GROUP_MAX_ASKED - 1);
}

void
shm_dpa_group_arm(struct shm_dpa *dpa, uint32_t index, uint32_t armed)
{
	__atomic_store_n(&shm_dpa_host(dpa)->groups[index].armed, armed, __ATOMIC_RELAXED);
}

static int
group_first(struct shm_dpa *dpa, struct shm_dpa_group *entry, struct shm_group *group)
{
	const struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_GROUP, .values = { group->index } };
	int ret;

	entry->nb_wakes = 0;
	entry->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (entry->fd < 0)
		return -EMFILE;
	ret = rte_comch_pmd_fd_add(group->pg.pe, entry->fd);
	if (ret == 0) {
		shm_dpa_group_arm(dpa, group->index, 0);
		ret = shm_dpa_send(dpa, &msg, entry->fd);
		if (ret == 0) {
			entry->group = group;
			return 0;
		}
		rte_comch_pmd_fd_del(group->pg.pe, entry->fd);
	}
	close(entry->fd);
	return ret;
}

int
shm_dpa_group_join(struct shm_dpa *dpa, struct shm_group *group, uint32_t *index)
{
	struct shm_dpa_group *entry = &dpa->groups[group->index];
	int ret = 0;

	pthread_mutex_lock(&dpa->group_lock); /* check-ok: waiters must sleep */
	if (entry->refs == 0)
		ret = group_first(dpa, entry, group);
	if (ret == 0)
		entry->refs++;
	pthread_mutex_unlock(&dpa->group_lock); /* check-ok: waiters must sleep */
	*index = group->index;
	return ret;
}

void
shm_dpa_group_leave(struct shm_dpa *dpa, uint32_t index)
{
	struct shm_dpa_group *entry = &dpa->groups[index];

	pthread_mutex_lock(&dpa->group_lock); /* check-ok: waiters must sleep */
	if (--entry->refs == 0) {
		rte_comch_pmd_fd_del(entry->group->pg.pe, entry->fd);
		close(entry->fd);
		entry->group = NULL;
	}
	pthread_mutex_unlock(&dpa->group_lock); /* check-ok: waiters must sleep */
}

void
shm_dpa_group_drain(struct shm_dpa *dpa, uint32_t index, uint64_t nb)
{
	struct shm_dpa_group *entry = &dpa->groups[index];
	uint64_t value;
	ssize_t n;

	do {
		n = read(entry->fd, &value, sizeof(value));
	} while (n < 0 && errno == EINTR);
	entry->nb_wakes += n > 0 ? 1 : 0;
	entry->nb_wakes -= RTE_MIN(nb, entry->nb_wakes);
	if (entry->nb_wakes < GROUP_MAX_WAKES)
		return;
	entry->nb_wakes = 0;
	if (limit_passed(&entry->until))
		shm_dpa_excess(dpa, SHM_DPA_NO_EU, "woke an engine too often in "
			RTE_STR(GROUP_LIMIT_MS) " ms, and said nothing", GROUP_MAX_WAKES,
			GROUP_MAX_WAKES - 1);
}
