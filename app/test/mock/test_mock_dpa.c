/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The mock offload processor, see test_mock_dpa.h. Its message queues are rings that
 * belong to their consumers; a credit is a place that is posted and not filled.
 */

#define ALLOW_INTERNAL_API 1

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_mock.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test_mock_dpa.h"
#include "../../../lib/comch/comch_dpa.h" /* check-ok: holds a lock of the library */

#define MOCK_MAX_MEMS 8

/* One message. */
struct mock_msg {
	uint32_t producer_id;
	uint32_t len;
	uint8_t imm[RTE_COMCH_DPA_IMM_SIZE];
};

/* A consumer of either end. Counters never go back; places are modulo the size. */
struct mock_cons {
	uint32_t id;
	uint32_t size;
	uint32_t imm_len;
	uint32_t posted;
	uint32_t filled;
	uint32_t taken;
	bool stopped;
	int status; /* of the posts that are left */
	int reason;
	struct rte_comch_queue_stats *stats; /* of the CPU */
	uint64_t *cookies;
	struct mock_msg msgs[];
};

/* A producer of the CPU. */
struct mock_prod {
	struct rte_comch_queue *queue;
	bool stopped;
	uint32_t done;
	uint32_t polled;
	int reason;
	uint64_t cookies[];
};

/* A message queue, and a program. */
struct mock_msgq {
	struct mock_cons *conss[TEST_MOCK_DPA_QUEUES];
};

struct mock_prog {
	rte_spinlock_t lock; /* of the status */
	struct rte_comch_dpa_status status;
	struct {
		uint8_t *addr;
		uint64_t len;
	} mems[MOCK_MAX_MEMS];
};

static struct rte_comch_dev *on; /* the device */
static const struct rte_comch_dev_ops *real;
static struct rte_comch_dev_ops ops;
static uint64_t had_capa;
static const char *had_why;
static unsigned int fail_in, nb_objects, nb_runs;
static int fail_error;
static struct rte_comch_dpa_eu_info mistake;
static bool hold;
static struct rte_comch_pmd_ending *held;
static struct rte_comch_queue *held_queue;
static struct rte_comch_dpa *meets; /* whose start and a reset meet, or NULL */
static int met;
static rte_spinlock_t conss_lock = RTE_SPINLOCK_INITIALIZER; /* who asks is in any thread */

static int
mock_fails(void)
{
	return fail_in != 0 && --fail_in == 0 ? fail_error : 0;
}

/* Queues of the CPU come and go in threads of their own. */
static void
objects_add(int nb)
{
	/* relaxed: a number that is looked at when all is over */
	__atomic_fetch_add(&nb_objects, nb, __ATOMIC_RELAXED);
}

/* An op that makes something. */
static int
mock_makes(void)
{
	int ret = mock_fails();

	objects_add(ret == 0);
	return ret;
}

/*
 * Rings
 */

static struct mock_cons *
cons_make(uint32_t id, uint32_t size, uint32_t imm_len)
{
	struct mock_cons *c = calloc(1, sizeof(*c) + size * sizeof(c->msgs[0]));

	if (c == NULL)
		return NULL;
	c->cookies = calloc(size, sizeof(c->cookies[0]));
	if (c->cookies == NULL) {
		free(c);
		return NULL;
	}
	c->id = id;
	c->size = size;
	c->imm_len = imm_len;
	return c;
}

static struct mock_cons **
cons_slot(struct rte_comch_msgq *msgq, uint32_t id)
{
	struct mock_msgq *m = msgq->priv;

	return &m->conss[id & (msgq->max_consumers - 1)];
}

static void
cons_set(struct rte_comch_msgq *msgq, uint32_t id, struct mock_cons *c)
{
	rte_spinlock_lock(&conss_lock);
	*cons_slot(msgq, id) = c;
	rte_spinlock_unlock(&conss_lock);
}

static void
cons_free(struct rte_comch_msgq *msgq, struct mock_cons *c)
{
	cons_set(msgq, c->id, NULL);
	free(c->cookies);
	free(c);
}

static struct mock_cons *
cons_find(struct rte_comch_msgq *msgq, uint32_t id)
{
	struct mock_cons *c = *cons_slot(msgq, id);

	return c != NULL && c->id == id ? c : NULL;
}

