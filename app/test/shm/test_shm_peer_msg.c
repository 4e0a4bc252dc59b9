/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Messages on the socket of a link that are wrong in themselves, or come when
 * they must not. What the segments hold is attacked in other files.
 */

#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sockios.h>

#include <rte_log.h>

#include "test_bluefield_model.h"
#include "test_shm_peer.h"

/* Connections of one link. */
#define NB_DOORBELLS 65u

/* The breach is counted, once, and ends the link. */
static int
link_dies(struct hostile *e, uint64_t before, const char *what, unsigned int a, unsigned int b)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (!hostile_gone(e) && test_now_ns() < end)
		peer_turn();
	TEST_ASSERT(hostile_gone(e), "%s (%u, %u) does not end the link", what, a, b);
	TEST_ASSERT(peer_violations() == before + 1, "%s (%u, %u) counts %u times", what, a, b,
			(unsigned int)(peer_violations() - before));
	hostile_close(e);
	return TEST_SUCCESS;
}

static struct hostile *
hostile_in_state(bool up)
{
	return up ? hostile_up() : hostile_open(peer_env.path, "pf0");
}

/* Is this what a correct peer may send, without an effect on the link? */
static bool
is_legal(bool up, uint16_t type, unsigned int nb_fds)
{
	if (!up)
		return type == SHM_WIRE_HELLO && nb_fds == 1;
	/* a region that is none is not had, and that is all */
	return (type == SHM_WIRE_CONNECT && nb_fds == 0) ||
		(type == SHM_WIRE_CLOSE && nb_fds == 0) ||
		(type == SHM_WIRE_REGION && nb_fds == 1);
}

static int
test_types_and_fds(void)
{
	static const uint16_t types[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 255, 256, 0x7fff,
		0x8001, 0xffff,
	};
	static const unsigned int nb_fds[] = { 0, 1, 2, 3, 4, 5, 17 };
	int fds[17];
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int t, f, up;

	TEST_CALL(test_need_fds(512)); /* some are closed later */
	TEST_EXPECT(pipe(fds), 0);
	for (f = 2; f < RTE_DIM(fds); f++)
		fds[f] = fds[0];
	for (up = 0; up < 2; up++) {
		for (t = 0; t < RTE_DIM(types); t++) {
			for (f = 0; f < RTE_DIM(nb_fds); f++) {
				if (is_legal(up != 0, types[t], nb_fds[f]) && up != 0)
					continue;
				e = hostile_in_state(up != 0);
				TEST_TRUE(e != NULL);
				before = peer_violations();
				hostile_fill(&msg, types[t], 0);
				TEST_EXPECT(hostile_send_raw(e, &msg, msg.hdr.len, fds,
						nb_fds[f]), 0);
				TEST_CALL(link_dies(e, before, "type, fds", types[t],
						nb_fds[f]));
			}
		}
	}
	close(fds[0]);
	close(fds[1]);
	return TEST_SUCCESS;
}

static int
lengths(bool up, bool honest_len)
{
	uint8_t buf[sizeof(union shm_wire_msg) + 64];
	struct shm_wire_hdr *hdr = (void *)buf;
	struct hostile *e;
	uint64_t before;
	uint16_t type;
	unsigned int len, full;

	for (type = SHM_WIRE_HELLO; type < SHM_WIRE_TYPES; type++) {
		full = hostile_type_len(type);
		for (len = 1; len <= full + 9; len++) {
			if (len == full)
				continue;
			/* all lengths of the one that has strings, and of the others some */
			if (full > 60 && len < full - 9 && len % 8 > 1)
				continue;
			e = hostile_in_state(up);
			TEST_TRUE(e != NULL);
			before = peer_violations();
			memset(buf, 0, sizeof(buf));
			hostile_fill((union shm_wire_msg *)buf, type, 0);
			if (honest_len)
				hdr->len = (uint16_t)len;
			TEST_EXPECT(hostile_send_raw(e, buf, len, NULL, 0), 0);
			TEST_CALL(link_dies(e, before, "type, bytes", type, len));
		}
	}
	return TEST_SUCCESS;
}

static int
test_lengths(void)
{
	TEST_CALL(test_need_fds(512));
	TEST_CALL(lengths(false, true));
	TEST_CALL(lengths(true, true));
	return lengths(true, false);
}

