/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The offload processor in software, as the library calls it: start, stop, state, memory.
 * Threads, calls and windows are in shm_dpa_thread.c, queues in shm_msgq*.c, the process in
 * shm_dpa_monitor.c.
 */

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>

#include "comch_shm.h"
#include "shm_dpa.h"
#include "shm_fast.h"
#include "shm_msgq.h"

/* There is room for more; a limit keeps a mistake from taking it all. */
#define SHM_DPA_MAX_MSGQS 256
/* Bytes of a list of CPUs in a log. */
#define CPU_LIST_SIZE 160

static struct shm_dpa *
dpa_new(struct rte_comch_dpa *api)
{
	struct shm_dpa *dpa = calloc(1, sizeof(*dpa));
	pthread_condattr_t attr; /* check-ok: waiters must sleep */

	if (dpa == NULL)
		return NULL;
	dpa->api = api;
	dpa->name = api->dev->data->name;
	dpa->sock = dpa->pidfd = -1;
	dpa->look.maps = dpa->look.status = -1;
	dpa->status.state = RTE_COMCH_DPA_RUNNING;
	dpa->status.eu = RTE_COMCH_DPA_NO_EU;
	pthread_mutex_init(&dpa->lock, NULL); /* check-ok: waiters must sleep */
	pthread_mutex_init(&dpa->group_lock, NULL); /* check-ok: waiters must sleep */
	pthread_condattr_init(&attr); /* check-ok: waiters must sleep */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* check-ok: waiters must sleep */
	pthread_cond_init(&dpa->cond, &attr); /* check-ok: waiters must sleep */
	pthread_condattr_destroy(&attr); /* check-ok: waiters must sleep */
	return dpa;
}

/* What the program reads first. */
static void
host_header_init(struct shm_dpa *dpa)
{
	struct shm_dpa_host *host = shm_dpa_host(dpa);
	uint32_t i;

	host->magic = SHM_DPA_MAGIC;
	host->version = SHM_DPA_VERSION;
	host->nb_eus = dpa->api->nb_eus;
	host->heap_size = dpa->segs.seg[SHM_DPA_HEAP].size;
	if (shm_fences_needed())
		host->flags |= SHM_DPA_HOST_F_WHOLE;
	for (i = 0; i < SHM_DPA_NB_UNITS; i++)
		host->eus[i].func = SHM_DPA_NO_FUNC;
}

/* Milliseconds until a time, 1 at least. */
static uint32_t
ms_left(const struct timespec *until)
{
	struct timespec now;
	int64_t ms;

	clock_gettime(CLOCK_MONOTONIC, &now);
	ms = (int64_t)(until->tv_sec - now.tv_sec) * 1000 +
		(until->tv_nsec - now.tv_nsec) / 1000000;
	return RTE_MAX(ms, 1);
}

/* What it says by itself is no reason of ours: only that it has ended, or has no memory. */
static int
program_ask(struct shm_dpa *dpa, struct shm_dpa_msg *msg, int fd, const struct timespec *until)
{
	const int ret = shm_dpa_request(dpa, msg, fd, ms_left(until), NULL);

	if (ret == 0 || ret == -ENOMEM)
		return ret;
	if (!shm_dpa_is_down(dpa))
		return -EPROTO;
	return ret == -ETIMEDOUT ? ret : -EIO;
}

/* Give a segment to the program. */
static int
seg_give(struct shm_dpa *dpa, enum shm_dpa_seg_kind kind, const struct timespec *until)
{
	static const uint32_t types[] = {
		[SHM_DPA_HOST] = SHM_DPA_MSG_HOST,
		[SHM_DPA_PROG] = SHM_DPA_MSG_PROG,
		[SHM_DPA_HEAP] = SHM_DPA_MSG_HEAP,
	};
	const struct shm_dpa_seg *seg = &dpa->segs.seg[kind];
	struct shm_dpa_msg msg = { .type = types[kind], .values = { seg->size } };
	int fd = seg->fd, ret;

	if (kind == SHM_DPA_HOST)
		fd = shm_dpa_fd_readonly(seg->fd);
	if (fd < 0)
		return fd;
	ret = program_ask(dpa, &msg, fd, until);
	if (fd != seg->fd)
		close(fd);
	return ret;
}

