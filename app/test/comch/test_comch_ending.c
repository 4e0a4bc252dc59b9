/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Endings that drivers tell of later: in time, by another thread, out of order, while
 * something else ends too, or never; and ops that fail. On the mock driver.
 */

#define ALLOW_INTERNAL_API 1

#include <pthread.h>
#include <unistd.h>

#include <rte_comch_pmd.h> /* check-ok: the mock driver's device is looked at */

#include "test_comch_fp_res.h"
#include "test_comch_fp_util.h"
#include "test_mock.h"

#define ERROR (-EXFULL) /* no function of the library makes this one up */
#define HELD_MS 5

/* Whatever can end later, with all that it needs. */
struct scene {
	struct test_fp fp;          /* a server and client that are connected */
	struct test_ep *lonely;     /* a server without connections */
	struct test_ep *seeker;     /* a client of a name that nobody has */
	struct rte_comch_pe *lonely_pe;
	struct rte_comch_pe *seeker_pe;
	struct test_q *consumer;    /* on the connection, of the server's side */
	struct test_q *producer;    /* the same, of the client's side */
};

static struct scene scene;

static int
case_setup(void)
{
	memset(&scene, 0, sizeof(scene));
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	return TEST_SUCCESS;
}

static int
scene_open(void)
{
	TEST_CALL(test_fp_open(&scene.fp, TEST_FP_TO_DPU));
	scene.lonely_pe = test_pe_new();
	scene.seeker_pe = test_pe_new();
	scene.lonely = test_server_run("lonely", scene.lonely_pe);
	TEST_CALL(test_fp_queues(&scene.fp, NULL, 1, 0, &scene.consumer, &scene.producer));
	return TEST_SUCCESS;
}

/* One thing of the scene that ends. */
struct thing {
	const char *name;
	enum test_mock_op op;
	int (*begin)(void);
	bool (*over)(void);
	struct rte_comch_ctx *(*ctx)(void); /* one that stays until then, or NULL */
	struct rte_comch_pe **pe;
};

static int
begin_stop(struct rte_comch_ctx *ctx)
{
	TEST_EXPECT(rte_comch_ctx_stop(ctx), -EINPROGRESS);
	return TEST_SUCCESS;
}

static struct rte_comch_ctx *
lonely_ctx(void)
{
	return scene.lonely->ctx;
}

static struct rte_comch_ctx *
seeker_ctx(void)
{
	return scene.seeker->ctx;
}

static struct rte_comch_ctx *
client_ctx(void)
{
	return scene.fp.tx.ep->ctx;
}

static struct rte_comch_ctx *
consumer_ctx(void)
{
	return scene.consumer->ctx;
}

static struct rte_comch_ctx *
producer_ctx(void)
{
	return scene.producer->ctx;
}

