/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * A vfio-user client that does not wait for replies, against the software
 * BlueField: messages behind each other with and without descriptors, cut anywhere,
 * too many descriptors, DMA by message while more messages are on their way, ranges
 * that it unmaps. No driver takes part. The model is stopped while messages are queued, so that it
 * finds them all.
 */

#include <linux/vfio.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <rte_byteorder.h>

#include "test_bluefield_raw.h"
#include "test_comch_util.h"

/* ----------------------------------------------------- two messages, one behind the other */

/* Has the first one a descriptor, and the second? */
struct pair {
	bool first;
	bool second;
	struct raw_msg a;
	struct raw_msg b;
};

static const struct {
	bool first;
	bool second;
} orders[] = { { false, false }, { false, true }, { true, false }, { true, true } };

static void
pair_make(struct pair *p, unsigned int order)
{
	p->first = orders[order].first;
	p->second = orders[order].second;
	if (p->first)
		raw_msg_map(&p->a, RAW_ADDR_A, RAW_PAGE, raw_file_a);
	else
		raw_msg_read(&p->a);
	if (p->second)
		raw_msg_map(&p->b, RAW_ADDR_B, 2 * RAW_PAGE, raw_file_b);
	else
		raw_msg_read(&p->b);
}

/* Replies in order, each message with its own descriptor; then all is as before. */
static int
pair_check(struct pair *p)
{
	struct raw_msg unmap;

	TEST_CALL(raw_take_reply(&p->a, 0, NULL));
	TEST_CALL(raw_take_reply(&p->b, 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_a"), p->first ? RAW_PAGE : 0);
	TEST_EXPECT(raw_mapped("msg_file_b"), p->second ? 2 * RAW_PAGE : 0);
	if (p->first) {
		raw_msg_unmap(&unmap, 0, RAW_ADDR_A, RAW_PAGE);
		TEST_CALL(raw_call(&unmap, 0));
	}
	if (p->second) {
		raw_msg_unmap(&unmap, 0, RAW_ADDR_B, 2 * RAW_PAGE);
		TEST_CALL(raw_call(&unmap, 0));
	}
	TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), 0);
	return TEST_SUCCESS;
}

/* Send [from, to) of both messages as one stream; a descriptor goes with a first byte. */
static int
pair_put(const struct pair *p, uint32_t from, uint32_t to)
{
	uint8_t both[2 * RAW_MSG_MAX];
	const struct raw_msg *m = NULL;

	memcpy(both, p->a.buf, p->a.len);
	memcpy(both + p->a.len, p->b.buf, p->b.len);
	if (from == 0)
		m = &p->a;
	else if (from == p->a.len)
		m = &p->b;
	return raw_put(both + from, to - from, m == NULL ? NULL : m->fds,
			m == NULL ? 0 : m->nb_fds);
}

static int
test_pairs_queued(void)
{
	struct pair p;
	unsigned int i;

	for (i = 0; i < RTE_DIM(orders); i++) {
		pair_make(&p, i);
		TEST_CALL(raw_model_stop());
		TEST_CALL(raw_put_msg(&p.a));
		TEST_CALL(raw_put_msg(&p.b));
		TEST_CALL(raw_model_go_on());
		TEST_CALL(pair_check(&p));
	}
	return TEST_SUCCESS;
}

