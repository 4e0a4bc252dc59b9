/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What a BlueField device that talks has besides its poll groups: a worker that runs jobs
 * in order and never loses one, connection management in that, regions with keys, and
 * words for the owner of the switch that are the right ones.
 */

#include <rte_cycles.h>
#include <rte_eal.h>
#include <rte_malloc.h>

#include "bluefield_bounce.h"
#include "test_bluefield_group.h"

/*
 * Jobs
 */

#define NB_JOBS 64

static struct bf_job jobs[NB_JOBS];
static uint32_t order[2 * NB_JOBS];
static uint32_t nb_run; /* atomic */
static int run_status;

static void
job_note(struct bf_job *job)
{
	order[nb_run] = job - jobs;
	__atomic_store_n(&nb_run, nb_run + 1, __ATOMIC_RELEASE);
}

/* One that uses firmware, and notes what that said. */
static void
job_query(struct bf_job *job)
{
	struct bf_vport vport;

	run_status = bf_vport_query(group_dev->objs, &vport);
	job_note(job);
}

static void
job_slow(struct bf_job *job)
{
	rte_delay_us_sleep(50000);
	job_note(job);
}

/* One that goes on with another: it is the last of all, then. */
static void
job_again(struct bf_job *job)
{
	job->run = job_query;
	bf_job_post(group_dev, job);
}

static uint32_t
jobs_run(void)
{
	return __atomic_load_n(&nb_run, __ATOMIC_ACQUIRE);
}

static void
jobs_post(uint32_t nb, void (*run)(struct bf_job *job))
{
	uint32_t i;

	__atomic_store_n(&nb_run, 0, __ATOMIC_RELAXED);
	for (i = 0; i < nb; i++) {
		jobs[i].run = run;
		bf_job_post(group_dev, &jobs[i]);
	}
}

static int
test_jobs_in_order(void)
{
	uint32_t i, round;

	for (round = 0; round < 20; round++) {
		jobs_post(NB_JOBS, round % 4 == 0 ? job_query : job_note);
		TEST_WAIT(jobs_run() == NB_JOBS, TEST_MS);
		for (i = 0; i < NB_JOBS; i++)
			TEST_EXPECT(order[i], i);
	}
	jobs[0].run = job_again;
	__atomic_store_n(&nb_run, 0, __ATOMIC_RELAXED);
	bf_job_post(group_dev, &jobs[0]);
	TEST_WAIT(jobs_run() == 1, TEST_MS);
	TEST_EXPECT(run_status, 0);
	return group_passed_clean();
}

/* A reset and a removal wait for what was posted before. */
static int
test_jobs_before_reset(void)
{
	jobs_post(4, job_slow);
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	TEST_EXPECT(jobs_run(), 4);
	jobs_post(1, job_query);
	TEST_WAIT(jobs_run() == 1, TEST_MS);
	TEST_EXPECT(run_status, 0);
	jobs_post(4, job_slow);
	jobs[4].run = job_query;
	bf_job_post(group_dev, &jobs[4]);
	TEST_CALL(group_passed_clean());
	TEST_EXPECT(jobs_run(), 5);
	TEST_EXPECT(run_status, 0);
	return TEST_SUCCESS;
}

/* After a failure they run as ever, and their commands fail at once. */
static int
test_jobs_after_failure(void)
{
	struct bf_vport vport;
	uint64_t start;

	TEST_CALL(group_case_setup());
	TEST_CALL(group_dev_add("cmd_timeout=200"));
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0vf0 cmd opcode=QUERY_NIC_VPORT_CONTEXT count=1 no-answer"), 0);
	TEST_EXPECT(bf_vport_query(group_dev->objs, &vport), -ETIMEDOUT);
	start = test_now_ns();
	jobs_post(NB_JOBS, job_query);
	TEST_WAIT(jobs_run() == NB_JOBS, TEST_MS);
	TEST_TRUE(test_now_ns() - start < 1000000000);
	TEST_EXPECT(run_status, -ETIMEDOUT);
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	jobs_post(1, job_query);
	TEST_WAIT(jobs_run() == 1, TEST_MS);
	TEST_EXPECT(run_status, 0);
	return group_passed_clean();
}

