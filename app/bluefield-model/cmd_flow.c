/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands of flow tables, which lead frames that come to RQs: tables, groups of the
 * entries that look at the same headers, and entries. The way of a frame is in
 * eth_receive.c.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "eth.h"

BFM_LAYOUT(bfm_lay_ft_root_in, "set_flow_table_root_in", FLOW_CMD_BYTES, FT_ROOT_IN_FIELDS);
BFM_LAYOUT(bfm_lay_ft_create_in, "create_flow_table_in", FLOW_CMD_BYTES, FT_CREATE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_ft_modify_in, "modify_flow_table_in", FLOW_CMD_BYTES, FT_MODIFY_IN_FIELDS);
BFM_LAYOUT(bfm_lay_flow_sel_in, "flow_table_in", FLOW_CMD_BYTES, FLOW_SEL_IN_FIELDS);
BFM_LAYOUT(bfm_lay_fg_create_in, "create_flow_group_in", FG_CREATE_IN_BYTES, FG_CREATE_IN_FIELDS);
BFM_LAYOUT(bfm_lay_fg_sel_in, "flow_group_in", FLOW_CMD_BYTES, FG_SEL_IN_FIELDS);
BFM_LAYOUT(bfm_lay_fte_sel_in, "delete_fte_in", FLOW_CMD_BYTES, FTE_SEL_IN_FIELDS);
BFM_LAYOUT(bfm_lay_fte_set_in, "set_fte_in", FTE_SET_IN_BYTES + FTE_DEST_BYTES * FTE_MAX_DESTS,
		FTE_SET_IN_FIELDS);
BFM_LAYOUT(bfm_lay_flow_match, "fte_match_set_lyr_2_4", FLOW_MATCH_BYTES, FLOW_MATCH_FIELDS);
BFM_LAYOUT(bfm_lay_flow_number_out, "number_out", 16, ETH_NUMBER_OUT_FIELDS);

#define NUMBER_FIRST 1u
#define LOG_MAX 24u /* of sizes and numbers, whatever a fault makes of capabilities */
#define TYPE_NIC_RX 0u
#define MISS_DEFAULT 0u
#define MISS_FORWARD 1u
#define ROOT_CONNECT 0u
#define ROOT_DISCONNECT 1u
#define SELECT_MISS 1u
#define MATCH_OUTER 1u
#define ACTION_DROP 2u
#define ACTION_FORWARD 4u
#define DEST_TABLE 1u
#define DEST_TIR 2u
#define MAX_ENTRIES 65536u /* of a function: ours */
#define FTE_CHANGE 1u
#define FTE_SELECT 7u /* action, tag, destinations */

#define FLOW_CAP(f, name) \
	bfm_cap_of((f), CAP_FLOW, FLOW_CAP_##name##_BIT, FLOW_CAP_##name##_WIDTH)

static uint64_t
number_limit(uint64_t log)
{
	return NUMBER_FIRST + (UINT64_C(1) << (log < LOG_MAX ? log : LOG_MAX));
}

/* The vport, type and table that commands begin with; create: it names no table yet. */
static enum bfm_status
table_find(struct bfm_cmd *c, bool create, struct bfm_flow_table **t)
{
	struct bfm_object *o = NULL;
	enum bfm_status status = BFM_OK;

	*t = NULL;
	if (BFM_CAP(c->f, nic_flow_table) == 0)
		return bfm_fail(c, BFM_BAD_OP, "this needs capability nic_flow_table, which is 0");
	if (BFM_GET(c->in, FLOW_SEL_IN, other_vport) != 0 ||
			BFM_GET(c->in, FLOW_SEL_IN, vport_number) != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"tables of other vports are for who manages the switch");
	if (BFM_GET(c->in, FLOW_SEL_IN, table_type) != TYPE_NIC_RX)
		return bfm_fail(c, BFM_BAD_PARAM, "table_type=%" PRIu64 ": only 0 (what comes) exists",
				BFM_GET(c->in, FLOW_SEL_IN, table_type));
	if (!create)
		status = bfm_queue_find(c, BFM_T_FLOW_TABLE, BFM_GET(c->in, FLOW_SEL_IN, table_id),
				&o);
	*t = (struct bfm_flow_table *)o;
	return status;
}

/* ------------------------------------------------------------- tables */

static void
entry_free(struct bfm_function *f, struct bfm_flow_table *t, struct bfm_flow_entry *e)
{
	f->nb_flow_entries--;
	while (e->nb_dests != 0)
		bfm_object_unref(e->dests[--e->nb_dests]);
	e->group->nb_entries--;
	TAILQ_REMOVE(&t->entries, e, next);
	free(e);
}

static void
table_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_flow_table *t = (struct bfm_flow_table *)o;

	if (f->rx_root == o)
		f->rx_root = NULL;
	if (t->miss != NULL)
		bfm_object_unref(t->miss);
	free(t);
}