#define CTX_THING(which) \
	static int which##_begin(void) { return begin_stop(which##_ctx()); } \
	static bool which##_over(void) \
	{ \
		return rte_comch_ctx_state_get(which##_ctx()) == RTE_COMCH_STATE_IDLE; \
	}

CTX_THING(lonely)
CTX_THING(consumer)
CTX_THING(producer)

/* In progress it would learn soon that nobody has that name. */
static int
seeker_begin(void)
{
	scene.seeker = test_client_run("nobody", scene.seeker_pe);
	return begin_stop(scene.seeker->ctx);
}

static bool
seeker_over(void)
{
	return test_state(scene.seeker) == RTE_COMCH_STATE_IDLE;
}

/* A side ends its connection only without consumers and producers of its own. */
static int
conn_clear(struct test_q **q)
{
	struct test_q *gone = *q;

	*q = NULL;
	TEST_EXPECT(test_q_close(gone), 0);
	return TEST_SUCCESS;
}

static int
client_begin(void)
{
	TEST_CALL(conn_clear(&scene.producer));
	return begin_stop(client_ctx());
}

static bool
client_over(void)
{
	return test_state(scene.fp.tx.ep) == RTE_COMCH_STATE_IDLE;
}

static int
conn_begin(void)
{
	TEST_CALL(conn_clear(&scene.consumer));
	TEST_EXPECT(rte_comch_server_disconnect(scene.fp.rx.ep->conn), 0);
	return TEST_SUCCESS;
}

static bool
conn_over(void)
{
	return scene.fp.rx.ep->nb_disconnects == 1;
}

static const struct thing things[] = {
	{ "server", TEST_MOCK_UNLISTEN, lonely_begin, lonely_over, lonely_ctx,
		&scene.lonely_pe },
	{ "attempt to connect", TEST_MOCK_CONNECT_CANCEL, seeker_begin, seeker_over,
		seeker_ctx, &scene.seeker_pe },
	{ "client", TEST_MOCK_CONN_CLOSE, client_begin, client_over, client_ctx,
		&scene.fp.tx.pe },
	{ "connection of a server", TEST_MOCK_CONN_CLOSE, conn_begin, conn_over, NULL,
		&scene.fp.rx.pe },
	{ "consumer, stop", TEST_MOCK_QUEUE_STOP, consumer_begin, consumer_over, consumer_ctx,
		&scene.fp.rx.q_pe },
	{ "producer, stop", TEST_MOCK_QUEUE_STOP, producer_begin, producer_over, producer_ctx,
		&scene.fp.tx.q_pe },
	{ "consumer, free", TEST_MOCK_QUEUE_FREE, consumer_begin, consumer_over, consumer_ctx,
		&scene.fp.rx.q_pe },
	{ "producer, free", TEST_MOCK_QUEUE_FREE, producer_begin, producer_over, producer_ctx,
		&scene.fp.tx.q_pe },
};

/* A context that ends stays as it is, whatever is asked of it. */
static int
still_there(const struct thing *thing)
{
	struct rte_comch_ctx *ctx = thing->ctx == NULL ? NULL : thing->ctx();

	TEST_ASSERT(!thing->over(), "%s: over before it was told", thing->name);
	if (ctx == NULL)
		return TEST_SUCCESS;
	TEST_EXPECT(rte_comch_ctx_state_get(ctx), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_start(ctx), -EBUSY);
	TEST_EXPECT(rte_comch_ctx_stop(ctx), -EALREADY);
	return TEST_SUCCESS;
}

static int
check_held(const struct thing *thing)
{
	TEST_CALL(scene_open());
	test_mock_mode_set(thing->op, TEST_MOCK_HELD);
	TEST_CALL(thing->begin());
	TEST_WAIT(test_mock_nb_held(thing->op) == 1, TEST_MS);
	test_progress_ms(HELD_MS);
	TEST_CALL(still_there(thing));
	TEST_EXPECT(test_mock_tell(thing->op), 1);
	TEST_CALL(still_there(thing)); /* it ends in progress */
	TEST_WAIT(thing->over(), TEST_MS);
	test_progress_ms(1);
	TEST_TRUE(thing->over());
	return TEST_SUCCESS;
}

static int
each_thing(int (*check)(const struct thing *thing))
{
	unsigned int i;
	int ret;

	for (i = 0; i < RTE_DIM(things); i++) {
		TEST_CALL(case_setup());
		ret = check(&things[i]);
		if (ret != TEST_SUCCESS)
			test_note("of %s", things[i].name);
		TEST_CALL(ret);
		test_mock_case_teardown();
	}
	return TEST_SUCCESS;
}

/* Nothing is over before it was told, and all is then. */
static int
test_held(void)
{
	return each_thing(check_held);
}

static int
states_are(const int *states, uint32_t nb, int first)
{
	TEST_EXPECT(nb, first == RTE_COMCH_STATE_STARTING ? 4 : 3);
	TEST_EXPECT(states[0], first);
	TEST_EXPECT(states[nb - 3], RTE_COMCH_STATE_RUNNING);
	TEST_EXPECT(states[nb - 2], RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(states[nb - 1], RTE_COMCH_STATE_IDLE);
	return TEST_SUCCESS;
}

/* Tell of whatever is held, again and again, until something is over. */
static int
tell_until(bool (*over)(void))
{
	TEST_WAIT((test_mock_tell(TEST_MOCK_NB_OPS), over()), TEST_MS);
	return TEST_SUCCESS;
}

/* With all ops held: each state is entered once, and in order. */
static int
test_states(void)
{
	const int cancelled[] = { RTE_COMCH_STATE_STARTING, RTE_COMCH_STATE_STOPPING,
		RTE_COMCH_STATE_IDLE };
	struct scene *s = &scene;

	TEST_CALL(scene_open());
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_HELD);
	TEST_CALL(lonely_begin());
	TEST_CALL(seeker_begin());
	TEST_CALL(consumer_begin());
	TEST_CALL(producer_begin());
	TEST_CALL(tell_until(lonely_over));
	TEST_CALL(tell_until(seeker_over));
	TEST_CALL(tell_until(consumer_over));
	TEST_CALL(tell_until(producer_over));
	TEST_CALL(states_are(s->lonely->states, s->lonely->nb_states, RTE_COMCH_STATE_RUNNING));
	TEST_EXPECT(s->seeker->nb_states, RTE_DIM(cancelled));
	TEST_TRUE(memcmp(s->seeker->states, cancelled, sizeof(cancelled)) == 0);
	TEST_CALL(states_are(s->consumer->states, s->consumer->nb_states,
		RTE_COMCH_STATE_STARTING));
	TEST_CALL(states_are(s->producer->states, s->producer->nb_states,
		RTE_COMCH_STATE_RUNNING));
	TEST_CALL(client_begin());
	TEST_CALL(tell_until(client_over));
	return states_are(s->fp.tx.ep->states, s->fp.tx.ep->nb_states,
		RTE_COMCH_STATE_STARTING);
}

#define MANY 5

/* The driver may end them in any order. */
static int
test_newest_first(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct rte_comch_dev *dev;
	struct test_ep *eps[MANY];
	struct test_q *qs[MANY];
	struct rte_comch_mem *mem;
	char name[16];
	unsigned int i;

	TEST_CALL(test_fp_open(&scene.fp, TEST_FP_TO_DPU));
	dev = test_mock_dev(test_pair.dpu);
	TEST_TRUE(dev != NULL);
	for (i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "many%u", i);
		eps[i] = test_server_run(name, pe);
		TEST_CALL(test_fp_consumer(&scene.fp, NULL, 1, 0, &qs[i]));
	}
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_HELD);
	for (i = 0; i < MANY; i++) {
		mem = test_mem_alloc(test_pair.dpu, 4096, 0);
		TEST_EXPECT(test_mem_free(mem), 0);
		TEST_EXPECT(rte_comch_ctx_stop(eps[i]->ctx), -EINPROGRESS);
		TEST_EXPECT(rte_comch_ctx_stop(qs[i]->ctx), -EINPROGRESS);
	}
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_NB_OPS) == 3 * MANY, TEST_MS);
	TEST_TRUE(!TAILQ_EMPTY(&dev->freeing));
	TEST_EXPECT(test_mock_tell(TEST_MOCK_NB_OPS), 3 * MANY);
	TEST_TRUE(TAILQ_EMPTY(&dev->freeing));
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_QUEUE_FREE) == MANY, TEST_MS);
	TEST_EXPECT(test_mock_tell(TEST_MOCK_QUEUE_FREE), MANY);
	for (i = 0; i < MANY; i++) {
		TEST_WAIT(test_state(eps[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
		TEST_WAIT(test_q_state(qs[i]) == RTE_COMCH_STATE_IDLE, TEST_MS);
	}
	return TEST_SUCCESS;
}

static void *
tell_soon(void *arg)
{
	enum test_mock_op *op = arg;

	usleep(HELD_MS * 1000);
	test_mock_tell(*op);
	return NULL;
}

/* An engine that sleeps is woken by the driver's thread. */
static int
check_sleeper(const struct thing *thing)
{
	enum test_mock_op op = thing->op;
	struct rte_comch_pe *pe;
	pthread_t thread;
	int ret;

	TEST_CALL(test_need_event());
	TEST_CALL(scene_open());
	pe = *thing->pe;
	test_mock_mode_set(op, TEST_MOCK_HELD);
	TEST_CALL(thing->begin());
	TEST_WAIT(test_mock_nb_held(op) == 1, TEST_MS);
	test_settle();
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(pthread_create(&thread, NULL, tell_soon, &op), 0);
	ret = test_wait_fd(pe, 1000); /* the time limit of the end is behind that */
	pthread_join(thread, NULL);
	TEST_EXPECT(ret, 1);
	TEST_TRUE(rte_comch_pe_progress(pe) >= 0);
	TEST_WAIT(thing->over(), TEST_MS);
	return TEST_SUCCESS;
}

static int
test_sleeper(void)
{
	return each_thing(check_sleeper);
}

/* Told before the engine goes to sleep: it does not. */
static int
test_told_before_sleep(void)
{
	struct rte_comch_pe *pe = test_pe_new();
	struct test_ep *ep = test_server_run("early", pe);

	test_settle();
	TEST_CALL(test_need_event());
	test_mock_mode_set(TEST_MOCK_UNLISTEN, TEST_MOCK_INSIDE);
	TEST_EXPECT(test_arm(pe), 0);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EINPROGRESS);
	TEST_EXPECT(test_wait_fd(pe, TEST_MS), 1);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_start(ep->ctx), 0);

	test_mock_mode_set(TEST_MOCK_UNLISTEN, TEST_MOCK_HELD);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EINPROGRESS);
	test_settle();
	TEST_EXPECT(test_mock_tell(TEST_MOCK_UNLISTEN), 1);
	TEST_EXPECT(rte_comch_pe_arm(pe), -EAGAIN);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return TEST_SUCCESS;
}

