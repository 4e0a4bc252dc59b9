/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Both sides in processes of their own: many clients of several processes, what they
 * cost, and what happens when a process is killed or stopped at any moment.
 */

#include <dirent.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "test_comch_child.h"
#include "test_comch_util.h"

#define NB_PROCESSES 4
#define CLIENTS_PER_PROCESS 128
#define NB_CLIENTS (NB_PROCESSES * CLIENTS_PER_PROCESS)

/*
 * The loss of a process must be known to its peers by then. A card tells nobody: who has
 * something to send finds out when all retries are over.
 */
#define LOSS_MS (test_place_is_bluefield() ? 8000u : 100u)
#define LOSS_WAIT_MS (TEST_MS + LOSS_MS)

/* What goes on while hundreds connect: a card has a handshake for each. */
#define CONNECT_MS (test_place_is_bluefield() ? 30000u : TEST_MS)
/* A loss takes seconds there, in which all retries go by: fewer of them. */
#define LOSSES(nb) (test_place_is_bluefield() ? 1u : (nb))

/* A receive queue of BlueField is posted in full, for messages of the largest size. */
#define MAX_CONN_KB (test_place_is_bluefield() ? 256u : 64u)

/* For a card of this process, and for a child that is the card. */
static struct test_sides sides;

static int
suite_setup(void)
{
	return test_sides_open(&sides);
}

static void
suite_teardown(void)
{
	test_sides_close(&sides);
}

static void
teardown(void)
{
	test_child_cleanup();
	test_cleanup();
}

/* One of those that live at a time, from 0 on. */
static struct test_child *
host_child(unsigned int nr)
{
	return test_child_start(&sides.here, test_place_function(nr));
}

static struct test_child *
card_child(void)
{
	return test_child_start(&sides.there, NULL);
}

static struct test_ep *
big_server(const char *name, struct rte_comch_pe *pe, unsigned int nb_processes)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;

	test_server_conf(ep, name, &conf);
	conf.ctrl.nb_tasks = 1024;
	conf.ctrl.max_conn_tasks = 1024;
	ep->echo = true;
	if (test_servers_start(ep, &conf, pe, test_place_nb_functions(nb_processes)) != 0)
		test_give_up("no servers %s", name);
	return ep;
}

static int
connect_512(struct test_child **children)
{
	unsigned int i;

	for (i = 0; i < NB_PROCESSES; i++)
		TEST_EXPECT(test_child_tell(children[i], "clients %u many",
				CLIENTS_PER_PROCESS), 0);
	for (i = 0; i < NB_PROCESSES; i++)
		TEST_EXPECT(test_child_answer(children[i], 30000), 0);
	return TEST_SUCCESS;
}

