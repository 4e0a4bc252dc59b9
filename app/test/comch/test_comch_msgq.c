/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Message queues with the process of a program, by the public API: messages there and
 * back, notifications, copies, mistakes of the program, and nonsense that it writes.
 * COMCH_TEST_MSGQ_MSGS and COMCH_TEST_MSGQ_WAKES say how many.
 */

#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <unistd.h>

#include <rte_pause.h>
#include <rte_random.h>

#include "dpa/test_msgq_ctl.h"
#include "test_shm_dpa.h"

#define NB_MSGS 100000
#define NB_WAKES 5000
#define MIN_WAKES 500
#define NB_POSTS 256
#define BURST 32
#define MSG_LEN 32
#define DMA_MAX (UINT64_C(64) << 20)
/* After so long a message is lost. */
#define LOST_NS UINT64_C(20000000000)

/* A program with one thread, and a queue each way. */
static struct {
	struct rte_comch_dpa *dpa;
	struct rte_comch_dpa_thread *thread;
	struct rte_comch_dpa_completion *comp;
	struct rte_comch_msgq *to, *from;
	struct rte_comch_dpa_queue *consumer, *producer;
	struct rte_comch_pe *pe;
	struct rte_comch_ctx *tx, *rx;
	uint32_t consumer_id; /* of the program */
	uint64_t addr;
} m;

static int
cpu_end_create(void)
{
	const struct rte_comch_producer_conf tx_conf = {
		.nb_sends = NB_POSTS,
	};
	const struct rte_comch_consumer_conf rx_conf = {
		.nb_posts = NB_POSTS, .imm_len = MSG_LEN,
	};

	TEST_EXPECT(rte_comch_pe_create(NULL, &m.pe), 0);
	TEST_EXPECT(rte_comch_msgq_producer_create(m.to, &tx_conf, &m.tx), 0);
	TEST_EXPECT(rte_comch_msgq_consumer_create(m.from, &rx_conf, &m.rx), 0);
	TEST_EXPECT(rte_comch_ctx_attach(m.tx, m.pe), 0);
	TEST_EXPECT(rte_comch_ctx_attach(m.rx, m.pe), 0);
	TEST_EXPECT(rte_comch_ctx_start(m.tx), 0);
	TEST_EXPECT(rte_comch_ctx_start(m.rx), 0);
	return TEST_SUCCESS;
}

static int
dpa_end_create(void)
{
	const struct rte_comch_dpa_queue_conf rx_conf = {
		.size = NB_POSTS, .imm_len = MSG_LEN, .completion = m.comp,
	};
	const struct rte_comch_dpa_queue_conf tx_conf = { .size = NB_POSTS };
	struct rte_comch_dpa_queue_info info;
	struct rte_comch_msgq_conf conf = { .dir = RTE_COMCH_MSGQ_TO_DPA };

	TEST_EXPECT(rte_comch_msgq_create(m.dpa, &conf, &m.to), 0);
	conf.dir = RTE_COMCH_MSGQ_FROM_DPA;
	TEST_EXPECT(rte_comch_msgq_create(m.dpa, &conf, &m.from), 0);
	TEST_EXPECT(rte_comch_dpa_queue_create(m.to, &rx_conf, &m.consumer), 0);
	TEST_EXPECT(rte_comch_dpa_queue_create(m.from, &tx_conf, &m.producer), 0);
	TEST_EXPECT(rte_comch_dpa_queue_info_get(m.consumer, &info), 0);
	m.consumer_id = info.id;
	return TEST_SUCCESS;
}

/* What the thread is to do when it runs. */
static int
deed_write(enum test_msgq_deed deed, uint32_t credits, bool one)
{
	struct test_msgq_ctl ctl = { .deed = deed, .credits = credits, .one = one };
	struct rte_comch_dpa_queue_info info;

	TEST_EXPECT(rte_comch_dpa_queue_info_get(m.consumer, &info), 0);
	ctl.consumer = info.handle;
	TEST_EXPECT(rte_comch_dpa_queue_info_get(m.producer, &info), 0);
	ctl.producer = info.handle;
	TEST_EXPECT(rte_comch_dpa_completion_handle_get(m.comp, &ctl.completion), 0);
	ctl.consumer_id = test_ctx_info(m.rx).queue_id;
	TEST_EXPECT(rte_comch_dpa_mem_write(m.dpa, m.addr, &ctl, sizeof(ctl)), 0);
	return TEST_SUCCESS;
}

