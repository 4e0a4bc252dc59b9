/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the comch tests share: devices and pairs of them, ends of connections
 * that count what happens to them, waiting with a limit, and cleaning up.
 * No test is in here.
 */

#ifndef TEST_COMCH_UTIL_H
#define TEST_COMCH_UTIL_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>

#include <rte_comch.h>

#include "test.h"

/** How many times as slow as usual the machine is: COMCH_TEST_SLOW, 1 if it is not set. */
extern unsigned int test_slow;

/** Milliseconds in which what needs no time must have happened. */
#define TEST_MS (5000u * test_slow)

/** Emulated functions of the devices that the tests make for themselves. */
#define TEST_FUNCTIONS "pf0:pf0vf[0-3]"

/** A card device with one representor, and the host device of that function. */
struct test_pair {
	int16_t dpu;
	uint16_t rep;
	int16_t host;
	char function[RTE_COMCH_FUNCTION_SIZE];
};

/** A message on its way; the user data of the task that carries it. */
struct test_buf {
	STAILQ_ENTRY(test_buf) next;
	struct rte_comch_conn *conn;
	uint32_t len;
	uint8_t data[];
};

STAILQ_HEAD(test_buf_list, test_buf);

#define TEST_EP_STATES 16

/**
 * One end: a server, a client or a consumer, and what happened to it. A hook
 * that is set replaces what the end would have done after counting.
 */
struct test_ep {
	TAILQ_ENTRY(test_ep) next;
	struct rte_comch_ctx *ctx;
	struct rte_comch_conn *conn;   /**< The newest that lives, or NULL. */
	struct test_buf_list backlog;  /**< Echoes that found no free task. */
	bool echo;                     /**< Send back what arrives. */

	uint32_t nb_connects;
	uint32_t nb_disconnects;
	uint32_t nb_recv;
	uint32_t nb_done;              /**< Send tasks that ended well. */
	uint32_t nb_failed;            /**< Send tasks that did not. */
	uint32_t nb_new;               /**< Consumers of the peer that arrived. */
	uint32_t nb_gone;              /**< Consumers of the peer that departed. */
	uint32_t nb_states;            /**< Changes of state. */
	uint64_t rx_bytes;
	uint32_t new_id;               /**< The last that arrived. */
	uint32_t gone_id;              /**< The last that departed. */
	int connect_status;
	int disconnect_status;
	int send_status;               /**< Of the last task that failed. */
	int states[TEST_EP_STATES];    /**< The first states entered, in order. */
	uint32_t last_len;             /**< The last message received. */
	uint8_t *last_msg;

	void (*on_recv)(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg,
			uint32_t len);
	void (*on_send)(struct test_ep *ep, struct rte_comch_task *task, int status);
	void (*on_connect)(struct test_ep *ep, struct rte_comch_conn *conn);
	void (*on_disconnect)(struct test_ep *ep, struct rte_comch_conn *conn, int status);
	void (*on_state)(struct test_ep *ep, int prev, int next);
	void *arg;                     /**< The test's own. */
	uint64_t value;                /**< The test's own. */
};

/** The pair that the running suite is for. */
extern struct test_pair test_pair;

/** As clock_gettime(), in nanoseconds. */
uint64_t test_clock_ns(clockid_t clock);
uint64_t test_now_ns(void);

/** Make devices if the command line gave none. @return 0 or a negative errno. */
int test_devices_create(void);
/** Remove what test_devices_create() made. */
void test_devices_remove(void);
/** Find the pairs of devices of this process. @return their number. */
unsigned int test_pairs_get(struct test_pair *pairs, unsigned int max);
/** Run a suite with each pair of devices of this process in test_pair. */
int test_pairs_run(struct unit_test_suite *suite);
/** For suites that need one pair: set test_pair to the first. */
int test_pair_first(void);
/** Find a pair of the card device of test_pair, but of another function. */
int test_pair_other(struct test_pair *other);

/** Make a directory of this process's own where two ends can meet. */
int test_rendezvous_create(char *path, size_t size);
void test_rendezvous_remove(const char *path);
/** Unlink the files that killed processes have left in a folder of theirs. */
void test_folder_empty(const char *path);
/** Plug a shm device under a name not used yet. @return its id or a negative errno. */
__rte_format_printf(1, 2)
int test_vdev_add(const char *format, ...);
/** Plug a device of a driver, under a name not used yet. @return its id or a negative errno. */
int test_dev_plug(const char *driver, const char *args);
/** Unplug a device that one of these made. */
int test_vdev_remove(int16_t dev_id);

