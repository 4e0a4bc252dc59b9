/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Receive interrupts: the descriptor that an lcore waits for with rte_epoll_wait(), one for
 * each receive queue. It holds the engine's, which the lcore arms, and one by which the
 * control thread wakes an lcore that went to sleep while there was no engine to arm.
 */

#include <errno.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_errno.h>
#include <rte_ethdev.h>
#include <rte_interrupts.h>

#include "net_comch.h"

static int
fd_add(int epfd, int fd)
{
	struct epoll_event ev = { .events = EPOLLIN };

	return epoll_ctl(epfd, EPOLL_CTL_ADD, fd, &ev) == 0 ? 0 : -errno;
}

static int
rxq_fd_make(struct nc_rxq *rxq)
{
	int ret;

	rxq->kick_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rxq->epfd = epoll_create1(EPOLL_CLOEXEC);
	if (rxq->kick_fd < 0 || rxq->epfd < 0)
		return -errno;
	ret = fd_add(rxq->epfd, rxq->kick_fd);
	return ret == 0 ? fd_add(rxq->epfd, rte_comch_pe_fd(rxq->q.pe)) : ret;
}

/* For each queue, which has its engine. */
int
nc_intr_begin(struct rte_eth_dev *eth)
{
	const uint16_t nb = eth->data->nb_rx_queues;
	struct nc_rxq *rxq;
	uint16_t i;
	int ret;

	if (eth->data->dev_conf.intr_conf.rxq == 0)
		return 0;
	eth->intr_handle = rte_intr_instance_alloc(RTE_INTR_INSTANCE_F_PRIVATE);
	if (eth->intr_handle == NULL)
		return -ENOMEM;
	ret = rte_intr_vec_list_alloc(eth->intr_handle, "net_comch", nb);
	for (i = 0; i < nb && ret == 0; i++) {
		rxq = eth->data->rx_queues[i];
		ret = rxq_fd_make(rxq);
		if (ret == 0)
			ret = rte_intr_efds_index_set(eth->intr_handle, i, rxq->epfd);
		if (ret == 0)
			ret = rte_intr_vec_list_index_set(eth->intr_handle, i,
					RTE_INTR_VEC_RXTX_OFFSET + i);
	}
	if (ret == 0)
		ret = rte_intr_type_set(eth->intr_handle, RTE_INTR_HANDLE_VDEV);
	if (ret == 0)
		ret = rte_intr_nb_efd_set(eth->intr_handle, nb);
	if (ret == 0)
		ret = rte_intr_max_intr_set(eth->intr_handle, nb + 1);
	if (ret == 0) /* nobody reads them */
		ret = rte_intr_efd_counter_size_set(eth->intr_handle, 0);
	if (ret != 0)
		NC_LOG(ERR, "%s: no receive interrupts: %s; raise RLIMIT_NOFILE, or configure the port without",
			eth->data->name, rte_strerror(ret < 0 ? -ret : rte_errno));
	return ret;
}

void
nc_intr_end(struct rte_eth_dev *eth)
{
	struct nc_rxq *rxq;
	uint16_t i;

	for (i = 0; i < eth->data->nb_rx_queues; i++) {
		rxq = eth->data->rx_queues[i];
		if (rxq->epfd >= 0)
			close(rxq->epfd);
		if (rxq->kick_fd >= 0)
			close(rxq->kick_fd);
		rxq->epfd = rxq->kick_fd = -1;
	}
	if (eth->intr_handle == NULL)
		return;
	rte_intr_vec_list_free(eth->intr_handle);
	rte_intr_instance_free(eth->intr_handle);
	eth->intr_handle = NULL;
}

/* In the control thread, behind nc_gate_open(). */
void
nc_intr_kick(struct nc_rxq *rxq)
{
	const uint64_t one = 1;

	if (rxq->kick_fd >= 0)
		(void)!write(rxq->kick_fd, &one, sizeof(one));
}

int
nc_rx_intr_enable(struct rte_eth_dev *eth, uint16_t id)
{
	struct nc_rxq *rxq = eth->data->rx_queues[id];
	struct rte_comch_room room;
	struct rte_comch_ctx *ctx;
	uint64_t count;
	int ret = 0;

	if (rxq->epfd < 0)
		return -ENOTSUP; /* the port was configured without */
	/* before the gate: if that is closed, who opens it kicks after this */
	(void)!read(rxq->kick_fd, &count, sizeof(count));
	ctx = nc_gate_enter(&rxq->q.gate);
	if (ctx != NULL)
		ret = rte_comch_pe_arm_always(rxq->q.pe);
	/* its pool is empty: the peer can send nothing, and mbufs that come back wake nobody */
	if (ctx != NULL && rxq->direct && rte_comch_queue_room_get(ctx, 0, &room) == 0 &&
			room.credits == 0)
		nc_intr_kick(rxq);
	nc_gate_leave(&rxq->q.gate);
	return ret;
}

/* The next burst ends the arming. */
int
nc_rx_intr_disable(struct rte_eth_dev *eth, uint16_t id)
{
	const struct nc_rxq *rxq = eth->data->rx_queues[id];

	return rxq->epfd < 0 ? -ENOTSUP : 0;
}
