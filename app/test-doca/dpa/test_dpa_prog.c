/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The program of an offload processor that the cases of test_dpa*.c and test_msgq.c load.
 * Each of its functions does one thing; what it has done is in the structure of the case.
 */

#include <doca_dpa_dev.h>
#include <doca_dpa_dev_buf.h>
#include <doca_dpa_dev_comch_msgq.h>
#include <doca_mmap.h>
#include <dpaintrin.h>

#include "test_dpa_prog.h"

/* Until the host has posted a receive. */
#define MOST_TURNS 100000000u

static uint64_t nb_calls;

__dpa_rpc__ uint64_t
test_prog_nothing(void)
{
	return __atomic_add_fetch(&nb_calls, 1, __ATOMIC_RELAXED);
}

/* Arguments of several widths, with and without a sign. */
__dpa_rpc__ uint64_t
test_prog_weigh(uint64_t a, int32_t b, uint16_t c, const uint64_t *d, uint8_t e, int64_t f)
{
	return a + 10 * (uint64_t)(int64_t)b + 100 * c + 1000 * *d + 10000 * e +
		100000 * (uint64_t)f;
}

__dpa_rpc__ uint64_t
test_prog_log(uint64_t number)
{
	DOCA_DPA_DEV_LOG_DBG("prog: not shown");
	DOCA_DPA_DEV_LOG_INFO("prog: %lu %04x %d%% %s %c", number, 0xabu, -5, "words", '!');
	return 0;
}

/* 0 if the clock has gone on, and the cycles have where there are any. */
__dpa_rpc__ uint64_t
test_prog_intrinsics(uint64_t rounds)
{
	uint64_t time = __dpa_thread_time(), old = time, i;

	__dpa_thread_fence(__DPA_HEAP, __DPA_RW, __DPA_W);
	__dpa_thread_memory_fence(__DPA_W, __DPA_R);
	__dpa_thread_outbox_fence(__DPA_R, __DPA_RW);
	__dpa_thread_window_fence(__DPA_RW, __DPA_RW);
	__dpa_thread_system_fence();
	__dpa_thread_window_read_inv();
	__dpa_thread_window_writeback();
	__dpa_thread_memory_writeback();
	for (i = 0; i < rounds && time == old; i++)
		time = __dpa_thread_time();
	if (time <= old)
		return 1;
#ifdef __x86_64__
	old = __dpa_thread_cycles();
	__dpa_thread_system_fence();
	return __dpa_thread_cycles() <= old ? 2 : 0;
#else
	return 0;
#endif
}

static __attribute__((noinline)) void
end_here(struct test_prog_runs *runs)
{
	__atomic_fetch_add(&runs->ended, 1, __ATOMIC_RELEASE);
	doca_dpa_dev_thread_reschedule();
}

/* Ends its run in a function that it calls; what is behind the call is not reached. */
__dpa_global__ void
test_prog_count(uint64_t arg)
{
	struct test_prog_runs *runs = (struct test_prog_runs *)(uintptr_t)arg;

	runs->eu = rte_comch_dpa_dev_eu_id();
	end_here(runs);
	runs->beyond++;
}

/* Credits for a consumer, before there are messages. */
__dpa_rpc__ uint64_t
test_prog_credits(doca_dpa_dev_comch_consumer_t consumer, uint32_t nb)
{
	doca_dpa_dev_comch_consumer_ack(consumer, nb);
	return 0;
}

/* Send back what has come, with what its completion says. */
static void
echo_one(struct test_prog_echo *echo, doca_dpa_dev_comch_consumer_completion_element_t element)
{
	struct test_prog_msg msg;
	uint32_t len = 0, turns = 0;
	const uint8_t *imm = doca_dpa_dev_comch_consumer_get_completion_imm(element, &len);

	if (len != sizeof(msg))
		return;
	__builtin_memcpy(&msg, imm, sizeof(msg));
	msg.producer_id = doca_dpa_dev_comch_consumer_get_completion_producer_id(element);
	msg.user_data = doca_dpa_dev_comch_consumer_get_completion_user_data(element);
	while (doca_dpa_dev_comch_producer_is_consumer_empty(echo->producer, echo->consumer_id) &&
			turns < MOST_TURNS)
		turns++;
	doca_dpa_dev_comch_producer_post_send_imm_only(echo->producer, echo->consumer_id,
		(const uint8_t *)&msg, sizeof(msg), DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
}

/* The completions of what was sent. */
static void
echo_sent(struct test_prog_echo *echo)
{
	doca_dpa_dev_completion_element_t element;
	uint64_t nb = 0;

	while (doca_dpa_dev_get_completion(echo->send_completion, &element)) {
		echo->sent_user_data = doca_dpa_dev_get_completion_user_data(element);
		nb++;
	}
	if (nb == 0)
		return;
	doca_dpa_dev_completion_ack(echo->send_completion, nb);
	echo->sent += nb;
}

__dpa_global__ void
test_prog_echo(uint64_t arg)
{
	struct test_prog_echo *echo = (struct test_prog_echo *)(uintptr_t)arg;
	doca_dpa_dev_comch_consumer_completion_element_t element;
	uint32_t nb = 0;

	echo->runs++;
	while (doca_dpa_dev_comch_consumer_get_completion(echo->completion, &element)) {
		echo_one(echo, element);
		nb++;
	}
	echo_sent(echo);
	doca_dpa_dev_comch_consumer_completion_ack(echo->completion, nb);
	doca_dpa_dev_comch_consumer_completion_request_notification(echo->completion);
	doca_dpa_dev_completion_request_notification(echo->send_completion);
	doca_dpa_dev_comch_consumer_ack(echo->consumer, nb);
	doca_dpa_dev_thread_reschedule();
}

/* Copy once between maps of the host, with a message. */
__dpa_global__ void
test_prog_copy(uint64_t arg)
{
	struct test_prog_copy *copy = (struct test_prog_copy *)(uintptr_t)arg;

	doca_dpa_dev_comch_producer_dma_copy(copy->producer, copy->consumer_id, copy->dst_mmap,
		copy->dst_addr, copy->src_mmap, copy->src_addr, copy->len,
		(const uint8_t *)&copy->number, sizeof(copy->number),
		DOCA_DPA_DEV_SUBMIT_FLAG_FLUSH);
	__atomic_store_n(&copy->done, copy->number, __ATOMIC_RELEASE);
	doca_dpa_dev_thread_reschedule();
}

/* What is known of a buffer of an array; 0: there is no such buffer. */
__dpa_rpc__ uint64_t
test_prog_buf(doca_dpa_dev_buf_arr_t arr, uint64_t i, uint32_t what)
{
	doca_dpa_dev_buf_t buf = doca_dpa_dev_buf_array_get_buf(arr, i);

	if (buf == 0)
		return 0;
	switch (what) {
	case TEST_PROG_BUF_ADDR:
		return doca_dpa_dev_buf_get_addr(buf);
	case TEST_PROG_BUF_LEN:
		return doca_dpa_dev_buf_get_len(buf);
	default:
		return doca_dpa_dev_buf_get_mmap(buf);
	}
}

__dpa_rpc__ uint64_t
test_prog_fault(void)
{
	__builtin_trap();
}
