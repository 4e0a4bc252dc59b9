/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * BAR 0: the init segment with its timers, the doorbells of UAR pages, and resets. What
 * a doorbell does is in cmdq.c, eq.c and the files of the queues; the health buffer is
 * in health.c, the MSI-X table in server.c.
 */

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine.h"

/* Registers of the init segment, all big-endian words. */
#define REG_FW_REV 0x000u
#define REG_CMDIF_REV 0x004u
#define REG_CMDQ_ADDR_H 0x010u
#define REG_CMDQ_ADDR_L 0x014u
#define REG_CMD_DOORBELL 0x018u
#define REG_INITIALIZING 0x1fcu
#define REG_HEALTH 0x200u
#define REG_HEALTH_END 0x240u
#define REG_NO_DRAM_NIC 0x240u
#define REG_CMD_EXEC_TO 0xff8u
#define REG_CMDQ_INIT_TO 0xffcu
#define REG_TIMER_H 0x1000u
#define REG_TIMER_L 0x1004u
#define REG_HEALTH_COUNTER 0x1010u
#define REG_REAL_TIME_H 0x1040u
#define REG_REAL_TIME_L 0x1044u

#define CMDIF_REV 5u
#define CMDQ_LOG_SIZE 5u
#define CMDQ_LOG_STRIDE 6u
#define CMDQ_GEOMETRY (CMDQ_LOG_SIZE << 4 | CMDQ_LOG_STRIDE)
#define CMDQ_ADDR_MASK 0xfffff000u
#define NIC_STATE_SHIFT 8
#define NIC_STATE_MASK 7u

#define INIT_BUSY (1u << 31)
#define INIT_FW_RESET (1u << 30) /* software may ask for a reset of the firmware */
#define INIT_ECPU (1u << 23)

_Static_assert(REG_HEALTH_END - REG_HEALTH == BFM_HEALTH_SIZE, "health buffer is between these");
/* Doorbells within a UAR page. */
#define UAR_CQ_ARM 0x020u
#define UAR_EQ_ARM 0x040u
#define UAR_EQ_UPDATE 0x048u
#define UAR_BF 0x800u      /* BlueFlame buffers from here to the end of the page ... */
#define UAR_BF_SIZE 0x100u /* ... of this size; the first 8 bytes ring */

/*
 * The counter ticks once a second. Firmware has other things to do: how often it
 * leaves out a tick is ours, and so is how long a reset takes that software asked for.
 */
#define COUNTER_MS 1000u
#define COUNTER_PAUSE 16u
#define SW_RESET_MS 50u

static uint64_t
now(const struct bfm_function *f)
{
	return f->model->now_ms;
}

/*
 * Of a function that software has not enabled the interface is off: it is on from
 * the end of ENABLE_HCA to the start of DISABLE_HCA. Commands have no need of it.
 */
static uint8_t
nic_state(const struct bfm_function *f)
{
	if (f->iseg->nic_forced)
		return f->iseg->nic_state;
	if (now(f) < f->model->card.reset_until)
		return BFM_NIC_SW_RESET;
	if (f->hca == BFM_HCA_DISABLED || bfm_hca_switching(f))
		return BFM_NIC_DISABLED;
	return BFM_NIC_FULL;
}

/* All that software had built is void. */
static void
void_all(struct bfm_function *f)
{
	bfm_objects_reset(f);
	bfm_vport_reset(f);
	bfm_pages_reset(f);
	bfm_caps_reset(f);
	bfm_cmdq_reset(f);
	f->hca = BFM_HCA_DISABLED;
	f->issi1 = false;
	bfm_host_enable(f, false);
	f->iseg->fast_teardown = false;
}

static void
iseg_lost(struct bfm_function *f, uint32_t pages, const char *why)
{
	if (f->hca != BFM_HCA_DISABLED)
		bfm_log(f, BFM_INFO, "firmware fails, %u objects and %u pages are void: %s",
				bfm_objects_count(f, BFM_NB_TYPES), pages, why);
	void_all(f);
	f->iseg->queue = false;
}

/* All functions of the card lose what they have. */
void
bfm_firmware_reset(struct bfm_function *f)
{
	struct bfm_model *m = f->model;
	struct bfm_function *g;
	uint32_t i;

	for (i = 0; i < m->nb_functions; i++) {
		g = m->functions[i];
		void_all(g);
		g->iseg->queue = false;
		g->iseg->fatal = false;
		bfm_health_clean(g, g->iseg->health);
		if (g != f)
			bfm_log(g, BFM_INFO, "firmware is reset by %s", f->conf.name);
	}
	m->card.fatal = false;
	m->card.reset_until = now(f) + SW_RESET_MS;
	m->card.fw_resets++;
}

