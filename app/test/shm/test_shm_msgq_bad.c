/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Queues of message queues and what cannot be: entries and credits that a program lies about,
 * messages and posts that the application may not send, more objects than there is room for, a
 * program that has ended. One thread plays both ends.
 */

#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_shm_msgq_both.h"

#define NONE RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS
#define FLUSH (RTE_COMCH_DPA_DEV_F_OPTIMIZE_REPORTS | RTE_COMCH_DPA_DEV_F_FLUSH)

/* Times that an engine is awake. */
#define MANY 3000

/* The program sends so many, which come. */
static int
from_program(uint32_t nb)
{
	struct rte_comch_cpl cpl;
	uint32_t i;

	for (i = 0; i < nb; i++) {
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, "a", 1,
			FLUSH), 0);
		TEST_EXPECT(test_msgq_poll(&receiver, &cpl, 1), 1);
		TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
	}
	return TEST_SUCCESS;
}

/* The program writes the word of the entry that is next, of a batch of so many. */
static void
word_put(uint32_t producer_id, uint32_t len, uint32_t nb)
{
	const struct shm_msgq_rx *rx = receiver.fp.queue;
	struct shm_entry *entries = (void *)((struct shm_msgq_sink_state *)rx->prog.host + 1);
	const uint32_t pos = rx->poll_pos + SHM_ENTRY_START;

	shm_entry_publish(&entries[pos & rx->mask], shm_entry_word(pos, producer_id, len) |
		(uint64_t)(nb - 1) << SHM_ENTRY_MORE_SHIFT);
}

/* After some messages, a word that cannot be: nothing comes, and the engine may sleep. */
static int
bad_word(uint32_t before, uint32_t producer_id, uint32_t len, uint32_t nb)
{
	struct rte_comch_cpl cpls[2 * NB_RECV];

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	TEST_CALL(from_program(before));
	word_put(producer_id, len, nb);
	TEST_TRUE(shm_msgq_rx_pending(receiver.fp.queue));
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, RTE_DIM(cpls)), 0);
	TEST_EXPECT(msgq_dpa.down, 1);
	TEST_EXPECT(msgq_dpa.status.reason, -EPROTO);
	/* nor does what follows */
	word_put(1, 1, 1);
	TEST_TRUE(!shm_msgq_rx_pending(receiver.fp.queue));
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, RTE_DIM(cpls)), 0);
	both_free();
	msgq_dpa.down = false;
	msgq_dpa.status.state = RTE_COMCH_DPA_RUNNING;
	return TEST_SUCCESS;
}

static int
test_bad_words(void)
{
	TEST_CALL(bad_word(0, 1, SHM_MSGQ_IMM_SIZE + 1, 1));
	/* there is no such producer yet */
	TEST_CALL(bad_word(0, 2, 1, 1));
	TEST_CALL(bad_word(0, 0, 1, 1));
	/* more than was posted, and beyond the end of the ring */
	TEST_CALL(bad_word(0, 1, 1, NB_RECV + 1));
	return bad_word(2 * NB_RECV - 2, 1, 1, 3);
}

/* A message for which there is no post: the engine need not stay awake for it. */
static int
test_word_without_post(void)
{
	struct rte_comch_cpl cpls[NB_RECV];

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	word_put(1, 1, 1);
	TEST_TRUE(!shm_msgq_rx_pending(receiver.fp.queue));
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 0);
	TEST_EXPECT(msgq_dpa.down, 0);
	TEST_EXPECT(test_msgq_post(&receiver, 1), 1);
	TEST_TRUE(shm_msgq_rx_pending(receiver.fp.queue));
	TEST_EXPECT(test_msgq_poll(&receiver, cpls, NB_RECV), 1);
	both_free();
	return TEST_SUCCESS;
}

