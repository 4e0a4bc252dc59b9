/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands for the software BlueField, made from an input: each is what a client
 * without mistakes would give, with the fields changed that the input names. The
 * layouts of the model say which fields there are, so that new commands need no
 * line here.
 */

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "../bluefield-model/server.h"
#include "fuzz_model.h"

#define ENTRY_SIZE 64u
#define INLINE_SIZE 16u
#define BLOCK_SIZE 1024u
#define BLOCK_DATA 512u
#define BLOCK_NEXT 560u
#define BLOCK_NUMBER 568u
#define BLOCK_TOKEN 573u
#define MAX_BLOCKS 32u
#define MAX_BYTES (INLINE_SIZE + MAX_BLOCKS * BLOCK_DATA)
#define MAX_CMDS 256u
#define MAX_USUAL 32u
#define TOKEN 0xa5u
/* Turns of the loop that a client without mistakes lives on for, and their time. */
#define SERVE_TICKS 4u
#define SERVE_TICK_MS 150u
/* Longer than the longest command. */
#define SETTLE_MS 1000u

/* Registers of BAR 0. */
#define REG_CMDQ_ADDR_H 0x010u
#define REG_CMDQ_ADDR_L 0x014u
#define REG_CMD_DOORBELL 0x018u

/* Doorbells of a page of it. */
#define UAR_CQ_ARM 0x020u
#define UAR_EQ_ARM 0x040u
#define UAR_EQ_UPDATE 0x048u
#define UAR_BF 0x800u

#define DATA_ADDR (FUZZ_MEM_ADDR + FUZZ_PAGE_FREE * BFM_PAGE_SIZE)

/* How the blocks of a command are wrong. */
enum shape {
	SHAPE_GOOD = 0,
	SHAPE_END,       /* the last block is missing */
	SHAPE_ALIGN,
	SHAPE_NUMBER,
	SHAPE_TOKEN,
	SHAPE_RESERVED,
	SHAPE_UNMAPPED,
	SHAPE_LOOP,
	SHAPE_NB,
};

struct command {
	uint8_t in[MAX_BYTES];
	uint32_t in_len;
	uint32_t out_len;
	uint8_t slot;
	enum shape in_shape;
	enum shape out_shape;
};

static const struct bfm_cmd_desc *cmds[MAX_CMDS];
static uint32_t nb_cmds;

void
fuzz_model_fail(const struct fuzz_model *m, const char *what)
{
	fprintf(stderr, "%s\n", what);
	bfm_objects_dump(m->f, stderr);
	bfm_pages_dump(m->f, stderr);
	bfm_cmdq_dump(m->f, stderr);
	abort();
}

void
fuzz_model_clear(struct fuzz_model *m)
{
	memset(m->mem, 0, FUZZ_MEM_SIZE);
	memset(m->ids, 0, sizeof(m->ids));
	memset(m->counts, 0, sizeof(m->counts));
	m->next_page = 0;
}

void
fuzz_model_time(struct fuzz_model *m, uint64_t ms)
{
	m->model.now_ms = ms;
	m->model.now_us = ms * 1000;
}

void
fuzz_model_wait(struct fuzz_model *m, uint64_t ms)
{
	/* a command has its effect in one turn, and is answered in a later one */
	fuzz_model_time(m, m->model.now_ms + ms / 2);
	(void)bfm_function_tick(m->f);
	fuzz_model_time(m, m->model.now_ms + ms - ms / 2);
	(void)bfm_function_tick(m->f);
}

void
fuzz_model_write32(struct fuzz_model *m, uint64_t off, uint32_t value)
{
	value = htobe32(value);
	m->write(m, off, &value, sizeof(value));
}

/* ---------------------------------------------- how a command lies in memory */

static void
put32(uint8_t *p, uint32_t value)
{
	value = htobe32(value);
	memcpy(p, &value, sizeof(value));
}

static void
put64(uint8_t *p, uint64_t value)
{
	value = htobe64(value);
	memcpy(p, &value, sizeof(value));
}

/* The blocks for len bytes from a page on. Returns the address of the first. */
static uint64_t
put_chain(struct fuzz_model *m, uint32_t page, const uint8_t *data, uint32_t len,
		enum shape shape)
{
	uint64_t addr = FUZZ_MEM_ADDR + page * BFM_PAGE_SIZE;
	uint32_t nb, i, part;
	uint8_t *block;