static int
msg_put(struct rte_comch_msgq *msgq, uint32_t consumer_id, uint32_t producer_id,
		const void *imm, uint32_t len)
{
	struct mock_cons *c = cons_find(msgq, consumer_id);
	struct mock_msg *msg;

	if (c == NULL)
		return -ENOENT;
	if (len > c->imm_len)
		return -E2BIG;
	if (c->posted == c->filled)
		return -EAGAIN;
	msg = &c->msgs[c->filled & (c->size - 1)];
	msg->producer_id = producer_id;
	msg->len = len;
	if (len != 0)
		memcpy(msg->imm, imm, len);
	c->filled++;
	return 0;
}

/*
 * The CPU end
 */

static uint16_t
cpu_post(void *queue, const struct rte_comch_post *posts, uint16_t nb)
{
	struct mock_cons *c = queue;
	uint16_t i;

	c->reason = 0;
	for (i = 0; i < nb && c->reason == 0; i++) {
		if (posts[i].flags != 0)
			c->reason = -EINVAL;
		else if (posts[i].addr != NULL || posts[i].len != 0)
			c->reason = -EFAULT;
		else if (c->posted - c->taken == c->size)
			c->reason = -ENOBUFS;
		else
			c->cookies[c->posted++ & (c->size - 1)] = posts[i].cookie;
	}
	return c->reason == 0 ? nb : i - 1;
}

static uint16_t
cpu_poll_cons(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct mock_cons *c = queue;
	const struct mock_msg *msg;
	uint16_t i;

	for (i = 0; i < nb && c->taken != (c->stopped ? c->posted : c->filled); i++) {
		memset(&cpls[i], 0, sizeof(cpls[i]));
		cpls[i].cookie = c->cookies[c->taken & (c->size - 1)];
		msg = &c->msgs[c->taken & (c->size - 1)];
		if ((int32_t)(c->filled - c->taken) > 0) {
			cpls[i].producer_id = msg->producer_id;
			cpls[i].imm_len = msg->len;
			memcpy(cpls[i].imm, msg->imm, msg->len);
			c->stats->msgs++;
		} else {
			cpls[i].status = c->status;
		}
		c->taken++;
	}
	return i;
}

static int
cpu_send_one(struct mock_prod *p, uint32_t consumer_id, const struct rte_comch_send *msg)
{
	int ret;

	if (p->stopped)
		return -ENOTCONN;
	if ((msg->flags & ~RTE_COMCH_SEND_F_NO_CPL) != 0 || (msg->imm_len != 0 && msg->imm == NULL))
		return -EINVAL;
	if (msg->len != 0)
		return -EMSGSIZE;
	if (p->done - p->polled == p->queue->size)
		return -ENOBUFS;
	ret = msg_put(p->queue->msgq, consumer_id, p->queue->id, msg->imm, msg->imm_len);
	if (ret == 0)
		p->queue->stats.msgs++;
	if (ret == 0 && (msg->flags & RTE_COMCH_SEND_F_NO_CPL) == 0)
		p->cookies[p->done++ & (p->queue->size - 1)] = msg->cookie;
	return ret;
}

static uint16_t
cpu_send(void *queue, uint32_t consumer_id, const struct rte_comch_send *msgs, uint16_t nb)
{
	struct mock_prod *p = queue;
	uint16_t i;

	for (i = 0; i < nb; i++) {
		p->reason = cpu_send_one(p, consumer_id, &msgs[i]);
		if (p->reason != 0)
			break;
	}
	return i;
}

static uint16_t
cpu_poll_prod(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	struct mock_prod *p = queue;
	uint16_t i;

	for (i = 0; i < nb && p->polled != p->done; i++) {
		memset(&cpls[i], 0, sizeof(cpls[i]));
		cpls[i].cookie = p->cookies[p->polled++ & (p->queue->size - 1)];
	}
	return i;
}

static uint32_t
cpu_credits(void *queue, uint32_t consumer_id)
{
	const struct mock_prod *p = queue;
	const struct mock_cons *c = cons_find(p->queue->msgq, consumer_id);

	return c == NULL ? 0 : c->posted - c->filled;
}

static int
cpu_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	struct mock_prod *p;
	struct mock_cons *c;

	if (queue->is_consumer) {
		c = cons_make(queue->id, queue->size, queue->imm_len);
		if (c == NULL)
			return -ENOMEM;
		c->stats = &queue->stats;
		cons_set(queue->msgq, queue->id, c);
		queue->priv = c;
		fp->post = cpu_post;
		fp->poll = cpu_poll_cons;
	} else {
		p = calloc(1, sizeof(*p) + queue->size * sizeof(p->cookies[0]));
		if (p == NULL)
			return -ENOMEM;
		p->queue = queue;
		queue->priv = p;
		fp->send = cpu_send;
		fp->poll = cpu_poll_prod;
		fp->credits = cpu_credits;
	}
	fp->queue = queue->priv;
	return 0;
}

