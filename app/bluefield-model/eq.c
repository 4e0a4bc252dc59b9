/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Event queues: the commands, the entries that the device writes, arming and the
 * interrupt, the consumer index. What an event means is not known here.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "layout_caps.h"
#include "layout_eq.h"
#include "model.h"

#define EQ_FIRST 1u    /* 0 is never a number, so that a forgotten field shows */
#define EQ_NUMBERS 256u
#define EQE_SIZE 64u
#define EQ_CI_MASK 0xffffffu

/* Values of EQC.status, EQC.st and of the health buffer. */
enum { EQ_STATUS_OK = 0, EQ_STATUS_WRITE_FAILURE = 0xa };
enum { EQ_ST_ARMED = 0x9, EQ_ST_FIRED = 0xa };
enum { HEALTH_ASYNC_EQ_OVERRUN = 0xc, HEALTH_EQ_IN_ERROR = 0xd };

/*
 * The events that an EQ may ask for by its mask. Completion (type 0) is not one of
 * them: a CQ names its EQ. Nor is the internal error (type 8): no driver in the
 * field asks for it, so that nobody knows whether firmware takes it.
 */
#define BIT(type) (UINT64_C(1) << (type))
#define EVENTS_KNOWN ( \
	BIT(0x01) | BIT(0x02) | BIT(0x03) | BIT(0x04) | BIT(0x05) | BIT(0x07) | \
	BIT(0x09) | BIT(0x0a) | BIT(0x0b) | BIT(0x0c) | BIT(0x0d) | BIT(0x0e) | BIT(0x0f) | \
	BIT(0x10) | BIT(0x11) | BIT(0x12) | BIT(0x13) | BIT(0x14) | BIT(0x15) | BIT(0x16) | \
	BIT(0x17) | BIT(0x18) | BIT(0x19) | BIT(0x1a) | BIT(0x1b) | BIT(0x1c) | BIT(0x1d) | \
	BIT(0x20) | BIT(0x21) | BIT(0x22) | BIT(0x24) | BIT(0x25) | BIT(0x26) | BIT(0x27))
/* Of these the answer must go to one place, or firmware would count it twice. */
#define EVENTS_ONE_TAKER (BIT(BFM_EV_CMD) | BIT(BFM_EV_PAGE_REQUEST))

struct eq {
	struct bfm_object obj;   /* first: the table hands it back */
	struct bfm_object *uar;
	struct bfm_buf buf;
	uint64_t mask;
	uint32_t pi;             /* entries written, 24 bits count */
	uint32_t ci;             /* entries read, as software said */
	uint8_t log_size;
	uint8_t status;
	uint8_t log_page_size;   /* as given, of 4 KiB */
	uint8_t page_offset;     /* as given, of 1/64 of a page */
	uint16_t vector;
	bool armed;
	bool overrun_ignored;    /* EQC.oi */
	uint64_t events;         /* all that were written, and interrupts for them */
	uint64_t irqs;
};

struct bfm_eqs {
	struct eq *by_number[EQ_NUMBERS];
};

BFM_LAYOUT(bfm_lay_eqc, "eq_context", EQC_SIZE, EQC_FIELDS);
BFM_LAYOUT(bfm_lay_create_eq_in, "create_eq_in", CREATE_EQ_IN_SIZE, CREATE_EQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_create_eq_out, "create_eq_out", CREATE_EQ_OUT_SIZE, CREATE_EQ_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_eq_in, "eq_in", EQ_IN_SIZE, EQ_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_eq_out, "query_eq_out", QUERY_EQ_OUT_SIZE, QUERY_EQ_OUT_FIELDS);

int
bfm_eqs_create(struct bfm_function *f)
{
	f->eqs = calloc(1, sizeof(*f->eqs));
	return f->eqs != NULL ? 0 : -ENOMEM;
}

/* The queues themselves are objects: bfm_objects_destroy() has freed them. */
void
bfm_eqs_destroy(struct bfm_function *f)
{
	free(f->eqs);
	f->eqs = NULL;
}

static struct eq *
eq_find(struct bfm_function *f, uint32_t eqn)
{
	return f->eqs != NULL && eqn < EQ_NUMBERS ? f->eqs->by_number[eqn] : NULL;
}

static uint32_t
eq_pending(const struct eq *q)
{
	return (q->pi - q->ci) & EQ_CI_MASK;
}

static void
eq_free(struct bfm_function *f, struct bfm_object *o)
{
	struct eq *q = (struct eq *)o;

	if (f->eqs != NULL)
		f->eqs->by_number[o->id] = NULL;
	bfm_object_unref(q->uar);
	bfm_buf_free(&q->buf);
	free(q);
}

