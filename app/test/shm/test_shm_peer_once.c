/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * What the driver loads of a hostile peer's memory, and stores for it, word by word.
 *
 * A word that is checked and then loaded again may be another one. The pages that the driver
 * reads are closed, each load is a fault, and is then done by a single step. So a second
 * load is always found, which flips of words find only by chance.
 */

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <rte_mbuf.h>

#include "test_shm_peer_fast.h"

#define PAGE 4096u
#define WATCH_SIZE 65536u
#define EFLAGS_STEP (1 << 8)

#define NB 8u /* messages of a burst */
#define NB_POSTS 16u
#define SLOT 256u
#define IMM 40u

/* The pages that are watched, and how often each word of them was loaded. */
static struct {
	uint8_t *at;
	size_t len;
	unsigned int loads[WATCH_SIZE / sizeof(uint32_t)];
	bool off;
} watch;

static uint8_t data[SLOT];

#if defined(__x86_64__) && !TEST_TSAN

static struct sigaction old_segv, old_trap;

/* A load of a closed page: it is done with the page open, and stops behind it. */
static void
on_fault(int sig, siginfo_t *info, void *context)
{
	const size_t off = (uint8_t *)info->si_addr - watch.at;
	ucontext_t *uc = context;
	const int saved = errno;

	if (watch.at == NULL || off >= watch.len) {
		sigaction(sig, &old_segv, NULL); /* it comes again */
		return;
	}
	watch.loads[off / sizeof(uint32_t)]++;
	mprotect(watch.at, watch.len, PROT_READ);
	uc->uc_mcontext.gregs[REG_EFL] |= EFLAGS_STEP;
	errno = saved;
}

static void
on_step(int sig, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;
	const int saved = errno;

	RTE_SET_USED(sig);
	RTE_SET_USED(info);
	if (!watch.off)
		mprotect(watch.at, watch.len, PROT_NONE);
	uc->uc_mcontext.gregs[REG_EFL] &= ~(greg_t)EFLAGS_STEP;
	errno = saved;
}

/* Where the driver has mapped a file of the hostile side to read it, and nothing else. */
static int
driver_map(int fd, uint8_t **at, size_t *len)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long from, to, inode;
	unsigned int nb = 0;
	char line[512], mode[5];
	struct stat st;

	TEST_TRUE(f != NULL);
	TEST_EXPECT(fstat(fd, &st), 0);
	while (fgets(line, sizeof(line), f) != NULL) {
		if (sscanf(line, "%lx-%lx %4s %*s %*s %lu", &from, &to, mode, &inode) != 4 ||
				inode != st.st_ino || strcmp(mode, "r--s") != 0)
			continue;
		*at = (uint8_t *)from;
		*len = to - from;
		nb++;
	}
	fclose(f);
	TEST_EXPECT(nb, 1);
	return TEST_SUCCESS;
}

static int
watch_begin(int fd)
{
	const struct sigaction segv = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	const struct sigaction trap = { .sa_sigaction = on_step, .sa_flags = SA_SIGINFO };
	uint8_t *at = NULL;
	size_t len = 0;

	memset(&watch, 0, sizeof(watch));
	TEST_CALL(driver_map(fd, &at, &len));
	TEST_TRUE(len <= WATCH_SIZE);
	TEST_EXPECT(sigaction(SIGSEGV, &segv, &old_segv), 0);
	TEST_EXPECT(sigaction(SIGTRAP, &trap, &old_trap), 0);
	watch.at = at;
	watch.len = len;
	TEST_EXPECT(mprotect(at, len, PROT_NONE), 0);
	return TEST_SUCCESS;
}

static void
watch_end(void)
{
	watch.off = true;
	mprotect(watch.at, watch.len, PROT_READ);
	sigaction(SIGSEGV, &old_segv, NULL);
	sigaction(SIGTRAP, &old_trap, NULL);
}

static int
once_setup(void)
{
	return fast_setup();
}

#else

static int
watch_begin(int fd)
{
	RTE_SET_USED(fd);
	return TEST_FAILED;
}

static void
watch_end(void)
{
}

static int
once_setup(void)
{
	TEST_CALL(fast_setup());
	return test_skip("loads are counted by single steps of x86-64, without ThreadSanitizer");
}

#endif

/* Loads that begin in these bytes of a segment of the hostile side. */
static unsigned int
loads_of(const void *base, const void *word, size_t size)
{
	const size_t off = (const uint8_t *)word - (const uint8_t *)base;
	unsigned int nb = 0;
	size_t i;

	for (i = 0; i < size; i += sizeof(uint32_t))
		nb += watch.loads[(off + i) / sizeof(uint32_t)];
	return nb;
}