/* One of them is none that this process may use; the kernel does not say which. */
static int
cpus_refused(const struct shm_dpa *dpa)
{
	char list[CPU_LIST_SIZE] = "";
	uint32_t eu, len = 0;

	for (eu = 0; eu < dpa->api->nb_eus && len < sizeof(list); eu++)
		if (dpa->api->eu_cpus[eu] >= 0)
			len += snprintf(list + len, sizeof(list) - len, " %u:%d", eu,
					dpa->api->eu_cpus[eu]);
	SHM_LOG(ERR, "%s: program %s: an execution unit cannot have its CPU (unit:CPU%s): give those of taskset -cp $$ only, or -1 for any",
		dpa->name, dpa->api->program, list);
	return -EINVAL;
}

/* The CPUs of its main thread, and so of the next thread that it makes: say them, or set them. */
static int
cpus_main(struct shm_dpa *dpa, cpu_set_t *cpus, bool set)
{
	int ret = -ESRCH;

	/* while it is held the number stays that of the process */
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	if (dpa->pid != 0) {
		ret = set ? sched_setaffinity(dpa->pid, sizeof(*cpus), cpus) :
			sched_getaffinity(dpa->pid, sizeof(*cpus), cpus);
		ret = ret == 0 ? 0 : -errno;
	}
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return ret == -ESRCH ? -EIO : ret;
}

/* Have it make the thread of a unit, which has the CPU that the application names for it. */
static int
unit_start(struct shm_dpa *dpa, uint32_t eu, const struct timespec *until)
{
	struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_UNIT, .values = { eu } };
	const int32_t cpu = eu < dpa->api->nb_eus ? dpa->api->eu_cpus[eu] : -1;
	cpu_set_t all, own;
	int ret;

	if (cpu < 0)
		return program_ask(dpa, &msg, -1, until);
	if (cpu >= CPU_SETSIZE)
		return cpus_refused(dpa);
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	ret = cpus_main(dpa, &all, false);
	if (ret != 0)
		return ret == -EINVAL ? -EIO : ret;
	ret = cpus_main(dpa, &own, true);
	if (ret == -EINVAL)
		return cpus_refused(dpa);
	if (ret == 0)
		ret = program_ask(dpa, &msg, -1, until);
	return ret == 0 ? cpus_main(dpa, &all, true) : ret;
}

static int
units_start(struct shm_dpa *dpa, const struct timespec *until)
{
	uint32_t eu;
	int ret = 0;

	for (eu = 0; eu < dpa->api->nb_eus && ret == 0; eu++)
		ret = unit_start(dpa, eu, until);
	return ret == 0 ? unit_start(dpa, SHM_DPA_RPC_EU, until) : ret;
}

/* The functions that the program says that it has: copied, so that they stay. */
static int
funcs_read(struct shm_dpa *dpa)
{
	const struct shm_dpa_prog *prog = shm_dpa_prog(dpa);
	uint32_t nb = __atomic_load_n(&prog->nb_funcs, __ATOMIC_RELAXED), i;

	if (__atomic_load_n(&prog->magic, __ATOMIC_ACQUIRE) != SHM_DPA_MAGIC ||
			__atomic_load_n(&prog->version, __ATOMIC_RELAXED) != SHM_DPA_VERSION ||
			nb > SHM_DPA_MAX_FUNCS) {
		shm_dpa_violation(dpa, SHM_DPA_NO_EU, "its table of functions", nb, 0);
		return -EPROTO;
	}
	memcpy(dpa->funcs, prog->funcs, nb * sizeof(dpa->funcs[0]));
	for (i = 0; i < nb; i++)
		dpa->funcs[i].name[SHM_DPA_NAME_SIZE - 1] = '\0';
	dpa->nb_funcs = nb;
	return 0;
}

