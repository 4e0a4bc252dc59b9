/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Brokers: a process for each other user of a function, which takes the descriptors that
 * this user sends. This process gets them from there, and only such as it can close at any
 * time: what a stranger has made cannot hold it, not even at its end. How a broker works is
 * in broker/shm_broker_main.c. They are started by the thread of the device, see shm_trash.c,
 * and end with it.
 */

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <rte_cycles.h>

#include "comch_shm.h"
#include "broker/shm_broker_wire.h"

#ifndef MFD_EXEC /* Linux 6.3 */
#define MFD_EXEC 0x0010U
#endif
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

/* Descriptors of a broker beside those of its links: on their way, and to be closed. */
#define BROKER_MORE_FDS (SHM_BROKER_PARKED + 512)
/* Until those that are killed are gone, at the end of the device. They may not go. */
#define BROKER_END_MS 100
/* One that has too much to close is left to it so long. */
#define BROKER_LEFT_MS 1000
/* Such as have not ended yet: what hangs in them may do so for ever. */
#define BROKER_MAX_LEFT 64
/* Sockets of processes that are not let in, and that wait for their broker. */
#define BROKER_MAX_DROPS 64

_Static_assert(SHM_BROKER_LINKS >= SHM_MAX_LINKS, "links of one user");
_Static_assert(SHM_BROKER_WAKES >= SHM_WIRE_MAX_GROUPS, "wake sockets of one link");
_Static_assert(SHM_BROKER_MSG > sizeof(union shm_wire_msg), "a message that is too long");

static const uint8_t broker_image[] = {
#include "shm_broker_image.h"
};

struct shm_broker {
	struct shm_trash trash;
	TAILQ_ENTRY(shm_broker) next; /* of those that are left */
	struct shm_dev *dev;
	uint64_t kill_at; /* TSC, of one that is left */
	int sock;
	int pidfd;
	pid_t parent; /* a child that this process forks has no broker */
};

/* Sockets on their way to a broker. */
struct broker_job {
	struct shm_trash trash;
	struct shm_dev *dev;
	struct shm_ledger *ledger; /* NULL: of a stranger */
	int fds[2];
	uint32_t nb_fds;
};

/* Some kernels want to be told that it is to be executed, and others do not know the flag. */
static int
image_open(void)
{
	const unsigned int flags = MFD_CLOEXEC;
	int fd = memfd_create("comch-broker", flags | MFD_EXEC);

	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("comch-broker", flags);
	if (fd < 0)
		return -errno;
	if (write(fd, broker_image, sizeof(broker_image)) != (ssize_t)sizeof(broker_image)) {
		close(fd);
		return -ENOMEM;
	}
	return fd;
}

static int
broker_exec(struct shm_broker *broker, struct shm_launch *launch)
{
	int socks[2], ret;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return -errno;
	launch->sock = socks[1];
	ret = shm_exec(launch, &pid, &broker->pidfd);
	close(socks[1]);
	if (ret != 0)
		close(socks[0]);
	broker->sock = socks[0];
	return ret;
}

static struct shm_broker *
broker_start(struct shm_dev *dev)
{
	struct shm_launch launch = {
		.name = "comch-broker",
		.max_fds = SHM_BROKER_LINKS * (2 + 2 * SHM_BROKER_WAKES) + BROKER_MORE_FDS,
	};
	struct rlimit limit;
	struct shm_broker *broker = calloc(1, sizeof(*broker));
	int ret;

	if (broker == NULL)
		return NULL;
	broker->dev = dev;
	broker->parent = getpid();
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		launch.max_fds = RTE_MIN(launch.max_fds, limit.rlim_max);
	launch.what = "make its file";
	ret = launch.exe = image_open();
	if (ret >= 0) {
		ret = broker_exec(broker, &launch);
		close(launch.exe);
	}
	if (ret == 0)
		return broker;
	SHM_PEER_LOG(dev, &dev->funcs[0], ERR, "%s: cannot %s, of a process that receives what other users send: %s; until it can, only root and the own user are served",
		dev->dev->data->name, launch.what != NULL ? launch.what : "confine it",
		strerror(-ret));
	free(broker);
	return NULL;
}

static void
broker_free(struct shm_broker *broker)
{
	close(broker->pidfd);
	free(broker);
}