/* A batch that is read in parts; then what is flushed keeps the engine awake. */
static int
test_batch_in_parts(void)
{
	struct rte_comch_cpl cpls[NB_RECV];
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV), NB_RECV);
	for (i = 0; i < 5; i++)
		TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 1, &i,
			sizeof(i), i < 4 ? NONE : FLUSH), 0);
	for (i = 0; i < 5; i += 2) {
		TEST_TRUE(shm_msgq_rx_pending(receiver.fp.queue));
		TEST_EXPECT(test_msgq_poll(&receiver, cpls, i < 4 ? 2 : NB_RECV), i < 4 ? 2 : 1);
		TEST_EXPECT(*(uint32_t *)(void *)cpls[0].imm, i);
	}
	TEST_TRUE(!shm_msgq_rx_pending(receiver.fp.queue));
	TEST_EXPECT(shm_queue_stop(&receiver.queue, -ECANCELED, NULL), 0);
	TEST_TRUE(shm_msgq_rx_pending(receiver.fp.queue));
	both_free();
	return TEST_SUCCESS;
}

/* A consumer that was stopped is freed when another one has its place, which stays. */
static int
test_next_consumer(void)
{
	struct msgq_end next;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(shm_queue_stop(&receiver.queue, -ECANCELED, NULL), 0);
	TEST_CALL(test_msgq_end(&next, &from, true, 2, NB_RECV));
	TEST_EXPECT(test_msgq_post(&next, 1), 1);
	test_msgq_end_free(&receiver);
	TEST_EXPECT(rte_comch_dpa_dev_producer_post_send_imm(producer.handle, 2, "a", 1, FLUSH), 0);
	test_msgq_end_free(&next);
	TEST_CALL(test_msgq_end(&receiver, &from, true, 3, NB_RECV));
	both_free();
	return TEST_SUCCESS;
}

/* What the program says of its credits: all at once, too many, and older than what was sent. */
static int
test_credits(void)
{
	struct rte_comch_send msgs[3];
	struct shm_msgq_cons_state *st;
	struct rte_comch_room room;
	struct shm_msgq_target *t;
	unsigned int i;

	for (i = 0; i < RTE_DIM(msgs); i++)
		msgs[i] = (struct rte_comch_send){ .flags = RTE_COMCH_SEND_F_NO_CPL };
	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	t = consumer.priv;
	st = t->prog.host;
	/* two of three, and then one with more */
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 2), 0);
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msgs, RTE_DIM(msgs)), 2);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), 0);
	TEST_EXPECT(room.reason, -EAGAIN);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV - 2), 0);
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), 0);
	TEST_EXPECT(room.reason, 0);
	/* another producer has sent all that there was, by a tail that this one has not seen */
	t->head += NB_RECV - 2;
	st->tail += 1;
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 0);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), 0);
	TEST_EXPECT(room.credits, 0);
	TEST_EXPECT(room.reason, -EAGAIN);
	st->tail += 77777;
	TEST_EXPECT(sender.fp.credits(sender.fp.queue, 1), 0);
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 0);
	TEST_EXPECT(((const struct shm_msgq_tx *)sender.queue.priv)->reason, -ENOTCONN);
	TEST_EXPECT(msgq_dpa.down, 1);
	both_free();
	return TEST_SUCCESS;
}

/* One message that is refused, and why. */
static int
send_refused(const struct rte_comch_send *msg, int reason)
{
	struct rte_comch_room room;

	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msg, 1), 0);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), 0);
	TEST_EXPECT(room.reason, reason);
	TEST_EXPECT(room.queue, NB_RECV);
	return TEST_SUCCESS;
}

