/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Pairs of a producer and a consumer that outlive connections, and the server or client that
 * makes those. Only public functions of the library are used.
 *
 * Two threads meet here: that of the connection and that of a pair. They share two words of
 * the pair, offer and consumer_id; see there.
 */

#include <errno.h>
#include <string.h>

#include <rte_branch_prediction.h>
#include <rte_common.h>
#include <rte_cycles.h>
#include <rte_malloc.h>
#include <rte_mbuf.h>
#include <rte_memory.h>

#include "comch_private.h"
#include "rte_comch.h"

/* Between two attempts of a client. */
#define RETRY_MS 100u
/* Without a peer for so long: that is said, once. */
#define ALONE_MS 5000u
/* Bursts with work after which the engine turns; after one without it turns at once. */
#define TURN_BURSTS 16u
/* What a peer that failed to open is given to end what it had begun. */
#define UNDO_MS 20000u
#define TAG_SHIFT 16

struct rte_comch_pair {
	/*
	 * A new connection, with a reference that belongs to whoever takes the pointer out:
	 * the pair, or the thread of the connection if that ends before.
	 */
	struct rte_comch_conn *offer;
	/* Of the peer, 0: none. By the thread of the connection. */
	uint32_t consumer_id;
	/* all else is the thread's that bursts */
	uint32_t turns;
	struct rte_comch_peer *peer;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *consumer;
	struct rte_comch_ctx *producer;
	struct rte_comch_conn *conn; /* with a reference, or NULL */
	uint64_t tx_errors;
	int status;                  /* of the last attempt to make queues */
	uint16_t index;
	bool up;                     /* both live */
	bool stopped;
} __rte_cache_aligned;

struct rte_comch_peer {
	struct rte_comch_peer_conf conf; /* without its strings */
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *ctx;
	struct rte_comch_conn *conn;
	uint64_t retry;    /* timer cycles, while it is IDLE */
	uint64_t alone;    /* the same, while there is no connection; 0: was said */
	uint32_t nb_conns;
	int reason;
	bool is_client;
	bool closing;
	struct rte_comch_pair pairs[];
};

static uint64_t
after_ms(uint32_t ms)
{
	if (ms == RTE_COMCH_TIMEOUT_NEVER)
		return UINT64_MAX;
	return rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * ms;
}

/*
 * Pairs
 */

static bool
queue_lives(const struct rte_comch_ctx *ctx)
{
	int state = ctx == NULL ? RTE_COMCH_STATE_IDLE : rte_comch_ctx_state_get(ctx);

	return state == RTE_COMCH_STATE_RUNNING || state == RTE_COMCH_STATE_STARTING;
}

static int
queue_start(struct rte_comch_ctx *ctx, struct rte_comch_pe *pe)
{
	int ret = rte_comch_ctx_attach(ctx, pe);

	if (ret == 0)
		ret = rte_comch_ctx_start(ctx);
	return ret == -EINPROGRESS ? 0 : ret;
}

/* Whether it is gone; else its engine has to turn. */
static bool
ctx_end(struct rte_comch_ctx **ctx)
{
	if (*ctx == NULL)
		return true;
	rte_comch_ctx_stop(*ctx); /* it may be on its way already, or IDLE */
	if (rte_comch_ctx_state_get(*ctx) != RTE_COMCH_STATE_IDLE)
		return false;
	rte_comch_ctx_destroy(*ctx);
	*ctx = NULL;
	return true;
}

static int
pair_up(struct rte_comch_pair *pair)
{
	const struct rte_comch_peer_conf *conf = &pair->peer->conf;
	const struct rte_comch_consumer_conf consumer = {
		.mem = conf->mem,
		.nb_posts = conf->nb_desc,
		.tag = (uint32_t)conf->nb_pairs << TAG_SHIFT | pair->index,
		.meta = conf->meta,
	};
	const struct rte_comch_producer_conf producer = { .nb_sends = conf->nb_desc };
	struct rte_comch_ctx *ctx = NULL;
	int ret;

	ret = rte_comch_producer_create(pair->conn, &producer, &pair->producer);
	if (ret == 0)
		ret = queue_start(pair->producer, pair->pe);
	if (ret == 0)
		ret = rte_comch_consumer_create(pair->conn, &consumer, &ctx);
	if (ret == 0)
		ret = queue_start(ctx, pair->pe);
	if (ctx != NULL && ret != 0 && ret != -ECANCELED)
		rte_comch_ctx_destroy(ctx); /* never started: a burst on it would be a mistake */
	else
		pair->consumer = ctx;
	pair->up = ret == 0;
	return ret;
}

