/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What iseg.c, health.c, giver.c, cmdq.c, cmd_hca.c, cmd_reg.c, cmd_pages.c, owner.c and
 * fault.c ask of each other, and nobody else of them.
 */

#ifndef BFM_ENGINE_H
#define BFM_ENGINE_H

#include "model.h"

/* Syndromes of health, as Linux names them. */
enum bfm_health_synd {
	BFM_SYND_FW = 0x01,
	BFM_SYND_CRC = 0x09,
	BFM_SYND_FETCH_PCI = 0x0a,
	BFM_SYND_EQ_OVERRUN = 0x0c,
};

/* States of the NIC interface, in the register of the command queue's address. */
enum bfm_nic_state {
	BFM_NIC_FULL = 0,
	BFM_NIC_DISABLED = 1,
	BFM_NIC_NO_DRAM = 2,
	BFM_NIC_SW_RESET = 7,
};

#define BFM_FOREVER UINT64_MAX

/* ------------------------------------------------------------- health.c */

/* 24.41.1000 of a BlueField-2, 32.41.1000 of a BlueField-3. */
uint32_t bfm_fw_major(const struct bfm_function *f);
#define BFM_FW_MINOR 41u
#define BFM_FW_SUB 1000u

#define BFM_HEALTH_SYND 0x3du /* byte of the health buffer */

/* What health.c and iseg.c know of a function. */
struct bfm_iseg {
	uint32_t addr_h; /* as written */
	uint32_t addr_l;
	bool queue; /* it was written: 0 is an address like any other */
	bool nic_forced; /* by a fault, to this state: */
	uint8_t nic_state;
	bool fast_teardown; /* TEARDOWN_HCA said so: the interface may be switched off */
	bool fatal;
	bool bus_dead;
	bool counter_stop;
	uint64_t counter_at; /* ms at which it stopped */
	uint64_t counter_until; /* ms: it pauses */
	uint64_t busy_until; /* ms: firmware initialises */
	uint64_t settle_until; /* ms: it does not see doorbells of its command queue */
	bool flr_set; /* by a fault */
	uint32_t flr_ms;
	uint64_t bad_accesses; /* mistakes of the client */
	uint8_t health[BFM_HEALTH_SIZE];
	/* first half of a doorbell that comes in two writes */
	uint64_t half_off;
	uint32_t half;
};

/* A buffer without an error. */
void bfm_health_clean(const struct bfm_function *f, uint8_t *health);
/* The buffer, as this function sees it. */
const uint8_t *bfm_health_of(const struct bfm_function *f);
/* Does firmware initialise? */
bool bfm_iseg_busy(const struct bfm_function *f);
/* Why no command is served now, or NULL. */
const char *bfm_iseg_no_commands(const struct bfm_function *f);
/* Firmware of the card fails, for all its functions, until it is reset. */
void bfm_card_fatal(struct bfm_function *f, uint8_t synd, uint16_t ext_synd, const char *why);
bool bfm_iseg_fatal(const struct bfm_function *f);

/* --------------------------------------------------------------- iseg.c */

/* Faults. */
void bfm_iseg_counter(struct bfm_function *f, bool stop);
void bfm_iseg_counter_pause(struct bfm_function *f, uint64_t ms);
void bfm_iseg_clear(struct bfm_function *f);
void bfm_iseg_dump(const struct bfm_function *f, FILE *out);

/* -------------------------------------------------------------- fault.c */

/* A fault that waits for its command. */
struct bfm_fault {
	TAILQ_ENTRY(bfm_fault) next;
	uint16_t opcode;
	bool any_op_mod;
	uint16_t op_mod;
	uint64_t count; /* how often still; 0: always */
	struct bfm_cmd_fault what;
};
struct bfm_faults {
	TAILQ_HEAD(, bfm_fault) list;
	uint64_t hits;
};

/* --------------------------------------------------------------- cmdq.c */

/* Were ENABLE_HCA or DISABLE_HCA of the own function begun, and have not ended? */
bool bfm_hca_switching(const struct bfm_function *f);

/* Commands under way that are not complete. */
uint32_t bfm_cmdq_busy(const struct bfm_function *f);

/* ------------------------------------------------------------ cmd_hca.c */

/* Does the input of ENABLE_HCA or DISABLE_HCA, 16 bytes, mean the function itself? */
bool bfm_hca_is_own(const struct bfm_function *f, const uint8_t *in);

/* ------------------------------------------------------------ cmd_reg.c */

enum bfm_status bfm_access_reg(struct bfm_cmd *c);

/* ---------------------------------------------------------- cmd_pages.c */

bool bfm_pages_boot_missing(const struct bfm_function *f);
bool bfm_pages_init_missing(const struct bfm_function *f);
/* Ask for pages (n > 0) or offer some back (n < 0), with nobody waiting for them. */
int bfm_pages_request(struct bfm_function *f, int32_t n);
/* The HCA goes down: nothing is wanted or offered any more, all may be taken. */
void bfm_pages_teardown(struct bfm_function *f);
/* Look at all pages now. 0 or -EFAULT. */
int bfm_pages_check_all(struct bfm_function *f);

/*
 * Of a function for which the client of another one gives: ask that client for pages,
 * false if it does not listen; offer it some back; they are gone, or all may be taken.
 */
bool bfm_pages_ask(struct bfm_function *f, uint32_t n);
void bfm_pages_offer(struct bfm_function *f, uint32_t n);
uint32_t bfm_pages_lose(struct bfm_function *f, bool take);

/* -------------------------------------------------------------- giver.c */

struct bfm_owner *bfm_owner_of(const struct bfm_function *f);
/* The function whose client gives pages for f; NULL: the operator does, or nobody. */
struct bfm_function *bfm_supply_giver(const struct bfm_function *f);
/* Has nobody on the card enabled the functions of the host? */
bool bfm_host_off(const struct bfm_function *f);
/* Faults of the owner that gives for f, or for the VFs of f. */
void bfm_owner_alive(struct bfm_function *f);

/* -------------------------------------------------------------- owner.c */

/* What that client did: pages came, were taken back, or will not come. */
void bfm_supply_came(struct bfm_function *f, uint32_t n);
void bfm_supply_went(struct bfm_function *f, uint32_t n);
void bfm_supply_refuse(struct bfm_function *f);
/* Pages that the client of f gave for other functions. */
uint32_t bfm_supply_lent(const struct bfm_function *f);
/* The client of f gives no more: all lose what it gave, and may it take that back? */
void bfm_supply_end(struct bfm_function *f, bool take);

/* Until the function has so many: 0, -EAGAIN while they come, -ENOMEM if they do not. */
int bfm_supply_want(struct bfm_function *f, uint32_t pages);
/* All but so many go back, and none is on its way. */
void bfm_supply_keep(struct bfm_function *f, uint32_t pages);
/* The owner that gives for f, or for its VFs, is killed. -EBUSY: it is a client. */
int bfm_owner_killed(struct bfm_function *f);
/* Of an ECPF: the operator enables the host, or ends that. */
void bfm_host_up(struct bfm_function *f, bool up);

#endif
