/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the parts of the suite shm_soak share: memory that all of its processes map, with the
 * latencies of the eight that stay, and the lives of the peers that come and go. No test is
 * in here.
 */

#ifndef TEST_SHM_SOAK_H
#define TEST_SHM_SOAK_H

#include <stdbool.h>
#include <stdint.h>

#define SOAK_PEERS 8u

struct rte_comch_pe;

/** What is compared with each other. */
enum soak_run {
	SOAK_ALONE = 0, /**< The eight alone. */
	SOAK_ORDERLY,   /**< Others come, and go in order. */
	SOAK_KILLS,     /**< The same others, which are killed. */
	SOAK_AFTER,     /**< The eight alone, after all of that. */
	SOAK_OTHER,     /**< All else: it is not judged. */
	SOAK_RUNS,
};

/** Both paths. */
enum soak_path { SOAK_MSGS = 0, SOAK_FAST, SOAK_PATHS };

/** Nanoseconds of round trips, in buckets of a 64th: from 64 ns to an hour. */
#define SOAK_BUCKETS (36 * 64)
struct soak_hist {
	uint64_t nb;
	uint32_t buckets[SOAK_BUCKETS];
};

/** One of the eight, which writes it. */
struct soak_peer {
	uint64_t cpu_ns;
	struct soak_hist hists[SOAK_RUNS][SOAK_PATHS];
};

/** The places of a peer's life. */
enum soak_stage {
	SOAK_BEGINS = 0, /**< There is a process, and its device comes. */
	SOAK_CONNECTS,
	SOAK_OPENS,      /**< It makes its consumer and producer. */
	SOAK_TRANSFERS,
	SOAK_CLOSES,     /**< Queues and connection end in order. */
	SOAK_GOES,       /**< Its device goes, and the process ends. */
	SOAK_STAGES,
};

/** How the peers that come and go end. */
enum soak_way { SOAK_WAY_ORDER = 0, SOAK_WAY_KILLED, SOAK_WAY_EITHER };

/** Sums of their lives; all of it is atomic. */
struct soak_lives {
	uint32_t nb_ordered;
	uint32_t nb_failed;                /**< They found something wrong, or hung. */
	uint32_t nb_killed[SOAK_STAGES];   /**< By the stage in which they were. */
	uint64_t msgs;                     /**< Of those that went in order. */
	uint64_t life_ns;                  /**< The same. */
};

struct soak_share {
	uint32_t run;                      /**< An enum soak_run; atomic, as the next two. */
	uint32_t period_us;                /**< Of each of the eight, on average. */
	uint32_t stop;                     /**< No more lives. */
	struct soak_lives lives;
	struct soak_peer peers[SOAK_PEERS];
};

/* test_shm_soak_pace.c */

/** Of this process; NULL before soak_share_open(). */
extern struct soak_share *soak_share;
extern const char * const soak_functions[SOAK_PEERS];

/** Map the file; with create, make it. @return 0 or a negative errno. */
int soak_share_open(const char *file, bool create);
void soak_share_close(void);

/** This process is one of the eight. @return 0 or a negative errno. */
int soak_pace_open(unsigned int nr, const char *file);
bool soak_pace_is_on(void);
/** Sleep until there is something to do. @return whether it is time to send. */
bool soak_pace_wait(struct rte_comch_pe *pe, int sock);
/** Messages of a path: it was sent, and here is its echo. Without a pace it is nothing. */
void soak_pace_sent(enum soak_path path, uint64_t nr);
void soak_pace_got(enum soak_path path, uint64_t nr);

/** Both paths of all of the eight. */
void soak_hist_sum(struct soak_hist *sum, enum soak_run run, enum soak_path path);
void soak_hist_take(struct soak_hist *from, const struct soak_hist *what);
/** Some part of all was not longer than this, in microseconds. */
double soak_hist_part(const struct soak_hist *hist, double part);

/* test_shm_soak_lives.c: what a child is told, for the suite */

struct test_child;

/** It is the process that the others are forked from. @return as test_child_ask() */
int soak_lives_open(struct test_child *child, const char *file, const char *path);
/**
 * So many lives, or kills, one after the other in each of some keepers, of which each begins
 * one in so many microseconds. It answers when all have ended.
 */
int soak_lives_begin(struct test_child *child, enum soak_way way, unsigned int nb,
		unsigned int nb_keepers, unsigned int period_us, uint32_t seed);

/* test_shm_soak_line.c */

/** Samples of which the slope is wanted. */
#define SOAK_SAMPLES 512u
struct soak_line {
	unsigned int nb;
	double x[SOAK_SAMPLES]; /**< Hours. */
	double y[SOAK_SAMPLES];
};

void soak_line_add(struct soak_line *line, double x, double y);
/** Least squares. @return the slope, and its standard error. */
double soak_line_slope(const struct soak_line *line, double *error);

/* test_shm_soak_server.c */

/** What the server's process and its device have. */
struct soak_sample {
	unsigned int fds;
	unsigned int broker_fds;
	unsigned int maps;             /**< Of memfds. */
	unsigned int links;
	uint64_t ledgers;              /**< All that users have of all limits. */
	uint64_t private_kb;           /**< Memory that nobody shares. */
	uint64_t memfd_kb;             /**< Memory behind the maps. */
	uint64_t heap;                 /**< Bytes in use, of the C library. */
	uint64_t eal;                  /**< The same, of EAL. */
};

/** Nothing but the server in this process, and all that the cases need. */
int soak_setup(void);
void soak_teardown(void);
/** The eight have connected and send, and the process for lives is there. */
int soak_start(unsigned int seconds);
/** One turn of the server, and the sleep behind it if there is nothing to do. */
void soak_turn(void);
/** What went wrong for the eight, or 0. */
int soak_error(void);
/** What was under way is over, and all who came and went are gone. */
bool soak_is_settled(void);
void soak_sample_get(struct soak_sample *sample);
/** Until there is no more than before; if that never comes, what there is. */
void soak_sample_until(struct soak_sample *now, const struct soak_sample *before);
/** All is given back: fails if something is left that was not there before. */
int soak_sample_same(const struct soak_sample *before);
/** A number of lives: until all have ended, or those of some time. */
int soak_lives(enum soak_way way, unsigned int nb, unsigned int nb_keepers,
		unsigned int period_us, unsigned int ms);
/** Have all of the eight take so much of a processor, in percent. */
int soak_calibrate(double percent);
/** What all of them have taken so far. */
uint64_t soak_peers_cpu_ns(void);
/** The eight end: they have lost nothing. */
int soak_finish(void);

#define SOAK_WAIT(cond, ms) do { \
	uint64_t end_ = test_now_ns() + (uint64_t)(ms) * 1000000; \
	while (!(cond)) { \
		TEST_ASSERT(test_now_ns() < end_, "not within %u ms: %s", \
			(unsigned int)(ms), #cond); \
		TEST_ASSERT(soak_error() == 0, "the eight: %s", strerror(-soak_error())); \
		soak_turn(); \
	} \
} while (0)

/* test_shm_soak_kills.c */

int soak_test_kills(void);

#endif /* TEST_SHM_SOAK_H */