/*
 * Completions that are lost
 */

/* A queue that overruns tells nothing more: the device is broken, and a reset mends it. */
static int
test_overrun(void)
{
	struct rte_comch_pe *pe;
	struct node node;
	unsigned int i;

	TEST_EXPECT(group_pe_add(&pe), 0);
	group_node_cqes = 8;
	TEST_CALL(node_create(group_of(pe), &node));
	for (i = 0; i < 8; i++)
		TEST_EXPECT(node_send(&node), 0);
	TEST_WAIT(test_dev_status(group_dev_id) != 0, TEST_MS);
	TEST_EXPECT(test_dev_status(group_dev_id), -EIO);
	TEST_TRUE(test_log_has("has lost completions, and is taken for broken"));
	node_destroy(&node);
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	group_node_cqes = 32;
	TEST_CALL(node_create(group_of(pe), &node));
	for (i = 0; i < 8; i++)
		TEST_EXPECT(node_send(&node), 0);
	GROUP_TURN(pe, node.nb_sent == 8 && node.nb_received == 8);
	TEST_EXPECT(test_dev_status(group_dev_id), 0);
	node_destroy(&node);
	return group_passed_clean();
}

/*
 * Connection management, and the switch
 */

struct attempt {
	struct bf_cm_id *id;
	int status;
	uint32_t done; /* atomic */
};

static void
attempt_event(void *arg, struct bf_cm_id *id, const struct bf_cm_event *ev)
{
	struct attempt *a = arg;

	if (ev->type != BF_CM_FAILED)
		return;
	a->status = ev->status;
	bf_cm_release(id);
	__atomic_store_n(&a->done, 1, __ATOMIC_RELEASE);
}

/* What becomes of a connect, which has no words for the other end's servers. */
static int
attempt(uint32_t timeout_ms)
{
	const struct bf_cm_qp own = {
		.qpn = 0x1234, .psn = 1, .mtu = 3, .retry_count = 7, .ack_timeout = 14,
	};
	static struct attempt a;

	memset(&a, 0, sizeof(a));
	TEST_EXPECT(bf_cm_connect(group_dev->cm, &group_dev->peer, &own, NULL, 0, timeout_ms,
		attempt_event, &a, &a.id), 0);
	TEST_WAIT(__atomic_load_n(&a.done, __ATOMIC_ACQUIRE) != 0, TEST_MS);
	return a.status;
}

/* Have the model's switch do what is advised, as its owner would. */
static int
advice_follow(const struct bf_dev *dev, const struct bf_cm_addr *peer)
{
	char text[BF_FDB_TEXT_SIZE], *line, *end;
	static const char rule[] = "tc filter add ";
	int nb = 0;

	bf_fdb_text(dev, peer, text, sizeof(text));
	for (line = text; *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		TEST_TRUE(end != NULL && strchr(line, '<') == NULL);
		*end = '\0';
		if (strncmp(line, rule, strlen(rule)) != 0)
			continue;
		TEST_ASSERT(test_model_ctl(&model, "rule add %s", line + strlen(rule)) == 0,
			"%s: %s", line, model.answer);
		nb++;
	}
	TEST_EXPECT(nb, 2);
	return TEST_SUCCESS;
}

#define CARD_ARGS "role=dpu,functions=pf0vf0@02:00:00:00:0a:00,function=ecpf0vf0"

