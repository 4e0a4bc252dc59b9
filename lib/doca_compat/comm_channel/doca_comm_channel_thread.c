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
 * service of its name. So each device with services has a listener, an engine without
 * contexts, which answers that.
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

struct service_listener {
	struct cc_watch watch;
	struct rte_comch_pe *pe;
	int16_t dev_id;
	unsigned int refs;
	TAILQ_ENTRY(service_listener) next;
};

static struct {
	/* One at a time adds something or takes it away, and so starts or ends the thread. */
	pthread_mutex_t change;
	unsigned int nb;
	pthread_t thread;
	int epfd;
	int stop_fd;
	pthread_mutex_t lock; /* of the next three; the thread takes none of the others */
	TAILQ_HEAD(, cc_watch) watches;
	struct cc_watch *busy; /* its turn runs */
	pthread_cond_t turned; /* it does no more */
	pthread_mutex_t listener_lock;
	TAILQ_HEAD(, service_listener) listeners;
} cc_thread = {
	.change = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.turned = PTHREAD_COND_INITIALIZER,
	.listener_lock = PTHREAD_MUTEX_INITIALIZER,
	.watches = TAILQ_HEAD_INITIALIZER(cc_thread.watches),
	.listeners = TAILQ_HEAD_INITIALIZER(cc_thread.listeners),
};

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
	pthread_cond_broadcast(&cc_thread.turned); /* check-ok: a thread that is not EAL's */
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

static void
thread_stop(void)
{
	eventfd_write(cc_thread.stop_fd, 1);
	pthread_join(cc_thread.thread, NULL); /* check-ok: a thread that is not EAL's */
	thread_close();
}

static void
watch_insert(struct cc_watch *watch)
{
	doca_lock(&cc_thread.lock);
	TAILQ_INSERT_TAIL(&cc_thread.watches, watch, next);
	doca_unlock(&cc_thread.lock);
	watch->on = true;
	cc_thread.nb++;
}

/* Its turn is over when this returns. */
static void
watch_remove(struct cc_watch *watch)
{
	doca_lock(&cc_thread.lock);
	TAILQ_REMOVE(&cc_thread.watches, watch, next);
	while (cc_thread.busy == watch)
		pthread_cond_wait(&cc_thread.turned, &cc_thread.lock); /* check-ok: the same */
	doca_unlock(&cc_thread.lock);
	watch->on = false;
	cc_thread.nb--;
}

doca_error_t
cc_watch_add(struct cc_watch *watch)
{
	doca_error_t result = DOCA_SUCCESS;

	doca_lock(&cc_thread.change);
	if (!watch->on) {
		if (cc_thread.nb == 0 && thread_start() != 0) {
			result = DOCA_ERROR_NOT_FOUND;
		} else if (thread_watch(watch->fd, watch) == 0) {
			watch_insert(watch);
		} else {
			result = DOCA_ERROR_NOT_FOUND;
			if (cc_thread.nb == 0)
				thread_stop();
		}
	}
	doca_unlock(&cc_thread.change);
	if (result != DOCA_SUCCESS)
		CC_LOG(ERROR, "no thread or descriptor left for events: raise the limits of the process, see ulimit -n and -u");
	return result;
}

void
cc_watch_del(struct cc_watch *watch)
{
	doca_lock(&cc_thread.change);
	if (watch->on) {
		epoll_ctl(cc_thread.epfd, EPOLL_CTL_DEL, watch->fd, NULL);
		watch_remove(watch);
		if (cc_thread.nb == 0)
			thread_stop();
	}
	doca_unlock(&cc_thread.change);
}

static void
listener_turn(struct cc_watch *watch)
{
	struct service_listener *listener = container_of(watch, struct service_listener, watch);

	rte_comch_pe_progress(listener->pe);
	rte_comch_pe_arm_always(listener->pe); /* what is left wakes it again */
}

static void
listener_free(struct service_listener *listener)
{
	cc_watch_del(&listener->watch);
	rte_comch_pe_destroy(listener->pe);
	free(listener);
}

static struct service_listener *
listener_create(int16_t dev_id)
{
	static const struct rte_comch_pe_conf conf = {.socket_id = SOCKET_ID_ANY, .max_tasks = 1};
	struct service_listener *listener = calloc(1, sizeof(*listener));

	if (listener == NULL)
		return NULL;
	listener->dev_id = dev_id;
	listener->watch.turn = listener_turn;
	if (rte_comch_pe_create(&conf, &listener->pe) == 0 &&
			rte_comch_pe_dev_add(listener->pe, dev_id) == 0) {
		listener->watch.fd = rte_comch_pe_fd(listener->pe);
		rte_comch_pe_arm_always(listener->pe);
		if (cc_watch_add(&listener->watch) == DOCA_SUCCESS)
			return listener;
	}
	listener_free(listener);
	return NULL;
}

doca_error_t
service_listener_open(int16_t dev_id, struct service_listener **out)
{
	struct service_listener *listener;

	doca_lock(&cc_thread.listener_lock);
	TAILQ_FOREACH(listener, &cc_thread.listeners, next)
		if (listener->dev_id == dev_id)
			break;
	if (listener == NULL) {
		listener = listener_create(dev_id);
		if (listener != NULL)
			TAILQ_INSERT_TAIL(&cc_thread.listeners, listener, next);
	}
	if (listener != NULL)
		listener->refs++;
	doca_unlock(&cc_thread.listener_lock);
	*out = listener;
	if (listener != NULL)
		return DOCA_SUCCESS;
	CC_LOG(ERROR, "no engine for the thread of services: raise the limits of the process, see ulimit -n and -u");
	return DOCA_ERROR_INITIALIZATION;
}

void
service_listener_close(struct service_listener *listener)
{
	if (listener == NULL)
		return;
	doca_lock(&cc_thread.listener_lock);
	if (--listener->refs == 0) {
		TAILQ_REMOVE(&cc_thread.listeners, listener, next);
		listener_free(listener);
	}
	doca_unlock(&cc_thread.listener_lock);
}
