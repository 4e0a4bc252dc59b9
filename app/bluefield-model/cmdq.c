/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The command queue: slots and doorbells, what holds for all commands, the order in
 * which they run and complete. How they lie in memory is in cmdq_entry.c, how long
 * they take in cmdq_time.c, what they do in cmd_*.c.
 *
 * A command takes time, and has its effect at a moment of that time which no client
 * can know: its mailboxes are read and its handler is called some time behind the
 * doorbell, and the answer is written some time behind that. So a client that takes
 * a mailbox again before the answer, that believes an effect to be missing until the
 * answer, or that believes slots to answer in the order of their doorbells, fails
 * here as it does on a card, now and then. What is promised is no more than there:
 * with the answer, all effects are there, and no number is free before the answer of
 * the command that gives it up.
 */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmdq.h"

/* How often a command ended how. */
struct count {
	uint16_t opcode;
	uint8_t status;
	uint8_t delivery;
	uint64_t n;
};
#define MAX_COUNTS 512

/* Steps of commands in one turn of the loop. */
#define MAX_STEPS (4 * NB_SLOTS)
#define MAX_SLEEP_US 1000000u
/* Pages of firmware are looked at that often. */
#define PAGES_LOOK_US 100000u

struct bfm_cmdq {
	uint64_t addr;
	bool set;
	bool running; /* a handler is on the stack */
	bool resume;  /* asked for by it */
	uint64_t bad_doorbells;
	uint64_t overtaken; /* commands that ended before an earlier one */
	uint64_t order;     /* of the latest doorbell */
	uint64_t rand;
	struct slot slots[NB_SLOTS];
	struct count counts[MAX_COUNTS];
	uint32_t nb_counts;
};

static const struct bfm_cmd_desc *const cmd_tables[] = {
	bfm_cmds_hca,
	bfm_cmds_pages,
	bfm_cmds_caps,
	bfm_cmds_eq,
	bfm_cmds_res,
	bfm_cmds_mkey,
	bfm_cmds_cq,
	bfm_cmds_qp,
	bfm_cmds_srq,
	bfm_cmds_vport,
	bfm_cmds_roce,
	bfm_cmds_eth,
	bfm_cmds_wq,
	bfm_cmds_flow,
};

const struct bfm_cmd_desc *
bfm_cmd_find(uint16_t opcode)
{
	const struct bfm_cmd_desc *desc;
	size_t i;

	for (i = 0; i < sizeof(cmd_tables) / sizeof(cmd_tables[0]); i++)
		for (desc = cmd_tables[i]; desc->name != NULL; desc++)
			if (desc->opcode == opcode)
				return desc;
	return NULL;
}

const struct bfm_cmd_desc *
bfm_cmd_named(const char *name)
{
	const struct bfm_cmd_desc *desc;
	size_t i;

	for (i = 0; i < sizeof(cmd_tables) / sizeof(cmd_tables[0]); i++)
		for (desc = cmd_tables[i]; desc->name != NULL; desc++)
			if (strcasecmp(desc->name, name) == 0)
				return desc;
	return NULL;
}

static const char *
cmd_name(const struct bfm_cmd *c)
{
	return c->desc != NULL ? c->desc->name : "unknown command";
}

static void
count(struct bfm_cmdq *q, uint16_t opcode, uint8_t status, uint8_t delivery)
{
	struct count *n;
	uint32_t i;

	for (i = 0; i < q->nb_counts; i++) {
		n = &q->counts[i];
		if (n->opcode == opcode && n->status == status && n->delivery == delivery) {
			n->n++;
			return;
		}
	}
	if (q->nb_counts == MAX_COUNTS)
		return; /* only a fuzzer has so many kinds of failures */
	n = &q->counts[q->nb_counts++];
	n->opcode = opcode;
	n->status = status;
	n->delivery = delivery;
	n->n = 1;
}

static void
slot_free(struct slot *s)
{
	free(s->cmd.in);
	free(s->cmd.out);
	free(s->out_blocks);
	memset(s, 0, sizeof(*s));
}