/* Give up queues whose connection has ended, and make those of the next one. */
static void
pair_step(struct rte_comch_pair *pair)
{
	bool gone;

	pair->up = !pair->stopped && queue_lives(pair->consumer) && queue_lives(pair->producer);
	if (pair->up)
		return;
	if (pair->consumer != NULL && pair->status == 0)
		pair->status = rte_comch_ctx_reason_get(pair->consumer);
	gone = ctx_end(&pair->producer);
	gone &= ctx_end(&pair->consumer);
	if (!gone)
		return;
	/* -EAGAIN: the engine of the connection has to turn before */
	if (pair->conn != NULL && (pair->status != -EAGAIN || pair->stopped)) {
		rte_comch_conn_unref(pair->conn);
		pair->conn = NULL;
	}
	if (pair->stopped)
		return;
	/* relaxed: only whether there is one */
	if (pair->conn == NULL && __atomic_load_n(&pair->offer, __ATOMIC_RELAXED) != NULL)
		/* acquire: pairs with the release in conn_take() */
		pair->conn = __atomic_exchange_n(&pair->offer, NULL, __ATOMIC_ACQUIRE);
	if (pair->conn != NULL)
		pair->status = pair_up(pair);
}

static inline void
pair_turn(struct rte_comch_pair *pair, bool now)
{
	if (likely(!now && ++pair->turns < TURN_BURSTS))
		return;
	pair->turns = 0;
	rte_comch_pe_progress(pair->pe);
	pair_step(pair);
}

uint16_t
rte_comch_pair_rx_burst(struct rte_comch_pair *pair, struct rte_mbuf **pkts, uint16_t nb)
{
	uint16_t found = 0;

	/* also of one that ends: what had come before */
	if (likely(pair->consumer != NULL))
		found = rte_comch_consumer_rx_burst(pair->consumer, pkts, nb);
	pair_turn(pair, found == 0);
	return found;
}

uint16_t
rte_comch_pair_tx_burst(struct rte_comch_pair *pair, struct rte_mbuf **pkts, uint16_t nb)
{
	/* relaxed: a number; the producer knows by itself whether there is such a consumer */
	uint32_t id = __atomic_load_n(&pair->consumer_id, __ATOMIC_RELAXED);
	uint16_t taken = 0;

	while (likely(pair->up && id != 0)) {
		taken += rte_comch_producer_tx_burst(pair->producer, id, pkts + taken,
				(uint16_t)(nb - taken));
		if (likely(taken == nb) || !rte_comch_producer_at_fault(pair->producer, id))
			break;
		pair->tx_errors++;
		rte_pktmbuf_free(pkts[taken++]);
	}
	pair_turn(pair, taken < nb);
	return taken;
}

int
rte_comch_pair_stop(struct rte_comch_pair *pair)
{
	if (pair == NULL)
		return -EINVAL;
	pair->stopped = true;
	pair_turn(pair, true);
	return pair->conn == NULL ? 0 : -EINPROGRESS;
}