/* A datagram of no bytes looks like the end of the socket, with or without fds. */
static int
test_empty_datagram(void)
{
	struct hostile *e;
	int fds[2];
	unsigned int n;

	TEST_EXPECT(pipe(fds), 0);
	for (n = 0; n < 3; n++) {
		e = hostile_up();
		TEST_EXPECT(hostile_send_raw(e, "", 0, fds, n), 0);
		PEER_WAIT(hostile_gone(e), TEST_MS);
		hostile_close(e);
	}
	close(fds[0]);
	close(fds[1]);
	return TEST_SUCCESS;
}

static int
test_headers(void)
{
	static const uint32_t magics[] = { 0, 1, 0x434d5348, 0x48534d42, 0xffffffff };
	static const uint16_t lens[] = { 0, 1, 15, 23, 25, 160, 0x8000, 0xffff };
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int i;

	for (i = 0; i < RTE_DIM(magics); i++) {
		e = hostile_up();
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_CLOSE, 0);
		msg.hdr.magic = magics[i];
		TEST_EXPECT(hostile_send_raw(e, &msg, sizeof(msg.reason), NULL, 0), 0);
		TEST_CALL(link_dies(e, before, "magic", magics[i], 0));
	}
	for (i = 0; i < RTE_DIM(lens); i++) {
		e = hostile_up();
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_CLOSE, 0);
		msg.hdr.len = lens[i];
		TEST_EXPECT(hostile_send_raw(e, &msg, sizeof(msg.reason), NULL, 0), 0);
		TEST_CALL(link_dies(e, before, "len", lens[i], 0));
	}
	return TEST_SUCCESS;
}

/* Identifiers of connections at and beyond the table, in all messages. */
static int
test_ids(void)
{
	static const uint32_t ids[] = { 4096, 4097, 0x10000, 0x10001, 0x80000000, 0xffffffff };
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	uint16_t type;
	unsigned int i;

	for (type = SHM_WIRE_CONNECT; type < SHM_WIRE_TYPES; type++) {
		for (i = 0; i < RTE_DIM(ids); i++) {
			e = hostile_connected();
			before = peer_violations();
			hostile_fill(&msg, type, ids[i]);
			if (type == SHM_WIRE_READY)
				msg.ready.tx.new_seg = 0;
			TEST_EXPECT(hostile_send(e, &msg, type, ids[i],
					type == SHM_WIRE_CONSUMER ? e->chan.seg.fd : -1), 0);
			TEST_CALL(link_dies(e, before, "type, id", type, ids[i]));
		}
	}
	/* the last of the table is as good as the first */
	e = hostile_up();
	TEST_EXPECT(hostile_connect(e, &e->chan, 4095), 0);
	TEST_EXPECT(hostile_ready(e, &e->chan), 0);
	hostile_put(e, &e->chan, "x", 1);
	i = peer_env.target->nb_recv;
	PEER_WAIT(peer_env.target->nb_recv == i + 1, TEST_MS);
	return TEST_SUCCESS;
}