/* It leaves: does one that came earlier stay behind? */
static void
count_overtaken(struct bfm_cmdq *q, const struct slot *leaves)
{
	const struct slot *s;

	for (s = q->slots; s < q->slots + NB_SLOTS; s++)
		if (s->state != SLOT_FREE && s->order < leaves->order) {
			q->overtaken++;
			return;
		}
}

/* Give the slot of a command that has an answer back to the client. */
static void
give_back(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;
	struct bfm_function *f = c->f;
	bool event = s->event && !s->fault.no_event;
	uint32_t bits = htobe32(1u << c->slot);
	uint8_t eqe[28] = { 0 };
	int ret;

	count_overtaken(f->cmdq, s);
	ret = bfm_entry_give(s, f->cmdq->addr, s->delivery,
			s->delivery == BFM_DELIVERY_OK && s->status == BFM_OK);
	slot_free(s);
	if (ret != 0)
		return;
	if (event && bfm_event_wanted(f, BFM_EV_CMD)) {
		memcpy(eqe, &bits, sizeof(bits));
		bfm_event_post(f, BFM_EV_CMD, 0, eqe);
	}
}

/* A command has come to its end: its answer is given when its time is over. */
static void
complete(struct slot *s, uint8_t delivery, enum bfm_status status)
{
	struct bfm_cmd *c = &s->cmd;

	if (c->out != NULL) {
		if (status != BFM_OK)
			memset(c->out, 0, c->out_len < INLINE_SIZE ? INLINE_SIZE : c->out_len);
		bfm_bits_set(c->out, 0, 8, status);
		bfm_bits_set(c->out, 8, 24, 0);
		bfm_bits_set(c->out, 32, 32, c->syndrome);
	}
	count(c->f->cmdq, c->opcode, (uint8_t)status, delivery);
	s->delivery = delivery;
	s->status = (uint8_t)status;
	if (s->after_us == 0) {
		give_back(s);
		return;
	}
	s->state = SLOT_DONE;
	s->due_us = c->f->model->now_us + s->after_us;
}

/*
 * What holds for all commands
 */

static const char *
state_name(enum bfm_hca_state state)
{
	switch (state) {
	case BFM_HCA_DISABLED:
		return "disabled";
	case BFM_HCA_ENABLED:
		return "enabled";
	default:
		return "initialised";
	}
}

/* Before the boot pages are there, firmware can do little. Our choice of what. */
static bool
needs_boot_pages(uint16_t opcode)
{
	switch (opcode) {
	case 0x104: /* ENABLE_HCA */
	case 0x105: /* DISABLE_HCA */
	case 0x107: /* QUERY_PAGES */
	case 0x108: /* MANAGE_PAGES */
	case 0x10a: /* QUERY_ISSI */
	case 0x10b: /* SET_ISSI */
	case 0x80d: /* NOP */
		return false;
	default:
		return true;
	}
}

static enum bfm_status
check_reserved(struct bfm_cmd *c)
{
	const struct bfm_cmd_desc *desc = c->desc;
	uint8_t head[HEAD_SIZE];
	size_t ctx_len;
	int bit = -1;

	/* the head is the same for all; layouts may name its fields or not */
	if (bfm_bits_get(c->in, 32, 16) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "reserved bits 32 to 47 are set");
	if (desc->in != NULL) {
		memcpy(head, c->in, sizeof(head));
		memset(c->in, 0, sizeof(head));
		bit = bfm_reserved_set(desc->in, c->in, c->in_len);
		memcpy(c->in, head, sizeof(head));
	}
	if (bit >= 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"reserved bit %d is set (byte 0x%x, value 0x%02x)", bit, bit / 8,
				c->in[bit / 8]);
	if (desc->ctx != NULL && c->in_len > desc->ctx_off) {
		ctx_len = c->in_len - desc->ctx_off;
		bit = bfm_reserved_set(desc->ctx, c->in + desc->ctx_off, ctx_len);
	}
	if (bit >= 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"reserved bit %d of %s is set (byte 0x%x, value 0x%02x)", bit,
				desc->ctx->name, bit / 8, c->in[desc->ctx_off + bit / 8]);
	return BFM_OK;
}