/* A descriptor of one call belongs to the message that the call begins with. */
static int
test_pairs_at_once(void)
{
	struct raw_msg unmap;
	struct pair p;
	unsigned int i;

	for (i = 0; i < RTE_DIM(orders); i++) {
		pair_make(&p, i);
		if (p.second)
			continue;
		TEST_CALL(pair_put(&p, 0, p.a.len + p.b.len));
		TEST_CALL(pair_check(&p));
	}
	/* the first one has no use for it, and the second one does not get it */
	raw_msg_read(&p.a);
	raw_msg_map(&p.b, RAW_ADDR_B, 2 * RAW_PAGE, -1);
	p.a.nb_fds = 1;
	p.a.fds[0] = raw_file_b;
	TEST_CALL(pair_put(&p, 0, p.a.len + p.b.len));
	TEST_CALL(raw_take_reply(&p.a, EINVAL, NULL));
	TEST_CALL(raw_take_reply(&p.b, 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_b"), 0);
	raw_msg_unmap(&unmap, 0, RAW_ADDR_B, 2 * RAW_PAGE);
	return raw_call(&unmap, 0);
}

/* The stream in pieces that end anywhere: all of them there, or one by one. */
static int
pairs_cut(int queued)
{
	uint32_t cut, len, end;
	struct pair p;
	unsigned int i;

	for (i = 0; i < RTE_DIM(orders); i++) {
		pair_make(&p, i);
		len = p.a.len + p.b.len;
		for (cut = 1; cut < len; cut += 2) {
			pair_make(&p, i);
			if (queued)
				TEST_CALL(raw_model_stop());
			end = RTE_MIN(cut, p.a.len);
			TEST_CALL(pair_put(&p, 0, end));
			if (cut < p.a.len) {
				/* a turn of the model's loop between */
				if (!queued)
					TEST_EXPECT(test_model_ctl(&raw_model, "list"), 0);
				TEST_CALL(pair_put(&p, cut, p.a.len));
			}
			end = RTE_MAX(cut, p.a.len);
			if (end > p.a.len) {
				TEST_CALL(pair_put(&p, p.a.len, end));
				if (!queued)
					TEST_EXPECT(test_model_ctl(&raw_model, "list"), 0);
			}
			TEST_CALL(pair_put(&p, end, len));
			if (queued)
				TEST_CALL(raw_model_go_on());
			TEST_CALL(pair_check(&p));
		}
	}
	return TEST_SUCCESS;
}

/* The end of one message and the begin of the next in one piece, without descriptors. */
static int
test_pairs_shifted(void)
{
	struct raw_msg unmap;
	struct pair p;
	uint32_t cut;

	for (cut = 1; cut < 16 + 32; cut += 2) {
		pair_make(&p, 2); /* a map with a descriptor, a read */
		TEST_CALL(raw_model_stop());
		TEST_CALL(pair_put(&p, 0, cut));
		TEST_CALL(pair_put(&p, cut, p.a.len + cut / 2));
		TEST_CALL(pair_put(&p, p.a.len + cut / 2, p.a.len + p.b.len));
		/* ... and a descriptor right behind */
		raw_msg_map(&unmap, RAW_ADDR_B, 2 * RAW_PAGE, raw_file_b);
		TEST_CALL(raw_put_msg(&unmap));
		TEST_CALL(raw_model_go_on());
		TEST_CALL(raw_take_reply(&p.a, 0, NULL));
		TEST_CALL(raw_take_reply(&p.b, 0, NULL));
		TEST_CALL(raw_take_reply(&unmap, 0, NULL));
		TEST_EXPECT(raw_mapped("msg_file_a"), RAW_PAGE);
		TEST_EXPECT(raw_mapped("msg_file_b"), 2 * RAW_PAGE);
		raw_msg_unmap(&unmap, 0, RAW_ADDR_A, RAW_PAGE);
		TEST_CALL(raw_call(&unmap, 0));
		raw_msg_unmap(&unmap, 0, RAW_ADDR_B, 2 * RAW_PAGE);
		TEST_CALL(raw_call(&unmap, 0));
	}
	return TEST_SUCCESS;
}

/* What a client does that maps one file in the place of another: none of it is stale. */
static int
test_map_behind_unmap(void)
{
	struct raw_msg m[4];
	unsigned int i;

	raw_msg_map(&m[0], RAW_ADDR_A, RAW_PAGE, raw_file_a);
	TEST_CALL(raw_call(&m[0], 0));
	raw_msg_unmap(&m[0], 0, RAW_ADDR_A, RAW_PAGE);
	raw_msg_map(&m[1], RAW_ADDR_A, RAW_PAGE, raw_file_b);
	raw_msg_unmap(&m[2], 0, RAW_ADDR_A, RAW_PAGE);
	raw_msg_map(&m[3], RAW_ADDR_A, 2 * RAW_PAGE, raw_file_b);
	TEST_CALL(raw_model_stop());
	for (i = 0; i < RTE_DIM(m); i++)
		TEST_CALL(raw_put_msg(&m[i]));
	TEST_CALL(raw_model_go_on());
	for (i = 0; i < RTE_DIM(m); i++)
		TEST_CALL(raw_take_reply(&m[i], 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_a"), 0);
	TEST_EXPECT(raw_mapped("msg_file_b"), 2 * RAW_PAGE);
	return TEST_SUCCESS;
}

/* An interrupt that was switched off is off, whatever came behind it. */
static int
test_irqs_behind(void)
{
	int first = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	int second = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), ret = TEST_SUCCESS;
	struct raw_msg m[5];
	uint64_t value;
	unsigned int i;

	TEST_TRUE(first >= 0 && second >= 0);
	raw_msg_irqs(&m[0], 0, 1, VFIO_IRQ_SET_DATA_EVENTFD, first);
	raw_msg_irqs(&m[1], 0, 0, VFIO_IRQ_SET_DATA_NONE, -1);
	raw_msg_irqs(&m[2], 1, 1, VFIO_IRQ_SET_DATA_EVENTFD, second);
	raw_msg_irqs(&m[3], 1, 1, VFIO_IRQ_SET_DATA_NONE, -1);
	raw_msg_irqs(&m[4], 2, 1, VFIO_IRQ_SET_DATA_EVENTFD, first);
	if (raw_model_stop() != TEST_SUCCESS)
		ret = TEST_FAILED;
	for (i = 0; i < RTE_DIM(m) && ret == TEST_SUCCESS; i++)
		ret = raw_put_msg(&m[i]);
	if (raw_model_go_on() != TEST_SUCCESS)
		ret = TEST_FAILED;
	for (i = 0; i < RTE_DIM(m) && ret == TEST_SUCCESS; i++)
		ret = raw_take_reply(&m[i], 0, NULL);
	i = read(first, &value, sizeof(value)) == sizeof(value);
	if (read(second, &value, sizeof(value)) != sizeof(value))
		value = 0;
	close(first);
	close(second);
	TEST_CALL(ret);
	TEST_EXPECT(i, 0);
	TEST_EXPECT(value, 1);
	return TEST_SUCCESS;
}

/* Refusals stand in the row of replies where their messages stood. */
static int
test_refusals_in_order(void)
{
	static uint8_t large[70000];
	struct vfio_user_hdr hdr = {
		.id = 0x7777, .cmd = VFIO_USER_CMD_REGION_WRITE, .size = sizeof(large)
	};
	struct raw_msg m[4], last = { .id = 0x7777 };

	memcpy(large, &hdr, sizeof(hdr));
	raw_msg_read(&m[0]);
	raw_msg_map(&m[1], RAW_ADDR_A, 0, raw_file_a); /* no such range */
	raw_msg_map(&m[2], RAW_ADDR_A, RAW_PAGE, raw_file_a);
	raw_msg_read(&m[3]);
	TEST_CALL(raw_model_stop());
	TEST_CALL(raw_put_msg(&m[0]));
	TEST_CALL(raw_put_msg(&m[1]));
	TEST_CALL(raw_put(large, sizeof(large), &raw_file_b, 1));
	TEST_CALL(raw_put_msg(&m[2]));
	TEST_CALL(raw_put_msg(&m[3]));
	TEST_CALL(raw_model_go_on());
	TEST_CALL(raw_take_reply(&m[0], 0, NULL));
	TEST_CALL(raw_take_reply(&m[1], EINVAL, NULL));
	TEST_CALL(raw_take_reply(&last, EINVAL, NULL));
	TEST_CALL(raw_take_reply(&m[2], 0, NULL));
	TEST_CALL(raw_take_reply(&m[3], 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_a"), RAW_PAGE);
	return TEST_SUCCESS;
}

/* ------------------------------------------------------------- too many descriptors */

/* A flood costs the one who sends it: its message is refused, and nothing stays open. */
static int
test_fd_floods(void)
{
	unsigned int before = raw_model_fds(), i;
	struct raw_msg m, map;

	/* with one message */
	raw_msg_read(&m);
	m.nb_fds = RAW_FDS_MAX;
	for (i = 0; i < RAW_FDS_MAX; i++)
		m.fds[i] = raw_file_a;
	TEST_CALL(raw_put_msg(&m));
	TEST_CALL(raw_take_reply(&m, EINVAL, NULL));
	TEST_EXPECT(raw_model_fds(), before);
	/* with each byte of it: it keeps an eventfd for each vector at most */
	for (i = 0; i < m.len - 1; i++) {
		TEST_CALL(raw_put(m.buf + i, 1, m.fds, RAW_FDS_MAX));
		/* those of the last bytes may not be closed yet */
		TEST_WAIT(raw_model_fds() <= before + 64, TEST_MS);
	}
	/* and a descriptor behind it is that of its own message */
	raw_msg_map(&map, RAW_ADDR_B, 2 * RAW_PAGE, raw_file_b);
	TEST_CALL(raw_model_stop());
	TEST_CALL(raw_put(m.buf + i, 1, NULL, 0));
	TEST_CALL(raw_put_msg(&map));
	TEST_CALL(raw_model_go_on());
	TEST_CALL(raw_take_reply(&m, EINVAL, NULL));
	TEST_CALL(raw_take_reply(&map, 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_b"), 2 * RAW_PAGE);
	TEST_EXPECT(raw_model_fds(), before + 1);
	/* half a message, and then nobody */
	TEST_CALL(raw_put(m.buf, m.len - 1, m.fds, RAW_FDS_MAX));
	close(raw_sock);
	raw_sock = -1;
	TEST_WAIT(raw_model_fds() + 1 == before, TEST_MS);
	TEST_CALL(raw_greet());
	TEST_EXPECT(raw_model_fds(), before);
	return TEST_SUCCESS;
}

/* ----------------------------------------------------------------- DMA by message */

/* Answer DMA by message until the replies to all of m have come, in their order. */
static int
serve_dma(uint8_t *mem, const struct raw_msg *m, unsigned int nb, unsigned int *asked)
{
	struct {
		uint64_t addr;
		uint64_t count;
		uint8_t data[RAW_PAGE];
	} access;
	struct raw_msg reply;
	unsigned int i;
	struct raw_got got;

	for (i = 0; i < nb;) {
		TEST_CALL(raw_take_msg(&got));
		if (VFIO_USER_TYPE(got.hdr.flags) == VFIO_USER_TYPE_REPLY) {
			TEST_EXPECT(got.hdr.id, m[i++].id);
			TEST_EXPECT(got.hdr.flags & VFIO_USER_F_ERROR, 0);
			continue;
		}
		(*asked)++;
		TEST_TRUE(got.len >= 16 && got.len <= sizeof(access));
		memcpy(&access, got.body, got.len);
		TEST_TRUE(access.addr >= RAW_ADDR_A &&
				access.addr - RAW_ADDR_A + access.count <= RAW_PAGE);
		TEST_TRUE(access.count <= RAW_MSG_MAX - 32);
		if (got.hdr.cmd == VFIO_USER_CMD_DMA_WRITE)
			memcpy(mem + (access.addr - RAW_ADDR_A), access.data, access.count);
		else
			memcpy(access.data, mem + (access.addr - RAW_ADDR_A), access.count);
		raw_msg_make(&reply, got.hdr.cmd, &access,
				16 + (got.hdr.cmd == VFIO_USER_CMD_DMA_READ ? access.count : 0),
				-1);
		got.hdr.size = reply.len;
		got.hdr.flags = VFIO_USER_TYPE_REPLY;
		memcpy(reply.buf, &got.hdr, sizeof(got.hdr));
		TEST_CALL(raw_put_msg(&reply));
	}
	return TEST_SUCCESS;
}

/*
 * A doorbell with messages behind it, which the model finds before the reply to its
 * own: it asks for the entry, keeps what came first, and serves that in its order.
 */
static int
test_dma_behind(void)
{
	uint32_t doorbell = rte_cpu_to_be_32(1);
	static uint8_t mem[RAW_PAGE];
	unsigned int asked = 0;
	struct raw_msg m[5];
	unsigned int i;

	memset(mem, 0, sizeof(mem));
	mem[0] = 7;     /* the entry: a command without blocks */
	mem[7] = 16;    /* length of the input */
	mem[16] = 0x01; /* QUERY_ISSI would want blocks: ENABLE_HCA does not */
	mem[17] = 0x04;
	mem[59] = 16;   /* length of the output */
	mem[60] = 0x11; /* token */
	mem[63] = 1;    /* owner: hardware */
	TEST_CALL(raw_queue_setup(-1));
	raw_msg_write(&m[0], VFIO_USER_REGION_BAR0, 0x18, &doorbell, sizeof(doorbell));
	raw_msg_read(&m[1]);
	raw_msg_map(&m[2], RAW_ADDR_B, 2 * RAW_PAGE, raw_file_b);
	raw_msg_read(&m[3]);
	raw_msg_unmap(&m[4], 0, RAW_ADDR_B, 2 * RAW_PAGE);
	TEST_CALL(raw_model_stop());
	for (i = 0; i < RTE_DIM(m); i++)
		TEST_CALL(raw_put_msg(&m[i]));
	TEST_CALL(raw_model_go_on());
	TEST_CALL(serve_dma(mem, m, RTE_DIM(m), &asked));
	TEST_TRUE(asked > 0);
	TEST_EXPECT(mem[63] & 1, 0); /* owner: software */
	TEST_EXPECT(raw_mapped("msg_file_b"), 0);
	TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), 1);
	return TEST_SUCCESS;
}

/* More than is kept ends the connection, and that is all. */
static int
test_dma_flood_behind(void)
{
	uint32_t doorbell = rte_cpu_to_be_32(1);
	unsigned int before = raw_model_fds(), i;
	struct raw_msg m;

	TEST_CALL(raw_queue_setup(-1));
	raw_msg_write(&m, VFIO_USER_REGION_BAR0, 0x18, &doorbell, sizeof(doorbell));
	TEST_CALL(raw_model_stop());
	TEST_CALL(raw_put_msg(&m));
	for (i = 0; i < 100; i++) {
		raw_msg_map(&m, RAW_ADDR_B + i * RAW_PAGE, RAW_PAGE, raw_file_a);
		TEST_CALL(raw_put_msg(&m));
	}
	TEST_CALL(raw_model_go_on());
	TEST_WAIT(test_model_state(&raw_model, "pf0", "connected") == 0, TEST_MS);
	TEST_TRUE(test_model_logged(&raw_model, "ahead of its reply"));
	close(raw_sock);
	TEST_CALL(raw_greet());
	TEST_EXPECT(raw_model_fds(), before);
	return TEST_SUCCESS;
}

/* ------------------------------------------------------------------ unmap of ranges */

#define ALL_PAGES 7

/* In pages from RAW_ADDR_A on. */
static const struct {
	uint32_t first;
	uint32_t nb;
	bool shared;
} mappings[] = { { 0, 1, true }, { 1, 1, true }, { 3, 1, true }, { 4, 2, true }, { 16, 2, false } };

static int
mappings_make(void)
{
	struct raw_msg m;
	unsigned int i;

	for (i = 0; i < RTE_DIM(mappings); i++) {
		raw_msg_map(&m, RAW_ADDR_A + mappings[i].first * RAW_PAGE,
				mappings[i].nb * RAW_PAGE, mappings[i].shared ? raw_file_b : -1);
		TEST_CALL(raw_call(&m, 0));
	}
	return TEST_SUCCESS;
}

/* The reply to an unmap that succeeds. */
static int
take_unmapped(const struct raw_msg *m, uint64_t bytes)
{
	struct vfio_user_dma_unmap ask, reply;
	struct raw_got got;

	TEST_CALL(raw_take_reply(m, 0, &got));
	TEST_EXPECT(got.len, sizeof(reply));
	memcpy(&ask, m->buf + sizeof(struct vfio_user_hdr), sizeof(ask));
	memcpy(&reply, got.body, sizeof(reply));
	TEST_EXPECT(reply.size, bytes);
	TEST_EXPECT(reply.argsz, sizeof(reply));
	TEST_EXPECT(reply.flags, ask.flags);
	TEST_TRUE(reply.addr == ask.addr);
	return TEST_SUCCESS;
}

/* With all mappings there; then so many pages are gone, in so many mappings. */
static int
unmap_one(uint32_t flags, uint64_t addr, uint64_t size, uint32_t error, uint32_t pages, uint32_t nb)
{
	struct raw_msg m;

	TEST_CALL(mappings_make());
	raw_msg_unmap(&m, flags, addr, size);
	TEST_CALL(raw_put_msg(&m));
	if (error != 0)
		TEST_CALL(raw_take_reply(&m, error, NULL));
	else
		TEST_CALL(take_unmapped(&m, (uint64_t)pages * RAW_PAGE));
	TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), RTE_DIM(mappings) - nb);
	raw_msg_unmap(&m, VFIO_USER_UNMAP_ALL, 0, 0);
	TEST_CALL(raw_put_msg(&m));
	TEST_CALL(take_unmapped(&m, (uint64_t)(ALL_PAGES - pages) * RAW_PAGE));
	TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), 0);
	TEST_EXPECT(raw_mapped("msg_file_b"), 0);
	return TEST_SUCCESS;
}

static int
test_unmap_inside(void)
{
	const uint64_t a = RAW_ADDR_A;

	TEST_CALL(unmap_one(0, a, RAW_PAGE, 0, 1, 1));     /* just one */
	TEST_CALL(unmap_one(0, a, 2 * RAW_PAGE, 0, 2, 2)); /* two */
	TEST_CALL(unmap_one(0, a + RAW_PAGE, 2 * RAW_PAGE, 0, 1, 1));
	TEST_CALL(unmap_one(0, a + 2 * RAW_PAGE, 2 * RAW_PAGE, 0, 1, 1));
	TEST_CALL(unmap_one(0, a, 8 * RAW_PAGE, 0, 5, 4)); /* with holes */
	TEST_CALL(unmap_one(0, a + 16 * RAW_PAGE, 16 * RAW_PAGE, 0, 2, 1));
	return unmap_one(0, a - 64 * RAW_PAGE, 67 * RAW_PAGE, 0, 2, 2);
}

static int
test_unmap_none(void)
{
	const uint64_t a = RAW_ADDR_A;
	struct raw_msg m;

	TEST_CALL(unmap_one(0, a + 2 * RAW_PAGE, RAW_PAGE, 0, 0, 0));
	TEST_CALL(unmap_one(0, a + 8 * RAW_PAGE, 8 * RAW_PAGE, 0, 0, 0));
	TEST_CALL(unmap_one(0, RAW_ADDR_B, RAW_PAGE, 0, 0, 0));
	TEST_CALL(unmap_one(0, 0, RAW_PAGE, 0, 0, 0));
	/* and where there is nothing at all */
	raw_msg_unmap(&m, 0, a, RAW_PAGE);
	TEST_CALL(raw_put_msg(&m));
	TEST_CALL(take_unmapped(&m, 0));
	raw_msg_unmap(&m, VFIO_USER_UNMAP_ALL, 0, 0);
	TEST_CALL(raw_put_msg(&m));
	return take_unmapped(&m, 0);
}

/* A mapping goes as a whole or not at all, and then nothing else goes either. */
static int
test_unmap_cuts(void)
{
	const uint64_t a = RAW_ADDR_A;

	TEST_CALL(unmap_one(0, a + 4 * RAW_PAGE, RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a + 5 * RAW_PAGE, RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a + 5 * RAW_PAGE, 16 * RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a, 5 * RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a, 17 * RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a, RAW_PAGE / 2, EINVAL, 0, 0));
	return unmap_one(0, a + 1, RAW_PAGE, EINVAL, 0, 0);
}

static int
test_unmap_everything(void)
{
	const uint64_t a = RAW_ADDR_A;

	TEST_CALL(unmap_one(0, a, 32 * RAW_PAGE, 0, ALL_PAGES, 5));
	TEST_CALL(unmap_one(0, 0, UINT64_MAX, 0, ALL_PAGES, 5));
	TEST_CALL(unmap_one(0, a, UINT64_MAX - a + 1, 0, ALL_PAGES, 5)); /* to the very end */
	return unmap_one(VFIO_USER_UNMAP_ALL, 0, 0, 0, ALL_PAGES, 5);
}

static int
test_unmap_no_range(void)
{
	const uint64_t a = RAW_ADDR_A;

	TEST_CALL(unmap_one(0, a, 0, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, 0, 0, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0, a, UINT64_MAX - a + 2, EINVAL, 0, 0)); /* wraps around */
	TEST_CALL(unmap_one(0, a, UINT64_MAX, EINVAL, 0, 0));
	TEST_CALL(unmap_one(VFIO_USER_UNMAP_ALL, a, 0, EINVAL, 0, 0));
	TEST_CALL(unmap_one(VFIO_USER_UNMAP_ALL, 0, RAW_PAGE, EINVAL, 0, 0));
	TEST_CALL(unmap_one(0x4, a, RAW_PAGE, EINVAL, 0, 0));
	return unmap_one(VFIO_USER_UNMAP_DIRTY, a, RAW_PAGE, ENOTSUP, 0, 0);
}

/* More than go in one turn, and what stands behind waits for the last of them. */
static int
test_unmap_many(void)
{
	struct raw_msg unmap, map, read;
	unsigned int i;

	for (i = 0; i < 300; i++) {
		raw_msg_map(&map, RAW_ADDR_A + i * RAW_PAGE, RAW_PAGE, raw_file_a);
		TEST_CALL(raw_call(&map, 0));
	}
	raw_msg_unmap(&unmap, 0, RAW_ADDR_A, 256 * RAW_PAGE);
	raw_msg_map(&map, RAW_ADDR_A + 254 * RAW_PAGE, 2 * RAW_PAGE, raw_file_b);
	raw_msg_read(&read);
	TEST_CALL(raw_model_stop());
	TEST_CALL(raw_put_msg(&unmap));
	TEST_CALL(raw_put_msg(&map));
	TEST_CALL(raw_put_msg(&read));
	TEST_CALL(raw_model_go_on());
	TEST_CALL(take_unmapped(&unmap, 256 * RAW_PAGE));
	TEST_CALL(raw_take_reply(&map, 0, NULL));
	TEST_CALL(raw_take_reply(&read, 0, NULL));
	TEST_EXPECT(raw_mapped("msg_file_a"), 44 * RAW_PAGE);
	TEST_EXPECT(raw_mapped("msg_file_b"), 2 * RAW_PAGE);
	TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), 45);
	return TEST_SUCCESS;
}