/* Have it run for the first time. */
static int
deed_run(enum test_msgq_deed deed, bool one)
{
	TEST_CALL(deed_write(deed, NB_POSTS, one));
	TEST_EXPECT(rte_comch_dpa_thread_run(m.thread), 0);
	return TEST_SUCCESS;
}

static int
all_create(const char *machine, const char *runner)
{
	char program[PATH_MAX + 64];
	const struct rte_comch_dpa_conf conf = {
		.program = program, .nb_eus = 2, .runner = runner,
		.flags = runner != NULL ? RTE_COMCH_DPA_F_UNCONFINED : 0,
	};
	struct rte_comch_dpa_thread_conf thread = { .func = "msgq_thread", .eu = 1 };
	struct rte_comch_dpa_completion_conf comp = {
		.type = RTE_COMCH_DPA_COMPLETION_CONSUMER, .depth = BURST, .imm_len = MSG_LEN,
	};

	/* its own copy: the next call of that function writes there */
	snprintf(program, sizeof(program), "%s", test_dpa_program(machine));
	TEST_EXPECT(test_dpa_start(&conf, &m.dpa), 0);
	TEST_EXPECT(rte_comch_dpa_mem_alloc(m.dpa, sizeof(struct test_msgq_ctl), &m.addr), 0);
	thread.arg = m.addr;
	TEST_EXPECT(rte_comch_dpa_thread_create(m.dpa, &thread, &m.thread), 0);
	comp.thread = m.thread;
	TEST_EXPECT(rte_comch_dpa_completion_create(m.dpa, &comp, &m.comp), 0);
	TEST_CALL(dpa_end_create());
	return cpu_end_create();
}

/* A context stops by itself, or because it is told to; what it had comes back. */
static int
ctx_end(struct rte_comch_ctx *ctx, bool rx)
{
	uint64_t end = test_now_ns() + LOST_NS;
	struct rte_comch_cpl cpls[BURST];

	rte_comch_ctx_stop(ctx);
	while (rte_comch_ctx_state_get(ctx) != RTE_COMCH_STATE_IDLE && test_now_ns() < end) {
		if (rx)
			rte_comch_queue_poll_burst(ctx, cpls, BURST);
		rte_comch_pe_progress(m.pe);
	}
	TEST_EXPECT(rte_comch_ctx_destroy(ctx), 0);
	return TEST_SUCCESS;
}

static int
all_end(void)
{
	TEST_CALL(ctx_end(m.tx, false));
	TEST_CALL(ctx_end(m.rx, true));
	TEST_EXPECT(rte_comch_pe_destroy(m.pe), 0);
	TEST_EXPECT(rte_comch_dpa_queue_destroy(m.consumer), 0);
	TEST_EXPECT(rte_comch_dpa_queue_destroy(m.producer), 0);
	TEST_EXPECT(rte_comch_dpa_completion_destroy(m.comp), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(m.to), 0);
	TEST_EXPECT(rte_comch_msgq_destroy(m.from), 0);
	TEST_EXPECT(rte_comch_dpa_thread_destroy(m.thread), 0);
	TEST_EXPECT(rte_comch_dpa_mem_free(m.dpa, m.addr), 0);
	return test_dpa_end(m.dpa);
}

static uint16_t
post(uint16_t nb)
{
	static const struct rte_comch_post posts[NB_POSTS];

	return rte_comch_consumer_post_burst(m.rx, posts, nb);
}

static void
msg_fill(uint64_t *words, uint64_t seq)
{
	words[0] = seq;
	words[1] = ~seq;
	words[2] = seq * UINT64_C(0x9e3779b97f4a7c15);
	words[3] = words[2] >> 7 | UINT64_C(1) << 63;
}

