/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

#ifndef DATA_PATH_H
#define DATA_PATH_H

/*
 * One text each way between a producer and a consumer of either side, on a connection
 * that is there. Both examples of the data path use it; each object has an engine of its
 * own.
 */

#include <stdbool.h>

#include <doca_buf.h>
#include <doca_buf_inventory.h>
#include <doca_comch_consumer.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "control.h"

#define INVALID_CONSUMER_ID 0xffff
#define MAX_TEXT_LEN (1024 * 1024)

/* Memory of the program that one object sends from or receives to. */
struct data_memory {
	char *addr;
	struct doca_mmap *mmap;
	struct doca_buf_inventory *inventory;
};

struct data_path {
	struct control *control;
	struct doca_comch_connection *connection; /* NULL after its end */
	const char *text;                         /* to be sent */
	uint32_t remote_consumer_id; /* INVALID_CONSUMER_ID until the callback sets it */
	doca_error_t result;

	struct doca_pe *consumer_pe;
	struct doca_comch_consumer *consumer;
	struct data_memory consumer_memory;
	bool consumer_running;
	bool consumer_done;

	struct doca_pe *producer_pe;
	struct doca_comch_producer *producer;
	struct data_memory producer_memory;
	bool producer_done;
};

/* Sends and receives, then removes its objects. The control's engine is progressed. */
doca_error_t data_path_exchange(struct data_path *path);

#endif /* DATA_PATH_H */