static int
mock_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	int ret;

	if (queue->msgq == NULL)
		return real->queue_setup(queue, fp);
	ret = mock_fails();
	if (ret == 0)
		ret = cpu_setup(queue, fp);
	objects_add(ret == 0);
	return ret;
}

static int
mock_queue_stop(struct rte_comch_queue *queue, int status, struct rte_comch_pmd_ending *ending)
{
	struct mock_cons *c = queue->priv;
	struct mock_prod *p = queue->priv;

	if (queue->msgq == NULL)
		return real->queue_stop(queue, status, ending);
	if (queue->is_consumer) {
		c->stopped = true;
		c->status = status;
	} else {
		p->stopped = true;
	}
	return 0;
}

static uint32_t
mock_consumer_left(struct rte_comch_queue *queue)
{
	const struct mock_cons *c = queue->priv;

	return queue->msgq == NULL ? real->consumer_left(queue) : c->posted - c->taken;
}

static int
mock_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending)
{
	if (queue->msgq == NULL)
		return real->queue_free(queue, ending);
	objects_add(-1);
	if (hold && !queue->is_consumer) {
		held = ending;
		held_queue = queue;
		return -EINPROGRESS;
	}
	if (queue->is_consumer)
		cons_free(queue->msgq, queue->priv);
	else
		free(queue->priv);
	return 0;
}

static int
mock_queue_room(struct rte_comch_queue *queue, uint32_t consumer_id, struct rte_comch_room *room)
{
	const struct mock_cons *c = queue->priv;
	const struct mock_prod *p = queue->priv;

	if (queue->msgq == NULL)
		return real->queue_room(queue, consumer_id, room);
	if (queue->is_consumer) {
		room->credits = c->posted - c->filled;
		room->queue = c->size - (c->posted - c->taken);
		room->reason = c->reason;
		return 0;
	}
	if (cons_find(queue->msgq, consumer_id) == NULL)
		return -ENOENT;
	room->credits = cpu_credits(queue->priv, consumer_id);
	room->queue = queue->size - (p->done - p->polled);
	room->reason = p->reason;
	return 0;
}

/* All tests have one producer for each consumer. */
static uint32_t
mock_queue_takes(struct rte_comch_queue *queue, uint32_t consumer_id, uint64_t len, uint32_t max)
{
	if (queue->msgq == NULL)
		return real->queue_takes == NULL ? 0 :
			real->queue_takes(queue, consumer_id, len, max);
	return len != 0 ? 0 : RTE_MIN(cpu_credits(queue->priv, consumer_id), max);
}

static int
mock_queue_idle(struct rte_comch_queue *queue)
{
	return queue->msgq == NULL && real->queue_idle != NULL ? real->queue_idle(queue) :
		-ENOTSUP;
}

/*
 * The DPA end
 */

static void
mock_info_get(struct rte_comch_dev *dev __rte_unused, struct rte_comch_dpa_info *info)
{
	info->nb_eus = TEST_MOCK_DPA_EUS;
	info->max_threads = TEST_MOCK_DPA_THREADS;
	info->max_msgqs = TEST_MOCK_DPA_MSGQS;
	info->max_consumers = TEST_MOCK_DPA_QUEUES;
	info->max_producers = TEST_MOCK_DPA_QUEUES;
	info->max_recv = TEST_MOCK_DPA_DEPTH;
	info->max_send = TEST_MOCK_DPA_DEPTH;
	info->max_depth = TEST_MOCK_DPA_DEPTH;
	info->max_imm_len = RTE_COMCH_DPA_IMM_SIZE;
	info->max_windows = TEST_MOCK_DPA_WINDOWS;
	info->max_mem_size = TEST_MOCK_DPA_MEM_SIZE;
}

static int
mock_start(struct rte_comch_dpa *dpa)
{
	int ret;

	if (meets != NULL) {
		meets = NULL;
		met = rte_comch_dev_reset(on->data->dev_id);
	}
	ret = mock_makes();
	if (ret == 0) {
		dpa->priv = calloc(1, sizeof(struct mock_prog));
		ret = dpa->priv == NULL ? -ENOMEM : 0;
	}
	return ret;
}

