/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef APP_H
#define APP_H

/*
 * The host's program: its objects, set-up and teardown in setup.c, callbacks in main.c.
 */

#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_ctx.h>
#include <doca_dpa.h>
#include <doca_mmap.h>
#include <doca_pe.h>

#include "../common/common.h"
#include "ping_pong.h"

struct app {
	struct common_config config; /* first */
	uint64_t count;
	uint32_t size; /* bytes that go with a ping, 0: none */
	uint64_t pings;
	uint64_t pongs;
	doca_error_t result;
	struct doca_dev *dev;
	struct doca_pe *pe;
	struct doca_dpa *dpa;
	struct doca_dpa_thread *thread;
	struct doca_comch_msgq *to_dpa, *from_dpa;
	struct doca_comch_consumer_completion *consumer_completion;
	struct doca_comch_consumer *dpa_consumer;
	struct doca_comch_producer *dpa_producer;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	doca_dpa_dev_uintptr_t block;
	struct doca_mmap *mmap;
	uint8_t *memory; /* of pings, then of pongs */
	uint32_t dpa_consumer_id;
};

/* What was made is in app, also with an error: teardown() takes it down. */
doca_error_t setup(struct app *app);
void teardown(struct app *app);

void sent(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data);
void send_failed(struct doca_comch_producer_task_send *task, union doca_data task_user_data,
		union doca_data ctx_user_data);
void received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_user_data,
		union doca_data ctx_user_data);
void receive_ended(struct doca_comch_consumer_task_post_recv *task,
		union doca_data task_user_data, union doca_data ctx_user_data);

#endif /* APP_H */
