/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The mock driver, see test_mock.h.
 */

#define ALLOW_INTERNAL_API 1

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <rte_comch_pmd.h> /* check-ok: a driver is played here */

#include "test_comch_fp_util.h"
#include "test_comch_place.h"
#include "test_mock.h"

#define MOCK_MAX_DEVS 16
#define MOCK_MAX_DELAY_US 3000

struct mock {
	struct rte_comch_dev *dev;
	const struct rte_comch_dev_ops *real;
	struct rte_comch_dev_ops ops;
};

/* Something to tell of, by the thread or by a test. */
struct mock_told {
	TAILQ_ENTRY(mock_told) next;
	struct rte_comch_pmd_ending *ending;
	enum test_mock_op op;
	uint64_t at_ns; /* UINT64_MAX: held */
};

TAILQ_HEAD(mock_told_list, mock_told);

/* A message that the library has not taken; in the thread of its connection. */
struct mock_msg {
	TAILQ_ENTRY(mock_msg) next;
	struct rte_comch_conn *conn;
	struct rte_comch_pgroup *pg;
	bool due; /* it may be handed up */
	uint32_t len;
	uint64_t data[]; /* aligned as the library has it */
};

static TAILQ_HEAD(mock_msg_list, mock_msg) kept = TAILQ_HEAD_INITIALIZER(kept);

static struct mock mocks[MOCK_MAX_DEVS];
static enum test_mock_mode modes[TEST_MOCK_NB_OPS];
static unsigned int fail_in;
static int fail_error;

/* the thread that tells */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t wake = PTHREAD_COND_INITIALIZER;
static struct mock_told_list waiting = TAILQ_HEAD_INITIALIZER(waiting);
/* dropped: what the library keeps for good can be found from here */
static struct mock_told_list dropped = TAILQ_HEAD_INITIALIZER(dropped);
/* and told after all: each end is told once, and its object may be gone now */
static struct mock_told_list late = TAILQ_HEAD_INITIALIZER(late);
/* Of suites whose devices are not those of other tests. */
static struct test_place suite_place;
static struct test_pair suite_saved;
static int suite_card = -1, suite_host = -1;
static pthread_t teller;
static bool teller_runs;
static bool telling; /* it is inside rte_comch_pmd_ended() */

static struct mock *
mock_find(const struct rte_comch_dev *dev)
{
	unsigned int i;

	for (i = 0; i < MOCK_MAX_DEVS; i++)
		if (mocks[i].dev == dev)
			return &mocks[i];
	return NULL;
}