static int
test_512_clients(void)
{
	struct test_child *children[NB_PROCESSES];
	uint64_t rss, rss_children = 0, memfd, kb, per_conn;
	struct test_ep *server;
	unsigned int i, nb;

	server = big_server("many", test_pe_new(), NB_PROCESSES);
	for (i = 0; i < NB_PROCESSES; i++) {
		children[i] = host_child(i);
		TEST_EXPECT(test_child_ask(children[i], TEST_MS, "memory"), 0);
		rss_children += strtoull(children[i]->reply, NULL, 10);
	}
	rss = test_private_kb();
	memfd = test_memfd_kb();
	TEST_CALL(connect_512(children));
	TEST_WAIT(server->nb_connects == NB_CLIENTS, CONNECT_MS);

	rss = test_private_kb() - rss;
	memfd = test_memfd_kb() - memfd;
	kb = 0;
	for (i = 0; i < NB_PROCESSES; i++) {
		TEST_EXPECT(test_child_ask(children[i], TEST_MS, "memory"), 0);
		kb += strtoull(children[i]->reply, NULL, 10);
	}
	rss_children = kb - rss_children;
	per_conn = (rss + rss_children + memfd) * 1024 / NB_CLIENTS;
	/* every page once: what both sides share is not counted on each of them */
	test_note("%u idle connections: server %" PRIu64 " KiB of its own, clients %" PRIu64
			" KiB, shared %" PRIu64 " KiB: %" PRIu64 " bytes per connection",
			NB_CLIENTS, rss, rss_children, memfd, per_conn);
	if (TEST_ASAN)
		test_note("not judged: AddressSanitizer adds to it");
	else
		TEST_TRUE(per_conn < MAX_CONN_KB * 1024);

	for (i = 0; i < NB_PROCESSES; i++)
		TEST_EXPECT(test_child_tell(children[i], "echo 10 1000"), 0);
	for (i = 0, nb = 0; i < NB_PROCESSES; i++) {
		TEST_EXPECT(test_child_answer(children[i], 30000), 0);
		nb += (unsigned int)atoi(children[i]->reply);
	}
	TEST_EXPECT(nb, NB_CLIENTS * 10);
	TEST_EXPECT(server->nb_recv, NB_CLIENTS * 10);
	for (i = 0; i < NB_PROCESSES; i++)
		TEST_EXPECT(test_child_end(children[i]), 0);
	TEST_WAIT(server->nb_disconnects == NB_CLIENTS, TEST_MS);
	TEST_EXPECT(server->disconnect_status, 0);
	return TEST_SUCCESS;
}

/*
 * A round is short, and judged by its lower quartile: one in which the other
 * process had no processor for a while says nothing of what a message costs.
 */
#define COST_ROUNDS 15
#define COST_MSGS (test_place_is_bluefield() ? 1000u : 20000u)
#define COST_TRIES 5

static int
compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Nanoseconds per message of the child's first client, turning one engine only. */
static int
cost(struct test_child *child, struct rte_comch_pe *pe, uint64_t *ns)
{
	int ret;

	TEST_EXPECT(test_child_tell(child, "window %u 64", COST_MSGS), 0);
	while ((ret = test_child_poll(child)) == -EAGAIN) {
		unsigned int i;

		for (i = 0; i < 64; i++)
			rte_comch_pe_progress(pe);
	}
	TEST_EXPECT(ret, 0);
	*ns = strtoull(child->reply, NULL, 10);
	return TEST_SUCCESS;
}

static int
test_cost_at_512_clients(void)
{
	/* tasks for a server of each function */
	const struct rte_comch_pe_conf conf = { .socket_id = -1, .max_tasks = 8192 };
	struct rte_comch_pe *many_pe = test_pe_new_conf(&conf);
	struct rte_comch_pe *alone_pe = test_pe_new_conf(&conf);
	struct test_child *children[NB_PROCESSES], *alone;
	uint64_t many_ns[COST_ROUNDS], alone_ns[COST_ROUNDS];
	unsigned int i, try;
	double ratio = 0;

	big_server("many", many_pe, NB_PROCESSES);
	big_server("alone", alone_pe, NB_PROCESSES + 1);
	for (i = 0; i < NB_PROCESSES; i++)
		children[i] = host_child(i);
	alone = host_child(NB_PROCESSES);
	TEST_CALL(connect_512(children));
	TEST_EXPECT(test_child_ask(alone, 10000, "clients 1 alone"), 0);
	test_settle();

	/* In turns, so that what disturbs the machine disturbs both. */
	for (try = 0; try < COST_TRIES; try++) {
		for (i = 0; i < COST_ROUNDS; i++) {
			TEST_CALL(cost(alone, alone_pe, &alone_ns[i]));
			TEST_CALL(cost(children[0], many_pe, &many_ns[i]));
		}
		qsort(alone_ns, COST_ROUNDS, sizeof(alone_ns[0]), compare_u64);
		qsort(many_ns, COST_ROUNDS, sizeof(many_ns[0]), compare_u64);
		ratio = (double)many_ns[COST_ROUNDS / 4] / (double)alone_ns[COST_ROUNDS / 4];
		test_note("echo of 64 bytes: alone %" PRIu64 " ns (median %" PRIu64 "), among %u "
				"clients %" PRIu64 " ns (median %" PRIu64 "), ratio %.2f",
				alone_ns[COST_ROUNDS / 4], alone_ns[COST_ROUNDS / 2], NB_CLIENTS,
				many_ns[COST_ROUNDS / 4], many_ns[COST_ROUNDS / 2], ratio);
		if (ratio <= 1.5)
			break;
	}
	TEST_TRUE(ratio <= 1.5);
	return TEST_SUCCESS;
}

