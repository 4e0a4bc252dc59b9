/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The ideas of the attackers of the suite shm_attack_storm. Their processes are in
 * test_shm_storm_spawn.c.
 */

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test_shm_peer_fast.h"
#include "test_shm_peer_fs.h"
#include "test_shm_storm.h"

/* What one attacker tries to have at one time. */
#define EVIL_SOCKETS 200u
#define EVIL_CONNS 100u
#define EVIL_FDS 1000u
#define EVIL_CHILDREN 8u
#define EVIL_REGION (UINT64_C(16) << 20)

const char *storm_evil_dir;

/*
 * What the ideas are made of. What is refused is what the limits are for: try again.
 */

static struct hostile *
evil_up(void)
{
	struct hostile *e = hostile_open(storm_evil_dir, hostile_function);

	if (e != NULL && hostile_hello(e) == 0)
		return e;
	if (e != NULL)
		hostile_close(e);
	usleep(1000);
	return NULL;
}

static struct hostile *
evil_connected(void)
{
	struct hostile *e = evil_up();

	if (e == NULL || (hostile_connect(e, &e->chan, 0) == 0 && hostile_ready(e, &e->chan) == 0))
		return e;
	hostile_close(e);
	usleep(1000);
	return NULL;
}

/* A consumer with a region of its own. @return 0 or a negative errno */
static int
evil_consumer(struct hostile *e, struct hostile_region *r, struct hostile_consumer *c, uint32_t id,
		uint64_t size)
{
	int ret = hostile_region_create(r, size);

	if (ret == 0)
		ret = hostile_region_send(e, r, id);
	return ret == 0 ? hostile_consumer_start(e, c, id + 1, id) : ret;
}

/* Many connections of one link, each with its segments. */
static void
evil_fill(struct hostile *e)
{
	struct hostile_consumer c;
	struct hostile_chan chan;
	union shm_wire_msg msg;
	uint32_t i;
	int ret = 0;

	for (i = 0; i < EVIL_CONNS && ret == 0; i++) {
		memset(&chan, 0, sizeof(chan));
		ret = hostile_connect(e, &chan, i);
		if (ret == 0)
			ret = hostile_chan_seg_create(&chan, HOSTILE_RING_SIZE);
		if (ret == 0) {
			hostile_fill(&msg, SHM_WIRE_READY, i);
			msg.ready.tx.seg = i;
			ret = hostile_send(e, &msg, SHM_WIRE_READY, i, chan.seg.fd);
		}
		memset(&c, 0, sizeof(c));
		e->chan.id = i;
		if (ret == 0)
			ret = hostile_consumer_start(e, &c, i + 1, SHM_WIRE_NO_REGION);
		hostile_consumer_free(&c);
		hostile_chan_free(&chan);
	}
}

/*
 * The ideas
 */

static void
idea_none(void)
{
	pause();
}

/* Descriptors whose close waits for this side. */
static void
idea_slow_files(void)
{
	static const uint16_t types[] = { SHM_WIRE_GROUP, SHM_WIRE_REGION, SHM_WIRE_CLOSE };
	int fds[2] = { hostile_fs.file, hostile_fs.file };
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < RTE_DIM(types); i++) {
		e = evil_connected();
		if (e == NULL)
			continue;
		hostile_fill(&msg, types[i], 0);
		hostile_send_raw(e, &msg, msg.hdr.len, fds, types[i] == SHM_WIRE_CLOSE ? 2 : 1);
		if (types[i] == SHM_WIRE_REGION)
			hostile_say(e, SHM_WIRE_REGION_GONE, 0);
		usleep(1000);
	}
}

/* More sockets than there may be; most say nothing, some only HELLO. */
static void
idea_sockets(void)
{
	union shm_wire_msg msg;
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < EVIL_SOCKETS; i++) {
		e = hostile_open(storm_evil_dir, hostile_function);
		if (e == NULL) {
			usleep(1000);
			continue;
		}
		hostile_fill(&msg, SHM_WIRE_HELLO, 0);
		if (i % 4 == 0 && hostile_seg_create(&e->seg, offsetof(struct shm_wire_link,
				sock_doorbell), sizeof(struct shm_wire_link)) == 0)
			hostile_send(e, &msg, SHM_WIRE_HELLO, 0, e->seg.fd);
	}
	usleep(50000);
}

/* A consumer, and its region if there is one. */
static void
evil_consumer_free(struct hostile_consumer *c, struct hostile_region *r)
{
	hostile_consumer_free(c);
	if (r->fd >= 0)
		hostile_region_free(r);
}

