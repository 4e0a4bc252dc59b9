/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A program of which nothing runs: its segments, and the runtime that the inline
 * functions of the device header need. See test_shm_msgq.h. No test is in here.
 */

#define ALLOW_INTERNAL_API 1 /* the device behind an identifier */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "test_shm_msgq.h"

_Thread_local struct msgq_unit msgq_unit_self;
uint32_t *msgq_outside;
struct shm_dpa msgq_dpa;

static struct rte_comch_dpa api;
static struct rte_comch_pe *pe;
static struct shm_group *group;
static char program[] = "none";
static int peer_sock = -1;
static uint64_t nb_wakes;

/*
 * The runtime
 */

void
comch_dpa_rt_group_wake(uint32_t index)
{
	uint64_t one = 1;

	__atomic_fetch_add(&nb_wakes, 1, __ATOMIC_RELAXED);
	if (write(msgq_dpa.groups[index].fd, &one, sizeof(one)) != sizeof(one))
		test_fail("an engine is not waked: %s", strerror(errno));
}

void
comch_dpa_rt_finish(void)
{
}

void
comch_dpa_rt_log(const char *text, uint32_t len)
{
	printf("%.*s\n", (int)len, text);
}

uint64_t
test_msgq_wakes(void)
{
	return __atomic_load_n(&nb_wakes, __ATOMIC_RELAXED);
}

bool
test_msgq_park(uint32_t eu, uint32_t ms)
{
	struct timespec timeout = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
	uint32_t *wake = &shm_dpa_host(&msgq_dpa)->eus[eu].wake;
	uint32_t seen;
	long ret;

	for (;;) {
		seen = __atomic_load_n(wake, __ATOMIC_ACQUIRE);
		if (shm_dpa_eu_pending(eu))
			return true;
		shm_barrier_all();
		if (shm_dpa_eu_pending(eu))
			return true;
		ret = syscall(SYS_futex, wake, FUTEX_WAIT, seen, &timeout, NULL, 0);
		if (ret != 0 && errno == ETIMEDOUT)
			return false;
	}
}

uint64_t
test_msgq_mistakes(void)
{
	return __atomic_load_n(&SHM_DPA_PROG_SEG->eus[msgq_unit_self.eu].error.nb,
		__ATOMIC_ACQUIRE);
}

int
test_msgq_mistake_is(const char *func, int error)
{
	const struct shm_dpa_error *e = &SHM_DPA_PROG_SEG->eus[msgq_unit_self.eu].error;

	TEST_ASSERT(strcmp(e->func, func) == 0, "the mistake is of %s, not %s", e->func, func);
	TEST_EXPECT(e->error, error);
	return TEST_SUCCESS;
}

/*
 * The program
 */

/* One mapping for both ends: so a sanitizer sees one address. */
static int
segs_map(void)
{
	struct shm_dpa_seg *seg;
	uint32_t i;

	for (i = 0; i < 2; i++) {
		seg = &msgq_dpa.segs.seg[i];
		seg->addr = (uintptr_t)seg->map;
		TEST_EXPECT(mprotect(seg->map, seg->size, PROT_READ | PROT_WRITE), 0);
	}
	shm_dpa_host(&msgq_dpa)->nb_eus = MSGQ_UNITS;
	if (shm_fences_needed())
		SHM_DPA_PROG_SEG->flags = SHM_DPA_PROG_F_WHOLE; /* as the runtime does */
	return TEST_SUCCESS;
}

struct rte_comch_pe *
test_msgq_pe(void)
{
	return pe;
}

int
test_msgq_setup(void)
{
	struct rte_comch_dev_info info;
	int socks[2];

	if (test_pair_first() != TEST_SUCCESS)
		return TEST_FAILED;
	memset(&msgq_dpa, 0, sizeof(msgq_dpa));
	memset(&api, 0, sizeof(api));
	TEST_EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks), 0);
	msgq_dpa.sock = socks[0];
	peer_sock = socks[1];
	msgq_dpa.pidfd = -1;
	msgq_dpa.status.state = RTE_COMCH_DPA_RUNNING;
	pthread_mutex_init(&msgq_dpa.lock, NULL);
	pthread_cond_init(&msgq_dpa.cond, NULL);
	pthread_mutex_init(&msgq_dpa.group_lock, NULL);
	TEST_EXPECT(shm_dpa_segs_create(&msgq_dpa.segs, 4096), 0);
	TEST_CALL(segs_map());
	TEST_EXPECT(rte_comch_pe_create(NULL, &pe), 0);
	TEST_EXPECT(rte_comch_pe_dev_add(pe, test_pair.host), 0);
	TEST_EXPECT(rte_comch_dev_info_get(test_pair.host, &info), 0);
	api.dev = rte_comch_pmd_get_by_name(info.name);
	TEST_TRUE(api.dev != NULL);
	group = container_of(TAILQ_FIRST(&api.dev->pgs), struct shm_group, pg);
	api.priv = &msgq_dpa;
	api.program = program;
	msgq_dpa.api = &api;
	msgq_dpa.name = api.dev->data->name;
	api.nb_eus = MSGQ_UNITS;
	return TEST_SUCCESS;
}

