/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Poll groups: how they are made, and how they join and leave the links of their
 * device as these come and go. What a group does in each turn is in shm_poll.c.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "shm_fast.h"

/*
 * What wakes a group, and the peer's end of it. A host is never held up by its end of a
 * socket; the card's side takes nothing from a peer but the count of an event descriptor.
 */
static int
wake_make(const struct shm_dev *dev, int *fds)
{
	if (dev->role == RTE_COMCH_ROLE_HOST) {
		if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) != 0)
			return -errno;
		/* one way: the peer can put bytes in, and that is all */
		shutdown(fds[0], SHUT_WR);
		return 0;
	}
	fds[0] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (fds[0] < 0)
		return -errno;
	fds[1] = fcntl(fds[0], F_DUPFD_CLOEXEC, 0);
	if (fds[1] >= 0)
		return 0;
	close(fds[0]);
	return -EMFILE;
}

static int
glink_create_locked(struct shm_group *group, struct shm_link *link)
{
	union shm_wire_msg msg = { 0 };
	struct shm_glink *glink;
	int fds[2], ret;

	if (shm_link_take(link, SHM_LIMIT_FDS, 1) != 0)
		return -EUSERS;
	glink = calloc(1, sizeof(*glink));
	ret = glink != NULL ? wake_make(group->dev, fds) : -ENOMEM;
	if (ret != 0)
		goto fail;
	ret = rte_comch_pmd_fd_add(group->pg.pe, fds[0]);
	if (ret != 0) {
		close(fds[0]);
		close(fds[1]);
		goto fail;
	}
	glink->wake_fd = fds[0];
	glink->group = group;
	glink->link = link;
	TAILQ_INIT(&glink->chans);
	link->refs++;
	link->glinks[group->index] = glink;
	__atomic_store_n(&link->own->groups[group->index].armed, 0, __ATOMIC_RELAXED);
	msg.group.group = group->index;
	shm_link_send(link, &msg, SHM_WIRE_GROUP, sizeof(msg.group), 0, fds[1]);
	TAILQ_INSERT_TAIL(&group->glinks, glink, next);
	return 0;
fail:
	SHM_PEER_LOG(link->dev, link->func, ERR, "%s: no descriptor or memory to serve process %u: raise RLIMIT_NOFILE, or free memory",
		group->dev->dev->data->name, link->pid);
	shm_link_give(link, SHM_LIMIT_FDS, 1);
	free(glink);
	return ret;
}

static void
glink_free_locked(struct shm_glink *glink)
{
	struct shm_link *link = glink->link;

	if (link->glinks[glink->group->index] == glink)
		link->glinks[glink->group->index] = NULL;
	rte_comch_pmd_fd_del(glink->group->pg.pe, glink->wake_fd);
	close(glink->wake_fd);
	shm_link_give(link, SHM_LIMIT_FDS, 1);
	free(glink);
	shm_link_put(link);
}

/*
 * Have the group join a link: in its own thread, and no callback runs in here. -ECONNRESET if
 * the link is not up; -EUSERS if the share of its user is full: then what that asks for is
 * refused, and nobody else notices.
 */
int
shm_group_join_locked(struct shm_group *group, struct shm_link *link)
{
	if (group->closed || link->state != SHM_LINK_UP)
		return -ECONNRESET;
	if (link->glinks[group->index] != NULL)
		return 0;
	return glink_create_locked(group, link);
}

/*
 * Join the links that are up, before it is needed, as long as the share of their user is not
 * used up by that: the last quarter is for what the user sends, and for joins that are needed.
 * Returns what this process lacks.
 */
static int
group_join_links(struct shm_group *group)
{
	struct shm_dev *dev = group->dev;
	struct shm_link *link, *next_link;
	int ret = 0;

	if (group->closed)
		return 0;
	shm_dev_lock(dev);
	for (link = TAILQ_FIRST(&dev->links); link != NULL && ret == 0; link = next_link) {
		next_link = TAILQ_NEXT(link, next);
		if (link->state != SHM_LINK_UP || !shm_ledger_has(dev, link->ledger,
				SHM_LIMIT_FDS, dev->limits[SHM_LIMIT_FDS] / 4 + 1))
			continue;
		ret = shm_group_join_locked(group, link);
	}
	shm_dev_unlock(dev);
	return ret;
}

/* The first link of the group that is dead, off its list. */
static struct shm_glink *
group_dead_glink(struct shm_group *group)
{
	struct shm_dev *dev = group->dev;
	struct shm_glink *glink;

	shm_dev_lock(dev);
	TAILQ_FOREACH(glink, &group->glinks, next)
		if (glink->link->state == SHM_LINK_DEAD)
			break;
	shm_dev_unlock(dev);
	if (glink != NULL)
		TAILQ_REMOVE(&group->glinks, glink, next);
	return glink;
}

