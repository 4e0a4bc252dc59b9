/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Memory of the host for programs of offload processors: handles of maps, arrays of buffers
 * in them, and copies between maps by test_prog_copy() of test_dpa_prog.c.
 */

#define DOCA_ALLOW_EXPERIMENTAL_API

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <doca_buf_array.h>
#include <doca_comch_consumer.h>
#include <doca_comch_msgq.h>
#include <doca_comch_producer.h>
#include <doca_mmap.h>

#include "test_dpa.h"
#include "test_mem.h"

/* Buffers of an array, and where they begin in their map. */
#define NB_BUFS 5
#define BUF_SIZE 300
#define BUF_OFFSET 17
/* Pages of the test; larger ones of other machines are whole pages too. */
#define PAGE ((size_t)65536)
#define LEN (4 * PAGE)
#define MOST_MAPS 256
/* Milliseconds that a copy may take. */
#define WAIT_MS 20000
#define WAIT_TURNS 20000000

struct copier {
	struct test_dpa t;
	struct doca_comch_msgq *msgq;
	struct doca_pe *pe;
	struct doca_comch_consumer *consumer;
	struct doca_comch_producer *producer;
	struct doca_dpa_thread *thread;
	struct doca_comch_consumer_task_post_recv *recv;
	doca_dpa_dev_uintptr_t block;
	struct test_prog_copy copy;
	uint64_t nb_messages;
	uint64_t last; /* message */
};

