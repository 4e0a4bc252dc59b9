/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The model of test_order.h: memory, buffers of stores, and the search through all orders.
 *
 * The search goes down first and remembers each state by its hash, with the number of
 * orders that lead from it to the end. No state comes again on the way down: programs
 * count what they do, and a wait ends only by something new.
 */

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rte_common.h>

#include "test_order.h"

#define MAX_PLACES 20
#define PLACE_BITS 6 /* of the table by which places are found */
#define MAX_LOG 24
#define MAX_BUF 10
#define MAX_ANSWERS 32
#define MAX_DEPTH 400

enum op_type {
	OP_NONE, OP_LOAD, OP_STORE, OP_READ, OP_SWAP, OP_XOR, OP_OR, OP_AND, OP_ADD, OP_FENCE,
	OP_FENCE_OTHERS, OP_WAIT, OP_SLEEP, OP_WAKE, OP_DRAIN,
};

/* An access that a program wants next. */
struct op {
	uint8_t type;
	uint8_t place;  /* or event, or programs that have not passed the fence */
	bool ordered;   /* acquire, or release */
	uint64_t val;   /* to store, or what a read has to find, or a wait not */
	uint64_t old;   /* of a swap */
};

/* In a buffer: a store that has not left, or a read that is not done. */
struct entry {
	bool read;
	bool release;
	uint8_t place;
	uint64_t val;
};

/*
 * Times are positions in the log. A program reads places as they were at since, or at
 * any time later; seen is the same for one place.
 */
struct prog {
	uint64_t local[ORDER_LOCAL / 8];
	uint64_t answers[MAX_ANSWERS];
	struct entry buf[MAX_BUF];
	struct op next;
	uint8_t nb_answers, nb_buf;
	uint8_t since;
	uint8_t seen[MAX_PLACES];
	bool done;
};

/* Memory as it was at time 0, and each change after that. */
struct state {
	uint64_t mem[MAX_PLACES];
	uint8_t read_until[MAX_PLACES]; /* time from which all know that it was read */
	struct {
		uint8_t place;
		uint64_t val;
	} log[MAX_LOG];
	uint8_t nb_log;
	uint8_t events;
	struct prog progs[ORDER_MAX_PROGS];
};

/* What happened on the way to a state, to be printed. */
struct move {
	uint8_t prog;
	bool leaves;    /* a store, from its buffer */
	struct entry entry;
	struct op op;
	uint64_t answer;
};

struct known {
	uint64_t hash;
	double orders;
};

static const struct order_case *the_case;
static struct order_result *result;
static uint64_t place_vals[MAX_PLACES];
static const char *place_names[MAX_PLACES];
static const void *place_at[MAX_PLACES];
static uint8_t place_of[1 << PLACE_BITS]; /* by address, place + 1 */
static uint32_t nb_places;
static bool places_left; /* there were more */

static struct state path[MAX_DEPTH + 1];
static struct move moves[MAX_DEPTH + 1];
static uint32_t depth;

static struct known *known;
static uint64_t nb_slots;

/* The program that runs. */
static struct {
	jmp_buf leave;
	struct prog *prog;
	uint32_t next;  /* answer */
} run;

static void
fail(const char *why)
{
	if (result->why == NULL)
		result->why = why;
}

/* It is not known whether anything goes wrong. */
static void
give_up(const char *why)
{
	result->gave_up |= result->why == NULL;
	fail(why);
}

void
order_fail(const char *why)
{
	fail(why);
}

/*
 * What programs call
 */

/* Where the table has a place, or would have it. */
static uint8_t *
place_entry(const void *p)
{
	uint32_t i = (uint64_t)(uintptr_t)p * UINT64_C(0x9e3779b97f4a7c15) >> (64 - PLACE_BITS);

	while (place_of[i] != 0 && place_at[place_of[i] - 1] != p)
		i = (i + 1) % RTE_DIM(place_of);
	return &place_of[i];
}

bool
order_is_place(const void *p)
{
	return *place_entry(p) != 0;
}