static void
mock_stop(struct rte_comch_dpa *dpa)
{
	free(dpa->priv);
	objects_add(-1);
}

static void
mock_status_get(struct rte_comch_dpa *dpa, struct rte_comch_dpa_status *status)
{
	struct mock_prog *prog = dpa->priv;

	rte_spinlock_lock(&prog->lock);
	if (prog->status.state == RTE_COMCH_DPA_FAILED)
		*status = prog->status;
	else
		status->pid = TEST_MOCK_DPA_PID;
	rte_spinlock_unlock(&prog->lock);
}

static void
mock_eu_info_get(struct rte_comch_dpa *dpa __rte_unused, uint32_t eu __rte_unused,
		struct rte_comch_dpa_eu_info *info)
{
	*info = mistake;
	info->runs = nb_runs;
}

static int
mock_thread_create(struct rte_comch_dpa_thread *thread)
{
	return strcmp(thread->func, TEST_MOCK_DPA_THREAD) != 0 ? -ENOENT : mock_makes();
}

static int
mock_thread_run(struct rte_comch_dpa_thread *thread __rte_unused)
{
	int ret = mock_fails();

	nb_runs += ret == 0;
	return ret;
}

static int
mock_thread_destroy(struct rte_comch_dpa_thread *thread __rte_unused)
{
	int ret = mock_fails();

	objects_add(-(ret == 0));
	return ret;
}

static int
mock_completion_create(struct rte_comch_dpa_completion *completion)
{
	completion->handle = (uintptr_t)completion;
	return mock_makes();
}

static void
mock_completion_destroy(struct rte_comch_dpa_completion *completion __rte_unused)
{
	objects_add(-1);
}

static int
mock_msgq_create(struct rte_comch_msgq *msgq)
{
	int ret = mock_makes();

	if (ret != 0)
		return ret;
	msgq->priv = calloc(1, sizeof(struct mock_msgq));
	return msgq->priv == NULL ? -ENOMEM : 0;
}

static void
mock_msgq_destroy(struct rte_comch_msgq *msgq)
{
	free(msgq->priv);
	objects_add(-1);
}

static uint64_t
mock_msgq_waiting(const struct rte_comch_msgq *msgq)
{
	const struct mock_msgq *m = msgq->priv;
	const struct mock_cons *c;
	uint64_t nb = 0;
	uint32_t i;

	rte_spinlock_lock(&conss_lock);
	for (i = 0; i < RTE_DIM(m->conss); i++) {
		c = m->conss[i];
		nb += c == NULL ? 0 : c->filled - c->taken;
	}
	rte_spinlock_unlock(&conss_lock);
	return nb;
}

static int
mock_queue_create(struct rte_comch_dpa_queue *queue)
{
	int ret = mock_makes();

	if (ret != 0)
		return ret;
	queue->handle = (uintptr_t)queue;
	if (!queue->is_consumer)
		return 0;
	queue->priv = cons_make(queue->id, queue->size, queue->imm_len);
	cons_set(queue->msgq, queue->id, queue->priv);
	return queue->priv == NULL ? -ENOMEM : 0;
}

static void
mock_queue_destroy(struct rte_comch_dpa_queue *queue)
{
	if (queue->is_consumer)
		cons_free(queue->msgq, queue->priv);
	objects_add(-1);
}

static int
mock_window_create(struct rte_comch_dpa_window *window)
{
	window->handle = 7;
	return mock_makes();
}

static int
mock_window_destroy(struct rte_comch_dpa_window *window __rte_unused)
{
	int ret = mock_fails();

	objects_add(-(ret == 0));
	return ret;
}

static int
mock_mem_alloc(struct rte_comch_dpa *dpa, uint64_t len, uint64_t *addr)
{
	struct mock_prog *prog = dpa->priv;
	unsigned int i;

	for (i = 0; i < MOCK_MAX_MEMS && prog->mems[i].addr != NULL; i++)
		;
	if (i == MOCK_MAX_MEMS || mock_fails() != 0)
		return -ENOMEM;
	prog->mems[i].addr = calloc(1, len);
	if (prog->mems[i].addr == NULL)
		return -ENOMEM;
	prog->mems[i].len = len;
	*addr = (uintptr_t)prog->mems[i].addr;
	objects_add(1);
	return 0;
}