static void *
teller_main(void *arg __rte_unused)
{
	struct rte_comch_pmd_ending *ending;
	struct timespec until;
	struct mock_told *told;
	uint64_t now;
	bool idle;

	pthread_mutex_lock(&lock);
	while (teller_runs) {
		now = test_now_ns();
		idle = true;
		TAILQ_FOREACH(told, &waiting, next) {
			if (told->at_ns <= now)
				break;
			idle &= told->at_ns == UINT64_MAX;
		}
		if (told == NULL && idle) {
			pthread_cond_wait(&wake, &lock);
			continue;
		}
		if (told == NULL) {
			clock_gettime(CLOCK_REALTIME, &until);
			until.tv_nsec += 200 * 1000;
			if (until.tv_nsec >= 1000000000) {
				until.tv_nsec -= 1000000000;
				until.tv_sec++;
			}
			pthread_cond_timedwait(&wake, &lock, &until);
			continue;
		}
		TAILQ_REMOVE(&waiting, told, next);
		ending = told->ending;
		free(told);
		telling = true;
		pthread_mutex_unlock(&lock);
		rte_comch_pmd_ended(ending);
		pthread_mutex_lock(&lock);
		telling = false;
	}
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *
tell_once(void *ending)
{
	rte_comch_pmd_ended(ending);
	return NULL;
}

/*
 * The driver has done it: what the library is told about that. The object that has
 * ended may be gone, the ending is not.
 */
static int
mock_end(enum test_mock_op op, struct rte_comch_pmd_ending *ending, int ret)
{
	struct mock_told *told;
	pthread_t thread;

	if (ret != 0 || modes[op] == TEST_MOCK_PASS)
		return ret;
	if (modes[op] == TEST_MOCK_INSIDE) {
		if (pthread_create(&thread, NULL, tell_once, ending) != 0)
			return 0;
		pthread_join(thread, NULL);
		return -EINPROGRESS;
	}
	told = calloc(1, sizeof(*told));
	if (told == NULL)
		return 0;
	told->op = op;
	told->ending = ending;
	told->at_ns = modes[op] == TEST_MOCK_HELD ? UINT64_MAX :
		test_now_ns() + test_rand() % MOCK_MAX_DELAY_US * 1000;
	pthread_mutex_lock(&lock);
	TAILQ_INSERT_TAIL(&waiting, told, next);
	if (!teller_runs) {
		teller_runs = true;
		if (pthread_create(&teller, NULL, teller_main, NULL) != 0)
			test_fail("no thread for the mock driver");
	}
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	return -EINPROGRESS;
}

/* Queues of drivers whose hardware says nothing any more. */
static bool mute;
static uint16_t (*real_poll[2])(void *queue, struct rte_comch_cpl *cpls, uint16_t nb);

static uint16_t
mock_poll_producer(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return mute ? 0 : real_poll[0](queue, cpls, nb);
}

static uint16_t
mock_poll_consumer(void *queue, struct rte_comch_cpl *cpls, uint16_t nb)
{
	return mute ? 0 : real_poll[1](queue, cpls, nb);
}

void
test_mock_mute(bool on)
{
	mute = on;
}

/* Whether this call of an op that can fail is the one that fails. */
static int
mock_fails(void)
{
	if (fail_in == 0 || --fail_in != 0)
		return 0;
	return fail_error;
}

static int
mock_unlisten(struct rte_comch_ctrl *server, struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_UNLISTEN, ending,
			mock_find(server->dev)->real->unlisten(server, ending));
}

static int
mock_connect_cancel(struct rte_comch_ctrl *client, int reason,
		struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_CONNECT_CANCEL, ending,
			mock_find(client->dev)->real->connect_cancel(client, reason, ending));
}

static void
kept_drop(const struct rte_comch_conn *conn)
{
	struct mock_msg *msg, *next;

	for (msg = TAILQ_FIRST(&kept); msg != NULL; msg = next) {
		next = TAILQ_NEXT(msg, next);
		if (conn != NULL && msg->conn != conn)
			continue;
		TAILQ_REMOVE(&kept, msg, next);
		free(msg);
	}
}

int
test_mock_msg_recv(struct rte_comch_conn *conn, const void *data, uint32_t len)
{
	struct mock_msg *msg = calloc(1, sizeof(*msg) + RTE_ALIGN_CEIL(len, 8));
	int ret;

	if (msg == NULL)
		return -ENOMEM;
	msg->conn = conn;
	msg->pg = conn->ctrl->pg;
	msg->len = len;
	memcpy(msg->data, data, len);
	ret = rte_comch_pmd_msg_recv(conn, msg->data, len);
	if (ret == -EAGAIN)
		TAILQ_INSERT_TAIL(&kept, msg, next);
	else
		free(msg);
	return ret;
}

static void
mock_conn_rx_resume(struct rte_comch_conn *conn)
{
	struct mock_msg *msg;

	TAILQ_FOREACH(msg, &kept, next)
		msg->due |= msg->conn == conn;
	mock_find(conn->ctrl->dev)->real->conn_rx_resume(conn);
}

/* Those that may be handed up by now, before what the driver finds. */
static int
mock_pgroup_poll(struct rte_comch_pgroup *pg, uint64_t now)
{
	struct mock_msg *msg;
	int nb = 0;

	while ((msg = TAILQ_FIRST(&kept)) != NULL && msg->due && msg->pg == pg &&
			rte_comch_pmd_msg_recv(msg->conn, msg->data, msg->len) == 0) {
		TAILQ_REMOVE(&kept, msg, next);
		free(msg);
		nb++;
	}
	return nb + mock_find(pg->dev)->real->pgroup_poll(pg, now);
}