static uint8_t
find_place(const void *p)
{
	const uint8_t entry = *place_entry(p);

	if (entry == 0)
		fail("an access to a place that nobody knows");
	return entry != 0 ? entry - 1 : 0;
}

static uint64_t
access_wait(uint8_t type, uint8_t place, bool ordered, uint64_t val, uint64_t old)
{
	if (run.next < run.prog->nb_answers)
		return run.prog->answers[run.next++];
	run.prog->next = (struct op){ type, place, ordered, val, old };
	longjmp(run.leave, 1);
}

uint64_t
order_load(const void *p, int order)
{
	return access_wait(OP_LOAD, find_place(p), order == __ATOMIC_ACQUIRE, 0, 0);
}

void
order_store(void *p, uint64_t val, int order)
{
	access_wait(OP_STORE, find_place(p), order == __ATOMIC_RELEASE, val, 0);
}

void
order_copy(void *dst, const void *src, size_t len)
{
	uint64_t val;
	size_t i;

	for (i = 0; i + sizeof(val) <= len; i += sizeof(val)) {
		memcpy(&val, (const uint8_t *)src + i, sizeof(val));
		order_store((uint8_t *)dst + i, val, __ATOMIC_RELAXED);
	}
}

void
order_read(const void *p, uint64_t want)
{
	access_wait(OP_READ, find_place(p), false, want, 0);
}

bool
order_swap(void *p, uint64_t old, uint64_t val)
{
	return access_wait(OP_SWAP, find_place(p), false, val, old);
}

void
order_xor(void *p, uint64_t val, int order)
{
	access_wait(OP_XOR, find_place(p), order == __ATOMIC_RELEASE, val, 0);
}

void
order_or(void *p, uint64_t val, int order)
{
	access_wait(OP_OR, find_place(p), order == __ATOMIC_RELEASE, val, 0);
}

void
order_and(void *p, uint64_t val, int order)
{
	access_wait(OP_AND, find_place(p), order == __ATOMIC_RELEASE, val, 0);
}

void
order_add(void *p, uint64_t val, int order)
{
	access_wait(OP_ADD, find_place(p), order == __ATOMIC_RELEASE, val, 0);
}

void
order_fence(void)
{
	access_wait(OP_FENCE, 0, false, 0, 0);
}

void
order_fence_all(void)
{
	uint32_t left = (1u << the_case->nb_progs) - 1;

	order_fence();
	left &= ~(1u << (run.prog - path[depth].progs));
	while (left != 0)
		left &= ~(1u << access_wait(OP_FENCE_OTHERS, left, false, 0, 0));
	order_fence();
}

void
order_wait(const void *p, uint64_t seen)
{
	access_wait(OP_WAIT, find_place(p), false, seen, 0);
}

void
order_sleep(uint32_t event)
{
	access_wait(OP_SLEEP, event, false, 0, 0);
}

void
order_wake(uint32_t event)
{
	access_wait(OP_WAKE, event, false, 0, 0);
}

void
order_drain(uint32_t event)
{
	access_wait(OP_DRAIN, event, false, 0, 0);
}

/* Run a program up to its next access. */
static void
prog_run(struct prog *prog)
{
	/* not automatic, because of longjmp() */
	static uint64_t local[ORDER_LOCAL / 8];
	static uint32_t id;

	id = prog - path[depth].progs;
	run.prog = prog;
	prog->next = (struct op){ .type = OP_NONE };
	for (;;) {
		memcpy(local, run.prog->local, sizeof(local));
		run.next = 0;
		if (_setjmp(run.leave) != 0)
			return;
		run.prog->done = !the_case->steps[id](local);
		memcpy(run.prog->local, local, sizeof(local));
		memset(run.prog->answers, 0, sizeof(run.prog->answers));
		run.prog->nb_answers = 0;
		if (run.prog->done || result->why != NULL)
			return;
	}
}

/*
 * Memory
 */

/* What is there at a time; the version is 0 or the time of the change. */
static uint64_t
mem_at(const struct state *st, uint8_t place, uint32_t time, uint32_t *version)
{
	uint32_t i;

	for (i = time; i > 0; i--)
		if (st->log[i - 1].place == place)
			break;
	if (version != NULL)
		*version = i;
	return i != 0 ? st->log[i - 1].val : st->mem[place];
}

