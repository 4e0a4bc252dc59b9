/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The reverse: a hostile card's side that listens before the host device is
 * there, and attacks it and its clients. A hostile host is in the other files.
 */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_log.h>

#include "test_shm_peer.h"

struct peer_host peer_host = { .listen_fd = -1, .dev = -1 };

static int16_t saved_host;

uint64_t
peer_host_violations(void)
{
	struct rte_comch_dev_stats stats = { 0 };

	rte_comch_dev_stats_get(peer_host.dev, &stats);
	return stats.violations - peer_host.violations;
}

static void
host_turn(void)
{
	peer_serve(peer_host.pe);
	peer_turn();
}

#define HOST_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
				(unsigned int)(ms), #cond); \
		host_turn(); \
	} \
} while (0)

int
peer_host_suite_setup(void)
{
	struct rte_comch_client_conf conf;
	struct sockaddr_un addr;
	unsigned int len;
	int ret;

	peer_host.idle = NULL;
	peer_host.listen_fd = -1;
	peer_host.dev = -1;
	TEST_CALL(peer_suite_setup());
	saved_host = test_pair.host;
	peer_host.pe = test_pe_new();
	TEST_EXPECT(test_rendezvous_create(peer_host.path, sizeof(peer_host.path)), 0);
	len = hostile_addr(&addr, peer_host.path, "pf0");
	peer_host.listen_fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	TEST_TRUE(peer_host.listen_fd >= 0);
	TEST_EXPECT(bind(peer_host.listen_fd, (struct sockaddr *)&addr, len), 0);
	TEST_EXPECT(listen(peer_host.listen_fd, 16), 0);
	ret = test_vdev_add("role=host,function=pf0,path=%s", peer_host.path);
	TEST_ASSERT(ret >= 0, "no host device: %s", strerror(-ret));
	peer_host.dev = (int16_t)ret;
	test_client_conf(NULL, "idle", &conf);
	TEST_EXPECT(rte_comch_client_create(peer_host.dev, &conf, &peer_host.idle), 0);
	TEST_EXPECT(rte_comch_ctx_attach(peer_host.idle, peer_host.pe), 0);
	return TEST_SUCCESS;
}

void
peer_host_suite_teardown(void)
{
	struct sockaddr_un addr;

	/* the surroundings remove the contexts, and then nothing holds the device */
	if (peer_host.client != NULL)
		test_ep_close(peer_host.client);
	peer_host.client = NULL;
	rte_comch_ctx_destroy(peer_host.idle);
	test_pair.host = saved_host;
	hostile_close_all();
	test_progress_ms(5);
	if (peer_host.listen_fd >= 0)
		close(peer_host.listen_fd);
	hostile_addr(&addr, peer_host.path, "pf0");
	unlink(addr.sun_path);
	if (peer_host.dev >= 0 && test_vdev_remove(peer_host.dev) != 0)
		test_fail("the attacked device cannot be removed");
	peer_host.dev = -1;
	test_rendezvous_remove(peer_host.path);
	peer_suite_teardown();
}

/* The device comes to us; its HELLO has been taken. */
static struct hostile *
host_accept(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct hostile *e;
	void *map;
	int fd = -1;

	while (fd < 0 && test_now_ns() < end) {
		fd = accept4(peer_host.listen_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0)
			host_turn();
	}
	if (fd < 0)
		test_give_up("the device does not come");
	e = hostile_wrap(fd);
	while (hostile_recv(e) == 0 && test_now_ns() < end)
		host_turn();
	if (e->msg.hdr.type != SHM_WIRE_HELLO ||
			hostile_seg_create(&e->seg, offsetof(struct shm_wire_link, sock_doorbell),
			sizeof(struct shm_wire_link)) != 0)
		test_give_up("no HELLO of the device");
	map = mmap(NULL, sizeof(*e->peer), PROT_READ, MAP_SHARED, e->msg_fd, 0);
	if (map == MAP_FAILED)
		test_give_up("no segment of the device");
	e->peer = map;
	return e;
}