/* The peer ends the connection while the driver still ends what is on it. */
static int
test_peer_goes(void)
{
	TEST_CALL(scene_open());
	TEST_CALL(conn_clear(&scene.consumer));
	test_mock_mode_set(TEST_MOCK_QUEUE_STOP, TEST_MOCK_HELD);
	TEST_CALL(producer_begin());
	TEST_EXPECT(rte_comch_server_disconnect(scene.fp.rx.ep->conn), 0);
	TEST_WAIT(client_over() && conn_over(), TEST_MS);
	test_progress_ms(HELD_MS);
	TEST_EXPECT(test_q_state(scene.producer), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_mock_tell(TEST_MOCK_QUEUE_STOP), 1);
	TEST_WAIT(producer_over(), TEST_MS);
	TEST_EXPECT(scene.producer->nb_states, 3);
	return TEST_SUCCESS;
}

/* The device fails meanwhile; what waits for its driver goes on waiting. */
static int
test_device_fails(void)
{
	TEST_CALL(scene_open());
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_HELD);
	TEST_CALL(lonely_begin());
	scene.seeker = test_client_run("nobody", scene.seeker_pe);
	rte_comch_pmd_dev_down(test_mock_dev(test_pair.dpu), -EIO);
	rte_comch_pmd_dev_down(test_mock_dev(test_pair.host), -EIO);
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_CONNECT_CANCEL) == 1, TEST_MS);
	test_progress_ms(HELD_MS);
	TEST_EXPECT(test_state(scene.lonely), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(test_state(scene.seeker), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	TEST_EXPECT(test_mock_tell(TEST_MOCK_UNLISTEN), 2); /* the other server stops, too */
	TEST_EXPECT(test_mock_tell(TEST_MOCK_CONNECT_CANCEL), 1);
	TEST_WAIT(lonely_over() && seeker_over(), TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(scene.lonely->ctx), 0);
	TEST_EXPECT(rte_comch_ctx_reason_get(scene.seeker->ctx), -EIO);
	return TEST_SUCCESS;
}

/* A connect timeout begins an end like any other. */
static int
test_connect_times_out(void)
{
	struct test_ep *ep;
	const struct rte_comch_client_conf conf = { .name = "nobody", .connect_timeout_ms = 10 };

	test_mock_mode_set(TEST_MOCK_CONNECT_CANCEL, TEST_MOCK_HELD);
	ep = test_client_run_conf(&conf, test_pe_new());
	TEST_WAIT(test_mock_nb_held(TEST_MOCK_CONNECT_CANCEL) == 1, TEST_MS);
	test_progress_ms(HELD_MS);
	TEST_EXPECT(test_state(ep), RTE_COMCH_STATE_STOPPING);
	TEST_EXPECT(rte_comch_ctx_stop(ep->ctx), -EALREADY);
	TEST_EXPECT(test_mock_tell(TEST_MOCK_CONNECT_CANCEL), 1);
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	TEST_EXPECT(rte_comch_ctx_reason_get(ep->ctx), -ETIMEDOUT);
	TEST_EXPECT(ep->nb_states, 3);
	return TEST_SUCCESS;
}

/* A region is gone when the driver has told, from any thread. */
static int
test_region(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.dpu, 4096, 0);
	enum test_mock_op op = TEST_MOCK_MEM_FREE;
	pthread_t thread;

	TEST_TRUE(dev != NULL);
	test_mock_mode_set(op, TEST_MOCK_HELD);
	TEST_EXPECT(test_mem_free(mem), 0);
	TEST_EXPECT(rte_comch_pmd_hide(dev), -EBUSY);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	TEST_EXPECT(pthread_create(&thread, NULL, tell_soon, &op), 0);
	pthread_join(thread, NULL);
	TEST_EXPECT(rte_comch_pmd_hide(dev), 0);
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	return TEST_SUCCESS;
}