static int
test_client_killed(void)
{
	struct test_ep *server = big_server("test", test_pe_new(), 2);
	struct test_child *victim, *other;
	uint64_t start, ms, worst = 0, best = UINT64_MAX;
	unsigned int i;

	other = host_child(1);
	TEST_EXPECT(test_child_ask(other, 10000, "clients 10 test"), 0);
	for (i = 0; i < LOSSES(5); i++) {
		victim = host_child(0);
		TEST_EXPECT(test_child_ask(victim, 10000, "clients 3 test"), 0);
		TEST_WAIT(server->nb_connects == 10 + 3 * (i + 1), TEST_MS);
		TEST_EXPECT(test_child_tell(other, "echo 200 500"), 0);
		TEST_EXPECT(test_child_ask(victim, 10000, "flood 256"), 0);
		test_progress_ms(5 + test_rand() % 20);

		start = test_now_ns();
		TEST_EXPECT(kill(victim->pid, SIGKILL), 0);
		TEST_WAIT(server->nb_disconnects == 3 * (i + 1), LOSS_WAIT_MS);
		ms = (test_now_ns() - start) / 1000000;
		worst = RTE_MAX(worst, ms);
		best = RTE_MIN(best, ms);
		TEST_EXPECT(server->disconnect_status, -ECONNRESET);
		test_child_kill(victim);
		/* whose messages have nothing to do with it all arrive */
		TEST_EXPECT(test_child_answer(other, 30000), 0);
		TEST_EXPECT(atoi(other->reply), 2000);
	}
	test_note("the server knew of a killed client after %" PRIu64 " to %" PRIu64 " ms", best,
		worst);
	/* the longest is that of a machine with more to do than it has processors */
	TEST_TRUE(best <= LOSS_MS);
	TEST_EXPECT(test_child_ask(other, TEST_MS, "state"), 0);
	TEST_TRUE(strcmp(other->reply, " 10 0 0") == 0);
	TEST_EXPECT(test_child_end(other), 0);
	return TEST_SUCCESS;
}

static bool
all_in_state(struct test_ep **eps, unsigned int nb, int state)
{
	unsigned int i;

	for (i = 0; i < nb; i++)
		if (test_state(eps[i]) != state)
			return false;
	return true;
}

