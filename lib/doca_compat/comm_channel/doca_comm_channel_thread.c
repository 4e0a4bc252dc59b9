/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The thread of the process that looks after event channels of endpoints, and after the
 * sockets of devices with services: it runs while there is one of these. What a turn of an
 * endpoint does is in doca_comm_channel_event.c.
 *
 * A service accepts clients where its program calls it, and programs are busy elsewhere. A
 * client has to know at once whether its function is served, and whether there is a
 * service of its name. So each device with services has an engine without contexts, a door,
 * which answers that.
 */

#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <rte_common.h>
#include <rte_memory.h>

#include <doca_comm_channel_private.h>

#define THREAD_EVENTS 16

struct cc_door {
	struct cc_watch watch;
	struct rte_comch_pe *pe;
	int16_t dev_id;
	unsigned int refs;
	TAILQ_ENTRY(cc_door) next;
};

static struct {
	pthread_mutex_t lock;
	TAILQ_HEAD(, cc_watch) watches;
	TAILQ_HEAD(, cc_door) doors; /* with the lock of doors */
	struct cc_watch *busy; /* its turn runs */
	unsigned int nb;
	pthread_t thread;
	int epfd;
	int stop_fd;
	bool ends; /* somebody waits for its end */
} cc_thread = {
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.watches = TAILQ_HEAD_INITIALIZER(cc_thread.watches),
	.doors = TAILQ_HEAD_INITIALIZER(cc_thread.doors),
};

static pthread_mutex_t door_lock = PTHREAD_MUTEX_INITIALIZER;

uint64_t
cc_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

void
cc_pause(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 20000}, NULL);
}

/* An event may be older than the end of what it is for. */
static void
thread_turn(struct cc_watch *want)
{
	struct cc_watch *watch;

	doca_lock(&cc_thread.lock);
	TAILQ_FOREACH(watch, &cc_thread.watches, next)
		if (watch == want)
			break;
	cc_thread.busy = watch;
	doca_unlock(&cc_thread.lock);
	if (watch == NULL)
		return;
	watch->turn(watch);
	doca_lock(&cc_thread.lock);
	cc_thread.busy = NULL;
	doca_unlock(&cc_thread.lock);
}

static void *
thread_run(void *arg)
{
	struct epoll_event events[THREAD_EVENTS];
	int i, nb;

	for (;;) {
		nb = epoll_wait(cc_thread.epfd, events, THREAD_EVENTS, -1);
		for (i = 0; i < nb; i++) {
			if (events[i].data.ptr == NULL)
				return arg;
			thread_turn(events[i].data.ptr);
		}
	}
}

static int
thread_watch(int fd, struct cc_watch *watch)
{
	struct epoll_event event = {.events = EPOLLIN, .data.ptr = watch};

	return epoll_ctl(cc_thread.epfd, EPOLL_CTL_ADD, fd, &event);
}

static void
thread_close(void)
{
	if (cc_thread.epfd >= 0)
		close(cc_thread.epfd);
	if (cc_thread.stop_fd >= 0)
		close(cc_thread.stop_fd);
}

/* Signals are the program's: none is handled in the thread. */
static int
thread_create(void)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* check-ok: a thread that is not EAL's */
	ret = pthread_create(&cc_thread.thread, NULL, thread_run, NULL); /* check-ok: the same */
	pthread_sigmask(SIG_SETMASK, &old, NULL); /* check-ok: the same */
	return ret;
}

static int
thread_start(void)
{
	cc_thread.epfd = epoll_create1(EPOLL_CLOEXEC);
	cc_thread.stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (cc_thread.epfd >= 0 && cc_thread.stop_fd >= 0 &&
			thread_watch(cc_thread.stop_fd, NULL) == 0 && thread_create() == 0)
		return 0;
	thread_close();
	return -1;
}

/* The lock is held, and given away while the thread ends. */
static void
thread_stop(void)
{
	cc_thread.ends = true;
	eventfd_write(cc_thread.stop_fd, 1);
	doca_unlock(&cc_thread.lock);
	pthread_join(cc_thread.thread, NULL); /* check-ok: a thread that is not EAL's */
	doca_lock(&cc_thread.lock);
	thread_close();
	cc_thread.ends = false;
}