	if (len <= INLINE_SIZE)
		return 0;
	len -= INLINE_SIZE;
	nb = len / BLOCK_DATA + (len % BLOCK_DATA != 0);
	/* what the length says beyond this is not there */
	if (nb > MAX_BLOCKS)
		nb = MAX_BLOCKS;
	for (i = 0; i < nb; i++) {
		block = m->mem + page * BFM_PAGE_SIZE + i * BLOCK_SIZE;
		memset(block, 0, BLOCK_SIZE);
		part = len - i * BLOCK_DATA < BLOCK_DATA ? len - i * BLOCK_DATA : BLOCK_DATA;
		if (data != NULL)
			memcpy(block, data + INLINE_SIZE + i * BLOCK_DATA, part);
		put64(block + BLOCK_NEXT, i + 1 < nb ? addr + (i + 1) * BLOCK_SIZE : 0);
		put32(block + BLOCK_NUMBER, i);
		block[BLOCK_TOKEN] = TOKEN;
	}
	block = m->mem + page * BFM_PAGE_SIZE + (nb - 1) * BLOCK_SIZE;
	switch (shape) {
	case SHAPE_END:
		if (nb == 1)
			return 0;
		put64(block - BLOCK_SIZE + BLOCK_NEXT, 0);
		break;
	case SHAPE_ALIGN:
		return addr + 8;
	case SHAPE_NUMBER:
		put32(block + BLOCK_NUMBER, nb);
		break;
	case SHAPE_TOKEN:
		block[BLOCK_TOKEN] = TOKEN + 1;
		break;
	case SHAPE_RESERVED:
		block[BLOCK_DATA] = 1;
		break;
	case SHAPE_UNMAPPED:
		return FUZZ_MEM_ADDR + FUZZ_MEM_SIZE - (nb == 1 ? 0 : BLOCK_DATA / 2);
	case SHAPE_LOOP:
		put64(block + BLOCK_NEXT, addr);
		break;
	default:
		break;
	}
	return addr;
}

/* Entry, doorbell, and what was made. */
static void
submit(struct fuzz_model *m, const struct command *c)
{
	uint8_t *entry = m->mem + FUZZ_PAGE_QUEUE * BFM_PAGE_SIZE + c->slot * ENTRY_SIZE;
	uint32_t type, count;

	memset(entry, 0, ENTRY_SIZE);
	entry[0] = 7;
	put32(entry + 4, c->in_len);
	put64(entry + 8, put_chain(m, FUZZ_PAGE_IN, c->in, c->in_len, c->in_shape));
	memcpy(entry + 16, c->in, INLINE_SIZE);
	put64(entry + 48, put_chain(m, FUZZ_PAGE_OUT, NULL, c->out_len, c->out_shape));
	put32(entry + 56, c->out_len);
	entry[60] = TOKEN;
	entry[63] = 1;
	fuzz_model_write32(m, REG_CMD_DOORBELL, 1u << c->slot);
	if (m->model.latency != 0 && !m->overlap)
		fuzz_model_wait(m, SETTLE_MS);

	for (type = 0; type < BFM_NB_TYPES; type++) {
		count = bfm_objects_count(m->f, (enum bfm_type)type);
		/* the number is at the same place in all replies, but for that of an EQ */
		if (count > m->counts[type])
			m->ids[type] = (uint32_t)bfm_bits_get(entry + 32,
					type == BFM_T_EQ ? 88 : 72, type == BFM_T_EQ ? 8 : 24);
		m->counts[type] = count;
	}
}

/* ------------------------------------------- what a client would say in a field */

/* DEALLOC and DESTROY of a number, by opcode. */
static enum bfm_type
number_type(uint16_t opcode)
{
	switch (opcode) {
	case 0x803:
		return BFM_T_UAR;
	case 0x817:
		return BFM_T_TD;
	case 0x80f:
		return BFM_T_XRCD;
	case 0xa0a:
		return BFM_T_UMEM;
	default:
		return BFM_T_PD;
	}
}