static enum bfm_status
check(struct bfm_cmd *c)
{
	const struct bfm_cmd_desc *desc = c->desc;
	struct bfm_function *f = c->f;

	if (desc == NULL)
		return bfm_fail(c, BFM_BAD_OP, "the model does not have it");
	if ((desc->states & 1u << f->hca) == 0)
		return bfm_fail(c, BFM_BAD_SYS_STATE, "the HCA is %s",
				state_name(f->hca));
	if (f->hca == BFM_HCA_ENABLED && needs_boot_pages(c->opcode) && bfm_pages_boot_missing(f))
		return bfm_fail(c, BFM_BAD_SYS_STATE, "firmware has not got its boot pages");
	if (c->in_len < desc->in_min)
		return bfm_fail(c, BFM_BAD_IN_LEN, "input of %u bytes, needs %u",
				c->in_len, desc->in_min);
	if (c->out_len < desc->out_min)
		return bfm_fail(c, BFM_BAD_OUT_LEN, "output of %u bytes, needs %u",
				c->out_len, desc->out_min);
	if (c->uid != 0 && bfm_object_find(f, BFM_T_UCTX, c->uid) == NULL)
		return bfm_fail(c, BFM_BAD_RESOURCE, "user context %u does not exist",
				c->uid);
	return check_reserved(c);
}

/*
 * The log
 */

static void
log_fields(const struct bfm_cmd *c, const char *what, const struct bfm_layout *l, const uint8_t *p,
		uint32_t len, const struct bfm_layout *ctx, uint32_t ctx_off, const char *end)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f;

	f = open_memstream(&text, &size);
	if (f == NULL)
		return;
	if (l != NULL)
		bfm_layout_print(l, p, len, f);
	if (ctx != NULL && len > ctx_off) {
		fprintf(f, " %s{", ctx->name);
		bfm_layout_print(ctx, p + ctx_off, len - ctx_off, f);
		fprintf(f, " }");
	}
	if (fclose(f) == 0)
		bfm_log(c->f, BFM_DEBUG, "slot %u: %s %s%s%s", c->slot, cmd_name(c), what, text,
				end);
	free(text);
}

static void
log_command(const struct bfm_cmd *c)
{
	char end[80];

	if (c->desc == NULL || !bfm_log_on(BFM_DEBUG))
		return;
	snprintf(end, sizeof(end), " (opcode 0x%03x, in %u, out %u bytes)", c->opcode, c->in_len,
			c->out_len);
	/* the name says what the opcode would */
	bfm_bits_set(c->in, 0, 16, 0);
	log_fields(c, "<-", c->desc->in, c->in, c->in_len, c->desc->ctx, c->desc->ctx_off, end);
	bfm_bits_set(c->in, 0, 16, c->opcode);
}

static void
log_reply(const struct bfm_cmd *c, enum bfm_status status)
{
	if (c->desc == NULL || status != BFM_OK || !bfm_log_on(BFM_DEBUG))
		return;
	log_fields(c, "->", c->desc->out, c->out, c->out_len, NULL, 0, " ok");
}

/*
 * Running
 */

static uint64_t
next_rand(struct bfm_cmdq *q)
{
	q->rand = q->rand * 6364136223846793005u + 1442695040888963407u;
	return q->rand >> 33;
}

/* Call the handler, and complete if it is done. */
static void
run(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;
	struct bfm_function *f = c->f;
	enum bfm_status status;
	uint32_t i;

	s->state = SLOT_READY;
	c->suspend = false;
	status = s->fault.set_status ? (enum bfm_status)s->fault.status : check(c);
	if (s->fault.set_status)
		c->syndrome = s->fault.syndrome;
	else if (status == BFM_OK && bfm_supply_ready(c, &status))
		status = c->desc->handler(c);
	if (status == BFM_OK && c->suspend) {
		s->state = SLOT_SUSPENDED;
		bfm_log(f, BFM_DEBUG, "slot %u: %s waits", c->slot, cmd_name(c));
		return;
	}
	if (bfm_iseg_fatal(f)) {
		s->state = SLOT_STUCK; /* firmware died while it worked on this */
		return;
	}
	log_reply(c, status);
	if (s->fault.garbage)
		for (i = REPLY_SIZE; i < c->out_len; i++)
			c->out[i] = (uint8_t)next_rand(f->cmdq);
	complete(s, BFM_DELIVERY_OK, status);
}