static void
table_print(const struct bfm_object *o, FILE *out)
{
	const struct bfm_flow_table *t = (const struct bfm_flow_table *)o;
	const struct bfm_flow_entry *e;
	uint32_t i;

	fprintf(out, "level=%u entries=%u", t->level, 1u << t->log_size);
	if (t->miss != NULL)
		fprintf(out, " miss=0x%x", t->miss->id);
	TAILQ_FOREACH(e, &t->entries, next) {
		fprintf(out, "\n    %u: group 0x%x frames=%" PRIu64 "%s", e->index,
				e->group->obj.id, e->frames, e->drop ? " drop" : "");
		for (i = 0; i < e->nb_dests; i++)
			fprintf(out, " %s 0x%x", bfm_type_name(e->dests[i]->type),
					e->dests[i]->id);
	}
}

/* The table that takes what no entry of t does; NULL if there is none. */
static enum bfm_status
miss_find(struct bfm_cmd *c, const struct bfm_flow_table *t, struct bfm_object **miss)
{
	uint32_t action = BFM_GET(c->in, FT_CREATE_IN, table_miss_action);
	uint32_t id = BFM_GET(c->in, FT_CREATE_IN, table_miss_id);
	enum bfm_status status;

	*miss = NULL;
	if (action > MISS_FORWARD || (action == MISS_DEFAULT && id != 0))
		return bfm_fail(c, BFM_BAD_PARAM, "table_miss_action=%u with table_miss_id=0x%x: 0"
				" (none) and 1 (to a table) exist", action, id);
	if (action == MISS_DEFAULT)
		return BFM_OK;
	status = bfm_queue_find(c, BFM_T_FLOW_TABLE, id, miss);
	if (status == BFM_OK && ((struct bfm_flow_table *)*miss)->level <= t->level)
		status = bfm_fail(c, BFM_BAD_PARAM,
				"table_miss_id=0x%x is of level %u, which is not behind level %u",
				id, ((struct bfm_flow_table *)*miss)->level, t->level);
	return status;
}

static enum bfm_status
table_open(struct bfm_cmd *c, struct bfm_flow_table *t)
{
	uint64_t level = BFM_GET(c->in, FT_CREATE_IN, level);
	uint64_t log_size = BFM_GET(c->in, FT_CREATE_IN, log_size);
	enum bfm_status status;

	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u: only 0 exists", c->op_mod);
	if (BFM_GET(c->in, FT_CREATE_IN, reformat_en) != 0 ||
			BFM_GET(c->in, FT_CREATE_IN, decap_en) != 0 ||
			BFM_GET(c->in, FT_CREATE_IN, termination_table) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "reformat_en, decap_en and termination_table need"
				" capabilities that are 0");
	if (level > FLOW_CAP(c->f, max_ft_level) || log_size > FLOW_CAP(c->f, log_max_ft_size) ||
			log_size > LOG_MAX)
		return bfm_fail(c, BFM_BAD_PARAM, "level=%" PRIu64 " log_size=%" PRIu64 ": up to %"
				PRIu64 " and %" PRIu64 " exist", level, log_size,
				FLOW_CAP(c->f, max_ft_level), FLOW_CAP(c->f, log_max_ft_size));
	t->level = (uint8_t)level;
	t->log_size = (uint8_t)log_size;
	status = miss_find(c, t, &t->miss);
	if (status != BFM_OK)
		t->miss = NULL;
	if (t->miss != NULL)
		bfm_object_ref(t->miss);
	return status;
}