/* From a process that waits for its first message to one that waits for threads. */
static int
program_start(struct shm_dpa *dpa, const struct timespec *until)
{
	struct shm_dpa_msg msg = { .type = SHM_DPA_MSG_START };
	int ret = 0, kind;

	shm_dpa_look_addrs(dpa);
	for (kind = SHM_DPA_HOST; kind <= SHM_DPA_HEAP && ret == 0; kind++)
		ret = seg_give(dpa, kind, until);
	if (ret == 0)
		ret = program_ask(dpa, &msg, -1, until);
	if (ret == 0)
		ret = units_start(dpa, until);
	if (ret == 0)
		ret = funcs_read(dpa);
	if (ret != 0)
		return ret;
	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	dpa->up = dpa->status.state == RTE_COMCH_DPA_RUNNING;
	ret = dpa->up ? 0 : -EIO;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
	return ret;
}

static int
dpa_start(struct rte_comch_dpa *api)
{
	struct shm_dpa *dpa = dpa_new(api);
	struct timespec until;
	int ret;

	if (dpa == NULL)
		return -ENOMEM;
	ret = shm_dpa_segs_create(&dpa->segs, api->mem_size);
	if (ret != 0) {
		SHM_LOG(ERR, "%s: no memory or descriptor for program %s", dpa->name, api->program);
		shm_dpa_free(dpa);
		return ret;
	}
	host_header_init(dpa);
	/* of the program: how long memory takes is for its size to say */
	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += RTE_COMCH_DPA_START_MS / 1000;
	ret = shm_dpa_process_start(dpa, &until);
	if (ret == -ETIMEDOUT) {
		SHM_LOG(ERR, "%s: program %s cannot be read in %u s: copy it to another file system",
			api->dev->data->name, api->program, RTE_COMCH_DPA_START_MS / 1000);
		return ret;
	}
	if (ret == 0) {
		ret = program_start(dpa, &until);
		if (ret == 0) {
			api->priv = dpa;
			return 0;
		}
		shm_dpa_process_stop(dpa);
	}
	shm_dpa_segs_free(&dpa->segs);
	shm_dpa_free(dpa);
	return ret;
}

static void
dpa_stop(struct rte_comch_dpa *api)
{
	struct shm_dpa *dpa = api->priv;

	shm_dpa_process_stop(dpa);
	shm_dpa_segs_free(&dpa->segs);
	shm_dpa_free(dpa);
	api->priv = NULL;
}

static void
dpa_info_get(struct rte_comch_dev *dev __rte_unused, struct rte_comch_dpa_info *info)
{
	info->nb_eus = SHM_DPA_MAX_EUS;
	info->max_threads = SHM_DPA_MAX_EUS;
	info->max_msgqs = SHM_DPA_MAX_MSGQS;
	info->max_consumers = SHM_MSGQ_MAX_CONSUMERS;
	info->max_producers = SHM_MSGQ_MAX_PRODUCERS;
	info->max_recv = SHM_MSGQ_MAX_DEPTH;
	info->max_send = SHM_MSGQ_MAX_DEPTH;
	info->max_depth = SHM_MSGQ_MAX_DEPTH;
	info->max_imm_len = RTE_COMCH_DPA_IMM_SIZE;
	info->max_windows = SHM_DPA_MAX_WINDOWS;
	info->max_mem_size = SHM_DPA_HEAP_MAX;
}

static void
dpa_status_get(struct rte_comch_dpa *api, struct rte_comch_dpa_status *status)
{
	struct shm_dpa *dpa = api->priv;

	pthread_mutex_lock(&dpa->lock); /* check-ok: waiters must sleep */
	*status = dpa->status;
	status->pid = dpa->pid;
	pthread_mutex_unlock(&dpa->lock); /* check-ok: waiters must sleep */
}