static uint64_t
mem_now(const struct state *st, uint8_t place)
{
	return mem_at(st, place, st->nb_log, NULL);
}

/* The oldest version that a program may read. */
static uint32_t
oldest(const struct state *st, const struct prog *prog, uint8_t place)
{
	uint32_t version;

	mem_at(st, place, RTE_MAX(prog->since, prog->seen[place]), &version);
	return version;
}

/* Forget what nobody can read any more, so that equal states look equal. */
static void
mem_fold(struct state *st)
{
	uint32_t i, k, n = st->nb_log;
	struct prog *prog;

	for (i = 0; i < the_case->nb_progs; i++)
		if (!st->progs[i].done)
			n = RTE_MIN(n, st->progs[i].since);
	for (i = 0; i < n; i++)
		st->mem[st->log[i].place] = st->log[i].val;
	memmove(st->log, &st->log[n], (st->nb_log - n) * sizeof(st->log[0]));
	st->nb_log -= n;
	for (k = 0; k < nb_places; k++)
		st->read_until[k] = st->read_until[k] > n ? st->read_until[k] - n : 0;
	for (i = 0; i < the_case->nb_progs; i++) {
		prog = &st->progs[i];
		prog->since = prog->done ? 0 : prog->since - n;
		for (k = 0; k < nb_places; k++)
			prog->seen[k] = !prog->done && prog->seen[k] > n + prog->since ?
				prog->seen[k] - n : 0;
	}
}

/* A store is seen, by all. */
static void
mem_store(struct state *st, struct prog *by, uint8_t place, uint64_t val)
{
	uint32_t i, k;

	if (st->nb_log == MAX_LOG) {
		give_up("too many stores that may be read late");
		return;
	}
	st->log[st->nb_log].place = place;
	st->log[st->nb_log].val = val;
	st->nb_log++;
	by->seen[place] = st->nb_log;
	for (i = 0; i < the_case->nb_progs; i++) {
		struct prog *prog = &st->progs[i];

		if (the_case->mode == ORDER_TSO)
			prog->since = st->nb_log;
		/* what is not read yet may be read from now on */
		for (k = 0; k < prog->nb_buf; k++)
			if (prog->buf[k].read && prog->buf[k].place == place &&
					prog->buf[k].val != val)
				fail("what is read was written over");
	}
}

static void
buf_del(struct prog *prog, uint32_t i)
{
	prog->nb_buf--;
	memmove(&prog->buf[i], &prog->buf[i + 1], (prog->nb_buf - i) * sizeof(prog->buf[0]));
	memset(&prog->buf[prog->nb_buf], 0, sizeof(prog->buf[0]));
}

/* May the store leave? */
static bool
may_leave(const struct prog *prog, uint32_t i)
{
	uint32_t k;

	if (prog->buf[i].read)
		return false;
	for (k = 0; k < i; k++) {
		if (the_case->mode == ORDER_TSO)
			return false;
		if (!prog->buf[k].read && (prog->buf[i].release ||
				prog->buf[k].place == prog->buf[i].place))
			return false;
	}
	return true;
}

static void
store_leave(struct state *st, struct prog *prog, uint32_t i)
{
	struct entry entry = prog->buf[i];

	/* reads before a release store are done, and its acquire says so */
	while (entry.release && i > 0) {
		i--;
		st->read_until[prog->buf[i].place] = st->nb_log + 1;
		buf_del(prog, i);
	}
	buf_del(prog, i);
	mem_store(st, prog, entry.place, entry.val);
}

static void
buf_empty(struct state *st, struct prog *prog)
{
	while (prog->nb_buf != 0)
		if (prog->buf[0].read)
			buf_del(prog, 0);
		else
			store_leave(st, prog, 0);
}

static void
fence(struct state *st, struct prog *prog)
{
	buf_empty(st, prog);
	prog->since = st->nb_log;
}