/* The test sees a word that is loaded twice. */
static int
test_twice_is_found(void)
{
	struct hostile *e = fast_connected();
	const volatile uint32_t *magic;
	uint32_t sum;

	TEST_CALL(watch_begin(e->chan.seg.fd));
	magic = (const volatile uint32_t *)watch.at;
	sum = *magic;
	sum ^= *magic;
	watch_end();
	TEST_EXPECT(sum, 0);
	TEST_EXPECT(watch.loads[0], 2);
	return TEST_SUCCESS;
}

/* Records: length and reserved word are one load, which decides; so is where the ring is cut. */
static int
test_records(void)
{
	struct hostile *e = fast_connected();
	struct test_ep *victim = fast_victim();
	const struct shm_wire_chan *own = e->chan.own;
	uint32_t recv = victim->nb_recv, off[NB], i;
	int ret;

	for (i = 0; i < NB; i++) {
		off[i] = (own->tail - SHM_WIRE_POS_START) % e->chan.ring_size;
		hostile_put(e, &e->chan, data, 1 + 24 * i);
	}
	TEST_CALL(watch_begin(e->chan.seg.fd));
	for (i = 0; i < 100000 && victim->nb_recv != recv + NB; i++)
		peer_turn();
	watch_end();
	TEST_EXPECT(victim->nb_recv, recv + NB);
	for (i = 0; i < NB; i++) {
		ret = (int)loads_of(own, own->ring + off[i], sizeof(struct shm_wire_rec));
		TEST_ASSERT(ret == 1, "the header of record %u is loaded %d times", i, ret);
	}
	TEST_EXPECT(loads_of(own, &own->cut, sizeof(own->cut)), NB);
	TEST_EXPECT(loads_of(own, &own->seg, sizeof(own->seg)), 0);
	return TEST_SUCCESS;
}