/** Silence the logs of comch while errors are provoked; the end of a suite restores them. */
void test_log_quiet(void);
void test_log_restore(void);
/** For setup: what is refused is no news. */
int test_quiet(void);
/** The same with one pair. */
int test_setup_quiet(void);
/** For setup of a case that needs event mode on both devices of the pair. */
int test_need_event(void);
/** As test_setup_quiet(), for suites that need event mode. */
int test_setup_event(void);

/*
 * What returns an engine or an end returns no NULL: without it the case ends, see test_give_up().
 */

/** A progress engine that test_progress() turns and test_cleanup() destroys. */
struct rte_comch_pe *test_pe_new(void);
/** The same, with a configuration of its own. */
struct rte_comch_pe *test_pe_new_conf(const struct rte_comch_pe_conf *conf);
/** Wait for the descriptor of an engine. @return what poll() does. */
int test_wait_fd(struct rte_comch_pe *pe, int ms);
/** Turn all of them once. @return the events handled. */
int test_progress(void);
/** Turn these alone, of which the second may be NULL. @return the events handled. */
int test_turn(struct rte_comch_pe *first, struct rte_comch_pe *second);
void test_turn_ms(struct rte_comch_pe *first, struct rte_comch_pe *second, unsigned int ms);
/** Turn all for a time, whatever happens. */
void test_progress_ms(unsigned int ms);
/** Turn them until they have nothing to do, and nothing is under way. */
void test_settle(void);
/** What is under way between two devices is there when this returns; turns no engine. */
void test_arrive(void);

struct test_ep *test_ep_new(void);
void test_server_conf(struct test_ep *ep, const char *name, struct rte_comch_server_conf *conf);
void test_client_conf(struct test_ep *ep, const char *name, struct rte_comch_client_conf *conf);
/** Create, attach and start on the devices of test_pair. @return what start returned. */
int test_server_start(struct test_ep *ep, const struct rte_comch_server_conf *conf,
		struct rte_comch_pe *pe);
int test_client_start(struct test_ep *ep, const struct rte_comch_client_conf *conf,
		struct rte_comch_pe *pe);
/**
 * A server on each of the first representors, for processes that have a function each:
 * what happens to any of them happens to ep. @return what the last start returned.
 */
int test_servers_start(struct test_ep *ep, const struct rte_comch_server_conf *conf,
		struct rte_comch_pe *pe, unsigned int nb_reps);
/**
 * As these two, with an end of their own: it has the callbacks, whatever conf says, and the
 * name "test" if conf has none. The case ends if it does not start.
 */
struct test_ep *test_server_run_conf(const struct rte_comch_server_conf *conf,
		struct rte_comch_pe *pe);
struct test_ep *test_client_run_conf(const struct rte_comch_client_conf *conf,
		struct rte_comch_pe *pe);
/** The same with default configurations. */
struct test_ep *test_server_run(const char *name, struct rte_comch_pe *pe);
struct test_ep *test_client_run(const char *name, struct rte_comch_pe *pe);
/** A server and a client of it, connected; each on its own engine. */
int test_connected(struct test_ep **server, struct test_ep **client);
/** Create, attach and start a consumer on a connection. @return what start returned. */
int test_consumer_start(struct test_ep *ep, struct rte_comch_conn *conn,
		struct rte_comch_pe *pe);
int test_state(const struct test_ep *ep);
/** The identifier of a consumer or producer. @return 0 if ctx is neither. */
uint32_t test_queue_id(const struct rte_comch_ctx *ctx);
/** What the functions that end in info_get tell; the case fails if they do not. */
struct rte_comch_dev_info test_dev_info(int16_t dev_id);
struct rte_comch_mem_info test_mem_info(const struct rte_comch_mem *mem);
struct rte_comch_conn_info test_conn_facts(const struct rte_comch_conn *conn);
struct rte_comch_ctx_info test_ctx_info(const struct rte_comch_ctx *ctx);
struct rte_comch_task_info test_task_info(const struct rte_comch_task *task);
/** Server or client of a connection, NULL after its end. */
struct rte_comch_ctx *test_conn_ctx(const struct rte_comch_conn *conn);
/** Tasks of an engine that are allocated. */
uint32_t test_pe_tasks(const struct rte_comch_pe *pe);
/** Does the driver, or one that the tests have put before it, tell of ends later? */
bool test_ends_later(void);
/**
 * Stop a context that has nothing to wait for: it is IDLE at once. Only if the driver
 * tells of ends later, it takes progress.
 */