/* Messages and posts of the application that cannot be; those without bytes need none. */
static int
test_app_args(void)
{
	uint8_t imm[SHM_MSGQ_IMM_SIZE + 1] = { 0 };
	const struct rte_comch_send long_imm = { .imm = imm, .imm_len = sizeof(imm) },
		data = { .addr = imm, .len = 1 }, flags = { .flags = 2 }, null = { .imm_len = 1 },
		empty = { .flags = RTE_COMCH_SEND_F_NO_CPL }, told[2] = { { .len = 0 } };
	struct rte_comch_cpl cpl;
	struct rte_comch_post posts[] = {
		{ .cookie = 1 }, { .addr = imm }, { .len = 1 }, { .flags = 1 },
	};
	struct rte_comch_room room;
	unsigned int i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	TEST_CALL(send_refused(&long_imm, -E2BIG));
	TEST_CALL(send_refused(&data, -EMSGSIZE));
	TEST_CALL(send_refused(&flags, -EINVAL));
	TEST_CALL(send_refused(&null, -EINVAL));
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, &empty, 1), 1);
	/* completions: no more than there is room for */
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, told, RTE_DIM(told)), RTE_DIM(told));
	for (i = 0; i < RTE_DIM(told); i++)
		TEST_EXPECT(sender.fp.poll(sender.fp.queue, &cpl, 1), 1);
	for (i = 1; i < RTE_DIM(posts); i++) {
		TEST_EXPECT(receiver.fp.post(receiver.fp.queue, &posts[i], 1), 0);
		TEST_EXPECT(shm_queue_room(&receiver.queue, 0, &room), 0);
		TEST_EXPECT(room.reason, -EINVAL);
		TEST_EXPECT(room.queue, NB_RECV);
	}
	TEST_EXPECT(receiver.fp.post(receiver.fp.queue, posts, RTE_DIM(posts)), 1);
	TEST_EXPECT(shm_queue_room(&receiver.queue, 0, &room), 0);
	TEST_EXPECT(room.credits, 1);
	/* what was good is said, too; and one more than there is room for */
	TEST_EXPECT(test_msgq_post(&receiver, NB_RECV - 1), NB_RECV - 1);
	TEST_EXPECT(shm_queue_room(&receiver.queue, 0, &room), 0);
	TEST_EXPECT(room.reason, 0);
	TEST_EXPECT(test_msgq_post(&receiver, 1), 0);
	TEST_EXPECT(shm_queue_room(&receiver.queue, 0, &room), 0);
	TEST_EXPECT(room.reason, -ENOBUFS);
	TEST_EXPECT(receiver.queue.stats.short_queue, 1);
	TEST_EXPECT(receiver.queue.stats.errors, RTE_DIM(posts));
	both_free();
	return TEST_SUCCESS;
}

/* A burst of several lengths comes as it is; completions that nobody polls are its end. */
static int
test_bursts(void)
{
	static const uint8_t lens[NB_RECV] = { 1, 1, 9, 9, 0, 32, 32, 1 };
	uint8_t imm[NB_RECV][SHM_MSGQ_IMM_SIZE];
	struct rte_comch_send msgs[NB_RECV];
	struct rte_comch_dpa_dev_elem elem;
	struct rte_comch_room room;
	const uint8_t *got;
	uint32_t i, len;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, NB_RECV), 0);
	for (i = 0; i < NB_RECV; i++) {
		memset(imm[i], 'a' + i, sizeof(imm[i]));
		msgs[i] = (struct rte_comch_send){ .imm = imm[i], .imm_len = lens[i] };
	}
	TEST_EXPECT(shm_queue_takes(&sender.queue, 1, 0, NB_RECV - 1), NB_RECV - 1);
	TEST_EXPECT(shm_queue_takes(&sender.queue, 1, 0, NB_RECV + 1), NB_RECV);
	TEST_EXPECT(shm_queue_takes(&sender.queue, 1, 1, 1), 0);
	TEST_EXPECT(shm_queue_takes(&sender.queue, 2, 0, 1), 0);
	TEST_EXPECT(shm_queue_room(&sender.queue, 2, &room), -ENOENT);
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msgs, NB_RECV), NB_RECV);
	for (i = 0; i < NB_RECV; i++) {
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
		got = rte_comch_dpa_dev_elem_imm(&elem, &len);
		TEST_EXPECT(len, lens[i]);
		TEST_TRUE(len == 0 || memcmp(got, imm[i], len) == 0);
		TEST_EXPECT(rte_comch_dpa_dev_completion_ack(rx_comp.handle, 1), 0);
	}
	/* there is a credit, and no place for a completion */
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	TEST_EXPECT(sender.fp.send(sender.fp.queue, 1, msgs, 1), 0);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), 0);
	TEST_EXPECT(room.reason, -ENOBUFS);
	TEST_EXPECT(room.credits, 1);
	TEST_EXPECT(room.queue, 0);
	both_free();
	return TEST_SUCCESS;
}

