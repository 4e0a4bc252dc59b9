/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Reception of control messages: how a message gets from the driver to the
 * application, as a copy or in mbufs, and how an application holds that back. Sending
 * and the life of connections are in rte_comch_conn.c.
 */

#include <errno.h>
#include <string.h>

#include "comch_private.h"
#include "rte_comch_trace.h"

/* Mbufs that a message takes. */
static uint32_t
recv_segs(const struct comch_ctrl *ctrl, uint32_t len)
{
	return len <= ctrl->recv_room ? 1 : (len + ctrl->recv_room - 1) / ctrl->recv_room;
}

static uint32_t
pool_room(struct rte_mempool *pool)
{
	uint32_t size = rte_pktmbuf_data_room_size(pool);

	return size - RTE_MIN(size, (uint32_t)RTE_PKTMBUF_HEADROOM);
}

/* Whether all mbufs together can hold one message. */
static bool
pool_holds(struct rte_mempool *pool, uint32_t msg_size)
{
	uint64_t segs = RTE_MIN(pool->size, (uint32_t)COMCH_RECV_MAX_SEGS);

	return segs * pool_room(pool) >= msg_size;
}

static void
pool_log(const struct rte_comch_dev *dev, const char *name, struct rte_mempool *pool,
		uint32_t msg_size)
{
	COMCH_LOG(ERR, "%s: recv_pool %s of '%s' has %u mbufs of %u bytes, of which one message can have %u: no room for max_msg_size %u",
		dev->data->name, pool->name, name, pool->size, pool_room(pool),
		COMCH_RECV_MAX_SEGS, msg_size);
}

/* One of the two ways to receive, and what it needs. */
int
comch_recv_conf_check(const struct rte_comch_dev *dev, const char *name,
		const struct rte_comch_ctrl_conf *conf)
{
	uint32_t msg_size = conf->max_msg_size != 0 ? conf->max_msg_size :
		dev->info.dflt_msg_size;
	struct rte_mempool *pool = conf->recv_pool;

	if ((conf->recv_cb == NULL) == (conf->recv_mbuf_cb == NULL)) {
		COMCH_LOG(ERR, "%s: '%s' has no receive callback or two, give recv_cb or recv_mbuf_cb",
			dev->data->name, name);
		return -EINVAL;
	}
	if ((conf->recv_mbuf_cb == NULL) != (pool == NULL)) {
		COMCH_LOG(ERR, "%s: '%s' has only one of recv_mbuf_cb and recv_pool, give both or none",
			dev->data->name, name);
		return -EINVAL;
	}
	if (pool == NULL)
		return 0;
	if (pool->private_data_size < sizeof(struct rte_pktmbuf_pool_private) ||
			pool->elt_size < sizeof(struct rte_mbuf)) {
		COMCH_LOG(ERR, "%s: recv_pool %s of '%s' has no mbufs, make it with rte_pktmbuf_pool_create()",
			dev->data->name, pool->name, name);
		return -EINVAL;
	}
	if (!pool_holds(pool, msg_size)) {
		pool_log(dev, name, pool, msg_size);
		return -EINVAL;
	}
	return 0;
}

/* The same for the size that a connection is about to have. */
int
comch_recv_size_check(const struct comch_ctrl *ctrl, uint32_t msg_size)
{
	if (ctrl->recv_pool == NULL || pool_holds(ctrl->recv_pool, msg_size))
		return 0;
	pool_log(ctrl->ctx.dev, ctrl->drv.name, ctrl->recv_pool, msg_size);
	return -EMSGSIZE;
}

static void
recv_count(struct comch_conn *conn, uint32_t len)
{
	conn->stats.rx_msgs++;
	conn->stats.rx_bytes += len;
	rte_comch_trace_msg_recv(&conn->drv, len);
}

static int
recv_copy(struct comch_conn *conn, const void *data, uint32_t len)
{
	struct rte_comch_ctx *ctx = &conn->ctrl->ctx;

	recv_count(conn, len);
	ctx->in_callback++;
	conn->ctrl->recv_cb(&conn->drv, data, len, ctx->user_data);
	ctx->in_callback--;
	return 0;
}

/* All mbufs of a message, or none. */
static struct rte_mbuf *
recv_chain_alloc(const struct comch_ctrl *ctrl, uint32_t len)
{
	struct rte_mbuf *segs[COMCH_RECV_MAX_SEGS];
	uint32_t i, nb = recv_segs(ctrl, len);

	if (likely(nb == 1))
		return rte_pktmbuf_alloc(ctrl->recv_pool);
	if (rte_pktmbuf_alloc_bulk(ctrl->recv_pool, segs, nb) != 0)
		return NULL;
	for (i = 1; i < nb; i++)
		segs[i - 1]->next = segs[i];
	segs[0]->nb_segs = nb;
	return segs[0];
}

static void
recv_chain_fill(struct rte_mbuf *m, uint32_t room, const void *data, uint32_t len)
{
	uint32_t part;

	m->pkt_len = len;
	for (; m != NULL; m = m->next) {
		part = RTE_MIN(len, room);
		memcpy(rte_pktmbuf_mtod(m, void *), data, part);
		m->data_len = part;
		data = RTE_PTR_ADD(data, part);
		len -= part;
	}
}