static uint16_t
send_some(uint64_t seq, uint16_t nb)
{
	uint64_t bufs[BURST][MSG_LEN / 8];
	struct rte_comch_send msgs[BURST];
	uint16_t i;

	memset(msgs, 0, sizeof(msgs));
	for (i = 0; i < nb; i++) {
		msg_fill(bufs[i], seq + i);
		msgs[i].imm = bufs[i];
		msgs[i].imm_len = MSG_LEN;
		msgs[i].flags = RTE_COMCH_SEND_F_NO_CPL;
	}
	return rte_comch_producer_send_burst(m.tx, m.consumer_id, msgs, nb);
}

/* The answers, from a number on; how many, or UINT32_MAX for a wrong one. */
static uint32_t
answers(uint64_t seq)
{
	struct rte_comch_cpl cpls[BURST];
	uint64_t want[MSG_LEN / 8];
	uint32_t nb, i;

	nb = rte_comch_queue_poll_burst(m.rx, cpls, BURST);
	for (i = 0; i < nb; i++) {
		msg_fill(want, seq + i);
		if (cpls[i].status != 0 || cpls[i].imm_len != MSG_LEN || cpls[i].producer_id != 1 ||
				memcmp(cpls[i].imm, want, MSG_LEN) != 0)
			return UINT32_MAX;
	}
	post(nb);
	return nb;
}

static int
echo(uint64_t nb_msgs)
{
	uint64_t sent = 0, found = 0, last = test_now_ns();
	uint32_t nb;

	test_time_limit(1800);
	post(NB_POSTS);
	TEST_CALL(deed_run(TEST_MSGQ_ECHO, false));
	while (found < nb_msgs) {
		nb = 1 + rte_rand_max(BURST);
		sent += send_some(sent, RTE_MIN(nb, nb_msgs - sent));
		nb = answers(found);
		TEST_ASSERT(nb != UINT32_MAX, "message %" PRIu64 " is wrong", found);
		found += nb;
		if (nb != 0)
			last = test_now_ns();
		TEST_ASSERT(test_now_ns() - last < LOST_NS, "message %" PRIu64 " is lost", found);
	}
	return TEST_SUCCESS;
}

static int
test_echo(void)
{
	const char *env = getenv("COMCH_TEST_MSGQ_MSGS");

	TEST_CALL(all_create("-msgq", NULL));
	TEST_CALL(echo(env != NULL ? strtoull(env, NULL, 0) : NB_MSGS));
	return all_end();
}

/* The same source on another machine: its memory orders are others. */
static int
test_echo_riscv64(void)
{
	const char *const runner = "/usr/bin/qemu-riscv64-static", *const other =
		"/usr/bin/qemu-riscv64";
	const char *found = access(runner, X_OK) == 0 ? runner : other;

	if (access(found, X_OK) != 0 || access(test_dpa_program("-msgq-riscv64"), X_OK) != 0)
		return test_skip("no qemu-riscv64, or no compiler for it");
	TEST_CALL(all_create("-msgq-riscv64", found));
	TEST_CALL(echo(20000));
	return all_end();
}

/* The program has done what it was asked so far; nothing comes of it here. */
static int
program_settle(void)
{
	uint64_t ret;

	TEST_EXPECT(rte_comch_dpa_rpc(m.dpa, "msgq_request", &m.addr, 1, TEST_MS, &ret), 0);
	return TEST_SUCCESS;
}

/* The numbers of the program's eventfds, a bit each. */
static uint64_t
program_eventfds(void)
{
	char path[64], target[64];
	uint64_t set = 0;
	ssize_t n;
	int fd;

	for (fd = 0; fd < 64; fd++) {
		snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)test_dpa_pid(), fd);
		n = readlink(path, target, sizeof(target) - 1);
		target[RTE_MAX(n, 0)] = '\0';
		if (strstr(target, "eventfd") != NULL)
			set |= RTE_BIT64(fd);
	}
	return set;
}

