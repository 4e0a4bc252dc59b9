/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The connection of a port: who waits for whom, what both sides say before packets flow,
 * and what comes after its end. All of that runs in the control thread, which is in
 * net_comch_control.c. No burst is in here.
 */

#include <errno.h>
#include <string.h>

#include <rte_alarm.h>
#include <rte_byteorder.h>
#include <rte_cycles.h>
#include <rte_errno.h>
#include <rte_ethdev.h>

#include "net_comch.h"

/* Between two attempts of a client. */
#define RETRY_MS 100u
/* What peers say until the port is up; one that says less is let go. */
#define OPEN_MS 10000u
/* Without a peer for so long: the two sides may not mean the same. */
#define ALONE_MS 5000u
/* Between two reasons why it is not up. */
#define QUIET_MS 1000u

static const char *
port_name(const struct nc_port *port)
{
	return port->eth->data->name;
}

static struct nc_rxq *
port_rxq(const struct nc_port *port, uint16_t i)
{
	return port->eth->data->rx_queues[i];
}

static struct nc_txq *
port_txq(const struct nc_port *port, uint16_t i)
{
	return port->eth->data->tx_queues[i];
}

static uint64_t
after_ms(uint32_t ms)
{
	return rte_get_timer_cycles() + rte_get_timer_hz() / MS_PER_S * ms;
}

/*
 * Link
 */

/* In EAL's interrupt thread, as of a NIC: the application may stop or close the port here. */
static void
link_tell(void *arg)
{
	rte_eth_dev_callback_process(arg, RTE_ETH_EVENT_INTR_LSC, NULL);
}

static void
link_set(struct nc_port *port, bool up)
{
	const struct rte_eth_link link = {
		.link_speed = up ? RTE_ETH_SPEED_NUM_100G : RTE_ETH_SPEED_NUM_NONE,
		.link_duplex = RTE_ETH_LINK_FULL_DUPLEX,
		.link_autoneg = RTE_ETH_LINK_FIXED,
		.link_status = up ? RTE_ETH_LINK_UP : RTE_ETH_LINK_DOWN,
	};

	if (rte_eth_linkstatus_set(port->eth, &link) == 0 &&
			port->eth->data->dev_conf.intr_conf.lsc != 0)
		rte_eal_alarm_set(1, link_tell, port->eth);
}

void
nc_port_forget(struct nc_port *port)
{
	rte_eal_alarm_cancel(link_tell, port->eth);
}

/*
 * What is said
 */

static void
say_done(struct rte_comch_task *task, int status __rte_unused, void *user_data __rte_unused)
{
	rte_comch_task_free(task);
}

static int
say(struct nc_port *port, const void *msg, uint32_t len)
{
	struct rte_comch_task *task;
	int ret = rte_comch_conn_task_alloc(port->conn, msg, len, &task);

	if (ret != 0)
		return ret;
	ret = rte_comch_task_submit(task);
	if (ret != 0)
		rte_comch_task_free(task);
	return ret;
}

static struct nc_wire_hdr
hdr_make(uint16_t type)
{
	return (struct nc_wire_hdr){
		.magic = rte_cpu_to_le_32(NC_WIRE_MAGIC),
		.version = rte_cpu_to_le_16(NC_WIRE_VERSION),
		.type = rte_cpu_to_le_16(type),
	};
}

static int
hello_say(struct nc_port *port)
{
	struct nc_wire_hello *msg = &port->own_hello;
	struct rte_comch_ctx_info info;
	uint16_t i;
	int ret;

	*msg = (struct nc_wire_hello){
		.hdr = hdr_make(NC_WIRE_HELLO),
		.frame_size = rte_cpu_to_le_32(port->frame_size),
		.nb_queues = rte_cpu_to_le_16(port->eth->data->nb_rx_queues),
	};
	for (i = 0; i < port->eth->data->nb_rx_queues; i++) {
		ret = rte_comch_ctx_info_get(port_rxq(port, i)->q.ctx, &info);
		if (ret != 0)
			return ret;
		msg->consumers[i] = rte_cpu_to_le_32(info.queue_id);
	}
	return say(port, msg, sizeof(*msg));
}