static int
mock_conn_close(struct rte_comch_conn *conn, int reason, struct rte_comch_pmd_ending *ending)
{
	kept_drop(conn);
	return mock_end(TEST_MOCK_CONN_CLOSE, ending,
			mock_find(conn->ctrl->dev)->real->conn_close(conn, reason, ending));
}

static int
mock_queue_stop(struct rte_comch_queue *queue, int status, struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_QUEUE_STOP, ending,
			mock_find(queue->dev)->real->queue_stop(queue, status, ending));
}

static int
mock_queue_free(struct rte_comch_queue *queue, struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_QUEUE_FREE, ending,
			mock_find(queue->dev)->real->queue_free(queue, ending));
}

static int
mock_mem_free(struct rte_comch_mem *mem, struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_MEM_FREE, ending,
			mock_find(mem->dev)->real->mem_free(mem, ending));
}

static int
mock_pgroup_destroy(struct rte_comch_pgroup *pg, struct rte_comch_pmd_ending *ending)
{
	return mock_end(TEST_MOCK_PGROUP_DESTROY, ending,
			mock_find(pg->dev)->real->pgroup_destroy(pg, ending));
}

static int
mock_pgroup_create(struct rte_comch_dev *dev, struct rte_comch_pe *pe,
		struct rte_comch_pgroup **pg)
{
	int ret = mock_fails();

	return ret != 0 ? ret : mock_find(dev)->real->pgroup_create(dev, pe, pg);
}

static int
mock_listen(struct rte_comch_ctrl *server)
{
	int ret = mock_fails();

	return ret != 0 ? ret : mock_find(server->dev)->real->listen(server);
}

static int
mock_connect(struct rte_comch_ctrl *client)
{
	int ret = mock_fails();

	return ret != 0 ? ret : mock_find(client->dev)->real->connect(client);
}

static int
mock_mem_alloc(struct rte_comch_mem *mem)
{
	int ret = mock_fails();

	return ret != 0 ? ret : mock_find(mem->dev)->real->mem_alloc(mem);
}

static int
mock_mem_register(struct rte_comch_mem *mem)
{
	int ret = mock_fails();

	return ret != 0 ? ret : mock_find(mem->dev)->real->mem_register(mem);
}

static int
mock_queue_setup(struct rte_comch_queue *queue, struct rte_comch_fp_object *fp)
{
	int ret = mock_fails();

	if (ret == 0)
		ret = mock_find(queue->dev)->real->queue_setup(queue, fp);
	/* queues that are polled by the library; the driver has one function for each kind */
	if (ret != 0 || queue->nb_tasks == 0 || queue->msgq != NULL)
		return ret;
	real_poll[queue->is_consumer] = fp->poll;
	fp->poll = queue->is_consumer ? mock_poll_consumer : mock_poll_producer;
	return 0;
}

/* Announcements that do not reach the driver. */
static bool deaf;
static struct rte_comch_queue *unanswered;

void
test_mock_deaf(bool on)
{
	deaf = on;
}

struct rte_comch_queue *
test_mock_unanswered(void)
{
	return unanswered;
}

static int
mock_consumer_announce(struct rte_comch_queue *queue)
{
	int ret = mock_fails();

	if (ret == 0 && deaf) {
		unanswered = queue;
		return 0;
	}
	return ret != 0 ? ret : mock_find(queue->dev)->real->consumer_announce(queue);
}

/* Drivers without a reset have nothing to undo. */
static int
mock_reset(struct rte_comch_dev *dev)
{
	const struct rte_comch_dev_ops *real = mock_find(dev)->real;

	return real->reset == NULL ? 0 : real->reset(dev);
}

/* By its name: the table of devices is the library's. */
struct rte_comch_dev *
test_mock_dev(int16_t dev_id)
{
	struct rte_comch_dev_info info;

	if (rte_comch_dev_info_get(dev_id, &info) != 0)
		return NULL;
	return rte_comch_pmd_get_by_name(info.name);
}