/*
 * An engine goes, and another one takes its place. A unit may be about to write to the
 * eventfd all the time: its number is never that of another file, as a window's.
 */
static int
test_other_engine(void)
{
	uint64_t fds;
	int i;

	TEST_CALL(all_create("-msgq", NULL));
	TEST_CALL(deed_write(TEST_MSGQ_ECHO, 0, false));
	TEST_CALL(program_settle());
	fds = program_eventfds();
	TEST_TRUE(fds != 0);
	for (i = 0; i < 3; i++) {
		TEST_CALL(ctx_end(m.tx, false));
		TEST_CALL(ctx_end(m.rx, true));
		TEST_EXPECT(rte_comch_pe_destroy(m.pe), 0);
		TEST_CALL(program_settle());
		TEST_EXPECT(program_eventfds(), fds);
		TEST_CALL(cpu_end_create());
		TEST_CALL(program_settle());
		TEST_EXPECT(program_eventfds(), fds);
	}
	TEST_CALL(echo(1000));
	return all_end();
}

/* How often threads of the program went to sleep, as the kernel counts. */
static uint64_t
program_sleeps(void)
{
	unsigned long long one, sum = 0;
	char path[NAME_MAX + 64], line[128];
	struct dirent *entry;
	FILE *f;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)test_dpa_pid());
	d = opendir(path);
	while (d != NULL && (entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)test_dpa_pid(),
			entry->d_name);
		f = fopen(path, "r");
		while (f != NULL && fgets(line, sizeof(line), f) != NULL)
			if (sscanf(line, "voluntary_ctxt_switches: %llu", &one) == 1)
				sum += one;
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return sum;
}

/* Whether a thread of the program could run, but has no CPU: then it does not sleep. */
static bool
program_waits_for_cpu(void)
{
	char path[NAME_MAX + 64], state = 'S';
	struct dirent *entry;
	FILE *f;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)test_dpa_pid());
	d = opendir(path);
	while (d != NULL && state != 'R' && (entry = readdir(d)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%s/stat", (int)test_dpa_pid(),
			entry->d_name);
		f = fopen(path, "r");
		if (f != NULL && fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
			state = 'S';
		if (f != NULL)
			fclose(f);
	}
	if (d != NULL)
		closedir(d);
	return state == 'R';
}

/* Wait until a random moment: while the thread runs, goes to sleep, or sleeps. */
static void
random_moment(void)
{
	uint64_t end = test_now_ns() + rte_rand_max(rte_rand_max(64) == 0 ? 1000000 : 20000);

	while (test_now_ns() < end)
		rte_pause();
}

/* A few messages, each at a moment of its own, and then the answers of all. */
static int
park_round(uint64_t seq, uint32_t nb_msgs)
{
	uint64_t end = test_now_ns() + LOST_NS;
	uint32_t sent, found, nb;

	for (sent = 0; sent < nb_msgs; ) {
		random_moment();
		sent += send_some(seq + sent, 1);
		TEST_ASSERT(test_now_ns() < end, "no credit, message %" PRIu64, seq + sent);
	}
	for (found = 0; found < nb_msgs; found += nb) {
		nb = answers(seq + found);
		TEST_ASSERT(nb <= nb_msgs - found, "the answer is wrong, message %" PRIu64,
			seq + found);
		if (nb == 0 && test_now_ns() > end) {
			TEST_ASSERT(program_waits_for_cpu(), "it sleeps through message %" PRIu64,
				seq + found);
			end = test_now_ns() + LOST_NS;
		}
	}
	return TEST_SUCCESS;
}

/*
 * The thread takes one message at a time and parks; each comes at a random moment. It ends
 * before all have come when the time is over, and says how many there were.
 */
