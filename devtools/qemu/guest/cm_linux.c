/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Inside the guest of test-cm-witness.sh: has the kernel's connection manager send each of
 * its messages, from one InfiniBand device to another, by librdmacm and addresses of
 * InfiniBand. The path is given, as there is no subnet administrator. Each case is named
 * in the private data of its request.
 *
 * usage: cm_linux <active device> <passive device>, with the answers of lib.sh's "host" at
 * descriptor 9. Prints "ok <case>" or "FAILED <case>: <reason>".
 *        cm_linux <active device>: the case whose peer is nobody. It takes more than a minute:
 * run it beside the others, on a device of its own, as they have the next packet dropped.
 */

#include <endian.h>
#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/ib.h>
#include <infiniband/sa.h>
#include <rdma/rdma_cma.h>

#define HOST_FD 9
#define WAIT_MS 20000
/* A request or reply is sent again after some 4.6 s: that of the path and 4096 ms. */
#define RETRY_MS 5500
/* ... and 15 times. */
#define USED_UP_MS (17 * RETRY_MS)
#define LID_NOBODY 0x7fff
#define PORT 18515
#define PORT_NOBODY 18516
#define PORT_UD 18517
#define PORT_UD_NOBODY 18518
#define SERVICE_IB UINT64_C(0x00000000013f0000)
#define SERVICE_UDP UINT64_C(0x0000000001110000)
#define SERVICE_MASK UINT64_C(0xffffffffffffffff)
/* What looks like no header of IP addresses, before the name of the case. */
#define HEADER 2

struct side {
	struct rdma_event_channel *ch;
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	union ibv_gid gid;
	uint16_t lid;
	struct rdma_cm_id *ids[8]; /* of this case, to be destroyed */
	int nb_ids;
};

/* Of a request; 0: as it comes. */
struct request {
	uint16_t port;
	uint32_t qpn;          /* no queue pair is made, and this is its number */
	bool datagram;         /* the service of datagrams */
	uint8_t mtu;
	uint8_t sl;
	uint8_t lifetime;
	struct rdma_conn_param param;
};

static struct side act, pas;
static struct rdma_cm_id *listener;
static const char *name;
static char why[512];

/* What an event said; it is acknowledged. */
static struct {
	struct rdma_cm_id *id;
	int status;
	char words[128];
} got;

static int
fail(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	return -1;
}

/* One line to the script outside; its answer is not looked at. */
static void
host(const char *line)
{
	size_t n = 0;
	char c = 0, first = 0;

	dprintf(HOST_FD, "%s\n", line);
	while (read(HOST_FD, &c, 1) == 1) {
		if (c != '\n') {
			first = n++ == 0 ? c : first;
			continue;
		}
		if (n == 1 && first == '.')
			return;
		n = 0;
	}
}

static int
want_within(struct side *s, enum rdma_cm_event_type type, int ms)
{
	struct pollfd pfd = { .fd = s->ch->fd, .events = POLLIN };
	struct rdma_cm_event *ev;
	enum rdma_cm_event_type is;
	const uint8_t *data;

	if (poll(&pfd, 1, ms) <= 0)
		return fail("no %s in %d ms", rdma_event_str(type), ms);
	if (rdma_get_cm_event(s->ch, &ev) != 0)
		return fail("rdma_get_cm_event: %s", strerror(errno));
	is = ev->event;
	got.id = ev->id;
	got.status = ev->status;
	memset(got.words, 0, sizeof(got.words));
	data = ev->param.conn.private_data;
	if (data != NULL && ev->param.conn.private_data_len > HEADER)
		snprintf(got.words, sizeof(got.words), "%.*s",
				ev->param.conn.private_data_len - HEADER, data + HEADER);
	if (is == RDMA_CM_EVENT_CONNECT_REQUEST && s->nb_ids < 8)
		s->ids[s->nb_ids++] = ev->id;
	rdma_ack_cm_event(ev);
	return is == type ? 0 : fail("%s (status %d) in place of %s", rdma_event_str(is),
			got.status, rdma_event_str(type));
}

static int
want(struct side *s, enum rdma_cm_event_type type)
{
	return want_within(s, type, WAIT_MS);
}

static int
want_status(struct side *s, enum rdma_cm_event_type type, int status)
{
	if (want(s, type) != 0)
		return -1;
	return got.status == status ? 0 : fail("%s with status %d, not %d", rdma_event_str(type),
			got.status, status);
}