/* A fault makes the command wait for pages before it runs. False: it runs now. */
static bool
wait_pages(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;
	int ret;

	if (s->fault.page_request == 0)
		return false;
	if (s->fault.page_request < 0) {
		bfm_pages_want(c->f, s->fault.page_request); /* nothing to wait for */
		return false;
	}
	ret = bfm_pages_want(c->f, s->fault.page_request);
	if (ret == -EAGAIN) {
		s->state = SLOT_PAGES;
		return true;
	}
	if (ret != 0) {
		bfm_fail(c, BFM_LIMIT, "the pages it needs were not given");
		s->fault.set_status = true;
		s->fault.status = BFM_LIMIT;
		s->fault.syndrome = c->syndrome;
	}
	s->fault.page_request = 0;
	return false;
}

/* Firmware turns to a command: it reads the mailboxes now, and not before. */
static void
begin(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;
	struct bfm_function *f = c->f;
	int ret;

	s->state = SLOT_READY;
	ret = bfm_entry_take(s);
	if (ret < 0) {
		s->state = SLOT_STUCK;
		return;
	}
	s->event = bfm_event_wanted(f, BFM_EV_CMD);
	if (ret != 0) {
		complete(s, (uint8_t)ret, BFM_OK);
		return;
	}
	log_command(c);
	if (s->fault.no_answer) {
		bfm_log(f, BFM_INFO, "slot %u: fault: %s is never answered", c->slot, cmd_name(c));
		s->state = SLOT_STUCK;
		return;
	}
	if (s->fault.set_delivery) {
		bfm_log(f, BFM_INFO, "slot %u: fault: %s, delivery status 0x%02x", c->slot,
				cmd_name(c), s->fault.delivery);
		complete(s, s->fault.delivery, BFM_OK);
		return;
	}
	if (s->fault.set_status)
		bfm_log(f, BFM_INFO, "slot %u: fault: %s, status 0x%02x, syndrome 0x%06x", c->slot,
				cmd_name(c), s->fault.status, s->fault.syndrome);
	if (!wait_pages(s))
		run(s);
}

/* What is to happen to a command; a fault whose count runs out is gone. */
static void
fault_find(struct bfm_function *f, uint16_t opcode, uint16_t op_mod, struct bfm_cmd_fault *what)
{
	struct bfm_fault *fault;

	TAILQ_FOREACH(fault, &f->faults->list, next) {
		if (fault->opcode != opcode || (!fault->any_op_mod && fault->op_mod != op_mod))
			continue;
		*what = fault->what;
		f->faults->hits++;
		if (fault->count != 0 && --fault->count == 0) {
			TAILQ_REMOVE(&f->faults->list, fault, next);
			free(fault);
		}
		return;
	}
}

/* When firmware turns to a command that was just fetched. */
static void
schedule(struct slot *s)
{
	struct bfm_cmd *c = &s->cmd;
	struct bfm_function *f = c->f;

	fault_find(f, c->opcode, c->op_mod, &s->fault);
	/* memory that only messages reach is reached within one of the client's only */
	if (!bfm_dma_by_message(f))
		bfm_cmd_time(s, next_rand(f->cmdq), next_rand(f->cmdq));
	if (s->fault.delay_ms != 0)
		bfm_log(f, BFM_INFO, "slot %u: fault: %s takes %u ms", c->slot, cmd_name(c),
				s->fault.delay_ms);
	s->since_us = f->model->now_us;
	s->due_us = s->since_us + s->before_us + s->fault.delay_ms * 1000ull;
	s->state = SLOT_FETCHED;
}

static void
fetch(struct bfm_function *f, uint8_t n)
{
	struct bfm_cmdq *q = f->cmdq;
	struct slot *s = &q->slots[n];
	uint64_t addr = q->addr + n * sizeof(struct entry);
	struct entry e;

	if (s->state != SLOT_FREE) {
		q->bad_doorbells++;
		bfm_log(f, BFM_WARN, "doorbell for slot %u, whose %s is not complete: ignored", n,
				cmd_name(&s->cmd));
		return;
	}
	if (bfm_dma_read(f, addr, &e, sizeof(e)) != 0) {
		bfm_dma_fatal(f, addr, "command queue");
		return;
	}
	if ((e.status_own & OWNER_HW) == 0) {
		q->bad_doorbells++;
		bfm_log(f, BFM_WARN,
				"doorbell for slot %u, whose entry is not owned by the "
				"device: ignored",
				n);
		return;
	}
	s->entry = e;
	s->cmd.f = f;
	s->cmd.slot = n;
	bfm_entry_peek(s);
	s->cmd.desc = bfm_cmd_find(s->cmd.opcode);
	s->order = ++q->order;
	schedule(s);
	if (s->due_us == s->since_us)
		begin(s);
}

