/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The order of stores and loads on queues of the bluefield driver. x86-64 hides a
 * barrier that is missing, so this compiles the inline functions with macros of its own:
 * stores, barriers and doorbells are recorded, and replayed for a device in every order
 * that a processor of weak order may choose (stores of the same bytes stay in order;
 * stores on both sides of a barrier, too). The device fetches entries as soon as a record
 * counts them, or when it hears a doorbell, and must find what was posted. Loads of
 * completions that no barrier holds back are answered as early, or as late, as can be.
 *
 * devtools/check-barriers.sh leaves out one barrier, check or store at a time, and wants
 * this to fail each time. It compiles the file alone, with TEST_WQ_ORDER_MAIN.
 */

#include <stddef.h>
#include <stdint.h>

static void order_store(void *p, uint64_t val, size_t len);
static void order_copy(void *p, const void *from);
static void order_record(void *p, uint32_t val);
static void order_barrier(void);
static void order_doorbell(uint32_t off, uint64_t val);
static uint8_t order_owner(const volatile void *p);
static uint32_t order_load(const volatile void *p, size_t len);
static void order_load_barrier(void);

#define BF_WQ_NO_VECTOR
#define BF_WQ_STORE8(p, val) order_store((p), (val), 1)
#define BF_WQ_STORE16(p, val) order_store((p), (val), 2)
#define BF_WQ_STORE32(p, val) order_store((p), (val), 4)
#define BF_WQ_STORE64(p, val) order_store((p), (val), 8)
#define BF_WQ_STORE_SEG(p, lo, hi) do { \
	order_store((p), (lo), 8); \
	order_store((uint8_t *)(p) + 8, (hi), 8); \
} while (0)
#define BF_WQ_COPY16(p, from) order_copy((p), (from))
#define BF_WQ_RECORD(p, val) order_record((p), (val))
#define BF_WQ_LOAD_OWNER(p) order_owner(p)
#define BF_WQ_LOAD8(p) ((uint8_t)order_load((p), 1))
#define BF_WQ_LOAD16(p) ((uint16_t)order_load((p), 2))
#define BF_WQ_LOAD32(p) order_load((p), 4)
#define BF_WQ_BEFORE_RECORD() order_barrier()
#define BF_WQ_BEFORE_DOORBELL() order_barrier()
#define BF_WQ_AFTER_OWNER() order_load_barrier()
#define BF_WQ_BEFORE_COMMIT() order_load_barrier()
#define BF_WQ_DOORBELL(uar, off, val) order_doorbell((off), (val))

#include <rte_random.h>

#include "bluefield_wq_fast.h"
#include "test_bluefield_wq_dev.h"

#define NB_MSGS 32
#define PAYLOAD 16
#define MAX_EVENTS 2048
#define MAX_REQS 64
#define NB_BURSTS 12
#define MAX_LOADS 64
#define NB_RANDOM 40

/* All that the device sees. */
struct arena {
	struct wq_dev dev;
	uint8_t payload[NB_MSGS][PAYLOAD];
};

enum event_type { EVENT_STORE, EVENT_BARRIER, EVENT_DOORBELL };

struct event {
	enum event_type type;
	size_t at;              /* in the arena */
	size_t len;
	uint8_t bytes[8];
	uint32_t off;           /* of a doorbell */
	uint64_t val;           /* of a doorbell, as the driver has it */
};

/* When the device looks for entries. */
enum look { LOOK_AT_ONCE, LOOK_AT_DOORBELL };

static struct arena now;        /* as the driver sees it */
static struct arena before;     /* at the begin of a burst */
static struct arena view;       /* as the device sees it, in one order */
static struct arena stale;      /* before the last completion */

static struct event events[MAX_EVENTS];
static uint32_t nb_events;

static struct bf_sendq sq;
static struct bf_recvq rq;
static struct bf_sharedq shared;
static struct bf_compq cq;
static struct bf_send_form form;

