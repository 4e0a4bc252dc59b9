/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Layer func: one function from reset to ready and back: firmware wait, enable,
 * ISSI, pages, capabilities, init, the event queue for commands of firmware to
 * us, health. It uses hw and cmd. It knows no DPDK device and no library.
 */

#ifndef BLUEFIELD_FUNC_H
#define BLUEFIELD_FUNC_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "bluefield_hw.h"

struct bf_func;

/* Why a function failed, when it has. */
enum bf_fatal {
	BF_FATAL_NONE = 0,
	BF_FATAL_GONE,       /* registers read all ones */
	BF_FATAL_FIRMWARE,   /* health syndrome with "reset required" */
	BF_FATAL_NIC_STATE,  /* nic interface disabled or software reset */
	BF_FATAL_TIMEOUT,    /* a command got no answer */
	BF_FATAL_PAGES,      /* firmware's account of its pages is not ours */
	BF_FATAL_EQ,         /* event queue overrun or nonsense in it */
	BF_FATAL_COMMAND,    /* the command interface returned what it never may */
};

struct bf_func_conf {
	uint32_t cmd_timeout_ms;  /* one command; default 60000 */
	/*
	 * Firmware initialises; default 120000. If it has failed, bring-up waits for so
	 * long up to three times: for what is under way, its reset, and what follows.
	 */
	uint32_t fw_timeout_ms;
	uint32_t health_ms;       /* period of the health poll; default 2000 */
	uint32_t max_pages;       /* firmware pages at most, 4 KiB each; default 262144 */
	/*
	 * Told once per bring-up that the function has failed, in a thread that uses
	 * the function or in its worker, no lock held: it must not call back into
	 * func. reason is a negative errno: -ENODEV if it is gone, -ETIMEDOUT, -EIO.
	 */
	void (*fatal_cb)(void *arg, enum bf_fatal fatal, int reason);
	/*
	 * An interrupt of the function's own event queue has come, or its clock has ticked:
	 * completion queues on that event queue may have something. In its worker, which
	 * must not wait.
	 */
	void (*wake_cb)(void *arg);
	void *arg;
};

/* What firmware says of the function, in the driver's own words. */
struct bf_func_caps {
	bool ecpf;               /* the card's own function: role dpu */
	bool eswitch_manager;    /* an ECPF in DPU mode */
	bool ib_port;            /* the port is InfiniBand, not Ethernet */
	bool roce;               /* RoCE can be enabled */
	bool udp_sport;          /* paths say from which UDP port */
	bool no_page_requests;   /* firmware never asks for pages by an event */
	uint8_t port;            /* number of our port, in paths and events */
	uint8_t nb_ports;        /* that addresses can be of; 0: the port is not said */
	uint16_t vhca_id;
	uint16_t fw_major, fw_minor, fw_subminor;
	uint32_t max_qp, max_cq, max_eq;           /* objects */
	uint32_t max_qp_sz, max_cq_sz, max_srq_sz; /* entries */
	uint64_t max_msg;        /* bytes of one message */
	uint32_t roce_addr_table_size;
	bool has_vport;          /* what follows was read: an Ethernet port */
	uint8_t mac[6];          /* of the vport */
	uint8_t port_state;      /* 0 down, 1 up or not known, as the vport says */
	char board_id[17];       /* PSID, of QUERY_ADAPTER */
};

/* Counts, for telemetry, dump and tests. */
struct bf_func_stats {
	uint64_t cmds;           /* commands that ended */
	uint64_t cmd_errors;     /* with a bad status */
	uint32_t pages;          /* now with firmware */
	uint32_t pages_peak;
	uint64_t page_requests;  /* events */
	uint64_t events;         /* EQEs of all kinds */
	uint64_t health_polls;
};

/* Fill in the defaults. */
void bf_func_conf_init(struct bf_func_conf *conf);

/*
 * Bring a function up, from whatever state it is in. Takes hw over, also on
 * failure: then everything is undone, hw is closed, and the reason has been
 * logged with the remedy. Errors: -ENODEV the device is not there, -ETIMEDOUT,
 * -EIO bad status, -ENOMEM, -ENOTSUP a function that we cannot use, -EAGAIN
 * firmware that is not ready (the card has not enabled the function).
 * Not in EAL's interrupt thread, which it would block for as long.
 */
int bf_func_create(struct bf_hw *hw, const struct bf_func_conf *conf, struct bf_func **func);

/*
 * Tear down, take all pages back, disable, free. A function that has failed is
 * reset instead. Not in fatal_cb. EAL's interrupt thread may do so, as alarms run
 * there, and is blocked for as long: seconds, if the function has not failed.
 */
void bf_func_destroy(struct bf_func *func);

/*
 * After a fatal error, or at any time without objects: reset and bring up
 * again, in place. On failure the function stays failed. Neither in EAL's
 * interrupt thread nor in fatal_cb.
 */
int bf_func_reset(struct bf_func *func);

/* 0, or why it does not work: a negative errno as fatal_cb got it. Any thread. */
int bf_func_status(const struct bf_func *func, enum bf_fatal *fatal);
const char *bf_fatal_text(enum bf_fatal fatal);

const struct bf_func_caps *bf_func_caps(const struct bf_func *func);
void bf_func_stats(const struct bf_func *func, struct bf_func_stats *stats);
/*
 * Queues that have failed so far, and whose users no completion tells of it: completion
 * queues, and receive queues that several share. Any thread.
 */
uint64_t bf_func_dead_queues(const struct bf_func *func);
void bf_func_dump(const struct bf_func *func, FILE *f);
struct bf_hw *bf_func_hw(struct bf_func *func);

#endif