static int
mock_mem_free(struct rte_comch_dpa *dpa, uint64_t addr)
{
	struct mock_prog *prog = dpa->priv;
	unsigned int i;

	for (i = 0; i < MOCK_MAX_MEMS; i++) {
		if (addr == 0 || (uintptr_t)prog->mems[i].addr != addr)
			continue;
		free(prog->mems[i].addr);
		prog->mems[i].addr = NULL;
		objects_add(-1);
		return 0;
	}
	return -ENOENT;
}

/* Where bytes are, if they are in one piece of memory. */
static uint8_t *
mem_at(struct rte_comch_dpa *dpa, uint64_t addr, uint64_t len)
{
	struct mock_prog *prog = dpa->priv;
	unsigned int i;
	uint64_t off;

	for (i = 0; i < MOCK_MAX_MEMS; i++) {
		off = addr - (uintptr_t)prog->mems[i].addr;
		if (prog->mems[i].addr != NULL && off <= prog->mems[i].len &&
				len <= prog->mems[i].len - off)
			return prog->mems[i].addr + off;
	}
	return NULL;
}

static int
mock_mem_write(struct rte_comch_dpa *dpa, uint64_t addr, const void *src, uint64_t len)
{
	uint8_t *to = mem_at(dpa, addr, len);

	if (to == NULL)
		return -EFAULT;
	memcpy(to, src, len);
	return 0;
}

static int
mock_mem_read(struct rte_comch_dpa *dpa, void *dst, uint64_t addr, uint64_t len)
{
	const uint8_t *from = mem_at(dpa, addr, len);

	if (from == NULL)
		return -EFAULT;
	memcpy(dst, from, len);
	return 0;
}

/* The sum of its arguments, and the time that it may take. */
static int
mock_rpc(struct rte_comch_dpa *dpa __rte_unused, const char *func, const uint64_t *args,
		uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret)
{
	uint32_t i;

	if (strcmp(func, TEST_MOCK_DPA_RPC) != 0)
		return -ENOENT;
	*ret = (uint64_t)timeout_ms << 32;
	for (i = 0; i < nb_args; i++)
		*ret += args[i];
	return mock_fails();
}

static const struct rte_comch_dpa_ops dpa_ops = {
	.info_get = mock_info_get,
	.start = mock_start,
	.stop = mock_stop,
	.status_get = mock_status_get,
	.eu_info_get = mock_eu_info_get,
	.thread_create = mock_thread_create,
	.thread_run = mock_thread_run,
	.thread_destroy = mock_thread_destroy,
	.completion_create = mock_completion_create,
	.completion_destroy = mock_completion_destroy,
	.msgq_create = mock_msgq_create,
	.msgq_destroy = mock_msgq_destroy,
	.msgq_waiting = mock_msgq_waiting,
	.queue_create = mock_queue_create,
	.queue_destroy = mock_queue_destroy,
	.window_create = mock_window_create,
	.window_destroy = mock_window_destroy,
	.mem_alloc = mock_mem_alloc,
	.mem_free = mock_mem_free,
	.mem_write = mock_mem_write,
	.mem_read = mock_mem_read,
	.rpc = mock_rpc,
};

/*
 * What tests do
 */

static int
mock_dev_info_get(struct rte_comch_dev *dev, struct rte_comch_dev_info *info)
{
	int ret = real->info_get(dev, info);

	info->capa |= RTE_COMCH_CAPA_DPA; /* the library drops it without ops */
	return ret;
}

static int
mock_reset(struct rte_comch_dev *dev __rte_unused)
{
	struct rte_comch_dpa *dpa = meets;

	if (dpa != NULL) {
		meets = NULL;
		met = rte_comch_dpa_start(dpa);
	}
	return 0;
}

int
test_mock_dpa_install(int16_t dev_id)
{
	struct rte_comch_dev *dev = test_mock_dev(dev_id);

	if (dev == NULL || on != NULL || dev->ops->queue_setup == NULL)
		return -EINVAL;
	on = dev;
	real = dev->ops;
	had_capa = dev->info.capa;
	had_why = dev->no_dpa;
	ops = *real;
	ops.dpa = &dpa_ops;
	ops.info_get = mock_dev_info_get;
	ops.reset = mock_reset;
	ops.queue_setup = mock_queue_setup;
	ops.queue_stop = mock_queue_stop;
	ops.queue_free = mock_queue_free;
	ops.queue_room = mock_queue_room;
	ops.queue_idle = mock_queue_idle;
	ops.queue_takes = mock_queue_takes;
	ops.consumer_left = mock_consumer_left;
	dev->ops = &ops;
	dev->info.capa |= RTE_COMCH_CAPA_DPA;
	return 0;
}

