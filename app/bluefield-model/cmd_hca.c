/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Commands that bring an HCA up and down, and what belongs to the whole device:
 * the adapter, the driver's name. Capabilities are in cmd_caps.c, pages in
 * cmd_pages.c, the registers of ACCESS_REG in cmd_reg.c.
 */

#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "layout_caps.h"
#include "layout_hca.h"

BFM_LAYOUT(bfm_lay_plain_in, "plain_in", PLAIN_IN_SIZE, PLAIN_IN_FIELDS);
BFM_LAYOUT(bfm_lay_function_in, "function_in", FUNCTION_IN_SIZE, FUNCTION_IN_FIELDS);
BFM_LAYOUT(bfm_lay_query_issi_out, "query_issi_out", QUERY_ISSI_OUT_SIZE, QUERY_ISSI_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_set_issi_in, "set_issi_in", SET_ISSI_IN_SIZE, SET_ISSI_IN_FIELDS);
BFM_LAYOUT(bfm_lay_init_hca_in, "init_hca_in", INIT_HCA_IN_SIZE, INIT_HCA_IN_FIELDS);
BFM_LAYOUT(bfm_lay_teardown_hca_in, "teardown_hca_in", TEARDOWN_HCA_IN_SIZE,
		TEARDOWN_HCA_IN_FIELDS);
BFM_LAYOUT(bfm_lay_teardown_hca_out, "teardown_hca_out", TEARDOWN_HCA_OUT_SIZE,
		TEARDOWN_HCA_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_query_adapter_out, "query_adapter_out", QUERY_ADAPTER_OUT_SIZE,
		QUERY_ADAPTER_OUT_FIELDS);
BFM_LAYOUT(bfm_lay_access_reg_in, "access_reg_in", ACCESS_REG_IN_SIZE, ACCESS_REG_IN_FIELDS);
BFM_LAYOUT(bfm_lay_set_driver_version_in, "set_driver_version_in", SET_DRIVER_VERSION_IN_SIZE,
		SET_DRIVER_VERSION_IN_FIELDS);

enum {
	TEARDOWN_GRACEFUL = 0,
	TEARDOWN_FORCE = 1,
	TEARDOWN_FAST = 2
};

#define SUPPORTED_ISSI 0x3u /* 0 and 1 */
#define VENDOR_OUI 0x0002c9u

static enum bfm_status
no_op_mod(struct bfm_cmd *c)
{
	if (c->op_mod != 0)
		return bfm_fail(c, BFM_BAD_PARAM, "op_mod is not 0");
	return BFM_OK;
}

/*
 * Up and down
 */

bool
bfm_hca_is_own(const struct bfm_function *f, const uint8_t *in)
{
	return BFM_GET(in, FUNCTION_IN, embedded_cpu_function) == (f->conf.kind == BFM_ECPF);
}

/* Which function a command means: the own one, or for a card function the host's PF. */
static enum bfm_status
which_function(struct bfm_cmd *c, bool *host)
{
	uint64_t id = BFM_GET(c->in, FUNCTION_IN, function_id);
	uint64_t ec = BFM_GET(c->in, FUNCTION_IN, embedded_cpu_function);
	bool ecpf = c->f->conf.kind == BFM_ECPF;

	*host = ecpf && ec == 0 && id == 0 && c->f->hca == BFM_HCA_INITIALISED;
	if (*host)
		return BFM_OK;
	if (ec != ecpf)
		return bfm_fail(c, BFM_BAD_PARAM,
				"embedded_cpu_function is %ju: it must be 1 on a function of the card's "
				"processor (bit 23 of 0x1fc), and 0 on all others",
				(uintmax_t)ec);
	if (id != 0)
		return bfm_fail(c, BFM_BAD_PARAM,
				"function %ju cannot be enabled from here: own is 0",
				(uintmax_t)id);
	return BFM_OK;
}

static enum bfm_status
enable_hca(struct bfm_cmd *c)
{
	struct bfm_function *f = c->f;
	enum bfm_status status;
	bool host;

	status = no_op_mod(c);
	if (status == BFM_OK)
		status = which_function(c, &host);
	if (status != BFM_OK)
		return status;
	if (host) {
		if (f->host_enabled)
			return bfm_fail(c, BFM_BAD_SYS_STATE, "the host's PF is enabled already");
		bfm_host_enable(f, true);
		return BFM_OK;
	}
	if (f->hca != BFM_HCA_DISABLED)
		return bfm_fail(c, BFM_BAD_SYS_STATE, "the HCA is enabled already");
	f->hca = BFM_HCA_ENABLED;
	bfm_log(f, BFM_INFO, "HCA enabled");
	return BFM_OK;
}