int
test_mock_install(int16_t dev_id)
{
	struct rte_comch_dev *dev = test_mock_dev(dev_id);
	struct mock *mock = mock_find(NULL);

	if (dev == NULL || mock == NULL || dev->ops->mem_alloc == NULL)
		return -EINVAL;
	mock->dev = dev;
	mock->real = dev->ops;
	mock->ops = *dev->ops;
	mock->ops.unlisten = mock_unlisten;
	mock->ops.connect_cancel = mock_connect_cancel;
	mock->ops.conn_close = mock_conn_close;
	mock->ops.queue_stop = mock_queue_stop;
	mock->ops.queue_free = mock_queue_free;
	mock->ops.mem_free = mock_mem_free;
	mock->ops.pgroup_destroy = mock_pgroup_destroy;
	mock->ops.pgroup_create = mock_pgroup_create;
	mock->ops.pgroup_poll = mock_pgroup_poll;
	mock->ops.conn_rx_resume = mock_conn_rx_resume;
	mock->ops.listen = mock_listen;
	mock->ops.connect = mock_connect;
	mock->ops.mem_alloc = mock_mem_alloc;
	if (dev->ops->mem_register != NULL)
		mock->ops.mem_register = mock_mem_register;
	mock->ops.queue_setup = mock_queue_setup;
	mock->ops.consumer_announce = mock_consumer_announce;
	dev->ops = &mock->ops;
	return 0;
}

bool
test_mock_is_busy(void)
{
	struct mock_told *told;
	bool busy;

	pthread_mutex_lock(&lock);
	busy = telling;
	TAILQ_FOREACH(told, &waiting, next)
		busy |= told->at_ns != UINT64_MAX;
	pthread_mutex_unlock(&lock);
	return busy;
}

/* Until the thread has told of all that it has to; it takes milliseconds. */
static void
teller_settle(void)
{
	uint64_t end = test_now_ns() + (uint64_t)TEST_MS * 1000000;

	while (test_mock_is_busy() && test_now_ns() < end)
		sched_yield();
}

void
test_mock_remove(int16_t dev_id)
{
	struct rte_comch_dev *dev = test_mock_dev(dev_id);
	struct mock *mock = dev == NULL ? NULL : mock_find(dev);

	if (mock == NULL)
		return;
	teller_settle();
	dev->ops = mock->real;
	memset(mock, 0, sizeof(*mock));
	if (!teller_runs)
		return;
	/* the last one: nobody is left to tell of */
	for (mock = mocks; mock < mocks + MOCK_MAX_DEVS; mock++)
		if (mock->dev != NULL)
			return;
	pthread_mutex_lock(&lock);
	teller_runs = false;
	pthread_cond_signal(&wake);
	pthread_mutex_unlock(&lock);
	pthread_join(teller, NULL);
}

bool
test_mock_is_on(void)
{
	const char *mode = getenv("COMCH_TEST_MOCK");

	return mode != NULL && mode[0] != '\0';
}

int
test_mock_install_by_env(int16_t dev_id)
{
	const char *mode = getenv("COMCH_TEST_MOCK");

	if (!test_mock_is_on())
		return 0;
	if (strcmp(mode, "thread") != 0 && strcmp(mode, "inside") != 0) {
		test_fail("COMCH_TEST_MOCK is '%s', not thread or inside", mode);
		return -EINVAL;
	}
	test_mock_mode_by_env();
	return test_mock_install(dev_id);
}

void
test_mock_mode_by_env(void)
{
	const char *mode = getenv("COMCH_TEST_MOCK");

	test_mock_mode_set(TEST_MOCK_NB_OPS, !test_mock_is_on() ? TEST_MOCK_PASS :
		mode[0] == 't' ? TEST_MOCK_THREAD : TEST_MOCK_INSIDE);
}

void
test_mock_mode_set(enum test_mock_op op, enum test_mock_mode mode)
{
	unsigned int i;

	for (i = 0; i < TEST_MOCK_NB_OPS; i++)
		if (op == i || op == TEST_MOCK_NB_OPS)
			modes[i] = mode;
}

/* Take the newest that is held. */
static struct mock_told *
held_take(enum test_mock_op op)
{
	struct mock_told *told;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH_REVERSE(told, &waiting, mock_told_list, next)
		if (told->at_ns == UINT64_MAX && (told->op == op || op == TEST_MOCK_NB_OPS))
			break;
	if (told != NULL)
		TAILQ_REMOVE(&waiting, told, next);
	pthread_mutex_unlock(&lock);
	return told;
}

