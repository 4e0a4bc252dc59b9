/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The control thread, one for each process, from the first port that is started to the last
 * that is stopped: it turns the ports, and sleeps. What a turn does is in net_comch_port.c.
 */

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_cycles.h>
#include <rte_lcore.h>
#include <rte_thread.h>

#include "dpdk_release.h"
#include "net_comch.h"

/* Between two turns where something is under way. */
#define BUSY_US 100u
/* The longest sleep: a client that was refused tries again. */
#define SLEEP_MS 100
/* Ports that are waited for by descriptor; more of them wait for the longest sleep. */
#define MAX_FDS 64u

static struct {
	pthread_mutex_t life;  /* of the thread; never taken by it */
	pthread_mutex_t lock;  /* all below, and ports from their start to their stop */
	dpdk_thread_t thread;
	unsigned int nb_users;
	int wake_fd;
	bool stop;
	TAILQ_HEAD(, nc_port) ports;
} control = {
	.life = PTHREAD_MUTEX_INITIALIZER,
	.lock = PTHREAD_MUTEX_INITIALIZER,
	.ports = TAILQ_HEAD_INITIALIZER(control.ports),
};

static void
lock(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex); /* check-ok: waiters must sleep */
}

static void
unlock(pthread_mutex_t *mutex)
{
	pthread_mutex_unlock(mutex); /* check-ok: waiters must sleep */
}

/* Until something happens. Without the lock: engines are ended by this thread only. */
static void
control_sleep(struct pollfd *fds, unsigned int nb, int ms)
{
	uint64_t count;

	if (poll(fds, nb, ms) > 0 && (fds[0].revents & POLLIN) != 0 &&
			read(control.wake_fd, &count, sizeof(count)) < 0)
		return; /* another one has taken it */
}

/* What to sleep for. @return how many descriptors, or 0 if there is something to do. */
static unsigned int
control_arm(struct pollfd *fds)
{
	struct nc_port *port;
	unsigned int nb = 1;

	fds[0] = (struct pollfd){ .fd = control.wake_fd, .events = POLLIN };
	TAILQ_FOREACH(port, &control.ports, next) {
		if (nb == MAX_FDS)
			break;
		if (rte_comch_pe_arm(port->pe) != 0)
			return 0;
		fds[nb++] = (struct pollfd){ .fd = rte_comch_pe_fd(port->pe), .events = POLLIN };
	}
	return nb;
}

static DPDK_THREAD_FUNC(control_main, arg __rte_unused)
{
	struct pollfd fds[MAX_FDS];
	struct nc_port *port, *next;
	unsigned int nb;
	bool busy;

	lock(&control.lock);
	while (!control.stop) {
		busy = false;
		for (port = TAILQ_FIRST(&control.ports); port != NULL; port = next) {
			next = TAILQ_NEXT(port, next);
			busy |= nc_port_turn(port);
			if (port->state != NC_ENDED)
				continue;
			TAILQ_REMOVE(&control.ports, port, next);
			port->state = NC_STOPPED; /* the port is the caller's of nc_port_stop() */
		}
		nb = busy ? 0 : control_arm(fds);
		unlock(&control.lock);
		if (nb == 0)
			rte_delay_us_sleep(BUSY_US);
		else
			control_sleep(fds, nb, SLEEP_MS);
		lock(&control.lock);
	}
	unlock(&control.lock);
	return DPDK_THREAD_END;
}

static void
control_wake(void)
{
	const uint64_t one = 1;

	/* it cannot fail but when it is full, and then it wakes */
	(void)!write(control.wake_fd, &one, sizeof(one));
}

/*
 * In any other thread
 */

static int
control_get(void)
{
	int ret = 0;

	lock(&control.life);
	if (control.nb_users == 0) {
		control.stop = false;
		control.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (control.wake_fd < 0) {
			ret = -errno;
		} else {
			ret = dpdk_thread_create_control(&control.thread, "net-comch", control_main,
					NULL);
			if (ret != 0)
				close(control.wake_fd);
		}
	}
	control.nb_users += ret == 0;
	unlock(&control.life);
	return ret;
}

static void
control_put(void)
{
	lock(&control.life);
	if (--control.nb_users == 0) {
		lock(&control.lock);
		control.stop = true;
		unlock(&control.lock);
		control_wake();
		dpdk_thread_join(control.thread);
		close(control.wake_fd);
	}
	unlock(&control.life);
}

int
nc_port_start(struct nc_port *port)
{
	/* not with the lock: a bus has one, too, and removes ports with it */
	int ret = nc_args_dev_find(port);

	if (ret == 0)
		ret = nc_args_engines_check(port);
	if (ret != 0)
		return ret;
	ret = control_get();
	if (ret != 0) {
		NC_LOG(ERR, "%s: no control thread: %s", port->eth->data->name, strerror(-ret));
		return ret;
	}
	lock(&control.lock);
	ret = nc_port_begin(port);
	if (ret == 0) {
		TAILQ_INSERT_TAIL(&control.ports, port, next);
		control_wake();
	}
	unlock(&control.lock);
	if (ret != 0)
		control_put();
	return ret;
}

int
nc_port_stop(struct nc_port *port)
{
	bool stopped;

	lock(&control.lock);
	port->wanted = false;
	unlock(&control.lock);
	control_wake();
	/* bounded by what the library gives a peer to take the last messages */
	do {
		rte_delay_us_sleep(BUSY_US);
		lock(&control.lock);
		stopped = port->state == NC_STOPPED;
		unlock(&control.lock);
	} while (!stopped);
	control_put();
	return 0;
}
