/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Connections of the tests of the fast path between processes, with what is
 * known of the consumers of the peer; and the pattern that messages are made
 * of. What sends and receives is in test_comch_fp_load.c.
 */

#include <stdarg.h>
#include <unistd.h>

#include "test_comch_fp_load.h"
#include "test_comch_place.h"

/* Odd, and its multiples differ in all bits: that of splitmix64. */
#define STEP UINT64_C(0x9e3779b97f4a7c15)

TAILQ_HEAD(test_link_list, test_link);

static struct test_link_list links = TAILQ_HEAD_INITIALIZER(links);

void
test_complain(const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	/* one call: threads and processes do not mix their words */
	fprintf(stderr, "process %d: %s\n", (int)getpid(), text);
}

uint64_t
test_fp_mix(uint64_t x)
{
	x += STEP;
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

void
test_fp_fill(void *buf, uint64_t len, uint64_t seed)
{
	uint8_t *p = buf;
	uint64_t x = seed, i, word;

	for (i = 0; len - i >= sizeof(word); i += sizeof(word), x += STEP) {
		word = x ^ (x >> 29);
		memcpy(p + i, &word, sizeof(word));
	}
	word = x ^ (x >> 29);
	memcpy(p + i, &word, len - i);
}

bool
test_fp_check(const void *buf, uint64_t len, uint64_t seed)
{
	const uint8_t *p = buf;
	uint64_t x = seed, i, word, wrong = 0;

	for (i = 0; len - i >= sizeof(word); i += sizeof(word), x += STEP) {
		memcpy(&word, p + i, sizeof(word));
		wrong |= word ^ x ^ (x >> 29);
	}
	word = x ^ (x >> 29);
	return wrong == 0 && memcmp(p + i, &word, len - i) == 0;
}

static struct test_link *
link_find(const struct rte_comch_conn *conn)
{
	struct test_link *link;

	TAILQ_FOREACH(link, &links, next)
		if (link->conn == conn)
			return link;
	return NULL;
}

static void
link_add(struct rte_comch_conn *conn, bool card)
{
	struct test_link *link = calloc(1, sizeof(*link));
	struct rte_comch_conn_info info;

	if (link == NULL || rte_comch_conn_info_get(conn, &info) != 0) {
		test_complain("no memory for a link");
		free(link);
		return;
	}
	link->conn = conn;
	link->card = card;
	link->dev = card ? test_pair.dpu : test_pair.host;
	link->peer_pid = info.peer_pid;
	snprintf(link->function, sizeof(link->function), "%s", info.function);
	pthread_mutex_init(&link->lock, NULL);
	TAILQ_INSERT_HEAD(&links, link, next);
}

static void
link_end(const struct rte_comch_conn *conn, int status)
{
	struct test_link *link = link_find(conn);

	if (link == NULL)
		return;
	link->conn = NULL;
	link->status = status;
	__atomic_store_n(&link->newest, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&link->ended, true, __ATOMIC_RELEASE);
}

static void
link_consumer_new(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data __rte_unused)
{
	struct test_link *link = link_find(conn);

	if (link == NULL)
		return;
	pthread_mutex_lock(&link->lock);
	if (link->nb_ids < TEST_LINK_IDS)
		link->ids[link->nb_ids++] = consumer_id;
	else
		test_complain("more consumers of the peer than a test has");
	pthread_mutex_unlock(&link->lock);
	link->nb_new++;
	__atomic_store_n(&link->newest, consumer_id, __ATOMIC_RELEASE);
}

static void
link_consumer_gone(struct rte_comch_conn *conn, uint32_t consumer_id, void *user_data __rte_unused)
{
	struct test_link *link = link_find(conn);
	uint32_t i;

	if (link == NULL)
		return;
	pthread_mutex_lock(&link->lock);
	for (i = 0; i < link->nb_ids && link->ids[i] != consumer_id; i++)
		;
	if (i < link->nb_ids)
		link->ids[i] = link->ids[--link->nb_ids];
	else
		test_complain("consumer %u departed and had never arrived", consumer_id);
	pthread_mutex_unlock(&link->lock);
	link->nb_gone++;
	if (link->newest == consumer_id)
		__atomic_store_n(&link->newest, 0, __ATOMIC_RELAXED);
}

static void
on_connect(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn)
{
	link_add(conn, true);
}

static void
on_disconnect(struct test_ep *ep __rte_unused, struct rte_comch_conn *conn, int status)
{
	link_end(conn, status);
}

static void
on_client_state(struct test_ep *ep, int prev __rte_unused, int next)
{
	if (next == RTE_COMCH_STATE_RUNNING) {
		ep->arg = ep->conn;
		link_add(ep->conn, false);
	} else if (ep->arg != NULL) {
		link_end(ep->arg, rte_comch_ctx_reason_get(ep->ctx));
		ep->arg = NULL;
	}
}

struct test_ep *
test_link_listen(const char *name, struct rte_comch_pe *pe)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_server_conf conf;
	int ret;

	test_server_conf(ep, name, &conf);
	conf.ctrl.consumer_new_cb = link_consumer_new;
	conf.ctrl.consumer_gone_cb = link_consumer_gone;
	ep->on_connect = on_connect;
	ep->on_disconnect = on_disconnect;
	/* a test has two processes beside its own */
	ret = test_servers_start(ep, &conf, pe, test_place_nb_functions(2));
	if (ret != 0)
		test_give_up("server %s: %s", name, strerror(-ret));
	return ep;
}

struct test_ep *
test_link_connect(const char *name, struct rte_comch_pe *pe)
{
	struct test_ep *ep = test_ep_new();
	struct rte_comch_client_conf conf;
	int ret;

	test_client_conf(ep, name, &conf);
	conf.ctrl.consumer_new_cb = link_consumer_new;
	conf.ctrl.consumer_gone_cb = link_consumer_gone;
	ep->on_state = on_client_state;
	ret = test_client_start(ep, &conf, pe);
	if (ret != -EINPROGRESS)
		test_give_up("client of %s: %s", name, strerror(-ret));
	return ep;
}

/* Drivers that do not know the process of a peer have one for each function. */
struct test_link *
test_link_of(uint32_t peer_pid, const char *function)
{
	struct test_link *link;

	TAILQ_FOREACH(link, &links, next)
		if (link->conn != NULL && (peer_pid == 0 || link->peer_pid == peer_pid ||
				(link->peer_pid == 0 && strcmp(link->function, function) == 0)))
			return link;
	return NULL;
}

void
test_link_cleanup(void)
{
	struct test_link *link;

	while ((link = TAILQ_FIRST(&links)) != NULL) {
		TAILQ_REMOVE(&links, link, next);
		pthread_mutex_destroy(&link->lock);
		free(link);
	}
}