/* Nothing passes, which is said with the commands; with these, there is an answer. */
static int
test_switch_advice(void)
{
	struct bf_dev *card;
	unsigned int nb;
	int id;

	id = test_model_dev_add(&model, "ecpf0vf0", CARD_ARGS);
	TEST_TRUE(id >= 0);
	TEST_EXPECT(attempt(300), -ETIMEDOUT);
	bf_fdb_advice(group_dev, &group_dev->peer);
	TEST_TRUE(test_log_has("does not answer: no driver is on that function, or the switch"));
	TEST_TRUE(test_log_has("--allow of comch-bluefield-model"));
	TEST_TRUE(test_log_has("tc filter add dev <representor of 02:00:00:00:0a:00> ingress"));
	TEST_TRUE(test_log_has("<representor of " GROUP_PEER ">"));
	/* not all of it again and again */
	nb = test_log_count("tc filter add");
	bf_fdb_advice(group_dev, &group_dev->peer);
	TEST_EXPECT(test_log_count("tc filter add"), nb);
	/* the card knows the names of both representors */
	card = group_dev_of((int16_t)id);
	TEST_CALL(advice_follow(card, &card->reps[0].addr));
	TEST_EXPECT(attempt(3000), -ECONNREFUSED);
	TEST_EXPECT(test_model_dev_remove(&model, (int16_t)id), 0);
	return group_passed_clean();
}

/* The same rules of IPv4, which both sides have. */
static int
test_switch_advice_ip4(void)
{
	struct bf_dev *card;
	int id;

	TEST_EXPECT(test_model_dev_remove(&model, group_dev_id), 0);
	id = test_model_dev_add(&model, "pf0vf0", "ip=192.0.2.2,peer=" GROUP_PEER "@192.0.2.1");
	TEST_TRUE(id >= 0);
	group_dev_id = (int16_t)id;
	group_dev = group_dev_of(group_dev_id);
	id = test_model_dev_add(&model, "ecpf0vf0", "ip=192.0.2.1,role=dpu,function=ecpf0vf0,"
		"functions=pf0vf0@02:00:00:00:0a:00@192.0.2.2");
	TEST_TRUE(id >= 0);
	TEST_EXPECT(attempt(300), -ETIMEDOUT);
	card = group_dev_of((int16_t)id);
	TEST_CALL(advice_follow(card, &card->reps[0].addr));
	TEST_EXPECT(attempt(3000), -ECONNREFUSED);
	TEST_EXPECT(test_model_dev_remove(&model, (int16_t)id), 0);
	return group_passed_clean();
}

/* After a reset of either side the other finds it where it was. */
static int
test_cm_after_reset(void)
{
	int16_t ids[2];
	int i;

	ids[0] = group_dev_id;
	ids[1] = (int16_t)test_model_dev_add(&model, "ecpf0vf0", CARD_ARGS);
	TEST_TRUE(ids[1] >= 0);
	TEST_CALL(advice_follow(group_dev_of(ids[1]), &group_dev->addr));
	for (i = 0; i < 4; i++) {
		TEST_EXPECT(attempt(3000), -ECONNREFUSED);
		TEST_EXPECT(rte_comch_dev_reset(ids[i % 2]), 0);
	}
	TEST_EXPECT(attempt(3000), -ECONNREFUSED);
	TEST_EXPECT(test_model_dev_remove(&model, ids[1]), 0);
	return group_passed_clean();
}

/*
 * Regions
 */

#define PW RTE_COMCH_MEM_F_PEER_WRITE

/* As the library makes one, for a device whose parts want none yet. */
static void
mem_init(struct rte_comch_mem *mem, uint64_t len, uint32_t flags)
{
	memset(mem, 0, sizeof(*mem));
	mem->dev = group_dev->rte_dev;
	mem->len = len;
	mem->flags = flags;
}

/* What the model says of the key: who may do what with it. */
static bool
key_says(const struct rte_comch_mem *mem, const char *rights)
{
	char key[32];
	char *at, *end;

	snprintf(key, sizeof(key), "key=0x%x ", bf_mem_lkey(mem, mem->addr, 1));
	if (test_model_ctl(&model, "dump pf0vf0") != 0)
		return false;
	at = strstr(model.answer, key);
	if (at == NULL)
		return false;
	end = strchr(at, '\n');
	if (end != NULL)
		*end = '\0';
	at = strstr(at, "rights=");
	return at != NULL && strcmp(at, rights) == 0;
}