/* What the device must find. */
static struct wq_req want_sends[MAX_REQS], want_recvs[MAX_REQS], want_shared[MAX_REQS];
static uint32_t nb_sends, nb_recvs, nb_shared;
static struct wq_req got;

/*
 * Recording
 */

static void
order_event(const struct event *ev)
{
	if (nb_events < MAX_EVENTS)
		events[nb_events] = *ev;
	nb_events++;
}

static void
order_bytes(void *p, const void *bytes, size_t len)
{
	struct event ev = { .type = EVENT_STORE, .len = len };

	ev.at = (uintptr_t)p - (uintptr_t)&now;
	memcpy(ev.bytes, bytes, len);
	memcpy(p, bytes, len);
	order_event(&ev);
}

static void
order_store(void *p, uint64_t val, size_t len)
{
	order_bytes(p, &val, len);
}

static void
order_copy(void *p, const void *from)
{
	order_bytes(p, from, 8);
	order_bytes((uint8_t *)p + 8, (const uint8_t *)from + 8, 8);
}

static void
order_barrier(void)
{
	order_event(&(struct event){ .type = EVENT_BARRIER });
}

static void
order_doorbell(uint32_t off, uint64_t val)
{
	order_event(&(struct event){ .type = EVENT_DOORBELL, .off = off, .val = val });
}

/*
 * Loads. Between two barriers they may be answered at any time: before the owner bit was
 * written, or after the entry was given back.
 */

static void (*late_completion)(void); /* what the device completes while it is looked at */
static bool early;                    /* loads see what was there before */
static struct {
	const volatile void *p;
	size_t len;
	uint32_t val;
} loads[MAX_LOADS];
static uint32_t nb_loads, nb_bad_loads;

static uint32_t
load(const volatile void *p, size_t len)
{
	uint32_t val = 0;

	memcpy(&val, (const void *)(uintptr_t)p, len);
	return val;
}

static uint8_t
order_owner(const volatile void *p)
{
	void (*complete)(void) = late_completion;

	if (complete != NULL) {
		memcpy(&stale, &now, sizeof(stale));
		late_completion = NULL;
		complete();
		early = true;
	}
	return load(p, 1);
}

static uint32_t
order_load(const volatile void *p, size_t len)
{
	const uint8_t *old = (const uint8_t *)&stale + ((uintptr_t)p - (uintptr_t)&now);
	uint32_t val = load(early ? old : p, len);

	if (nb_loads < MAX_LOADS) {
		loads[nb_loads].p = p;
		loads[nb_loads].len = len;
		loads[nb_loads].val = val;
	}
	nb_loads++;
	return val;
}

static void
order_load_barrier(void)
{
	early = false;
	nb_loads = 0;
}

/* The device has entries back: it writes to them at once, and late loads see that. */
static void
order_given_back(uint32_t ci)
{
	uint32_t i;

	/* up to the next one that is full, or empty, for the driver */
	for (i = 1; i <= now.dev.cq.nb_cqes; i++) {
		uint8_t *cqe = now.dev.cqes.at + (ci - i) % now.dev.cq.nb_cqes * 64;

		if (ci < i || now.dev.cq_pi - (ci - i) > now.dev.cq.nb_cqes)
			break;
		memset(cqe, 0xee, 63);
	}
	for (i = 0; i < RTE_MIN(nb_loads, MAX_LOADS + 0u); i++)
		nb_bad_loads += load(loads[i].p, loads[i].len) != loads[i].val;
}

static void
order_record(void *p, uint32_t val)
{
	order_store(p, val, sizeof(val));
	if (p == &now.dev.cqes.dbr[0])
		order_given_back(rte_be_to_cpu_32(val));
}

/*
 * Replay
 */