static void
on_received(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	struct copier *c = ctx_data.ptr;

	(void)task_data;
	if (doca_comch_consumer_task_post_recv_get_imm_data_len(task) == sizeof(c->last))
		memcpy(&c->last, doca_comch_consumer_task_post_recv_get_imm_data(task),
			sizeof(c->last));
	c->nb_messages++;
	if (doca_task_submit(doca_comch_consumer_task_post_recv_as_task(task)) != DOCA_SUCCESS)
		doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

static void
on_recv_error(struct doca_comch_consumer_task_post_recv *task, union doca_data task_data,
		union doca_data ctx_data)
{
	(void)task_data;
	(void)ctx_data;
	doca_task_free(doca_comch_consumer_task_post_recv_as_task(task));
}

/* A queue from the program, with a consumer of ours that has a receive posted. */
static int
consumer_open(struct copier *c)
{
	const union doca_data data = {.ptr = c};
	struct doca_ctx *ctx;

	TEST_OK(doca_comch_msgq_create(c->t.dev, &c->msgq));
	TEST_OK(doca_comch_msgq_set_dpa_producer(c->msgq, c->t.dpa));
	TEST_OK(doca_comch_msgq_start(c->msgq));
	TEST_OK(doca_pe_create(&c->pe));
	TEST_OK(doca_comch_msgq_consumer_create(c->msgq, &c->consumer));
	ctx = doca_comch_consumer_as_ctx(c->consumer);
	TEST_OK(doca_pe_connect_ctx(c->pe, ctx));
	TEST_OK(doca_ctx_set_user_data(ctx, data));
	TEST_OK(doca_comch_consumer_task_post_recv_set_conf(c->consumer, on_received,
			on_recv_error, 1));
	TEST_OK(doca_comch_consumer_set_imm_data_len(c->consumer, sizeof(c->last)));
	TEST_OK(doca_ctx_start(ctx));
	TEST_OK(doca_comch_consumer_task_post_recv_alloc_init(c->consumer, NULL, &c->recv));
	TEST_OK(doca_task_submit(doca_comch_consumer_task_post_recv_as_task(c->recv)));
	TEST_OK(doca_comch_consumer_get_id(c->consumer, &c->copy.consumer_id));
	return 0;
}

static int
copier_open(struct copier *c)
{
	struct doca_ctx *ctx;

	memset(c, 0, sizeof(*c));
	TEST_TRUE(test_dpa_open(&c->t) == 0);
	TEST_TRUE(consumer_open(c) == 0);
	TEST_OK(doca_dpa_mem_alloc(c->t.dpa, sizeof(c->copy), &c->block));
	TEST_TRUE(test_dpa_thread(&c->t, test_prog_copy, c->block, &c->thread) == 0);
	TEST_OK(doca_comch_msgq_producer_create(c->msgq, &c->producer));
	ctx = doca_comch_producer_as_ctx(c->producer);
	TEST_OK(doca_ctx_set_datapath_on_dpa(ctx, c->t.dpa));
	TEST_OK(doca_comch_producer_set_dev_max_num_send(c->producer, 4));
	TEST_OK(doca_ctx_start(ctx));
	TEST_OK(doca_comch_producer_get_dpa_handle(c->producer, &c->copy.producer));
	return 0;
}

static int
copier_close(struct copier *c)
{
	struct doca_ctx *ctx = doca_comch_consumer_as_ctx(c->consumer);
	enum doca_ctx_states state = DOCA_CTX_STATE_STOPPING;
	unsigned int i;

	doca_ctx_stop(ctx);
	for (i = 0; i < WAIT_TURNS && state != DOCA_CTX_STATE_IDLE; i++) {
		doca_pe_progress(c->pe);
		TEST_OK(doca_ctx_get_state(ctx, &state));
	}
	TEST_OK(doca_comch_consumer_destroy(c->consumer));
	TEST_OK(doca_ctx_stop(doca_comch_producer_as_ctx(c->producer)));
	TEST_OK(doca_comch_producer_destroy(c->producer));
	TEST_OK(doca_dpa_thread_stop(c->thread));
	TEST_OK(doca_dpa_thread_destroy(c->thread));
	TEST_OK(doca_comch_msgq_stop(c->msgq));
	TEST_OK(doca_comch_msgq_destroy(c->msgq));
	TEST_OK(doca_dpa_mem_free(c->t.dpa, c->block));
	TEST_OK(doca_pe_destroy(c->pe));
	return test_dpa_close(&c->t);
}

/* Have the program copy once: whether its message came, or -1 if it does not answer. */
static int
copy(struct copier *c, uint32_t dst_mmap, const void *dst, uint32_t src_mmap, const void *src,
		size_t len)
{
	struct test_prog_copy seen = {.done = c->copy.number};
	uint64_t before = c->nb_messages;
	unsigned int i;

	c->copy.number++;
	c->copy.dst_mmap = dst_mmap;
	c->copy.dst_addr = (uintptr_t)dst;
	c->copy.src_mmap = src_mmap;
	c->copy.src_addr = (uintptr_t)src;
	c->copy.len = len;
	TEST_OK(doca_dpa_h2d_memcpy(c->t.dpa, c->block, &c->copy, sizeof(c->copy)));
	TEST_OK(doca_dpa_thread_run(c->thread));
	for (i = 0; i < WAIT_MS * 10 && seen.done != c->copy.number; i++) {
		usleep(100);
		TEST_OK(doca_dpa_d2h_memcpy(c->t.dpa, &seen, c->block, sizeof(seen)));
	}
	TEST_TRUE(seen.done == c->copy.number);
	/* what was sent before that is there */
	for (i = 0; i < 100; i++)
		doca_pe_progress(c->pe);
	TEST_TRUE(c->nb_messages == before || c->last == c->copy.number);
	return c->nb_messages - before;
}

static void
fill(uint8_t *bytes, size_t len, unsigned int seed)
{
	size_t i;

	for (i = 0; i < len; i++)
		bytes[i] = (uint8_t)((i + seed) * 2654435761u >> 13);
}

/* Whole pages with bytes in them, a map over them, and its handle. */
static int
map_open(struct doca_dev *dev, uint8_t **bytes, size_t len, struct doca_mmap **map,
		uint32_t *handle)
{
	*bytes = aligned_alloc(PAGE, len);
	TEST_TRUE(*bytes != NULL);
	fill(*bytes, len, 1);
	TEST_OK(test_map_start(*bytes, len, map));
	TEST_OK(doca_mmap_dev_get_dpa_handle(*map, dev, handle));
	TEST_TRUE(*handle != 0);
	return 0;
}

/* Memory of the program stays what it is, and the processor copies between two maps of it. */
static int
test_dpa_map_copy(void)
{
	static const size_t lens[] = {1, 63, 4096, 4097, PAGE, LEN - 7};
	struct doca_mmap *from, *to;
	uint32_t src_handle, dst_handle;
	uint8_t *src, *dst, *want;
	struct copier c;
	unsigned int i;

	want = malloc(LEN);
	TEST_TRUE(want != NULL && copier_open(&c) == 0);
	TEST_TRUE(map_open(c.t.dev, &src, LEN, &from, &src_handle) == 0);
	TEST_TRUE(map_open(c.t.dev, &dst, LEN, &to, &dst_handle) == 0);
	TEST_TRUE(src_handle != dst_handle);
	/* nothing was lost with the pages */
	fill(want, LEN, 1);
	TEST_TRUE(memcmp(src, want, LEN) == 0 && memcmp(dst, want, LEN) == 0);
	for (i = 0; i < sizeof(lens) / sizeof(lens[0]); i++) {
		fill(src, LEN, i + 2);
		memset(dst, 0, LEN);
		memset(want, 0, LEN);
		memcpy(want + 5, src + 3, lens[i]);
		TEST_TRUE(copy(&c, dst_handle, dst + 5, src_handle, src + 3, lens[i]) == 1);
		TEST_TRUE(memcmp(dst, want, LEN) == 0);
	}
	/* inside of one map, but not over itself */
	fill(src, LEN, 9);
	TEST_TRUE(copy(&c, src_handle, src, src_handle, src + PAGE, PAGE) == 1);
	TEST_TRUE(memcmp(src, src + PAGE, PAGE) == 0);
	TEST_TRUE(copy(&c, src_handle, src, src_handle, src + PAGE - 1, PAGE) == 0);
	TEST_OK(doca_mmap_destroy(from));
	TEST_OK(doca_mmap_destroy(to));
	free(src);
	free(dst);
	free(want);
	return copier_close(&c);
}

/* What the processor may not do is not done, and no message comes. */
static int
test_dpa_map_rights(void)
{
	struct doca_mmap *all, *part, *fixed;
	uint32_t handle, part_handle, fixed_handle;
	uint8_t *bytes, *other, *want;
	struct copier c;

	want = malloc(LEN);
	other = aligned_alloc(PAGE, LEN);
	TEST_TRUE(want != NULL && other != NULL && copier_open(&c) == 0);
	memset(other, 7, LEN);
	TEST_TRUE(map_open(c.t.dev, &bytes, LEN, &all, &handle) == 0);
	/* a map over a part of another one has its bytes, and no others */
	TEST_OK(test_map_start(bytes + PAGE, PAGE, &part));
	TEST_OK(doca_mmap_dev_get_dpa_handle(part, c.t.dev, &part_handle));
	TEST_OK(test_map_make(other, LEN, &fixed));
	TEST_OK(doca_mmap_set_permissions(fixed, DOCA_ACCESS_FLAG_LOCAL_READ_ONLY));
	TEST_OK(doca_mmap_start(fixed));
	TEST_OK(doca_mmap_dev_get_dpa_handle(fixed, c.t.dev, &fixed_handle));
	memcpy(want, bytes, LEN);
	TEST_TRUE(copy(&c, fixed_handle, other, handle, bytes, 64) == 0);
	TEST_TRUE(copy(&c, part_handle, bytes, fixed_handle, other, 64) == 0);
	TEST_TRUE(copy(&c, part_handle, bytes + 2 * PAGE - 1, fixed_handle, other, 2) == 0);
	TEST_TRUE(copy(&c, handle, bytes, fixed_handle, other + LEN - 1, 2) == 0);
	TEST_TRUE(copy(&c, handle, bytes - 1, fixed_handle, other, 2) == 0);
	TEST_TRUE(copy(&c, handle, other, fixed_handle, other, 2) == 0);
	TEST_TRUE(copy(&c, 0, bytes, fixed_handle, other, 64) == 0);
	TEST_TRUE(copy(&c, MOST_MAPS + 1, bytes, fixed_handle, other, 64) == 0);
	TEST_TRUE(copy(&c, handle, bytes, MOST_MAPS, other, 64) == 0);
	TEST_TRUE(copy(&c, handle, bytes, fixed_handle, other, 0) == 0);
	TEST_TRUE(memcmp(bytes, want, LEN) == 0 && other[0] == 7);
	TEST_TRUE(copy(&c, part_handle, bytes + 2 * PAGE - 2, fixed_handle, other, 2) == 1);
	TEST_TRUE(bytes[2 * PAGE - 2] == 7 && bytes[2 * PAGE - 1] == 7);
	TEST_OK(doca_mmap_destroy(all));
	/* the part has its pages still */
	TEST_TRUE(copy(&c, part_handle, bytes + PAGE, fixed_handle, other, 2) == 1);
	TEST_TRUE(bytes[PAGE] == 7);
	TEST_OK(doca_mmap_destroy(part));
	TEST_OK(doca_mmap_destroy(fixed));
	TEST_TRUE(copier_close(&c) == 0);
	free(bytes);
	free(other);
	free(want);
	return 0;
}

/* A handle ends with its map; the memory is the program's as before, and for other maps. */
static int
test_dpa_map_again(void)
{
	struct doca_mmap *from, *to;
	uint32_t src_handle, dst_handle, again;
	uint8_t *src, *dst;
	struct copier c;
	unsigned int i;

	TEST_TRUE(copier_open(&c) == 0);
	TEST_TRUE(map_open(c.t.dev, &src, LEN, &from, &src_handle) == 0);
	TEST_TRUE(map_open(c.t.dev, &dst, LEN, &to, &dst_handle) == 0);
	TEST_OK(doca_mmap_dev_get_dpa_handle(to, c.t.dev, &again));
	TEST_TRUE(again == dst_handle);
	TEST_OK(doca_mmap_stop(to));
	TEST_TRUE(copy(&c, dst_handle, dst, src_handle, src, LEN) == 0);
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(to, c.t.dev, &again), DOCA_ERROR_BAD_STATE);
	for (i = 0; i < 3; i++) {
		fill(dst, LEN, 20 + i);
		TEST_OK(doca_mmap_start(to));
		TEST_OK(doca_mmap_dev_get_dpa_handle(to, c.t.dev, &dst_handle));
		fill(src, LEN, 20 + i);
		TEST_TRUE(memcmp(dst, src, LEN) == 0);
		fill(src, LEN, 10 + i);
		TEST_TRUE(copy(&c, dst_handle, dst, src_handle, src, LEN) == 1);
		TEST_TRUE(memcmp(dst, src, LEN) == 0);
		TEST_OK(doca_mmap_destroy(to));
		TEST_OK(test_map_make(dst, LEN, &to));
	}
	TEST_OK(doca_mmap_destroy(to));
	/* the memory may go first, and what is in its place then is another one */
	TEST_TRUE(munmap(src, LEN) == 0);
	TEST_TRUE(mmap(src, LEN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == src);
	memset(src, 3, LEN);
	TEST_OK(test_map_start(src, LEN, &to));
	TEST_OK(doca_mmap_dev_get_dpa_handle(to, c.t.dev, &dst_handle));
	TEST_TRUE(dst_handle != src_handle);
	TEST_OK(doca_mmap_destroy(from));
	TEST_TRUE(copy(&c, dst_handle, src + 1, dst_handle, src + PAGE, 1) == 1);
	TEST_OK(doca_mmap_destroy(to));
	TEST_TRUE(src[0] == 3 && src[LEN - 1] == 3);
	TEST_TRUE(copier_close(&c) == 0);
	free(src);
	free(dst);
	return 0;
}

/* Processors that start later have the map too, each, and after a stop that is refused. */
static int
test_dpa_map_processors(void)
{
	struct doca_mmap *from, *to;
	uint32_t src_handle, dst_handle;
	struct doca_dpa *other;
	struct doca_dev *dev;
	uint8_t *src, *dst;
	struct copier c;
	unsigned int i;

	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_TRUE(map_open(dev, &src, LEN, &from, &src_handle) == 0);
	TEST_OK(doca_dpa_create(dev, &other));
	TEST_OK(doca_dpa_set_app(other, test_prog));
	TEST_OK(doca_dpa_start(other));
	TEST_TRUE(map_open(dev, &dst, LEN, &to, &dst_handle) == 0);
	for (i = 0; i < 2; i++) {
		TEST_TRUE(copier_open(&c) == 0);
		fill(src, LEN, 40 + i);
		TEST_TRUE(copy(&c, dst_handle, dst, src_handle, src, LEN) == 1);
		TEST_TRUE(memcmp(dst, src, LEN) == 0);
		TEST_RESULT(doca_dpa_stop(c.t.dpa), DOCA_ERROR_IN_USE);
		fill(src, LEN, 50 + i);
		TEST_TRUE(copy(&c, dst_handle, dst, src_handle, src, LEN) == 1);
		TEST_TRUE(memcmp(dst, src, LEN) == 0);
		TEST_TRUE(copier_close(&c) == 0);
	}
	TEST_OK(doca_mmap_destroy(from));
	TEST_OK(doca_dpa_stop(other));
	TEST_OK(doca_dpa_destroy(other));
	TEST_OK(doca_mmap_destroy(to));
	TEST_OK(doca_dev_close(dev));
	free(src);
	free(dst);
	return 0;
}

/* A program that has ended has no maps, and what is there can be taken down. */
static int
test_dpa_map_fault(void)
{
	struct doca_mmap *map, *later;
	uint32_t handle;
	uint8_t *bytes;
	struct test_dpa t;
	uint64_t ret;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_TRUE(map_open(t.dev, &bytes, LEN, &map, &handle) == 0);
	TEST_RESULT(doca_dpa_rpc(t.dpa, test_prog_fault, &ret), DOCA_ERROR_DRIVER);
	TEST_OK(test_map_start(bytes, PAGE, &later));
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(later, t.dev, &handle), DOCA_ERROR_DRIVER);
	TEST_OK(doca_mmap_destroy(later));
	TEST_OK(doca_mmap_destroy(map));
	free(bytes);
	return test_dpa_close(&t);
}

