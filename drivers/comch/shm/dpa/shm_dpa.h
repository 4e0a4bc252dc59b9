/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef SHM_DPA_H
#define SHM_DPA_H

/*
 * The offload processor in software, host side: a process that runs a program, and the
 * memory that both reach. What both agree on is in shm_dpa_wire.h, queues are in
 * shm_msgq*.c. Here are the structures and functions that cross the files shm_dpa*.c, and
 * what queues use of them.
 *
 * Threads. The ops of one processor run one at a time. Beside them there is the monitor,
 * a thread of the driver for each program: it starts the process, reads its socket, waits
 * for its end and reaps it. What both use is under the lock of struct shm_dpa. Engines
 * wake, join groups, and end a program that breaks the rules.
 */

#include <dirent.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <time.h>

#include <rte_comch_pmd.h>
#include <rte_comch_dpa_pmd.h>

#include "shm_dpa_wire.h"

#ifndef SYS_pidfd_send_signal /* Linux 5.1 */
#define SYS_pidfd_send_signal 424
#endif

struct shm_group;
struct shm_dpa;
struct shm_dpa_monitor;

/* Memory of both sides: where each has it. */
struct shm_dpa_place {
	void *host;    /* in PROG: to be read only */
	uint64_t dpa;  /* address in the program */
	uint64_t size;
};

/*
 * What queues use
 */

/* Whole pages, zero. -ENOMEM. */
int shm_dpa_alloc_host(struct shm_dpa *dpa, uint64_t size, struct shm_dpa_place *place);
/* The same of HOST and of PROG, for one object; -EIO: the program has ended. */
int shm_dpa_places_alloc(struct shm_dpa *dpa, uint64_t host_size, uint64_t prog_size,
		struct shm_dpa_place *host, struct shm_dpa_place *prog);
/* Who frees them makes sure that nobody uses them any more. A zero place is none. */
void shm_dpa_places_free(struct shm_dpa *dpa, struct shm_dpa_place *host,
		struct shm_dpa_place *prog);

/* Have an execution unit look at what it waits for. Any thread. */
void shm_dpa_wake(struct shm_dpa *dpa, uint32_t eu);
/* The same as it asks for that, as its armed word says; one that does not sleep is ended. */
void shm_dpa_wake_asked(struct shm_dpa *dpa, uint32_t eu);

/*
 * The program can wake the engine of a group from now on: it looks at the armed word of
 * that index in HOST and writes the eventfd. Each join needs a leave; in the thread of the
 * group. The eventfd is readable once soon after the first join, so that nothing is lost
 * that was put before the program had it.
 */
int shm_dpa_group_join(struct shm_dpa *dpa, struct shm_group *group, uint32_t *index);
void shm_dpa_group_leave(struct shm_dpa *dpa, uint32_t index);
/*
 * The engine is awake: its eventfd is readable no more. A program that wakes it, with fewer
 * messages and credits than that, is ended: nb is how many there were.
 */
void shm_dpa_group_drain(struct shm_dpa *dpa, uint32_t index, uint64_t nb);
/* The engine is about to sleep (with what its armed word is to be), or is up again (0). */
void shm_dpa_group_arm(struct shm_dpa *dpa, uint32_t index, uint32_t armed);

/* The program has ended, or was taken for broken. Any thread. */
bool shm_dpa_is_down(const struct shm_dpa *dpa);

/*
 * shm_dpa_mem.c: segments, and what is allocated of them
 */

/* A part of a segment. */
struct shm_dpa_extent {
	TAILQ_ENTRY(shm_dpa_extent) next; /* by offset */
	uint64_t off;
	uint64_t size;
	uint64_t len; /* as it was asked for */
};

TAILQ_HEAD(shm_dpa_extents, shm_dpa_extent);

/* A segment. */
struct shm_dpa_seg {
	uint8_t *map;
	uint64_t size;
	uint64_t addr; /* in the program */
	uint64_t hdr;  /* bytes that are not allocated */
	int fd;        /* -1: it has no memory */
	pthread_mutex_t lock; /* of used */
	struct shm_dpa_extents used;
};

