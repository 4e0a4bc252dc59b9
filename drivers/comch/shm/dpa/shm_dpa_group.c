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

#include "comch_shm.h"
#include "shm_dpa.h"

void
shm_dpa_wake(struct shm_dpa *dpa, uint32_t eu)
{
	uint32_t *wake = &shm_dpa_host(dpa)->eus[eu].wake;

	/* release: what there is to look at comes before */
	__atomic_fetch_add(wake, 1, __ATOMIC_RELEASE);
	syscall(SYS_futex, wake, FUTEX_WAKE, 1, NULL, NULL, 0);
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
shm_dpa_group_drain(struct shm_dpa *dpa, uint32_t index)
{
	uint64_t value;

	while (read(dpa->groups[index].fd, &value, sizeof(value)) < 0 && errno == EINTR)
		;
}