static int
test_dpa_map_null(void)
{
	struct doca_dev *dev, *stranger;
	struct doca_mmap *map;
	uint8_t *bytes;
	uint32_t handle;

	bytes = aligned_alloc(PAGE, PAGE);
	TEST_TRUE(bytes != NULL);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_dev_open("03:00.1", &stranger));
	TEST_OK(test_map_make(bytes, PAGE, &map));
	TEST_NULL_3(doca_mmap_dev_get_dpa_handle, map, dev, &handle);
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(map, stranger, &handle),
			DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(map, dev, &handle), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_add_dev(map, stranger));
	TEST_OK(doca_mmap_start(map));
	TEST_OK(doca_mmap_dev_get_dpa_handle(map, dev, &handle));
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(map, stranger, &handle),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	TEST_OK(doca_dev_close(stranger));
	free(bytes);
	return 0;
}

/* The result for a range. */
static doca_error_t
handle_of(void *addr, size_t len)
{
	struct doca_mmap *map = NULL;
	struct doca_dev *dev = NULL;
	doca_error_t result;
	uint32_t handle;

	result = test_dev_open(TEST_DEV, &dev);
	DOCA_ERROR_PROPAGATE(result, test_map_start(addr, len, &map));
	if (result == DOCA_SUCCESS)
		result = doca_mmap_dev_get_dpa_handle(map, dev, &handle);
	if (doca_mmap_destroy(map) != DOCA_SUCCESS || doca_dev_close(dev) != DOCA_SUCCESS)
		return DOCA_ERROR_UNEXPECTED;
	return result;
}