/* Software writes a state that is not "full". */
static void
nic_write(struct bfm_function *f, uint8_t state)
{
	struct bfm_iseg *iseg = f->iseg;

	switch (state) {
	case BFM_NIC_DISABLED:
		if (f->hca == BFM_HCA_INITIALISED && !iseg->fast_teardown)
			bfm_log(f, BFM_WARN,
					"NIC interface switched off without TEARDOWN_HCA "
					"of profile 2 before: all objects and pages are void");
		else
			bfm_log(f, BFM_INFO,
					"NIC interface switched off: %u objects and "
					"%u pages are void",
					bfm_objects_count(f, BFM_NB_TYPES), bfm_pages_given(f));
		void_all(f);
		iseg->queue = false;
		break;
	case BFM_NIC_SW_RESET:
		if (f->conf.kind == BFM_VF) {
			bfm_log(f, BFM_WARN, "a VF may not reset the firmware: ignored");
			break;
		}
		bfm_log(f, BFM_INFO, "firmware reset asked for by NIC interface state 7");
		if (f->model->card.reset_sem == 0)
			bfm_log(f, BFM_WARN,
					"firmware reset without the semaphore at 0x20 of space 0xa "
					"of the vendor-specific capability: another function may "
					"do the same");
		bfm_firmware_reset(f);
		break;
	default:
		bfm_log(f, BFM_WARN, "NIC interface state %u is not supported: ignored", state);
		break;
	}
}

static void
cmdq_addr_write(struct bfm_function *f, uint32_t value)
{
	struct bfm_iseg *iseg = f->iseg;
	uint8_t state = value >> NIC_STATE_SHIFT & NIC_STATE_MASK;
	uint32_t geometry = value & ~(CMDQ_ADDR_MASK | NIC_STATE_MASK << NIC_STATE_SHIFT);

	if (geometry != 0 && geometry != CMDQ_GEOMETRY) {
		iseg->bad_accesses++;
		bfm_log(f, BFM_WARN,
				"command queue address 0x%08x is not aligned to 4 KiB: "
				"the low bits are ignored",
				value);
	}
	if (state != BFM_NIC_FULL) {
		nic_write(f, state);
		return;
	}
	if (now(f) < f->model->card.reset_until) {
		iseg->bad_accesses++;
		bfm_log(f, BFM_WARN,
				"command queue address written during a firmware reset: "
				"ignored, wait for NIC interface state 1");
		return;
	}
	if (f->hca != BFM_HCA_DISABLED)
		bfm_log(f, BFM_WARN, "command queue address changed while the HCA is enabled");
	if (bfm_cmdq_busy(f) != 0)
		bfm_log(f, BFM_WARN,
				"command queue address changed while %u commands run: "
				"they never complete",
				bfm_cmdq_busy(f));
	iseg->addr_l = value & CMDQ_ADDR_MASK;
	iseg->queue = true;
	iseg->settle_until = now(f) + f->conf.settle;
	iseg->nic_forced = false;
	bfm_cmdq_reset(f);
	bfm_cmdq_set_addr(f, (uint64_t)iseg->addr_h << 32 | iseg->addr_l);
	bfm_log(f, BFM_INFO, "command queue at 0x%jx", (uintmax_t)bfm_cmdq_addr(f));
}

/*
 * Registers
 */

static uint64_t
clock_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

/* Ticks of BFM_CLOCK_KHZ since the machine started. */
static uint64_t
timer_ticks(void)
{
	return (uint64_t)((__uint128_t)clock_ns(CLOCK_MONOTONIC) * BFM_CLOCK_KHZ / 1000000);
}

/* Real time, in the format of the device: seconds, then nanoseconds. */
static uint64_t
real_time(void)
{
	uint64_t ns = clock_ns(CLOCK_REALTIME);

	return ns / 1000000000 << 32 | ns % 1000000000;
}