static int
test_region_alloc(void)
{
	static const uint64_t lens[] = { 1, 4096, 4097, 100000, 4 << 20 };
	long base = group_objects();
	struct rte_comch_mem mem;
	unsigned int i;

	for (i = 0; i < RTE_DIM(lens); i++) {
		mem_init(&mem, lens[i], i % 2 == 0 ? PW : 0);
		TEST_EXPECT(bf_region_alloc(&mem), 0);
		TEST_TRUE(mem.addr != NULL && mem.page_size != 0);
		TEST_EXPECT((uintptr_t)mem.addr % mem.page_size, 0);
		memset(mem.addr, 1, RTE_ALIGN_CEIL(lens[i], mem.page_size));
		TEST_TRUE(bf_mem_lkey(&mem, mem.addr, lens[i]) != 0);
		TEST_EXPECT(group_objects(), base + 1);
		TEST_EXPECT(bf_region_free(&mem, NULL), 0);
		TEST_EXPECT(group_objects(), base);
	}
	/* there are no huge pages here */
	mem_init(&mem, 4096, RTE_COMCH_MEM_F_HUGE_ONLY);
	if (rte_eal_has_hugepages() == 0)
		TEST_EXPECT(bf_region_alloc(&mem), -ENOMEM);
	return group_passed_clean();
}

/* Nobody else may use a key, and one for sending cannot be written with. */
static int
test_region_rights(void)
{
	struct rte_comch_mem mem;

	mem_init(&mem, 4096, 0);
	TEST_EXPECT(bf_region_alloc(&mem), 0);
	TEST_ASSERT(key_says(&mem, "rights=lr,"), "%s", model.answer);
	TEST_EXPECT(bf_region_free(&mem, NULL), 0);
	mem_init(&mem, 4096, PW);
	TEST_EXPECT(bf_region_alloc(&mem), 0);
	TEST_ASSERT(key_says(&mem, "rights=lr,lw,"), "%s", model.answer);
	TEST_EXPECT(bf_region_free(&mem, NULL), 0);
	return group_passed_clean();
}

static int
test_region_chunks(void)
{
	static uint8_t heap[2 * 4096]; /* not of EAL */
	struct rte_comch_mem_chunk chunks[3];
	long base = group_objects();
	struct rte_comch_mem mem;
	uint32_t keys[3], i;
	uint8_t *bytes;

	bytes = rte_malloc("chunks", 8 * 4096, 4096);
	TEST_TRUE(bytes != NULL);
	chunks[0] = (struct rte_comch_mem_chunk){ bytes, 4096 };
	chunks[1] = (struct rte_comch_mem_chunk){ bytes + 2 * 4096, 100 };
	chunks[2] = (struct rte_comch_mem_chunk){ bytes + 5 * 4096, 2 * 4096 };
	mem_init(&mem, chunks[0].len, PW);
	mem.addr = bytes;
	mem.nb_chunks = RTE_DIM(chunks);
	mem.chunks = chunks;
	TEST_EXPECT(bf_region_register(&mem), 0);
	TEST_EXPECT(group_objects(), base + 3);
	for (i = 0; i < RTE_DIM(chunks); i++) {
		keys[i] = bf_mem_lkey(&mem, chunks[i].addr, chunks[i].len);
		TEST_TRUE(keys[i] != 0 && (i == 0 || keys[i] != keys[i - 1]));
		TEST_EXPECT(bf_mem_lkey(&mem, (uint8_t *)chunks[i].addr + chunks[i].len - 1, 1),
			keys[i]);
		TEST_EXPECT(bf_mem_lkey(&mem, chunks[i].addr, chunks[i].len + 1), 0);
	}
	TEST_EXPECT(bf_mem_lkey(&mem, bytes + 4096, 1), 0);
	TEST_EXPECT(bf_region_free(&mem, NULL), 0);
	TEST_EXPECT(group_objects(), base);
	/* one that the device cannot reach, and no bounce buffer: nothing is left of the others */
	chunks[2].addr = heap;
	mem.flags = PW | RTE_COMCH_MEM_F_NO_BOUNCE;
	TEST_EXPECT(bf_region_register(&mem), -ENOTSUP);
	TEST_EXPECT(group_objects(), base);
	rte_free(bytes);
	return group_passed_clean();
}