/* Posts: the word of each, and of a long one its length. */
static int
test_posts(void)
{
	struct rte_comch_send sends[NB];
	struct hostile_consumer c = { .posts = NULL };
	struct hostile *e = fast_connected();
	struct hostile_region r;
	struct test_q *q;
	uint32_t i, slot;

	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
	TEST_EXPECT(hostile_consumer_start(e, &c, 1, 0), 0);
	q = fast_producer();
	memset(sends, 0, sizeof(sends));
	for (i = 0; i < NB; i++) {
		sends[i].addr = data;
		sends[i].len = SLOT - i;
		sends[i].mem = i == 0 ? fast_source(data, sizeof(data), 0) : sends[0].mem;
		sends[i].flags = RTE_COMCH_SEND_F_NO_CPL;
		hostile_post(&c, i * SLOT, i % 2 == 0 ? SLOT : SHM_WIRE_POST_LONG);
	}
	TEST_CALL(watch_begin(c.seg.fd));
	i = rte_comch_producer_send_burst(q->ctx, 1, sends, NB);
	watch_end();
	TEST_EXPECT(i, NB);
	for (i = 0; i < NB; i++) {
		slot = (SHM_WIRE_POST_START + i) % c.msg.nb_posts;
		TEST_EXPECT(loads_of(c.posts, &c.posts->words[slot], sizeof(uint64_t)), 1);
		TEST_EXPECT(loads_of(c.posts, &c.posts->words[c.msg.nb_posts + slot],
				sizeof(uint64_t)), i % 2);
	}
	TEST_EXPECT(loads_of(c.posts, &c.posts->tail, sizeof(c.posts->tail)), 1);
	TEST_EXPECT(loads_of(c.posts, &c.posts->seg, sizeof(c.posts->seg)), 0);
	fast_case_end();
	hostile_consumer_free(&c);
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

/* What the messages of one burst have in the completion segment. */
static int
cpls_check(const struct hostile_rc *rc)
{
	const uint32_t nb = rc->msg.nb_posts;
	uint32_t i, slot;

	for (i = 0; i < NB; i++) {
		slot = (SHM_WIRE_POST_START + i) % nb;
		TEST_EXPECT(rc->entries != NULL ?
			loads_of(rc->cpls, &rc->entries[slot].word, sizeof(uint64_t)) :
			loads_of(rc->cpls, &rc->cpls->words[slot], sizeof(uint64_t)), 1);
	}
	TEST_TRUE(loads_of(rc->cpls, &rc->cpls->producers[1], sizeof(uint32_t)) <= NB);
	TEST_EXPECT(loads_of(rc->cpls, &rc->cpls->seg, sizeof(rc->cpls->seg)), 0);
	return TEST_SUCCESS;
}

/* Completions, by the way that the messages are polled. */
static int
completions(struct rte_comch_mem *mem, uint32_t imm_len, bool packets)
{
	struct rte_comch_cpl cpls[NB];
	struct rte_mbuf *pkts[NB];
	struct fast_rx rx;
	uint32_t i;

	TEST_CALL(fast_rx_open(&rx, mem, NB_POSTS, imm_len));
	if (packets)
		TEST_EXPECT(rte_comch_consumer_rx_burst(rx.q->ctx, pkts, NB), 0);
	else
		TEST_CALL(fast_rx_post(&rx, NB, mem != NULL ? SLOT : 0));
	for (i = 0; i < NB; i++) {
		if (rx.rc.entries != NULL)
			hostile_message(&rx.rc, i, 1);
		else
			hostile_complete(&rx.rc, i, hostile_cpl(&rx.rc, i, 1, imm_len, 64));
	}
	TEST_CALL(watch_begin(rx.rc.seg.fd));
	i = packets ? rte_comch_consumer_rx_burst(rx.q->ctx, pkts, NB) :
		rte_comch_queue_poll_burst(rx.q->ctx, cpls, NB);
	watch_end();
	TEST_EXPECT(i, NB);
	TEST_CALL(cpls_check(&rx.rc));
	if (packets)
		rte_pktmbuf_free_bulk(pkts, NB);
	fast_rx_close(&rx);
	return TEST_SUCCESS;
}

static int
test_completions(void)
{
	return completions(fast_mem(NB_POSTS * SLOT), IMM, false);
}

static int
test_entries(void)
{
	return completions(NULL, 8, false);
}

static int
test_packets(void)
{
	return completions(fast_pool(4 * NB_POSTS), 0, true);
}

/* What the application is about to look at, and where the peer can still write. */
static struct hostile *writer;
static uint8_t seen[2];

static void
rewrite(struct test_ep *ep, struct rte_comch_conn *conn, const void *msg, uint32_t len)
{
	RTE_SET_USED(ep);
	RTE_SET_USED(conn);
	seen[0] = ((const uint8_t *)msg)[len - 1];
	memset(writer->chan.own->ring, 0xee, writer->chan.ring_size);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	seen[1] = ((const volatile uint8_t *)msg)[len - 1];
}

/* A control message is a copy before the application sees it, also one without a wrap. */
static int
test_copied(void)
{
	struct test_ep *victim = fast_victim();
	uint32_t recv;

	writer = fast_connected();
	victim = fast_victim();
	recv = victim->nb_recv;
	memset(data, 0x5a, sizeof(data));
	victim->on_recv = rewrite;
	hostile_put(writer, &writer->chan, data, sizeof(data));
	PEER_WAIT(victim->nb_recv == recv + 1, TEST_MS);
	victim->on_recv = NULL;
	TEST_EXPECT(seen[0], 0x5a);
	TEST_EXPECT(seen[1], 0x5a);
	TEST_EXPECT(fast_breaches(), 0);
	return TEST_SUCCESS;
}

static bool
is_zero(const volatile void *base, size_t from, size_t to)
{
	const volatile uint8_t *bytes = base;

	while (from < to && bytes[from] == 0)
		from++;
	return from >= to;
}

#define REST_IS_ZERO(p, member) \
	TEST_TRUE(is_zero(&(p)->member, 0, sizeof((p)->member)))

/* Segments of the device: between and behind what it says there is nothing. */
static int
zeros_of_link(const struct shm_wire_link *link)
{
	uint32_t i;

	REST_IS_ZERO(link, seg.reserved);
	REST_IS_ZERO(link, reserved);
	for (i = 0; i < SHM_WIRE_MAX_GROUPS; i++)
		REST_IS_ZERO(link, groups[i].reserved);
	return TEST_SUCCESS;
}

static int
zeros_of_chan(const struct shm_wire_chan *chan, uint32_t ring_size, uint32_t len)
{
	uint32_t i;

	REST_IS_ZERO(chan, seg.reserved);
	REST_IS_ZERO(chan, reserved);
	REST_IS_ZERO(chan, reserved2);
	REST_IS_ZERO(chan, reserved3);
	for (i = 0; i < SHM_WIRE_MAX_PRODUCERS; i++)
		REST_IS_ZERO(chan, busy[i].reserved);
	TEST_EXPECT(chan->tail - SHM_WIRE_POS_START, shm_wire_rec_size(len));
	TEST_TRUE(is_zero(chan->ring, sizeof(struct shm_wire_rec) + len, ring_size));
	return TEST_SUCCESS;
}

static int
zeros_of_posts(const struct hostile_rc *rc, uint32_t nb)
{
	const struct shm_wire_posts *posts = rc->posts;
	const uint32_t first = SHM_WIRE_POST_START % rc->msg.nb_posts;

	REST_IS_ZERO(posts, seg.reserved);
	REST_IS_ZERO(posts, reserved);
	REST_IS_ZERO(posts, reserved2);
	TEST_TRUE(first + nb <= rc->msg.nb_posts);
	TEST_TRUE(is_zero(posts->words, 0, first * sizeof(uint64_t)));
	TEST_TRUE(is_zero(posts->words, (first + nb) * sizeof(uint64_t),
		2 * rc->msg.nb_posts * sizeof(uint64_t)));
	return TEST_SUCCESS;
}

/* One message with immediate data that fills no whole word. */
static int
zeros_of_cpls(const struct hostile_consumer *c, uint32_t imm_len)
{
	const uint32_t nb = c->msg.nb_posts, first = SHM_WIRE_POST_START % nb;
	const uint64_t *imm = c->cpls->words + nb;
	const size_t at = first * shm_wire_imm_size(c->msg.imm_len);
	uint32_t i;

	REST_IS_ZERO(c->cpls, seg.reserved);
	REST_IS_ZERO(c->cpls, reserved);
	/* the others have the bit of the lap before */
	for (i = 0; i < nb; i++)
		TEST_EXPECT(c->cpls->words[i] > 1, i == first);
	TEST_TRUE(is_zero(imm, 0, at));
	TEST_TRUE(memcmp((const uint8_t *)imm + at, data, imm_len) == 0);
	TEST_TRUE(is_zero(imm, at + imm_len, nb * shm_wire_imm_size(c->msg.imm_len)));
	return TEST_SUCCESS;
}

/* The device says what it has to say, and no byte of anything else. */
static int
test_zeros(void)
{
	struct rte_comch_send send = { .addr = data, .len = 64, .imm = data, .imm_len = 3 };
	struct hostile_consumer c = { .msg.imm_len = IMM };
	struct hostile_region r;
	struct hostile *e;
	struct fast_rx rx;
	struct test_q *q;

	memset(data, 0x5a, sizeof(data));
	TEST_CALL(fast_rx_open(&rx, fast_mem(NB_POSTS * SLOT), NB_POSTS, IMM));
	e = rx.e;
	TEST_CALL(fast_rx_post(&rx, NB, SLOT));
	TEST_EXPECT(hostile_region_create(&r, HOSTILE_REGION_SIZE), 0);
	TEST_EXPECT(hostile_region_send(e, &r, 0), 0);
	TEST_EXPECT(hostile_consumer_start(e, &c, 1, 0), 0);
	hostile_post(&c, 0, SLOT);
	q = fast_producer();
	send.mem = fast_source(data, sizeof(data), 0);
	TEST_EXPECT(rte_comch_producer_send_burst(q->ctx, 1, &send, 1), 1);
	TEST_EXPECT(test_send(fast_victim()->conn, data, 5), 0);
	peer_turn();
	TEST_TRUE(is_zero(r.map, send.len, r.size));
	TEST_CALL(zeros_of_link(e->peer));
	TEST_CALL(zeros_of_chan(e->chan.peer, e->chan.tx.ring_size, 5));
	TEST_CALL(zeros_of_posts(&rx.rc, NB));
	TEST_CALL(zeros_of_cpls(&c, send.imm_len));
	rte_comch_ctx_stop(rx.q->ctx);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CONSUMER_GONE, TEST_MS), 0);
	TEST_EXPECT(hostile_say(e, SHM_WIRE_CLOSE, e->chan.id), 0);
	TEST_EXPECT(hostile_wait(e, SHM_WIRE_CLOSED, TEST_MS), 0);
	TEST_EXPECT(hostile_dirty, 0);
	fast_rx_close(&rx);
	hostile_consumer_free(&c);
	hostile_region_free(&r);
	return TEST_SUCCESS;
}

#define ONCE_CASE(fn) TEST_CASE_ST(once_setup, fast_teardown, fn)

static struct unit_test_suite suite = {
	.suite_name = "shm, a hostile peer: loads and stores, word by word",
	.setup = fast_suite_setup,
	.teardown = fast_suite_teardown,
	.unit_test_cases = {
		ONCE_CASE(test_twice_is_found),
		ONCE_CASE(test_records),
		ONCE_CASE(test_posts),
		ONCE_CASE(test_completions),
		ONCE_CASE(test_entries),
		ONCE_CASE(test_packets),
		FAST_CASE(test_copied),
		FAST_CASE(test_zeros),
		TEST_CASES_END()
	},
};

REGISTER_FAST_TEST(shm_peer_once_autotest, fast_suites_run, &suite)