void
test_msgq_teardown(void)
{
	if (pe != NULL)
		rte_comch_pe_destroy(pe);
	pe = NULL;
	shm_dpa_segs_free(&msgq_dpa.segs);
	if (peer_sock >= 0) {
		close(msgq_dpa.sock);
		close(peer_sock);
	}
	peer_sock = -1;
	pthread_mutex_destroy(&msgq_dpa.group_lock);
	pthread_cond_destroy(&msgq_dpa.cond);
	pthread_mutex_destroy(&msgq_dpa.lock);
}

/*
 * Objects
 */

int
test_msgq_start(struct rte_comch_msgq *msgq, enum rte_comch_msgq_dir dir, uint32_t max_consumers,
		uint32_t max_producers)
{
	memset(msgq, 0, sizeof(*msgq));
	msgq->dpa = &api;
	msgq->dir = dir;
	msgq->id = 1;
	msgq->max_consumers = max_consumers;
	msgq->max_producers = max_producers;
	TEST_EXPECT(shm_msgq_create(msgq), 0);
	return TEST_SUCCESS;
}

int
test_msgq_completion(struct rte_comch_dpa_completion *c, enum rte_comch_dpa_completion_type type,
		uint32_t depth, uint32_t max_queues, uint32_t unit)
{
	static struct rte_comch_dpa_thread threads[MSGQ_UNITS];

	memset(c, 0, sizeof(*c));
	c->dpa = &api;
	c->type = type;
	c->depth = depth;
	c->imm_len = SHM_MSGQ_IMM_SIZE;
	c->max_queues = max_queues;
	if (unit != SHM_MSGQ_NO_UNIT) {
		c->thread = &threads[unit];
		c->thread->eu = unit;
	}
	TEST_EXPECT(shm_msgq_completion_create(c), 0);
	return TEST_SUCCESS;
}

int
test_msgq_dpa_queue(struct rte_comch_dpa_queue *queue, struct rte_comch_msgq *msgq,
		struct rte_comch_dpa_completion *c, bool is_consumer, uint32_t id, uint32_t size)
{
	memset(queue, 0, sizeof(*queue));
	queue->msgq = msgq;
	queue->completion = c;
	queue->is_consumer = is_consumer;
	queue->id = id;
	queue->size = size;
	queue->imm_len = SHM_MSGQ_IMM_SIZE;
	queue->user_data = 1000 + id;
	TEST_EXPECT(shm_msgq_dpa_queue_create(queue), 0);
	return TEST_SUCCESS;
}

int
test_msgq_end(struct msgq_end *end, struct rte_comch_msgq *msgq, bool is_consumer, uint32_t id,
		uint32_t size)
{
	memset(end, 0, sizeof(*end));
	end->queue.dev = api.dev;
	end->queue.pg = &group->pg;
	end->queue.msgq = msgq;
	end->queue.is_consumer = is_consumer;
	end->queue.id = id;
	end->queue.size = size;
	end->queue.imm_len = SHM_MSGQ_IMM_SIZE;
	TEST_EXPECT(shm_queue_setup(&end->queue, &end->fp), 0);
	return TEST_SUCCESS;
}

void
test_msgq_end_free(struct msgq_end *end)
{
	struct rte_comch_cpl cpls[32];

	shm_queue_stop(&end->queue, -ECANCELED, NULL);
	while (end->queue.is_consumer && shm_consumer_left(&end->queue) != 0)
		end->fp.poll(end->fp.queue, cpls, RTE_DIM(cpls));
	shm_queue_free(&end->queue, NULL);
}

uint16_t
test_msgq_send(struct msgq_end *end, uint32_t consumer_id, const void *imm, uint32_t len)
{
	struct rte_comch_send msg = {
		.imm = imm, .imm_len = len, .flags = RTE_COMCH_SEND_F_NO_CPL,
	};

	return end->fp.send(end->fp.queue, consumer_id, &msg, 1);
}

uint16_t
test_msgq_post(struct msgq_end *end, uint16_t nb)
{
	struct rte_comch_post post = { 0 };
	uint16_t i;

	for (i = 0; i < nb; i++)
		if (end->fp.post(end->fp.queue, &post, 1) != 1)
			break;
	return i;
}

uint16_t
test_msgq_poll(struct msgq_end *end, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return end->fp.poll(end->fp.queue, cpls, nb);
}