/* Queues of one context, and contexts of one unit: all that there are, and not one more. */
static int
test_tables(void)
{
	struct rte_comch_dpa_completion comps[SHM_MSGQ_UNIT_COMPS], many;
	struct rte_comch_dpa_queue queues[2], more, sources[2];
	struct rte_comch_dpa_dev_elem elem;
	uint32_t i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	test_msgq_end_free(&sender);
	shm_msgq_dpa_queue_destroy(&consumer);
	shm_msgq_destroy(&to);
	TEST_CALL(test_msgq_start(&to, RTE_COMCH_MSGQ_TO_DPA, 4, 2));
	TEST_CALL(test_msgq_completion(&many, RTE_COMCH_DPA_COMPLETION_CONSUMER, DEPTH, 2, 1));
	for (i = 0; i < 2; i++)
		TEST_CALL(test_msgq_dpa_queue(&queues[i], &to, &many, true, i + 1, NB_RECV));
	more = queues[1];
	more.id = 3;
	TEST_EXPECT(shm_msgq_dpa_queue_create(&more), -ENOSPC);
	TEST_CALL(test_msgq_end(&sender, &to, false, 1, NB_RECV));
	for (i = 0; i < 2; i++) {
		TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(queues[i].handle, 1), 0);
		TEST_EXPECT(test_msgq_send(&sender, i + 1, "a", 1), 1);
	}
	/* of several producers, nobody knows who gets which credit */
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(queues[0].handle, 1), 0);
	TEST_EXPECT(shm_queue_takes(&sender.queue, 1, 0, 1), 0);
	for (i = 0; i < 2; i++)
		TEST_EXPECT(rte_comch_dpa_dev_completion_get(many.handle, &elem), 1);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(many.handle, &elem), 0);

	/* one of the unit is there */
	for (i = 1; i < SHM_MSGQ_UNIT_COMPS; i++)
		TEST_CALL(test_msgq_completion(&comps[i], RTE_COMCH_DPA_COMPLETION_PRODUCER, DEPTH,
				1, 1));
	comps[0] = many;
	TEST_EXPECT(shm_msgq_completion_create(&comps[0]), -ENOSPC);
	TEST_CALL(test_msgq_dpa_queue(&sources[0], &from, &comps[1], false, 2, DEPTH));
	sources[1] = sources[0];
	TEST_EXPECT(shm_msgq_dpa_queue_create(&sources[1]), -ENOSPC);

	shm_msgq_dpa_queue_destroy(&sources[0]);
	for (i = 1; i < SHM_MSGQ_UNIT_COMPS; i++)
		shm_msgq_completion_destroy(&comps[i]);
	for (i = 0; i < 2; i++)
		shm_msgq_dpa_queue_destroy(&queues[i]);
	shm_msgq_completion_destroy(&many);
	TEST_CALL(test_msgq_dpa_queue(&consumer, &to, &rx_comp, true, 4, NB_RECV));
	both_free();
	return TEST_SUCCESS;
}