/* A device that has failed may end nothing any more: a reset does, and does not wait. */
static int
test_region_of_failed(void)
{
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct rte_comch_mem *mem = test_mem_alloc(test_pair.dpu, 4096, 0);
	struct rte_comch_dev_stats before = { 0 }, after = { 0 };

	TEST_TRUE(dev != NULL);
	rte_comch_dev_stats_get(test_pair.dpu, &before);
	test_mock_mode_set(TEST_MOCK_MEM_FREE, TEST_MOCK_HELD);
	TEST_EXPECT(test_mem_free(mem), 0);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	rte_comch_pmd_dev_down(dev, -EIO);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), 0);
	rte_comch_dev_stats_get(test_pair.dpu, &after);
	TEST_EXPECT(after.retained, before.retained + 1);
	test_mock_mode_set(TEST_MOCK_NB_OPS, TEST_MOCK_PASS);
	test_mock_drop(TEST_MOCK_MEM_FREE);
	TEST_TRUE(test_mock_tell_dropped() >= 1);
	return TEST_SUCCESS;
}

/* The driver ends a poll group: its device stays until then, and so does the engine. */
static int
test_poll_group(void)
{
	enum test_mock_op op = TEST_MOCK_PGROUP_DESTROY;
	struct rte_comch_dev *dev = test_mock_dev(test_pair.dpu);
	struct test_ep *ep = test_server_run("alone", test_pe_new());
	pthread_t thread;
	int hidden;

	TEST_TRUE(dev != NULL);
	TEST_CALL(test_stop(ep));
	test_mock_mode_set(op, TEST_MOCK_HELD);
	TEST_EXPECT(test_ep_close(ep), 0);
	TEST_EXPECT(test_mock_nb_held(op), 1);
	test_progress_ms(HELD_MS);
	hidden = rte_comch_pmd_hide(dev);
	if (hidden == 0)
		TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	TEST_EXPECT(hidden, -EBUSY);
	TEST_EXPECT(rte_comch_dev_reset(test_pair.dpu), -EBUSY);
	TEST_EXPECT(pthread_create(&thread, NULL, tell_soon, &op), 0);
	test_cleanup(); /* destroys the engine */
	hidden = (int)test_mock_nb_held(op);
	pthread_join(thread, NULL);
	TEST_EXPECT(hidden, 0);
	TEST_EXPECT(rte_comch_pmd_hide(dev), 0);
	TEST_EXPECT(rte_comch_pmd_ready(dev), 0);
	return TEST_SUCCESS;
}

