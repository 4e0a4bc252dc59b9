/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Inside the guest of test-librdmacm-witness.sh: a peer of the bluefield driver on the
 * kernel's drivers, by librdmacm and libibverbs. It connects as the host's side does, or
 * listens as the card's side does, and exchanges messages over the queue pair. Control
 * connections only; of the driver it has nothing but the layouts of bluefield_wire.h.
 */

#include <errno.h>
#include <getopt.h>
#include <net/if.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <rdma/rdma_cma.h>

#include "bluefield_wire.h"

#define WAIT_MS 20000
#define MAX_MSG 4096
#define QUEUE 16
#define NB_RX (QUEUE + BF_WIRE_CTL_ENTRIES + BF_WIRE_MAX_WINDOW + BF_WIRE_FLOW_ENTRIES)
#define NB_TX 16
#define BUF_SIZE (sizeof(struct bf_wire_hdr) + MAX_MSG)

static const char usage[] =
	"usage: rdma_peer [options] connect <interface> <address of the card's function>\n"
	"       rdma_peer [options] listen <interface> <own address>\n"
	"  -n NAME   of the server (ctrl_path)\n"
	"  -c COUNT  messages to send (1)\n"
	"  -s SIZE   of each; 0 for a text (0)\n"
	"  -e        the other side sends each of them back: compare\n"
	"  -w        wait until the other side disconnects\n"
	"  -m MAGIC, -v VERSION, -M SIZE   in the request, instead of what is right\n"
	"  -r ERRNO  refuse, with this reason; 0: without private data\n"
	"  -h MS     do not answer for so long, and then end\n";

static struct {
	const char *name;
	uint32_t count, size;
	bool echo, wait_end, refuses, holds;
	uint32_t magic, version, max_msg, hold_ms;
	int reason;
} opt = { .name = "ctrl_path", .count = 1, .magic = BF_WIRE_MAGIC,
	.version = BF_WIRE_VERSION_MAX, .max_msg = MAX_MSG };

static struct rdma_event_channel *ch;
static struct rdma_cm_id *id;
static struct ibv_cq *cq;
static struct ibv_qp *qp;
static struct ibv_mr *mr;
static uint8_t bufs[(NB_RX + NB_TX) * BUF_SIZE];

/* Counts of the connection, as bluefield_wire.h has them. */
static struct {
	uint32_t queue;          /* of the other side: entries for data */
	uint32_t sent, given;    /* data that went, and for which there is an entry again */
	uint32_t taken, told;    /* data that came, and what the other side knows of it */
	uint8_t ctls, ctls_told, credits, credits_told, credit_tx, credit_tx_seen;
	uint32_t seq_tx, seq_rx;
	uint32_t tx_busy, tx_next;
	bool bye, bye_asks, ending;
} at;

static void die(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));

static void
die(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	exit(1);
}

/* ------------------------------------------------------------ connections */

static struct {
	enum rdma_cm_event_type type;
	int status;
	uint8_t priv[256];
	uint8_t len;
} got;

