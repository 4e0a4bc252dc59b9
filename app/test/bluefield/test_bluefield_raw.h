/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A vfio-user client of the software BlueField that sends what it is told to, when
 * and in which pieces it is told to: it need not wait for replies, and its messages
 * need not be right. One client and one model per process. No test is in here.
 */

#ifndef TEST_BLUEFIELD_RAW_H
#define TEST_BLUEFIELD_RAW_H

#include <stddef.h>
#include <stdint.h>

#include "test_bluefield_model.h"
#include "vfio_user.h"

#define RAW_PAGE 4096u
#define RAW_ADDR_A UINT64_C(0x10000000)
#define RAW_ADDR_B UINT64_C(0x20000000)
#define RAW_MSG_MAX 256
#define RAW_FDS_MAX 253 /* the kernel's limit */

/** A message before it is sent. */
struct raw_msg {
	uint8_t buf[RAW_MSG_MAX];
	uint32_t len;
	uint16_t id;
	int fds[RAW_FDS_MAX];
	uint32_t nb_fds;
};

/** A message that came. */
struct raw_got {
	struct vfio_user_hdr hdr;
	uint8_t body[8192];
	uint32_t len;
};

extern struct test_model raw_model;
extern int raw_sock;
extern int raw_file_a; /**< "msg_file_a", one page. */
extern int raw_file_b; /**< "msg_file_b", two pages. */

/** Setup and teardown of a case: files, a model with pf0, and greetings. */
int raw_setup(void);
void raw_teardown(void);
/** Connect, and agree on a version. */
int raw_greet(void);

/** Make a message, with a descriptor unless fd is -1. */
void raw_msg_make(struct raw_msg *m, uint16_t cmd, const void *body, uint32_t len, int fd);
/** ... that reads the vendor of the device. */
void raw_msg_read(struct raw_msg *m);
void
raw_msg_write(struct raw_msg *m, uint32_t region, uint64_t off, const void *data, uint32_t len);
void raw_msg_map(struct raw_msg *m, uint64_t addr, uint64_t size, int fd);
void raw_msg_unmap(struct raw_msg *m, uint32_t flags, uint64_t addr, uint64_t size);
/** ... of MSI-X; data: VFIO_IRQ_SET_DATA_*. */
void raw_msg_irqs(struct raw_msg *m, uint32_t start, uint32_t count, uint32_t data, int fd);

/** Bytes in one call, with descriptors. */
int raw_put(const void *data, size_t len, const int *fds, uint32_t nb_fds);
int raw_put_msg(const struct raw_msg *m);
/** The next message that comes. */
int raw_take_msg(struct raw_got *got);
/** It has to be the reply to m, with this errno or 0. got: NULL, if nobody looks at it. */
int raw_take_reply(const struct raw_msg *m, uint32_t error, struct raw_got *got);
/** Send, and take the reply. */
int raw_call(const struct raw_msg *m, uint32_t error);

int raw_write_reg(uint32_t off, uint32_t value);
/** Have a command queue at RAW_ADDR_A, in this file; -1: in memory without a descriptor. */
int raw_queue_setup(int file);

/** Stop the process of the model, so that what is sent now is there at once. */
int raw_model_stop(void);
int raw_model_go_on(void);
/** How many bytes of a file with this name the model has mapped. */
long raw_mapped(const char *name);
/** How many files the model has open, once it has nothing to do. */
unsigned int raw_model_fds(void);

#endif /* TEST_BLUEFIELD_RAW_H */