int test_stop_now(struct rte_comch_ctx *ctx);
/** With a driver that tells of ends later: until it has. Without, nothing. */
void test_ends_settle(void);
/** Stop one end and progress until it is IDLE. */
int test_stop(struct test_ep *ep);
/** Stop and destroy one end, progressing as needed. */
int test_ep_close(struct test_ep *ep);
/** Stop and destroy all that the helpers made. For teardown. */
void test_cleanup(void);

/** Send a copy of a message. @return 0 or a negative errno. */
int test_send(struct rte_comch_conn *conn, const void *msg, uint32_t len);
/** Send a message of bytes that test_check() knows. */
int test_send_pattern(struct rte_comch_conn *conn, uint32_t len, uint32_t seed);
void test_fill(uint8_t *buf, uint32_t len, uint32_t seed);
bool test_check(const uint8_t *buf, uint32_t len, uint32_t seed);
/** Start the echo of one message that could not be sent at once. */
void test_flush_backlog(struct test_ep *ep);

/** Small random numbers, the same in each run. */
uint32_t test_rand(void);

/** Of a folder, with the two that each has; 0 if it cannot be read. */
unsigned int test_count_entries(const char *dir);
/** Resources of this process, for before and after. */
unsigned int test_count_fds(void);
/** From here on the kernel refuses a system call to this thread, or to all. @return 0 or -errno. */
int test_syscall_refuse(long nr, int err, bool all_threads);
/** Of all brokers of shm devices of this process. */
unsigned int test_count_broker_fds(void);
/** Send all of them a signal. @return how many there are. */
unsigned int test_signal_brokers(int sig);
unsigned int test_count_maps(void);
/** Resident memory that no other process shares. */
uint64_t test_private_kb(void);
/** Memory behind the memfds that are mapped here, each counted once. */
uint64_t test_memfd_kb(void);

/**
 * Evaluate turn, which says whether it has done anything, until a condition holds; fail the
 * case after ms milliseconds. For macros: text is #cond, before macros in it are expanded.
 */
#define TEST_UNTIL_TEXT(cond, text, turn, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
				(unsigned int)(ms), text); \
		if ((turn) == 0) \
			sched_yield(); \
	} \
} while (0)

/** The same for cases. */
#define TEST_UNTIL(cond, turn, ms) TEST_UNTIL_TEXT(cond, #cond, turn, ms)

/** Progress until a condition holds. */
#define TEST_WAIT(cond, ms) TEST_UNTIL_TEXT(cond, #cond, test_progress(), ms)

/** Progress until there is nothing to do, and arm: what rte_comch_pe_arm() says. */
int test_arm(struct rte_comch_pe *pe);

/**
 * Arm an engine that is idle. Where devices have a time of their own it may wake a few
 * times for what is over by now.
 */
int test_sleep(struct rte_comch_pe *pe);

/**
 * Arm an engine that has something to do: it must not sleep. Where devices have a time of
 * their own it may take a moment until there is.
 */
int test_no_sleep(struct rte_comch_pe *pe);

/**
 * As TEST_WAIT(), for an engine that is turned when it wakes or refuses to sleep, and not
 * else: what it refuses for may be what the condition takes.
 */
#define TEST_SLEEP_UNTIL(cond, pe, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	int armed_; \
	while (!(cond)) { \
		armed_ = rte_comch_pe_arm(pe); \
		TEST_TRUE(armed_ == 0 || armed_ == -EAGAIN); \
		if (cond) \
			break; \
		TEST_ASSERT(test_now_ns() < end_ && (armed_ != 0 || test_wait_fd(pe, ms) == 1), \
				"asleep for %u ms without %s", (unsigned int)(ms), #cond); \
		TEST_TRUE(rte_comch_pe_progress(pe) >= 0); \
	} \
} while (0)

/** The counters of a connection; the case fails if there are none. */
struct rte_comch_conn_stats test_conn_stats(const struct rte_comch_conn *conn);

/** Whether there is a device of this identifier. */
static inline bool
test_dev_is_valid(int16_t dev_id)
{
	return dev_id >= 0 && rte_comch_dev_next(dev_id) == dev_id;
}

/** rte_comch_ctx_conf_set() with the structure of one kind. */
#define TEST_CONF_SET(kind) \
static inline int \
test_##kind##_conf_set(struct rte_comch_ctx *ctx, const struct rte_comch_##kind##_conf *conf) \
{ \
	const union rte_comch_ctx_conf all = { .kind = *conf }; \
\
	return rte_comch_ctx_conf_set(ctx, &all); \
}

TEST_CONF_SET(server)
TEST_CONF_SET(client)
TEST_CONF_SET(consumer)
TEST_CONF_SET(producer)

#endif /* TEST_COMCH_UTIL_H */