/* Join the links that are up, leave those that are dead. */
static void
group_sync(struct shm_group *group)
{
	struct shm_dev *dev = group->dev;
	struct shm_glink *glink;
	bool done, posted;

	group_join_links(group);
	for (;;) {
		if (group->leaving == NULL && !group->closed)
			group->leaving = group_dead_glink(group);
		glink = group->leaving;
		if (glink == NULL)
			return;
		done = shm_glink_down(glink);
		shm_dev_lock(dev);
		posted = !group->closed && shm_group_sync_post(group);
		if (done) {
			group->leaving = NULL;
			glink_free_locked(glink);
		}
		shm_dev_unlock(dev);
		if (posted)
			return; /* the rest, and other links, are for the next turn */
	}
}

static void
group_sync_handler(struct rte_comch_pmd_event *ev)
{
	struct shm_group *group = container_of(ev, struct shm_group, sync_ev);
	struct shm_dev *dev = group->dev;

	shm_dev_lock(dev);
	group->sync_posted = false;
	shm_dev_unlock(dev);
	group_sync(group);
	shm_dev_lock(dev);
	shm_group_put_locked(group);
	shm_dev_unlock(dev);
}

/* Peers know it by this number. */
static int
group_number(struct shm_group *group)
{
	struct shm_dev *dev = group->dev;
	uint32_t i;

	shm_dev_lock(dev);
	for (i = 0; i < SHM_WIRE_MAX_GROUPS && dev->groups[i] != NULL; i++)
		;
	if (i < SHM_WIRE_MAX_GROUPS) {
		group->index = i;
		dev->groups[i] = group;
		dev->nb_groups++;
	}
	shm_dev_unlock(dev);
	if (i < SHM_WIRE_MAX_GROUPS)
		return 0;
	SHM_LOG(NOTICE, "%s: %u progress engines have contexts of it, which is all that it takes: attach this one to an engine that has some",
		dev->dev->data->name, SHM_WIRE_MAX_GROUPS);
	return -ENOSPC;
}

int
shm_group_create(struct rte_comch_dev *rte_dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg)
{
	struct shm_dev *dev = rte_dev->priv;
	struct shm_group *group = calloc(1, sizeof(*group));
	int ret;

	if (group == NULL)
		return -ENOMEM;
	group->bounce = aligned_alloc(64, RTE_ALIGN_CEIL(SHM_WIRE_MAX_MSG_SIZE, 64u));
	ret = -ENOMEM;
	if (group->bounce == NULL)
		goto fail;
	group->dev = dev;
	group->refs = 1;
	group->pg.dev = rte_dev;
	group->pg.pe = pe;
	group->pg.deadline = UINT64_MAX;
	group->sync_ev.handler = group_sync_handler;
	TAILQ_INIT(&group->glinks);
	TAILQ_INIT(&group->waiting);
	TAILQ_INIT(&group->consumers);
	TAILQ_INIT(&group->producers);
	TAILQ_INIT(&group->msgq_rxs);
	TAILQ_INIT(&group->msgq_txs);
	TAILQ_INIT(&group->asked);
	TAILQ_INIT(&group->unasked);
	TAILQ_INIT(&group->closing);

	/* what happens on the sockets wakes any engine that sleeps */
	ret = rte_comch_pmd_fd_add(pe, dev->epfd);
	if (ret != 0)
		goto fail;
	ret = group_number(group);
	if (ret != 0) {
		rte_comch_pmd_fd_del(pe, dev->epfd);
		goto fail;
	}
	ret = group_join_links(group);
	if (ret != 0) {
		shm_group_destroy(&group->pg, NULL);
		return ret;
	}
	*pg = &group->pg;
	return 0;
fail:
	free(group->bounce);
	free(group);
	return ret;
}

int
shm_group_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct shm_group *group = container_of(pg, struct shm_group, pg);
	struct shm_dev *dev = group->dev;
	struct shm_glink *glink;

	rte_comch_pmd_fd_del(pg->pe, dev->epfd);
	shm_dev_lock(dev);
	dev->groups[group->index] = NULL; /* no more events from here on */
	group->closed = true;
	while ((glink = TAILQ_FIRST(&group->glinks)) != NULL) {
		TAILQ_REMOVE(&group->glinks, glink, next);
		glink_free_locked(glink);
	}
	shm_group_put_locked(group);
	shm_dev_unlock(dev);
	return 0;
}