/* The program has ended, or ends: nothing more is made of it, and sends say so. */
static int
test_ended(void)
{
	struct rte_comch_dpa_completion comp = rx_comp;
	struct rte_comch_dpa_queue queue;
	struct rte_comch_fp_object fp;
	struct rte_comch_queue end;
	struct rte_comch_room room;
	struct rte_comch_msgq msgq;
	int i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	msgq = to;
	comp = rx_comp;
	msgq_dpa.down = true;
	TEST_EXPECT(shm_msgq_create(&msgq), -EIO);
	TEST_EXPECT(shm_msgq_completion_create(&comp), -EIO);
	queue = consumer;
	TEST_EXPECT(shm_msgq_dpa_queue_create(&queue), -EIO);
	queue = producer;
	TEST_EXPECT(shm_msgq_dpa_queue_create(&queue), -EIO);
	end = sender.queue;
	end.id = 2;
	TEST_EXPECT(shm_queue_setup(&end, &fp), -EIO);
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 0);
	TEST_EXPECT(((const struct shm_msgq_tx *)sender.queue.priv)->reason, -ENOTCONN);
	TEST_EXPECT(shm_queue_room(&sender.queue, 1, &room), -ENOTCONN);
	msgq_dpa.down = false;
	/* with no queue left, the next one has to tell it of the group */
	test_msgq_end_free(&sender);
	test_msgq_end_free(&receiver);
	shutdown(msgq_dpa.sock, SHUT_RDWR);
	for (i = 0; i < 2; i++) {
		end.is_consumer = i != 0;
		end.msgq = i != 0 ? &from : &to;
		TEST_EXPECT(shm_queue_setup(&end, &fp), -EIO);
	}
	TEST_TRUE(msgq_dpa.groups[0].group == NULL);
	shm_msgq_dpa_queue_destroy(&consumer);
	shm_msgq_dpa_queue_destroy(&producer);
	shm_msgq_completion_destroy(&rx_comp);
	shm_msgq_completion_destroy(&tx_comp);
	shm_msgq_destroy(&to);
	shm_msgq_destroy(&from);
	return TEST_SUCCESS;
}

static void *
looker(void *arg)
{
	const uint32_t *stop = arg;
	uint64_t *looks = &SHM_DPA_PROG_SEG->eus[0].looks;

	while (__atomic_load_n(stop, __ATOMIC_RELAXED) == 0) {
		__atomic_fetch_add(looks, 2, __ATOMIC_RELEASE);
		usleep(100);
	}
	return NULL;
}

/* A unit is in one device function after another: nothing is kept for it. */
static int
test_busy_unit(void)
{
	uint32_t stop = 0;
	pthread_t thread;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	__atomic_store_n(&SHM_DPA_PROG_SEG->eus[0].looks, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(pthread_create(&thread, NULL, looker, &stop), 0);
	both_free();
	__atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
	TEST_EXPECT(msgq_dpa.nb_retained, 0);
	return TEST_SUCCESS;
}

/* The program says of a context that wakes nobody that somebody is to be waked. */
static int
test_wakes_nobody(void)
{
	struct shm_msgq_comp_state *st;
	struct rte_comch_dpa_dev_elem elem;
	int i;

	TEST_CALL(both_create(SHM_MSGQ_NO_UNIT));
	st = ((struct shm_msgq_completion *)rx_comp.priv)->prog.host;
	__atomic_store_n(&st->armed, 1, __ATOMIC_RELAXED);
	TEST_EXPECT(rte_comch_dpa_dev_consumer_ack(consumer.handle, 1), 0);
	TEST_EXPECT(test_msgq_send(&sender, 1, "a", 1), 1);
	TEST_EXPECT(rte_comch_dpa_dev_completion_get(rx_comp.handle, &elem), 1);
	/* an engine that is awake again without a wake-up of the program does not count */
	for (i = 0; i < MANY; i++)
		shm_dpa_group_drain(&msgq_dpa, 0, 0);
	TEST_EXPECT(msgq_dpa.groups[0].nb_wakes, 0);
	TEST_EXPECT(msgq_dpa.down, 0);
	both_free();
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "message queues, and what cannot be",
	.setup = NULL,
	.teardown = NULL,
	.unit_test_cases = {
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_bad_words),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_word_without_post),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_batch_in_parts),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_next_consumer),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_credits),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_app_args),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_bursts),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_tables),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_ended),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_busy_unit),
		TEST_CASE_ST(test_msgq_setup, test_msgq_teardown, test_wakes_nobody),
		TEST_CASES_END(),
	},
};

REGISTER_FAST_TEST(shm_msgq_bad_autotest, unit_test_suite_runner, &suite);