/* A copy whose rings are its own. */
static void
arena_copy(struct arena *to, const struct arena *from)
{
	memcpy(to, from, sizeof(*to));
	to->dev.sq.at = to->dev.sq.mem + WQ_GUARD;
	to->dev.rq.at = to->dev.rq.mem + WQ_GUARD;
	to->dev.list.at = to->dev.list.mem + WQ_GUARD;
	to->dev.cqes.at = to->dev.cqes.mem + WQ_GUARD;
}

/* Is the data that a request names what the application wrote? */
static int
expect_payload(const struct arena *a, const struct wq_req *req)
{
	size_t at;
	uint32_t i;

	for (i = 0; i < req->nb_sges; i++) {
		at = req->sges[i].addr - (uintptr_t)now.payload;
		TEST_TRUE(at <= sizeof(now.payload) - PAYLOAD);
		TEST_ASSERT(memcmp((const uint8_t *)a->payload + at,
			(const uint8_t *)now.payload + at, PAYLOAD) == 0,
			"the device reads data that is not written yet");
	}
	return TEST_SUCCESS;
}

static int
expect_next(const struct wq_req *want, uint32_t nb, uint32_t *next)
{
	TEST_ASSERT(*next < nb, "a record counts more than was posted");
	TEST_ASSERT(memcmp(&got, &want[*next], sizeof(got)) == 0,
		"the device fetches an entry that is not written yet");
	(*next)++;
	return TEST_SUCCESS;
}

/* What the device fetched so far, of each queue. */
struct fetched {
	uint32_t sends, recvs, shared;
};

static int
device_look(struct fetched *f)
{
	while (wq_dev_sends(&view.dev) != 0) {
		TEST_CALL(wq_dev_send(&view.dev, false, &got));
		TEST_CALL(expect_next(want_sends, nb_sends, &f->sends));
		TEST_CALL(expect_payload(&view, &got));
	}
	while (wq_dev_recvs(&view.dev) != 0) {
		TEST_CALL(wq_dev_recv(&view.dev, &got));
		TEST_CALL(expect_next(want_recvs, nb_recvs, &f->recvs));
	}
	while (wq_dev_shared(&view.dev) != 0) {
		TEST_CALL(wq_dev_take(&view.dev, &got));
		/* the next of the last one is for later */
		TEST_CALL(expect_next(want_shared, nb_shared, &f->shared));
	}
	return TEST_SUCCESS;
}

static int
device_event(const struct event *ev, enum look look, struct fetched *f)
{
	if (ev->type == EVENT_STORE) {
		memcpy((uint8_t *)&view + ev->at, ev->bytes, ev->len);
		return look == LOOK_AT_ONCE ? device_look(f) : TEST_SUCCESS;
	}
	if (ev->type != EVENT_DOORBELL)
		return TEST_SUCCESS;
	if (ev->off == BF_UAR_CQ_ARM) {
		TEST_ASSERT(rte_be_to_cpu_64(ev->val) >> 32 ==
			rte_be_to_cpu_32(view.dev.cqes.dbr[1]),
			"the doorbell arms what the record does not know yet");
		TEST_EXPECT(rte_be_to_cpu_32(view.dev.cqes.dbr[0]), cq.ci & BF_CQ_CI_MASK);
		view.dev.nb_doorbells++;
		return TEST_SUCCESS;
	}
	return device_look(f);
}

static bool
overlap(const struct event *a, const struct event *b)
{
	return a->type == EVENT_STORE && b->type == EVENT_STORE && a->at < b->at + b->len &&
		b->at < a->at + a->len;
}

/* Stores of the same bytes stay in order. */
static bool
may_go(const struct event *group, const bool *done, uint32_t i)
{
	uint32_t k;

	for (k = 0; k < i; k++)
		if (!done[k] && overlap(&group[k], &group[i]))
			return false;
	return true;
}

/*
 * One order of a group between two barriers: by priority. which: the event that goes
 * first, or last; beyond all: all at random.
 */
