/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients that are STARTING: they wait for a link, and then for an answer. Runs in
 * the thread of their engine. What the answer does is in shm_chan.c.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <rte_string_fns.h>

#include "comch_shm.h"

void
shm_connect_free(struct shm_connect *connect)
{
	connect->ctrl->priv = NULL;
	if (connect->chan != NULL)
		connect->chan->connect = NULL;
	free(connect);
}

void
shm_connect_fail(struct shm_connect *connect, int reason)
{
	struct rte_comch_ctrl *ctrl = connect->ctrl;

	shm_connect_free(connect);
	rte_comch_pmd_connect_failed(ctrl, reason);
}

static int
connect_send(struct shm_connect *connect, struct shm_link *link)
{
	struct rte_comch_ctrl *ctrl = connect->ctrl;
	struct shm_group *group = container_of(ctrl->pg, struct shm_group, pg);
	struct shm_dev *dev = group->dev;
	union shm_wire_msg msg = { 0 };
	struct shm_chan *chan = NULL;
	uint32_t i, id;
	int ret;

	shm_dev_lock(dev);
	for (i = 0; i < SHM_WIRE_MAX_CHANS && chan == NULL; i++) {
		id = (link->next_chan + i) % SHM_WIRE_MAX_CHANS;
		if (link->chans[id] == NULL) {
			chan = shm_chan_alloc_locked(link, id, group, SHM_CHAN_CONNECTING);
			link->next_chan = id + 1;
			break;
		}
	}
	shm_dev_unlock(dev);
	if (chan == NULL)
		return i == SHM_WIRE_MAX_CHANS ? -EUSERS : -ENOMEM;
	ret = shm_chan_join(chan);
	if (ret != 0) {
		shm_dev_lock(dev);
		shm_chan_drop_locked(chan);
		shm_dev_unlock(dev);
		return ret;
	}
	connect->chan = chan;
	chan->connect = connect;
	msg.connect.rx.max_msg_size = ctrl->max_msg_size;
	msg.connect.rx.queue_size = ctrl->recv_queue_size;
	msg.connect.rx.group = group->index;
	msg.connect.rx.doorbell = chan->rx_doorbell;
	strlcpy(msg.connect.name, ctrl->name, sizeof(msg.connect.name));
	shm_dev_lock(dev);
	shm_chan_max_rx_set(chan, ctrl->recv_queue_size, ctrl->max_msg_size != 0 ?
		ctrl->max_msg_size : SHM_WIRE_MAX_MSG_SIZE);
	shm_link_send(link, &msg, SHM_WIRE_CONNECT, sizeof(msg.connect), chan->id, -1);
	shm_dev_unlock(dev);
	return 0;
}

/* Connect those that wait for a link, if there is one; returns how many. */
int
shm_connect_waiting(struct shm_group *group)
{
	struct shm_dev *dev = group->dev;
	struct shm_connect *connect;
	struct shm_link *link;
	int ret, nb;

	/* bounded: a callback may start another one */
	for (nb = 0; nb < SHM_CONNECT_BURST; nb++) {
		connect = TAILQ_FIRST(&group->waiting);
		if (connect == NULL)
			break;
		shm_dev_lock(dev);
		TAILQ_FOREACH(link, &dev->links, next)
			if (link->state == SHM_LINK_UP)
				break;
		if (link != NULL)
			link->refs++;
		ret = dev->refusal;
		shm_dev_unlock(dev);
		if (link == NULL && ret == 0)
			break;
		if (link == NULL)
			shm_meet_failed(dev, ret);
		TAILQ_REMOVE(&group->waiting, connect, next);
		if (link != NULL) {
			ret = connect_send(connect, link);
			shm_dev_lock(dev);
			shm_link_put(link);
			shm_dev_unlock(dev);
		}
		if (ret == -ECONNRESET) {
			/* the link died this moment */
			TAILQ_INSERT_HEAD(&group->waiting, connect, next);
			break;
		}
		if (ret != 0)
			shm_connect_fail(connect, ret);
	}
	return nb;
}

int
shm_connect_start(struct rte_comch_ctrl *ctrl)
{
	struct shm_group *group = container_of(ctrl->pg, struct shm_group, pg);
	struct shm_dev *dev = group->dev;
	struct shm_connect *connect;
	int ret;

	ret = shm_conf_check(ctrl);
	if (ret != 0)
		return ret;
	connect = calloc(1, sizeof(*connect));
	if (connect == NULL)
		return -ENOMEM;
	connect->ctrl = ctrl;
	ctrl->priv = connect;
	TAILQ_INSERT_TAIL(&group->waiting, connect, next);
	shm_dev_lock(dev);
	if (rte_get_tsc_cycles() >= dev->next_connect)
		dev->refusal = 0; /* of another time */
	shm_dev_unlock(dev);
	if (__atomic_load_n(&dev->nb_links, __ATOMIC_RELAXED) == 0)
		group->next_service = 0; /* look for the card's side in the next poll */
	return 0;
}

int
shm_connect_cancel(struct rte_comch_ctrl *ctrl, int reason,
		struct rte_comch_pmd_ending *ending __rte_unused)
{
	struct shm_group *group = container_of(ctrl->pg, struct shm_group, pg);
	struct shm_connect *connect = ctrl->priv;
	struct shm_chan *chan;

	if (connect == NULL)
		return 0;
	/* relaxed: of a device that has failed the status is the reason, whatever it is */
	if (reason == -ETIMEDOUT &&
			__atomic_load_n(&group->dev->dev->status, __ATOMIC_RELAXED) == 0)
		shm_meet_failed(group->dev, reason);
	chan = connect->chan;
	if (chan == NULL)
		TAILQ_REMOVE(&group->waiting, connect, next);
	shm_connect_free(connect);
	if (chan != NULL)
		shm_chan_close(chan, -ECANCELED);
	return 0;
}