static int
ready_say(struct nc_port *port)
{
	port->own_ready = hdr_make(NC_WIRE_READY);
	return say(port, &port->own_ready, sizeof(port->own_ready));
}

/*
 * Why the port is not up, said once until it is, or until there is another reason; and not
 * as often as a peer comes and goes.
 */
static bool
reason_is_new(struct nc_port *port, int reason)
{
	if (reason == port->reason || rte_get_timer_cycles() < port->quiet)
		return false;
	port->reason = reason;
	port->quiet = after_ms(QUIET_MS);
	return true;
}

static bool
hello_take(struct nc_port *port, const void *text, uint32_t len)
{
	struct nc_wire_hello msg;

	if (len != sizeof(msg) || port->hello.nb_queues != 0)
		return false;
	memcpy(&msg, text, sizeof(msg));
	msg.nb_queues = rte_le_to_cpu_16(msg.nb_queues);
	msg.frame_size = rte_le_to_cpu_32(msg.frame_size);
	if (msg.nb_queues == 0 || msg.nb_queues > NC_MAX_QUEUES)
		return false;
	port->hello = msg;
	if (port->told)
		return true;
	port->told = msg.nb_queues != port->eth->data->nb_tx_queues ||
		msg.frame_size < port->frame_size;
	if (msg.nb_queues != port->eth->data->nb_tx_queues)
		NC_LOG(NOTICE, "%s: %u transmit queues go to %u receive queues of the peer",
			port_name(port), port->eth->data->nb_tx_queues, msg.nb_queues);
	if (msg.frame_size < port->frame_size)
		NC_LOG(NOTICE, "%s: the peer takes frames of %u bytes, less than %u: longer ones are counted as errors",
			port_name(port), msg.frame_size, port->frame_size);
	return true;
}

/* A port of another version, or no port. */
static void
heard_wrong(struct nc_port *port, const struct nc_wire_hdr *hdr)
{
	const bool other = hdr->magic == rte_cpu_to_le_32(NC_WIRE_MAGIC) &&
		hdr->version != rte_cpu_to_le_16(NC_WIRE_VERSION);

	port->refused = true;
	if (!reason_is_new(port, other ? -EPROTONOSUPPORT : -EPROTO))
		return;
	if (other)
		NC_LOG(ERR, "%s: the port at server '%s' speaks version %u, and this one version %u: run one release on both sides",
			port_name(port), port->args.server, rte_le_to_cpu_16(hdr->version),
			NC_WIRE_VERSION);
	else
		NC_LOG(ERR, "%s: the peer of server '%s' is no port: start net_comch there, or give another server=",
			port_name(port), port->args.server);
}

static void
heard(struct rte_comch_conn *conn, const void *text, uint32_t len, void *user_data)
{
	struct nc_port *port = user_data;
	struct nc_wire_hdr hdr = { .magic = 0 };
	bool good = false;

	if (conn != port->conn || port->state != NC_OPENING)
		return;
	if (len >= sizeof(hdr))
		memcpy(&hdr, text, sizeof(hdr));
	if (hdr.magic == rte_cpu_to_le_32(NC_WIRE_MAGIC) &&
			hdr.version == rte_cpu_to_le_16(NC_WIRE_VERSION)) {
		if (hdr.type == rte_cpu_to_le_16(NC_WIRE_HELLO))
			good = hello_take(port, text, len);
		else if (hdr.type == rte_cpu_to_le_16(NC_WIRE_READY))
			good = port->heard_ready = len == sizeof(hdr) && port->hello.nb_queues != 0;
	}
	if (good)
		return;
	heard_wrong(port, &hdr);
}

/*
 * Connections
 */

