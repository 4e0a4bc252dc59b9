/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the files of layer fw, and the back end of objects above them, know of a
 * function. Nobody else includes this.
 *
 * Threads: those of the application, EAL's interrupt thread, which only wakes the
 * worker, and the worker, one of each function: events, health, and telling of a
 * failure. It takes no ctl, whose owner may wait for it.
 *
 * Locks, from the outside in:
 *   ctl      life: create, destroy, reset, and every operation on objects; held
 *            while their commands last
 *   slot     of the command queue, in bluefield_cmd.c
 *   eq.lock  the event queue: only ever tried, but for bring-up and teardown, which
 *            have no slot then. Who fails to get it leaves a note, and who has it
 *            looks once more
 *   pages.lock  the pages of firmware, with their command
 *   slot     the other one, for pages
 *   worker   whether it is to do something; no other is taken with it
 * A thread that waits for a command serves events, so it may hold all of them.
 * A fatal error may be found anywhere in there; who found it marks the function,
 * and the callback goes out of bf_fatal_deliver(), where no lock is held.
 */

#ifndef BLUEFIELD_FUNC_PRIV_H
#define BLUEFIELD_FUNC_PRIV_H

#include <sys/queue.h>

#include "bluefield_cmd.h"
#include "bluefield_func.h"
#include "bluefield_lock.h"
#include "bluefield_prm.h"
#include "bluefield_seam.h" /* kinds of objects, for counting */
#include "bluefield_thread.h"
#include "bluefield_times.h"

/* Firmware pages in one command. */
#define BF_PAGES_PER_CMD 512
/* Firmware pages in one allocation, at most. */
#define BF_PAGES_PER_CHUNK 256

#define BF_EQ_LOG_SIZE 10 /* queue pairs may fail by the hundred, and each tells */
/* Queue pairs whose "last WQE reached" is kept, by number, modulo. */
#define BF_EQ_LAST_WQES 4096u

/* How far a bring-up has come; each stage is undone from here downwards. */
enum bf_stage {
	BF_STAGE_NONE = 0,
	BF_STAGE_CMDQ,    /* commands work */
	BF_STAGE_ENABLED, /* ENABLE_HCA: health is polled */
	BF_STAGE_ISSI,    /* firmware answers: it has pages from here on */
	BF_STAGE_INIT,    /* INIT_HCA */
	BF_STAGE_UAR,
	BF_STAGE_EQ,
	BF_STAGE_IRQ,
};

/* Memory of an object that the device may still write after the object is gone. */
struct bf_mem {
	LIST_ENTRY(bf_mem) next;
	struct bf_dma dma;
};

LIST_HEAD(bf_mem_list, bf_mem);

struct bf_chunk;

/* Pages of firmware. */
struct bf_pages {
	struct bf_lock lock;
	struct bf_chunk **chunks; /* by address */
	uint32_t nb_chunks;
	uint32_t max_chunks;
	uint32_t given;           /* written with the lock, read without */
	uint32_t peak;
	uint64_t requests;        /* atomic: events */
	/* The last request of an event that took several commands; with eq.lock. */
	uint32_t split_owner;
	uint32_t split;
	uint64_t refused;         /* pages that we could not give */
};

/* The event queue. */
struct bf_eq {
	struct bf_lock lock;
	bool again;          /* atomic: somebody looked while the lock was taken */
	bool active;         /* with the lock */
	bool stop;           /* atomic: who processes events is to come out */
	struct bf_dma mem;
	uint32_t uar;
	uint8_t eqn;
	uint32_t ci;
	uint32_t ci_told;    /* what the device knows */
	uint32_t seen;       /* behind what had come when pages were last given */
	uint64_t events;     /* atomic, as are those below */
	uint64_t unknown;
	uint64_t cq_errors;
	uint64_t srq_errors;
	uint64_t wq_errors;
	uint64_t late_wqes;  /* those that were waited for in vain */
	bool has_last_wqe;   /* firmware tells of it */
	uint32_t last_wqe[BF_EQ_LAST_WQES]; /* numbers of queue pairs; atomic */
};

struct bf_health {
	bool on;             /* atomic: interface state and syndrome mean something */
	uint64_t polls;      /* atomic */
	uint64_t next_ms;    /* atomic: of the look while a command lasts */
	uint32_t counter;    /* last one; of the worker when it runs, as are the next */
	uint32_t misses;
	bool stands;         /* that has been said */
	uint64_t moved_ms;   /* when the counter was seen to move */
	uint64_t probe_ms;   /* after that: when firmware is asked next */
	uint64_t poll_ms;    /* of the next poll */
};

struct bf_func {
	struct bf_hw *hw;
	struct bf_func_conf conf;
	struct bf_lock ctl;
	struct bf_cmdq *cmdq;
	struct bf_thread worker;
	enum bf_stage stage;      /* with ctl */
	bool ec;                  /* the card's own function */
	uint16_t pages_id;        /* of this function, in page requests */
	bool pages_asked_none;    /* at boot: somebody else gives them */
	uint32_t gen;             /* with ctl; goes up with each reset: older objects are void */
	uint32_t nb_objs[BF_NB_OBJ_KINDS]; /* with ctl */
	struct bf_mem_list deferred_free; /* with ctl; freed when the device has been reset */
	/* atomic: enum bf_fatal, its errno, and who tells */
	int fatal;
	int reason;
	bool up;
	bool untold;
	/* but for port_state, a reset that finds it the same writes nothing */
	struct bf_func_caps caps;
	uint8_t cqe_version;      /* 1: completions have a user index */
	uint8_t qp_ts_format;     /* of time stamps that queue pairs ask for */
	struct bf_pages pages;
	struct bf_eq eq;
	struct bf_health health;
};