int
rte_comch_pair_info_get(const struct rte_comch_pair *pair, struct rte_comch_pair_info *info)
{
	if (pair == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->producer = pair->producer;
	info->consumer = pair->consumer;
	info->pe = pair->pe;
	info->tx_errors = pair->tx_errors;
	/* relaxed: as in a burst */
	info->consumer_id = __atomic_load_n(&pair->consumer_id, __ATOMIC_RELAXED);
	if (!pair->up)
		info->status = pair->status == 0 ? -ENOTCONN : pair->status;
	else if (info->consumer_id == 0 ||
			rte_comch_ctx_state_get(pair->consumer) != RTE_COMCH_STATE_RUNNING)
		info->status = -EINPROGRESS;
	return 0;
}

/*
 * The connection
 */

static void
conn_take(struct rte_comch_peer *peer, struct rte_comch_conn *conn)
{
	uint16_t i;

	peer->conn = conn;
	peer->nb_conns++;
	peer->reason = 0;
	for (i = 0; i < peer->conf.nb_pairs; i++)
		if (rte_comch_conn_ref(conn) == 0)
			/* release: pairs with the acquire in pair_step() */
			__atomic_store_n(&peer->pairs[i].offer, conn, __ATOMIC_RELEASE);
	if (peer->conf.change_cb != NULL)
		peer->conf.change_cb(peer, true, 0, peer->conf.user_data);
}

static void
conn_lose(struct rte_comch_peer *peer, int reason)
{
	struct rte_comch_conn *left;
	uint16_t i;

	peer->conn = NULL;
	peer->reason = reason;
	peer->alone = after_ms(ALONE_MS);
	for (i = 0; i < peer->conf.nb_pairs; i++) {
		__atomic_store_n(&peer->pairs[i].consumer_id, 0, __ATOMIC_RELAXED);
		/* acq_rel: as the exchange in pair_step(), and as the store in conn_take() */
		left = __atomic_exchange_n(&peer->pairs[i].offer, NULL, __ATOMIC_ACQ_REL);
		rte_comch_conn_unref(left);
	}
	if (peer->conf.change_cb != NULL)
		peer->conf.change_cb(peer, false, reason, peer->conf.user_data);
}

static void
server_connected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	conn_take(user_data, conn);
}

static void
server_disconnected(struct rte_comch_conn *conn __rte_unused, int status, void *user_data)
{
	conn_lose(user_data, status);
}

static void
client_changed(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct rte_comch_peer *peer = user_data;
	struct rte_comch_ctx_info info;

	if (next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_info_get(ctx, &info) == 0)
		conn_take(peer, info.conn);
	else if (prev == RTE_COMCH_STATE_RUNNING)
		conn_lose(peer, rte_comch_ctx_reason_get(ctx));
	else if (prev == RTE_COMCH_STATE_STARTING)
		peer->reason = rte_comch_ctx_reason_get(ctx);
}

/* What the peer says of its pairs is checked by what it can do: a wrong tag is no way. */
static void
consumer_new(struct rte_comch_conn *conn, uint32_t id, void *user_data)
{
	struct rte_comch_remote_consumer_info info;
	struct rte_comch_peer *peer = user_data;
	uint32_t nb, i;

	if (rte_comch_conn_consumer_info_get(conn, id, &info) != 0)
		return;
	nb = info.tag >> TAG_SHIFT;
	for (i = info.tag & UINT16_MAX; nb != 0 && i < peer->conf.nb_pairs; i += nb)
		__atomic_store_n(&peer->pairs[i].consumer_id, id, __ATOMIC_RELAXED);
}

static void
consumer_gone(struct rte_comch_conn *conn __rte_unused, uint32_t id, void *user_data)
{
	struct rte_comch_peer *peer = user_data;
	uint16_t i;

	for (i = 0; i < peer->conf.nb_pairs; i++)
		if (__atomic_load_n(&peer->pairs[i].consumer_id, __ATOMIC_RELAXED) == id)
			__atomic_store_n(&peer->pairs[i].consumer_id, 0, __ATOMIC_RELAXED);
}

static void
received(struct rte_comch_conn *conn, const void *msg, uint32_t len, void *user_data)
{
	struct rte_comch_peer *peer = user_data;

	if (peer->conf.recv_cb != NULL)
		peer->conf.recv_cb(conn, msg, len, peer->conf.user_data);
}

static void
sent(struct rte_comch_task *task, int status, void *user_data)
{
	struct rte_comch_peer *peer = user_data;

	if (peer->conf.send_cb != NULL)
		peer->conf.send_cb(task, status, peer->conf.user_data);
	else
		rte_comch_task_free(task);
}

/*
 * Peers
 */

static int
rep_find(const struct rte_comch_peer_conf *conf)
{
	struct rte_comch_rep_info rep;
	int ret;

	if (conf->rep != NULL)
		return rte_comch_rep_get_id_by_name(conf->dev_id, conf->rep);
	ret = rte_comch_rep_list(conf->dev_id, &rep, 1);
	if (ret == 1 || ret < 0)
		return ret == 1 ? rep.rep_id : ret;
	COMCH_LOG(ERR, "device %d has %d representors, give the name of one in rep",
		conf->dev_id, ret);
	return -ENODEV;
}