static bool
event(int ms)
{
	struct pollfd pfd = { .fd = ch->fd, .events = POLLIN };
	struct rdma_cm_event *ev;

	if (poll(&pfd, 1, ms) <= 0)
		return false;
	if (rdma_get_cm_event(ch, &ev) != 0)
		die("rdma_get_cm_event: %s", strerror(errno));
	got.type = ev->event;
	got.status = ev->status;
	memset(got.priv, 0, sizeof(got.priv));
	got.len = ev->param.conn.private_data_len;
	if (ev->param.conn.private_data != NULL)
		memcpy(got.priv, ev->param.conn.private_data, got.len);
	if (ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		id = ev->id;
	rdma_ack_cm_event(ev);
	return true;
}

static void
want(enum rdma_cm_event_type type)
{
	struct bf_wire_rej rej;

	if (!event(WAIT_MS))
		die("no %s", rdma_event_str(type));
	if (got.type == type)
		return;
	memcpy(&rej, got.priv, sizeof(rej));
	if (got.type == RDMA_CM_EVENT_REJECTED && rej.magic == BF_WIRE_MAGIC)
		die("refused: errno %d, versions %u to %u", rej.reason, rej.version_min,
				rej.version_max);
	die("%s: status %d", rdma_event_str(got.type), got.status);
}

static void
post_rx(uint32_t buf)
{
	struct ibv_sge sge = { (uintptr_t)&bufs[buf * BUF_SIZE], BUF_SIZE, mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = buf, .sg_list = &sge, .num_sge = 1 }, *bad;

	if (ibv_post_recv(qp, &wr, &bad) != 0)
		die("ibv_post_recv: %s", strerror(errno));
}

static void
queue_pair(void)
{
	struct ibv_qp_init_attr attr = {
		.qp_type = IBV_QPT_RC, .sq_sig_all = 1,
		.cap = { .max_send_wr = NB_TX, .max_recv_wr = NB_RX, .max_send_sge = 1,
			.max_recv_sge = 1 },
	};
	struct ibv_pd *pd = ibv_alloc_pd(id->verbs);

	cq = pd == NULL ? NULL : ibv_create_cq(id->verbs, NB_RX + NB_TX, NULL, NULL, 0);
	mr = cq == NULL ? NULL : ibv_reg_mr(pd, bufs, sizeof(bufs), IBV_ACCESS_LOCAL_WRITE);
	attr.send_cq = attr.recv_cq = cq;
	qp = mr == NULL ? NULL : ibv_create_qp(pd, &attr);
	if (qp == NULL)
		die("queue pair: %s", strerror(errno));
}

/*
 * The queue pair to RTS. rdma_cm would take the MTU of the request, and the reply may have
 * a smaller one: so it is done here, with the most that is allowed.
 */
static void
queue_pair_up(unsigned int mtu)
{
	static const enum ibv_qp_state states[] = { IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS };
	struct ibv_qp_attr attr;
	unsigned int i, buf;
	int mask;

	for (i = 0; i < 3; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.qp_state = states[i];
		if (rdma_init_qp_attr(id, &attr, &mask) != 0)
			die("rdma_init_qp_attr: %s", strerror(errno));
		if (states[i] == IBV_QPS_RTR && attr.path_mtu > mtu)
			attr.path_mtu = mtu;
		/* the kernel sets bits that the library does not know */
		if (ibv_modify_qp(qp, &attr, mask & (IBV_QP_DEST_QPN * 2 - 1)) != 0)
			die("ibv_modify_qp: %s", strerror(errno));
		for (buf = 0; states[i] == IBV_QPS_INIT && buf < NB_RX; buf++)
			post_rx(buf);
	}
}

/* Of IPv6, on an interface, or of IPv4. Valid until the next call. */
static struct sockaddr *
address(const char *interface, const char *text)
{
	static struct sockaddr_in sin;
	static struct sockaddr_in6 sin6;

	sin = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(BF_WIRE_PORT) };
	if (inet_pton(AF_INET, text, &sin.sin_addr) == 1)
		return (struct sockaddr *)&sin;
	sin6 = (struct sockaddr_in6){ .sin6_family = AF_INET6, .sin6_port = htons(BF_WIRE_PORT),
		.sin6_scope_id = if_nametoindex(interface) };
	if (sin6.sin6_scope_id == 0 || inet_pton(AF_INET6, text, &sin6.sin6_addr) != 1)
		die("%s, %s: no such address", interface, text);
	return (struct sockaddr *)&sin6;
}

/* --------------------------------------------------------------- messages */

static void
send_msg(enum bf_wire_type type, const void *body, uint32_t len)
{
	uint8_t *buf = &bufs[(NB_RX + at.tx_next) * BUF_SIZE];
	const struct bf_wire_hdr hdr = {
		.type = type, .ctl_credits = at.ctls, .credits_seen = at.credits, .len = len,
		.credits = at.taken, .seq = at.seq_tx++,
	};
	struct ibv_sge sge = { (uintptr_t)buf, sizeof(hdr) + len, mr->lkey };
	struct ibv_send_wr wr = {
		.wr_id = NB_RX, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
	}, *bad;

	memcpy(buf, &hdr, sizeof(hdr));
	memcpy(buf + sizeof(hdr), body, len);
	at.tx_next = (at.tx_next + 1) % NB_TX;
	at.tx_busy++;
	at.told = at.taken;
	at.credits_told = at.credits;
	at.ctls_told = at.ctls;
	if (ibv_post_send(qp, &wr, &bad) != 0)
		die("ibv_post_send: %s", strerror(errno));
}