/* Fields that name objects. */
static const struct {
	const char *name;
	enum bfm_type type;
} object_fields[] = {
	{ "pd", BFM_T_PD },
	{ "uar_page", BFM_T_UAR },
	{ "c_eqn_or_apu_element", BFM_T_EQ },
	{ "eq_number", BFM_T_EQ },
	{ "cqn", BFM_T_CQ },
	{ "cqn_snd", BFM_T_CQ },
	{ "cqn_rcv", BFM_T_CQ },
	{ "qpn", BFM_T_QP },
	{ "remote_qpn", BFM_T_QP },
	{ "srqn", BFM_T_SRQ },
	{ "rmpn", BFM_T_RMP },
	{ "mkey_index", BFM_T_MKEY },
	{ "counter_set_id", BFM_T_COUNTER },
	{ "xrcd", BFM_T_XRCD },
};

/* Fields that are neither, and what most clients say. */
static const struct {
	const char *name;
	uint64_t value;
} plain_fields[] = {
	{ "num_of_mtt", 1 },
	{ "port_num", 1 },
	{ "lr", 1 },
	{ "pri_fl", 1 },
	{ "pri_vhca_port_num", 1 },
	{ "port", 1 },
	{ "current_issi", 1 },
	{ "rmp_state", 1 },
	{ "mtu", 3 },
	{ "log_wq_stride", 4 },
	{ "dbr_addr", DATA_ADDR + BFM_PAGE_SIZE + 64 },
};

/* What a field of a command is by default; found by name, once. */
struct usual_field {
	uint32_t bit; /* of the command */
	uint16_t width;
	bool object;
	bool ecpf;
	uint64_t value; /* or the type of the object */
};

static struct {
	struct usual_field fields[MAX_USUAL];
	uint32_t nb;
} usuals[MAX_CMDS];

static bool
usual_find(const struct bfm_cmd_desc *desc, const char *name, struct usual_field *u)
{
	size_t i;

	u->ecpf = strcmp(name, "embedded_cpu_function") == 0;
	if (u->ecpf)
		return true;
	if (strcmp(name, "qpn") == 0 && desc->opcode == 0x200) { /* CREATE_MKEY: of all QPs */
		u->value = 0xffffff;
		return true;
	}
	for (i = 0; i < sizeof(plain_fields) / sizeof(plain_fields[0]); i++)
		if (strcmp(name, plain_fields[i].name) == 0) {
			u->value = plain_fields[i].value;
			return true;
		}
	u->object = true;
	if (strcmp(name, "number") == 0) {
		u->value = number_type(desc->opcode);
		return true;
	}
	for (i = 0; i < sizeof(object_fields) / sizeof(object_fields[0]); i++)
		if (strcmp(name, object_fields[i].name) == 0) {
			u->value = object_fields[i].type;
			return true;
		}
	return false;
}

static void
usual_init(uint32_t cmd, const struct bfm_layout *l, uint32_t off)
{
	struct usual_field u;
	uint32_t i;

	for (i = 0; l != NULL && i < l->nb_fields; i++) {
		memset(&u, 0, sizeof(u));
		if (l->fields[i].width > 64 || usuals[cmd].nb == MAX_USUAL ||
				!usual_find(cmds[cmd], l->fields[i].name, &u))
			continue;
		u.bit = 8 * off + l->fields[i].bit;
		u.width = l->fields[i].width;
		usuals[cmd].fields[usuals[cmd].nb++] = u;
	}
}

void
fuzz_model_init(struct fuzz_model *m)
{
	/* to see what an input does */
	const char *log = getenv("FUZZ_MODEL_LOG");
	uint32_t opcode;

	for (opcode = 0; opcode <= UINT16_MAX && nb_cmds < MAX_CMDS; opcode++) {
		cmds[nb_cmds] = bfm_cmd_find(opcode);
		if (cmds[nb_cmds] == NULL)
			continue;
		usual_init(nb_cmds, cmds[nb_cmds]->in, 0);
		usual_init(nb_cmds, cmds[nb_cmds]->ctx, cmds[nb_cmds]->ctx_off);
		nb_cmds++;
	}
	m->null = fopen("/dev/null", "we");
	if (m->null == NULL || bfm_log_open(log != NULL ? log : "/dev/null", BFM_WARN) != 0)
		abort();
}