static uint32_t
health_counter(const struct bfm_function *f)
{
	const struct bfm_iseg *iseg = f->iseg;
	bool stands = iseg->fatal || iseg->counter_stop || now(f) < iseg->counter_until;
	uint64_t at = stands ? iseg->counter_at : now(f);
	uint64_t ticks;

	if (f->model->card.fatal && !stands)
		at = f->model->card.fatal_ms;
	ticks = at / COUNTER_MS;
	return (uint32_t)(ticks - ticks / COUNTER_PAUSE) & 0xffffff;
}

/* One word of the registers in host order; false if there is none. */
static bool
reg_read(struct bfm_function *f, uint64_t off, uint32_t *value)
{
	const struct bfm_iseg *iseg = f->iseg;

	if (off >= REG_HEALTH && off < REG_HEALTH_END) {
		memcpy(value, bfm_health_of(f) + off - REG_HEALTH, sizeof(*value));
		*value = be32toh(*value);
		return true;
	}
	switch (off) {
	case REG_FW_REV:
		*value = BFM_FW_MINOR << 16 | bfm_fw_major(f);
		return true;
	case REG_CMDIF_REV:
		*value = CMDIF_REV << 16 | BFM_FW_SUB;
		return true;
	case REG_CMDQ_ADDR_H:
		*value = iseg->addr_h;
		return true;
	case REG_CMDQ_ADDR_L:
		*value = iseg->addr_l | (uint32_t)nic_state(f) << NIC_STATE_SHIFT | CMDQ_GEOMETRY;
		return true;
	case REG_INITIALIZING:
		*value = (bfm_iseg_busy(f) ? INIT_BUSY : 0) |
				(f->conf.kind != BFM_VF ? INIT_FW_RESET : 0) |
				(f->conf.kind == BFM_ECPF ? INIT_ECPU : 0);
		return true;
	case REG_TIMER_H:
		*value = (uint32_t)(timer_ticks() >> 32);
		return true;
	case REG_TIMER_L:
		*value = (uint32_t)timer_ticks();
		return true;
	case REG_HEALTH_COUNTER:
		*value = (uint32_t)bfm_health_of(f)[BFM_HEALTH_SYND] << 24 | health_counter(f);
		return true;
	case REG_REAL_TIME_H:
		*value = (uint32_t)(real_time() >> 32);
		return true;
	case REG_REAL_TIME_L:
		*value = (uint32_t)real_time();
		return true;
	case REG_CMD_DOORBELL: /* write only */
	case REG_NO_DRAM_NIC:  /* none */
	case REG_CMD_EXEC_TO:  /* 0: clients use their own time limits */
	case REG_CMDQ_INIT_TO:
		*value = 0;
		return true;
	default:
		*value = 0;
		return false;
	}
}

static void
reg_write(struct bfm_function *f, uint64_t off, uint32_t value)
{
	struct bfm_iseg *iseg = f->iseg;

	switch (off) {
	case REG_CMDQ_ADDR_H:
		/* clients write the halves in either order */
		iseg->addr_h = value;
		if (iseg->queue)
			bfm_cmdq_set_addr(f, (uint64_t)iseg->addr_h << 32 | iseg->addr_l);
		break;
	case REG_CMDQ_ADDR_L:
		cmdq_addr_write(f, value);
		break;
	case REG_CMD_DOORBELL:
		bfm_cmdq_doorbell(f, value);
		break;
	default:
		iseg->bad_accesses++;
		bfm_log(f, BFM_WARN,
				"write of 0x%08x to BAR 0 at 0x%jx, where no register can be "
				"written: ignored",
				value, (uintmax_t)off);
		break;
	}
}

/*
 * UAR pages
 */

static bool
uar_live(struct bfm_function *f, uint64_t off)
{
	return bfm_object_find(f, BFM_T_UAR, (uint32_t)(off / BFM_PAGE_SIZE)) != NULL;
}

static void
uar_ring64(struct bfm_function *f, uint64_t off, uint64_t value)
{
	uint32_t uar = (uint32_t)(off / BFM_PAGE_SIZE);
	uint32_t reg = (uint32_t)(off % BFM_PAGE_SIZE);

	if (reg == UAR_CQ_ARM)
		bfm_cq_arm(f, uar, value);
	else
		bfm_sq_doorbell(f, uar, value);
}