/* Memory that the server writes to and reads from goes, page by page. */
static void
idea_holes(void)
{
	const int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
	struct hostile_consumer c = { .msg.nb_posts = 64 };
	struct hostile_region r = { .fd = -1 };
	struct hostile *e = evil_connected();
	unsigned int i, k;

	if (e != NULL && evil_consumer(e, &r, &c, 0, EVIL_REGION / 16) == 0) {
		for (i = 0; i < 1000 && !hostile_gone(e); i++) {
			for (k = 0; k < 8; k++)
				hostile_post(&c, (i * 8 + k) % 256 * 4096, 4096);
			hostile_ring(e, &e->chan);
			fallocate(r.fd, mode, (off_t)(i % 16) * 65536, 65536);
			if (i % 100 == 99)
				fallocate(e->chan.seg.fd, mode, 4096, 8192);
			usleep(100);
		}
		fallocate(c.seg.fd, mode, 0, c.seg.size);
		fallocate(e->chan.seg.fd, mode, 0, e->chan.seg.size);
		usleep(1000);
	}
	evil_consumer_free(&c, &r);
}

/* As much as can be mapped, and all of it given back at once. */
static void
idea_mappings(void)
{
	struct hostile *e = evil_up();

	if (e != NULL)
		evil_fill(e);
}

/* Descriptors that lie in sockets, and answers that nobody reads. */
static void
idea_in_flight(void)
{
	struct hostile *e[4];
	union shm_wire_msg msg;
	unsigned int i, k;

	for (k = 0; k < RTE_DIM(e); k++) {
		e[k] = evil_up();
		for (i = 0; e[k] != NULL && i < EVIL_FDS; i++) {
			hostile_fill(&msg, i % 2 != 0 ? SHM_WIRE_CONNECT : SHM_WIRE_REGION, i);
			if (i % 2 == 0) {
				msg.hdr.chan = 0;
				msg.region.region = i;
			}
			if (hostile_send(e[k], &msg, msg.hdr.type, msg.hdr.chan,
					i % 2 != 0 ? -1 : e[k]->seg.fd) != 0)
				break;
		}
	}
	usleep(20000);
}

/* Its process has gone, and the socket has not: a child has it. */
static void
idea_orphans(void)
{
	unsigned int i;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (i = 0; i < EVIL_CHILDREN; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		evil_connected();
		if (fork() == 0)
			usleep(200000);
		_exit(0);
	}
	usleep(50000);
	while (waitpid(-1, NULL, WNOHANG) > 0)
		;
}

static void
idea_churn(void)
{
	struct hostile *e = evil_connected();
	unsigned int i;

	for (i = 0; e != NULL && i < 20; i++)
		if (hostile_say(e, SHM_WIRE_CLOSE, 0) != 0 ||
				hostile_wait(e, SHM_WIRE_CLOSED, 1000) != 0 ||
				hostile_connect(e, &e->chan, 0) != 0 ||
				hostile_ready(e, &e->chan) != 0)
			break;
}

/* A line of the log each, if the server would let it. */
static void
idea_breaches(void)
{
	struct hostile *e = hostile_open(storm_evil_dir, hostile_function);

	if (e == NULL)
		usleep(1000);
	else
		hostile_send_raw(e, "", 1, NULL, 0);
}

/* All doorbells, and all that says whether this side sleeps. */
static void
idea_flips(void)
{
	struct hostile_consumer c = { .msg.flags = SHM_WIRE_CONSUMER_F_IDLE };
	struct hostile_region r = { .fd = -1 };
	struct hostile *e = evil_connected();
	uint32_t i, n;

	if (e != NULL && evil_consumer(e, &r, &c, 0, EVIL_REGION / 16) == 0) {
		for (i = 0; i < 200000 && !e->eof; i++) {
			n = test_rand();
			__atomic_store_n(&e->own->groups[i % SHM_WIRE_MAX_GROUPS].armed,
				n % 2 != 0 ? i : 0, __ATOMIC_SEQ_CST);
			e->own->groups[n % SHM_WIRE_MAX_GROUPS]
				.doorbells[i % SHM_WIRE_QDOORBELL_WORDS] ^= (uint64_t)n << 16;
			e->own->doorbells[i % SHM_WIRE_DOORBELL_WORDS] ^= (uint64_t)n << 8 | n;
			e->own->sock_doorbell += n % 2;
			__atomic_store_n(&c.posts->idle, n % 4 != 0 ? n | 1 : 0, __ATOMIC_RELAXED);
			if (i % 256 == 0) {
				hostile_post(&c, i / 256 % 256 * 4096, 4096);
				hostile_gone(e);
			}
		}
	}
	evil_consumer_free(&c, &r);
}

