/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef TEST_COMCH_ROUNDS_H
#define TEST_COMCH_ROUNDS_H

/*
 * Rounds: each result is the median of several, and between them the limit is
 * measured, so that a neighbour on the machine disturbs both or neither.
 */

#include <stdint.h>

#include "peer.h"

struct rounds {
	struct client *cl;
	struct result *res;
	const struct limit_place *place;
	uint32_t nb;              /* wanted */
	uint32_t done;
	double seconds;           /* of each round */
	uint64_t count;           /* of each round; 0 if it ends by time */
	double limit_seconds;
	double value[OPT_MAX_ROUNDS];
	double limit[OPT_MAX_ROUNDS];   /* 0 where it could not be measured */
	double best_limit;        /* of all rounds so far */
	uint32_t again;           /* measurements of this round's limit beyond the first */
	uint64_t begin;           /* clock of the measured part of this round */
	uint64_t end;
	uint64_t last_line;       /* clock of the last progress line, or of the first round */
	uint64_t line;            /* the same, or the beginning of this round if it is later */
	uint64_t line_done;       /* of this round, at that time */
	uint64_t line_bytes;
	uint64_t moved;           /* of a rate: what had been done when something last was */
	uint64_t deadline;        /* until when more has to be; 0 at the beginning of a round */
	/* Rates of each round. */
	double tx[OPT_MAX_ROUNDS];
	double rx[OPT_MAX_ROUNDS];
	double bytes[OPT_MAX_ROUNDS];
	double best[OPT_MAX_ROUNDS];    /* tenth of the time, without others on the CPUs */
};

/* dflt_seconds: of the whole result, if the user gave neither count nor time. */
void rounds_init(struct rounds *r, struct client *cl, struct result *res,
		const struct limit_place *place, double dflt_seconds);

/*
 * Keep the limit of the next round, or the reason why there is none. True if it is to be
 * measured again, which ends by itself: it is far from that of other rounds.
 */
bool rounds_limit(struct rounds *r, int status, double limit);

/* The measured part of a round begins. */
void rounds_begin(struct rounds *r);

/* Has the round ended, by the clock or because nb of this round are done? */
static inline bool
rounds_over(const struct rounds *r, uint64_t now, uint64_t nb)
{
	return r->count != 0 ? nb >= r->count : now >= r->end;
}

/*
 * A line about a long run, when it is time for one, with the rate since the last. done and
 * bytes: of this round; bytes are shown if the test is one of a bandwidth.
 */
void rounds_line(struct rounds *r, uint64_t now, uint64_t done, uint64_t bytes,
		const char *unit);

/*
 * The value of a round that has ended, with status 0, or was stopped, with -ECANCELED: what
 * was done until then counts. Returns the status.
 */
int rounds_add(struct rounds *r, int status, double value, uint64_t nb, double seconds);

/*
 * Work out the medians. The ratio is the median of the rounds' own: a round and
 * its limit have seen the same machine, as the whole run may not have. If most rounds
 * have no limit that counts, there is none, and a reason. A run that
 * was stopped keeps what rounds it has. Returns the status of the result.
 */
int rounds_finish(struct rounds *r, int status, double *value);

double median(double *values, uint32_t nb);

/* ---- measure.c ---- */

/* A test of latency: messages go there and back, one at a time. */
struct latency {
	const struct limit_place *place;
	uint64_t chunk;           /* round trips between two looks at everything else */
	void *arg;
	/* A round begins: both ends are there. */
	int (*begin)(void *arg);
	/* Up to nb round trips, fewer if they are slow; h is NULL while it warms up: all. */
	int (*pings)(void *arg, uint64_t nb, struct hist *h);
	/* It ends, well or with the status that is not 0. Returns the status. */
	int (*end)(void *arg, int status);
};

/* All rounds, and what they have measured. status: not 0 if there is nothing to measure. */
int rounds_latency(struct client *cl, struct result *res, int status, const struct latency *l);

struct rate_count {
	uint64_t done;            /* what the user's count is of */
	uint64_t tx;
	uint64_t rx;
	uint64_t bytes;           /* of both */
};

/* A test of a rate. */
struct rate {
	const struct limit_place *place;
	double seconds;           /* of the whole result, if the user gave no time and no count */
	double patience;          /* seconds in which something has to be done */
	const char *stalled;      /* what to say if nothing is */
	const char *unit;
	uint64_t warmup;          /* not more than this before each round */
	void *arg;
	/* What the machine can do in a second; NULL: nothing, and the result says why. */
	int (*limit)(void *arg, double seconds, double *limit);
	/* A round begins: both ends are there. */
	int (*begin)(void *arg);
	/* Work for a moment: left is what is wanted at the most. Not 0 if it is to end. */
	int (*turn)(void *arg, uint64_t left);
	void (*count)(void *arg, struct rate_count *count);
	/* It ends, well or with the status that is not 0. Returns the status. */
	int (*end)(void *arg, int status);
};

/* As rounds_latency(). */
int rounds_rate(struct client *cl, struct result *res, int status, const struct rate *l);

/* The best tenth, and the directions; peer: who is at the other end. */
void rate_print(const struct result *res, const char *peer, FILE *f);

/* Times of a histogram whose values are `times` as long as what is reported. */
void result_times_set(struct result *res, const struct options *opt, const struct hist *h,
		double times, double p50_ns);

#endif /* TEST_COMCH_ROUNDS_H */