static int
test_park(void)
{
	const char *env = getenv("COMCH_TEST_MSGQ_WAKES");
	const uint64_t nb_wakes = env != NULL ? strtoull(env, NULL, 0) : NB_WAKES;
	const uint64_t end = test_now_ns() + (env != NULL ? 180 : 30) * UINT64_C(1000000000);
	uint64_t sent = 0, sleeps;
	uint32_t nb;

	test_time_limit(600);
	TEST_CALL(all_create("-msgq", NULL));
	post(NB_POSTS);
	TEST_CALL(deed_run(TEST_MSGQ_ECHO, true));
	sleeps = program_sleeps();
	while (sent < nb_wakes && (test_now_ns() < end || sent < MIN_WAKES)) {
		nb = rte_rand_max(8) == 0 ? 3 : 1;
		TEST_CALL(park_round(sent, nb));
		sent += nb;
	}
	sleeps = program_sleeps() - sleeps;
	test_note("%" PRIu64 " messages, %" PRIu64 " sleeps", sent, sleeps);
	/* most are long over when the next one comes */
	TEST_TRUE(sleeps > sent / 4);
	return all_end();
}

/* Nobody runs the thread: a call asks for its first message, which is there already. */
static int
test_call_requests(void)
{
	uint64_t ret, args[2];

	TEST_CALL(all_create("-msgq", NULL));
	args[0] = m.addr;
	args[1] = NB_POSTS;
	post(NB_POSTS);
	TEST_CALL(deed_write(TEST_MSGQ_ECHO, 0, false));
	TEST_EXPECT(rte_comch_dpa_rpc(m.dpa, "msgq_credits", args, 2, TEST_MS, &ret), 0);
	TEST_EXPECT(ret, 0);
	TEST_EXPECT(send_some(0, 1), 1);
	/* its unit sleeps */
	usleep(10000);
	TEST_EXPECT(answers(0), 0);
	TEST_EXPECT(rte_comch_dpa_rpc(m.dpa, "msgq_request", args, 1, TEST_MS, &ret), 0);
	TEST_EXPECT(ret, 0);
	TEST_WAIT(answers(0) == 1, TEST_MS);
	/* from now on the thread asks by itself */
	TEST_EXPECT(send_some(1, 1), 1);
	TEST_WAIT(answers(1) == 1, TEST_MS);
	return all_end();
}

static int
copy_one(struct rte_comch_mem *mem, const struct test_msgq_copy *copy, uint64_t seed)
{
	const struct rte_comch_send msg = {
		.imm = copy, .imm_len = sizeof(*copy), .flags = RTE_COMCH_SEND_F_NO_CPL,
	};
	uint64_t end = test_now_ns() + LOST_NS, i;
	uint8_t *base = rte_comch_mem_addr(mem);
	struct rte_comch_cpl cpl;

	for (i = 0; i < copy->len; i++)
		base[i] = (uint8_t)(seed + i * 11 + (i >> 9));
	TEST_EXPECT(post(1), 1);
	while (rte_comch_producer_send_burst(m.tx, m.consumer_id, &msg, 1) != 1)
		TEST_TRUE(test_now_ns() < end);
	while (rte_comch_queue_poll_burst(m.rx, &cpl, 1) != 1)
		TEST_ASSERT(test_now_ns() < end, "no copy of %" PRIu64, copy->len);
	TEST_TRUE(memcmp(cpl.imm, copy, sizeof(*copy)) == 0);
	TEST_ASSERT(memcmp(base, base + DMA_MAX, copy->len) == 0, "a copy of %" PRIu64 " differs",
		copy->len);
	return TEST_SUCCESS;
}