static int
ctx_create(struct rte_comch_peer *peer, const struct rte_comch_peer_conf *conf)
{
	const struct rte_comch_ctrl_conf ctrl = {
		.state_cb = peer->is_client ? client_changed : NULL,
		.send_cb = sent,
		.recv_cb = received,
		.consumer_new_cb = consumer_new,
		.consumer_gone_cb = consumer_gone,
		.user_data = peer,
	};
	const struct rte_comch_client_conf client = {
		.name = conf->name,
		.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER,
		.ctrl = ctrl,
	};
	const struct rte_comch_server_conf server = {
		.name = conf->name,
		.max_clients = 1,
		.ctrl = ctrl,
		.connect_cb = server_connected,
		.disconnect_cb = server_disconnected,
	};
	int rep;

	if (peer->is_client)
		return rte_comch_client_create(conf->dev_id, &client, &peer->ctx);
	rep = rep_find(conf);
	return rep < 0 ? rep : rte_comch_server_create(conf->dev_id, (uint16_t)rep, &server,
			&peer->ctx);
}

static int
conf_check(const struct rte_comch_peer_conf *conf, const struct rte_comch_dev_info *dev)
{
	struct rte_comch_mem_info mem;

	if (conf->name == NULL || conf->nb_pairs > RTE_COMCH_MAX_PAIRS || conf->flags != 0 ||
			(conf->meta & ~RTE_COMCH_META_ALL) != 0 ||
			!comch_reserved_is_zero(conf->reserved, RTE_DIM(conf->reserved)))
		return -EINVAL;
	if (conf->nb_desc > dev->max_posts || conf->nb_desc > dev->max_sends)
		return -EINVAL;
	if ((dev->max_pes != 0 && dev->nb_pes + conf->nb_pairs + 1 > dev->max_pes) ||
			conf->nb_pairs > dev->max_producers ||
			conf->nb_pairs > dev->max_consumers)
		return -ENOSPC;
	if (conf->nb_pairs == 0)
		return conf->mem == NULL ? 0 : -EINVAL;
	if (conf->meta != 0 && dev->max_imm_len < RTE_COMCH_META_SIZE)
		return -ENOTSUP;
	if (rte_comch_mem_info_get(conf->mem, &mem) != 0 || mem.dev_id != conf->dev_id ||
			mem.pool == NULL || (mem.flags & RTE_COMCH_MEM_F_PEER_WRITE) == 0)
		return -EINVAL;
	return 0;
}

static int
peer_begin(struct rte_comch_peer *peer, const struct rte_comch_peer_conf *conf, int socket_id)
{
	const struct rte_comch_pe_conf pe = { .socket_id = socket_id };
	uint16_t i;
	int ret;

	ret = rte_comch_pe_create(&pe, &peer->pe);
	for (i = 0; i < conf->nb_pairs && ret == 0; i++) {
		peer->pairs[i].peer = peer;
		peer->pairs[i].index = i;
		ret = rte_comch_pe_create(&pe, &peer->pairs[i].pe);
	}
	if (ret == 0)
		ret = ctx_create(peer, conf);
	if (ret == 0)
		ret = rte_comch_ctx_attach(peer->ctx, peer->pe);
	if (ret == 0 && !peer->is_client)
		ret = rte_comch_ctx_start(peer->ctx);
	return ret;
}

int
rte_comch_peer_open(const struct rte_comch_peer_conf *conf, struct rte_comch_peer **peer)
{
	struct rte_comch_dev_info dev;
	struct rte_comch_peer *p;
	int ret;

	if (conf == NULL || peer == NULL)
		return -EINVAL;
	ret = rte_comch_dev_info_get(conf->dev_id, &dev);
	if (ret == 0)
		ret = conf_check(conf, &dev);
	if (ret != 0)
		return ret;
	p = rte_zmalloc_socket("comch_peer", sizeof(*p) + conf->nb_pairs * sizeof(p->pairs[0]),
			RTE_CACHE_LINE_SIZE, dev.numa_node);
	if (p == NULL)
		return -ENOMEM;
	p->conf = *conf;
	p->conf.name = p->conf.rep = NULL;
	p->is_client = dev.role == RTE_COMCH_ROLE_HOST;
	p->alone = after_ms(ALONE_MS);
	ret = peer_begin(p, conf, dev.numa_node);
	if (ret != 0) {
		rte_comch_peer_close(p, UNDO_MS);
		return ret;
	}
	*peer = p;
	return 0;
}