unsigned int
test_mock_nb_held(enum test_mock_op op)
{
	struct mock_told *told;
	unsigned int nb = 0;

	pthread_mutex_lock(&lock);
	TAILQ_FOREACH(told, &waiting, next)
		nb += told->at_ns == UINT64_MAX && (told->op == op || op == TEST_MOCK_NB_OPS);
	pthread_mutex_unlock(&lock);
	return nb;
}

unsigned int
test_mock_tell(enum test_mock_op op)
{
	struct mock_told *told;
	unsigned int nb = 0;

	for (told = held_take(op); told != NULL; told = held_take(op)) {
		rte_comch_pmd_ended(told->ending);
		free(told);
		nb++;
	}
	return nb;
}

void
test_mock_drop(enum test_mock_op op)
{
	struct mock_told *told;

	for (told = held_take(op); told != NULL; told = held_take(op))
		TAILQ_INSERT_TAIL(&dropped, told, next);
}

unsigned int
test_mock_tell_dropped(void)
{
	struct mock_told *told;
	unsigned int nb = 0;

	while ((told = TAILQ_FIRST(&dropped)) != NULL) {
		TAILQ_REMOVE(&dropped, told, next);
		TAILQ_INSERT_TAIL(&late, told, next);
		rte_comch_pmd_ended(told->ending);
		nb++;
	}
	return nb;
}

void
test_mock_fail_set(unsigned int n, int error)
{
	fail_in = n;
	fail_error = error;
}

/* The mock of a device can be reset, or not as the driver can. */
static bool
reset_set(int16_t dev_id, bool on)
{
	struct mock *mock = mock_find(test_mock_dev(dev_id));

	if (mock == NULL)
		return false;
	mock->ops.reset = on ? mock_reset : mock->real->reset;
	return true;
}

/* What the library sees is the mock's: a pair of shm below it, whatever the others run on. */
static int
suite_pair(void)
{
	if (!test_place_is_bluefield())
		return test_pair_first();
	suite_saved = test_pair;
	TEST_CALL(test_place_open_shm(&suite_place));
	suite_card = test_place_card(&suite_place);
	suite_host = test_place_host(&suite_place, test_place_function(0));
	return test_place_pair(suite_card, suite_host);
}

static void
suite_pair_remove(void)
{
	if (!suite_place.is_open)
		return;
	if (suite_host >= 0 && test_vdev_remove((int16_t)suite_host) != 0)
		printf("The host device cannot be removed\n");
	if (suite_card >= 0 && test_vdev_remove((int16_t)suite_card) != 0)
		printf("The card cannot be removed\n");
	test_place_close(&suite_place);
	test_pair = suite_saved;
}

int
test_mock_suite_setup(void)
{
	TEST_CALL(suite_pair());
	TEST_CALL(test_fp_need());
	test_log_quiet();
	if (!test_mock_is_on()) {
		test_mock_install(test_pair.dpu);
		test_mock_install(test_pair.host);
	}
	if (reset_set(test_pair.dpu, true) && reset_set(test_pair.host, true))
		return TEST_SUCCESS;
	test_mock_suite_teardown();
	return test_skip("the mock driver does not fit the devices");
}

void
test_mock_suite_teardown(void)
{
	test_mock_mode_by_env();
	reset_set(test_pair.dpu, false);
	reset_set(test_pair.host, false);
	if (!test_mock_is_on()) {
		test_mock_remove(test_pair.dpu);
		test_mock_remove(test_pair.host);
	}
	suite_pair_remove();
}

static void
dev_up(int16_t dev_id)
{
	struct rte_comch_dev_info info;

	if (rte_comch_dev_info_get(dev_id, &info) != 0)
		test_fail("a device is gone after the case");
	else if (info.status != 0 && rte_comch_dev_reset(dev_id) != 0)
		test_fail("%s is down after the case", info.name);
}

void
test_mock_case_teardown(void)
{
	test_mock_fail_set(0, 0);
	test_mock_mute(false);
	test_mock_deaf(false);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	test_mock_tell(TEST_MOCK_NB_OPS);
	kept_drop(NULL);
	test_fp_cleanup();
	dev_up(test_pair.dpu);
	dev_up(test_pair.host);
}