static enum bfm_status
disable_hca(struct bfm_cmd *c)
{
	struct bfm_function *f = c->f;
	enum bfm_status status;
	uint32_t held;
	bool host;

	status = no_op_mod(c);
	if (status == BFM_OK)
		status = which_function(c, &host);
	if (status != BFM_OK)
		return status;
	if (host) {
		if (!f->host_enabled)
			return bfm_fail(c, BFM_BAD_SYS_STATE, "the host's PF is not enabled");
		bfm_host_enable(f, false);
		return BFM_OK;
	}
	if (f->hca != BFM_HCA_ENABLED)
		return bfm_fail(c, BFM_BAD_SYS_STATE, "the HCA is initialised: tear it down first");
	bfm_supply_keep(f, 0);
	/* ours: a client that forgets its pages would free what firmware still has */
	held = (bfm_supplied(f) ? 0 : bfm_pages_given(f)) + bfm_supply_lent(f);
	if (held != 0)
		return bfm_fail(c, BFM_RES_STATE,
				"firmware still has %u pages of this client: take them back first",
				held);
	bfm_caps_reset(f);
	bfm_vport_reset(f);
	f->hca = BFM_HCA_DISABLED;
	f->issi1 = false;
	bfm_log(f, BFM_INFO, "HCA disabled");
	return BFM_OK;
}

static enum bfm_status
query_issi(struct bfm_cmd *c)
{
	BFM_SET(c->out, QUERY_ISSI_OUT, current_issi, c->f->issi1);
	BFM_SET(c->out, QUERY_ISSI_OUT, supported_issi_dw0, SUPPORTED_ISSI);
	return no_op_mod(c);
}

static enum bfm_status
set_issi(struct bfm_cmd *c)
{
	uint64_t issi = BFM_GET(c->in, SET_ISSI_IN, current_issi);
	enum bfm_status status = no_op_mod(c);

	if (status != BFM_OK)
		return status;
	if (issi > 31 || (SUPPORTED_ISSI & 1u << issi) == 0)
		return bfm_fail(c, BFM_BAD_PARAM, "ISSI %ju is not supported",
				(uintmax_t)issi);
	c->f->issi1 = issi == 1;
	return BFM_OK;
}

static enum bfm_status
init_hca(struct bfm_cmd *c)
{
	struct bfm_function *f = c->f;
	enum bfm_status status = no_op_mod(c);
	const uint8_t *owner = c->in + INIT_HCA_IN_sw_owner_id_BIT / 8;
	uint32_t i;

	if (status != BFM_OK)
		return status;
	/* our choice of a status: what a device says here is not documented */
	if (bfm_pages_init_missing(f))
		return bfm_fail(c, BFM_LIMIT,
				"firmware has %u pages and needs %u for boot and %u to initialise: "
				"QUERY_PAGES and MANAGE_PAGES come first",
				bfm_pages_given(f), f->conf.boot_pages, f->conf.init_pages);
	if (BFM_GET(c->in, INIT_HCA_IN, sw_vhca_id) != 0 && !BFM_CAP(f, hca_cap_2))
		return bfm_fail(c, BFM_BAD_PARAM, "sw_vhca_id without the capability");
	for (i = 0; c->in_len >= INIT_HCA_IN_SIZE && i < INIT_HCA_IN_sw_owner_id_WIDTH / 8; i++)
		if (owner[i] != 0 && !BFM_CAP(f, sw_owner_id))
			return bfm_fail(c, BFM_BAD_PARAM, "sw_owner_id without the capability");
	if (bfm_pages_check_all(f) != 0)
		return BFM_INTERNAL; /* firmware has stopped: nobody gets this */
	f->hca = BFM_HCA_INITIALISED;
	bfm_log(f, BFM_INFO, "HCA initialised with %u pages", bfm_pages_given(f));
	return BFM_OK;
}

static enum bfm_status
teardown_hca(struct bfm_cmd *c)
{
	struct bfm_function *f = c->f;
	uint64_t profile = BFM_GET(c->in, TEARDOWN_HCA_IN, profile);
	enum bfm_status status = no_op_mod(c);
	uint32_t alive = bfm_objects_count(f, BFM_NB_TYPES);

	if (status != BFM_OK)
		return status;
	if (profile > TEARDOWN_FAST || (profile == TEARDOWN_FORCE && !BFM_CAP(f, force_teardown)) ||
			(profile == TEARDOWN_FAST && !BFM_CAP(f, fast_teardown)))
		return bfm_fail(c, BFM_BAD_PARAM,
				"profile %ju is not among the capabilities", (uintmax_t)profile);
	if (profile == TEARDOWN_FAST) {
		/* nothing ends before software switches the NIC interface off */
		f->iseg->fast_teardown = true;
		return BFM_OK;
	}
	if (alive != 0)
		bfm_log(f, profile == TEARDOWN_FORCE ? BFM_INFO : BFM_WARN,
				"TEARDOWN_HCA with %u objects alive: they are void", alive);
	bfm_objects_reset(f);
	bfm_vport_reset(f);
	f->hca = BFM_HCA_ENABLED;
	bfm_host_enable(f, false);
	bfm_pages_teardown(f);
	bfm_log(f, BFM_INFO, "HCA torn down, firmware has %u pages", bfm_pages_given(f));
	return BFM_OK;
}