static enum bfm_status
create_flow_table(struct bfm_cmd *c)
{
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, true, &t);

	if (status != BFM_OK)
		return status;
	t = calloc(1, sizeof(*t));
	if (t == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	t->obj.free = table_free;
	t->obj.print = table_print;
	TAILQ_INIT(&t->entries);
	status = table_open(c, t);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &t->obj, BFM_T_FLOW_TABLE, NUMBER_FIRST,
				number_limit(FLOW_CAP(c->f, log_max_ft_num)));
	if (status != BFM_OK) {
		table_free(c->f, &t->obj);
		return status;
	}
	BFM_SET(c->out, ETH_NUMBER_OUT, number, t->obj.id);
	return BFM_OK;
}

static enum bfm_status
modify_flow_table(struct bfm_cmd *c)
{
	struct bfm_object *miss = NULL;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	if (status != BFM_OK)
		return status;
	if (BFM_GET(c->in, FT_MODIFY_IN, modify_field_select) != SELECT_MISS)
		return bfm_fail(c, BFM_BAD_PARAM,
				"modify_field_select=0x%" PRIx64 ": only 1 (miss table) exists",
				BFM_GET(c->in, FT_MODIFY_IN, modify_field_select));
	status = miss_find(c, t, &miss);
	if (status != BFM_OK)
		return status;
	if (miss != NULL)
		bfm_object_ref(miss);
	if (t->miss != NULL)
		bfm_object_unref(t->miss);
	t->miss = miss;
	return BFM_OK;
}

static enum bfm_status
destroy_flow_table(struct bfm_cmd *c)
{
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	return status != BFM_OK ? status : bfm_object_remove(c, BFM_T_FLOW_TABLE, t->obj.id);
}

/* It is not held by being the root: clients destroy it as it is. */
static enum bfm_status
set_flow_table_root(struct bfm_cmd *c)
{
	bool disconnect = c->op_mod == ROOT_DISCONNECT;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, disconnect, &t);

	if (status != BFM_OK)
		return status;
	if (c->op_mod > ROOT_DISCONNECT || BFM_GET(c->in, FT_ROOT_IN, underlay_qpn) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u with underlay_qpn=0x%" PRIx64 ": 0 and 1"
				" exist, without a queue pair", c->op_mod,
				BFM_GET(c->in, FT_ROOT_IN, underlay_qpn));
	c->f->rx_root = disconnect ? NULL : &t->obj;
	return BFM_OK;
}

/* ------------------------------------------------------------- groups */

static void
group_free(struct bfm_function *f, struct bfm_object *o)
{
	struct bfm_flow_group *g = (struct bfm_flow_group *)o;
	struct bfm_flow_entry *e, *after;

	/* at a reset; a command finds none */
	for (e = TAILQ_FIRST(&g->table->entries); e != NULL; e = after) {
		after = TAILQ_NEXT(e, next);
		if (e->group == g)
			entry_free(f, g->table, e);
	}
	bfm_object_unref(&g->table->obj);
	free(g);
}

/* The part of a match that the device knows; all else is to be 0. */
static enum bfm_status
criteria_take(struct bfm_cmd *c, uint8_t criteria[FLOW_MATCH_BYTES])
{
	static const uint8_t none[FLOW_PARAM_BYTES];
	const uint8_t *p = c->in + FG_CRITERIA;
	uint32_t enable = BFM_GET(c->in, FG_CREATE_IN, match_criteria_enable);
	int bit;

	if ((enable & ~MATCH_OUTER) != 0 || memcmp(p + FLOW_MATCH_BYTES, none, FLOW_PARAM_BYTES -
			FLOW_MATCH_BYTES) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "match_criteria_enable=0x%x: only 1 (outer headers)"
				" exists, and only those are matched", enable);
	if (enable == 0 && memcmp(p, none, FLOW_MATCH_BYTES) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "match_criteria of outer headers without"
				" match_criteria_enable");
	bit = bfm_reserved_set(&bfm_lay_flow_match, p, FLOW_MATCH_BYTES);
	if (bit >= 0)
		return bfm_fail(c, BFM_BAD_PARAM, "match_criteria: bit %d is of no header", bit);
	memcpy(criteria, p, FLOW_MATCH_BYTES);
	return BFM_OK;
}