/* What the card never takes from a host, or not in this state. */
static int
test_out_of_turn(void)
{
	static const uint16_t types[] = {
		SHM_WIRE_HELLO, SHM_WIRE_HELLO_ACK, SHM_WIRE_CONNECT, SHM_WIRE_ACCEPT,
		SHM_WIRE_REFUSE, SHM_WIRE_READY, SHM_WIRE_CLOSED,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int t, established;

	for (established = 0; established < 2; established++) {
		for (t = 0; t < RTE_DIM(types); t++) {
			if (types[t] == SHM_WIRE_CONNECT && !established)
				continue;
			e = established ? hostile_connected() : hostile_up();
			before = peer_violations();
			hostile_fill(&msg, types[t], 0);
			if (types[t] == SHM_WIRE_READY) {
				msg.ready.tx.new_seg = 0;
				msg.ready.tx.seg = 1;
			}
			TEST_EXPECT(hostile_send(e, &msg, types[t], 0, types[t] == SHM_WIRE_HELLO ?
					e->seg.fd : -1), 0);
			TEST_CALL(link_dies(e, before, "type, established", types[t],
					established));
		}
	}
	return TEST_SUCCESS;
}

/* The same message twice, both before the device has looked. */
static int
test_twice(void)
{
	static const uint16_t types[] = {
		SHM_WIRE_HELLO, SHM_WIRE_CONNECT, SHM_WIRE_READY, SHM_WIRE_CLOSE,
	};
	union shm_wire_msg msg;
	struct hostile *e;
	uint64_t before;
	unsigned int t, n;
	int fd;

	for (t = 0; t < RTE_DIM(types); t++) {
		fd = -1;
		switch (types[t]) {
		case SHM_WIRE_HELLO:
			e = hostile_up(); /* for its segment */
			hostile_close(e);
			e = hostile_open(peer_env.path, "pf0");
			TEST_TRUE(e != NULL);
			TEST_EXPECT(hostile_seg_create(&e->seg,
					offsetof(struct shm_wire_link, sock_doorbell),
					sizeof(struct shm_wire_link)), 0);
			fd = e->seg.fd;
			break;
		case SHM_WIRE_CLOSE:
			e = hostile_connected();
			break;
		default:
			e = hostile_up();
			break;
		}
		if (types[t] == SHM_WIRE_READY) {
			TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
			TEST_EXPECT(hostile_chan_seg_create(&e->chan, HOSTILE_RING_SIZE), 0);
			fd = e->chan.seg.fd;
		}
		before = peer_violations();
		for (n = 0; n < 2; n++) {
			hostile_fill(&msg, types[t], 0);
			TEST_EXPECT(hostile_send(e, &msg, types[t], 0, fd), 0);
		}
		TEST_CALL(link_dies(e, before, "twice", types[t], 0));
	}
	return TEST_SUCCESS;
}

static int
names(void)
{
	static const char * const names[] = {
		"", "nobody", "target ", "%s%n%n%n", "\n\033[2J", "\xff\xfe\x80", "targe",
	};
	union shm_wire_msg msg;
	struct hostile *e = hostile_up();
	uint64_t before = peer_violations();
	unsigned int i;

	for (i = 0; i < RTE_DIM(names); i++) {
		hostile_fill(&msg, SHM_WIRE_CONNECT, i);
		memset(msg.connect.name, 0, sizeof(msg.connect.name));
		strcpy(msg.connect.name, names[i]);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, i, -1), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
		TEST_EXPECT(e->msg.reason.reason, -ENOENT);
	}
	/* what is behind the NUL does not count */
	hostile_fill(&msg, SHM_WIRE_CONNECT, 99);
	memset(msg.connect.name + 7, 'x', sizeof(msg.connect.name) - 7);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, 99, -1), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS), 0);
	TEST_EXPECT(peer_violations(), before);

	hostile_fill(&msg, SHM_WIRE_CONNECT, 100);
	memset(msg.connect.name, 'x', sizeof(msg.connect.name));
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, 100, -1), 0);
	TEST_CALL(link_dies(e, before, "name without NUL", 0, 0));
	TEST_TRUE(test_log_has("breaks the protocol"));
	TEST_TRUE(!test_log_has("\033[2J") && !test_log_has("%n") && !test_log_has("xxx"));
	return TEST_SUCCESS;
}

/* Names that are none, that are formats, or change what a terminal shows. None is logged. */
static int
test_names(void)
{
	int ret;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_DEBUG);
	ret = names();
	rte_log_set_level_pattern("pmd.comch.shm", RTE_LOG_NOTICE);
	test_log_quiet();
	test_log_drop();
	return ret;
}

/* How the peer says it receives: refused, with the link kept. */
static int
test_connect_ranges(void)
{
	static const struct shm_wire_rx bad[] = {
		{ 0, 0, 0, 0 }, { 0, 8193, 0, 0 }, { 0, UINT32_MAX, 0, 0 },
		{ 65537, 4, 0, 0 }, { UINT32_MAX, 4, 0, 0 },
		{ 0, 4, 32, 0 }, { 0, 4, UINT32_MAX, 0 },
		{ 0, 4, 0, SHM_WIRE_MAX_DOORBELLS }, { 0, 4, 0, UINT32_MAX },
	};
	struct rte_comch_dev_stats before, after;
	union shm_wire_msg msg;
	struct hostile *e = hostile_up();
	unsigned int i;

	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &before), 0);
	for (i = 0; i < RTE_DIM(bad); i++) {
		hostile_fill(&msg, SHM_WIRE_CONNECT, i);
		msg.connect.rx = bad[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, i, -1), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
		TEST_EXPECT(e->msg.reason.reason, -EPROTO);
		TEST_EXPECT(peer_violations(), i + 1);
	}
	TEST_EXPECT(rte_comch_dev_stats_get(peer_env.dpu, &after), 0);
	TEST_EXPECT(after.refused - before.refused, i);
	/* more memory than a ring may have is no breach, but refused */
	hostile_fill(&msg, SHM_WIRE_CONNECT, 1);
	msg.connect.rx.queue_size = SHM_WIRE_MAX_QUEUE_SIZE;
	msg.connect.rx.max_msg_size = SHM_WIRE_MAX_MSG_SIZE;
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, 1, -1), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
	TEST_EXPECT(e->msg.reason.reason, -ENOMEM);
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	return TEST_SUCCESS;
}