static void
idea_wakes(void)
{
	struct hostile *e = evil_connected();
	unsigned int i;

	for (i = 0; e != NULL && i < 20000; i++)
		hostile_wake(e);
}

/* Regions and rings that are as large as can be, until there is no more. */
static void
idea_huge(void)
{
	struct hostile *e = evil_connected();
	struct hostile_consumer c;
	struct hostile_region r;
	union shm_wire_msg msg;
	uint32_t id;
	int ret = 0;

	for (id = 0; e != NULL && id < 8 && ret == 0; id++) {
		memset(&c, 0, sizeof(c));
		memset(&r, 0, sizeof(r));
		r.fd = -1;
		c.msg.nb_posts = SHM_WIRE_MAX_POSTS;
		ret = evil_consumer(e, &r, &c, id, EVIL_REGION);
		hostile_consumer_free(&c);
		if (r.fd >= 0)
			hostile_region_free(&r);
	}
	for (id = 1; e != NULL && id < 16 && !hostile_gone(e); id++) {
		hostile_fill(&msg, SHM_WIRE_CONNECT, id);
		msg.connect.rx.queue_size = 4000;
		hostile_send(e, &msg, SHM_WIRE_CONNECT, id, -1);
	}
	usleep(20000);
}

/* As many messages as fit; what comes back is not read. */
static void
idea_messages(void)
{
	static const uint8_t data[4000];
	struct hostile *e = evil_connected();
	unsigned int i;

	for (i = 0; e != NULL && i < 20000; i++) {
		while (e->chan.own->tail - __atomic_load_n(&e->chan.peer->head, __ATOMIC_ACQUIRE) +
				shm_wire_rec_size(i % 4000) > e->chan.ring_size && i++ < 20000)
			sched_yield();
		hostile_put(e, &e->chan, data, i % 4000);
	}
}

/* Links at each step of the handshakes, which do not go on. */
static void
idea_sleep(void)
{
	struct hostile *e;
	unsigned int i;

	for (i = 0; i < 12; i++) {
		e = i % 4 == 0 ? hostile_open(storm_evil_dir, hostile_function) : evil_up();
		if (e == NULL || i % 4 < 2)
			continue;
		hostile_connect(e, &e->chan, 0);
		if (i % 4 == 3)
			hostile_ready(e, &e->chan);
	}
	sleep(1);
}

/* A child does something, and is stopped or killed at any moment. */
static void
child_end_at_once(void (*fn)(void), bool stop)
{
	pid_t pid = fork();

	if (pid == 0) {
		hostile_close_all();
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			fn();
	}
	usleep(1000 + test_rand() % 50000);
	if (stop) {
		kill(pid, SIGSTOP);
		usleep(300000);
		kill(pid, SIGCONT);
		usleep(10000);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void
idea_stopped(void)
{
	child_end_at_once(test_rand() % 2 != 0 ? idea_messages : idea_mappings, true);
}

static void
idea_killed(void)
{
	child_end_at_once(test_rand() % 2 != 0 ? idea_huge : idea_mappings, false);
}

/* All of the others, which differ at one time. */
static void
idea_mixed(void)
{
	/* the last is this one */
	const unsigned int idea = 1 + test_rand() % (storm_nb_ideas - 2);

	if (!storm_ideas[idea].needs_fs || hostile_fs.why == NULL)
		storm_ideas[idea].round();
}

const struct storm_idea storm_ideas[] = {
	{ "none", idea_none },
	{ "slow files", idea_slow_files, true },
	{ "sockets", idea_sockets },
	{ "holes", idea_holes },
	{ "mappings", idea_mappings },
	{ "fds in flight", idea_in_flight },
	{ "orphans", idea_orphans },
	{ "churn", idea_churn },
	{ "breaches", idea_breaches },
	{ "flips", idea_flips },
	{ "wakes", idea_wakes },
	{ "huge", idea_huge },
	{ "messages", idea_messages },
	{ "sleep", idea_sleep },
	{ "stopped", idea_stopped },
	{ "killed", idea_killed },
	{ "mixed", idea_mixed },
};
const unsigned int storm_nb_ideas = RTE_DIM(storm_ideas);