static void
thread_lock(void)
{
	doca_lock(&cc_thread.lock);
	while (cc_thread.ends) {
		doca_unlock(&cc_thread.lock);
		cc_pause();
		doca_lock(&cc_thread.lock);
	}
}

doca_error_t
cc_watch_add(struct cc_watch *watch)
{
	doca_error_t result = DOCA_ERROR_NOT_FOUND;

	thread_lock();
	if (watch->on) {
		result = DOCA_SUCCESS;
	} else if (cc_thread.nb != 0 || thread_start() == 0) {
		if (thread_watch(watch->fd, watch) == 0) {
			TAILQ_INSERT_TAIL(&cc_thread.watches, watch, next);
			watch->on = true;
			cc_thread.nb++;
			result = DOCA_SUCCESS;
		} else if (cc_thread.nb == 0) {
			thread_stop();
		}
	}
	doca_unlock(&cc_thread.lock);
	if (result != DOCA_SUCCESS)
		CC_LOG(ERROR, "no thread or descriptor left for events: raise the limits of the process, see ulimit -n and -u");
	return result;
}

void
cc_watch_del(struct cc_watch *watch)
{
	thread_lock();
	if (watch->on) {
		TAILQ_REMOVE(&cc_thread.watches, watch, next);
		watch->on = false;
		epoll_ctl(cc_thread.epfd, EPOLL_CTL_DEL, watch->fd, NULL);
		while (cc_thread.busy == watch) {
			doca_unlock(&cc_thread.lock);
			cc_pause();
			doca_lock(&cc_thread.lock);
		}
		if (--cc_thread.nb == 0)
			thread_stop();
	}
	doca_unlock(&cc_thread.lock);
}

static void
door_turn(struct cc_watch *watch)
{
	struct cc_door *door = container_of(watch, struct cc_door, watch);

	rte_comch_pe_progress(door->pe);
	rte_comch_pe_arm_always(door->pe); /* what is left wakes it again */
}

static void
door_free(struct cc_door *door)
{
	cc_watch_del(&door->watch);
	rte_comch_pe_destroy(door->pe);
	free(door);
}

static struct cc_door *
door_create(int16_t dev_id)
{
	static const struct rte_comch_pe_conf conf = {.socket_id = SOCKET_ID_ANY, .max_tasks = 1};
	struct cc_door *door = calloc(1, sizeof(*door));

	if (door == NULL)
		return NULL;
	door->dev_id = dev_id;
	door->watch.turn = door_turn;
	if (rte_comch_pe_create(&conf, &door->pe) == 0 &&
			rte_comch_pe_dev_add(door->pe, dev_id) == 0) {
		door->watch.fd = rte_comch_pe_fd(door->pe);
		rte_comch_pe_arm_always(door->pe);
		if (cc_watch_add(&door->watch) == DOCA_SUCCESS)
			return door;
	}
	door_free(door);
	return NULL;
}

doca_error_t
cc_door_open(int16_t dev_id, struct cc_door **out)
{
	struct cc_door *door;

	doca_lock(&door_lock);
	TAILQ_FOREACH(door, &cc_thread.doors, next)
		if (door->dev_id == dev_id)
			break;
	if (door == NULL) {
		door = door_create(dev_id);
		if (door != NULL)
			TAILQ_INSERT_TAIL(&cc_thread.doors, door, next);
	}
	if (door != NULL)
		door->refs++;
	doca_unlock(&door_lock);
	*out = door;
	if (door != NULL)
		return DOCA_SUCCESS;
	CC_LOG(ERROR, "no engine for the thread of services: raise the limits of the process, see ulimit -n and -u");
	return DOCA_ERROR_INITIALIZATION;
}

void
cc_door_close(struct cc_door *door)
{
	if (door == NULL)
		return;
	doca_lock(&door_lock);
	if (--door->refs == 0) {
		TAILQ_REMOVE(&cc_thread.doors, door, next);
		door_free(door);
	}
	doca_unlock(&door_lock);
}