static void
conn_take(struct nc_port *port, struct rte_comch_conn *conn)
{
	if (rte_comch_conn_ref(conn) != 0)
		return;
	port->conn = conn;
	port->lost = port->refused = false;
	port->said_hello = port->said_ready = port->heard_ready = false;
	memset(&port->hello, 0, sizeof(port->hello));
	port->deadline = after_ms(OPEN_MS);
	port->state = NC_OPENING;
}

static void
server_connected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct nc_port *port = user_data;

	if (port->state == NC_WAITING && port->wanted)
		conn_take(port, conn);
	else
		rte_comch_server_disconnect(conn); /* it comes again; the last one is not over */
}

static void
server_disconnected(struct rte_comch_conn *conn, int status __rte_unused, void *user_data)
{
	struct nc_port *port = user_data;

	port->lost |= conn == port->conn;
}

static void
client_changed(struct rte_comch_ctx *ctx, enum rte_comch_state prev, enum rte_comch_state next,
		void *user_data)
{
	struct nc_port *port = user_data;
	struct rte_comch_ctx_info info;

	if (next == RTE_COMCH_STATE_RUNNING && rte_comch_ctx_info_get(ctx, &info) == 0)
		conn_take(port, info.conn);
	else if (prev == RTE_COMCH_STATE_RUNNING)
		port->lost = true;
}

static int
rep_find(const struct nc_port *port)
{
	struct rte_comch_rep_info rep;
	int ret;

	if (port->args.rep[0] != '\0') {
		ret = rte_comch_rep_get_id_by_name(port->comch, port->args.rep);
		if (ret < 0)
			NC_LOG(ERR, "%s: rep=%s: the device has no such representor",
				port_name(port), port->args.rep);
		return ret;
	}
	ret = rte_comch_rep_list(port->comch, &rep, 1);
	if (ret == 1)
		return rep.rep_id;
	NC_LOG(ERR, "%s: the device has %d representors: give rep=", port_name(port), ret);
	return -EINVAL;
}

static int
ctx_create(struct nc_port *port)
{
	const struct rte_comch_ctrl_conf ctrl = {
		.nb_tasks = 4,
		.state_cb = port->role == RTE_COMCH_ROLE_HOST ? client_changed : NULL,
		.send_cb = say_done,
		.recv_cb = heard,
		.user_data = port,
	};
	const struct rte_comch_client_conf client = {
		.name = port->args.server,
		.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER,
		.ctrl = ctrl,
	};
	const struct rte_comch_server_conf server = {
		.name = port->args.server,
		.max_clients = 1,
		.ctrl = ctrl,
		.connect_cb = server_connected,
		.disconnect_cb = server_disconnected,
	};
	int rep;

	if (port->role == RTE_COMCH_ROLE_HOST)
		return rte_comch_client_create(port->comch, &client, &port->ctx);
	rep = rep_find(port);
	return rep < 0 ? rep : rte_comch_server_create(port->comch, (uint16_t)rep, &server,
			&port->ctx);
}

/* What nc_port_begin() has made, when nothing is under way any more. */
static void
ctx_end(struct nc_port *port)
{
	uint16_t i;

	if (port->ctx != NULL)
		rte_comch_ctx_destroy(port->ctx);
	port->ctx = NULL;
	if (port->pe != NULL)
		rte_comch_pe_destroy(port->pe);
	port->pe = NULL;
	nc_intr_end(port->eth); /* before the engines whose descriptors it holds */
	for (i = 0; i < port->eth->data->nb_rx_queues; i++) {
		nc_queue_end(&port_rxq(port, i)->q);
		nc_rxq_end(port_rxq(port, i));
	}
	for (i = 0; i < port->eth->data->nb_tx_queues; i++)
		nc_queue_end(&port_txq(port, i)->q);
}