int
test_mock_dpa_install_none(int16_t dev_id, const char *why)
{
	int ret = test_mock_dpa_install(dev_id);

	if (ret != 0)
		return ret;
	ops.dpa = NULL;
	on->info.capa &= ~RTE_COMCH_CAPA_DPA;
	on->no_dpa = why;
	return 0;
}

void
test_mock_dpa_remove(void)
{
	if (on == NULL)
		return;
	on->ops = real;
	on->info.capa = had_capa;
	on->no_dpa = had_why;
	on = NULL;
	fail_in = 0;
	hold = false;
	meets = NULL;
	memset(&mistake, 0, sizeof(mistake));
	nb_objects = 0;
	nb_runs = 0;
}

void
test_mock_dpa_fail_set(unsigned int n, int error)
{
	fail_in = n;
	fail_error = error;
}

unsigned int
test_mock_dpa_nb_objects(void)
{
	return nb_objects;
}

unsigned int
test_mock_dpa_nb_runs(void)
{
	return nb_runs;
}

void
test_mock_dpa_mistake_set(const struct rte_comch_dpa_eu_info *info)
{
	mistake = *info;
}

void
test_mock_dpa_crash(struct rte_comch_dpa *dpa, uint32_t eu)
{
	struct mock_prog *prog = dpa->priv;

	rte_spinlock_lock(&prog->lock);
	prog->status.state = RTE_COMCH_DPA_FAILED;
	prog->status.end = RTE_COMCH_DPA_END_FAULT;
	prog->status.reason = -EIO;
	prog->status.eu = eu;
	rte_spinlock_unlock(&prog->lock);
	rte_comch_pmd_dpa_down(dpa);
}

void
test_mock_dpa_dev_down(int16_t dev_id, int reason)
{
	/* to find the device by its name would take the lock that a test may hold */
	rte_comch_pmd_dev_down(on->data->dev_id == dev_id ? on : test_mock_dev(dev_id), reason);
}

int
test_mock_dpa_dev_status(void)
{
	/* acquire: as the library loads it */
	return __atomic_load_n(&on->status, __ATOMIC_ACQUIRE);
}

void
test_mock_dpa_meet(struct rte_comch_dpa *dpa)
{
	meets = dpa;
	met = 1;
}

int
test_mock_dpa_met(void)
{
	return met;
}

void
test_mock_dpa_lock_take(struct rte_comch_dpa *dpa)
{
	rte_spinlock_lock(&comch_dpa(dpa)->lock);
}

void
test_mock_dpa_lock_drop(struct rte_comch_dpa *dpa)
{
	rte_spinlock_unlock(&comch_dpa(dpa)->lock);
}

void
test_mock_dpa_hold(bool on_)
{
	hold = on_;
}

int
test_mock_dpa_tell(void)
{
	const struct rte_comch_msgq *msgq;

	if (held == NULL)
		return -ENOENT;
	msgq = held_queue->msgq;
	if (msgq->max_producers == 0 || msgq->dpa->program[0] == '\0' ||
			msgq->dpa->dev != held_queue->dev)
		return -EFAULT;
	free(held_queue->priv);
	held_queue->priv = NULL;
	rte_comch_pmd_ended(held);
	held = NULL;
	return 0;
}

void
test_mock_dpa_ack(struct rte_comch_dpa_queue *consumer, uint32_t nb)
{
	struct mock_cons *c = consumer->priv;

	c->posted += nb;
}

int
test_mock_dpa_get(struct rte_comch_dpa_queue *consumer, void *imm, uint32_t *len,
		uint32_t *producer_id)
{
	struct mock_cons *c = consumer->priv;
	const struct mock_msg *msg;

	if (c->taken == c->filled)
		return 0;
	msg = &c->msgs[c->taken++ & (c->size - 1)];
	memcpy(imm, msg->imm, msg->len);
	*len = msg->len;
	*producer_id = msg->producer_id;
	return 1;
}

int
test_mock_dpa_send(struct rte_comch_dpa_queue *producer, uint32_t consumer_id, const void *imm,
		uint32_t len)
{
	return msg_put(producer->msgq, consumer_id, producer->id, imm, len);
}