static int
host_ack(struct hostile *e)
{
	union shm_wire_msg msg;

	hostile_fill(&msg, SHM_WIRE_HELLO_ACK, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO_ACK, 0, e->seg.fd), 0);
	e->own = e->seg.map;
	return TEST_SUCCESS;
}

static int
host_wait(struct hostile *e, uint16_t type)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	int ret;

	while (test_now_ns() < end) {
		ret = hostile_recv(e);
		if (ret < 0 || ret == type)
			return ret < 0 ? ret : 0;
		host_turn();
	}
	return -ETIMEDOUT;
}

static int
client_start(void)
{
	struct rte_comch_client_conf conf;

	host_turn(); /* it may be about to learn that it is over */
	if (peer_host.client != NULL && test_state(peer_host.client) == RTE_COMCH_STATE_IDLE) {
		TEST_EXPECT(test_ep_close(peer_host.client), 0);
		peer_host.client = NULL;
	}
	if (peer_host.client != NULL)
		return TEST_SUCCESS;
	peer_host.client = test_ep_new();
	test_client_conf(peer_host.client, "any", &conf);
	conf.connect_timeout_ms = RTE_COMCH_TIMEOUT_NEVER;
	test_pair.host = peer_host.dev;
	TEST_EXPECT(test_client_start(peer_host.client, &conf, peer_host.pe), -EINPROGRESS);
	test_pair.host = saved_host;
	return TEST_SUCCESS;
}

/* A client of the device asks for a connection: its CONNECT has been taken. */
struct hostile *
peer_host_connecting(void)
{
	struct hostile *e;

	if (client_start() != TEST_SUCCESS)
		test_give_up("no client of the device");
	e = host_accept();
	if (host_ack(e) != TEST_SUCCESS || host_wait(e, SHM_WIRE_CONNECT) != 0)
		test_give_up("the device asks for no connection");
	e->chan.id = e->msg.hdr.chan;
	e->chan.rx = e->msg.connect.rx;
	return e;
}

struct hostile *
peer_host_connected(void)
{
	struct hostile *e = peer_host_connecting();
	union shm_wire_msg msg;

	hostile_fill(&msg, SHM_WIRE_ACCEPT, e->chan.id);
	if (hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE) != 0 ||
			hostile_send(e, &msg, SHM_WIRE_ACCEPT, e->chan.id, e->chan.seg.fd) != 0 ||
			host_wait(e, SHM_WIRE_READY) != 0 || hostile_chan_map(e, &e->chan) != 0)
		test_give_up("the device does not take the connection");
	return e;
}

/* The device has no link; it looks for one again in some milliseconds. */
static void
host_no_link(void)
{
	int fd, i;

	hostile_close_all();
	for (i = 0; i < 3; i++) {
		while ((fd = accept4(peer_host.listen_fd, NULL, NULL, SOCK_CLOEXEC)) >= 0)
			close(fd);
		host_turn();
	}
	peer_turn_ms(1);
}

int
peer_host_setup(void)
{
	unsigned int i, fds, maps;
	int ret;

	host_no_link();
	peer_host.violations = 0;
	peer_host.violations = peer_host_violations();
	ret = peer_setup();
	/* the device may have found us meanwhile: see peer_settle() */
	for (i = 0; i < 3; i++) {
		fds = peer_env.fds;
		maps = peer_env.maps;
		host_no_link();
		peer_settle();
		peer_env.fds = RTE_MIN(peer_env.fds, fds);
		peer_env.maps = RTE_MIN(peer_env.maps, maps);
	}
	return ret;
}

void
peer_host_teardown(void)
{
	unsigned int i;

	if (peer_host.client != NULL && test_state(peer_host.client) != RTE_COMCH_STATE_IDLE)
		test_stop(peer_host.client);
	if (peer_host.client != NULL)
		test_ep_close(peer_host.client);
	peer_host.client = NULL;
	if (peer_honest(10) != TEST_SUCCESS)
		test_fail("the honest pair noticed");
	/* it may have found us again this moment */
	for (i = 0; i < 100; i++) {
		host_no_link();
		if (test_count_maps() <= peer_env.maps && test_count_fds() <= peer_env.fds)
			return;
	}
	test_fail("%u descriptors and %u mappings are left, before there were %u and %u",
			test_count_fds(), test_count_maps(), peer_env.fds, peer_env.maps);
}