static void
eq_print(const struct bfm_object *o, FILE *out)
{
	const struct eq *q = (const struct eq *)o;

	fprintf(out, "entries=%u pi=0x%x ci=0x%x pending=%u %s vector=%u uar=0x%x mask=0x%" PRIx64
			" pages=%u*2^%u events=%" PRIu64 " irqs=%" PRIu64 "%s",
			1u << q->log_size, q->pi, q->ci, eq_pending(q),
			q->armed ? "armed" : "fired", q->vector, q->uar->id, q->mask,
			q->buf.nb_pages, q->buf.log_page, q->events, q->irqs,
			q->status == EQ_STATUS_OK ? "" : " FAILED");
}

/* ------------------------------------------------------------- commands */

/* The masks of a new EQ: known events only, and none that has its one taker. */
static enum bfm_status
check_mask(struct bfm_cmd *c, uint64_t mask)
{
	const struct eq *q;
	uint64_t bad;
	uint32_t eqn;

	bad = mask & (~EVENTS_KNOWN | c->f->events_refused);
	if (BFM_CAP(c->f, page_request_disable) != 0)
		bad |= mask & BIT(BFM_EV_PAGE_REQUEST);
	if (bad != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "event_bitmask[0] 0x%" PRIx64
				" asks for event type 0x%x, which the device does not have",
				mask, (uint32_t)__builtin_ctzll(bad));
	if (BFM_GET(c->in, CREATE_EQ_IN, event_bitmask_1) != 0 ||
			BFM_GET(c->in, CREATE_EQ_IN, event_bitmask_2) != 0 ||
			BFM_GET(c->in, CREATE_EQ_IN, event_bitmask_3) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"event_bitmask[1..3] is not zero: there are no event "
				"types above 0x3f");
	for (eqn = EQ_FIRST; eqn < EQ_NUMBERS; eqn++) {
		q = c->f->eqs->by_number[eqn];
		bad = q != NULL ? q->mask & mask & EVENTS_ONE_TAKER : 0;
		if (bad != 0)
			return bfm_fail(c, BFM_BAD_PARAM, "event type 0x%x already goes to EQ %u: "
					"destroy that first", (uint32_t)__builtin_ctzll(bad), eqn);
	}
	return BFM_OK;
}

/* The context: what software may give, each against its limit. */
static enum bfm_status
check_context(struct bfm_cmd *c, const uint8_t *eqc, struct eq *q)
{
	uint64_t max_log = BFM_CAP(c->f, log_max_eq_sz);
	uint32_t uar = (uint32_t)BFM_GET(eqc, EQC, uar_page);
	uint32_t vector = (uint32_t)BFM_GET(eqc, EQC, intr);

	if (BFM_GET(eqc, EQC, status) != 0 || BFM_GET(eqc, EQC, st) != 0 ||
			BFM_GET(eqc, EQC, consumer_counter) != 0 ||
			BFM_GET(eqc, EQC, producer_counter) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"status, st and the counters are the device's: give 0");
	if (BFM_GET(eqc, EQC, ec) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "ec (collapsing) is not supported");
	q->log_size = (uint8_t)BFM_GET(eqc, EQC, log_eq_size);
	if (q->log_size > max_log)
		return bfm_fail(c, BFM_BAD_PARAM, "log_eq_size %u, but log_max_eq_sz is %" PRIu64,
				q->log_size, max_log);
	if (vector >= c->f->conf.vectors)
		return bfm_fail(c, BFM_BAD_PARAM,
				"intr %u, but the function has vectors 0 to %u", vector,
				c->f->conf.vectors - 1);
	q->vector = (uint16_t)vector;
	q->uar = bfm_object_find(c->f, BFM_T_UAR, uar);
	if (q->uar == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE,
				"uar_page 0x%x is not allocated: ALLOC_UAR first", uar);
	q->log_page_size = (uint8_t)BFM_GET(eqc, EQC, log_page_size);
	q->page_offset = (uint8_t)BFM_GET(eqc, EQC, page_offset);
	q->overrun_ignored = BFM_GET(eqc, EQC, oi) != 0;
	return BFM_OK;
}