/* Two chunks with bounce buffers: each has its own, and what is in neither has none. */
static int
test_region_bounces(void)
{
	static uint8_t heap[3 * 4096]; /* not of EAL */
	struct rte_comch_mem_chunk chunks[2] = { { heap, 100 }, { heap + 4096, 100 } };
	const struct bf_region *region;
	struct rte_comch_mem mem, one;

	test_fill(heap, sizeof(heap), 1);
	mem_init(&mem, chunks[0].len, PW);
	mem.addr = heap;
	mem.nb_chunks = RTE_DIM(chunks);
	mem.chunks = chunks;
	TEST_EXPECT(bf_region_register(&mem), 0);
	region = mem.priv;
	bf_bounce_out(&mem, heap + 4096 + 84, 16);
	TEST_EXPECT(memcmp(region->bounces[1] + 84, heap + 4096 + 84, 16), 0);
	memset(region->bounces[0] + 8, 0x5a, 8);
	bf_bounce_in(&mem, heap + 8, 8);
	TEST_TRUE(heap[8] == 0x5a && heap[15] == 0x5a);
	bf_bounce_out(&mem, heap + 200, 16);
	bf_bounce_out(&mem, heap + 4096 + 84, 17);
	TEST_TRUE(bf_mem_find(group_dev, heap + 4096, 100) == &mem);
	TEST_TRUE(bf_mem_find(group_dev, heap + 4096, 101) == NULL);
	TEST_TRUE(bf_mem_find(group_dev, heap + 200, 1) == NULL);
	TEST_EXPECT(bf_region_free(&mem, NULL), 0);
	mem_init(&one, 4096, 0);
	TEST_EXPECT(bf_region_alloc(&one), 0);
	TEST_TRUE(bf_mem_find(group_dev, (uint8_t *)one.addr + 4095, 1) == &one);
	TEST_TRUE(bf_mem_find(group_dev, (uint8_t *)one.addr + 4095, 2) == NULL);
	TEST_EXPECT(bf_region_free(&one, NULL), 0);
	return group_passed_clean();
}

/* What the device may still use is told by nobody: the library keeps it. */
static int
test_region_end_fails(void)
{
	struct rte_comch_mem ours, theirs;
	uint8_t *bytes;

	bytes = rte_malloc("bytes", 4096, 4096);
	TEST_TRUE(bytes != NULL);
	mem_init(&ours, 4096, PW);
	TEST_EXPECT(bf_region_alloc(&ours), 0);
	mem_init(&theirs, 4096, PW);
	theirs.addr = bytes;
	TEST_EXPECT(bf_region_register(&theirs), 0);
	TEST_EXPECT(test_model_ctl(&model,
		"fault pf0vf0 cmd opcode=DESTROY_MKEY count=2 status=1"), 0);
	/* ours stays with the function until that is reset */
	TEST_EXPECT(bf_region_free(&ours, NULL), 0);
	TEST_EXPECT(bf_region_free(&theirs, NULL), -EINPROGRESS);
	TEST_TRUE(test_log_has("the device may use the 4096 bytes at"));
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	rte_free(bytes);
	/* regions that the library has kept over a reset are void, and can be freed */
	mem_init(&ours, 4096, PW);
	TEST_EXPECT(bf_region_alloc(&ours), 0);
	TEST_EXPECT(rte_comch_dev_reset(group_dev_id), 0);
	TEST_EXPECT(bf_region_free(&ours, NULL), 0);
	return group_passed_clean();
}

static struct unit_test_suite suite = {
	.suite_name = "life of BlueField devices that talk",
	.unit_test_cases = {
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_jobs_in_order),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_jobs_before_reset),
		TEST_CASE_ST(NULL, group_case_teardown, test_jobs_after_failure),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_overrun),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_switch_advice),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_switch_advice_ip4),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_cm_after_reset),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_region_alloc),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_region_rights),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_region_chunks),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_region_bounces),
		TEST_CASE_ST(group_case_setup_dev, group_case_teardown, test_region_end_fails),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_life_autotest, unit_test_suite_runner, &suite);