/* A client that was refused or lost its server; and either, if its device had failed. */
static void
ctx_again(struct rte_comch_peer *peer)
{
	int ret;

	if (rte_comch_ctx_state_get(peer->ctx) != RTE_COMCH_STATE_IDLE ||
			rte_get_timer_cycles() < peer->retry)
		return;
	peer->retry = after_ms(RETRY_MS);
	ret = rte_comch_ctx_start(peer->ctx);
	if (ret != 0 && ret != -EINPROGRESS && ret != -ECANCELED)
		peer->reason = ret;
}

/* The two sides may not mean the same. */
static void
alone_tell(struct rte_comch_peer *peer)
{
	if (peer->alone == 0 || rte_get_timer_cycles() < peer->alone)
		return;
	peer->alone = 0;
	COMCH_LOG(NOTICE, "device %d: no peer yet%s%s: start the %s's side, with the same function and server name",
		peer->conf.dev_id, peer->reason != 0 ? ", " : "",
		peer->reason != 0 ? rte_comch_reason_str(peer->reason) : "",
		peer->is_client ? "card" : "host");
}

int
rte_comch_peer_progress(struct rte_comch_peer *peer)
{
	int ret;

	if (peer == NULL)
		return -EINVAL;
	ret = rte_comch_pe_progress(peer->pe);
	if (ret >= 0 && peer->conn == NULL && !peer->closing) {
		ctx_again(peer);
		alone_tell(peer);
	}
	return ret;
}

int
rte_comch_peer_wait(struct rte_comch_peer *peer, uint32_t ms)
{
	uint64_t end = after_ms(ms);
	int ret;

	for (;;) {
		ret = rte_comch_peer_progress(peer);
		if (ret < 0)
			return ret;
		if (peer->conn != NULL)
			return 0;
		if (rte_get_timer_cycles() >= end)
			return -ETIMEDOUT;
		if (ret == 0)
			rte_delay_us_sleep(US_PER_S / MS_PER_S);
	}
}

/* Whether all is over, and freed. */
static bool
peer_end(struct rte_comch_peer *peer)
{
	bool ended = true;
	uint16_t i;

	for (i = 0; i < peer->conf.nb_pairs; i++)
		ended &= rte_comch_pair_stop(&peer->pairs[i]) == 0;
	if (!ended)
		return false;
	if (!ctx_end(&peer->ctx))
		return false;
	for (i = 0; i < peer->conf.nb_pairs; i++)
		rte_comch_pe_destroy(peer->pairs[i].pe);
	rte_comch_pe_destroy(peer->pe);
	rte_free(peer);
	return true;
}

int
rte_comch_peer_close(struct rte_comch_peer *peer, uint32_t ms)
{
	uint64_t end = after_ms(ms);

	if (peer == NULL)
		return 0;
	do {
		if (rte_comch_pe_progress(peer->pe) == -EDEADLK)
			return -EDEADLK;
		peer->closing = true;
		if (peer_end(peer))
			return 0;
	} while (rte_get_timer_cycles() < end);
	return -EINPROGRESS;
}

int
rte_comch_peer_info_get(const struct rte_comch_peer *peer, struct rte_comch_peer_info *info)
{
	if (peer == NULL || info == NULL)
		return -EINVAL;
	memset(info, 0, sizeof(*info));
	info->ctx = peer->ctx;
	info->pe = peer->pe;
	info->conn = peer->conn;
	info->reason = peer->reason;
	info->nb_conns = peer->nb_conns;
	return 0;
}

struct rte_comch_pair *
rte_comch_peer_pair_get(struct rte_comch_peer *peer, uint16_t index)
{
	return peer == NULL || index >= peer->conf.nb_pairs ? NULL : &peer->pairs[index];
}