/* CONNECT, right and wrong, to a server that stops before its engine sees it. */
static int
test_server_stops(void)
{
	union shm_wire_msg msg;
	struct rte_comch_pe *pe;
	struct test_ep *server;
	struct hostile *e;
	unsigned int i, bytes;

	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	for (i = 0; i < 2; i++) {
		server = test_server_run("stops", pe);
		TEST_TRUE(server != NULL);
		e = hostile_up();
		hostile_fill(&msg, SHM_WIRE_CONNECT, 0);
		strcpy(msg.connect.name, "stops");
		msg.connect.rx.queue_size = i;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_CONNECT, 0, -1), 0);
		/* it is taken from the socket by an engine that is not the server's */
		PEER_WAIT(ioctl(e->fd, SIOCOUTQ, &bytes) == 0 && bytes == 0, TEST_MS);
		TEST_EXPECT(rte_comch_ctx_stop(server->ctx), 0);
		rte_comch_pe_progress(pe);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_REFUSE, TEST_MS), 0);
		TEST_EXPECT(e->msg.reason.reason, i == 0 ? -EPROTO : -ENOENT);
		TEST_EXPECT(peer_violations(), 1);
		TEST_EXPECT(test_ep_close(server), 0);
		hostile_close(e);
	}
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	peer_turn_ms(10);
	peer_settle(); /* the honest have what woke that engine until they leave */
	return TEST_SUCCESS;
}

static struct rte_comch_pe *away;

static struct rte_comch_pe *
engine_away(const struct rte_comch_conn_info *info, void *user_data)
{
	RTE_SET_USED(info);
	RTE_SET_USED(user_data);
	return away;
}

/* What comes behind a CONNECT, which is accepted onto another engine, is for that one, too. */
static int
test_accepted_away(void)
{
	const struct rte_comch_server_conf conf = { .name = "away", .engine_cb = engine_away };
	struct test_ep *server;
	struct rte_comch_pe *pe;
	unsigned int i, bytes;
	struct hostile *e;
	int type;

	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_create(NULL, &away), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(away, peer_env.dpu), 0);
	server = test_server_run_conf(&conf, pe);
	e = hostile_up();
	TEST_EXPECT(hostile_connect_send(e, 0, "away", 1), 0);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	PEER_WAIT(ioctl(e->fd, SIOCOUTQ, &bytes) == 0 && bytes == 0, TEST_MS);
	for (i = 0; i < 10; i++)
		rte_comch_pe_progress(pe);
	while ((type = hostile_recv(e)) > 0)
		TEST_TRUE(type != SHM_WIRE_CLOSED);
	TEST_EXPECT(type, 0);
	for (i = 0; i < 10; i++) {
		rte_comch_pe_progress(away);
		rte_comch_pe_progress(pe);
	}
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	TEST_EXPECT(peer_violations(), 0);
	hostile_close(e);
	TEST_EXPECT(test_ep_close(server), 0);
	TEST_EXPECT(rte_comch_pe_destroy(pe), 0);
	TEST_EXPECT(rte_comch_pe_destroy(away), 0);
	peer_turn_ms(10);
	peer_settle(); /* the honest have what woke those engines until they leave */
	return TEST_SUCCESS;
}