static void
set_u64(struct command *c, uint32_t off, uint64_t value)
{
	if (off + 8 > MAX_BYTES)
		return;
	put64(c->in + off, value);
	if (c->in_len < off + 8)
		c->in_len = off + 8;
}

/* A command with its usual fields and nb addresses behind them. */
static void
usual(struct fuzz_model *m, uint32_t cmd, uint32_t nb, struct command *c)
{
	const struct bfm_cmd_desc *desc = cmds[cmd];
	const struct usual_field *u = usuals[cmd].fields;
	uint32_t tail = desc->in != NULL ? desc->in->size : desc->in_min;
	uint64_t addr;
	uint32_t i;

	memset(c, 0, sizeof(*c));
	c->in_len = desc->in_min;
	c->out_len = desc->out_min > INLINE_SIZE ? desc->out_min : INLINE_SIZE;
	for (i = 0; i < usuals[cmd].nb; i++, u++)
		bfm_bits_set(c->in, u->bit, u->width, u->object ? m->ids[u->value] :
				u->ecpf ? m->f->conf.kind == BFM_ECPF : u->value);
	for (i = 0; i < nb; i++) {
		addr = DATA_ADDR + (2 + i) * BFM_PAGE_SIZE;
		if (desc->opcode == 0x108) /* a page of firmware is given once */
			addr = DATA_ADDR + BFM_PAGE_SIZE *
				(16 + m->next_page++ % (FUZZ_MEM_PAGES - FUZZ_PAGE_FREE - 16));
		else if (desc->opcode == 0xa08) /* with rights */
			addr |= 3;
		set_u64(c, tail + 8 * i, addr);
	}
	if (desc->opcode == 0x108) { /* MANAGE_PAGES: whose, how many */
		bfm_bits_set(c->in, 80, 16, m->f->conf.function_id);
		bfm_bits_set(c->in, 48, 16, 1);
		bfm_bits_set(c->in, 96, 32, nb);
	}
	if (desc->opcode == 0x109) { /* SET_HCA_CAP: what QUERY_HCA_CAP has said */
		tail = c->in_len > INLINE_SIZE ? c->in_len - INLINE_SIZE : 0;
		for (i = 0; i * BLOCK_DATA < tail && i < MAX_BLOCKS - 1; i++)
			memcpy(c->in + INLINE_SIZE + i * BLOCK_DATA, m->mem +
					FUZZ_PAGE_OUT * BFM_PAGE_SIZE + i * BLOCK_SIZE,
					BLOCK_DATA);
	}
	bfm_bits_set(c->in, 0, 16, desc->opcode);
}

/* nb_cmds if there is none. */
static uint32_t
cmd_index(uint16_t opcode)
{
	uint32_t i;

	for (i = 0; i < nb_cmds && cmds[i]->opcode != opcode; i++)
		;
	return i;
}

static void
run_usual(struct fuzz_model *m, uint16_t opcode, uint16_t op_mod, uint32_t nb)
{
	uint32_t cmd = cmd_index(opcode);
	struct command c;

	if (cmd == nb_cmds)
		return;
	usual(m, cmd, nb, &c);
	if (op_mod != 0)
		bfm_bits_set(c.in, 48, 16, op_mod);
	if (opcode == 0x301) { /* CREATE_EQ: commands, pages and ports, 64 entries */
		bfm_bits_set(c.in, 704, 64, 1u << 9 | 1u << 10 | 1u << 11);
		bfm_bits_set(c.in, INLINE_SIZE * 8 + 99, 5, 6);
	}
	submit(m, &c);
}

void
fuzz_model_run(struct fuzz_model *m, uint16_t opcode, uint32_t nb_pages,
		const struct fuzz_field *fields, uint32_t nb)
{
	uint32_t cmd = cmd_index(opcode), i;
	struct command c;

	if (cmd == nb_cmds)
		return;
	usual(m, cmd, nb_pages, &c);
	for (i = 0; i < nb; i++)
		bfm_bits_set(c.in, fields[i].bit, fields[i].width, fields[i].value);
	submit(m, &c);
}