int
nc_port_begin(struct nc_port *port)
{
	uint64_t end = after_ms(OPEN_MS);
	int ret = 0;
	uint16_t i;

	for (i = 0; i < port->eth->data->nb_rx_queues && ret == 0; i++)
		ret = nc_rxq_start(port_rxq(port, i));
	if (ret == 0)
		ret = nc_intr_begin(port->eth);
	if (ret == 0)
		ret = rte_comch_pe_create(NULL, &port->pe);
	if (ret == 0)
		ret = ctx_create(port);
	if (ret == 0)
		ret = rte_comch_ctx_attach(port->ctx, port->pe);
	if (ret == 0)
		ret = rte_comch_ctx_start(port->ctx);
	if (ret == 0 || ret == -EINPROGRESS) {
		port->wanted = true;
		port->state = NC_WAITING;
		port->retry = 0;
		port->reason = 0;
		port->quiet = 0;
		port->told = port->told_meta = false;
		port->alone = after_ms(ALONE_MS);
		return 0;
	}
	NC_LOG(ERR, "%s: %s '%s' does not start: %s", port_name(port),
		port->role == RTE_COMCH_ROLE_HOST ? "a client of server" : "server",
		port->args.server, rte_strerror(-ret));
	/* one that was canceled may be on its way */
	while (port->ctx != NULL && rte_comch_ctx_state_get(port->ctx) != RTE_COMCH_STATE_IDLE &&
			rte_get_timer_cycles() < end)
		rte_comch_pe_progress(port->pe);
	ctx_end(port);
	return ret;
}

/*
 * Turns
 */

/* A client that was refused, or whose connection has ended, tries again. */
static void
client_again(struct nc_port *port)
{
	int reason, ret;

	if (port->role != RTE_COMCH_ROLE_HOST || rte_get_timer_cycles() < port->retry ||
			rte_comch_ctx_state_get(port->ctx) != RTE_COMCH_STATE_IDLE)
		return;
	reason = rte_comch_ctx_reason_get(port->ctx);
	ret = rte_comch_ctx_start(port->ctx);
	port->retry = after_ms(ret == 0 || ret == -EINPROGRESS ? RETRY_MS : OPEN_MS);
	if (reason != 0 && reason_is_new(port, reason))
		NC_LOG(NOTICE, "%s: server '%s' is not to be had: %s; trying again",
			port_name(port), port->args.server, rte_comch_reason_str(reason));
}

static void
alone_tell(struct nc_port *port)
{
	if (port->alone == 0 || rte_get_timer_cycles() < port->alone)
		return;
	port->alone = 0;
	NC_LOG(NOTICE, "%s: no peer yet: start the %s's side, with the same function and server=%s%s",
		port_name(port), port->role == RTE_COMCH_ROLE_HOST ? "card" : "host",
		port->args.server, port->args.shm_args[0] != '\0' ? ", and the same path" : "");
}

/* @return 0: it is up; -EINPROGRESS; or why it cannot be */
static int
queues_open(struct nc_port *port)
{
	const struct nc_wire_hello *peer = &port->hello;
	struct nc_txq *txq;
	bool ready = true;
	int ret = 0;
	uint16_t i;

	for (i = 0; i < port->eth->data->nb_rx_queues; i++) {
		ret = nc_rxq_open(port_rxq(port, i));
		if (ret != 0 && ret != -EINPROGRESS)
			return ret;
		ready &= ret == 0;
	}
	if (ready && !port->said_hello) {
		ret = hello_say(port);
		port->said_hello = ret == 0;
	}
	if (!port->said_hello || peer->nb_queues == 0)
		return ret == 0 ? -EINPROGRESS : ret;
	for (i = 0; i < port->eth->data->nb_tx_queues; i++) {
		txq = port_txq(port, i);
		txq->consumer = rte_le_to_cpu_32(peer->consumers[i % peer->nb_queues]);
		ret = nc_txq_open(txq);
		if (ret != 0 && ret != -EINPROGRESS)
			return ret;
		ready &= ret == 0;
	}
	if (ready && !port->said_ready) {
		ret = ready_say(port);
		port->said_ready = ret == 0;
	}
	return port->said_ready && port->heard_ready ? 0 : ret == 0 ? -EINPROGRESS : ret;
}