static int
test_server_killed(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *clients[4];
	struct rte_comch_dev_stats stats;
	struct test_child *server;
	uint64_t start, ms, worst = 0, best = UINT64_MAX;
	/* clients have to find the next one */
	unsigned int i, round, rounds = test_place_is_bluefield() ? 2 : 3;

	TEST_EXPECT(rte_comch_dev_stats_reset(test_pair.host), 0);
	for (round = 0; round < rounds; round++) {
		server = card_child();
		TEST_EXPECT(test_child_ask(server, 10000, "server test"), 0);
		start = test_now_ns();
		for (i = 0; i < RTE_DIM(clients); i++) {
			if (round == 0)
				clients[i] = test_client_run("test", pe);
			else
				TEST_EXPECT(rte_comch_ctx_start(clients[i]->ctx), -EINPROGRESS);
		}
		TEST_WAIT(all_in_state(clients, RTE_DIM(clients), RTE_COMCH_STATE_RUNNING),
				TEST_MS);
		ms = (test_now_ns() - start) / 1000000;
		TEST_ASSERT(ms < 1000, "round %u: to connect took %" PRIu64 " ms", round, ms);
		for (i = 0; i < RTE_DIM(clients); i++) {
			clients[i]->nb_recv = 0;
			TEST_EXPECT(test_send_pattern(clients[i]->conn, 100, i), 0);
			TEST_WAIT(clients[i]->nb_recv == 1, TEST_MS);
			clients[i]->nb_done = 0;
			clients[i]->nb_failed = 0;
		}
		/* while messages are under way */
		for (i = 0; i < 32; i++)
			TEST_EXPECT(test_send_pattern(clients[0]->conn, 1000, i), 0);
		start = test_now_ns();
		TEST_EXPECT(kill(server->pid, SIGKILL), 0);
		TEST_WAIT(all_in_state(clients, RTE_DIM(clients), RTE_COMCH_STATE_IDLE),
				LOSS_WAIT_MS);
		ms = (test_now_ns() - start) / 1000000;
		worst = RTE_MAX(worst, ms);
		best = RTE_MIN(best, ms);
		for (i = 0; i < RTE_DIM(clients); i++)
			TEST_EXPECT(rte_comch_ctx_reason_get(clients[i]->ctx), -ECONNRESET);
		TEST_EXPECT(clients[0]->nb_done + clients[0]->nb_failed, 32);
		if (clients[0]->nb_failed != 0)
			TEST_EXPECT(clients[0]->send_status, -ECONNRESET);
		test_child_kill(server);
	}
	test_note("clients knew of a killed server after %" PRIu64 " to %" PRIu64 " ms", best,
		worst);
	/* the longest is that of a machine with more to do than it has processors */
	TEST_TRUE(best <= LOSS_MS);
	TEST_EXPECT(rte_comch_dev_stats_get(test_pair.host, &stats), 0);
	TEST_EXPECT(stats.peer_lost, rounds * RTE_DIM(clients));
	TEST_EXPECT(stats.violations, 0);
	return TEST_SUCCESS;
}

/*
 * What the system knows of us by name: sockets of the two rendezvous, which are
 * told from those of other users by the identity of the directory, and files.
 */
static unsigned int
count_names(void)
{
	FILE *f = fopen("/proc/net/unix", "r");
	DIR *d = opendir("/dev/shm");
	char here_id[32], there_id[32], *name;
	struct dirent *entry;
	char *line = NULL;
	size_t size = 0;
	unsigned int nb = 0;
	struct stat st;

	snprintf(here_id, sizeof(here_id), "%" PRIx64,
			stat(test_place_dir(&sides.here), &st) == 0 ? (uint64_t)st.st_ino : 0);
	snprintf(there_id, sizeof(there_id), "%" PRIx64,
			stat(test_place_dir(&sides.there), &st) == 0 ? (uint64_t)st.st_ino : 0);
	while (f != NULL && getline(&line, &size, f) > 0) {
		name = strstr(line, "@dpdk-comch");
		nb += name != NULL && (strstr(name, here_id) != NULL ||
				strstr(name, there_id) != NULL);
	}
	while (d != NULL && (entry = readdir(d)) != NULL)
		nb += strstr(entry->d_name, "comch") != NULL;
	free(line);
	if (f != NULL)
		fclose(f);
	if (d != NULL)
		closedir(d);
	return nb;
}

static unsigned int
count_files(const struct test_place *place)
{
	unsigned int nb = 0;
	DIR *d = opendir(test_place_dir(place));

	while (d != NULL && readdir(d) != NULL)
		nb++;
	if (d != NULL)
		closedir(d);
	return nb;
}

/* One life of a card and a host, each killed while it is busy. */
static int
live_and_die(struct test_ep *server, struct test_ep *client)
{
	uint32_t before = server->nb_disconnects;
	struct test_child *child;

	child = host_child(0);
	TEST_EXPECT(test_child_ask(child, 10000, "clients 8 test"), 0);
	TEST_EXPECT(test_child_ask(child, 10000, "flood 300"), 0);
	test_progress_ms(10);
	test_child_kill(child);
	TEST_WAIT(server->nb_disconnects == before + 8, LOSS_WAIT_MS);

	child = card_child();
	TEST_EXPECT(test_child_ask(child, 10000, "server test"), 0);
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	TEST_WAIT(client->conn != NULL, TEST_MS);
	test_child_kill(child);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, LOSS_WAIT_MS);
	return TEST_SUCCESS;
}