/* There is an entry at the other side, and a place for one more here; 2 are for the rest. */
static bool
may_send(void)
{
	return at.sent - at.given < at.queue && at.tx_busy < NB_TX - 2;
}

static uint32_t
pattern(uint32_t nr, uint8_t *msg)
{
	uint32_t len = opt.size, i;

	if (len == 0)
		return (uint32_t)sprintf((char *)msg, "from the kernel");
	for (i = 0; i < len; i++)
		msg[i] = (uint8_t)(nr * 31 + i * 7 + (i >> 8));
	return len;
}

static void
send_data(void)
{
	uint8_t msg[MAX_MSG];

	send_msg(BF_WIRE_DATA, msg, pattern(at.sent, msg));
	at.sent++;
}

static void
take(const struct bf_wire_hdr *hdr, const uint8_t *body)
{
	const struct bf_wire_consumer_new *consumer = (const void *)body;
	struct bf_wire_consumer_answer answer = {
		.to = BF_WIRE_CONSUMER_NEW, .status = -ECONNREFUSED,
	};
	uint8_t msg[MAX_MSG];

	switch (hdr->type) {
	case BF_WIRE_DATA:
		if (opt.echo && (hdr->len != pattern(at.taken, msg) ||
				memcmp(msg, body, hdr->len) != 0))
			die("message %u came back as another one", at.taken);
		if (at.taken == 0 && !opt.echo)
			printf("received %u bytes: %.*s\n", hdr->len, (int)(hdr->len < 64 ?
					hdr->len : 64), body);
		at.taken++;
		break;
	case BF_WIRE_CREDIT:
		at.credits++;
		break;
	case BF_WIRE_PING:
		break;
	case BF_WIRE_BYE:
		at.bye = true;
		at.bye_asks = (((const struct bf_wire_bye *)body)->flags &
				BF_WIRE_BYE_F_ANSWER) != 0;
		break;
	default: /* of the fast path, which is not here */
		at.ctls++;
		answer.consumer = consumer->consumer;
		if (hdr->type == BF_WIRE_CONSUMER_NEW)
			send_msg(BF_WIRE_CONSUMER_ANSWER, &answer, sizeof(answer));
		break;
	}
}

static void
received(const struct ibv_wc *wc)
{
	const uint8_t *buf = &bufs[wc->wr_id * BUF_SIZE];
	struct bf_wire_hdr hdr;

	memcpy(&hdr, buf, sizeof(hdr));
	if (wc->byte_len < sizeof(hdr) || hdr.len != wc->byte_len - sizeof(hdr) || hdr.flags != 0 ||
			hdr.seq != at.seq_rx || hdr.credits - at.given > at.sent - at.given)
		die("a bad message: type %u, %u of %u bytes, sequence %u, credits %u", hdr.type,
				hdr.len, wc->byte_len, hdr.seq, hdr.credits);
	at.seq_rx++;
	at.given = hdr.credits;
	at.credit_tx_seen = hdr.credits_seen;
	take(&hdr, buf + sizeof(hdr));
	post_rx((uint32_t)wc->wr_id);
}

/* What has come and gone; and the other side learns of entries that it may fill. */
static void
progress(void)
{
	struct ibv_wc wc;

	while (ibv_poll_cq(cq, 1, &wc) > 0) {
		/* the other side may have ended at the same time */
		if (at.ending && wc.status != IBV_WC_SUCCESS) {
			at.tx_busy = 0;
			return;
		}
		if (wc.status != IBV_WC_SUCCESS)
			die("completion: %s", ibv_wc_status_str(wc.status));
		if (wc.wr_id == NB_RX)
			at.tx_busy--;
		else
			received(&wc);
	}
	if (at.bye || at.tx_busy >= NB_TX - 2)
		return;
	if ((at.taken - at.told >= QUEUE / 2 ||
			(uint8_t)(at.ctls - at.ctls_told) >= BF_WIRE_CTL_ENTRIES / 2) &&
			(uint8_t)(at.credit_tx - at.credit_tx_seen) < bf_wire_credit_window(QUEUE)) {
		at.credit_tx++;
		send_msg(BF_WIRE_CREDIT, NULL, 0);
	} else if ((uint8_t)(at.credits - at.credits_told) >= bf_wire_credit_window(at.queue) / 2) {
		send_msg(BF_WIRE_PING, NULL, 0);
	}
}

