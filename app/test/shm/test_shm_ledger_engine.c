/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A progress engine that comes after the processes, of which one has taken all descriptors of
 * its user. Part of shm_ledger.
 */

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_ledger.h"

/* So long another process may take, which has a broker started. */
#define CHILD_S 20

/* Regions, until the share of this user is full. */
static int
share_fill(struct hostile *e, uint32_t *nb_regions, uint32_t nb_fds)
{
	union shm_wire_msg msg;

	while (*nb_regions < SHM_WIRE_MAX_REGIONS && peer_taken(geteuid(), "fds") < nb_fds) {
		hostile_fill(&msg, SHM_WIRE_REGION, 0);
		msg.region.region = (*nb_regions)++;
		TEST_EXPECT(hostile_send(e, &msg, SHM_WIRE_REGION, 0, e->seg.fd), 0);
		peer_turn_ms(1); /* what is closed meanwhile counts, too */
	}
	TEST_EXPECT(peer_taken(geteuid(), "fds"), nb_fds);
	return TEST_SUCCESS;
}

/* A client on the engine of the honest one, which its link has joined already. */
static struct test_ep *
client_run(void)
{
	return test_client_run("late", test_ctx_info(peer_env.client->ctx).pe);
}

static int
queues_start(struct rte_comch_pe *pe, int consumer, int producer)
{
	static const struct rte_comch_producer_conf conf;
	struct test_ep *c = test_ep_new(), *p = test_ep_new();

	TEST_EXPECT(test_consumer_start(c, peer_env.server->conn, pe), consumer);
	TEST_EXPECT(rte_comch_producer_create(peer_env.server->conn, &conf, &p->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(p->ctx, pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(p->ctx), producer);
	PEER_WAIT(test_state(c) != RTE_COMCH_STATE_STARTING, TEST_MS);
	TEST_EXPECT(test_state(c), consumer == -EINPROGRESS ?
		RTE_COMCH_STATE_RUNNING : RTE_COMCH_STATE_IDLE);
	TEST_EXPECT(test_ep_close(p), 0);
	return test_ep_close(c);
}

/* Another user, whose share has room, is served by the engine. */
static int
other_user(void)
{
	struct hostile *e;
	int status = -1;
	pid_t pid, ended = 0;

	if (geteuid() != 0) {
		printf("not root: no other user\n");
		return TEST_SUCCESS;
	}
	pid = fork();
	TEST_TRUE(pid >= 0);
	if (pid == 0) {
		hostile_alone = true;
		alarm(CHILD_S);
		if (!hostile_become(OTHER_UID))
			_exit(1);
		e = hostile_up();
		_exit(hostile_connect_send(e, 0, "late", 1) != 0 ||
			hostile_wait(e, SHM_WIRE_ACCEPT, TEST_MS) != 0);
	}
	PEER_WAIT((ended = waitpid(pid, &status, WNOHANG)) != 0, CHILD_S * 1000);
	TEST_TRUE(ended == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0);
	return TEST_SUCCESS;
}

/* One engine alone sees that links come or go. */
static int
links_change(struct rte_comch_pe *pe, uint32_t before)
{
	const uint64_t end = test_now_ns() + TEST_MS * UINT64_C(1000000);

	while (peer_links() == before) {
		TEST_TRUE(test_now_ns() < end);
		peer_serve(pe);
	}
	return TEST_SUCCESS;
}

/* The engine of its connection does not know yet that the process has gone. */
static int
process_gone(struct rte_comch_pe *pe, struct hostile *e)
{
	const uint32_t before = peer_links();
	struct test_ep *c = test_ep_new();

	hostile_close(e);
	TEST_CALL(links_change(pe, before));
	TEST_EXPECT(test_consumer_start(c, peer_env.target->conn, pe), -ENOTCONN);
	return test_ep_close(c);
}

/* What an engine has of the device goes before it knows of a process that has come. */
static int
engine_gone(struct test_ep *server)
{
	struct hostile *e = hostile_open(peer_env.path, "pf0");
	const uint32_t before = peer_links();

	TEST_TRUE(e != NULL);
	TEST_EXPECT(hostile_hello_send(e), 0);
	TEST_CALL(links_change(peer_env.pe, before));
	TEST_EXPECT(test_ep_close(server), 0);
	peer_turn_ms(1);
	hostile_close(e);
	return TEST_SUCCESS;
}

/* It is this process that has no descriptor left. */
static int
no_fds(struct rte_comch_pe *pe)
{
	struct test_ep *server = test_ep_new();
	struct rte_comch_server_conf conf;
	struct rlimit before, none;
	int ret;

	TEST_EXPECT(getrlimit(RLIMIT_NOFILE, &before), 0);
	test_server_conf(server, "late", &conf);
	none = before;
	none.rlim_cur = 0;
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &none), 0);
	ret = test_server_start(server, &conf, pe);
	TEST_EXPECT(setrlimit(RLIMIT_NOFILE, &before), 0);
	TEST_EXPECT(ret, -EMFILE);
	return test_ep_close(server);
}

static int
late_engine(struct rte_comch_pe *pe)
{
	struct test_ep *server, *client;
	struct hostile *e = hostile_connected(), *silent = hostile_open(peer_env.path, "pf0");
	uint32_t nb_regions = 0;

	TEST_TRUE(silent != NULL);
	TEST_CALL(no_fds(pe));
	TEST_CALL(share_fill(e, &nb_regions, MAX_FDS * 3 / 4));
	/* links that have nothing for the engine leave the rest to their user */
	server = test_server_run("late", pe);
	TEST_EXPECT(peer_taken(geteuid(), "fds"), MAX_FDS * 3 / 4);
	TEST_EXPECT(test_ep_close(server), 0);
	TEST_CALL(share_fill(e, &nb_regions, MAX_FDS));
	server = test_server_run("late", pe);
	/* who has a full share is refused there, and keeps what it has */
	client = client_run();
	PEER_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -EUSERS);
	TEST_EXPECT(test_ep_close(client), 0);
	TEST_CALL(queues_start(pe, -EMFILE, -EMFILE));
	TEST_CALL(peer_honest(10));
	TEST_TRUE(!hostile_gone(e));
	TEST_EXPECT(peer_taken(geteuid(), "fds"), MAX_FDS);
	TEST_CALL(other_user());

	/* and is served when there is room again */
	hostile_close(silent);
	TEST_CALL(process_gone(pe, e));
	PEER_WAIT(peer_taken(geteuid(), "fds") < MAX_FDS / 2, TEST_MS);
	client = client_run();
	PEER_WAIT(test_state(client) == RTE_COMCH_STATE_RUNNING, TEST_MS);
	TEST_CALL(queues_start(pe, -EINPROGRESS, 0));
	TEST_EXPECT(test_ep_close(client), 0);
	return engine_gone(server);
}

int
ledger_late_engine(void)
{
	struct rte_comch_pe *pe = test_pe_new(); /* stays until the end of the suite */

	TEST_CALL(late_engine(pe));
	/* once more: the link of the honest has kept the segments of its second connection */
	peer_settle();
	TEST_CALL(late_engine(pe));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}