/*
 * Accesses
 */

/* The newest of its own stores to a place that has not left. */
static const struct entry *
own_store(const struct prog *prog, uint8_t place)
{
	uint32_t i;

	for (i = prog->nb_buf; i > 0; i--)
		if (!prog->buf[i - 1].read && prog->buf[i - 1].place == place)
			return &prog->buf[i - 1];
	return NULL;
}

/* What a load finds, by the nth choice; false if there are less. */
static bool
do_load(struct state *st, struct prog *prog, uint32_t nth, uint64_t *answer)
{
	const uint8_t place = prog->next.place;
	const struct entry *own = own_store(prog, place);
	uint32_t version, i;

	if (own != NULL) {
		*answer = own->val;
		return nth == 0;
	}
	version = oldest(st, prog, place);
	for (i = version; nth != 0 && i < st->nb_log; i++)
		if (st->log[i].place == place && --nth == 0)
			version = i + 1;
	if (nth != 0)
		return false;
	*answer = mem_at(st, place, version, NULL);
	prog->seen[place] = RTE_MAX(prog->seen[place], version);
	if (prog->next.ordered)
		prog->since = RTE_MAX(prog->since, version);
	return true;
}

/* Whatever it may find has to be right; what it finds later is looked at in mem_store(). */
static void
do_read(struct state *st, struct prog *prog)
{
	const uint8_t place = prog->next.place;
	uint32_t i = oldest(st, prog, place);

	if (mem_at(st, place, i, NULL) != prog->next.val)
		fail("what is read is not what was sent");
	for (; i < st->nb_log; i++)
		if (st->log[i].place == place && st->log[i].val != prog->next.val)
			fail("what is read was written over");
	if (the_case->mode == ORDER_WEAK)
		prog->buf[prog->nb_buf++] = (struct entry){ .read = true, .place = place,
			.val = prog->next.val };
}

/* A compiler may have it done earlier, up to the last acquire. */
static bool
do_store(struct state *st, struct prog *prog)
{
	const struct op *op = &prog->next;

	if (prog->nb_buf == MAX_BUF)
		return false;
	if (prog->since < st->read_until[op->place])
		fail("what is written over may not have been read");
	prog->buf[prog->nb_buf++] = (struct entry){ .place = op->place, .val = op->val,
		.release = op->ordered };
	return true;
}

/* What changes memory itself; on x86-64 they are fences. */
static uint64_t
do_change(struct state *st, struct prog *prog)
{
	const struct op *op = &prog->next;
	const uint64_t old = mem_now(st, op->place);
	uint64_t val = op->val;

	if (the_case->mode == ORDER_TSO || op->ordered)
		buf_empty(st, prog);
	if (op->type == OP_SWAP && old != op->old) {
		prog->seen[op->place] = st->nb_log;
		return false;
	}
	if (op->type != OP_SWAP)
		val = op->type == OP_XOR ? old ^ val : op->type == OP_OR ? old | val :
			op->type == OP_AND ? old & val : old + val;
	mem_store(st, prog, op->place, val);
	return true;
}

/* The others pass in any order: the nth choice. */
static bool
do_fence_others(struct state *st, uint32_t left, uint32_t nth, uint64_t *answer)
{
	while (nth-- != 0)
		left &= left - 1;
	if (left == 0)
		return false;
	*answer = __builtin_ctz(left);
	fence(st, &st->progs[*answer]);
	return true;
}