/* Whoever ends it: what came is told of, and both disconnect. */
static void
end(void)
{
	struct bf_wire_bye bye = { .flags = at.sent != at.given ? BF_WIRE_BYE_F_ANSWER : 0 };
	uint64_t turns;

	at.ending = true;
	if (!opt.wait_end || at.bye_asks)
		send_msg(BF_WIRE_BYE, &bye, sizeof(bye));
	for (turns = 0; at.tx_busy != 0 && turns < WAIT_MS; turns++) {
		progress();
		usleep(1000);
	}
	if (!opt.wait_end && rdma_disconnect(id) != 0)
		die("rdma_disconnect: %s", strerror(errno));
	for (turns = 0; !event(10); turns++) {
		if (turns * 10 > WAIT_MS)
			die("it does not end");
		progress();
	}
	if (got.type != RDMA_CM_EVENT_DISCONNECTED)
		die("%s in place of an end", rdma_event_str(got.type));
	printf("disconnected, status %d\n", got.status);
	if (opt.wait_end)
		rdma_disconnect(id);
}

static void
exchange(bool active)
{
	uint64_t turns;

	for (turns = 0; !at.bye; turns++) {
		progress();
		if (active && at.sent < opt.count && may_send())
			send_data();
		else if (!active && at.sent < at.taken && may_send())
			send_data();
		else
			usleep(100);
		if (!opt.wait_end && at.taken >= opt.count && at.given == at.sent)
			break;
		if (turns > WAIT_MS * 10)
			die("%u of %u messages sent, %u came, and nothing more happens", at.sent,
					opt.count, at.taken);
	}
	printf("%u messages sent, %u received\n", at.sent, at.taken);
}

/* -------------------------------------------------------------- both sides */

static void
connect_to(const char *interface, const char *to)
{
	struct sockaddr *addr = address(interface, to);
	struct bf_wire_req req = {
		.magic = opt.magic, .version_min = opt.version, .version_max = opt.version,
		.max_msg_size = opt.max_msg, .queue_size = QUEUE,
		.name_hash = bf_wire_name_hash(opt.name),
	};
	struct rdma_conn_param param = {
		.private_data = &req, .private_data_len = sizeof(req), .retry_count = 7,
		.rnr_retry_count = 7,
	};
	struct bf_wire_rep rep;

	memcpy(req.prefix, opt.name, strnlen(opt.name, sizeof(req.prefix)));
	if (rdma_create_id(ch, &id, NULL, RDMA_PS_TCP) != 0 ||
			rdma_resolve_addr(id, NULL, addr, 2000) != 0)
		die("rdma_resolve_addr: %s", strerror(errno));
	want(RDMA_CM_EVENT_ADDR_RESOLVED);
	if (rdma_resolve_route(id, 2000) != 0)
		die("rdma_resolve_route: %s", strerror(errno));
	want(RDMA_CM_EVENT_ROUTE_RESOLVED);
	queue_pair();
	param.qp_num = qp->qp_num;
	if (rdma_connect(id, &param) != 0)
		die("rdma_connect: %s", strerror(errno));
	want(RDMA_CM_EVENT_CONNECT_RESPONSE);
	memcpy(&rep, got.priv, sizeof(rep));
	if (rep.magic != BF_WIRE_MAGIC || rep.version != BF_WIRE_VERSION_MAX)
		die("a bad reply: magic 0x%x, version %u", rep.magic, rep.version);
	queue_pair_up(rep.mtu);
	if (rdma_establish(id) != 0)
		die("rdma_establish: %s", strerror(errno));
	at.queue = rep.queue_size;
	printf("connected to \"%s\" as %s, messages of %u bytes, MTU code %u\n", rep.name,
			rep.function, rep.max_msg_size, rep.mtu);
	exchange(true);
	end();
}