/* It has ended, or this process is not its parent. */
static bool
broker_reap(const struct shm_broker *broker)
{
	siginfo_t info = { 0 };

	return waitid(P_PIDFD, broker->pidfd, &info, WEXITED | WNOHANG | __WALL) != 0 ||
		info.si_pid != 0;
}

/* Those that are left, and have ended, or had their time. In the thread, as what follows. */
static void
brokers_reap(struct shm_dev *dev)
{
	const uint64_t now = rte_get_tsc_cycles();
	struct shm_broker *broker, *next;

	for (broker = TAILQ_FIRST(&dev->brokers_left); broker != NULL; broker = next) {
		next = TAILQ_NEXT(broker, next);
		if (broker_reap(broker)) {
			TAILQ_REMOVE(&dev->brokers_left, broker, next);
			__atomic_fetch_sub(&dev->nb_brokers_left, 1, __ATOMIC_RELAXED);
			broker_free(broker);
		} else if (now >= broker->kill_at) {
			syscall(SYS_pidfd_send_signal, broker->pidfd, SIGKILL, NULL, 0);
			broker->kill_at = UINT64_MAX;
		}
	}
	dev->look = TAILQ_EMPTY(&dev->brokers_left) ? NULL : brokers_reap;
}

/*
 * Nothing more is sent to it: it ends when it has closed what it has, or is killed after so
 * long. It may hang for as long as a stranger likes; nobody waits for it.
 */
static void
broker_leave(struct shm_broker *broker, uint64_t ms)
{
	struct shm_dev *dev = broker->dev;

	close(broker->sock);
	if (broker->parent != getpid()) {
		broker_free(broker);
		return;
	}
	broker->kill_at = rte_get_tsc_cycles() + rte_get_tsc_hz() / MS_PER_S * ms;
	TAILQ_INSERT_TAIL(&dev->brokers_left, broker, next);
	if (__atomic_add_fetch(&dev->nb_brokers_left, 1, __ATOMIC_RELAXED) == BROKER_MAX_LEFT)
		SHM_PEER_LOG(dev, &dev->funcs[0], WARNING, "%s: %u processes that received what other users sent do not end: until one does, only those go on that are here",
			dev->dev->data->name, BROKER_MAX_LEFT);
	brokers_reap(dev);
}

/* At the end of the device, when its thread has ended. All of them have one time to end. */
void
shm_brokers_free(struct shm_dev *dev)
{
	const uint64_t until = rte_get_tsc_cycles() + rte_get_tsc_hz() / MS_PER_S * BROKER_END_MS;
	struct shm_broker *broker;
	uint32_t i, k;

	if (dev->strangers != NULL)
		broker_leave(dev->strangers, 0);
	for (i = 0; i < dev->nb_funcs; i++)
		for (k = 0; k < SHM_MAX_USERS && dev->funcs[i].ledgers[k] != NULL; k++)
			if (dev->funcs[i].ledgers[k]->broker != NULL)
				broker_leave(dev->funcs[i].ledgers[k]->broker, 0);
	TAILQ_FOREACH(broker, &dev->brokers_left, next)
		broker->kill_at = 0;
	for (brokers_reap(dev); !TAILQ_EMPTY(&dev->brokers_left); brokers_reap(dev)) {
		if (rte_get_tsc_cycles() >= until)
			break;
		rte_delay_us_sleep(100);
	}
	while ((broker = TAILQ_FIRST(&dev->brokers_left)) != NULL) {
		TAILQ_REMOVE(&dev->brokers_left, broker, next);
		broker_free(broker);
	}
}

static void
broker_end(struct shm_trash *trash)
{
	broker_leave(container_of(trash, struct shm_broker, trash), 0);
}

/* From any thread: the user is not here any more. */
void
shm_broker_end(struct shm_dev *dev, struct shm_broker *broker)
{
	if (broker != NULL)
		shm_trash_put(dev, &broker->trash, broker_end);
}

static int
broker_send(const struct shm_broker *broker, const int *fds, uint32_t nb_fds)
{
	const char byte = 0;

	return shm_sock_send(broker->sock, &byte, 1, fds, nb_fds);
}

static bool
broker_gone(int ret)
{
	return ret == -EPIPE || ret == -ECONNRESET || ret == -ENOTCONN;
}