enum shm_dpa_seg_kind {
	SHM_DPA_HOST = 0,
	SHM_DPA_PROG,
	SHM_DPA_HEAP,
	SHM_DPA_WINDOWS, /* addresses only */
	SHM_DPA_NB_SEGS
};

struct shm_dpa_segs {
	struct shm_dpa_seg seg[SHM_DPA_NB_SEGS];
};

int shm_dpa_segs_create(struct shm_dpa_segs *segs, uint64_t heap_size);
void shm_dpa_segs_free(struct shm_dpa_segs *segs);
/* A descriptor of a memfd with which nobody can write. */
int shm_dpa_fd_readonly(int fd);
/* The rest of a program, of which there is no process and no thread any more. */
void shm_dpa_free(struct shm_dpa *dpa);
int shm_dpa_seg_alloc(struct shm_dpa_seg *seg, uint64_t size, uint64_t align, uint64_t *off);
/* -ENOENT: nothing begins there. */
int shm_dpa_seg_free(struct shm_dpa_seg *seg, uint64_t off);
/* The bytes at an address of the program; NULL if no allocation has them all. */
void *shm_dpa_seg_find(struct shm_dpa_seg *seg, uint64_t addr, uint64_t len);

/* Bytes between two allocations of HEAP, so that they share no line. */
#define SHM_DPA_HEAP_GRAIN 128u

/* What of a poll group the program has; under group_lock. */
struct shm_dpa_group {
	struct shm_group *group;
	uint32_t refs; /* queues */
	int fd;        /* eventfd, which the engine polls */
	uint64_t nb_wakes; /* that nothing came with; of the engine, as the next */
	uint64_t until;    /* of the interval, TSC */
};

/* Wake-ups that a unit asked for without sleeping; both are atomic. */
struct shm_dpa_asked {
	uint64_t until; /* of the interval, TSC */
	uint32_t nb;
};

/* Files of its process in /proc. */
struct shm_dpa_look {
	int maps;
	int status;
	DIR *fds;
};

/* A program that runs. */
struct shm_dpa {
	struct shm_dpa_segs segs;
	struct shm_dpa_group groups[SHM_DPA_MAX_GROUPS];
	pthread_mutex_t group_lock; /* check-ok: waiters must sleep */
	struct rte_comch_dpa *api;
	const char *name; /* of the device, for the log */
	int sock;         /* our end of the control socket */
	int pidfd;
	bool down; /* atomic */
	uint32_t nb_retained; /* memory that units did not leave; atomic */
	uint32_t last_serial; /* of queues; atomic */
	struct shm_dpa_asked asked[SHM_DPA_NB_UNITS];

	struct shm_dpa_monitor *monitor;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t cond; /* check-ok: waiters must sleep */
	bool launched; /* the monitor has tried to start the process */
	bool abandoned; /* it takes too long for that, and has all of this */
	bool up;       /* the start has succeeded: its end is told to the library */
	bool stopping; /* nobody wants to know of its end */
	int error;     /* of the launch */
	pid_t pid;     /* until its end, which frees the number; then 0 */
	uint32_t last_seq;
	uint32_t seq;  /* of the request under way, or 0 */
	bool answered;
	struct shm_dpa_answer answer;
	struct rte_comch_dpa_status status;

	/* of the monitor */
	uint32_t nb_lines; /* since next_lines - 1 s */
	uint64_t next_lines; /* TSC */

	/* of the ops */
	uint32_t nb_funcs;
	struct shm_dpa_func funcs[SHM_DPA_MAX_FUNCS];
	struct {
		uint64_t size; /* 0: there is none */
		bool write;
		int fd;        /* of its region; -1: it is being taken back */
	} windows[SHM_DPA_MAX_WINDOWS];
	uint64_t nb_addrs; /* that the process may have; atomic */
	struct shm_dpa_look look; /* of the monitor too, which reads status */
};

/* The headers. PROG may change at any time: load each word once. */
static inline struct shm_dpa_host *
shm_dpa_host(struct shm_dpa *dpa)
{
	return (struct shm_dpa_host *)(void *)dpa->segs.seg[SHM_DPA_HOST].map;
}