/* Memory whose pages are not the map's alone, and memory of another process. */
static int
test_dpa_map_memory(void)
{
	struct doca_mmap *map, *imported;
	const void *desc;
	struct doca_dev *dev;
	uint32_t handle;
	uint8_t *bytes;
	size_t len;

	bytes = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	TEST_TRUE(bytes != MAP_FAILED);
	memset(bytes, 5, LEN);
	TEST_RESULT(handle_of(bytes + 64, PAGE), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(handle_of(bytes, PAGE - 64), DOCA_ERROR_NOT_SUPPORTED);
	TEST_RESULT(handle_of(bytes, 1), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(handle_of(bytes, PAGE));
	TEST_TRUE(bytes[0] == 5 && bytes[PAGE] == 5);
	/* of two kinds now, but for what was not in the first map */
	TEST_RESULT(handle_of(bytes, LEN), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(handle_of(bytes + PAGE, LEN - PAGE));
	TEST_TRUE(mprotect(bytes + PAGE, PAGE, PROT_READ) == 0);
	TEST_RESULT(handle_of(bytes + PAGE, PAGE), DOCA_ERROR_NOT_SUPPORTED);
	TEST_TRUE(munmap(bytes + PAGE, PAGE) == 0);
	TEST_RESULT(handle_of(bytes + PAGE, PAGE), DOCA_ERROR_NOT_SUPPORTED);
	TEST_TRUE(munmap(bytes, LEN) == 0);
	bytes = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	TEST_TRUE(bytes != MAP_FAILED);
	TEST_RESULT(handle_of(bytes, LEN), DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	TEST_OK(test_map_start(bytes, LEN, &map));
	TEST_OK(doca_mmap_export_pci(map, dev, &desc, &len));
	TEST_OK(doca_mmap_create_from_export(NULL, desc, len, dev, &imported));
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(imported, dev, &handle),
			DOCA_ERROR_NOT_SUPPORTED);
	TEST_OK(doca_mmap_destroy(imported));
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_dev_close(dev));
	TEST_TRUE(munmap(bytes, LEN) == 0);
	return 0;
}

/* A file of PAGE bytes, whose path has more than a line of 512 bytes, and ends with text. */
static int
long_path_open(const char *text)
{
	char path[600] = "/tmp/doca-maps-XXXXXX";
	const size_t len = strlen(path), cut = 511 - 73; /* what is before it in a line */
	int fd = -1;

	if (mkdtemp(path) == NULL)
		return -1;
	memset(path + len, 'a', sizeof(path) - len);
	path[len] = '/';
	path[240] = '\0';
	if (mkdir(path, 0700) == 0) {
		path[240] = '/';
		snprintf(path + cut - 10, sizeof(path) - cut, "%20s%s", "", text);
		fd = open(path, O_RDWR | O_CREAT, 0600);
		unlink(path);
		path[240] = '\0';
		rmdir(path);
	}
	path[len] = '\0';
	rmdir(path);
	return fd >= 0 && ftruncate(fd, PAGE) == 0 ? fd : -1;
}

/* The path of a file does not say what the memory behind it is. */
static int
test_dpa_map_path(void)
{
	uint8_t *bytes, *file;
	char lie[64];
	int fd;

	file = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	TEST_TRUE(file != MAP_FAILED);
	bytes = file + PAGE;
	snprintf(lie, sizeof(lie), "%" PRIxPTR "-%" PRIxPTR " rw-p 0 0:0 0 ", (uintptr_t)bytes,
			(uintptr_t)bytes + PAGE);
	fd = long_path_open(lie);
	TEST_TRUE(fd >= 0);
	TEST_TRUE(mmap(file, PAGE, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == file);
	TEST_RESULT(handle_of(bytes, PAGE), DOCA_ERROR_NOT_SUPPORTED);
	TEST_TRUE(munmap(file, 2 * PAGE) == 0 && close(fd) == 0);
	return 0;
}

/* Whether a child of fork() has a page; -1 if there is no child. */
static int
child_has(void *page)
{
	unsigned char vec[PAGE / 4096];
	int status;
	pid_t pid;

	pid = fork();
	if (pid == 0)
		_exit(mincore(page, PAGE, vec) == 0);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

/* A child of fork() does not write to memory that its parent takes for its own. */
static int
test_dpa_map_fork(void)
{
	uint8_t *bytes = aligned_alloc(PAGE, PAGE);

	TEST_TRUE(bytes != NULL);
	memset(bytes, 1, PAGE);
	TEST_TRUE(child_has(bytes) == 1);
	TEST_OK(handle_of(bytes, PAGE));
	TEST_TRUE(child_has(bytes) == 0 && bytes[0] == 1);
	free(bytes);
	return 0;
}

static void
exit_refused(void)
{
	static uint8_t bytes[100];

	setenv("DOCA_COMPAT_LOG_LEVEL", "error", 1);
	exit(handle_of(bytes, sizeof(bytes)) != DOCA_ERROR_NOT_SUPPORTED);
}

/* The log names the call and the remedy. */
static int
test_dpa_map_log(void)
{
	char out[TEST_TEXT_SIZE], err[TEST_TEXT_SIZE];

	TEST_TRUE(test_process(exit_refused, out, err) == 0);
	TEST_HAS(err, "doca_mmap_dev_get_dpa_handle(): the map of 100 bytes");
	TEST_HAS(err, "aligned_alloc(");
	return 0;
}

/* As many maps as have handles, and one more. */
static int
test_dpa_map_many(void)
{
	struct doca_mmap *maps[MOST_MAPS + 1];
	bool seen[MOST_MAPS + 1] = {0};
	uint32_t handle, i;
	uint8_t *bytes;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	bytes = aligned_alloc(PAGE, (MOST_MAPS + 1) * PAGE);
	TEST_TRUE(bytes != NULL);
	for (i = 0; i <= MOST_MAPS; i++)
		TEST_OK(test_map_start(bytes + i * PAGE, PAGE, &maps[i]));
	for (i = 0; i < MOST_MAPS; i++) {
		TEST_OK(doca_mmap_dev_get_dpa_handle(maps[i], t.dev, &handle));
		TEST_TRUE(handle >= 1 && handle <= MOST_MAPS && !seen[handle]);
		seen[handle] = true;
	}
	TEST_RESULT(doca_mmap_dev_get_dpa_handle(maps[i], t.dev, &handle), DOCA_ERROR_FULL);
	TEST_OK(doca_mmap_stop(maps[7]));
	TEST_OK(doca_mmap_dev_get_dpa_handle(maps[i], t.dev, &handle));
	for (i = 0; i <= MOST_MAPS; i++)
		TEST_OK(doca_mmap_destroy(maps[i]));
	free(bytes);
	return test_dpa_close(&t);
}

struct taker {
	pthread_t thread;
	pthread_barrier_t *barrier;
	struct doca_mmap *map;
	struct doca_dev *dev;
	uint32_t handle;
};

static void *
take(void *arg)
{
	struct taker *t = arg;

	pthread_barrier_wait(t->barrier);
	if (doca_mmap_dev_get_dpa_handle(t->map, t->dev, &t->handle) != DOCA_SUCCESS)
		t->handle = 0;
	return NULL;
}

/* A map has one handle, also when two threads are the first to ask for it. */
static int
test_dpa_map_threads(void)
{
	pthread_barrier_t barrier;
	struct taker takers[2];
	struct doca_mmap *map;
	struct doca_dev *dev;
	uint8_t *bytes;
	int i, k;

	bytes = aligned_alloc(PAGE, PAGE);
	TEST_TRUE(bytes != NULL && pthread_barrier_init(&barrier, NULL, 2) == 0);
	TEST_OK(test_dev_open(TEST_DEV, &dev));
	for (i = 0; i < 2 * MOST_MAPS; i++) {
		TEST_OK(test_map_start(bytes, PAGE, &map));
		for (k = 0; k < 2; k++) {
			takers[k] = (struct taker){.barrier = &barrier, .map = map, .dev = dev};
			TEST_TRUE(pthread_create(&takers[k].thread, NULL, take, &takers[k]) == 0);
		}
		for (k = 0; k < 2; k++)
			pthread_join(takers[k].thread, NULL);
		TEST_TRUE(takers[0].handle == 1 && takers[1].handle == 1);
		TEST_OK(doca_mmap_destroy(map));
	}
	pthread_barrier_destroy(&barrier);
	TEST_OK(doca_dev_close(dev));
	free(bytes);
	return 0;
}

/* What the program knows of a buffer. */
static uint64_t
buf_tell(struct test_dpa *t, doca_dpa_dev_buf_arr_t arr, uint64_t i, enum test_prog_buf what)
{
	uint64_t got = UINT64_MAX;

	if (doca_dpa_rpc(t->dpa, test_prog_buf, &got, arr, i, (uint32_t)what) != DOCA_SUCCESS)
		return UINT64_MAX;
	return got;
}

/* Copy from one buffer of an array to another one. */
static int
bufs_copy(struct copier *c, doca_dpa_dev_buf_arr_t arr, uint64_t to, uint64_t from)
{
	return copy(c, buf_tell(&c->t, arr, to, TEST_PROG_BUF_MMAP),
		(void *)(uintptr_t)buf_tell(&c->t, arr, to, TEST_PROG_BUF_ADDR),
		buf_tell(&c->t, arr, from, TEST_PROG_BUF_MMAP),
		(void *)(uintptr_t)buf_tell(&c->t, arr, from, TEST_PROG_BUF_ADDR),
		buf_tell(&c->t, arr, from, TEST_PROG_BUF_LEN));
}

static int
test_dpa_map_array(void)
{
	doca_dpa_dev_buf_arr_t handle;
	struct doca_buf_arr *arr;
	struct doca_mmap *map;
	uint8_t *bytes, *bufs;
	struct copier c;
	uint64_t i;

	TEST_TRUE(copier_open(&c) == 0);
	bytes = aligned_alloc(PAGE, PAGE);
	TEST_TRUE(bytes != NULL);
	fill(bytes, PAGE, 1);
	bufs = bytes + BUF_OFFSET;
	TEST_OK(test_map_start(bytes, PAGE, &map));
	TEST_OK(doca_buf_arr_create(NB_BUFS, &arr));
	TEST_OK(doca_buf_arr_set_params(arr, map, BUF_SIZE, BUF_OFFSET));
	TEST_OK(doca_buf_arr_set_target_dpa(arr, c.t.dpa));
	TEST_OK(doca_buf_arr_start(arr));
	TEST_OK(doca_buf_arr_get_dpa_handle(arr, &handle));
	for (i = 0; i < NB_BUFS; i++) {
		TEST_TRUE(buf_tell(&c.t, handle, i, TEST_PROG_BUF_ADDR) ==
				(uintptr_t)bufs + i * BUF_SIZE);
		TEST_TRUE(buf_tell(&c.t, handle, i, TEST_PROG_BUF_LEN) == BUF_SIZE);
	}
	TEST_TRUE(buf_tell(&c.t, handle, i, TEST_PROG_BUF_ADDR) == 0);
	TEST_TRUE(memcmp(bufs, bufs + 4 * BUF_SIZE, BUF_SIZE) != 0);
	TEST_TRUE(bufs_copy(&c, handle, 0, 4) == 1);
	TEST_TRUE(memcmp(bufs, bufs + 4 * BUF_SIZE, BUF_SIZE) == 0);
	TEST_RESULT(doca_buf_arr_destroy(arr), DOCA_ERROR_IN_USE);
	TEST_OK(doca_buf_arr_stop(arr));
	/* as another array, in another map */
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(test_map_start(bytes, PAGE, &map));
	TEST_OK(doca_buf_arr_set_params(arr, map, PAGE / NB_BUFS, 0));
	TEST_OK(doca_buf_arr_start(arr));
	TEST_OK(doca_buf_arr_get_dpa_handle(arr, &handle));
	TEST_TRUE(bufs_copy(&c, handle, 1, 3) == 1);
	TEST_OK(doca_buf_arr_stop(arr));
	TEST_OK(doca_buf_arr_destroy(arr));
	TEST_OK(doca_mmap_destroy(map));
	free(bytes);
	return copier_close(&c);
}

static int
test_dpa_map_array_state(void)
{
	doca_dpa_dev_buf_arr_t handle;
	struct doca_buf_arr *arr;
	struct doca_mmap *map;
	struct test_dpa t;
	uint8_t *bytes;

	bytes = aligned_alloc(PAGE, PAGE);
	TEST_TRUE(bytes != NULL && test_dpa_open(&t) == 0);
	TEST_OK(test_map_make(bytes, PAGE, &map));
	TEST_OK(doca_buf_arr_create(NB_BUFS, &arr));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_arr_stop(arr), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_arr_get_dpa_handle(arr, &handle), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_arr_set_target_dpa(arr, t.dpa));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_buf_arr_set_params(arr, map, BUF_SIZE, BUF_OFFSET));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
	TEST_OK(doca_mmap_start(map));
	TEST_OK(doca_buf_arr_set_params(arr, map, PAGE / NB_BUFS, NB_BUFS));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_arr_set_params(arr, map, 1, UINT64_MAX));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_arr_set_params(arr, map, BUF_SIZE, BUF_OFFSET));
	TEST_OK(doca_dpa_stop(t.dpa));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_destroy(t.dpa), DOCA_ERROR_IN_USE);
	TEST_OK(doca_dpa_start(t.dpa));
	TEST_OK(doca_buf_arr_start(arr));
	TEST_RESULT(doca_buf_arr_start(arr), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_arr_set_params(arr, map, 1, 0), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_buf_arr_set_target_dpa(arr, t.dpa), DOCA_ERROR_BAD_STATE);
	TEST_RESULT(doca_dpa_stop(t.dpa), DOCA_ERROR_IN_USE);
	TEST_OK(doca_mmap_destroy(map));
	TEST_OK(doca_buf_arr_stop(arr));
	TEST_OK(doca_buf_arr_destroy(arr));
	free(bytes);
	return test_dpa_close(&t);
}