static int
test_nothing_left_behind(void)
{
	unsigned int fds, maps, names, files, round;
	struct test_ep *server = big_server("test", test_pe_new(), 2);
	struct test_ep *client = test_ep_new();
	struct rte_comch_client_conf conf;
	uint64_t rss;

	test_client_conf(client, "test", &conf);
	TEST_EXPECT(rte_comch_client_create(test_pair.host, &conf, &client->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(client->ctx, test_pe_new()), 0);
	TEST_CALL(live_and_die(server, client)); /* what is made once is made now */
	test_progress_ms(50);
	names = count_names();
	fds = test_count_fds();
	maps = test_count_maps();
	rss = test_private_kb();
	files = count_files(&sides.here) + count_files(&sides.there);
	for (round = 0; round < LOSSES(5); round++)
		TEST_CALL(live_and_die(server, client));
	TEST_WAIT(test_count_fds() <= fds, TEST_MS);
	TEST_WAIT(test_count_maps() <= maps, TEST_MS);
	TEST_WAIT(count_names() <= names, TEST_MS);
	/* of shm: sockets of functions, which the next one takes, and the file of the lock */
	TEST_EXPECT(count_files(&sides.here) + count_files(&sides.there), files);
	test_note("before and after %u killed processes: %u and %u descriptors, %u and %u "
			"mappings, %u and %u names, %" PRIu64 " and %" PRIu64 " KiB",
			2 * LOSSES(5), fds,
			test_count_fds(), maps, test_count_maps(), names, count_names(), rss,
			test_private_kb());
	return TEST_SUCCESS;
}

static int
test_stopped_client(void)
{
	struct test_ep *server = big_server("test", test_pe_new(), 2);
	struct test_child *stopped, *other;
	struct rte_comch_conn *conn;
	uint64_t start, ns, worst = 0;
	unsigned int i;
	int status;

	stopped = host_child(0);
	TEST_EXPECT(test_child_ask(stopped, 10000, "clients 1 test"), 0);
	TEST_WAIT(server->conn != NULL, TEST_MS);
	conn = server->conn;
	other = host_child(1);
	TEST_EXPECT(test_child_ask(other, 10000, "clients 10 test"), 0);

	TEST_EXPECT(kill(stopped->pid, SIGSTOP), 0);
	TEST_TRUE(waitpid(stopped->pid, &status, WUNTRACED) == stopped->pid);
	for (i = 0; i < 900; i++)
		TEST_EXPECT(test_send_pattern(conn, 1000, i), 0);
	TEST_EXPECT(test_child_tell(other, "echo 100 1000"), 0);
	for (i = 0; test_child_poll(other) == -EAGAIN; i++) {
		TEST_TRUE(i < 100000000);
		start = test_now_ns();
		TEST_TRUE(test_progress() >= 0);
		ns = test_now_ns() - start;
		worst = RTE_MAX(worst, ns);
	}
	TEST_EXPECT(atoi(other->reply), 1000);
	test_note("beside a stopped client one turn took at most %" PRIu64 " us", worst / 1000);
	TEST_TRUE(worst < 500000000);
	TEST_EXPECT(server->nb_disconnects, 0); /* it lives */

	/* it can be ended without its help */
	TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	TEST_WAIT(server->nb_disconnects == 1, TEST_MS);
	TEST_EXPECT(server->disconnect_status, -ECANCELED);
	TEST_EXPECT(server->nb_failed, 900);
	TEST_EXPECT(server->send_status, -ECANCELED);

	TEST_EXPECT(kill(stopped->pid, SIGCONT), 0);
	start = test_now_ns();
	do {
		TEST_EXPECT(test_child_ask(stopped, 10000, "state"), 0);
		TEST_TRUE(test_now_ns() - start < 5000000000);
	} while (strncmp(stopped->reply, " 0 1", 4) != 0);
	TEST_EXPECT(atoi(stopped->reply + 4), -ESHUTDOWN);
	/* of what its peer was told that it is lost, nothing is delivered */
	TEST_EXPECT(test_child_ask(stopped, 10000, "received"), 0);
	TEST_EXPECT(atoi(stopped->reply), 0);
	/* and comes back */
	TEST_EXPECT(test_child_ask(stopped, 10000, "leave"), 0);
	TEST_EXPECT(test_child_ask(stopped, 10000, "clients 1 test"), 0);
	TEST_EXPECT(test_child_ask(stopped, 10000, "echo 10 100"), 0);
	return TEST_SUCCESS;
}

/*
 * This side sends and stops at once: as a server whose client is a child, or as a client
 * whose server is one.
 */
#define NB_LAST 8
/* The library waits for ten seconds in all. */
#define LAST_MS 12000

struct last {
	bool server;
	struct test_ep *ep;
	struct test_child *child;
};

static int
last_open(struct last *last, bool server)
{
	last->server = server;
	if (server) {
		last->ep = big_server("test", test_pe_new(), 1);
		last->child = host_child(0);
		TEST_EXPECT(test_child_ask(last->child, 10000, "clients 1 test"), 0);
		/* a card's side may be connected before it can send */
		TEST_EXPECT(test_child_ask(last->child, 10000, "echo 1 10"), 0);
		TEST_WAIT(last->ep->nb_done == 1, TEST_MS);
	} else {
		last->child = card_child();
		TEST_EXPECT(test_child_ask(last->child, 10000, "server test"), 0);
		last->ep = test_client_run("test", test_pe_new());
	}
	TEST_WAIT(last->ep->conn != NULL, TEST_MS);
	TEST_EXPECT(test_child_ask(last->child, 10000, "slow 0"), 0);
	last->ep->nb_done = 0;
	return TEST_SUCCESS;
}

static int
last_send(struct last *last, bool stop)
{
	struct rte_comch_conn *conn = last->ep->conn;
	unsigned int i;

	for (i = 0; i < NB_LAST; i++)
		TEST_EXPECT(test_send_pattern(conn, 100, i), 0);
	if (stop && last->server)
		TEST_EXPECT(rte_comch_server_disconnect(conn), 0);
	else if (stop)
		TEST_EXPECT(rte_comch_ctx_stop(last->ep->ctx), -EINPROGRESS);
	return TEST_SUCCESS;
}

/* All tasks have ended, so many of them well. */
static int
last_check(struct last *last, unsigned int done, int status)
{
	if (last->server)
		TEST_WAIT(last->ep->nb_disconnects == 1, LAST_MS);
	else
		TEST_WAIT(test_state(last->ep) == RTE_COMCH_STATE_IDLE, LAST_MS);
	TEST_EXPECT(last->ep->nb_done, done);
	TEST_EXPECT(last->ep->nb_failed, NB_LAST - done);
	if (done < NB_LAST)
		TEST_EXPECT(last->ep->send_status, status);
	return TEST_SUCCESS;
}

static int
last_to_slow(bool server)
{
	uint64_t end = test_now_ns() + (uint64_t)3 * TEST_MS * 1000000;
	struct last last;

	TEST_CALL(last_open(&last, server));
	TEST_EXPECT(test_child_ask(last.child, TEST_MS, "slow 200"), 0);
	TEST_CALL(last_send(&last, true));
	TEST_CALL(last_check(&last, NB_LAST, 0));
	/* over a card, it has said before that it takes them */
	do {
		TEST_EXPECT(test_child_ask(last.child, TEST_MS, "received"), 0);
		TEST_TRUE(test_now_ns() < end);
	} while (atoi(last.child->reply) != NB_LAST);
	teardown();
	return TEST_SUCCESS;
}

static int
test_last_to_slow(void)
{
	TEST_CALL(last_to_slow(true));
	return last_to_slow(false);
}

static int
last_to_stopped(bool server)
{
	struct last last;
	int status;

	TEST_CALL(last_open(&last, server));
	TEST_EXPECT(kill(last.child->pid, SIGSTOP), 0);
	TEST_TRUE(waitpid(last.child->pid, &status, WUNTRACED) == last.child->pid);
	TEST_CALL(last_send(&last, true));
	TEST_CALL(last_check(&last, 0, -ECANCELED));
	TEST_EXPECT(kill(last.child->pid, SIGCONT), 0);
	test_progress_ms(50);
	TEST_EXPECT(test_child_ask(last.child, TEST_MS, "received"), 0);
	TEST_EXPECT(atoi(last.child->reply), 0);
	teardown();
	return TEST_SUCCESS;
}

static int
test_last_to_stopped(void)
{
	TEST_CALL(last_to_stopped(true));
	return last_to_stopped(false);
}

/*
 * The peer dies with the third in its hands. A card knows less of what the application
 * had: some of that was not told of, or all that its library had was.
 */
static int
last_to_killed(bool server, bool stop)
{
	struct last last;
	uint32_t done;

	TEST_CALL(last_open(&last, server));
	TEST_EXPECT(test_child_ask(last.child, TEST_MS, "die 3"), 0);
	TEST_CALL(last_send(&last, stop));
	TEST_WAIT(last.ep->nb_done + last.ep->nb_failed == NB_LAST, LOSS_WAIT_MS);
	done = test_place_is_bluefield() ? last.ep->nb_done : 3;
	TEST_CALL(last_check(&last, done, stop ? -ECANCELED : -ECONNRESET));
	test_child_kill(last.child);
	teardown();
	return TEST_SUCCESS;
}

static int
test_last_to_killed(void)
{
	TEST_CALL(last_to_killed(true, true));
	TEST_CALL(last_to_killed(true, false));
	TEST_CALL(last_to_killed(false, true));
	return last_to_killed(false, false);
}

/* A server that goes in order tells each client, which can then go on to another. */
static int
test_server_process_ends(void)
{
	struct test_ep *client;
	struct test_child *server = card_child();

	TEST_EXPECT(test_child_ask(server, 10000, "server test"), 0);
	client = test_client_run("test", test_pe_new());
	TEST_WAIT(client->conn != NULL, TEST_MS);
	TEST_EXPECT(test_send_pattern(client->conn, 8, 1), 0);
	TEST_WAIT(client->nb_recv == 1, TEST_MS); /* now both sides know of it */
	TEST_EXPECT(test_child_end(server), 0);
	TEST_WAIT(test_state(client) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(client->ctx), -ESHUTDOWN);

	/* the client comes first, and waits for the card */
	TEST_EXPECT(rte_comch_ctx_start(client->ctx), -EINPROGRESS);
	test_progress_ms(100);
	TEST_EXPECT(test_state(client), RTE_COMCH_STATE_STARTING);
	TEST_CALL(test_stop(client));
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: processes",
	.setup = suite_setup,
	.teardown = suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(NULL, teardown, test_512_clients),
		TEST_CASE_ST(NULL, teardown, test_cost_at_512_clients),
		TEST_CASE_ST(NULL, teardown, test_client_killed),
		TEST_CASE_ST(NULL, teardown, test_server_killed),
		TEST_CASE_ST(NULL, teardown, test_nothing_left_behind),
		TEST_CASE_ST(NULL, teardown, test_stopped_client),
		TEST_CASE_ST(NULL, teardown, test_last_to_slow),
		TEST_CASE_ST(NULL, teardown, test_last_to_stopped),
		TEST_CASE_ST(NULL, teardown, test_last_to_killed),
		TEST_CASE_ST(NULL, teardown, test_server_process_ends),
		TEST_CASES_END()
	},
};

REGISTER_SLOW_TEST(comch_process_autotest, unit_test_suite_runner, &suite)
