/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * The hostile peer's fast path: regions, posts and completions, without one check. No
 * test and nothing of the library is in here.
 */

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "test_shm_peer_fast.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif
#ifndef MFD_HUGETLB
#define MFD_HUGETLB 0x0004U
#endif

/*
 * Regions
 */

int
hostile_region_create(struct hostile_region *r, uint64_t size)
{
	r->size = size;
	r->fd = memfd_create("hostile_region", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (r->fd < 0 || ftruncate(r->fd, (off_t)size) != 0 ||
			fallocate(r->fd, 0, 0, (off_t)size) != 0)
		return -errno;
	/* what was never written counts as a hole, although it was allocated */
	r->map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, r->fd, 0);
	if (r->map == MAP_FAILED)
		return -errno;
	return fcntl(r->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) == 0 ? 0 : -errno;
}

void
hostile_region_free(struct hostile_region *r)
{
	munmap(r->map, r->size);
	close(r->fd);
	r->map = NULL;
}

int
hostile_region_send(struct hostile *e, const struct hostile_region *r, uint32_t id)
{
	union shm_wire_msg msg;

	hostile_fill(&msg, SHM_WIRE_REGION, 0);
	msg.region.region = id;
	msg.region.size = r->size;
	return hostile_send(e, &msg, SHM_WIRE_REGION, 0, r->fd);
}

static int
memfd_bad(enum bad_region kind, uint64_t size)
{
	int seals = kind == REGION_NO_SEALS ? 0 : kind == REGION_NO_SHRINK ? F_SEAL_GROW :
			kind == REGION_FUTURE_WRITE ? F_SEAL_SHRINK | F_SEAL_FUTURE_WRITE :
			F_SEAL_SHRINK;
	uint64_t len = kind == REGION_SHORT ? size - 4096 : kind == REGION_EMPTY ? 0 :
			kind == REGION_HUGETLB ? RTE_ALIGN_CEIL(size, UINT64_C(1) << 21) : size;
	int fd = memfd_create("hostile", MFD_CLOEXEC | MFD_ALLOW_SEALING |
			(kind == REGION_HUGETLB ? MFD_HUGETLB : 0));
	uint64_t there = kind == REGION_HOLES ? len - 4096 : kind == REGION_HUGETLB ? 0 : len;
	uint64_t off;

	if (fd < 0)
		return -1;
	if (ftruncate(fd, (off_t)len) != 0)
		there = len = 0;
	/* what was never written is a hole: that is a case of its own */
	for (off = 0; off < there; off += 4096)
		if (pwrite(fd, "", 1, (off_t)off) != 1)
			seals = -1;
	if ((len == 0 && kind != REGION_EMPTY) || fcntl(fd, F_ADD_SEALS, seals) != 0) {
		close(fd);
		return -1;
	}
	return kind == REGION_READ_ONLY ? hostile_fd_again(fd, O_RDONLY) : fd;
}

int
hostile_region_bad_fd(enum bad_region kind, uint64_t size)
{
	char file[] = "hostile_region_XXXXXX";
	int fds[2], fd;

	switch (kind) {
	case REGION_PIPE:
		if (pipe(fds) != 0)
			return -1;
		close(fds[1]);
		return fds[0];
	case REGION_SOCKET:
		return socket(AF_UNIX, SOCK_STREAM, 0);
	case REGION_NULL:
		return open("/dev/null", O_RDWR);
	case REGION_DIR:
		return open("/", O_RDONLY | O_DIRECTORY);
	case REGION_FILE:
		fd = mkstemp(file);
		if (fd >= 0)
			unlink(file);
		if (fd >= 0 && ftruncate(fd, (off_t)size) != 0) {
			close(fd);
			return -1;
		}
		return fd;
	default:
		return memfd_bad(kind, size);
	}
}

/*
 * Consumers
 */

int
hostile_consumer_ask(struct hostile *e, struct hostile_consumer *c, uint32_t id, uint32_t region)
{
	union shm_wire_msg msg;
	int ret;

	hostile_fill(&msg, SHM_WIRE_CONSUMER, e->chan.id);
	if (c->msg.nb_posts != 0)
		msg.consumer.nb_posts = c->msg.nb_posts;
	msg.consumer.imm_len = c->msg.imm_len;
	msg.consumer.buf_size = c->msg.buf_size;
	msg.consumer.flags |= c->msg.flags;
	msg.consumer.meta = c->msg.meta;
	msg.consumer.tag = c->msg.tag;
	msg.consumer.consumer = id;
	msg.consumer.region = region;
	c->msg = msg.consumer;
	ret = hostile_seg_create(&c->seg, offsetof(struct shm_wire_posts, tail),
			shm_wire_posts_size(c->msg.nb_posts, region != SHM_WIRE_NO_REGION));
	if (ret != 0)
		return ret;
	c->posts = c->seg.map;
	c->posts->tail = SHM_WIRE_POST_START;
	c->posts->consumer = id;
	return hostile_send(e, &msg, SHM_WIRE_CONSUMER, e->chan.id, c->seg.fd);
}