/* A 64-bit doorbell that comes as two words: the upper one first. */
static void
uar_ring32(struct bfm_function *f, uint64_t off, uint32_t value)
{
	struct bfm_iseg *iseg = f->iseg;

	if (off % 8 == 0) {
		iseg->half_off = off;
		iseg->half = value;
		return;
	}
	if (iseg->half_off != off - 4) {
		iseg->bad_accesses++;
		bfm_log(f, BFM_WARN, "doorbell at 0x%jx: second half without the first: ignored",
				(uintmax_t)off);
		return;
	}
	iseg->half_off = 0;
	uar_ring64(f, off - 4, (uint64_t)iseg->half << 32 | value);
}

static void
uar_write(struct bfm_function *f, uint64_t off, const uint8_t *p, size_t len)
{
	uint32_t reg = (uint32_t)(off % BFM_PAGE_SIZE);
	uint64_t v64 = 0;
	uint32_t v32 = 0;
	bool bf = reg >= UAR_BF;

	if (!uar_live(f, off)) {
		f->iseg->bad_accesses++;
		bfm_log(f, BFM_WARN, "write to BAR 0 at 0x%jx: UAR %ju is not allocated: ignored",
				(uintmax_t)off, (uintmax_t)(off / BFM_PAGE_SIZE));
		return;
	}
	if (len == 8)
		memcpy(&v64, p, sizeof(v64));
	else if (len == 4)
		memcpy(&v32, p, sizeof(v32));
	v64 = be64toh(v64);
	v32 = be32toh(v32);

	if (bf && reg % UAR_BF_SIZE >= 8)
		return; /* the rest of a WQE written as BlueFlame: it is read from memory too */
	if ((bf || reg / 8 == UAR_CQ_ARM / 8) && len == 8 && reg % 8 == 0) {
		uar_ring64(f, off, v64);
	} else if ((bf || reg / 8 == UAR_CQ_ARM / 8) && len == 4 && reg % 4 == 0) {
		uar_ring32(f, off, v32);
	} else if ((reg == UAR_EQ_ARM || reg == UAR_EQ_UPDATE) && len == 4) {
		bfm_eq_doorbell(f, v32, reg == UAR_EQ_ARM);
	} else {
		f->iseg->bad_accesses++;
		bfm_log(f, BFM_WARN,
				"write of %zu bytes to UAR %ju at 0x%x is no doorbell: "
				"ignored",
				len, (uintmax_t)(off / BFM_PAGE_SIZE), reg);
	}
}

/*
 * BAR 0
 */

static void
odd_access(struct bfm_function *f, const char *what, uint64_t off, size_t len)
{
	f->iseg->bad_accesses++;
	bfm_log(f, BFM_WARN,
			"%s of %zu bytes at 0x%jx of BAR 0: registers are aligned words of "
			"32 bits",
			what, len, (uintmax_t)off);
}

void
bfm_bar_read(struct bfm_function *f, uint64_t off, void *buf, size_t len)
{
	struct bfm_iseg *iseg = f->iseg;
	uint8_t *out = buf;
	uint64_t word_off;
	uint32_t word;
	bool known = true;
	size_t i;

	if (f->gone || iseg->bus_dead) {
		memset(out, 0xff, len);
		return;
	}
	memset(out, 0, len);
	if (off >= (uint64_t)BFM_UAR_FIRST * BFM_PAGE_SIZE) {
		bfm_log(f, BFM_DEBUG, "read of a UAR page at 0x%jx: reads 0", (uintmax_t)off);
		return;
	}
	/* bytes of any size and alignment: the health buffer is read that way */
	word_off = UINT64_MAX;
	word = 0;
	for (i = 0; i < len; i++) {
		if ((off + i) / 4 * 4 != word_off) {
			word_off = (off + i) / 4 * 4;
			known = reg_read(f, word_off, &word) && known;
		}
		out[i] = (uint8_t)(word >> (24 - 8 * ((off + i) % 4)));
	}
	if (!known)
		bfm_log(f, BFM_WARN,
				"read of %zu bytes at 0x%jx of BAR 0, where no register is: "
				"reads 0",
				len, (uintmax_t)off);
	else if (len > 4 && off % 8 != 0)
		odd_access(f, "read", off, len);
}

void
bfm_bar_write(struct bfm_function *f, uint64_t off, const void *buf, size_t len)
{
	struct bfm_iseg *iseg = f->iseg;
	const uint8_t *in = buf;
	uint32_t word;
	size_t i;

	if (f->gone || iseg->bus_dead)
		return;
	if (off >= (uint64_t)BFM_UAR_FIRST * BFM_PAGE_SIZE) {
		uar_write(f, off, in, len);
		return;
	}
	if (off % 4 != 0 || len % 4 != 0 || len == 0) {
		odd_access(f, "write", off, len);
		return; /* part of a register: nothing sensible can be done with it */
	}
	for (i = 0; i < len; i += 4) {
		memcpy(&word, in + i, sizeof(word));
		reg_write(f, off + i, be32toh(word));
	}
}