static enum bfm_status
create_eq(struct bfm_cmd *c)
{
	const uint8_t *eqc = c->in + CREATE_EQ_IN_EQC;
	uint64_t limit, max;
	enum bfm_status st;
	struct eq *q;
	int ret;

	q = calloc(1, sizeof(*q));
	if (q == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	q->mask = BFM_GET(c->in, CREATE_EQ_IN, event_bitmask_0);
	st = check_mask(c, q->mask);
	if (st == BFM_OK)
		st = check_context(c, eqc, q);
	if (st == BFM_OK)
		st = bfm_buf_read(c, &q->buf, CREATE_EQ_IN_SIZE, 12 + q->log_page_size,
				(uint64_t)q->page_offset << (6 + q->log_page_size),
				(uint64_t)EQE_SIZE << q->log_size);
	if (st != BFM_OK) {
		free(q);
		return st;
	}
	limit = UINT64_C(1) << BFM_CAP(c->f, log_max_eq);
	max = BFM_CAP(c->f, max_num_eqs);
	if (max != 0 && max < limit)
		limit = max;
	if (limit > EQ_NUMBERS - EQ_FIRST) /* the doorbell has eight bits for it */
		limit = EQ_NUMBERS - EQ_FIRST;
	q->obj.free = eq_free;
	q->obj.print = eq_print;
	ret = bfm_object_add(c->f, &q->obj, BFM_T_EQ, EQ_FIRST, (uint32_t)limit + EQ_FIRST,
			c->uid);
	if (ret != 0) {
		bfm_buf_free(&q->buf);
		free(q);
		return bfm_fail(c, BFM_NO_RESOURCES, "no EQ left of the %" PRIu64
				" that log_max_eq and max_num_eqs allow", limit);
	}
	bfm_object_ref(q->uar);
	c->f->eqs->by_number[q->obj.id] = q;
	BFM_SET(c->out, CREATE_EQ_OUT, eq_number, q->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_eq(struct bfm_cmd *c)
{
	return bfm_object_remove(c, BFM_T_EQ, (uint32_t)BFM_GET(c->in, EQ_IN, eq_number));
}

static enum bfm_status
query_eq(struct bfm_cmd *c)
{
	uint32_t eqn = (uint32_t)BFM_GET(c->in, EQ_IN, eq_number);
	uint8_t *eqc = c->out + QUERY_EQ_OUT_EQC;
	const struct eq *q = eq_find(c->f, eqn);
	uint32_t i;

	if (q == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE, "there is no EQ %u", eqn);
	BFM_SET(eqc, EQC, status, q->status);
	BFM_SET(eqc, EQC, oi, q->overrun_ignored);
	BFM_SET(eqc, EQC, st, q->armed ? EQ_ST_ARMED : EQ_ST_FIRED);
	BFM_SET(eqc, EQC, page_offset, q->page_offset);
	BFM_SET(eqc, EQC, log_eq_size, q->log_size);
	BFM_SET(eqc, EQC, uar_page, q->uar->id);
	BFM_SET(eqc, EQC, intr, q->vector);
	BFM_SET(eqc, EQC, log_page_size, q->log_page_size);
	BFM_SET(eqc, EQC, consumer_counter, q->ci & EQ_CI_MASK);
	BFM_SET(eqc, EQC, producer_counter, q->pi & EQ_CI_MASK);
	BFM_SET(c->out, QUERY_EQ_OUT, event_bitmask, q->mask);
	/* As many pages as software has room for. */
	for (i = 0; i < q->buf.nb_pages && QUERY_EQ_OUT_SIZE + (i + 1) * 8 <= c->out_len; i++)
		bfm_bits_set(c->out + QUERY_EQ_OUT_SIZE + i * 8, 0, 64, q->buf.pages[i]);
	return BFM_OK;
}

const struct bfm_cmd_desc bfm_cmds_eq[] = {
	{ 0x301, "CREATE_EQ", create_eq, BFM_INIT, &bfm_lay_create_eq_in, &bfm_lay_eqc,
		CREATE_EQ_IN_EQC, &bfm_lay_create_eq_out, CREATE_EQ_IN_SIZE + 8,
		CREATE_EQ_OUT_SIZE },
	{ 0x302, "DESTROY_EQ", destroy_eq, BFM_INIT, &bfm_lay_eq_in, NULL, 0, NULL,
		EQ_IN_SIZE, 16 },
	{ 0x303, "QUERY_EQ", query_eq, BFM_INIT, &bfm_lay_eq_in, NULL, 0, &bfm_lay_query_eq_out,
		EQ_IN_SIZE, QUERY_EQ_OUT_SIZE },
	{ .name = NULL },
};

/* --------------------------------------------------------------- events */

static void
eq_fire(struct eq *q, struct bfm_function *f)
{
	q->armed = false;
	q->irqs++;
	bfm_irq(f, q->vector);
}

/* The queue cannot go on, and what it should have told is lost: fatal. */
static void
eq_fail(struct eq *q, struct bfm_function *f, const char *why)
{
	char text[128];

	q->status = EQ_STATUS_WRITE_FAILURE;
	snprintf(text, sizeof(text), "EQ %u (%u entries, pi 0x%x, ci 0x%x): %s", q->obj.id,
			1u << q->log_size, q->pi, q->ci, why);
	bfm_health_fatal(f, q->mask != 0 ? HEALTH_ASYNC_EQ_OVERRUN : HEALTH_EQ_IN_ERROR, 0, text);
}

static void
eq_post(struct bfm_function *f, struct eq *q, enum bfm_event type, uint8_t subtype,
		const uint8_t data[28])
{
	struct bfm_eqe eqe = { .type = (uint8_t)type, .sub_type = subtype };
	const uint8_t *p = (const uint8_t *)&eqe;
	uint32_t index = q->pi & ((1u << q->log_size) - 1);
	uint8_t sum = 0;
	size_t i;

	if (q->status != EQ_STATUS_OK)
		return;
	if (eq_pending(q) >= 1u << q->log_size && !q->overrun_ignored) {
		eq_fail(q, f, "overrun: the consumer index was not updated in time");
		return;
	}
	memcpy(eqe.data, data, sizeof(eqe.data));
	/* Each lap around turns the owner bit; the first writes 0 over software's 1. */
	eqe.owner = q->pi >> q->log_size & 1;
	for (i = 0; i < sizeof(eqe); i++)
		sum ^= p[i];
	eqe.signature = (uint8_t)~sum;
	if (bfm_buf_dma_write(f, &q->buf, (uint64_t)index * EQE_SIZE, &eqe, sizeof(eqe)) != 0) {
		eq_fail(q, f, "an entry cannot be written: its page is not mapped any more");
		return;
	}
	q->pi = (q->pi + 1) & EQ_CI_MASK;
	q->events++;
	bfm_log(f, BFM_DEBUG, "EQ %u entry %u: event type 0x%02x subtype 0x%02x%s",
			q->obj.id, index, type, subtype, q->armed ? ", interrupt" : "");
	if (q->armed)
		eq_fire(q, f);
}

bool
bfm_event_wanted(struct bfm_function *f, enum bfm_event type)
{
	uint32_t eqn;

	if (f->eqs == NULL || type > 0x3f)
		return false;
	for (eqn = EQ_FIRST; eqn < EQ_NUMBERS; eqn++)
		if (f->eqs->by_number[eqn] != NULL && (f->eqs->by_number[eqn]->mask & BIT(type)))
			return true;
	return false;
}

void
bfm_event_post(struct bfm_function *f, enum bfm_event type, uint8_t subtype,
		const uint8_t data[28])
{
	bool posted = false;
	struct eq *q;
	uint32_t eqn;

	for (eqn = EQ_FIRST; f->eqs != NULL && eqn < EQ_NUMBERS; eqn++) {
		q = f->eqs->by_number[eqn];
		if (q == NULL || type > 0x3f || (q->mask & BIT(type)) == 0)
			continue;
		eq_post(f, q, type, subtype, data);
		posted = true;
	}
	if (!posted)
		bfm_log(f, BFM_DEBUG, "event type 0x%02x: no EQ asked for it", type);
}

void
bfm_eqe_post(struct bfm_function *f, uint32_t eqn, enum bfm_event type, uint8_t subtype,
		const uint8_t data[28])
{
	struct eq *q = eq_find(f, eqn);

	if (q == NULL) {
		bfm_log(f, BFM_ERR, "event type 0x%02x for EQ %u, which does not exist: a bug "
				"of the model", type, eqn);
		return;
	}
	eq_post(f, q, type, subtype, data);
}

void
bfm_eq_doorbell(struct bfm_function *f, uint32_t value, bool arm)
{
	uint32_t eqn = value >> 24, ci = value & EQ_CI_MASK;
	struct eq *q = eq_find(f, eqn);

	if (q == NULL) {
		bfm_log(f, BFM_WARN, "EQ doorbell 0x%08x: there is no EQ %u", value, eqn);
		return;
	}
	/* Software can only have read what was written, and does not read backwards. */
	if (((ci - q->ci) & EQ_CI_MASK) > eq_pending(q)) {
		bfm_log(f, BFM_WARN, "EQ doorbell 0x%08x: consumer index 0x%x of EQ %u is not "
				"between 0x%x and 0x%x: ignored", value, ci, eqn, q->ci, q->pi);
		return;
	}
	q->ci = ci;
	if (!arm)
		return;
	q->armed = true;
	/* What came after software's last look must not be left without an interrupt. */
	if (eq_pending(q) != 0)
		eq_fire(q, f);
}