int
hostile_consumer_start(struct hostile *e, struct hostile_consumer *c, uint32_t id, uint32_t region)
{
	const bool has_region = region != SHM_WIRE_NO_REGION;
	int ret = hostile_consumer_ask(e, c, id, region);
	void *map;

	if (ret == 0)
		ret = hostile_wait(e, SHM_WIRE_CONSUMER_ACK, TEST_MS);
	if (ret != 0)
		return ret;
	if (e->msg.consumer_ack.status != 0)
		return e->msg.consumer_ack.status;
	c->cpls_size = shm_wire_cpls_size(c->msg.nb_posts, has_region, c->msg.imm_len);
	map = mmap(NULL, c->cpls_size, PROT_READ, MAP_SHARED, e->msg_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	c->cpls = map;
	c->entries = shm_wire_has_entries(has_region, c->msg.imm_len) ?
			shm_wire_entries(c->cpls) : NULL;
	return 0;
}

void
hostile_post(struct hostile_consumer *c, uint64_t off, uint64_t len)
{
	uint32_t mask = c->msg.nb_posts - 1, slot = c->posts->tail & mask;

	if (c->msg.region != SHM_WIRE_NO_REGION) {
		if (len >= SHM_WIRE_POST_LONG)
			__atomic_store_n(&c->posts->words[mask + 1 + slot], len, __ATOMIC_RELAXED);
		__atomic_store_n(&c->posts->words[slot], off << SHM_WIRE_POST_OFF_SHIFT |
				RTE_MIN(len, SHM_WIRE_POST_LONG), __ATOMIC_RELAXED);
	}
	__atomic_store_n(&c->posts->tail, c->posts->tail + 1, __ATOMIC_RELEASE);
}

void
hostile_consumer_free(struct hostile_consumer *c)
{
	hostile_seg_free(&c->seg);
	if (c->cpls != NULL)
		munmap((void *)(uintptr_t)c->cpls, c->cpls_size);
	memset(c, 0, sizeof(*c));
}

int
hostile_rc_wait(struct hostile *e, struct hostile_rc *rc)
{
	int ret = hostile_wait(e, SHM_WIRE_CONSUMER, TEST_MS);
	bool region;
	uint32_t i;
	void *map;

	if (ret != 0)
		return ret;
	rc->msg = e->msg.consumer;
	region = rc->msg.region != SHM_WIRE_NO_REGION;
	rc->posts_size = shm_wire_posts_size(rc->msg.nb_posts, region);
	map = mmap(NULL, rc->posts_size, PROT_READ, MAP_SHARED, e->msg_fd, 0);
	if (map == MAP_FAILED)
		return -errno;
	rc->posts = map;
	ret = hostile_seg_create(&rc->seg, offsetof(struct shm_wire_cpls, want),
			shm_wire_cpls_size(rc->msg.nb_posts, region, rc->msg.imm_len));
	if (ret != 0)
		return ret;
	rc->cpls = rc->seg.map;
	rc->entries = shm_wire_has_entries(region, rc->msg.imm_len) ?
			(struct shm_entry *)rc->cpls->words : NULL;
	for (i = 1; i <= SHM_WIRE_MAX_PRODUCERS; i++)
		rc->cpls->producers[i] = i;
	return 0;
}

int
hostile_rc_answer(struct hostile *e, struct hostile_rc *rc)
{
	union shm_wire_msg msg;
	uint32_t i;

	for (i = 0; i < rc->msg.nb_posts && rc->entries == NULL; i++)
		hostile_complete(rc, i, hostile_cpl(rc, i, 0, 0, 0) ^ 1);
	hostile_fill(&msg, SHM_WIRE_CONSUMER_ACK, e->chan.id);
	msg.consumer_ack.consumer = rc->msg.consumer;
	return hostile_send(e, &msg, SHM_WIRE_CONSUMER_ACK, e->chan.id, rc->seg.fd);
}

uint64_t
hostile_cpl(const struct hostile_rc *rc, uint32_t n, uint32_t producer, uint32_t imm_len,
		uint64_t len)
{
	return shm_wire_lap(SHM_WIRE_POST_START + n, rte_log2_u32(rc->msg.nb_posts)) |
		(uint64_t)producer << SHM_WIRE_CPL_PRODUCER_SHIFT |
		(uint64_t)imm_len << SHM_WIRE_CPL_IMM_SHIFT | len << SHM_WIRE_CPL_LEN_SHIFT;
}

void
hostile_complete(struct hostile_rc *rc, uint32_t n, uint64_t word)
{
	__atomic_store_n(&rc->cpls->words[(SHM_WIRE_POST_START + n) & (rc->msg.nb_posts - 1)],
			word, __ATOMIC_RELEASE);
}

uint64_t
hostile_entry(uint32_t n, uint32_t producer, uint32_t imm_len, uint32_t more)
{
	return shm_entry_word(SHM_ENTRY_START + n, producer, imm_len) |
		(uint64_t)more << SHM_ENTRY_MORE_SHIFT;
}

void
hostile_entry_put(struct hostile_rc *rc, uint32_t n, uint64_t word)
{
	__atomic_store_n(&rc->entries[(SHM_ENTRY_START + n) & (rc->msg.nb_posts - 1)].word, word,
			__ATOMIC_RELEASE);
}

void
hostile_message(struct hostile_rc *rc, uint32_t n, uint32_t producer)
{
	if (rc->entries != NULL)
		hostile_entry_put(rc, n, hostile_entry(n, producer, 0, 0));
	else
		hostile_complete(rc, n, hostile_cpl(rc, n, producer, 0, 0));
}

void
hostile_rc_free(struct hostile_rc *rc)
{
	hostile_seg_free(&rc->seg);
	if (rc->posts != NULL)
		munmap((void *)(uintptr_t)rc->posts, rc->posts_size);
	memset(rc, 0, sizeof(*rc));
}
