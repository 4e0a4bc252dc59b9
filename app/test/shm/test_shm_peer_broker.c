/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Attacks on brokers, and on those who start them: peers that do not read, brokers that do not
 * end, and what a broker may not close before others have.
 */

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test_shm_peer.h"

/* Links that do not read, the answers for each, and descriptors in those that they may have. */
#define NB_UNREAD 6u
#define NB_ANSWERS 40u
#define MAX_UNREAD 64u
/* The same of one link. */
#define LINK_UNREAD 16u

static int
broker_suite_setup(void)
{
	peer_env.args = ",broker=all"; /* also for the processes of this user */
	return peer_suite_setup();
}

/* What comes without a turn of the server; descriptors are counted. */
static unsigned int
answers_read(struct hostile **e, unsigned int nb_e, unsigned int *nb_fds)
{
	unsigned int i, nb = 0;
	int type;

	for (i = 0; i < nb_e; i++) {
		while ((type = hostile_recv(e[i])) > 0) {
			nb += type == SHM_WIRE_ACCEPT;
			*nb_fds += e[i]->msg_fd >= 0;
		}
	}
	return nb;
}

/*
 * Answers with descriptors that nobody reads: the kernel counts them for the user of the card's
 * side and its brokers, which has few if it is not root. All come when they are read.
 */
static int
test_unread(void)
{
	struct hostile *e[NB_UNREAD];
	unsigned int i, nb, nb_fds = 0, before, most = 0;

	for (i = 0; i < NB_UNREAD; i++) {
		e[i] = hostile_up();
		TEST_TRUE(e[i] != NULL);
	}
	for (nb = 0; nb < NB_UNREAD * NB_ANSWERS; nb++)
		TEST_EXPECT(hostile_say(e[nb % NB_UNREAD], SHM_WIRE_CONNECT, nb / NB_UNREAD), 0);
	peer_turn_ms(200);
	test_signal_brokers(SIGSTOP);
	for (i = nb = 0; i < NB_UNREAD; i++) {
		before = nb_fds;
		nb += answers_read(&e[i], 1, &nb_fds);
		most = RTE_MAX(most, nb_fds - before);
	}
	test_signal_brokers(SIGCONT);
	test_note("%u answers, and %u descriptors, were in the sockets, at most %u in one", nb,
		nb_fds, most);
	TEST_TRUE(nb_fds <= MAX_UNREAD && most <= LINK_UNREAD);
	PEER_WAIT((nb += answers_read(e, NB_UNREAD, &nb_fds)) == NB_UNREAD * NB_ANSWERS, TEST_MS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* The same between the card's side and a broker that takes none: what is not sent stays here. */
static int
test_unread_brokers(void)
{
	struct hostile *e = hostile_up();
	unsigned int nb, nb_fds = 0;
	int fds;

	TEST_TRUE(e != NULL);
	for (nb = 0; nb < NB_ANSWERS; nb++)
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CONNECT, nb), 0);
	usleep(200000); /* brokers pass them on, and nobody looks */
	test_signal_brokers(SIGSTOP);
	fds = test_count_fds();
	peer_turn_ms(200);
	fds = test_count_fds() - fds;
	test_signal_brokers(SIGCONT);
	test_note("%d descriptors of %u answers were kept", fds, NB_ANSWERS);
	TEST_TRUE(fds >= (int)NB_ANSWERS / 2);
	PEER_WAIT((nb -= answers_read(&e, 1, &nb_fds)) == 0, TEST_MS);
	TEST_CALL(peer_honest(10));
	TEST_EXPECT(peer_violations(), 0);
	return TEST_SUCCESS;
}

/* What waits there stays in order: no connection ends before its answer has come. */
static int
test_unread_order(void)
{
	const uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;
	struct test_ep *server = test_server_run("order", peer_env.pe);
	bool accepted[LINK_UNREAD] = { false };
	struct hostile *e = hostile_up();
	unsigned int i, nb = 0;
	int type;

	for (i = 0; i < LINK_UNREAD; i++)
		TEST_EXPECT(hostile_connect_send(e, i, "order", 1), 0);
	usleep(200000); /* as above */
	test_signal_brokers(SIGSTOP);
	peer_turn_ms(20);
	rte_comch_ctx_stop(server->ctx);
	peer_turn_ms(20);
	test_signal_brokers(SIGCONT);
	while (nb < LINK_UNREAD) {
		peer_turn();
		type = hostile_recv(e);
		TEST_TRUE(type >= 0 && test_now_ns() < end);
		if (type == SHM_WIRE_ACCEPT)
			accepted[e->msg.hdr.chan % LINK_UNREAD] = true;
		nb += type == SHM_WIRE_REFUSE; /* its broker was late */
		if (type != SHM_WIRE_CLOSE)
			continue;
		TEST_TRUE(accepted[e->msg.hdr.chan % LINK_UNREAD]);
		TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSED, e->msg.hdr.chan), 0);
		nb++;
	}
	TEST_EXPECT(peer_violations(), 0);
	return test_ep_close(server);
}

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: brokers",
	.setup = broker_suite_setup,
	.teardown = peer_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_brokers),
		TEST_CASE_ST(peer_setup, peer_teardown, test_unread_order),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_peer_broker_autotest, unit_test_suite_runner, &suite)
