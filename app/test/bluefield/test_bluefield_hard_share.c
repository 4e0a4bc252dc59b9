/* SPDX-License-Identifier: BSD-3-Clause
 * Copyright(c) 2026 The dpdk-comch authors
 */

/*
 * Clients of the software BlueField that harm others, or those that come after them:
 * one is slow on purpose, one takes all descriptors, one leaves something behind. No
 * driver takes part.
 */

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <rte_byteorder.h>

#include "test_bluefield_raw.h"
#include "test_comch_util.h"

/* Memory without descriptors that went with all others is not there for ever. */
static int
test_unmap_all_by_message(void)
{
	struct raw_msg m;
	uint8_t *mem;

	raw_msg_map(&m, RAW_ADDR_B, RAW_PAGE, -1);
	TEST_CALL(raw_call(&m, 0));
	raw_msg_unmap(&m, VFIO_USER_UNMAP_ALL, 0, 0);
	TEST_CALL(raw_call(&m, 0));
	TEST_CALL(raw_queue_setup(raw_file_a));
	mem = mmap(NULL, RAW_PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, raw_file_a, 0);
	TEST_TRUE(mem != MAP_FAILED);
	mem[0] = 7;     /* the entry: INIT_HCA, which takes a second and more here */
	mem[7] = 16;    /* length of the input */
	mem[16] = 0x01;
	mem[17] = 0x02;
	mem[59] = 16;   /* length of the output */
	mem[60] = 0x11; /* token */
	mem[63] = 1;    /* owner: hardware */
	munmap(mem, RAW_PAGE);
	TEST_CALL(raw_write_reg(0x18, 1));
	/* commands take time, unless memory without descriptors is there */
	TEST_EXPECT(test_model_ctl(&raw_model, "dump pf0"), 0);
	TEST_TRUE(strstr(raw_model.answer, " busy=1 ") != NULL);
	return TEST_SUCCESS;
}

/* ------------------------------------------------------------------ a slow client */

#define SLOW_DOORBELLS 12u
#define SLOW_MS 60

static atomic_uint slow_served;
static int slow_ret;

/* Answer what the model reads by message, each time late, and take the other replies. */
static void *
slow_client(void *arg __rte_unused)
{
	struct vfio_user_dma_access access;
	uint8_t body[sizeof(access) + 64];
	struct raw_msg reply;
	struct raw_got got;
	unsigned int left = SLOW_DOORBELLS;

	slow_ret = TEST_FAILED;
	while (left > 0) {
		if (raw_take_msg(&got) != TEST_SUCCESS)
			return NULL;
		if (got.hdr.cmd != VFIO_USER_CMD_DMA_READ) {
			left--;
			continue;
		}
		memset(body, 0, sizeof(body));
		memcpy(&access, got.body, sizeof(access));
		memcpy(body, &access, sizeof(access));
		raw_msg_make(&reply, got.hdr.cmd, body, sizeof(access) + 64, -1);
		got.hdr.size = reply.len;
		got.hdr.flags = VFIO_USER_TYPE_REPLY;
		memcpy(reply.buf, &got.hdr, sizeof(got.hdr));
		usleep(SLOW_MS * 1000);
		atomic_fetch_add(&slow_served, 1);
		if (raw_put_msg(&reply) != TEST_SUCCESS)
			return NULL;
	}
	slow_ret = TEST_SUCCESS;
	return NULL;
}