/* The access that a program wants next, with the nth choice; false if there is none. */
static bool
prog_do(struct state *st, struct prog *prog, uint32_t nth, uint64_t *answer)
{
	const struct op *op = &prog->next;

	*answer = 0;
	if (op->type == OP_LOAD)
		return do_load(st, prog, nth, answer);
	if (op->type == OP_FENCE_OTHERS)
		return do_fence_others(st, op->place, nth, answer);
	if (nth != 0)
		return false;
	switch (op->type) {
	case OP_STORE:
		return do_store(st, prog);
	case OP_READ:
		if (prog->nb_buf == MAX_BUF)
			return false;
		do_read(st, prog);
		break;
	case OP_SWAP:
	case OP_XOR:
	case OP_OR:
	case OP_AND:
	case OP_ADD:
		*answer = do_change(st, prog);
		break;
	case OP_FENCE:
		fence(st, prog);
		break;
	case OP_WAIT:
		if (mem_now(st, op->place) == op->val)
			return false;
		prog->seen[op->place] = st->nb_log;
		break;
	case OP_SLEEP:
		if ((st->events & 1u << op->place) == 0)
			return false;
		st->events &= ~(1u << op->place);
		break;
	case OP_WAKE:
		st->events |= 1u << op->place;
		break;
	case OP_DRAIN:
		st->events &= ~(1u << op->place);
		break;
	default:
		return false;
	}
	return true;
}

/*
 * The search
 */

static inline uint64_t
mix(uint64_t hash, uint64_t val)
{
	hash = (hash ^ val) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 32;
}

static uint64_t
hash_prog(uint64_t hash, const struct prog *prog)
{
	uint32_t i;

	hash = mix(hash, prog->nb_answers | prog->nb_buf << 8 | prog->since << 16 |
		(uint32_t)prog->done << 24);
	for (i = 0; i < (the_case->local_size + 7) / 8; i++)
		hash = mix(hash, prog->local[i]);
	for (i = 0; i < prog->nb_answers; i++)
		hash = mix(hash, prog->answers[i]);
	for (i = 0; i < prog->nb_buf; i++) {
		hash = mix(hash, prog->buf[i].read | prog->buf[i].release << 1 |
			prog->buf[i].place << 8);
		hash = mix(hash, prog->buf[i].val);
	}
	for (i = 0; i < nb_places; i++)
		if (prog->seen[i] != 0)
			hash = mix(hash, i << 8 | prog->seen[i]);
	return hash;
}

static uint64_t
hash_state(const struct state *st)
{
	uint64_t hash = mix(st->nb_log, st->events);
	uint32_t i;

	for (i = 0; i < nb_places; i++)
		hash = mix(mix(hash, st->mem[i]), st->read_until[i]);
	for (i = 0; i < st->nb_log; i++) {
		hash = mix(hash, st->log[i].place);
		hash = mix(hash, st->log[i].val);
	}
	for (i = 0; i < the_case->nb_progs; i++)
		hash = hash_prog(hash, &st->progs[i]);
	return hash != 0 ? hash : 1;
}

static struct known *
find_known(uint64_t hash)
{
	uint64_t i;

	for (i = hash & (nb_slots - 1); known[i].hash != 0 && known[i].hash != hash;
			i = (i + 1) & (nb_slots - 1))
		;
	return &known[i];
}

static double search(void);

/* One move more is made in path[depth + 1]: what follows. */
static double
search_next(struct move move)
{
	double orders = 0;

	if (depth + 1 == MAX_DEPTH)
		give_up("an order without end");
	moves[depth++] = move;
	if (result->why == NULL && !move.leaves)
		prog_run(&path[depth].progs[move.prog]);
	if (result->why == NULL) {
		mem_fold(&path[depth]);
		orders = search();
	}
	if (result->why == NULL)
		depth--;
	return orders;
}

/* The programs that there are not take time, too. */
static void
state_copy(struct state *to, const struct state *from)
{
	memcpy(to, from, offsetof(struct state, progs[the_case->nb_progs]));
}

/* What one program may do, and what may leave its buffer. */
static double
search_prog(uint32_t id, bool *any)
{
	struct move move = { .prog = id };
	struct state *st = &path[depth], *to = &path[depth + 1];
	struct prog *prog;
	double orders = 0;
	uint32_t i;

	for (i = 0; st->progs[id].next.type != OP_NONE && result->why == NULL; i++) {
		state_copy(to, st);
		prog = &to->progs[id];
		move.op = prog->next;
		if (!prog_do(to, prog, i, &move.answer))
			break;
		*any = true;
		if (prog->nb_answers == MAX_ANSWERS)
			give_up("too many accesses in one step");
		else
			prog->answers[prog->nb_answers++] = move.answer;
		orders += search_next(move);
	}
	move.leaves = true;
	for (i = 0; i < st->progs[id].nb_buf && result->why == NULL; i++) {
		if (!may_leave(&st->progs[id], i))
			continue;
		*any = true;
		state_copy(to, st);
		move.entry = st->progs[id].buf[i];
		store_leave(to, &to->progs[id], i);
		orders += search_next(move);
	}
	return orders;
}