/*
 * Faults
 */

void
bfm_iseg_counter(struct bfm_function *f, bool stop)
{
	struct bfm_iseg *iseg = f->iseg;

	if (stop && !iseg->counter_stop && !bfm_iseg_fatal(f))
		iseg->counter_at = now(f);
	iseg->counter_stop = stop;
	iseg->counter_until = 0;
}

void
bfm_iseg_counter_pause(struct bfm_function *f, uint64_t ms)
{
	bfm_iseg_counter(f, false);
	f->iseg->counter_at = now(f);
	f->iseg->counter_until = now(f) + ms;
}

void
bfm_iseg_clear(struct bfm_function *f)
{
	struct bfm_iseg *iseg = f->iseg;

	iseg->bus_dead = false;
	iseg->counter_stop = false;
	iseg->counter_until = 0;
	iseg->flr_set = false;
	if (iseg->busy_until == BFM_FOREVER)
		iseg->busy_until = now(f);
	iseg->nic_forced = false;
}

void
bfm_iseg_dump(const struct bfm_function *f, FILE *out)
{
	const struct bfm_iseg *iseg = f->iseg;

	fprintf(out,
			"registers nic_state=%u initializing=%u fatal=%u synd=0x%02x counter=%u "
			"bad_accesses=%ju fw_resets=%ju reset_sem=0x%x\n",
			nic_state(f), bfm_iseg_busy(f), bfm_iseg_fatal(f),
			bfm_health_of(f)[BFM_HEALTH_SYND],
			health_counter(f), (uintmax_t)iseg->bad_accesses,
			(uintmax_t)f->model->card.fw_resets, f->model->card.reset_sem);
	if (iseg->bus_dead)
		fprintf(out, "fault bus dead\n");
	if (iseg->counter_stop)
		fprintf(out, "fault counter stop\n");
	if (iseg->nic_forced)
		fprintf(out, "fault nic-state %u\n", iseg->nic_state);
	if (iseg->busy_until == BFM_FOREVER)
		fprintf(out, "fault init-busy forever\n");
	if (iseg->flr_set)
		fprintf(out, "fault flr %u\n", iseg->flr_ms);
}

/*
 * Life
 */

static void
iseg_reset(struct bfm_function *f)
{
	struct bfm_iseg *iseg = f->iseg;
	uint32_t ms = iseg->flr_set ? iseg->flr_ms : f->conf.flr_ms;

	if (f->conf.frail != 0 && bfm_iseg_busy(f)) {
		bfm_log(f, BFM_WARN, "reset while firmware initialises: it does not come back");
		iseg->busy_until = BFM_FOREVER;
	}
	iseg->nic_forced = false;
	iseg->addr_h = 0;
	iseg->addr_l = 0;
	iseg->queue = false;
	iseg->fast_teardown = false;
	iseg->fatal = false;
	iseg->half_off = 0;
	/* a fault that says "forever" outlives resets: that is what it is for */
	if (iseg->busy_until != BFM_FOREVER)
		iseg->busy_until = now(f) + ms;
	bfm_health_clean(f, iseg->health);
}

void
bfm_function_reset(struct bfm_function *f)
{
	f->resets++;
	f->hca = BFM_HCA_DISABLED;
	f->issi1 = false;
	bfm_host_enable(f, false);
	bfm_cmdq_reset(f);
	bfm_objects_reset(f);
	bfm_pages_reset(f);
	bfm_caps_reset(f);
	bfm_vport_reset(f);
	iseg_reset(f);
}

int
bfm_iseg_create(struct bfm_function *f)
{
	f->iseg = calloc(1, sizeof(*f->iseg));
	if (f->iseg == NULL)
		return -ENOMEM;
	f->lost = iseg_lost;
	f->iseg->busy_until = now(f) + f->conf.flr_ms;
	bfm_health_clean(f, f->iseg->health);
	return 0;
}

void
bfm_iseg_destroy(struct bfm_function *f)
{
	free(f->iseg);
	f->iseg = NULL;
}