/* The message stays with the driver until there are mbufs for it. */
static void
recv_wait_begin(struct comch_conn *conn, uint32_t len)
{
	const struct rte_mempool *pool = conn->ctrl->recv_pool;
	struct rte_comch_pe *pe = conn->ctrl->ctx.pe;

	conn->stats.rx_no_mbuf++;
	conn->recv_wait = len;
	conn->drv.rx_held = true;
	if (pe->nb_recv_waits++ == 0)
		pe->wait_pool = pool;
	else if (pe->wait_pool != pool)
		pe->wait_pool = NULL;
	comch_pe_retry_add(conn);
}

/* Whether a message of another connection waits for the pool, or may do so. */
static inline bool
recv_pool_wanted(const struct comch_ctrl *ctrl)
{
	const struct rte_comch_pe *pe = ctrl->ctx.pe;

	return pe->nb_recv_waits != 0 &&
		(pe->wait_pool == NULL || pe->wait_pool == ctrl->recv_pool);
}

static void
recv_wait_end(struct comch_conn *conn)
{
	if (conn->recv_wait == 0)
		return;
	conn->recv_wait = 0;
	conn->ctrl->ctx.pe->nb_recv_waits--;
}

static int
recv_mbuf(struct comch_conn *conn, const void *data, uint32_t len)
{
	struct comch_ctrl *ctrl = conn->ctrl;
	struct rte_mbuf *m = conn->recv_spare;

	if (unlikely(m != NULL)) {
		conn->recv_spare = NULL;
		/* a peer can make it another message, as long as it is in the ring */
		if (m->nb_segs != recv_segs(ctrl, len)) {
			rte_pktmbuf_free(m);
			m = NULL;
		}
	}
	/* those that wait come first, or a large one would never get enough */
	if (likely(m == NULL && !recv_pool_wanted(ctrl)))
		m = recv_chain_alloc(ctrl, len);
	if (unlikely(m == NULL)) {
		recv_wait_begin(conn, len);
		return -EAGAIN;
	}
	recv_chain_fill(m, ctrl->recv_room, data, len);
	recv_count(conn, len);
	ctrl->ctx.in_callback++;
	ctrl->recv_mbuf_cb(&conn->drv, m, ctrl->ctx.user_data);
	ctrl->ctx.in_callback--;
	return 0;
}

void
comch_recv_conf_set(struct comch_ctrl *ctrl, const struct rte_comch_ctrl_conf *conf)
{
	ctrl->recv_cb = conf->recv_cb;
	ctrl->recv_mbuf_cb = conf->recv_mbuf_cb;
	ctrl->recv_pool = conf->recv_pool;
	ctrl->recv_room = conf->recv_pool == NULL ? 0 : pool_room(conf->recv_pool);
	ctrl->recv = conf->recv_pool == NULL ? recv_copy : recv_mbuf;
}

/*
 * In progress, for a connection whose message waits for mbufs. The first of those
 * that wait for a pool is tried, and the others only if it got what it needs.
 */
int
comch_recv_retry(struct comch_conn *conn)
{
	struct rte_comch_pe *pe = conn->ctrl->ctx.pe;

	if (pe->empty_pool == conn->ctrl->recv_pool)
		return 0;
	conn->recv_spare = recv_chain_alloc(conn->ctrl, conn->recv_wait);
	if (conn->recv_spare == NULL) {
		pe->empty_pool = conn->ctrl->recv_pool;
		return 0;
	}
	recv_wait_end(conn);
	conn->drv.rx_held = false;
	conn->parent.dev->ops->conn_rx_resume(&conn->drv);
	return 1;
}

/* The connection is over, or is held back: nothing waits any more. */
void
comch_recv_end(struct comch_conn *conn)
{
	recv_wait_end(conn);
	rte_pktmbuf_free(conn->recv_spare);
	conn->recv_spare = NULL;
}

int
rte_comch_pmd_msg_recv(struct rte_comch_conn *drv, const void *data, uint32_t len)
{
	struct comch_conn *conn = comch_conn(drv);

	return unlikely(drv->rx_held) ? -EAGAIN : conn->ctrl->recv(conn, data, len);
}

/*
 * If a message waits for mbufs, it is handed up again afterwards, and waits anew; mbufs
 * that it has got already are for others meanwhile.
 */
int
rte_comch_conn_recv_hold_set(struct rte_comch_conn *handle, bool hold)
{
	struct comch_conn *conn = comch_conn(handle);

	if (handle == NULL)
		return -EINVAL;
	if (handle->state != RTE_COMCH_CONN_UP)
		return -ENOTCONN;
	if (conn->recv_held == hold)
		return -EALREADY;
	comch_recv_end(conn);
	/* relaxed: others only look, it orders nothing */
	__atomic_store_n(&conn->recv_held, hold, __ATOMIC_RELAXED);
	handle->rx_held = hold;
	if (!hold) {
		conn->parent.dev->ops->conn_rx_resume(handle);
		comch_pe_touch(conn->ctrl->ctx.pe);
	}
	return 0;
}