/*
 * Ops that fail
 */

/* What the scenario below has made. */
static struct test_ep *sc_consumer, *sc_producer;
static struct rte_comch_mem *sc_mem;

/* What a start has come to: 0 when it is RUNNING, or why it is IDLE again. */
static int
started(struct test_ep *ep, int ret)
{
	if (ret != 0 && ret != -EINPROGRESS && ret != -ECANCELED)
		return ret;
	TEST_WAIT(test_state(ep) == RTE_COMCH_STATE_RUNNING ||
			test_state(ep) == RTE_COMCH_STATE_IDLE, TEST_MS);
	return test_state(ep) == RTE_COMCH_STATE_RUNNING ? 0 : rte_comch_ctx_reason_get(ep->ctx);
}

static int
scenario_connect(struct test_ep *server, struct test_ep *client)
{
	struct rte_comch_server_conf server_conf;
	struct rte_comch_client_conf client_conf;

	test_server_conf(server, "scenario", &server_conf);
	test_client_conf(client, "scenario", &client_conf);
	TEST_CALL(started(server, test_server_start(server, &server_conf, test_pe_new())));
	TEST_CALL(started(client, test_client_start(client, &client_conf, test_pe_new())));
	TEST_WAIT(server->conn != NULL, TEST_MS);
	return TEST_SUCCESS;
}

