/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What iseg.c, cmdq.c, cmd_hca.c, cmd_reg.c, cmd_pages.c, owner.c and fault.c ask of each
 * other, and nobody else of them.
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

/* --------------------------------------------------------------- iseg.c */

/* Why no command is served now, or NULL. */
const char *bfm_iseg_no_commands(const struct bfm_function *f);
/* Firmware of the card fails, for all its functions, until it is reset. */
void bfm_card_fatal(struct bfm_function *f, uint8_t synd, uint16_t ext_synd, const char *why);
bool bfm_iseg_fatal(const struct bfm_function *f);
/* Firmware of this function has lost so many pages: the interface is off, all is void. */
void bfm_iseg_lost(struct bfm_function *f, uint32_t pages, const char *why);
/* TEARDOWN_HCA with the fast profile: the NIC interface may be switched off now. */
void bfm_iseg_fast_teardown(struct bfm_function *f);

/* Faults. */
void bfm_iseg_bus(struct bfm_function *f, bool dead);
void bfm_iseg_counter(struct bfm_function *f, bool stop);
void bfm_iseg_counter_pause(struct bfm_function *f, uint64_t ms);
void bfm_iseg_nic_state(struct bfm_function *f, uint8_t state);
void bfm_iseg_init_busy(struct bfm_function *f, uint64_t ms); /* or BFM_FOREVER */
void bfm_iseg_flr_ms(struct bfm_function *f, uint32_t ms);    /* of the resets to come */
void bfm_iseg_clear(struct bfm_function *f);
void bfm_iseg_dump(const struct bfm_function *f, FILE *out);

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

/* -------------------------------------------------------------- owner.c */

/* The function whose client gives pages for f; NULL: the operator does, or nobody. */
struct bfm_function *bfm_supply_giver(const struct bfm_function *f);
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
/* Faults of the owner that gives for f, or for the VFs of f. */
void bfm_owner_dead(struct bfm_function *f);
/* -EBUSY: a client gives, no operator. */
int bfm_owner_killed(struct bfm_function *f);
void bfm_owner_slow(struct bfm_function *f, uint32_t ms);
void bfm_owner_short(struct bfm_function *f, uint32_t pages);
void bfm_owner_alive(struct bfm_function *f);
/* Of an ECPF: the operator enables the host, or ends that. */
void bfm_host_up(struct bfm_function *f, bool up);

#endif