static int
replay_group(const struct event *group, uint32_t nb, uint32_t which, bool last, enum look look,
	struct fetched *f)
{
	static uint64_t prio[MAX_EVENTS];
	static bool done[MAX_EVENTS];
	uint32_t i, k, best;

	for (i = 0; i < nb; i++) {
		done[i] = false;
		prio[i] = which < nb && !last ? i + 1 : rte_rand() / 2 + 1;
		if (i == which)
			prio[i] = last ? 0 : UINT64_MAX;
	}
	/* what has to go before it goes first, too */
	for (i = 0; which < nb && !last && i < which; i++)
		if (overlap(&group[i], &group[which]))
			prio[i] = UINT64_MAX;
	for (k = 0; k < nb; k++) {
		best = nb;
		for (i = 0; i < nb; i++)
			if (!done[i] && (best == nb || prio[i] > prio[best]) &&
					may_go(group, done, i))
				best = i;
		TEST_TRUE(best < nb);
		done[best] = true;
		TEST_CALL(device_event(&group[best], look, f));
	}
	return TEST_SUCCESS;
}

/* nth: the event, counted over all groups, that is first or last of its group. */
static int
replay_once(uint32_t nth, bool last, enum look look)
{
	struct fetched f = { 0 };
	uint32_t begin = 0, i;

	arena_copy(&view, &before);
	for (i = 0; i <= nb_events; i++) {
		if (i < nb_events && events[i].type != EVENT_BARRIER)
			continue;
		TEST_CALL(replay_group(&events[begin], i - begin,
			nth >= begin && nth < i ? nth - begin : UINT32_MAX, last, look, &f));
		begin = i + 1;
	}
	/* receives have no doorbell: a message comes at last */
	if (nb_sends == 0)
		TEST_CALL(device_look(&f));
	TEST_ASSERT(f.sends == nb_sends && f.recvs == nb_recvs && f.shared == nb_shared,
		"the device never hears of what was posted");
	TEST_EXPECT(memcmp(view.dev.cqes.dbr, now.dev.cqes.dbr, sizeof(now.dev.cqes.dbr)), 0);
	return TEST_SUCCESS;
}

/* What a device would find that sees all stores in order; it has taken it then. */
static int
expect_prepare(void)
{
	nb_sends = nb_recvs = nb_shared = 0;
	while (wq_dev_sends(&now.dev) != 0) {
		TEST_TRUE(nb_sends < MAX_REQS);
		TEST_CALL(wq_dev_send(&now.dev, false, &want_sends[nb_sends++]));
	}
	while (wq_dev_recvs(&now.dev) != 0) {
		TEST_TRUE(nb_recvs < MAX_REQS);
		TEST_CALL(wq_dev_recv(&now.dev, &want_recvs[nb_recvs++]));
	}
	while (wq_dev_shared(&now.dev) != 0) {
		TEST_TRUE(nb_shared < MAX_REQS);
		TEST_CALL(wq_dev_take(&now.dev, &want_shared[nb_shared++]));
	}
	return TEST_SUCCESS;
}

static void
burst_begin(void)
{
	arena_copy(&before, &now);
	nb_events = 0;
}

/* All orders of what was recorded: each event first, each last, and some at random. */
static int
burst_replay(uint32_t posted)
{
	uint32_t i;

	TEST_TRUE(nb_events <= MAX_EVENTS);
	TEST_CALL(expect_prepare());
	TEST_ASSERT(nb_sends + nb_recvs + nb_shared == posted,
		"%u were posted, and the records count %u", posted,
		nb_sends + nb_recvs + nb_shared);
	for (i = 0; i < nb_events; i++) {
		TEST_CALL(replay_once(i, false, LOOK_AT_ONCE));
		TEST_CALL(replay_once(i, true, LOOK_AT_ONCE));
		TEST_CALL(replay_once(i, false, LOOK_AT_DOORBELL));
		TEST_CALL(replay_once(i, true, LOOK_AT_DOORBELL));
	}
	for (i = 0; i < NB_RANDOM; i++)
		TEST_CALL(replay_once(UINT32_MAX, i % 2 != 0,
			i % 4 < 2 ? LOOK_AT_ONCE : LOOK_AT_DOORBELL));
	return TEST_SUCCESS;
}