static void
address(const struct side *s, uint64_t service, uint16_t port, struct sockaddr_ib *sib)
{
	memset(sib, 0, sizeof(*sib));
	sib->sib_family = AF_IB;
	sib->sib_pkey = 0xffff;
	memcpy(&sib->sib_addr, &s->gid, sizeof(sib->sib_addr));
	sib->sib_sid = htobe64(service | port);
	sib->sib_sid_mask = htobe64(SERVICE_MASK);
}

static int
queue_pair(struct side *s, struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr attr = {
		.send_cq = s->cq, .recv_cq = s->cq, .qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return rdma_create_qp(id, s->pd, &attr) == 0 ? 0 :
			fail("rdma_create_qp: %s", strerror(errno));
}

static int
path(struct rdma_cm_id *id, const struct request *r)
{
	struct ibv_path_data p = {
		.flags = IBV_PATH_FLAG_GMP | IBV_PATH_FLAG_PRIMARY | IBV_PATH_FLAG_BIDIRECTIONAL,
		.path = {
			.dgid = pas.gid, .sgid = act.gid,
			.dlid = htobe16(pas.lid), .slid = htobe16(act.lid),
			.flowlabel_hoplimit = htobe32(1),
			.reversible_numpath = IBV_PATH_RECORD_REVERSIBLE | 1,
			.pkey = 0xffff,
			.qosclass_sl = htobe16(r->sl),
			/* exactly */
			.mtu = 2 << 6 | (r->mtu != 0 ? r->mtu : 4),
			.rate = 2 << 6 | 3,
			.packetlifetime = 2 << 6 | (r->lifetime != 0 ? r->lifetime : 16),
		},
	};

	if (rdma_set_option(id, RDMA_OPTION_IB, RDMA_OPTION_IB_PATH, &p, sizeof(p)) != 0)
		return fail("rdma_set_option: %s", strerror(errno));
	return want(&act, RDMA_CM_EVENT_ROUTE_RESOLVED);
}

/* A request goes out; the id is in act.ids. */
static int
request(const struct request *r)
{
	uint64_t service = r->datagram ? SERVICE_UDP : SERVICE_IB;
	struct rdma_conn_param param = r->param;
	char words[64] = "";
	struct sockaddr_ib from, to;
	struct rdma_cm_id *id;

	address(&act, service, 0, &from);
	address(&pas, service, r->port != 0 ? r->port : PORT, &to);
	if (rdma_create_id(act.ch, &id, NULL, r->datagram ? RDMA_PS_UDP : RDMA_PS_IB) != 0)
		return fail("rdma_create_id: %s", strerror(errno));
	act.ids[act.nb_ids++] = id;
	if (rdma_resolve_addr(id, (struct sockaddr *)&from, (struct sockaddr *)&to, 2000) != 0)
		return fail("rdma_resolve_addr: %s", strerror(errno));
	if (want(&act, RDMA_CM_EVENT_ADDR_RESOLVED) != 0 || path(id, r) != 0)
		return -1;
	if (!r->datagram && r->qpn == 0 && queue_pair(&act, id) != 0)
		return -1;
	snprintf(words + HEADER, sizeof(words) - HEADER, "%s", name);
	param.private_data = words;
	param.private_data_len = HEADER + strlen(name);
	param.qp_num = r->qpn;
	return rdma_connect(id, &param) == 0 ? 0 : fail("rdma_connect: %s", strerror(errno));
}

static int
requested(void)
{
	if (want(&pas, RDMA_CM_EVENT_CONNECT_REQUEST) != 0)
		return -1;
	return strcmp(got.words, name) == 0 ? 0 : fail("a request that says '%s'", got.words);
}

/* With a number that the parameters name no queue pair is made. */
static int
accept_it(const struct rdma_conn_param *with)
{
	struct rdma_conn_param param = *with;
	struct rdma_cm_id *id = pas.ids[pas.nb_ids - 1];

	if (param.qp_num == 0 && queue_pair(&pas, id) != 0)
		return -1;
	param.private_data = "\0\0welcome";
	param.private_data_len = HEADER + 7;
	return rdma_accept(id, &param) == 0 ? 0 : fail("rdma_accept: %s", strerror(errno));
}

/* The model has no atomic operations, which the library allows with any resources. */
static const struct rdma_conn_param plain = { .retry_count = 7, .rnr_retry_count = 7 };

static int
connected(const struct request *r)
{
	if (request(r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_ESTABLISHED) != 0)
		return -1;
	return want(&pas, RDMA_CM_EVENT_ESTABLISHED);
}

static int
disconnect(struct side *s)
{
	return rdma_disconnect(s->ids[0]) == 0 ? 0 : fail("rdma_disconnect: %s", strerror(errno));
}

static int
destroy(struct side *s)
{
	rdma_destroy_qp(s->ids[0]);
	s->nb_ids = 0;
	return rdma_destroy_id(s->ids[0]) == 0 ? 0 : fail("rdma_destroy_id: %s", strerror(errno));
}

/* ----------------------------------------------------------------- cases */

static const struct request normal = { .param = plain };

static int
ends(struct side *first, struct side *second)
{
	/* the kernel answers when its user disconnects as well */
	if (connected(&normal) != 0 || disconnect(first) != 0 ||
			want(second, RDMA_CM_EVENT_DISCONNECTED) != 0 || disconnect(second) != 0)
		return -1;
	return want_status(first, RDMA_CM_EVENT_DISCONNECTED, 0);
}

static int
active_ends(void)
{
	return ends(&act, &pas);
}

static int
passive_ends(void)
{
	return ends(&pas, &act);
}

static int
establish(void)
{
	if (rdma_establish(act.ids[0]) != 0)
		return fail("rdma_establish: %s", strerror(errno));
	return want(&pas, RDMA_CM_EVENT_ESTABLISHED);
}

/* Each field has a value of its own. */
static int
fields(void)
{
	const struct request r = {
		.qpn = 0x112233, .mtu = 3, .sl = 5, .lifetime = 14,
		.param = { .responder_resources = 3, .initiator_depth = 2, .flow_control = 1,
			.retry_count = 4, .rnr_retry_count = 5 },
	};
	const struct rdma_conn_param back = {
		.responder_resources = 2, .initiator_depth = 1, .flow_control = 1,
		.rnr_retry_count = 6, .srq = 1, .qp_num = 0x445566,
	};

	if (request(&r) != 0 || requested() != 0 || accept_it(&back) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	return establish();
}

/* Of a number that the user names, with a shared receive queue. */
static int
shared(void)
{
	struct request r = { .qpn = 0x123456, .mtu = 5, .param = plain };

	r.param.srq = 1;
	if (request(&r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	return establish();
}

static int
refused(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	if (rdma_reject(pas.ids[0], "\0\0no", 4) != 0)
		return fail("rdma_reject: %s", strerror(errno));
	if (want_status(&act, RDMA_CM_EVENT_REJECTED, 28) != 0)
		return -1;
	return strcmp(got.words, "no") == 0 ? 0 : fail("a rejection that says '%s'", got.words);
}

static int
refused_options(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	if (rdma_reject_ece(pas.ids[0], NULL, 0) != 0)
		return fail("rdma_reject_ece: %s", strerror(errno));
	return want_status(&act, RDMA_CM_EVENT_REJECTED, 35);
}

static int
nobody_listens(void)
{
	const struct request r = { .port = PORT_NOBODY, .param = plain };

	return request(&r) != 0 ? -1 : want_status(&act, RDMA_CM_EVENT_REJECTED, 8);
}

/* Two connections of one queue pair: the second is of a life after. */
static int
stale(void)
{
	const struct request r = { .qpn = 0x234567, .param = plain };

	if (request(&r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	if (establish() != 0 || request(&r) != 0)
		return -1;
	/* the old one ends, and the new one is refused: in any order */
	if (want(&act, RDMA_CM_EVENT_DISCONNECTED) == 0)
		return want_status(&act, RDMA_CM_EVENT_REJECTED, 10);
	if (got.status != 10)
		return -1;
	return want(&act, RDMA_CM_EVENT_DISCONNECTED);
}

/* The active side goes while nobody has answered. */
static int
gives_up(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	return destroy(&act);
}

static int
refuses_reply(void)
{
	const struct request r = { .qpn = 0x345678, .param = plain };

	if (request(&r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	if (rdma_reject(act.ids[0], "\0\0changed my mind", 17) != 0)
		return fail("rdma_reject: %s", strerror(errno));
	return want_status(&pas, RDMA_CM_EVENT_REJECTED, 28);
}

/* The passive side goes after its reply. */
static int
takes_back(void)
{
	const struct request r = { .qpn = 0x3c3c3c, .param = plain };

	if (request(&r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	if (destroy(&pas) != 0)
		return -1;
	return want_status(&act, RDMA_CM_EVENT_REJECTED, 28);
}

/* Nothing is said about the request until it comes again. */
static int
slow(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	usleep(RETRY_MS * 1000);
	if (accept_it(&plain) != 0 || want(&act, RDMA_CM_EVENT_ESTABLISHED) != 0)
		return -1;
	return want(&pas, RDMA_CM_EVENT_ESTABLISHED);
}

static int
lost_request(void)
{
	host("control fault pf0 net drop=1");
	return connected(&normal);
}

static int
lost_reply(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	host("control fault pf1 net drop=1");
	if (accept_it(&plain) != 0 || want(&act, RDMA_CM_EVENT_ESTABLISHED) != 0)
		return -1;
	return want(&pas, RDMA_CM_EVENT_ESTABLISHED);
}

/* "Ready" is lost; the reply comes again, and is answered again. */
static int
lost_ready(void)
{
	if (request(&normal) != 0 || requested() != 0)
		return -1;
	host("control fault pf0 net drop=1");
	if (accept_it(&plain) != 0 || want(&act, RDMA_CM_EVENT_ESTABLISHED) != 0)
		return -1;
	return want(&pas, RDMA_CM_EVENT_ESTABLISHED);
}

/* The reply comes again while the active side has not decided. */
static int
slow_ready(void)
{
	const struct request r = { .qpn = 0x456789, .param = plain };

	if (request(&r) != 0 || requested() != 0 || accept_it(&plain) != 0 ||
			want(&act, RDMA_CM_EVENT_CONNECT_RESPONSE) != 0)
		return -1;
	usleep(RETRY_MS * 1000);
	return establish();
}

/* The answer is lost, and the end is told again to who knows nothing of it any more. */
static int
lost_end(void)
{
	if (connected(&normal) != 0 || disconnect(&act) != 0 ||
			want(&pas, RDMA_CM_EVENT_DISCONNECTED) != 0)
		return -1;
	host("control fault pf1 net drop=1");
	if (disconnect(&pas) != 0 || destroy(&pas) != 0)
		return -1;
	return want_status(&act, RDMA_CM_EVENT_DISCONNECTED, 0);
}

/* Both end it, and neither knows of the other. */
static int
both_end(void)
{
	if (connected(&normal) != 0)
		return -1;
	host("control fault pf0 net drop=1");
	if (disconnect(&act) != 0 || disconnect(&pas) != 0 ||
			want(&act, RDMA_CM_EVENT_DISCONNECTED) != 0 || disconnect(&act) != 0)
		return -1;
	return want(&pas, RDMA_CM_EVENT_DISCONNECTED);
}

static int
datagrams(void)
{
	struct request r = { .port = PORT_UD, .datagram = true };
	struct rdma_conn_param param = { .private_data = "\0\0welcome",
		.private_data_len = HEADER + 7, .qp_num = 0x56789a };

	if (request(&r) != 0 || requested() != 0)
		return -1;
	if (rdma_accept(pas.ids[0], &param) != 0)
		return fail("rdma_accept: %s", strerror(errno));
	return want(&act, RDMA_CM_EVENT_ESTABLISHED);
}

static int
no_datagrams(void)
{
	const struct request r = { .port = PORT_UD_NOBODY, .datagram = true };

	return request(&r) != 0 ? -1 : want_status(&act, RDMA_CM_EVENT_UNREACHABLE, 1);
}

/* No port has the address: nobody answers any of the requests. */
static int
used_up(void)
{
	if (request(&normal) != 0 ||
			want_within(&act, RDMA_CM_EVENT_UNREACHABLE, USED_UP_MS) != 0)
		return -1;
	return got.status == -ETIMEDOUT ? 0 : fail("unreachable with status %d", got.status);
}

static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	{ "active-ends", active_ends },
	{ "passive-ends", passive_ends },
	{ "fields", fields },
	{ "shared", shared },
	{ "refused", refused },
	{ "refused-options", refused_options },
	{ "nobody-listens", nobody_listens },
	{ "stale", stale },
	{ "gives-up", gives_up },
	{ "refuses-reply", refuses_reply },
	{ "takes-back", takes_back },
	{ "slow", slow },
	{ "lost-request", lost_request },
	{ "lost-reply", lost_reply },
	{ "lost-ready", lost_ready },
	{ "slow-ready", slow_ready },
	{ "lost-end", lost_end },
	{ "both-end", both_end },
	{ "datagrams", datagrams },
	{ "no-datagrams", no_datagrams },
};

/* ---------------------------------------------------------------- set-up */

static void
clear(struct side *s)
{
	struct pollfd pfd = { .fd = s->ch->fd, .events = POLLIN };
	struct rdma_cm_event *ev;

	while (s->nb_ids > 0) {
		struct rdma_cm_id *id = s->ids[--s->nb_ids];

		/* its events were acknowledged, or come below */
		if (id->qp != NULL)
			rdma_destroy_qp(id);
		while (poll(&pfd, 1, 0) > 0 && rdma_get_cm_event(s->ch, &ev) == 0)
			rdma_ack_cm_event(ev);
		rdma_destroy_id(id);
	}
}

static int
side_open(struct side *s, const char *device)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;
	int i;

	for (i = 0; list != NULL && list[i] != NULL; i++) {
		if (strcmp(ibv_get_device_name(list[i]), device) == 0)
			s->ctx = ibv_open_device(list[i]);
	}
	s->ch = rdma_create_event_channel();
	if (s->ch == NULL || s->ctx == NULL || ibv_query_gid(s->ctx, 1, 0, &s->gid) != 0 ||
			ibv_query_port(s->ctx, 1, &port) != 0)
		return fail("%s: %s", device, strerror(errno));
	s->lid = port.lid;
	return 0;
}

/* What queue pairs need, of the device as the library has it: known with the first id. */
static int
side_objects(struct side *s, struct rdma_cm_id *id)
{
	s->pd = ibv_alloc_pd(id->verbs);
	s->cq = s->pd == NULL ? NULL : ibv_create_cq(id->verbs, 16, NULL, NULL, 0);
	return s->cq != NULL ? 0 : fail("objects: %s", strerror(errno));
}

static int
listens(uint64_t service, uint16_t port, enum rdma_port_space ps, struct rdma_cm_id **id)
{
	struct sockaddr_ib own;

	address(&pas, service, port, &own);
	if (rdma_create_id(pas.ch, id, NULL, ps) != 0 ||
			rdma_bind_addr(*id, (struct sockaddr *)&own) != 0 ||
			rdma_listen(*id, 16) != 0)
		return fail("listen: %s", strerror(errno));
	return 0;
}

/* The device is known when an id is bound to an address of it. */
static int
set_up_active(const char *device)
{
	struct sockaddr_ib own;
	struct rdma_cm_id *id;

	if (side_open(&act, device) != 0)
		return -1;
	address(&act, SERVICE_IB, 0, &own);
	if (rdma_create_id(act.ch, &id, NULL, RDMA_PS_IB) != 0 ||
			rdma_bind_addr(id, (struct sockaddr *)&own) != 0)
		return fail("rdma_bind_addr: %s", strerror(errno));
	return side_objects(&act, id);
}

static int
set_up_passive(const char *device)
{
	struct rdma_cm_id *id;

	if (side_open(&pas, device) != 0 ||
			listens(SERVICE_IB, PORT, RDMA_PS_IB, &listener) != 0 ||
			listens(SERVICE_UDP, PORT_UD, RDMA_PS_UDP, &id) != 0)
		return -1;
	return side_objects(&pas, listener);
}

static void
run(const char *of, int (*the_case)(void))
{
	name = of;
	if (the_case() == 0)
		printf("ok cm-witness: %s\n", name);
	else
		printf("FAILED cm-witness: %s: %s\n", name, why);
	clear(&act);
}

int
main(int argc, char **argv)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc != 2 && argc != 3) {
		fprintf(stderr, "usage: cm_linux <active device> [<passive device>]\n");
		return 2;
	}
	if (set_up_active(argv[1]) != 0 || (argc == 3 && set_up_passive(argv[2]) != 0)) {
		printf("FAILED set-up: %s\n", why);
		return 1;
	}
	if (argc == 2) {
		pas.gid = act.gid;
		pas.gid.raw[15] ^= 0xff;
		pas.lid = LID_NOBODY;
		run("used-up", used_up);
		return 0;
	}
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run(cases[i].name, cases[i].run);
		host("control fault pf0 clear");
		host("control fault pf1 clear");
		clear(&pas);
	}
	return 0;
}