static bool
group_overlaps(struct bfm_object *o, const void *arg)
{
	const struct bfm_flow_group *g = (const struct bfm_flow_group *)o, *n = arg;

	return g->table == n->table && g->start <= n->end && n->start <= g->end;
}

static enum bfm_status
group_open(struct bfm_cmd *c, struct bfm_flow_table *t, struct bfm_flow_group *g)
{
	g->table = t;
	g->start = BFM_GET(c->in, FG_CREATE_IN, start_flow_index);
	g->end = BFM_GET(c->in, FG_CREATE_IN, end_flow_index);
	if (BFM_GET(c->in, FG_CREATE_IN, group_type) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "group_type=%" PRIu64 ": only 0 exists",
				BFM_GET(c->in, FG_CREATE_IN, group_type));
	if (g->start > g->end || g->end >> t->log_size != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "flow indices %u to %u: the table has %u entries",
				g->start, g->end, 1u << t->log_size);
	if (bfm_object_any(c->f, BFM_T_FLOW_GROUP, group_overlaps, g))
		return bfm_fail(c, BFM_BAD_PARAM, "flow indices %u to %u: another group of the"
				" table has some of them", g->start, g->end);
	return criteria_take(c, g->criteria);
}

static enum bfm_status
create_flow_group(struct bfm_cmd *c)
{
	struct bfm_flow_group *g = NULL;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	if (status != BFM_OK)
		return status;
	g = calloc(1, sizeof(*g));
	if (g == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	g->obj.free = group_free;
	status = group_open(c, t, g);
	if (status == BFM_OK)
		status = bfm_queue_add(c, &g->obj, BFM_T_FLOW_GROUP, NUMBER_FIRST,
				number_limit(FLOW_CAP(c->f, log_max_flow)));
	if (status != BFM_OK) {
		free(g);
		return status;
	}
	bfm_object_ref(&t->obj);
	BFM_SET(c->out, ETH_NUMBER_OUT, number, g->obj.id);
	return BFM_OK;
}

/* The group of a table, by its number. */
static enum bfm_status
group_find(struct bfm_cmd *c, const struct bfm_flow_table *t, uint32_t id,
		struct bfm_flow_group **g)
{
	struct bfm_object *o;
	enum bfm_status status = bfm_queue_find(c, BFM_T_FLOW_GROUP, id, &o);

	if (status != BFM_OK)
		return status;
	*g = (struct bfm_flow_group *)o;
	if ((*g)->table != t)
		return bfm_fail(c, BFM_BAD_RESOURCE, "flow group 0x%x is of table 0x%x", id,
				(*g)->table->obj.id);
	return BFM_OK;
}

static enum bfm_status
destroy_flow_group(struct bfm_cmd *c)
{
	struct bfm_flow_group *g = NULL;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	if (status == BFM_OK)
		status = group_find(c, t, BFM_GET(c->in, FG_SEL_IN, group_id), &g);
	if (status == BFM_OK && g->nb_entries != 0)
		status = bfm_fail(c, BFM_RES_STATE, "flow group 0x%x has %u entries: delete them"
				" first", g->obj.id, g->nb_entries);
	return status != BFM_OK ? status : bfm_object_remove(c, BFM_T_FLOW_GROUP, g->obj.id);
}

/* ------------------------------------------------------------- entries */

/* The entry of that index, or the one that it would be before. */
static struct bfm_flow_entry *
entry_at(const struct bfm_flow_table *t, uint32_t index)
{
	struct bfm_flow_entry *e;

	TAILQ_FOREACH(e, &t->entries, next) {
		if (e->index >= index)
			break;
	}
	return e;
}

/* Destinations of the command, not referenced yet. */
static enum bfm_status
dests_find(struct bfm_cmd *c, const struct bfm_flow_table *t, struct bfm_object **dests,
		uint32_t nb)
{
	const uint8_t *p = c->in + FTE_SET_IN_BYTES;
	uint32_t i, type, nb_tirs = 0;
	enum bfm_status status;

	for (i = 0; i < nb; i++, p += FTE_DEST_BYTES) {
		type = (uint32_t)bfm_bits_get(p, 0, 8);
		if ((type != DEST_TABLE && type != DEST_TIR) || bfm_bits_get(p, 32, 32) != 0)
			return bfm_fail(c, BFM_BAD_PARAM,
					"destination_type=%u: 1 (table) and 2 (TIR) exist, of the"
					" function itself", type);
		status = bfm_queue_find(c, type == DEST_TIR ? BFM_T_TIR : BFM_T_FLOW_TABLE,
				(uint32_t)bfm_bits_get(p, 8, 24), &dests[i]);
		if (status != BFM_OK)
			return status;
		if (type == DEST_TIR && nb_tirs++ != 0)
			return bfm_fail(c, BFM_BAD_PARAM, "a second TIR: capability "
					"nic_rx_multi_path_tirs is 0");
		if (type == DEST_TABLE && ((struct bfm_flow_table *)dests[i])->level <= t->level)
			return bfm_fail(c, BFM_BAD_PARAM, "destination table 0x%x is of level %u,"
					" which is not behind level %u", dests[i]->id,
					((struct bfm_flow_table *)dests[i])->level, t->level);
	}
	return BFM_OK;
}

static enum bfm_status
action_check(struct bfm_cmd *c)
{
	uint32_t action = BFM_GET(c->in, FTE_SET_IN, action);
	uint32_t nb = BFM_GET(c->in, FTE_SET_IN, destination_list_size);

	if (BFM_GET(c->in, FTE_SET_IN, ignore_flow_level) != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "ignore_flow_level: this capability is 0");
	if (action != ACTION_DROP && action != ACTION_FORWARD)
		return bfm_fail(c, BFM_BAD_PARAM, "action=0x%x: 2 (drop) and 4 (forward) exist",
				action);
	if ((action == ACTION_FORWARD) != (nb != 0) || nb > FTE_MAX_DESTS)
		return bfm_fail(c, BFM_BAD_PARAM, "destination_list_size=%u with action 0x%x: up to"
				" %u exist, to forward", nb, action, FTE_MAX_DESTS);
	if (c->in_len < FTE_SET_IN_BYTES + nb * FTE_DEST_BYTES)
		return bfm_fail(c, BFM_BAD_IN_LEN,
				"destination_list_size=%u, but the input has %u bytes", nb,
				c->in_len);
	return BFM_OK;
}

static enum bfm_status
entry_new(struct bfm_cmd *c, struct bfm_flow_group *g, struct bfm_flow_entry *before,
		struct bfm_flow_entry **e)
{
	if (c->f->nb_flow_entries == MAX_ENTRIES)
		return bfm_fail(c, BFM_LIMIT, "a function of the model has %u entries at most",
				MAX_ENTRIES);
	*e = calloc(1, sizeof(**e));
	if (*e == NULL)
		return bfm_fail(c, BFM_NO_RESOURCES, "the model has no memory");
	(*e)->group = g;
	(*e)->index = BFM_GET(c->in, FTE_SET_IN, flow_index);
	memcpy((*e)->value, c->in + FTE_VALUE, FLOW_MATCH_BYTES);
	g->nb_entries++;
	c->f->nb_flow_entries++;
	if (before != NULL)
		TAILQ_INSERT_BEFORE(before, *e, next);
	else
		TAILQ_INSERT_TAIL(&g->table->entries, *e, next);
	return BFM_OK;
}

/* What the command says of an entry that is there, or that is new. */
static void
entry_fill(struct bfm_cmd *c, struct bfm_flow_entry *e, struct bfm_object **dests, uint32_t nb)
{
	uint32_t i;

	for (i = 0; i < nb; i++)
		bfm_object_ref(dests[i]);
	while (e->nb_dests != 0)
		bfm_object_unref(e->dests[--e->nb_dests]);
	memcpy(e->dests, dests, nb * sizeof(dests[0]));
	e->nb_dests = nb;
	e->drop = BFM_GET(c->in, FTE_SET_IN, action) == ACTION_DROP;
	e->tag = BFM_GET(c->in, FTE_SET_IN, flow_tag);
}

/* The entry that is changed, or a new one. */
static enum bfm_status
entry_open(struct bfm_cmd *c, struct bfm_flow_group *g, struct bfm_flow_entry **e)
{
	uint32_t index = BFM_GET(c->in, FTE_SET_IN, flow_index);
	uint32_t mask = BFM_GET(c->in, FTE_SET_IN, modify_enable_mask);
	struct bfm_flow_entry *at = entry_at(g->table, index);

	if (c->op_mod > FTE_CHANGE || (mask & ~FTE_SELECT) != 0 ||
			(c->op_mod == FTE_CHANGE) != (mask != 0))
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod=%u with modify_enable_mask=0x%x: 0 is a new"
				" entry, 1 changes action 1, tag 2 or destinations 4", c->op_mod,
				mask);
	*e = at != NULL && at->index == index ? at : NULL;
	if (index < g->start || index > g->end || (*e != NULL) != (c->op_mod == FTE_CHANGE) ||
			(*e != NULL && (*e)->group != g))
		return bfm_fail(c, BFM_BAD_INDEX, "flow_index=%u, which is%s there: group 0x%x has %u"
				" to %u", index, *e != NULL ? "" : " not", g->obj.id, g->start,
				g->end);
	return *e == NULL ? entry_new(c, g, at, e) : BFM_OK;
}