/* Groups: numbers out of range, and descriptors that wake nobody. */
static int
test_groups(void)
{
	static const uint32_t groups[] = { 32, 33, 0x10000, UINT32_MAX };
	union shm_wire_msg msg;
	struct hostile *e, *wakes;
	uint64_t before;
	unsigned int i;
	int fds[9], pair[2];

	TEST_CALL(test_need_fds(512)); /* of a user in sockets */
	TEST_EXPECT(pipe(fds), 0);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, &fds[2]), 0);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, &fds[4]), 0);
	fds[6] = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fds[7] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	fds[8] = memfd_create("hostile", MFD_CLOEXEC);
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	for (i = 0; i < RTE_DIM(groups); i++) {
		e = hostile_up();
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		msg.group.group = groups[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[0]), 0);
		TEST_CALL(link_dies(e, before, "group", groups[i], 0));
	}
	for (i = 0; i < RTE_DIM(fds); i++) {
		e = hostile_up();
		before = peer_violations();
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, fds[i]), 0);
		TEST_CALL(link_dies(e, before, "no socket to wake", i, 0));
		close(fds[i]);
	}
	/* the same group again and again: the old socket goes */
	e = hostile_up();
	/* what wakes this side takes no descriptors, as a socket does */
	TEST_TRUE(send(e->wake, "", 1, MSG_DONTWAIT) < 0 && errno == ENOTSOCK);
	for (i = 0; i < 1000; i++) {
		hostile_fill(&msg, SHM_WIRE_GROUP, 0);
		msg.group.group = i % SHM_WIRE_MAX_GROUPS;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[0]), 0);
		peer_turn();
	}
	PEER_WAIT(test_count_fds() < peer_env.fds + 64, TEST_MS);
	TEST_TRUE(!hostile_gone(e));
	hostile_close(e);
	/* this end of the link lies in the queue of what wakes it, which does not keep it */
	e = hostile_up();
	wakes = hostile_wrap(pair[0]);
	TEST_EXPECT(hostile_send_raw(wakes, "", 1, &e->fd, 1), 0);
	hostile_fill(&msg, SHM_WIRE_GROUP, 0);
	TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_GROUP, 0, pair[1]), 0);
	close(pair[1]);
	peer_turn();
	hostile_close(wakes);
	hostile_close(e);
	PEER_WAIT(peer_links() == 1, TEST_MS);
	return TEST_SUCCESS;
}

static int
test_versions(void)
{
	static const uint16_t versions[] = {
		SHM_WIRE_VERSION - 1, SHM_WIRE_VERSION + 1, 0, 1, 0xffff,
	};
	union shm_wire_msg msg;
	unsigned int i, both = 0;
	char words[80];
	struct hostile *e;

	TEST_EXPECT(test_log_begin(), 0);
	test_log_restore();
	for (i = 0; i < RTE_DIM(versions); i++) {
		e = hostile_open(peer_env.path, "pf0");
		TEST_TRUE(e != NULL);
		TEST_EXPECT(hostile_seg_create(&e->seg,
				offsetof(struct shm_wire_link, sock_doorbell),
				sizeof(struct shm_wire_link)), 0);
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		msg.hello.version = versions[i];
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd), 0);
		TEST_EXPECT(hostile_wait(e, SHM_WIRE_HELLO_ACK, TEST_MS), 0);
		TEST_EXPECT(e->msg.hello_ack.status, -EPROTONOSUPPORT);
		TEST_EXPECT(e->msg_fd, -1);
		PEER_WAIT(hostile_gone(e), TEST_MS);
		hostile_close(e);
	}
	TEST_EXPECT(peer_violations(), 0);
	/* both, and not for ever: a process may try again and again */
	for (i = 0; i < 2; i++) {
		snprintf(words, sizeof(words), "speaks version %u of the protocol, and this process version %u:",
				versions[i], SHM_WIRE_VERSION);
		both += test_log_count(words);
	}
	test_log_quiet();
	test_log_drop();
	TEST_EXPECT(both, 2);
	return TEST_SUCCESS;
}

/* A peer that closes without having read all, which its socket tells first: its CLOSE counts. */
int
peer_last_word(void)
{
	struct test_ep *target = peer_env.target;
	struct hostile *e = hostile_connected();
	struct pollfd unread = { e->fd, POLLIN, 0 };
	const uint32_t gone = target->nb_disconnects;

	TEST_EXPECT(hostile_connect_send(e, 1, "nobody", 1), 0);
	PEER_WAIT(poll(&unread, 1, 0) == 1, TEST_MS);
	target->disconnect_status = INT_MAX;
	test_signal_brokers(SIGSTOP); /* one that is between must not see the CLOSE alone */
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, 0), 0);
	hostile_close(e);
	test_signal_brokers(SIGCONT);
	PEER_WAIT(target->nb_disconnects == gone + 1, TEST_MS);
	TEST_EXPECT(target->disconnect_status, 0);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Of two messages the peer has taken one: told of it, the application ends the connection. */
