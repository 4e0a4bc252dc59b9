/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A hostile vfio-user server with hostile firmware behind it, in a thread of the test
 * process. Honest by default, with just enough firmware for the driver to come
 * up; rules say which of its messages goes wrong, and how. No test is in here.
 */

#ifndef TEST_BLUEFIELD_HOSTILE_H
#define TEST_BLUEFIELD_HOSTILE_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "bluefield_prm.h"
#include "vfio_user.h"

#define HOSTILE_BODY 8192
#define HOSTILE_FDS 32
#define HOSTILE_MAPS 64
#define HOSTILE_PAGES 4096
#define HOSTILE_RULES 4
#define HOSTILE_REGS 4
#define HOSTILE_BAR 0x20000u
/* Answers of commands, at most. */
#define HOSTILE_OUT (BF_CMD_INLINE + 16 * BF_MBOX_DATA)

struct hostile_vfu;

/** A message before it is sent. */
struct hostile_msg {
	struct vfio_user_hdr hdr; /**< size is of what follows, until it is sent. */
	uint8_t body[HOSTILE_BODY];
	uint32_t len;             /**< Of the body. */
	int fds[HOSTILE_FDS];        /**< Closed after it. */
	uint32_t nb_fds;
};

enum hostile_how {
	HOSTILE_HONEST = 0,
	HOSTILE_SILENT,     /**< No answer; the next request may get one. */
	HOSTILE_CLOSE,      /**< Hang up instead. */
	HOSTILE_HALF,       /**< Half of the message, then hang up. */
	HOSTILE_CUT,        /**< arg bytes less, and the header says so. */
	HOSTILE_MORE,       /**< arg bytes more, and the header says so. */
	HOSTILE_SIZE,       /**< The header says arg, whatever follows. */
	HOSTILE_ID,         /**< Another id. */
	HOSTILE_CMD,        /**< Of command arg. */
	HOSTILE_TYPE,       /**< Flags are arg. */
	HOSTILE_ERROR,      /**< Error arg, no body. */
	HOSTILE_ERROR_BODY, /**< Error arg, and all that would be there without it. */
	HOSTILE_WITH_FDS,   /**< arg descriptors more than are due. */
	HOSTILE_TWICE,      /**< The same once more. */
	HOSTILE_PIECES,     /**< Byte by byte, arg descriptors with each. */
	HOSTILE_TRICKLE,    /**< Byte by byte, 40 ms between two. */
	HOSTILE_FLOOD,      /**< Requests without end instead; arg: flags of them. */
	HOSTILE_FIX,        /**< What the function does to it. */
};

struct hostile_rule {
	enum hostile_how how;
	uint16_t cmd;     /**< enum vfio_user_cmd; 0: all. */
	uint32_t skip;    /**< So many go well first. */
	uint32_t count;   /**< Then so many do not; 0: all. */
	uint64_t arg;
	void (*fix)(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg);
};

/** What firmware does with a command. */
enum hostile_fw {
	HOSTILE_FW_DONE = 0,  /**< The answer is out, whatever is in it. */
	HOSTILE_FW_HONEST,
	HOSTILE_FW_NO_ANSWER,
};

struct hostile_map {
	uint64_t addr;
	uint64_t size;
	void *mem;
};

struct hostile_vfu {
	pthread_t thread;
	bool running;
	pthread_mutex_t lock;  /**< Around each message that is handled. */
	int listen_fd;
	int stop_fd;
	int sock;
	char dir[PATH_MAX];
	char path[PATH_MAX + 8];

	/* set before the start, or with the lock */
	struct hostile_rule rules[HOSTILE_RULES];
	struct { uint32_t off, val; } regs[HOSTILE_REGS]; /**< Read like this; off 0: none. */
	uint32_t nb_regs;
	enum hostile_fw (*fw)(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
			uint32_t in_len, uint8_t *out, uint32_t out_len);
	uint64_t arg;          /**< Of the case. */
	uint32_t boot_pages;
	uint32_t init_pages;
	bool shared_page;      /**< BAR 0 at 0x1000 is in a file, and honest. */
	bool page_stands;      /**< It does not change any more. */

	/* what has happened; read with the lock, or after the end */
	uint32_t nb_msgs[16];
	uint32_t nb_cmds;
	uint32_t nb_refusals;  /**< Of page requests. */
	uint32_t nb_resets;
	uint32_t nb_clients;
	int results[64];       /**< Of requests by the case. */
	uint32_t nb_results;