static int
test_copies(void)
{
	/* the program has 2 s to unmap what it has touched, however slow the machine is */
	const uint64_t sizes[] = { 1, 31, 4096, 65537, DMA_MAX / test_slow };
	struct rte_comch_dpa_window *window;
	struct test_msgq_copy copy;
	struct rte_comch_mem *mem;
	uint32_t i;

	test_time_limit(120);
	TEST_CALL(all_create("-msgq", NULL));
	TEST_EXPECT(rte_comch_mem_alloc(test_pair.dpu, 2 * DMA_MAX, RTE_COMCH_MEM_F_DPA, &mem), 0);
	TEST_EXPECT(rte_comch_dpa_window_create(m.dpa, mem, RTE_COMCH_DPA_WINDOW_F_ALL, &window),
		0);
	TEST_EXPECT(rte_comch_dpa_window_handle_get(window, &copy.src), 0);
	copy.dst = copy.src;
	copy.src_addr = (uintptr_t)rte_comch_mem_addr(mem);
	copy.dst_addr = copy.src_addr + DMA_MAX;
	TEST_CALL(deed_run(TEST_MSGQ_COPY, false));
	for (i = 0; i < RTE_DIM(sizes); i++) {
		copy.len = sizes[i];
		TEST_CALL(copy_one(mem, &copy, i + 1));
	}
	TEST_EXPECT(rte_comch_dpa_window_destroy(window), 0);
	TEST_EXPECT(rte_comch_mem_free(mem), 0);
	return all_end();
}

/* The host finds how many there were, and the last one. */
static int
test_mistakes(void)
{
	struct rte_comch_dpa_eu_info info;

	TEST_CALL(all_create("-msgq", NULL));
	TEST_CALL(deed_run(TEST_MSGQ_MISTAKES, false));
	TEST_WAIT(rte_comch_dpa_eu_info_get(m.dpa, 1, &info) == 0 && info.errors >= 7, TEST_MS);
	TEST_EXPECT(info.errors, 7);
	TEST_EXPECT(info.error, -EMSGSIZE);
	TEST_ASSERT(strcmp(info.func, "producer_post_send_imm") == 0, "it is of %s", info.func);
	TEST_EXPECT(info.values[2], 33);
	return all_end();
}

/* The program is killed, its status says why, and the ends of this side stop. */
static int
nonsense(enum test_msgq_deed deed, uint32_t eu)
{
	uint64_t end = test_now_ns() + LOST_NS;
	struct rte_comch_dpa_status status;

	TEST_CALL(all_create("-msgq", NULL));
	TEST_EXPECT(post(NB_POSTS), NB_POSTS);
	TEST_CALL(deed_run(deed, false));
	do {
		send_some(0, 1);
		answers(0);
		rte_comch_pe_progress(m.pe);
		TEST_EXPECT(rte_comch_dpa_status_get(m.dpa, &status), 0);
		TEST_TRUE(test_now_ns() < end);
	} while (status.state != RTE_COMCH_DPA_FAILED);
	TEST_EXPECT(status.reason, -EPROTO);
	TEST_EXPECT(status.eu, eu);
	TEST_TRUE(status.text[0] != '\0');
	return all_end();
}

static int
test_bad_tail(void)
{
	return nonsense(TEST_MSGQ_BAD_TAIL, 1);
}

static int
test_bad_entry(void)
{
	return nonsense(TEST_MSGQ_BAD_ENTRY, RTE_COMCH_DPA_NO_EU);
}

static int
setup(void)
{
	int ret = test_dpa_setup();

	memset(&m, 0, sizeof(m));
	test_log_quiet();
	return ret;
}

static struct unit_test_suite suite = {
	.suite_name = "comch: message queues with a program",
	.unit_test_cases = {
		TEST_CASE_ST(setup, test_dpa_teardown, test_echo),
		TEST_CASE_ST(setup, test_dpa_teardown, test_echo_riscv64),
		TEST_CASE_ST(setup, test_dpa_teardown, test_park),
		TEST_CASE_ST(setup, test_dpa_teardown, test_call_requests),
		TEST_CASE_ST(setup, test_dpa_teardown, test_other_engine),
		TEST_CASE_ST(setup, test_dpa_teardown, test_copies),
		TEST_CASE_ST(setup, test_dpa_teardown, test_mistakes),
		TEST_CASE_ST(setup, test_dpa_teardown, test_bad_tail),
		TEST_CASE_ST(setup, test_dpa_teardown, test_bad_entry),
		TEST_CASES_END(),
	},
};

REGISTER_SLOW_TEST(comch_msgq_autotest, unit_test_suite_runner, &suite);
