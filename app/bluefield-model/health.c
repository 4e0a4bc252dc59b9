/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Whether firmware lives, and serves commands: the health buffer, fatal errors of a
 * function and of the card, and why no command is served now. The registers that show
 * it, and what ends it, are in iseg.c.
 */

#include <endian.h>
#include <string.h>

#include "engine.h"

/* Bytes of the health buffer. */
#define HEALTH_ASSERT_VAR 0x00u
#define HEALTH_EXIT_PTR 0x20u
#define HEALTH_CALLRA 0x24u
#define HEALTH_TIME 0x2cu
#define HEALTH_FW_VER 0x30u
#define HEALTH_HW_ID 0x34u
#define HEALTH_RFR_SEVERITY 0x38u
#define HEALTH_IRISC 0x3cu
#define HEALTH_EXT_SYND 0x3eu
#define HEALTH_RFR 0x80u
#define HEALTH_SEVERITY_VALID 0x08u
#define HEALTH_SEVERITY_CRITICAL 2u

_Static_assert(HEALTH_EXT_SYND + 2 == BFM_HEALTH_SIZE, "health buffer is 64 bytes");

static uint64_t
now(const struct bfm_function *f)
{
	return f->model->now_ms;
}

static void
put_be32(uint8_t *p, uint32_t value)
{
	value = htobe32(value);
	memcpy(p, &value, sizeof(value));
}

uint32_t
bfm_fw_major(const struct bfm_function *f)
{
	return f->conf.bf3 ? 32 : 24;
}

void
bfm_health_clean(const struct bfm_function *f, uint8_t *health)
{
	memset(health, 0, BFM_HEALTH_SIZE);
	put_be32(health + HEALTH_FW_VER, bfm_fw_major(f) << 24 | BFM_FW_MINOR << 16 | BFM_FW_SUB);
	put_be32(health + HEALTH_HW_ID, f->conf.bf3 ? 0x21c : 0x214);
}

static void
health_fill(const struct bfm_function *f, uint8_t *health, uint8_t synd, uint16_t ext_synd)
{
	uint32_t i;

	bfm_health_clean(f, health);
	/* recognisable values; on a real device they tell its vendor where it stopped */
	for (i = 0; i < 6; i++)
		put_be32(health + HEALTH_ASSERT_VAR + 4 * i, 0xbf000000 | synd << 8 | i);
	put_be32(health + HEALTH_EXIT_PTR, 0xbf00e817);
	put_be32(health + HEALTH_CALLRA, 0xbf00ca11);
	put_be32(health + HEALTH_TIME, (uint32_t)(now(f) / 1000));
	health[HEALTH_RFR_SEVERITY] = HEALTH_RFR | HEALTH_SEVERITY_VALID | HEALTH_SEVERITY_CRITICAL;
	health[HEALTH_IRISC] = 1;
	health[BFM_HEALTH_SYND] = synd;
	health[HEALTH_EXT_SYND] = (uint8_t)(ext_synd >> 8);
	health[HEALTH_EXT_SYND + 1] = (uint8_t)ext_synd;
}

/*
 * What a client has done to its own function ends with a reset of that: ours, so that
 * a mistake of one client is not one of all others.
 */
void
bfm_health_fatal(struct bfm_function *f, uint8_t synd, uint16_t ext_synd, const char *why)
{
	struct bfm_iseg *iseg = f->iseg;

	bfm_log(f, BFM_ERR, "firmware stops: syndrome 0x%02x.%04x: %s", synd, ext_synd, why);
	if (iseg->fatal)
		return; /* the first reason is the one that counts */
	iseg->fatal = true;
	health_fill(f, iseg->health, synd, ext_synd);
	if (!iseg->counter_stop && now(f) >= iseg->counter_until)
		iseg->counter_at = now(f);
}

void
bfm_card_fatal(struct bfm_function *f, uint8_t synd, uint16_t ext_synd, const char *why)
{
	struct bfm_card *card = &f->model->card;

	bfm_log(f, BFM_ERR, "firmware of the card stops: syndrome 0x%02x.%04x: %s", synd, ext_synd,
			why);
	if (card->fatal)
		return;
	card->fatal = true;
	card->fatal_ms = now(f);
	health_fill(f, card->health, synd, ext_synd);
}

bool
bfm_iseg_fatal(const struct bfm_function *f)
{
	return f->iseg->fatal || f->model->card.fatal;
}

const uint8_t *
bfm_health_of(const struct bfm_function *f)
{
	return f->model->card.fatal ? f->model->card.health : f->iseg->health;
}

bool
bfm_iseg_busy(const struct bfm_function *f)
{
	return f->iseg->busy_until == BFM_FOREVER || now(f) < f->iseg->busy_until ||
			bfm_held(f);
}

const char *
bfm_iseg_no_commands(const struct bfm_function *f)
{
	const struct bfm_iseg *iseg = f->iseg;

	if (f->gone || iseg->bus_dead)
		return "the device is gone";
	if (f->model->card.fatal)
		return "firmware of the card has stopped with a fatal error: reset firmware";
	if (iseg->fatal)
		return "firmware has stopped with a fatal error: reset the function";
	if (bfm_iseg_busy(f))
		return "firmware is still initialising: wait for bit 31 of 0x1fc";
	if (iseg->nic_forced ? iseg->nic_state != BFM_NIC_FULL :
			now(f) < f->model->card.reset_until)
		return "the NIC interface is off, or firmware is being reset";
	if (!iseg->queue)
		return "the command queue has no address";
	if (now(f) < iseg->settle_until)
		return "the address of the command queue was written a moment ago";
	return NULL;
}