/* All of an entry is in the command, also of one that is changed. */
static enum bfm_status
set_fte(struct bfm_cmd *c)
{
	uint32_t nb = BFM_GET(c->in, FTE_SET_IN, destination_list_size);
	struct bfm_object *dests[FTE_MAX_DESTS] = { NULL };
	struct bfm_flow_group *g = NULL;
	struct bfm_flow_entry *e = NULL;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	if (status == BFM_OK)
		status = group_find(c, t, BFM_GET(c->in, FTE_SET_IN, group_id), &g);
	if (status == BFM_OK)
		status = action_check(c);
	if (status == BFM_OK)
		status = dests_find(c, t, dests, nb);
	if (status == BFM_OK)
		status = entry_open(c, g, &e);
	if (status == BFM_OK)
		entry_fill(c, e, dests, nb);
	return status;
}

static enum bfm_status
delete_fte(struct bfm_cmd *c)
{
	uint32_t index = BFM_GET(c->in, FTE_SEL_IN, flow_index);
	struct bfm_flow_entry *e;
	struct bfm_flow_table *t;
	enum bfm_status status = table_find(c, false, &t);

	if (status != BFM_OK)
		return status;
	e = entry_at(t, index);
	if (e == NULL || e->index != index)
		return bfm_fail(c, BFM_BAD_INDEX, "flow_index=%u: the table has no such entry",
				index);
	entry_free(c->f, t, e);
	return BFM_OK;
}