/*
 * The device
 */

static enum bfm_status
query_adapter(struct bfm_cmd *c)
{
	/* the model's own, which no vendor has given out */
	const char *psid = c->f->conf.bf3 ? "BFM0000000003" : "BFM0000000002";

	BFM_SET(c->out, QUERY_ADAPTER_OUT, ieee_vendor_id, VENDOR_OUI);
	BFM_SET(c->out, QUERY_ADAPTER_OUT, vsd_vendor_id, c->f->conf.vendor_id);
	memcpy(c->out + QUERY_ADAPTER_OUT_PSID, psid, strlen(psid));
	return no_op_mod(c);
}

static enum bfm_status
set_driver_version(struct bfm_cmd *c)
{
	char text[DRIVER_VERSION_SIZE + 1] = { 0 };
	size_t i;

	memcpy(text, c->in + SET_DRIVER_VERSION_IN_TEXT, DRIVER_VERSION_SIZE);
	for (i = 0; text[i] != '\0'; i++)
		if (text[i] < ' ' || text[i] > '~')
			return bfm_fail(c, BFM_BAD_PARAM,
					"the driver's version has a byte 0x%02x", (uint8_t)text[i]);
	bfm_log(c->f, BFM_INFO, "driver: %s", text);
	return no_op_mod(c);
}

static enum bfm_status
nop(struct bfm_cmd *c)
{
	return no_op_mod(c);
}

#define IN_STATE(state) (1u << (state))

const struct bfm_cmd_desc bfm_cmds_hca[] = {
	{
			.opcode = 0x101,
			.name = "QUERY_ADAPTER",
			.handler = query_adapter,
			.states = BFM_EN,
			.in = &bfm_lay_plain_in,
			.out = &bfm_lay_query_adapter_out,
			.in_min = PLAIN_IN_SIZE,
			.out_min = QUERY_ADAPTER_OUT_SIZE,
	},
	{
			.opcode = 0x102,
			.name = "INIT_HCA",
			.handler = init_hca,
			.states = IN_STATE(BFM_HCA_ENABLED),
			.in = &bfm_lay_init_hca_in,
			.in_min = INIT_HCA_IN_MIN,
			.out_min = PLAIN_OUT_MIN,
	},
	{
			.opcode = 0x103,
			.name = "TEARDOWN_HCA",
			.handler = teardown_hca,
			.states = BFM_INIT,
			.in = &bfm_lay_teardown_hca_in,
			.out = &bfm_lay_teardown_hca_out,
			.in_min = TEARDOWN_HCA_IN_SIZE,
			.out_min = TEARDOWN_HCA_OUT_SIZE,
	},
	{
			.opcode = 0x104,
			.name = "ENABLE_HCA",
			.handler = enable_hca,
			.states = BFM_ANY,
			.in = &bfm_lay_function_in,
			.in_min = FUNCTION_IN_SIZE,
			.out_min = PLAIN_OUT_MIN,
	},
	{
			.opcode = 0x105,
			.name = "DISABLE_HCA",
			.handler = disable_hca,
			.states = BFM_EN,
			.in = &bfm_lay_function_in,
			.in_min = FUNCTION_IN_SIZE,
			.out_min = PLAIN_OUT_MIN,
	},
	{
			.opcode = 0x10a,
			.name = "QUERY_ISSI",
			.handler = query_issi,
			.states = BFM_ANY,
			.in = &bfm_lay_plain_in,
			.out = &bfm_lay_query_issi_out,
			.in_min = PLAIN_IN_SIZE,
			.out_min = QUERY_ISSI_OUT_SIZE,
	},
	{
			.opcode = 0x10b,
			.name = "SET_ISSI",
			.handler = set_issi,
			.states = IN_STATE(BFM_HCA_ENABLED),
			.in = &bfm_lay_set_issi_in,
			.in_min = SET_ISSI_IN_SIZE,
			.out_min = PLAIN_OUT_MIN,
	},
	{
			.opcode = 0x10d,
			.name = "SET_DRIVER_VERSION",
			.handler = set_driver_version,
			.states = BFM_INIT,
			.in = &bfm_lay_set_driver_version_in,
			.in_min = SET_DRIVER_VERSION_IN_SIZE,
			.out_min = PLAIN_OUT_MIN,
	},
	{
			.opcode = 0x805,
			.name = "ACCESS_REG",
			.handler = bfm_access_reg,
			.states = BFM_EN,
			.in = &bfm_lay_access_reg_in,
			.in_min = ACCESS_REG_IN_SIZE,
			.out_min = ACCESS_REG_OUT_SIZE,
	},
	{
			.opcode = 0x80d,
			.name = "NOP",
			.handler = nop,
			.states = BFM_EN,
			.in = &bfm_lay_plain_in,
			.in_min = PLAIN_IN_SIZE,
			.out_min = PLAIN_OUT_MIN,
	},
	{ .name = NULL },
};