/* Give those that wait another chance. They may wait again. */
static void
resume(struct bfm_function *f)
{
	struct bfm_cmdq *q = f->cmdq;
	struct slot *s;

	for (s = q->slots; s < q->slots + NB_SLOTS; s++) {
		if (bfm_iseg_fatal(f))
			return;
		if (s->state == SLOT_SUSPENDED || (s->state == SLOT_PAGES && !wait_pages(s)))
			run(s);
	}
}

static void
enter(struct bfm_cmdq *q)
{
	q->running = true;
}

static void
leave(struct bfm_function *f)
{
	struct bfm_cmdq *q = f->cmdq;
	int rounds;

	/* a resumed command may free what another waits for; each completes only once */
	for (rounds = 0; q->resume && rounds < NB_SLOTS; rounds++) {
		q->resume = false;
		resume(f);
	}
	q->running = false;
}

void
bfm_cmdq_doorbell(struct bfm_function *f, uint32_t mask)
{
	struct bfm_cmdq *q = f->cmdq;
	const char *why;
	uint8_t i;

	for (i = 0; i < NB_SLOTS; i++) {
		if ((mask & 1u << i) == 0)
			continue;
		why = bfm_iseg_no_commands(f);
		if (why == NULL && !q->set)
			why = "the command queue has no address";
		if (why != NULL) {
			q->bad_doorbells++;
			bfm_log(f, BFM_WARN, "doorbell for slot %u ignored: %s", i, why);
			continue;
		}
		enter(q);
		fetch(f, i);
		leave(f);
	}
	if (mask == 0) {
		q->bad_doorbells++;
		bfm_log(f, BFM_WARN, "doorbell without a slot");
	}
}

static void
cmd_resume(struct bfm_function *f)
{
	struct bfm_cmdq *q = f->cmdq;

	q->resume = true;
	if (q->running || bfm_iseg_no_commands(f) != NULL)
		return; /* at the end of the command that runs */
	enter(q);
	leave(f);
}

static bool
waits_for_time(const struct slot *s)
{
	return s->state == SLOT_FETCHED || s->state == SLOT_DONE;
}

/* The one that is due first, or NULL. */
static struct slot *
first_due(struct bfm_cmdq *q)
{
	struct slot *first = NULL;
	struct slot *s;

	for (s = q->slots; s < q->slots + NB_SLOTS; s++)
		if (waits_for_time(s) && (first == NULL || s->due_us < first->due_us))
			first = s;
	return first;
}

static void
go_on(struct slot *s)
{
	struct bfm_function *f = s->cmd.f;

	enter(f->cmdq);
	if (s->state == SLOT_FETCHED)
		begin(s);
	else
		give_back(s);
	leave(f);
}

int
bfm_cmdq_tick(struct bfm_function *f)
{
	struct bfm_cmdq *q = f->cmdq;
	uint64_t now = f->model->now_us;
	struct slot *s = NULL;
	uint64_t next = MAX_SLEEP_US;
	int steps;

	if (bfm_iseg_no_commands(f) != NULL)
		return -1;
	bfm_pages_check(f);
	/* each takes a few steps at most: none is done twice for one doorbell */
	for (steps = 0; steps < MAX_STEPS && !bfm_iseg_fatal(f); steps++) {
		s = first_due(q);
		if (s == NULL || s->due_us > now)
			break;
		go_on(s);
	}
	if (s != NULL && !bfm_iseg_fatal(f))
		next = s->due_us > now ? s->due_us - now : 0;
	if (f->hca == BFM_HCA_INITIALISED && next > PAGES_LOOK_US)
		next = PAGES_LOOK_US;
	return next >= MAX_SLEEP_US ? -1 : (int)next;
}