/* Nobody waits for this reply: there is none, of a range neither. */
static int
test_unmap_unanswered(void)
{
	struct vfio_user_hdr hdr;
	struct raw_msg m, read;
	unsigned int i;

	TEST_CALL(mappings_make());
	for (i = 0; i < 2; i++) { /* four of them; then a cut: what fails is not told of either */
		raw_msg_unmap(&m, 0, RAW_ADDR_A, (i == 0 ? 8 : 17) * RAW_PAGE);
		memcpy(&hdr, m.buf, sizeof(hdr));
		hdr.flags |= VFIO_USER_F_NO_REPLY;
		memcpy(m.buf, &hdr, sizeof(hdr));
		TEST_CALL(raw_put_msg(&m));
		raw_msg_read(&read);
		TEST_CALL(raw_call(&read, 0));
		TEST_EXPECT(test_model_state(&raw_model, "pf0", "regions"), 1);
	}
	return TEST_SUCCESS;
}

static struct unit_test_suite hard_msg_suite = {
	.suite_name = "clients of the software BlueField that do not wait",
	.unit_test_cases = { TEST_CASE_ST(raw_setup, raw_teardown, test_pairs_queued),
			TEST_CASE_ST(raw_setup, raw_teardown, test_pairs_at_once),
		TEST_CASE_ARG(raw_setup, raw_teardown, "test_pairs_cut_queued", pairs_cut, true),
		TEST_CASE_ARG(raw_setup, raw_teardown, "test_pairs_cut_slowly", pairs_cut, false),
			TEST_CASE_ST(raw_setup, raw_teardown, test_pairs_shifted),
			TEST_CASE_ST(raw_setup, raw_teardown, test_map_behind_unmap),
			TEST_CASE_ST(raw_setup, raw_teardown, test_irqs_behind),
			TEST_CASE_ST(raw_setup, raw_teardown, test_refusals_in_order),
			TEST_CASE_ST(raw_setup, raw_teardown, test_fd_floods),
			TEST_CASE_ST(raw_setup, raw_teardown, test_dma_behind),
			TEST_CASE_ST(raw_setup, raw_teardown, test_dma_flood_behind),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_inside),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_none),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_cuts),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_everything),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_no_range),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_many),
			TEST_CASE_ST(raw_setup, raw_teardown, test_unmap_unanswered),
			TEST_CASES_END() }
};

REGISTER_SLOW_TEST(bluefield_hard_msg_autotest, unit_test_suite_runner, &hard_msg_suite);