static int
scenario_queues(struct test_ep *server, struct test_ep *client)
{
	int ret;

	TEST_CALL(rte_comch_mem_alloc(test_pair.dpu, 4096, 0, &sc_mem));
	sc_consumer = test_ep_new();
	TEST_CALL(started(sc_consumer,
		test_consumer_start(sc_consumer, server->conn, test_pe_new())));
	sc_producer = test_ep_new();
	TEST_CALL(rte_comch_producer_create(client->conn, NULL, &sc_producer->ctx));
	ret = rte_comch_ctx_attach(sc_producer->ctx, test_pe_new());
	return ret != 0 ? ret : started(sc_producer, rte_comch_ctx_start(sc_producer->ctx));
}

static int
scenario_messages(struct test_ep *server, struct test_ep *client)
{
	uint32_t id = 0;
	const struct rte_comch_send msg = { .cookie = 1 };
	const struct rte_comch_post post = { .cookie = 2 };
	struct rte_comch_cpl cpl;

	id = test_ctx_info(sc_consumer->ctx).queue_id;
	TEST_CALL(test_send_pattern(client->conn, 64, 1));
	TEST_WAIT(server->nb_recv == 1 && client->nb_done == 1, TEST_MS);
	TEST_WAIT(client->nb_new == 1, TEST_MS);
	TEST_EXPECT(rte_comch_consumer_post_burst(sc_consumer->ctx, &post, 1), 1);
	TEST_WAIT(rte_comch_producer_credits(sc_producer->ctx, id) == 1, TEST_MS);
	TEST_EXPECT(rte_comch_producer_send_burst(sc_producer->ctx, id, &msg, 1), 1);
	TEST_WAIT(rte_comch_queue_poll_burst(sc_consumer->ctx, &cpl, 1) == 1, TEST_MS);
	TEST_EXPECT(cpl.cookie, 2);
	TEST_WAIT(rte_comch_queue_poll_burst(sc_producer->ctx, &cpl, 1) == 1, TEST_MS);
	return TEST_SUCCESS;
}

/* All that an application does, up to the first call that fails: what that returned. */
static int
scenario(void)
{
	struct test_ep *server = test_ep_new(), *client = test_ep_new();

	TEST_CALL(scenario_connect(server, client));
	TEST_CALL(scenario_queues(server, client));
	return scenario_messages(server, client);
}

static void
scenario_down(void)
{
	/* a producer is not closed by itself */
	if (sc_producer != NULL)
		test_ep_close(sc_producer);
	if (sc_mem != NULL && rte_comch_mem_free(sc_mem) != 0)
		test_fail("the region is not freed");
	sc_consumer = sc_producer = NULL;
	sc_mem = NULL;
	test_cleanup();
	test_settle();
}

/* An op fails: the caller learns it, and nothing is left behind. */
static int
check_failures(int mode)
{
	struct test_resources before;
	bool again = false;
	unsigned int n;
	int ret, same;

	test_mock_mode_set(TEST_MOCK_NB_OPS, mode);
	ret = scenario(); /* what is kept after the first use is there */
	scenario_down();
	TEST_EXPECT(ret, 0);
	test_resources_get(&before);
	for (n = 1; ; n++) {
		test_mock_fail_set(n, ERROR);
		ret = scenario();
		test_mock_fail_set(0, 0);
		scenario_down();
		same = test_resources_same(&before);
		if (same != TEST_SUCCESS && !again) {
			/* links of devices come and go, too: a leak comes again */
			again = true;
			test_resources_get(&before);
			n--;
			continue;
		}
		TEST_CALL(same);
		again = false;
		if (ret == 0)
			break;
		TEST_EXPECT(ret, ERROR);
		TEST_TRUE(n < 40);
	}
	test_note("%u ops failed, one at a time", n - 1);
	/* 4 poll groups, listen, connect, mem_alloc, 2 queues, the announcement */
	TEST_TRUE(n - 1 >= 10);
	return TEST_SUCCESS;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: endings that are told",
	.setup = test_mock_suite_setup,
	.teardown = test_mock_suite_teardown,
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_held),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_states),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_newest_first),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_sleeper),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_told_before_sleep),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_peer_goes),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_device_fails),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_connect_times_out),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_region),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_region_of_failed),
		TEST_CASE_ST(case_setup, test_mock_case_teardown, test_poll_group),
		TEST_CASE_ARG(case_setup, test_mock_case_teardown, "test_failures", check_failures,
			TEST_MOCK_PASS),
		TEST_CASE_ARG(case_setup, test_mock_case_teardown, "test_failures_late_ends",
			check_failures, TEST_MOCK_THREAD),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(comch_ending_autotest, unit_test_suite_runner, &suite)