/* Whoever is slow with DMA has waited for once; then the others have their turn. */
static int
test_slow_client(void)
{
	uint32_t doorbell = rte_cpu_to_be_32(1);
	unsigned int i, served;
	struct raw_msg m;
	pthread_t thread;

	TEST_CALL(raw_queue_setup(-1));
	atomic_store(&slow_served, 0);
	TEST_CALL(raw_model_stop());
	for (i = 0; i < SLOW_DOORBELLS; i++) {
		raw_msg_write(&m, VFIO_USER_REGION_BAR0, 0x18, &doorbell, sizeof(doorbell));
		TEST_CALL(raw_put_msg(&m));
	}
	TEST_CALL(raw_model_go_on());
	TEST_EXPECT(pthread_create(&thread, NULL, slow_client, NULL), 0);
	TEST_WAIT(atomic_load(&slow_served) > 0, TEST_MS);
	i = test_model_ctl(&raw_model, "list") == 0;
	served = atomic_load(&slow_served);
	pthread_join(thread, NULL);
	TEST_CALL(slow_ret);
	TEST_EXPECT(i, 1);
	TEST_ASSERT(served < SLOW_DOORBELLS / 2, "%u doorbells before anybody else's turn", served);
	return TEST_SUCCESS;
}

/* ---------------------------------------------------------------- no descriptors */

static int
fds_limit(rlim_t nb)
{
	struct rlimit limit;

	TEST_EXPECT(prlimit(raw_model.pid, RLIMIT_NOFILE, NULL, &limit), 0);
	limit.rlim_cur = nb == 0 ? limit.rlim_max : nb;
	TEST_EXPECT(prlimit(raw_model.pid, RLIMIT_NOFILE, &limit, NULL), 0);
	return TEST_SUCCESS;
}

/* The descriptor that the model gets next: what it has above that stays open. */
static rlim_t
first_free(void)
{
	char path[64];
	rlim_t fd = 0;

	do {
		snprintf(path, sizeof(path), "/proc/%d/fd/%u", (int)raw_model.pid,
				(unsigned int)fd++);
	} while (faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
	return fd - 1;
}

/* A client that comes while none is free waits, and is served when some are again. */
static int
test_connect_without_fds(void)
{
	static const char caps[] = "\0\0\1\0{\"capabilities\":{}}";
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	struct raw_msg m;
	unsigned int fds;

	close(raw_sock);
	TEST_WAIT(test_model_state(&raw_model, "pf0", "connected") == 0, TEST_MS);
	fds = raw_model_fds();
	TEST_CALL(fds_limit(first_free()));
	raw_sock = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	TEST_TRUE(raw_sock >= 0);
	snprintf(addr.sun_path, sizeof(addr.sun_path), "%.*s/pf0.sock",
			(int)sizeof(addr.sun_path) - 16, raw_model.dir);
	TEST_EXPECT(connect(raw_sock, (struct sockaddr *)&addr, sizeof(addr)), 0);
	TEST_EXPECT(test_model_ctl(&raw_model, "list"), 0);
	TEST_EXPECT(raw_model_fds(), fds);
	TEST_CALL(fds_limit(0));
	raw_msg_make(&m, VFIO_USER_CMD_VERSION, caps, sizeof(caps), -1);
	return raw_call(&m, 0);
}

static int
case_setup(void)
{
	raw_sock = -1;
	raw_file_a = memfd_create("msg_file_a", MFD_CLOEXEC);
	raw_file_b = memfd_create("msg_file_b", MFD_CLOEXEC);
	TEST_TRUE(raw_file_a >= 0 && raw_file_b >= 0);
	TEST_EXPECT(ftruncate(raw_file_a, RAW_PAGE), 0);
	TEST_CALL(test_model_start(&raw_model, "pf0,flr_ms=1 --latency=100"));
	return raw_greet();
}

static struct unit_test_suite hard_share_suite = {
	.suite_name = "clients of the software BlueField that harm others",
	.unit_test_cases = {
		TEST_CASE_ST(case_setup, raw_teardown, test_unmap_all_by_message),
		TEST_CASE_ST(case_setup, raw_teardown, test_slow_client),
		TEST_CASE_ST(case_setup, raw_teardown, test_connect_without_fds),
		TEST_CASES_END()
	}
};

REGISTER_SLOW_TEST(bluefield_hard_share_autotest, unit_test_suite_runner, &hard_share_suite);