static void
refuse(int reason)
{
	const struct bf_wire_rej rej = {
		.magic = BF_WIRE_MAGIC, .reason = reason, .version_min = BF_WIRE_VERSION_MIN,
		.version_max = BF_WIRE_VERSION_MAX,
	};

	if (rdma_reject(id, reason != 0 ? &rej : NULL, reason != 0 ? sizeof(rej) : 0) != 0)
		die("rdma_reject: %s", strerror(errno));
	printf("refused with %d\n", reason);
}

static void
listen_at(const char *interface, const char *own)
{
	struct sockaddr *addr = address(interface, own);
	struct bf_wire_rep rep = { .magic = BF_WIRE_MAGIC, .version = BF_WIRE_VERSION_MAX,
		.queue_size = QUEUE, .function = "of the kernel" };
	struct rdma_conn_param param = { .private_data = &rep, .private_data_len = sizeof(rep),
		.rnr_retry_count = 7 };
	struct rdma_cm_id *listener;
	struct ibv_port_attr port;
	struct bf_wire_req req;

	if (rdma_create_id(ch, &listener, NULL, RDMA_PS_TCP) != 0 ||
			rdma_bind_addr(listener, addr) != 0 ||
			rdma_listen(listener, 8) != 0)
		die("rdma_listen: %s", strerror(errno));
	printf("listens\n");
	want(RDMA_CM_EVENT_CONNECT_REQUEST);
	memcpy(&req, got.priv, sizeof(req));
	if (req.magic != BF_WIRE_MAGIC || req.version_min > BF_WIRE_VERSION_MAX ||
			req.version_max < BF_WIRE_VERSION_MAX ||
			req.name_hash != bf_wire_name_hash(opt.name) ||
			strncmp(req.prefix, opt.name, sizeof(req.prefix)) != 0)
		die("a bad request: magic 0x%x, versions %u to %u, name '%.32s'", req.magic,
				req.version_min, req.version_max, req.prefix);
	if (opt.holds) {
		usleep(opt.hold_ms * 1000);
		printf("held\n");
		return;
	}
	if (opt.refuses) {
		refuse(opt.reason);
		return;
	}
	rep.max_msg_size = req.max_msg_size != 0 && req.max_msg_size < MAX_MSG ?
			req.max_msg_size : MAX_MSG;
	at.queue = req.queue_size;
	queue_pair();
	/* the kernel would take that of the request, whatever the interface has */
	rep.mtu = id->route.num_paths > 0 ? id->route.path_rec[0].mtu & 0x3f : IBV_MTU_1024;
	if (ibv_query_port(id->verbs, id->port_num, &port) == 0 && rep.mtu > port.active_mtu)
		rep.mtu = port.active_mtu;
	queue_pair_up(rep.mtu);
	param.qp_num = qp->qp_num;
	snprintf(rep.name, sizeof(rep.name), "%s", opt.name);
	if (rdma_accept(id, &param) != 0)
		die("rdma_accept: %s", strerror(errno));
	want(RDMA_CM_EVENT_ESTABLISHED);
	printf("accepted, messages of %u bytes, MTU code %u\n", rep.max_msg_size, rep.mtu);
	exchange(false);
	end();
}

int
main(int argc, char **argv)
{
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "n:c:s:ewm:v:M:r:h:")) != -1) {
		switch (c) {
		case 'n':
			opt.name = optarg;
			break;
		case 'c':
			opt.count = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 's':
			opt.size = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'e':
			opt.echo = true;
			break;
		case 'w':
			opt.wait_end = true;
			break;
		case 'm':
			opt.magic = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'v':
			opt.version = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'M':
			opt.max_msg = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		case 'r':
			opt.refuses = true;
			opt.reason = (int)strtol(optarg, NULL, 0);
			break;
		case 'h':
			opt.holds = true;
			opt.hold_ms = (uint32_t)strtoul(optarg, NULL, 0);
			break;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (argc - optind != 3 || opt.size > MAX_MSG) {
		fputs(usage, stderr);
		return 2;
	}
	ch = rdma_create_event_channel();
	if (ch == NULL)
		die("rdma_create_event_channel: %s", strerror(errno));
	if (strcmp(argv[optind], "connect") == 0)
		connect_to(argv[optind + 1], argv[optind + 2]);
	else
		listen_at(argv[optind + 1], argv[optind + 2]);
	return 0;
}