void
fuzz_model_up(struct fuzz_model *m, unsigned int steps)
{
	static const struct {
		uint16_t opcode;
		uint16_t op_mod;
		uint32_t nb;
	} up[FUZZ_UP_OBJECTS] = {
		{ 0x104, 0, 0 }, { 0x10b, 0, 0 }, /* ENABLE_HCA SET_ISSI */
		{ 0x107, 1, 0 }, { 0x108, 1, FUZZ_BOOT_PAGES },
		{ 0x107, 2, 0 }, { 0x108, 1, FUZZ_INIT_PAGES },
		{ 0x102, 0, 0 }, /* INIT_HCA */
		{ 0x802, 0, 0 }, { 0x301, 0, 1 }, { 0x800, 0, 0 }, /* UAR EQ PD */
		{ 0x400, 0, 1 }, { 0x200, 0, 0 }, { 0xa08, 0, 1 }, /* CQ MKEY UMEM */
		{ 0x500, 0, 1 }, /* QP */
	};
	unsigned int i;

	m->overlap = false;
	fuzz_model_write32(m, REG_CMDQ_ADDR_H, 0);
	fuzz_model_write32(m, REG_CMDQ_ADDR_L, FUZZ_MEM_ADDR + FUZZ_PAGE_QUEUE * BFM_PAGE_SIZE);
	for (i = 0; i < steps && i < FUZZ_UP_OBJECTS; i++)
		run_usual(m, up[i].opcode, up[i].op_mod, up[i].nb);
	if (steps >= FUZZ_UP_OBJECTS) /* events interrupt from now on */
		fuzz_model_write32(m, m->ids[BFM_T_UAR] * BFM_PAGE_SIZE + UAR_EQ_ARM,
				m->ids[BFM_T_EQ] << 24);
}

/* ----------------------------------------------------------- of the input */

uint64_t
fuzz_model_addr(struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);

	if (what < 0xc0)
		return FUZZ_MEM_ADDR + what % FUZZ_MEM_PAGES * BFM_PAGE_SIZE;
	switch (what & 0xf) {
	case 0:
		return 0;
	case 1:
		return UINT64_MAX;
	case 2:
		return UINT64_MAX << 12;
	case 3:
		return FUZZ_MEM_ADDR + FUZZ_MEM_SIZE - 1;
	case 4:
		return 2 * FUZZ_MEM_ADDR; /* what a target may map besides */
	case 5:
		return 2 * FUZZ_MEM_ADDR + BFM_PAGE_SIZE;
	case 6:
		return (uint64_t)fuzz_u32(in) << 32;
	default:
		return FUZZ_MEM_ADDR + fuzz_u32(in) % (2 * FUZZ_MEM_SIZE);
	}
}

/* Two bytes, the first of them is the upper one. */
static uint16_t
big_u16(struct fuzz_in *in)
{
	uint16_t value = fuzz_u8(in) << 8;

	return value | fuzz_u8(in);
}

static uint64_t
field_value(const struct fuzz_model *m, struct fuzz_in *in)
{
	uint8_t value = fuzz_u8(in);

	if (value < 0xc0)
		return value;
	switch (value & 0xf) {
	case 0:
		return UINT64_MAX;
	case 1:
		return fuzz_model_addr(in);
	case 2:
		return UINT64_C(1) << fuzz_u8(in) % 64;
	case 3:
	case 4:
		return m->ids[fuzz_u8(in) % BFM_NB_TYPES];
	case 5:
		return big_u16(in);
	default:
		return (uint64_t)fuzz_u32(in) << (value & 0x20);
	}
}

/* One field, of the fixed part or of the context. */
static void
change_field(struct fuzz_model *m, const struct bfm_cmd_desc *desc, struct command *c,
		struct fuzz_in *in)
{
	uint32_t nb = desc->in != NULL ? desc->in->nb_fields : 0;
	uint32_t nb_ctx = desc->ctx != NULL ? desc->ctx->nb_fields : 0;
	uint32_t i = fuzz_u8(in);
	const struct bfm_field *field;
	uint8_t *p = c->in;

	if (nb + nb_ctx == 0)
		return;
	i %= nb + nb_ctx;
	if (i >= nb) {
		p += desc->ctx_off;
		field = &desc->ctx->fields[i - nb];
	} else {
		field = &desc->in->fields[i];
	}
	if (field->width <= 64) {
		bfm_bits_set(p, field->bit, field->width, field_value(m, in));
		return;
	}
	p += field->bit / 8;
	p += fuzz_u8(in) % (field->width / 8);
	*p = fuzz_u8(in);
}