static void
end_at_send(struct test_ep *ep, struct rte_comch_task *task, int status)
{
	if (status == 0)
		ep->value = (uint64_t)rte_comch_server_disconnect(ep->conn);
	free(rte_comch_task_user_data_get(task));
	rte_comch_task_free(task);
}

static int
end_told(struct hostile *e, uint16_t type)
{
	TEST_EXPECT(hostile_wait(e, type, TEST_MS), 0);
	if (type == SHM_WIRE_CLOSE)
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, 0), 0);
	PEER_WAIT(peer_env.target->conn == NULL, TEST_MS);
	peer_turn_ms(10);
	TEST_EXPECT(hostile_recv(e), 0);
	/* the link is as good as before */
	peer_env.target->on_send = NULL;
	TEST_EXPECT(hostile_connect(e, &e->chan, 0), 0);
	return TEST_SUCCESS;
}

/*
 * It does so when the peer closes, or breaks the protocol: there is one end, told once. Or it
 * does not: what the peer has taken is told all the same.
 */
static int
test_ended_in_callback(void)
{
	struct test_ep *target = peer_env.target;
	uint32_t downs, done, failed;
	struct hostile *e;
	unsigned int i, n;

	for (i = 0; i < 3; i++) {
		e = hostile_connected();
		downs = target->nb_disconnects;
		done = target->nb_done;
		failed = target->nb_failed;
		target->on_send = i < 2 ? end_at_send : NULL;
		for (n = 0; n < 2; n++)
			TEST_EXPECT(test_send(target->conn, "ping", 4), 0);
		TEST_EXPECT(hostile_say(e, i != 1 ? SHM_WIRE_CLOSE : SHM_WIRE_CONSUMER_GONE, 0), 0);
		peer_serve(peer_env.pe); /* it is handled in the next turn, and not before */
		__atomic_fetch_add(&e->chan.own->head, shm_wire_rec_size(4), __ATOMIC_RELEASE);
		TEST_CALL(end_told(e, i != 1 ? SHM_WIRE_CLOSED : SHM_WIRE_CLOSE));
		TEST_EXPECT(target->nb_done, done + 1);
		TEST_EXPECT(target->nb_failed, failed + 1);
		TEST_EXPECT(target->nb_disconnects, downs + 1);
		TEST_EXPECT(peer_violations(), i != 0);
		hostile_close(e);
	}
	return TEST_SUCCESS;
}

/* An answer is sent, and its connection is ended, in one callback. */
static void
answer_and_end(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	const struct hostile *e = ep->arg;

	if (test_send(conn, msg, len) == 0 && rte_comch_server_disconnect(conn) == 0 &&
			e->chan.peer != NULL)
		ep->value = __atomic_load_n(&e->chan.peer->tail, __ATOMIC_ACQUIRE);
}

/* What was sent can be read before the peer hears of the end: also by one that is faster. */
static int
test_answer_before_end(void)
{
	struct test_ep *target = peer_env.target;
	struct hostile *e = hostile_connected();

	target->arg = e;
	target->value = 0;
	target->on_recv = answer_and_end;
	hostile_put(e, &e->chan, "ping", 4);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSE, TEST_MS), 0);
	target->on_recv = NULL;
	TEST_EXPECT(target->value, SHM_WIRE_POS_START + shm_wire_rec_size(4));
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, 0), 0);
	PEER_WAIT(target->conn == NULL, TEST_MS);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Bits of the doorbells that are not as they were. */
static unsigned int
doorbells_toggled(const struct hostile *e, const uint64_t *before)
{
	unsigned int i, nb = 0;

	for (i = 0; i < SHM_WIRE_DOORBELL_WORDS; i++)
		nb += (unsigned int)__builtin_popcountll(before[i] ^
			__atomic_load_n(&e->peer->doorbells[i], __ATOMIC_RELAXED));
	return nb;
}