static int
host_dies(struct hostile *e, const char *what, unsigned int nr)
{
	uint64_t before = peer_host_violations();
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (!hostile_gone(e) && test_now_ns() < end)
		host_turn();
	TEST_ASSERT(hostile_gone(e), "%s %u does not end the link", what, nr);
	/* once, or twice where two things were wrong */
	TEST_ASSERT(peer_host_violations() >= 1 && peer_host_violations() <= before + 2,
			"%s %u counts %u times", what, nr, (unsigned int)peer_host_violations());
	peer_host.violations += peer_host_violations();
	hostile_close(e);
	return TEST_SUCCESS;
}

/* HELLO_ACK, and everything else, in place of HELLO_ACK. */
static int
test_answers_to_hello(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int type, i;
	int fds[3];

	for (type = 0; type <= SHM_WIRE_TYPES; type++) {
		for (i = 0; i <= 3; i++) {
			if (type == SHM_WIRE_HELLO_ACK && i < 2)
				continue;
			e = host_accept();
			fds[0] = fds[1] = fds[2] = e->seg.fd;
			hostile_fill(&msg, (uint16_t)type, 0);
			TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds, i), 0);
			TEST_CALL(host_dies(e, "answer", type * 10 + i));
		}
	}
	for (i = 0; i < 8; i++) {
		e = host_accept();
		hostile_fill(&msg, SHM_WIRE_HELLO_ACK, 0);
		switch (i) {
		case 0:
			msg.hello_ack.version = SHM_WIRE_VERSION - 1;
			break;
		case 1:
			msg.hello_ack.version = SHM_WIRE_VERSION + 1;
			break;
		case 2:
			msg.hello_ack.version = 0xffff;
			break;
		case 3:
			msg.hello_ack.seg_size = 0;
			break;
		case 4:
			msg.hello_ack.seg_size = UINT32_MAX;
			break;
		case 5:
			msg.hdr.magic++;
			break;
		case 6:
			((struct shm_wire_seg *)e->seg.map)->magic++;
			break;
		default:
			((struct shm_wire_seg *)e->seg.map)->size++;
			break;
		}
		TEST_EXPECT(hostile_send_raw(e, &msg, sizeof(msg.hello_ack), &e->seg.fd, 1), 0);
		TEST_CALL(host_dies(e, "bad HELLO_ACK", i));
	}
	e = host_accept();
	TEST_EXPECT(hostile_say(e, SHM_WIRE_HELLO_ACK, 0), 0);
	return host_dies(e, "HELLO_ACK without a segment", 0);
}

/* Statuses that refuse, and statuses that are none: a client learns a reason. */
static int
test_refusals(void)
{
	static const int32_t statuses[] = {
		-EACCES, -EPROTONOSUPPORT, -EUSERS, 4095, INT32_MIN, INT32_MAX, -1,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	int reason;

	/* some of them only, and of each kind: after each the device waits for a second */
	for (i = 0; i < 3; i++) {
		reason = i == 0 ? 1 : i == 1 ? -4096 : statuses[test_rand() % RTE_DIM(statuses)];
		e = host_accept();
		TEST_CALL(client_start());
		hostile_fill(&msg, SHM_WIRE_HELLO_ACK, 0);
		msg.hello_ack.status = reason;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO_ACK, 0, e->seg.fd), 0);
		HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(peer_host.client->ctx),
				reason < 0 && reason > -4096 ? reason : -EPROTO);
		hostile_close(e);
	}
	return TEST_SUCCESS;
}