/*
 * Life
 */

void
bfm_cmdq_set_addr(struct bfm_function *f, uint64_t addr)
{
	f->cmdq->addr = addr;
	f->cmdq->set = true;
}

uint64_t
bfm_cmdq_addr(const struct bfm_function *f)
{
	return f->cmdq->addr;
}

bool
bfm_hca_switching(const struct bfm_function *f)
{
	const struct slot *s;

	for (s = f->cmdq->slots; s < f->cmdq->slots + NB_SLOTS; s++)
		if (s->state != SLOT_FREE && bfm_hca_is_own(f, s->entry.in) &&
				(s->cmd.opcode == OP_ENABLE_HCA ||
						s->cmd.opcode == OP_DISABLE_HCA))
			return true;
	return false;
}

uint32_t
bfm_cmdq_busy(const struct bfm_function *f)
{
	uint32_t n = 0;
	uint32_t i;

	for (i = 0; i < NB_SLOTS; i++)
		n += f->cmdq->slots[i].state != SLOT_FREE;
	return n;
}

void
bfm_cmdq_reset(struct bfm_function *f)
{
	struct bfm_cmdq *q = f->cmdq;
	uint32_t i;

	q->set = false;
	q->addr = 0;
	q->resume = false;
	for (i = 0; i < NB_SLOTS; i++)
		if (q->slots[i].state != SLOT_FREE)
			slot_free(&q->slots[i]);
}

static const char *
slot_state_name(enum slot_state state)
{
	static const char *const names[] = {
		[SLOT_FREE] = "free",
		[SLOT_FETCHED] = "fetched",
		[SLOT_READY] = "running",
		[SLOT_PAGES] = "wants-pages",
		[SLOT_SUSPENDED] = "suspended",
		[SLOT_DONE] = "done",
		[SLOT_STUCK] = "stuck",
	};

	return names[state];
}

/* What is under way: since when, and when its next step is due if time decides. */
static void
dump_slot(const struct bfm_function *f, const struct slot *s, FILE *out)
{
	uint64_t now = f->model->now_us;

	fprintf(out, "slot %u %s state=%s since_us=%ju", s->cmd.slot, cmd_name(&s->cmd),
			slot_state_name(s->state), (uintmax_t)(now - s->since_us));
	if (waits_for_time(s))
		fprintf(out, " left_us=%ju", (uintmax_t)(s->due_us > now ? s->due_us - now : 0));
	fprintf(out, "\n");
}

void
bfm_cmdq_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_cmdq *q = f->cmdq;
	const struct bfm_cmd_desc *desc;
	const struct count *n;
	uint32_t i;

	fprintf(out, "cmdq address=0x%jx set=%u busy=%u bad_doorbells=%ju overtaken=%ju\n",
			(uintmax_t)q->addr, q->set, bfm_cmdq_busy(f), (uintmax_t)q->bad_doorbells,
			(uintmax_t)q->overtaken);
	for (i = 0; i < NB_SLOTS; i++)
		if (q->slots[i].state != SLOT_FREE)
			dump_slot(f, &q->slots[i], out);
	for (i = 0; i < q->nb_counts; i++) {
		n = &q->counts[i];
		desc = bfm_cmd_find(n->opcode);
		fprintf(out,
				"command opcode=0x%03x name=%s status=0x%02x delivery=0x%02x "
				"count=%ju\n",
				n->opcode, desc != NULL ? desc->name : "unknown", n->status,
				n->delivery, (uintmax_t)n->n);
	}
}

int
bfm_cmdq_create(struct bfm_function *f)
{
	f->cmdq = calloc(1, sizeof(*f->cmdq));
	if (f->cmdq == NULL)
		return -ENOMEM;
	f->resume = cmd_resume;
	/* each function its own numbers, the same in every run with this seed */
	f->cmdq->rand = 0x626c7565 + f->model->seed * 0x9e3779b97f4a7c15u + f->conf.vhca_id;
	(void)next_rand(f->cmdq);
	return 0;
}

void
bfm_cmdq_destroy(struct bfm_function *f)
{
	if (f->cmdq == NULL)
		return;
	bfm_cmdq_reset(f);
	free(f->cmdq);
	f->cmdq = NULL;
}