/*
 * Cases
 */

static int
setup_imm(uint32_t imm_len)
{
	wq_dev_init(&now.dev, 16, 8, 32, 16);
	wq_dev_init_srq(&now.dev, 16, bf_post_wqe_size(imm_len));
	memset(now.payload, 0, sizeof(now.payload));
	TEST_EXPECT(bf_sendq_init(&sq, &now.dev.qp, &now.dev.uar), 0);
	TEST_EXPECT(bf_recvq_init(&rq, &now.dev.qp), 0);
	TEST_EXPECT(bf_sharedq_init(&shared, &now.dev.srq), 0);
	TEST_EXPECT(bf_compq_init(&cq, &now.dev.cq, &now.dev.uar), 0);
	bf_sharedq_fill(&shared, now.payload, 0, imm_len, 1);
	late_completion = NULL;
	early = false;
	nb_loads = nb_bad_loads = nb_events = 0;
	return TEST_SUCCESS;
}

static int
setup(void)
{
	return setup_imm(20);
}

static void
teardown(void)
{
	bf_sendq_fini(&sq);
	bf_sharedq_fini(&shared);
}

/* The application writes a message of its own, which nothing but our barrier orders. */
static struct bf_piece
message(uint32_t n)
{
	uint8_t *at = now.payload[n % NB_MSGS];

	order_store(at, rte_rand(), 8);
	order_store(at + 8, rte_rand(), 8);
	return (struct bf_piece){ (uintptr_t)at, PAYLOAD };
}

/* All that was sent is done. */
static int
sends_done(void)
{
	TEST_EXPECT(bf_sendq_done(&sq, want_sends[nb_sends - 1].index), 0);
	TEST_EXPECT(bf_sendq_room(&sq), 16);
	return TEST_SUCCESS;
}

static int
test_send(void)
{
	struct bf_send_wr wr = { .nb_sges = 1, .inl = "immediate data of a request" };
	uint32_t burst, i, n = 0;
	struct bf_piece piece;

	for (burst = 0; burst < NB_BURSTS; burst++) {
		burst_begin();
		for (i = 0; i < 1 + burst % 5; i++, n++) {
			piece = message(n);
			wr.sges[0] = (struct bf_sge){ piece.addr, piece.len, n };
			wr.inl_len = n * 5 % 28;
			wr.opcode = n % 2 != 0 ? BF_WQE_SEND : BF_WQE_SEND_IMM;
			wr.imm = n;
			TEST_TRUE(bf_sendq_send(&sq, &wr) >= 0);
		}
		bf_sendq_ring(&sq);
		TEST_CALL(burst_replay(i));
		TEST_CALL(sends_done());
	}
	return wq_dev_passed(&now.dev);
}

static __rte_always_inline int
send_rows(const bool with_imm)
{
	static const uint8_t imm[BF_MAX_IMM] = "immediate data of a message";
	uint32_t burst, i, n = 0;
	struct bf_send_row row;
	struct bf_piece piece;

	bf_send_form_init(&form, &sq, with_imm ? BF_MAX_IMM : 0);
	for (burst = 0; burst < NB_BURSTS; burst++) {
		burst_begin();
		row = bf_send_row_begin(&sq);
		for (i = 0; i < 1 + burst % 5; i++, n++) {
			piece = message(n);
			if (n % 7 == 6)
				piece.len = 0;
			bf_send_row_put(&row, &form, &piece, piece.len, bf_key(n), imm,
				with_imm ? BF_MAX_IMM - n % 2 : 0, n, with_imm);
		}
		bf_send_row_end(&row, &sq);
		bf_sendq_ring(&sq);
		TEST_CALL(burst_replay(i));
		TEST_CALL(sends_done());
	}
	return wq_dev_passed(&now.dev);
}