static void
search_end(const struct state *st)
{
	const void *locals[ORDER_MAX_PROGS];
	uint32_t i;

	for (i = 0; i < the_case->nb_progs; i++) {
		if (!st->progs[i].done)
			fail("all sleep, and somebody waits");
		locals[i] = st->progs[i].local;
	}
	if (the_case->end != NULL)
		the_case->end(locals);
}

/* The orders from path[depth] to the end. */
static double
search(void)
{
	const struct state *st = &path[depth];
	uint64_t hash = hash_state(st);
	struct known *k = find_known(hash);
	bool any = false;
	double orders = 0;
	uint32_t i;

	if (k->hash != 0)
		return k->orders;
	if (++result->states > the_case->max_states)
		give_up("too many states");
	for (i = 0; i < the_case->nb_progs && result->why == NULL; i++)
		orders += search_prog(i, &any);
	if (!any)
		search_end(st);
	if (result->why != NULL)
		return 0;
	k = find_known(hash);
	k->hash = hash;
	k->orders = any ? orders : 1;
	return k->orders;
}

static void
show_move(const struct move *move)
{
	static const char *const names[] = {
		"", "load", "store", "read", "swap", "xor", "or", "and", "add", "fence",
		"fence of others", "wait", "sleep", "wake", "drain",
	};

	if (move->leaves)
		printf("  %u: store leaves  %s = %#" PRIx64 "\n", move->prog,
			place_names[move->entry.place], move->entry.val);
	else if (move->op.type == OP_LOAD)
		printf("  %u: load          %s is %#" PRIx64 "\n", move->prog,
			place_names[move->op.place], move->answer);
	else if (move->op.type >= OP_STORE && move->op.type <= OP_ADD)
		printf("  %u: %-13s %s = %#" PRIx64 "\n", move->prog, names[move->op.type],
			place_names[move->op.place], move->op.val);
	else
		printf("  %u: %s\n", move->prog, names[move->op.type]);
}

void
order_place(const void *p, uint64_t val, const char *name)
{
	if (nb_places == 0)
		memset(place_of, 0, sizeof(place_of));
	if (nb_places == MAX_PLACES) {
		places_left = true;
		return;
	}
	*place_entry(p) = nb_places + 1;
	place_at[nb_places] = p;
	place_vals[nb_places] = val;
	place_names[nb_places] = name;
	nb_places++;
}

static void
run_begin(const struct order_case *oc, struct order_result *res)
{
	uint32_t i;

	the_case = oc;
	result = res;
	memset(res, 0, sizeof(*res));
	memset(&path[0], 0, sizeof(path[0]));
	for (i = 0; i < nb_places; i++)
		path[0].mem[i] = place_vals[i];
	depth = 0;
	for (nb_slots = 1; nb_slots < 2 * oc->max_states; nb_slots *= 2)
		;
	known = calloc(nb_slots, sizeof(*known));
	if (known == NULL)
		give_up("no memory for the states");
	if (places_left)
		give_up("too many places");
	for (i = 0; i < oc->nb_progs; i++)
		memcpy(path[0].progs[i].local, oc->locals[i], oc->local_size);
}

void
order_run(const struct order_case *oc, struct order_result *res, bool show)
{
	uint32_t i;

	run_begin(oc, res);
	for (i = 0; i < oc->nb_progs && res->why == NULL; i++)
		prog_run(&path[0].progs[i]);
	if (res->why == NULL)
		res->orders = search();
	for (i = 0; show && res->why != NULL && i < depth; i++)
		show_move(&moves[i]);
	free(known);
	known = NULL;
	nb_places = 0;
	places_left = false;
}