	/* the device */
	struct hostile_map maps[HOSTILE_MAPS];
	uint32_t nb_maps;
	uint16_t pci_command;
	uint64_t cmdq;
	uint32_t counter;
	int irq_fd;
	uint64_t eq;
	uint32_t eq_log;
	uint32_t eq_pi;
	uint64_t pages[HOSTILE_PAGES];
	uint32_t nb_pages;
	void *page;            /**< The shared one. */
	int page_fd;
	uint16_t next_id;
};

/** Defaults, and the folder of the socket. */
int hostile_vfu_init(struct hostile_vfu *e);
/** Listen, and serve clients one after the other. */
int hostile_vfu_start(struct hostile_vfu *e);
/** End, and let go of everything. Also of one that was never started. */
void hostile_vfu_stop(struct hostile_vfu *e);

/** Plug a device on it. @return its id or the negative errno of the probe. */
int hostile_vfu_dev_add(const struct hostile_vfu *e, const char *args);

/** From now on. */
void hostile_vfu_rule(struct hostile_vfu *e, const struct hostile_rule *rule);
void hostile_vfu_fw(struct hostile_vfu *e,
		enum hostile_fw (*fw)(struct hostile_vfu *e, uint16_t opcode, const uint8_t *in,
				uint32_t in_len, uint8_t *out, uint32_t out_len));
void hostile_vfu_reg(struct hostile_vfu *e, uint32_t off, uint32_t val);

/** An event into the queue of the client, and an interrupt. */
void hostile_vfu_event(struct hostile_vfu *e, uint8_t type, uint8_t sub_type, const uint8_t *data);
void hostile_vfu_page_event(struct hostile_vfu *e, uint32_t who, int32_t num);

/**
 * In a fix: send a request to the client, which waits for our answer, and take
 * its own. @return 0, the error it sent, or -1 for no answer.
 */
int hostile_vfu_ask(struct hostile_vfu *e, uint16_t cmd, uint32_t flags, const void *body,
		uint32_t len, struct hostile_msg *reply);
/** Memory of the client by its address, as it was mapped. */
void *hostile_vfu_mem(struct hostile_vfu *e, uint64_t addr, uint64_t len);
/** A file to send, with these seals; -1: an unmappable thing. */
int hostile_vfu_file(uint64_t size, int seals);

/*
 * test_bluefield_hostile_case.c
 */

/** No error may take longer. */
#define HOSTILE_LIMIT_NS 3000000000ull
/** For what is to work, on a machine with much to do. */
#define HOSTILE_LONG_ARGS "socket_timeout=5000,cmd_timeout=5000,fw_timeout=5000,health=30"
/** For what is to fail; the server has so much time to answer. */
#define HOSTILE_SHORT_ARGS "socket_timeout=30,cmd_timeout=200,fw_timeout=200,health=30"

/** What is logged when it has not. */
#define HOSTILE_NO_ANSWER "no answer within the time limit"

/** Of the running case. */
extern struct hostile_vfu hostile_server;
extern int16_t hostile_dev_id; /**< -1: none. */

int hostile_case_setup(void);
void hostile_case_teardown(void);
/** The case is over. */
int hostile_passed(void);
/** What there is now must be there at the end of each round; the set-up has done it. */
void hostile_count(void);
/** Before each server of a case. */
int hostile_round_begin(void);
/** Remove the device, end the server, and compare. */
int hostile_round_end(void);
/** Probe; what it returned is in *ret. In time, whatever it is. */
int hostile_probe(const char *args, int *ret);
/** A round with a rule, whose probe must fail; words in the log, or NULL for any. */
int hostile_expect_error(const struct hostile_rule *rule, const char *words);
/** A round with a rule that does no harm. */
int hostile_expect_device(const struct hostile_rule *rule);
/** A hostile server whose device is up. */
int hostile_round_up(const char *args);
/** It fails so; then it can be removed, and nothing is left. */
int hostile_expect_fatal(int status, const char *words);
/** It has seen all events, and works on. */
int hostile_expect_alive(void);
uint32_t hostile_nb_refusals(void);
uint32_t hostile_nb_pages(void);
/** The function is a VF: a fix of the first read of registers. */
void hostile_fix_vf(struct hostile_vfu *e, struct hostile_msg *msg, uint64_t arg);

#endif /* TEST_BLUEFIELD_HOSTILE_H */