/* By the program: it may say what it wants to, but not more than one line of it. */
static void
dpa_eu_info_get(struct rte_comch_dpa *api, uint32_t eu, struct rte_comch_dpa_eu_info *info)
{
	struct shm_dpa *dpa = api->priv;
	const struct shm_dpa_prog_eu *prog = &shm_dpa_prog(dpa)->eus[eu];
	int32_t error = __atomic_load_n(&prog->error.error, __ATOMIC_RELAXED);
	uint32_t i;
	char c;

	info->busy = !shm_dpa_is_down(dpa) && __atomic_load_n(&prog->busy, __ATOMIC_RELAXED) != 0;
	info->runs = __atomic_load_n(&prog->runs, __ATOMIC_RELAXED);
	info->errors = __atomic_load_n(&prog->error.nb, __ATOMIC_RELAXED);
	info->error = error < 0 && error >= -4095 ? error : 0;
	for (i = 0; i < sizeof(info->func) - 1; i++) {
		c = __atomic_load_n(&prog->error.func[i], __ATOMIC_RELAXED);
		if (c == '\0')
			break;
		info->func[i] = shm_dpa_plain(c);
	}
	info->func[i] = '\0';
	for (i = 0; i < RTE_DIM(info->values); i++)
		info->values[i] = __atomic_load_n(&prog->error.args[i], __ATOMIC_RELAXED);
}

static int
dpa_mem_alloc(struct rte_comch_dpa *api, uint64_t len, uint64_t *addr)
{
	struct shm_dpa *dpa = api->priv;
	uint64_t off;
	int ret;

	if (shm_dpa_is_down(dpa))
		return -EIO;
	ret = shm_dpa_seg_alloc(&dpa->segs.seg[SHM_DPA_HEAP], len, SHM_DPA_HEAP_GRAIN, &off);
	if (ret == 0)
		*addr = SHM_DPA_HEAP_ADDR + off;
	return ret;
}

static int
dpa_mem_free(struct rte_comch_dpa *api, uint64_t addr)
{
	struct shm_dpa *dpa = api->priv;

	return shm_dpa_seg_free(&dpa->segs.seg[SHM_DPA_HEAP], addr - SHM_DPA_HEAP_ADDR);
}

static int
dpa_mem_write(struct rte_comch_dpa *api, uint64_t addr, const void *src, uint64_t len)
{
	struct shm_dpa *dpa = api->priv;
	void *to = shm_dpa_seg_find(&dpa->segs.seg[SHM_DPA_HEAP], addr, len);

	if (to == NULL)
		return -EFAULT;
	memcpy(to, src, len);
	return 0;
}

static int
dpa_mem_read(struct rte_comch_dpa *api, void *dst, uint64_t addr, uint64_t len)
{
	struct shm_dpa *dpa = api->priv;
	const void *from = shm_dpa_seg_find(&dpa->segs.seg[SHM_DPA_HEAP], addr, len);

	if (from == NULL)
		return -EFAULT;
	memcpy(dst, from, len);
	return 0;
}

const struct rte_comch_dpa_ops shm_dpa_ops = {
	.info_get = dpa_info_get,
	.start = dpa_start,
	.stop = dpa_stop,
	.status_get = dpa_status_get,
	.eu_info_get = dpa_eu_info_get,
	.thread_create = shm_dpa_thread_create,
	.thread_run = shm_dpa_thread_run,
	.thread_destroy = shm_dpa_thread_destroy,
	.completion_create = shm_msgq_completion_create,
	.completion_destroy = shm_msgq_completion_destroy,
	.msgq_create = shm_msgq_create,
	.msgq_destroy = shm_msgq_destroy,
	.msgq_waiting = shm_msgq_waiting,
	.queue_create = shm_msgq_dpa_queue_create,
	.queue_destroy = shm_msgq_dpa_queue_destroy,
	.window_create = shm_dpa_window_create,
	.window_destroy = shm_dpa_window_destroy,
	.mem_alloc = dpa_mem_alloc,
	.mem_free = dpa_mem_free,
	.mem_write = dpa_mem_write,
	.mem_read = dpa_mem_read,
	.rpc = shm_dpa_rpc,
};