static int
test_send_row(void)
{
	return send_rows(false);
}

static int
test_send_row_imm(void)
{
	return send_rows(true);
}

static int
test_recv(void)
{
	struct bf_sge sge = { .len = PAYLOAD };
	uint32_t burst, i, n = 0;

	for (burst = 0; burst < NB_BURSTS; burst++) {
		burst_begin();
		for (i = 0; i < 1 + burst % 8; i++, n++) {
			sge.addr = (uintptr_t)now.payload + n;
			sge.lkey = n;
			TEST_TRUE(bf_recvq_post(&rq, &sge, 1) >= 0);
		}
		bf_recvq_ring(&rq);
		TEST_CALL(burst_replay(i));
		for (i = 0; i < nb_recvs; i++)
			TEST_EXPECT(bf_recvq_done(&rq, want_recvs[i].index), 0);
	}
	return wq_dev_passed(&now.dev);
}

/* How entries of a shared queue are posted and freed, in either form. */
static int
shared_free(uint16_t index)
{
	return bf_sharedq_free(&shared, index);
}

static void
shared_post(uint64_t addr)
{
	struct bf_post_row row = bf_post_row_begin(&shared);

	bf_post_row_put(&row, addr, bf_key_len(addr, PAYLOAD), true);
	bf_post_row_end(&row, &shared, 1);
}

static int
row_free(uint16_t index)
{
	struct bf_free_row row = bf_free_row_begin(&shared);

	if (!bf_free_row_posted(&row, index))
		return -EPROTO;
	bf_free_row_take(&row, index, true);
	bf_free_row_end(&row, &shared, 1);
	return 0;
}

/* Some come back in any order, and some are posted. */
static int
shared_bursts(int (*put_back)(uint16_t index))
{
	uint32_t burst, i, k, n = 0, nb = 0;
	uint16_t taken[64];

	for (burst = 0; burst < 2 * NB_BURSTS; burst++) {
		burst_begin();
		for (i = rte_rand_max(nb + 1); i > 0; i--) {
			k = rte_rand_max(nb);
			TEST_EXPECT(put_back(taken[k]), 0);
			taken[k] = taken[--nb];
		}
		for (i = 0; i < 1 + burst % 5 && shared.nb_free != 0; i++, n++)
			shared_post((uintptr_t)now.payload + n);
		bf_sharedq_ring(&shared);
		TEST_CALL(burst_replay(i));
		for (i = 0; i < nb_shared; i++)
			taken[nb++] = want_shared[i].index;
	}
	return wq_dev_passed(&now.dev);
}

static int
test_shared(void)
{
	return shared_bursts(shared_free);
}

static int
test_shared_row(void)
{
	return shared_bursts(row_free);
}

/*
 * Completions
 */

static uint32_t nb_completed;

static void
complete_next(void)
{
	uint8_t *cqe = wq_dev_cqe(&now.dev);
	uint32_t n = ++nb_completed;

	cqe[32 + 3] = n;
	cqe[36 + 3] = n;
	cqe[56 + 3] = n;
	wq_dev_finish(&now.dev, cqe, BF_CQE_RESP_SEND_IMM, n, n & 0xff);
}

static int
expect_cqe(const struct bf_cqe *cqe)
{
	const uint32_t n = nb_completed;

	TEST_EXPECT(bf_cqe_opcode(cqe), BF_CQE_RESP_SEND_IMM);
	TEST_EXPECT(bf_cqe_wqe_counter(cqe), n);
	TEST_EXPECT(bf_cqe_byte_cnt(cqe), n & 0xff);
	TEST_EXPECT(bf_cqe_imm(cqe), n & 0xff);
	TEST_EXPECT(bf_cqe_user_index(cqe), n & 0xff);
	return TEST_SUCCESS;
}