static void
change_length(uint32_t *len, struct fuzz_in *in)
{
	uint8_t what = fuzz_u8(in);

	if (what < 0x40)
		*len += what;
	else if (what < 0x80)
		*len -= what & 0x3f;
	else if (what < 0xc0)
		*len += 8u * fuzz_u8(in);
	else
		*len = fuzz_u32(in) >> (what & 31);
}

void
fuzz_model_command(struct fuzz_model *m, struct fuzz_in *in)
{
	/* an opcode stays what it is when the model gets more commands */
	uint16_t opcode = big_u16(in);
	const struct bfm_cmd_desc *desc;
	uint8_t how, more = 0, i;
	uint32_t cmd;
	const uint8_t *bytes;
	struct command c;
	size_t n;

	cmd = cmd_index(opcode);
	if (cmd == nb_cmds)
		cmd = opcode % nb_cmds;
	desc = cmds[cmd];
	how = fuzz_u8(in);
	usual(m, cmd, how >> 3 & 0xf, &c);
	for (i = 0; i < (how & 7); i++)
		change_field(m, desc, &c, in);
	if (how & 0x80)
		more = fuzz_u8(in);
	m->overlap = (more & 1) != 0;
	if (more & 1)
		c.slot = fuzz_u8(in) % 32;
	if (more & 2)
		bfm_bits_set(c.in, 48, 16, fuzz_u8(in)); /* op_mod */
	if (more & 4)
		c.in_shape = (enum shape)(fuzz_u8(in) % SHAPE_NB);
	if (more & 8)
		c.out_shape = (enum shape)(fuzz_u8(in) % SHAPE_NB);
	if (more & 0x10)
		change_length(&c.in_len, in);
	if (more & 0x20)
		change_length(&c.out_len, in);
	if (more & 0x40) { /* the tail */
		i = fuzz_u8(in);
		set_u64(&c, (desc->in != NULL ? desc->in->size : INLINE_SIZE) + 8 * (i & 31),
				fuzz_model_addr(in) | i >> 5);
	}
	if (more & 0x80) {
		i = fuzz_u8(in);
		n = fuzz_bytes(in, &bytes, i & 31);
		memcpy(c.in + 8 + (i >> 5) * 8 * sizeof(uint64_t), bytes, n);
	}
	submit(m, &c);
}

void
fuzz_model_entry(struct fuzz_model *m, struct fuzz_in *in)
{
	uint8_t slot = fuzz_u8(in) % 32;
	uint8_t *entry = m->mem + FUZZ_PAGE_QUEUE * BFM_PAGE_SIZE + slot * ENTRY_SIZE;
	const uint8_t *bytes;
	size_t n = fuzz_bytes(in, &bytes, ENTRY_SIZE);

	memcpy(entry, bytes, n);
	fuzz_model_write32(m, REG_CMD_DOORBELL, 1u << slot);
}

void
fuzz_model_ring(struct fuzz_model *m, struct fuzz_in *in)
{
	uint64_t page = (uint64_t)m->ids[BFM_T_UAR] * BFM_PAGE_SIZE;
	uint8_t what = fuzz_u8(in), value = fuzz_u8(in);
	uint8_t bytes[8];

	switch (what % 4) {
	case 0:
	case 1: /* what was read so far */
		fuzz_model_write32(m, page + (what % 4 == 0 ? UAR_EQ_ARM : UAR_EQ_UPDATE),
				m->ids[BFM_T_EQ] << 24 | value);
		break;
	case 2:
		put32(bytes, (uint32_t)what >> 2 << 24 | value);
		put32(bytes + 4, m->ids[BFM_T_CQ]);
		m->write(m, page + UAR_CQ_ARM, bytes, sizeof(bytes));
		break;
	default:
		put32(bytes, (uint32_t)value << 8 | what >> 2);
		put32(bytes + 4, m->ids[BFM_T_QP] << 8);
		m->write(m, page + UAR_BF, bytes, sizeof(bytes));
		break;
	}
}