/* Requests that are offered here, and that the peer has not asked for, are errors then. */
static void
meta_tell(struct nc_port *port)
{
	struct rte_comch_remote_consumer_info peer;

	if ((port->args.meta & RTE_COMCH_META_TX) == 0 || port->told_meta ||
			rte_comch_conn_consumer_info_get(port->conn, port_txq(port, 0)->consumer,
				&peer) != 0 || (peer.meta & RTE_COMCH_META_TX) != 0)
		return;
	port->told_meta = true;
	NC_LOG(NOTICE, "%s: the peer takes no tags to insert and no checksums to fill in: give meta=full there, too",
		port_name(port));
}

static void
gates_set(struct nc_port *port, bool open)
{
	struct nc_queue *q;
	uint32_t i, nb_rx = port->eth->data->nb_rx_queues;

	for (i = 0; i < nb_rx + port->eth->data->nb_tx_queues; i++) {
		q = i < nb_rx ? &port_rxq(port, i)->q : &port_txq(port, i - nb_rx)->q;
		if (open)
			nc_gate_open(&q->gate, q->ctx);
		else
			nc_gate_close(&q->gate);
		if (open && i < nb_rx)
			nc_intr_kick(port_rxq(port, i));
	}
}

static void
port_open(struct nc_port *port)
{
	int ret;

	if (port->lost || port->refused || !port->wanted) {
		port->state = NC_CLOSING;
		return;
	}
	ret = rte_get_timer_cycles() < port->deadline ? queues_open(port) : -ETIMEDOUT;
	if (ret == -EINPROGRESS)
		return;
	if (ret == 0) {
		meta_tell(port);
		gates_set(port, true);
		link_set(port, true);
		port->reason = 0;
		port->state = NC_UP;
		return;
	}
	if (reason_is_new(port, ret))
		NC_LOG(ERR, "%s: the peer's port does not come up: %s; trying again",
			port_name(port), rte_strerror(-ret));
	port->state = NC_CLOSING;
}

/* Queues, producers before consumers; then the connection, if it is not the peer's end. */
static void
port_close(struct nc_port *port)
{
	bool closed = true;
	uint16_t i;

	for (i = 0; i < port->eth->data->nb_tx_queues; i++)
		closed &= nc_queue_close(&port_txq(port, i)->q);
	for (i = 0; i < port->eth->data->nb_rx_queues; i++)
		closed &= nc_queue_close(&port_rxq(port, i)->q);
	if (!closed)
		return;
	if (!port->lost && port->role == RTE_COMCH_ROLE_HOST) {
		rte_comch_ctx_stop(port->ctx);
		return;
	}
	if (!port->lost) {
		rte_comch_server_disconnect(port->conn);
		return;
	}
	rte_comch_conn_unref(port->conn);
	port->conn = NULL;
	port->retry = after_ms(RETRY_MS);
	port->alone = after_ms(ALONE_MS);
	port->state = port->wanted ? NC_WAITING : NC_ENDING;
}

static void
port_end(struct nc_port *port)
{
	rte_comch_ctx_stop(port->ctx); /* it may be on its way already */
	if (rte_comch_ctx_state_get(port->ctx) != RTE_COMCH_STATE_IDLE)
		return;
	ctx_end(port);
	port->state = NC_ENDED;
}

bool
nc_port_turn(struct nc_port *port)
{
	int events = rte_comch_pe_progress(port->pe);

	switch (port->state) {
	case NC_WAITING:
		if (!port->wanted) {
			port->state = NC_ENDING;
			break;
		}
		client_again(port);
		alone_tell(port);
		break;
	case NC_OPENING:
		port_open(port);
		break;
	case NC_UP:
		if (!port->lost && port->wanted)
			break;
		gates_set(port, false);
		link_set(port, false);
		port->state = NC_CLOSING;
		break;
	case NC_CLOSING:
		port_close(port);
		break;
	case NC_ENDING:
		port_end(port);
		break;
	default:
		break;
	}
	return events > 0 || (port->state != NC_WAITING && port->state != NC_UP);
}