/* Each is completed while the driver looks, and its entry is used again at once. */
static int
test_comp(void)
{
	const struct bf_cqe *cqe;
	uint32_t i;

	nb_completed = 0;
	for (i = 0; i < 100; i++) {
		TEST_ASSERT(bf_compq_next(&cq) == NULL, "a completion that is not there");
		late_completion = complete_next;
		cqe = bf_compq_next(&cq);
		TEST_TRUE(cqe != NULL);
		TEST_CALL(expect_cqe(cqe));
		if (i % 3 != 0)
			bf_compq_commit(&cq);
	}
	TEST_ASSERT(nb_bad_loads == 0, "completions are read after they were given back");
	return wq_dev_passed(&now.dev);
}

static int
test_comp_row(void)
{
	const struct bf_cqe *cqe;
	struct bf_comp_row row;
	uint32_t i;

	nb_completed = 0;
	for (i = 0; i < 100; i++) {
		row = bf_comp_row_begin(&cq, 4);
		TEST_ASSERT(bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM) == NULL,
			"a completion that is not there");
		late_completion = complete_next;
		cqe = bf_comp_row_next(&row, BF_CQE_RESP_SEND_IMM);
		TEST_TRUE(cqe != NULL);
		TEST_CALL(expect_cqe(cqe));
		bf_comp_row_taken(&row);
		TEST_EXPECT(bf_comp_row_end(&row, &cq), 1);
		bf_compq_commit(&cq);
	}
	TEST_ASSERT(nb_bad_loads == 0, "completions are read after they were given back");
	return wq_dev_passed(&now.dev);
}

static int
test_comp_arm(void)
{
	uint32_t i;

	nb_completed = 0;
	for (i = 0; i < 50; i++) {
		complete_next();
		TEST_TRUE(bf_compq_next(&cq) != NULL);
		burst_begin();
		bf_compq_arm(&cq);
		TEST_CALL(burst_replay(0));
		TEST_EXPECT(view.dev.nb_doorbells, 1);
		bf_compq_event(&cq);
	}
	return wq_dev_passed(&now.dev);
}

static struct unit_test_suite suite = {
	.suite_name = "order of stores on queues of the bluefield driver",
	.unit_test_cases = {
		TEST_CASE_ST(setup, teardown, test_send),
		TEST_CASE_ST(setup, teardown, test_send_row),
		TEST_CASE_ST(setup, teardown, test_send_row_imm),
		TEST_CASE_ST(setup, teardown, test_recv),
		TEST_CASE_ST(setup, teardown, test_shared),
		TEST_CASE_ST(setup, teardown, test_shared_row),
		TEST_CASE_ST(setup, teardown, test_comp),
		TEST_CASE_ST(setup, teardown, test_comp_row),
		TEST_CASE_ST(setup, teardown, test_comp_arm),
		TEST_CASES_END()
	}
};

#ifdef TEST_WQ_ORDER_MAIN

#include <rte_eal.h>

int bf_logtype;

/* The exit status is 1 if a case fails. */
int
main(int argc, char **argv)
{
	const struct unit_test_case *tc;
	int failed = 0, ret;

	if (rte_eal_init(argc, argv) < 0)
		return 2;
	for (tc = suite.unit_test_cases; tc->testcase != NULL; tc++) {
		ret = tc->setup();
		if (ret == TEST_SUCCESS)
			ret = tc->testcase();
		tc->teardown();
		if (ret != TEST_SUCCESS) {
			printf("%s failed\n", tc->name);
			failed = 1;
		}
	}
	rte_eal_cleanup();
	return failed;
}

#else

REGISTER_FAST_TEST(bluefield_wq_order_autotest, unit_test_suite_runner, &suite);

#endif