static int
test_dpa_map_array_null(void)
{
	doca_dpa_dev_buf_arr_t handle;
	struct doca_buf_arr *arr;
	struct doca_mmap *map;
	struct test_dpa t;

	TEST_TRUE(test_dpa_open(&t) == 0);
	TEST_OK(doca_mmap_create(&map));
	TEST_RESULT(doca_buf_arr_create(0, &arr), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_arr_create(1, NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_arr_create(1, &arr));
	TEST_RESULT(doca_buf_arr_set_params(NULL, map, 1, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_arr_set_params(arr, NULL, 1, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_arr_set_params(arr, map, 0, 0), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_buf_arr_set_target_dpa, arr, t.dpa);
	TEST_RESULT(doca_buf_arr_start(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_RESULT(doca_buf_arr_stop(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_NULL_2(doca_buf_arr_get_dpa_handle, arr, &handle);
	TEST_RESULT(doca_buf_arr_destroy(NULL), DOCA_ERROR_INVALID_VALUE);
	TEST_OK(doca_buf_arr_destroy(arr));
	TEST_OK(doca_mmap_destroy(map));
	return test_dpa_close(&t);
}

const struct test_case test_dpa_map[] = {
	TEST_CASE(test_dpa_map_copy),
	TEST_CASE(test_dpa_map_rights),
	TEST_CASE(test_dpa_map_again),
	TEST_CASE(test_dpa_map_processors),
	TEST_CASE(test_dpa_map_fault),
	TEST_CASE(test_dpa_map_null),
	TEST_CASE(test_dpa_map_memory),
	TEST_CASE(test_dpa_map_path),
	TEST_CASE(test_dpa_map_fork),
	TEST_CASE(test_dpa_map_log),
	TEST_CASE(test_dpa_map_many),
	TEST_CASE(test_dpa_map_threads),
	TEST_CASE(test_dpa_map_array),
	TEST_CASE(test_dpa_map_array_state),
	TEST_CASE(test_dpa_map_array_null),
	TEST_CASES_END()
};