/*
 * bluefield_func_cmd.c
 */

/* A command on a slot; a delivery error is fatal. */
int bf_func_cmd(struct bf_func *func, enum bf_cmd_slot slot, struct bf_cmd *cmd);

/* The same for the normal slot, with the lengths of arrays; in has its opcode. */
int bf_func_exec(struct bf_func *func, void *in, uint32_t in_len, void *out, uint32_t out_len);

bool bf_func_is_vf(const struct bf_func *func);

/* 0 when the function works, with ctl held: for objects. */
int bf_func_usable(const struct bf_func *func);

/* Give memory that the device may still use to the list that waits for a reset. */
void bf_func_defer_free(struct bf_func *func, struct bf_mem *mem);

/* Mark the function as failed; the first wins, and logs. Any thread, any lock. */
void bf_fatal_set(struct bf_func *func, enum bf_fatal fatal, int reason);

/* bf_irq_cb_t: have the worker look at events, and tell of a failure. Any thread, any lock. */
void bf_func_wake(void *arg);

/* Tell, if there is something to tell. No lock held. */
void bf_fatal_deliver(struct bf_func *func);

/*
 * bluefield_boot.c
 */

/*
 * From a function that was reset, or never used, to one that works; ctl held. On
 * failure stage says how far it came.
 */
int bf_boot_up(struct bf_func *func);

/* Ask firmware to undo what it did, from the stage downwards; any error ends it. */
int bf_boot_undo(struct bf_func *func, enum bf_stage stage);

/*
 * bluefield_ready.c
 */

/* Until firmware has initialised; 0 or a negative errno, logged with the remedy. */
int bf_ready_fw(struct bf_func *func, uint32_t timeout_ms);

/*
 * Before the command queue is set up: until firmware is there and works. Firmware
 * that has failed is reset by a physical function; a virtual one waits for that.
 * -EAGAIN: nobody has done so.
 */
int bf_ready(struct bf_func *func);

/*
 * bluefield_health.c
 */

/*
 * Look at the registers: 0 or a negative errno, and then the function has failed.
 * Before bf_health_start() and after bf_health_stop() only a function that is gone
 * has failed: the interface is off when it is not enabled, and a syndrome may be of
 * the life before.
 */
int bf_health_check(struct bf_func *func);

/* When to poll next. */
uint64_t bf_health_next(struct bf_func *func);

/* One look of the periodic poll, at the counter too; in the worker. */
void bf_health_poll(struct bf_func *func);

/*
 * Begin and end the poll: after ENABLE_HCA has ended and before DISABLE_HCA begins.
 * When the latter returns, the worker does nothing any more.
 */
void bf_health_start(struct bf_func *func);
void bf_health_stop(struct bf_func *func);

/*
 * bluefield_pages.c
 */

void bf_pages_init(struct bf_func *func);
void bf_pages_fini(struct bf_func *func);

/* Ask firmware what it needs for a stage of bring-up, and give it. */
int bf_pages_startup(struct bf_func *func, bool boot);

/*
 * What an event asked for: num < 0 to take back. early: it came before the last ones were
 * given.
 */
void bf_pages_request(struct bf_func *func, bool ec, uint16_t func_id, bool release, int32_t num,
	bool early);

/* Take everything back; -ETIMEDOUT if firmware keeps some. */
int bf_pages_reclaim(struct bf_func *func);

/* The function was reset: everything is ours again. */
void bf_pages_invalidate(struct bf_func *func);

/* Forget them: the memory goes with hw. */
void bf_pages_abandon(struct bf_func *func);

/*
 * bluefield_eq.c
 */

void bf_eq_init(struct bf_func *func);
void bf_eq_fini(struct bf_func *func);
int bf_eq_create(struct bf_func *func);
/* Have the device raise an interrupt for the next event. */
void bf_eq_arm(struct bf_func *func);
/*
 * No event is processed after this; waits for the one that is. The memory stays
 * until bf_eq_invalidate().
 */
void bf_eq_stop(struct bf_func *func);
int bf_eq_destroy(struct bf_func *func);
/* The device does not use it any more. */
void bf_eq_invalidate(struct bf_func *func);
/* Process what is there; nothing if another thread does. */
void bf_eq_poll(struct bf_func *func);
/*
 * Wait until a queue pair in state ERR takes nothing more of its shared receive queue: the
 * device tells so once, maybe long before this. Not in the thread that processes events.
 * 0, -ENOTSUP firmware tells of no such thing, -ETIMEDOUT, or why the function has failed.
 */
int bf_eq_last_wqe(struct bf_func *func, uint32_t qpn);
/* Number for completion queues that are attached to this queue. */
uint8_t bf_func_eqn(const struct bf_func *func);

#define BF_NAME(func) ((func)->hw->name)

#endif