uint64_t
fuzz_model_reg(struct fuzz_model *m, struct fuzz_in *in)
{
	static const uint16_t regs[] = {
		0x000, 0x004, 0x010, 0x014, 0x018, 0x1fc, 0x200, 0x23c, 0x240, 0xff8, 0xffc,
		0x1000, 0x1004, 0x1010, 0x1040, 0x2000, 0x2ffe, 0x3000,
	};
	static const uint16_t uar_regs[] = { 0x20, 0x24, 0x40, 0x48, 0x800, 0x804, 0x900, 0xffc };
	uint8_t what = fuzz_u8(in);

	if (what < 0x80)
		return regs[what % (sizeof(regs) / sizeof(regs[0]))];
	if (what < 0xe0)
		return (uint64_t)m->ids[BFM_T_UAR] * BFM_PAGE_SIZE +
			uar_regs[what % (sizeof(uar_regs) / sizeof(uar_regs[0]))];
	if (what < 0xf0)
		return fuzz_u32(in) % BFM_BAR0_SIZE;
	return regs[what % (sizeof(regs) / sizeof(regs[0]))] + fuzz_u8(in) % 8;
}

void
fuzz_model_fault(struct fuzz_model *m, struct fuzz_in *in)
{
	char text[512], err[128];
	struct bfm_conf conf;
	const uint8_t *bytes;
	uint8_t len = fuzz_u8(in);
	size_t n;

	n = fuzz_bytes(in, &bytes, len);
	memcpy(text, bytes, n);
	text[n] = '\0';
	/* a line of the control socket, or a --function */
	if (len % 8 == 7)
		(void)bfm_conf_parse(text, &conf, err, sizeof(err));
	else
		(void)bfm_fault_parse(m->f, text, err, sizeof(err));
}

void
fuzz_model_dump(struct fuzz_model *m)
{
	bfm_cmdq_dump(m->f, m->null);
	bfm_pages_dump(m->f, m->null);
	bfm_objects_dump(m->f, m->null);
	bfm_vport_dump(m->f, m->null);
	bfm_caps_dump(m->f, m->null);
	bfm_faults_dump(m->f, m->null);
}

/* -------------------------------------------------------------- invariants */

void
fuzz_model_check(struct fuzz_model *m)
{
	if (bfm_objects_count(m->f, BFM_NB_TYPES) != 0)
		fuzz_model_fail(m, "objects outlive a reset");
	if (bfm_pages_given(m->f) != 0)
		fuzz_model_fail(m, "firmware keeps pages over a reset");
	if (bfm_cmdq_busy(m->f) != 0)
		fuzz_model_fail(m, "commands outlive a reset");
	if (m->f->hca != BFM_HCA_DISABLED)
		fuzz_model_fail(m, "the HCA is enabled after a reset");
}

void
fuzz_model_heal(struct fuzz_model *m)
{
	char err[128];

	/* a second one resets with the capabilities that the first has put back */
	if (bfm_fault_parse(m->f, "clear", err, sizeof(err)) != 0)
		fuzz_model_fail(m, err);
	/* a function's reset is no remedy for firmware of the card: this is its power */
	memset(&m->model.card, 0, sizeof(m->model.card));
	bfm_function_reset(m->f);
	fuzz_model_check(m);
	fuzz_model_wait(m, 1000000);
}

void
fuzz_model_serve(struct fuzz_model *m)
{
	unsigned int i;

	fuzz_model_clear(m);
	fuzz_model_up(m, FUZZ_UP_OBJECTS);
	if (m->f->hca != BFM_HCA_INITIALISED)
		fuzz_model_fail(m, "a client without mistakes is not served");
	/* the owner of a VF's pages gives more for its objects */
	if (bfm_pages_given(m->f) < FUZZ_BOOT_PAGES + FUZZ_INIT_PAGES ||
			(m->f->conf.kind != BFM_VF &&
			bfm_pages_given(m->f) != FUZZ_BOOT_PAGES + FUZZ_INIT_PAGES))
		fuzz_model_fail(m, "pages of a client without mistakes are not taken");
	if (bfm_objects_count(m->f, BFM_T_QP) != 1)
		fuzz_model_fail(m, "a client without mistakes gets no QP");
	/* firmware looks at its pages now and then */
	for (i = 0; i < SERVE_TICKS; i++)
		fuzz_model_wait(m, SERVE_TICK_MS);
	if (bfm_iseg_no_commands(m->f) != NULL)
		fuzz_model_fail(m, "a client without mistakes does not live on");
}