/* A card's side of another release refuses each attempt, and a line has both versions. */
static int
test_refused_often(void)
{
	static const uint16_t versions[] = { SHM_WIRE_VERSION - 1, SHM_WIRE_VERSION + 1, 0xffff };
	union shm_wire_msg msg;
	uint32_t i, nb = 0;
	struct hostile *e;
	uint64_t end;
	size_t size = 0;
	char *text = NULL, words[80];
	FILE *log = open_memstream(&text, &size);

	TEST_TRUE(log != NULL);
	test_log_restore();
	rte_openlog_stream(log);
	for (i = 0; i < RTE_DIM(versions); i++) {
		e = host_accept();
		if (e == NULL)
			break;
		hostile_fill(&msg, SHM_WIRE_HELLO_ACK, 0);
		msg.hello_ack.status = -EPROTONOSUPPORT;
		msg.hello_ack.version = versions[i];
		if (hostile_send(e, &msg, SHM_WIRE_HELLO_ACK, 0, e->seg.fd) != 0)
			break;
		end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
		while (!hostile_gone(e) && test_now_ns() < end)
			host_turn();
		hostile_close(e);
	}
	rte_openlog_stream(NULL);
	test_log_quiet();
	fclose(log);
	for (i = 0; i < RTE_DIM(versions); i++) {
		snprintf(words, sizeof(words), "speaks version %u of the protocol, and this process version %u:",
				versions[i], SHM_WIRE_VERSION);
		nb += strstr(text, words) != NULL;
	}
	free(text);
	TEST_EXPECT(nb, RTE_DIM(versions));
	return TEST_SUCCESS;
}

/* What only hosts send, and what comes without being asked for. */
static int
test_unsolicited(void)
{
	static const uint16_t types[] = {
		SHM_WIRE_HELLO, SHM_WIRE_HELLO_ACK, SHM_WIRE_CONNECT, SHM_WIRE_ACCEPT,
		SHM_WIRE_REFUSE, SHM_WIRE_READY, SHM_WIRE_CLOSED, SHM_WIRE_REGION_GONE,
		SHM_WIRE_CONSUMER, SHM_WIRE_CONSUMER_ACK, SHM_WIRE_CONSUMER_GONE,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(types); i++) {
		e = host_accept();
		TEST_CALL(host_ack(e));
		hostile_fill(&msg, types[i], 9);
		if (types[i] == SHM_WIRE_ACCEPT)
			msg.accept.tx.new_seg = 0;
		TEST_EXPECT(hostile_send(e, &msg, types[i], 9, types[i] == SHM_WIRE_HELLO ||
				types[i] == SHM_WIRE_HELLO_ACK ||
				types[i] == SHM_WIRE_CONSUMER ? e->seg.fd : -1), 0);
		TEST_CALL(host_dies(e, "type", types[i]));
	}
	return TEST_SUCCESS;
}

/* ACCEPT that is out of range ends the client's attempt. */
static int
test_accept_ranges(void)
{
	static const struct shm_wire_rx bad[] = {
		{ 0, 4, 0, 0 }, { 4080, 0, 0, 0 }, { 4080, 8193, 0, 0 },
		{ 65537, 4, 0, 0 }, { UINT32_MAX, UINT32_MAX, 0, 0 },
		{ 4080, 4, 32, 0 }, { 4080, 4, 0, SHM_WIRE_MAX_DOORBELLS },
		{ 4080, 4, UINT32_MAX, UINT32_MAX }, { 65536, 8192, 0, 0 },
	};
	const unsigned int last = RTE_DIM(bad) - 1;
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(bad); i++) {
		e = peer_host_connecting();
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
		hostile_fill(&msg, SHM_WIRE_ACCEPT, e->chan.id);
		msg.accept.rx = bad[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_ACCEPT, e->chan.id, e->chan.seg.fd), 0);
		HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_ASSERT(rte_comch_ctx_reason_get(peer_host.client->ctx) ==
				(i == last ? -ENOMEM : -EPROTO), "ACCEPT %u: %s", i,
				strerror(-rte_comch_ctx_reason_get(peer_host.client->ctx)));
		/* too much for us to give is no breach */
		TEST_EXPECT(peer_host_violations(), i == last ? i : i + 1);
		hostile_close(e);
	}
	/* the same client has its next connection, and no other one */
	TEST_EXPECT(rte_comch_ctx_start(peer_host.client->ctx), -EINPROGRESS);
	TEST_TRUE(peer_host_connected() != NULL);
	TEST_EXPECT(test_send(peer_host.client->conn, "any", 3), 0);
	return TEST_SUCCESS;
}