/*
 * One that has ended is started anew. One that has no room is so for its user, but not for
 * strangers: there it is left to what it has, which is only to be closed.
 */
static int
broker_hand(const struct broker_job *job, struct shm_broker **broker)
{
	int ret = -ECHILD, i;

	for (i = 0; i < 2; i++) {
		if (*broker == NULL)
			*broker = broker_start(job->dev);
		if (*broker == NULL)
			return -ECHILD;
		ret = broker_send(*broker, job->fds, job->nb_fds);
		if (!broker_gone(ret) && (ret != -EAGAIN || job->ledger != NULL))
			return ret;
		broker_leave(*broker, BROKER_LEFT_MS);
		*broker = NULL;
	}
	return ret;
}

static void
job_run(struct shm_trash *trash)
{
	struct broker_job *job = container_of(trash, struct broker_job, trash);
	struct shm_dev *dev = job->dev;
	struct shm_ledger *ledger = job->ledger;
	struct shm_broker **broker = ledger != NULL ? &ledger->broker : &dev->strangers;
	uint32_t i, nb_fds = job->nb_fds;

	brokers_reap(dev);
	if (broker_hand(job, broker) != 0 && ledger != NULL) {
		/* its link ends now */
		broker = &dev->strangers;
		job->ledger = NULL;
		job->nb_fds = 1;
		broker_hand(job, broker);
	}
	for (i = 0; i < nb_fds; i++)
		close(job->fds[i]);
	/* if it has no room now, the next one says it */
	if (*broker != NULL)
		broker_send(*broker, NULL, 0);
	if (ledger != NULL)
		shm_ledger_give(ledger, SHM_LIMIT_FDS, nb_fds);
	else
		__atomic_fetch_sub(&dev->nb_drops, 1, __ATOMIC_RELAXED);
	free(job);
}

static bool
job_post(struct shm_dev *dev, struct shm_ledger *ledger, int fd, int own)
{
	struct broker_job *job = malloc(sizeof(*job));

	if (job == NULL)
		return false;
	*job = (struct broker_job){
		.dev = dev, .ledger = ledger, .fds = { fd, own }, .nb_fds = own < 0 ? 1 : 2,
	};
	/* of the user, who is not forgotten before */
	if (ledger != NULL)
		shm_ledger_add(ledger, SHM_LIMIT_FDS, job->nb_fds);
	shm_trash_put(dev, &job->trash, job_run);
	return true;
}

/* Whether a process is another user's: root could do all to this one anyway. */
bool
shm_broker_wanted(const struct shm_dev *dev, uid_t uid)
{
	return dev->role == RTE_COMCH_ROLE_DPU &&
		(dev->broker_all || uid == dev->unmapped || (uid != 0 && uid != geteuid()));
}

/*
 * Have the broker of a user stand between it and this process. Owns its socket, and gives
 * back the one that takes its place, or a negative errno.
 */
int
shm_broker_give(struct shm_dev *dev, struct shm_ledger *ledger, int fd)
{
	int pair[2], ret;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
		ret = -errno;
		shm_broker_drop(dev, fd);
		return ret;
	}
	if (job_post(dev, ledger, fd, pair[1]))
		return pair[0];
	close(pair[0]);
	close(pair[1]);
	shm_broker_drop(dev, fd);
	return -ENOMEM;
}

/* Close the socket of a process that is not let in, and may have sent something. */
void
shm_broker_drop(struct shm_dev *dev, int fd)
{
	shutdown(fd, SHUT_RDWR);
	__atomic_fetch_add(&dev->nb_drops, 1, __ATOMIC_RELAXED);
	if (job_post(dev, NULL, fd, -1))
		return;
	__atomic_fetch_sub(&dev->nb_drops, 1, __ATOMIC_RELAXED);
	close(fd);
}

/* As long as many wait to be closed, or do not end, nobody is asked in. */
bool
shm_broker_busy(const struct shm_dev *dev)
{
	return __atomic_load_n(&dev->nb_drops, __ATOMIC_RELAXED) >= BROKER_MAX_DROPS ||
		__atomic_load_n(&dev->nb_brokers_left, __ATOMIC_RELAXED) >= BROKER_MAX_LEFT;
}