static inline const struct shm_dpa_prog *
shm_dpa_prog(const struct shm_dpa *dpa)
{
	return (const struct shm_dpa_prog *)(const void *)dpa->segs.seg[SHM_DPA_PROG].map;
}

/* Of what a program says in words: without what a terminal would obey. */
static inline char
shm_dpa_plain(char c)
{
	return c >= ' ' && c <= '~' ? c : '?';
}

/*
 * shm_dpa_ctl.c: the control socket
 */

/* Without an answer; fd or -1. -EIO: it has ended, or does not read; -ENOMEM. Any thread. */
int shm_dpa_send(struct shm_dpa *dpa, const struct shm_dpa_msg *msg, int fd);
/*
 * With one: 0 or what the program says. -EIO: it has ended; -ETIMEDOUT: it does not answer,
 * and is ended. One at a time.
 */
int shm_dpa_request(struct shm_dpa *dpa, struct shm_dpa_msg *msg, int fd, uint32_t ms,
		uint64_t *value);
/* Take what the program sent; in the monitor. */
void shm_dpa_receive(struct shm_dpa *dpa);

/*
 * shm_dpa_status.c: how a program ends
 */

/* Take it for broken, and end it. The first reason stays. Any thread. */
void shm_dpa_spins(struct shm_dpa *dpa, uint32_t eu, const char *what);
void shm_dpa_violation(struct shm_dpa *dpa, uint32_t eu, const char *what, uint64_t a,
		uint64_t b);
/** The same of one that has, or does, more than it may: so many, and not so many. */
void shm_dpa_excess(struct shm_dpa *dpa, uint32_t eu, const char *what, uint64_t has,
		uint64_t may);
/* The process has ended so. */
void shm_dpa_ended(struct shm_dpa *dpa, int wait_status);

/*
 * shm_dpa_monitor.c, shm_dpa_elf.c: the process
 */

/* -ETIMEDOUT: reading its file takes longer; the monitor frees all of it once that ends. */
int shm_dpa_process_start(struct shm_dpa *dpa, const struct timespec *until);
/* Wait so long at most: whether the process has ended, and runs no instruction any more. */
bool shm_dpa_process_over(const struct shm_dpa *dpa, int ms);
/* Bounded; after it there is no process and no thread. */
void shm_dpa_process_stop(struct shm_dpa *dpa);

/*
 * shm_dpa_look.c: what the kernel tells of the process
 */

/* Wait until it is executed: before, its mappings are ours. */
int shm_dpa_look_executed(int pidfd);
/* Once it was executed. -ENOENT: there is no /proc of this process. */
int shm_dpa_look_open(struct shm_dpa_look *look, int pidfd);
/* Also after an error. */
void shm_dpa_look_close(struct shm_dpa_look *look);
/*
 * Whether it has nothing of a file but what windows have; it is stopped for a moment. -EBUSY:
 * it has more; -EIO: it has ended; others: it could not be looked at.
 */
int shm_dpa_look_gone(struct shm_dpa *dpa, int fd);
/* Limit its addresses to what was given out to it. */
void shm_dpa_look_addrs(struct shm_dpa *dpa);
/* End it if it has more threads or page tables than it needs; in the monitor. */
void shm_dpa_look_size(struct shm_dpa *dpa);

/* Descriptors that a program may have, of which each has a number below this. */
#define SHM_DPA_MAX_FDS 200

/* Open the file of a program that can be run so. */
int shm_dpa_elf_open(const char *name, const char *path, bool any_machine);

/*
 * shm_dpa_ops.c, shm_dpa_thread.c: what the library calls
 */

extern const struct rte_comch_dpa_ops shm_dpa_ops;
int shm_dpa_thread_create(struct rte_comch_dpa_thread *thread);
int shm_dpa_thread_run(struct rte_comch_dpa_thread *thread);
int shm_dpa_thread_destroy(struct rte_comch_dpa_thread *thread);
int shm_dpa_rpc(struct rte_comch_dpa *api, const char *func, const uint64_t *args,
		uint32_t nb_args, uint32_t timeout_ms, uint64_t *ret);
int shm_dpa_window_create(struct rte_comch_dpa_window *window);
int shm_dpa_window_destroy(struct rte_comch_dpa_window *window);

#endif /* SHM_DPA_H */