/* What wakes the engine is closed by the card's side: it does not wake it for ever. */
static int
test_wake_closed(void)
{
	struct hostile *e = peer_host_connected();
	struct pollfd pfd = { rte_comch_pe_fd(peer_host.pe), POLLIN, 0 };
	unsigned int i, woken = 0;

	TEST_TRUE(e->wake >= 0);
	close(e->wake);
	e->wake = -1;
	for (i = 0; i < 200; i++) {
		if (rte_comch_pe_arm(peer_host.pe) == 0)
			woken += poll(&pfd, 1, 1) > 0;
		rte_comch_pe_progress(peer_host.pe);
	}
	TEST_ASSERT(woken < 50, "woken %u times by what is closed", woken);
	return TEST_SUCCESS;
}

/* ACCEPT with segments that are none, and then ones that come and go. */
static int
test_accept_segments(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	int fds[2];

	TEST_EXPECT(pipe(fds), 0);
	for (i = 0; i < 6; i++) {
		e = peer_host_connecting();
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
		hostile_fill(&msg, SHM_WIRE_ACCEPT, e->chan.id);
		if (i == 1)
			msg.accept.tx.ring_size = 0;
		else if (i == 2)
			msg.accept.tx.ring_size = UINT32_MAX - 255;
		else if (i == 3)
			msg.accept.tx.seg = 4096;
		else if (i == 4)
			msg.accept.tx.new_seg = 0;
		else if (i == 5) /* a good one first, and then it is replaced by nothing */
			TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_ACCEPT, e->chan.id,
					e->chan.seg.fd), 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_ACCEPT, e->chan.id,
				i == 0 || i == 5 ? fds[0] : i == 4 ? -1 : e->chan.seg.fd), 0);
		TEST_CALL(host_dies(e, "ACCEPT segment", i));
	}
	close(fds[0]);
	close(fds[1]);
	return TEST_SUCCESS;
}

/* Everything twice to a client that is connecting. */
static int
test_answers_twice(void)
{
	static const uint16_t types[] = { SHM_WIRE_ACCEPT, SHM_WIRE_REFUSE, SHM_WIRE_CLOSE };
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i, n;

	for (i = 0; i < RTE_DIM(types); i++) {
		e = peer_host_connecting();
		TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
		for (n = 0; n < 2; n++) {
			hostile_fill(&msg, types[i], e->chan.id);
			msg.accept.tx.seg = n * (types[i] == SHM_WIRE_ACCEPT);
			TEST_EXPECT(hostile_send(e, &msg, types[i], e->chan.id,
					types[i] == SHM_WIRE_ACCEPT ? e->chan.seg.fd : -1), 0);
		}
		TEST_CALL(host_dies(e, "twice", types[i]));
	}
	return TEST_SUCCESS;
}

/* Reasons, and some that are none. */
static int
test_reasons(void)
{
	static const int32_t reasons[] = {
		-ENOENT, -ENOSPC, -EMSGSIZE, -ENOMEM, -EUSERS, -EPROTO, 0, 1, INT32_MAX,
		INT32_MIN, -5000, -EPERM,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;
	int reason;

	for (i = 0; i < RTE_DIM(reasons); i++) {
		e = peer_host_connecting();
		hostile_fill(&msg, SHM_WIRE_REFUSE, e->chan.id);
		msg.reason.reason = reasons[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REFUSE, e->chan.id, -1), 0);
		HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		reason = rte_comch_ctx_reason_get(peer_host.client->ctx);
		TEST_ASSERT(reason == (i < 6 ? reasons[i] : -ECONNREFUSED),
			"%d became %d", reasons[i], reason);
		hostile_close(e);
	}
	TEST_EXPECT(peer_host_violations(), 0);
	return TEST_SUCCESS;
}