#define COMMAND(op, text, fn, layout, bytes) \
	{ .opcode = (op), .name = (text), .handler = (fn), .states = BFM_INIT, .in = &(layout), \
	  .out = &bfm_lay_flow_number_out, .in_min = (bytes), .out_min = 16 }

const struct bfm_cmd_desc bfm_cmds_flow[] = {
	COMMAND(0x92f, "SET_FLOW_TABLE_ROOT", set_flow_table_root, bfm_lay_ft_root_in,
		FLOW_CMD_BYTES),
	COMMAND(0x930, "CREATE_FLOW_TABLE", create_flow_table, bfm_lay_ft_create_in,
		FLOW_CMD_BYTES),
	COMMAND(0x931, "DESTROY_FLOW_TABLE", destroy_flow_table, bfm_lay_flow_sel_in,
		FLOW_CMD_BYTES),
	COMMAND(0x933, "CREATE_FLOW_GROUP", create_flow_group, bfm_lay_fg_create_in,
		FG_CREATE_IN_BYTES),
	COMMAND(0x934, "DESTROY_FLOW_GROUP", destroy_flow_group, bfm_lay_fg_sel_in,
		FLOW_CMD_BYTES),
	COMMAND(0x936, "SET_FLOW_TABLE_ENTRY", set_fte, bfm_lay_fte_set_in, FTE_SET_IN_BYTES),
	COMMAND(0x938, "DELETE_FLOW_TABLE_ENTRY", delete_fte, bfm_lay_fte_sel_in, FLOW_CMD_BYTES),
	COMMAND(0x93c, "MODIFY_FLOW_TABLE", modify_flow_table, bfm_lay_ft_modify_in,
		FLOW_CMD_BYTES),
	{ .name = NULL },
};