/* A doorbell is toggled once until the peer has looked: twice would be as good as not. */
static int
test_toggled_once(void)
{
	struct hostile *e = hostile_connected();
	uint64_t before[SHM_WIRE_DOORBELL_WORDS];
	unsigned int i;

	memcpy(before, (const void *)(uintptr_t)e->peer->doorbells, sizeof(before));
	for (i = 0; i < 4; i++) {
		TEST_EXPECT(test_send(peer_env.target->conn, "ping", 4), 0);
		TEST_EXPECT(doorbells_toggled(e, before), 1);
		peer_turn();
	}
	/* it has seen that, and looks away once more */
	__atomic_store_n(&e->chan.own->doorbell_seen, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(test_send(peer_env.target->conn, "ping", 4), 0);
	TEST_EXPECT(doorbells_toggled(e, before), 0);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* Connections of one link, with a doorbell more than there is place for in a word. */
static int
crowd_connect(struct hostile *e, struct hostile_chan *chans)
{
	struct test_ep *target = peer_env.target;
	const uint32_t before = target->nb_connects - target->nb_disconnects;
	union shm_wire_msg msg;
	uint32_t i;

	memset(chans, 0, NB_DOORBELLS * sizeof(*chans));
	for (i = 0; i < NB_DOORBELLS; i++) {
		TEST_EXPECT(hostile_connect(e, &chans[i], i), 0);
		hostile_fill(&msg, SHM_WIRE_READY, i);
		msg.ready.tx.seg = i;
		TEST_EXPECT(hostile_chan_seg_create(&chans[i], HOSTILE_RING_SIZE), 0);
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_READY, i, chans[i].seg.fd), 0);
	}
	PEER_WAIT(target->nb_connects - target->nb_disconnects == before + NB_DOORBELLS, TEST_MS);
	return TEST_SUCCESS;
}

/* Each sends a message. */
static void
crowd_put(struct hostile *e, struct hostile_chan *chans)
{
	uint32_t i;

	for (i = 0; i < NB_DOORBELLS; i++)
		hostile_put(e, &chans[i], "ping", 4);
}

/* The last one has a word of its own, and its end leaves the first one's. */
static int
test_doorbell_words(void)
{
	struct test_ep *target = peer_env.target;
	struct hostile_chan chans[NB_DOORBELLS];
	struct hostile *e = hostile_up();
	uint32_t i, recv;

	TEST_CALL(crowd_connect(e, chans));
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, NB_DOORBELLS - 1), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	peer_turn_ms(50); /* they are quiet, and looked at no more */
	for (i = 0; i < NB_DOORBELLS - 1; i++) {
		recv = target->nb_recv;
		hostile_put(e, &chans[i], "ping", 4);
		PEER_WAIT(target->nb_recv == recv + 1, TEST_MS);
	}
	for (i = 0; i < NB_DOORBELLS; i++)
		hostile_chan_free(&chans[i]);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/*
 * Their link is dead, and more of them are left than end in one turn: callbacks answer them,
 * and end them, and the answers are nobody's.
 */
static int
test_answers_to_dead(void)
{
	struct test_ep *target = peer_env.target;
	const uint32_t gone = target->nb_disconnects + NB_DOORBELLS;
	struct hostile_chan chans[NB_DOORBELLS];
	struct hostile *e = hostile_up();
	uint32_t i;

	TEST_CALL(crowd_connect(e, chans));
	crowd_put(e, chans);
	peer_turn(); /* all of them are looked at */
	TEST_EXPECT(shutdown(e->fd, SHUT_RDWR), 0);
	peer_serve(peer_env.pe);
	target->arg = e;
	target->on_recv = answer_and_end;
	crowd_put(e, chans);
	PEER_WAIT(target->nb_disconnects == gone, TEST_MS);
	target->on_recv = NULL;
	for (i = 0; i < NB_DOORBELLS; i++)
		hostile_chan_free(&chans[i]);
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

#define PEER_CASE(fn) TEST_CASE_ST(peer_setup, peer_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: messages",
	.setup = peer_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		PEER_CASE(test_types_and_fds),
		PEER_CASE(test_lengths),
		PEER_CASE(test_empty_datagram),
		PEER_CASE(test_headers),
		PEER_CASE(test_ids),
		PEER_CASE(test_out_of_turn),
		PEER_CASE(test_twice),
		PEER_CASE(test_names),
		PEER_CASE(test_connect_ranges),
		PEER_CASE(test_server_stops),
		PEER_CASE(test_accepted_away),
		PEER_CASE(test_groups),
		PEER_CASE(test_versions),
		TEST_CASE_NAMED(peer_setup, peer_teardown, "test_last_word", peer_last_word),
		PEER_CASE(test_ended_in_callback),
		PEER_CASE(test_answer_before_end),
		PEER_CASE(test_toggled_once),
		PEER_CASE(test_doorbell_words),
		PEER_CASE(test_answers_to_dead),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_peer_msg_autotest, unit_test_suite_runner, &suite)