/* The rings of a connection, from the other side. */
static int
test_rings(void)
{
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		e = peer_host_connected();
		HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
		switch (i) {
		case 0:
			e->chan.own->tail -= 8;
			break;
		case 1:
			e->chan.own->tail += 12;
			break;
		case 2:
			e->chan.own->tail += 0x80000000;
			break;
		case 3:
			hostile_rec(&e->chan, UINT32_MAX, 0);
			e->chan.own->tail += 16;
			break;
		case 4:
			hostile_rec(&e->chan, 0, 0);
			e->chan.own->tail += 8;
			break;
		case 5:
			hostile_rec(&e->chan, 8, 77);
			e->chan.own->tail += 16;
			break;
		case 6:
			hostile_rec(&e->chan, 100, 0);
			e->chan.own->tail += 16;
			break;
		default:
			TEST_EXPECT(test_send(peer_host.client->conn, "x", 1), 0);
			e->chan.own->head -= 8;
			break;
		}
		HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_reason_get(peer_host.client->ctx), -EPROTO);
		TEST_EXPECT(peer_host_violations(), i + 1);
		hostile_close(e);
	}
	return TEST_SUCCESS;
}

/* What is to wake the card's engines, and may hold up ours: a write that can wait. */
static int
test_slow_wake(void)
{
	struct hostile *e = host_accept();
	const int fd = eventfd(0, EFD_CLOEXEC);
	union shm_wire_msg msg;

	TEST_CALL(host_ack(e));
	hostile_fill(&msg, SHM_WIRE_GROUP, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, fd), 0);
	close(fd);
	return host_dies(e, "GROUP", 0);
}

/* A card that answers no CLOSE: clients come and go until all identifiers are taken. */
static int
test_never_closed(void)
{
	struct hostile *e = peer_host_connecting();
	unsigned int i;

	for (i = 1; i < SHM_WIRE_MAX_CHANS; i++) {
		test_stop(peer_host.client);
		TEST_CALL(client_start());
		TEST_EXPECT(host_wait(e, SHM_WIRE_CLOSE), 0);
		TEST_EXPECT(host_wait(e, SHM_WIRE_CONNECT), 0);
	}
	test_stop(peer_host.client);
	TEST_CALL(client_start());
	HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(peer_host.client->ctx), -EUSERS);
	TEST_EXPECT(peer_host_violations(), 0);
	return TEST_SUCCESS;
}

/* A card that accepts the socket and then says nothing at all. */
static int
test_silent_card(void)
{
	struct rte_comch_client_conf conf;

	peer_host.client = test_ep_new();
	test_client_conf(peer_host.client, "any", &conf);
	conf.connect_timeout_ms = 300;
	test_pair.host = peer_host.dev;
	TEST_EXPECT(test_client_start(peer_host.client, &conf, peer_host.pe), -EINPROGRESS);
	test_pair.host = saved_host;
	host_accept();
	HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, 2000);
	TEST_EXPECT(rte_comch_ctx_reason_get(peer_host.client->ctx), -ETIMEDOUT);
	return TEST_SUCCESS;
}

/* A card that lets each client in and dies at once, again and again. */
static int
test_card_dies(void)
{
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < 40; i++) {
		e = i % 2 == 0 ? peer_host_connected() : peer_host_connecting();
		hostile_close(e);
		if (i % 2 == 0)
			HOST_WAIT(test_state(peer_host.client) == RTE_COMCH_STATE_IDLE, TEST_MS);
		else
			TEST_EXPECT(test_state(peer_host.client), RTE_COMCH_STATE_STARTING);
	}
	TEST_EXPECT(peer_host_violations(), 0);
	return TEST_SUCCESS;
}

#define HOST_CASE(fn) TEST_CASE_ST(peer_host_setup, peer_host_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: the card's side",
	.setup = peer_host_suite_setup,
	.teardown = peer_host_suite_teardown,
	.unit_test_cases = {
		/* first: the line is one of the device */
		HOST_CASE(test_refused_often),
		HOST_CASE(test_answers_to_hello),
		HOST_CASE(test_unsolicited),
		HOST_CASE(test_accept_ranges),
		HOST_CASE(test_wake_closed),
		HOST_CASE(test_accept_segments),
		HOST_CASE(test_answers_twice),
		HOST_CASE(test_reasons),
		HOST_CASE(test_rings),
		HOST_CASE(test_slow_wake),
		HOST_CASE(test_never_closed),
		HOST_CASE(test_silent_card),
		HOST_CASE(test_card_dies),
		HOST_CASE(test_refusals),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(shm_peer_host_autotest, unit_test_suite_runner, &suite)
